#!/usr/bin/env python3
"""tests/docs/check_names.py -- do the pages name what there is, and all that they promise to name?

usage: check_names.py ROOT

1. Every `gpuopt_...`, `GPUOPT_...` and `gp::...` in the documentation is declared in a header, or is a setting.
2. docs/troubleshooting.md has a section for every reason and every status.
3. docs/coming-from.md names every operation, reduction and scan of the table.
"""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
headers = "\n".join(p.read_text() for p in sorted((root / "abi").rglob("*")) if p.suffix in (".h", ".hpp", ".def"))
settings = set(re.findall(r"`(\w+)`", (root / "docs/environment.md").read_text()))
cmake = "\n".join(p.read_text() for p in [root / "CMakeLists.txt", root / "packaging/gpuoptConfig.cmake.in",
                                          root / "packaging/packages.cmake"])
macros = {"OP": "OP_ROW", "REDUCTION": "REDUCTION", "SCAN": "SCAN", "STATUS": "STATUS", "REASON": "REASON"}
rows = {kind: re.findall(rf"^GPUOPT_{macro}\((\w+),", headers, re.M) for kind, macro in macros.items()}
generated = {f"gpuopt_{name}" for kind in ("OP", "REDUCTION", "SCAN") for name in rows[kind]}
generated |= {f"{name}_into" for name in generated}
generated |= {f"GPUOPT_{name}" for name in rows["STATUS"]} | {f"GPUOPT_REASON_{name}" for name in rows["REASON"]}
generated |= {f"GPUOPT_{name.upper()}" for name in re.findall(r"^GPUOPT_DTYPE\((\w+),", headers, re.M)}
programs = {"gpuopt_cuda_seed", "gpuopt_bench", "gpuopt_cpu", "gpuopt_cuda", "gpuopt_jit"}
test_settings = {"GPUOPT_ACCURACY_MD"}
failures = []


def declared(name):
    return (
        name in generated
        or name in settings
        or name in programs | test_settings
        or name in cmake
        or re.search(rf"\b{name}\b", headers)
    )


def fail(page, line, text):
    failures.append(f"{page.relative_to(root)}:{line}: {text}")


for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    for number, line in enumerate(page.read_text().splitlines(), 1):
        for name in re.findall(r"\bgpuopt_\w+\b|\bGPUOPT_\w+\b", line):
            if not name.endswith("_") and not declared(name):
                fail(page, number, f"{name} is declared nowhere")
        for name in re.findall(r"\bgp::(\w+)", line):
            if name not in rows["OP"] + rows["REDUCTION"] + rows["SCAN"] and not re.search(rf"\b{name}\b", headers):
                fail(page, number, f"gp::{name} is declared nowhere")

page = root / "docs/troubleshooting.md"
sections = set(re.findall(r"^### (\w+)", page.read_text(), re.M))
for name in rows["REASON"] + rows["STATUS"]:
    if name not in ("NONE", "OK") and name not in sections:
        fail(page, 1, f"there is no section {name}")
for name in sorted(sections - set(rows["REASON"] + rows["STATUS"])):
    fail(page, 1, f"{name} is neither a reason nor a status")

page = root / "docs/coming-from.md"
words = set(re.findall(r"\w+", page.read_text()))
for name in rows["OP"] + rows["REDUCTION"] + rows["SCAN"]:
    if name not in words:
        fail(page, 1, f"the operation {name} is not named")

for failure in failures:
    print("FAILED:", failure)
print(f"{len(rows['REASON'])} reasons, {len(rows['STATUS'])} statuses, {len(rows['OP'])} operations")
sys.exit(1 if failures else 0)
