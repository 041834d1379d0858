# tests/comm/mixed_test.py -- jobs whose ranks have different devices, the CPU and devices of the fake driver, by turns:
# processes that a ring or MPI connects, and threads of one process. All results have the bits that the CPU alone gives.
#
# Kernels of all dtypes take minutes to compile for the fake: they are tested, too, with GPUOPT_TEST_SEARCH_SECONDS in
# the environment.
import os
import subprocess
import tempfile
import unittest

from rank_jobs import environment

RUN = os.environ["GPUOPT_RUN"]
VALUES = os.environ["GPUOPT_COMM_VALUES"]
SHARDS = os.environ["GPUOPT_COMM_SHARDS"]
DEVICE = os.environ["GPUOPT_COMM_DEVICE"]
SAMPLES = [pair.split("=") for pair in os.environ.get("GPUOPT_RANK_SAMPLES", "").split(":") if pair]
LAUNCHERS = [one for one in os.environ.get("GPUOPT_MPI_LAUNCHERS", "").split(":") if one]
LIMIT = 600  # seconds
LONG = "GPUOPT_TEST_SEARCH_SECONDS" in os.environ

# Runs a program with a device that depends on the rank: the CPU on even ones, a fake one on the others.
TURN = ("r=${GPUOPT_RING_RANK:-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}}; "
        "if [ $((r % 2)) = 0 ]; then d=cpu; else d=cuda; fi;"
        ' GPUOPT_BACKEND=$d GPUOPT_RANK_DEVICE=$d exec "$@"')
BY_TURNS = ("sh", "-c", TURN, "sh")


class Mixed(unittest.TestCase):
    def check(self, command, expected="", **extra):
        done = subprocess.run(command, env=environment(**extra), capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual((done.returncode, done.stdout), (0, expected), done.stderr)
        self.assertNotIn("rank", done.stderr)

    @unittest.skipUnless(SAMPLES, "the samples are not built")
    def test_the_samples_by_a_ring(self):
        for program, expected in SAMPLES:
            with open(expected) as file:
                text = file.read()
            for ranks in (2, 3, 4, 8) if LONG else (3,):
                with self.subTest(program=program, ranks=ranks):
                    self.check([RUN, "-n", str(ranks), *BY_TURNS, program], text)

    @unittest.skipUnless(SAMPLES and LAUNCHERS, "no mpirun is installed")
    def test_the_samples_by_mpi(self):
        for launcher in LAUNCHERS:
            options = ["--allow-run-as-root", "--oversubscribe"] if "openmpi" in launcher else []
            for program, expected in SAMPLES if LONG or "openmpi" in launcher else SAMPLES[:1]:
                with open(expected) as file:
                    text = file.read()
                for ranks in (2, 3, 4, 8) if LONG else (2,):
                    with self.subTest(launcher=launcher, program=program, ranks=ranks):
                        self.check([launcher, *options, "-n", str(ranks), *BY_TURNS, program], text)

    @unittest.skipUnless(LONG, "takes minutes")
    def test_shards_of_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            for ranks in (2, 4):
                with self.subTest(ranks=ranks):
                    self.check([RUN, "-n", str(ranks), *BY_TURNS, SHARDS, folder])

    # ---- Threads

    def threads(self, devices, *command, **extra):
        self.check(command, GPUOPT_RANK_THREADS=devices, FAKE_CUDA_DEVICES="3", **extra)

    def test_threads_with_several_devices(self):
        for devices in ("cuda:0!;cuda:1!;cuda:2!", "cpu;cuda:0!;cpu;cuda:1!", "cuda:0!;cuda:0!"):
            with self.subTest(devices=devices):
                self.threads(devices, DEVICE, "values")

    def test_devices_that_are_no_peers_copy_through_the_host(self):
        self.threads("cuda:0!;cuda:1!", DEVICE, "values", FAKE_CUDA_PEERS="")

    @unittest.skipUnless(LONG, "takes minutes")
    def test_values_of_all_dtypes(self):
        self.threads("cuda:0!;cpu;cuda:1!", VALUES)

    @unittest.skipUnless(LONG, "takes minutes")
    def test_shards_of_threads(self):
        with tempfile.TemporaryDirectory() as folder:
            self.threads("cuda:1!;cpu;cuda:0!", SHARDS, folder)


if __name__ == "__main__":
    unittest.main()
