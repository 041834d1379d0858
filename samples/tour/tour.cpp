// samples/tour/tour.cpp -- arrays in twelve steps: creation, arithmetic, sums, random numbers, broadcasting, selecting,
// memory; and four mistakes, each an error that says what is wrong.
//
// usage: tour [DEVICE]    (default: cuda, which is the CPU, with one warning, where CUDA cannot work)
#include <gpuopt/gpuopt.hpp>
#include <iostream>

namespace gp = gpuopt;

static void show(const char *what, const gp::array &x) { std::cout << what << ":\n" << x << "\n"; }

// A mistake leaves everything as it was.
template <class F>
static void mistake(const char *what, const F &make) {
  try {
    make();
    std::cout << what << " worked, and should not have\n";
  } catch (const gp::error &e) {
    std::cout << what << ": " << gpuopt_status_name(e.code()) << ": " << e.what() << "\n";
  }
}

static void arithmetic() {
  const gp::array x = gp::zeros({3, 3}), y = gp::ones({2, 2}), z({{1, 2}, {3, 4}});
  mistake("dot(x, z)", [&] { return gp::dot(x, z); });
  mistake("x * y", [&] { return x * y; });
  mistake("x + z", [&] { return x + z; });
  mistake("z[triu(ones((3, 3), bool))]", [&] { return gp::array(z[gp::triu(gp::ones({3, 3}, gp::bool_))]); });

  show("dot(y, z)", gp::dot(y, z));
  show("y * z", y * z);
  show("sqrt(z)", gp::sqrt(z));
  std::cout << "sum: " << gp::sum(z) << ", mean: " << gp::mean(z) << "\n";
  show("second row", z[1]);
  show("upper triangle", z[gp::triu(gp::ones({2, 2}, gp::bool_))]);
  show("broadcast", gp::array({1, 2, 3}) + gp::array({{1}, {2}, {3}}));
}

// numpy.random.RandomState(0): the numbers NumPy draws from this seed, on every device.
static void random_numbers() {
  gp::random_state rng(0);
  show("rand(3, 3)", rng.random_sample({3, 3}));
  show("normal(0, 1, (3, 3))", rng.normal(0, 1, {3, 3}));
  const gp::array a = rng.random_sample({3, 3}).astype(gp::float32), b = rng.random_sample({3, 3}).astype(gp::float32);
  const gp::array c = gp::matmul(a, b);
  std::cout << "A @ B is " << c.dtype() << " of shape " << c.shape()
            << ", its sum is close to that of its rows' sums: " << gp::isclose(gp::sum(c), gp::sum(gp::sum(c, 1)))
            << "\n";
}

static void square_roots() {
  const gp::array x({1., 2., 3., 4., 5.});
  show("square roots", gp::sqrt(x));
  show("and on the host", gp::asnumpy(gp::sqrt(x)));
}

// No array is left here: a device keeps the pages of those there are.
static void memory(const gp::device &dev) {
  const uint64_t before = dev.memory().in_use;
  {
    const gp::array x = gp::ones(1000000);
    x.eval();
    std::cout << "x holds its 8 million bytes: " << (dev.memory().in_use - before >= 8000000 ? "yes" : "no") << "\n";
  }
  std::cout << "bytes in use after x is gone: " << dev.memory().in_use - before << "\n";
  dev.trim_memory();  // what is kept for the next array goes back to the device
  std::cout << "bytes kept after trim_memory: " << dev.memory().cached << "\n";
}

static void run(const char *request) {
  const gp::device dev(request);
  const gp::with_device scope(dev);
  arithmetic();
  random_numbers();
  square_roots();
  memory(dev);
}

int main(int argc, char **argv) {
  try {
    run(argc > 1 ? argv[1] : "cuda");
    return 0;
  } catch (const gp::error &e) {
    std::cerr << "tour: " << e.what() << "\n";
    return 1;
  }
}
