// tests/unit/core_view_test.cpp -- views against a model that lists elements by index, and what they refuse.
#include <gtest/gtest.h>

#include <random>

#include "core/array/view.h"
#include "core/engine/record.h"
#include "core/engine/transfer.h"
#include "tests/unit/core_fake_device.h"

namespace gpuopt::test {
namespace {

// An array whose element k in C order is k, as its elements in C order and its shape.
struct Model {
  std::vector<int64_t> shape, elements;
};

int64_t count(const std::vector<int64_t> &shape) {
  int64_t n = 1;
  for (int64_t s : shape) n *= s;
  return n;
}

// For every index of `shape` in C order: pick(index).
template <class Pick>
Model build(std::vector<int64_t> shape, Pick pick) {
  Model m{shape, {}};
  std::vector<int64_t> index(shape.size());
  for (int64_t flat = 0; flat < count(shape); ++flat) {
    int64_t rest = flat;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) index[d] = rest % shape[d];
    m.elements.push_back(pick(index));
  }
  return m;
}

int64_t element(const Model &m, const std::vector<int64_t> &index) {
  int64_t flat = 0;
  for (size_t d = 0; d < index.size(); ++d) flat = flat * m.shape[d] + index[d];
  return m.elements[static_cast<size_t>(flat)];
}

class Views : public testing::Test {
 protected:
  ArrayRef array(std::vector<int64_t> shape, Model &model) {
    model = {shape, {}};
    for (int64_t i = 0; i < count(shape); ++i) model.elements.push_back(i);
    ArrayRef x = make_array(fake.get()->default_stream, GPUOPT_INT64, static_cast<int>(shape.size()), shape.data());
    copy_from_host(x.get(), model.elements.data());
    return x;
  }

  // Reads by the array's own geometry, no program involved.
  static Model read(const gpuopt_array_s &x) {
    return build({x.shape, x.shape + x.ndim}, [&](const std::vector<int64_t> &index) {
      const char *at = address(x);
      for (int d = 0; d < x.ndim; ++d) at += index[static_cast<size_t>(d)] * x.strides[d];
      int64_t value;
      std::memcpy(&value, at, sizeof value);
      return value;
    });
  }

  static void expect_same(const ArrayRef &x, const Model &m) {
    const Model got = read(*x);
    EXPECT_EQ(got.shape, m.shape);
    EXPECT_EQ(got.elements, m.elements);
    EXPECT_EQ(x->size, count(m.shape));
    EXPECT_EQ(x->contiguous, is_contiguous(x->ndim, x->shape, x->strides, 8));
  }

  template <class Body>
  static gpuopt_status status_of(Body body) {
    try {
      body();
    } catch (const Failure &failure) {
      EXPECT_FALSE(failure.message.empty());
      return failure.code;
    }
    return GPUOPT_OK;
  }

