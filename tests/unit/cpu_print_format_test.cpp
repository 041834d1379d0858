// tests/unit/cpu_print_format_test.cpp -- what kernels print, against C's snprintf on random formats, and the heap of
// kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "plugins/cpu/kernel/kernel_heap.h"
#include "plugins/cpu/kernel/print_format.h"

namespace {

using gpuopt::cpu::append_formatted;

uint64_t bits_of(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
template <class... A>
std::string by_c(const std::string &format, A... values) {
  std::string out(1 << 12, 0);
  out.resize(static_cast<size_t>(std::snprintf(out.data(), out.size(), format.c_str(), values...)));
  return out;
}

std::string ours(const std::string &format, std::vector<uint64_t> values) {
  std::string out;
  append_formatted(out, format.c_str(), static_cast<int>(values.size()), values.data());
  return out;
}

class Formats {
 public:
  explicit Formats(unsigned seed) : rng_(seed) {}

  void compare() {
    std::string spec = "<%";
    for (int k = below(3); k > 0; k--) spec += "-+ #0"[below(5)];
    const bool star = below(5) == 0, dot_star = below(5) == 0;
    const int width = below(40) - 10, precision = below(12) - 2;
    if (star) spec += "*";
    if (!star && below(2)) spec += std::to_string(below(30) + 1);
    if (dot_star) spec += ".*";
    if (!dot_star && below(3) == 0) spec += below(4) ? "." + std::to_string(below(20)) : ".";
    with_value(spec, star ? &width : nullptr, dot_star ? &precision : nullptr);
  }

 private:
  int below(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }

  template <class T>
  void check(const std::string &spec, const int *width, const int *precision, T value, uint64_t bits) {
    std::vector<uint64_t> all;
    if (width) all.push_back(static_cast<uint64_t>(int64_t{*width}));
    if (precision) all.push_back(static_cast<uint64_t>(int64_t{*precision}));
    all.push_back(bits);
    const std::string want = width && precision ? by_c(spec, *width, *precision, value)
                             : width            ? by_c(spec, *width, value)
                             : precision        ? by_c(spec, *precision, value)
                                                : by_c(spec, value);
    EXPECT_EQ(ours(spec, all), want) << spec;
  }

  double number() {
    static const double special[] = {0.0, -0.0, 1.5, -3.25, 1e300, 1e-310, 1.0 / 3, __builtin_inf(), __builtin_nan("")};
    if (below(2)) return special[below(9)];
    return std::ldexp(static_cast<double>(static_cast<int64_t>(rng_() | uint64_t{rng_()} << 32)), below(120) - 90);
  }

  void with_value(const std::string &spec, const int *width, const int *precision) {
    static const char *const texts[] = {"", "a", "some words", "per%cent"};
    const uint64_t wide = rng_() | uint64_t{rng_()} << 32;
    const int narrow = static_cast<int>(wide >> below(32));
    const char integer = "dioxXu"[below(6)];
    switch (below(6)) {
      case 0:
        return check(spec + integer + "|", width, precision, narrow, static_cast<uint64_t>(int64_t{narrow}));
      case 1:
        return check(spec + (below(2) ? "ll" : "l") + integer + "|", width, precision, static_cast<long long>(wide),
                     wide);
      case 2:
        return check(spec + (below(2) ? "hh" : "h") + integer + "|", width, precision, narrow,
                     static_cast<uint64_t>(int64_t{narrow}));
      case 3:
        return check(spec + "s|", width, precision, texts[wide % 4], reinterpret_cast<uint64_t>(texts[wide % 4]));
      case 4:
        return check(spec + "c|", width, precision, 'a' + narrow % 26,
                     static_cast<uint64_t>(int64_t{'a' + narrow % 26}));
      default:
        const double x = number();
        return check(spec + "eEfFgGaA"[below(8)] + "|", width, precision, x, bits_of(x));
    }
  }

  std::mt19937 rng_;
};

TEST(PrintFormat, IsThatOfC) {
  Formats formats(20240611);
  for (int iteration = 0; iteration < 20000 && !testing::Test::HasFailure(); iteration++) formats.compare();
}

TEST(PrintFormat, CopiesWhatIsNoConversion) {
  EXPECT_EQ(ours("100%, %", {}), "100%, %");
  EXPECT_EQ(ours("%d %d", {7}), "7 %d");
  EXPECT_EQ(ours("%*d", {7}), "%*d");
  EXPECT_EQ(ours("%n%d%k", {7}), "%n7%k");
  EXPECT_EQ(ours("%%%5%", {}), "%%");
  EXPECT_EQ(ours("%s", {0}), "(null)");
  EXPECT_EQ(ours("%zu %jd", {~uint64_t{0}, ~uint64_t{0}}), "18446744073709551615 -1");
  EXPECT_EQ(ours("%Lf", {bits_of(2.5)}), "2.500000");
  EXPECT_EQ(ours("%300d", {1}), std::string(299, ' ') + "1");
}

using gpuopt::cpu::allocate_in_kernel;
using gpuopt::cpu::free_in_kernel;
using gpuopt::cpu::kKernelHeapBytes;

TEST(KernelHeap, PiecesDoNotOverlapAndAllComesBack) {
  std::mt19937 rng(5);
  std::map<char *, size_t> pieces;
  for (int iteration = 0; iteration < 20000; iteration++) {
    if (rng() % 2 && !pieces.empty()) {
      auto piece = std::next(pieces.begin(), static_cast<std::ptrdiff_t>(rng() % pieces.size()));
      EXPECT_GE(free_in_kernel(piece->first), std::max<size_t>(piece->second, 1));
      EXPECT_EQ(free_in_kernel(piece->first), 0u);
      pieces.erase(piece);
      continue;
    }
    const size_t bytes = rng() % 3 ? rng() % 200 : rng() % 100000;
    auto *const made = static_cast<char *>(allocate_in_kernel(bytes));
    if (!made) continue;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(made) % 16, 0u);
    const auto [place, fresh] = pieces.emplace(made, bytes);
    ASSERT_TRUE(fresh);
    const auto next = std::next(place);
    ASSERT_TRUE(place == pieces.begin() || std::prev(place)->first + std::prev(place)->second <= made);
    ASSERT_TRUE(next == pieces.end() || made + bytes <= next->first);
  }
  for (const auto &[made, bytes] : pieces) free_in_kernel(made);
  void *const all = allocate_in_kernel(kKernelHeapBytes);
  EXPECT_NE(all, nullptr);
  EXPECT_EQ(allocate_in_kernel(1), nullptr);
  EXPECT_EQ(free_in_kernel(all), kKernelHeapBytes);
  EXPECT_EQ(allocate_in_kernel(kKernelHeapBytes + 1), nullptr);
  EXPECT_EQ(allocate_in_kernel(SIZE_MAX), nullptr);
  EXPECT_EQ(free_in_kernel(&rng), 0u);
}

}  // namespace
