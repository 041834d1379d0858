// bindings/go/sort_test.go -- sorting, searching and sets.

package gpuopt

import (
	"math"
	"testing"
)

func listOf[T Element](t *testing.T, data ...T) *Array {
	t.Helper()
	return must[*Array](t)(FromSlice(cpu(t), data))
}

func TestOrders(t *testing.T) {
	x := must[*Array](t)(listOf[float64](t, 3.0, 1, 2, 0, 5, 4).Reshape(2, 3))
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	expectEqual(t, "Sort", values(x.Sort(-1, false)), []float64{1, 2, 3, 0, 4, 5})
	expectEqual(t, "Sort", values(x.Sort(None, true)), []float64{5, 4, 3, 2, 1, 0})
	expectEqual(t, "ArgSort", values(x.ArgSort(1, false)), []float64{1, 2, 0, 0, 2, 1})
	expectEqual(t, "Partition", values(x.Partition(1, 1))[1], 2.0)
	expectEqual(t, "ArgPartition", values(x.ArgPartition(-1, None))[5], 4.0)
	expectCode(t, failing(x.Sort(2, false)), ErrIndex)
	largest, at, err := x.TopK(2, 1, true)
	expectEqual(t, "TopK", values(largest, err), []float64{3, 2, 5, 4})
	expectEqual(t, "TopK", values(at, err), []float64{0, 2, 1, 2})
	_, _, err = x.TopK(4, 1, true)
	expectCode(t, err, ErrInvalidArgument)
	order := must[*Array](t)(x.ArgSort(0, false))
	expectEqual(t, "TakeAlongAxis", values(x.TakeAlongAxis(order, 0)), values(x.Sort(0, false)))
	order, err = LexSort(0, listOf[float64](t, 1.0, 0, 1, 0), listOf[float64](t, 2.0, 2, 1, 1))
	expectEqual(t, "LexSort", values(order, err), []float64{3, 2, 1, 0})
	expectCode(t, failing(LexSort(0)), ErrInvalidArgument)
}

func TestSearches(t *testing.T) {
	x := listOf[int64](t, 1, 2, 2, 4)
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	expectEqual(t, "SearchSorted", values(x.SearchSorted(listOf[int64](t, 0, 2, 5), false, nil)), []float64{0, 1, 4})
	expectEqual(t, "SearchSorted", values(x.SearchSorted(Num(2), true, nil)), []float64{3})
	mixed := listOf[int64](t, 4, 1, 2, 2)
	order := must[*Array](t)(mixed.ArgSort(0, false))
	expectEqual(t, "SearchSorted", values(mixed.SearchSorted(Num(2), false, order)), []float64{1})
	bins := listOf[float64](t, 0.0, 1, 2)
	expectEqual(t, "Digitize", values(listOf[float64](t, 0.5, 1, 9).Digitize(bins, false)), []float64{1, 2, 3})
	expectEqual(t, "BinCount", values(x.BinCount(nil, 0)), []float64{0, 1, 2, 0, 1})
	expectEqual(t, "BinCount", values(x.BinCount(listOf[float64](t, 0.5, 1, 2, 3), 6)), []float64{0, 0.5, 3, 0, 3, 0})
	counts, edges, err := x.Histogram(3, 0, 0, false)
	expectEqual(t, "Histogram", values(counts, err), []float64{1, 2, 1})
	expectEqual(t, "Histogram", values(edges, err), []float64{1, 2, 3, 4})
	counts, _, err = x.Histogram(2, 0, 4, true)
	expectEqual(t, "Histogram", values(counts, err), []float64{0.125, 0.375})
	expectEqual(t, "HistogramWith", values(x.HistogramWith(listOf[int64](t, 0, 2, 4), false)), []float64{1, 3})
	_, _, err = x.Histogram(0, 0, 0, false)
	expectCode(t, err, ErrInvalidArgument)
}

