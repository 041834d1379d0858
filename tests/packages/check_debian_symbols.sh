#!/usr/bin/env bash
# tests/packages/check_debian_symbols.sh -- the library exports what packaging/debian/libgpuopt1.symbols lists, neither more nor less.
#
# usage: check_debian_symbols.sh ROOT LIBGPUOPT
set -eu
root=$1 library=$(readlink -f "$2")
command -v dpkg-gensymbols >/dev/null || { echo "FAILED: dpkg-gensymbols is not installed: ./dev setup"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/debian" "$scratch/tree"
printf 'Source: gpuopt\n\nPackage: libgpuopt1\nArchitecture: any\n' >"$scratch/debian/control"
version=$(sed -n 's/^project(gpuopt VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
cd "$scratch"
if ! dpkg-gensymbols -q -c4 -plibgpuopt1 "-v$version" "-P$scratch/tree" "-I$root/packaging/debian/libgpuopt1.symbols" \
  -Osymbols "-e$library" >difference 2>&1; then
  cat difference
  echo "FAILED: ./dev abi records functions that were added; one that is gone breaks programs"
  exit 1
fi
echo "$(grep -c '@GPUOPT_' symbols) symbols"
