// samples/standardize_cpp/standardize_cpp.cpp -- gpu_optional in C++: data made on the host, standardized on any
// device, and brought back.
//
// usage: standardize_cpp [ROWS COLUMNS]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the CPU.
#include <cmath>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <iostream>
#include <limits>
#include <stdexcept>

namespace gp = gpuopt;

// As numpy.random.RandomState(1).choice([0, 1, 2, nan], (rows, columns)).
static gp::array gen_data(const gp::dims &size, const gp::device &where) {
  return gp::random_state(1, where).choice({0.0, 1.0, 2.0, std::nan("")}, size);
}

// Columns of mean 0 and standard deviation 1, in place; missing values become 0.
static void unit_standardize(gp::array a) {
  if (a.dtype() != gp::float64 && a.dtype() != gp::float32)
    throw std::invalid_argument("a must be a float in order to standardize in place.");
  const gp::array missing = gp::isnan(a);
  const gp::array deviation = gp::nanstd(a, 0), mean = gp::nanmean(a, 0);
  deviation[deviation == 0.0] = std::numeric_limits<double>::infinity();  // avoids dividing by 0
  a -= mean;
  a /= deviation;
  a[missing] = 0;
}

static void run(const gp::dims &size) {
  const gp::device host("cpu"), chosen;  // without a request: the environment's
  gp::array a = gen_data(size, host);
  std::cout << "made on " << a.device().name() << "\n";
  a = gp::asarray(a, chosen);  // copies only if that is another device
  unit_standardize(a);
  a = gp::asnumpy(a);
  std::cout << a(gp::slice(3), gp::slice(3)) << "\n";
}

int main(int argc, char **argv) {
  try {
    run(argc == 3 ? gp::dims{std::atoll(argv[1]), std::atoll(argv[2])} : gp::dims{1000, 100000});
    unit_standardize(gp::array({{1, 2}, {3, 4}}));  // integers: refused
  } catch (const std::invalid_argument &e) {
    std::cout << e.what() << "\n";
    return 0;
  } catch (const gp::error &e) {
    std::cerr << "standardize_cpp: " << e.what() << "\n";
  }
  return 1;
}
