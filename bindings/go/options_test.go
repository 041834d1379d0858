// bindings/go/options_test.go -- options of reductions and operations, queries of streams and devices.

package gpuopt

import (
	"errors"
	"testing"
)

// tried fails the test if a call failed.
func tried[T any](t *testing.T) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func expectFloats(t *testing.T, got []float64, want ...float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%v, not %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%v, not %v", got, want)
		}
	}
}

func TestReductionsTakeOptions(t *testing.T) {
	cpu := tried[*Device](t)(Open("cpu"))
	x := tried[*Array](t)(FromSlice(cpu, []float64{1, 5, 3, 4, 2, 6}, 2, 3))
	mask := tried[*Array](t)(Greater(x, Num(2)))
	expectFloats(t, floats(t, tried[*Array](t)(Sum(x, Axes(0), Only(mask), Initial(Num(10))))), 14, 15, 19)
	expectFloats(t, floats(t, tried[*Array](t)(Mean(x, Axes(1), Only(mask)))), 4, 5)
	expectFloats(t, floats(t, tried[*Array](t)(Max(x, Axes(1), Only(mask), Initial(Num(5.5))))), 5.5, 6)
	if _, err := Max(x, Only(mask)); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	if _, err := Median(x, Only(mask)); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	out := tried[*Array](t)(FromSlice(cpu, []float64{0, 0, 0}, 3))
	if _, err := Sum(x, Axes(0), Out(out)); err != nil {
		t.Fatal(err)
	}
	expectFloats(t, floats(t, out), 5, 7, 9)
	if _, err := Sum(x, Out(out)); !errors.Is(err, ErrShape) {
		t.Fatal(err)
	}
}

func TestOperationsTakeOptions(t *testing.T) {
	cpu := tried[*Device](t)(Open("cpu"))
	x := tried[*Array](t)(FromSlice(cpu, []float64{1.5, 2.5}, 2))
	mask := tried[*Array](t)(Greater(x, Num(2)))
	expectFloats(t, floats(t, tried[*Array](t)(ApplyWith("add", ApplyOptions{Where: mask}, x, Num(1)))), 0, 3.5)
	out := tried[*Array](t)(FromSlice(cpu, []float64{7, 7, 7, 7}, 2, 2))
	if _, err := ApplyWith("multiply", ApplyOptions{Where: mask, Out: out}, x, Num(2)); err != nil {
		t.Fatal(err)
	}
	expectFloats(t, floats(t, out), 7, 5, 7, 5)
	whole := tried[*Array](t)(FromSlice(cpu, []int64{0, 0}, 2))
	if _, err := ApplyWith("add", ApplyOptions{Out: whole}, x, x); !errors.Is(err, ErrType) {
		t.Fatal(err)
	}
	if _, err := ApplyWith("add", ApplyOptions{Out: whole, Casting: CastUnsafe}, x, x); err != nil {
		t.Fatal(err)
	}
	if _, err := ApplyWith("no such", ApplyOptions{}, x); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
}

func TestDevicesAndStreamsAnswerQueries(t *testing.T) {
	cpu := tried[*Device](t)(Open("cpu"))
	stream := tried[*Stream](t)(cpu.NewStream())
	event := tried[*Event](t)(stream.Record())
	if !tried[bool](t)(stream.Done()) || !tried[bool](t)(event.Done()) || tried[uintptr](t)(stream.Native()) != 0 {
		t.Fatal("a stream of the CPU is not done, or has a handle")
	}
	if tried[int64](t)(cpu.Attribute(Processors)) < 1 {
		t.Fatal("no processors")
	}
	if tried[int64](t)(cpu.Attribute(MemoryFree)) > tried[int64](t)(cpu.Attribute(MemoryTotal)) {
		t.Fatal("more memory is free than there is")
	}
	if _, err := cpu.Attribute(WarpSize); !errors.Is(err, ErrUnsupported) {
		t.Fatal(err)
	}
}
