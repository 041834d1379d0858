// core/linalg/functions.cpp -- gpuopt_matrix_power, expm and multi_dot, composed of products of matrices.
#include <cmath>

#include "core/engine/transfer.h"
#include "core/linalg/matrices.h"
#include "core/linalg/norms.h"
#include "core/linalg/solve.h"
#include "core/ops/matmul.h"

namespace gpuopt {
namespace {

Value product(const Value &a, const Value &b, const char *what) { return Value(matmul(a.get(), b.get(), what)); }

// ---- Powers

ArrayRef matrix_power(gpuopt_array given, int64_t n) {
  constexpr const char *what = "matrix_power";
  check_square(deref_strong(given, what), what);
  if (n == 0) return identities(ArrayRef::share(given), given->dtype, given->shape[given->ndim - 1]);
  uint64_t rest = n < 0 ? -static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  Value base = n < 0 ? Value(inverse(square_matrices(given, what), what)) : Value(given);
  if (rest == 1) return n < 0 ? base.array() : record_copy(given);
  ArrayRef result;
  for (; rest; rest >>= 1) {
    if (rest & 1) result = result ? matmul(result.get(), base.get(), what) : base.array();
    if (rest > 1) base = product(base, base, what);
  }
  return result;
}

// ---- The exponential

// For each matrix the power of two by which it is divided, so that the approximant is good: at least 0.
std::vector<int64_t> halvings(const ArrayRef &x) {
  const ArrayRef norms = in_dtype(matrix_norm(x.get(), 1, false, "expm").get(), GPUOPT_FLOAT64);
  std::vector<double> host(static_cast<size_t>(norms->size));
  if (!host.empty()) copy_to_host(norms.get(), host.data());
  constexpr double bound = 5.371920351148152;  // Higham's theta of degree 13
  std::vector<int64_t> counts(host.size(), 0);
  for (size_t i = 0; i < host.size(); ++i) {
    if (!(host[i] > bound) || std::isinf(host[i])) continue;
    int exponent = 0;
    const double fraction = std::frexp(host[i] / bound, &exponent);
    counts[i] = fraction == 0.5 ? exponent - 1 : exponent;
  }
  return counts;
}

// Returns an array of one number for each matrix of x, of shape stack + (1, 1).
template <class T>
Value numbers_for(const ArrayRef &x, gpuopt_dtype dtype, const std::vector<T> &numbers) {
  const ArrayRef array = for_each_matrix(x, dtype, {1, 1});
  if (!numbers.empty()) copy_from_host(array.get(), numbers.data());
  return Value(array);
}

// The Pade approximant of degree 13 of the exponential of each matrix, in U and V of [V - U]^-1 [V + U].
ArrayRef approximant(const Value &a) {
  constexpr double b[] = {64764752532480000.,
                          32382376266240000.,
                          7771770303897600.,
                          1187353796428800.,
                          129060195264000.,
                          10559470521600.,
                          670442572800.,
                          33522128640.,
                          1323241920.,
                          40840800.,
                          960960.,
                          16380.,
                          182.,
                          1.};
  constexpr const char *what = "expm";
  const Value one = identity(a.get()->stream.get(), a.dtype(), a.get()->shape[a.get()->ndim - 1]);
  const Value a2 = product(a, a, what), a4 = product(a2, a2, what), a6 = product(a4, a2, what);
  const auto sum_of = [&](int first) {
    return a6 * Value(b[first + 4]) + a4 * Value(b[first + 2]) + a2 * Value(b[first]);
  };
  const auto low_of = [&](int first) { return sum_of(first + 2) + one * Value(b[first]); };
  const Value u = product(a, product(a6, sum_of(9), what) + low_of(1), what);
  const Value v = product(a6, sum_of(8), what) + low_of(0);
  return solve((v - u).get(), (v + u).get(), what);
}

ArrayRef expm(gpuopt_array given) {
  const ArrayRef x = square_matrices(given, "expm");
  if (!x->size) return for_each_matrix(x, x->dtype, {rows_of(x), rows_of(x)});
  const std::vector<int64_t> counts = halvings(x);
  std::vector<double> factors;
  int64_t most = 0;
  for (const int64_t count : counts) {
    factors.push_back(std::ldexp(1.0, -static_cast<int>(count)));
    most = std::max(most, count);
  }
  const Value scale = cast(numbers_for(x, GPUOPT_FLOAT64, factors), real_component(x->dtype));
  Value result(approximant(Value(x) * scale));
  const Value times = numbers_for(x, GPUOPT_INT64, counts);
  for (int64_t i = 0; i < most; ++i)
    result = where(apply_op(GPUOPT_OP_greater, times, Value(i)), product(result, result, "expm"), result);
  return result.array();
}

// ---- Chains of products

// For each interval [i, j] of factors the last factor of the left part in the cheapest order. `sizes` are the rows of
// all factors, and the columns of the last.
std::vector<size_t> cheapest_cuts(const std::vector<double> &sizes) {
  const size_t n = sizes.size() - 1;
  std::vector<double> cost(n * n, 0.0);
  std::vector<size_t> cut(n * n, 0);
  for (size_t length = 1; length < n; ++length) {
    for (size_t i = 0; i + length < n; ++i) {
      const size_t j = i + length;
      double least = INFINITY;
      for (size_t k = i; k < j; ++k) {
        const double total = cost[i * n + k] + cost[(k + 1) * n + j] + sizes[i] * sizes[k + 1] * sizes[j + 1];
        if (total < least) least = total, cut[i * n + j] = k;
      }
      cost[i * n + j] = least;
    }
  }
  return cut;
}

// Multiplies the factors in that order.
ArrayRef chain(const std::vector<ArrayRef> &factors, const std::vector<size_t> &cut) {
  struct Step {
    size_t first, last;
    bool ready;  // both parts are on the stack of values
  };
  std::vector<Step> steps{{0, factors.size() - 1, false}};
  std::vector<ArrayRef> values;
  while (!steps.empty()) {
    const Step step = steps.back();
    steps.pop_back();
    if (step.first == step.last) {
      values.push_back(factors[step.first]);
    } else if (step.ready) {
      const ArrayRef right = std::move(values.back());
      values.pop_back();
      values.back() = matmul(values.back().get(), right.get(), "multi_dot");
    } else {
      const size_t k = cut[step.first * factors.size() + step.last];
      steps.insert(steps.end(), {{step.first, step.last, true}, {k + 1, step.last, false}, {step.first, k, false}});
    }
  }
  return values.back();
}

// Throws unless all arrays have two dimensions, or one at the ends, and fit together.
void check_chain(std::span<const gpuopt_array> arrays) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    const gpuopt_array_s &x = deref_strong(arrays[i], "multi_dot");
    const bool at_end = i == 0 || i + 1 == arrays.size();
    if (x.ndim != 2 && !(x.ndim == 1 && at_end))
      fail(GPUOPT_ERR_SHAPE, "multi_dot: %d-dimensional array given. Array must be two-dimensional", x.ndim);
    check_same_device("multi_dot", {arrays[0], arrays[i]});
    if (i == 0) continue;
    const gpuopt_array_s &before = *arrays[i - 1];
    if (before.shape[before.ndim - 1] != x.shape[0])
      fail(GPUOPT_ERR_SHAPE, "multi_dot: shapes %s and %s not aligned", shape_text(before.ndim, before.shape).c_str(),
           shape_text(x.ndim, x.shape).c_str());
  }
}

