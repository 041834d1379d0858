// bindings/go/arrow.go -- exchange with Apache Arrow by its C data interface.

package gpuopt

// #include "shim.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// An Arrow is an array on its way between libraries: an ArrowSchema and an ArrowArray of Arrow's C data interface
// (arrow.apache.org/docs/format/CDataInterface.html), in memory of C's. It owns what is in them until a consumer moves
// it out, which sets their release members to NULL. Used by one goroutine at a time.
//
// The package arrow/cdata of Arrow's Go module takes the addresses:
//
//	cdata.ExportArrowArray(column, (*cdata.CArrowArray)(a.Array()), (*cdata.CArrowSchema)(a.Schema()))
type Arrow struct{ pair *C.gpuopt_go_arrow }

// NewArrow makes an empty pair of structs for a producer to fill.
func NewArrow() *Arrow {
	a := &Arrow{(*C.gpuopt_go_arrow)(C.calloc(1, C.sizeof_gpuopt_go_arrow))}
	runtime.SetFinalizer(a, (*Arrow).Close)
	return a
}

// Schema gives the address of the ArrowSchema; nil once it is closed. Keep the Arrow alive while it is used, by a
// deferred Close, say.
func (a *Arrow) Schema() unsafe.Pointer {
	if a == nil || a.pair == nil {
		return nil
	}
	return unsafe.Pointer(&a.pair.schema)
}

// Array gives the address of the ArrowArray, as [Arrow.Schema] does that of the schema.
func (a *Arrow) Array() unsafe.Pointer {
	if a == nil || a.pair == nil {
		return nil
	}
	return unsafe.Pointer(&a.pair.array)
}

// Close releases what nobody has moved out, and frees the structs.
func (a *Arrow) Close() {
	if a != nil && a.pair != nil {
		runtime.SetFinalizer(a, nil)
		C.gpuopt_go_arrow_free(a.pair)
		a.pair = nil
	}
}

// ToArrow exports an array, running what it waits for, as an Arrow array without nulls: of one dimension a primitive
// array, of more fixed-size lists in one another; none are [ErrShape]. dtypes: bool, integers, float16, float32 and
// float64, others are [ErrType]. C-contiguous elements in the host's memory are shared, and Arrow's consumers take them
// for constant. A copy is made if copy is [CopyAlways], and where it is needed: of bool, which Arrow packs into bits,
// of strided arrays, and of arrays that are not in the host's memory.
func (x *Array) ToArrow(copy Copy) (*Arrow, error) {
	a := NewArrow()
	err := x.call(func(raw C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_to_arrow(raw, C.gpuopt_copy(copy), &a.pair.schema, &a.pair.array, e)
	})
	if err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// FromArrow imports a primitive Arrow array of the dtypes of [Array.ToArrow], or fixed-size lists of them. The array
// uses the producer's memory, and is read-only then; it is a copy if copy is [CopyAlways], and where that is needed: of
// bool, of memory that is not aligned, and on devices that do not use the host's. Nulls are [ErrInvalidArgument], other
// types [ErrType], and structs that contradict the specification [ErrFormat]. Success moves the content out of a, which
// may be filled anew; after an error it is as before.
func (d *Device) FromArrow(a *Arrow, copy Copy) (*Array, error) {
	x, _, err := d.fromArrow(a, copy, false)
	return x, err
}

// FromArrowValid is [Device.FromArrow] for arrays with nulls: valid, of the array's shape, is false where an element is
// null, at any depth, and nil if there are none. The element itself is whatever the producer left there.
func (d *Device) FromArrowValid(a *Arrow, copy Copy) (x, valid *Array, err error) {
	return d.fromArrow(a, copy, true)
}

func (d *Device) fromArrow(a *Arrow, copy Copy, nulls bool) (x, valid *Array, err error) {
	if a == nil || a.pair == nil {
		return nil, nil, fail(ErrInvalidArgument, "FromArrow: the Arrow array is closed or nil")
	}
	var mask C.gpuopt_array
	var to *C.gpuopt_array
	if nulls {
		to = &mask
	}
	x, err = d.make(func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_from_arrow(raw, &a.pair.schema, &a.pair.array, C.gpuopt_copy(copy), r, to, e)
	})
	runtime.KeepAlive(a)
	if err == nil && mask != nil {
		valid = newArray(mask)
	}
	return x, valid, err
}
