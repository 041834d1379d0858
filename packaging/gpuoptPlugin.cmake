# packaging/gpuoptPlugin.cmake -- gpuopt_add_plugin: makes a backend, linked as every backend must be.
#
# gpuopt_add_plugin(<name> <source>...) makes the target gpuopt_<name>, a file libgpuopt_<name>.so (gpuopt_<name>.dll)
# that exports gpuopt_plugin_query_v1 and nothing else, binds its own symbols to itself, and once loaded stays: what its
# threads and static objects still need at exit is never unmapped. It sees the headers of gpuopt and links to nothing of
# it.
function(gpuopt_add_plugin name)
  set(target gpuopt_${name})
  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map)
  add_library(${target} MODULE ${ARGN})
  target_link_libraries(${target} PRIVATE gpuopt::abi)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${map})
  if(WIN32)
    set_target_properties(${target} PROPERTIES PREFIX "")
  else()
    target_link_options(${target} PRIVATE
      -Wl,-Bsymbolic,-z,nodelete,-z,now,-z,defs,--exclude-libs,ALL,--version-script=${map})
  endif()
endfunction()
