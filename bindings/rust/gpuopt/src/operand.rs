// bindings/rust/gpuopt/src/operand.rs -- what operations take, and how they are called.
use crate::array::Handle;
use crate::error::{check, count};
use crate::loan::Reading;
use crate::{Array, Complex, Error, Result};
use gpuopt_sys as sys;

/// One number. As an operand it takes the dtype of the arrays beside it (NEP 50).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A bool.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A real number.
    Real(f64),
    /// A complex number.
    Complex(Complex<f64>),
}

impl Scalar {
    pub(crate) fn to_raw(self) -> sys::gpuopt_scalar {
        match self {
            Scalar::Bool(value) => sys::gpuopt_scalar_bool(i32::from(value)),
            Scalar::Int(value) => sys::gpuopt_scalar_int(value),
            Scalar::Uint(value) => sys::gpuopt_scalar_uint(value),
            Scalar::Real(value) => sys::gpuopt_scalar_real(value),
            Scalar::Complex(value) => sys::gpuopt_scalar_complex(value.re, value.im),
        }
    }
    pub(crate) fn from_raw(raw: sys::gpuopt_scalar) -> Scalar {
        // SAFETY: every member of the union is a number of eight bytes; the kind says which was written.
        unsafe {
            match raw.kind as u8 {
                b'?' => Scalar::Bool(raw.value.i != 0),
                b'i' => Scalar::Int(raw.value.i),
                b'u' => Scalar::Uint(raw.value.u),
                b'f' => Scalar::Real(raw.value.f),
                _ => Scalar::Complex(Complex { re: raw.value.f, im: raw.imag }),
            }
        }
    }
    /// The number as an `f64`: rounded where it has more digits, the real component of a complex number.
    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Bool(value) => f64::from(u8::from(value)),
            Scalar::Int(value) => value as f64,
            Scalar::Uint(value) => value as f64,
            Scalar::Real(value) => value,
            Scalar::Complex(value) => value.re,
        }
    }
    /// The number as an `i64`, if it is a whole one that fits.
    pub fn to_i64(self) -> Option<i64> {
        match self {
            Scalar::Bool(value) => Some(i64::from(value)),
            Scalar::Int(value) => Some(value),
            Scalar::Uint(value) => i64::try_from(value).ok(),
            Scalar::Real(value) => whole(value),
            Scalar::Complex(value) => whole(value.re).filter(|_| value.im == 0.0),
        }
    }
    /// Whether the number is not zero.
    pub fn to_bool(self) -> bool {
        match self {
            Scalar::Bool(value) => value,
            Scalar::Int(value) => value != 0,
            Scalar::Uint(value) => value != 0,
            Scalar::Real(value) => value != 0.0,
            Scalar::Complex(value) => value.re != 0.0 || value.im != 0.0,
        }
    }
}

fn whole(value: f64) -> Option<i64> {
    // -2^63 is a number of both types, 2^63 of neither.
    let fits = value.fract() == 0.0 && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value);
    fits.then_some(value as i64)
}

/// What an operation takes: an array, or a number. Both turn into it by themselves.
#[derive(Clone, Debug)]
pub enum Operand<'a> {
    /// An array, borrowed.
    Array(&'a Array),
    /// An array, given away.
    Owned(Array),
    /// A number.
    Scalar(Scalar),
    /// What was to be an array, but is the error of an operation that failed: the call gives it back.
    Failed(Box<Error>),
}
impl<'a> From<&'a Array> for Operand<'a> {
    fn from(x: &'a Array) -> Operand<'a> {
        Operand::Array(x)
    }
}
impl<'a> From<&'a mut Array> for Operand<'a> {
    fn from(x: &'a mut Array) -> Operand<'a> {
        Operand::Array(x)
    }
}
impl From<Array> for Operand<'_> {
    fn from(x: Array) -> Self {
        Operand::Owned(x)
    }
}
macro_rules! numbers {
    ($($type:ty => $kind:ident,)*) => {$(
        impl From<$type> for Scalar {
            fn from(value: $type) -> Scalar {
                Scalar::$kind(value.into())
            }
        }
        impl From<$type> for Operand<'_> {
            fn from(value: $type) -> Self {
                Operand::Scalar(value.into())
            }
        }
    )*};
}
numbers! {
    bool => Bool, i8 => Int, i16 => Int, i32 => Int, i64 => Int, u8 => Int, u16 => Int, u32 => Int, u64 => Uint,
    f32 => Real, f64 => Real, Complex<f64> => Complex,
}
impl From<Scalar> for Operand<'_> {
    fn from(value: Scalar) -> Self {
        Operand::Scalar(value)
    }
}

