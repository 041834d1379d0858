// plugins/cpu/library/gemm.cpp -- blocking and parallelism of our own matrix products.
//
// The scheme is that of Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008): blocks of b
// are packed once for all threads, and blocks of a by each thread that needs them.
#include "plugins/cpu/library/gemm.h"

#include <gpuopt/types.h>

#include <algorithm>
#include <cstring>

#include "plugins/cpu/library/gemm_kernel.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/range.h"
#include "plugins/cpu/runtime/tensor.h"

namespace gpuopt::cpu {
namespace {

enum class Accumulate { kNo, kAdd, kSubtract };

constexpr int64_t kDepth = 256;          // depth of a block, with which a panel of b fits into the first-level cache
constexpr int64_t kRowBlock = 96;        // rows of a in a task: a multiple of the rows of every kernel
constexpr int64_t kColBlock = 512;       // columns of c in a task, and
constexpr int64_t kPackedCols = 8192;    // columns of b packed at a time: multiples of the columns of every kernel
constexpr double kSerialWork = 1 << 17;  // multiply-adds below which several threads do not pay

int64_t blocks_of(int64_t size, int64_t block) noexcept { return (size + block - 1) / block; }
int64_t rounded_up(int64_t size, int64_t block) noexcept { return blocks_of(size, block) * block; }

// Calls body(task, worker) for every task, in parallel if there are at least kSerialWork multiply-adds.
void for_tasks(int64_t ntasks, double work, FunctionRef<void(int64_t, int)> body) noexcept {
  if (work >= kSerialWork) return parallel_for(ntasks, body);
  for (int64_t task = 0; task < ntasks; task++) body(task, 0);
}

double work_of(const Matrix &a, const Matrix &c) noexcept {
  return static_cast<double>(c.rows) * static_cast<double>(c.cols) * static_cast<double>(a.cols);
}

class Product {
 public:
  Product(const GemmKernel &kernel, const Matrix &a, const Matrix &b, const Matrix &c, Accumulate accumulate) noexcept
      : kernel_(kernel),
        a_(a),
        b_(b),
        c_(c),
        accumulate_(accumulate),
        work_(work_of(a, c)),
        threads_(work_ < kSerialWork ? 1 : pool_size()),
        a_bytes_(kRowBlock * std::min(kDepth, a.cols) * kernel.compute_bytes),
        b_bytes_(rounded_up(std::min(c.cols, kPackedCols), kernel.cols) * std::min(kDepth, a.cols) *
                 kernel.compute_bytes),
        memory_(static_cast<uint64_t>(b_bytes_ + threads_ * a_bytes_)) {}

  bool run() noexcept {
    if (!memory_) return false;
    for (int64_t col = 0; col < c_.cols; col += kPackedCols) {
      const int64_t cols = std::min(kPackedCols, c_.cols - col);
      for (int64_t p = 0; p < a_.cols; p += kDepth) run_block(col, cols, p, std::min(kDepth, a_.cols - p));
    }
    return true;
  }

 private:
  // Computes columns [col, col + cols) of c for the part [p, p + depth) of the sums.
  void run_block(int64_t col, int64_t cols, int64_t p, int64_t depth) noexcept {
    const int64_t panel = kernel_.cols, col_blocks = blocks_of(cols, kColBlock);
    for_tasks(blocks_of(cols, panel), work_, [&](int64_t i, int) {
      const int64_t first = i * panel;
      kernel_.pack_b(b_.block(p, col + first, depth, std::min(panel, cols - first)), b_panel(first, depth));
    });
    for_tasks(blocks_of(c_.rows, kRowBlock) * col_blocks, work_, [&](int64_t task, int worker) {
      const int64_t row = task / col_blocks * kRowBlock, rows = std::min(kRowBlock, c_.rows - row);
      const int64_t first = task % col_blocks * kColBlock, last = std::min(cols, first + kColBlock);
      char *const panels = memory_.as<char>() + b_bytes_ + worker * a_bytes_;
      pack_rows(row, rows, p, depth, panels);
      for (const Range part : parts_of({first, last}, panel)) {
        multiply_column(c_.block(row, col + part.first, rows, part.count()), p > 0, depth, panels,
                        b_panel(part.first, depth));
      }
    });
  }

  void pack_rows(int64_t row, int64_t rows, int64_t p, int64_t depth, char *panels) const noexcept {
    for (const Range part : parts_of({0, rows}, kernel_.rows)) {
      kernel_.pack_a(a_.block(row + part.first, p, part.count(), depth), accumulate_ == Accumulate::kSubtract,
                     panels + part.first * depth * kernel_.compute_bytes);
    }
  }

