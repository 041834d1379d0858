// tools/npy_diff.cpp -- gpuopt npy diff: compares the arrays of two files.
#include <algorithm>
#include <cmath>

#include "tools/command.h"
#include "tools/devices.h"
#include "tools/npy_file.h"
#include "tools/output.h"

namespace gpuopt::tools {
namespace {

__extension__ typedef __int128 Wide;

// The options --rtol and --atol; `given` if there was any of them.
struct Tolerance {
  double relative, absolute;
  bool given;
};

std::string digits_of(Wide x) {
  std::string digits;
  for (; x > 0 || digits.empty(); x /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(x % 10)));
  return digits;
}

// The greatest |a - b| of all pairs of elements that are not NaN: an exact integer or a floating-point number.
class Greatest {
 public:
  void add(double distance) { real_ = std::fmax(real_, distance); }
  void add(Wide distance) { exact_ = std::max(exact_, distance); }
  bool is_zero() const { return exact_ == 0 || real_ == 0; }
  // Returns its digits or "inf"; "" if there was no such pair.
  std::string text() const {
    if (exact_ >= 0) return digits_of(exact_);
    return std::isinf(real_) ? "inf" : std::isnan(real_) ? "" : json_real(real_);
  }

 private:
  double real_ = std::nan("");
  Wide exact_ = -1;  // the difference of integers; -1 if there was none
};

// The result of comparing two arrays of the same name.
struct Comparison {
  std::string name;     // of the member; "" for .npy files
  std::string problem;  // why they cannot be compared element by element; "" if they can
  int64_t size = 0, different = 0;
  int64_t position = 0;        // of the first difference, in C order
  std::vector<int64_t> first;  // its index
  std::string a, b;            // the elements there
  Greatest greatest;
  bool same() const { return problem.empty() && different == 0; }
  // Counts `count` more differences, the first of which is at position `at`. Calls are in ascending order of positions.
  void add_different(int64_t at, int64_t count) {
    if (different == 0) position = at;
    different += count;
  }
};

std::string shape_of(const array &x) {
  std::string text = "(";
  for (const int64_t size : x.shape()) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + ")";
}

std::vector<int64_t> index_of(int64_t position, const array &x) {
  std::vector<int64_t> index(static_cast<size_t>(x.ndim()));
  for (int32_t axis = x.ndim() - 1; axis >= 0; --axis) {
    index[static_cast<size_t>(axis)] = position % x.shape()[axis];
    position /= x.shape()[axis];
  }
  return index;
}

std::string element(const array &flat, int64_t at) { return flat[at].str(); }

bool is_integer(const array &x) { return kind_of(x) == 'i' || kind_of(x) == 'u' || kind_of(x) == '?'; }

// ---- Integers, compared exactly in 128 bits, since no dtype can hold all int64 and uint64 and their differences

std::vector<Wide> wide(const array &x) {
  if (kind_of(x) == 'i') {
    const std::vector<int64_t> elements = x.astype(int64).to_vector<int64_t>();
    return {elements.begin(), elements.end()};
  }
  const std::vector<uint64_t> elements = x.astype(uint64).to_vector<uint64_t>();
  return {elements.begin(), elements.end()};
}

Wide magnitude(Wide x) { return x < 0 ? -x : x; }

// Returns whether x <= bound; neither is negative. A bound that is a NaN, infinity times 0, allows 0 only.
bool at_most(Wide x, double bound) {
  return bound >= 0x1p66 || x == 0 || (bound >= 0 && x <= static_cast<Wide>(bound));
}

// Compares a piece of integers; element 0 is at position `begin` of the whole array.
void compare_integers(const array &a, const array &b, const Tolerance &tolerance, int64_t begin, Comparison &result) {
  result.greatest.add(Wide{0});
  if (a.dtype() == b.dtype() && count_nonzero(not_equal(a, b)).item<int64_t>() == 0) return;
  const std::vector<Wide> as = wide(a), bs = wide(b);
  for (size_t i = 0; i < as.size(); ++i) {
    const Wide distance = magnitude(as[i] - bs[i]);
    result.greatest.add(distance);
    const double bound = tolerance.absolute + tolerance.relative * static_cast<double>(magnitude(bs[i]));
    if (!at_most(distance, bound)) result.add_different(begin + static_cast<int64_t>(i), 1);
  }
}

// ---- All other dtypes, compared in float64 or complex128

// Returns a mask of the elements that differ. NaNs equal each other, whatever their sign and payload, so that a file
// does not differ from itself. Without a tolerance, complex numbers are compared by components, since a NaN in one
// component would hide a difference in the other.
array differing(const array &a, const array &b, const Tolerance &tolerance) {
  if (tolerance.relative > 0 || tolerance.absolute > 0)
    return logical_not(isclose(a, b, tolerance.relative, tolerance.absolute, true));
  if (kind_of(a) == 'c') {
    return logical_or(differing(real(a), real(b), tolerance), differing(imag(a), imag(b), tolerance));
  }
  return logical_and(not_equal(a, b), logical_not(logical_and(isnan(a), isnan(b))));
}

// Returns |a - b|: 0 for equal infinities, infinity if only one is infinite or their signs differ, NaN if either is
// NaN.
array distance(const array &a, const array &b) {
  array d = where(equal(a, b), 0.0, abs(a - b));
  if (kind_of(a) != 'c') return d;
  // By components, since a component that is infinite in both, and so equal, would make |a - b| NaN.
  return hypot(distance(real(a), real(b)), distance(imag(a), imag(b)));
}

void compare_reals(const array &a, const array &b, const Tolerance &tolerance, int64_t begin, Comparison &result) {
  const array differ = differing(a, b, tolerance), count = count_nonzero(differ), at = argmax(differ.astype(uint8)),
              greatest = nanmax(distance(a, b));
  eval(count, at, greatest);
  result.add_different(begin + at.item<int64_t>(), count.item<int64_t>());
  result.greatest.add(greatest.item<double>());
}

// Compares a piece of two arrays, whose first element is at position `begin`.
void compare_piece(const array &a, const array &b, const Tolerance &tolerance, int64_t begin, Comparison &result) {
  if (is_integer(a) && is_integer(b)) return compare_integers(a, b, tolerance, begin, result);
  const dtype in = kind_of(a) == 'c' || kind_of(b) == 'c' ? complex128 : float64;
  compare_reals(a.astype(in), b.astype(in), tolerance, begin, result);
}

void compare_elements(const array &a, const array &b, const Tolerance &tolerance, Comparison &result) {
  const array flat_a = flattened(a, false), flat_b = flattened(b, false);
  result.size = a.size();
  each_piece(result.size, "comparing " + result.name, [&](int64_t begin, int64_t end) {
    compare_piece(piece(flat_a, begin, end), piece(flat_b, begin, end), tolerance, begin, result);
  });
  if (result.different == 0) return;
  result.first = index_of(result.position, a);
  result.a = element(flat_a, result.position);
  result.b = element(flat_b, result.position);
}

Comparison compare(const std::string &name, const array &a, const array &b, const Tolerance &tolerance) {
  Comparison result;
  result.name = name;
  if (!(a.shape() == b.shape())) {
    result.problem = "shapes " + shape_of(a) + " and " + shape_of(b);
  } else if (a.dtype() != b.dtype() && !tolerance.given) {
    result.problem = std::string("dtypes ") + gpuopt::name(a.dtype()) + " and " + gpuopt::name(b.dtype());
  } else {
    compare_elements(a, b, tolerance, result);
  }
  return result;
}

Comparison missing(const std::string &name, const NpyFile &from) {
  Comparison result;
  result.name = name;
  result.problem = "not in " + from.path();
  return result;
}

std::vector<Comparison> compare_files(const NpyFile &a, const NpyFile &b, const Tolerance &tolerance) {
  if (!a.is_archive() && !b.is_archive()) return {compare("", a.read(""), b.read(""), tolerance)};
  if (a.is_archive() != b.is_archive()) throw Failed("a .npz file can be compared with a .npz file only");
  std::vector<Comparison> results;
  for (const std::string &name : a.names()) {
    results.push_back(b.has(name) ? compare(name, a.read(name), b.read(name), tolerance) : missing(name, b));
  }
  for (const std::string &name : b.names()) {
    if (!a.has(name)) results.push_back(missing(name, a));
  }
  return results;
}

std::string text_of(const Comparison &c) {
  const std::string name = c.name.empty() ? "" : strong(c.name) + ": ";
  if (!c.problem.empty()) return name + bad("differ") + ": " + c.problem + "\n";
  if (c.same()) return name + good("the same") + ": " + std::to_string(c.size) + " elements\n";
  std::string index;
  for (const int64_t i : c.first) index += (index.empty() ? "" : ", ") + std::to_string(i);
  // If all numbers are equal, the elements that differ are NaN in one of the arrays.
  const std::string greatest = c.greatest.is_zero() ? "" : c.greatest.text();
  return name + bad("differ") + ": " + std::to_string(c.different) + " of " + std::to_string(c.size) +
         " elements, the first at [" + index + "]: " + c.a + " and " + c.b + "; greatest difference " +
         (greatest.empty() ? "not a number" : greatest) + "\n";
}

std::string greatest_json(const Greatest &greatest) {
  const std::string text = greatest.text();
  return text.empty() ? "null" : text == "inf" ? json::string(text) : text;
}

std::string json_of(const Comparison &c) {
  std::vector<std::string> index;
  for (const int64_t i : c.first) index.push_back(json::number(i));
  return json::object({{"name", c.name.empty() ? "null" : json::string(c.name)},
                       {"same", json::boolean(c.same())},
                       {"problem", json::string(c.problem)},
                       {"size", json::number(c.size)},
                       {"different", json::number(c.different)},
                       {"greatest", greatest_json(c.greatest)},
                       {"first", json::array(index)},
                       {"a", json::string(c.a)},
                       {"b", json::string(c.b)}});
}

int diff(const Arguments &arguments) {
  const Tolerance tolerance = {arguments.tolerance("--rtol", 0), arguments.tolerance("--atol", 0),
                               arguments.has("--rtol") || arguments.has("--atol")};
  const device cpu("cpu!");
  const NpyFile a(arguments.words[0], cpu), b(arguments.words[1], cpu);
  const std::vector<Comparison> results = compare_files(a, b, tolerance);
  const bool same = std::all_of(results.begin(), results.end(), [](const Comparison &c) { return c.same(); });
  std::string text;
  std::vector<std::string> list;
  for (const Comparison &result : results) {
    text += text_of(result);
    list.push_back(json_of(result));
  }
  print(arguments.json() ? json::object({{"same", json::boolean(same)}, {"members", json::array(list)}}) + "\n" : text);
  return same ? kFine : kFound;
}

}  // namespace

const Command kNpyDiff = {
    "npy diff",
    "A B",
    2,
    2,
    "do two files hold the same numbers; exit status 1 if they differ",
    "Dtypes count as a difference unless a tolerance is given; NaN is the same as NaN. Elements are the same where\n"
    "|a - b| <= atol + rtol * |b|; integers are compared exactly, everything else in float64 or complex128.\n"
    "JSON keys: same, members [{name, same, problem, size, different, greatest, first, a, b}]; the greatest |a - b|\n"
    "is a number, the string \"inf\" where one is infinite or both are with different signs, null if none is a "
    "number.\n",
    {kJson, {"--rtol", "X", "relative tolerance, default 0"}, {"--atol", "X", "absolute tolerance, default 0"}},
    diff};

}  // namespace gpuopt::tools
