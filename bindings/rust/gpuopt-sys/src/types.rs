// bindings/rust/gpuopt-sys/src/types.rs -- the types of the headers; tests/layout.rs compares them with the compiler's.
pub use crate::arrow::{ArrowArray, ArrowSchema};
pub use crate::distributions::*;
pub use crate::options::*;
use std::os::raw::{c_char, c_int, c_void};

/// The most dimensions an array can have.
pub const GPUOPT_MAX_NDIM: usize = 64;
/// Leaves a bound of a slice out.
pub const GPUOPT_SLICE_ALL: i64 = i64::MIN;
/// Of `gpuopt_comm_options::flags`: sums of floats are left to MPI or NCCL.
pub const GPUOPT_COMM_FAST: u32 = 1;
/// Of `gpuopt_comm_options::flags`: sums keep their order.
pub const GPUOPT_COMM_EXACT: u32 = 2;
/// The Frobenius norm, for `gpuopt_matrix_norm`.
pub const GPUOPT_NORM_FROBENIUS: f64 = 0.0;
/// The sum of the singular values, for `gpuopt_matrix_norm`.
pub const GPUOPT_NORM_NUCLEAR: f64 = 1e300;
/// "The call's default" where a dtype is expected.
pub const GPUOPT_DTYPE_DEFAULT: gpuopt_dtype = 0;

/// What a call returns: `GPUOPT_OK` or a `GPUOPT_ERR_*`.
pub type gpuopt_status = i32;
/// Why a backend is unusable: a `GPUOPT_REASON_*`.
pub type gpuopt_reason = i32;
/// An element type, 0 for the call's default.
pub type gpuopt_dtype = i32;
/// An elementwise operation: a `GPUOPT_OP_*`.
pub type gpuopt_op = i32;
/// A reduction: a `GPUOPT_REDUCTION_*`.
pub type gpuopt_reduction = i32;
/// A scan: a `GPUOPT_SCAN_*`.
pub type gpuopt_scan = i32;
/// Whether a call may copy: a `GPUOPT_COPY_*`.
pub type gpuopt_copy = i32;
/// Copies where it must.
pub const GPUOPT_COPY_IF_NEEDED: gpuopt_copy = 0;
/// Always copies.
pub const GPUOPT_COPY_ALWAYS: gpuopt_copy = 1;
/// Fails with `GPUOPT_ERR_INVALID_ARGUMENT` where a copy is needed.
pub const GPUOPT_COPY_NEVER: gpuopt_copy = 2;
/// How a product of floats is computed: a `GPUOPT_PRODUCT_*`.
pub type gpuopt_product_mode = i32;
/// As `GPUOPT_MATMUL` says.
pub const GPUOPT_PRODUCT_DEFAULT: gpuopt_product_mode = 0;
/// With the same bits everywhere.
pub const GPUOPT_PRODUCT_EXACT: gpuopt_product_mode = 1;
/// By a BLAS or cuBLAS.
pub const GPUOPT_PRODUCT_FAST: gpuopt_product_mode = 2;
/// What `gpuopt_pad` writes around an array: a `GPUOPT_PAD_*`.
pub type gpuopt_pad_mode = i32;
/// A number.
pub const GPUOPT_PAD_CONSTANT: gpuopt_pad_mode = 0;
/// The outermost element.
pub const GPUOPT_PAD_EDGE: gpuopt_pad_mode = 1;
/// Mirrored at the outermost element.
pub const GPUOPT_PAD_REFLECT: gpuopt_pad_mode = 2;
/// Mirrored behind the outermost element.
pub const GPUOPT_PAD_SYMMETRIC: gpuopt_pad_mode = 3;
/// From the other end.
pub const GPUOPT_PAD_WRAP: gpuopt_pad_mode = 4;
/// What is done with an index that is out of range: a `GPUOPT_MODE_*`.
pub type gpuopt_index_mode = i32;
/// It is an error.
pub const GPUOPT_MODE_RAISE: gpuopt_index_mode = 0;
/// It counts modulo the number of elements.
pub const GPUOPT_MODE_WRAP: gpuopt_index_mode = 1;
/// It stands for the nearest index.
pub const GPUOPT_MODE_CLIP: gpuopt_index_mode = 2;
/// `gpuopt_trim_zeros` takes zeros off the front.
pub const GPUOPT_TRIM_FRONT: i32 = 1;
/// `gpuopt_trim_zeros` takes zeros off the back.
pub const GPUOPT_TRIM_BACK: i32 = 2;
/// By what the elements of a transform of n are multiplied: a `GPUOPT_FFT_*`.
pub type gpuopt_fft_norm = i32;
/// Forward transforms by 1, inverse ones by 1/n.
pub const GPUOPT_FFT_BACKWARD: gpuopt_fft_norm = 0;
/// Both by 1/sqrt(n).
pub const GPUOPT_FFT_ORTHO: gpuopt_fft_norm = 1;
/// Forward transforms by 1/n, inverse ones by 1.
pub const GPUOPT_FFT_FORWARD: gpuopt_fft_norm = 2;
/// Which elements of a convolution are computed: a `GPUOPT_CONVOLVE_*`.
pub type gpuopt_convolve_mode = i32;
/// All.
pub const GPUOPT_CONVOLVE_FULL: gpuopt_convolve_mode = 0;
/// As many as the longer operand has, in the middle.
pub const GPUOPT_CONVOLVE_SAME: gpuopt_convolve_mode = 1;
/// Those where the shorter operand lies inside the longer one.
pub const GPUOPT_CONVOLVE_VALID: gpuopt_convolve_mode = 2;
/// How a convolution of several axes is computed: a `GPUOPT_CONVOLVE_*`.
pub type gpuopt_convolve_method = i32;
/// In the way that is likely to take less time.
pub const GPUOPT_CONVOLVE_AUTO: gpuopt_convolve_method = 0;
/// Each element as a sum of products.
pub const GPUOPT_CONVOLVE_DIRECT: gpuopt_convolve_method = 1;
/// By Fourier transforms.
pub const GPUOPT_CONVOLVE_FFT: gpuopt_convolve_method = 2;
/// How covariances are factored: a `GPUOPT_NORMAL_*`.
pub type gpuopt_normal_method = i32;
/// By singular values.
pub const GPUOPT_NORMAL_SVD: gpuopt_normal_method = 0;
/// By eigenvalues.
pub const GPUOPT_NORMAL_EIGH: gpuopt_normal_method = 1;
/// By Cholesky's factor.
pub const GPUOPT_NORMAL_CHOLESKY: gpuopt_normal_method = 2;
/// What a rank does; see `gpuopt_comm_run_devices`.
pub type gpuopt_rank_function =
    Option<unsafe extern "C" fn(comm: gpuopt_comm, context: *mut c_void, error: *mut gpuopt_error) -> gpuopt_status>;
