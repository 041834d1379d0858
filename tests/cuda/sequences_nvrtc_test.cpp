// tests/cuda/sequences_nvrtc_test.cpp -- the real run-time compiler takes the kernels of every reduction and scan in
// every dtype, along and across memory, short and shared out, without a word: nvrtc_checks.h says which for which
// architecture.
#include <gtest/gtest.h>

#include "tests/cuda/nvrtc_checks.h"
#include "tests/cuda/operations_corpus.h"

namespace gpuopt::test {
namespace {

using SequencesNvrtc = RealNvrtc<>;

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

TEST_F(SequencesNvrtc, EveryReduction) {
  Corpus corpus;
  for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int number = 0; number < GPUOPT_REDUCTION_COUNT; number++) {
      if (!reduction_op(number, dtype).reduce) continue;
      add_sequences(corpus, dtype, number == GPUOPT_REDUCTION_sum,
                    [&](ProgramBuilder &builder, int x) { return builder.reduce(number, x); });
    }
  }
  expect_dealt(*compiler.nvrtc, corpus, Code::kPtx);
}

TEST_F(SequencesNvrtc, EveryScan) {
  Corpus corpus;
  for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    for (int number = 0; number < GPUOPT_SCAN_COUNT; number++) {
      if (!scan_op(number, dtype).reduce) continue;
      add_sequences(corpus, dtype, number == GPUOPT_SCAN_cumulative_sum,
                    [&](ProgramBuilder &builder, int x) { return builder.scan(number, x); });
    }
  }
  expect_dealt(*compiler.nvrtc, corpus, Code::kPtx);
}

// Partial results that wait are in registers and shared memory.
TEST_F(SequencesNvrtc, ReductionsNeedNoLocalMemory) {
  for (const int dtype : {GPUOPT_FLOAT32, GPUOPT_COMPLEX128}) {
    Corpus corpus;
    for (int number = 0; number < GPUOPT_REDUCTION_COUNT; number++) {
      if (!reduction_op(number, dtype).reduce) continue;
      add_sequences(corpus, dtype, true, [&](ProgramBuilder &builder, int x) { return builder.reduce(number, x); });
    }
    for (const TranslationUnit &unit : corpus.units()) {
      const cuda::Compilation made = compiler.nvrtc->compile(unit.text(), "kernels.cu", {90, false, ""});
      ASSERT_EQ(made.status, NVRTC_SUCCESS) << made.log;
      const std::map<std::string, uint32_t> frames = Cubin(made.cubin).stack_frames();
      for (const cuda::KernelSource &kernel : unit.kernels()) {
        ASSERT_EQ(frames.count(kernel.entry), 1u) << kernel.entry;
        EXPECT_EQ(frames.at(kernel.entry), 0u) << kernel.operation << " of dtype " << dtype;
      }
    }
  }
}

TEST_F(SequencesNvrtc, RandomPrograms) {
  for (const Family family : {Family::kReduction, Family::kScan})
    expect_dealt(*compiler.nvrtc, random_programs(family), Code::kMachine);
}

}  // namespace
}  // namespace gpuopt::test
