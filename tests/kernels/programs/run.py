#!/usr/bin/env python3
"""tests/kernels/programs/run.py -- whole CUDA programs of others on the CPU compiler.

    run.py CHECKOUT [--build build/release] [--only PART] [--define NAME=VALUE]... [--pattern REGEX] [--seconds N]
                    [--repeat N] [--smaller] [--shard K/N] [--jobs N] [--skip FILE] [--keep DIRECTORY]
                    [--record SUITE [--resume]]

CHECKOUT is a directory with programs that compute their results twice, by kernels and by C functions, and print
whether they agree, as most of PolyBench/GPU (its folder CUDA), HeCBench (src) and cuda-samples (Samples) do. Nothing
of it is copied into the tree. A program is a directory whose makefile has a list `source`, or whose CMakeLists.txt has
a program, or else a .cu file with a main(). Each of its .cu files becomes two texts: the kernels with what they use,
which libgpuopt_jit compiles unedited, and the host's, which Clang compiles as CUDA for hosts, with cuda_runtime.h and
runtime.cpp in place of CUDA's runtime. Of the host's text only the bodies of functions are left out that the device
alone runs. The program is then run twice, with the arguments of the makefile's rule `run` or those of arguments.txt:
as it is, when it has to print that nothing differs, and with launches that do nothing, when it has to print that
something does; without the latter the former would say nothing. A program that says neither may say it by its status.
One that does not end by itself without its kernels "agrees weakly". No test of CTest runs this, as it needs the
checkout, and Clang 14 or later.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import texts

HERE = texts.HERE
FAILED = r"\bfail(?:ed|ure|s)?\b|\b[md]is-?match|\bincorrect\b|\bnot correct\b|\bdiffers\b|\binvalid\b|\bwrong\b"
PASSED = r"\bpass(?:ed)?\b|(?<!not )\bcorrect\b|\bsuccess|\bok\b|\bverified\b|\bmatch(?:es)?\b|\bvalid\b"
NOT_FAILED = (r"\b(?:no|0|without)\s+(?:\w+\s+)?(?:fail\w*|mismatch\w*|error\w*|difference\w*)|"
              r"(?:fail\w*|mismatch\w*|errors?)\s*[:=]\s*0\b(?!\.)|failed as expected")
DIFFER = r"Non-Matching CPU-GPU Outputs[^:]*:\s*(\d+)"  # what PolyBench/GPU prints; group 1: how many elements
LIBRARY = (r"(?:cublas|cusparse|cufft|cusolver|curand|nccl|cudnn|nvml|nvrtc|npp|MPI_|cu[A-Z]|gl[A-Z]|glut|glew|"
           r"d(?:ge|po|sy)\w+_\b)")
NO_FILE = (r"(?:failed to|fail to|can ?not|could not|unable to|error|couldn't|can't|not be)[^\n]{0,30}"
           r"\b(?:open|load|read|recogni|import|find|stat\b)[^\n]*|no such file[^\n]*|[^\n]*file not found|"
           r"\bfile error|usage:[^\n]*|"
           r"waiv(?:ing|ed)[^\n]*|(?:incorrect|invalid|wrong) number of arguments[^\n]*")
ERROR = (r"(?:error|difference|diff|rmse?|rsme|mse|norm)[^\n=:]{0,40}[=:]\s*"
         r"([-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf))\b|"
         r"accuracy\s*:\s*(\d\.\d+e[-+]\d+)")
MAIN = r"(?:\bint\s+|^)main\s*\("
HEADERS = ["cuda.h", "cuda_runtime_api.h", "helper_cuda.h", "cutil.h", "driver_types.h", "cuda_profiler_api.h",
           "builtin_types.h", "host_defines.h", "cuda_texture_types.h", "texture_fetch_functions.h"]
HOST_HEADERS = r"thrust/|cuda/std/|\w+(\.h)?$"  # of those that kernels may include, what hosts have of their own or not
BOTH = r"cu\w+\.h|cooperative_groups\.h|device_\w+\.h|math_\w+\.h|mma\.h|sm_\w+\.h|\w+_types\.h|vector_\w+\.h"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[2] / "build/release")
    parser.add_argument("--only", default="", help="programs whose path matches this regular expression")
    parser.add_argument("--pattern", default=DIFFER, help="what is printed of the comparison; group 1: elements")
    parser.add_argument("--repeat", type=int, default=0,
                        help="the last argument of makefiles' rule `run`, if it is greater")
    parser.add_argument("--smaller", action="store_true", help="try numbers among the arguments divided by 64 first")
    parser.add_argument("--shard", default="0/1", help="K/N: every N-th program, from the K-th on")
    parser.add_argument("--seconds", type=float, default=300, help="of processor time for one run of a program")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--define", action="append", default=[], help="a macro, as N=600 or DATA_TYPE=double")
    parser.add_argument("--skip", type=pathlib.Path,
                        help="what an earlier run printed: programs that agreed are left out")
    parser.add_argument("--keep", type=pathlib.Path, help="where the texts and outputs of each program stay")
    parser.add_argument("--record", metavar="SUITE", help="write what comes out to results/SUITE.txt, of which "
                        "tests/kernels/make_table.py makes its table")
    parser.add_argument("--resume", action="store_true",
                        help="leave out the programs whose outcomes that file has already, and keep those")
    return parser.parse_args()


# ---- What is a program ----


class Program:
    def __init__(self, folder, sources, name):
        self.folder, self.sources, self.name = folder, sources, name
        self.flags, self.arguments, self.links_kernels = [], [], False


def read(file):
    return file.read_text(errors="replace") if file.is_file() else ""


def makefile_of(folder):
    """The text of a makefile with the values of its variables in place of $(NAME)."""
    text = read(folder / "Makefile")
    values = {}
    for name, value in re.findall(r"^[ \t]*(\w+)[ \t]*[:?]?=[ \t]*(\S.*?)?[ \t]*(?:#.*)?$", text, re.M):
        values.setdefault(name, "" if value.endswith("\\") or "$(shell" in value else value)
    for _ in range(4):
        text = re.sub(r"\$[({](\w+)[)}]", lambda found: values.get(found.group(1)) or found.group(), text)
    return text


def listed_in_makefile(text):
    listed = re.search(r"^source\s*:?=((?:.*\\\n)*.*)$", text, re.M)
    if listed and re.search(r"\.c", listed.group(1)):
        return re.findall(r"\S+\.c(?:u|pp|c|xx)?\b", listed.group(1))
    named = re.findall(r"[\w./-]+\.c(?:u|pp|c|xx)?(?=\s|$)", text)
    objects = [re.sub(r"\.o$", end, name) for name in re.findall(r"[\w./-]+\.o(?=\s|$)", text)
               for end in (".cu", ".cpp", ".c")]
    return list(dict.fromkeys(os.path.normpath(name) for name in named + objects))


def flags_of(text, folder):
    flags = []
    for line in re.findall(r"^\s*C(?:XX)?FLAGS\s*[:+]?=((?:.*\\\n)*.*)$", text, re.M):
        for word in re.findall(r"(?<!\S)-[DI]\s*[^\s$]+", line):
            path = word[2:].strip()
            flags.append(f"-I{(folder / path).resolve()}" if word[1] == "I" else word)
    paths = re.findall(r"(?<!\S)-I\s*([\w.][\w./-]*)", text)
    flags += [f"-I{(folder / path).resolve()}" for path in paths]
    return [flag for flag in dict.fromkeys(flags) if "DEBUG" not in flag]


def includes(source):
    return re.findall(r'^\s*#\s*include\s*"([^"]+)"', read(source), re.M)


def groups_of(folder, makefile, cmake):
    """Lists of files, each of which is a program: those that a makefile or CMakeLists.txt names, without those that
    others include, or else each .cu file with a main()."""
    listed = [folder / name for name in listed_in_makefile(makefile) if (folder / name).is_file()]
    built = re.search(r"add_executable\(\s*\S+\s+([^)]*)\)", cmake)
    if not listed and built:
        listed = [folder / name for name in built.group(1).split() if re.search(r"\.c(u|pp|c)?$", name)]
        listed = [file for file in listed if file.is_file()]
    mains = [file for file in listed or sorted(folder.glob("*.cu")) if re.search(MAIN, read(file), re.M)]
    if not listed and makefile and not (folder / "Makefile").is_file() and len(mains) == 1:
        listed = [file for end in ("cu", "cpp", "cc") for file in sorted(folder.glob("*." + end))]
    if not listed:
        return [[file] for file in mains], bool(built)
    included = {os.path.normpath(file.parent / name) for file in listed for name in includes(file)}
    listed = [file for file in listed if os.path.normpath(file) not in included]
    mains = [file for file in mains if file in listed]
    if len(mains) > 1:
        return [[file] + [each for each in listed if each not in mains] for file in mains], bool(built)
    return [listed], bool(built)


def programs(options):
    found = []
    for folder in sorted({file.parent for file in options.checkout.rglob("*.cu")}):
        place = folder if (folder / "Makefile").is_file() else folder.parent
        makefile, cmake = makefile_of(place), read(folder / "CMakeLists.txt")
        groups, built = groups_of(folder, makefile, cmake)
        for sources in groups:
            name = folder if len(groups) == 1 else sources[0]
            program = Program(folder, sources, str(name.relative_to(options.checkout)))
            program.flags = flags_of(makefile, place) + [f"-I{folder}"]
            program.flags += [f"-I{options.checkout.parent / 'Common'}"] if built else []
            program.links_kernels = bool(re.search(r"-dc\b|-rdc|relocatable-device-code", makefile))
            words = run_arguments(makefile, program.name, options)
            program.flags += ["-D" + word[7:-1] for word in words if word.startswith("define(")]
            program.arguments = [word for word in words if not word.startswith("define(")]
            if any(source.suffix == ".cu" for source in sources):
                found.append(program)
    agreed = set(re.findall(r"^(.*?): agrees", read(options.skip), re.M)) if options.skip else set()
    return [each for each in found if re.search(options.only, each.name) and each.name not in agreed]


def run_arguments(makefile, name, options):
    """Those of arguments.txt; or of the makefile's rule `run`, the last of which may be how often it repeats itself."""
    for line in read(HERE / "arguments.txt").splitlines():
        if line.split(":", 1)[0] == name:
            return line.split(":", 1)[1].split()
    rule = re.search(r"^run\s*:.*\n((?:\t.*\n|[ \t]+.*\n)+)", makefile.replace("\\\n", " ") + "\n", re.M)
    called = re.search(r"\./(?:\$\(\w+\)|[\w./]+)+[ \t]*(.*)", rule.group(1)) if rule else None
    words = re.sub(r"[|>;&].*", "", called.group(1)).split() if called else []
    if options.repeat and words and re.fullmatch(r"\d+", words[-1]) and int(words[-1]) > options.repeat:
        words[-1] = str(options.repeat)
    return words


