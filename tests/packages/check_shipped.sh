#!/usr/bin/env bash
# tests/packages/check_shipped.sh -- what ./dev builds for packages and wheels is optimized by the linker, and has no
# tests in it.
#
# usage: check_shipped.sh ROOT SCRATCH. Looks at what dev asks CMake for, of which there is a stand-in here: nothing is
# built.
set -euo pipefail
root=$1 scratch=$2 failed=0

rm -rf "$scratch" && mkdir -p "$scratch"/{tools,tree/bindings/python/tests,tree/build/python/venv}
cp "$root/dev" "$scratch/tree"
# What dev would fetch is there.
cp "$root/bindings/python/tests/requirements.txt" "$scratch/tree/bindings/python/tests"
cp "$root/bindings/python/tests/requirements.txt" "$scratch/tree/build/python/venv"
printf '#!/bin/sh\necho installed\n' >"$scratch/tools/dpkg-query"
printf '#!/bin/sh\necho "$@" >>"%s"\n' "$scratch/asked" >"$scratch/tools/cmake"
chmod +x "$scratch"/tools/*

# last PRESET OPTION: the value that counts of those that CMake is given; nothing if there is none.
last() {
  sed -nE "s/.*-D$2=([A-Z]+).*/\1/p" <<<"$(grep -e "--preset $1 -D" "$scratch/asked")"
}
in_preset() { # preset, option
  python3 - "$root/CMakePresets.json" "$@" <<'PYTHON'
import json
import sys

presets = {p["name"]: p for p in json.load(open(sys.argv[1]))["configurePresets"]}
name = sys.argv[2]
while name:
    preset = presets[name]
    if sys.argv[3] in preset.get("cacheVariables", {}):
        print(preset["cacheVariables"][sys.argv[3]])
        break
    name = preset.get("inherits")
PYTHON
}
expect() { # preset, option, value
  local value
  value=$(last "$1" "$2")
  [ -n "$value" ] || value=$(in_preset "$1" "$2")
  if [ "$value" != "$3" ]; then
    echo "FAILED: ./dev build $1: $2 is ${value:-not said}, not $3"
    failed=1
  fi
}

shipped=$(sed -nE 's/^.*\.\/dev build ([a-z]+).*/\1/p' "$root"/packaging/{package,wheel}.sh | sort -u)
[ -n "$shipped" ] || { echo "FAILED: packaging/*.sh build nothing"; exit 1; }
for preset in $shipped; do
  PATH=$scratch/tools:$PATH "$scratch/tree/dev" build "$preset" >/dev/null
  expect "$preset" GPUOPT_LTO ON
  expect "$preset" GPUOPT_NATIVE OFF
  expect "$preset" GPUOPT_BUILD_TESTS OFF
done
echo "shipped: $(tr '\n' ' ' <<<"$shipped")"
exit $failed
