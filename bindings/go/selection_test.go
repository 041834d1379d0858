// bindings/go/selection_test.go -- selection and editing by conditions and indices, sequences, grids, views of memory.

package gpuopt

import (
	"math"
	"testing"
)

func wholes(t *testing.T, numbers ...int64) *Array {
	t.Helper()
	return must[*Array](t)(FromSlice(cpu(t), numbers, len(numbers)))
}

func expectDone(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestChoosing(t *testing.T) {
	x, at := counting(t, 2, 2), wholes(t, 0, 1)
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	mask := must[*Array](t)(Greater(x, Num(1)))
	expectEqual(t, "Choose", values(at.Choose(IndexRaise, Num(7), x)), []float64{7, 1, 7, 3})
	expectCode(t, failing(wholes(t, 2).Choose(IndexRaise, Num(7), x)), ErrInvalidArgument)
	expectEqual(t, "Choose", values(wholes(t, 2, -1).Choose(IndexClip, Num(7), Num(8))), []float64{8, 7})
	expectEqual(t, "Select", values(Select([]*Array{mask}, []Operand{x}, Num(-1))), []float64{-1, -1, 2, 3})
	expectCode(t, failing(Select([]*Array{mask}, nil, Num(-1))), ErrInvalidArgument)
	expectEqual(t, "Piecewise", values(x.Piecewise([]*Array{mask}, Num(5), Num(6))), []float64{6, 6, 5, 5})
	expectEqual(t, "Compress", values(x.Compress(at, 0)), []float64{2, 3})
	expectEqual(t, "Extract", values(x.Extract(mask)), []float64{2, 3})
	expectEqual(t, "FlatNonzero", values(x.FlatNonzero()), []float64{1, 2, 3})
	expectEqual(t, "TrimZeros", values(wholes(t, 0, 0, 4, 0).TrimZeros(None)), []float64{4})
}

func TestEditing(t *testing.T) {
	x, at := counting(t, 2, 2), wholes(t, 0, 0, 1)
	mask := must[*Array](t)(Greater(x, Num(1)))
	expectDone(t, x.AddAt(Num(10), By(at), At(0)))
	expectEqual(t, "AddAt", floats(t, x), []float64{20, 1, 12, 3})
	expectCode(t, x.ApplyAt(UpdateAdd, Num(1), By(wholes(t, 2))), ErrIndex)
	expectDone(t, x.CopyTo(Num(0), mask))
	expectDone(t, x.FillDiagonal(Num(9), false))
	expectEqual(t, "FillDiagonal", floats(t, x), []float64{9, 1, 0, 9})
	expectDone(t, x.PutMask(mask, counting(t, 4)))
	expectDone(t, x.Place(mask, Num(5)))
	expectEqual(t, "Place", floats(t, x), []float64{9, 1, 5, 5})
	column := must[*Array](t)(wholes(t, 1, 0).Reshape(2, 1))
	expectDone(t, x.PutAlongAxis(column, Num(-1), 1))
	expectEqual(t, "PutAlongAxis", floats(t, x), []float64{9, -1, -1, 5})
}

func TestIndicesOfGrids(t *testing.T) {
	rows, columns, err := cpu(t).TrilIndices(2, -1, 0)
	expectDone(t, err)
	expectEqual(t, "TrilIndices", floats(t, rows), []float64{0, 1, 1})
	expectEqual(t, "TrilIndices", floats(t, columns), []float64{0, 0, 1})
	flat := must[*Array](t)(RavelMultiIndex([]int{3, 4}, IndexRaise, false, wholes(t, 1, 2), wholes(t, 3, 0)))
	expectEqual(t, "RavelMultiIndex", floats(t, flat), []float64{7, 8})
	back := must[[]*Array](t)(flat.UnravelIndex(false, 3, 4))
	expectEqual(t, "UnravelIndex", floats(t, back[1]), []float64{3, 0})
	grid := must[[]*Array](t)(Ix(wholes(t, 1), wholes(t, 0, 2)))
	expectEqual(t, "Ix", grid[1].Shape(), []int{1, 2})
	expectEqual(t, "DiagIndices", len(must[[]*Array](t)(cpu(t).DiagIndices(3, 2))), 2)
}

func TestShapesByName(t *testing.T) {
	x := counting(t, 2, 2)
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	expectEqual(t, "HStack", values(HStack(x, x)), []float64{0, 1, 0, 1, 2, 3, 2, 3})
	expectEqual(t, "VStack", must[*Array](t)(VStack(x, x)).Shape(), []int{4, 2})
	expectEqual(t, "Block", values(Block([]*Array{x, x}, []*Array{x, x}))[:4], []float64{0, 1, 0, 1})
	expectEqual(t, "Resize", values(x.Resize(5)), []float64{0, 1, 2, 3, 0})
	expectEqual(t, "FlipLR", values(x.FlipLR()), []float64{1, 0, 3, 2})
	expectEqual(t, "HSplit", floats(t, must[[]*Array](t)(x.HSplit(2))[1]), []float64{1, 3})
	expectEqual(t, "EDiff1D", values(x.EDiff1D()), []float64{1, 1, 1})
	expectEqual(t, "ArrayEqual", must[bool](t)(ArrayEqual(x, x, false)), true)
	expectEqual(t, "ArrayEquiv", must[bool](t)(ArrayEquiv(x, Num(1))), false)
	expectEqual(t, "AllClose", must[bool](t)(AllClose(x, x, 1e-5, 1e-8, false)), true)
}

func TestCreationByRule(t *testing.T) {
	d := cpu(t)
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	x, step, err := d.LinspaceStep(Default, Num(0), Num(1), 5, true)
	expectDone(t, err)
	expectEqual(t, "LinspaceStep", floats(t, x)[1], 0.25)
	expectEqual(t, "LinspaceStep", step, complex(0.25, 0))
	expectEqual(t, "Geomspace", values(d.Geomspace(Default, Num(1), Num(4), 2, true)), []float64{1, 4})
	starts, stops := listOf[float64](t, 0.0, 1), listOf[float64](t, 4.0, 9)
	between, steps, err := LinspaceBetween(Default, starts, stops, 3, true, -1)
	expectDone(t, err)
	expectEqual(t, "LinspaceBetween", floats(t, between), []float64{0, 2, 4, 1, 5, 9})
	expectEqual(t, "LinspaceBetween", floats(t, steps), []float64{2, 4})
	expectEqual(t, "LogspaceBetween", values(LogspaceBetween(Int64, starts, Num(2), 2, true, Num(3), 0)),
		[]float64{1, 3, 9, 9})
	expectEqual(t, "GeomspaceBetween", values(GeomspaceBetween(Default, Num(1), stops, 3, true, 0)),
		[]float64{1, 1, 2, 3, 4, 9})
	expectEqual(t, "MGrid", values(d.MGrid(GridAxis{Num(0), Num(4), Num(2)})), []float64{0, 2})
	expectEqual(t, "Indices", values(d.Indices(Int64, 1, 2)), []float64{0, 0, 0, 1})
	expectEqual(t, "Bartlett", values(d.Bartlett(3)), []float64{0, 1, 0})
	expectEqual(t, "Kaiser", values(d.Kaiser(1, 2)), []float64{1})
	expectEqual(t, "FromBuffer", values(d.FromBuffer(Int8, []byte{1, 2, 3}, -1, 1)), []float64{2, 3})
	expectEqual(t, "Vander", values(wholes(t, 2, 3).Vander(2, true)), []float64{1, 2, 1, 3})
	expectEqual(t, "RoundDecimals", values(wholes(t, 14, 16).RoundDecimals(-1)), []float64{10, 20})
	expectEqual(t, "AsStrided", values(wholes(t, 1, 2, 3).AsStrided([]int{2, 2}, []int{8, 8})), []float64{1, 2, 2, 3})
	expectCode(t, failing(wholes(t, 1, 2, 3).AsStrided([]int{4}, []int{8})), ErrIndex)
	expectEqual(t, "SlidingWindowView", values(wholes(t, 1, 2, 3).SlidingWindowView([]int{2})), []float64{1, 2, 2, 3})
	expectEqual(t, "ViewDType", must[*Array](t)(wholes(t, 1).ViewDType(Int8)).Shape(), []int{8})
	limits, err := FInfo(Float64)
	expectDone(t, err)
	expectEqual(t, "FInfo", limits.Max, math.MaxFloat64)
	whole, err := IInfo(UInt64)
	expectDone(t, err)
	expectEqual(t, "IInfo", whole.Max, uint64(math.MaxUint64))
}
