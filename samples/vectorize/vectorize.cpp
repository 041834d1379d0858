// samples/vectorize/vectorize.cpp -- functions of one element, of sub-arrays and of a neighborhood, as array functions
// on any device: Numba's vectorize, guvectorize and stencil.
//
// usage: vectorize [DEVICE]    (default: cuda, which is the CPU, with one warning, where CUDA cannot work)
#include <gpuopt/gpuopt.hpp>
#include <iostream>

namespace gp = gpuopt;

static void show(const char *what, const gp::array &x) { std::cout << what << ": " << x.str(true) << "\n"; }

static void run(const char *request) {
  const gp::with_device scope(request);

  // From a function of scalars. The targets of Numba are devices here: on the CPU all processors take part, or as many
  // threads as GPUOPT_NUM_THREADS says.
  const gp::ufunc relative("template <class T> T relative(T a, T b) { return (a - b) / (fabs(a) + fabs(b)); }",
                           "relative", "float32,float32->float32; float64,float64->float64");
  const gp::array x = gp::arange(1, 6, 1, gp::float32), y = gp::full({5}, 3, gp::float32);
  show("of arrays", relative(x, y));
  show("of an array and a number", relative(x, 3));
  show("integers become float64", relative(gp::arange(1, 6, 1, gp::int64), 3));
  const gp::array many = gp::arange(1, 1000001, 1, gp::float32);
  std::cout << "a million: "
            << (gp::all(relative(many, 3) == (many - 3) / (gp::abs(many) + 3)).item<bool>() ? "right" : "WRONG")
            << "\n";
  show("outer", relative.outer(x(gp::slice(0, 2)), x(gp::slice(0, 3))));
  try {
    relative(x.astype(gp::complex64), 1);
  } catch (const gp::error &e) {
    std::cout << "complex: " << e.what() << "\n";
  }

  // What it calls may have an overload for each type: Numba's overload.
  const gp::ufunc halves(R"(
int halved(int x) { return x >> 1; }
float halved(float x) { return x / 2; }
template <class T> T halves(T x) { return halved(x); })",
                         "halves", "int32->int32; float32->float32");
  show("halves of integers", halves(gp::array({-3, 3}, gp::int32)));
  show("halves of floats", halves(gp::array({-3.0f, 3.0f})));

  // With an identity it reduces any axes, in parallel; without one in order, along one.
  const gp::ufunc longest("long long longest(long long a, long long b) { return a > b ? a : b; }", "longest",
                          "int64,int64->int64", "0");
  const gp::array steps({{3, 1, 4}, {1, 5, 9}});
  show("reduce", longest.reduce(steps, {1}));
  show("accumulate", longest.accumulate(steps, 1));
  gp::array counts = gp::zeros({4}, gp::int64);
  gp::ufunc("long long plus(long long a, long long b) { return a + b; }", "plus", "int64,int64->int64")
      .at(counts, gp::array({0, 2, 2, 3, 2}), 1);
  show("at", counts);

  // Of sub-arrays: the moving average of each row.
  const gp::gufunc moving(R"(
template <class T> void moving(array<const T, 1> x, long long width, array<T, 1> out) {
  for (int i = 0; i < x.size(); i++) {
    T sum = 0;
    int taken = 0;
    for (int j = i; j > i - width && j >= 0; j--, taken++) sum += x[j];
    out[i] = sum / taken;
  }
})",
                          "moving", "float64,int64->float64", "(n),()->(n)");
  show("moving average", moving(gp::arange(10, gp::float64).reshape({2, 5}), 2));

  // Of a neighborhood: Conway's life on a torus.
  gp::stencil_options torus;
  torus.mode = gp::stencil_mode::wrap;
  const gp::stencil life("int64 a", "int64 next", R"(
  long long n = a(-1, -1) + a(-1, 0) + a(-1, 1) + a(0, -1) + a(0, 1) + a(1, -1) + a(1, 0) + a(1, 1);
  return n == 3 || (n == 2 && a(0, 0));)",
                         "life", torus);
  gp::array glider = gp::array({{0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {1, 1, 1, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}});
  const gp::array first = glider;
  for (int generation = 0; generation < 4; generation++) glider = life(glider);
  show("a glider, four generations on", glider);
  for (int generation = 4; generation < 20; generation++) glider = life(glider);
  std::cout << "and back after 20: " << (gp::all(glider == first).item<bool>() ? "yes" : "no") << "\n";
}

int main(int argc, char **argv) {
  try {
    run(argc > 1 ? argv[1] : "cuda");
    return 0;
  } catch (const gp::error &e) {
    std::cerr << "vectorize: " << e.what() << "\n";
    return 1;
  }
}
