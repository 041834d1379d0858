// bindings/go/dtype.go -- element types, and which Go type each is; elements in and out.

package gpuopt

// #include "shim.h"
import "C"

import "unsafe"

// A DType is the type of an array's elements; the constants [Bool] to [Complex128] name them.
type DType int32

// Default asks for a call's default dtype.
const Default DType = C.GPUOPT_DTYPE_DEFAULT

// DTypeFromName gives a dtype by name: "float32", also "f4", "<f4", "bool_".
func DTypeFromName(name string) (DType, error) {
	text, free := cText(name)
	defer free()
	var dtype C.gpuopt_dtype
	err := check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_dtype_from_name(text, &dtype, e) })
	return DType(dtype), err
}

// String gives "float64".
func (d DType) String() string {
	name := C.gpuopt_dtype_name(C.gpuopt_dtype(d))
	if name == nil {
		return "default"
	}
	return C.GoString(name)
}

// Size gives the bytes of an element.
func (d DType) Size() int { return int(C.gpuopt_dtype_size(C.gpuopt_dtype(d))) }

// Kind gives '?' bool, 'i' signed, 'u' unsigned, 'f' real floating or 'c' complex.
func (d DType) Kind() byte { return byte(C.gpuopt_dtype_kind(C.gpuopt_dtype(d))) }

// CanCast reports whether a cast to another dtype loses no value or, with sameKind, stays within a kind or is safe.
func (d DType) CanCast(to DType, sameKind bool) (bool, error) {
	var allowed C.int32_t
	err := check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_can_cast(C.gpuopt_dtype(d), C.gpuopt_dtype(to), flag(sameKind), &allowed, e)
	})
	return allowed != 0, err
}

// PromoteTypes gives the dtype two dtypes promote to, as the array API and NEP 50 say.
func PromoteTypes(a, b DType) (DType, error) {
	var result C.gpuopt_dtype
	err := check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_promote_types(C.gpuopt_dtype(a), C.gpuopt_dtype(b), &result, e)
	})
	return DType(result), err
}

// ResultType gives the dtype operands promote to together.
func ResultType(operands ...Operand) (DType, error) {
	var result C.gpuopt_dtype
	err := withOperands(operands, func(raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_result_type(C.int32_t(len(raws)), first(raws), &result, e)
	})
	return DType(result), err
}

// A Half has the bits of an IEEE 754 binary16 number, dtype [Float16]; convert arrays with [Array.AsType].
type Half uint16

// A Brain has the bits of a bfloat16 number, dtype [BFloat16]: the upper half of a float32.
type Brain uint16

// An Element is the Go type of the elements of one dtype.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | Half | Brain |
		float32 | float64 | complex64 | complex128
}

// DTypeOf gives the dtype of a Go type.
func DTypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return UInt8
	case uint16:
		return UInt16
	case uint32:
		return UInt32
	case uint64:
		return UInt64
	case Half:
		return Float16
	case Brain:
		return BFloat16
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	default:
		return Complex128
	}
}

// FromSlice makes an array of a copy of data, in C order in this shape; no shape: as long as the slice.
func FromSlice[T Element](device *Device, data []T, shape ...int) (*Array, error) {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	elements := 1
	for _, size := range shape {
		elements *= size
	}
	if elements != len(data) {
		return nil, fail(ErrShape, "FromSlice: %d elements for an array of shape %v", len(data), shape)
	}
	ndim, to := sizes(shape)
	return device.make(func(d C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		// As bytes: of an untyped pointer cgo would look at all that lies around the elements, and refuse other
		// pointers there.
		bytes := (*C.uint8_t)(unsafe.Pointer(first(data)))
		return C.gpuopt_go_array_from(d, bytes, C.gpuopt_dtype(DTypeOf[T]()), ndim, to, r, e)
	})
}

// ToSlice gives all elements in C order, copied from any device. T must be that of the dtype; [Array.AsType] converts.
// Waits.
func ToSlice[T Element](x *Array) ([]T, error) {
	raw, err := x.hold()
	if err != nil {
		return nil, err
	}
	defer x.h.done()
	if err := expect[T](raw, "ToSlice"); err != nil {
		return nil, err
	}
	data := make([]T, int(C.gpuopt_array_size(raw)))
	err = check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_to_host(raw, unsafe.Pointer(first(data)), C.size_t(C.gpuopt_array_nbytes(raw)), e)
	})
	if err != nil {
		return nil, err
	}
	normalize(data)
	return data, nil
}

// View calls use with the elements of a C-contiguous array where they lie, without a copy, on a device that uses host
// memory (the CPU); what is written there is written into the array. The slice is valid until use returns: keep no part
// of it. Until then the array stays, also if it is closed meanwhile, and no other call may write to its elements, nor
// use them if use writes. View gives the error of use.
func View[T Element](x *Array, use func(elements []T) error) error {
	raw, err := x.hold()
	if err != nil {
		return err
	}
	defer x.h.done()
	elements, err := elementsOf[T](raw)
	if err != nil {
		return err
	}
	return use(elements)
}

// elementsOf gives the elements of an array that is held. It looks at the C array alone: methods hold the array anew,
// which fails once it is closed.
func elementsOf[T Element](raw C.gpuopt_array) ([]T, error) {
	if err := expect[T](raw, "View"); err != nil {
		return nil, err
	}
	device := C.gpuopt_array_device(raw)
	info, err := infoOf(device)
	if err != nil {
		return nil, err
	}
	if info.host_memory == 0 {
		name := C.GoString(C.gpuopt_device_name(device))
		return nil, fail(ErrUnsupported, "View: %s does not use host memory; copy with ToSlice", name)
	}
	if C.gpuopt_array_is_contiguous(raw) == 0 {
		strides := ints(C.gpuopt_array_strides(raw), C.gpuopt_array_ndim(raw))
		return nil, fail(ErrInvalidArgument, "View: the array of strides %v is not C-contiguous; copy it", strides)
	}
	if C.gpuopt_array_is_read_only(raw) != 0 {
		return nil, fail(ErrReadOnly, "View: the array must not be written to; copy it")
	}
	var address unsafe.Pointer
	err = check(func(e *C.gpuopt_error) C.gpuopt_status { return C.gpuopt_array_data(raw, &address, e) })
	size := int(C.gpuopt_array_size(raw))
	if err != nil || size == 0 {
		return nil, err
	}
	elements := unsafe.Slice((*T)(address), size)
	normalize(elements)
	return elements, nil
}

// normalize makes bools of bytes that memory which was never written may have; Go's bools are 0 or 1.
func normalize[T Element](elements []T) {
	if DTypeOf[T]() != Bool || len(elements) == 0 {
		return
	}
	bytes := unsafe.Slice((*uint8)(unsafe.Pointer(&elements[0])), len(elements))
	for i, b := range bytes {
		if b > 1 {
			bytes[i] = 1
		}
	}
}

// expect wants an array that is held to have the dtype of T.
func expect[T Element](raw C.gpuopt_array, what string) error {
	dtype, wanted := DType(C.gpuopt_array_dtype(raw)), DTypeOf[T]()
	if dtype == wanted {
		return nil
	}
	return fail(ErrType, "%s: the array is of %v, not %v; convert with AsType", what, dtype, wanted)
}
