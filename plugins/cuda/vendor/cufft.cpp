// plugins/cuda/vendor/cufft.cpp -- opening cuFFT, its plans, and what its results mean.
#include "plugins/cuda/vendor/cufft.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "plugins/cuda/driver/os.h"

namespace gpuopt::cuda {
namespace {

// Returns the CUDA that a cuFFT is of, whose major version is one behind.
int cuda_of_fft(int major) noexcept { return major + 1; }

// Fills `table` with the functions of a library. Returns "" if it is suitable, else why not.
std::string open_fft_table(void *handle, int driver_version, CufftTable &table) {
#define GPUOPT_CUFFT_SYMBOL(result, name, args)                                    \
  table.name = reinterpret_cast<decltype(table.name)>(find_symbol(handle, #name)); \
  if (!table.name) return "it has no " #name;
#include "plugins/cuda/vendor/cufft_symbols.def"
  int major = 0;
  if (table.cufftGetProperty(MAJOR_VERSION, &major) != CUFFT_SUCCESS) return "it does not tell its version";
  const int cuda = cuda_of_fft(major), known = driver_version / 1000;
  if (cuda > known)
    return "it is of CUDA " + std::to_string(cuda) + ", newer than the driver's " + std::to_string(known);
  return "";
}

// Returns "12.1.2 (/usr/local/cuda/lib64/libcufft.so.12)".
std::string describe_fft(const CufftTable &table) {
  std::string version;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    if (table.cufftGetProperty(part, &value) == CUFFT_SUCCESS)
      version += (version.empty() ? "" : ".") + std::to_string(value);
  }
  return version + " (" + file_of(reinterpret_cast<const void *>(table.cufftGetProperty)) + ")";
}

struct FoundFft {
  CufftTable table;
  std::string problem;
};

// Returns the cuFFT of this process, or why there is none; the first call searches for it.
const FoundFft &found_fft() {
  static const FoundFft *const once = [] {
    auto *const made = new FoundFft;
    made->table = find_cufft(process_search(), driver().version, made->problem);
    const std::string said =
        made->problem.empty() ? describe_fft(made->table) : made->problem + ": transforms by own kernels";
    log(GPUOPT_LOG_INFO, "cuda.cufft", said.c_str());
    return made;
  }();
  return *once;
}

const char *name_of_result(cufftResult result) noexcept {
  switch (result) {
    case CUFFT_ALLOC_FAILED:
      return "CUFFT_ALLOC_FAILED";
    case CUFFT_INVALID_VALUE:
      return "CUFFT_INVALID_VALUE";
    case CUFFT_INTERNAL_ERROR:
      return "CUFFT_INTERNAL_ERROR";
    case CUFFT_EXEC_FAILED:
      return "CUFFT_EXEC_FAILED";
    case CUFFT_SETUP_FAILED:
      return "CUFFT_SETUP_FAILED";
    default:
      return "result";
  }
}

// Whether a plan is refused for what it is of, so that another algorithm is wanted.
bool is_refusal(cufftResult result) noexcept {
  return result == CUFFT_INVALID_SIZE || result == CUFFT_NOT_IMPLEMENTED || result == CUFFT_NOT_SUPPORTED;
}

template <typename T>
T *pointer(CUdeviceptr address) noexcept {
  return reinterpret_cast<T *>(address);
}

cufftResult execute(const CufftTable &table, cufftType type, cufftHandle plan, int direction, CUdeviceptr from,
                    CUdeviceptr to) {
  switch (type) {
    case CUFFT_C2C:
      return table.cufftExecC2C(plan, pointer<cufftComplex>(from), pointer<cufftComplex>(to), direction);
    case CUFFT_Z2Z:
      return table.cufftExecZ2Z(plan, pointer<cufftDoubleComplex>(from), pointer<cufftDoubleComplex>(to), direction);
    case CUFFT_R2C:
      return table.cufftExecR2C(plan, pointer<cufftReal>(from), pointer<cufftComplex>(to));
    case CUFFT_D2Z:
      return table.cufftExecD2Z(plan, pointer<cufftDoubleReal>(from), pointer<cufftDoubleComplex>(to));
    case CUFFT_C2R:
      return table.cufftExecC2R(plan, pointer<cufftComplex>(from), pointer<cufftReal>(to));
    default:
      return table.cufftExecZ2D(plan, pointer<cufftDoubleComplex>(from), pointer<cufftDoubleReal>(to));
  }
}

}  // namespace

CufftTable find_cufft(const SearchInput &input, int driver_version, std::string &problem) {
  CufftTable table;
  const OpenedLibrary opened = search_library(
      Library::cufft, input, [&](void *handle) { return open_fft_table(handle, driver_version, table); });
  if (opened.handle) {
    problem.clear();
    return table;
  }
  problem = "no cuFFT (" + library_names(Library::cufft) +
            ") works here: " + (opened.tried.empty() ? "none was found" : opened.tried);
  return {};
}

bool Cufft::is_there() { return found_fft().problem.empty(); }

Cufft::~Cufft() {
  if (!usable(device_)) return;
  for (const Plan &plan : plans_) found_fft().table.cufftDestroy(plan.handle);
}

// Throws the Failure that a result means; `name` is the function that gave it.
void Cufft::check(Stream &stream, cufftResult result, const char *name) const {
  if (result == CUFFT_SUCCESS) return;
  // The cause may be an error of earlier work, which waiting for the stream shows.
  check_stream(device_, stream, driver().cuStreamSynchronize(stream.handle), "fft");
  fail(result == CUFFT_ALLOC_FAILED ? GPUOPT_ERR_OUT_OF_MEMORY : GPUOPT_ERR_INTERNAL, GPUOPT_REASON_NONE,
       static_cast<int32_t>(result), "cuda:%d: fft: cuFFT says %s: %s (%u)", device_.index, name,
       name_of_result(result), static_cast<unsigned>(result));
}

// Makes the plan with a handle that is there. Its memory to work in is given with each use. Returns whether cuFFT does
// such transforms.
bool Cufft::make_plan(Stream &stream, Plan &plan) {
  const CufftTable &table = found_fft().table;
  check(stream, table.cufftSetAutoAllocation(plan.handle, 0), "cufftSetAutoAllocation");
  const CufftLines &of = plan.lines;
  // Of one axis, only whether there are embedding sizes counts: without them, the distances would be ignored.
  long long n = of.n, embed = of.n;
  const cufftResult result = table.cufftMakePlanMany64(plan.handle, 1, &n, &embed, of.from.step, of.from.next, &embed,
                                                       of.to.step, of.to.next, of.type, of.count, &plan.work_bytes);
  if (is_refusal(result)) return false;
  check(stream, result, "cufftMakePlanMany64");
  return true;
}

// Returns the plan for lines, made if there is none, and the first of the list from now on; NULL if cuFFT refuses it.
const Cufft::Plan *Cufft::find_plan(Stream &stream, const CufftLines &lines) {
  const auto place = std::find_if(plans_.begin(), plans_.end(), [&](const Plan &plan) { return plan.lines == lines; });
  if (place != plans_.end()) {
    plans_.splice(plans_.begin(), plans_, place);
    return &plans_.front();
  }
  const CufftTable &table = found_fft().table;
  std::list<Plan> fresh(1, Plan{lines, 0, 0});
  check(stream, table.cufftCreate(&fresh.front().handle), "cufftCreate");
  try {
    if (!make_plan(stream, fresh.front())) {
      table.cufftDestroy(fresh.front().handle);
      return nullptr;
    }
  } catch (...) {
    table.cufftDestroy(fresh.front().handle);
    throw;
  }
  plans_.splice(plans_.begin(), fresh);
  while (plans_.size() > kMostPlans) {  // cuFFT waits for what still uses a plan's memory
    table.cufftDestroy(plans_.back().handle);
    plans_.pop_back();
  }
  return &plans_.front();
}

bool Cufft::transform(Stream &stream, const CufftLines &lines, bool inverse, CUdeviceptr from, CUdeviceptr to) {
  const std::lock_guard lock(mutex_);  // a plan has one stream and one memory to work in at a time
  const Plan *const plan = find_plan(stream, lines);
  if (!plan) return false;
  const CufftTable &table = found_fft().table;
  const Scratch work(device_, stream, plan->work_bytes);
  check(stream, table.cufftSetStream(plan->handle, stream.handle), "cufftSetStream");
  if (plan->work_bytes)
    check(stream, table.cufftSetWorkArea(plan->handle, pointer<void>(work.address())), "cufftSetWorkArea");
  check(stream, execute(table, lines.type, plan->handle, inverse ? CUFFT_INVERSE : CUFFT_FORWARD, from, to),
        "cufftExec");
  return true;
}

}  // namespace gpuopt::cuda
