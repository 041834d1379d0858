// bindings/go/linalg.go -- factorizations, systems of equations, eigenvalues and singular values.

package gpuopt

// #include "shim.h"
import "C"

// The last two axes of an operand are matrices, the others a stack of them; integers are computed as float64. A matrix
// for which there is no answer is ErrLinalg.

// NormNuclear is the order of [MatrixNorm] that is the sum of the singular values.
const NormNuclear = float64(C.GPUOPT_NORM_NUCLEAR)

// A Trans says which of the matrices a solve is made with.
type Trans int32

const (
	TransNone      Trans = C.GPUOPT_TRANS_NONE      // the matrix itself
	TransTranspose Trans = C.GPUOPT_TRANS_TRANSPOSE // its transpose
	TransConjugate Trans = C.GPUOPT_TRANS_CONJUGATE // its conjugate transpose
)

// tolerance gives a pointer to a tolerance; a negative one stands for none.
func tolerance(value float64) *C.double {
	if value < 0 {
		return nil
	}
	at := new(C.double)
	*at = C.double(value)
	return at
}

// Cholesky gives the triangular factor of Hermitian, positive definite matrices: l l^H or, for upper, u^H u.
func (x *Array) Cholesky(upper bool) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_cholesky(raw, flag(upper), r, e)
	})
}

// QR gives q with orthonormal columns and triangular r, whose product is the matrix (m, n): of shapes (m, k) and
// (k, n), where k is the lesser of m and n; if complete, of shapes (m, m) and (m, n).
func (x *Array) QR(complete bool) (q, r *Array, err error) {
	mode := C.gpuopt_qr_mode(C.GPUOPT_QR_REDUCED)
	if complete {
		mode = C.GPUOPT_QR_COMPLETE
	}
	return x.giveTwo(func(raw C.gpuopt_array, q, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_qr(raw, mode, q, r, e)
	})
}

// QRR gives r of [Array.QR] alone.
func (x *Array) QRR() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_qr(raw, C.GPUOPT_QR_R, nil, r, e)
	})
}

// LU gives a permutation, a lower and an upper triangular matrix, whose product is the matrix.
func (x *Array) LU() (p, l, u *Array, err error) {
	all, err := x.giveEach(3, func(raw C.gpuopt_array, r []*C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_lu(raw, r[0], r[1], r[2], e)
	})
	if err != nil {
		return nil, nil, nil, err
	}
	return all[0], all[1], all[2], nil
}

// LUFactor gives both triangles in one matrix, and with which row each was exchanged: what [LUSolve] takes.
func (x *Array) LUFactor() (lu, pivots *Array, err error) {
	return x.giveTwo(func(raw C.gpuopt_array, lu, pivots *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_lu_factor(raw, lu, pivots, e)
	})
}

// LUSolve gives the solution for right sides b by what [Array.LUFactor] gave.
func LUSolve(lu, pivots, b *Array, trans Trans) (*Array, error) {
	all := []Operand{lu, pivots, b}
	return giveJoined(all, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_lu_solve(x[0], x[1], x[2], C.gpuopt_trans(trans), r, e)
	})
}

// Solve gives the solution x of a x = b: b of one dimension is a vector, else it is matrices.
func Solve(a, b *Array) (*Array, error) {
	return a.makeWith(b, func(a, b C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_solve(a, b, r, e)
	})
}

// A Triangle says which part of a matrix is read by [SolveTriangular].
type Triangle struct {
	Lower        bool // the lower triangle, else the upper one
	UnitDiagonal bool // without the diagonal, which counts as ones
}

// SolveTriangular gives the solution of a x = b for a triangular a.
func SolveTriangular(a, b *Array, part Triangle, trans Trans) (*Array, error) {
	return a.makeWith(b, func(a, b C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		lower, unit := flag(part.Lower), flag(part.UnitDiagonal)
		return C.gpuopt_solve_triangular(a, b, lower, unit, C.gpuopt_trans(trans), r, e)
	})
}

// Inv gives the inverses.
func (x *Array) Inv() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_inv(raw, r, e)
	})
}

// Det gives the determinants.
func (x *Array) Det() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_det(raw, r, e)
	})
}

// SLogDet gives the determinants as a sign and the logarithm of the absolute value.
func (x *Array) SLogDet() (sign, logAbsDet *Array, err error) {
	return x.giveTwo(func(raw C.gpuopt_array, sign, log *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_slogdet(raw, sign, log, e)
	})
}

