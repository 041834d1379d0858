// bindings/go/ops_test.go -- every row of ops.def against Go's own arithmetic.

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

var (
	xs = []float64{-2.5, -0.75, 0, 0.3, 0.9, 1.5, 2.5, 30}
	ys = []float64{2, 2.5, -3, 0.3, -0.5, 1.5, 7, -4}
	ms = []int64{0, 1, -5, 12, 7, -64}
	ns = []int64{3, 0, 2, 5, 7, 1}
)

func truth(value bool) float64 { return float64(flag(value)) }
func one(value bool) int64     { return int64(flag(value)) }

// Operations of one input on xs, with what they must give.
var unary = map[string]struct {
	call   func(x Operand) (*Array, error)
	into   func(x Operand, out *Array) error
	oracle func(x float64) float64
	dtype  DType
}{
	"negative":   {Negative, NegativeInto, func(x float64) float64 { return -x }, Float64},
	"positive":   {Positive, PositiveInto, func(x float64) float64 { return x }, Float64},
	"abs":        {Abs, AbsInto, math.Abs, Float64},
	"square":     {Square, SquareInto, func(x float64) float64 { return x * x }, Float64},
	"reciprocal": {Reciprocal, ReciprocalInto, func(x float64) float64 { return 1 / x }, Float64},
	"sqrt":       {Sqrt, SqrtInto, math.Sqrt, Float64},
	"cbrt":       {Cbrt, CbrtInto, math.Cbrt, Float64},
	"ceil":       {Ceil, CeilInto, math.Ceil, Float64},
	"floor":      {Floor, FloorInto, math.Floor, Float64},
	"trunc":      {Trunc, TruncInto, math.Trunc, Float64},
	"round":      {Round, RoundInto, math.RoundToEven, Float64},
	"real":       {Real, RealInto, func(x float64) float64 { return x }, Float64},
	"imag":       {Imag, ImagInto, func(x float64) float64 { return 0 }, Float64},
	"conj":       {Conj, ConjInto, func(x float64) float64 { return x }, Float64},
	"exp":        {Exp, ExpInto, math.Exp, Float64},
	"exp2":       {Exp2, Exp2Into, math.Exp2, Float64},
	"expm1":      {Expm1, Expm1Into, math.Expm1, Float64},
	"log":        {Log, LogInto, math.Log, Float64},
	"log2":       {Log2, Log2Into, math.Log2, Float64},
	"log10":      {Log10, Log10Into, math.Log10, Float64},
	"log1p":      {Log1p, Log1pInto, math.Log1p, Float64},
	"sin":        {Sin, SinInto, math.Sin, Float64},
	"cos":        {Cos, CosInto, math.Cos, Float64},
	"tan":        {Tan, TanInto, math.Tan, Float64},
	"asin":       {Asin, AsinInto, math.Asin, Float64},
	"acos":       {Acos, AcosInto, math.Acos, Float64},
	"atan":       {Atan, AtanInto, math.Atan, Float64},
	"sinh":       {Sinh, SinhInto, math.Sinh, Float64},
	"cosh":       {Cosh, CoshInto, math.Cosh, Float64},
	"tanh":       {Tanh, TanhInto, math.Tanh, Float64},
	"asinh":      {Asinh, AsinhInto, math.Asinh, Float64},
	"acosh":      {Acosh, AcoshInto, math.Acosh, Float64},
	"atanh":      {Atanh, AtanhInto, math.Atanh, Float64},
	"deg2rad":    {Deg2rad, Deg2radInto, func(x float64) float64 { return x * math.Pi / 180 }, Float64},
	"rad2deg":    {Rad2deg, Rad2degInto, func(x float64) float64 { return x * 180 / math.Pi }, Float64},
	"erf":        {Erf, ErfInto, math.Erf, Float64},
	"erfc":       {Erfc, ErfcInto, math.Erfc, Float64},
	"gamma": {Gamma, GammaInto, func(x float64) float64 {
		if x == 0 {
			return math.Inf(1)
		}
		return math.Gamma(x)
	}, Float64},
	"lgamma": {Lgamma, LgammaInto, func(x float64) float64 { l, _ := math.Lgamma(x); return l }, Float64},
	"sign": {Sign, SignInto, func(x float64) float64 {
		return truth(x > 0) - truth(x < 0)
	}, Float64},
	"sinc": {Sinc, SincInto, func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return math.Sin(math.Pi*x) / (math.Pi * x)
	}, Float64},
	"isnan":       {IsNaN, IsNaNInto, func(x float64) float64 { return truth(math.IsNaN(x)) }, Bool},
	"isinf":       {IsInf, IsInfInto, func(x float64) float64 { return truth(math.IsInf(x, 0)) }, Bool},
	"isfinite":    {IsFinite, IsFiniteInto, func(x float64) float64 { return truth(x-x == 0) }, Bool},
	"signbit":     {Signbit, SignbitInto, func(x float64) float64 { return truth(math.Signbit(x)) }, Bool},
	"logical_not": {LogicalNot, LogicalNotInto, func(x float64) float64 { return truth(x == 0) }, Bool},
}