/// An operand for the time of a call.
enum Held<'a> {
    Array { array: &'a Array, _reading: Option<Reading<'a>> },
    Weak(Handle),
}
impl Held<'_> {
    fn raw(&self) -> sys::gpuopt_array {
        match self {
            Held::Array { array, .. } => array.raw(),
            Held::Weak(handle) => handle.raw(),
        }
    }
}

/// Holds an operand for a call. What shares its elements with one of `outs` is held with that already.
fn hold<'a>(operand: &'a Operand<'_>, outs: &[&Array]) -> Result<Held<'a>> {
    let x = match operand {
        Operand::Array(x) => *x,
        Operand::Owned(x) => x,
        Operand::Failed(error) => return Err(Error::clone(error)),
        // SAFETY: the result pointer is valid for the call.
        Operand::Scalar(value) => {
            return Ok(Held::Weak(Handle::given(|r, e| unsafe { sys::gpuopt_weak(value.to_raw(), r, e) })?))
        }
    };
    let shared = outs.iter().any(|out| x.shares_elements(out));
    Ok(Held::Array { array: x, _reading: if shared { None } else { Some(x.reading()?) } })
}

/// Calls `call` with the handles of the operands, which are held while it runs.
pub(crate) fn with_handles<const N: usize, R>(
    operands: &[Operand<'_>; N],
    outs: &[&Array],
    call: impl FnOnce(&[sys::gpuopt_array; N]) -> Result<R>,
) -> Result<R> {
    let mut held = [(); N].map(|_| None);
    for (place, operand) in held.iter_mut().zip(operands) {
        *place = Some(hold(operand, outs)?);
    }
    let mut handles = [std::ptr::null_mut(); N];
    for (handle, operand) in handles.iter_mut().zip(held.iter().flatten()) {
        *handle = operand.raw();
    }
    call(&handles)
}

/// The same with as many operands as there are.
pub(crate) fn with_all_handles<R>(
    operands: &[Operand<'_>],
    outs: &[&Array],
    call: impl FnOnce(&[sys::gpuopt_array]) -> Result<R>,
) -> Result<R> {
    let held = operands.iter().map(|operand| hold(operand, outs)).collect::<Result<Vec<_>>>()?;
    let handles: Vec<_> = held.iter().map(Held::raw).collect();
    call(&handles)
}

/// An elementwise operation.
pub(crate) fn apply<const N: usize>(op: sys::gpuopt_op, operands: [Operand<'_>; N]) -> Result<Array> {
    with_handles(&operands, &[], |handles| {
        // SAFETY: the handles are held; the result pointer is valid for the call.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_apply(op, count(handles), handles.as_ptr(), std::ptr::null_mut(), r, e)
        })
    })
}

/// The same, written to `out`.
pub(crate) fn apply_into<const N: usize>(
    op: sys::gpuopt_op,
    operands: [Operand<'_>; N],
    out: &mut Array,
) -> Result<()> {
    let _writing = out.writing()?;
    with_handles(&operands, &[out], |handles| {
        // SAFETY: the handles are held, `out` for writing.
        check(|e| unsafe {
            sys::gpuopt_apply(op, count(handles), handles.as_ptr(), out.raw(), std::ptr::null_mut(), e)
        })
    })
}

/// The same with `x` as first operand and output.
pub(crate) fn apply_in_place<const N: usize>(
    op: sys::gpuopt_op,
    x: &mut Array,
    others: [Operand<'_>; N],
) -> Result<()> {
    let _writing = x.writing()?;
    with_handles(&others, &[x], |handles| {
        let mut all = [x.raw(); 4]; // no operation has more inputs than three
        all[1..=N].copy_from_slice(handles);
        // SAFETY: the handles are held, that of `x` for writing.
        check(|e| unsafe { sys::gpuopt_apply(op, N as i32 + 1, all.as_ptr(), x.raw(), std::ptr::null_mut(), e) })
    })
}
