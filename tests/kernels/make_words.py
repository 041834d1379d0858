#!/usr/bin/env python3
"""Writes words.txt: for each word of CUDA C++ that kernels may use, arguments and the result, by Python alone.

    tests/kernels/make_words.py            writes words.txt; needs mpmath
    tests/kernels/make_words.py --check    only says whether it is up to date

A line is `word | type of the result | types of the arguments | expression | ULP | arguments = result; ...`. Arguments
are called a, b, c and d. All values are bits in hexadecimal, and `nan` stands for any NaN. Whole numbers are computed by
Python's own, roundings by exact fractions, and functions by mpmath with 60 digits.
"""

import math
import random
import struct
import sys
from fractions import Fraction
from pathlib import Path

import mpmath as mp

mp.mp.dps = 60
OUT = Path(__file__).with_name("words.txt")
rng = random.Random(20260101)
BITS = {"i": 32, "u": 32, "l": 64, "k": 64, "f": 32, "d": 64, "b": 8, "c": 8, "s": 16, "t": 16}
NAMES = {
    "i": "int",
    "u": "unsigned",
    "l": "long long",
    "k": "unsigned long long",
    "f": "float",
    "d": "double",
    "b": "bool",
    "c": "signed char",
    "s": "short",
    "t": "unsigned short",
}
INF, NAN = math.inf, math.nan
lines = []


def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


# ---- Values and bits ----


def bits_of(value, kind):
    if kind == "f":
        return struct.unpack("<I", struct.pack("<f", value))[0]
    if kind == "d":
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    return int(value) & ((1 << BITS[kind]) - 1)


def text_of(value, kind):
    return "nan" if isinstance(value, float) and value != value else f"{bits_of(value, kind):x}"


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


SPAN = {"f": (24, -149, 2.0**128), "d": (53, -1074, None)}


def rounded(x, kind, mode="n"):
    """The float or double that a fraction is rounded to: n nearest even, z to zero, u up, d down."""
    if x == 0:
        return 0.0
    digits, lowest, _ = SPAN[kind]
    size = abs(x)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - digits + 1, lowest)
    whole = size / unit
    low = whole.numerator // whole.denominator
    rest = whole - low
    away = {"z": False, "u": x > 0, "d": x < 0}.get(mode)
    if away is None:
        away = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2)
    size = (low + (1 if away and rest else 0)) * unit
    top = Fraction(2) ** (128 if kind == "f" else 1024)
    if size >= top:
        toward_inf = mode == "n" or (mode == "u" and x > 0) or (mode == "d" and x < 0)
        size = INF if toward_inf else float(top - Fraction(2) ** ((128 if kind == "f" else 1024) - digits))
    return math.copysign(float(size), 1 if x > 0 else -1)


def near(x, kind):
    """The float or double nearest to a number of mpmath."""
    if mp.isnan(x):
        return NAN
    if mp.isinf(x):
        return INF if x > 0 else -INF
    x = mp.mpf(x)
    man, exp = int(x.man) * (-1 if x < 0 else 1), int(x.exp)
    man = abs(int(x.man)) * (-1 if x < 0 else 1)
    return rounded(Fraction(man) * Fraction(2) ** exp, kind)


def case(word, result, arguments, expression, rows, ulp=0):
    """Rows are pairs of arguments and a result."""
    texts = []
    for values, answer in rows:
        texts.append(" ".join(text_of(v, k) for v, k in zip(values, arguments)) + " = " + text_of(answer, result))
    lines.append(" | ".join([word, result, arguments, expression, str(ulp), "; ".join(texts)]))


def of(word, result, arguments, function, values, ulp=0, expression=None):
    names = ", ".join("abcd"[: len(arguments)])
    case(word, result, arguments, expression or f"{word}({names})", [(v, function(*v)) for v in values], ulp)


# ---- Whole numbers ----


