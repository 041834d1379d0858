// bindings/go/gonum/gonum_test.go -- matrices there and back, and what cannot be one.
package gonum

import (
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"

	gpuopt "gpuopt.invalid/gpuopt/bindings/go"
)

func must[T any](t *testing.T) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func cpu(t *testing.T) *gpuopt.Device { return must[*gpuopt.Device](t)(gpuopt.Open("cpu")) }

func expectCode[T any](t *testing.T, code gpuopt.Code) func(value T, err error) {
	return func(_ T, err error) {
		t.Helper()
		if !errors.Is(err, code) {
			t.Errorf("%v, and not %v", err, code)
		}
	}
}

func TestMatricesThereAndBack(t *testing.T) {
	dense := mat.NewDense(3, 4, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	symmetric := mat.NewSymDense(2, []float64{1, 2, 2, 5})
	vector := mat.NewVecDense(3, []float64{1, 2, 3})
	for _, m := range []mat.Matrix{
		dense, dense.T(), dense.Slice(1, 3, 1, 3), dense.Slice(1, 3, 1, 3).T(), vector, vector.T(), symmetric,
		mat.NewTriDense(2, mat.Upper, []float64{1, 2, 0, 3}), mat.NewDiagDense(2, []float64{4, 5}),
		dense.ColView(2), dense.RowView(1), dense.RowView(1).T(), mat.NewBandDense(2, 3, 0, 1, []float64{1, 2, 3, 4}),
	} {
		back := must[*mat.Dense](t)(ToDense(must[*gpuopt.Array](t)(FromMatrix(cpu(t), m))))
		if !mat.Equal(m, back) {
			t.Errorf("%T: %v became %v", m, mat.Formatted(m), mat.Formatted(back))
		}
	}
	empty := must[*mat.Dense](t)(ToDense(must[*gpuopt.Array](t)(FromMatrix(cpu(t), &mat.Dense{}))))
	if !empty.IsEmpty() {
		t.Error(empty)
	}
	none := must[*gpuopt.Array](t)(cpu(t).Zeros(gpuopt.Complex128, 0, 0))
	if empty := must[*mat.CDense](t)(ToCDense(none)); !empty.IsEmpty() {
		t.Error(empty)
	}
}

func TestVectors(t *testing.T) {
	columns := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	x := must[*gpuopt.Array](t)(FromVector(cpu(t), columns.ColView(1)))
	if x.NDim() != 1 {
		t.Error(x.Shape())
	}
	if back := must[*mat.VecDense](t)(ToVecDense(x)); !mat.Equal(back, columns.ColView(1)) {
		t.Error(back)
	}
	if column := must[*mat.Dense](t)(ToDense(x)); !mat.Equal(column, columns.ColView(1)) {
		t.Error(column)
	}
	none := must[*gpuopt.Array](t)(cpu(t).Zeros(gpuopt.Float64, 0))
	if empty := must[*mat.VecDense](t)(ToVecDense(none)); empty.Len() != 0 {
		t.Error(empty)
	}
}

func TestComplexMatrices(t *testing.T) {
	m := mat.NewCDense(2, 3, []complex128{1, 2i, 3, 4, 5 - 1i, 6})
	for _, m := range []mat.CMatrix{m, m.H(), m.T(), m.Slice(0, 2, 1, 3)} {
		back := must[*mat.CDense](t)(ToCDense(must[*gpuopt.Array](t)(FromCMatrix(cpu(t), m))))
		if !mat.CEqual(m, back) {
			t.Errorf("%T became %v", m, back)
		}
	}
}

func TestViews(t *testing.T) {
	x := must[*gpuopt.Array](t)(cpu(t).Zeros(gpuopt.Float64, 2, 2))
	err := View(x, func(m *mat.Dense) error {
		m.Set(1, 0, 7)
		return nil
	})
	if err != nil || !mat.Equal(must[*mat.Dense](t)(ToDense(x)), mat.NewDense(2, 2, []float64{0, 0, 7, 0})) {
		t.Error(x, err)
	}
	expectCode[any](t, gpuopt.ErrShape)(nil, View(must[*gpuopt.Array](t)(cpu(t).Zeros(gpuopt.Float64)), nil))
}

func TestErrors(t *testing.T) {
	zeros := func(dtype gpuopt.DType, shape ...int) *gpuopt.Array {
		return must[*gpuopt.Array](t)(cpu(t).Zeros(dtype, shape...))
	}
	expectCode[*gpuopt.Array](t, gpuopt.ErrInvalidArgument)(FromMatrix(cpu(t), nil))
	expectCode[*gpuopt.Array](t, gpuopt.ErrInvalidArgument)(FromVector(cpu(t), nil))
	expectCode[*gpuopt.Array](t, gpuopt.ErrInvalidArgument)(FromCMatrix(cpu(t), nil))
	expectCode[*mat.Dense](t, gpuopt.ErrType)(ToDense(zeros(gpuopt.Float32, 2, 2)))
	expectCode[*mat.Dense](t, gpuopt.ErrShape)(ToDense(zeros(gpuopt.Float64, 2, 2, 2)))
	expectCode[*mat.Dense](t, gpuopt.ErrShape)(ToDense(zeros(gpuopt.Float64, 0, 2)))
	expectCode[*mat.Dense](t, gpuopt.ErrInvalidArgument)(ToDense(nil))
	expectCode[*mat.CDense](t, gpuopt.ErrType)(ToCDense(zeros(gpuopt.Float64, 2, 2)))
	expectCode[*mat.CDense](t, gpuopt.ErrShape)(ToCDense(zeros(gpuopt.Complex128)))
	expectCode[*mat.VecDense](t, gpuopt.ErrShape)(ToVecDense(zeros(gpuopt.Float64, 2, 2)))
}
