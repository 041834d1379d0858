# bindings/python/tests/test_exchange.py -- arrays among NumPy's: conversions, DLPack, buffers, ufuncs, pickle, files.
import copy
import gc
import pickle

import gpuopt as gp
import numpy as np
import pytest

DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3)], ids=str)
def test_every_way_there_and_back(dtype, shape, same):
    n = np.asarray(np.arange(np.prod(shape)).reshape(shape) * 3 % 7, dtype)
    x = gp.asarray(n)
    same(x, n)
    same(gp.asarray(n.T), n.T)
    same(gp.from_dlpack(n), n)
    np.testing.assert_array_equal(np.asarray(x), n)
    np.testing.assert_array_equal(np.from_dlpack(x), n)
    assert np.asarray(x).dtype == n.dtype and np.asarray(x).shape == n.shape
    for protocol in (2, 4, 5):
        same(pickle.loads(pickle.dumps(x, protocol)), n)
    buffers = []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(buffers) == 1
    same(pickle.loads(data, buffers=buffers), n)
    same(copy.copy(x), n)
    same(copy.deepcopy(x), n)
    assert x.tobytes() == n.tobytes()


def test_strides_and_byte_order(same):
    n = np.arange(24.0).reshape(4, 6)
    same(gp.asarray(n[::-1, ::2]), n[::-1, ::2])
    same(gp.asarray(n.astype(">f8")), n)
    same(gp.asarray(gp.asarray(n)[::2].T), n[::2].T)


def test_a_window_sees_writes_on_either_side():
    """What is recorded before a write through the window does not see it, and what is recorded later does."""
    x = gp.asarray([1.0, 2.0])
    window = np.asarray(x)
    y = x + x
    window[0] = 1000
    assert y.tolist() == [2.0, 4.0]
    assert (x + x).tolist() == [2000.0, 4.0]
    x += 1
    assert window.tolist() == [1001.0, 3.0]
    x[1] = 7
    assert window[1] == 7


def test_a_window_keeps_the_memory():
    window = np.asarray(gp.arange(1000.0) + 1)
    gc.collect()
    gp.ones(1000).sum().item()
    assert window[999] == 1000


def test_shared_memory_of_numpy():
    n = np.array([1.0, 2.0])
    x = gp.from_dlpack(n)
    n[0] = 5
    assert x.tolist() == [5.0, 2.0]
    x += 1
    assert n.tolist() == [6.0, 3.0]
    y = gp.asarray(n, copy=False)
    y[0] = 9
    gp.eval(y)
    assert n[0] == 9
    z = gp.asarray(n)
    z[0] = 0
    assert n[0] == 9
    with pytest.raises(ValueError):
        gp.asarray([1, 2], copy=False)
    with pytest.raises(ValueError):
        gp.asarray(n, "float32", copy=False)


def test_asarray_of_arrays():
    x = gp.ones(3)
    assert gp.asarray(x) is x and gp.asarray(x, "float64") is x
    assert gp.asarray(x, copy=True) is not x and gp.array(x) is not x
    assert gp.asarray(x, "float32").dtype == np.float32
    assert gp.asarray([x, x * 2]).tolist() == [[1, 1, 1], [2, 2, 2]]
    assert gp.asarray(memoryview(b"ab")).tolist() == [97, 98]
    for wrong in ("text", object(), ["a"], [None]):
        with pytest.raises(TypeError):
            gp.asarray(wrong)


def test_dlpack_s_arguments():
    x = gp.arange(3.0)
    assert x.__dlpack_device__() == (1, 0)
    for options in ({}, {"max_version": (1, 0)}, {"copy": True}, {"dl_device": (1, 0)}, {"stream": None}):
        assert gp.from_dlpack(x.__dlpack__(**options)).tolist() == [0, 1, 2]
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        gp.broadcast_to(x, (2, 3)).__dlpack__()
    shown = np.from_dlpack(gp.broadcast_to(x, (2, 3)))
    assert shown.shape == (2, 3) and not shown.flags.writeable
    capsule = x.__dlpack__()
    gp.from_dlpack(capsule)
    with pytest.raises((ValueError, BufferError)):
        gp.from_dlpack(capsule)


def test_buffers():
    x = gp.asarray([[1, 2, 3], [4, 5, 6]], "int32")
    view = memoryview(x)
    assert (view.format, view.shape, view.strides, view.readonly) == ("i", (2, 3), (12, 4), False)
    assert view.tolist() == [[1, 2, 3], [4, 5, 6]]
    view[0, 0] = 9
    assert x[0, 0] == 9
    assert bytes(memoryview(x.T)) == x.T.tobytes()
    assert memoryview(gp.broadcast_to(x, (2, 2, 3))).readonly


def test_numpy_s_functions_and_ufuncs(same):
    n = np.array([[1.0, 4.0], [9.0, 16.0]])
    x = gp.asarray(n)
    pairs = (
        (np.sqrt(x), np.sqrt(n)),
        (np.add(x, 1), n + 1),
        (np.power(x, 2), n**2),
        (np.add.reduce(x), n.sum(0)),
        (np.multiply.outer(x[0], x[1]), np.multiply.outer(n[0], n[1])),
        (np.concatenate([x, x]), np.concatenate([n, n])),
        (np.linalg.norm(x), np.linalg.norm(n)),
        (np.mean(x, axis=0), n.mean(0)),
        (np.where(x > 3, x, 0), np.where(n > 3, n, 0)),
        (np.stack([x, x], axis=1), np.stack([n, n], axis=1)),
        (np.fft.fft(x), np.fft.fft(n)),
    )
    for actual, expected in pairs:
        same(actual, expected, 1e-13)
    out = gp.empty((2, 2))
    assert np.add(x, x, out=out) is out and out.tolist() == (n + n).tolist()


