#!/usr/bin/env bash
# tests/abi/check_symbols.sh -- the binaries: what they export, what they need, how they were linked.
#
# usage: check_symbols.sh ROOT C_COMPILER LIBGPUOPT PLUGIN...
# libgpuopt exports the functions gpuopt.h declares and nothing else; a plugin its query function and nothing else (the
# compiler of kernels its own, and not a symbol of the LLVM that is linked into it). Neither
# needs a GPU vendor's library, and a plugin needs no libgpuopt: all that is found at run time.
set -u
root=$1 cc=$2 library=$3
shift 3
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}

declared() { # the functions gpuopt.h declares with default visibility
  printf '#include <gpuopt/gpuopt.h>\n' | "$cc" -E -P -x c "-I$root/abi" - | tr '\n' ' ' | tr ';' '\n' |
    grep -F 'visibility("default")' | grep -oE '\bgpuopt_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u
}
exported() { nm -D --defined-only --without-symbol-versions "$1" | awk '$2 != "A" {print $3}' | sort -u; }
needed() { readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

same_symbols() { # file, expected list
  diff <(echo "$2") <(exported "$1") || fail "$(basename "$1"): exports (>) differ from what it must export (<)"
  echo "$(basename "$1"): $(exported "$1" | wc -l) exported symbols"
}
needs_only() { # file, pattern
  local other
  other=$(needed "$1" | grep -vE "^($2|ld-linux[^ ]*|libc|libm|libgcc_s|libstdc\+\+|libpthread|libdl)\.so")
  [ -z "$other" ] || fail "$(basename "$1") needs" $other
}

# What is done when the process ends may use arrays: destructors of the program's static and thread_local objects,
# handlers of exit, and threads that go on. So nothing of the library's is destroyed before: no object with a destructor
# is static or thread_local.
destroys_nothing() {
  local found
  found=$(nm -D --undefined-only --without-symbol-versions "$1" | awk '{print $2}' |
    grep -E '^(__cxa_atexit|__cxa_thread_atexit|__cxa_thread_atexit_impl|atexit|on_exit)$')
  [ -z "$found" ] ||
    fail "$(basename "$1") has static or thread_local objects that are destroyed when the process or a thread ends
  ($(echo $found)). Make them pointers to what is never destroyed; find them with:
  nm -A OBJECTS | grep -E '$(echo $found | tr ' ' '|')'"
}

# Where a library has thread_local variables at a fixed distance from the thread's pointer, they come out of a reserve
# that all libraries loaded late share (plugins/shared/host/every_thread.h).
keeps_little_per_thread() {
  local bytes
  readelf -dW "$1" | grep -q STATIC_TLS || return 0
  bytes=$(readelf -lW "$1" | awk '$1 == "TLS" {print $6}')
  [ $((bytes)) -le 512 ] || fail "the thread_local variables of $(basename "$1") take $((bytes)) bytes of static TLS"
  echo "$(basename "$1"): $((bytes)) bytes of each thread"
}

names=$(declared)
[ "$(wc -l <<<"$names")" -gt 100 ] ||
  fail "gpuopt.h declares only $(wc -l <<<"$names") functions: is the pattern right?"
same_symbols "$library" "$names"
needs_only "$library" libz
destroys_nothing "$library"
keeps_little_per_thread "$library"
versions=$(nm -D --defined-only "$library" | awk '$2 == "T"' | grep -vc '@@GPUOPT_1\.')
[ "$versions" = 0 ] || fail "$versions functions of $(basename "$library") have no symbol version"

for plugin in "$@"; do
  case $plugin in
    *gpuopt_jit.so) query=gpuopt_jit_query libraries='libz|libzstd' ;;
    *gpuopt_ring.so | *gpuopt_mpi.so | *gpuopt_nccl.so) query=gpuopt_comm_query_v1 libraries=libz ;;
    *) query=gpuopt_plugin_query_v1 libraries=libz ;;
  esac
  same_symbols "$plugin" "$query"
  keeps_little_per_thread "$plugin"
  needs_only "$plugin" "$libraries"
  # MPI has to be finalized before a process ends, or its launcher takes the job for a failed one.
  [[ $plugin == *gpuopt_mpi.so ]] || destroys_nothing "$plugin"
  readelf -dW "$plugin" | grep -q 'FLAGS_1.*NODELETE' || fail "$(basename "$plugin") is not linked with -z nodelete"
  readelf -dW "$plugin" | grep -q 'SYMBOLIC' || fail "$(basename "$plugin") is not linked with -Bsymbolic"
done
[ $# -gt 0 ] || fail "no plugin given"
exit $failed
