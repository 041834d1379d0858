// tests/unit/api_raw_types_posix_test.cpp -- arguments of raw kernels are of their parameters' types, or an error names
// both; and what compilers say is there in full.
// POSIX only: the compiler of kernels is not built for Windows.
#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <string>
#include <vector>

#include "tests/unit/launch_failure.h"

namespace {

namespace gp = gpuopt;

class RawTypes : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("GPUOPT_CACHE_MAX_BYTES", "0", 1); }
  const gp::with_device scope_{"cpu"};
};

// Of a kernel with one parameter of this type, launched with an array.
Failure takes(const std::string &type, gp::dtype dtype, const std::string &before = "") {
  const gp::array x = gp::zeros({16}, dtype);
  return failure_of([&] { gp::raw_kernel(before + "__global__ void k(" + type + " x) {}", "k")(1, 1, x); });
}

TEST_F(RawTypes, AMismatchNamesBoth) {
  const gp::raw_kernel scale(
      "__global__ void scale(const float *x, float *y, int n) { for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }",
      "scale");
  const gp::array x = gp::ones({3}, gp::float32), y = gp::zeros({3}, gp::float32), wide = gp::ones({3}, gp::float64);
  scale(1, 1, x, y, 3);
  EXPECT_EQ(gp::sum(y).item<float>(), 6);
  const Failure failure = failure_of([&] { scale(1, 1, wide, y, 3); });
  EXPECT_EQ(failure.code, GPUOPT_ERR_TYPE);
  EXPECT_EQ(failure.text,
            "scale: parameter 0 (x) is const float *, and its argument is an array of float64; launch with "
            "GPUOPT_RAW_REINTERPRET if that is meant");
  EXPECT_EQ(
      failure_of([&] { scale(1, 1, x, y, 3.0f); }).text,
      "scale: parameter 2 (n) is int, and its argument is a value of float32; launch with GPUOPT_RAW_REINTERPRET if "
      "that is meant");
  EXPECT_EQ(failure_of([&] { scale(1, 1, x, y, int64_t{3}); }).code, GPUOPT_ERR_INVALID_ARGUMENT);
  scale(1, 1, x, y, 3u);
}

const struct Row {
  const char *type;
  gp::dtype dtype;
} kRows[] = {{"bool", gp::bool_},
             {"signed char", gp::int8},
             {"short", gp::int16},
             {"int", gp::int32},
             {"long long", gp::int64},
             {"unsigned char", gp::uint8},
             {"unsigned short", gp::uint16},
             {"unsigned", gp::uint32},
             {"unsigned long long", gp::uint64},
             {"float16", gp::float16},
             {"bfloat16", gp::bfloat16},
             {"float", gp::float32},
             {"double", gp::float64},
             {"complex<float>", gp::complex64},
             {"complex<double>", gp::complex128}};

TEST_F(RawTypes, EveryTypeTakesItsOwnDtypeAndNoOther) {
  for (const Row &parameter : kRows) {
    for (const char *decoration : {" *", "const ", "volatile "}) {
      const std::string type =
          *decoration == ' ' ? std::string(parameter.type) + " *" : decoration + std::string(parameter.type) + " *";
      const gp::raw_kernel kernel("__global__ void k(" + type + "x) {}", "k");
      for (const Row &argument : kRows) {
        const gp::array x = gp::zeros({4}, argument.dtype);
        const int code = failure_of([&] { kernel(1, 1, x); }).code;
        EXPECT_EQ(code, argument.dtype == parameter.dtype ? 0 : GPUOPT_ERR_TYPE) << type << " " << argument.type;
        EXPECT_EQ(failure_of([&] { kernel(1, 1, gp::reinterpreted(x)); }).code, 0);
      }
    }
  }
}

TEST_F(RawTypes, SomePointersTakeAnything) {
  for (const char *type : {"void *", "const void *", "char *", "const char *", "Node *", "Pair *"}) {
    for (const Row &argument : kRows)
      EXPECT_EQ(takes(type, argument.dtype, "struct Node; struct Pair { float a, b; };\n").code, 0) << type;
  }
}

TEST_F(RawTypes, VectorsAreOfTheirNumbers) {
  EXPECT_EQ(takes("float2 *", gp::float32).code, 0);
  EXPECT_EQ(takes("const float4 *", gp::float32).code, 0);
  EXPECT_EQ(takes("float2 *", gp::complex64).code, 0);
  EXPECT_EQ(takes("double2 *", gp::complex128).code, 0);
  EXPECT_EQ(takes("int4 *", gp::int32).code, 0);
  EXPECT_EQ(takes("float2 *", gp::complex128).code, GPUOPT_ERR_TYPE);
  EXPECT_EQ(takes("float4 *", gp::int32).text,
            "k: parameter 0 (x) is float4 *, and its argument is an array of int32; launch with GPUOPT_RAW_REINTERPRET "
            "if that "
            "is meant");
}

