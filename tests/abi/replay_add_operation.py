#!/usr/bin/env python3
# tests/abi/replay_add_operation.py -- carries out CONTRIBUTING's steps for an elementwise operation on a copy of the
# tree.
#
# usage: replay_add_operation.py ROOT SCRATCH CXX CC
#
# Adds the hyperbolic secant by the three edits that are made by hand, and runs what writes the rest. Each edit is
# missed by name until it is made; afterwards everything generated has the operation, and no other file has changed.
# Then its loops, its oracle and its columns are compiled and compared, without the rest of the library.
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROW = 'GPUOPT_OP_ROW(sech, 1, "f", SAME, hyperbolic, 20, "The hyperbolic secant, 1 / cosh(x).")\n'
DEFINITION = "GPO_UNARY_OP(sech, T(1) / math::cosh(x))\n"
ORACLE = "GPUOPT_ORACLE(sech, 2, 2, 1 / std::cosh(a))\n"
BY_HAND = ("abi/gpuopt/ops.def", "plugins/shared/ops/trig.h", "tests/oracle.def")
WRITTEN = (
    "abi/gpuopt/gpuopt_ops.h", "abi/gpuopt/gpuopt_ops.hpp", "plugins/shared/ops/op_headers.def",
    "tests/data/operations.txt",
    "bindings/rust/gpuopt-sys/src/functions.rs", "bindings/rust/gpuopt-sys/src/tables.rs",
    "bindings/rust/gpuopt/src/ops.rs",
    "bindings/rust/gpuopt/tests/operations.in", "bindings/go/ops.go", "bindings/go/operations_test.go",
    "docs/coming-from.md", "bindings/python/src/operations.inc", "bindings/python/gpuopt/_rows.pyi",
    "bindings/python/tests/operations.py",
)
RECORDED = ("packaging/abi/gpuopt-1.abi", "packaging/debian/libgpuopt1.symbols")

# The loops come from the file of levels/ that has the operation's family.
PROBE = """
#include <cmath>
#include <cstdio>

#include "plugins/cpu/levels/hyperbolic.cpp"
#include "tests/conformance/oracle.h"

using namespace gpuopt;

static cpu::LoopTable table;

int main() {
  cpu::install_hyperbolic_generic(table);
  int wrong = GPUOPT_OP_sech != GPUOPT_OP_COUNT - 1 || plugin::kOpCost[GPUOPT_OP_sech] != 20;
  for (int dtype = 1; dtype < GPUOPT_DTYPE_COUNT; dtype++) {
    const bool has = table.elementwise[GPUOPT_OP_sech][dtype].vector != nullptr;
    wrong += has != (dtype == GPUOPT_FLOAT32 || dtype == GPUOPT_FLOAT64);
  }
  const double x[] = {-2, 0, 0.5, 30};
  double y[4];
  table.elementwise[GPUOPT_OP_sech][GPUOPT_FLOAT64].vector(y, x, nullptr, nullptr, 4);
  for (int i = 0; i < 4; i++) {
    const long double a = x[i], want = oracle::Reference<GPUOPT_OP_sech>::value(a, a, a, oracle::Format());
    if (!(std::fabs(y[i] - want) <= 2 * 0x1p-52L * want)) std::printf("sech(%g) is %a\\n", x[i], y[i]), wrong++;
  }
  return wrong;
}
"""


