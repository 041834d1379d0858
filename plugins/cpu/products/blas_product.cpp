// plugins/cpu/products/blas_product.cpp -- see blas_product.h.
//
// A BLAS is column-major: it takes a matrix with contiguous rows for its transpose. So instead of c = a b it is asked
// for the transposed product c' = b' a'. An operand with contiguous rows is passed as not transposed ('N'), and one
// with contiguous columns as transposed ('T').
#include "plugins/cpu/products/blas_product.h"

#include <gpuopt/types.h>

#include <algorithm>
#include <optional>

#include "plugins/cpu/library/rows.h"
#include "plugins/cpu/runtime/memory.h"
#include "plugins/cpu/runtime/range.h"
#include "plugins/cpu/runtime/tensor.h"

namespace gpuopt::cpu {
using plugin::packed_matrix;
namespace {

// Returns whether rows are contiguous and a BLAS can take their distance as leading dimension, which `leading` then is,
// in elements.
bool has_plain_rows(const Matrix &x, int64_t element, int64_t &leading) noexcept {
  if (x.cols > 1 && x.col_stride != element) return false;
  leading = x.rows > 1 ? x.row_stride / element : x.cols;
  return leading >= x.cols && leading <= kBlasMaxSize && (x.rows <= 1 || x.row_stride % element == 0);
}

void copy_matrix(const Matrix &to, const Matrix &from, int64_t element) {
  const int64_t shape[] = {to.rows, to.cols};
  const int64_t to_strides[] = {to.row_stride, to.col_stride}, from_strides[] = {from.row_stride, from.col_stride};
  RowCopy(2, shape, to_strides, from_strides, element)(to.data, from.data);
}

// An operand in the form that a BLAS takes: in place if possible, else packed into memory of its own.
class Operand {
 public:
  Operand(const Matrix &x, int64_t element) {
    if (has_plain_rows(x, element, leading)) {
      data = x.data;
    } else if (has_plain_rows(x.transposed(), element, leading)) {
      data = x.data;
      trans = 'T';
    } else {
      pack(x, element);
    }
  }

  const void *data = nullptr;  // NULL if there was no memory for packing
  int64_t leading = 0;
  char trans = 'N';

 private:
  void pack(const Matrix &x, int64_t element) {
    memory_.emplace(static_cast<uint64_t>(x.rows * x.cols * element));
    if (!*memory_) return;
    copy_matrix(packed_matrix(memory_->as<void>(), x.rows, x.cols, element), x, element);
    data = memory_->as<void>();
    leading = x.cols;
  }

  std::optional<Scratch> memory_;
};

struct Scalars {
  const void *zero, *one;
};

Scalars scalars(int type) noexcept {
  static constexpr float kSingle[] = {1, 0, 0};  // complex 1 is at index 0 and complex 0 at index 1
  static constexpr double kDouble[] = {1, 0, 0};
  if (type == kBlasS || type == kBlasC) return {kSingle + 1, kSingle};
  return {kDouble + 1, kDouble};
}

struct Task {
  const Blas &blas;
  int type;
  int64_t element;
};

// Computes c = a b, or c += a b with `add`, where c has contiguous rows. Returns false if there is no memory.
bool gemm(const Task &task, const Matrix &a, const Matrix &b, const Matrix &c, int64_t c_leading, bool add) {
  const Operand left(a, task.element), right(b, task.element);
  if (!left.data || !right.data) return false;
  const auto [zero, one] = scalars(task.type);
  task.blas.gemm[task.type](&right.trans, &left.trans, &c.cols, &c.rows, &a.cols, one, right.data, &right.leading,
                            left.data, &left.leading, add ? one : zero, c.data, &c_leading, 1, 1);
  return true;
}

bool is_vector_stride(int64_t stride, int64_t element) noexcept {
  return stride > 0 && stride % element == 0 && stride / element <= kBlasMaxSize;
}

// Does the same for a matrix times a column vector. x and c are columns whose strides a BLAS can take.
bool gemv(const Task &task, const Matrix &a, const Matrix &x, const Matrix &c, bool add) {
  const Operand left(a, task.element);
  if (!left.data) return false;
  const auto [zero, one] = scalars(task.type);
  const int64_t x_step = x.row_stride / task.element, c_step = c.row_stride / task.element;
  const bool plain = left.trans == 'N';  // to the BLAS it is then the transpose of what is wanted
  task.blas.gemv[task.type](plain ? "T" : "N", plain ? &a.cols : &a.rows, plain ? &a.rows : &a.cols, one, left.data,
                            &left.leading, x.data, &x_step, add ? one : zero, c.data, &c_step, 1);
  return true;
}

// Does the same for any layout of c: as a product with a vector, in c itself, in its transpose, or in packed memory
// that is copied to c.
bool multiply_part(const Task &task, const Matrix &a, const Matrix &b, const Matrix &c, bool add) {
  const int64_t element = task.element;
  if (c.cols == 1 && is_vector_stride(b.row_stride, element) && is_vector_stride(c.row_stride, element)) {
    return gemv(task, a, b, c, add);
  }
  if (c.rows == 1 && is_vector_stride(a.col_stride, element) && is_vector_stride(c.col_stride, element)) {
    return gemv(task, b.transposed(), a.transposed(), c.transposed(), add);
  }
  int64_t leading;
  if (has_plain_rows(c, element, leading)) return gemm(task, a, b, c, leading, add);
  if (has_plain_rows(c.transposed(), element, leading)) {
    return gemm(task, b.transposed(), a.transposed(), c.transposed(), leading, add);
  }
  const Scratch memory(static_cast<uint64_t>(c.rows * c.cols * element));
  if (!memory) return false;
  const Matrix packed = packed_matrix(memory.as<void>(), c.rows, c.cols, element);
  if (add) copy_matrix(packed, c, element);
  if (!gemm(task, a, b, packed, packed.cols, add)) return false;
  copy_matrix(c, packed, element);
  return true;
}

}  // namespace

int blas_type(int32_t dtype) noexcept {
  switch (dtype) {
    case GPUOPT_FLOAT32:
      return kBlasS;
    case GPUOPT_FLOAT64:
      return kBlasD;
    case GPUOPT_COMPLEX64:
      return kBlasC;
    case GPUOPT_COMPLEX128:
      return kBlasZ;
    default:
      return -1;
  }
}

bool blas_multiply(const Blas &blas, int32_t dtype, const Matrix &a, const Matrix &b, const Matrix &c,
                   int64_t max_size) {
  const Task task{blas, blas_type(dtype), element_size(dtype)};
  for (const Range i : parts_of({0, c.rows}, max_size)) {
    for (const Range j : parts_of({0, c.cols}, max_size)) {
      for (const Range p : parts_of({0, a.cols}, max_size)) {
        const Matrix left = a.block(i.first, p.first, i.count(), p.count()),
                     right = b.block(p.first, j.first, p.count(), j.count());
        if (!multiply_part(task, left, right, c.block(i.first, j.first, i.count(), j.count()), p.first > 0))
          return false;
      }
    }
  }
  return true;
}

}  // namespace gpuopt::cpu
