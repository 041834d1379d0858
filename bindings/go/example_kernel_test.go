//go:build !nocompiler

// bindings/go/example_kernel_test.go -- kernels as their user writes them.

package gpuopt_test

import (
	"errors"
	"fmt"
	"log"
	"strings"

	gpuopt "gpuopt.invalid/gpuopt/bindings/go"
)

func ExampleNewElementwiseKernel() {
	squaredDiff, err := gpuopt.NewElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
	if err != nil {
		log.Fatal(err)
	}
	defer squaredDiff.Close()
	x, _ := gpuopt.FromSlice(open(), []float64{1, 2, 4})
	z, err := squaredDiff.Call(x, gpuopt.Num(2))
	fmt.Println(z, err)
	// Output: [1. 0. 4.] <nil>
}

func ExampleNewReductionKernel() {
	l2norm, _ := gpuopt.NewReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
	x, _ := gpuopt.FromSlice(open(), []float64{3, 4, 5, 12}, 2, 2)
	rows, _ := l2norm.Over(gpuopt.Axes(1)).Call(x)
	all, _ := l2norm.Over(gpuopt.KeepDims()).Call(x)
	fmt.Println(rows, all.Shape())
	// Output: [ 5. 13.] [1 1]
}

func ExampleKernel_Sized() {
	neighbours, _ := gpuopt.NewElementwiseKernel("raw T x", "T y", "y = (x[i] + x[i + 1]) / 2", "neighbours")
	x, _ := gpuopt.FromSlice(open(), []float64{1, 2, 4, 8})
	y, _ := neighbours.Sized(3).Call(x)
	fmt.Println(y)
	// Output: [1.5 3.  6. ]
}

func ExampleKernel_CallInto() {
	split, _ := gpuopt.NewElementwiseKernel("T x", "T whole, T rest", "whole = floor(x); rest = x - whole", "split")
	x, _ := gpuopt.FromSlice(open(), []float64{1.25, -1.25, 7.5})
	both, _ := open().Zeros(gpuopt.Float64, 2, 3)
	whole, _ := both.At(gpuopt.At(0))
	rest, _ := both.At(gpuopt.At(1))
	err := split.CallInto([]*gpuopt.Array{whole, rest}, x)
	fmt.Println(both, err)
	// Output:
	// [[ 1.   -2.    7.  ]
	//  [ 0.25  0.75  0.5 ]] <nil>
}

func ExampleKernel_errors() {
	typo, _ := gpuopt.NewElementwiseKernel("T x", "T y", "y = x;\ny = twice(x)", "typo")
	x, _ := open().Ones(gpuopt.Float64, 3)
	_, err := typo.Call(x)
	fmt.Println(errors.Is(err, gpuopt.ErrCompile), strings.Contains(err.Error(), "typo:2:"))
	// Output: true true
}

func ExampleNewRawKernel() {
	saxpy, _ := gpuopt.NewRawKernel(`extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
		for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
	}`, "saxpy")
	x, _ := gpuopt.FromSlice(open(), []float32{1, 2, 3})
	y, _ := gpuopt.FromSlice(open(), []float32{10, 20, 30})
	err := saxpy.Launch(gpuopt.Dim3{X: 1}, gpuopt.Dim3{X: 128}, gpuopt.Value(float32(2)), x, y, gpuopt.Value(int32(3)))
	fmt.Println(y, err)
	// Output: [12. 24. 36.] <nil>
}

func ExampleGetGlobal() {
	scale, _ := gpuopt.NewRawKernel(`__constant__ float factors[4] = {1, 2, 3, 4};
		__global__ void scale(float *x) { x[threadIdx.x] *= factors[threadIdx.x]; }`, "scale")
	factors, _ := gpuopt.GetGlobal[float32](scale, open(), "factors", 0, 4)
	_ = gpuopt.SetGlobal(scale, open(), "factors", 3, []float32{0.5})
	x, _ := open().Full(gpuopt.Float32, gpuopt.Num(2), 4)
	err := scale.Launch(gpuopt.Dim3{X: 1}, gpuopt.Dim3{X: 4}, x)
	fmt.Println(factors, x, err)
	// Output: [1 2 3 4] [2. 4. 6. 1.] <nil>
}
