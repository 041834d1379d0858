// bindings/go/distributions.go -- the distributions that RandomState and Generator draw from, and PCG64.

package gpuopt

// #include <gpuopt/gpuopt.h>
import "C"

import "unsafe"

// A Distribution is a random distribution with its parameters, which are numbers or arrays that broadcast. Numbers are
// float64 unless a distribution says int64.
type Distribution struct {
	number     C.gpuopt_distribution
	parameters []Operand
}

func of(number C.gpuopt_distribution, parameters ...Operand) Distribution {
	return Distribution{number, parameters}
}

// BetaDistribution chooses the beta distribution.
func BetaDistribution(a, b Operand) Distribution { return of(C.GPUOPT_DISTRIBUTION_BETA, a, b) }

// BinomialDistribution counts how many of n trials succeed, each with the probability p; int64.
func BinomialDistribution(n, p Operand) Distribution { return of(C.GPUOPT_DISTRIBUTION_BINOMIAL, n, p) }

// ChisquareDistribution chooses the chi-square distribution.
func ChisquareDistribution(df Operand) Distribution { return of(C.GPUOPT_DISTRIBUTION_CHISQUARE, df) }

// ExponentialDistribution chooses the exponential distribution of this mean.
func ExponentialDistribution(scale Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_EXPONENTIAL, scale)
}

// FDistribution chooses the F distribution.
func FDistribution(dfnum, dfden Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_F, dfnum, dfden)
}

// GammaDistribution chooses the gamma distribution.
func GammaDistribution(k, scale Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_GAMMA, k, scale)
}

// GeometricDistribution gives the number of the first trial that succeeds; int64.
func GeometricDistribution(p Operand) Distribution { return of(C.GPUOPT_DISTRIBUTION_GEOMETRIC, p) }

// GumbelDistribution chooses the Gumbel distribution.
func GumbelDistribution(loc, scale Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_GUMBEL, loc, scale)
}

// HypergeometricDistribution counts how many of nsample items are good ones; int64.
func HypergeometricDistribution(ngood, nbad, nsample Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_HYPERGEOMETRIC, ngood, nbad, nsample)
}

// LaplaceDistribution chooses the Laplace distribution.
func LaplaceDistribution(loc, scale Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_LAPLACE, loc, scale)
}

// LogisticDistribution chooses the logistic distribution.
func LogisticDistribution(loc, scale Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_LOGISTIC, loc, scale)
}

// LognormalDistribution draws numbers whose logarithms are normal, of this mean and deviation.
func LognormalDistribution(mean, sigma Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_LOGNORMAL, mean, sigma)
}

// LogseriesDistribution chooses the logarithmic series distribution; int64.
func LogseriesDistribution(p Operand) Distribution { return of(C.GPUOPT_DISTRIBUTION_LOGSERIES, p) }

// NegativeBinomialDistribution counts failures before n successes; int64.
func NegativeBinomialDistribution(n, p Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_NEGATIVE_BINOMIAL, n, p)
}

// NoncentralChisquareDistribution chooses the noncentral chi-square distribution.
func NoncentralChisquareDistribution(df, nonc Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_NONCENTRAL_CHISQUARE, df, nonc)
}

// NoncentralFDistribution chooses the noncentral F distribution.
func NoncentralFDistribution(dfnum, dfden, nonc Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_NONCENTRAL_F, dfnum, dfden, nonc)
}

// NormalDistribution chooses the normal distribution.
func NormalDistribution(loc, scale Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_NORMAL, loc, scale)
}

// ParetoDistribution chooses the Pareto distribution of the second kind.
func ParetoDistribution(a Operand) Distribution { return of(C.GPUOPT_DISTRIBUTION_PARETO, a) }

// PoissonDistribution chooses the Poisson distribution of this mean; int64.
func PoissonDistribution(lam Operand) Distribution { return of(C.GPUOPT_DISTRIBUTION_POISSON, lam) }

// PowerDistribution draws numbers in [0, 1], of the density a x^(a - 1).
func PowerDistribution(a Operand) Distribution { return of(C.GPUOPT_DISTRIBUTION_POWER, a) }

