# tests/fuzz/programs/runs.py -- runs programs in the modes of the library, and judges them: values against NumPy, bits
# between modes.
import os
import subprocess
import tempfile
from pathlib import Path

import oracle
import oracle_kernels
import program as text
from oracle_exchange import same_files
from tables import STATUS

# The first mode is the one whose values NumPy checks.
MODES = {
    "eager, v2": {"GPUOPT_EAGER": "1", "GPUOPT_CPU_LEVEL": "v2", "GPUOPT_NUM_THREADS": "1"},
    "recorded, v2, 7 threads": {"GPUOPT_CPU_LEVEL": "v2", "GPUOPT_NUM_THREADS": "7", "GPUOPT_SMALL_OPERATIONS": "off"},
    "recorded, v3, 2 threads": {"GPUOPT_CPU_LEVEL": "v3", "GPUOPT_NUM_THREADS": "2", "GPUOPT_SMALL_OPERATIONS": "off"},
    "as set, v4, 1 thread": {"GPUOPT_CPU_LEVEL": "v4", "GPUOPT_NUM_THREADS": "1"},
    "eager, v4, 2 threads": {"GPUOPT_EAGER": "1", "GPUOPT_CPU_LEVEL": "v4", "GPUOPT_NUM_THREADS": "2"},
    "compiled, v4, 2 threads": {"GPUOPT_CPU_TIER_UP": "now", "GPUOPT_CPU_LEVEL": "v4", "GPUOPT_NUM_THREADS": "2"},
    "compiled, v2, 1 thread": {"GPUOPT_CPU_TIER_UP": "now", "GPUOPT_CPU_LEVEL": "v2", "GPUOPT_NUM_THREADS": "1"},
    "fake CUDA": {"GPUOPT_CPU_LEVEL": "v4", "GPUOPT_NUM_THREADS": "2"},
}
REFERENCE = "eager, v2"
# Compiling takes a tenth of a second and more a program: these modes are for fewer of them.
COMPILED = ["compiled, v4, 2 threads", "compiled, v2, 1 thread"]
CUDA = "fake CUDA"
PLAIN = [mode for mode in MODES if mode not in COMPILED + [CUDA]]
# A program that cannot be compiled stays interpreted, with the right bits and a warning: where it is to be compiled,
# that is a defect.
for mode in COMPILED:
    MODES[mode].update({"GPUOPT_LOG": "warn", "GPUOPT_SMALL_OPERATIONS": "off"})

COMMON = {"GPUOPT_LOG": "error", "GPUOPT_BLAS": "none", "GPUOPT_CPU_TIER_UP": "off"}
# Statements that show a value in every mode.
SHOWN = {"read", "item", "print", "describe", "result_type", "promote_types", "can_cast", "broadcast_shapes",
         "save_npy", "npz_names", "cfunc"}


def use_fake_cuda(folder):
    """The environment of the GPU's mode: the libraries of tests/fake_cuda, which has a cache of its own."""
    MODES[CUDA].update({"GPUOPT_CUDA_DRIVER": f"{folder}/libcuda.so.1", "GPUOPT_NVRTC": f"{folder}/libnvrtc.so.13",
                        "GPUOPT_CUBLAS": f"{folder}/libcublas.so.13", "GPUOPT_CACHE_MAX_BYTES": "0",
                        "GPUOPT_CACHE_DIR": f"{folder}/cache", "FAKE_CUDA_STRICT": "1"})


class Failure:
    """`kind` is "value", "bits", "crash" or "hang"; `place` the statement, or None where it is not known."""

    def __init__(self, program, mode, kind, place, message):
        self.program, self.mode, self.kind, self.place, self.message = program, mode, kind, place, message

    def __str__(self):
        statement = self.program.statements[self.place] if self.place is not None else ""
        return f"program {self.program.name}, {self.mode}: {self.kind}: {str(statement)[:160]}\n    {self.message}"


