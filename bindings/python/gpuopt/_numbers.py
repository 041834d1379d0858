# bindings/python/gpuopt/_numbers.py -- parts, scales and neighbours of numbers.
from . import _convert, _core
from ._manipulation import _array

ndarray = _core.ndarray


def _pair(x1, x2):
    """Two operands, of which one at least is an array."""
    if isinstance(x1, ndarray) or isinstance(x2, ndarray):
        return (x1, x2) if _is_operand(x1) and _is_operand(x2) else (_array(x1), _array(x2))
    return _array(x1), _array(x2)


def _is_operand(x):
    return isinstance(x, (ndarray, bool, int, float, complex))


def frexp(x):
    """x as a mantissa of magnitude in [0.5, 1) and a power of two, int32.

    >>> gp.frexp(gp.array([8.0, 0.75]))
    (array([0.5 , 0.75]), array([4, 0], dtype=int32))
    """
    return _core.gpuopt_frexp(_array(x))


def ldexp(x1, x2):
    """x1 times two to the integer x2.

    >>> gp.ldexp(gp.array([1.0, 1.5]), 2)
    array([4., 6.])
    """
    return _core.gpuopt_ldexp(_array(x1), x2 if isinstance(x2, (ndarray, int)) else _array(x2))


def modf(x):
    """The fractional and the integral part.

    >>> gp.modf(gp.array([1.25, -2.5]))
    (array([ 0.25, -0.5 ]), array([ 1., -2.]))
    """
    return _core.gpuopt_modf(_array(x))


def divmod(x1, x2):
    """floor_divide and remainder.

    >>> gp.divmod(gp.array([7, -7]), 3)
    (array([ 2, -3]), array([1, 2]))
    """
    return _core.gpuopt_divmod(*_pair(x1, x2))


def spacing(x):
    """The distance to the next number away from 0.

    >>> gp.spacing(gp.array([1.0]))
    array([2.22044605e-16])
    """
    return _core.gpuopt_spacing(_array(x))


def _floats(x):
    x = _array(x)
    return _convert.astype(x, "float64") if x.dtype.kind in "biu" else x


def rint(x, /, out=None, **options):
    """The nearest integer, halves to even, as a floating number: of integers and bool float64.

    >>> gp.rint([1, 2])
    array([1., 2.])
    """
    return _core.round(_floats(x), out=out, **options)


def fabs(x, /, out=None, **options):
    """The magnitude of real numbers, as floating numbers: of integers and bool float64.

    >>> gp.fabs([-1, 2])
    array([1., 2.])
    """
    x = _floats(x)
    if x.dtype.kind == "c":
        raise TypeError(f"fabs: dtype {x.dtype} is not supported: take abs of complex numbers")
    return _core.abs(x, out=out, **options)


def bitwise_count(x):
    """How many bits of the magnitude of each integer are 1; uint8.

    >>> gp.bitwise_count([0, 7, -8])
    array([0, 3, 1], dtype=uint8)
    """
    x = _array(x)
    if x.dtype.kind not in "biu":
        raise TypeError(f"bitwise_count: dtype {x.dtype} is not supported, only integers and bool")
    bits = _convert.astype(x if x.dtype.kind == "b" else _core.abs(x), f"uint{8 * x.itemsize}")
    # Sums of 1, 2 and 4 bits side by side, and of the bytes by a product: Knuth, TAOCP 4A, 7.1.3.
    sums = _convert.astype(bits, "uint64")
    sums = sums - ((sums >> 1) & 0x5555555555555555)
    sums = (sums & 0x3333333333333333) + ((sums >> 2) & 0x3333333333333333)
    sums = (sums + (sums >> 4)) & 0x0F0F0F0F0F0F0F0F
    return _convert.astype((sums * 0x0101010101010101) >> 56, "uint8")


def float_power(x1, x2):
    """x1 to the power x2, in float64 or complex128.

    >>> gp.float_power([2, 3], 2)
    array([4., 9.])
    """
    return _core.gpuopt_float_power(*_pair(x1, x2))


def xlogy(x, y):
    """x * log(y), and 0 where x is 0: scipy.special.xlogy.

    >>> gp.xlogy(gp.array([0.0, 2.0]), gp.array([0.0, 1.0]))
    array([0., 0.])
    """
    return _core.gpuopt_xlogy(*_pair(x, y))


def entr(x):
    """-x * log(x), 0 at 0 and -inf below: scipy.special.entr.

    >>> gp.entr(gp.array([0.0, -1.0]))
    array([  0., -inf])
    """
    return _core.gpuopt_entr(_array(x))
