#!/usr/bin/env python3
"""tests/docs/run_blocks.py -- compiles and runs the code of the documentation's pages, and compares what it prints.

usage: run_blocks.py PAGE... --prefix INSTALLED --scratch DIR [--cc CC] [--cxx CXX]
       run_blocks.py --rest PAGE... --prefix ...: all pages of the source tree but these

Fenced blocks, by language:
  c, cpp   A block with main() is a program. Other cpp blocks are parts of one program: they run in the order of the
           page, each in a function of its own, behind PRELUDE.
  text     what the block of code (or of commands) before it prints, whole
  cmake    the CMakeLists.txt of the C program before it
  sh       a script; its commands are run and must succeed, but for those of CANNOT, which are looked at in another way
Any other language is refused, unless it is named in ELSEWHERE: another test runs those.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The first of each: tests/bindings/check.sh. All of a page: its doctest there.
ELSEWHERE = {("README.md", "rust"), ("README.md", "go"), ("README.md", "python")}
DOCTESTS = {("bindings/python/README.md", "python")}
# Pages whose text no block before it prints: what was measured on other machines, and the compiler's intermediate code.
SHOWN = {"docs/benchmarks.md", "docs/gpu-results.md", "plugins/jit/README.md"}
# What the commands of a page print, where no text stands below them.
PRINTS = {"samples/plugin_skeleton/README.md": ["opened only when asked for by name: skeleton\n",
                                                "asked for skeleton, using skeleton:0\n", ", 0 do not, "]}
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


def read(path):
    return (ROOT / path).read_text()


def dev_has(command):
    """./dev WORD ...: a command that is described and carried out."""
    word = shlex.split(command)[1]
    return re.search(rf"^  {word} ", run([ROOT / "dev", "help"], command), re.M) and re.search(
        rf"^  {word}( \||\))", read("dev"), re.M
    )


def packages_exist(command):
    """apt install ./NAME_*.deb ...: packages that are made."""
    names = re.findall(r"([\w-]+)_\*\.deb", command)
    return names and all(re.search(rf"gpuopt_package\([\w-]+ {name} ", read("packaging/packages.cmake"))
                         for name in names)


def preset_exists(command):
    """cmake --preset NAME, cmake --build --preset NAME."""
    kind = "build" if "--build" in command else "configure"
    listed = run(["cmake", f"--list-presets={kind}"], command, cwd=ROOT)
    return f'"{re.search(r"--preset ([a-z]+)", command)[1]}"' in listed


def preset_builds_there(command):
    """cmake --install DIR ...: what the preset of that name builds into."""
    directory = shlex.split(command)[2]
    return f'"name": "{Path(directory).name}"' in read("CMakePresets.json") and f'"${{sourceDir}}/{directory}"' in read(
        "CMakePresets.json"
    )


# What may be run: a new command is looked at by somebody first.
RUN = {"gpuopt", "gpuopt-plugin-test", "gpu_optional", "cmake", "cc", "export"}
# Commands that no test can run, why, and what is looked at instead.
CANNOT = [
    (r"\./dev \w+", "builds everything, or runs this very test", dev_has),
    (r"apt install ", "needs packages and root: ./dev install-test does it, in a root of its own", packages_exist),
    (r"cmake (--build )?--preset ", "builds everything, as was done for this test", preset_exists),
    (r"cmake --install \S+ --prefix /usr/local$", "writes to the system; docs/installed does it elsewhere",
     preset_builds_there),
]


def commands(text):
    """The commands of a script: its lines, those that end in a backslash with the next."""
    return [line for line in re.sub(r"\\\n *", "", text).splitlines() if shlex.split(line, comments=True)]


def blocks(page):
    """(language, first line's number, text) of each fenced block."""
    found, language, start, lines = [], None, 0, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = re.match(r"```(\w*)\s*$", line)
        if not fence and re.match(r"[\s>]*(```|~~~)", line):
            raise Failed(f"{page}:{number}: a fence this script does not know")
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
        raise Failed(f"{where}: {shlex.join(map(str, command))}: exit status {done.returncode}\n"
                     f"{done.stdout}{done.stderr}")
    return done.stdout


class Page:
    def __init__(self, path, prefix, scratch, cc, cxx):
        self.path, self.prefix, self.scratch, self.cc, self.cxx = path, prefix, scratch, cc, cxx
        self.name = str(path.relative_to(ROOT))
        self.libdir = next(prefix.rglob("libgpuopt.so")).parent
        self.environment = dict(os.environ, GPUOPT_LOG="warn", GPUOPT_DISABLE="cuda",
                                GPUOPT_CACHE_DIR=str(scratch / "cache"), LD_LIBRARY_PATH=str(self.libdir),
                                PATH=f"{prefix / 'bin'}:{scratch}:{os.environ['PATH']}",
                                PKG_CONFIG_PATH=str(self.libdir / "pkgconfig"),
                                CMAKE_PREFIX_PATH=str(prefix), CC=cc, CXX=cxx)
        self.counts = {}
        self.printed = ""

    def compile(self, source, name, where):
        """A program made of `source`; its path."""
        cpp = name.endswith(".cpp")
        file, program = self.scratch / name, self.scratch / Path(name).stem
        file.write_text(source)
        run([self.cxx if cpp else self.cc, "-std=c++17" if cpp else "-std=c99", "-Wall", "-Wextra", "-Werror",
             "-pedantic",
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
        """What the commands print that can be run here: those of a sample's page beside a copy of the sample."""
        where, script = f"{self.path}:{line}", []
        for command in commands(text):
            reason, holds = next(((why, look) for form, why, look in CANNOT if re.match(form, command)), (None, None))
            if holds is None and command.split()[0] not in RUN:
                raise Failed(f"{where}: no test runs the command {command}")
            if holds is None:
                script.append(command)
            elif not holds(command):
                raise Failed(f"{where}: {command}: there is no such thing")
            else:
                print(f"not run: {command}: {reason}")
        folder = self.scratch / "shell"
        if not folder.exists():
            shutil.copytree(self.path.parent, folder) if self.name.startswith("samples/") else folder.mkdir()
        if any(command.startswith("gpu_optional ") for command in script):
            self.compile(read("samples/gpu_optional/gpu_optional.c"), "gpu_optional.c", where)
        printed = run(["sh", "-ec", "\n".join(script)], where, cwd=folder, env=self.environment)
        self.printed += printed
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
            if language == "text" and self.name not in SHOWN:
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
            elif language != "text" and (self.name, language) not in DOCTESTS and (
                (self.name, language) not in ELSEWHERE or self.counts[language] > 1
            ):
                raise Failed(f"{where}: no test runs this block of the language '{language}'")
        for words in PRINTS.get(self.name, []):
            if words not in self.printed:
                raise Failed(f"{self.path}: its commands do not print '{words}' but\n{self.printed}")
        print(f"{self.name}:", ", ".join(f"{count} {language}" for language, count in sorted(self.counts.items()))
              or "no blocks")


def pages_but(these):
    """The pages of the source tree, without builds and what is hidden."""
    folders = [f for f in ROOT.iterdir() if f.is_dir() and not re.match(r"\.|build|out$", f.name)]
    return sorted({p for p in [*ROOT.glob("*.md"), *(p for f in folders for p in f.rglob("*.md"))]} - set(these))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path, nargs="+")
    parser.add_argument("--rest", action="store_true")
    parser.add_argument("--prefix", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    a = parser.parse_args()
    pages = [page.resolve() for page in a.page]
    try:
        for page in pages_but(pages) if a.rest else pages:
            shutil.rmtree(a.scratch, ignore_errors=True)
            a.scratch.mkdir(parents=True)
            Page(page, a.prefix.resolve(), a.scratch.resolve(), a.cc, a.cxx).check()
    except Failed as failure:
        print("FAILED:", failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
