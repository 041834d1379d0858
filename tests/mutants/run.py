#!/usr/bin/env python3
"""tests/mutants/run.py -- puts each mutant of mutants.py into a copy of the tree and runs the tests that must catch it.

usage: run.py [--list | --check | --compile] [NAME...]

The copy is a worktree of the commit at hand below build/mutants, built once and then again after each change. A mutant
is caught if a test that passes without it fails, crashes or runs too long; it is invalid if its text is not found once
or does not compile. The exit status is 1 if one survives or is invalid.
"""
import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

from mutants import MUTANTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "mutants"
SECONDS = 300  # of one test: a mutant may make a loop endless


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def must(command, **options):
    done = run(command, **options)
    if done.returncode:
        sys.exit("run.py: %s\n%s" % (" ".join(map(str, command)), done.stdout[-4000:]))


def check_out():
    """Makes the copy, or brings it to HEAD."""
    if not (COPY / ".git").exists():
        must(["git", "worktree", "prune"], cwd=ROOT)
        must(["git", "worktree", "add", "--detach", str(COPY), "HEAD"], cwd=ROOT)
    head = run(["git", "rev-parse", "HEAD"], cwd=ROOT).stdout.strip()
    must(["git", "checkout", "-q", "--force", "--detach", head], cwd=COPY)


def prepare(preset, mutants):
    """Builds all of a preset, in which the tests of `mutants` must pass."""
    nvrtc = ROOT / "build/nvrtc/nvidia/cu13/lib"
    more = ["-DGPUOPT_TEST_NVRTC=%s" % nvrtc] if nvrtc.exists() else []
    for compiler in ("C", "CXX"):
        if run(["which", "ccache"]).returncode == 0:
            more.append("-DCMAKE_%s_COMPILER_LAUNCHER=ccache" % compiler)
    must(["cmake", "--preset", preset, *more], cwd=COPY)
    must(["cmake", "--build", "--preset", preset], cwd=COPY)  # some tests run programs that their commands do not name
    failed, _ = test(tests_named(preset, [mutant.tests for mutant in mutants]), preset)
    if failed:
        sys.exit("run.py: %s fails without a mutant" % ", ".join(failed))


def tests_named(preset, patterns):
    """The tests, as CTest describes them, whose names match one of `patterns`; under ThreadSanitizer those that the
    gate runs there. (CTest itself refuses a regular expression that joins all patterns: it has too many
    parentheses.)"""
    threads = ["-L", "threads"] if preset == "tsan" else []
    listed = run(["ctest", "--preset", preset, *threads, "-N", "--show-only=json-v1"], cwd=COPY)
    tests = json.loads(listed.stdout)["tests"]
    return [test for test in tests if any(re.search(pattern, test["name"]) for pattern in patterns)]


def programs(tests, preset):
    """The targets that the tests run: a test SUITE/NAME is the program SUITE_NAME, or names programs in its command.
    (CTest gives no command of a test whose program is not there yet.)"""
    build_directory = COPY / "build" / preset
    words = "\n".join(word for test in tests for word in test.get("command", []))
    named = set(re.findall(re.escape(str(build_directory / "bin")) + r"/(\w+)", words))
    targets = set(re.findall(r"^(\w+): phony$",
                             run(["ninja", "-C", str(build_directory), "-t", "targets", "all"]).stdout, re.M))
    return sorted((named | {test["name"].replace("/", "_") for test in tests}) & targets)


def build(preset, tests):
    """Builds what the tests need. Plugins are loaded by name, so that no program depends on all of them."""
    plugins = ["gpuopt_cpu", "gpuopt_cuda", "gpuopt_jit", "gpuopt_jit_helper"]
    return run(["cmake", "--build", "--preset", preset, "--target", *plugins, *programs(tests, preset)], cwd=COPY)


def test(tests, preset):
    """The names of the tests that failed, and how many ran."""
    pattern = "|".join("^%s$" % re.escape(test["name"]) for test in tests)
    done = run(["ctest", "--preset", preset, "-j", "2", "--timeout", str(SECONDS), "-R", pattern, "--stop-on-failure"],
               cwd=COPY)
    failed = re.findall(r"^\s*\d+ - (\S+) \((?:Failed|Timeout|.*Exception.*|.*SEGFAULT.*|.*aborted.*)\)", done.stdout,
                        re.M)
    ran = len(re.findall(r"^\s*\d+/\d+ Test", done.stdout, re.M))
    return failed, ran


