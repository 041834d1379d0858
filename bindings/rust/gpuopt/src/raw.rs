// bindings/rust/gpuopt/src/raw.rs -- CUDA kernels as they are written for a GPU, launched on any device.
use crate::error::{c_string, check, count};
use crate::kernel::{c_texts, pointers, writing_all, Kernel};
use crate::loan::Reading;
use crate::{Array, Code, Device, Element, Error, Result, Stream};
use gpuopt_sys as sys;
use std::ffi::{c_void, CString};
use std::fmt;
use std::mem::size_of;
use std::ops::Range;

/// Blocks of a grid, or threads of a block, along x, y and z. `256` and `(16, 16)` turn into it by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    /// Along x.
    pub x: u32,
    /// Along y.
    pub y: u32,
    /// Along z.
    pub z: u32,
}
impl Dim3 {
    fn to_raw(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}
impl From<u32> for Dim3 {
    fn from(x: u32) -> Dim3 {
        Dim3 { x, y: 1, z: 1 }
    }
}
impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Dim3 {
        Dim3 { x, y, z: 1 }
    }
}
impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Dim3 {
        Dim3 { x, y, z }
    }
}

/// A `__global__` function of CUDA C++: CuPy's `RawKernel`. `clone` makes another reference to the same kernel.
///
/// ```
/// use gpuopt::{Device, RawKernel};
/// # fn main() -> gpuopt::Result<()> {
/// let saxpy = RawKernel::new(
///     r#"extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
///          for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
///        }"#,
///     "saxpy",
/// )?;
/// let xp = Device::open("cpu")?;
/// let (x, mut y) = (xp.array(&[1.0f32, 2.0, 3.0], &[3])?, xp.array(&[10.0f32, 20.0, 30.0], &[3])?);
/// // SAFETY: the types are those of the parameters; y is written, and x is read, within three elements.
/// unsafe { saxpy.launch(1, 128, (2.0f32, &x, &mut y, 3)) }?;
/// assert_eq!(y.to_vec::<f32>()?, [12.0, 24.0, 36.0]);
/// # Ok(()) }
/// ```
///
/// The text is compiled when it is first launched on a device. What does not compile is [`Code::COMPILE`] with the
/// compiler's words and the lines of the text, a device without a compiler [`Code::JIT_UNAVAILABLE`].
#[derive(Clone)]
pub struct RawKernel(Kernel);

/// What a kernel was compiled to on a device; `None` where the backend cannot tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelAttributes {
    /// The largest block.
    pub max_threads_per_block: Option<u32>,
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Bytes of static shared memory.
    pub shared_bytes: Option<u64>,
    /// Bytes of a thread's own memory.
    pub local_bytes: Option<u64>,
}

