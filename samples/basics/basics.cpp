// samples/basics/basics.cpp -- the current device, the current stream, and arrays that move between devices.
//
// usage: basics [DEVICE]    (default: cuda, which is the CPU, with one warning, where CUDA cannot work)
#include <gpuopt/gpuopt.hpp>
#include <iostream>

namespace gp = gpuopt;

static void show(const char *what, const gp::array &x) { std::cout << what << ": " << x.str(true) << "\n"; }

// The same call on any device; the result lives where the array does.
static void norms(const gp::device &host) {
  const gp::array x_cpu({1, 2, 3}, gp::default_dtype, host), x_gpu({1, 2, 3});
  std::cout << "norm on the host: " << gp::norm(x_cpu) << ", on the current device: " << gp::norm(x_gpu) << "\n";
}

// A second device, where there is one. It must be that one ("!"): an array that landed elsewhere would not be what was
// asked for.
static void second_device(const std::string &backend, const gp::array &x_on_0) {
  try {
    const gp::with_device scope(gp::device(backend + ":1!"));
    const gp::array x_on_1 = gp::asarray(x_on_0);  // directly from device to device where the hardware can
    std::cout << "x_on_1 is on " << x_on_1.device().name() << "\n";
  } catch (const gp::error &e) {
    std::cout << "no second device: " << gpuopt_status_name(e.code()) << "\n";
  }
}

// Work on one stream runs in order; the host goes on at once and waits when it looks.
static void streams() {
  const gp::stream queue(gp::current_device());
  const gp::with_stream scope(queue);
  const gp::array x = gp::arange(5);
  const gp::array y = x * x;
  queue.synchronize();
  show("computed on a stream", y);
}

static void run(const char *request) {
  const gp::device host("cpu"), gpu(request);
  const gp::with_device scope(gpu);  // until the end of the block, new arrays are created on `gpu`
  norms(host);

  const gp::array x_on_0({1, 2, 3, 4, 5});
  std::cout << "x_on_0 is on " << x_on_0.device().name() << "\n";
  second_device(gpu.backend(), x_on_0);
  streams();

  // A shape makes an array without values; numbers in braces make one with these.
  std::cout << "empty({1, 2, 3}) has the shape " << gp::empty({1, 2, 3}).shape() << "\n";
  const gp::array same = gp::asarray(x_on_0), copied = x_on_0.copy();
  copied(0) = 100;
  std::cout << "asarray on the same device copies nothing: "
            << (same.get() == x_on_0.get() ? "the same array" : "another array") << "\n";
  show("after writing to the copy", x_on_0);
  show("the copy, on the host", gp::asnumpy(copied));
  const std::vector<int64_t> numbers = x_on_0.to_vector<int64_t>();
  std::cout << "as a std::vector: " << numbers.size() << " numbers, the last is " << numbers.back() << "\n";
}

int main(int argc, char **argv) {
  try {
    run(argc > 1 ? argv[1] : "cuda");
    return 0;
  } catch (const gp::error &e) {
    std::cerr << "basics: " << e.what() << "\n";
    return 1;
  }
}
