// bindings/rust/gpuopt/src/device.rs -- devices: opening, facts, memory.
use crate::error::{c_path, c_string, check, count, text};
use crate::{Code, Error, Reason, Result};
use gpuopt_sys as sys;
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

/// A device, the library's array module: it creates arrays. A counted reference; the same backend and number give the
/// same device for the life of the process.
pub struct Device(NonNull<sys::gpuopt_device_s>);

// SAFETY: the ABI lets any thread call; whoever opens a device by the same name gets the same one, so that threads
// share it anyway, and the library locks what it must.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    /// Opens a device by name: `"cuda"` (the CPU and one warning where it cannot work), `"cuda:1"`, `"cuda,cpu"` (the
    /// first that works), `"cuda!"` (that one or [`Code::UNAVAILABLE`] with the reason), `"auto"` (the best, quietly),
    /// `"cpu"`.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let xp = gpuopt::Device::open("cpu")?;
    /// assert_eq!(xp.name(), "cpu:0");
    /// # Ok(()) }
    /// ```
    pub fn open(request: &str) -> Result<Device> {
        OpenOptions::new().open(request)
    }
    /// Opens what the variable `GPUOPT_BACKEND` asks for, else `ARRAY_MODULE`, else the CPU.
    pub fn from_environment() -> Result<Device> {
        OpenOptions::new().open(None)
    }
    /// Takes a reference over.
    ///
    /// # Safety
    /// `raw` is a valid handle with a reference that is given away.
    pub(crate) unsafe fn adopt(raw: sys::gpuopt_device) -> Device {
        // SAFETY: the caller's promise.
        Device(unsafe { NonNull::new_unchecked(raw) })
    }
    pub(crate) fn raw(&self) -> sys::gpuopt_device {
        self.0.as_ptr()
    }
    /// `"cpu:0"`.
    pub fn name(&self) -> &str {
        // SAFETY: the string lives as long as the device.
        unsafe { CStr::from_ptr(sys::gpuopt_device_name(self.raw())) }.to_str().unwrap_or("")
    }
    /// `"cpu"`.
    pub fn backend(&self) -> &str {
        // SAFETY: the string lives as long as the device.
        unsafe { CStr::from_ptr(sys::gpuopt_device_backend(self.raw())) }.to_str().unwrap_or("")
    }
    /// What the device is.
    pub fn info(&self) -> Result<DeviceInfo> {
        let mut raw = sys::gpuopt_device_info::new();
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe { sys::gpuopt_device_get_info(self.raw(), &mut raw, e) })?;
        Ok(DeviceInfo {
            index: raw.index,
            name: text(&raw.name),
            detail: text(&raw.detail),
            plugin: text(&raw.plugin),
            plugin_version: text(&raw.plugin_version),
            memory_bytes: raw.memory_bytes,
            processors: raw.processors,
            host_memory: raw.host_memory != 0,
        })
    }
    /// A fact as a number; one that the backend does not know is [`Code::UNSUPPORTED`].
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// use gpuopt::{Attribute, Device};
    /// assert!(Device::open("cpu")?.attribute(Attribute::Processors)? > 0);
    /// # Ok(()) }
    /// ```
    pub fn attribute(&self, attribute: Attribute) -> Result<i64> {
        let mut value = 0;
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe { sys::gpuopt_device_get_attribute(self.raw(), attribute as i32, &mut value, e) })?;
        Ok(value)
    }
    /// Runs what is recorded and waits until all streams are idle.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the handle is valid.
        check(|e| unsafe { sys::gpuopt_device_synchronize(self.raw(), e) })
    }
    /// What the memory pool holds.
    pub fn memory_stats(&self) -> Result<MemoryStats> {
        let mut raw = sys::gpuopt_memory_stats::new();
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe { sys::gpuopt_memory_get_stats(self.raw(), &mut raw, e) })?;
        Ok(MemoryStats {
            in_use: raw.in_use,
            cached: raw.cached,
            peak_in_use: raw.peak_in_use,
            limit: raw.limit,
            allocations: raw.allocations,
            cache_hits: raw.cache_hits,
        })
    }
    /// Bounds the memory pool; 0 bytes: no bound.
    pub fn set_memory_limit(&self, bytes: u64) -> Result<()> {
        // SAFETY: the handle is valid.
        check(|e| unsafe { sys::gpuopt_memory_set_limit(self.raw(), bytes, e) })
    }
    /// Gives cached blocks back.
    pub fn trim_memory(&self) -> Result<()> {
        // SAFETY: the handle is valid.
        check(|e| unsafe { sys::gpuopt_memory_trim(self.raw(), e) })
    }
    /// Counters of the recorder.
    pub fn engine_stats(&self) -> Result<EngineStats> {
        let mut raw = sys::gpuopt_engine_stats::new();
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe { sys::gpuopt_engine_get_stats(self.raw(), &mut raw, e) })?;
        Ok(EngineStats { operations: raw.operations, programs: raw.programs, steps: raw.steps, pending: raw.pending })
    }
}
impl Clone for Device {
    fn clone(&self) -> Device {
        // SAFETY: the handle is valid; retaining gives it back with a reference more.
        unsafe { Device::adopt(sys::gpuopt_device_retain(self.raw())) }
    }
}
impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: this reference is ours and goes once.
        unsafe { sys::gpuopt_device_release(self.raw()) }
    }
}
impl PartialEq for Device {
    /// Whether both are the same device.
    fn eq(&self, other: &Device) -> bool {
        self.0 == other.0
    }
}
impl Eq for Device {}
impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.name())
    }
}

