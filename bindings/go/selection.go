// bindings/go/selection.go -- choosing, editing and joining by conditions and indices.

package gpuopt

// #include <gpuopt/gpuopt.h>
import "C"

import "unsafe"

// An IndexMode says what is done with an index that is out of range.
type IndexMode int32

const (
	IndexRaise IndexMode = C.GPUOPT_MODE_RAISE // it is an error
	IndexWrap  IndexMode = C.GPUOPT_MODE_WRAP  // it counts modulo the number of elements
	IndexClip  IndexMode = C.GPUOPT_MODE_CLIP  // it stands for the nearest index
)

// An UpdateOp is what [Array.ApplyAt] does with an element and a value.
type UpdateOp int32

const (
	UpdateAdd      UpdateOp = C.GPUOPT_OP_add
	UpdateSubtract UpdateOp = C.GPUOPT_OP_subtract
	UpdateMultiply UpdateOp = C.GPUOPT_OP_multiply
	UpdateMinimum  UpdateOp = C.GPUOPT_OP_minimum
	UpdateMaximum  UpdateOp = C.GPUOPT_OP_maximum
	UpdateFmin     UpdateOp = C.GPUOPT_OP_fmin
	UpdateFmax     UpdateOp = C.GPUOPT_OP_fmax
)

// Choose gives choices[x] for each element of this array of indices.
func (x *Array) Choose(mode IndexMode, choices ...Operand) (*Array, error) {
	all := append([]Operand{x}, choices...)
	return giveJoined(all, func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_choose(h[0], C.int32_t(len(h)-1), first(h[1:]), C.gpuopt_index_mode(mode), r, e)
	})
}

// Select gives, for each element, the choice of the first condition that is true, or otherwise.
func Select(conditions []*Array, choices []Operand, otherwise Operand) (*Array, error) {
	n := len(conditions)
	if n != len(choices) {
		return nil, fail(ErrInvalidArgument, "Select: %d conditions and %d choices", n, len(choices))
	}
	all := append(append(operandsOf(conditions), choices...), otherwise)
	return giveJoined(all, func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_select(C.int32_t(n), first(h[:n]), first(h[n:]), h[2*n], r, e)
	})
}

// Piecewise gives values[i] where condition i is true, in the shape and dtype of x; one value more is for the rest.
func (x *Array) Piecewise(conditions []*Array, values ...Operand) (*Array, error) {
	n := len(conditions)
	all := append(append([]Operand{x}, operandsOf(conditions)...), values...)
	return giveJoined(all, func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		when, what := h[1:1+n], h[1+n:]
		return C.gpuopt_piecewise(h[0], C.int32_t(n), first(when), C.int32_t(len(what)), first(what), r, e)
	})
}

// Compress gives the slices along an axis, or of the flattened array if it is [None], whose condition is true. Runs.
func (x *Array) Compress(condition *Array, axis int) (*Array, error) {
	at := axisOrNil(axis)
	return x.makeWith(condition, func(raw, c C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_compress(c, raw, at, r, e)
	})
}

// Extract gives the elements at which a condition is true, as one dimension. Runs.
func (x *Array) Extract(condition *Array) (*Array, error) {
	return x.makeWith(condition, func(raw, c C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_extract(c, raw, r, e)
	})
}

// FlatNonzero gives the places of nonzero elements of the flattened array. Runs.
func (x *Array) FlatNonzero() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_flatnonzero(raw, r, e)
	})
}

// TrimZeros gives a view without the zeros at the front and the back of each axis ([None]), or of one. Runs.
func (x *Array) TrimZeros(axis int) (*Array, error) {
	at := axisOrNil(axis)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_trim_zeros(raw, 0, at, r, e)
	})
}

// CopyTo is x[...] = value where a mask is true (nil: everywhere), if NumPy's rule same_kind allows the cast.
func (x *Array) CopyTo(value Operand, mask *Array) error {
	all := []Operand{x, value}
	if mask != nil {
		all = append(all, mask)
	}
	return withOperands(all, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_copyto(h[0], h[1], optional(h, 2), e)
	})
}

// PutMask writes the values at their own places, again from the first one on, where the mask is true.
func (x *Array) PutMask(mask *Array, values Operand) error {
	return withOperands([]Operand{x, mask, values}, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_putmask(h[0], h[1], h[2], e)
	})
}

