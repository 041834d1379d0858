# bindings/python/tests/test_docs.py -- the examples in the descriptions of functions run, and print what they say.
import doctest
import inspect

import gpuopt as gp
import pytest
from gpuopt import _core

ROWS = sorted(name for name in _core.__all__ if ">>>" in (getattr(_core, name).__doc__ or ""))


def examples(function, name):
    return doctest.DocTestParser().get_doctest(inspect.getdoc(function), {"gp": gp}, name, None, None)


def test_each_operation_has_an_example():
    assert ROWS == sorted(_core.__all__)


@pytest.mark.parametrize("name", ROWS)
def test_examples(name):
    runner = doctest.DocTestRunner()
    said = []
    runner.run(examples(getattr(_core, name), name), out=said.append)
    assert not said, "".join(said)
