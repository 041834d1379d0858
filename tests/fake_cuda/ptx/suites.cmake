# tests/fake_cuda/ptx/suites.cmake -- the suites that prove the CPU, on the PTX that NVIDIA's compiler makes for its
# oldest and its newest architecture. Those that take seconds are run with all other tests; the others, which compile
# thousands of kernels, by
#   ctest --test-dir build/release -C ptx -L ptx
# NVRTC's PTX is kept in a cache of the backend's own below build/, as is what the fake's other compilers make.
if(GPUOPT_SANITIZE)
  gpuopt_leave_out("cuda/ptx_*" "NVIDIA's compiler does not run under a sanitizer")
  return()
endif()

set(ptx_environment GPUOPT_NVRTC=${fake_cuda_libraries}/libptx_nvrtc.so GPUOPT_CACHE_MAX_BYTES=2147483648
  GPUOPT_CACHE_DIR=${fake_cuda_users}/ptx)
if(GPUOPT_TEST_NVRTC)
  list(APPEND ptx_environment FAKE_CUDA_NVRTC=${GPUOPT_TEST_NVRTC})
endif()

# gpuopt_test_on_ptx(<which> <test> <always|all> <variables...> COMMAND <command...>): the device is of an architecture
# for which the one that NVRTC is said to know has no machine code.
function(gpuopt_test_on_ptx which test when)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "MUST_FAIL" "COMMAND")
  set(capability 90)
  if(which STREQUAL newest)
    set(capability 130)
  endif()
  set(environment ${fake_cuda_environment} ${ptx_environment} FAKE_CUDA_PTX_ARCH=${which}
    FAKE_CUDA_CAPABILITY=${capability})
  set(configurations "")
  if(when STREQUAL all)
    set(configurations CONFIGURATIONS ptx)
  endif()
  set(name cuda/ptx_${which}/${test})
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DTEST=${name} -DCHECK=$<TARGET_FILE:ptx_check>
    "-DMUST_FAIL=${arg_MUST_FAIL}" -P ${PROJECT_SOURCE_DIR}/tests/fake_cuda/ptx/run.cmake -- ${arg_COMMAND}
    ${configurations})
  set_tests_properties(${name} PROPERTIES TIMEOUT 3600 LABELS ptx
    ENVIRONMENT "${environment};${arg_UNPARSED_ARGUMENTS}")
endfunction()

set(samples "")
if(GPUOPT_BUILD_SAMPLES)
  set(samples arguments basics device_memory elementwise_kernel softplus tour vectorize)
  if(TARGET gpuopt_jit)
    list(APPEND samples raw_kernels)
  endif()
endif()

# What kernels get from the driver's own code, or by addresses of functions, the interpreter has not.
set(ptx_lacks AreCalledThroughPointers OfClassesAreVirtual TakeMemoryOfTheHeap ExhaustTheHeapAndGiveItBack
  AssertWhatHolds Print)
list(TRANSFORM ptx_lacks PREPEND DeviceFunctions.)
list(JOIN ptx_lacks ":" ptx_lacks)
set(ptx_arguments_device_function_kernel --gtest_filter=-${ptx_lacks})
gpuopt_leave_out("cuda/ptx_*/device_function_kernel_test: pointers to functions, the heap, assert and printf"
  "the interpreter of PTX has none of them")

set(quick_oldest stream kernel random_kernel ufunc_kernel raw_kernel)
set(quick_newest random_kernel raw_kernel)
foreach(which oldest newest)
  foreach(suite ${suites})
    set(when all)
    if(suite IN_LIST quick_${which})
      set(when always)
    endif()
    gpuopt_test_on_ptx(${which} ${suite}_test ${when} GPUOPT_TEST_DEVICE=cuda!
      COMMAND $<TARGET_FILE:conformance_${suite}_test> ${ptx_arguments_${suite}})
    add_dependencies(conformance_${suite}_test ptx_check ptx_nvrtc)
  endforeach()
  gpuopt_test_on_ptx(${which} same_bits all COMMAND ${CMAKE_COMMAND}
    "-DPROGRAM=$<TARGET_FILE:same_bits>$<SEMICOLON>own"
    -DENVIRONMENTS=GPUOPT_TEST_DEVICE=cuda! -P ${PROJECT_SOURCE_DIR}/tests/conformance/compare_runs.cmake)
  gpuopt_test_on_ptx(${which} random_programs_test all FAKE_CUDA_DEVICES=2 FAKE_CUDA_MEMORY=67108864
    COMMAND $<TARGET_FILE:fake_cuda_random_programs_test>)
  foreach(sample ${samples})
    gpuopt_test_on_ptx(${which} samples/${sample} all COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${sample}>
      -DARGUMENTS=cuda! -DEXPECTED=${CMAKE_CURRENT_BINARY_DIR}/${sample}.txt -DERROR_LINES=0
      -P ${PROJECT_SOURCE_DIR}/samples/check_output.cmake)
  endforeach()
