// tests/fake_cuda/jit.cpp -- see jit.h.
#include "tests/fake_cuda/jit.h"

#include <dlfcn.h>

#include <memory>
#include <new>
#include <stdexcept>

#include "plugins/jit/api/jit.h"
#include "plugins/jit/api/jit_build.h"

namespace fake_cuda {
namespace {

const gpuopt_jit_api *open_jit() {
  void *const library = dlopen(FAKE_CUDA_JIT, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  const auto query = reinterpret_cast<const gpuopt_jit_api *(*)(const char *)>(dlsym(library, "gpuopt_jit_query"));
  const gpuopt_jit_api *const api = query ? query(gpuopt::jit_build()) : nullptr;
  if (!api) throw std::runtime_error(FAKE_CUDA_JIT " is of another build");
  return api;
}

#if defined(__x86_64__)
constexpr char kProcessor[] = "x86-64-v2";
#else
constexpr char kProcessor[] = "generic";
#endif

}  // namespace

bool has_jit() { return FAKE_CUDA_JIT[0] != 0; }

// As a raw kernel, whatever it is: each thread does what is its own, as on a GPU.
std::string jit_object(const std::string &text, const std::string &kernel, std::string &log) {
  static const gpuopt_jit_api *const api = open_jit();
  const gpuopt_jit_source source{GPUOPT_JIT_RAW, kernel.c_str(), text.c_str(), kProcessor, 0};
  const std::unique_ptr<gpuopt_jit_result, void (*)(gpuopt_jit_result *)> result(api->compile(&source, nullptr),
                                                                                 api->release);
  if (!result) throw std::bad_alloc();
  log = result->log;
  return {result->object, result->object_bytes};
}

std::string jit_id() { return std::string(gpuopt::jit_build()) + kProcessor; }

}  // namespace fake_cuda
