// bindings/rust/gpuopt/src/selection.rs -- choosing, editing and joining by conditions and indices.
use crate::error::{check, count};
use crate::index::split;
use crate::join::{operands, pointer};
use crate::operand::{with_all_handles, with_handles};
use crate::sort::several;
use crate::{AnyIndex, Array, Code, Device, Error, Operand, Result};
use gpuopt_sys as sys;

/// What is done with an index that is out of range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexMode {
    /// It is an error.
    #[default]
    Raise,
    /// It counts modulo the number of elements.
    Wrap,
    /// It stands for the nearest index.
    Clip,
}
impl IndexMode {
    fn to_raw(self) -> sys::gpuopt_index_mode {
        match self {
            IndexMode::Raise => sys::GPUOPT_MODE_RAISE,
            IndexMode::Wrap => sys::GPUOPT_MODE_WRAP,
            IndexMode::Clip => sys::GPUOPT_MODE_CLIP,
        }
    }
}

/// What [`Array::apply_at`] does with an element and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateOp {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The lesser one, NaN if either is.
    Minimum,
    /// The greater one, NaN if either is.
    Maximum,
    /// The lesser one that is not NaN.
    Fmin,
    /// The greater one that is not NaN.
    Fmax,
}
impl UpdateOp {
    fn to_raw(self) -> sys::gpuopt_op {
        match self {
            UpdateOp::Add => sys::GPUOPT_OP_add,
            UpdateOp::Subtract => sys::GPUOPT_OP_subtract,
            UpdateOp::Multiply => sys::GPUOPT_OP_multiply,
            UpdateOp::Minimum => sys::GPUOPT_OP_minimum,
            UpdateOp::Maximum => sys::GPUOPT_OP_maximum,
            UpdateOp::Fmin => sys::GPUOPT_OP_fmin,
            UpdateOp::Fmax => sys::GPUOPT_OP_fmax,
        }
    }
}

fn invalid(text: &str) -> Error {
    Error::new(Code::INVALID_ARGUMENT, text)
}

// A C function of a list of arrays.
type Joining = unsafe extern "C" fn(
    i32,
    *const sys::gpuopt_array,
    *mut sys::gpuopt_array,
    *mut sys::gpuopt_error,
) -> sys::gpuopt_status;
fn join(function: Joining, arrays: &[&Array]) -> Result<Array> {
    with_all_handles(&operands(arrays), &[], |x| {
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { function(count(x), x.as_ptr(), r, e) })
    })
}
/// Arrays one beside the other.
pub fn hstack(arrays: &[&Array]) -> Result<Array> {
    join(sys::gpuopt_hstack, arrays)
}
/// Arrays one below the other; those of one dimension are rows.
pub fn vstack(arrays: &[&Array]) -> Result<Array> {
    join(sys::gpuopt_vstack, arrays)
}
/// Arrays one behind the other along the third axis.
pub fn dstack(arrays: &[&Array]) -> Result<Array> {
    join(sys::gpuopt_dstack, arrays)
}
/// Arrays as the columns of a matrix.
pub fn column_stack(arrays: &[&Array]) -> Result<Array> {
    join(sys::gpuopt_column_stack, arrays)
}
/// An array of rows of blocks.
///
/// ```
/// # fn main() -> gpuopt::Result<()> {
/// let x = gpuopt::Device::open("cpu")?.array(&[1.0, 2.0], &[1, 2])?;
/// assert_eq!(gpuopt::block(&[&[&x, &x], &[&x, &x]])?.shape(), [2, 4]);
/// # Ok(()) }
/// ```
pub fn block(rows: &[&[&Array]]) -> Result<Array> {
    let mut counts = vec![rows.len() as i32];
    counts.extend(rows.iter().map(|row| row.len() as i32));
    with_all_handles(&operands(&rows.concat()), &[], |x| {
        // SAFETY: the handles are held; the counts live during the call.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_block(2, count(&counts), counts.as_ptr(), count(x), x.as_ptr(), r, e)
        })
    })
}
/// For each element the choice of the first condition that is true, or `otherwise`.
pub fn select(conditions: &[&Array], choices: &[&Array], otherwise: Operand<'_>) -> Result<Array> {
    if conditions.len() != choices.len() {
        return Err(invalid("select: list of cases must be same length as list of conditions"));
    }
    let mut all = operands(conditions);
    all.extend(operands(choices));
    all.push(otherwise);
    let n = conditions.len();
    with_all_handles(&all, &[], |x| {
        let (when, what) = (&x[..n], &x[n..2 * n]);
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_select(count(when), when.as_ptr(), what.as_ptr(), x[2 * n], r, e) })
    })
}
/// One index into an array of this shape for the indices into each of its axes. `fortran`: the first axis varies
/// fastest.
pub fn ravel_multi_index(indices: &[&Array], shape: &[i64], mode: IndexMode, fortran: bool) -> Result<Array> {
    if indices.len() != shape.len() {
        return Err(invalid("ravel_multi_index: there have to be as many arrays as sizes"));
    }
    let modes = vec![mode.to_raw(); shape.len()];
    with_all_handles(&operands(indices), &[], |x| {
        // SAFETY: the handles are held; the lists live during the call.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_ravel_multi_index(
                count(x),
                x.as_ptr(),
                shape.as_ptr(),
                modes.as_ptr(),
                i32::from(fortran),
                r,
                e,
            )
        })
    })
}
/// Arrays that index the grid of lists: views of those of integers, new ones for those of bool.
pub fn ix(lists: &[&Array]) -> Result<Vec<Array>> {
    with_all_handles(&operands(lists), &[], |x| {
        let mut raw = vec![std::ptr::null_mut(); x.len()];
        // SAFETY: the handles are held, and there is room for as many results.
        check(|e| unsafe { sys::gpuopt_ix(count(x), x.as_ptr(), raw.as_mut_ptr(), e) })?;
        // SAFETY: each is a reference of ours.
        lists.iter().zip(raw).map(|(list, x)| unsafe { list.adopting(x) }).collect()
    })
}

