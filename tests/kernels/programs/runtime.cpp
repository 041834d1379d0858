// tests/kernels/programs/runtime.cpp -- the part of cuda_runtime.h that runs kernels by the public C ABI. Clang's stubs
// for kernels register themselves by __cudaRegisterFunction and call cudaSetupArgument and cudaLaunch; in place of
// machine code for a GPU run.py gives each file of a program the text of its kernels.
#include "tests/kernels/programs/runtime.h"

#include <cxxabi.h>
#include <gpuopt/gpuopt.h>
#include <malloc.h>

#include <map>

#include "tests/kernels/programs/cuda_runtime.h"

namespace shim {

void give_up(const char *what, const char *why) {
  fflush(nullptr);
  fprintf(stderr, "shim: %s: %s\n", what, why);
  _Exit(90);
}

void check(gpuopt_status status, const gpuopt_error &error, const char *what) {
  if (status != GPUOPT_OK) give_up(what, error.message);
}

gpuopt_device device() {
  static const gpuopt_device cpu = [] {
    gpuopt_device made = nullptr;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    check(gpuopt_device_open("cpu", nullptr, &made, &error), error, "gpuopt_device_open");
    return made;
  }();
  return cpu;
}

}  // namespace shim

namespace {

using shim::check;
using shim::device;
using shim::give_up;

struct Module {
  const char *text;
  std::vector<std::string> names;
  std::vector<gpuopt_kernel> kernels;
};
struct Entry {
  Module *module;
  size_t number;
  std::string parameters;
};
struct Variable {
  Module *module;
  std::string name;
};
struct Configuration {
  dim3 grid, block;
  size_t shared;
  std::vector<std::vector<char>> arguments;
};
struct State {
  std::vector<size_t> *sizes = nullptr;  // where Clang's stub of a kernel only says how large its parameters are
  std::map<const void *, Entry> kernels;
  std::map<const void *, Variable> variables;
  std::vector<Configuration> calls;
  cudaError_t last = cudaSuccess;
  bool lost = false;  // an assertion of a kernel failed, after which every call of CUDA's fails
};
State &state() {
  static State *const value = new State;
  return *value;
}

bool runs_nothing() {
  const char *const launches = getenv("SHIM_LAUNCHES");
  return launches && !strcmp(launches, "none");
}

std::string demangled(const char *name) {
  char *const text = abi::__cxa_demangle(name, nullptr, nullptr, nullptr);
  std::string made = text ? text : name;
  free(text);
  const std::string hidden = "(anonymous namespace)::";
  for (size_t at; (at = made.find(hidden)) != std::string::npos;) made.erase(at, hidden.size());
  return made;
}

// "void k<float>(float *, int)" as {"k<float>", "float *, int"}.
std::pair<std::string, std::string> name_and_parameters(const std::string &signature) {
  size_t end = signature.size();
  std::string parameters;
  if (end && signature[end - 1] == ')') {
    int depth = 0;
    size_t at = end;
    do {
      --at;
      depth += (signature[at] == ')') - (signature[at] == '(');
    } while (depth && at);
    parameters = signature.substr(at + 1, end - at - 2);
    end = at;
  }
  int depth = 0;
  for (size_t at = end; at > 0; --at) {
    const char sign = signature[at - 1];
    depth += (sign == '>' || sign == ')') - (sign == '<' || sign == '(');
    if (sign == ' ' && depth == 0) return {signature.substr(at, end - at), parameters};
  }
  return {signature.substr(0, end), parameters};
}

void make(Module &module) {
  if (!module.kernels.empty()) return;
  std::vector<const char *> names;
  for (const std::string &name : module.names) names.push_back(name.c_str());
  module.kernels.resize(names.size());
  if (names.empty()) give_up("a variable", "the file has no kernel");
  gpuopt_error error = GPUOPT_ERROR_INIT;
  check(gpuopt_raw_module(module.text, int(names.size()), names.data(), module.kernels.data(), &error), error,
        "gpuopt_raw_module");
}

cudaError_t start(const void *function, const Configuration &how) {
  const auto found = state().kernels.find(function);
  if (found == state().kernels.end()) give_up("a kernel", "it was never registered");
  const unsigned grid[] = {how.grid.x, how.grid.y, how.grid.z}, block[] = {how.block.x, how.block.y, how.block.z};
  const unsigned long long threads = 1ull * block[0] * block[1] * block[2];
  if (!(grid[0] && grid[1] && grid[2]) || threads == 0 || threads > 1024) {
    return state().last = cudaErrorInvalidConfiguration;  // as CUDA says, too
  }
  // With SHIM_LAUNCHES=none nothing runs, so that a program's own comparison of results is seen to fail.
  if (runs_nothing()) return cudaSuccess;
  Module &module = *found->second.module;
  make(module);
  const char *const name = module.names[found->second.number].c_str();
  std::vector<gpuopt_raw_argument> list;
  for (const std::vector<char> &bytes : how.arguments) list.push_back({nullptr, bytes.data(), bytes.size()});
  const std::vector<gpuopt_dtype> dtypes(list.size() + 1, gpuopt_dtype(GPUOPT_RAW_ANY));
  gpuopt_raw_launch_options options = GPUOPT_RAW_LAUNCH_OPTIONS_INIT;
  options.flags = GPUOPT_RAW_REINTERPRET;
  options.device = device();
  options.dtypes = dtypes.data();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  fflush(stdout);  // a kernel may print
  const gpuopt_status status =
      gpuopt_raw_kernel_launch(module.kernels[found->second.number], grid, block, unsigned(how.shared),
                               int(list.size()), list.data(), &options, &error);
  if (status == GPUOPT_ERR_KERNEL_FAULT && strstr(error.message, "assertion failed")) {
    fprintf(stderr, "shim: %s\n", error.message);
    return state().lost = true, state().last = cudaErrorAssert;
  }
  check(status, error, name);
  check(gpuopt_device_synchronize(device(), &error), error, name);
  return cudaSuccess;
}

}  // namespace

