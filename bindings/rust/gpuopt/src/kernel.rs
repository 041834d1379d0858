// bindings/rust/gpuopt/src/kernel.rs -- kernels of your own: CUDA C++ given as text, run on any device.
use crate::device::given_text;
use crate::error::{c_string, check, count};
use crate::loan::Writing;
use crate::operand::with_all_handles;
use crate::{Array, Axes, Code, Device, Error, Operand, Result};
use gpuopt_sys as sys;
use std::ffi::CString;
use std::fmt;
use std::os::raw::c_char;
use std::ptr::NonNull;
use std::sync::Arc;

/// One reference to a C kernel, dropped once, and its name for messages.
pub(crate) struct Kernel {
    raw: NonNull<sys::gpuopt_kernel_s>,
    pub(crate) name: Arc<str>,
}

// SAFETY: the ABI lets any threads call a kernel at once; nothing depends on which thread calls, releases included.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl Kernel {
    /// The reference a C call gives out.
    pub(crate) fn given(
        name: &str,
        call: impl FnOnce(*mut sys::gpuopt_kernel, *mut sys::gpuopt_error) -> sys::gpuopt_status,
    ) -> Result<Kernel> {
        let mut raw = std::ptr::null_mut();
        check(|e| call(&mut raw, e))?;
        // SAFETY: what the call gave out is ours.
        unsafe { Kernel::adopt(name, raw) }
    }
    /// Takes a reference over.
    ///
    /// # Safety
    /// `raw` is null, which is an error, or a valid handle with a reference that is given away.
    pub(crate) unsafe fn adopt(name: &str, raw: sys::gpuopt_kernel) -> Result<Kernel> {
        let missing = || Error::new(Code::INTERNAL, "the library gave no kernel out");
        NonNull::new(raw).map(|raw| Kernel { raw, name: name.into() }).ok_or_else(missing)
    }
    pub(crate) fn raw(&self) -> sys::gpuopt_kernel {
        self.raw.as_ptr()
    }
    pub(crate) fn nin(&self) -> usize {
        // SAFETY: the handle is valid.
        unsafe { sys::gpuopt_kernel_nin(self.raw.as_ptr()) as usize }
    }
    pub(crate) fn nout(&self) -> usize {
        // SAFETY: the handle is valid.
        unsafe { sys::gpuopt_kernel_nout(self.raw.as_ptr()) as usize }
    }
    pub(crate) fn build_log(&self) -> Result<String> {
        // SAFETY: the handle is valid, and the pointers for the call.
        given_text(|r, e| unsafe { sys::gpuopt_kernel_build_log(self.raw(), r, e) })
    }
    fn check_count(&self, what: &str, given: usize, wanted: usize) -> Result<()> {
        if given == wanted {
            return Ok(());
        }
        let message = format!("{}: Wrong number of {what}: {given}, but it has {wanted}", self.name);
        Err(Error::new(Code::INVALID_ARGUMENT, message))
    }
}
impl Clone for Kernel {
    fn clone(&self) -> Kernel {
        // SAFETY: the handle is valid; retaining gives the same one, with a reference more.
        unsafe { sys::gpuopt_kernel_retain(self.raw.as_ptr()) };
        Kernel { raw: self.raw, name: Arc::clone(&self.name) }
    }
}
impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: this reference is ours and goes once.
        unsafe { sys::gpuopt_kernel_release(self.raw.as_ptr()) }
    }
}

/// What a kernel has beside its expressions; all of it is empty unless said.
///
/// ```
/// use gpuopt::{Device, KernelOptions};
/// # fn main() -> gpuopt::Result<()> {
/// let text = KernelOptions::new().preamble("__device__ int twice(int v) { return 2 * v; }");
/// // SAFETY: the text touches nothing but `x` and `y`, at `i`.
/// let kernel = unsafe { text.elementwise("int32 x", "int32 y", "y = twice(x)", "doubled") }?;
/// let x = Device::open("cpu")?.array(&[1, 2, 3], &[3])?;
/// assert_eq!(kernel.call(&x)?.to_vec::<i32>()?, [2, 4, 6]);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct KernelOptions<'t> {
    preamble: &'t str,
    loop_prep: &'t str,
    after_loop: &'t str,
    reduce_type: &'t str,
    identity: &'t str,
}

