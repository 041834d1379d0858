// bindings/rust/gpuopt/src/creation.rs -- sequences, grids, windows, views of memory, and the limits of dtypes.
use crate::create::number;
use crate::error::{c_string, check, count};
use crate::operand::with_handles;
use crate::sort::several;
use crate::{Array, Code, DType, Device, Error, Operand, Result, Scalar};
use gpuopt_sys as sys;

/// An axis of a grid: start, start + step, .. below stop; with a complex step so many numbers from start to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridAxis {
    /// The first number.
    pub start: Scalar,
    /// The end.
    pub stop: Scalar,
    /// The distance, or a complex number whose magnitude is how many numbers there are.
    pub step: Scalar,
}

fn raw_ends(axes: &[GridAxis], of: impl Fn(&GridAxis) -> Scalar) -> Vec<sys::gpuopt_scalar> {
    axes.iter().map(|axis| of(axis).to_raw()).collect()
}

/// Sequences, grids and windows. A `dtype` of `None` is NumPy's default.
impl Device {
    /// Numbers of any kind at equal distances, and the distance, which is NaN where there is none.
    pub fn linspace_step(
        &self,
        start: impl Into<Scalar>,
        stop: impl Into<Scalar>,
        num: i64,
        endpoint: bool,
        dtype: impl Into<Option<DType>>,
    ) -> Result<(Array, Scalar)> {
        let (start, stop, dtype) = (start.into().to_raw(), stop.into().to_raw(), number(dtype.into()));
        let (end, mut step) = (i32::from(endpoint), Scalar::Real(0.0).to_raw());
        // SAFETY: the device is held; the step is written during the call.
        let values = Array::fresh(|r, e| unsafe {
            sys::gpuopt_linspace_step(self.raw(), dtype, start, stop, num, end, &mut step, r, e)
        })?;
        Ok((values, Scalar::from_raw(step)))
    }
    /// `base` to the powers from `start` to `stop`.
    pub fn logspace(
        &self,
        start: f64,
        stop: f64,
        num: i64,
        endpoint: bool,
        base: f64,
        dtype: impl Into<Option<DType>>,
    ) -> Result<Array> {
        let (end, dtype) = (i32::from(endpoint), number(dtype.into()));
        // SAFETY: the device is held. So it is in each of the calls below.
        Array::fresh(|r, e| unsafe { sys::gpuopt_logspace(self.raw(), dtype, start, stop, num, end, base, r, e) })
    }
    /// Numbers of a constant ratio.
    pub fn geomspace(
        &self,
        start: impl Into<Scalar>,
        stop: impl Into<Scalar>,
        num: i64,
        endpoint: bool,
        dtype: impl Into<Option<DType>>,
    ) -> Result<Array> {
        let (start, stop, dtype) = (start.into().to_raw(), stop.into().to_raw(), number(dtype.into()));
        let end = i32::from(endpoint);
        // SAFETY: see `logspace`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_geomspace(self.raw(), dtype, start, stop, num, end, r, e) })
    }
    /// The indices of a grid, of shape (number of axes,) and the grid's.
    pub fn indices(&self, shape: &[i64], dtype: impl Into<Option<DType>>) -> Result<Array> {
        let dtype = number(dtype.into());
        // SAFETY: see `logspace`; the shape lives during the call.
        Array::fresh(|r, e| unsafe { sys::gpuopt_indices(self.raw(), dtype, count(shape), shape.as_ptr(), r, e) })
    }
    /// The coordinates of a grid as one array.
    pub fn mgrid(&self, axes: &[GridAxis]) -> Result<Array> {
        let (a, b, c) = (raw_ends(axes, |x| x.start), raw_ends(axes, |x| x.stop), raw_ends(axes, |x| x.step));
        // SAFETY: see `logspace`; the lists live during the call.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_mgrid(self.raw(), count(axes), a.as_ptr(), b.as_ptr(), c.as_ptr(), r, e)
        })
    }
    /// The coordinates of a grid as arrays that broadcast together.
    pub fn ogrid(&self, axes: &[GridAxis]) -> Result<Vec<Array>> {
        let (a, b, c) = (raw_ends(axes, |x| x.start), raw_ends(axes, |x| x.stop), raw_ends(axes, |x| x.step));
        let mut raw = vec![std::ptr::null_mut(); axes.len()];
        // SAFETY: see `mgrid`; there is room for a result for each axis.
        check(|e| unsafe {
            sys::gpuopt_ogrid(self.raw(), count(axes), a.as_ptr(), b.as_ptr(), c.as_ptr(), raw.as_mut_ptr(), e)
        })?;
        // SAFETY: each is a reference of ours, to elements that nobody else has.
        raw.into_iter().map(|x| unsafe { Array::adopt(x) }).collect()
    }
    /// An array whose elements an expression of their indices `i0`, `i1`, .. gives: C++ as of a kernel. Runs.
    pub fn fromfunction(&self, expression: &str, shape: &[i64], dtype: impl Into<Option<DType>>) -> Result<Array> {
        let (text, dtype) = (c_string("fromfunction: expression", expression)?, number(dtype.into()));
        // SAFETY: see `logspace`; shape and text live during the call.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_fromfunction(self.raw(), dtype, count(shape), shape.as_ptr(), text.as_ptr(), r, e)
        })
    }
    /// The triangular window of n points.
    pub fn bartlett(&self, n: i64) -> Result<Array> {
        // SAFETY: see `logspace`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_bartlett(self.raw(), n, r, e) })
    }
    /// Blackman's window of n points.
    pub fn blackman(&self, n: i64) -> Result<Array> {
        // SAFETY: see `logspace`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_blackman(self.raw(), n, r, e) })
    }
    /// Hamming's window of n points.
    pub fn hamming(&self, n: i64) -> Result<Array> {
        // SAFETY: see `logspace`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_hamming(self.raw(), n, r, e) })
    }
    /// Von Hann's window of n points.
    pub fn hanning(&self, n: i64) -> Result<Array> {
        // SAFETY: see `logspace`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_hanning(self.raw(), n, r, e) })
    }
    /// Kaiser's window of n points.
    pub fn kaiser(&self, n: i64, beta: f64) -> Result<Array> {
        // SAFETY: see `logspace`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_kaiser(self.raw(), n, beta, r, e) })
    }
    /// A copy of `items` elements of bytes (`None`: as many as there are) from `offset` on.
    pub fn frombuffer(
        &self,
        bytes: &[u8],
        dtype: impl Into<Option<DType>>,
        items: Option<i64>,
        offset: i64,
    ) -> Result<Array> {
        let (dtype, n, size) = (number(dtype.into()), items.unwrap_or(-1), bytes.len() as u64);
        // SAFETY: see `logspace`; the bytes are read during the call.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_frombuffer(self.raw(), bytes.as_ptr().cast(), size, dtype, n, offset, r, e)
        })
    }
}

