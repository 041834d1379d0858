// bindings/rust/gpuopt-interop/src/nd.rs -- arrays and views of ndarray.
use crate::number::{as_elements, from_elements, into_elements, Number};
use gpuopt::{Array, Code, Device, Error, HostSliceMut, HostView, Result};
use ndarray::{ArrayBase, ArrayD, ArrayViewD, ArrayViewMutD, Axis, Data, Dimension, IxDyn, ShapeBuilder};

/// The shape of an array of ndarray. A Rust object has at most `isize::MAX` bytes, but axes of size 0 allow any others.
fn sizes(shape: &[usize]) -> Result<Vec<i64>> {
    let size = |&n: &usize| i64::try_from(n).map_err(|_| Error::new(Code::SHAPE, "an axis of over 2^63 - 1 elements"));
    shape.iter().map(size).collect()
}

/// The shape of one of gpuopt's. Sizes are not negative.
fn usizes(shape: &[i64]) -> IxDyn {
    IxDyn(&shape.iter().map(|&n| n as usize).collect::<Vec<_>>())
}

fn unlike(error: ndarray::ShapeError) -> Error {
    Error::new(Code::SHAPE, format!("ndarray cannot have this shape: {error}"))
}

pub(crate) fn copied<T, S, D>(xp: &Device, x: &ArrayBase<S, D>) -> Result<Array>
where
    T: Number,
    S: Data<Elem = T>,
    D: Dimension,
{
    let shape = sizes(x.shape())?;
    match x.as_slice() {
        Some(elements) => xp.array(as_elements(elements), &shape),
        None => xp.from_vec(into_elements(x.iter().copied().collect()), &shape),
    }
}

/// An array in standard layout, given away. Its vector may have elements around the array's.
fn standard<T: Number, D: Dimension>(xp: &Device, x: ndarray::Array<T, D>) -> Result<Array> {
    let (shape, count) = (sizes(x.shape())?, x.len());
    let (elements, offset) = x.into_raw_vec_and_offset();
    let from = offset.unwrap_or(0);
    if from == 0 && elements.len() == count {
        return xp.from_vec(into_elements(elements), &shape);
    }
    xp.array(as_elements(&elements[from..from + count]), &shape)
}

pub(crate) fn adopted<T: Number, D: Dimension>(xp: &Device, x: ndarray::Array<T, D>) -> Result<Array> {
    if x.is_standard_layout() {
        standard(xp, x)
    } else if x.t().is_standard_layout() {
        standard(xp, x.reversed_axes())?.t()
    } else {
        copied(xp, &x)
    }
}

pub(crate) fn given<T: Number>(x: &Array) -> Result<ArrayD<T>> {
    ArrayD::from_shape_vec(usizes(x.shape()), from_elements(x.to_vec::<T::Element>()?)).map_err(unlike)
}

/// The elements of an array where they lie, borrowed for reading; see [`ArrayInterop::as_ndarray`].
///
/// [`ArrayInterop::as_ndarray`]: crate::ArrayInterop::as_ndarray
pub struct NdView<'a, T: Number> {
    view: ArrayViewD<'a, T>,
    _held: HostView<'a, T::Element>,
}

impl<'a, T: Number> NdView<'a, T> {
    pub(crate) fn of(x: &'a Array) -> Result<NdView<'a, T>> {
        let held = x.as_view::<T::Element>()?;
        let view = if x.size() == 0 {
            ArrayViewD::from_shape(usizes(x.shape()), &[]).map_err(unlike)?
        } else {
            let (steps, reversed) = element_strides::<T>(x)?;
            // From the element that lies first, by positive strides; then the axes that run backwards are turned.
            let back: isize = reversed.iter().map(|&axis| steps[axis] * (x.shape()[axis] as isize - 1)).sum();
            let strides = IxDyn(&steps.iter().map(|step| step.unsigned_abs()).collect::<Vec<_>>());
            // SAFETY: the elements of the array, which `held` keeps from being written; `Number` promises the layout.
            let mut view = unsafe {
                let first = held.as_ptr().cast::<T>().offset(back);
                ArrayViewD::from_shape_ptr(usizes(x.shape()).strides(strides), first)
            };
            reversed.iter().for_each(|&axis| view.invert_axis(Axis(axis)));
            view
        };
        Ok(NdView { view, _held: held })
    }
    /// The elements, as long as `self` is borrowed.
    pub fn view(&self) -> ArrayViewD<'_, T> {
        self.view.view()
    }
}

/// The strides in elements, and the axes along which they are negative. Along an axis of one element none counts.
fn element_strides<T>(x: &Array) -> Result<(Vec<isize>, Vec<usize>)> {
    let size = std::mem::size_of::<T>() as i64;
    let mut steps = Vec::with_capacity(x.ndim());
    for (&stride, &length) in x.strides().iter().zip(x.shape()) {
        let stride = if length == 1 { 0 } else { stride };
        if stride % size != 0 {
            let strides = x.strides();
            let message = format!("as_ndarray: strides {strides:?} are no multiples of {size} bytes; copy the array");
            return Err(Error::new(Code::UNSUPPORTED, message));
        }
        steps.push((stride / size) as isize);
    }
    let reversed = (0..steps.len()).filter(|&axis| steps[axis] < 0).collect();
    Ok((steps, reversed))
}

/// The elements of a C-contiguous array, borrowed for writing; see [`ArrayInterop::as_ndarray_mut`].
///
/// [`ArrayInterop::as_ndarray_mut`]: crate::ArrayInterop::as_ndarray_mut
pub struct NdViewMut<'a, T: Number> {
    shape: IxDyn,
    elements: HostSliceMut<'a, T::Element>,
    _number: std::marker::PhantomData<T>,
}

impl<'a, T: Number> NdViewMut<'a, T> {
    pub(crate) fn of(x: &'a mut Array) -> Result<NdViewMut<'a, T>> {
        let shape = usizes(x.shape());
        let elements = x.as_mut_slice::<T::Element>()?;
        ArrayViewD::from_shape(shape.clone(), &elements).map_err(unlike)?; // so that `view_mut` cannot fail
        Ok(NdViewMut { shape, elements, _number: std::marker::PhantomData })
    }
    /// The elements, as long as `self` is borrowed.
    pub fn view_mut(&mut self) -> ArrayViewMutD<'_, T> {
        let (first, count) = (self.elements.as_mut_ptr().cast::<T>(), self.elements.len());
        // SAFETY: the elements that `self` has for itself; `Number` promises the layout.
        let elements = unsafe { std::slice::from_raw_parts_mut(first, count) };
        match ArrayViewMutD::from_shape(self.shape.clone(), elements) {
            Ok(view) => view,
            Err(error) => unreachable!("`of` has made this view before: {error}"),
        }
    }
}
