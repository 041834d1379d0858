// bindings/rust/gpuopt/src/distributions.rs -- the distributions that RandomState and Generator draw from, and PCG64.
use crate::error::{check, count};
use crate::operand::with_all_handles;
use crate::random::{missing, number};
use crate::{Array, DType, Device, Generator, Operand, RandomState, Result};
use gpuopt_sys as sys;
use std::ptr::NonNull;

/// A random distribution with its parameters, which are numbers or arrays that broadcast. Numbers are float64 unless a
/// distribution says int64.
///
/// ```
/// # fn main() -> gpuopt::Result<()> {
/// let mut rng = gpuopt::Generator::pcg64(&gpuopt::Device::open("cpu")?, &[1])?;
/// let x = rng.draw(&gpuopt::Distribution::gamma(2.0, 1.5), [2, 3].as_slice(), None)?;
/// assert_eq!(x.shape(), [2, 3]);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Distribution<'a> {
    pub(crate) number: sys::gpuopt_distribution,
    pub(crate) parameters: Vec<Operand<'a>>,
}

macro_rules! distributions {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident),*) = $number:ident;)*) => {
        impl<'a> Distribution<'a> {$(
            $(#[$doc])*
            pub fn $name($($parameter: impl Into<Operand<'a>>),*) -> Distribution<'a> {
                Distribution { number: sys::$number, parameters: vec![$($parameter.into()),*] }
            }
        )*}
    };
}
distributions! {
    /// Draws from the beta distribution.
    beta(a, b) = GPUOPT_DISTRIBUTION_BETA;
    /// How many of n trials succeed, each with the probability p; int64.
    binomial(n, p) = GPUOPT_DISTRIBUTION_BINOMIAL;
    /// Draws from the chi-square distribution.
    chisquare(df) = GPUOPT_DISTRIBUTION_CHISQUARE;
    /// Draws from the exponential distribution of this mean.
    exponential(scale) = GPUOPT_DISTRIBUTION_EXPONENTIAL;
    /// Draws from the F distribution.
    f(dfnum, dfden) = GPUOPT_DISTRIBUTION_F;
    /// Draws from the gamma distribution.
    gamma(k, scale) = GPUOPT_DISTRIBUTION_GAMMA;
    /// The number of the first trial that succeeds; int64.
    geometric(p) = GPUOPT_DISTRIBUTION_GEOMETRIC;
    /// Draws from the Gumbel distribution.
    gumbel(loc, scale) = GPUOPT_DISTRIBUTION_GUMBEL;
    /// How many of nsample items are good ones; int64.
    hypergeometric(ngood, nbad, nsample) = GPUOPT_DISTRIBUTION_HYPERGEOMETRIC;
    /// Draws from the Laplace distribution.
    laplace(loc, scale) = GPUOPT_DISTRIBUTION_LAPLACE;
    /// Draws from the logistic distribution.
    logistic(loc, scale) = GPUOPT_DISTRIBUTION_LOGISTIC;
    /// Numbers whose logarithms are normal, of this mean and deviation.
    lognormal(mean, sigma) = GPUOPT_DISTRIBUTION_LOGNORMAL;
    /// Draws from the logarithmic series distribution; int64.
    logseries(p) = GPUOPT_DISTRIBUTION_LOGSERIES;
    /// Failures before n successes; int64.
    negative_binomial(n, p) = GPUOPT_DISTRIBUTION_NEGATIVE_BINOMIAL;
    /// Draws from the noncentral chi-square distribution.
    noncentral_chisquare(df, nonc) = GPUOPT_DISTRIBUTION_NONCENTRAL_CHISQUARE;
    /// Draws from the noncentral F distribution.
    noncentral_f(dfnum, dfden, nonc) = GPUOPT_DISTRIBUTION_NONCENTRAL_F;
    /// Draws from the normal distribution.
    normal(loc, scale) = GPUOPT_DISTRIBUTION_NORMAL;
    /// Draws from the Pareto distribution of the second kind.
    pareto(a) = GPUOPT_DISTRIBUTION_PARETO;
    /// Draws from the Poisson distribution of this mean; int64.
    poisson(lam) = GPUOPT_DISTRIBUTION_POISSON;
    /// In [0, 1], of the density a x^(a - 1).
    power(a) = GPUOPT_DISTRIBUTION_POWER;
    /// Draws from the Rayleigh distribution.
    rayleigh(scale) = GPUOPT_DISTRIBUTION_RAYLEIGH;
    /// Draws from the Cauchy distribution.
    standard_cauchy() = GPUOPT_DISTRIBUTION_STANDARD_CAUCHY;
    /// Draws from the exponential distribution of mean 1.
    standard_exponential() = GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL;
    /// Draws from the gamma distribution of scale 1.
    standard_gamma(k) = GPUOPT_DISTRIBUTION_STANDARD_GAMMA;
    /// Draws from the normal distribution of mean 0 and deviation 1.
    standard_normal() = GPUOPT_DISTRIBUTION_STANDARD_NORMAL;
    /// Of Student's t distribution.
    standard_t(df) = GPUOPT_DISTRIBUTION_STANDARD_T;
    /// Draws from the triangular distribution.
    triangular(left, mode, right) = GPUOPT_DISTRIBUTION_TRIANGULAR;
    /// In [low, high), each number as likely as the others.
    uniform(low, high) = GPUOPT_DISTRIBUTION_UNIFORM;
    /// Angles of the von Mises distribution, in [-pi, pi].
    vonmises(mu, kappa) = GPUOPT_DISTRIBUTION_VONMISES;
    /// Draws from the Wald, or inverse Gaussian, distribution.
    wald(mean, scale) = GPUOPT_DISTRIBUTION_WALD;
    /// Draws from the Weibull distribution of scale 1.
    weibull(a) = GPUOPT_DISTRIBUTION_WEIBULL;
    /// Draws from the Zipf distribution; int64.
    zipf(a) = GPUOPT_DISTRIBUTION_ZIPF;
    /// 0 to 2^63 - 1; int64.
    tomaxint() = GPUOPT_DISTRIBUTION_TOMAXINT;
    /// Draws from the exponential distribution of mean 1, by inversion.
    standard_exponential_inverse() = GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL_INVERSE;
}

/// The sizes of a shape, or -1 for the shape of the parameters.
fn sizes(shape: Option<&[i64]>) -> (i32, *const i64) {
    shape.map_or((-1, std::ptr::null()), |sizes| (count(sizes), sizes.as_ptr()))
}

/// How [`Generator::multivariate_normal`] factors covariances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalMethod {
    /// By singular values.
    #[default]
    Svd = sys::GPUOPT_NORMAL_SVD as isize,
    /// By eigenvalues.
    Eigh = sys::GPUOPT_NORMAL_EIGH as isize,
    /// By Cholesky's factor.
    Cholesky = sys::GPUOPT_NORMAL_CHOLESKY as isize,
}

impl RandomState {
    /// Draws from a distribution; `None` stands for the shape of its parameters.
    pub fn draw<'s>(&mut self, from: &Distribution<'_>, shape: impl Into<Option<&'s [i64]>>) -> Result<Array> {
        let (ndim, to) = sizes(shape.into());
        with_all_handles(&from.parameters, &[], |x| {
            // SAFETY: the handles are held; the shape is valid for the call. So they are below.
            Array::fresh(|r, e| unsafe {
                sys::gpuopt_random_state_draw(self.raw(), from.number, count(x), x.as_ptr(), ndim, to, r, e)
            })
        })
    }
    /// Integers in [low, high) within bounds that are arrays, or one of them; `None` stands for their shape, and int64.
    pub fn randint_between<'a, 's>(
        &mut self,
        low: impl Into<Operand<'a>>,
        high: impl Into<Operand<'a>>,
        shape: impl Into<Option<&'s [i64]>>,
        dtype: impl Into<Option<DType>>,
    ) -> Result<Array> {
        let ((ndim, to), dtype) = (sizes(shape.into()), number(dtype.into()));
        with_all_handles(&[low.into(), high.into()], &[], |x| {
            // SAFETY: see `draw`.
            Array::fresh(|r, e| unsafe {
                sys::gpuopt_random_state_randint_between(self.raw(), x[0], x[1], dtype, ndim, to, r, e)
            })
        })
    }
    /// How often each of the outcomes comes in `n` trials, along the last axis.
    pub fn multinomial(&mut self, n: i64, pvals: &Array, shape: &[i64]) -> Result<Array> {
        let _reading = pvals.reading()?;
        // SAFETY: see `draw`.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_random_state_multinomial(self.raw(), n, pvals.raw(), count(shape), shape.as_ptr(), r, e)
        })
    }
    /// Positive numbers that add up to 1 along the last axis.
    pub fn dirichlet(&mut self, alpha: &Array, shape: &[i64]) -> Result<Array> {
        let _reading = alpha.reading()?;
        // SAFETY: see `draw`.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_random_state_dirichlet(self.raw(), alpha.raw(), count(shape), shape.as_ptr(), r, e)
        })
    }
    /// Normal vectors with these means and covariances, which are checked by the tolerance, if there is one.
    pub fn multivariate_normal(
        &mut self,
        mean: &Array,
        cov: &Array,
        check: Option<f64>,
        shape: &[i64],
    ) -> Result<Array> {
        let (_reading, _cov, ndim, to) = (mean.reading()?, cov.reading()?, count(shape), shape.as_ptr());
        let (mean, cov, wanted, tol) = (mean.raw(), cov.raw(), i32::from(check.is_some()), check.unwrap_or(0.0));
        // SAFETY: see `draw`.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_random_state_multivariate_normal(self.raw(), mean, cov, wanted, tol, ndim, to, r, e)
        })
    }
    /// Fills a buffer with random bytes.
    pub fn fill_bytes(&mut self, bytes: &mut [u8]) -> Result<()> {
        // SAFETY: the buffer is as long as is said.
        check(|e| unsafe {
            sys::gpuopt_random_state_bytes(self.raw(), bytes.len() as i64, bytes.as_mut_ptr().cast(), e)
        })
    }
    /// The state, as `RandomState.get_state()` shows it.
    pub fn words(&mut self) -> Result<sys::gpuopt_mt19937_words> {
        let mut words = sys::gpuopt_mt19937_words::new();
        // SAFETY: the pointer is valid for the call.
        check(|e| unsafe { sys::gpuopt_random_state_get_words(self.raw(), &mut words, e) })?;
        Ok(words)
    }
    /// Goes on from a state that [`words`](RandomState::words) gave.
    pub fn set_words(&mut self, words: &sys::gpuopt_mt19937_words) -> Result<()> {
        // SAFETY: the pointer is valid for the call.
        check(|e| unsafe { sys::gpuopt_random_state_set_words(self.raw(), words, e) })
    }
}

