// bindings/rust/gpuopt/src/index.rs -- basic indexing, and iterators over shapes and rows.
use crate::error::{check, count};
use crate::operand::with_all_handles;
use crate::{Array, Code, Error, Operand, Result};
use gpuopt_sys as sys;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// One item of a basic index, as Python's `x[...]` takes them. Integers and ranges turn into it; bounds may be negative
/// and then count from the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// `x[i]`: the dimension goes.
    At(i64),
    /// `x[start:stop:step]`; `None` leaves a bound out.
    Slice {
        /// The first position.
        start: Option<i64>,
        /// The end, not included.
        stop: Option<i64>,
        /// From one to the next; not 0.
        step: i64,
    },
    /// `x[None]`: a new dimension of size 1.
    NewAxis,
    /// `x[...]`: as many whole dimensions as are left.
    Ellipsis,
}

impl Index {
    /// Every `step`-th of a range: `Index::step(.., -1)` reverses.
    pub fn step(range: impl Into<Index>, step: i64) -> Index {
        match range.into() {
            Index::Slice { start, stop, .. } => Index::Slice { start, stop, step },
            other => other,
        }
    }
    fn range(start: Option<i64>, stop: Option<i64>) -> Index {
        Index::Slice { start, stop, step: 1 }
    }
    fn to_raw(self) -> sys::gpuopt_index {
        let bound = |at: Option<i64>| at.unwrap_or(sys::GPUOPT_SLICE_ALL);
        let (kind, start, stop, step) = match self {
            Index::At(at) => (sys::GPUOPT_INDEX_INTEGER, at, 0, 0),
            Index::Slice { start, stop, step } => (sys::GPUOPT_INDEX_SLICE, bound(start), bound(stop), step),
            Index::NewAxis => (sys::GPUOPT_INDEX_NEWAXIS, 0, 0, 0),
            Index::Ellipsis => (sys::GPUOPT_INDEX_ELLIPSIS, 0, 0, 0),
        };
        sys::gpuopt_index { kind, reserved: 0, start, stop, step }
    }
}
/// The end of a range that includes `last`: behind -1 there is nothing.
fn behind(last: i64) -> Option<i64> {
    (last != -1).then(|| last.saturating_add(1))
}
macro_rules! from {
    ($($type:ty: $value:ident => $index:expr;)*) => {$(
        impl From<$type> for Index {
            fn from($value: $type) -> Index {
                $index
            }
        }
    )*};
}
from! {
    i64: at => Index::At(at);
    Range<i64>: r => Index::range(Some(r.start), Some(r.end));
    RangeFrom<i64>: r => Index::range(Some(r.start), None);
    RangeTo<i64>: r => Index::range(None, Some(r.end));
    RangeFull: _r => Index::range(None, None);
    RangeInclusive<i64>: r => Index::range(Some(*r.start()), behind(*r.end()));
    RangeToInclusive<i64>: r => Index::range(None, behind(r.end));
}

/// An item of an index that may have arrays ([`Array::get`], [`Array::set`]).
#[derive(Clone, Copy)]
pub enum AnyIndex<'a> {
    /// An integer, a range, a new dimension or the ellipsis.
    Basic(Index),
    /// Integers or bool.
    Array(&'a Array),
}
impl<T: Into<Index>> From<T> for AnyIndex<'_> {
    fn from(item: T) -> Self {
        AnyIndex::Basic(item.into())
    }
}
impl<'a> From<&'a Array> for AnyIndex<'a> {
    fn from(indices: &'a Array) -> Self {
        AnyIndex::Array(indices)
    }
}
// The items as C has them, and the operands of a call: those in front, and the arrays among the items.
pub(crate) fn split<'a>(items: &[AnyIndex<'a>], front: Vec<Operand<'a>>) -> (Vec<sys::gpuopt_index>, Vec<Operand<'a>>) {
    let mut operands = front;
    let raw = |item: &AnyIndex<'a>| match item {
        AnyIndex::Basic(index) => index.to_raw(),
        AnyIndex::Array(indices) => {
            operands.push((*indices).into());
            sys::gpuopt_index { kind: sys::GPUOPT_INDEX_ARRAY, reserved: 0, start: 0, stop: 0, step: 0 }
        }
    };
    (items.iter().map(raw).collect(), operands)
}

