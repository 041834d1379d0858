#!/usr/bin/env python3
# tests/unit/make_apply_cases.py -- writes apply_cases.h: what NumPy 2 answers to reductions with where=, initial= and
# out=, and to ufuncs with out=, where=, casting= and dtype=, or that it refuses them. The form of the cases and the
# operands are those of make_selection_cases.py: x, then the mask if where=1, then the output array if out=1.
from pathlib import Path

import make_selection_cases as base
import numpy as np

add, cases = base.add, base.cases
cases.clear()
REAL = ["bool", "int8", "int64", "uint16", "uint64", "float16", "float32", "float64"]


def scalar(x):
    """A number as an option: i or f or c, and its value."""
    if x is None:
        return "none"
    if isinstance(x, complex):
        return f"c{x.real!r}:{x.imag!r}"
    return f"i{int(x)}" if isinstance(x, int) else f"f{x!r}"


def reduction(name, x, axes=None, keepdims=False, initial=None, mask=None, out=None, refused=False, **more):
    """A case of a reduction of x, an operand; so are the mask and out."""
    text = "all" if axes is None else ",".join(map(str, axes))
    options = [f"axes={text}", f"keepdims={int(keepdims)}", f"initial={scalar(initial)}"]
    options += [f"where={int(mask is not None)}", f"out={int(out is not None)}", f"correction={more.get('ddof', 0)}"]

    def call(x, *rest):
        rest, given = list(rest), dict(more)
        if mask is not None:
            given["where"] = rest.pop(0)
        if out is not None:
            given["out"] = rest.pop(0)
        if initial is not None:
            given["initial"] = initial
        try:
            return getattr(np, name)(x, axis=axes, keepdims=keepdims, **given)
        except OverflowError as error:
            raise ValueError(error) from error

    add(name, " ".join([*options, "refused"][: 6 + refused]), [o for o in (x, mask, out) if o is not None], call)


for d in base.DTYPES:
    start = {"bool": True, "c": 2 - 1j}.get(d if d == "bool" else d[0], 3)
    for name in ("sum", "prod", "any", "all", "mean", "var", "std"):
        sized = name in ("sum", "prod")
        reduction(name, f"{d} 3 4", (0,), mask="bool 3 4")
        reduction(name, f"{d} 3 4", (0, 1), keepdims=True, mask="bool 4", **({"initial": start} if sized else {}))
    for name in ("nansum", "nanprod", "nanmean", "nanvar"):
        reduction(name, f"{d} 2 3", (1,), mask="bool 2 3")
for d in REAL:
    start = True if d == "bool" else 3
    for name in ("max", "min", "nanmax", "nanmin"):
        reduction(name, f"{d} 3 4", (1,), initial=start)
        reduction(name, f"{d} 3 4", (0,), keepdims=True, initial=start, mask="bool 3 1")
        reduction(name, f"{d} 2 0", (1,), initial=start)
reduction("max", "float64 3 4", (1,), mask="bool 3 4", refused=True)
reduction("max", "float64 2 0", (1,), refused=True)
reduction("max", "int8 3", None, initial=300, refused=True)
reduction("min", "uint16 3", None, initial=-1, refused=True)
reduction("sum", "int64 3", None, initial=2.5)
reduction("sum", "float64 2 3", (), initial=2.5, mask="bool 2 3")
reduction("sum", "float64 2 3 4", (0, 2), initial=1, mask="bool 3 4")
reduction("sum", "float64 2 3", (1,), mask="int64 2 3", refused=True)
reduction("sum", "float64 3", (0,), mask="bool 2 3", refused=True)
reduction("sum", "float64 2 0", (1,), mask="bool 2 0", initial=7)
reduction("var", "float64 2 3", (1,), mask="bool 2 3", ddof=1)
reduction("std", "float32 2 5", (1,), mask="bool 2 5", ddof=5)
for x, out in (
    ("int8 2 3", "float32 3"),
    ("float64 2 3", "float32 3"),
    ("int64 2 3", "int8 3"),
    ("bool 2 3", "int64 3"),
):
    for name in ("sum", "max", "mean", "any"):
        reduction(name, x, (0,), out=out)
    reduction("sum", x, (0,), mask="bool 2 3", initial=1, out=out)
