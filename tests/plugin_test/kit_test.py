# tests/plugin_test/kit_test.py -- gpuopt-plugin-test passes plugins that keep the rules, and says of the others which
# rule they break, and where.
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "cli"))
import completions

KIT = os.environ["GPUOPT_PLUGIN_TEST"]
ROOT = Path(os.environ["GPUOPT_SOURCE_DIR"])
CPU = os.environ["CPU_PLUGIN"]
TAMPERED = Path(os.environ["TAMPERED_PLUGINS"])
BAD = Path(os.environ["BAD_PLUGINS"])
SANITIZED = os.environ["SANITIZED"] == "1"
PROCESSOR = os.environ["PROCESSOR"]  # that the plugins are built for
FEW = ["--only", "add,exp,hypot,gamma,sum,take,matmul", "--dtypes", "float32,float64,int32"]

# What the kit says of each case of tests/loader/bad_plugin.cpp: phase, rule, part of the detail. Those that are fine
# for the loader add numbers and nothing else, and leave the device's name without an end.
CARELESS = ("device", "device_info", "name does not end")
BAD_PLUGINS = {
    "good": CARELESS, "newer_range": CARELESS, "long_table": CARELESS, "short_table": CARELESS,
    "table_of_1_0": CARELESS, "warns_in_probe": CARELESS,
    "lost_in_fork": CARELESS, "wrong_result": CARELESS, "compiler_missing": CARELESS, "lost_in_program": CARELESS,
    "throws_in_program": CARELESS,
    "no_entry": ("link", "one exported symbol", "does not export gpuopt_plugin_query_v1"),
    "undefined_symbol": ("table", "can be loaded", "gpuopt_test_symbol_that_nobody_defines"),
    "changes_float_mode": ("table", "loading changes nothing", "floating-point mode"),
    "old_abi": ("table", "query", "returned status 6; its range is 0 to 0"),
    "new_abi": ("table", "query", "its range is 7 to 9"),
    "backward_range": ("table", "version range", "backward"),
    "too_short_table": ("table", "required slots", "lacks program_run"),
    "header_only": ("table", "required slots", "lacks probe, device_open"),
    "size_zero": ("table", "table header", "claims 0 bytes"),
    "size_odd": ("table", "table header", "bytes, which cannot be"),
    "size_huge": ("table", "table header", "claims 4294967288 bytes"),
    "other_major_table": ("table", "table header", "interface version 2"),
    "no_probe": ("table", "required slots", "lacks probe"),
    "no_program_run": ("table", "required slots", "lacks program_run"),
    "no_several": ("table", "required slots", "lacks memory_free, copy_to_host"),
    "null_api": ("table", "table header", "no table"),
    "wrong_name": ("table", "name", "says it is rocm"),
    "no_name": ("table", "name", "(NULL)"),
    "no_version": ("table", "version, build id and toolkit", "NULL"),
    "negative_ops": ("table", "numbers of operations", "claims -1 operations"),
    "many_ops": ("table", "numbers of operations", "claims 1073741824 operations"),
    "query_fails": ("table", "query", "returned status 17"),
    "writes_nothing": ("table", "name", "(NULL)"),
    "throws_in_query": ("table", "query", "threw a C++ exception"),
    "throws_in_probe": ("device", "probe works, or says why not", "threw a C++ exception"),
    "throws_in_open": ("device", "device_open", "threw a C++ exception"),
    "throws_in_info": ("device", "device_info", "threw a C++ exception"),
    "probe_refuses": ("device", "probe works, or says why not", "without a reason"),
    "zero_devices": ("device", "probe works, or says why not", "no device and says all is well"),
    "negative_devices": ("device", "probe works, or says why not", "counts -5 devices"),
    "open_fails": ("device", "device_open", "the device file cannot be opened"),
    "open_no_memory": ("device", "device_open", "OUT_OF_MEMORY: context"),
    "open_unknown_status": ("device", "device_open", "12345, which is not a status"),
    "no_memory": ("device", "memory", "OUT_OF_MEMORY: 1 bytes"),
}


