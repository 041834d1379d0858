#!/usr/bin/env python3
# tests/fault/settings.py -- every environment variable of settings.def with values that nobody means: a program that
# computes, compiles and logs runs to its end with the right numbers, or says in an error what is wrong. It never
# crashes or hangs.
#
# usage: settings.py ROOT PROGRAM [VALUES-PER-VARIABLE]
# Without a number: 50 values of each variable, spread over the list; 0 means all.
import multiprocessing
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

root, program = Path(sys.argv[1]), sys.argv[2]
per_variable = int(sys.argv[3]) if len(sys.argv) > 3 else 50
LONG = 20000
SECONDS = 60


def variables():
    found = re.findall(r"^GPUOPT_SETTING\((\w+),", (root / "plugins/shared/host/settings.def").read_text(), re.M)
    if len(found) < 20:
        sys.exit(f"only {len(found)} variables were found in settings.def")
    return found


def values(place):
    fifo, directory, unreadable, plain, loop = (str(place / name)
                                                for name in ("fifo", "directory", "unreadable", "plain", "loop"))
    os.mkfifo(fifo)
    os.mkdir(directory)
    Path(unreadable).write_bytes(b"x")
    os.chmod(unreadable, 0)
    Path(plain).write_text("some text\n")
    os.symlink(loop, loop)
    numbers = [b"0", b"1", b"-1", b"2", b"7", b"007", b"+3", b"1e9", b"0x10", b"1.5", b"1024", b"1025", b"65536",
               b"2147483647", b"2147483648",
               b"-2147483648", b"4294967296", b"9223372036854775807", b"9223372036854775808", b"18446744073709551615",
               b"99999999999999999999999999", b" 1", b"1 ", b"1K", b"NaN", b"inf"]
    words = [b"", b" ", b"on", b"off", b"now", b"ON", b"process", b"cpu", b"cuda", b"cuda,cpu", b"cuda!", b"debug",
             b"v2", b"v3", b"v9", b"no such thing",
             b",", b",,,", b":", b"::", b";", b"=", b"%s%n%s%n%n", b"\xff\xfe\x80", b"\xed\xa0\x80", "\u00fc".encode(),
             b"\n", b"\t\x01\x7f", b"x" * LONG, b"/" * LONG,
             b"9" * LONG, b"," * LONG]
    paths = [b".", b"..", b"/", b"/proc/nonexistent/file", b"/dev/null", b"/dev/zero", b"/dev/full", b"/dev/stdin",
             b"/proc/self/mem", b"relative/path",
             *(path.encode() for path in (fifo, directory, unreadable, plain, loop, plain + "/below",
                                          fifo + ":" + directory))]
    return numbers + words + paths


def limit():
    # Not of memory: device sizes are settings, too. Processor time, for what a watchdog on a busy machine would
    # misjudge.
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(variable, value, place):
    environment = {name: text for name, text in os.environb.items() if not name.startswith(b"GPUOPT_")
                   and name != b"ARRAY_MODULE"}
    environment[b"GPUOPT_CACHE_DIR"] = str(place / "cache").encode()
    environment[variable.encode()] = value
    try:
        done = subprocess.run([program], env=environment, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE,
                              preexec_fn=limit, timeout=10 * SECONDS)
    except subprocess.TimeoutExpired:
        return "hangs"
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    if done.returncode == 0 and b"right\n" in done.stdout:
        return None
    if done.returncode == 1 and re.search(rb"^refused: GPUOPT_ERR_\w+: .{8}", done.stdout, re.M | re.S):
        return None  # a clear error
    return f"exit status {done.returncode}: {done.stdout[-200:]!r} {done.stderr[-200:]!r}"


def chosen(all_values, k):
    """So many values, spread evenly over all of them; others for each variable."""
    count = min(per_variable or len(all_values), len(all_values))
    return [all_values[(k + i * len(all_values) // count) % len(all_values)] for i in range(count)]


with tempfile.TemporaryDirectory() as name:
    place = Path(name)
    (place / "cache").mkdir(mode=0o700)
    everything = values(place)
    trials = [(variable, value) for k, variable in enumerate(variables()) for value in chosen(everything, k)]
    with multiprocessing.Pool(2) as pool:
        problems = pool.starmap(run, [(*trial, place) for trial in trials])
    failures = [f"{variable}={value[:80]!r}: {problem}"
                for (variable, value), problem in zip(trials, problems) if problem]
    print("".join(f"FAILED: {failure}\n" for failure in failures), end="")
    print(f"{len(trials)} runs, {len(variables())} variables, {len(everything)} values, {len(failures)} failures")
sys.exit(1 if failures else 0)
