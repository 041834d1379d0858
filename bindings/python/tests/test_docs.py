# bindings/python/tests/test_docs.py -- the examples in the descriptions of functions run, and print what they say.
import doctest
import inspect
import tempfile

import gpuopt as gp
import gpuopt.comm  # these two are not imported by gpuopt itself
import gpuopt.signal
import pytest
from gpuopt import _core

ROWS = sorted(name for name in _core.__all__ if ">>>" in (getattr(_core, name).__doc__ or ""))
PLACES = [gp, gp.comm, gp.cuda, gp.fft, gp.linalg, gp.random, gp.signal]
# What has no example, and why: its result depends on the machine, it prints nothing, or it is used by
# other programs, as the tests of compiled functions and those beside packages of others show.
WITHOUT = {
    "comm.report": "says what this machine has",
    "show_config": "says what this machine has",
    "load_ipython_extension": "is called by IPython",
    "fromfile": "is shown by save and load",
    "eval": "gives nothing",
    "random.as_shape": "is the package's own",
    "random.are_several": "is the package's own",
    "random.operands": "is the package's own",
    "random.sizes": "is the package's own",
    "carray": "is for functions that C calls",
    **dict.fromkeys(("cuda.close", "cuda.synchronize", "cuda.defer_cleanup", "cuda.pinned"), "gives nothing"),
    **dict.fromkeys(
        (
            *("cuda.current_context", "cuda.detect", "cuda.get_current_device", "cuda.is_available"),
            *("cuda.list_devices", "cuda.select_device"),
        ),
        "says what this machine has",
    ),
}
TYPES = "gpuopt.compiled.types"  # which are called to make signatures


def functions():
    """(the name below gpuopt, the function) of each of the package's own public functions."""
    for place in PLACES:
        front = place.__name__.removeprefix("gpuopt").removeprefix(".")
        for name in sorted({*vars(place), *dir(place)}):  # some are loaded when they are asked for
            function = getattr(place, name)
            home = getattr(function, "__module__", None) or ""
            if name.startswith("_") or isinstance(function, type) or inspect.ismodule(function):
                continue
            if callable(function) and home.startswith("gpuopt"):
                yield f"{front}.{name}" if front else name, function


FUNCTIONS = dict(functions())
WITH = [name for name, function in FUNCTIONS.items() if ">>>" in (inspect.getdoc(function) or "")]
# Those that have the compiler for kernels run.
COMPILES = ("dispatch", "vectorized", "stencils", "callbacks", "kernels", "extending", "classes")


def run(function, name):
    runner = doctest.DocTestRunner()
    said = []
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(function), {"gp": gp}, name, None, None)
    assert example.examples
    runner.run(example, out=said.append)
    assert not said, "".join(said)


def test_each_operation_has_an_example():
    assert ROWS == sorted(_core.__all__)


def test_each_function_has_an_example():
    lack = {name for name, f in FUNCTIONS.items() if name not in WITH and f.__module__ != TYPES}
    assert lack == set(WITHOUT)


@pytest.mark.parametrize("name", ROWS)
def test_examples(name):
    run(getattr(_core, name), name)


def marked(name):
    compiles = FUNCTIONS[name].__module__.rpartition(".")[2] in COMPILES
    return pytest.param(name, marks=pytest.mark.compiled) if compiles else name


@pytest.mark.parametrize("name", [marked(name) for name in WITH])
def test_examples_of_functions(name, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # where examples write files
    run(FUNCTIONS[name], name)