def kit(*arguments, **extra):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GPUOPT_")}
    return subprocess.run([KIT, *map(str, arguments)], env={**kept, **extra}, capture_output=True, text=True)


class Case(unittest.TestCase):
    def expect(self, status, *arguments, **extra):
        result = kit(*arguments, "--json", **extra)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        found = json.loads(result.stdout)
        counted = {v: sum(r["verdict"] == v for r in found["rules"])
                   for v in ("pass", "fail", "unsupported", "not_run")}
        self.assertEqual({v: found[v] for v in counted}, counted)
        return found

    def failures(self, found):
        return [(r["phase"], r["rule"], r["detail"]) for r in found["rules"] if r["verdict"] == "fail"]

    def not_run(self, found):
        return {r["rule"]: r["detail"] for r in found["rules"] if r["verdict"] == "not_run"}

    def tampered(self, status, fault, *arguments, **extra):
        return self.expect(status, TAMPERED / "proper/libgpuopt_tampered.so", *(arguments or FEW),
                           GPUOPT_TEST_FAULT=fault, **extra)

    def only_failure(self, fault, *arguments, **extra):
        failures = self.failures(self.tampered(1, fault, *arguments, **extra))
        self.assertEqual(len(failures), 1, failures)
        return failures[0]


class GoodPlugins(Case):
    def test_the_cpu_backend_keeps_the_rules_but_is_not_compared_with_itself(self):
        found = self.expect(3, CPU)
        self.assertEqual((found["backend"], found["fail"]), ("cpu", 0))
        self.assertEqual(self.not_run(found),
                         {"the CPU backend to compare with": "this is it: there is no other one to compare it with"})
        self.assertEqual(self.expect(0, CPU, "--only", "none")["not_run"], 0)

    def test_one_that_wraps_it_keeps_every_rule(self):
        found = self.tampered(0, "", *(FEW if SANITIZED else ["--timeout", "300"]))
        self.assertEqual((found["backend"], found["fail"], found["not_run"]), ("tampered", 0, 0))
        rules = {r["rule"]: r for r in found["rules"]}
        operations = re.findall(r"^GPUOPT_(?:OP_ROW|REDUCTION|SCAN)\((\w+), ",
                                (ROOT / "abi/gpuopt/ops.def").read_text(), re.M)
        self.assertGreater(len(operations), 90)
        if not SANITIZED:
            self.assertEqual(set(operations) - set(rules), set())
        self.assertEqual(rules["add"]["detail"], "21 comparisons" if SANITIZED else "105 comparisons")

    def test_the_skeleton_does_too(self):
        skeleton = os.environ["SKELETON_PLUGIN"]
        if not skeleton:
            self.skipTest("the samples are not built")
        found = self.expect(0, skeleton)
        self.assertEqual((found["backend"], found["not_run"]), ("skeleton", 0))
        listed = {r["rule"]: r["detail"] for r in found["rules"] if r["verdict"] == "unsupported"}
        self.assertIn("not offered for", listed["exp"])
        self.assertNotIn("float32", listed["sqrt"])  # it has that, and its bits are right

    def test_text(self):
        result = kit(TAMPERED / "proper/libgpuopt_tampered.so", "--only", "add")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"\nlink\n  pass +a shared library")
        self.assertRegex(result.stdout, r"\n  pass +add +105 comparisons\n\n\d+ rules hold, 0 do not, \d+ are about")
        self.assertNotIn("\033", result.stdout)


