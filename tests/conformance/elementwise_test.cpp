// tests/conformance/elementwise_test.cpp -- every row of ops.def x dtype x layout, against tests/oracle.def.
//
// After a failure the rest is computed and not compared.
#include <functional>

#include "tests/conformance/harness.h"

namespace {

using namespace oracle;
using harness::Handle;
using harness::Operand;

// What a row of ops.def says, and its reference, for one dtype kind.
struct Expected {
  bool is_bool = false;
  Element value;
};
struct Row {
  gpuopt_op op;
  const char *name;
  int nin;
  std::string kinds, result;
  double ulp32, ulp64;
  std::function<Expected(char kind, const Element *in, const Format &)> reference;
};

Expected answer(bool b) {
  Expected x;
  x.is_bool = true;
  x.value.b = b;
  x.value.w = b;
  x.value.r = b;
  return x;
}
Expected answer(int b) { return answer(b != 0); }  // bitwise operators on bool give int
Expected answer(Wide w) {
  Expected x;
  x.value.w = w;
  return x;
}
Expected answer(Real r) {
  Expected x;
  x.value.r = r;
  return x;
}
Expected answer(Complex c) {
  Expected x;
  x.value.c = c;
  return x;
}

constexpr bool has(const char *kinds, char kind) {
  for (; *kinds; ++kinds)
    if (*kinds == kind) return true;
  return false;
}

// Only the kinds of the row are instantiated, so that an expression need not make sense for others.
template <int Op, class Kinds>
Expected refer(char kind, const Element *in, const Format &f) {
  constexpr const char *kinds = Kinds::value;
  if constexpr (has(kinds, '?'))
    if (kind == '?') return answer(Reference<Op>::template value<bool>(in[0].b, in[1].b, in[2].b, f));
  if constexpr (has(kinds, 'i'))
    if (kind == 'i') return answer(Reference<Op>::template value<Wide>(in[0].w, in[1].w, in[2].w, f));
  if constexpr (has(kinds, 'u'))
    if (kind == 'u') return answer(Reference<Op>::template value<Wide>(in[0].w, in[1].w, in[2].w, f));
  if constexpr (has(kinds, 'f'))
    if (kind == 'f') return answer(Reference<Op>::template value<Real>(in[0].r, in[1].r, in[2].r, f));
  if constexpr (has(kinds, 'c'))
    if (kind == 'c') return answer(Reference<Op>::template value<Complex>(in[0].c, in[1].c, in[2].c, f));
  ADD_FAILURE() << "no reference for kind " << kind;
  return {};
}

#define GPUOPT_OP(name, nin, kinds, result, doc) \
  struct Kinds_##name {                          \
    static constexpr const char *value = kinds;  \
  };
#include <gpuopt/ops.def>

