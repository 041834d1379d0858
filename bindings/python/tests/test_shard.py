# bindings/python/tests/test_shard.py -- arrays that are cut over a group: one alone, and a ring of three.
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import gpuopt as gp
from gpuopt.comm import Comm, Shard


def test_shards_of_one(tmp_path):
    group = Comm("self")
    x = gp.asarray([[3.0, 1], [2, -4]])
    shard = Shard(group, x)
    for same in (shard, Shard.from_array(group, x), Shard.from_whole(group, x), shard.recut(), shard.recut([0, 2])):
        np.testing.assert_array_equal(np.asarray(same.gather(None)), np.asarray(x))
    assert (shard.shape, str(shard.dtype), len(shard), shard.bounds) == ((2, 2), "float64", 2, (0, 2))
    assert repr(shard) == "<gpuopt.comm.Shard: float64 of shape (2, 2), cut at (0, 2)>"
    assert shard.group.size == 1
    np.testing.assert_array_equal(np.asarray(shard.sum(0, keepdims=True)), [[5, -3]])
    assert (float(shard.min()), float(shard.max()), bool(shard.any()), bool(shard.all())) == (-4, 3, True, True)
    np.testing.assert_array_equal(np.asarray(shard.reduce("argmax", 0)), [0, 0])
    np.testing.assert_array_equal(np.asarray(shard.crossprod(shard)), [[13, -5], [-5, 17]])
    np.testing.assert_array_equal(np.asarray((shard @ x).part), np.asarray(x) @ np.asarray(x))
    np.testing.assert_array_equal(np.asarray(shard.halo(1, 0, periodic=True)), [[2, -4], [3, 1], [2, -4]])
    values, positions = shard.like(gp.asarray([5, 4])).sort(return_positions=True)
    assert (np.asarray(values.part).tolist(), np.asarray(positions.part).tolist()) == ([4, 5], [1, 0])
    shard.save(tmp_path / "x.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), np.asarray(x))
    np.testing.assert_array_equal(np.asarray(Shard.load(group, tmp_path / "x.npy").part), np.asarray(x))


def test_each_rank_draws_its_part_of_one_stream():
    group = Comm("self")
    one, other = (gp.random.Generator(gp.random.Philox(5)) for _ in range(2))
    drawn = Shard.draw(group, one).normal(1, 2, (4, 3))
    whole = other.normal(gp.asarray(1.0), gp.asarray(2.0), (4, 3))
    np.testing.assert_array_equal(np.asarray(drawn.part), np.asarray(whole))
    assert Shard.draw(group, one).standard_normal(5).shape == (5,)
    with pytest.raises(NotImplementedError, match="PCG64"):
        Shard.draw(group, gp.random.default_rng(1)).normal(0, 1, 3)


def test_errors():
    group = Comm("self")
    shard = Shard(group, gp.ones((2, 2)))
    with pytest.raises(ValueError, match="reduction"):
        shard.reduce("mean")
    with pytest.raises(ValueError, match="axis 0"):
        shard.sum(1)
    with pytest.raises(ValueError, match="boundary"):
        shard.recut([0])
    with pytest.raises(ValueError, match="rows"):
        Shard(group, gp.asarray(1.0))


def test_a_ring_of_three(tmp_path):
    program = textwrap.dedent("""
        import numpy as np, gpuopt as gp
        from gpuopt.comm import Comm, Shard
        group = Comm("ring")
        x = np.random.default_rng(1).normal(size=(5000, 3))
        shard = Shard.from_array(group, gp.asarray(x) if group.rank == 2 else None, root=2)
        assert np.asarray(shard.sum(0)).tobytes() == np.asarray(gp.sum(gp.asarray(x), axis=0)).tobytes()
        values = shard.like(shard.part[:, 1]).sort().gather(None)
        np.testing.assert_array_equal(np.asarray(values), np.sort(x[:, 1]))
        columns = Shard(group, gp.asarray(np.ascontiguousarray(x[:, group.rank:group.rank + 1])), axis=1)
        product = columns @ gp.asarray(x[:3].T)
        assert product.axis == 0
        assert np.asarray(product.gather(None)).tobytes() == np.asarray(gp.asarray(x) @ gp.asarray(x[:3].T)).tobytes()
        assert np.asarray(columns.crossprod(shard)).tobytes() == np.asarray(shard.crossprod(shard)).tobytes()
        assert np.asarray(columns.sum()).tobytes() == np.asarray(gp.sum(gp.asarray(x))).tobytes()
        columns.save(FILE)
        np.testing.assert_array_equal(np.load(FILE), x)
    """).replace("FILE", repr(str(tmp_path / "x.npy")))
    hosts = ",".join(f"unix:{tmp_path}/{rank}" for rank in range(3))
    ranks = [subprocess.Popen([sys.executable, "-c", program],
                              env={**os.environ, "GPUOPT_RING_HOSTS": hosts, "GPUOPT_RING_RANK": str(rank),
                                   "GPUOPT_RING_SECRET": "a secret of this test"}) for rank in range(3)]
    assert [rank.wait(120) for rank in ranks] == [0, 0, 0]
