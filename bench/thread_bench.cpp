// bench/thread_bench.cpp -- how many evaluations of sqrt(x * y + x) * y threads make together, each on arrays of its
// own.
//
//   GPUOPT_NUM_THREADS=1 thread_bench [THREADS [ROUNDS]]
//
// prints a row of a table for each length and number of threads up to THREADS (as many as there are processors): the
// median of ROUNDS (9) intervals of a fifth of a second, in thousands of evaluations per second, and what that is of
// the median of one thread times the number of threads. The rounds of all rows alternate, so that whatever else the
// machine does concerns all of them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <thread>
#include <vector>

namespace {

namespace gp = gpuopt;
using Clock = std::chrono::steady_clock;

constexpr int64_t kLengths[] = {1, 10, 100, 1000, 10000, 100000, 1000000};

// Evaluations per second of `count` threads together.
double rate(int64_t n, int count) {
  std::atomic<int> ready{0};
  std::atomic<bool> start{false}, stop{false};
  std::atomic<int64_t> evaluations{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&] {
      const gp::array x = gp::full({n}, 2.0, gp::float64), y = gp::full({n}, 3.0, gp::float64);
      x.eval();
      y.eval();
      ++ready;
      while (!start) std::this_thread::yield();
      int64_t made = 0;
      for (; !stop; ++made) (gp::sqrt(x * y + x) * y).eval();
      evaluations += made;
    });
  }
  while (ready < count) std::this_thread::yield();
  const auto begin = Clock::now();
  start = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  stop = true;
  for (std::thread &thread : threads) thread.join();
  return static_cast<double>(evaluations) / std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char **argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : static_cast<int>(std::thread::hardware_concurrency());
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  std::printf("| n | threads | thousand evaluations/s | of one thread times threads |\n|---|---|---|---|\n");
  for (const int64_t n : kLengths) {
    std::vector<std::vector<double>> rates(static_cast<size_t>(most));
    for (int round = 0; round < rounds; ++round)
      for (int count = 1; count <= most; ++count) rates[static_cast<size_t>(count - 1)].push_back(rate(n, count));
    const double alone = median(rates[0]);
    for (int count = 1; count <= most; ++count) {
      const double together = median(rates[static_cast<size_t>(count - 1)]);
      std::printf("| %lld | %d | %.1f | %.2f |\n", static_cast<long long>(n), count, together / 1000,
                  together / (alone * count));
    }
  }
  return 0;
}
