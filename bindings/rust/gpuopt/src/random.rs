// bindings/rust/gpuopt/src/random.rs -- random numbers: NumPy's RandomState, and the generator that is the same
// everywhere.
use crate::error::{check, count};
use crate::{Array, Code, DType, Device, Error, Result};
use gpuopt_sys as sys;
use std::ptr::NonNull;

pub(crate) fn missing() -> Error {
    Error::new(Code::INTERNAL, "the library gave no generator out")
}
pub(crate) fn number(dtype: Option<DType>) -> sys::gpuopt_dtype {
    dtype.map_or(sys::GPUOPT_DTYPE_DEFAULT, DType::number)
}

/// `numpy.random.RandomState`, bit for bit: MT19937 and the legacy distributions. Results live on its device; a shape
/// of `&[]` gives a 0-d array.
///
/// ```
/// # fn main() -> gpuopt::Result<()> {
/// let mut rng = gpuopt::RandomState::new(&gpuopt::Device::open("cpu")?, 1)?;
/// assert_eq!(rng.random_sample(&[1])?.to_vec::<f64>()?, [0.417022004702574]); // NumPy's first number of seed 1
/// # Ok(()) }
/// ```
///
/// Two threads cannot use one:
///
/// ```compile_fail
/// fn shared<T: Sync>() {}
/// shared::<gpuopt::RandomState>();
/// ```
#[derive(Debug)]
pub struct RandomState(pub(crate) NonNull<sys::gpuopt_random_state_s>);

// SAFETY: nothing depends on which thread calls. Not `Sync`: the ABI forbids two threads at once.
unsafe impl Send for RandomState {}

impl RandomState {
    /// Seeded with a number.
    pub fn new(device: &Device, seed: u32) -> Result<RandomState> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe { sys::gpuopt_random_state_create(device.raw(), seed, &mut raw, e) })?;
        NonNull::new(raw).map(RandomState).ok_or_else(missing)
    }
    /// Seeded with several, as `RandomState([..])`.
    pub fn from_seeds(device: &Device, seeds: &[u32]) -> Result<RandomState> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe {
            sys::gpuopt_random_state_create_array(device.raw(), count(seeds), seeds.as_ptr(), &mut raw, e)
        })?;
        NonNull::new(raw).map(RandomState).ok_or_else(missing)
    }
    pub(crate) fn raw(&mut self) -> sys::gpuopt_random_state {
        self.0.as_ptr()
    }
    /// Seeds anew.
    pub fn seed(&mut self, seed: u32) -> Result<()> {
        // SAFETY: the handle is valid and ours alone. So it is below.
        check(|e| unsafe { sys::gpuopt_random_state_seed(self.raw(), seed, e) })
    }
    /// float64 in [0, 1).
    pub fn random_sample(&mut self, shape: &[i64]) -> Result<Array> {
        // SAFETY: see `seed`; the shape is valid for the call.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_random_state_random_sample(self.raw(), count(shape), shape.as_ptr(), r, e)
        })
    }
    /// float64 in [low, high).
    pub fn uniform(&mut self, low: f64, high: f64, shape: &[i64]) -> Result<Array> {
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_random_state_uniform(self.raw(), low, high, count(shape), shape.as_ptr(), r, e)
        })
    }
    /// Normally distributed float64 of this mean and standard deviation.
    pub fn normal(&mut self, loc: f64, scale: f64, shape: &[i64]) -> Result<Array> {
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_random_state_normal(self.raw(), loc, scale, count(shape), shape.as_ptr(), r, e)
        })
    }
    /// Integers in [low, high); `None` is int64.
    pub fn randint(&mut self, low: i64, high: i64, shape: &[i64], dtype: impl Into<Option<DType>>) -> Result<Array> {
        let dtype = number(dtype.into());
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_random_state_randint(self.raw(), low, high, dtype, count(shape), shape.as_ptr(), r, e)
        })
    }
    /// Elements of a 1-d array, with these probabilities or equal ones.
    pub fn choice(&mut self, a: &Array, shape: &[i64], replace: bool, p: Option<&Array>) -> Result<Array> {
        let (_reading, _p) = (a.reading()?, p.map(Array::reading).transpose()?);
        let p = p.map_or(std::ptr::null_mut(), Array::raw);
        // SAFETY: as above; the arrays are held.
        Array::fresh(|r, e| unsafe {
            let (ndim, sizes, replace) = (count(shape), shape.as_ptr(), i32::from(replace));
            sys::gpuopt_random_state_choice(self.raw(), a.raw(), ndim, sizes, replace, p, r, e)
        })
    }
    /// Shuffles an array along its first axis, in place.
    pub fn shuffle(&mut self, x: &mut Array) -> Result<()> {
        let _writing = x.writing()?;
        // SAFETY: as above; the array is held for writing.
        check(|e| unsafe { sys::gpuopt_random_state_shuffle(self.raw(), x.raw(), e) })
    }
    /// 0 to n-1 in random order.
    pub fn permutation(&mut self, n: i64) -> Result<Array> {
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe { sys::gpuopt_random_state_permutation(self.raw(), n, std::ptr::null_mut(), r, e) })
    }
    /// A copy of an array, shuffled along its first axis.
    pub fn permuted(&mut self, a: &Array) -> Result<Array> {
        let _reading = a.reading()?;
        // SAFETY: as above; the array is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_random_state_permutation(self.raw(), 0, a.raw(), r, e) })
    }
}
impl Drop for RandomState {
    fn drop(&mut self) {
        // SAFETY: ours, and released once.
        unsafe { sys::gpuopt_random_state_release(self.0.as_ptr()) }
    }
}

