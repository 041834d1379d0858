// bindings/rust/gpuopt/src/join.rs -- arrays joined, split, padded and rearranged.
use crate::error::{c_string, check, count};
use crate::operand::{with_all_handles, with_handles};
use crate::{Array, Code, Error, Operand, Result, Scalar};
use gpuopt_sys as sys;

/// What [`Array::pad`] writes around an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PadMode {
    /// A number.
    Constant(Scalar),
    /// The outermost element.
    Edge,
    /// Mirrored at the outermost element: 3 2 | 1 2 3 | 2 1.
    Reflect,
    /// Mirrored behind it: 2 1 | 1 2 3 | 3 2.
    Symmetric,
    /// From the other end: 2 3 | 1 2 3 | 1 2.
    Wrap,
}

impl PadMode {
    fn to_raw(self) -> (sys::gpuopt_pad_mode, sys::gpuopt_scalar) {
        let zero = Scalar::Int(0).to_raw();
        match self {
            PadMode::Constant(value) => (sys::GPUOPT_PAD_CONSTANT, value.to_raw()),
            PadMode::Edge => (sys::GPUOPT_PAD_EDGE, zero),
            PadMode::Reflect => (sys::GPUOPT_PAD_REFLECT, zero),
            PadMode::Symmetric => (sys::GPUOPT_PAD_SYMMETRIC, zero),
            PadMode::Wrap => (sys::GPUOPT_PAD_WRAP, zero),
        }
    }
}

pub(crate) fn pointer(axis: &Option<i64>) -> *const i64 {
    axis.as_ref().map_or(std::ptr::null(), |axis| axis as *const i64)
}
pub(crate) fn operands<'a>(arrays: &[&'a Array]) -> Vec<Operand<'a>> {
    arrays.iter().map(|&x| x.into()).collect()
}
fn mismatch(what: &str) -> Error {
    Error::new(Code::INVALID_ARGUMENT, format!("{what}: the two lists have different lengths"))
}

/// Arrays one behind the other along an axis; `None` flattens them first. A recorded array of the result's dtype is
/// computed in its place there.
///
/// ```
/// # fn main() -> gpuopt::Result<()> {
/// let x = gpuopt::Device::open("cpu")?.array(&[1.0, 2.0], &[2])?;
/// assert_eq!(gpuopt::concat(&[&x, &(&x + 2).get()?], 0)?.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
/// # Ok(()) }
/// ```
pub fn concat(arrays: &[&Array], axis: impl Into<Option<i64>>) -> Result<Array> {
    let axis = axis.into();
    with_all_handles(&operands(arrays), &[], |x| {
        // SAFETY: the handles are held; the axis lives during the call. So it is below.
        Array::fresh(|r, e| unsafe { sys::gpuopt_concat(count(x), x.as_ptr(), pointer(&axis), r, e) })
    })
}
/// Arrays of one shape along a new axis.
pub fn stack(arrays: &[&Array], axis: i64) -> Result<Array> {
    with_all_handles(&operands(arrays), &[], |x| {
        // SAFETY: see `concat`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_stack(count(x), x.as_ptr(), axis, r, e) })
    })
}
/// Einstein's sums, as NumPy's: a letter names an axis, `...` the axes without a letter.
///
/// ```
/// # fn main() -> gpuopt::Result<()> {
/// let x = gpuopt::Device::open("cpu")?.array(&[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
/// assert_eq!(gpuopt::einsum("ij,jk->ik", &[&x, &x])?.to_vec::<f64>()?, [7.0, 10.0, 15.0, 22.0]);
/// assert_eq!(gpuopt::einsum("ii", &[&x])?.to_vec::<f64>()?, [5.0]);
/// # Ok(()) }
/// ```
pub fn einsum(subscripts: &str, arrays: &[&Array]) -> Result<Array> {
    let text = c_string("einsum: subscripts", subscripts)?;
    with_all_handles(&operands(arrays), &[], |x| {
        // SAFETY: see `concat`; so does the text.
        Array::fresh(|r, e| unsafe { sys::gpuopt_einsum(text.as_ptr(), count(x), x.as_ptr(), r, e) })
    })
}
/// The coordinates of a grid: array i varies along axis i if `ij`; else the first two are swapped.
pub fn meshgrid(arrays: &[&Array], ij: bool) -> Result<Vec<Array>> {
    with_all_handles(&operands(arrays), &[], |x| {
        let mut raw = vec![std::ptr::null_mut(); x.len()];
        // SAFETY: see `concat`; there is room for as many results.
        check(|e| unsafe { sys::gpuopt_meshgrid(count(x), x.as_ptr(), i32::from(ij), raw.as_mut_ptr(), e) })?;
        // SAFETY: each is a reference of ours, to elements that nobody else has.
        raw.into_iter().map(|x| unsafe { Array::adopt(x) }).collect()
    })
}
/// Read-only views in the shape that the arrays broadcast to.
pub fn broadcast_arrays(arrays: &[&Array]) -> Result<Vec<Array>> {
    let shapes: Vec<Vec<i64>> = arrays.iter().map(|x| x.shape().to_vec()).collect();
    let lists: Vec<&[i64]> = shapes.iter().map(|shape| &shape[..]).collect();
    let common = crate::broadcast_shapes(&lists)?;
    arrays.iter().map(|x| x.broadcast_to(&common)).collect()
}

