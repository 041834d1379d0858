#!/usr/bin/env python3
# tests/unit/make_core_promotion_table.py -- writes core_promotion_table.h: what NumPy 2 says about promotion, casts and
# weak scalars.
#
# bfloat16 is not NumPy's. Its rows follow the rule behind float16's (NEP 50: an integer goes with a float whose
# significand holds it, 8-bit ones with either 16-bit float): written out here, so that the table does not come from the
# code it tests.
import sys
from pathlib import Path

import numpy as np

NAMES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
         "float32", "float64",
         "complex64", "complex128"]
BFLOAT16 = {"bool": "bfloat16", "int8": "bfloat16", "int16": "float32", "int32": "float64", "int64": "float64",
            "uint8": "bfloat16",
            "uint16": "float32", "uint32": "float64", "uint64": "float64", "float16": "float32", "bfloat16": "bfloat16",
            "float32": "float32", "float64": "float64", "complex64": "complex64", "complex128": "complex128"}
KIND_ORDER = {"b": 0, "u": 1, "i": 2, "f": 3, "c": 4}


def promote(a, b):
    if a == "bfloat16" or b == "bfloat16":
        return BFLOAT16[b if a == "bfloat16" else a]
    return np.promote_types(a, b).name


def kind(name):
    return "f" if name == "bfloat16" else np.dtype(name).kind


def can_cast(a, b, rule):
    if "bfloat16" not in (a, b):
        return np.can_cast(a, b, rule)
    return promote(a, b) == b or (rule == "same_kind" and KIND_ORDER[kind(a)] <= KIND_ORDER[kind(b)])


def weak(name, scalar):
    if name != "bfloat16":
        return np.result_type(np.empty(0, name), scalar).name
    return {bool: "bfloat16", int: "bfloat16", float: "bfloat16", complex: "complex64"}[type(scalar)]


def main():
    out = ["// tests/unit/core_promotion_table.h -- made by make_core_promotion_table.py with NumPy " + np.__version__
           + "; do not edit.\n",
           "#pragma once\n\nnamespace gpuopt::test {\n\n"]
    out.append("inline constexpr const char *kPromotion[15][15] = {\n")
    out += ["    {" + ", ".join(f'"{promote(a, b)}"' for b in NAMES) + "},\n" for a in NAMES]
    out.append("};\n\n// [rule][from][to]; 0 safe, 1 same kind\ninline constexpr bool kCastable[2][15][15] = {\n")
    for rule in ("safe", "same_kind"):
        out.append("    {\n")
        out += ["        {" + ", ".join(str(bool(can_cast(a, b, rule))).lower() for b in NAMES) + "},\n" for a in NAMES]
        out.append("    },\n")
    out.append("};\n\n// An array with a Python bool, int, float, complex.\n"
               "inline constexpr const char *kWeakPromotion[15][4] = {\n")
    out += ["    {" + ", ".join(f'"{weak(a, s)}"' for s in (True, 1, 1.0, 1j)) + "},\n" for a in NAMES]
    out.append("};\n\n}  // namespace gpuopt::test\n")
    (Path(__file__).parent / "core_promotion_table.h").write_text("".join(out))


if __name__ == "__main__":
    sys.exit(main())
