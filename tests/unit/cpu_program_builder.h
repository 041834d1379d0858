// tests/unit/cpu_program_builder.h -- programs with their operands in every kind of memory layout, run by the backend
// and by the reference and compared bit by bit.
#pragma once

#include <gpuopt/gpuopt_plugin.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "plugins/cpu/program/program.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/shared/casts.h"
#include "tests/unit/cpu_program_reference.h"
#include "tests/unit/cpu_test_host.h"

namespace gpuopt::test {

using Random = std::mt19937_64;

inline int64_t pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}
inline bool chance(Random &random, double p) { return std::uniform_real_distribution<double>(0, 1)(random) < p; }

// Values that operations find interesting, then ordinary ones.
template <class T>
T random_value(Random &random) {
  if constexpr (std::is_same_v<T, bool>) {
    return chance(random, 0.5);
  } else if constexpr (gpo::is_complex<T>) {
    using R = decltype(T::re);
    const R re = random_value<R>(random);
    return {re, random_value<R>(random)};
  } else if constexpr (gpo::is_half<T>) {
    return gpo::cast<T>(random_value<float>(random));
  } else if constexpr (gpo::is_float<T>) {
    static const T special[] = {T(0),
                                -T(0.0),
                                T(1),
                                T(-1),
                                T(0.5),
                                gpo::inf<T>(),
                                -gpo::inf<T>(),
                                gpo::nan<T>(),
                                T(1e30),
                                T(-1e-30),
                                gpo::from_bits(gpo::uint_of<T>(3)),
                                T(1024),
                                T(3)};
    if (chance(random, 0.1)) return special[pick(random, 0, std::size(special) - 1)];
    return T(std::uniform_real_distribution<double>(-4, 4)(random));
  } else {
    if (chance(random, 0.1)) return chance(random, 0.5) ? gpo::int_min<T> : gpo::int_max<T>;
    return chance(random, 0.5) ? T(random()) : T(pick(random, 0, 9));
  }
}

// How an operand lies in memory.
struct Layout {
  std::vector<int64_t> strides;   // bytes
  int64_t offset = 0, bytes = 0;  // of element [0, ..., 0], and in all
};

// Dense in C order over the dimensions in `axes`; the others have stride 0.
inline Layout dense_layout(const std::vector<int64_t> &shape, uint64_t axes, int size) {
  Layout layout;
  layout.strides.resize(shape.size());
  int64_t stride = size;
  for (size_t d = shape.size(); d-- > 0;) {
    if (!(axes >> d & 1)) continue;
    layout.strides[d] = stride;
    stride *= std::max<int64_t>(shape[d], 1);
  }
  layout.bytes = stride;
  return layout;
}

// Any order of dimensions, gaps, negative strides and, if wanted, broadcast dimensions.
inline Layout random_layout(Random &random, const std::vector<int64_t> &shape, uint64_t axes, int size,
                            bool broadcasts) {
  if (chance(random, 0.4)) return dense_layout(shape, axes, size);
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (chance(random, 0.4)) std::shuffle(order.begin(), order.end(), random);
  Layout layout;
  layout.strides.resize(shape.size());
  int64_t stride = size;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t d = order[i];
    if (!(axes >> d & 1) || (broadcasts && chance(random, 0.15))) continue;
    const int64_t step = stride * (chance(random, 0.15) ? 2 : 1);
    const int64_t extent = std::max<int64_t>(shape[d], 1);
    const bool backwards = chance(random, 0.15);
    layout.strides[d] = backwards ? -step : step;
    if (backwards) layout.offset += step * (extent - 1);
    stride = step * extent + (chance(random, 0.1) ? size : 0);
  }
  layout.bytes = layout.offset + stride;
  return layout;
}

class ProgramBuilder {
 public:
  ProgramBuilder(std::vector<int64_t> shape, uint64_t reduced_axes)
      : shape_(std::move(shape)), reduced_axes_(reduced_axes) {}

  uint64_t axes_of(int level) const { return level == GPUOPT_LEVEL_FULL ? ~uint64_t{0} : ~reduced_axes_; }