/// A function of a line; see `gpuopt_apply_along_axis`.
pub type gpuopt_line_function = Option<
    unsafe extern "C" fn(
        x: gpuopt_array,
        context: *mut c_void,
        result: *mut gpuopt_array,
        error: *mut gpuopt_error,
    ) -> gpuopt_status,
>;
/// How much of q and r a factorization makes: a `GPUOPT_QR_*`.
pub type gpuopt_qr_mode = i32;
/// As many columns of q as the lesser size of the matrix.
pub const GPUOPT_QR_REDUCED: gpuopt_qr_mode = 0;
/// A square q.
pub const GPUOPT_QR_COMPLETE: gpuopt_qr_mode = 1;
/// r alone.
pub const GPUOPT_QR_R: gpuopt_qr_mode = 2;
/// Which of a, a^T and a^H a system is solved with: a `GPUOPT_TRANS_*`.
pub type gpuopt_trans = i32;
/// a.
pub const GPUOPT_TRANS_NONE: gpuopt_trans = 0;
/// a^T.
pub const GPUOPT_TRANS_TRANSPOSE: gpuopt_trans = 1;
/// a^H.
pub const GPUOPT_TRANS_CONJUGATE: gpuopt_trans = 2;
/// How a quantile is chosen: a `GPUOPT_QUANTILE_*`.
pub type gpuopt_quantile_method = i32;
/// Between two elements in proportion.
pub const GPUOPT_QUANTILE_LINEAR: gpuopt_quantile_method = 0;
/// The element before the position.
pub const GPUOPT_QUANTILE_LOWER: gpuopt_quantile_method = 1;
/// The element behind the position.
pub const GPUOPT_QUANTILE_HIGHER: gpuopt_quantile_method = 2;
/// The middle between the two.
pub const GPUOPT_QUANTILE_MIDPOINT: gpuopt_quantile_method = 3;
/// The nearer one of the two.
pub const GPUOPT_QUANTILE_NEAREST: gpuopt_quantile_method = 4;
/// `inverted_cdf` of NumPy.
pub const GPUOPT_QUANTILE_INVERTED_CDF: gpuopt_quantile_method = 5;
/// `averaged_inverted_cdf` of NumPy.
pub const GPUOPT_QUANTILE_AVERAGED_INVERTED_CDF: gpuopt_quantile_method = 6;
/// `closest_observation` of NumPy.
pub const GPUOPT_QUANTILE_CLOSEST_OBSERVATION: gpuopt_quantile_method = 7;
/// `interpolated_inverted_cdf` of NumPy.
pub const GPUOPT_QUANTILE_INTERPOLATED_INVERTED_CDF: gpuopt_quantile_method = 8;
/// `hazen` of NumPy.
pub const GPUOPT_QUANTILE_HAZEN: gpuopt_quantile_method = 9;
/// `weibull` of NumPy.
pub const GPUOPT_QUANTILE_WEIBULL: gpuopt_quantile_method = 10;
/// `median_unbiased` of NumPy.
pub const GPUOPT_QUANTILE_MEDIAN_UNBIASED: gpuopt_quantile_method = 11;
/// `normal_unbiased` of NumPy.
pub const GPUOPT_QUANTILE_NORMAL_UNBIASED: gpuopt_quantile_method = 12;
/// `x[start]`, for [`gpuopt_index::kind`].
pub const GPUOPT_INDEX_INTEGER: i32 = 0;
/// `x[start:stop:step]`.
pub const GPUOPT_INDEX_SLICE: i32 = 1;
/// `x[None]`.
pub const GPUOPT_INDEX_NEWAXIS: i32 = 2;
/// `x[...]`.
pub const GPUOPT_INDEX_ELLIPSIS: i32 = 3;
/// The next array, for `gpuopt_get` and `gpuopt_set`.
pub const GPUOPT_INDEX_ARRAY: i32 = 4;
/// A flag of `gpuopt_raw_launch_options`: arguments are taken as the parameters have them, whatever their dtypes.
pub const GPUOPT_RAW_REINTERPRET: u32 = 1;
/// The same for one argument, in [`gpuopt_raw_launch_options::dtypes`].
pub const GPUOPT_RAW_ANY: gpuopt_dtype = -1;

