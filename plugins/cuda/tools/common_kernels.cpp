// plugins/cuda/tools/common_kernels.cpp -- small programs, as the host writes them, and the kernels made of them.
#include "plugins/cuda/tools/common_kernels.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <set>
#include <string>

#include "plugins/cuda/program/layout.h"
#include "plugins/cuda/program/loop_results.h"
#include "plugins/cuda/program/lower.h"
#include "plugins/cuda/program/source.h"

namespace gpuopt::cuda {
namespace {

constexpr uint8_t kDtypes[] = {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_INT64, GPUOPT_BOOL};
constexpr uint64_t kAddress = 4096;  // of every array: as aligned as allocated memory is
constexpr uint64_t kNoAxis = 0;

// A program of few steps over arrays that are contiguous in C order, written down as the host does.
class SmallProgram {
 public:
  SmallProgram(std::vector<int64_t> shape, uint64_t reduced_axes)
      : shape_(std::move(shape)), reduced_axes_(reduced_axes) {}

  // Adds an input, C-contiguous and broadcast along the axes of a bit mask. Like all that add a step, returns its
  // number.
  uint16_t input(uint8_t dtype, uint64_t broadcast = kNoAxis) {
    const auto index = static_cast<uint16_t>(inputs_.size());
    inputs_.push_back({reinterpret_cast<void *>(kAddress), dense(dtype, broadcast), dtype, 0});
    return add({GPUOPT_STEP_INPUT, GPUOPT_LEVEL_FULL, dtype, dtype, index, 0, {}});
  }
  uint16_t constant(uint8_t dtype) {
    return add({GPUOPT_STEP_CONSTANT, GPUOPT_LEVEL_REDUCED, dtype, dtype, nconstants_++, 0, {}});
  }
  // Adds an elementwise operation in the dtype of its last operand.
  uint16_t apply(uint16_t op, const std::vector<uint16_t> &src) {
    const uint8_t loop = steps_[src.back()].dtype;
    uint8_t level = GPUOPT_LEVEL_REDUCED;
    for (const uint16_t v : src) level = std::min(level, steps_[v].level);
    return step(GPUOPT_STEP_ELEMENTWISE, level, loop_results().elementwise[op][loop], loop, op, src);
  }
  uint16_t sum(uint16_t src) {
    const uint8_t loop = steps_[src].dtype;
    const uint8_t result = loop_results().reduction[GPUOPT_REDUCTION_sum][loop];
    return step(GPUOPT_STEP_REDUCE, GPUOPT_LEVEL_REDUCED, result, loop, GPUOPT_REDUCTION_sum, {src});
  }
  // Makes the last step the output.
  void output() { output(steps_.back().dtype, steps_.back().level); }
  void output(uint8_t dtype, uint8_t level = GPUOPT_LEVEL_FULL) {
    const auto last = static_cast<uint16_t>(steps_.size() - 1);
    add({GPUOPT_STEP_OUTPUT, level, dtype, dtype, 0, 1, {last}});
    const bool reduced = level == GPUOPT_LEVEL_REDUCED;
    output_ = {reinterpret_cast<void *>(kAddress), dense(dtype, reduced ? reduced_axes_ : kNoAxis), dtype, 0};
  }
  // Adds an operation of `kind` on earlier steps.
  uint16_t step(uint8_t kind, uint8_t level, uint8_t dtype, uint8_t loop_dtype, uint16_t index,
                const std::vector<uint16_t> &src) {
    gpuopt_step own = {kind, level, dtype, loop_dtype, index, static_cast<uint16_t>(src.size()), {}};
    std::copy(src.begin(), src.end(), own.src);
    return add(own);
  }
  // Adds one operation on all steps before it, and makes its result the output.
  void finish(uint8_t kind, uint8_t dtype, uint8_t loop_dtype, uint16_t index) {
    const uint8_t level = kind == GPUOPT_STEP_REDUCE ? GPUOPT_LEVEL_REDUCED : GPUOPT_LEVEL_FULL;
    std::vector<uint16_t> src(steps_.size());
    std::iota(src.begin(), src.end(), uint16_t{0});
    step(kind, level, dtype, loop_dtype, index, src);
    output(dtype, level);
  }

