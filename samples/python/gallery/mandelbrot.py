# samples/python/gallery/mandelbrot.py -- the Mandelbrot set by a kernel, one thread for each pixel.
"""The Mandelbrot set by cuda.jit, on a GPU where one works and else on the CPU."""

import gpuopt as gp
import numpy as np
import picture
from gpuopt import cuda

WIDTH, HEIGHT, MOST = 300, 200, 100


@cuda.jit
def mandelbrot(counts, left, top, step):
    column, row = cuda.grid(2)
    if row < counts.shape[0] and column < counts.shape[1]:
        a = left + column * step
        b = top + row * step
        x = 0.0
        y = 0.0
        n = 0
        while n < 100 and x * x + y * y <= 4.0:
            t = x * x - y * y + a
            y = 2.0 * x * y + b
            x = t
            n += 1
        counts[row, column] = n


def expected_counts(left, top, step):
    a = left + np.arange(WIDTH) * step + np.zeros((HEIGHT, 1))
    b = top + np.arange(HEIGHT)[:, None] * step + np.zeros(WIDTH)
    x, y, counts = np.zeros_like(a), np.zeros_like(a), np.zeros(a.shape, np.int64)
    for _ in range(MOST):
        live = x * x + y * y <= 4
        counts += live
        x, y = np.where(live, x * x - y * y + a, x), np.where(live, 2 * x * y + b, y)
    return counts


def main():
    plot = picture.wanted(__doc__)
    counts = np.zeros((HEIGHT, WIDTH), np.int64)
    blocks = ((WIDTH + 15) // 16, (HEIGHT + 15) // 16)
    mandelbrot[blocks, (16, 16)](counts, -2.0, -1.0, 0.01)

    expected = expected_counts(-2.0, -1.0, 0.01)
    # A GPU may fuse a product and a sum, and points at the very edge then differ.
    assert np.mean(counts != expected) < 0.01
    inside = np.count_nonzero(counts == MOST) * 0.01**2
    assert abs(inside - 1.5066) < 0.1  # the area of the set, which MOST steps see a little too large
    print(f"an area of {inside:.3f} stays bounded for {MOST} steps")
    if plot:
        picture.save(lambda a: a.imshow(gp.asnumpy(gp.asarray(counts))), "Mandelbrot")


main()
