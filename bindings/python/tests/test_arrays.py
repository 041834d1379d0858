# bindings/python/tests/test_arrays.py -- arrays as objects: creation, facts, numbers, text, errors, devices.
import gc
import logging
import subprocess
import sys
import threading
import weakref

import gpuopt as gp
import ml_dtypes
import numpy as np
import pytest

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
]
DTYPES += ["complex64", "complex128"]


@pytest.mark.parametrize("dtype", [None, *DTYPES])
def test_creation(dtype, same):
    for name in ("zeros", "ones"):
        same(getattr(gp, name)((2, 3), dtype), getattr(np, name)((2, 3), dtype))
        same(getattr(gp, name)(4, dtype), getattr(np, name)(4, dtype))
    assert gp.empty((2, 0), dtype).shape == (2, 0)
    same(gp.full((2,), 1, dtype), np.full((2,), 1, dtype))
    same(gp.eye(3, 4, 1, dtype), np.eye(3, 4, 1, dtype or float))
    same(gp.asarray([[1, 0], [0, 1]], dtype), np.asarray([[1, 0], [0, 1]], dtype))


def test_sequences(same):
    same(gp.arange(5), np.arange(5))
    same(gp.arange(1, 10, 3), np.arange(1, 10, 3))
    same(gp.arange(0.5, -2, -0.5), np.arange(0.5, -2, -0.5))
    same(gp.linspace(0, 1, 5), np.linspace(0, 1, 5))
    same(gp.linspace(1, 0, 4, endpoint=False), np.linspace(1, 0, 4, endpoint=False), 1e-15)
    same(gp.linspace(0, 1j, 3), np.linspace(0, 1j, 3))
    for a, b in zip(gp.meshgrid(gp.arange(2), gp.arange(3)), np.meshgrid(np.arange(2), np.arange(3))):
        same(a, b)
    same(gp.full_like(gp.ones((2, 2), "int8"), 7), np.full_like(np.ones((2, 2), "int8"), 7))
    same(gp.zeros_like(gp.ones((2, 2), "int8")), np.zeros((2, 2), "int8"))


def test_dtypes_are_numpy_s():
    x = gp.zeros(2, "float32")
    assert x.dtype is np.dtype("float32")
    assert x.dtype in [np.float64, np.float32]
    assert gp.float32 == np.float32 == gp.float32 and np.dtype(gp.float32) is np.dtype("float32")
    assert gp.zeros(1, gp.bool_).dtype == bool
    assert gp.zeros(1, float).dtype == np.float64
    assert gp.zeros(1, np.dtype(">i4")).dtype == np.int32
    for wrong in ("nonsense", object, "U3", "M8[s]"):
        with pytest.raises(TypeError):
            gp.zeros(2, wrong)


def test_bfloat16():
    x = gp.asarray([1.0, 2.5], "bfloat16")
    assert x.dtype == ml_dtypes.bfloat16
    assert (x + x).tolist() == [2.0, 5.0]
    assert gp.asnumpy(x).dtype == ml_dtypes.bfloat16
    assert gp.asarray(np.array([1.5], ml_dtypes.bfloat16)).dtype == x.dtype
    with pytest.raises(BufferError):
        memoryview(x)


def test_facts():
    x = gp.zeros((2, 3, 4), "int16")
    assert (x.shape, x.ndim, x.size, x.nbytes, x.itemsize) == ((2, 3, 4), 3, 24, 48, 2)
    assert x.strides == (24, 8, 2)
    assert x.T.shape == (4, 3, 2) and x.mT.shape == (2, 4, 3)
    assert x.flags["C_CONTIGUOUS"] and not x.T.flags.c_contiguous and x.T.flags.f_contiguous
    assert not gp.broadcast_to(x, (5, 2, 3, 4)).flags.writeable
    with pytest.raises(ValueError):
        gp.ones(3).mT  # noqa: B018