def test_numpy_s_operands(same):
    n = np.array([1.0, 2.0])
    x = gp.asarray(n, "float32")
    same(x + n, n + n)
    same(n + x, n + n)
    same(np.float64(2) * x, n * 2)
    same(x * np.float32(2), (n * 2).astype("float32"))
    same(np.int64(3) - gp.asarray([1, 2]), np.array([2, 1]))
    same(x + np.array(1.0), n + 1)
    same(gp.asarray([1, 2]) + [3, 4], np.array([4, 6]))
    same(gp.asarray([1, 2]) == [1, 3], np.array([True, False]))
    x[...] = n * 3
    same(x, (n * 3).astype("float32"))
    assert (x == n * 3).all()


def test_which_module(monkeypatch, caplog):
    x, n = gp.ones(1), np.ones(1)
    assert gp.get_array_module(x) is gp and gp.get_array_module(n) is np and gp.get_array_module(n, x) is gp
    assert gp.asnumpy(n) is n and type(gp.asnumpy(x)) is np.ndarray
    monkeypatch.delenv("ARRAY_MODULE", raising=False)
    assert gp.array_module() is np and gp.array_module("numpy") is np and gp.array_module(np) is np
    assert gp.array_module("gpuopt") is gp and gp.array_module(gp) is gp and gp.array_module("cpu") is gp
    monkeypatch.setenv("ARRAY_MODULE", "cpu")
    assert gp.array_module() is gp and gp.array_module("numpy") is np
    monkeypatch.setenv("ARRAY_MODULE", "")
    assert gp.array_module() is np
    with pytest.raises(ValueError, match="Don't know ARRAY_MODULE 'nonsense'"):
        gp.array_module("nonsense")


def test_standardizing_in_either_module():
    def unit_standardize(a):
        xp = gp.get_array_module(a)
        assert a.dtype in [np.float64, np.float32]
        missing = xp.isnan(a)
        deviation, mean = xp.nanstd(a, axis=0), xp.nanmean(a, axis=0)
        deviation[deviation == 0.0] = xp.inf
        a -= mean
        a /= deviation
        a[missing] = 0

    values = np.random.RandomState(seed=1).choice([0.0, 1.0, 2.0, np.nan], size=(50, 20))
    drawn = gp.random.RandomState(seed=1).choice([0.0, 1.0, 2.0, gp.nan], size=(50, 20))
    np.testing.assert_array_equal(gp.asnumpy(drawn), values)
    unit_standardize(values)
    unit_standardize(drawn)
    np.testing.assert_allclose(gp.asnumpy(drawn), values, atol=1e-14)


def test_files(tmp_path, same):
    n = np.arange(6.0).reshape(2, 3)
    gp.save(tmp_path / "one", gp.asarray(n))
    np.testing.assert_array_equal(np.load(tmp_path / "one.npy"), n)
    same(gp.load(tmp_path / "one.npy"), n)
    for write in (gp.savez, gp.savez_compressed):
        write(tmp_path / "two.npz", gp.asarray(n), b=gp.asarray([1, 2]))
        loaded = gp.load(tmp_path / "two.npz")
        assert sorted(loaded) == ["arr_0", "b"]
        same(loaded["arr_0"], n)
        same(loaded["b"], np.array([1, 2]))


def test_progress_of_large_files(tmp_path, same, monkeypatch, capsys):
    from gpuopt import _progress

    monkeypatch.setattr(_progress, "LEAST", 1000)
    monkeypatch.setattr(_progress, "_PART", 256)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    clock = iter(range(10_000))
    monkeypatch.setattr(_progress.time, "monotonic", lambda: next(clock) / 4)
    for n in (np.arange(600.0).reshape(20, 30), np.arange(999, dtype=np.int16), np.ones((3, 200), np.complex64)):
        gp.save(tmp_path / "x.npy", gp.asarray(n))
        assert "saving x.npy: " in capsys.readouterr().err
        assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), n)
        same(gp.load(tmp_path / "x.npy"), n)
        assert "loading x.npy: " in capsys.readouterr().err
    np.save(tmp_path / "f.npy", np.asfortranarray(np.arange(600.0).reshape(20, 30)))
    np.save(tmp_path / "b.npy", np.arange(600, dtype=">i4"))
    same(gp.load(tmp_path / "f.npy"), np.arange(600.0).reshape(20, 30))
    same(gp.load(tmp_path / "b.npy"), np.arange(600, dtype=np.int32))

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_progress._Line, "tell", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gp.save(tmp_path / "y.npy", gp.ones(1000))
    assert not (tmp_path / "y.npy").exists() and len(list(tmp_path.iterdir())) == 3


def test_array_interface():
    class Only:
        """NumPy sees the interface alone."""

        def __init__(self, x):
            self.x = x
            self.__array_interface__ = x.__array_interface__

    x = gp.arange(6.0).reshape(2, 3)
    n = np.asarray(Only(x))
    assert n.tolist() == x.tolist()
    n[0, 0] = 7
    assert x[0, 0] == 7
    x += 1
    assert n[1, 2] == 6
    np.testing.assert_array_equal(np.asarray(Only(x.T)), n.T)
    assert gp.broadcast_to(x, (2, 2, 3)).__array_interface__["data"][1] is True
    assert not hasattr(x, "__cuda_array_interface__")
    assert not hasattr(gp.ones(1, "bfloat16"), "__array_interface__")
