// core/linalg/matrices.h -- stacks of matrices as operands of linear algebra, and calls of the backend's slot for them.
#pragma once
#include "core/array/view.h"
#include "core/engine/expression.h"
#include "core/engine/library_call.h"

namespace gpuopt {

// Returns the dtype in which linear algebra computes with this one. Throws ERR_TYPE for 16-bit floats.
gpuopt_dtype linalg_dtype(gpuopt_dtype dtype, const char *what);

// Throw ERR_SHAPE unless x has two dimensions or more, and the last two are equal.
void check_matrices(const gpuopt_array_s &x, const char *what);
void check_square(const gpuopt_array_s &x, const char *what);

// Return x, which they check so, in the dtype in which it is computed.
ArrayRef matrices(gpuopt_array x, const char *what);
ArrayRef square_matrices(gpuopt_array x, const char *what);

// The sizes of the matrices of x.
inline int64_t rows_of(const ArrayRef &x) { return x->shape[x->ndim - 2]; }
inline int64_t columns_of(const ArrayRef &x) { return x->shape[x->ndim - 1]; }
// The sizes of all axes but the last `own`, followed by others.
Dims stack_shape(const ArrayRef &x, std::initializer_list<int64_t> others = {}, int own = 2);
// Returns a new array, not initialized, with elements of these sizes for each matrix of x.
ArrayRef for_each_matrix(const ArrayRef &x, gpuopt_dtype dtype, std::initializer_list<int64_t> sizes);

// Returns x, which has two dimensions or more, with the last two exchanged; and the conjugate of that.
ArrayRef transposed(const ArrayRef &x);
ArrayRef conjugate_transposed(const ArrayRef &x);
// Returns the identity matrix of n rows, and one for each matrix of x.
Value identity(gpuopt_stream stream, gpuopt_dtype dtype, int64_t n);
ArrayRef identities(const ArrayRef &x, gpuopt_dtype dtype, int64_t n);
// Returns the matrix of the differences column - row.
Value column_less_row(gpuopt_stream stream, int64_t rows, int64_t columns);

// A call of the slot. The arrays have elements.
class MatrixCall {
 public:
  // `failure` is what there is to say of a matrix without an answer.
  MatrixCall(int32_t kind, const char *what, const char *failure, const ArrayRef &first)
      : call_(kind, first->stream.get()), what_(what), failure_(failure) {
    call_.integer(-1);
    call_.input(first.get());
  }
  MatrixCall &input(const ArrayRef &x) {
    call_.input(x.get());
    return *this;
  }
  MatrixCall &output(const ArrayRef &x) {
    call_.output(x.get());
    return *this;
  }
  MatrixCall &integer(int64_t i) {
    call_.integer(i);
    return *this;
  }
  // Throws ERR_LINALG if a matrix has no answer, and what LibraryCall::run() throws.
  void run();

 private:
  LibraryCall call_;
  const char *const what_, *const failure_;
};

}  // namespace gpuopt
