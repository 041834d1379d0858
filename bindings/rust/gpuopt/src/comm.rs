// bindings/rust/gpuopt/src/comm.rs -- groups of processes, and what they send each other and compute together.
use crate::device::given_text;
use crate::error::{c_string, check};
use crate::{Array, Code, Device, Error, Result};
use gpuopt_sys as sys;
use std::ffi::CStr;
use std::fmt;
use std::ptr::{null_mut, NonNull};

/// How the arrays of ranks are combined, element by element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankReduction {
    /// The sum; of bool as int64.
    #[default]
    Sum,
    /// The product; of bool as int64.
    Prod,
    /// The least, which NaN is.
    Min,
    /// The greatest, which NaN is.
    Max,
    /// Whether any is nonzero, as bool.
    Any,
    /// Whether all are nonzero, as bool.
    All,
}

impl RankReduction {
    fn to_raw(self) -> sys::gpuopt_reduction {
        match self {
            RankReduction::Sum => sys::GPUOPT_REDUCTION_sum,
            RankReduction::Prod => sys::GPUOPT_REDUCTION_prod,
            RankReduction::Min => sys::GPUOPT_REDUCTION_min,
            RankReduction::Max => sys::GPUOPT_REDUCTION_max,
            RankReduction::Any => sys::GPUOPT_REDUCTION_any,
            RankReduction::All => sys::GPUOPT_REDUCTION_all,
        }
    }
}

/// How a job is joined; the default asks the environment.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CommOptions {
    /// Where arrays are made that come from other ranks alone; the CPU without one.
    pub device: Option<Device>,
    /// Seconds without any progress after which a call gives up; `GPUOPT_COMM_TIMEOUT` without it.
    pub timeout: Option<f64>,
    /// Whether `all_reduce` leaves sums and products of floats to MPI or NCCL, whose bits depend on much; without it
    /// `GPUOPT_COMM_REDUCE` says.
    pub fast: Option<bool>,
}

impl CommOptions {
    pub(crate) fn to_raw(&self) -> sys::gpuopt_comm_options {
        sys::gpuopt_comm_options {
            flags: self.fast.map_or(0, |fast| if fast { sys::GPUOPT_COMM_FAST } else { sys::GPUOPT_COMM_EXACT }),
            device: self.device.as_ref().map_or(null_mut(), Device::raw),
            timeout: self.timeout.unwrap_or(0.0),
            ..sys::gpuopt_comm_options::new()
        }
    }
}

/// What a process has sent and received in its job since it joined, on all groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommTraffic {
    /// Exchanges of messages, each of which waits for its peers.
    pub rounds: u64,
    /// Messages sent.
    pub messages_sent: u64,
    /// Messages received.
    pub messages_received: u64,
    /// Bytes sent.
    pub bytes_sent: u64,
    /// Bytes received.
    pub bytes_received: u64,
}

/// A group of ranks, which are processes, or threads of one ([`Comm::run_devices`]). A counted reference.
///
/// Methods are collective, unless they say otherwise: every rank calls the same ones in the same order. They run at
/// once. On ranks on which a method has no result (a gather's, except on its root) it gives `None`.
///
/// A rank that ends, or does not answer in time, is [`Code::COMM`] on the others, and so are calls that do not fit
/// together; see gpuopt_comm.h.
pub struct Comm(NonNull<sys::gpuopt_comm_s>);

// SAFETY: the ABI lets any thread call, and calls on the groups of a job wait for each other.
unsafe impl Send for Comm {}
// SAFETY: as above.
unsafe impl Sync for Comm {}