/// Powers, the Bessel function, rounding, and views of memory.
impl Array {
    /// The powers of elements as the rows of a matrix; `columns` of `None`: as many as elements.
    pub fn vander(&self, columns: Option<i64>, increasing: bool) -> Result<Array> {
        let (_reading, n) = (self.reading()?, columns.unwrap_or(-1));
        // SAFETY: the handle is held. So it is in each of the calls below.
        Array::fresh(|r, e| unsafe { sys::gpuopt_vander(self.raw(), n, i32::from(increasing), r, e) })
    }
    /// The modified Bessel function of the first kind and order 0.
    pub fn i0(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `vander`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_i0(self.raw(), r, e) })
    }
    /// Rounded to a number of decimals, halves to even; a negative number rounds to tens, hundreds, ..
    pub fn round_decimals(&self, decimals: i32) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `vander`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_round_decimals(self.raw(), decimals, r, e) })
    }
    /// A read-only view of any shape and strides, in bytes, that lies in this array's memory.
    pub fn as_strided(&self, shape: &[i64], strides: &[i64]) -> Result<Array> {
        if shape.len() != strides.len() {
            return Err(Error::new(Code::INVALID_ARGUMENT, "as_strided: there have to be as many strides as sizes"));
        }
        // SAFETY: see `vander`; the lists live during the call. So they do below.
        self.sharing(|r, e| unsafe {
            sys::gpuopt_as_strided(self.raw(), count(shape), shape.as_ptr(), strides.as_ptr(), r, e)
        })
    }
    /// A read-only view of all windows of these sizes along axes; `None`: along all axes in order.
    pub fn sliding_window_view(&self, sizes: &[i64], axes: Option<&[i64]>) -> Result<Array> {
        if axes.map_or(false, |axes| axes.len() != sizes.len()) {
            return Err(Error::new(
                Code::INVALID_ARGUMENT,
                "sliding_window_view: there have to be as many axes as sizes",
            ));
        }
        let list = axes.map_or(std::ptr::null(), <[i64]>::as_ptr);
        // SAFETY: see `as_strided`.
        self.sharing(|r, e| unsafe {
            sys::gpuopt_sliding_window_view(self.raw(), count(sizes), sizes.as_ptr(), list, r, e)
        })
    }
    /// A view of the same bytes as elements of another dtype.
    pub fn view_dtype(&self, dtype: DType) -> Result<Array> {
        // SAFETY: see `vander`.
        self.sharing(|r, e| unsafe { sys::gpuopt_view_dtype(self.raw(), dtype.number(), r, e) })
    }
}

