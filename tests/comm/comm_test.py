# tests/comm/comm_test.py -- jobs of several processes on this machine: their values for several numbers of ranks, and
# what the others say when one of them is killed, stops, leaves, or was never one of them. Nothing may hang: every job
# has a time limit, at which the test fails.
import contextlib
import ctypes.util
import os
import re
import secrets
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

import traffic_model
from rank_jobs import CALLS, LIMIT, LOCAL, RankJobs, environment, free_ports, name_in_errors

RUN = os.environ["GPUOPT_RUN"]
VALUES = os.environ["GPUOPT_COMM_VALUES"]
FAULTS = os.environ["GPUOPT_COMM_FAULTS"]
SHARDS = os.environ["GPUOPT_COMM_SHARDS"]
TRAFFIC = os.environ["GPUOPT_COMM_TRAFFIC"]
DEVICE = os.environ["GPUOPT_COMM_DEVICE"]
# Programs and the files with what each prints, for any number of ranks.
SAMPLES = [pair.split("=") for pair in os.environ.get("GPUOPT_RANK_SAMPLES", "").split(":") if pair]
LONG = "GPUOPT_TEST_SEARCH_SECONDS" in os.environ
# Under a sanitizer, which slows every rank down, jobs of few ranks.
RANKS = (1, 2, 3, 4, 8, 11) if os.environ.get("GPUOPT_TEST_SHARE", "1") == "1" else (1, 3)


