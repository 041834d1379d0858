//go:build !nocompiler

// bindings/go/kernel_compiled_test.go -- kernels of one's own that run: they need a compiler, which
// tests/bindings/check.sh looks for.

package gpuopt

import (
	"math"
	"sync"
	"testing"
)

func TestKernelsBroadcast(t *testing.T) {
	squared := elementwise(t, "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
	x := counting(t, 2, 3)
	z := must[*Array](t)(squared.Call(x, counting(t, 3)))
	expectEqual(t, "shape", z.Shape(), []int{2, 3})
	expectEqual(t, "array and row", floats(t, z), []float64{0, 0, 0, 9, 9, 9})
	expectEqual(t, "array and number", floats(t, must[*Array](t)(squared.Call(x, Num(2)))), []float64{4, 1, 0, 1, 4, 9})
	ints := must[*Array](t)(FromSlice(cpu(t), []int32{1, 2}))
	halves := must[*Array](t)(FromSlice(cpu(t), []float32{0.5, 0.25}))
	sum := must[*Array](t)(elementwise(t, "T x, U y", "U z", "z = U(x) + y", "mixed").Call(ints, halves))
	expectEqual(t, "two types", must[[]float32](t)(ToSlice[float32](sum)), []float32{1.5, 2.25})
	expectError(t, failing(squared.Call(ints, x)), ErrType, "squared_diff", "Type is mismatched", "float64", "int32")
	expectError(t, failing(squared.Call(x, counting(t, 2))), ErrShape, "squared_diff", "(2, 3)", "(2,)")
}

func TestOutputsOfKernels(t *testing.T) {
	split := elementwise(t, "T x", "T whole, T rest", "whole = floor(x); rest = x - whole", "split")
	x := must[*Array](t)(FromSlice(cpu(t), []float64{1.25, -1.25, 7.5}))
	parts := must[[]*Array](t)(split.Outputs(x))
	expectEqual(t, "outputs", [][]float64{floats(t, parts[0]), floats(t, parts[1])},
		[][]float64{{1, -2, 7}, {0.25, 0.75, 0.5}})
	both := must[*Array](t)(cpu(t).Zeros(Float64, 2, 3))
	first, second := must[*Array](t)(both.At(At(0))), must[*Array](t)(both.At(At(1)))
	if err := split.CallInto([]*Array{first, second}, x); err != nil {
		t.Fatal(err)
	}
	expectEqual(t, "given", floats(t, both), []float64{1, -2, 7, 0.25, 0.75, 0.5})
	shift := elementwise(t, "T x", "T y", "y = x", "shift")
	from, to := must[*Array](t)(x.At(Range(0, 2))), must[*Array](t)(x.At(Range(1, 3)))
	if err := shift.CallInto([]*Array{to}, from); err != nil {
		t.Fatal(err)
	}
	expectEqual(t, "overlapping", floats(t, x), []float64{1.25, 1.25, -1.25})
	expectError(t, shift.CallInto([]*Array{x}, both), ErrShape, "Out shape is mismatched", "(3,)", "(2, 3)")
	nothing := elementwise(t, "T x", "", "(void)x", "nothing")
	expectEqual(t, "no outputs", len(must[[]*Array](t)(nothing.Outputs(x))), 0)
	expectError(t, failing(nothing.Call(x)), ErrInvalidArgument, "nothing: it has no output")
}

func TestRawParametersOfKernels(t *testing.T) {
	flat := elementwise(t, "raw T a", "T z", "z = a[i]", "flatten")
	matrix := must[*Array](t)(counting(t, 2, 3).T())
	z := must[*Array](t)(flat.Sized(6).BlockSize(64).Call(matrix))
	expectEqual(t, "sized", floats(t, z), []float64{0, 3, 1, 4, 2, 5})
	rank := elementwise(t, "", "int32 y", "y = i", "rank")
	y := must[*Array](t)(rank.Sized(3).On(cpu(t)).Call())
	expectEqual(t, "no arguments", must[[]int32](t)(ToSlice[int32](y)), []int32{0, 1, 2})
}

func TestReductionKernels(t *testing.T) {
	x := counting(t, 3, 4)
	l2norm := must[*Kernel](t)(NewReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm"))
	rows := []float64{math.Sqrt(14), math.Sqrt(126), math.Sqrt(366)}
	expectEqual(t, "rows", floats(t, must[*Array](t)(l2norm.Over(Axes(-1)).Call(x))), rows)
	expectEqual(t, "all", floats(t, must[*Array](t)(l2norm.Call(x))), []float64{math.Sqrt(506)})
	expectEqual(t, "kept", must[*Array](t)(l2norm.Over(Axes(1), KeepDims()).Call(x)).Shape(), []int{3, 1})
	expectEqual(t, "no axis", floats(t, must[*Array](t)(l2norm.Over(Axes()).Call(x))), floats(t, x))
	out := must[*Array](t)(cpu(t).Zeros(Float64, 3))
	if err := l2norm.Over(Axes(1)).CallInto([]*Array{out}, x); err != nil {
		t.Fatal(err)
	}
	expectEqual(t, "given", floats(t, out), rows)

	least := Preamble(`struct Least { T value; long long at; Least() = default;
		__device__ Least(T v, long long k) : value(v), at(k) {} };
		__device__ Least first(const Least &a, const Least &b) { return b.value < a.value ? b : a; }`)
	argmin := must[*Kernel](t)(NewReductionKernel("T x", "int64 y", "Least(x, _J)", "first(a, b)", "y = a.at", "",
		"my_argmin", least, ReduceType("Least")))
	y := must[*Array](t)(FromSlice(cpu(t), []float64{3, 1, 2, 5, 9, -4}, 2, 3))
	at := must[*Array](t)(argmin.Over(Axes(1)).Call(y))
	expectEqual(t, "partial results", must[[]int64](t)(ToSlice[int64](at)), []int64{1, 2})
	none := must[*Array](t)(cpu(t).Zeros(Float64, 0))
	expectError(t, failing(argmin.Call(none)), ErrInvalidArgument, "my_argmin", "no identity")
	expectEqual(t, "nothing", floats(t, must[*Array](t)(l2norm.Call(none))), []float64{0})
}

func TestTextsAroundTheLoop(t *testing.T) {
	options := []KernelOption{Preamble("__device__ int twice(int v) { return 2 * v; }"),
		LoopPrep("int bonus = twice(4);"), AfterLoop("bonus = 0;")}
	kernel := elementwise(t, "int32 x", "int32 z", "z = twice(x) + bonus", "parts", options...)
	x := must[*Array](t)(FromSlice(cpu(t), []int32{0, 1, 2}))
	z := must[*Array](t)(kernel.Call(x))
	expectEqual(t, "parts", must[[]int32](t)(ToSlice[int32](z)), []int32{8, 10, 12})
	bad := elementwise(t, "int32 x", "int32 z", "z = x", "parts", AfterLoop("no_such = 1;"))
	expectError(t, failing(bad.Call(x)), ErrCompile, "parts", "no_such")
	typo := elementwise(t, "T x", "T y", "y = x;\ny = twice(x)", "typo")
	for i := 0; i < 2; i++ {
		expectError(t, failing(typo.Call(x)), ErrCompile, "typo:2:", "twice")
	}
}

func TestGoroutinesShareAKernel(t *testing.T) {
	kernel := elementwise(t, "T x, T y", "T z", "z = x * y + 1", "shared")
	var group sync.WaitGroup
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			dtype := []DType{Float32, Int64}[i%2]
			x, err := cpu(t).Full(dtype, Num(i), 1000)
			if err != nil {
				t.Error(err)
				return
			}
			z, err := kernel.Call(x, Num(i))
			if err != nil {
				t.Error(err)
				return
			}
			for _, value := range floats(t, z) {
				if value != float64(i*i+1) {
					t.Errorf("%d: %g", i, value)
					return
				}
			}
		}(i)
	}
	group.Wait()
}

