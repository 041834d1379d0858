// bindings/go/gonum/gonum.go -- matrices and vectors of gonum from and to arrays.

// Package gonum exchanges arrays of package gpuopt with the matrices and vectors of gonum.org/v1/gonum/mat:
//
//	x, err := gonum.FromMatrix(xp, mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
//	m, err := gonum.ToDense(x) // a *mat.Dense, and so a mat.Matrix
//
// Errors are those of package gpuopt. Gonum has no matrices with rows but no columns, or with columns but no rows:
// arrays of such shapes are [gpuopt.ErrShape].
package gonum

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	gpuopt "gpuopt.invalid/gpuopt/bindings/go"
)

func fail(code gpuopt.Code, format string, arguments ...any) error {
	return &gpuopt.Error{Code: code, Message: fmt.Sprintf(format, arguments...)}
}

// FromMatrix copies a matrix to a new float64 array of two dimensions, row by row where it has rows in memory as
// mat.Dense and its slices do. A transposed one of these becomes a view with the axes exchanged.
func FromMatrix(xp *gpuopt.Device, m mat.Matrix) (*gpuopt.Array, error) {
	switch m := m.(type) {
	case nil:
		return nil, fail(gpuopt.ErrInvalidArgument, "FromMatrix: the matrix is nil")
	case mat.RawMatrixer:
		raw := m.RawMatrix()
		return gpuopt.FromSlice(xp, packed(raw.Data, raw.Rows, raw.Cols, raw.Stride), raw.Rows, raw.Cols)
	case mat.Transpose:
		x, err := FromMatrix(xp, m.Matrix)
		if err != nil {
			return nil, err
		}
		defer x.Close()
		return x.T()
	}
	return gpuopt.FromMatrix(xp, m)
}

// packed gives the elements of rows that begin every stride elements, without what is between them.
func packed[T any](data []T, rows, columns, stride int) []T {
	if rows == 0 || stride == columns {
		return data[:rows*columns]
	}
	elements := make([]T, 0, rows*columns)
	for i := 0; i < rows; i++ {
		elements = append(elements, data[i*stride:i*stride+columns]...)
	}
	return elements
}

// FromVector copies a vector to a new float64 array of one dimension.
func FromVector(xp *gpuopt.Device, v mat.Vector) (*gpuopt.Array, error) {
	if v == nil {
		return nil, fail(gpuopt.ErrInvalidArgument, "FromVector: the vector is nil")
	}
	elements := make([]float64, v.Len())
	for i := range elements {
		elements[i] = v.AtVec(i)
	}
	return gpuopt.FromSlice(xp, elements, len(elements))
}

// FromCMatrix copies a complex matrix to a new complex128 array of two dimensions.
func FromCMatrix(xp *gpuopt.Device, m mat.CMatrix) (*gpuopt.Array, error) {
	if m == nil {
		return nil, fail(gpuopt.ErrInvalidArgument, "FromCMatrix: the matrix is nil")
	}
	rows, columns := m.Dims()
	if raw, ok := m.(mat.RawCMatrixer); ok {
		c := raw.RawCMatrix()
		return gpuopt.FromSlice(xp, packed(c.Data, rows, columns, c.Stride), rows, columns)
	}
	elements := make([]complex128, 0, rows*columns)
	for i := 0; i < rows; i++ {
		for j := 0; j < columns; j++ {
			elements = append(elements, m.At(i, j))
		}
	}
	return gpuopt.FromSlice(xp, elements, rows, columns)
}

// dims gives the rows and columns of an array of two dimensions, or of one as a column.
func dims(what string, x *gpuopt.Array) (rows, columns int, err error) {
	shape := x.Shape()
	if len(shape) == 1 {
		shape = append(shape, 1)
	}
	if len(shape) != 2 {
		return 0, 0, fail(gpuopt.ErrShape, "%s: an array of %d dimensions is no matrix", what, len(shape))
	}
	if (shape[0] == 0) != (shape[1] == 0) {
		const text = "%s: gonum has no matrices of %d rows and %d columns"
		return 0, 0, fail(gpuopt.ErrShape, text, what, shape[0], shape[1])
	}
	return shape[0], shape[1], nil
}

// dense gives the matrix that has these elements. Gonum's constructors want at least one.
func dense(rows, columns int, elements []float64) *mat.Dense {
	if len(elements) == 0 {
		return &mat.Dense{}
	}
	return mat.NewDense(rows, columns, elements)
}

// ToDense copies a float64 array of two dimensions, or of one as a column. Other dtypes are [gpuopt.ErrType]. Waits.
func ToDense(x *gpuopt.Array) (*mat.Dense, error) {
	elements, err := gpuopt.ToSlice[float64](x)
	if err != nil {
		return nil, err
	}
	rows, columns, err := dims("ToDense", x)
	if err != nil {
		return nil, err
	}
	return dense(rows, columns, elements), nil
}

// ToCDense copies a complex128 array of two dimensions, or of one as a column. Waits.
func ToCDense(x *gpuopt.Array) (*mat.CDense, error) {
	elements, err := gpuopt.ToSlice[complex128](x)
	if err != nil {
		return nil, err
	}
	rows, columns, err := dims("ToCDense", x)
	if err != nil {
		return nil, err
	}
	if len(elements) == 0 {
		return &mat.CDense{}, nil
	}
	return mat.NewCDense(rows, columns, elements), nil
}

// ToVecDense copies a float64 array of one dimension. Waits.
func ToVecDense(x *gpuopt.Array) (*mat.VecDense, error) {
	elements, err := gpuopt.ToSlice[float64](x)
	if err != nil {
		return nil, err
	}
	if x.NDim() != 1 {
		return nil, fail(gpuopt.ErrShape, "ToVecDense: an array of %d dimensions is no vector", x.NDim())
	}
	if len(elements) == 0 {
		return &mat.VecDense{}, nil
	}
	return mat.NewVecDense(len(elements), elements), nil
}

// View calls use with the elements of a C-contiguous float64 array where they lie, without a copy, as a matrix; see
// [gpuopt.View], whose rules hold: what is written to the matrix is written into the array, and no part of it may be
// kept when use returns.
func View(x *gpuopt.Array, use func(m *mat.Dense) error) error {
	return gpuopt.View(x, func(elements []float64) error {
		rows, columns, err := dims("View", x)
		if err != nil {
			return err
		}
		return use(dense(rows, columns, elements))
	})
}
