# abi/writers/tables.py -- the rows of the tables in abi/gpuopt, and their names in the languages of the bindings.
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ABI = ROOT / "abi" / "gpuopt"
SHARED = ROOT / "plugins" / "shared"
RUST = ROOT / "bindings" / "rust"
GO = ROOT / "bindings" / "go"
ROW = re.compile(r'^GPUOPT_(OP|REDUCTION|SCAN)(?:_ROW)?\((\w+), (?:(\d), )?"([^"]*)", (\w+), (?:(\w+), (\d+), '
                 r')?"([^"]*)"\)$', re.M)
KINDS = {"?": "bool", "i": "signed", "u": "unsigned", "f": "real", "c": "complex"}
RESULT = {
    "SAME": "the promoted dtype",
    "BOOL": "bool",
    "REAL": "the promoted dtype; of complex numbers its real component",
    "LOGICAL": "bool (inputs count as x != 0)",
    "SELECT": "the promoted dtype of x2 and x3 (x1 counts as x1 != 0)",
    "SUM": "int64 for bool and signed, uint64 for unsigned integers, else the dtype of x",
    "INDEX": "int64",
}

FAMILY = re.compile(r'^GPUOPT_OP_FAMILY\((\w+), "([^"]*)"\)$', re.M)


def families():
    return dict(FAMILY.findall((ABI / "ops.def").read_text()))


def check_rows():
    """Ends with what is wrong with a row that nothing below would see."""
    text = (ABI / "ops.def").read_text()
    for line in re.findall(r"^GPUOPT_.*$", text, re.M):
        if not ROW.match(line) and not FAMILY.match(line):
            sys.exit(f"ops.def: this is not a row as its head describes it: {line}")
    for row in rows("OP"):
        if row["family"] not in families():
            sys.exit(f"ops.def: {row['name']} is of the family {row['family']}, which has no row")


def rows(kind):
    for m in ROW.finditer((ABI / "ops.def").read_text()):
        if m[1] == kind:
            yield {"name": m[2], "nin": int(m[3] or 1), "kinds": m[4], "result": m[5], "family": m[6], "doc": m[8]}


def dtypes(row):
    kinds = ", ".join(KINDS[k] for k in row["kinds"])
    if row["result"] in ("LOGICAL", "SELECT") or (row["result"] == "BOOL" and row["kinds"] == "?"):
        kinds = "any"
    elif row["kinds"][0] in "f" or row["kinds"] == "fc":
        kinds += " (bool and integers as float64)"
    return f'dtypes: {kinds}; result: {RESULT[row["result"]]}.'


STATUS = re.compile(r'^GPUOPT_(STATUS|REASON)\((\w+), (\d+), "([^"]*)"', re.M)
DTYPE = re.compile(r"^GPUOPT_DTYPE\((\w+), (\w+),", re.M)


def numbered():
    """(table, NAME, number, sentence) of statuses, reasons and dtypes."""
    for kind, name, number, sentence in STATUS.findall((ABI / "status.def").read_text()):
        yield kind, name, int(number), sentence[0].upper() + sentence[1:] + "."
    for row, (name, text) in enumerate(DTYPE.findall((ABI / "dtypes.def").read_text())):
        yield "DTYPE", name, row + 1, f"The dtype {text}."


def short(name):
    return name.removeprefix("ERR_")


def camel(name):
    known = {"isnan": "IsNaN", "isinf": "IsInf", "isfinite": "IsFinite", "nanmin": "NanMin", "nanmax": "NanMax",
             "argmin": "ArgMin",
             "argmax": "ArgMax", "logaddexp": "LogAddExp", "bfloat16": "BFloat16"}
    if name.lower() in known:
        return known[name.lower()]
    if name.lower().startswith("uint"):
        return "UInt" + name[4:]
    return "".join({"io": "IO", "jit": "JIT", "abi": "ABI"}.get(w, w.capitalize()) for w in name.lower().split("_"))


def parameters(row):
    return ["x"] if row["nin"] == 1 else [f"x{i + 1}" for i in range(row["nin"])]
