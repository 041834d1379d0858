// bindings/go/dlpack.go -- exchange with other libraries by DLPack: tensors out and in, and who deletes them.

package gpuopt

// #include "shim.h"
import "C"

import (
	"errors"
	"unsafe"
)

// dlpackMajor is the major version of DLPack whose structs the library knows.
const dlpackMajor = 1

// A DLPack is a tensor on its way between libraries: a DLManagedTensorVersioned of DLPack 1.x, as the header dlpack.h
// has it. It owns the tensor until [Device.FromDLPack] or [DLPack.Release] takes it; [DLPack.Close], or the garbage
// collector, then calls the tensor's deleter. Used by one goroutine at a time.
type DLPack struct {
	h *handle[*C.struct_DLManagedTensorVersioned]
}

func newDLPack(raw *C.struct_DLManagedTensorVersioned) *DLPack {
	return &DLPack{newHandle(raw, "DLPack tensor", func(tensor *C.struct_DLManagedTensorVersioned) {
		C.gpuopt_go_dlpack_delete(tensor)
	})}
}

// AdoptDLPack takes over a DLManagedTensorVersioned that another library gave out, in memory of C's; nil gives nil. The
// tensor must be a valid one that nobody else deletes, and its deleter one that any thread may call.
func AdoptDLPack(tensor unsafe.Pointer) *DLPack {
	if tensor == nil {
		return nil
	}
	return newDLPack((*C.struct_DLManagedTensorVersioned)(tensor))
}

// Pointer gives the address of the DLManagedTensorVersioned, to look into; nil once it is closed or taken.
func (t *DLPack) Pointer() unsafe.Pointer {
	if t == nil {
		return nil
	}
	raw, err := t.h.hold()
	if err != nil {
		return nil
	}
	defer t.h.done()
	return unsafe.Pointer(raw)
}

// Release gives the DLManagedTensorVersioned away: whoever gets the address calls the tensor's deleter. nil if it is
// closed or taken already.
func (t *DLPack) Release() unsafe.Pointer {
	raw := t.Pointer()
	if raw != nil {
		t.h.forget()
	}
	return raw
}

// Close calls the tensor's deleter, unless the tensor was taken.
func (t *DLPack) Close() {
	if t != nil {
		t.h.close()
	}
}

// ToDLPack exports an array: runs what it waits for, and gives a tensor that shares its elements, or a copy of them if
// copy is [CopyAlways], or where DLPack cannot express the strides. The tensor of a read-only array says so in its
// flags. stream is the consumer's, as the DLPack specification for Python encodes it: -1 does not wait for the device,
// and with any other the device has done all its work when the call returns. Who writes to elements that are shared
// keeps to the rules of package gpuopt: not beside another use.
func (x *Array) ToDLPack(stream int64, copy Copy) (*DLPack, error) {
	var tensor *C.struct_DLManagedTensorVersioned
	err := x.call(func(raw C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_to_dlpack(raw, C.int64_t(stream), C.gpuopt_copy(copy), &tensor, e)
	})
	if err != nil {
		return nil, err
	}
	return newDLPack(tensor), nil
}

// FromDLPack imports a tensor, and takes it over: the array uses its memory where the device can, and the deleter is
// called with the last array that does; else the elements are copied as copy allows, and the deleter is called at once.
// [ErrType] of a dtype that there is none of here, [ErrDeviceMismatch] of memory that cannot be read from here. After
// an error the tensor is the caller's as before, except that one of another major version of DLPack is closed, which is
// [ErrUnsupported].
func (d *Device) FromDLPack(tensor *DLPack, copy Copy) (*Array, error) {
	if tensor == nil {
		return nil, fail(ErrInvalidArgument, "FromDLPack: the tensor is nil")
	}
	raw, err := tensor.h.hold()
	if err != nil {
		return nil, err
	}
	deleted := C.gpuopt_go_dlpack_major(raw) != dlpackMajor
	x, err := d.make(func(device C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_from_dlpack(device, raw, C.gpuopt_copy(copy), r, e)
	})
	if err == nil || deleted && errors.Is(err, ErrUnsupported) {
		tensor.h.forget()
	}
	tensor.h.done()
	return x, err
}
