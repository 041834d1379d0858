// bindings/rust/gpuopt/src/ufunc.rs -- functions of your own as array functions: universal, generalized, and stencils.
use crate::error::{c_string, check, count};
use crate::kernel::{c_texts, kernels, pointers, Kernel};
use crate::operand::with_all_handles;
use crate::{Arguments, Array, Axes, Code, Error, Launch, Operand, Result, Scalar};
use gpuopt_sys as sys;
use std::ffi::CString;
use std::fmt;

/// A function of one element of each input, as NumPy's universal functions are: Numba's `vectorize`. `clone` makes
/// another reference to the same function.
///
/// ```
/// use gpuopt::{Device, Ufunc};
/// # fn main() -> gpuopt::Result<()> {
/// let text = "template <class T> T halfway(T a, T b) { return a + (b - a) / 2; }";
/// // SAFETY: the text touches nothing but its arguments.
/// let halfway = unsafe { Ufunc::new(text, "halfway", "float32,float32->float32; float64,float64->float64", "") }?;
/// let x = Device::open("cpu")?.array(&[0.0, 4.0, 16.0], &[3])?;
/// assert_eq!(halfway.call((&x, 8))?.to_vec::<f64>()?, [4.0, 6.0, 12.0]);
/// assert_eq!(halfway.accumulate(&x, 0)?.to_vec::<f64>()?, [0.0, 2.0, 9.0]);
/// assert_eq!(halfway.outer(&x, &x)?.shape(), [3, 3]);
/// # Ok(()) }
/// ```
///
/// A call takes the first of the types that its arguments can be cast to safely; [`Code::TYPE`] if there is none.
#[derive(Clone)]
pub struct Ufunc(Kernel);

/// A function of sub-arrays: Numba's `guvectorize`. `clone` makes another reference to the same function.
///
/// ```
/// use gpuopt::{Device, Gufunc};
/// # fn main() -> gpuopt::Result<()> {
/// let text = "void total(array<const double, 1> x, array<double, 0> out) {
///               out[0] = 0;
///               for (int k = 0; k < x.size(); k++) out[0] += x[k];
///             }";
/// // SAFETY: the text stays within its arrays.
/// let total = unsafe { Gufunc::new(text, "total", "float64->float64", "(n)->()") }?;
/// let x = Device::open("cpu")?.array(&[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
/// assert_eq!(total.call(&x)?.to_vec::<f64>()?, [3.0, 7.0]);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Gufunc(Kernel);

/// A function of a neighborhood: Numba's `stencil`. `clone` makes another reference to the same function.
///
/// ```
/// use gpuopt::{Device, StencilMode, StencilOptions};
/// # fn main() -> gpuopt::Result<()> {
/// let options = StencilOptions::new().mode(StencilMode::Wrap);
/// // SAFETY: the text reads its input at literal offsets only.
/// let slope = unsafe { options.stencil("T a", "T out", "return a[1] - a[-1];", "slope") }?;
/// let x = Device::open("cpu")?.array(&[1, 4, 9, 16], &[4])?;
/// assert_eq!(slope.call(&x)?.to_vec::<i32>()?, [-12, 8, 12, -8]);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Stencil(Kernel);

kernels! { Ufunc Gufunc Stencil }

impl Ufunc {
    /// Of CUDA C++ with a function `name` of one element of each input, of the types it is for, as
    /// `"float32,float32->float32; float64,float64->float64"`, and of an expression that is the result of reducing
    /// nothing, or "". [`Code::INVALID_ARGUMENT`] for types that are none; the text is looked at by the first call.
    ///
    /// # Safety
    /// The text is run as it is: it must touch nothing but its arguments.
    pub unsafe fn new(code: &str, name: &str, types: &str, identity: &str) -> Result<Ufunc> {
        let own = c_texts([("code", code), ("name", name), ("types", types), ("identity", identity)])?;
        let [code, title, types, identity] = pointers(&own);
        // SAFETY: the texts live; the kernel's pointer is valid for the call.
        let call = |k, e| unsafe { sys::gpuopt_vectorize(code, title, types, identity, k, e) };
        Kernel::given(name, call).map(Ufunc)
    }
    /// NumPy's `reduce`: in order along one axis, or, with an identity, in a fixed shape over any. Of [`Axes`], all
    /// but axes and `keepdims` are errors here.
    pub fn reduce(&self, x: &Array, axes: impl Into<Axes>) -> Result<Array> {
        let axes = axes.into();
        let raw = axes.to_raw();
        if let Some(refused) = axes.refused_by_kernels() {
            return Err(Error::new(Code::INVALID_ARGUMENT, format!("a ufunc {refused}")));
        }
        self.method(&[Operand::Array(x)], |handles, result, e| {
            // SAFETY: handles are held for the call; the axes live.
            unsafe { sys::gpuopt_ufunc_reduce(self.0.raw(), handles[0], raw.naxes, raw.axes, raw.keepdims, result, e) }
        })
    }
    /// NumPy's `accumulate`, in order along the axis.
    pub fn accumulate(&self, x: &Array, axis: i64) -> Result<Array> {
        self.method(&[Operand::Array(x)], |handles, result, e| {
            // SAFETY: handles are held for the call.
            unsafe { sys::gpuopt_ufunc_accumulate(self.0.raw(), handles[0], axis, result, e) }
        })
    }
    /// NumPy's `outer`: the function of each element of `a` with each of `b`.
    pub fn outer(&self, a: &Array, b: &Array) -> Result<Array> {
        self.method(&[Operand::Array(a), Operand::Array(b)], |handles, result, e| {
            // SAFETY: handles are held for the call.
            unsafe { sys::gpuopt_ufunc_outer(self.0.raw(), handles[0], handles[1], result, e) }
        })
    }
    /// NumPy's `at`: `x[indices[k]] = f(x[indices[k]], values[k])` in order, in place; `values` `None` for functions of
    /// one input. Nothing is written where an index is out of range ([`Code::INDEX`]).
    pub fn at<'a>(&self, x: &mut Array, indices: &'a Array, values: Option<Operand<'a>>) -> Result<()> {
        let x = &*x;
        let _writing = x.writing()?;
        let mut operands = vec![Operand::Array(x), Operand::Array(indices)];
        operands.extend(values);
        with_all_handles(&operands, &[x], |handles| {
            let values = handles.get(2).copied().unwrap_or(std::ptr::null_mut());
            // SAFETY: handles are held for the call, that of `x` for writing.
            check(|e| unsafe { sys::gpuopt_ufunc_at(self.0.raw(), handles[0], handles[1], values, e) })
        })
    }
    fn method(
        &self,
        operands: &[Operand<'_>],
        call: impl FnOnce(&[sys::gpuopt_array], *mut sys::gpuopt_array, *mut sys::gpuopt_error) -> sys::gpuopt_status,
    ) -> Result<Array> {
        let mut result = std::ptr::null_mut();
        with_all_handles(operands, &[], |handles| check(|e| call(handles, &mut result, e)))?;
        // SAFETY: a reference that is given to us.
        unsafe { Array::adopt(result) }
    }
}

