// bindings/go/join.go -- arrays joined, split, padded and rearranged.

package gpuopt

// #include <gpuopt/gpuopt.h>
import "C"

// A PadMode says what Pad writes around an array.
type PadMode int32

const (
	PadConstant  PadMode = C.GPUOPT_PAD_CONSTANT  // a number
	PadEdge      PadMode = C.GPUOPT_PAD_EDGE      // the outermost element
	PadReflect   PadMode = C.GPUOPT_PAD_REFLECT   // mirrored at the outermost element: 3 2 | 1 2 3 | 2 1
	PadSymmetric PadMode = C.GPUOPT_PAD_SYMMETRIC // mirrored behind it: 2 1 | 1 2 3 | 3 2
	PadWrap      PadMode = C.GPUOPT_PAD_WRAP      // from the other end: 2 3 | 1 2 3 | 1 2
)

// axisOrNil gives what C takes for one axis; [None] means that the arrays are flattened first.
func axisOrNil(axis int) *C.int64_t {
	if axis == None {
		return nil
	}
	number := C.int64_t(axis)
	return &number
}

// operandsOf lists arrays as operands.
func operandsOf(arrays []*Array) []Operand {
	operands := make([]Operand, len(arrays))
	for i, x := range arrays {
		operands[i] = x
	}
	return operands
}

// giveArrays makes a C call with operands that gives several arrays out.
func giveArrays(count int, operands []Operand, call func(raws []C.gpuopt_array, results *C.gpuopt_array,
	e *C.gpuopt_error) C.gpuopt_status) ([]*Array, error) {
	room := count
	if room < 0 {
		room = 0
	}
	made := make([]C.gpuopt_array, room+1) // so that there is a first one
	err := withOperands(operands, func(raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(raws, &made[0], e)
	})
	if err != nil {
		return nil, err
	}
	arrays := make([]*Array, room)
	for i := range arrays {
		arrays[i] = newArray(made[i])
	}
	return arrays, nil
}

// giveJoined makes a C call with operands that gives one array out.
func giveJoined(operands []Operand, call func(raws []C.gpuopt_array, r *C.gpuopt_array,
	e *C.gpuopt_error) C.gpuopt_status) (*Array, error) {
	arrays, err := giveArrays(1, operands, call)
	if err != nil {
		return nil, err
	}
	return arrays[0], nil
}

// Einsum gives Einstein's sums, as NumPy's: a letter names an axis, "..." the axes without a letter.
func Einsum(subscripts string, arrays ...*Array) (*Array, error) {
	text, free := cText(subscripts)
	defer free()
	list := operandsOf(arrays)
	return giveJoined(list, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_einsum(text, C.int32_t(len(x)), first(x), r, e)
	})
}

// Concat gives the arrays one behind the other along an axis, or flattened if it is [None]. A recorded array of the
// result's dtype is computed in its place there.
func Concat(axis int, arrays ...*Array) (*Array, error) {
	at := axisOrNil(axis)
	list := operandsOf(arrays)
	return giveJoined(list, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_concat(C.int32_t(len(x)), first(x), at, r, e)
	})
}

// Stack gives arrays of one shape along a new axis.
func Stack(axis int, arrays ...*Array) (*Array, error) {
	list := operandsOf(arrays)
	return giveJoined(list, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_stack(C.int32_t(len(x)), first(x), C.int64_t(axis), r, e)
	})
}

// Append gives the array and the values behind it, flattened if the axis is [None].
func (x *Array) Append(values Operand, axis int) (*Array, error) {
	at := axisOrNil(axis)
	both := []Operand{x, values}
	return giveJoined(both, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_append(x[0], x[1], at, r, e)
	})
}

// Meshgrid gives the coordinates of a grid. If ij, array i varies along axis i; else the first two are swapped.
func Meshgrid(ij bool, arrays ...*Array) ([]*Array, error) {
	return giveArrays(len(arrays), operandsOf(arrays),
		func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_meshgrid(C.int32_t(len(x)), first(x), flag(ij), r, e)
		})
}

// BroadcastArrays gives read-only views in the shape that the arrays broadcast to.
func BroadcastArrays(arrays ...*Array) ([]*Array, error) {
	return giveArrays(len(arrays), operandsOf(arrays),
		func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_broadcast_arrays(C.int32_t(len(x)), first(x), r, e)
		})
}

// Unstack gives the views x[i] along an axis.
func (x *Array) Unstack(axis int) ([]*Array, error) {
	shape, count := x.Shape(), 0
	if at := axis + len(shape); axis >= 0 && axis < len(shape) {
		count = shape[axis]
	} else if axis < 0 && at >= 0 {
		count = shape[at]
	}
	whole := []Operand{x}
	return giveArrays(count, whole, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_unstack(x[0], C.int64_t(axis), C.int32_t(count), r, e)
	})
}

// Nonzero gives the indices of nonzero elements, an array of int64 for each axis. Runs.
func (x *Array) Nonzero() ([]*Array, error) {
	whole := []Operand{x}
	return giveArrays(x.NDim(), whole, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_nonzero(x[0], r, e)
	})
}

// Split gives views of equal parts.
func (x *Array) Split(sections, axis int) ([]*Array, error) {
	return giveArrays(sections, []Operand{x},
		func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_split(x[0], C.int32_t(sections), C.int64_t(axis), r, e)
		})
}

