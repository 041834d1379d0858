# plugins/plugin.cmake -- gpuopt_own_plugin: the module of a backend that lives in this tree.

# gpuopt_own_plugin(<name> <more objects...>): libgpuopt_<name>, as any backend is linked (gpuopt_add_plugin), of the
# object library gpuopt_<name>_objects and more; it lies beside the built library where an installed one would.
function(gpuopt_own_plugin name)
  set(objects gpuopt_${name}_objects)
  target_link_libraries(${objects} PUBLIC gpuopt_plugin_host gpuopt_abi gpuopt_flags Threads::Threads ${CMAKE_DL_LIBS}
    PRIVATE gpuopt_hardening)
  target_include_directories(${objects} PUBLIC ${PROJECT_SOURCE_DIR})
  gpuopt_precompile(${objects} ${GPUOPT_COMMON_HEADERS})
  gpuopt_compile_together(${objects})
  gpuopt_add_plugin(${name} $<TARGET_OBJECTS:${objects}> ${ARGN})
  target_link_libraries(gpuopt_${name} PRIVATE gpuopt_plugin_host gpuopt_flags gpuopt_hardening Threads::Threads
    ${CMAKE_DL_LIBS})
  gpuopt_optimized_where_shipped(${objects})
  gpuopt_link_time_optimization(gpuopt_${name})
  set_target_properties(gpuopt_${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${GPUOPT_PLUGIN_SUBDIR})
endfunction()
