// bindings/go/creation.go -- sequences, grids, windows, views of memory, and the limits of dtypes.

package gpuopt

// #include <gpuopt/gpuopt.h>
import "C"

import "unsafe"

// LinspaceStep makes num numbers of any kind at equal distances, and gives the distance: NaN where there is none.
func (d *Device) LinspaceStep(dtype DType, start, stop Scalar, num int, endpoint bool) (*Array, complex128, error) {
	var step C.gpuopt_scalar
	x, err := d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		to := C.gpuopt_dtype(dtype)
		return C.gpuopt_linspace_step(raw, to, start.raw, stop.raw, C.int64_t(num), flag(endpoint), &step, r, e)
	})
	return x, complex(*(*float64)(unsafe.Pointer(&step.value)), float64(step.imag)), err
}

// Logspace makes base to the powers from start to stop.
func (d *Device) Logspace(dtype DType, start, stop float64, num int, endpoint bool, base float64) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		from, to, n := C.double(start), C.double(stop), C.int64_t(num)
		return C.gpuopt_logspace(raw, C.gpuopt_dtype(dtype), from, to, n, flag(endpoint), C.double(base), r, e)
	})
}

// Geomspace makes numbers of a constant ratio.
func (d *Device) Geomspace(dtype DType, start, stop Scalar, num int, endpoint bool) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		to, n := C.gpuopt_dtype(dtype), C.int64_t(num)
		return C.gpuopt_geomspace(raw, to, start.raw, stop.raw, n, flag(endpoint), r, e)
	})
}

// LinspaceBetween gives numbers at equal distances from each start to its stop, which are arrays, or one of them, along
// a new axis, and the distances. [Default] is the dtype that the ends promote to, float64 for integers. The ends run.
func LinspaceBetween(dtype DType, start, stop Operand, num int, endpoint bool, axis int) (values, steps *Array,
	err error) {
	var results [2]C.gpuopt_array
	err = withOperands([]Operand{start, stop}, func(x []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		n, end, at, t := C.int64_t(num), flag(endpoint), C.int64_t(axis), C.gpuopt_dtype(dtype)
		return C.gpuopt_linspace_between(x[0], x[1], n, end, at, t, &results[1], &results[0], e)
	})
	if err != nil {
		return nil, nil, err
	}
	return newArray(results[0]), newArray(results[1]), nil
}

// LogspaceBetween gives base to the powers from each start to its stop, along a new axis. The ends run.
func LogspaceBetween(dtype DType, start, stop Operand, num int, endpoint bool, base Operand, axis int) (*Array, error) {
	all := []Operand{start, stop, base}
	return giveOf(all, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		n, end, at, t := C.int64_t(num), flag(endpoint), C.int64_t(axis), C.gpuopt_dtype(dtype)
		return C.gpuopt_logspace_between(x[0], x[1], x[2], n, end, at, t, r, e)
	})
}

// GeomspaceBetween gives numbers of a constant ratio from each start to its stop, along a new axis. The ends run.
func GeomspaceBetween(dtype DType, start, stop Operand, num int, endpoint bool, axis int) (*Array, error) {
	both := []Operand{start, stop}
	return giveOf(both, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		n, end, at, t := C.int64_t(num), flag(endpoint), C.int64_t(axis), C.gpuopt_dtype(dtype)
		return C.gpuopt_geomspace_between(x[0], x[1], n, end, at, t, r, e)
	})
}

// Indices makes the indices of a grid, of shape (number of axes,) and the grid's.
func (d *Device) Indices(dtype DType, shape ...int) (*Array, error) {
	ndim, to := sizes(shape)
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_indices(raw, C.gpuopt_dtype(dtype), ndim, to, r, e)
	})
}

// A GridAxis is an axis of a grid: start, start + step, .. below stop; with a complex step so many numbers from start
// to stop.
type GridAxis struct{ Start, Stop, Step Scalar }

// gridEnds gives the starts, stops and steps as C takes them.
func gridEnds(axes []GridAxis) (start, stop, step []C.gpuopt_scalar) {
	for _, axis := range axes {
		start, stop, step = append(start, axis.Start.raw), append(stop, axis.Stop.raw), append(step, axis.Step.raw)
	}
	return start, stop, step
}

// MGrid makes the coordinates of a grid as one array.
func (d *Device) MGrid(axes ...GridAxis) (*Array, error) {
	start, stop, step := gridEnds(axes)
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_mgrid(raw, C.int32_t(len(axes)), first(start), first(stop), first(step), r, e)
	})
}

// OGrid makes the coordinates of a grid as arrays that broadcast together.
func (d *Device) OGrid(axes ...GridAxis) ([]*Array, error) {
	start, stop, step := gridEnds(axes)
	return d.severalOf(len(axes), func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ogrid(raw, C.int32_t(len(axes)), first(start), first(stop), first(step), r, e)
	})
}

// FromFunction makes an array whose elements an expression of their indices i0, i1, .. gives: C++ as of a kernel. Runs.
func (d *Device) FromFunction(dtype DType, expression string, shape ...int) (*Array, error) {
	text, free := cText(expression)
	defer free()
	ndim, to := sizes(shape)
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_fromfunction(raw, C.gpuopt_dtype(dtype), ndim, to, text, r, e)
	})
}