impl Device {
    /// The indices of the diagonal of an array with `ndim` axes of size n.
    pub fn diag_indices(&self, n: i64, ndim: usize) -> Result<Vec<Array>> {
        let mut raw = vec![std::ptr::null_mut(); ndim];
        // SAFETY: there is room for as many results.
        check(|e| unsafe { sys::gpuopt_diag_indices(self.raw(), n, ndim as i32, raw.as_mut_ptr(), e) })?;
        // SAFETY: each is a reference of ours, to elements that nobody else has.
        raw.into_iter().map(|x| unsafe { Array::adopt(x) }).collect()
    }
    /// The rows and columns at and below the k-th diagonal of a matrix; `columns` of `None`: as many as rows. Runs.
    pub fn tril_indices(&self, rows: i64, k: i64, columns: Option<i64>) -> Result<[Array; 2]> {
        let m = columns.unwrap_or(-1);
        // SAFETY: the device is held.
        several(|[r, c], e| unsafe { sys::gpuopt_tril_indices(self.raw(), rows, k, m, r, c, e) })
    }
    /// The rows and columns at and above the k-th diagonal. Runs.
    pub fn triu_indices(&self, rows: i64, k: i64, columns: Option<i64>) -> Result<[Array; 2]> {
        let m = columns.unwrap_or(-1);
        // SAFETY: the device is held.
        several(|[r, c], e| unsafe { sys::gpuopt_triu_indices(self.raw(), rows, k, m, r, c, e) })
    }
}

