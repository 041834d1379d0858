// tests/cuda/kernels_nvrtc_test.cpp -- the real run-time compiler takes the kernels of every operation, reduction, scan
// and cast in every dtype and way of lying in memory, for every architecture it knows, without a word.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "kernel_corpus.h"
#include "real_nvrtc.h"

namespace gpuopt::test {
namespace {

using namespace gpuopt::cuda;

constexpr size_t kKernelsOfUnit = 150;
constexpr int64_t kLong = int64_t{1} << 33;  // needs 64-bit indices

// Gathers kernels; a unit that is full begins the next.
class Corpus {
 public:
  void add(const gpuopt_program &program) {
    if (units_.empty() || units_.back().kernels().size() >= kKernelsOfUnit) units_.emplace_back();
    units_.back().add(kernels_of(program, "k" + std::to_string(number_++)));
  }
  void add(ProgramBuilder &builder) { add(builder.program()); }
  // The same program as if its dimension 0 were long.
  void add_long(ProgramBuilder &builder) {
    gpuopt_program program = builder.program();
    std::vector<int64_t> shape(program.shape, program.shape + program.ndim);
    shape[0] = kLong;
    program.shape = shape.data();
    add(program);
  }
  const std::vector<TranslationUnit> &units() const { return units_; }

 private:
  std::vector<TranslationUnit> units_;
  int number_ = 0;
};

Layout layout_in_steps(const std::vector<int64_t> &shape, int size) {
  Layout layout = dense_layout(shape, ~uint64_t{0}, size);
  for (int64_t &stride : layout.strides) stride *= 2;
  layout.bytes *= 2;
  return layout;
}

constexpr int kArity[] = {
#define GPUOPT_OP(name, nin, kinds, result, doc) nin,
#include <gpuopt/ops.def>
};

enum class Variant { kDense, kPoints, kLongPoints };

void add_operation(Corpus &corpus, int op, int dtype, Variant variant) {
  if (!scalar_op(op, dtype).call) return;
  Random random(1);
  const std::vector<int64_t> shape = {4, 256};
  ProgramBuilder builder(shape, 0);
  std::vector<int> src;
  for (int i = 0; i < kArity[op]; i++) {
    const int type = op == GPUOPT_OP_where && i == 0 ? int{GPUOPT_BOOL} : dtype;
    const bool dense = variant == Variant::kDense;
    src.push_back(builder.input(
        type, GPUOPT_LEVEL_FULL,
        dense ? dense_layout(shape, ~uint64_t{0}, size_of(type)) : layout_in_steps(shape, size_of(type)), random));
  }
  builder.output(builder.elementwise(op, dtype, src));
  if (variant == Variant::kLongPoints) {
    corpus.add_long(builder);
  } else {
    corpus.add(builder);
  }
}

Corpus operations(Variant variant) {
  Corpus corpus;
  for (int op = 0; op < GPUOPT_OP_COUNT; op++) {
    for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) add_operation(corpus, op, dtype, variant);
  }
  return corpus;
}

Corpus casts() {
  Corpus corpus;
  Random random(1);
  for (int from = 1; from < GPUOPT_DTYPE_COUNT; from++) {
    ProgramBuilder builder({1024}, 0);
    const int x = builder.input(from, GPUOPT_LEVEL_FULL, dense_layout({1024}, ~uint64_t{0}, size_of(from)), random);
    for (int to = 1; to < GPUOPT_DTYPE_COUNT; to++) {
      if (to != from && builder.noutputs() < GPUOPT_PROGRAM_MAX_OUTPUTS) builder.output(builder.cast(x, to));
    }
    corpus.add(builder);
    ProgramBuilder rest({1024}, 0);
    const int y = rest.input(from, GPUOPT_LEVEL_FULL, dense_layout({1024}, ~uint64_t{0}, size_of(from)), random);
    for (int to = GPUOPT_UINT64; to < GPUOPT_DTYPE_COUNT; to++) {
      if (to != from) rest.output(rest.cast(y, to));
    }
    corpus.add(rest);
  }
  return corpus;
}

// Sequences along and across memory, short and shared out, if wanted also with 64-bit indices.
template <class Add>
void add_sequences(Corpus &corpus, int dtype, bool with_long, Add add) {
  Random random(1);
  for (const uint64_t axes : {uint64_t{2}, uint64_t{1}}) {
    for (const int64_t length : {int64_t{100}, int64_t{5000}}) {
      const std::vector<int64_t> shape =
          axes == 2 ? std::vector<int64_t>{3, length} : std::vector<int64_t>{length, 100};
      ProgramBuilder builder(shape, axes);
      const Layout layout = dense_layout(shape, ~uint64_t{0}, size_of(dtype));
      builder.output(add(builder, builder.input(dtype, GPUOPT_LEVEL_FULL, layout, random)));
      corpus.add(builder);
      if (length > GPUOPT_CHUNK && with_long) corpus.add_long(builder);
    }
  }
}

Corpus sequences() {
  Corpus corpus;
  for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int number = 0; number < GPUOPT_REDUCTION_COUNT; number++) {
      if (!reduction_op(number, dtype).reduce) continue;
      add_sequences(corpus, dtype, number == GPUOPT_REDUCTION_sum,
                    [&](ProgramBuilder &builder, int x) { return builder.reduce(number, x); });
    }
    for (int number = 0; number < GPUOPT_SCAN_COUNT; number++) {
      if (!scan_op(number, dtype).reduce) continue;
      add_sequences(corpus, dtype, number == GPUOPT_SCAN_cumulative_sum,
                    [&](ProgramBuilder &builder, int x) { return builder.scan(number, x); });
    }
  }
  return corpus;
}

