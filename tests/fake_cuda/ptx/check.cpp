// tests/fake_cuda/ptx/check.cpp -- `ptx_check --nvrtc` says whether the NVRTC that GPUOPT_NVRTC names works;
// `ptx_check FILE...` reads files of PTX and says what in them is unknown. The exit status is 0 where all is well.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "tests/fake_cuda/ptx/program.h"

namespace {

bool nvrtc_works() {
  const char *const name = std::getenv("GPUOPT_NVRTC");
  void *const library = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
  const auto version = library ? reinterpret_cast<int (*)(int *, int *)>(dlsym(library, "nvrtcVersion")) : nullptr;
  int major = 0, minor = 0;
  return version && version(&major, &minor) == 0;
}

bool is_known(const char *file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  try {
    fake_cuda::ptx::load_module(text.str());
    return true;
  } catch (const fake_cuda::ptx::BadPtx &e) {
    std::printf("%s: %s\n", file, e.what());
    return false;
  }
}

}  // namespace

int main(int count, char **arguments) {
  if (count == 2 && std::strcmp(arguments[1], "--nvrtc") == 0) return nvrtc_works() ? 0 : 1;
  int unknown = 0;
  for (int k = 1; k < count; ++k) unknown += !is_known(arguments[k]);
  std::printf("%d files of PTX, %d with something unknown\n", count - 1, unknown);
  return unknown != 0;
}
