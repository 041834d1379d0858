# samples/python/gallery/image_filters.py -- a blur and the edges of a picture, by sums of shifted views.
"""A Gaussian blur and Sobel's edges of a disc with noise."""

import gpuopt as gp
import numpy as np
import picture

BLUR = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16
SIDE = 256


def filtered(xp, image, rows, columns):
    """The picture correlated with the product of two vectors of odd length; beyond the edge is the edge's value."""
    r, c = len(rows) // 2, len(columns) // 2
    padded = xp.pad(image, ((r, r), (c, c)), mode="edge")
    height, width = image.shape
    across = sum(float(w) * padded[:, i : i + width] for i, w in enumerate(columns))
    return sum(float(w) * across[i : i + height, :] for i, w in enumerate(rows))


def edges(xp, image):
    smooth, slope = (1.0, 2.0, 1.0), (-1.0, 0.0, 1.0)
    return xp.hypot(filtered(xp, image, smooth, slope), filtered(xp, image, slope, smooth))


def main():
    plot = picture.wanted(__doc__)
    y, x = np.mgrid[0:SIDE, 0:SIDE] - SIDE / 2
    disc = (np.hypot(x, y) < 80).astype(float)
    noisy = disc + 0.3 * np.random.default_rng(3).normal(size=disc.shape)

    image = gp.asarray(noisy)
    blurred = filtered(gp, image, BLUR, BLUR)
    result = edges(gp, blurred)

    expected = edges(np, filtered(np, noisy, BLUR, BLUR))
    np.testing.assert_allclose(gp.asnumpy(result), expected, rtol=1e-9, atol=1e-12)
    # A circle of radius 80 is where the edges are strongest.
    strongest = np.hypot(x, y)[expected > np.quantile(expected, 0.99)]
    assert abs(np.median(strongest) - 80) < 1
    before, after = abs(noisy - disc).mean(), abs(gp.asnumpy(blurred) - disc).mean()
    assert after < before / 2
    print(f"mean error {before:.3f} before the blur, {after:.3f} after it")
    if plot:
        picture.save(lambda a: a.imshow(gp.asnumpy(result), cmap="gray"), "Edges")


main()
