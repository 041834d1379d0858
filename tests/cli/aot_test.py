# tests/cli/aot_test.py -- gpuopt-aot: a program's kernels recorded and compiled, bundles listed, bad usage; manual page
# and completions.
import os
import re
import subprocess
import unittest

import completions
from harness import ROOT, Case, environment, strict_json

AOT, PROGRAM = os.environ["GPUOPT_AOT"], os.environ["GPUOPT_AOT_PROGRAM"]
NOWHERE = "/nonexistent/libgpuopt_jit.so"


def run(*words, **extra):
    settings = {"GPUOPT_DISABLE": "cuda", "GPUOPT_CACHE_MAX_BYTES": "0", "GPUOPT_LOG": "off", **extra}
    return subprocess.run([*map(str, words)], env=environment(settings), capture_output=True, text=True)


class Aot(Case):
    def expect(self, status, *words, **extra):
        result = run(AOT, *words, **extra)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stderr if status else result.stdout

    def test_a_program_without_a_compiler(self):
        bundle, record = self.scratch / "bundle", self.scratch / "record"
        self.assertNotEqual(run(PROGRAM, GPUOPT_JIT=NOWHERE).returncode, 0)
        said = self.expect(0, f"--record={record}", "--output", bundle, PROGRAM)
        lines = said.splitlines()
        self.assertRegex(lines[-1], rf"^{bundle}: [0-9.]+ [KM]iB$")
        expected = run(PROGRAM)
        self.assertEqual(expected.returncode, 0, expected.stderr)
        used = run(PROGRAM, GPUOPT_JIT=NOWHERE, GPUOPT_BUNDLES=str(bundle))
        self.assertEqual((used.returncode, used.stdout), (0, expected.stdout), used.stderr)

        listed = self.expect(0, "--list", bundle)
        self.assertIn(listed, said)
        found = strict_json(self.expect(0, "--list", bundle, "--json"))
        self.assertEqual((found["file"], found["bytes"]), (str(bundle), bundle.stat().st_size))
        self.assertEqual(len(found["kernels"]), len(listed.splitlines()))
        for kernel in found["kernels"]:
            self.assertIn(kernel["name"], kernel["source"])
            self.assertEqual({c["backend"] for c in kernel["code"]}, {"cpu"})
            self.assertEqual(len({c["target"] for c in kernel["code"]}), len(kernel["code"]))
            self.assertTrue(all(c["bytes"] > 100 and c["build"].startswith("1.0.0 ") for c in kernel["code"]))

        again = self.scratch / "again"
        self.expect(0, "--from", record, "--output", again)
        self.assertEqual(again.read_bytes(), bundle.read_bytes(), "compiling is deterministic")

    def test_what_cannot_be_done(self):
        bundle = self.write("bundle", b"as it was")
        nothing = self.write("nothing", b"")
        self.assertIn("ended with status 1", self.expect(1, "--output", bundle, "false"))
        self.assertIn("ended with status 143", self.expect(1, "--output", bundle, "sh", "-c", "kill $$"))
        self.assertIn("No such file", self.expect(3, "--output", bundle, "/nonexistent/program"))
        self.assertIn("no kernel was recorded", self.expect(3, "--output", bundle, "true"))
        self.assertIn("no kernel was recorded", self.expect(3, "--output", bundle, "--from", nothing))
        self.assertIn("no such file", self.expect(3, "--list", self.scratch / "none"))
        self.assertIn("not a bundle of kernels", self.expect(3, "--list", bundle))
        record = self.scratch / "record"
        self.expect(0, "--record", record, "--output", self.scratch / "whole", PROGRAM)
        self.assertIn(NOWHERE, self.expect(3, "--output", bundle, "--from", record, GPUOPT_JIT=NOWHERE))
        self.assertEqual(bundle.read_bytes(), b"as it was")
        damaged = bytearray((self.scratch / "whole").read_bytes())
        damaged[len(damaged) // 2] ^= 1
        self.assertIn("damaged", self.expect(3, "--list", self.write("damaged", bytes(damaged))))

    def test_usage(self):
        for words, complaint in (
            ((), "one of PROGRAM"),
            (("--output", "a"), "one of PROGRAM"),
            (("--output", "a", "--from", "b", "true"), "one of PROGRAM"),
            (("true",), "--output is missing"),
            (("--list", "a", "--output", "b"), "makes no bundle"),
            (("--output",), "needs a value"),
            (("--output=", "true"), "needs a value"),
            (("--output", "a", "--json", "true"), "--json goes with --list"),
            (("--output", "a", "--from", "b", "--record", "c"), "--record keeps"),
            (("--targets", "v3"), '"--targets" is not an option'),
        ):
            said = self.expect(2, *words)
            self.assertIn(complaint, said)
            self.assertIn("usage: gpuopt-aot", said)

    def test_help_manual_completions(self):
        text, man = self.expect(0, "--help"), (ROOT / "packaging/man/gpuopt-aot.1").read_text()
        self.assertEqual(self.expect(0, "--version"), "gpuopt-aot 1.0.0\n")
        options = set(re.findall(r"--[a-z]+", text))
        self.assertEqual(options, {"--" + o for o in re.findall(r"Fl -([a-z]+)", man)} | {"--help"})
        for shell, form in completions.files("gpuopt-aot").items():
            for option in options:
                self.assertRegex(shell.read_text(), form.format(option[2:]), shell)
        self.assertIn(completions.zsh_reads("gpuopt-aot"), (True, None))
        self.assertEqual(sorted(completions.bash("gpuopt-aot", "--r", where=self.scratch)), ["--record"])


if __name__ == "__main__":
    unittest.main()
