// tests/comm/shards.cpp -- run as the ranks of a job of any size: sharded arrays against what the functions for whole
// arrays give, bit for bit, for arrays that are cut in several ways; files, and calls that do not fit together.
//
// usage: shards DIRECTORY     writes files there
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <random>

#include "tests/comm/rank.h"

using namespace rank_test;

namespace {

int me() { return gpuopt_comm_rank(world); }
int all() { return gpuopt_comm_size(world); }

// The bytes of an array's elements.
std::vector<unsigned char> bytes_of(const Array &x) {
  const int64_t size = gpuopt_array_size(x.get());
  std::vector<unsigned char> bytes(static_cast<size_t>(size) * 16 + 1);
  Array whole;
  DONE(gpuopt_astype, x.get(), gpuopt_array_dtype(x.get()), GPUOPT_COPY_ALWAYS, whole.out());
  DONE(gpuopt_to_host, whole.get(), bytes.data(), static_cast<uint64_t>(gpuopt_array_nbytes(whole.get())));
  bytes.resize(static_cast<size_t>(gpuopt_array_nbytes(whole.get())));
  return bytes;
}

bool same_array(const Array &a, const Array &b) {
  return gpuopt_array_dtype(a.get()) == gpuopt_array_dtype(b.get()) && shape_of(a) == shape_of(b) &&
         bytes_of(a) == bytes_of(b);
}

// The same on all ranks. GPUOPT_RANK_SEED gives others, for searches.
uint64_t seed() {
  const char *const given = std::getenv("GPUOPT_RANK_SEED");
  return given ? std::strtoull(given, nullptr, 10) : 7;
}
thread_local std::mt19937_64 numbers(seed());

// Numbers of very different sizes, so that sums depend on their order, with zeros of both signs.
Array random_array(const Shape &shape, gpuopt_dtype dtype) {
  int64_t size = 1;
  for (const int64_t n : shape) size *= n;
  std::vector<double> values;
  for (int64_t i = 0; i < size; ++i) {
    const uint64_t bits = numbers();
    const double small = static_cast<double>(bits % 2001) / 1000 - 1;
    values.push_back(bits % 29 == 0 ? -0.0 : std::ldexp(small, static_cast<int>(bits >> 40 & 7)));
  }
  const Array x = make(values, shape);
  Array y;
  DONE(gpuopt_astype, x.get(), dtype, GPUOPT_COPY_ALWAYS, y.out());
  return y;
}

// The rows of x, which all ranks have, cut at places that are the same on all ranks.
std::vector<int64_t> random_bounds(int64_t rows) {
  std::vector<int64_t> bounds{0};
  for (int r = 1; r < all(); ++r) {
    const uint64_t bits = numbers();
    bounds.push_back(bits % 5 == 0 ? 0 : static_cast<int64_t>((bits >> 8) % static_cast<uint64_t>(rows + 1)));
  }
  bounds.push_back(rows);
  std::sort(bounds.begin(), bounds.end());
  return bounds;
}

void cut(const Array &x, bool anywhere, Shard &shard) {
  Shard regular;
  DONE(gpuopt_shard_from_whole, world, x.get(), regular.out());
  const std::vector<int64_t> bounds = random_bounds(shape_of(x)[0]);
  DONE(gpuopt_shard_recut, regular.get(), anywhere ? bounds.data() : nullptr, shard.out());
  if (anywhere) REQUIRE(std::equal(bounds.begin(), bounds.end(), gpuopt_shard_bounds(shard.get())));
}

Array rows_of(const Array &x, int64_t begin, int64_t end) {
  const gpuopt_index item{GPUOPT_INDEX_SLICE, 0, begin, end, 1};
  Array part;
  DONE(gpuopt_slice, x.get(), 1, &item, part.out());
  return part;
}

// ---- Making, moving

void check_moves(const Array &x, bool anywhere) {
  Shard shard, again, sent;
  cut(x, anywhere, shard);
  const int64_t n = gpuopt_shard_rows(shard.get());
  REQUIRE(n == shape_of(x)[0] && same_array(shard.part(), rows_of(x, shard.begin(), shard.end())));
  Array whole;
  DONE(gpuopt_shard_gather, shard.get(), -1, whole.out());
  REQUIRE(same_array(whole, x));
  const int root = static_cast<int>(n % all());
  DONE(gpuopt_shard_gather, shard.get(), root, whole.out());
  REQUIRE((whole.get() != nullptr) == (me() == root));
  if (me() == root) REQUIRE(same_array(whole, x));
  DONE(gpuopt_shard_from_parts, world, shard.part().get(), again.out());
  REQUIRE(std::equal(gpuopt_shard_bounds(shard.get()), gpuopt_shard_bounds(shard.get()) + all() + 1,
                     gpuopt_shard_bounds(again.get())));
  DONE(gpuopt_shard_from_array, world, me() == root ? x.get() : nullptr, root, sent.out());
  REQUIRE(same_array(sent.part(), rows_of(x, sent.begin(), sent.end())));
}

void check_halo(const Array &x, bool anywhere, int64_t before, int64_t after, bool periodic) {
  Shard shard;
  cut(x, anywhere, shard);
  const int64_t n = shape_of(x)[0];
  Array halo;
  DONE(gpuopt_shard_halo, shard.get(), before, after, periodic, halo.out());
  std::vector<double> expected;
  const std::vector<double> values = read<double>(x);
  for (int64_t i = shard.begin() - before; shard.begin() < shard.end() && i < shard.end() + after; ++i)
    if (periodic || (i >= 0 && i < n)) expected.push_back(values[static_cast<size_t>((i + n) % n)]);
  REQUIRE(same_bits(read<double>(halo), expected));
}

void check_all_moves() {
  for (const bool anywhere : {false, true}) {
    for (const int64_t rows : {0, 1, 5, 37, 9000}) {
      check_moves(random_array({rows, 3}, GPUOPT_FLOAT64), anywhere);
      check_moves(random_array({rows}, GPUOPT_INT16), anywhere);
      check_moves(random_array({rows, 0}, GPUOPT_COMPLEX64), anywhere);
    }
    for (const int64_t rows : {1, 7, 4000})
      for (const bool periodic : {false, true})
        for (const int64_t width : {int64_t{0}, int64_t{1}, rows})
          check_halo(random_array({rows}, GPUOPT_FLOAT64), anywhere, width, rows / 2, periodic);
  }
}

// Where the library cuts: at multiples of 1024 where there are as many rows, else evenly.
void check_bounds() {
  Shard shard;
  for (const int64_t rows : {int64_t{0}, int64_t{5}, int64_t{1023}, int64_t{1024} * all(), 1024 * all() + int64_t{1}}) {
    DONE(gpuopt_shard_from_whole, world, random_array({rows}, GPUOPT_INT8).get(), shard.out());
    const int64_t *const bounds = gpuopt_shard_bounds(shard.get());
    const int64_t unit = rows >= 1024 * all() ? 1024 : 1;
    for (int r = 0; r < all(); ++r) {
      REQUIRE(bounds[r] % unit == 0 && bounds[r] <= bounds[r + 1]);
      REQUIRE(bounds[r + 1] - bounds[r] <= (rows / unit / all() + 1) * unit);
    }
    REQUIRE(bounds[0] == 0 && bounds[all()] == rows);
  }
}

// ---- Reductions and products

void check_reduction(const Array &x, gpuopt_reduction reduction, const std::vector<int64_t> &axes, bool keepdims,
                     bool anywhere, gpuopt_dtype dtype = 0) {
  Shard shard;
  cut(x, anywhere, shard);
  gpuopt_reduce_options options{};
  options.struct_size = sizeof options;
  options.axes = axes.empty() ? nullptr : axes.data();
  options.naxes = static_cast<int32_t>(axes.size());
  options.keepdims = keepdims;
  options.dtype = dtype;
  Array expected, result;
  DONE(gpuopt_reduce, reduction, x.get(), &options, expected.out());
  DONE(gpuopt_shard_reduce, shard.get(), reduction, &options, result.out());
  REQUIRE(same_array(result, expected));
}

void check_sums() {
  for (const bool anywhere : {false, true}) {
    for (const gpuopt_dtype dtype : {GPUOPT_FLOAT64, GPUOPT_FLOAT32, GPUOPT_FLOAT16, GPUOPT_BFLOAT16, GPUOPT_COMPLEX64,
                                     GPUOPT_INT32, GPUOPT_UINT8, GPUOPT_BOOL}) {
      for (const int64_t rows : {1, 700, 1024, 9001, 20480})
        check_reduction(random_array({rows}, dtype), GPUOPT_REDUCTION_sum, {}, false, anywhere);
      const Array x = random_array({2500, 3, 2}, dtype);
      for (const std::vector<int64_t> &axes : {std::vector<int64_t>{}, {0}, {0, 2}, {-2, 0}})
        check_reduction(x, GPUOPT_REDUCTION_sum, axes, axes.size() == 2, anywhere);
      check_reduction(x, GPUOPT_REDUCTION_prod, {0}, true, anywhere);
    }
    check_reduction(random_array({5000}, GPUOPT_FLOAT32), GPUOPT_REDUCTION_sum, {}, true, anywhere, GPUOPT_FLOAT64);
    check_reduction(random_array({5000}, GPUOPT_FLOAT32), GPUOPT_REDUCTION_sum, {}, true, anywhere, GPUOPT_FLOAT16);
    check_reduction(random_array({0, 3}, GPUOPT_FLOAT32), GPUOPT_REDUCTION_sum, {0}, true, anywhere);
    check_reduction(random_array({3000, 0}, GPUOPT_INT8), GPUOPT_REDUCTION_prod, {0}, false, anywhere);
    check_reduction(random_array({3000, 0}, GPUOPT_INT8), GPUOPT_REDUCTION_prod, {}, false, anywhere);
  }
}

void check_extremes() {
  Array x = random_array({3000, 2}, GPUOPT_FLOAT64);
  std::vector<double> values = read<double>(x);
  values[1003] = values[5001] = std::nan("");
  const Array with_nan = make(values, {3000, 2});
  for (const bool anywhere : {false, true}) {
    for (const auto reduction : {GPUOPT_REDUCTION_min, GPUOPT_REDUCTION_max, GPUOPT_REDUCTION_nanmin,
                                 GPUOPT_REDUCTION_nanmax, GPUOPT_REDUCTION_any, GPUOPT_REDUCTION_all}) {
      for (const std::vector<int64_t> &axes : {std::vector<int64_t>{}, {0}}) {
        check_reduction(x, reduction, axes, false, anywhere);
        check_reduction(with_nan, reduction, axes, true, anywhere);
        check_reduction(random_array({100, 3}, GPUOPT_BOOL), reduction, axes, true, anywhere);
      }
    }
    for (const auto position : {GPUOPT_REDUCTION_argmin, GPUOPT_REDUCTION_argmax}) {
      check_reduction(with_nan, position, {0}, true, anywhere);
      check_reduction(x, position, {0}, false, anywhere);
      check_reduction(random_array({900}, GPUOPT_UINT8), position, {}, false, anywhere);
    }
    check_reduction(random_array({5000}, GPUOPT_BOOL), GPUOPT_REDUCTION_count_nonzero, {}, false, anywhere);
  }
}

// a^T b from its blocks of 1024 rows, combined pairwise in rounds.
Array inner_of(const Array &a, const Array &b) {
  const int64_t n = shape_of(a)[0], axes[] = {1, 0};
  std::vector<Array> blocks;
  for (int64_t at = 0; at == 0 || at < n; at += 1024) {
    const Array left = rows_of(a, at, std::min(at + 1024, n)), right = rows_of(b, at, std::min(at + 1024, n));
    Array turned, product;
    DONE(gpuopt_permute_dims, left.get(), axes, turned.out());
    DONE(gpuopt_matmul, turned.get(), right.get(), product.out());
    blocks.push_back(std::move(product));
  }
  while (blocks.size() > 1) {
    std::vector<Array> next;
    for (size_t j = 0; j < blocks.size(); j += 2) {
      if (j + 1 < blocks.size()) {
        Array sum;
        DONE(gpuopt_add, blocks[j].get(), blocks[j + 1].get(), sum.out());
        blocks[j] = std::move(sum);
      }
      next.push_back(std::move(blocks[j]));
    }
    blocks = std::move(next);
  }
  return std::move(blocks[0]);
}

void check_products() {
  for (const bool anywhere : {false, true}) {
    for (const int64_t rows : {0, 3, 1024, 7000}) {
      for (const gpuopt_dtype dtype : {GPUOPT_FLOAT64, GPUOPT_FLOAT32, GPUOPT_INT32, GPUOPT_COMPLEX128}) {
        const Array a = random_array({rows, 4}, dtype), b = random_array({rows, 3}, GPUOPT_FLOAT32);
        Shard x, regular, y;
        cut(a, anywhere, x);
        DONE(gpuopt_shard_from_whole, world, b.get(), regular.out());
        DONE(gpuopt_shard_recut, regular.get(), gpuopt_shard_bounds(x.get()), y.out());
        Array result;
        DONE(gpuopt_shard_crossprod, x.get(), x.get(), result.out());
        REQUIRE(same_array(result, inner_of(a, a)));
        DONE(gpuopt_shard_crossprod, x.get(), y.get(), result.out());
        Array expected = inner_of(a, b);
        REQUIRE(same_array(result, expected));
        Shard product;
        DONE(gpuopt_shard_matmul, x.get(), expected.get(), product.out());
        Array whole;
        DONE(gpuopt_shard_gather, product.get(), -1, whole.out());
        DONE(gpuopt_matmul, a.get(), expected.get(), result.out());
        REQUIRE(same_array(result, whole));
      }
    }
  }
}

// ---- Sorting

void check_sort(const Array &x, bool anywhere) {
  Shard shard, values, places;
  cut(x, anywhere, shard);
  DONE(gpuopt_shard_sort, shard.get(), values.out(), places.out());
  const int64_t axis = 0;
  Array expected, order, whole;
  DONE(gpuopt_sort, x.get(), &axis, 0, expected.out());
  DONE(gpuopt_argsort, x.get(), &axis, 0, order.out());
  DONE(gpuopt_shard_gather, values.get(), -1, whole.out());
  REQUIRE(same_array(whole, expected));
  DONE(gpuopt_shard_gather, places.get(), -1, whole.out());
  REQUIRE(same_array(whole, order));
  REQUIRE(values.begin() == shard.begin() && values.end() == shard.end());
  Shard alone;
  DONE(gpuopt_shard_sort, shard.get(), alone.out(), nullptr);
  REQUIRE(same_array(alone.part(), values.part()));
}

void check_sorts() {
  for (const bool anywhere : {false, true}) {
    for (const int64_t rows : {0, 1, 3, 50, 6000})
      for (const gpuopt_dtype dtype : {GPUOPT_FLOAT64, GPUOPT_INT8, GPUOPT_BOOL, GPUOPT_COMPLEX64, GPUOPT_BFLOAT16})
        check_sort(random_array({rows}, dtype), anywhere);
    std::vector<double> values = read<double>(random_array({2000}, GPUOPT_FLOAT64));
    for (size_t i = 0; i < values.size(); i += 7) values[i] = std::nan("");
    check_sort(make(values), anywhere);
    check_sort(make(std::vector<float>(3000, 2.0F)), anywhere);
  }
}

// ---- Other axes

// The whole array cut along an axis, at the places where the library cuts or at odd ones.
void cut_along(const Array &whole, int axis, bool anywhere, Shard &shard) {
  const int64_t n = shape_of(whole)[static_cast<size_t>(axis)];
  std::vector<int64_t> bounds{0};
  for (int r = 1; r < all(); ++r) bounds.push_back(anywhere ? std::min(n, bounds.back() + r % 3) : n * r / all());
  bounds.push_back(n);
  std::vector<gpuopt_index> items(shape_of(whole).size(), gpuopt_slice_all());
  items[static_cast<size_t>(axis)] =
      gpuopt_slice_step(bounds[static_cast<size_t>(me())], bounds[static_cast<size_t>(me()) + 1], 1);
  Array part;
  DONE(gpuopt_slice, whole.get(), static_cast<int32_t>(items.size()), items.data(), part.out());
  DONE(gpuopt_shard_from_parts_along, world, part.get(), axis, shard.out());
  REQUIRE(gpuopt_shard_axis(shard.get()) == axis && gpuopt_shard_rows(shard.get()) == n);
}

void check_reduced_along(const Array &whole, const Shard &shard, int axis) {
  const int ndim = static_cast<int>(shape_of(whole).size());
  for (int mask = 1; mask < 1 << ndim; ++mask) {
    if (!(mask >> axis & 1)) continue;
    std::vector<int64_t> axes;
    for (int i = 0; i < ndim; ++i)
      if (mask >> i & 1) axes.push_back(i);
    for (const bool keep : {false, true}) {
      gpuopt_reduce_options options{};
      options.struct_size = sizeof options;
      options.axes = axes.data();
      options.naxes = static_cast<int32_t>(axes.size());
      options.keepdims = keep;
      for (const gpuopt_reduction how : {GPUOPT_REDUCTION_sum, GPUOPT_REDUCTION_max, GPUOPT_REDUCTION_count_nonzero}) {
        Array expected, got;
        DONE(gpuopt_reduce, how, whole.get(), &options, expected.out());
        DONE(gpuopt_shard_reduce, shard.get(), how, &options, got.out());
        REQUIRE(same_array(got, expected));
      }
    }
  }
}

void check_moves_along(const Array &whole, const Shard &shard, int axis) {
  const int64_t n = shape_of(whole)[static_cast<size_t>(axis)];
  Array gathered, around;
  Shard recut, with;
  DONE(gpuopt_shard_gather, shard.get(), -1, gathered.out());
  REQUIRE(same_array(gathered, whole));
  DONE(gpuopt_shard_recut, shard.get(), nullptr, recut.out());
  REQUIRE(gpuopt_shard_axis(recut.get()) == axis);
  DONE(gpuopt_shard_gather, recut.get(), -1, gathered.out());
  REQUIRE(same_array(gathered, whole));
  DONE(gpuopt_shard_with, recut.get(), recut.part().get(), with.out());
  REQUIRE(gpuopt_shard_axis(with.get()) == axis);
  DONE(gpuopt_shard_halo, shard.get(), 1, 2, 0, around.out());
  const int64_t begin = std::max<int64_t>(shard.begin() - 1, 0), end = std::min(n, shard.end() + 2);
  std::vector<gpuopt_index> items(shape_of(whole).size(), gpuopt_slice_all());
  const bool none = shard.begin() == shard.end();
  items[static_cast<size_t>(axis)] = gpuopt_slice_step(none ? 0 : begin, none ? 0 : end, 1);
  Array expected;
  DONE(gpuopt_slice, whole.get(), static_cast<int32_t>(items.size()), items.data(), expected.out());
  REQUIRE(same_array(around, expected));
}

void check_turns(const Array &whole, const Shard &shard) {
  const int ndim = static_cast<int>(shape_of(whole).size());
  for (int to = 0; to < ndim; ++to) {
    Shard turned;
    Array gathered;
    DONE(gpuopt_shard_along, shard.get(), to - ndim, turned.out());
    REQUIRE(gpuopt_shard_axis(turned.get()) == to);
    REQUIRE(gpuopt_shard_rows(turned.get()) == shape_of(whole)[static_cast<size_t>(to)]);
    DONE(gpuopt_shard_gather, turned.get(), -1, gathered.out());
    REQUIRE(same_array(gathered, whole));
  }
}

void check_axes() {
  const gpuopt_dtype dtypes[] = {GPUOPT_FLOAT64, GPUOPT_FLOAT16, GPUOPT_INT8};
  int turn = 0;
  for (const Shape &shape : {Shape{5, 7, 3}, Shape{2, 2100}, Shape{0, 4}, Shape{3, 0, 2}, Shape{1, 1}, Shape{6}})
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
      for (const bool anywhere : {false, true}) {
        const Array whole = random_array(shape, dtypes[turn++ % 3]);
        Shard shard;
        cut_along(whole, axis, anywhere, shard);
        if (gpuopt_array_size(whole.get())) check_reduced_along(whole, shard, axis);
        check_moves_along(whole, shard, axis);
        check_turns(whole, shard);
      }
  const Array x = random_array({3, 4}, GPUOPT_FLOAT64), b = random_array({4}, GPUOPT_FLOAT64);
  Shard columns, made;
  DONE(gpuopt_shard_from_parts_along, world, x.get(), -1, columns.out());
  FAILS(GPUOPT_ERR_INDEX, "axis", gpuopt_shard_along, columns.get(), 2, made.out());
  FAILS(GPUOPT_ERR_INDEX, "axis", gpuopt_shard_from_parts_along, world, x.get(), -3, made.out());
  FAILS(GPUOPT_ERR_INDEX, "axis", gpuopt_shard_with, columns.get(), b.get(), made.out());
  FAILS(GPUOPT_ERR_SHAPE, "rows", gpuopt_shard_with, columns.get(), random_array({4, 3}, GPUOPT_INT8).get(),
        made.out());
  if (all() > 1) FAILS(GPUOPT_ERR_COMM, "other arguments", gpuopt_shard_along, columns.get(), me() == 0, made.out());
  if (all() > 1)
    FAILS(GPUOPT_ERR_COMM, "other arguments", gpuopt_shard_from_parts_along, world,
          random_array({4, 4}, GPUOPT_INT8).get(), me() == 0, made.out());
}

// The product of the shard, which is cut along its columns, and an array has the rows, and the bits, of that of a.
void check_times_along(const Array &a, const Shard &columns, const Array &b) {
  Shard product;
  Array whole, expected;
  DONE(gpuopt_shard_matmul, columns.get(), b.get(), product.out());
  REQUIRE(gpuopt_shard_axis(product.get()) == 0);
  DONE(gpuopt_shard_gather, product.get(), -1, whole.out());
  DONE(gpuopt_matmul, a.get(), b.get(), expected.out());
  REQUIRE(same_array(whole, expected));
}

void check_crossprod(const Shard &x, const Shard &y, const Array &expected) {
  Array result;
  DONE(gpuopt_shard_crossprod, x.get(), y.get(), result.out());
  REQUIRE(same_array(result, expected));
}

void check_products_along(const Shape &shape, gpuopt_dtype dtype, bool anywhere) {
  const Array a = random_array(shape, dtype), other = random_array({shape[0], 3}, GPUOPT_FLOAT32);
  Shard columns, rows, columns_of_other, rows_of_other;
  cut_along(a, 1, anywhere, columns);
  check_times_along(a, columns, random_array({shape[1]}, dtype));
  check_times_along(a, columns, random_array({shape[1], 2}, GPUOPT_FLOAT32));
  cut(a, anywhere, rows);
  cut_along(other, 1, anywhere, columns_of_other);
  cut(other, anywhere, rows_of_other);
  check_crossprod(columns, columns, inner_of(a, a));
  check_crossprod(columns, columns_of_other, inner_of(a, other));
  check_crossprod(columns, rows_of_other, inner_of(a, other));
  check_crossprod(rows, columns_of_other, inner_of(a, other));
}

void check_all_products_along() {
  const gpuopt_dtype dtypes[] = {GPUOPT_FLOAT64, GPUOPT_INT32, GPUOPT_FLOAT32, GPUOPT_COMPLEX128};
  int turn = 0;
  for (const Shape &shape : {Shape{5, 7}, Shape{2100, 3}, Shape{3, 2100}, Shape{0, 4}, Shape{4, 0}, Shape{1, 1}})
    for (const bool anywhere : {false, true}) check_products_along(shape, dtypes[turn++ % 4], anywhere);
  const Array x = random_array({3, 4}, GPUOPT_FLOAT64), deep = random_array({2, 2, 2}, GPUOPT_FLOAT64);
  const Array vector = random_array({4 * all()}, GPUOPT_FLOAT64), matrix = random_array({4 * all(), 2}, GPUOPT_FLOAT64);
  const Array shorter = random_array({4 * all() + 1}, GPUOPT_FLOAT64), single = make(std::vector<double>{1}, {});
  Shard columns, stack, rows, made;
  Array result;
  DONE(gpuopt_shard_from_parts_along, world, x.get(), 1, columns.out());
  DONE(gpuopt_shard_from_parts_along, world, deep.get(), 2, stack.out());
  DONE(gpuopt_shard_from_parts, world, x.get(), rows.out());
  FAILS(GPUOPT_ERR_SHAPE, "not aligned", gpuopt_shard_matmul, columns.get(), shorter.get(), made.out());
  FAILS(GPUOPT_ERR_SHAPE, "not 1 or 2", gpuopt_shard_matmul, columns.get(), single.get(), made.out());
  FAILS(GPUOPT_ERR_SHAPE, "not 2", gpuopt_shard_matmul, stack.get(), vector.get(), made.out());
  FAILS(GPUOPT_ERR_SHAPE, "not 2", gpuopt_shard_crossprod, columns.get(), stack.get(), result.out());
  FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "NULL", gpuopt_shard_matmul, columns.get(), nullptr, made.out());
  FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "NULL", gpuopt_shard_matmul, columns.get(), vector.get(),
        static_cast<gpuopt_shard *>(nullptr));
  if (all() == 1) return;
  const bool odd = me() == all() - 1;
  FAILS(GPUOPT_ERR_SHAPE, "not cut alike", gpuopt_shard_crossprod, columns.get(), rows.get(), result.out());
  FAILS(GPUOPT_ERR_COMM, "other arguments", gpuopt_shard_matmul, columns.get(), (odd ? vector : matrix).get(),
        made.out());
  DONE(gpuopt_shard_matmul, columns.get(), vector.get(), made.out());  // the group goes on
}

