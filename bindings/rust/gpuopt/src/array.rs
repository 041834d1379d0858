// bindings/rust/gpuopt/src/array.rs -- the array: a counted reference, its facts, views, copies and writes.
use crate::error::{check, count};
use crate::loan::{Loan, Reading, Writing};
use crate::operand::{apply_in_place, with_handles};
use crate::{Code, DType, Device, Error, Operand, Result, Scalar, Stream};
use gpuopt_sys as sys;
use std::ptr::NonNull;
use std::sync::Arc;

/// The error of a call that succeeded without a result, which none does.
pub(crate) fn nothing_given() -> Error {
    Error::new(Code::INTERNAL, "the library gave nothing out")
}

/// One reference to a C array, dropped once.
pub(crate) struct Handle(NonNull<sys::gpuopt_array_s>);

impl Handle {
    /// The reference a C call gives out.
    pub(crate) fn given(
        call: impl FnOnce(*mut sys::gpuopt_array, *mut sys::gpuopt_error) -> sys::gpuopt_status,
    ) -> Result<Handle> {
        let mut raw = std::ptr::null_mut();
        check(|e| call(&mut raw, e))?;
        // SAFETY: what the call gave out is ours.
        unsafe { Handle::adopt(raw) }
    }
    /// Takes a reference over.
    ///
    /// # Safety
    /// `raw` is null, which is an error, or a valid handle with a reference that is given away.
    unsafe fn adopt(raw: sys::gpuopt_array) -> Result<Handle> {
        NonNull::new(raw).map(Handle).ok_or_else(nothing_given)
    }
    pub(crate) fn raw(&self) -> sys::gpuopt_array {
        self.0.as_ptr()
    }
}
impl Clone for Handle {
    fn clone(&self) -> Handle {
        // SAFETY: the handle is valid; retaining gives the same one, with a reference more.
        unsafe { sys::gpuopt_array_retain(self.raw()) };
        Handle(self.0)
    }
}
impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: this reference is ours and goes once.
        unsafe { sys::gpuopt_array_release(self.raw()) }
    }
}

/// Whether a call may copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copy {
    /// Where it must.
    #[default]
    IfNeeded,
    /// In any case.
    Always,
    /// Never: where a copy is needed the call fails with [`Code::INVALID_ARGUMENT`].
    Never,
}
impl Copy {
    pub(crate) fn to_raw(self) -> sys::gpuopt_copy {
        match self {
            Copy::IfNeeded => sys::GPUOPT_COPY_IF_NEEDED,
            Copy::Always => sys::GPUOPT_COPY_ALWAYS,
            Copy::Never => sys::GPUOPT_COPY_NEVER,
        }
    }
}

/// A typed, strided view of elements on a device: a reference, like an `Rc`. `clone` makes another one to the same
/// elements; [`Array::copy`] copies them.
///
/// dtype, shape and strides never change. Elements change by the calls that take `&mut self`; while they are lent as a
/// slice or used by another thread, such a call fails with [`Code::INVALID_ARGUMENT`].
///
/// ```
/// use gpuopt::{Code, Device};
/// # fn main() -> gpuopt::Result<()> {
/// let mut x = Device::open("cpu")?.array(&[1.0, 2.0, 3.0], &[3])?;
/// x.multiply_assign(10)?;
/// let last = x.view(2..)?; // the same elements
/// let lent = last.as_slice::<f64>()?;
/// assert_eq!(*lent, [30.0]);
/// assert_eq!(x.fill(0).unwrap_err().code(), Code::INVALID_ARGUMENT);
/// drop(lent);
/// x.fill(0)?;
/// assert_eq!(last.to_vec::<f64>()?, [0.0]);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Array {
    handle: Handle,
    loan: Arc<Loan>,            // of the elements: clones and views have the same one
    failed: Option<Box<Error>>, // of an operator such as `+=`, which cannot give it back
}

// SAFETY: the ABI lets any thread use distinct arrays, and several threads read one; nothing depends on which thread
// calls, releases included. Reads go through `&self` and writes through `&mut self`. Clones and views of other threads
// reach the same elements, so that is not enough: `loan` refuses a write beside any other use, and any use beside a
// write.
unsafe impl Send for Array {}
// SAFETY: as above.
unsafe impl Sync for Array {}

type Call<'a> = &'a mut dyn FnMut(*mut sys::gpuopt_array, *mut sys::gpuopt_error) -> sys::gpuopt_status;

