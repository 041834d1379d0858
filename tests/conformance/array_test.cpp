// tests/conformance/array_test.cpp -- casts, creation, views, selection and products through the C ABI against plain
// host code.
#include <algorithm>
#include <functional>

#include "tests/conformance/harness.h"

namespace {

using namespace oracle;
using harness::Handle;
using harness::Operand;

// ---- casts
// --------------------------------------------------------------------------------------------------------------

// gpuopt_astype's rules, in wide arithmetic.
Wide saturated(Real r, gpuopt_dtype to) {
  const Format f = format_of(to);
  if (std::isnan(r)) return 0;
  const Real top = std::ldexp(Real(1), f.bits - f.is_signed), bottom = f.is_signed ? -top : 0;
  if (r >= top) return wrapped(Wide((__int128(1) << (f.bits - f.is_signed)) - 1), to);
  if (r <= bottom) return f.is_signed ? Wide(-(__int128(1) << (f.bits - 1))) : Wide(0);
  return Wide(__int128(std::trunc(r)));
}

Element cast(const Element &e, gpuopt_dtype from, gpuopt_dtype to) {
  const char source = dtype(from).kind, target = dtype(to).kind;
  const Real real = source == 'f' ? e.r : source == 'c' ? e.c.real() : Real(e.w.v);
  Element out;
  if (target == '?')
    out.b = source == 'c'   ? e.c.real() != 0 || e.c.imag() != 0 || std::isnan(e.c.real()) || std::isnan(e.c.imag())
            : source == 'f' ? real != 0 || std::isnan(real)
                            : e.w.v != 0;
  if (target == 'i' || target == 'u') out.w = source == 'f' || source == 'c' ? saturated(real, to) : wrapped(e.w, to);
  if (target == 'f') out.r = real;
  if (target == 'c') out.c = {real, source == 'c' ? e.c.imag() : Real(0)};
  char bytes[16] = {};
  encode(to, out, bytes);
  return decode(to, bytes);
}

bool same(const Element &a, const Element &b, gpuopt_dtype id) {
  auto equal = [](Real x, Real y) {
    return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
  };
  switch (dtype(id).kind) {
    case '?':
      return a.b == b.b;
    case 'f':
      return equal(a.r, b.r);
    case 'c':
      return equal(a.c.real(), b.c.real()) && equal(a.c.imag(), b.c.imag());
    default:
      return a.w == b.w;
  }
}

// The first wrong element fails the test, which goes on with the next pair: a run that only finds out which kernels the
// test wants (tests/fake_cuda/ahead.cmake) has wrong ones everywhere.
void expect_cast(const Dtype &from, const std::vector<Element> &x, const Dtype &to, int layout) {
  Operand operand = harness::make_operand(from.id, x, int64_t(x.size() / 16), 16, layout);
  Handle result;
  ASSERT_GPUOPT_OK(gpuopt_astype(operand.array, to.id, GPUOPT_COPY_ALWAYS, result.out(), error));
  ASSERT_EQ(gpuopt_array_dtype(result), to.id);
  const std::vector<Element> got = harness::contents(result);
  ASSERT_EQ(got.size(), operand.elements.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const Element &given = operand.elements[i], want = cast(given, from.id, to.id);
    ASSERT_TRUE(same(got[i], want, to.id))
        << from.name << " to " << to.name << " " << harness::layout_name(layout) << " element " << i << ": "
        << (double)given.r << "/" << (long long)given.w.v << " gave " << (double)got[i].r << "/"
        << (long long)got[i].w.v << ", not " << (double)want.r << "/" << (long long)want.w.v;
  }
}

TEST(Casts, EveryPairOfDtypesInEveryLayout) {
  std::mt19937_64 rng(5);
  for (const Dtype &from : dtypes()) {
    std::vector<Element> x = special_elements(from.id);
    while (x.size() % 16 || x.size() < 160) x.push_back(random_element(from.id, rng));
    for (const Dtype &to : dtypes())
      for (int layout = 0; layout < harness::LAYOUTS; ++layout) expect_cast(from, x, to, layout);
  }
}

// ---- creation
// -----------------------------------------------------------------------------------------------------------

std::vector<double> numbers(gpuopt_array x) {
  std::vector<double> out;
  const char kind = dtype(gpuopt_array_dtype(x)).kind;
  for (const Element &e : harness::contents(x))
    out.push_back(kind == 'f' ? double(e.r) : kind == '?' ? e.b : kind == 'c' ? double(e.c.real()) : double(e.w.v));
  return out;
}
using Numbers = std::vector<double>;

TEST(Creation, FilledArraysOfEveryDtype) {
  const int64_t shape[2] = {3, 5};
  for (const Dtype &d : dtypes()) {
    Handle x, like;
    ASSERT_GPUOPT_OK(gpuopt_zeros(harness::device(), d.id, 2, shape, x.out(), error));
    EXPECT_EQ(numbers(x), Numbers(15, 0.0));
    ASSERT_GPUOPT_OK(gpuopt_ones(harness::device(), d.id, 2, shape, x.out(), error));
    EXPECT_EQ(numbers(x), Numbers(15, 1.0));
    ASSERT_GPUOPT_OK(gpuopt_full(harness::device(), d.id, 2, shape, gpuopt_scalar_int(1), x.out(), error));
    EXPECT_EQ(numbers(x), Numbers(15, 1.0)) << d.name;
    ASSERT_GPUOPT_OK(gpuopt_zeros_like(x, 0, like.out(), error));
    EXPECT_EQ(gpuopt_array_dtype(like), d.id);
    EXPECT_EQ(numbers(like), Numbers(15, 0.0));
  }
}

TEST(Creation, RangesAndSpaces) {
  Handle x;
  ASSERT_GPUOPT_OK(gpuopt_arange(harness::device(), 0, gpuopt_scalar_int(2), gpuopt_scalar_int(11),
                                 gpuopt_scalar_int(3), x.out(), error));
  EXPECT_EQ(gpuopt_array_dtype(x), GPUOPT_INT64);
  EXPECT_EQ(numbers(x), (Numbers{2, 5, 8}));
  ASSERT_GPUOPT_OK(gpuopt_arange(harness::device(), 0, gpuopt_scalar_real(1), gpuopt_scalar_real(-0.1),
                                 gpuopt_scalar_real(-0.25), x.out(), error));
  EXPECT_EQ(gpuopt_array_dtype(x), GPUOPT_FLOAT64);
  EXPECT_EQ(numbers(x), (Numbers{1, 0.75, 0.5, 0.25, 0}));
  ASSERT_GPUOPT_OK(gpuopt_arange(harness::device(), GPUOPT_FLOAT32, gpuopt_scalar_int(5), gpuopt_scalar_int(5),
                                 gpuopt_scalar_int(1), x.out(), error));
  EXPECT_EQ(gpuopt_array_size(x), 0);
  gpuopt_error bad = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_arange(harness::device(), 0, gpuopt_scalar_int(0), gpuopt_scalar_int(5), gpuopt_scalar_int(0),
                          x.out(), &bad),
            GPUOPT_ERR_INVALID_ARGUMENT);
  ASSERT_GPUOPT_OK(gpuopt_linspace(harness::device(), 0, 0, 1, 5, 1, x.out(), error));
  EXPECT_EQ(numbers(x), (Numbers{0, 0.25, 0.5, 0.75, 1}));
  for (const int endpoint : {0, 1}) {
    ASSERT_GPUOPT_OK(gpuopt_linspace(harness::device(), 0, 2, 2, 1, endpoint, x.out(), error));
    EXPECT_EQ(numbers(x), (Numbers{2}));
  }
  ASSERT_GPUOPT_OK(gpuopt_linspace(harness::device(), 0, 0, 1, 4, 0, x.out(), error));
  EXPECT_EQ(numbers(x), (Numbers{0, 0.25, 0.5, 0.75}));
  ASSERT_GPUOPT_OK(gpuopt_linspace(harness::device(), 0, 0.1, 0.3, 1000003, 1, x.out(), error));
  EXPECT_EQ(numbers(x).back(), 0.3);
}

