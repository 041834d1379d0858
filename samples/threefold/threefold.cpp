// samples/threefold/threefold.cpp -- x *= 5, x *= x, x += x over a big array: three operations, one program.
//
// usage: threefold [DEVICE] [--size N]    (defaults: cuda, 1000000000 float32, which takes 4 GB)
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <gpuopt/gpuopt.hpp>
#include <iostream>

namespace gp = gpuopt;

static bool run(const char *request, int64_t size) {
  const gp::device dev(request);
  gp::array x = gp::ones(size, gp::float32, dev);
  x.eval();
  dev.synchronize();

  const gpuopt_engine_stats before = dev.engine();
  const auto start = std::chrono::steady_clock::now();
  x *= 5;
  x *= x;
  x += x;
  x.eval();           // nothing has run until here
  dev.synchronize();  // and now it is done
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const gpuopt_engine_stats after = dev.engine();

  const bool right = gp::all(x == 50).item<bool>();
  std::cout << size << " float32 on " << dev.name() << "\n"
            << "operations recorded: " << after.operations - before.operations << "\n"
            << "programs run: " << after.programs - before.programs << "\n"
            << "every value is 50: " << (right ? "yes" : "no") << "\n"
            << "time: " << elapsed.count() << " s\n"
            << "read and written: " << 2e-9 * static_cast<double>(x.nbytes()) / elapsed.count() << " GB/s\n";
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
