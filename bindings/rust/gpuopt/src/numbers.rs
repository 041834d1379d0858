// bindings/rust/gpuopt/src/numbers.rs -- parts, scales and neighbours of numbers.
use crate::operand::with_handles;
use crate::sort::several;
use crate::{Array, Operand, Result};
use gpuopt_sys as sys;

/// Parts, scales and neighbours of numbers.
impl Array {
    /// The array as mantissas of magnitude in [0.5, 1) and powers of two, int32.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let (mantissa, exponent) = gpuopt::Device::open("cpu")?.array(&[6.0], &[1])?.frexp()?;
    /// assert_eq!(mantissa.to_vec::<f64>()?, [0.75]);
    /// assert_eq!(exponent.to_vec::<i32>()?, [3]);
    /// # Ok(()) }
    /// ```
    pub fn frexp(&self) -> Result<(Array, Array)> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held. So are all below.
        let [mantissa, exponent] = several(|[m, n], e| unsafe { sys::gpuopt_frexp(self.raw(), m, n, e) })?;
        Ok((mantissa, exponent))
    }
    /// The array times two to an integer power.
    pub fn ldexp<'a>(&'a self, exponent: impl Into<Operand<'a>>) -> Result<Array> {
        with_handles(&[self.into(), exponent.into()], &[], |x| {
            // SAFETY: see `frexp`.
            Array::fresh(|r, e| unsafe { sys::gpuopt_ldexp(x[0], x[1], r, e) })
        })
    }
    /// The parts behind and in front of the point.
    pub fn modf(&self) -> Result<(Array, Array)> {
        let _reading = self.reading()?;
        // SAFETY: see `frexp`.
        let [fraction, whole] = several(|[f, w], e| unsafe { sys::gpuopt_modf(self.raw(), f, w, e) })?;
        Ok((fraction, whole))
    }
    /// The quotients, rounded towards negative infinity, and the remainders.
    pub fn divmod<'a>(&'a self, divisor: impl Into<Operand<'a>>) -> Result<(Array, Array)> {
        let [quotient, remainder] = with_handles(&[self.into(), divisor.into()], &[], |x| {
            // SAFETY: see `frexp`.
            several(|[q, r], e| unsafe { sys::gpuopt_divmod(x[0], x[1], q, r, e) })
        })?;
        Ok((quotient, remainder))
    }
    /// The distances to the next numbers away from 0.
    pub fn spacing(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `frexp`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_spacing(self.raw(), r, e) })
    }
    /// A power in float64 or complex128.
    pub fn float_power<'a>(&'a self, exponent: impl Into<Operand<'a>>) -> Result<Array> {
        with_handles(&[self.into(), exponent.into()], &[], |x| {
            // SAFETY: see `frexp`.
            Array::fresh(|r, e| unsafe { sys::gpuopt_float_power(x[0], x[1], r, e) })
        })
    }
    /// `x * log(y)`, and 0 where the array is 0.
    pub fn xlogy<'a>(&'a self, y: impl Into<Operand<'a>>) -> Result<Array> {
        with_handles(&[self.into(), y.into()], &[], |x| {
            // SAFETY: see `frexp`.
            Array::fresh(|r, e| unsafe { sys::gpuopt_xlogy(x[0], x[1], r, e) })
        })
    }
    /// `-x * log(x)`, and 0 at 0.
    pub fn entr(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `frexp`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_entr(self.raw(), r, e) })
    }
}