extern "C" {
void **__cudaRegisterFatBinary(void *wrapper) {
  struct Wrapper {
    int magic, version;
    const char *data;
  };
  return reinterpret_cast<void **>(new Module{static_cast<Wrapper *>(wrapper)->data, {}, {}});
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
void __cudaRegisterFunction(void **handle, const char *host, char *, const char *name, int, void *, void *, void *,
                            void *, int *) {
  auto &module = *reinterpret_cast<Module *>(handle);
  const auto [plain, parameters] = name_and_parameters(demangled(name));
  std::string chosen = plain;
  for (auto &[address, entry] : state().kernels) {
    if (entry.module != &module || module.names[entry.number] != plain) continue;
    chosen = plain + "(" + parameters + ")";
    module.names[entry.number] = plain + "(" + entry.parameters + ")";
  }
  state().kernels[host] = {&module, module.names.size(), parameters};
  module.names.push_back(chosen);
}
void __cudaRegisterTexture(void **handle, const textureReference *host, const void **, const char *name, int, int,
                           int) {
  state().variables[host] = {reinterpret_cast<Module *>(handle), demangled(name)};
}
void __cudaRegisterVar(void **handle, char *host, char *, const char *name, int, size_t, int, int) {
  state().variables[host] = {reinterpret_cast<Module *>(handle), demangled(name)};
}

cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared, cudaStream_t) {
  state().calls.push_back({grid, block, shared, {}});
  return cudaSuccess;
}
cudaError_t cudaSetupArgument(const void *argument, size_t bytes, size_t) {
  if (state().sizes) return state().sizes->push_back(bytes), cudaSuccess;
  const char *const from = static_cast<const char *>(argument);
  state().calls.back().arguments.emplace_back(from, from + bytes);
  return cudaSuccess;
}
cudaError_t cudaLaunch(const void *kernel) {
  if (state().sizes) return cudaSuccess;
  const Configuration how = state().calls.back();
  state().calls.pop_back();
  return shim::submitted([=] { return start(kernel, how); });
}
cudaError_t cudaGetLastError() {
  const cudaError_t last = state().last;
  if (!state().lost) state().last = cudaSuccess;
  return last;
}
cudaError_t cudaDeviceSynchronize() { return state().lost ? cudaErrorAssert : cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return state().last; }
const char *cudaGetErrorString(cudaError_t error) { return error ? "an error" : "no error"; }
const char *cudaGetErrorName(cudaError_t error) { return error ? "cudaErrorUnknown" : "cudaSuccess"; }
}