impl RawKernel {
    /// The function `name` of `code`; also an instance of a template, `"scale<float, 4>"`, or a function of a
    /// namespace. [`Code::INVALID_ARGUMENT`] for a name that is none; the text is looked at by the first launch.
    pub fn new(code: &str, name: &str) -> Result<RawKernel> {
        let own = c_texts([("code", code), ("name", name)])?;
        let [code, title] = pointers(&own);
        // SAFETY: the texts live; the kernel's pointer is valid for the call.
        Kernel::given(name, |k, e| unsafe { sys::gpuopt_raw_kernel(code, title, k, e) }).map(RawKernel)
    }
    /// Several functions of one text, in the order of their names, which share its variables: CuPy's `RawModule`.
    ///
    /// ```
    /// use gpuopt::{Device, RawKernel};
    /// # fn main() -> gpuopt::Result<()> {
    /// let text = "__device__ int calls = 0;
    ///             __global__ void count() { atomicAdd(&calls, 1); }
    ///             __global__ void forget() { calls = 0; }";
    /// let (kernels, xp) = (RawKernel::module(text, &["count", "forget"])?, Device::open("cpu")?);
    /// // SAFETY: the text touches nothing but its variable.
    /// unsafe { kernels[0].configure(4, 32).on(&xp).launch(()) }?;
    /// assert_eq!(kernels[1].get_global::<i32>(&xp, "calls", 0..1)?, [128]);
    /// # Ok(()) }
    /// ```
    pub fn module(code: &str, names: &[&str]) -> Result<Vec<RawKernel>> {
        let code = c_string("code", code)?;
        let titles = names.iter().map(|name| c_string("a name", name)).collect::<Result<Vec<CString>>>()?;
        let titles: Vec<_> = titles.iter().map(|title| title.as_ptr()).collect();
        let mut raws = vec![std::ptr::null_mut(); names.len()];
        // SAFETY: the texts live; there is room for as many kernels as names.
        check(|e| unsafe {
            sys::gpuopt_raw_module(code.as_ptr(), count(&titles), titles.as_ptr(), raws.as_mut_ptr(), e)
        })?;
        // SAFETY: what the call gave out is ours.
        names.iter().zip(raws).map(|(name, raw)| unsafe { Kernel::adopt(name, raw) }.map(RawKernel)).collect()
    }
    /// A launch of `grid` blocks of `block` threads, to be given options.
    pub fn configure(&self, grid: impl Into<Dim3>, block: impl Into<Dim3>) -> RawLaunch<'_> {
        RawLaunch {
            kernel: &self.0,
            grid: grid.into(),
            block: block.into(),
            shared_bytes: 0,
            stream: None,
            device: None,
        }
    }
    /// [`RawLaunch::launch`] without options.
    ///
    /// # Safety
    /// As of [`RawLaunch::launch`].
    pub unsafe fn launch(
        &self,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        arguments: impl RawArguments,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.configure(grid, block).launch(arguments) }
    }

    /// Elements of a `__device__` or `__constant__` variable of the text, as it is on a device; of one in a namespace
    /// `"mine::factors"`. `T` is the caller's business. [`Code::INVALID_ARGUMENT`] if there is none, or fewer bytes.
    /// Waits for the device's default stream.
    ///
    /// ```
    /// use gpuopt::{Device, RawKernel};
    /// # fn main() -> gpuopt::Result<()> {
    /// let text = "__constant__ float factors[4] = {1, 2, 3, 4};
    ///             __global__ void scale(float *x) { x[threadIdx.x] *= factors[threadIdx.x]; }";
    /// let (scale, xp) = (RawKernel::new(text, "scale")?, Device::open("cpu")?);
    /// assert_eq!(scale.get_global::<f32>(&xp, "factors", 1..3)?, [2.0, 3.0]);
    /// scale.set_global(&xp, "factors", 3, &[0.5f32])?;
    /// let mut x = xp.array(&[2.0f32; 4], &[4])?;
    /// // SAFETY: `x` has an element for each thread.
    /// unsafe { scale.launch(1, 4, &mut x) }?;
    /// assert_eq!(x.to_vec::<f32>()?, [2.0, 4.0, 6.0, 1.0]);
    /// # Ok(()) }
    /// ```
    pub fn get_global<T: Element>(&self, device: &Device, variable: &str, elements: Range<usize>) -> Result<Vec<T>> {
        let (variable, options, mut values) = (c_string("variable", variable)?, on(device), Vec::<T>::new());
        let (offset, bytes) = (bytes_of::<T>(elements.start), bytes_of::<T>(elements.len()));
        let no_room =
            |_| Error::new(Code::OUT_OF_MEMORY, format!("{}: no room for {} elements", self.0.name, elements.len()));
        values.try_reserve_exact(elements.len()).map_err(no_room)?;
        let (to, name) = (values.as_mut_ptr(), variable.as_ptr());
        // SAFETY: there is room for the elements; the text and the options live.
        check(|e| unsafe {
            sys::gpuopt_raw_kernel_get_global(self.0.raw(), name, offset, to.cast(), bytes, &options, e)
        })?;
        // SAFETY: the call wrote them all.
        unsafe {
            (0..elements.len()).for_each(|i| T::make_valid(to.add(i)));
            values.set_len(elements.len());
        }
        Ok(values)
    }
    /// Writes elements of such a variable, from element `first` on, behind what the device's default stream has to do.
    pub fn set_global<T: Element>(&self, device: &Device, variable: &str, first: usize, values: &[T]) -> Result<()> {
        let (variable, options) = (c_string("variable", variable)?, on(device));
        let (name, from, offset) = (variable.as_ptr(), values.as_ptr().cast(), bytes_of::<T>(first));
        let bytes = bytes_of::<T>(values.len());
        // SAFETY: the values, the text and the options live.
        check(|e| unsafe { sys::gpuopt_raw_kernel_set_global(self.0.raw(), name, offset, from, bytes, &options, e) })
    }
    /// All that the compiler said when it last refused the text, of which an [`Error`] has the beginning; empty if it
    /// never did.
    pub fn build_log(&self) -> Result<String> {
        self.0.build_log()
    }
    /// What it is compiled to on a device.
    pub fn attributes(&self, device: &Device) -> Result<KernelAttributes> {
        let mut raw = sys::gpuopt_kernel_attributes::new();
        // SAFETY: the handles are valid, and the pointers for the call.
        check(|e| unsafe { sys::gpuopt_raw_kernel_attributes(self.0.raw(), device.raw(), &mut raw, e) })?;
        Ok(KernelAttributes {
            max_threads_per_block: u32::try_from(raw.max_threads_per_block).ok(),
            registers: u32::try_from(raw.registers).ok(),
            shared_bytes: u64::try_from(raw.shared_bytes).ok(),
            local_bytes: u64::try_from(raw.local_bytes).ok(),
        })
    }
}
impl fmt::Debug for RawKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawKernel({})", self.0.name)
    }
}

