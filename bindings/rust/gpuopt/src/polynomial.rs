// bindings/rust/gpuopt/src/polynomial.rs -- polynomials as arrays of coefficients, that of the highest power first.
use crate::decompose::LeastSquares;
use crate::operand::with_handles;
use crate::sort::several;
use crate::{Array, Operand, Result};
use gpuopt_sys as sys;
use std::ptr::{null, null_mut};

/// How [`Array::polyfit`] weighs and bounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct PolyfitOptions<'a> {
    /// What the distances are multiplied by.
    pub weights: Option<&'a Array>,
    /// Singular values not above this times the greatest one count as 0.
    pub rcond: Option<f64>,
}

type Pair = unsafe extern "C" fn(
    sys::gpuopt_array,
    sys::gpuopt_array,
    *mut sys::gpuopt_array,
    *mut sys::gpuopt_error,
) -> sys::gpuopt_status;

/// Polynomials as arrays of coefficients, that of the highest power first.
impl Array {
    fn polynomials(&self, other: &Array, function: Pair) -> Result<Array> {
        let (_reading, _other) = (self.reading()?, other.reading()?);
        // SAFETY: the handles are held. So are all below.
        Array::fresh(|r, e| unsafe { function(self.raw(), other.raw(), r, e) })
    }
    /// The polynomial at each element of `x`.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let device = gpuopt::Device::open("cpu")?;
    /// let p = device.array(&[1.0, -3.0, 2.0], &[3])?; // x^2 - 3 x + 2
    /// let x = device.array(&[0.0, 1.0, 5.0], &[3])?;
    /// assert_eq!(p.polyval(&x)?.to_vec::<f64>()?, [2.0, 0.0, 12.0]);
    /// # Ok(()) }
    /// ```
    pub fn polyval(&self, x: &Array) -> Result<Array> {
        self.polynomials(x, sys::gpuopt_polyval)
    }
    /// The sum of two polynomials.
    pub fn polyadd(&self, other: &Array) -> Result<Array> {
        self.polynomials(other, sys::gpuopt_polyadd)
    }
    /// The difference of two polynomials.
    pub fn polysub(&self, other: &Array) -> Result<Array> {
        self.polynomials(other, sys::gpuopt_polysub)
    }
    /// The product of two polynomials. Runs.
    pub fn polymul(&self, other: &Array) -> Result<Array> {
        self.polynomials(other, sys::gpuopt_polymul)
    }
    /// The quotient and the remainder of two polynomials. Runs.
    pub fn polydiv(&self, other: &Array) -> Result<(Array, Array)> {
        let (_reading, _other) = (self.reading()?, other.reading()?);
        let [quotient, remainder] =
            // SAFETY: see `polynomials`.
            several(|[q, r], e| unsafe { sys::gpuopt_polydiv(self.raw(), other.raw(), q, r, e) })?;
        Ok((quotient, remainder))
    }
    /// The derivative of order `m`.
    pub fn polyder(&self, m: i64) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `polynomials`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_polyder(self.raw(), m, r, e) })
    }
    /// The antiderivative of order `m`, with constants of 0.
    pub fn polyint(&self, m: i64) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `polynomials`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_polyint(self.raw(), m, null_mut(), r, e) })
    }
    /// The same with the constants of the integrations, or one for all of them.
    pub fn polyint_with<'a>(&'a self, m: i64, constants: impl Into<Operand<'a>>) -> Result<Array> {
        with_handles(&[self.into(), constants.into()], &[], |x| {
            // SAFETY: see `polynomials`.
            Array::fresh(|r, e| unsafe { sys::gpuopt_polyint(x[0], m, x[1], r, e) })
        })
    }
    /// The polynomial that is next to the values `y`, or columns of them, at these points in the sense of least
    /// squares, and what [`Array::lstsq`] says of the system. Runs.
    pub fn polyfit(&self, y: &Array, degree: i64, options: PolyfitOptions<'_>) -> Result<LeastSquares> {
        let (_reading, _y) = (self.reading()?, y.reading()?);
        let _weights = options.weights.map(Array::reading).transpose()?;
        let weights = options.weights.map_or(null_mut(), Array::raw);
        let rcond = options.rcond.as_ref().map_or(null(), |r| r as *const f64);
        // SAFETY: see `polynomials`; the number lives.
        let [x, residuals, rank, singular_values] = several(|[x, residuals, rank, s], e| unsafe {
            sys::gpuopt_polyfit(self.raw(), y.raw(), degree, rcond, weights, x, residuals, rank, s, e)
        })?;
        Ok(LeastSquares { x, residuals, rank, singular_values })
    }
    /// The same polynomial, and the covariances of its coefficients: `unscaled` those of weights that are the
    /// reciprocals of standard deviations. Runs.
    pub fn polyfit_cov(
        &self,
        y: &Array,
        degree: i64,
        unscaled: bool,
        options: PolyfitOptions<'_>,
    ) -> Result<(Array, Array)> {
        let (_reading, _y) = (self.reading()?, y.reading()?);
        let _weights = options.weights.map(Array::reading).transpose()?;
        let weights = options.weights.map_or(null_mut(), Array::raw);
        let rcond = options.rcond.as_ref().map_or(null(), |r| r as *const f64);
        // SAFETY: see `polynomials`; the number lives.
        let [coefficients, covariance] = several(|[c, v], e| unsafe {
            sys::gpuopt_polyfit_cov(self.raw(), y.raw(), degree, rcond, weights, i32::from(unscaled), c, v, e)
        })?;
        Ok((coefficients, covariance))
    }
    /// The zeros of a polynomial, which are complex. Runs.
    pub fn roots(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `polynomials`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_roots(self.raw(), r, e) })
    }
    /// The polynomial with these zeros, or the characteristic polynomial of a matrix. Runs.
    pub fn poly(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `polynomials`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_poly(self.raw(), r, e) })
    }
}
