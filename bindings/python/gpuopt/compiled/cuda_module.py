# bindings/python/gpuopt/compiled/cuda_module.py -- numba.cuda's functions of the host: memory, streams, devices. They
# are attributes of gpuopt.cuda, which loads this file when one of them is asked for.
import contextlib

from .. import _convert, _core, _creation, _device
from . import kernels, words
from .kernels import Kernel, jit  # noqa: F401: attributes of gpuopt.cuda

ndarray = _core.ndarray
NAMES = (
    "Kernel detect list_devices gpus get_current_device current_context select_device close stream default_stream event"
    " to_device device_array device_array_like pinned_array mapped_array managed_array pinned mapped defer_cleanup"
    " as_cuda_array is_cuda_array reduce Reduce is_supported_version jit"
).split()
EVERY = (*NAMES, *words.NAMES)


def find(name):
    """The value of an attribute of gpuopt.cuda; AttributeError if it has none such."""
    if name in words.NAMES:
        return getattr(words, name)
    if name == "gpus":
        return list_devices()
    if name in NAMES:
        return globals()[name]
    raise AttributeError(f"module 'gpuopt.cuda' has no attribute {name!r}")


# ---- Memory --------------------------------------------------------------------------------------------------------


def to_device(obj, stream=0, copy=True, to=None):
    """A copy of a NumPy array on the device of kernels, or into the array `to`.

    >>> gp.cuda.to_device(gp.asnumpy(gp.arange(3))).copy_to_host()
    array([0, 1, 2])
    """
    if to is not None:
        if copy:
            to.copy_to_device(obj)
        return to
    if isinstance(obj, ndarray):
        return _core.gpuopt_copy_array(obj) if copy else obj
    import numpy

    return _convert.from_numpy(numpy.asarray(obj), kernels.kernel_device())


def device_array(shape, dtype=None, strides=None, order="C", stream=0):
    """A new array on the device of kernels, whose elements have no values yet; float64 by default.

    >>> gp.cuda.device_array((2, 3)).shape
    (2, 3)
    """
    return _creation.empty(shape, "float64" if dtype is None else dtype, device=kernels.kernel_device())


def device_array_like(ary, stream=0):
    """A new array with the shape and dtype of another.

    >>> gp.cuda.device_array_like(gp.zeros((2, 3))).shape
    (2, 3)
    """
    return device_array(ary.shape, ary.dtype)


def _host_array(shape, dtype=None, strides=None, order="C"):
    import numpy

    return numpy.empty(shape, float if dtype is None else numpy.dtype(dtype), order)


def pinned_array(shape, dtype=None, strides=None, order="C"):
    """A NumPy array for transfers.

    >>> gp.cuda.pinned_array((2, 3)).shape
    (2, 3)
    """
    return _host_array(shape, dtype, strides, order)


def mapped_array(shape, dtype=None, strides=None, order="C", stream=0, portable=False, wc=False):
    """A NumPy array that kernels can be given: it is copied there and back.

    >>> gp.cuda.mapped_array((2, 3)).shape
    (2, 3)
    """
    return _host_array(shape, dtype, strides, order)


def managed_array(shape, dtype=None, strides=None, order="C", stream=0, attach_global=True):
    """A NumPy array that kernels can be given: it is copied there and back.

    >>> gp.cuda.managed_array((2, 3)).shape
    (2, 3)
    """
    return _host_array(shape, dtype, strides, order)


@contextlib.contextmanager
def pinned(*arylist):
    """Nothing: transfers work from any memory."""
    yield


@contextlib.contextmanager
def mapped(*arylist, stream=0, portable=False, wc=False):
    """The arrays on the device of kernels, copied back at the end.

    >>> x = gp.asnumpy(gp.zeros(2))
    >>> with gp.cuda.mapped(x) as on_device:
    ...     on_device[:] = 7.0
    >>> x
    array([7., 7.])
    """
    made = [to_device(a) for a in arylist]
    yield made[0] if len(made) == 1 else made
    for array, copy in zip(arylist, made):
        array[...] = _convert.asnumpy(copy)


