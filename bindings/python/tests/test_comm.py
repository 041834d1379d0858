# bindings/python/tests/test_comm.py -- groups of processes: one alone, and a ring of three.
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import gpuopt as gp
from gpuopt.comm import Comm, CommError, Shard, of_devices, report, run


def test_a_group_of_one_copies():
    comm = Comm("self", device=gp.Device("cpu"), timeout=5)
    assert (comm.rank, comm.size, comm.name) == (0, 1, "self")
    assert repr(comm) == "<gpuopt.comm.Comm: rank 0 of 1, self>"
    x = gp.asarray([1.5, 2.5])
    for y in (comm.all_reduce(x), comm.reduce(x, "max"), comm.reduce_scatter(x, "min"), comm.broadcast(x),
              comm.all_gather(x), comm.gather(x), comm.scatter(x), comm.all_to_all(x), comm.send_recv(x, 0, 0)):
        assert y is not x
        np.testing.assert_array_equal(np.asarray(y), [1.5, 2.5])
    assert set(comm.traffic().values()) == {0} and "bytes_sent" in comm.traffic()
    comm.send(x, 0, 3)
    np.testing.assert_array_equal(np.asarray(comm.recv(0, 3)), [1.5, 2.5])
    assert comm.send_recv(None, None, None) is None
    assert comm.split(None) is None
    assert comm.split(4).size == 1
    comm.barrier()


def test_out_is_returned():
    comm = Comm("self")
    x, out = gp.asarray([1, 2]), gp.zeros(2, dtype="int64")
    assert comm.all_reduce(x, out=out) is out
    assert comm.all_reduce(x, out=x) is x
    np.testing.assert_array_equal(np.asarray(out), [1, 2])
    with pytest.raises(ValueError, match="shape"):
        comm.broadcast(x, out=gp.zeros(3, dtype="int64"))


def test_errors():
    comm = Comm("self")
    with pytest.raises(ValueError, match="reduction"):
        comm.all_reduce(gp.ones(2), "mean")
    with pytest.raises(ValueError, match="no rank 1"):
        comm.broadcast(gp.ones(2), 1)
    with pytest.raises(CommError, match="itself") as caught:
        comm.recv(0)
    assert caught.value.code == "GPUOPT_ERR_COMM"
    with pytest.raises(ValueError, match="no request"):
        Comm("no request")
    with pytest.raises(gp.Unavailable, match="libgpuopt_nowhere"):
        Comm("nowhere")
    with pytest.raises(TypeError, match="mpi4py, not int"):
        Comm("mpi", native=3)
    assert "ring: " in report()


def test_threads_of_one_process():
    x = np.linspace(0, 1, 5000)

    def rank(comm):
        shard = Shard.from_whole(comm, gp.asarray(x))
        assert (comm.name, comm.size) == ("threads", 3)
        return comm.rank, np.asarray(shard.sum()), np.asarray(comm.all_gather(gp.asarray([comm.rank])))

    whole = np.asarray(gp.sum(gp.asarray(x)))
    for number, (place, total, gathered) in enumerate(run([gp.Device("cpu")] * 3, rank)):
        assert (place, total) == (number, whole)
        np.testing.assert_array_equal(gathered, [0, 1, 2])


def test_shards_along_another_axis():
    x = np.arange(24.0).reshape(2, 12)

    def rank(comm):
        part = np.array_split(x, comm.size, axis=1)[comm.rank]
        shard = Shard(comm, gp.asarray(part), axis=-1)
        assert (shard.axis, shard.shape, len(shard)) == (1, (2, 12), 2)
        np.testing.assert_array_equal(np.asarray(shard.sum(1)), x.sum(1))
        rows = shard.along(0)
        assert (rows.axis, rows.shape) == (0, (2, 12))
        return np.asarray(rows.gather(None))

    for whole in run(["cpu"] * 3, rank):
        np.testing.assert_array_equal(whole, x)


def test_a_thread_that_raises_is_an_error_of_the_others():
    told = []

    def rank(comm):
        if comm.rank == 1:
            raise ZeroDivisionError("of this rank")
        with pytest.raises(CommError, match="rank 1 has given up: ZeroDivisionError: of this rank") as caught:
            comm.barrier()
        told.append(caught.value)
        raise caught.value

    with pytest.raises(ZeroDivisionError, match="of this rank"):
        run(["cpu"] * 3, rank)
    assert len(told) == 2
    first, second = of_devices(["cpu", "cpu"], timeout=0.05)
    with pytest.raises(CommError, match="rank 1 .* has not sent"):
        first.barrier()
    second.give_up("too late")
    with pytest.raises(ValueError, match="number of ranks"):
        of_devices([])


def test_a_ring_of_three(tmp_path):
    program = textwrap.dedent("""
        import numpy as np, gpuopt as gp
        from gpuopt.comm import Comm
        comm = Comm()
        assert (comm.size, comm.name) == (3, "ring")
        x = gp.asarray([comm.rank, 0.5])
        np.testing.assert_array_equal(np.asarray(comm.all_reduce(x)), [3, 1.5])
        np.testing.assert_array_equal(np.asarray(comm.all_gather(x)), [0, 0.5, 1, 0.5, 2, 0.5])
        y = comm.gather(x, 1)
        assert (y is None) == (comm.rank != 1)
        np.testing.assert_array_equal(np.asarray(comm.broadcast(x if comm.rank == 2 else None, 2)), [2, 0.5])
    """)
    hosts = ",".join(f"unix:{tmp_path}/{r}" for r in range(3))
    if len(hosts) > 250:  # the path of a socket is short
        pytest.skip("the temporary directory has too long a name")
    settings = {**os.environ, "GPUOPT_RING_HOSTS": hosts, "GPUOPT_RING_SECRET": "0123456789abcdef"}
    ranks = [subprocess.Popen([sys.executable, "-c", program], env={**settings, "GPUOPT_RING_RANK": str(r)})
             for r in range(3)]
    assert [rank.wait(120) for rank in ranks] == [0, 0, 0]
