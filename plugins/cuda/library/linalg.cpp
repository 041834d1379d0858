// plugins/cuda/library/linalg.cpp -- the slot linalg: Cholesky, LU and QR factors, determinants, and systems of
// equations by our own kernels. Everything else, and large matrices of which there are few, are left to cuSOLVER if
// GPUOPT_LINALG is fast (fast_linalg.h), or else ERR_UNSUPPORTED: the CPU computes them.
#include <algorithm>
#include <array>
#include <string>

#include "plugins/cuda/library/fast_linalg.h"
#include "plugins/cuda/plugin/slots.h"
#include "plugins/shared/host/setting_values.h"
#include "plugins/shared/linalg/householder.h"

namespace gpuopt::cuda {
namespace {

// linalg_threads, linalg_room, and the number of tensors, of text/linalg.h.
constexpr uint32_t kLinalgThreads = 256;
constexpr int64_t kLinalgRoom = 32768;
constexpr size_t kMatrixTensors = 4;

constexpr int64_t kMostRows = 1024;                  // and columns, of matrices and of right sides
constexpr int64_t kFewRows = 128, kMany = 16;        // one matrix may be so large; larger ones come in such numbers
constexpr int64_t kBlocksOfProcessor = 8;            // that are there at once
constexpr int64_t kMatrixMemory = int64_t{1} << 30;  // bytes of the matrices that are being computed

// What a kind of call has: its kernel and the header of that, whether an answer may be missing, and which tensors have
// the right sides (0: none) and pivots.
struct LinalgKind {
  const char *header, *kernel;
  bool may_fail;
  int32_t sides, pivots;
};

LinalgKind linalg_kind(int32_t kind) {
  switch (kind) {
    case GPUOPT_CALL_CHOLESKY:
      return {"linalg.h", "linalg_cholesky", true, 0, 0};
    case GPUOPT_CALL_QR:
      return {"qr.h", "linalg_qr", false, 0, 0};
    case GPUOPT_CALL_LU:
      return {"linalg.h", "linalg_lu", false, 0, 2};
    case GPUOPT_CALL_DET:
      return {"linalg.h", "linalg_det", false, 0, 0};
    case GPUOPT_CALL_SOLVE:
      return {"linalg.h", "linalg_solve", true, 1, 0};
    case GPUOPT_CALL_SOLVE_LU:
      return {"linalg.h", "linalg_solve_lu", true, 2, 1};
    case GPUOPT_CALL_SOLVE_TRIANGULAR:
      return {"linalg.h", "linalg_solve_triangular", true, 1, 0};
    default:
      fail(GPUOPT_ERR_UNSUPPORTED, "the cuda backend has no linear algebra of kind %d", static_cast<int>(kind));
  }
}

bool has_matrices_of(int32_t dtype) noexcept {
  return dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_FLOAT64 || dtype == GPUOPT_COMPLEX64 || dtype == GPUOPT_COMPLEX128;
}

// The matrices of a call, and the memory that a block needs for one of them.
class Matrices {
 public:
  explicit Matrices(const gpuopt_call &call)
      : kind(linalg_kind(call.kind)), call_(call), a_(call.tensors[0]), stack_(a_.ndim - 2) {
    if (!has_matrices_of(a_.dtype))
      fail(GPUOPT_ERR_TYPE, "array type %s is unsupported in linalg", dtype_name(a_.dtype));
    if (stack_ < 0) fail(GPUOPT_ERR_SHAPE, "%d-dimensional arrays have no matrices", static_cast<int>(a_.ndim));
    m = a_.shape[stack_];
    n = a_.shape[stack_ + 1];
    if (kind.sides) p = call.tensors[kind.sides].shape[stack_ + 1];
    if (call.kind == GPUOPT_CALL_QR && call.ntensors == 3) p = call.tensors[1].shape[stack_ + 1];
    count = product(stack_, a_.shape);
  }

