// tests/unit/api_threads_test.cpp -- eight threads that record, evaluate, view, write, hand over and release arrays at
// once, some of them shared; what they read is compared with a model.
//
// All elements of a half of a shared array are equal at any time, since each operation changes all of them by the same
// amount: a thread that sees two that differ has seen half of an operation. As gpuopt.h demands, a write to a shared
// array does not run beside another use of it. Where operations are recorded the library orders these, too, although it
// does not promise to: then the threads do not wait for each other.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace {

namespace gp = gpuopt;

constexpr int kThreads = 8, kShared = 3;

// A private array all of whose elements are `value`.
struct Known {
  gp::array x;
  int64_t value;
};

// What all threads use.
struct Common {
  Common(int64_t length, bool orders_itself) : n(length), ordered(!orders_itself) {
    for (int k = 0; k < kShared; k++) shared.push_back(gp::zeros({2, n}, gp::int64));
  }
  std::shared_lock<std::shared_mutex> reading() {
    return ordered ? std::shared_lock(shared_mutex) : std::shared_lock<std::shared_mutex>();
  }
  std::unique_lock<std::shared_mutex> writing() {
    return ordered ? std::unique_lock(shared_mutex) : std::unique_lock<std::shared_mutex>();
  }
  const int64_t n;
  const bool ordered;  // whether the threads order their uses of the shared arrays
  std::shared_mutex shared_mutex;
  std::vector<gp::array> shared;  // two rows each
  std::atomic<int64_t> added[kShared][2] = {};
  std::mutex mutex;
  std::vector<Known> handed_over;  // pending or not
  std::atomic<int> wrong{0};
};

class Session {
 public:
  Session(Common &common, unsigned seed) : common_(common), random_(seed) {}

  void step() {
    switch (pick(12)) {
      case 0:
        return add_to_shared();
      case 1:
      case 2:
        return read_shared();
      case 3:
        return take_shared_along();
      case 4:
        return hand_over();
      case 5:
        return take_over();
      case 6:
        return write_private();
      case 7:
        return check(pick_known());
      case 8:
        if (known_.size() > 1) known_.erase(known_.begin() + pick(static_cast<int>(known_.size())));
        return;
      default:
        return compute();
    }
  }
  void finish() {
    while (!known_.empty()) {
      check(known_.back());
      known_.pop_back();
    }
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  Known &pick_known() {
    if (known_.size() < 3) {
      const int64_t value = pick(100);
      known_.push_back({gp::full({common_.n}, value, gp::int64), value});
    }
    return known_[static_cast<size_t>(pick(static_cast<int>(known_.size())))];
  }
  void expect(bool right) { common_.wrong += !right; }
  void check(const Known &known) {
    for (const int64_t element : known.x.to_vector<int64_t>()) {
      if (element != known.value) return expect(false);
    }
  }

  void add_to_shared() {
    const int which = pick(kShared), half = pick(2);
    const int64_t amount = pick(5) - 2;
    const auto lock = common_.writing();
    gp::array row = common_.shared[static_cast<size_t>(which)][half];
    common_.added[which][half] += amount;
    row += amount;
    if (pick(2)) row.eval();
  }
  void read_shared() {
    const auto lock = common_.reading();
    const std::vector<int64_t> all = common_.shared[static_cast<size_t>(pick(kShared))].to_vector<int64_t>();
    for (size_t k = 0; k < all.size(); k++) {
      if (all[k] != all[k / static_cast<size_t>(common_.n) * static_cast<size_t>(common_.n)]) return expect(false);
    }
  }
  // Records an operation on a shared array, of whose value only the uniformity is known, and cancels the value again.
  void take_shared_along() {
    const gp::array copy = [this] {
      const auto lock = common_.reading();
      return common_.shared[static_cast<size_t>(pick(kShared))][pick(2)] + pick(3);
    }();
    Known &known = pick_known();
    known_.push_back({known.x + (copy - copy), known.value});
    if (known_.size() > 20) known_.erase(known_.begin());
  }
  void compute() {
    const Known a = pick_known(), b = pick_known();
    switch (pick(4)) {
      case 0:
        known_.push_back({a.x + b.x, a.value + b.value});
        break;
      case 1:
        known_.push_back({a.x - b.x * 2, a.value - b.value * 2});
        break;
      case 2:
        known_.push_back({gp::flip(a.x) + 1, a.value + 1});
        break;
      default:
        known_.push_back({gp::minimum(a.x, b.x), std::min(a.value, b.value)});
    }
    if (std::abs(known_.back().value) > 1000000) known_.pop_back();
    if (known_.size() > 20) known_.erase(known_.begin());
  }
  void write_private() {
    Known &known = pick_known();
    if (known.value > 1000000) return;
    known.x = known.x + 0;  // its own memory: an array that was handed over may be another thread's, too
    known.x += 3;
    known.value += 3;
    if (pick(3) == 0) known.x[gp::slice(0, common_.n)] += 4, known.value += 4;
  }
  void hand_over() {
    const Known known = pick_known();
    const std::lock_guard lock(common_.mutex);
    common_.handed_over.push_back(known);
  }
  void take_over() {
    Known known{{}, 0};
    {
      const std::lock_guard lock(common_.mutex);
      if (common_.handed_over.empty()) return;
      known = common_.handed_over.back();
      common_.handed_over.pop_back();
    }
    if (pick(2)) check(known);
    known_.push_back(known);
  }

  Common &common_;
  std::mt19937 random_;
  std::vector<Known> known_;
};

void run(int64_t n, int steps, unsigned seed, bool orders_itself) {
  Common common(n, orders_itself);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      Session session(common, seed * kThreads + static_cast<unsigned>(t));
      for (int k = 0; k < steps; k++) session.step();
      session.finish();
    });
  }
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(common.wrong, 0);
  for (int k = 0; k < kShared; k++) {
    const std::vector<int64_t> all = common.shared[static_cast<size_t>(k)].to_vector<int64_t>();
    for (size_t i = 0; i < all.size(); i++) ASSERT_EQ(all[i], common.added[k][i / static_cast<size_t>(n)]) << k;
  }
}

bool records_all() {
  const char *const setting = std::getenv("GPUOPT_SMALL_OPERATIONS");
  return setting && std::string(setting) == "off";
}

TEST(Threads, SmallArrays) {
  for (unsigned seed = 0; seed < 20; seed++) run(1 + seed % 5, 2000 / GPUOPT_TEST_SHARE, seed, records_all());
}
// Too many elements for operations to run at once.
TEST(Threads, LargerArrays) {
  for (unsigned seed = 0; seed < 4; seed++) run(5003, 700 / GPUOPT_TEST_SHARE, 100 + seed, true);
}

// The last handle of a recorded result is released while another thread computes what is recorded, and takes a
// reference to the result's memory for the time.
TEST(Threads, ReleaseWhileOthersCompute) {
  constexpr int64_t n = 20000;
  const gp::array x = gp::ones({n}, gp::float64);
  x.eval();
  std::atomic<int> recording{2};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; t++) {
    threads.emplace_back([&] {
      while (recording) x.device().synchronize();
    });
  }
  for (int t = 0; t < 2; t++) {
    threads.emplace_back([&] {
      for (int k = 0; k < 100000 / GPUOPT_TEST_SHARE; k++) {
        const gp::array y = x + 1;
        const gp::array z = y * y;
        if (k % 10000 == 0) {
          EXPECT_EQ(z.item<double>(0), 4);
        }
      }
      recording--;
    });
  }
  for (std::thread &thread : threads) thread.join();
}

}  // namespace
