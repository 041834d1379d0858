# tests/comm/disk_test.py -- a sharded file is written to a disk that gets full, at each place at which it can: a small
# file system in memory, in a mount namespace of Linux, where this process may make one.
import os
import subprocess
import unittest

from rank_jobs import LIMIT, RankJobs, environment

RUN = os.environ["GPUOPT_RUN"]
DISK = os.environ["GPUOPT_COMM_DISK"]
LAUNCHERS = [path for path in os.environ.get("GPUOPT_MPI_LAUNCHERS", "").split(":") if path]
MOUNT = 'mount -t tmpfs -o size=2m,nr_inodes=16,mode=700 none "$0" && exec "$@"'


class FullDisk(RankJobs):
    def inside(self, *command, **extra):
        """Runs a command that sees the small file system at the scratch folder, which nobody else does."""
        own = [] if os.geteuid() == 0 else ["--map-root-user"]
        return subprocess.run(["unshare", *own, "--mount", "sh", "-c", MOUNT, self.scratch, *command],
                              env=environment(**extra), capture_output=True, text=True, timeout=LIMIT)

    def setUp(self):
        super().setUp()
        try:
            done = self.inside("true")
        except OSError as failure:
            reason = str(failure)
        else:
            reason = done.stderr.strip() if done.returncode else ""
        if reason:
            print(f"not run: comm/disk_test: no small file system can be mounted here: {reason}", flush=True)
            self.skipTest(reason)

    def check(self, *command, **extra):
        done = self.inside(*command, DISK, self.scratch, **extra)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "all is well\n", ""))

    def test_processes(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                self.check(RUN, "-n", str(ranks))

    def test_threads(self):
        self.check(GPUOPT_RANK_THREADS="cpu;cpu;cpu")

    def test_mpi(self):
        for launcher in LAUNCHERS:
            with self.subTest(launcher=launcher):
                options = ["--allow-run-as-root", "--oversubscribe"] if "openmpi" in launcher else []
                self.check(launcher, *options, "-n", "3")


if __name__ == "__main__":
    unittest.main()