  const LinalgKind kind;
  int64_t m, n, p = 0, count;  // p: of right sides, or of q

  // Whether nothing is to be written.
  bool is_empty() const noexcept {
    for (int32_t t = 1; t < call_.ntensors; t++) {
      if (size_of(call_.tensors[t])) return false;
    }
    return true;
  }
  // A block has one matrix, so that a few large ones leave most of the device idle.
  bool is_suitable() const noexcept {
    const int64_t most = std::max({m, n, p});
    return most <= (count < kMany ? kFewRows : kMostRows);
  }

  int64_t pivots_at() const noexcept { return aligned(m * n * element_size(a_.dtype)); }
  int64_t sides_at() const noexcept { return pivots_at() + aligned(std::min(m, n) * 8); }
  int64_t bytes() const noexcept {
    if (call_.kind == GPUOPT_CALL_QR) return qr_elements() * element_size(a_.dtype);
    return sides_at() + aligned(kind.sides ? n * p * element_size(a_.dtype) : m * 8);
  }

  int64_t flags() const noexcept {
    const int64_t *const i = call_.ints;
    if (call_.kind == GPUOPT_CALL_SOLVE_TRIANGULAR) return (i[1] != 0) | (i[2] != 0) << 1 | i[3] << 2;
    return call_.kind == GPUOPT_CALL_SOLVE_LU ? i[1] : call_.kind == GPUOPT_CALL_CHOLESKY ? i[1] != 0 : 0;
  }

  // Appends the tensors' addresses and strides of rows and columns.
  void add_tensors(KernelWords &words) const {
    for (int32_t t = 0; t < static_cast<int32_t>(kMatrixTensors); t++) {
      const bool there = t < call_.ntensors;
      words.add(there ? static_cast<int64_t>(address_of(call_.tensors[t])) : 0);
      words.add(there ? stride(t, stack_) : 0).add(there ? stride(t, stack_ + 1) : 0);
    }
  }
  Walk<kMatrixTensors> walk() const {
    Axes<kMatrixTensors> axes;
    for (int32_t axis = 0; axis < stack_; axis++) {
      std::array<int64_t, kMatrixTensors> steps{};
      for (int32_t t = 0; t < call_.ntensors; t++) steps[static_cast<size_t>(t)] = stride(t, axis);
      axes.append(a_.shape[axis], steps);
    }
    return axes.walk();
  }

  // The address of a pivot, by its number in C order.
  CUdeviceptr pivot(int64_t number) const {
    const gpuopt_tensor &pivots = call_.tensors[kind.pivots];
    int64_t offset = 0;
    for (int32_t axis = pivots.ndim - 1; axis >= 0; axis--) {
      offset += number % pivots.shape[axis] * pivots.strides[axis];
      number /= pivots.shape[axis];
    }
    return address_of(pivots) + static_cast<uint64_t>(offset);
  }

 private:
  // The matrix, tau, q, and the memory of a panel, of text/qr.h.
  int64_t qr_elements() const noexcept {
    const int64_t k = std::min(m, n), panel = std::min(k, int64_t{gpo::linalg::kPanel});
    return m * n + k + m * p + panel * (m + 2 * panel + 2 * std::max(n, p));
  }
  static int64_t aligned(int64_t bytes) noexcept { return (bytes + 15) / 16 * 16; }
  int64_t stride(int32_t t, int32_t axis) const noexcept {
    const gpuopt_tensor &x = call_.tensors[t];
    return axis < x.ndim ? x.strides[axis] : 0;
  }

