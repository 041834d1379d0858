# bindings/python/gpuopt/__init__.py -- the namespace: NumPy's and CuPy's functions and those of the array API standard.
"""gpuopt: arrays on any processor, with NumPy's and CuPy's functions.

    >>> import gpuopt as gp
    >>> x = gp.arange(6.0).reshape(2, 3)
    >>> x / x.sum(axis=1, keepdims=True)
    array([[0.        , 0.33333333, 0.66666667],
           [0.25      , 0.33333333, 0.41666667]])

Operations are recorded and run when something looks at a result, several in one pass. Where a GPU was asked for and
cannot work, the
program gets the CPU, one warning through logging, and the same numbers. gpuopt is a namespace of the array API
standard 2025.12.
"""

import atexit

from . import _core, _methods, cuda, linalg
from ._convert import array, asanyarray, asarray, ascontiguousarray, asnumpy, astype
from ._core import *  # noqa: F403: the rows of ops.def, reductions
from ._core import ndarray
from ._creation import (
    arange,
    empty,
    empty_like,
    eye,
    frombuffer,
    fromiter,
    full,
    full_like,
    identity,
    linspace,
    logspace,
    meshgrid,
    ones,
    ones_like,
    tri,
    tril,
    triu,
    zeros,
    zeros_like,
)
from ._device import Device
from ._errors import CommError, CompileError, DeviceError, Unavailable
from ._functions import (
    allclose,
    angle,
    apply_along_axis,
    apply_over_axes,
    argwhere,
    around,
    array_equal,
    array_equiv,
    clip,
    common_type,
    compress,
    copy,
    copyto,
    extract,
    fix,
    flatnonzero,
    isclose,
    iscomplex,
    iscomplexobj,
    isneginf,
    isposinf,
    isreal,
    isrealobj,
    isscalar,
    issubdtype,
    iterable,
    nan_to_num,
    ndim,
    place,
    put,
    putmask,
    round,
    select,
    shape,
    size,
    take,
    trace,
    tril_indices,
    triu_indices,
    unravel_index,
    where,
)
from ._host import (
    array2string,
    array_repr,
    array_str,
    fromfile,
    fromstring,
    genfromtxt,
    insert,
    mask_indices,
    packbits,
    real_if_close,
    sort_complex,
    unpackbits,
)
from ._indexing import nonzero
from ._kernels import ElementwiseKernel, RawKernel, RawModule, ReductionKernel
from ._manipulation import (
    append,
    array_split,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    column_stack,
    concat,
    concatenate,
    delete,
    diag,
    diagonal,
    dstack,
    expand_dims,
    fill_diagonal,
    flip,
    fliplr,
    flipud,
    hstack,
    indices,
    ix_,
    matrix_transpose,
    moveaxis,
    pad,
    permute_dims,
    ravel,
    repeat,
    reshape,
    roll,
    rollaxis,
    rot90,
    sliding_window_view,
    split,
    squeeze,
    stack,
    swapaxes,
    tile,
    transpose,
    unstack,
    vstack,
)
from ._memory import asarray_chkfinite, asfortranarray, isfortran, may_share_memory, min_scalar_type, shares_memory
from ._namespace import __array_namespace_info__, can_cast, finfo, iinfo, isdtype, promote_types, result_type
from ._numbers import bitwise_count, divmod, entr, fabs, float_power, frexp, ldexp, modf, rint, spacing, xlogy
from ._optional import array_module, get_array_module
from ._polynomial import (
    poly,
    polyadd,
    polyder,
    polydiv,
    polyfit,
    polyint,
    polymul,
    polysub,
    polyval,
    roots,
)
from ._protocols import from_dlpack
from ._reductions import cumprod, cumsum, cumulative_prod, cumulative_sum
from ._selection import (
    add_at,
    block,
    choose,
    diag_indices,
    diag_indices_from,
    diagflat,
    dsplit,
    ediff1d,
    hsplit,
    maximum_at,
    minimum_at,
    multiply_at,
    piecewise,
    put_along_axis,
    ravel_multi_index,
    resize,
    subtract_at,
    tril_indices_from,
    trim_zeros,
    triu_indices_from,
    vsplit,
)
from ._sequences import (
    bartlett,
    blackman,
    fromfunction,
    geomspace,
    hamming,
    hanning,
    i0,
    kaiser,
    mgrid,
    ogrid,
    vander,
)
from ._signal import convolve, correlate, gradient, interp, nancumprod, nancumsum, unwrap
from ._sorting import (
    argpartition,
    argsort,
    bincount,
    digitize,
    histogram,
    histogram2d,
    histogram_bin_edges,
    histogramdd,
    intersect1d,
    isin,
    lexsort,
    partition,
    searchsorted,
    setdiff1d,
    setxor1d,
    sort,
    take_along_axis,
    union1d,
    unique,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)
