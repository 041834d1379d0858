// core/ops/create.cpp -- the C functions that create arrays: constants, ranges, diagonals, triangles.
#include "core/ops/create.h"

#include <cmath>

#include "core/array/view.h"
#include "core/engine/small.h"

namespace gpuopt {

Value iota(gpuopt_stream stream, int64_t n) {
  const int64_t one = 1;
  const ArrayRef ones = record_constant(stream, GPUOPT_INT64, 1, &n, &one);
  return Value(record_scan(GPUOPT_SCAN_cumulative_sum, ones.get(), 0, GPUOPT_INT64)) - Value(one);
}

namespace {

// Returns an array of one value. `what` is the C function's name, for messages, here and below.
ArrayRef filled(gpuopt_stream stream, gpuopt_dtype dtype, int ndim, const int64_t *shape, const gpuopt_scalar &value,
                const char *what) {
  unsigned char element[16];
  check_scalar(value, what);
  store_weak(value, dtype, element);
  checked_size(ndim, shape, dtype_size(dtype));
  if (const gpuopt_array made = make_small_constant(stream, dtype, ndim, shape, element)) return ArrayRef::adopt(made);
  return record_constant(stream, dtype, ndim, shape, element);
}

// Returns the dtype that gpuopt_full gives an array of this number by default, as in NumPy.
gpuopt_dtype scalar_dtype(const gpuopt_scalar &value) { return promote_weak(0, value.kind); }

// Whether the number is a bool or an integer.
bool integral(const gpuopt_scalar &s) { return s.kind == '?' || s.kind == 'i' || s.kind == 'u'; }

double to_double(const gpuopt_scalar &s) {
  return s.kind == 'f' || s.kind == 'c' ? s.value.f
         : s.kind == 'u'                ? static_cast<double>(s.value.u)
                                        : static_cast<double>(s.value.i);
}

// Returns ceil((stop - start) / step), but at least 0: the length of an arange of integers.
int64_t integer_length(const gpuopt_scalar &start, const gpuopt_scalar &stop, const gpuopt_scalar &step) {
  auto wide = [](const gpuopt_scalar &s) { return s.kind == 'u' ? __int128(s.value.u) : __int128(s.value.i); };
  const __int128 by = wide(step), distance = wide(stop) - wide(start);
  if (distance == 0 || by == 0 || (distance > 0) != (by > 0)) return 0;  // arange() has refused a step of 0
  const __int128 length = (distance + by - (by > 0 ? 1 : -1)) / by;
  if (length > INT64_MAX) fail(GPUOPT_ERR_OUT_OF_MEMORY, "arange: too many elements");
  return static_cast<int64_t>(length);
}

// The same for floating-point numbers: NumPy, too, rounds the quotient in float64.
int64_t real_length(double start, double stop, double step) {
  const double length = std::ceil((stop - start) / step);
  if (std::isnan(length)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "arange: the bounds or the step are not numbers");
  if (length >= 0x1p62) fail(GPUOPT_ERR_OUT_OF_MEMORY, "arange: too many elements");
  return length > 0 ? static_cast<int64_t>(length) : 0;
}

// Returns an integer, of whatever kind, as the int64 that is equal modulo 2^64. Integer ranges are computed modulo
// 2^64, which gives the right values after the cast to any integer dtype.
Value bits_as_int(const gpuopt_scalar &s) { return Value(s.value.i); }

// Returns the dtype in which the values of a range are computed if they are not all integers: the dtype itself, but
// float32 for 16-bit floats and float64 for integers and bool.
gpuopt_dtype range_dtype(gpuopt_dtype dtype) {
  if (is_half(dtype)) return GPUOPT_FLOAT32;
  const char kind = dtype_kind(dtype);
  return kind == 'f' || kind == 'c' ? dtype : GPUOPT_FLOAT64;
}

ArrayRef arange(gpuopt_device device, gpuopt_dtype asked, gpuopt_scalar start, gpuopt_scalar stop, gpuopt_scalar step) {
  for (const gpuopt_scalar &s : {start, stop, step}) {
    check_scalar(s, "arange");
    if (s.kind == 'c') fail(GPUOPT_ERR_TYPE, "arange: complex numbers have no order");
  }
  const bool integers = integral(start) && integral(stop) && integral(step);
  if (to_double(step) == 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "arange: the step is zero");
  const gpuopt_dtype dtype = dtype_or(asked, integers ? GPUOPT_INT64 : GPUOPT_FLOAT64, "arange");
  const int64_t n =
      integers ? integer_length(start, stop, step) : real_length(to_double(start), to_double(stop), to_double(step));
  checked_size(1, &n, dtype_size(dtype));
  const Value i = iota(device->default_stream, n);
  if (integers && dtype_kind(dtype) != 'f' && dtype_kind(dtype) != 'c') {
    return cast(i * bits_as_int(step) + bits_as_int(start), dtype).array();
  }
  const Value x = cast(i, range_dtype(dtype));
  return cast(x * Value(to_double(step)) + Value(to_double(start)), dtype).array();
}

}  // namespace

ArrayRef linspace(gpuopt_stream stream, gpuopt_dtype asked, double start, double stop, int64_t num, bool endpoint) {
  const gpuopt_dtype dtype = dtype_or(asked, GPUOPT_FLOAT64, "linspace");
  if (num < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "linspace: the number of values is negative");
  checked_size(1, &num, dtype_size(dtype));
  const int64_t intervals = endpoint ? num - 1 : num;
  const Value counts = iota(stream, num), i = cast(counts, GPUOPT_FLOAT64);
  const double delta = stop - start, step = intervals > 0 ? delta / static_cast<double>(intervals) : delta;
  // If the step underflows to 0, i / intervals * delta is computed instead of i * step, as in NumPy.
  const Value distance =
      step == 0 && intervals > 0 ? i / Value(static_cast<double>(intervals)) * Value(delta) : i * Value(step);
  Value y = distance + Value(start);
  if (endpoint && num > 1) y = where(equal(counts, Value(num - 1)), Value(stop), y);
  const char kind = dtype_kind(dtype);
  return cast(kind == 'i' || kind == 'u' ? floor(y) : y, dtype).array();
}

namespace {

// Returns the matrix of the differences column - row, as int64.
Value column_minus_row(gpuopt_stream stream, int64_t rows, int64_t columns) {
  const Value r = iota(stream, rows), c = iota(stream, columns);
  return c - Value(expanded_view(r.get(), 1));
}

struct MatrixSize {
  int64_t rows, columns;
};

// `columns` < 0 stands for `rows`. Throws as checked_size().
MatrixSize matrix_size(int64_t rows, int64_t columns, gpuopt_dtype dtype) {
  const int64_t shape[] = {rows, columns < 0 ? rows : columns};
  checked_size(2, shape, dtype_size(dtype));
  return {shape[0], shape[1]};
}

ArrayRef eye(gpuopt_device device, gpuopt_dtype asked, int64_t rows, int64_t columns, int64_t k) {
  const gpuopt_dtype dtype = dtype_or(asked, GPUOPT_FLOAT64, "eye");
  const MatrixSize size = matrix_size(rows, columns, dtype);
  return cast(equal(column_minus_row(device->default_stream, size.rows, size.columns), Value(k)), dtype).array();
}

ArrayRef tri(gpuopt_device device, gpuopt_dtype asked, int64_t rows, int64_t columns, int64_t k) {
  const gpuopt_dtype dtype = dtype_or(asked, GPUOPT_FLOAT64, "tri");
  const MatrixSize size = matrix_size(rows, columns, dtype);
  return cast(less_equal(column_minus_row(device->default_stream, size.rows, size.columns), Value(k)), dtype).array();
}

// tril or triu: x where column - row is at most (tril) or at least (triu) k, and 0 elsewhere.
ArrayRef triangle(gpuopt_array x, int64_t k, bool lower) {
  const char *what = lower ? "tril" : "triu";
  deref_strong(x, what);
  if (x->ndim < 2) fail(GPUOPT_ERR_SHAPE, "%s: %d dimensions are fewer than 2", what, x->ndim);
  const Value d = column_minus_row(x->stream.get(), x->shape[x->ndim - 2], x->shape[x->ndim - 1]);
  const Value kept = lower ? less_equal(d, Value(k)) : greater_equal(d, Value(k));
  return where(kept, x, Value(gpuopt_scalar_bool(0))).array();
}

// Returns the device, or throws ERR_INVALID_ARGUMENT if it is NULL.
gpuopt_device known(gpuopt_device device, const char *what) { return &deref(device, what); }

// Returns an array of one value with the shape, the stream and, by default, the dtype of x.
ArrayRef like(gpuopt_array x, gpuopt_dtype dtype, const gpuopt_scalar &value, const char *what) {
  deref_strong(x, what);
  return filled(x->stream.get(), dtype_or(dtype, x->dtype, what), x->ndim, x->shape, value, what);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_empty(gpuopt_device device, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                           gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return make_array(known(device, "empty")->default_stream, dtype_or(dtype, GPUOPT_FLOAT64, "empty"), ndim, shape);
  });
}

gpuopt_status gpuopt_zeros(gpuopt_device device, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                           gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return filled(known(device, "zeros")->default_stream, dtype_or(dtype, GPUOPT_FLOAT64, "zeros"), ndim, shape,
                  gpuopt_scalar_bool(0), "zeros");
  });
}

