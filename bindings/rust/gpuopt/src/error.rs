// bindings/rust/gpuopt/src/error.rs -- errors: the C error whole, and how calls return it.
use gpuopt_sys as sys;
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;
use std::path::Path;

/// What went wrong, in one number; the constants name them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(pub(crate) i32);

/// Why a backend could not be used; the constants name the reasons.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reason(pub(crate) i32);

/// Text of a static string of the library.
fn fixed(text: *const c_char) -> &'static str {
    // SAFETY: these functions give static strings, for any number.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("")
}

impl Code {
    /// The number of the C ABI.
    pub fn number(self) -> i32 {
        self.0
    }
    /// `"GPUOPT_ERR_SHAPE"`.
    pub fn name(self) -> &'static str {
        // SAFETY: any number is allowed.
        fixed(unsafe { sys::gpuopt_status_name(self.0) })
    }
    /// The sentence of the code.
    pub fn message(self) -> &'static str {
        // SAFETY: any number is allowed.
        fixed(unsafe { sys::gpuopt_status_message(self.0) })
    }
}

impl Reason {
    /// The number of the C ABI.
    pub fn number(self) -> i32 {
        self.0
    }
    /// `"DRIVER_MISSING"`.
    pub fn name(self) -> &'static str {
        // SAFETY: any number is allowed.
        fixed(unsafe { sys::gpuopt_reason_name(self.0) })
    }
    /// The sentence of the reason.
    pub fn message(self) -> &'static str {
        // SAFETY: any number is allowed.
        fixed(unsafe { sys::gpuopt_reason_message(self.0) })
    }
    /// What a person does about it.
    pub fn hint(self) -> &'static str {
        // SAFETY: any number is allowed.
        fixed(unsafe { sys::gpuopt_reason_hint(self.0) })
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A failed call. Every array is as it was before.
///
/// ```
/// use gpuopt::{Code, Device};
/// # fn main() -> gpuopt::Result<()> {
/// let xp = Device::open("cpu")?;
/// let error = (xp.array(&[1, 2, 3], &[3])? + &xp.array(&[1, 2], &[2])?).get().unwrap_err();
/// assert_eq!(error.code(), Code::SHAPE);
/// assert!(error.message().contains("(3,)") && error.message().contains("(2,)"));
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    code: Code,
    reason: Reason,
    backend_code: i32,
    message: String,
}

/// What fallible calls return.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of the caller's own, for functions beside this crate's that return its [`Result`].
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, reason: Reason::NONE, backend_code: 0, message: message.into() }
    }
    /// What went wrong.
    pub fn code(&self) -> Code {
        self.code
    }
    /// Why a backend could not be used; [`Reason::NONE`] where none was the matter.
    pub fn reason(&self) -> Reason {
        self.reason
    }
    /// The vendor's own error number, 0 if none.
    pub fn backend_code(&self) -> i32 {
        self.backend_code
    }
    /// The operation, dtypes, shapes and devices involved.
    pub fn message(&self) -> &str {
        &self.message
    }
}
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code.name())
    }
}
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("code", &self.code)
            .field("reason", &self.reason)
            .field("backend_code", &self.backend_code)
            .field("message", &self.message)
            .finish()
    }
}
impl std::error::Error for Error {}

/// Makes a C call with an error of its own and turns a failure into an [`Error`].
pub(crate) fn check(call: impl FnOnce(*mut sys::gpuopt_error) -> sys::gpuopt_status) -> Result<()> {
    let mut error = sys::gpuopt_error::new();
    let status = call(&mut error);
    if status == sys::GPUOPT_OK {
        return Ok(());
    }
    Err(Error {
        code: Code(status),
        reason: Reason(error.reason),
        backend_code: error.backend_code,
        message: text(&error.message),
    })
}

/// The text in a character array of the C ABI.
pub(crate) fn text(characters: &[c_char]) -> String {
    let bytes: Vec<u8> = characters.iter().take_while(|&&c| c != 0).map(|&c| c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A string for C.
pub(crate) fn c_string(what: &str, text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::new(Code::INVALID_ARGUMENT, format!("{what} has a NUL in it: {text:?}")))
}

/// A path for C: UTF-8.
pub(crate) fn c_path(path: &Path) -> Result<CString> {
    match path.to_str() {
        Some(text) => c_string("the path", text),
        None => Err(Error::new(Code::INVALID_ARGUMENT, format!("the path is not UTF-8: {}", path.display()))),
    }
}

/// `shape.len()` as the C ABI wants it; more dimensions than it can have are refused there.
pub(crate) fn count<T>(items: &[T]) -> i32 {
    i32::try_from(items.len()).unwrap_or(i32::MAX)
}
