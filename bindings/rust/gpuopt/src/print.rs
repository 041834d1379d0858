// bindings/rust/gpuopt/src/print.rs -- arrays as text, as NumPy prints them.
use crate::device::given_text;
use crate::{Array, Result};
use gpuopt_sys as sys;
use std::fmt;

/// How an array is printed; 0 means NumPy's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintOptions {
    /// Digits behind the point (8).
    pub precision: i32,
    /// Arrays of more elements are summarized (1000).
    pub threshold: i32,
    /// Elements at the ends of a summarized axis (3).
    pub edgeitems: i32,
    /// Characters of a line (75).
    pub linewidth: i32,
    /// With `array(...)` around, as Python's `repr`.
    pub repr: bool,
}

impl Array {
    /// The elements as text.
    pub fn to_text(&self, options: PrintOptions) -> Result<String> {
        self.print(options, i32::from(options.repr))
    }
    fn print(&self, options: PrintOptions, repr: i32) -> Result<String> {
        let PrintOptions { precision, threshold, edgeitems, linewidth, .. } = options;
        let _reading = self.reading()?;
        let raw = sys::gpuopt_print_options {
            precision,
            threshold,
            edgeitems,
            linewidth,
            repr,
            ..sys::gpuopt_print_options::new()
        };
        // SAFETY: the handle is held, and the options are valid for the call.
        given_text(|r, e| unsafe { sys::gpuopt_array_to_string(self.raw(), &raw, r, e) })
    }
    /// `to_string` cannot fail in Rust, and reading can: then the error is what is printed, in angle brackets.
    fn show(&self, f: &mut fmt::Formatter<'_>, repr: i32) -> fmt::Result {
        match self.print(PrintOptions::default(), repr) {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}
impl fmt::Display for Array {
    /// As NumPy's `str`. If the elements cannot be read, the error's message in angle brackets; see [`Array::to_text`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(f, 0)
    }
}
impl fmt::Debug for Array {
    /// As NumPy's `repr`, with the device.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(f, 2)
    }
}
