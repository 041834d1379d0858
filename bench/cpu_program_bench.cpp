// bench/cpu_program_bench.cpp -- the CPU plugin's interpreter, called directly, beside hand-written OpenMP loops that
// do the same with the same scalar definitions.
//
// Usage: cpu_program_bench [--cpu] [filter]; --cpu counts processor time, for one thread on a busy machine. The two
// sides take turns; both the least and the median time are printed, since the least is what the code can do and the
// median what a busy machine shows.
#include <gpuopt/gpuopt_plugin.h>

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "plugins/cpu/fpu.h"
#include "plugins/cpu/host.h"
#include "plugins/cpu/program.h"
#include "plugins/shared/scalar_ops.h"

namespace {

gpuopt_status fail(gpuopt_error *, gpuopt_status code, gpuopt_reason, int32_t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::exit(code);
}
const gpuopt_host_api kHost = {{sizeof(gpuopt_host_api), 1, 0, 0, 0, nullptr},
                               fail,
                               [](int32_t, const char *, gpuopt_reason, const char *) {},
                               [](const char *, gpuopt_reason, const char *, const char *) {},
                               [](uint64_t bytes) { return std::aligned_alloc(64, (bytes + 63) & ~uint64_t{63}); },
                               [](void *memory) { std::free(memory); },
                               [](const char *name) -> const char * { return std::getenv(name); }};

template <class T>
constexpr uint8_t dtype_of() {
  return sizeof(T) == 8 ? GPUOPT_FLOAT64 : sizeof(T) == 4 ? GPUOPT_FLOAT32 : GPUOPT_BOOL;
}

// A program over dense operands, except where strides are given.
class Program {
 public:
  Program(std::vector<int64_t> shape, uint64_t reduced = 0) : shape_(std::move(shape)), reduced_(reduced) {}

  uint16_t input(void *data, uint8_t dtype, std::vector<int64_t> strides = {}) {
    inputs_.push_back(operand(data, dtype, std::move(strides), false));
    return add({GPUOPT_STEP_INPUT, 0, dtype, dtype, uint16_t(inputs_.size() - 1), 0, {}});
  }
  template <class T>
  uint16_t constant(T value) {
    gpuopt_constant bytes = {};
    std::memcpy(bytes.bytes, &value, sizeof(T));
    constants_.push_back(bytes);
    return add({GPUOPT_STEP_CONSTANT, 1, dtype_of<T>(), dtype_of<T>(), uint16_t(constants_.size() - 1), 0, {}});
  }
  uint16_t op(int number, std::vector<uint16_t> src, uint8_t result = 0) {
    const uint8_t loop = steps_[src.back()].dtype;
    gpuopt_step s = {GPUOPT_STEP_ELEMENTWISE, 1, result ? result : loop, loop, uint16_t(number),
                     uint16_t(src.size()),    {}};
    for (size_t i = 0; i < src.size(); i++) {
      s.src[i] = src[i];
      s.level &= steps_[src[i]].level;
    }
    return add(s);
  }
  uint16_t reduce(int number, uint16_t src, uint8_t result = 0) {
    const uint8_t loop = steps_[src].dtype;
    return add({GPUOPT_STEP_REDUCE, 1, result ? result : loop, loop, uint16_t(number), 1, {src}});
  }
  uint16_t scan(int number, uint16_t src) {
    return add({GPUOPT_STEP_SCAN, 0, steps_[src].dtype, steps_[src].dtype, uint16_t(number), 1, {src}});
  }
  void output(uint16_t src, void *data, std::vector<int64_t> strides = {}) {
    const uint8_t dtype = steps_[src].dtype, level = steps_[src].level;
    outputs_.push_back(operand(data, dtype, std::move(strides), level == GPUOPT_LEVEL_REDUCED));
    add({GPUOPT_STEP_OUTPUT, level, dtype, dtype, uint16_t(outputs_.size() - 1), 1, {src}});
  }
  void run() {
    program_.struct_size = sizeof(program_);
    program_.key = steps_.size() * 7919 + steps_.back().index + (steps_.size() > 2 ? steps_[2].index * 31u : 0u) +
                   uint64_t(steps_[0].dtype) * 1009;
    program_.reduced_axes = reduced_;
    program_.ndim = int32_t(shape_.size());
    program_.shape = shape_.data();
    program_.nsteps = int32_t(steps_.size());
    program_.steps = steps_.data();
    program_.ninputs = int32_t(inputs_.size());
    program_.inputs = inputs_.data();
    program_.noutputs = int32_t(outputs_.size());
    program_.outputs = outputs_.data();
    program_.nconstants = int32_t(constants_.size());
    program_.constants = constants_.data();
    gpuopt::cpu::run_program(program_, &kHost, nullptr);
  }

