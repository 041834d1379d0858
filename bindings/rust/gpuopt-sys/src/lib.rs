// bindings/rust/gpuopt-sys/src/lib.rs -- the C ABI of gpuopt as it is; the safe crate is `gpuopt`.
//! The C ABI of gpuopt, `gpuopt/gpuopt.h`, declared for Rust: names, types and numbers are those of the header.
//!
//! The rules for every call are the header's:
//!
//! - **Status.** A call that can fail returns a [`gpuopt_status`] and takes a caller-owned [`gpuopt_error`] last, which
//!   may be null. On failure outputs are null or 0 and nothing else has changed.
//! - **Ownership.** A call that gives a handle out gives one reference, dropped with `gpuopt_<type>_release`.
//! - **Threads.** Distinct handles may be used from any threads at once. The same array may be read by several threads
//!   at once; a write to it must not run beside any other use. Nothing depends on which thread calls.
//! - **Options.** Structs begin with `struct_size`, to be set to their size; 0 everywhere else is the default.
//!
//! ```
//! use gpuopt_sys::*;
//! let mut error = gpuopt_error::new();
//! let mut device = std::ptr::null_mut();
//! let status = unsafe {
//!     gpuopt_device_open(b"no such backend\0".as_ptr().cast(), std::ptr::null(), &mut device, &mut error)
//! };
//! assert_eq!(status, GPUOPT_ERR_INVALID_ARGUMENT);
//! assert_eq!(error.code, status);
//! assert!(device.is_null());
//! ```
#![allow(non_camel_case_types, non_upper_case_globals)]
#![deny(missing_docs)]

mod arrow;
mod distributions;
#[rustfmt::skip]
mod functions;
mod options;
#[rustfmt::skip]
mod tables;
mod types;

pub use functions::*;
pub use tables::*;
pub use types::*;
