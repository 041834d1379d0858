# samples/python/gallery/game_of_life.py -- Conway's Game of Life, a generation a call of a stencil.
"""Conway's Game of Life by a stencil: a glider moves, and a random field is as NumPy has it."""

import gpuopt as gp
import numpy as np
import picture
from gpuopt import stencil


@stencil
def generation(a):
    n = a[-1, -1] + a[-1, 0] + a[-1, 1] + a[0, -1] + a[0, 1] + a[1, -1] + a[1, 0] + a[1, 1]
    return 1 if n == 3 or (n == 2 and a[0, 0] == 1) else 0


def expected_generation(a):
    """By NumPy; cells on the border are dead, as a stencil leaves them."""
    n = sum(np.roll(a, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - a
    result = ((n == 3) | ((n == 2) & (a == 1))).astype(a.dtype)
    result[[0, -1], :] = 0
    result[:, [0, -1]] = 0
    return result


def main():
    plot = picture.wanted(__doc__)
    field = np.zeros((40, 40), np.int64)
    field[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    now = field
    for _ in range(40):
        now = np.asarray(generation(now))
    # A glider is itself again after four generations, one cell lower and one to the right.
    np.testing.assert_array_equal(now, np.roll(field, (10, 10), (0, 1)))

    now = expected = np.random.default_rng(4).integers(0, 2, (100, 100))
    for _ in range(50):
        now, expected = np.asarray(generation(now)), expected_generation(expected)
    np.testing.assert_array_equal(now, expected)
    print(f"{now.sum()} of {now.size} cells live after 50 generations")
    if plot:
        picture.save(lambda a: a.imshow(gp.asnumpy(gp.asarray(now)), cmap="binary"), "Game of Life")


main()