  // Returns the kernels of all passes.
  std::vector<KernelSource> kernels() const {
    std::vector<KernelSource> all;
    const gpuopt_program whole = program();
    for (const Pass &pass : lower(whole, false).passes) {
      std::vector<OperandMemory> memory;
      std::deque<std::vector<int64_t>> kept;  // strides of kept values
      for (const PassOperand &operand : pass.operands) {
        if (operand.kind == OperandKind::kKept) {
          memory.push_back({kAddress, kept.emplace_back(dense_strides(operand.dtype, reduced_axes_)).data()});
          continue;
        }
        const gpuopt_operand &o = operand.kind == OperandKind::kInput ? inputs_[operand.index] : output_;
        memory.push_back({reinterpret_cast<uint64_t>(o.data), o.strides});
      }
      Layout layout;
      find_layout(whole, pass, memory, layout);
      for (KernelSource &kernel : write_kernels(whole.steps, pass, layout.shape, kKernelName)) {
        all.push_back(std::move(kernel));
      }
    }
    return all;
  }

 private:
  uint16_t add(const gpuopt_step &step) {
    steps_.push_back(step);
    return static_cast<uint16_t>(steps_.size() - 1);
  }

  const int64_t *dense(uint8_t dtype, uint64_t without) {
    return strides_.emplace_back(dense_strides(dtype, without)).data();
  }
  std::vector<int64_t> dense_strides(uint8_t dtype, uint64_t without) const {
    std::vector<int64_t> strides(shape_.size(), 0);
    int64_t stride = plugin::dtype_size(dtype);
    for (size_t d = shape_.size(); d-- > 0;) {
      if (without >> d & 1) continue;
      strides[d] = stride;
      stride *= shape_[d];
    }
    return strides;
  }

  gpuopt_program program() const {
    gpuopt_program p{};
    p.struct_size = sizeof p;
    p.reduced_axes = reduced_axes_;
    p.ndim = static_cast<int32_t>(shape_.size());
    p.nsteps = static_cast<int32_t>(steps_.size());
    p.ninputs = static_cast<int32_t>(inputs_.size());
    p.noutputs = 1;
    p.nconstants = nconstants_;
    p.shape = shape_.data();
    p.steps = steps_.data();
    p.inputs = inputs_.data();
    p.outputs = &output_;
    return p;
  }

  std::vector<int64_t> shape_;
  uint64_t reduced_axes_;
  std::vector<gpuopt_step> steps_;
  std::vector<gpuopt_operand> inputs_;
  gpuopt_operand output_{};
  uint16_t nconstants_ = 0;
  std::deque<std::vector<int64_t>> strides_;  // a deque, whose elements stay in place when it grows
};

// Collects kernels, each text once.
class Collector {
 public:
  void add(const SmallProgram &program) {
    for (KernelSource &kernel : program.kernels()) {
      if (texts_.insert(kernel.text).second) kernels_.push_back(std::move(kernel));
    }
  }
  std::vector<KernelSource> take() { return std::move(kernels_); }

