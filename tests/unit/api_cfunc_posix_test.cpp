// tests/unit/api_cfunc_posix_test.cpp -- native functions: types of C, callbacks, errors, how long they live.
// POSIX only: it looks into /proc, and the compiler is not built for Windows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/jit_process.h"

namespace {

namespace gp = gpuopt;

// A handle of the C functions.
struct Function {
  gpuopt_cfunc handle = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_status status;
  Function(const char *code, const char *name, const char *signature)
      : status(gpuopt_compile_cfunc(code, name, signature, &handle, &error)) {}
  ~Function() { gpuopt_cfunc_release(handle); }
  Function(const Function &) = delete;
  template <class F>
  F *as() const {
    EXPECT_EQ(status, GPUOPT_OK) << error.message;
    return reinterpret_cast<F *>(gpuopt_cfunc_address(handle));
  }
};

TEST(Cfunc, ArithmeticIsNotContracted) {
  const Function f("double f(double x, float y, double z) { return x * x + y / z; }", "f",
                   "float64,float32,float64->float64");
  auto *const call = f.as<double(double, float, double)>();
  for (int k = 1; k < 2000; k++) {
    const volatile double x = 1.0 / k, square = x * x, quotient = 0.1f * static_cast<float>(k) / 3.7;
    EXPECT_EQ(call(x, 0.1f * static_cast<float>(k), 3.7), square + quotient) << k;
  }
}

// Small integers arrive with all their bits, whichever the register has.
template <class T>
void check_integer(const char *dtype) {
  const std::string code = std::string("template <class T> T next(T x, bool really) { return really ? T(x + 1) : x; }"),
                    signature = std::string(dtype) + ",bool->" + dtype;
  const Function next(code.c_str(), "next", signature.c_str());
  auto *const call = next.as<T(T, bool)>();
  for (const T x : {std::numeric_limits<T>::min(), T(-1), T(0), T(41), T(std::numeric_limits<T>::max() - 1)}) {
    EXPECT_EQ(call(x, false), x) << dtype;
    if (x == std::numeric_limits<T>::max()) continue;
    EXPECT_EQ(call(x, true), T(x + 1)) << dtype;
  }
}

TEST(Cfunc, IntegersOfAllWidths) {
  check_integer<int8_t>("int8");
  check_integer<int16_t>("int16");
  check_integer<int32_t>("int32");
  check_integer<int64_t>("int64");
  check_integer<uint8_t>("uint8");
  check_integer<uint16_t>("uint16");
  check_integer<uint32_t>("uint32");
  check_integer<uint64_t>("uint64");
  const Function negative("bool negative(int8_t x) { return x < 0; }", "negative", "int8->bool");
  EXPECT_TRUE(negative.as<bool(int8_t)>()(-128));
  EXPECT_FALSE(negative.as<bool(int8_t)>()(127));
}

TEST(Cfunc, MathIsTheLibrarys) {
  const gp::with_device scope("cpu");
  const gp::array x = gp::linspace(-700.0, 700.0, 5000);
  const Function f("double f(double x) { return sin(x) + exp(x) * tanh(x); }", "f", "float64->float64");
  auto *const call = f.as<double(double)>();
  const gp::array y = gp::sin(x) + gp::exp(x) * gp::tanh(x);
  for (int64_t k = 0; k < 5000; k++) EXPECT_EQ(call(x.item<double>({k})), y.item<double>({k})) << k;
}

// C99's complex numbers, which GCC and Clang have in C++, too.
using Complex64 = __complex__ float;
using Complex128 = __complex__ double;
template <class T>
T complex_of(int real, int imag) {
  T z;
  __real__ z = real;
  __imag__ z = imag;
  return z;
}

TEST(Cfunc, ComplexNumbersAreCs) {
  const Function f(
      "complex<double> f(complex<double> a, double b) { return complex<double>(a.imag() + b, 2 * a.real()); }", "f",
      "complex128,float64->complex128");
  const Complex128 z = f.as<Complex128(Complex128, double)>()(complex_of<Complex128>(3, 5), 7);
  EXPECT_EQ(__real__ z, 12);
  EXPECT_EQ(__imag__ z, 6);
  const Function g("complex64 g(complex64 a) { return complex64(a.imag(), -a.real()); }", "g", "complex64->complex64");
  const Complex64 w = g.as<Complex64(Complex64)>()(complex_of<Complex64>(3, 5));
  EXPECT_EQ(__real__ w, 5);
  EXPECT_EQ(__imag__ w, -3);
}

TEST(Cfunc, QsortCallsBack) {
  const Function compare("int32_t compare(const double *a, const double *b) { return (*a > *b) - (*a < *b); }",
                         "compare", "const float64*, const float64* -> int32");
  std::vector<double> x;
  for (int k = 0; k < 1000; k++) x.push_back(k * 7919 % 1000 - 500.5);
  std::vector<double> sorted = x;
  std::sort(sorted.begin(), sorted.end());
  std::qsort(x.data(), x.size(), sizeof(double), compare.as<int(const void *, const void *)>());
  EXPECT_EQ(x, sorted);
}

TEST(Cfunc, WritesThroughAddresses) {
  const Function scale(
      "void scale(int64_t n, const int32_t *x, float16 *y, void *sum) {\n"
      "  for (int64_t i = 0; i < n; i++) { y[i] = x[i] * 0.5; *(double *)sum += x[i]; }\n}",
      "scale", "int64,const int32*,float16*,void*->void");
  const int32_t x[] = {1, 2, 3, -4};
  uint16_t y[5] = {9, 9, 9, 9, 9};
  double sum = 100;
  scale.as<void(int64_t, const int32_t *, uint16_t *, void *)>()(4, x, y, &sum);
  EXPECT_EQ(sum, 102);
  const uint16_t halves[] = {0x3800, 0x3c00, 0x3e00, 0xc000, 9};  // 0.5, 1, 1.5, -2 as IEEE 754's binary16
  for (int k = 0; k < 5; k++) EXPECT_EQ(y[k], halves[k]) << k;
}

TEST(Cfunc, RecursionTemplatesAndNoArguments) {
  const Function fib("template <class T> T fib(T n) { return n < 2 ? n : fib(T(n - 1)) + fib(T(n - 2)); }", "fib",
                     "int64->int64");
  EXPECT_EQ(fib.as<int64_t(int64_t)>()(20), 6765);
  const Function count("int64_t calls = 10;\nint64_t count() { return ++calls; }", "count", "->int64");
  auto *const call = count.as<int64_t()>();
  EXPECT_EQ(call(), 11);
  EXPECT_EQ(call(), 12);
  const Function other("int64_t calls = 10;\nint64_t count() { return ++calls; }", "count", " -> int64");
  EXPECT_EQ(other.as<int64_t()>()(), 11) << "each has variables of its own";
}

TEST(Cfunc, OfAllThreadsAtOnce) {
  const gp::cfunc<double(double, int)> power(
      "double power(double x, int32_t n) { double y = 1; for (int k = 0; k < n; k++) y *= x; return y; }", "power");
  std::vector<std::thread> threads;
  std::vector<double> sums(8, 0.0);
  for (size_t t = 0; t < sums.size(); t++) {
    threads.emplace_back([&, t, mine = power] {
      for (int n = 0; n < 1000; n++) sums[t] += mine(2.0, n % 40);
    });
  }
  for (std::thread &thread : threads) thread.join();
  for (const double sum : sums) EXPECT_EQ(sum, 25 * (std::ldexp(1.0, 40) - 1));
}

// Whether an address is in a part of this process that may be executed.
bool is_code(const void *address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  std::istringstream maps(gp::test::contents_of("/proc/self/maps"));
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    char rights[5] = "";
    if (std::sscanf(line.c_str(), "%zx-%zx %4s", &begin, &end, rights) != 3) continue;
    if (wanted >= begin && wanted < end) return rights[2] == 'x';
  }
  return false;
}

