// tests/comm/values.cpp -- run as the ranks of a job of any size: every collective function and every dtype, against
// what one process computes of the numbers of all ranks; messages, groups, and calls that do not fit together.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/comm/rank.h"

using namespace rank_test;

namespace {

int me() { return gpuopt_comm_rank(world); }
int all() { return gpuopt_comm_size(world); }

// ---- Numbers that every rank knows of every other

uint64_t mixed(uint64_t z) {  // SplitMix64's finalizer
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <class T>
T number(uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>)
    return bits % 3 == 0;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(bits);
  else
    return static_cast<T>((static_cast<double>(bits % 20001) - 10000) / 7);
}
template <>
std::complex<float> number(uint64_t bits) {
  return {number<float>(bits), number<float>(bits >> 32)};
}
template <>
std::complex<double> number(uint64_t bits) {
  return {number<double>(bits), number<double>(bits >> 32)};
}

template <class T>
std::vector<T> numbers(int rank, size_t count) {
  std::vector<T> values;
  for (size_t i = 0; i < count; ++i) values.push_back(number<T>(mixed(static_cast<uint64_t>(rank) << 40 | i)));
  return values;
}

// ---- Reductions

// Combines one element of each rank pairwise, in rounds.
template <class T>
T tree(std::vector<T> parts, const std::function<T(T, T)> &combine) {
  while (parts.size() > 1) {
    std::vector<T> next;
    for (size_t j = 0; j < parts.size(); j += 2)
      next.push_back(j + 1 < parts.size() ? combine(parts[j], parts[j + 1]) : T(parts[j]));
    parts = next;
  }
  return parts[0];
}

template <class T>
std::vector<T> combined_numbers(size_t count, const std::function<T(T, T)> &combine) {
  std::vector<std::vector<T>> of_rank;
  for (int r = 0; r < all(); ++r) of_rank.push_back(numbers<T>(r, count));
  std::vector<T> result;
  for (size_t i = 0; i < count; ++i) {
    std::vector<T> parts;
    for (const auto &one : of_rank) parts.push_back(one[i]);
    result.push_back(tree<T>(parts, combine));
  }
  return result;
}

template <class T>
T wrapped_sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}
template <class T>
T wrapped_product(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
}

// All reductions of arrays of one size, to a new array, in place, to a root, and scattered.
template <class T>
void check_reduction(gpuopt_reduction reduction, size_t count, const std::function<T(T, T)> &combine) {
  const std::vector<T> expected = combined_numbers<T>(count, combine);
  const Array x = make(numbers<T>(me(), count));
  Array result;
  DONE(gpuopt_comm_all_reduce, world, x.get(), reduction, nullptr, result.out());
  REQUIRE(same_bits(read<T>(result), expected));
  const int root = static_cast<int>(count) % all();
  DONE(gpuopt_comm_reduce, world, x.get(), reduction, root, nullptr, result.out());
  REQUIRE((result.get() != nullptr) == (me() == root));
  if (me() == root) REQUIRE(same_bits(read<T>(result), expected));
  DONE(gpuopt_comm_reduce_scatter, world, x.get(), reduction, nullptr, result.out());
  const size_t n = static_cast<size_t>(all()), r = static_cast<size_t>(me());
  const size_t from = r * (count / n) + std::min(r, count % n), to = from + count / n + (r < count % n);
  REQUIRE(same_bits(read<T>(result), std::vector<T>(expected.begin() + static_cast<int64_t>(from),
                                                    expected.begin() + static_cast<int64_t>(to))));
  DONE(gpuopt_comm_all_reduce, world, x.get(), reduction, x.get(), nullptr);
  REQUIRE(same_bits(read<T>(x), expected));
}

template <class T>
void check_reductions() {
  for (const size_t count : {size_t{0}, size_t{1}, size_t{5}, size_t{9001}}) {
    check_reduction<T>(GPUOPT_REDUCTION_sum, count, wrapped_sum<T>);
    if constexpr (!std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>>) {
      check_reduction<T>(GPUOPT_REDUCTION_prod, count, wrapped_product<T>);
      check_reduction<T>(GPUOPT_REDUCTION_min, count, [](T a, T b) { return std::min(a, b); });
      check_reduction<T>(GPUOPT_REDUCTION_max, count, [](T a, T b) { return std::max(a, b); });
    }
  }
}