# ---- Building ----


def own_headers(scratch):
    """Headers of CUDA's that are this project's on the host."""
    include = scratch / "include"
    both = [name for name in texts.known_headers() if re.fullmatch(BOTH, name) or not re.match(HOST_HEADERS, name)]
    for name in HEADERS + [name for name in both if name not in ("cuda_runtime.h", "cuda_fp8.h")]:
        (include / name).parent.mkdir(parents=True, exist_ok=True)
        (include / name).write_text('#include "cuda_runtime.h"\n')
    for name in ("cuda_fp16.h", "cuda_bf16.h", "mma.h"):
        (include / name).write_text('#include "cuda_half.h"\n')
    (include / "omp.h").write_text("#pragma once\n#include <time.h>\n"
                                   "static inline double omp_get_wtime() { return clock() / (double)CLOCKS_PER_SEC; }\n"
                                   "static inline int omp_get_num_procs() { return 1; }\n"
                                   "static inline int omp_get_max_threads() { return 1; }\n"
                                   "static inline int omp_get_num_threads() { return 1; }\n"
                                   "static inline int omp_get_thread_num() { return 0; }\n"
                                   "static inline void omp_set_num_threads(int) {}\n")
    return f"-I{include}"


def compiled(command, what, seconds):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        raise ValueError(f"{what} takes too long to compile")
    if done.returncode:
        missing = re.search(r"'([^']+)' file not found", done.stderr)
        if missing:
            raise texts.NotThere("the header " + missing.group(1))
        library = re.search(r"undefined reference to `(" + LIBRARY + r"\w*)", done.stderr)
        if library:
            raise texts.NotThere("the function " + library.group(1))
        driver = re.search(r"(?:undeclared identifier|unknown type name) '((?:cu[A-Z]|CU)\w+)'", done.stderr)
        if driver:
            raise texts.NotThere("CUDA's driver: " + driver.group(1))
        word = re.search(r"'((?:cub|thrust)\w*)' (?:is not|does not name)|identifier '(cub|thrust)'|"
                         r"(?:named|member|type) '(Device\w+)' in namespace 'cub'", done.stderr)
        if word:
            raise texts.NotThere("the host's part of " + next(each for each in word.groups() if each))
        errors = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
        raise ValueError(f"{what} does not compile: " + " | ".join(errors[:3])[:500])