/// What [`Device::attribute`] is asked. Sizes are in bytes, clocks in kHz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[non_exhaustive]
pub enum Attribute {
    /// The memory of the device.
    MemoryTotal = sys::GPUOPT_ATTRIBUTE_MEMORY_TOTAL,
    /// What is free of it now.
    MemoryFree = sys::GPUOPT_ATTRIBUTE_MEMORY_FREE,
    /// Cores or streaming multiprocessors.
    Processors = sys::GPUOPT_ATTRIBUTE_PROCESSORS,
    /// 10 * major + minor: 90.
    ComputeCapability = sys::GPUOPT_ATTRIBUTE_COMPUTE_CAPABILITY,
    /// Threads of a warp.
    WarpSize = sys::GPUOPT_ATTRIBUTE_WARP_SIZE,
    /// The most threads of a block.
    MaxThreadsPerBlock = sys::GPUOPT_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    /// The most threads at once on a multiprocessor.
    MaxThreadsPerProcessor = sys::GPUOPT_ATTRIBUTE_MAX_THREADS_PER_PROCESSOR,
    /// Shared memory of a block.
    SharedBytesPerBlock = sys::GPUOPT_ATTRIBUTE_SHARED_BYTES_PER_BLOCK,
    /// Shared memory of a multiprocessor.
    SharedBytesPerProcessor = sys::GPUOPT_ATTRIBUTE_SHARED_BYTES_PER_PROCESSOR,
    /// Registers of a block.
    RegistersPerBlock = sys::GPUOPT_ATTRIBUTE_REGISTERS_PER_BLOCK,
    /// The L2 cache.
    L2CacheBytes = sys::GPUOPT_ATTRIBUTE_L2_CACHE_BYTES,
    /// The clock of the processors.
    Clock = sys::GPUOPT_ATTRIBUTE_CLOCK,
    /// The clock of the memory.
    MemoryClock = sys::GPUOPT_ATTRIBUTE_MEMORY_CLOCK,
    /// The width of the memory bus.
    MemoryBusBits = sys::GPUOPT_ATTRIBUTE_MEMORY_BUS_BITS,
    /// The number of the PCI bus.
    PciBus = sys::GPUOPT_ATTRIBUTE_PCI_BUS,
    /// The number on the PCI bus.
    PciDevice = sys::GPUOPT_ATTRIBUTE_PCI_DEVICE,
    /// Of the driver's interface, 1000 * major + 10 * minor: 13000.
    DriverVersion = sys::GPUOPT_ATTRIBUTE_DRIVER_VERSION,
    /// 1 if the host may read and write the memory at the device's addresses while no work uses it, else 0.
    HostAccess = sys::GPUOPT_ATTRIBUTE_HOST_ACCESS,
    /// How often the code of a program that was compiled was as fast as the CPU's interpreter, and kept.
    CompiledKept = sys::GPUOPT_ATTRIBUTE_COMPILED_KEPT,
    /// How often the interpreter was faster than that, and kept.
    InterpreterKept = sys::GPUOPT_ATTRIBUTE_INTERPRETER_KEPT,
}