@contextlib.contextmanager
def defer_cleanup():
    """Nothing: memory is given back without waiting."""
    yield


def as_cuda_array(obj, sync=True):
    """The array that an object with __cuda_array_interface__ or __dlpack__ describes, without a copy.

    >>> x = gp.arange(3)
    >>> gp.shares_memory(gp.cuda.as_cuda_array(x), x)
    True
    """
    return obj if isinstance(obj, ndarray) else _convert.asarray(obj, copy=False)


def is_cuda_array(obj):
    """Whether an object is an array of a device.

    >>> gp.cuda.is_cuda_array(gp.zeros(2)), gp.cuda.is_cuda_array([0.0, 0.0])
    (True, False)
    """
    return isinstance(obj, ndarray) or hasattr(obj, "__cuda_array_interface__")


# ---- Devices and streams -------------------------------------------------------------------------------------------


class _Context:
    """What current_context() gives: the device's memory."""

    def __init__(self, device):
        self.device = device

    def get_memory_info(self):
        """(free, total) bytes of the device."""
        total = self.device.info["memory_bytes"]
        return total - _core.memory_stats(self.device)["in_use"], total

    def synchronize(self):
        """Waits for the device."""
        self.device.synchronize()

    def reset(self):
        """Gives memory back that is kept for reuse."""
        _core.gpuopt_memory_trim(self.device)


def current_context(devnum=None):
    """The context of the device of kernels."""
    return _Context(kernels.kernel_device())


def get_current_device():
    """The device of kernels."""
    return kernels.kernel_device()


def select_device(device_id):
    """Makes a device of CUDA that of this thread; where it cannot work, the CPU."""
    return _device.Device(f"cuda:{device_id}").use()


def close():
    """Waits for the device."""
    kernels.kernel_device().synchronize()


def list_devices():
    """The devices of kernels: one, at least."""
    from .. import cuda

    found = [kernels.kernel_device()]
    for k in range(1, 64):
        device, reason = _core.device_open(f"cuda:{k}") if cuda.is_available() else (None, 1)
        if reason or device is None or device.backend != "cuda":
            break
        found.append(device)
    _core.flush_log()
    return found


def detect():
    """Prints what backends there are; whether a CUDA device works."""
    from .. import cuda, show_config

    show_config()
    return cuda.is_available()


def is_supported_version():
    """True: the library says itself what it can use.

    >>> gp.cuda.is_supported_version()
    True
    """
    return True


def stream():
    """A new stream of the device of kernels.

    >>> stream = gp.cuda.stream()
    >>> stream.synchronize()
    >>> stream.done
    True
    """
    from ..cuda import Stream

    with kernels.kernel_device():
        return Stream()


def default_stream():
    """The default stream of the device of kernels.

    >>> gp.cuda.default_stream().synchronize()
    """
    from ..cuda import Stream

    with kernels.kernel_device():
        return Stream(null=True)


class event:
    """numba.cuda.event: a marker in a stream."""

    def __init__(self, timing=True):
        from ..cuda import Event

        self._event = Event()

    def record(self, stream=0):
        """Sets the marker behind all work of a stream so far."""
        self._event.record(stream or default_stream())

    def synchronize(self):
        """Waits until the work before the marker is done."""
        self._event.synchronize()

    def wait(self, stream=0):
        """Later work of a stream waits for the marker."""
        (stream or default_stream()).wait_event(self._event)

    def elapsed_time(self, evtend):
        """Milliseconds from this marker to another."""
        from ..cuda import get_elapsed_time

        return get_elapsed_time(self._event, evtend._event)


class Reduce:
    """numba.cuda.reduce: a Python function of two numbers as a reduction of arrays of one dimension."""

    def __init__(self, functor):
        from .vectorized import Ufunc

        self._ufunc = Ufunc(functor, target="cuda")

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        part = arr if size is None else arr[:size]
        total = init if part.shape[0] == 0 else self._ufunc.reduce(part, 0)
        total = total.item() if hasattr(total, "item") else total
        if part.shape[0] and init:
            total = self._ufunc.py_func(init, total)
        if res is not None:
            res[0] = total
            return None
        return total


reduce = Reduce
