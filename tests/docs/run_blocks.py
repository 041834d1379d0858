#!/usr/bin/env python3
"""tests/docs/run_blocks.py -- compiles and runs the code of a documentation page, and compares what it prints.

usage: run_blocks.py PAGE --prefix INSTALLED --scratch DIR [--cc CC] [--cxx CXX]

Fenced blocks, by language:
  c, cpp   A block with main() is a program. Other cpp blocks are parts of one program: they run in the order of the page, each in a
           function of its own, behind PRELUDE.
  text     what the block of code (or of commands) before it prints, whole
  cmake    the CMakeLists.txt of the C program before it
  sh       commands; those of gpuopt are run and must succeed, the others must be known to this script
Any other language is refused, unless it is named in ELSEWHERE: another test runs those.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ELSEWHERE = {"rust": "bindings/rust", "go": "bindings/go"}
COMMANDS = {"./dev", "apt", "cmake", "pkg-config", "cc", "c++", "export"}
PRELUDE = """#include <gpuopt/gpuopt.h>
#include <gpuopt/gpuopt.hpp>
#include <cmath>
#include <iostream>
#include <string>
#include <thread>
#include <vector>
namespace gp = gpuopt;
"""


class Failed(Exception):
    pass


def blocks(page):
    """(language, first line's number, text) of each fenced block."""
    found, language, start, lines = [], None, 0, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = re.match(r"```(\w*)\s*$", line)
        if fence and language is None:
            language, start, lines = fence.group(1), number + 1, []
        elif fence:
            found.append((language, start, "\n".join(lines) + "\n"))
            language = None
        elif language is not None:
            lines.append(line)
    if language is not None:
        raise Failed(f"{page}:{start}: the block has no end")
    return found


def run(command, where, **options):
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode != 0:
        raise Failed(f"{where}: {shlex.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Page:
    def __init__(self, path, prefix, scratch, cc, cxx):
        self.path, self.prefix, self.scratch, self.cc, self.cxx = path, prefix, scratch, cc, cxx
        self.libdir = next(prefix.rglob("libgpuopt.so")).parent
        self.environment = dict(os.environ, GPUOPT_LOG="warn", GPUOPT_DISABLE="cuda", LD_LIBRARY_PATH=str(self.libdir),
                                PATH=f"{prefix / 'bin'}:{os.environ['PATH']}")
        self.counts = {}

    def compile(self, source, name, where):
        """A program made of `source`; its path."""
        cpp = name.endswith(".cpp")
        file, program = self.scratch / name, self.scratch / Path(name).stem
        file.write_text(source)
        run([self.cxx if cpp else self.cc, "-std=c++17" if cpp else "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic",
             f"-I{self.prefix / 'include'}", file, "-o", program, f"-L{self.libdir}", "-lgpuopt", "-pthread"], where)
        return program

    def output(self, program, where, *arguments):
        return run([program, *arguments], where, cwd=self.scratch, env=self.environment)

    def fragments(self, parts):
        """What each of the cpp parts prints: they are compiled together and run one by one."""
        source = PRELUDE
        for line, text in parts:
            source += f'#line {line} "{self.path}"\nstatic void block_{line}() {{\n{text}}}\n'
        source += "int main(int, char **argv) {\n  const std::string which = argv[1];\n"
        source += "".join(f'  if (which == "{line}") block_{line}();\n' for line, _ in parts) + "}\n"
        program = self.compile(source, "fragments.cpp", self.path)
        return {line: self.output(program, f"{self.path}:{line}", str(line)) for line, _ in parts}

    def shell(self, line, text):
        printed = ""
        for command in text.splitlines():
            words = shlex.split(command, comments=True)
            if not words:
                continue
            if words[0] == "gpuopt":
                printed += run(["sh", "-c", command], f"{self.path}:{line}", cwd=self.scratch, env=self.environment)
            elif words[0] not in COMMANDS:
                raise Failed(f"{self.path}:{line}: no test runs the command {words[0]}")
        return printed

    def cmake_project(self, line, text, program):
        folder = self.scratch / f"project_{line}"
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(text)
        (folder / "main.c").write_text(program)
        where = f"{self.path}:{line}"
        run(["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"], where)
        run(["cmake", "--build", folder / "build"], where)

    def check(self):
        found = blocks(self.path)
        parts = [(line, text) for language, line, text in found if language == "cpp" and "main(" not in text]
        printed_by_part = self.fragments(parts) if parts else {}
        printed, program = None, None
        for language, line, text in found:
            where = f"{self.path}:{line}"
            self.counts[language] = self.counts.get(language, 0) + 1
            if language == "text":
                if printed is None:
                    raise Failed(f"{where}: nothing before this block prints")
                if printed.rstrip() != text.rstrip():
                    raise Failed(f"{where}: the page says\n{text}but this is printed\n{printed}")
                printed = None
            elif language in ("c", "cpp") and "main(" in text:
                printed, program = self.output(self.compile(text, f"program_{line}.{language}", where), where), text
            elif language == "cpp":
                printed = printed_by_part[line]
            elif language == "cmake":
                if program is None:
                    raise Failed(f"{where}: no program before this block")
                self.cmake_project(line, text, program)
            elif language == "sh":
                printed = self.shell(line, text)
            elif language not in ELSEWHERE:
                raise Failed(f"{where}: no test runs blocks of the language '{language}'")
        if not found:
            raise Failed(f"{self.path}: no block was found")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    parser.add_argument("--prefix", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    a = parser.parse_args()
    subprocess.run(["rm", "-rf", a.scratch], check=True)
    a.scratch.mkdir(parents=True)
    page = Page(a.page, a.prefix.resolve(), a.scratch.resolve(), a.cc, a.cxx)
    try:
        page.check()
    except Failed as failure:
        print("FAILED:", failure)
        return 1
    print(f"{a.page.name}:", ", ".join(f"{count} {language}" for language, count in sorted(page.counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
