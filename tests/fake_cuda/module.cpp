// tests/fake_cuda/module.cpp -- the fake's cubin, kernels and their launches.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "tests/fake_cuda/arena.h"
#include "tests/fake_cuda/block_runner.h"
#include "tests/fake_cuda/call.h"
#include "tests/fake_cuda/image.h"
#include "tests/fake_cuda/jit_file.h"
#include "tests/fake_cuda/jit_library.h"
#include "tests/fake_cuda/ptx/library.h"
#include "tests/fake_cuda/queue.h"

namespace fake_cuda {
namespace {

constexpr size_t kSharedLimit = 48 << 10;
constexpr size_t kParameterLimit = 4096;

// What stands for a kernel that is compiled later: takes its parameters and does nothing.
std::shared_ptr<Library> library_of_nothing(const std::string &path) {
  struct Nothing : Library {
    Indices places() { return {words[0], words[1], words[2], words[3]}; }
    unsigned words[4][3] = {};
    unsigned long sizes[2] = {};
    KernelEntry entry = {"nothing", [](void *const *) {}, sizes, 1, 1024};
    KernelLibrary library = {&entry, 1, nullptr, [] {}, [] { return 0ul; }};
  };
  auto made = std::make_shared<Nothing>();
  made->path = path;
  made->sizes[0] = std::stoul(path.substr(sizeof kNothing - 1));
  made->indices = made->places();
  made->table = &made->library;
  return made;
}

bool is_nothing(const std::string &path) { return path.compare(0, sizeof kNothing - 1, kNothing) == 0; }

// A user's kernels, each time anew: a module's variables are its own.
std::shared_ptr<Library> users_library(const std::string &path) {
  try {
    return open_jit_library(path);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "fake_cuda: %s: %s\n", path.c_str(), e.what());
    refuse(CUDA_ERROR_INVALID_IMAGE);
  }
}

std::shared_ptr<Library> open_library(State &s, const std::string &path) {
  if (is_jit_file(path)) return users_library(path);
  auto &library = s.libraries[path];
  if (library) return library;
  if (is_nothing(path)) return library = library_of_nothing(path);
  static void *const math = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);  // kernels may call it, and do not name it
  void *opened = math ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  const void *table = opened ? dlsym(opened, "fake_cuda_library") : nullptr;
  if (!table) {
    std::fprintf(stderr, "fake_cuda: %s\n", dlerror());
    refuse(CUDA_ERROR_INVALID_IMAGE);
  }
  auto made = std::make_shared<Library>();
  made->path = path;
  made->table = static_cast<const KernelLibrary *>(table);
  made->table->bind(&kernel_table(), &made->indices);
  made->meets = dlsym(opened, "fake_cuda_meet") != nullptr;
  return library = made;
}

