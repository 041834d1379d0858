// bindings/rust/gpuopt/src/arrow.rs -- exchange with Apache Arrow by its C data interface.
use crate::error::check;
use crate::loan::Loan;
use crate::{Array, Copy, Device, Result};
use gpuopt_sys as sys;
use std::sync::Arc;

pub use gpuopt_sys::{ArrowArray, ArrowSchema};

/// An array on its way between libraries: an [`ArrowSchema`] and an [`ArrowArray`] of Arrow's C data interface. It owns
/// what is in them until a consumer moves it out, which sets their members `release` to `None`; dropping it releases
/// what is left.
///
/// The structs have the layout of every implementation of Arrow's: `FFI_ArrowSchema` and `FFI_ArrowArray` of the crate
/// `arrow` are read from the addresses, by `from_raw`, say.
///
/// ```
/// use gpuopt::{Copy, Device};
/// # fn main() -> gpuopt::Result<()> {
/// let xp = Device::open("cpu")?;
/// let column = xp.array(&[1.0, 2.0, 3.0], &[3])?.to_arrow(Copy::Never)?;
/// assert_eq!(column.array().length, 3);
/// let x = xp.from_arrow(column, Copy::Never)?; // the same elements, read-only
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
/// # Ok(()) }
/// ```
pub struct Arrow {
    structs: Box<(ArrowSchema, ArrowArray)>, // boxed: a producer may keep the addresses until it has filled them
    loan: Option<Arc<Loan>>,                 // of the elements, if arrays of this crate have them, too
}

// SAFETY: the specification lets any thread release.
unsafe impl Send for Arrow {}

impl Arrow {
    /// An empty pair of structs, for a producer to fill through their addresses.
    pub fn new() -> Arrow {
        Arrow { structs: Box::default(), loan: None }
    }
    /// Moves out what is in two structs, whose members `release` become `None`.
    ///
    /// # Safety
    /// Both point to valid structs, filled as the specification says. Nobody writes to the elements until they are
    /// released.
    pub unsafe fn from_raw(schema: *mut ArrowSchema, array: *mut ArrowArray) -> Arrow {
        // SAFETY: the caller's promise; what is copied is marked as moved, so that it is released once.
        let structs = unsafe {
            let moved = Box::new((schema.read(), array.read()));
            (*schema).release = None;
            (*array).release = None;
            moved
        };
        Arrow { structs, loan: None }
    }
    /// The type.
    pub fn schema(&self) -> &ArrowSchema {
        &self.structs.0
    }
    /// The content.
    pub fn array(&self) -> &ArrowArray {
        &self.structs.1
    }
    /// The addresses of both structs, for a consumer to move their content out, or a producer to fill them, as the
    /// specification says; valid as long as `self`.
    pub fn as_mut_ptrs(&mut self) -> (*mut ArrowSchema, *mut ArrowArray) {
        (&mut self.structs.0, &mut self.structs.1)
    }
}
impl Default for Arrow {
    fn default() -> Arrow {
        Arrow::new()
    }
}
impl Drop for Arrow {
    fn drop(&mut self) {
        let (schema, array) = self.as_mut_ptrs();
        // SAFETY: what is in the structs is ours, and release goes once: the producer sets it to `None`.
        unsafe {
            if let Some(release) = (*schema).release {
                release(schema);
            }
            if let Some(release) = (*array).release {
                release(array);
            }
        }
    }
}

impl Array {
    /// Exports the array, running what it waits for, as an Arrow array without nulls: of one dimension a primitive
    /// array, of more fixed-size lists in one another; none are [`Code::SHAPE`](crate::Code::SHAPE). dtypes: bool,
    /// integers, float16, float32 and float64, others are [`Code::TYPE`](crate::Code::TYPE). C-contiguous elements in
    /// the host's memory are shared, and Arrow's consumers take them for constant. A copy is made if `copy` is
    /// [`Copy::Always`], and where it is needed: of bool, which Arrow packs into bits, of strided arrays, and of arrays
    /// that are not in the host's memory.
    pub fn to_arrow(&self, copy: Copy) -> Result<Arrow> {
        let _reading = self.reading()?;
        let mut made = Arrow { structs: Box::default(), loan: (copy != Copy::Always).then(|| self.loan()) };
        let (schema, array) = made.as_mut_ptrs();
        // SAFETY: the handle is held; the structs are ours, and after a failure their members `release` are null.
        check(|e| unsafe { sys::gpuopt_to_arrow(self.raw(), copy.to_raw(), schema, array, e) })?;
        Ok(made)
    }
}

impl Device {
    /// Imports a primitive Arrow array of the dtypes of [`Array::to_arrow`], or fixed-size lists of them. The array
    /// uses the producer's memory, and is read-only then; it is a copy if `copy` is [`Copy::Always`], and where that is
    /// needed: of bool, of memory that is not aligned, and on devices that do not use the host's. Nulls are
    /// [`Code::INVALID_ARGUMENT`](crate::Code::INVALID_ARGUMENT), other types [`Code::TYPE`](crate::Code::TYPE), and
    /// structs that contradict the specification [`Code::FORMAT`](crate::Code::FORMAT). After an error all is released.
    pub fn from_arrow(&self, arrow: Arrow, copy: Copy) -> Result<Array> {
        Ok(self.import_arrow(arrow, copy, false)?.0)
    }
    /// [`Device::from_arrow`] for arrays with nulls. The second array, of bool and the shape of the first, is false
    /// where an element is null, at any depth; `None`: there are none. The element itself is whatever the producer left
    /// there.
    pub fn from_arrow_valid(&self, arrow: Arrow, copy: Copy) -> Result<(Array, Option<Array>)> {
        self.import_arrow(arrow, copy, true)
    }
    fn import_arrow(&self, mut arrow: Arrow, copy: Copy, nulls: bool) -> Result<(Array, Option<Array>)> {
        let (schema, array) = arrow.as_mut_ptrs();
        let mut valid = std::ptr::null_mut();
        let to = if nulls { &mut valid } else { std::ptr::null_mut() };
        // SAFETY: the structs are ours; a call that succeeds moves their content out.
        let made =
            Array::fresh(|r, e| unsafe { sys::gpuopt_from_arrow(self.raw(), schema, array, copy.to_raw(), r, to, e) })?;
        // SAFETY: the call gave it out, with a reference that is ours.
        let valid = if valid.is_null() { None } else { Some(unsafe { Array::adopt(valid) }?) };
        Ok((made.lent(arrow.loan.take().filter(|_| copy != Copy::Always)), valid))
    }
}
