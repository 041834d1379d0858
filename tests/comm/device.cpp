// tests/comm/device.cpp -- run as the ranks of a job whose arrays are on a device (GPUOPT_RANK_DEVICE):
//   device values   every collective function, against what one process computes of the numbers of all ranks
//   device error    all_reduce again and again until it fails, as it must; the message is printed
//   device fast     all_reduce with GPUOPT_COMM_FAST, whose order is the library's
#include <gpuopt/gpuopt_make.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/comm/rank.h"

using namespace rank_test;

namespace {

int me() { return gpuopt_comm_rank(world); }
int all() { return gpuopt_comm_size(world); }

using Numbers = std::vector<double>;

Numbers numbers(int rank, size_t count) {
  Numbers values;
  for (size_t i = 0; i < count; ++i) values.push_back(1.0 / (1.0 + static_cast<double>(i) + 0.37 * rank));
  return values;
}

// The sum over ranks as it is defined: pairwise, in rounds.
Numbers summed(size_t count) {
  std::vector<Numbers> parts;
  for (int r = 0; r < all(); ++r) parts.push_back(numbers(r, count));
  while (parts.size() > 1) {
    std::vector<Numbers> next;
    for (size_t j = 0; j < parts.size(); j += 2) {
      next.push_back(parts[j]);
      for (size_t i = 0; j + 1 < parts.size() && i < count; ++i) next.back()[i] += parts[j + 1][i];
    }
    parts = next;
  }
  return parts[0];
}

// Rows [bounds(r), bounds(r + 1)) are part r of `rows` rows.
size_t bound(size_t rows, int r) {
  const auto n = static_cast<size_t>(all()), k = static_cast<size_t>(r);
  return k * (rows / n) + std::min(k, rows % n);
}
Numbers part(const Numbers &whole, int r, size_t row = 1) {
  const size_t rows = row ? whole.size() / row : 0;
  return {whole.begin() + static_cast<int64_t>(bound(rows, r) * row),
          whole.begin() + static_cast<int64_t>(bound(rows, r + 1) * row)};
}

bool is_on_device(const Array &x) { return gpuopt_array_device(x.get()) == device; }

void check_reductions(size_t count) {
  const Numbers expected = summed(count);
  const Array x = make(numbers(me(), count));
  Array result;
  DONE(gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_sum, nullptr, result.out());
  REQUIRE(same_bits(read<double>(result), expected) && is_on_device(result));
  DONE(gpuopt_comm_reduce, world, x.get(), GPUOPT_REDUCTION_sum, all() - 1, nullptr, result.out());
  if (me() == all() - 1) REQUIRE(same_bits(read<double>(result), expected));
  DONE(gpuopt_comm_reduce_scatter, world, x.get(), GPUOPT_REDUCTION_sum, nullptr, result.out());
  REQUIRE(same_bits(read<double>(result), part(expected, me())));
  DONE(gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_sum, x.get(), nullptr);
  REQUIRE(same_bits(read<double>(x), expected));
}

// Rows of `row` numbers; rank r has r + 2 of them, so that the sizes differ.
void check_moves(size_t row) {
  const auto shape_of_rank = [&](int r) { return Shape{r + 2, static_cast<int64_t>(row)}; };
  const auto of_rank = [&](int r) { return numbers(r, static_cast<size_t>(r + 2) * row); };
  const Array x = make(of_rank(me()), shape_of_rank(me()));
  Array result;
  DONE(gpuopt_comm_broadcast, world, me() == all() - 1 ? x.get() : nullptr, all() - 1, nullptr, result.out());
  REQUIRE(same_bits(read<double>(result), of_rank(all() - 1)) && is_on_device(result));
  Numbers joined, exchanged;
  for (int r = 0; r < all(); ++r) {
    const Numbers theirs = of_rank(r), mine = part(theirs, me(), row);
    joined.insert(joined.end(), theirs.begin(), theirs.end());
    exchanged.insert(exchanged.end(), mine.begin(), mine.end());
  }
  DONE(gpuopt_comm_all_gather, world, x.get(), nullptr, result.out());
  REQUIRE(same_bits(read<double>(result), joined) && is_on_device(result));
  DONE(gpuopt_comm_gather, world, x.get(), 0, nullptr, result.out());
  if (me() == 0) REQUIRE(same_bits(read<double>(result), joined));
  DONE(gpuopt_comm_scatter, world, me() == 0 ? x.get() : nullptr, 0, nullptr, result.out());
  REQUIRE(same_bits(read<double>(result), part(of_rank(0), me(), row)));
  DONE(gpuopt_comm_all_to_all, world, x.get(), nullptr, result.out());
  REQUIRE(same_bits(read<double>(result), exchanged) && is_on_device(result));
}

// Where one rank's array, or where it wants its result, is in the host's memory, all goes by the host.
void check_mixed() {
  gpuopt_device own = device, host = nullptr;
  DONE(gpuopt_device_open, "cpu", nullptr, &host);
  const Numbers expected = summed(3000);
  if (me() == 0) device = host;
  const Array x = make(numbers(me(), 3000));
  Array result;
  DONE(gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_sum, nullptr, result.out());
  REQUIRE(same_bits(read<double>(result), expected) && is_on_device(result));
  device = host;
  const Array to = make(Numbers(3000));
  device = own;
  const Array again = make(numbers(me(), 3000));
  DONE(gpuopt_comm_broadcast, world, again.get(), all() - 1, me() == 0 ? to.get() : nullptr, result.out());
  REQUIRE(same_bits(read<double>(result), numbers(all() - 1, 3000)));
  REQUIRE(gpuopt_array_device(result.get()) == (me() == 0 ? host : own));
}

// A part of the ranks, a view, and a message from each rank to the next.
void check_others() {
  gpuopt_comm some = nullptr;
  DONE(gpuopt_comm_split, world, me() / 2, 0, &some);
  const Array x = make(numbers(me(), 4000), {50, 80});
  Array view, result;
  const gpuopt_index items[] = {gpuopt_slice_all(), gpuopt_slice_step(3, 80, 7)};
  DONE(gpuopt_slice, x.get(), 2, items, view.out());
  Numbers columns;
  const int first = me() / 2 * 2;
  const Numbers theirs = numbers(first, 4000);
  for (size_t i = 0; i < 50; ++i)
    for (size_t j = 3; j < 80; j += 7) columns.push_back(theirs[i * 80 + j]);
  DONE(gpuopt_comm_broadcast, some, view.get(), 0, nullptr, result.out());
  REQUIRE(same_bits(read<double>(result), columns));
  const int next = (me() + 1) % all(), before = (me() + all() - 1) % all();
  DONE(gpuopt_comm_send_recv, world, x.get(), next, before, 5, nullptr, result.out());
  REQUIRE(same_bits(read<double>(result), numbers(before, 4000)));
  gpuopt_comm_release(some);
}

// Rows of a shard that move, and a sum, with the bits of the whole array's.
void check_shards() {
  const Array whole = make(numbers(7, 9000), {3000, 3});
  Array total, sum, rows, turned_back;
  gpuopt_shard shard = nullptr, columns = nullptr;
  DONE(gpuopt_shard_from_array, world, whole.get(), all() - 1, &shard);
  DONE(gpuopt_sum, whole.get(), nullptr, total.out());
  DONE(gpuopt_shard_reduce, shard, GPUOPT_REDUCTION_sum, nullptr, sum.out());
  REQUIRE(same_bits(read<double>(sum), read<double>(total)) && is_on_device(sum));
  DONE(gpuopt_shard_halo, shard, 3000, 3000, 0, rows.out());  // everything
  REQUIRE(same_bits(read<double>(rows), numbers(7, 9000)) && is_on_device(rows));
  DONE(gpuopt_shard_along, shard, 1, &columns);
  DONE(gpuopt_shard_gather, columns, 0, turned_back.out());
  if (me() == 0) REQUIRE(same_bits(read<double>(turned_back), numbers(7, 9000)));
  gpuopt_shard_release(shard);
  gpuopt_shard_release(columns);
}

int run_values() {
  begin();
  for (const size_t count : {size_t{0}, size_t{1}, size_t{5}, size_t{9001}}) check_reductions(count);
  for (const size_t row : {size_t{0}, size_t{1}, size_t{3000}}) check_moves(row);
  check_mixed();
  check_others();
  check_shards();
  DONE(gpuopt_comm_barrier, world);
  gpuopt_comm_release(world);
  return 0;
}

int run_until_error() {
  open_device();
  const gpuopt_comm_options options = options_with_device();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  if (gpuopt_comm_init(nullptr, &options, &world, &error) != GPUOPT_OK) {
    std::printf("%s\n", error.message);
    return world != nullptr;
  }
  const Array x = make(numbers(me(), 9001));
  Array y;
  gpuopt_status status;
  do status = gpuopt_comm_all_reduce(world, x.get(), GPUOPT_REDUCTION_sum, nullptr, y.out(), &error);
  while (status == GPUOPT_OK);
  const std::string first = error.message;
  REQUIRE(status == GPUOPT_ERR_COMM && !y.get());
  FAILS(GPUOPT_ERR_COMM, "has failed before", gpuopt_comm_barrier, world);
  REQUIRE(same_bits(read<double>(x), numbers(me(), 9001)));
  std::printf("%s\n", first.c_str());
  gpuopt_comm_release(world);
  return 0;
}

// ---- Sums whose order is left to the library

uint64_t bytes_sent() {
  gpuopt_comm_traffic traffic{};
  traffic.struct_size = sizeof traffic;
  DONE(gpuopt_comm_get_traffic, world, &traffic);
  return traffic.bytes_sent;
}

// Whether every rank has the same elements.
bool all_have(const Array &x) {
  Array low, high;
  DONE(gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_min, nullptr, low.out());
  DONE(gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_max, nullptr, high.out());
  return same_bits(read<double>(low), read<double>(high));
}

// The sum, and a product, of doubles, and whether the library that carries the messages has computed it.
void check_fast_sums(size_t count, bool by_library) {
  const Array x = make(numbers(me(), count));
  Array sum, product, single;
  const uint64_t before = bytes_sent();
  DONE(gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_sum, nullptr, sum.out());
  const uint64_t sent = bytes_sent() - before;
  // Where the library sums, this one sends records alone.
  if (all() > 1 && count > 1000) REQUIRE(by_library == (sent < static_cast<uint64_t>(all()) * 1000));
  DONE(gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_prod, nullptr, product.out());
  const Numbers got = read<double>(sum), times = read<double>(product), tree = summed(count);
  for (size_t i = 0; i < count; ++i) {
    long double exact = 0, exact_product = 1;
    for (int r = 0; r < all(); ++r) {
      const long double one = 1.0L / (1.0L + static_cast<long double>(i) + static_cast<long double>(0.37 * r));
      exact += one;
      exact_product *= one;
    }
    REQUIRE(std::fabs(static_cast<double>(got[i] - exact)) <= 1e-14 * static_cast<double>(exact));
    REQUIRE(std::fabs(static_cast<double>(times[i] - exact_product)) <= 1e-13 * static_cast<double>(exact_product));
  }
  if (!by_library) REQUIRE(same_bits(got, tree));
  REQUIRE(all_have(sum) && is_on_device(sum));
  // The array itself, and one rank's result, whose order stays.
  DONE(gpuopt_comm_reduce, world, x.get(), GPUOPT_REDUCTION_sum, 0, nullptr, single.out());
  if (me() == 0) REQUIRE(same_bits(read<double>(single), tree));
  DONE(gpuopt_comm_all_reduce, world, x.get(), GPUOPT_REDUCTION_sum, x.get(), nullptr);
  REQUIRE(all_have(x));
}

template <class T>
void check_fast_small(const std::vector<T> &mine, gpuopt_reduction reduction, const std::vector<T> &expected) {
  const Array x = make(mine);
  Array y;
  DONE(gpuopt_comm_all_reduce, world, x.get(), reduction, nullptr, y.out());
  REQUIRE(same_bits(read<T>(y), expected));
}

// Other dtypes and reductions, with numbers that every order adds to the same.
void check_fast_others() {
  const float n = static_cast<float>(all());
  check_fast_small<float>({1, 2}, GPUOPT_REDUCTION_sum, {n, 2 * n});
  check_fast_small<std::complex<float>>({{1, -2}}, GPUOPT_REDUCTION_sum, {{n, -2 * n}});
  check_fast_small<std::complex<double>>({{1, -2}}, GPUOPT_REDUCTION_sum, {{n, -2 * n}});
  check_fast_small<std::complex<double>>({{-1, 0}}, GPUOPT_REDUCTION_prod,
                                         {{all() % 2 ? -1.0 : 1.0, all() % 2 ? 0.0 : -0.0}});
  check_fast_small<int32_t>({3}, GPUOPT_REDUCTION_sum, {3 * all()});
  check_fast_small<bool>({true}, GPUOPT_REDUCTION_all, {true});
  check_fast_small<double>({}, GPUOPT_REDUCTION_sum, {});
  gpuopt_comm some = nullptr;
  DONE(gpuopt_comm_split, world, me() == 0, 0, &some);
  Array y;
  DONE(gpuopt_comm_all_reduce, some, make(numbers(0, 3000)).get(), GPUOPT_REDUCTION_max, nullptr, y.out());
  REQUIRE(same_bits(read<double>(y), numbers(0, 3000)));
  gpuopt_comm_release(some);
}

int run_fast() {
  open_device();
  gpuopt_comm_options options = options_with_device();
  options.flags = GPUOPT_COMM_FAST;
  if (!world) DONE(gpuopt_comm_init, nullptr, &options, &world);
  const std::string name = gpuopt_comm_name(world);
  for (const size_t count : {size_t{1}, size_t{5}, size_t{9001}})
    check_fast_sums(count, all() > 1 && (name == "mpi" || name == "nccl"));
  check_fast_others();
  gpuopt_comm_release(world);
  return 0;
}

int run(int argc, char **argv) {
  REQUIRE(argc == 2);
  if (std::string(argv[1]) == "fast") return run_fast();
  return std::string(argv[1]) == "values" ? run_values() : run_until_error();
}

}  // namespace

int main(int argc, char **argv) { return run_ranks(run, argc, argv); }
