// bindings/go/signal.go -- gradients, interpolation, convolutions and phases.

package gpuopt

// #include "shim.h"
import "C"

// Gradient gives the derivative along an axis of points at coordinates or, if that is nil, at a distance; edgeOrder is
// 1 or 2.
func (x *Array) Gradient(coordinates *Array, spacing float64, axis, edgeOrder int) (*Array, error) {
	all := []Operand{x}
	if coordinates != nil {
		all = append(all, coordinates)
	}
	return giveJoined(all, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_gradient(x[0], optional(x, 1), C.double(spacing), C.int64_t(axis), C.int32_t(edgeOrder), r, e)
	})
}

// Interp gives the values at x of the piecewise linear function through the points (xp, fp); left and right are those
// below and above all points, and the outermost ones if nil. Runs.
func Interp(x, xp, fp *Array, left, right *Scalar) (*Array, error) {
	return giveJoined([]Operand{x, xp, fp}, func(x []C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		var ends [2]*C.gpuopt_scalar
		for i, end := range []*Scalar{left, right} {
			if end != nil {
				ends[i] = &end.raw
			}
		}
		return C.gpuopt_interp(x[0], x[1], x[2], ends[0], ends[1], nil, r, e)
	})
}

// InterpPeriodic is [Interp] of a function that repeats itself after each period; xp need not be sorted. Runs.
func InterpPeriodic(x, xp, fp *Array, period float64) (*Array, error) {
	return giveJoined([]Operand{x, xp, fp}, func(x []C.gpuopt_array, r *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		span := C.double(period)
		return C.gpuopt_interp(x[0], x[1], x[2], nil, nil, &span, r, e)
	})
}

// A ConvolveMode says which elements of a convolution are computed.
type ConvolveMode int32

const (
	ConvolveFull  ConvolveMode = C.GPUOPT_CONVOLVE_FULL  // all
	ConvolveSame  ConvolveMode = C.GPUOPT_CONVOLVE_SAME  // as many as the longer operand has, in the middle
	ConvolveValid ConvolveMode = C.GPUOPT_CONVOLVE_VALID // where the shorter operand lies inside the longer one
)

// Convolve gives the convolution of arrays of one dimension.
func Convolve(x, y *Array, mode ConvolveMode) (*Array, error) {
	return x.makeWith(y, func(x, y C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_convolve(x, y, C.gpuopt_convolve_mode(mode), r, e)
	})
}

// Correlate gives the cross-correlation of arrays of one dimension.
func Correlate(x, y *Array, mode ConvolveMode) (*Array, error) {
	return x.makeWith(y, func(x, y C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_correlate(x, y, C.gpuopt_convolve_mode(mode), r, e)
	})
}

// A ConvolveMethod says how [ConvolveND] computes.
type ConvolveMethod int32

const (
	ConvolveAuto   ConvolveMethod = C.GPUOPT_CONVOLVE_AUTO   // in the way that is likely to take less time
	ConvolveDirect ConvolveMethod = C.GPUOPT_CONVOLVE_DIRECT // each element as a sum of products
	ConvolveFFT    ConvolveMethod = C.GPUOPT_CONVOLVE_FFT    // by Fourier transforms
)

// ConvolveND gives the convolution along all axes; [ConvolveSame] is the size of x.
func ConvolveND(x, y *Array, mode ConvolveMode, method ConvolveMethod) (*Array, error) {
	return x.makeWith(y, func(x, y C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_convolve_nd(x, y, C.gpuopt_convolve_mode(mode), C.gpuopt_convolve_method(method), r, e)
	})
}

// CorrelateND gives the cross-correlation along all axes; [ConvolveSame] is the size of x.
func CorrelateND(x, y *Array, mode ConvolveMode, method ConvolveMethod) (*Array, error) {
	return x.makeWith(y, func(x, y C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_correlate_nd(x, y, C.gpuopt_convolve_mode(mode), C.gpuopt_convolve_method(method), r, e)
	})
}

// ChooseConvMethod says what [ConvolveAuto] stands for.
func ChooseConvMethod(x, y *Array, mode ConvolveMode) (ConvolveMethod, error) {
	var method C.gpuopt_convolve_method
	err := withOperands([]Operand{x, y}, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_choose_conv_method(h[0], h[1], C.gpuopt_convolve_mode(mode), &method, e)
	})
	return ConvolveMethod(method), err
}

// Unwrap gives phases without jumps along an axis; a period of 0 is 2 pi, a discont of 0 half of it.
func (x *Array) Unwrap(discont, period float64, axis int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_unwrap(raw, C.double(discont), C.double(period), C.int64_t(axis), r, e)
	})
}

// NanCumSum gives the running sum along an axis, where NaN counts as 0.
func (x *Array) NanCumSum(axis int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_nancumsum(raw, C.int64_t(axis), C.GPUOPT_DTYPE_DEFAULT, r, e)
	})
}

// NanCumProd gives the running product along an axis, where NaN counts as 1.
func (x *Array) NanCumProd(axis int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_nancumprod(raw, C.int64_t(axis), C.GPUOPT_DTYPE_DEFAULT, r, e)
	})
}