// Bartlett makes the triangular window of n points.
func (d *Device) Bartlett(n int) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_bartlett(raw, C.int64_t(n), r, e)
	})
}

// Blackman makes Blackman's window of n points.
func (d *Device) Blackman(n int) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_blackman(raw, C.int64_t(n), r, e)
	})
}

// Hamming makes Hamming's window of n points.
func (d *Device) Hamming(n int) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_hamming(raw, C.int64_t(n), r, e)
	})
}

// Hanning makes von Hann's window of n points.
func (d *Device) Hanning(n int) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_hanning(raw, C.int64_t(n), r, e)
	})
}

// Kaiser makes Kaiser's window of n points.
func (d *Device) Kaiser(n int, beta float64) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_kaiser(raw, C.int64_t(n), C.double(beta), r, e)
	})
}

// FromBuffer copies count elements of bytes (-1: as many as there are) from offset on.
func (d *Device) FromBuffer(dtype DType, bytes []byte, count, offset int) (*Array, error) {
	data := unsafe.Pointer(first(bytes))
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		size, n := C.uint64_t(len(bytes)), C.int64_t(count)
		return C.gpuopt_frombuffer(raw, data, size, C.gpuopt_dtype(dtype), n, C.int64_t(offset), r, e)
	})
}

// Vander gives the powers of elements as the rows of a matrix; columns -1: as many as elements.
func (x *Array) Vander(columns int, increasing bool) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_vander(raw, C.int64_t(columns), flag(increasing), r, e)
	})
}

// I0 gives the modified Bessel function of the first kind and order 0.
func (x *Array) I0() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_i0(raw, r, e)
	})
}

// RoundDecimals rounds to a number of decimals, halves to even; a negative number rounds to tens, hundreds, ..
func (x *Array) RoundDecimals(decimals int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_round_decimals(raw, C.int32_t(decimals), r, e)
	})
}

// AsStrided gives a read-only view of any shape and strides, in bytes, that lies in this array's memory.
func (x *Array) AsStrided(shape, strides []int) (*Array, error) {
	if len(shape) != len(strides) {
		return nil, fail(ErrInvalidArgument, "AsStrided: %d sizes and %d strides", len(shape), len(strides))
	}
	ndim, to := sizes(shape)
	_, by := sizes(strides)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_as_strided(raw, ndim, to, by, r, e)
	})
}

// SlidingWindowView gives a read-only view of all windows of these sizes along axes; without axes along all in order.
func (x *Array) SlidingWindowView(window []int, axes ...int) (*Array, error) {
	if len(axes) > 0 && len(axes) != len(window) {
		return nil, fail(ErrInvalidArgument, "SlidingWindowView: %d sizes for %d axes", len(window), len(axes))
	}
	count, list := sizes(window)
	_, along := sizes(axes)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_sliding_window_view(raw, count, list, along, r, e)
	})
}

// ViewDType gives a view of the same bytes as elements of another dtype.
func (x *Array) ViewDType(dtype DType) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_view_dtype(raw, C.gpuopt_dtype(dtype), r, e)
	})
}

// FloatLimits are the limits of a floating-point dtype, of a complex one those of its components.
type FloatLimits struct {
	Bits, MantissaBits, ExponentBits, Precision, MaxExponent, MinExponent int
	DType                                                                 DType
	Eps, EpsNeg, Max, Min, SmallestNormal, SmallestSubnormal, Resolution  float64
}

// FInfo gives the limits of a floating-point dtype.
func FInfo(dtype DType) (FloatLimits, error) {
	var l C.gpuopt_float_limits
	l.struct_size = C.uint32_t(unsafe.Sizeof(l))
	err := check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_finfo(C.gpuopt_dtype(dtype), &l, e) })
	return FloatLimits{
		Bits: int(l.bits), MantissaBits: int(l.mantissa_bits), ExponentBits: int(l.exponent_bits),
		Precision: int(l.precision), MaxExponent: int(l.max_exponent), MinExponent: int(l.min_exponent),
		DType: DType(l.dtype), Eps: float64(l.eps), EpsNeg: float64(l.epsneg), Max: float64(l.max),
		Min: float64(l.min), SmallestNormal: float64(l.smallest_normal),
		SmallestSubnormal: float64(l.smallest_subnormal), Resolution: float64(l.resolution),
	}, err
}

// IntegerLimits are the limits of an integer dtype.
type IntegerLimits struct {
	Bits int
	Min  int64
	Max  uint64
}

// IInfo gives the limits of an integer dtype.
func IInfo(dtype DType) (IntegerLimits, error) {
	var l C.gpuopt_integer_limits
	l.struct_size = C.uint32_t(unsafe.Sizeof(l))
	err := check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_iinfo(C.gpuopt_dtype(dtype), &l, e) })
	return IntegerLimits{Bits: int(l.bits), Min: int64(l.min), Max: uint64(l.max)}, err
}
