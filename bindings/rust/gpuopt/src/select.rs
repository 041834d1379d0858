// bindings/rust/gpuopt/src/select.rs -- elements chosen by masks and indices, and the operations that take numbers
// aside.
use crate::error::check;
use crate::operand::with_handles;
use crate::{Array, Operand, Result};
use gpuopt_sys as sys;

/// Masks and indices.
impl Array {
    /// `x[mask]`: a fresh array of shape (count,) and the rest. The mask is bool, its shape a prefix of this one. Runs.
    pub fn mask_select(&self, mask: &Array) -> Result<Array> {
        let (_reading, _mask) = (self.reading()?, mask.reading()?);
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_mask_select(self.raw(), mask.raw(), r, e) })
    }
    /// `x[mask] = value`: a number or 0-d array goes everywhere, else the value broadcasts to `x[mask]`.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let mut x = gpuopt::Device::open("cpu")?.array(&[1.0, f64::NAN, 3.0], &[3])?;
    /// let missing = x.isnan()?;
    /// x.mask_assign(&missing, 0)?;
    /// assert_eq!(x.to_vec::<f64>()?, [1.0, 0.0, 3.0]);
    /// # Ok(()) }
    /// ```
    pub fn mask_assign<'a>(&mut self, mask: &'a Array, value: impl Into<Operand<'a>>) -> Result<()> {
        let _writing = self.writing()?;
        with_handles(&[mask.into(), value.into()], &[self], |handles| {
            // SAFETY: the handles are held, that of `self` for writing.
            check(|e| unsafe { sys::gpuopt_mask_assign(self.raw(), handles[0], handles[1], e) })
        })
    }
    /// The elements along `axis` at these integers, which may have any shape and count from the end if negative. Runs.
    pub fn take(&self, indices: &Array, axis: i64) -> Result<Array> {
        let (_reading, _indices) = (self.reading()?, indices.reading()?);
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_take(self.raw(), indices.raw(), axis, r, e) })
    }
    /// `x[..., indices, ...] = values` along `axis`; of equal indices the last wins.
    pub fn put<'a>(&mut self, indices: &'a Array, axis: i64, values: impl Into<Operand<'a>>) -> Result<()> {
        let _writing = self.writing()?;
        with_handles(&[indices.into(), values.into()], &[self], |handles| {
            // SAFETY: the handles are held, that of `self` for writing.
            check(|e| unsafe { sys::gpuopt_put(self.raw(), handles[0], axis, handles[1], e) })
        })
    }
    /// The indices of nonzero elements in C order: int64 of shape (count, ndim). Runs.
    pub fn argwhere(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_argwhere(self.raw(), r, e) })
    }
    /// NaN becomes `nan`, the infinities `posinf` and `neginf`, where `None` is the dtype's extreme.
    pub fn nan_to_num(&self, nan: f64, posinf: Option<f64>, neginf: Option<f64>) -> Result<Array> {
        let pointer = |value: &Option<f64>| value.as_ref().map_or(std::ptr::null(), |v| v as *const f64);
        let _reading = self.reading()?;
        // SAFETY: the handle is held; the numbers live during the call.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_nan_to_num(self.raw(), nan, pointer(&posinf), pointer(&neginf), r, e)
        })
    }
    /// Whether `|x - other| <= atol + rtol * |other|`; equal infinities are close, and NaN to NaN if `equal_nan`.
    /// NumPy's tolerances are 1e-5 and 1e-8.
    pub fn isclose<'a>(
        &'a self,
        other: impl Into<Operand<'a>>,
        rtol: f64,
        atol: f64,
        equal_nan: bool,
    ) -> Result<Array> {
        with_handles(&[self.into(), other.into()], &[], |h| {
            // SAFETY: the handles are held.
            Array::fresh(|r, e| unsafe { sys::gpuopt_isclose(h[0], h[1], rtol, atol, i32::from(equal_nan), r, e) })
        })
    }
}
