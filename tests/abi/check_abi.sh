#!/usr/bin/env bash
# tests/abi/check_abi.sh -- compares both ABIs with the recorded one, packaging/abi/gpuopt-1.abi.
#
# usage: check_abi.sh ROOT C_COMPILER [--record | --record-changed]
# A library is made of the headers alone, every declared function with an empty body, so that what is compared is the
# contract (names, arguments, layouts of all structs and tables, numbers of all constants) and not how it is
# implemented; check_symbols.sh sees to it that libgpuopt exports the same functions. Additions fail until they are
# recorded. What exists must not change, except that a size-prefixed struct and the plugin's table grow at the end;
# abidiff shows such growth as a change, so --record-changed is a person's word.
set -u
root=$1 cc=$2 baseline=$1/packaging/abi/gpuopt-1.abi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

preprocessed() { printf '#include <gpuopt/%s>\n' "$@" | "$cc" -E -P -x c "-I$root/abi" - | tr '\n' ' '; }
{
  printf '#include <gpuopt/gpuopt.h>\n#include <gpuopt/gpuopt_plugin.h>\n#include <gpuopt/gpuopt_comm_plugin.h>\n'
  preprocessed gpuopt.h | tr ';' '\n' | grep -F 'visibility("default")' |
    sed -E 's/^.*visibility\("default"\)\)\) *//' |
    sed -E '/^void /s/$/ {}/; /^void /!s/$/ { return 0; }/'
  echo 'GPUOPT_API int32_t gpuopt_plugin_query_v1(const gpuopt_host_api *host, gpuopt_plugin_desc *desc) { return 0; }'
  echo 'GPUOPT_API gpuopt_plugin_api *plugin_table(void) { return 0; }'
  echo 'GPUOPT_API gpuopt_comm_api *comm_table(void) { return 0; }'
  echo 'int32_t gpuopt_comm_query_v1(const gpuopt_host_api *host, gpuopt_comm_desc *desc) { return 0; }'
  # A constant is the size of an array named after it.
  preprocessed gpuopt.h gpuopt_plugin.h gpuopt_comm_plugin.h | grep -oE 'enum \{[^}]*\}' |
    grep -oE '\bGPUOPT_[A-Za-z0-9_]+' |
    grep -v '_COUNT$' | sort -u |
    sed 's/.*/GPUOPT_API char value_of_&[& + 1];/'
  for limit in GPUOPT_MAX_NDIM GPUOPT_CHUNK GPUOPT_LANES; do echo "GPUOPT_API char value_of_$limit[$limit];"; done
} >"$scratch/contract.c"
"$cc" -std=c99 -g -shared -fPIC -w "-I$root/abi" -o "$scratch/libgpuopt_contract.so" "$scratch/contract.c" || exit 1
# Types named by their hash, not by a number: one more function changes a few lines of the record, not all.
abidw --type-id-style hash --no-comp-dir-path --no-corpus-path --no-show-locs "$scratch/libgpuopt_contract.so" \
  >"$scratch/now.abi" || exit 1

action=${3:-compare}
# Debian's list of symbols: a function keeps the version it has there, a new one gets the project's.
record_debian_symbols() {
  local list=$root/packaging/debian/libgpuopt1.symbols version
  version=$(sed -n 's/^project(gpuopt VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  {
    echo 'libgpuopt.so.1 libgpuopt1 #MINVER#'
    {
      nm -D --defined-only "$scratch/libgpuopt_contract.so" |
        awk '$2 == "T" && $3 ~ /^gpuopt_/ && $3 !~ /_v1$/ {print $3}'
      echo GPUOPT_1.0
    } | LC_ALL=C sort | while read -r name; do
      grep "^ $name@" "$list" 2>/dev/null || echo " $name@GPUOPT_1.0 $version"
    done
  } >"$scratch/symbols"
  cp "$scratch/symbols" "$list"
}
record() {
  cp "$scratch/now.abi" "$baseline"
  record_debian_symbols
  echo "recorded $(grep -c '<function-decl' "$baseline") functions in $baseline"
  exit 0
}
[ "$action" = --record-changed ] && record
abidiff --no-added-syms "$baseline" "$scratch/now.abi"
if [ $? -ne 0 ]; then
  echo "FAILED: what exists has changed. Only a size-prefixed struct or the plugin's table may, by growing at the end:"
  echo "        if that is all the change is, record it with ./dev abi --record-changed"
  exit 1
fi
if abidiff "$baseline" "$scratch/now.abi"; then
  echo "abidiff: $(grep -c '<function-decl' "$baseline") functions," \
    "$(grep -c '<var-decl.* elf-symbol-id' "$baseline") constants and their types" \
    "are as recorded in ${baseline#"$root"/}: nothing removed, changed or added"
  exit 0
fi
[ "$action" = --record ] && record
echo "FAILED: the ABI has grown; if that is meant, record it: ./dev abi"
exit 1
