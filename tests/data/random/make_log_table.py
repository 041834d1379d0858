# tests/data/random/make_log_table.py -- the table of plugins/shared/random/random_log.h, searched for anew
# (needs numpy and mpmath)
#
# The 128-interval logarithm of S. Nagy (Arm Optimized Routines, 2018; in glibc >= 2.28 and musl >= 1.2) reduces z in
# [0x1.6p-1, 0x1.6p0) by the c of its interval. Its documentation states how each 1/c was chosen, which is enough to
# find the same values: among the doubles within 2^29 units of 1/centre,
#   1. log(c) is kept as a multiple of 2^-43 (so that adding k ln2 is exact),
#   2. subtracting c = chi + clo from z, on the grid of z - chi, costs less than 2^-66 after multiplication by 1/c,
#   3. log(c) - (the kept value) is smallest.
# Run without arguments it prints the rows of the header.
import numpy as np
from mpmath import mp, mpf, exp, log, floor, ceil, nint, ldexp

mp.dps = 50
STEP = ldexp(mpf(1), -43)
BLOCK = 1 << 16


def candidates(low, high, ulp):
    """(distance, multiple) of the multiples L of STEP in [low, high] with exp(-L) closest to a double."""
    found = []
    j = np.arange(BLOCK, dtype=np.uint64)
    first, last = int(ceil(low / STEP)), int(floor(high / STEP))
    for start in range(first, last + 1, BLOCK):
        # exp(-L)/ulp modulo 1 in 64-bit fixed point, by its Taylor series in the step; the error is below 2^-30.
        base = exp(-start * STEP) / ulp
        c0, c1, c2 = (np.uint64(int(nint(ldexp(x, 64))) % 2**64) for x in (base, base * STEP, base * STEP * STEP / 2))
        fraction = c0 - c1 * j + c2 * j * j
        distance = np.minimum(fraction, np.uint64(0) - fraction)[:last + 1 - start]
        for k in np.flatnonzero(distance < np.uint64(2**64 >> 11)):
            found.append((int(distance[k]), start + int(k)))
    return sorted(found)


def row(i):
    centre = mpf(np.array(0x3fe6000000000000 + (i << 45) + (1 << 44), dtype=np.uint64).view(np.float64).item())
    inverse = float(1 / centre)
    ulp = mpf(np.spacing(inverse).item())
    grid = ldexp(mpf(1), -61 if centre < 1 else -60)
    reach = ulp * 2**29
    best = None
    for distance, multiple in candidates(-log(mpf(inverse) + reach), -log(mpf(inverse) - reach), ulp):
        kept = multiple * STEP
        invc = nint(exp(-kept) / ulp) * ulp
        clo = 1 / invc - mpf(float(1 / invc))
        if abs(clo - nint(clo / grid) * grid) * invc >= ldexp(mpf(1), -66):
            continue
        error = abs(-log(invc) - kept)
        if best is None or error < best[0]:
            best = (error, float(invc), float(kept), distance)
        elif distance > best[3] + 2**40:  # sorted: nothing better can follow
            break
    return best[1], best[2]


if __name__ == "__main__":
    with np.errstate(over="ignore"):
        for i in range(128):
            invc, logc = row(i)
            print(f"    {{{invc.hex()}, {logc.hex()}}},")
