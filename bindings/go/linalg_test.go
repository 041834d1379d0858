// bindings/go/linalg_test.go -- factorizations, systems of equations, eigenvalues and singular values of matrices whose
// answers are known.

package gpuopt

import (
	"math"
	"testing"
)

func matrixOf(t *testing.T, rows int, values ...float64) *Array {
	t.Helper()
	return must[*Array](t)(listOf[float64](t, values...).Reshape(rows, len(values)/rows))
}

func expectNear(t *testing.T, name string, x *Array, err error, want ...float64) {
	t.Helper()
	got := floats(t, must[*Array](t)(x, err))
	if len(got) != len(want) {
		t.Fatalf("%s: %v instead of %v", name, got, want)
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-13 {
			t.Errorf("%s: %v instead of %v", name, got, want)
		}
	}
}

func TestFactors(t *testing.T) {
	positive := matrixOf(t, 2, 4, 2, 2, 5)
	x, err := positive.Cholesky(false)
	expectNear(t, "Cholesky", x, err, 2, 0, 1, 2)
	x, err = positive.Cholesky(true)
	expectNear(t, "Cholesky", x, err, 2, 1, 0, 2)
	expectCode(t, failing(matrixOf(t, 2, 1, 2, 2, 1).Cholesky(false)), ErrLinalg)
	tall := matrixOf(t, 3, 3, 4, 0)
	q, r, err := tall.QR(false)
	expectNear(t, "QR", r, err, -5)
	x, err = MatMul(q, r)
	expectNear(t, "QR", x, err, 3, 4, 0)
	x, err = tall.QRR()
	expectNear(t, "QRR", x, err, -5)
	q, _, err = tall.QR(true)
	expectEqual(t, "QR", must[*Array](t)(q, err).Shape(), []int{3, 3})
	p, l, u, err := matrixOf(t, 2, 1, 2, 4, 4).LU()
	expectNear(t, "LU", p, err, 0, 1, 1, 0)
	expectNear(t, "LU", l, err, 1, 0, 0.25, 1)
	expectNear(t, "LU", u, err, 4, 4, 0, 1)
}

func TestSystemsOfEquations(t *testing.T) {
	a, b := matrixOf(t, 2, 1, 2, 4, 4), listOf[float64](t, 5.0, 12)
	x, err := Solve(a, b)
	expectNear(t, "Solve", x, err, 1, 2)
	lu, pivots, err := a.LUFactor()
	x, err = LUSolve(must[*Array](t)(lu, err), pivots, b, TransNone)
	expectNear(t, "LUSolve", x, err, 1, 2)
	x, err = LUSolve(lu, pivots, listOf[float64](t, 9.0, 10), TransTranspose)
	expectNear(t, "LUSolve", x, err, 1, 2)
	c := listOf[float64](t, 1.0, 8)
	x, err = SolveTriangular(a, c, Triangle{Lower: true}, TransNone)
	expectNear(t, "SolveTriangular", x, err, 1, 1)
	x, err = SolveTriangular(a, c, Triangle{Lower: true, UnitDiagonal: true}, TransConjugate)
	expectNear(t, "SolveTriangular", x, err, -31, 8)
	x, err = a.Inv()
	expectNear(t, "Inv", x, err, -1, 0.5, 1, -0.25)
	x, err = a.MatrixPower(-1)
	expectNear(t, "MatrixPower", x, err, -1, 0.5, 1, -0.25)
	x, err = a.Det()
	expectNear(t, "Det", x, err, -4)
	sign, log, err := a.SLogDet()
	expectNear(t, "SLogDet", sign, err, -1)
	expectNear(t, "SLogDet", log, err, math.Log(4))
	x, err = matrixOf(t, 2, 0, 3, 0, 0).ExpM()
	expectNear(t, "ExpM", x, err, 1, 3, 0, 1)
	x, err = MultiDot(a, a, b)
	expectNear(t, "MultiDot", x, err, 165, 388)
	expectCode(t, failing(matrixOf(t, 2, 1, 1, 1, 1).Inv()), ErrLinalg)
}

func TestLeastSquares(t *testing.T) {
	a := matrixOf(t, 3, 1, 0, 1, 1, 1, 2)
	found, err := LstSq(a, listOf[float64](t, 1.0, 3, 5), -1)
	expectNear(t, "LstSq", found.X, err, 1, 2)
	expectNear(t, "LstSq", found.Residuals, err, 0)
	expectNear(t, "LstSq", found.Rank, err, 2)
	expectEqual(t, "LstSq", found.SingularValues.Shape(), []int{2})
	inverse := must[*Array](t)(a.PInv(-1))
	x, err := MatMul(inverse, a)
	expectNear(t, "PInv", x, err, 1, 0, 0, 1)
	x, err = a.MatrixRank(-1)
	expectNear(t, "MatrixRank", x, err, 2)
	x, err = a.MatrixRank(0.9)
	expectNear(t, "MatrixRank", x, err, 1)
	identity := matrixOf(t, 2, 1, 0, 0, 1)
	x, err = TensorSolve(identity, listOf[float64](t, 7.0, 8))
	expectNear(t, "TensorSolve", x, err, 7, 8)
	x, err = identity.TensorInv(1)
	expectNear(t, "TensorInv", x, err, 1, 0, 0, 1)
}

func TestValuesAndVectors(t *testing.T) {
	x := matrixOf(t, 2, 2, 1, 1, 2)
	w, v, err := x.EigH(false)
	expectNear(t, "EigH", w, err, 1, 3)
	expectEqual(t, "EigH", v.Shape(), []int{2, 2})
	w, err = x.EigValsH(true)
	expectNear(t, "EigValsH", w, err, 1, 3)
	turn := matrixOf(t, 2, 0, -1, 1, 0)
	w, v, err = turn.Eig()
	expectEqual(t, "Eig", must[*Array](t)(v, err).DType(), Complex128)
	expectNear(t, "Eig", must[*Array](t)(Real(w)), nil, 0, 0)
	w, err = turn.EigVals()
	squares := must[*Array](t)(Square(must[*Array](t)(Imag(must[*Array](t)(w, err)))))
	expectNear(t, "EigVals", squares, nil, 1, 1)
	u, s, vh, err := matrixOf(t, 3, 0, 3, 4, 0, 0, 0).SVD(true)
	expectNear(t, "SVD", s, err, 4, 3)
	expectEqual(t, "SVD", u.Shape(), []int{3, 3})
	expectEqual(t, "SVD", vh.Shape(), []int{2, 2})
	s, err = x.SVDVals()
	expectNear(t, "SVDVals", s, err, 3, 1)
	s, err = x.Cond(2)
	expectNear(t, "Cond", s, err, 3)
}
