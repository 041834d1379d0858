// bindings/go/array.go -- the array: facts, elements, views, copies, writes.

package gpuopt

// #include <gpuopt/gpuopt.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// An Array is a typed, strided view of elements on a device. dtype, shape and strides never change. See the package's
// documentation for who may write when.
type Array struct{ h *handle[C.gpuopt_array] }

// giveArray takes over the array a C call gives out.
func giveArray(call func(result *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status) (*Array, error) {
	var raw C.gpuopt_array
	if err := check(func(e *C.gpuopt_error) C.gpuopt_status { return call(&raw, e) }); err != nil {
		return nil, err
	}
	return newArray(raw), nil
}

func newArray(raw C.gpuopt_array) *Array {
	return &Array{newHandle(raw, "array", func(x C.gpuopt_array) { C.gpuopt_array_release(x) })}
}

// hold begins a use of the array, which x.h.done ends; nil is an error.
func (x *Array) hold() (C.gpuopt_array, error) {
	if x == nil {
		return nil, fail(ErrInvalidArgument, "an array is nil")
	}
	return x.h.hold()
}

// Close gives the reference back; the last one frees the elements.
func (x *Array) Close() { x.h.close() }

// call makes a C call with the array.
func (x *Array) call(call func(raw C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status) error {
	raw, err := x.hold()
	if err != nil {
		return err
	}
	defer x.h.done()
	return check(func(e *C.gpuopt_error) C.gpuopt_status { return call(raw, e) })
}

// make makes a C call with the array that gives another one out.
func (x *Array) make(call func(raw C.gpuopt_array, result *C.gpuopt_array,
	e *C.gpuopt_error) C.gpuopt_status) (*Array, error) {
	raw, err := x.hold()
	if err != nil {
		return nil, err
	}
	defer x.h.done()
	return giveArray(func(r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status { return call(raw, r, e) })
}

// makeWith does so with a second array.
func (x *Array) makeWith(other *Array, call func(raw, other C.gpuopt_array, result *C.gpuopt_array,
	e *C.gpuopt_error) C.gpuopt_status) (*Array, error) {
	second, err := other.hold()
	if err != nil {
		return nil, err
	}
	defer other.h.done()
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(raw, second, r, e)
	})
}

// fact looks at an array, unless it is closed.
func fact[T any](x *Array, look func(raw C.gpuopt_array) T) (result T) {
	raw, err := x.hold()
	if err != nil {
		return result
	}
	defer x.h.done()
	return look(raw)
}

// DType gives the type of the elements.
func (x *Array) DType() DType {
	return fact(x, func(raw C.gpuopt_array) DType { return DType(C.gpuopt_array_dtype(raw)) })
}

// NDim gives the number of dimensions.
func (x *Array) NDim() int {
	return fact(x, func(raw C.gpuopt_array) int { return int(C.gpuopt_array_ndim(raw)) })
}

// Shape gives the sizes of the dimensions.
func (x *Array) Shape() []int {
	return fact(x, func(raw C.gpuopt_array) []int { return ints(C.gpuopt_array_shape(raw), C.gpuopt_array_ndim(raw)) })
}

// Strides gives the distances of neighbours along each dimension, in bytes; negative or zero in some views.
func (x *Array) Strides() []int {
	return fact(x, func(raw C.gpuopt_array) []int {
		return ints(C.gpuopt_array_strides(raw), C.gpuopt_array_ndim(raw))
	})
}

// Size gives the number of elements.
func (x *Array) Size() int {
	return fact(x, func(raw C.gpuopt_array) int { return int(C.gpuopt_array_size(raw)) })
}

// NBytes gives the bytes of the elements.
func (x *Array) NBytes() int {
	return fact(x, func(raw C.gpuopt_array) int { return int(C.gpuopt_array_nbytes(raw)) })
}

// IsContiguous reports whether the elements lie in C order without gaps.
func (x *Array) IsContiguous() bool {
	return fact(x, func(raw C.gpuopt_array) bool { return C.gpuopt_array_is_contiguous(raw) != 0 })
}

// IsReadOnly reports whether the elements must not be written through this array, as those of [Array.BroadcastTo].
func (x *Array) IsReadOnly() bool {
	return fact(x, func(raw C.gpuopt_array) bool { return C.gpuopt_array_is_read_only(raw) != 0 })
}

// Device gives the device the elements are on; nil if the array is closed.
func (x *Array) Device() *Device {
	return fact(x, func(raw C.gpuopt_array) *Device {
		return newDevice(C.gpuopt_device_retain(C.gpuopt_array_device(raw)))
	})
}

// ints copies count numbers of C's.
func ints(at *C.int64_t, count C.int32_t) []int {
	result := make([]int, count)
	if count > 0 {
		for i, number := range unsafe.Slice(at, count) {
			result[i] = int(number)
		}
	}
	return result
}

// sizes gives numbers as C wants them: how many, and where (nil if there are none).
func sizes(numbers []int) (C.int32_t, *C.int64_t) {
	if len(numbers) == 0 {
		return 0, nil
	}
	result := make([]C.int64_t, len(numbers))
	for i, number := range numbers {
		result[i] = C.int64_t(number)
	}
	return C.int32_t(len(result)), &result[0]
}

func flag(value bool) C.int32_t {
	if value {
		return 1
	}
	return 0
}

// Eval runs what the arrays wait for, together, without waiting for the device.
func Eval(arrays ...*Array) error {
	raws, done, err := holdAll(arrays)
	if err != nil {
		return err
	}
	defer done()
	return check(func(e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_eval(C.int32_t(len(raws)), first(raws), e)
	})
}

// holdAll holds several arrays, and gives what ends that.
func holdAll(arrays []*Array) ([]C.gpuopt_array, func(), error) {
	raws := make([]C.gpuopt_array, 0, len(arrays))
	done := func() {
		for _, x := range arrays[:len(raws)] {
			x.h.done()
		}
	}
	for _, x := range arrays {
		raw, err := x.hold()
		if err != nil {
			done()
			return nil, nil, err
		}
		raws = append(raws, raw)
	}
	return raws, done, nil
}

// first gives the address of the first element, nil if there is none.
func first[T any](list []T) *T {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// Item gives one element; negative positions count from the end, and no position is the element of a 0-d array. Waits.
func (x *Array) Item(index ...int) (Scalar, error) {
	var value C.gpuopt_scalar
	err := x.callAt("Item", index, func(raw C.gpuopt_array, at *C.int64_t, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_array_item(raw, at, &value, e)
	})
	return Scalar{value}, err
}

// SetItem writes one element. The value must fit the dtype.
func (x *Array) SetItem(value Scalar, index ...int) error {
	return x.callAt("SetItem", index, func(raw C.gpuopt_array, at *C.int64_t, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_array_set_item(raw, at, value.raw, e)
	})
}

// callAt makes a C call with the array and the position of an element.
func (x *Array) callAt(what string, index []int,
	call func(raw C.gpuopt_array, at *C.int64_t, e *C.gpuopt_error) C.gpuopt_status) error {
	raw, err := x.hold()
	if err != nil {
		return err
	}
	defer x.h.done()
	if ndim := int(C.gpuopt_array_ndim(raw)); len(index) != ndim {
		return fail(ErrIndex, "%s: %d positions for an array of %d dimensions", what, len(index), ndim)
	}
	_, at := sizes(index)
	return check(func(e *C.gpuopt_error) C.gpuopt_status { return call(raw, at, e) })
}

// PrintOptions say how an array is printed; 0 means NumPy's default.
type PrintOptions struct {
	Precision int  // digits behind the point (8)
	Threshold int  // arrays of more elements are summarized (1000)
	EdgeItems int  // elements at the ends of a summarized axis (3)
	LineWidth int  // characters of a line (75)
	Repr      bool // with array(...) around, as Python's repr
}

// Text gives the elements as NumPy prints them.
func (x *Array) Text(options PrintOptions) (string, error) {
	raw, err := x.hold()
	if err != nil {
		return "", err
	}
	defer x.h.done()
	o := C.gpuopt_print_options{
		struct_size: C.sizeof_gpuopt_print_options,
		precision:   C.int32_t(options.Precision),
		threshold:   C.int32_t(options.Threshold),
		edgeitems:   C.int32_t(options.EdgeItems),
		linewidth:   C.int32_t(options.LineWidth),
		repr:        flag(options.Repr),
	}
	return givenText(func(text **C.char, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_array_to_string(raw, &o, text, e)
	})
}

// String gives the elements as NumPy's str, or in angle brackets the error why they cannot be read; see [Array.Text].
func (x *Array) String() string {
	text, err := x.Text(PrintOptions{})
	if err != nil {
		return fmt.Sprintf("<%v>", err)
	}
	return text
}
