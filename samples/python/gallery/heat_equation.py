# samples/python/gallery/heat_equation.py -- heat in a rod, by explicit steps in time.
"""The heat equation in a rod whose ends are kept at 0."""

import math

import gpuopt as gp
import numpy as np
import picture

CELLS, STEPS = 200, 4000


def main():
    plot = picture.wanted(__doc__)
    place = np.linspace(0, 1, CELLS + 1)
    start = np.sin(math.pi * place) + 0.5 * np.sin(3 * math.pi * place)
    ratio = 0.4  # time step by the square of the distance; steps are stable up to 0.5
    u = gp.asarray(start)
    for step in range(STEPS):
        u[1:-1] = u[1:-1] + ratio * (u[2:] - 2 * u[1:-1] + u[:-2])
        if step % 100 == 99:
            gp.eval(u)

    # Each sine is an eigenvector of a step, so that what is left of it after all steps is known exactly.
    def left(wave):
        return (1 - 4 * ratio * math.sin(wave * math.pi / (2 * CELLS)) ** 2) ** STEPS * np.sin(wave * math.pi * place)

    expected = left(1) + 0.5 * left(3)
    np.testing.assert_allclose(gp.asnumpy(u), expected, atol=1e-12)
    time = STEPS * ratio / CELLS**2
    exact = math.exp(-(math.pi**2) * time)
    assert abs(float(u[CELLS // 2]) - exact + 0.5 * math.exp(-9 * math.pi**2 * time)) < 1e-4
    print(f"the middle is at {float(u[CELLS // 2]):.4f} after a time of {time:.3f}")
    if plot:
        picture.save(lambda a: a.plot(place, start, place, u), "Heat in a rod")


main()
