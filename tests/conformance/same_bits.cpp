// tests/conformance/same_bits.cpp -- runs a fixed corpus of programs and prints one hash per program. The CTest test
// conformance/same_bits runs it for several thread counts, instruction sets and modes and compares the lines.
#include "tests/conformance/same_bits.h"

#include <gpuopt/gpuopt.h>

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

// FNV-1a over the elements, every NaN counted as one value: which one it is depends on the processor. `infinity`: its
// bits in a dtype of two bytes, above which NaNs lie.
template <class T>
uint64_t hash_floats(const std::vector<char> &bytes, unsigned infinity = 0xffff) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, &bytes[i], sizeof value);
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    if (value != value || (sizeof value == 2 && (bits & 0x7fff) > infinity)) bits = 0x7ff8u;
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

}  // namespace

namespace same_bits {

gpuopt_device device;

void print_hash(const std::string &name, gpuopt_array x) {
  std::vector<char> bytes(size_t(gpuopt_array_nbytes(x)));
  MUST(gpuopt_to_host(x, bytes.data(), bytes.size(), error));
  gpuopt_dtype d = gpuopt_array_dtype(x);
  const char kind = gpuopt_dtype_kind(d);
  const bool wide = gpuopt_dtype_size(d) == (kind == 'c' ? 16 : 8);
  uint64_t hash =
      kind == 'f' || kind == 'c'
          ? (wide                        ? hash_floats<double>(bytes)
             : gpuopt_dtype_size(d) == 2 ? hash_floats<uint16_t>(bytes, d == GPUOPT_FLOAT16 ? 0x7c00 : 0x7f80)
                                         : hash_floats<float>(bytes))
          : hash_floats<uint8_t>(bytes);
  std::printf("%-40s %016" PRIx64 "\n", name.c_str(), hash);
}

gpuopt_array numbers(gpuopt_dtype d, const std::vector<int64_t> &shape, uint64_t seed) {
  gpuopt_generator g = nullptr;
  gpuopt_array wide = nullptr, scaled = nullptr, result = nullptr, ten = nullptr;
  MUST(gpuopt_generator_create(device, seed, &g, error));
  MUST(gpuopt_generator_normal(g, 0.1, 1.7, GPUOPT_FLOAT64, static_cast<int32_t>(shape.size()), shape.data(), &wide,
                               error));
  MUST(gpuopt_weak(gpuopt_scalar_real(10), &ten, error));
  MUST(gpuopt_multiply(wide, ten, &scaled, error));
  const bool integers = gpuopt_dtype_kind(d) == 'i' || gpuopt_dtype_kind(d) == 'u';
  MUST(gpuopt_astype(integers ? scaled : wide, d, GPUOPT_COPY_IF_NEEDED, &result, error));
  for (gpuopt_array x : {wide, scaled, ten}) gpuopt_array_release(x);
  gpuopt_generator_release(g);
  return result;
}

}  // namespace same_bits

