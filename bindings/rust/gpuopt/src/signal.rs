// bindings/rust/gpuopt/src/signal.rs -- gradients, interpolation, convolutions and phases.
use crate::create::number;
use crate::error::check;
use crate::{Array, DType, Result, Scalar};
use gpuopt_sys as sys;
use std::ptr::null;

/// Which elements of a convolution are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConvolveMode {
    /// All.
    #[default]
    Full,
    /// As many as the longer operand has, in the middle.
    Same,
    /// Those where the shorter operand lies inside the longer one.
    Valid,
}

impl ConvolveMode {
    fn to_raw(self) -> sys::gpuopt_convolve_mode {
        match self {
            ConvolveMode::Full => sys::GPUOPT_CONVOLVE_FULL,
            ConvolveMode::Same => sys::GPUOPT_CONVOLVE_SAME,
            ConvolveMode::Valid => sys::GPUOPT_CONVOLVE_VALID,
        }
    }
}

/// How [`Array::convolve_nd`] computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConvolveMethod {
    /// In the way that is likely to take less time.
    #[default]
    Auto,
    /// Each element as a sum of products.
    Direct,
    /// By Fourier transforms.
    Fft,
}

impl ConvolveMethod {
    fn to_raw(self) -> sys::gpuopt_convolve_method {
        match self {
            ConvolveMethod::Auto => sys::GPUOPT_CONVOLVE_AUTO,
            ConvolveMethod::Direct => sys::GPUOPT_CONVOLVE_DIRECT,
            ConvolveMethod::Fft => sys::GPUOPT_CONVOLVE_FFT,
        }
    }
}

/// Gradients, interpolation, convolutions and phases.
impl Array {
    /// The derivative along an axis of points at this distance; `edge_order` is 1 or 2.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let x = gpuopt::Device::open("cpu")?.array(&[1.0, 4.0, 9.0], &[3])?;
    /// assert_eq!(x.gradient(1.0, -1, 1)?.to_vec::<f64>()?, [3.0, 4.0, 5.0]);
    /// # Ok(()) }
    /// ```
    pub fn gradient(&self, spacing: f64, axis: i64, edge_order: i32) -> Result<Array> {
        let (_reading, nothing) = (self.reading()?, std::ptr::null_mut());
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_gradient(self.raw(), nothing, spacing, axis, edge_order, r, e) })
    }
    /// The same of points at coordinates of one dimension.
    pub fn gradient_at(&self, coordinates: &Array, axis: i64, edge_order: i32) -> Result<Array> {
        let (_reading, _other) = (self.reading()?, coordinates.reading()?);
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_gradient(self.raw(), coordinates.raw(), 1.0, axis, edge_order, r, e) })
    }
    /// The values at these places of the piecewise linear function through the points. `outside` are the values below
    /// and above all of them; without it, those of the outermost ones. Runs.
    pub fn interp(&self, xp: &Array, fp: &Array, outside: Option<(Scalar, Scalar)>) -> Result<Array> {
        let _reading = [self, xp, fp].into_iter().map(Array::reading).collect::<Result<Vec<_>>>()?;
        let ends = outside.map(|(left, right)| [left.to_raw(), right.to_raw()]);
        let [left, right] = ends.as_ref().map_or([null(), null()], |[left, right]| [left, right]);
        // SAFETY: the handles are held, and the numbers live.
        Array::fresh(|r, e| unsafe { sys::gpuopt_interp(self.raw(), xp.raw(), fp.raw(), left, right, null(), r, e) })
    }
    /// The same of a function that repeats itself after each period; `xp` need not be sorted. Runs.
    pub fn interp_periodic(&self, xp: &Array, fp: &Array, period: f64) -> Result<Array> {
        let _reading = [self, xp, fp].into_iter().map(Array::reading).collect::<Result<Vec<_>>>()?;
        // SAFETY: the handles are held, and the period lives.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_interp(self.raw(), xp.raw(), fp.raw(), null(), null(), &period, r, e)
        })
    }
    /// The convolution of arrays of one dimension.
    pub fn convolve(&self, other: &Array, mode: ConvolveMode) -> Result<Array> {
        let (_reading, _other) = (self.reading()?, other.reading()?);
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_convolve(self.raw(), other.raw(), mode.to_raw(), r, e) })
    }
    /// The cross-correlation of arrays of one dimension.
    pub fn correlate(&self, other: &Array, mode: ConvolveMode) -> Result<Array> {
        let (_reading, _other) = (self.reading()?, other.reading()?);
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_correlate(self.raw(), other.raw(), mode.to_raw(), r, e) })
    }
    /// The convolution along all axes; `Same` is the size of `self`.
    pub fn convolve_nd(&self, other: &Array, mode: ConvolveMode, method: ConvolveMethod) -> Result<Array> {
        let (_reading, _other) = (self.reading()?, other.reading()?);
        let (mode, method) = (mode.to_raw(), method.to_raw());
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_convolve_nd(self.raw(), other.raw(), mode, method, r, e) })
    }
    /// The cross-correlation along all axes; `Same` is the size of `self`.
    pub fn correlate_nd(&self, other: &Array, mode: ConvolveMode, method: ConvolveMethod) -> Result<Array> {
        let (_reading, _other) = (self.reading()?, other.reading()?);
        let (mode, method) = (mode.to_raw(), method.to_raw());
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_correlate_nd(self.raw(), other.raw(), mode, method, r, e) })
    }
    /// What [`ConvolveMethod::Auto`] stands for.
    pub fn choose_conv_method(&self, other: &Array, mode: ConvolveMode) -> Result<ConvolveMethod> {
        let (_reading, _other, mut method) = (self.reading()?, other.reading()?, 0);
        // SAFETY: the handles are held.
        check(|e| unsafe { sys::gpuopt_choose_conv_method(self.raw(), other.raw(), mode.to_raw(), &mut method, e) })?;
        Ok(if method == sys::GPUOPT_CONVOLVE_FFT { ConvolveMethod::Fft } else { ConvolveMethod::Direct })
    }
    /// Phases without jumps along an axis; a `period` of 0 is 2 pi, a `discont` of 0 half of it.
    pub fn unwrap_phase(&self, discont: f64, period: f64, axis: i64) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_unwrap(self.raw(), discont, period, axis, r, e) })
    }
    /// The running sum along an axis, where NaN counts as 0.
    pub fn nancumsum(&self, axis: i64, dtype: impl Into<Option<DType>>) -> Result<Array> {
        let (_reading, dtype) = (self.reading()?, number(dtype.into()));
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_nancumsum(self.raw(), axis, dtype, r, e) })
    }
    /// The running product along an axis, where NaN counts as 1.
    pub fn nancumprod(&self, axis: i64, dtype: impl Into<Option<DType>>) -> Result<Array> {
        let (_reading, dtype) = (self.reading()?, number(dtype.into()));
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_nancumprod(self.raw(), axis, dtype, r, e) })
    }
}