/// An address mode of `gpuopt_texture_options`: coordinates outside of an axis begin again.
pub const GPUOPT_ADDRESS_WRAP: i32 = 0;
/// The texels at the ends.
pub const GPUOPT_ADDRESS_CLAMP: i32 = 1;
/// Coordinates outside go back.
pub const GPUOPT_ADDRESS_MIRROR: i32 = 2;
/// 0.
pub const GPUOPT_ADDRESS_BORDER: i32 = 3;

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident $(, $handle:ident)?;)*) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            _opaque: [u8; 0],
            _not_send: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
        }
        $(
            #[doc = concat!("A handle: a counted reference to a [`", stringify!($name), "`].")]
            pub type $handle = *mut $name;
        )?
    )*};
}
opaque! {
    /// A device; opaque.
    gpuopt_device_s, gpuopt_device;
    /// An ordered queue of a device; opaque.
    gpuopt_stream_s, gpuopt_stream;
    /// A marker in a stream; opaque.
    gpuopt_event_s, gpuopt_event;
    /// An array; opaque.
    gpuopt_array_s, gpuopt_array;
    /// An archive of arrays that is being read; opaque.
    gpuopt_npz_s, gpuopt_npz;
    /// NumPy's RandomState; opaque.
    gpuopt_random_state_s, gpuopt_random_state;
    /// The default generator of random numbers; opaque.
    gpuopt_generator_s, gpuopt_generator;
    /// A group of processes; opaque.
    gpuopt_comm_s, gpuopt_comm;
    /// An array that is cut over a group; opaque.
    gpuopt_shard_s, gpuopt_shard;
    /// A user kernel; opaque.
    gpuopt_kernel_s, gpuopt_kernel;
    /// A native function; opaque.
    gpuopt_cfunc_s, gpuopt_cfunc;
    /// A texture or surface object; opaque.
    gpuopt_texture_s, gpuopt_texture;
    /// A tensor of DLPack 1; see dlpack.h.
    DLManagedTensorVersioned;
    /// A tensor of DLPack before 1; see dlpack.h.
    DLManagedTensor;
}