// ---- Random numbers

void check_random() {
  gpuopt_generator one = nullptr, many = nullptr, pcg = nullptr;
  DONE(gpuopt_generator_create, device, 5, &one);
  DONE(gpuopt_generator_create, device, 5, &many);
  const uint32_t entropy[] = {1};
  DONE(gpuopt_generator_create_pcg64, device, 1, entropy, 0, nullptr, &pcg);
  for (const Shape &shape : {Shape{5000}, Shape{10, 3}, Shape{0, 2}, Shape{3, 0}, Shape{1, 2, 2}}) {
    const auto ndim = static_cast<int32_t>(shape.size());
    Array whole, gathered;
    Shard shard;
    DONE(gpuopt_generator_draw, one, GPUOPT_DISTRIBUTION_STANDARD_NORMAL, 0, nullptr, 0, ndim, shape.data(),
         whole.out());
    DONE(gpuopt_shard_draw, world, many, GPUOPT_DISTRIBUTION_STANDARD_NORMAL, 0, nullptr, 0, ndim, shape.data(),
         shard.out());
    DONE(gpuopt_shard_gather, shard.get(), -1, gathered.out());
    REQUIRE(same_array(gathered, whole));
  }
  const int64_t shape[] = {4, 3};
  Shard shard;
  FAILS(GPUOPT_ERR_UNSUPPORTED, "PCG64", gpuopt_shard_draw, world, pcg, GPUOPT_DISTRIBUTION_STANDARD_NORMAL, 0, nullptr,
        0, 2, shape, shard.out());
  const Array loc = random_array({4, 1}, GPUOPT_FLOAT64), scale = make(std::vector<double>{1, 2, 3});
  const gpuopt_array wrong[] = {loc.get(), scale.get()};
  FAILS(GPUOPT_ERR_SHAPE, "each row", gpuopt_shard_draw, world, many, GPUOPT_DISTRIBUTION_NORMAL, 2, wrong, 0, 2, shape,
        shard.out());
  const gpuopt_array right[] = {scale.get(), scale.get()};
  Array whole, gathered;
  DONE(gpuopt_generator_draw, one, GPUOPT_DISTRIBUTION_NORMAL, 2, right, 0, 2, shape, whole.out());
  DONE(gpuopt_shard_draw, world, many, GPUOPT_DISTRIBUTION_NORMAL, 2, right, 0, 2, shape, shard.out());
  DONE(gpuopt_shard_gather, shard.get(), -1, gathered.out());
  REQUIRE(same_array(gathered, whole));
  for (gpuopt_generator generator : {one, many, pcg}) gpuopt_generator_release(generator);
}

