// tests/cuda/operations_corpus.h -- programs of every operation and cast in every dtype.
#pragma once

#include <gpuopt/gpuopt.h>

#include <vector>

#include "tests/cuda/kernel_corpus.h"

namespace gpuopt::test {

inline constexpr int kArity[] = {
#define GPUOPT_OP(name, nin, kinds, result, doc) nin,
#include <gpuopt/ops.def>
};

enum class Variant { kDense, kPoints, kLongPoints };

// A program over a small matrix whose rows are dense, or that has gaps everywhere.
class OperationProgram {
 public:
  OperationProgram(int dtype, Variant variant) : dtype_(dtype), variant_(variant), builder_(shape_, 0) {}

  void apply(int op) {
    std::vector<int> src;
    for (int i = 0; i < kArity[op]; i++)
      src.push_back(op == GPUOPT_OP_where && i == 0 ? input(GPUOPT_BOOL, 0) : input(dtype_, i));
    builder_.output(builder_.elementwise(op, dtype_, src));
  }
  bool empty() const { return builder_.noutputs() == 0; }
  bool full() const { return builder_.noutputs() == GPUOPT_PROGRAM_MAX_OUTPUTS; }
  void add_to(Corpus &corpus) { variant_ == Variant::kLongPoints ? corpus.add_long(builder_) : corpus.add(builder_); }

 private:
  // Operand `number` of that dtype, the same for all operations.
  int input(int dtype, int number) {
    const auto [place, is_new] = inputs_.try_emplace({dtype, number});
    if (!is_new) return place->second;
    Layout layout = dense_layout(shape_, ~uint64_t{0}, size_of(dtype));
    if (variant_ != Variant::kDense) {
      for (int64_t &stride : layout.strides) stride *= 2;
      layout.bytes *= 2;
    }
    Random random(1);
    return place->second = builder_.input(dtype, GPUOPT_LEVEL_FULL, layout, random);
  }

  const std::vector<int64_t> shape_ = {4, 256};
  const int dtype_;
  const Variant variant_;
  ProgramBuilder builder_;
  std::map<std::pair<int, int>, int> inputs_;
};

// A program for each operation and dtype.
inline Corpus operations(Variant variant) {
  Corpus corpus;
  for (int op = 0; op < GPUOPT_OP_COUNT; op++) {
    for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
      if (!scalar_op(op, dtype).call) continue;
      OperationProgram program(dtype, variant);
      program.apply(op);
      program.add_to(corpus);
    }
  }
  return corpus;
}

// The same operations, as many to a program as it may have outputs.
inline Corpus operations_together(Variant variant) {
  Corpus corpus;
  for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    auto program = std::make_unique<OperationProgram>(dtype, variant);
    for (int op = 0; op < GPUOPT_OP_COUNT; op++) {
      if (!scalar_op(op, dtype).call) continue;
      program->apply(op);
      if (!program->full()) continue;
      program->add_to(corpus);
      program = std::make_unique<OperationProgram>(dtype, variant);
    }
    if (!program->empty()) program->add_to(corpus);
  }
  return corpus;
}

inline Corpus casts() {
  Corpus corpus;
  Random random(1);
  for (int from = 1; from < GPUOPT_DTYPE_COUNT; from++) {
    std::unique_ptr<ProgramBuilder> builder;
    int x = 0;
    for (int to = 1; to < GPUOPT_DTYPE_COUNT; to++) {
      if (to == from) continue;
      if (!builder) {
        builder = std::make_unique<ProgramBuilder>(std::vector<int64_t>{1024}, 0);
        x = builder->input(from, GPUOPT_LEVEL_FULL, dense_layout({1024}, ~uint64_t{0}, size_of(from)), random);
      }
      builder->output(builder->cast(x, to));
      if (builder->noutputs() < GPUOPT_PROGRAM_MAX_OUTPUTS && to + 1 < GPUOPT_DTYPE_COUNT) continue;
      corpus.add(*builder);
      builder.reset();
    }
    if (builder) corpus.add(*builder);
  }
  return corpus;
}

inline Corpus random_programs(Family family) {
  Corpus corpus;
  for (uint64_t seed = 1; seed <= 24; seed++) {
    RandomProgram random(family, 7000 + seed, 6000);
    const std::vector<int64_t> &shape = random.builder().shape();
    if (std::count(shape.begin(), shape.end(), 0) == 0) corpus.add(random.builder());
  }
  return corpus;
}

}  // namespace gpuopt::test