/// What [`Array::view`] takes: one item, a tuple of up to six, or a slice of [`Index`].
pub trait Indices {
    /// The items.
    fn to_indices(self) -> Vec<Index>;
}
impl<T: Into<Index>> Indices for T {
    fn to_indices(self) -> Vec<Index> {
        vec![self.into()]
    }
}
impl Indices for &[Index] {
    fn to_indices(self) -> Vec<Index> {
        self.to_vec()
    }
}
macro_rules! tuples {
    ($(($($item:ident)*))*) => {$(
        impl<$($item: Into<Index>),*> Indices for ($($item,)*) {
            #[allow(non_snake_case)]
            fn to_indices(self) -> Vec<Index> {
                let ($($item,)*) = self;
                vec![$($item.into()),*]
            }
        }
    )*};
}
tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }

impl Array {
    /// A view of some of the elements, as Python's `x[...]`.
    ///
    /// ```
    /// use gpuopt::Index;
    /// # fn main() -> gpuopt::Result<()> {
    /// let x = gpuopt::Device::open("cpu")?.arange(0, 12, 1, None)?.reshape(&[3, 4])?;
    /// assert_eq!(x.view(1)?.to_vec::<i64>()?, [4, 5, 6, 7]);
    /// assert_eq!(x.view((.., -1))?.to_vec::<i64>()?, [3, 7, 11]);
    /// assert_eq!(x.view((..2, Index::step(.., -2)))?.to_vec::<i64>()?, [3, 1, 7, 5]);
    /// assert_eq!(x.view((Index::Ellipsis, Index::NewAxis))?.shape(), [3, 4, 1]);
    /// # Ok(()) }
    /// ```
    pub fn view(&self, index: impl Indices) -> Result<Array> {
        let items: Vec<_> = index.to_indices().into_iter().map(Index::to_raw).collect();
        // SAFETY: the handle is held.
        self.sharing(|r, e| unsafe { sys::gpuopt_slice(self.raw(), count(&items), items.as_ptr(), r, e) })
    }
    /// `x[items]` with any mixture of items, as NumPy's; always a fresh array. Runs.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let cpu = gpuopt::Device::open("cpu")?;
    /// let mut x = cpu.arange(0, 6, 1, None)?.reshape(&[3, 2])?;
    /// let rows = cpu.array(&[2i64, 0], &[2])?;
    /// assert_eq!(x.get(&[(&rows).into(), 1.into()])?.to_vec::<i64>()?, [5, 1]);
    /// x.set(&[(&rows).into(), 1.into()], 7)?;
    /// assert_eq!(x.to_vec::<i64>()?, [0, 7, 2, 3, 4, 7]);
    /// # Ok(()) }
    /// ```
    pub fn get(&self, items: &[AnyIndex<'_>]) -> Result<Array> {
        let (raw, operands) = split(items, vec![self.into()]);
        if operands.len() == 1 {
            let basic: Vec<Index> = items
                .iter()
                .filter_map(|item| if let AnyIndex::Basic(index) = item { Some(*index) } else { None })
                .collect();
            return self.view(&basic[..])?.copy();
        }
        with_all_handles(&operands, &[], |h| {
            let arrays = &h[1..];
            // SAFETY: the handles are held, and the lists live during the call.
            Array::fresh(|r, e| unsafe {
                sys::gpuopt_get(h[0], count(&raw), raw.as_ptr(), count(arrays), arrays.as_ptr(), r, e)
            })
        })
    }
    /// `x[items] = value` with any mixture of items; of equal indices the last wins.
    pub fn set<'a>(&mut self, items: &[AnyIndex<'a>], value: impl Into<Operand<'a>>) -> Result<()> {
        let _writing = self.writing()?;
        let (raw, operands) = split(items, vec![value.into()]);
        with_all_handles(&operands, &[self], |h| {
            let arrays = &h[1..];
            // SAFETY: the handles are held, that of `self` for writing, and the lists live during the call.
            check(|e| unsafe {
                sys::gpuopt_set(self.raw(), count(&raw), raw.as_ptr(), count(arrays), arrays.as_ptr(), h[0], e)
            })
        })
    }
    /// The views `x[0]`, `x[1]`, ...; an array of no dimensions has none.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let x = gpuopt::Device::open("cpu")?.array(&[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
    /// let sums: gpuopt::Result<Vec<f64>> = x.rows()?.map(|row| Ok(row?.sum(())?.item(&[])?.to_f64())).collect();
    /// assert_eq!(sums?, [3.0, 7.0]);
    /// # Ok(()) }
    /// ```
    pub fn rows(&self) -> Result<Rows<'_>> {
        match self.shape().first() {
            Some(&size) => Ok(Rows { array: self, left: 0..size }),
            None => Err(Error::new(Code::INDEX, "rows: an array of no dimensions has no rows")),
        }
    }
    /// The indices of all elements, in C order.
    pub fn indices(&self) -> NdIndex {
        NdIndex::new(self.shape())
    }
}