/// How a device is opened; [`Device::open`] does it with the defaults.
///
/// ```
/// use gpuopt::{OpenOptions, Reason};
/// # fn main() -> gpuopt::Result<()> {
/// let (xp, reason) = OpenOptions::new().plugin_path("/opt/my-plugins").open_report("cpu")?;
/// assert_eq!((xp.backend(), reason), ("cpu", Reason::NONE));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    plugin_path: Vec<PathBuf>,
}

impl OpenOptions {
    /// The defaults.
    pub fn new() -> OpenOptions {
        OpenOptions::default()
    }
    /// One more absolute plugin file, or directory of plugins, that is searched before the usual places.
    pub fn plugin_path(mut self, path: impl AsRef<Path>) -> OpenOptions {
        self.plugin_path.push(path.as_ref().into());
        self
    }
    /// Opens a device by name; `None`: by the environment.
    pub fn open<'a>(&self, request: impl Into<Option<&'a str>>) -> Result<Device> {
        self.open_report(request).map(|(device, _)| device)
    }
    /// The same, and whether it fell back, and why: [`Reason::NONE`] if this is what was asked for first.
    pub fn open_report<'a>(&self, request: impl Into<Option<&'a str>>) -> Result<(Device, Reason)> {
        let request = request.into().map(|r| c_string("the request", r)).transpose()?;
        let request = request.as_ref().map_or(std::ptr::null(), |r| r.as_ptr());
        self.with_raw(|options| {
            let (mut raw, mut reason) = (std::ptr::null_mut(), sys::GPUOPT_REASON_NONE);
            // SAFETY: the pointers are valid for the call; what it gives out is a reference.
            check(|e| unsafe { sys::gpuopt_device_open_report(request, options, &mut raw, &mut reason, e) })?;
            let missing = || Error::new(Code::INTERNAL, "the library gave no device out");
            Ok((Device(NonNull::new(raw).ok_or_else(missing)?), Reason(reason)))
        })
    }
    /// What was tried for each backend, where, and why it did or did not work: for people, or as JSON.
    pub fn discovery_report(&self, json: bool) -> Result<String> {
        self.with_raw(|options| {
            given_text(|r, e| unsafe { sys::gpuopt_discovery_report(options, i32::from(json), r, e) })
        })
    }
    fn with_raw<R>(&self, call: impl FnOnce(&sys::gpuopt_device_options) -> Result<R>) -> Result<R> {
        let paths = self.plugin_path.iter().map(|path| c_path(path)).collect::<Result<Vec<CString>>>()?;
        let pointers: Vec<*const c_char> = paths.iter().map(|path| path.as_ptr()).collect();
        call(&sys::gpuopt_device_options {
            plugin_path: if pointers.is_empty() { std::ptr::null() } else { pointers.as_ptr() },
            plugin_path_count: count(&pointers),
            ..sys::gpuopt_device_options::new()
        })
    }
}

/// The text a C call gives out.
pub(crate) fn given_text(
    call: impl FnOnce(*mut *mut c_char, *mut sys::gpuopt_error) -> sys::gpuopt_status,
) -> Result<String> {
    let mut raw = std::ptr::null_mut();
    check(|e| call(&mut raw, e))?;
    // SAFETY: the call succeeded: a string that is ours, freed once.
    unsafe {
        let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
        sys::gpuopt_string_free(raw);
        Ok(text)
    }
}

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its number in the backend.
    pub index: i32,
    /// The processor's own name.
    pub name: String,
    /// Instruction set, compute capability, libraries.
    pub detail: String,
    /// The path of the plugin file.
    pub plugin: String,
    /// The version of the plugin.
    pub plugin_version: String,
    /// Its memory.
    pub memory_bytes: u64,
    /// Its processors.
    pub processors: i32,
    /// Whether the host reads and writes elements as they lie, as [`crate::Array::as_slice`] needs it.
    pub host_memory: bool,
}

/// What a device's memory pool holds, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryStats {
    /// Held by arrays.
    pub in_use: u64,
    /// Kept for reuse.
    pub cached: u64,
    /// The highest `in_use`.
    pub peak_in_use: u64,
    /// The bound, 0 if none.
    pub limit: u64,
    /// Requests served.
    pub allocations: u64,
    /// Requests served from what was cached.
    pub cache_hits: u64,
}

/// Counters of a device's recorder since it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineStats {
    /// Operations recorded.
    pub operations: u64,
    /// Programs submitted to the backend.
    pub programs: u64,
    /// Steps in those programs.
    pub steps: u64,
    /// Operations recorded and not yet run.
    pub pending: u64,
}
