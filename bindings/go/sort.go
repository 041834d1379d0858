// bindings/go/sort.go -- sorting, searching and sets. All of these run. NaN is last, also in descending order; -0
// equals 0; equal elements keep their order.

package gpuopt

// #include "shim.h"
import "C"

import "unsafe"

// Sort gives the array in order along an axis, flattened first if that is [None].
func (x *Array) Sort(axis int, descending bool) (*Array, error) {
	at := axisOrNil(axis)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_sort(raw, at, flag(descending), r, e)
	})
}

// ArgSort gives the positions, int64, that sort the array.
func (x *Array) ArgSort(axis int, descending bool) (*Array, error) {
	at := axisOrNil(axis)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_argsort(raw, at, flag(descending), r, e)
	})
}

// Partition gives the array with the element at position kth in its sorted place, between those not greater and those
// not less.
func (x *Array) Partition(kth, axis int) (*Array, error) {
	at := axisOrNil(axis)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_partition(raw, C.int64_t(kth), at, r, e)
	})
}

// ArgPartition gives the positions, int64, that do that.
func (x *Array) ArgPartition(kth, axis int) (*Array, error) {
	at := axisOrNil(axis)
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_argpartition(raw, C.int64_t(kth), at, r, e)
	})
}

// giveEach makes a C call with one array that writes an array to each of count places.
func (x *Array) giveEach(count int, call func(raw C.gpuopt_array, results []*C.gpuopt_array,
	e *C.gpuopt_error) C.gpuopt_status) ([]*Array, error) {
	results := make([]*C.gpuopt_array, count)
	for i := range results {
		results[i] = new(C.gpuopt_array)
	}
	err := withOperands([]Operand{x}, func(raws []C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(raws[0], results, e)
	})
	if err != nil {
		return nil, err
	}
	arrays := make([]*Array, count)
	for i := range arrays {
		arrays[i] = newArray(*results[i])
	}
	return arrays, nil
}

// giveTwo does the same for two places.
func (x *Array) giveTwo(call func(raw C.gpuopt_array, r, s *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status) (
	*Array, *Array, error) {
	arrays, err := x.giveEach(2, func(raw C.gpuopt_array, r []*C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return call(raw, r[0], r[1], e)
	})
	if err != nil {
		return nil, nil, err
	}
	return arrays[0], arrays[1], nil
}

// TopK gives the k largest or smallest elements along an axis in order, and their positions.
func (x *Array) TopK(k, axis int, largest bool) (values, indices *Array, err error) {
	return x.giveTwo(func(raw C.gpuopt_array, r, s *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_top_k(raw, C.int64_t(k), C.int64_t(axis), flag(largest), r, s, e)
	})
}

// LexSort gives the positions, int64, that sort by several keys of one shape, of which the last one counts most.
func LexSort(axis int, keys ...*Array) (*Array, error) {
	list := operandsOf(keys)
	return giveJoined(list, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_lexsort(C.int32_t(len(x)), first(x), C.int64_t(axis), r, e)
	})
}

// TakeAlongAxis gives the elements at indices along an axis, such as those of [Array.ArgSort].
func (x *Array) TakeAlongAxis(indices *Array, axis int) (*Array, error) {
	return x.makeWith(indices, func(raw, indices C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_take_along_axis(raw, indices, C.int64_t(axis), r, e)
	})
}

// SearchSorted says where values would be put into the array, which is in order, or which the positions of the sorter
// sort if that is not nil; right: behind equal elements.
func (x *Array) SearchSorted(values Operand, right bool, sorter *Array) (*Array, error) {
	all := []Operand{x, values}
	if sorter != nil {
		all = append(all, sorter)
	}
	return giveJoined(all, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_searchsorted(x[0], x[1], flag(right), optional(x, 2), r, e)
	})
}

// optional gives the handle at a place, or none.
func optional(raws []C.gpuopt_array, place int) C.gpuopt_array {
	if place < len(raws) {
		return raws[place]
	}
	return nil
}

