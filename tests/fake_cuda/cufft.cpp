// tests/fake_cuda/cufft.cpp -- a libcufft.so.12 for the fake driver: it waits for the stream, and carries the
// definition out on the host, with copies there and back.
//
// It refuses what cuFFT refuses, and what this backend is not meant to ask for: a transform without its stream and
// memory to work in, addresses that are not aligned, imaginary parts where the numbers that come out are real. It
// refuses lines of 13 elements, and overwrites what becomes real numbers. Settings, read at each call:
//   FAKE_CUFFT_MAJOR   the major version that it says it has (12)
//   FAKE_CUFFT_FAIL    the function that fails: "cufftMakePlanMany64"
//   FAKE_CUFFT_RESULT  and what it gives (5)
#include <dlfcn.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/cuda/vendor/cufft_types.h"

extern "C" {
#define GPUOPT_CUFFT_SYMBOL(result, name, args) __attribute__((visibility("default"))) result name args;
#include "plugins/cuda/vendor/cufft_symbols.def"

// For tests: the plans that there are, and the transforms that were done.
__attribute__((visibility("default"))) int fake_cufft_plans();
__attribute__((visibility("default"))) int fake_cufft_transforms();
}

namespace {

constexpr size_t kWork = 1000;  // bytes, and what depends on the length
constexpr cufftResult kInvalidPlan = cufftResult(1);

struct Plan {
  bool made = false, allocates = true, has_stream = false;
  long long n = 0, count = 0, step[2] = {}, next[2] = {};
  cufftType type{};
  size_t work_bytes = 0;
  void *work = nullptr;
  CUstream stream = nullptr;
};

std::mutex mutex;
std::map<cufftHandle, Plan> plans;
std::atomic<int> transforms{0}, given{0};

// ---- Results

// What a function returns early.
struct Stop {
  cufftResult result;
};

void require(bool holds, const char *rule, cufftResult otherwise = CUFFT_INVALID_VALUE) {
  if (holds) return;
  std::fprintf(stderr, "fake cuFFT: %s\n", rule);
  throw Stop{otherwise};
}

// Calls `body` unless the function is to fail.
template <class Body>
cufftResult function(const char *name, const Body &body) {
  const char *const fails = std::getenv("FAKE_CUFFT_FAIL"), *const result = std::getenv("FAKE_CUFFT_RESULT");
  if (fails && name == std::string(fails)) return cufftResult(result ? std::atoi(result) : 5);
  try {
    body();
    return CUFFT_SUCCESS;
  } catch (const Stop &stop) {
    return stop.result;
  }
}

// The plan of a handle, for a call that holds the lock.
Plan &plan_of(cufftHandle handle) {
  const auto found = plans.find(handle);
  require(found != plans.end(), "there is no such plan", kInvalidPlan);
  return found->second;
}

// ---- The driver

template <class... Arguments>
void call_driver(const char *name, Arguments... arguments) {
  const char *const path = std::getenv("GPUOPT_CUDA_DRIVER");
  void *const driver = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  require(driver, "the fake driver is not in use");
  const CUresult code = reinterpret_cast<CUresult (*)(Arguments...)>(dlsym(driver, name))(arguments...);
  if (code == CUDA_SUCCESS) return;
  throw Stop{code == CUDA_ERROR_OUT_OF_MEMORY ? CUFFT_ALLOC_FAILED : CUFFT_EXEC_FAILED};
}

// Lines in device memory on the host; give() writes them back.
template <class E>
class Lines {
 public:
  Lines(const Plan &plan, int side, const void *at, long long length)
      : stream_(plan.stream),
        step_(plan.step[side]),
        next_(plan.next[side]),
        address_(reinterpret_cast<CUdeviceptr>(at)) {
    require(address_ % (sizeof(E) < 8 ? 8 : sizeof(E)) == 0, "an address is not aligned");
    require(step_ > 0 && next_ > 0, "a distance is not above 0");
    values_.resize(size_t((plan.count - 1) * next_ + (length - 1) * step_ + 1));
    copy(false);
  }
  E &at(long long line, long long k) { return values_[size_t(line * next_ + k * step_)]; }
  void give() { copy(true); }