/// Called once when memory given to `gpuopt_from_host` is no longer used, from any thread.
pub type gpuopt_release = Option<unsafe extern "C" fn(context: *mut c_void)>;
/// Receives log records; see `gpuopt_log_set_callback`.
pub type gpuopt_log_callback = Option<unsafe extern "C" fn(record: *const gpuopt_log_record, user: *mut c_void)>;

/// An error, owned by the caller: set `struct_size` ([`gpuopt_error::new`] does) and pass its address.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gpuopt_error {
    /// The size of this struct.
    pub struct_size: u32,
    /// The status that was returned.
    pub code: i32,
    /// A `gpuopt_reason`; `GPUOPT_REASON_NONE` unless a backend was unusable.
    pub reason: i32,
    /// The vendor's own error number, 0 if none.
    pub backend_code: i32,
    /// UTF-8, ends with NUL.
    pub message: [c_char; 512],
}
impl gpuopt_error {
    /// No error, ready to be passed to a call.
    pub fn new() -> gpuopt_error {
        gpuopt_error { struct_size: size_of::<gpuopt_error>(), code: 0, reason: 0, backend_code: 0, message: [0; 512] }
    }
}
impl Default for gpuopt_error {
    fn default() -> gpuopt_error {
        gpuopt_error::new()
    }
}

/// The size of an option struct as its first member wants it.
const fn size_of<T>() -> u32 {
    core::mem::size_of::<T>() as u32
}

/// The value of a [`gpuopt_scalar`]; its `kind` says which member holds it.
#[repr(C)]
#[derive(Clone, Copy)]
pub union gpuopt_scalar_value {
    /// Of `'?'` and `'i'`.
    pub i: i64,
    /// Of `'u'`.
    pub u: u64,
    /// Of `'f'`, and the real component of `'c'`.
    pub f: f64,
}
/// One number. As an operand it takes the dtype of the arrays beside it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gpuopt_scalar {
    /// `'?'`, `'i'`, `'u'`, `'f'` or `'c'`.
    pub kind: i32,
    /// 0.
    pub reserved: i32,
    /// The number.
    pub value: gpuopt_scalar_value,
    /// The imaginary component of `'c'`.
    pub imag: f64,
}

