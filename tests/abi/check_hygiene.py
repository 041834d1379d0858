#!/usr/bin/env python3
# tests/abi/check_hygiene.py -- what every tracked file must be: ASCII, with a purpose, short, without open ends; and
# that settings come from one place and are documented.
import re
import subprocess
import sys
from pathlib import Path

CODE = (".c", ".h", ".cpp", ".hpp", ".cu", ".py", ".sh", ".cmake", ".rs", ".go", ".def", ".inc")
OPEN_ENDS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
NO_ASCII = re.compile(r"[^\x00-\x7f]")
# Only what decides whether the environment may be believed reads it; a tool of the build has no such question.
READS_ENVIRONMENT = ("core/base/os_posix.cpp", "tools/", "plugins/cuda/tools/")
SETTING = re.compile(r'"(GPUOPT_[A-Z_]*[A-Z])"|\b(?:environment|setting|setting_text)\("([A-Z_]+)"\)')
BYTES = ("tests/data/", "tests/fuzz/targets/corpus/")  # inputs of tests, which are what they are
LONGEST = 800  # lines of a source file; tables and generated files may be longer


def problems(path, text):
    if text and not text.endswith("\n"):
        yield "does not end with a newline"
    if "\r" in text or re.search(r"[ \t]+$", text, re.M):
        yield "has carriage returns or spaces at the end of a line"
    if not path.endswith(CODE):
        return
    found = NO_ASCII.search(text)
    if found:
        yield f"has the character U+{ord(found[0]):04X}: source is ASCII"
    head = "\n".join(text.splitlines()[:3])
    if not path.endswith(".def") and f"{path} -- " not in head:
        yield f'does not open with "{path} -- purpose"'
    if OPEN_ENDS.search(text) and not path.endswith("check_hygiene.py"):
        yield "has an open end: " + OPEN_ENDS.search(text)[0]
    library = path.startswith(("core/", "plugins/", "tools/"))
    if library and not path.startswith(READS_ENVIRONMENT) and re.search(r"\bgetenv *\(", text):
        yield "reads the environment by getenv: environment() in core/base/os.h, setting() in a plugin"
    lines = text.count("\n")
    if lines > LONGEST and "generated" not in head and "table" not in head:
        yield f"has {lines} lines, more than {LONGEST}"


def undocumented(path, text, documentation, settings):
    if not path.startswith(("core/", "plugins/", "tools/")) or not path.endswith((".h", ".cpp")):
        return
    for name in sorted({a or b for a, b in SETTING.findall(text)}):
        if f"`{name}`" not in documentation and f"${name}" not in documentation:
            yield f"reads {name}, which docs/environment.md does not name"
        if name in settings and path.startswith(("core/", "plugins/")) and not path.startswith(READS_ENVIRONMENT):
            yield f'names "{name}": Setting::{name} (plugins/shared/host/settings.h) is the name of a setting'


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True,
                            check=True)
    files = [f for f in listed.stdout.splitlines() if (root / f).is_file() and not f.startswith(BYTES)]
    documentation = (root / "docs/environment.md").read_text()
    settings = set(re.findall(r"^GPUOPT_SETTING\((\w+),", (root / "plugins/shared/host/settings.def").read_text(),
                              re.M))
    wrong = 0
    for path in files:
        try:
            text = (root / path).read_bytes().decode()
        except UnicodeDecodeError:
            if path.endswith(CODE):
                print(f"{path} is not UTF-8")
                wrong += 1
            continue
        for problem in [*problems(path, text), *undocumented(path, text, documentation, settings)]:
            print(f"{path} {problem}")
            wrong += 1
    if (
        "Apache License" not in (root / "LICENSE").read_text()
        or "END OF TERMS AND CONDITIONS" not in (root / "LICENSE").read_text()
    ):
        print("LICENSE is not the whole Apache License")
        wrong += 1
    print(f"{len(files)} files, {wrong} problems")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
