// bindings/rust/gpuopt/src/lib.rs -- the safe Rust face of gpuopt: what is where, and the rules.
//! Arrays on any processor, with NumPy's semantics. A program asks for a device by name; where that backend cannot work
//! here it gets the CPU, one warning, and the same numbers.
//!
//! ```
//! use gpuopt::{DType, Device};
//! # fn main() -> gpuopt::Result<()> {
//! let xp = Device::open("cuda")?; // the CPU where CUDA cannot work
//! let x = xp.array(&[1.0, 4.0, 9.0, 16.0], &[2, 2])?;
//! let y = (x.sqrt()? + 1).get()?;
//! assert_eq!(y.to_string(), "[[2. 3.]\n [4. 5.]]");
//! assert_eq!(y.sum(0)?.to_vec::<f64>()?, [6.0, 8.0]);
//! assert_eq!(y.dtype(), DType::FLOAT64);
//! # Ok(()) }
//! ```
//!
//! # Where things are
//!
//! - [`Device`] opens a backend and creates arrays; [`Stream`] and [`Event`] order work on it.
//! - [`Array`] has the operations as methods; [`ops`] has them as functions, for numbers in front. The operators
//!   `+ - * / %` and `& | ^ << >> !` are there for arrays and numbers. Their result is an [`Expr`], which carries an
//!   error to where it is read: `((&a - &b) * 2).get()?`. `+=` and its like write in place.
//! - [`Axes`] says what a reduction reduces; [`Index`] and the ranges what [`Array::view`] takes.
//! - [`ElementwiseKernel`] and [`ReductionKernel`] are operations of your own, given as CUDA C++ for every device;
//!   [`RawKernel`] is a whole `__global__` function, with its grid, blocks and shared memory.
//! - [`RandomState`] draws NumPy's numbers, [`Generator`] the same ones on every device.
//! - [`Error`] carries code, reason, the vendor's number and the message.
//!
//! # Ownership and writing
//!
//! An [`Array`] is a reference to elements on a device, like an `Rc`: `clone` makes another reference, and a view
//! shares the elements it shows. What writes takes `&mut self`; since clones and views can reach the same elements,
//! each use is also counted at run time, as in a `RefCell`: elements that are lent as a slice ([`Array::as_slice`])
//! cannot be written, nor can those another thread is using, and the call says so in an [`Error`].
//!
//! # Threads
//!
//! [`Device`], [`Stream`], [`Array`] and kernels are `Send` and `Sync`: distinct arrays may be used from any threads at
//! once, and one array may be read by several. A write beside another use is an error, by the count above.
//! [`RandomState`], [`Generator`], [`Npz`] and [`Event`] may move between threads and are used by one at a time.
//!
//! # Other crates
//!
//! This crate depends on none. `gpuopt-interop`, which lies beside it, knows `ndarray`, `half` and `num-complex`,
//! each behind a feature: arrays and views there and back, and their numbers as elements. Without it the types come and
//! go by their parts: `ndarray::Array::from_shape_vec(shape, x.to_vec()?)`, [`F16`]`(h.to_bits())`,
//! [`Complex`]` { re, im }`. [`Array::to_dlpack`] and [`Array::to_arrow`] exchange elements with any library that
//! speaks DLPack or Arrow's C data interface.
//!
//! # When things run
//!
//! Elementwise operations, casts, reductions and scans are recorded and run as one program when something looks at a
//! result. Errors of dtype, shape and axis come from the call that makes them; a failure while running comes from the
//! call that looked. [`Array::eval`] runs what an array waits for.
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

mod apply;
mod array;
mod arrow;
mod comm;
mod comm_devices;
mod compiled;
mod create;
mod creation;
mod decompose;
mod device;
mod distributions;
mod dlpack;
mod dtype;
mod error;
mod expr;
mod fft;
mod files;
mod host;
mod index;
mod join;
mod kernel;
mod linalg;
mod loan;
mod numbers;
mod operand;
#[rustfmt::skip]
pub mod ops;
mod polynomial;
mod print;
mod random;
mod raw;
mod reduce;
mod select;
mod selection;
mod shard;
mod signal;
mod sort;
mod statistics;
mod stream;
#[rustfmt::skip]
mod tables;
mod text;
mod texture;
mod ufunc;

pub use apply::{apply_with, apply_with_into, ApplyOptions, Casting};
pub use array::{Array, Copy};
pub use arrow::{Arrow, ArrowArray, ArrowSchema};
pub use comm::{comm_report, Comm, CommOptions, CommTraffic, RankReduction};
pub use compiled::{build_bundle, load_bundle, load_bundle_bytes, Cfunc};
pub use creation::{finfo, iinfo, FloatLimits, GridAxis, IntegerLimits};
pub use decompose::{multi_dot, LeastSquares, Trans};
pub use device::{Attribute, Device, DeviceInfo, EngineStats, MemoryStats, OpenOptions};
pub use distributions::{Distribution, NormalMethod};
pub use dlpack::DlpackTensor;
pub use dtype::{promote_types, result_type, Bf16, Complex, DType, Element, F16};
pub use error::{Code, Error, Reason, Result};
pub use expr::Expr;
pub use fft::FftNorm;
pub use files::{save_npz, Npz};
pub use host::{HostSlice, HostSliceMut, HostView};
pub use index::{broadcast_shapes, AnyIndex, Index, Indices, NdIndex, Rows};
pub use join::{broadcast_arrays, concat, einsum, meshgrid, stack, PadMode};
pub use kernel::{Arguments, ElementwiseKernel, KernelOptions, Launch, ReductionKernel};
pub use linalg::{ProductMode, NORM_NUCLEAR};
pub use operand::{Operand, Scalar};
pub use polynomial::PolyfitOptions;
pub use print::PrintOptions;
pub use random::{Generator, RandomState};
pub use raw::{ByValue, Dim3, KernelAttributes, RawArgument, RawArguments, RawKernel, RawLaunch, Reinterpret};
pub use reduce::{Axes, Reduction};
pub use selection::{block, column_stack, dstack, hstack, ix, ravel_multi_index, select, vstack, IndexMode, UpdateOp};
pub use shard::Shard;
pub use signal::{ConvolveMethod, ConvolveMode};
pub use sort::{lexsort, QuantileMethod};
pub use statistics::CovOptions;
pub use stream::{Event, Stream};
pub use text::{LoadTextOptions, SaveTextOptions};
pub use texture::{AddressMode, Texture, TextureOptions};
pub use ufunc::{Gufunc, Stencil, StencilMode, StencilOptions, Ufunc};

/// Ends the compilations of kernels that are under way in this process: the calls that wait for one are
/// [`Code::CANCELLED`], and compile anew when they are made again. From any thread, and it does not wait; calls that
/// begin later are as ever.
pub fn cancel_compilations() {
    // SAFETY: no arguments.
    unsafe { gpuopt_sys::gpuopt_cancel_compilations() }
}

/// The version of the loaded library: major, minor, patch.
pub fn version() -> (u32, u32, u32) {
    // SAFETY: no arguments.
    let version = unsafe { gpuopt_sys::gpuopt_version() };
    (version / 1_000_000, version / 1000 % 1000, version % 1000)
}