macro_rules! sized {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct $name {
            /// The size of this struct.
            pub struct_size: u32,
            $($(#[$field_doc])* pub $field: $type,)*
        }
        impl $name {
            /// All members 0, `struct_size` set: the defaults.
            pub fn new() -> $name {
                // SAFETY: every member is a number, an array of numbers or a pointer, for which zeros are a value.
                let zero: $name = unsafe { core::mem::zeroed() };
                $name { struct_size: size_of::<$name>(), ..zero }
            }
        }
        impl Default for $name {
            fn default() -> $name {
                $name::new()
            }
        }
    )*};
}
sized! {
    /// Device memory held through an allocator, in bytes.
    gpuopt_memory_stats {
        /// 0.
        reserved: u32,
        /// Held by arrays.
        in_use: u64,
        /// Kept by the allocator for reuse.
        cached: u64,
        /// The highest `in_use` since the device was opened.
        peak_in_use: u64,
        /// `in_use + cached` never exceeds it; 0: none.
        limit: u64,
        /// Requests served.
        allocations: u64,
        /// Requests served from the cache.
        cache_hits: u64,
    }
    /// One event of the log. Strings are valid during the callback only; those that do not apply are "".
    gpuopt_log_record {
        /// 1 error, 2 warn, 3 info, 4 debug.
        level: i32,
        /// A `gpuopt_reason`.
        reason: i32,
        /// 0.
        reserved: i32,
        /// A stable dotted name: "backend.fallback".
        event: *const c_char,
        /// As asked for.
        requested: *const c_char,
        /// What was taken instead.
        used: *const c_char,
        /// The path of the plugin file.
        plugin: *const c_char,
        /// What happened.
        detail: *const c_char,
        /// What to do about it.
        hint: *const c_char,
        /// The whole line as it would go to stderr.
        line: *const c_char,
    }
    /// Options of `gpuopt_device_open`.
    gpuopt_device_options {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// Absolute plugin files or directories, searched first.
        plugin_path: *const *const c_char,
        /// How many there are.
        plugin_path_count: i32,
        /// 0.
        reserved: i32,
    }
    /// What `gpuopt_device_get_info` says.
    gpuopt_device_info {
        /// The number of the device in its backend.
        index: i32,
        /// The processor's own name.
        name: [c_char; 128],
        /// Instruction set, compute capability, libraries.
        detail: [c_char; 128],
        /// The path of the plugin file.
        plugin: [c_char; 512],
        /// The version of the plugin.
        plugin_version: [c_char; 32],
        /// Its memory, in bytes.
        memory_bytes: u64,
        /// Its processors.
        processors: i32,
        /// 1: what `gpuopt_array_data` gives may be read and written by the host.
        host_memory: i32,
    }
    /// Counters of the recorder since the device was opened.
    gpuopt_engine_stats {
        /// 0.
        reserved: u32,
        /// Operations recorded.
        operations: u64,
        /// Programs submitted to the backend.
        programs: u64,
        /// Steps in those programs.
        steps: u64,
        /// Operations recorded and not yet run.
        pending: u64,
    }
    /// What a process has sent and received in its job since it joined, on all groups.
    gpuopt_comm_traffic {
        /// 0.
        reserved: u32,
        /// Exchanges of messages, each of which waits for its peers.
        rounds: u64,
        /// Messages sent.
        messages_sent: u64,
        /// Messages received.
        messages_received: u64,
        /// Bytes sent.
        bytes_sent: u64,
        /// Bytes received.
        bytes_received: u64,
    }
    /// As NumPy prints; 0 in a member means NumPy's default.
    gpuopt_print_options {
        /// Digits behind the point.
        precision: i32,
        /// Arrays of more elements are summarized.
        threshold: i32,
        /// Elements at the ends of a summarized axis.
        edgeitems: i32,
        /// Characters of a line.
        linewidth: i32,
        /// 0: as str(), 1: as repr(), 2: repr with the device's name.
        repr: i32,
    }
    /// Options of reductions.
    gpuopt_reduce_options {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// `naxes` of them, negative from the end; null: all axes.
        axes: *const i64,
        /// How many there are.
        naxes: i32,
        /// 1: reduced axes stay, with size 1.
        keepdims: i32,
        /// Of the accumulation and result; 0: the table's.
        dtype: i32,
        /// 0.
        reserved: i32,
        /// var, std: the divisor is n - correction.
        correction: f64,
        /// Bool: which elements count; null: all.
        r#where: gpuopt_array,
        /// Combined with the elements; null: nothing.
        initial: *const gpuopt_scalar,
        /// Where the result goes; null: a new array.
        out: gpuopt_array,
    }
    /// Options of `gpuopt_apply_with`.
    gpuopt_apply_options {
        /// `GPUOPT_APPLY_STANDARD`, or 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// Where the result goes; null: a new array.
        out: gpuopt_array,
        /// Bool: which elements are written; null: all.
        r#where: gpuopt_array,
        /// A `GPUOPT_CASTING_*`.
        casting: gpuopt_casting,
        /// That inputs are cast to first; 0: none.
        dtype: i32,
    }
    /// Options of `gpuopt_matmul_with`.
    gpuopt_product_options {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// A `GPUOPT_PRODUCT_*`.
        mode: gpuopt_product_mode,
        /// 0.
        reserved: i32,
    }
    /// Options of `gpuopt_comm_init`.
    gpuopt_comm_options {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// Where arrays are made that come from other ranks alone; null: the CPU.
        device: gpuopt_device,
        /// The address of an `MPI_Comm`; null: all of MPI.
        native: *const c_void,
        /// Seconds without any progress after which a call gives up; 0: as `GPUOPT_COMM_TIMEOUT` says.
        timeout: f64,
    }
    /// Options of `gpuopt_cov`.
    gpuopt_cov_options {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// How often each observation is there; null: once.
        fweights: gpuopt_array,
        /// The weight of each observation; null: 1.
        aweights: gpuopt_array,
        /// 1: the variables are columns, not rows.
        columns: i32,
        /// 0.
        reserved: i32,
        /// The divisor is n - 1 + bias.
        bias: f64,
    }
    /// Options of `gpuopt_loadtxt`.
    gpuopt_loadtxt_options {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// Between two columns; null: white space.
        delimiter: *const c_char,
        /// What begins a comment; null: "#".
        comments: *const c_char,
        /// The character around columns; null: none.
        quote: *const c_char,
        /// What stands for a missing value; null: an empty column alone.
        missing: *const c_char,
        /// The columns to read; null: all.
        usecols: *const i64,
        /// How many lines are left out.
        skiprows: i64,
        /// How many rows are read at most.
        max_rows: i64,
        /// How many columns are named.
        nusecols: i32,
        /// 1: `max_rows` counts.
        has_max_rows: i32,
        /// How many dimensions the result has at least.
        ndmin: i32,
        /// Of the result; 0: float64.
        dtype: gpuopt_dtype,
        /// 1: `filling` counts.
        has_filling: i32,
        /// 0.
        reserved: i32,
        /// For missing values.
        filling: gpuopt_scalar,
    }
    /// Options of `gpuopt_savetxt`.
    gpuopt_savetxt_options {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// How numbers are written; null: in the shortest way.
        fmt: *const c_char,
        /// Between columns; null: a space.
        delimiter: *const c_char,
        /// Behind each row; null: a line feed.
        newline: *const c_char,
        /// In front of the rows; null: none.
        header: *const c_char,
        /// Behind the rows; null: none.
        footer: *const c_char,
        /// In front of each line of these; null: "# ".
        comments: *const c_char,
    }
    /// The state of a random state: what `RandomState.get_state()` shows.
    gpuopt_mt19937_words {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// The words of the block that is drawn from.
        key: [u32; 624],
        /// The next word of the key.
        position: i32,
        /// 1: `gauss` is the next standard normal number.
        has_gauss: i32,
        /// That number.
        gauss: f64,
    }
    /// The state of a generator of PCG64; 128-bit numbers with their low half first.
    gpuopt_pcg64_words {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// The state.
        state: [u64; 2],
        /// The increment, an odd number.
        increment: [u64; 2],
        /// 1: `uinteger` is the unused half of the last word.
        has_uint32: i32,
        /// That half.
        uinteger: u32,
    }
    /// The limits of a floating-point dtype.
    gpuopt_float_limits {
        /// Of a number.
        bits: i32,
        /// Of the fraction, without the leading bit.
        mantissa_bits: i32,
        /// Of the exponent.
        exponent_bits: i32,
        /// Decimal digits that are kept.
        precision: i32,
        /// The least power of two that is too large.
        max_exponent: i32,
        /// The exponent of the smallest normal number.
        min_exponent: i32,
        /// Of the numbers: that of the components if complex.
        dtype: i32,
        /// The distance of 1 to the next number above.
        eps: f64,
        /// The distance of 1 to the next number below.
        epsneg: f64,
        /// The greatest finite number.
        max: f64,
        /// The least finite number.
        min: f64,
        /// The least positive normal number.
        smallest_normal: f64,
        /// The least positive number.
        smallest_subnormal: f64,
        /// 10 to the power -precision.
        resolution: f64,
    }
    /// The limits of an integer dtype.
    gpuopt_integer_limits {
        /// Of a number.
        bits: i32,
        /// The least number.
        min: i64,
        /// The greatest number.
        max: u64,
    }
    /// Options of `gpuopt_elementwise_kernel` and `gpuopt_reduction_kernel`; a null text is "".
    gpuopt_kernel_options {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// Declarations in front of the kernel.
        preamble: *const c_char,
        /// Statements of each thread before its loop.
        loop_prep: *const c_char,
        /// And after it.
        after_loop: *const c_char,
        /// Of reductions: the type of partial results; that of the first output.
        reduce_type: *const c_char,
    }
    /// Options of `gpuopt_kernel_call`.
    gpuopt_kernel_call_options {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// For a call without arrays; null: that of the arrays.
        device: gpuopt_device,
        /// The loop's length, if `has_size`.
        size: i64,
        /// 1: `size` is given, for kernels whose arrays are all raw.
        has_size: i32,
        /// Threads per block on a GPU, a multiple of 32 up to 1024; 0: 128.
        block_size: i32,
        /// Of reductions: `naxes` axes, negative from the end; null: all axes.
        axes: *const i64,
        /// How many there are.
        naxes: i32,
        /// 1: reduced axes stay, with size 1.
        keepdims: i32,
    }
    /// Options of `gpuopt_raw_kernel_launch`.
    gpuopt_raw_launch_options {
        /// 0 or `GPUOPT_RAW_REINTERPRET`.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// Null: that of the first array.
        stream: gpuopt_stream,
        /// Where no argument is an array: this device's default stream.
        device: gpuopt_device,
        /// What each argument is: 0, a dtype or `GPUOPT_RAW_ANY`; null: all are 0.
        dtypes: *const gpuopt_dtype,
    }
    /// Options of `gpuopt_texture_create`.
    gpuopt_texture_options {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// 2 or 4: numbers of a texel, along the last axis; 0 or 1: one.
        channels: i32,
        /// 1: the first axis is that of layers.
        layered: i32,
        /// 1: a surface object.
        surface: i32,
        /// A `GPUOPT_ADDRESS_*`, along the last axis of texels.
        address_x: i32,
        /// Along the one before it.
        address_y: i32,
        /// Along the first of three.
        address_z: i32,
        /// 1: values between texels.
        linear: i32,
        /// 1: an axis goes from 0 to 1.
        normalized_coordinates: i32,
        /// 1: integers of 8 and 16 bits are read as float.
        normalized_float: i32,
        /// 0.
        reserved: i32,
    }
    /// Options of `gpuopt_stencil`.
    gpuopt_stencil_options {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// A `GPUOPT_STENCIL_*`.
        mode: i32,
        /// Dimensions of the neighborhood.
        ndim: i32,
        /// The least and the greatest offset along each; null: those of the text.
        neighborhood: *const i64,
        /// What the edges become; kind 0: zero.
        cval: gpuopt_scalar,
        /// Declarations in front of the body.
        preamble: *const c_char,
    }
    /// What `gpuopt_raw_kernel_attributes` says; -1 where the backend cannot tell.
    gpuopt_kernel_attributes {
        /// 0.
        flags: u32,
        /// Null.
        next: *const c_void,
        /// The largest block.
        max_threads_per_block: i32,
        /// Registers of a thread; -1 on the CPU.
        registers: i32,
        /// Bytes of static shared memory.
        shared_bytes: i64,
        /// Bytes of memory of a thread's own.
        local_bytes: i64,
    }
}