func TestUfuncs(t *testing.T) {
	x := counting(t, 2, 2)
	expectEqual(t, "a number", floats(t, must[*Array](t)(affine(t).Call(x, Num(1)))), []float64{-1, 2, 5, 8})
	whole := must[*Array](t)(FromSlice(cpu(t), []int32{1, 2}))
	expectEqual(t, "types", must[*Array](t)(affine(t).Call(whole, whole)).DType(), Int64)
	expectEqual(t, "Reduce", floats(t, must[*Array](t)(affine(t).Reduce(x, Axes(0)))), []float64{-2, 0})
	expectEqual(t, "KeepDims", must[*Array](t)(affine(t).Reduce(x, Axes(1), KeepDims())).Shape(), []int{2, 1})
	expectEqual(t, "Accumulate", floats(t, must[*Array](t)(affine(t).Accumulate(x, 1))), []float64{0, -1, 2, 3})
	expectEqual(t, "Outer", must[*Array](t)(affine(t).Outer(x, whole)).Shape(), []int{2, 2, 2})
	y := must[*Array](t)(FromSlice(cpu(t), []float64{1, 2, 3}))
	at := must[*Array](t)(FromSlice(cpu(t), []int64{0, -1, 0}))
	if err := affine(t).At(y, at, Num(1)); err != nil {
		t.Error(err)
	}
	expectEqual(t, "At", floats(t, y), []float64{5, 2, 8})
	negate := must[*Ufunc](t)(NewUfunc("double negate(double x) { return -x; }", "negate", "float64->float64", ""))
	if err := negate.At(y, at); err != nil {
		t.Error(err)
	}
	expectEqual(t, "At without values", floats(t, y), []float64{5, 2, -8})
}