 private:
  uint16_t add(const gpuopt_step &s) {
    steps_.push_back(s);
    return uint16_t(steps_.size() - 1);
  }
  gpuopt_operand operand(void *data, int dtype, std::vector<int64_t> strides, bool is_reduced) {
    if (strides.empty()) {
      strides.resize(shape_.size());
      int64_t stride = dtype == GPUOPT_FLOAT64 || dtype == GPUOPT_INT64 ? 8 : dtype == GPUOPT_FLOAT32 ? 4 : 1;
      for (size_t d = shape_.size(); d-- > 0;) {
        if (is_reduced && (reduced_ >> d & 1)) continue;
        strides[d] = stride;
        stride *= shape_[d];
      }
    }
    strides_.push_back(new std::vector<int64_t>(strides));
    return {data, strides_.back()->data(), dtype, 0};
  }

  std::vector<int64_t> shape_;
  uint64_t reduced_;
  std::vector<gpuopt_step> steps_;
  std::vector<gpuopt_operand> inputs_, outputs_;
  std::vector<gpuopt_constant> constants_;
  std::vector<std::vector<int64_t> *> strides_;
  gpuopt_program program_ = {};
};

std::string g_filter;

bool g_processor_time = false;

double now() {
  if (g_processor_time) return double(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds(const std::function<void()> &f, int64_t count) {
  const double start = now();
  for (int64_t i = 0; i < count; i++) f();
  return (now() - start) / double(count);
}

// `elements` scales the printed times.
void compare(const std::string &name, int64_t elements, const std::function<void()> &ours,
             const std::function<void()> &bound) {
  if (name.find(g_filter) == std::string::npos) return;
  ours();
  bound();
  const double once = std::max(seconds(ours, 1), 1e-8);
  const auto count = std::max<int64_t>(1, int64_t(2e-3 / once));
  std::vector<double> a, b;
  for (int i = 0; i < 9; i++) {
    a.push_back(seconds(ours, count));
    b.push_back(seconds(bound, count));
  }
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::printf("%-34s ours %10.1f us %7.3f ns/el   bound %10.1f us   ratio %.2f (median %.2f)\n", name.c_str(),
              a[0] * 1e6, a[0] * 1e9 / double(elements), b[0] * 1e6, a[0] / b[0], a[4] / b[4]);
  std::fflush(stdout);
}

// The bounds: what one would write by hand for the job alone.
template <class T>
void bound_add(const T *x, const T *y, T *z, int64_t n) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; i++) z[i] = x[i] + y[i];
}
template <class T>
void bound_scale(T *x, T factor, int64_t n) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; i++) x[i] = x[i] * factor;
}
template <class T>
void bound_threefold(T *x, int64_t n) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; i++) {
    T v = x[i] * T(0.5);
    v = v * v;
    x[i] = v + v;
  }
}
template <class T>
void bound_softplus(const T *y, T *z, int64_t n) {
  using namespace gpo;
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; i++) {
    const T e = ops::exp::apply(ops::negative::apply(ops::abs::apply(y[i])));
    z[i] = ops::add::apply(ops::maximum::apply(T(0), y[i]), ops::log1p::apply(e));
  }
}
template <class T>
T bound_sum(const T *x, int64_t n) {
  T s = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : s)
  for (int64_t i = 0; i < n; i++) s += x[i];
  return s;
}
template <class T>
void bound_cumsum(const T *x, T *z, int64_t n) {
  T s = 0;
  for (int64_t i = 0; i < n; i++) z[i] = s += x[i];
}
template <class T>
void bound_sum_columns(const T *x, T *z, int64_t rows, int64_t columns) {
  constexpr int64_t B = 1024;
#pragma omp parallel for schedule(static)
  for (int64_t c0 = 0; c0 < columns; c0 += B) {
    T s[B] = {};
    for (int64_t r = 0; r < rows; r++) {
#pragma omp simd
      for (int64_t c = 0; c < B; c++) s[c] += x[r * columns + c0 + c];
    }
    std::memcpy(z + c0, s, sizeof(s));
  }
}
template <class T>
void bound_sum_rows(const T *x, T *z, int64_t rows, int64_t columns) {
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < rows; r++) {
    T s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t c = 0; c < columns; c++) s += x[r * columns + c];
    z[r] = s;
  }
}
template <class T>
void bound_add_transposed(const T *x, const T *y, T *z, int64_t n) {
#pragma omp parallel for schedule(static)
  for (int64_t r0 = 0; r0 < n; r0 += 32) {
    for (int64_t c0 = 0; c0 < n; c0 += 32) {
      for (int64_t r = r0; r < r0 + 32; r++) {
        for (int64_t c = c0; c < c0 + 32; c++) z[r * n + c] = x[r * n + c] + y[c * n + r];
      }
    }
  }
}
template <class T>
void bound_add_row(const T *x, const T *y, T *z, int64_t n) {
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < n; r++) {
#pragma omp simd
    for (int64_t c = 0; c < n; c++) z[r * n + c] = x[r * n + c] + y[c];
  }
}
template <class T>
void bound_standardize_rows(T *data, int64_t rows, int64_t columns) {
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < rows; r++) {
    T *row = data + r * columns, s = 0, q = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t c = 0; c < columns; c++) s += row[c];
    s /= T(columns);
