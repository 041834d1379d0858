#!/usr/bin/env bash
# tests/packages/check_subproject.sh -- gpuopt as a part of another project: add_subdirectory, and FetchContent of a
# directory.
#
# usage: check_subproject.sh ROOT SCRATCH. Configures parents and looks at what would be built: the library, its
# backends and the parent's program, without gpuopt's tests, samples and commands, without its warnings as errors, and
# without packages of gpuopt's.
set -eu
root=$1 scratch=$2
failed=0
fail() { echo "FAILED: $*"; failed=1; }

parent() { # name, how gpuopt gets in, more arguments for cmake
  local folder=$scratch/$1
  rm -rf "$folder" && mkdir -p "$folder"
  cat >"$folder/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(parent VERSION 7.0 LANGUAGES C CXX)
$2
add_executable(parent main.cpp)
target_link_libraries(parent PRIVATE gpuopt::gpuopt)
if(CMAKE_BUILD_TYPE OR NOT "\${CMAKE_CXX_STANDARD}" STREQUAL "")
  message(FATAL_ERROR "gpuopt set the parent's build type or C++ version")
endif()
install(TARGETS parent)
set(CPACK_PACKAGE_NAME parent)
include(CPack)
CMAKE
  printf '#include <gpuopt/gpuopt.hpp>\nint main() { return 0; }\n' >"$folder/main.cpp"
  cmake -G Ninja "-DCMAKE_BUILD_TYPE=" -S "$folder" -B "$folder/build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${@:3}" \
    >"$folder/log" 2>&1 || {
    cat "$folder/log"
    fail "$1 is not configured"
  }
}
built() {
  ninja -C "$scratch/$1/build" -t targets all |
    sed -n 's/: \(CXX\|C\)_\(EXECUTABLE\|SHARED_LIBRARY\|MODULE_LIBRARY\).*//p' |
    xargs -n1 basename | sort | paste -sd' '
}

parent subdirectory "add_subdirectory(\"$root\" gpuopt)"
parent fetched "include(FetchContent)
FetchContent_Declare(gpuopt SOURCE_DIR \"$root\")
FetchContent_MakeAvailable(gpuopt)"
for name in subdirectory fetched; do
  binaries=$(built $name)
  echo "$name builds $binaries"
  for wanted in parent libgpuopt.so libgpuopt_cpu.so; do
    grep -qE "(^| )$wanted[0-9.]*( |$)" <<<"$binaries" || fail "$name does not build $wanted"
  done
  for unwanted in _test gpu_optional tour gpuopt_bench gpuopt-aot gpuopt-plugin-test; do
    [[ " $binaries " != *"$unwanted "* ]] || fail "$name builds $unwanted"
  done
  if grep -q -e -Werror "$scratch/$name/build/compile_commands.json"; then fail "$name makes warnings errors"; fi
  tests=$(ctest --test-dir "$scratch/$name/build" -N | sed -n 's/^Total Tests: //p')
  [ "${tests:-0}" = 0 ] || fail "$name has $tests tests of gpuopt's"
  grep -q 'set(CPACK_PACKAGE_NAME "parent")' "$scratch/$name/build/CPackConfig.cmake" ||
    fail "$name packs gpuopt, not the parent"
  if grep -q 'CPACK_COMPONENTS_ALL.*plugin-cuda.*tools' "$scratch/$name/build/CPackConfig.cmake"; then
    fail "$name has gpuopt's packages"
  fi
done

# Asked for, they are there.
parent everything "add_subdirectory(\"$root\" gpuopt)" -DGPUOPT_BUILD_TOOLS=ON -DGPUOPT_WERROR=ON
[[ " $(built everything) " == *" gpuopt "* ]] || fail "GPUOPT_BUILD_TOOLS=ON builds no command"
grep -q -e -Werror "$scratch/everything/build/compile_commands.json" ||
  fail "GPUOPT_WERROR=ON does not make warnings errors"
exit $failed
