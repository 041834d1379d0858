#!/usr/bin/env python3
"""tests/abi/check_cpp_face.py -- what a compiler says of programs that use the C++ face in a wrong way: one error, and
readable.

usage: check_cpp_face.py ROOT COMPILER... (those not installed are named). Each program is compiled in several language
versions. Where it is wrong, there is exactly one error, whose text is the one expected, and the line of the program is
named.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """#include <gpuopt/gpuopt.hpp>
#include <iostream>
namespace gp = gpuopt;
int main() {{
  const gp::array y = gp::zeros({{3, 4}});
  gp::array x = gp::zeros({{3, 4}});
  {}
  std::cout << x << y;
}}
"""
LINE = 7  # of the statement
OLD, NEW, NEWEST = ("c++17", "c++20"), ("c++17", "c++20", "c++2b"), ("c++2b",)
COMMA = "several subscripts in [] need C++23: write x(a, b) or x[{a, b}]"
VERSION = "gpuopt.hpp needs C++17: compile with -std=c++17 or a later version"

# The standards, a statement, and the one error that it is; None: it compiles without a warning.
CASES = [
    (("c++11", "c++14"), "", VERSION),
    (NEW, "", None),
    (OLD, "std::cout << x[gp::all, 0];", COMMA),
    (OLD, "std::cout << x[0, gp::all];", COMMA),
    (OLD, "std::cout << y[gp::slice(1, 2), 0];", COMMA),
    (OLD, "std::cout << y[gp::newaxis, gp::ellipsis];", COMMA),
    (OLD, "x[gp::all, 0] = 1;", COMMA),
    (OLD, "x[gp::all, y > 0] = 1;", COMMA),
    (NEW, "std::cout << x(gp::all, 0) << x[{gp::all, 0}];", None),
    (NEW, "for (int i = 0; i < 2; ++i, x += y) std::cout << i;", None),
    (NEW, "auto r = x[0]; r = 5; r = 2.5f;", None),
    (NEW, "for (auto row : x) { row = 5; std::cout << row.sum(0); }", None),
    (NEW, "auto r = x[0]; r = y[1]; r += 1; r.assign(5); r = {1.0, 2.0}; r = {};", None),
    (NEW, "x[0] = 5; x(0, gp::all) = y[1]; x[x > 0] = 2;", None),
    (NEWEST, "std::cout << x[gp::all, 0] << x[1, 2]; x[gp::all, gp::slice(1, 3)] = 7;", None),
]


def has_multidimensional_subscript(compiler):
    """Whether the compiler's C++23 has x[a, b]."""
    probe = "#if __cpp_multidimensional_subscript < 202110L\n#error\n#endif\n"
    return subprocess.run([compiler, "-std=c++2b", "-x", "c++", "-fsyntax-only", "-"], input=probe, text=True,
                          capture_output=True).returncode == 0


def precompiled(compiler, flags, scratch):
    """The flags that put what every program includes in front of it, compiled once: parsing that is nearly all of the
    time of a program of one statement."""
    header, clang = scratch / "face.hpp", "clang" in compiler
    header.write_text("#include <gpuopt/gpuopt.hpp>\n#include <iostream>\n")
    result = scratch / ("face.pch" if clang else "face.hpp.gch")
    done = subprocess.run([compiler, *flags, "-x", "c++-header", header, "-o", result], text=True, capture_output=True)
    if done.returncode or done.stderr:
        return []  # the programs themselves say what is wrong
    return ["-include-pch", result] if clang else ["-include", header]


def compiled(compiler, flags, source):
    return subprocess.run([compiler, *flags, "-fsyntax-only", source], text=True, capture_output=True).stderr


def wrong_with(said, expected, source):
    """What is wrong with what a compiler said; None if nothing is."""
    errors = [line for line in said.splitlines() if re.search(r"\b(fatal )?error: ", line)]
    if expected is None:
        return None if not said else "it does not compile without a warning"
    if len(errors) != 1:
        return f"{len(errors)} errors instead of one"
    if expected not in errors[0]:
        return f"the error is not '{expected}'"
    if expected != VERSION and f"{source.name}:{LINE}:" not in said:
        return "the line of the program is not named"
    return None


def check(compiler, standard, cases, root):
    """How many of the cases fail."""
    flags = [f"-std={standard}", "-Wall", "-Wextra", f"-I{root / 'abi'}"]
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "program.cpp"
        before = precompiled(compiler, flags, Path(scratch))
        for statement, expected in cases:
            source.write_text(PROGRAM.format(statement))
            said = compiled(compiler, flags + before, source)
            wrong = wrong_with(said, expected, source)
            if wrong:
                failures += 1
                print(f"FAILED: {compiler} -std={standard}: {statement or 'the header alone'}: {wrong}\n{said[:1500]}")
    return failures


def main():
    root, compilers = Path(sys.argv[1]), sys.argv[2:]
    failures = checks = 0
    for compiler in compilers:
        if not shutil.which(compiler):
            print(f"not run: {compiler} is not installed")
            continue
        newest = has_multidimensional_subscript(compiler)
        if not newest:
            print(f"not run: {compiler} has no C++23 with several subscripts in []")
        for standard in ("c++11", "c++14", "c++17", "c++20", *(["c++2b"] if newest else [])):
            # The other compilers read the same header: the oldest version that a case names is enough.
            cases = [(statement, expected) for standards, statement, expected in CASES
                     if standard in (standards if compiler == compilers[0] else standards[:1])]
            checks += len(cases)
            failures += check(compiler, standard, cases, root)
    print(f"{checks} compilations, {failures} failures")
    return 1 if failures or not checks else 0


if __name__ == "__main__":
    sys.exit(main())