// RayleighDistribution chooses the Rayleigh distribution.
func RayleighDistribution(scale Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_RAYLEIGH, scale)
}

// StandardCauchyDistribution chooses the Cauchy distribution.
func StandardCauchyDistribution() Distribution { return of(C.GPUOPT_DISTRIBUTION_STANDARD_CAUCHY) }

// StandardExponentialDistribution chooses the exponential distribution of mean 1.
func StandardExponentialDistribution() Distribution {
	return of(C.GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL)
}

// StandardGammaDistribution chooses the gamma distribution of scale 1.
func StandardGammaDistribution(k Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_STANDARD_GAMMA, k)
}

// StandardNormalDistribution chooses the normal distribution of mean 0 and deviation 1.
func StandardNormalDistribution() Distribution { return of(C.GPUOPT_DISTRIBUTION_STANDARD_NORMAL) }

// StandardTDistribution chooses Student's t distribution.
func StandardTDistribution(df Operand) Distribution { return of(C.GPUOPT_DISTRIBUTION_STANDARD_T, df) }

// TriangularDistribution chooses the triangular distribution.
func TriangularDistribution(left, mode, right Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_TRIANGULAR, left, mode, right)
}

// UniformDistribution draws numbers in [low, high), each number as likely as the others.
func UniformDistribution(low, high Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_UNIFORM, low, high)
}

// VonmisesDistribution draws angles of the von Mises distribution, in [-pi, pi].
func VonmisesDistribution(mu, kappa Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_VONMISES, mu, kappa)
}

// WaldDistribution chooses the Wald, or inverse Gaussian, distribution.
func WaldDistribution(mean, scale Operand) Distribution {
	return of(C.GPUOPT_DISTRIBUTION_WALD, mean, scale)
}

// WeibullDistribution chooses the Weibull distribution of scale 1.
func WeibullDistribution(a Operand) Distribution { return of(C.GPUOPT_DISTRIBUTION_WEIBULL, a) }

// ZipfDistribution chooses the Zipf distribution; int64.
func ZipfDistribution(a Operand) Distribution { return of(C.GPUOPT_DISTRIBUTION_ZIPF, a) }

// TomaxintDistribution draws integers from 0 to 2^63 - 1; int64.
func TomaxintDistribution() Distribution { return of(C.GPUOPT_DISTRIBUTION_TOMAXINT) }

// StandardExponentialInverseDistribution chooses the exponential distribution of mean 1, by inversion.
func StandardExponentialInverseDistribution() Distribution {
	return of(C.GPUOPT_DISTRIBUTION_STANDARD_EXPONENTIAL_INVERSE)
}

// SameShape stands for the shape of the parameters, broadcast together: Draw(d, SameShape).
const SameShape = -1

// drawnSizes gives the sizes of a shape, which SameShape alone leaves to the parameters.
func drawnSizes(shape []int) (C.int32_t, *C.int64_t) {
	if len(shape) == 1 && shape[0] == SameShape {
		return -1, nil
	}
	return sizes(shape)
}

// Draw draws from a distribution.
func (s *RandomState) Draw(from Distribution, shape ...int) (*Array, error) {
	state, err := s.h.hold()
	if err != nil {
		return nil, err
	}
	defer s.h.done()
	ndim, to := drawnSizes(shape)
	return giveOf(from.parameters, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_draw(state, from.number, C.int32_t(len(x)), first(x), ndim, to, r, e)
	})
}

// RandIntBetween gives integers in [low, high), whose bounds are arrays, or one of them; [Default] is int64, and
// [SameShape] the shape that they broadcast to.
func (s *RandomState) RandIntBetween(dtype DType, low, high Operand, shape ...int) (*Array, error) {
	state, err := s.h.hold()
	if err != nil {
		return nil, err
	}
	defer s.h.done()
	ndim, to := drawnSizes(shape)
	both := []Operand{low, high}
	return giveOf(both, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_randint_between(state, x[0], x[1], C.gpuopt_dtype(dtype), ndim, to, r, e)
	})
}