/// Choosing by conditions and indices.
impl Array {
    /// `choices[index]` for each element of this array of indices.
    pub fn choose(&self, choices: &[Operand<'_>], mode: IndexMode) -> Result<Array> {
        let mut all = vec![Operand::from(self)];
        all.extend(choices.iter().cloned());
        with_all_handles(&all, &[], |x| {
            let from = &x[1..];
            // SAFETY: the handles are held.
            Array::fresh(|r, e| unsafe { sys::gpuopt_choose(x[0], count(from), from.as_ptr(), mode.to_raw(), r, e) })
        })
    }
    /// `values[i]` where condition i is true, in this array's shape and dtype; one value more is for the rest.
    pub fn piecewise(&self, conditions: &[&Array], values: &[Operand<'_>]) -> Result<Array> {
        let mut all = vec![Operand::from(self)];
        all.extend(operands(conditions));
        all.extend(values.iter().cloned());
        let n = conditions.len() + 1;
        with_all_handles(&all, &[], |x| {
            let (when, what) = (&x[1..n], &x[n..]);
            // SAFETY: the handles are held.
            Array::fresh(|r, e| unsafe {
                sys::gpuopt_piecewise(x[0], count(when), when.as_ptr(), count(what), what.as_ptr(), r, e)
            })
        })
    }
    /// The slices along an axis, or of the flattened array, whose condition is true. Runs.
    pub fn compress(&self, condition: &Array, axis: impl Into<Option<i64>>) -> Result<Array> {
        let (axis, _reading, _condition) = (axis.into(), self.reading()?, condition.reading()?);
        // SAFETY: the handles are held; the axis lives during the call.
        Array::fresh(|r, e| unsafe { sys::gpuopt_compress(condition.raw(), self.raw(), pointer(&axis), r, e) })
    }
    /// The elements at which a condition is true, as one dimension. Runs.
    pub fn extract(&self, condition: &Array) -> Result<Array> {
        let (_reading, _condition) = (self.reading()?, condition.reading()?);
        // SAFETY: the handles are held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_extract(condition.raw(), self.raw(), r, e) })
    }
    /// The places of nonzero elements of the flattened array. Runs.
    pub fn flatnonzero(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_flatnonzero(self.raw(), r, e) })
    }
    /// A view without the zeros at the front and the back of each axis, or of one. Runs.
    pub fn trim_zeros(&self, axis: impl Into<Option<i64>>) -> Result<Array> {
        let axis = axis.into();
        // SAFETY: the handle is held; the axis lives during the call.
        self.sharing(|r, e| unsafe { sys::gpuopt_trim_zeros(self.raw(), 0, pointer(&axis), r, e) })
    }
    /// The same index into each axis for the diagonal of this array.
    pub fn diag_indices_from(&self) -> Result<Vec<Array>> {
        let (_reading, mut raw) = (self.reading()?, vec![std::ptr::null_mut(); self.ndim()]);
        // SAFETY: the handle is held, and there is room for a result for each axis.
        check(|e| unsafe { sys::gpuopt_diag_indices_from(self.raw(), raw.as_mut_ptr(), e) })?;
        // SAFETY: each is a reference of ours, to elements that nobody else has.
        raw.into_iter().map(|x| unsafe { Array::adopt(x) }).collect()
    }
    /// The rows and columns at and below the k-th diagonal of this matrix. Runs.
    pub fn tril_indices_from(&self, k: i64) -> Result<[Array; 2]> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held.
        several(|[r, c], e| unsafe { sys::gpuopt_tril_indices_from(self.raw(), k, r, c, e) })
    }
    /// The rows and columns at and above the k-th diagonal of this matrix. Runs.
    pub fn triu_indices_from(&self, k: i64) -> Result<[Array; 2]> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held.
        several(|[r, c], e| unsafe { sys::gpuopt_triu_indices_from(self.raw(), k, r, c, e) })
    }
    /// The indices into each axis of a shape for these indices into the array as one dimension.
    pub fn unravel_index(&self, shape: &[i64], fortran: bool) -> Result<Vec<Array>> {
        let (_reading, mut raw) = (self.reading()?, vec![std::ptr::null_mut(); shape.len()]);
        // SAFETY: the handle is held, and there is room for a result for each axis.
        check(|e| unsafe {
            let (n, order) = (count(shape), i32::from(fortran));
            sys::gpuopt_unravel_index(self.raw(), n, shape.as_ptr(), order, raw.as_mut_ptr(), e)
        })?;
        // SAFETY: each is a reference of ours, to elements that nobody else has.
        raw.into_iter().map(|x| unsafe { Array::adopt(x) }).collect()
    }
}

