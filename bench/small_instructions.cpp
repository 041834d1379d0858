// bench/small_instructions.cpp -- what a few operations on a few elements cost through the C ABI, for a program that
// counts instructions (small_instructions.py): their number is the same on a busy machine as on an idle one.
//
//   small_instructions              lists the cases, one a line
//   small_instructions CALLS        runs each case CALLS times inside of measured(), after it has been run before it
//   small_instructions CALLS CASE   runs one case
//
// The operands are computed, and one thread computes. With GPUOPT_SMALL_OPERATIONS=off all operations are recorded.
#include <gpuopt/gpuopt.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>

namespace {

gpuopt_error g_error = GPUOPT_ERROR_INIT;

void must(gpuopt_status status) {
  if (status == GPUOPT_OK) return;
  std::fprintf(stderr, "small_instructions: %s\n", g_error.message);
  std::exit(1);
}

gpuopt_array made(gpuopt_device device, gpuopt_dtype dtype, std::initializer_list<int64_t> shape, int value) {
  gpuopt_array x = nullptr;
  void *data = nullptr;
  must(gpuopt_full(device, dtype, static_cast<int32_t>(shape.size()), shape.begin(), gpuopt_scalar_int(value), &x,
                   &g_error));
  must(gpuopt_array_data(x, &data, &g_error));
  return x;
}

// The arrays of all cases. They live as long as the process.
struct Operands {
  gpuopt_device device = nullptr;
  gpuopt_array x, y, out, integers, matrix;

