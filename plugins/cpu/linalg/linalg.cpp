// plugins/cpu/linalg/linalg.cpp -- checks the calls of the slot; see linalg.h.
#include "plugins/cpu/linalg/linalg.h"

#include <algorithm>
#include <initializer_list>

#include "plugins/cpu/linalg/factorizations.h"
#include "plugins/cpu/linalg/solve.h"
#include "plugins/cpu/linalg/spectral.h"
#include "plugins/cpu/runtime/tensor.h"

namespace gpuopt::cpu {
namespace {

bool is_complex(int32_t dtype) noexcept { return dtype == GPUOPT_COMPLEX64 || dtype == GPUOPT_COMPLEX128; }
bool is_single(int32_t dtype) noexcept { return dtype == GPUOPT_COMPLEX64 || dtype == GPUOPT_FLOAT32; }
int32_t real_dtype(int32_t dtype) noexcept { return is_single(dtype) ? GPUOPT_FLOAT32 : GPUOPT_FLOAT64; }
int32_t complex_dtype(int32_t dtype) noexcept { return is_single(dtype) ? GPUOPT_COMPLEX64 : GPUOPT_COMPLEX128; }

// Compares the tensors of a call with what its kind is specified to have.
class CallCheck {
 public:
  explicit CallCheck(const gpuopt_call &call) : call_(call) {
    const int32_t dtype = call.ntensors > 0 ? call.tensors[0].dtype : GPUOPT_BOOL;
    if (dtype != GPUOPT_FLOAT32 && dtype != GPUOPT_FLOAT64 && !is_complex(dtype))
      fail(GPUOPT_ERR_TYPE, "array type %s is unsupported in linalg", dtype_name(dtype));
    if (call.tensors[0].ndim < 2)
      fail(GPUOPT_ERR_SHAPE, "%d-dimensional arrays have no matrices", call.tensors[0].ndim);
  }

  int32_t dtype() const noexcept { return call_.tensors[0].dtype; }
  // The sizes of the matrices of the first tensor.
  int64_t m() const noexcept { return call_.tensors[0].shape[stack()]; }
  int64_t n() const noexcept { return call_.tensors[0].shape[stack() + 1]; }
  int64_t k() const noexcept { return std::min(m(), n()); }
  // The size of the last axis of tensor t.
  int64_t last(int32_t t) const noexcept {
    const gpuopt_tensor &x = call_.tensors[t];
    return x.ndim ? x.shape[x.ndim - 1] : 0;
  }

  // How many tensors and integers there are.
  void counts(std::initializer_list<int32_t> tensors, int32_t ints) const {
    if (std::find(tensors.begin(), tensors.end(), call_.ntensors) == tensors.end() || call_.nints != ints)
      fail(GPUOPT_ERR_INTERNAL, "call %d has %d tensors and %d integers", call_.kind, call_.ntensors, call_.nints);
  }
  void square() const { expect(0, dtype(), {m(), m()}); }
  // Tensor t has for each matrix elements of these sizes.
  void expect(int32_t t, int32_t dtype, std::initializer_list<int64_t> sizes) const {
    const gpuopt_tensor &x = call_.tensors[t];
    if (x.dtype != dtype)
      fail(GPUOPT_ERR_TYPE, "tensor %d of call %d has dtype %s, not %s", t, call_.kind, dtype_name(x.dtype),
           dtype_name(dtype));
    const bool fits = x.ndim == stack() + static_cast<int32_t>(sizes.size()) &&
                      std::equal(x.shape, x.shape + stack(), call_.tensors[0].shape) &&
                      std::equal(sizes.begin(), sizes.end(), x.shape + stack());
    if (!fits) fail(GPUOPT_ERR_SHAPE, "tensor %d of call %d does not have the sizes that it should", t, call_.kind);
  }

