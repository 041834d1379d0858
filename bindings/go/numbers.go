// bindings/go/numbers.go -- parts, scales and neighbours of numbers.

package gpuopt

// #include "shim.h"
import "C"

// Frexp gives mantissas of magnitude in [0.5, 1) and powers of two, int32.
func (x *Array) Frexp() (mantissa, exponent *Array, err error) {
	return x.giveTwo(func(raw C.gpuopt_array, m, n *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_frexp(raw, m, n, e)
	})
}

// Ldexp gives x times two to an integer power.
func Ldexp(x *Array, exponent Operand) (*Array, error) {
	both := []Operand{x, exponent}
	return giveOf(both, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ldexp(x[0], x[1], r, e)
	})
}

// Modf gives the parts behind and in front of the point.
func (x *Array) Modf() (fraction, whole *Array, err error) {
	return x.giveTwo(func(raw C.gpuopt_array, f, w *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_modf(raw, f, w, e)
	})
}

// DivMod gives the quotients, rounded towards negative infinity, and the remainders.
func DivMod(x1, x2 Operand) (quotient, remainder *Array, err error) {
	var results [2]C.gpuopt_array
	err = withOperands([]Operand{x1, x2}, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_divmod(h[0], h[1], &results[0], &results[1], e)
	})
	if err != nil {
		return nil, nil, err
	}
	return newArray(results[0]), newArray(results[1]), nil
}

// Spacing gives the distances to the next numbers away from 0.
func (x *Array) Spacing() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_spacing(raw, r, e)
	})
}

// FloatPower gives a power in float64 or complex128.
func FloatPower(x1, x2 Operand) (*Array, error) {
	both := []Operand{x1, x2}
	return giveOf(both, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_float_power(x[0], x[1], r, e)
	})
}

// XLogY gives x times the logarithm of y, and 0 where x is 0.
func XLogY(x, y Operand) (*Array, error) {
	both := []Operand{x, y}
	return giveOf(both, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_xlogy(x[0], x[1], r, e)
	})
}

// Entr gives -x times the logarithm of x, and 0 at 0.
func (x *Array) Entr() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_entr(raw, r, e)
	})
}