TEST(Creation, Triangles) {
  Handle x, t;
  ASSERT_GPUOPT_OK(gpuopt_eye(harness::device(), GPUOPT_INT32, 2, 3, 1, x.out(), error));
  EXPECT_EQ(numbers(x), (Numbers{0, 1, 0, 0, 0, 1}));
  ASSERT_GPUOPT_OK(gpuopt_tri(harness::device(), GPUOPT_INT32, 3, 3, -1, x.out(), error));
  EXPECT_EQ(numbers(x), (Numbers{0, 0, 0, 1, 0, 0, 1, 1, 0}));
  const double a[6] = {1, 2, 3, 4, NAN, 6};
  const int64_t shape[2] = {2, 3};
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), a, GPUOPT_FLOAT64, 2, shape, x.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_tril(x, -1, t.out(), error));
  EXPECT_EQ(numbers(t), (Numbers{0, 0, 0, 4, 0, 0}));
  ASSERT_GPUOPT_OK(gpuopt_triu(x, 1, t.out(), error));
  EXPECT_EQ(numbers(t), (Numbers{0, 2, 3, 0, 0, 6}));
}

TEST(Creation, BadShapesAreErrors) {
  Handle x;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const int64_t negative[2] = {3, -1}, huge[3] = {int64_t(1) << 40, int64_t(1) << 40, 8}, many[65] = {};
  EXPECT_EQ(gpuopt_zeros(harness::device(), 0, 2, negative, x.out(), &error), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(gpuopt_zeros(harness::device(), 0, 3, huge, x.out(), &error), GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(gpuopt_zeros(harness::device(), 0, 65, many, x.out(), &error), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(gpuopt_zeros(harness::device(), 99, 1, negative, x.out(), &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_full(harness::device(), GPUOPT_INT8, 0, nullptr, gpuopt_scalar_int(300), x.out(), &error),
            GPUOPT_ERR_OVERFLOW);
}

// ---- views
// --------------------------------------------------------------------------------------------------------------

// A model of a view: a shape and, for each element in C order, its place in the base.
struct Model {
  std::vector<int64_t> shape, places;
};

std::vector<int64_t> unravel(int64_t flat, const std::vector<int64_t> &shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t k = shape.size(); k-- > 0;) index[k] = flat % shape[k], flat /= shape[k];
  return index;
}
int64_t product_of(const std::vector<int64_t> &shape) {
  int64_t n = 1;
  for (int64_t s : shape) n *= s;
  return n;
}

// The model of a view whose element at `index` is the model's element at `source(index)`.
Model remapped(const Model &m, std::vector<int64_t> shape,
               const std::function<std::vector<int64_t>(std::vector<int64_t>)> &source) {
  Model out{shape, {}};
  for (int64_t i = 0; i < product_of(shape); ++i) {
    const std::vector<int64_t> at = source(unravel(i, shape));
    int64_t flat = 0;
    for (size_t k = 0; k < at.size(); ++k) flat = flat * m.shape[k] + at[k];
    out.places.push_back(m.places[size_t(flat)]);
  }
  return out;
}

// Python's slice(start, stop, step).indices(n), bounds given or left out.
std::vector<int64_t> slice_indices(int64_t n, int64_t start, int64_t stop, int64_t step) {
  auto clamp = [&](int64_t v, int64_t low, int64_t high) {
    if (v < 0) v += n;
    return v < low ? low : v > high ? high : v;
  };
  int64_t first, last;
  if (step > 0) {
    first = start == GPUOPT_SLICE_ALL ? 0 : clamp(start, 0, n);
    last = stop == GPUOPT_SLICE_ALL ? n : clamp(stop, 0, n);
  } else {
    first = start == GPUOPT_SLICE_ALL ? n - 1 : clamp(start, -1, n - 1);
    last = stop == GPUOPT_SLICE_ALL ? -1 : clamp(stop, -1, n - 1);
  }
  std::vector<int64_t> out;
  for (int64_t i = first; step > 0 ? i < last : i > last; i += step) out.push_back(i);
  return out;
}

class RandomViews {
 public:
  explicit RandomViews(uint64_t seed) : rng_(seed) {}

  // Applies one random view to array and model.
  void step(Handle &x, Model &m) {
    switch (rng_() % 6) {
      case 0:
        return slice(x, m);
      case 1:
        return permute(x, m);
      case 2:
        return flip(x, m);
      case 3:
        return expand(x, m);
      case 4:
        return squeeze(x, m);
      default:
        return reshape(x, m);
    }
  }

 private:
  int64_t pick(int64_t low, int64_t high) { return low + int64_t(rng_() % uint64_t(high - low + 1)); }

  void slice(Handle &x, Model &m) {
    std::vector<gpuopt_index> items;
    std::vector<std::vector<int64_t>> per_axis;
    std::vector<int64_t> shape;
    std::vector<int> axis_of;  // result axis -> source axis
    for (size_t k = 0; k < m.shape.size(); ++k) {
      const int64_t n = m.shape[k];
      if (n > 0 && rng_() % 5 == 0 && m.shape.size() > 1) {
        const int64_t at = pick(-n, n - 1);
        items.push_back({GPUOPT_INDEX_INTEGER, 0, at, 0, 0});
        per_axis.push_back({at < 0 ? at + n : at});
        continue;
      }
      const int64_t step = rng_() % 3 == 0 ? -pick(1, 3) : pick(1, 2);
      const int64_t start = rng_() % 2 ? GPUOPT_SLICE_ALL : pick(-n - 2, n + 2),
                    stop = rng_() % 2 ? GPUOPT_SLICE_ALL : pick(-n - 2, n + 2);
      items.push_back({GPUOPT_INDEX_SLICE, 0, start, stop, step});
      per_axis.push_back(slice_indices(n, start, stop, step));
      axis_of.push_back(int(k));
      shape.push_back(int64_t(per_axis.back().size()));
    }
    Handle y;
    ASSERT_GPUOPT_OK(gpuopt_slice(x, int32_t(items.size()), items.data(), y.out(), error));
    m = remapped(m, shape, [&](const std::vector<int64_t> &index) {
      std::vector<int64_t> at(per_axis.size());
      for (size_t k = 0; k < per_axis.size(); ++k) at[k] = per_axis[k].empty() ? 0 : per_axis[k][0];
      for (size_t r = 0; r < axis_of.size(); ++r)
        at[size_t(axis_of[r])] = per_axis[size_t(axis_of[r])][size_t(index[r])];
      return at;
    });
    x = std::move(y);
  }

  void permute(Handle &x, Model &m) {
    std::vector<int64_t> axes(m.shape.size()), shape;
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), rng_);
    for (int64_t a : axes) shape.push_back(m.shape[size_t(a)]);
    Handle y;
    ASSERT_GPUOPT_OK(gpuopt_permute_dims(x, axes.data(), y.out(), error));
    m = remapped(m, shape, [&](const std::vector<int64_t> &index) {
      std::vector<int64_t> at(index.size());
      for (size_t k = 0; k < index.size(); ++k) at[size_t(axes[k])] = index[k];
      return at;
    });
    x = std::move(y);
  }

  void flip(Handle &x, Model &m) {
    if (m.shape.empty()) return;
    const int64_t axis = pick(0, int64_t(m.shape.size()) - 1),
                  signed_axis = rng_() % 2 ? axis : axis - int64_t(m.shape.size());
    Handle y;
    ASSERT_GPUOPT_OK(gpuopt_flip(x, 1, &signed_axis, y.out(), error));
    m = remapped(m, m.shape, [&, shape = m.shape](std::vector<int64_t> index) {
      index[size_t(axis)] = shape[size_t(axis)] - 1 - index[size_t(axis)];
      return index;
    });
    x = std::move(y);
  }

  void expand(Handle &x, Model &m) {
    const int64_t axis = pick(0, int64_t(m.shape.size()));
    Handle y;
    ASSERT_GPUOPT_OK(gpuopt_expand_dims(x, axis, y.out(), error));
    m.shape.insert(m.shape.begin() + axis, 1);
    x = std::move(y);
  }

  void squeeze(Handle &x, Model &m) {
    Handle y;
    ASSERT_GPUOPT_OK(gpuopt_squeeze(x, 0, nullptr, y.out(), error));
    std::erase(m.shape, 1);
    x = std::move(y);
  }

  void reshape(Handle &x, Model &m) {
    const int64_t n = product_of(m.shape);
    if (n == 0) return;
    std::vector<int64_t> shape;
    int64_t left = n;
    for (int64_t f : {2, 3, 5})
      if (left % f == 0 && rng_() % 2) shape.push_back(f), left /= f;
    shape.push_back(rng_() % 2 ? -1 : left);
    Handle y;
    ASSERT_GPUOPT_OK(gpuopt_reshape(x, int32_t(shape.size()), shape.data(), GPUOPT_COPY_IF_NEEDED, y.out(), error));
    shape.back() = left;
    m.shape = shape;  // C order keeps the places
    x = std::move(y);
  }

  std::mt19937_64 rng_;
};

TEST(Views, RandomSequencesAgreeWithAModel) {
  const int64_t shape[3] = {6, 5, 8};
  std::vector<int32_t> data(240);
  std::iota(data.begin(), data.end(), 0);
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Handle x;
    ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), data.data(), GPUOPT_INT32, 3, shape, x.out(), error));
    Model m{{6, 5, 8}, std::vector<int64_t>(data.begin(), data.end())};
    RandomViews views(seed);
    for (int k = 0; k < 6; ++k) {
      views.step(x, m);
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
      ASSERT_EQ(std::vector<int64_t>(gpuopt_array_shape(x), gpuopt_array_shape(x) + gpuopt_array_ndim(x)), m.shape)
          << "seed " << seed;
      const std::vector<Element> got = harness::contents(x);
      ASSERT_EQ(got.size(), m.places.size()) << "seed " << seed;
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(int64_t(got[i].w.v), m.places[i]) << "seed " << seed << " step " << k << " element " << i;
    }
  }
}

