# tests/cli/command_test.py -- help, usage errors, exit status, colours; the man page and the completions say the same.
import re
import shutil
import subprocess
import unittest

import completions
from harness import COMMAND, ROOT, Case, environment, gpuopt, on_terminal

COMMANDS = ["info", "doctor", "bench", "cache path", "cache list", "cache size", "cache verify", "cache prune",
            "cache clear",
            "npy show", "npy convert", "npy diff"]


def options(command):
    return set(re.findall(r"\[(--[a-z-]+)", gpuopt("help", *command.split()).stdout.splitlines()[0]))


class Help(Case):
    def test_lists_every_command(self):
        page = self.expect(0, "help")
        self.assertEqual(page, self.expect(0, "--help"))
        self.assertEqual(re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +[a-z]", page, re.M), COMMANDS + ["help"])
        self.assertRegex(page, r"exit status: 0 .*\n +1 .*\n +2 .*\n +3 ")

    def test_of_a_command_and_of_a_group(self):
        for command in COMMANDS:
            page = self.expect(0, "help", *command.split())
            self.assertTrue(page.startswith(f"usage: gpuopt {command}"), page)
            self.assertIn("JSON keys: ", page)
            self.assertIn("--json", page)
            self.assertEqual(page, self.expect(0, *command.split(), "--help"))
        self.assertEqual(self.expect(0, "help", "cache").count("usage: "), 6)
        self.assertEqual(self.expect(0, "npy", "--help").count("usage: "), 3)

    def test_version(self):
        self.assertEqual(self.expect(0, "--version"), "gpuopt 1.0.0\n")

    def test_every_setting_of_the_documentation(self):
        documented = set(re.findall(r"^\| `([A-Z_]+)`", (ROOT / "docs/environment.md").read_text(), re.M))
        self.assertGreater(len(documented), 12)
        listed = set(re.findall(r"^([A-Z_]+) ", self.expect(0, "help", "environment"), re.M))
        self.assertEqual(documented - listed, set())


class Mistakes(Case):
    def test_are_usage_errors(self):
        for arguments, said in [((), "a command is missing"), (("bogus",), '"bogus" is not a command'),
                                (("cache",), '"cache" needs to know'),
                                (("cache", "burn"), '"cache burn" is not a command'),
                                (("--jason",), '"--jason" is not understood'),
                                (("info", "doctor"), '"doctor" is one word too many'),
                                (("info", "--colour"), "is not an option of info"),
                                (("npy", "diff", "a"), "needs A B"), (("npy", "show"), "needs FILE"),
                                (("cache", "prune", "--max-bytes"), "--max-bytes needs a value"),
                                (("cache", "prune", "--max-bytes", "lots"), '"lots" is not a number'),
                                (("cache", "prune", "--max-bytes=-1"), '"-1" is not a number'),
                                (("info", "--json=1"), "--json takes no value"), (("help", "bogus"), "no help about"),
                                (("npy", "diff", "a", "b", "--rtol", "x"), "--rtol"),
                                (("doctor", "--explain", "FLU"), '"FLU" is not a reason'),
                                (("doctor", "--explain", "NONE"), '"NONE" is not a reason'),
                                (("bench", "--max", "1"), "--max"),
                                (("npy", "convert", "a", "b", "--dtype", "float7"), "--dtype")]:
            with self.subTest(arguments):
                result = gpuopt(*arguments)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(said, result.stderr)
                self.assertIn("usage: gpuopt", result.stderr)

    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([COMMAND, "help"], stdout=full, stderr=subprocess.PIPE, text=True,
                                    env=environment({}))
        self.assertEqual(result.returncode, 3)
        self.assertIn("cannot write to standard output", result.stderr)

    def test_a_failure_is_json_where_json_is_wanted(self):
        failure = self.expect_json(3, "npy", "show", "/nonexistent/a.npy")
        self.assertEqual(failure["error"]["status"], "GPUOPT_ERR_IO")
        self.assertIn("/nonexistent/a.npy", failure["error"]["message"])


class Reasons(Case):
    def test_each_is_explained(self):
        table = re.findall(r'^GPUOPT_REASON\((\w+), (\d+), "(.*?)", "(.*)"\)',
                           (ROOT / "abi/gpuopt/status.def").read_text(), re.M)
        self.assertGreater(len(table), 18)
        explained = self.expect_json(0, "doctor", "--explain", "all")["reasons"]
        self.assertEqual([(r["reason"], r["sentence"], r["hint"]) for r in explained],
                         [(n, s, c) for n, _, s, c in table if n != "NONE"])
        for reason in explained:
            self.assertRegex(reason["means"], r"^[A-Z].*[.]$")
            self.assertTrue(reason["steps"], reason)
            for step in reason["steps"]:
                self.assertRegex(step, r"^\S.*[.?)]$")
            self.assertEqual(self.expect_json(0, "doctor", "--explain", reason["reason"])["reasons"], [reason])
            text = self.expect(0, "doctor", "--explain", reason["reason"])
            self.assertEqual(text.count("          - "), len(reason["steps"]))
            self.assertIn(reason["means"], text)


class Terminal(Case):
    def test_colours_only_there_and_only_if_wanted(self):
        verify = ("cache", "verify", "--dir", self.scratch)
        for extra in [{}, {"NO_COLOR": ""}]:
            self.assertIn("\033[32mall intact\033[0m", on_terminal(*verify, **extra))
        for extra in [{"NO_COLOR": "1"}, {"TERM": "dumb"}]:
            self.assertNotIn("\033", on_terminal(*verify, **extra))
        self.assertNotIn("\033", gpuopt(*verify).stdout)

    def test_progress_only_there(self):
        bench = ("bench", "--quick", "--max", "100", "--devices", "cpu")
        shown = on_terminal(*bench, stream="stderr")
        self.assertRegex(shown, r"1/\d+  x \+ y, 100 elements on cpu:0")
        self.assertTrue(shown.endswith("\r"), shown)  # nothing is left behind
        self.assertEqual(gpuopt(*bench).stderr, "")


class Companions(Case):
    def setUp(self):
        super().setUp()
        self.man = (ROOT / "packaging/man/gpuopt.1").read_text()

    def test_the_man_page_has_every_command_option_and_setting(self):
        for command in COMMANDS:
            group, _, word = command.partition(" ")
            self.assertRegex(self.man, rf"\.It Cm {command}\n")
            for option in options(command):
                self.assertRegex(self.man, rf"Fl -{option[2:]}\b", command)
        settings = set(re.findall(r"^([A-Z_]+) ", self.expect(0, "help", "environment"), re.M))
        self.assertEqual(settings, set(re.findall(r"^\.It Ev ([A-Z_]+)$", self.man, re.M)))

    def test_the_completions_have_every_command_and_option(self):
        listed = set().union(*(options(command) for command in COMMANDS))
        self.assertEqual(list(completions.lacks("gpuopt", listed, " ".join(COMMANDS).split())), [])

    def test_the_shells_complete(self):
        for words, wanted in [(["d"], "doctor"), (["cache", "pr"], "prune"), (["bench", "--q"], "--quick"),
                              (["npy", "c"], "convert"),
                              (["npy", "convert", *["a.npy"] * 17, "--comp"], "--compress")]:
            self.assertEqual(completions.bash("gpuopt", *words), [wanted])
            self.assertIn(completions.fish("gpuopt", *words), ([wanted], None))
        self.assertIn(completions.zsh_reads("gpuopt"), (True, None))

    def test_the_man_pages_are_clean(self):
        checkers = [["mandoc", "-T", "lint", "-W", "warning"], ["groff", "-mandoc", "-ww", "-z", "-T", "utf8"]]
        for page in sorted((ROOT / "packaging/man").glob("*.1")):
            for checker in checkers:
                if shutil.which(checker[0]):
                    done = subprocess.run([*checker, page], capture_output=True, text=True)
                    self.assertEqual(done.stdout + done.stderr, "", page.name)


if __name__ == "__main__":
    unittest.main()
