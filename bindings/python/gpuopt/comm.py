# bindings/python/gpuopt/comm.py -- groups of processes, and what they send each other and compute together.
"""Several processes that compute one result.

A job is a number of processes that a launcher has started (mpirun, gpuopt-run); each is a rank. A process that none has
started is a job of one. Results have the same bits for whatever carries the messages.

The ranks may also be threads of one process, one for each of its devices: ``run(devices, function)``.

Methods of Comm are collective, unless they say otherwise: every rank calls the same ones in the same order. They run at
once. ``out`` is an array that gets the result and is returned; it may be the array that is given. A rank on which a
method has no result (a gather's, except on its root) gets None. A rank that ends, or does not answer in time, is a
CommError on the others, and so are calls that do not fit together.
"""
import operator
import sys
import threading

from . import _core
from ._errors import CommError
from ._manipulation import _array

__all__ = ["Comm", "CommError", "Shard", "of_devices", "report", "run"]

_REDUCTIONS = {"sum": 0, "prod": 1, "min": 2, "max": 3, "any": 6, "all": 7}  # the numbers of gpuopt_reduction


def _reduction(name):
    try:
        return _REDUCTIONS[name]
    except (KeyError, TypeError):
        raise ValueError(f"reduction must be one of {', '.join(_REDUCTIONS)}, not {name!r}") from None


def _perhaps(x):
    return None if x is None else _array(x)


def _address(communicator):
    """Where mpi4py keeps MPI's handle of a communicator; 0 for None."""
    if communicator is None:
        return 0
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(communicator, mpi.Comm):
        raise TypeError(f"native must be a communicator of mpi4py, not {type(communicator).__name__}")
    return mpi._addressof(communicator)


def report():
    """What each communication plugin says, a line for each."""
    return _core.gpuopt_comm_report()


def of_devices(devices, *, timeout=None):
    """The ranks of a job that are threads of this process, one for each device: a list with each one's Comm.

    The caller starts the threads, each of which uses one of them; run() does all of that.

    >>> [comm.rank for comm in gp.comm.of_devices(["cpu", "cpu"])]
    [0, 1]
    """
    return [Comm._of(one) for one in _core.comm_of_devices(devices, 0.0 if timeout is None else float(timeout))]


def run(devices, function, *, timeout=None):
    """Calls ``function(comm)`` once for each device, as the ranks of one job, each in a thread of its own.

    Gives a list of what the calls return. If one of them raises an exception, the others get a CommError that says so
    where they wait for it, and the first exception is raised again when all have ended.

    >>> gp.comm.run(["cpu", "cpu"], lambda comm: comm.rank)
    [0, 1]
    """
    comms = of_devices(devices, timeout=timeout)
    results, raised, lock = [None] * len(comms), [], threading.Lock()

    def rank(number):
        group = comms[number]
        try:
            results[number] = function(group)
        except BaseException as error:
            with lock:
                raised.append(error)
            group.give_up(f"{type(error).__name__}: {error}")
        finally:
            comms[number] = None  # the rank leaves, unless the function has kept it

    threads = [threading.Thread(target=rank, args=(number,), name=f"rank {number}") for number in range(len(comms))]
    for number, thread in enumerate(threads):
        try:
            thread.start()
        except RuntimeError as error:
            raised.append(error)
            comms[number].give_up(str(error))
    for thread in threads:
        if thread.ident is not None:
            thread.join()
    if raised:
        raise raised[0]
    return results


