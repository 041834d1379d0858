#!/usr/bin/env python3
# tests/fuzz/programs/fuzz.py -- the differential fuzzer: fixed programs for the gate, new ones from the clock, programs
# from files.
import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import generate
import known
import oracle
import oracle_kernels
import program as text
import runs
import standalone
import tables
from minimise import minimised

HERE = Path(__file__).resolve().parent
# Programs of one process of the runner: what starting it costs is shared, and what a crash costs is small.
_BATCH = 250
# With so many programs every operation is computed by one of them, and every kernel.
_ENOUGH_FOR_ALL = 3000
_ENOUGH_FOR_KERNELS = 400


def _arguments():
    parser = argparse.ArgumentParser(description="Random programs against NumPy, and against each other in the modes "
                                                 "of the library.")
    parser.add_argument("command", choices=["gate", "kernels", "search", "replay", "compiled", "cuda", "standalone"],
                        help="gate: the fixed programs and those of found/; kernels: fixed ones with user kernels; "
                             "search: new ones; "
                             "replay: files; compiled, cuda: fixed ones in these modes, with kernels; "
                             "standalone: that what is written in C++ compiles")
    parser.add_argument("files", nargs="*", help="programs to replay")
    parser.add_argument("--runner", help="the program fuzz_runner")
    parser.add_argument("--cxx", default="c++", help="the compiler of standalone")
    parser.add_argument("--library", type=Path, help="standalone: libgpuopt, with which some are linked, and run")
    parser.add_argument("--programs", type=int, default=5000)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--kernels", action="store_true",
                        help="search: every program may have kernels, and runs in the modes that compile, too")
    parser.add_argument("--fake-cuda", type=Path,
                        help="the folder of tests/fake_cuda's libraries: search and replay try its mode, too")
    parser.add_argument("--slow", type=float, default=1.0,
                        help="by how much everything is slower than it should be, as under a sanitizer")
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--output", type=Path, default=Path("build/fuzz/programs"), help="where what fails is stored")
    return parser.parse_args()


class Batch:
    """So many programs from a seed on, in some modes; `compiler` is whether there is one for kernels."""

    def __init__(self, first, count, runner, modes, kernels, compiler):
        self.first = first
        self.count = count
        self.runner = runner
        self.modes = modes
        self.kernels = kernels
        self.compiler = compiler


def _judge_batch(batch):
    """The batch's failures, what it had values of, and what it could not run; a module's function, so that other
    processes can run it."""
    judged = set()
    programs, left_out = runs.runnable(generate.programs(batch.first, batch.count, batch.kernels), batch.compiler)
    return batch.count, runs.judge(programs, batch.runner, batch.modes, judged), judged, left_out


def _batches(first, count, runner, modes, kernels=False, compiler=True, size=_BATCH):
    return [Batch(at, min(size, first + count - at), runner, modes, kernels, compiler)
            for at in range(first, first + count, size)]


def _report_left_out(names):
    """Says which programs were not run, so that nobody takes them for passed."""
    if names:
        print(f"NOT RUN: {len(names)} programs with user kernels, for which there is no compiler here (libgpuopt_jit): "
              f"{' '.join(names)}")


def _report(failures):
    """Prints failures; those that are known have a line that says why. Whether all are known."""
    new = [failure for failure in failures if not known.reason(failure)]
    for failure in failures:
        reason = known.reason(failure)
        print(f"known: {reason}\n{failure}" if reason else str(failure))
    return not new


def _stored_programs(files):
    return [program for file in files for program in text.parse(Path(file).read_text())]


def _fixed(arguments, modes, kernels=False):
    """Programs of fixed seeds, several processes at a time."""
    runner, started = runs.Runner(arguments.runner, arguments.slow), time.monotonic()
    compiler = runner.compiles(modes)
    done, failures, judged, left_out = 0, [], set(), []
    with multiprocessing.Pool(arguments.processes) as pool:
        batches = _batches(arguments.first, arguments.programs, runner, modes, kernels, compiler,
                           50 if kernels else _BATCH)
        for count, found, names, without in pool.imap_unordered(_judge_batch, batches):
            done += count - len(without)
            failures += found
            judged |= names
            left_out += without
    stored, without = runs.runnable(_stored_programs(sorted((HERE / "found").glob("*.txt"))), compiler)
    failures += runs.judge(stored, runner, modes) if stored else []
    good = _report(failures)
    _report_left_out(left_out + without)
    print(f"{done} programs and {len(stored)} stored ones in {len(modes)} modes, {len(failures)} failures, "
          f"{time.monotonic() - started:.0f} s")
    missing = (_operations() if done >= _ENOUGH_FOR_ALL else set()) | (
        oracle_kernels.ROWS if kernels and done >= _ENOUGH_FOR_KERNELS else set()
    )
    return 0 if good and _all_judged(missing - judged) else 1