impl Array {
    /// An array with elements of its own.
    pub(crate) fn fresh(
        call: impl FnOnce(*mut sys::gpuopt_array, *mut sys::gpuopt_error) -> sys::gpuopt_status,
    ) -> Result<Array> {
        Ok(Array { handle: Handle::given(call)?, loan: Arc::default(), failed: None })
    }
    /// The same of a reference that is taken over.
    ///
    /// # Safety
    /// As of [`Handle::adopt`]; nobody else has the elements.
    pub(crate) unsafe fn adopt(raw: sys::gpuopt_array) -> Result<Array> {
        // SAFETY: the caller's promise.
        Ok(Array { handle: unsafe { Handle::adopt(raw) }?, loan: Arc::default(), failed: None })
    }
    /// An array that shares the elements of `self`, or may.
    pub(crate) fn sharing(
        &self,
        mut call: impl FnMut(*mut sys::gpuopt_array, *mut sys::gpuopt_error) -> sys::gpuopt_status,
    ) -> Result<Array> {
        self.sharing_dyn(&mut call)
    }
    fn sharing_dyn(&self, call: Call<'_>) -> Result<Array> {
        let _reading = self.reading()?;
        Ok(Array { handle: Handle::given(call)?, loan: Arc::clone(&self.loan), failed: None })
    }
    /// An array that shares the elements of `self`, of a reference that is taken over.
    ///
    /// # Safety
    /// As of [`Handle::adopt`].
    pub(crate) unsafe fn adopting(&self, raw: sys::gpuopt_array) -> Result<Array> {
        // SAFETY: the caller's promise.
        Ok(Array { handle: unsafe { Handle::adopt(raw) }?, loan: Arc::clone(&self.loan), failed: None })
    }
    /// The same array, of elements whose uses are counted there; `None`: nobody else has them.
    pub(crate) fn lent(mut self, loan: Option<Arc<Loan>>) -> Array {
        if let Some(loan) = loan {
            self.loan = loan;
        }
        self
    }
    /// Where the uses of the elements are counted.
    pub(crate) fn loan(&self) -> Arc<Loan> {
        Arc::clone(&self.loan)
    }
    /// The same array, where its elements are known to be a copy.
    fn detached_if(mut self, copied: bool) -> Array {
        if copied {
            self.loan = Arc::default();
        }
        self
    }
    pub(crate) fn raw(&self) -> sys::gpuopt_array {
        self.handle.raw()
    }
    pub(crate) fn reading(&self) -> Result<Reading<'_>> {
        self.check_failed()?;
        self.loan.read()
    }
    pub(crate) fn writing(&self) -> Result<Writing<'_>> {
        self.check_failed()?;
        self.loan.write()
    }
    fn check_failed(&self) -> Result<()> {
        self.failed.as_ref().map_or(Ok(()), |error| Err(Error::clone(error)))
    }
    /// `self = op(self, other)` in place; a failure stays with the array.
    pub(crate) fn update(&mut self, op: sys::gpuopt_op, other: Operand<'_>) {
        if self.failed.is_none() {
            self.failed = apply_in_place(op, self, [other]).err().map(Box::new);
        }
    }
    /// The error of an operator such as `+=` that failed, which leaves the array usable again, with the elements that
    /// it had before; `Ok` if there was none.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let xp = gpuopt::Device::open("cpu")?;
    /// let mut x = xp.array(&[1.0, 2.0], &[2])?;
    /// x += 1;
    /// x -= &xp.array(&[1.0, 2.0, 3.0], &[3])?; // does not broadcast
    /// assert!(x.to_vec::<f64>().is_err());
    /// assert!(x.take_error().is_err());
    /// assert_eq!(x.to_vec::<f64>()?, [2.0, 3.0]);
    /// # Ok(()) }
    /// ```
    pub fn take_error(&mut self) -> Result<()> {
        self.failed.take().map_or(Ok(()), |error| Err(*error))
    }
    /// Whether one is a clone or view of the other, or of a third.
    pub(crate) fn shares_elements(&self, other: &Array) -> bool {
        Arc::ptr_eq(&self.loan, &other.loan)
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        // SAFETY: the handle is valid.
        DType(unsafe { sys::gpuopt_array_dtype(self.raw()) })
    }
    /// The number of dimensions.
    pub fn ndim(&self) -> usize {
        // SAFETY: the handle is valid.
        unsafe { sys::gpuopt_array_ndim(self.raw()) as usize }
    }
    /// The sizes of the dimensions.
    pub fn shape(&self) -> &[i64] {
        // SAFETY: it points to ndim numbers that live as long as the array and never change; of no dimensions it may be
        // null.
        unsafe { numbers(sys::gpuopt_array_shape(self.raw()), self.ndim()) }
    }
    /// The distances of neighbours along each dimension, in bytes; negative or zero in some views.
    pub fn strides(&self) -> &[i64] {
        // SAFETY: as for the shape.
        unsafe { numbers(sys::gpuopt_array_strides(self.raw()), self.ndim()) }
    }
    /// The number of elements.
    pub fn size(&self) -> usize {
        // SAFETY: the handle is valid.
        unsafe { sys::gpuopt_array_size(self.raw()) as usize }
    }
    /// The bytes of the elements.
    pub fn nbytes(&self) -> usize {
        // SAFETY: the handle is valid.
        unsafe { sys::gpuopt_array_nbytes(self.raw()) as usize }
    }
    /// Whether the elements lie in C order without gaps.
    pub fn is_contiguous(&self) -> bool {
        // SAFETY: the handle is valid.
        unsafe { sys::gpuopt_array_is_contiguous(self.raw()) != 0 }
    }
    /// Whether the elements must not be written through this array, as those of [`Array::broadcast_to`].
    pub fn is_read_only(&self) -> bool {
        // SAFETY: the handle is valid.
        unsafe { sys::gpuopt_array_is_read_only(self.raw()) != 0 }
    }
    /// The device the elements are on.
    pub fn device(&self) -> Device {
        // SAFETY: the handle is valid, and no weak scalar, of which this type has none: so there is a device. Retaining
        // makes a reference of our own.
        unsafe { Device::adopt(sys::gpuopt_device_retain(sys::gpuopt_array_device(self.raw()))) }
    }

    /// One element; negative positions count from the end, and `&[]` is the element of a 0-d array. Waits.
    pub fn item(&self, index: &[i64]) -> Result<Scalar> {
        self.check_index("item", index)?;
        let (_reading, mut value) = (self.reading()?, sys::gpuopt_scalar_int(0));
        // SAFETY: the handle is held; `index` has ndim numbers.
        check(|e| unsafe { sys::gpuopt_array_item(self.raw(), index.as_ptr(), &mut value, e) })?;
        Ok(Scalar::from_raw(value))
    }
    /// Writes one element. The value must fit the dtype.
    pub fn set_item(&mut self, index: &[i64], value: impl Into<Scalar>) -> Result<()> {
        self.check_index("set_item", index)?;
        let _writing = self.writing()?;
        // SAFETY: the handle is held for writing; `index` has ndim numbers.
        check(|e| unsafe { sys::gpuopt_array_set_item(self.raw(), index.as_ptr(), value.into().to_raw(), e) })
    }
    fn check_index(&self, what: &str, index: &[i64]) -> Result<()> {
        if index.len() == self.ndim() {
            return Ok(());
        }
        let message = format!("{what}: {} positions for an array of {} dimensions", index.len(), self.ndim());
        Err(Error::new(Code::INDEX, message))
    }
    /// Runs what the array waits for, without waiting for the device.
    pub fn eval(&self) -> Result<()> {
        let (_reading, raw) = (self.reading()?, self.raw());
        // SAFETY: the handle is held.
        check(|e| unsafe { sys::gpuopt_eval(1, &raw, e) })
    }

    /// The transpose: a view with the axes reversed.
    pub fn t(&self) -> Result<Array> {
        // SAFETY: the handle is held. So it is in each of the calls below.
        self.sharing(|r, e| unsafe { sys::gpuopt_permute_dims(self.raw(), std::ptr::null(), r, e) })
    }
    /// A view with the axes in this order; there must be as many as dimensions.
    pub fn permute_dims(&self, axes: &[i64]) -> Result<Array> {
        if axes.len() != self.ndim() {
            let message = format!("permute_dims: {} axes for an array of {} dimensions", axes.len(), self.ndim());
            return Err(Error::new(Code::INVALID_ARGUMENT, message));
        }
        if axes.is_empty() {
            return Ok(self.clone());
        }
        // SAFETY: `axes` has ndim numbers.
        self.sharing(|r, e| unsafe { sys::gpuopt_permute_dims(self.raw(), axes.as_ptr(), r, e) })
    }
    /// A view with the last two axes swapped.
    pub fn matrix_transpose(&self) -> Result<Array> {
        // SAFETY: see `t`.
        self.sharing(|r, e| unsafe { sys::gpuopt_matrix_transpose(self.raw(), r, e) })
    }
    /// The same elements in C order in another shape, of which one size may be -1: a view where the strides allow, else
    /// a copy.
    pub fn reshape(&self, shape: &[i64]) -> Result<Array> {
        self.reshape_copy(shape, Copy::IfNeeded)
    }
    /// [`Array::reshape`], saying whether to copy.
    pub fn reshape_copy(&self, shape: &[i64], copy: Copy) -> Result<Array> {
        // SAFETY: see `t`.
        let made = self.sharing(|r, e| unsafe {
            sys::gpuopt_reshape(self.raw(), count(shape), shape.as_ptr(), copy.to_raw(), r, e)
        });
        made.map(|y| y.detached_if(copy == Copy::Always))
    }
    /// A read-only view of this shape; broadcast axes have stride 0.
    pub fn broadcast_to(&self, shape: &[i64]) -> Result<Array> {
        // SAFETY: see `t`.
        self.sharing(|r, e| unsafe { sys::gpuopt_broadcast_to(self.raw(), count(shape), shape.as_ptr(), r, e) })
    }
    /// A view with an axis of size 1 more.
    pub fn expand_dims(&self, axis: i64) -> Result<Array> {
        // SAFETY: see `t`.
        self.sharing(|r, e| unsafe { sys::gpuopt_expand_dims(self.raw(), axis, r, e) })
    }
    /// A view without these axes of size 1; `&[]`: without any.
    pub fn squeeze(&self, axes: &[i64]) -> Result<Array> {
        // SAFETY: see `t`.
        self.sharing(|r, e| unsafe { sys::gpuopt_squeeze(self.raw(), count(axes), axes.as_ptr(), r, e) })
    }
    /// A view with these axes reversed; `&[]`: all of them.
    pub fn flip(&self, axes: &[i64]) -> Result<Array> {
        // SAFETY: see `t`.
        self.sharing(|r, e| unsafe { sys::gpuopt_flip(self.raw(), count(axes), axes.as_ptr(), r, e) })
    }
    /// The same array bound to another stream of its device: work on the result goes there.
    pub fn on_stream(&self, stream: &Stream) -> Result<Array> {
        // SAFETY: both handles are held.
        self.sharing(|r, e| unsafe { sys::gpuopt_array_on_stream(self.raw(), stream.raw(), r, e) })
    }
    /// Converted to `dtype`; another reference to the same elements if they have it. Any cast is allowed: real numbers
    /// are truncated to integers and saturate, integers wrap, of complex numbers the real component is taken.
    pub fn astype(&self, dtype: DType) -> Result<Array> {
        self.astype_copy(dtype, Copy::IfNeeded)
    }
    /// [`Array::astype`], saying whether to copy.
    pub fn astype_copy(&self, dtype: DType, copy: Copy) -> Result<Array> {
        // SAFETY: see `t`.
        let made = self.sharing(|r, e| unsafe { sys::gpuopt_astype(self.raw(), dtype.number(), copy.to_raw(), r, e) });
        made.map(|y| y.detached_if(copy == Copy::Always || self.dtype() != dtype))
    }
    /// The same elements on another device; another reference if they are there.
    pub fn to_device(&self, device: &Device) -> Result<Array> {
        // SAFETY: both handles are held.
        let copy = Copy::IfNeeded.to_raw();
        let made = self.sharing(|r, e| unsafe { sys::gpuopt_to_device(self.raw(), device.raw(), copy, r, e) });
        made.map(|y| y.detached_if(self.device() != *device))
    }
    /// A fresh C-contiguous copy.
    pub fn copy(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_copy_array(self.raw(), r, e) })
    }

    /// `x[...] = value`: broadcast, and cast as [`Array::astype`] casts.
    pub fn assign<'a>(&mut self, value: impl Into<Operand<'a>>) -> Result<()> {
        let _writing = self.writing()?;
        with_handles(&[value.into()], &[self], |handles| {
            // SAFETY: the handles are held, that of `self` for writing.
            check(|e| unsafe { sys::gpuopt_assign(self.raw(), handles[0], e) })
        })
    }
    /// Every element becomes `value`.
    pub fn fill(&mut self, value: impl Into<Scalar>) -> Result<()> {
        let _writing = self.writing()?;
        // SAFETY: the handle is held for writing.
        check(|e| unsafe { sys::gpuopt_fill(self.raw(), value.into().to_raw(), e) })
    }
}

/// # Safety
/// `at` points to `count` numbers that live as long as `'a`, or `count` is 0.
unsafe fn numbers<'a>(at: *const i64, count: usize) -> &'a [i64] {
    match count {
        0 => &[],
        // SAFETY: the caller's promise.
        _ => unsafe { std::slice::from_raw_parts(at, count) },
    }
}
