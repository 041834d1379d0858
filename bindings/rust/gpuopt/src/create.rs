// bindings/rust/gpuopt/src/create.rs -- arrays made on a device, of values and of Rust's slices and vectors.
use crate::error::count;
use crate::{Array, Code, Copy, DType, Device, Element, Error, Result, Scalar};
use gpuopt_sys as sys;
use std::os::raw::c_void;

type Creation = unsafe extern "C" fn(
    sys::gpuopt_device,
    sys::gpuopt_dtype,
    i32,
    *const i64,
    *mut sys::gpuopt_array,
    *mut sys::gpuopt_error,
) -> sys::gpuopt_status;
type CreationLike = unsafe extern "C" fn(
    sys::gpuopt_array,
    sys::gpuopt_dtype,
    *mut sys::gpuopt_array,
    *mut sys::gpuopt_error,
) -> sys::gpuopt_status;

/// The number of a dtype, or "the default".
pub(crate) fn number(dtype: Option<DType>) -> sys::gpuopt_dtype {
    dtype.map_or(sys::GPUOPT_DTYPE_DEFAULT, DType::number)
}

/// An error unless `shape` has this many elements. What is wrong with the shape itself is for the library to say.
fn check_count(what: &str, shape: &[i64], elements: usize) -> Result<()> {
    let wanted = shape.iter().try_fold(1usize, |n, &size| n.checked_mul(usize::try_from(size).ok()?));
    match wanted {
        Some(wanted) if wanted != elements => {
            Err(Error::new(Code::SHAPE, format!("{what}: {elements} elements for an array of shape {shape:?}")))
        }
        _ => Ok(()),
    }
}

/// Drops the vector whose memory an array used.
unsafe extern "C" fn drop_vector<T>(context: *mut c_void) {
    // SAFETY: the context is the box `from_vec` made, and the library calls once.
    drop(unsafe { Box::from_raw(context.cast::<Vec<T>>()) });
}