impl Comm {
    /// All ranks of the job that this process belongs to. `request` is `"auto"`, `"mpi"`, `"ring"`, `"self"` or the
    /// name of another plugin; `None` is what `GPUOPT_COMM` says. A process that no launcher has started is alone.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let comm = gpuopt::Comm::new("self")?;
    /// let x = gpuopt::Device::open("cpu")?.array(&[1.0, 2.0], &[2])?;
    /// let y = comm.all_reduce(&x, gpuopt::RankReduction::Sum)?;
    /// assert_eq!((comm.rank(), comm.size(), y.to_vec::<f64>()?), (0, 1, vec![1.0, 2.0]));
    /// # Ok(()) }
    /// ```
    pub fn new<'a>(request: impl Into<Option<&'a str>>) -> Result<Comm> {
        Comm::with_options(request, &CommOptions::default())
    }
    /// The same with options.
    pub fn with_options<'a>(request: impl Into<Option<&'a str>>, options: &CommOptions) -> Result<Comm> {
        let request = request.into().map(|text| c_string("the request", text)).transpose()?;
        let request = request.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
        let options = options.to_raw();
        let mut raw = null_mut();
        // SAFETY: the pointers are valid for the call.
        check(|e| unsafe { sys::gpuopt_comm_init(request, &options, &mut raw, e) })?;
        NonNull::new(raw).map(Comm).ok_or_else(|| Error::new(Code::INTERNAL, "the library gave no group out"))
    }
    /// Takes a reference over.
    ///
    /// # Safety
    /// `raw` is a valid handle with a reference that is given away.
    pub(crate) unsafe fn adopt(raw: sys::gpuopt_comm) -> Result<Comm> {
        NonNull::new(raw).map(Comm).ok_or_else(|| Error::new(Code::INTERNAL, "the library gave no group out"))
    }
    pub(crate) fn raw(&self) -> sys::gpuopt_comm {
        self.0.as_ptr()
    }
    /// This process's number in the group. Not collective.
    pub fn rank(&self) -> usize {
        // SAFETY: the handle is valid. So it is below.
        unsafe { sys::gpuopt_comm_rank(self.raw()) as usize }
    }
    /// How many ranks there are. Not collective.
    pub fn size(&self) -> usize {
        // SAFETY: as above.
        unsafe { sys::gpuopt_comm_size(self.raw()) as usize }
    }
    /// What carries the messages: `"self"`, `"ring"`, `"mpi"`. Not collective.
    pub fn name(&self) -> &str {
        // SAFETY: as above; the string lives as long as the group.
        unsafe { CStr::from_ptr(sys::gpuopt_comm_name(self.raw())) }.to_str().unwrap_or("")
    }
    /// What this process has sent and received in the job since it joined, on all groups. Not collective.
    pub fn traffic(&self) -> Result<CommTraffic> {
        let mut raw = sys::gpuopt_comm_traffic::new();
        // SAFETY: as above; the pointer is valid for the call.
        check(|e| unsafe { sys::gpuopt_comm_get_traffic(self.raw(), &mut raw, e) })?;
        Ok(CommTraffic {
            rounds: raw.rounds,
            messages_sent: raw.messages_sent,
            messages_received: raw.messages_received,
            bytes_sent: raw.bytes_sent,
            bytes_received: raw.bytes_received,
        })
    }
    /// The group of the ranks that give the same color, ordered by key and then by rank; none for a color of `None`.
    pub fn split(&self, color: Option<u16>, key: i32) -> Result<Option<Comm>> {
        let (color, mut raw) = (color.map_or(-1, i32::from), null_mut());
        // SAFETY: as above.
        check(|e| unsafe { sys::gpuopt_comm_split(self.raw(), color, key, &mut raw, e) })?;
        Ok(NonNull::new(raw).map(Comm))
    }
    /// Returns when every rank has called it.
    pub fn barrier(&self) -> Result<()> {
        // SAFETY: as above.
        check(|e| unsafe { sys::gpuopt_comm_barrier(self.raw(), e) })
    }

    /// The arrays of all ranks, combined, on every rank.
    pub fn all_reduce(&self, x: &Array, reduction: RankReduction) -> Result<Array> {
        let _reading = x.reading()?;
        let (x, how) = (x.raw(), reduction.to_raw());
        // SAFETY: the handles are valid, and nobody writes to the array. So it is below.
        Array::fresh(|r, e| unsafe { sys::gpuopt_comm_all_reduce(self.raw(), x, how, null_mut(), r, e) })
    }
    /// The same on rank `root`.
    pub fn reduce(&self, x: &Array, reduction: RankReduction, root: usize) -> Result<Option<Array>> {
        let _reading = x.reading()?;
        let (x, how, root) = (x.raw(), reduction.to_raw(), number(root));
        // SAFETY: as above.
        perhaps(|r, e| unsafe { sys::gpuopt_comm_reduce(self.raw(), x, how, root, null_mut(), r, e) })
    }
    /// The same, of which each rank gets its part along axis 0.
    pub fn reduce_scatter(&self, x: &Array, reduction: RankReduction) -> Result<Array> {
        let _reading = x.reading()?;
        let (x, how) = (x.raw(), reduction.to_raw());
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe { sys::gpuopt_comm_reduce_scatter(self.raw(), x, how, null_mut(), r, e) })
    }
    /// The array of rank `root` on every rank; the others may give `None`.
    pub fn broadcast<'a>(&self, x: impl Into<Option<&'a Array>>, root: usize) -> Result<Array> {
        let x = x.into();
        let _reading = x.map(Array::reading).transpose()?;
        let (x, root) = (x.map_or(null_mut(), Array::raw), number(root));
        // SAFETY: as above; null is allowed.
        Array::fresh(|r, e| unsafe { sys::gpuopt_comm_broadcast(self.raw(), x, root, null_mut(), r, e) })
    }
    /// The arrays of all ranks, joined along axis 0, on every rank.
    pub fn all_gather(&self, x: &Array) -> Result<Array> {
        let _reading = x.reading()?;
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe { sys::gpuopt_comm_all_gather(self.raw(), x.raw(), null_mut(), r, e) })
    }
    /// The same on rank `root`.
    pub fn gather(&self, x: &Array, root: usize) -> Result<Option<Array>> {
        let _reading = x.reading()?;
        let (x, root) = (x.raw(), number(root));
        // SAFETY: as above.
        perhaps(|r, e| unsafe { sys::gpuopt_comm_gather(self.raw(), x, root, null_mut(), r, e) })
    }
    /// This rank's part, along axis 0, of the array of rank `root`; the others may give `None`.
    pub fn scatter<'a>(&self, x: impl Into<Option<&'a Array>>, root: usize) -> Result<Array> {
        let x = x.into();
        let _reading = x.map(Array::reading).transpose()?;
        let (x, root) = (x.map_or(null_mut(), Array::raw), number(root));
        // SAFETY: as above; null is allowed.
        Array::fresh(|r, e| unsafe { sys::gpuopt_comm_scatter(self.raw(), x, root, null_mut(), r, e) })
    }
    /// What all ranks have for this one: its part of each one's array along axis 0, joined.
    pub fn all_to_all(&self, x: &Array) -> Result<Array> {
        let _reading = x.reading()?;
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe { sys::gpuopt_comm_all_to_all(self.raw(), x.raw(), null_mut(), r, e) })
    }

    /// Sends an array to a rank, which has to receive it; tags are from 0 to 32767. Not collective.
    pub fn send(&self, x: &Array, destination: usize, tag: i32) -> Result<()> {
        let _reading = x.reading()?;
        // SAFETY: as above.
        check(|e| unsafe { sys::gpuopt_comm_send(self.raw(), x.raw(), number(destination), tag, e) })
    }
    /// The next array from a rank with this tag. Not collective.
    pub fn recv(&self, source: usize, tag: i32) -> Result<Array> {
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe { sys::gpuopt_comm_recv(self.raw(), number(source), tag, null_mut(), r, e) })
    }
    /// Sends an array to one rank while it receives one from another, either of which may be `None`. Not collective.
    pub fn send_recv(&self, send: Option<(&Array, usize)>, source: Option<usize>, tag: i32) -> Result<Option<Array>> {
        let _reading = send.map(|(x, _)| x.reading()).transpose()?;
        let (x, to) = send.map_or((null_mut(), 0), |(x, to)| (x.raw(), number(to)));
        let from = source.map_or(-1, number);
        // SAFETY: as above; null is allowed.
        perhaps(|r, e| unsafe { sys::gpuopt_comm_send_recv(self.raw(), x, to, from, tag, null_mut(), r, e) })
    }
}

