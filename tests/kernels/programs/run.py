#!/usr/bin/env python3
"""tests/kernels/programs/run.py -- whole CUDA programs of others on the CPU compiler.

    run.py CHECKOUT [--build build/release] [--only PART] [--define NAME=VALUE]... [--pattern REGEX] [--seconds N]

CHECKOUT is a directory with programs of which each is one .cu file that computes its result twice, by kernels and by a
C function, and prints whether they agree, as those of PolyBench/GPU (its folder CUDA) do. Nothing of it is copied into
the tree. A program is preprocessed and cut into two texts: the kernels with what they use, which libgpuopt_jit compiles
unedited, and the rest, which the C++ compiler compiles, with each `kernel<<<grid, block>>>(...)` made a call of
cuda_runtime.h. It is then run twice: as it is, when it has to print that no element differs, and with launches that do
nothing, when it has to print that some do; without the latter the former would say nothing. No test of CTest runs this,
as it needs the checkout.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = ["cuda.h", "cuda_runtime_api.h", "device_launch_parameters.h", "helper_cuda.h", "cutil.h"]
DEVICE_WORD = re.compile(r"\b(__global__|__device__|__constant__|__shared__)\b")
DIFFER = r"Non-Matching CPU-GPU Outputs[^:]*:\s*(\d+)"  # what PolyBench/GPU prints; group 1: how many elements


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[2] / "build/release")
    parser.add_argument("--only", default="", help="programs whose path has this part")
    parser.add_argument("--pattern", default=DIFFER, help="what is printed of the comparison; group 1: elements")
    parser.add_argument("--seconds", type=float, default=300, help="for one run of a program")
    parser.add_argument("--define", action="append", default=[], help="a macro, as N=600 or DATA_TYPE=double")
    return parser.parse_args()


# ---- The two texts of a program ----


def preprocessed(source, defines, scratch):
    """The text with macros replaced, and the lines that say where each part comes from."""
    for name in HEADERS:
        (scratch / name).write_text('#include "cuda_runtime.h"\n')
    include = [f"-I{scratch}", f"-I{HERE}", f"-I{source.parent}", "-isystem", str(HERE.parents[2] / "abi")]
    command = ["g++", "-E", "-x", "c++", "-std=gnu++17", "-w", *include, "-include", "cuda_runtime.h"]
    (scratch / "defines.h").write_text("".join("#define " + each.replace("=", " ", 1) + "\n" for each in defines))
    command += ["-include", "defines.h", str(source)]  # behind the headers, whose names they may be
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def declarations(text):
    """The declarations of the outermost level as pairs (file, text)."""
    found, begin, depth, file, k = [], 0, 0, "", 0
    token = re.compile(r'^# \d+ "([^"]*)".*$|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[{};]', re.M)
    opened_by = ""
    for match in token.finditer(text):
        k = match.end()
        word = match.group()
        if word.startswith("# "):
            if depth == 0 and not text[begin : match.start()].strip():
                begin = k
            if depth == 0:
                file = match.group(1)
        elif word == "{":
            if depth == 0:
                opened_by = text[begin : match.start()].strip()
            depth += 1
        elif word == "}":
            depth -= 1
            if depth == 0 and (opened_by.endswith(")") or re.match(r'(extern\s+"C"|namespace\b)', opened_by)):
                found.append((file, text[begin:k].strip()))
                begin = k
        elif word == ";" and depth == 0:
            found.append((file, text[begin:k].strip()))
            begin = k
    return found


def is_function(declaration):
    head = declaration.split("{", 1)[0]
    return "{" in declaration and head.rstrip().endswith(")") and "=" not in head


def is_type(declaration):
    return re.match(r"\s*(typedef|struct|class|union|enum|using|template)\b", declaration) is not None


def stub(declaration):
    """A host's function in place of a kernel, which launches it."""
    head = declaration.split("{", 1)[0]
    match = re.search(r"\bvoid\s+(\w+)\s*\((.*)\)\s*$", head, re.S)
    name, parameters = match.group(1), [p for p in re.split(r",", match.group(2)) if p.strip() not in ("", "void")]
    names = [re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*$", parameter).group(1) for parameter in parameters]
    values = "".join(f", {value}" for value in names)
    return f'static void {name}({match.group(2)}) {{ shim::launch("{name}"{values}); }}'


def rewrite_launches(text):
    return re.sub(
        r"(\b\w+)\s*<<<(.*?)>>>", lambda m: f"(shim::configure({m.group(2)}), {m.group(1)})", text, flags=re.S
    )


def cut(source, options, scratch):
    """Returns the text of the kernels and that of the host."""
    device, host = [], []
    for file, declaration in declarations(preprocessed(source, options.define, scratch)):
        declaration = re.sub(r"^# \d+ \".*$", "", declaration, flags=re.M)
        own = pathlib.Path(file).resolve().is_relative_to(options.checkout) if file.startswith("/") else False
        is_device = own and DEVICE_WORD.search(declaration.split("{", 1)[0])
        if is_device or (own and is_type(declaration)):
            device.append(declaration)
        if not is_device:
            host.append(rewrite_launches(declaration) if own else declaration)
        elif "__global__" in declaration:
            host.append(stub(declaration) if is_function(declaration) else declaration.replace("__global__", "static"))
    return "\n".join(device) + "\n", "\n".join(host) + "\n"


# ---- Running ----


def build(source, options, scratch):
    kernels, host = cut(source, options, scratch)
    if "__global__" not in kernels:
        raise ValueError("no kernel was found")
    (scratch / "kernels.cu").write_text(kernels)
    (scratch / "host.ii").write_text(host)
    lib = options.build.resolve() / "lib"
    command = ["g++", "-x", "c++", "-std=gnu++17", "-O2", "-w", "-fpermissive", "-o", str(scratch / "program")]
    command += [str(scratch / "host.ii"), "-x", "none", f"-L{lib}", f"-Wl,-rpath,{lib}", "-lgpuopt", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ValueError("the host's text does not compile: " + done.stderr[:2000])


def run(options, scratch, **environment):
    variables = {**os.environ, "SHIM_KERNELS": str(scratch / "kernels.cu"), **environment}
    done = subprocess.run([str(scratch / "program")], cwd=scratch, env=variables, capture_output=True, text=True,
                          timeout=options.seconds, errors="replace")
    if done.returncode:
        raise ValueError(f"it ended with status {done.returncode}: {done.stderr[-2000:]}")
    counts = [int(count) for count in re.findall(options.pattern, done.stdout)]
    if not counts:
        raise LookupError("it compares nothing")
    return sum(counts)


def outcome(source, options):
    """One of agrees, differs, compares nothing and fails, and what is to be said of it."""
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        try:
            build(source, options, scratch)
            differ = run(options, scratch)
            without = run(options, scratch, SHIM_LAUNCHES="none")
        except LookupError as problem:
            return "compares nothing", str(problem)
        except (ValueError, AttributeError, subprocess.SubprocessError) as problem:
            return "fails", f"{problem} {getattr(problem, 'stderr', '') or ''}"
    if without == 0:
        return "compares nothing", "its comparison passes if no kernel runs"
    return ("differs" if differ else "agrees"), f"{differ} elements differ; without its kernels {without}"


def main():
    options = arguments()
    options.checkout = options.checkout.resolve()
    sources = sorted(s for s in options.checkout.rglob("*.cu") if options.only in str(s))
    if not sources:
        sys.exit(f"there are no programs in {options.checkout}")
    totals = {}
    for source in sources:
        what, why = outcome(source, options)
        totals[what] = totals.get(what, 0) + 1
        print(f"{source.relative_to(options.checkout)}: {what}: {why}", flush=True)
    print(", ".join(f"{what}: {count}" for what, count in sorted(totals.items())))
    return 0 if set(totals) == {"agrees"} else 1


if __name__ == "__main__":
    sys.exit(main())
