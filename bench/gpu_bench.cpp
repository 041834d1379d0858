// bench/gpu_bench.cpp -- what the GPU backend achieves, beside what the device itself can do; gpu_compare.py makes the
// table.
//
//   gpu_bench               every case on "cuda!"; lines "name<TAB>value<TAB>unit<TAB>bytes moved at least"
//   gpu_bench --first-use   programs no run has seen before, each timed at its first use; run twice with one empty
//                           GPUOPT_CACHE_DIR, the second run finds them on disk
//   gpu_bench --plumbing    tiny sizes, for a driver that is no GPU: checks that all of this runs, measures nothing
//
// Times are the device's, between two events; inputs are drawn anew for every case. The bound is a device-to-device
// copy by the driver itself.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <vector>

namespace gp = gpuopt;

namespace {

bool plumbing = false;

int64_t sized(double n) { return plumbing ? 1000 : static_cast<int64_t>(n); }

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void print(const std::string &name, double value, const char *unit, double bytes = 0) {
  if (plumbing) {
    std::printf("%s\tran\t-\t0\n", name.c_str());
  } else {
    std::printf("%s\t%.6g\t%s\t%.0f\n", name.c_str(), value, unit, bytes);
  }
  std::fflush(stdout);
}

void *address(const gp::array &x) {
  void *data = nullptr;
  gp::detail::call(gpuopt_array_data, x.get(), &data);
  return data;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Milliseconds of one `run` by the device's clock: the median of rounds of several runs after two that are not timed.
double device_ms(const gp::device &gpu, const std::function<gp::array()> &run, int rounds = 7, int repeat = 5) {
  const gp::stream stream = gpu.default_stream();
  for (int i = 0; i < 2; ++i) run().eval();
  std::vector<double> times;
  for (int i = 0; i < (plumbing ? 1 : rounds); ++i) {
    const gp::event start = stream.record();
    for (int k = 0; k < repeat; ++k) run().eval();
    const gp::event end = stream.record();
    end.synchronize();
    times.push_back(end.milliseconds_since(start) / repeat);
  }
  return median(times);
}

// ---- The device itself, without the library

// The driver's and cuBLAS's functions that the bound needs, found as the plugin finds them.
class Vendor {
 public:
  explicit Vendor(int device) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    using Retain = int (*)(void **, int);
    using SetCurrent = int (*)(void *);
    void *context = nullptr;
    if (!driver || symbol<Retain>(driver, "cuDevicePrimaryCtxRetain")(&context, device) != 0 ||
        symbol<SetCurrent>(driver, "cuCtxSetCurrent")(context) != 0)
      return;
    copy_ = symbol<Copy>(driver, "cuMemcpyDtoDAsync_v2");
    wait_ = symbol<Wait>(driver, "cuCtxSynchronize");
  }
  bool works() const { return copy_ && wait_; }

  // Bytes read plus bytes written per second by a copy of `bytes` from `from` to `to`.
  double copy_bandwidth(const gp::array &from, const gp::array &to) {
    const auto source = reinterpret_cast<uintptr_t>(address(from)), target = reinterpret_cast<uintptr_t>(address(to));
    const auto bytes = static_cast<size_t>(from.nbytes());
    return 2.0 * static_cast<double>(bytes) / seconds([&] { copy_(target, source, bytes, nullptr); });
  }

  // Seconds of the product of two n x n float32 matrices by cuBLAS; 0 if it is not found.
  double matmul_seconds(const gp::array &a, const gp::array &b, const gp::array &c, int n) {
    void *library = nullptr;
    const char *const names[] = {std::getenv("GPUOPT_CUBLAS"), "libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    for (const char *name : names)
      if (!library && name) library = dlopen(name, RTLD_NOW);
    if (!library) return 0;
    using Create = int (*)(void **);
    using Gemm = int (*)(void *, int, int, int, int, int, const float *, const void *, int, const void *, int,
                         const float *, void *, int);
    void *handle = nullptr;
    if (symbol<Create>(library, "cublasCreate_v2")(&handle) != 0) return 0;
    const Gemm gemm = symbol<Gemm>(library, "cublasSgemm_v2");
    const float one = 1, zero = 0;
    const void *x = address(a), *y = address(b);
    void *out = address(c);
    // Column-major: the product of the transposes in the other order.
    return seconds([&] { gemm(handle, 0, 0, n, n, n, &one, y, n, x, n, &zero, out, n); });
  }

  template <class Run>
  double seconds(Run run) {
    constexpr int repeat = 10;
    for (int i = 0; i < 2; ++i) run();
    std::vector<double> times;
    for (int round = 0; round < 7; ++round) {
      wait_();
      const double start = now();
      for (int k = 0; k < repeat; ++k) run();
      wait_();
      times.push_back((now() - start) / repeat);
    }
    return median(times);
  }

 private:
  using Copy = int (*)(unsigned long long, unsigned long long, size_t, void *);
  using Wait = int (*)();
  template <class F>
  static F symbol(void *library, const char *name) {
    return reinterpret_cast<F>(dlsym(library, name));
  }
  Copy copy_ = nullptr;
  Wait wait_ = nullptr;
};

// ---- Cases

gp::array threefold(const gp::array &x) {
  const gp::array a = x * 5, b = a * a;
  return b + b;
}
gp::array softplus(const gp::array &x) { return gp::maximum(0, x) + gp::log1p(gp::exp(-gp::abs(x))); }

gp::array drawn(gp::generator &random, const gp::dims &shape) { return random.normal(0, 1, shape, gp::float32).eval(); }

void elementwise(const gp::device &gpu, gp::generator &random) {
  for (const auto &[text, count] : {std::pair{"1e8", 1e8}, std::pair{"1e9", 1e9}}) {
    const int64_t n = sized(count);
    const double bytes = 2.0 * 4 * static_cast<double>(n);
    const gp::array x = drawn(random, {n});
    print(std::string("threefold ") + text, device_ms(gpu, [&] { return threefold(x); }), "ms", bytes);
    print(std::string("softplus ") + text, device_ms(gpu, [&] { return softplus(x); }), "ms", bytes);
  }
}

void reductions(const gp::device &gpu, gp::generator &random) {
  const int64_t n = plumbing ? 64 : 32768;
  const gp::array x = drawn(random, {n, n});
  const double bytes = 4.0 * static_cast<double>(n) * static_cast<double>(n);
  const std::pair<const char *, gp::axes> ways[] = {{"all", {}}, {"axis 0", {0}}, {"axis 1", {1}}};
  for (const auto &[text, over] : ways) {
    print(std::string("sum ") + text, device_ms(gpu, [&, o = over] { return gp::sum(x, o); }), "ms", bytes);
    print(std::string("mean ") + text, device_ms(gpu, [&, o = over] { return gp::mean(x, o); }), "ms", bytes);
    print(std::string("var ") + text, device_ms(gpu, [&, o = over] { return gp::var(x, o); }), "ms", bytes);
  }
}

void products(const gp::device &gpu, gp::generator &random, Vendor &vendor) {
  const int64_t n = plumbing ? 16 : 8192;
  const gp::array a = drawn(random, {n, n}), b = drawn(random, {n, n}), c = drawn(random, {n, n});
  const auto run = [&] { return gp::matmul(a, b); };
  print("matmul 8192", device_ms(gpu, run), "ms");
  if (plumbing) return;
  gpu.synchronize();
  const double direct = vendor.matmul_seconds(a, b, c, static_cast<int>(n));
  if (direct > 0) {
    print("cublas 8192", direct * 1e3, "ms");
  } else {
    std::printf("# cuBLAS was not found: matmul stands alone\n");
  }
}

// What the processor spends on one operation that is recorded and launched.
void host_cost(const gp::device &gpu, gp::generator &random) {
  const gp::array x = drawn(random, {16});
  const int count = plumbing ? 10 : 2000;
  std::vector<double> times;
  for (int round = 0; round < (plumbing ? 1 : 9); ++round) {
    gpu.synchronize();
    const double start = now();
    for (int i = 0; i < count; ++i) (x + 1).eval();
    times.push_back((now() - start) / count);
    gpu.synchronize();
  }
  print("launch small", median(times) * 1e6, "us");
}

// Seconds until the result of a call is there.
double answered(const std::function<gp::array()> &run) {
  std::vector<double> times;
  for (int i = 0; i < (plumbing ? 1 : 9); ++i) {
    const double start = now();
    run().eval().device().synchronize();
    times.push_back(now() - start);
  }
  return median(times);
}

// The smallest array for which the GPU answers sooner than the CPU, both with the data where they are.
void crossover(const gp::device &gpu, const gp::device &cpu) {
  gp::generator there(7, gpu), here(7, cpu);
  for (int64_t n = 1024; n <= (plumbing ? 1024 : int64_t{1} << 26); n *= 2) {
    const gp::array x = drawn(there, {n}), y = drawn(here, {n});
    answered([&] { return softplus(x); });
    const double on_gpu = answered([&] { return softplus(x); }), on_cpu = answered([&] { return softplus(y); });
    if (plumbing || on_gpu < on_cpu) return print("crossover softplus", static_cast<double>(n), "elements");
  }
  std::printf("# softplus: the CPU is faster at every size tried\n");
}

// ---- First uses

// A program that nothing else contains: `number` chooses the operations.
gp::array unusual(const gp::array &x, int number) {
  gp::array y = x;
  for (int i = 0; i < 6; ++i, number /= 4) {
    const gp::array choices[] = {gp::tanh(y), gp::sqrt(gp::abs(y)), gp::expm1(y) - x, gp::cos(y) * x};
    y = choices[number % 4];
  }
  return y;
}

void first_use(const gp::device &gpu) {
  gp::generator random(3, gpu);
  const gp::array x = drawn(random, {1000});
  unusual(x, 4095).eval().device().synchronize();  // context, compiler and cache are there now
  std::vector<double> times;
  for (int i = 0; i < (plumbing ? 1 : 15); ++i) {
    const double start = now();
    unusual(x, 100 + 37 * i).eval().device().synchronize();
    times.push_back(now() - start);
  }
  print("first use", median(times) * 1e3, "ms");
}

// What the backend lacks, or the device has no room for, is a remark, not the end of the others.
void attempt(const std::function<void()> &cases) {
  try {
    cases();
  } catch (const gp::error &e) {
    if (e.code() != GPUOPT_ERR_UNSUPPORTED && e.code() != GPUOPT_ERR_OUT_OF_MEMORY) throw;
    std::printf("# %s\n", e.what());
  }
}

void everything(const gp::device &gpu) {
  gp::generator random(static_cast<uint64_t>(now() * 1e9), gpu);
  Vendor vendor(gpu.info().index);
  if (!plumbing && vendor.works()) {
    const gp::array a = drawn(random, {sized(1e9)}), b = drawn(random, {sized(1e9)});
    gpu.synchronize();
    print("copy", vendor.copy_bandwidth(a, b), "B/s");
  }
  attempt([&] { elementwise(gpu, random); });
  attempt([&] { reductions(gpu, random); });
  attempt([&] { products(gpu, random, vendor); });
  attempt([&] { host_cost(gpu, random); });
  attempt([&] { crossover(gpu, gp::device("cpu")); });
}

}  // namespace

int main(int count, char **arguments) {
  bool first = false;
  for (int i = 1; i < count; ++i) {
    plumbing |= !std::strcmp(arguments[i], "--plumbing");
    first |= !std::strcmp(arguments[i], "--first-use");
  }
  try {
    const gp::device gpu("cuda!");
    first ? first_use(gpu) : everything(gpu);
    if (plumbing) std::printf("# plumbing only: nothing was measured\n");
    return 0;
  } catch (const gp::error &e) {
    std::fprintf(stderr, "gpu_bench: %s\n", e.what());
    return 1;
  }
}
