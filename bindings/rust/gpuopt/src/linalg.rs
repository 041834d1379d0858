// bindings/rust/gpuopt/src/linalg.rs -- products and norms.
use crate::error::count;
use crate::{Array, Code, Error, Result};
use gpuopt_sys as sys;

type Product = unsafe extern "C" fn(
    sys::gpuopt_array,
    sys::gpuopt_array,
    *mut sys::gpuopt_array,
    *mut sys::gpuopt_error,
) -> sys::gpuopt_status;

/// How a product of floats is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductMode {
    /// As `GPUOPT_MATMUL` says: `Exact` without it.
    AsSet = sys::GPUOPT_PRODUCT_DEFAULT as isize,
    /// In a defined order, with the same bits everywhere.
    Exact = sys::GPUOPT_PRODUCT_EXACT as isize,
    /// By a BLAS or cuBLAS, whose bits differ from machine to machine; exactly where there is none.
    Fast = sys::GPUOPT_PRODUCT_FAST as isize,
}

/// The order of [`Array::matrix_norm`] that is the sum of the singular values.
pub const NORM_NUCLEAR: f64 = sys::GPUOPT_NORM_NUCLEAR;

/// Products and norms.
impl Array {
    fn product(&self, other: &Array, function: Product) -> Result<Array> {
        let (_reading, _other) = (self.reading()?, other.reading()?);
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { function(self.raw(), other.raw(), r, e) })
    }
    /// The matrix product; vectors are rows or columns, leading dimensions broadcast.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let x = gpuopt::Device::open("cpu")?.array(&[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
    /// assert_eq!(x.matmul(&x)?.to_vec::<f64>()?, [7.0, 10.0, 15.0, 22.0]);
    /// # Ok(()) }
    /// ```
    pub fn matmul(&self, other: &Array) -> Result<Array> {
        self.product(other, sys::gpuopt_matmul)
    }
    /// `matmul`, whatever `GPUOPT_MATMUL` says.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let x = gpuopt::Device::open("cpu")?.array(&[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
    /// let fast = x.matmul_with(&x, gpuopt::ProductMode::Fast)?;
    /// assert_eq!(fast.to_vec::<f64>()?, [7.0, 10.0, 15.0, 22.0]);
    /// # Ok(()) }
    /// ```
    pub fn matmul_with(&self, other: &Array, mode: ProductMode) -> Result<Array> {
        let (_reading, _other) = (self.reading()?, other.reading()?);
        let options = sys::gpuopt_product_options { mode: mode as i32, ..sys::gpuopt_product_options::new() };
        // SAFETY: the handles are held, and the options live during the call.
        Array::fresh(|r, e| unsafe { sys::gpuopt_matmul_with(self.raw(), other.raw(), &options, r, e) })
    }
    /// NumPy's dot: of vectors the inner product, of matrices the matrix product.
    pub fn dot(&self, other: &Array) -> Result<Array> {
        self.product(other, sys::gpuopt_dot)
    }
    /// `x[:, None] * other[None, :]` of the flattened arrays.
    pub fn outer(&self, other: &Array) -> Result<Array> {
        self.product(other, sys::gpuopt_outer)
    }
    /// The cross product of vectors of three elements along an axis of each.
    pub fn cross(&self, other: &Array, axis: i64) -> Result<Array> {
        let (_reading, _other) = (self.reading()?, other.reading()?);
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_cross(self.raw(), other.raw(), axis, r, e) })
    }
    /// The Kronecker product: `other` times each element of the array, in its place.
    pub fn kron(&self, other: &Array) -> Result<Array> {
        self.product(other, sys::gpuopt_kron)
    }
    /// The sums of the diagonals of the matrices in two axes, `offset` places above the main one.
    pub fn trace(&self, offset: i64, axis1: i64, axis2: i64) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_trace(self.raw(), offset, axis1, axis2, 0, r, e) })
    }
    /// `sum(conj(x) * other)` along `axis` of the broadcast arrays.
    pub fn vecdot(&self, other: &Array, axis: i64) -> Result<Array> {
        let (_reading, _other) = (self.reading()?, other.reading()?);
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_vecdot(self.raw(), other.raw(), axis, r, e) })
    }
    /// Sums over the last `axes` axes of `self` with the first ones of `other`.
    pub fn tensordot(&self, other: &Array, axes: i32) -> Result<Array> {
        let (_reading, _other, null) = (self.reading()?, other.reading()?, std::ptr::null());
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_tensordot(self.raw(), other.raw(), axes, null, null, r, e) })
    }
    /// Sums over pairs of axes, one list for each array.
    pub fn tensordot_axes(&self, other: &Array, axes: &[i64], others: &[i64]) -> Result<Array> {
        if axes.len() != others.len() {
            let message = format!("tensordot: {} axes of one array and {} of the other", axes.len(), others.len());
            return Err(Error::new(Code::SHAPE, message));
        }
        let (_reading, _other) = (self.reading()?, other.reading()?);
        let (pairs, axes, others) = (count(axes), axes.as_ptr(), others.as_ptr());
        // SAFETY: the handles are held; both lists have as many axes as there are pairs.
        Array::fresh(|r, e| unsafe { sys::gpuopt_tensordot(self.raw(), other.raw(), pairs, axes, others, r, e) })
    }
    /// Norms of the matrices in the last two axes: `None` is Frobenius', else 1, -1, 2, -2, the infinities, and
    /// [`NORM_NUCLEAR`].
    pub fn matrix_norm(&self, ord: Option<f64>, keepdims: bool) -> Result<Array> {
        let (_reading, ord) = (self.reading()?, ord.unwrap_or(sys::GPUOPT_NORM_FROBENIUS));
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_matrix_norm(self.raw(), ord, i32::from(keepdims), r, e) })
    }
    /// The 2-norm of all elements, as `numpy.linalg.norm`.
    pub fn norm(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_norm(self.raw(), r, e) })
    }
}