namespace shim {

// The sizes of a kernel's parameters, whose values its stub only takes the addresses of; so any will do, and there are
// enough of them on the stack for parameters of 4096 bytes, as many as CUDA allows.
std::vector<size_t> sizes_of(const void *kernel) {
  struct Most {
    char bytes[4096];
  };
  std::vector<size_t> sizes;
  state().sizes = &sizes;
  reinterpret_cast<void (*)(long, long, long, long, long, long, Most)>(const_cast<void *>(kernel))(0, 0, 0, 0, 0, 0,
                                                                                                   {});
  state().sizes = nullptr;
  return sizes;
}

void *allocate(size_t bytes) {
  void *const memory = aligned_alloc(256, (bytes + 255) / 256 * 256 + 256);
  if (memory) memset(memory, 0xa5, bytes);
  return memory;
}

size_t allocated_behind(const void *memory) { return malloc_usable_size(const_cast<void *>(memory)); }

cudaError_t copy_variable(const void *variable, const char *name, void *to, const void *from, size_t bytes,
                          size_t offset) {
  if (runs_nothing()) return cudaSuccess;
  const Variable *found = nullptr;
  for (const auto &[address, each] : state().variables) {
    if (address == variable || (name && each.name == name)) found = &each;
  }
  if (!found) return state().last = cudaErrorInvalidSymbol;
  make(*found->module);
  gpuopt_raw_launch_options options = GPUOPT_RAW_LAUNCH_OPTIONS_INIT;
  options.device = device();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const gpuopt_kernel kernel = found->module->kernels[0];
  const gpuopt_status status =
      to ? gpuopt_raw_kernel_get_global(kernel, found->name.c_str(), offset, to, bytes, &options, &error)
         : gpuopt_raw_kernel_set_global(kernel, found->name.c_str(), offset, from, bytes, &options, &error);
  check(status, error, found->name.c_str());
  return cudaSuccess;
}

Work launch_work(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared) {
  Configuration how{grid, block, shared, {}};
  if (!state().kernels.count(kernel)) give_up("a kernel", "it was never registered");
  const std::vector<size_t> sizes = sizes_of(kernel);
  for (size_t k = 0; k < sizes.size(); ++k) {
    const char *const from = static_cast<const char *>(arguments[k]);
    how.arguments.emplace_back(from, from + sizes[k]);
  }
  return [=] { return start(kernel, how); };
}

void properties(cudaDeviceProp *all) {
  *all = {};
  strcpy(all->name, "gpuopt on the CPU");
  all->major = 7, all->minor = 5, all->multiProcessorCount = 4, all->maxThreadsPerBlock = 1024, all->warpSize = 32;
  all->clockRate = 1000000, all->memoryClockRate = 1000000, all->memoryBusWidth = 64;
  all->totalGlobalMem = size_t(8) << 30, all->sharedMemPerBlock = 49152, all->sharedMemPerBlockOptin = 65536;
  all->sharedMemPerMultiprocessor = 65536, all->totalConstMem = 65536, all->memPitch = size_t(1) << 31;
  all->textureAlignment = 256, all->regsPerBlock = 65536, all->regsPerMultiprocessor = 65536;
  all->maxThreadsPerMultiProcessor = 1024, all->maxBlocksPerMultiProcessor = 16, all->l2CacheSize = 1 << 20;
  const int block[] = {1024, 1024, 64}, grid[] = {2147483647, 65535, 65535};
  for (int k = 0; k < 3; ++k) all->maxThreadsDim[k] = block[k], all->maxGridSize[k] = grid[k];
  all->canMapHostMemory = all->managedMemory = all->unifiedAddressing = all->cooperativeLaunch = 1;
  all->deviceOverlap = all->asyncEngineCount = 1, all->concurrentKernels = all->concurrentManagedAccess = 1;
}

}  // namespace shim
