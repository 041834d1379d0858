// bindings/go/create.go -- arrays made on a device.

package gpuopt

// #include <gpuopt/gpuopt.h>
import "C"

// Zeros makes a C-contiguous array of zeros; [Default] is float64. No size: a 0-d array.
func (d *Device) Zeros(dtype DType, shape ...int) (*Array, error) {
	ndim, to := sizes(shape)
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_zeros(raw, C.gpuopt_dtype(dtype), ndim, to, r, e)
	})
}

// Ones makes an array of ones, as [Device.Zeros].
func (d *Device) Ones(dtype DType, shape ...int) (*Array, error) {
	ndim, to := sizes(shape)
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ones(raw, C.gpuopt_dtype(dtype), ndim, to, r, e)
	})
}

// Empty makes an array of elements of any value, as [Device.Zeros].
func (d *Device) Empty(dtype DType, shape ...int) (*Array, error) {
	ndim, to := sizes(shape)
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_empty(raw, C.gpuopt_dtype(dtype), ndim, to, r, e)
	})
}

// Full makes an array whose elements are all value; [Default] is int64 of an integer. [ErrOverflow] if an integer does
// not fit the dtype.
func (d *Device) Full(dtype DType, value Scalar, shape ...int) (*Array, error) {
	ndim, to := sizes(shape)
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_full(raw, C.gpuopt_dtype(dtype), ndim, to, value.raw, r, e)
	})
}

// Arange makes start, start + step, ... below stop, or above it for a negative step; [Default] is int64 if all three
// are integers.
func (d *Device) Arange(dtype DType, start, stop, step Scalar) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_arange(raw, C.gpuopt_dtype(dtype), start.raw, stop.raw, step.raw, r, e)
	})
}

// Linspace makes num evenly spaced values from start to stop, which is the last one if endpoint.
func (d *Device) Linspace(dtype DType, start, stop float64, num int, endpoint bool) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		from, to := C.double(start), C.double(stop)
		return C.gpuopt_linspace(raw, C.gpuopt_dtype(dtype), from, to, C.int64_t(num), flag(endpoint), r, e)
	})
}

// Eye makes a matrix with ones on the k-th diagonal; columns -1: as many as rows.
func (d *Device) Eye(dtype DType, rows, columns, k int) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_eye(raw, C.gpuopt_dtype(dtype), C.int64_t(rows), C.int64_t(columns), C.int64_t(k), r, e)
	})
}

// Tri makes a matrix with ones at and below the k-th diagonal; columns -1: as many as rows.
func (d *Device) Tri(dtype DType, rows, columns, k int) (*Array, error) {
	return d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_tri(raw, C.gpuopt_dtype(dtype), C.int64_t(rows), C.int64_t(columns), C.int64_t(k), r, e)
	})
}

// ZerosLike makes zeros of the shape, device and stream of x; [Default]: of its dtype.
func (x *Array) ZerosLike(dtype DType) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_zeros_like(raw, C.gpuopt_dtype(dtype), r, e)
	})
}

// OnesLike makes ones, as [Array.ZerosLike].
func (x *Array) OnesLike(dtype DType) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ones_like(raw, C.gpuopt_dtype(dtype), r, e)
	})
}

// EmptyLike makes elements of any value, as [Array.ZerosLike].
func (x *Array) EmptyLike(dtype DType) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_empty_like(raw, C.gpuopt_dtype(dtype), r, e)
	})
}

// FullLike makes elements that are all value, as [Array.ZerosLike].
func (x *Array) FullLike(dtype DType, value Scalar) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_full_like(raw, C.gpuopt_dtype(dtype), value.raw, r, e)
	})
}

// Tril gives the elements with zeros above the k-th diagonal of the last two axes.
func (x *Array) Tril(k int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_tril(raw, C.int64_t(k), r, e)
	})
}

// Triu gives the elements with zeros below the k-th diagonal of the last two axes.
func (x *Array) Triu(k int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_triu(raw, C.int64_t(k), r, e)
	})
}
