#!/usr/bin/env bash
# tests/abi/check_headers.sh -- every public header, alone and included twice, in every language version it is for,
# without one warning.
#
# usage: check_headers.sh ROOT COMPILER... (C++ compiler drivers, which compile C with -x c; those not installed are
# named)
set -u
root=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror "-I$root/abi")
failed=0 compiled=0

compile() { # compiler, language, standard, header
  printf '#include <gpuopt/%s>\n#include <gpuopt/%s>\n' "$4" "$4" >"$scratch/header.$2"
  compiled=$((compiled + 1))
  "$1" -x "$2" "-std=$3" "${flags[@]}" "$scratch/header.$2" && return
  echo "FAILED: $1 -std=$3 $4"
  failed=1
}

mapfile -t c_headers < <(cd "$root/abi/gpuopt" && ls -- *.h)
mapfile -t cpp_headers < <(cd "$root/abi/gpuopt" && ls -- gpuopt_ops.hpp hpp/*.hpp)
used=0
for compiler in "$@"; do
  command -v "$compiler" >/dev/null || { echo "not installed: $compiler"; continue; }
  used=$((used + 1))
  for header in "${c_headers[@]}"; do
    for standard in c99 c11 c17; do compile "$compiler" c $standard $header; done
    for standard in c++11 c++14 c++17 c++20; do compile "$compiler" c++ $standard $header; done
  done
  for standard in c++17 c++20; do compile "$compiler" c++ $standard gpuopt.hpp; done
done
for header in "${cpp_headers[@]}"; do compile "$1" c++ c++17 "$header"; done
echo "$compiled compilations with $used compilers"
[ "$used" -gt 0 ] && exit $failed
