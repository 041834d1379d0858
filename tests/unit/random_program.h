// tests/unit/random_program.h -- random programs of all kinds, for tests of backends against the literal reference.
#pragma once

#include "tests/unit/cpu_program_builder.h"

namespace gpuopt::test {

enum class Family { kElementwise, kReduction, kScan };

class RandomProgram {
 public:
  RandomProgram(Family family, uint64_t seed, int64_t elements) : random_(seed), family_(family) {
    make_shape(elements);
    builder_ = std::make_unique<ProgramBuilder>(shape_, reduced_axes_);
    make_leaves();
    const int64_t steps = pick(random_, 0, 12);
    for (int64_t i = 0; i < steps; i++) add_step();
    if (family_ == Family::kScan) add_scan();
    if (family_ == Family::kReduction) add_reductions();
    add_outputs();
  }

  ProgramBuilder &builder() { return *builder_; }

 private:
  void make_shape(int64_t elements) {
    const int64_t ndim = pick(random_, family_ == Family::kScan ? 1 : 0, 4);
    for (int64_t d = 0; d < ndim; d++) {
      static const int64_t extents[] = {1, 2, 3, 5, 8, 17, 31, 32, 33, 100, 257, 1000, 1024, 1025, 2100, 5000, 40000};
      int64_t extent = chance(random_, 0.02) ? 0 : extents[pick(random_, 0, std::size(extents) - 1)];
      extent = std::min(extent, std::max<int64_t>(elements, 1));
      shape_.push_back(extent);
      elements /= std::max<int64_t>(extent, 1);
    }
    std::shuffle(shape_.begin(), shape_.end(), random_);
    if (family_ == Family::kScan) reduced_axes_ = uint64_t{1} << pick(random_, 0, ndim - 1);
    if (family_ == Family::kReduction)
      reduced_axes_ = static_cast<uint64_t>(pick(random_, 0, (int64_t{1} << ndim) - 1));
  }

  int random_level() {
    return family_ != Family::kElementwise && chance(random_, 0.2) ? GPUOPT_LEVEL_REDUCED : GPUOPT_LEVEL_FULL;
  }

  void make_leaves() {
    main_dtype_ = static_cast<int>(pick(random_, 1, GPUOPT_DTYPE_COUNT - 1));
    const int64_t ninputs = pick(random_, 1, 4);
    for (int64_t i = 0; i < ninputs; i++) {
      const int dtype = chance(random_, 0.7) ? main_dtype_ : static_cast<int>(pick(random_, 1, GPUOPT_DTYPE_COUNT - 1));
      // A scan's values are all FULL; its REDUCED inputs count as such.
      const int level = i == 0 ? GPUOPT_LEVEL_FULL : random_level();
      builder_->input(dtype, level, random_layout(random_, shape_, builder_->axes_of(level), size_of(dtype), true),
                      random_);
    }
    const int64_t nconstants = pick(random_, 0, 2);
    for (int64_t i = 0; i < nconstants; i++) {
      with_type(main_dtype_,
                [&](auto tag) { builder_->constant(random_value<typename decltype(tag)::type>(random_)); });
    }
  }

  int random_value_step() { return static_cast<int>(pick(random_, 0, builder_->size() - 1)); }

  // Some value as `dtype`.
  int operand(int dtype) {
    const int v = random_value_step();
    return builder_->dtype(v) == dtype ? v : builder_->cast(v, dtype);
  }

  void add_step() {
    if (chance(random_, 0.15)) {
      builder_->cast(random_value_step(), static_cast<int>(pick(random_, 1, GPUOPT_DTYPE_COUNT - 1)));
      return;
    }
    static const int arity[] = {
#define GPUOPT_OP(name, nin, kinds, result, doc) nin,
#include <gpuopt/ops.def>
    };
    const int dtype = builder_->dtype(random_value_step());
    for (int attempt = 0; attempt < 20; attempt++) {
      const int op = static_cast<int>(pick(random_, 0, GPUOPT_OP_COUNT - 1));
      if (!scalar_op(op, dtype).call) continue;
      std::vector<int> src;
      for (int i = 0; i < arity[op]; i++)
        src.push_back(operand(op == GPUOPT_OP_where && i == 0 ? int{GPUOPT_BOOL} : dtype));
      builder_->elementwise(op, dtype, src);
      return;
    }
  }

