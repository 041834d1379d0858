// core/tools/npy_diff.cpp -- gpuopt npy diff: do two files hold the same numbers?
#include <algorithm>
#include <cmath>

#include "command.h"
#include "devices.h"
#include "npy_file.h"
#include "output.h"

namespace gpuopt::tools {
namespace {

// What two arrays of one name have to do with each other.
struct Comparison {
  std::string name;     // of the member, "" for .npy files
  std::string problem;  // why they cannot be compared element by element; "" if they can
  int64_t size = 0, different = 0;
  double greatest = std::nan("");  // |a - b| where both are numbers; NaN if there is no such place
  std::vector<int64_t> first;      // the index of the first difference
  std::string a, b;                // the elements there
  bool same() const { return problem.empty() && different == 0; }
};

struct Tolerance {
  double relative, absolute;
  bool given;
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

// Where they differ. NaN is the same as NaN: a file does not differ from itself.
array differing(const array &a, const array &b, const Tolerance &tolerance) {
  if (tolerance.relative > 0 || tolerance.absolute > 0)
    return logical_not(isclose(a, b, tolerance.relative, tolerance.absolute, true));
  return logical_and(not_equal(a, b), logical_not(logical_and(isnan(a), isnan(b))));
}

// |a - b| in the widest dtype, so that neither unsigned numbers nor the greatest ones wrap.
array distance(const array &a, const array &b) {
  const bool complex = gpuopt_dtype_kind(raw(a.dtype())) == 'c' || gpuopt_dtype_kind(raw(b.dtype())) == 'c';
  const dtype wide = complex ? complex128 : float64;
  const array d = abs(a.astype(wide) - b.astype(wide));
  return where(isfinite(d), d, std::nan(""));
}

// One piece more, whose first element is number `begin`; the first difference of all goes into `first`.
void compare_piece(const array &a, const array &b, const Tolerance &tolerance, int64_t begin, Comparison &result,
                   int64_t &first) {
  const array differ = differing(a, b, tolerance), count = count_nonzero(differ), at = argmax(differ.astype(uint8)),
              greatest = nanmax(distance(a, b));
  eval(count, at, greatest);
  if (result.different == 0) first = begin + at.item<int64_t>();
  result.different += count.item<int64_t>();
  result.greatest = std::fmax(result.greatest, greatest.item<double>());
}

void compare_elements(const array &a, const array &b, const Tolerance &tolerance, Comparison &result) {
  const array flat_a = flattened(a, false), flat_b = flattened(b, false);
  int64_t first = 0;
  result.size = a.size();
  each_piece(result.size, "comparing " + result.name, [&](int64_t begin, int64_t end) {
    compare_piece(piece(flat_a, begin, end), piece(flat_b, begin, end), tolerance, begin, result, first);
  });
  if (result.different == 0) return;
  result.first = index_of(first, a);
  result.a = element(flat_a, first);
  result.b = element(flat_b, first);
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
  return name + bad("differ") + ": " + std::to_string(c.different) + " of " + std::to_string(c.size) +
         " elements, the first at [" + index + "]: " + c.a + " and " + c.b + "; greatest difference " +
         (std::isnan(c.greatest) ? "not a number" : json_real(c.greatest)) + "\n";
}

std::string json_of(const Comparison &c) {
  std::vector<std::string> index;
  for (const int64_t i : c.first) index.push_back(json::number(i));
  return json::object({{"name", c.name.empty() ? "null" : json::string(c.name)},
                       {"same", json::boolean(c.same())},
                       {"problem", json::string(c.problem)},
                       {"size", json::number(c.size)},
                       {"different", json::number(c.different)},
                       {"greatest", json_real(c.greatest)},
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
    "|a - b| <= atol + rtol * |b|. JSON keys: same, members [{name, same, problem, size, different, greatest, first,\n"
    "a, b}].\n",
    {{"--json", nullptr, "print one JSON object"},
     {"--rtol", "X", "relative tolerance, default 0"},
     {"--atol", "X", "absolute tolerance, default 0"}},
    diff};

}  // namespace gpuopt::tools