/// Creating arrays: C-contiguous, on the device's default stream. A `dtype` of `None` is NumPy's default.
impl Device {
    /// A copy of a slice, in C order in this shape.
    pub fn array<T: Element>(&self, data: &[T], shape: &[i64]) -> Result<Array> {
        check_count("array", shape, data.len())?;
        let (data, dtype) = (data.as_ptr().cast(), T::DTYPE.number());
        // SAFETY: `data` has as many elements as the shape, and is read during the call.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_array_from(self.raw(), data, dtype, count(shape), shape.as_ptr(), r, e)
        })
    }
    /// A vector, in C order in this shape. A device that uses host memory uses the vector's own, without a copy; it is
    /// dropped with the last array that does, or once it is copied.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let data = vec![1.0, 2.0, 3.0, 4.0];
    /// let address = data.as_ptr();
    /// let x = gpuopt::Device::open("cpu")?.from_vec(data, &[2, 2])?;
    /// assert_eq!(x.as_slice::<f64>()?.as_ptr(), address);
    /// # Ok(()) }
    /// ```
    pub fn from_vec<T: Element>(&self, data: Vec<T>, shape: &[i64]) -> Result<Array> {
        check_count("from_vec", shape, data.len())?;
        let mut data = Box::new(data);
        let address = data.as_mut_ptr().cast();
        let context = Box::into_raw(data);
        // SAFETY: `address` has as many elements as the shape; they are the library's until it calls `drop_vector`,
        // which it does unless the call fails.
        let made = Array::fresh(|r, e| unsafe {
            let (shape, ndim, copy) = (shape.as_ptr(), count(shape), Copy::IfNeeded.to_raw());
            let (dtype, strides, release) = (T::DTYPE.number(), std::ptr::null(), Some(drop_vector::<T> as _));
            sys::gpuopt_from_host(self.raw(), address, dtype, ndim, shape, strides, copy, release, context.cast(), r, e)
        });
        if made.is_err() {
            // SAFETY: the library has not taken it over.
            drop(unsafe { Box::from_raw(context) });
        }
        made
    }
    /// One number, as a 0-d array.
    pub fn scalar(&self, value: impl Into<Scalar>, dtype: impl Into<Option<DType>>) -> Result<Array> {
        self.full(&[], value, dtype)
    }
    /// Elements of any value.
    pub fn empty(&self, shape: &[i64], dtype: impl Into<Option<DType>>) -> Result<Array> {
        self.created(sys::gpuopt_empty, shape, dtype.into())
    }
    /// Zeros.
    pub fn zeros(&self, shape: &[i64], dtype: impl Into<Option<DType>>) -> Result<Array> {
        self.created(sys::gpuopt_zeros, shape, dtype.into())
    }
    /// Ones.
    pub fn ones(&self, shape: &[i64], dtype: impl Into<Option<DType>>) -> Result<Array> {
        self.created(sys::gpuopt_ones, shape, dtype.into())
    }
    fn created(&self, function: Creation, shape: &[i64], dtype: Option<DType>) -> Result<Array> {
        // SAFETY: the handle is valid, and the shape for the call. So they are below.
        Array::fresh(|r, e| unsafe { function(self.raw(), number(dtype), count(shape), shape.as_ptr(), r, e) })
    }
    /// Elements that are all `value`; [`Code::OVERFLOW`] if an integer does not fit the dtype.
    pub fn full(&self, shape: &[i64], value: impl Into<Scalar>, dtype: impl Into<Option<DType>>) -> Result<Array> {
        let (value, dtype) = (value.into().to_raw(), number(dtype.into()));
        // SAFETY: see `created`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_full(self.raw(), dtype, count(shape), shape.as_ptr(), value, r, e) })
    }
    /// `start`, `start + step`, ... below `stop`, or above it for a negative step; int64 if all three are integers.
    pub fn arange(
        &self,
        start: impl Into<Scalar>,
        stop: impl Into<Scalar>,
        step: impl Into<Scalar>,
        dtype: impl Into<Option<DType>>,
    ) -> Result<Array> {
        let (start, stop, step) = (start.into().to_raw(), stop.into().to_raw(), step.into().to_raw());
        let dtype = number(dtype.into());
        // SAFETY: see `created`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_arange(self.raw(), dtype, start, stop, step, r, e) })
    }
    /// `num` evenly spaced values from `start` to `stop`, which is the last one if `endpoint`.
    pub fn linspace(
        &self,
        start: f64,
        stop: f64,
        num: i64,
        endpoint: bool,
        dtype: impl Into<Option<DType>>,
    ) -> Result<Array> {
        let (endpoint, dtype) = (i32::from(endpoint), number(dtype.into()));
        // SAFETY: see `created`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_linspace(self.raw(), dtype, start, stop, num, endpoint, r, e) })
    }
    /// Ones on the k-th diagonal; `columns` of `None`: as many as rows.
    pub fn eye(&self, rows: i64, columns: Option<i64>, k: i64, dtype: impl Into<Option<DType>>) -> Result<Array> {
        let (dtype, columns) = (number(dtype.into()), columns.unwrap_or(-1));
        // SAFETY: see `created`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_eye(self.raw(), dtype, rows, columns, k, r, e) })
    }
    /// Ones at and below the k-th diagonal; `columns` of `None`: as many as rows.
    pub fn tri(&self, rows: i64, columns: Option<i64>, k: i64, dtype: impl Into<Option<DType>>) -> Result<Array> {
        let (dtype, columns) = (number(dtype.into()), columns.unwrap_or(-1));
        // SAFETY: see `created`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_tri(self.raw(), dtype, rows, columns, k, r, e) })
    }
}

/// Arrays made like another: its shape, device and stream, and its dtype where that is `None`.
impl Array {
    /// Elements of any value.
    pub fn empty_like(&self, dtype: impl Into<Option<DType>>) -> Result<Array> {
        self.created_like(sys::gpuopt_empty_like, dtype.into())
    }
    /// Zeros.
    pub fn zeros_like(&self, dtype: impl Into<Option<DType>>) -> Result<Array> {
        self.created_like(sys::gpuopt_zeros_like, dtype.into())
    }
    /// Ones.
    pub fn ones_like(&self, dtype: impl Into<Option<DType>>) -> Result<Array> {
        self.created_like(sys::gpuopt_ones_like, dtype.into())
    }
    fn created_like(&self, function: CreationLike, dtype: Option<DType>) -> Result<Array> {
        // SAFETY: the handle is valid; no element is looked at.
        Array::fresh(|r, e| unsafe { function(self.raw(), number(dtype), r, e) })
    }
    /// Elements that are all `value`.
    pub fn full_like(&self, value: impl Into<Scalar>, dtype: impl Into<Option<DType>>) -> Result<Array> {
        let (value, dtype) = (value.into().to_raw(), number(dtype.into()));
        // SAFETY: the handle is valid; no element is looked at.
        Array::fresh(|r, e| unsafe { sys::gpuopt_full_like(self.raw(), dtype, value, r, e) })
    }
    /// The elements with zeros above the k-th diagonal of the last two axes.
    pub fn tril(&self, k: i64) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_tril(self.raw(), k, r, e) })
    }
    /// The elements with zeros below the k-th diagonal of the last two axes.
    pub fn triu(&self, k: i64) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_triu(self.raw(), k, r, e) })
    }
}
