# tests/comm/mpi_faults_test.py -- jobs of MPI in which a rank is killed, stops, or is slow. Where one is killed it is
# up to MPI's launcher what becomes of the others: it ends them all, unless it can be told not to, and is.
import os
import struct
import subprocess
import unittest

from rank_jobs import CALLS, RankJobs, environment, name_in_errors

FAULTS = os.environ["GPUOPT_COMM_FAULTS"]
DEVICE = os.environ["GPUOPT_COMM_DEVICE"]
LAUNCHERS = [path for path in os.environ.get("GPUOPT_MPI_LAUNCHERS", "").split(":") if path]
# Every call where there is time for that.
TRIED = CALLS if "GPUOPT_TEST_SEARCH_SECONDS" in os.environ else ("all_reduce", "recv", "shard_sort", "shard_save")
AT_ONCE = 4  # jobs that run at the same time


@unittest.skipUnless(LAUNCHERS, "no mpirun is installed")
class MpiFaults(RankJobs):
    def start(self, launcher, ranks, *command, options=(), **extra):
        folder = os.path.join(self.scratch, str(len(os.listdir(self.scratch))))
        os.mkdir(folder)
        if "openmpi" in launcher:
            options = ("--allow-run-as-root", "--oversubscribe", *options)
        # Each launcher has a folder for temporary files of its own: Open MPI's may remove one that another one makes.
        variables = environment(GPUOPT_RANK_FOLDER=folder, GPUOPT_RANK_SAYS="1", TMPDIR=folder, **extra)
        process = subprocess.Popen([launcher, *options, "-n", str(ranks), *command], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=variables)
        self.started.append(process)
        return process, folder

    def each_call(self, check, *arguments, launchers=LAUNCHERS, **keywords):
        """Starts jobs of the launchers and calls, some at a time, and has their ends checked."""
        cases = [(launcher, call) for launcher in launchers for call in TRIED]
        for first in range(0, len(cases), AT_ONCE):
            some = cases[first:first + AT_ONCE]
            jobs = [self.start(launcher, 3, FAULTS, call, *arguments, **keywords) for launcher, call in some]
            for (launcher, call), (process, folder) in zip(some, jobs):
                with self.subTest(launcher=launcher, call=call):
                    check(call, folder, *self.finished(process))

    def check_words(self, folder, ranks, victim, words, printed=""):
        for rank in range(ranks):
            if rank != victim:
                self.assertIn(f"said-{rank}", os.listdir(folder), f"the job printed: {printed}")
                with open(f"{folder}/said-{rank}") as file:
                    self.assertRegex(file.read(), words)

    def check_file(self, folder):
        """What was saved is there as a whole."""
        with open(f"{folder}/kept.npy", "rb") as file:
            self.assertTrue(file.read().endswith(struct.pack("<1500d", *[1.5] * 1500)))

    def check_named(self, call, folder, *printed):
        words = rf"^{name_in_errors(call)}: .*(rank 1 has not (sent|received)|in the end for rank 1$)"
        self.check_words(folder, 3, 1, words, printed)
        self.check_file(folder)

    def test_a_stopped_rank_is_named(self):
        self.each_call(self.check_named, "1", "stopped", GPUOPT_COMM_TIMEOUT="3")

    def test_a_stopped_rank_is_named_by_those_that_wait_for_late_ones(self):
        for launcher in LAUNCHERS:
            with self.subTest(launcher=launcher):
                process, folder = self.start(launcher, 4, FAULTS, "chain", "3", "stopped", GPUOPT_COMM_TIMEOUT="5")
                self.finished(process)
                self.check_words(folder, 4, 3, "rank 3")
                with open(f"{folder}/said-0") as file:
                    self.assertRegex(file.read(), "recv: rank 1 has not .*: it waits itself, in the end for rank 3")

    def test_a_slow_rank(self):
        """It takes more than half of the time-out, so that the others tell each other that they wait; all goes on."""
        def check(_, folder, code, out, err):
            # MPICH's launcher may pass on the ends of lines of several ranks behind their texts.
            self.assertEqual((code, out.replace("\n", ""), err), (0, "all is well" * 3, ""))
            self.check_file(folder)

        self.each_call(check, "1", "half", GPUOPT_COMM_TIMEOUT="5")

    def test_a_rank_that_stops_in_a_sum_by_mpi(self):
        for launcher in LAUNCHERS:
            with self.subTest(launcher=launcher):
                process, _ = self.start(launcher, 3, DEVICE, "error", GPUOPT_MPI=os.environ["GPUOPT_FAKE_MPI"],
                                        FAKE_MPI_STOP="1", GPUOPT_COMM_REDUCE="fast", GPUOPT_COMM_TIMEOUT="3")
                _, out, err = self.finished(process)
                self.assertRegex(out, "all_reduce: MPI_Allreduce has not ended for 3 seconds; nothing was heard "
                                 "meanwhile of rank 1\n", err)

    def test_a_killed_rank_ends_the_job(self):
        """As the launchers do by default: the other ranks are ended where they are, and what was saved stays."""
        def check(_, folder, code, out, err):
            self.assertNotEqual(code, 0)
            self.assertRegex(out + err, "signal 9|SIGKILL")
            self.check_file(folder)

        self.each_call(check, "1", "killed")

    @unittest.skipUnless(any("openmpi" in launcher for launcher in LAUNCHERS), "Open MPI is not installed")
    def test_a_killed_rank_is_named_where_the_others_go_on(self):
        self.each_call(self.check_named, "1", "killed", launchers=[one for one in LAUNCHERS if "openmpi" in one],
                       options=("--enable-recovery",), GPUOPT_COMM_TIMEOUT="3")


if __name__ == "__main__":
    unittest.main()
