#!/usr/bin/env python3
# tests/abi/check_map.py -- ARCHITECTURE.md names every file of the library, and no file that is not there.
#
# In it, a name in backticks that has a dot or a star, such as `core/policy.{h,cpp}` or `plugins/shared/math/*.h`, stands for files.
import fnmatch
import re
import subprocess
import sys
from pathlib import Path

MAPPED = ("abi/", "core/", "plugins/", "bindings/")
BESIDE = re.compile(r"CMakeLists\.txt$|\.(toml|lock|mod)$|/tests/|_test\.go$")  # no part of the library


def expand(name):
    braces = re.search(r"\{([^}]*)\}", name)
    if not braces:
        return [name]
    return [e for part in braces[1].split(",") for e in expand(name[: braces.start()] + part + name[braces.end() :])]


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True)
    files = {f for f in listed.stdout.splitlines() if (root / f).is_file()}
    text = (root / "ARCHITECTURE.md").read_text()
    names = [e for name in re.findall(r"`([\w./{},*-]+/[\w./{},*-]*[.*][\w./{},*-]*)`", text) for e in expand(name)]
    stale = [n for n in names if not fnmatch.filter(files, n)]
    mapped = {f for n in names for f in fnmatch.filter(files, n)}
    missing = sorted(f for f in files if f.startswith(MAPPED) and not BESIDE.search(f) and f not in mapped)
    for name in stale:
        print(f"ARCHITECTURE.md names {name}, which is not there")
    for name in missing:
        print(f"ARCHITECTURE.md does not name {name}")
    print(f"{len(names)} names for {len(mapped)} files")
    return 1 if stale or missing or not names else 0


if __name__ == "__main__":
    sys.exit(main())
