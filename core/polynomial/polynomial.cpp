// core/polynomial/polynomial.cpp -- gpuopt_polyval, polyadd, polysub, polymul, polydiv, polyder and polyint.
#include "core/polynomial/polynomial.h"

#include "core/engine/transfer.h"
#include "core/ops/join.h"

namespace gpuopt {

ArrayRef coefficients_of(gpuopt_array x, const char *what) {
  deref_strong(x, what);
  if (x->ndim > 1)
    fail(GPUOPT_ERR_SHAPE, "%s: a polynomial must be 1d only, and the shape is %s", what,
         shape_text(x->ndim, x->shape).c_str());
  return x->ndim ? ArrayRef::share(x) : expanded_view(x, 0);
}

ArrayRef in_a_row(std::initializer_list<ArrayRef> parts, gpuopt_dtype dtype, const char *what) {
  std::vector<gpuopt_array> raw;
  for (const ArrayRef &x : parts) raw.push_back(x.get());
  return joined(raw, 0, dtype, what);
}

namespace {

void check_order(int64_t m, const char *sentence) {
  if (m < 0) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s", sentence);
}

// Returns element i as an array of shape ().
ArrayRef element(const ArrayRef &x, int64_t i) {
  const int64_t axis = 0;
  return squeezed_view(part_view(x.get(), 0, i, 1).get(), 1, &axis);
}

ArrayRef zeros_like(gpuopt_array x, gpuopt_dtype dtype) { return zeros_of(x->stream.get(), dtype, x->sizes()); }

ArrayRef polyval(gpuopt_array given, gpuopt_array x) {
  const ArrayRef p = coefficients_of(given, "polyval");
  check_same_device("polyval", {given, &deref_strong(x, "polyval")});
  const gpuopt_array both[] = {x, given};
  if (!p->size) return zeros_like(x, x->dtype);
  Value sum = zeros_like(x, common_dtype(both));
  for (int64_t i = 0; i < p->size; ++i) sum = sum * Value(x) + Value(element(p, i));
  return sum.array();
}

// ---- Sums and products

// Returns x behind so many zeros that it has `size` coefficients.
ArrayRef prolonged(const ArrayRef &x, int64_t size, const char *what) {
  if (x->size == size) return x;
  const int64_t missing = size - x->size;
  return in_a_row({zeros_of(x->stream.get(), x->dtype, {&missing, 1}), x}, x->dtype, what);
}

ArrayRef summed(gpuopt_op op, gpuopt_array given1, gpuopt_array given2, const char *what) {
  const ArrayRef p1 = coefficients_of(given1, what), p2 = coefficients_of(given2, what);
  check_same_device(what, {given1, given2});
  const int64_t size = std::max(p1->size, p2->size);
  return apply_op(op, Value(prolonged(p1, size, what)), Value(prolonged(p2, size, what))).array();
}

// Returns p without zeros in front, but with a coefficient: NumPy's poly1d.
ArrayRef without_leading_zeros(const ArrayRef &p, const char *what) {
  const int64_t one = 1;
  const int64_t axis = 0, *const along = &axis;
  const ArrayRef rest = made_by(gpuopt_trim_zeros, what, p.get(), int32_t{GPUOPT_TRIM_FRONT}, along);
  return rest->size ? rest : zeros_of(p->stream.get(), p->dtype, {&one, 1});
}

ArrayRef polymul(gpuopt_array given1, gpuopt_array given2) {
  const ArrayRef p1 = coefficients_of(given1, "polymul"), p2 = coefficients_of(given2, "polymul");
  check_same_device("polymul", {given1, given2});
  const ArrayRef a = without_leading_zeros(p1, "polymul"), b = without_leading_zeros(p2, "polymul");
  return made_by(gpuopt_convolve, "polymul", a.get(), b.get(), gpuopt_convolve_mode{GPUOPT_CONVOLVE_FULL});
}

// ---- Division

// Returns how many coefficients in front of a remainder are not above NumPy's tolerance; the last one always counts.
int64_t count_of_leading_rests(const ArrayRef &r) {
  const ArrayRef wide = record_cast(apply_op(GPUOPT_OP_abs, Value(r)).get(), GPUOPT_FLOAT64);
  std::vector<double> sizes(static_cast<size_t>(r->size));
  copy_to_host(wide.get(), sizes.data());
  int64_t count = 0;
  while (count + 1 < r->size && sizes[static_cast<size_t>(count)] <= 1e-8) ++count;
  return count;
}

std::vector<ArrayRef> polydiv(gpuopt_array given1, gpuopt_array given2) {
  const ArrayRef p1 = coefficients_of(given1, "polydiv"), p2 = coefficients_of(given2, "polydiv");
  check_same_device("polydiv", {given1, given2});
  if (!p1->size || !p2->size)
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "polydiv: a polynomial without coefficients cannot be divided, or divide");
  const gpuopt_dtype dtype = promote(as_inexact_dtype(p1->dtype), as_inexact_dtype(p2->dtype));
  const Value own = cast(p2, as_inexact_dtype(p2->dtype));  // NumPy takes the reciprocal in p2's own precision
  const Value divisor = cast(own, dtype), scale = cast(Value(1.0) / Value(element(own.array(), 0)), dtype);
  const int64_t m = p1->size - 1, n = p2->size - 1, count = std::max<int64_t>(m - n + 1, 1);
  const ArrayRef quotient = zeros_of(p1->stream.get(), dtype, {&count, 1}), rest = record_cast(p1.get(), dtype);
  for (int64_t k = 0; k <= m - n; ++k) {
    const Value d = scale * Value(element(rest, k));
    const ArrayRef window = part_view(rest.get(), 0, k, n + 1);
    record_assign(part_view(quotient.get(), 0, k, 1).get(), d.get());
    record_assign(window.get(), (Value(window) - d * divisor).get());
  }
  const int64_t first = count_of_leading_rests(rest);
  return {quotient, record_copy(part_view(rest.get(), 0, first, rest->size - first).get())};
}

// ---- Derivatives and antiderivatives

// Returns the numbers n, n - 1, .., 1.
Value falling(gpuopt_stream stream, int64_t n) { return Value(n) - iota(stream, n); }

ArrayRef polyder(gpuopt_array given, int64_t m) {
  ArrayRef p = coefficients_of(given, "polyder");
  check_order(m, "polyder: Order of derivative must be positive (see polyint)");
  if (!m) return record_copy(given);
  const gpuopt_dtype dtype = promote(p->dtype, GPUOPT_INT64);
  if (p->size <= 1 || m >= p->size) {
    const int64_t none = 0;
    return zeros_of(given->stream.get(), dtype, {&none, 1});
  }
  for (; m > 0; --m) {
    const int64_t n = p->size - 1;
    p = (cast(part_view(p.get(), 0, 0, n), dtype) * falling(given->stream.get(), n)).array();
  }
  return p;
}

// Returns the constants of m integrations, at least m of them or, for one of all, a view of it.
ArrayRef constants(gpuopt_array given, int64_t m, gpuopt_stream stream) {
  if (!given) return zeros_of(stream, GPUOPT_FLOAT64, {&m, 1});
  const ArrayRef k = given->weak ? in_dtype_on(stream, given, given->dtype) : ArrayRef::share(given);
  if (k->ndim > 1 || (k->size != 1 && k->size < m))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "polyint: k must be a scalar or a rank-1 array of length 1 or >m.");
  return k->size == 1 ? broadcast_view(k.get(), {&m, 1}, "polyint") : k;
}

