// tests/comm/search_shards.cpp -- the steps of search.cpp on sharded arrays: one is made in a random way, cut at random
// places along a random axis, and then used. All ranks know the whole array, which the results are compared with.
#include "tests/comm/search.h"

namespace search {
namespace {

// The shard of a step, and the whole array.
struct Cut {
  Step &step;
  Whole whole;
  Shard shard = {};
  size_t axis() const { return static_cast<size_t>(gpuopt_shard_axis(shard.get())); }
  int64_t rows() const { return whole.shape[axis()]; }
  int64_t bound(int r) const { return gpuopt_shard_bounds(shard.get())[r]; }
  int64_t begin() const { return bound(step.group.me()); }
  int64_t end() const { return bound(step.group.me() + 1); }

  void check() const {
    EXPECT(bound(0) == 0 && bound(step.group.size()) == rows() && gpuopt_shard_rows(shard.get()) == rows());
    Array part;
    CALL(gpuopt_shard_part, shard.get(), part.out());
    SAME(part, serial::cut(whole, axis(), begin(), end()));
  }
};

std::vector<int64_t> random_bounds(Random &plan, int64_t rows, int ranks) {
  std::vector<int64_t> bounds{0};
  for (int r = 1; r < ranks; ++r) bounds.push_back(plan.once_in(5) ? 0 : plan.below(rows + 1));
  bounds.push_back(rows);
  std::sort(bounds.begin(), bounds.end());
  return bounds;
}

void make(Cut &cut) {
  Step &step = cut.step;
  const gpuopt_comm comm = step.group.comm;
  const int64_t kind = step.plan.below(3);
  const int me = step.group.me();
  if (kind == 0) {
    step.says("shard_from_whole of " + serial::described(cut.whole));
    CALL(gpuopt_shard_from_whole, comm, any_array(cut.whole, step.own).get(), cut.shard.out());
  } else if (kind == 1) {
    const int root = static_cast<int>(step.plan.below(step.group.size()));
    step.says("shard_from_array of " + serial::described(cut.whole));
    const Array x = me == root ? any_array(cut.whole, step.own) : Array();
    CALL(gpuopt_shard_from_array, comm, x.get(), root, cut.shard.out());
  } else {
    const int64_t axis = step.plan.below(static_cast<int64_t>(cut.whole.shape.size()));
    const auto k = static_cast<size_t>(axis), r = static_cast<size_t>(me);
    const std::vector<int64_t> bounds = random_bounds(step.plan, cut.whole.shape[k], step.group.size());
    step.says("shard_from_parts_along " + std::to_string(axis) + " of " + serial::described(cut.whole));
    const Array part = any_array(serial::cut(cut.whole, k, bounds[r], bounds[r + 1]), step.own);
    CALL(gpuopt_shard_from_parts_along, comm, part.get(), axis, cut.shard.out());
    EXPECT(std::equal(bounds.begin(), bounds.end(), gpuopt_shard_bounds(cut.shard.get())));
  }
  cut.check();
}

// Cuts it elsewhere, at random places or where the library does, or along another axis.
void cut_again(Cut &cut) {
  Step &step = cut.step;
  Shard made;
  if (step.plan.once_in(2)) {
    const std::vector<int64_t> bounds = random_bounds(step.plan, cut.rows(), step.group.size());
    const bool anywhere = step.plan.once_in(2);
    step.says("shard_recut of " + serial::described(cut.whole));
    CALL(gpuopt_shard_recut, cut.shard.get(), anywhere ? bounds.data() : nullptr, made.out());
  } else {
    const int64_t axis = step.plan.below(static_cast<int64_t>(cut.whole.shape.size()));
    step.says("shard_along " + std::to_string(axis) + " of " + serial::described(cut.whole));
    CALL(gpuopt_shard_along, cut.shard.get(), axis, made.out());
    EXPECT(gpuopt_shard_axis(made.get()) == axis);
  }
  cut.shard.swap(made);
  cut.check();
}

void gather(Cut &cut) {
  Step &step = cut.step;
  const int root = static_cast<int>(step.plan.below(step.group.size() + 1)) - 1;
  step.says("shard_gather of " + serial::described(cut.whole));
  Array whole;
  CALL(gpuopt_shard_gather, cut.shard.get(), root, whole.out());
  EXPECT((whole.get() != nullptr) == (root < 0 || root == step.group.me()));
  if (whole.get()) SAME(whole, cut.whole);
}

void halo(Cut &cut) {
  Step &step = cut.step;
  const int64_t n = cut.rows(), before = step.plan.below(n + 1), after = step.plan.below(n + 1);
  const bool periodic = step.plan.once_in(2);
  step.says("shard_halo of " + serial::described(cut.whole));
  Array got;
  CALL(gpuopt_shard_halo, cut.shard.get(), before, after, periodic, got.out());
  const size_t axis = cut.axis();
  std::vector<Whole> pieces;
  for (int64_t i = cut.begin() - before; cut.begin() < cut.end() && i < cut.end() + after; ++i)
    if (periodic || (i >= 0 && i < n)) pieces.push_back(serial::cut(cut.whole, axis, (i + n) % n, (i + n) % n + 1));
  if (pieces.empty()) pieces.push_back(serial::cut(cut.whole, axis, 0, 0));
  SAME(got, serial::joined(pieces, axis));
}

// The bits are those of the same function of the whole array, which this rank's device computes.
void reduce(Cut &cut) {
  Step &step = cut.step;
  const bool empty = cut.whole.count() == 0;
  std::vector<gpuopt_reduction> list = {GPUOPT_REDUCTION_sum, GPUOPT_REDUCTION_prod, GPUOPT_REDUCTION_any,
                                        GPUOPT_REDUCTION_all, GPUOPT_REDUCTION_count_nonzero};
  if (!empty && !serial::is_complex(cut.whole.dtype))
    list.insert(list.end(),
                {GPUOPT_REDUCTION_min, GPUOPT_REDUCTION_max, GPUOPT_REDUCTION_argmin, GPUOPT_REDUCTION_argmax});
  const gpuopt_reduction reduction = step.plan.one_of(list);
  std::vector<int64_t> axes;
  const bool position = reduction == GPUOPT_REDUCTION_argmin || reduction == GPUOPT_REDUCTION_argmax;
  for (size_t i = 0; i < cut.whole.shape.size(); ++i)
    if (i == cut.axis() || (step.plan.once_in(2) && !position)) axes.push_back(static_cast<int64_t>(i));
  gpuopt_reduce_options options{};
  options.struct_size = sizeof options;
  options.axes = axes.data();
  options.naxes = static_cast<int32_t>(axes.size());
  options.keepdims = step.plan.once_in(2);
  step.says("shard_reduce " + std::to_string(reduction) + " of " + serial::described(cut.whole));
  Array expected, result;
  DONE(gpuopt_reduce, reduction, array_of(cut.whole).get(), &options, expected.out());
  CALL(gpuopt_shard_reduce, cut.shard.get(), reduction, &options, result.out());
  SAME(result, whole_of(expected));
}

template <class T>
bool is_before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return a < b;
}

// An array of one dimension, of a dtype whose elements C++ compares.
void sort(Step &step) {
  const gpuopt_dtype dtype = step.plan.one_of(
      std::vector<gpuopt_dtype>{GPUOPT_BOOL, GPUOPT_INT8, GPUOPT_UINT64, GPUOPT_INT32, GPUOPT_FLOAT32, GPUOPT_FLOAT64});
  const serial::Range range = step.plan.once_in(2) ? serial::Range::kSmall : serial::Range::kAny;
  const Shape shape{step.plan.one_of(std::vector<int64_t>{0, 1, 2, 5, 33, 500, 2049, 6000})};
  Cut cut{step, serial::random_whole(Random(step.plan.next()), dtype, shape, range)};
  make(cut);
  if (step.plan.once_in(2)) cut_again(cut);
  const int64_t n = shape[0];
  std::vector<int64_t> order;
  for (int64_t i = 0; i < n; ++i) order.push_back(i);
  Whole sorted(dtype, shape), places(GPUOPT_INT64, shape);
  serial::with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_arithmetic_v<T>)
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return is_before(cut.whole.get<T>(a), cut.whole.get<T>(b)); });
  });
  for (int64_t i = 0; i < n; ++i) {
    const int64_t from = order[static_cast<size_t>(i)];
    std::memcpy(sorted.at(i), cut.whole.at(from), sorted.item());
    places.set(i, from);
  }
  step.says("shard_sort of " + serial::described(cut.whole));
  Shard values, positions;
  const bool wants = step.plan.once_in(2);
  CALL(gpuopt_shard_sort, cut.shard.get(), values.out(), wants ? positions.out() : nullptr);
  Array part;
  CALL(gpuopt_shard_part, values.get(), part.out());
  SAME(part, serial::rows(sorted, cut.begin(), cut.end()), true);
  if (!wants) return;
  CALL(gpuopt_shard_part, positions.get(), part.out());
  SAME(part, serial::rows(places, cut.begin(), cut.end()));
}

