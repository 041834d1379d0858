#!/usr/bin/env bash
# tests/abi/check_format.sh -- fails where clang-format 14 would change something; with --fix it changes it.
#
# usage: check_format.sh ROOT [--fix]. The C headers of the ABI (laid out by hand, in sections, for people and for
# abi/generate.py) and generated files are not formatted.
set -u
cd "$1" || exit 1
command -v clang-format-14 >/dev/null || { echo "FAILED: clang-format-14 is not installed: ./dev setup"; exit 1; }
mapfile -t files < <(git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp' '*.hpp' '*.cu' '*.inc' |
  grep -vE '^abi/gpuopt/[a-z_]+\.h$|^abi/gpuopt/gpuopt_ops\.hpp$')
present=()
for file in "${files[@]}"; do [ -f "$file" ] && ! head -3 "$file" | grep -q 'generated' && present+=("$file"); done
if [ "${2:-}" = --fix ]; then
  clang-format-14 -i "${present[@]}"
else
  clang-format-14 --dry-run --Werror "${present[@]}" 2>&1 | grep -E 'error:' | sort -u -t: -k1,1 |
    sed 's/$/ (.\/dev format)/'
  status=${PIPESTATUS[0]}
  echo "${#present[@]} files"
  exit "$status"
fi
