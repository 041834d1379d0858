// core/linalg/factorizations.cpp -- gpuopt_cholesky, qr, lu and lu_factor, and determinants from factors.
#include "core/linalg/factorizations.h"

#include "core/linalg/matrices.h"
#include "core/ops/create.h"
#include "core/sorting/sort.h"

namespace gpuopt {
namespace {

ArrayRef cholesky(gpuopt_array given, bool upper) {
  const ArrayRef x = square_matrices(given, "cholesky");
  ArrayRef out = for_each_matrix(x, x->dtype, {rows_of(x), rows_of(x)});
  if (!x->size) return out;
  MatrixCall(GPUOPT_CALL_CHOLESKY, "cholesky", "Matrix is not positive definite", x).output(out).integer(upper).run();
  return out;
}

// Returns q, which is empty for GPUOPT_QR_R, and r.
std::vector<ArrayRef> qr(gpuopt_array given, gpuopt_qr_mode mode) {
  if (mode < GPUOPT_QR_REDUCED || mode > GPUOPT_QR_R)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "qr: there is no mode %d", static_cast<int>(mode));
  const ArrayRef x = matrices(given, "qr");
  const int64_t m = rows_of(x), n = columns_of(x), k = mode == GPUOPT_QR_COMPLETE ? m : std::min(m, n);
  ArrayRef q, r = for_each_matrix(x, x->dtype, {k, n});
  if (!x->size) {
    if (mode != GPUOPT_QR_R) q = k == m ? identities(x, x->dtype, m) : for_each_matrix(x, x->dtype, {m, k});
    return {q, r};
  }
  MatrixCall call(GPUOPT_CALL_QR, "qr", "", x);
  if (mode != GPUOPT_QR_R) {
    q = for_each_matrix(x, x->dtype, {m, k});
    call.output(q);
  }
  call.output(r).run();
  return {q, r};
}

std::vector<ArrayRef> lu(gpuopt_array given) {
  const ArrayRef x = matrices(given, "lu");
  const int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  const LuFactors factors = lu_factors(x, "lu");
  const gpuopt_stream stream = x->stream.get();
  const Value row = Value(expanded_view(iota(stream, m).get(), 1));
  const Value order = Value(expanded_view(factors.order.get(), factors.order->ndim - 1));
  const Value none(int64_t{0});
  const Value below = column_less_row(stream, m, k), above = column_less_row(stream, k, n);
  const Value l = Value(part_view(factors.lu.get(), x->ndim - 1, 0, k)),
              u = Value(part_view(factors.lu.get(), x->ndim - 2, 0, k));
  return {cast(equal(row, order), real_component(x->dtype)).array(),
          where(apply_op(GPUOPT_OP_less, below, none), l, cast(equal(below, none), x->dtype)).array(),
          where(greater_equal(above, none), u, Value(gpuopt_scalar_bool(0))).array()};
}

std::vector<ArrayRef> lu_factor(gpuopt_array given) {
  LuFactors factors = lu_factors(matrices(given, "lu_factor"), "lu_factor");
  return {std::move(factors.lu), std::move(factors.pivots)};
}

// The last axis of x.
uint64_t last_axis(const Value &x) { return uint64_t{1} << (x.get()->ndim - 1); }

Value diagonal_of(const ArrayRef &x) { return Value(diagonal_view(x.get(), 0, -2, -1)); }

ArrayRef det(gpuopt_array given) {
  const ArrayRef x = square_matrices(given, "det");
  const ArrayRef out = for_each_matrix(x, x->dtype, {});
  if (!out->size) return out;
  if (!x->size) {
    record_assign(out.get(), make_weak(gpuopt_scalar_int(1)).get());
    return out;
  }
  MatrixCall(GPUOPT_CALL_DET, "det", "", x).output(out).run();
  return out;
}

// The sign is that of the exchanges times those of u's diagonal, the logarithm the sum of its logarithms.
std::vector<ArrayRef> slogdet(gpuopt_array given) {
  const ArrayRef x = square_matrices(given, "slogdet");
  const LuFactors factors = lu_factors(x, "slogdet");
  const gpuopt_dtype real = real_component(x->dtype);
  const Value diagonal = diagonal_of(factors.lu), logs = apply_op(GPUOPT_OP_log, abs(diagonal));
  const Value kept = equal(Value(factors.pivots), iota(x->stream.get(), rows_of(x)));
  const Value exchanges = cast(kept, real) * Value(2.0) - Value(1.0);
  const Value signs = apply_op(GPUOPT_OP_sign, diagonal) * exchanges;
  return {record_reduction(GPUOPT_REDUCTION_prod, signs.get(), last_axis(signs), false, x->dtype),
          record_reduction(GPUOPT_REDUCTION_sum, logs.get(), last_axis(logs), false, real)};
}

}  // namespace

LuFactors lu_factors(const ArrayRef &x, const char *what) {
  const int64_t m = rows_of(x), n = columns_of(x);
  LuFactors result{for_each_matrix(x, x->dtype, {m, n}), for_each_matrix(x, GPUOPT_INT64, {std::min(m, n)}),
                   for_each_matrix(x, GPUOPT_INT64, {m})};
  if (x->size) {
    MatrixCall(GPUOPT_CALL_LU, what, "", x).output(result.lu).output(result.pivots).output(result.order).run();
  } else if (result.order->size) {
    record_assign(result.order.get(), iota(x->stream.get(), m).get());
  }
  return result;
}

Value singular_ones(const ArrayRef &lu) {
  const Value zeros = equal(diagonal_of(lu), Value(int64_t{0}));
  return Value(record_reduction(GPUOPT_REDUCTION_any, zeros.get(), last_axis(zeros), false, 0));
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_cholesky(gpuopt_array x, int32_t upper, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return cholesky(x, upper != 0); });
}

gpuopt_status gpuopt_qr(gpuopt_array x, gpuopt_qr_mode mode, gpuopt_array *q, gpuopt_array *r, gpuopt_error *error) {
  if (mode != GPUOPT_QR_R) return giving_each({q, r}, error, [&] { return qr(x, mode); });
  if (q) *q = nullptr;
  return giving(r, error, [&] { return qr(x, mode)[1]; });
}

gpuopt_status gpuopt_lu(gpuopt_array x, gpuopt_array *p, gpuopt_array *l, gpuopt_array *u, gpuopt_error *error) {
  return giving_each({p, l, u}, error, [&] { return lu(x); });
}

gpuopt_status gpuopt_lu_factor(gpuopt_array x, gpuopt_array *lu, gpuopt_array *pivots, gpuopt_error *error) {
  return giving_each({lu, pivots}, error, [&] { return lu_factor(x); });
}

gpuopt_status gpuopt_det(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return det(x); });
}

gpuopt_status gpuopt_slogdet(gpuopt_array x, gpuopt_array *sign, gpuopt_array *logabsdet, gpuopt_error *error) {
  return giving_each({sign, logabsdet}, error, [&] { return slogdet(x); });
}

}  // extern "C"