TEST(Views, AreViews) {
  Handle x, row, column;
  const int64_t shape[2] = {3, 4};
  ASSERT_GPUOPT_OK(gpuopt_zeros(harness::device(), GPUOPT_INT32, 2, shape, x.out(), error));
  const gpuopt_index first[1] = {{GPUOPT_INDEX_INTEGER, 0, 0, 0, 0}};
  ASSERT_GPUOPT_OK(gpuopt_slice(x, 1, first, row.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_fill(row, gpuopt_scalar_int(7), error));
  EXPECT_EQ(numbers(x), (Numbers{7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0}));
  const gpuopt_index last[2] = {{GPUOPT_INDEX_ELLIPSIS, 0, 0, 0, 0}, {GPUOPT_INDEX_INTEGER, 0, -1, 0, 0}};
  ASSERT_GPUOPT_OK(gpuopt_slice(x, 2, last, column.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_add_into(column, column, column, error));
  EXPECT_EQ(numbers(x), (Numbers{7, 7, 7, 14, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(numbers(row), (Numbers{7, 7, 7, 14}));
}

// Reads happen before writes, also when source and target overlap (x[1:] += x[:-1] in NumPy).
TEST(Views, OverlappingUpdatesReadBeforeTheyWrite) {
  Handle x, head, tail;
  ASSERT_GPUOPT_OK(gpuopt_arange(harness::device(), GPUOPT_FLOAT64, gpuopt_scalar_int(0), gpuopt_scalar_int(10),
                                 gpuopt_scalar_int(1), x.out(), error));
  const gpuopt_index from_one[1] = {harness::slice(1, GPUOPT_SLICE_ALL, 1)},
                     to_last[1] = {harness::slice(GPUOPT_SLICE_ALL, -1, 1)};
  ASSERT_GPUOPT_OK(gpuopt_slice(x, 1, from_one, tail.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_slice(x, 1, to_last, head.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_add_into(tail, head, tail, error));
  EXPECT_EQ(numbers(x), (Numbers{0, 1, 3, 5, 7, 9, 11, 13, 15, 17}));
  Handle reversed;
  ASSERT_GPUOPT_OK(gpuopt_flip(x, 0, nullptr, reversed.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_assign(x, reversed, error));
  EXPECT_EQ(numbers(x), (Numbers{17, 15, 13, 11, 9, 7, 5, 3, 1, 0}));
}

// ---- selection
// ------------------------------------------------------------------------------------------------------------

TEST(Selection, MasksAndIndices) {
  std::mt19937_64 rng(9);
  for (const Dtype &d : dtypes())
    for (int layout = 0; layout < harness::LAYOUTS; ++layout) {
      std::vector<Element> x, m;
      for (int i = 0; i < 30 * 16; ++i) {
        x.push_back(random_element(d.id, rng));
        Element e;
        e.b = rng() % 3 == 0;
        m.push_back(e);
      }
      Operand values = harness::make_operand(d.id, x, 30, 16, layout),
              mask = harness::make_operand(GPUOPT_BOOL, m, 30, 16, (layout + 1) % harness::LAYOUTS);
      Handle picked, rows, indices;
      ASSERT_GPUOPT_OK(gpuopt_mask_select(values.array, mask.array, picked.out(), error));
      std::vector<Element> want;
      for (size_t i = 0; i < x.size(); ++i)
        if (mask.elements[i].b) want.push_back(values.elements[i]);
      std::vector<Element> got = harness::contents(picked);
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(same(got[i], want[i], d.id)) << d.name << " " << harness::layout_name(layout);
      const int64_t at[5] = {3, -1, 0, 15, 3}, count[1] = {5};
      ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), at, GPUOPT_INT64, 1, count, indices.out(), error));
      ASSERT_GPUOPT_OK(gpuopt_take(values.array, indices, 1, rows.out(), error));
      got = harness::contents(rows);
      ASSERT_EQ(got.size(), 150u);
      for (int r = 0; r < 30; ++r)
        for (int k = 0; k < 5; ++k)
          ASSERT_TRUE(same(got[size_t(r * 5 + k)], values.elements[size_t(r * 16 + (at[k] + 16) % 16)], d.id))
              << d.name;
    }
}

TEST(Selection, OutOfRangeWritesNothing) {
  Handle x, indices, values, result;
  const int64_t shape[1] = {4}, bad[2] = {1, 4}, two[1] = {2};
  ASSERT_GPUOPT_OK(gpuopt_zeros(harness::device(), GPUOPT_INT32, 1, shape, x.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_ones(harness::device(), GPUOPT_INT32, 1, two, values.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), bad, GPUOPT_INT64, 1, two, indices.out(), error));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_take(x, indices, 0, result.out(), &error), GPUOPT_ERR_INDEX);
  EXPECT_EQ(gpuopt_put(x, indices, 0, values, &error), GPUOPT_ERR_INDEX);
  EXPECT_EQ(numbers(x), (Numbers{0, 0, 0, 0}));
}

TEST(Selection, MaskAssignment) {
  Handle x, mask, values, weak;
  const int64_t shape[1] = {6}, three[1] = {3};
  const uint8_t m[6] = {1, 0, 0, 1, 1, 0};
  const double v[3] = {10, 20, 30};
  ASSERT_GPUOPT_OK(gpuopt_ones(harness::device(), GPUOPT_FLOAT32, 1, shape, x.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), m, GPUOPT_BOOL, 1, shape, mask.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), v, GPUOPT_FLOAT64, 1, three, values.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_mask_assign(x, mask, values, error));
  EXPECT_EQ(numbers(x), (Numbers{10, 1, 1, 20, 30, 1}));
  ASSERT_GPUOPT_OK(gpuopt_weak(gpuopt_scalar_int(-1), weak.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_mask_assign(x, mask, weak, error));
  EXPECT_EQ(numbers(x), (Numbers{-1, 1, 1, -1, -1, 1}));
  const int64_t two[1] = {2};
  Handle wrong;
  ASSERT_GPUOPT_OK(gpuopt_ones(harness::device(), GPUOPT_FLOAT32, 1, two, wrong.out(), error));
  gpuopt_error bad = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_mask_assign(x, mask, wrong, &bad), GPUOPT_ERR_SHAPE);
}

// ---- products
// -------------------------------------------------------------------------------------------------------------

TEST(Products, MatmulOfEveryDtypeAndLayout) {
  std::mt19937_64 rng(21);
  for (const Dtype &d : dtypes())
    for (auto [m, k, n] : {std::tuple<int64_t, int64_t, int64_t>{7, 16, 5}, {1, 40, 1}, {33, 17, 20}})
      for (int layout = 0; layout < harness::LAYOUTS; ++layout) {
        auto draw = [&](int64_t count) {
          std::vector<Element> x;
          for (int64_t i = 0; i < count; ++i) {
            Element e = random_element(d.id, rng);
            e.r = Real(int(rng() % 9)) - 4;
            e.c = {Real(int(rng() % 5)) - 2, Real(int(rng() % 5)) - 2};
            x.push_back(e);
          }
          return x;
        };
        Operand a = harness::make_operand(d.id, draw(m * k), m, k, layout),
                b = harness::make_operand(d.id, draw(k * n), k, n, (layout + 2) % harness::LAYOUTS);
        Handle result;
        ASSERT_GPUOPT_OK(gpuopt_matmul(a.array, b.array, result.out(), error));
        ASSERT_EQ(gpuopt_array_dtype(result), d.id);
        const std::vector<Element> got = harness::contents(result);
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            Element want;
            for (int64_t p = 0; p < k; ++p) {
              const Element &x = a.elements[size_t(i * k + p)], &y = b.elements[size_t(p * n + j)];
              want.b = want.b || (x.b && y.b), want.w = sum(want.w, product(x.w, y.w)), want.r += x.r * y.r,
              want.c += x.c * y.c;
            }
            want.w = wrapped(want.w, d.id);
            char bytes[16] = {};
            encode(d.id, want, bytes);  // small whole numbers: exact but for the last rounding of 16-bit floats
            ASSERT_TRUE(same(got[size_t(i * n + j)], decode(d.id, bytes), d.id) ||
                        (d.kind == 'f' && got[size_t(i * n + j)].r == want.r) ||
                        (d.kind == 'c' && got[size_t(i * n + j)].c == want.c))
                << d.name << " " << harness::layout_name(layout) << " " << m << "x" << k << "x" << n;
          }
      }
}

// The second source document's invalid lines: the right outcome is an exact error that names both shapes.
TEST(Products, TheSourceDocumentsInvalidLines) {
  Handle x, y, z, result, mask;
  const int64_t three[2] = {3, 3}, two[2] = {2, 2};
  ASSERT_GPUOPT_OK(gpuopt_zeros(harness::device(), 0, 2, three, x.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_ones(harness::device(), 0, 2, two, y.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_ones(harness::device(), GPUOPT_BOOL, 2, three, mask.out(), error));
  auto names_both = [](const gpuopt_error &e) {
    return std::string(e.message).find("(3, 3)") != std::string::npos &&
           std::string(e.message).find("(2, 2)") != std::string::npos;
  };
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_dot(x, y, result.out(), &error), GPUOPT_ERR_SHAPE);
  EXPECT_TRUE(names_both(error)) << error.message;
  EXPECT_EQ(gpuopt_multiply(x, y, result.out(), &error), GPUOPT_ERR_SHAPE);
  EXPECT_TRUE(names_both(error)) << error.message;
  EXPECT_EQ(gpuopt_add(x, y, result.out(), &error), GPUOPT_ERR_SHAPE);
  EXPECT_TRUE(names_both(error)) << error.message;
  EXPECT_EQ(gpuopt_mask_select(y, mask, result.out(), &error), GPUOPT_ERR_INDEX);  // NumPy's IndexError, and its words
  EXPECT_NE(std::string(error.message).find("size of axis is 2 but size of corresponding boolean axis is 3"),
            std::string::npos)
      << error.message;
}

// Both promote to float64, which cannot tell 2^53 from 2^53 + 1; the comparison can.
TEST(Comparisons, SignedIntegersAndUint64AreExact) {
  const int64_t big = int64_t{1} << 53, last = INT64_MAX;
  const int64_t a[6] = {big + 1, big, -1, last, INT64_MIN, 0};
  const uint64_t b[6] = {uint64_t(big), uint64_t(big) + 1, ~uint64_t{0}, uint64_t(last) + 1, uint64_t{1} << 63, 0};
  const int64_t column[2] = {6, 1}, row[1] = {6};
  Handle x, y, result;
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), a, GPUOPT_INT64, 2, column, x.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), b, GPUOPT_UINT64, 1, row, y.out(), error));
  using Compare = std::function<bool(__int128, __int128)>;
  const std::pair<gpuopt_op, Compare> comparisons[] = {
      {GPUOPT_OP_equal, std::equal_to<__int128>()},  {GPUOPT_OP_not_equal, std::not_equal_to<__int128>()},
      {GPUOPT_OP_less, std::less<__int128>()},       {GPUOPT_OP_less_equal, std::less_equal<__int128>()},
      {GPUOPT_OP_greater, std::greater<__int128>()}, {GPUOPT_OP_greater_equal, std::greater_equal<__int128>()}};
  for (const auto &[op, holds] : comparisons) {
    for (const bool exchanged : {false, true}) {
      const gpuopt_array inputs[2] = {exchanged ? y.a : x.a, exchanged ? x.a : y.a};
      ASSERT_GPUOPT_OK(gpuopt_apply(op, 2, inputs, nullptr, result.out(), error));
      const std::vector<double> got = numbers(result);
      ASSERT_EQ(got.size(), 36u);
      for (size_t k = 0; k < 36; ++k) {
        const __int128 s = a[k / 6], u = b[k % 6];
        EXPECT_EQ(got[k] != 0, exchanged ? holds(u, s) : holds(s, u)) << gpuopt_op_name(op) << " " << k << exchanged;
      }
    }
  }
}