/// Writing by conditions and indices.
impl Array {
    /// `x[...] = value` where a mask is true (`None`: everywhere), if NumPy's rule same_kind allows the cast.
    pub fn copyto<'a>(&mut self, value: impl Into<Operand<'a>>, mask: Option<&'a Array>) -> Result<()> {
        let _writing = self.writing()?;
        let mut all = vec![value.into()];
        all.extend(mask.map(Operand::from));
        with_all_handles(&all, &[self], |x| {
            let mask = x.get(1).copied().unwrap_or(std::ptr::null_mut());
            // SAFETY: the handles are held, that of `self` for writing. So they are below.
            check(|e| unsafe { sys::gpuopt_copyto(self.raw(), x[0], mask, e) })
        })
    }
    /// Elements become the values at their own places, again from the first one on, where the mask is true.
    pub fn putmask<'a>(&mut self, mask: &'a Array, values: impl Into<Operand<'a>>) -> Result<()> {
        let _writing = self.writing()?;
        with_handles(&[mask.into(), values.into()], &[self], |x| {
            // SAFETY: see `copyto`.
            check(|e| unsafe { sys::gpuopt_putmask(self.raw(), x[0], x[1], e) })
        })
    }
    /// The elements where the mask is true become the values, one after the other. Runs.
    pub fn place<'a>(&mut self, mask: &'a Array, values: impl Into<Operand<'a>>) -> Result<()> {
        let _writing = self.writing()?;
        with_handles(&[mask.into(), values.into()], &[self], |x| {
            // SAFETY: see `copyto`.
            check(|e| unsafe { sys::gpuopt_place(self.raw(), x[0], x[1], e) })
        })
    }
    /// The diagonal becomes the values; `wrap`: it begins anew behind a matrix with more rows than columns.
    pub fn fill_diagonal<'a>(&mut self, values: impl Into<Operand<'a>>, wrap: bool) -> Result<()> {
        let _writing = self.writing()?;
        with_handles(&[values.into()], &[self], |x| {
            // SAFETY: see `copyto`.
            check(|e| unsafe { sys::gpuopt_fill_diagonal(self.raw(), x[0], i32::from(wrap), e) })
        })
    }
    /// Writes values at indices along an axis, which broadcast to the array along the others. Runs.
    pub fn put_along_axis<'a>(&mut self, indices: &'a Array, values: impl Into<Operand<'a>>, axis: i64) -> Result<()> {
        let _writing = self.writing()?;
        with_handles(&[indices.into(), values.into()], &[self], |x| {
            // SAFETY: see `copyto`.
            check(|e| unsafe { sys::gpuopt_put_along_axis(self.raw(), x[0], x[1], axis, e) })
        })
    }
    /// `x[items] = op(x[items], values)`, where each of several equal indices counts, in their order. Runs.
    pub fn apply_at<'a>(&mut self, op: UpdateOp, items: &[AnyIndex<'a>], values: impl Into<Operand<'a>>) -> Result<()> {
        let _writing = self.writing()?;
        let (raw, operands) = split(items, vec![values.into()]);
        with_all_handles(&operands, &[self], |h| {
            let arrays = &h[1..];
            // SAFETY: see `copyto`; the lists live during the call.
            check(|e| unsafe {
                let (n, narrays) = (count(&raw), count(arrays));
                sys::gpuopt_apply_at(op.to_raw(), self.raw(), n, raw.as_ptr(), narrays, arrays.as_ptr(), h[0], e)
            })
        })
    }
    /// `x[items] += values`, where each of several equal indices counts: NumPy's `add.at`. Runs.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let cpu = gpuopt::Device::open("cpu")?;
    /// let mut x = cpu.array(&[0.0, 0.0], &[2])?;
    /// x.add_at(&[(&cpu.array(&[0i64, 0, 1], &[3])?).into()], 1)?;
    /// assert_eq!(x.to_vec::<f64>()?, [2.0, 1.0]);
    /// # Ok(()) }
    /// ```
    pub fn add_at<'a>(&mut self, items: &[AnyIndex<'a>], values: impl Into<Operand<'a>>) -> Result<()> {
        self.apply_at(UpdateOp::Add, items, values)
    }
}