def build(program, options, scratch):
    include = own_headers(scratch)
    lib = options.build.resolve() / "lib"
    objects = [str(each) for each in options.runtime]
    defines = scratch / "defines.h"
    defines.write_text("".join("#define " + each.replace("=", " ", 1) + "\n" for each in options.define))
    flags = program.flags + [include]
    behind = ["-include", str(defines)] if options.define else []  # behind the headers, whose names they may be
    kernels = False
    for number, source in enumerate(program.sources):
        objects.append(str(scratch / f"{number}.o"))
        if source.suffix != ".cu":
            named = subprocess.run(["clang++", "-M", str(source), *flags, *texts.SYSTEM], capture_output=True,
                                   text=True)
            foreign = re.search(r"/usr/local/include/(\S+)", named.stdout)
            if foreign:
                raise texts.NotThere("the header " + foreign.group(1))
            language = ["-std=gnu11"] if source.suffix == ".c" else ["-std=gnu++17"]
            compiler = "clang" if source.suffix == ".c" else "clang++"
            compiled([compiler, *language, "-O2", "-w", "-c", str(source), *flags, *texts.SYSTEM, "-o", objects[-1]],
                     source.name, 120)
            continue
        others = [each for each in program.sources if each.suffix == ".cu" and each != source and program.links_kernels]
        text = texts.kernels_text(source, others, program.flags + behind, options.checkout, scratch)
        kernels |= "__global__" in text
        (scratch / f"{number}.cu").write_text(text)
        with open(scratch / f"{number}.bin", "wb") as file:
            file.write(text.encode() + b"\0")
        host = scratch / f"{number}_host.cu"
        host.write_text(texts.host_text(source, flags + behind, options.checkout, scratch))
        command = ["clang++", *texts.CLANG, "-O1", "-w", "-ferror-limit=5", "-c", str(host), "-o", objects[-1]]
        words = ("host", "device", "global", "constant", "shared")
        command += [f"-D__{word}__=__attribute__(({word}))" for word in words]
        command += ["-D__launch_bounds__(...)=", "-D__align__(n)=__attribute__((aligned(n)))", "-D__managed__=",
                    "-D__grid_constant__=", "-Xclang", "-fcuda-include-gpubinary", "-Xclang",
                    str(scratch / f"{number}.bin")]
        compiled(command, "the host's text", 120)
    if not kernels:
        raise texts.NoKernel()
    compiled(["clang++", "-o", str(scratch / "program"), *objects, f"-L{lib}", f"-Wl,-rpath,{lib}", "-lgpuopt", "-lm",
              "-lpthread"], "the program", 120)


