// samples/elementwise_kernel/elementwise_kernel.cpp -- kernels of one's own: one line of CUDA C++, run on any device.
//
// usage: elementwise_kernel [DEVICE]    (default: cuda, which is the CPU, with one warning, where CUDA cannot work)
#include <gpuopt/gpuopt.hpp>
#include <iostream>

namespace gp = gpuopt;

static void show(const char *what, const gp::array &x) { std::cout << what << ": " << x.str(true) << "\n"; }

template <class Call>
static void show_error(const char *what, Call call) {
  try {
    call();
  } catch (const gp::error &e) {
    std::cout << what << ": " << e.what() << "\n";
  }
}

static void run(const char *request) {
  const gp::with_device scope(request);

  // Inputs, outputs, what to do with one element of each, and a name. There is no loop: the kernel runs for every
  // element.
  const gp::elementwise_kernel squared_diff("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)",
                                            "squared_diff");
  const gp::array x = gp::arange(10, gp::float32).reshape({2, 5}), y = gp::arange(5, gp::float32);
  show("squared_diff, y broadcast", squared_diff(x, y));
  show_error("shapes that do not go together", [&] { squared_diff(x, gp::arange(3, gp::float32)); });
  show_error("a dtype that is another", [&] { squared_diff(x, gp::arange(5, gp::int64)); });

  // One letter is any dtype: that of the arguments.
  const gp::elementwise_kernel generic("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff_generic");
  show("generic, int64", generic(gp::arange(5, gp::int64), 3));
  show("generic, float16", generic(gp::arange(5, gp::float16), gp::full({5}, 0.5, gp::float16)));

  // A raw parameter is indexed by the kernel; `i` is where it is, _ind.size() where it ends.
  const gp::elementwise_kernel add_reverse("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse");
  show("add_reverse", add_reverse(gp::arange(5, gp::int64), gp::arange(5, gp::int64) * 10));

  // Numbers are passed as they are.
  const gp::elementwise_kernel lerp("T a, T b, T weight", "T z", "z = a + weight * (b - a)", "lerp");
  show("lerp, a scalar", lerp(y, y * 10, 0.25));

  // An output that is given is written in place, and returned.
  gp::array out = gp::zeros({2, 5}, gp::float32);
  squared_diff(x, 1, out);
  show("given output", out);

  // What the compiler says of a mistake has the line of the kernel.
  const gp::elementwise_kernel wrong("T x", "T y", "y = sin(x);\ny = cosine(x);", "wrong");
  try {
    wrong(x);
  } catch (const gp::error &e) {
    std::cout << "a kernel that does not compile: " << gpuopt_status_message(e.code()) << "\n";
  }
}

int main(int argc, char **argv) {
  try {
    run(argc > 1 ? argv[1] : "cuda");
    return 0;
  } catch (const gp::error &e) {
    std::cerr << "elementwise_kernel: " << e.what() << "\n";
    return 1;
  }
}
