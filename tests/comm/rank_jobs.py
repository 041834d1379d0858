# tests/comm/rank_jobs.py -- what the tests of jobs have in common: the ranks that a test has started end with it.
import os
import shutil
import tempfile
import unittest


def environment(**extra):
    """That of this process, without what it says of jobs."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GPUOPT_COMM", "GPUOPT_RING"))}
    return {**kept, "GPUOPT_NUM_THREADS": "1", **extra}


class RankJobs(unittest.TestCase):
    """Has a folder, `scratch`, and a list of processes, `started`, which are killed if they still run at the end."""

    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="gpuopt-comm-")
        self.started = []

    def tearDown(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        shutil.rmtree(self.scratch)