impl Array {
    // Several views of `self`, which one call gives.
    pub(crate) fn parts(
        &self,
        results: usize,
        call: impl FnOnce(*mut sys::gpuopt_array, *mut sys::gpuopt_error) -> sys::gpuopt_status,
    ) -> Result<Vec<Array>> {
        let _reading = self.reading()?;
        let mut raw = vec![std::ptr::null_mut(); results];
        check(|e| call(raw.as_mut_ptr(), e))?;
        // SAFETY: each is a reference of ours, which `adopting` takes over.
        raw.into_iter().map(|x| unsafe { self.adopting(x) }).collect()
    }
    /// The indices of nonzero elements, an array of int64 for each axis. Runs.
    pub fn nonzero(&self) -> Result<Vec<Array>> {
        // SAFETY: the handle is held, and there is room for a result for each axis.
        self.parts(self.ndim(), |r, e| unsafe { sys::gpuopt_nonzero(self.raw(), r, e) })
    }
    /// The views `x[i]` along an axis.
    pub fn unstack(&self, axis: i64) -> Result<Vec<Array>> {
        let place = if axis < 0 { axis + self.ndim() as i64 } else { axis };
        let size = usize::try_from(place).ok().and_then(|at| self.shape().get(at).copied()).unwrap_or(0);
        // SAFETY: the handle is held, and there is room for the results. So it is below.
        self.parts(size as usize, |r, e| unsafe { sys::gpuopt_unstack(self.raw(), axis, size as i32, r, e) })
    }
    /// Views of equal parts.
    pub fn split(&self, sections: usize, axis: i64) -> Result<Vec<Array>> {
        // SAFETY: see `unstack`.
        self.parts(sections, |r, e| unsafe { sys::gpuopt_split(self.raw(), sections as i32, axis, r, e) })
    }
    /// Views of parts whose sizes differ by one at most.
    pub fn array_split(&self, sections: usize, axis: i64) -> Result<Vec<Array>> {
        // SAFETY: see `unstack`.
        self.parts(sections, |r, e| unsafe { sys::gpuopt_array_split(self.raw(), sections as i32, axis, r, e) })
    }
    /// Views of the parts before, between and behind positions.
    pub fn split_at(&self, positions: &[i64], axis: i64) -> Result<Vec<Array>> {
        // SAFETY: see `unstack`.
        self.parts(positions.len() + 1, |r, e| unsafe {
            sys::gpuopt_split_at(self.raw(), count(positions), positions.as_ptr(), axis, r, e)
        })
    }
    /// The array and the values behind it; `None` flattens both.
    pub fn append<'a>(&'a self, values: impl Into<Operand<'a>>, axis: impl Into<Option<i64>>) -> Result<Array> {
        let axis = axis.into();
        with_handles(&[self.into(), values.into()], &[], |x| {
            // SAFETY: see `concat`.
            Array::fresh(|r, e| unsafe { sys::gpuopt_append(x[0], x[1], pointer(&axis), r, e) })
        })
    }
    /// Elements moved along axes, those that fall out coming in at the other end; `&[]`: along the flattened array.
    pub fn roll(&self, shifts: &[i64], axes: &[i64]) -> Result<Array> {
        if !axes.is_empty() && axes.len() != shifts.len() {
            return Err(mismatch("roll"));
        }
        let list = if axes.is_empty() { std::ptr::null() } else { axes.as_ptr() };
        let _reading = self.reading()?;
        // SAFETY: the handle is held. So it is in each of the calls below.
        Array::fresh(|r, e| unsafe { sys::gpuopt_roll(self.raw(), count(shifts), shifts.as_ptr(), list, r, e) })
    }
    /// Each element so many times; without an axis, flattened.
    pub fn repeat(&self, times: i64, axis: impl Into<Option<i64>>) -> Result<Array> {
        let (axis, _reading) = (axis.into(), self.reading()?);
        // SAFETY: see `roll`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_repeat(self.raw(), times, pointer(&axis), r, e) })
    }
    /// Element i `counts[i]` times. Reads the counts.
    pub fn repeat_each(&self, counts: &Array, axis: impl Into<Option<i64>>) -> Result<Array> {
        let (axis, _reading, _counts) = (axis.into(), self.reading()?, counts.reading()?);
        // SAFETY: see `roll`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_repeat_each(self.raw(), counts.raw(), pointer(&axis), r, e) })
    }
    /// Copies of the array side by side.
    pub fn tile(&self, reps: &[i64]) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `roll`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_tile(self.raw(), count(reps), reps.as_ptr(), r, e) })
    }
    /// The array with elements around it: for each axis, how many before and behind.
    pub fn pad(&self, widths: &[(i64, i64)], mode: PadMode) -> Result<Array> {
        if widths.len() != self.ndim() {
            return Err(mismatch("pad"));
        }
        let flat: Vec<i64> = widths.iter().flat_map(|&(before, behind)| [before, behind]).collect();
        let ((mode, value), _reading) = (mode.to_raw(), self.reading()?);
        // SAFETY: see `roll`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_pad(self.raw(), flat.as_ptr(), mode, value, r, e) })
    }
    /// The array without the elements at these integers, or where this mask is true. Reads the indices.
    pub fn delete(&self, indices: &Array, axis: impl Into<Option<i64>>) -> Result<Array> {
        let (axis, _reading, _indices) = (axis.into(), self.reading()?, indices.reading()?);
        // SAFETY: see `roll`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_delete(self.raw(), indices.raw(), pointer(&axis), r, e) })
    }
    /// The array with values before these integers, or where this mask is true. Reads the indices.
    pub fn insert<'a>(
        &'a self,
        indices: &'a Array,
        values: impl Into<Operand<'a>>,
        axis: impl Into<Option<i64>>,
    ) -> Result<Array> {
        let axis = axis.into();
        with_handles(&[self.into(), indices.into(), values.into()], &[], |x| {
            // SAFETY: see `concat`.
            Array::fresh(|r, e| unsafe { sys::gpuopt_insert(x[0], x[1], x[2], pointer(&axis), r, e) })
        })
    }
    /// A view with an axis of size 1 at each of these places in the result.
    pub fn expand_dims_at(&self, axes: &[i64]) -> Result<Array> {
        // SAFETY: see `roll`.
        self.sharing(|r, e| unsafe { sys::gpuopt_expand_dims_n(self.raw(), count(axes), axes.as_ptr(), r, e) })
    }
    /// A view in which axis `source[i]` is axis `destination[i]`.
    pub fn moveaxis(&self, source: &[i64], destination: &[i64]) -> Result<Array> {
        if source.len() != destination.len() {
            return Err(mismatch("moveaxis"));
        }
        // SAFETY: see `roll`.
        self.sharing(|r, e| unsafe {
            sys::gpuopt_moveaxis(self.raw(), count(source), source.as_ptr(), destination.as_ptr(), r, e)
        })
    }
    /// A view with two axes swapped.
    pub fn swapaxes(&self, axis1: i64, axis2: i64) -> Result<Array> {
        // SAFETY: see `roll`.
        self.sharing(|r, e| unsafe { sys::gpuopt_swapaxes(self.raw(), axis1, axis2, r, e) })
    }
    /// A view turned by k times 90 degrees, from the first axis towards the second.
    pub fn rot90(&self, k: i64, axes: [i64; 2]) -> Result<Array> {
        // SAFETY: see `roll`.
        self.sharing(|r, e| unsafe { sys::gpuopt_rot90(self.raw(), k, axes.as_ptr(), r, e) })
    }
    /// A read-only view of the diagonal of two axes.
    pub fn diagonal(&self, offset: i64, axis1: i64, axis2: i64) -> Result<Array> {
        // SAFETY: see `roll`.
        self.sharing(|r, e| unsafe { sys::gpuopt_diagonal(self.raw(), offset, axis1, axis2, r, e) })
    }
    /// A matrix with the array on its k-th diagonal; or that of a matrix, as a read-only view.
    pub fn diag(&self, k: i64) -> Result<Array> {
        // SAFETY: see `roll`.
        self.sharing(|r, e| unsafe { sys::gpuopt_diag(self.raw(), k, r, e) })
    }
    /// One dimension in C order: a view of a C-contiguous array, else a copy.
    pub fn ravel(&self) -> Result<Array> {
        // SAFETY: see `roll`.
        self.sharing(|r, e| unsafe { sys::gpuopt_ravel(self.raw(), r, e) })
    }
    /// A view of at least 1, 2 or 3 dimensions.
    pub fn at_least(&self, ndim: i32) -> Result<Array> {
        // SAFETY: see `roll`.
        self.sharing(|r, e| unsafe { sys::gpuopt_atleast_nd(self.raw(), ndim, r, e) })
    }
}
