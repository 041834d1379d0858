# bindings/python/tests/typed_program.py -- a program that mypy checks (test_types.py): what the stubs say of arrays.
import gpuopt as gp
import numpy
from typing_extensions import assert_type  # which mypy brings: typing has it from Python 3.11 on

x = gp.zeros((2, 3), "float32")
assert_type(x, gp.ndarray)
assert_type(x + 1, gp.ndarray)
assert_type(2.5 * x, gp.ndarray)
assert_type(x == x, gp.ndarray)
assert_type(x[0, 1:], gp.ndarray)
assert_type(x.sum(axis=0, keepdims=True), gp.ndarray)
assert_type(gp.sin(x), gp.ndarray)
assert_type(gp.mean(x, axis=(0, 1)), gp.ndarray)
assert_type(gp.asarray([1, 2]), gp.ndarray)
assert_type(x.shape, tuple[int, ...])
assert_type(float(x[0, 0]), float)
assert_type(x.device, gp.Device)
numpy_array: numpy.ndarray = x.get()
x += 1
gp.eval(x)
