# bindings/python/gpuopt/_files.py -- .npy and .npz files, read and written by the library.
import os

from . import _convert, _core, _progress


def load(file, device):
    path = os.fspath(file)
    with open(path, "rb") as opened:
        head = opened.read(2)
    if head != b"PK":
        found = None
        if _progress.wanted(os.path.getsize(path)):
            found = _progress.load(path, device)
        return _core.gpuopt_load_npy(device, path) if found is None else found
    npz = _core.gpuopt_npz_open(path)
    return {name: _core.gpuopt_npz_read(npz, name, device) for name in _core.npz_names(npz)}


def load_stream(file, device):
    """What NumPy reads from an open file."""
    import numpy

    found = numpy.load(file)
    if isinstance(found, numpy.ndarray):
        return _convert.from_numpy(found, device)
    return {name: _convert.from_numpy(found[name], device) for name in found.files}


def save(path, x):
    if _progress.wanted(x.nbytes) and x.dtype.kind in "biufc":
        _progress.save(path, x)
    else:
        _core.gpuopt_save_npy(x, path)


def savez(path, args, kwds, compress):
    arrays = {f"arr_{at}": array for at, array in enumerate(args)} | kwds
    values = tuple(map(_convert.asarray, arrays.values()))
    _core.gpuopt_save_npz(path, len(arrays), tuple(arrays), values, compress)