func TestGufuncsAndStencils(t *testing.T) {
	dot := must[*Kernel](t)(NewGufunc(`
		template <class T> void dot(array<const T, 1> x, array<const T, 1> y, array<T, 0> z) {
		z[0] = 0;
		for (int k = 0; k < x.size(); k++) z[0] += x[k] * y[k];
	}`, "dot", "float64,float64->float64", "(n),(n)->()"))
	expectEqual(t, "dot", floats(t, must[*Array](t)(dot.Call(counting(t, 2, 3), counting(t, 3)))), []float64{5, 14})
	expectError(t, failing(dot.Call(counting(t, 2, 3), counting(t, 2))), ErrShape, "core dimension 0", "size 2")

	x := must[*Array](t)(FromSlice(cpu(t), []int64{1, 4, 9, 16}))
	check := func(what string, want []int64, body string, options ...StencilOption) {
		t.Helper()
		stencil := must[*Kernel](t)(NewStencil("T a", "T out", body, "slope", options...))
		expectEqual(t, what, must[[]int64](t)(ToSlice[int64](must[*Array](t)(stencil.Call(x)))), want)
	}
	const slope = "return a[1] - a[-1];"
	check("constant", []int64{0, 8, 12, 0}, slope)
	check("its value", []int64{-7, 8, 12, -7}, slope, EdgeValue(Num(-7)))
	check("reflect", []int64{3, 8, 12, 7}, slope, Edge(EdgeReflect))
	check("nearest", []int64{3, 8, 12, 7}, slope, Edge(EdgeNearest))
	check("wrap", []int64{-12, 8, 12, -8}, slope, Edge(EdgeWrap))
	check("a loop", []int64{0, 5, 13, 25}, "T s = none(); for (int k = -1; k <= 0; k++) s += a[k]; return s;",
		Neighborhood([2]int{-1, 0}), StencilPreamble("long long none() { return 0; }"))
}

func TestCfuncs(t *testing.T) {
	half := must[*Cfunc](t)(NewCfunc("double half(double x) { return x / 2; }", "half", "float64->float64"))
	if half.Address() == nil { // only C can call it, and tests have none
		t.Error("it has no address")
	}
	half.Close()
	if half.Address() != nil {
		t.Error("it has an address when it is closed")
	}
	expectError(t, failing(NewCfunc("double f() {\n  return y;\n}", "f", "->float64")), ErrCompile, "f:2:")
}
