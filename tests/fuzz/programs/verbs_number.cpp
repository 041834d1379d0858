// tests/fuzz/programs/verbs_number.cpp -- the verbs that compute: operations, reductions, scans, products, random
// numbers.
#include <cstring>

#include "tests/fuzz/programs/session.h"

namespace fuzz {
namespace {

gpuopt_array *out(Call &c) { return &c.outcome.result; }
gpuopt_array written(Call &c, size_t i) { return c.outcome.written = c.array(i); }
int32_t length(const std::vector<int64_t> &list) { return static_cast<int32_t>(list.size()); }

// The number of a row of ops.def.
int32_t row(const std::string &name, int32_t rows, const char *(*name_of)(int32_t)) {
  for (int32_t i = 0; i < rows; ++i)
    if (name == name_of(i)) return i;
  throw std::runtime_error("ops.def has no row " + name);
}

// NAME X...; in place the last word is the output.
gpuopt_status apply(Call &c, bool in_place) {
  const int32_t op = row(c.word(0), GPUOPT_OP_COUNT, gpuopt_op_name);
  std::vector<gpuopt_array> inputs;
  for (size_t i = 1; i < c.count() - in_place; ++i) inputs.push_back(c.array(i));
  const gpuopt_array target = in_place ? written(c, c.count() - 1) : nullptr;
  return gpuopt_apply(op, static_cast<int32_t>(inputs.size()), inputs.data(), target, in_place ? nullptr : out(c),
                      &c.error);
}
gpuopt_status op(Call &c) { return apply(c, false); }
gpuopt_status op_into(Call &c) { return apply(c, true); }

gpuopt_status nan_to_num(Call &c) {  // X NAN POSINF NEGINF
  const double positive = c.absent(2) ? 0 : c.real(2), negative = c.absent(3) ? 0 : c.real(3);
  return gpuopt_nan_to_num(c.array(0), c.real(1), c.absent(2) ? nullptr : &positive, c.absent(3) ? nullptr : &negative,
                           out(c), &c.error);
}
gpuopt_status isclose(Call &c) {  // X1 X2 RTOL ATOL EQUAL_NAN
  return gpuopt_isclose(c.array(0), c.array(1), c.real(2), c.real(3), int32_t(c.integer(4)), out(c), &c.error);
}

// AXES is "*" for all of them.
struct Reduction {
  std::vector<int64_t> axes;
  gpuopt_reduce_options options = {};
};
void read_axes(Call &c, size_t i, Reduction &reduction) {
  reduction.options.struct_size = sizeof reduction.options;
  if (c.word(i) != "*") {
    reduction.axes = c.list(i);
    reduction.axes.reserve(1);  // an empty list is a list, too: NULL would be all axes
    reduction.options.axes = reduction.axes.data();
    reduction.options.naxes = length(reduction.axes);
  }
  reduction.options.keepdims = int32_t(c.integer(i + 1));
}
using Statistic = gpuopt_status (*)(gpuopt_array, const gpuopt_reduce_options *, gpuopt_array *, gpuopt_error *);
const std::map<std::string, Statistic> statistics = {
    {"mean", gpuopt_mean},           {"var", gpuopt_var},         {"std", gpuopt_std},
    {"nansum", gpuopt_nansum},       {"nanprod", gpuopt_nanprod}, {"nanmean", gpuopt_nanmean},
    {"nanvar", gpuopt_nanvar},       {"nanstd", gpuopt_nanstd},   {"nanargmin", gpuopt_nanargmin},
    {"nanargmax", gpuopt_nanargmax},
};
gpuopt_status reduce(Call &c) {  // NAME X AXES KEEPDIMS DTYPE CORRECTION
  Reduction reduction;
  read_axes(c, 2, reduction);
  reduction.options.dtype = c.dtype(4);
  reduction.options.correction = c.real(5);
  const auto statistic = statistics.find(c.word(0));
  if (statistic != statistics.end()) return statistic->second(c.array(1), &reduction.options, out(c), &c.error);
  return gpuopt_reduce(row(c.word(0), GPUOPT_REDUCTION_COUNT, gpuopt_reduction_name), c.array(1), &reduction.options,
                       out(c), &c.error);
}
using Scan = gpuopt_status (*)(gpuopt_array, int64_t, gpuopt_dtype, int32_t, gpuopt_array *, gpuopt_error *);
const std::map<std::string, Scan> scans = {
#define GPUOPT_SCAN(name, kinds, result, doc) {#name, gpuopt_##name},
#include <gpuopt/ops.def>
};
gpuopt_status scan(Call &c) {  // NAME X AXIS DTYPE INITIAL
  return scans.at(c.word(0))(c.array(1), c.integer(2), c.dtype(3), int32_t(c.integer(4)), out(c), &c.error);
}

using Binary = gpuopt_status (*)(gpuopt_array, gpuopt_array, gpuopt_array *, gpuopt_error *);
template <Binary binary>
gpuopt_status of_two(Call &c) {  // X1 X2
  return binary(c.array(0), c.array(1), out(c), &c.error);
}
gpuopt_status vecdot(Call &c) {  // X1 X2 AXIS
  return gpuopt_vecdot(c.array(0), c.array(1), c.integer(2), out(c), &c.error);
}
gpuopt_status tensordot(Call &c) {  // X1 X2 COUNT, or X1 X2 COUNT AXES1 AXES2
  std::vector<int64_t> axes1, axes2;
  if (c.count() > 3) axes1 = c.list(3), axes2 = c.list(4);
  const bool named = c.count() > 3;
  return gpuopt_tensordot(c.array(0), c.array(1), int32_t(c.integer(2)), named ? axes1.data() : nullptr,
                          named ? axes2.data() : nullptr, out(c), &c.error);
}
gpuopt_status vector_norm(Call &c) {  // X ORD AXES KEEPDIMS
  Reduction reduction;
  read_axes(c, 2, reduction);
  return gpuopt_vector_norm(c.array(0), c.real(1), &reduction.options, out(c), &c.error);
}
gpuopt_status matrix_norm(Call &c) {  // X ORD KEEPDIMS
  return gpuopt_matrix_norm(c.array(0), c.real(1), int32_t(c.integer(2)), out(c), &c.error);
}
gpuopt_status norm(Call &c) { return gpuopt_norm(c.array(0), out(c), &c.error); }

// numpy.random.RandomState. The first word names the state, which "random_state NAME SEED" makes.
gpuopt_random_state state(Call &c) {
  const auto found = c.session.states.find(c.word(0));
  if (found == c.session.states.end()) throw MissingArray();
  return found->second.get();
}
gpuopt_status random_state(Call &c) {
  gpuopt_random_state made = nullptr;
  const gpuopt_status status =
      gpuopt_random_state_create(c.session.device, static_cast<uint32_t>(c.integer(1)), &made, &c.error);
  c.session.states[c.word(0)].reset(made);
  return status;
}
gpuopt_status random_state_array(Call &c) {  // NAME SEEDS
  std::vector<uint32_t> seeds;
  for (int64_t seed : c.list(1)) seeds.push_back(static_cast<uint32_t>(seed));
  gpuopt_random_state made = nullptr;
  const gpuopt_status status = gpuopt_random_state_create_array(c.session.device, static_cast<int32_t>(seeds.size()),
                                                                seeds.data(), &made, &c.error);
  c.session.states[c.word(0)].reset(made);
  return status;
}
gpuopt_status rs_seed(Call &c) {  // STATE SEED
  return gpuopt_random_state_seed(state(c), static_cast<uint32_t>(c.integer(1)), &c.error);
}
gpuopt_status rs_sample(Call &c) {  // STATE SHAPE
  const auto shape = c.list(1);
  return gpuopt_random_state_random_sample(state(c), length(shape), shape.data(), out(c), &c.error);
}
gpuopt_status rs_uniform(Call &c) {  // STATE LOW HIGH SHAPE
  const auto shape = c.list(3);
  return gpuopt_random_state_uniform(state(c), c.real(1), c.real(2), length(shape), shape.data(), out(c), &c.error);
}
gpuopt_status rs_normal(Call &c) {  // STATE LOC SCALE SHAPE
  const auto shape = c.list(3);
  return gpuopt_random_state_normal(state(c), c.real(1), c.real(2), length(shape), shape.data(), out(c), &c.error);
}
gpuopt_status rs_randint(Call &c) {  // STATE LOW HIGH DTYPE SHAPE
  const auto shape = c.list(4);
  return gpuopt_random_state_randint(state(c), c.integer(1), c.integer(2), c.dtype(3), length(shape), shape.data(),
                                     out(c), &c.error);
}
gpuopt_array optional_array(Call &c, size_t i) { return c.absent(i) ? nullptr : c.array(i); }
gpuopt_status rs_choice(Call &c) {  // STATE A SHAPE REPLACE PROBABILITIES
  const auto shape = c.list(2);
  return gpuopt_random_state_choice(state(c), c.array(1), length(shape), shape.data(), int32_t(c.integer(3)),
                                    optional_array(c, 4), out(c), &c.error);
}
gpuopt_status rs_shuffle(Call &c) {  // STATE X
  return gpuopt_random_state_shuffle(state(c), written(c, 1), &c.error);
}
gpuopt_status rs_permutation(Call &c) {  // STATE N
  return gpuopt_random_state_permutation(state(c), c.integer(1), nullptr, out(c), &c.error);
}
gpuopt_status rs_permuted(Call &c) {  // STATE X
  return gpuopt_random_state_permutation(state(c), 0, c.array(1), out(c), &c.error);
}

// The counter-based generator, made by "generator NAME SEED".
gpuopt_generator generator_of(Call &c) {
  const auto found = c.session.generators.find(c.word(0));
  if (found == c.session.generators.end()) throw MissingArray();
  return found->second.get();
}
gpuopt_status generator(Call &c) {
  gpuopt_generator made = nullptr;
  const gpuopt_status status =
      gpuopt_generator_create(c.session.device, static_cast<uint64_t>(c.integer(1)), &made, &c.error);
  c.session.generators[c.word(0)].reset(made);
  return status;
}
gpuopt_status gen_uniform(Call &c) {  // GENERATOR LOW HIGH DTYPE SHAPE
  const auto shape = c.list(4);
  return gpuopt_generator_uniform(generator_of(c), c.real(1), c.real(2), c.dtype(3), length(shape), shape.data(),
                                  out(c), &c.error);
}
gpuopt_status gen_normal(Call &c) {  // GENERATOR LOC SCALE DTYPE SHAPE
  const auto shape = c.list(4);
  return gpuopt_generator_normal(generator_of(c), c.real(1), c.real(2), c.dtype(3), length(shape), shape.data(), out(c),
                                 &c.error);
}
gpuopt_status gen_exponential(Call &c) {  // GENERATOR SCALE DTYPE SHAPE
  const auto shape = c.list(3);
  return gpuopt_generator_exponential(generator_of(c), c.real(1), c.dtype(2), length(shape), shape.data(), out(c),
                                      &c.error);
}
gpuopt_status gen_integers(Call &c) {  // GENERATOR LOW HIGH ENDPOINT DTYPE SHAPE
  const auto shape = c.list(5);
  return gpuopt_generator_integers(generator_of(c), c.integer(1), c.integer(2), int32_t(c.integer(3)), c.dtype(4),
                                   length(shape), shape.data(), out(c), &c.error);
}
gpuopt_status gen_choice(Call &c) {  // GENERATOR A SHAPE REPLACE PROBABILITIES
  const auto shape = c.list(2);
  return gpuopt_generator_choice(generator_of(c), c.array(1), length(shape), shape.data(), int32_t(c.integer(3)),
                                 optional_array(c, 4), out(c), &c.error);
}
gpuopt_status gen_permutation(Call &c) {  // GENERATOR N
  return gpuopt_generator_permutation(generator_of(c), c.integer(1), nullptr, out(c), &c.error);
}
gpuopt_status gen_permuted(Call &c) {  // GENERATOR X
  return gpuopt_generator_permutation(generator_of(c), 0, c.array(1), out(c), &c.error);
}

}  // namespace

const std::map<std::string, Verb> &number_verbs() {
  static const std::map<std::string, Verb> verbs = {
      {"op", op},
      {"op_into", op_into},
      {"nan_to_num", nan_to_num},
      {"isclose", isclose},
      {"reduce", reduce},
      {"scan", scan},
      {"matmul", of_two<gpuopt_matmul>},
      {"dot", of_two<gpuopt_dot>},
      {"outer", of_two<gpuopt_outer>},
      {"vecdot", vecdot},
      {"tensordot", tensordot},
      {"vector_norm", vector_norm},
      {"matrix_norm", matrix_norm},
      {"norm", norm},
      {"random_state", random_state},
      {"random_state_array", random_state_array},
      {"rs_seed", rs_seed},
      {"rs_sample", rs_sample},
      {"rs_uniform", rs_uniform},
      {"rs_normal", rs_normal},
      {"rs_randint", rs_randint},
      {"rs_choice", rs_choice},
      {"rs_shuffle", rs_shuffle},
      {"rs_permutation", rs_permutation},
      {"rs_permuted", rs_permuted},
      {"generator", generator},
      {"gen_uniform", gen_uniform},
      {"gen_normal", gen_normal},
      {"gen_exponential", gen_exponential},
      {"gen_integers", gen_integers},
      {"gen_choice", gen_choice},
      {"gen_permutation", gen_permutation},
      {"gen_permuted", gen_permuted},
  };
  return verbs;
}

}  // namespace fuzz
