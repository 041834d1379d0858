#!/usr/bin/env python3
# tests/packages/check_dlopen_notes.py -- the ELF notes in which binaries name the libraries they open at run time.
#
# usage: check_dlopen_notes.py BINARY... Each note is read with readelf and must be what the table below says; and no
# library is named in a binary without being linked or in a note.
import json
import re
import subprocess
import sys
from pathlib import Path

# By binary: what it opens, how much that matters, and under which names, the preferred first.
EXPECTED = {
    "libgpuopt.so": {("cpu", "required", ("libgpuopt_cpu.so",)), ("cuda", "suggested", ("libgpuopt_cuda.so",)),
                     ("comm", "recommended",
                      ("libgpuopt_ring.so", "libgpuopt_mpi.so", "libgpuopt_nccl.so"))},
    "libgpuopt_cpu.so": {("blas", "recommended", ("libopenblas.so.0", "libblas.so.3")),
                         ("lapack", "suggested", ("liblapack.so.3",)),
                         ("jit", "recommended", ("libgpuopt_jit.so",))},
    "libgpuopt_mpi.so": {("mpi", "suggested", ("libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi.so.40", "libmpi.so.12",
                                               "libmpich.so.12"))},
    "libgpuopt_nccl.so": {("nccl", "suggested", ("libnccl.so.2",)), ("driver", "suggested", ("libcuda.so.1",))},
    "libgpuopt_cuda.so": {
        ("driver", "suggested", ("libcuda.so.1",)),
        ("nvrtc", "recommended", ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2")),
        ("cublas", "suggested", ("libcublas.so.13", "libcublas.so.12", "libcublas.so.11")),
        ("cusolver", "suggested", ("libcusolver.so.12", "libcusolver.so.11")),
        ("cufft", "suggested", ("libcufft.so.12", "libcufft.so.11", "libcufft.so.10")),
        ("jit", "suggested", ("libgpuopt_jit.so",)),
    },
}
# Named in a table of libraries that no operation uses yet.
UNUSED = re.compile(r"libcublasLt\.so")


def run(*command):
    # readelf -n fails on types it has no name for
    return subprocess.run(command, capture_output=True, text=True).stdout


def texts(binary):
    """The JSON texts of the notes of type 0x407c0c0a whose owner is FDO."""
    listed = run("readelf", "-nW", binary).split(".note.dlopen")[-1]
    count = len(re.findall(r"FDO\s+0x[0-9a-f]+\s+Unknown note type: \(0x407c0c0a\)", listed))
    found = re.findall(r"\[\s*[0-9a-f]+\]\s+.*?(\[\{.*\}\])$", run("readelf", "-p", ".note.dlopen", binary), re.M)
    if count == 0 or count != len(found):
        raise SystemExit(f"{binary}: {count} notes, but {len(found)} texts")
    return found


def named(binary):
    """Every string of the binary that is the name of a library."""
    data = Path(binary).read_bytes()
    return {s.decode() for s in re.findall(rb"(?<=\0)lib[A-Za-z0-9_-]+\.so(?:\.[0-9]+)*(?=\0)", data)}


def problems(binary):
    expected = EXPECTED[re.sub(r"\.so[.0-9]*$", ".so", Path(binary).name)]
    notes = [entry for text in texts(binary) for entry in json.loads(text)]
    found = {(n["feature"], n["priority"], tuple(n["soname"])) for n in notes}
    for what, differing in (("lacks the note", expected - found), ("has the unexpected note", found - expected)):
        for note in sorted(differing):
            yield f"{what} {note}"
    if any(not n.get("description") for n in notes):
        yield "has a note without a description"
    linked = set(re.findall(r"\((?:NEEDED|SONAME)\).*\[(.*)\]", run("readelf", "-dW", binary)))
    for name in sorted(named(binary) - linked - {s for n in notes for s in n["soname"]}):
        if not UNUSED.match(name):
            yield f"names {name}, which it neither links to nor has a note of"


def main():
    wrong = [f"{binary}: {problem}" for binary in sys.argv[1:] for problem in problems(binary)]
    print(*wrong, f"{len(sys.argv) - 1} binaries, {len(wrong)} problems", sep="\n")
    return 1 if wrong or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
