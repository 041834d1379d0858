#!/usr/bin/env python3
# tests/abi/check_map.py -- ARCHITECTURE.md has something to say on every folder of the library, and names nothing that
# is not there.
#
# In it, a name in backticks that has a slash, such as `core/engine/` or `plugins/shared/math/*.h`, stands for a folder
# or for files. A folder is named by its whole path, with a slash behind it.
import fnmatch
import re
import subprocess
import sys
from pathlib import Path

MAPPED = ("abi/", "core/", "plugins/", "tools/", "bindings/")
BESIDE = re.compile(r"/(tests|src)/|^bindings/rust/[\w-]+/")  # parts of a crate, which Cargo names


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True,
                            check=True)
    files = {f for f in listed.stdout.splitlines() if (root / f).is_file()}
    folders = {"/".join(f.split("/")[:n]) + "/" for f in files for n in range(1, f.count("/") + 1)}
    text = (root / "ARCHITECTURE.md").read_text()
    names = re.findall(r"`([\w.-]+/[\w./*-]*)`", text)
    stale = sorted({n for n in names if not fnmatch.filter(files | folders, n)})
    own = {f.rpartition("/")[0] + "/" for f in files if f.startswith(MAPPED)}  # that have files themselves
    missing = sorted(f for f in own if f not in names and not BESIDE.search(f))
    for name in stale:
        print(f"ARCHITECTURE.md names {name}, which is not there")
    for name in missing:
        print(f"ARCHITECTURE.md says nothing of {name}")
    print(f"{len(set(names))} names, {len(own)} folders")
    return 1 if stale or missing or not names else 0


if __name__ == "__main__":
    sys.exit(main())
