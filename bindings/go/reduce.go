// bindings/go/reduce.go -- what a reduction reduces, the statistics, products and norms.

package gpuopt

// #include "shim.h"
import "C"
import "unsafe"

// reduceOptions are what the options of a call add up to.
type reduceOptions struct {
	axes       []int
	how        C.gpuopt_go_axes
	where, out *Array
}

// A ReduceOption says what a reduction reduces, or how: [Axes], [KeepDims], [Accumulate], [Correction], [Only],
// [Initial], [Out].
type ReduceOption func(*reduceOptions)

// Axes names the axes to reduce, each once; negative ones count from the end.
func Axes(axes ...int) ReduceOption {
	return func(o *reduceOptions) { o.axes, o.how.naxes = axes, C.int32_t(len(axes)) }
}

// KeepDims keeps reduced axes, with size 1.
func KeepDims() ReduceOption { return func(o *reduceOptions) { o.how.keepdims = 1 } }

// Accumulate gives the dtype of the accumulation and result, for Sum, Prod and Mean.
func Accumulate(dtype DType) ReduceOption {
	return func(o *reduceOptions) { o.how.dtype = C.int32_t(dtype) }
}

// Correction is for Var and Std: the divisor is n - correction (NumPy's ddof).
func Correction(correction float64) ReduceOption {
	return func(o *reduceOptions) { o.how.correction = C.double(correction) }
}

// Only says which elements count: a bool array that broadcasts to the one that is reduced. Max and Min also need
// [Initial].
func Only(mask *Array) ReduceOption { return func(o *reduceOptions) { o.where = mask } }

// Initial gives a number that is combined with the elements, in the result's dtype; what Max and Min of nothing are.
func Initial(number Scalar) ReduceOption {
	return func(o *reduceOptions) { o.how.initial, o.how.has_initial = number.raw, 1 }
}

// Out gives the array that the result is written to, in its shape and cast to its dtype by any cast. What the reduction
// gives is another reference to it.
func Out(out *Array) ReduceOption { return func(o *reduceOptions) { o.out = out } }

// collect adds options up, and holds their arrays until done is called.
func collect(options []ReduceOption) (axes *C.int64_t, how C.gpuopt_go_axes, done func(), err error) {
	o := reduceOptions{how: C.gpuopt_go_axes{naxes: -1}}
	for _, option := range options {
		option(&o)
	}
	_, axes = sizes(o.axes)
	where, whereDone, err := holdOptional(o.where)
	if err != nil {
		return nil, o.how, nil, err
	}
	out, outDone, err := holdOptional(o.out)
	if err != nil {
		whereDone()
		return nil, o.how, nil, err
	}
	o.how.where, o.how.out = where, out
	return axes, o.how, func() { whereDone(); outDone() }, nil
}

// collectAxes does so for what takes axes and nothing else; what names it in the error.
func collectAxes(what string, options []ReduceOption) (*C.int64_t, C.gpuopt_go_axes, error) {
	axes, how, done, err := collect(options)
	if err != nil {
		return nil, how, err
	}
	done()
	if how.dtype != 0 || how.correction != 0 {
		return nil, how, fail(ErrInvalidArgument, "%s takes axes without dtype and correction", what)
	}
	if how.has_initial != 0 || how.where != nil || how.out != nil {
		return nil, how, fail(ErrInvalidArgument, "%s takes axes without mask, initial and out", what)
	}
	return axes, how, nil
}

func reduce(function C.gpuopt_go_reduction, x *Array, options []ReduceOption) (*Array, error) {
	axes, how, done, err := collect(options)
	if err != nil {
		return nil, err
	}
	defer done()
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_reduce(function, raw, axes, how, r, e)
	})
}

// Mean gives the mean; integers and bool in float64. No elements give NaN.
func Mean(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_mean), x, options)
}

// Var gives the variance, in two passes; of complex numbers real.
func Var(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_var), x, options)
}

// Std gives the standard deviation, in two passes; of complex numbers real.
func Std(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_std), x, options)
}

// NanSum is Sum over the elements that are not NaN; 0 where none is left.
func NanSum(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_nansum), x, options)
}

// NanProd is Prod over the elements that are not NaN; 1 where none is left.
func NanProd(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_nanprod), x, options)
}

// NanMean is [Mean] over the elements that are not NaN; NaN where none is left.
func NanMean(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_nanmean), x, options)
}

// NanVar is [Var] over the elements that are not NaN; NaN where none is left.
func NanVar(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_nanvar), x, options)
}

// NanStd is [Std] over the elements that are not NaN; NaN where none is left.
func NanStd(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_nanstd), x, options)
}

// Median gives the element in the middle, or the mean of the two that are. Runs.
func Median(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_median), x, options)
}

// NanMedian gives the element in the middle of those that are not NaN. Runs.
func NanMedian(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_nanmedian), x, options)
}

// Ptp gives the greatest element less the least one.
func Ptp(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_ptp), x, options)
}

