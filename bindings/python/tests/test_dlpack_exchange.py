# bindings/python/tests/test_dlpack_exchange.py -- DLPack's functions for other extension modules, called as these call
# them: through the table that the type names, whose layout is that of the specification.
import ctypes
import gc
import weakref

import gpuopt as gp
import numpy as np
import pytest

INT, POINTER, OBJECT = ctypes.c_int, ctypes.c_void_p, ctypes.py_object


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", POINTER),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    pass


DELETER = ctypes.PYFUNCTYPE(None, ctypes.POINTER(Managed))
Managed._fields_ = [
    ("major", ctypes.c_uint32),
    ("minor", ctypes.c_uint32),
    ("context", POINTER),
    ("deleter", DELETER),
    ("flags", ctypes.c_uint64),
    ("tensor", Tensor),
]
SET_ERROR = ctypes.PYFUNCTYPE(None, POINTER, ctypes.c_char_p, ctypes.c_char_p)
OUT = ctypes.POINTER(ctypes.POINTER(Managed))


class Api(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", POINTER),
        ("allocate", ctypes.PYFUNCTYPE(INT, ctypes.POINTER(Tensor), OUT, POINTER, SET_ERROR)),
        ("from_object", ctypes.PYFUNCTYPE(INT, OBJECT, OUT)),
        ("to_object", ctypes.PYFUNCTYPE(INT, ctypes.POINTER(Managed), ctypes.POINTER(POINTER))),
        ("view_of_object", POINTER),
        ("current_stream", ctypes.PYFUNCTYPE(INT, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(POINTER))),
    ]


def table():
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = POINTER, [OBJECT, ctypes.c_char_p]
    return Api.from_address(get(gp.ndarray.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))


API = table()


def exported(x):
    tensor = ctypes.POINTER(Managed)()
    assert API.from_object(x, ctypes.byref(tensor)) == 0
    return tensor


def imported(tensor):
    """The object that a tensor becomes: the function gives a reference, which goes to the caller."""
    place = POINTER()
    assert API.to_object(tensor, ctypes.byref(place)) == 0
    result = ctypes.cast(place, OBJECT).value
    ctypes.pythonapi.Py_DecRef(ctypes.cast(place, OBJECT))
    return result


def values(tensor):
    """A copy of a contiguous tensor's elements, as NumPy reads the memory."""
    t = tensor.contents.tensor
    kind = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}[t.code]
    shape = [t.shape[at] for at in range(t.ndim)]
    data = ctypes.string_at((t.data or 0) + t.byte_offset, int(np.prod(shape)) * t.bits // 8)
    return np.frombuffer(data, dtype=f"{kind}{t.bits // 8}").reshape(shape)


def test_the_table():
    assert (API.major, API.minor, API.previous, API.view_of_object) == (1, 2, None, None)
    assert ctypes.sizeof(Api) == 56 and ctypes.sizeof(Managed) == 80


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
def test_there_and_back(dtype, shape, same):
    n = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2).astype(dtype)
    x = gp.asarray(n)
    tensor = exported(x)
    assert tensor.contents.tensor.device_type == 1 and tensor.contents.major == 1
    np.testing.assert_array_equal(values(tensor).astype(dtype), n)
    same(imported(tensor), n)


def test_memory_is_shared_and_given_back():
    x = gp.zeros(4) + 1.0  # recorded: it is computed for the consumer
    y = imported(exported(x))
    y[1] = 5.0
    later = x * 2
    y[1] = 7.0
    assert x.tolist() == y.tolist() == [1.0, 7.0, 1.0, 1.0] and later.tolist() == [2.0, 10.0, 2.0, 2.0]
    kept = weakref.ref(x)
    del x
    gc.collect()
    assert kept() is None and y.tolist() == [1.0, 7.0, 1.0, 1.0]
    element = imported(exported(y[1]))
    assert element.shape == () and float(element) == 7.0


def test_a_consumer_deletes_what_it_has():
    tensor = exported(gp.arange(3))
    tensor.contents.deleter(tensor)
    fixed = exported(gp.broadcast_to(gp.asarray(1.0), (3,)))
    assert fixed.contents.flags & 1
    fixed.contents.deleter(fixed)


def test_arrays_for_others():
    shape = (ctypes.c_int64 * 2)(2, 3)
    wanted = Tensor(device_type=1, ndim=2, code=2, bits=32, lanes=1, shape=shape)
    tensor, said = ctypes.POINTER(Managed)(), []
    tell = SET_ERROR(lambda context, kind, message: said.append((kind, message)))
    assert API.allocate(ctypes.byref(wanted), ctypes.byref(tensor), None, tell) == 0 and not said
    x = imported(tensor)
    assert (x.shape, x.dtype) == ((2, 3), np.float32)
    wanted.bits = 24
    assert API.allocate(ctypes.byref(wanted), ctypes.byref(tensor), None, tell) == -1
    assert said == [(b"TypeError", b"gpuopt has no such dtype")] and not tensor
    wanted.bits, shape[0] = 32, -1
    assert API.allocate(ctypes.byref(wanted), ctypes.byref(tensor), None, tell) == -1 and said[1][0] == b"BufferError"


def test_what_is_wrong_is_said():
    tensor = ctypes.POINTER(Managed)()
    with pytest.raises(TypeError, match="no gpuopt.ndarray"):
        API.from_object(np.zeros(2), ctypes.byref(tensor))
    mine = exported(gp.arange(3))
    mine.contents.major = 2
    with pytest.raises(BufferError, match="DLPack 2"):
        API.to_object(mine, ctypes.byref(POINTER()))
    mine.contents.major = 1
    assert imported(mine).tolist() == [0, 1, 2]


def test_the_stream():
    stream = POINTER(1)
    assert API.current_stream(1, 0, ctypes.byref(stream)) == 0 and stream.value is None