// LeastSquares is what [LstSq] finds.
type LeastSquares struct {
	X              *Array // the solution
	Residuals      *Array // the sums of squares of what is left; none where the rank is less than the unknowns
	Rank           *Array // the number of singular values that count, int64 without dimensions
	SingularValues *Array // in descending order
}

// LstSq gives the solution of least squares of a x = b. Singular values not above rcond times the greatest count as 0;
// a negative rcond stands for the dtype's epsilon times the greater size.
func LstSq(a, b *Array, rcond float64) (LeastSquares, error) {
	limit := tolerance(rcond)
	var results [4]C.gpuopt_array
	err := withOperands([]Operand{a, b}, func(x []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_lstsq(x[0], x[1], limit, &results[0], &results[1], &results[2], &results[3], e)
	})
	if err != nil {
		return LeastSquares{}, err
	}
	return LeastSquares{
		newArray(results[0]), newArray(results[1]), newArray(results[2]), newArray(results[3]),
	}, nil
}

// PInv gives the pseudo-inverses. Singular values not above rtol times the greatest of their matrix count as 0; a
// negative rtol stands for the dtype's epsilon times the greater size.
func (x *Array) PInv(rtol float64) (*Array, error) {
	limit := tolerance(rtol)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_pinv(raw, limit, r, e)
	})
}

// TensorSolve gives the x for which the sum of products over the last axes of a and all of x is b; axes are moved
// behind the others first.
func TensorSolve(a, b *Array, axes ...int) (*Array, error) {
	count, list := sizes(axes)
	return a.makeWith(b, func(a, b C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_tensorsolve(a, b, count, list, r, e)
	})
}

// TensorInv gives the inverse for sums of products over the first ind axes.
func (x *Array) TensorInv(ind int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_tensorinv(raw, C.int32_t(ind), r, e)
	})
}

// EigH gives eigenvalues, in ascending order, and eigenvectors, in columns, of Hermitian matrices, of which only the
// lower or, for upper, the upper triangle is read.
func (x *Array) EigH(upper bool) (values, vectors *Array, err error) {
	return x.giveTwo(func(raw C.gpuopt_array, w, v *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_eigh(raw, flag(upper), w, v, e)
	})
}

// EigValsH gives the eigenvalues of [Array.EigH] alone.
func (x *Array) EigValsH(upper bool) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_eigvalsh(raw, flag(upper), r, e)
	})
}

// Eig gives eigenvalues and eigenvectors, in columns, of square matrices: always complex.
func (x *Array) Eig() (values, vectors *Array, err error) {
	return x.giveTwo(func(raw C.gpuopt_array, w, v *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_eig(raw, w, v, e)
	})
}

// EigVals gives the eigenvalues of [Array.Eig] alone.
func (x *Array) EigVals() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_eigvals(raw, r, e)
	})
}

// SVD gives u, the singular values in descending order, and vh: the matrix is u diag(s) vh. If full, u and vh are
// square.
func (x *Array) SVD(full bool) (u, s, vh *Array, err error) {
	all, err := x.giveEach(3, func(raw C.gpuopt_array, r []*C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_svd(raw, flag(full), r[0], r[1], r[2], e)
	})
	if err != nil {
		return nil, nil, nil, err
	}
	return all[0], all[1], all[2], nil
}

// SVDVals gives the singular values alone.
func (x *Array) SVDVals() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_svdvals(raw, r, e)
	})
}

// MatrixRank gives the numbers of singular values above rtol times the greatest of their matrix; a negative rtol is as
// in [Array.PInv].
func (x *Array) MatrixRank(rtol float64) (*Array, error) {
	limit := tolerance(rtol)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_matrix_rank(raw, limit, r, e)
	})
}

// Cond gives the condition numbers in a norm of [MatrixNorm]; 2 is the usual one.
func (x *Array) Cond(ord float64) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_cond(raw, C.double(ord), r, e)
	})
}

// MatrixPower gives an integer power of square matrices.
func (x *Array) MatrixPower(n int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_matrix_power(raw, C.int64_t(n), r, e)
	})
}

// ExpM gives the exponentials of square matrices.
func (x *Array) ExpM() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_expm(raw, r, e)
	})
}

// MultiDot gives the product of two or more arrays, of which only the first and the last may have one dimension, in
// the order that takes the fewest multiplications.
func MultiDot(arrays ...*Array) (*Array, error) {
	list := operandsOf(arrays)
	return giveJoined(list, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_multi_dot(C.int32_t(len(x)), first(x), r, e)
	})
}
