// samples/threefold/threefold.cpp -- a big array: made; multiplied by five; and x *= 5, x *= x, x += x, which run as
// one program.
//
// usage: threefold [DEVICE] [--size N]    (defaults: cuda, 1000000000 float32, which takes 4 GB)
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <gpuopt/gpuopt.hpp>
#include <iostream>

namespace gp = gpuopt;

// Seconds until what `step` asks for is done: nothing has run before eval(), and without synchronize() only the asking
// is timed.
template <class Step>
static double seconds(gp::array &x, const Step &step) {
  const auto start = std::chrono::steady_clock::now();
  step();
  x.eval();
  x.device().synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

static bool run(const char *request, int64_t size) {
  const gp::device dev(request);
  gp::array x;
  const double create = seconds(x, [&] { x = gp::ones(size, gp::float32, dev); });
  const double times_five = seconds(x, [&] { x *= 5; });
  x /= 5;
  x.eval();

  const gpuopt_engine_stats before = dev.engine();
  const double elapsed = seconds(x, [&] {
    x *= 5;
    x *= x;
    x += x;
  });
  const gpuopt_engine_stats after = dev.engine();

  const bool right = gp::all(x == 50).item<bool>();
  std::cout << size << " float32 on " << dev.name() << "\n"
            << "operations recorded: " << after.operations - before.operations << "\n"
            << "programs run: " << after.programs - before.programs << "\n"
            << "every value is 50: " << (right ? "yes" : "no") << "\n"
            << "made in: " << create << " s\n"
            << "multiplied by five in: " << times_five << " s\n"
            << "time: " << elapsed << " s\n"
            << "read and written: " << 2e-9 * static_cast<double>(x.nbytes()) / elapsed << " GB/s\n";
  return right;
}

int main(int argc, char **argv) {
  const char *request = "cuda";
  int64_t size = 1000000000;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--size") == 0 && i + 1 < argc) {
      size = std::atoll(argv[++i]);
    } else if (argv[i][0] != '-') {
      request = argv[i];
    } else {
      std::cerr << "usage: threefold [DEVICE] [--size N]\n";
      return 2;
    }
  }
  try {
    return run(request, size) ? 0 : 1;
  } catch (const gp::error &e) {
    std::cerr << "threefold: " << e.what() << "\n";
    return 1;
  }
}
