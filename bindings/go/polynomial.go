// bindings/go/polynomial.go -- polynomials as arrays of coefficients, that of the highest power first.

package gpuopt

// #include "shim.h"
import "C"

// PolyVal gives the polynomial p at each element of x.
func PolyVal(p, x *Array) (*Array, error) {
	return p.makeWith(x, func(p, x C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_polyval(p, x, r, e)
	})
}

// PolyAdd gives the sum of two polynomials.
func PolyAdd(p1, p2 *Array) (*Array, error) {
	return p1.makeWith(p2, func(p1, p2 C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_polyadd(p1, p2, r, e)
	})
}

// PolySub gives the difference of two polynomials.
func PolySub(p1, p2 *Array) (*Array, error) {
	return p1.makeWith(p2, func(p1, p2 C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_polysub(p1, p2, r, e)
	})
}

// PolyMul gives the product of two polynomials. Runs.
func PolyMul(p1, p2 *Array) (*Array, error) {
	return p1.makeWith(p2, func(p1, p2 C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_polymul(p1, p2, r, e)
	})
}

// PolyDiv gives the quotient and the remainder of two polynomials. Runs.
func PolyDiv(p1, p2 *Array) (quotient, remainder *Array, err error) {
	var results [2]C.gpuopt_array
	err = withOperands([]Operand{p1, p2}, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_polydiv(h[0], h[1], &results[0], &results[1], e)
	})
	if err != nil {
		return nil, nil, err
	}
	return newArray(results[0]), newArray(results[1]), nil
}

// PolyDer gives the derivative of order m.
func (x *Array) PolyDer(m int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_polyder(raw, C.int64_t(m), r, e)
	})
}

// PolyInt gives the antiderivative of order m; constants are those of the integrations, one for all of them, or nil for
// zeros.
func (x *Array) PolyInt(m int, constants Operand) (*Array, error) {
	all := []Operand{x}
	if constants != nil {
		all = append(all, constants)
	}
	return giveOf(all, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_polyint(x[0], C.int64_t(m), optional(x, 1), r, e)
	})
}

// A PolyFitted is what [PolyFit] gives: the coefficients, and what [LstSq] says of the system.
type PolyFitted struct{ Coefficients, Residuals, Rank, SingularValues *Array }

// PolyFit gives the polynomial of a degree that is next to points in the sense of least squares. Weights, if not nil,
// multiply the distances; a negative rcond stands for the default. Runs.
func PolyFit(x, y *Array, degree int, weights *Array, rcond float64) (PolyFitted, error) {
	all := []Operand{x, y}
	if weights != nil {
		all = append(all, weights)
	}
	var made [4]C.gpuopt_array
	err := withOperands(all, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_polyfit(h[0], h[1], C.int64_t(degree), tolerance(rcond), optional(h, 2), &made[0], &made[1],
			&made[2], &made[3], e)
	})
	if err != nil {
		return PolyFitted{}, err
	}
	return PolyFitted{newArray(made[0]), newArray(made[1]), newArray(made[2]), newArray(made[3])}, nil
}

// PolyFitCov gives the coefficients and their covariances: unscaled those of weights that are the reciprocals of
// standard deviations. Runs.
func PolyFitCov(x, y *Array, degree int, weights *Array, unscaled bool) (coefficients, covariance *Array, err error) {
	all := []Operand{x, y}
	if weights != nil {
		all = append(all, weights)
	}
	var made [2]C.gpuopt_array
	err = withOperands(all, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_polyfit_cov(h[0], h[1], C.int64_t(degree), nil, optional(h, 2), flag(unscaled), &made[0],
			&made[1], e)
	})
	if err != nil {
		return nil, nil, err
	}
	return newArray(made[0]), newArray(made[1]), nil
}

// Roots gives the zeros of a polynomial, which are complex. Runs.
func (x *Array) Roots() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_roots(raw, r, e)
	})
}

// Poly gives the polynomial with these zeros, or the characteristic polynomial of a matrix. Runs.
func (x *Array) Poly() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_poly(raw, r, e)
	})
}
