// plugins/cuda/compile/kernel_store.cpp -- kernels of one device: cached in memory, loaded into the driver, each once.
#include "plugins/cuda/compile/kernel_store.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "plugins/cuda/compile/kernel_code.h"

namespace gpuopt::cuda {

// A module that is loaded into the driver, and unloaded with this object. `function` is its kernel; NULL for a user's
// module, which may have several.
struct LoadedModule {
  LoadedModule() = default;
  ~LoadedModule() {
    if (handle) driver().cuModuleUnload(handle);
  }
  LoadedModule(const LoadedModule &) = delete;

  CUmodule handle = nullptr;
  CUfunction function = nullptr;
  std::string log;  // errors of the driver's compiler
};

namespace {

constexpr size_t kLogBytes = 4096;

// Loads code into `module`, with the driver's messages in module.log, and returns the driver's result.
CUresult load(const KernelSource &source, const KernelCode &code, LoadedModule &module) {
  std::string errors(kLogBytes, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {errors.data(), reinterpret_cast<void *>(errors.size())};
  CUresult result = driver().cuModuleLoadDataEx(&module.handle, code.image.c_str(), 2, options, values);
  module.log = errors.substr(0, errors.find('\0'));
  if (result == CUDA_SUCCESS && source.functions.empty()) {
    result = driver().cuModuleGetFunction(&module.function, module.handle, source.entry.c_str());
  } else if (result != CUDA_SUCCESS) {
    module.handle = nullptr;
  }
  return result;
}

// Throws ERR_INTERNAL if the kernel's parameters are not the words that launch() passes. Drivers before CUDA 12.4
// cannot tell.
void check_parameters(Device &device, const KernelSource &source, CUfunction function) {
  if (!driver().cuFuncGetParamInfo) return;
  size_t offset = 0, bytes = 0;
  check(device, driver().cuFuncGetParamInfo(function, 0, &offset, &bytes), source.operation.c_str());
  if (bytes == sizeof(uint64_t) * source.parameter_words) return;
  fail(GPUOPT_ERR_INTERNAL, "%s: its kernel takes %zu bytes of parameters, not %d words", source.operation.c_str(),
       bytes, source.parameter_words);
}

// Throws ERR_UNSUPPORTED if the code's registers do not allow blocks of source.threads. A launch would fail with
// CUDA_ERROR_INVALID_VALUE, which names no cause.
void check_threads(Device &device, const KernelSource &source, CUfunction function) {
  int most = 0;
  check(device, driver().cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
        source.operation.c_str());
  if (source.threads <= most) return;
  fail(GPUOPT_ERR_UNSUPPORTED, "cuda:%d: %s: its kernel %s runs in blocks of at most %d threads here, not %d",
       device.index, source.operation.c_str(), source.entry.c_str(), most, source.threads);
}

}  // namespace

std::string kernel_head(const std::string &entry, int parameter_words, int threads) {
  return "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(threads) + ") " + entry +
         "(const gpo::Words<" + std::to_string(parameter_words) + "> p)";
}

struct KernelStore::State {
  struct Slot {
    std::mutex making;
    std::unique_ptr<Kernel> kernel;
    std::atomic<const Kernel *> made{nullptr};
  };

  explicit State(Device &of) : device(of), codes(process_kernel_code_input(driver().version, of.capability)) {}

  Slot &slot(const std::string &key) {
    const std::unique_lock lock(mutex);
    std::unique_ptr<Slot> &place = slots[key];
    if (!place) place = std::make_unique<Slot>();
    return *place;
  }

  // Gets the code and loads it. Code from a cache may be damaged in spite of its checksum, or made by a compiler that
  // this driver does not accept; if the driver rejects it, it is compiled again.
  std::unique_ptr<Kernel> make(const KernelSource &source) {
    auto module = std::make_unique<LoadedModule>();
    KernelCode code = codes.get(source);
    CUresult result = load(source, code, *module);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_OUT_OF_MEMORY && !code.fresh) {
      log(GPUOPT_LOG_INFO, "cuda.cached_kernel", (source.operation + ": " + error_name(result)).c_str());
      module = std::make_unique<LoadedModule>();
      code = codes.compile(source);
      result = load(source, code, *module);
    }
    check(device, result, source.operation.c_str(), module->log.empty() ? "" : ": " + module->log);
    if (!source.user) {
      check_parameters(device, source, module->function);
      check_threads(device, source, module->function);
    }
    auto kernel = std::make_unique<Kernel>();
    kernel->function = module->function;
    kernel->module = module->handle;
    kernel->functions = source.functions;
    kernel->symbols = std::move(code.symbols);
    kernel->parameter_words = source.parameter_words;
    kernel->threads = source.threads;
    kernel->operation = source.operation;
    const std::unique_lock lock(mutex);
    modules.push_back(std::move(module));
    return kernel;
  }

  Device &device;
  KernelCodes codes;
  std::shared_mutex mutex;
  std::unordered_map<std::string, std::unique_ptr<Slot>> slots;
  std::vector<std::unique_ptr<LoadedModule>> modules;
};

KernelStore::KernelStore(Device &device) : state_(std::make_unique<State>(device)) {}
KernelStore::~KernelStore() = default;

const Kernel *KernelStore::find(const std::string &key) {
  const std::shared_lock lock(state_->mutex);
  const auto place = state_->slots.find(key);
  return place == state_->slots.end() ? nullptr : place->second->made.load(std::memory_order_acquire);
}

const Kernel &KernelStore::add(const std::string &key, const KernelSource &source) {
  State::Slot &slot = state_->slot(key);
  const std::lock_guard lock(slot.making);
  if (!slot.kernel) {
    slot.kernel = state_->make(source);
    slot.made.store(slot.kernel.get(), std::memory_order_release);
  }
  return *slot.kernel;
}

}  // namespace gpuopt::cuda
