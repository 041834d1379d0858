// bindings/rust/gpuopt/src/reduce.rs -- what a reduction reduces, and the statistics.
use crate::error::{check, count};
use crate::operand::with_all_handles;
use crate::{Array, DType, Operand, Result, Scalar};
use gpuopt_sys as sys;

/// What a reduction reduces, and how. Made of `()` (all axes), of an axis, of several axes, or with the functions here:
///
/// ```
/// use gpuopt::{Axes, Device};
/// # fn main() -> gpuopt::Result<()> {
/// let x = Device::open("cpu")?.array(&[1.0, 2.0, 3.0, 6.0], &[2, 2])?;
/// assert_eq!(x.sum(())?.item(&[])?.to_f64(), 12.0);
/// assert_eq!(x.max(-1)?.to_vec::<f64>()?, [2.0, 6.0]);
/// assert_eq!(x.std(Axes::of([0]).keepdims().correction(1.0))?.shape(), [1, 2]);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Axes {
    axes: Option<Vec<i64>>,
    keepdims: bool,
    dtype: Option<DType>,
    correction: f64,
    mask: Option<Array>,
    initial: Option<Initial>,
}

/// A number as C reads it, beside the options.
#[derive(Clone, Copy)]
struct Initial(sys::gpuopt_scalar);
impl std::fmt::Debug for Initial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Scalar::from_raw(self.0).fmt(f)
    }
}

impl Axes {
    /// All axes.
    pub fn all() -> Axes {
        Axes::default()
    }
    /// These axes, each once; negative ones count from the end. None of them is no axis at all.
    pub fn of(axes: impl Into<Vec<i64>>) -> Axes {
        Axes { axes: Some(axes.into()), ..Axes::default() }
    }
    /// Reduced axes stay, with size 1.
    pub fn keepdims(mut self) -> Axes {
        self.keepdims = true;
        self
    }
    /// The dtype of the accumulation and result, for `sum`, `prod` and `mean`.
    pub fn dtype(mut self, dtype: DType) -> Axes {
        self.dtype = Some(dtype);
        self
    }
    /// For `var` and `std`: the divisor is n - correction (NumPy's ddof).
    pub fn correction(mut self, correction: f64) -> Axes {
        self.correction = correction;
        self
    }
    /// Which elements count: a bool array that broadcasts to the one that is reduced. `max` and `min` also need
    /// [`Axes::initial`].
    ///
    /// ```
    /// use gpuopt::{ops::greater, Axes, Device};
    /// # fn main() -> gpuopt::Result<()> {
    /// let x = Device::open("cpu")?.array(&[1.0, 2.0, 3.0], &[3])?;
    /// assert_eq!(x.sum(Axes::all().only(&greater(&x, 1)?).initial(10))?.item(&[])?.to_f64(), 15.0);
    /// # Ok(()) }
    /// ```
    pub fn only(mut self, mask: &Array) -> Axes {
        self.mask = Some(mask.clone());
        self
    }
    /// A number that is combined with the elements, in the result's dtype; what `max` and `min` of nothing are.
    pub fn initial(mut self, number: impl Into<Scalar>) -> Axes {
        self.initial = Some(Initial(number.into().to_raw()));
        self
    }
    /// What of the options is nothing for a kernel, for an error; `None` if they are axes and `keepdims` alone.
    pub(crate) fn refused_by_kernels(&self) -> Option<&'static str> {
        if self.dtype.is_some() || self.correction != 0.0 {
            return Some("takes axes without dtype and correction");
        }
        (self.mask.is_some() || self.initial.is_some()).then_some("takes axes without a mask and an initial number")
    }
    /// The options of a C call; valid while `self` is.
    pub(crate) fn to_raw(&self) -> sys::gpuopt_reduce_options {
        sys::gpuopt_reduce_options {
            axes: self.axes.as_ref().map_or(std::ptr::null(), |axes| axes.as_ptr()),
            naxes: self.axes.as_ref().map_or(0, |axes| count(axes)),
            keepdims: i32::from(self.keepdims),
            dtype: self.dtype.map_or(sys::GPUOPT_DTYPE_DEFAULT, DType::number),
            correction: self.correction,
            r#where: self.mask.as_ref().map_or(std::ptr::null_mut(), Array::raw),
            initial: self.initial.as_ref().map_or(std::ptr::null(), |initial| &initial.0),
            ..sys::gpuopt_reduce_options::new()
        }
    }
}
impl From<()> for Axes {
    fn from(_: ()) -> Axes {
        Axes::all()
    }
}
impl From<i64> for Axes {
    fn from(axis: i64) -> Axes {
        Axes::of([axis])
    }
}
impl<const N: usize> From<[i64; N]> for Axes {
    fn from(axes: [i64; N]) -> Axes {
        Axes::of(axes)
    }
}
impl From<&[i64]> for Axes {
    fn from(axes: &[i64]) -> Axes {
        Axes::of(axes)
    }
}