/// The limits of a floating-point dtype; see `gpuopt_float_limits` of C.
pub type FloatLimits = sys::gpuopt_float_limits;
/// The limits of an integer dtype; see `gpuopt_integer_limits` of C.
pub type IntegerLimits = sys::gpuopt_integer_limits;

/// The limits of a floating-point dtype, of a complex one those of its components.
///
/// ```
/// assert_eq!(gpuopt::finfo(gpuopt::DType::FLOAT32)?.eps, f64::from(f32::EPSILON));
/// assert_eq!(gpuopt::iinfo(gpuopt::DType::INT8)?.max, 127);
/// # Ok::<(), gpuopt::Error>(())
/// ```
pub fn finfo(dtype: DType) -> Result<FloatLimits> {
    let mut limits = FloatLimits::new();
    // SAFETY: the limits are written during the call.
    check(|e| unsafe { sys::gpuopt_finfo(dtype.number(), &mut limits, e) })?;
    Ok(limits)
}
/// The limits of an integer dtype.
pub fn iinfo(dtype: DType) -> Result<IntegerLimits> {
    let mut limits = IntegerLimits::new();
    // SAFETY: the limits are written during the call.
    check(|e| unsafe { sys::gpuopt_iinfo(dtype.number(), &mut limits, e) })?;
    Ok(limits)
}

/// Sequences between the elements of arrays, along a new axis of the results. A `dtype` of `None` is the one that the
/// ends promote to, float64 for integers.
impl Array {
    /// Numbers at equal distances from this to `stop`, and the distances. The ends run.
    pub fn linspace_between<'a>(
        &'a self,
        stop: impl Into<Operand<'a>>,
        num: i64,
        endpoint: bool,
        axis: i64,
        dtype: impl Into<Option<DType>>,
    ) -> Result<(Array, Array)> {
        let (dtype, end) = (number(dtype.into()), i32::from(endpoint));
        let [steps, values] = with_handles(&[self.into(), stop.into()], &[], |x| {
            // SAFETY: the handles are held. So they are in each of the calls below.
            several(|[s, r], e| unsafe { sys::gpuopt_linspace_between(x[0], x[1], num, end, axis, dtype, s, r, e) })
        })?;
        Ok((values, steps))
    }
    /// `base` to the powers from this to `stop`. The ends run.
    pub fn logspace_between<'a>(
        &'a self,
        stop: impl Into<Operand<'a>>,
        num: i64,
        endpoint: bool,
        base: impl Into<Operand<'a>>,
        axis: i64,
        dtype: impl Into<Option<DType>>,
    ) -> Result<Array> {
        let (dtype, end) = (number(dtype.into()), i32::from(endpoint));
        with_handles(&[self.into(), stop.into(), base.into()], &[], |x| {
            // SAFETY: see `linspace_between`.
            Array::fresh(|r, e| unsafe { sys::gpuopt_logspace_between(x[0], x[1], x[2], num, end, axis, dtype, r, e) })
        })
    }
    /// Numbers of a constant ratio from this to `stop`. The ends run.
    pub fn geomspace_between<'a>(
        &'a self,
        stop: impl Into<Operand<'a>>,
        num: i64,
        endpoint: bool,
        axis: i64,
        dtype: impl Into<Option<DType>>,
    ) -> Result<Array> {
        let (dtype, end) = (number(dtype.into()), i32::from(endpoint));
        with_handles(&[self.into(), stop.into()], &[], |x| {
            // SAFETY: see `linspace_between`.
            Array::fresh(|r, e| unsafe { sys::gpuopt_geomspace_between(x[0], x[1], num, end, axis, dtype, r, e) })
        })
    }
}
