// bindings/rust/gpuopt-sys/src/options.rs -- the numbers of gpuopt_apply.h and of the queries of gpuopt_queries.h.

/// Which casts are allowed: a `GPUOPT_CASTING_*`.
pub type gpuopt_casting = i32;
/// As `GPUOPT_CASTING_SAME_KIND`.
pub const GPUOPT_CASTING_DEFAULT: gpuopt_casting = 0;
/// None.
pub const GPUOPT_CASTING_NO: gpuopt_casting = 1;
/// Those that lose no value.
pub const GPUOPT_CASTING_SAFE: gpuopt_casting = 2;
/// These, and those within a kind.
pub const GPUOPT_CASTING_SAME_KIND: gpuopt_casting = 3;
/// All.
pub const GPUOPT_CASTING_UNSAFE: gpuopt_casting = 4;
/// Special cases are those of the array API standard.
pub const GPUOPT_APPLY_STANDARD: u32 = 1;
/// What is asked about a device: a `GPUOPT_ATTRIBUTE_*`.
pub type gpuopt_attribute = i32;
/// Bytes of memory.
pub const GPUOPT_ATTRIBUTE_MEMORY_TOTAL: gpuopt_attribute = 1;
/// Bytes of memory that are free.
pub const GPUOPT_ATTRIBUTE_MEMORY_FREE: gpuopt_attribute = 2;
/// Cores or streaming multiprocessors.
pub const GPUOPT_ATTRIBUTE_PROCESSORS: gpuopt_attribute = 3;
/// 10 * major + minor.
pub const GPUOPT_ATTRIBUTE_COMPUTE_CAPABILITY: gpuopt_attribute = 16;
/// Threads of a warp.
pub const GPUOPT_ATTRIBUTE_WARP_SIZE: gpuopt_attribute = 17;
/// The most threads of a block.
pub const GPUOPT_ATTRIBUTE_MAX_THREADS_PER_BLOCK: gpuopt_attribute = 18;
/// The most threads at once on a multiprocessor.
pub const GPUOPT_ATTRIBUTE_MAX_THREADS_PER_PROCESSOR: gpuopt_attribute = 19;
/// Shared memory of a block.
pub const GPUOPT_ATTRIBUTE_SHARED_BYTES_PER_BLOCK: gpuopt_attribute = 20;
/// Shared memory of a multiprocessor.
pub const GPUOPT_ATTRIBUTE_SHARED_BYTES_PER_PROCESSOR: gpuopt_attribute = 21;
/// Registers of a block.
pub const GPUOPT_ATTRIBUTE_REGISTERS_PER_BLOCK: gpuopt_attribute = 22;
/// Bytes of the L2 cache.
pub const GPUOPT_ATTRIBUTE_L2_CACHE_BYTES: gpuopt_attribute = 23;
/// kHz.
pub const GPUOPT_ATTRIBUTE_CLOCK: gpuopt_attribute = 24;
/// kHz.
pub const GPUOPT_ATTRIBUTE_MEMORY_CLOCK: gpuopt_attribute = 25;
/// The width of the memory bus.
pub const GPUOPT_ATTRIBUTE_MEMORY_BUS_BITS: gpuopt_attribute = 26;
/// The number of the PCI bus.
pub const GPUOPT_ATTRIBUTE_PCI_BUS: gpuopt_attribute = 27;
/// The number on the PCI bus.
pub const GPUOPT_ATTRIBUTE_PCI_DEVICE: gpuopt_attribute = 28;
/// 1000 * major + 10 * minor of the driver's interface.
pub const GPUOPT_ATTRIBUTE_DRIVER_VERSION: gpuopt_attribute = 29;
/// 1 if the host may read and write the memory at its addresses while no work uses it, else 0.
pub const GPUOPT_ATTRIBUTE_HOST_ACCESS: gpuopt_attribute = 30;
/// How often compiled code of a program was kept because it was as fast as the interpreter.
pub const GPUOPT_ATTRIBUTE_COMPILED_KEPT: gpuopt_attribute = 32;
/// How often the interpreter was kept because it was faster.
pub const GPUOPT_ATTRIBUTE_INTERPRETER_KEPT: gpuopt_attribute = 33;
