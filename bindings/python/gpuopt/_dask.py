# bindings/python/gpuopt/_dask.py -- arrays as chunks of Dask's: loaded by Dask, through the package's entry points.
"""What Dask is told of gpuopt's arrays. `dask.config.set({"array.backend": "gpuopt"})` makes Dask create them;
`dask.array.from_array(x)` takes those that are there. Between workers they are pickled, and a worker without a GPU
rebuilds them on its CPU. `dask.array.unique` stores into a structured array of NumPy's and cannot have them."""

import gpuopt

_registered = False


def _einsum(*operands, **options):
    for name in ("order", "casting", "optimize"):
        options.pop(name, None)
    return gpuopt.einsum(*operands, **options)


def register():
    """Registers the functions that Dask looks up by the type of a chunk. Calling it again does nothing."""
    global _registered
    if _registered:
        return
    try:
        import dask.array.backends as numpys
        import dask.array.dispatch as dispatch
        from dask.array.numpy_compat import divide
    except ImportError:  # Dask without what its arrays need, or one that is being imported
        return
    _registered = True
    array = gpuopt.ndarray
    dispatch.concatenate_lookup.register(array, gpuopt.concatenate)
    dispatch.tensordot_lookup.register(array, gpuopt.tensordot)
    dispatch.take_lookup.register(array, gpuopt.take)
    dispatch.einsum_lookup.register(array, _einsum)
    dispatch.empty_lookup.register(array, gpuopt.empty)
    dispatch.divide_lookup.register(array, divide)
    dispatch.numel_lookup.register(array, numpys._numel_arraylike)
    dispatch.nannumel_lookup.register(array, numpys._nannumel)
    dispatch.percentile_lookup.register(array, numpys.percentile)
    dispatch.to_numpy_dispatch.register(array, lambda x, **options: gpuopt.asnumpy(x))


def token(x):
    """The name that Dask gives to an array: equal for equal elements."""
    from dask.base import tokenize

    register()
    return "gpuopt", tokenize(gpuopt.asnumpy(x))


def sizeof_plugin(sizeof):
    """Called by Dask when it is imported: the size of an array is that of its elements."""
    sizeof.register(gpuopt.ndarray, lambda x: int(x.nbytes))


def _backend():
    from dask import config
    from dask.array import backends
    from dask.array.core import Array

    entry = getattr(backends, "ArrayBackendEntrypoint", None) or backends.DaskArrayBackendEntrypoint  # by version

    def creator(name):
        def create(*args, **options):
            import dask.array as da

            with config.set({"array.backend": "numpy"}):
                return Backend.to_backend(getattr(da, name)(*args, **options))

        return staticmethod(create)

    class Backend(entry):
        """Creates chunks of gpuopt's, where `array.backend` is "gpuopt"."""

        def __init__(self):
            register()

        @property
        def RandomState(self):
            return gpuopt.random.RandomState

        @property
        def default_bit_generator(self):
            raise NotImplementedError("gpuopt's generators have no bit generator of NumPy's kind: use RandomState")

        @classmethod
        def to_backend(cls, data: Array, **options):
            if isinstance(data._meta, gpuopt.ndarray):
                return data
            return data.map_blocks(gpuopt.asarray, meta=gpuopt.empty((0,) * data.ndim, dtype=data.dtype), **options)

        ones, zeros, empty = creator("ones"), creator("zeros"), creator("empty")
        full, arange = creator("full"), creator("arange")

    return Backend


def __getattr__(name):
    if name == "Backend":
        return globals().setdefault("Backend", _backend())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
