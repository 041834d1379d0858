"""tests/kernels/word_results/values.py -- values, bits, roundings and the list of cases, which the others share."""

import math
import random
import struct
from fractions import Fraction

import mpmath as mp

mp.mp.dps = 60
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
