# abi/writers/names.py -- docs/names.md: the names of the array API, NumPy, SciPy and CuPy against C, C++, Rust and Go.
#
# abi/names.txt lists the names by section. A line is one of
#   name                           the languages have it under this name, each in its own spelling
#   name = other                   they have it under another name
#   name = c | c++ | rust | go     each has a name of its own; `-` where a language has none
#   name ! reason                  there is none, and why; `@word` stands for a reason that several names have
# and above the first section each of these is said: `@word = reason`, indented where it takes more lines.
# What a language has is read from its sources, so that the table cannot promise what is not there.
import re
import sys
import textwrap

from writers.tables import ABI, GO, ROOT, RUST, rows

NAMES = ROOT / "abi" / "names.txt"
PAGE = ROOT / "docs" / "names.md"
LANGUAGES = ("C", "C++", "Rust", "Go")
HEAD = """# Names

<!-- Written by abi/generate.py from abi/names.txt and the sources of the bindings. -->

The functions of the array API standard 2025.12, and of the documentation of NumPy 2, SciPy and CuPy, and what C, C++,
Rust and Go call them here. In C each has the prefix `gpuopt_`, and those of generators of random numbers
`gpuopt_random_state_` and `gpuopt_generator_`. `yes` is the same name in the spelling of the language: `CumulativeSum`
in Go. `--` is missing there. A name that is the method of an object in one language may be a function in another. Of
SciPy and `cupyx.scipy` the families `linalg` and `fft` are listed whole, of `special` and `signal` the names that are
here.

"""


def squeezed(name):
    """Returns the name as it is compared: Go writes NanSum for nansum and CumulativeSum for cumulative_sum."""
    return name.replace("_", "").lower()


def found(paths, *patterns):
    """Returns the names that the patterns find in the files."""
    return {squeezed(name) for path in paths for pattern in patterns
            for name in re.findall(pattern, path.read_text(), re.M)}


def declared():
    """Returns the names that each language declares."""
    tables = {squeezed(row["name"]) for kind in ("OP", "REDUCTION", "SCAN") for row in rows(kind)}
    c = found(ABI.glob("*.h"), r"\bgpuopt_(?:random_state_|generator_)?(\w+)\(")
    cpp = found([*(ABI / "hpp").glob("*.hpp"), *ABI.glob("*.hpp")], r"^ *[^/\n]*?[\w>*&] [*&]?(?!gpuopt_)(\w+)\(",
                r"^ *(?:explicit )?(\w+)\(", r"^GPUOPT_\w+\((\w+)\)$", r"^ *GPUOPT_MEMBER\((\w+)\(",
                r"^(?:class|struct) (\w+)")
    rust = found((RUST / "gpuopt" / "src").glob("*.rs"), r"\bpub (?:fn|struct) (\w+)", r"^ +(\w+),? gpuopt_\w+;")
    go = found(GO.glob("*.go"), r"^func (?:\([^)]*\) )?([A-Z]\w*)")
    return [names | tables for names in (c, cpp, rust, go)]


def shared_reasons(text):
    """Returns the reasons that have a word of their own, by this word."""
    entries = re.findall(r"^@(\w+) = (.*(?:\n  .*)*)", text, re.M)
    return {f"@{word}": " ".join(reason.split()) for word, reason in entries}


def cells(line, languages):
    """Returns the name of a line, what each language has for it, and the reason if there is none."""
    name, _, reason = (part.strip() for part in line.partition(" ! "))
    name, _, others = (part.strip() for part in name.partition(" = "))
    wanted = [other.strip() for other in (others or name).split("|")]
    if len(wanted) == 1:
        wanted *= len(LANGUAGES)
    if len(wanted) != len(LANGUAGES):
        sys.exit(f"names.txt: {name}: one name, or one for each of {', '.join(LANGUAGES)}")
    row = []
    for other, names in zip(wanted, languages):
        there = other != "-" and squeezed(re.split(r"[.:]", other)[-1]) in names
        row.append("--" if not there else "yes" if other == name else f"`{other}`")
    if reason and any(cell != "--" for cell in row):
        sys.exit(f"names.txt: {name} has a reason for not being there, and is there")
    return name, row, reason


def section(title, lines, languages, shared):
    """Returns the part of the page about one section; `shared` are the reasons that have a word."""
    text = f"## {title}\n\n| name | {' | '.join(LANGUAGES)} |\n|---|{'---|' * len(LANGUAGES)}\n"
    reasons = {}
    for name, row, reason in (cells(line, languages) for line in lines):
        if reason:
            reasons.setdefault(shared[reason] if reason.startswith("@") else reason, []).append(f"`{name}`")
        else:
            text += f"| `{name}` | {' | '.join(row)} |\n"
    for reason, names in reasons.items():
        text += "\n" + textwrap.fill(f"Not here, because {reason}: {' '.join(names)}.", 120) + "\n"
    return text


def names_page():
    """Returns docs/names.md."""
    languages, parts = declared(), []
    first, *rest = re.split(r"^\[", NAMES.read_text(), flags=re.M)
    shared = shared_reasons(first)
    for part in rest:
        title, *lines = part.split("\n")
        parts.append(section(title.rstrip("]"), [line for line in lines if line.strip()], languages, shared))
    return HEAD + "\n".join(parts)
