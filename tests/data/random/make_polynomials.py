# tests/data/random/make_polynomials.py -- minimax coefficients of plugins/shared/random/random_math.h
#
# Remez exchange in mpmath, then each coefficient is rounded to the target type. The polynomial is a correction of two
# leading terms that are exact, so that rounding it costs little. Needs mpmath only.
from mpmath import mp, mpf, matrix, lu_solve, log, sin, cos, sqrt, pi, frexp, ldexp, nint
import sys

mp.dps = 60


def round_to(x, bits):
    if x == 0:
        return x
    m, e = frexp(x)
    return ldexp(nint(ldexp(m, bits)), e - bits)


def remez(f, weight, powers, lo, hi, rounds=12):
    """Coefficients c of sum c[k] x^powers[k] that minimise max |weight(x) (f(x) - p(x))| on [lo, hi]."""
    n = len(powers)
    points = [(lo + hi) / 2 - (hi - lo) / 2 * mp.cos(pi * k / n) for k in range(n + 1)]
    for _ in range(rounds):
        a = matrix(n + 1, n + 1)
        b = matrix(n + 1, 1)
        for row, x in enumerate(points):
            for col, p in enumerate(powers):
                a[row, col] = x**p
            a[row, n] = (-1)**row / weight(x)
            b[row] = f(x)
        c = lu_solve(a, b)
        error = lambda x: weight(x) * (f(x) - sum(c[k] * x**p for k, p in enumerate(powers)))
        grid = [lo + (hi - lo) * (1 - mp.cos(pi * k / (40 * n))) / 2 for k in range(40 * n + 1)]
        values = [error(x) for x in grid]
        # One extremum per run of equal sign, the n+1 largest neighbours kept.
        runs = []
        for x, v in zip(grid, values):
            if runs and (runs[-1][1] > 0) == (v > 0):
                if abs(v) > abs(runs[-1][1]):
                    runs[-1] = (x, v)
            else:
                runs.append((x, v))
        while len(runs) > n + 1:
            runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
        if len(runs) < n + 1:
            break
        points = [x for x, _ in runs]
    return [c[k] for k in range(n)], max(abs(v) for v in values)


def fit(name, f, weight, powers, lo, hi, bits):
    """Prints the coefficients of `powers` rounded to `bits`, lowest first, and their largest weighted error."""
    c, _ = remez(f, weight, powers, lo, hi)
    c = [round_to(x, bits) for x in c]
    points = [lo + (hi - lo) * k / 2000 for k in range(2001)]
    error = max(abs(weight(x) * (f(x) - sum(a * x**p for a, p in zip(c, powers)))) for x in points)
    print(f"{name}: error 2^{float(mp.log(error, 2)):.2f}")
    for a, p in zip(c, powers):
        print(f"  x^{p:<2} {float(a).hex()}  {float(a)!r}")


def log_tail(f):
    """(log(1 + f) - f + f^2/2) / f^3"""
    if abs(f) < mpf(10)**-8:
        return mpf(1) / 3 - f / 4 + f * f / 5
    return (log(1 + f) - f + f * f / 2) / f**3


def sin_tail(z):
    """(sin(x) / x - 1) / x^2 at x^2 = z"""
    x = sqrt(z)
    return (sin(x) / x - 1) / z if z > mpf(10)**-12 else -mpf(1) / 6 + z / 120


def cos_tail(z):
    """(cos(x) - 1 + x^2/2) / x^4 at x^2 = z"""
    x = sqrt(z)
    return (cos(x) - 1 + z / 2) / z**2 if z > mpf(10)**-10 else mpf(1) / 24 - z / 720


low, high, quarter = sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1, (pi / 4)**2 * (1 + mpf(10)**-12)
def main():
    for bits, nlog, nsin, ncos in ((24, 8, 3, 3), (53, 19, 6, 6)):
        fit(f"log{bits}", log_tail, lambda f: f**2 + mpf(1) / 50, range(nlog), low, high, bits)
        fit(f"sin{bits}", sin_tail, lambda z: z + mpf(1) / 50, range(nsin), mpf(0), quarter, bits)
        fit(f"cos{bits}", cos_tail, lambda z: z**2 + mpf(1) / 50, range(ncos), mpf(0), quarter, bits)
main()