 private:
  std::set<std::string> texts_;
  std::vector<KernelSource> kernels_;
};

// Shapes. They are large enough for vector loads, and small enough for 32-bit indices. Long sequences are split if
// there are few of them.
const std::vector<int64_t> kVector = {1 << 20}, kChunk = {GPUOPT_CHUNK}, kFewRows = {256, 4096}, kMatrix = {4096, 4096};

void add_operations(Collector &out, uint8_t dtype) {
  for (uint16_t op = 0; op < GPUOPT_OP_COUNT; ++op) {
    const uint8_t result = loop_results().elementwise[op][dtype];
    if (!result) continue;
    const int arity = plugin::op_arity(op);
    for (const int scalar : {-1, arity - 1, 0}) {  // none, x + 5, 5 + x
      if (scalar >= 0 && (arity < 2 || (scalar == 0 && arity > 2))) continue;
      SmallProgram program(kVector, kNoAxis);
      for (int k = 0; k < arity; ++k) {
        const uint8_t type = op == GPUOPT_OP_where && k == 0 ? uint8_t{GPUOPT_BOOL} : dtype;
        k == scalar ? program.constant(type) : program.input(type);
      }
      program.finish(GPUOPT_STEP_ELEMENTWISE, result, dtype, op);
      out.add(program);
    }
  }
}

// x + x and x * x read their operand once.
void add_doubles(Collector &out, uint8_t dtype) {
  for (const uint16_t op : {GPUOPT_OP_add, GPUOPT_OP_multiply}) {
    const uint8_t result = loop_results().elementwise[op][dtype];
    if (!result) continue;
    SmallProgram program(kVector, kNoAxis);
    program.input(dtype);
    program.step(GPUOPT_STEP_ELEMENTWISE, GPUOPT_LEVEL_FULL, result, dtype, op, {0, 0});
    program.output(result);
    out.add(program);
  }
}

void add_copies_and_casts(Collector &out, uint8_t from) {
  SmallProgram copy(kVector, kNoAxis);
  copy.input(from);
  copy.output(from);
  out.add(copy);
  for (const uint8_t to : kDtypes) {
    if (to == from) continue;
    SmallProgram program(kVector, kNoAxis);
    program.input(from);
    program.finish(GPUOPT_STEP_CAST, to, from, 0);
    out.add(program);
  }
}

// How arrays are reduced: as a whole, few and many rows, and columns.
struct Reduced {
  const std::vector<int64_t> &shape;
  uint64_t axes;
};
const Reduced kReduced[] = {{kVector, 1}, {kChunk, 1}, {kFewRows, 1}, {kMatrix, 1}, {kFewRows, 2}, {kMatrix, 2}};

// mean(x), var(x) and std(x), as the host composes them.
enum class Statistic { mean, var, std };

void add_statistic(Collector &out, uint8_t dtype, const Reduced &reduced, Statistic statistic) {
  SmallProgram program(reduced.shape, reduced.axes);
  const uint16_t x = program.input(dtype), sum = program.sum(x), count = program.constant(dtype);
  const uint16_t mean = program.apply(GPUOPT_OP_divide, {sum, count});
  if (statistic != Statistic::mean) {
    const uint16_t deviation = program.apply(GPUOPT_OP_subtract, {x, mean});
    const uint16_t squares = program.sum(program.apply(GPUOPT_OP_square, {deviation}));
    const uint16_t var = program.apply(GPUOPT_OP_divide, {squares, count});
    if (statistic == Statistic::std) program.apply(GPUOPT_OP_sqrt, {var});
  }
  program.output();
  out.add(program);
}

// (x - mean) / std, of columns and of rows.
void add_standardize(Collector &out, uint8_t dtype) {
  for (const uint64_t axis : {1, 2}) {
    SmallProgram program(kMatrix, kNoAxis);
    const uint16_t x = program.input(dtype), mean = program.input(dtype, axis);
    const uint16_t centred = program.apply(GPUOPT_OP_subtract, {x, mean}), std = program.input(dtype, axis);
    program.apply(GPUOPT_OP_divide, {centred, std});
    program.output();
    out.add(program);
  }
}

// x *= 5; x *= x; x += x
void add_threefold(Collector &out, uint8_t dtype) {
  SmallProgram program(kVector, kNoAxis);
  const uint16_t x = program.input(dtype), scaled = program.apply(GPUOPT_OP_multiply, {x, program.constant(dtype)});
  const uint16_t squared = program.apply(GPUOPT_OP_multiply, {scaled, scaled});
  program.apply(GPUOPT_OP_add, {squared, squared});
  program.output();
  out.add(program);
}

// maximum(0, x) + log1p(exp(-abs(x))), from the right as C++ compilers take it or from the left.
void add_softplus(Collector &out, uint8_t dtype) {
  for (const bool from_left : {false, true}) {
    SmallProgram program(kVector, kNoAxis);
    uint16_t x = 0, positive = 0;
    if (from_left) {
      const uint16_t zero = program.constant(dtype);
      x = program.input(dtype);
      positive = program.apply(GPUOPT_OP_maximum, {zero, x});
    } else {
      x = program.input(dtype);
    }
    uint16_t log = x;
    for (const uint16_t op : {GPUOPT_OP_abs, GPUOPT_OP_negative, GPUOPT_OP_exp, GPUOPT_OP_log1p})
      log = program.apply(op, {log});
    if (!from_left) {
      const uint16_t zero = program.constant(dtype);
      positive = program.apply(GPUOPT_OP_maximum, {zero, x});
    }
    program.apply(GPUOPT_OP_add, {positive, log});
    program.output();
    out.add(program);
  }
}

// a * x + y and x * a + y
void add_axpy(Collector &out, uint8_t dtype) {
  for (const bool scalar_first : {false, true}) {
    SmallProgram program(kVector, kNoAxis);
    const uint16_t first = scalar_first ? program.constant(dtype) : program.input(dtype);
    const uint16_t second = scalar_first ? program.input(dtype) : program.constant(dtype);
    const uint16_t scaled = program.apply(GPUOPT_OP_multiply, {first, second});
    program.apply(GPUOPT_OP_add, {scaled, program.input(dtype)});
    program.output();
    out.add(program);
  }
}

// where(x > y, x, y), of two arrays and of one and a number.
void add_choices(Collector &out, uint8_t dtype) {
  for (const uint16_t compare : {GPUOPT_OP_greater, GPUOPT_OP_less}) {
    for (const bool scalar : {false, true}) {
      SmallProgram program(kVector, kNoAxis);
      const uint16_t x = program.input(dtype), y = scalar ? program.constant(dtype) : program.input(dtype);
      program.apply(GPUOPT_OP_where, {program.apply(compare, {x, y}), x, y});
      program.output();
      out.add(program);
    }
  }
}

void add_chains(Collector &out, uint8_t dtype) {
  if (dtype != GPUOPT_FLOAT32 && dtype != GPUOPT_FLOAT64) return;
  for (const Reduced &reduced : kReduced) {
    for (const Statistic statistic : {Statistic::mean, Statistic::var, Statistic::std})
      add_statistic(out, dtype, reduced, statistic);
  }
  add_standardize(out, dtype);
  add_threefold(out, dtype);
  add_softplus(out, dtype);
  add_axpy(out, dtype);
  add_choices(out, dtype);
}

void add_folds(Collector &out, uint8_t dtype) {
  const auto fold = [&](uint8_t kind, uint8_t result, uint16_t index, const std::vector<int64_t> &shape,
                        uint64_t axes) {
    if (!result) return;
    SmallProgram program(shape, axes);
    program.input(dtype);
    program.finish(kind, result, dtype, index);
    out.add(program);
  };
  for (uint16_t r = 0; r < GPUOPT_REDUCTION_COUNT; ++r) {
    const uint8_t result = loop_results().reduction[r][dtype];
    for (const Reduced &reduced : kReduced) fold(GPUOPT_STEP_REDUCE, result, r, reduced.shape, reduced.axes);
  }
  for (uint16_t s = 0; s < GPUOPT_SCAN_COUNT; ++s) {
    fold(GPUOPT_STEP_SCAN, loop_results().scan[s][dtype], s, kVector, 1);
  }
}

}  // namespace

std::vector<KernelSource> common_kernels() {
  Collector out;
  for (const uint8_t dtype : kDtypes) {
    add_operations(out, dtype);
    add_doubles(out, dtype);
    add_copies_and_casts(out, dtype);
    add_folds(out, dtype);
    add_chains(out, dtype);
  }
  return out.take();
}

}  // namespace gpuopt::cuda
