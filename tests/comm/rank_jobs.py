# tests/comm/rank_jobs.py -- what the tests of jobs have in common: the ranks that a test has started end with it.
import contextlib
import os
import shutil
import socket
import tempfile
import unittest

LIMIT = 240  # seconds that a rank may take
# The calls of comm_faults: every function that waits for other ranks, as functions are called in error messages.
CALLS = ("barrier", "all_reduce", "reduce", "reduce_scatter", "broadcast", "all_gather", "gather", "scatter",
         "all_to_all", "send", "recv", "send_recv", "split", "shard_reduce", "shard_sort", "shard_gather",
         "shard_halo", "shard_recut", "shard_from_array", "shard_from_parts", "shard_from_parts_along",
         "shard_from_whole", "shard_load", "shard_save", "shard_save_columns", "shard_matmul", "shard_crossprod",
         "shard_along")
# The functions that wait for none, and those that begin a job or end it.
LOCAL = ("init", "init_devices", "run_devices", "retain", "release", "rank", "size", "name", "get_traffic", "report",
         "give_up", "shard_retain", "shard_release", "shard_comm", "shard_part", "shard_rows", "shard_axis",
         "shard_bounds", "shard_with", "shard_draw")


def name_in_errors(call):
    """How messages begin that are of this call; those that send or receive in comm_faults do both. A pattern."""
    return "(send|recv)" if call in ("send", "recv", "chain") else call.removesuffix("_columns") + "(_npy)?"


def environment(**extra):
    """That of this process, without what it says of jobs."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GPUOPT_COMM", "GPUOPT_RING"))}
    return {**kept, "GPUOPT_NUM_THREADS": "1", **extra}


def free_ports(count):
    """Numbers of ports that nobody listens at now."""
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]


class RankJobs(unittest.TestCase):
    """Has a folder, `scratch`, and a list of processes, `started`, which are killed if they still run at the end."""

    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="gpuopt-comm-")
        self.started = []

    def finished(self, process):
        out, err = process.communicate(timeout=LIMIT)
        return process.returncode, out, err

    def check_both_refuse(self, listens, connects):
        """Of the two ranks of a job, which have different secrets, each fails and says so."""
        code, _, err = self.finished(connects)
        self.assertEqual(code, 1)
        self.assertIn("does not know this job's secret", err)
        code, _, err = self.finished(listens)
        self.assertEqual(code, 1)
        self.assertRegex(err, "not all ranks have joined in time: rank 1 .*was refused")

    def end_all(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        self.started.clear()

    def tearDown(self):
        self.end_all()
        shutil.rmtree(self.scratch)