// ArraySplit gives views of parts whose sizes differ by one at most.
func (x *Array) ArraySplit(sections, axis int) ([]*Array, error) {
	return giveArrays(sections, []Operand{x},
		func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_array_split(x[0], C.int32_t(sections), C.int64_t(axis), r, e)
		})
}

// SplitAt gives views of the parts before, between and behind positions.
func (x *Array) SplitAt(axis int, positions ...int) ([]*Array, error) {
	count, list := sizes(positions)
	return giveArrays(len(positions)+1, []Operand{x},
		func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_split_at(x[0], count, list, C.int64_t(axis), r, e)
		})
}

// Roll moves elements along axes, those that fall out coming in at the other end. Without axes: along the flattened
// array.
func (x *Array) Roll(shifts []int, axes ...int) (*Array, error) {
	if len(axes) > 0 && len(axes) != len(shifts) {
		return nil, fail(ErrInvalidArgument, "Roll: %d shifts for %d axes", len(shifts), len(axes))
	}
	count, by := sizes(shifts)
	_, list := sizes(axes)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_roll(raw, count, by, list, r, e)
	})
}

// Repeat gives each element count times, flattened if the axis is [None].
func (x *Array) Repeat(count, axis int) (*Array, error) {
	at := axisOrNil(axis)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_repeat(raw, C.int64_t(count), at, r, e)
	})
}

// RepeatEach gives element i counts[i] times. Reads the counts.
func (x *Array) RepeatEach(counts *Array, axis int) (*Array, error) {
	at := axisOrNil(axis)
	return x.makeWith(counts, func(raw, counts C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_repeat_each(raw, counts, at, r, e)
	})
}

// Tile gives copies of the array side by side.
func (x *Array) Tile(reps ...int) (*Array, error) {
	count, list := sizes(reps)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_tile(raw, count, list, r, e)
	})
}

// Pad gives the array with elements around it: widths has, for each axis, how many before and behind. The value is for
// [PadConstant].
func (x *Array) Pad(widths [][2]int, mode PadMode, value Scalar) (*Array, error) {
	if len(widths) != x.NDim() {
		return nil, fail(ErrInvalidArgument, "Pad: %d pairs of widths for %d dimensions", len(widths), x.NDim())
	}
	flat := []int{}
	for _, pair := range widths {
		flat = append(flat, pair[0], pair[1])
	}
	_, list := sizes(flat)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_pad(raw, list, C.gpuopt_pad_mode(mode), value.raw, r, e)
	})
}

// Delete gives the array without the elements at these integers, or where this mask is true. Reads the indices.
func (x *Array) Delete(indices *Array, axis int) (*Array, error) {
	at := axisOrNil(axis)
	return x.makeWith(indices, func(raw, indices C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_delete(raw, indices, at, r, e)
	})
}

// Insert gives the array with values before these integers, or where this mask is true. Reads the indices.
func (x *Array) Insert(indices *Array, values Operand, axis int) (*Array, error) {
	at := axisOrNil(axis)
	all := []Operand{x, indices, values}
	return giveJoined(all, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_insert(x[0], x[1], x[2], at, r, e)
	})
}

// ExpandDimsAt gives a view with an axis of size 1 at each of these places in the result.
func (x *Array) ExpandDimsAt(axes ...int) (*Array, error) {
	count, list := sizes(axes)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_expand_dims_n(raw, count, list, r, e)
	})
}

// MoveAxis gives a view in which axis source[i] is axis destination[i].
func (x *Array) MoveAxis(source, destination []int) (*Array, error) {
	if len(source) != len(destination) {
		return nil, fail(ErrInvalidArgument, "MoveAxis: %d axes to %d places", len(source), len(destination))
	}
	count, from := sizes(source)
	_, to := sizes(destination)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_moveaxis(raw, count, from, to, r, e)
	})
}

// SwapAxes gives a view with two axes swapped.
func (x *Array) SwapAxes(axis1, axis2 int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_swapaxes(raw, C.int64_t(axis1), C.int64_t(axis2), r, e)
	})
}

// Rot90 gives a view turned by k times 90 degrees, from the first axis towards the second.
func (x *Array) Rot90(k, axis1, axis2 int) (*Array, error) {
	_, axes := sizes([]int{axis1, axis2})
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_rot90(raw, C.int64_t(k), axes, r, e)
	})
}

// Diagonal gives a read-only view of the diagonal of two axes.
func (x *Array) Diagonal(offset, axis1, axis2 int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_diagonal(raw, C.int64_t(offset), C.int64_t(axis1), C.int64_t(axis2), r, e)
	})
}

// Diag gives a matrix with the array on its k-th diagonal; or that of a matrix, as a read-only view.
func (x *Array) Diag(k int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_diag(raw, C.int64_t(k), r, e)
	})
}

// Ravel gives one dimension in C order: a view of a C-contiguous array, else a copy.
func (x *Array) Ravel() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ravel(raw, r, e)
	})
}

// AtLeast gives a view of at least 1, 2 or 3 dimensions.
func (x *Array) AtLeast(ndim int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_atleast_nd(raw, C.int32_t(ndim), r, e)
	})
}
