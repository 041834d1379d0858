// bindings/go/ops_test.go -- every row of ops.def against numbers that are not the library's.

package gpuopt

import (
	"math"
	"math/cmplx"
	"sort"
	"testing"
)

func cpu(t testing.TB) *Device {
	t.Helper()
	device, err := Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	return device
}

// must gives the value of a call that may not fail.
func must[T any](t testing.TB) func(value T, err error) T {
	t.Helper()
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// floats gives the elements as float64.
func floats(t testing.TB, x *Array) []float64 {
	t.Helper()
	y := must[*Array](t)(x.AsType(Float64)) // x itself, maybe
	defer y.Close()
	return must[[]float64](t)(ToSlice[float64](y))
}

func expectClose(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, not %v", what, got, want)
	}
	for i, w := range want {
		g := got[i]
		same := g == w || math.IsNaN(g) && math.IsNaN(w) || math.Abs(g-w) <= 1e-13+1e-12*math.Abs(w)
		if !same {
			t.Errorf("%s: element %d is %g, not %g", what, i, g, w)
		}
	}
}

func truth(value bool) float64 { return float64(flag(value)) }

// operation is one of the library's: its inputs, slices of float64 or int64, the dtype of the result, what must come
// out and whether exactly, and its two forms.
type operation struct {
	name   string
	inputs []any
	dtype  DType
	exact  bool
	want   []float64
	call   func(x []*Array) (*Array, error)
	into   func(x []*Array, out *Array) error
}

// expect compares with what must come out; NaNs are equal here, and so are zeros.
func (o operation) expect(t *testing.T, what string, got []float64) {
	t.Helper()
	if !o.exact || len(got) != len(o.want) {
		expectClose(t, what, got, o.want)
		return
	}
	for i, w := range o.want {
		if got[i] != w && !(math.IsNaN(got[i]) && math.IsNaN(w)) {
			t.Errorf("%s: element %d is %g, not %g", what, i, got[i], w)
		}
	}
}

// arrays makes the inputs.
func (o operation) arrays(t *testing.T, device *Device) []*Array {
	t.Helper()
	made := []*Array{}
	for _, input := range o.inputs {
		switch data := input.(type) {
		case []float64:
			made = append(made, must[*Array](t)(FromSlice(device, data)))
		case []int64:
			made = append(made, must[*Array](t)(FromSlice(device, data)))
		}
	}
	return made
}

func TestEveryOperation(t *testing.T) {
	xp, tested := cpu(t), []string{}
	for _, o := range operations {
		x := o.arrays(t, xp)
		got := must[*Array](t)(o.call(x))
		if got.DType() != o.dtype {
			t.Errorf("%s is of %v, not %v", o.name, got.DType(), o.dtype)
		}
		o.expect(t, o.name, floats(t, got))
		out := must[*Array](t)(x[0].ZerosLike(Default))
		if err := o.into(x, out); err != nil {
			t.Fatalf("%s into: %v", o.name, err)
		}
		if out.DType() != x[0].DType() {
			t.Errorf("%s into is of %v", o.name, out.DType())
		}
		o.expect(t, o.name+" into", floats(t, out))
		tested = append(tested, o.name)
	}
	sameNames(t, tested, OpNames())
}

func TestNumbersAsOperands(t *testing.T) {
	x := must[*Array](t)(FromSlice(cpu(t), []float64{-2.5, 0.3, 30}))
	expectClose(t, "clip", floats(t, must[*Array](t)(Clip(x, Num(-1), Num(2.0)))), []float64{-1, 0.3, 2})
	positive := must[*Array](t)(Greater(x, Num(0)))
	expectClose(t, "where", floats(t, must[*Array](t)(Where(positive, x, Num(-1)))), []float64{-1, 0.3, 30})
}

// sameNames compares the names of a test's table with those of the library's.
func sameNames(t *testing.T, tested, library []string) {
	t.Helper()
	sort.Strings(tested)
	sort.Strings(library)
	if len(library) == 0 || len(tested) != len(library) {
		t.Fatalf("%d rows are tested, and the library has %d: %v, %v", len(tested), len(library), tested, library)
	}
	for i := range tested {
		if tested[i] != library[i] {
			t.Errorf("tested: %s, in the library: %s", tested[i], library[i])
		}
	}
}

