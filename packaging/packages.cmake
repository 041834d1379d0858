# packaging/packages.cmake -- what CPack makes of the installed files: a package of each component, for each kind of
# system.
#
# ./dev package runs it. What differs between the kinds is in packaging/generator.cmake, what Debian wants in
# packaging/debian.
set(CPACK_PACKAGE_NAME gpuopt)
set(CPACK_PACKAGE_VENDOR "gpuopt")
set(CPACK_PACKAGE_CONTACT "gpuopt maintainers <maintainers@gpuopt.invalid>")
# The project has no public address yet; who builds packages for a place that has one names it. The field is left out
# without.
set(GPUOPT_HOMEPAGE "" CACHE STRING "The project's page, for the packages' field Homepage")
if(GPUOPT_HOMEPAGE)
  set(CPACK_PACKAGE_HOMEPAGE_URL ${GPUOPT_HOMEPAGE})
endif()
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/packaging/generator.cmake)
if(WIN32)
  set(CPACK_GENERATOR ZIP)
  find_program(GPUOPT_MAKENSIS makensis)
  if(GPUOPT_MAKENSIS)
    list(APPEND CPACK_GENERATOR NSIS)
  endif()
else()
  set(CPACK_GENERATOR DEB RPM TGZ)
endif()

# Debian's packages, and RPM's of the same names but for headers.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0upstream1)  # older than any revision of a distribution's own
set(CPACK_DEBIAN_PACKAGE_SOURCE gpuopt)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_RELEASE 1)
set(CPACK_RPM_COMPRESSION_TYPE xz)
# CPack knows one license for all packages; rpm evaluates this in each.
# packaging/debian/gpuopt-plugin-jit.copyright says what each is of; tests/packages/check_fields.py compares the two.
set(jit_license "Apache-2.0 AND Apache-2.0 WITH LLVM-exception AND BSD-3-Clause AND BSD-2-Clause AND ISC AND \
Unicode-DFS-2016 AND LicenseRef-Unicode-ConvertUTF AND (CC0-1.0 OR Apache-2.0) AND LicenseRef-Public-Domain")
set(CPACK_RPM_PACKAGE_LICENSE "%[\"%{name}\" == \"gpuopt-plugin-jit\" ? \"${jit_license}\" : \"Apache-2.0\"]")
set(CPACK_RPM_PACKAGE_GROUP System/Libraries)

# Archives.
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_FILE_NAME gpuopt-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})

# gpuopt_package(<component> <Debian's name> <RPM's name> <Debian's section>
#   <its Multi-Arch, or no> <summary> <description>)
function(gpuopt_package component deb rpm section multi_arch summary description)
  string(TOUPPER ${component} upper)
  macro(gpuopt_package_set variable value)
    set(${variable} "${value}" PARENT_SCOPE)
  endmacro()
  gpuopt_package_set(CPACK_COMPONENT_${upper}_DISPLAY_NAME "${summary}")
  gpuopt_package_set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${description}")
  gpuopt_package_set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${deb})
  if(multi_arch STREQUAL "no")
    gpuopt_package_set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  elseif(CMAKE_VERSION VERSION_GREATER_EQUAL 3.31)
    gpuopt_package_set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
    gpuopt_package_set(CPACK_DEBIAN_${upper}_PACKAGE_MULTIARCH ${multi_arch})
  else()  # CPack has no word for the field: it writes this one as it is, and the next line is a field of its own
    gpuopt_package_set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION "${section}\nMulti-Arch: ${multi_arch}")
  endif()
  gpuopt_package_set(CPACK_RPM_${upper}_PACKAGE_NAME ${rpm})
  gpuopt_package_set(CPACK_RPM_${upper}_PACKAGE_SUMMARY "${summary}")
  gpuopt_package_set(CPACK_RPM_${upper}_PACKAGE_DESCRIPTION "${description}")
  gpuopt_package_set(CPACK_ARCHIVE_${upper}_FILE_NAME ${CPACK_PACKAGE_FILE_NAME}-${component})
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

