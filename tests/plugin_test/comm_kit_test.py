# tests/plugin_test/comm_kit_test.py -- gpuopt-plugin-test --comm passes communication plugins that keep the rules, and
# says of the others which rule they break.
import json
import os
import subprocess
import unittest

KIT = os.environ["GPUOPT_PLUGIN_TEST"]
RING = os.environ["RING_PLUGIN"]
TAMPERED = os.environ["TAMPERED_COMM"]
# By fault: the jobs that are tried, and the rules that it breaks, each with a part of what the kit says.
FAULTS = {
    "probe": ("messages", {"probe": "launched is 7"}),
    "endless_detail": ("messages", {"probe": "detail does not end"}),
    "no_exchange": ("messages", {"required slots": "lacks exchange"}),
    "name": ("messages", {"name": "says it is ring"}),
    "accepts_all": ("messages", {"refuses hosts it does not know": "instead of GPUOPT_ERR_UNSUPPORTED"}),
    "rank": ("messages", {"numbers of ranks, 3 ranks": "rank 0 of 3"}),
    "size": ("messages", {"numbers of ranks, 1 rank": "rank 0 of 2"}),
    "byte": ("messages", {"all ranks to all ranks, 2 ranks": "other bytes", "tags are told apart, 4 ranks": "other"}),
    "no_tags": ("messages", {"tags are told apart, 2 ranks": "other bytes"}),
    "crash": ("messages", {"exchange of nothing, 1 rank": "ended the process"}),
    "throws": ("messages", {"exchange of nothing, 1 rank": "threw a C++ exception"}),
    "status": ("messages", {"exchange of nothing, 1 rank": "12345, which is not a status"}),
    "says_all_is_well": ("leaves", {"a rank that leaves, 2 ranks": "gives status 0"}),
    "mute": ("gives_up", {"a rank that gives up, 2 ranks": "does not say"}),
}


class Kit(unittest.TestCase):
    def run_kit(self, status, plugin, *arguments, fault=""):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("GPUOPT_COMM", "GPUOPT_RING"))}
        done = subprocess.run([KIT, plugin, "--comm", "--json", *arguments], env={**kept, "GPUOPT_TEST_FAULT": fault},
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return {rule["rule"]: rule for rule in json.loads(done.stdout)["rules"]}

    def test_the_ring_keeps_every_rule(self):
        rules = self.run_kit(0, RING)
        self.assertEqual({r["verdict"] for r in rules.values()}, {"pass", "unsupported"})
        self.assertEqual(rules["optional slots"]["detail"], "left to the host: exchange_on_device, all_reduce")
        for ranks in ("2 ranks", "3 ranks", "4 ranks"):
            for rule in ("joins a job", "all ranks to all ranks", "messages of one tag keep their order",
                         "tags are told apart", "all send before anybody receives",
                         "what is sent before leaving arrives", "a rank that gives up",
                         "a rank that leaves", "a rank that is silent", "a rank that is killed", "world_close"):
                self.assertEqual(rules[f"{rule}, {ranks}"]["verdict"], "pass")

    def test_one_without_optional_slots(self):
        rules = self.run_kit(0, TAMPERED, "--only", "messages,leaves", fault="minor_0")
        self.assertEqual(rules["optional slots"]["detail"], "left to the host: give_up, exchange_on_device, all_reduce")

    def test_each_fault_is_found(self):
        self.run_kit(0, TAMPERED, "--only", "messages")
        for fault, (jobs, expected) in FAULTS.items():
            with self.subTest(fault=fault):
                rules = self.run_kit(1, TAMPERED, "--only", jobs, fault=fault)
                for rule, words in expected.items():
                    self.assertEqual(rules[rule]["verdict"], "fail", rules)
                    self.assertIn(words, rules[rule]["detail"])

    def test_a_plugin_whose_jobs_something_else_starts(self):
        """Through a launcher that starts nothing but one process."""
        rules = self.run_kit(1, RING, "--launch", "env FAKE={n}", "--only", "messages")
        self.assertEqual(rules["joins a job, 1 rank"]["verdict"], "pass")
        self.assertIn("1 began", rules["as many processes as ranks, 2"]["detail"])

    def test_by_gpuopt_run(self):
        rules = self.run_kit(0, RING, "--launch", os.environ["GPUOPT_RUN"] + " -n {n}", "--only", "messages")
        self.assertEqual(rules["tags are told apart, 4 ranks"]["verdict"], "pass")

    def test_usage(self):
        for arguments in (("--only", "nothing"), ("--dtypes", "int8"), ("--launch",)):
            done = subprocess.run([KIT, RING, "--comm", *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stdout)
        done = subprocess.run([KIT, RING, "--launch", "x"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))


if __name__ == "__main__":
    unittest.main()
