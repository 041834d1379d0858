// bindings/go/expr_test.go -- expressions: what they give, what they store, and that each is used once.

package gpuopt

import (
	"runtime/debug"
	"testing"
)

// spent counts the programs and the allocations of memory that a line takes.
func spent(t *testing.T, xp *Device, line func() error) (programs, allocations uint64) {
	t.Helper()
	engine, _ := xp.EngineStats()
	memory, _ := xp.MemoryStats()
	if err := line(); err != nil {
		t.Error(err)
	}
	engineNow, _ := xp.EngineStats()
	memoryNow, _ := xp.MemoryStats()
	return engineNow.Programs - engine.Programs, memoryNow.Allocations - memory.Allocations
}

func evaluated(t *testing.T, x *Expr) *Array {
	t.Helper()
	y, err := x.Eval()
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// number ends an expression with a number.
func number(x *Expr) error {
	_, err := x.Float()
	return err
}

// array ends an expression with an array.
func array(x *Expr) error {
	y, err := x.Eval()
	if err == nil {
		y.Close()
	}
	return err
}

func TestExpressionsStoreTheirResultAlone(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // without the collector
	xp, err := Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	x := evaluated(t, Of(counting(t, 10000)).Multiply(Num(0.5)))
	y := evaluated(t, Of(counting(t, 10000)).Multiply(Num(0.25)).Add(Num(2)))
	lines := map[string]func() error{
		"mean square": func() error { return number(Of(x).Subtract(y).Square().Mean()) },
		"product":     func() error { return number(Of(x).Subtract(y).Multiply(Of(x).Subtract(y)).Sum()) },
		"length":      func() error { return array(Of(x).Square().Add(Of(y).Square()).Sqrt()) },
		"extreme":     func() error { return number(Of(x).Subtract(y).Abs().Max()) },
		"function":    func() error { return array(Of(x).Subtract(y).Then(Tanh).AsType(Float32)) },
		"operand":     func() error { return array(made(Where(Of(x).Greater(y), Of(x).Add(Num(1)), y))) },
		"all":         func() error { return number(Of(x).Add(y).Greater(Num(-1)).All()) },
		"spread":      func() error { return array(Of(x).Remainder(Num(7)).Maximum(y).Divide(Of(y).Add(Num(1)))) },
		"polynomial": func() error {
			return array(Of(x).Multiply(Num(2)).Add(Of(y).Multiply(Num(3))).Subtract(Num(1)))
		},
		"quotients":  func() error { return array(Of(x).Add(Num(1)).Divide(Of(y).Add(Num(2))).Divide(y)) },
		"decay":      func() error { return array(Of(x).Subtract(y).Abs().Negative().Exp()) },
		"least":      func() error { return number(Of(x).Add(Num(1)).Multiply(Of(y).Subtract(Num(1))).Min()) },
		"any":        func() error { return number(Of(x).Subtract(y).Greater(Num(0)).Any()) },
		"narrowed":   func() error { return array(Of(x).Multiply(y).Sqrt().Less(Of(y).Add(Num(9))).AsType(Int8)) },
		"root":       func() error { return number(Of(x).Subtract(y).Square().Mean().Sqrt()) },
		"logarithm":  func() error { return number(Of(x).Add(y).Divide(Of(y).Add(Num(2))).Then(Log1p).Sum()) },
		"cube":       func() error { return array(Of(x).Subtract(Num(3)).Multiply(Of(x).Square()).Add(Num(2))) },
		"minimum":    func() error { return array(Of(x).Minimum(Of(y).Multiply(Num(2))).Subtract(Num(4))) },
		"sum of two": func() error { return number(Of(x).Multiply(y).Add(Of(x).Multiply(Num(2))).Sum()) },
		"greatest":   func() error { return number(Of(x).Multiply(Num(2)).Maximum(Of(y).Negative()).Max()) },
	}
	for name, line := range lines {
		programs, allocations := spent(t, xp, line)
		if programs != 1 || allocations != 1 {
			t.Errorf("%s: %d programs and %d allocations, not one of each", name, programs, allocations)
		}
	}
	// In contrast: functions leave what is between them to the collector, and it is stored.
	_, allocations := spent(t, xp, func() error {
		difference, err := Subtract(x, y)
		if err != nil {
			return err
		}
		square, err := Square(difference)
		if err != nil {
			return err
		}
		err = Eval(square)
		_ = difference.Shape()
		return err
	})
	if allocations != 2 {
		t.Errorf("%d allocations by functions, not 2", allocations)
	}
}

func TestExpressionsGiveWhatFunctionsGive(t *testing.T) {
	x := counting(t, 2, 3)
	y, err := Of(x).Add(Num(1)).Multiply(Of(x).Negative()).Array()
	if err != nil {
		t.Fatal(err)
	}
	expectEqual(t, "product", must[[]float64](t)(ToSlice[float64](y)), []float64{0, -2, -6, -12, -20, -30})
	sums := evaluated(t, Of(x).Sum(Axes(1), KeepDims()))
	expectEqual(t, "sums", must[[]float64](t)(ToSlice[float64](sums)), []float64{3, 12})
	top, err := Of(x).With(func(x *Array) (*Array, error) { return x.T() }).Max().Float()
	if err != nil || top != 5 {
		t.Error(top, err)
	}
	same, err := Of(x).Array()
	if err != nil {
		t.Fatal(err)
	}
	same.Close()
	expectEqual(t, "the caller's array", x.Shape(), []int{2, 3})
}

func TestExpressionsCarryTheFirstError(t *testing.T) {
	x, three := counting(t, 2), counting(t, 3)
	expectCode(t, number(Of(x).Add(three).Square().Sum()), ErrShape)
	expectCode(t, number(Of(x).Multiply(Of(x).Add(three)).Sum()), ErrShape)
	expectCode(t, array(Of(nil).Add(x)), ErrInvalidArgument)
	expectCode(t, array(Of(x).Add(nil)), ErrInvalidArgument)
	once := Of(x).Add(Num(1))
	if err := array(once); err != nil {
		t.Error(err)
	}
	expectCode(t, array(once), ErrInvalidArgument)
	expectCode(t, array(Of(x).Add(once)), ErrInvalidArgument)
	Of(x).Add(Num(1)).Discard()
	xp, _ := Open("cpu")
	memory, _ := xp.MemoryStats()
	expectCode(t, array(Of(three).Add(Num(1)).Add(Of(x).Add(three).Add(Num(2)))), ErrShape)
	after, _ := xp.MemoryStats()
	if after.InUse > memory.InUse {
		t.Errorf("%d bytes are left of a line that failed", after.InUse-memory.InUse)
	}
}
