// tests/fake_cusolver/cusolver.cpp -- a libcusolver.so.12 for the fake driver (tests/fake_cuda/): it waits for the
// stream, and computes on the host, with copies there and back, by the algorithms of plugins/shared/linalg.
//
// It refuses what cuSOLVER refuses, and what this backend is not meant to ask for. Memory to work in is overwritten,
// and so is what cuSOLVER leaves undefined. Settings, read at each call:
//   FAKE_CUSOLVER_MAJOR   the major version that it says it has (12)
//   FAKE_CUSOLVER_FAIL    the function that fails: "cusolverDnXgetrf"
//   FAKE_CUSOLVER_STATUS  and its status (7)
//   FAKE_CUSOLVER_INFO    what factorizations say instead of what is so
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "plugins/cuda/vendor/cusolver_types.h"
#include "plugins/shared/linalg/cholesky.h"
#include "plugins/shared/linalg/householder.h"
#include "plugins/shared/linalg/lu.h"
#include "plugins/shared/linalg/svd.h"
#include "plugins/shared/linalg/symmetric_eigen.h"

extern "C" {
#define GPUOPT_CUSOLVER_SYMBOL(result, name, args) __attribute__((visibility("default"))) result name args;
#include "plugins/cuda/vendor/cusolver_symbols.def"

// For tests: the handles and parameters that there are.
__attribute__((visibility("default"))) int fake_cusolver_handles();
}

struct cusolverDnContext {
  CUstream stream = nullptr;
  bool has_stream = false;
};
struct cusolverDnParams {};

namespace {

namespace la = gpo::linalg;
using gpo::c128;
using gpo::c64;
using gpo::i64;
using gpo::real_of;

std::atomic<int> handles{0};

std::string setting(const char *name) {
  const char *const value = std::getenv(name);
  return value ? value : "";
}
int number_of(const char *name, int otherwise) {
  const std::string value = setting(name);
  return value.empty() ? otherwise : std::atoi(value.c_str());
}

// ---- Statuses

// What a function returns early.
struct Stop {
  cusolverStatus_t status;
};

void require(bool holds, const char *rule) {
  if (holds) return;
  std::fprintf(stderr, "fake cuSOLVER: %s\n", rule);
  throw Stop{CUSOLVER_STATUS_INVALID_VALUE};
}

// Calls `body` unless the function is to fail.
template <class Body>
cusolverStatus_t function(const char *name, const Body &body) {
  if (setting("FAKE_CUSOLVER_FAIL") == name) return cusolverStatus_t(number_of("FAKE_CUSOLVER_STATUS", 7));
  try {
    body();
    return CUSOLVER_STATUS_SUCCESS;
  } catch (const Stop &stop) {
    return stop.status;
  }
}

// ---- The driver

template <class... Arguments>
void call_driver(const char *name, Arguments... arguments) {
  void *const driver = dlopen(setting("GPUOPT_CUDA_DRIVER").c_str(), RTLD_NOW | RTLD_NOLOAD);
  require(driver, "the fake driver is not in use");
  const auto called = reinterpret_cast<CUresult (*)(Arguments...)>(dlsym(driver, name));
  const CUresult code = called(arguments...);
  if (code == CUDA_SUCCESS) return;
  throw Stop{code == CUDA_ERROR_OUT_OF_MEMORY ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_INTERNAL_ERROR};
}
void wait(CUstream stream) { call_driver("cuStreamSynchronize", stream); }

// What device memory has, on the host; give() writes it back. Each copy is in the stream's order.
template <class T>
class Copy {
 public:
  Copy(cusolverDnHandle_t handle, const void *from, int64_t count)
      : stream_(handle->stream), address_(reinterpret_cast<CUdeviceptr>(from)), values_(static_cast<size_t>(count)) {
    require(handle->has_stream, "the handle has no stream");
    require(count == 0 || address_ % sizeof(T) == 0, "an address is not aligned");
    if (count) call_driver("cuMemcpyDtoHAsync_v2", static_cast<void *>(data()), address_, bytes(), stream_);
    wait(stream_);
  }
  void give() {
    if (!values_.empty())
      call_driver("cuMemcpyHtoDAsync_v2", address_, static_cast<const void *>(data()), bytes(), stream_);
    wait(stream_);
  }
  T *data() { return values_.data(); }
  T &operator[](int64_t i) { return values_[static_cast<size_t>(i)]; }

