# bindings/python/gpuopt/compiled/device_calls.py -- the words of kernels.


class DeviceCallMixin:
    """Calls and attributes that only kernels have."""

    def special_attribute(self, node, target):
        return None

    def is_parallel(self, node):
        return False
