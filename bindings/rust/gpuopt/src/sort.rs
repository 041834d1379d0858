// bindings/rust/gpuopt/src/sort.rs -- sorting, searching and sets. All of these run.
use crate::error::{check, count};
use crate::join::{operands, pointer};
use crate::operand::{with_all_handles, with_handles};
use crate::{Array, Axes, Code, Error, Operand, Result};
use gpuopt_sys as sys;

/// The positions, int64, that sort by several keys of one shape, of which the last one counts most.
pub fn lexsort(keys: &[&Array], axis: i64) -> Result<Array> {
    with_all_handles(&operands(keys), &[], |x| {
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_lexsort(count(x), x.as_ptr(), axis, r, e) })
    })
}

/// How [`Array::quantile`] chooses: NumPy's methods.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum QuantileMethod {
    #[default]
    /// Between two elements in proportion.
    Linear = sys::GPUOPT_QUANTILE_LINEAR as isize,
    /// The element before the position.
    Lower = sys::GPUOPT_QUANTILE_LOWER as isize,
    /// The element behind the position.
    Higher = sys::GPUOPT_QUANTILE_HIGHER as isize,
    /// The middle between the two.
    Midpoint = sys::GPUOPT_QUANTILE_MIDPOINT as isize,
    /// The nearer one of the two.
    Nearest = sys::GPUOPT_QUANTILE_NEAREST as isize,
    /// `inverted_cdf` of NumPy.
    InvertedCdf = sys::GPUOPT_QUANTILE_INVERTED_CDF as isize,
    /// `averaged_inverted_cdf` of NumPy.
    AveragedInvertedCdf = sys::GPUOPT_QUANTILE_AVERAGED_INVERTED_CDF as isize,
    /// `closest_observation` of NumPy.
    ClosestObservation = sys::GPUOPT_QUANTILE_CLOSEST_OBSERVATION as isize,
    /// `interpolated_inverted_cdf` of NumPy.
    InterpolatedInvertedCdf = sys::GPUOPT_QUANTILE_INTERPOLATED_INVERTED_CDF as isize,
    /// `hazen` of NumPy.
    Hazen = sys::GPUOPT_QUANTILE_HAZEN as isize,
    /// `weibull` of NumPy.
    Weibull = sys::GPUOPT_QUANTILE_WEIBULL as isize,
    /// `median_unbiased` of NumPy.
    MedianUnbiased = sys::GPUOPT_QUANTILE_MEDIAN_UNBIASED as isize,
    /// `normal_unbiased` of NumPy.
    NormalUnbiased = sys::GPUOPT_QUANTILE_NORMAL_UNBIASED as isize,
}