def _operations():
    """All that programs without kernels compute."""
    rows = {("op", name) for name in tables.OPS} | {("reduce", name)
                                                    for name in list(tables.REDUCTIONS) + generate.STATISTICS}
    rows |= {("scan", name) for name in tables.SCANS}
    unnamed = (
        set(oracle.VERBS)
        - set(oracle_kernels.VERBS)
        - {"op", "op_into", "reduce", "scan", "eval", "synchronize", "drop"}
    )
    return rows | {(verb, "") for verb in unnamed}


def _all_judged(missing):
    """Whether the programs had everything in them: an operation that none computes is tested by none."""
    for verb, name in sorted(missing):
        print(f"no program has a value of {verb} {name}".rstrip() + " that NumPy checked")
    return not missing


def _store(failure, directory, runner):
    """Makes a failure small and writes it down, as a program of the fuzzer and as one in C++."""
    # a program that hangs does so hundreds of times
    small = minimised(failure, runs.Runner(runner.path, runner.slow * 0.3))
    directory.mkdir(parents=True, exist_ok=True)
    name = directory / f"{small.kind}_{small.program.name}"
    comment = "".join(f"# {line}\n" for line in str(small).splitlines())
    name.with_suffix(".txt").write_text(comment + str(small.program))
    device = "cuda!" if small.mode == runs.CUDA else "cpu!"
    name.with_suffix(".cpp").write_text(standalone.source(small, {**runs.COMMON, **runs.MODES[small.mode]}, device))
    print(f"{small}\n{small.program}stored as {name}.txt and {name}.cpp\n", flush=True)
    return small


def _modes_of_round(number, arguments, compiler):
    """The modes, whether programs have kernels, and the programs of a batch: now and then the modes that compile, and
    the GPU's."""
    if arguments.fake_cuda and number % 10 == 4:
        return [runs.REFERENCE, runs.CUDA], compiler, 10
    if compiler and (arguments.kernels or number % 10 == 9):
        return runs.PLAIN + runs.COMPILED, True, 20
    return runs.PLAIN, False, 100


def _search(arguments):
    """New programs until the time is over."""
    runner, started = runs.Runner(arguments.runner, arguments.slow), time.monotonic()
    first = int(time.time() * 1000) % 2 ** 40 * 1000
    print(f"seeds from {first}", flush=True)
    failures, rounds, compiler = [], 0, runner.compiles(runs.COMPILED)
    done = dict.fromkeys(runs.MODES, 0)
    print("" if compiler
          else "there is no compiler here (libgpuopt_jit): no program has kernels, and none is compiled\n", end="")
    with multiprocessing.Pool(arguments.processes) as pool:
        while time.monotonic() - started < 60 * arguments.minutes:
            modes, compiles, size = _modes_of_round(rounds, arguments, compiler)
            batches = _batches(first + done[runs.REFERENCE], size * arguments.processes, runner, modes, compiles,
                               compiler, size)
            for count, found, _, _ in pool.imap_unordered(_judge_batch, batches):
                for mode in modes:
                    done[mode] += count
                for failure in found:
                    print(f"after {time.monotonic() - started:.0f} s, {done[runs.REFERENCE]} programs:", flush=True)
                    failures.append(failure if known.reason(failure) else _store(failure, arguments.output, runner))
            rounds += 1
    unknown = [failure for failure in failures if not known.reason(failure)]
    minutes = (time.monotonic() - started) / 60
    print("".join(f"{count:8} programs {mode}\n" for mode, count in done.items()) +
          f"in {minutes:.1f} minutes: {len(failures)} failures, {len(failures) - len(unknown)} of them known")
    return 1 if unknown else 0


