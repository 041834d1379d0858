# packaging/toolchains/aarch64-linux-gnu.cmake -- Linux on AArch64, from Debian on another processor: Debian's cross
# compiler and its libraries for arm64 build, qemu runs (`./dev arm64`).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu /usr/lib/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ZLIB_LIBRARY /usr/lib/aarch64-linux-gnu/libz.so)
set(ZLIB_INCLUDE_DIR /usr/include)

find_program(GPUOPT_QEMU NAMES qemu-aarch64-static qemu-aarch64 NO_CMAKE_FIND_ROOT_PATH)
if(GPUOPT_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${GPUOPT_QEMU})
endif()