// bool is counted; any and all give bool.
void check_logical() {
  constexpr size_t count = 700;
  const Array x = make(numbers<bool>(me(), count));
  std::vector<int64_t> counts(count);
  std::vector<bool> any(count), every(count, true);
  for (int r = 0; r < all(); ++r) {
    const std::vector<bool> theirs = numbers<bool>(r, count);
    for (size_t i = 0; i < count; ++i) {
      counts[i] += theirs[i];
      any[i] = any[i] || theirs[i];
      every[i] = every[i] && theirs[i];
    }
  }
  Array result;
  DONE(gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_sum, nullptr, result.out());
  REQUIRE(same_bits(read<int64_t>(result), counts));
  for (const auto reduction : {GPUOPT_REDUCTION_any, GPUOPT_REDUCTION_max}) {
    DONE(gpuopt_comm_all_reduce, world, x.get(), reduction, nullptr, result.out());
    REQUIRE(read<bool>(result) == any);
  }
  for (const auto reduction : {GPUOPT_REDUCTION_all, GPUOPT_REDUCTION_min}) {
    DONE(gpuopt_comm_all_reduce, world, x.get(), reduction, nullptr, result.out());
    REQUIRE(read<bool>(result) == every);
  }
  const Array y = make(std::vector<double>{0.0, me() == 0 ? 0.5 : 0.0, -1.0});
  DONE(gpuopt_comm_all_reduce, world, y.get(), GPUOPT_REDUCTION_any, nullptr, result.out());
  REQUIRE((read<bool>(result) == std::vector<bool>{false, true, true}));
  FAILS(GPUOPT_ERR_TYPE, "bool", gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_sum, x.get(), nullptr);
}

// 2048 and ones are rounded once: 2048 + 1 + 1 is 2050, not 2048, in float16, and 258 for 256 in bfloat16.
void check_half(gpuopt_dtype dtype, double first) {
  const Array x = make(std::vector<double>{me() == 0 ? first : 1.0});
  Array half, result, wide;
  DONE(gpuopt_astype, x.get(), dtype, GPUOPT_COPY_ALWAYS, half.out());
  DONE(gpuopt_comm_all_reduce, world, half.get(), GPUOPT_REDUCTION_sum, nullptr, result.out());
  REQUIRE(gpuopt_array_dtype(result.get()) == dtype);
  DONE(gpuopt_astype, result.get(), GPUOPT_FLOAT64, GPUOPT_COPY_ALWAYS, wide.out());
  const double exact = first + all() - 1;
  // A step is 2 there, and ties go to the even one of the two neighbours.
  const double rounded = all() % 2 ? exact : (std::fmod(exact - 1, 4) == 0 ? exact - 1 : exact + 1);
  REQUIRE(read<double>(wide)[0] == rounded);
}

// NaN is the least and the greatest; zeros keep the sign that the tree gives them.
void check_special_values() {
  const double nan = std::nan("");
  const Array x = make(std::vector<double>{me() == all() - 1 ? nan : 1.0, -0.0, me() == 0 ? HUGE_VAL : 1.0});
  Array result;
  for (const auto reduction : {GPUOPT_REDUCTION_min, GPUOPT_REDUCTION_max}) {
    DONE(gpuopt_comm_all_reduce, world, x.get(), reduction, nullptr, result.out());
    REQUIRE(std::isnan(read<double>(result)[0]));
  }
  DONE(gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_sum, nullptr, result.out());
  REQUIRE(std::signbit(read<double>(result)[1]) && read<double>(result)[2] == HUGE_VAL);
}

// ---- Arrays that are moved

// As many rows of three as the rank says.
template <class T>
std::vector<T> rows_of(int rank) {
  return numbers<T>(rank, static_cast<size_t>(3 * (rank % 3)));
}

template <class T>
void check_gathers() {
  std::vector<T> joined;
  for (int r = 0; r < all(); ++r)
    for (const T value : rows_of<T>(r)) joined.push_back(value);
  const Array x = make(rows_of<T>(me()), {me() % 3, 3});
  Array result;
  DONE(gpuopt_comm_all_gather, world, x.get(), nullptr, result.out());
  REQUIRE(same_bits(read<T>(result), joined));
  REQUIRE((shape_of(result) == Shape{static_cast<int64_t>(joined.size() / 3), 3}));
  for (int root = 0; root < all(); ++root) {
    DONE(gpuopt_comm_gather, world, x.get(), root, nullptr, result.out());
    REQUIRE((result.get() != nullptr) == (root == me()));
    if (root == me()) REQUIRE(same_bits(read<T>(result), joined));
  }
  const Array number = make(numbers<T>(me(), 1), {});
  DONE(gpuopt_comm_all_gather, world, number.get(), nullptr, result.out());
  REQUIRE(shape_of(result) == Shape{all()});
  for (int r = 0; r < all(); ++r)
    REQUIRE(same_bits(std::vector<T>{read<T>(result)[static_cast<size_t>(r)]}, numbers<T>(r, 1)));
}