from ._statistics import (
    average,
    corrcoef,
    cov,
    diff,
    median,
    nanmedian,
    nanpercentile,
    nanquantile,
    percentile,
    ptp,
    quantile,
    trapezoid,
)
from .cuda import get_default_memory_pool
from .linalg import cross, dot, einsum, einsum_path, inner, kron, matmul, matvec, outer, tensordot, vdot, vecdot, vecmat

TYPE_CHECKING = False  # what typing's is for type checkers; to import typing takes longer than all of this
if TYPE_CHECKING:
    from . import comm, fft, random, signal
del TYPE_CHECKING

__version__ = "1.0.0"
__array_api_version__ = "2025.12"

e, inf, nan, pi = 2.718281828459045, float("inf"), float("nan"), 3.141592653589793
newaxis = None
eval = _core.eval

# NumPy's names of functions that the standard names otherwise.
power, absolute, conjugate, invert = _core.pow, _core.abs, _core.conj, _core.bitwise_invert
bitwise_not = _core.bitwise_invert
arcsin, arccos, arctan, arctan2 = _core.asin, _core.acos, _core.atan, _core.atan2
arcsinh, arccosh, arctanh = _core.asinh, _core.acosh, _core.atanh
left_shift, right_shift, true_divide, mod = (
    _core.bitwise_left_shift,
    _core.bitwise_right_shift,
    _core.divide,
    _core.remainder,
)
degrees, radians, amax, amin, round_ = _core.rad2deg, _core.deg2rad, _core.max, _core.min, around

_methods.install()
_core.log_to_python()
atexit.register(_core.log_to_stderr)


def load(file, *, device=None):
    """The array of a .npy file, or the arrays of a .npz file as a dict; `file` is a path or open.

    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> gp.save(file, gp.arange(3))
    >>> gp.load(file)
    array([0, 1, 2])
    """
    from ._files import load as load_file
    from ._files import load_stream

    return load_stream(file, device) if hasattr(file, "read") else load_file(file, device)


def save(file, arr):
    """Writes an array to a .npy file.

    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> gp.save(file, gp.arange(3))
    >>> gp.load(file)
    array([0, 1, 2])
    """
    from ._files import save as save_file

    if hasattr(file, "write"):
        import numpy

        return numpy.save(file, asnumpy(asarray(arr)))
    save_file(_path(file, ".npy"), asarray(arr))


def savez(file, *args, **kwds):
    """Writes arrays to a .npz file.

    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "x.npz")
    >>> gp.savez(file, a=gp.arange(3))
    >>> gp.load(file)["a"]
    array([0, 1, 2])
    """
    _save_several(file, args, kwds, 0)


def savez_compressed(file, *args, **kwds):
    """Writes arrays to a .npz file, compressed.

    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "x.npz")
    >>> gp.savez_compressed(file, a=gp.arange(3))
    >>> gp.load(file)["a"]
    array([0, 1, 2])
    """
    _save_several(file, args, kwds, 1)