func TestSets(t *testing.T) {
	x, y := listOf[int64](t, 3, 1, 3, 2, 1), listOf[int64](t, 2, 3, 9)
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	expectEqual(t, "UniqueValues", values(x.UniqueValues(false)), []float64{1, 2, 3})
	missing := listOf[float64](t, math.NaN(), 1, math.NaN())
	expectEqual(t, "UniqueValues", len(values(missing.UniqueValues(false))), 3)
	expectEqual(t, "UniqueValues", len(values(missing.UniqueValues(true))), 2)
	_, counts, err := x.UniqueCounts(false)
	expectEqual(t, "UniqueCounts", values(counts, err), []float64{2, 1, 2})
	_, inverse, err := x.UniqueInverse(false)
	expectEqual(t, "UniqueInverse", values(inverse, err), []float64{2, 0, 2, 1, 0})
	all, err := x.UniqueAll(false)
	expectEqual(t, "UniqueAll", values(all.Values, err), []float64{1, 2, 3})
	expectEqual(t, "UniqueAll", values(all.Indices, err), []float64{1, 3, 0})
	expectEqual(t, "UniqueAll", values(all.Inverse, err), []float64{2, 0, 2, 1, 0})
	expectEqual(t, "UniqueAll", values(all.Counts, err), []float64{2, 1, 2})
	expectEqual(t, "IsIn", values(x.IsIn(y, false)), []float64{1, 0, 1, 1, 0})
	expectEqual(t, "IsIn", values(x.IsIn(Num(1), true)), []float64{1, 0, 1, 1, 0})
	expectEqual(t, "Union1D", values(x.Union1D(y)), []float64{1, 2, 3, 9})
	expectEqual(t, "Intersect1D", values(x.Intersect1D(y)), []float64{2, 3})
	expectEqual(t, "SetDiff1D", values(x.SetDiff1D(y)), []float64{1})
	expectEqual(t, "SetXor1D", values(x.SetXor1D(y)), []float64{1, 9})
}

func TestQuantiles(t *testing.T) {
	x, missing := listOf[float64](t, 4.0, 1, 3, 2), listOf[float64](t, 4.0, math.NaN(), 1)
	values := func(y *Array, err error) []float64 { t.Helper(); return floats(t, must[*Array](t)(y, err)) }
	expectEqual(t, "Median", values(Median(x)), []float64{2.5})
	expectEqual(t, "NanMedian", values(NanMedian(missing, KeepDims())), []float64{2.5})
	if got := values(Median(missing)); !math.IsNaN(got[0]) {
		t.Errorf("Median: %v, not NaN", got)
	}
	q := listOf[float64](t, 0.0, 0.25, 1)
	expectEqual(t, "Quantile", values(Quantile(x, q, QuantileLinear)), []float64{1, 1.75, 4})
	expectEqual(t, "Quantile", values(Quantile(x, Num(0.25), QuantileHigher, Axes(0))), []float64{2})
	expectEqual(t, "NanQuantile", values(NanQuantile(missing, Num(1), QuantileLinear)), []float64{4})
	expectEqual(t, "Percentile", values(Percentile(x, Num(50), QuantileLower)), []float64{2})
	expectEqual(t, "NanPercentile", values(NanPercentile(missing, Num(0), QuantileHazen)), []float64{1})
	expectCode(t, failing(Quantile(x, Num(2), QuantileLinear)), ErrInvalidArgument)
	weights, ones := listOf[float64](t, 1.0, 0, 2, 5), listOf[float64](t, 1.0, 1, 1)
	expectEqual(t, "QuantileWeighted", values(QuantileWeighted(x, Num(0.75), weights)), []float64{3})
	expectEqual(t, "PercentileWeighted", values(PercentileWeighted(x, Num(100), weights, Axes(0))), []float64{4})
	expectEqual(t, "NanQuantileWeighted", values(NanQuantileWeighted(missing, Num(0.5), ones)), []float64{1})
	expectEqual(t, "NanPercentileWeighted", values(NanPercentileWeighted(missing, Num(51), ones)), []float64{4})
	expectCode(t, failing(QuantileWeighted(x, Num(0.5), ones, Axes(0))), ErrShape)
}
