#!/usr/bin/env bash
# packaging/package.sh -- ./dev package: builds all packages into build/packages and looks at them.
#
# One build gives all: the place of libraries differs between kinds of systems, and is known to one file alone. Packages
# made twice must be the same to the byte, lintian must have nothing to say, and none may be too large.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/package out=$PWD/build/packages
SOURCE_DATE_EPOCH=$(date -d "$(sed -n 's/^ -- .*>  //p' packaging/debian/changelog | head -1)" +%s)
export SOURCE_DATE_EPOCH

# The CUDA backend's common kernels, compiled ahead: minutes of work that are kept until the backend changes.
make_seed() {
  if [ -z "${GPUOPT_NVRTC:-}" ] && ! ldconfig -p | grep 'libnvrtc\.so\.1' >/dev/null &&
    ! compgen -G '/usr/local/cuda*/lib*/libnvrtc.so.1*' >/dev/null; then
    echo "package: no NVRTC here: gpuopt-plugin-cuda is built without kernels compiled ahead"
    return
  fi
  cmake --build $build --target gpuopt_cuda_seed_files
}

pack() { # CPack's generator, the libraries' directory below the prefix
  local kind=$1 first=$PWD/$build/first
  ./dev build package "-DCMAKE_INSTALL_LIBDIR=$2" >$build/build.log || { tail -40 $build/build.log; return 1; }
  rm -rf "$first" && mkdir -p "$first"
  cpack --config $build/CPackConfig.cmake -G "$kind" -B "$first" >$build/cpack.log 2>&1 || {
    cat $build/cpack.log
    return 1
  }
  rm -rf "$first/_CPack_Packages"
  mv "$first"/* "$out"
  cpack --config $build/CPackConfig.cmake -G "$kind" -B "$first" >$build/cpack.log 2>&1
  for again in "$first"/gpuopt* "$first"/libgpuopt* "$first"/python3-gpuopt*; do
    if [ -f "$again" ] && ! cmp "$again" "$out/${again##*/}"; then
      echo "FAILED: made twice, ${again##*/} differs"
      return 1
    fi
  done
  rm -rf "$first"
}

rm -rf "$out" && mkdir -p "$out" $build
./dev build package >$build/build.log || { tail -40 $build/build.log; exit 1; }
[ "${1:-}" = --no-seed ] || make_seed
pack DEB "lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)"
pack RPM lib64
pack TGZ lib

cd "$out"
for deb in *.deb; do
  echo "== $deb"
  dpkg-deb -f "$deb" Package Version Multi-Arch Homepage Depends Recommends Suggests Enhances Installed-Size
done
echo "== sizes"
ls -l --time-style=+ | awk 'NF > 4 {printf "%10d  %s\n", $(NF-1), $NF}'
status=0
# libgpuopt1 has loops for three instruction sets, and replaces OpenBLAS, LAPACK and FFTW, of which Debian's OpenBLAS
# alone takes 43 MB.
for limit in libgpuopt1:16 gpuopt-plugin-cuda:20 python3-gpuopt:5; do
  bytes=$(dpkg-deb --fsys-tarfile "${limit%:*}"_*.deb | tar -tv | awk '{sum += $3} END {print sum}')
  echo "${limit%:*}: $bytes bytes installed, at most ${limit#*:} MB allowed"
  [ "$bytes" -le $((${limit#*:} * 1000000)) ] || { echo "FAILED: ${limit%:*} is too large"; status=1; }
done
for deb in gpuopt-plugin-jit_*.deb; do
  bytes=$(stat -c %s "$deb")
  echo "$deb: $bytes bytes, at most 25 MB allowed"
  [ "$bytes" -le 25000000 ] || { echo "FAILED: $deb is too large"; status=1; }
done
echo "== lintian $(lintian --version | sed 's/.* v//')"
lintian --allow-root --fail-on error,warning --tag-display-limit 0 --show-overrides ./*.deb || {
  echo "FAILED: lintian"
  status=1
}
[ $status = 0 ] && echo "package: all of it in build/packages, twice the same"
exit $status
