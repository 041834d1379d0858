# samples/python/gallery/kmeans.py -- Lloyd's algorithm on four clouds of points.
"""k-means: points are given to the nearest centre, centres move to the mean of their points."""

import gpuopt as gp
import numpy as np
import picture

CENTRES = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [6.0, 6.0]])


def step(xp, points, centres):
    """The label of each point and the centres after one step, by the functions of the namespace `xp`."""
    distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    labels = xp.argmin(distances, axis=1)
    member = (labels[:, None] == xp.arange(len(centres))[None, :]).astype(points.dtype)
    return labels, (member.T @ points) / member.sum(axis=0)[:, None]


def run(xp, points, centres):
    for _ in range(20):
        labels, centres = step(xp, points, centres)
    return labels, centres


def main():
    plot = picture.wanted(__doc__)
    rng = np.random.default_rng(2)
    points = np.concatenate([c + rng.normal(size=(2000, 2)) for c in CENTRES])
    start = points[::2000].copy()
    labels, centres = run(gp, gp.asarray(points), gp.asarray(start))

    expected_labels, expected = run(np, points, start)
    np.testing.assert_array_equal(gp.asnumpy(labels), expected_labels)
    np.testing.assert_allclose(gp.asnumpy(centres), expected, rtol=1e-9)
    assert abs(expected - CENTRES).max() < 0.2
    print("centres:", np.round(gp.asnumpy(centres), 2).tolist())
    if plot:
        picture.save(lambda a: a.scatter(*points.T, c=gp.asnumpy(labels), s=2), "k-means")


main()
