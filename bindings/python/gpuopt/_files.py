# bindings/python/gpuopt/_files.py -- .npy and .npz files, read and written by the library.
import os

from . import _convert, _core


def load(file, device):
    path = os.fspath(file)
    with open(path, "rb") as opened:
        head = opened.read(2)
    if head != b"PK":
        return _core.gpuopt_load_npy(device, path)
    npz = _core.gpuopt_npz_open(path)
    return {name: _core.gpuopt_npz_read(npz, name, device) for name in _core.npz_names(npz)}


def savez(path, args, kwds, compress):
    arrays = {f"arr_{at}": array for at, array in enumerate(args)} | kwds
    values = tuple(map(_convert.asarray, arrays.values()))
    _core.gpuopt_save_npz(path, len(arrays), tuple(arrays), values, compress)
