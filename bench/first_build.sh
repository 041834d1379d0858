#!/usr/bin/env bash
# bench/first_build.sh -- what a newcomer waits for: how much `./dev` fetches on a fresh Debian, and how long it builds.
#
# usage: bench/first_build.sh fetched | built | log BUILD_DIR. `fetched` asks apt what it would download and install
# onto a Debian that has only its required packages, with and without LLVM; nothing is installed. `built` builds the
# preset release in a directory of its own, without a compiler cache, and takes as long as that; `log` says how long a
# build took that is there, from Ninja's log of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fetched() {
  # dev's own lists.
  eval "$(sed -n '/^packages=(/,/)$/p; /^llvm_packages=(/,/)$/p' dev)"
  # What ./dev test fetches from PyPI besides is in tests/cuda/nvrtc_requirements.txt.
  : >"$scratch/status"
  mkdir -p "$scratch/archives/partial"
  local required
  required=$(apt-cache dumpavail |
    awk '/^Package:/ {name = $2} /^Essential: yes|^Priority: required/ {print name}' | sort -u | tr '\n' ' ')
  asked() { # packages; their names and bytes
    apt-get install --print-uris -qq -y --no-install-recommends -o "Dir::State::status=$scratch/status" \
      -o "Dir::Cache::archives=$scratch/archives" \
      -o Debug::NoLocking=1 "$@" | awk '{split($2, name, "_"); print name[1], $3}' | sort
  }
  # shellcheck disable=SC2086  # names are words
  asked $required >"$scratch/before"
  # shellcheck disable=SC2154,SC2086  # set by eval
  asked $required "${packages[@]}" >"$scratch/tools"
  # shellcheck disable=SC2154,SC2086
  asked $required "${packages[@]}" "${llvm_packages[@]}" >"$scratch/all"
  summary() { # what, more, fewer
    comm -13 "$3" "$2" >"$scratch/more"
    awk '{print $1}' "$scratch/more" | xargs apt-cache show --no-all-versions |
      awk '/^Installed-Size:/ {kilobytes += $2} END {print kilobytes}' >"$scratch/size"
    awk -v what="$1" -v installed="$(cat "$scratch/size")" '{bytes += $2} END {
      printf "%s: %d packages, %.0f MB fetched, %.0f MB installed\n", what, NR, bytes / 1e6, installed / 1e3
    }' "$scratch/more"
  }
  summary "compilers and tools" "$scratch/tools" "$scratch/before"
  summary "LLVM and Clang, of which libgpuopt_jit is made" "$scratch/all" "$scratch/tools"
}

built() {
  local seconds=$SECONDS
  CCACHE_DISABLE=1 cmake --preset release -B "$scratch/build" -DGPUOPT_BUILD_BENCH=OFF >"$scratch/configure.log"
  CCACHE_DISABLE=1 cmake --build "$scratch/build" -j "$(nproc)" >"$scratch/build.log"
  printf 'preset release: %d files compiled and linked, %d minutes of %s processors\n' \
    "$(wc -l <"$scratch/build/.ninja_log")" \
    $(((SECONDS - seconds + 30) / 60)) "$(nproc)"
}

from_log() { # build directory
  awk -F '\t' '!/^#/ {steps++; if ($2 > last) last = $2} END {printf "%d steps, %.0f minutes\n", steps, last / 60000}' \
    "$1/.ninja_log"
}

case ${1:-} in
  fetched) fetched ;;
  built) built ;;
  log) from_log "${2:?usage: bench/first_build.sh log BUILD_DIR}" ;;
  *)
    echo "usage: bench/first_build.sh fetched | built | log BUILD_DIR" >&2
    exit 2
    ;;
esac
echo "$(date +%F), Debian $(cat /etc/debian_version), $(nproc) processors:" \
  "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)"
