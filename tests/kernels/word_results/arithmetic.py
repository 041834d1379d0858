"""tests/kernels/word_results/arithmetic.py -- arithmetic and conversions with a rounding mode."""

import math
import struct
from fractions import Fraction

import mpmath as mp

from .values import BITS, INF, NAN, bits_of, case, exactly, f32, near, numbers, of, random_words, root, rounded, signed

MODES = {"rn": "n", "rz": "z", "ru": "u", "rd": "d"}
EDGES = {
    "f": [0.0, -0.0, 1.0, INF, NAN, 2.0**-149, f32(3.4028234663852886e38), f32(0.1)],
    "d": [0.0, -0.0, 1.0, INF, NAN, 5e-324, 1.7976931348623157e308, 0.1],
}


def arithmetic():
    for kind, prefix in (("f", "f"), ("d", "d")):
        fma = "__fmaf" if kind == "f" else "__fma"
        for suffix, mode in MODES.items():
            two = numbers(kind, 2, 4) + [(EDGES[kind][6], EDGES[kind][6]), (EDGES[kind][7], 1.0), (1.0, EDGES[kind][5])]
            one = numbers(kind, 1, 3) + [(EDGES[kind][7],), (3.0,)]
            three = numbers(kind, 3, 4) + [(EDGES[kind][7], 3.0, -0.25), (1.0, 1.0, -EDGES[kind][5])]
            for name, f in (("add", lambda a, b: a + b), ("sub", lambda a, b: a - b), ("mul", lambda a, b: a * b)):
                of(
                    f"__{prefix}{name}_{suffix}",
                    kind,
                    kind * 2,
                    lambda *v, f=f: exactly(f, mode, kind, v),
                    nonzero(f, two),
                )
            divisions = [v for v in two if v[1]]
            of(
                f"__{prefix}div_{suffix}",
                kind,
                kind * 2,
                lambda *v: exactly(lambda a, b: a / b, mode, kind, v),
                divisions,
            )
            of(f"__{prefix}rcp_{suffix}", kind, kind, lambda *v: exactly(lambda a: 1 / a, mode, kind, v), one)
            of(f"__{prefix}sqrt_{suffix}", kind, kind, lambda a: root(a, mode, kind), [(abs(v[0]),) for v in one])
            of(
                f"{fma}_{suffix}",
                kind,
                kind * 3,
                lambda *v: exactly(lambda a, b, c: a * b + c, mode, kind, v),
                nonzero(lambda a, b, c: a * b + c, three),
            )
    # zeros, infinities and NaNs
    for word, args, answer in (
        ("__fadd_rd", (1.5, -1.5), -0.0),
        ("__fadd_ru", (1.5, -1.5), 0.0),
        ("__fadd_rd", (-0.0, -0.0), -0.0),
        ("__fmul_rz", (INF, 0.0), NAN),
        ("__fdiv_ru", (-1.0, 0.0), -INF),
        ("__fadd_rz", (INF, 1.0), INF),
    ):
        case(word, "f", "ff", f"{word}(a, b)", [(args, answer)])
    of("__frsqrt_rn", "f", "f", lambda a: near(1 / mp.sqrt(a), "f"), [(abs(v[0]),) for v in numbers("f", 1, 6)])


def nonzero(function, rows):
    """The sign of a zero is another matter."""
    return [v for v in rows if function(*map(Fraction, v)) != 0]


def conversions():
    def whole(x, mode, kind, bits_from):
        bits, is_signed = BITS[kind], kind in "il"
        if x != x:
            return 1 << (bits - 1) if bits_from == 64 or bits == 64 else 0
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
        if math.isinf(x):
            return high if x > 0 else low
        exact = {"n": round, "z": math.trunc, "u": math.ceil, "d": math.floor}[mode](x)
        return max(low, min(high, exact))

    inputs = [0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 2.75, -2.75, 8388609.0, 3e9, -3e9, 5e9, 1e19, -1e19, 2e19, INF, -INF, NAN]
    for source, name in (("f", "float"), ("d", "double")):
        for target, other in (("i", "int"), ("u", "uint"), ("l", "ll"), ("k", "ull")):
            for suffix, mode in MODES.items():
                values = [(f32(v) if source == "f" else v,) for v in inputs]
                of(f"__{name}2{other}_{suffix}", target, source, lambda x: whole(x, mode, target, BITS[source]), values)
    for suffix, mode in MODES.items():
        for source, name in (("i", "int"), ("u", "uint"), ("l", "ll"), ("k", "ull")):
            top = (1 << (BITS[source] - (source in "il"))) - 1
            values = [(0,), (1,), (top,), (top // 3,), (16777217,), (33554435,)] + random_words(source, 1, 3)
            of(f"__{name}2float_{suffix}", "f", source, lambda x: rounded(Fraction(x), "f", mode), values)
            if BITS[source] == 64:
                of(f"__{name}2double_{suffix}", "d", source, lambda x: rounded(Fraction(x), "d", mode), values)
        of(
            f"__double2float_{suffix}",
            "f",
            "d",
            lambda x: rounded(Fraction(x), "f", mode),
            [(v,) for v in (0.1, -0.1, 1 / 3, 1e-40, -1e-46, 3.4028235677973366e38, 1e300, -1e300)],
        )
    of("__int2double_rn", "d", "i", float, [(7,), (-5,)])
    of("__uint2double_rn", "d", "u", float, [(7,), (4000000000,)])
    of("__float_as_int", "i", "f", lambda x: signed(bits_of(x, "f"), 32), [(1.5,), (-0.0,)])
    of("__float_as_uint", "u", "f", lambda x: bits_of(x, "f"), [(1.5,), (-2.0,)])
    of(
        "__int_as_float",
        "f",
        "i",
        lambda x: struct.unpack("<f", struct.pack("<i", x))[0],
        [(1069547520,), (-1082130432,)],
    )
    of("__uint_as_float", "f", "u", lambda x: struct.unpack("<f", struct.pack("<I", x))[0], [(1069547520,)])
    of("__double_as_longlong", "l", "d", lambda x: signed(bits_of(x, "d"), 64), [(1.5,), (-0.0,)])
    of(
        "__longlong_as_double",
        "d",
        "l",
        lambda x: struct.unpack("<d", struct.pack("<q", x))[0],
        [(4609434218613702656,)],
    )
    of("__double2hiint", "i", "d", lambda x: signed(bits_of(x, "d") >> 32, 32), [(0.1,), (-0.1,)])
    of("__double2loint", "i", "d", lambda x: signed(bits_of(x, "d"), 32), [(0.1,), (-0.1,)])
    of(
        "__hiloint2double",
        "d",
        "ii",
        lambda h, l: struct.unpack("<d", struct.pack("<Ii", l & 0xFFFFFFFF, h))[0],
        [(1069128089, -1717986918)],
    )
