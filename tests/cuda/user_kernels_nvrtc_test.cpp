// tests/cuda/user_kernels_nvrtc_test.cpp -- the text of user kernels, compiled by NVIDIA's own compiler for every
// architecture.
#include <gpuopt_test_paths.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/kernels/text/kernel_text.h"
#include "core/ufuncs/gufunc.h"
#include "core/ufuncs/stencil_text.h"
#include "core/ufuncs/ufunc.h"
#include "plugins/cuda/compile/device_runtime.h"
#include "tests/conformance/raw_kernels.h"
#include "tests/cuda/cubin.h"
#include "tests/cuda/nvrtc_checks.h"
#include "tests/cuda/real_nvrtc.h"
#include "tests/kernel_names.h"
#include "tests/kernels/launches.h"

namespace {

using gpuopt::ArgumentForm;
using gpuopt::BoundTypes;
using gpuopt::ElementwiseForm;
using gpuopt::UserKernel;
using gpuopt::cuda::Compilation;

class UserKernelsNvrtc : public gpuopt::test::RealNvrtc<> {
 protected:
  // With all parameters of type `t`, as elements of packed arrays or of strided ones along three axes; raw ones as they
  // are.
  static std::string text_of(const UserKernel &source, gpuopt_dtype t, bool packed) {
    const std::vector<gpuopt_dtype> same(source.parameters.count(), t);
    return text_of(source, BoundTypes(source.name, source.parameters, same), packed);
  }
  static std::string text_of(const UserKernel &source, const BoundTypes &types, bool packed) {
    ElementwiseForm form;
    form.ndim = packed ? 0 : 3;
    form.index_ndim = source.indexed ? 2 : -1;
    for (size_t k = 0; k < source.parameters.count(); k++) {
      ArgumentForm argument{packed ? ArgumentForm::kPacked : ArgumentForm::kStrided, 0};
      if (source.parameters.at(k).raw) argument = {ArgumentForm::kRaw, 2};
      form.arguments.push_back(argument);
    }
    return gpuopt::elementwise_text(source, types, form);
  }

  // With the types that its parameters have.
  static std::string fixed_text(const UserKernel &source) {
    const BoundTypes types(source.name, source.parameters, std::vector<gpuopt_dtype>(source.parameters.count(), 0));
    return text_of(source, types, true);
  }

  static UserKernel source_of(const char *in, const char *out, const std::string &operation) {
    UserKernel kernel;
    kernel.name = "k";
    kernel.parameters = gpuopt::parse_parameters("k", in, out);
    kernel.operation = operation;
    kernel.indexed = gpuopt::wants_index(kernel);
    return kernel;
  }

  // For the oldest and the newest architecture; if `all` and asked for, for every one.
  void compile_for(bool all, const std::string &text) {
    const auto &known = compiler.nvrtc->archs();
    for (const int arch :
         all ? gpuopt::test::ends_of(*compiler.nvrtc) : std::vector<int>{known.front(), known.back()}) {
      const Compilation out = compiler.nvrtc->compile(text, "k", {arch, false, ""});
      ASSERT_EQ(out.status, NVRTC_SUCCESS) << arch << ": " << out.log << text;
      EXPECT_EQ(out.log, "") << text;
      EXPECT_NE(out.ptx.find(".entry gpuopt_kernel_k("), std::string::npos);
      EXPECT_FALSE(out.cubin.empty());
      compiled_++;
    }
  }
  // A raw module for the oldest and the newest architecture, or, if asked, for every one; kernels[k] has parameters of
  // these bytes. Gives the last PTX.
  std::string compile_raw(const char *code, const std::vector<std::string> &names,
                          const std::vector<std::vector<int>> &bytes) {
    UserKernel source;
    source.raw = true;
    source.name = names.front();
    source.names = names;
    source.operation = code;
    std::string ptx;
    for (const int arch : gpuopt::test::ends_of(*compiler.nvrtc)) {
      SCOPED_TRACE(arch);
      const Compilation out = compiler.nvrtc->compile(gpuopt::raw_text(source), "raw.cu", {arch, false, ""}, names);
      EXPECT_EQ(out.status, NVRTC_SUCCESS) << out.log << gpuopt::raw_text(source);
      EXPECT_EQ(out.log, "");
      EXPECT_EQ(out.symbols.size(), names.size());
      for (size_t k = 0; k < out.symbols.size(); k++) expect_parameters(out, out.symbols[k], bytes[k]);
      ptx = out.ptx;
      compiled_++;
    }
    return ptx;
  }
  // One after the other, each aligned to its own size, as the driver is told.
  static void expect_parameters(const Compilation &out, const std::string &symbol, const std::vector<int> &bytes) {
    SCOPED_TRACE(symbol);
    const gpuopt::test::Cubin cubin(out.cubin);
    EXPECT_TRUE(cubin.has_code(symbol));
    EXPECT_NE(out.ptx.find(".entry " + symbol + "("), std::string::npos);
    auto found = cubin.parameters(symbol);
    std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.ordinal < b.ordinal; });
    ASSERT_EQ(found.size(), bytes.size());
    int offset = 0;
    for (size_t k = 0; k < bytes.size(); offset += bytes[k++]) {
      offset = (offset + bytes[k] - 1) / bytes[k] * bytes[k];
      EXPECT_EQ(found[k].bytes, bytes[k]) << k;
      EXPECT_EQ(found[k].offset, offset) << k;
    }
  }
  void TearDown() override {
    if (compiler.nvrtc)
      std::printf("%d kernels compiled, for %zu architectures\n", compiled_, compiler.nvrtc->archs().size());
  }
  int compiled_ = 0;
};

