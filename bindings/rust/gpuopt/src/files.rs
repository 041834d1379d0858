// bindings/rust/gpuopt/src/files.rs -- arrays in NumPy's files: .npy and .npz.
use crate::error::{c_path, c_string, check, count};
use crate::{Array, Code, Device, Error, Result};
use gpuopt_sys as sys;
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::path::Path;
use std::ptr::NonNull;

impl Device {
    /// Reads a .npy file; what is malformed is [`Code::FORMAT`], and the message says where.
    pub fn load_npy(&self, path: impl AsRef<Path>) -> Result<Array> {
        let path = c_path(path.as_ref())?;
        // SAFETY: the handle is valid, and the path for the call.
        Array::fresh(|r, e| unsafe { sys::gpuopt_load_npy(self.raw(), path.as_ptr(), r, e) })
    }
}

impl Array {
    /// Writes a .npy file: a temporary one is renamed, so that no partial file is left.
    pub fn save_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        let (_reading, path) = (self.reading()?, c_path(path.as_ref())?);
        // SAFETY: the handle is held.
        check(|e| unsafe { sys::gpuopt_save_npy(self.raw(), path.as_ptr(), e) })
    }
}

/// Writes an archive of named arrays, a .npz file, deflated if `compress`.
pub fn save_npz(path: impl AsRef<Path>, arrays: &[(&str, &Array)], compress: bool) -> Result<()> {
    let path = c_path(path.as_ref())?;
    let names = arrays.iter().map(|(name, _)| c_string("the name", name)).collect::<Result<Vec<CString>>>()?;
    let names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
    let _readings = arrays.iter().map(|(_, x)| x.reading()).collect::<Result<Vec<_>>>()?;
    let handles: Vec<_> = arrays.iter().map(|(_, x)| x.raw()).collect();
    let (names, handles, compress) = (names.as_ptr(), handles.as_ptr(), i32::from(compress));
    // SAFETY: the handles are held; there are as many names as handles.
    check(|e| unsafe { sys::gpuopt_save_npz(path.as_ptr(), count(arrays), names, handles, compress, e) })
}

/// A .npz file that is being read.
#[derive(Debug)]
pub struct Npz(NonNull<sys::gpuopt_npz_s>);

// SAFETY: nothing depends on which thread calls. Not `Sync`: the ABI lets distinct handles be used at once, not one.
unsafe impl Send for Npz {}

impl Npz {
    /// Opens an archive.
    pub fn open(path: impl AsRef<Path>) -> Result<Npz> {
        let (path, mut raw) = (c_path(path.as_ref())?, std::ptr::null_mut());
        // SAFETY: the pointers are valid for the call.
        check(|e| unsafe { sys::gpuopt_npz_open(path.as_ptr(), &mut raw, e) })?;
        NonNull::new(raw).map(Npz).ok_or_else(|| Error::new(Code::INTERNAL, "the library gave no archive out"))
    }
    /// The names of the arrays, without ".npy".
    pub fn names(&self) -> Vec<String> {
        // SAFETY: the handle is valid; the names live as long as it does.
        unsafe {
            (0..sys::gpuopt_npz_count(self.0.as_ptr()))
                .map(|i| CStr::from_ptr(sys::gpuopt_npz_name(self.0.as_ptr(), i)).to_string_lossy().into_owned())
                .collect()
        }
    }
    /// Reads one array to a device.
    pub fn read(&self, name: &str, device: &Device) -> Result<Array> {
        let name = c_string("the name", name)?;
        // SAFETY: both handles are valid, and the name for the call.
        Array::fresh(|r, e| unsafe { sys::gpuopt_npz_read(self.0.as_ptr(), name.as_ptr(), device.raw(), r, e) })
    }
}
impl Drop for Npz {
    fn drop(&mut self) {
        // SAFETY: ours, and closed once.
        unsafe { sys::gpuopt_npz_close(self.0.as_ptr()) }
    }
}