gpuopt_status gpuopt_ones(gpuopt_device device, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                          gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return filled(known(device, "ones")->default_stream, dtype_or(dtype, GPUOPT_FLOAT64, "ones"), ndim, shape,
                  gpuopt_scalar_bool(1), "ones");
  });
}

gpuopt_status gpuopt_full(gpuopt_device device, gpuopt_dtype dtype, int32_t ndim, const int64_t *shape,
                          gpuopt_scalar value, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    check_scalar(value, "full");
    return filled(known(device, "full")->default_stream, dtype_or(dtype, scalar_dtype(value), "full"), ndim, shape,
                  value, "full");
  });
}

gpuopt_status gpuopt_arange(gpuopt_device device, gpuopt_dtype dtype, gpuopt_scalar start, gpuopt_scalar stop,
                            gpuopt_scalar step, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return arange(known(device, "arange"), dtype, start, stop, step); });
}

gpuopt_status gpuopt_linspace(gpuopt_device device, gpuopt_dtype dtype, double start, double stop, int64_t num,
                              int32_t endpoint, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return linspace(known(device, "linspace")->default_stream, dtype, start, stop, num, endpoint != 0);
  });
}

gpuopt_status gpuopt_eye(gpuopt_device device, gpuopt_dtype dtype, int64_t rows, int64_t columns, int64_t k,
                         gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return eye(known(device, "eye"), dtype, rows, columns, k); });
}

