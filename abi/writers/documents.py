# abi/writers/documents.py -- the operations in docs/coming-from.md; and of settings.def, what docs/environment.md and
# gpuopt(1) say.
import re
import sys
import textwrap

from .tables import ROOT, SHARED, families, rows

COMING_FROM = ROOT / "docs" / "coming-from.md"
TABLE = re.compile(r"(<!-- The operations, written by abi/generate.py. -->\n).*?(<!-- The end of the operations. "
                   r"-->\n)", re.S)


def operations_table():
    out = ["\n| Family | Functions |\n|---|---|\n"]
    for family, sentence in families().items():
        names = " ".join(f"`{row['name']}`" for row in rows("OP") if row["family"] == family)
        out.append(f"| {sentence.removesuffix('.')} | {names} |\n")
    return "".join(out + ["\n"])


def coming_from():
    text, tables = TABLE.subn(lambda m: m[1] + operations_table() + m[2], COMING_FROM.read_text())
    if tables != 1:
        sys.exit("docs/coming-from.md has no place for the operations")
    return text


def settings():
    """Rows of settings.def as dictionaries of their columns."""
    table = (SHARED / "host" / "settings.def").read_text()
    columns = ("name", "place", "kind", "accepted", "fallback", "read", "meaning")
    string = r'\s*((?:"[^"]*"\s*)+)'
    for row in re.findall(rf"^GPUOPT_SETTING\((\w+), (\w+), (\w+),{string},{string},{string},{string}\)", table, re.M):
        yield dict(zip(columns, (*row[:3], *("".join(re.findall(r'"([^"]*)"', text)) for text in row[3:]))))


def environment_page():
    def section(found):
        head = "\n| Variable | Values | Default | Meaning | Read |\n|---|---|---|---|---|\n"
        cells = ("accepted", "fallback", "meaning", "read")
        rows = [r for r in settings() if r["place"] == found[2]]
        return head + "".join(f"| `{r['name']}` | " + " | ".join(r[c] for c in cells) + " |\n" for r in rows) + "\n"

    begin = r"<!-- settings of (\w+), from settings.def by abi/generate.py -->"
    path = ROOT / "docs" / "environment.md"
    return re.sub(rf"({begin}\n)(?:.*?)(<!-- end of settings -->\n)",
                  lambda found: found[1] + section(found) + found[3], path.read_text(), flags=re.S)


def manual_page():
    def entry(row):
        meaning = row["meaning"][0].upper() + row["meaning"][1:]
        text = f"{meaning}: {row['accepted']} (default: {row['fallback']}); read {row['read']}."
        lines = textwrap.wrap(text, 80, break_long_words=False, break_on_hyphens=False)
        return f".It Ev {row['name']}\n" + "".join(line + "\n" for line in lines)

    path = ROOT / "packaging" / "man" / "gpuopt.1"
    begin, end = '(\\.\\\\" Generated from settings.def by abi/generate.py\n)', '(\\.\\\\" End of what is generated\n)'
    return re.sub(f"{begin}(?:.*?){end}", lambda found: found[1] + "".join(map(entry, settings())) + found[2],
                  path.read_text(), flags=re.S)