TEST(Cfunc, StaysWhileItIsReferredTo) {
  gpuopt_cfunc handle = nullptr;
  ASSERT_EQ(gpuopt_compile_cfunc("int32_t f() { return 5; }", "f", "->int32", &handle, nullptr), GPUOPT_OK);
  void *const address = gpuopt_cfunc_address(handle);
  EXPECT_EQ(gpuopt_cfunc_retain(handle), handle);
  gpuopt_cfunc_release(handle);
  EXPECT_TRUE(is_code(address));
  EXPECT_EQ(reinterpret_cast<int32_t (*)()>(address)(), 5);
  gpuopt_cfunc_release(handle);
  EXPECT_FALSE(is_code(address));
  EXPECT_EQ(gpuopt_cfunc_retain(nullptr), nullptr);
  EXPECT_EQ(gpuopt_cfunc_address(nullptr), nullptr);
  gpuopt_cfunc_release(nullptr);
}

TEST(Cfunc, Errors) {
  const struct {
    const char *code, *name, *signature;
    gpuopt_status status;
    const char *words;
  } cases[] = {
      {"double f(double x) {\n  return y;\n}", "f", "float64->float64", GPUOPT_ERR_COMPILE, "f:2:"},
      {"double g(double x) { return x; }", "f", "float64->float64", GPUOPT_ERR_COMPILE, "'f'"},
      {"double f(double *x) { return *x; }", "f", "const float64*->float64", GPUOPT_ERR_COMPILE, "f"},
      {"#include <mine.h>\ndouble f(double x) { return x; }", "f", "float64->float64", GPUOPT_ERR_COMPILE, "mine.h"},
      {"", "f", "float64", GPUOPT_ERR_INVALID_ARGUMENT,
       "f: Syntax error: the signature \"float64\" is not ARGUMENTS->RESULT"},
      {"", "f", "double->double", GPUOPT_ERR_INVALID_ARGUMENT, "Wrong type double"},
      {"", "f", "float64**->float64", GPUOPT_ERR_INVALID_ARGUMENT, "Wrong type float64*"},
      {"", "f", "float64,->float64", GPUOPT_ERR_INVALID_ARGUMENT, "Wrong type"},
      {"", "f", "void->float64", GPUOPT_ERR_INVALID_ARGUMENT, "no argument is void"},
      {"", "f", "float16->float64", GPUOPT_ERR_INVALID_ARGUMENT, "float16 is passed by address only"},
      {"", "f", "float64->bfloat16", GPUOPT_ERR_INVALID_ARGUMENT, "bfloat16 is passed by address only"},
      {"", "f", "const float64->float64", GPUOPT_ERR_INVALID_ARGUMENT, "const"},
      {"", "f", nullptr, GPUOPT_ERR_INVALID_ARGUMENT, "f: Syntax error"},
      {"", "no name", "->void", GPUOPT_ERR_INVALID_ARGUMENT, "no name"},
      {"", nullptr, "->void", GPUOPT_ERR_INVALID_ARGUMENT, "is not a name"},
  };
  for (const auto &c : cases) {
    const Function f(c.code, c.name, c.signature);
    EXPECT_EQ(f.status, c.status) << c.words << ": " << f.error.message;
    EXPECT_NE(std::string(f.error.message).find(c.words), std::string::npos) << f.error.message;
    EXPECT_EQ(f.handle, nullptr);
  }
  EXPECT_EQ(gpuopt_compile_cfunc("", "f", "->void", nullptr, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

}  // namespace
