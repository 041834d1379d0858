// tests/conformance/operation_values.cpp -- prints what tests/oracle.def gives for every operation at a few arguments.
//
// abi/generate.py compiles and runs it, and writes the result for the tests of the bindings: to them it is a table of
// numbers that does not come from the library. Lines are "argument NAME DTYPE VALUE..." and
// "operation NAME DTYPE exact|near ARGUMENT... = VALUE...".
#include <algorithm>
#include <array>
#include <cfloat>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/conformance/oracle.h"

namespace {

using namespace oracle;

struct Argument {
  const char *name;
  std::vector<double> values;
};
// Operations that have no loop for real numbers take the integers. One with a condition takes the third argument first.
const std::array<Argument, 3> kReals = {{{"x", {-2.5, -0.75, 0, 0.3, 0.9, 1.5, 2.5, 30, NAN, -INFINITY}},
                                         {"y", {2, 2.5, -3, 0.3, -0.5, 1.5, 7, -4, 1, 2}},
                                         {"z", {0, 1, 2, 0, -1, 0.5, 0, 3, 1, 0}}}};
const std::array<Argument, 3> kIntegers = {
    {{"m", {0, 1, -5, 12, 7, -64, 0}}, {"n", {3, 0, 2, 5, 7, 1, 0}}, {"k", {1, 0, 2, 0, -1, 3, 1}}}};

double as_double(bool x) { return x; }
double as_double(int x) { return x; }
double as_double(Real x) { return static_cast<double>(x); }
double as_double(Wide x) { return static_cast<double>(static_cast<int64_t>(x.v)); }

constexpr bool has(const char *kinds, char kind) {
  for (; *kinds; ++kinds) {
    if (*kinds == kind) return true;
  }
  return false;
}

enum class Result { SAME, BOOL, REAL, LOGICAL, SELECT };

void print(const std::vector<double> &values) {
  for (const double value : values) {
    if (std::isnan(value)) {
      std::printf(" nan");
    } else {
      std::printf(" %a", value);
    }
  }
  std::printf("\n");
}

template <int kOp, class T>
void print_row(const char *name, int count, bool selects, const char *dtype, const std::array<Argument, 3> &arguments) {
  const std::array<size_t, 3> order = selects ? std::array<size_t, 3>{2, 0, 1} : std::array<size_t, 3>{0, 1, 2};
  std::printf("operation %s %s %s", name, dtype, Reference<kOp>::ulp64 == EXACT ? "exact" : "near");
  for (int i = 0; i < count; ++i) std::printf(" %s", arguments[order[size_t(i)]].name);
  std::printf(" =");
  Format format;
  format.largest = DBL_MAX;
  std::vector<double> results;
  for (size_t i = 0; i < arguments[0].values.size(); ++i) {
    const auto at = [&](size_t k) {
      const double value = arguments[order[k]].values[i];
      if constexpr (std::is_same_v<T, Wide>) return Wide(static_cast<__int128>(value));
      return static_cast<T>(value);
    };
    results.push_back(as_double(Reference<kOp>::template value<T>(at(0), at(1), at(2), format)));
  }
  print(results);
}

template <int kOp, class Kinds>
void row(const char *name, int count, Result result) {
  constexpr const char *kinds = Kinds::value;
  const bool is_bool = result == Result::BOOL || result == Result::LOGICAL, selects = result == Result::SELECT;
  if constexpr (has(kinds, 'f')) {
    print_row<kOp, Real>(name, count, selects, is_bool ? "bool" : "float64", kReals);
  } else if constexpr (has(kinds, 'i')) {
    print_row<kOp, Wide>(name, count, selects, is_bool ? "bool" : "int64", kIntegers);
  } else {
    print_row<kOp, bool>(name, count, selects, "bool", kIntegers);
  }
}

#define GPUOPT_OP(name, nin, kinds, result, doc) \
  struct Kinds_##name {                          \
    static constexpr const char *value = kinds;  \
  };
#include <gpuopt/ops.def>

void print_arguments(const char *dtype, const std::array<Argument, 3> &arguments) {
  for (const Argument &argument : arguments) {
    std::printf("argument %s %s", argument.name, dtype);
    print(argument.values);
  }
}

}  // namespace

int main() {
  print_arguments("float64", kReals);
  print_arguments("int64", kIntegers);
#define GPUOPT_OP(name, nin, kinds, result, doc) row<GPUOPT_OP_##name, Kinds_##name>(#name, nin, Result::result);
#include <gpuopt/ops.def>
  return 0;
}
