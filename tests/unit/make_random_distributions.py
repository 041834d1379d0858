#!/usr/bin/env python3
# tests/unit/make_random_distributions.py -- writes tests/unit/core_distributions_cases.h: what NumPy draws.
#
# usage: make_random_distributions.py > tests/unit/core_distributions_cases.h      (NumPy 2.4.6)
#
# A row is a distribution with parameters of one regime, from RandomState(seed) and from default_rng(seed): hashes of
# the bits of 200 numbers.
import numpy as np

NAMES = (
    "beta binomial chisquare exponential f gamma geometric gumbel hypergeometric laplace logistic lognormal logseries "
    "negative_binomial noncentral_chisquare noncentral_f normal pareto poisson power rayleigh standard_cauchy "
    "standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull zipf"
).split()
REGIMES = {
    "beta": [(0.3, 0.9), (1, 1), (2, 0.5), (20, 30), (1e-4, 1e-3)],
    "binomial": [(10, 0.25), (10, 0.9), (100, 0.5), (1000, 0.3), (1000, 0.97), (10**9, 0.4), (7, 0.0),
                 (7, 1.0), (0, 0.5)],
    "chisquare": [(0.5,), (2,), (30,)],
    "exponential": [(0,), (2.5,)],
    "f": [(1.5, 3), (40, 60)],
    "gamma": [(0, 1), (0.2, 2), (1, 3), (1.5, 1), (500, 0.1)],
    "geometric": [(1e-9,), (0.1,), (0.34,), (1,)],
    "gumbel": [(1, 2)],
    "hypergeometric": [(5, 9, 3), (30, 40, 10), (30, 40, 20), (40, 30, 60), (3000, 50000, 700), (7, 0, 3)],
    "laplace": [(1, 2)],
    "logistic": [(1, 2)],
    "lognormal": [(1, 0.5)],
    "logseries": [(0.0,), (0.3,), (0.999,)],
    "negative_binomial": [(0.5, 0.3), (20, 0.1), (3, 1)],
    "noncentral_chisquare": [(0.5, 3), (3, 0), (3, 7), (0.5, 100)],
    "noncentral_f": [(0.5, 3, 2), (4, 5, 0), (4, 5, 20)],
    "normal": [(1, 2), (3, 0)],
    "pareto": [(0.5,), (3,)],
    "poisson": [(0,), (0.5,), (9.99,), (10,), (1e3,), (1e15,)],
    "power": [(0.5,), (3,)],
    "rayleigh": [(2,)],
    "standard_gamma": [(0.7,), (3,)],
    "standard_t": [(0.6,), (12,)],
    "triangular": [(-1, 0, 3), (0, 0, 1), (0, 1, 1)],
    "uniform": [(-2, 5)],
    "vonmises": [(1, 0), (1, 1e-9), (1, 1e-6), (-2, 0.5), (3, 30)],
    "wald": [(0.5, 2), (10, 0.1)],
    "weibull": [(0,), (0.5,), (4,)],
    "zipf": [(1.1,), (2.5,), (60,)],
}


def fnv(values):
    """FNV-1a of the bytes, which all supported platforms have in the same order."""
    h = 0xCBF29CE484222325
    for byte in np.ascontiguousarray(values).tobytes():
        h = (h ^ byte) * 0x100000001B3 % 2**64
    return h


def between(dtype):
    """Integers within four pairs of bounds: the whole range of the dtype, all but one of it, one integer, and few."""
    info = np.iinfo(dtype) if dtype != "bool" else None
    wide = "uint64" if dtype == "uint64" else "int64"
    low = np.array([info.min, 0, 5, 5] if info else [0, 1, 0, 0], wide)
    high = np.array([info.max, 1, 106, 13] if info else [1, 2, 2, 2], wide)
    rng = np.random.default_rng(79)
    return (np.random.RandomState(79).randint(low, high, (50, 4), dtype),
            rng.integers(low, high, (50, 4), dtype),
            rng.integers(low, high if info else high - 1, (50, 4), dtype, True))


def main():
    print("// tests/unit/core_distributions_cases.h -- written by make_random_distributions.py with NumPy",
          np.__version__)
    print("#pragma once\n#include <cstdint>\n")
    print("struct DistributionCase {\n  int which, count;\n  double parameters[3];\n  uint32_t seed;\n"
          "  uint64_t legacy, generator;  // hashes of 200 numbers of each\n};\n")
    print("// clang-format off\ninline const DistributionCase kDistributionCases[] = {")
    seed = 1
    for number, name in enumerate(NAMES, 1):
        for parameters in REGIMES.get(name, [()]):
            seed += 1
            drawn = [getattr(made(seed), name)(*parameters, size=200)
                     for made in (np.random.RandomState, np.random.default_rng)]
            texts = ", ".join(repr(float(p)) for p in (*parameters, 0, 0, 0)[:3])
            print(f"    {{{number}, {len(parameters)}, {{{texts}}}, {seed}, {fnv(drawn[0]):#x}, {fnv(drawn[1]):#x}}},"
                  f"  // {name}")
    print("};")
    rng, state = np.random.default_rng(77), np.random.RandomState(77)
    pvals, alpha = np.array([0.2, 0.3, 0.1, 0.4]), np.array([1.0, 0.5, 3.0])
    rows = [("kSpawned", np.random.default_rng(np.random.SeedSequence([5, 2**40]).spawn(2)[1]).random(200)),
            ("kAdvanced", np.random.Generator(np.random.PCG64(5).advance(2**100 + 3)).random(200)),
            ("kStateMultinomial", state.multinomial(30, pvals, 50)), ("kStateDirichlet", state.dirichlet(alpha, 50)),
            ("kMultinomial", rng.multinomial([[3], [4]], [[0.2, 0.8]] * 5)), ("kDirichlet", rng.dirichlet(alpha, 50)),
            ("kStick", rng.dirichlet(alpha / 100, 50)),
            ("kMarginals", rng.multivariate_hypergeometric([30, 20, 50], 70, 50)),
            ("kCounts", rng.multivariate_hypergeometric([30, 20, 50], 70, 50, method="count")),
            ("kPermuted", rng.permuted(np.arange(24).reshape(2, 3, 4), axis=1)),
            ("kSample", rng.choice(20000, 5000, False)), ("kFloyd", rng.choice(20000, 50, False)),
            ("kIntegers8", rng.integers(-3, 99, 200, "int8")), ("kIntegers", rng.integers(0, 2**40, 200)),
            ("kNormal32", rng.standard_normal(200, "float32")),
            ("kExponential32", rng.standard_exponential(200, "float32")),
            ("kGamma32", rng.standard_gamma(2.5, 200, "float32")), ("kPermutation", rng.permutation(100)),
            ("kBroadcast", rng.gamma(np.array([[0.5], [2.0]]), [1.0, 2.0, 3.0]))]
    for name, random in (("kStateAfterNan", np.random.RandomState(78)), ("kAfterNan", np.random.default_rng(78))):
        random.f(np.nan, 2, 100)
        rows.append((name, random.uniform(0, 1, 200)))
    for name, values in rows:
        print(f"inline constexpr uint64_t {name} = {fnv(values):#x};")
    print("// Of RandomState, of Generator, and of Generator with endpoint.")
    print("inline constexpr uint64_t kBetween[][3] = {")
    for dtype in ("bool", "int8", "uint16", "int32", "int64", "uint64"):
        print(f"    {{{', '.join(f'{fnv(values):#x}' for values in between(dtype))}}},  // {dtype}")
    print("};")
    print("// clang-format on")


if __name__ == "__main__":
    main()
