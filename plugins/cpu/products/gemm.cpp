// plugins/cpu/products/gemm.cpp -- blocking and parallelism of our own matrix products.
//
// The scheme is that of Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008): blocks of b
// are packed once for all threads, and blocks of a by each thread that needs them.
#include "plugins/cpu/products/gemm.h"

#include <gpuopt/types.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "plugins/cpu/products/gemm_kernel.h"
#include "plugins/cpu/runtime/cpuid.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/pool.h"
#include "plugins/cpu/runtime/range.h"
#include "plugins/cpu/runtime/tensor.h"
#include "plugins/shared/product_shape.h"

namespace gpuopt::cpu {
namespace {

constexpr int64_t kDepth = gpo::product_block;  // steps of a block
int64_t blocks_of(int64_t size, int64_t block) noexcept { return (size + block - 1) / block; }
int64_t rounded_up(int64_t size, int64_t block) noexcept { return blocks_of(size, block) * block; }

// A task packs as many rows of a as have this many bytes in one step, so that a block of them fits into the
// second-level cache.
constexpr int64_t kRowBytes = 384;
constexpr int64_t kColBlock = 512;       // columns of c in a task at least, if there are as many, and
constexpr int64_t kPackedCols = 8192;    // columns of b packed at a time: multiples of the columns of every kernel
constexpr double kSerialWork = 1 << 20;  // multiply-adds below which several threads do not pay

int64_t most_rows(const GemmKernel &kernel) noexcept {
  return kRowBytes / kernel.compute_bytes / kernel.rows * kernel.rows;
}

// The rows of c, dealt to tasks in whole tiles, as evenly as that allows.
class RowBlocks {
 public:
  // At most most_rows() are in a block, and there are so many blocks that all threads have about as many, unless that
  // would leave less than two tiles in a block.
  RowBlocks(const GemmKernel &kernel, int64_t rows, int64_t threads) noexcept
      : tile_(kernel.rows), rows_(rows), tiles_(blocks_of(rows, kernel.rows)) {
    const int64_t least = blocks_of(rows, most_rows(kernel)), most = std::max(least, tiles_ / 2);
    count_ = std::clamp(rounded_up(least, threads), std::max<int64_t>(least, 1), std::max<int64_t>(most, 1));
  }

  int64_t count() const noexcept { return count_; }
  // The rows of the largest block, as whole tiles.
  int64_t most() const noexcept { return blocks_of(tiles_, count_) * tile_; }
  Range operator[](int64_t i) const noexcept { return {first(i), std::min(first(i + 1), rows_)}; }

 private:
  int64_t first(int64_t i) const noexcept { return i * tiles_ / count_ * tile_; }

  int64_t tile_, rows_, tiles_, count_;
};

bool is_float(int32_t dtype) noexcept { return dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_FLOAT64; }

// Calls body(task, worker) for every task, in parallel if there are at least kSerialWork multiply-adds.
void for_tasks(int64_t ntasks, double work, FunctionRef<void(int64_t, int)> body) noexcept {
  if (work >= kSerialWork) return parallel_for(ntasks, body);
  for (int64_t task = 0; task < ntasks; task++) body(task, 0);
}

double work_of(int64_t depth, const Matrix &c) noexcept {
  return static_cast<double>(c.rows) * static_cast<double>(c.cols) * static_cast<double>(depth);
}

// A factor of a product: a matrix of real numbers, or one component of the terms of a complex product, which takes two
// steps for each column of a (row of b).
struct Factor {
  Matrix parts[2];  // the numbers of the first and of the second step; with one step, only the first
  int64_t steps = 1;
  bool negative[2] = {false, false};

  explicit Factor(const Matrix &real, bool is_negative = false) : parts{real, real}, negative{is_negative, false} {}
  Factor(const Matrix &first, const Matrix &second, bool second_negative, bool first_negative = false)
      : parts{first, second}, steps(2), negative{first_negative, second_negative} {}

