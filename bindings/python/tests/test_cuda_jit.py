# bindings/python/tests/test_cuda_jit.py -- kernels written in Python: cuda.jit, its words, and CuPy's rawkernel.
import math
import pathlib
import subprocess
import sys

import gpuopt as gp
import numpy as np
import pytest
from gpuopt import cuda, njit

pytestmark = pytest.mark.compiled


def test_a_kernel_of_one_dimension():
    @cuda.jit
    def square(x, y):
        i = cuda.grid(1)
        if i < len(x):
            y[i] = x[i] * x[i]

    for dtype in ("int8", "int32", "int64", "uint8", "float32", "float64", "complex128"):
        x = np.arange(10).astype(dtype)
        y = np.zeros_like(x)
        square[2, 8](x, y)
        np.testing.assert_array_equal(y, x * x)
    given, made = cuda.to_device(np.arange(10.0)), cuda.device_array(10)
    square.forall(10)(given, made)
    cuda.synchronize()
    np.testing.assert_array_equal(made.copy_to_host(), np.arange(10.0) ** 2)
    square[1, 32](np.arange(0.0), np.zeros(0))
    with pytest.raises(ValueError, match="launch configuration"):
        square(given, made)


def test_windows_are_arguments():
    @cuda.jit
    def add(a, b, c, by):
        i, j = cuda.grid(2)
        if i < c.shape[0] and j < c.shape[1]:
            c[i, j] = a[i, -1 - j] + b[j] + by

    a, b = np.arange(24.0).reshape(4, 6)[::2, ::-2], np.arange(9)[::3]
    c = np.zeros((3, 2), np.float32).T
    add[(2, 2), (2, 2)](a, b, c, 0.5)
    np.testing.assert_array_equal(c, (a[:, ::-1] + b + 0.5).astype("f4"))
    x, y, z = gp.asarray(np.arange(24.0).reshape(4, 6))[::2, ::-2], gp.arange(9)[::3], gp.zeros((2, 3))
    add[(2, 2), (2, 2)](x, y, z, 0)
    np.testing.assert_array_equal(gp.asnumpy(z), a[:, ::-1] + b)


def test_shared_memory_and_barriers():
    n = 64

    @cuda.jit
    def total(x, out):
        part = cuda.shared.array(n, np.float64)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        part[t] = x[i] if i < x.size else 0.0
        cuda.syncthreads()
        k = n // 2
        while k > 0:
            if t < k:
                part[t] += part[t + k]
            cuda.syncthreads()
            k //= 2
        if t == 0:
            cuda.atomic.add(out, 0, part[0])
            cuda.atomic.max(out, 1, part[0])
            cuda.atomic.min(out, (2,), part[0])

    x, out = np.arange(200.0), np.array([0, -math.inf, math.inf])
    total[4, n](x, out)
    parts = [x[k : k + n].sum() for k in range(0, 256, n)]
    assert out.tolist() == [x.sum(), max(parts), min(parts)]

    @cuda.jit
    def reverse(x):
        part = cuda.shared.array(0, gp.int32)
        i = cuda.threadIdx.x
        part[i] = x[i]
        cuda.syncthreads()
        x[i] = part[x.size - 1 - i]

    y = np.arange(16, dtype=np.int32)
    reverse[1, 16, 0, 64](y)
    assert y.tolist() == list(range(15, -1, -1))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_atomics(dtype):
    @cuda.jit
    def all_of_them(x, old):
        i = cuda.grid(1)
        cuda.atomic.add(x, 0, 1)
        cuda.atomic.sub(x, 1, 1)
        cuda.atomic.max(x, 2, i)
        cuda.atomic.min(x, 3, i)
        cuda.atomic.or_(x, 4, 1 << (i % 8))
        cuda.atomic.and_(x, 5, i)
        cuda.atomic.xor(x, 6, i)
        cuda.atomic.inc(x, 7, 9)
        cuda.atomic.dec(x, 8, 9)
        old[i] = cuda.atomic.add(x, 9, 1)
        cuda.atomic.cas(x, 10, 5, 6)
        cuda.atomic.exch(x, 11, 77)

    x = np.array([0, 1000, 0, 50, 0, 255, 0, 0, 5, 0, 5, 0], dtype)
    old = np.zeros(100, np.int64)
    all_of_them[4, 25](x, old)
    xor = 0
    for i in range(100):
        xor ^= i
    assert x.tolist() == [100, 900, 99, 0, 255, 0, xor, 0, 5, 100, 6, 77]
    assert sorted(old) == list(range(100))


def test_device_functions():
    @cuda.jit(device=True)
    def add(a, b):
        return a + b

    @njit
    def pair(x):
        return x, x * 2

    table = np.array([10, 20, 30])

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < out.size:
            a, b = pair(x[i])
            local = cuda.local.array(2, np.float64)
            local[0], local[1] = a, b
            out[i] = add(local[0], local[1]) + table[i % 3] + math.sqrt(4.0)

    out = np.zeros(5)
    kernel[1, 32](np.arange(5), out)
    np.testing.assert_array_equal(out, np.arange(5) * 3 + np.array([10, 20, 30, 10, 20]) + 2)
    with pytest.raises(TypeError, match="device function"):
        add(1, 2)