TEST_F(RawTypes, AnArrayIsForAPointer) {
  EXPECT_EQ(takes("long long", gp::int64).code, GPUOPT_ERR_TYPE);
  EXPECT_EQ(takes("double", gp::float64).code, GPUOPT_ERR_TYPE);
  EXPECT_EQ(takes("Holder", gp::float32, "struct Holder { float *x; };\n").code, 0);
}

TEST_F(RawTypes, OfTemplatesAndNamespaces) {
  const std::string text =
      "namespace mine { template <class T, int n> __global__ void fill(T *x, T value) { for (int i = 0; i < n; i++) "
      "x[i] = value; } }";
  const gp::array x = gp::zeros({4}, gp::float32);
  const std::vector<gp::raw_kernel> both = gp::raw_module(text, {"mine::fill<float, 4>", "mine::fill<int, 4>"});
  both[0](1, 1, x, 2.5f);
  EXPECT_EQ(gp::sum(x).item<float>(), 10);
  EXPECT_EQ(failure_of([&] { both[1](1, 1, x, 2); }).text,
            "mine::fill<int, 4>: parameter 0 (x) is int *, and its argument is an array of float32; launch with "
            "GPUOPT_RAW_REINTERPRET if that is meant");
}

TEST_F(RawTypes, TheNamesOfATextAreItsOwn) {
  const gp::array x = gp::zeros({4}, gp::float32);
  const gp::raw_kernel odd(R"(#define value 3
#define type int
#define all 4
#define number 5
#define count 6
typedef float word;
struct parameter { float a; };
__global__ void odd(word *x, parameter p, type n) { x[0] = value + all + number + count + p.a + n; })",
                           "odd");
  struct {
    float a;
  } p{10};
  odd(1, 1, x, p, 1);
  EXPECT_EQ(gp::sum(x).item<float>(), 29);
}

// ---- In C ----

TEST_F(RawTypes, FlagsAndDtypesOfALaunchInC) {
  const gp::raw_kernel kernel("__global__ void bits(unsigned *x, float f) { x[0] = __float_as_uint(f); }", "bits");
  const gp::array x = gp::zeros({1}, gp::float32);
  const float f = 1;
  const gpuopt_raw_argument list[] = {{x.get(), nullptr, 0}, {nullptr, &f, sizeof f}};
  const uint32_t one[] = {1, 1, 1};
  gpuopt_raw_launch_options options = GPUOPT_RAW_LAUNCH_OPTIONS_INIT;
  const auto launch = [&] { return gpuopt_raw_kernel_launch(kernel.get(), one, one, 0, 2, list, &options, nullptr); };
  EXPECT_EQ(launch(), GPUOPT_ERR_TYPE);
  options.flags = GPUOPT_RAW_REINTERPRET;
  EXPECT_EQ(launch(), GPUOPT_OK);
  EXPECT_EQ(x.item<float>(), 1);
  options.flags = 0;
  gpuopt_dtype dtypes[] = {GPUOPT_UINT32, GPUOPT_FLOAT32};
  options.dtypes = dtypes;
  EXPECT_EQ(launch(), GPUOPT_OK);
  dtypes[1] = GPUOPT_INT32;
  EXPECT_EQ(launch(), GPUOPT_ERR_TYPE);
  dtypes[1] = GPUOPT_RAW_ANY;
  EXPECT_EQ(launch(), GPUOPT_OK);
  dtypes[0] = 99;
  EXPECT_EQ(launch(), GPUOPT_ERR_INVALID_ARGUMENT);
  dtypes[0] = GPUOPT_FLOAT64;
  EXPECT_EQ(launch(), GPUOPT_ERR_TYPE);
}

// ---- What the compiler says ----

Failure compiled(const std::string &text, std::string *log = nullptr) {
  const gp::raw_kernel kernel(text, "k");
  const Failure failure = failure_of([&] { kernel(1, 1, gp::zeros({4}, gp::float32)); });
  if (log) *log = kernel.build_log();
  return failure;
}