template <class T>
std::vector<T> part_of(const std::vector<T> &rows, int64_t width, int rank) {
  const auto n = static_cast<int64_t>(rows.size()) / width;
  const int64_t from = rank * (n / all()) + std::min<int64_t>(rank, n % all());
  const int64_t to = from + n / all() + (rank < n % all());
  return std::vector<T>(rows.begin() + from * width, rows.begin() + to * width);
}

template <class T>
void check_scatters() {
  for (const int64_t rows : {int64_t{0}, int64_t{3}, int64_t{all()}, int64_t{1000}}) {
    const int root = static_cast<int>(rows) % all();
    const std::vector<T> whole = numbers<T>(77, static_cast<size_t>(2 * rows));
    const Array x = make(whole, {rows, 2});
    Array result;
    DONE(gpuopt_comm_scatter, world, me() == root ? x.get() : nullptr, root, nullptr, result.out());
    REQUIRE(same_bits(read<T>(result), part_of(whole, 2, me())));
    DONE(gpuopt_comm_broadcast, world, me() == root ? x.get() : nullptr, root, nullptr, result.out());
    REQUIRE(same_bits(read<T>(result), whole) && (shape_of(result) == Shape{rows, 2}));
    std::vector<T> expected;
    for (int r = 0; r < all(); ++r)
      for (const T value : part_of(numbers<T>(r, static_cast<size_t>(2 * (rows + r))), 2, me()))
        expected.push_back(value);
    const Array y = make(numbers<T>(me(), static_cast<size_t>(2 * (rows + me()))), {rows + me(), 2});
    DONE(gpuopt_comm_all_to_all, world, y.get(), nullptr, result.out());
    REQUIRE(same_bits(read<T>(result), expected));
  }
}

template <class T>
void check_dtype() {
  check_gathers<T>();
  check_scatters<T>();
  if constexpr (!std::is_same_v<T, bool>) check_reductions<T>();
}

// Views of every kind, and values that are recorded only.
void check_views() {
  const std::vector<double> values = numbers<double>(me(), 12);
  const Array x = make(values, {3, 4});
  Array view, result, expected;
  const int64_t order[] = {1, 0};
  DONE(gpuopt_permute_dims, x.get(), order, view.out());
  DONE(gpuopt_comm_all_gather, world, view.get(), nullptr, result.out());
  for (int r = 0; r < all(); ++r)
    for (size_t i = 0; i < 12; ++i)
      REQUIRE(read<double>(result)[static_cast<size_t>(r) * 12 + i] == numbers<double>(r, 12)[i % 3 * 4 + i / 3]);
  const int64_t axis[] = {0};
  DONE(gpuopt_flip, x.get(), 1, axis, view.out());
  DONE(gpuopt_comm_broadcast, world, view.get(), all() - 1, nullptr, result.out());
  REQUIRE(read<double>(result)[0] == numbers<double>(all() - 1, 12)[8]);
  const Array one = make(std::vector<double>{me() + 1.0}, {1});
  const int64_t wide[] = {5};
  DONE(gpuopt_broadcast_to, one.get(), 1, wide, view.out());
  DONE(gpuopt_comm_all_reduce, world, view.get(), GPUOPT_REDUCTION_sum, nullptr, result.out());
  REQUIRE(read<double>(result) == std::vector<double>(5, all() * (all() + 1) / 2.0));
  Array recorded;
  DONE(gpuopt_add, x.get(), x.get(), recorded.out());
  DONE(gpuopt_comm_broadcast, world, recorded.get(), 0, recorded.get(), nullptr);
  for (size_t i = 0; i < 12; ++i) REQUIRE(read<double>(recorded)[i] == 2 * numbers<double>(0, 12)[i]);
}

// ---- Messages