def test_warps_and_bits():
    @cuda.jit
    def words(x, out):
        i = cuda.threadIdx.x
        v = x[i]
        for k in (16, 8, 4, 2, 1):
            v += cuda.shfl_down_sync(-1, v, k)
        if i == 0:
            out[0] = v
        out[1] = cuda.ballot_sync(-1, True)
        out[2], out[3], out[4] = cuda.popc(255), cuda.clz(np.int32(1)), cuda.ffs(8)
        out[5] = cuda.syncthreads_count(i < 5)
        out[6] = cuda.warpsize
        if i == 7:
            out[7] = cuda.laneid

    out = np.zeros(8, np.int64)
    words[1, 32](np.arange(32), out)
    assert out.tolist() == [496, 2**32 - 1, 8, 31, 4, 5, 32, 7]


def test_signatures_and_errors():
    @cuda.jit("void(float32[:], float32)")
    def scale(x, by):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= by

    x = np.ones(4, np.float32)
    scale[1, 4](x, 3)
    assert x.tolist() == [3, 3, 3, 3]
    with pytest.raises(TypeError, match="No matching definition"):
        scale[1, 4](np.ones(4), 3)

    @cuda.jit
    def result(x):
        return x[0]

    with pytest.raises(gp.TypingError, match="CUDA kernel must have void return type"):
        result[1, 1](np.ones(1))

    @cuda.jit
    def unbound(x):
        if x[0] > 0:
            y = 1
        x[0] = y

    with pytest.raises(gp.TypingError, match="'y' is not bound on every way"):
        unbound[1, 1](np.ones(1))

    @njit
    def outside():
        return cuda.grid(1)

    with pytest.raises(gp.TypingError, match="is for kernels"):
        outside()
    locked = np.ones(4, np.float32)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        scale[1, 4](locked, 3)
    with pytest.raises(ValueError, match="griddim"):
        scale[1]


def test_random_numbers_are_numba_s():
    # numba.cuda.random of Numba 0.68.1: init_xoroshiro128p_states_cpu(states, 1, 0), the first four states.
    from gpuopt.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64

    states = create_xoroshiro128p_states(4, seed=1)
    assert states.tolist() == [
        [10451216379200822465, 10451216379200822465],
        [8341117667364343960, 7824662623250379246],
        [809817624983272012, 15258973161149853818],
        [4287641842676342503, 12987378992932203451],
    ]

    @cuda.jit
    def draw(states, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = xoroshiro128p_uniform_float64(states, i)

    out = np.zeros(4)
    words = [(a + b) % 2**64 for a, b in states.tolist()]
    draw[1, 4](states, out)
    assert out.tolist() == [(w >> 11) * 2.0**-53 for w in words]


def test_reduce_and_host_functions():
    total = cuda.reduce(lambda a, b: a + b)
    assert total(np.arange(10)) == 45 and total(np.arange(10), init=5) == 50 and total(np.zeros(0), init=7) == 7
    stream = cuda.stream()
    begin, end = cuda.event(), cuda.event()
    begin.record(stream)
    array = cuda.to_device(np.arange(3), stream=stream)
    end.record(stream)
    end.synchronize()
    stream.synchronize()
    assert begin.elapsed_time(end) >= 0
    array.copy_to_device(np.array([7, 8, 9]))
    target = np.zeros(3, np.int64)
    assert array.copy_to_host(target) is target and target.tolist() == [7, 8, 9]
    assert cuda.device_array_like(array).shape == (3,) and cuda.pinned_array(3).shape == (3,)
    assert cuda.current_context().get_memory_info()[1] > 0
    with cuda.defer_cleanup(), cuda.pinned(target):
        pass
    with pytest.raises(ValueError, match="cannot copy"):
        array.copy_to_device(np.zeros(4))
    with pytest.raises(AttributeError):
        cuda.no_such_name


def test_programs_for_cupy(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nimport cupy as cp\nfrom cupyx import jit\n"
        "@jit.rawkernel()\ndef copy(x, y, size):\n"
        "    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x\n"
        "    for i in range(tid, size, jit.gridDim.x * jit.blockDim.x):\n        y[i] = x[i] * 2\n"
        "x, y = cp.arange(10.0), cp.zeros(10)\ncopy((2,), (4,), (x, y, cp.uint32(10)))\n"
        "@cp.fuse()\ndef diff(x, y):\n    return (x - y) ** 2\n"
        "print(y.tolist() == [2.0 * k for k in range(10)], float(diff(x, y).sum()))\n"
        "print(type(x), cp.get_array_module(x).__name__, sys.argv[1:])\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "gpuopt.as_cupy", str(program), "one"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True 285.0\n<class 'cupy.ndarray'> cupy ['one']\n"
    assert pathlib.Path(gp.__file__).with_name("as_cupy.py").exists()
