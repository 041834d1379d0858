// bindings/go/matrix.go -- matrices of other packages, such as gonum's.

package gpuopt

// A Matrix is what other packages have of float64 matrices: gonum's mat.Matrix, and with it mat.Dense, mat.SymDense,
// mat.VecDense and views of them, are of this type as they are. So this package depends on none of them; the module
// beside it, bindings/go/gonum, has functions that give and take gonum's own types.
type Matrix interface {
	// Dims gives the numbers of rows and of columns.
	Dims() (rows, columns int)
	// At gives the element in a row and a column, both from 0.
	At(row, column int) float64
}

// FromMatrix copies a matrix to a new float64 array of two dimensions:
//
//	x, err := gpuopt.FromMatrix(xp, mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
func FromMatrix(xp *Device, m Matrix) (*Array, error) {
	if m == nil {
		return nil, fail(ErrInvalidArgument, "FromMatrix: the matrix is nil")
	}
	rows, columns := m.Dims()
	elements := make([]float64, 0, rows*columns)
	for i := 0; i < rows; i++ {
		for j := 0; j < columns; j++ {
			elements = append(elements, m.At(i, j))
		}
	}
	return FromSlice(xp, elements, rows, columns)
}

// ToMatrix copies a float64 array of two dimensions, or of one as a column, to what gonum makes a matrix of:
//
//	rows, columns, elements, err := gpuopt.ToMatrix(x)
//	m := mat.NewDense(rows, columns, elements)
//
// Arrays of other numbers of dimensions are an error of code [ErrShape], other dtypes of code [ErrType]. Waits.
func ToMatrix(x *Array) (rows, columns int, elements []float64, err error) {
	if _, err = x.hold(); err != nil {
		return 0, 0, nil, err
	}
	x.h.done()
	shape := x.Shape()
	if len(shape) == 1 {
		shape = append(shape, 1)
	}
	if len(shape) != 2 {
		return 0, 0, nil, fail(ErrShape, "ToMatrix: an array of %d dimensions is no matrix", len(shape))
	}
	elements, err = ToSlice[float64](x)
	return shape[0], shape[1], elements, err
}