gpuopt_status gpuopt_tri(gpuopt_device device, gpuopt_dtype dtype, int64_t rows, int64_t columns, int64_t k,
                         gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return tri(known(device, "tri"), dtype, rows, columns, k); });
}

gpuopt_status gpuopt_tril(gpuopt_array x, int64_t k, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return triangle(x, k, true); });
}

gpuopt_status gpuopt_triu(gpuopt_array x, int64_t k, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return triangle(x, k, false); });
}

gpuopt_status gpuopt_empty_like(gpuopt_array x, gpuopt_dtype dtype, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    deref_strong(x, "empty_like");
    return make_array(x->stream.get(), dtype_or(dtype, x->dtype, "empty_like"), x->ndim, x->shape);
  });
}

gpuopt_status gpuopt_zeros_like(gpuopt_array x, gpuopt_dtype dtype, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return like(x, dtype, gpuopt_scalar_bool(0), "zeros_like"); });
}

gpuopt_status gpuopt_ones_like(gpuopt_array x, gpuopt_dtype dtype, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return like(x, dtype, gpuopt_scalar_bool(1), "ones_like"); });
}

gpuopt_status gpuopt_full_like(gpuopt_array x, gpuopt_dtype dtype, gpuopt_scalar value, gpuopt_array *result,
                               gpuopt_error *error) {
  return giving(result, error, [&] { return like(x, dtype, value, "full_like"); });
}

}  // extern "C"
