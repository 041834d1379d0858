#!/usr/bin/env bash
# tests/abi/check_levels.sh -- the objects compiled once per instruction set level give the linker nothing to merge.
#
# usage: check_levels.sh LEVEL OBJECT...
# A weak or external function or table in two levels' objects would be merged into one, and a processor of the lower level
# would meet instructions of the higher: each object defines its install function, named after the level, and nothing else.
set -u
level=$1
shift
failed=0
for object in "$@"; do
  part=$(basename "$object" | cut -d. -f1)
  defined=$(nm --defined-only --extern-only "$object" | awk '{print $NF}' | c++filt)
  if [ "$defined" != "gpuopt::cpu::install_${part}_$level(gpuopt::cpu::LoopTable&)" ]; then
    printf 'FAILED: %s of level %s defines\n%s\n' "$part" "$level" "$defined"
    failed=1
  fi
done
echo "$level: $# objects"
[ $# -gt 0 ] || failed=1
exit $failed