# Lines as Debian wants them, below 80 characters.
set(about "gpuopt runs array programs on any processor: a program asks for a device by
name, and where that device cannot work it gets the CPU, one precise
warning, and the same numbers. Its interface is C99, with a C++17 face;
backends are plugins found at run time.
")

# Libraries lie below the directory of their processor, so that those of several processors can be installed together
# ("same"); a command serves programs of any processor ("foreign"). libgpuopt-dev has a command for authors of backends,
# and is neither.
gpuopt_package(runtime libgpuopt1 libgpuopt1 libs same "arrays on any processor behind one C ABI" "${about}
This package has the library and its CPU backend.")
set(CPACK_COMPONENT_RUNTIME_REQUIRED ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "libopenblas0 | libblas.so.3, gpuopt-plugin-jit")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "gpuopt-plugin-cuda, gpuopt-tools")
set(CPACK_RPM_RUNTIME_POST_INSTALL_SCRIPT_FILE ${PROJECT_SOURCE_DIR}/packaging/rpm/ldconfig.sh)
set(CPACK_RPM_RUNTIME_POST_UNINSTALL_SCRIPT_FILE ${PROJECT_SOURCE_DIR}/packaging/rpm/ldconfig.sh)

# NVIDIA's packages are named by their CUDA version; Debian's own are in non-free. None is needed to install the plugin.
# Those of CUDA 12 come first: they work with drivers of CUDA 12 and 13, and NVRTC 13 with the latter alone.
set(nvrtc "cuda-nvrtc-12-9 | cuda-nvrtc-12-8 | cuda-nvrtc-12-6 | cuda-nvrtc-12-4 | libnvrtc12 | cuda-nvrtc-13-0")
set(cublas "libcublas-12-9 | libcublas-12-8 | libcublas-12-6 | libcublas-12-4 | libcublas12 | libcublas-13-0")
set(cusolver "libcusolver-12-9 | libcusolver-12-8 | libcusolver-12-6 | libcusolver-12-4 | libcusolver11")
string(APPEND cusolver " | libcusolver-13-0")
set(cufft "libcufft-12-9 | libcufft-12-8 | libcufft-12-6 | libcufft-12-4 | libcufft11 | libcufft-13-0")
if(TARGET gpuopt_cuda)
  gpuopt_package(plugin-cuda gpuopt-plugin-cuda gpuopt-plugin-cuda libs same "gpuopt backend for NVIDIA's GPUs"
    "${about}
This package has the backend for NVIDIA's GPUs. It needs NVIDIA's driver,
525 or newer, when it is used, and NVRTC of CUDA 12 or 13 to compile
kernels; where speed counts more than bits, matrix products are cuBLAS's,
decompositions cuSOLVER's and Fourier transforms cuFFT's. None of them is
linked: without a driver programs run on the CPU.")
  set(CPACK_COMPONENT_PLUGIN-CUDA_DEPENDS runtime)
  # The same bits on every device are promised of backends made from the same source.
  set(CPACK_DEBIAN_PLUGIN-CUDA_PACKAGE_DEPENDS "libgpuopt1 (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
  set(CPACK_DEBIAN_PLUGIN-CUDA_PACKAGE_ENHANCES "libgpuopt1")
  set(CPACK_DEBIAN_PLUGIN-CUDA_PACKAGE_RECOMMENDS "${nvrtc}")
  set(CPACK_DEBIAN_PLUGIN-CUDA_PACKAGE_SUGGESTS "libcuda1, libnccl2, ${cublas}, ${cusolver}, ${cufft}")
  set(CPACK_RPM_PLUGIN-CUDA_PACKAGE_REQUIRES "libgpuopt1 = ${PROJECT_VERSION}-${CPACK_RPM_PACKAGE_RELEASE}")
endif()

if(TARGET gpuopt_jit)
  gpuopt_package(plugin-jit gpuopt-plugin-jit gpuopt-plugin-jit libs same "compiler for gpuopt's CPU backend" "${about}
This package has the compiler for devices that are the CPU: of kernels that
programs give as CUDA C++ text, and, in the background, of array programs
that run often, which without it stay interpreted. It is Clang and LLVM, in
one file that nothing else sees. What it has compiled is kept on disk, and
runs without it.")
  set(CPACK_COMPONENT_PLUGIN-JIT_DEPENDS runtime)
  # It serves the CPU backend of its own build alone.
  set(CPACK_DEBIAN_PLUGIN-JIT_PACKAGE_DEPENDS "libgpuopt1 (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
  set(CPACK_DEBIAN_PLUGIN-JIT_PACKAGE_ENHANCES "libgpuopt1")
  set(CPACK_RPM_PLUGIN-JIT_PACKAGE_REQUIRES "libgpuopt1 = ${PROJECT_VERSION}-${CPACK_RPM_PACKAGE_RELEASE}")
endif()

gpuopt_package(dev libgpuopt-dev gpuopt-devel libdevel no "development files of gpuopt" "${about}
This package has what programs and backends are built with: headers,
CMake's and pkg-config's files, the bindings for Rust and Go as source,
samples, and a backend to start from.")
set(CPACK_COMPONENT_DEV_DEPENDS runtime)
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "pkg-config, cmake, cargo, golang-go")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libgpuopt1 (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_RPM_DEV_PACKAGE_REQUIRES "libgpuopt1 = ${PROJECT_VERSION}-${CPACK_RPM_PACKAGE_RELEASE}")

if(TARGET gpuopt_command)
  gpuopt_package(tools gpuopt-tools gpuopt-tools utils foreign "command that shows what gpuopt finds on this machine"
    "${about}
This package has the command gpuopt: it lists backends and devices, and
says what is in the way of the best device.")
  set(CPACK_COMPONENT_TOOLS_DEPENDS runtime)
endif()

# Debian's alone (packaging/generator.cmake): other systems have a place for each version of Python, and wheels.
if(GPUOPT_BUILD_PYTHON)
  gpuopt_package(python python3-gpuopt python3-gpuopt python no "NumPy's and CuPy's functions on any processor"
    "${about}
This package has the module gpuopt for Python 3.")
  set(CPACK_COMPONENT_PYTHON_DEPENDS runtime)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3:any (>= 3.10), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "gpuopt-plugin-jit")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/python/postinst
    ${PROJECT_SOURCE_DIR}/packaging/debian/python/prerm)
endif()

include(CPack)
