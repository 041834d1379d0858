# bindings/python/gpuopt/_device.py -- devices, and which of them a thread makes its arrays on.
"""Devices are opened when the first array needs one; importing gpuopt opens nothing."""

from _thread import _local

from . import _core

_thread = _local()
_default = None
ATTRIBUTES = {
    "memory_total": 1,
    "memory_free": 2,
    "processors": 3,
    "compute_capability": 16,
    "warp_size": 17,
    "max_threads_per_block": 18,
    "max_threads_per_processor": 19,
    "shared_bytes_per_block": 20,
    "shared_bytes_per_processor": 21,
    "registers_per_block": 22,
    "l2_cache_bytes": 23,
    "clock": 24,
    "memory_clock": 25,
    "memory_bus_bits": 26,
    "pci_bus": 27,
    "pci_device": 28,
    "driver_version": 29,
    "host_access": 30,
    "compiled_kept": 32,
    "interpreter_kept": 33,
}


class Device:
    """A device by request: "cuda" prefers it and falls back to the CPU with one warning, "cuda!" demands it.

    Device() is that of the environment (GPUOPT_BACKEND, then ARRAY_MODULE, else the CPU). As a context manager it
    is the device on which this thread makes arrays. Comparing it with anything never raises; it equals its name and,
    number 0, its backend's.
    """

    __slots__ = ("__weakref__", "_handle", "backend", "name")

    def __new__(cls, request=None):
        if isinstance(request, Device):
            return request
        device, _ = _core.device_open(request)
        _core.flush_log()
        return device

    @classmethod
    def _of(cls, handle, name, backend):
        device = object.__new__(cls)
        device._handle, device.name, device.backend = handle, name, backend
        return device

    @property
    def id(self):
        """The number of the device among those of its backend."""
        return int(self.name.rpartition(":")[2])

    @property
    def info(self):
        """What is known of the device: the processor's name, its memory, the plugin."""
        return _core.device_info(self)

    @property
    def host_memory(self):
        """Whether the host can read and write the arrays' memory."""
        return _core.device_info(self)["host_memory"]

    def attribute(self, name):
        """A fact as a number, by its name or number: GPUOPT_ATTRIBUTE_* of gpuopt.h in lower case."""
        return _core.gpuopt_device_get_attribute(self, ATTRIBUTES.get(name, name))

    @property
    def attributes(self):
        """What is known of the device as numbers: a dict by name."""
        found = {}
        for name in ATTRIBUTES:
            try:
                found[name] = self.attribute(name)
            except NotImplementedError:  # not known of such a device
                continue
        return found

    @property
    def mem_info(self):
        """The bytes of memory that are free, and those that there are."""
        return self.attribute("memory_free"), self.attribute("memory_total")

    @property
    def compute_capability(self):
        """That of a GPU as text, "90" for 9.0."""
        return str(self.attribute("compute_capability"))

    def synchronize(self):
        """Runs what is recorded and waits until the device has done it."""
        _core.gpuopt_device_synchronize(self)

    def use(self):
        """Makes it the device on which this thread makes arrays."""
        stack = _stack()
        stack[-1:] = [self]
        return self

    def __enter__(self):
        _stack().append(self)
        return self

    def __exit__(self, *exception):
        _stack().pop()

    def __eq__(self, other):
        if isinstance(other, Device):
            return self.name == other.name
        if isinstance(other, str):
            return other == self.name or (other == self.backend and self.id == 0)
        return NotImplemented

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"<{self.backend.upper()} Device {self.id}>"

    def __str__(self):
        return self.name

    def __reduce__(self):
        return Device, (self.name,)


def _stack():
    if not hasattr(_thread, "stack"):
        _thread.stack = []
    return _thread.stack


def current():
    """The device on which this thread makes arrays."""
    global _default
    stack = _stack()
    if stack:
        return stack[-1]
    if _default is None:
        _default = Device()
    return _default


def handle(device):
    """What the extension knows a device by. None is the current one, a str a request."""
    if device is None:
        return current()._handle
    return (device if isinstance(device, Device) else Device(device))._handle
