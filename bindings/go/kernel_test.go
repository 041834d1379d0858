// bindings/go/kernel_test.go -- kernels of one's own, as far as that needs no compiler.

package gpuopt

import (
	"strings"
	"testing"
)

// expectError wants an error of this code, whose message has these words.
func expectError(t *testing.T, err error, code Code, words ...string) {
	t.Helper()
	expectCode(t, err, code)
	for _, word := range words {
		if err != nil && !strings.Contains(err.Error(), word) {
			t.Errorf("%v has no %s", err, word)
		}
	}
}

func elementwise(t *testing.T, inputs, outputs, text, name string, options ...KernelOption) *Kernel {
	t.Helper()
	return must[*Kernel](t)(NewElementwiseKernel(inputs, outputs, text, name, options...))
}

func total(t *testing.T) *Kernel {
	t.Helper()
	return must[*Kernel](t)(NewReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total"))
}

func TestMakingKernels(t *testing.T) {
	plus := elementwise(t, "T x, T y", "T z", "z = x + y", "plus")
	expectEqual(t, "inputs and outputs", []int{plus.NIn(), plus.NOut()}, []int{2, 1})
	made := func(inputs, outputs, name string, options ...KernelOption) error {
		return failing(NewElementwiseKernel(inputs, outputs, "", name, options...))
	}
	expectError(t, made("float32", "T y", "k"), ErrInvalidArgument, "k", "Syntax error", `"float32"`)
	expectError(t, made("float x", "T y", "k"), ErrInvalidArgument, "Wrong type float")
	expectError(t, made("T x", "T x", "k"), ErrInvalidArgument, `two parameters are named "x"`)
	expectError(t, made("T x", "T y", "my kernel"), ErrInvalidArgument, `"my kernel"`)
	expectError(t, made("T x", "T y", "k", Preamble("a\x00b")), ErrInvalidArgument, "NUL", `a\x00b`)
	_, err := NewReductionKernel("T x", "T y", "x", "", "y = a", "0", "empty")
	expectError(t, err, ErrInvalidArgument, "empty: ", "cannot be empty")
}

func TestArgumentsOfKernels(t *testing.T) {
	plus, x := elementwise(t, "T x, T y", "T z", "z = x + y", "plus"), counting(t, 3)
	expectError(t, failing(plus.Call(x)), ErrInvalidArgument, "plus: Wrong number of inputs: 1, but it has 2")
	expectError(t, failing(plus.Call(x, x, x)), ErrInvalidArgument, "Wrong number of inputs: 3")
	expectError(t, plus.CallInto(nil, x, x), ErrInvalidArgument, "Wrong number of outputs: 0, but it has 1")
	expectError(t, plus.CallInto([]*Array{x, x}, x), ErrInvalidArgument, "Wrong number of inputs: 1")
	readOnly := must[*Array](t)(x.BroadcastTo(2, 3))
	expectError(t, plus.CallInto([]*Array{readOnly}, x, Num(1)), ErrReadOnly, "plus", "output z")
	square := elementwise(t, "raw T x", "T y", "y = x[i] * x[i]", "square")
	expectError(t, failing(square.Call(x)), ErrInvalidArgument, "square", "Loop size is undecided")
	expectError(t, failing(square.Sized(3).BlockSize(33).Call(x)), ErrInvalidArgument, "block_size is 33")
	count := elementwise(t, "int64 n", "int64 y", "y = n * i", "count")
	expectError(t, failing(count.Sized(3).Call(Num(2))), ErrInvalidArgument, "count", "no argument is an array")
	expectError(t, failing(total(t).Over(Axes(2)).Call(x)), ErrIndex, "total")
	expectError(t, failing(total(t).Over(Accumulate(Float64)).Call(x)), ErrInvalidArgument, "total", "without dtype")
	expectError(t, failing(total(t).Over(Correction(1)).Call(x)), ErrInvalidArgument, "correction")
	expectError(t, failing(square.BlockSize(64).Over(Axes(0)).Call(x)), ErrInvalidArgument, "no axes to reduce")
}

func TestClosedAndNilKernels(t *testing.T) {
	plus, x := elementwise(t, "T x, T y", "T z", "z = x + y", "plus"), counting(t, 3)
	for what, err := range map[string]error{
		"kernel": failing((*Kernel)(nil).Call(x)), "into": (*Kernel)(nil).CallInto(nil),
		"launch": failing(Launch{}.Call(x)),
		"input":  failing(plus.Call(x, nil)), "array": failing(plus.Call(x, (*Array)(nil))),
		"output": plus.CallInto([]*Array{nil}, x, x),
	} {
		expectCode(t, err, ErrInvalidArgument)
		if !strings.Contains(err.Error(), " is nil") {
			t.Errorf("%s: %v", what, err)
		}
	}
	device := cpu(t)
	device.Close()
	expectError(t, failing(plus.Sized(1).On(device).Call(Num(1), Num(2))), ErrInvalidArgument, "the device is closed")
	plus.Close()
	plus.Close()
	expectError(t, failing(plus.Call(x, x)), ErrInvalidArgument, "the kernel is closed")
}

func TestNoCompiler(t *testing.T) {
	t.Setenv("GPUOPT_JIT_POLICY", "off") // no other test runs beside this one
	err := failing(elementwise(t, "T x", "T y", "y = x", "copy").Call(counting(t, 3)))
	expectError(t, err, ErrJITUnavailable, "copy")
}

const affineText = "template <class T> T affine(T x, T y) { return 3 * x - y; }"

func affine(t *testing.T) *Ufunc {
	t.Helper()
	return must[*Ufunc](t)(NewUfunc(affineText, "affine", "int64,int64->int64; float64,float64->float64", ""))
}

func TestMakingFunctions(t *testing.T) {
	expectEqual(t, "inputs and outputs", []int{affine(t).NIn(), affine(t).NOut()}, []int{2, 1})
	ufunc := func(types string) error { return failing(NewUfunc("", "f", types, "")) }
	expectError(t, ufunc(""), ErrInvalidArgument, "f", "no types")
	expectError(t, ufunc("real->real"), ErrInvalidArgument, "Wrong type real")
	expectError(t, ufunc("int8->int8\x00"), ErrInvalidArgument, "NUL")
	expectError(t, failing(NewGufunc("", "g", "int8->int8", "(n)->(k)")), ErrInvalidArgument, "dimension k")
	stencil := func(body string, options ...StencilOption) error {
		return failing(NewStencil("T a, int64 k", "T out", body, "s", options...))
	}
	expectError(t, stencil("return a[k];"), ErrInvalidArgument, "s", "neighborhood")
	expectError(t, stencil("return a[k];", Neighborhood([2]int{1, -1})), ErrInvalidArgument, "from 1 to -1")
	expectError(t, stencil("return a[0];", Edge(9)), ErrInvalidArgument, "9 is no")
}

func TestArgumentsOfFunctions(t *testing.T) {
	x, y := counting(t, 2, 2), counting(t, 3)
	expectError(t, failing(affine(t).Call(x)), ErrInvalidArgument, "affine: Wrong number of inputs: 1, but it has 2")
	expectError(t, failing(affine(t).Reduce(x)), ErrInvalidArgument, "not reorderable")
	expectError(t, failing(affine(t).Reduce(x, Correction(1))), ErrInvalidArgument, "correction")
	expectError(t, failing(affine(t).Accumulate(x, 2)), ErrIndex, "axis")
	far := must[*Array](t)(FromSlice(cpu(t), []int64{3}))
	expectError(t, affine(t).At(y, far, Num(1)), ErrIndex, "index 3", "size 3")
	expectError(t, affine(t).At(y, far), ErrInvalidArgument, "values")
	expectError(t, affine(t).At(y, far, y, y), ErrInvalidArgument, "or none")
	expectError(t, failing((*Ufunc)(nil).Outer(x, x)), ErrInvalidArgument, "nil")
	closed := affine(t)
	closed.Close()
	expectError(t, failing(closed.Outer(x, x)), ErrInvalidArgument, "closed")
}

func TestCompiledErrors(t *testing.T) {
	made := func(name, signature string) error { return failing(NewCfunc("", name, signature)) }
	expectError(t, made("f", "float64"), ErrInvalidArgument, "f: Syntax error")
	expectError(t, made("f", "real->real"), ErrInvalidArgument, "Wrong type real")
	expectError(t, made("f\x00", "->void"), ErrInvalidArgument, "NUL")
	expectError(t, LoadBundle("/nonexistent/bundle"), ErrIO, "/nonexistent/bundle")
	expectError(t, LoadBundleBytes([]byte("no bundle")), ErrFormat, "bundle")
	expectError(t, LoadBundleBytes(nil), ErrInvalidArgument, "NULL")
	expectError(t, BuildBundle("/nonexistent/record", "/nonexistent/bundle"), ErrIO, "/nonexistent/record")
}