 private:
  size_t bytes() const { return values_.size() * sizeof(T); }
  CUstream stream_;
  CUdeviceptr address_;
  std::vector<T> values_;
};

void give_info(cusolverDnHandle_t handle, int *info, int value, bool of_a_factorization = true) {
  Copy<int> word(handle, info, 1);
  word[0] = of_a_factorization ? number_of("FAKE_CUSOLVER_INFO", value) : value;
  word.give();
}

// ---- Memory to work in

constexpr size_t kDeviceWork = 1000, kHostWork = 40;  // and what depends on the sizes

void ask(int64_t m, int64_t n, size_t *device_bytes, size_t *host_bytes) {
  *device_bytes = kDeviceWork + static_cast<size_t>(m + n);
  *host_bytes = kHostWork + static_cast<size_t>(n);
}
void overwrite(cusolverDnHandle_t handle, int64_t m, int64_t n, void *device, size_t device_bytes, void *host,
               size_t host_bytes) {
  size_t device_wanted = 0, host_wanted = 0;
  ask(m, n, &device_wanted, &host_wanted);
  require(device && host && device_bytes == device_wanted && host_bytes == host_wanted, "the work has another size");
  require(reinterpret_cast<uintptr_t>(device) % 256 == 0, "memory to work in is not aligned");
  call_driver("cuMemsetD8Async", reinterpret_cast<CUdeviceptr>(device), static_cast<unsigned char>(0xa5), device_bytes,
              handle->stream);
  std::memset(host, 0xa5, host_bytes);
}

// ---- Types

template <class Use>
void with_type(cudaDataType type, const Use &use) {
  switch (type) {
    case CUDA_R_32F:
      return use(float{});
    case CUDA_R_64F:
      return use(double{});
    case CUDA_C_32F:
      return use(c64{});
    case CUDA_C_64F:
      return use(c128{});
    default:
      require(false, "there are no matrices of this type");
  }
}
void check_types(cudaDataType type, cudaDataType other, cudaDataType compute) {
  require(type == other && type == compute, "the types differ");
}
void check_real(cudaDataType type, cudaDataType real) {
  require(real == (type == CUDA_R_32F || type == CUDA_C_32F ? CUDA_R_32F : CUDA_R_64F), "a type is not the real one");
}
void check_sizes(int64_t m, int64_t n, int64_t leading) {
  require(m > 0 && n > 0 && leading == m, "sizes are wrong");  // this backend's matrices have no gaps
}

template <class T>
std::vector<T> transposed(int64_t n, const T *a, bool conjugated) {
  std::vector<T> to(static_cast<size_t>(n * n));
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < n; j++)
      to[static_cast<size_t>(j + i * n)] = conjugated ? la::conj(a[i + j * n]) : a[i + j * n];
  }
  return to;
}

// ---- Algorithms

template <class T>
void factorize_cholesky(cusolverDnHandle_t handle, bool upper, int64_t n, void *address, int *info) {
  Copy<T> a(handle, address, n * n);
  std::vector<T> l = transposed(n, a.data(), true);
  if (!upper) l.assign(a.data(), a.data() + n * n);
  const bool definite = la::factorize_cholesky(i64{n}, l.data(), la::InOrder());
  for (int64_t i = 0; i < n; i++) {  // the other triangle is left undefined
    for (int64_t j = 0; j < i; j++) l[static_cast<size_t>(j + i * n)] = la::number<T>(real_of<T>(7));
  }
  if (upper) l = transposed(n, l.data(), true);
  std::copy(l.begin(), l.end(), a.data());
  a.give();
  give_info(handle, info, definite ? 0 : 1);
}

template <class T>
void factorize_lu(cusolverDnHandle_t handle, int64_t m, int64_t n, void *address, int64_t *pivots, int *info) {
  const int64_t k = std::min(m, n);
  Copy<T> a(handle, address, m * n);
  Copy<int64_t> rows(handle, pivots, k);
  std::vector<i64> found(static_cast<size_t>(k));
  la::factorize_lu(i64{m}, i64{n}, a.data(), found.data(), la::InOrder());
  int zero = 0;
  for (int64_t i = 0; i < k; i++) {
    rows[i] = found[static_cast<size_t>(i)] + 1;
    if (!zero && la::is_zero(a[i + i * m])) zero = static_cast<int>(i + 1);
  }
  a.give();
  rows.give();
  give_info(handle, info, zero);
}