TEST_F(RawTypes, AllThatTheCompilerSaysCanBeFetched) {
  std::string text = "__global__ void k(float *x) {\n";
  for (int i = 0; i < 15; i++) text += "  x[0] = missing_" + std::to_string(i) + ";\n";
  std::string log;
  const Failure failure = compiled(text + "}", &log);
  EXPECT_EQ(failure.code, GPUOPT_ERR_COMPILE);
  for (int i = 0; i < 15; i++) EXPECT_NE(log.find("'missing_" + std::to_string(i) + "'"), std::string::npos) << log;
  EXPECT_EQ(log.compare(0, failure.text.size(), failure.text), 0) << failure.text;
  compiled("__global__ void k(float *x) {}", &log);
  EXPECT_EQ(log, "");
  const gp::elementwise_kernel other("T x", "T y", "y = x + unknown_name", "other");
  EXPECT_EQ(failure_of([&] { other(gp::zeros({3})); }).code, GPUOPT_ERR_COMPILE);
  EXPECT_NE(other.build_log().find("unknown_name"), std::string::npos);
}

TEST_F(RawTypes, UnknownAssemblyIsRefusedWithItsLineAndACure) {
  const Failure fence = compiled(
      "__global__ void k(float *x) {\n  int lane;\n  asm volatile(\"wgmma.fence.sync.aligned;\");\n  x[0] = 1;\n}");
  EXPECT_EQ(fence.code, GPUOPT_ERR_COMPILE);
  EXPECT_EQ(fence.text.find("k: k:3: error: asm(\"wgmma.fence.sync.aligned"), 0u) << fence.text;
  EXPECT_NE(fence.text.find("#ifdef __CUDACC_RTC__"), std::string::npos) << fence.text;
  const Failure wide = compiled(
      "__global__ void k(float *x) {\n  long long t;\n  asm(\"mov.u64 %0, %%gridid_of_nothing;\" : "
      "\"=l\"(t));\n  x[0] = t;\n}");
  EXPECT_NE(wide.text.find("k:3:"), std::string::npos) << wide.text;
  EXPECT_NE(wide.text.find("#ifdef __CUDACC_RTC__"), std::string::npos) << wide.text;
  EXPECT_EQ(compiled("__global__ void k(float *x) {\n  asm volatile(\"\" ::: \"memory\");\n  x[0] = 1;\n}").text, "");
  EXPECT_EQ(compiled("__global__ void k(float *x) {\n  int lane;\n  asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n"
                     "  x[0] = lane;\n}")
                .text,
            "");
}

TEST_F(RawTypes, FunctionsAndVariablesThatNobodyHasAreNamedWithTheirLine) {
  EXPECT_EQ(compiled("extern \"C\" __device__ float helper(float);\n__global__ void k(float *x) {\n  x[0] =\n    "
                     "helper(x[1]);\n}")
                .text,
            "k: k:4: error: the function helper is declared but not defined. A kernel is compiled and linked by "
            "itself: define "
            "the function or variable in its text, or use one of the functions of math.h that gpuopt provides\n");
  EXPECT_NE(compiled("extern __device__ float table[4];\n__global__ void k(float *x) {\n  x[0] = table[2];\n}")
                .text.find("the variable table is declared but not defined"),
            std::string::npos);
}

// A use that LLVM has moved or merged with others has no line, so that the line is that of the declaration.
TEST_F(RawTypes, FunctionsOfWhichTheAddressIsTakenAreNamedWithTheirLine) {
  const std::string undefined = "error: the function other is declared but not defined.";
  const std::string declarations =
      "typedef int (*Function)(int);\n__device__ int one(int a) { return a; }\n"
      "__device__ int other(int);\n__device__ int third(int a) { return a * a; }\n";
  for (const std::string body : {"Function f = one;\nif (x[0] > 3) f = other;\nx[0] = f(x[1]);",
                                 "Function f = x[0] > 3 ? one : other;\nx[0] = f(x[1]);",
                                 "Function table[] = {one, other, third};\nx[0] = table[x[0]](3);"}) {
    const Failure failure =
        compiled(declarations + "__global__ void k(float *f32) {\n  int *x = (int *)f32;\n" + body + "\n}");
    EXPECT_NE(failure.text.find(undefined), std::string::npos) << failure.text;
    EXPECT_EQ(failure.text.find("k: k:"), 0u) << failure.text;
  }
  const Failure table =
      compiled(declarations +
               "__device__ Function table[] = {one, other};\n"
               "__global__ void k(float *f32) {\n  int *x = (int *)f32;\n  x[0] = table[x[1]](3);\n}");
  EXPECT_EQ(table.text.find("k: k:3: " + undefined), 0u) << table.text;
}

TEST_F(RawTypes, IncludesAreRefusedWithACure) {
  const Failure failure = compiled("#include <thrust/host_vector.h>\n__global__ void k(float *x) {}");
  EXPECT_EQ(failure.text.find("k: k:1:10: fatal error: 'thrust/host_vector.h' file not found"), 0u) << failure.text;
  EXPECT_NE(failure.text.find("kernels can include these headers alone"), std::string::npos) << failure.text;
}

}  // namespace
