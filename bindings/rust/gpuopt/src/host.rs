// bindings/rust/gpuopt/src/host.rs -- elements as Rust sees them: borrowed where they lie, or copied.
use crate::error::check;
use crate::loan::{Reading, Writing};
use crate::{Array, Code, Element, Error, NdIndex, Result};
use gpuopt_sys as sys;
use std::ops::{Deref, DerefMut, Index};

/// The elements of a C-contiguous array, borrowed. While it lives they cannot be written, and it cannot outlive the
/// array:
///
/// ```compile_fail
/// # let xp = gpuopt::Device::open("cpu").unwrap();
/// let x = xp.ones(&[3], None).unwrap();
/// let slice = x.as_slice::<f64>().unwrap();
/// drop(x);
/// assert_eq!(slice[0], 1.0);
/// ```
pub struct HostSlice<'a, T: Element> {
    elements: &'a [T],
    _reading: Reading<'a>,
}
impl<T: Element> Deref for HostSlice<'_, T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.elements
    }
}

/// The elements of a C-contiguous array, borrowed for writing. While it lives nothing else can use them.
pub struct HostSliceMut<'a, T: Element> {
    elements: &'a mut [T],
    _writing: Writing<'a>,
}
impl<T: Element> Deref for HostSliceMut<'_, T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.elements
    }
}
impl<T: Element> DerefMut for HostSliceMut<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.elements
    }
}

/// The elements of an array as they lie, whatever their strides, borrowed. While it lives they cannot be written.
///
/// ```
/// # fn main() -> gpuopt::Result<()> {
/// let x = gpuopt::Device::open("cpu")?.array(&[1, 2, 3, 4, 5, 6], &[2, 3])?.t()?;
/// let view = x.as_view::<i32>()?;
/// assert_eq!(view[[2, 0]], 3);
/// assert_eq!(view.get(&[3, 0]), None);
/// assert_eq!(view.iter().copied().collect::<Vec<_>>(), [1, 4, 2, 5, 3, 6]);
/// # Ok(()) }
/// ```
pub struct HostView<'a, T: Element> {
    first: *const T,
    array: &'a Array,
    _reading: Reading<'a>,
}
// SAFETY: it gives shared references to elements, which are Sync, and the array is.
unsafe impl<T: Element> Send for HostView<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for HostView<'_, T> {}

impl<'a, T: Element> HostView<'a, T> {
    /// The sizes of the dimensions.
    pub fn shape(&self) -> &'a [i64] {
        self.array.shape()
    }
    /// The element at `index`, which counts from the front; `None` if there is none.
    pub fn get(&self, index: &[i64]) -> Option<&T> {
        let shape = self.shape();
        let inside = index.len() == shape.len() && index.iter().zip(shape).all(|(&i, &size)| (0..size).contains(&i));
        // SAFETY: the index is inside.
        inside.then(|| unsafe { self.at(index) })
    }
    /// Where the first element lies: those that [`Array::strides`] lead to may be read while the view lives. Of an
    /// array without elements it is any address.
    pub fn as_ptr(&self) -> *const T {
        self.first
    }
    /// The elements in C order.
    pub fn iter(&self) -> impl Iterator<Item = &T> + '_ {
        // SAFETY: the iterator gives the indices of this shape.
        NdIndex::new(self.shape()).map(|index| unsafe { self.at(&index) })
    }
    /// The elements as a slice, if they are C-contiguous.
    pub fn as_slice(&self) -> Option<&[T]> {
        // SAFETY: contiguous, held, and valid values; see `Array::as_view`.
        self.array.is_contiguous().then(|| unsafe { slice(self.first, self.array.size()) })
    }
    /// # Safety
    /// `index` lies inside the shape.
    unsafe fn at(&self, index: &[i64]) -> &T {
        let bytes: i64 = index.iter().zip(self.array.strides()).map(|(i, stride)| i * stride).sum();
        // SAFETY: an element of the array, held for reading, whose bytes are a value: `Array::as_view` looked.
        unsafe { &*self.first.cast::<u8>().offset(bytes as isize).cast::<T>() }
    }
}
impl<T: Element, const N: usize> Index<[i64; N]> for HostView<'_, T> {
    type Output = T;
    /// The element; panics if there is none, as indexing a slice does.
    fn index(&self, index: [i64; N]) -> &T {
        match self.get(&index) {
            Some(element) => element,
            None => panic!("index {index:?} is outside of an array of shape {:?}", self.shape()),
        }
    }
}

/// # Safety
/// `at` points to `size` elements that live as long as `'a` and are not written, or `size` is 0.
unsafe fn slice<'a, T>(at: *const T, size: usize) -> &'a [T] {
    match size {
        0 => &[],
        // SAFETY: the caller's promise.
        _ => unsafe { std::slice::from_raw_parts(at, size) },
    }
}

