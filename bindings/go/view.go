// bindings/go/view.go -- views, copies and conversions, writing and selecting.

package gpuopt

// #include "shim.h"
import "C"

// A Copy says whether a call may copy.
type Copy int32

const (
	CopyIfNeeded Copy = C.GPUOPT_COPY_IF_NEEDED // where it must
	CopyAlways   Copy = C.GPUOPT_COPY_ALWAYS    // in any case
	CopyNever    Copy = C.GPUOPT_COPY_NEVER     // ErrInvalidArgument where a copy is needed
)

// An Index is one item of an index, as Python's x[...] takes them.
type Index struct {
	raw   C.gpuopt_index
	array *Array
}

// None leaves a bound of a slice out.
const None = C.GPUOPT_SLICE_ALL

// At is x[i]: the dimension goes. A negative position counts from the end.
func At(i int) Index {
	return Index{raw: C.gpuopt_index{kind: C.GPUOPT_INDEX_INTEGER, start: C.int64_t(i)}}
}

// Range is x[start:stop]. Negative bounds count from the end, and [None] leaves one out.
func Range(start, stop int) Index { return Step(start, stop, 1) }

// Step is x[start:stop:step].
func Step(start, stop, step int) Index {
	return Index{raw: C.gpuopt_index{
		kind: C.GPUOPT_INDEX_SLICE, start: C.int64_t(start), stop: C.int64_t(stop), step: C.int64_t(step),
	}}
}

// NewAxis is x[None]: a new dimension of size 1.
func NewAxis() Index { return Index{raw: C.gpuopt_index{kind: C.GPUOPT_INDEX_NEWAXIS}} }

// Ellipsis is x[...]: as many whole dimensions as are left.
func Ellipsis() Index { return Index{raw: C.gpuopt_index{kind: C.GPUOPT_INDEX_ELLIPSIS}} }

// By is x[indices]: integers, or bool, for [Array.Get] and [Array.Set] alone.
func By(indices *Array) Index {
	return Index{C.gpuopt_index{kind: C.GPUOPT_INDEX_ARRAY}, indices}
}

// split gives the items as C has them, and the operands of a call: those in front, and the arrays among the items.
func split(items []Index, front ...Operand) ([]C.gpuopt_index, []Operand) {
	raws := make([]C.gpuopt_index, len(items))
	for i, item := range items {
		raws[i] = item.raw
		if item.array != nil {
			front = append(front, item.array)
		}
	}
	return raws, front
}

// Get is x[items] with any mixture of items, as NumPy's: a fresh array where an item is one, else a view.
func (x *Array) Get(items ...Index) (*Array, error) {
	raws, operands := split(items, x)
	return giveOf(operands, func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_get(h[0], C.int32_t(len(raws)), first(raws), C.int32_t(len(h)-1), first(h[1:]), r, e)
	})
}

// Set is x[items] = value with any mixture of items; of equal indices the last wins.
func (x *Array) Set(value Operand, items ...Index) error {
	raws, operands := split(items, x, value)
	return withOperands(operands, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_set(h[0], C.int32_t(len(raws)), first(raws), C.int32_t(len(h)-2), first(h[2:]), h[1], e)
	})
}

// At gives a view of some of the elements, as Python's x[...].
func (x *Array) At(items ...Index) (*Array, error) {
	raws := make([]C.gpuopt_index, len(items))
	for i, item := range items {
		raws[i] = item.raw
	}
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_slice(raw, C.int32_t(len(raws)), first(raws), r, e)
	})
}

// T gives the transpose: a view with the axes reversed.
func (x *Array) T() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_permute_dims(raw, nil, r, e)
	})
}

// PermuteDims gives a view with the axes in this order; there must be as many as dimensions.
func (x *Array) PermuteDims(axes ...int) (*Array, error) {
	raw, err := x.hold()
	if err != nil {
		return nil, err
	}
	defer x.h.done()
	if ndim := int(C.gpuopt_array_ndim(raw)); len(axes) != ndim {
		return nil, fail(ErrInvalidArgument, "PermuteDims: %d axes for an array of %d dimensions", len(axes), ndim)
	}
	_, order := sizes(axes)
	return giveArray(func(r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_permute_dims(raw, order, r, e)
	})
}

// MatrixTranspose gives a view with the last two axes swapped.
func (x *Array) MatrixTranspose() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_matrix_transpose(raw, r, e)
	})
}

// Reshape gives the same elements in C order in another shape, of which one size may be -1: a view where the strides
// allow, else a copy.
func (x *Array) Reshape(shape ...int) (*Array, error) { return x.ReshapeCopy(CopyIfNeeded, shape...) }

// ReshapeCopy is [Array.Reshape], saying whether to copy.
func (x *Array) ReshapeCopy(copy Copy, shape ...int) (*Array, error) {
	ndim, to := sizes(shape)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_reshape(raw, ndim, to, C.gpuopt_copy(copy), r, e)
	})
}

