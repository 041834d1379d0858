// bindings/rust/gpuopt/src/decompose.rs -- factorizations, systems of equations, eigenvalues and singular values.
use crate::error::count;
use crate::join::operands;
use crate::operand::with_all_handles;
use crate::sort::several;
use crate::{Array, Result};
use gpuopt_sys as sys;

/// Which of the matrices a solve is made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trans {
    /// The matrix itself.
    #[default]
    None = sys::GPUOPT_TRANS_NONE as isize,
    /// Its transpose.
    Transpose = sys::GPUOPT_TRANS_TRANSPOSE as isize,
    /// Its conjugate transpose.
    Conjugate = sys::GPUOPT_TRANS_CONJUGATE as isize,
}

/// What [`Array::lstsq`] finds.
#[derive(Debug)]
pub struct LeastSquares {
    /// The solution.
    pub x: Array,
    /// The sums of squares of what is left of each right side; none where the rank is less than the unknowns, or there
    /// are no more equations than unknowns.
    pub residuals: Array,
    /// The number of singular values that count, int64 without dimensions.
    pub rank: Array,
    /// The singular values, in descending order.
    pub singular_values: Array,
}

/// The product of two or more arrays, of which only the first and the last may have one dimension, in the order that
/// takes the fewest multiplications.
pub fn multi_dot(arrays: &[&Array]) -> Result<Array> {
    with_all_handles(&operands(arrays), &[], |x| {
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_multi_dot(count(x), x.as_ptr(), r, e) })
    })
}

fn pointer(tolerance: &Option<f64>) -> *const f64 {
    tolerance.as_ref().map_or(std::ptr::null(), |t| t)
}

