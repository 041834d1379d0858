# bindings/python/tests/neighbours/check_matplotlib.py -- arrays as what is plotted.
import gpuopt as gp
import numpy as np
from matplotlib import pyplot


def test_plot():
    x = gp.linspace(0.0, 1.0, 5)
    (line,) = pyplot.plot(x, x * x)
    np.testing.assert_allclose(line.get_ydata(), np.linspace(0, 1, 5) ** 2)
    (line,) = pyplot.plot(x)
    np.testing.assert_allclose(line.get_ydata(), np.linspace(0, 1, 5))


def test_image_scatter_histogram(tmp_path):
    x = gp.arange(12.0).reshape(3, 4)
    _, axes = pyplot.subplots(3)
    np.testing.assert_array_equal(axes[0].imshow(x).get_array(), np.arange(12.0).reshape(3, 4))
    axes[1].scatter(x[0], x[1], c=x[2])
    counts, _, _ = axes[2].hist(gp.asnumpy(x.ravel()), bins=3)
    np.testing.assert_array_equal(counts, [4, 4, 4])
    pyplot.savefig(tmp_path / "picture.png")