  explicit Operands(int64_t n) {
    must(gpuopt_device_open("cpu!", nullptr, &device, &g_error));
    x = made(device, GPUOPT_FLOAT64, {n}, 3);
    y = made(device, GPUOPT_FLOAT64, {n}, 2);
    out = made(device, GPUOPT_FLOAT64, {n}, 1);
    integers = made(device, GPUOPT_INT32, {n}, 5);
    matrix = made(device, GPUOPT_FLOAT64, {4, n}, 7);
  }
};

using Binary = gpuopt_status (*)(gpuopt_array, gpuopt_array, gpuopt_array *, gpuopt_error *);

// Computes `operation` of x and y and stores the result into x, whose reference goes.
void replace(Binary operation, gpuopt_array &x, gpuopt_array y) {
  gpuopt_array result = nullptr;
  must(operation(x, y, &result, &g_error));
  gpuopt_array_release(x);
  x = result;
}

void read_and_release(gpuopt_array x) {
  void *data = nullptr;
  must(gpuopt_array_data(x, &data, &g_error));
  gpuopt_array_release(x);
}

// A chain of `operations` operations of which only the last result is kept.
gpuopt_array chain(const Operands &o, int operations) {
  gpuopt_array value = nullptr;
  must(gpuopt_add(o.x, o.y, &value, &g_error));
  for (int k = 1; k < operations; ++k) replace(k % 2 ? gpuopt_multiply : gpuopt_subtract, value, o.y);
  return value;
}

// (x + y) * y - (x + y), of which the sum stays, too.
void two_results(const Operands &o) {
  gpuopt_array sum = nullptr, result = nullptr;
  must(gpuopt_add(o.x, o.y, &sum, &g_error));
  must(gpuopt_multiply(sum, o.y, &result, &g_error));
  replace(gpuopt_subtract, result, sum);
  read_and_release(result);
  read_and_release(sum);
}

// (x + y) * y into an array that exists.
void into(const Operands &o) {
  gpuopt_array sum = nullptr;
  void *data = nullptr;
  must(gpuopt_add(o.x, o.y, &sum, &g_error));
  must(gpuopt_multiply_into(sum, o.y, o.out, &g_error));
  gpuopt_array_release(sum);
  must(gpuopt_array_data(o.out, &data, &g_error));
}

// x * integers + y: the integers are converted.
void mixed(const Operands &o) {
  gpuopt_array value = nullptr;
  must(gpuopt_multiply(o.x, o.integers, &value, &g_error));
  replace(gpuopt_add, value, o.y);
  read_and_release(value);
}

void sum_of(gpuopt_array x) {
  gpuopt_array sum = nullptr;
  must(gpuopt_sum(x, nullptr, &sum, &g_error));
  read_and_release(sum);
}

void sum_of_products(const Operands &o) {
  gpuopt_array product = nullptr;
  must(gpuopt_multiply(o.x, o.y, &product, &g_error));
  sum_of(product);
  gpuopt_array_release(product);
}

// x + 2.5.
void with_number(const Operands &o) {
  gpuopt_array number = nullptr, sum = nullptr;
  must(gpuopt_weak(gpuopt_scalar_real(2.5), &number, &g_error));
  must(gpuopt_add(o.x, number, &sum, &g_error));
  gpuopt_array_release(number);
  read_and_release(sum);
}

// out += y.
void in_place(const Operands &o) {
  void *data = nullptr;
  must(gpuopt_add_into(o.out, o.y, o.out, &g_error));
  must(gpuopt_array_data(o.out, &data, &g_error));
}

// A view by one index.
void view(const Operands &o, const gpuopt_index &index) {
  gpuopt_array part = nullptr;
  must(gpuopt_slice(o.x, 1, &index, &part, &g_error));
  gpuopt_array_release(part);
}

void item(const Operands &o) {
  const int64_t first = 0;
  gpuopt_scalar value;
  must(gpuopt_array_item(o.x, &first, &value, &g_error));
}

// matrix / sqrt(sum(matrix * matrix, axis 1, keepdims)).
void normalized(const Operands &o) {
  const int64_t axis = 1;
  gpuopt_reduce_options options{};
  options.struct_size = sizeof options;
  options.axes = &axis;
  options.naxes = 1;
  options.keepdims = 1;
  gpuopt_array square = nullptr, sum = nullptr, root = nullptr, result = nullptr;
  must(gpuopt_multiply(o.matrix, o.matrix, &square, &g_error));
  must(gpuopt_sum(square, &options, &sum, &g_error));
  must(gpuopt_sqrt(sum, &root, &g_error));
  must(gpuopt_divide(o.matrix, root, &result, &g_error));
  for (const gpuopt_array x : {square, sum, root}) gpuopt_array_release(x);
  read_and_release(result);
}

void constant(const Operands &o, int64_t n, bool ones) {
  gpuopt_array x = nullptr;
  must((ones ? gpuopt_ones : gpuopt_zeros)(o.device, GPUOPT_FLOAT64, 1, &n, &x, &g_error));
  read_and_release(x);
}

// A case: `number` is how many operations the chain has, or how many elements the constant.
struct Case {
  const char *name;
  void (*run)(const Operands &operands, int number);
  int number;
};

const Case kCases[] = {
    {"chain of 1", [](const Operands &o, int k) { read_and_release(chain(o, k)); }, 1},
    {"chain of 2", [](const Operands &o, int k) { read_and_release(chain(o, k)); }, 2},
    {"chain of 3", [](const Operands &o, int k) { read_and_release(chain(o, k)); }, 3},
    {"chain of 8", [](const Operands &o, int k) { read_and_release(chain(o, k)); }, 8},
    {"chain of 64", [](const Operands &o, int k) { read_and_release(chain(o, k)); }, 64},
    {"two results", [](const Operands &o, int) { two_results(o); }, 3},
    {"into", [](const Operands &o, int) { into(o); }, 2},
    {"in place", [](const Operands &o, int) { in_place(o); }, 1},
    {"x + 2.5", [](const Operands &o, int) { with_number(o); }, 1},
    {"x[0]",
     [](const Operands &o, int) {
       view(o, {GPUOPT_INDEX_INTEGER, 0, 0, 0, 1});
     },
     1},
    {"x[0:1]",
     [](const Operands &o, int) {
       view(o, {GPUOPT_INDEX_SLICE, 0, 0, 1, 1});
     },
     1},
    {"item", [](const Operands &o, int) { item(o); }, 1},
    {"mixed dtypes", [](const Operands &o, int) { mixed(o); }, 2},
    {"sum(x)", [](const Operands &o, int) { sum_of(o.x); }, 1},
    {"sum(x*y)", [](const Operands &o, int) { sum_of_products(o); }, 2},
    {"normalized rows", [](const Operands &o, int) { normalized(o); }, 4},
    {"zeros(16)", [](const Operands &o, int n) { constant(o, n, false); }, 16},
    {"zeros(1000)", [](const Operands &o, int n) { constant(o, n, false); }, 1000},
    {"ones(1000)", [](const Operands &o, int n) { constant(o, n, true); }, 1000},
};
constexpr std::array<int64_t, 2> kLengths = {1, 16};

}  // namespace

// What is counted. It must have a name of its own.
extern "C" [[gnu::noinline]] void measured(const Case &one, const Operands &operands, int calls);
extern "C" void measured(const Case &one, const Operands &operands, int calls) {
  for (int k = 0; k < calls; ++k) one.run(operands, one.number);
}

int main(int argc, char **argv) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : 0;
  for (const int64_t n : kLengths) {
    const Operands operands(n);
    for (const Case &one : kCases) {
      const std::string name = std::string(one.name) + ", n = " + std::to_string(n);
      if (calls <= 0) std::puts(name.c_str());
      if (calls <= 0 || (argc > 2 && name != argv[2])) continue;
      for (int k = 0; k < 20; ++k) one.run(operands, one.number);  // so that all is cached that ever is
      measured(one, operands, calls);
    }
  }
  return 0;
}