// Multinomial says how often each of the outcomes comes in n trials, along the last axis.
func (s *RandomState) Multinomial(n int64, pvals *Array, shape ...int) (*Array, error) {
	return chosen(s.h, pvals, nil, shape, func(raw C.gpuopt_random_state, p, _ C.gpuopt_array, ndim C.int32_t,
		to *C.int64_t, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_multinomial(raw, C.int64_t(n), p, ndim, to, r, e)
	})
}

// Dirichlet gives positive numbers that add up to 1 along the last axis.
func (s *RandomState) Dirichlet(alpha *Array, shape ...int) (*Array, error) {
	return chosen(s.h, alpha, nil, shape, func(raw C.gpuopt_random_state, a, _ C.gpuopt_array, ndim C.int32_t,
		to *C.int64_t, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_dirichlet(raw, a, ndim, to, r, e)
	})
}

// MultivariateNormal gives normal vectors with these means and covariances, which are checked by the tolerance, unless
// that is negative.
func (s *RandomState) MultivariateNormal(mean, cov *Array, tol float64, shape ...int) (*Array, error) {
	return chosen(s.h, mean, cov, shape, func(raw C.gpuopt_random_state, m, c C.gpuopt_array, ndim C.int32_t,
		to *C.int64_t, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_multivariate_normal(raw, m, c, flag(tol >= 0), C.double(tol), ndim, to, r, e)
	})
}

// Bytes gives random bytes.
func (s *RandomState) Bytes(length int) ([]byte, error) {
	return randomBytes(s.h, length, func(raw C.gpuopt_random_state, to unsafe.Pointer,
		e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_bytes(raw, C.int64_t(length), to, e)
	})
}

// randomBytes makes a C call that fills memory.
func randomBytes[G comparable](h *handle[G], length int, call func(raw G, to unsafe.Pointer,
	e *C.gpuopt_error) C.gpuopt_status) ([]byte, error) {
	raw, err := h.hold()
	if err != nil {
		return nil, err
	}
	defer h.done()
	room := length
	if room < 0 {
		room = 0
	}
	made := make([]byte, room+1) // so that there is a first one
	err = check(func(e *C.gpuopt_error) C.gpuopt_status { return call(raw, unsafe.Pointer(&made[0]), e) })
	return made[:room], err
}

// MT19937Words is the state of a RandomState, as NumPy's get_state() shows it.
type MT19937Words struct {
	Key      [624]uint32
	Position int
	HasGauss bool
	Gauss    float64
}

// Words gives the state.
func (s *RandomState) Words() (MT19937Words, error) {
	var words C.gpuopt_mt19937_words
	words.struct_size = C.uint32_t(unsafe.Sizeof(words))
	var made MT19937Words
	err := s.withState(func(raw C.gpuopt_random_state, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_get_words(raw, &words, e)
	})
	for i, word := range words.key {
		made.Key[i] = uint32(word)
	}
	made.Position, made.HasGauss, made.Gauss = int(words.position), words.has_gauss != 0, float64(words.gauss)
	return made, err
}

// SetWords goes on from a state that [RandomState.Words] gave.
func (s *RandomState) SetWords(from MT19937Words) error {
	var words C.gpuopt_mt19937_words
	words.struct_size = C.uint32_t(unsafe.Sizeof(words))
	for i, word := range from.Key {
		words.key[i] = C.uint32_t(word)
	}
	words.position, words.has_gauss, words.gauss = C.int32_t(from.Position), flag(from.HasGauss), C.double(from.Gauss)
	return s.withState(func(raw C.gpuopt_random_state, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_random_state_set_words(raw, &words, e)
	})
}

func (s *RandomState) withState(call func(raw C.gpuopt_random_state, e *C.gpuopt_error) C.gpuopt_status) error {
	raw, err := s.h.hold()
	if err != nil {
		return err
	}
	defer s.h.done()
	return check(func(e *C.gpuopt_error) C.gpuopt_status { return call(raw, e) })
}

