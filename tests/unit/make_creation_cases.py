#!/usr/bin/env python3
# tests/unit/make_creation_cases.py -- writes creation_cases.h: what NumPy 2 answers to the functions of
# gpuopt_creation.h, or that it refuses them. The form of the cases and the operands are those of
# make_selection_cases.py.
from pathlib import Path

import numpy as np

import make_selection_cases as base

add, cases = base.add, base.cases
cases.clear()


def scalar(x):
    """A number as an option: i or f or c, and its value."""
    if isinstance(x, complex):
        return f"c{x.real!r}:{x.imag!r}"
    return f"i{x}" if isinstance(x, int) else f"f{x!r}"


for start, stop in ((0, 10), (1.5, -2.5), (1 + 2j, 3 - 1j), (2, 3j), (0.0, 1e-320)):
    for num in (0, 1, 2, 7):
        for endpoint in (0, 1):
            add(
                "linspace",
                f"start={scalar(start)} stop={scalar(stop)} num={num} endpoint={endpoint} dtype=default",
                [],
                lambda: np.linspace(start, stop, num, bool(endpoint)),
            )
for dtype in ("int8", "int64", "float16", "float32", "complex64"):
    add("linspace", f"start=i-5 stop=i7 num=6 endpoint=1 dtype={dtype}", [], lambda: np.linspace(-5, 7, 6, dtype=dtype))
    add(
        "logspace",
        f"start=0.0 stop=2.0 num=5 endpoint=1 base=3.0 dtype={dtype}",
        [],
        lambda: np.logspace(0, 2, 5, base=3, dtype=dtype),
    )
    add(
        "geomspace",
        f"start=i1 stop=i64 num=4 endpoint=1 dtype={dtype}",
        [],
        lambda: np.geomspace(1, 64, 4, dtype=dtype),
    )
add("linspace", "start=i0 stop=i1 num=-1 endpoint=1 dtype=default refused", [], lambda: np.linspace(0, 1, -1))
for start, stop in ((1, 1000), (-2.0, -512.0), (1000.0, 0.001), (1j, 16j), (1 + 1j, -3 + 2j)):
    for num, endpoint in ((0, 1), (1, 1), (4, 1), (3, 0)):
        add(
            "geomspace",
            f"start={scalar(start)} stop={scalar(stop)} num={num} endpoint={endpoint} dtype=default",
            [],
            lambda: np.geomspace(start, stop, num, bool(endpoint)),
        )
add("geomspace", "start=i0 stop=i1 num=3 endpoint=1 dtype=default refused", [], lambda: np.geomspace(0, 1, 3))
for dtype in ("bool", "int8", "uint64", "float16", "float32", "float64", "complex64"):
    for n in (-1, 0, 1, 4):
        for increasing in (0, 1):
            columns = None if n < 0 else n
            if not (dtype == "float16" and n < 0):
                add(
                    "vander",
                    f"n={n} increasing={increasing}",
                    [f"{dtype} 3"],
                    lambda x: np.vander(x, columns, bool(increasing)),
                )
add("vander", "n=2 increasing=0 refused", ["int8 2 2"], lambda x: np.vander(x, 2))
for shape in ((), (3,), (2, 3), (2, 0, 2), (2, 1, 3)):
    for dtype in ("int64", "int8", "float32"):
        if shape:
            add(
                "indices",
                f"shape={','.join(map(str, shape))} dtype={dtype}",
                [],
                lambda: np.indices(shape, dtype=dtype),
            )
pairs = (
    ("float64 3", "float64 2 1", 0),
    ("int8 2 3", "int64 3", -1),
    ("float32 3", "float32 3", 1),
    ("float32 2", "float64 2", 1),
    ("complex64 2", "float32 2", 0),
    ("complex128 1 2", "complex128 3 1", 1),
    ("float16 2", "bool 2", 0),
    ("float64", "uint16 3", 0),
    ("float64 0", "float64 1", 1),
)
for x, y, axis in pairs:
    for num, endpoint in ((5, 1), (4, 0), (1, 1), (1, 0), (0, 1)):
        options = f"num={num} endpoint={endpoint} axis={axis}"
        between = {"num": num, "endpoint": bool(endpoint), "axis": axis}
        add("linspace_between", options + " dtype=default", [x, y], lambda a, b: np.linspace(a, b, **between))
        add("logspace_between", options + " dtype=default", [x, y], lambda a, b: np.logspace(a, b, base=2.0, **between))
        if "float16" not in x:  # NumPy's rounds to it in between
            add(
                "geomspace_between",
                options + " dtype=default",
                [x, y],
                lambda a, b: np.geomspace(a * 2 + 1, b * 2 + 1, **between),
            )
