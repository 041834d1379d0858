// bindings/go/example_test.go -- the package as its user writes it; go test compares what is printed.

package gpuopt_test

import (
	"errors"
	"fmt"
	"log"
	"math"

	gpuopt "gpuopt.invalid/gpuopt/bindings/go"
)

// open gives the CPU; a program asks for "cuda", and gets the CPU where that cannot work.
func open() *gpuopt.Device {
	xp, err := gpuopt.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	return xp
}

func Example() {
	xp := open()
	x, err := gpuopt.FromSlice(xp, []float64{1, 4, 9, 16}, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	y, err := gpuopt.Sqrt(x)
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close()
	fmt.Printf("on %s:\n%v\n", xp.Name(), y)
	// Output:
	// on cpu:0:
	// [[1. 2.]
	//  [3. 4.]]
}

func ExampleError() {
	xp := open()
	x, _ := xp.Zeros(gpuopt.Float64, 3)
	y, _ := xp.Zeros(gpuopt.Float64, 2)
	_, err := gpuopt.Add(x, y)
	var e *gpuopt.Error
	fmt.Println(errors.As(err, &e), e.Code, errors.Is(err, gpuopt.ErrShape))
	// Output: true GPUOPT_ERR_SHAPE true
}

func ExampleSum() {
	x, _ := gpuopt.FromSlice(open(), []int32{1, 2, 3, 4, 5, 6}, 2, 3)
	all, _ := gpuopt.Sum(x)
	columns, _ := gpuopt.Sum(x, gpuopt.Axes(0))
	rows, _ := gpuopt.Sum(x, gpuopt.Axes(1), gpuopt.KeepDims())
	fmt.Println(all, columns, rows.Shape())
	// Output: 21 [5 7 9] [2 1]
}

func ExampleArray_At() {
	x, _ := gpuopt.FromSlice(open(), []int32{1, 2, 3, 4, 5, 6}, 2, 3)
	row, _ := x.At(gpuopt.At(0))
	last, _ := x.At(gpuopt.Ellipsis(), gpuopt.At(-1))
	back, _ := x.At(gpuopt.Ellipsis(), gpuopt.Step(gpuopt.None, gpuopt.None, -1))
	fmt.Println(row, last)
	fmt.Println(back)
	// Output:
	// [1 2 3] [3 6]
	// [[3 2 1]
	//  [6 5 4]]
}

func ExampleArray_MaskAssign() {
	x, _ := gpuopt.FromSlice(open(), []float64{1, math.NaN(), 3})
	missing, _ := gpuopt.IsNaN(x)
	if err := x.MaskAssign(missing, gpuopt.Num(0)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output: [1. 0. 3.]
}

func ExampleView() {
	x, _ := open().Zeros(gpuopt.Float32, 4)
	err := gpuopt.View(x, func(elements []float32) error {
		for i := range elements {
			elements[i] = float32(i * i)
		}
		return nil
	})
	fmt.Println(x, err)
	// Output: [0. 1. 4. 9.] <nil>
}

func ExampleRandomState() {
	rng, _ := gpuopt.NewRandomState(open(), 1)
	defer rng.Close()
	x, _ := rng.RandomSample(2) // NumPy's first numbers of seed 1
	fmt.Println(x)
	// Output: [0.417022   0.72032449]
}