def _save_several(file, args, kwds, compressed):
    from ._files import savez as save_files

    if hasattr(file, "write"):
        import numpy

        write = numpy.savez_compressed if compressed else numpy.savez
        arrays = {name: asnumpy(asarray(x)) for name, x in kwds.items()}
        return write(file, *(asnumpy(asarray(x)) for x in args), **arrays)
    save_files(_path(file, ".npz"), args, kwds, compressed)


def loadtxt(
    fname,
    dtype=float,
    comments="#",
    delimiter=None,
    converters=None,
    skiprows=0,
    usecols=None,
    unpack=False,
    ndmin=0,
    encoding=None,
    max_rows=None,
    *,
    quotechar=None,
    like=None,
    missing_values=None,
    filling_values=None,
    device=None,
):
    """The numbers of a text file, as numpy.loadtxt reads them.

    `fname` is a path, an open file or the lines of a text. `missing_values` is a text that stands for a missing
    value, as an empty column does; `filling_values` is the number to put there. With converters NumPy reads the
    text.

    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "x.txt")
    >>> gp.savetxt(file, [[1, 2], [3, 4]])
    >>> gp.loadtxt(file)
    array([[1., 2.],
           [3., 4.]])
    """
    from ._text import loadtxt as load_text

    if like is not None:
        raise NotImplementedError("loadtxt: like is not supported")
    if converters is not None:
        from ._text import convert_text

        return convert_text(
            (fname, dtype, comments, delimiter, converters, skiprows, usecols, unpack, ndmin, encoding, max_rows),
            quotechar,
            device,
        )
    if encoding not in (None, "bytes", "utf-8", "utf8", "UTF-8"):
        raise NotImplementedError("loadtxt: the encoding is not UTF-8")
    options = (delimiter, comments, quotechar, missing_values, usecols, skiprows, max_rows, ndmin, dtype)
    return load_text(fname, options, filling_values, unpack, device)


def savetxt(
    fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None
):
    """Writes an array to a text file, as numpy.savetxt does. `fmt` None: the shortest text of each number.

    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "x.txt")
    >>> gp.savetxt(file, [[1, 2]], fmt="%d")
    >>> gp.loadtxt(file)
    array([1., 2.])
    """
    from ._text import savetxt as save_text

    if encoding not in (None, "utf-8", "utf8", "UTF-8", "latin1"):
        raise NotImplementedError("savetxt: the encoding is not UTF-8")
    save_text(fname, asarray(X), fmt, (delimiter, newline, header, footer, comments))


def _path(file, suffix):
    import os

    path = os.fspath(file)
    return path if path.endswith(suffix) else path + suffix


def show_config():
    """Prints which backends there are, and why others cannot work."""
    print(_core.discovery_report(0))


def load_ipython_extension(shell):
    """Called by IPython's `%load_ext gpuopt`: adds the magic `%%gpuopt`, which tells what a cell computed."""
    from ._notebook import load

    load(shell)


_MODULES = ("comm", "fft", "random", "signal")


def __getattr__(name):
    """What is loaded when it is asked for: modules, dtypes, which bring NumPy with them, and functions that are
    compiled."""
    if name in _MODULES:
        import importlib

        return importlib.import_module(f"gpuopt.{name}")
    if name == "__all__":  # of `from gpuopt import *`
        return [*(known for known in globals() if not known.startswith("_")), *_MODULES]
    from ._dtypes import ALIASES, NAMES

    name = ALIASES.get(name, name)
    if name in NAMES:
        from .compiled.types import NUMBERS

        return NUMBERS[name]
    from ._lazy import COMPILED, NUMPY, find

    if name in COMPILED:
        return find(name)
    if name == "dtype" or name in NUMPY:
        import numpy

        return getattr(numpy, name)
    raise AttributeError(f"module 'gpuopt' has no attribute {name!r}")


def __dir__():
    from ._dtypes import ALIASES, NAMES
    from ._lazy import COMPILED, NUMPY

    return sorted({*globals(), *_MODULES, *NAMES, *ALIASES, *COMPILED, *NUMPY, "dtype"})
