// tests/conformance/stream_test.cpp -- streams, events and the memory pool: where and when work runs must not show in
// the numbers.
#include <gpuopt/gpuopt.hpp>
#include <thread>

#include "tests/conformance/harness.h"

namespace {

namespace gp = gpuopt;

gp::device device() {
  return gp::device(std::getenv("GPUOPT_TEST_DEVICE") ? std::getenv("GPUOPT_TEST_DEVICE") : "cpu");
}

gp::array counting(int64_t n, const gp::device &where) {
  std::vector<double> values(static_cast<size_t>(n));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 1000);
  gp::array x = gp::detail::from_memory(values.data(), gp::dims(values.size()), where);
  return x;
}

double total(const gp::array &x) { return gp::sum(x).item<double>(); }

constexpr int64_t n = 1 << 16;
double sum_of_counting() {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(i % 1000);
  return sum;
}

TEST(Streams, WorkOnTwoStreamsSeesEachOthersResults) {
  const gp::device where = device();
  const gp::stream second(where);
  gp::array x = counting(n, where);
  double expected = sum_of_counting();
  for (int i = 0; i < 50; ++i) {  // back and forth, nobody waits on the host
    x = (i % 2 ? x.on(where.default_stream()) : x.on(second)) + 1;
    x.eval();
    expected += static_cast<double>(n);
  }
  EXPECT_EQ(total(x), expected);
}

TEST(Streams, WritingInPlaceWaitsForReadersOnOtherStreams) {
  const gp::device where = device();
  const gp::stream second(where);
  for (int i = 0; i < 20; ++i) {
    gp::array x = counting(n, where);
    const gp::array y = x.on(second) * 2;
    y.eval();
    x += 1;
    x.eval();
    EXPECT_EQ(total(y), 2 * sum_of_counting());
    EXPECT_EQ(total(x), sum_of_counting() + static_cast<double>(n));
  }
}

TEST(Streams, MemoryIsReusedOnlyAfterItsLastReader) {
  const gp::device where = device();
  const gp::stream second(where);
  std::vector<gp::array> kept;
  for (int i = 0; i < 50; ++i) {
    const gp::array x = counting(n, where) + i;
    kept.push_back((x.on(second) * 2).eval());
  }  // each x is gone, its memory the next one's, while the second stream may still read it
  for (int i = 0; i < 50; ++i) EXPECT_EQ(total(kept[static_cast<size_t>(i)]), 2 * (sum_of_counting() + double(i) * n));
}

TEST(Streams, EventsOrderAndTimeThem) {
  const gp::device where = device();
  const gp::stream first = where.default_stream(), second(where);
  const gp::event start = first.record();
  const gp::array x = (counting(n, where) + 1).eval();
  const gp::event end = first.record();
  second.wait(end);
  EXPECT_EQ(total(x.on(second)), sum_of_counting() + static_cast<double>(n));
  end.synchronize();
  EXPECT_GE(end.milliseconds_since(start), 0);
}

TEST(Streams, ThreadsWithStreamsOfTheirOwn) {
  const gp::device where = device();
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      try {
        const gp::stream own(where);
        gp::array x = counting(n, where).on(own);
        for (int i = 0; i < 20; ++i) x = (x + t).eval();
        sums[static_cast<size_t>(t)] = total(x);
      } catch (const gp::error &e) {
        ADD_FAILURE() << e.what();
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  for (int t = 0; t < 4; ++t) EXPECT_EQ(sums[static_cast<size_t>(t)], sum_of_counting() + 20.0 * t * n);
}

TEST(Memory, WithoutMemoryEveryArrayStaysUsable) {
  const gp::device where = device();
  const gp::array x = counting(n, where);
  x.eval();
  where.synchronize();
  where.trim_memory();
  where.set_memory_limit(where.memory().in_use + (uint64_t{16} << 20));
  std::vector<gp::array> kept;
  gpuopt_status status = GPUOPT_OK;
  try {
    for (int i = 0; i < 1000; ++i) kept.push_back((x + i).eval());
  } catch (const gp::error &e) {
    status = e.code();
  }
  EXPECT_EQ(status, GPUOPT_ERR_OUT_OF_MEMORY);
  EXPECT_GT(kept.size(), 4u);
  for (size_t i = 0; i < kept.size(); ++i) {
    gpuopt_scalar first{};
    const int64_t zero = 0;
    ASSERT_EQ(gpuopt_array_item(kept[i].get(), &zero, &first, nullptr), GPUOPT_OK);
    EXPECT_EQ(first.value.f, static_cast<double>(i));
  }
  kept.clear();
  EXPECT_EQ(total(x + 1), sum_of_counting() + static_cast<double>(n));
  where.set_memory_limit(0);
}

}  // namespace