class BadPlugins(Case):
    def test_every_case_is_known(self):
        cases = re.search(r"set\(bad_plugins (.*?)\)", (ROOT / "tests/loader/CMakeLists.txt").read_text(), re.S)[
            1
        ].split()
        self.assertEqual(set(cases), set(BAD_PLUGINS))

    def test_each_fails_for_its_reason(self):
        for case, (phase, rule, detail) in BAD_PLUGINS.items():
            with self.subTest(case):
                failures = self.failures(self.expect(1, BAD / case / "libgpuopt_cuda.so", "--only", "none"))
                self.assertTrue(any(p == phase and r == rule and detail in d for p, r, d in failures), failures)


class Operations(Case):
    def test_one_unit_in_the_last_place_is_found(self):
        phase, rule, detail = self.only_failure("one_ulp", "--only", "add,hypot", "--dtypes", "float32,float64")
        self.assertEqual((phase, rule), ("operations", "hypot"))
        self.assertRegex(detail, r"^float64, contiguous and transposed: element \d+ has the bits 0x[0-9a-f]{16}, the "
                                 r"CPU backend's 0x[0-9a-f]{16}$")
        got, wanted = (int(bits, 16) for bits in re.findall("0x([0-9a-f]+)", detail))
        self.assertEqual(got - wanted, 1)

    def test_a_wrong_layout_is_named(self):
        failures = self.failures(self.tampered(1, "strides", "--only", "add,exp", "--dtypes", "float32"))
        self.assertEqual([(r, d.partition(": ")[0]) for _, r, d in failures],
                         [("add", "float32, strided and reversed"), ("exp", "float32, reversed")])

    def test_a_wrong_loop_is_found(self):
        phase, rule, detail = self.only_failure("loop", "--only", "add", "--dtypes", "float32")
        self.assertEqual((phase, rule), ("operations", "add"))
        self.assertRegex(detail, "^float32, a few elements: element 0 has the bits")

    def test_a_wrong_library_call_is_found(self):
        for fault in ("take", "argsort"):
            self.assertEqual(self.only_failure(fault, "--only", f"{fault},put", "--dtypes", "float32")[1], fault)
        self.assertIn("float32, contiguous: element 0 has the bits", self.only_failure("matmul")[2])

    def test_what_is_not_offered_is_listed_and_no_failure(self):
        for fault, rule, detail in [("lacks_gamma", "gamma", "not offered for float32: the CPU"),
                                    ("lacks_matmul", "matmul", "not offered for float32, float64, int32: the CPU")]:
            found = self.tampered(0, fault)
            listed = {r["rule"]: r["detail"] for r in found["rules"] if r["verdict"] == "unsupported"}
            self.assertTrue(listed[rule].startswith(detail), listed)

    def test_a_changed_float_mode_is_found(self):
        if PROCESSOR in ("x86_64", "aarch64"):
            self.assertEqual(self.only_failure("float_mode", "--only", "add", "--dtypes", "int32")[1],
                             "leaves the floating-point mode alone")


class Reference(Case):
    """What is wrong with the CPU backend is said, and not held against the plugin."""

    def test_a_wrong_one_does_not_pass(self):
        found = self.expect(3, TAMPERED / "as_cpu/libgpuopt_cpu.so", *FEW, GPUOPT_TEST_FAULT="one_ulp")
        self.assertIn("the CPU backend to compare with", self.not_run(found))

    def test_a_missing_one(self):
        found = self.tampered(3, "", GPUOPT_DISABLE="cpu")
        self.assertEqual(found["fail"], 0)
        self.assertIn("DISABLED", self.not_run(found)["the CPU backend to compare with"])

    def test_one_that_lacks_an_operation_or_breaks(self):
        for fault, said in [("lacks_gamma", "no gamma of float32"), ("lost", "exp faulted")]:
            found = self.tampered(3, "cpu:" + fault, "--only", "exp,gamma", "--dtypes", "float32",
                                  GPUOPT_PLUGIN_PATH=str(TAMPERED / "as_cpu"))
            details = self.not_run(found)
            self.assertEqual((found["fail"], set(details)), (0, {"gamma" if fault == "lacks_gamma" else "exp"}))
            self.assertRegex("".join(details.values()), "^float32, contiguous: the CPU backend fails: .*" + said)


