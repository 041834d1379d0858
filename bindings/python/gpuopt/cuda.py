# bindings/python/gpuopt/cuda.py -- devices, streams, events and memory pools as CuPy has them.
"""cupy.cuda: Device, Stream, Event and the memory pool. Where there is no GPU they are those of the CPU."""

import os
import sys
from _thread import _local

from . import _core, _device

_thread = _local()
__path__ = [os.path.join(os.path.dirname(__file__), "compiled", "cuda_package")]  # gpuopt.cuda.random


class Device(_device.Device):
    """Device number `id` of CUDA, or, where that cannot work, the CPU. As a context manager the device on which
    arrays are made."""

    def __new__(cls, device=None):
        if device is None:
            return _device.current()
        return _device.Device(f"cuda:{device}" if isinstance(device, int) else device)


class Stream:
    """An ordered queue of a device."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.device = _device.current()
        self._handle = _core.gpuopt_stream_default(self.device) if null else _core.gpuopt_stream_create(self.device)

    @property
    def ptr(self):
        """The driver's handle of the stream, an integer; 0 of the CPU."""
        return _core.gpuopt_stream_native(self._handle)

    @property
    def done(self):
        """Whether all work of the stream so far is done."""
        return bool(_core.gpuopt_stream_query(self._handle))

    def synchronize(self):
        """Waits until all work of the stream is done."""
        _core.gpuopt_stream_synchronize(self._handle)

    def record(self, event=None):
        """A marker behind all work of the stream so far."""
        event = Event() if event is None else event
        event._handle = _core.gpuopt_event_record(self._handle)
        return event

    def wait_event(self, event):
        """Later work of the stream waits for an event."""
        _core.gpuopt_stream_wait(self._handle, event._handle)

    def use(self):
        """Makes it the current stream of this thread."""
        _stack()[-1:] = [self]
        return self

    def __enter__(self):
        _stack().append(self)
        return self

    def __exit__(self, *exception):
        _stack().pop()


def _stack():
    if not hasattr(_thread, "stack"):
        _thread.stack = []
    return _thread.stack


def get_current_stream():
    """The current stream of this thread.

    >>> with gp.cuda.Stream() as stream:
    ...     gp.cuda.get_current_stream() is stream
    True
    """
    stack = _stack()
    return stack[-1] if stack else Stream(null=True)


class Event:
    """A marker in a stream."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._handle = None

    @property
    def done(self):
        """Whether the work before the marker is done; that of an event that is not recorded is."""
        return self._handle is None or bool(_core.gpuopt_event_query(self._handle))

    def record(self, stream=None):
        """Sets the marker behind all work of a stream so far."""
        (get_current_stream() if stream is None else stream).record(self)

    def synchronize(self):
        """Waits until the work before the marker is done."""
        if self._handle is not None:
            _core.gpuopt_event_synchronize(self._handle)


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events.

    >>> stream = gp.cuda.Stream()
    >>> start, end = stream.record(), stream.record()
    >>> end.synchronize()
    >>> gp.cuda.get_elapsed_time(start, end) >= 0
    True
    """
    return _core.gpuopt_event_elapsed(start_event._handle, end_event._handle)


class MemoryPool:
    """The memory that the current device's allocator holds."""

    def used_bytes(self):
        """Bytes held by arrays."""
        return _core.memory_stats(None)["in_use"]

    def free_bytes(self):
        """Bytes kept for reuse."""
        return _core.memory_stats(None)["cached"]

    def total_bytes(self):
        """Bytes held by arrays or kept for reuse."""
        stats = _core.memory_stats(None)
        return stats["in_use"] + stats["cached"]

    def free_all_blocks(self, stream=None):
        """Gives back what is kept for reuse."""
        _core.gpuopt_memory_trim(None)

    def set_limit(self, size=None, fraction=None):
        """The most bytes that may be held; 0 is no limit."""
        if fraction is not None:
            size = int(_device.current().info["memory_bytes"] * fraction)
        _core.gpuopt_memory_set_limit(None, size or 0)

    def get_limit(self):
        """The most bytes that may be held; 0 is no limit."""
        return _core.memory_stats(None)["limit"]


def get_default_memory_pool():
    """The memory pool of the current device.

    >>> pool = gp.cuda.get_default_memory_pool()
    >>> x = gp.ones(1_000_000)
    >>> gp.eval(x)
    >>> pool.used_bytes() >= x.nbytes
    True
    """
    return MemoryPool()


def synchronize():
    """Waits until the current device, and that of kernels, have done all their work."""
    _device.current().synchronize()
    kernels = sys.modules.get("gpuopt.compiled.kernels")
    if kernels is not None:
        kernels.kernel_device().synchronize()


def is_available():
    """Whether a CUDA device works here."""
    device, reason = _core.device_open("cuda")
    _core.flush_log()
    return reason == 0 and device.backend == "cuda"


def __getattr__(name):
    """numba.cuda's names: jit, grid, to_device and so on, which are loaded when they are asked for."""
    if name.startswith("__"):
        raise AttributeError(f"module 'gpuopt.cuda' has no attribute {name!r}")
    if name == "texture":
        from . import _texture

        return _texture
    if name == "runtime":
        from . import _runtime

        return _runtime
    from .compiled import cuda_module

    return cuda_module.find(name)


def __dir__():
    from .compiled import cuda_module

    return sorted({*globals(), *cuda_module.EVERY})
