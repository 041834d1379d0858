// bindings/rust/gpuopt-interop/src/number.rs -- which types of other crates are elements of which dtype.
use gpuopt::Element;
use std::mem::ManuallyDrop;

/// A type whose values are elements of an array: gpuopt's own, `half::f16` and `half::bf16` (feature `half`), and
/// `num_complex::Complex` of `f32` and `f64` (feature `num-complex`).
///
/// # Safety
/// Size and alignment are those of [`Number::Element`], and each value of one is, byte for byte, a value of the other.
pub unsafe trait Number: Copy + Send + Sync + 'static {
    /// gpuopt's type of the same elements.
    type Element: Element;
}

macro_rules! numbers {
    ($($(#[$attribute:meta])* $type:ty => $element:ty;)*) => {$(
        // SAFETY: the same type, or one that documents the layout: half's are transparent u16 of IEEE 754's and
        // bfloat16's bits, num-complex's has re and im as C does.
        $(#[$attribute])*
        unsafe impl Number for $type {
            type Element = $element;
        }
        $(#[$attribute])*
        const _: () = assert!(
            std::mem::size_of::<$type>() == std::mem::size_of::<$element>()
                && std::mem::align_of::<$type>() == std::mem::align_of::<$element>()
        );
    )*};
}
numbers! {
    bool => bool; i8 => i8; i16 => i16; i32 => i32; i64 => i64; u8 => u8; u16 => u16; u32 => u32; u64 => u64;
    f32 => f32; f64 => f64; gpuopt::F16 => gpuopt::F16; gpuopt::Bf16 => gpuopt::Bf16;
    gpuopt::Complex<f32> => gpuopt::Complex<f32>; gpuopt::Complex<f64> => gpuopt::Complex<f64>;
    #[cfg(feature = "half")] half::f16 => gpuopt::F16;
    #[cfg(feature = "half")] half::bf16 => gpuopt::Bf16;
    #[cfg(feature = "num-complex")] num_complex::Complex<f32> => gpuopt::Complex<f32>;
    #[cfg(feature = "num-complex")] num_complex::Complex<f64> => gpuopt::Complex<f64>;
}

/// The value as gpuopt has it: an operand, of `num_complex::Complex<f64>`, say.
pub fn to_element<T: Number>(value: T) -> T::Element {
    // SAFETY: `Number` promises the layout.
    unsafe { std::mem::transmute_copy(&value) }
}

/// The value as the other crate has it.
pub fn from_element<T: Number>(value: T::Element) -> T {
    // SAFETY: `Number` promises the layout.
    unsafe { std::mem::transmute_copy(&value) }
}

pub(crate) fn as_elements<T: Number>(data: &[T]) -> &[T::Element] {
    // SAFETY: `Number` promises the layout.
    unsafe { std::slice::from_raw_parts(data.as_ptr().cast(), data.len()) }
}

pub(crate) fn into_elements<T: Number>(data: Vec<T>) -> Vec<T::Element> {
    let mut data = ManuallyDrop::new(data);
    // SAFETY: the parts of a vector that is not used any more; `Number` promises size and alignment.
    unsafe { Vec::from_raw_parts(data.as_mut_ptr().cast(), data.len(), data.capacity()) }
}

pub(crate) fn from_elements<T: Number>(data: Vec<T::Element>) -> Vec<T> {
    let mut data = ManuallyDrop::new(data);
    // SAFETY: as above.
    unsafe { Vec::from_raw_parts(data.as_mut_ptr().cast(), data.len(), data.capacity()) }
}