/// Linear algebra. The last two axes are matrices, the others a stack of them; integers are computed as `f64`. A matrix
/// for which there is no answer is `Code::LINALG`.
impl Array {
    /// The triangular factor of Hermitian, positive definite matrices: `l l^H` or, for `upper`, `u^H u`.
    pub fn cholesky(&self, upper: bool) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held. So it is below.
        Array::fresh(|r, e| unsafe { sys::gpuopt_cholesky(self.raw(), i32::from(upper), r, e) })
    }
    fn q_and_r(&self, mode: sys::gpuopt_qr_mode) -> Result<(Array, Array)> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        let [q, r] = several(|[q, r], e| unsafe { sys::gpuopt_qr(self.raw(), mode, q, r, e) })?;
        Ok((q, r))
    }
    /// `q` with orthonormal columns and triangular `r`, whose product is the matrix (m, n): of shapes (m, k) and
    /// (k, n), where k is the lesser of m and n.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let x = gpuopt::Device::open("cpu")?.array(&[3.0, 4.0], &[2, 1])?;
    /// let (q, r) = x.qr()?;
    /// assert_eq!(r.to_vec::<f64>()?, [-5.0]);
    /// assert_eq!(q.shape(), [2, 1]);
    /// # Ok(()) }
    /// ```
    pub fn qr(&self) -> Result<(Array, Array)> {
        self.q_and_r(sys::GPUOPT_QR_REDUCED)
    }
    /// The same with all m columns of `q`.
    pub fn qr_complete(&self) -> Result<(Array, Array)> {
        self.q_and_r(sys::GPUOPT_QR_COMPLETE)
    }
    /// `r` of [`Array::qr`] alone.
    pub fn qr_r(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`; `q` may be NULL.
        Array::fresh(|r, e| unsafe { sys::gpuopt_qr(self.raw(), sys::GPUOPT_QR_R, std::ptr::null_mut(), r, e) })
    }
    /// A permutation, a lower and an upper triangular matrix, whose product is the matrix.
    pub fn lu(&self) -> Result<(Array, Array, Array)> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        let [p, l, u] = several(|[p, l, u], e| unsafe { sys::gpuopt_lu(self.raw(), p, l, u, e) })?;
        Ok((p, l, u))
    }
    /// Both triangles in one matrix, and with which row each was exchanged: what [`Array::lu_solve`] takes.
    pub fn lu_factor(&self) -> Result<(Array, Array)> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        let [lu, pivots] = several(|[lu, pivots], e| unsafe { sys::gpuopt_lu_factor(self.raw(), lu, pivots, e) })?;
        Ok((lu, pivots))
    }
    /// The solution for right sides `b` by what [`Array::lu_factor`] gave.
    pub fn lu_solve(&self, pivots: &Array, b: &Array, trans: Trans) -> Result<Array> {
        let (_reading, _pivots, _b) = (self.reading()?, pivots.reading()?, b.reading()?);
        let trans = trans as sys::gpuopt_trans;
        // SAFETY: see `cholesky`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_lu_solve(self.raw(), pivots.raw(), b.raw(), trans, r, e) })
    }
    /// The solution x of `self x = b`: `b` of one dimension is a vector, else it is matrices.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let device = gpuopt::Device::open("cpu")?;
    /// let a = device.array(&[2.0, 1.0, 0.0, 4.0], &[2, 2])?;
    /// let b = device.array(&[4.0, 8.0], &[2])?;
    /// assert_eq!(a.solve(&b)?.to_vec::<f64>()?, [1.0, 2.0]);
    /// # Ok(()) }
    /// ```
    pub fn solve(&self, b: &Array) -> Result<Array> {
        let (_reading, _b) = (self.reading()?, b.reading()?);
        // SAFETY: see `cholesky`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_solve(self.raw(), b.raw(), r, e) })
    }
    /// The same of a triangular matrix, of which only the lower or the upper triangle is read, with `unit_diagonal`
    /// without its diagonal, which counts as ones.
    pub fn solve_triangular(&self, b: &Array, lower: bool, unit_diagonal: bool, trans: Trans) -> Result<Array> {
        let (_reading, _b) = (self.reading()?, b.reading()?);
        let (lower, unit, trans) = (i32::from(lower), i32::from(unit_diagonal), trans as sys::gpuopt_trans);
        // SAFETY: see `cholesky`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_solve_triangular(self.raw(), b.raw(), lower, unit, trans, r, e) })
    }
    /// The inverses.
    pub fn inv(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_inv(self.raw(), r, e) })
    }
    /// The determinants.
    pub fn det(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_det(self.raw(), r, e) })
    }
    /// The determinants as a sign and the logarithm of the absolute value.
    pub fn slogdet(&self) -> Result<(Array, Array)> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        let [sign, log] = several(|[sign, log], e| unsafe { sys::gpuopt_slogdet(self.raw(), sign, log, e) })?;
        Ok((sign, log))
    }
    /// The solution of least squares of `self x = b`. Singular values not above `rcond` times the greatest count as 0;
    /// `None` is the dtype's epsilon times the greater size.
    pub fn lstsq(&self, b: &Array, rcond: Option<f64>) -> Result<LeastSquares> {
        let (_reading, _b) = (self.reading()?, b.reading()?);
        let [x, residuals, rank, singular_values] = several(|[x, residuals, rank, s], e| {
            // SAFETY: see `cholesky`; the tolerance lives during the call.
            unsafe { sys::gpuopt_lstsq(self.raw(), b.raw(), pointer(&rcond), x, residuals, rank, s, e) }
        })?;
        Ok(LeastSquares { x, residuals, rank, singular_values })
    }
    /// The pseudo-inverses. Singular values not above `rtol` times the greatest of their matrix count as 0; `None` is
    /// the dtype's epsilon times the greater size.
    pub fn pinv(&self, rtol: Option<f64>) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `lstsq`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_pinv(self.raw(), pointer(&rtol), r, e) })
    }
    /// The x for which the sum of products over the last axes of `self` and all of x is `b`; `axes` are moved behind
    /// the others first.
    pub fn tensorsolve(&self, b: &Array, axes: &[i64]) -> Result<Array> {
        let (_reading, _b) = (self.reading()?, b.reading()?);
        // SAFETY: see `cholesky`; the axes live during the call.
        Array::fresh(|r, e| unsafe { sys::gpuopt_tensorsolve(self.raw(), b.raw(), count(axes), axes.as_ptr(), r, e) })
    }
    /// The inverse for sums of products over the first `ind` axes.
    pub fn tensorinv(&self, ind: i32) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_tensorinv(self.raw(), ind, r, e) })
    }
    /// Eigenvalues, in ascending order, and eigenvectors, in columns, of Hermitian matrices, of which only the lower
    /// or, for `upper`, the upper triangle is read.
    pub fn eigh(&self, upper: bool) -> Result<(Array, Array)> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        let [w, v] = several(|[w, v], e| unsafe { sys::gpuopt_eigh(self.raw(), i32::from(upper), w, v, e) })?;
        Ok((w, v))
    }
    /// The eigenvalues of [`Array::eigh`] alone.
    pub fn eigvalsh(&self, upper: bool) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_eigvalsh(self.raw(), i32::from(upper), r, e) })
    }
    /// Eigenvalues and eigenvectors, in columns, of square matrices: always complex.
    pub fn eig(&self) -> Result<(Array, Array)> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        let [w, v] = several(|[w, v], e| unsafe { sys::gpuopt_eig(self.raw(), w, v, e) })?;
        Ok((w, v))
    }
    /// The eigenvalues of [`Array::eig`] alone.
    pub fn eigvals(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_eigvals(self.raw(), r, e) })
    }
    /// `u`, the singular values in descending order, and `vh`: the matrix is `u diag(s) vh`. With `full` both are
    /// square.
    pub fn svd(&self, full: bool) -> Result<(Array, Array, Array)> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        let [u, s, vh] = several(|[u, s, vh], e| unsafe { sys::gpuopt_svd(self.raw(), i32::from(full), u, s, vh, e) })?;
        Ok((u, s, vh))
    }
    /// The singular values alone.
    pub fn svdvals(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_svdvals(self.raw(), r, e) })
    }
    /// The numbers of singular values above `rtol` times the greatest of their matrix; `None` as in [`Array::pinv`].
    pub fn matrix_rank(&self, rtol: Option<f64>) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `lstsq`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_matrix_rank(self.raw(), pointer(&rtol), r, e) })
    }
    /// The condition numbers in a norm of [`Array::matrix_norm`]; 2 is the usual one.
    pub fn cond(&self, ord: f64) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_cond(self.raw(), ord, r, e) })
    }
    /// An integer power of square matrices.
    pub fn matrix_power(&self, n: i64) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_matrix_power(self.raw(), n, r, e) })
    }
    /// The exponentials of square matrices.
    pub fn expm(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `cholesky`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_expm(self.raw(), r, e) })
    }
}
