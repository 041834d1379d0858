# tests/unit/sources_random.cmake -- the tests of plugins/shared's generators, and the objects of random_levels_test
set(GPUOPT_RANDOM_TESTS
  ${CMAKE_CURRENT_LIST_DIR}/random_legacy_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/random_levels_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/random_nvrtc_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/random_pcg64_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/random_philox_test.cpp)

if(TARGET unit_random_levels_test AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  foreach(level 2 3 4)
    add_library(unit_random_level_v${level} OBJECT ${CMAKE_CURRENT_LIST_DIR}/random_level.cpp)
    target_link_libraries(unit_random_level_v${level} PRIVATE gpuopt_flags)
    target_include_directories(unit_random_level_v${level} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(unit_random_level_v${level} PRIVATE GPO_LEVEL=random_level_v${level})
    target_compile_options(unit_random_level_v${level} PRIVATE -O3 -fno-math-errno -fno-trapping-math
      -march=x86-64-v${level} -mprefer-vector-width=512)
    target_sources(unit_random_levels_test PRIVATE $<TARGET_OBJECTS:unit_random_level_v${level}>)
  endforeach()
endif()