TEST_F(UserKernelsNvrtc, EveryDtypeInEveryLayout) {
  const UserKernel source =
      source_of("T x, raw T y", "T z", "z = x; z = y[i]; long long at[2] = {0, _ind.get()[1]}; z = y[at];");
  for (gpuopt_dtype t = 1; t < GPUOPT_DTYPE_COUNT; t++) compile_for(true, text_of(source, t, t % 2));
  for (const bool packed : {true, false}) compile_for(true, text_of(source, GPUOPT_FLOAT32, packed));
}

// Compiled, and linked with the device runtime where the toolkit has it; where not, the message says what is missing.
TEST_F(UserKernelsNvrtc, KernelsThatLaunchKernels) {
  const int newest = compiler.nvrtc->archs().back();
  const std::string missing =
      gpuopt::cuda::device_runtime(compiler.nvrtc->path(), compiler.nvrtc->version(), {newest, false, ""}).problem;
  if (!missing.empty()) std::printf("not linked: %s\n", missing.c_str());
  for (const gpuopt::test::LaunchText &text : gpuopt::test::kLaunchTexts) {
    UserKernel source;
    source.raw = true;
    source.name = "k";
    source.names = {"k"};
    source.operation = text.code;
    for (const int arch : {compiler.nvrtc->archs().front(), newest}) {
      const Compilation out =
          compiler.nvrtc->compile(gpuopt::raw_text(source), "raw.cu", {arch, false, ""}, source.names);
      if (!missing.empty()) {
        EXPECT_EQ(out.log, "raw.cu: error: " + missing);
        continue;
      }
      ASSERT_EQ(out.status, NVRTC_SUCCESS) << text.name << ": " << out.log;
      EXPECT_NE(out.ptx.find("__cudaCDP2LaunchDevice"), std::string::npos) << text.name;
      EXPECT_TRUE(gpuopt::test::Cubin(out.cubin).has_code(out.symbols.at(0))) << text.name;
      compiled_++;
    }
  }
  const Compilation ptx = compiler.nvrtc->compile(gpuopt::test::kLaunchTexts[0].code, "raw.cu", {newest, true, ""});
  EXPECT_EQ(ptx.status, NVRTC_ERROR_COMPILATION);
  EXPECT_NE(ptx.log.find("raw.cu: error: the kernel launches kernels (<<<>>>)"), std::string::npos) << ptx.log;
}