// ---- Files

void check_files(const std::string &directory) {
  const std::string path = directory + "/x.npy", plain = directory + "/plain.npy";
  const int64_t axes[] = {1, 0};
  for (const Shape &shape : {Shape{3000, 2}, Shape{2, 5}, Shape{0, 3}, Shape{7}, Shape{1500, 0}}) {
    for (const bool anywhere : {false, true}) {
      const Array x = random_array(shape, GPUOPT_FLOAT32);
      Shard shard, loaded;
      cut(x, anywhere, shard);
      DONE(gpuopt_shard_save_npy, shard.get(), path.c_str());
      Array back, gathered, turned;
      DONE(gpuopt_load_npy, device, path.c_str(), back.out());
      REQUIRE(same_array(back, x));
      DONE(gpuopt_comm_barrier, world);
      if (me() == 0) DONE(gpuopt_save_npy, x.get(), plain.c_str());
      if (me() == 0 && shape.size() == 2) {  // in Fortran order
        const Array y = random_array({1}, GPUOPT_FLOAT32);
        Array copy;
        DONE(gpuopt_permute_dims, x.get(), axes, turned.out());
        DONE(gpuopt_astype, turned.get(), GPUOPT_FLOAT32, GPUOPT_COPY_ALWAYS, copy.out());
        DONE(gpuopt_permute_dims, copy.get(), axes, turned.out());
        DONE(gpuopt_save_npy, turned.get(), plain.c_str());
      } else if (shape.size() == 2) {
        random_array({1}, GPUOPT_FLOAT32);  // draws what rank 0 draws
      }
      DONE(gpuopt_comm_barrier, world);
      for (const std::string &file : {path, plain}) {
        DONE(gpuopt_shard_load_npy, world, nullptr, file.c_str(), loaded.out());
        DONE(gpuopt_shard_gather, loaded.get(), -1, gathered.out());
        REQUIRE(same_array(gathered, x));
      }
    }
  }
}