// The product of two matrices of small integers, the first one transposed if that is asked for.
template <class T>
Whole product(const Whole &a, const Whole &b, bool transposed) {
  const int64_t m = a.shape[transposed ? 1 : 0], k = a.shape[transposed ? 0 : 1], n = b.shape[1];
  Whole c(a.dtype, {m, n});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum = static_cast<T>(sum + a.get<T>(transposed ? l * m + i : i * k + l) * b.get<T>(l * n + j));
      c.set(i * n + j, sum);
    }
  return c;
}

Whole product_of(const Whole &a, const Whole &b, bool transposed) {
  if (a.dtype == GPUOPT_INT32) return product<int32_t>(a, b, transposed);
  if (a.dtype == GPUOPT_FLOAT32) return product<float>(a, b, transposed);
  return product<double>(a, b, transposed);
}

void multiply(Step &step) {
  const gpuopt_dtype dtype = step.plan.one_of(std::vector<gpuopt_dtype>{GPUOPT_INT32, GPUOPT_FLOAT32, GPUOPT_FLOAT64});
  const std::vector<int64_t> heights = {0, 1, 3, 40, 1024, 2500}, widths = {0, 1, 2, 5, 9};
  const int64_t n = step.plan.one_of(heights), m = step.plan.one_of(widths), k = step.plan.one_of(widths);
  const bool inner = step.plan.once_in(2);
  Cut a{step, serial::random_whole(Random(step.plan.next()), dtype, {n, m}, serial::Range::kSmall)};
  const Whole b = serial::random_whole(Random(step.plan.next()), dtype, {inner ? n : m, k}, serial::Range::kSmall);
  make(a);
  if (step.plan.once_in(2)) cut_again(a);
  if (inner) {
    Shard along, rows;  // cut along its rows as a is; where a is cut along its columns, anywhere
    CALL(gpuopt_shard_from_whole, step.group.comm, array_of(b).get(), along.out());
    const bool alike = a.axis() == 0;
    CALL(gpuopt_shard_recut, along.get(), alike ? gpuopt_shard_bounds(a.shard.get()) : nullptr, rows.out());
    step.says("shard_crossprod of " + serial::described(a.whole) + " and " + serial::described(b));
    Array result;
    CALL(gpuopt_shard_crossprod, a.shard.get(), rows.get(), result.out());
    SAME(result, product_of(a.whole, b, true), true);
    return;
  }
  step.says("shard_matmul of " + serial::described(a.whole) + " and " + serial::described(b));
  Cut c{step, product_of(a.whole, b, false)};
  CALL(gpuopt_shard_matmul, a.shard.get(), any_array(b, step.own).get(), c.shard.out());
  Array part;
  CALL(gpuopt_shard_part, c.shard.get(), part.out());
  SAME(part, serial::rows(c.whole, c.begin(), c.end()), true);
}

