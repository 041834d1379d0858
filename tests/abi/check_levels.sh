#!/usr/bin/env bash
# tests/abi/check_levels.sh -- the objects compiled once per instruction set level give the linker nothing to merge, and
# round every product that the source rounds.
#
# usage: check_levels.sh LEVEL OBJECT...
# A weak or external function or table in two levels' objects would be merged into one, and a processor of the lower
# level would meet instructions of the higher: each object defines its install function, named after the level, and
# nothing else. And no object has the instructions that multiply and then add and subtract in turn: GCC 12 makes them of
# a product of complex numbers that is written as four products and two sums, in spite of -ffp-contract=off, and the
# level would have bits of its own.
set -u
level=$1
shift
failed=0
for object in "$@"; do
  part=$(basename "$object" | cut -d. -f1)
  defined=$(nm --defined-only --extern-only "$object" | awk '{print $NF}' | c++filt)
  if [ "$defined" != "gpuopt::cpu::install_${part}_$level(gpuopt::cpu::LoopTable&)" ] &&
    [ "$defined" != "gpuopt::cpu::install_${part}_$level(gpuopt::cpu::LinalgLoops&)" ]; then
    printf 'FAILED: %s of level %s defines\n%s\n' "$part" "$level" "$defined"
    failed=1
  fi
  if contracted=$(objdump -d -C --no-show-raw-insn "$object" |
    awk '/^[0-9a-f]+ </ {name = $0} /vfm(addsub|subadd)/ {print name; print}') &&
    [ -n "$contracted" ]; then
    printf 'FAILED: %s of level %s has multiply-adds that the source does not have ' "$part" "$level"
    printf '(write the sum without a rounded product in it,\n'
    printf 'as plugins/shared/math/complex_arithmetic.h does):\n%s\n' "$contracted"
    failed=1
  fi
done
echo "$level: $# objects"
[ $# -gt 0 ] || failed=1
exit $failed
