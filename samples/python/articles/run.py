#!/usr/bin/env python3
# samples/python/articles/run.py -- runs the listings of five articles on CuPy and Numba, with gpuopt in their place.
"""usage: run.py [--write] [NAME...]

In each listing the import of cupy, numba or gpuoptional becomes one of gpuopt; nothing else is changed. What it prints
is compared with the file NAME.txt beside it, and where it ends with an exception, as some do in the articles, so is
the exception's last line, in which gpuopt also says which function raised it. In these files <number> stands for any
number, and <device> for the name of any device; a backslash continues a line. --write: shows what would be written
instead of comparing. Listings run one after another, in processes of their own; comments are left out of them.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
_IMPORT = re.compile(r"^(import|from) (cupy|numba|gpuoptional)\b", re.MULTILINE)
_FUNCTION = re.compile(r"^(\w+Error): \w+: ")
_PLACEHOLDERS = {"<number>": r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", "<device>": r"<(?:CPU|CUDA) Device \d+>"}


def replaced(text):
    """A listing that uses gpuopt."""
    return _IMPORT.sub(r"\1 gpuopt", text)


def output_of(listing):
    """What a listing prints, and the last line of the exception that ends it."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / listing.name
        program.write_text(replaced(listing.read_text(encoding="utf-8")), encoding="utf-8")
        command = [sys.executable, "-X", "utf8", str(program)]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=folder, check=False)
    exception = done.stderr.strip().splitlines()[-1:] if done.returncode else []
    exception = [_FUNCTION.sub(r"\1: ", line) for line in exception]
    return done.stdout + "".join(line + "\n" for line in exception), done.stderr


def _one_space(line):
    return re.sub(r"\[ ", "[", " ".join(line.split())).replace(" ]", "]")


def _pattern(line):
    parts = re.split("(" + "|".join(_PLACEHOLDERS) + ")", _one_space(line))
    return "".join(_PLACEHOLDERS.get(part, re.escape(part)) for part in parts)


def same(expected, printed):
    """Whether the lines are the same, up to spaces and placeholders."""
    wanted, found = expected.replace("\\\n", "").splitlines(), printed.splitlines()
    return len(wanted) == len(found) and all(re.fullmatch(_pattern(w), _one_space(f)) for w, f in zip(wanted, found))


def main():
    """Runs the listings that are named, or all of them; the exit status says whether all printed what they should."""
    names = [a for a in sys.argv[1:] if a != "--write"]
    listings = [HERE / f"{n.removesuffix('.py')}.py" for n in names] or sorted(HERE.glob("[0-9]*.py"))
    failed = []
    for listing in listings:
        printed, errors = output_of(listing)
        if "--write" in sys.argv:
            print(f"---- {listing.name}\n{printed}", end="")
            continue
        expected = listing.with_suffix(".txt").read_text(encoding="utf-8")
        good = same(expected, printed)
        print(f"{'ok    ' if good else 'FAILED'} {listing.name}", flush=True)
        if not good:
            failed.append(listing.name)
            print(f"expected:\n{expected}printed:\n{printed}{errors[-3000:]}")
    print(f"{len(listings) - len(failed)} of {len(listings)} listings print what they should")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