macro_rules! quantiles {
    ($($(#[$doc:meta])* $name:ident $function:ident;)*) => {
        /// Quantiles of each slice along axes: `q` is a number or an array of them, whose shape comes first in that of
        /// the result. All of these run.
        impl Array {$(
            $(#[$doc])*
            pub fn $name<'a>(
                &'a self,
                q: impl Into<Operand<'a>>,
                method: QuantileMethod,
                axes: impl Into<Axes>,
            ) -> Result<Array> {
                let axes = axes.into();
                let options = axes.to_raw();
                // SAFETY: the handles are held; the options point into `axes`, which lives.
                self.beside(q, |x, q, r, e| unsafe { sys::$function(x, q, method as i32, &options, r, e) })
            }
        )*}
    };
}
quantiles! {
    /// `q` is from 0 to 1; NaN where an element is NaN.
    quantile gpuopt_quantile;
    /// `q` is from 0 to 1; of the elements that are not NaN.
    nanquantile gpuopt_nanquantile;
    /// `q` is from 0 to 100; NaN where an element is NaN.
    percentile gpuopt_percentile;
    /// `q` is from 0 to 100; of the elements that are not NaN.
    nanpercentile gpuopt_nanpercentile;
}

macro_rules! weighted_quantiles {
    ($($(#[$doc:meta])* $name:ident $function:ident;)*) => {
        /// Quantiles of elements that count by their weights, which have the shape of the array or of the axes: the
        /// first element in order whose weight, with those of all before it, is at least `q` of the whole. All of these
        /// run.
        impl Array {$(
            $(#[$doc])*
            pub fn $name<'a>(
                &'a self,
                q: impl Into<Operand<'a>>,
                weights: &'a Array,
                axes: impl Into<Axes>,
            ) -> Result<Array> {
                let axes = axes.into();
                let options = axes.to_raw();
                with_handles(&[self.into(), q.into(), weights.into()], &[], |x| {
                    // SAFETY: the handles are held; the options point into `axes`, which lives.
                    Array::fresh(|r, e| unsafe { sys::$function(x[0], x[1], x[2], &options, r, e) })
                })
            }
        )*}
    };
}
weighted_quantiles! {
    /// `q` is from 0 to 1; NaN where an element is NaN.
    quantile_weighted gpuopt_quantile_weighted;
    /// `q` is from 0 to 1; of the elements that are not NaN.
    nanquantile_weighted gpuopt_nanquantile_weighted;
    /// `q` is from 0 to 100; NaN where an element is NaN.
    percentile_weighted gpuopt_percentile_weighted;
    /// `q` is from 0 to 100; of the elements that are not NaN.
    nanpercentile_weighted gpuopt_nanpercentile_weighted;
}

// Calls a function that writes an array to each of N places.
pub(crate) fn several<const N: usize>(
    call: impl FnOnce(&mut [sys::gpuopt_array; N], *mut sys::gpuopt_error) -> sys::gpuopt_status,
) -> Result<[Array; N]> {
    let mut raw = [std::ptr::null_mut(); N];
    check(|e| call(&mut raw, e))?;
    // SAFETY: each is a reference of ours, to elements that nobody else has.
    let made: Result<Vec<Array>> = raw.into_iter().map(|x| unsafe { Array::adopt(x) }).collect();
    Ok(made?.try_into().expect("there are N of them"))
}

/// Sorting, searching and sets. NaN is last, also in descending order; -0 equals 0; equal elements keep their order.
impl Array {
    // What a function of the array and another operand gives.
    fn beside<'a>(
        &'a self,
        other: impl Into<Operand<'a>>,
        call: impl FnOnce(
            sys::gpuopt_array,
            sys::gpuopt_array,
            *mut sys::gpuopt_array,
            *mut sys::gpuopt_error,
        ) -> sys::gpuopt_status,
    ) -> Result<Array> {
        with_handles(&[self.into(), other.into()], &[], |x| Array::fresh(|r, e| call(x[0], x[1], r, e)))
    }
    /// The array in order along an axis; `None` flattens it first.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let x = gpuopt::Device::open("cpu")?.array(&[3.0, 1.0, 2.0], &[3])?;
    /// assert_eq!(x.sort(0, false)?.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
    /// # Ok(()) }
    /// ```
    pub fn sort(&self, axis: impl Into<Option<i64>>, descending: bool) -> Result<Array> {
        let (axis, _reading) = (axis.into(), self.reading()?);
        // SAFETY: the handle is held; the axis lives during the call. So it is in each of the calls below.
        Array::fresh(|r, e| unsafe { sys::gpuopt_sort(self.raw(), pointer(&axis), i32::from(descending), r, e) })
    }
    /// The positions, int64, that sort the array.
    pub fn argsort(&self, axis: impl Into<Option<i64>>, descending: bool) -> Result<Array> {
        let (axis, _reading) = (axis.into(), self.reading()?);
        // SAFETY: see `sort`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_argsort(self.raw(), pointer(&axis), i32::from(descending), r, e) })
    }
    /// The array with the element at position `kth` in its sorted place, between those not greater and those not less.
    pub fn partition(&self, kth: i64, axis: impl Into<Option<i64>>) -> Result<Array> {
        let (axis, _reading) = (axis.into(), self.reading()?);
        // SAFETY: see `sort`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_partition(self.raw(), kth, pointer(&axis), r, e) })
    }
    /// The positions, int64, that do that.
    pub fn argpartition(&self, kth: i64, axis: impl Into<Option<i64>>) -> Result<Array> {
        let (axis, _reading) = (axis.into(), self.reading()?);
        // SAFETY: see `sort`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_argpartition(self.raw(), kth, pointer(&axis), r, e) })
    }
    /// The k largest or smallest elements along an axis in order, and their positions.
    pub fn top_k(&self, k: i64, axis: i64, largest: bool) -> Result<(Array, Array)> {
        let _reading = self.reading()?;
        let [values, indices] = several(|[values, indices], e| {
            // SAFETY: see `sort`.
            unsafe { sys::gpuopt_top_k(self.raw(), k, axis, i32::from(largest), values, indices, e) }
        })?;
        Ok((values, indices))
    }
    /// The elements at indices along an axis, such as those of [`Array::argsort`].
    pub fn take_along_axis(&self, indices: &Array, axis: i64) -> Result<Array> {
        // SAFETY: see `sort`.
        self.beside(indices, |x, i, r, e| unsafe { sys::gpuopt_take_along_axis(x, i, axis, r, e) })
    }
    /// Where values would be put into this array, which is in order; `right`: behind equal elements.
    pub fn searchsorted<'a>(&'a self, values: impl Into<Operand<'a>>, right: bool) -> Result<Array> {
        let (right, none) = (i32::from(right), std::ptr::null_mut());
        // SAFETY: see `sort`.
        self.beside(values, |x, v, r, e| unsafe { sys::gpuopt_searchsorted(x, v, right, none, r, e) })
    }
    /// The same for an array that the positions `sorter` sort.
    pub fn searchsorted_by<'a>(
        &'a self,
        values: impl Into<Operand<'a>>,
        right: bool,
        sorter: &'a Array,
    ) -> Result<Array> {
        with_handles(&[self.into(), values.into(), sorter.into()], &[], |x| {
            // SAFETY: see `sort`.
            Array::fresh(|r, e| unsafe { sys::gpuopt_searchsorted(x[0], x[1], i32::from(right), x[2], r, e) })
        })
    }
    /// The bin of each element between bounds in order; with `right` the upper bound belongs to a bin.
    pub fn digitize(&self, bins: &Array, right: bool) -> Result<Array> {
        // SAFETY: see `sort`.
        self.beside(bins, |x, b, r, e| unsafe { sys::gpuopt_digitize(x, b, i32::from(right), r, e) })
    }
    /// How often each integer from 0 on is there, as many as there have to be.
    pub fn bincount(&self, minlength: i64) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `sort`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_bincount(self.raw(), std::ptr::null_mut(), minlength, r, e) })
    }
    /// The sum of the weights of each integer, added in the order of the elements.
    pub fn bincount_weighted(&self, weights: &Array, minlength: i64) -> Result<Array> {
        // SAFETY: see `sort`.
        self.beside(weights, |x, w, r, e| unsafe { sys::gpuopt_bincount(x, w, minlength, r, e) })
    }
    /// How many elements are in each of so many bins of one width, and the edges of these; between the least and the
    /// greatest element, or in a range. `density`: divided by the width and the number of all.
    pub fn histogram(&self, bins: i64, range: Option<(f64, f64)>, density: bool) -> Result<(Array, Array)> {
        let (numbers, _reading) = (range.map(|(first, last)| [first, last]), self.reading()?);
        let (range, none) = (numbers.as_ref().map_or(std::ptr::null(), |r| r.as_ptr()), std::ptr::null_mut());
        let [counts, edges] = several(|[counts, edges], e| {
            // SAFETY: see `sort`.
            unsafe { sys::gpuopt_histogram(self.raw(), bins, range, none, i32::from(density), counts, edges, e) }
        })?;
        Ok((counts, edges))
    }
    /// How many elements are between each two of the edges, which are in order.
    pub fn histogram_with(&self, edges: &Array, density: bool) -> Result<Array> {
        let (density, none) = (i32::from(density), std::ptr::null_mut());
        // SAFETY: see `sort`.
        self.beside(edges, |x, b, r, e| unsafe { sys::gpuopt_histogram_with(x, b, none, density, r, e) })
    }
    /// How many points, rows of a matrix, are in each cell of a grid of so many bins along each axis, and the edges
    /// along these; between the least and the greatest coordinates, or in a range for each axis. `density`: divided by
    /// the volumes and the number of all.
    pub fn histogramdd(
        &self,
        bins: &[i64],
        ranges: Option<&[(f64, f64)]>,
        density: bool,
    ) -> Result<(Array, Vec<Array>)> {
        let numbers: Option<Vec<f64>> = ranges.map(|all| all.iter().flat_map(|&(a, b)| [a, b]).collect());
        if ranges.map_or(false, |all| all.len() != bins.len()) {
            let message = "histogramdd: range argument must have one entry per dimension";
            return Err(Error::new(Code::SHAPE, message));
        }
        let (ranges, none) = (numbers.as_ref().map_or(std::ptr::null(), |r| r.as_ptr()), std::ptr::null_mut());
        let (_reading, mut raw, density) =
            (self.reading()?, vec![std::ptr::null_mut(); bins.len()], i32::from(density));
        let (dims, bins, edges) = (count(bins), bins.as_ptr(), raw.as_mut_ptr());
        // SAFETY: the handle is held, and there is room for the edges.
        let counts = Array::fresh(|r, e| unsafe {
            sys::gpuopt_histogramdd(self.raw(), dims, bins, ranges, none, density, r, edges, e)
        })?;
        // SAFETY: each is a reference of ours, to elements that nobody else has.
        let edges = raw.into_iter().map(|x| unsafe { Array::adopt(x) }).collect::<Result<Vec<_>>>()?;
        Ok((counts, edges))
    }
    /// How many points are between each two of the edges along each axis, which are in order.
    pub fn histogramdd_with(&self, edges: &[&Array], density: bool) -> Result<Array> {
        let (_reading, none, density) = (self.reading()?, std::ptr::null_mut(), i32::from(density));
        with_all_handles(&operands(edges), &[], |x| {
            // SAFETY: see `sort`.
            Array::fresh(|r, e| unsafe {
                sys::gpuopt_histogramdd_with(self.raw(), count(x), x.as_ptr(), none, density, r, e)
            })
        })
    }
    /// The different elements in order. NaNs are different ones unless `equal_nan`.
    pub fn unique_values(&self, equal_nan: bool) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `sort`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_unique_values(self.raw(), i32::from(equal_nan), r, e) })
    }
    /// The different elements, and how often each is there.
    pub fn unique_counts(&self, equal_nan: bool) -> Result<(Array, Array)> {
        let _reading = self.reading()?;
        let [values, counts] = several(|[values, counts], e| {
            // SAFETY: see `sort`.
            unsafe { sys::gpuopt_unique_counts(self.raw(), i32::from(equal_nan), values, counts, e) }
        })?;
        Ok((values, counts))
    }
    /// The different elements, and which one each element is.
    pub fn unique_inverse(&self, equal_nan: bool) -> Result<(Array, Array)> {
        let _reading = self.reading()?;
        let [values, inverse] = several(|[values, inverse], e| {
            // SAFETY: see `sort`.
            unsafe { sys::gpuopt_unique_inverse(self.raw(), i32::from(equal_nan), values, inverse, e) }
        })?;
        Ok((values, inverse))
    }
    /// The different elements, where each stands first, which one each element is, and how often each is there.
    pub fn unique_all(&self, equal_nan: bool) -> Result<(Array, Array, Array, Array)> {
        let _reading = self.reading()?;
        let [values, indices, inverse, counts] = several(|[v, i, j, c], e| {
            // SAFETY: see `sort`.
            unsafe { sys::gpuopt_unique_all(self.raw(), i32::from(equal_nan), v, i, j, c, e) }
        })?;
        Ok((values, indices, inverse, counts))
    }
    /// Whether each element is one of the others; with `invert`, whether it is none.
    pub fn isin<'a>(&'a self, others: impl Into<Operand<'a>>, invert: bool) -> Result<Array> {
        // SAFETY: see `sort`.
        self.beside(others, |x, y, r, e| unsafe { sys::gpuopt_isin(x, y, i32::from(invert), r, e) })
    }
    /// The elements that are in one of the two, in order.
    pub fn union1d(&self, other: &Array) -> Result<Array> {
        // SAFETY: see `sort`.
        self.beside(other, |x, y, r, e| unsafe { sys::gpuopt_union1d(x, y, r, e) })
    }
    /// The elements that are in both, in order.
    pub fn intersect1d(&self, other: &Array) -> Result<Array> {
        // SAFETY: see `sort`.
        self.beside(other, |x, y, r, e| unsafe { sys::gpuopt_intersect1d(x, y, r, e) })
    }
    /// The elements that are not in the other, in order.
    pub fn setdiff1d(&self, other: &Array) -> Result<Array> {
        // SAFETY: see `sort`.
        self.beside(other, |x, y, r, e| unsafe { sys::gpuopt_setdiff1d(x, y, r, e) })
    }
    /// The elements that are in exactly one of the two, in order.
    pub fn setxor1d(&self, other: &Array) -> Result<Array> {
        // SAFETY: see `sort`.
        self.beside(other, |x, y, r, e| unsafe { sys::gpuopt_setxor1d(x, y, r, e) })
    }
}
