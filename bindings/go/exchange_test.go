// bindings/go/exchange_test.go -- DLPack and Arrow: what is shared, what is copied, and who gives it back.

package gpuopt

import (
	"testing"

	"gpuopt.invalid/gpuopt/bindings/go/internal/foreign"
)

// numbersInRows gives 0, 1, ... as float64.
func numbersInRows(t *testing.T, rows, columns int) *Array {
	t.Helper()
	all := must[*Array](t)(cpu(t).Arange(Float64, Num(0), Num(rows*columns), Num(1)))
	return must[*Array](t)(all.Reshape(rows, columns))
}

func TestToDLPack(t *testing.T) {
	x := numbersInRows(t, 2, 3)
	tensor := must[*DLPack](t)(must[*Array](t)(x.T()).ToDLPack(0, CopyNever))
	expectEqual(t, "shape", foreign.Shape(tensor.Pointer()), [2]int{3, 2})
	expectEqual(t, "dtype", foreign.DType(tensor.Pointer()), 2064)
	expectEqual(t, "element", foreign.Element(tensor.Pointer(), 2, 1), 5.0)
	expectDone(t, x.SetItem(Num(7.5), 1, 2)) // shared
	expectEqual(t, "element", foreign.Element(tensor.Pointer(), 2, 1), 7.5)
	tensor.Close()
	tensor.Close()
	if tensor.Pointer() != nil || tensor.Release() != nil {
		t.Error("a closed tensor has an address")
	}
	copied := must[*DLPack](t)(x.ToDLPack(0, CopyAlways))
	expectDone(t, x.Fill(Num(0)))
	given := copied.Release()
	copied.Close()
	expectEqual(t, "of the copy", foreign.Element(given, 1, 2), 7.5)
	foreign.Delete(given)
	wide := must[*DLPack](t)(must[*Array](t)(x.BroadcastTo(4, 2, 3)).ToDLPack(-1, CopyIfNeeded))
	defer wide.Close()
	if !foreign.ReadOnly(wide.Pointer()) {
		t.Error("a read-only array became a tensor that may be written")
	}
	x.Close()
	expectCode(t, failing(x.ToDLPack(0, CopyIfNeeded)), ErrInvalidArgument)
}

func TestFromDLPack(t *testing.T) {
	before := foreign.Deleted()
	tensor := AdoptDLPack(foreign.Tensor(2, 3, 1, false, 2))
	x := must[*Array](t)(cpu(t).FromDLPack(tensor, CopyNever))
	if tensor.Pointer() != nil {
		t.Error("the tensor was not taken")
	}
	expectCode(t, failing(cpu(t).FromDLPack(tensor, CopyNever)), ErrInvalidArgument)
	expectEqual(t, "elements", floats(t, x), []float64{0, 3, 1, 4, 2, 5})
	expectDone(t, x.SetItem(Num(9), 0, 1))
	expectEqual(t, "elements", floats(t, x), []float64{0, 9, 1, 4, 2, 5})
	expectEqual(t, "deletions", foreign.Deleted()-before, 0)
	x.Close()
	expectEqual(t, "deletions", foreign.Deleted()-before, 1)

	copied := must[*Array](t)(cpu(t).FromDLPack(AdoptDLPack(foreign.Tensor(1, 2, 1, false, 2)), CopyAlways))
	expectEqual(t, "deletions", foreign.Deleted()-before, 2)
	expectEqual(t, "elements", floats(t, copied), []float64{0, 1})

	constant := must[*Array](t)(cpu(t).FromDLPack(AdoptDLPack(foreign.Tensor(1, 2, 1, true, 2)), CopyIfNeeded))
	expectCode(t, constant.Fill(Num(1)), ErrReadOnly)
	constant.Close()
	expectEqual(t, "deletions", foreign.Deleted()-before, 3)
	empty := must[*Array](t)(cpu(t).FromDLPack(AdoptDLPack(foreign.Tensor(0, 2, 1, false, 2)), CopyIfNeeded))
	expectEqual(t, "shape", empty.Shape(), []int{2, 0})
	empty.Close()
	expectEqual(t, "deletions", foreign.Deleted()-before, 4)
}

func TestDLPackErrors(t *testing.T) {
	before := foreign.Deleted()
	unknown := AdoptDLPack(foreign.Tensor(1, 1, 1, false, 77))
	expectCode(t, failing(cpu(t).FromDLPack(unknown, CopyIfNeeded)), ErrType)
	expectEqual(t, "deletions", foreign.Deleted()-before, 0)
	unknown.Close()
	expectEqual(t, "deletions", foreign.Deleted()-before, 1)
	later := AdoptDLPack(foreign.Tensor(1, 1, 2, false, 2))
	expectCode(t, failing(cpu(t).FromDLPack(later, CopyIfNeeded)), ErrUnsupported)
	expectEqual(t, "deletions", foreign.Deleted()-before, 2)
	later.Close()
	expectEqual(t, "deletions", foreign.Deleted()-before, 2)
	expectCode(t, failing(cpu(t).FromDLPack(nil, CopyIfNeeded)), ErrInvalidArgument)
	expectCode(t, failing(cpu(t).FromDLPack(AdoptDLPack(nil), CopyIfNeeded)), ErrInvalidArgument)
	kept := AdoptDLPack(foreign.Tensor(1, 1, 1, false, 2))
	defer kept.Close()
	expectCode(t, failing((*Device)(nil).FromDLPack(kept, CopyIfNeeded)), ErrInvalidArgument)
	if kept.Pointer() == nil {
		t.Error("a failed call took the tensor")
	}
}

