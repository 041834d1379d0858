# samples/python/gallery/monte_carlo_pi.py -- pi from the part of random points that a quarter of a circle has.
"""Pi by random points."""

import math

import gpuopt as gp
import numpy as np
import picture

COUNT = 4_000_000


def main():
    plot = picture.wanted(__doc__)
    rng = gp.random.default_rng(5)
    x, y = rng.random(COUNT), rng.random(COUNT)
    inside = x * x + y * y <= 1
    estimate = 4 * int(gp.count_nonzero(inside)) / COUNT

    a, b = gp.asnumpy(x), gp.asnumpy(y)
    assert estimate == 4 * np.count_nonzero(a * a + b * b <= 1) / COUNT
    deviation = 4 * math.sqrt(math.pi / 4 * (1 - math.pi / 4) / COUNT)
    assert abs(estimate - math.pi) < 5 * deviation, estimate
    print(f"pi is about {estimate:.4f}; the standard deviation is {deviation:.4f}")
    if plot:
        few = slice(0, 5000)
        picture.save(lambda a: a.scatter(x[few], y[few], c=inside[few], s=2), f"{estimate:.4f}")


main()