def _programs_of_all_verbs(first, count):
    """A few programs that have every verb between them."""
    chosen, missing = [], set(oracle.VERBS)
    for program in generate.programs(first, count, kernels=True):
        verbs = {statement.verb for statement in program.statements}
        if verbs & missing:
            chosen.append(program)
            missing -= verbs
    return chosen, missing


# Failures that somebody wants to see: of a value in the middle of a program, of one that was written, and of a text.
_TO_SHOW = """program value
v0 = data int32 3 010000000200000003000000
v1 = op add v0 v0
v2 = op add v1 v1
program written
v0 = data int32 3 010000000200000003000000
op_into multiply v0 v0 v0
program text
promote_types int32 float32
"""
_SHOWN = [(1, "v1 = [2 4 6]\n"), (1, "v0 = [1 4 9]\n"), (0, "float64\n")]


def _shows(arguments, directory, program, place, expected):
    """Whether the C++ of a failure prints the value that is wrong."""
    source, binary = directory / f"{program.name}.cpp", directory / program.name
    source.write_text(standalone.source(runs.Failure(program, runs.REFERENCE, "value", place, "written to be run"), {}))
    subprocess.run([arguments.cxx, "-std=c++17", f"-I{tables.ROOT / 'abi'}", source, "-o", binary, arguments.library,
                    f"-Wl,-rpath,{arguments.library.parent}"], check=True)
    done = subprocess.run([binary], capture_output=True, text=True, env={**os.environ, **runs.COMMON})
    if done.returncode == 0 and expected in done.stdout:
        return True
    print(f"the C++ of a failure prints {done.stdout!r} {done.stderr!r}, and not {expected!r}")
    return False


def _standalone(arguments):
    """Every verb as C++, and what the compiler says of it."""
    programs, missing = _programs_of_all_verbs(arguments.first, arguments.programs)
    for verb in sorted(missing):
        print(f"no program has the verb {verb}")
    wrong = bool(missing)
    with tempfile.TemporaryDirectory(prefix="gpuopt_fuzz_") as directory:
        for program in programs:
            source = Path(directory) / f"{program.name}.cpp"
            source.write_text(standalone.source(runs.Failure(program, runs.REFERENCE, "none", None, "written to be "
                                                                                                    "compiled"), {}))
            command = [arguments.cxx, "-std=c++17", "-fsyntax-only", "-Wall", "-Werror", f"-I{tables.ROOT / 'abi'}",
                       source]
            done = subprocess.run(command, capture_output=True, text=True)
            wrong |= done.returncode != 0
            print(done.stderr, end="")
        for program, (place, expected) in zip(text.parse(_TO_SHOW), _SHOWN if arguments.library else []):
            wrong |= not _shows(arguments, Path(directory), program, place, expected)
    print(f"{len(programs)} programs in C++, with every verb" if not wrong else "failed")
    return int(wrong)


def _replay(arguments):
    runner = runs.Runner(arguments.runner, arguments.slow)
    programs, left_out = runs.runnable(_stored_programs(arguments.files), runner.compiles(runs.COMPILED))
    _report_left_out(left_out)
    failures = runs.judge(programs, runner, runs.PLAIN + runs.COMPILED + ([runs.CUDA] if arguments.fake_cuda else []))
    return 0 if _report(failures) and programs else 1


def main():
    arguments = _arguments()
    if arguments.fake_cuda:
        runs.use_fake_cuda(arguments.fake_cuda.resolve())
    if arguments.command == "search":
        return _search(arguments)
    if arguments.command == "replay":
        return _replay(arguments)
    if arguments.command == "standalone":
        return _standalone(arguments)
    if arguments.command == "kernels":
        return _fixed(arguments, runs.PLAIN, kernels=True)
    if arguments.command == "compiled":
        return _fixed(arguments, [runs.REFERENCE] + runs.COMPILED, kernels=True)
    if arguments.command == "cuda":
        return _fixed(arguments, [runs.REFERENCE, runs.CUDA], kernels=True)
    return _fixed(arguments, runs.PLAIN)


if __name__ == "__main__":
    sys.exit(main())