class Jobs(RankJobs):
    def paths(self, ranks):
        return ",".join(f"unix:{self.scratch}/{r}" for r in range(ranks))

    def start(self, hosts, rank, *command, secret="0123456789abcdef", **extra):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=environment(GPUOPT_RING_HOSTS=hosts, GPUOPT_RING_RANK=str(rank),
                                                   GPUOPT_RING_SECRET=secret, **extra))
        self.started.append(process)
        return process

    def job(self, ranks, *command, hosts=None, **extra):
        hosts = hosts or self.paths(ranks)
        return [self.start(hosts, r, *command, **extra) for r in range(ranks)]

    # ---- Values

    def run_values(self, ranks, *launcher, **extra):
        done = subprocess.run([*launcher, VALUES], env=environment(**extra), capture_output=True, text=True,
                              timeout=LIMIT)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_values_of_a_single_process(self):
        self.run_values(1)

    def test_values_do_not_depend_on_the_number_of_ranks(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                self.run_values(ranks, RUN, "-n", str(ranks))

    def test_values_over_tcp(self):
        hosts = ",".join(f"127.0.0.1:{port}" for port in free_ports(3))
        for process in self.job(3, VALUES, hosts=hosts):
            self.assertEqual(self.finished(process), (0, "", ""))

    def test_values_without_shared_memory(self):
        """Where a process may make no file of the size that it would have, messages go by sockets."""
        self.run_values(3, "sh", "-c", 'ulimit -f 1; exec "$@"', "sh", RUN, "-n", "3")

    def test_shards_do_not_depend_on_the_number_of_ranks(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                done = subprocess.run([RUN, "-n", str(ranks), SHARDS, self.scratch], env=environment(),
                                      capture_output=True, text=True, timeout=LIMIT)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                self.assertEqual([name for name in os.listdir(self.scratch) if name.endswith(".tmp")], [])

    @unittest.skipUnless(SAMPLES, "the samples are not built")
    def test_the_samples_print_the_same_for_any_number_of_ranks(self):
        for program, expected in SAMPLES:
            with open(expected) as file:
                text = file.read()
            for ranks in RANKS:
                with self.subTest(program=program, ranks=ranks):
                    done = subprocess.run([RUN, "-n", str(ranks), program], env=environment(), capture_output=True,
                                          text=True, timeout=LIMIT)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, text, ""))

    def check_traffic(self, ranks, n):
        for rank, process in enumerate(self.job(ranks, TRAFFIC, str(n))):
            code, out, err = self.finished(process)
            self.assertEqual((code, err), (0, ""))
            counted = {name: tuple(map(int, numbers)) for name, *numbers in map(str.split, out.splitlines())}
            self.assertEqual(set(counted), set(traffic_model.CALLS))
            for call, numbers in counted.items():
                with self.subTest(call=call, ranks=ranks, rank=rank, n=n):
                    self.assertEqual(numbers, traffic_model.counts(call, ranks, rank, n))

    def test_what_ranks_send_is_what_the_model_says(self):
        for ranks in RANKS[1:]:
            for n in (0, 5, 3000):
                shutil.rmtree(self.scratch)
                os.mkdir(self.scratch, 0o700)
                self.check_traffic(ranks, n)

    def test_fast_sums_are_those_of_the_tree_where_the_library_has_none(self):
        for launcher, extra in (((RUN, "-n", "3"), {}), ((), {}), ((), {"GPUOPT_RANK_THREADS": "cpu;cpu;cpu"})):
            with self.subTest(launcher=launcher, extra=extra):
                done = subprocess.run([*launcher, DEVICE, "fast"], env=environment(**extra), capture_output=True,
                                      text=True, timeout=LIMIT)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_ranks_that_do_not_agree_on_the_order_of_sums(self):
        hosts = self.paths(2)
        first = self.start(hosts, 0, VALUES, GPUOPT_COMM_REDUCE="exact")
        second = self.start(hosts, 1, VALUES, GPUOPT_COMM_REDUCE="fast")
        said = ""
        for process in (first, second):
            code, _, err = self.finished(process)
            self.assertEqual(code, 1)
            said += err
        # The one that is faster ends, which may be the first that the other one learns.
        self.assertRegex(said, "rank [01] of 2: it gives other arguments")

    # ---- Ranks that are threads of one process

    def test_threads_give_what_processes_give(self):
        for ranks in (1, 3, 8):
            for command in ((VALUES,), (SHARDS, self.scratch)):
                with self.subTest(ranks=ranks, command=command):
                    done = subprocess.run(command, env=environment(GPUOPT_RANK_THREADS=";".join(["cpu"] * ranks)),
                                          capture_output=True, text=True, timeout=LIMIT)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def start_threads(self, ranks, call, victim, how, **extra):
        folder = tempfile.mkdtemp(dir=self.scratch)
        process = subprocess.Popen([FAULTS, call, str(victim), how], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=environment(GPUOPT_RANK_THREADS=";".join(["cpu"] * ranks),
                                                              GPUOPT_RANK_FOLDER=folder, **extra))
        self.started.append(process)
        return process

    def check_threads(self, process, count, words):
        """Returns what so many of the threads have printed: lines with these words."""
        code, out, err = self.finished(process)
        self.assertEqual((code, err), (0, ""), out)
        lines = out.splitlines()
        self.assertEqual(len(lines), count, lines)
        for line in lines:
            self.assertRegex(line, words)
        return lines

    def test_a_slow_thread(self):
        """One that comes too late is named, and gets the others' error when it comes."""
        jobs = {}
        for call in CALLS:
            for how, timeout in (("slow", "60"), ("late", "1")):
                jobs[call, how] = self.start_threads(4, call, 2, how, GPUOPT_COMM_TIMEOUT=timeout)
        for (call, how), process in jobs.items():  # all at once: they wait most of the time
            with self.subTest(call=call, how=how):
                self.check_threads(process, 4, "all is well" if how == "slow" else
                                   r"rank 2 \(cpu[^)]*\)( has not (sent|received) |$)")

    def test_a_thread_that_leaves_is_an_error_for_those_that_wait_for_it(self):
        self.check_threads(self.start_threads(2, "barrier", 0, "left"), 1, "rank 0 .*has left the job")

    def test_threads_that_wait_for_one_another(self):
        """In the end for the last one, which has not come."""
        lines = self.check_threads(self.start_threads(4, "chain", 3, "late", GPUOPT_COMM_TIMEOUT="1"), 4, "rank 3 ")
        self.assertTrue(any("it waits itself, in the end for rank 3 (" in line for line in lines), lines)

    # ---- Ranks that fail

    def test_every_call_is_tried(self):
        """Every function of the headers is in CALLS, or LOCAL, whose functions wait for nobody."""
        headers = [os.path.join(os.path.dirname(__file__), "..", "..", "abi", "gpuopt", name)
                   for name in ("gpuopt_comm.h", "gpuopt_shard.h")]
        found = set()
        for path in headers:
            with open(path) as file:
                found |= set(re.findall(r"^GPUOPT_(?:API|CALL)[^(;]*\bgpuopt_(?:comm_)?(\w+)\(", file.read(),
                                        re.MULTILINE))
        self.assertIn("shard_sort", found)
        tried = {{"shard_load": "shard_load_npy", "shard_save": "shard_save_npy"}.get(call, call) for call in CALLS}
        self.assertEqual(found - tried, set(LOCAL))
        self.assertEqual(tried - found, {"shard_save_columns"})

    def check_fault(self, ranks, victim, call, how, **extra):
        """Returns what rank 0 prints."""
        processes = self.job(ranks, FAULTS, call, str(victim), how, GPUOPT_RANK_FOLDER=self.scratch, **extra)
        first = ""
        for r, process in enumerate(processes):
            if r != victim:
                code, out, err = self.finished(process)
                first = first or out
                self.assertEqual(code, 0, f"rank {r}: {out}{err}")
                self.assertRegex(out, rf"{name_in_errors(call)}: .*rank {victim}")
        if processes[victim].poll() is None:
            processes[victim].kill()
        if victim != 0:  # who writes the file, and removes it if it is not complete
            self.assertEqual([name for name in os.listdir(self.scratch) if name.endswith(".tmp")], [])
        return first

    def test_a_killed_rank_is_an_error_of_the_others(self):
        for call in CALLS:
            with self.subTest(call=call):
                shutil.rmtree(self.scratch)
                os.mkdir(self.scratch, 0o700)
                self.check_fault(3, 1, call, "killed")

    def test_a_rank_killed_at_any_time(self):
        for call in ("all_reduce", "all_to_all", "broadcast", "shard_sort", "shard_save", "shard_save_columns",
                     "shard_recut"):
            with self.subTest(call=call):
                shutil.rmtree(self.scratch)
                os.mkdir(self.scratch, 0o700)
                self.check_fault(4, 2, call, "during")

    def test_a_stopped_rank_is_an_error_after_the_time_out(self):
        for call in ("all_reduce", "barrier", "shard_sort", "shard_save"):
            with self.subTest(call=call):
                shutil.rmtree(self.scratch)
                os.mkdir(self.scratch, 0o700)
                begin = time.monotonic()
                self.check_fault(3, 0, call, "stopped", GPUOPT_COMM_TIMEOUT="3")
                self.assertGreaterEqual(time.monotonic() - begin, 3)

    def test_a_stopped_rank_is_named_by_those_that_wait_for_others(self):
        """In some rounds ranks wait for others, which wait for the one that has stopped."""
        self.check_fault(8, 6, "shard_gather", "stopped", GPUOPT_COMM_TIMEOUT="6")

    def test_a_stopped_rank_is_named_by_those_that_wait_for_late_ones(self):
        for hosts in (None, ",".join(f"127.0.0.1:{port}" for port in free_ports(4))):
            with self.subTest(hosts=hosts):
                first = self.check_fault(4, 3, "chain", "stopped", hosts=hosts, GPUOPT_COMM_TIMEOUT="4")
                self.assertRegex(first, r"recv: rank 1 \(.*: it waits itself, in the end for rank 3 \(")

    def test_a_slow_rank(self):
        """One that is slower than the time-out is an error of the others, and of itself when it comes."""
        jobs = {}
        for call in CALLS:
            for how, timeout in (("slow", "60"), ("late", "1")):
                if how == "slow" or call in ("shard_save", "shard_halo"):
                    folder = tempfile.mkdtemp(dir=self.scratch)
                    hosts = ",".join(f"unix:{folder}/{r}" for r in range(3))
                    jobs[call, how] = self.job(3, FAULTS, call, "1", how, hosts=hosts, GPUOPT_RANK_FOLDER=folder,
                                               GPUOPT_COMM_TIMEOUT=timeout)
        for (call, how), job in jobs.items():  # all at once: they wait most of the time
            with self.subTest(call=call, how=how):
                for rank, process in enumerate(job):
                    code, out, err = self.finished(process)
                    self.assertEqual((code, err), (0, ""))
                    self.assertRegex(out, "all is well" if how == "slow" else
                                     "has given up|has left|has ended" if rank == 1 else "rank 1")

    def test_a_rank_that_leaves_is_an_error_for_those_that_wait_for_it(self):
        self.check_fault(2, 0, "barrier", "left")

    # ---- Joining

    def test_a_wrong_secret_is_refused_by_both_sides(self):
        hosts = self.paths(2)
        listens = self.start(hosts, 0, VALUES, GPUOPT_COMM_TIMEOUT="3")
        connects = self.start(hosts, 1, VALUES, secret="another secret of a job", GPUOPT_COMM_TIMEOUT="3")
        self.check_both_refuse(listens, connects)

    def test_a_rank_that_never_comes(self):
        process = self.start(self.paths(2), 0, VALUES, GPUOPT_COMM_TIMEOUT="1")
        code, _, err = self.finished(process)
        self.assertEqual(code, 1)
        self.assertIn("not all ranks have joined in time: rank 1", err)

    def test_nobody_listens(self):
        process = self.start(self.paths(2), 1, VALUES, GPUOPT_COMM_TIMEOUT="1")
        code, _, err = self.finished(process)
        self.assertEqual(code, 1)
        self.assertRegex(err, "rank 0 cannot be reached: .*No such file")

    def test_a_name_that_nobody_has(self):
        """Asked for until the time is over: a container may get its name later. This one can be nobody's."""
        for rank in (0, 1):
            begin = time.monotonic()
            process = self.start("-nobody-:1,127.0.0.1:1", rank, VALUES, GPUOPT_COMM_TIMEOUT="1")
            code, _, err = self.finished(process)
            self.assertEqual(code, 1)
            self.assertGreaterEqual(time.monotonic() - begin, 1)
            self.assertIn("GPUOPT_RING_HOSTS: -nobody-:1: Name or service not known", err)

    def test_a_name_that_nobody_has_is_told_early(self):
        """By the rank that should listen there, by those that want to connect, and by those that wait for it."""
        port, other = free_ports(2)
        for rank, hosts in ((0, f"-nobody-:{port},127.0.0.1:{other}"), (1, f"-nobody-:{port},127.0.0.1:{other}"),
                            (0, f"127.0.0.1:{port},-nobody-:{other}")):
            with self.subTest(rank=rank, hosts=hosts):
                process = self.start(hosts, rank, VALUES, GPUOPT_COMM_TIMEOUT="600", GPUOPT_LOG="warn")
                self.assertRegex(process.stderr.readline(), "ring.unknown_host.*-nobody-:[0-9]+: Name or service")
                self.assertIsNone(process.poll())
                process.kill()
                process.communicate()

    def test_a_refused_connection(self):
        process = self.start("127.0.0.1:1,127.0.0.1:2", 1, VALUES, GPUOPT_COMM_TIMEOUT="1")
        code, _, err = self.finished(process)
        self.assertEqual(code, 1)
        self.assertIn("rank 0 cannot be reached: 127.0.0.1:1: Connection refused", err)

    def test_a_rank_listens_at_its_own_address_alone(self):
        port, other = free_ports(2)
        self.start(f"127.0.0.1:{port},127.0.0.1:{other}", 0, VALUES, GPUOPT_COMM_TIMEOUT="60")
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        with self.assertRaises(OSError):  # the same port of another address of this machine
            socket.create_connection(("127.0.0.2", port), timeout=5)

    def test_strangers_do_not_keep_a_job_from_starting(self):
        """Bytes of another protocol, a wrong proof, and a connection that is closed at once."""
        port, other = free_ports(2)
        hosts = f"127.0.0.1:{port},127.0.0.1:{other}"
        listens = self.start(hosts, 0, VALUES, GPUOPT_COMM_TIMEOUT="60")
        hello = struct.pack("<IIiii", 0x6772696e, 2, 1, 0, 2) + secrets.token_bytes(32)
        for sent in (b"GET / HTTP/1.0\r\n\r\n" * 8, b"", hello + secrets.token_bytes(32)):
            while True:
                try:
                    with socket.create_connection(("127.0.0.1", port)) as stranger:
                        stranger.sendall(sent)
                        stranger.settimeout(LIMIT)
                        with contextlib.suppress(OSError):  # it may be refused before all is sent
                            stranger.shutdown(socket.SHUT_WR)
                            while stranger.recv(4096):
                                pass
                    break
                except ConnectionRefusedError:
                    time.sleep(0.05)
        connects = self.start(hosts, 1, VALUES, GPUOPT_COMM_TIMEOUT="60")
        self.assertEqual(self.finished(connects)[0], 0)
        code, _, err = self.finished(listens)
        self.assertEqual(code, 0, err)
        self.assertIn("does not know this job's secret", err)

    def test_settings_that_mean_nothing(self):
        for extra, words in (({"GPUOPT_RING_HOSTS": "here"}, "is not host:port"),
                             ({"GPUOPT_RING_HOSTS": "unix:x,unix:y"}, "no absolute path"),
                             ({"GPUOPT_RING_HOSTS": "h:1,h:x"}, "port that is no number"),
                             ({"GPUOPT_RING_RANK": "2"}, "no rank of 2"),
                             ({"GPUOPT_RING_RANK": ""}, "no rank of 2"),
                             ({"GPUOPT_RING_SECRET": "short"}, "at least 16 characters"),
                             ({"GPUOPT_COMM": "Ring"}, "is no request"),
                             ({"GPUOPT_COMM": "nowhere"}, "no libgpuopt_nowhere.so in")):
            with self.subTest(extra=extra):
                settings = {"GPUOPT_RING_HOSTS": self.paths(2), "GPUOPT_RING_RANK": "0",
                            "GPUOPT_RING_SECRET": "0123456789abcdef", **extra}
                done = subprocess.run([VALUES], env=environment(**settings), capture_output=True, text=True,
                                      timeout=LIMIT)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)

    def test_an_address_that_is_taken(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            hosts = f"127.0.0.1:{taken.getsockname()[1]},127.0.0.1:1"
            code, _, err = self.finished(self.start(hosts, 0, VALUES))
        self.assertEqual(code, 1)
        self.assertIn("cannot listen at 127.0.0.1", err)


class Run(unittest.TestCase):
    """gpuopt-run itself."""

    def run_it(self, *arguments, **keywords):
        return subprocess.run([RUN, *arguments], env=environment(), capture_output=True, text=True, timeout=LIMIT,
                              **keywords)

    def test_labels_and_standard_input(self):
        done = self.run_it("-n", "3", "--label", "sh", "-c", "cat; echo $GPUOPT_RING_RANK", input="given\n")
        self.assertEqual(sorted(done.stdout.splitlines()), ["[0] 0", "[0] given", "[1] 1", "[2] 2"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_output_in_files(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_it("-n", "2", "--output", folder + "/new", "sh", "-c", "echo $GPUOPT_RING_RANK; echo e >&2")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            for rank in (0, 1):
                with open(f"{folder}/new/rank-{rank}.txt") as file:
                    self.assertEqual(file.read(), f"{rank}\ne\n")

    def test_the_first_failure_ends_the_job(self):
        begin = time.monotonic()
        program = "[ $GPUOPT_RING_RANK = 1 ] && exit 7; exec sleep 99"
        done = self.run_it("-n", "3", "--grace", "0.2", "sh", "-c", program)
        self.assertEqual(done.returncode, 7)
        self.assertIn("rank 1 returned 7", done.stderr)
        self.assertLess(time.monotonic() - begin, 60)
        program = "[ $GPUOPT_RING_RANK = 0 ] && kill -9 $$; exec sleep 99"
        done = self.run_it("-n", "2", "--grace", "0", "sh", "-c", program)
        self.assertEqual(done.returncode, 128 + signal.SIGKILL)

    def test_an_end_that_is_asked_for(self):
        process = subprocess.Popen([RUN, "-n", "2", "sh", "-c", "echo up; exec sleep 99"], env=environment(),
                                   stdout=subprocess.PIPE, text=True)
        self.assertEqual([process.stdout.readline() for _ in range(2)], ["up\n"] * 2)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(LIMIT), 128 + signal.SIGTERM)
        process.stdout.close()

    def test_wrong_usage(self):
        for arguments in ((), ("-n",), ("-n", "0", "true"), ("-n", "2x", "true"), ("-n", "2"), ("--what",),
                          ("true",)):
            done = self.run_it(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("usage: gpuopt-run", done.stderr)
        done = self.run_it("-n", "1", "/nowhere/at/all")
        self.assertEqual(done.returncode, 127)
        self.assertIn("No such file", done.stderr)
        self.assertIn("usage: gpuopt-run", self.run_it("--help").stdout)
        self.assertRegex(self.run_it("--version").stdout, r"^gpuopt-run \d+\.\d+\.\d+\n$")


@unittest.skipUnless(os.environ.get("GPUOPT_MPI_LAUNCHERS"), "no mpirun is installed")
class Mpi(unittest.TestCase):
    """The same program, started by MPI's own launcher."""

    def launch(self, launcher, ranks, *command, **extra):
        options = ["--allow-run-as-root", "--oversubscribe"] if "openmpi" in launcher else []
        return subprocess.run([launcher, *options, "-n", str(ranks), *command], env=environment(**extra),
                              capture_output=True, text=True, timeout=LIMIT)

    def test_values(self):
        for launcher in os.environ["GPUOPT_MPI_LAUNCHERS"].split(":"):
            for ranks in RANKS[:5]:  # MPI's ranks wait by computing
                with self.subTest(launcher=launcher, ranks=ranks):
                    done = self.launch(launcher, ranks, VALUES)
                    self.assertEqual(done.returncode, 0, done.stderr + done.stdout)

    def test_sums_by_mpi(self):
        for launcher in os.environ["GPUOPT_MPI_LAUNCHERS"].split(":"):
            for ranks in (1, 2, 4):
                with self.subTest(launcher=launcher, ranks=ranks):
                    done = self.launch(launcher, ranks, DEVICE, "fast")
                    self.assertEqual(done.returncode, 0, done.stderr + done.stdout)

    # ---- MPI 5's ABI, which a library passes on to those that are installed (tests/fake_mpi/)

    def test_by_the_abi_of_mpi_5(self):
        for launcher in os.environ["GPUOPT_MPI_LAUNCHERS"].split(":"):
            for ranks, command in ((1, (VALUES,)), (3, (VALUES,)), (2, (DEVICE, "fast"))):
                with self.subTest(launcher=launcher, ranks=ranks), tempfile.TemporaryDirectory() as folder:
                    done = self.launch(launcher, ranks, *command, GPUOPT_MPI=os.environ["GPUOPT_FAKE_MPI"],
                                       FAKE_MPI_TRACE=f"{folder}/trace")
                    self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
                    with open(f"{folder}/trace") as file:
                        sent = dict(map(str.split, file))
                    self.assertEqual(sorted(sent), [str(rank) for rank in range(ranks)])
                    self.assertEqual("0" not in sent.values(), ranks > 1)

    def test_an_error_of_mpi_is_returned(self):
        """Not what the library does about errors by itself: it ends the job."""
        for launcher in os.environ["GPUOPT_MPI_LAUNCHERS"].split(":"):
            with self.subTest(launcher=launcher):
                done = self.launch(launcher, 2, DEVICE, "error", GPUOPT_MPI=os.environ["GPUOPT_FAKE_MPI"],
                                   FAKE_MPI_FAIL="9")
                self.assertRegex(done.stdout, "all_reduce: MPI_Isend: .*[Rr]ank", done.stderr)

    def test_a_library_of_mpi_5_among_others(self):
        """It comes before MPICH's, if it has the version of the ABI that is known."""
        fake = os.environ["GPUOPT_FAKE_MPI"]
        for launcher in os.environ["GPUOPT_MPI_LAUNCHERS"].split(":"):
            for version in ("1", "0"):
                with self.subTest(launcher=launcher, version=version), tempfile.TemporaryDirectory() as folder:
                    done = self.launch(launcher, 2, DEVICE, "fast", LD_LIBRARY_PATH=os.path.dirname(fake),
                                       FAKE_MPI_TRACE=f"{folder}/trace", FAKE_MPI_ABI=version)
                    self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
                    self.assertEqual(os.path.exists(f"{folder}/trace"), version == "1" and "openmpi" not in launcher)
        done = subprocess.run([DEVICE, "fast"], env=environment(GPUOPT_COMM="mpi", GPUOPT_MPI=fake, FAKE_MPI_ABI="0"),
                              capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has not version 1 of the ABI of MPI 5", done.stderr)

    # ---- Programs

    def test_a_program_with_a_copy_of_the_library_s_objects(self):
        launchers = [one for one in os.environ["GPUOPT_MPI_LAUNCHERS"].split(":") if "openmpi" in one]
        compiler, source, library = os.environ["GPUOPT_LINK_TEST"].split(":")
        found = ctypes.util.find_library("mpi")
        if not launchers or not found or "40" not in found:
            self.skipTest("Open MPI is not installed")
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "linked_with_mpi")
            abi = os.path.join(os.path.dirname(source), "..", "..", "abi")
            subprocess.run([compiler, "-fno-pic", "-no-pie", "-I", abi, source, "-o", program, library, "-l:" + found,
                            "-Wl,-rpath," + os.path.dirname(library)], check=True)
            self.assertIn("_COPY", subprocess.run(
                ["readelf", "-rW", program], capture_output=True, text=True, check=True).stdout)
            done = self.launch(launchers[0], 2, program)
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)

    def test_shards_and_samples(self):
        for launcher in os.environ["GPUOPT_MPI_LAUNCHERS"].split(":"):
            with tempfile.TemporaryDirectory() as folder:
                done = self.launch(launcher, 3, SHARDS, folder)
                self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
            for program, expected in SAMPLES:
                with open(expected) as file:
                    text = file.read()
                simple = os.path.basename(program).startswith("heat")  # in C++ and C; check.sh has Rust and Go
                for ranks in (1, 2, 3, 4, 8) if LONG else (1, 2, 4, 8) if simple else (4,):
                    with self.subTest(launcher=launcher, program=program, ranks=ranks):
                        self.assertEqual(self.launch(launcher, ranks, program).stdout, text)


if __name__ == "__main__":
    unittest.main()