template <class T>
void solve(cusolverDnHandle_t handle, cublasOperation_t op, int64_t n, int64_t columns, const void *address,
           const int64_t *pivots, void *sides, int *info) {
  Copy<T> a(handle, address, n * n), b(handle, sides, n * columns);
  Copy<int64_t> given(handle, pivots, n);
  std::vector<i64> rows;
  for (int64_t i = 0; i < n; i++) {
    require(given[i] >= 1 && given[i] <= n, "a pivot is out of bounds");
    rows.push_back(given[i] - 1);
  }
  const la::View<T> right = la::view_of(b.data(), i64{n}, i64{columns});
  if (op == CUBLAS_OP_N) {
    la::solve_lu(la::view_of(a.data(), i64{n}, i64{n}), rows.data(), right, la::InOrder());
  } else {
    std::vector<T> turned = transposed(n, a.data(), op == CUBLAS_OP_C);
    const la::View<T> factors = la::view_of(turned.data(), i64{n}, i64{n});
    la::solve_triangle(la::Triangle<T>{factors, true, false}, right, la::InOrder());
    la::solve_triangle(la::Triangle<T>{factors, false, true}, right, la::InOrder());
    for (int64_t j = 0; j < columns; j++) {
      for (int64_t k = n; k-- > 0;) std::swap(right.at(k, j), right.at(rows[static_cast<size_t>(k)], j));
    }
  }
  b.give();
  give_info(handle, info, 0, false);
}

template <class T>
void factorize_qr(cusolverDnHandle_t handle, int64_t m, int64_t n, void *address, void *tau_address, int *info) {
  Copy<T> a(handle, address, m * n), tau(handle, tau_address, std::min(m, n));
  std::vector<T> work(static_cast<size_t>(la::panel_work<T>(m, n)));
  la::factorize_qr(i64{m}, i64{n}, a.data(), tau.data(), work.data(), la::InOrder());
  a.give();
  tau.give();
  give_info(handle, info, 0);
}

constexpr int kFormElements = 33;

template <class T>
void form_q(cusolverDnHandle_t handle, int m, int n, int k, void *address, int leading, const void *tau_address,
            void *work, int elements, int *info) {
  require(m >= n && n >= k && k > 0 && leading == m && elements == kFormElements, "sizes of q are wrong");
  call_driver("cuMemsetD8Async", reinterpret_cast<CUdeviceptr>(work), static_cast<unsigned char>(0xa5),
              sizeof(T) * kFormElements, handle->stream);
  Copy<T> q(handle, address, int64_t{m} * n), tau(handle, tau_address, k);
  std::vector<T> a(q.data(), q.data() + int64_t{m} * k);
  std::vector<T> memory(static_cast<size_t>(la::panel_work<T>(m, n)));
  la::form_q(i64{m}, i64{n}, i64{k}, a.data(), tau.data(), q.data(), memory.data(), la::InOrder());
  q.give();
  give_info(handle, info, 0, false);
}

// Vectors have any phases, as those of cuSOLVER.
template <class T>
void find_eigenvalues(cusolverDnHandle_t handle, bool vectors, int64_t n, void *address, void *values, int *info) {
  Copy<T> a(handle, address, n * n);
  Copy<real_of<T>> w(handle, values, n);
  std::vector<real_of<T>> work(static_cast<size_t>(la::symmetric_eigen_work<T>(n)));
  const bool converged = la::symmetric_eigen(i64{n}, a.data(), w.data(), vectors, work.data(), la::InOrder());
  const T phase = gpo::is_complex<T> ? la::number<T>(real_of<T>(0.6), real_of<T>(-0.8)) : la::number<T>(-1);
  for (int64_t i = 0; i < n * n; i++) a[i] = la::multiply(a[i], phase);
  a.give();
  w.give();
  give_info(handle, info, converged ? 0 : 1);
}

template <class T>
void find_singular_values(cusolverDnHandle_t handle, char job, int64_t m, int64_t n, void *address, void *s_address,
                          void *u_address, void *vh_address, int *info) {
  const int64_t columns = job == 'N' ? 0 : job == 'A' ? m : n;
  Copy<T> a(handle, address, m * n), u(handle, u_address, m * columns), vh(handle, vh_address, job == 'N' ? 0 : n * n);
  Copy<real_of<T>> s(handle, s_address, n);
  std::vector<real_of<T>> work(static_cast<size_t>(la::svd_work<T>(m, n)));
  const bool converged = la::svd(i64{m}, i64{n}, a.data(), s.data(), columns ? u.data() : nullptr,
                                 columns ? vh.data() : nullptr, work.data(), la::InOrder());
  if (columns > n) {
    std::vector<T> memory(static_cast<size_t>(la::complete_basis_work<T>(m, n)));
    la::complete_basis(i64{m}, i64{n}, u.data(), memory.data(), la::InOrder());
  }
  u.give();
  vh.give();
  s.give();
  give_info(handle, info, converged ? 0 : 1);
}

}  // namespace