std::string content_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.is_open());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// However an array is cut, its file has the bytes of that of the whole array.
void check_files_along(const std::string &directory) {
  const std::string path = directory + "/along.npy", plain = directory + "/plain.npy";
  const gpuopt_dtype dtypes[] = {GPUOPT_FLOAT64, GPUOPT_BOOL, GPUOPT_COMPLEX64, GPUOPT_FLOAT16};
  int turn = 0;
  for (const Shape &shape : {Shape{5, 7, 3}, Shape{2, 3, 2}, Shape{2, 2100}, Shape{1, 3, 900}, Shape{40, 3},
                             Shape{0, 4}, Shape{3, 0, 2}, Shape{1, 1}})
    for (int axis = 1; axis < static_cast<int>(shape.size()); ++axis)
      for (const bool anywhere : {false, true}) {
        const Array whole = random_array(shape, dtypes[turn++ % 4]);
        Shard shard;
        cut_along(whole, axis, anywhere, shard);
        if (me() == 0) DONE(gpuopt_save_npy, whole.get(), plain.c_str());
        DONE(gpuopt_shard_save_npy, shard.get(), path.c_str());
        REQUIRE(content_of(path) == content_of(plain));
        DONE(gpuopt_comm_barrier, world);
      }
}

// A rank that cannot write is an error on all of them, and the file that was there stays.
void check_failing_files(const std::string &directory) {
  const Array x = random_array({3000}, GPUOPT_FLOAT64), single = make(std::vector<double>{1}, {});
  Shard shard, loaded;
  cut(x, false, shard);
  const std::string path = directory + "/kept.npy";
  DONE(gpuopt_shard_save_npy, shard.get(), path.c_str());
  for (const std::string &bad : {directory + "/none/x.npy", directory, std::string("/dev/null")})
    FAILS(me() == 0 ? GPUOPT_ERR_IO : GPUOPT_ERR_COMM, "'", gpuopt_shard_save_npy, shard.get(), bad.c_str());
  FAILS(GPUOPT_ERR_IO, "none.npy", gpuopt_shard_load_npy, world, nullptr, (directory + "/none.npy").c_str(),
        loaded.out());
  const std::string number = directory + "/number.npy";
  if (me() == 0) DONE(gpuopt_save_npy, single.get(), number.c_str());
  DONE(gpuopt_comm_barrier, world);
  FAILS(GPUOPT_ERR_SHAPE, "rows", gpuopt_shard_load_npy, world, nullptr, number.c_str(), loaded.out());
  Array back;
  DONE(gpuopt_load_npy, device, path.c_str(), back.out());
  REQUIRE(same_array(back, x));
}