/// The options that name a device; valid while it is.
fn on(device: &Device) -> sys::gpuopt_raw_launch_options {
    sys::gpuopt_raw_launch_options { device: device.raw(), ..sys::gpuopt_raw_launch_options::new() }
}
fn bytes_of<T>(elements: usize) -> u64 {
    (elements as u64).saturating_mul(size_of::<T>() as u64)
}

/// What a [`RawKernel`] takes for one parameter: `&Array` for a pointer that is read, `&mut Array` for one that is
/// written, a number of the parameter's type, or [`ByValue`] of a struct. What is of another type than the parameter is
/// [`Code::TYPE`]; [`Reinterpret`] is for arrays whose elements the kernel is to take as something else.
pub trait RawArgument {
    #[doc(hidden)]
    fn part(&self) -> RawPart<'_>;
}
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct RawPart<'a>(Part<'a>, sys::gpuopt_dtype);
#[derive(Clone, Copy)]
enum Part<'a> {
    Input(&'a Array),
    Output(&'a Array),
    Value { at: *const c_void, bytes: u64 },
}
fn value_part<T>(value: &T, dtype: sys::gpuopt_dtype) -> RawPart<'_> {
    RawPart(Part::Value { at: (value as *const T).cast(), bytes: bytes_of::<T>(1) }, dtype)
}
/// The value of a texture or surface object.
pub(crate) fn texture_part(object: &u64) -> RawPart<'_> {
    value_part(object, <u64 as Element>::DTYPE.0)
}
impl RawArgument for &Array {
    fn part(&self) -> RawPart<'_> {
        RawPart(Part::Input(self), 0)
    }
}
impl RawArgument for &mut Array {
    fn part(&self) -> RawPart<'_> {
        RawPart(Part::Output(self), 0)
    }
}
impl<T: Element> RawArgument for T {
    fn part(&self) -> RawPart<'_> {
        value_part(self, T::DTYPE.0)
    }
}

/// An array whose elements a raw kernel takes as what its parameter points to, whatever their dtype: `Reinterpret(&x)`
/// or `Reinterpret(&mut x)`.
#[derive(Debug)]
pub struct Reinterpret<A>(
    /// The array.
    pub A,
);
impl<A: RawArgument> RawArgument for Reinterpret<A> {
    fn part(&self) -> RawPart<'_> {
        RawPart(self.0.part().0, sys::GPUOPT_RAW_ANY)
    }
}

/// A struct as an argument, by value. It is `#[repr(C)]`, with the members of the struct in the text.
///
/// ```
/// use gpuopt::{ByValue, Device, RawKernel};
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Line {
///     slope: f64,
///     offset: i32,
/// }
/// # fn main() -> gpuopt::Result<()> {
/// let text = "struct Line { double slope; int offset; };
///             __global__ void along(Line line, double *y) { y[threadIdx.x] = line.slope * threadIdx.x + line.offset;
///             }";
/// let mut y = Device::open("cpu")?.zeros(&[3], None)?;
/// // SAFETY: both structs have the same members; `y` has an element for each thread.
/// unsafe { RawKernel::new(text, "along")?.launch(1, 3, (ByValue(Line { slope: 0.5, offset: -1 }), &mut y)) }?;
/// assert_eq!(y.to_vec::<f64>()?, [-1.0, -0.5, 0.0]);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ByValue<T: Copy>(
    /// The struct.
    pub T,
);
impl<T: Copy> RawArgument for ByValue<T> {
    fn part(&self) -> RawPart<'_> {
        value_part(&self.0, 0)
    }
}

/// What a [`RawKernel`] is launched with: one [`RawArgument`], a tuple of up to twelve, `()`, or a slice of references.
pub trait RawArguments {
    #[doc(hidden)]
    fn parts(&self) -> Vec<RawPart<'_>>;
}
impl<T: RawArgument> RawArguments for T {
    fn parts(&self) -> Vec<RawPart<'_>> {
        vec![self.part()]
    }
}
impl RawArguments for () {
    fn parts(&self) -> Vec<RawPart<'_>> {
        Vec::new()
    }
}
impl RawArguments for &[&dyn RawArgument] {
    fn parts(&self) -> Vec<RawPart<'_>> {
        self.iter().map(|argument| argument.part()).collect()
    }
}
macro_rules! tuples {
    ($(($($item:ident)*))*) => {$(
        impl<$($item: RawArgument),*> RawArguments for ($($item,)*) {
            #[allow(non_snake_case)]
            fn parts(&self) -> Vec<RawPart<'_>> {
                let ($($item,)*) = self;
                vec![$($item.part()),*]
            }
        }
    )*};
}
tuples! {
    (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) (A B C D E F G H I)
    (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L)
}

