#!/usr/bin/env bash
# tests/packages/check_debian_symbols.sh -- the library exports what packaging/debian/libgpuopt1.symbols lists, neither
# more nor less.
#
# usage: check_debian_symbols.sh ROOT LIBGPUOPT
set -eu
root=$(readlink -f "$1") library=$(readlink -f "$2")
command -v dpkg-gensymbols >/dev/null || { echo "FAILED: dpkg-gensymbols is not installed: ./dev setup"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/debian" "$scratch/tree"
printf 'Source: gpuopt\n\nPackage: libgpuopt1\nArchitecture: any\n' >"$scratch/debian/control"
cd "$scratch"
# Version 999: a function of the very version that is looked at might be gone and not be missed.
if ! dpkg-gensymbols -c4 -plibgpuopt1 -v999 "-P$scratch/tree" "-I$root/packaging/debian/libgpuopt1.symbols" \
  -Osymbols "-e$library" >difference 2>&1; then
  cat difference
  echo "FAILED: ./dev abi records functions that were added; one that is gone breaks programs"
  exit 1
fi
echo "$(grep -c '@GPUOPT_' symbols) symbols"
