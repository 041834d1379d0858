# packaging/recipes/vcpkg/portfile.cmake -- vcpkg's port.
vcpkg_from_git(
  OUT_SOURCE_PATH SOURCE_PATH
  URL https://gpuopt.invalid/gpuopt.git
  REF 0000000000000000000000000000000000000000)
vcpkg_check_features(OUT_FEATURE_OPTIONS features
  FEATURES
    cuda GPUOPT_BUILD_CUDA
    tools GPUOPT_BUILD_TOOLS)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DGPUOPT_BUILD_TESTS=OFF
    -DGPUOPT_BUILD_SAMPLES=OFF
    -DGPUOPT_WERROR=OFF
    ${features})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/gpuopt)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES gpuopt AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