func TestDLPackRoundTrip(t *testing.T) {
	for _, dtype := range []DType{Bool, Int8, UInt64, Float16, BFloat16, Float32, Complex64, Complex128} {
		x := must[*Array](t)(cpu(t).Ones(dtype, 2, 3))
		y := must[*Array](t)(cpu(t).FromDLPack(must[*DLPack](t)(x.ToDLPack(0, CopyNever)), CopyNever))
		expectEqual(t, "dtype", y.DType(), dtype)
		expectDone(t, x.Fill(Num(0)))
		x.Close()
		expectEqual(t, dtype.String(), must[[]bool](t)(ToSlice[bool](must[*Array](t)(Any(y)))), []bool{false})
	}
}

func TestToArrow(t *testing.T) {
	x := numbersInRows(t, 1, 4)
	column := must[*Array](t)(x.Reshape(4))
	a := must[*Arrow](t)(column.ToArrow(CopyNever))
	defer a.Close()
	expectEqual(t, "format", foreign.Format(a.Schema()), "g")
	expectEqual(t, "length", foreign.Length(a.Array()), 4)
	expectDone(t, x.SetItem(Num(-1), 0, 3))
	expectEqual(t, "number", foreign.Number(a.Array(), 3), -1.0)
	wide := must[*Arrow](t)(x.ToArrow(CopyIfNeeded))
	expectEqual(t, "format", foreign.Format(wide.Schema()), "+w:4")
	back := must[*Array](t)(cpu(t).FromArrow(wide, CopyNever))
	expectEqual(t, "shape", back.Shape(), []int{1, 4})
	expectEqual(t, "elements", floats(t, back), []float64{0, 1, 2, -1})
	expectCode(t, back.Fill(Num(0)), ErrReadOnly)
	wide.Close()
	if wide.Schema() != nil || wide.Array() != nil {
		t.Error("a closed pair has an address")
	}
	expectEqual(t, "elements", floats(t, back), []float64{0, 1, 2, -1})
	reversed := must[*Array](t)(column.Flip(0))
	expectCode(t, failing(reversed.ToArrow(CopyNever)), ErrInvalidArgument)
	expectCode(t, failing(must[*Array](t)(cpu(t).Ones(Complex64, 2)).ToArrow(CopyIfNeeded)), ErrType)
	expectCode(t, failing(must[*Array](t)(cpu(t).Ones(Float64)).ToArrow(CopyIfNeeded)), ErrShape)
}

func TestFromArrow(t *testing.T) {
	before, a := foreign.Released(), NewArrow()
	foreign.Fill(a.Schema(), a.Array(), 3, false)
	x := must[*Array](t)(cpu(t).FromArrow(a, CopyNever))
	expectEqual(t, "elements", must[[]int32](t)(ToSlice[int32](x)), []int32{10, 11, 12})
	expectEqual(t, "releases", foreign.Released()-before, 1) // of the schema
	x.Close()
	expectEqual(t, "releases", foreign.Released()-before, 2)

	foreign.Fill(a.Schema(), a.Array(), 3, true) // the structs are used again
	expectCode(t, failing(cpu(t).FromArrow(a, CopyIfNeeded)), ErrInvalidArgument)
	y, valid, err := cpu(t).FromArrowValid(a, CopyIfNeeded)
	expectDone(t, err)
	expectEqual(t, "valid", must[[]bool](t)(ToSlice[bool](valid)), []bool{true, false, true})
	expectEqual(t, "last", must[[]int32](t)(ToSlice[int32](y))[2], int32(12))
	y.Close()
	expectEqual(t, "releases", foreign.Released()-before, 4)

	foreign.FillText(a.Schema(), a.Array())
	expectCode(t, failing(cpu(t).FromArrow(a, CopyIfNeeded)), ErrType)
	expectEqual(t, "releases", foreign.Released()-before, 4)
	a.Close()
	expectEqual(t, "releases", foreign.Released()-before, 6)
	expectCode(t, failing(cpu(t).FromArrow(a, CopyIfNeeded)), ErrInvalidArgument)
	empty := NewArrow()
	defer empty.Close()
	expectCode(t, failing(cpu(t).FromArrow(empty, CopyIfNeeded)), ErrInvalidArgument)
}