  // Some FULL value, with a loop in the half types widened.
  int full_value() {
    std::vector<int> full;
    for (int v = 0; v < builder_->size(); v++) {
      if (builder_->step(v).level == GPUOPT_LEVEL_FULL) full.push_back(v);
    }
    const int v = full[static_cast<size_t>(pick(random_, 0, static_cast<int64_t>(full.size()) - 1))];
    const int dtype = builder_->dtype(v);
    return dtype == GPUOPT_FLOAT16 || dtype == GPUOPT_BFLOAT16 ? builder_->cast(v, GPUOPT_FLOAT32) : v;
  }

  void add_scan() {
    const int number = static_cast<int>(pick(random_, 0, GPUOPT_SCAN_COUNT - 1));
    last_scan_ = builder_->scan(number, full_value());
    for (int64_t i = pick(random_, 0, 4); i > 0; i--) add_step();
  }

  bool sequence_is_empty() const {
    for (size_t d = 0; d < shape_.size(); d++) {
      if ((reduced_axes_ >> d & 1) && shape_[d] == 0) return true;
    }
    return false;
  }

  void add_reductions() {
    for (int64_t n = pick(random_, 1, 4); n > 0; n--) {
      int v = full_value();
      int number = static_cast<int>(pick(random_, 0, GPUOPT_REDUCTION_COUNT - 1));
      const bool needs_elements = number != GPUOPT_REDUCTION_sum && number != GPUOPT_REDUCTION_prod &&
                                  number != GPUOPT_REDUCTION_any && number != GPUOPT_REDUCTION_all &&
                                  number != GPUOPT_REDUCTION_count_nonzero;
      if (sequence_is_empty() && needs_elements) number = GPUOPT_REDUCTION_sum;
      if (!reduction_op(number, builder_->dtype(v)).reduce)
        v = builder_->cast(v, chance(random_, 0.5) ? int{GPUOPT_BOOL} : int{GPUOPT_FLOAT64});
      if (!reduction_op(number, builder_->dtype(v)).reduce) v = builder_->cast(v, GPUOPT_BOOL);
      builder_->reduce(number, v);
      for (int64_t i = pick(random_, 0, 5); i > 0; i--) add_step();
    }
  }

  // Whether `v` is computed from input step `input` in some pass after `stage`, were it stored or reduced there.
  bool reads(int v, int input) const {
    if (v == input) return true;
    const gpuopt_step &s = builder_->step(v);
    if (s.kind == GPUOPT_STEP_REDUCE) return false;
    for (int i = 0; i < s.nsrc; i++) {
      if (reads(s.src[i], input)) return true;
    }
    return false;
  }

  void add_outputs() {
    std::vector<int> stored;
    const int64_t n = pick(random_, 1, 4);
    stored.push_back(builder_->size() - 1);
    for (int64_t i = 1; i < n; i++) stored.push_back(random_value_step());
    int last_stage = 0;
    for (int v = 0; v < builder_->size(); v++) last_stage = std::max(last_stage, builder_->stage(v));
    std::vector<bool> overwritten(static_cast<size_t>(builder_->ninputs()));
    for (const int v : stored) add_output(v, last_stage, overwritten);
  }

  void add_output(int v, int last_stage, std::vector<bool> &overwritten) {
    const gpuopt_step s = builder_->step(v);
    for (int i = 0; i < builder_->ninputs(); i++) {
      // In place only in the last stage: nothing reads the input after it.
      const gpuopt_step &in = builder_->step(i);
      const bool fits = in.dtype == s.dtype && in.level == s.level && !overwritten[static_cast<size_t>(i)] &&
                        builder_->stage(v) == last_stage && s.kind != GPUOPT_STEP_CONSTANT &&
                        builder_->can_overwrite(i) && (family_ != Family::kScan || s.level == GPUOPT_LEVEL_FULL);
      if (!fits || !chance(random_, 0.5)) continue;
      overwritten[static_cast<size_t>(i)] = true;
      builder_->output_in_place(v, i);
      return;
    }
    // A REDUCED value may also be stored over the whole space.
    const bool widen = family_ != Family::kReduction || s.kind == GPUOPT_STEP_CONSTANT || chance(random_, 0.2);
    const int level = s.level == GPUOPT_LEVEL_FULL || widen ? GPUOPT_LEVEL_FULL : GPUOPT_LEVEL_REDUCED;
    builder_->output(v, random_layout(random_, shape_, builder_->axes_of(level), size_of(s.dtype), false), level);
  }

  Random random_;
  const Family family_;
  std::vector<int64_t> shape_;
  uint64_t reduced_axes_ = 0;
  std::unique_ptr<ProgramBuilder> builder_;
  int main_dtype_ = 0, last_scan_ = -1;
};

}  // namespace gpuopt::test