 private:
  void copy(bool there) {
    const size_t bytes = values_.size() * sizeof(E);
    if (there)
      call_driver("cuMemcpyHtoDAsync_v2", address_, static_cast<const void *>(values_.data()), bytes, stream_);
    else
      call_driver("cuMemcpyDtoHAsync_v2", static_cast<void *>(values_.data()), address_, bytes, stream_);
    call_driver("cuStreamSynchronize", stream_);
  }

  CUstream stream_;
  long long step_, next_;
  CUdeviceptr address_;
  std::vector<E> values_;
};

// ---- Transforms

using Complex = std::complex<double>;

std::vector<Complex> transformed(const std::vector<Complex> &x, int sign) {
  const size_t n = x.size();
  std::vector<Complex> roots(n), y(n);
  for (size_t k = 0; k < n; k++) roots[k] = std::polar(1.0, sign * 2 * std::acos(-1.0) * double(k) / double(n));
  for (size_t k = 0; k < n; k++) {
    for (size_t j = 0; j < n; j++) y[k] += x[j] * roots[j * k % n];
  }
  return y;
}

// Calls body(plan) for a plan that is ready for a transform of the type.
template <class Body>
cufftResult execute(const char *name, cufftHandle handle, cufftType type, const Body &body) {
  return function(name, [&] {
    const std::lock_guard lock(mutex);
    Plan &plan = plan_of(handle);
    require(plan.made && plan.type == type, "the plan is not of this type");
    require(plan.has_stream && plan.work && !plan.allocates, "a plan has no stream, or no memory to work in");
    call_driver("cuMemsetD8Async", reinterpret_cast<CUdeviceptr>(plan.work), static_cast<unsigned char>(0xa5),
                plan.work_bytes, plan.stream);
    body(plan);
    plan.has_stream = false;  // each use gives its own
    plan.work = nullptr;
    transforms++;
  });
}

template <class T>
cufftResult complex_to_complex(const char *name, cufftHandle handle, cufftType type, const void *x, void *y,
                               int direction) {
  return execute(name, handle, type, [&](const Plan &plan) {
    require(direction == CUFFT_FORWARD || direction == CUFFT_INVERSE, "there is no such direction");
    Lines<std::complex<T>> from(plan, 0, x, plan.n), to(plan, 1, y, plan.n);
    std::vector<Complex> line(static_cast<size_t>(plan.n));
    for (long long i = 0; i < plan.count; i++) {
      for (long long k = 0; k < plan.n; k++) line[size_t(k)] = Complex(from.at(i, k));
      const std::vector<Complex> made = transformed(line, direction);
      for (long long k = 0; k < plan.n; k++) to.at(i, k) = std::complex<T>(made[size_t(k)]);
    }
    to.give();
  });
}

template <class T>
cufftResult real_to_complex(const char *name, cufftHandle handle, cufftType type, const void *x, void *y) {
  return execute(name, handle, type, [&](const Plan &plan) {
    Lines<T> from(plan, 0, x, plan.n);
    Lines<std::complex<T>> to(plan, 1, y, plan.n / 2 + 1);
    std::vector<Complex> line(static_cast<size_t>(plan.n));
    for (long long i = 0; i < plan.count; i++) {
      for (long long k = 0; k < plan.n; k++) line[size_t(k)] = from.at(i, k);
      const std::vector<Complex> made = transformed(line, CUFFT_FORWARD);
      for (long long k = 0; k <= plan.n / 2; k++) to.at(i, k) = std::complex<T>(made[size_t(k)]);
    }
    to.give();
  });
}

template <class T>
cufftResult complex_to_real(const char *name, cufftHandle handle, cufftType type, const void *x, void *y) {
  return execute(name, handle, type, [&](const Plan &plan) {
    Lines<std::complex<T>> from(plan, 0, x, plan.n / 2 + 1);
    Lines<T> to(plan, 1, y, plan.n);
    std::vector<Complex> line(static_cast<size_t>(plan.n));
    for (long long i = 0; i < plan.count; i++) {
      for (long long k = 0; k <= plan.n / 2; k++) {
        const Complex value(from.at(i, k));
        require((k != 0 && 2 * k != plan.n) || value.imag() == 0, "an imaginary part counts for nothing");
        line[size_t(k)] = value;
        if (k) line[size_t(plan.n - k)] = std::conj(value);
        from.at(i, k) = {T(7), T(7)};
      }
      const std::vector<Complex> made = transformed(line, CUFFT_INVERSE);
      for (long long k = 0; k < plan.n; k++) to.at(i, k) = T(made[size_t(k)].real());
    }
    from.give();
    to.give();
  });
}

}  // namespace