ArrayRef polyint(gpuopt_array given, int64_t m, gpuopt_array given_k) {
  ArrayRef p = coefficients_of(given, "polyint");
  check_order(m, "polyint: Order of integral must be positive (see polyder)");
  if (m > 10000) fail(GPUOPT_ERR_INVALID_ARGUMENT, "polyint: an order above 10000 is not supported");
  if (given_k && !given_k->weak) check_same_device("polyint", {given, given_k});
  const gpuopt_stream stream = given->stream.get();
  const ArrayRef k = constants(given_k, m, stream);
  if (!m) return record_copy(given);
  const gpuopt_dtype dtype = promote(promote(p->dtype, GPUOPT_FLOAT64), k->dtype);
  p = in_dtype(p.get(), promote(p->dtype, GPUOPT_FLOAT64));
  for (int64_t i = 0; i < m; ++i) {
    const Value quotients = Value(p) / falling(stream, p->size);
    p = in_a_row({quotients.array(), part_view(k.get(), 0, i, 1)}, dtype, "polyint");
  }
  return p;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_polyval(gpuopt_array p, gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return polyval(p, x); });
}

gpuopt_status gpuopt_polyadd(gpuopt_array p1, gpuopt_array p2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return summed(GPUOPT_OP_add, p1, p2, "polyadd"); });
}

gpuopt_status gpuopt_polysub(gpuopt_array p1, gpuopt_array p2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return summed(GPUOPT_OP_subtract, p1, p2, "polysub"); });
}

gpuopt_status gpuopt_polymul(gpuopt_array p1, gpuopt_array p2, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return polymul(p1, p2); });
}

gpuopt_status gpuopt_polydiv(gpuopt_array p1, gpuopt_array p2, gpuopt_array *quotient, gpuopt_array *remainder,
                             gpuopt_error *error) {
  return giving_each({quotient, remainder}, error, [&] { return polydiv(p1, p2); });
}

gpuopt_status gpuopt_polyder(gpuopt_array p, int64_t m, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return polyder(p, m); });
}

gpuopt_status gpuopt_polyint(gpuopt_array p, int64_t m, gpuopt_array k, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return polyint(p, m, k); });
}

}  // extern "C"