// Digitize gives the bin of each element between bounds in order; with right the upper bound belongs to a bin.
func (x *Array) Digitize(bins *Array, right bool) (*Array, error) {
	return x.makeWith(bins, func(raw, bins C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_digitize(raw, bins, flag(right), r, e)
	})
}

// BinCount says how often each integer from 0 on is there, or gives the sums of their weights, if these are not nil.
func (x *Array) BinCount(weights *Array, minLength int) (*Array, error) {
	all := []Operand{x}
	if weights != nil {
		all = append(all, weights)
	}
	return giveJoined(all, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_bincount(x[0], optional(x, 1), C.int64_t(minLength), r, e)
	})
}

// Histogram says how many elements are in each of so many bins of one width, and gives the edges of these: between the
// least and the greatest element or, if low < high, between these two. density: divided by the width and the number.
func (x *Array) Histogram(bins int, low, high float64, density bool) (counts, edges *Array, err error) {
	var bounds *C.double
	if low < high {
		bounds = &[]C.double{C.double(low), C.double(high)}[0]
	}
	return x.giveTwo(func(raw C.gpuopt_array, r, s *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_histogram(raw, C.int64_t(bins), bounds, nil, flag(density), r, s, e)
	})
}

// HistogramWith says how many elements are between each two of the edges, which are in order.
func (x *Array) HistogramWith(edges *Array, density bool) (*Array, error) {
	return x.makeWith(edges, func(raw, edges C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_histogram_with(raw, edges, nil, flag(density), r, e)
	})
}

// HistogramDD says how many points, rows of a matrix, are in each cell of a grid of so many bins along each axis, and
// gives the edges along these: between the least and the greatest coordinates or, if ranges is not nil, between two
// numbers for each axis. density: divided by the volumes and the number of all.
func (x *Array) HistogramDD(bins []int, ranges [][2]float64, density bool) (counts *Array, edges []*Array, err error) {
	if ranges != nil && len(ranges) != len(bins) {
		return nil, nil, fail(ErrShape, "HistogramDD: %d ranges for %d axes", len(ranges), len(bins))
	}
	var bounds []C.double
	for _, r := range ranges {
		bounds = append(bounds, C.double(r[0]), C.double(r[1]))
	}
	dims, list := sizes(bins)
	all, err := giveArrays(len(bins)+1, []Operand{x}, func(raws []C.gpuopt_array, results *C.gpuopt_array,
		e *C.gpuopt_error) C.gpuopt_status {
		places := unsafe.Slice(results, len(bins)+2)
		return C.gpuopt_histogramdd(raws[0], dims, list, first(bounds), nil, flag(density), results, &places[1], e)
	})
	if err != nil {
		return nil, nil, err
	}
	return all[0], all[1:], nil
}

// HistogramDDWith says how many points are between each two of the edges along each axis, which are in order.
func (x *Array) HistogramDDWith(density bool, edges ...*Array) (*Array, error) {
	all := append([]Operand{x}, operandsOf(edges)...)
	return giveJoined(all, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_histogramdd_with(x[0], C.int32_t(len(x)-1), first(x[1:]), nil, flag(density), r, e)
	})
}

// UniqueValues gives the different elements in order. NaNs are different ones unless equalNaN.
func (x *Array) UniqueValues(equalNaN bool) (*Array, error) {
	return x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_unique_values(raw, flag(equalNaN), r, e)
	})
}

// UniqueCounts gives the different elements, and how often each is there.
func (x *Array) UniqueCounts(equalNaN bool) (values, counts *Array, err error) {
	return x.giveTwo(func(raw C.gpuopt_array, r, s *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_unique_counts(raw, flag(equalNaN), r, s, e)
	})
}

// UniqueInverse gives the different elements, and which one each element is.
func (x *Array) UniqueInverse(equalNaN bool) (values, inverse *Array, err error) {
	return x.giveTwo(func(raw C.gpuopt_array, r, s *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_unique_inverse(raw, flag(equalNaN), r, s, e)
	})
}