// Place writes the values, one after the other, to the elements where the mask is true. Runs.
func (x *Array) Place(mask *Array, values Operand) error {
	return withOperands([]Operand{x, mask, values}, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_place(h[0], h[1], h[2], e)
	})
}

// FillDiagonal writes the values to the diagonal; wrap: it begins anew behind a matrix with more rows than columns.
func (x *Array) FillDiagonal(values Operand, wrap bool) error {
	return withOperands([]Operand{x, values}, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_fill_diagonal(h[0], h[1], flag(wrap), e)
	})
}

// PutAlongAxis writes values at indices along an axis, which broadcast to the array along the others. Runs.
func (x *Array) PutAlongAxis(indices *Array, values Operand, axis int) error {
	return withOperands([]Operand{x, indices, values}, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_put_along_axis(h[0], h[1], h[2], C.int64_t(axis), e)
	})
}

// ApplyAt is x[items] = op(x[items], values), where each of several equal indices counts, in their order: NumPy's
// add.at and its like. Runs.
func (x *Array) ApplyAt(op UpdateOp, values Operand, items ...Index) error {
	raws, operands := split(items, x, values)
	return withOperands(operands, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		n, narrays := C.int32_t(len(raws)), C.int32_t(len(h)-2)
		return C.gpuopt_apply_at(C.gpuopt_op(op), h[0], n, first(raws), narrays, first(h[2:]), h[1], e)
	})
}

// AddAt is x[items] += values, where each of several equal indices counts. Runs.
func (x *Array) AddAt(values Operand, items ...Index) error {
	return x.ApplyAt(UpdateAdd, values, items...)
}

// severalOf makes a C call on a device that gives several arrays out.
func (d *Device) severalOf(count int, call func(raw C.gpuopt_device, r *C.gpuopt_array,
	e *C.gpuopt_error) C.gpuopt_status) ([]*Array, error) {
	raw, err := d.hold()
	if err != nil {
		return nil, err
	}
	defer d.h.done()
	return giveArrays(count, nil, func(_ []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(raw, r, e)
	})
}

// DiagIndices gives the indices of the diagonal of an array with ndim axes of size n.
func (d *Device) DiagIndices(n, ndim int) ([]*Array, error) {
	return d.severalOf(ndim, func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_diag_indices(raw, C.int64_t(n), C.int32_t(ndim), r, e)
	})
}

// DiagIndicesFrom gives the indices of the diagonal of this array.
func (x *Array) DiagIndicesFrom() ([]*Array, error) {
	return giveArrays(x.NDim(), []Operand{x},
		func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_diag_indices_from(h[0], r, e)
		})
}

// second gives the place behind a result, of two.
func second(r *C.gpuopt_array) *C.gpuopt_array { return &unsafe.Slice(r, 2)[1] }

// rowsAndColumns gives two arrays apart.
func rowsAndColumns(arrays []*Array, err error) (rows, columns *Array, failure error) {
	if err != nil {
		return nil, nil, err
	}
	return arrays[0], arrays[1], nil
}

// TrilIndices gives the rows and columns at and below the k-th diagonal of a matrix; columns -1: as many as rows. Runs.
func (d *Device) TrilIndices(rows, columns, k int) (*Array, *Array, error) {
	return rowsAndColumns(d.severalOf(2,
		func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_tril_indices(raw, C.int64_t(rows), C.int64_t(k), C.int64_t(columns), r, second(r), e)
		}))
}

// TriuIndices gives the rows and columns at and above the k-th diagonal of a matrix; columns -1: as many as rows. Runs.
func (d *Device) TriuIndices(rows, columns, k int) (*Array, *Array, error) {
	return rowsAndColumns(d.severalOf(2,
		func(raw C.gpuopt_device, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_triu_indices(raw, C.int64_t(rows), C.int64_t(k), C.int64_t(columns), r, second(r), e)
		}))
}

// TrilIndicesFrom gives the rows and columns at and below the k-th diagonal of this matrix. Runs.
func (x *Array) TrilIndicesFrom(k int) (*Array, *Array, error) {
	return rowsAndColumns(giveArrays(2, []Operand{x},
		func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_tril_indices_from(h[0], C.int64_t(k), r, second(r), e)
		}))
}

