// tests/unit/cpu_split_posix_test.cpp -- kernels of very many regions. The functions that LLVM compiles stay small,
// however many regions there are, and the results have the bits of coroutines and of plain host code.
//
// The tests measure the number and size of the functions in machine code, not time. A compilation that takes much
// longer than its text explains ends at CTest's time limit.
// POSIX only: the functions' sizes are read from ELF symbols.
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "plugins/cpu/code/jit_compiler.h"
#include "tests/unit/cpu_fission_support.h"

namespace {

using gpuopt::test::Kernel;
using gpuopt::test::noise;
using gpuopt::test::TestHost;
using Text = std::function<std::string(int)>;

std::string repeated(int n, const Text &part) {
  std::string text;
  for (int k = 0; k < n; k++) text += part(k);
  return text;
}
std::string replaced(std::string text, int k) {
  for (size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, std::to_string(k));
  return text;
}
// n copies of `part`, with the number of each in place of @.
std::string numbered(int n, const char *part) {
  return repeated(n, [&](int k) { return replaced(part, k); });
}
std::string kernel_of(const std::string &body) {
  return "extern \"C\" __global__ void k(const double *x, double *y, int n) {\n"
         "int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n__shared__ double s[256];\n" +
         body + "\n}";
}

struct Code {
  size_t bytes = 0, longest = 0;  // of all functions, and of the longest one
};

Code code_of(const std::string &object) {
  Elf64_Ehdr head;
  std::memcpy(&head, object.data(), sizeof head);
  Code code;
  for (unsigned k = 0; k < head.e_shnum; k++) {
    Elf64_Shdr section;
    std::memcpy(&section, object.data() + head.e_shoff + k * sizeof section, sizeof section);
    if (section.sh_type != SHT_SYMTAB) continue;
    for (size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, object.data() + section.sh_offset + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      code.bytes += symbol.st_size;
      code.longest = std::max<size_t>(code.longest, symbol.st_size);
    }
  }
  return code;
}

Code compiled_text(const std::string &text, uint32_t flags) {
  TestHost::set("GPUOPT_JIT", GPUOPT_TEST_JIT);
  TestHost::install();
#if defined(__x86_64__)
  const char *const processor = "x86-64-v3";
#else
  const char *const processor = "generic";
#endif
  return code_of(gpuopt::cpu::compile_source({flags, "k", text.c_str(), processor, 0}));
}
Code compiled(const std::string &body, uint32_t flags = GPUOPT_JIT_RAW) {
  return compiled_text(kernel_of(body), flags);
}

struct Long {
  const char *what;
  std::string (*body)(int n);
  int n;
};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

const Long kLong[] = {
    {"values kept across barriers",
     [](int n) {
       return "s[t] = x[i];\n" +
              numbered(n,
                       "double v@ = s[(t + @) % blockDim.x] / (@ + 2.5);\n__syncthreads();\ns[t] = v@;\n"
                       "__syncthreads();\n") +
              "y[i] = " + numbered(n, "v@ + ") + "0;";
     },
     16},
    {"reductions",
     [](int n) {
       return "double sum = 0;\n" +
              numbered(
                  n,
                  "s[t] = x[i] + sum + @;\n__syncthreads();\n"
                  "for (int o = blockDim.x / 2; o > 0; o >>= 1) {\nif (t < o) s[t] += s[t + o];\n__syncthreads();\n}\n"
                  "sum += s[0] / (@ + 1);\n__syncthreads();\n") +
              "y[i] = sum;";
     },
     6},
    {"grid-stride loops",
     [](int n) {
       return numbered(n, "for (int j = i; j < n; j += blockDim.x * gridDim.x) y[j] = x[j] * (@ + 0.5) + y[j] / 3;\n");
     },
     8},
    {"shuffles",
     [](int n) {
       return "double v = x[i];\n" + numbered(n, "v += __shfl_down_sync(0xffffffff, v, 1 + @ % 16) * (@ + 0.5);\n") +
              "y[i] = v;";
     },
     12},
    {"branches",
     [](int n) {
       return "double v = 0;\ns[t] = 0;\n" +
              numbered(n,
                       "if (x[i] > @) {\nv += x[i] / (@ + 1);\ns[t] = v;\n}\n__syncthreads();\nv += s[(t + @) % "
                       "blockDim.x];\n__syncthreads();\n") +
              "y[i] = v;";
     },
     12},
    {"local arrays",
     [](int n) {
       return numbered(n, "double a@[8];\nfor (int j = 0; j < 8; j++) a@[j] = x[(i + j * @) % n];\n") +
              "__syncthreads();\ndouble v = 0;\n" + numbered(n, "v += a@[(n + t) % 8] / (@ + 1);\n") + "y[i] = v;";
     },
     12},
};

// If code grew with the square of the text, it would grow by four times as much. Some loops are unrolled in one size
// only.
TEST(ManyParts, CodeGrowsAsTheText) {
  if (kSanitized) GTEST_SKIP() << "the code is that of the release build, and takes minutes";
  for (const uint32_t flags : {uint32_t{GPUOPT_JIT_RAW}, uint32_t{GPUOPT_JIT_RAW | GPUOPT_JIT_COROUTINES}}) {
    for (const Long &each : kLong) {
      SCOPED_TRACE(std::string(each.what) + (flags & GPUOPT_JIT_COROUTINES ? ", coroutines" : ""));
      const size_t half = compiled(each.body(each.n), flags).bytes, all = compiled(each.body(2 * each.n), flags).bytes,
                   twice = compiled(each.body(4 * each.n), flags).bytes;
      EXPECT_LT(2 * (twice - all), 7 * (all - half)) << half << " " << all << " " << twice;
    }
  }
}

// The function that calls the others grows by one call for each part; the others do not grow.
TEST(ManyParts, NoFunctionHasMostOfTheCode) {
  if (kSanitized) GTEST_SKIP() << "the code is that of the release build, and takes minutes";
  for (const Long &each : kLong) {
    if (std::string(each.what) == "local arrays") continue;  // one part reads all of them
    SCOPED_TRACE(each.what);
    const Code code = compiled(each.body(4 * each.n));
    EXPECT_LT(code.longest, code.bytes / 3) << code.bytes;
  }
}

// A loop of one very long block, since its branches become selections.
std::string selections(int n) {
  return "double v = x[i], sum = 0;\n" + numbered(n, "if (v > @) sum += v * @.5;\n") + "y[i] = sum;";
}

TEST(LongBlocks, AreCutIntoFunctions) {
  if (kSanitized) GTEST_SKIP() << "the code is that of the release build, and takes minutes";
  const Code code = compiled(selections(2000));
  EXPECT_LT(code.longest, code.bytes / 8) << code.bytes;
}

TEST(LongBlocks, ShortOnesAreNot) {
  const Code code = compiled(selections(200));
  EXPECT_GT(code.longest, code.bytes / 2) << code.bytes;
}

TEST(LongBlocks, HaveTheBitsOfPlainCode) {
  const int parts = 1500, threads = 67;
  const Kernel kernel(kernel_of(selections(parts)), true);
  std::vector<double> x = noise<double>(threads), got(threads), expected(threads);
  for (size_t t = 0; t < threads; t++) {
    x[t] *= parts;
    for (int k = 0; k < parts; k++) expected[t] += x[t] > k ? x[t] * (k + 0.5) : 0;
  }
  kernel.run({1}, {threads}, x.data(), got.data(), threads);
  EXPECT_EQ(got, expected);
}

// The elements of one array at constant distances, whose addresses LLVM computes before all of the sums.
std::string neighbours(int n) {
  return "for (int i = 0; i < n; i++) {\ndouble sum = 0;\n" + numbered(n, "sum += x[i + @] * @.5;\n") +
         "y[i] = sum;\n}";
}

// Where the pieces pass addresses to each other, the code of each statement is several times as long.
TEST(LongBlocks, ComputeAddressesWhereTheyAreUsed) {
  if (kSanitized) GTEST_SKIP() << "the code is that of the release build, and takes minutes";
  const Code short_one = compiled(neighbours(1000)), code = compiled(neighbours(4000));
  EXPECT_LT(code.longest, code.bytes / 8) << code.bytes;
  EXPECT_LT(code.bytes, short_one.bytes * 5) << short_one.bytes;
}

// A long loop over bytes that computes with wide numbers is not given the width of bytes.
TEST(LongLoops, OfBytesHaveTheWidthOfWhatTheyCompute) {
  if (kSanitized) GTEST_SKIP() << "the code is that of the release build, and takes minutes";
  const auto bytes = [](const std::string &type) {
    const std::string text = "#include \"plugins/shared/user/arrays.h\"\nextern \"C\" __global__ void k(const " + type +
                             " *x, " + type + " *y, long n) {\nfor (long i = 0; i < n; i++) {\ndouble v = x[i];\n" +
                             numbered(1200, "v = v * 0.5 + @;\n") + "y[i] = v;\n}\n}\n";
    return compiled_text(text, 0).bytes;
  };
  const size_t doubles = bytes("double");
  EXPECT_LT(bytes("unsigned char"), doubles * 2) << doubles;
}

#if defined(__x86_64__)
// Code of vectors, with the scalar code for the last elements, takes about twice the bytes of scalar code.
TEST(LongLoops, OfManyStoresStayScalar) {
  if (kSanitized) GTEST_SKIP() << "the code is that of the release build, and takes minutes";
  const auto bytes = [](int n) {
    const std::string text =
        "#include \"plugins/shared/user/arrays.h\"\nextern \"C\" __global__ void k(const double *x, double *y, long n) "
        "{\n"
        "for (long i = 0; i < n; i++) {\ndouble v = x[i], &s = y[i];\ns = 0;\n" +
        numbered(n, "if (v > @) s += v * @.5;\n") + "}\n}\n";
    return compiled_text(text, 0).bytes;
  };
  const size_t vectors = bytes(1200), scalars = bytes(2400);
  EXPECT_LT(scalars, vectors * 3 / 2) << vectors;
}
#endif

// A few parts stay one function, which is faster.
TEST(ManyParts, FewAreOneFunction) {
  const Code code = compiled(kLong[0].body(4));
  EXPECT_GT(code.longest, code.bytes / 2);
}

// Loops and coroutines give the same bits.
TEST(ManyParts, SameBits) {
  for (const Long &each : kLong) {
    SCOPED_TRACE(each.what);
    const std::string text = kernel_of(each.body(kSanitized ? each.n : each.n * 2));
    const Kernel loops(text, true), coroutines(text, false);
    EXPECT_TRUE(loops.loops());
    for (const uint32_t block : {1u, 32u, 96u, 256u}) {
      const int n = static_cast<int>(block) * 3;
      const std::vector<double> x = noise<double>(size_t(n) + 512);
      std::vector<double> first(size_t(n), 1), second(size_t(n), 1);
      loops.run({3}, {block}, x.data(), first.data(), n);
      coroutines.run({3}, {block}, x.data(), second.data(), n);
      EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof first[0]), 0) << block;
    }
  }
}

// Spilled values, compared with those of plain host code.
TEST(ManyParts, SpilledValues) {
  constexpr int kParts = 64;
  const Kernel kernel(kernel_of(kLong[0].body(kParts)), true);
  for (const uint32_t block : {1u, 7u, 256u}) {
    const std::vector<double> x = noise<double>(block);
    std::vector<double> got(block), s = x, kept(block), sum(block);
    kernel.run({1}, {block}, x.data(), got.data(), static_cast<int>(block));
    std::vector<std::vector<double>> parts;
    for (int k = 0; k < kParts; k++) {
      for (size_t t = 0; t < block; t++) kept[t] = s[(t + size_t(k)) % block] / (k + 2.5);
      s = kept;
      parts.push_back(kept);
    }
    for (size_t t = 0; t < block; t++) {
      sum[t] = parts[0][t];
      for (size_t k = 1; k < parts.size(); k++) sum[t] += parts[k][t];
      sum[t] += 0;
      ASSERT_EQ(got[t], sum[t]) << block << " " << t;
    }
  }
}

}  // namespace