namespace {

using namespace same_bits;

// Numbers of many magnitudes from a linear congruential generator, the same on every machine. Complex ones have two
// components that are not 0, without which none of their products and quotients rounds more than once.
gpuopt_array magnitudes(gpuopt_dtype dtype, int64_t rows, int64_t columns, uint64_t state = 12345) {
  const bool complex = gpuopt_dtype_kind(dtype) == 'c';
  std::vector<double> values(size_t(rows * columns) * (complex ? 2 : 1));
  for (double &v : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = std::ldexp(double(int64_t(state >> 11)) - 4503599627370496.0, -52 + int(state >> 60) - 6);
  }
  const int64_t shape[2] = {rows, columns};
  gpuopt_array wide = nullptr, out = nullptr;
  MUST(gpuopt_array_from(device, values.data(), complex ? GPUOPT_COMPLEX128 : GPUOPT_FLOAT64, 2, shape, &wide, error));
  MUST(gpuopt_astype(wide, dtype, GPUOPT_COPY_IF_NEEDED, &out, error));
  gpuopt_array_release(wide);
  return out;
}

// Whether the op takes the dtype: it has a loop for it, takes anything as bool, or promotes it to float64.
bool in_kinds(const char *kinds, gpuopt_dtype d) {
  const char kind = gpuopt_dtype_kind(d);
  return std::strchr(kinds, kind) || std::string(kinds) == "?" ||
         (kind != 'f' && kind != 'c' && std::strchr(kinds, 'f'));
}

struct Op {
  gpuopt_op op;
  const char *name;
  int nin;
  const char *kinds;
};
const Op kOps[] = {
#define GPUOPT_OP(name, nin, kinds, result, doc) {GPUOPT_OP_##name, #name, nin, kinds},
#include <gpuopt/ops.def>
};
struct Reduction {
  gpuopt_reduction reduction;
  const char *name;
  const char *kinds;
};
const Reduction kReductions[] = {
#define GPUOPT_REDUCTION(name, kinds, result, doc) {GPUOPT_REDUCTION_##name, #name, kinds},
#include <gpuopt/ops.def>
};

void hash_ops(gpuopt_dtype d) {
  gpuopt_array x = magnitudes(d, 37, 211), y = nullptr;
  MUST(gpuopt_flip(x, 0, nullptr, &y, error));
  for (const Op &op : kOps) {
    if (!in_kinds(op.kinds, d)) continue;
    const gpuopt_array inputs[3] = {x, y, x};
    gpuopt_array result = nullptr;
    MUST(gpuopt_apply(op.op, op.nin, inputs, nullptr, &result, error));
    print_hash(std::string(op.name) + "." + gpuopt_dtype_name(d), result);
    gpuopt_array_release(result);
  }
  gpuopt_array_release(y);
  gpuopt_array_release(x);
}

// Complex numbers whose components are infinite, NaN, huge, denormal or zero, in every combination, and for functions
// of two every pair of them: what hardware and compilers leave open shows here first.
gpuopt_array special_numbers(gpuopt_dtype d, int64_t rows, int64_t columns) {
  const bool wide = d == GPUOPT_COMPLEX128;
  const double least = wide ? 0x1p-1074 : 0x1p-149, small = wide ? 1e-200 : 1e-25, large = wide ? 1e154 : 1e19,
               huge = wide ? 1.7e308 : 3.3e38;
  std::vector<double> parts = {NAN}, values;
  for (double x : {0.0, least, small, 0.5, 1.0, 41.0, large, huge, double(INFINITY)}) {
    parts.push_back(x);
    parts.push_back(-x);
  }
  for (double re : parts)
    for (double im : parts) values.insert(values.end(), {re, im});
  const int64_t shape[2] = {rows, columns};
  gpuopt_array complex = nullptr, out = nullptr;
  MUST(gpuopt_array_from(device, values.data(), GPUOPT_COMPLEX128, 2, shape, &complex, error));
  MUST(gpuopt_astype(complex, d, GPUOPT_COPY_IF_NEEDED, &out, error));
  gpuopt_array_release(complex);
  return out;
}

void hash_special_numbers(gpuopt_dtype d) {
  constexpr int64_t count = 19 * 19;
  gpuopt_array x = special_numbers(d, 1, count), y = special_numbers(d, count, 1);
  for (const Op &op : kOps) {
    if (!std::strchr(op.kinds, 'c') || op.nin > 2) continue;
    const gpuopt_array inputs[2] = {x, y};
    gpuopt_array result = nullptr;
    MUST(gpuopt_apply(op.op, op.nin, inputs, nullptr, &result, error));
    print_hash(std::string(op.name) + ".special." + gpuopt_dtype_name(d), result);
    gpuopt_array_release(result);
  }
  gpuopt_reduce_options rows = {};
  const int64_t one[1] = {1};
  rows.struct_size = sizeof rows, rows.axes = one, rows.naxes = 1;
  gpuopt_array sum = nullptr, product = nullptr, pairs = nullptr;
  MUST(gpuopt_multiply(x, y, &pairs, error));
  MUST(gpuopt_sum(pairs, &rows, &sum, error));
  MUST(gpuopt_prod(x, nullptr, &product, error));
  print_hash(std::string("sum_of_products.special.") + gpuopt_dtype_name(d), sum);
  print_hash(std::string("prod.special.") + gpuopt_dtype_name(d), product);
  for (gpuopt_array a : {x, y, pairs, sum, product}) gpuopt_array_release(a);
}

void hash_reductions(gpuopt_dtype d, int64_t rows, int64_t columns) {
  gpuopt_array x = magnitudes(d, rows, columns);
  const std::string size = std::to_string(rows) + "x" + std::to_string(columns);
  for (const Reduction &r : kReductions) {
    if (std::string(r.kinds) != "?" && !std::strchr(r.kinds, gpuopt_dtype_kind(d))) continue;
    for (int axis = -1; axis < 2; ++axis) {
      const int64_t axes[1] = {axis};
      gpuopt_reduce_options options = {};
      options.struct_size = sizeof options;
      options.axes = axis < 0 ? nullptr : axes;
      options.naxes = axis < 0 ? 0 : 1;
      gpuopt_array result = nullptr;
      MUST(gpuopt_reduce(r.reduction, x, axis < 0 ? nullptr : &options, &result, error));
      print_hash(std::string(r.name) + "." + gpuopt_dtype_name(d) + "." + size + "." +
                     (axis < 0 ? "all" : std::to_string(axis)),
                 result);
      gpuopt_array_release(result);
    }
  }
  gpuopt_array_release(x);
}

// The fused programs people write: standardize, softmax, a running sum, an in-place chain.
void hash_chains(gpuopt_dtype d) {
  gpuopt_array x = magnitudes(d, 301, 1200), mean = nullptr, std = nullptr, sum = nullptr, e = nullptr,
               softmax = nullptr, scan = nullptr;
  const int64_t zero[1] = {0}, one[1] = {1};
  gpuopt_reduce_options columns = {}, rows = {};
  columns.struct_size = rows.struct_size = sizeof columns;
  columns.axes = zero, columns.naxes = 1;
  rows.axes = one, rows.naxes = 1, rows.keepdims = 1;
  MUST(gpuopt_exp(x, &e, error));
  MUST(gpuopt_sum(e, &rows, &sum, error));
  MUST(gpuopt_divide(e, sum, &softmax, error));
  print_hash(std::string("softmax.") + gpuopt_dtype_name(d), softmax);
  MUST(gpuopt_cumulative_sum(x, 1, 0, 0, &scan, error));
  print_hash(std::string("cumulative_sum.") + gpuopt_dtype_name(d), scan);
  MUST(gpuopt_nanmean(x, &columns, &mean, error));
  MUST(gpuopt_nanstd(x, &columns, &std, error));
  MUST(gpuopt_subtract_into(x, mean, x, error));
  MUST(gpuopt_divide_into(x, std, x, error));
  print_hash(std::string("standardize.") + gpuopt_dtype_name(d), x);
  for (gpuopt_array a : {x, mean, std, sum, e, softmax, scan}) gpuopt_array_release(a);
}

// A product and what is added to it, in programs that a backend fuses: contracted, they would round once. Nobody holds
// the product, so that it need not be stored.
void hash_products_and_sums(gpuopt_dtype d) {
  gpuopt_array x = magnitudes(d, 301, 1200), y = magnitudes(d, 301, 1200, 777), t = magnitudes(d, 301, 1200, 31),
               product = nullptr, sum = nullptr, difference = nullptr, part = nullptr, between = nullptr;
  const std::string dtype = std::string(".") + gpuopt_dtype_name(d);
  MUST(gpuopt_multiply(x, y, &product, error));
  MUST(gpuopt_add(product, t, &sum, error));
  gpuopt_array_release(product);
  print_hash("multiply_add" + dtype, sum);
  MUST(gpuopt_subtract(y, x, &difference, error));
  MUST(gpuopt_multiply(difference, t, &part, error));
  MUST(gpuopt_add(x, part, &between, error));
  gpuopt_array_release(difference);
  gpuopt_array_release(part);
  print_hash("interpolate" + dtype, between);
  for (gpuopt_array a : {x, y, t, sum, between}) gpuopt_array_release(a);
}

void hash_ranges(gpuopt_dtype d) {
  gpuopt_array x = nullptr;
  const std::string dtype = std::string(".") + gpuopt_dtype_name(d);
  MUST(gpuopt_arange(device, d, gpuopt_scalar_real(-3.7), gpuopt_scalar_real(900.1), gpuopt_scalar_real(0.0137), &x,
                     error));
  print_hash("arange" + dtype, x);
  gpuopt_array_release(x);
  MUST(gpuopt_linspace(device, d, -0.3, 7.1, 99991, 1, &x, error));
  print_hash("linspace" + dtype, x);
  gpuopt_array_release(x);
}

void hash_random() {
  const int64_t shape[1] = {100003};
  gpuopt_generator g = nullptr;
  gpuopt_random_state s = nullptr;
  MUST(gpuopt_generator_create(device, 7, &g, error));
  MUST(gpuopt_random_state_create(device, 7, &s, error));
  gpuopt_array x = nullptr;
  for (gpuopt_dtype d : {GPUOPT_FLOAT32, GPUOPT_FLOAT64}) {
    MUST(gpuopt_generator_uniform(g, -2.6, 3.7, d, 1, shape, &x, error));
    print_hash(std::string("uniform.") + gpuopt_dtype_name(d), x);
    gpuopt_array_release(x);
    MUST(gpuopt_generator_normal(g, 0.3, 1.7, d, 1, shape, &x, error));
    print_hash(std::string("normal.") + gpuopt_dtype_name(d), x);
    gpuopt_array_release(x);
    MUST(gpuopt_generator_exponential(g, 1.3, d, 1, shape, &x, error));
    print_hash(std::string("exponential.") + gpuopt_dtype_name(d), x);
    gpuopt_array_release(x);
  }
  MUST(gpuopt_generator_integers(g, -5, 1000, 0, GPUOPT_INT32, 1, shape, &x, error));
  print_hash("integers", x);
  gpuopt_array_release(x);
  MUST(gpuopt_generator_permutation(g, 5003, nullptr, &x, error));
  print_hash("permutation", x);
  gpuopt_array_release(x);
  MUST(gpuopt_random_state_normal(s, 0.3, 1.7, 1, shape, &x, error));
  print_hash("RandomState.normal", x);
  gpuopt_array_release(x);
  MUST(gpuopt_random_state_uniform(s, -2.6, 3.7, 1, shape, &x, error));
  print_hash("RandomState.uniform", x);
  gpuopt_array_release(x);
  gpuopt_generator_release(g);
  gpuopt_random_state_release(s);
}

// Products: matrices around the edges of blocks and tiles, vectors, deep and flat ones, batches, and transposed
// operands.
void hash_matmul(gpuopt_dtype d) {
  const std::pair<std::vector<int64_t>, std::vector<int64_t>> kShapes[] = {
      {{37, 600}, {600, 41}}, {{130, 1025}, {1025, 97}}, {{5, 30000}, {30000, 3}}, {{1, 5000}, {5000, 1}},
      {{300, 513}, {513, 1}}, {{7, 4, 4}, {7, 4, 4}},    {{3, 5, 17}, {17, 19}},   {{200, 3}, {3, 200}}};
  for (const auto &[left, right] : kShapes) {
    gpuopt_array a = numbers(d, left, 11), b = numbers(d, right, 12), c = nullptr, at = nullptr, bt = nullptr;
    MUST(gpuopt_matmul(a, b, &c, error));
    const std::string name = std::string("matmul.") + gpuopt_dtype_name(d) + "." + std::to_string(left.back());
    print_hash(name, c);
    gpuopt_array_release(c);
    MUST(gpuopt_matrix_transpose(a, &at, error));
    MUST(gpuopt_matrix_transpose(b, &bt, error));
    MUST(gpuopt_matmul(bt, at, &c, error));
    print_hash(name + ".transposed", c);
    for (gpuopt_array x : {a, b, c, at, bt}) gpuopt_array_release(x);
  }
}

// What is recorded and fused.
void hash_recorded() {
  for (gpuopt_dtype d = 1; d < GPUOPT_DTYPE_COUNT; ++d) {
    hash_ops(d);
    hash_reductions(d, 33, 65);
  }
  for (gpuopt_dtype d : {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_INT16})
    hash_reductions(d, 2500, 2100);
  for (gpuopt_dtype d : {GPUOPT_FLOAT16, GPUOPT_FLOAT32, GPUOPT_FLOAT64}) hash_chains(d);
  for (gpuopt_dtype d : {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128})
    hash_products_and_sums(d);
  for (gpuopt_dtype d : {GPUOPT_COMPLEX64, GPUOPT_COMPLEX128}) hash_special_numbers(d);
  for (gpuopt_dtype d : {GPUOPT_FLOAT32, GPUOPT_FLOAT64}) hash_ranges(d);
}

void hash_library() {
  for (gpuopt_dtype d : {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_COMPLEX128}) {
    hash_linalg(d);
    if (d != GPUOPT_FLOAT32) hash_transforms(d);
  }
  for (gpuopt_dtype d = 1; d < GPUOPT_DTYPE_COUNT; ++d)
    if (d != GPUOPT_FLOAT32 && d != GPUOPT_INT64) hash_sorting(d);
  hash_distributions();
  hash_functions();
}

}  // namespace