TEST_F(UserKernelsNvrtc, EveryFunction) {
  std::string operation;
  // The functions with several results are among the words of words_nvrtc_test.
#define GPO_USER_FUNCTION(name, kind, row)                    \
  if (std::string(#kind).find("BINARY") != std::string::npos) \
    operation += "z = " #name "(x, y);\n";                    \
  else if (std::string(#kind) != "SINCOS")                    \
    operation += "z = " #name "(x);\n";
#include "plugins/shared/user/user_functions.def"
#undef GPO_USER_FUNCTION
  for (const char *more : {"min(x, y)", "max(x, y)", "rsqrt(x)", "round(x)", "fma(x, y, x)"})
    operation += "z = " + std::string(more) + ";\n";
  for (const gpuopt_dtype t : {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_FLOAT16, GPUOPT_INT32})
    compile_for(false, text_of(source_of("T x, T y", "T z", operation), t, true));
}

TEST_F(UserKernelsNvrtc, ComplexArithmetic) {
  const UserKernel source = source_of(
      "T x, T y", "T z", "z = (x + y) * (x - y) / x; z += conj(y); z = z == x ? T(z.real(), -z.imag()) : T(abs(y));");
  for (const gpuopt_dtype t : {GPUOPT_COMPLEX64, GPUOPT_COMPLEX128}) compile_for(true, text_of(source, t, true));
}

TEST_F(UserKernelsNvrtc, Reductions) {
  UserKernel kernel = source_of("T x, raw T w, int32 scale", "T y", "x * w[_J]");
  kernel.reduces = kernel.has_identity = true;
  kernel.combine = "a + b";
  kernel.finish = "y = a * scale";
  kernel.identity = "0";
  gpuopt::ReductionForm form;
  form.outer = 1;
  form.inner = 2;
  form.arguments = {
      {ArgumentForm::kStrided, 0}, {ArgumentForm::kRaw, 1}, {ArgumentForm::kNumber, 0}, {ArgumentForm::kStrided, 0}};
  for (const gpuopt_dtype t : {GPUOPT_INT8, GPUOPT_FLOAT16, GPUOPT_FLOAT32, GPUOPT_FLOAT64}) {
    const BoundTypes types("k", kernel.parameters, {t, t, 0, t});
    form.packed = t == GPUOPT_FLOAT32;
    if (form.packed) form.inner = 1;
    compile_for(t == GPUOPT_FLOAT32, gpuopt::reduction_text(kernel, types, form));
  }
}

TEST_F(UserKernelsNvrtc, Ufuncs) {
  const gpuopt::Ufunc ufunc("k", "template <class T> T k(T x, T y) { return x + sqrt(y); }",
                            "float32,float32->float32; float64,float64->float64", "0");
  for (const size_t types : {0, 1}) {
    const gpuopt_dtype t = types ? GPUOPT_FLOAT64 : GPUOPT_FLOAT32;
    compile_for(true, text_of(ufunc.loop_source(types), t, types == 0));
    for (const UserKernel &source : {ufunc.in_order_source(t), ufunc.accumulate_source(t), ufunc.at_source(t)})
      compile_for(false, fixed_text(source));
  }
}

TEST_F(UserKernelsNvrtc, Gufuncs) {
  const gpuopt::Gufunc gufunc("k", R"(template <class T>
    void k(array<const T, 2> a, array<const T, 1> x, T scale, array<T, 1> y, array<T, 0> norm) {
      norm[0] = 0;
      for (int i = 0; i < a.shape(0); i++) {
        y[i] = 0;
        for (int j = 0; j < x.size(); j++) y[i] += a(i, j) * x[j] * scale;
        norm() += y[i] * y[i];
      }
    })",
                              "float32,float32,float32->float32,float32; float64,float64,float64->float64,float64",
                              "(m,n),(n),()->(m),()");
  compile_for(true, fixed_text(gufunc.loop_source(0)));
  compile_for(false, fixed_text(gufunc.loop_source(1)));
}

TEST_F(UserKernelsNvrtc, Stencils) {
  gpuopt::StencilText stencil;
  stencil.name = "k";
  stencil.parameters = gpuopt::parse_parameters("k", "T a, T b, raw T w, T scale", "T y");
  stencil.body = "return scale * (a(-1, 0) + b(0, 1)) * w[0];";
  stencil.relative = {"a", "b"};
  stencil.neighborhood = {{-1, 0}, {0, 1}};
  for (stencil.mode = GPUOPT_STENCIL_CONSTANT; stencil.mode <= GPUOPT_STENCIL_WRAP; stencil.mode++)
    for (const bool checked : {false, true}) {
      stencil.checked = checked;
      const UserKernel source = gpuopt::stencil_kernel(stencil);
      compile_for(checked, text_of(source, GPUOPT_FLOAT32, !checked));
      compile_for(false, text_of(source, GPUOPT_INT64, checked));
    }
}

TEST_F(UserKernelsNvrtc, RandomNumbers) {
  const UserKernel source = source_of("uint64 seed", "float64 x, float32 y, int64 z",
                                      "philox rng(seed, i); x = rng.uniform() + rng.normal() + rng.exponential();"
                                      "y = rng.uniform<float>() + rng.normal<float>() + rng.exponential<float>();"
                                      "z = rng.integer(-5, 1000 + i)");
  compile_for(true, fixed_text(source));
}

TEST_F(UserKernelsNvrtc, RawKernels) {
  for (const gpuopt::test::RawText *raw : gpuopt::test::kRawTexts) {
    SCOPED_TRACE(raw->name);
    compile_raw(raw->code, {raw->name}, {raw->parameters});
  }
}

TEST_F(UserKernelsNvrtc, InstancesOfTemplates) {
  const auto &names = gpuopt::test::kScaleNames;
  compile_raw(gpuopt::test::kScale, {names.begin(), names.end()}, {{8, 4}, {8, 4}, {8, 4}});
}

// The host finds them by these names, and the compiler takes none of them for constant.
TEST_F(UserKernelsNvrtc, VariablesOfRawKernels) {
  const auto &names = gpuopt::test::kSharedNames;
  const std::string ptx = compile_raw(gpuopt::test::kShared, {names.begin(), names.end()}, {{4}, {8, 8}});
  EXPECT_NE(ptx.find(".const .align 4 .b8 " + gpuopt::variable_symbol("factors") + "[16]"), ptx.npos) << ptx;
  for (const char *name : {"calls", "mine::total"})
    EXPECT_NE(ptx.find(" " + gpuopt::variable_symbol(name)), ptx.npos) << ptx;
  EXPECT_NE(ptx.find(".global .align 4 .u32 plain"), ptx.npos) << ptx;
  EXPECT_NE(ptx.find("ld.const"), ptx.npos) << ptx;
}

TEST_F(UserKernelsNvrtc, VariablesOfATemplate) {
  const auto &names = gpuopt::test::kInstancesNames;
  const std::string ptx = compile_raw(gpuopt::test::kInstances, {names.begin(), names.end()}, {{8, 8}, {8, 8}});
  for (const char *name : {"mask<double>", "mask<float>", "mine::sums<double, 3, true>"})
    EXPECT_NE(ptx.find(" " + gpuopt::variable_symbol(name)), ptx.npos) << ptx;
}

TEST_F(UserKernelsNvrtc, BoundsOfLaunches) {
  const auto &names = gpuopt::test::kBoundsNames;
  const std::string ptx = compile_raw(gpuopt::test::kBounds, {names.begin(), names.end()}, {{8}, {8}, {8}, {8}});
  for (const char *most : {"64", "5", "1024"}) EXPECT_NE(ptx.find(".maxntid " + std::string(most)), ptx.npos) << ptx;
}

// What the CPU backend says of these declarations is what NVIDIA's compiler says of them.
TEST_F(UserKernelsNvrtc, DeclarationsOfSharedVariables) {
  using gpuopt::test::SharedDeclaration;
  for (const SharedDeclaration &declaration : gpuopt::test::kSharedDeclarations) {
    UserKernel source;
    source.raw = true;
    source.name = "k";
    source.names = {"k"};
    source.operation = gpuopt::test::shared_declaration_text(declaration);
    const Compilation out = compiler.nvrtc->compile(gpuopt::raw_text(source), "raw.cu", {90, false, ""}, source.names);
    const bool initialized = declaration.problem == SharedDeclaration::kInitializer,
               runs = declaration.problem > SharedDeclaration::kInitializer;
    EXPECT_EQ(out.status == NVRTC_SUCCESS, !initialized) << declaration.text << '\n' << out.log;
    EXPECT_EQ(out.log.find("initializer not allowed") != out.log.npos, initialized) << declaration.text << out.log;
    EXPECT_EQ(out.log.find("dynamic initialization is not supported") != out.log.npos, runs) << declaration.text << '\n'
                                                                                             << out.log;
  }
}

TEST_F(UserKernelsNvrtc, NamesThatAreNoKernels) {
  UserKernel source;
  source.raw = true;
  source.names = {"nothing<float>"};
  source.operation = gpuopt::test::kScale;
  const Compilation out = compiler.nvrtc->compile(gpuopt::raw_text(source), "raw.cu", {90, false, ""}, source.names);
  EXPECT_NE(out.status, NVRTC_SUCCESS);
  EXPECT_NE(out.log.find("nothing"), out.log.npos) << out.log;
}

// NVRTC's own message about a header says only that there is no such file.
TEST_F(UserKernelsNvrtc, HeadersThatKernelsCannotInclude) {
  UserKernel source;
  source.raw = true;
  source.names = {"scale"};
  source.operation = std::string("#include <thrust/host_vector.h>\n") + gpuopt::test::kScale;
  const Compilation out = compiler.nvrtc->compile(gpuopt::raw_text(source), "raw.cu", {90, false, ""}, source.names);
  EXPECT_NE(out.status, NVRTC_SUCCESS);
  EXPECT_NE(out.log.find("thrust/host_vector.h"), out.log.npos) << out.log;
  EXPECT_NE(out.log.find("kernels can include these headers alone"), out.log.npos) << out.log;
}

// Macros of the preamble are there in the operation, whatever their names and wherever our own text stands between.
TEST_F(UserKernelsNvrtc, MacrosOfTheAuthorReachTheOperation) {
  UserKernel kernel = source_of("float32 x", "float32 y", "y = x * T + TWICE(row) + B + C;");
  kernel.preamble =
      "#define T 16\n#define TWICE(v) \\\n  (2 * (v))  // of the row\n#define row 3\n#if 1\n#define B 1\n#endif\n"
      "#define C 7\n#undef C\n#define C 8";
  const BoundTypes types("k", kernel.parameters, {0, 0});
  for (const bool packed : {true, false}) {
    const Compilation out =
        compiler.nvrtc->compile(text_of(kernel, types, packed), "k", {compiler.nvrtc->archs().front(), false, ""});
    EXPECT_EQ(out.status, NVRTC_SUCCESS) << out.log.substr(0, 2000);
    EXPECT_EQ(out.log.find("unrecognized"), out.log.npos) << out.log;
    compiled_++;
  }
}

// Whatever the author calls macros, types, functions and variables.
TEST_F(UserKernelsNvrtc, NamesOfTheAuthorsOwn) {
  for (const gpuopt::test::NameUse &use : gpuopt::test::kNameUses) {
    SCOPED_TRACE(use.what);
    const auto declared = [&](const std::set<std::string> &used) {
      return gpuopt::test::declared(gpuopt::test::names_of_headers(GPUOPT_SOURCE_DIR, used), use.before, use.after);
    };
    UserKernel kernel = source_of("float32 x", "float32 y", "y = x * 2");
    kernel.preamble = declared({"x", "y"});
    for (const bool packed : {true, false}) {
      const BoundTypes types("k", kernel.parameters, {0, 0});
      const Compilation out =
          compiler.nvrtc->compile(text_of(kernel, types, packed), "k", {compiler.nvrtc->archs().front(), false, ""});
      ASSERT_EQ(out.status, NVRTC_SUCCESS) << out.log.substr(0, 2000);
      compiled_++;
    }
    UserKernel raw;
    raw.raw = true;
    raw.name = "scale_";
    raw.names = {"scale_"};
    raw.operation = declared({"x", "j", "scale_", "threadIdx"}) +
                    "extern \"C\" __global__ void scale_(float *x) { int j = threadIdx.x; x[j] = x[j] * 2; }";
    const Compilation out = compiler.nvrtc->compile(gpuopt::raw_text(raw), "raw.cu",
                                                    {compiler.nvrtc->archs().front(), false, ""}, raw.names);
    EXPECT_EQ(out.status, NVRTC_SUCCESS) << out.log.substr(0, 2000);
    compiled_++;
  }
}

}  // namespace
