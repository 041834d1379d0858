// bindings/rust/gpuopt/src/dlpack.rs -- exchange with other libraries by DLPack: tensors out and in, and who deletes
// them.
use crate::error::check;
use crate::loan::Loan;
use crate::{Array, Copy, Device, Result};
use gpuopt_sys as sys;
use std::os::raw::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

/// The major version of DLPack whose structs the library knows.
const MAJOR: u32 = 1;

/// The front of a `DLManagedTensorVersioned`, which all versions of DLPack have.
#[repr(C)]
struct Head {
    major: u32,
    minor: u32,
    manager_ctx: *mut c_void,
    deleter: Option<unsafe extern "C" fn(tensor: *mut sys::DLManagedTensorVersioned)>,
}

/// A tensor on its way between libraries: a `DLManagedTensorVersioned` of DLPack 1.x, as the header `dlpack.h` has it.
/// Dropping it calls the tensor's deleter.
///
/// ```
/// use gpuopt::{Copy, Device};
/// # fn main() -> gpuopt::Result<()> {
/// let xp = Device::open("cpu")?;
/// let mut x = xp.array(&[1.0, 2.0, 3.0], &[3])?;
/// let y = xp.from_dlpack(x.to_dlpack(0, Copy::Never)?, Copy::Never)?; // the same elements
/// x.fill(7)?;
/// assert_eq!(y.to_vec::<f64>()?, [7.0; 3]);
/// # Ok(()) }
/// ```
pub struct DlpackTensor {
    tensor: NonNull<sys::DLManagedTensorVersioned>,
    loan: Option<Arc<Loan>>, // of the elements, if arrays of this crate have them, too
}

// SAFETY: the deleter may be called from any thread: the library's can, and of others `from_raw` demands it.
unsafe impl Send for DlpackTensor {}

impl DlpackTensor {
    /// Takes over a `DLManagedTensorVersioned` that another library gave out; `None` if it is null.
    ///
    /// # Safety
    /// It points to a valid tensor of DLPack 1.x or later that nobody else deletes, and any thread may call its
    /// deleter. Until that is called, others use the elements only as Rust's rules allow beside the arrays that are
    /// made of the tensor: nobody writes while one of them is read, and nobody reads while one is written.
    pub unsafe fn from_raw(tensor: *mut c_void) -> Option<DlpackTensor> {
        NonNull::new(tensor.cast()).map(|tensor| DlpackTensor { tensor, loan: None })
    }
    /// The address of the tensor, which stays owned by `self`.
    pub fn as_ptr(&self) -> *mut c_void {
        self.tensor.as_ptr().cast()
    }
    /// Gives the tensor away: whoever gets the address calls its deleter.
    pub fn into_raw(self) -> *mut c_void {
        let (tensor, _) = self.into_parts();
        tensor.as_ptr().cast()
    }
    fn into_parts(mut self) -> (NonNull<sys::DLManagedTensorVersioned>, Option<Arc<Loan>>) {
        let (tensor, loan) = (self.tensor, self.loan.take());
        std::mem::forget(self);
        (tensor, loan)
    }
    fn head(&self) -> &Head {
        // SAFETY: a valid tensor begins so in every version of DLPack.
        unsafe { self.tensor.cast::<Head>().as_ref() }
    }
}
impl Drop for DlpackTensor {
    fn drop(&mut self) {
        if let Some(deleter) = self.head().deleter {
            // SAFETY: the tensor is ours, and goes once.
            unsafe { deleter(self.tensor.as_ptr()) }
        }
    }
}

impl Array {
    /// Exports the array as DLPack's tensor, running what it waits for: of the same elements, or of a copy if `copy`
    /// is [`Copy::Always`], or where DLPack cannot express the strides. The tensor of a read-only array says so in its
    /// flags. `stream` is the consumer's, as the DLPack specification for Python encodes it: -1 does not wait for the
    /// device, and with any other the device has done all its work when the call returns.
    pub fn to_dlpack(&self, stream: i64, copy: Copy) -> Result<DlpackTensor> {
        let _reading = self.reading()?;
        let mut tensor = std::ptr::null_mut();
        // SAFETY: the handle is held.
        check(|e| unsafe { sys::gpuopt_to_dlpack(self.raw(), stream, copy.to_raw(), &mut tensor, e) })?;
        let loan = (copy != Copy::Always).then(|| self.loan());
        // A call that succeeds gives a tensor.
        NonNull::new(tensor).map(|tensor| DlpackTensor { tensor, loan }).ok_or_else(crate::array::nothing_given)
    }
}

impl Device {
    /// Imports a tensor. The array uses its memory where the device can, and the deleter is called with the last array
    /// that does; else the elements are copied as `copy` allows, and the deleter is called at once, as it is after an
    /// error. [`Code::TYPE`](crate::Code::TYPE) of a dtype that there is none of here,
    /// [`Code::DEVICE_MISMATCH`](crate::Code::DEVICE_MISMATCH) of memory that cannot be read from here,
    /// [`Code::UNSUPPORTED`](crate::Code::UNSUPPORTED) of another major version of DLPack.
    pub fn from_dlpack(&self, tensor: DlpackTensor, copy: Copy) -> Result<Array> {
        if tensor.head().major != MAJOR {
            return Err(self.import(tensor.into_parts().0, copy).err().unwrap_or_else(crate::array::nothing_given));
        }
        let loan = tensor.loan.clone().filter(|_| copy != Copy::Always);
        let made = self.import(tensor.tensor, copy)?;
        tensor.into_parts(); // the library has it
        Ok(made.lent(loan))
    }
    fn import(&self, tensor: NonNull<sys::DLManagedTensorVersioned>, copy: Copy) -> Result<Array> {
        // SAFETY: the tensor is valid; a call that succeeds takes it over, and so does one about another version.
        Array::fresh(|r, e| unsafe { sys::gpuopt_from_dlpack(self.raw(), tensor.as_ptr(), copy.to_raw(), r, e) })
    }
}
