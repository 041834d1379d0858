// bindings/rust/gpuopt/src/stream.rs -- streams and events: the order of work on a device.
use crate::error::check;
use crate::{Code, Device, Error, Result};
use gpuopt_sys as sys;
use std::ptr::NonNull;

fn missing(what: &str) -> Error {
    Error::new(Code::INTERNAL, format!("the library gave no {what} out"))
}

/// An ordered queue of a device. A new array is bound to its device's default stream, results to that of their first
/// operand; [`crate::Array::on_stream`] binds one to another. A counted reference.
#[derive(Debug)]
pub struct Stream(NonNull<sys::gpuopt_stream_s>);

// SAFETY: the ABI lets any thread call. Every array of a device is bound to a stream, and threads that use distinct
// arrays, as they may, use the same stream, which the library locks.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    pub(crate) fn raw(&self) -> sys::gpuopt_stream {
        self.0.as_ptr()
    }
    /// Whether all work submitted so far is done; what is recorded is submitted first. Does not wait.
    pub fn done(&self) -> Result<bool> {
        let mut done = 0;
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe { sys::gpuopt_stream_query(self.raw(), &mut done, e) })?;
        Ok(done != 0)
    }
    /// The backend's own handle, a `CUstream` of CUDA; null of the CPU. It lives as long as the stream.
    pub fn native(&self) -> Result<*mut std::ffi::c_void> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe { sys::gpuopt_stream_native(self.raw(), &mut handle, e) })?;
        Ok(handle)
    }
    /// Waits until the stream is idle.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the handle is valid.
        check(|e| unsafe { sys::gpuopt_stream_synchronize(self.raw(), e) })
    }
    /// Later work of this stream waits for `event`.
    pub fn wait(&self, event: &Event) -> Result<()> {
        // SAFETY: both handles are valid.
        check(|e| unsafe { sys::gpuopt_stream_wait(self.raw(), event.0.as_ptr(), e) })
    }
    /// A marker after all work submitted so far; what is recorded is submitted first.
    pub fn record(&self) -> Result<Event> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe { sys::gpuopt_event_record(self.raw(), &mut raw, e) })?;
        NonNull::new(raw).map(Event).ok_or_else(|| missing("event"))
    }
}
impl Clone for Stream {
    fn clone(&self) -> Stream {
        // SAFETY: the handle is valid; retaining gives the same one, with a reference more.
        unsafe { sys::gpuopt_stream_retain(self.raw()) };
        Stream(self.0)
    }
}
impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: this reference is ours and goes once.
        unsafe { sys::gpuopt_stream_release(self.raw()) }
    }
}

/// A marker in a stream.
#[derive(Debug)]
pub struct Event(NonNull<sys::gpuopt_event_s>);

// SAFETY: nothing depends on which thread calls. Not `Sync`: the ABI lets distinct handles be used at once, not one.
unsafe impl Send for Event {}

impl Event {
    /// Whether the work before it is done. Does not wait.
    pub fn done(&self) -> Result<bool> {
        let mut done = 0;
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe { sys::gpuopt_event_query(self.0.as_ptr(), &mut done, e) })?;
        Ok(done != 0)
    }
    /// Waits for it.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the handle is valid.
        check(|e| unsafe { sys::gpuopt_event_synchronize(self.0.as_ptr(), e) })
    }
    /// Milliseconds from this event to a later one of the same device; both must be complete.
    pub fn elapsed(&self, end: &Event) -> Result<f64> {
        let mut milliseconds = 0.0;
        // SAFETY: both handles are valid, and the pointers for the call.
        check(|e| unsafe { sys::gpuopt_event_elapsed(self.0.as_ptr(), end.0.as_ptr(), &mut milliseconds, e) })?;
        Ok(milliseconds)
    }
}
impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: this reference is ours and goes once.
        unsafe { sys::gpuopt_event_release(self.0.as_ptr()) }
    }
}

impl Device {
    /// A new stream.
    pub fn stream(&self) -> Result<Stream> {
        self.stream_by(sys::gpuopt_stream_create)
    }
    /// The one new arrays are bound to.
    pub fn default_stream(&self) -> Result<Stream> {
        self.stream_by(sys::gpuopt_stream_default)
    }
    fn stream_by(
        &self,
        function: unsafe extern "C" fn(
            sys::gpuopt_device,
            *mut sys::gpuopt_stream,
            *mut sys::gpuopt_error,
        ) -> sys::gpuopt_status,
    ) -> Result<Stream> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe { function(self.raw(), &mut raw, e) })?;
        NonNull::new(raw).map(Stream).ok_or_else(|| missing("stream"))
    }
}
