// bindings/go/matrix_test.go -- matrices of other packages, for which a type with gonum's methods stands.

package gpuopt

import "testing"

// dense has the methods of mat.Dense that matter here.
type dense struct {
	rows, columns int
	elements      []float64
}

func (m dense) Dims() (int, int)    { return m.rows, m.columns }
func (m dense) At(i, j int) float64 { return m.elements[i*m.columns+j] }
func (m dense) T() Matrix           { return transposed{m} }

// transposed is a view, as gonum's mat.Transpose.
type transposed struct{ of Matrix }

func (m transposed) Dims() (int, int) {
	rows, columns := m.of.Dims()
	return columns, rows
}
func (m transposed) At(i, j int) float64 { return m.of.At(j, i) }

func TestMatricesOfOtherPackages(t *testing.T) {
	xp, err := Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	m := dense{2, 3, []float64{1, 2, 3, 4, 5, 6}}
	x := must[*Array](t)(FromMatrix(xp, m))
	expectEqual(t, "shape", x.Shape(), []int{2, 3})
	expectEqual(t, "elements", must[[]float64](t)(ToSlice[float64](x)), m.elements)
	turned := must[*Array](t)(FromMatrix(xp, m.T()))
	expectEqual(t, "transposed", must[[]float64](t)(ToSlice[float64](turned)), []float64{1, 4, 2, 5, 3, 6})
	rows, columns, elements, err := ToMatrix(must[*Array](t)(turned.T()))
	if err != nil || rows != 2 || columns != 3 {
		t.Error(rows, columns, err)
	}
	expectEqual(t, "back", elements, m.elements)
	rows, columns, elements, err = ToMatrix(counting(t, 4))
	if err != nil || rows != 4 || columns != 1 || len(elements) != 4 {
		t.Error(rows, columns, elements, err)
	}
	_, _, _, err = ToMatrix(counting(t, 2, 2, 2))
	expectCode(t, err, ErrShape)
	_, _, _, err = ToMatrix(must[*Array](t)(x.AsType(Float32)))
	expectCode(t, err, ErrType)
	_, _, _, err = ToMatrix(nil)
	expectCode(t, err, ErrInvalidArgument)
	_, err = FromMatrix(xp, nil)
	expectCode(t, err, ErrInvalidArgument)
	empty := must[*Array](t)(FromMatrix(xp, dense{0, 3, nil}))
	expectEqual(t, "no rows", empty.Shape(), []int{0, 3})
}
