// bindings/go/join_test.go -- arrays joined, split, padded and rearranged.

package gpuopt

import "testing"

func TestJoining(t *testing.T) {
	x, y := counting(t, 2, 2), counting(t, 1, 2)
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	expectEqual(t, "Concat", values(Concat(0, x, y)), []float64{0, 1, 2, 3, 0, 1})
	expectEqual(t, "Concat", values(Concat(None, y, x)), []float64{0, 1, 0, 1, 2, 3})
	expectCode(t, failing(Concat(1, x, y)), ErrShape)
	expectCode(t, failing(Concat(0)), ErrInvalidArgument)
	expectEqual(t, "Stack", values(Stack(2, x, x)), []float64{0, 0, 1, 1, 2, 2, 3, 3})
	expectEqual(t, "Append", values(x.Append(Num(7), None)), []float64{0, 1, 2, 3, 7})
	grid := must[[]*Array](t)(Meshgrid(true, counting(t, 2), counting(t, 3)))
	expectEqual(t, "Meshgrid", floats(t, grid[0]), []float64{0, 0, 0, 1, 1, 1})
	expectEqual(t, "Meshgrid", floats(t, grid[1]), []float64{0, 1, 2, 0, 1, 2})
	wide := must[[]*Array](t)(BroadcastArrays(x, counting(t, 2)))
	expectEqual(t, "BroadcastArrays", floats(t, wide[1]), []float64{0, 1, 0, 1})
}

func TestIndexingByArrays(t *testing.T) {
	x := counting(t, 3, 2)
	integers := func(n int) *Array { return must[*Array](t)(cpu(t).Arange(Int64, Num(0), Num(n), Num(1))) }
	rows := integers(2)
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	expectEqual(t, "Get", values(x.Get(By(rows), At(1))), []float64{1, 3})
	expectEqual(t, "Get", values(x.Get(Ellipsis(), By(rows))), []float64{0, 1, 2, 3, 4, 5})
	expectEqual(t, "Get", values(x.Get(At(-1))), []float64{4, 5})
	expectCode(t, failing(x.Get(By(rows), By(integers(3)))), ErrIndex)
	expectCode(t, failing(x.At(By(rows))), ErrInvalidArgument)
	if err := x.Set(Num(7), By(rows), At(0)); err != nil {
		t.Fatal(err)
	}
	expectEqual(t, "Set", floats(t, x), []float64{7, 1, 7, 3, 4, 5})
}

func TestEinsum(t *testing.T) {
	x, y := counting(t, 2, 3), counting(t, 3)
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	expectEqual(t, "Einsum", values(Einsum("ij,j->i", x, y)), []float64{5, 14})
	expectEqual(t, "Einsum", values(Einsum("ij->ji", x)), []float64{0, 3, 1, 4, 2, 5})
	expectCode(t, failing(Einsum("ij,j->k", x, y)), ErrInvalidArgument)
	expectCode(t, failing(Einsum("ij,i", x, y)), ErrShape)
	expectCode(t, failing(Einsum("")), ErrInvalidArgument)
}

func TestSplitting(t *testing.T) {
	x := counting(t, 2, 3)
	check := func(what string, parts []*Array, err error, want ...[]float64) {
		t.Helper()
		if err != nil || len(parts) != len(want) {
			t.Fatalf("%s: %d parts, %v", what, len(parts), err)
		}
		for i, part := range parts {
			expectEqual(t, what, floats(t, part), want[i])
		}
	}
	parts, err := x.Unstack(-1)
	check("Unstack", parts, err, []float64{0, 3}, []float64{1, 4}, []float64{2, 5})
	parts, err = x.Split(3, 1)
	check("Split", parts, err, []float64{0, 3}, []float64{1, 4}, []float64{2, 5})
	parts, err = x.ArraySplit(2, 1)
	check("ArraySplit", parts, err, []float64{0, 1, 3, 4}, []float64{2, 5})
	parts, err = x.SplitAt(1, 1)
	check("SplitAt", parts, err, []float64{0, 3}, []float64{1, 2, 4, 5})
	expectCode(t, failing(x.Split(2, 1)), ErrInvalidArgument)
	expectCode(t, failing(x.Unstack(2)), ErrIndex)
	expectCode(t, failing(x.Split(-1, 0)), ErrInvalidArgument)
}

func TestRearranging(t *testing.T) {
	x := counting(t, 2, 3)
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	shape := func(y *Array, err error) []int { t.Helper(); return must[*Array](t)(y, err).Shape() }
	list := func(numbers ...int64) *Array { return must[*Array](t)(FromSlice(cpu(t), numbers)) }
	expectEqual(t, "Roll", values(x.Roll([]int{1})), []float64{5, 0, 1, 2, 3, 4})
	expectEqual(t, "Roll", values(x.Roll([]int{1, 1}, 0, 1)), []float64{5, 3, 4, 2, 0, 1})
	expectEqual(t, "Repeat", values(x.Repeat(2, 0)), []float64{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5})
	expectEqual(t, "RepeatEach", values(x.RepeatEach(list(0, 2), 0)), []float64{3, 4, 5, 3, 4, 5})
	expectEqual(t, "Tile", values(counting(t, 2).Tile(2)), []float64{0, 1, 0, 1})
	line := counting(t, 3)
	expectEqual(t, "Pad", values(line.Pad([][2]int{{1, 0}}, PadConstant, Num(9))), []float64{9, 0, 1, 2})
	expectEqual(t, "Pad", values(line.Pad([][2]int{{2, 1}}, PadReflect, Num(0))), []float64{2, 1, 0, 1, 2, 1})
	expectEqual(t, "Pad", values(line.Pad([][2]int{{2, 1}}, PadSymmetric, Num(0))), []float64{1, 0, 0, 1, 2, 2})
	expectEqual(t, "Pad", values(line.Pad([][2]int{{2, 1}}, PadWrap, Num(0))), []float64{1, 2, 0, 1, 2, 0})
	expectEqual(t, "Pad", values(line.Pad([][2]int{{2, 1}}, PadEdge, Num(0))), []float64{0, 0, 0, 1, 2, 2})
	expectCode(t, failing(x.Pad([][2]int{{1, 1}}, PadEdge, Num(0))), ErrInvalidArgument)
	expectEqual(t, "Delete", values(x.Delete(list(0, -1), 1)), []float64{1, 4})
	expectEqual(t, "Insert", values(x.Insert(list(1), Num(9), None)), []float64{0, 9, 1, 2, 3, 4, 5})
	expectEqual(t, "ExpandDimsAt", shape(x.ExpandDimsAt(0, -1)), []int{1, 2, 3, 1})
	expectEqual(t, "MoveAxis", shape(x.MoveAxis([]int{0}, []int{-1})), []int{3, 2})
	expectEqual(t, "SwapAxes", shape(x.SwapAxes(0, 1)), []int{3, 2})
	expectEqual(t, "Rot90", values(x.Rot90(1, 0, 1)), []float64{2, 5, 1, 4, 0, 3})
	expectEqual(t, "Diagonal", values(x.Diagonal(1, 0, 1)), []float64{1, 5})
	expectEqual(t, "Diag", values(counting(t, 2).Diag(1)), []float64{0, 0, 0, 0, 0, 1, 0, 0, 0})
	expectEqual(t, "Ravel", shape(x.Ravel()), []int{6})
	expectEqual(t, "AtLeast", shape(line.AtLeast(3)), []int{1, 3, 1})
	expectCode(t, failing(x.MoveAxis([]int{0}, nil)), ErrInvalidArgument)
}