/// Elements on the host.
impl Array {
    /// All elements in C order, copied from any device. `T` must be that of the dtype; [`Array::astype`] converts.
    /// Waits.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.expect::<T>("to_vec")?;
        let _reading = self.reading()?;
        let mut elements = Vec::<T>::with_capacity(self.size());
        let to = elements.as_mut_ptr();
        // SAFETY: the handle is held; there is room for all elements, which is what the number of bytes is.
        check(|e| unsafe { sys::gpuopt_to_host(self.raw(), to.cast(), self.nbytes(), e) })?;
        // SAFETY: the call wrote them all.
        unsafe {
            (0..self.size()).for_each(|i| T::make_valid(to.add(i)));
            elements.set_len(self.size());
        }
        Ok(elements)
    }
    /// The elements where they lie, without a copy, of a C-contiguous array on a device that uses host memory (the
    /// CPU). Waits.
    pub fn as_slice<T: Element>(&self) -> Result<HostSlice<'_, T>> {
        self.expect_contiguous("as_slice")?;
        let view = self.as_view::<T>()?;
        // SAFETY: as many elements as the array has, held for reading while the result lives; their bytes are values.
        let elements = unsafe { slice(view.first, self.size()) };
        Ok(HostSlice { elements, _reading: view._reading })
    }
    /// The same for writing. Clones and views show what is written; nothing else may use them meanwhile.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<HostSliceMut<'_, T>> {
        self.expect_contiguous("as_mut_slice")?;
        if self.is_read_only() {
            return Err(Error::new(Code::READ_ONLY, "as_mut_slice: the array must not be written to"));
        }
        let writing = self.writing()?;
        let first = self.address::<T>("as_mut_slice")?;
        let elements = match self.size() {
            0 => &mut [],
            // SAFETY: as many elements as the array has, ours alone while the result lives; their bytes are values.
            size => unsafe { std::slice::from_raw_parts_mut(first, size) },
        };
        Ok(HostSliceMut { elements, _writing: writing })
    }
    /// The elements where they lie, without a copy, whatever their strides, on a device that uses host memory. Waits.
    pub fn as_view<T: Element>(&self) -> Result<HostView<'_, T>> {
        let reading = self.reading()?;
        let first = self.address::<T>("as_view")?;
        Ok(HostView { first, array: self, _reading: reading })
    }
    /// Where the first element lies. What is recorded to read or write the elements has run; all bytes are values of
    /// `T`. The caller holds the elements.
    fn address<T: Element>(&self, what: &str) -> Result<*mut T> {
        self.expect::<T>(what)?;
        let device = self.device();
        if !device.info()?.host_memory {
            let message = format!("{what}: {} does not use host memory; copy with to_vec", device.name());
            return Err(Error::new(Code::UNSUPPORTED, message));
        }
        let mut address = std::ptr::null_mut();
        // SAFETY: the handle is held.
        check(|e| unsafe { sys::gpuopt_array_data(self.raw(), &mut address, e) })?;
        let first = address.cast::<T>();
        let aligned = |distance: i64| distance as usize % std::mem::align_of::<T>() == 0;
        if !aligned(address as i64) || !self.strides().iter().all(|&stride| aligned(stride)) {
            return Err(Error::new(
                Code::UNSUPPORTED,
                format!("{what}: the elements are not aligned; copy with to_vec"),
            ));
        }
        // SAFETY: elements of the array, held.
        if !unsafe { self.all_valid(first) } {
            return Err(Error::new(Code::FORMAT, format!("{what}: bytes that are no {}; copy with to_vec", T::DTYPE)));
        }
        Ok(first)
    }
    /// # Safety
    /// `first` is the first element, and the elements are held.
    unsafe fn all_valid<T: Element>(&self, first: *const T) -> bool {
        T::DTYPE != bool::DTYPE
            || NdIndex::new(self.shape()).all(|index| {
                let bytes: i64 = index.iter().zip(self.strides()).map(|(i, stride)| i * stride).sum();
                // SAFETY: an element of the array.
                unsafe { T::is_valid(first.cast::<u8>().offset(bytes as isize).cast()) }
            })
    }
    fn expect<T: Element>(&self, what: &str) -> Result<()> {
        if self.dtype() == T::DTYPE {
            return Ok(());
        }
        let message = format!("{what}: the array is of {}, not {}; convert with astype", self.dtype(), T::DTYPE);
        Err(Error::new(Code::TYPE, message))
    }
    fn expect_contiguous(&self, what: &str) -> Result<()> {
        if self.is_contiguous() {
            return Ok(());
        }
        let message =
            format!("{what}: the array of strides {:?} is not C-contiguous; copy it, or use as_view", self.strides());
        Err(Error::new(Code::INVALID_ARGUMENT, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, Device};

    #[test]
    fn bytes_that_are_no_bool_are_not_lent_as_one() {
        let (xp, bytes, size) = (Device::open("cpu").unwrap(), [1u8, 7], 2);
        let (data, bool_) = (bytes.as_ptr().cast(), DType::BOOL.number());
        // SAFETY: two elements; memory that was never written may look the same.
        let x = Array::fresh(|r, e| unsafe { sys::gpuopt_array_from(xp.raw(), data, bool_, 1, &size, r, e) });
        let mut x = x.unwrap();
        assert_eq!(x.to_vec::<bool>().unwrap(), [true, true]);
        assert_eq!(x.as_slice::<bool>().err().unwrap().code(), Code::FORMAT);
        assert_eq!(x.as_mut_slice::<bool>().err().unwrap().code(), Code::FORMAT);
        assert_eq!(*x.view(..1).unwrap().as_slice::<bool>().unwrap(), [true]);
    }
}
