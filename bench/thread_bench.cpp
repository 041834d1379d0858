// bench/thread_bench.cpp -- how many evaluations of sqrt(x * y + x) * y threads make together, each on arrays of its
// own.
//
//   GPUOPT_NUM_THREADS=1 thread_bench [THREADS [ROUNDS]]
//
// prints a row of a table for each length and number of threads up to THREADS (as many as there are processors): the
// median of ROUNDS (15) intervals of a tenth of a second, in thousands of evaluations per second, and what that is of
// one thread times the number of threads, the median of each round's ratio. The last column is the same ratio for a
// hand-written loop without a library over arrays of each thread's own, which is what processors that share caches,
// memory and clock can give. The rounds of all rows alternate, so that whatever else the machine does concerns all.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <thread>
#include <vector>

namespace {

namespace gp = gpuopt;
using Clock = std::chrono::steady_clock;

constexpr int64_t kLengths[] = {1, 10, 100, 1000, 10000, 100000, 1000000};

// Evaluations by the library: one call is one evaluation on arrays of its own.
class Library {
 public:
  explicit Library(int64_t n) : x_(gp::full({n}, 2.0, gp::float64)), y_(gp::full({n}, 3.0, gp::float64)) {
    x_.eval();
    y_.eval();
  }
  void operator()() const { (gp::sqrt(x_ * y_ + x_) * y_).eval(); }

 private:
  gp::array x_, y_;
};

// Evaluations by a loop over memory that is there already.
class Loop {
 public:
  explicit Loop(int64_t n) : x_(static_cast<size_t>(n), 2.0), y_(x_.size(), 3.0), out_(x_.size()) {}
  void operator()() {
    const double *x = x_.data(), *y = y_.data();
    double *out = out_.data();
    for (size_t i = 0; i < x_.size(); ++i) out[i] = std::sqrt(x[i] * y[i] + x[i]) * y[i];
    asm volatile("" : : "r"(out) : "memory");  // so that no evaluation is left out
  }

 private:
  std::vector<double> x_, y_, out_;
};

// Evaluations per second of `count` threads together.
template <class Evaluation>
double rate(int64_t n, int count) {
  std::atomic<int> ready{0};
  std::atomic<bool> start{false}, stop{false};
  std::atomic<int64_t> evaluations{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&] {
      Evaluation evaluate(n);
      ++ready;
      while (!start) std::this_thread::yield();
      int64_t made = 0;
      for (; !stop; ++made) evaluate();
      evaluations += made;
    });
  }
  while (ready < count) std::this_thread::yield();
  const auto begin = Clock::now();
  start = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  stop = true;
  for (std::thread &thread : threads) thread.join();
  return static_cast<double>(evaluations) / std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// What the rounds of one number of threads gave.
struct Row {
  std::vector<double> rates, ratios, loop_ratios;
};

// One round: each number of threads once, by the library and by the loop.
void measure(int64_t n, std::vector<Row> &rows) {
  double alone = 0, loop_alone = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const int count = static_cast<int>(i) + 1;
    const double together = rate<Library>(n, count), loop_together = rate<Loop>(n, count);
    if (!i) alone = together, loop_alone = loop_together;
    rows[i].rates.push_back(together);
    rows[i].ratios.push_back(together / (alone * count));
    rows[i].loop_ratios.push_back(loop_together / (loop_alone * count));
  }
}

}  // namespace

int main(int argc, char **argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : static_cast<int>(std::thread::hardware_concurrency());
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 15;
  std::printf(
      "| n | threads | thousand evaluations/s | of one thread times threads | a loop's |\n|---|---|---|---|---|\n");
  for (const int64_t n : kLengths) {
    std::vector<Row> rows(static_cast<size_t>(most));
    for (int round = 0; round < rounds; ++round) measure(n, rows);
    for (int count = 1; count <= most; ++count) {
      const Row &row = rows[static_cast<size_t>(count - 1)];
      std::printf("| %lld | %d | %.1f | %.2f | %.2f |\n", static_cast<long long>(n), count, median(row.rates) / 1000,
                  median(row.ratios), median(row.loop_ratios));
    }
  }
  return 0;
}
