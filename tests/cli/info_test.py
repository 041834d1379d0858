# tests/cli/info_test.py -- gpuopt info: the libraries each backend uses, on the fake driver; that its JSON has the
# documented keys.
import os
import unittest
from pathlib import Path

from harness import Case, all_keys, documented_keys

# the directory of the fake driver and its libraries; unset if there is none
FAKE = Path(os.environ.get("GPUOPT_FAKE_CUDA", ""))


class Info(Case):
    def on_fake(self, **extra):
        files = {"GPUOPT_CUDA_DRIVER": "libcuda.so.1", "GPUOPT_NVRTC": "libnvrtc.so.13",
                 "GPUOPT_CUBLAS": "libcublas.so.13"}
        settings = {**{name: str(FAKE / file) for name, file in files.items()}, "FAKE_CUDA_STRICT": "1",
                    "GPUOPT_CACHE_DIR": str(self.scratch)}
        return {**settings, **extra}

    def test_has_the_documented_keys(self):
        found = self.expect_json(0, "info")
        self.assertIn("cuda", found)
        found.pop("settings")  # its keys are variables
        self.assertLessEqual(all_keys(found), documented_keys("info"))

    def test_without_a_device_there_is_no_word_of_its_libraries(self):
        off = {"GPUOPT_DISABLE": "cuda"}
        self.assertIsNone(self.expect_json(0, "info", **off)["cuda"])
        text = self.expect(0, "info", **off)
        self.assertIn("cuda: not usable: DISABLED", text)
        self.assertNotIn("NVRTC", text)

    @unittest.skipUnless(FAKE.name, "no fake driver")
    def test_names_nvrtc_and_cublas(self):
        nvrtc, cublas = f"13.0 ({FAKE}/libnvrtc.so.13)", f"13.1.2 ({FAKE}/libcublas.so.13)"
        for _ in range(2):  # what NVRTC is, is then remembered in the cache
            self.assertEqual(self.expect_json(0, "info", **self.on_fake())["cuda"], {"nvrtc": nvrtc, "cublas": cublas})
        self.assertIn(f"cuda backend:\n  compiler: {nvrtc}\n  cuBLAS: {cublas}\n",
                      self.expect(0, "info", **self.on_fake()))

    @unittest.skipUnless(FAKE.name, "no fake driver")
    def test_says_why_there_is_none(self):
        no_cublas = self.expect_json(0, "info", **self.on_fake(FAKE_CUBLAS_MAJOR="99"))["cuda"]
        self.assertRegex(no_cublas["cublas"],
                         r"^no cuBLAS .* works here: .*libcublas.so.13: it is of CUDA 99, newer than the driver's 13$")
        self.assertRegex(no_cublas["nvrtc"], r"^13\.0 ")
        gone = self.on_fake(GPUOPT_NVRTC="/nonexistent/libnvrtc.so.13", GPUOPT_CACHE_DIR=str(self.scratch / "empty"),
                            GPUOPT_CUDA_COMPILER="nvrtc")
        why = "no NVRTC will do: /nonexistent/libnvrtc.so.13: there is no such file"
        # no device works without it
        self.assertEqual(self.expect_json(0, "info", **gone)["cuda"], {"nvrtc": why, "cublas": ""})
        self.assertIn(f"  compiler: {why}\n  cuBLAS: not looked for\n", self.expect(0, "info", **gone))


if __name__ == "__main__":
    if not FAKE.name:
        print("[  SKIPPED ] cli/info_test.on_the_fake_driver (no fake driver)")  # ./dev test names what was not run
    unittest.main()