// A Unique is what [Array.UniqueAll] gives: the different elements, where each stands first, which one each element is,
// and how often each is there.
type Unique struct {
	Values, Indices, Inverse, Counts *Array
}

// UniqueAll gives the different elements and all about them.
func (x *Array) UniqueAll(equalNaN bool) (Unique, error) {
	all, err := x.giveEach(4, func(raw C.gpuopt_array, r []*C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_unique_all(raw, flag(equalNaN), r[0], r[1], r[2], r[3], e)
	})
	if err != nil {
		return Unique{}, err
	}
	return Unique{all[0], all[1], all[2], all[3]}, nil
}

// IsIn says whether each element is one of the others or, with invert, whether it is none.
func (x *Array) IsIn(others Operand, invert bool) (*Array, error) {
	both := []Operand{x, others}
	return giveJoined(both, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_isin(x[0], x[1], flag(invert), r, e)
	})
}

// Union1D gives the elements that are in one of the two, in order.
func (x *Array) Union1D(other *Array) (*Array, error) {
	return x.makeWith(other, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_union1d(raw, other, r, e)
	})
}

// Intersect1D gives the elements that are in both, in order.
func (x *Array) Intersect1D(other *Array) (*Array, error) {
	return x.makeWith(other, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_intersect1d(raw, other, r, e)
	})
}

// SetDiff1D gives the elements that are not in the other, in order.
func (x *Array) SetDiff1D(other *Array) (*Array, error) {
	return x.makeWith(other, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_setdiff1d(raw, other, r, e)
	})
}

// SetXor1D gives the elements that are in exactly one of the two, in order.
func (x *Array) SetXor1D(other *Array) (*Array, error) {
	return x.makeWith(other, func(raw, other C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_setxor1d(raw, other, r, e)
	})
}

// A QuantileMethod says how [Quantile] chooses: NumPy's methods.
type QuantileMethod int32

const (
	// QuantileLinear: between two elements in proportion.
	QuantileLinear QuantileMethod = C.GPUOPT_QUANTILE_LINEAR
	// QuantileLower: the element before the position.
	QuantileLower QuantileMethod = C.GPUOPT_QUANTILE_LOWER
	// QuantileHigher: the element behind the position.
	QuantileHigher QuantileMethod = C.GPUOPT_QUANTILE_HIGHER
	// QuantileMidpoint: the middle between the two.
	QuantileMidpoint QuantileMethod = C.GPUOPT_QUANTILE_MIDPOINT
	// QuantileNearest: the nearer one of the two.
	QuantileNearest QuantileMethod = C.GPUOPT_QUANTILE_NEAREST
	// QuantileInvertedCdf: `inverted_cdf` of NumPy.
	QuantileInvertedCdf QuantileMethod = C.GPUOPT_QUANTILE_INVERTED_CDF
	// QuantileAveragedInvertedCdf: `averaged_inverted_cdf` of NumPy.
	QuantileAveragedInvertedCdf QuantileMethod = C.GPUOPT_QUANTILE_AVERAGED_INVERTED_CDF
	// QuantileClosestObservation: `closest_observation` of NumPy.
	QuantileClosestObservation QuantileMethod = C.GPUOPT_QUANTILE_CLOSEST_OBSERVATION
	// QuantileInterpolatedInvertedCdf: `interpolated_inverted_cdf` of NumPy.
	QuantileInterpolatedInvertedCdf QuantileMethod = C.GPUOPT_QUANTILE_INTERPOLATED_INVERTED_CDF
	// QuantileHazen: `hazen` of NumPy.
	QuantileHazen QuantileMethod = C.GPUOPT_QUANTILE_HAZEN
	// QuantileWeibull: `weibull` of NumPy.
	QuantileWeibull QuantileMethod = C.GPUOPT_QUANTILE_WEIBULL
	// QuantileMedianUnbiased: `median_unbiased` of NumPy.
	QuantileMedianUnbiased QuantileMethod = C.GPUOPT_QUANTILE_MEDIAN_UNBIASED
	// QuantileNormalUnbiased: `normal_unbiased` of NumPy.
	QuantileNormalUnbiased QuantileMethod = C.GPUOPT_QUANTILE_NORMAL_UNBIASED
)

