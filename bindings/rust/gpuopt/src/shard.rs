// bindings/rust/gpuopt/src/shard.rs -- arrays that are cut along axis 0 over the ranks of a group.
use crate::comm::{number, perhaps};
use crate::error::{c_path, check, count};
use crate::operand::with_all_handles;
use crate::{Array, Axes, Code, Comm, Device, Distribution, Error, Generator, Reduction, Result};
use gpuopt_sys as sys;
use std::path::Path;
use std::ptr::{null, null_mut, NonNull};

/// An array of which each rank of a group has some rows, its part. A counted reference; shards never change.
///
/// What is computed for each row by itself is computed on the parts, of which [`Shard::part`] gives a copy; both
/// are recorded and fused as ever. [`Shard::with`] makes a shard of the result. Methods are collective, unless they
/// say otherwise: every rank calls the same ones in the same order. No result depends on the number of ranks, or on
/// where the array is cut; see gpuopt_shard.h.
///
/// ```
/// # fn main() -> gpuopt::Result<()> {
/// let comm = gpuopt::Comm::new("self")?;
/// let x = gpuopt::Device::open("cpu")?.array(&[3.0, 1.0, 2.0], &[3])?;
/// let shard = gpuopt::Shard::from_parts(&comm, &x)?;
/// assert_eq!(shard.reduce(gpuopt::Reduction::Sum, ())?.to_vec::<f64>()?, [6.0]);
/// assert_eq!(shard.sort()?.0.all_gather()?.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
/// # Ok(()) }
/// ```
pub struct Shard(NonNull<sys::gpuopt_shard_s>);

// SAFETY: the ABI lets any thread call; what a shard refers to does not change.
unsafe impl Send for Shard {}
// SAFETY: as above.
unsafe impl Sync for Shard {}

fn made(call: impl FnOnce(*mut sys::gpuopt_shard, *mut sys::gpuopt_error) -> sys::gpuopt_status) -> Result<Shard> {
    let mut raw = null_mut();
    check(|e| call(&mut raw, e))?;
    NonNull::new(raw).map(Shard).ok_or_else(nothing)
}
fn nothing() -> Error {
    Error::new(Code::INTERNAL, "the library gave no shard out")
}