/// Texts for C, valid while this lives.
struct Texts([CString; 4]);
impl Texts {
    fn to_raw(&self) -> sys::gpuopt_kernel_options {
        let [preamble, loop_prep, after_loop, reduce_type] = &self.0;
        sys::gpuopt_kernel_options {
            preamble: preamble.as_ptr(),
            loop_prep: loop_prep.as_ptr(),
            after_loop: after_loop.as_ptr(),
            reduce_type: reduce_type.as_ptr(),
            ..sys::gpuopt_kernel_options::new()
        }
    }
}

/// The texts of a kernel for C.
pub(crate) fn c_texts<const N: usize>(texts: [(&str, &str); N]) -> Result<[CString; N]> {
    for (what, text) in texts {
        c_string(what, text)?;
    }
    Ok(texts.map(|(_, text)| CString::new(text).unwrap_or_default()))
}
pub(crate) fn pointers<const N: usize>(texts: &[CString; N]) -> [*const c_char; N] {
    let mut all = [std::ptr::null(); N];
    for (pointer, text) in all.iter_mut().zip(texts) {
        *pointer = text.as_ptr();
    }
    all
}

impl<'t> KernelOptions<'t> {
    /// Nothing.
    pub fn new() -> KernelOptions<'t> {
        KernelOptions::default()
    }
    /// Declarations of functions and types, in front of the kernel.
    pub fn preamble(mut self, text: &'t str) -> KernelOptions<'t> {
        self.preamble = text;
        self
    }
    /// Statements of each thread before its loop.
    pub fn loop_prep(mut self, text: &'t str) -> KernelOptions<'t> {
        self.loop_prep = text;
        self
    }
    /// Statements of each thread after its loop.
    pub fn after_loop(mut self, text: &'t str) -> KernelOptions<'t> {
        self.after_loop = text;
        self
    }
    /// Of reductions: the type of partial results, at most 32 bytes; unless said that of the first output.
    pub fn reduce_type(mut self, text: &'t str) -> KernelOptions<'t> {
        self.reduce_type = text;
        self
    }
    /// Of reductions: an expression, the result of nothing. Without one, reducing nothing is
    /// [`Code::INVALID_ARGUMENT`].
    pub fn identity(mut self, text: &'t str) -> KernelOptions<'t> {
        self.identity = text;
        self
    }
    fn texts(&self) -> Result<Texts> {
        let all = [
            ("preamble", self.preamble),
            ("loop_prep", self.loop_prep),
            ("after_loop", self.after_loop),
            ("reduce_type", self.reduce_type),
        ];
        Ok(Texts(c_texts(all)?))
    }
    /// An elementwise kernel with these options: [`ElementwiseKernel::new`].
    ///
    /// # Safety
    /// As of [`ElementwiseKernel::new`].
    pub unsafe fn elementwise(
        self,
        in_params: &str,
        out_params: &str,
        operation: &str,
        name: &str,
    ) -> Result<ElementwiseKernel> {
        let (own, more) = (["in_params", "out_params", "operation", "name"], self.texts()?);
        let own = c_texts([(own[0], in_params), (own[1], out_params), (own[2], operation), (own[3], name)])?;
        let ([inputs, outputs, operation, title], options) = (pointers(&own), more.to_raw());
        // SAFETY: the texts and options live; the kernel's pointer is valid for the call.
        let call = |k, e| unsafe { sys::gpuopt_elementwise_kernel(inputs, outputs, operation, title, &options, k, e) };
        Kernel::given(name, call).map(ElementwiseKernel)
    }
    /// A reduction with these options: [`ReductionKernel::new`].
    ///
    /// # Safety
    /// As of [`ElementwiseKernel::new`].
    pub unsafe fn reduction(
        self,
        in_params: &str,
        out_params: &str,
        map_expr: &str,
        reduce_expr: &str,
        post_map_expr: &str,
        name: &str,
    ) -> Result<ReductionKernel> {
        let more = self.texts()?;
        let own = c_texts([
            ("in_params", in_params),
            ("out_params", out_params),
            ("map_expr", map_expr),
            ("reduce_expr", reduce_expr),
            ("post_map_expr", post_map_expr),
            ("identity", self.identity),
            ("name", name),
        ])?;
        let ([inputs, outputs, map, reduce, post, identity, title], options) = (pointers(&own), more.to_raw());
        // SAFETY: as above; an empty identity is none.
        let call = |k, e| unsafe {
            sys::gpuopt_reduction_kernel(inputs, outputs, map, reduce, post, identity, title, &options, k, e)
        };
        Kernel::given(name, call).map(ReductionKernel)
    }
}

/// An operation of your own on each element: CuPy's `ElementwiseKernel`. `clone` makes another reference to the same
/// kernel.
///
/// ```
/// use gpuopt::{Device, ElementwiseKernel};
/// # fn main() -> gpuopt::Result<()> {
/// // SAFETY: the text touches nothing but its parameters, at `i`.
/// let squared_diff = unsafe { ElementwiseKernel::new("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff") }?;
/// let x = Device::open("cpu")?.array(&[1.0, 2.0, 4.0], &[3])?;
/// assert_eq!(squared_diff.call((&x, 2))?.to_vec::<f64>()?, [1.0, 0.0, 4.0]);
/// # Ok(()) }
/// ```
///
/// The text is compiled when it is first called with some dtypes on a device. What does not compile is
/// [`Code::COMPILE`] with the compiler's words and the lines of the text, a device without a compiler
/// [`Code::JIT_UNAVAILABLE`].
#[derive(Clone)]
pub struct ElementwiseKernel(Kernel);

/// A reduction of your own: CuPy's `ReductionKernel`. `clone` makes another reference to the same kernel.
///
/// ```
/// use gpuopt::{Axes, Device, ReductionKernel};
/// # fn main() -> gpuopt::Result<()> {
/// // SAFETY: the texts touch nothing but their parameters.
/// let l2norm = unsafe { ReductionKernel::new("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm") }?;
/// let x = Device::open("cpu")?.array(&[3.0, 4.0, 5.0, 12.0], &[2, 2])?;
/// assert_eq!(l2norm.over(1).call(&x)?.to_vec::<f64>()?, [5.0, 13.0]);
/// assert_eq!(l2norm.over(Axes::all().keepdims()).call(&x)?.shape(), [1, 1]);
/// # Ok(()) }
/// ```
///
/// The bits of results are the same on every device. Compiled as an [`ElementwiseKernel`].
#[derive(Clone)]
pub struct ReductionKernel(Kernel);

impl ElementwiseKernel {
    /// All that the compiler said when it last refused the text, of which an [`Error`] has the beginning; empty if it
    /// never did.
    pub fn build_log(&self) -> Result<String> {
        self.0.build_log()
    }
    /// A kernel of two comma lists of `[raw] TYPE NAME`, where a type of one letter is generic and others are dtype
    /// names, and of statements, `operation`, that are run for each index `i`. A raw array is indexed by the text
    /// itself. [`Code::INVALID_ARGUMENT`] for a list or name that is none; the statements are looked at by the first
    /// call.
    ///
    /// # Safety
    /// The text is run as it is. In every call that is made with this kernel and its clones it must not read or write
    /// outside of the elements of its arrays, must not write to inputs, and no two indices may write to the same
    /// element.
    pub unsafe fn new(in_params: &str, out_params: &str, operation: &str, name: &str) -> Result<ElementwiseKernel> {
        // SAFETY: the caller's promise.
        unsafe { KernelOptions::new().elementwise(in_params, out_params, operation, name) }
    }
    /// A call of this length, for kernels whose arrays are all raw: `i` runs from 0 to `size`, which is the length of
    /// the outputs.
    ///
    /// ```
    /// use gpuopt::{Device, DType, ElementwiseKernel};
    /// # fn main() -> gpuopt::Result<()> {
    /// // SAFETY: `x` has an element more than it is called with.
    /// let neighbours = unsafe { ElementwiseKernel::new("raw T x", "T y", "y = (x[i] + x[i + 1]) / 2", "neighbours")
    /// }?; let xp = Device::open("cpu")?;
    /// let x = xp.array(&[1.0, 2.0, 4.0, 8.0], &[4])?;
    /// assert_eq!(neighbours.sized(3).call(&x)?.to_vec::<f64>()?, [1.5, 3.0, 6.0]);
    /// let squares = unsafe { ElementwiseKernel::new("int64 offset", "int64 y", "y = i * i + offset", "squares") }?;
    /// let y = squares.sized(4).on(&xp).call(1)?;
    /// assert_eq!((y.dtype(), y.to_vec::<i64>()?), (DType::INT64, vec![1, 2, 5, 10]));
    /// # Ok(()) }
    /// ```
    pub fn sized(&self, size: i64) -> Launch<'_> {
        Launch { size: Some(size), ..self.launch() }
    }
}

impl ReductionKernel {
    /// All that the compiler said when it last refused the text, of which an [`Error`] has the beginning; empty if it
    /// never did.
    pub fn build_log(&self) -> Result<String> {
        self.0.build_log()
    }
    /// A kernel of parameters as in [`ElementwiseKernel::new`], of what an element contributes, of how two
    /// contributions `a` and `b` become one, and of a statement that writes the outputs from the whole, `a`. `_J` is an
    /// element's place along the reduced axes. `identity` is the result of nothing; where it is empty, reducing nothing
    /// is [`Code::INVALID_ARGUMENT`].
    ///
    /// # Safety
    /// As of [`ElementwiseKernel::new`].
    pub unsafe fn new(
        in_params: &str,
        out_params: &str,
        map_expr: &str,
        reduce_expr: &str,
        post_map_expr: &str,
        identity: &str,
        name: &str,
    ) -> Result<ReductionKernel> {
        let options = KernelOptions::new().identity(identity);
        // SAFETY: the caller's promise.
        unsafe { options.reduction(in_params, out_params, map_expr, reduce_expr, post_map_expr, name) }
    }
    /// A call that reduces these axes; without it all are reduced. Of [`Axes`], all but axes and `keepdims`
    /// are errors here.
    pub fn over(&self, axes: impl Into<Axes>) -> Launch<'_> {
        Launch { axes: axes.into(), ..self.launch() }
    }
}

macro_rules! kernels {
    ($($name:ident)*) => {$(
        impl $name {
            /// How many inputs it has.
            pub fn nin(&self) -> usize {
                self.0.nin()
            }
            /// How many outputs it has.
            pub fn nout(&self) -> usize {
                self.0.nout()
            }
            /// A call, to be given options.
            pub fn launch(&self) -> Launch<'_> {
                Launch::of(&self.0)
            }
            /// [`Launch::call`] without options.
            pub fn call<'a>(&self, arguments: impl Arguments<'a>) -> Result<Array> {
                self.launch().call(arguments)
            }
            /// [`Launch::outputs`] without options.
            pub fn outputs<'a>(&self, arguments: impl Arguments<'a>) -> Result<Vec<Array>> {
                self.launch().outputs(arguments)
            }
            /// [`Launch::call_into`] without options.
            pub fn call_into<'a>(&self, arguments: impl Arguments<'a>, outs: &mut [&mut Array]) -> Result<()> {
                self.launch().call_into(arguments, outs)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0.name)
            }
        }
    )*};
}
pub(crate) use kernels;
kernels! { ElementwiseKernel ReductionKernel }