  const gpuopt_call &call_;
  const gpuopt_tensor &a_;
  const int32_t stack_;
};

void launch_matrices(const Work &work, const Matrices &matrices, int32_t dtype, uint64_t notes) {
  const int64_t bytes = matrices.bytes();
  const bool shared = bytes <= kLinalgRoom;
  int64_t blocks = std::min(matrices.count, kBlocksOfProcessor * std::max<int64_t>(work.device.processors, 1));
  if (!shared) blocks = std::clamp<int64_t>(kMatrixMemory / bytes, 1, blocks);
  const Scratch memory(work.device, work.stream, shared ? 0 : static_cast<uint64_t>(blocks * bytes));
  KernelWords words{static_cast<uint64_t>(matrices.count),
                    static_cast<uint64_t>(matrices.m),
                    static_cast<uint64_t>(matrices.n),
                    static_cast<uint64_t>(matrices.p),
                    static_cast<uint64_t>(matrices.flags()),
                    shared ? 0 : memory.address(),
                    static_cast<uint64_t>(bytes),
                    static_cast<uint64_t>(matrices.pivots_at()),
                    static_cast<uint64_t>(matrices.sides_at()),
                    notes,
                    static_cast<uint64_t>(blocks)};
  matrices.add_tensors(words);
  const Walk<kMatrixTensors> walk = matrices.walk();
  words.add(walk);
  launch_library(work, matrices.kind.header,
                 instance(matrices.kind.kernel, {element_type(dtype), std::to_string(walk.ndim())}), words, blocks,
                 kLinalgThreads);
}

// Throws ERR_INDEX for the pivot with this number.
[[noreturn]] void fail_pivot(const Work &work, const Matrices &matrices, int64_t number) {
  uint64_t pivot = 0;
  read_words(work, matrices.pivot(number), &pivot, 1);
  fail(GPUOPT_ERR_INDEX, "pivot %lld is out of bounds for %lld rows", static_cast<long long>(pivot),
       static_cast<long long>(matrices.n));
}

// Computes matrices of which some may have no answer. Returns the index of the first of these, or -1.
int64_t run_with_notes(const Work &work, const Matrices &matrices, int32_t dtype) {
  constexpr int64_t kNotes = 2;
  const Scratch memory(work.device, work.stream, kNotes * 8);
  fill_bytes(work, memory.address(), 0, kNotes * 8);
  launch_matrices(work, matrices, dtype, memory.address());
  uint64_t notes[kNotes] = {};
  read_words(work, memory.address(), notes, kNotes);
  if (notes[1]) fail_pivot(work, matrices, static_cast<int64_t>(~notes[1]));
  return notes[0] ? static_cast<int64_t>(~notes[0]) : -1;
}

// Whether cuSOLVER is to compute what our own kernels do not.
bool is_left_to_cusolver(const gpuopt_call &call) {
  if (!plugin::setting_is(Setting::GPUOPT_LINALG, "fast") || !is_for_cusolver(call)) return false;
  if (call.kind == GPUOPT_CALL_EIGH || call.kind == GPUOPT_CALL_SVD) return size_of(call.tensors[1]) != 0;
  const Matrices matrices(call);
  return !matrices.is_empty() && !matrices.is_suitable();
}

}  // namespace

gpuopt_status slots::linalg(gpuopt_plugin_device *device, gpuopt_plugin_stream *stream, const gpuopt_call *call,
                            gpuopt_error *) {
  const ContextScope context(*device);
  const Work work{*device, *stream, "linalg"};
  if (is_left_to_cusolver(*call)) {
    run_fast_linalg(work, *call);
    return GPUOPT_OK;
  }
  const Matrices matrices(*call);
  call->ints[0] = -1;
  if (matrices.is_empty()) return GPUOPT_OK;
  if (!matrices.is_suitable())
    fail(GPUOPT_ERR_UNSUPPORTED, "the cuda backend does not compute few matrices of more than %lld rows or columns",
         static_cast<long long>(kFewRows));
  const int32_t dtype = call->tensors[0].dtype;
  if (matrices.kind.may_fail) {
    call->ints[0] = run_with_notes(work, matrices, dtype);
  } else {
    launch_matrices(work, matrices, dtype, 0);
  }
  return GPUOPT_OK;
}

}  // namespace gpuopt::cuda
