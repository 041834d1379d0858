#!/usr/bin/env python3
"""tests/kernels/make_half.py -- writes half.txt: operations on CUDA's 16-bit floats.

Each line is a format and an operation, and rows "a b c = result;" of bits in hexadecimal. Of conversions, `a` is the
bits of a float, or an integer. The results are computed here from the definition in IEEE 754, with exact fractions; a
result that is NaN is 7fff.
"""

import math
import pathlib
import random
import struct
from fractions import Fraction

FORMATS = {"half": (11, 15), "bfloat16": (8, 127)}  # digits, largest exponent
rng = random.Random(20260202)
NAN = 0x7FFF


def value(bits, form):
    """The fraction that the bits are, or an infinity or NaN as a float."""
    digits, top = FORMATS[form]
    sign = -1 if bits >> 15 else 1
    exponent, rest = (bits & 0x7FFF) >> digits - 1, bits & (1 << digits - 1) - 1
    if exponent == 2 * top + 1:
        return math.nan if rest else sign * math.inf
    unit = Fraction(2) ** (max(exponent, 1) - top - digits + 1)
    return sign * (rest + (1 << digits - 1 if exponent else 0)) * unit


def is_special(x):
    return isinstance(x, float)


def rounded(x, form, mode="rn", negative_zero=False):
    digits, top = FORMATS[form]
    infinity = (2 * top + 1) << digits - 1
    if is_special(x):
        return NAN if x != x else infinity | (0x8000 if x < 0 else 0)
    if x == 0:
        return 0x8000 if negative_zero else 0
    size, sign = abs(x), 0x8000 if x < 0 else 0
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    lowest = 2 - top - digits
    unit = max(exponent - digits + 1, lowest)
    whole = size / Fraction(2) ** unit
    low = math.floor(whole)
    rest = whole - low
    away = {"rz": False, "ru": x > 0, "rd": x < 0}.get(mode)
    if away is None:
        away = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1)
    low += 1 if away and rest else 0
    bits = low + (unit - lowest << digits - 1)  # a carry into the exponent is right, too
    if bits >= infinity:
        finite = mode == "rz" or (mode == "ru" and x < 0) or (mode == "rd" and x > 0)
        bits = infinity - 1 if finite else infinity
    return bits | sign


def sign_of(bits):
    return bits >> 15


def add(a, b, form):
    x, y = value(a, form), value(b, form)
    if is_special(x) or is_special(y):
        return rounded(float(x if is_special(x) else 0) + float(y if is_special(y) else 0), form)
    return rounded(x + y, form, negative_zero=x + y == 0 and sign_of(a) and sign_of(b))


def mul(a, b, form):
    x, y = value(a, form), value(b, form)
    sign = sign_of(a) ^ sign_of(b)
    if is_special(x) or is_special(y):
        if x != x or y != y or x == 0 or y == 0:
            return NAN
        return rounded(-math.inf if sign else math.inf, form)
    return rounded(x * y, form, negative_zero=sign)


def div(a, b, form):
    x, y = value(a, form), value(b, form)
    sign = sign_of(a) ^ sign_of(b)
    if x != x or y != y or (is_special(x) and is_special(y)) or (x == 0 and y == 0):
        return NAN
    if is_special(x) or y == 0:
        return rounded(-math.inf if sign else math.inf, form)
    return (0x8000 if sign else 0) if is_special(y) else rounded(x / y, form, negative_zero=sign)


def fma(a, b, c, form):
    x, y, z = (value(v, form) for v in (a, b, c))
    if any(is_special(v) for v in (x, y, z)):
        return None
    total = x * y + z
    sign = total == 0 and (sign_of(a) ^ sign_of(b)) and sign_of(c)
    return rounded(total, form, negative_zero=bool(sign))


def pairs(form, n):
    infinity = (2 * FORMATS[form][1] + 1) << FORMATS[form][0] - 1
    special = (0, 0x8000, 1, 0x8001, infinity, infinity | 0x8000, infinity - 1, infinity + 1, 1 << FORMATS[form][0] - 1)
    out = [(a, b) for a in special for b in special]
    for _ in range(n):
        a = rng.getrandbits(16)
        near = a + rng.randrange(-40, 40) * rng.choice((1, 1 << FORMATS[form][0] - 1)) & 0xFFFF
        out.append((a, rng.choice((near, rng.getrandbits(16)))))
    return out


def lines_of(form):
    out = {}

    def line(op, a, b, c, result):
        if result is not None:
            out.setdefault(op, []).append(f"{a:x} {b:x} {c:x} = {result:x};")

    for a, b in pairs(form, 60):
        line("add", a, b, 0, add(a, b, form))
        line("sub", a, b, 0, add(a, b ^ 0x8000, form) if value(b, form) == value(b, form) else NAN)
        line("mul", a, b, 0, mul(a, b, form))
        line("div", a, b, 0, div(a, b, form))
    one = FORMATS[form][1] << FORMATS[form][0] - 1
    ties = [(one + 1, one + (1 << FORMATS[form][0] - 2), tiny) for tiny in (0, 1, 0x8001, one >> 1, one >> 1 | 0x8000)]
    for a, b, c in ties + [(rng.getrandbits(16), b, c) for b, c in pairs(form, 60)]:
        line("fma", a, b, c, fma(a, b, c, form))
    for mode in ("rn", "rz", "rd", "ru"):
        for _ in range(60):
            bits = rng.getrandbits(32)
            if rng.random() < 0.7:  # in half's range, or near its ends
                bits = bits & 0x807FFFFF | rng.randrange(127 - 27, 127 + 18) << 23
            if rng.random() < 0.2:
                bits &= 0xFFFFE000 if form == "half" else 0xFFFF8000
            x = struct.unpack("<f", struct.pack("<I", bits))[0]
            exact = x if not math.isfinite(x) else Fraction(x)
            line(f"float_{mode}", bits, 0, 0, rounded(exact, form, mode, negative_zero=bits >> 31 == 1))
        for _ in range(25):
            n = rng.getrandbits(rng.choice((4, 12, 16, 20, 31)))
            line(f"int_{mode}", n, 0, 0, rounded(Fraction(n), form, mode))
            n = rng.getrandbits(rng.choice((12, 17, 55, 63)))
            line(f"ll_{mode}", n, 0, 0, rounded(Fraction(n), form, mode))
        for _ in range(40):
            a = rng.getrandbits(16)
            x = value(a, form)
            if is_special(x):
                whole = 0 if x != x else (2**31 - 1 if x > 0 else -(2**31))
            else:
                low, rest = math.floor(x), x - math.floor(x)
                up = {"rz": x < 0 and rest > 0, "ru": rest > 0, "rd": False}.get(mode)
                if up is None:
                    up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1)
                whole = min(max(low + (1 if up else 0), -(2**31)), 2**31 - 1)
            line(f"to_int_{mode}", a, 0, 0, whole & 0xFFFFFFFF)
    return [f"{form} {op} " + " ".join(rows) for op, rows in out.items()]


def main():
    rows = lines_of("half") + lines_of("bfloat16")
    (pathlib.Path(__file__).parent / "half.txt").write_text("\n".join(rows) + "\n")
    print(len(rows), "lines")


main()
