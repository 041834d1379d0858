# bindings/python/tests/neighbours/check_dask.py -- arrays as chunks of Dask's, also between two processes.
import pickle

import dask
import dask.array as da
import gpuopt as gp
import numpy as np
import pytest
from dask.sizeof import sizeof

N = np.random.default_rng(2).normal(size=(12, 8))
CASES = {
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(axis=0),
    "std": lambda x: x.std(axis=1),
    "max": lambda x: x.max(axis=0),
    "add": lambda x: (x + 1) * x,
    "slice": lambda x: x[2:9, ::2],
    "transpose": lambda x: x.T,
    "matmul": lambda x: x.T @ x,
    "tensordot": lambda x: da.tensordot(x, x, axes=((0,), (0,))),
    "einsum": lambda x: da.einsum("ij,ij->i", x, x),
    "concatenate": lambda x: da.concatenate([x, x]),
    "stack": lambda x: da.stack([x, x]),
    "where": lambda x: da.where(x > 0, x, 0.0),
    "exp": lambda x: np.exp(x),
    "cumsum": lambda x: x.cumsum(axis=0),
    "take": lambda x: da.take(x, [0, 3, 5], axis=0),
    "rechunk": lambda x: x.rechunk((12, 2)).sum(axis=1),
    "argmax": lambda x: x.argmax(axis=0),
    "reshape": lambda x: x.reshape(96),
    "ravel": lambda x: x.ravel(),
    "clip": lambda x: da.clip(x, -1, 1),
    "map_blocks": lambda x: x.map_blocks(lambda b: b * 2),
}


def chunks():
    return da.from_array(gp.asarray(N), chunks=(5, 4))


def same(result, expected):
    assert isinstance(result, (gp.ndarray, float, int, np.generic, np.ndarray))
    values = gp.asnumpy(result) if isinstance(result, gp.ndarray) else result
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_as_with_numpy(name):
    same(CASES[name](chunks()).compute(), CASES[name](da.from_array(N, chunks=(5, 4))).compute())


def test_size_and_token():
    assert sizeof(gp.ones(1000)) == 8000
    assert dask.base.tokenize(gp.asarray(N)) == dask.base.tokenize(gp.asarray(N))
    assert dask.base.tokenize(gp.asarray(N)) != dask.base.tokenize(gp.asarray(N + 1))


def test_backend():
    with dask.config.set({"array.backend": "gpuopt"}):
        x = da.ones((4, 6), chunks=2)
        assert isinstance(x._meta, gp.ndarray)
        assert isinstance((x + 1).compute(), gp.ndarray)


def test_pickle_out_of_band():
    x = gp.asarray(N)
    buffers = []
    data = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    assert len(buffers) == 1 and len(data) < 500
    same(pickle.loads(data, buffers=buffers), N)


def test_worker_without_gpu(monkeypatch):
    """What a worker with a GPU pickled becomes an array of the CPU where there is none."""
    from gpuopt import _protocols

    x = _protocols.rebuild(N.tobytes(), "float64", N.shape, "cuda:0")
    same(x, N)


def test_two_processes():
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, processes=True, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster):
            for name in ("sum", "mean", "matmul", "concatenate"):
                same(CASES[name](chunks()).compute(), CASES[name](da.from_array(N, chunks=(5, 4))).compute())