// A cubin runs on its own major version, from its minor version on; PTX on anything newer, if the driver knows its
// version.
void check_target(const State &s, const Image &image) {
  if (image.ptx) {
    if (image.toolkit > s.driver_version / 10) refuse(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    if (image.arch > s.capability) refuse(CUDA_ERROR_NO_BINARY_FOR_GPU);
  } else if (image.arch / 10 != s.capability / 10 || image.arch > s.capability) {
    refuse(CUDA_ERROR_NO_BINARY_FOR_GPU);
  }
}

void check_shared(const Library &library) {
  const KernelLibrary &table = *library.table;
  for (int i = 0; i < table.count; ++i) {
    const size_t bytes = library.shared_bytes(table.entries[i]);
    if (bytes <= kSharedLimit * size_t(library.raw.empty() && !library.ptx ? table.count : 1)) continue;
    violation("%zu bytes of __shared__ memory", bytes);
    refuse(CUDA_ERROR_INVALID_IMAGE);
  }
}

// What a compiler made for a GPU. A form of it that is not known here is named, and fails the test.
std::shared_ptr<Library> open_gpu_code(const State &s, const char *text) {
  try {
    auto library = open_ptx(text);
    Image image;
    image.ptx = true;
    image.arch = library->ptx->text.target;
    image.toolkit = toolkit_of(*library->ptx);
    check_target(s, image);
    return library;
  } catch (const ptx::BadPtx &e) {
    violation("PTX: %s", e.what());
    refuse(CUDA_ERROR_INVALID_IMAGE);
  }
}

std::shared_ptr<Library> open_image(State &s, const char *bytes) {
  Image image;
  if (is_ptx(bytes)) return open_gpu_code(s, bytes);
  if (!read_image(bytes, image)) refuse(CUDA_ERROR_INVALID_IMAGE);
  check_target(s, image);
  return open_library(s, image.path);
}

CUmodule load(State &s, const void *bytes) {
  Context &context = current();
  auto library = open_image(s, static_cast<const char *>(bytes));
  check_shared(*library);
  auto made = s.modules.add(std::make_shared<Module>(), s.last_handle);
  made->context = &context;
  made->library = library;
  return made->handle;
}

// Where many kernels were compiled together, a kernel's name follows that of the library it would be alone in.
bool is_called(const KernelEntry &entry, const std::string &path, const char *name) {
  return std::strcmp(entry.name, name) == 0 || is_nothing(path) ||
         entry.name == std::filesystem::path(path).stem().string() + "/" + name;
}
const char *name_of(const KernelEntry &entry) {
  const char *behind = std::strrchr(entry.name, '/');
  return behind ? behind + 1 : entry.name;
}

CUfunction function_of(State &s, Module &module, const char *name) {
  const KernelLibrary &table = *module.library->table;
  for (int i = 0; i < table.count; ++i) {
    if (!is_called(table.entries[i], module.library->path, name)) continue;
    auto made = s.functions.add(std::make_shared<Function>(), s.last_handle);
    made->context = module.context;
    made->library = module.library;
    made->entry = &table.entries[i];
    module.functions.push_back(made->handle);
    return made->handle;
  }
  refuse(CUDA_ERROR_NOT_FOUND);
}

int threads_limit(const State &s, const Function &function) {
  return std::min(s.threads_limit, function.entry->threads_limit);
}

size_t parameter_bytes(const KernelEntry &entry) {
  size_t sum = 0;
  for (int i = 0; i < entry.parameters; ++i) sum += (entry.sizes[i] + 7) / 8 * 8;
  return sum;
}

// A launch that waits: its parameters were copied.
struct Launch {
  std::shared_ptr<Function> function;
  Context *context;
  unsigned grid[3], block[3], shared_bytes;
  std::vector<std::vector<char>> arguments;
  bool cooperative = false;
};

Context *running_context = nullptr;

// What a kernel may use besides its own variables: live device memory its device reaches, and pinned memory.
Window find_window(unsigned long address, unsigned long bytes) {
  if (address - arena_begin() < arena_bytes()) {
    Block *block = find_block(address, bytes);
    if (!block || !block->live || !reaches(*running_context, *block)) return {0, 0};
    open_block(*block);
    return {block->base, block->bytes};
  }
  auto &pinned = State::get().pinned;
  auto behind = pinned.upper_bound(address);
  if (behind == pinned.begin()) return {0, 0};
  const auto &[base, size] = *std::prev(behind);
  return address + bytes <= base + size ? Window{base, size} : Window{0, 0};
}

void note(State &s, const Launch &launch, const Outcome &outcome) {
  const KernelTable &table = kernel_table();
  fake_cuda_launch noted = {};
  std::snprintf(noted.name, sizeof noted.name, "%s", name_of(*launch.function->entry));
  std::copy_n(launch.grid, 3, noted.grid);
  std::copy_n(launch.block, 3, noted.block);
  noted.loads = table.reads;
  noted.stores = table.writes;
  noted.bytes_loaded = table.bytes_read;
  noted.bytes_stored = table.bytes_written;
  noted.bytes_fetched = outcome.bytes_fetched;
  if (s.launches.size() < 65536) s.launches.push_back(noted);
  ++s.counters.launches;
  s.clock += (table.bytes_read + table.bytes_written) / 100;
}

// A kernel of PTX; what it counted stands where a compiled kernel's hooks count.
Outcome run_ptx(const Launch &launch, void *const *arguments) {
  Outcome outcome = {};
  ptx::Launch run = ptx_launch(*launch.function->library, *launch.function->entry, arguments);
  std::copy_n(launch.grid, 3, run.grid);
  std::copy_n(launch.block, 3, run.block);
  run.dynamic_shared = launch.shared_bytes;
  run.cooperative = launch.cooperative;
  run.find = [](uint64_t address, uint64_t bytes) {
    const Window window = find_window(address, bytes);
    return ptx::Launch::Range{window.base, window.size};
  };
  KernelTable &table = kernel_table();
  try {
    const ptx::Counts counts = ptx::run(run);
    table.reads = counts.loads;
    table.writes = counts.stores;
    table.bytes_read = counts.bytes_loaded;
    table.bytes_written = counts.bytes_stored;
  } catch (const ptx::Fault &fault) {
    outcome.code = fault.code;
    std::snprintf(outcome.message, sizeof outcome.message, "%s", fault.message.c_str());
  }
  return outcome;
}

void end_launch(State &s, const Launch &launch, const Outcome &outcome) {
  note(s, launch, outcome);
  if (outcome.code == CUDA_SUCCESS) return;
  if (outcome.code != CUDA_ERROR_ASSERT) violation("kernel %s: %s", name_of(*launch.function->entry), outcome.message);
  refuse(outcome.code);
}

void run_launch(const Launch &launch) {
  State &s = State::get();
  std::vector<void *> arguments;
  for (auto &argument : launch.arguments) arguments.push_back(const_cast<char *>(argument.data()));
  const Library &library = *launch.function->library;
  running_context = launch.context;
  if (library.ptx) return end_launch(s, launch, run_ptx(launch, arguments.data()));
  Run run = {library.table,
             launch.function->entry,
             &library.indices,
             library.meets,
             {},
             {},
             s.cache_bytes,
             arguments.data(),
             library.raw_of(*launch.function->entry),
             launch.shared_bytes};
  std::copy_n(launch.grid, 3, run.grid);
  std::copy_n(launch.block, 3, run.block);
  end_launch(s, launch, run_kernel(run, {find_window}));
}

// Beyond 48 KiB the kernel has to be told first; only users' kernels have shared memory of the launch's size.
bool offers_shared(const Function &function, unsigned bytes) {
  if (!function.library->takes_dynamic_shared(*function.entry)) return bytes == 0;
  const size_t fixed = function.library->shared_bytes(*function.entry);
  return bytes <= std::max(kSharedLimit - std::min(fixed, kSharedLimit), function.dynamic_limit);
}

void check_bounds(const State &s, const Launch &launch) {
  const unsigned *g = launch.grid, *b = launch.block;
  const uint64_t threads = uint64_t(b[0]) * b[1] * b[2];
  if (!g[0] || !g[1] || !g[2] || !threads || g[0] > 0x7fffffffu || g[1] > 65535 || g[2] > 65535 || threads > 1024 ||
      b[2] > 64) {
    violation("a grid of %ux%ux%u blocks of %ux%ux%u threads", g[0], g[1], g[2], b[0], b[1], b[2]);
    refuse(CUDA_ERROR_INVALID_VALUE);
  }
  if (threads > uint64_t(threads_limit(s, *launch.function))) {
    violation("%s runs in blocks of at most %d threads, not %lu", name_of(*launch.function->entry),
              threads_limit(s, *launch.function), threads);
    refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  }
  if (!offers_shared(*launch.function, launch.shared_bytes) ||
      parameter_bytes(*launch.function->entry) > kParameterLimit) {
    violation("%u bytes of dynamic shared memory, %zu of parameters", launch.shared_bytes,
              parameter_bytes(*launch.function->entry));
    refuse(CUDA_ERROR_INVALID_VALUE);
  }
}

void copy_arguments(Launch &launch, void **arguments) {
  const KernelEntry &entry = *launch.function->entry;
  for (int i = 0; i < entry.parameters; ++i) {
    need(arguments);
    need(arguments[i]);
    const char *begin = static_cast<const char *>(arguments[i]);
    // Aligned as the kernel's stack is: a vector's memory is aligned to 16 bytes.
    launch.arguments.emplace_back(begin, begin + entry.sizes[i]);
  }
}

constexpr uint64_t kMostCooperative = 16384;  // threads that this GPU runs at a time

void submit(State &s, CUfunction function, std::array<unsigned, 3> grid, std::array<unsigned, 3> block,
            unsigned shared_bytes, CUstream stream, void **arguments, bool cooperative) {
  auto launch = std::make_shared<Launch>(Launch{s.functions.get(function, "function"),
                                                &current(),
                                                {grid[0], grid[1], grid[2]},
                                                {block[0], block[1], block[2]},
                                                shared_bytes,
                                                {},
                                                cooperative});
  auto on = stream_of(stream);
  if (launch->function->context != launch->context) {
    violation("the kernel was loaded in another context than the current one");
    refuse(CUDA_ERROR_INVALID_HANDLE);
  }
  check_bounds(s, *launch);
  const uint64_t blocks = uint64_t(grid[0]) * grid[1] * grid[2], threads = uint64_t(block[0]) * block[1] * block[2];
  if (cooperative && blocks > kMostCooperative / threads) refuse(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  copy_arguments(*launch, arguments);
  enqueue(on, {name_of(*launch->function->entry), [launch] { run_launch(*launch); }, 0, 0});
}

}  // namespace
}  // namespace fake_cuda

