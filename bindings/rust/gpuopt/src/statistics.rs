// bindings/rust/gpuopt/src/statistics.rs -- differences, integrals, weighted means and covariances.
use crate::operand::with_handles;
use crate::sort::several;
use crate::{Array, Axes, Operand, Result};
use gpuopt_sys as sys;

/// How [`Array::cov`] reads its operands.
#[derive(Clone, Copy, Debug)]
pub struct CovOptions<'a> {
    /// The variables are columns, not rows.
    pub columns: bool,
    /// The divisor is n - correction.
    pub correction: f64,
    /// How often each observation is there: integers.
    pub fweights: Option<&'a Array>,
    /// The weight of each observation.
    pub aweights: Option<&'a Array>,
}
impl Default for CovOptions<'_> {
    fn default() -> Self {
        CovOptions { columns: false, correction: 1.0, fweights: None, aweights: None }
    }
}

// The handle of an array that may be missing.
fn raw_or_null(x: Option<&Array>) -> sys::gpuopt_array {
    x.map_or(std::ptr::null_mut(), Array::raw)
}

/// Differences, integrals, weighted means and covariances.
impl Array {
    /// `x[i + 1] - x[i]` along an axis, n times; of bool whether the two differ.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let x = gpuopt::Device::open("cpu")?.array(&[1.0, 4.0, 9.0], &[3])?;
    /// assert_eq!(x.diff(1, -1)?.to_vec::<f64>()?, [3.0, 5.0]);
    /// # Ok(()) }
    /// ```
    pub fn diff(&self, n: i64, axis: i64) -> Result<Array> {
        let (_reading, null) = (self.reading()?, std::ptr::null_mut());
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_diff(self.raw(), n, axis, null, null, r, e) })
    }
    /// The same with numbers or arrays joined to the ends first.
    pub fn diff_between<'a>(
        &'a self,
        n: i64,
        axis: i64,
        prepend: impl Into<Operand<'a>>,
        append: impl Into<Operand<'a>>,
    ) -> Result<Array> {
        with_handles(&[self.into(), prepend.into(), append.into()], &[], |x| {
            // SAFETY: the handles are held.
            Array::fresh(|r, e| unsafe { sys::gpuopt_diff(x[0], n, axis, x[1], x[2], r, e) })
        })
    }
    /// The integral along an axis by the trapezoidal rule, of points at the distance `dx`.
    pub fn trapezoid(&self, dx: f64, axis: i64) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_trapezoid(self.raw(), std::ptr::null_mut(), dx, axis, r, e) })
    }
    /// The same of points at `x`.
    pub fn trapezoid_at(&self, x: &Array, axis: i64) -> Result<Array> {
        let (_reading, _other) = (self.reading()?, x.reading()?);
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_trapezoid(self.raw(), x.raw(), 1.0, axis, r, e) })
    }
    /// The mean along axes, each element counted by its weight, and the sums of the weights. Runs.
    pub fn average(&self, weights: &Array, axes: impl Into<Axes>) -> Result<(Array, Array)> {
        let (_reading, _other, axes) = (self.reading()?, weights.reading()?, axes.into());
        let options = axes.to_raw();
        let [mean, weight_sum] = several(|[mean, sum], e| {
            // SAFETY: the handles are held; the options point into `axes`, which lives.
            unsafe { sys::gpuopt_average(self.raw(), weights.raw(), &options, mean, sum, e) }
        })?;
        Ok((mean, weight_sum))
    }
    /// The covariance matrix of variables, which are rows of this array and, if there is one, of the other. Runs.
    pub fn cov(&self, other: Option<&Array>, how: CovOptions) -> Result<Array> {
        let all = [Some(self), other, how.fweights, how.aweights];
        let _reading = all.into_iter().flatten().map(Array::reading).collect::<Result<Vec<_>>>()?;
        let options = sys::gpuopt_cov_options {
            fweights: raw_or_null(how.fweights),
            aweights: raw_or_null(how.aweights),
            columns: i32::from(how.columns),
            bias: 1.0 - how.correction,
            ..sys::gpuopt_cov_options::new()
        };
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_cov(self.raw(), raw_or_null(other), &options, r, e) })
    }
    /// The same, divided by the standard deviations. Runs.
    pub fn corrcoef(&self, other: Option<&Array>, columns: bool) -> Result<Array> {
        let both = [Some(self), other];
        let _reading = both.into_iter().flatten().map(Array::reading).collect::<Result<Vec<_>>>()?;
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_corrcoef(self.raw(), raw_or_null(other), i32::from(columns), r, e) })
    }
}
