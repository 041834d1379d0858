# tests/unit/sources_math.cmake -- the tests of plugins/shared's scalar definitions
set(GPUOPT_MATH_TESTS
  ${CMAKE_CURRENT_LIST_DIR}/math_nvrtc_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/scalar_ops_test.cpp)