// TriuIndicesFrom gives the rows and columns at and above the k-th diagonal of this matrix. Runs.
func (x *Array) TriuIndicesFrom(k int) (*Array, *Array, error) {
	return rowsAndColumns(giveArrays(2, []Operand{x},
		func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_triu_indices_from(h[0], C.int64_t(k), r, second(r), e)
		}))
}

// RavelMultiIndex gives one index into an array of this shape for the indices into each of its axes. fortran: the first
// axis varies fastest.
func RavelMultiIndex(shape []int, mode IndexMode, fortran bool, indices ...*Array) (*Array, error) {
	if len(shape) != len(indices) {
		return nil, fail(ErrInvalidArgument, "RavelMultiIndex: %d arrays for %d sizes", len(indices), len(shape))
	}
	ndim, list := sizes(shape)
	modes := make([]C.gpuopt_index_mode, len(shape))
	for i := range modes {
		modes[i] = C.gpuopt_index_mode(mode)
	}
	all := operandsOf(indices)
	return giveJoined(all, func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ravel_multi_index(ndim, first(h), list, first(modes), flag(fortran), r, e)
	})
}

// UnravelIndex gives the indices into each axis of a shape for these indices into the array as one dimension.
func (x *Array) UnravelIndex(fortran bool, shape ...int) ([]*Array, error) {
	ndim, list := sizes(shape)
	return giveArrays(len(shape), []Operand{x},
		func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_unravel_index(h[0], ndim, list, flag(fortran), r, e)
		})
}

// Ix gives arrays that index the grid of lists.
func Ix(lists ...*Array) ([]*Array, error) {
	return giveArrays(len(lists), operandsOf(lists),
		func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_ix(C.int32_t(len(h)), first(h), r, e)
		})
}

// Resize gives the elements, again from the first one on, in another shape.
func (x *Array) Resize(shape ...int) (*Array, error) {
	ndim, list := sizes(shape)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_resize(raw, ndim, list, r, e)
	})
}

// RollAxis gives a view with an axis moved before the axis that is start now.
func (x *Array) RollAxis(axis, start int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_rollaxis(raw, C.int64_t(axis), C.int64_t(start), r, e)
	})
}

// FlipLR gives a view with the columns in reverse.
func (x *Array) FlipLR() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_fliplr(raw, r, e)
	})
}

// FlipUD gives a view with the rows in reverse.
func (x *Array) FlipUD() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_flipud(raw, r, e)
	})
}

// DiagFlat gives a matrix of zeros with the flattened array on its k-th diagonal.
func (x *Array) DiagFlat(k int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_diagflat(raw, C.int64_t(k), r, e)
	})
}

// HStack gives arrays one beside the other.
func HStack(arrays ...*Array) (*Array, error) {
	list := operandsOf(arrays)
	return giveJoined(list, func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_hstack(C.int32_t(len(h)), first(h), r, e)
	})
}

// VStack gives arrays one below the other; those of one dimension are rows.
func VStack(arrays ...*Array) (*Array, error) {
	list := operandsOf(arrays)
	return giveJoined(list, func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_vstack(C.int32_t(len(h)), first(h), r, e)
	})
}

// DStack gives arrays one behind the other along the third axis.
func DStack(arrays ...*Array) (*Array, error) {
	list := operandsOf(arrays)
	return giveJoined(list, func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_dstack(C.int32_t(len(h)), first(h), r, e)
	})
}

// ColumnStack gives arrays as the columns of a matrix.
func ColumnStack(arrays ...*Array) (*Array, error) {
	list := operandsOf(arrays)
	return giveJoined(list, func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_column_stack(C.int32_t(len(h)), first(h), r, e)
	})
}

// HSplit gives views of equal parts side by side.
func (x *Array) HSplit(sections int) ([]*Array, error) {
	return giveArrays(sections, []Operand{x},
		func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_hsplit(h[0], C.int32_t(sections), r, e)
		})
}

// VSplit gives views of equal parts of the rows.
func (x *Array) VSplit(sections int) ([]*Array, error) {
	return giveArrays(sections, []Operand{x},
		func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_vsplit(h[0], C.int32_t(sections), r, e)
		})
}

// DSplit gives views of equal parts along the third axis.
func (x *Array) DSplit(sections int) ([]*Array, error) {
	return giveArrays(sections, []Operand{x},
		func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
			return C.gpuopt_dsplit(h[0], C.int32_t(sections), r, e)
		})
}