ArrayRef multi_dot(int32_t count, const gpuopt_array *given) {
  if (count < 2) fail(GPUOPT_ERR_INVALID_ARGUMENT, "multi_dot: Expecting at least two arrays.");
  if (!given) fail(GPUOPT_ERR_INVALID_ARGUMENT, "multi_dot: the pointer to the arrays is NULL");
  const std::span<const gpuopt_array> arrays(given, static_cast<size_t>(count));
  check_chain(arrays);
  const gpuopt_dtype dtype = common_dtype(arrays);
  std::vector<ArrayRef> factors;
  std::vector<double> sizes;
  for (const gpuopt_array x : arrays) {
    const ArrayRef factor = in_dtype(x, dtype);
    factors.push_back(x->ndim == 2 ? factor : expanded_view(factor.get(), factors.empty() ? 0 : 1));
    sizes.push_back(static_cast<double>(rows_of(factors.back())));
  }
  sizes.push_back(static_cast<double>(columns_of(factors.back())));
  const ArrayRef result = chain(factors, cheapest_cuts(sizes));
  Dims shape;
  if (arrays.front()->ndim == 2) shape.push_back(rows_of(result));
  if (arrays.back()->ndim == 2) shape.push_back(columns_of(result));
  return reshaped(result.get(), shape);
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_matrix_power(gpuopt_array x, int64_t n, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return matrix_power(x, n); });
}

gpuopt_status gpuopt_expm(gpuopt_array x, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return expm(x); });
}

gpuopt_status gpuopt_multi_dot(int32_t count, const gpuopt_array *arrays, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] { return multi_dot(count, arrays); });
}

}  // extern "C"
