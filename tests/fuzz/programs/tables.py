# tests/fuzz/programs/tables.py -- the project's own tables (ops.def, dtypes.def, oracle.def) as Python sees them, and
# the rules of promotion.
#
# Promotion is written out here and not asked of NumPy's ufuncs: it is the array API's and NEP 50's, which NumPy has
# only since 2.0 (1.24 looks at the values of 0-d operands and numbers). np.promote_types of two dtypes is the same in
# both.
import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]


class Row:
    def __init__(self, name, inputs, kinds, result):
        self.name, self.inputs, self.kinds, self.result = name, inputs, kinds, result


def _read(path, pattern):
    return [match.groups() for match in re.finditer(pattern, (ROOT / path).read_text(), re.M)]


OPS = {name: Row(name, int(nin), kinds, result)
       for name, nin, kinds, result in _read("abi/gpuopt/ops.def", r'^GPUOPT_OP_ROW\((\w+), (\d), "([^"]*)", (\w+)')}
REDUCTIONS = {name: Row(name, 1, kinds, result)
              for name, kinds, result in _read("abi/gpuopt/ops.def", r'^GPUOPT_REDUCTION\((\w+), "([^"]*)", (\w+)')}
SCANS = {name: Row(name, 1, kinds, result)
         for name, kinds, result in _read("abi/gpuopt/ops.def", r'^GPUOPT_SCAN\((\w+), "([^"]*)", (\w+)')}
# The error allowed of each operation in ULP, in float32 and in float64; 0 for what is exact.
ULPS = {name: tuple(0.0 if u == "EXACT" else float(u) for u in (ulp32, ulp64))
        for name, ulp32, ulp64 in _read("tests/oracle.def", r"^GPUOPT_ORACLE\((\w+), ([\w.]+), ([\w.]+),")}
# What tests/oracle.def says each operation gives, in C++.
ORACLE = dict(_read("tests/oracle.def", r"^GPUOPT_ORACLE\((\w+), [\w.]+, [\w.]+, (.*)\)$"))

_ROWS = _read("abi/gpuopt/dtypes.def", r"^GPUOPT_DTYPE\(\w+, (\w+), '(.)', (\d+),")
DTYPES = [name for name, _, _ in _ROWS]  # DTYPES[i] has the number i + 1
KIND = {name: kind for name, kind, _ in _ROWS}
SIZE = {name: int(size) for name, _, size in _ROWS}

STATUS = {name: int(number) for name, number in _read("abi/gpuopt/status.def",
                                                      r"^GPUOPT_STATUS\((?:ERR_)?(\w+), (\d+),")}

# bfloat16 is not NumPy's: an integer goes with a float whose significand holds it, 8-bit ones with either 16-bit float.
_WITH_BFLOAT16 = {"bool": "bfloat16", "int8": "bfloat16", "uint8": "bfloat16", "int16": "float32", "uint16": "float32",
                  "float16": "float32"}


def stored(dtype):
    """The NumPy dtype that holds the bytes of an element: bfloat16 is held as its 16 bits."""
    return np.dtype("uint16" if dtype == "bfloat16" else dtype)


def promote(a, b):
    if a == b:
        return a
    if "bfloat16" in (a, b):
        other = b if a == "bfloat16" else a
        if other in _WITH_BFLOAT16:
            return _WITH_BFLOAT16[other]
        return other if KIND[other] in "fc" else "float64"
    return np.promote_types(a, b).name


def promote_all(dtypes):
    """What dtypes promote to together, which is no matter of pairs: int8, uint16 and float32 give float32."""
    if "bfloat16" not in dtypes:
        return np.result_type(*(stored(dtype) for dtype in dtypes)).name
    first, *rest = sorted(dtypes, key=lambda dtype: "cfiu?".index(KIND[dtype]))
    for dtype in rest:
        first = promote(first, dtype)
    return first


def promote_weak(strong, kind):
    """What a number of a kind (of gpuopt_scalar) makes of arrays of dtype `strong`."""
    rank = {"?": 0, "i": 1, "u": 1, "f": 2, "c": 3}
    if rank[kind] <= rank[KIND[strong]]:
        return strong
    if kind in "iu":
        return "int64"
    if kind == "f":
        return "float64"
    return "complex64" if strong in ("float16", "bfloat16", "float32") else "complex128"


def real_of(dtype):
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def loop_of(row, promoted):
    """The dtype an operation computes in, or None where it has no loop."""
    if KIND[promoted] in row.kinds:
        return promoted
    return "float64" if KIND[promoted] in "?iu" and "f" in row.kinds else None


def same_kind(a, b):
    """NumPy's same_kind rule."""
    order = {"?": 0, "u": 1, "i": 2, "f": 3, "c": 4}
    return promote(a, b) == b or order[KIND[a]] <= order[KIND[b]]
