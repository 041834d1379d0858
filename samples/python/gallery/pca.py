# samples/python/gallery/pca.py -- principal components of points in 20 dimensions that lie near a plane.
"""Principal components by the singular value decomposition."""

import gpuopt as gp
import numpy as np
import picture


def main():
    plot = picture.wanted(__doc__)
    rng = np.random.default_rng(1)
    plane = np.linalg.qr(rng.normal(size=(20, 2)))[0]
    points = rng.normal(size=(1000, 2)) * [5.0, 2.0] @ plane.T + 0.1 * rng.normal(size=(1000, 20))

    x = gp.asarray(points)
    centred = x - x.mean(axis=0)
    _, values, axes = gp.linalg.svd(centred, full_matrices=False)
    scores = centred @ axes[:2].T
    explained = values**2 / gp.sum(values**2)

    # The squares of the singular values are the eigenvalues of the matrix of covariances.
    expected = np.linalg.eigvalsh(np.cov(points.T))[::-1]
    np.testing.assert_allclose(gp.asnumpy(values**2) / 999, expected, rtol=1e-9)
    # The two axes span the plane that the points were made from.
    angles = np.linalg.svd(gp.asnumpy(axes[:2]) @ plane)[1]
    assert angles.min() > 0.999, angles
    print(f"two of 20 components explain {100 * float(explained[:2].sum()):.1f} % of the variance")
    if plot:
        picture.save(lambda a: a.scatter(gp.asnumpy(scores[:, 0]), gp.asnumpy(scores[:, 1]), s=4), "Two components")


main()