impl Gufunc {
    /// Of CUDA C++ with a function `name`, of types as in [`Ufunc::new`], and of a signature of core dimensions,
    /// `"(m,n),(n,p)->(m,p)"`. The function takes `array<const T, k>` for inputs of k core dimensions, `T` for none,
    /// and `array<T, k>` for outputs.
    ///
    /// # Safety
    /// As of [`Ufunc::new`]; it must not index beyond the shapes of its arrays.
    pub unsafe fn new(code: &str, name: &str, types: &str, signature: &str) -> Result<Gufunc> {
        let own = c_texts([("code", code), ("name", name), ("types", types), ("signature", signature)])?;
        let [code, title, types, signature] = pointers(&own);
        // SAFETY: the texts live; the kernel's pointer is valid for the call.
        let call = |k, e| unsafe { sys::gpuopt_guvectorize(code, title, types, signature, k, e) };
        Kernel::given(name, call).map(Gufunc)
    }
}

/// What an index means that leaves an array, as in `scipy.ndimage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum StencilMode {
    /// Nothing is read there; the result is [`StencilOptions::cval`] where the neighborhood leaves the array.
    Constant,
    /// `b a | a b c | c b`
    Reflect,
    /// `a a | a b c | c c`
    Nearest,
    /// `b c | a b c | a b`
    Wrap,
}

/// What a [`Stencil`] has beside its text.
#[derive(Clone, Debug)]
pub struct StencilOptions<'t> {
    mode: StencilMode,
    cval: Option<Scalar>,
    neighborhood: Vec<i64>,
    preamble: &'t str,
}
impl Default for StencilOptions<'_> {
    fn default() -> Self {
        StencilOptions { mode: StencilMode::Constant, cval: None, neighborhood: Vec::new(), preamble: "" }
    }
}
impl<'t> StencilOptions<'t> {
    /// [`StencilMode::Constant`] with zeros, and the neighborhood of the text's literal offsets.
    pub fn new() -> StencilOptions<'t> {
        StencilOptions::default()
    }
    /// What lies outside.
    pub fn mode(mut self, mode: StencilMode) -> StencilOptions<'t> {
        self.mode = mode;
        self
    }
    /// The result where the neighborhood leaves the array.
    pub fn cval(mut self, value: impl Into<Scalar>) -> StencilOptions<'t> {
        self.cval = Some(value.into());
        self
    }
    /// The least and the greatest offset along each axis, for texts whose offsets are no literals.
    pub fn neighborhood(mut self, axes: &[(i64, i64)]) -> StencilOptions<'t> {
        self.neighborhood = axes.iter().flat_map(|&(low, high)| [low, high]).collect();
        self
    }
    /// Declarations of functions and types, in front of the text.
    pub fn preamble(mut self, text: &'t str) -> StencilOptions<'t> {
        self.preamble = text;
        self
    }
    /// A stencil with these options, of parameters as in [`crate::ElementwiseKernel::new`] and of the body of a
    /// function, which returns the output at a place and reads the inputs it indexes relative to it, `a(-1, 0)`, or
    /// `a[-1]`.
    ///
    /// # Safety
    /// As of [`Ufunc::new`]; raw arrays must be indexed within.
    pub unsafe fn stencil(self, in_params: &str, out_params: &str, body: &str, name: &str) -> Result<Stencil> {
        let own = c_texts([("in_params", in_params), ("out_params", out_params), ("body", body), ("name", name)])?;
        c_string("preamble", self.preamble)?;
        let ([inputs, outputs, body, title], preamble) =
            (pointers(&own), CString::new(self.preamble).unwrap_or_default());
        let mut options = sys::gpuopt_stencil_options {
            mode: self.mode as i32,
            ndim: count(&self.neighborhood) / 2,
            preamble: preamble.as_ptr(),
            ..sys::gpuopt_stencil_options::new()
        };
        if !self.neighborhood.is_empty() {
            options.neighborhood = self.neighborhood.as_ptr();
        }
        if let Some(value) = self.cval {
            options.cval = value.to_raw();
        }
        // SAFETY: the texts and options live; the kernel's pointer is valid for the call.
        let call = |k, e| unsafe { sys::gpuopt_stencil(inputs, outputs, body, title, &options, k, e) };
        Kernel::given(name, call).map(Stencil)
    }
}