class Comm:
    """A group of ranks: all of the job, as joined by ``request``.

    ``request`` is "auto", "mpi", "ring", "self" or the name of another plugin; None is what GPUOPT_COMM says.
    ``device`` is where arrays are made that come from other ranks alone; None is the CPU. ``timeout`` is after how many
    seconds without any progress a call gives up; None is what GPUOPT_COMM_TIMEOUT says. ``fast`` lets all_reduce leave
    sums and products of floats to MPI or NCCL, whose bits depend on much; None is what GPUOPT_COMM_REDUCE says.
    ``native``, with "mpi", is a communicator of mpi4py, of which the group gets a copy; None is all of MPI.
    """

    def __init__(self, request=None, *, device=None, timeout=None, fast=None, native=None):
        flags = 0 if fast is None else 1 if fast else 2  # GPUOPT_COMM_FAST and GPUOPT_COMM_EXACT
        seconds = 0.0 if timeout is None else float(timeout)
        self._comm = _core.gpuopt_comm_init(request, (device, seconds, flags, _address(native)))

    @classmethod
    def _of(cls, comm):
        if comm is None:
            return None
        made = cls.__new__(cls)
        made._comm = comm
        return made

    @property
    def rank(self):
        """This process's number in the group. Not collective."""
        return _core.comm_facts(self._comm)[0]

    @property
    def size(self):
        """How many ranks there are. Not collective."""
        return _core.comm_facts(self._comm)[1]

    @property
    def name(self):
        """What carries the messages: "self", "ring", "mpi", "nccl", "threads". Not collective."""
        return _core.comm_facts(self._comm)[2]

    def traffic(self):
        """What this process has sent and received in the job since it joined, on all groups: a dictionary of counts.

        A round is an exchange of messages that waits for its peers. Not collective.
        """
        return _core.comm_traffic(self._comm)

    def __repr__(self):
        return "<gpuopt.comm.Comm: rank {} of {}, {}>".format(*_core.comm_facts(self._comm))

    def give_up(self, why=""):
        """Tells the other ranks that this one cannot go on, and why: what they wait for fails. Not collective."""
        _core.gpuopt_comm_give_up(self._comm, str(why))

    def split(self, color, key=0):
        """The group of the ranks that give the same color, ordered by key, then by rank; None for a color of None."""
        color = -1 if color is None else operator.index(color)
        return self._of(_core.gpuopt_comm_split(self._comm, color, operator.index(key)))

    def barrier(self):
        """Returns when every rank has called it."""
        _core.gpuopt_comm_barrier(self._comm)

    def _give(self, function, *arguments, out=None):
        made = function(self._comm, *arguments, out)
        return made if out is None else out

    def all_reduce(self, x, reduction="sum", *, out=None):
        """The arrays of all ranks combined element by element: "sum", "prod", "min", "max", "any" or "all"."""
        return self._give(_core.gpuopt_comm_all_reduce, _array(x), _reduction(reduction), out=out)

    def reduce(self, x, reduction="sum", root=0, *, out=None):
        """The same on one rank."""
        return self._give(_core.gpuopt_comm_reduce, _array(x), _reduction(reduction), operator.index(root), out=out)

    def reduce_scatter(self, x, reduction="sum", *, out=None):
        """The same, of which each rank gets its part along axis 0, cut as by numpy.array_split."""
        return self._give(_core.gpuopt_comm_reduce_scatter, _array(x), _reduction(reduction), out=out)

    def broadcast(self, x=None, root=0, *, out=None):
        """The root's array on every rank; the others may give None."""
        return self._give(_core.gpuopt_comm_broadcast, _perhaps(x), operator.index(root), out=out)

    def all_gather(self, x, *, out=None):
        """The arrays of all ranks joined along axis 0, on every rank."""
        return self._give(_core.gpuopt_comm_all_gather, _array(x), out=out)

    def gather(self, x, root=0, *, out=None):
        """The same on one rank."""
        return self._give(_core.gpuopt_comm_gather, _array(x), operator.index(root), out=out)

    def scatter(self, x=None, root=0, *, out=None):
        """This rank's part along axis 0 of the root's array; the others may give None."""
        return self._give(_core.gpuopt_comm_scatter, _perhaps(x), operator.index(root), out=out)

    def all_to_all(self, x, *, out=None):
        """What all ranks have for this one: its part of each one's array along axis 0, joined."""
        return self._give(_core.gpuopt_comm_all_to_all, _array(x), out=out)

    def send(self, x, destination, tag=0):
        """Sends an array to a rank, which has to receive it; tags are from 0 to 32767. Not collective."""
        _core.gpuopt_comm_send(self._comm, _array(x), operator.index(destination), operator.index(tag))

    def recv(self, source, tag=0, *, out=None):
        """The next array from a rank with this tag. Not collective."""
        return self._give(_core.gpuopt_comm_recv, operator.index(source), operator.index(tag), out=out)

    def send_recv(self, x, destination, source, tag=0, *, out=None):
        """Sends an array to one rank while it receives from another; None for x or source: nothing. Not collective."""
        to = 0 if destination is None else operator.index(destination)
        source = -1 if source is None else operator.index(source)
        made = _core.gpuopt_comm_send_recv(self._comm, _perhaps(x), to, source, operator.index(tag), out)
        return out if made is not None and out is not None else made


from ._shard import Shard  # noqa: E402  (which needs Comm)
