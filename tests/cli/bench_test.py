# tests/cli/bench_test.py -- gpuopt bench: which sizes, devices and copies it measures, and what it says of them. No
# figure is judged: only that there is one.
import unittest

from harness import Case, all_keys, documented_keys


class Bench(Case):
    def test_the_cpu_alone(self):
        text = self.expect(0, "bench", "--quick", "--max", "1000", GPUOPT_DISABLE="cuda")
        for row in ("elements    cpu:0\n", "1e2 ", "1e3 ", "x + y, float32", "sum(x), float32", "host to device",
                    "on the device"):
            self.assertIn(row, text)
        self.assertIn("Only cpu:0 works here; nothing else was measured.", text)
        self.assertNotIn("1e4", text)

    def test_json(self):
        found = self.expect_json(0, "bench", "--quick", "--max", "1e4", GPUOPT_DISABLE="cuda")
        self.assertEqual(all_keys(found) - documented_keys("bench"), set())
        self.assertEqual([d["name"] for d in found["devices"]], ["cpu:0"])
        self.assertEqual([w["name"] for w in found["work"]], ["add", "fused", "sum"])
        for work in found["work"]:
            self.assertEqual([t["elements"] for t in work["times"]], [100, 1000, 10000])
            self.assertTrue(all(t["seconds"] > 0 for t in work["times"]))
            self.assertEqual(work["crossover"], [])
        self.assertEqual([c["kind"] for c in found["copies"]], ["host to device", "device to host", "on the device"])
        for copy in found["copies"]:
            self.assertAlmostEqual(copy["bytes_per_second"] * copy["seconds"], copy["bytes"], 3)

    def test_no_device(self):
        error = self.expect_json(3, "bench", "--devices", "cuda", GPUOPT_DISABLE="cuda")["error"]
        self.assertIn("none of the devices works: cuda (DISABLED: ", error["message"])

    def test_devices_that_do_not_work_are_named(self):
        asked = ("bench", "--quick", "--max", "100", "--devices", "cuda,cpu:0,cpu:9")
        found = self.expect_json(0, *asked, GPUOPT_DISABLE="cuda")
        self.assertEqual([d["name"] for d in found["devices"]], ["cpu:0"])
        self.assertEqual([(m["request"], m["reason"]) for m in found["missing"]],
                         [("cuda", "DISABLED"), ("cpu:9", "NO_DEVICE")])
        self.assertRegex(self.expect(0, *asked, GPUOPT_DISABLE="cuda"),
                         r"Not measured: cuda \(DISABLED: .*\), cpu:9 \(NO_DEVICE: .*\)")


if __name__ == "__main__":
    unittest.main()
