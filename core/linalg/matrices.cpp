// core/linalg/matrices.cpp -- checks and conversions of stacks of matrices; see matrices.h.
#include "core/linalg/matrices.h"

#include "core/ops/create.h"

namespace gpuopt {

gpuopt_dtype linalg_dtype(gpuopt_dtype dtype, const char *what) {
  if (is_half(dtype)) fail(GPUOPT_ERR_TYPE, "%s: array type %s is unsupported in linalg", what, dtype_name(dtype));
  return as_inexact_dtype(dtype);
}

void check_matrices(const gpuopt_array_s &x, const char *what) {
  if (x.ndim < 2)
    fail(GPUOPT_ERR_SHAPE, "%s: %d-dimensional array given. Array must be at least two-dimensional", what, x.ndim);
}

void check_square(const gpuopt_array_s &x, const char *what) {
  check_matrices(x, what);
  if (x.shape[x.ndim - 2] != x.shape[x.ndim - 1])
    fail(GPUOPT_ERR_SHAPE, "%s: Last 2 dimensions of the array must be square, not those of shape %s", what,
         shape_text(x.ndim, x.shape).c_str());
}

ArrayRef matrices(gpuopt_array x, const char *what) {
  check_matrices(deref_strong(x, what), what);
  return in_dtype(x, linalg_dtype(x->dtype, what));
}

ArrayRef square_matrices(gpuopt_array x, const char *what) {
  check_square(deref_strong(x, what), what);
  return in_dtype(x, linalg_dtype(x->dtype, what));
}

Dims stack_shape(const ArrayRef &x, std::initializer_list<int64_t> others, int own) {
  Dims shape(x->shape, x->shape + (x->ndim - own));
  shape.insert(shape.end(), others);
  return shape;
}

ArrayRef for_each_matrix(const ArrayRef &x, gpuopt_dtype dtype, std::initializer_list<int64_t> sizes) {
  const Dims shape = stack_shape(x, sizes);
  return make_array(x->stream.get(), dtype, static_cast<int>(shape.size()), shape.data());
}

ArrayRef transposed(const ArrayRef &x) {
  Dims axes(static_cast<size_t>(x->ndim));
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return permuted_view(x.get(), axes.data());
}

ArrayRef conjugate_transposed(const ArrayRef &x) {
  if (dtype_kind(x->dtype) != 'c') return transposed(x);
  return transposed(record_op(GPUOPT_OP_conj, {x.get()}));
}

Value column_less_row(gpuopt_stream stream, int64_t rows, int64_t columns) {
  const Value r = iota(stream, rows), c = iota(stream, columns);
  return c - Value(expanded_view(r.get(), 1));
}

Value identity(gpuopt_stream stream, gpuopt_dtype dtype, int64_t n) {
  return cast(equal(column_less_row(stream, n, n), Value(int64_t{0})), dtype);
}

ArrayRef identities(const ArrayRef &x, gpuopt_dtype dtype, int64_t n) {
  const Value one = identity(x->stream.get(), dtype, n);
  return record_copy(broadcast_view(one.get(), stack_shape(x, {n, n}), "identity").get());
}

void MatrixCall::run() {
  call_.run(what_, &gpuopt_plugin_api::linalg);
  if (call_.integer_at(0) >= 0) fail(GPUOPT_ERR_LINALG, "%s: %s", what_, failure_);
}

}  // namespace gpuopt