// same_bits [own]: with "own" only what the CUDA backend computes itself, and sorting for two dtypes, transforms
// and factors of matrices for one alone, since each has kernels of its own there, which a stand-in compiles slowly. The
// families that it leaves to the CPU, which "!" behind its name forbids, are left out.
int main(int argc, char **argv) {
  const bool all = argc < 2 || std::string(argv[1]) != "own";
  const char *request = std::getenv("GPUOPT_TEST_DEVICE");
  MUST(gpuopt_device_open(request ? request : "cpu", nullptr, &device, error));
  hash_recorded();
  hash_random();
  for (gpuopt_dtype d : {GPUOPT_INT32, GPUOPT_FLOAT16, GPUOPT_BFLOAT16, GPUOPT_FLOAT32, GPUOPT_FLOAT64,
                         GPUOPT_COMPLEX64, GPUOPT_COMPLEX128})
    hash_matmul(d);
  for (gpuopt_dtype d : {GPUOPT_INT16, GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX128}) {
    hash_selection(d);
    hash_statistics(d);
  }
  for (gpuopt_dtype d : {GPUOPT_FLOAT32, GPUOPT_INT64}) hash_sorting(d);
  hash_transforms(GPUOPT_FLOAT32);
  for (const auto &shape : std::vector<std::vector<int64_t>>{{7, 7}, {33, 33}, {150, 5, 5}})
    hash_factors(GPUOPT_FLOAT32, shape);
  if (all) hash_library();
  gpuopt_device_release(device);
  return 0;
}
