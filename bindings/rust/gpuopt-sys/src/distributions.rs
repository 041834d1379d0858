// bindings/rust/gpuopt-sys/src/distributions.rs -- the numbers of distributions.h.

/// A random distribution: a `GPUOPT_DISTRIBUTION_*`.
pub type gpuopt_distribution = i32;
/// Of the beta distribution.
pub const GPUOPT_DISTRIBUTION_BETA: gpuopt_distribution = 1;
/// How many of n trials succeed, each with the probability p; int64.
pub const GPUOPT_DISTRIBUTION_BINOMIAL: gpuopt_distribution = 2;
/// Of the chi-square distribution.
pub const GPUOPT_DISTRIBUTION_CHISQUARE: gpuopt_distribution = 3;
/// Of the exponential distribution of this mean.
pub const GPUOPT_DISTRIBUTION_EXPONENTIAL: gpuopt_distribution = 4;
/// Of the F distribution.
pub const GPUOPT_DISTRIBUTION_F: gpuopt_distribution = 5;
/// Of the gamma distribution.
pub const GPUOPT_DISTRIBUTION_GAMMA: gpuopt_distribution = 6;
/// The number of the first trial that succeeds; int64.
pub const GPUOPT_DISTRIBUTION_GEOMETRIC: gpuopt_distribution = 7;
/// Of the Gumbel distribution.
pub const GPUOPT_DISTRIBUTION_GUMBEL: gpuopt_distribution = 8;
/// How many of nsample items are good ones; int64.
pub const GPUOPT_DISTRIBUTION_HYPERGEOMETRIC: gpuopt_distribution = 9;
/// Of the Laplace distribution.
pub const GPUOPT_DISTRIBUTION_LAPLACE: gpuopt_distribution = 10;
/// Of the logistic distribution.
pub const GPUOPT_DISTRIBUTION_LOGISTIC: gpuopt_distribution = 11;
/// Numbers whose logarithms are normal, of this mean and deviation.
pub const GPUOPT_DISTRIBUTION_LOGNORMAL: gpuopt_distribution = 12;
/// Of the logarithmic series distribution; int64.
pub const GPUOPT_DISTRIBUTION_LOGSERIES: gpuopt_distribution = 13;
/// Failures before n successes; int64.
pub const GPUOPT_DISTRIBUTION_NEGATIVE_BINOMIAL: gpuopt_distribution = 14;
/// Of the noncentral chi-square distribution.
pub const GPUOPT_DISTRIBUTION_NONCENTRAL_CHISQUARE: gpuopt_distribution = 15;
/// Of the noncentral F distribution.
pub const GPUOPT_DISTRIBUTION_NONCENTRAL_F: gpuopt_distribution = 16;
/// Of the normal distribution.
pub const GPUOPT_DISTRIBUTION_NORMAL: gpuopt_distribution = 17;
/// Of the Pareto distribution of the second kind.
pub const GPUOPT_DISTRIBUTION_PARETO: gpuopt_distribution = 18;
/// Of the Poisson distribution of this mean; int64.
pub const GPUOPT_DISTRIBUTION_POISSON: gpuopt_distribution = 19;
/// In [0, 1], of the density a x^(a - 1).
pub const GPUOPT_DISTRIBUTION_POWER: gpuopt_distribution = 20;
/// Of the Rayleigh distribution.
pub const GPUOPT_DISTRIBUTION_RAYLEIGH: gpuopt_distribution = 21;
/// Of the Cauchy distribution.
pub const GPUOPT_DISTRIBUTION_STANDARD_CAUCHY: gpuopt_distribution = 22;
/// Of the exponential distribution of mean 1.
pub const GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL: gpuopt_distribution = 23;
/// Of the gamma distribution of scale 1.
pub const GPUOPT_DISTRIBUTION_STANDARD_GAMMA: gpuopt_distribution = 24;
/// Of the normal distribution of mean 0 and deviation 1.
pub const GPUOPT_DISTRIBUTION_STANDARD_NORMAL: gpuopt_distribution = 25;
/// Of Student's t distribution.
pub const GPUOPT_DISTRIBUTION_STANDARD_T: gpuopt_distribution = 26;
/// Of the triangular distribution.
pub const GPUOPT_DISTRIBUTION_TRIANGULAR: gpuopt_distribution = 27;
/// In [low, high), each number as likely as the others.
pub const GPUOPT_DISTRIBUTION_UNIFORM: gpuopt_distribution = 28;
/// Angles of the von Mises distribution, in [-pi, pi].
pub const GPUOPT_DISTRIBUTION_VONMISES: gpuopt_distribution = 29;
/// Of the Wald, or inverse Gaussian, distribution.
pub const GPUOPT_DISTRIBUTION_WALD: gpuopt_distribution = 30;
/// Of the Weibull distribution of scale 1.
pub const GPUOPT_DISTRIBUTION_WEIBULL: gpuopt_distribution = 31;
/// Of the Zipf distribution; int64.
pub const GPUOPT_DISTRIBUTION_ZIPF: gpuopt_distribution = 32;
/// 0 to 2^63 - 1; int64.
pub const GPUOPT_DISTRIBUTION_TOMAXINT: gpuopt_distribution = 33;
/// Of the exponential distribution of mean 1, by inversion.
pub const GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL_INVERSE: gpuopt_distribution = 34;
