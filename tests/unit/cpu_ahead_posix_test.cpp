// tests/unit/cpu_ahead_posix_test.cpp -- strided loops ask for memory some turns before they read it, and never touch
// what is not theirs.
// POSIX only: memory that may not be touched lies behind what is read
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "tests/unit/cpu_fission_support.h"

namespace {

using gpuopt::test::Kernel;
using gpuopt::test::noise;
using gpuopt::test::Shape;

// Its elements end where a page begins that nobody may read, and begin behind such a page.
class Fenced {
 public:
  explicit Fenced(const std::vector<unsigned> &values) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = values.size() * sizeof(unsigned), inside = (bytes + page - 1) / page * page;
    bytes_ = inside + 2 * page;
    all_ = static_cast<char *>(mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    const auto allow = [&](int rights) {  // qemu calls an empty range an error
      EXPECT_TRUE(!inside || mprotect(all_ + page, inside, rights) == 0);
    };
    allow(PROT_READ | PROT_WRITE);
    begin_ = reinterpret_cast<unsigned *>(all_ + page + inside - bytes);
    std::copy(values.begin(), values.end(), begin_);
    allow(PROT_READ);
  }
  ~Fenced() { munmap(all_, bytes_); }
  Fenced(const Fenced &) = delete;
  Fenced &operator=(const Fenced &) = delete;
  const unsigned *begin() const { return begin_; }

 private:
  char *all_ = nullptr;
  size_t bytes_ = 0;
  unsigned *begin_ = nullptr;
};

// Each thread's own place, one that is the same for all, one that goes backwards, every third, and two values that
// change places in each turn.
constexpr const char *kText = R"(
extern "C" __global__ void k(const unsigned *x, const unsigned *w, unsigned *out, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, k = 0;
  unsigned a = first, b = 1;
  for (int i = first; i < n; i += all, k++) {
    unsigned old = a;
    a = b + x[i] * w[k] + x[n - 1 - i] + x[3 * (i / 3)];
    b = old;
  }
  out[2 * first] = a;
  out[2 * first + 1] = b;
})";

TEST(Ahead, NothingIsTouchedThatIsNotTheLoops) {
  const Kernel kernel(kText, true);
  ASSERT_TRUE(kernel.loops());
  const unsigned blocks = 2;
  for (const uint32_t size : {1u, 32u, 100u, 256u, 1024u}) {
    for (const unsigned n : {0u, 1u, 255u, 2048u, 5000u, 40960u}) {
      const unsigned all = size * blocks;
      const std::vector<unsigned> x = noise<unsigned>(n), w = noise<unsigned>((n + all - 1) / all);
      const Fenced read(x), weights(w);
      std::vector<unsigned> got(2 * all);
      kernel.run({blocks}, {size}, read.begin(), weights.begin(), got.data(), int(n));
      for (unsigned first = 0; first < all; first++) {
        unsigned a = first, b = 1;
        for (unsigned i = first, k = 0; i < n; i += all, k++) {
          const unsigned old = a;
          a = b + x[i] * w[k] + x[n - 1 - i] + x[3 * (i / 3)];
          b = old;
        }
        ASSERT_EQ(got[2 * first], a) << "thread " << first << " of " << all << ", n " << n;
        ASSERT_EQ(got[2 * first + 1], b) << "thread " << first << " of " << all << ", n " << n;
      }
    }
  }
}

}  // namespace