  // Whether rows of the matrix are as they would be packed, `element` bytes a number.
  bool is_plain(int64_t element) const noexcept { return steps == 1 && !negative[0] && parts[0].col_stride == element; }
  Factor transposed() const noexcept {
    Factor other = *this;
    for (Matrix &part : other.parts) part = part.transposed();
    return other;
  }
  // Packs rows [row, row + rows) of steps [p, p + depth), for a factor on the left; pack() is the kernel's.
  void pack_rows(const GemmKernel &kernel, int64_t row, int64_t rows, int64_t p, int64_t depth, void *panel) const {
    for (int64_t step = 0; step < steps; step++) {
      const Matrix part = parts[step].block(row, p / steps, rows, depth / steps);
      kernel.pack_a(part, steps, negative[step], first_of(kernel, kernel.rows, step, panel));
    }
  }
  void pack_cols(const GemmKernel &kernel, int64_t col, int64_t cols, int64_t p, int64_t depth, void *panel) const {
    for (int64_t step = 0; step < steps; step++) {
      const Matrix part = parts[step].block(p / steps, col, depth / steps, cols);
      kernel.pack_b(part, steps, negative[step], first_of(kernel, kernel.cols, step, panel));
    }
  }

 private:
  static void *first_of(const GemmKernel &kernel, int64_t lanes, int64_t step, void *panel) noexcept {
    return static_cast<char *>(panel) + step * lanes * kernel.compute_bytes;
  }
};

// Sets c to its sums of `count` blocks, one matrix after the other in memory, or with `later` adds them to it. All are
// added in order.
template <typename T>
void add_sums(const T *sums, int64_t count, bool later, const Matrix &c) noexcept {
  const int64_t size = c.rows * c.cols;
  for (int64_t at = 0; at < size; at++) {
    char *const place = c.data + at / c.cols * c.row_stride + at % c.cols * c.col_stride;
    T sum = sums[at];
    if (later) std::memcpy(&sum, place, sizeof sum), sum += sums[at];
    for (int64_t k = 1; k < count; k++) sum += sums[k * size + at];
    std::memcpy(place, &sum, sizeof sum);
  }
}

// c = a b, or c += a b with `add`, for matrices of any size. `depth` is the number of steps.
class Product {
 public:
  Product(int32_t dtype, int level, const Factor &a, const Factor &b, const Matrix &c, int64_t depth,
          bool add = false) noexcept
      : dtype_(dtype),
        add_(add),
        kernel_(*gemm_kernel(dtype, level)),
        a_(a),
        b_(b),
        c_(c),
        depth_(depth),
        work_(work_of(depth, c)),
        threads_(work_ < kSerialWork ? 1 : pool_size()),
        row_blocks_(kernel_, c.rows, is_deep() ? 1 : threads_),
        unpacked_(reads_unpacked()),
        a_bytes_(row_blocks_.most() * std::min(kDepth, depth) * kernel_.compute_bytes),
        b_bytes_(rounded_up(std::min(c.cols, kPackedCols), kernel_.cols) * std::min(kDepth, depth) *
                 kernel_.compute_bytes),
        memory_(static_cast<uint64_t>((is_deep() ? threads_ * b_bytes_ : b_bytes_) + threads_ * a_bytes_)) {
    if (is_deep())
      deep_sums_.emplace(static_cast<uint64_t>(blocks_at_once() * c.rows * c.cols * kernel_.compute_bytes));
  }

  bool has_memory() const noexcept { return memory_ && (!deep_sums_ || *deep_sums_); }

  // Returns false, and changes nothing, if there is no memory.
  bool run() noexcept {
    if (!has_memory()) return false;
    if (deep_sums_) {
      dtype_ == GPUOPT_FLOAT32 ? run_deep<float>() : run_deep<double>();
      return true;
    }
    for (int64_t col = 0; col < c_.cols; col += kPackedCols) {
      const int64_t cols = std::min(kPackedCols, c_.cols - col);
      for (int64_t p = 0; p < depth_; p += kDepth) run_block(col, cols, p, std::min(kDepth, depth_ - p));
    }
    return true;
  }

 private:
  static constexpr int64_t kDeepBytes = 1 << 16;  // of blocks' sums in memory at a time

  // Whether c is so small that only with different blocks there is work for all threads.
  bool is_deep() const noexcept {
    return is_float(dtype_) && threads_ > 1 && depth_ > kDepth && c_.rows <= most_rows(kernel_) && c_.cols <= kColBlock;
  }

