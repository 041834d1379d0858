#!/usr/bin/env bash
# tests/fuzz/targets/run.sh -- runs libFuzzer's programs: run.sh [--keep] [SECONDS [TARGET...]]
#
# Each target runs for so many seconds (60) on its kept inputs and those its earlier runs left in build/fuzz/inputs.
# With --keep the smallest set of inputs that reaches all code reached so far becomes the new corpus. What ends a target
# is left in build/fuzz/found: mend the library, and put that file into the target's corpus.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../../.."
build=build/fuzz
keep=false
if [ "${1:-}" = --keep ]; then keep=true; shift; fi
seconds=${1:-60}
[ $# = 0 ] || shift
mkdir -p $build/found
export GPUOPT_PLUGIN_PATH=$PWD/$build/lib/gpuopt/1 GPUOPT_LOG=off GPUOPT_CACHE_DIR=$PWD/$build/cache

# Seeds that lie elsewhere: NumPy's files, and what the build made.
more_seeds() { # target
  case $1 in
    core_npy | core_npz) echo tests/data/npy ;;
    core_elf) echo $build/tests/fuzz/targets/seeds/core_elf ;;
    cpu_object)
      mkdir -p $build/inputs/object_seeds
      find $build/tests/fuzz/targets/CMakeFiles/fuzz_seed_object.dir -name '*.o' -exec cp {} \
        $build/inputs/object_seeds/ \;
      echo $build/inputs/object_seeds
      ;;
  esac
}

run() { # target
  local inputs=$build/inputs/$1 corpus=$here/corpus/$1 log=$build/found/$1.log seeds=()
  mkdir -p "$inputs"
  mapfile -t seeds < <(more_seeds "$1")
  [ ! -d "$corpus" ] || seeds+=("$corpus")
  if ! $build/bin/"$1"_fuzzer -max_total_time="$seconds" -timeout=10 -rss_limit_mb=3000 -malloc_limit_mb=2000 \
    -max_len=65536 \
    -dict="$here/words.dict" -artifact_prefix=$build/found/"$1"- "$inputs" "${seeds[@]}" >"$log" 2>&1; then
    echo "$1: FOUND: $(grep -m1 -E 'the property does not hold|SUMMARY' "$log"); see $log"
    return 1
  fi
  echo "$1: $(grep -E '^Done' "$log")"
  $keep || return 0
  rm -rf "$inputs.least" && mkdir "$inputs.least" && mkdir -p "$corpus"
  $build/bin/"$1"_fuzzer -merge=1 -max_len=4096 "$inputs.least" "$corpus" "$inputs" >>"$log" 2>&1
  find "$corpus" -type f ! -name 'seed_*' ! -name 'found_*' -delete
  find "$inputs.least" -type f -size -4k -exec cp {} "$corpus/" \;
}

status=0
targets=("$@")
[ ${#targets[@]} != 0 ] || mapfile -t targets < <(cd "$here" && ls -- *_fuzzer.cpp | sed 's/_fuzzer.cpp$//')
for target in "${targets[@]}"; do
  if [ -x $build/bin/"$target"_fuzzer ]; then
    run "$target" || status=1
  else
    echo "not run: $target, which is not built"
  fi
done
exit $status