def try_mutant(mutant):
    """'caught by ...', 'SURVIVED' or 'INVALID: ...'."""
    path = COPY / mutant.file
    text = path.read_text()
    if text.count(mutant.old) != 1 or mutant.old == mutant.new:
        return "INVALID: its text occurs %d times in %s" % (text.count(mutant.old), mutant.file)
    try:
        path.write_text(text.replace(mutant.old, mutant.new))
        tests = tests_named(mutant.preset, [mutant.tests])
        if not tests:
            return "INVALID: no test is named " + mutant.tests
        built = build(mutant.preset, tests)
        if built.returncode:
            return "INVALID: it does not compile: " + built.stdout[-600:]
        failed, ran = test(tests, mutant.preset)
        return "caught by " + ", ".join(failed) if failed else "SURVIVED %d tests" % ran
    finally:
        path.write_text(text)


def compile_commands():
    """How each source file is compiled in build/release: {path: (directory, command)}.

    Files that are compiled together are included by one that CMake writes: here each takes its place in the command.
    """
    directory = ROOT / "build/release"
    listed = run(["ninja", "-C", str(directory), "-t", "compdb"]).stdout
    entries = json.loads(listed[listed.index("["):])  # ninja first says where it is
    commands = {}
    for entry in entries:
        path, words = (directory / entry["file"]).resolve(), shlex.split(entry["command"])
        together = re.findall(r'^#include "(.*)"', path.read_text(), re.M) if path.parent.name == "Unity" else [path]
        for source in map(pathlib.Path, together):
            command = [str(source) if (directory / word).resolve() == path else word for word in words]
            commands[source.resolve()] = (directory, command)
    return commands


def compile_mutant(mutant, commands):
    """What the compiler says against a mutant; "" if nothing. A header has no command of its own."""
    path = ROOT / mutant.file
    if path not in commands:
        return ""
    directory, command = commands[path]
    with tempfile.TemporaryDirectory() as scratch:
        changed = pathlib.Path(scratch) / path.name
        changed.write_text(path.read_text().replace(mutant.old, mutant.new))
        words = [str(changed) if (directory / word).resolve() == path else word for word in command]
        done = run([*words, "-fsyntax-only", "-MF", str(changed) + ".d"], cwd=directory)
    return done.stdout if done.returncode else ""


def report_mutants_that_do_not_compile(chosen):
    commands = compile_commands()
    messages = {mutant.name: compile_mutant(mutant, commands) for mutant in chosen}
    for name, message in messages.items():
        if message:
            print("%s does not compile: %s" % (name, message[-600:]))
    bad = sum(map(bool, messages.values()))
    headers = sum(ROOT / mutant.file not in commands for mutant in chosen)
    print("%d mutants, %d do not compile, %d are in headers and were not compiled" % (len(chosen), bad, headers))
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the mutants and what each would do to a user")
    parser.add_argument("--check", action="store_true", help="only say of which mutants the text does not occur once")
    parser.add_argument("--compile", action="store_true", help="only say which mutants do not compile in build/release")
    parser.add_argument("names", nargs="*", help="the mutants to try; all by default")
    options = parser.parse_args()
    chosen = [m for m in MUTANTS if not options.names or m.name in options.names]
    if unknown := set(options.names) - {m.name for m in MUTANTS}:
        sys.exit("run.py: no mutant is named " + ", ".join(sorted(unknown)))
    if options.list:
        for mutant in chosen:
            print("%-42s %s" % (mutant.name, mutant.harm))
        return 0
    if options.check:
        lost = [m for m in chosen if (ROOT / m.file).read_text().count(m.old) != 1 or m.old == m.new]
        for mutant in lost:
            print("%s: its text does not occur once in %s" % (mutant.name, mutant.file))
        print("%d mutants, %d of them without their text" % (len(chosen), len(lost)))
        return 1 if lost else 0
    if options.compile:
        return report_mutants_that_do_not_compile(chosen)
    check_out()
    bad = 0
    for preset in sorted({mutant.preset for mutant in chosen}):
        mutants = [mutant for mutant in chosen if mutant.preset == preset]
        prepare(preset, mutants)
        for mutant in mutants:
            start = time.monotonic()
            verdict = try_mutant(mutant)
            bad += not verdict.startswith("caught")
            print("%-42s %s (%.0f s)" % (mutant.name, verdict, time.monotonic() - start), flush=True)
    print("%d mutants, %d caught, %d not" % (len(chosen), len(chosen) - bad, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