TEST(Products, NormsAndFriends) {
  Handle x, y, result;
  const double a[6] = {3, -4, 0, 1, 2, -2};
  const int64_t shape[2] = {2, 3}, three[1] = {3};
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), a, GPUOPT_FLOAT64, 2, shape, x.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_norm(x, result.out(), error));
  EXPECT_DOUBLE_EQ(numbers(result)[0], std::sqrt(34.0));
  ASSERT_GPUOPT_OK(gpuopt_vector_norm(x, INFINITY, nullptr, result.out(), error));
  EXPECT_EQ(numbers(result)[0], 4);
  ASSERT_GPUOPT_OK(gpuopt_vector_norm(x, 1, nullptr, result.out(), error));
  EXPECT_EQ(numbers(result)[0], 12);
  ASSERT_GPUOPT_OK(gpuopt_vector_norm(x, 0, nullptr, result.out(), error));
  EXPECT_EQ(numbers(result)[0], 5);
  ASSERT_GPUOPT_OK(gpuopt_matrix_norm(x, 1, 0, result.out(), error));
  EXPECT_EQ(numbers(result)[0], 6);
  ASSERT_GPUOPT_OK(gpuopt_matrix_norm(x, INFINITY, 0, result.out(), error));
  EXPECT_EQ(numbers(result)[0], 7);
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), a, GPUOPT_FLOAT64, 1, three, y.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_vecdot(x, y, -1, result.out(), error));
  EXPECT_EQ(numbers(result), (Numbers{25, -5}));
  ASSERT_GPUOPT_OK(gpuopt_outer(y, y, result.out(), error));
  EXPECT_EQ(numbers(result), (Numbers{9, -12, 0, -12, 16, 0, 0, 0, 0}));
  const int64_t first[1] = {1}, second[1] = {1};
  ASSERT_GPUOPT_OK(gpuopt_tensordot(x, x, 1, first, second, result.out(), error));
  EXPECT_EQ(numbers(result), (Numbers{25, -5, -5, 9}));
}