/// What kernels are called with: one array or number, a tuple of up to eight, or a vector of [`Operand`].
pub trait Arguments<'a> {
    /// The arguments in the order of the inputs.
    fn to_operands(self) -> Vec<Operand<'a>>;
}
impl<'a, T: Into<Operand<'a>>> Arguments<'a> for T {
    fn to_operands(self) -> Vec<Operand<'a>> {
        vec![self.into()]
    }
}
impl<'a> Arguments<'a> for Vec<Operand<'a>> {
    fn to_operands(self) -> Vec<Operand<'a>> {
        self
    }
}
impl<'a> Arguments<'a> for () {
    fn to_operands(self) -> Vec<Operand<'a>> {
        Vec::new()
    }
}
macro_rules! tuples {
    ($(($($item:ident)*))*) => {$(
        impl<'a, $($item: Into<Operand<'a>>),*> Arguments<'a> for ($($item,)*) {
            #[allow(non_snake_case)]
            fn to_operands(self) -> Vec<Operand<'a>> {
                let ($($item,)*) = self;
                vec![$($item.into()),*]
            }
        }
    )*};
}
tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

/// A call of a kernel with its options.
#[derive(Clone)]
#[must_use = "nothing runs before call, outputs or call_into"]
pub struct Launch<'k> {
    kernel: &'k Kernel,
    axes: Axes,
    size: Option<i64>,
    device: Option<&'k Device>,
    block_size: i32,
}

