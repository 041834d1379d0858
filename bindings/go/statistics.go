// bindings/go/statistics.go -- differences, integrals, weighted means and covariances.

package gpuopt

// #include "shim.h"
import "C"

import "unsafe"

// Diff gives x[i + 1] - x[i] along an axis, n times; of bool whether the two differ. Operands that are not nil are
// joined to the ends first.
func (x *Array) Diff(n, axis int, before, after Operand) (*Array, error) {
	all := []Operand{x}
	first, last := 0, 0
	if before != nil {
		all = append(all, before)
		first = len(all) - 1
	}
	if after != nil {
		all = append(all, after)
		last = len(all) - 1
	}
	return giveJoined(all, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_diff(x[0], C.int64_t(n), C.int64_t(axis), given(x, first), given(x, last), r, e)
	})
}

// given gives the handle at a place; the place 0 stands for none.
func given(raws []C.gpuopt_array, place int) C.gpuopt_array {
	if place == 0 {
		return nil
	}
	return raws[place]
}

// Trapezoid gives the integral along an axis by the trapezoidal rule: of points at x, or at the distance dx if x is
// nil.
func (y *Array) Trapezoid(x *Array, dx float64, axis int) (*Array, error) {
	all := []Operand{y}
	if x != nil {
		all = append(all, x)
	}
	return giveJoined(all, func(y []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_trapezoid(y[0], optional(y, 1), C.double(dx), C.int64_t(axis), r, e)
	})
}

// Average gives the mean, each element counted by its weight. Runs.
func Average(x, weights *Array, options ...ReduceOption) (*Array, error) {
	axes, how, done, err := collect(options)
	if err != nil {
		return nil, err
	}
	defer done()
	return x.makeWith(weights, func(raw, w C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_average(raw, w, axes, how, r, e)
	})
}

// CovOptions says how [Cov] reads its operands.
type CovOptions struct {
	Columns            bool    // the variables are columns, not rows
	Bias               float64 // the divisor is n - 1 + Bias
	FWeights, AWeights *Array  // how often each observation is there, and its weight
}

// Cov gives the covariance matrix of variables, which are rows of x and, unless it is nil, of y. Runs.
func Cov(x, y *Array, how CovOptions) (*Array, error) {
	all, places := []Operand{x}, [3]int{}
	for i, other := range []*Array{y, how.FWeights, how.AWeights} {
		if other != nil {
			all = append(all, other)
			places[i] = len(all) - 1
		}
	}
	return giveJoined(all, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		options := C.gpuopt_cov_options{columns: flag(how.Columns), bias: C.double(how.Bias)}
		options.struct_size = C.uint32_t(unsafe.Sizeof(options))
		options.fweights, options.aweights = given(x, places[1]), given(x, places[2])
		return C.gpuopt_cov(x[0], given(x, places[0]), &options, r, e)
	})
}

// CorrCoef is [Cov] divided by the standard deviations. Runs.
func CorrCoef(x, y *Array, columns bool) (*Array, error) {
	all := []Operand{x}
	if y != nil {
		all = append(all, y)
	}
	return giveJoined(all, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_corrcoef(x[0], optional(x, 1), flag(columns), r, e)
	})
}
