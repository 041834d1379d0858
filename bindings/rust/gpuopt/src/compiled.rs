// bindings/rust/gpuopt/src/compiled.rs -- native functions for C to call, and kernels compiled ahead of time.
use crate::error::{c_path, check};
use crate::kernel::{c_texts, pointers};
use crate::{Code, Error, Result};
use gpuopt_sys as sys;
use std::fmt;
use std::os::raw::c_void;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

/// A function of CUDA C++ compiled for the CPU, with the calling convention of C: Numba's `cfunc`. `clone` makes
/// another reference to the same function, whose code stays in place until the last one is dropped.
///
/// ```
/// use gpuopt::Cfunc;
/// # fn main() -> gpuopt::Result<()> {
/// let half = Cfunc::new("double half(double x) { return x / 2; }", "half", "float64->float64")?;
/// // SAFETY: that is its signature, and `half` outlives the call.
/// let call: extern "C" fn(f64) -> f64 = unsafe { std::mem::transmute(half.address()) };
/// assert_eq!(call(7.0), 3.5);
/// # Ok(()) }
/// ```
pub struct Cfunc {
    raw: NonNull<sys::gpuopt_cfunc_s>,
    name: Arc<str>,
}

// SAFETY: references are counted atomically, and nothing depends on which thread holds one.
unsafe impl Send for Cfunc {}
// SAFETY: as above.
unsafe impl Sync for Cfunc {}

impl Cfunc {
    /// Of a text with a function `name`, and of that function's C type: dtype names, `*` behind one for an address,
    /// `void*`, `->void`, as `"const float64*,int64->float64"`. [`Code::INVALID_ARGUMENT`] for a signature that is
    /// none, [`Code::COMPILE`] with the compiler's words, [`Code::JIT_UNAVAILABLE`] without a compiler.
    pub fn new(code: &str, name: &str, signature: &str) -> Result<Cfunc> {
        let own = c_texts([("code", code), ("name", name), ("signature", signature)])?;
        let [text, title, types] = pointers(&own);
        let mut raw = std::ptr::null_mut();
        // SAFETY: the texts live, and the place for the handle is valid for the call.
        check(|e| unsafe { sys::gpuopt_compile_cfunc(text, title, types, &mut raw, e) })?;
        let missing = || Error::new(Code::INTERNAL, "the library gave no function out");
        NonNull::new(raw).map(|raw| Cfunc { raw, name: name.into() }).ok_or_else(missing)
    }
    /// Where it begins; to be converted to a function pointer of its signature, which is valid while a reference lives.
    pub fn address(&self) -> *const c_void {
        // SAFETY: the handle is valid.
        unsafe { sys::gpuopt_cfunc_address(self.raw.as_ptr()) }
    }
}
impl Clone for Cfunc {
    fn clone(&self) -> Cfunc {
        // SAFETY: the handle is valid; retaining gives the same one, with a reference more.
        unsafe { sys::gpuopt_cfunc_retain(self.raw.as_ptr()) };
        Cfunc { raw: self.raw, name: Arc::clone(&self.name) }
    }
}
impl Drop for Cfunc {
    fn drop(&mut self) {
        // SAFETY: this reference is ours and goes once.
        unsafe { sys::gpuopt_cfunc_release(self.raw.as_ptr()) }
    }
}
impl fmt::Debug for Cfunc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cfunc({})", self.name)
    }
}

/// Loads a bundle of kernels that `gpuopt-aot` compiled ahead of time, for the whole process: kernels found in it need
/// no compiler. [`Code::IO`] if others may write to the file; [`Code::FORMAT`] if it is damaged, or of another release.
///
/// # Safety
/// The code in it is run as it is.
pub unsafe fn load_bundle(path: impl AsRef<Path>) -> Result<()> {
    let path = c_path(path.as_ref())?;
    // SAFETY: the path is valid for the call.
    check(|e| unsafe { sys::gpuopt_bundle_load(path.as_ptr(), e) })
}

/// [`load_bundle`] for a bundle that is part of the program: `include_bytes!`.
///
/// # Safety
/// The code in it is run as it is.
pub unsafe fn load_bundle_bytes(bytes: &[u8]) -> Result<()> {
    // SAFETY: so many bytes are there; the library copies them.
    check(|e| unsafe { sys::gpuopt_bundle_load_memory(bytes.as_ptr().cast(), bytes.len() as u64, e) })
}

/// Compiles the kernels that were recorded in a file (`GPUOPT_RECORD_KERNELS`) for every processor that the compilers
/// installed here can, and makes a bundle of them.
pub fn build_bundle(recorded: impl AsRef<Path>, bundle: impl AsRef<Path>) -> Result<()> {
    let (recorded, bundle) = (c_path(recorded.as_ref())?, c_path(bundle.as_ref())?);
    // SAFETY: the paths are valid for the call.
    check(|e| unsafe { sys::gpuopt_bundle_build(recorded.as_ptr(), bundle.as_ptr(), e) })
}