func quantiles(function C.gpuopt_go_quantile, x *Array, q Operand, method QuantileMethod,
	options []ReduceOption) (*Array, error) {
	axes, how, done, err := collect(options)
	if err != nil {
		return nil, err
	}
	defer done()
	both := []Operand{x, q}
	return giveJoined(both, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_quantiles(function, x[0], x[1], C.gpuopt_quantile_method(method), axes, how, r, e)
	})
}

// Quantile gives quantiles of each slice along axes; q is a number from 0 to 1 or an array of them, whose shape comes
// first in that of the result. NaN where an element is NaN.
func Quantile(x *Array, q Operand, method QuantileMethod, options ...ReduceOption) (*Array, error) {
	return quantiles(C.gpuopt_go_quantile(C.gpuopt_quantile), x, q, method, options)
}

// NanQuantile gives the same of the elements that are not NaN.
func NanQuantile(x *Array, q Operand, method QuantileMethod, options ...ReduceOption) (*Array, error) {
	return quantiles(C.gpuopt_go_quantile(C.gpuopt_nanquantile), x, q, method, options)
}

// Percentile gives what [Quantile] gives for numbers from 0 to 100.
func Percentile(x *Array, q Operand, method QuantileMethod, options ...ReduceOption) (*Array, error) {
	return quantiles(C.gpuopt_go_quantile(C.gpuopt_percentile), x, q, method, options)
}

// NanPercentile gives the same of the elements that are not NaN.
func NanPercentile(x *Array, q Operand, method QuantileMethod, options ...ReduceOption) (*Array, error) {
	return quantiles(C.gpuopt_go_quantile(C.gpuopt_nanpercentile), x, q, method, options)
}

func weightedQuantiles(function C.gpuopt_go_weighted_quantile, x *Array, q Operand, weights *Array,
	options []ReduceOption) (*Array, error) {
	axes, how, done, err := collect(options)
	if err != nil {
		return nil, err
	}
	defer done()
	all := []Operand{x, q, weights}
	return giveJoined(all, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_go_weighted_quantiles(function, x[0], x[1], x[2], axes, how, r, e)
	})
}

// QuantileWeighted gives the first elements in order whose weights, with those of all before them, are at least q of
// the whole, for each slice along axes; weights have the shape of x or of the axes. NaN where an element is NaN.
func QuantileWeighted(x *Array, q Operand, weights *Array, options ...ReduceOption) (*Array, error) {
	return weightedQuantiles(C.gpuopt_go_weighted_quantile(C.gpuopt_quantile_weighted), x, q, weights, options)
}

// NanQuantileWeighted gives the same of the elements that are not NaN.
func NanQuantileWeighted(x *Array, q Operand, weights *Array, options ...ReduceOption) (*Array, error) {
	return weightedQuantiles(C.gpuopt_go_weighted_quantile(C.gpuopt_nanquantile_weighted), x, q, weights, options)
}

// PercentileWeighted gives what [QuantileWeighted] gives for numbers from 0 to 100.
func PercentileWeighted(x *Array, q Operand, weights *Array, options ...ReduceOption) (*Array, error) {
	return weightedQuantiles(C.gpuopt_go_weighted_quantile(C.gpuopt_percentile_weighted), x, q, weights, options)
}

// NanPercentileWeighted gives the same of the elements that are not NaN.
func NanPercentileWeighted(x *Array, q Operand, weights *Array, options ...ReduceOption) (*Array, error) {
	return weightedQuantiles(C.gpuopt_go_weighted_quantile(C.gpuopt_nanpercentile_weighted), x, q, weights, options)
}