// Written by pieces and read again, by all ranks of the group and by this one alone.
void through_a_file(Cut &cut, const std::string &folder) {
  Step &step = cut.step;
  const std::string path = folder + "/" + std::to_string(step.group.members[0]) + ".npy";
  step.says("shard_save_npy of " + serial::described(cut.whole));
  CALL(gpuopt_shard_save_npy, cut.shard.get(), path.c_str());
  Array back;
  DONE(gpuopt_load_npy, rank_test::device, path.c_str(), back.out());
  SAME(back, cut.whole);
  Cut again{step, cut.whole};
  CALL(gpuopt_shard_load_npy, step.group.comm, rank_test::device, path.c_str(), again.shard.out());
  again.check();
  CALL(gpuopt_comm_barrier, step.group.comm);  // before the next one is written
}

// Random numbers: the parts of one stream.
void draw(Step &step) {
  const Shape shape = random_shape(step.plan, 1, step.group.size());
  const uint64_t seed = step.plan.next() >> 1;
  step.says("shard_draw");
  gpuopt_generator one = nullptr, many = nullptr;
  DONE(gpuopt_generator_create, rank_test::device, seed, &one);
  DONE(gpuopt_generator_create, rank_test::device, seed, &many);
  const auto ndim = static_cast<int32_t>(shape.size());
  Array whole;
  Cut cut{step, {}};
  for (int i = 0; i < 2; ++i) {  // the generators are behind the whole of it afterwards
    DONE(gpuopt_generator_draw, one, GPUOPT_DISTRIBUTION_STANDARD_NORMAL, 0, nullptr, 0, ndim, shape.data(),
         whole.out());
    CALL(gpuopt_shard_draw, step.group.comm, many, GPUOPT_DISTRIBUTION_STANDARD_NORMAL, 0, nullptr, 0, ndim,
         shape.data(), cut.shard.out());
    cut.whole = whole_of(whole);
    cut.check();
  }
  gpuopt_generator_release(one);
  gpuopt_generator_release(many);
}

}  // namespace

void shard_step(Step &step, const std::string &folder) {
  const int64_t kind = step.plan.below(9);
  if (kind == 0) return sort(step);
  if (kind == 1) return multiply(step);
  if (kind == 2) return draw(step);
  const Shape shape = random_shape(step.plan, 1, step.group.size());
  Cut cut{step, serial::random_whole(Random(step.plan.next()), step.plan.one_of(serial::all_dtypes()), shape)};
  make(cut);
  if (step.plan.once_in(2)) cut_again(cut);
  if (kind == 3) return through_a_file(cut, folder);
  if (kind <= 5) return reduce(cut);
  if (kind == 6) return halo(cut);
  gather(cut);
}

}  // namespace search
