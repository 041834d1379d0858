// core/matmul_host.cpp -- matrix products by the definition, for backends without the slot matmul.
#include <complex>
#include <vector>

#include "engine.h"
#include "matmul.h"

namespace gpuopt {
namespace {

std::vector<gpuopt_scalar> read_scalars(gpuopt_array x) {
  const size_t item = static_cast<size_t>(dtype_size(x->dtype));
  std::vector<unsigned char> bytes(static_cast<size_t>(x->size) * item);
  copy_to_host(x, bytes.data());
  std::vector<gpuopt_scalar> scalars;
  for (size_t k = 0; k < bytes.size(); k += item) scalars.push_back(load_scalar(x->dtype, &bytes[k]));
  return scalars;
}

// Sums the products of `count` pairs, `stride` apart in b.
gpuopt_scalar inner_product(char kind, const gpuopt_scalar *a, const gpuopt_scalar *b, int64_t count, int64_t stride) {
  std::complex<double> sum = 0;
  uint64_t bits = 0;  // integers wrap, which unsigned arithmetic does for either sign
  for (int64_t k = 0; k < count; ++k) {
    const gpuopt_scalar &x = a[k], &y = b[k * stride];
    if (kind == '?') bits |= x.value.u & y.value.u;
    if (kind == 'i' || kind == 'u') bits += x.value.u * y.value.u;
    if (kind == 'f') sum += x.value.f * y.value.f;
    if (kind == 'c') sum += std::complex(x.value.f, x.imag) * std::complex(y.value.f, y.imag);
  }
  switch (kind) {
    case 'f':
      return gpuopt_scalar_real(sum.real());
    case 'c':
      return gpuopt_scalar_complex(sum.real(), sum.imag());
    case '?':
      return gpuopt_scalar_bool(bits != 0);
    case 'u':
      return gpuopt_scalar_uint(bits);
    default:
      return gpuopt_scalar_int(static_cast<int64_t>(bits));
  }
}

}  // namespace

void matmul_on_host(gpuopt_array a, gpuopt_array b, gpuopt_array out) {
  const std::vector<gpuopt_scalar> left = read_scalars(a), right = read_scalars(b);
  const int64_t k = a->shape[a->ndim - 1], m = out->shape[out->ndim - 2], n = out->shape[out->ndim - 1];
  const size_t item = static_cast<size_t>(dtype_size(out->dtype));
  std::vector<unsigned char> bytes(static_cast<size_t>(out->size) * item);
  for (int64_t place = 0; place < out->size; ++place) {
    const int64_t batch = place / (m * n), row = place / n % m, column = place % n;
    const gpuopt_scalar sum = inner_product(dtype_kind(out->dtype), &left[static_cast<size_t>((batch * m + row) * k)],
                                            &right[static_cast<size_t>(batch * k * n + column)], k, n);
    store_scalar(sum, out->dtype, &bytes[static_cast<size_t>(place) * item], true);
  }
  copy_from_host(out, bytes.data());
}

}  // namespace gpuopt
