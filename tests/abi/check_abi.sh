#!/usr/bin/env bash
# tests/abi/check_abi.sh -- compares both ABIs with the recorded one, packaging/abi/gpuopt-1.abi.
#
# usage: check_abi.sh ROOT C_COMPILER [--record]
# A library is made of the headers alone, every declared function with an empty body, so that what is compared is the contract
# (names, arguments, layouts of all structs and tables) and not how it is implemented; check_symbols.sh sees to it that libgpuopt
# exports the same functions. An incompatible change fails for good; an addition fails until it is recorded with --record.
set -u
root=$1 cc=$2 baseline=$1/packaging/abi/gpuopt-1.abi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

{
  printf '#include <gpuopt/gpuopt.h>\n#include <gpuopt/gpuopt_plugin.h>\n'
  printf '#include <gpuopt/gpuopt.h>\n' | "$cc" -E -P -x c "-I$root/abi" - | tr '\n' ' ' | tr ';' '\n' |
    grep -F 'visibility("default")' | sed -E 's/^.*visibility\("default"\)\)\) *//' |
    sed -E '/^void /s/$/ {}/; /^void /!s/$/ { return 0; }/'
  echo 'GPUOPT_API int32_t gpuopt_plugin_query_v1(const gpuopt_host_api *host, gpuopt_plugin_desc *desc) { return 0; }'
  echo 'GPUOPT_API gpuopt_plugin_api *plugin_table(void) { return 0; }'
} >"$scratch/contract.c"
"$cc" -std=c99 -g -shared -fPIC -w "-I$root/abi" -o "$scratch/libgpuopt_contract.so" "$scratch/contract.c" || exit 1
abidw --no-comp-dir-path --no-corpus-path --no-show-locs "$scratch/libgpuopt_contract.so" >"$scratch/now.abi" || exit 1

if [ "${3:-}" = --record ]; then
  cp "$scratch/now.abi" "$baseline"
  echo "recorded $(grep -c '<function-decl' "$baseline") functions in $baseline"
  exit 0
fi
abidiff "$baseline" "$scratch/now.abi"
status=$?
if [ $((status & 3)) -ne 0 ]; then
  echo "FAILED: abidiff could not compare"
elif [ $((status & 8)) -ne 0 ]; then
  echo "FAILED: the ABI is broken for programs or plugins that exist; make the change an addition"
elif [ $status -ne 0 ]; then
  echo "FAILED: the ABI has grown; if that is meant, record it: ./dev abi"
fi
exit $((status != 0))