// ---- The library's functions

int fake_cusolver_handles() { return handles; }

cusolverStatus_t cusolverGetProperty(libraryPropertyType part, int *value) {
  return function("cusolverGetProperty", [&] {  // 12.1.2
    *value = part == MAJOR_VERSION ? number_of("FAKE_CUSOLVER_MAJOR", 12) : static_cast<int>(part);
  });
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle) {
  return function("cusolverDnCreate", [&] { *handle = new cusolverDnContext, handles++; });
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  delete handle;
  handles--;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, CUstream stream) {
  return function("cusolverDnSetStream", [&] { handle->stream = stream, handle->has_stream = true; });
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params) {
  return function("cusolverDnCreateParams", [&] { *params = new cusolverDnParams, handles++; });
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  delete params;
  handles--;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, cublasFillMode_t, int64_t n,
                                             cudaDataType type, const void *, int64_t leading, cudaDataType compute,
                                             size_t *device_bytes, size_t *host_bytes) {
  return function("cusolverDnXpotrf_bufferSize", [&] {
    check_sizes(n, n, leading);
    check_types(type, type, compute);
    ask(n, n, device_bytes, host_bytes);
  });
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t triangle, int64_t n,
                                  cudaDataType type, void *a, int64_t leading, cudaDataType compute, void *device_work,
                                  size_t device_bytes, void *host_work, size_t host_bytes, int *info) {
  return function("cusolverDnXpotrf", [&] {
    check_sizes(n, n, leading);
    check_types(type, type, compute);
    overwrite(handle, n, n, device_work, device_bytes, host_work, host_bytes);
    with_type(type,
              [&](auto t) { factorize_cholesky<decltype(t)>(handle, triangle == CUBLAS_FILL_MODE_UPPER, n, a, info); });
  });
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, int64_t m, int64_t n,
                                             cudaDataType type, const void *, int64_t leading, cudaDataType compute,
                                             size_t *device_bytes, size_t *host_bytes) {
  return function("cusolverDnXgetrf_bufferSize", [&] {
    check_sizes(m, n, leading);
    check_types(type, type, compute);
    ask(m, n, device_bytes, host_bytes);
  });
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n,
                                  cudaDataType type, void *a, int64_t leading, int64_t *pivots, cudaDataType compute,
                                  void *device_work, size_t device_bytes, void *host_work, size_t host_bytes,
                                  int *info) {
  return function("cusolverDnXgetrf", [&] {
    check_sizes(m, n, leading);
    check_types(type, type, compute);
    overwrite(handle, m, n, device_work, device_bytes, host_work, host_bytes);
    with_type(type, [&](auto t) { factorize_lu<decltype(t)>(handle, m, n, a, pivots, info); });
  });
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t, cublasOperation_t op, int64_t n,
                                  int64_t columns, cudaDataType type, const void *a, int64_t leading,
                                  const int64_t *pivots, cudaDataType b_type, void *b, int64_t b_leading, int *info) {
  return function("cusolverDnXgetrs", [&] {
    check_sizes(n, n, leading);
    check_sizes(n, columns, b_leading);
    check_types(type, b_type, type);
    with_type(type, [&](auto t) { solve<decltype(t)>(handle, op, n, columns, a, pivots, b, info); });
  });
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, int64_t m, int64_t n,
                                             cudaDataType type, const void *, int64_t leading, cudaDataType tau_type,
                                             const void *, cudaDataType compute, size_t *device_bytes,
                                             size_t *host_bytes) {
  return function("cusolverDnXgeqrf_bufferSize", [&] {
    check_sizes(m, n, leading);
    check_types(type, tau_type, compute);
    ask(m, n, device_bytes, host_bytes);
  });
}
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n,
                                  cudaDataType type, void *a, int64_t leading, cudaDataType tau_type, void *tau,
                                  cudaDataType compute, void *device_work, size_t device_bytes, void *host_work,
                                  size_t host_bytes, int *info) {
  return function("cusolverDnXgeqrf", [&] {
    check_sizes(m, n, leading);
    check_types(type, tau_type, compute);
    overwrite(handle, m, n, device_work, device_bytes, host_work, host_bytes);
    with_type(type, [&](auto t) { factorize_qr<decltype(t)>(handle, m, n, a, tau, info); });
  });
}

