// bindings/rust/gpuopt/src/fft.rs -- discrete Fourier transforms.
use crate::create::number;
use crate::error::count;
use crate::{Array, Code, DType, Device, Error, Result};
use gpuopt_sys as sys;

/// By what the elements of a transform of n are multiplied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FftNorm {
    /// Forward transforms by 1, inverse ones by 1/n.
    #[default]
    Backward,
    /// Both by 1/sqrt(n).
    Ortho,
    /// Forward transforms by 1/n, inverse ones by 1.
    Forward,
}

impl FftNorm {
    fn to_raw(self) -> sys::gpuopt_fft_norm {
        match self {
            FftNorm::Backward => sys::GPUOPT_FFT_BACKWARD,
            FftNorm::Ortho => sys::GPUOPT_FFT_ORTHO,
            FftNorm::Forward => sys::GPUOPT_FFT_FORWARD,
        }
    }
}

/// `NULL` for no numbers.
fn list(numbers: &[i64]) -> *const i64 {
    if numbers.is_empty() {
        std::ptr::null()
    } else {
        numbers.as_ptr()
    }
}

macro_rules! along_axis {
    ($($(#[$doc:meta])* $name:ident, $call:ident;)*) => {
        /// Discrete Fourier transforms along an axis. `n` is the number of elements that are transformed: the array is
        /// cut off there, or followed by zeros; `None`: all, or 2 (m - 1) of m for `irfft` and `hfft`. Float16,
        /// bfloat16 and float32 give complex64, other real dtypes complex128. They run.
        impl Array {$(
            $(#[$doc])*
            pub fn $name(&self, n: impl Into<Option<i64>>, axis: i64, norm: FftNorm) -> Result<Array> {
                let (n, _reading) = (n.into(), self.reading()?);
                let size = n.as_ref().map_or(std::ptr::null(), |n| n as *const i64);
                // SAFETY: the handle is held; the number lives during the call.
                Array::fresh(|r, e| unsafe { sys::$call(self.raw(), size, axis, norm.to_raw(), r, e) })
            }
        )*}
    };
}
along_axis! {
    /// Of complex numbers.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let x = gpuopt::Device::open("cpu")?.array(&[1.0, 2.0, 3.0, 4.0], &[4])?;
    /// let spectrum = x.fft(None, -1, gpuopt::FftNorm::Backward)?;
    /// assert_eq!(spectrum.to_string(), "[10.+0.j -2.+2.j -2.+0.j -2.-2.j]");
    /// # Ok(()) }
    /// ```
    fft, gpuopt_fft;
    /// The inverse of `fft`.
    ifft, gpuopt_ifft;
    /// Of real numbers: the first n/2 + 1 elements, from which the others follow.
    rfft, gpuopt_rfft;
    /// The inverse of `rfft`: n real numbers.
    irfft, gpuopt_irfft;
    /// Of elements with Hermitian symmetry, of which the first n/2 + 1 are given: n real numbers.
    hfft, gpuopt_hfft;
    /// The inverse of `hfft`.
    ihfft, gpuopt_ihfft;
}

macro_rules! along_axes {
    ($($(#[$doc:meta])* $name:ident, $call:ident;)*) => {
        /// Discrete Fourier transforms along several axes. `s` has the number of elements of each; `&[]` stands for
        /// all. `axes` `&[]` are the last ones, as many as there are numbers in `s`, or all axes.
        impl Array {$(
            $(#[$doc])*
            pub fn $name(&self, s: &[i64], axes: &[i64], norm: FftNorm) -> Result<Array> {
                if !s.is_empty() && !axes.is_empty() && s.len() != axes.len() {
                    let message = concat!(stringify!($name), ": the two lists have different lengths");
                    return Err(Error::new(Code::INVALID_ARGUMENT, message.to_string()));
                }
                let (given, _reading) = (if s.is_empty() { axes } else { s }, self.reading()?);
                // SAFETY: the handle is held; the lists live during the call.
                Array::fresh(|r, e| unsafe {
                    sys::$call(self.raw(), count(given), list(s), list(axes), norm.to_raw(), r, e)
                })
            }
        )*}
    };
}
along_axes! {
    /// Of complex numbers.
    fftn, gpuopt_fftn;
    /// The inverse of `fftn`.
    ifftn, gpuopt_ifftn;
    /// Of real numbers along the last axis, and of complex ones along the others.
    rfftn, gpuopt_rfftn;
    /// The inverse of `rfftn`.
    irfftn, gpuopt_irfftn;
}

/// Frequency 0 in the middle.
impl Array {
    /// Frequency 0 moved into the middle of axes; `&[]`: of all.
    pub fn fftshift(&self, axes: &[i64]) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held; the list lives during the call.
        Array::fresh(|r, e| unsafe { sys::gpuopt_fftshift(self.raw(), count(axes), list(axes), r, e) })
    }
    /// The inverse of `fftshift`.
    pub fn ifftshift(&self, axes: &[i64]) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `fftshift`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_ifftshift(self.raw(), count(axes), list(axes), r, e) })
    }
}

/// The frequencies of transforms.
impl Device {
    /// Those of the elements of `fft`, for n samples at a distance. `None` for the dtype is float64.
    pub fn fftfreq(&self, n: i64, distance: f64, dtype: impl Into<Option<DType>>) -> Result<Array> {
        let dtype = number(dtype.into());
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_fftfreq(self.raw(), n, distance, dtype, r, e) })
    }
    /// Those of the elements of `rfft`.
    pub fn rfftfreq(&self, n: i64, distance: f64, dtype: impl Into<Option<DType>>) -> Result<Array> {
        let dtype = number(dtype.into());
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_rfftfreq(self.raw(), n, distance, dtype, r, e) })
    }
}