// Operations of two inputs on xs and ys.
var binary = map[string]struct {
	call   func(x1, x2 Operand) (*Array, error)
	into   func(x1, x2 Operand, out *Array) error
	oracle func(x, y float64) float64
	dtype  DType
}{
	"add":          {Add, AddInto, func(x, y float64) float64 { return x + y }, Float64},
	"subtract":     {Subtract, SubtractInto, func(x, y float64) float64 { return x - y }, Float64},
	"multiply":     {Multiply, MultiplyInto, func(x, y float64) float64 { return x * y }, Float64},
	"divide":       {Divide, DivideInto, func(x, y float64) float64 { return x / y }, Float64},
	"floor_divide": {FloorDivide, FloorDivideInto, func(x, y float64) float64 { return math.Floor(x / y) }, Float64},
	"remainder":    {Remainder, RemainderInto, func(x, y float64) float64 { return x - y*math.Floor(x/y) }, Float64},
	"fmod":         {Fmod, FmodInto, math.Mod, Float64},
	"pow":          {Pow, PowInto, math.Pow, Float64},
	"hypot":        {Hypot, HypotInto, math.Hypot, Float64},
	"copysign":     {Copysign, CopysignInto, math.Copysign, Float64},
	"nextafter":    {Nextafter, NextafterInto, math.Nextafter, Float64},
	"logaddexp": {LogAddExp, LogAddExpInto, func(x, y float64) float64 {
		return math.Max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
	}, Float64},
	"atan2": {Atan2, Atan2Into, math.Atan2, Float64},
	"heaviside": {Heaviside, HeavisideInto, func(x, y float64) float64 {
		if x == 0 {
			return y
		}
		return truth(x > 0)
	}, Float64},
	"maximum":       {Maximum, MaximumInto, math.Max, Float64},
	"minimum":       {Minimum, MinimumInto, math.Min, Float64},
	"fmax":          {Fmax, FmaxInto, math.Max, Float64},
	"fmin":          {Fmin, FminInto, math.Min, Float64},
	"equal":         {Equal, EqualInto, func(x, y float64) float64 { return truth(x == y) }, Bool},
	"not_equal":     {NotEqual, NotEqualInto, func(x, y float64) float64 { return truth(x != y) }, Bool},
	"less":          {Less, LessInto, func(x, y float64) float64 { return truth(x < y) }, Bool},
	"less_equal":    {LessEqual, LessEqualInto, func(x, y float64) float64 { return truth(x <= y) }, Bool},
	"greater":       {Greater, GreaterInto, func(x, y float64) float64 { return truth(x > y) }, Bool},
	"greater_equal": {GreaterEqual, GreaterEqualInto, func(x, y float64) float64 { return truth(x >= y) }, Bool},
}

