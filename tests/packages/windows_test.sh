#!/usr/bin/env bash
# tests/packages/windows_test.sh -- `./dev windows`: the ZIP and the installer made of build/windows, and their demo
# under Wine.
#   windows_test.sh WINE...   the command that runs a program of Windows
# The numbers are those of the release build of this machine (build/release).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
wine=("$@") build=$PWD/build/windows out=$PWD/build/windows/packages
drive=$build/wine/drive_c

fail() { echo "FAILED: $*"; exit 1; }

# Whatever a file of ours needs is ours or the system's: nothing is to be installed first, and nothing is NVIDIA's.
needs_nothing_else() { # folder
  local file needed
  find "$1" -iname '*.exe' -o -iname '*.dll' | while read -r file; do
    for needed in $(x86_64-w64-mingw32-objdump -p "$file" | sed -n 's/^\s*DLL Name: //p' | sort -u); do
      case ${needed,,} in
        libgpuopt-1.dll | kernel32.dll | msvcrt.dll | advapi32.dll | shell32.dll | ole32.dll | user32.dll) ;;
        ws2_32.dll) ;;
        *) fail "$file needs $needed" ;;
      esac
    done
  done
}

# A sample that asks for CUDA: the CPU's numbers, and one line with the reason.
sample_says() { # folder of programs, reason, part of the detail
  cmake "-DPROGRAM=$(IFS=';'; echo "${wine[*]}");$1/gpu_optional.exe" \
    "-DARGUMENTS=cuda --size 100x1000 --output $build/there.npy" \
    -DEXPECTED="$PWD/samples/gpu_optional/expected_100x1000.txt" -DERROR_LINES=1 \
    "-DERROR=^gpuopt.W. backend.fallback reason=$2 requested=cuda using=cpu .*$3" -P samples/check_output.cmake
  cmp "$build/here.npy" "$build/there.npy" || fail "the numbers are not those of this machine"
  echo "gpu_optional: asked for cuda, $2, the file it wrote has the bytes of this machine's"
  rm "$build/there.npy"
}

demo() { # folder of programs
  needs_nothing_else "$1"
  (cd "$1" && find . -name '*.exe' -o -name '*.dll' | sort | xargs ls -l --time-style=+ |
    awk '{printf "%10d  %s\n", $(NF-1), $NF}')
  "${wine[@]}" "$1/gpuopt.exe" info | tr -d '\r'
  sample_says "$1" DRIVER_MISSING 'nvcuda.dll: '
  mv "$1/gpuopt/1/gpuopt_cuda.dll" "$build"
  sample_says "$1" NOT_FOUND 'no gpuopt_cuda.dll in'  # the same program without the backend
  mv "$build/gpuopt_cuda.dll" "$1/gpuopt/1"
}

build/release/bin/gpu_optional cpu --size 100x1000 --output "$build/here.npy" >/dev/null
rm -rf "$out" "$build/unpacked" "$drive/gpuopt" && mkdir -p "$out" "$build/unpacked"
cpack --config "$build/CPackConfig.cmake" -B "$out" >"$build/package.log" 2>&1 || {
  cat "$build/package.log"
  fail "CPack"
}
rm -rf "$out/_CPack_Packages"
ls -l --time-style=+ "$out" | awk 'NF > 4 {printf "%10d  build/windows/packages/%s\n", $(NF-1), $NF}'

echo "== the ZIP, unpacked"
(cd "$build/unpacked" && cmake -E tar xf "$out"/*.zip)
demo "$(echo "$build"/unpacked/*/bin)"

echo "== the installer"
if ! compgen -G "$out/*.exe" >/dev/null; then
  echo "not run: there is no makensis to make one"
  exit 0
fi
"${wine[@]}" "$out"/*.exe /S '/D=C:\gpuopt'
demo "$drive/gpuopt/bin"
"${wine[@]}" "$drive/gpuopt/Uninstall.exe" /S '_?=C:\gpuopt'
left=$(find "$drive/gpuopt" -type f ! -name Uninstall.exe)
[ -z "$left" ] || fail "uninstalled, it leaves $left"
echo "uninstalled"
