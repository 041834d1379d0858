// bindings/rust/gpuopt/src/dtype.rs -- element types, and which Rust type each is.
use crate::error::{c_string, check, count};
use crate::{Array, Result};
use gpuopt_sys as sys;
use std::ffi::CStr;
use std::fmt;

/// The type of an array's elements; the constants name them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DType(pub(crate) i32);

impl DType {
    /// By name: `"float32"`, also `"f4"`, `"<f4"`, `"bool_"`.
    pub fn from_name(name: &str) -> Result<DType> {
        let (name, mut dtype) = (c_string("the name", name)?, 0);
        // SAFETY: the pointers are valid for the call.
        check(|e| unsafe { sys::gpuopt_dtype_from_name(name.as_ptr(), &mut dtype, e) })?;
        Ok(DType(dtype))
    }
    /// The number of the C ABI.
    pub fn number(self) -> i32 {
        self.0
    }
    /// `"float64"`.
    pub fn name(self) -> &'static str {
        // SAFETY: the number is one of the table's, so that the name is a static string.
        unsafe { CStr::from_ptr(sys::gpuopt_dtype_name(self.0)) }.to_str().unwrap_or("")
    }
    /// Bytes of an element.
    pub fn size(self) -> usize {
        // SAFETY: any number is allowed.
        unsafe { sys::gpuopt_dtype_size(self.0) }
    }
    /// `'?'` bool, `'i'` signed, `'u'` unsigned, `'f'` real floating, `'c'` complex.
    pub fn kind(self) -> char {
        // SAFETY: any number is allowed.
        char::from(unsafe { sys::gpuopt_dtype_kind(self.0) } as u8)
    }
    /// Whether a cast to `to` loses no value or, with `same_kind`, stays within a kind or is safe.
    pub fn can_cast(self, to: DType, same_kind: bool) -> Result<bool> {
        let mut allowed = 0;
        // SAFETY: the pointers are valid for the call.
        check(|e| unsafe { sys::gpuopt_can_cast(self.0, to.0, i32::from(same_kind), &mut allowed, e) })?;
        Ok(allowed != 0)
    }
}
impl fmt::Debug for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The dtype two dtypes promote to, as the array API and NEP 50 say.
pub fn promote_types(a: DType, b: DType) -> Result<DType> {
    let mut result = 0;
    // SAFETY: the pointers are valid for the call.
    check(|e| unsafe { sys::gpuopt_promote_types(a.0, b.0, &mut result, e) })?;
    Ok(DType(result))
}

/// The dtype the arrays promote to together.
pub fn result_type(arrays: &[&Array]) -> Result<DType> {
    let handles: Vec<_> = arrays.iter().map(|x| x.raw()).collect();
    let mut result = 0;
    // SAFETY: the handles are valid, and the pointers for the call; no element is looked at.
    check(|e| unsafe { sys::gpuopt_result_type(count(&handles), handles.as_ptr(), &mut result, e) })?;
    Ok(DType(result))
}

/// A complex number, as C, NumPy and the BLAS lay it out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Complex<T> {
    /// The real component.
    pub re: T,
    /// The imaginary component.
    pub im: T,
}
/// The bits of an IEEE 754 binary16 number; convert arrays with [`Array::astype`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct F16(pub u16);
/// The bits of a bfloat16 number: the upper half of a binary32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Bf16(pub u16);

mod sealed {
    pub trait Sealed {}
}

/// The Rust type of the elements of one dtype.
///
/// # Safety
/// Size, alignment and layout are those of the dtype. It is implemented here alone.
pub unsafe trait Element: Copy + Send + Sync + 'static + sealed::Sealed {
    /// The dtype.
    const DTYPE: DType;

    /// Whether the bytes at `at` are a value of this type.
    ///
    /// # Safety
    /// `at` must point to initialized bytes of the size of an element.
    #[doc(hidden)]
    unsafe fn is_valid(at: *const Self) -> bool {
        let _ = at;
        true
    }
    /// Makes the bytes at `at` a value of this type.
    ///
    /// # Safety
    /// As for `is_valid`; the bytes may be written.
    #[doc(hidden)]
    unsafe fn make_valid(at: *mut Self) {
        let _ = at;
    }
}

macro_rules! elements {
    ($($type:ty: $dtype:ident,)*) => {$(
        impl sealed::Sealed for $type {}
        // SAFETY: the dtype table says what the elements are; every bit pattern is a value.
        unsafe impl Element for $type {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}
elements! {
    i8: INT8, i16: INT16, i32: INT32, i64: INT64, u8: UINT8, u16: UINT16, u32: UINT32, u64: UINT64,
    F16: FLOAT16, Bf16: BFLOAT16, f32: FLOAT32, f64: FLOAT64, Complex<f32>: COMPLEX64, Complex<f64>: COMPLEX128,
}
impl sealed::Sealed for bool {}
// SAFETY: one byte each. Memory that was never written has bytes that are neither 0 nor 1, hence the two functions.
unsafe impl Element for bool {
    const DTYPE: DType = DType::BOOL;
    unsafe fn is_valid(at: *const bool) -> bool {
        // SAFETY: the caller's promise.
        unsafe { *at.cast::<u8>() <= 1 }
    }
    unsafe fn make_valid(at: *mut bool) {
        // SAFETY: the caller's promise.
        unsafe { at.write(*at.cast::<u8>() != 0) }
    }
}