# ---- Running ----


def differences(text, pattern, status):
    """How many elements differ, by what a program prints, or else by its status; None if it says nothing."""
    counts = [int(count) for count in re.findall(pattern, text)]
    if counts:
        return sum(counts)
    said = re.sub(NOT_FAILED, "passed", text, flags=re.I)
    failed, passed = (len(re.findall(words, said, re.I)) for words in (FAILED, PASSED))
    if failed or passed:
        return failed
    errors = [abs(float(number)) for found in re.findall(ERROR, text, re.I) for number in found if number]
    if errors:
        return sum(not error < 1e-3 for error in errors)
    return 1 if status else None


def smaller(words, factor):
    """A program's arguments with its numbers divided, but for small ones."""
    return [str(max(int(word) // factor, 32)) if re.fullmatch(r"\d{2,}", word) and int(word) > 32 else word
            for word in words]


def generated(word, scratch):
    """An argument, or for numbers(COUNT) the name of a file of so many lines with a number below 1, the same each
    time."""
    count = re.fullmatch(r"numbers\((\d+)\)", word)
    if not count:
        return word
    made = scratch / f"numbers_{count.group(1)}"
    if not made.exists():
        made.write_text("".join(f"{k * 7919 % 1009 / 1009:.6f}\n" for k in range(int(count.group(1)))))
    return str(made)


def more_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 28, resource.RLIM_INFINITY))


