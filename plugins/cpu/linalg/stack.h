// plugins/cpu/linalg/stack.h -- the matrices of a call one by one: between tensors and column-major scratch memory, and
// on the threads of the pool.
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>
#include <type_traits>

#include "plugins/cpu/linalg/lapack.h"
#include "plugins/cpu/linalg/products.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/serial_scope.h"
#include "plugins/cpu/runtime/tensor.h"

namespace gpuopt::cpu {

// A matrix, vector (one column) or number in a tensor; strides in bytes.
struct MatrixPlace {
  char *data;
  int64_t row, column;

  template <class T>
  T &at(int64_t i, int64_t j) const noexcept {
    return *reinterpret_cast<T *>(data + i * row + j * column);
  }
};

// A matrix of a call, with what the other tensors have for it.
class MatrixOfCall {
 public:
  MatrixOfCall(const gpuopt_call &call, int64_t index) noexcept : call_(call), index_(index) {}

  // The place of tensor t, which has a matrix, vector or number for each matrix of the stack.
  MatrixPlace operator[](int32_t t) const noexcept {
    const gpuopt_tensor &x = call_.tensors[t];
    const int32_t stack = call_.tensors[0].ndim - 2, own = x.ndim - stack;
    MatrixPlace place = {bytes_of(x), own > 0 ? x.strides[stack] : 0, own > 1 ? x.strides[stack + 1] : 0};
    int64_t rest = index_;
    for (int32_t axis = stack - 1; axis >= 0; axis--) {
      place.data += rest % x.shape[axis] * x.strides[axis];
      rest /= x.shape[axis];
    }
    return place;
  }

 private:
  const gpuopt_call &call_;
  int64_t index_;
};

// Calls f(first, end) for parts of m rows of n columns, in parallel if there are many elements. At most kTile rows are
// in a part: they stay in the cache while columns go by, where rows are contiguous.
inline constexpr int64_t kTile = 16;
template <class F>
void for_tiles(int64_t m, int64_t n, const F &f) noexcept {
  constexpr int64_t kParallel = 1 << 15;
  const int64_t rows = m * n < kParallel ? std::max<int64_t>(m, 1) : 4 * kTile, tasks = (m + rows - 1) / rows;
  const auto run = [=, &f](int64_t task, int) {
    const int64_t end = std::min(m, (task + 1) * rows);
    for (int64_t first = task * rows; first < end; first += kTile) f(first, std::min(end, first + kTile));
  };
  tasks == 1 ? run(0, 0) : parallel_for(tasks, run);
}
// Calls f(i, j) for all elements of m rows and n columns, in parallel if there are many.
template <class F>
void for_elements(int64_t m, int64_t n, const F &f) noexcept {
  for_tiles(m, n, [=, &f](int64_t first, int64_t end) {
    for (int64_t j = 0; j < n; j++) {
      for (int64_t i = first; i < end; i++) f(i, j);
    }
  });
}

// Copies a matrix of m rows and n columns: element (i, j) is at from[i * row + j], and comes to to[i + j * column].
template <class T>
void transpose_elements(int64_t m, int64_t n, const T *from, int64_t row, T *to, int64_t column) noexcept {
  const auto transpose = algorithms<T>().transpose;
  for_tiles(m, n, [=](int64_t first, int64_t end) {
    transpose(end - first, n, from + first * row, row, to + first, column);
  });
}
// Whether the elements of a row of several numbers follow each other in memory.
template <class T>
bool has_plain_rows(const MatrixPlace &x, int64_t columns) noexcept {
  return columns > 1 && x.column == sizeof(T) && x.row % int64_t{sizeof(T)} == 0;
}

// Copies m rows and n columns to column-major memory.
template <class T>
void load_matrix(const MatrixPlace &from, int64_t m, int64_t n, T *to) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    if (has_plain_rows<T>(from, n))
      return transpose_elements(m, n, &from.at<T>(0, 0), from.row / int64_t{sizeof(T)}, to, m);
  }
  for_elements(m, n, [=](int64_t i, int64_t j) { to[i + j * m] = from.at<T>(i, j); });
}
// Copies m rows and n columns from column-major memory, where columns are `step` elements apart.
template <class T>
void store_matrix(const T *from, int64_t step, int64_t m, int64_t n, const MatrixPlace &to) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    if (has_plain_rows<T>(to, n))
      return transpose_elements(n, m, from, step, &to.at<T>(0, 0), to.row / int64_t{sizeof(T)});
  }
  for_elements(m, n, [=](int64_t i, int64_t j) { to.at<T>(i, j) = from[i + j * step]; });
}
template <class T>
void store_matrix(const T *from, int64_t m, int64_t n, const MatrixPlace &to) noexcept {
  store_matrix(from, m, m, n, to);
}