add(
    "argmax",
    "axes=0 keepdims=0 initial=none where=0 out=1 correction=0",
    ["float64 2 3", "int64 3"],
    lambda x, out: np.argmax(x, 0, out),
)
reduction("sum", "float64 2 3", (0,), out="float64 2", refused=True)
reduction("sum", "float64 2 3", (0,), out="float64 1 3", refused=True)
reduction("sum", "float64 2 3", (0,), keepdims=True, out="float64 1 3")


def ufunc(name, operands, mask=None, out=None, casting="same_kind", dtype=None, refused=False):
    """A case of an elementwise operation."""
    options = f"where={int(mask is not None)} out={int(out is not None)} casting={casting} dtype={dtype or 'default'}"
    count = len(operands)

    def call(*arrays):
        rest, given = list(arrays[count:]), {}
        if mask is not None:
            given["where"] = rest.pop(0)
            if out is None:
                given["out"] = np.zeros_like(getattr(np, name)(*arrays[:count]))
        if out is not None:
            given["out"] = rest.pop(0)
        return getattr(np, name)(*arrays[:count], casting=casting, dtype=dtype, **given)

    more = [o for o in (mask, out) if o is not None]
    add(name, options + (" refused" if refused else ""), [*operands, *more], call)


for d in base.DTYPES:
    ufunc("add", [f"{d} 3", f"{d} 2 3"], mask="bool 2 3")
    ufunc("add", [f"{d} 3", f"{d} 2 3"], mask="bool 3", out=f"{d} 2 3")
    ufunc("multiply", [f"{d} 3", f"{d} 1 3"], out=f"{d} 4 2 3")
    if d not in ("bool", "complex64", "complex128"):
        ufunc("maximum", [f"{d} 3", "int8 3"], out="int8 3", casting="unsafe")
ufunc("add", ["float64 1 3", "float64 3"], out="float64 3", refused=True)
ufunc("add", ["float64 3", "float64 3"], mask="bool 2 3", out="float64 3", refused=True)
ufunc("add", ["float64 3", "float64 3"], mask="int8 3", out="float64 3", refused=True)
ufunc("add", ["float64 3", "float64 3"], out="int64 3", refused=True)
ufunc("add", ["float64 3", "float64 3"], out="float32 3")
ufunc("add", ["float64 3", "float64 3"], out="float32 3", casting="safe", refused=True)
ufunc("add", ["int64 3", "int64 3"], out="int32 3", casting="no", refused=True)
ufunc("add", ["int64 3", "int64 3"], out="int64 3", casting="no")
ufunc("add", ["float64 3", "float64 3"], dtype="float32")
ufunc("add", ["float64 3", "int8 3"], dtype="int64", refused=True)
ufunc("add", ["float64 3", "int8 3"], dtype="int64", casting="unsafe")
ufunc("add", ["int8 3", "int8 3"], dtype="complex64")
ufunc("sqrt", ["uint16 3"], dtype="float32", mask="bool 3")
ufunc("equal", ["int64 3", "uint64 3"], out="bool 2 3", mask="bool 2 1")
ufunc("negative", ["float32 2 0"], mask="bool 2 1", out="float32 3 2 0")

with open(Path(__file__).with_name("apply_cases.h"), "w", encoding="ascii") as out:
    out.write(
        "// tests/unit/apply_cases.h -- generated by make_apply_cases.py with NumPy; do not edit.\n"
        "// clang-format off\n// NOLINTBEGIN\nstatic const char *const kApplyCases[] = {\n"
    )
    for case in cases:
        out.write(f'    "{case}",\n')
    out.write("};\n// NOLINTEND\n// clang-format on\n")