Corpus random_programs() {
  Corpus corpus;
  for (const Family family : {Family::kElementwise, Family::kReduction, Family::kScan}) {
    for (uint64_t seed = 1; seed <= 24; seed++) {
      RandomProgram random(family, 7000 + seed, 6000);
      if (std::count(random.builder().shape().begin(), random.builder().shape().end(), 0) == 0)
        corpus.add(random.builder());
    }
  }
  return corpus;
}

class KernelsNvrtc : public RealNvrtc<> {
 protected:
  void expect_ptx(const Corpus &corpus, int arch) {
    for (const TranslationUnit &unit : corpus.units()) {
      const Compilation out = compiler.nvrtc->compile(unit.text(), "kernels.cu", {arch, true, ""});
      ASSERT_EQ(out.status, NVRTC_SUCCESS) << arch << '\n' << out.log;
      EXPECT_EQ(out.log, "") << arch;
      expect_good(out.ptx, unit, arch);
    }
  }
  void expect_cubin(const Corpus &corpus, int arch) {
    for (const TranslationUnit &unit : corpus.units()) {
      const Compilation out = compiler.nvrtc->compile(unit.text(), "kernels.cu", {arch, false, ""});
      ASSERT_EQ(out.status, NVRTC_SUCCESS) << arch << '\n' << out.log;
      EXPECT_EQ(out.log, "") << arch;
      EXPECT_EQ(out.cubin.substr(1, 3), "ELF") << arch;
      for (const KernelSource &kernel : unit.kernels())
        EXPECT_NE(out.cubin.find(".text." + kernel.entry), std::string::npos) << kernel.entry;
    }
  }

  // A multiply or add without .rn is one that ptxas may contract; flushed denormals are other bits.
  static void expect_good(const std::string &ptx, const TranslationUnit &unit, int arch) {
    static const std::regex contractible("\\b(mul|add|sub)\\.f(32|64)");
    std::smatch match;
    EXPECT_FALSE(std::regex_search(ptx, match, contractible)) << match.str();
    EXPECT_EQ(ptx.find(".ftz"), std::string::npos);
    EXPECT_NE(ptx.find(".target sm_" + std::to_string(arch)), std::string::npos);
    for (const KernelSource &kernel : unit.kernels()) {
      const std::string head = ".entry " + kernel.entry + "(\n\t.param .align 8 .b8 " + kernel.entry + "_param_0[" +
                               std::to_string(8 * kernel.parameter_words) + "]\n";
      EXPECT_NE(ptx.find(head), std::string::npos) << head;
    }
  }

  int oldest() const { return compiler.nvrtc->archs().front(); }
  int middle() const { return compiler.nvrtc->archs()[compiler.nvrtc->archs().size() / 2]; }
  int newest() const { return compiler.nvrtc->archs().back(); }
};

// What depends on the architecture is the same few functions of the prelude: the oldest one sees every kernel.
TEST_F(KernelsNvrtc, EveryOperation) {
  for (const Variant variant : {Variant::kDense, Variant::kPoints, Variant::kLongPoints})
    expect_ptx(operations(variant), oldest());
}
TEST_F(KernelsNvrtc, EveryOperationOnTheNewest) { expect_ptx(operations(Variant::kDense), newest()); }
TEST_F(KernelsNvrtc, EveryCast) { expect_ptx(casts(), oldest()); }
TEST_F(KernelsNvrtc, EveryReductionAndScan) { expect_ptx(sequences(), oldest()); }

TEST_F(KernelsNvrtc, RandomProgramsOnEveryArchitecture) {
  const Corpus corpus = random_programs();
  for (const int arch : compiler.nvrtc->archs()) expect_ptx(corpus, arch);
}

TEST_F(KernelsNvrtc, RandomProgramsToMachineCode) {
  const Corpus corpus = random_programs();
  for (const int arch : {oldest(), middle(), newest()}) expect_cubin(corpus, arch);
}

}  // namespace
}  // namespace gpuopt::test
