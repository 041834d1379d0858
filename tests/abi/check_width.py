#!/usr/bin/env python3
"""tests/abi/check_width.py -- no line is wider than 120 columns, in whatever language it is written.

usage: check_width.py [ROOT]. A tab counts as 8 columns, and as 4 in Go, which indents by tabs. Exempt is what is not
written by hand, or has its lines from elsewhere:

- generated files, which say "do not edit" in their first lines;
- data: recorded results and ABIs, inputs of tests and of fuzz targets, what samples print, pictures, lock files;
- in Markdown, rows of tables, which cannot be broken, and blocks that show what was printed (```text, or no language);
- in tables (*.def), rows: one is one line, so that they can be compared. The comments above them are not exempt;
- a line that ends in an address (https://...), if that alone is what goes beyond.
"""
import re
import subprocess
import sys
from pathlib import Path

WIDTH = 120
GENERATED = re.compile(r"do not edit", re.I)
INPUTS = r"^tests/(data|kernels|fuzz/targets/corpus|fuzz/programs/found)/.*\.txt$|^tests/fuzz/targets/corpus/"
DATA = re.compile(INPUTS + r"|^samples/\w+/expected\w*\.txt$|\.(abi|svg|csv|lock)$")
ROW = re.compile(r"[A-Z][A-Z0-9_]*\(")  # of a table
ADDRESS = re.compile(r"(.*?)\S+://\S+$")


def exempt_lines(path, lines):
    """The numbers of the lines that may be as wide as they are."""
    block = None  # the language of a block of Markdown; None outside
    for number, line in enumerate(lines, 1):
        if path.endswith(".md"):
            fence = re.match(r"\s*```(\w*)", line)
            if fence:
                block = fence[1] if block is None else None
            if block in ("", "text") or (block is None and line.lstrip().startswith("|")):
                yield number
        elif path.endswith(".def") and ROW.match(line):
            yield number


def width(path, text):
    return len(text.expandtabs(4 if path.endswith(".go") else 8))


def too_wide(path, text):
    """(number, width) of each line that is too wide."""
    lines = text.splitlines()
    if GENERATED.search("\n".join(lines[:3])):
        return
    exempt = set(exempt_lines(path, lines))
    for number, line in enumerate(lines, 1):
        address = ADDRESS.match(line)
        if number not in exempt and width(path, address[1] if address else line) > WIDTH:
            yield number, width(path, line)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    files = [f for f in listed.stdout.splitlines() if (root / f).is_file() and not DATA.search(f)]
    wrong = 0
    for path in files:
        try:
            text = (root / path).read_bytes().decode()
        except UnicodeDecodeError:
            continue
        for number, columns in too_wide(path, text):
            print(f"{path}:{number}: {columns} columns, more than {WIDTH}")
            wrong += 1
    print(f"{len(files)} files, {wrong} lines too wide")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