// NewPCG64 makes a generator of the numbers of numpy.random.default_rng(), seeded with the 32-bit words of one or more
// integers, least significant first.
func NewPCG64(device *Device, entropy ...uint32) (*Generator, error) {
	words := make([]C.uint32_t, len(entropy)+1) // so that there is a first one
	for i, word := range entropy {
		words[i] = C.uint32_t(word)
	}
	var raw C.gpuopt_generator
	err := device.call(func(d C.gpuopt_device, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_create_pcg64(d, C.int32_t(len(entropy)), &words[0], 0, nil, &raw, e)
	})
	if err != nil {
		return nil, err
	}
	return newGenerator(raw), nil
}

func newGenerator(raw C.gpuopt_generator) *Generator {
	return &Generator{newHandle(raw, "generator", func(g C.gpuopt_generator) { C.gpuopt_generator_release(g) })}
}

func (g *Generator) withGenerator(call func(raw C.gpuopt_generator, e *C.gpuopt_error) C.gpuopt_status) error {
	raw, err := g.h.hold()
	if err != nil {
		return err
	}
	defer g.h.done()
	return check(func(e *C.gpuopt_error) C.gpuopt_status { return call(raw, e) })
}

// Spawn gives a child with seeds of its own; of PCG64 alone, as Advance, Words and SetWords.
func (g *Generator) Spawn() (*Generator, error) {
	var child C.gpuopt_generator
	err := g.withGenerator(func(raw C.gpuopt_generator, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_spawn(raw, &child, e)
	})
	if err != nil {
		return nil, err
	}
	return newGenerator(child), nil
}

// Advance moves on as if low + 2^64 * high 64-bit words had been drawn.
func (g *Generator) Advance(low, high uint64) error {
	return g.withGenerator(func(raw C.gpuopt_generator, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_advance(raw, C.uint64_t(low), C.uint64_t(high), e)
	})
}

// PCG64Words is the state of a generator of PCG64, as NumPy shows it; 128-bit numbers with their low half first.
type PCG64Words struct {
	State, Increment [2]uint64
	HasUint32        bool
	Uinteger         uint32
}

// Words gives the state.
func (g *Generator) Words() (PCG64Words, error) {
	var words C.gpuopt_pcg64_words
	words.struct_size = C.uint32_t(unsafe.Sizeof(words))
	err := g.withGenerator(func(raw C.gpuopt_generator, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_get_words(raw, &words, e)
	})
	var made PCG64Words
	for i := range made.State {
		made.State[i], made.Increment[i] = uint64(words.state[i]), uint64(words.increment[i])
	}
	made.HasUint32, made.Uinteger = words.has_uint32 != 0, uint32(words.uinteger)
	return made, err
}

// SetWords goes on from a state that [Generator.Words] gave.
func (g *Generator) SetWords(from PCG64Words) error {
	var words C.gpuopt_pcg64_words
	words.struct_size = C.uint32_t(unsafe.Sizeof(words))
	for i := range from.State {
		words.state[i], words.increment[i] = C.uint64_t(from.State[i]), C.uint64_t(from.Increment[i])
	}
	words.has_uint32, words.uinteger = flag(from.HasUint32), C.uint32_t(from.Uinteger)
	return g.withGenerator(func(raw C.gpuopt_generator, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_set_words(raw, &words, e)
	})
}

// Draw draws from a distribution, in its own dtype for [Default]. Standard normal, exponential and gamma numbers may be
// float32.
func (g *Generator) Draw(dtype DType, from Distribution, shape ...int) (*Array, error) {
	raw, err := g.h.hold()
	if err != nil {
		return nil, err
	}
	defer g.h.done()
	ndim, to := drawnSizes(shape)
	return giveOf(from.parameters, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		count, number := C.int32_t(len(x)), from.number
		return C.gpuopt_generator_draw(raw, number, count, first(x), C.gpuopt_dtype(dtype), ndim, to, r, e)
	})
}

