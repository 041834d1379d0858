// core/engine/expression.h -- operators that record operations, for writing composite operations in infix notation.
#pragma once
#include "core/engine/record.h"

namespace gpuopt {

// An operand or a result: an array, or a number, which is a weak scalar. Owns a reference to the array.
class Value {
 public:
  Value(gpuopt_array x) : x_(ArrayRef::share(x)) {}
  Value(ArrayRef x) : x_(std::move(x)) {}
  explicit Value(double number) : x_(make_weak(gpuopt_scalar_real(number))) {}
  explicit Value(int64_t number) : x_(make_weak(gpuopt_scalar_int(number))) {}
  explicit Value(const gpuopt_scalar &number) : x_(make_weak(number)) {}
  gpuopt_array get() const { return x_.get(); }
  const ArrayRef &array() const { return x_; }
  gpuopt_dtype dtype() const { return x_->dtype; }

 private:
  ArrayRef x_;
};

// Records an operation on the values, as all functions below do. Throws what record_op() throws.
template <class... Values>
Value apply_op(gpuopt_op op, const Values &...values) {
  const gpuopt_array inputs[] = {values.get()...};
  return record_op(op, inputs);
}

inline Value operator+(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_add, a, b); }
inline Value operator-(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_subtract, a, b); }
inline Value operator*(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_multiply, a, b); }
inline Value operator/(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_divide, a, b); }
inline Value equal(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_equal, a, b); }
inline Value less_equal(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_less_equal, a, b); }
inline Value greater_equal(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_greater_equal, a, b); }
inline Value logical_and(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_logical_and, a, b); }
inline Value logical_or(const Value &a, const Value &b) { return apply_op(GPUOPT_OP_logical_or, a, b); }
inline Value logical_not(const Value &a) { return apply_op(GPUOPT_OP_logical_not, a); }
inline Value abs(const Value &a) { return apply_op(GPUOPT_OP_abs, a); }
inline Value floor(const Value &a) { return apply_op(GPUOPT_OP_floor, a); }
inline Value sqrt(const Value &a) { return apply_op(GPUOPT_OP_sqrt, a); }
inline Value square(const Value &a) { return apply_op(GPUOPT_OP_square, a); }
inline Value isnan(const Value &a) { return apply_op(GPUOPT_OP_isnan, a); }
inline Value isfinite(const Value &a) { return apply_op(GPUOPT_OP_isfinite, a); }
inline Value where(const Value &condition, const Value &a, const Value &b) {
  return apply_op(GPUOPT_OP_where, condition, a, b);
}
inline Value cast(const Value &x, gpuopt_dtype dtype) { return Value(in_dtype(x.get(), dtype)); }
// Returns float64 for bool and integers, and the dtype itself for real and complex floating-point numbers.
inline gpuopt_dtype as_inexact_dtype(gpuopt_dtype dtype) {
  return dtype_kind(dtype) == 'f' || dtype_kind(dtype) == 'c' ? dtype : GPUOPT_FLOAT64;
}

}  // namespace gpuopt
