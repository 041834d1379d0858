# bindings/python/tests/neighbours/check_notebook.py -- what IPython and notebooks show.
import gpuopt as gp
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell


@pytest.mark.parametrize(
    "x",
    [
        np.arange(12.0).reshape(3, 4),
        np.float64(1.0),
        np.zeros((0, 3)),
        np.array([np.nan, np.inf, -np.inf, 1e308, -1e308]),
        np.ones((40, 40), bool),
        np.ones((2, 3, 4), np.complex64),
        np.arange(5, dtype=np.uint64),
    ],
)
def test_html(x):
    text = gp.asarray(x)._repr_html_()
    assert str(x.shape) in text and x.dtype.name in text
    squares = 0 if x.ndim == 0 else np.prod([min(n, 16) for n in x.shape[-2:]])
    assert text.count("<rect") == squares


def test_magic(capsys):
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "gpuopt")
    shell.user_ns["gp"] = gp
    shell.run_cell_magic("gpuopt", "", "y = float((gp.ones(1000000) + 1).sum())")
    assert shell.user_ns["y"] == 2000000.0
    assert "programs run" in capsys.readouterr().out
