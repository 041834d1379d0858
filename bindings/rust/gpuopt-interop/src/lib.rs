// bindings/rust/gpuopt-interop/src/lib.rs -- arrays from and to the types of other crates.
//! Arrays of `gpuopt` from and to those of `ndarray`, with elements of `half` and `num-complex`. Each of the three
//! crates is a feature of this one's name for it, and none is on by default:
//!
//! ```toml
//! gpuopt-interop = { version = "1", features = ["ndarray", "half", "num-complex"] }
//! ```
//!
//! It is a crate of its own so that `gpuopt` depends on none. Its traits add methods to [`gpuopt::Device`] and
//! [`gpuopt::Array`]:
//!
//! - [`DeviceInterop`] makes arrays of slices, vectors and `ndarray`'s arrays: by copy, or of the same memory.
//! - [`ArrayInterop`] gives vectors and `ndarray`'s arrays and views back.
//!
//! ```
//! # #[cfg(all(feature = "ndarray", feature = "half"))]
//! # fn main() -> gpuopt::Result<()> {
//! use gpuopt_interop::{ArrayInterop, DeviceInterop};
//! use half::f16;
//! let xp = gpuopt::Device::open("cpu")?;
//! let x = xp.copy_ndarray(&ndarray::array![[1.0, 2.0], [3.0, 4.0]])?;
//! assert_eq!(x.sum(0)?.to_ndarray::<f64>()?, ndarray::array![4.0, 6.0].into_dyn());
//! let y = xp.vec_of(vec![f16::ONE, f16::from_f32(2.5)], &[2])?;
//! assert_eq!(y.dtype(), gpuopt::DType::FLOAT16);
//! assert_eq!(y.square()?.to_vec_of::<f16>()?[1].to_f32(), 6.25);
//! # Ok(()) }
//! # #[cfg(not(all(feature = "ndarray", feature = "half")))]
//! # fn main() {}
//! ```
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

#[cfg(feature = "ndarray")]
mod nd;
mod number;

#[cfg(feature = "ndarray")]
pub use nd::{NdView, NdViewMut};
pub use number::{from_element, to_element, Number};

use gpuopt::{Array, Device, Result};

mod sealed {
    pub trait Sealed {}
    impl Sealed for gpuopt::Array {}
    impl Sealed for gpuopt::Device {}
}

/// Arrays made of the types of other crates; of [`Device`] alone.
pub trait DeviceInterop: sealed::Sealed {
    /// A copy of a slice, in C order in this shape: [`Device::array`] for every [`Number`].
    fn array_of<T: Number>(&self, data: &[T], shape: &[i64]) -> Result<Array>;
    /// A vector, in C order in this shape: [`Device::from_vec`] for every [`Number`]. A device that uses host memory
    /// uses the vector's own.
    fn vec_of<T: Number>(&self, data: Vec<T>, shape: &[i64]) -> Result<Array>;
    /// A copy of an array of `ndarray`, of any layout and ownership, in C order.
    #[cfg(feature = "ndarray")]
    fn copy_ndarray<T, S, D>(&self, x: &ndarray::ArrayBase<S, D>) -> Result<Array>
    where
        T: Number,
        S: ndarray::Data<Elem = T>,
        D: ndarray::Dimension;
    /// An array of `ndarray`, given away. A device that uses host memory uses the array's own if its elements lie in C
    /// order or Fortran's without gaps; else they are copied.
    #[cfg(feature = "ndarray")]
    fn adopt_ndarray<T: Number, D: ndarray::Dimension>(&self, x: ndarray::Array<T, D>) -> Result<Array>;
}

/// Arrays given to the types of other crates; of [`Array`] alone.
pub trait ArrayInterop: sealed::Sealed {
    /// All elements in C order, copied from any device: [`Array::to_vec`] for every [`Number`]. `T` must be that of the
    /// dtype. Waits.
    fn to_vec_of<T: Number>(&self) -> Result<Vec<T>>;
    /// A copy as an array of `ndarray`, in C order. `T` must be that of the dtype. Waits.
    ///
    /// `into_dimensionality` makes one of a fixed number of dimensions of it.
    #[cfg(feature = "ndarray")]
    fn to_ndarray<T: Number>(&self) -> Result<ndarray::ArrayD<T>>;
    /// The elements where they lie, without a copy, whatever their strides, on a device that uses host memory. While
    /// the result lives they cannot be written. The errors of [`Array::as_view`], and
    /// [`Code::UNSUPPORTED`](gpuopt::Code::UNSUPPORTED) of strides that are not multiples of an element's size. Waits.
    #[cfg(feature = "ndarray")]
    fn as_ndarray<T: Number>(&self) -> Result<NdView<'_, T>>;
    /// The elements of a C-contiguous array for writing, without a copy, on a device that uses host memory. The errors
    /// of [`Array::as_mut_slice`]. Waits.
    #[cfg(feature = "ndarray")]
    fn as_ndarray_mut<T: Number>(&mut self) -> Result<NdViewMut<'_, T>>;
}

impl DeviceInterop for Device {
    fn array_of<T: Number>(&self, data: &[T], shape: &[i64]) -> Result<Array> {
        self.array(number::as_elements(data), shape)
    }
    fn vec_of<T: Number>(&self, data: Vec<T>, shape: &[i64]) -> Result<Array> {
        self.from_vec(number::into_elements(data), shape)
    }
    #[cfg(feature = "ndarray")]
    fn copy_ndarray<T, S, D>(&self, x: &ndarray::ArrayBase<S, D>) -> Result<Array>
    where
        T: Number,
        S: ndarray::Data<Elem = T>,
        D: ndarray::Dimension,
    {
        nd::copied(self, x)
    }
    #[cfg(feature = "ndarray")]
    fn adopt_ndarray<T: Number, D: ndarray::Dimension>(&self, x: ndarray::Array<T, D>) -> Result<Array> {
        nd::adopted(self, x)
    }
}

impl ArrayInterop for Array {
    fn to_vec_of<T: Number>(&self) -> Result<Vec<T>> {
        Ok(number::from_elements(self.to_vec::<T::Element>()?))
    }
    #[cfg(feature = "ndarray")]
    fn to_ndarray<T: Number>(&self) -> Result<ndarray::ArrayD<T>> {
        nd::given(self)
    }
    #[cfg(feature = "ndarray")]
    fn as_ndarray<T: Number>(&self) -> Result<NdView<'_, T>> {
        NdView::of(self)
    }
    #[cfg(feature = "ndarray")]
    fn as_ndarray_mut<T: Number>(&mut self) -> Result<NdViewMut<'_, T>> {
        NdViewMut::of(self)
    }
}