// IntegersBetween gives integers from low to high, which is one of them if endpoint, whose bounds are arrays, or one of
// them; [Default] is int64, and [SameShape] the shape that they broadcast to.
func (g *Generator) IntegersBetween(dtype DType, low, high Operand, endpoint bool, shape ...int) (*Array, error) {
	raw, err := g.h.hold()
	if err != nil {
		return nil, err
	}
	defer g.h.done()
	ndim, to := drawnSizes(shape)
	both := []Operand{low, high}
	return giveOf(both, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		end, t := flag(endpoint), C.gpuopt_dtype(dtype)
		return C.gpuopt_generator_integers_between(raw, x[0], x[1], end, t, ndim, to, r, e)
	})
}

// Multinomial says how often each of the outcomes comes in n trials, along the last axis; n and the other axes of pvals
// broadcast.
func (g *Generator) Multinomial(n Operand, pvals *Array, shape ...int) (*Array, error) {
	raw, err := g.h.hold()
	if err != nil {
		return nil, err
	}
	defer g.h.done()
	ndim, to := drawnSizes(shape)
	both := []Operand{n, pvals}
	return giveOf(both, func(x []C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_multinomial(raw, x[0], x[1], ndim, to, r, e)
	})
}

// Dirichlet gives positive numbers that add up to 1 along the last axis.
func (g *Generator) Dirichlet(alpha *Array, shape ...int) (*Array, error) {
	return chosen(g.h, alpha, nil, shape, func(raw C.gpuopt_generator, a, _ C.gpuopt_array, ndim C.int32_t,
		to *C.int64_t, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_dirichlet(raw, a, ndim, to, r, e)
	})
}

// A NormalMethod says how [Generator.MultivariateNormal] factors covariances.
type NormalMethod int32

const (
	NormalSVD      NormalMethod = C.GPUOPT_NORMAL_SVD      // by singular values
	NormalEigh     NormalMethod = C.GPUOPT_NORMAL_EIGH     // by eigenvalues
	NormalCholesky NormalMethod = C.GPUOPT_NORMAL_CHOLESKY // by Cholesky's factor
)

// MultivariateNormal gives normal vectors with these means and covariances, which are checked by the tolerance, unless
// that is negative.
func (g *Generator) MultivariateNormal(mean, cov *Array, method NormalMethod, tol float64,
	shape ...int) (*Array, error) {
	return chosen(g.h, mean, cov, shape, func(raw C.gpuopt_generator, m, c C.gpuopt_array, ndim C.int32_t,
		to *C.int64_t, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_multivariate_normal(raw, m, c, C.gpuopt_normal_method(method), flag(tol >= 0),
			C.double(tol), ndim, to, r, e)
	})
}

// MultivariateHypergeometric says how many of each colour are among nsample items, along the last axis.
func (g *Generator) MultivariateHypergeometric(colors *Array, nsample int64, byCounting bool,
	shape ...int) (*Array, error) {
	return chosen(g.h, colors, nil, shape, func(raw C.gpuopt_generator, c, _ C.gpuopt_array, ndim C.int32_t,
		to *C.int64_t, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_multivariate_hypergeometric(raw, c, C.int64_t(nsample), flag(byCounting), ndim, to, r,
			e)
	})
}

// PermutedAlong gives a copy whose elements along an axis are in another random order in each row; of PCG64 alone.
func (g *Generator) PermutedAlong(x *Array, axis int) (*Array, error) {
	return chosen(g.h, x, nil, nil, func(raw C.gpuopt_generator, x, _ C.gpuopt_array, _ C.int32_t, _ *C.int64_t,
		r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_permuted(raw, x, C.int64_t(axis), r, e)
	})
}

// Bytes gives random bytes.
func (g *Generator) Bytes(length int) ([]byte, error) {
	return randomBytes(g.h, length, func(raw C.gpuopt_generator, to unsafe.Pointer, e *C.gpuopt_error) C.gpuopt_status {
		return C.gpuopt_generator_bytes(raw, C.int64_t(length), to, e)
	})
}
