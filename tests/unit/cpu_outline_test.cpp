// tests/unit/cpu_outline_test.cpp -- long kernels. Their code grows linearly with their text, and outlined functions
// give the same bits as inlined ones.
//
// The tests measure the size of the code, not the time that it takes to compile. A compilation that takes much longer
// than its text explains ends at CTest's time limit.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "plugins/cpu/code/jit_compiler.h"
#include "plugins/shared/host/barrier.h"
#include "tests/unit/cpu_fission_support.h"

namespace {

using gpuopt::test::Kernel;
using gpuopt::test::TestHost;
using Body = std::function<std::string(int)>;

std::string repeated(int n, const Body &part) {
  std::string text;
  for (int k = 0; k < n; k++) text += part(k);
  return text;
}

// A raw kernel as the core writes it, with macros for the names it uses.
std::string raw_text(const std::vector<std::string> &words, const std::string &text) {
  std::string head;
  for (const std::string &word : words) head += "#define GPO_USES_" + word + "\n";
  return head +
         "#include \"plugins/shared/user/raw.h\"\n#include \"plugins/shared/user/functions_used.h\"\n"
         "namespace gpuopt_kernel {\nusing namespace gpo::user;\n" +
         text + "\n}\nusing gpuopt_kernel::k;\n";
}
std::string kernel_of(const std::string &body, const std::string &before = "") {
  return before +
         "extern \"C\" __global__ void k(const double *x, double *y, int n) {\n"
         "int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
         body + "\n}";
}

size_t bytes_of(const std::string &text) {
  TestHost::set("GPUOPT_JIT", GPUOPT_TEST_JIT);
  TestHost::install();
  return gpuopt::cpu::compile_source({GPUOPT_JIT_RAW, "k", text.c_str(), "x86-64-v3", 0}).size();
}

// Four times the text gives at most five times the code, without what all such kernels have in common.
void expect_growth_of_text(const std::vector<std::string> &words, int n, const std::function<std::string(int)> &text) {
  const size_t least = bytes_of(raw_text(words, text(n / 4))), some = bytes_of(raw_text(words, text(n / 2))),
               most = bytes_of(raw_text(words, text(n)));
  EXPECT_LT(most - least, 4 * (some - least)) << least << " " << some << " " << most;
}

struct Called {
  const char *name, *arguments;
  size_t most_bytes;  // of a call in a long kernel
};
constexpr Called kCalled[] = {{"pow", "a, %.5", 200},     {"exp", "a * %", 200},     {"sin", "a * %", 200},
                              {"log", "a + %", 200},      {"tgamma", "a + %", 200},  {"atan2", "a, %.5", 200},
                              {"tanh", "a / (1+%)", 200}, {"erf", "a / (1+%)", 200}, {"lgamma", "a + %", 200},
                              {"hypot", "a, %.5", 200}};

std::string call_of(const Called &called, int k) {
  std::string text = called.arguments;
  text.replace(text.find('%'), 1, std::to_string(k));
  return std::string(called.name) + "(" + text + ")";
}

TEST(LongKernels, CallsAreShort) {
  for (const Called &called : kCalled) {
    SCOPED_TRACE(called.name);
    const auto text = [&](int n) {
      return raw_text(
          {called.name},
          kernel_of("double a = x[i], s = 0;\n" +
                    repeated(n, [&](int k) { return "s += " + call_of(called, k) + ";\n"; }) + "y[i] = s;"));
    };
    const size_t some = bytes_of(text(128)), most = bytes_of(text(512));
    EXPECT_LT((most - some) / 384, called.most_bytes);
  }
}

#if defined(__x86_64__)
// Branches around calls. What makes the compilation take quadratic time can hardly be seen in the code: constants that
// are loaded in front of the loop over threads and, after much work, mostly moved back. A call takes 304 bytes where
// they stay, and 308 otherwise.
TEST(LongKernels, ConstantsStayWhereTheyAreUsed) {
  const auto line = [](int k) {
    const std::string c = std::to_string(k);
    return "if (s > " + c + ") s = pow(s, " + c + ".25);\n";
  };
  const auto text = [&](int n) {
    return raw_text({"pow"}, kernel_of("double s = x[i];\n" + repeated(n, line) + "y[i] = s;"));
  };
  const size_t some = bytes_of(text(600)), most = bytes_of(text(1200));
  EXPECT_LT(most - some, 600u * 306) << some << " " << most;
}
#endif

TEST(LongKernels, GrowAsTheirText) {
  const std::vector<std::pair<const char *, std::function<std::string(int)>>> texts = {
      {"branches",
       [](int n) {
         return kernel_of("double a = x[i], s = 0;\n" +
                          repeated(n,
                                   [](int k) {
                                     const std::string c = std::to_string(k);
                                     return "if (a > " + c + ".5) s += a * " + c + "; else y[i] = s;\n";
                                   }) +
                          "y[i] = s;");
       }},
      {"straight lines",
       [](int n) {
         return kernel_of(
             "double a = x[i], s = 0;\n" +
             repeated(n, [](int k) { return "a = a * s + " + std::to_string(k) + ".5; s += a / (s + 3);\n"; }) +
             "y[i] = s;");
       }},
      {"cases",
       [](int n) {
         return kernel_of("double a = x[i];\nswitch (int(a)) {\n" +
                          repeated(n,
                                   [](int k) {
                                     const std::string c = std::to_string(k);
                                     return "case " + c + ": a = a * " + c + ".5 + x[" + c + "]; break;\n";
                                   }) +
                          "}\ny[i] = a;");
       }},
      {"barriers",
       [](int n) {
         return kernel_of("__shared__ double t[256]; int j = threadIdx.x; t[j] = x[i];\n" +
                          repeated(n / 2,
                                   [](int k) {
                                     return "__syncthreads();\nif (j < " + std::to_string(k % 200 + 3) +
                                            ") t[j] += t[(j + " + std::to_string(k + 1) + ") % 256];\n";
                                   }) +
                          "__syncthreads(); y[i] = t[j];");
       }},
      {"nested loops",
       [](int n) {
         const int deep = n / 16;
         return kernel_of("double s = 0;\n" +
                          repeated(deep,
                                   [](int k) {
                                     const std::string c = "a" + std::to_string(k);
                                     return "for (int " + c + " = 0; " + c + " < n; " + c + "++) {\n";
                                   }) +
                          "s += x[i + a0];" + std::string(size_t(deep), '}') + "y[i] = s;");
       }},
      {"loops",
       [](int n) {
         return kernel_of("double s = 0;\n" +
                          repeated(n / 4,
                                   [](int k) {
                                     return "for (int j = 0; j < n; j++) s += x[j + " + std::to_string(k) + "] * s;\n";
                                   }) +
                          "y[i] = s;");
       }},
  };
  for (const auto &[what, text] : texts) {
    SCOPED_TRACE(what);
    expect_growth_of_text({}, 256, text);
  }
}

// A call whose result nobody needs is deleted, and so is the declaration of the function that was not inlined.
TEST(LongKernels, CallsWithoutUse) {
  for (const Called &unused : kCalled) {
    SCOPED_TRACE(unused.name);
    const auto calls = [&](int k) {
      return "double unused" + std::to_string(k) + " = " + call_of(unused, k) + "; s += " + call_of(kCalled[0], k) +
             ";\n";
    };
    const std::string body = "double a = x[i], s = 0;\n" + repeated(128, calls) + "y[i] = s;";
    EXPECT_GT(bytes_of(raw_text({kCalled[0].name, unused.name}, kernel_of(body))), 0u);
  }
}

// 2^30 copies of the first function if all were inlined.
std::string doubling(const char *type, const char *parameter, const char *next, const char *first) {
  std::string text = std::string("__device__ ") + type + " f0(" + parameter + ") {" + first + "}\n";
  for (int k = 1; k <= 30; k++) {
    std::string body = next;
    for (size_t at; (at = body.find('%')) != std::string::npos;) body.replace(at, 1, "f" + std::to_string(k - 1));
    text += std::string("__device__ ") + type + " f" + std::to_string(k) + "(" + parameter + ") {" + body + "}\n";
  }
  return text;
}

TEST(LongKernels, FunctionsThatCallOthersTwice) {
  const std::string values = doubling("double", "double a", "return %(a) + %(a + 1);",
                                      "double s = 0; for (int j = 0; j < 9; j++) s = s * a + j; return s;");
  EXPECT_LT(bytes_of(raw_text({}, kernel_of("y[i] = f30(x[i]);", values))), 30000u);
  const std::string places = doubling("void", "double *a", "%(a); a[1] += a[0]; %(a + 1);",
                                      "for (int j = 0; j < 9; j++) a[j] = a[j] * a[j + 1] + j;");
  EXPECT_LT(bytes_of(raw_text({}, kernel_of("f30(y + i);", places))), 30000u);
}

TEST(LongKernels, KernelsThatAreTooLongOnceInlinedAreRefused) {
  const std::string asks = doubling("int", "int a", "return %(a) + %(a + 1);", "return a * threadIdx.x;");
  try {
    bytes_of(raw_text({}, kernel_of("y[i] = f30(i);", asks)));
    FAIL() << "it was compiled";
  } catch (const gpuopt::plugin::Failure &failure) {
    EXPECT_EQ(failure.code, GPUOPT_ERR_COMPILE);
    EXPECT_NE(failure.message.find("times"), std::string::npos) << failure.message;
  }
}

// Clang suggests a spelling for an unknown name, unless that would take too long.
TEST(LongKernels, UnknownNamesOfAnyLength) {
  const struct {
    size_t letters;
    bool suggested;
  } kCases[] = {{10, true}, {250, true}, {300, false}, {60000, false}};
  for (const auto &[letters, suggested] : kCases) {
    SCOPED_TRACE(letters);
    const std::string known(letters, 'q'), unknown = known.substr(1) + "r";
    try {
      bytes_of(raw_text({}, kernel_of("double " + known + " = x[i];\ny[i] = " + unknown + ";")));
      FAIL() << "it was compiled";
    } catch (const gpuopt::plugin::Failure &failure) {
      EXPECT_EQ(failure.code, GPUOPT_ERR_COMPILE);
      EXPECT_NE(failure.message.find("undeclared identifier '" + unknown), std::string::npos);
      EXPECT_EQ(failure.message.find("did you mean '" + known) != std::string::npos, suggested);
    }
  }
}

// Each function by itself is short enough to be inlined; all together are not.
template <class Float>
void expect_same_bits(const Called &called, const std::string &word, int level, const std::vector<Float> &x) {
  constexpr int kMany = 60;
  const std::string type = sizeof(Float) == 4 ? "float" : "double";
  const auto text = [&](int first, int count) {
    return raw_text({called.name, word},
                    "extern \"C\" __global__ void k(const " + type + " *x, " + type + " *y, int n) {\n" +
                        "int i = blockIdx.x * blockDim.x + threadIdx.x;\n" + type + " a = x[i];\n" +
                        repeated(count,
                                 [&](int k) {
                                   return "y[i + " + std::to_string(k) + " * n] = " + word +
                                          call_of(called, first + k).substr(std::strlen(called.name)) + ";\n";
                                 }) +
                        "}");
  };
  const int n = static_cast<int>(x.size());
  std::vector<Float> together(x.size() * kMany), alone(x.size());
  Kernel(text(0, kMany), true, level).run({1}, {static_cast<uint32_t>(n)}, x.data(), together.data(), n);
  for (int k = 0; k < kMany; k += 29) {
    Kernel(text(k, 1), true, level).run({1}, {static_cast<uint32_t>(n)}, x.data(), alone.data(), n);
    for (size_t i = 0; i < x.size(); i++) {
      const Float one = alone[i], other = together[static_cast<size_t>(k) * x.size() + i];
      if (std::isnan(one) && std::isnan(other)) continue;
      ASSERT_EQ(std::memcmp(&one, &other, sizeof one), 0)
          << called.name << " " << k << " of " << x[i] << ": " << one << " " << other;
    }
  }
}

std::vector<double> arguments() {
  std::vector<double> x = {0,      -0.0,     1,         -1,  0.5,   1e300, -1e300, 1e22,
                           5e-324, HUGE_VAL, -HUGE_VAL, NAN, 3.5e7, -2.5,  170,    709.9};
  for (int k = 0; k < 181; k++) x.push_back((k - 90) * 0.37);
  return x;
}

TEST(LongKernels, SameBitsOfDoubles) try {
  for (const int level : {2, 3, 4}) {
    if (level > gpuopt::cpu::isa_level()) continue;
    for (const Called &called : kCalled) expect_same_bits<double>(called, called.name, level, arguments());
  }
} catch (const gpuopt::plugin::Failure &failure) {
  FAIL() << failure.message;
}

TEST(LongKernels, SameBitsOfFloats) try {
  std::vector<float> x;
  for (const double a : arguments()) x.push_back(static_cast<float>(a));
  for (const int level : {2, 3, 4}) {
    if (level > gpuopt::cpu::isa_level()) continue;
    for (const Called &called : kCalled) expect_same_bits<float>(called, std::string(called.name) + "f", level, x);
  }
} catch (const gpuopt::plugin::Failure &failure) {
  FAIL() << failure.message;
}

// Functions of the author that write through pointers, read variables, and have local variables of each thread.
TEST(LongKernels, FunctionsWithMemory) {
  const std::string before = R"(
__device__ double table[4] = {1, 2, 3, 4};
struct Pair { double a, b; };
__device__ void step(double *at, Pair &pair, int k) {
  double local[5];
  for (int j = 0; j < 5; j++) local[j] = at[0] + j * table[(j + k) % 4];
  for (int j = 4; j > 0; j--) local[j - 1] += local[j] * 0.5;
  pair.a += local[0];
  pair.b -= local[1] * k;
  at[0] = local[2] + pair.a * 0.25;
}
)";
  const auto body = [](int n) {
    return "if (i < n) { Pair p = {x[i], 2}; double mine[2] = {x[i], 0};\n__shared__ double t[64]; t[threadIdx.x] = "
           "x[i];\n" +
           repeated(n,
                    [](int k) {
                      return "step(" + std::string(k % 2 ? "mine" : "&t[threadIdx.x]") + ", p, " + std::to_string(k) +
                             ");\n";
                    }) +
           "y[i] = p.a + p.b + mine[0] + t[threadIdx.x]; }";
  };
  const int n = 50;
  std::vector<double> x(n), got(n);
  std::iota(x.begin(), x.end(), 1);
  Kernel(raw_text({}, kernel_of(body(150), before)), true).run({1}, {64}, x.data(), got.data(), n);
  const double table[4] = {1, 2, 3, 4};
  for (int i = 0; i < n; i++) {
    double a = x[size_t(i)], b = 2, mine = a, shared = a;
    for (int k = 0; k < 150; k++) {
      double &at = k % 2 ? mine : shared;
      double local[5];
      for (int j = 0; j < 5; j++) local[j] = at + j * table[(j + k) % 4];
      for (int j = 4; j > 0; j--) local[j - 1] += local[j] * 0.5;
      a += local[0];
      b -= local[1] * k;
      at = local[2] + a * 0.25;
    }
    ASSERT_EQ(got[size_t(i)], a + b + mine + shared) << i;
  }
}

}  // namespace
