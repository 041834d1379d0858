# tests/fuzz/programs/oracle_exchange.py -- NumPy's answers for arrays that leave the library and come back: files and
# DLPack.
import io
import zipfile

import numpy as np

from expected import Exact, Fails
from oracle_arrays import Payload, View, strong
from tables import stored
from values import same

# How the library and ml_dtypes name bfloat16 in files.
_BFLOAT16 = np.dtype("V2")


def file_dtype(dtype):
    return _BFLOAT16 if dtype == "bfloat16" else np.dtype(dtype)


def _dtype_of(elements):
    return "bfloat16" if elements.dtype == _BFLOAT16 else elements.dtype.name


def _loaded(bytes_of_file):
    elements = np.lib.format.read_array(io.BytesIO(bytes_of_file), allow_pickle=False)
    dtype = _dtype_of(elements)
    native = elements if dtype == "bfloat16" else elements.astype(elements.dtype.newbyteorder("="))
    return View(dtype, native.view(stored(dtype)) if dtype == "bfloat16" else native, False)


def same_files(a, b):
    """Whether two .npy files differ in nothing but the signs and payloads of NaNs."""
    x, y = _loaded(a), _loaded(b)
    alike = (
        x.dtype == y.dtype
        and x.elements.shape == y.elements.shape
        and x.elements.flags.c_contiguous == y.elements.flags.c_contiguous
    )
    return alike and bool(same(x.elements, y.elements, x.dtype).all())


class SavedFile:
    """The bytes of an .npy file, which NumPy reads as these elements."""

    def __init__(self, dtype, elements):
        self.dtype, self.elements = dtype, elements

    def difference(self, record):
        try:
            found = _loaded(record.payload)
        except ValueError as problem:
            return f"gives a file that NumPy does not read: {problem}"
        if found.dtype != self.dtype or found.elements.shape != self.elements.shape:
            return f"gives a file of {found.dtype} {found.elements.shape}, expected {self.dtype} {self.elements.shape}"
        return None if same(found.elements, self.elements, self.dtype).all() else "gives a file with other elements"


def _saved_and_loaded(model, name):
    """New elements, in Fortran's order if the array had it: a file says which."""
    dtype, elements = strong(model, name)
    fortran = elements.flags.f_contiguous and not elements.flags.c_contiguous
    return View(dtype, elements.copy(order="F" if fortran else "C"), False)


def _npy(model, s):
    return _saved_and_loaded(model, s.words[0])


def _save_npy(model, s):
    return SavedFile(*strong(model, s.words[0]))


def _load_npy(model, s):
    return _loaded(bytes.fromhex(s.words[0]))


def _npz(model, s):
    return [_saved_and_loaded(model, word) for word in s.words[2:]][int(s.words[1])]


def _npz_names(model, s):
    for word in s.words[1:]:
        strong(model, word)
    return Payload("".join(f"{word}\n" for word in s.words[1:]).encode())


def _load_npz(model, s):
    with zipfile.ZipFile(io.BytesIO(bytes.fromhex(s.words[1]))) as members:
        return _loaded(members.read(f"{s.words[0]}.npy"))


def _dlpack(model, s):
    dtype, elements = strong(model, s.words[0])
    copy_out, copy_in, versioned = (int(word) for word in s.words[1:])
    read_only = s.words[0] in model.read_only and copy_out != 1
    if read_only and not versioned:
        raise Fails("READ_ONLY")
    if copy_out == 1 or copy_in == 1:
        return Exact(dtype, elements.copy())
    return View(dtype, elements.view(), read_only)


VERBS = {"npy": _npy, "save_npy": _save_npy, "load_npy": _load_npy, "npz": _npz, "npz_names": _npz_names,
         "load_npz": _load_npz, "dlpack": _dlpack}