/// Philox4x32-10, the same bits on every device, or PCG64 ([`Generator::pcg64`]). A `dtype` of `None` is float64, or
/// int64.
#[derive(Debug)]
pub struct Generator(pub(crate) NonNull<sys::gpuopt_generator_s>);

// SAFETY: nothing depends on which thread calls. Not `Sync`: the ABI lets distinct handles be used at once, not one.
unsafe impl Send for Generator {}

impl Generator {
    /// Seeded with a number; results live on `device`.
    pub fn new(device: &Device, seed: u64) -> Result<Generator> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe { sys::gpuopt_generator_create(device.raw(), seed, &mut raw, e) })?;
        NonNull::new(raw).map(Generator).ok_or_else(missing)
    }
    pub(crate) fn raw(&mut self) -> sys::gpuopt_generator {
        self.0.as_ptr()
    }
    /// Real numbers in [low, high).
    pub fn uniform(&mut self, low: f64, high: f64, shape: &[i64], dtype: impl Into<Option<DType>>) -> Result<Array> {
        let (dtype, ndim, sizes) = (number(dtype.into()), count(shape), shape.as_ptr());
        // SAFETY: the handle is valid and ours alone, the shape valid for the call. So they are below.
        Array::fresh(|r, e| unsafe { sys::gpuopt_generator_uniform(self.raw(), low, high, dtype, ndim, sizes, r, e) })
    }
    /// Normally distributed real numbers of this mean and standard deviation.
    pub fn normal(&mut self, loc: f64, scale: f64, shape: &[i64], dtype: impl Into<Option<DType>>) -> Result<Array> {
        let (dtype, ndim, sizes) = (number(dtype.into()), count(shape), shape.as_ptr());
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe { sys::gpuopt_generator_normal(self.raw(), loc, scale, dtype, ndim, sizes, r, e) })
    }
    /// Exponentially distributed real numbers of this mean.
    pub fn exponential(&mut self, scale: f64, shape: &[i64], dtype: impl Into<Option<DType>>) -> Result<Array> {
        let (dtype, ndim, sizes) = (number(dtype.into()), count(shape), shape.as_ptr());
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe { sys::gpuopt_generator_exponential(self.raw(), scale, dtype, ndim, sizes, r, e) })
    }
    /// Integers from `low` to `high`, which is one of them if `endpoint`.
    pub fn integers(
        &mut self,
        low: i64,
        high: i64,
        endpoint: bool,
        shape: &[i64],
        dtype: impl Into<Option<DType>>,
    ) -> Result<Array> {
        let (dtype, endpoint) = (number(dtype.into()), i32::from(endpoint));
        let (ndim, sizes) = (count(shape), shape.as_ptr());
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_generator_integers(self.raw(), low, high, endpoint, dtype, ndim, sizes, r, e)
        })
    }
    /// Elements of a 1-d array, with these probabilities or equal ones.
    pub fn choice(&mut self, a: &Array, shape: &[i64], replace: bool, p: Option<&Array>) -> Result<Array> {
        let (_reading, _p) = (a.reading()?, p.map(Array::reading).transpose()?);
        let p = p.map_or(std::ptr::null_mut(), Array::raw);
        // SAFETY: as above; the arrays are held.
        Array::fresh(|r, e| unsafe {
            let (ndim, sizes, replace) = (count(shape), shape.as_ptr(), i32::from(replace));
            sys::gpuopt_generator_choice(self.raw(), a.raw(), ndim, sizes, replace, p, r, e)
        })
    }
    /// 0 to n-1 in random order.
    pub fn permutation(&mut self, n: i64) -> Result<Array> {
        // SAFETY: as above.
        Array::fresh(|r, e| unsafe { sys::gpuopt_generator_permutation(self.raw(), n, std::ptr::null_mut(), r, e) })
    }
    /// A copy of an array, shuffled along its first axis.
    pub fn permuted(&mut self, a: &Array) -> Result<Array> {
        let _reading = a.reading()?;
        // SAFETY: as above; the array is held.
        Array::fresh(|r, e| unsafe { sys::gpuopt_generator_permutation(self.raw(), 0, a.raw(), r, e) })
    }
}
impl Drop for Generator {
    fn drop(&mut self) {
        // SAFETY: ours, and released once.
        unsafe { sys::gpuopt_generator_release(self.0.as_ptr()) }
    }
}
