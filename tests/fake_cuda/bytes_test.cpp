// tests/fake_cuda/bytes_test.cpp -- bytes and accesses of the kernels generated for common programs against the least
// there can be: each input read once, each output written once. The fake counts every load and store of a kernel, and
// what memory delivers for the loads through a cache of 256 KiB (FAKE_CUDA_CACHE), smaller than any device's.
#include <functional>

#include "tests/fake_cuda/on_fake.h"

namespace {

using on_fake::Handle;

constexpr int64_t kRows = 300, kColumns = 1001, kSize = kRows * kColumns;

gpuopt_device device() {
  static gpuopt_device opened = on_fake::open("cuda!");
  return opened;
}

Handle matrix(gpuopt_dtype dtype = GPUOPT_FLOAT32) {
  const int64_t shape[2] = {kRows, kColumns};
  Handle flat = on_fake::counting(device(), kSize), wide, x;
  EXPECT_EQ(gpuopt_reshape(flat, 2, shape, GPUOPT_COPY_IF_NEEDED, wide.out(), nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_astype(wide, dtype, GPUOPT_COPY_ALWAYS, x.out(), nullptr), GPUOPT_OK);
  const gpuopt_array raw = x;
  EXPECT_EQ(gpuopt_eval(1, &raw, nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_device_synchronize(device(), nullptr), GPUOPT_OK);
  return x;
}

struct Traffic {
  uint64_t launches = 0, loads = 0, stores = 0, bytes_loaded = 0, bytes_stored = 0, bytes_fetched = 0;
};

// What the device did for `program`, whose results are evaluated together.
Traffic measure(const char *name, uint64_t least_loaded, uint64_t least_stored,
                const std::function<std::vector<Handle>()> &program) {
  on_fake::take_launches();
  std::vector<Handle> results = program();
  std::vector<gpuopt_array> raw;
  for (auto &r : results) raw.push_back(r);
  EXPECT_EQ(gpuopt_eval(int(raw.size()), raw.data(), nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_device_synchronize(device(), nullptr), GPUOPT_OK);
  Traffic t;
  for (const fake_cuda_launch &launch : on_fake::take_launches()) {
    ++t.launches;
    t.loads += launch.loads;
    t.stores += launch.stores;
    t.bytes_loaded += launch.bytes_loaded;
    t.bytes_stored += launch.bytes_stored;
    t.bytes_fetched += launch.bytes_fetched;
  }
  const auto of_least = [](uint64_t bytes, uint64_t least) { return double(bytes) / double(least); };
  std::printf(
      "%-28s %2lu kernels  loaded %9lu (%.4f of the least), from memory %9lu (%.4f)  stored %9lu (%.4f)  "
      "%lu loads, %lu stores\n",
      name, t.launches, t.bytes_loaded, of_least(t.bytes_loaded, least_loaded), t.bytes_fetched,
      of_least(t.bytes_fetched, least_loaded), t.bytes_stored, of_least(t.bytes_stored, least_stored), t.loads,
      t.stores);
  EXPECT_GE(t.bytes_fetched, least_loaded) << name << ": less than its inputs: the count is wrong";
  EXPECT_GE(t.bytes_loaded, least_loaded) << name << ": less than its inputs: the count is wrong";
  EXPECT_GE(t.bytes_stored, least_stored) << name << ": less than its outputs: the count is wrong";
  return t;
}

// `slack` is that of the loads and stores themselves.
void expect_least(const char *name, uint64_t loaded, uint64_t stored, double slack, uint64_t launches,
                  const std::function<std::vector<Handle>()> &program) {
  constexpr double kFetchSlack = 0.01;
  const Traffic t = measure(name, loaded, stored, program);
  EXPECT_LE(double(t.bytes_fetched), double(loaded) * (1 + kFetchSlack)) << name;
  EXPECT_LE(double(t.bytes_loaded), double(loaded) * (1 + slack)) << name;
  EXPECT_LE(double(t.bytes_stored), double(stored) * (1 + slack) + double(loaded) * slack) << name;
  EXPECT_LE(t.launches, launches) << name;
}

template <class... A>
std::vector<Handle> list(A &&...handles) {
  std::vector<Handle> out;
  (out.push_back(std::move(handles)), ...);
  return out;
}

#define MUST(call) EXPECT_EQ(call, GPUOPT_OK)

TEST(Bytes, MapsReadOnceAndWriteOnce) {
  for (gpuopt_dtype dtype : {GPUOPT_FLOAT32, GPUOPT_FLOAT64, GPUOPT_FLOAT16, GPUOPT_INT8, GPUOPT_COMPLEX128}) {
    Handle x = matrix(dtype);
    const uint64_t bytes = uint64_t(gpuopt_array_nbytes(x));
    const Traffic t = measure(gpuopt_dtype_name(dtype), bytes, bytes, [&] {
      Handle y, z;
      MUST(gpuopt_square(x, y.out(), nullptr));
      MUST(gpuopt_add(y, y, z.out(), nullptr));
      return list(std::move(z));
    });
    EXPECT_EQ(t.launches, 1u);
    EXPECT_EQ(t.bytes_loaded, bytes);
    EXPECT_EQ(t.bytes_stored, bytes);
    // In vectors of 16 bytes, but for the last few.
    EXPECT_LE(t.loads, bytes / 16 + 16);
    EXPECT_LE(t.stores, bytes / 16 + 16);
  }
}

TEST(Bytes, AChainInPlaceAndSeveralOutputs) {
  Handle x = matrix(), other = matrix();
  const uint64_t bytes = 4 * kSize;
  expect_least("x *= 5, x *= x, x += x", bytes, bytes, 0, 1, [&] {
    Handle five;
    MUST(gpuopt_weak(gpuopt_scalar_real(5), five.out(), nullptr));
    MUST(gpuopt_multiply_into(x, five, x, nullptr));
    MUST(gpuopt_multiply_into(x, x, x, nullptr));
    MUST(gpuopt_add_into(x, x, x, nullptr));
    return list(Handle(gpuopt_array_retain(x)));
  });
  expect_least("-x and x*x", bytes, 2 * bytes, 0, 1, [&] {
    Handle y, z;
    MUST(gpuopt_negative(x, y.out(), nullptr));
    MUST(gpuopt_square(x, z.out(), nullptr));
    return list(std::move(y), std::move(z));
  });
  expect_least("softplus", bytes, bytes, 0, 1, [&] {
    Handle e, y;
    MUST(gpuopt_exp(x, e.out(), nullptr));
    MUST(gpuopt_log1p(e, y.out(), nullptr));
    return list(std::move(y));
  });
  expect_least("x + another, flipped", 2 * bytes, bytes, 0, 1, [&] {
    Handle f, y;
    MUST(gpuopt_flip(other, 0, nullptr, f.out(), nullptr));
    MUST(gpuopt_add(x, f, y.out(), nullptr));
    return list(std::move(y));
  });
}

Handle part(gpuopt_array x, int64_t rows, int64_t columns) {
  const gpuopt_index items[2] = {harness::slice(0, rows, 1), harness::slice(0, columns, 1)};
  Handle view, copy;
  MUST(gpuopt_slice(x, 2, items, view.out(), nullptr));
  MUST(gpuopt_astype(view, gpuopt_array_dtype(x), GPUOPT_COPY_ALWAYS, copy.out(), nullptr));
  const gpuopt_array raw = copy;
  MUST(gpuopt_eval(1, &raw, nullptr));
  MUST(gpuopt_device_synchronize(device(), nullptr));
  return copy;
}

// One number for all, or for a row, is loaded by each thread; a row that serves all rows is loaded for each of them.
// Memory delivers each of them once.
TEST(Bytes, BroadcastLeaves) {
  Handle x = matrix(), number = part(x, 1, 1), column = part(x, kRows, 1), row = part(x, 1, kColumns);
  const uint64_t bytes = 4 * kSize;
  const auto plus = [&](gpuopt_array other) {
    Handle y;
    MUST(gpuopt_add(x, other, y.out(), nullptr));
    return list(std::move(y));
  };
  expect_least("x + one number", bytes + 4, bytes, 0.07, 1, [&] { return plus(number); });
  expect_least("x + a column", bytes + 4 * kRows, bytes, 0.26, 1, [&] { return plus(column); });
  expect_least("x + a row", bytes + 4 * kColumns, bytes, 1, 1, [&] { return plus(row); });
}

TEST(Bytes, ReductionsReadOnce) {
  Handle x = matrix();
  const uint64_t bytes = 4 * kSize;
  for (int axis = -1; axis < 2; ++axis) {
    const int64_t axes[1] = {axis};
    gpuopt_reduce_options options = {};
    options.struct_size = sizeof options;
    if (axis >= 0) options.axes = axes, options.naxes = 1;
    const uint64_t results = axis < 0 ? 1 : axis == 0 ? kColumns : kRows;
    expect_least(("sum, axis " + std::to_string(axis)).c_str(), bytes, 4 * results, 0.02, 2, [&] {
      Handle s;
      MUST(gpuopt_sum(x, &options, s.out(), nullptr));
      return list(std::move(s));
    });
    expect_least(("var, axis " + std::to_string(axis)).c_str(), 2 * bytes, 4 * results, 0.02, 4, [&] {
      Handle s;
      MUST(gpuopt_var(x, &options, s.out(), nullptr));
      return list(std::move(s));
    });
  }
}

// A long row is scanned in two readings: the totals of its parts come first.
TEST(Bytes, ScansReadAtMostTwice) {
  Handle x = matrix(), flat;
  const int64_t size = kSize;
  const uint64_t bytes = 4 * kSize;
  MUST(gpuopt_reshape(x, 1, &size, GPUOPT_COPY_IF_NEEDED, flat.out(), nullptr));
  expect_least("cumulative sum of rows", bytes, bytes, 0.02, 1, [&] {
    Handle s;
    MUST(gpuopt_cumulative_sum(x, 1, 0, 0, s.out(), nullptr));
    return list(std::move(s));
  });
  expect_least("cumulative sum, one row", 2 * bytes, bytes, 0.02, 3, [&] {
    Handle s;
    MUST(gpuopt_cumulative_sum(flat, 0, 0, 0, s.out(), nullptr));
    return list(std::move(s));
  });
}

}  // namespace
