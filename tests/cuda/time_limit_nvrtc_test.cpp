// tests/cuda/time_limit_nvrtc_test.cpp -- NVRTC gets done with our texts.
//
// NVRTC 13.0 never finished some kernels for architectures below 10.0, as plugins/cuda/text/words.h tells, so a program
// that an application writes may make a user wait for ever. Random programs look for others: a few here, and with
// GPUOPT_TEST_SEARCH_SECONDS=3600 those of an hour, from the seed in GPUOPT_TEST_SEARCH_SEED on.
#include <gtest/gtest.h>

#include "tests/cuda/kernel_corpus.h"
#include "tests/cuda/time_limit.h"

namespace gpuopt::test {
namespace {

using TimeLimitNvrtc = RealNvrtc<>;

constexpr time_t kLimit = 20;  // a compile of the search takes 0.3 s
constexpr Family kFamilies[] = {Family::kElementwise, Family::kReduction, Family::kScan};
constexpr int64_t kElements[] = {6000, 200000};

// The least text that is known not to end. With 16 words, which are 128 bytes, it does, but longer kernels did not with
// 11. It also ends if no address is converted, or if both of them pass through an empty asm statement before.
constexpr const char *kManyWords = R"(
struct Words { unsigned long long w[17]; };
struct Partial { float value; };
__device__ __forceinline__ Partial combine(const Partial &x, const Partial &y) { return {fmaxf(x.value, y.value)}; }
extern "C" __global__ void greatest(const Words p) {
  const float *const row = (const float *)__cvta_global_to_generic(p.w[0]) + threadIdx.x;
  Partial own = {0};
  for (unsigned long long chunk = 0; chunk < p.w[1]; chunk++) {
    Partial acc = {0};
    for (int i = 0; i < int(p.w[2] - chunk * 1024); i++) {
      const Partial x = {row[chunk * 1024 + i]};
      acc = i == 0 ? x : combine(acc, x);
    }
    own = acc;
  }
  ((float *)__cvta_global_to_generic(p.w[3]))[threadIdx.x] = own.value;
}
)";

// The texts of a program's kernels, apart as the backend compiles them: the header of a kernel's form comes first.
std::vector<std::string> texts_of(Family family, uint64_t seed, int64_t elements) {
  RandomProgram random(family, seed, elements);
  const std::vector<int64_t> &shape = random.builder().shape();
  std::vector<std::string> texts;
  if (std::count(shape.begin(), shape.end(), 0) > 0) return texts;
  Corpus corpus;
  corpus.add(random.builder());
  for (const TranslationUnit &unit : corpus.units()) texts.push_back(unit.text());
  return texts;
}

int64_t number_in_environment(const char *name, int64_t otherwise) {
  const char *const value = std::getenv(name);
  return value ? std::atoll(value) : otherwise;
}

// Those that searches found: the greatest of a row, counting along columns, whether all of a column are true, a scan,
// and the sine of a single element.
TEST_F(TimeLimitNvrtc, FoundBySearch) {
  struct Found {
    Family family;
    uint64_t seed;
    int64_t elements;
    const char *kernel;
  };
  for (const auto &[family, seed, elements, kernel] :
       {Found{Family::kReduction, 7013, 6000, "reduce_rows<4, true>"},
        {Family::kReduction, 20062, 200000, "reduce_rows<8, true>"},
        {Family::kReduction, 20236, 200000, "reduce_rows<8, true>"},
        {Family::kReduction, 20239, 6000, "reduce_columns<2, false>"},
        {Family::kReduction, 20086, 200000, "reduce_columns<2, true>"},
        {Family::kReduction, 40054, kElements[40054 / 3 % 2], "reduce_columns<2, false>"},
        {Family::kScan, 40178, kElements[40178 / 3 % 2], "scan"},
        {Family::kScan, 41369, kElements[41369 / 3 % 2], "map_points<2"}}) {
    bool is_there = false;
    for (const std::string &text : texts_of(family, seed, elements)) {
      is_there = is_there || text.find(kernel) != text.npos;
      for (const int arch : {compiler.nvrtc->archs().front(), 90})
        EXPECT_EQ(compile_within(kLimit, *compiler.nvrtc, text, {arch, false, ""}), Ended::kCompiled)
            << seed << ", " << arch;
    }
    EXPECT_TRUE(is_there) << seed << " has no " << kernel;
  }
}

// The limit works, and the one version that is known to need the asm statement of words.h still does.
TEST_F(TimeLimitNvrtc, GivesUp) {
  if (compiler.nvrtc->version() != 13000) GTEST_SKIP() << "known of NVRTC 13.0";
  EXPECT_EQ(compile_within(2, *compiler.nvrtc, kManyWords, {90, true, ""}), Ended::kEndless);
}

TEST_F(TimeLimitNvrtc, RandomPrograms) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(number_in_environment("GPUOPT_TEST_SEARCH_SECONDS", 0));
  const int archs[] = {compiler.nvrtc->archs().front(), 90};
  uint64_t seed = static_cast<uint64_t>(number_in_environment("GPUOPT_TEST_SEARCH_SEED", 100));
  int64_t compiles = 0;
  for (; compiles < 12 || Clock::now() < end; seed++) {
    const Family family = kFamilies[seed % std::size(kFamilies)];
    for (const std::string &text :
         texts_of(family, seed, kElements[seed / std::size(kFamilies) % std::size(kElements)]))
      for (const int arch : archs) {
        compiles++;
        EXPECT_EQ(compile_within(kLimit, *compiler.nvrtc, text, {arch, false, ""}), Ended::kCompiled)
            << "family " << static_cast<int>(family) << ", seed " << seed << ", " << arch << "\n"
            << text;
      }
  }
  std::printf("[ COMPILES ] %lld, up to seed %llu\n", static_cast<long long>(compiles),
              static_cast<unsigned long long>(seed));
}

}  // namespace
}  // namespace gpuopt::test