// Operations of two inputs on ms and ns.
var whole = map[string]struct {
	call   func(x1, x2 Operand) (*Array, error)
	into   func(x1, x2 Operand, out *Array) error
	oracle func(m, n int64) int64
	dtype  DType
}{
	"logical_and":         {LogicalAnd, LogicalAndInto, func(m, n int64) int64 { return one(m != 0 && n != 0) }, Bool},
	"logical_or":          {LogicalOr, LogicalOrInto, func(m, n int64) int64 { return one(m != 0 || n != 0) }, Bool},
	"logical_xor":         {LogicalXor, LogicalXorInto, func(m, n int64) int64 { return one((m != 0) != (n != 0)) }, Bool},
	"bitwise_and":         {BitwiseAnd, BitwiseAndInto, func(m, n int64) int64 { return m & n }, Int64},
	"bitwise_or":          {BitwiseOr, BitwiseOrInto, func(m, n int64) int64 { return m | n }, Int64},
	"bitwise_xor":         {BitwiseXor, BitwiseXorInto, func(m, n int64) int64 { return m ^ n }, Int64},
	"bitwise_left_shift":  {BitwiseLeftShift, BitwiseLeftShiftInto, func(m, n int64) int64 { return m << n }, Int64},
	"bitwise_right_shift": {BitwiseRightShift, BitwiseRightShiftInto, func(m, n int64) int64 { return m >> n }, Int64},
}

// checkForms compares an operation as a function, and written into an array of its inputs' dtype.
func checkForms(t *testing.T, name string, like *Array, dtype DType, want []float64, call func() (*Array, error), into func(out *Array) error) {
	t.Helper()
	got := must[*Array](t)(call())
	if got.DType() != dtype {
		t.Errorf("%s is of %v, not %v", name, got.DType(), dtype)
	}
	expectClose(t, name, floats(t, got), want)
	out := must[*Array](t)(like.ZerosLike(Default))
	if err := into(out); err != nil {
		t.Fatalf("%s into: %v", name, err)
	}
	if out.DType() != like.DType() {
		t.Errorf("%s into is of %v", name, out.DType())
	}
	expectClose(t, name+" into", floats(t, out), want)
}

func TestEveryOperation(t *testing.T) {
	xp := cpu(t)
	x, y := must[*Array](t)(FromSlice(xp, xs)), must[*Array](t)(FromSlice(xp, ys))
	m, n := must[*Array](t)(FromSlice(xp, ms)), must[*Array](t)(FromSlice(xp, ns))
	tested := []string{}
	for name, row := range unary {
		want := make([]float64, len(xs))
		for i := range xs {
			want[i] = row.oracle(xs[i])
		}
		tested = append(tested, name)
		checkForms(t, name, x, row.dtype, want,
			func() (*Array, error) { return row.call(x) }, func(out *Array) error { return row.into(x, out) })
	}
	for name, row := range binary {
		want := make([]float64, len(xs))
		for i := range xs {
			want[i] = row.oracle(xs[i], ys[i])
		}
		tested = append(tested, name)
		checkForms(t, name, x, row.dtype, want,
			func() (*Array, error) { return row.call(x, y) }, func(out *Array) error { return row.into(x, y, out) })
	}
	for name, row := range whole {
		want := make([]float64, len(ms))
		for i := range ms {
			want[i] = float64(row.oracle(ms[i], ns[i]))
		}
		tested = append(tested, name)
		checkForms(t, name, m, row.dtype, want,
			func() (*Array, error) { return row.call(m, n) }, func(out *Array) error { return row.into(m, n, out) })
	}

	inverted, clipped, chosen := make([]float64, len(ms)), make([]float64, len(xs)), make([]float64, len(xs))
	for i := range ms {
		inverted[i] = float64(^ms[i])
	}
	for i := range xs {
		clipped[i] = math.Min(math.Max(xs[i], -1), 2)
		chosen[i] = -1
		if xs[i] > ys[i] {
			chosen[i] = xs[i]
		}
	}
	more := must[*Array](t)(Greater(x, y))
	tested = append(tested, "bitwise_invert", "clip", "where")
	checkForms(t, "bitwise_invert", m, Int64, inverted,
		func() (*Array, error) { return BitwiseInvert(m) }, func(out *Array) error { return BitwiseInvertInto(m, out) })
	checkForms(t, "clip", x, Float64, clipped,
		func() (*Array, error) { return Clip(x, Num(-1), Num(2.0)) },
		func(out *Array) error { return ClipInto(x, Num(-1), Num(2.0), out) })
	checkForms(t, "where", x, Float64, chosen,
		func() (*Array, error) { return Where(more, x, Num(-1)) },
		func(out *Array) error { return WhereInto(more, x, Num(-1), out) })
	sort.Strings(tested)
	sameNames(t, tested, OpNames())
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