// Block gives an array of rows of blocks.
func Block(rows ...[]*Array) (*Array, error) {
	counts, all := []C.int32_t{C.int32_t(len(rows))}, []Operand{}
	for _, row := range rows {
		counts = append(counts, C.int32_t(len(row)))
		all = append(all, operandsOf(row)...)
	}
	return giveJoined(all, func(h []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_block(2, C.int32_t(len(counts)), first(counts), C.int32_t(len(h)), first(h), r, e)
	})
}

// EDiff1D gives the differences of neighbours of the flattened array.
func (x *Array) EDiff1D() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_ediff1d(raw, nil, nil, r, e)
	})
}

// ApplyAlongAxis gives what a function makes of each line along an axis, in the place of the line. All results have one
// shape. It calls the function for one line after the other.
func (x *Array) ApplyAlongAxis(axis int, function func(line *Array) (*Array, error)) (*Array, error) {
	moved, err := x.MoveAxis([]int{axis}, []int{-1})
	if err != nil {
		return nil, err
	}
	defer moved.Close()
	shape := moved.Shape()
	outer, count := shape[:len(shape)-1], 1
	for _, size := range outer {
		count *= size
	}
	if count == 0 {
		return nil, fail(ErrInvalidArgument, "Cannot apply_along_axis when any iteration dimensions are 0")
	}
	made, err := applyToLines(moved, count, shape[len(shape)-1], function)
	if err != nil {
		return nil, err
	}
	defer made.Close()
	inner := made.Shape()[1:]
	whole, err := made.Reshape(append(append([]int{}, outer...), inner...)...)
	if err != nil {
		return nil, err
	}
	defer whole.Close()
	if axis < 0 {
		axis += len(shape)
	}
	from, to := make([]int, len(inner)), make([]int, len(inner))
	for i := range inner {
		from[i], to[i] = len(outer)+i, axis+i
	}
	return whole.MoveAxis(from, to)
}

// applyToLines gives what a function makes of each line along the last axis, stacked.
func applyToLines(x *Array, count, size int, function func(line *Array) (*Array, error)) (*Array, error) {
	lines, err := x.Reshape(count, size)
	if err != nil {
		return nil, err
	}
	defer lines.Close()
	var made []*Array
	defer func() {
		for _, result := range made {
			result.Close()
		}
	}()
	for i := 0; i < count; i++ {
		line, err := lines.At(At(i))
		if err != nil {
			return nil, err
		}
		result, err := function(line)
		if result != line {
			line.Close()
		}
		if err != nil {
			return nil, err
		}
		made = append(made, result)
	}
	return Stack(0, made...)
}

// ArrayEqual tells whether two arrays have one shape and equal elements; NaN equals NaN if equalNaN. Runs.
func ArrayEqual(x1, x2 *Array, equalNaN bool) (bool, error) {
	var answer C.int32_t
	err := withOperands([]Operand{x1, x2}, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_array_equal(h[0], h[1], flag(equalNaN), &answer, e)
	})
	return answer != 0, err
}

// ArrayEquiv tells whether two operands broadcast to one shape and are equal there. Runs.
func ArrayEquiv(x1, x2 Operand) (bool, error) {
	var answer C.int32_t
	err := withOperands([]Operand{x1, x2}, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_array_equiv(h[0], h[1], &answer, e)
	})
	return answer != 0, err
}

// AllClose tells whether all elements are close, as [IsClose] says. Runs.
func AllClose(x1, x2 Operand, rtol, atol float64, equalNaN bool) (bool, error) {
	var answer C.int32_t
	err := withOperands([]Operand{x1, x2}, func(h []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_allclose(h[0], h[1], C.double(rtol), C.double(atol), flag(equalNaN), &answer, e)
	})
	return answer != 0, err
}

// IsPosInf tells where an element is positive infinity.
func (x *Array) IsPosInf() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_isposinf(raw, r, e)
	})
}

// IsNegInf tells where an element is negative infinity.
func (x *Array) IsNegInf() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_isneginf(raw, r, e)
	})
}

// IsComplex tells where the imaginary part is not 0.
func (x *Array) IsComplex() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_iscomplex(raw, r, e)
	})
}

// IsReal tells where the imaginary part is 0.
func (x *Array) IsReal() (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_isreal(raw, r, e)
	})
}
