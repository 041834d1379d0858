// core/random/distributions.cpp -- gpuopt_random_state_draw and gpuopt_generator_draw: numbers of a
// gpuopt_distribution.
#include "core/random/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/engine/expression.h"
#include "core/ops/select.h"
#include "core/random/parameters.h"
#include "core/sorting/sort.h"

namespace gpuopt::random {
namespace {

struct Row {
  const char *name;
  char kind;  // of the result: 'f' float64, 'i' int64
  std::array<Parameter, 3> parameters{};
  bool may_be_float32 = false;
  int count() const {
    return static_cast<int>(
        std::count_if(parameters.begin(), parameters.end(), [](const Parameter &p) { return p.name; }));
  }
};

constexpr Parameter real(const char *name, Range range = Range::ANY) { return {name, 'f', range}; }
constexpr Parameter integer(const char *name, Range range) { return {name, 'i', range}; }

using enum Range;

// By number. The ranges are Generator's; RandomState's are the same but for range_of().
constexpr Row kRows[] = {
    {},
    {"beta", 'f', {real("a", POSITIVE), real("b", POSITIVE)}},
    {"binomial", 'i', {integer("n", NON_NEGATIVE), real("p", UNIT)}},
    {"chisquare", 'f', {real("df", POSITIVE)}},
    {"exponential", 'f', {real("scale", NON_NEGATIVE)}},
    {"f", 'f', {real("dfnum", POSITIVE), real("dfden", POSITIVE)}},
    {"gamma", 'f', {real("shape", NON_NEGATIVE), real("scale", NON_NEGATIVE)}},
    {"geometric", 'i', {real("p", UNIT_ABOVE_0)}},
    {"gumbel", 'f', {real("loc"), real("scale", NON_NEGATIVE)}},
    {"hypergeometric",
     'i',
     {integer("ngood", NON_NEGATIVE), integer("nbad", NON_NEGATIVE), integer("nsample", NON_NEGATIVE)}},
    {"laplace", 'f', {real("loc"), real("scale", NON_NEGATIVE)}},
    {"logistic", 'f', {real("loc"), real("scale", NON_NEGATIVE)}},
    {"lognormal", 'f', {real("mean"), real("sigma", NON_NEGATIVE)}},
    {"logseries", 'i', {real("p", UNIT_BELOW_1)}},
    {"negative_binomial", 'i', {real("n", POSITIVE_ONLY), real("p", UNIT_ABOVE_0)}},
    {"noncentral_chisquare", 'f', {real("df", POSITIVE), real("nonc", NON_NEGATIVE)}},
    {"noncentral_f", 'f', {real("dfnum", POSITIVE), real("dfden", POSITIVE), real("nonc", NON_NEGATIVE)}},
    {"normal", 'f', {real("loc"), real("scale", NON_NEGATIVE)}},
    {"pareto", 'f', {real("a", POSITIVE)}},
    {"poisson", 'i', {real("lam", POISSON)}},
    {"power", 'f', {real("a", POSITIVE)}},
    {"rayleigh", 'f', {real("scale", NON_NEGATIVE)}},
    {"standard_cauchy", 'f'},
    {"standard_exponential", 'f', {}, true},
    {"standard_gamma", 'f', {real("shape", NON_NEGATIVE)}, true},
    {"standard_normal", 'f', {}, true},
    {"standard_t", 'f', {real("df", POSITIVE)}},
    {"triangular", 'f', {real("left"), real("mode"), real("right")}},
    {"uniform", 'f', {real("low"), real("high")}},
    {"vonmises", 'f', {real("mu"), real("kappa", NON_NEGATIVE)}},
    {"wald", 'f', {real("mean", POSITIVE), real("scale", POSITIVE)}},
    {"weibull", 'f', {real("a", NON_NEGATIVE)}},
    {"zipf", 'i', {real("a", ABOVE_1)}},
    {"tomaxint", 'i'},
    {"standard_exponential", 'f', {}, true},
};

struct Request {
  Stream stream;
  gpuopt_distribution which;
  int32_t count;
  const gpuopt_array *parameters;
  gpuopt_dtype dtype;
  int ndim;
  const int64_t *shape;
  bool legacy() const { return stream.kind == GPUOPT_CALL_RANDOM_MT19937; }
};

Range range_of(const Request &request, const Parameter &parameter) {
  if (!request.legacy()) return parameter.range;
  if (request.which == GPUOPT_DISTRIBUTION_NEGATIVE_BINOMIAL) return parameter.range == UNIT_ABOVE_0 ? UNIT : POSITIVE;
  const bool is_sample =
      request.which == GPUOPT_DISTRIBUTION_HYPERGEOMETRIC && parameter.name == std::string_view("nsample");
  return is_sample ? FROM_1 : parameter.range;
}

// Parameters that have been read, as operands of recorded operations.
class Operands {
 public:
  Operands(gpuopt_device device, std::span<const Given> given) {
    for (const Given &g : given) values_.push_back(g.array ? Value(g.array) : number(device, g));
  }
  const Value &operator[](size_t k) const { return values_[k]; }