  void multiply_column(const Matrix &c, bool later, int64_t depth, const char *panels, const char *b) const noexcept {
    const bool add = later || accumulate_ != Accumulate::kNo;
    for (const Range part : parts_of({0, c.rows}, kernel_.rows)) {
      kernel_.multiply(depth, panels + part.first * depth * kernel_.compute_bytes, b, add,
                       c.block(part.first, 0, part.count(), c.cols));
    }
  }

  char *b_panel(int64_t col, int64_t depth) const noexcept {
    return memory_.as<char>() + col * depth * kernel_.compute_bytes;
  }

  const GemmKernel &kernel_;
  const Matrix a_, b_, c_;
  const Accumulate accumulate_;
  const double work_;
  const int64_t threads_, a_bytes_, b_bytes_;
  const Scratch memory_;
};

void set_zero(const Matrix &c, int64_t element) noexcept {
  for (int64_t i = 0; i < c.rows; i++) {
    for (int64_t j = 0; j < c.cols; j++) {
      std::memset(c.data + i * c.row_stride + j * c.col_stride, 0, static_cast<size_t>(element));
    }
  }
}

bool multiply_vector(const GemmKernel &kernel, const Matrix &a, const Matrix &x, const Matrix &c,
                     Accumulate accumulate) noexcept {
  constexpr int64_t kRows = 32;
  const Scratch packed(static_cast<uint64_t>(a.cols * kernel.compute_bytes));
  if (!packed) return false;
  kernel.pack_x(x.transposed(), accumulate == Accumulate::kSubtract, packed.as<void>());
  for_tasks(blocks_of(a.rows, kRows), work_of(a, c), [&](int64_t task, int) {
    const int64_t row = task * kRows, rows = std::min(kRows, a.rows - row);
    kernel.multiply_vector(a.block(row, 0, rows, a.cols), packed.as<void>(), accumulate != Accumulate::kNo,
                           c.block(row, 0, rows, 1));
  });
  return true;
}

bool multiply_real(int32_t dtype, int level, const Matrix &a, const Matrix &b, const Matrix &c,
                   Accumulate accumulate = Accumulate::kNo) noexcept {
  const GemmKernel &kernel = *gemm_kernel(dtype, level);
  const int64_t element = element_size(dtype);
  if (c.cols == 1 && a.col_stride == element) return multiply_vector(kernel, a, b, c, accumulate);
  if (c.rows == 1 && b.row_stride == element) {
    return multiply_vector(kernel, b.transposed(), a.transposed(), c.transposed(), accumulate);
  }
  // With few columns most of a tile would be padding, so the transposed product is computed; few rows are not padded.
  const bool turn = c.cols < kernel.cols && c.cols < c.rows;
  return turn ? Product(kernel, b.transposed(), a.transposed(), c.transposed(), accumulate).run()
              : Product(kernel, a, b, c, accumulate).run();
}

// Computes (ar + i ai)(br + i bi) as four real products of views of the real and imaginary parts.
bool multiply_complex(int32_t part, int level, const Matrix &a, const Matrix &b, const Matrix &c) noexcept {
  const int64_t size = element_size(part);
  const Matrix ai = a.at(size), bi = b.at(size), ci = c.at(size);
  return multiply_real(part, level, a, b, c) && multiply_real(part, level, ai, bi, c, Accumulate::kSubtract) &&
         multiply_real(part, level, a, bi, ci) && multiply_real(part, level, ai, b, ci, Accumulate::kAdd);
}

}  // namespace

bool multiply(int32_t dtype, int level, const Matrix &a, const Matrix &b, const Matrix &c) noexcept {
  if (c.rows == 0 || c.cols == 0) return true;
  if (a.cols == 0) {
    set_zero(c, element_size(dtype));
    return true;
  }
  if (dtype == GPUOPT_COMPLEX64) return multiply_complex(GPUOPT_FLOAT32, level, a, b, c);
  if (dtype == GPUOPT_COMPLEX128) return multiply_complex(GPUOPT_FLOAT64, level, a, b, c);
  return multiply_real(dtype, level, a, b, c);
}

bool multiply(int32_t dtype, const Matrix &a, const Matrix &b, const Matrix &c) noexcept {
  return multiply(dtype, isa_level(), a, b, c);
}

}  // namespace gpuopt::cpu