#pragma omp simd reduction(+ : q)
    for (int64_t c = 0; c < columns; c++) q += (row[c] - s) * (row[c] - s);
    q = gpo::sqrt(q / T(columns));
#pragma omp simd
    for (int64_t c = 0; c < columns; c++) row[c] = (row[c] - s) / q;
  }
}
template <class T>
void bound_standardize_columns(T *data, int64_t rows, int64_t columns) {
  constexpr int64_t B = 128;
#pragma omp parallel for schedule(dynamic)
  for (int64_t c0 = 0; c0 < columns; c0 += B) {
    const int64_t w = std::min(B, columns - c0);
    T s[B] = {}, q[B] = {};
    for (int64_t r = 0; r < rows; r++) {
#pragma omp simd
      for (int64_t c = 0; c < w; c++) s[c] += data[r * columns + c0 + c];
    }
    for (int64_t c = 0; c < w; c++) s[c] /= T(rows);
    for (int64_t r = 0; r < rows; r++) {
#pragma omp simd
      for (int64_t c = 0; c < w; c++) {
        const T v = data[r * columns + c0 + c] - s[c];
        q[c] += v * v;
      }
    }
    for (int64_t c = 0; c < w; c++) q[c] = gpo::sqrt(q[c] / T(rows));
    for (int64_t r = 0; r < rows; r++) {
#pragma omp simd
      for (int64_t c = 0; c < w; c++) data[r * columns + c0 + c] = (data[r * columns + c0 + c] - s[c]) / q[c];
    }
  }
}

template <class T>
std::vector<T> &filled(std::vector<T> &v, int64_t n) {
  if (int64_t(v.size()) < n) v.resize(size_t(n));
  for (int64_t i = 0; i < n; i++) v[size_t(i)] = T((i * 37 % 1001) / 500.0 - 1);
  return v;
}

template <class T>
std::vector<T> &memory(int which) {
  static std::vector<T> m[4];
  return m[which];
}

template <class T>
void elementwise(const char *type) {
  const auto title = [&](const std::string &name, int64_t n) { return name + " " + type + " " + std::to_string(n); };
  for (const int64_t n : {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000}) {
    if (g_filter.find("big") == std::string::npos && n > 10000000 && g_filter.empty()) continue;
    T *x = filled(memory<T>(0), n).data(), *y = filled(memory<T>(1), n).data(), *z = filled(memory<T>(2), n).data();
    Program add({n});
    add.output(add.op(GPUOPT_OP_add, {add.input(x, dtype_of<T>()), add.input(y, dtype_of<T>())}), z);
    compare(
        title("add", n), n, [&] { add.run(); }, [&] { bound_add(x, y, z, n); });
    Program scale({n});
    scale.output(scale.op(GPUOPT_OP_multiply, {scale.input(x, dtype_of<T>()), scale.constant(T(1))}), x);
    static volatile T opaque_one = 1;
    const T one = opaque_one;
    compare(
        title("scale in place", n), n, [&] { scale.run(); }, [&] { bound_scale(x, one, n); });
    Program threefold({n});
    const uint16_t a =
        threefold.op(GPUOPT_OP_multiply, {threefold.input(x, dtype_of<T>()), threefold.constant(T(0.5))});
    const uint16_t b = threefold.op(GPUOPT_OP_multiply, {a, a});
    threefold.output(threefold.op(GPUOPT_OP_add, {b, b}), x);
    compare(
        title("threefold", n), n, [&] { threefold.run(); }, [&] { bound_threefold(x, n); });
    Program softplus({n});
    const uint16_t in = softplus.input(y, dtype_of<T>());
    const uint16_t top = softplus.op(GPUOPT_OP_maximum, {softplus.constant(T(0)), in});
    const uint16_t e =
        softplus.op(GPUOPT_OP_exp, {softplus.op(GPUOPT_OP_negative, {softplus.op(GPUOPT_OP_abs, {in})})});
    softplus.output(softplus.op(GPUOPT_OP_add, {top, softplus.op(GPUOPT_OP_log1p, {e})}), z);
    compare(
        title("softplus", n), n, [&] { softplus.run(); }, [&] { bound_softplus(y, z, n); });
    Program sum({n}, 1);
    T total;
    sum.output(sum.reduce(GPUOPT_REDUCTION_sum, sum.input(x, dtype_of<T>())), &total);
    compare(
        title("sum", n), n, [&] { sum.run(); }, [&] { total = bound_sum(x, n); });
    Program cumsum({n}, 1);
    cumsum.output(cumsum.scan(GPUOPT_SCAN_cumulative_sum, cumsum.input(x, dtype_of<T>())), z);
    compare(
        title("cumsum", n), n, [&] { cumsum.run(); }, [&] { bound_cumsum(x, z, n); });
  }
}