void check_messages() {
  const int next = (me() + 1) % all(), before = (me() + all() - 1) % all();
  Array result;
  for (const size_t count : {size_t{1}, size_t{0}, size_t{300000}}) {
    const Array x = make(numbers<double>(me(), count));
    DONE(gpuopt_comm_send, world, x.get(), next, 7);  // all send first
    DONE(gpuopt_comm_recv, world, before, 7, nullptr, result.out());
    REQUIRE(same_bits(read<double>(result), numbers<double>(before, count)));
    DONE(gpuopt_comm_send_recv, world, x.get(), before, next, 0, nullptr, result.out());
    REQUIRE(same_bits(read<double>(result), numbers<double>(next, count)));
  }
  // Tags are told apart, and messages of one tag keep their order, beside a collective call.
  for (int i = 0; i < 6; ++i) {
    const Array x = make(std::vector<int32_t>{i, me()});
    DONE(gpuopt_comm_send, world, x.get(), next, i % 2);
  }
  DONE(gpuopt_comm_barrier, world);
  for (const int i : {1, 3, 0, 2, 4, 5}) {
    DONE(gpuopt_comm_recv, world, before, i % 2, nullptr, result.out());
    REQUIRE((read<int32_t>(result) == std::vector<int32_t>{i, before}));
  }
  // At the ends of a line there is nobody.
  const Array x = make(std::vector<int32_t>{me()});
  const bool last = me() == all() - 1;
  DONE(gpuopt_comm_send_recv, world, last ? nullptr : x.get(), next, me() - 1, 3, nullptr, result.out());
  REQUIRE((result.get() == nullptr) == (me() == 0));
  if (me()) REQUIRE(read<int32_t>(result) == std::vector<int32_t>{me() - 1});
}

// What does not fit into `out` can be received again.
void check_kept() {
  const int next = (me() + 1) % all(), before = (me() + all() - 1) % all();
  const Array x = make(std::vector<float>{1, 2, 3});
  const Array wrong = make(std::vector<float>{9}), right = make(std::vector<float>{0, 0, 0});
  DONE(gpuopt_comm_send, world, x.get(), next, 1);
  FAILS(GPUOPT_ERR_SHAPE, "(3,)", gpuopt_comm_recv, world, before, 1, wrong.get(), nullptr);
  REQUIRE(read<float>(wrong)[0] == 9);
  DONE(gpuopt_comm_recv, world, before, 1, right.get(), nullptr);
  REQUIRE(read<float>(right)[2] == 3);
}

// ---- Groups

void check_groups() {
  gpuopt_comm half = nullptr, none = nullptr, turned = nullptr;
  DONE(gpuopt_comm_split, world, me() % 2, 0, &half);
  REQUIRE(gpuopt_comm_rank(half) == me() / 2 && gpuopt_comm_size(half) == (all() + 1 - me() % 2) / 2);
  const Array x = make(std::vector<int64_t>{me(), 1});
  Array result;
  DONE(gpuopt_comm_all_reduce, half, x.get(), GPUOPT_REDUCTION_sum, nullptr, result.out());
  int64_t sum = 0;
  for (int r = me() % 2; r < all(); r += 2) sum += r;
  REQUIRE((read<int64_t>(result) == std::vector<int64_t>{sum, gpuopt_comm_size(half)}));
  DONE(gpuopt_comm_split, world, 0, -me(), &turned);
  REQUIRE(gpuopt_comm_rank(turned) == all() - 1 - me());
  DONE(gpuopt_comm_broadcast, turned, x.get(), 0, nullptr, result.out());
  REQUIRE(read<int64_t>(result)[0] == all() - 1);
  DONE(gpuopt_comm_split, world, me() == 0 ? -1 : 5, 0, &none);
  REQUIRE((none == nullptr) == (me() == 0));
  for (gpuopt_comm comm : {half, none, turned}) gpuopt_comm_release(comm);
  for (int i = 0; i < 5000; ++i) {  // numbers of groups that are gone are used again
    if (i % 1000) continue;
    DONE(gpuopt_comm_split, world, 0, 0, &half);
    gpuopt_comm_release(half);
  }
}