/// Other shapes, and comparisons of whole arrays.
impl Array {
    /// The elements, again from the first one on, in another shape.
    pub fn resize(&self, shape: &[i64]) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: the handle is held; the shape lives during the call.
        Array::fresh(|r, e| unsafe { sys::gpuopt_resize(self.raw(), count(shape), shape.as_ptr(), r, e) })
    }
    /// A view with an axis moved before the axis that is `start` now.
    pub fn rollaxis(&self, axis: i64, start: i64) -> Result<Array> {
        // SAFETY: the handle is held. So it is in each of the calls below.
        self.sharing(|r, e| unsafe { sys::gpuopt_rollaxis(self.raw(), axis, start, r, e) })
    }
    /// A view with the columns in reverse.
    pub fn fliplr(&self) -> Result<Array> {
        // SAFETY: see `rollaxis`.
        self.sharing(|r, e| unsafe { sys::gpuopt_fliplr(self.raw(), r, e) })
    }
    /// A view with the rows in reverse.
    pub fn flipud(&self) -> Result<Array> {
        // SAFETY: see `rollaxis`.
        self.sharing(|r, e| unsafe { sys::gpuopt_flipud(self.raw(), r, e) })
    }
    /// A matrix of zeros with the flattened array on its k-th diagonal.
    pub fn diagflat(&self, k: i64) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `rollaxis`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_diagflat(self.raw(), k, r, e) })
    }
    /// Views of equal parts side by side.
    pub fn hsplit(&self, sections: usize) -> Result<Vec<Array>> {
        // SAFETY: the handle is held, and there is room for the results. So it is below.
        self.parts(sections, |r, e| unsafe { sys::gpuopt_hsplit(self.raw(), sections as i32, r, e) })
    }
    /// Views of equal parts of the rows.
    pub fn vsplit(&self, sections: usize) -> Result<Vec<Array>> {
        // SAFETY: see `hsplit`.
        self.parts(sections, |r, e| unsafe { sys::gpuopt_vsplit(self.raw(), sections as i32, r, e) })
    }
    /// Views of equal parts along the third axis.
    pub fn dsplit(&self, sections: usize) -> Result<Vec<Array>> {
        // SAFETY: see `hsplit`.
        self.parts(sections, |r, e| unsafe { sys::gpuopt_dsplit(self.raw(), sections as i32, r, e) })
    }
    /// The differences of neighbours of the flattened array.
    pub fn ediff1d(&self) -> Result<Array> {
        let (_reading, null) = (self.reading()?, std::ptr::null_mut());
        // SAFETY: see `rollaxis`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_ediff1d(self.raw(), null, null, r, e) })
    }
    /// What a function makes of each line along an axis, in the place of the line. All results have one shape. Runs the
    /// function for one line after the other.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let x = gpuopt::Device::open("cpu")?.array(&[3.0, 1.0, 2.0, 4.0], &[2, 2])?;
    /// let sorted = x.apply_along_axis(1, |line| line.sort(0, false))?;
    /// assert_eq!(sorted.to_vec::<f64>()?, [1.0, 3.0, 2.0, 4.0]);
    /// # Ok(()) }
    /// ```
    pub fn apply_along_axis(&self, axis: i64, mut function: impl FnMut(&Array) -> Result<Array>) -> Result<Array> {
        let moved = self.moveaxis(&[axis], &[-1])?;
        let place = if axis < 0 { axis + self.ndim() as i64 } else { axis };
        let (outer, last) = moved.shape().split_at(moved.ndim() - 1);
        let count = outer.iter().product::<i64>();
        if count == 0 {
            return Err(invalid("apply_along_axis: Cannot apply_along_axis when any iteration dimensions are 0"));
        }
        let lines = moved.reshape(&[count, last[0]])?;
        let made = (0..count).map(|i| function(&lines.view(i)?)).collect::<Result<Vec<_>>>()?;
        let all = crate::stack(&made.iter().collect::<Vec<_>>(), 0)?;
        let inner = &all.shape()[1..];
        let from: Vec<i64> = (0..inner.len() as i64).map(|i| outer.len() as i64 + i).collect();
        let to: Vec<i64> = (0..inner.len() as i64).map(|i| place + i).collect();
        all.reshape(&[outer, inner].concat())?.moveaxis(&from, &to)
    }
    /// Whether the other has this shape and equal elements; NaN equals NaN if `equal_nan`. Runs.
    pub fn array_equal(&self, other: &Array, equal_nan: bool) -> Result<bool> {
        let (_reading, _other, mut answer) = (self.reading()?, other.reading()?, 0);
        let nan = i32::from(equal_nan);
        // SAFETY: the handles are held.
        check(|e| unsafe { sys::gpuopt_array_equal(self.raw(), other.raw(), nan, &mut answer, e) })?;
        Ok(answer != 0)
    }
    /// Whether the two broadcast to one shape and are equal there. Runs.
    pub fn array_equiv<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<bool> {
        let mut answer = 0;
        with_handles(&[self.into(), other.into()], &[], |x| {
            // SAFETY: the handles are held.
            check(|e| unsafe { sys::gpuopt_array_equiv(x[0], x[1], &mut answer, e) })
        })?;
        Ok(answer != 0)
    }
    /// Whether all elements are close, as [`Array::isclose`] says. Runs.
    pub fn allclose<'a>(
        &'a self,
        other: impl Into<Operand<'a>>,
        rtol: f64,
        atol: f64,
        equal_nan: bool,
    ) -> Result<bool> {
        let (mut answer, nan) = (0, i32::from(equal_nan));
        with_handles(&[self.into(), other.into()], &[], |x| {
            // SAFETY: the handles are held.
            check(|e| unsafe { sys::gpuopt_allclose(x[0], x[1], rtol, atol, nan, &mut answer, e) })
        })?;
        Ok(answer != 0)
    }
    /// Where an element is positive infinity.
    pub fn isposinf(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `rollaxis`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_isposinf(self.raw(), r, e) })
    }
    /// Where an element is negative infinity.
    pub fn isneginf(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `rollaxis`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_isneginf(self.raw(), r, e) })
    }
    /// Where the imaginary part is not 0.
    pub fn iscomplex(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `rollaxis`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_iscomplex(self.raw(), r, e) })
    }
    /// Where the imaginary part is 0.
    pub fn isreal(&self) -> Result<Array> {
        let _reading = self.reading()?;
        // SAFETY: see `rollaxis`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_isreal(self.raw(), r, e) })
    }
}
