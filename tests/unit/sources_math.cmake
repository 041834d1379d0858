# tests/unit/sources_math.cmake -- the tests of plugins/shared's scalar definitions, and the objects of math_levels_test
set(GPUOPT_MATH_TESTS
  ${CMAKE_CURRENT_LIST_DIR}/math_accuracy_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/math_casts_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/math_levels_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/math_nvrtc_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/math_special_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/scalar_ops_test.cpp)

if(TARGET unit_math_levels_test AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  foreach(level 2 3 4)
    add_library(unit_math_level_v${level} OBJECT ${CMAKE_CURRENT_LIST_DIR}/math_level.cpp)
    target_link_libraries(unit_math_level_v${level} PRIVATE gpuopt_flags gpuopt_abi)
    target_include_directories(unit_math_level_v${level} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(unit_math_level_v${level} PRIVATE GPO_LEVEL=math_level_v${level})
    target_compile_options(unit_math_level_v${level} PRIVATE -O3 -fno-math-errno -fno-trapping-math
      -march=x86-64-v${level} -mprefer-vector-width=512)
    target_sources(unit_math_levels_test PRIVATE $<TARGET_OBJECTS:unit_math_level_v${level}>)
  endforeach()
endif()