class Misbehaviour(Case):
    def test_crashes_and_hangs_become_rules(self):
        exp = ("--only", "add,exp", "--dtypes", "float32")
        for fault, said in [("crash", "it crashed: Aborted, at float32, contiguous"),
                            ("exit", "it ended the process, status 0, at float32, contiguous"),
                            ("lost", "exp faulted"),
                            ("hang", "it hangs: no answer within 10 seconds, at float32, contiguous")]:
            phase, rule, detail = self.only_failure(fault, *exp, "--timeout", "10")
            self.assertEqual((phase, rule), ("operations", "exp"))
            self.assertIn(said, detail)

    def test_queries_that_end_the_process(self):
        for query, rule in [(2, "the query is pure"), (3, "refuses hosts it does not know")]:
            failure = self.only_failure(f"exit_in_query_{query}")
            self.assertEqual(failure, ("table", rule, "it ended the process, status 0"))

    def test_a_hang_that_no_signal_ends(self):
        phase, rule, detail = self.only_failure("hang_without_alarm", "--only", "exp", "--dtypes", "float32",
                                                "--timeout", "5")
        self.assertEqual((phase, rule), ("operations", "exp"))
        self.assertIn("it hangs: no answer within 5 seconds", detail)

    def test_a_process_that_is_left_behind_keeps_nobody_waiting(self):
        self.tampered(0, "leaves_process", "--only", "exp", "--dtypes", "float32", "--timeout", "20")

    def test_a_query_that_hangs_where_it_was_answered_before(self):
        with tempfile.TemporaryDirectory() as scratch:
            phase, rule, detail = self.only_failure("hang_in_later_process", "--timeout", "10",
                                                    GPUOPT_TEST_MARK=scratch + "/mark")
        self.assertEqual((phase, rule), ("device", "can be loaded"))
        self.assertIn("it hangs: no answer within 10 seconds", detail)

    def test_impure_queries(self):
        for fault, said in [("changes", "otherwise than the first"), ("logs", "writes to the log"),
                            ("opens", "leaves a file open")]:
            self.assertIn(said, self.only_failure(fault, "--only", "none")[2])
            self.assertEqual(self.only_failure(fault, "--only", "none")[1], "the query is pure")

    def test_slots(self):
        for fault, rule, said in [("behind", "probe works, or says why not", "wrote behind the struct"),
                                  ("copy", "copies", "not sent"),
                                  ("silent", "probe works, or says why not", "left 0 in the error"),
                                  ("yes_man", "refuses hosts it does not know", "instead of GPUOPT_ERR_UNSUPPORTED")]:
            found = self.only_failure(fault, "--only", "none")
            self.assertEqual(found[1], rule)
            self.assertIn(said, found[2])

    def test_loops(self):
        faults = [("loop_writes_behind", "add of float32: it writes behind its results, of 1 elements")]
        if PROCESSOR == "x86_64":
            faults.append(("loop_uses_x87", "add of float32: it uses the x87 unit"))
        for fault, said in faults:
            self.assertEqual(self.only_failure(fault, "--only", "none"), ("device", "elementwise_loop", said))

    def test_a_backend_that_cannot_work_here_is_not_judged(self):
        found = self.tampered(3, "unavailable")
        self.assertEqual((found["fail"], found["not_run"]), (0, 1))
        self.assertNotIn("operations", {r["phase"] for r in found["rules"]})