 private:
  int32_t stack() const noexcept { return call_.tensors[0].ndim - 2; }
  const gpuopt_call &call_;
};

void check_qr(const gpuopt_call &call, const CallCheck &check) {
  check.counts({2, 3}, 1);
  const bool complete = call.ntensors == 3 && check.last(1) == check.m() && check.m() > check.k();
  const int64_t rows = complete ? check.m() : check.k();
  if (call.ntensors == 3) check.expect(1, check.dtype(), {check.m(), rows});
  check.expect(call.ntensors - 1, check.dtype(), {rows, check.n()});
}

void check_factorization(const gpuopt_call &call, const CallCheck &check) {
  switch (call.kind) {
    case GPUOPT_CALL_CHOLESKY:
      check.counts({2}, 2);
      check.square();
      return check.expect(1, check.dtype(), {check.n(), check.n()});
    case GPUOPT_CALL_QR:
      return check_qr(call, check);
    case GPUOPT_CALL_LU:
      check.counts({4}, 1);
      check.expect(1, check.dtype(), {check.m(), check.n()});
      check.expect(2, GPUOPT_INT64, {check.k()});
      return check.expect(3, GPUOPT_INT64, {check.m()});
    default:
      check.counts({2}, 1);
      check.square();
      return check.expect(1, check.dtype(), {});
  }
}

void check_solve(const gpuopt_call &call, const CallCheck &check) {
  const bool factorized = call.kind == GPUOPT_CALL_SOLVE_LU;
  check.counts({factorized ? 4 : 3}, call.kind == GPUOPT_CALL_SOLVE ? 1 : factorized ? 2 : 4);
  check.square();
  if (factorized) check.expect(1, GPUOPT_INT64, {check.n()});
  const int32_t b = factorized ? 2 : 1;
  check.expect(b, check.dtype(), {check.n(), check.last(b)});
  check.expect(b + 1, check.dtype(), {check.n(), check.last(b)});
}

void check_eigen(const gpuopt_call &call, const CallCheck &check) {
  const bool hermitian = call.kind == GPUOPT_CALL_EIGH;
  check.counts({2, 3}, hermitian ? 2 : 1);
  check.square();
  check.expect(1, hermitian ? real_dtype(check.dtype()) : complex_dtype(check.dtype()), {check.n()});
  if (call.ntensors == 3)
    check.expect(2, hermitian ? check.dtype() : complex_dtype(check.dtype()), {check.n(), check.n()});
}

void check_svd(const gpuopt_call &call, const CallCheck &check) {
  check.counts({2, 4}, 1);
  check.expect(1, real_dtype(check.dtype()), {check.k()});
  if (call.ntensors == 2) return;
  const bool full = check.last(2) == check.m();
  check.expect(2, check.dtype(), {check.m(), full ? check.m() : check.k()});
  const gpuopt_tensor &vh = call.tensors[3];
  const bool square = vh.ndim >= 2 && vh.shape[vh.ndim - 2] == check.n();
  check.expect(3, check.dtype(), {square ? check.n() : check.k(), check.n()});
}

void check_and_run(const gpuopt_call &call, void (*check)(const gpuopt_call &, const CallCheck &),
                   void (*run)(const gpuopt_call &)) {
  check(call, CallCheck(call));
  call.ints[0] = -1;
  bool empty = true;
  for (int32_t t = 1; t < call.ntensors; t++) empty = empty && size_of(call.tensors[t]) == 0;
  if (!empty) run(call);
}

}  // namespace

void run_linalg(const gpuopt_call &call) {
  switch (call.kind) {
    case GPUOPT_CALL_CHOLESKY:
    case GPUOPT_CALL_QR:
    case GPUOPT_CALL_LU:
    case GPUOPT_CALL_DET:
      return check_and_run(call, check_factorization, run_factorization);
    case GPUOPT_CALL_SOLVE:
    case GPUOPT_CALL_SOLVE_LU:
    case GPUOPT_CALL_SOLVE_TRIANGULAR:
      return check_and_run(call, check_solve, run_solve);
    case GPUOPT_CALL_EIGH:
    case GPUOPT_CALL_EIG:
      return check_and_run(call, check_eigen, run_spectral);
    case GPUOPT_CALL_SVD:
      return check_and_run(call, check_svd, run_spectral);
    default:
      fail(GPUOPT_ERR_UNSUPPORTED, "the cpu backend knows no call %d of linear algebra", call.kind);
  }
}

}  // namespace gpuopt::cpu