void vector_of(gpuopt_dtype dtype, const std::vector<double> &numbers, Handle &made) {
  const int64_t shape[1] = {int64_t(numbers.size())};
  Handle wide;
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), numbers.data(), GPUOPT_FLOAT64, 1, shape, wide.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_astype(wide, dtype, GPUOPT_COPY_ALWAYS, made.out(), error));
}

// Vectors that are broadcast along a batch axis, along which the other operand is the same, too: rows at distance 0.
TEST(Library, ProductsOfRowsThatAreBroadcast) {
  for (const gpuopt_dtype dtype : {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_COMPLEX64, GPUOPT_INT32}) {
    Handle x, y, row, rows, matrix, result, wide;
    vector_of(dtype, {1, 2, 3}, x);
    vector_of(dtype, {1, 2, 3, 4, 5, 6}, y);
    const int64_t one_row[2] = {1, 3}, batch[3] = {5, 1, 3}, sizes[2] = {3, 2};
    ASSERT_GPUOPT_OK(gpuopt_reshape(x, 2, one_row, GPUOPT_COPY_NEVER, row.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_broadcast_to(row, 3, batch, rows.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_reshape(y, 2, sizes, GPUOPT_COPY_NEVER, matrix.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_matmul(rows, matrix, result.out(), error));
    ASSERT_GPUOPT_OK(gpuopt_astype(result, GPUOPT_FLOAT64, GPUOPT_COPY_ALWAYS, wide.out(), error));
    EXPECT_EQ(numbers(wide), (Numbers{22, 28, 22, 28, 22, 28, 22, 28, 22, 28}));
  }
}

TEST(Views, WhatIsBroadcastIsReadOnlyInItsOwnShapeToo) {
  Handle x, view;
  vector_of(GPUOPT_FLOAT64, {1, 2, 3}, x);
  const int64_t same[1] = {3}, more[2] = {2, 3};
  gpuopt_error failure = GPUOPT_ERROR_INIT;
  ASSERT_GPUOPT_OK(gpuopt_broadcast_to(x, 1, same, view.out(), error));
  EXPECT_EQ(gpuopt_fill(view, gpuopt_scalar_int(0), &failure), GPUOPT_ERR_READ_ONLY);
  ASSERT_GPUOPT_OK(gpuopt_broadcast_to(x, 2, more, view.out(), error));
  EXPECT_EQ(gpuopt_fill(view, gpuopt_scalar_int(0), &failure), GPUOPT_ERR_READ_ONLY);
  ASSERT_GPUOPT_OK(gpuopt_fill(x, gpuopt_scalar_int(4), error));
}

// 90000 is beyond float16, and 1 + 2^-6 + 2^-14, the square of 1 + 2^-7, is not a bfloat16.
TEST(Products, VecdotRoundsTheSumAndNotTheProducts) {
  Handle x, y, result;
  vector_of(GPUOPT_FLOAT16, {300, 300, 1}, x);
  vector_of(GPUOPT_FLOAT16, {300, -300, 1}, y);
  ASSERT_GPUOPT_OK(gpuopt_vecdot(x, y, -1, result.out(), error));
  EXPECT_EQ(gpuopt_array_dtype(result), GPUOPT_FLOAT16);
  EXPECT_EQ(numbers(result), (Numbers{1}));
  const double a = 1 + std::ldexp(1.0, -7), lost = std::ldexp(1.0, -14);
  vector_of(GPUOPT_BFLOAT16, {a, 1}, x);
  vector_of(GPUOPT_BFLOAT16, {a, -(1 + 2 * std::ldexp(1.0, -7))}, y);
  ASSERT_GPUOPT_OK(gpuopt_vecdot(x, y, -1, result.out(), error));
  EXPECT_EQ(numbers(result), (Numbers{lost}));
}

// The array API's: the other axes broadcast, the summed one has one size in both.
TEST(Products, VecdotDoesNotBroadcastTheSummedAxis) {
  Handle x, y, result;
  vector_of(GPUOPT_FLOAT64, {1, 2, 3}, x);
  vector_of(GPUOPT_FLOAT64, {2}, y);
  gpuopt_error failure = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_vecdot(x, y, -1, result.out(), &failure), GPUOPT_ERR_SHAPE);
}

// The magnitude of 3e38 (1 + i) is beyond complex64, and not beyond the operands' common dtype, complex128.
TEST(Closeness, IsComputedInTheCommonDtype) {
  const int64_t integer[1] = {1}, shape[1] = {1};
  const float number[2] = {3e38f, 3e38f};
  Handle x, y, result;
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), integer, GPUOPT_INT64, 1, shape, x.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_array_from(harness::device(), number, GPUOPT_COMPLEX64, 1, shape, y.out(), error));
  ASSERT_GPUOPT_OK(gpuopt_isclose(x, y, 1e-5, 1e-8, 0, result.out(), error));
  EXPECT_EQ(numbers(result), (Numbers{0}));
  ASSERT_GPUOPT_OK(gpuopt_isclose(y, x, 1e-5, 1e-8, 0, result.out(), error));
  EXPECT_EQ(numbers(result), (Numbers{0}));
}

}  // namespace