type Reduce = unsafe extern "C" fn(
    sys::gpuopt_array,
    *const sys::gpuopt_reduce_options,
    *mut sys::gpuopt_array,
    *mut sys::gpuopt_error,
) -> sys::gpuopt_status;
type Scan = unsafe extern "C" fn(
    sys::gpuopt_array,
    i64,
    i32,
    i32,
    *mut sys::gpuopt_array,
    *mut sys::gpuopt_error,
) -> sys::gpuopt_status;

pub(crate) fn reduce(function: Reduce, x: &Array, axes: Axes) -> Result<Array> {
    let (_reading, options) = (x.reading()?, axes.to_raw());
    let _mask = axes.mask.as_ref().map(Array::reading).transpose()?;
    // SAFETY: the handles are held; the options point into `axes`, which lives.
    Array::fresh(|r, e| unsafe { function(x.raw(), &options, r, e) })
}

/// The reductions that [`Array::reduce_into`] knows: the methods of these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the methods are documented
pub enum Reduction {
    Sum,
    Prod,
    Min,
    Max,
    NanMin,
    NanMax,
    Any,
    All,
    ArgMin,
    ArgMax,
    CountNonzero,
    Mean,
    Var,
    Std,
    NanSum,
    NanProd,
    NanMean,
    NanVar,
    NanStd,
}
impl Reduction {
    /// The number of a reduction of the op table; the others are none.
    pub(crate) fn number(self) -> Option<sys::gpuopt_reduction> {
        Some(match self {
            Reduction::Sum => sys::GPUOPT_REDUCTION_sum,
            Reduction::Prod => sys::GPUOPT_REDUCTION_prod,
            Reduction::Min => sys::GPUOPT_REDUCTION_min,
            Reduction::Max => sys::GPUOPT_REDUCTION_max,
            Reduction::NanMin => sys::GPUOPT_REDUCTION_nanmin,
            Reduction::NanMax => sys::GPUOPT_REDUCTION_nanmax,
            Reduction::Any => sys::GPUOPT_REDUCTION_any,
            Reduction::All => sys::GPUOPT_REDUCTION_all,
            Reduction::ArgMin => sys::GPUOPT_REDUCTION_argmin,
            Reduction::ArgMax => sys::GPUOPT_REDUCTION_argmax,
            Reduction::CountNonzero => sys::GPUOPT_REDUCTION_count_nonzero,
            _ => return None,
        })
    }
    fn function(self) -> Reduce {
        match self {
            Reduction::Sum => sys::gpuopt_sum,
            Reduction::Prod => sys::gpuopt_prod,
            Reduction::Min => sys::gpuopt_min,
            Reduction::Max => sys::gpuopt_max,
            Reduction::NanMin => sys::gpuopt_nanmin,
            Reduction::NanMax => sys::gpuopt_nanmax,
            Reduction::Any => sys::gpuopt_any,
            Reduction::All => sys::gpuopt_all,
            Reduction::ArgMin => sys::gpuopt_argmin,
            Reduction::ArgMax => sys::gpuopt_argmax,
            Reduction::CountNonzero => sys::gpuopt_count_nonzero,
            Reduction::Mean => sys::gpuopt_mean,
            Reduction::Var => sys::gpuopt_var,
            Reduction::Std => sys::gpuopt_std,
            Reduction::NanSum => sys::gpuopt_nansum,
            Reduction::NanProd => sys::gpuopt_nanprod,
            Reduction::NanMean => sys::gpuopt_nanmean,
            Reduction::NanVar => sys::gpuopt_nanvar,
            Reduction::NanStd => sys::gpuopt_nanstd,
        }
    }
}