template <class T>
void matrices(const char *type) {
  const auto title = [&](const std::string &name) { return name + " " + type; };
  const int64_t n = 4096;
  T *x = filled(memory<T>(0), n * n).data(), *y = filled(memory<T>(1), n * n).data(),
    *z = filled(memory<T>(2), n * n).data();
  const uint8_t dtype = dtype_of<T>();
  Program sum0({n, n}, 1), sum1({n, n}, 2);
  sum0.output(sum0.reduce(GPUOPT_REDUCTION_sum, sum0.input(x, dtype)), z);
  compare(
      title("sum axis 0 4096x4096"), n * n, [&] { sum0.run(); }, [&] { bound_sum_columns(x, z, n, n); });
  sum1.output(sum1.reduce(GPUOPT_REDUCTION_sum, sum1.input(x, dtype)), z);
  compare(
      title("sum axis 1 4096x4096"), n * n, [&] { sum1.run(); }, [&] { bound_sum_rows(x, z, n, n); });
  for (const int number : {GPUOPT_REDUCTION_max, GPUOPT_REDUCTION_argmax}) {
    for (const uint64_t axis : {1, 2}) {
      Program p({n, n}, axis);
      p.output(p.reduce(number, p.input(x, dtype), number == GPUOPT_REDUCTION_argmax ? GPUOPT_INT64 : dtype), z);
      compare(
          title(std::string(number == GPUOPT_REDUCTION_max ? "max" : "argmax") + " axis " + std::to_string(axis - 1)),
          n * n, [&] { p.run(); }, [&] { bound_sum_rows(x, z, n, n); });
    }
  }
  Program transposed({n, n});
  const int64_t size = sizeof(T);
  transposed.output(
      transposed.op(GPUOPT_OP_add, {transposed.input(x, dtype), transposed.input(y, dtype, {size, n * size})}), z);
  compare(
      title("x + y.T 4096x4096"), n * n, [&] { transposed.run(); }, [&] { bound_add_transposed(x, y, z, n); });
  Program bias({n, n});
  bias.output(bias.op(GPUOPT_OP_add, {bias.input(x, dtype), bias.input(y, dtype, {0, size})}), z);
  const auto bias_bound = [&] { bound_add_row(x, y, z, n); };
  compare(
      title("x + row 4096x4096"), n * n, [&] { bias.run(); }, bias_bound);
  Program column({n, n});
  column.output(column.op(GPUOPT_OP_add, {column.input(x, dtype), column.input(y, dtype, {size, 0})}), z);
  compare(
      title("x + column 4096x4096"), n * n, [&] { column.run(); }, bias_bound);

  // (x - mean) / std along each axis.
  const auto standardize = [&](int64_t rows, int64_t columns, uint64_t axes) {
    T *data = filled(memory<T>(3), rows * columns).data();
    Program p({rows, columns}, axes);
    const uint16_t in = p.input(data, dtype), count = p.constant(T(axes == 1 ? rows : columns));
    const uint16_t mean = p.op(GPUOPT_OP_divide, {p.reduce(GPUOPT_REDUCTION_sum, in), count});
    const uint16_t d = p.op(GPUOPT_OP_subtract, {in, mean});
    const uint16_t variance =
        p.op(GPUOPT_OP_divide, {p.reduce(GPUOPT_REDUCTION_sum, p.op(GPUOPT_OP_square, {d})), count});
    p.output(p.op(GPUOPT_OP_divide, {d, p.op(GPUOPT_OP_sqrt, {variance})}), data);
    compare(
        title("standardize axis " + std::to_string(axes - 1) + " " + std::to_string(rows) + "x" +
              std::to_string(columns)),
        rows * columns, [&] { p.run(); },
        [&] {
          axes == 1 ? bound_standardize_columns(data, rows, columns) : bound_standardize_rows(data, rows, columns);
        });
  };
  standardize(1000, 100000, 1);
  standardize(100000, 1000, 2);
  standardize(10000000, 10, 2);
  standardize(10000000, 10, 1);
}

}  // namespace

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--cpu") == 0) {
      g_processor_time = true;
    } else {
      g_filter = argv[i];
    }
  }
  gpuopt::cpu::set_host(&kHost);
  const gpuopt::cpu::FpuScope fpu;
  elementwise<float>("f32");
  elementwise<double>("f64");
  matrices<float>("f32");
  matrices<double>("f64");
}
