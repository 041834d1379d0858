# packaging/install.cmake -- what is installed, where, and how other projects find it: CMake (find_package) and pkg-config.
include(CMakePackageConfigHelpers)
set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpuopt)

install(TARGETS gpuopt gpuopt_abi EXPORT gpuoptTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS gpuopt_cpu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${GPUOPT_PLUGIN_SUBDIR} COMPONENT library)
if(GPUOPT_BUILD_CUDA)
  install(TARGETS gpuopt_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${GPUOPT_PLUGIN_SUBDIR} COMPONENT cuda)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/abi/gpuopt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")

if(GPUOPT_BUILD_TOOLS)
  install(TARGETS gpuopt_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  # Found beside the library wherever the whole prefix is moved to.
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(gpuopt_command PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  include(${PROJECT_SOURCE_DIR}/packaging/install_tools.cmake)
endif()

set_target_properties(gpuopt_abi PROPERTIES EXPORT_NAME abi)
install(EXPORT gpuoptTargets NAMESPACE gpuopt:: DESTINATION ${cmake_dir} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/packaging/gpuoptConfig.cmake.in gpuoptConfig.cmake
  INSTALL_DESTINATION ${cmake_dir})
write_basic_package_version_file(gpuoptConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gpuoptConfig.cmake ${PROJECT_BINARY_DIR}/gpuoptConfigVersion.cmake
  DESTINATION ${cmake_dir} COMPONENT development)

file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/packaging/gpuopt.pc.in gpuopt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gpuopt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)