// BroadcastTo gives a read-only view of this shape; broadcast axes have stride 0.
func (x *Array) BroadcastTo(shape ...int) (*Array, error) {
	ndim, to := sizes(shape)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_broadcast_to(raw, ndim, to, r, e)
	})
}

// ExpandDims gives a view with an axis of size 1 more.
func (x *Array) ExpandDims(axis int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_expand_dims(raw, C.int64_t(axis), r, e)
	})
}

// Squeeze gives a view without these axes of size 1; none named: without any.
func (x *Array) Squeeze(axes ...int) (*Array, error) {
	count, list := sizes(axes)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_squeeze(raw, count, list, r, e)
	})
}

// Flip gives a view with these axes reversed; none named: all of them.
func (x *Array) Flip(axes ...int) (*Array, error) {
	count, list := sizes(axes)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_flip(raw, count, list, r, e)
	})
}

// OnStream gives the same array bound to another stream of its device: work on the result goes there.
func (x *Array) OnStream(stream *Stream) (*Array, error) {
	s, err := stream.hold()
	if err != nil {
		return nil, err
	}
	defer stream.h.done()
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_array_on_stream(raw, s, r, e)
	})
}

// AsType converts to a dtype: another reference to the same elements if they have it. Any cast is allowed: real numbers
// are truncated to integers and saturate, integers wrap, of complex numbers the real component is taken.
func (x *Array) AsType(dtype DType) (*Array, error) { return x.AsTypeCopy(dtype, CopyIfNeeded) }

// AsTypeCopy is [Array.AsType], saying whether to copy.
func (x *Array) AsTypeCopy(dtype DType, copy Copy) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_astype(raw, C.gpuopt_dtype(dtype), C.gpuopt_copy(copy), r, e)
	})
}

// ToDevice gives the same elements on another device; another reference if they are there.
func (x *Array) ToDevice(device *Device) (*Array, error) {
	to, err := device.hold()
	if err != nil {
		return nil, err
	}
	defer device.h.done()
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_to_device(raw, to, C.GPUOPT_COPY_IF_NEEDED, r, e)
	})
}

// Copy gives a fresh C-contiguous copy.
func (x *Array) Copy() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_copy_array(raw, r, e)
	})
}

// Assign is x[...] = value: broadcast, and cast as [Array.AsType] casts.
func (x *Array) Assign(value Operand) error {
	return withOperands([]Operand{x, value}, func(raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_assign(raws[0], raws[1], e)
	})
}

// Fill makes every element this value.
func (x *Array) Fill(value Scalar) error {
	return x.call(func(raw C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_fill(raw, value.raw, e)
	})
}

// MaskSelect is x[mask]: a fresh array of shape (count,) and the rest. The mask is bool, its shape a prefix of this
// one. Runs.
func (x *Array) MaskSelect(mask *Array) (*Array, error) {
	return x.makeWith(mask, func(raw, mask C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_mask_select(raw, mask, r, e)
	})
}

// MaskAssign is x[mask] = value: a number or 0-d array goes everywhere, else the value broadcasts to x[mask].
func (x *Array) MaskAssign(mask *Array, value Operand) error {
	return withOperands([]Operand{x, mask, value}, func(raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_mask_assign(raws[0], raws[1], raws[2], e)
	})
}

// Take gives the elements along axis at these integers, which may have any shape and count from the end if negative.
// Runs.
func (x *Array) Take(indices *Array, axis int) (*Array, error) {
	return x.makeWith(indices, func(raw, indices C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_take(raw, indices, C.int64_t(axis), r, e)
	})
}

// Put is x[..., indices, ...] = values along axis; of equal indices the last wins.
func (x *Array) Put(indices *Array, axis int, values Operand) error {
	return withOperands([]Operand{x, indices, values}, func(raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_put(raws[0], raws[1], C.int64_t(axis), raws[2], e)
	})
}

// ArgWhere gives the indices of nonzero elements in C order: int64 of shape (count, ndim). Runs.
func (x *Array) ArgWhere() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_argwhere(raw, r, e)
	})
}

// BroadcastShapes gives the shape that shapes broadcast to.
func BroadcastShapes(shapes ...[]int) ([]int, error) {
	result := []int{}
	for _, shape := range shapes {
		var ndim C.int32_t
		var sum [C.GPUOPT_MAX_NDIM]C.int64_t
		ndim1, sizes1 := sizes(result)
		ndim2, sizes2 := sizes(shape)
		err := check(func(e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_go_broadcast(ndim1, sizes1, ndim2, sizes2, &ndim, &sum[0], e)
		})
		if err != nil {
			return nil, err
		}
		result = ints(&sum[0], ndim)
	}
	return result, nil
}