const std::vector<Row> &rows() {
  static const std::vector<Row> all = {
#define GPUOPT_OP(name, nin, kinds, result, doc) \
  {GPUOPT_OP_##name,                             \
   #name,                                        \
   nin,                                          \
   kinds,                                        \
   #result,                                      \
   Reference<GPUOPT_OP_##name>::ulp32,           \
   Reference<GPUOPT_OP_##name>::ulp64,           \
   refer<GPUOPT_OP_##name, Kinds_##name>},
#include <gpuopt/ops.def>
  };
  return all;
}

// The dtype of the loop an input dtype leads to, or 0 where ops.def says it is a type error.
gpuopt_dtype loop_dtype(const Row &row, gpuopt_dtype id) {
  const Dtype &d = dtype(id);
  if (row.result == "LOGICAL") return GPUOPT_BOOL;
  if (row.kinds.find(d.kind) != std::string::npos) return id;
  if (d.kind != 'c' && d.kind != 'f' && row.kinds.find('f') != std::string::npos) {
    return GPUOPT_FLOAT64;
  }
  return 0;
}

gpuopt_dtype result_dtype(const Row &row, gpuopt_dtype loop) {
  if (row.result == "BOOL" || row.result == "LOGICAL") return GPUOPT_BOOL;
  if (row.result == "REAL" && loop == GPUOPT_COMPLEX64) return GPUOPT_FLOAT32;
  if (row.result == "REAL" && loop == GPUOPT_COMPLEX128) return GPUOPT_FLOAT64;
  return loop;
}

// An input element as the loop sees it.
Element converted(const Element &e, gpuopt_dtype from, gpuopt_dtype to) {
  Element out = e;
  const char source = dtype(from).kind, target = dtype(to).kind;
  if (target == '?' && source != '?')
    out.b = source == 'f'   ? e.r != 0 || std::isnan(e.r)
            : source == 'c' ? e.c != Complex(0) || std::isnan(e.c.real()) || std::isnan(e.c.imag())
                            : e.w.v != 0;
  if (target == 'f' && source != 'f') out.r = double(e.w.v);
  return out;
}

// The same bits, every NaN counted as one: its sign and payload are free.
bool same_bits(gpuopt_dtype id, Element a, Element b) {
  const auto canonical = [](Real x) { return std::isnan(x) ? std::numeric_limits<Real>::quiet_NaN() : x; };
  char bytes[2][16] = {};
  for (int k = 0; k < 2; ++k) {
    Element &e = k ? b : a;
    e.r = canonical(e.r);
    e.c = {canonical(e.c.real()), canonical(e.c.imag())};
    encode(id, e, bytes[k]);
  }
  return std::memcmp(bytes[0], bytes[1], 16) == 0;
}

// The allowance for a result dtype: 16-bit floats are computed in float32 and rounded once more.
double allowance(const Row &row, gpuopt_dtype loop) {
  switch (loop) {
    case GPUOPT_FLOAT16:
    case GPUOPT_BFLOAT16:
      return 0.52;
    case GPUOPT_FLOAT32:
      return row.ulp32 + 0.001;
    case GPUOPT_COMPLEX64:
    case GPUOPT_COMPLEX128:
      return 8;
    default:
      return row.ulp64 + 0.001;
  }
}

std::string describe(const Element &e, char kind) {
  char text[96];
  if (kind == 'c')
    std::snprintf(text, sizeof text, "(%La,%La)", e.c.real(), e.c.imag());
  else if (kind == 'f')
    std::snprintf(text, sizeof text, "%La=%.20Lg", e.r, e.r);
  else
    std::snprintf(text, sizeof text, "%lld", (long long)e.w.v);
  return text;
}

// Norm-wise; a component beyond the format's range must have overflowed to infinity.
bool complex_close(Complex got, Complex exact, double ulps, const Format &f) {
  if (!std::isfinite(exact.real()) || !std::isfinite(exact.imag()))
    return true;  // special values are the scalar tests' business
  Real norm = std::hypot(exact.real(), exact.imag());
  if (norm > f.largest / 2) return std::isinf(got.real()) || std::isinf(got.imag()) || norm <= f.largest * 2;
  return std::hypot(got.real() - exact.real(), got.imag() - exact.imag()) <= ulps * unit_in_last_place(norm, f);
}

void expect_result(const Row &row, gpuopt_dtype loop, gpuopt_dtype result, const Element *in, const Element &got,
                   const std::string &where) {
  const Format f = format_of(loop);
  const char kind = dtype(loop).kind, out = dtype(result).kind;
  const Expected exact = row.reference(kind, in, f);
  bool good = false;
  switch (out) {
    case '?':
      good = got.b == exact.value.b;
      break;
    case 'i':
    case 'u':
      good = got.w == wrapped(exact.value.w, result);
      break;
    case 'f':
      good = close(got.r, exact.value.r, allowance(row, loop), format_of(result));
      break;
    case 'c':
      good = complex_close(got.c, exact.value.c, allowance(row, loop), f);
      break;
  }
  if (good) return;
  std::string inputs;
  for (int i = 0; i < row.nin; ++i) inputs += " " + describe(in[i], i == 0 && row.result == "SELECT" ? '?' : kind);
  ADD_FAILURE() << row.name << " " << dtype(loop).name << " " << where << ":" << inputs << " gave "
                << describe(got, out) << ", exactly " << describe(exact.value, out);
}

// Argument lists: all pairs of special values for two inputs, every special for one, then random ones; padded to rows
// of 16.
std::vector<std::vector<Element>> arguments(const Row &row, gpuopt_dtype id, int &rows_out) {
  std::mt19937_64 rng(uint64_t(row.op * 100 + id));
  std::vector<Element> special = special_elements(id);
  std::vector<std::vector<Element>> lists(size_t(row.nin));
  auto push = [&](Element a, Element b, Element c) {
    const Element all[3] = {a, b, c};
    for (int i = 0; i < row.nin; ++i) lists[size_t(i)].push_back(all[i]);
  };
  for (const Element &a : special) {
    if (row.nin == 1)
      push(a, a, a);
    else
      for (const Element &b : special) push(a, b, special[rng() % special.size()]);
  }
  while (lists[0].size() % 16 || lists[0].size() < 400)
    push(random_element(id, rng), random_element(id, rng), random_element(id, rng));
  rows_out = int(lists[0].size() / 16);
  return lists;
}

class Elementwise : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(Elementwise, EveryLayoutAgreesWithTheOracle) {
  const Row &row = rows()[size_t(std::get<0>(GetParam()))];
  const gpuopt_dtype id = dtypes()[size_t(std::get<1>(GetParam()))].id;
  const gpuopt_dtype loop = loop_dtype(row, id);
  int n = 0;
  auto lists = arguments(row, id, n);
  if (loop == 0) {
    Operand x = harness::make_operand(id, lists[0], n, 16, harness::CONTIGUOUS);
    std::vector<gpuopt_array> inputs(size_t(row.nin), x.array.a);
    gpuopt_error error = GPUOPT_ERROR_INIT;
    gpuopt_array result = x.array.a;
    EXPECT_EQ(gpuopt_apply(row.op, row.nin, inputs.data(), nullptr, &result, &error), GPUOPT_ERR_TYPE);
    EXPECT_EQ(result, nullptr);
    EXPECT_NE(std::string(error.message).find(row.name), std::string::npos) << error.message;
    EXPECT_NE(std::string(error.message).find(dtype(id).name), std::string::npos) << error.message;
    return;
  }
  for (int layout = 0; layout < harness::LAYOUTS; ++layout) {
    std::vector<Operand> operands;
    std::vector<gpuopt_array> inputs;
    // Inputs in different layouts together: the first as named, the others turned by one.
    for (int i = 0; i < row.nin; ++i)
      operands.push_back(harness::make_operand(id, lists[size_t(i)], n, 16, (layout + i) % harness::LAYOUTS));
    for (Operand &o : operands) inputs.push_back(o.array);
    Handle result;
    ASSERT_GPUOPT_OK(gpuopt_apply(row.op, row.nin, inputs.data(), nullptr, result.out(), error));
    const gpuopt_dtype out = result_dtype(row, loop);
    ASSERT_EQ(gpuopt_array_dtype(result), out) << row.name << " of " << dtype(id).name;
    const std::vector<Element> got = harness::contents(result);
    ASSERT_EQ(got.size(), operands[0].elements.size());
    for (size_t i = 0; i < got.size() && !testing::Test::HasFailure(); ++i) {
      Element in[3];
      for (int k = 0; k < row.nin; ++k) {
        const gpuopt_dtype to = row.result == "SELECT" && k == 0 ? GPUOPT_BOOL : loop;
        in[k] = converted(operands[size_t(k)].elements[i], id, to);
        if (row.result == "SELECT" && k == 0) in[k].w = in[k].b, in[k].r = in[k].b, in[k].c = in[k].b;
      }
      expect_result(row, loop, out, in, got[i], harness::layout_name(layout));
    }
    // In place gives the same bits.
    if (out == id && (layout == harness::CONTIGUOUS || layout == harness::REVERSED)) {
      Handle fresh = std::move(result), target;
      ASSERT_GPUOPT_OK(gpuopt_eval(1, &fresh.a, error));
      ASSERT_GPUOPT_OK(gpuopt_apply(row.op, row.nin, inputs.data(), inputs[0], nullptr, error));
      const std::vector<Element> in_place = harness::contents(inputs[0]), expected = harness::contents(fresh);
      for (size_t i = 0; i < expected.size() && !testing::Test::HasFailure(); ++i) {
        EXPECT_TRUE(same_bits(out, in_place[i], expected[i]))
            << row.name << " " << dtype(id).name << " in place, element " << i;
      }
    }
  }
}

TEST_P(Elementwise, ZeroDimensionsAndNoElements) {
  const Row &row = rows()[size_t(std::get<0>(GetParam()))];
  const gpuopt_dtype id = dtypes()[size_t(std::get<1>(GetParam()))].id;
  const gpuopt_dtype loop = loop_dtype(row, id);
  if (loop == 0) return;  // the type error is the other test's
  char one[16] = {};
  Element e = special_elements(id).at(1);
  encode(id, e, one);
  Handle scalar, empty, result;
  const int64_t shape[3] = {2, 0, 3};
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), one, id, 0, nullptr, scalar.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_empty(harness::device(), id, 3, shape, empty.out(), error));
  std::vector<gpuopt_array> inputs(size_t(row.nin), scalar.a);
  ASSERT_GPUOPT_OK(gpuopt_apply(row.op, row.nin, inputs.data(), nullptr, result.out(), error));
  ASSERT_EQ(gpuopt_array_ndim(result), 0);
  Element in[3];
  for (int k = 0; k < row.nin; ++k) {
    in[k] = converted(e, id, row.result == "SELECT" && k == 0 ? GPUOPT_BOOL : loop);
    if (row.result == "SELECT" && k == 0) in[k].w = in[k].b, in[k].r = in[k].b, in[k].c = in[k].b;
  }
  expect_result(row, loop, result_dtype(row, loop), in, harness::contents(result).at(0), "0-d");
  inputs[0] = empty;
  ASSERT_GPUOPT_OK(gpuopt_apply(row.op, row.nin, inputs.data(), nullptr, result.out(), error));
  EXPECT_EQ(gpuopt_array_size(result), 0);
  EXPECT_EQ(gpuopt_array_ndim(result), 3);
  EXPECT_TRUE(harness::contents(result).empty());
}

std::string case_name(const testing::TestParamInfo<std::tuple<int, int>> &info) {
  return std::string(rows()[size_t(std::get<0>(info.param))].name) + "_" +
         dtypes()[size_t(std::get<1>(info.param))].name;
}
INSTANTIATE_TEST_SUITE_P(Ops, Elementwise, testing::ValuesIn(harness::pairs_with_dtypes(int(GPUOPT_OP_COUNT))),
                         case_name);

}  // namespace