/// A rank as the ABI counts it; what is too large is none of any group.
pub(crate) fn number(rank: usize) -> i32 {
    i32::try_from(rank).unwrap_or(i32::MAX)
}

/// The array that a call may give out.
pub(crate) fn perhaps(
    call: impl FnOnce(*mut sys::gpuopt_array, *mut sys::gpuopt_error) -> sys::gpuopt_status,
) -> Result<Option<Array>> {
    let mut raw = null_mut();
    check(|e| call(&mut raw, e))?;
    if raw.is_null() {
        return Ok(None);
    }
    // SAFETY: what the call gave out is ours, and has elements of its own.
    unsafe { Array::adopt(raw) }.map(Some)
}

/// What each communication plugin says, a line for each.
pub fn comm_report() -> Result<String> {
    // SAFETY: the pointers are valid for the call.
    given_text(|text, e| unsafe { sys::gpuopt_comm_report(text, e) })
}

impl Clone for Comm {
    fn clone(&self) -> Comm {
        // SAFETY: the handle is valid; retaining gives the same one, with a reference more.
        unsafe { sys::gpuopt_comm_retain(self.raw()) };
        Comm(self.0)
    }
}
impl Drop for Comm {
    fn drop(&mut self) {
        // SAFETY: this reference is ours and goes once.
        unsafe { sys::gpuopt_comm_release(self.raw()) }
    }
}
impl fmt::Debug for Comm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Comm(rank {} of {}, {})", self.rank(), self.size(), self.name())
    }
}