impl Generator {
    /// A generator of the numbers of `numpy.random.default_rng()`, seeded with the 32-bit words of one or more
    /// integers, least significant first.
    pub fn pcg64(device: &Device, entropy: &[u32]) -> Result<Generator> {
        let (mut raw, none) = (std::ptr::null_mut(), std::ptr::null());
        // SAFETY: the handle is valid, and the pointers for the call.
        check(|e| unsafe {
            sys::gpuopt_generator_create_pcg64(device.raw(), count(entropy), entropy.as_ptr(), 0, none, &mut raw, e)
        })?;
        NonNull::new(raw).map(Generator).ok_or_else(missing)
    }
    /// A child with seeds of its own; of PCG64 alone, as `advance`, `words` and `set_words`.
    pub fn spawn(&mut self) -> Result<Generator> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        check(|e| unsafe { sys::gpuopt_generator_spawn(self.raw(), &mut raw, e) })?;
        NonNull::new(raw).map(Generator).ok_or_else(missing)
    }
    /// Moves on as if `steps` 64-bit words had been drawn.
    pub fn advance(&mut self, steps: u128) -> Result<()> {
        // SAFETY: the handle is ours alone.
        check(|e| unsafe { sys::gpuopt_generator_advance(self.raw(), steps as u64, (steps >> 64) as u64, e) })
    }
    /// The state, as `PCG64.state` shows it.
    pub fn words(&mut self) -> Result<sys::gpuopt_pcg64_words> {
        let mut words = sys::gpuopt_pcg64_words::new();
        // SAFETY: the pointer is valid for the call.
        check(|e| unsafe { sys::gpuopt_generator_get_words(self.raw(), &mut words, e) })?;
        Ok(words)
    }
    /// Goes on from a state that [`words`](Generator::words) gave.
    pub fn set_words(&mut self, words: &sys::gpuopt_pcg64_words) -> Result<()> {
        // SAFETY: the pointer is valid for the call.
        check(|e| unsafe { sys::gpuopt_generator_set_words(self.raw(), words, e) })
    }
    /// Draws from a distribution; `None` stands for the shape of its parameters, and for its own dtype. Standard
    /// normal, exponential and gamma numbers may be float32.
    pub fn draw<'s>(
        &mut self,
        from: &Distribution<'_>,
        shape: impl Into<Option<&'s [i64]>>,
        dtype: impl Into<Option<DType>>,
    ) -> Result<Array> {
        let ((ndim, to), dtype) = (sizes(shape.into()), number(dtype.into()));
        with_all_handles(&from.parameters, &[], |x| {
            // SAFETY: the handles are held; the shape is valid for the call. So they are below.
            Array::fresh(|r, e| unsafe {
                sys::gpuopt_generator_draw(self.raw(), from.number, count(x), x.as_ptr(), dtype, ndim, to, r, e)
            })
        })
    }
    /// Integers from `low` to `high`, which is one of them if `endpoint`, within bounds that are arrays, or one of
    /// them; `None` stands for their shape, and int64.
    pub fn integers_between<'a, 's>(
        &mut self,
        low: impl Into<Operand<'a>>,
        high: impl Into<Operand<'a>>,
        endpoint: bool,
        shape: impl Into<Option<&'s [i64]>>,
        dtype: impl Into<Option<DType>>,
    ) -> Result<Array> {
        let ((ndim, to), dtype, end) = (sizes(shape.into()), number(dtype.into()), i32::from(endpoint));
        with_all_handles(&[low.into(), high.into()], &[], |x| {
            // SAFETY: see `draw`.
            Array::fresh(|r, e| unsafe {
                sys::gpuopt_generator_integers_between(self.raw(), x[0], x[1], end, dtype, ndim, to, r, e)
            })
        })
    }
    /// How often each of the outcomes comes in `n` trials, along the last axis; `n` and the other axes of `pvals`
    /// broadcast.
    pub fn multinomial<'a, 's>(
        &mut self,
        n: impl Into<Operand<'a>>,
        pvals: &Array,
        shape: impl Into<Option<&'s [i64]>>,
    ) -> Result<Array> {
        let (ndim, to) = sizes(shape.into());
        with_all_handles(&[n.into(), pvals.into()], &[], |x| {
            // SAFETY: see `draw`.
            Array::fresh(|r, e| unsafe { sys::gpuopt_generator_multinomial(self.raw(), x[0], x[1], ndim, to, r, e) })
        })
    }
    /// Positive numbers that add up to 1 along the last axis.
    pub fn dirichlet(&mut self, alpha: &Array, shape: &[i64]) -> Result<Array> {
        let _reading = alpha.reading()?;
        // SAFETY: see `draw`.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_generator_dirichlet(self.raw(), alpha.raw(), count(shape), shape.as_ptr(), r, e)
        })
    }
    /// Normal vectors with these means and covariances, which are checked by the tolerance, if there is one.
    pub fn multivariate_normal(
        &mut self,
        mean: &Array,
        cov: &Array,
        method: NormalMethod,
        check: Option<f64>,
        shape: &[i64],
    ) -> Result<Array> {
        let (_reading, _cov, ndim, to) = (mean.reading()?, cov.reading()?, count(shape), shape.as_ptr());
        let (mean, cov, wanted, tol) = (mean.raw(), cov.raw(), i32::from(check.is_some()), check.unwrap_or(0.0));
        // SAFETY: see `draw`.
        Array::fresh(|r, e| unsafe {
            let method = method as sys::gpuopt_normal_method;
            sys::gpuopt_generator_multivariate_normal(self.raw(), mean, cov, method, wanted, tol, ndim, to, r, e)
        })
    }
    /// How many of each colour are among `nsample` items, along the last axis.
    pub fn multivariate_hypergeometric(
        &mut self,
        colors: &Array,
        nsample: i64,
        by_counting: bool,
        shape: &[i64],
    ) -> Result<Array> {
        let (_reading, by_counting) = (colors.reading()?, i32::from(by_counting));
        let (ndim, to) = (count(shape), shape.as_ptr());
        // SAFETY: see `draw`.
        Array::fresh(|r, e| unsafe {
            let colors = colors.raw();
            sys::gpuopt_generator_multivariate_hypergeometric(self.raw(), colors, nsample, by_counting, ndim, to, r, e)
        })
    }
    /// A copy whose elements along an axis are in another random order in each row; of PCG64 alone.
    pub fn permuted_along(&mut self, x: &Array, axis: i64) -> Result<Array> {
        let _reading = x.reading()?;
        // SAFETY: see `draw`.
        Array::fresh(|r, e| unsafe { sys::gpuopt_generator_permuted(self.raw(), x.raw(), axis, r, e) })
    }
    /// Fills a buffer with random bytes.
    pub fn fill_bytes(&mut self, bytes: &mut [u8]) -> Result<()> {
        // SAFETY: the buffer is as long as is said.
        check(|e| unsafe { sys::gpuopt_generator_bytes(self.raw(), bytes.len() as i64, bytes.as_mut_ptr().cast(), e) })
    }
}
