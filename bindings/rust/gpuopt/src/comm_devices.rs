// bindings/rust/gpuopt/src/comm_devices.rs -- ranks that are threads of this process, one for each of its devices.
use crate::error::{c_string, check, count};
use crate::{Comm, CommOptions, Device, Result};
use gpuopt_sys as sys;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::null_mut;
use std::sync::Mutex;

impl Comm {
    /// A job whose ranks are threads of this process, one for each device: the group, as each rank sees it. The caller
    /// starts the threads, each of which uses one of them; [`Comm::run_devices`] does all of that. The options have no
    /// device.
    pub fn of_devices(devices: &[Device], options: &CommOptions) -> Result<Vec<Comm>> {
        let handles: Vec<_> = devices.iter().map(Device::raw).collect();
        let options = options.to_raw();
        let mut made = vec![null_mut(); devices.len()];
        // SAFETY: there is room for a group of each device, and the pointers are valid for the call.
        check(|e| unsafe {
            sys::gpuopt_comm_init_devices(count(&handles), handles.as_ptr(), &options, made.as_mut_ptr(), e)
        })?;
        // SAFETY: the references are ours.
        made.into_iter().map(|raw| unsafe { Comm::adopt(raw) }).collect()
    }

    /// Calls a function once for each device, as the ranks of one job, each in a thread of its own, and gives what the
    /// calls give. If one of them fails, or panics, the others get [`Code::COMM`](crate::Code::COMM) where they wait
    /// for it, and the first failure is the result, or the panic goes on, when all have ended.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// use gpuopt::{Comm, CommOptions, Device, RankReduction};
    /// let devices = [Device::open("cpu")?, Device::open("cpu")?];
    /// let sums = Comm::run_devices(&devices, &CommOptions::default(), |comm| {
    ///     let x = devices[comm.rank()].array(&[1.0, comm.rank() as f64], &[2])?;
    ///     comm.all_reduce(&x, RankReduction::Sum)?.to_vec::<f64>()
    /// })?;
    /// assert_eq!(sums, [vec![2.0, 1.0], vec![2.0, 1.0]]);
    /// # Ok(()) }
    /// ```
    pub fn run_devices<T: Send>(
        devices: &[Device],
        options: &CommOptions,
        rank: impl Fn(Comm) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let comms = Comm::of_devices(devices, options)?;
        let (first, rank) = (Mutex::new(None), &rank);
        let run = |comm: Comm| {
            let ours = comm.clone();
            let done = catch_unwind(AssertUnwindSafe(|| rank(comm)));
            let why = match &done {
                Ok(Ok(_)) => return done,
                Ok(Err(error)) => error.to_string(),
                Err(_) => "the rank has panicked".to_string(),
            };
            if let (Ok(mut first), Ok(Err(error))) = (first.lock(), &done) {
                first.get_or_insert_with(|| error.clone());
            }
            // Telling them cannot fail in a way that leaves more to do: they learn that the rank has left.
            let _ = ours.give_up(&why);
            done
        };
        let run = &run;
        let all: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = comms.into_iter().map(|comm| scope.spawn(move || run(comm))).collect();
            threads.into_iter().map(|thread| thread.join()).collect()
        });
        let mut results = Vec::with_capacity(all.len());
        for one in all {
            match one.and_then(|done| done) {
                Ok(result) => results.push(result),
                Err(panic) => resume_unwind(panic),
            }
        }
        match first.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => results.into_iter().collect(),
        }
    }

    /// Tells the other ranks that this one cannot go on, and why: what they wait for, and call later, fails. Not
    /// collective.
    pub fn give_up(&self, why: &str) -> Result<()> {
        let text = c_string("the reason", why)?;
        // SAFETY: the handle is valid, and the text for the call.
        check(|e| unsafe { sys::gpuopt_comm_give_up(self.raw(), text.as_ptr(), e) })
    }
}