 private:
  static Value number(gpuopt_device device, const Given &given) {
    const bool is_integer = !given.integers.empty();
    return scalar_array(device->default_stream, is_integer ? GPUOPT_INT64 : GPUOPT_FLOAT64,
                        is_integer ? gpuopt_scalar_int(given.integers[0]) : gpuopt_scalar_real(given.reals[0]));
  }
  std::vector<Value> values_;
};

Value compare(gpuopt_op op, const Value &a, const Value &b) { return apply_op(op, a, b); }

void refuse_if(const Value &condition, const char *what, const char *message) {
  if (any_of(condition)) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %s", what, message);
}

void check_triangle(const Operands &x, const char *what) {
  refuse_if(compare(GPUOPT_OP_greater, x[0], x[1]), what, "left > mode");
  refuse_if(compare(GPUOPT_OP_greater, x[1], x[2]), what, "mode > right");
  refuse_if(equal(x[0], x[2]), what, "left == right");
}

// Hypergeometric numbers are computed with the sum of all, and 2 more, as an int64. Generator's lose their accuracy
// from 10^9 on.
void check_population(const Request &request, const Operands &x, const char *what) {
  const int64_t limit = int64_t{1000000000};
  if (!request.legacy())
    for (size_t k = 0; k < 2; ++k)
      refuse_if(greater_equal(x[k], Value(limit)), what, "both ngood and nbad must be less than 1000000000");
  const Value room = Value(x[0] * Value(int64_t{0})) + Value(std::numeric_limits<int64_t>::max() - 2) - x[0];
  refuse_if(compare(GPUOPT_OP_greater, x[1], room), what, "ngood + nbad is out of bounds for int64");
  refuse_if(compare(GPUOPT_OP_less, x[0] + x[1], x[2]), what, "ngood + nbad < nsample");
}

void check_largest_mean(const Operands &x, const char *what) {
  const Value one(1.0), mean = (one - x[1]) / x[1] * (x[0] + Value(10.0) * sqrt(x[0]));
  refuse_if(compare(GPUOPT_OP_greater, mean, Value(kLargestMean)), what,
            "n too large or p too small, see Generator.negative_binomial Notes");
}

// Replaces `high` by high - low, which is what uniform numbers are drawn with.
void subtract_low(const Request &request, std::vector<Given> &given, const char *what) {
  if (given[0].is_number() && given[1].is_number()) {
    given[1].array = {};
    given[1].reals[0] -= given[0].reals[0];
  } else {
    const Operands x(request.stream.device, given);
    given[1] = read_parameter(request.stream.device, what, {"high - low", 'f', ANY}, (x[1] - x[0]).get());
  }
  for (double range : given[1].reals)
    if (!std::isfinite(range)) fail(GPUOPT_ERR_OVERFLOW, "%s: Range exceeds valid bounds", what);
  if (!request.legacy()) check_range(what, {"high - low", 'f', NON_NEGATIVE}, given[1]);
}

void check_together(const Request &request, std::vector<Given> &given, const char *what) {
  switch (request.which) {
    case GPUOPT_DISTRIBUTION_TRIANGULAR:
      return check_triangle(Operands(request.stream.device, given), what);
    case GPUOPT_DISTRIBUTION_HYPERGEOMETRIC:
      return check_population(request, Operands(request.stream.device, given), what);
    case GPUOPT_DISTRIBUTION_NEGATIVE_BINOMIAL:
      return request.legacy() ? void() : check_largest_mean(Operands(request.stream.device, given), what);
    case GPUOPT_DISTRIBUTION_UNIFORM:
      return subtract_low(request, given, what);
    default:
      return;
  }
}

const Row &checked_row(const Request &request, const char *function) {
  if (request.which < 1 || request.which >= static_cast<int>(std::size(kRows)))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: there is no distribution %d", function, request.which);
  const Row &row = kRows[request.which];
  if (request.count != row.count() || (request.count && !request.parameters))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: %s has %d parameters, not %d", function, row.name, row.count(),
         request.count);
  return row;
}

gpuopt_dtype result_dtype(const Request &request, const Row &row) {
  const gpuopt_dtype own = row.kind == 'f' ? GPUOPT_FLOAT64 : GPUOPT_INT64;
  const gpuopt_dtype dtype = dtype_or(request.dtype, own, row.name);
  if (dtype == own || (dtype == GPUOPT_FLOAT32 && row.may_be_float32)) return dtype;
  fail(GPUOPT_ERR_TYPE, "%s: Unsupported dtype %s for %s", row.name, dtype_name(dtype), row.name);
}

std::vector<Given> checked_parameters(const Request &request, const Row &row) {
  std::vector<Given> given;
  for (int k = 0; k < request.count; ++k) {
    const Parameter &parameter = row.parameters[static_cast<size_t>(k)];
    given.push_back(read_parameter(request.stream.device, row.name, parameter, request.parameters[k]));
  }
  for (size_t k = 0; k < given.size(); ++k) {
    Parameter parameter = row.parameters[k];
    parameter.range = range_of(request, parameter);
    check_range(row.name, parameter, given[k]);
  }
  return given;
}

// Calls the slot: numbers go as such, arrays as tensors of the result's shape.
ArrayRef draw_numbers(const Request &request, const Row &row, std::span<const Given> given, const Dims &shape) {
  int64_t integers[] = {request.which, 0, 0, 0, 0};
  double reals[3] = {};
  std::vector<ArrayRef> copies;
  std::vector<gpuopt_array> tensors;
  for (size_t k = 0; k < given.size(); ++k) {
    const Given &g = given[k];
    if (!g.is_number()) {
      copies.push_back(broadcast_copy(g.array.get(), shape, row.name));
      tensors.push_back(copies.back().get());
      integers[1] |= int64_t{1} << k;
    } else if (g.integers.empty()) {
      reals[k] = g.reals[0];
    } else {
      integers[2 + k] = g.integers[0];
    }
  }
  return draw_array(request.stream, row.name, {GPUOPT_RANDOM_DISTRIBUTION, integers, reals, tensors},
                    result_dtype(request, row), static_cast<int>(shape.size()), shape.data());
}

// RandomState's numbers of the same parameters that the slot draws many at a time, in parallel: an empty reference if
// these are others.
ArrayRef draw_at_once(const Request &request, const Row &row, std::span<const Given> given, const Dims &shape) {
  if (!request.legacy() || !std::all_of(given.begin(), given.end(), [](const Given &g) { return g.is_number(); }))
    return {};
  double numbers[2] = {0, 1};
  int64_t slot = GPUOPT_RANDOM_NORMAL;
  if (request.which == GPUOPT_DISTRIBUTION_NORMAL || request.which == GPUOPT_DISTRIBUTION_UNIFORM) {
    slot = request.which == GPUOPT_DISTRIBUTION_NORMAL ? GPUOPT_RANDOM_NORMAL : GPUOPT_RANDOM_UNIFORM;
    for (size_t k = 0; k < 2; ++k) numbers[k] = given[k].reals[0];
  } else if (request.which == GPUOPT_DISTRIBUTION_EXPONENTIAL ||
             request.which == GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL) {
    slot = GPUOPT_RANDOM_EXPONENTIAL;
    numbers[0] = given.empty() ? 1 : given[0].reals[0];
  } else if (request.which != GPUOPT_DISTRIBUTION_STANDARD_NORMAL) {
    return {};
  }
  return draw_array(request.stream, row.name, {slot, {}, numbers, {}}, GPUOPT_FLOAT64, static_cast<int>(shape.size()),
                    shape.data());
}

ArrayRef draw_request(const Request &request, const char *function) {
  const Row &row = checked_row(request, function);
  result_dtype(request, row);
  std::vector<Given> given = checked_parameters(request, row);
  Shapes shapes;
  for (size_t k = 0; k < given.size(); ++k) shapes.push_back(request.parameters[k]->sizes());
  const Dims shape = broadcast_result(row.name, shapes, request.ndim, request.shape);
  check_together(request, given, row.name);
  ArrayRef drawn = draw_at_once(request, row, given, shape);
  return drawn ? std::move(drawn) : draw_numbers(request, row, given, shape);
}

}  // namespace

ArrayRef distribution(const Stream &stream, gpuopt_distribution which, std::span<const gpuopt_array> parameters,
                      gpuopt_dtype dtype, std::span<const int64_t> shape, const char *what) {
  return draw_request({stream, which, static_cast<int32_t>(parameters.size()), parameters.data(), dtype,
                       static_cast<int32_t>(shape.size()), shape.data()},
                      what);
}

}  // namespace gpuopt::random

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_random_state_draw(gpuopt_random_state state, gpuopt_distribution distribution, int32_t count,
                                       const gpuopt_array *parameters, int32_t ndim, const int64_t *shape,
                                       gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return random::draw_request(
        {random::checked(state).stream(), distribution, count, parameters, GPUOPT_DTYPE_DEFAULT, ndim, shape},
        "random_state_draw");
  });
}

gpuopt_status gpuopt_generator_draw(gpuopt_generator generator, gpuopt_distribution distribution, int32_t count,
                                    const gpuopt_array *parameters, gpuopt_dtype dtype, int32_t ndim,
                                    const int64_t *shape, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    return random::draw_request(
        {random::checked(generator).stream(), distribution, count, parameters, dtype, ndim, shape}, "generator_draw");
  });
}

}  // extern "C"
