#!/usr/bin/env python3
# tests/abi/check_includes.py -- folder = layer: fails if a file includes a file of a layer it may not see.
#
# usage: check_includes.py [ROOT]. Only includes that resolve to a file of this repository count; the rest are system headers.
import re
import subprocess
import sys
from pathlib import Path

# The first row whose folder holds the file applies. What a file may include besides its own folder of the row.
LAYERS = [
    ("abi/", ()),
    ("core/tools/", ("abi/", "core/", "plugins/shared/host/")),  # programs: on top of the libraries, part of none
    ("core/", ("abi/",)),
    ("plugins/shared/", ("abi/",)),
    ("plugins/cpu/", ("abi/", "plugins/shared/", "plugins/jit/jit.h", "plugins/jit/jit_build.h", "plugins/jit/helper/protocol.h")),  # it opens libgpuopt_jit
    ("plugins/*/", ("abi/", "plugins/shared/")),
    ("samples/*/", ("abi/",)),
    ("bench/", ("abi/",)),
    ("tests/conformance/", ("abi/", "tests/shared/", "tests/oracle.def")),
    ("bindings/*/", ("abi/",)),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
SEARCHED = ("", "abi/", "core/", "tests/")  # what the build gives as -I, the file's own folder apart


def layer_of(path):
    for pattern, allowed in LAYERS:
        match = re.match(pattern.replace("*", "[^/]+"), path)
        if match:
            return match[0], allowed
    return None, ()


def resolve(path, quote, name, files):
    folders = ((str(Path(path).parent) + "/",) if quote == '"' else ()) + SEARCHED
    for folder in folders:
        parts = []
        for part in (folder + name).split("/"):
            if part == ".." and parts:
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        if "/".join(parts) in files:
            return "/".join(parts)
    return None


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True)
    files = {f for f in listed.stdout.splitlines() if (root / f).is_file()}
    sources = [f for f in sorted(files) if f.endswith((".h", ".hpp", ".c", ".cpp", ".cu", ".def", ".inc"))]
    wrong = 0
    for path in sources:
        layer, allowed = layer_of(path)
        if layer is None:
            continue
        for quote, name in INCLUDE.findall((root / path).read_text()):
            target = resolve(path, quote, name, files)
            if target and not target.startswith((layer, *allowed)):
                print(f"{path} includes {target}: {layer} may see only {', '.join((layer, *allowed))}")
                wrong += 1
    print(f"{len(sources)} files, {wrong} includes against the layers")
    return 1 if wrong or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
