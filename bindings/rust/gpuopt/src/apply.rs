// bindings/rust/gpuopt/src/apply.rs -- elementwise operations with the options of NumPy's ufuncs.
use crate::error::{check, count};
use crate::operand::with_all_handles;
use crate::{Array, Code, DType, Error, Operand, Result};
use gpuopt_sys as sys;
use std::ffi::CStr;

/// Which casts are allowed, as NumPy names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Casting {
    /// Those that lose no value, and those within a kind.
    #[default]
    SameKind,
    /// None.
    No,
    /// Those that lose no value.
    Safe,
    /// All.
    Unsafe,
}
impl Casting {
    fn to_raw(self) -> sys::gpuopt_casting {
        match self {
            Casting::SameKind => sys::GPUOPT_CASTING_SAME_KIND,
            Casting::No => sys::GPUOPT_CASTING_NO,
            Casting::Safe => sys::GPUOPT_CASTING_SAFE,
            Casting::Unsafe => sys::GPUOPT_CASTING_UNSAFE,
        }
    }
}

/// How [`apply_with`] computes.
#[derive(Clone, Copy, Debug, Default)]
pub struct ApplyOptions<'a> {
    /// Which elements are written: bool, broadcasts with the operands. Others are 0 in a new array.
    pub mask: Option<&'a Array>,
    /// What casts are allowed: of operands to `dtype`, and of the result to the array that it is written to.
    pub casting: Casting,
    /// What the operands are cast to first.
    pub dtype: Option<DType>,
    /// Special cases are those of the array API standard where that and NumPy differ: `floor_divide` of infinities,
    /// `tanh` and `expm1` of complex numbers.
    pub standard: bool,
}

impl ApplyOptions<'_> {
    fn to_raw(self, mask: sys::gpuopt_array, out: sys::gpuopt_array) -> sys::gpuopt_apply_options {
        sys::gpuopt_apply_options {
            flags: if self.standard { sys::GPUOPT_APPLY_STANDARD } else { 0 },
            out,
            r#where: mask,
            casting: self.casting.to_raw(),
            dtype: self.dtype.map_or(sys::GPUOPT_DTYPE_DEFAULT, DType::number),
            ..sys::gpuopt_apply_options::new()
        }
    }
}

/// The row of the table of operations with this name.
fn operation(name: &str) -> Result<sys::gpuopt_op> {
    let named = |op: &sys::gpuopt_op| {
        // SAFETY: the names are static strings.
        unsafe { CStr::from_ptr(sys::gpuopt_op_name(*op)) }.to_bytes() == name.as_bytes()
    };
    let unknown = || Error::new(Code::INVALID_ARGUMENT, format!("there is no elementwise operation \"{name}\""));
    (0..sys::GPUOPT_OP_COUNT).find(named).ok_or_else(unknown)
}

/// The operands, and the mask behind them.
fn with_mask<R>(
    operands: &[Operand<'_>],
    options: &ApplyOptions<'_>,
    outs: &[&Array],
    call: impl FnOnce(&[sys::gpuopt_array], sys::gpuopt_array) -> Result<R>,
) -> Result<R> {
    let mut all = operands.to_vec();
    all.extend(options.mask.map(Operand::Array));
    with_all_handles(&all, outs, |handles| {
        let (inputs, mask) = handles.split_at(operands.len());
        call(inputs, mask.first().copied().unwrap_or(std::ptr::null_mut()))
    })
}

/// An elementwise operation by its name, `"add"`, with options.
///
/// ```
/// use gpuopt::{apply_with, ApplyOptions, Device};
/// # fn main() -> gpuopt::Result<()> {
/// let x = Device::open("cpu")?.array(&[1.0, 2.0, 3.0], &[3])?;
/// let (mask, y) = (gpuopt::ops::greater(&x, 1)?, Device::open("cpu")?.array(&[f64::INFINITY], &[1])?);
/// let options = ApplyOptions { mask: Some(&mask), ..ApplyOptions::default() };
/// assert_eq!(apply_with("add", &[(&x).into(), 10.into()], &options)?.to_vec::<f64>()?, [0.0, 12.0, 13.0]);
/// let standard = ApplyOptions { standard: true, ..ApplyOptions::default() };
/// assert_eq!(apply_with("floor_divide", &[y.into(), 2.into()], &standard)?.to_vec::<f64>()?, [f64::INFINITY]);
/// # Ok(()) }
/// ```
pub fn apply_with(op: &str, operands: &[Operand<'_>], options: &ApplyOptions<'_>) -> Result<Array> {
    let op = operation(op)?;
    with_mask(operands, options, &[], |inputs, mask| {
        let options = options.to_raw(mask, std::ptr::null_mut());
        // SAFETY: the handles are held; the pointers are valid for the call.
        Array::fresh(|r, e| unsafe { sys::gpuopt_apply_with(op, count(inputs), inputs.as_ptr(), &options, r, e) })
    })
}

/// The same, written to `out`: the result broadcasts to it, and elements where the mask is false stay as they are.
pub fn apply_with_into(op: &str, operands: &[Operand<'_>], options: &ApplyOptions<'_>, out: &mut Array) -> Result<()> {
    let op = operation(op)?;
    let _writing = out.writing()?;
    with_mask(operands, options, &[out], |inputs, mask| {
        let options = options.to_raw(mask, out.raw());
        let none = std::ptr::null_mut();
        // SAFETY: the handles are held, `out` for writing; the pointers are valid for the call.
        check(|e| unsafe { sys::gpuopt_apply_with(op, count(inputs), inputs.as_ptr(), &options, none, e) })
    })
}
