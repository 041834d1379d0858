#!/usr/bin/env python3
# tests/abi/check_tidy.py -- ./dev tidy: clang-tidy on the library, the plugins and the programs; .clang-tidy says what
# it looks for.
#
# usage: check_tidy.py BUILD_DIR [PART_OF_A_PATH...] (a build directory that was configured for Clang; only these
# files). Each source file is looked at once, however often it is compiled, and again only when it, what it includes,
# the checks or clang-tidy have changed: BUILD_DIR/tidy has a file, named by a hash of all that, for each that was found
# clean.
import concurrent.futures
import hashlib
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOPS = ("core", "plugins", "tools")
OURS = tuple(f"{ROOT}/{folder}/" for folder in TOPS)


def commands(build, wanted):
    """By file: what it is compiled with, without the compiler and the output."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if entry["file"].startswith(OURS) and any(part in entry["file"] for part in wanted):
            at = words.index("-o")
            found.setdefault(entry["file"],
                             (words[0], [w for w in words[1:at] + words[at + 2 :] if w not in ("-c", entry["file"])]))
    return found


def checks():
    """The text of each .clang-tidy: names are held to that of the folder in which they are declared."""
    files = [ROOT / ".clang-tidy", *(p for top in ("abi", *TOPS) for p in sorted((ROOT / top).rglob(".clang-tidy")))]
    return "\0".join(f"{p.relative_to(ROOT)}\0{p.read_text()}" for p in files)


def run(build, *command):
    return subprocess.run(command, cwd=build, capture_output=True, text=True)


def tidy(build, file, compiler, arguments, rules):
    """What is wrong with the file, "" if nothing is; and whether that was known."""
    source = run(build, compiler, *arguments, "-E", "-C", file)  # with comments: NOLINT is one
    key = hashlib.sha256("\0".join([rules, *arguments, source.stdout]).encode()).hexdigest()
    stamp = build / "tidy" / key
    if source.returncode == 0 and stamp.exists():
        return "", True
    done = run(build, "clang-tidy", "--quiet", file, "--", *arguments)
    if done.returncode == 0 and not done.stdout.strip():
        stamp.touch()
        return "", False
    return done.stdout.strip() or done.stderr, False


def main():
    build, wanted = Path(sys.argv[1]).resolve(), sys.argv[2:] or [""]
    (build / "tidy").mkdir(exist_ok=True)
    version = next(line.strip() for line in run(build, "clang-tidy", "--version").stdout.splitlines()
                   if "version" in line)
    files = commands(build, wanted)
    bad = known = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rules = f"{version}\0{checks()}"
        jobs = {pool.submit(tidy, build, file, *command, rules): file for file, command in files.items()}
        for job in concurrent.futures.as_completed(jobs):
            said, was_known = job.result()
            known += was_known
            if said:
                bad += 1
                print(f"== {os.path.relpath(jobs[job], ROOT)}\n{said}", flush=True)
    print(f"clang-tidy ({version}): {len(files)} files, {known} of them unchanged since they were clean, {bad} with "
          "findings")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