using namespace fake_cuda;

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values) {
  return call("cuModuleLoadDataEx", [&](State &s) {
    need(module);
    need(image);
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == CU_JIT_INFO_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER)
        *static_cast<char *>(values[i]) = 0;
    *module = load(s, image);
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return call("cuModuleUnload", Kind::kReleases, [&](State &s) {
    auto found = s.modules.get(module, "module");
    for (CUfunction function : found->functions) s.functions.remove(function);
    s.modules.remove(module);
  });
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  return call("cuModuleGetFunction", [&](State &s) {
    need(function);
    need(name);
    *function = function_of(s, *s.modules.get(module, "module"), name);
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  return call("cuModuleGetGlobal", [&](State &s) {
    need(name);
    const auto &variables = s.modules.get(module, "module")->library->variables;
    const auto place = variables.find(name);
    if (place == variables.end()) refuse(CUDA_ERROR_NOT_FOUND);
    if (address) *address = reinterpret_cast<CUdeviceptr>(place->second.address);
    if (bytes) *bytes = place->second.bytes;
  });
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  return call("cuFuncGetAttribute", [&](State &s) {
    need(value);
    auto found = s.functions.get(function, "function");
    switch (int(attribute)) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = threads_limit(s, *found);
        return;
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = int(found->library->shared_bytes(*found->entry));
        return;
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = 32;
        return;
      case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = 0;
        return;
      default:
        refuse(CUDA_ERROR_INVALID_VALUE);
    }
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return call("cuFuncSetAttribute", [&](State &s) {
    auto found = s.functions.get(function, "function");
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
        size_t(value) + found->library->shared_bytes(*found->entry) > kSharedAtMost)
      refuse(CUDA_ERROR_INVALID_VALUE);
    found->dynamic_limit = size_t(value);
  });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
  return call("cuFuncGetParamInfo", [&](State &s) {
    const KernelEntry &entry = *s.functions.get(function, "function")->entry;
    if (index >= size_t(entry.parameters)) refuse(CUDA_ERROR_INVALID_VALUE);
    size_t before = 0;
    for (size_t i = 0; i < index; ++i) before += (entry.sizes[i] + 7) / 8 * 8;
    if (offset) *offset = before;
    if (bytes) *bytes = entry.sizes[index];
  });
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **arguments,
                        void **extra) {
  return call("cuLaunchKernel", [&](State &s) {
    if (extra) refuse(CUDA_ERROR_INVALID_VALUE);
    submit(s, function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream, arguments, false);
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream, void **arguments) {
  return call("cuLaunchCooperativeKernel", [&](State &s) {
    submit(s, function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream, arguments, true);
  });
}