  int64_t blocks_at_once() const noexcept {
    const int64_t bytes = c_.rows * c_.cols * kernel_.compute_bytes;
    return std::min(blocks_of(depth_, kDepth), std::max<int64_t>(threads_ * 4, kDeepBytes / bytes));
  }

  // Computes a deep product of floats: the blocks' sums in parallel with each other, and then the sums of these.
  template <typename T>
  void run_deep() noexcept {
    const int64_t size = c_.rows * c_.cols;
    for (const Range blocks : parts_of({0, blocks_of(depth_, kDepth)}, blocks_at_once())) {
      for_tasks(blocks.count(), work_, [&](int64_t task, int worker) {
        const int64_t p = (blocks.first + task) * kDepth;
        const Matrix sum = plugin::packed_matrix(deep_sums_->as<T>() + task * size, c_.rows, c_.cols, sizeof(T));
        char *const own = memory_.as<char>() + worker * (a_bytes_ + b_bytes_);
        multiply_alone(p, std::min(kDepth, depth_ - p), own, own + a_bytes_, sum);
      });
      add_sums(deep_sums_->as<T>(), blocks.count(), add_ || blocks.first > 0, c_);
    }
  }

  // Whether whole panels of b are read where they are: for so few tiles it would take longer to pack them. Many rows at
  // multiples of 4096 bytes would share a set of the first-level cache.
  bool reads_unpacked() const noexcept {
    constexpr int64_t kTiles = 3, kPage = 4096, kMostRows = 8;
    return is_float(dtype_) && b_.is_plain(kernel_.compute_bytes) && c_.rows <= kTiles * kernel_.rows &&
           (b_.parts[0].row_stride % kPage != 0 || depth_ <= kMostRows);
  }

  // The columns of a task: each task packs its rows of a anew, so there are only so many that all threads have work.
  int64_t col_block_of(int64_t cols) const noexcept {
    constexpr int64_t kTasksPerThread = 4;
    int64_t block = kColBlock;
    while (block < cols && row_blocks_.count() * blocks_of(cols, 2 * block) >= kTasksPerThread * threads_) block *= 2;
    return block;
  }

  // Computes columns [col, col + cols) of c for the part [p, p + depth) of the sums.
  void run_block(int64_t col, int64_t cols, int64_t p, int64_t depth) noexcept {
    const int64_t panel = kernel_.cols, col_block = col_block_of(cols), col_blocks = blocks_of(cols, col_block);
    const int64_t whole = unpacked_ ? cols / panel : 0;  // panels that are not packed
    for_tasks(blocks_of(cols, panel) - whole, work_, [&](int64_t i, int) {
      const int64_t first = (whole + i) * panel;
      b_.pack_cols(kernel_, col + first, std::min(panel, cols - first), p, depth, b_panel(first, depth));
    });
    for_tasks(row_blocks_.count() * col_blocks, work_, [&](int64_t task, int worker) {
      const Range rows = row_blocks_[task / col_blocks];
      const int64_t first = task % col_blocks * col_block, last = std::min(cols, first + col_block);
      char *const own = memory_.as<char>() + b_bytes_ + worker * a_bytes_;
      pack_rows(rows.first, rows.count(), p, depth, own);
      for (const Range part : parts_of({first, last}, panel)) {
        const bool packed = part.first >= whole * panel;
        const Matrix &b = b_.parts[0];
        const RowsOfB rows_of_b =
            packed ? RowsOfB{b_panel(part.first, depth), panel * kernel_.compute_bytes}
                   : RowsOfB{b.data + p * b.row_stride + (col + part.first) * b.col_stride, b.row_stride};
        multiply_column(c_.block(rows.first, col + part.first, rows.count(), part.count()), add_ || p > 0, depth, own,
                        rows_of_b);
      }
    });
  }

  // Computes all of one block in this thread.
  void multiply_alone(int64_t p, int64_t depth, char *own, char *b_panel, const Matrix &c) const noexcept {
    pack_rows(0, c.rows, p, depth, own);
    for (const Range part : parts_of({0, c.cols}, kernel_.cols)) {
      b_.pack_cols(kernel_, part.first, part.count(), p, depth, b_panel);
      multiply_column(c.block(0, part.first, c.rows, part.count()), false, depth, own,
                      RowsOfB{b_panel, kernel_.cols * kernel_.compute_bytes});
    }
  }

