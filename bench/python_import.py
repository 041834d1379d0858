#!/usr/bin/env python3
# bench/python_import.py -- what `import gpuopt` costs, beside `import numpy`, and which modules it is spent on
"""usage: bench/python_import.py [PROCESSES]

Runs each program in so many processes (15) and prints the least processor time, less that of an empty program: time on
the clock says more of what else the machine does. Then come the modules, by the least time that each took by itself;
python -X importtime measures on the clock, and costs time. The package is that of the interpreter; as pip does, compile
its modules first (python -m compileall), or the compiler is what is measured.
"""

import re
import resource
import subprocess
import sys

SHOWN = 12


def used():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def least(program, processes):
    """The least processor time of a program in milliseconds."""
    times = []
    for _ in range(processes):
        start = used()
        subprocess.run([sys.executable, "-c", program], check=True)
        times.append(used() - start)
    return 1000 * min(times)


def modules(processes):
    """The least time of each module that is loaded by gpuopt, in milliseconds."""
    times = {}
    program = "import sys; sys.stderr.write('begin\\n'); import gpuopt"
    for _ in range(processes):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-c", program], capture_output=True, text=True, check=True
        )
        for time, name in re.findall(r"^import time: +(\d+) \| +\d+ \| +(\S+)$", done.stderr.split("begin")[1], re.M):
            times.setdefault(name, []).append(int(time) / 1000)
    return {name: min(measured) for name, measured in times.items()}


def main():
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    empty = least("pass", processes)
    print(f"Python {sys.version.split()[0]}, the least of {processes} processes; an empty program: {empty:.1f} ms")
    for name in ("gpuopt", "numpy"):
        print(f"import {name}: {least(f'import {name}', processes) - empty:.1f} ms")
    times = modules(processes)
    print(f"{len(times)} modules of gpuopt, by themselves: {sum(times.values()):.1f} ms on the clock; the most:")
    for name in sorted(times, key=times.get, reverse=True)[:SHOWN]:
        print(f"  {times[name]:6.2f} ms  {name}")


if __name__ == "__main__":
    main()
