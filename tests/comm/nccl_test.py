# tests/comm/nccl_test.py -- jobs whose arrays are on devices of the fake driver and move by the fake NCCL: the same
# values as on the CPU, that NCCL is what moves them, and what ranks say when NCCL, or one of them, fails.
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest

import rank_jobs

RUN = os.environ["GPUOPT_RUN"]
DEVICE = os.environ["GPUOPT_COMM_DEVICE"]
FAULTS = os.environ["GPUOPT_COMM_FAULTS"]
LIMIT = 240  # seconds


def environment(**extra):
    return rank_jobs.environment(**{"GPUOPT_COMM": "nccl", "GPUOPT_RANK_DEVICE": "cuda!", **extra})


class Nccl(rank_jobs.RankJobs):
    def job(self, ranks, *command, only=None, **extra):
        """Starts a process for each rank; `only` has further variables of some of them."""
        folder = tempfile.mkdtemp(dir=self.scratch)
        hosts = ",".join(f"unix:{folder}/{r}" for r in range(ranks))
        job = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=environment(GPUOPT_RING_HOSTS=hosts, GPUOPT_RING_RANK=str(r), TMPDIR=folder,
                                                GPUOPT_RING_SECRET="0123456789abcdef", GPUOPT_RANK_FOLDER=folder,
                                                **{**extra, **(only or {}).get(r, {})}))
               for r in range(ranks)]
        self.started += job
        return job

    def messages(self, job):
        """What each rank prints, which all end well."""
        done = [process.communicate(timeout=LIMIT) for process in job]
        for r, (process, (out, err)) in enumerate(zip(job, done)):
            self.assertEqual((process.returncode, err), (0, ""), f"rank {r}: {out}")
        return [out for out, _ in done]

    def moved(self, trace):
        """The bytes that the ranks have sent and received by NCCL, by rank."""
        with open(trace) as file:
            return [tuple(map(int, line.split()[1:])) for line in sorted(file)]

    def values(self, ranks, **extra):
        trace = os.path.join(self.scratch, f"trace-{ranks}")
        done = subprocess.run([RUN, "-n", str(ranks), DEVICE, "values"], capture_output=True, text=True, timeout=LIMIT,
                              env=environment(TMPDIR=self.scratch, FAKE_NCCL_TRACE=trace, **extra))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return trace

    def test_values_and_what_moves_them(self):
        for ranks in (2, 3, 4):
            with self.subTest(ranks=ranks):
                moved = self.moved(self.values(ranks))
                self.assertEqual(len(moved), ranks)
                self.assertEqual(sum(sent for sent, _ in moved), sum(received for _, received in moved))
                # all_reduce twice, reduce once and reduce_scatter once, of 9001 numbers, in all (p - 1) pieces each
                # and what is gathered afterwards: twice by all, once by one
                pieces = (ranks - 1) * 9001 * 8
                self.assertGreater(sum(sent for sent, _ in moved), pieces * (4 + 2 + 1 / ranks))

    def test_fast_sums_by_nccl(self):
        for ranks in (2, 3):
            trace = os.path.join(self.scratch, f"fast-{ranks}")
            done = subprocess.run([RUN, "-n", str(ranks), DEVICE, "fast"], capture_output=True, text=True,
                                  timeout=LIMIT, env=environment(TMPDIR=self.scratch, FAKE_NCCL_TRACE=trace))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertGreater(self.moved(trace)[0][0], 3 * 9001 * 8 * (ranks - 1))

    def test_a_single_process_needs_no_nccl(self):
        done = subprocess.run([DEVICE, "values"], capture_output=True, text=True, timeout=LIMIT,
                              env=environment(GPUOPT_NCCL="/nowhere/libnccl.so.2"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_arrays_of_the_host_go_by_sockets(self):
        trace = os.path.join(self.scratch, "trace-2")
        for process in self.job(2, DEVICE, "values", GPUOPT_COMM="ring", GPUOPT_RANK_DEVICE="cpu",
                                FAKE_NCCL_TRACE=trace):
            self.assertEqual(process.wait(LIMIT), 0)
        self.assertFalse(os.path.exists(trace))

    # ---- NCCL fails

    def test_each_function_of_nccl(self):
        for call in ("ncclCommInitRankConfig:1", "ncclCommGetAsyncError:1", "ncclCommGetAsyncError:6",
                     "ncclGroupStart:1", "ncclGroupStart:3", "ncclSend:1", "ncclSend:4", "ncclRecv:1", "ncclRecv:4",
                     "ncclGroupEnd:1", "ncclGroupEnd:2", "async:1", "async:3"):
            with self.subTest(call=call):
                words = ("NCCL: remote process exited or there was a network error (6)" if call.startswith("async") else
                         call.partition(":")[0] + ": unhandled cuda error (1)") + ": a fault was injected"
                first, second, third = self.messages(self.job(3, DEVICE, "error", only={1: {"FAKE_NCCL_FAIL": call}}))
                self.assertIn(words, second)
                for other in (first, third):
                    # A rank may first learn that the third has left, which was told of the first failure before.
                    self.assertRegex(other, "rank 1 has given up: .*" + re.escape(words) + "|has left the job")
                self.assertIn(words, first + third)

    def test_the_unique_id(self):
        first, second = self.messages(self.job(2, DEVICE, "error", only={0: {"FAKE_NCCL_FAIL": "ncclGetUniqueId:1"}}))
        self.assertIn("ncclGetUniqueId: unhandled cuda error (1)", first)
        self.assertIn("rank 0: ncclGetUniqueId: unhandled cuda error (1)", second)

    def test_ranks_that_cannot_take_part(self):
        os.mkdir(f"{self.scratch}/none")
        for extra, words in (({"GPUOPT_RANK_DEVICE": "cpu"}, "needs a device of CUDA's"),
                             ({"GPUOPT_NCCL": "libnccl.so.2"}, "is no absolute path"),
                             ({"GPUOPT_NCCL": f"{self.scratch}/none"}, "No such file"),
                             ({"FAKE_NCCL_VERSION": "21305"}, "is NCCL 2.13.5, this plugin needs 2.14.0")):
            with self.subTest(extra=extra):
                first, second = self.messages(self.job(2, DEVICE, "error", only={1: extra}))
                self.assertIn(words, second)
                self.assertRegex(first, "rank 1: .*" + re.escape(words))
        for message in self.messages(self.job(2, DEVICE, "error", only={1: {"FAKE_NCCL_VERSION": "21900"}})):
            self.assertIn("rank 1 has NCCL 2.19.0, rank 0 has 2.18.5", message)

    def test_nccl_that_does_not_move(self):
        begin = time.monotonic()
        for message in self.messages(self.job(2, DEVICE, "error", FAKE_NCCL_STALL="2", GPUOPT_COMM_TIMEOUT="2")):
            self.assertRegex(message, "NCCL has not moved what is exchanged with rank [01] for 2 seconds|has given up")
        self.assertGreaterEqual(time.monotonic() - begin, 2)

    # ---- Ranks fail

    def test_a_rank_that_ends_while_nccl_waits_for_it(self):
        """Its peers wait for what the fake never moves; only the sockets tell of the end."""
        job = self.job(3, DEVICE, "error", FAKE_NCCL_STALL="3", GPUOPT_COMM_TIMEOUT="200")
        time.sleep(2)
        os.kill(job[2].pid, signal.SIGKILL)
        for message in self.messages(job[:2]):
            self.assertIn("rank 2", message)

    def test_a_killed_rank(self):
        for call in ("all_reduce", "all_to_all", "broadcast"):
            with self.subTest(call=call):
                job = self.job(3, FAULTS, call, "1", "during")
                for message in self.messages([job[0], job[2]]):
                    self.assertRegex(message, rf"{call}: .*rank 1")


if __name__ == "__main__":
    unittest.main()