  int input(int dtype, int level, const Layout &layout, Random &random) {
    const int index = add_operand(inputs_, dtype, layout);
    Operand &operand = *inputs_.back();
    with_type(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const size_t n = operand.memory.size() / sizeof(T);
      for (size_t i = 0; i < n; i++) {
        const T value = random_value<T>(random);
        std::memcpy(operand.memory.data() + i * sizeof(T), &value, sizeof(T));
      }
    });
    return add({GPUOPT_STEP_INPUT, u8(level), u8(dtype), u8(dtype), u16(index), 0, {}});
  }
  // Another INPUT step of an operand already there.
  int input_again(int index, int level) {
    const int dtype = inputs_[static_cast<size_t>(index)]->dtype;
    return add({GPUOPT_STEP_INPUT, u8(level), u8(dtype), u8(dtype), u16(index), 0, {}});
  }
  template <class T>
  int constant(T value) {
    gpuopt_constant bytes = {};
    std::memcpy(bytes.bytes, &value, sizeof(T));
    constants_.push_back(bytes);
    const int dtype = dtype_number<T>();
    return add({GPUOPT_STEP_CONSTANT, GPUOPT_LEVEL_REDUCED, u8(dtype), u8(dtype), u16(constants_.size() - 1), 0, {}});
  }
  int elementwise(int op, int loop_dtype, std::vector<int> src) {
    return add_from(GPUOPT_STEP_ELEMENTWISE, scalar_op(op, loop_dtype).result_dtype, loop_dtype, op, src);
  }
  int elementwise(int op, std::vector<int> src) { return elementwise(op, dtype(src.back()), src); }
  int cast(int src, int to) { return add_from(GPUOPT_STEP_CAST, to, dtype(src), 0, {src}); }
  int reduce(int reduction, int src) {
    gpuopt_step s = {GPUOPT_STEP_REDUCE, GPUOPT_LEVEL_REDUCED, u8(reduction_op(reduction, dtype(src)).result_dtype),
                     u8(dtype(src)),     u16(reduction),       1,
                     {u16(src)}};
    return add(s);
  }
  int scan(int number, int src) {
    return add({GPUOPT_STEP_SCAN,
                GPUOPT_LEVEL_FULL,
                u8(scan_op(number, dtype(src)).result_dtype),
                u8(dtype(src)),
                u16(number),
                1,
                {u16(src)}});
  }
  void output(int src, const Layout &layout, int level) {
    const int index = add_operand(outputs_, dtype(src), layout);
    pending_.push_back({GPUOPT_STEP_OUTPUT, u8(level), u8(dtype(src)), u8(dtype(src)), u16(index), 1, {u16(src)}});
  }
  void output(int src) {
    const int level = step(src).level;
    output(src, dense_layout(shape_, axes_of(level), size_of(dtype(src))), level);
  }
  // Stores over input `index`.
  void output_in_place(int src, int index) {
    outputs_.push_back(inputs_[static_cast<size_t>(index)]);
    pending_.push_back(
        {GPUOPT_STEP_OUTPUT, step(src).level, u8(dtype(src)), u8(dtype(src)), u16(outputs_.size() - 1), 1, {u16(src)}});
  }

  const gpuopt_step &step(int v) const { return steps_[static_cast<size_t>(v)]; }
  int dtype(int v) const { return step(v).dtype; }
  int size() const { return static_cast<int>(steps_.size()); }
  const std::vector<int64_t> &shape() const { return shape_; }
  int noutputs() const { return static_cast<int>(outputs_.size()); }
  int ninputs() const { return static_cast<int>(inputs_.size()); }

  // Whether no two indices share an element of an input, so that it may be stored to.
  bool can_overwrite(int index) const {
    const Operand &operand = *inputs_[static_cast<size_t>(index)];
    for (size_t d = 0; d < shape_.size(); d++) {
      const bool varies = axes_of(steps_[static_cast<size_t>(index)].level) >> d & 1;
      if (varies && shape_[d] > 1 && operand.layout.strides[d] == 0) return false;
    }
    return true;
  }

  // The stage of a value: REDUCE steps on the longest path that ends before it.
  int stage(int v) const {
    int most = 0;
    for (int i = 0; i < step(v).nsrc; i++) {
      const int u = step(v).src[i];
      most = std::max(most, stage(u) + (step(u).kind == GPUOPT_STEP_REDUCE));
    }
    return most;
  }

  // The program; valid until the builder changes.
  const gpuopt_program &program() {
    all_steps_ = steps_;
    all_steps_.insert(all_steps_.end(), pending_.begin(), pending_.end());
    fill(inputs_, input_table_);
    fill(outputs_, output_table_);
    uint64_t key = 14695981039346656037u;
    const auto *bytes = reinterpret_cast<const unsigned char *>(all_steps_.data());
    for (size_t i = 0; i < all_steps_.size() * sizeof(gpuopt_step); i++) key = (key ^ bytes[i]) * 1099511628211u;
    program_ = {sizeof(gpuopt_program),
                0,
                key,
                reduced_axes_,
                static_cast<int32_t>(shape_.size()),
                static_cast<int32_t>(all_steps_.size()),
                static_cast<int32_t>(inputs_.size()),
                static_cast<int32_t>(outputs_.size()),
                static_cast<int32_t>(constants_.size()),
                0,
                shape_.data(),
                all_steps_.data(),
                input_table_.data(),
                output_table_.data(),
                constants_.data(),
                nullptr};
    return program_;
  }

  // Runs the program at every level this processor has and compares all of memory with what the reference leaves.
  void check() {
    const int levels = std::max(2, cpu::detected_isa_level()) - 1;
    check_runs(levels, [](int run, const gpuopt_program &p, gpuopt_error *error) {
      return cpu::run_program_at_level(p, run + 2, TestHost::api(), error);
    });
  }

  // The same for `runs` ways to run it: run(number, program, error).
  template <class Run>
  void check_runs(int runs, Run run) {
    const gpuopt_program &p = program();
    const std::vector<Bytes> before = snapshot();
    ReferenceExecutor(p).run();
    const std::vector<Bytes> expected = snapshot();
    for (int number = 0; number < runs; number++) {
      restore(before);
      gpuopt_error error = GPUOPT_ERROR_INIT;
      const gpuopt_status status = run(number, p, &error);
      ASSERT_EQ(status, GPUOPT_OK) << error.message << "\n" << describe();
      const std::string difference = compare(expected);
      ASSERT_TRUE(difference.empty()) << difference << " in run " << number << "\n" << describe();
    }
    restore(before);
  }

  // The operands' memory, each block once: an output in place shares its input's.
  std::vector<std::pair<unsigned char *, size_t>> memory() const {
    std::vector<std::pair<unsigned char *, size_t>> blocks;
    for (const Operands *operands : {&inputs_, &outputs_}) {
      for (const auto &operand : *operands) {
        const std::pair<unsigned char *, size_t> block = {operand->memory.data(), operand->memory.size()};
        if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) blocks.push_back(block);
      }
    }
    return blocks;
  }

  std::string describe() const {
    std::ostringstream text;
    text << "shape (";
    for (const int64_t extent : shape_) text << extent << ",";
    text << ") reduced " << reduced_axes_ << "\n";
    for (size_t v = 0; v < all_steps_.size(); v++) {
      const gpuopt_step &s = all_steps_[v];
      text << v << ": kind " << int{s.kind} << " level " << int{s.level} << " dtype " << int{s.dtype} << " loop "
           << int{s.loop_dtype} << " index " << s.index << " of";
      for (int i = 0; i < s.nsrc; i++) text << " " << s.src[i];
      if (s.kind == GPUOPT_STEP_INPUT) describe(text, *inputs_[s.index]);
      if (s.kind == GPUOPT_STEP_OUTPUT) describe(text, *outputs_[s.index]);
      text << "\n";
    }
    return text.str();
  }

  using Bytes = std::vector<unsigned char>;
  // All memory of the operands, inputs first.
  std::vector<Bytes> snapshot() const {
    std::vector<Bytes> memory;
    for (const auto &operand : inputs_) memory.push_back(operand->memory);
    for (const auto &operand : outputs_) memory.push_back(operand->memory);
    return memory;
  }
  void restore(const std::vector<Bytes> &memory) {
    for (size_t i = 0; i < inputs_.size(); i++)
      std::copy(memory[i].begin(), memory[i].end(), inputs_[i]->memory.begin());
    for (size_t i = 0; i < outputs_.size(); i++) {
      const Bytes &bytes = memory[inputs_.size() + i];
      std::copy(bytes.begin(), bytes.end(), outputs_[i]->memory.begin());
    }
  }

 private:
  struct Operand {
    int dtype;
    Layout layout;
    Bytes memory;
  };
  using Operands = std::vector<std::shared_ptr<Operand>>;

  static uint8_t u8(int64_t x) { return static_cast<uint8_t>(x); }
  static uint16_t u16(int64_t x) { return static_cast<uint16_t>(x); }

  void describe(std::ostream &text, const Operand &operand) const {
    text << " strides (";
    for (const int64_t stride : operand.layout.strides) text << stride << ",";
    text << ")";
    for (size_t i = 0; i < inputs_.size(); i++) {
      if (inputs_[i].get() == &operand) text << " input " << i;
    }
  }

  int add(const gpuopt_step &step) {
    steps_.push_back(step);
    return size() - 1;
  }
  int add_from(int kind, int dtype, int loop_dtype, int index, const std::vector<int> &src) {
    gpuopt_step s = {u8(kind), GPUOPT_LEVEL_REDUCED, u8(dtype), u8(loop_dtype), u16(index), u16(src.size()), {}};
    for (size_t i = 0; i < src.size(); i++) {
      s.src[i] = u16(src[i]);
      if (step(src[i]).level == GPUOPT_LEVEL_FULL) s.level = GPUOPT_LEVEL_FULL;
    }
    return add(s);
  }
  int add_operand(Operands &operands, int dtype, const Layout &layout) {
    auto operand = std::make_shared<Operand>(Operand{dtype, layout, {}});
    // Guard bytes on both sides show stray writes.
    operand->memory.resize(static_cast<size_t>(layout.bytes) + 128, 0xA5);
    operands.push_back(operand);
    return static_cast<int>(operands.size()) - 1;
  }
  static void fill(Operands &operands, std::vector<gpuopt_operand> &table) {
    table.clear();
    for (const auto &operand : operands) {
      table.push_back(
          {operand->memory.data() + 64 + operand->layout.offset, operand->layout.strides.data(), operand->dtype, 0});
    }
  }

  // Where outputs hold another NaN than expected they are made equal; then all memory must be.
  std::string compare(const std::vector<Bytes> &expected) {
    for (size_t o = 0; o < outputs_.size(); o++) {
      Operand &operand = *outputs_[o];
      const auto size = static_cast<size_t>(size_of(operand.dtype));
      const Bytes &wanted = expected[inputs_.size() + o];
      for (size_t i = 64 + static_cast<size_t>(operand.layout.offset) % size; i + size <= operand.memory.size();
           i += size) {
        if (same_value(&operand.memory[i], &wanted[i], operand.dtype))
          std::copy_n(&wanted[i], size, &operand.memory[i]);
      }
    }
    const std::vector<Bytes> memory = snapshot();
    for (size_t k = 0; k < memory.size(); k++) {
      for (size_t i = 0; i < memory[k].size(); i++) {
        if (memory[k][i] == expected[k][i]) continue;
        std::ostringstream text;
        const bool is_input = k < inputs_.size();
        text << (is_input ? "input " : "output ") << (is_input ? k : k - inputs_.size()) << " differs at byte "
             << static_cast<int64_t>(i) - 64 << ": got " << hex(memory[k], i) << " for " << hex(expected[k], i);
        return text.str();
      }
    }
    return "";
  }
  static std::string hex(const Bytes &bytes, size_t at) {
    std::string text;
    char digits[4];
    for (size_t i = at; i < bytes.size() && i < at + 8; i++) {
      std::snprintf(digits, sizeof(digits), "%02x", bytes[i]);
      text += digits;
    }
    return text;
  }

  const std::vector<int64_t> shape_;
  const uint64_t reduced_axes_;
  std::vector<gpuopt_step> steps_, pending_, all_steps_;
  Operands inputs_, outputs_;
  std::vector<gpuopt_constant> constants_;
  std::vector<gpuopt_operand> input_table_, output_table_;
  gpuopt_program program_ = {};
};

}  // namespace gpuopt::test
