# tests/data/print/make_vectors.py -- writes vectors.txt: arrays and what NumPy's str() and repr() make of them
#
# Needs NumPy 2.3 or newer. Per case: "case dtype precision threshold edgeitems linewidth ndim shape...", the elements'
# bytes in hex (or "arange" for 0, 1, 2, ...), then "str N" and "repr N", each followed by N lines of text.
import os
import sys

import numpy as np

assert np.lib.NumpyVersion(np.__version__) >= "2.3.0"
rng = np.random.default_rng(20250101)
out = []


def case(a, precision=8, threshold=1000, edgeitems=3, linewidth=75, arange=False):
    a = np.asarray(a)
    with np.printoptions(precision=precision, threshold=threshold, edgeitems=edgeitems, linewidth=linewidth):
        texts = {"str": str(a), "repr": repr(a)}
    head = [a.dtype.name, precision, threshold, edgeitems, linewidth, a.ndim, *a.shape]
    out.append("case " + " ".join(map(str, head)))
    out.append("arange" if arange else a.tobytes().hex() or "-")
    for kind, text in texts.items():
        lines = text.split("\n")
        out.append(f"{kind} {len(lines)}")
        out.extend(lines)


FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.0, 10.0, 100.0, 999.0, 1000.0, 1001.0, 1e-4, 9.9e-5, 1.1e-4, 1e-5, 1e5,
           1e6, 999999.0, 1e7,
           1e8, 99999999.0, 123456789.0, 1e15, 1e16, 1e22, 1e23, 1e-7, 6e-8, 5e-324, 1e-310, 1.7976931348623157e308,
           3.4e38, 65504.0,
           0.1, 0.2, 0.3, 1 / 3, 2 / 3, np.pi, np.e, np.nan, np.inf, -np.inf, 1.23456785, 1.234567885, 0.000123456785,
           2.0**-20,
           2.0**-44, 2.0**60, 16777216.0, 9007199254740993.0, 4.35, 0.29, 1.0000001, 9.9999999, 99.999999999]

with np.errstate(all="ignore"):
    for name in FLOATS + COMPLEX:
        for v in SPECIAL:
            x = np.array(v).astype(name)
            case(x)
            case(x.reshape(1))
            case(np.array([v, 1.0]).astype(name))
    for name in FLOATS:
        t = np.dtype(name).type
        for _ in range(60):
            n = int(rng.integers(1, 9))
            style = int(rng.integers(0, 6))
            if style == 0:
                a = rng.standard_normal(n)
            elif style == 1:
                a = rng.integers(-50, 50, n) / 4
            elif style == 2:
                a = 10.0 ** rng.uniform(-9, 9, n)
            elif style == 3:
                a = rng.choice(SPECIAL, n)
            elif style == 4:
                a = np.round(rng.standard_normal(n) * 1000, int(rng.integers(0, 4)))
            else:
                a = rng.choice([0.0, 1.0, 2.0, np.nan, -np.inf], n)
            case(a.astype(name))
        for p in (1, 2, 3, 4, 6, 10, 17, 30):
            case((rng.standard_normal(7) * 10).astype(name), precision=p)
            case((10.0 ** rng.uniform(-6, 3, 5)).astype(name), precision=p)
        case(rng.standard_normal((3, 4)).astype(name))
        case(rng.standard_normal((2, 3, 4)).astype(name))
        case(rng.standard_normal((2, 1, 2, 3)).astype(name))
        case(rng.standard_normal(40).astype(name))
        case(rng.standard_normal((4, 30)).astype(name))
        case(np.full(3, np.nan).astype(name))
        case(np.array([np.nan, -np.inf, np.inf]).astype(name))
        case(np.array([-np.inf, 1]).astype(name))
        case(np.array([np.inf, -123.25]).astype(name))
        case(np.zeros(4, name))
        case(np.array([0.0, -0.0]).astype(name))
        case(np.frombuffer(rng.bytes(t(0).itemsize * 12), name))
        case(np.frombuffer(rng.bytes(t(0).itemsize * 12), name))
    for name in COMPLEX:
        for _ in range(30):
            n = int(rng.integers(1, 6))
            parts = rng.choice(SPECIAL, (2, n)) if rng.random() < 0.5 else rng.standard_normal((2, n))
            z = np.empty(n, name)
            z.real, z.imag = parts
            case(z)
            case(z[0])
        case((rng.standard_normal((3, 4)) + 1j * rng.standard_normal((3, 4))).astype(name))
        case((rng.integers(-9, 9, (3, 4)) + 1j * rng.integers(-9, 9, (3, 4))).astype(name))
    for name in INTS:
        info = np.iinfo(name)
        for v in (0, 1, 42, info.min, info.max):
            case(np.array(v, name))
            case(np.array([v, 7], name))
        case(rng.integers(info.min, info.max, (3, 5), name, endpoint=True))
        case(rng.integers(info.min, info.max, 30, name, endpoint=True))
        case(np.zeros((2, 2, 2), name))
    for v in (True, False):
        case(np.array(v))
        case(np.array([v]))
        case(np.array([[v, not v], [True, True]]))
    case(rng.random(40) < 0.5)
    for name in ["bool", "int32", "int64", "float32", "float64", "complex128"]:
        for shape in [(0,), (0, 3), (3, 0), (2, 0, 4)]:
            case(np.empty(shape, name))
    # summarised
    for name, shape in [("int64", (1001,)), ("float64", (2000,)), ("float32", (50, 50)), ("int16", (7, 200)),
                        ("int64", (6, 6, 40)),
                        ("int32", (20, 10, 8)), ("float64", (1, 1001)), ("uint8", (1001, 1)),
                        ("int64", (2, 2, 2, 300))]:
        a = np.arange(np.prod(shape)).astype(name).reshape(shape)
        case(a, arange=True)
    for name, shape, threshold, edge in [("int64", (10,), 5, 2), ("int64", (10, 10), 5, 1), ("float64", (5, 6), 10, 2),
                                         ("int64", (4, 9), 10, 2), ("int32", (100,), 99, 10), ("int64", (40,), 10, 15),
                                         ("float32", (3, 3, 30), 10, 2)]:
        case(np.arange(np.prod(shape)).astype(name).reshape(shape), threshold=threshold, edgeitems=edge, arange=True)
    case(rng.standard_normal((60, 60)))
    # line widths
    for width in (10, 20, 21, 22, 23, 40, 100):
        case(np.arange(30), linewidth=width)
        case(rng.standard_normal((2, 12)), linewidth=width)
        case(np.arange(6, dtype="int16"), linewidth=width)
        case(np.arange(12, dtype="float32").reshape(2, 6), linewidth=width)
    # the example of the project's main job
    case(np.array([[-0.0596511, 0.0, -1.27903946], [1.2, np.inf, 0.25], [0.5, -3.0, 1e-3]]))

path = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "vectors.txt")
with open(path, "w") as f:
    f.write("\n".join(out) + "\n")

# All float16 numbers at once, too many to list: the 64-bit FNV-1a hash of the lines str() makes of bits 0, 1, ...
# 0x7bff.
digest = 0xCBF29CE484222325
for x in np.arange(0x7C00, dtype="u2").view("f2"):
    for byte in (str(x) + "\n").encode():
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
with open(os.path.join(os.path.dirname(path), "float16_hash.txt"), "w") as f:
    f.write(f"{digest}\n")
print(len([x for x in out if x.startswith("case ")]), "cases")