class Runner:
    """The program fuzz_runner, in one of the modes."""

    def __init__(self, path, slow=1.0):
        self.path, self.slow = path, slow

    def _command(self, mode, programs, results, start, compiles):
        slow = self.slow * (5 if compiles or "compiled" in mode else 1)
        command = [self.path, str(programs), str(results), "--from", str(start), "--slow", str(slow)]
        command += ["--dump"] if mode == REFERENCE else []
        command += ["--device", "cuda!"] if mode == CUDA else []
        return command

    def _environment(self, mode):
        return {**os.environ, **COMMON, **MODES[mode]}

    def run(self, programs, mode):
        """The runs of all the programs. A program that ends the process is its own failure: the next ones run in
        another process."""
        with tempfile.TemporaryDirectory(prefix="gpuopt_fuzz_") as directory:
            source = Path(directory) / "programs.txt"
            source.write_text("".join(str(program) for program in programs))
            start, runs, compiles = 0, {}, any(needs_compiler(program) for program in programs)
            while start < len(programs):
                results = Path(directory) / f"results_{start}.bin"
                done = subprocess.run(self._command(mode, source, results, start, compiles),
                                      env=self._environment(mode), capture_output=True,
                                      text=True, errors="replace")
                found, last = text.read_results(results) if results.exists() else ({}, None)
                runs.update(found)
                if "a program stays interpreted" in done.stderr:
                    raise RuntimeError(f"{mode}, programs {programs[start].name} to {programs[-1].name}: "
                                       f"{done.stderr.strip()[:3000]}")
                if done.returncode == 0:
                    break
                said = f"fuzz_runner ended with status {done.returncode}: {done.stderr.strip()[:3000]}"
                if last is None or done.returncode == 2:
                    raise RuntimeError(f"{mode}: {said}")
                if found[last].end == "ended":  # what the last program, or one before it, has done to memory
                    found[last].end, said = "crashed", "after its end " + said
                found[last].said = said
                start = last + 1
            return runs


    def compiles(self, modes):
        """Whether user kernels run here, or are refused because there is no compiler."""
        program = text.parse("program compiler\nv0 = data int32 1 01000000\nv1 = kernel squared_difference v0 v0\n")
        return all(self.run(program, mode)[0].records[1].status != STATUS["JIT_UNAVAILABLE"] for mode in modes)


def needs_compiler(program):
    return any(statement.verb in oracle_kernels.VERBS for statement in program.statements)


def runnable(programs, compiler):
    """The programs that can run, and the names of those that have kernels where there is no compiler."""
    left_out = [] if compiler else [program for program in programs if needs_compiler(program)]
    return [program for program in programs if program not in left_out], [program.name for program in left_out]


def _ended(program, mode, run):
    if run is None:
        return Failure(program, mode, "crash", None, "no record of the program")
    if run.end == "ended":
        return None
    if run.end == "too long":
        return Failure(program, mode, "hang", run.place, "the program takes longer than its size allows")
    place = max(run.records, default=-1) + 1  # what was under way, if the last records have come through
    return Failure(program, mode, "crash", place if place < len(program.statements) else None, run.said)


def _bits(program, mode, run, other, other_mode):
    """The first statement that gives other bits in two modes. The reference also shows values that nobody reads: they
    are left out."""
    for place, statement in enumerate(program.statements):
        a, b = run.records.get(place), other.records.get(place)
        if a is None or b is None:
            continue
        if a.status % 1000 != b.status % 1000:
            return Failure(program, mode, "bits", place, f"status {a.status}; in \"{other_mode}\" {b.status}")
        if (
            statement.verb in SHOWN
            and a.key() != b.key()
            and not (statement.verb == "save_npy" and same_files(a.payload, b.payload))
        ):
            return Failure(program, mode, "bits", place, f"{_first_difference(a, b)} in \"{other_mode}\"")
    return None


def _first_difference(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype} {a.shape}; {b.dtype} {b.shape}"
    if a.dtype is None:
        return f"{a.payload[:60]!r}; {b.payload[:60]!r}"
    x, y = a.array(), b.array()
    places = [i for i in range(x.size) if x.ravel()[i].tobytes() != y.ravel()[i].tobytes()]
    i = places[0]
    return f"{len(places)} of {x.size} elements of {a.dtype} differ; number {i} is {x.ravel()[i]}, and {y.ravel()[i]}"


def judge(programs, runner, modes=PLAIN, judged=None):
    """Runs programs in the modes, the first of them REFERENCE, and gives the failures, one for each program at the
    most. The names of what NumPy had an answer for are added to the set `judged`."""
    runs = {mode: runner.run(programs, mode) for mode in modes}
    judged = set() if judged is None else judged
    return [failure for number, program in enumerate(programs)
            if (failure := _judge_one(program, {mode: runs[mode].get(number) for mode in modes}, judged))]


def _judge_one(program, runs, judged):
    for mode, run in runs.items():
        failure = _ended(program, mode, run)
        if failure:
            return failure
    wrong, model = oracle.check(program, runs[REFERENCE])
    judged |= model.judged
    if wrong:
        return Failure(program, REFERENCE, "value", *wrong)
    if model.free_signs:
        return None
    other = next(iter(runs))
    for mode, run in runs.items():
        failure = _bits(program, mode, run, runs[other], other) if other != mode else None
        if failure:
            return failure
    return None