pub(crate) fn scan(function: Scan, x: &Array, axis: i64, dtype: Option<DType>, include_initial: bool) -> Result<Array> {
    let _reading = x.reading()?;
    let dtype = dtype.map_or(sys::GPUOPT_DTYPE_DEFAULT, DType::number);
    // SAFETY: the handle is held.
    Array::fresh(|r, e| unsafe { function(x.raw(), axis, dtype, i32::from(include_initial), r, e) })
}

macro_rules! statistics {
    ($($(#[$doc:meta])* $name:ident $function:ident;)*) => {
        /// Statistics. `nan...` is the same over the elements that are not NaN.
        impl Array {$(
            $(#[$doc])*
            pub fn $name(&self, axes: impl Into<Axes>) -> Result<Array> {
                reduce(sys::$function, self, axes.into())
            }
        )*}
    };
}
statistics! {
    /// The mean; integers and bool in float64. No elements give NaN.
    mean gpuopt_mean;
    /// The variance, in two passes; of complex numbers real.
    var gpuopt_var;
    /// The standard deviation, in two passes; of complex numbers real.
    std gpuopt_std;
    /// The greatest element less the least one.
    ptp gpuopt_ptp;
    /// The sum; 0 where no element is left.
    nansum gpuopt_nansum;
    /// The product; 1 where no element is left.
    nanprod gpuopt_nanprod;
    /// The mean; NaN where no element is left.
    nanmean gpuopt_nanmean;
    /// The variance; NaN where no element is left.
    nanvar gpuopt_nanvar;
    /// The standard deviation; NaN where no element is left.
    nanstd gpuopt_nanstd;
    /// The element in the middle, or the mean of the two that are. Runs.
    median gpuopt_median;
    /// The element in the middle of those that are not NaN. Runs.
    nanmedian gpuopt_nanmedian;
    /// The position of the least element; an error where none is left.
    nanargmin gpuopt_nanargmin;
    /// The position of the greatest element; an error where none is left.
    nanargmax gpuopt_nanargmax;
}

impl Array {
    /// A reduction whose result is written to `out`, which has its shape; it is cast to its dtype, by any cast.
    ///
    /// ```
    /// use gpuopt::{DType, Device, Reduction};
    /// # fn main() -> gpuopt::Result<()> {
    /// let xp = Device::open("cpu")?;
    /// let (x, mut out) = (xp.array(&[1.0, 2.0, 3.0, 4.0], &[2, 2])?, xp.zeros(&[2], DType::FLOAT32)?);
    /// x.reduce_into(Reduction::Sum, 0, &mut out)?;
    /// assert_eq!(out.to_vec::<f32>()?, [4.0, 6.0]);
    /// # Ok(()) }
    /// ```
    pub fn reduce_into(&self, reduction: Reduction, axes: impl Into<Axes>, out: &mut Array) -> Result<()> {
        let (axes, function) = (axes.into(), reduction.function());
        let _writing = out.writing()?;
        let mut operands = vec![Operand::Array(self)];
        operands.extend(axes.mask.as_ref().map(Operand::Array));
        with_all_handles(&operands, &[out], |handles| {
            let options = sys::gpuopt_reduce_options { out: out.raw(), ..axes.to_raw() };
            let mut same = std::ptr::null_mut();
            // SAFETY: the handles are held, `out` for writing; the options point into `axes`, which lives.
            check(|e| unsafe { function(handles[0], &options, &mut same, e) })?;
            // SAFETY: the result is `out` itself, with a reference more.
            unsafe { sys::gpuopt_array_release(same) };
            Ok(())
        })
    }
    /// `(sum |x|^ord)^(1/ord)` over `axes`; infinite and zero `ord` as `numpy.linalg.vector_norm`.
    pub fn vector_norm(&self, ord: f64, axes: impl Into<Axes>) -> Result<Array> {
        let axes = axes.into();
        let (_reading, options) = (self.reading()?, axes.to_raw());
        // SAFETY: the handle is held; the options point into `axes`, which lives.
        Array::fresh(|r, e| unsafe { sys::gpuopt_vector_norm(self.raw(), ord, &options, r, e) })
    }
}
