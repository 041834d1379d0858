# plugins/shared/gen/rational.py -- minimax rational approximations by Remez' exchange, for the headers that divide
#
#   python rational.py            (needs mpmath)
#
# Finds P/Q with |w (g - P/Q)| equalised on an interval, Q(0) = 1, and prints the coefficients rounded to double with
# the error that remains after rounding.
from mpmath import mp, mpf, matrix, lu_solve, log, log1p, sqrt, cos, pi, fabs

mp.prec = 250


def horner(c, x):
    r = mpf(0)
    for k in reversed(c):
        r = r * x + k
    return r


def solve(g, w, nodes, p, q, guess):
    """Coefficients and levelled error on the nodes; the error term multiplies Q, so iterate on its previous value."""
    n = p + q + 2
    e = guess
    for _ in range(12):
        a, b = matrix(n, n), matrix(n, 1)
        for i, x in enumerate(nodes):
            s = (-1) ** i / w(x)
            for k in range(p + 1):
                a[i, k] = x**k
            for k in range(1, q + 1):
                a[i, p + k] = -(g(x) - s * e) * x**k
            a[i, n - 1] = s
            b[i] = g(x)
        c = lu_solve(a, b)
        if fabs(c[n - 1] - e) <= fabs(e) * mpf(2) ** -40:
            break
        e = c[n - 1]
    return [c[k] for k in range(p + 1)], [mpf(1)] + [c[p + k] for k in range(1, q + 1)], e


def remez(g, w, lo, hi, p, q, grid=1500):
    n = p + q + 2
    nodes = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * i / (n - 1)) for i in range(n)]
    xs = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * i / grid) for i in range(grid + 1)]
    gs, ws = [g(x) for x in xs], [w(x) for x in xs]
    e = mpf(0)
    for _ in range(30):
        P, Q, e = solve(g, w, nodes, p, q, e)
        err = [wx * (gx - horner(P, x) / horner(Q, x)) for x, gx, wx in zip(xs, gs, ws)]
        runs, start = [], 0
        for i in range(1, len(xs) + 1):
            if i == len(xs) or (err[i] > 0) != (err[start] > 0):
                runs.append(max(range(start, i), key=lambda j: fabs(err[j])))
                start = i
        while len(runs) > n:
            runs.pop(0 if fabs(err[runs[0]]) < fabs(err[runs[-1]]) else -1)
        if len(runs) < n:
            break
        nodes = [xs[j] for j in runs]
        sizes = [fabs(err[j]) for j in runs]
        if max(sizes) < min(sizes) * mpf("1.001"):
            break
    return P, Q


def report(name, g, w, lo, hi, p, q):
    P, Q = remez(g, w, lo, hi, p, q)
    Pd, Qd = [float(c) for c in P], [float(c) for c in Q]
    xs = [lo + (hi - lo) * mpf(i) / 3000 for i in range(3001)]
    err = max(fabs(w(x) * (g(x) - horner([mpf(c) for c in Pd], x) / horner([mpf(c) for c in Qd], x))) for x in xs)
    print(f"// {name}: error 2^{float(log(err, 2)):.2f}")
    print("P", ", ".join(c.hex() for c in Pd))
    print("Q", ", ".join(c.hex() for c in Qd))


def log_remainder(f):
    if fabs(f) < mpf("1e-12"):
        return mpf(1) / 3 - f / 4 + f * f / 5
    return (log1p(f) - f + f * f / 2) / f**3


if __name__ == "__main__":
    lo, hi = sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1
    report("log1p double", log_remainder, lambda f: f * f + mpf("1e-6"), lo, hi, 5, 5)
