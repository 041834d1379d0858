# bindings/python/gpuopt/_runtime.py -- what programs ask cupy.cuda.runtime for.
"""cupy.cuda.runtime: the devices and their memory. Where no GPU works the CPU is device number 0, and the only one."""

from . import _core, _device
from ._errors import Unavailable


def getDeviceCount():
    """The number of CUDA devices that work; 1 without any, for the CPU, which then stands for number 0."""
    count = 0
    try:
        while True:
            _core.device_open(f"cuda:{count}!")
            count += 1
    except (Unavailable, ValueError, IndexError):
        return max(count, 1)


def getDevice():
    """The number of the device on which this thread makes arrays."""
    return _device.current().id


def setDevice(device):
    """Makes it the device on which this thread makes arrays."""
    from .cuda import Device

    Device(int(device)).use()


def deviceSynchronize():
    """Waits until the current device has done all its work."""
    from .cuda import synchronize

    synchronize()


def memGetInfo():
    """The bytes of the current device's memory that are free, and those that there are."""
    return _device.current().mem_info


def driverGetVersion():
    """The version of the driver, 12040 for 12.4; 0 of the CPU."""
    try:
        return _device.current().attribute("driver_version")
    except NotImplementedError:
        return 0


def getDeviceProperties(device):
    """Facts of a device by the runtime's names; its name as bytes."""
    from .cuda import Device

    found = Device(int(device))
    names = {
        "totalGlobalMem": "memory_total",
        "multiProcessorCount": "processors",
        "warpSize": "warp_size",
        "maxThreadsPerBlock": "max_threads_per_block",
        "sharedMemPerBlock": "shared_bytes_per_block",
        "l2CacheSize": "l2_cache_bytes",
        "clockRate": "clock",
    }
    facts = found.attributes
    known = {name: facts[ours] for name, ours in names.items() if ours in facts}
    if "compute_capability" in facts:
        known["major"], known["minor"] = divmod(facts["compute_capability"], 10)
    return {"name": found.info["name"].encode(), **known}
