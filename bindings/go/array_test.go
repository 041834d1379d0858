// bindings/go/array_test.go -- arrays: elements in and out, ownership, views, errors, goroutines.

package gpuopt

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// expectCode wants an error of the library's, of this code.
func expectCode(t *testing.T, err error, code Code) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code || !errors.Is(err, code) {
		t.Errorf("%v was expected, not %v", code, err)
	}
}

// failing gives the error of a call.
func failing[T any](_ T, err error) error { return err }

func expectEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// counting gives 0, 1, 2, ... in this shape.
func counting(t testing.TB, shape ...int) *Array {
	t.Helper()
	count := 1
	for _, size := range shape {
		count *= size
	}
	return must[*Array](t)(must[*Array](t)(cpu(t).Arange(Float64, Num(0), Num(count), Num(1))).Reshape(shape...))
}

func thereAndBack[T Element](t *testing.T, dtype DType, data ...T) {
	t.Helper()
	x := must[*Array](t)(FromSlice(cpu(t), data))
	expectEqual(t, "dtype", x.DType(), dtype)
	expectEqual(t, "size", x.NBytes(), dtype.Size()*len(data))
	expectEqual(t, dtype.String(), must[[]T](t)(ToSlice[T](x)), data)
	err := View(x, func(elements []T) error {
		expectEqual(t, dtype.String(), elements, data)
		elements[0] = data[1]
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	expectEqual(t, dtype.String(), must[[]T](t)(ToSlice[T](x))[0], data[1])
}

func TestElementsOfEveryDType(t *testing.T) {
	thereAndBack(t, Bool, true, false)
	thereAndBack[int8](t, Int8, -128, 127)
	thereAndBack[int16](t, Int16, -5, 6)
	thereAndBack[int32](t, Int32, -5, 6)
	thereAndBack[int64](t, Int64, math.MinInt64, 6)
	thereAndBack[uint8](t, UInt8, 255, 1)
	thereAndBack[uint16](t, UInt16, 65535, 1)
	thereAndBack[uint32](t, UInt32, 5, 1)
	thereAndBack[uint64](t, UInt64, math.MaxUint64, 1)
	thereAndBack[Half](t, Float16, 0x3c00, 0xc000)
	thereAndBack[Brain](t, BFloat16, 0x3f80, 0xc000)
	thereAndBack[float32](t, Float32, 0.5, -1)
	thereAndBack[float64](t, Float64, 0.5, -1)
	thereAndBack[complex64](t, Complex64, 1-2i, 3)
	thereAndBack[complex128](t, Complex128, 1-2i, 3)
	expectEqual(t, "halves", floats(t, must[*Array](t)(FromSlice(cpu(t), []Half{0x3c00, 0xc000}))), []float64{1, -2})
	expectCode(t, failing(FromSlice(cpu(t), []int8{1, 2, 3}, 2, 2)), ErrShape)
	expectCode(t, failing(ToSlice[float32](counting(t, 2))), ErrType)
	empty := must[*Array](t)(FromSlice(cpu(t), []float64{}, 0, 3))
	expectEqual(t, "no elements", len(must[[]float64](t)(ToSlice[float64](empty))), 0)
}

func TestBoolsAreNormalized(t *testing.T) {
	bytes := []Half{0x0701, 0x0200} // as memory that was never written may look
	raw := must[*Array](t)(FromSlice(cpu(t), bytes))
	var seen []bool
	err := View(raw, func(elements []Half) error {
		seen = boolsOver(elements)
		normalize(seen)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	expectEqual(t, "bools", seen, []bool{true, true, false, true})
}

func TestViewIsTheMemoryItself(t *testing.T) {
	x := counting(t, 2, 3)
	doubled := must[*Array](t)(Multiply(x, Num(2))) // recorded, not yet run
	closed := make(chan bool)
	err := View(x, func(elements []float64) error {
		elements[1] = 10
		go func() { x.Close(); close(closed) }()
		<-closed
		expectEqual(t, "elements of a closed array", elements, []float64{0, 10, 2, 3, 4, 5})
		return errors.New("of the caller")
	})
	expectEqual(t, "error", err.Error(), "of the caller")
	expectEqual(t, "recorded before", floats(t, doubled), []float64{0, 2, 4, 6, 8, 10})
	expectCode(t, View(x, func([]float64) error { return nil }), ErrInvalidArgument)
	y := counting(t, 2, 3)
	none := func([]float64) error { t.Error("called"); return nil }
	expectCode(t, View(must[*Array](t)(y.T()), none), ErrInvalidArgument)
	expectCode(t, View(must[*Array](t)(y.BroadcastTo(1, 2, 3)), none), ErrReadOnly)
	expectCode(t, View(y, func([]float32) error { return nil }), ErrType)
}

func TestCloseGivesMemoryBackOnce(t *testing.T) {
	const bytes = 96 << 20
	xp := cpu(t)
	inUse := func() uint64 { return must[MemoryStats](t)(xp.MemoryStats()).InUse }
	x := must[*Array](t)(xp.Zeros(Float64, bytes/8))
	view := must[*Array](t)(x.At(Range(5, 7)))
	if err := Eval(x); err != nil {
		t.Fatal(err)
	}
	x.Close()
	x.Close()
	if inUse() < bytes {
		t.Error("the view does not keep the elements")
	}
	expectEqual(t, "view", floats(t, view), []float64{0, 0})
	view.Close()
	if inUse() >= bytes {
		t.Error("the elements are still there")
	}
	expectCode(t, failing(x.Copy()), ErrInvalidArgument)
	expectCode(t, failing(Add(x, Num(1))), ErrInvalidArgument)
	expectCode(t, failing(ToSlice[float64](x)), ErrInvalidArgument)
	expectCode(t, AddInto(Num(1), counting(t, 2), x), ErrInvalidArgument)
	expectCode(t, Eval(view), ErrInvalidArgument)
	expectEqual(t, "shape", x.Shape(), []int(nil))
	expectCode(t, failing((&Array{}).Copy()), ErrInvalidArgument)
}

func TestGarbageIsCollected(t *testing.T) {
	const bytes = 64 << 20
	xp := cpu(t)
	func() {
		for i := 0; i < 4; i++ {
			if err := Eval(must[*Array](t)(xp.Zeros(Float64, bytes/8))); err != nil {
				t.Fatal(err)
			}
		}
	}()
	// Finalizers run on a goroutine of their own after a collection: one that is made now runs behind them.
	for round := 0; round < 100; round++ {
		ran := make(chan bool)
		runtime.SetFinalizer(&struct{ name string }{"last"}, func(any) { close(ran) })
		runtime.GC()
		<-ran
		if must[MemoryStats](t)(xp.MemoryStats()).InUse < bytes {
			return
		}
	}
	t.Error("unreachable arrays keep their memory")
}

func TestCloseBesideUse(t *testing.T) {
	xp := cpu(t)
	for round := 0; round < 200; round++ {
		x := must[*Array](t)(xp.Ones(Float64, 100))
		var group sync.WaitGroup
		for i := 0; i < 4; i++ {
			group.Add(2)
			go func() { defer group.Done(); x.Close() }()
			go func() {
				defer group.Done()
				sum, err := Sum(x)
				if err != nil {
					expectCode(t, err, ErrInvalidArgument)
				} else if got := floats(t, sum)[0]; got != 100 {
					t.Errorf("%g", got)
				}
			}()
		}
		group.Wait()
		if x.h.uses.Load() != 0 {
			t.Fatalf("%d uses are left", x.h.uses.Load())
		}
	}
}

// Whoever looks while another goroutine closes the array sees all of it, or that it is closed.
func TestCloseBesideViews(t *testing.T) {
	xp := cpu(t)
	ones := make([]float64, 100)
	for i := range ones {
		ones[i] = 1
	}
	for round := 0; round < 2000; round++ {
		x := must[*Array](t)(xp.Ones(Float64, 10, 10))
		looks := []func() error{
			func() error {
				return View(x, func(elements []float64) error { expectEqual(t, "View", elements, ones); return nil })
			},
			func() error {
				elements, err := ToSlice[float64](x)
				if err == nil {
					expectEqual(t, "ToSlice", elements, ones)
				}
				return err
			},
			func() error { return failing(x.Item(3, 4)) },
			func() error { return failing(x.PermuteDims(1, 0)) },
		}
		var group sync.WaitGroup
		start := make(chan bool)
		for _, look := range append(looks, func() error { x.Close(); return nil }) {
			group.Add(1)
			go func(look func() error) {
				defer group.Done()
				<-start
				if err := look(); err != nil && err.Error() != "the array is closed (GPUOPT_ERR_INVALID_ARGUMENT)" {
					t.Error(err)
				}
			}(look)
		}
		close(start)
		group.Wait()
	}
}

// Elements inside of something that has pointers, too: cgo must not look at those.
func TestElementsBesidePointers(t *testing.T) {
	layer := &struct {
		name *string
		w    [3]float64
	}{new(string), [3]float64{1, 2, 3}}
	x := must[*Array](t)(FromSlice(cpu(t), layer.w[:]))
	expectEqual(t, "FromSlice", must[[]float64](t)(ToSlice[float64](x)), []float64{1, 2, 3})
	extremes := &struct {
		name     *string
		pos, neg float64
	}{new(string), 5, -5}
	infinite := must[*Array](t)(FromSlice(cpu(t), []float64{math.Inf(1), math.Inf(-1), math.NaN()}))
	finite := must[*Array](t)(NanToNum(infinite, 0, &extremes.pos, &extremes.neg))
	expectEqual(t, "NanToNum", floats(t, finite), []float64{5, -5, 0})
}

func TestNilIsAnError(t *testing.T) {
	x, none := counting(t, 3), (*Array)(nil)
	for what, err := range map[string]error{
		"no operand": failing(Add(nil, x)), "second": failing(Add(x, nil)), "array": failing(Add(none, x)),
		"out": AddInto(x, x, nil), "reduced": failing(Sum(none)), "mask": failing(x.MaskSelect(nil)),
		"eval":   Eval(x, nil),
		"device": failing(x.ToDevice(nil)), "no device": failing(FromSlice(nil, []float64{1})),
		"stream": failing(x.OnStream(nil)),
		"value":  x.Assign(nil), "saved": SaveNpz("never.npz", map[string]*Array{"x": nil}, false),
	} {
		expectCode(t, err, ErrInvalidArgument)
		if !strings.Contains(err.Error(), " is nil") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAThousandGoroutinesGetTheirOwnMessages(t *testing.T) {
	xp := cpu(t)
	var group sync.WaitGroup
	start := make(chan bool)
	for i := 0; i < 1000; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			x, y := must[*Array](t)(xp.Zeros(Float64, i+2)), must[*Array](t)(xp.Zeros(Float64, 2, i+3))
			<-start
			_, err := Add(x, y)
			expectCode(t, err, ErrShape)
			first, second := fmt.Sprintf("(%d,)", i+2), fmt.Sprintf("(2, %d)", i+3)
			if !strings.Contains(err.Error(), first) || !strings.Contains(err.Error(), second) {
				t.Errorf("%v names other shapes than %s and %s", err, first, second)
			}
		}(i)
	}
	close(start)
	group.Wait()
}

func TestViewsOfArrays(t *testing.T) {
	x := counting(t, 2, 3, 4)
	shape := func(y *Array, err error) []int { t.Helper(); return must[*Array](t)(y, err).Shape() }
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	expectEqual(t, "T", shape(x.T()), []int{4, 3, 2})
	expectEqual(t, "PermuteDims", shape(x.PermuteDims(1, 0, 2)), []int{3, 2, 4})
	expectCode(t, failing(x.PermuteDims(0)), ErrInvalidArgument)
	expectEqual(t, "MatrixTranspose", shape(x.MatrixTranspose()), []int{2, 4, 3})
	expectEqual(t, "Reshape", shape(x.Reshape(-1, 8)), []int{3, 8})
	expectCode(t, failing(must[*Array](t)(x.T()).ReshapeCopy(CopyNever, 24)), ErrInvalidArgument)
	expectEqual(t, "Squeeze", shape(must[*Array](t)(x.ExpandDims(-1)).Squeeze(-1)), []int{2, 3, 4})
	expectEqual(t, "Flip", must[*Array](t)(x.Flip(1)).Strides(), []int{96, -32, 8})
	expectEqual(t, "Flip", must[*Array](t)(x.Flip()).Strides(), []int{-96, -32, -8})
	expectEqual(t, "At", values(x.At(At(1), Range(None, 2), At(3))), []float64{15, 19})
	expectEqual(t, "At", values(x.At(At(-1), Step(None, None, 2), Range(1, 3))), []float64{13, 14, 21, 22})
	expectEqual(t, "At", shape(x.At(Ellipsis(), NewAxis())), []int{2, 3, 4, 1})
	expectCode(t, failing(x.At(At(2))), ErrIndex)
	expectEqual(t, "facts", []any{x.NDim(), x.Size(), x.IsContiguous(), x.IsReadOnly()}, []any{3, 24, true, false})
	expectEqual(t, "BroadcastShapes", must[[]int](t)(BroadcastShapes([]int{3, 1}, []int{}, []int{4})), []int{3, 4})
	expectCode(t, failing(BroadcastShapes([]int{3}, []int{4})), ErrShape)
}

func TestWritingAndSelecting(t *testing.T) {
	x := counting(t, 2, 3)
	check := func(what string, err error, want ...float64) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		expectEqual(t, what, floats(t, x), want)
	}
	check("SetItem", x.SetItem(Num(50), -1, -1), 0, 1, 2, 3, 4, 50)
	expectEqual(t, "Item", must[Scalar](t)(x.Item(1, 2)).Value(), any(50.0))
	expectCode(t, failing(x.Item(0)), ErrIndex)
	expectCode(t, failing(x.Item(0, 3)), ErrIndex)
	expectCode(t, x.SetItem(Num(1)), ErrIndex)
	mask := must[*Array](t)(Greater(x, Num(2)))
	expectEqual(t, "MaskSelect", floats(t, must[*Array](t)(x.MaskSelect(mask))), []float64{3, 4, 50})
	check("MaskAssign", x.MaskAssign(mask, Num(-1)), 0, 1, 2, -1, -1, -1)
	at := must[*Array](t)(FromSlice(cpu(t), []int64{2, 0}))
	expectEqual(t, "Take", floats(t, must[*Array](t)(x.Take(at, 1))), []float64{2, 0, -1, -1})
	check("Put", x.Put(at, 1, Num(9)), 9, 1, 9, 9, -1, 9)
	below := must[*Array](t)(must[*Array](t)(Less(x, Num(9))).ArgWhere())
	expectEqual(t, "ArgWhere", must[[]int64](t)(ToSlice[int64](below)),
		[]int64{0, 1, 1, 1})
	check("AddInto", AddInto(x, x, x), 18, 2, 18, 18, -2, 18)
	check("Assign", x.Assign(must[*Array](t)(FromSlice(cpu(t), []int8{1, 2, 3}))), 1, 2, 3, 1, 2, 3)
	check("Fill", must[*Array](t)(x.At(At(0))).Fill(Num(7)), 7, 7, 7, 1, 2, 3)
	copied := must[*Array](t)(x.Copy())
	check("a copy", copied.Fill(Num(0)), 7, 7, 7, 1, 2, 3)
}

func TestCreation(t *testing.T) {
	xp := cpu(t)
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	expectEqual(t, "Linspace", values(xp.Linspace(Default, 0, 1, 3, true)), []float64{0, 0.5, 1})
	expectEqual(t, "Eye", values(xp.Eye(Default, 2, 3, 1)), []float64{0, 1, 0, 0, 0, 1})
	expectEqual(t, "Tri", values(xp.Tri(Int8, 2, -1, 0)), []float64{1, 0, 1, 1})
	expectEqual(t, "Arange", values(xp.Arange(Default, Num(5), Num(0), Num(-2))), []float64{5, 3, 1})
	expectEqual(t, "Full", must[*Array](t)(xp.Full(Default, Num(7), 2)).DType(), Int64)
	expectCode(t, failing(xp.Full(UInt8, Num(300), 2)), ErrOverflow)
	expectEqual(t, "0-d", must[*Array](t)(xp.Ones(Default)).Shape(), []int{})
	expectEqual(t, "Empty", must[*Array](t)(xp.Empty(Float32, 3, 4)).NBytes(), 48)
	x := counting(t, 2, 2)
	expectEqual(t, "Tril", values(x.Tril(0)), []float64{0, 0, 2, 3})
	expectEqual(t, "Triu", values(x.Triu(1)), []float64{0, 1, 0, 0})
	expectEqual(t, "OnesLike", values(x.OnesLike(Bool)), []float64{1, 1, 1, 1})
	expectEqual(t, "FullLike", values(x.FullLike(Default, Num(3))), []float64{3, 3, 3, 3})
	expectEqual(t, "EmptyLike", must[*Array](t)(x.EmptyLike(Default)).DType(), Float64)
	expectCode(t, failing(xp.Zeros(Default, -1)), ErrShape)
}

func TestProducts(t *testing.T) {
	x, y := counting(t, 2, 3), counting(t, 3)
	values := func(z *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(z, err)) }
	expectEqual(t, "MatMul", values(MatMul(x, y)), []float64{5, 14})
	expectEqual(t, "Dot", values(Dot(y, y)), []float64{5})
	expectEqual(t, "Outer", values(Outer(y, y)), []float64{0, 0, 0, 0, 1, 2, 0, 2, 4})
	expectEqual(t, "VecDot", values(VecDot(x, y, -1)), []float64{5, 14})
	expectEqual(t, "TensorDot", values(TensorDot(x, x, []int{0, 1}, []int{0, 1})), []float64{55})
	expectEqual(t, "TensorDot", len(values(TensorDot(x, y, nil, nil))), 18)
	expectCode(t, failing(TensorDot(x, x, []int{0}, nil)), ErrShape)
	expectEqual(t, "Norm", values(Norm(x)), []float64{math.Sqrt(55)})
	expectEqual(t, "MatrixNorm", values(MatrixNorm(x, 1, false)), []float64{7})
	expectEqual(t, "MatrixNorm", must[*Array](t)(MatrixNorm(x, Frobenius, true)).Shape(), []int{1, 1})
	if err := failing(MatMul(x, x)); strings.Count(err.Error(), "(2, 3)") != 2 {
		t.Error(err)
	}
}

func TestDTypes(t *testing.T) {
	expectEqual(t, "DTypeFromName", must[DType](t)(DTypeFromName("<f4")), Float32)
	expectEqual(t, "facts", []any{Int16.String(), Int16.Size(), Complex64.Kind()}, []any{"int16", 2, byte('c')})
	expectCode(t, failing(DTypeFromName("float7")), ErrInvalidArgument)
	expectEqual(t, "PromoteTypes", must[DType](t)(PromoteTypes(Int64, UInt64)), Float64)
	x := must[*Array](t)(cpu(t).Zeros(Float32, 1))
	expectEqual(t, "ResultType", must[DType](t)(ResultType(x, Num(2.5))), Float32)
	expectEqual(t, "ResultType", must[DType](t)(ResultType(x, must[*Array](t)(x.AsType(Int32)))), Float64)
	expectEqual(t, "CanCast", must[bool](t)(Int16.CanCast(Int8, false)), false)
	expectEqual(t, "CanCast", must[bool](t)(Int16.CanCast(Int8, true)), true)
	expectEqual(t, "AsTypeCopy", must[*Array](t)(x.AsTypeCopy(Float32, CopyAlways)).DType(), Float32)
}

func TestScalars(t *testing.T) {
	table := []struct {
		got  Scalar
		want any
		real float64
	}{
		{Num(true), true, 1}, {Num(3), int64(3), 3}, {Num(int8(-3)), int64(-3), -3}, {Num(int16(3)), int64(3), 3},
		{Num(int32(3)), int64(3), 3}, {Num(int64(3)), int64(3), 3}, {Num(uint8(3)), int64(3), 3},
		{Num(uint16(3)), int64(3), 3}, {Num(uint32(3)), int64(3), 3}, {Num(uint(3)), uint64(3), 3},
		{Num(uint64(math.MaxUint64)), uint64(math.MaxUint64), math.MaxUint64}, {Num(float32(0.5)), 0.5, 0.5},
		{Num(0.5), 0.5, 0.5}, {Num(complex64(1 - 2i)), 1 - 2i, 1}, {Num(1 - 2i), 1 - 2i, 1},
	}
	for _, row := range table {
		expectEqual(t, "Value", row.got.Value(), row.want)
		expectEqual(t, "Float", row.got.Float(), row.real)
	}
	expectCode(t, failing(Add(Num(1), Num(2))), ErrInvalidArgument)
}

func TestText(t *testing.T) {
	x := must[*Array](t)(FromSlice(cpu(t), []float32{0.5, 1}))
	expectEqual(t, "String", x.String(), "[0.5 1. ]")
	expectEqual(t, "Repr", must[string](t)(x.Text(PrintOptions{Repr: true})), "array([0.5, 1. ], dtype=float32)")
	third := must[*Array](t)(Divide(must[*Array](t)(cpu(t).Ones(Default, 1)), Num(3)))
	expectEqual(t, "Precision", must[string](t)(third.Text(PrintOptions{Precision: 2})), "[0.33]")
	x.Close()
	if text := x.String(); !strings.HasPrefix(text, "<") {
		t.Error(text)
	}
}