def waited_for(process, seconds):
    """The status of a process, which may take so many seconds of the processor, without those of its compiler, and 100
    times as long by the clock, where it may have to wait for others."""
    end = time.monotonic() + 100 * seconds
    while process.poll() is None:
        try:
            fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            fields = ["0"] * 20
        if (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") > seconds or time.monotonic() > end:
            raise subprocess.TimeoutExpired("the program", seconds)
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
    return process.returncode


def run(program, options, scratch, name, **environment):
    variables = {**os.environ, **environment}
    with open(scratch / name, "wb+") as out:
        words = [generated(word, scratch) for word in program.arguments]
        process = subprocess.Popen([str(scratch / "program"), *words], cwd=program.folder, env=variables,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                   start_new_session=True, preexec_fn=more_stack)
        try:
            status = waited_for(process, options.seconds)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        out.seek(0)
        text = out.read(1 << 22).decode(errors="replace")
    if status == 90:
        raise ValueError("a kernel does not run: " + text[text.rfind("shim: ") :][:900])
    missing = re.search(NO_FILE, text, re.I)
    if missing and (status or not re.search(PASSED, text, re.I)):
        raise texts.NotThere("a file: " + missing.group()[:80].replace("\n", " "))
    if status < 0:
        raise ValueError(f"it ended by signal {-status}")
    asserted = re.search(r"^shim: .*", text, re.M)
    text = re.sub(r"^shim: .*", "", text, flags=re.M)
    said = differences(text, options.pattern, 0)
    if asserted and said != 0:
        raise ValueError("a kernel does not run: " + asserted.group())
    if said is None and status and not environment:
        raise ValueError(f"it ended with status {status}: " + text[-300:])
    return differences(text, options.pattern, status)


def compared(program, options, scratch):
    """How many elements differ, as it is and without its kernels; of the latter None if it says nothing, and a
    sentence if it does not end by itself."""
    differ = run(program, options, scratch, "out.txt")
    try:
        without = run(program, options, scratch, "without.txt", SHIM_LAUNCHES="none")
    except subprocess.TimeoutExpired:
        without = "it does not end"
    except (ValueError, texts.NotThere) as problem:
        without = str(problem)[:100].replace("\n", " ")
    return differ, without


def outcome(program, options, scratch):
    """One of agrees, agrees weakly, differs, compares nothing, takes too long, needs more, has no kernel and fails, and
    what is to be said of it."""
    try:
        build(program, options, scratch)
    except texts.NotThere as problem:
        return "needs more", str(problem)
    except texts.NoKernel:
        return "has no kernel", "of its own"
    except (ValueError, AttributeError, OSError, subprocess.SubprocessError) as problem:
        return "fails", str(problem).replace("\n", " ")[:700]
    given = program.arguments
    if not options.smaller or smaller(given, 64) == given:
        return tried(program, given, options, scratch)
    result = tried(program, smaller(given, 64), options, scratch)
    if result[0] == "agrees":
        return result
    again = tried(program, smaller(given, 1024) if result[0] == "takes too long" else given, options, scratch)
    return result if again[0] == "takes too long" and result[0] != "differs" else again  # too small for its rules


def tried(program, words, options, scratch):
    """The outcome with these arguments."""
    program.arguments = words
    try:
        differ, without = compared(program, options, scratch)
    except texts.NotThere as problem:
        return "needs more", str(problem)
    except subprocess.TimeoutExpired:
        return "takes too long", f"more than {options.seconds:g} seconds"
    except ValueError as problem:
        return "fails", str(problem).replace("\n", " ")[:700]
    said = f"{differ or 0} differences; without its kernels {without}; arguments {' '.join(words)}"
    if differ:
        return "differs", said
    if isinstance(without, str) and differ is not None:
        return "agrees weakly", said
    if not without and (differ is None or without == 0):
        return "compares nothing", "it says the same if no kernel runs"
    return ("compares nothing" if isinstance(without, str) else "agrees"), said


def judged(program, options):
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        result = outcome(program, options, scratch)
        if options.keep:
            kept = options.keep / program.name.replace("/", "_")
            kept.mkdir(parents=True, exist_ok=True)
            for file in scratch.iterdir():
                if file.suffix in (".cu", ".txt"):
                    shutil.copy(file, kept / file.name)
    return program, *result


def record(suite, outcomes, count):
    """Writes the outcomes of a suite, which has so many programs, to its file in results."""
    (HERE / "results").mkdir(exist_ok=True)
    lines = [f"# {len(outcomes)} of {count} programs"] + [f"{name}: {what}" for name, what in outcomes]
    (HERE / "results" / (suite + ".txt")).write_text("\n".join(lines) + "\n")


def recorded(suite):
    """The outcomes that a suite's file in results has."""
    return [tuple(line.rsplit(": ", 1)) for line in read(HERE / "results" / (suite + ".txt")).splitlines()[1:]]


def main():
    options = arguments()
    options.checkout = options.checkout.resolve()
    shard, shards = map(int, options.shard.split("/"))
    every = programs(options)[shard::shards]
    if not every:
        sys.exit(f"there are no programs in {options.checkout}")
    names = {program.name for program in every}
    outcomes = [each for each in recorded(options.record) if each[0] in names] if options.resume else []
    chosen = [program for program in every if program.name not in dict(outcomes)]
    shim = tempfile.TemporaryDirectory()
    options.runtime = []
    for source in ("runtime.cpp", "runtime_textures.cpp"):
        options.runtime.append(pathlib.Path(shim.name) / (source + ".o"))
        compiled(["clang++", "-std=c++17", "-O1", "-w", "-c", str(HERE / source), *texts.SYSTEM, "-o",
                  str(options.runtime[-1])], source, 120)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for program, what, why in pool.map(lambda each: judged(each, options), chosen):
            outcomes.append((program.name, what))
            if options.record:
                record(options.record, outcomes, len(every))
            print(f"{program.name}: {what}: {why}", flush=True)
    totals = collections.Counter(what for _, what in outcomes)
    print(", ".join(f"{what}: {count}" for what, count in sorted(totals.items())))
    return 0 if set(totals) == {"agrees"} else 1


if __name__ == "__main__":
    sys.exit(main())