func TestEveryReduction(t *testing.T) {
	data := [][]float64{{3, -1.5, 2, 2}, {0, 0, 0, 0}, {7, 8, 9, 7}}
	fold := func(start float64, step func(a, b float64) float64) func(row []float64) float64 {
		return func(row []float64) float64 {
			result := start
			for _, value := range row {
				result = step(result, value)
			}
			return result
		}
	}
	position := func(better func(a, b float64) bool) func(row []float64) float64 {
		return func(row []float64) float64 {
			best := 0
			for i := range row {
				if better(row[i], row[best]) {
					best = i
				}
			}
			return float64(best)
		}
	}
	least, greatest := fold(math.Inf(1), math.Min), fold(math.Inf(-1), math.Max)
	count := fold(0, func(a, b float64) float64 { return a + truth(b != 0) })
	table := map[string]struct {
		call   func(x *Array, options ...ReduceOption) (*Array, error)
		oracle func(row []float64) float64
		dtype  DType
	}{
		"sum":           {Sum, fold(0, func(a, b float64) float64 { return a + b }), Float64},
		"prod":          {Prod, fold(1, func(a, b float64) float64 { return a * b }), Float64},
		"min":           {Min, least, Float64},
		"max":           {Max, greatest, Float64},
		"nanmin":        {NanMin, least, Float64},
		"nanmax":        {NanMax, greatest, Float64},
		"any":           {Any, func(row []float64) float64 { return truth(count(row) > 0) }, Bool},
		"all":           {All, func(row []float64) float64 { return truth(count(row) == 4) }, Bool},
		"argmin":        {ArgMin, position(func(a, b float64) bool { return a < b }), Int64},
		"argmax":        {ArgMax, position(func(a, b float64) bool { return a > b }), Int64},
		"count_nonzero": {CountNonzero, count, Int64},
	}
	flat, tested := []float64{}, []string{}
	for _, row := range data {
		flat = append(flat, row...)
	}
	x := must[*Array](t)(FromSlice(cpu(t), flat, 3, 4))
	for name, row := range table {
		want := []float64{row.oracle(data[0]), row.oracle(data[1]), row.oracle(data[2])}
		got := must[*Array](t)(row.call(x, Axes(1), KeepDims()))
		if shape := got.Shape(); got.DType() != row.dtype || len(shape) != 2 || shape[0] != 3 || shape[1] != 1 {
			t.Errorf("%s is %v of %v", name, shape, got.DType())
		}
		expectClose(t, name, floats(t, got), want)
		tested = append(tested, name)
	}
	sameNames(t, tested, ReductionNames())
	expectClose(t, "all axes", floats(t, must[*Array](t)(Sum(x))), []float64{36.5})
	expectClose(t, "no axis", floats(t, must[*Array](t)(Sum(x, Axes()))), flat)
}

func TestEveryScan(t *testing.T) {
	x := must[*Array](t)(FromSlice(cpu(t), []float64{1, 2, 3, 4, 5, 6}, 2, 3))
	sums := must[*Array](t)(CumulativeSum(x, 1, Default, true))
	expectClose(t, "cumulative_sum", floats(t, sums), []float64{0, 1, 3, 6, 0, 4, 9, 15})
	products := must[*Array](t)(CumulativeProd(x, 0, Float32, false))
	expectClose(t, "cumulative_prod", floats(t, products), []float64{1, 2, 3, 4, 10, 18})
	if products.DType() != Float32 {
		t.Errorf("%v", products.DType())
	}
	sameNames(t, []string{"cumulative_sum", "cumulative_prod"}, ScanNames())
}

func TestStatistics(t *testing.T) {
	x := must[*Array](t)(FromSlice(cpu(t), []float64{1, 2, math.NaN(), 4, 6, 11}, 2, 3))
	row := must[*Array](t)(x.At(At(1)))
	variance := (9 + 1 + 16) / 3.0
	check := func(what string, want ...float64) func(got *Array, err error) {
		return func(got *Array, err error) {
			t.Helper()
			expectClose(t, what, floats(t, must[*Array](t)(got, err)), want)
		}
	}
	check("mean", 7)(Mean(row))
	check("var", variance)(Var(row))
	check("std", math.Sqrt(variance))(Std(row))
	check("correction", 13)(Var(row, Correction(1)))
	check("accumulate", 7)(Mean(row, Accumulate(Float32)))
	check("nansum", 3, 21)(NanSum(x, Axes(1)))
	check("nanprod", 4, 12, 11)(NanProd(x, Axes(0)))
	check("nanmean", 1.5, 7)(NanMean(x, Axes(1)))
	check("nanvar", 0.25, variance)(NanVar(x, Axes(-1)))
	check("nanstd", 0.5, math.Sqrt(variance))(NanStd(x, Axes(1)))
	check("nanargmin", 0, 0, 1)(NanArgMin(x, Axes(0)))
	check("nanargmax", 1, 2)(NanArgMax(x, Axes(1)))
	check("nan_to_num", 1, 2, 0.5, 4, 6, 11)(NanToNum(x, 0.5, nil, nil))
	two := 2.0
	infinite := must[*Array](t)(FromSlice(cpu(t), []float64{math.Inf(1), math.Inf(-1)}))
	check("infinities", 2, -math.MaxFloat64)(NanToNum(infinite, 0, &two, nil))
	check("isclose", 0, 0, 0, 1, 0, 0)(IsClose(x, Num(4.00001), 1e-5, 0, true))
	check("vector_norm", 21)(VectorNorm(row, 1))
	check("vector_norm", 11)(VectorNorm(row, math.Inf(1), Axes(0)))
}

func TestComplex(t *testing.T) {
	data := []complex128{1 + 2i, -3i, 0.5}
	x := must[*Array](t)(FromSlice(cpu(t), data))
	got := must[[]complex128](t)(ToSlice[complex128](must[*Array](t)(Exp(must[*Array](t)(Multiply(x, Num(1i)))))))
	for i, z := range data {
		if want := cmplx.Exp(z * 1i); cmplx.Abs(got[i]-want) > 1e-14 {
			t.Errorf("element %d is %v, not %v", i, got[i], want)
		}
	}
}