class Replay:
    def __init__(self, root, scratch, cxx, cc):
        self.root, self.tree, self.cxx, self.cc, self.failures = root, scratch / "tree", cxx, cc, []
        self.environment = {**os.environ, "CXX": cxx}

    def fail(self, sentence):
        self.failures.append(sentence)
        print("FAILED:", sentence)

    def copy(self):
        shutil.rmtree(self.tree, ignore_errors=True)
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=self.root,
                                capture_output=True, text=True, check=True)
        self.files = [f for f in listed.stdout.split("\0") if f and (self.root / f).is_file()]
        for folder in {(self.tree / f).parent for f in self.files}:
            folder.mkdir(parents=True, exist_ok=True)
        for f in self.files:
            shutil.copy(self.root / f, self.tree / f)

    def run(self, *command):
        result = subprocess.run([str(c) for c in command], cwd=self.tree, env=self.environment, capture_output=True,
                                text=True)
        return result.returncode, result.stdout + result.stderr

    def expect(self, sentence, *command, says=""):
        """The command succeeds; where it must say something, it fails and says that."""
        status, text = self.run(*command)
        if (status == 0) == bool(says) or says not in text:
            self.fail(f"{sentence}: {' '.join(map(str, command))} ended with {status}\n{text}")

    def insert(self, path, text, before):
        """In front of the last place that `before` matches."""
        old = (self.tree / path).read_text()
        at = list(re.finditer(before, old, re.M))[-1].start()
        (self.tree / path).write_text(old[:at] + text + old[at:])

    def edit(self):
        """By hand, with what is said before each edit."""
        generate = self.tree / "abi" / "generate.py"
        self.expect("the unchanged tree is in order", sys.executable, "-B", generate, "--check")
        self.insert(BY_HAND[0], ROW, r"^$\n^/\* reductions \*/")
        self.expect("a missing definition is named", sys.executable, "-B", generate,
                    says="no header in plugins/shared/ops/ defines sech")
        self.insert(BY_HAND[1], DEFINITION, r"^$\n^}  // namespace ops")
        self.expect("a missing oracle is named", sys.executable, "-B", generate,
                    says="tests/oracle.def has no row for sech")
        self.insert(BY_HAND[2], ORACLE, r"^#undef GPUOPT_ORACLE")

    def write(self):
        """What the steps run, and the checks of what that writes."""
        generate, abi = self.tree / "abi" / "generate.py", self.tree / "tests" / "abi" / "check_abi.sh"
        self.expect("what is stale is named", sys.executable, "-B", generate, "--check", says="gpuopt_ops.h is stale")
        self.expect("the generator runs", sys.executable, "-B", generate)
        self.expect("once is enough", sys.executable, "-B", generate, "--check")
        self.expect("the ABI has grown", abi, self.tree, self.cc, says="the ABI has grown; if that is meant, record it")
        self.expect("the addition is recorded", abi, self.tree, self.cc, "--record")
        self.expect("the ABI is as recorded", abi, self.tree, self.cc)
        self.expect("every name is on its page", sys.executable, "-B", self.tree / "tests" / "docs" / "check_names.py",
                    self.tree)

    def compare(self):
        """Which files are others now."""
        changed = {f for f in self.files if (self.tree / f).read_bytes() != (self.root / f).read_bytes()}
        for f in sorted(changed - {*BY_HAND, *WRITTEN, *RECORDED}):
            self.fail(f"{f} has changed, which the steps do not name")
        for f in (*WRITTEN, *RECORDED):
            if not re.search(r"\b(gpuopt_|GPUOPT_OP_)?sech(_into)?\b", (self.tree / f).read_text(), re.I):
                self.fail(f"{f} does not have the operation")
        if shutil.which("gofmt"):
            unformatted = self.run("gofmt", "-l", self.tree / "bindings" / "go")[1]
            if unformatted:
                self.fail(f"gofmt would change what was written: {unformatted}")

    def compile(self):
        probe, program = self.tree / "probe.cpp", self.tree / "probe"
        probe.write_text(PROBE)
        self.expect("the loops and the oracle compile", self.cxx, "-std=c++20", "-ffp-contract=off",
                    "-DGPUOPT_LEVEL=generic", f"-I{self.tree}",
                    f"-I{self.tree / 'abi'}", probe, "-o", program)
        self.expect("the loops, the cost and the family are those of the row", program)
        for source in ("core/engine/record.cpp", "core/ops/ops.cpp"):
            self.expect("the core compiles", self.cxx, "-std=c++20", "-fsyntax-only", f"-I{self.tree}",
                        f"-I{self.tree / 'abi'}", self.tree / source)


def main():
    replay = Replay(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), *sys.argv[3:5])
    replay.copy()
    replay.edit()
    replay.write()
    replay.compare()
    replay.compile()
    if not replay.failures:
        print(f"{len(BY_HAND)} files by hand, {len(WRITTEN)} written, {len(RECORDED)} recorded")
    return 1 if replay.failures else 0


if __name__ == "__main__":
    sys.exit(main())
