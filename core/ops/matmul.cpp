// core/ops/matmul.cpp -- gpuopt_matmul: checks shapes and dtypes, and calls the backend's slot; see matmul.h.
#include "core/ops/matmul.h"

#include <algorithm>
#include <array>

#include "core/array/view.h"
#include "core/engine/library_call.h"
#include "core/engine/record.h"

namespace gpuopt {
namespace {

// A stack (`batch`) of products of an m x k and a k x n matrix. Vectors count as one row (left) or one column (right).
struct ProductShape {
  int64_t m, k, n;
  Dims batch;
};

[[noreturn]] void fail_shapes(const char *what, const gpuopt_array_s &a, const gpuopt_array_s &b,
                              const std::string &why) {
  fail(GPUOPT_ERR_SHAPE, "%s: shapes %s and %s not aligned: %s", what, shape_text(a.ndim, a.shape).c_str(),
       shape_text(b.ndim, b.shape).c_str(), why.c_str());
}

// Returns the sizes of all axes but the last two.
std::span<const int64_t> batch_of(const gpuopt_array_s &x) {
  return x.sizes().first(static_cast<size_t>(std::max(x.ndim - 2, 0)));
}

ProductShape product_shape(const gpuopt_array_s &a, const gpuopt_array_s &b, const char *what) {
  if (!a.ndim || !b.ndim) fail_shapes(what, a, b, "0-d operands are not matrices");
  const int axis = b.ndim == 1 ? 0 : b.ndim - 2;
  const int64_t k = a.shape[a.ndim - 1];
  if (k != b.shape[axis])
    fail_shapes(what, a, b,
                std::to_string(k) + " (dim " + std::to_string(a.ndim - 1) + ") != " + std::to_string(b.shape[axis]) +
                    " (dim " + std::to_string(axis) + ")");
  Shape batch;
  broadcast_shape(std::array{batch_of(a), batch_of(b)}, batch, what);
  return {a.ndim == 1 ? 1 : a.shape[a.ndim - 2], k, b.ndim == 1 ? 1 : b.shape[b.ndim - 1],
          Dims(batch.sizes, batch.sizes + batch.ndim)};
}

// Returns a view of x as a stack of matrices: a vector gets a new axis of size 1 at `vector_axis`, and the axes of the
// stack are broadcast.
ArrayRef as_matrices(gpuopt_array x, int64_t vector_axis, const ProductShape &p, int64_t rows, int64_t columns,
                     const char *what) {
  const ArrayRef matrix = x->ndim == 1 ? expanded_view(x, vector_axis) : ArrayRef::share(x);
  Dims shape = p.batch;
  shape.insert(shape.end(), {rows, columns});
  return broadcast_view(matrix.get(), shape, what);
}

void fill_with_zeros(gpuopt_array out) { record_assign(out, make_weak(gpuopt_scalar_bool(0)).get()); }

// out = a @ b for stacks of matrices of the same batch shape.
void multiply(gpuopt_array a, gpuopt_array b, gpuopt_array out, const char *what, gpuopt_product_mode mode) {
  if (!out->size) return;
  if (!a->size) return fill_with_zeros(out);  // k is 0: sums without terms
  LibraryCall call(GPUOPT_CALL_MATMUL, out->stream.get());
  call.input(a).input(b).output(out).integer(mode).run(what, &gpuopt_plugin_api::matmul);
}

gpuopt_product_mode mode_of(const gpuopt_product_options *given) {
  const auto options = options_or_default(given, "gpuopt_product_options");
  if (options.mode < GPUOPT_PRODUCT_DEFAULT || options.mode > GPUOPT_PRODUCT_FAST) {
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "matmul: %d is no gpuopt_product_mode", static_cast<int>(options.mode));
  }
  return options.mode;
}

}  // namespace

ArrayRef record_summed_products(gpuopt_array x1, gpuopt_array x2, uint64_t axes) {
  const gpuopt_dtype dtype = promote(x1->dtype, x2->dtype), wide = is_half(dtype) ? GPUOPT_FLOAT32 : dtype;
  const ArrayRef product = record_op(GPUOPT_OP_multiply, {in_dtype(x1, wide).get(), in_dtype(x2, wide).get()});
  if (dtype == GPUOPT_BOOL) return record_reduction(GPUOPT_REDUCTION_any, product.get(), axes, false, 0);
  return in_dtype(record_reduction(GPUOPT_REDUCTION_sum, product.get(), axes, false, wide).get(), dtype);
}

ArrayRef matmul(gpuopt_array x1, gpuopt_array x2, const char *what, gpuopt_product_mode mode) {
  const ProductShape p = product_shape(*x1, *x2, what);
  check_same_device(what, {x1, x2});
  // The defined order of a matrix product is one chain of additions after the other; a sum's is a tree, which all
  // processors compute at the speed of memory.
  if (x1->ndim == 1 && x2->ndim == 1 && mode != GPUOPT_PRODUCT_FAST) return record_summed_products(x1, x2, 1);
  const gpuopt_dtype dtype = promote(x1->dtype, x2->dtype);
  const ArrayRef a = in_dtype(x1, dtype), b = in_dtype(x2, dtype);
  const gpuopt_array operands[] = {a.get(), b.get()};
  evaluate(operands);
  Dims shape = p.batch;
  shape.insert(shape.end(), {p.m, p.n});
  ArrayRef out = make_array(x1->stream.get(), dtype, static_cast<int>(shape.size()), shape.data());
  multiply(as_matrices(a.get(), 0, p, p.m, p.k, what).get(), as_matrices(b.get(), 1, p, p.k, p.n, what).get(),
           out.get(), what, mode);
  const int64_t row_axis = -2, column_axis = -1;
  if (x2->ndim == 1) out = squeezed_view(out.get(), 1, &column_axis);
  return x1->ndim == 1 ? squeezed_view(out.get(), 1, x2->ndim == 1 ? &column_axis : &row_axis) : out;
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_matmul(gpuopt_array x1, gpuopt_array x2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return matmul(&deref(x1, "matmul"), &deref(x2, "matmul"), "matmul"); });
}

gpuopt_status gpuopt_matmul_with(gpuopt_array x1, gpuopt_array x2, const gpuopt_product_options *options,
                                 gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error,
                [&] { return matmul(&deref(x1, "matmul"), &deref(x2, "matmul"), "matmul", mode_of(options)); });
}

}  // extern "C"
