# packaging/install.cmake -- what is installed, where, and how other projects find it: CMake (find_package) and
# pkg-config.
#
# Components: runtime (the library, the CPU backend and communication), plugin-cuda, plugin-jit (the compiler of user
# kernels), tools (the commands), dev (what is needed to build programs and backends).
# packaging/packages.cmake makes a package of each.
include(CMakePackageConfigHelpers)
set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpuopt)
set(plugin_dir ${CMAKE_INSTALL_LIBDIR}/${GPUOPT_PLUGIN_SUBDIR})
if(WIN32)  # where the library is; and the programs of the samples, to try it
  set(plugin_dir ${CMAKE_INSTALL_BINDIR}/${GPUOPT_PLUGIN_SUBDIR})
  if(GPUOPT_BUILD_SAMPLES)
    install(TARGETS gpu_optional softplus threefold RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
  endif()
endif()

install(TARGETS gpuopt gpuopt_abi EXPORT gpuoptTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(TARGETS gpuopt_cpu LIBRARY DESTINATION ${plugin_dir} COMPONENT runtime)
foreach(plugin gpuopt_ring gpuopt_mpi)  # small, and of use to every job
  if(TARGET ${plugin})
    install(TARGETS ${plugin} LIBRARY DESTINATION ${plugin_dir} COMPONENT runtime)
  endif()
endforeach()
if(TARGET gpuopt_cuda)
  install(TARGETS gpuopt_cuda LIBRARY DESTINATION ${plugin_dir} COMPONENT plugin-cuda)
  if(TARGET gpuopt_nccl)
    install(TARGETS gpuopt_nccl LIBRARY DESTINATION ${plugin_dir} COMPONENT plugin-cuda)
  endif()
endif()
if(TARGET gpuopt_jit AND NOT GPUOPT_JIT_BUILT)  # with the licenses of what is linked into it
  install(TARGETS gpuopt_jit LIBRARY DESTINATION ${plugin_dir}/jit COMPONENT plugin-jit)
  install(TARGETS gpuopt_jit_helper RUNTIME DESTINATION ${plugin_dir}/jit COMPONENT plugin-jit)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/gpuopt-plugin-jit.copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpuopt-plugin-jit
    RENAME copyright COMPONENT plugin-jit)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

# The commands find the library beside them wherever the whole prefix is moved to.
file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
# gpuopt_install_command(<target> <component>)
function(gpuopt_install_command target component)
  if(TARGET ${target})
    install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  endif()
endfunction()
gpuopt_install_command(gpuopt_command tools)
gpuopt_install_command(gpuopt_aot tools)
gpuopt_install_command(gpuopt_run tools)
gpuopt_install_command(gpuopt_plugin_test dev)
if(GPUOPT_BUILD_TOOLS)
  include(${CMAKE_CURRENT_LIST_DIR}/install_tools.cmake)
endif()

# For those who build against it: headers, samples, CMake's and pkg-config's files.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/abi/gpuopt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/samples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT dev
  REGEX "/samples/CMakeLists\\.txt$" EXCLUDE
  REGEX "/(analyses|standardize)_(rust/Cargo\\.toml|go/go\\.mod)$|/target$" EXCLUDE)
include(${CMAKE_CURRENT_LIST_DIR}/install_bindings.cmake)
set_target_properties(gpuopt_abi PROPERTIES EXPORT_NAME abi)
install(EXPORT gpuoptTargets NAMESPACE gpuopt:: DESTINATION ${cmake_dir} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/packaging/gpuoptConfig.cmake.in gpuoptConfig.cmake
  INSTALL_DESTINATION ${cmake_dir})
write_basic_package_version_file(gpuoptConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gpuoptConfig.cmake ${PROJECT_BINARY_DIR}/gpuoptConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/packaging/gpuoptPlugin.cmake ${PROJECT_SOURCE_DIR}/packaging/plugin.map
  DESTINATION ${cmake_dir} COMPONENT dev)
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
configure_file(${PROJECT_SOURCE_DIR}/packaging/gpuopt.pc.in gpuopt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gpuopt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

if(PROJECT_IS_TOP_LEVEL)  # another project packs what it installs, with names of its own
  include(${CMAKE_CURRENT_LIST_DIR}/packages.cmake)
endif()