// The child of a fork has no part in the job, and its end is not this rank's.
void check_fork() {
  // A fork may disturb MPI, and takes no other threads along.
  if (std::strcmp(gpuopt_comm_name(world), "mpi") == 0 || are_threads()) return;
  const Array x = make(std::vector<double>{1});
  const pid_t child = fork();
  if (child == 0) {
    Array y;
    const bool refused =
        gpuopt_comm_barrier(world, nullptr) == GPUOPT_ERR_FORKED &&
        gpuopt_comm_all_reduce(world, x.get(), GPUOPT_REDUCTION_sum, nullptr, y.out(), nullptr) == GPUOPT_ERR_FORKED;
    gpuopt_comm_release(world);
    _exit(refused ? 0 : 1);
  }
  int status = 1;
  REQUIRE(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  DONE(gpuopt_comm_barrier, world);
}

// ---- Calls that do not fit together, after which the group goes on

void check_mismatches() {
  const Array x = make(std::vector<double>{1, 2}), longer = make(std::vector<double>{1, 2, 3}),
              other = make(std::vector<float>{1, 2});
  Array result;
  const bool odd = me() == all() - 1;
  if (all() > 1) {
    FAILS(GPUOPT_ERR_COMM, "shape (3,)", gpuopt_comm_all_reduce, world, odd ? longer.get() : x.get(),
          GPUOPT_REDUCTION_sum, nullptr, result.out());
    FAILS(GPUOPT_ERR_COMM, "float32", gpuopt_comm_all_gather, world, odd ? other.get() : x.get(), nullptr,
          result.out());
    FAILS(GPUOPT_ERR_COMM, "reduction", gpuopt_comm_all_reduce, world, x.get(),
          odd ? GPUOPT_REDUCTION_max : GPUOPT_REDUCTION_sum, nullptr, result.out());
    FAILS(GPUOPT_ERR_COMM, "root", gpuopt_comm_broadcast, world, x.get(), odd, nullptr, result.out());
    if (odd) {
      FAILS(GPUOPT_ERR_COMM, "another call", gpuopt_comm_barrier, world);
      FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "NULL", gpuopt_comm_all_gather, world, nullptr, nullptr, result.out());
    } else {
      FAILS(GPUOPT_ERR_COMM, "another call", gpuopt_comm_all_gather, world, x.get(), nullptr, result.out());
      FAILS(GPUOPT_ERR_COMM, "NULL", gpuopt_comm_all_gather, world, x.get(), nullptr, result.out());
    }
  }
  FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "no rank", gpuopt_comm_broadcast, world, x.get(), all(), nullptr, result.out());
  FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "no rank", gpuopt_comm_gather, world, x.get(), -1, nullptr, result.out());
  FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "reduction", gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_argmin,
        nullptr, result.out());
  FAILS(GPUOPT_ERR_TYPE, "float32", gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_sum, other.get(), nullptr);
  FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "NULL", gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_sum, nullptr,
        nullptr);
  FAILS(GPUOPT_ERR_INVALID_ARGUMENT, "tag", gpuopt_comm_send, world, x.get(), 0, 32768);
  FAILS(GPUOPT_ERR_COMM, "itself", gpuopt_comm_recv, world, me(), 4, nullptr, result.out());
  const Array c = make(std::vector<std::complex<double>>{{1, 2}}), number = make(std::vector<double>{1}, {});
  FAILS(GPUOPT_ERR_TYPE, "complex", gpuopt_comm_all_reduce, world, c.get(), GPUOPT_REDUCTION_min, nullptr,
        result.out());
  FAILS(me() == 0 ? GPUOPT_ERR_SHAPE : GPUOPT_ERR_COMM, "rows", gpuopt_comm_scatter, world, number.get(), 0, nullptr,
        result.out());
  DONE(gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_sum, nullptr, result.out());
  REQUIRE(read<double>(result)[1] == 2.0 * all());
}

int run(int, char **) {
  begin();
  check_dtype<bool>();
  check_dtype<int8_t>();
  check_dtype<int16_t>();
  check_dtype<int32_t>();
  check_dtype<int64_t>();
  check_dtype<uint8_t>();
  check_dtype<uint16_t>();
  check_dtype<uint32_t>();
  check_dtype<uint64_t>();
  check_dtype<float>();
  check_dtype<double>();
  check_dtype<std::complex<float>>();
  check_dtype<std::complex<double>>();
  check_logical();
  check_half(GPUOPT_FLOAT16, 2048);
  check_half(GPUOPT_BFLOAT16, 256);
  check_special_values();
  check_views();
  check_messages();
  check_kept();
  check_groups();
  check_fork();
  check_mismatches();
  DONE(gpuopt_comm_barrier, world);
  gpuopt_comm_release(world);
  return 0;
}

}  // namespace

int main(int argc, char **argv) { return run_ranks(run, argc, argv); }