for dtype in ("int8", "int64", "float16", "float32", "complex64", "bool"):
    options = f"num=4 endpoint=1 axis=-2 dtype={dtype}"
    between = {"num": 4, "axis": -2, "dtype": dtype}
    add("linspace_between", options, ["int8 2", "int64 2"], lambda a, b: np.linspace(a, b, **between))
    if dtype not in ("bool", "int8"):  # which not all of the numbers fit into
        add("logspace_between", options, ["bool 2", "uint16 2"], lambda a, b: np.logspace(a, b, base=2.0, **between))
add("steps_between", "num=5 endpoint=1", ["float64 3", "int8 2 1"], lambda a, b: np.linspace(a, b, 5, retstep=True)[1])
add("steps_between", "num=1 endpoint=0", ["float64 3", "int8 3"], lambda a, b: np.linspace(a, b, 1, False, True)[1])
add(
    "bases_between",
    "num=3 axis=1",
    ["float64 2", "float64 3 1", "uint16 3 2"],
    lambda a, b, base: np.logspace(a, b, 3, base=base, axis=1),
)
for name in ("linspace_between", "logspace_between", "geomspace_between"):
    function = getattr(np, name.split("_")[0])
    options = "num=%d endpoint=1 axis=%d dtype=default refused"
    add(name, options % (-1, 0), ["uint16 2", "uint16 2"], lambda a, b: function(a, b, -1))
    add(name, options % (3, 2), ["int8 2", "int8 2"], lambda a, b: function(a * 2 + 1, b * 2 + 1, 3, axis=2))
    add(name, options % (3, 0), ["int8 2", "int8 3"], lambda a, b: function(a, b, 3))
axes = (
    ("i0:i3:i1", np.s_[0:3]),
    ("f0.0:f1.0:f0.25", np.s_[0.0:1.0:0.25]),
    ("i5:i-1:i-2", np.s_[5:-1:-2]),
    ("i0:i1:c0.0,5.0", np.s_[0:1:5j]),
)
for text, item in axes:
    add("mgrid", f"axes={text}", [], lambda: np.mgrid[(item,)])
for (text, item), (other, second) in zip(axes, axes[1:]):
    add("mgrid", f"axes={text};{other}", [], lambda: np.mgrid[item, second])
    add(
        "ogrid",
        f"axes={text};{other}",
        [],
        lambda: (
            tuple(np.ogrid[item, second])
            if text[0] == other[0] == "i" and "c" not in other
            else tuple(np.asarray(a, float) for a in np.ogrid[item, second])
        ),
    )
for name in ("bartlett", "blackman", "hamming", "hanning"):
    for n in (-1, 0, 1, 2, 5, 8):
        add(name, f"n={n}", [], lambda: np.asarray(getattr(np, name)(n), float))
for beta in (0.0, 2.5, 14.0, 30.0):
    for n in (0, 1, 2, 5, 8):
        add("kaiser", f"n={n} beta={beta}", [], lambda: np.kaiser(n, beta))
for dtype in ("float64", "int8", "bool"):
    add("i0", "scale=1", [f"{dtype} 11"], lambda x: np.i0(x))
add("i0", "scale=7", ["float64 11"], lambda x: np.i0(7 * x))
add(
    "sliding_window_view",
    "sizes=2,3 axes=none",
    ["int32 3 4"],
    lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 3)),
)
add(
    "sliding_window_view",
    "sizes=2,2 axes=1,1",
    ["int32 3 4"],
    lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2), (1, 1)),
)
add(
    "sliding_window_view",
    "sizes=5 axes=0 refused",
    ["int32 3 4"],
    lambda x: np.lib.stride_tricks.sliding_window_view(x, 5, 0),
)
add(
    "sliding_window_view",
    "sizes=2 axes=none refused",
    ["int32 3 4"],
    lambda x: np.lib.stride_tricks.sliding_window_view(x, 2),
)
for dtype in base.DTYPES[1:]:
    for decimals in (-1, 0, 1, 3):
        add(
            "round",
            f"decimals={decimals} by=7",
            [f"{dtype} 11"],
            lambda x: np.round(x if x.dtype.kind in "iu" else x / x.dtype.type(7), decimals),
        )
for decimals in (-1, 0, 2):
    add("round", f"decimals={decimals} by=3", ["float32 4 3"], lambda x: np.round(x / np.float32(3), decimals))

if __name__ == "__main__":
    with open(Path(__file__).with_name("creation_cases.h"), "w", encoding="ascii") as out:
        out.write(
            "// tests/unit/creation_cases.h -- generated by make_creation_cases.py with NumPy; do not edit.\n"
            "// clang-format off\n// NOLINTBEGIN\nstatic const char *const kCreationCases[] = {\n"
        )
        for case in cases:
            out.write(f'    "{case}",\n')
        out.write("};\n// NOLINTEND\n// clang-format on\n")
