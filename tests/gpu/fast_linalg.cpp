// tests/gpu/fast_linalg.cpp -- decompositions on a device with GPUOPT_LINALG=fast, checked on the CPU by what they
// promise.
//
// usage: gpu_fast_linalg DEVICE
// DEVICE: "cuda!" rather than "cuda", so that what the device leaves to the CPU is an error.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>

namespace gp = gpuopt;

namespace {

constexpr int64_t kRows = 300, kColumns = 200;  // more than the device's own kernels compute of one matrix
constexpr double kMost = 50;                    // errors allowed, in units of epsilon and of kRows

const gp::device &cpu() {
  static const gp::device opened("cpu");
  return opened;
}

// A matrix of the dtype on the CPU, the same at each call for its sizes.
gp::array some_matrix(gp::dtype type, int64_t m, int64_t n) {
  gp::generator random(static_cast<uint64_t>(m * 1000 + n), cpu());
  const gp::array re = random.standard_normal({m, n}, gp::float64), im = random.standard_normal({m, n}, gp::float64);
  const bool is_complex = type == gp::complex64 || type == gp::complex128;
  return (is_complex ? re + im * std::complex<double>(0, 1) : re).astype(type);
}
gp::array adjoint(const gp::array &x) { return gp::conj(gp::matrix_transpose(x)); }

class Checks {
 public:
  explicit Checks(gp::dtype type)
      : type_(type), epsilon_(type == gp::float32 || type == gp::complex64 ? 1.2e-7 : 2.3e-16) {}

  // Both are on the CPU.
  void near(const char *what, const gp::array &made, const gp::array &expected) {
    const double off = gp::abs(made - expected).max().astype(gp::float64).item<double>();
    const double most = std::fmax(1, gp::abs(expected).max().astype(gp::float64).item<double>());
    const double units = off / most / epsilon_ / kRows;
    std::printf("%-10s %-12s %8.3f\n", gp::name(type_), what, units);
    if (!(units < kMost)) wrong_ = true;
  }
  bool wrong() const { return wrong_; }

 private:
  const gp::dtype type_;
  const double epsilon_;
  bool wrong_ = false;
};

gp::array here(const gp::array &x) { return x.to(cpu()); }

bool is_right(const gp::device &device, gp::dtype type) {
  Checks checks(type);
  const gp::array a = some_matrix(type, kRows, kColumns), square = some_matrix(type, kRows, kRows);
  const gp::array ones = gp::eye(kRows, kRows, 0, type, cpu()), b = some_matrix(type, kRows, 3);
  const gp::array h = gp::matmul(square, adjoint(square)) + ones * double(kRows);

  const gp::array l = here(gp::linalg::cholesky(h.to(device)));
  checks.near("cholesky", gp::matmul(l, adjoint(l)), h);
  const auto [q, r] = gp::linalg::qr(a.to(device));
  checks.near("q r", gp::matmul(here(q), here(r)), a);
  const auto [p, lower, upper] = gp::linalg::lu(a.to(device));
  checks.near("lu", gp::matmul(here(p), gp::matmul(here(lower), here(upper))), a);
  const gp::array x = here(gp::linalg::solve(h.to(device), b.to(device)));
  checks.near("solve", gp::matmul(h, x), b);
  const auto [w, v] = gp::linalg::eigh(h.to(device));
  const gp::array vectors = here(v);
  checks.near("eigh", gp::matmul(h, vectors), vectors * here(w));
  checks.near("its vectors", gp::matmul(adjoint(vectors), vectors), ones);
  for (const gp::array &given : {a, gp::array(gp::matrix_transpose(a))}) {
    const auto [u, s, vh] = gp::linalg::svd(given.to(device), false);
    checks.near("svd", gp::matmul(here(u) * here(s), here(vh)), given);
  }
  return !checks.wrong();
}

}  // namespace

int main(int argc, char **argv) try {
  const gp::device device(argc > 1 ? argv[1] : "cuda!");
  bool right = true;
  for (const gp::dtype type : {gp::float32, gp::float64, gp::complex64, gp::complex128})
    right = is_right(device, type) && right;
  return right ? 0 : 1;
} catch (const gp::error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