  void pack_rows(int64_t row, int64_t rows, int64_t p, int64_t depth, char *own) const noexcept {
    for (const Range part : parts_of({0, rows}, kernel_.rows)) {
      a_.pack_rows(kernel_, row + part.first, part.count(), p, depth, own + part.first * depth * kernel_.compute_bytes);
    }
  }

  // Multiplies the panels of a by one panel of b, which stays in the second-level cache: to keep a part of it in the
  // first one, and the sums of the other parts in memory, took longer. The tiles fetch the next panel meanwhile, each
  // its share; it follows in memory, behind a packed one or beside others.
  void multiply_column(const Matrix &c, bool add, int64_t depth, char *own, RowsOfB b) const noexcept {
    const int64_t element = kernel_.compute_bytes, row = kernel_.cols * element;
    const int64_t share = row / blocks_of(c.rows, kernel_.rows);
    const char *const next = static_cast<const char *>(b.data) + (b.step == row ? row * depth : row);
    for (const Range rows : parts_of({0, c.rows}, kernel_.rows)) {
      const int64_t tile = rows.first / kernel_.rows;
      const Ahead ahead =
          b.step == row ? Ahead{next + tile * share * depth, share} : Ahead{next + tile * share, b.step};
      kernel_.multiply(depth, own + rows.first * depth * element, b, ahead, add,
                       c.block(rows.first, 0, rows.count(), c.cols));
    }
  }

  char *b_panel(int64_t col, int64_t depth) const noexcept {
    return memory_.as<char>() + col * depth * kernel_.compute_bytes;
  }

