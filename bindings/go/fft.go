// bindings/go/fft.go -- discrete Fourier transforms.

package gpuopt

// #include <gpuopt/gpuopt.h>
import "C"

// An FFTNorm says by what the elements of a transform of n are multiplied.
type FFTNorm int32

const (
	FFTBackward FFTNorm = C.GPUOPT_FFT_BACKWARD // forward transforms by 1, inverse ones by 1/n
	FFTOrtho    FFTNorm = C.GPUOPT_FFT_ORTHO    // both by 1/sqrt(n)
	FFTForward  FFTNorm = C.GPUOPT_FFT_FORWARD  // forward transforms by 1/n, inverse ones by 1
)

// transform calls a function of one axis: n elements along it, or all if n is [None].
func (x *Array) transform(n, axis int, norm FFTNorm, call func(raw C.gpuopt_array, n *C.int64_t, axis C.int64_t,
	norm C.gpuopt_fft_norm, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status) (*Array, error) {
	size := axisOrNil(n)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(raw, size, C.int64_t(axis), C.gpuopt_fft_norm(norm), r, e)
	})
}

// FFT transforms complex numbers along an axis: n of them (the array is cut off there, or followed by zeros), or all if
// n is [None].
func (x *Array) FFT(n, axis int, norm FFTNorm) (*Array, error) {
	return x.transform(n, axis, norm, func(raw C.gpuopt_array, n *C.int64_t, axis C.int64_t, norm C.gpuopt_fft_norm,
		r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_fft(raw, n, axis, norm, r, e)
	})
}

// IFFT is the inverse of FFT.
func (x *Array) IFFT(n, axis int, norm FFTNorm) (*Array, error) {
	return x.transform(n, axis, norm, func(raw C.gpuopt_array, n *C.int64_t, axis C.int64_t, norm C.gpuopt_fft_norm,
		r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ifft(raw, n, axis, norm, r, e)
	})
}

// RFFT transforms real numbers: the first n/2 + 1 elements, from which the others follow.
func (x *Array) RFFT(n, axis int, norm FFTNorm) (*Array, error) {
	return x.transform(n, axis, norm, func(raw C.gpuopt_array, n *C.int64_t, axis C.int64_t, norm C.gpuopt_fft_norm,
		r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_rfft(raw, n, axis, norm, r, e)
	})
}

// IRFFT is the inverse of RFFT: n real numbers, 2 (m - 1) of m if n is [None].
func (x *Array) IRFFT(n, axis int, norm FFTNorm) (*Array, error) {
	return x.transform(n, axis, norm, func(raw C.gpuopt_array, n *C.int64_t, axis C.int64_t, norm C.gpuopt_fft_norm,
		r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_irfft(raw, n, axis, norm, r, e)
	})
}

// HFFT transforms elements with Hermitian symmetry, of which the first n/2 + 1 are given: n real numbers.
func (x *Array) HFFT(n, axis int, norm FFTNorm) (*Array, error) {
	return x.transform(n, axis, norm, func(raw C.gpuopt_array, n *C.int64_t, axis C.int64_t, norm C.gpuopt_fft_norm,
		r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_hfft(raw, n, axis, norm, r, e)
	})
}

// IHFFT is the inverse of HFFT.
func (x *Array) IHFFT(n, axis int, norm FFTNorm) (*Array, error) {
	return x.transform(n, axis, norm, func(raw C.gpuopt_array, n *C.int64_t, axis C.int64_t, norm C.gpuopt_fft_norm,
		r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ihfft(raw, n, axis, norm, r, e)
	})
}

// transformAxes calls a function of several axes.
func (x *Array) transformAxes(s, axes []int, norm FFTNorm, call func(raw C.gpuopt_array, count C.int32_t,
	s, axes *C.int64_t, norm C.gpuopt_fft_norm, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status) (*Array, error) {
	if len(s) > 0 && len(axes) > 0 && len(s) != len(axes) {
		return nil, fail(ErrInvalidArgument, "FFT: %d sizes for %d axes", len(s), len(axes))
	}
	count, list := sizes(s)
	number, places := sizes(axes)
	if list == nil {
		count = number
	}
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(raw, count, list, places, C.gpuopt_fft_norm(norm), r, e)
	})
}

// FFTN transforms along several axes. s has the number of elements of each; nil stands for all. axes nil are the last
// ones, as many as there are numbers in s, or all axes.
func (x *Array) FFTN(s, axes []int, norm FFTNorm) (*Array, error) {
	return x.transformAxes(s, axes, norm, func(raw C.gpuopt_array, count C.int32_t, s, axes *C.int64_t,
		norm C.gpuopt_fft_norm, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_fftn(raw, count, s, axes, norm, r, e)
	})
}

// IFFTN is the inverse of FFTN.
func (x *Array) IFFTN(s, axes []int, norm FFTNorm) (*Array, error) {
	return x.transformAxes(s, axes, norm, func(raw C.gpuopt_array, count C.int32_t, s, axes *C.int64_t,
		norm C.gpuopt_fft_norm, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ifftn(raw, count, s, axes, norm, r, e)
	})
}

// RFFTN transforms real numbers along the last axis, and complex ones along the others.
func (x *Array) RFFTN(s, axes []int, norm FFTNorm) (*Array, error) {
	return x.transformAxes(s, axes, norm, func(raw C.gpuopt_array, count C.int32_t, s, axes *C.int64_t,
		norm C.gpuopt_fft_norm, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_rfftn(raw, count, s, axes, norm, r, e)
	})
}

// IRFFTN is the inverse of RFFTN.
func (x *Array) IRFFTN(s, axes []int, norm FFTNorm) (*Array, error) {
	return x.transformAxes(s, axes, norm, func(raw C.gpuopt_array, count C.int32_t, s, axes *C.int64_t,
		norm C.gpuopt_fft_norm, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_irfftn(raw, count, s, axes, norm, r, e)
	})
}

// FFTFreq makes the frequencies of FFT's elements, for n samples at a distance; [Default] is float64.
func (d *Device) FFTFreq(dtype DType, n int, distance float64) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_fftfreq(raw, C.int64_t(n), C.double(distance), C.gpuopt_dtype(dtype), r, e)
	})
}

// RFFTFreq makes the frequencies of RFFT's elements.
func (d *Device) RFFTFreq(dtype DType, n int, distance float64) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_rfftfreq(raw, C.int64_t(n), C.double(distance), C.gpuopt_dtype(dtype), r, e)
	})
}

// FFTShift moves frequency 0 into the middle of axes, or of all.
func (x *Array) FFTShift(axes ...int) (*Array, error) {
	count, list := sizes(axes)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_fftshift(raw, count, list, r, e)
	})
}

// IFFTShift is the inverse of FFTShift.
func (x *Array) IFFTShift(axes ...int) (*Array, error) {
	count, list := sizes(axes)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ifftshift(raw, count, list, r, e)
	})
}