impl<'k> Launch<'k> {
    pub(crate) fn of(kernel: &'k Kernel) -> Launch<'k> {
        Launch { kernel, axes: Axes::all(), size: None, device: None, block_size: 0 }
    }
    /// Where it runs if no argument is an array; those have their device.
    pub fn on(mut self, device: &'k Device) -> Launch<'k> {
        self.device = Some(device);
        self
    }
    /// Threads per block on a GPU, a multiple of 32 up to 1024; 0 means 128.
    pub fn block_size(mut self, threads: i32) -> Launch<'k> {
        self.block_size = threads;
        self
    }
    /// Calls the kernel with its inputs and gives the first output.
    ///
    /// Arrays that are not raw broadcast. Arrays bind generic types and must agree exactly ([`Code::TYPE`]); a number
    /// takes the type of its parameter.
    pub fn call<'a>(&self, arguments: impl Arguments<'a>) -> Result<Array> {
        let none = || Error::new(Code::INVALID_ARGUMENT, format!("{}: it has no output to give", self.kernel.name));
        self.outputs(arguments)?.into_iter().next().ok_or_else(none)
    }
    /// [`Launch::call`] for kernels of several outputs.
    pub fn outputs<'a>(&self, arguments: impl Arguments<'a>) -> Result<Vec<Array>> {
        let operands = arguments.to_operands();
        self.kernel.check_count("inputs", operands.len(), self.kernel.nin())?;
        let mut results = vec![std::ptr::null_mut(); self.kernel.nout()];
        with_all_handles(&operands, &[], |handles| self.run(handles, results.as_mut_ptr()))?;
        // SAFETY: each is a reference that is given to us, of an array that was made for this call.
        results.into_iter().map(|raw| unsafe { Array::adopt(raw) }).collect()
    }
    /// Calls the kernel and writes all of its outputs to `outs`, which have the shape of the loop, of a reduction that
    /// of its results ([`Code::SHAPE`]). They may be clones or views of inputs: those are read before.
    ///
    /// ```
    /// use gpuopt::{Device, DType, ElementwiseKernel};
    /// # fn main() -> gpuopt::Result<()> {
    /// // SAFETY: the text touches nothing but its parameters, at `i`.
    /// let split = unsafe { ElementwiseKernel::new("T x", "T whole, T rest", "whole = floor(x); rest = x - whole",
    /// "split") }?; let xp = Device::open("cpu")?;
    /// let x = xp.array(&[1.25, -1.25], &[2])?;
    /// let both = xp.zeros(&[2, 2], None)?;
    /// split.call_into(&x, &mut [&mut both.view(0)?, &mut both.view(1)?])?;
    /// assert_eq!(both.to_vec::<f64>()?, [1.0, -2.0, 0.25, 0.75]);
    /// # Ok(()) }
    /// ```
    pub fn call_into<'a>(&self, arguments: impl Arguments<'a>, outs: &mut [&mut Array]) -> Result<()> {
        let mut operands = arguments.to_operands();
        self.kernel.check_count("inputs", operands.len(), self.kernel.nin())?;
        self.kernel.check_count("outputs", outs.len(), self.kernel.nout())?;
        let outs: Vec<&Array> = outs.iter().map(|out| &**out).collect();
        let _writing = writing_all(&outs)?;
        operands.extend(outs.iter().map(|&out| Operand::Array(out)));
        with_all_handles(&operands, &outs, |handles| self.run(handles, std::ptr::null_mut()))
    }
    /// The options of a C call; valid while `self` is.
    fn to_raw(&self) -> Result<sys::gpuopt_kernel_call_options> {
        let axes = self.axes.to_raw();
        if let Some(refused) = self.axes.refused_by_kernels() {
            let message = format!("{}: a kernel {refused}", self.kernel.name);
            return Err(Error::new(Code::INVALID_ARGUMENT, message));
        }
        Ok(sys::gpuopt_kernel_call_options {
            device: self.device.map_or(std::ptr::null_mut(), Device::raw),
            size: self.size.unwrap_or(0),
            has_size: i32::from(self.size.is_some()),
            block_size: self.block_size,
            axes: axes.axes,
            naxes: axes.naxes,
            keepdims: axes.keepdims,
            ..sys::gpuopt_kernel_call_options::new()
        })
    }
    /// Calls the kernel with handles that are held, into as many results as it has outputs, or null.
    fn run(&self, handles: &[sys::gpuopt_array], results: *mut sys::gpuopt_array) -> Result<()> {
        let (kernel, options) = (self.kernel.raw.as_ptr(), self.to_raw()?);
        // SAFETY: the handles are held, those of outputs for writing; the options point into `self`. What the text does
        // was promised when the kernel was made.
        check(|e| unsafe { sys::gpuopt_kernel_call(kernel, count(handles), handles.as_ptr(), &options, results, e) })
    }
}

/// Holds arrays for writing; those that share elements are held together.
pub(crate) fn writing_all<'a>(outs: &[&'a Array]) -> Result<Vec<Writing<'a>>> {
    let alone = |&(k, out): &(usize, &&'a Array)| !outs[..k].iter().any(|other| other.shares_elements(out));
    outs.iter().enumerate().filter(alone).map(|(_, out)| out.writing()).collect()
}