  const int32_t dtype_;
  const bool add_;
  const GemmKernel &kernel_;
  const Factor a_, b_;
  const Matrix c_;
  const int64_t depth_;
  const double work_;
  const int64_t threads_;
  const RowBlocks row_blocks_;
  const bool unpacked_;
  const int64_t a_bytes_, b_bytes_;
  const Scratch memory_;
  std::optional<Scratch> deep_sums_;
};

void set_zero(const Matrix &c, int64_t element) noexcept {
  for (int64_t i = 0; i < c.rows; i++) {
    for (int64_t j = 0; j < c.cols; j++) {
      std::memset(c.data + i * c.row_stride + j * c.col_stride, 0, static_cast<size_t>(element));
    }
  }
}

// Returns the product c = a b, or c += a b, for factors of `dtype`, or of its components.
Product product_of_factors(int32_t dtype, int level, Factor a, Factor b, Matrix c, bool add = false) noexcept {
  // With few columns most of a tile would be padding, so the transposed product is computed; few rows are not padded.
  if (c.cols < gemm_kernel(dtype, level)->cols && c.cols < c.rows) {
    std::swap(a, b);
    a = a.transposed(), b = b.transposed(), c = c.transposed();
  }
  return Product(dtype, level, a, b, c, a.parts[0].cols * a.steps, add);
}
bool multiply_factors(int32_t dtype, int level, const Factor &a, const Factor &b, const Matrix &c) noexcept {
  return product_of_factors(dtype, level, a, b, c).run();
}

// ---- Vectors

// A few long rows times a vector: the blocks of a row are rows of a matrix, each with its own part of the vector.
template <typename T>
bool multiply_long_rows(const GemmKernel &kernel, const Matrix &a, const char *x, const Matrix &c) noexcept {
  constexpr int64_t kBlocks = 32;  // in a task
  const int64_t whole = a.cols / kDepth, rest = a.cols % kDepth, nblocks = whole + (rest != 0);
  const Scratch memory(static_cast<uint64_t>(nblocks) * sizeof(T));
  if (!memory) return false;
  const Matrix sums = {memory.as<char>(), nblocks, 1, sizeof(T), sizeof(T)};
  for (int64_t row = 0; row < a.rows; row++) {
    char *const start = a.data + row * a.row_stride;
    const Matrix blocks = {start, whole, kDepth, kDepth * int64_t{sizeof(T)}, sizeof(T)};
    for_tasks(blocks_of(whole, kBlocks), static_cast<double>(a.cols), [&](int64_t task, int) {
      const int64_t first = task * kBlocks, count = std::min(kBlocks, whole - first);
      kernel.multiply_vector(blocks.block(first, 0, count, kDepth), x + first * blocks.row_stride, blocks.row_stride,
                             false, sums.block(first, 0, count, 1));
    });
    if (rest != 0) {
      const Matrix tail = {start + whole * blocks.row_stride, 1, rest, blocks.row_stride, sizeof(T)};
      kernel.multiply_vector(tail, x + whole * blocks.row_stride, 0, false, sums.block(whole, 0, 1, 1));
    }
    add_sums(memory.as<T>(), nblocks, false, c.block(row, 0, 1, 1));
  }
  return true;
}

bool multiply_vector(int32_t dtype, int level, const Matrix &a, const Matrix &x, const Matrix &c) noexcept {
  constexpr int64_t kRows = 64, kFewRows = 8;
  const GemmKernel &kernel = *gemm_kernel(dtype, level);
  const bool plain = is_float(dtype) && x.row_stride == element_size(dtype);
  std::optional<Scratch> memory;
  if (!plain) {
    memory.emplace(static_cast<uint64_t>(a.cols * kernel.compute_bytes));
    if (!*memory) return false;
    kernel.pack_x(x.transposed(), memory->as<void>());
  }
  const char *const packed = plain ? x.data : memory->as<char>();
  if (is_float(dtype) && a.rows <= kFewRows && a.cols > kDepth) {
    return dtype == GPUOPT_FLOAT32 ? multiply_long_rows<float>(kernel, a, packed, c)
                                   : multiply_long_rows<double>(kernel, a, packed, c);
  }
  for_tasks(blocks_of(a.rows, kRows), work_of(a.cols, c), [&](int64_t task, int) {
    const int64_t row = task * kRows, rows = std::min(kRows, a.rows - row);
    for (const Range part : parts_of({0, a.cols}, kDepth)) {
      kernel.multiply_vector(a.block(row, part.first, rows, part.count()), packed + part.first * kernel.compute_bytes,
                             0, part.first > 0, c.block(row, 0, rows, 1));
    }
  });
  return true;
}

// One row, or a few, times a matrix whose rows are contiguous: it takes longer to pack the matrix than to multiply.
void multiply_few_rows(const GemmKernel &kernel, const Matrix &a, const Matrix &b, const Matrix &c,
                       bool add = false) noexcept {
  constexpr int64_t kCols = 256;  // in a task
  for_tasks(blocks_of(c.cols, kCols), work_of(a.cols, c), [&](int64_t task, int) {
    const int64_t col = task * kCols, cols = std::min(kCols, c.cols - col);
    for (const Range part : parts_of({0, a.cols}, kDepth)) {
      for (int64_t row = 0; row < c.rows; row++) {
        kernel.multiply_row(a.block(row, part.first, 1, part.count()), b.block(part.first, col, part.count(), cols),
                            add || part.first > 0, c.block(row, col, 1, cols));
      }
    }
  });
}

template <typename T>
void copy_negated(const Matrix &from, const Matrix &to) noexcept {
  for (int64_t i = 0; i < from.rows; i++) {
    for (int64_t j = 0; j < from.cols; j++) {
      T value;
      std::memcpy(&value, from.data + i * from.row_stride + j * from.col_stride, sizeof value);
      value = -value;
      std::memcpy(to.data + i * to.row_stride + j * to.col_stride, &value, sizeof value);
    }
  }
}

constexpr int64_t kFewRows = 4;

// Returns whether c = a b is one for multiply_few_rows().
bool has_few_rows(const Matrix &b, const Matrix &c, int64_t element) noexcept {
  return c.rows <= kFewRows && b.col_stride == element && c.col_stride == element && c.cols > 1;
}

bool multiply_real(int32_t dtype, int level, const Matrix &a, const Matrix &b, const Matrix &c) noexcept {
  const int64_t element = element_size(dtype);
  if (is_float(dtype)) {
    const GemmKernel &kernel = *gemm_kernel(dtype, level);
    if (has_few_rows(b, c, element)) return multiply_few_rows(kernel, a, b, c), true;
    if (has_few_rows(a.transposed(), c.transposed(), element))
      return multiply_few_rows(kernel, b.transposed(), a.transposed(), c.transposed()), true;
  }
  if (c.cols == 1 && a.col_stride == element) return multiply_vector(dtype, level, a, b, c);
  if (c.rows == 1 && b.row_stride == element)
    return multiply_vector(dtype, level, b.transposed(), a.transposed(), c.transposed());
  return multiply_factors(dtype, level, Factor(a), Factor(b), c);
}

// A complex product is two real ones of twice the depth: of (a.re, -a.im) by (b.re, b.im), and of (a.re, a.im) by
// (b.im, b.re).
bool multiply_complex(int32_t part, int level, const Matrix &a, const Matrix &b, const Matrix &c) noexcept {
  const int64_t size = element_size(part);
  const Matrix ai = a.at(size), bi = b.at(size);
  return multiply_factors(part, level, Factor(a, ai, true), Factor(b, bi, false), c) &&
         multiply_factors(part, level, Factor(a, ai, false), Factor(bi, b, false), c.at(size));
}

// c += a b of real numbers; with few rows, whose factor is negated in memory, if there is some.
bool add_real(int32_t dtype, int level, bool negative, const Matrix &a, const Matrix &b, const Matrix &c) noexcept {
  const int64_t element = element_size(dtype);
  const bool transposed = c.row_stride == element && c.col_stride != element;  // the kernels store contiguous rows
  if (transposed || (has_few_rows(a.transposed(), c.transposed(), element) && !has_few_rows(b, c, element)))
    return add_real(dtype, level, negative, b.transposed(), a.transposed(), c.transposed());
  if (!has_few_rows(b, c, element))
    return product_of_factors(dtype, level, Factor(a, negative), Factor(b), c, true).run();
  const GemmKernel &kernel = *gemm_kernel(dtype, level);
  if (!negative) return multiply_few_rows(kernel, a, b, c, true), true;
  const Scratch memory(static_cast<uint64_t>(a.rows * a.cols * element));
  if (!memory) return false;
  const Matrix copy = plugin::packed_matrix(memory.as<void>(), a.rows, a.cols, element);
  dtype == GPUOPT_FLOAT32 ? copy_negated<float>(a, copy) : copy_negated<double>(a, copy);
  return multiply_few_rows(kernel, copy, b, c, true), true;
}

bool add_complex(int32_t part, int level, AddedTerms terms, const Matrix &a, const Matrix &b,
                 const Matrix &c) noexcept {
  const int64_t size = element_size(part);
  const bool minus = terms.negative, minus_im = terms.negative != terms.conjugated;
  const Matrix ai = a.at(size), bi = b.at(size);
  Product re = product_of_factors(part, level, Factor(a, ai, !minus_im, minus), Factor(b, bi, false), c, true);
  Product im = product_of_factors(part, level, Factor(a, ai, minus_im, minus), Factor(bi, b, false), c.at(size), true);
  return re.has_memory() && im.has_memory() && re.run() && im.run();
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

bool multiply_add(int32_t dtype, int level, AddedTerms terms, const Matrix &a, const Matrix &b,
                  const Matrix &c) noexcept {
  if (c.rows == 0 || c.cols == 0 || a.cols == 0) return true;
  if (dtype == GPUOPT_COMPLEX64) return add_complex(GPUOPT_FLOAT32, level, terms, a, b, c);
  if (dtype == GPUOPT_COMPLEX128) return add_complex(GPUOPT_FLOAT64, level, terms, a, b, c);
  return add_real(dtype, level, terms.negative, a, b, c);
}

bool multiply_add(int32_t dtype, AddedTerms terms, const Matrix &a, const Matrix &b, const Matrix &c) noexcept {
  return multiply_add(dtype, isa_level(), terms, a, b, c);
}

bool multiply_small(int32_t dtype, int level, const SmallBatch &batch) noexcept {
  constexpr int64_t kMostRows = 64, kMostDepth = 32;
  const int64_t element = element_size(dtype);
  const Matrix &a = batch.a, &b = batch.b, &c = batch.c;
  if (c.rows < 1 || c.cols < 1 || c.rows > kMostRows || c.cols > kMostSmallCols) return false;
  if (a.cols < 1 || a.cols > kMostDepth || b.col_stride != element || c.col_stride != element) return false;
  const GemmKernel *const kernel = gemm_kernel(dtype, level);
  if (!kernel || !kernel->multiply_small) return false;
  kernel->multiply_small(batch);
  return true;
}

}  // namespace gpuopt::cpu
