// samples/standardize_go/main.go -- one program for machines with a GPU and without: standardizes columns, in Go.

// Standardize_go makes a matrix with missing values on the device it is asked for, or on the CPU where that cannot
// work, brings every column to mean 0 and standard deviation 1 with 0 for what was missing, and writes the result as
// .npy.
//
// usage: standardize_go [DEVICE [OUTPUT.npy [ROWS COLUMNS]]], by default cuda standardized.npy 1000 100000
package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"

	gp "gpuopt.invalid/gpuopt/bindings/go"
)

// genData gives a matrix of 0, 1, 2 and NaN, as numpy.random.RandomState(1).choice([0, 1, 2, nan], (rows, columns))
// does.
func genData(xp *gp.Device, rows, columns int) (*gp.Array, error) {
	choices, err := gp.FromSlice(xp, []float64{0, 1, 2, math.NaN()})
	if err != nil {
		return nil, err
	}
	defer choices.Close()
	rng, err := gp.NewRandomState(xp, 1)
	if err != nil {
		return nil, err
	}
	defer rng.Close()
	return rng.Choice(choices, true, nil, rows, columns)
}

// unitStandardize brings each column of a to mean 0 and standard deviation 1, in place; missing values become 0.
func unitStandardize(a *gp.Array) error {
	if a.DType() != gp.Float64 && a.DType() != gp.Float32 {
		return errors.New("a must be a float in order to standardize in place.")
	}
	missing, err := gp.IsNaN(a)
	if err != nil {
		return err
	}
	defer missing.Close()
	std, err := gp.NanStd(a, gp.Axes(0))
	if err != nil {
		return err
	}
	defer std.Close()
	mean, err := gp.NanMean(a, gp.Axes(0))
	if err != nil {
		return err
	}
	defer mean.Close()
	constant, err := gp.Equal(std, gp.Num(0))
	if err != nil {
		return err
	}
	defer constant.Close()
	if err := std.MaskAssign(constant, gp.Num(math.Inf(1))); err != nil { // avoid dividing by 0
		return err
	}
	if err := gp.SubtractInto(a, mean, a); err != nil {
		return err
	}
	if err := gp.DivideInto(a, std, a); err != nil {
		return err
	}
	return a.MaskAssign(missing, gp.Num(0))
}

// printCorner says where the array lives and what it is, and prints its first three rows and columns.
func printCorner(a *gp.Array) error {
	corner, err := a.At(gp.Range(0, 3), gp.Range(0, 3))
	if err != nil {
		return err
	}
	defer corner.Close()
	text, err := corner.Text(gp.PrintOptions{})
	if err != nil {
		return err
	}
	fmt.Printf("%v array of %d x %d on %s\n%s\n", a.DType(), a.Shape()[0], a.Shape()[1], a.Device().Name(), text)
	return nil
}

func run(request, output, height, width string) error {
	rows, err := strconv.Atoi(height)
	if err != nil {
		return err
	}
	columns, err := strconv.Atoi(width)
	if err != nil {
		return err
	}
	xp, err := gp.Open(request)
	if err != nil {
		return err
	}
	fmt.Printf("asked for %s, using %s\n", request, xp.Name())
	a, err := genData(xp, rows, columns)
	if err != nil {
		return err
	}
	defer a.Close()
	for _, step := range []func(*gp.Array) error{printCorner, unitStandardize, printCorner} {
		if err := step(a); err != nil {
			return err
		}
	}
	if err := a.SaveNpy(output); err != nil {
		return err
	}
	fmt.Println("wrote", output)
	return nil
}

func main() {
	arguments := []string{"cuda", "standardized.npy", "1000", "100000"}
	copy(arguments, os.Args[1:])
	if err := run(arguments[0], arguments[1], arguments[2], arguments[3]); err != nil {
		fmt.Fprintln(os.Stderr, "standardize_go:", err)
		os.Exit(1)
	}
}