def random_words(kind, count, n=4):
    out = []
    for _ in range(n):
        row = []
        for k in (kind * count)[:count] if len(kind) == 1 else kind:
            value = rng.getrandbits(BITS[k]) >> rng.choice((0, 0, 3, BITS[k] // 2))
            row.append(signed(value, BITS[k]) if k in "ilcs" else value)
        out.append(tuple(row))
    return out


def integers():
    def words(kind, count, n=4):
        bits = BITS[kind]
        edges = [0, 1, -1, 1 << (bits - 1), (1 << (bits - 1)) - 1]
        fix = (lambda v: signed(v, bits)) if kind in "il" else (lambda v: v & ((1 << bits) - 1))
        special = [tuple(fix(rng.choice(edges)) for _ in range(count)) for _ in range(3)]
        return random_words(kind, count, n) + special

    m32, m64 = (1 << 32) - 1, (1 << 64) - 1
    of("__popc", "i", "u", lambda a: bin(a).count("1"), words("u", 1))
    of("__popcll", "i", "k", lambda a: bin(a).count("1"), words("k", 1))
    of("__clz", "i", "i", lambda a: 32 - (a & m32).bit_length(), words("i", 1))
    of("__clzll", "i", "l", lambda a: 64 - (a & m64).bit_length(), words("l", 1))
    first = lambda a: (a & -a).bit_length()
    of("__ffs", "i", "i", first, words("i", 1))
    of("__ffsll", "i", "l", first, words("l", 1))
    of("__brev", "u", "u", lambda a: int(f"{a:032b}"[::-1], 2), words("u", 1))
    of("__brevll", "k", "k", lambda a: int(f"{a:064b}"[::-1], 2), words("k", 1))

    def fns(mask, base, offset):
        if offset == 0:
            return base if mask >> base & 1 else m32
        places = [p for p in (range(base, 32) if offset > 0 else range(base, -1, -1)) if mask >> p & 1]
        return places[abs(offset) - 1] if abs(offset) <= len(places) else m32

    of("__fns", "u", "uui", fns, [(0xF0F0, 3, 2), (0xF0F0, 20, -3), (0xF0F0, 4, 0), (0xF0F0, 3, 0), (1, 0, 5)])
    s24 = lambda a: signed(a, 24)
    of(
        "__mul24",
        "i",
        "ii",
        lambda a, b: s24(a) * s24(b),
        [(v % (1 << 23), -(w % (1 << 22))) for v, w in words("i", 2)],
    )
    of("__umul24", "u", "uu", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF), words("u", 2))
    of("__mulhi", "i", "ii", lambda a, b: a * b >> 32, words("i", 2))
    of("__umulhi", "u", "uu", lambda a, b: a * b >> 32, words("u", 2))
    of("__mul64hi", "l", "ll", lambda a, b: a * b >> 64, words("l", 2))
    of("__umul64hi", "k", "kk", lambda a, b: a * b >> 64, words("k", 2))
    of("__sad", "u", "iiu", lambda a, b, c: abs(a - b) + c, [(a, b, 7) for a, b in words("i", 2)])
    of("__usad", "u", "uuu", lambda a, b, c: abs(a - b) + c, words("u", 3))
    of("__hadd", "i", "ii", lambda a, b: (a + b) >> 1, words("i", 2))
    of("__rhadd", "i", "ii", lambda a, b: (a + b + 1) >> 1, words("i", 2))
    of("__uhadd", "u", "uu", lambda a, b: (a + b) >> 1, words("u", 2))
    of("__urhadd", "u", "uu", lambda a, b: (a + b + 1) >> 1, words("u", 2))
    left = lambda lo, hi, s: ((hi << 32 | lo) << s) >> 32
    right = lambda lo, hi, s: (hi << 32 | lo) >> s
    shifts = [(0x12345678, 0x9ABCDEF0, s) for s in (0, 1, 13, 31, 32, 45)]
    of("__funnelshift_l", "u", "uuu", lambda a, b, s: left(a, b, s % 32), shifts)
    of("__funnelshift_lc", "u", "uuu", lambda a, b, s: left(a, b, min(s, 32)), shifts)
    of("__funnelshift_r", "u", "uuu", lambda a, b, s: right(a, b, s % 32), shifts)
    of("__funnelshift_rc", "u", "uuu", lambda a, b, s: right(a, b, min(s, 32)), shifts)

    def perm(x, y, select):
        eight = (y << 32 | x).to_bytes(8, "little")
        out = []
        for k in range(4):
            nibble = select >> 4 * k & 15
            byte = eight[nibble & 7]
            out.append((255 if byte > 127 else 0) if nibble & 8 else byte)
        return int.from_bytes(bytes(out), "little")

    of("__byte_perm", "u", "uuu", perm, [(0x33221100, 0x77665544, s) for s in (0x3210, 0x7654, 0x0167, 0x5140)])
    pieces = lambda x, n, is_signed: [
        signed(x >> n * k, n) if is_signed else x >> n * k & ((1 << n) - 1) for k in range(32 // n)
    ]
    dot = lambda a, b, c: sum(x * y for x, y in zip(a, b)) + c
    for kind, sign in (("i", True), ("u", False)):
        rows = words(kind, 3)
        text = "__dp4a(a, b, c)"
        of("__dp4a", kind, kind * 3, lambda a, b, c: dot(pieces(a, 8, sign), pieces(b, 8, sign), c), rows, 0, text)
        of("__dp2a_lo", kind, kind * 3, lambda a, b, c: dot(pieces(a, 16, sign), pieces(b, 8, sign)[:2], c), rows)
        of("__dp2a_hi", kind, kind * 3, lambda a, b, c: dot(pieces(a, 16, sign), pieces(b, 8, sign)[2:], c), rows)
    for word, kind, pick in (
        ("min", "i", min),
        ("max", "i", max),
        ("min", "k", min),
        ("max", "l", max),
        ("umin", "u", min),
        ("umax", "u", max),
        ("llmin", "l", min),
        ("llmax", "l", max),
        ("ullmin", "k", min),
        ("ullmax", "k", max),
    ):
        of(word, kind, kind * 2, pick, words(kind, 2))
    of("abs", "i", "i", abs, [(5,), (-7,), (0,)])
    of("labs", "l", "l", abs, [(5,), (-7,), (1 << 40,)])
    of("llabs", "l", "l", abs, [(5,), (-(1 << 50),)])


# ---- SIMD in a word ----


def video():
    values = random_words("u", 2, 3) + [(0x80007FFF, 0x7FFF8000), (0x80FF017F, 0x017F80FF), (0xFFFFFFFF, 0x00010001)]
    for width in (16, 8):
        n = 32 // width
        low, high, top = -(1 << (width - 1)), (1 << (width - 1)) - 1, (1 << width) - 1
        clamp_s = lambda x: max(low, min(high, x))
        clamp_u = lambda x: max(0, min(top, x))

        def lanes(word, is_signed, function, unary=False):
            def whole(*words):
                split = [
                    [signed(x >> width * k, width) if is_signed else x >> width * k & top for k in range(n)]
                    for x in words
                ]
                return sum((int(function(*lane)) & top) << width * k for k, lane in enumerate(zip(*split)))

            rows = [v[:1] for v in values] if unary else values
            of(f"{word}{n}", "u", "u" if unary else "uu", whole, rows)

        lanes("__vabs", True, abs, True)
        lanes("__vabsss", True, lambda x: clamp_s(abs(x)), True)
        lanes("__vneg", True, lambda x: -x, True)
        lanes("__vnegss", True, lambda x: clamp_s(-x), True)
        lanes("__vadd", False, lambda x, y: x + y)
        lanes("__vsub", False, lambda x, y: x - y)
        lanes("__vaddss", True, lambda x, y: clamp_s(x + y))
        lanes("__vsubss", True, lambda x, y: clamp_s(x - y))
        lanes("__vaddus", False, lambda x, y: clamp_u(x + y))
        lanes("__vsubus", False, lambda x, y: clamp_u(x - y))
        lanes("__vavgu", False, lambda x, y: (x + y + 1) // 2)
        lanes("__vhaddu", False, lambda x, y: (x + y) // 2)
        lanes("__vabsdiffs", True, lambda x, y: abs(x - y))
        lanes("__vabsdiffu", False, lambda x, y: abs(x - y))
        for word, test in (("eq", lambda x, y: x == y), ("ne", lambda x, y: x != y)):
            lanes(f"__vcmp{word}", False, lambda x, y, test=test: -test(x, y))
            lanes(f"__vset{word}", False, test)
        for letter, is_signed in (("s", True), ("u", False)):
            lanes(f"__vmax{letter}", is_signed, max)
            lanes(f"__vmin{letter}", is_signed, min)
            for word, test in (
                ("ge", lambda x, y: x >= y),
                ("gt", lambda x, y: x > y),
                ("le", lambda x, y: x <= y),
                ("lt", lambda x, y: x < y),
            ):
                lanes(f"__vcmp{word}{letter}", is_signed, lambda x, y, test=test: -test(x, y))
                lanes(f"__vset{word}{letter}", is_signed, test)

            def sad(a, b, is_signed=is_signed, width=width, n=n, top=top):
                split = [
                    [signed(x >> width * k, width) if is_signed else x >> width * k & top for k in range(n)]
                    for x in (a, b)
                ]
                return sum(abs(x - y) for x, y in zip(*split))

            of(f"__vsad{letter}{n}", "u", "uu", sad, values)
        # halves are rounded up where they are not negative, and else towards zero
        lanes("__vavgs", True, lambda x, y: (x + y + 1) // 2 if x + y >= 0 else -(-(x + y) // 2))
    dynamic()


def dynamic():
    wrap = {"s32": lambda x: signed(x, 32), "u32": lambda x: x & 0xFFFFFFFF}
    for kind, suffix in (("i", "s32"), ("u", "u32")):
        rows = random_words(kind, 3, 3) + [(7, 9, 8), (1, 2, 0)]
        for relu in ("", "_relu") if kind == "i" else ("",):
            clip = (lambda x: max(x, 0)) if relu else (lambda x: x)
            of(f"__vimax3_{suffix}{relu}", kind, kind * 3, lambda a, b, c: clip(max(a, b, c)), rows)
            of(f"__vimin3_{suffix}{relu}", kind, kind * 3, lambda a, b, c: clip(min(a, b, c)), rows)
            of(f"__viaddmax_{suffix}{relu}", kind, kind * 3, lambda a, b, c: clip(max(wrap[suffix](a + b), c)), rows)
            of(f"__viaddmin_{suffix}{relu}", kind, kind * 3, lambda a, b, c: clip(min(wrap[suffix](a + b), c)), rows)
    of("__vimax_s32_relu", "i", "ii", lambda a, b: max(a, b, 0), [(-4, -5), (3, -1)])
    of("__vimin_s32_relu", "i", "ii", lambda a, b: max(min(a, b), 0), [(-4, 5), (3, 2)])
    halves = random_words("u", 3, 3)
    for suffix, is_signed in (("s16x2", True), ("u16x2", False)):
        part = lambda x, k: signed(x >> 16 * k, 16) if is_signed else x >> 16 * k & 0xFFFF
        fold = lambda x: signed(x, 16) if is_signed else x & 0xFFFF
        for relu in ("", "_relu") if is_signed else ("",):
            clip = (lambda x: max(x, 0)) if relu else (lambda x: x)

            def both(function):
                return lambda *w: sum((clip(function(*(part(x, k) for x in w))) & 0xFFFF) << 16 * k for k in (0, 1))

            of(f"__vimax3_{suffix}{relu}", "u", "uuu", both(max), halves)
            of(f"__vimin3_{suffix}{relu}", "u", "uuu", both(min), halves)
            of(f"__viaddmax_{suffix}{relu}", "u", "uuu", both(lambda a, b, c: max(fold(a + b), c)), halves)
            of(f"__viaddmin_{suffix}{relu}", "u", "uuu", both(lambda a, b, c: min(fold(a + b), c)), halves)
    of("__vibmax_s32", "i", "ii", max, [(3, 4), (-5, -6)], 0, "[&] { bool p; return __vibmax_s32(a, b, &p); }()")
    of(
        "__vibmin_u32",
        "b",
        "uu",
        lambda a, b: a <= b,
        [(3, 4), (5, 4), (4, 4)],
        0,
        "[&] { bool p; __vibmin_u32(a, b, &p); return p; }()",
    )


# ---- Roundings ----

MODES = {"rn": "n", "rz": "z", "ru": "u", "rd": "d"}
EDGES = {
    "f": [0.0, -0.0, 1.0, INF, NAN, 2.0**-149, f32(3.4028234663852886e38), f32(0.1)],
    "d": [0.0, -0.0, 1.0, INF, NAN, 5e-324, 1.7976931348623157e308, 0.1],
}


def numbers(kind, count, n):
    out = []
    for _ in range(n):
        row = []
        for _ in range(count):
            value = rng.uniform(-2, 2) * 2.0 ** rng.choice(
                (0, 0, 1, -3, 24, -60, 100, -126) if kind == "f" else (0, 0, 1, -3, 53, -500, 900, -1022)
            )
            row.append(f32(value) if kind == "f" else value)
        out.append(tuple(row))
    return out


def exactly(function, mode, kind, values):
    """What IEEE 754 says of an operation, which `function` computes of fractions."""
    if all(math.isfinite(v) for v in values):
        return rounded(function(*map(Fraction, values)), kind, mode)
    return None


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


def root(a, mode, kind):
    """The root, by comparing squares, which are exact."""
    guess = near(mp.sqrt(mp.mpf(a)), kind)
    step = (lambda x, up: f32(np_next(x, up, "f"))) if kind == "f" else (lambda x, up: np_next(x, up, "d"))
    while Fraction(guess) ** 2 > Fraction(a):
        guess = step(guess, False)
    while Fraction(step(guess, True)) ** 2 <= Fraction(a):
        guess = step(guess, True)
    low = guess
    if Fraction(low) ** 2 == Fraction(a) or mode in "zd":
        return low
    high = step(low, True)
    if mode == "u":
        return high
    middle = (Fraction(low) + Fraction(high)) / 2
    return low if middle**2 > Fraction(a) else high


def np_next(x, up, kind):
    bits = bits_of(x, kind) + (1 if up else -1)
    return (
        struct.unpack("<f", struct.pack("<I", bits))[0]
        if kind == "f"
        else struct.unpack("<d", struct.pack("<Q", bits))[0]
    )


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


# ---- Constants ----


def constants():
    whole = {
        "CHAR_BIT": 8,
        "INT_MAX": 2147483647,
        "INT_MIN": -2147483648,
        "SHRT_MAX": 32767,
        "SHRT_MIN": -32768,
        "USHRT_MAX": 65535,
        "UCHAR_MAX": 255,
        "SCHAR_MAX": 127,
        "SCHAR_MIN": -128,
        "LLONG_MAX": (1 << 63) - 1,
        "LLONG_MIN": -(1 << 63),
        "LONG_MAX": (1 << 63) - 1,
        "LONG_MIN": -(1 << 63),
        "INT8_MIN": -128,
        "INT8_MAX": 127,
        "INT16_MIN": -32768,
        "INT16_MAX": 32767,
        "INT32_MIN": -2147483648,
        "INT32_MAX": 2147483647,
        "INT64_MIN": -(1 << 63),
        "INT64_MAX": (1 << 63) - 1,
        "UINT8_MAX": 255,
        "UINT16_MAX": 65535,
        "FLT_DIG": 6,
        "DBL_DIG": 15,
        "FLT_MANT_DIG": 24,
        "DBL_MANT_DIG": 53,
        "FLT_MAX_EXP": 128,
        "DBL_MAX_EXP": 1024,
        "FLT_MIN_EXP": -125,
        "DBL_MIN_EXP": -1021,
        "FLT_RADIX": 2,
        "FLT_MAX_10_EXP": 38,
        "DBL_MAX_10_EXP": 308,
    }
    for word, value in whole.items():
        case(word, "l", "", f"(long long)({word})", [((), value)])
    for word, value in {
        "UINT_MAX": 2**32 - 1,
        "ULLONG_MAX": 2**64 - 1,
        "ULONG_MAX": 2**64 - 1,
        "UINT32_MAX": 2**32 - 1,
        "UINT64_MAX": 2**64 - 1,
        "SIZE_MAX": 2**64 - 1,
    }.items():
        case(word, "k", "", f"(unsigned long long)({word})", [((), value)])
    for word, value in {
        "FLT_MAX": f32(3.4028234663852886e38),
        "FLT_MIN": 2.0**-126,
        "FLT_EPSILON": 2.0**-23,
        "FLT_TRUE_MIN": 2.0**-149,
        "INFINITY": INF,
        "NAN": NAN,
        "HUGE_VALF": INF,
        "CUDART_INF_F": INF,
        "CUDART_NAN_F": NAN,
        "CUDART_MAX_NORMAL_F": f32(3.4028234663852886e38),
        "CUDART_MIN_DENORM_F": 2.0**-149,
        "CUDART_NEG_ZERO_F": -0.0,
    }.items():
        case(word, "f", "", word, [((), value)])
    for word, value in {
        "DBL_MAX": 1.7976931348623157e308,
        "DBL_MIN": 2.0**-1022,
        "DBL_EPSILON": 2.0**-52,
        "DBL_TRUE_MIN": 5e-324,
        "HUGE_VAL": INF,
        "CUDART_INF": INF,
        "CUDART_NAN": NAN,
        "CUDART_MIN_DENORM": 5e-324,
        "CUDART_NEG_ZERO": -0.0,
    }.items():
        case(word, "d", "", word, [((), value)])
    e, pi = mp.e, mp.pi
    exact = {
        "M_E": e,
        "M_LOG2E": 1 / mp.log(2),
        "M_LOG10E": 1 / mp.log(10),
        "M_LN2": mp.log(2),
        "M_LN10": mp.log(10),
        "M_PI": pi,
        "M_PI_2": pi / 2,
        "M_PI_4": pi / 4,
        "M_1_PI": 1 / pi,
        "M_2_PI": 2 / pi,
        "M_2_SQRTPI": 2 / mp.sqrt(pi),
        "M_SQRT2": mp.sqrt(2),
        "M_SQRT1_2": mp.sqrt(mp.mpf(1) / 2),
    }
    for word, value in exact.items():
        case(word, "d", "", word, [((), near(value, "d"))])
    both = {
        "PI": pi,
        "PIO2": pi / 2,
        "PIO4": pi / 4,
        "3PIO4": 3 * pi / 4,
        "2_OVER_PI": 2 / pi,
        "SQRT_TWO": mp.sqrt(2),
        "SQRT_HALF": mp.sqrt(mp.mpf(1) / 2),
        "L2E": 1 / mp.log(2),
        "L2T": mp.log(10, 2),
        "LG2": mp.log10(2),
        "LGE": mp.log10(e),
        "LN2": mp.log(2),
        "LNT": mp.log(10),
        "LNPI": mp.log(pi),
        "SQRT_2_OVER_PI": mp.sqrt(2 / pi),
        "THIRD": mp.mpf(1) / 3,
    }
    for name, value in both.items():
        case(f"CUDART_{name}", "d", "", f"CUDART_{name}", [((), near(value, "d"))])
        case(f"CUDART_{name}_F", "f", "", f"CUDART_{name}_F", [((), near(value, "f"))])


# ---- Functions ----


def both_kinds(word, count, function, values, ulp=(0, 0), float_word=None):
    """A function of doubles, and that of floats with an f behind its name."""
    letters = ", ".join("abcd"[:count])
    for kind, name, allowed in (("d", word, ulp[0]), ("f", float_word or word + "f", ulp[1])):
        rows = [tuple(f32(x) if kind == "f" else x for x in v) for v in values]
        rows = [v for v in rows if all(x != x or math.isinf(x) or abs(x) < 1e38 for x in v) or kind == "d"]
        case(
            name,
            kind,
            kind * count,
            f"{name}({letters})",
            [(v, near_or_special(function, v, kind)) for v in rows],
            allowed,
        )


def near_or_special(function, values, kind):
    answer = function(*values)
    return answer if isinstance(answer, float) else near(answer, kind)


def elementary():
    m = mp.mpf
    simple = {
        "sin": mp.sin,
        "cos": mp.cos,
        "tan": mp.tan,
        "exp": mp.exp,
        "exp2": lambda x: m(2) ** x,
        "exp10": lambda x: m(10) ** x,
        "expm1": mp.expm1,
        "sinh": mp.sinh,
        "cosh": mp.cosh,
        "tanh": mp.tanh,
        "atan": mp.atan,
        "asinh": mp.asinh,
        "erf": mp.erf,
        "erfc": mp.erfc,
        "normcdf": lambda x: mp.erfc(-m(x) / mp.sqrt(2)) / 2,
        "erfcx": lambda x: mp.exp(m(x) ** 2) * mp.erfc(x),
        "sinpi": mp.sinpi,
        "cospi": mp.cospi,
        "j0": lambda x: mp.besselj(0, x),
        "j1": lambda x: mp.besselj(1, x),
        "cyl_bessel_i0": lambda x: mp.besseli(0, x),
        "cyl_bessel_i1": lambda x: mp.besseli(1, x),
        "tgamma": mp.gamma,
        "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(m(x))),
    }
    for word, f in simple.items():
        xs = [0.5, 1.25, 2.3, 7.75] + ([] if word in ("tgamma",) else [-0.7, -2.6])
        both_kinds(word, 1, lambda x, f=f: f(m(x)), [(x,) for x in xs], (4, 2))
    positive = {
        "log": mp.log,
        "log2": lambda x: mp.log(x, 2),
        "log10": mp.log10,
        "log1p": mp.log1p,
        "sqrt": mp.sqrt,
        "rsqrt": lambda x: 1 / mp.sqrt(x),
        "lgamma": mp.loggamma,
        "y0": lambda x: mp.bessely(0, x),
        "y1": lambda x: mp.bessely(1, x),
        "rcbrt": lambda x: 1 / mp.cbrt(x),
        "acosh": lambda x: mp.acosh(1 + x),
    }
    for word, f in positive.items():
        xs = [0.37, 1.4, 3.0, 30.5]
        if word == "acosh":
            both_kinds(word, 1, lambda x: mp.acosh(m(x)), [(1.5,), (4.0,), (300.0,)], (4, 2))
        else:
            both_kinds(word, 1, lambda x, f=f: f(m(x)), [(x,) for x in xs], (4, 2))
    for word, f in {"asin": mp.asin, "acos": mp.acos, "atanh": mp.atanh, "erfinv": mp.erfinv}.items():
        both_kinds(word, 1, lambda x, f=f: f(m(x)), [(0.25,), (-0.5,), (0.9375,)], (4, 2))
    inverse = lambda q: mp.erfinv(1 - m(q))
    both_kinds("erfcinv", 1, inverse, [(0.25,), (1.5,), (0.0078125,), (1.0,)], (4, 2))
    both_kinds("normcdfinv", 1, lambda p: -mp.sqrt(2) * inverse(2 * m(p)), [(0.25,), (0.75,), (0.0078125,)], (4, 2))
    both_kinds("atan2", 2, lambda a, b: mp.atan2(m(a), m(b)), [(1.0, 2.0), (-1.0, -3.0)], (4, 2))
    both_kinds("pow", 2, lambda a, b: m(a) ** m(b), [(2.5, 3.25), (0.75, -7.5)], (4, 2))
    both_kinds("hypot", 2, lambda a, b: mp.sqrt(m(a) ** 2 + m(b) ** 2), [(3.0, 4.0), (1.5, 0.3)], (2, 2))
    both_kinds("rhypot", 2, lambda a, b: 1 / mp.sqrt(m(a) ** 2 + m(b) ** 2), [(3.0, 4.0), (1.5, 0.3)], (1, 1))
    for word, count in (("norm3d", 3), ("norm4d", 4)):
        length = lambda *v: mp.sqrt(sum(m(x) ** 2 for x in v))
        rows = [(1.5, -2.0, 0.3, 7.0)[:count], (1e20, 3e20, -2e20, 1e19)[:count]]
        both_kinds(word, count, length, rows, (1, 1))
        both_kinds("r" + word, count, lambda *v: 1 / length(*v), rows, (1, 1))
    for n in (0, 1, 2, 5, 30):
        for word, f in (("jn", mp.besselj), ("yn", mp.bessely)):
            rows = [(x,) for x in (0.75, 11.5, 60.25)]
            for kind, name, ulp in (("d", word, 60), ("f", word + "f", 8)):
                good = [(v, near(f(n, m(v[0])), kind)) for v in rows]
                good = [(v, r) for v, r in good if math.isfinite(r) and abs(r) > (1e-30 if kind == "f" else 1e-290)]
                case(name, kind, kind, f"{name}({n}, a)", good, ulp)
    fast()


def fast():
    """The accurate function's bits: the result of the intrinsic and of the function are compared in the kernel."""
    for word, other in (
        ("__sinf", "sinf"),
        ("__cosf", "cosf"),
        ("__tanf", "tanf"),
        ("__expf", "expf"),
        ("__exp10f", "exp10f"),
        ("__logf", "logf"),
        ("__log2f", "log2f"),
        ("__log10f", "log10f"),
        ("__tanhf", "tanhf"),
    ):
        of(word, "b", "f", lambda a: 1, [(0.5,), (1.25,), (3.5,)], 0, f"{word}(a) == {other}(a)")
    of("__powf", "b", "ff", lambda a, b: 1, [(1.5, 2.5)], 0, "__powf(a, b) == powf(a, b)")
    of(
        "__sincosf",
        "b",
        "f",
        lambda a: 1,
        [(0.5,), (9.0,)],
        0,
        "[&] { float s, c; __sincosf(a, &s, &c); return s == sinf(a) && c == cosf(a); }()",
    )
    of(
        "sincosf",
        "b",
        "f",
        lambda a: 1,
        [(0.5,)],
        0,
        "[&] { float s, c; sincosf(a, &s, &c); return s == sinf(a) && c == cosf(a); }()",
    )
    of(
        "sincos",
        "b",
        "d",
        lambda a: 1,
        [(0.5,)],
        0,
        "[&] { double s, c; sincos(a, &s, &c); return s == sin(a) && c == cos(a); }()",
    )
    of(
        "sincospi",
        "b",
        "d",
        lambda a: 1,
        [(0.3,)],
        0,
        "[&] { double s, c; sincospi(a, &s, &c); return s == sinpi(a) && c == cospi(a); }()",
    )
    of(
        "sincospif",
        "b",
        "f",
        lambda a: 1,
        [(0.3,)],
        0,
        "[&] { float s, c; sincospif(a, &s, &c); return s == sinpif(a) && c == cospif(a); }()",
    )
    quotient = lambda a, b: rounded(Fraction(a) / Fraction(b), "f")
    of("__fdividef", "f", "ff", quotient, [(1.0, 3.0), (-7.0, f32(0.1))])
    of("fdividef", "f", "ff", quotient, [(1.0, 3.0)])
    of(
        "__saturatef",
        "f",
        "f",
        lambda a: 0.0 if a != a else max(0.0, min(1.0, a)),
        [(0.25,), (-3.0,), (7.0,), (NAN,), (INF,)],
    )


def on_bits():
    values = [1.0, -2.5, 0.1, 6.75, 1e-30, -1e30]
    scale = lambda x, n: rounded(Fraction(x) * Fraction(2) ** n, "d")
    for word in ("ldexp", "scalbn", "scalbln"):
        for n in (0, 3, -7, 1020, -1060, 3000, -3000):
            exact = lambda x, kind: rounded(Fraction(x) * Fraction(2) ** n, kind)
            case(word, "d", "d", f"{word}(a, {n})", [((x,), exact(x, "d")) for x in values])
            case(word + "f", "f", "f", f"{word}f(a, {n})", [((f32(x),), exact(f32(x), "f")) for x in values])
    for kind, s in (("d", ""), ("f", "f")):
        fix = f32 if kind == "f" else float
        tiny = 2.0**-149 if kind == "f" else 5e-324
        xs = [(fix(x),) for x in values + [0.75, tiny, 0.0, INF]]
        ordinary = [x for x in xs if x[0] and math.isfinite(x[0])]
        case(
            "frexp" + s,
            kind,
            kind,
            f"[&] {{ int e; return frexp{s}(a, &e); }}()",
            [(x, math.frexp(x[0])[0]) for x in xs],
        )
        case(
            "frexp" + s,
            "i",
            kind,
            f"[&] {{ int e; frexp{s}(a, &e); return e; }}()",
            [(x, math.frexp(x[0])[1]) for x in xs if math.isfinite(x[0])],
        )
        case("ilogb" + s, "i", kind, f"ilogb{s}(a)", [(x, math.frexp(x[0])[1] - 1) for x in ordinary])
        case(
            "logb" + s,
            kind,
            kind,
            f"logb{s}(a)",
            [(x, float(math.frexp(x[0])[1] - 1)) for x in ordinary] + [((0.0,), -INF)],
        )
        type_name = NAMES[kind]
        case(
            "modf" + s,
            kind,
            kind,
            f"[&] {{ {type_name} w; return modf{s}(a, &w); }}()",
            [(x, math.modf(x[0])[0]) for x in xs if math.isfinite(x[0])],
        )
        pairs = [(6.75, 2.0), (-6.75, 2.0), (5.0, 2.0), (7.0, 2.0), (1e10, 0.7), (3.0, 1e30), (-3.5, -0.3)]
        pairs = [(fix(a), fix(b)) for a, b in pairs]
        case("remainder" + s, kind, kind * 2, f"remainder{s}(a, b)", [(p, math.remainder(*p)) for p in pairs])
        case("fmod" + s, kind, kind * 2, f"fmod{s}(a, b)", [(p, math.fmod(*p)) for p in pairs])

        def low_bits(a, b):
            n = round(Fraction(a) / Fraction(b))
            return (abs(n) & 7) * (1 if n >= 0 else -1)

        case(
            "remquo" + s,
            "i",
            kind * 2,
            f"[&] {{ int n; remquo{s}(a, b, &n); return n; }}()",
            [(p, low_bits(*p)) for p in pairs],
        )
        case(
            "fdim" + s,
            kind,
            kind * 2,
            f"fdim{s}(a, b)",
            [(p, rounded(max(Fraction(p[0]) - Fraction(p[1]), Fraction(0)), kind)) for p in pairs],
        )
        case("copysign" + s, kind, kind * 2, f"copysign{s}(a, b)", [(p, math.copysign(*p)) for p in pairs])
        case("fmax" + s, kind, kind * 2, f"fmax{s}(a, b)", [((fix(1.5), NAN), fix(1.5)), ((-1.0, 2.0), 2.0)])
        case("fmin" + s, kind, kind * 2, f"fmin{s}(a, b)", [((fix(1.5), NAN), fix(1.5)), ((-1.0, 2.0), -1.0)])
        step = lambda a, b: a if a == b else np_next(a, (a < b) == (a > 0), kind)
        case("nextafter" + s, kind, kind * 2, f"nextafter{s}(a, b)", [(p, step(*p)) for p in pairs])
        case(
            "fma" + s,
            kind,
            kind * 3,
            f"fma{s}(a, b, c)",
            [(v, exactly(lambda a, b, c: a * b + c, "n", kind, v)) for v in numbers(kind, 3, 4)],
        )
        halves = [(fix(x),) for x in (0.5, 1.5, 2.5, -0.5, -2.5, 2.3, -7.8, 0.49999997)]
        away = lambda x: math.copysign(math.floor(abs(Fraction(x)) + Fraction(1, 2)), x)
        case("round" + s, kind, kind, f"round{s}(a)", [(x, float(away(x[0]))) for x in halves])
        for word in ("rint", "nearbyint"):
            case(word + s, kind, kind, f"{word}{s}(a)", [(x, math.copysign(float(round(x[0])), x[0])) for x in halves])
        for word, f in (("floor", math.floor), ("ceil", math.ceil), ("trunc", math.trunc)):
            case(word + s, kind, kind, f"{word}{s}(a)", [(x, math.copysign(float(f(x[0])), x[0])) for x in halves])
        case("fabs" + s, kind, kind, f"fabs{s}(a)", [(x, abs(x[0])) for x in halves])
        for prefix in ("l", "ll"):
            case(
                f"{prefix}round{s}",
                "l",
                kind,
                f"(long long){prefix}round{s}(a)",
                [(x, int(away(x[0]))) for x in halves],
            )
            case(f"{prefix}rint{s}", "l", kind, f"(long long){prefix}rint{s}(a)", [(x, round(x[0])) for x in halves])
        tests = [(fix(1.0),), (INF,), (-INF,), (NAN,), (-0.0,)]
        for word, f in (
            ("isnan", lambda x: x != x),
            ("isinf", math.isinf),
            ("isfinite", math.isfinite),
            ("signbit", lambda x: math.copysign(1, x) < 0),
        ):
            rows = tests if word != "signbit" else [t for t in tests if t[0] == t[0]]
            case(word, "b", kind, f"bool({word}(a))", [(x, int(f(x[0]))) for x in rows])
        lengths = [(fix(3.0), fix(4.0), fix(12.0))]
        array = f"[&] {{ {type_name} v[3] = {{a, b, c}}; return %snorm{s}(3, v); }}()"
        case("norm" + s, kind, kind * 3, array % "", [(v, 13.0) for v in lengths])
        case("rnorm" + s, kind, kind * 3, array % "r", [(v, rounded(Fraction(1, 13), kind)) for v in lengths], 1)
        case("nan" + s, kind, "", f'nan{s}("")', [((), NAN)])


# ---- Types ----


def types():
    base = {
        "char": ("c", 1),
        "uchar": ("u", 1),
        "short": ("s", 2),
        "ushort": ("t", 2),
        "int": ("i", 4),
        "uint": ("u", 4),
        "long": ("l", 8),
        "ulong": ("k", 8),
        "longlong": ("l", 8),
        "ulonglong": ("k", 8),
        "float": ("f", 4),
        "double": ("d", 8),
    }
    for name, (_, size) in base.items():
        for n in (1, 2, 3, 4):
            align = size if n in (1, 3) else min(size * n, 16)
            values = ", ".join(str(k + 3) for k in range(n))
            member = "xyzw"[n - 1]
            expression = f"[&] {{ {name}{n} v = make_{name}{n}({values}); return 1000 * int(sizeof v) + 100 * int(alignof({name}{n})) + int(v.{member}); }}()"
            case(f"make_{name}{n}", "i", "", expression, [((), 1000 * size * n + 100 * align + n + 2)])
    case("dim3", "i", "", "[&] { dim3 d(3, 4); return int(d.x * 100 + d.y * 10 + d.z); }()", [((), 341)])
    for word, size in (
        ("uint", 4),
        ("uchar", 1),
        ("ushort", 2),
        ("ulong", 8),
        ("int8_t", 1),
        ("uint16_t", 2),
        ("int32_t", 4),
        ("uint64_t", 8),
        ("size_t", 8),
        ("uintptr_t", 8),
        ("intptr_t", 8),
        ("ptrdiff_t", 8),
    ):
        case(word, "i", "", f"int(sizeof({word}))", [((), size)])
    case("NULL", "b", "", "[&] { int *p = NULL; return p == nullptr; }()", [((), 1)])
    case("__CUDA_ARCH__", "b", "", "__CUDA_ARCH__ >= 700", [((), 1)])


def standard():
    rows = [
        ("std::numeric_limits", "i", "std::numeric_limits<int>::max()", 2147483647),
        ("std::numeric_limits", "l", "std::numeric_limits<long long>::min()", -(1 << 63)),
        ("std::numeric_limits", "i", "int(std::numeric_limits<unsigned char>::max())", 255),
        ("std::numeric_limits", "f", "std::numeric_limits<float>::infinity()", INF),
        ("std::numeric_limits", "d", "std::numeric_limits<double>::epsilon()", 2.0**-52),
        ("std::numeric_limits", "f", "std::numeric_limits<float>::lowest()", -f32(3.4028234663852886e38)),
        ("std::min", "i", "std::min(3, 4)", 3),
        ("std::max", "d", "std::max(3.5, 4.5)", 4.5),
        ("std::clamp", "i", "std::clamp(9, 1, 5)", 5),
        ("std::swap", "i", "[&] { int x = 1, y = 2; std::swap(x, y); return 10 * x + y; }()", 21),
        ("std::exchange", "i", "[&] { int x = 1; int y = std::exchange(x, 7); return 10 * x + y; }()", 71),
        ("std::move", "i", "[&] { int x = 5; int y = std::move(x); return y; }()", 5),
        ("std::pair", "i", "[&] { auto [x, y] = std::make_pair(3, 4); return 10 * x + y; }()", 34),
        (
            "std::array",
            "i",
            "[&] { std::array<int, 3> v = {1, 2, 3}; int s = 0; for (int x : v) s = 10 * s + x; return s; }()",
            123,
        ),
        (
            "std::tuple",
            "i",
            "[&] { auto t = std::make_tuple(1, 2.5f, 7); std::get<0>(t) += 4; return 10 * std::get<0>(t) + std::get<2>(t); }()",
            57,
        ),
        ("std::tie", "i", "[&] { int x, y; std::tie(x, y) = std::make_tuple(6, 7); return 10 * x + y; }()", 67),
        ("std::tuple_size", "i", "int(std::tuple_size<std::tuple<int, float>>::value)", 2),
        ("std::complex", "f", "(std::complex<float>(1, 2) * std::complex<float>(3, -1)).imag()", 5.0),
        ("std::norm", "d", "std::norm(std::complex<double>(3, 4))", 25.0),
        ("std::abs", "d", "std::abs(std::complex<double>(3, 4))", 5.0),
        ("std::sqrt", "d", "std::sqrt(6.25)", 2.5),
        ("std::fabs", "f", "std::fabs(-1.5f)", 1.5),
        ("std::is_same", "b", "std::is_same<int, const int>::value", 0),
        ("std::is_same_v", "b", "std::is_same_v<std::decay_t<const int &>, int>", 1),
        ("std::is_integral", "b", "std::is_integral<unsigned long>::value", 1),
        ("std::is_floating_point_v", "b", "std::is_floating_point_v<float>", 1),
        ("std::is_signed_v", "b", "std::is_signed_v<unsigned>", 0),
        ("std::is_pointer_v", "b", "std::is_pointer_v<int *const>", 1),
        ("std::is_convertible_v", "b", "std::is_convertible_v<int, double>", 1),
        ("std::is_convertible_v", "b", "std::is_convertible_v<int *, double>", 0),
        ("std::conditional_t", "b", "sizeof(std::conditional_t<true, char, double>) == 1", 1),
        ("std::enable_if_t", "b", "sizeof(std::enable_if_t<true, short>) == 2", 1),
        ("std::make_unsigned_t", "b", "std::make_unsigned_t<int>(-1) == 0xffffffffu", 1),
        ("std::common_type_t", "b", "std::is_same_v<std::common_type_t<int, float>, float>", 1),
        ("std::integral_constant", "i", "std::integral_constant<int, 9>::value", 9),
        (
            "std::lower_bound",
            "i",
            "[&] { int v[] = {1, 3, 3, 7}; return int(std::lower_bound(v, v + 4, 3) - v); }()",
            1,
        ),
        (
            "std::upper_bound",
            "i",
            "[&] { int v[] = {1, 3, 3, 7}; return int(std::upper_bound(v, v + 4, 3) - v); }()",
            3,
        ),
        ("std::plus", "i", "std::plus<int>()(3, 4)", 7),
        ("std::greater", "b", "std::greater<>()(3, 4)", 0),
        ("std::size_t", "i", "int(sizeof(std::size_t))", 8),
        ("std::uint32_t", "i", "int(sizeof(std::uint32_t))", 4),
        ("cuda::std::array", "i", "[&] { cuda::std::array<int, 2> v = {4, 5}; return v[1]; }()", 5),
        ("cuda::std::numeric_limits", "i", "cuda::std::numeric_limits<int>::digits", 31),
        ("memcpy", "i", "[&] { int x = 9, y; memcpy(&y, &x, sizeof y); return y; }()", 9),
        ("memset", "i", "[&] { int y; memset(&y, 1, sizeof y); return y; }()", 0x01010101),
        (
            "memmove",
            "i",
            "[&] { char v[4] = {1, 2, 3, 4}; memmove(v + 1, v, 3); return v[0] * 1000 + v[1] * 100 + v[2] * 10 + v[3]; }()",
            1123,
        ),
        ("memcmp", "i", "[&] { char v[2] = {1, 2}, w[2] = {1, 3}; return memcmp(v, w, 2) < 0 ? 1 : 0; }()", 1),
    ]
    for word, kind, expression, value in rows:
        case(word, kind, "", expression, [((), value)])


def main():
    for family in (integers, video, arithmetic, conversions, constants, elementary, on_bits, types, standard):
        family()
    text = "# Written by make_words.py, which says what the columns are.\n" + "\n".join(lines) + "\n"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if OUT.read_text() == text else "tests/kernels/words.txt is not what make_words.py writes")
    OUT.write_text(text)
    print(f"{len(lines)} lines, {len({line.split(' | ')[0] for line in lines})} words")


if __name__ == "__main__":
    main()