void limit_files(rlim_t bytes) {
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  REQUIRE(std::signal(SIGXFSZ, SIG_IGN) != SIG_ERR && setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

// The last rank may write no more than a few bytes: a limit of the process stands for the full disk.
void check_full_disk(const std::string &directory, const Shape &shape, int axis) {
  const Array x = random_array(shape, GPUOPT_FLOAT64), y = random_array(shape, GPUOPT_FLOAT64);
  Shard shard, other;
  cut_along(x, axis, false, shard);
  cut_along(y, axis, false, other);
  const std::string path = directory + "/full.npy";
  DONE(gpuopt_shard_save_npy, shard.get(), path.c_str());
  const bool is_last = me() == all() - 1;
  if (is_last) limit_files(100000);
  FAILS(is_last ? GPUOPT_ERR_IO : GPUOPT_ERR_COMM, "File too large", gpuopt_shard_save_npy, other.get(), path.c_str());
  if (is_last) limit_files(RLIM_INFINITY);
  Array back;
  DONE(gpuopt_load_npy, device, path.c_str(), back.out());
  REQUIRE(same_array(back, x));
  DONE(gpuopt_shard_save_npy, other.get(), path.c_str());
}

// ---- Calls that do not fit together, after which the group goes on

void check_mismatches() {
  const bool odd = me() == all() - 1;
  const Array x = random_array({10, 2}, GPUOPT_FLOAT64), other = random_array({10, 3}, GPUOPT_FLOAT64);
  Shard a, b, made;
  Array result;
  DONE(gpuopt_shard_from_parts, world, x.get(), a.out());
  REQUIRE(gpuopt_shard_rows(a.get()) == 10 * all());
  const int64_t axis[] = {1}, rows[] = {0};
  gpuopt_reduce_options wrong{}, right{};
  wrong.struct_size = right.struct_size = sizeof wrong;
  wrong.axes = axis;
  right.axes = rows;
  wrong.naxes = right.naxes = 1;
  FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "axis 0", gpuopt_shard_reduce, a.get(), GPUOPT_REDUCTION_sum, &wrong,
        result.out());
  FAILS(GPUOPT_ERR_UNSUPPORTED, "along axis 0", gpuopt_shard_reduce, a.get(), GPUOPT_REDUCTION_argmin, nullptr,
        result.out());
  FAILS(GPUOPT_ERR_SHAPE, "2 dimensions", gpuopt_shard_sort, a.get(), made.out(), nullptr);
  FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "negative", gpuopt_shard_halo, a.get(), -1, 0, 0, result.out());
  FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "periodic", gpuopt_shard_halo, a.get(), 10 * all() + 1, 0, 1, result.out());
  FAILS(GPUOPT_ERR_SHAPE, "rows", gpuopt_shard_with, a.get(), random_array({9}, GPUOPT_INT8).get(), made.out());
  FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "NULL", gpuopt_shard_gather, nullptr, -1, result.out());
  std::vector<int64_t> bounds(static_cast<size_t>(all()) + 1, 1);
  FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "boundaries", gpuopt_shard_recut, a.get(), bounds.data(), made.out());
  if (all() > 1) {
    FAILS(GPUOPT_ERR_COMM, "its part is", gpuopt_shard_from_parts, world, odd ? other.get() : x.get(), made.out());
    FAILS(GPUOPT_ERR_COMM, "other arguments", gpuopt_shard_reduce, a.get(), GPUOPT_REDUCTION_sum,
          odd ? &right : nullptr, result.out());
    FAILS(GPUOPT_ERR_COMM, "root", gpuopt_shard_gather, a.get(), odd ? -1 : 0, result.out());
  }
  DONE(gpuopt_shard_gather, a.get(), -1, result.out());
  REQUIRE(shape_of(result)[0] == 10 * all());
}

int run(int argc, char **argv) {
  begin();
  const std::string directory = argc > 1 ? argv[1] : ".";
  check_bounds();
  check_all_moves();
  check_sums();
  check_extremes();
  check_products();
  check_sorts();
  check_axes();
  check_all_products_along();
  check_random();
  check_files(directory);
  check_files_along(directory);
  check_failing_files(directory);
  if (!are_threads()) {  // the limit is that of a process
    check_full_disk(directory, {200000}, 0);
    check_full_disk(directory, {3, 60000}, 1);  // is written as it is cut, by runs
    check_full_disk(directory, {60000, 3}, 1);  // is turned before
  }
  check_mismatches();
  DONE(gpuopt_comm_barrier, world);
  gpuopt_comm_release(world);
  return 0;
}

}  // namespace

int main(int argc, char **argv) { return run_ranks(run, argc, argv); }
