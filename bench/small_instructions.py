#!/usr/bin/env python3
# bench/small_instructions.py -- counts the instructions that operations on a few elements take
"""usage: bench/small_instructions.py PROGRAM [BUILD --against FILE | BUILD --record FILE]

Runs gpuopt_small_instructions, PROGRAM, under Valgrind's callgrind, once with small operations run at once and once
with all of them recorded (GPUOPT_SMALL_OPERATIONS=off), and prints the instructions of a call of each case.

--record writes them to FILE, with what they hold for: the compiler, the processor's features, and BUILD, a text about
how the library was built. --against compares them with those of FILE: the exit status is 1 if a case takes more than
5 % more. If it takes more than 5 % less, the numbers should be recorded anew. Where there is no Valgrind, or the
numbers hold for another compiler, processor or build, nothing is compared, which is said in a line that begins with
"not run:".
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CALLS = 200
TOLERANCE = 0.05
SETTINGS = {"at once": "on", "recorded": "off"}


def environment(setting):
    """Returns the environment of a run: one thread, nothing compiled, nothing read from caches."""
    fixed = {"GPUOPT_SMALL_OPERATIONS": setting, "GPUOPT_NUM_THREADS": "1", "GPUOPT_CPU_TIER_UP": "off"}
    return {**os.environ, **fixed}


def count(program, setting):
    """Returns {case: instructions of a call}."""
    names = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=measured", "--dump-after=measured",
                        f"--callgrind-out-file={out}", program, str(CALLS)],
                       check=True, capture_output=True, env=environment(setting))
        dumps = [pathlib.Path(folder, f"out.{k + 1}") for k in range(len(names))]
        totals = [int(re.search(r"^totals: (\d+)", dump.read_text(), re.M).group(1)) for dump in dumps]
    return {name: total // CALLS for name, total in zip(names, totals)}


def count_all(program):
    """Returns {case: instructions}, the setting in front of the case's name."""
    return {f"{title}: {name}": taken for title, setting in SETTINGS.items()
            for name, taken in count(program, setting).items()}


def circumstances(program, build):
    """Returns what the numbers hold for. The compiler is noted in the program."""
    text = subprocess.run(["readelf", "-p", ".comment", program], check=True, capture_output=True, text=True).stdout
    compiler = " and ".join(sorted(set(re.findall(r"\]\s+(\S.*)", text))))
    flags = re.search(r"^flags\s*:(.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    wanted = {"avx", "avx2", "bmi2", "erms", "fsrm"}  # Valgrind knows no AVX-512
    processor = " ".join(sorted(wanted & set(flags.group(1).split() if flags else ())))
    return {"compiler": compiler, "processor": processor, "build": build}


def compare(recorded, counted):
    """Prints what differs. Returns the cases that take too many instructions."""
    worse = []
    for name, taken in counted.items():
        before = recorded.get(name)
        if before is None or taken > before * (1 + TOLERANCE):
            worse.append(name)
            print(f"{name}: {taken} instructions a call, recorded are {before}")
        elif taken < before * (1 - TOLERANCE):
            print(f"{name}: {taken} instructions a call instead of {before}; please record this (--record)")
    return worse


def reason_not_to_run(record, held):
    """Returns why the numbers cannot be compared, or None."""
    if not shutil.which("valgrind"):
        return "valgrind is not installed"
    differing = [key for key, value in held.items() if record and record[key] != value]
    return f"the numbers hold for another {' and '.join(differing)}" if differing else None


def main(program, build="", option=None, file=None):
    """Counts, and prints, records or compares. Returns the exit status."""
    held = circumstances(program, build)
    record = json.loads(pathlib.Path(file).read_text()) if option == "--against" else None
    reason = reason_not_to_run(record, held)
    if reason:
        print(f"not run: counting the instructions of small operations: {reason}")
        return 0
    counted = count_all(program)
    if option == "--against":
        return 1 if compare(record["instructions"], counted) else 0
    if option == "--record":
        pathlib.Path(file).write_text(json.dumps({**held, "instructions": counted}, indent=1) + "\n")
    for name, taken in counted.items():
        print(f"{taken:8} {name}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 5) or (len(sys.argv) == 5 and sys.argv[3] not in ("--against", "--record")):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