def test_as_numbers():
    assert float(gp.asarray(2.5)) == 2.5 and int(gp.asarray([3])) == 3 and complex(gp.asarray(1 + 2j)) == 1 + 2j
    assert [10, 20, 30][gp.asarray(1)] == 20
    assert bool(gp.asarray(0.0)) is False and bool(gp.asarray([2])) is True
    assert f"{gp.asarray(1.256):.2f}" == "1.26"
    assert gp.asarray([1, 2, 3]).item(1) == 2 and gp.asarray([[1, 2], [3, 4]]).item(1, 0) == 3
    assert gp.asarray([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert 2 in gp.asarray([1, 2]) and 5 not in gp.asarray([1, 2])
    for wrong in (
        lambda: float(gp.ones(2)),
        lambda: [1][gp.asarray(0.0)],
        lambda: float(gp.asarray(1j)),
        lambda: hash(gp.ones(1)),
    ):
        with pytest.raises(TypeError):
            wrong()
    for wrong in (lambda: bool(gp.ones(2)), lambda: bool(gp.ones(0)), lambda: gp.ones(2).item()):
        with pytest.raises(ValueError):
            wrong()


VALUES = [
    [1.0, 2.5],
    [],
    3,
    [True, False],
    [[1, 2], [3, 4]],
    [1e-10, 1e10],
    [np.nan, np.inf],
    [1 + 2j],
    list(range(2000)),
]


@pytest.mark.parametrize("values", VALUES, ids=lambda v: str(v)[:20])
def test_text_is_numpy_s(values):
    for dtype in (None, "float32"):
        if dtype and np.asarray(values).dtype.kind == "c":
            continue
        x, n = gp.asarray(values, dtype), np.asarray(values, dtype)
        assert repr(x) == repr(n)
        assert str(x) == str(n)


def test_errors_are_python_s():
    cases = [
        (ValueError, "GPUOPT_ERR_SHAPE", lambda: gp.ones(3) + gp.ones(2)),
        (TypeError, "GPUOPT_ERR_TYPE", lambda: gp.ones(2) & gp.ones(2)),
        (ValueError, "GPUOPT_ERR_READ_ONLY", lambda: gp.broadcast_to(gp.ones(1), 2).fill(0)),
        (MemoryError, "GPUOPT_ERR_OUT_OF_MEMORY", lambda: gp.empty((2**62, 2))),
        (OverflowError, "GPUOPT_ERR_OVERFLOW", lambda: gp.full(2, 300, "int8")),
        (OSError, "GPUOPT_ERR_IO", lambda: gp.save("/nowhere/at/all.npy", gp.ones(1))),
        (ValueError, "GPUOPT_ERR_INVALID_ARGUMENT", lambda: gp.Device("no-such-backend")),
    ]
    for kind, code, call in cases:
        with pytest.raises(kind) as caught:
            call()
        assert caught.value.code == code
        assert caught.value.reason == "NONE"
    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(3,\) \(2,\)"):
        gp.ones(3) + gp.ones(2)
    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(3,3\) \(2,2\)"):
        gp.zeros((3, 3)) * gp.ones((2, 2))
    with pytest.raises(TypeError):
        gp.ones(2) + "text"
    with pytest.raises(TypeError):
        gp.ones(2) + None


def test_a_thousand_threads_fail_differently():
    wrong = []

    def work(number):
        try:
            gp.ones(number + 2) + gp.ones(number + 1002)
            wrong.append(number)
        except ValueError as error:
            if f"({number + 2},) ({number + 1002},)" not in str(error):
                wrong.append((number, str(error)))

    for start in range(0, 1000, 50):
        threads = [threading.Thread(target=work, args=(start + n,)) for n in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_devices():
    cpu = gp.Device("cpu")
    assert (
        gp.ones(1).device is cpu and cpu == "cpu" and cpu == "cpu:0" and cpu != "cuda" and cpu != 3 and cpu is not None
    )
    assert gp.ones(1, device="cpu").device is cpu and gp.ones(1).to_device(cpu).device is cpu
    assert cpu.info["host_memory"] is True and cpu.host_memory
    assert repr(cpu) == "<CPU Device 0>" and str(cpu) == "cpu:0"
    with cpu:
        assert gp.zeros(2).device is cpu
    cpu.synchronize()


def test_a_fallback_is_a_warning_of_logging():
    program = (
        "import logging, gpuopt\n"
        "class Keep(logging.Handler):\n"
        "    def emit(self, record): print(record.levelname, record.event, record.getMessage()[:20])\n"
        "logging.getLogger('gpuopt').addHandler(Keep())\n"
        "print(gpuopt.Device('cuda'), gpuopt.Device('cuda'))\n"
    )
    environment = {"GPUOPT_DISABLE": "cuda", "PATH": "/usr/bin"} | {
        k: v for k, v in __import__("os").environ.items() if "PYTHON" in k
    }
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines() == ["WARNING backend.fallback gpuopt[W] backend.fa", "cpu:0 cpu:0"]
    assert done.stderr == ""
    assert logging.getLogger("gpuopt") is not None


def test_arrays_are_given_back():
    pool = gp.get_default_memory_pool()
    gc.collect()
    before = pool.used_bytes()
    x = gp.ones(100_000)
    x.device.synchronize()
    gp.eval(x)
    assert pool.used_bytes() >= before + 800_000
    reference = weakref.ref(x)
    del x
    assert reference() is None
    assert pool.used_bytes() < before + 800_000


def test_references_are_given_back():
    """No call leaves a reference to what it was given, or to what it gave."""
    x, one = gp.ones(3), object()
    calls = [
        lambda: x + 1,
        lambda: x.sum(axis=0),
        lambda: x[1:],
        lambda: x.dtype,
        lambda: x.device,
        lambda: gp.add(x, x, out=x),
    ]
    calls += [
        lambda: memoryview(x),
        lambda: x.shape,
        lambda: gp.asarray([1.0]),
        lambda: repr(x),
        lambda: x == one,
        lambda: divmod(x, 2),
    ]
    for call in calls:
        call()
        gc.collect()
        before = sys.getrefcount(x), sys.getrefcount(one), sys.getrefcount(type(x)), sys.getrefcount(x.dtype)
        for _ in range(200):
            call()
        gc.collect()
        after = sys.getrefcount(x), sys.getrefcount(one), sys.getrefcount(type(x)), sys.getrefcount(x.dtype)
        assert max(a - b for a, b in zip(after, before)) < 50, call


def test_importing_is_cheap():
    """Nothing but a few small modules of Python's own: no NumPy, no typing, no re; and no backend is opened."""
    program = """
import sys
before = set(sys.modules)
import gpuopt
print(*sorted(set(sys.modules) - before))
print("libgpuopt_cpu" in open("/proc/self/maps").read())
gpuopt.ones(3).sum()
print("libgpuopt_cpu" in open("/proc/self/maps").read(), "numpy" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded, *opened = done.stdout.splitlines()
    assert opened == ["False", "True False"]
    loaded = set(loaded.split())
    assert {name for name in loaded if name.split(".")[0] != "gpuopt"} <= {"atexit", "math", "operator", "_operator"}
    later = {"comm", "compiled", "fft", "random", "signal", "_dask", "_files", "_log", "_notebook", "_results", "_text"}
    assert loaded & {f"gpuopt.{name}" for name in later} == set()


def test_modules_are_loaded_when_they_are_asked_for():
    program = """
import sys, gpuopt
assert {"comm", "fft", "random", "signal"} <= set(dir(gpuopt)) and "TYPE_CHECKING" not in dir(gpuopt)
assert gpuopt.fft is sys.modules["gpuopt.fft"] and "gpuopt.random" not in sys.modules
from gpuopt import *
assert random is gpuopt.random and comm.Comm is gpuopt.comm.Comm and signal.convolve and linalg.qr and arange
import gpuopt.linalg
assert "gpuopt._results" not in sys.modules
q, r = gpuopt.linalg.qr(gpuopt.eye(2))
assert gpuopt.linalg.QRResult is sys.modules["gpuopt._results"].QRResult
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_in_place_keeps_the_dtype():
    x = gp.arange(3)
    with pytest.raises(TypeError):
        x += 1.5
    x += 2
    assert x.tolist() == [2, 3, 4] and x.dtype == np.int64


def test_threads_compute_at_once():
    """Arrays are read by several threads, each of which computes its own, at once."""
    shared = gp.arange(200_000.0)
    sums, wrong = {}, []

    def work(number):
        try:
            mine = shared * number + gp.random.default_rng(number).random(200_000) * 0
            for _ in range(5):
                mine = gp.sqrt(mine * mine)
            sums[number] = float(mine.sum())
        except Exception as error:  # noqa: BLE001
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = 200_000 * 199_999 / 2
    assert wrong == []
    assert all(abs(sums[n] - n * total) <= 1e-9 * total for n in range(8))


def test_the_lock_is_given_away():
    """Another thread goes on while a long computation runs."""
    x = gp.random.default_rng(1).random((700, 700))
    counted = []
    done = threading.Event()

    def count():
        while not done.is_set():
            counted.append(1)

    thread = threading.Thread(target=count)
    thread.start()
    start = len(counted)
    for _ in range(20):
        x = x @ x / 700
        gp.eval(x)
    end = len(counted)
    done.set()
    thread.join()
    assert end - start > 100


def test_a_forked_child_computes():
    program = (
        "import gpuopt as gp, os, sys\nx = gp.ones(10)\npid = os.fork()\nif pid == 0:\n    y = float((x * 2).sum())\n"
    )
    program += "    os._exit(0 if y == 20 else 1)\nsys.exit(os.waitpid(pid, 0)[1])\n"
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True)
