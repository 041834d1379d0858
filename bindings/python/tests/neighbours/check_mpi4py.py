# bindings/python/tests/neighbours/check_mpi4py.py -- arrays as buffers and as objects of mpi4py's, and groups
# of its communicators, in two processes.
import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("mpi4py")

PROGRAM = """
import gpuopt as gp
import gpuopt.comm
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, other = world.rank, 1 - world.rank
mine = np.arange(6.0).reshape(2, 3) * (rank + 1)
x = gp.asarray(mine)
total = gp.zeros((2, 3))
world.Allreduce(x, total)
assert np.array_equal(gp.asnumpy(total), np.arange(6.0).reshape(2, 3) * 3)
received = gp.empty((2, 3))
world.Sendrecv(x + 1, other, recvbuf=received, source=other)
assert np.array_equal(gp.asnumpy(received), np.arange(6.0).reshape(2, 3) * (other + 1) + 1)
twice = received + received
world.Sendrecv(x, other, recvbuf=received, source=other)  # what was recorded before keeps its operands
assert np.array_equal(gp.asnumpy(twice), 2 * (np.arange(6.0).reshape(2, 3) * (other + 1) + 1))
parts = world.allgather(x[:, 1:].astype("complex64"))
assert all(isinstance(part, gp.ndarray) and part.dtype == "complex64" for part in parts)
assert np.array_equal(gp.asnumpy(parts[1]), 2 * np.arange(6.0).reshape(2, 3)[:, 1:])
group = gp.comm.Comm("mpi")  # in the program that has initialized MPI
assert (group.rank, group.size, group.name) == (rank, 2, "mpi")
assert np.array_equal(gp.asnumpy(group.all_reduce(x, "sum")), np.arange(6.0).reshape(2, 3) * 3)
turned = gp.comm.Comm("mpi", native=world.Split(0, -rank))
assert (turned.rank, turned.size) == (other, 2)
assert np.array_equal(gp.asnumpy(turned.broadcast(x)), np.arange(6.0).reshape(2, 3) * 2)
alone = gp.comm.Comm("mpi", native=MPI.COMM_SELF)
assert (alone.rank, alone.size) == (0, 1)
del group, turned, alone
print("passed")
"""


@pytest.mark.skipif(not shutil.which("mpirun"), reason="mpirun is not installed")
def test_two_processes():
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpirun", "-n", "2", sys.executable, "-c", PROGRAM]
    if "Open MPI" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout:
        command.insert(1, "--oversubscribe")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **allowed})
    # What ranks print may come in one line.
    assert (done.returncode, done.stdout.count("passed")) == (0, 2), done.stderr
