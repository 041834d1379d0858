# tests/comm/hosts_test.py -- a job on three hosts. Each is a network namespace of Linux with an address of its own,
# and a bridge joins them: what ranks send goes by TCP through separate network stacks. Making such hosts needs root.
import os
import shlex
import shutil
import subprocess
import time
import unittest

from rank_jobs import RankJobs, environment

VALUES = os.environ["GPUOPT_COMM_VALUES"]
FAULTS = os.environ["GPUOPT_COMM_FAULTS"]
SAMPLES = [pair.split("=") for pair in os.environ.get("GPUOPT_RANK_SAMPLES", "").split(":") if pair]
LAUNCHERS = [path for path in os.environ.get("GPUOPT_MPI_LAUNCHERS", "").split(":") if path]
HOSTS = 3
LIMIT = 120  # seconds
SECRET = "0123456789abcdef"
# In place of ssh: it is called with [options] HOST COMMAND... What follows are the lines of a case, one for each host.
AGENT = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
case $host in
"""


def not_run(reason):
    print(f"not run: comm/hosts_test: {reason}", flush=True)  # what ./dev test names in the end
    raise unittest.SkipTest(reason)


def ip(*arguments):
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, timeout=LIMIT)
    if done.returncode != 0:
        raise OSError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")


class Network:
    """A switch, which is a namespace with a bridge, and hosts, whose only interface but lo is eth0."""

    def __init__(self):
        tag = f"{os.getpid() % 1000000:06d}"
        self.switch = f"gpuopt{tag}-switch"
        self.names = [f"gpuopt{tag}-{host}" for host in range(HOSTS)]
        self.ends = [f"port{host}" for host in range(HOSTS)]
        self.addresses = [f"10.213.7.{host + 1}" for host in range(HOSTS)]

    def make(self):
        # The bridge is in a namespace, too: nothing of the machine's own network changes.
        ip("netns", "add", self.switch)
        ip("-n", self.switch, "link", "add", "bridge", "type", "bridge")
        ip("-n", self.switch, "link", "set", "bridge", "up")
        for name, end, address in zip(self.names, self.ends, self.addresses):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", end, "netns", self.switch)
            ip("-n", self.switch, "link", "set", end, "master", "bridge", "up")
            ip("-n", name, "address", "add", f"{address}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")

    def remove(self):
        for name in (*self.names, self.switch):
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)

    def inside(self, host, *command):
        """The command on that host, which has a name of its own, too: by that MPI tells hosts from each other."""
        return ["ip", "netns", "exec", self.names[host], "unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"',
                self.names[host], *command]


class Hosts(RankJobs):
    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0 or not shutil.which("ip"):
            not_run("making hosts needs root and ip of iproute2")
        cls.network = Network()
        try:
            cls.network.make()
        except OSError as failure:
            cls.network.remove()
            not_run(f"no hosts can be made here: {failure}")
        if not LAUNCHERS:
            print("not run: comm/hosts_test by MPI: no mpirun is installed", flush=True)

    @classmethod
    def tearDownClass(cls):
        cls.network.remove()

    def list_of(self, ranks):
        return ",".join(f"{self.network.addresses[r % HOSTS]}:{7001 + r}" for r in range(ranks))

    def start(self, ranks, rank, *command, secret=SECRET, **extra):
        process = subprocess.Popen(
            self.network.inside(rank % HOSTS, *command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment(GPUOPT_RING_HOSTS=self.list_of(ranks), GPUOPT_RING_RANK=str(rank),
                            GPUOPT_RING_SECRET=secret, **extra))
        self.started.append(process)
        return process

    def job(self, ranks, *command, **extra):
        return [self.start(ranks, r, *command, **extra) for r in range(ranks)]

    def received(self):
        """How many bytes the interface of each host has received from others."""
        return [int(subprocess.run(self.network.inside(host, "cat", "/sys/class/net/eth0/statistics/rx_bytes"),
                                   capture_output=True, text=True, check=True).stdout) for host in range(HOSTS)]

    def check_that_hosts_have_received(self, before):
        for host, (earlier, now) in enumerate(zip(before, self.received())):
            self.assertGreater(now - earlier, 100000, f"host {host}")

    # ---- Values

    def test_values(self):
        before = self.received()
        for process in self.job(4, VALUES):
            self.assertEqual(self.finished(process), (0, "", ""))
        self.check_that_hosts_have_received(before)

    @unittest.skipUnless(SAMPLES, "the samples are not built")
    def test_the_samples_print_what_they_print_on_one_host(self):
        for program, expected in SAMPLES:
            with open(expected) as file:
                text = file.read()
            for ranks in (3, 5):
                with self.subTest(program=program, ranks=ranks):
                    done = [self.finished(process) for process in self.job(ranks, program)]
                    self.assertEqual([(code, err) for code, _, err in done], [(0, "")] * ranks)
                    self.assertEqual("".join(out for _, out, _ in done), text)

    # ---- Faults

    def check_fault(self, call, victim, how, between=lambda processes: None, **extra):
        """The ranks that are not the victim say that it is what they have waited for."""
        processes = self.job(HOSTS, FAULTS, call, str(victim), how, GPUOPT_RANK_FOLDER=self.scratch, **extra)
        between(processes)
        for rank, process in enumerate(processes):
            if rank != victim:
                code, out, err = self.finished(process)
                self.assertEqual(code, 0, f"rank {rank}: {out}{err}")
                self.assertRegex(out, rf"{call}: .*rank {victim}")
        return processes[victim]

    def test_a_rank_that_is_killed_on_another_host(self):
        for call in ("all_reduce", "all_to_all", "shard_sort"):
            with self.subTest(call=call):
                self.check_fault(call, 2, "during")

    def test_a_link_that_is_cut(self):
        """Nothing tells the others: no host is there any more that could close a connection."""
        for call in ("all_reduce", "all_to_all", "barrier"):
            with self.subTest(call=call):
                def cut(processes):
                    time.sleep(1.5)
                    self.assertEqual([process.poll() for process in processes], [None] * HOSTS)
                    ip("-n", self.network.switch, "link", "set", self.network.ends[2], "down")

                try:
                    begin = time.monotonic()
                    alone = self.check_fault(call, 2, "cut", cut, GPUOPT_COMM_TIMEOUT="4")
                    code, out, err = self.finished(alone)
                    self.assertLess(time.monotonic() - begin, LIMIT)
                    self.assertEqual(code, 0, err)
                    self.assertRegex(out, rf"{call}: .*rank [01]")
                finally:
                    ip("-n", self.network.switch, "link", "set", self.network.ends[2], "up")

    def test_a_wrong_secret(self):
        first = self.start(2, 0, VALUES, GPUOPT_COMM_TIMEOUT="3")
        second = self.start(2, 1, VALUES, secret="another secret of a job", GPUOPT_COMM_TIMEOUT="3")
        self.check_both_refuse(first, second)

    def test_a_host_that_does_not_listen(self):
        code, _, err = self.finished(self.start(2, 1, VALUES, GPUOPT_COMM_TIMEOUT="2"))
        self.assertEqual(code, 1)
        self.assertIn("rank 0 cannot be reached: 10.213.7.1:7001: Connection refused", err)

    @unittest.skipUnless(shutil.which("ss"), "no ss is installed")
    def test_a_rank_listens_at_its_own_address_alone(self):
        self.start(2, 0, VALUES, GPUOPT_COMM_TIMEOUT="60")
        end, lines = time.monotonic() + LIMIT, []
        while not lines and time.monotonic() < end:
            time.sleep(0.05)
            lines = subprocess.run(self.network.inside(0, "ss", "-Hltn"), capture_output=True, text=True,
                                   check=True).stdout.splitlines()
        self.assertEqual([line.split()[3] for line in lines], ["10.213.7.1:7001"])

    # ---- MPI's own launchers, which reach the other hosts by an agent in place of ssh

    @unittest.skipUnless(LAUNCHERS, "no mpirun is installed")
    def test_values_and_samples_by_mpi(self):
        agent = os.path.join(self.scratch, "agent")
        with open(agent, "w") as file:
            file.write(AGENT)
            for host, address in enumerate(self.network.addresses):
                file.write(f'{address}) exec {shlex.join(self.network.inside(host, "sh", "-c"))} "$*" ;;\n')
            file.write("esac\n")
        os.chmod(agent, 0o700)
        for launcher in LAUNCHERS:
            if "openmpi" in launcher:
                options = ["--allow-run-as-root", "--oversubscribe", "--mca", "plm_rsh_agent", agent, "--mca",
                           "plm_rsh_no_tree_spawn", "1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include",
                           "eth0", "--mca", "oob_tcp_if_include", "eth0", "--mca", "pml", "ob1"]
            else:
                options = ["-launcher", "ssh", "-launcher-exec", agent, "-iface", "eth0"]
            options += ["--host" if "openmpi" in launcher else "-hosts", ",".join(self.network.addresses)]
            before = self.received()
            for program, expected in ((VALUES, os.devnull), *SAMPLES):
                with self.subTest(launcher=launcher, program=program), open(expected) as file:
                    done = subprocess.run(self.network.inside(0, launcher, *options, "-n", str(HOSTS), program),
                                          env=environment(), capture_output=True, text=True, timeout=LIMIT)
                    self.assertEqual((done.returncode, done.stdout), (0, file.read()), done.stderr)
            # MPICH's ranks share the memory of the kernel that these hosts have in common. With UCX_TLS=tcp they send
            # all by the network, but MPI_Finalize of MPICH 4.0.2 with UCX 1.13.1 may not return then. A program that
            # uses nothing but MPI does not end there, either.
            if "openmpi" in launcher:
                self.check_that_hosts_have_received(before)


if __name__ == "__main__":
    unittest.main()