int fake_cufft_plans() {
  const std::lock_guard lock(mutex);
  return int(plans.size());
}
int fake_cufft_transforms() { return transforms; }

cufftResult cufftGetProperty(libraryPropertyType part, int *value) {
  const char *const major = std::getenv("FAKE_CUFFT_MAJOR");
  *value = part == MAJOR_VERSION ? (major ? std::atoi(major) : 12) : static_cast<int>(part);  // 12.1.2
  return CUFFT_SUCCESS;
}

cufftResult cufftCreate(cufftHandle *plan) {
  return function("cufftCreate", [&] {
    const std::lock_guard lock(mutex);
    plans[ *plan = ++given];
  });
}

cufftResult cufftDestroy(cufftHandle plan) {
  const std::lock_guard lock(mutex);
  return plans.erase(plan) ? CUFFT_SUCCESS : kInvalidPlan;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocates) {
  return function("cufftSetAutoAllocation", [&] {
    const std::lock_guard lock(mutex);
    Plan &plan = plan_of(handle);
    require(!plan.made, "the plan is made", kInvalidPlan);
    plan.allocates = allocates != 0;
  });
}

cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long *n, long long *from_embed, long long from_step,
                                long long from_next, long long *to_embed, long long to_step, long long to_next,
                                cufftType type, long long count, size_t *work_bytes) {
  return function("cufftMakePlanMany64", [&] {
    const std::lock_guard lock(mutex);
    Plan &plan = plan_of(handle);
    require(!plan.made, "the plan is made", kInvalidPlan);
    if (*n == 13) throw Stop{CUFFT_NOT_SUPPORTED};
    require(rank == 1 && *n > 0 && count > 0 && from_embed && to_embed, "the sizes are wrong", CUFFT_INVALID_SIZE);
    plan = {true,
            plan.allocates,
            false,
            *n,
            count,
            {from_step, to_step},
            {from_next, to_next},
            type,
            kWork + static_cast<size_t>(*n)};
    *work_bytes = plan.work_bytes;
  });
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *work) {
  return function("cufftSetWorkArea", [&] {
    const std::lock_guard lock(mutex);
    require(work && reinterpret_cast<uintptr_t>(work) % 256 == 0, "memory to work in is not aligned");
    plan_of(handle).work = work;
  });
}

cufftResult cufftSetStream(cufftHandle handle, CUstream stream) {
  return function("cufftSetStream", [&] {
    const std::lock_guard lock(mutex);
    Plan &plan = plan_of(handle);
    plan.stream = stream;
    plan.has_stream = true;
  });
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *from, cufftComplex *to, int direction) {
  return complex_to_complex<float>("cufftExecC2C", plan, CUFFT_C2C, from, to, direction);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *from, cufftDoubleComplex *to, int direction) {
  return complex_to_complex<double>("cufftExecZ2Z", plan, CUFFT_Z2Z, from, to, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *from, cufftComplex *to) {
  return real_to_complex<float>("cufftExecR2C", plan, CUFFT_R2C, from, to);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *from, cufftDoubleComplex *to) {
  return real_to_complex<double>("cufftExecD2Z", plan, CUFFT_D2Z, from, to);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *from, cufftReal *to) {
  return complex_to_real<float>("cufftExecC2R", plan, CUFFT_C2R, from, to);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *from, cufftDoubleReal *to) {
  return complex_to_real<double>("cufftExecZ2D", plan, CUFFT_Z2D, from, to);
}