  FakeDevice fake;
};

// Python's slice of a sequence of n elements, by trying every index.
std::vector<int64_t> python_slice(int64_t n, int64_t start, int64_t stop, int64_t step) {
  const bool down = step < 0;
  auto bound = [&](int64_t value, int64_t missing) {
    if (value == GPUOPT_SLICE_ALL) return missing;
    if (value < 0) value += n;
    const int64_t low = down ? -1 : 0, high = down ? n - 1 : n;
    return value < low ? low : value > high ? high : value;
  };
  const int64_t from = bound(start, down ? n - 1 : 0), to = bound(stop, down ? -1 : n);
  std::vector<int64_t> picked;
  for (int64_t i = from; down ? i > to : i < to; i += step) picked.push_back(i);
  return picked;
}

TEST_F(Views, EverySliceOfShortAxes) {
  const int64_t bounds[] = {GPUOPT_SLICE_ALL, -7, -4, -1, 0, 1, 3, 4, 9, INT64_MAX};
  for (int64_t n : {0, 1, 4}) {
    Model m;
    const ArrayRef x = array({n, 2}, m);
    for (int64_t start : bounds) {
      for (int64_t stop : bounds) {
        for (int64_t step : {GPUOPT_SLICE_ALL, int64_t{1}, int64_t{2}, int64_t{3}, int64_t{100}, int64_t{-1},
                             int64_t{-2}, int64_t{-100}}) {
          const gpuopt_index item{GPUOPT_INDEX_SLICE, 0, start, stop, step};
          const auto picked = python_slice(n, start, stop, step == GPUOPT_SLICE_ALL ? 1 : step);
          expect_same(sliced_view(x.get(), 1, &item),
                      build({static_cast<int64_t>(picked.size()), 2}, [&](const auto &index) {
                        return element(m, {picked[static_cast<size_t>(index[0])], index[1]});
                      }));
        }
      }
    }
  }
}

TEST_F(Views, IntegersNewAxesAndEllipses) {
  Model m;
  const ArrayRef x = array({2, 3, 4, 5}, m);
  const gpuopt_index items[] = {{GPUOPT_INDEX_INTEGER, 0, -1, 0, 0},
                                {GPUOPT_INDEX_NEWAXIS, 0, 0, 0, 0},
                                {GPUOPT_INDEX_ELLIPSIS, 0, 0, 0, 0},
                                {GPUOPT_INDEX_SLICE, 0, 4, GPUOPT_SLICE_ALL, -2}};
  expect_same(sliced_view(x.get(), 4, items), build({1, 3, 4, 3}, [&](const auto &i) {
                return element(m, {1, i[1], i[2], 4 - 2 * i[3]});
              }));
  expect_same(sliced_view(x.get(), 0, nullptr), m);
  const gpuopt_index point[] = {{GPUOPT_INDEX_INTEGER, 0, 1, 0, 0},
                                {GPUOPT_INDEX_INTEGER, 0, 2, 0, 0},
                                {GPUOPT_INDEX_INTEGER, 0, 3, 0, 0},
                                {GPUOPT_INDEX_INTEGER, 0, -5, 0, 0}};
  expect_same(sliced_view(x.get(), 4, point), Model{{}, {element(m, {1, 2, 3, 0})}});
}

TEST_F(Views, BadIndicesAreRefused) {
  Model m;
  const ArrayRef x = array({2, 3}, m);
  auto with = [&](std::vector<gpuopt_index> items) {
    return status_of([&] { sliced_view(x.get(), static_cast<int>(items.size()), items.data()); });
  };
  EXPECT_EQ(with({{GPUOPT_INDEX_INTEGER, 0, 2, 0, 0}}), GPUOPT_ERR_INDEX);
  EXPECT_EQ(with({{GPUOPT_INDEX_INTEGER, 0, -3, 0, 0}}), GPUOPT_ERR_INDEX);
  EXPECT_EQ(with({{GPUOPT_INDEX_SLICE, 0, 0, 1, 0}}), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(with({{9, 0, 0, 1, 0}}), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(with({{GPUOPT_INDEX_ELLIPSIS, 0, 0, 0, 0}, {GPUOPT_INDEX_ELLIPSIS, 0, 0, 0, 0}}),
            GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(with(std::vector<gpuopt_index>(3, {GPUOPT_INDEX_INTEGER, 0, 0, 0, 0})), GPUOPT_ERR_INDEX);
  EXPECT_EQ(with(std::vector<gpuopt_index>(63, {GPUOPT_INDEX_NEWAXIS, 0, 0, 0, 0})), GPUOPT_ERR_SHAPE);
}

TEST_F(Views, PermutedFlippedExpandedSqueezed) {
  Model m;
  const ArrayRef x = array({2, 3, 4}, m);
  const int64_t axes[] = {2, 0, -2};
  expect_same(permuted_view(x.get(), axes), build({4, 2, 3}, [&](const auto &i) {
                return element(m, {i[1], i[2], i[0]});
              }));
  expect_same(permuted_view(x.get(), nullptr), build({4, 3, 2}, [&](const auto &i) {
                return element(m, {i[2], i[1], i[0]});
              }));
  const int64_t flip[] = {-1, 0};
  expect_same(flipped_view(x.get(), 2, flip), build({2, 3, 4}, [&](const auto &i) {
                return element(m, {1 - i[0], i[1], 3 - i[2]});
              }));
  expect_same(flipped_view(x.get(), 0, nullptr), build({2, 3, 4}, [&](const auto &i) {
                return element(m, {1 - i[0], 2 - i[1], 3 - i[2]});
              }));
  const ArrayRef wide = expanded_view(x.get(), -2);
  expect_same(wide, Model{{2, 3, 1, 4}, m.elements});
  EXPECT_TRUE(wide->contiguous);
  expect_same(squeezed_view(wide.get(), 0, nullptr), m);
  const int64_t third = 2, first = 0, both[] = {0, 0}, out = 4;
  expect_same(squeezed_view(wide.get(), 1, &third), m);
  EXPECT_EQ(status_of([&] { squeezed_view(wide.get(), 1, &first); }), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(status_of([&] { squeezed_view(wide.get(), 1, &out); }), GPUOPT_ERR_INDEX);
  EXPECT_EQ(status_of([&] { flipped_view(x.get(), 2, both); }), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(status_of([&] { expanded_view(x.get(), 4); }), GPUOPT_ERR_INDEX);
  const int64_t twice[] = {0, 0, 1};
  EXPECT_EQ(status_of([&] { permuted_view(x.get(), twice); }), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST_F(Views, BroadcastViewsAreReadOnlyWhereTheyRepeat) {
  Model m;
  const ArrayRef x = array({3, 1}, m);
  const int64_t shape[] = {2, 3, 4}, same[] = {3, 1}, bad[] = {4, 1}, less[] = {3};
  const ArrayRef v = broadcast_view(x.get(), shape, "broadcast_to");
  expect_same(v, build({2, 3, 4}, [&](const auto &i) { return element(m, {i[1], 0}); }));
  EXPECT_TRUE(v->read_only);
  EXPECT_FALSE(broadcast_view(x.get(), same, "broadcast_to")->read_only);
  EXPECT_EQ(status_of([&] { broadcast_view(x.get(), bad, "broadcast_to"); }), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(status_of([&] { broadcast_view(x.get(), less, "broadcast_to"); }), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(status_of([&] { record_assign(v.get(), x.get()); }), GPUOPT_ERR_READ_ONLY);
  EXPECT_TRUE(flipped_view(v.get(), 0, nullptr)->read_only);
}

// Whatever a reshape gives without a copy has the elements in order; where it gives nothing, no strides could.
TEST_F(Views, ReshapesOfRandomViews) {
  std::mt19937 random(7);
  const std::vector<std::vector<int64_t>> shapes = {{24},       {2, 12},      {4, 6}, {2, 3, 4}, {4, 3, 2},
                                                    {1, 24, 1}, {2, 2, 2, 3}, {3, 8}, {24, 1},   {6, 2, 2}};
  Model m;
  const ArrayRef x = array({4, 3, 2}, m);
  int views = 0, copies = 0;
  for (int trial = 0; trial < 500; ++trial) {
    ArrayRef v = ArrayRef::share(x.get());
    for (int k = 0; k < 2; ++k) {
      std::vector<int64_t> axes(static_cast<size_t>(v->ndim));
      for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
      std::shuffle(axes.begin(), axes.end(), random);
      if (random() % 2) v = permuted_view(v.get(), axes.data());
      if (random() % 3 == 0) v = flipped_view(v.get(), 0, nullptr);
    }
    const Model before = read(*v);
    const auto &shape = shapes[random() % shapes.size()];
    const ArrayRef r = reshaped_view(v.get(), shape);
    ++(r ? views : copies);
    if (r) expect_same(r, Model{shape, before.elements});
    gpuopt_array copied = nullptr;
    ASSERT_EQ(
        gpuopt_reshape(v.get(), static_cast<int>(shape.size()), shape.data(), GPUOPT_COPY_IF_NEEDED, &copied, nullptr),
        GPUOPT_OK);
    evaluate(copied);
    expect_same(ArrayRef::adopt(copied), Model{shape, before.elements});
    const gpuopt_status never =
        gpuopt_reshape(v.get(), static_cast<int>(shape.size()), shape.data(), GPUOPT_COPY_NEVER, &copied, nullptr);
    EXPECT_EQ(never, r ? GPUOPT_OK : GPUOPT_ERR_INVALID_ARGUMENT);
    gpuopt_array_release(copied);
  }
  EXPECT_GT(views, 100);
  EXPECT_GT(copies, 100);
}

TEST_F(Views, ReshapeFillsInOneSize) {
  Model m;
  const ArrayRef x = array({2, 6}, m), empty = array({0, 3}, m);
  auto shape_of = [](gpuopt_array a, std::vector<int64_t> wanted) {
    gpuopt_array r = nullptr;
    if (gpuopt_reshape(a, static_cast<int>(wanted.size()), wanted.data(), 0, &r, nullptr))
      return std::vector<int64_t>{-9};
    const ArrayRef owned = ArrayRef::adopt(r);
    return std::vector<int64_t>(r->shape, r->shape + r->ndim);
  };
  EXPECT_EQ(shape_of(x.get(), {-1}), (std::vector<int64_t>{12}));
  EXPECT_EQ(shape_of(x.get(), {3, -1, 2}), (std::vector<int64_t>{3, 2, 2}));
  EXPECT_EQ(shape_of(x.get(), {5, -1}), (std::vector<int64_t>{-9}));
  EXPECT_EQ(shape_of(x.get(), {-1, -1}), (std::vector<int64_t>{-9}));
  EXPECT_EQ(shape_of(x.get(), {13}), (std::vector<int64_t>{-9}));
  EXPECT_EQ(shape_of(empty.get(), {-1, 3}), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(shape_of(empty.get(), {-1, 0}), (std::vector<int64_t>{-9}));
  EXPECT_EQ(shape_of(empty.get(), {5, 0}), (std::vector<int64_t>{5, 0}));
}

TEST_F(Views, BroadcastShapes) {
  const int64_t a[] = {3, 1}, b[] = {2, 1, 4}, c[] = {5}, d[] = {0, 1};
  int32_t ndim = -1;
  int64_t shape[GPUOPT_MAX_NDIM];
  auto run = [&](std::vector<const int64_t *> shapes, std::vector<int32_t> ndims) {
    return gpuopt_broadcast_shapes(static_cast<int>(ndims.size()), ndims.data(), shapes.data(), &ndim, shape, nullptr);
  };
  EXPECT_EQ(run({a, b}, {2, 3}), GPUOPT_OK);
  EXPECT_EQ(std::vector<int64_t>(shape, shape + ndim), (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(run({b, c}, {3, 1}), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(ndim, 0);
  EXPECT_EQ(run({d, c}, {2, 1}), GPUOPT_OK);
  EXPECT_EQ(std::vector<int64_t>(shape, shape + ndim), (std::vector<int64_t>{0, 5}));
  EXPECT_EQ(run({}, {}), GPUOPT_OK);
  EXPECT_EQ(ndim, 0);
}

TEST_F(Views, ShapesThatCannotBeAreRefused) {
  gpuopt_array r = nullptr;
  const int64_t negative[] = {2, -1}, huge[] = {int64_t{1} << 40, int64_t{1} << 40},
                huge_and_empty[] = {int64_t{1} << 62, 4, 0};
  EXPECT_EQ(gpuopt_zeros(fake.get(), 0, 2, negative, &r, nullptr), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(gpuopt_zeros(fake.get(), 0, 2, huge, &r, nullptr), GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(gpuopt_zeros(fake.get(), 0, 3, huge_and_empty, &r, nullptr), GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(gpuopt_zeros(fake.get(), 0, GPUOPT_MAX_NDIM + 1, huge, &r, nullptr), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(gpuopt_zeros(fake.get(), 99, 0, nullptr, &r, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(r, nullptr);
  std::vector<int64_t> ones(GPUOPT_MAX_NDIM, 1);
  ASSERT_EQ(gpuopt_ones(fake.get(), 0, GPUOPT_MAX_NDIM, ones.data(), &r, nullptr), GPUOPT_OK);
  gpuopt_array s = nullptr;
  ASSERT_EQ(gpuopt_sum(r, nullptr, &s, nullptr), GPUOPT_OK);
  double value = 0;
  copy_to_host(s, &value);
  EXPECT_EQ(value, 1);
  gpuopt_array_release(r);
  gpuopt_array_release(s);
}

}  // namespace
}  // namespace gpuopt::test
