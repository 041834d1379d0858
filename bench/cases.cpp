// bench/cases.cpp -- the jobs of compare.py through the public C ABI, each run and synchronised; every call returns a
// status.
#include <gpuopt/gpuopt.h>

#include <chrono>

namespace {
struct Error : gpuopt_error {
  Error() : gpuopt_error(GPUOPT_ERROR_INIT) {}
};
Error last;

gpuopt_status done(gpuopt_array x) {
  gpuopt_status status = gpuopt_eval(1, &x, &last);
  return status != GPUOPT_OK ? status : gpuopt_device_synchronize(gpuopt_array_device(x), &last);
}

#define TRY(call)                             \
  do {                                        \
    const gpuopt_status status_ = (call);     \
    if (status_ != GPUOPT_OK) return status_; \
  } while (0)

// Releases on every path.
struct Handle {
  gpuopt_array a = nullptr;
  ~Handle() { gpuopt_array_release(a); }
};

gpuopt_reduce_options over(const int64_t *axis) {
  gpuopt_reduce_options options = {};
  options.struct_size = sizeof options;
  options.axes = axis;
  options.naxes = axis ? 1 : 0;
  return options;
}
}  // namespace

extern "C" {

const char *case_error() { return last.message; }

// x *= 5; x *= x; x += x, in place.
gpuopt_status case_threefold(gpuopt_array x) {
  Handle five;
  TRY(gpuopt_weak(gpuopt_scalar_real(5), &five.a, &last));
  TRY(gpuopt_multiply_into(x, five.a, x, &last));
  TRY(gpuopt_multiply_into(x, x, x, &last));
  TRY(gpuopt_add_into(x, x, x, &last));
  return done(x);
}

// max(0, x) + log1p(exp(-|x|)) into `out`, or into a fresh array if out is NULL.
gpuopt_status case_softplus(gpuopt_array x, gpuopt_array out) {
  Handle zero, top, size, minus, e, log;
  TRY(gpuopt_weak(gpuopt_scalar_real(0), &zero.a, &last));
  TRY(gpuopt_maximum(zero.a, x, &top.a, &last));
  TRY(gpuopt_abs(x, &size.a, &last));
  TRY(gpuopt_negative(size.a, &minus.a, &last));
  TRY(gpuopt_exp(minus.a, &e.a, &last));
  TRY(gpuopt_log1p(e.a, &log.a, &last));
  for (Handle *h : {&size, &minus, &e}) gpuopt_array_release(h->a), h->a = nullptr;
  if (out) {
    TRY(gpuopt_add_into(top.a, log.a, out, &last));
    gpuopt_array_release(top.a), gpuopt_array_release(log.a), top.a = log.a = nullptr;
    return done(out);
  }
  Handle fresh;
  TRY(gpuopt_add(top.a, log.a, &fresh.a, &last));
  gpuopt_array_release(top.a), gpuopt_array_release(log.a), top.a = log.a = nullptr;
  return done(fresh.a);
}

// sin(x) * 2 + z * 3 - 1 into `out`: five operations.
gpuopt_status case_sine(gpuopt_array x, gpuopt_array z, gpuopt_array out) {
  Handle one, two, three, sine, twice, thrice, sum;
  TRY(gpuopt_weak(gpuopt_scalar_real(1), &one.a, &last));
  TRY(gpuopt_weak(gpuopt_scalar_real(2), &two.a, &last));
  TRY(gpuopt_weak(gpuopt_scalar_real(3), &three.a, &last));
  TRY(gpuopt_sin(x, &sine.a, &last));
  TRY(gpuopt_multiply(sine.a, two.a, &twice.a, &last));
  TRY(gpuopt_multiply(z, three.a, &thrice.a, &last));
  TRY(gpuopt_add(twice.a, thrice.a, &sum.a, &last));
  for (Handle *h : {&sine, &twice, &thrice}) gpuopt_array_release(h->a), h->a = nullptr;
  TRY(gpuopt_subtract_into(sum.a, one.a, out, &last));
  gpuopt_array_release(sum.a), sum.a = nullptr;
  return done(out);
}

// The first source document's unit_standardize, call for call.
gpuopt_status case_standardize(gpuopt_array a) {
  const int64_t axis = 0;
  const gpuopt_reduce_options columns = over(&axis);
  Handle missing, deviation, mean, zero, infinity, still;
  TRY(gpuopt_isnan(a, &missing.a, &last));
  TRY(gpuopt_nanstd(a, &columns, &deviation.a, &last));
  TRY(gpuopt_nanmean(a, &columns, &mean.a, &last));
  TRY(gpuopt_weak(gpuopt_scalar_real(0), &zero.a, &last));
  TRY(gpuopt_weak(gpuopt_scalar_real(__builtin_inf()), &infinity.a, &last));
  TRY(gpuopt_equal(deviation.a, zero.a, &still.a, &last));
  TRY(gpuopt_mask_assign(deviation.a, still.a, infinity.a, &last));
  TRY(gpuopt_subtract_into(a, mean.a, a, &last));
  TRY(gpuopt_divide_into(a, deviation.a, a, &last));
  TRY(gpuopt_mask_assign(a, missing.a, zero.a, &last));
  for (Handle *h : {&missing, &deviation, &mean, &still}) gpuopt_array_release(h->a), h->a = nullptr;
  return done(a);
}

// axis < 0: over all axes.
gpuopt_status case_sum(gpuopt_array x, int64_t axis) {
  const gpuopt_reduce_options options = over(axis < 0 ? nullptr : &axis);
  Handle result;
  TRY(gpuopt_sum(x, &options, &result.a, &last));
  return done(result.a);
}
gpuopt_status case_mean(gpuopt_array x) {
  Handle result;
  TRY(gpuopt_mean(x, nullptr, &result.a, &last));
  return done(result.a);
}

gpuopt_status case_mask_select(gpuopt_array x, gpuopt_array mask) {
  Handle result;
  TRY(gpuopt_mask_select(x, mask, &result.a, &last));
  return done(result.a);
}

gpuopt_status case_uniform(gpuopt_generator g, gpuopt_dtype dtype, int64_t n) {
  Handle result;
  TRY(gpuopt_generator_uniform(g, 0, 1, dtype, 1, &n, &result.a, &last));
  return done(result.a);
}
gpuopt_status case_normal(gpuopt_generator g, gpuopt_dtype dtype, int64_t n) {
  Handle result;
  TRY(gpuopt_generator_normal(g, 0, 1, dtype, 1, &n, &result.a, &last));
  return done(result.a);
}

gpuopt_status case_matmul(gpuopt_array a, gpuopt_array b) {
  Handle result;
  TRY(gpuopt_matmul(a, b, &result.a, &last));
  return done(result.a);
}

// x + y into `out`, or fresh.
gpuopt_status case_add(gpuopt_array x, gpuopt_array y, gpuopt_array out) {
  if (out) {
    TRY(gpuopt_add_into(x, y, out, &last));
    return done(out);
  }
  Handle result;
  TRY(gpuopt_add(x, y, &result.a, &last));
  return done(result.a);
}

// t = x * 5; t = t * t; t + t into `out`, or fresh: the threefold chain out of place.
gpuopt_status case_chain(gpuopt_array x, gpuopt_array out) {
  Handle five, product, square, result;
  TRY(gpuopt_weak(gpuopt_scalar_real(5), &five.a, &last));
  TRY(gpuopt_multiply(x, five.a, &product.a, &last));
  TRY(gpuopt_multiply(product.a, product.a, &square.a, &last));
  gpuopt_array_release(product.a), product.a = nullptr;
  if (out) {
    TRY(gpuopt_add_into(square.a, square.a, out, &last));
  } else {
    TRY(gpuopt_add(square.a, square.a, &result.a, &last));
  }
  gpuopt_array_release(square.a), square.a = nullptr;
  return done(out ? out : result.a);
}

// Nanoseconds for one x + y, recorded, run, its data looked at and released; the mean of `count`.
double case_small_add(gpuopt_array x, gpuopt_array y, int64_t count) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < count; ++i) {
    gpuopt_array result = nullptr;
    void *data = nullptr;
    if (gpuopt_add(x, y, &result, &last) != GPUOPT_OK || gpuopt_array_data(result, &data, &last) != GPUOPT_OK)
      return -1;
    gpuopt_array_release(result);
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / double(count);
}
}
