# tests/fake_cuda/ahead.cmake -- compiles what PROGRAM will want of the fake NVRTC, many kernels at a time; cmake -P
# with these set:
#   PROGRAM      run once with FAKE_CUDA_AHEAD=1; what it computes then is rubbish, and so is its exit status
#   DIRECTORY    where compiled kernels lie (compiler.h)
#   SOURCE       the source tree: done once for all builds of it, until something changes that may change the kernels
cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE files ${SOURCE}/abi/*.def ${SOURCE}/core/* ${SOURCE}/plugins/cuda/* ${SOURCE}/plugins/shared/*
  ${SOURCE}/tests/conformance/* ${SOURCE}/tests/fake_cuda/* ${SOURCE}/tests/unit/*.h)
set(hashes "")
foreach(file ${files})
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
get_filename_component(name ${PROGRAM} NAME)
string(SUBSTRING ${hash} 0 16 hash)
set(done ${DIRECTORY}/ahead_${name}_$ENV{GPUOPT_TEST_PAIRS}${hash})
if(EXISTS ${done})
  message(STATUS "${name}: compiled before")
  return()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env FAKE_CUDA_AHEAD=1 ${PROGRAM} OUTPUT_QUIET ERROR_VARIABLE errors)
if(errors MATCHES "fake_cuda: [^\n]*(together|cannot)")
  message(FATAL_ERROR "${errors}")
endif()
file(MAKE_DIRECTORY ${done})
message(STATUS "${name}: compiled")