// The other triangle of an n x n matrix in column-major memory becomes the conjugates of the lower or upper one, and
// the diagonal real.
template <class T>
void make_hermitian(bool upper, int64_t n, T *a) noexcept {
  for (int64_t j = 0; j < n; j++) {
    a[j + j * n] = gpo::linalg::number<T>(gpo::linalg::re(a[j + j * n]));
    for (int64_t i = j + 1; i < n; i++) {
      T &below = a[i + j * n], &above = a[j + i * n];
      upper ? below = gpo::linalg::conj(above) : above = gpo::linalg::conj(below);
    }
  }
}
// Transposes an n x n matrix in place.
template <class T>
void transpose_in_place(bool conjugated, int64_t n, T *a) noexcept {
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = j; i < n; i++) {
      const T below = a[i + j * n], above = a[j + i * n];
      a[i + j * n] = conjugated ? gpo::linalg::conj(above) : above;
      a[j + i * n] = conjugated ? gpo::linalg::conj(below) : below;
    }
  }
}

// Memory for the parts of one computation, one behind the other, each aligned to 64 bytes.
class Layout {
 public:
  template <class T>
  int64_t add(int64_t count) noexcept {
    const int64_t at = bytes_;
    bytes_ += (count * static_cast<int64_t>(sizeof(T)) + 63) / 64 * 64;
    return at;
  }
  int64_t bytes() const noexcept { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

// Returns whether there is an answer: what `theirs` gives, which may be left to a LAPACK, or else what `own` does.
template <class Theirs, class Own>
bool by_either(const Runner &run, const Theirs &theirs, const Own &own) noexcept {
  const Outcome outcome = run.lapack ? theirs(*run.lapack) : Outcome::kRefused;
  return outcome == Outcome::kRefused ? own() : outcome == Outcome::kDone;
}

// Runs `job` for every matrix of the stack, and sets ints[0]. A job has `bytes`, of scratch memory, and `work`, about
// as many operations as a matrix needs; job(matrix, scratch, run) returns whether there is an answer. Large matrices
// are computed one after the other, each on all threads, others at the same time. A matrix is large if its many short
// loops take longer than to hand them to other threads; one that a LAPACK computes, or that is the only one, is large
// sooner. A job must not throw.
template <class Job>
void run_stack(const gpuopt_call &call, const Job &job) {
  constexpr double kLarge = 1 << 26, kLargeAlone = 1 << 24, kLargeForLapack = 1 << 20, kTask = 1 << 15;
  int64_t count = 1;
  for (int32_t axis = 0; axis < call.tensors[0].ndim - 2; axis++) count *= call.tensors[0].shape[axis];
  const bool few = count < 2 * pool_size();
  const Lapack *const theirs = few && job.work >= kLargeForLapack ? lapack() : nullptr;
  const bool alone = theirs || (few && job.work >= (count == 1 ? kLargeAlone : kLarge));
  const int64_t group = alone ? count : std::max<int64_t>(1, static_cast<int64_t>(kTask / std::max(job.work, 1.0)));
  // Few tasks may be run by any of the workers.
  const int64_t tasks = (count + group - 1) / group, workers = tasks > 1 ? pool_size() : 1;
  const Scratch memory(static_cast<uint64_t>(workers * job.bytes));
  if (!memory) fail_out_of_memory(static_cast<uint64_t>(workers * job.bytes));
  std::atomic<int64_t> failed{count};
  const Runner runner = make_runner(alone, theirs);
  const auto run = [&](int64_t task, int worker) {
    char *const scratch = memory.template as<char>() + worker * job.bytes;
    for (int64_t index = task * group; index < std::min(count, (task + 1) * group); index++) {
      const MatrixOfCall matrix(call, index);
      if (job(matrix, scratch, runner)) continue;
      int64_t first = failed.load();
      while (index < first && !failed.compare_exchange_weak(first, index)) {
      }
    }
  };
  if (tasks == 1 && alone) {
    // Threads that spin would take processors from a LAPACK's own threads, and from each other where they share them.
    std::optional<KeepAwake> awake;
    if (!theirs && threads_have_processors()) awake.emplace();
    run(0, 0);
  }
  if (tasks == 1 && !alone) {
    const SerialScope serial;
    run(0, 0);
  }
  if (tasks > 1) parallel_for(tasks, run);
  call.ints[0] = failed == count ? -1 : failed.load();
}

// Calls run(T{}) for the element type of a call.
template <class Run>
void with_element_type(int32_t dtype, Run &&run) {
  switch (dtype) {
    case GPUOPT_FLOAT32:
      return run(float{});
    case GPUOPT_FLOAT64:
      return run(double{});
    case GPUOPT_COMPLEX64:
      return run(gpo::c64{});
    case GPUOPT_COMPLEX128:
      return run(gpo::c128{});
    default:
      fail(GPUOPT_ERR_TYPE, "array type %s is unsupported in linalg", dtype_name(dtype));
  }
}

// The rows and columns of tensor t, which is a stack of matrices.
inline int64_t rows_of(const gpuopt_call &call, int32_t t) noexcept {
  return call.tensors[t].shape[call.tensors[t].ndim - 2];
}
inline int64_t columns_of(const gpuopt_call &call, int32_t t) noexcept {
  return call.tensors[t].shape[call.tensors[t].ndim - 1];
}

}  // namespace gpuopt::cpu
