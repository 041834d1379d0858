// core/random/multivariate_normal.cpp -- gpuopt_*_multivariate_normal: independent normal numbers times a root of the
// covariance matrix.
#include "core/engine/expression.h"
#include "core/engine/library_call.h"
#include "core/linalg/spectral.h"
#include "core/ops/matmul.h"
#include "core/random/parameters.h"
#include "core/sorting/sort.h"

namespace gpuopt::random {
namespace {

constexpr const char *kNormal = "multivariate_normal";

// What the vectors are drawn from, both in float64.
struct Normal {
  ArrayRef mean, cov;
  double tol;
  bool check;
};

ArrayRef real_parameter(const Stream &stream, gpuopt_array x, const char *name) {
  const gpuopt_array_s &given = deref_strong(x, kNormal);
  if (dtype_kind(given.dtype) == 'c') fail(GPUOPT_ERR_TYPE, "%s: %s is complex", kNormal, name);
  if (given.device() != stream.device)
    fail(GPUOPT_ERR_DEVICE_MISMATCH, "%s: the generator is on %s, %s on %s", kNormal, stream.device->name.c_str(), name,
         given.device()->name.c_str());
  return in_dtype(x, GPUOPT_FLOAT64);
}

Normal checked_normal(const Stream &stream, gpuopt_array mean, gpuopt_array cov, bool check, double tol) {
  const Normal normal{real_parameter(stream, mean, "mean"), real_parameter(stream, cov, "cov"), tol, check};
  if (mean->ndim != 1) fail(GPUOPT_ERR_SHAPE, "%s: mean must be 1 dimensional", kNormal);
  if (cov->ndim != 2 || cov->shape[0] != cov->shape[1])
    fail(GPUOPT_ERR_SHAPE, "%s: cov must be 2 dimensional and square", kNormal);
  if (mean->shape[0] != cov->shape[0]) fail(GPUOPT_ERR_SHAPE, "%s: mean and cov must have same length", kNormal);
  return normal;
}

[[noreturn]] void fail_as_invalid() {
  fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: covariance is not symmetric positive-semidefinite.", kNormal);
}

ArrayRef transpose(const ArrayRef &x) {
  const int64_t order[] = {1, 0};
  return permuted_view(x.get(), order);
}

// ---- Roots: matrices r with r^T r = cov, for rows of independent numbers times r

// The matrix is symmetric and positive semidefinite if its right singular vectors serve on both sides.
void check_singular_vectors(const Normal &normal, const SvdFactors &f) {
  const Value scaled = Value(transpose(f.vh)) * Value(f.s);
  const Value again = matmul(scaled.get(), f.vh.get(), kNormal), cov = normal.cov;
  const Value close = less_equal(abs(again - cov), Value(normal.tol) + Value(normal.tol) * abs(cov));
  if (any_of(logical_not(close))) fail_as_invalid();
}

Value column_of(const Value &x) { return expanded_view(x.get(), 1); }

// NumPy's RandomState multiplies by the right singular vectors, its Generator by the left ones.
ArrayRef svd_root(const Normal &normal, bool left) {
  const SvdFactors f = svd(normal.cov, true, kNormal);
  if (normal.check) check_singular_vectors(normal, f);
  const Value vectors = left ? transpose(f.u) : f.vh;
  return (column_of(sqrt(Value(f.s))) * vectors).array();
}

ArrayRef eigh_root(const Normal &normal) {
  gpuopt_array w = nullptr, v = nullptr;
  SlotError error;
  check_slot(gpuopt_eigh(normal.cov.get(), 0, &w, &v, &error), error, kNormal);
  const Value values = ArrayRef::adopt(w);
  const ArrayRef vectors = ArrayRef::adopt(v);
  if (normal.check && any_of(apply_op(GPUOPT_OP_less, values, Value(-normal.tol)))) fail_as_invalid();
  return (column_of(sqrt(abs(values))) * Value(transpose(vectors))).array();
}

ArrayRef cholesky_root(const Normal &normal) {
  gpuopt_array lower = nullptr;
  SlotError error;
  check_slot(gpuopt_cholesky(normal.cov.get(), 0, &lower, &error), error, kNormal);
  return transpose(ArrayRef::adopt(lower));
}

ArrayRef root_of(const Normal &normal, gpuopt_normal_method method) {
  switch (method) {
    case GPUOPT_NORMAL_SVD:
      return svd_root(normal, true);
    case GPUOPT_NORMAL_EIGH:
      return eigh_root(normal);
    case GPUOPT_NORMAL_CHOLESKY:
      return cholesky_root(normal);
    default:
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: method must be one of {'eigh', 'svd', 'cholesky'}", kNormal);
  }
}

// ---- Vectors

// `root` is computed before numbers are drawn, so that the generator stays as it is where that fails.
ArrayRef drawn_vectors(const Stream &stream, const Normal &of, const ArrayRef &root, Dims shape) {
  const int64_t n = of.mean->size;
  shape.push_back(n);
  if (shape.size() > GPUOPT_MAX_NDIM)
    fail(GPUOPT_ERR_SHAPE, "%s: the result would have more than %d dimensions", kNormal, GPUOPT_MAX_NDIM);
  const int64_t size = checked_size(static_cast<int>(shape.size()), shape.data(), 8);
  if (!size)
    return make_array(stream.device->default_stream, GPUOPT_FLOAT64, static_cast<int>(shape.size()), shape.data());
  const int64_t rows[] = {size / n, n};
  const ArrayRef numbers = random::normal(stream, kNormal, 0, 1, GPUOPT_FLOAT64, 2, rows);
  const Value vectors = Value(matmul(numbers.get(), root.get(), kNormal)) + Value(of.mean);
  return reshaped(vectors.get(), shape);
}

}  // namespace
}  // namespace gpuopt::random

using namespace gpuopt;
using random::checked;

extern "C" {

gpuopt_status gpuopt_random_state_multivariate_normal(gpuopt_random_state state, gpuopt_array mean, gpuopt_array cov,
                                                      int32_t check, double tol, int32_t ndim, const int64_t *shape,
                                                      gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    const random::Stream stream = checked(state).stream();
    const random::Normal normal = random::checked_normal(stream, mean, cov, check != 0, tol);
    return random::drawn_vectors(stream, normal, random::svd_root(normal, false), random::result_shape(ndim, shape));
  });
}

gpuopt_status gpuopt_generator_multivariate_normal(gpuopt_generator generator, gpuopt_array mean, gpuopt_array cov,
                                                   gpuopt_normal_method method, int32_t check, double tol, int32_t ndim,
                                                   const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    const random::Stream stream = checked(generator).stream();
    const random::Normal normal = random::checked_normal(stream, mean, cov, check != 0, tol);
    return random::drawn_vectors(stream, normal, random::root_of(normal, method), random::result_shape(ndim, shape));
  });
}

}  // extern "C"