/// A launch of a [`RawKernel`] with its options.
#[derive(Clone)]
#[must_use = "nothing runs before launch"]
pub struct RawLaunch<'k> {
    kernel: &'k Kernel,
    grid: Dim3,
    block: Dim3,
    shared_bytes: u32,
    stream: Option<&'k Stream>,
    device: Option<&'k Device>,
}

impl<'k> RawLaunch<'k> {
    /// Bytes of dynamic shared memory, `extern __shared__`.
    pub fn shared_bytes(mut self, bytes: u32) -> RawLaunch<'k> {
        self.shared_bytes = bytes;
        self
    }
    /// The stream it runs on, instead of that of the first array.
    pub fn stream(mut self, stream: &'k Stream) -> RawLaunch<'k> {
        self.stream = Some(stream);
        self
    }
    /// The device it runs on if no argument is an array: there, on the default stream.
    pub fn on(mut self, device: &'k Device) -> RawLaunch<'k> {
        self.device = Some(device);
        self
    }
    /// Launches the kernel; work that uses the arrays is ordered before and after it. Numbers and sizes of arguments
    /// must be those of the function's parameters ([`Code::INVALID_ARGUMENT`]), and so must their types
    /// ([`Code::TYPE`]); of an array the address of its first element is passed.
    ///
    /// # Safety
    /// The text is run as it is. Strides must be those it expects; it must stay within the elements of its arrays,
    /// write to none that is given as `&Array`, and no two threads may use an element or a variable of the text at once
    /// if one writes it, but for atomic operations. Until it is over, no other stream may use a variable that it
    /// writes, nor write one that it reads.
    pub unsafe fn launch(&self, arguments: impl RawArguments) -> Result<()> {
        let parts = arguments.parts();
        let written: Vec<&Array> = parts.iter().filter_map(Part::output).collect();
        if written.iter().any(|out| out.is_read_only()) {
            let message = format!("{}: an array that is given as &mut must not be written to", self.kernel.name);
            return Err(Error::new(Code::READ_ONLY, message));
        }
        let _writing = writing_all(&written)?;
        let held = parts.iter().map(|part| Held::of(part, &written)).collect::<Result<Vec<_>>>()?;
        let list: Vec<_> = held.iter().map(Held::to_raw).collect();
        let dtypes: Vec<_> = parts.iter().map(|part| part.1).collect();
        let options = sys::gpuopt_raw_launch_options { dtypes: dtypes.as_ptr(), ..self.to_raw() };
        let (kernel, grid, block) = (self.kernel.raw(), self.grid.to_raw(), self.block.to_raw());
        let (shared, (first, length)) = (self.shared_bytes, (list.as_ptr(), count(&list)));
        // SAFETY: the arrays are held, those that are written for writing; values and options live. What the text does
        // the caller has promised.
        check(|e| unsafe {
            sys::gpuopt_raw_kernel_launch(kernel, grid.as_ptr(), block.as_ptr(), shared, length, first, &options, e)
        })
    }
    fn to_raw(&self) -> sys::gpuopt_raw_launch_options {
        sys::gpuopt_raw_launch_options {
            stream: self.stream.map_or(std::ptr::null_mut(), Stream::raw),
            device: self.device.map_or(std::ptr::null_mut(), Device::raw),
            ..sys::gpuopt_raw_launch_options::new()
        }
    }
}

impl<'a> Part<'a> {
    fn output(part: &RawPart<'a>) -> Option<&'a Array> {
        match part.0 {
            Part::Output(x) => Some(x),
            _ => None,
        }
    }
}

/// An argument for the time of a launch.
enum Held<'a> {
    Read { view: Array, _reading: Reading<'a> },
    Written(&'a Array),
    Value { at: *const c_void, bytes: u64 },
}
impl<'a> Held<'a> {
    fn of(part: &RawPart<'a>, written: &[&Array]) -> Result<Held<'a>> {
        Ok(match part.0 {
            Part::Value { at, bytes } => Held::Value { at, bytes },
            Part::Input(x) if !written.iter().any(|out| x.shares_elements(out)) => {
                // A view with an axis more is read-only, so that the library knows: other threads may read it beside
                // this.
                let shape: Vec<i64> = std::iter::once(1).chain(x.shape().iter().copied()).collect();
                Held::Read { view: x.broadcast_to(&shape)?, _reading: x.reading()? }
            }
            Part::Input(x) | Part::Output(x) => Held::Written(x),
        })
    }
    fn to_raw(&self) -> sys::gpuopt_raw_argument {
        let (array, value, bytes) = match self {
            Held::Read { view, .. } => (view.raw(), std::ptr::null(), 0),
            Held::Written(x) => (x.raw(), std::ptr::null(), 0),
            Held::Value { at, bytes } => (std::ptr::null_mut(), *at, *bytes),
        };
        sys::gpuopt_raw_argument { array, value, bytes }
    }
}