impl Shard {
    fn raw(&self) -> sys::gpuopt_shard {
        self.0.as_ptr()
    }
    /// Copies of the ranks' arrays, one behind the other.
    pub fn from_parts(comm: &Comm, x: &Array) -> Result<Shard> {
        let own = x.copy()?;
        // SAFETY: the handles are valid, and nobody else has the copy's elements. So it is below.
        made(|r, e| unsafe { sys::gpuopt_shard_from_parts(comm.raw(), own.raw(), r, e) })
    }
    /// The same along any axis; a negative one counts from the end.
    pub fn from_parts_along(comm: &Comm, x: &Array, axis: i64) -> Result<Shard> {
        let own = x.copy()?;
        // SAFETY: as above.
        made(|r, e| unsafe { sys::gpuopt_shard_from_parts_along(comm.raw(), own.raw(), axis, r, e) })
    }
    /// The array of rank `root`, cut; the others may give `None`.
    pub fn from_array<'a>(comm: &Comm, x: impl Into<Option<&'a Array>>, root: usize) -> Result<Shard> {
        let x = x.into();
        let _reading = x.map(Array::reading).transpose()?;
        let x = x.map_or(null_mut(), Array::raw);
        // SAFETY: as above; null is allowed, and the root's part is a copy.
        made(|r, e| unsafe { sys::gpuopt_shard_from_array(comm.raw(), x, number(root), r, e) })
    }
    /// A copy of an array that every rank has as a whole, cut.
    pub fn from_whole(comm: &Comm, x: &Array) -> Result<Shard> {
        let own = x.copy()?;
        // SAFETY: as above.
        made(|r, e| unsafe { sys::gpuopt_shard_from_whole(comm.raw(), own.raw(), r, e) })
    }
    /// Each rank's part of the one stream of a generator of [`Generator::new`], which all of them have at one place.
    /// Parameters are numbers, or broadcast to the sizes behind axis 0. Not collective.
    pub fn draw(comm: &Comm, rng: &mut Generator, from: &Distribution<'_>, shape: &[i64]) -> Result<Shard> {
        let (rng, dtype) = (rng.raw(), sys::GPUOPT_DTYPE_DEFAULT);
        with_all_handles(&from.parameters, &[], |x| {
            let (n, ndim, to) = (count(x), count(shape), shape.as_ptr());
            // SAFETY: the handles are held; the shape is valid for the call.
            made(|r, e| unsafe {
                sys::gpuopt_shard_draw(comm.raw(), rng, from.number, n, x.as_ptr(), dtype, ndim, to, r, e)
            })
        })
    }
    /// The array of a .npy file, of which each rank reads its own rows; `None` is the group's device.
    pub fn load_npy<'a>(comm: &Comm, device: impl Into<Option<&'a Device>>, path: impl AsRef<Path>) -> Result<Shard> {
        let (device, path) = (device.into().map_or(null_mut(), Device::raw), c_path(path.as_ref())?);
        // SAFETY: the handles are valid, and the path for the call; null is allowed.
        made(|r, e| unsafe { sys::gpuopt_shard_load_npy(comm.raw(), device, path.as_ptr(), r, e) })
    }
    /// Writes a .npy file, of which each rank writes its own rows. If one of them fails, what was there stays. The
    /// bytes do not depend on the axis along which the array is cut.
    pub fn save_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        // SAFETY: as above.
        check(|e| unsafe { sys::gpuopt_shard_save_npy(self.raw(), path.as_ptr(), e) })
    }

    /// A shard that is cut as this one, with a copy of another array for its part. Not collective.
    pub fn with(&self, x: &Array) -> Result<Shard> {
        let own = x.copy()?;
        // SAFETY: as of `from_parts`.
        made(|r, e| unsafe { sys::gpuopt_shard_with(self.raw(), own.raw(), r, e) })
    }
    /// A copy of this rank's rows. Not collective.
    pub fn part(&self) -> Result<Array> {
        // SAFETY: the handle is valid; what it gives out is read alone, for the copy.
        Array::fresh(|r, e| unsafe { sys::gpuopt_shard_part(self.raw(), r, e) })?.copy()
    }
    /// The ranks. Not collective.
    pub fn comm(&self) -> Result<Comm> {
        let mut raw = null_mut();
        // SAFETY: the handle is valid; the reference is ours.
        check(|e| unsafe { sys::gpuopt_shard_comm(self.raw(), &mut raw, e) })?;
        // SAFETY: as above.
        unsafe { Comm::adopt(raw) }
    }
    /// The number of rows of the whole array. Not collective.
    pub fn rows(&self) -> i64 {
        // SAFETY: the handle is valid.
        unsafe { sys::gpuopt_shard_rows(self.raw()) }
    }
    /// The axis along which the array is cut. Not collective.
    pub fn axis(&self) -> usize {
        // SAFETY: the handle is valid.
        unsafe { sys::gpuopt_shard_axis(self.raw()) as usize }
    }
    /// Where the array is cut: rank r has the rows from the r-th number to the next. Not collective.
    pub fn bounds(&self) -> Result<&[i64]> {
        let size = self.comm()?.size();
        // SAFETY: there are size + 1 numbers, which live as long as the shard.
        Ok(unsafe { std::slice::from_raw_parts(sys::gpuopt_shard_bounds(self.raw()), size + 1) })
    }

    /// The whole array reduced over axes, axis 0 among them, on every rank, with the bits of the method of arrays. For
    /// the reductions up to [`Reduction::CountNonzero`]; the others are [`Code::UNSUPPORTED`].
    pub fn reduce(&self, how: Reduction, axes: impl Into<Axes>) -> Result<Array> {
        let refused = || Error::new(Code::UNSUPPORTED, "shards have no reduction of this name");
        let (how, axes) = (how.number().ok_or_else(refused)?, axes.into());
        let options = axes.to_raw();
        // SAFETY: the handle is valid, and the options for the call.
        Array::fresh(|r, e| unsafe { sys::gpuopt_shard_reduce(self.raw(), how, &options, r, e) })
    }
    /// The rows times a matrix or vector that every rank has. Not collective, unless the array is cut along axis 1:
    /// then it is cut along axis 0 first, as the result is.
    pub fn matmul(&self, b: &Array) -> Result<Shard> {
        let _reading = b.reading()?;
        // SAFETY: the handles are valid, and nobody writes to the array.
        made(|r, e| unsafe { sys::gpuopt_shard_matmul(self.raw(), b.raw(), r, e) })
    }
    /// This matrix, transposed, times another shard that is cut as this one, or along the other axis, on every rank.
    pub fn crossprod(&self, b: &Shard) -> Result<Array> {
        // SAFETY: the handles are valid. So they are below.
        Array::fresh(|r, e| unsafe { sys::gpuopt_shard_crossprod(self.raw(), b.raw(), r, e) })
    }
    /// Sorted in ascending order, stable; and where each element was.
    pub fn sort(&self) -> Result<(Shard, Shard)> {
        let (mut values, mut positions) = (null_mut(), null_mut());
        // SAFETY: as above.
        check(|e| unsafe { sys::gpuopt_shard_sort(self.raw(), &mut values, &mut positions, e) })?;
        let values = NonNull::new(values).map(Shard);
        let positions = NonNull::new(positions).map(Shard);
        values.zip(positions).ok_or_else(nothing)
    }
    /// The whole array on rank `root`.
    pub fn gather(&self, root: usize) -> Result<Option<Array>> {
        // SAFETY: as above.
        perhaps(|r, e| unsafe { sys::gpuopt_shard_gather(self.raw(), number(root), r, e) })
    }
    /// The whole array on every rank.
    pub fn all_gather(&self) -> Result<Array> {
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe { sys::gpuopt_shard_gather(self.raw(), -1, r, e) })
    }
    /// This rank's rows between the `before` rows before them and the `after` rows behind them; `periodic`: the array
    /// goes on with its other end.
    pub fn halo(&self, before: i64, after: i64, periodic: bool) -> Result<Array> {
        let periodic = i32::from(periodic);
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe { sys::gpuopt_shard_halo(self.raw(), before, after, periodic, r, e) })
    }
    /// The same array, cut at other places: size + 1 numbers; `None`: where the library cuts.
    pub fn recut<'a>(&self, bounds: impl Into<Option<&'a [i64]>>) -> Result<Shard> {
        let bounds = bounds.into();
        if bounds.map_or(false, |bounds| self.bounds().map_or(true, |own| own.len() != bounds.len())) {
            return Err(Error::new(Code::INVALID_ARGUMENT, "there is not one boundary more than ranks"));
        }
        let bounds = bounds.map_or(null(), <[i64]>::as_ptr);
        // SAFETY: there are as many numbers as the call reads; null is allowed.
        made(|r, e| unsafe { sys::gpuopt_shard_recut(self.raw(), bounds, r, e) })
    }
    /// The same array, cut along another axis: each rank sends each other one a block.
    pub fn along(&self, axis: i64) -> Result<Shard> {
        // SAFETY: the handle is valid.
        made(|r, e| unsafe { sys::gpuopt_shard_along(self.raw(), axis, r, e) })
    }
}

impl Clone for Shard {
    fn clone(&self) -> Shard {
        // SAFETY: the handle is valid; retaining gives the same one, with a reference more.
        unsafe { sys::gpuopt_shard_retain(self.raw()) };
        Shard(self.0)
    }
}
impl Drop for Shard {
    fn drop(&mut self) {
        // SAFETY: this reference is ours and goes once.
        unsafe { sys::gpuopt_shard_release(self.raw()) }
    }
}
impl std::fmt::Debug for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Shard({} rows, cut at {:?})", self.rows(), self.bounds().unwrap_or(&[]))
    }
}