/// An argument of `gpuopt_raw_kernel_launch`: the address of an array's first element, or so many bytes, as a number's.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gpuopt_raw_argument {
    /// Null: a value.
    pub array: gpuopt_array,
    /// Where it lies.
    pub value: *const c_void,
    /// How long it is.
    pub bytes: u64,
}

/// One item of a basic index.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gpuopt_index {
    /// A `GPUOPT_INDEX_*`.
    pub kind: i32,
    /// 0.
    pub reserved: i32,
    /// The position, or the first one of a slice.
    pub start: i64,
    /// The end of a slice, not included.
    pub stop: i64,
    /// The step of a slice.
    pub step: i64,
}

fn scalar(kind: u8, value: gpuopt_scalar_value, imag: f64) -> gpuopt_scalar {
    gpuopt_scalar { kind: i32::from(kind), reserved: 0, value, imag }
}
/// A bool by value, as of `gpuopt_scalar_bool` in C.
pub fn gpuopt_scalar_bool(value: c_int) -> gpuopt_scalar {
    scalar(b'?', gpuopt_scalar_value { i: i64::from(value != 0) }, 0.0)
}
/// A signed integer by value.
pub fn gpuopt_scalar_int(value: i64) -> gpuopt_scalar {
    scalar(b'i', gpuopt_scalar_value { i: value }, 0.0)
}
/// An unsigned integer by value.
pub fn gpuopt_scalar_uint(value: u64) -> gpuopt_scalar {
    scalar(b'u', gpuopt_scalar_value { u: value }, 0.0)
}
/// A real number by value.
pub fn gpuopt_scalar_real(value: f64) -> gpuopt_scalar {
    scalar(b'f', gpuopt_scalar_value { f: value }, 0.0)
}
/// A complex number by value.
pub fn gpuopt_scalar_complex(re: f64, im: f64) -> gpuopt_scalar {
    scalar(b'c', gpuopt_scalar_value { f: re }, im)
}