// Their arguments differ in the type of elements alone.
#define FAKE_FORM_Q(name, Theirs, Ours)                                                                            \
  cusolverStatus_t name##_bufferSize(cusolverDnHandle_t, int, int, int, const Theirs *, int, const Theirs *,       \
                                     int *elements) {                                                              \
    return function(#name "_bufferSize", [&] { *elements = kFormElements; });                                      \
  }                                                                                                                \
  cusolverStatus_t name(cusolverDnHandle_t handle, int m, int n, int k, Theirs *a, int leading, const Theirs *tau, \
                        Theirs *work, int elements, int *info) {                                                   \
    return function(#name, [&] { form_q<Ours>(handle, m, n, k, a, leading, tau, work, elements, info); });         \
  }
FAKE_FORM_Q(cusolverDnSorgqr, float, float)
FAKE_FORM_Q(cusolverDnDorgqr, double, double)
FAKE_FORM_Q(cusolverDnCungqr, cuComplex, c64)
FAKE_FORM_Q(cusolverDnZungqr, cuDoubleComplex, c128)

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t,
                                             cublasFillMode_t, int64_t n, cudaDataType type, const void *,
                                             int64_t leading, cudaDataType w_type, const void *, cudaDataType compute,
                                             size_t *device_bytes, size_t *host_bytes) {
  return function("cusolverDnXsyevd_bufferSize", [&] {
    check_sizes(n, n, leading);
    check_types(type, type, compute);
    check_real(type, w_type);
    ask(n, n, device_bytes, host_bytes);
  });
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t, cusolverEigMode_t mode,
                                  cublasFillMode_t triangle, int64_t n, cudaDataType type, void *a, int64_t leading,
                                  cudaDataType w_type, void *w, cudaDataType compute, void *device_work,
                                  size_t device_bytes, void *host_work, size_t host_bytes, int *info) {
  return function("cusolverDnXsyevd", [&] {
    check_sizes(n, n, leading);
    check_types(type, type, compute);
    check_real(type, w_type);
    require(triangle == CUBLAS_FILL_MODE_LOWER, "the lower triangle was not asked for");
    overwrite(handle, n, n, device_work, device_bytes, host_work, host_bytes);
    with_type(type,
              [&](auto t) { find_eigenvalues<decltype(t)>(handle, mode == CUSOLVER_EIG_MODE_VECTOR, n, a, w, info); });
  });
}

namespace {

void check_svd(signed char u_job, signed char vh_job, int64_t m, int64_t n, cudaDataType type, int64_t leading,
               cudaDataType s_type, cudaDataType u_type, int64_t u_leading, cudaDataType vh_type, int64_t vh_leading,
               cudaDataType compute) {
  check_sizes(m, n, leading);
  check_types(type, u_type, vh_type);
  check_types(type, type, compute);
  check_real(type, s_type);
  require(m >= n, "a matrix has fewer rows than columns");
  require(u_job == vh_job && std::strchr("ASN", u_job), "another job than A, S or N for both");
  require(u_leading == m && vh_leading == n, "leading dimensions are wrong");
}

}  // namespace

cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, signed char u_job,
                                             signed char vh_job, int64_t m, int64_t n, cudaDataType type, const void *,
                                             int64_t leading, cudaDataType s_type, const void *, cudaDataType u_type,
                                             const void *, int64_t u_leading, cudaDataType vh_type, const void *,
                                             int64_t vh_leading, cudaDataType compute, size_t *device_bytes,
                                             size_t *host_bytes) {
  return function("cusolverDnXgesvd_bufferSize", [&] {
    check_svd(u_job, vh_job, m, n, type, leading, s_type, u_type, u_leading, vh_type, vh_leading, compute);
    ask(m, n, device_bytes, host_bytes);
  });
}
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t, signed char u_job, signed char vh_job,
                                  int64_t m, int64_t n, cudaDataType type, void *a, int64_t leading,
                                  cudaDataType s_type, void *s, cudaDataType u_type, void *u, int64_t u_leading,
                                  cudaDataType vh_type, void *vh, int64_t vh_leading, cudaDataType compute,
                                  void *device_work, size_t device_bytes, void *host_work, size_t host_bytes,
                                  int *info) {
  return function("cusolverDnXgesvd", [&] {
    check_svd(u_job, vh_job, m, n, type, leading, s_type, u_type, u_leading, vh_type, vh_leading, compute);
    overwrite(handle, m, n, device_work, device_bytes, host_work, host_bytes);
    with_type(type, [&](auto t) {
      find_singular_values<decltype(t)>(handle, static_cast<char>(u_job), m, n, a, s, u, vh, info);
    });
  });
}