@unittest.skipIf(SANITIZED, "built without a sanitizer only")
class Links(Case):
    def test_each_mistake_is_named(self):
        for case, wanted in {"extra_symbol": [("one exported symbol", "gpuopt_test_extra_symbol")],
                             "no_flags": [("never unloaded (NODELETE)", "-z,nodelete"),
                                          ("bound at load time (BIND_NOW)", "-z,now"),
                                          ("own symbols first (SYMBOLIC)", "-Bsymbolic")],
                             "needs_libgpuopt": [("not linked to libgpuopt", "libgpuopt.so.1")],
                             "needs_vendor": [("not linked to a vendor's library", "libcudart.so.12")],
                             "executable_stack": [("no executable stack", "noexecstack")],
                             "text_relocations": [("no text relocations (TEXTREL)", "-fPIC")]}.items():
            plugin = TAMPERED / case / "libgpuopt_tampered.so"
            if case == "text_relocations" and not plugin.exists():
                self.assertNotEqual(PROCESSOR, "x86_64")
                continue
            failures = [f for f in self.failures(self.expect(1, plugin, "--only", "none")) if f[0] == "link"]
            self.assertEqual([r for _, r, _ in failures], [r for r, _ in wanted], failures)
            for (_, _, detail), (_, said) in zip(failures, wanted):
                self.assertIn(said, detail)


class Usage(Case):
    def test_mistakes(self):
        for arguments, said in [((), "file is missing"), (("a.so",), "is not named libgpuopt_<name>.so"),
                                ((CPU, CPU), "one word too many"),
                                ((CPU, "--colour"), "is not an option"), ((CPU, "--only"), "needs a value"),
                                ((CPU, "--dtypes", "float7"), "is not a dtype"),
                                ((CPU, "--timeout", "soon"), "--timeout"),
                                ((CPU, "--only", "addd"), '"addd" is not a rule')]:
            result = kit(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertIn(said, result.stderr)
        self.assertEqual(kit("/nonexistent/libgpuopt_x.so").returncode, 3)

    def test_no_library_at_all(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "libgpuopt_text.so"
            path.write_text("hello")
            self.assertIn(("link", "a shared library for this system"),
                          [f[:2] for f in self.failures(self.expect(1, path))])

    def test_help_and_man_page(self):
        page = kit("--help").stdout
        man = (ROOT / "packaging/man/gpuopt-plugin-test.1").read_text()
        for option in re.findall(r"^  (--[a-z]+)", page, re.M):
            self.assertIn("Fl -" + option[2:], man)
        for status in re.findall(r"(?:exit status:|^ {12}) (\d)  ", page, re.M):
            self.assertIn(f".It {status}\n", man)
        self.assertEqual(kit("--version").stdout, "gpuopt-plugin-test 1.0.0\n")

    def test_completions(self):
        options = {*re.findall(r"^  (--[a-z]+)", kit("--help").stdout, re.M), "--help", "--version"}
        self.assertGreater(len(options), 5)
        self.assertEqual(list(completions.lacks("gpuopt-plugin-test", options)), [])
        with tempfile.TemporaryDirectory() as scratch:
            for name in ("libgpuopt_my.so", "libc.so", "notes.txt"):
                (Path(scratch) / name).touch()
            (Path(scratch) / "folder").mkdir()
            for words, wanted in [(["--js"], ["--json"]), (["a.so", "--ti"], ["--timeout"]), (["--timeout", "1"], []),
                                  (["--only", ""], []),
                                  (["--dtypes", "float6"], ["float64"]),
                                  (["--dtypes", "int8,complex1"], ["int8,complex128"])]:
                self.assertEqual(completions.bash("gpuopt-plugin-test", *words, where=scratch), wanted)
                self.assertIn(completions.fish("gpuopt-plugin-test", *words, where=scratch), (wanted, None))
            self.assertEqual(completions.bash("gpuopt-plugin-test", "", where=scratch), ["libgpuopt_my.so", "folder"])
            self.assertIn("libgpuopt_my.so", completions.fish("gpuopt-plugin-test", "lib", where=scratch)
                          or ["libgpuopt_my.so"])
        self.assertIn(completions.zsh_reads("gpuopt-plugin-test"), (True, None))


if __name__ == "__main__":
    unittest.main()
