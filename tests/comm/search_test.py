# tests/comm/search_test.py -- random programs on groups and shards (search.cpp), as jobs of one to eight ranks that a
# ring, over sockets of the machine or TCP, MPI or threads connect, on the CPU and on devices of the fake driver. In a
# part of them a rank is killed, stops or leaves at a random time: all others have to get an error that names it, within
# the time-out. Nothing may hang: each job has a time limit.
#
#   GPUOPT_TEST_SEARCH_SECONDS=1800 ctest -R comm/search_test     searches, from the seed in GPUOPT_TEST_SEARCH_SEED on
#
# Without the setting a few programs of ranks on the CPU run.
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from rank_jobs import RankJobs, environment, free_ports

SEARCH = os.environ["GPUOPT_COMM_SEARCH"]
LAUNCHERS = [one for one in os.environ.get("GPUOPT_MPI_LAUNCHERS", "").split(":") if one]
SECONDS = float(os.environ.get("GPUOPT_TEST_SEARCH_SECONDS", "0"))
FIRST = int(os.environ.get("GPUOPT_TEST_SEARCH_SEED", "1"))
HAS_FAKE = "GPUOPT_CUDA_DRIVER" in os.environ
LIMIT = 300 if SECONDS else 120  # seconds of a job
STEPS = 40
TIMEOUT = 4  # seconds after which the others of a job with a stopped rank give up


class Case:
    """A job that follows from its seed: what connects how many ranks, their devices, and which of them fails."""

    def __init__(self, seed, search):
        draw = random.Random(seed)
        self.seed = seed
        self.ranks = draw.choice((1, 2, 2, 3, 3, 4, 5, 6, 7, 8) if search else (2, 3, 4))
        carriers = ["unix", "unix", "tcp", "threads", *(LAUNCHERS if search else LAUNCHERS[:1])]
        self.carrier = draw.choice(carriers)
        mixed = search and HAS_FAKE and draw.random() < 0.2
        self.devices = [draw.choice(("cpu", "cuda", "cuda:1")) if mixed else "cpu" for _ in range(self.ranks)]
        self.fault = []
        if self.carrier in ("unix", "tcp") and self.ranks > 1 and draw.random() < 0.5:
            how = draw.choice(("killed",) * 6 + ("left", "stopped"))
            at = draw.choice((0, draw.randrange(STEPS)))
            self.fault = [str(draw.randrange(self.ranks)), str(at), how, str(draw.choice((0, draw.randrange(20000))))]

    def __str__(self):
        return f"seed {self.seed}: {self.ranks} ranks by {self.carrier} on {self.devices}, fault {self.fault}"


class Search(RankJobs):
    def command(self, case, folder):
        return [SEARCH, str(case.seed), str(STEPS), folder, *case.fault]

    def settings(self, case, **extra):
        several = {"FAKE_CUDA_DEVICES": "2"} if "cuda:1" in case.devices else {}
        return environment(GPUOPT_SEARCH_DEVICES=",".join(case.devices), **several, **extra)

    def start(self, case, folder, name, command, **extra):
        with open(f"{folder}/{name}.out", "w") as out, open(f"{folder}/{name}.err", "w") as err:
            process = subprocess.Popen(command, stdout=out, stderr=err, env=self.settings(case, **extra),
                                       start_new_session=True)
        self.started.append(process)
        return process

    def start_all(self, case, folder):
        command = self.command(case, folder)
        if case.carrier == "threads":
            return [self.start(case, folder, "all", command, GPUOPT_RANK_THREADS=";".join(case.devices))]
        if case.carrier not in ("unix", "tcp"):
            options = ["--allow-run-as-root", "--oversubscribe"] if "openmpi" in case.carrier else []
            return [self.start(case, folder, "all", [case.carrier, *options, "-n", str(case.ranks), *command])]
        if case.carrier == "unix":
            hosts = [f"unix:{folder}/{r}" for r in range(case.ranks)]
        else:
            hosts = [f"127.0.0.1:{port}" for port in free_ports(case.ranks)]
        timeout = TIMEOUT if "stopped" in case.fault else LIMIT
        return [self.start(case, folder, str(r), command, GPUOPT_RING_HOSTS=",".join(hosts), GPUOPT_RING_RANK=str(r),
                           GPUOPT_RING_SECRET="0123456789abcdef", GPUOPT_COMM_TIMEOUT=str(timeout))
                for r in range(case.ranks)]

    def said(self, folder):
        """What all ranks have written."""
        text = ""
        for name in sorted(os.listdir(folder)):
            if name.endswith((".out", ".err")):
                with open(f"{folder}/{name}", errors="replace") as file:
                    text += "".join(f"\n  {name}: {line.rstrip()}" for line in file)
        return text

    def wait_for(self, processes, case, folder):
        """Waits until all have ended but a rank that has been stopped, which is ended then."""
        end = time.monotonic() + LIMIT
        stopped = int(case.fault[0]) if "stopped" in case.fault else -1
        for number, process in enumerate(processes):
            if number != stopped:
                try:
                    process.wait(max(0.01, end - time.monotonic()))
                except subprocess.TimeoutExpired:
                    self.fail(f"{case}: hangs{self.said(folder)}")
        if stopped >= 0:
            processes[stopped].kill()
            processes[stopped].wait()

    def run_case(self, seed, search):
        case = Case(seed, search)
        folder = f"{self.scratch}/{seed}"
        os.mkdir(folder, 0o700)
        processes = self.start_all(case, folder)
        self.wait_for(processes, case, folder)
        victim = int(case.fault[0]) if case.fault else -1
        for number, process in enumerate(processes):
            expected = 0
            if number == victim and "left" not in case.fault:
                expected = -signal.SIGKILL
            self.assertEqual(process.returncode, expected, f"{case}, rank {number}{self.said(folder)}")
            if case.fault and number != victim:
                with open(f"{folder}/{number}.out") as file:
                    self.assertRegex(file.read(), f"failed: .*rank {victim}", f"{case}{self.said(folder)}")
        shutil.rmtree(folder)
        self.started.clear()
        return case

    @unittest.skipIf(SECONDS, "a search runs")
    def test_a_few_programs(self):
        for seed in range(FIRST, FIRST + 8):
            with self.subTest(seed=seed):
                self.run_case(seed, search=False)

    @unittest.skipUnless(SECONDS, "GPUOPT_TEST_SEARCH_SECONDS is not set")
    def test_random_programs(self):
        end, seed, jobs, failures = time.monotonic() + SECONDS, FIRST, {}, 0
        while time.monotonic() < end and failures < 20:
            try:
                case = self.run_case(seed, search=True)
                key = (os.path.basename(case.carrier), "fault" if case.fault else "values",
                       "mixed" if len(set(case.devices)) > 1 else case.devices[0])
                jobs[key] = jobs.get(key, 0) + 1
            except AssertionError as error:
                failures += 1
                print(f"FAILED {error}", flush=True)
                self.end_all()
            seed += 1
        print(f"seeds {FIRST} to {seed - 1}: {sum(jobs.values())} jobs passed, {failures} failed")
        for key, count in sorted(jobs.items()):
            print("  ", *key, count)
        self.assertEqual(failures, 0)


if __name__ == "__main__":
    unittest.main()
