// samples/softplus/softplus.cpp -- one function for arrays on any device, and moving arrays between devices.
//
// usage: softplus [DEVICE]    (default: cuda, which is the CPU, with one warning, where CUDA cannot work)
#include <gpuopt/gpuopt.hpp>
#include <iostream>

namespace gp = gpuopt;

// log(1 + exp(x)) without overflow. It runs where x lives, and says so.
static gp::array softplus(const gp::array &x) {
  std::cout << "Using: " << x.device().backend() << "\n";
  return gp::maximum(0, x) + gp::log1p(gp::exp(-gp::abs(x)));
}

static void show(const char *what, const gp::array &x) { std::cout << what << ": " << x.str(true) << "\n"; }

static void run(const char *request) {
  const gp::device host("cpu"), gpu(request);
  const gp::array x_cpu({1, 2, 3}, gp::default_dtype, host), y_cpu({4, 5, 6}, gp::default_dtype, host);
  show("x_cpu + y_cpu", x_cpu + y_cpu);

  const gp::array x_gpu = gp::asarray(x_cpu, gpu);  // no copy if gpu is the CPU after all
  std::cout << "x_gpu is on " << x_gpu.device().name() << "\n";
  if (gpu != host) {
    try {
      show("x_gpu + y_cpu", x_gpu + y_cpu);
    } catch (const gp::error &e) {  // GPUOPT_ERR_DEVICE_MISMATCH names both sides
      std::cout << "x_gpu + y_cpu: " << e.what() << "\n";
    }
  } else {
    std::cout << "x_gpu + y_cpu works here, for there is one device; with two it fails: "
              << gpuopt_status_message(GPUOPT_ERR_DEVICE_MISMATCH) << "\n";
  }
  show("asnumpy(x_gpu) + y_cpu", gp::asnumpy(x_gpu) + y_cpu);
  show("asnumpy(x_gpu) + asnumpy(y_cpu)", gp::asnumpy(x_gpu) + gp::asnumpy(y_cpu));
  show("x_gpu + asarray(y_cpu)", x_gpu + gp::asarray(y_cpu, gpu));
  show("asarray(x_gpu) + asarray(y_cpu)", gp::asarray(x_gpu, gpu) + gp::asarray(y_cpu, gpu));
  {
    const gp::allow_transfers scope;  // or ask for the copies once, for a whole block
    show("x_gpu + y_cpu, transfers allowed", x_gpu + y_cpu);
  }
  std::cout << "norm(x_gpu): " << gp::norm(x_gpu) << "\n";

  const gp::with_device scope(gpu);  // where new arrays of this block are created
  show("softplus", softplus(gp::array({-1000.0, -1.0, 0.0, 1.0, 1000.0})));
  show("softplus", softplus(gp::array({-1.0, 0.0, 1.0}, gp::float32, host)));
}

int main(int argc, char **argv) {
  try {
    run(argc > 1 ? argv[1] : "cuda");
    return 0;
  } catch (const gp::error &e) {
    std::cerr << "softplus: " << e.what() << "\n";
    return 1;
  }
}