endforeach()

# The same on what the Clang of libgpuopt_jit makes of the kernels. The settings name it, but for one test: there NVRTC
# is missing, and nothing says that Clang is to be taken.
function(gpuopt_test_on_clang test when)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "COMMAND")
  set(configurations "")
  if(when STREQUAL all)
    set(configurations CONFIGURATIONS ptx)
  endif()
  set(name cuda/ptx_clang/${test})
  add_test(NAME ${name} COMMAND ${arg_COMMAND} ${configurations})
  set_tests_properties(${name} PROPERTIES TIMEOUT 3600 LABELS ptx ENVIRONMENT
    "${fake_cuda_environment};${ptx_environment};GPUOPT_NVRTC=${fake_cuda_libraries}/none.so;${arg_UNPARSED_ARGUMENTS}")
endfunction()
if(TARGET gpuopt_jit)
  set(quick_clang raw_kernel)
  foreach(suite ${suites})
    set(when all)
    if(suite IN_LIST quick_clang)
      set(when always)
    endif()
    gpuopt_test_on_clang(${suite}_test ${when} GPUOPT_CUDA_COMPILER=clang GPUOPT_TEST_DEVICE=cuda!
      COMMAND $<TARGET_FILE:conformance_${suite}_test> ${ptx_arguments_${suite}})
    add_dependencies(conformance_${suite}_test gpuopt_jit)
  endforeach()
  gpuopt_test_on_clang(random_kernel_test_without_nvrtc always GPUOPT_TEST_DEVICE=cuda!
    COMMAND $<TARGET_FILE:conformance_random_kernel_test>)
  gpuopt_test_on_clang(same_bits all GPUOPT_CUDA_COMPILER=clang COMMAND ${CMAKE_COMMAND}
    "-DPROGRAM=$<TARGET_FILE:same_bits>$<SEMICOLON>own"
    -DENVIRONMENTS=GPUOPT_TEST_DEVICE=cuda! -P ${PROJECT_SOURCE_DIR}/tests/conformance/compare_runs.cmake)
  gpuopt_test_on_clang(random_programs_test all GPUOPT_CUDA_COMPILER=clang FAKE_CUDA_DEVICES=2
    FAKE_CUDA_MEMORY=67108864 COMMAND $<TARGET_FILE:fake_cuda_random_programs_test>)
  foreach(sample ${samples})
    gpuopt_test_on_clang(samples/${sample} all GPUOPT_CUDA_COMPILER=clang COMMAND ${CMAKE_COMMAND}
      -DPROGRAM=$<TARGET_FILE:${sample}> -DARGUMENTS=cuda! -DEXPECTED=${CMAKE_CURRENT_BINARY_DIR}/${sample}.txt
      -DERROR_LINES=0 -P ${PROJECT_SOURCE_DIR}/samples/check_output.cmake)
  endforeach()
else()
  gpuopt_leave_out("cuda/ptx_clang/*" "libgpuopt_jit is not built")
endif()

# What is broken on purpose in NVRTC's options or in its PTX is seen: the program fails, and says why.
function(gpuopt_broken_ptx name filter said variable)
  gpuopt_test_on_ptx(oldest broken/${name} always MUST_FAIL ${said} GPUOPT_TEST_DEVICE=cuda! GPUOPT_CACHE_MAX_BYTES=0
    "${variable}" COMMAND $<TARGET_FILE:conformance_raw_kernel_test> --gtest_filter=${filter})
endfunction()
if(TARGET gpuopt_jit)
  gpuopt_broken_ptx(contraction Raw.TiledMatmul "may be contracted" FAKE_CUDA_PTX_FMAD=1)
  gpuopt_broken_ptx(opcode Raw.AddsArrays "odd.s64" FAKE_CUDA_PTX_REPLACE=add.s64=odd.s64)
  gpuopt_broken_ptx(barrier Raw.SharedMemoryAndBarriers "FAILED.*Raw.SharedMemoryAndBarriers"
    FAKE_CUDA_PTX_REPLACE=bar.sync=//r.sync)
  gpuopt_broken_ptx(vector Raw.AddsArrays "bytes at 0x[0-9a-f]*, which is not a multiple"
    "FAKE_CUDA_PTX_REPLACE=], {%r=+4], {%r")
  gpuopt_broken_ptx(parameters Raw.TiledMatmul "FAILED.*Raw.TiledMatmul"
    "FAKE_CUDA_PTX_REPLACE=_param_0]=_param_Z]|_param_1]=_param_0]|_param_Z]=_param_1]")
endif()