// NanArgMin gives the position of the least element that is not NaN; an error where none is left.
func NanArgMin(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_nanargmin), x, options)
}

// NanArgMax gives the position of the greatest element that is not NaN; an error where none is left.
func NanArgMax(x *Array, options ...ReduceOption) (*Array, error) {
	return reduce(C.gpuopt_go_reduction(C.gpuopt_nanargmax), x, options)
}

// VectorNorm gives (sum |x|^ord)^(1/ord); infinite and zero ord as numpy.linalg.vector_norm.
func VectorNorm(x *Array, ord float64, options ...ReduceOption) (*Array, error) {
	axes, how, done, err := collect(options)
	if err != nil {
		return nil, err
	}
	defer done()
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_vector_norm(raw, C.double(ord), axes, how, r, e)
	})
}

// MatMul gives the matrix product; vectors are rows or columns, leading dimensions broadcast.
func MatMul(x1, x2 *Array) (*Array, error) {
	return x1.makeWith(x2, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_matmul(raw, other, r, e)
	})
}

// A ProductMode says how a product of floats is computed.
type ProductMode int32

const (
	ProductAsSet ProductMode = C.GPUOPT_PRODUCT_DEFAULT // as GPUOPT_MATMUL says: ProductExact without it
	ProductExact ProductMode = C.GPUOPT_PRODUCT_EXACT   // in a defined order, with the same bits everywhere
	ProductFast  ProductMode = C.GPUOPT_PRODUCT_FAST    // by a BLAS or cuBLAS, whose bits differ; else exactly
)

// MatMulWith is [MatMul], whatever GPUOPT_MATMUL says.
func MatMulWith(x1, x2 *Array, mode ProductMode) (*Array, error) {
	return x1.makeWith(x2, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		options := C.gpuopt_product_options{mode: C.gpuopt_product_mode(mode)}
		options.struct_size = C.uint32_t(unsafe.Sizeof(options))
		return C.gpuopt_matmul_with(raw, other, &options, r, e)
	})
}

// Dot is NumPy's dot: of vectors the inner product, of matrices the matrix product.
func Dot(x1, x2 *Array) (*Array, error) {
	return x1.makeWith(x2, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_dot(raw, other, r, e)
	})
}

// Outer is x1[:, None] * x2[None, :] of the flattened arrays.
func Outer(x1, x2 *Array) (*Array, error) {
	return x1.makeWith(x2, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_outer(raw, other, r, e)
	})
}

// Cross is the cross product of vectors of three elements along an axis of each.
func Cross(x1, x2 *Array, axis int) (*Array, error) {
	return x1.makeWith(x2, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_cross(raw, other, C.int64_t(axis), r, e)
	})
}

// Kron is the Kronecker product: x2 times each element of x1, in its place.
func Kron(x1, x2 *Array) (*Array, error) {
	return x1.makeWith(x2, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_kron(raw, other, r, e)
	})
}

// Trace gives the sums of the diagonals of the matrices in two axes, offset places above the main one.
func (x *Array) Trace(offset, axis1, axis2 int) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_trace(raw, C.int64_t(offset), C.int64_t(axis1), C.int64_t(axis2), 0, r, e)
	})
}

// VecDot is sum(conj(x1) * x2) along axis of the broadcast arrays.
func VecDot(x1, x2 *Array, axis int) (*Array, error) {
	return x1.makeWith(x2, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_vecdot(raw, other, C.int64_t(axis), r, e)
	})
}

// TensorDot sums over pairs of axes, axes1 of x1 with axes2 of x2.
func TensorDot(x1, x2 *Array, axes1, axes2 []int) (*Array, error) {
	if len(axes1) != len(axes2) {
		return nil, fail(ErrShape, "TensorDot: %d axes of one array and %d of the other", len(axes1), len(axes2))
	}
	if len(axes1) == 0 {
		return multiplyOuter(x1, x2)
	}
	count, list1 := sizes(axes1)
	_, list2 := sizes(axes2)
	return x1.makeWith(x2, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_tensordot(raw, other, count, list1, list2, r, e)
	})
}

// multiplyOuter is TensorDot over no axes.
func multiplyOuter(x1, x2 *Array) (*Array, error) {
	return x1.makeWith(x2, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_tensordot(raw, other, 0, nil, nil, r, e)
	})
}

// Frobenius is an order of [MatrixNorm].
const Frobenius = C.GPUOPT_NORM_FROBENIUS

// MatrixNorm gives norms of the matrices in the last two axes: [Frobenius], [NormNuclear], 1, -1, 2, -2 and the
// infinities.
func MatrixNorm(x *Array, ord float64, keepDims bool) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_matrix_norm(raw, C.double(ord), flag(keepDims), r, e)
	})
}

// Norm gives the 2-norm of all elements, as numpy.linalg.norm.
func Norm(x *Array) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_norm(raw, r, e)
	})
}