/// The rows of an array; see [`Array::rows`].
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    array: &'a Array,
    left: Range<i64>,
}
impl Iterator for Rows<'_> {
    type Item = Result<Array>;
    fn next(&mut self) -> Option<Result<Array>> {
        self.left.next().map(|i| self.array.view(i))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}
impl DoubleEndedIterator for Rows<'_> {
    fn next_back(&mut self) -> Option<Result<Array>> {
        self.left.next_back().map(|i| self.array.view(i))
    }
}
impl ExactSizeIterator for Rows<'_> {}

/// The indices of all elements of a shape, in C order; a shape of no dimensions has one, `[]`.
///
/// ```
/// let all: Vec<_> = gpuopt::NdIndex::new(&[2, 2]).collect();
/// assert_eq!(all, [[0, 0], [0, 1], [1, 0], [1, 1]]);
/// ```
#[derive(Clone, Debug)]
pub struct NdIndex {
    shape: Vec<i64>,
    next: Option<Vec<i64>>,
}
impl NdIndex {
    /// The indices of this shape; a size below 1 has none.
    pub fn new(shape: &[i64]) -> NdIndex {
        let some = shape.iter().all(|&size| size > 0);
        NdIndex { shape: shape.to_vec(), next: some.then(|| vec![0; shape.len()]) }
    }
}
impl Iterator for NdIndex {
    type Item = Vec<i64>;
    fn next(&mut self) -> Option<Vec<i64>> {
        let now = self.next.take()?;
        let mut after = now.clone();
        for axis in (0..after.len()).rev() {
            after[axis] += 1;
            if after[axis] < self.shape[axis] {
                self.next = Some(after);
                break;
            }
            after[axis] = 0;
        }
        Some(now)
    }
}

/// The shape that shapes broadcast to.
pub fn broadcast_shapes(shapes: &[&[i64]]) -> Result<Vec<i64>> {
    let ndims: Vec<i32> = shapes.iter().map(|shape| count(shape)).collect();
    let sizes: Vec<*const i64> = shapes.iter().map(|shape| shape.as_ptr()).collect();
    let (mut ndim, mut result) = (0, vec![0; sys::GPUOPT_MAX_NDIM]);
    // SAFETY: as many shapes as numbers of dimensions; the result has room for the most dimensions there are.
    check(|e| unsafe {
        sys::gpuopt_broadcast_shapes(count(shapes), ndims.as_ptr(), sizes.as_ptr(), &mut ndim, result.as_mut_ptr(), e)
    })?;
    result.truncate(ndim as usize);
    Ok(result)
}
