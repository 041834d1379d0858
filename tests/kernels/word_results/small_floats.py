"""tests/kernels/word_results/small_floats.py -- 8-bit floats, from the definition of their formats, and cuComplex.h."""

import math
import struct
from fractions import Fraction

from .values import INF, NAN, case, f32, rng

# Bits after the point, exponent of the smallest normal number, and the code that stands for what is too large.
FORMATS = {"E4M3": (3, -6, 0x7F), "E5M2": (2, -14, 0x7C)}
SATURATIONS = ("__NV_SATFINITE", "__NV_NOSAT")


def size_of_code(code, form):
    """The number that a code without a sign is; for the code of what is too large, the one that would come next."""
    digits, lowest, _ = FORMATS[form]
    exponent, fraction = code >> digits, code & (1 << digits) - 1
    if exponent == 0:
        return Fraction(fraction) * Fraction(2) ** (lowest - digits)
    return Fraction(fraction + (1 << digits)) * Fraction(2) ** (lowest - digits + exponent - 1)


SIZES = {form: [size_of_code(code, form) for code in range(FORMATS[form][2] + 1)] for form in FORMATS}


def narrowed(x, saturation, form, of_double=False):
    sign = 0x80 if math.copysign(1, x) < 0 else 0
    too_large = FORMATS[form][2]
    largest = too_large - 1
    if x != x:
        return 0x7F  # of a double with all bits of its payload set, and positive
    beyond = largest if saturation == "__NV_SATFINITE" else too_large
    if math.isinf(x):
        return sign | beyond
    size = abs(Fraction(x))
    if size > SIZES[form][-1]:
        return sign | beyond
    code = min(range(too_large + 1), key=lambda k: (abs(SIZES[form][k] - size), k & 1))
    return sign | (beyond if code == too_large else code)


def inputs(form):
    sizes = SIZES[form]
    middles = [float((a + b) / 2) for a, b in zip(sizes, sizes[1:])]
    some = [x for k, x in enumerate(middles) if k < 12 or k % 9 == 0 or k > len(middles) - 3]
    near = [f32(x * (1 + s * 2.0**-22)) for x in some[::3] for s in (-1, 1)]
    others = [0.0, -0.0, INF, -INF, 1e30, -1e30, 2.0**-149, -(2.0**-20), float(sizes[-2]), float(sizes[1])]
    return some + [-x for x in some[::2]] + near + others + [f32(rng.gauss(0, 30)) for _ in range(12)]


def widened(code, form):
    if code & 0x7F > FORMATS[form][2] - (form == "E4M3"):
        return NAN
    if form == "E5M2" and code & 0x7F == 0x7C:
        return -INF if code >> 7 else INF
    return math.copysign(float(SIZES[form][code & 0x7F]), -1 if code >> 7 else 1)


def fp8():
    for form in FORMATS:
        name = "__nv_fp8_" + form.lower()
        for saturation in SATURATIONS:
            for kind, word in (("f", "float"), ("d", "double")):
                rows = [((x,), narrowed(x, saturation, form)) for x in inputs(form)[:: 1 if kind == "f" else 4]]
                if kind == "f":
                    rows.append(((NAN,), 0x7F))
                if kind == "d":  # between a middle and the next float: a conversion that rounds twice is wrong here
                    middle = float((SIZES[form][9] + SIZES[form][10]) / 2)
                    rows.append(((middle * (1 + 2.0**-50),), narrowed(middle * (1 + 2.0**-50), saturation, form)))
                expression = f"unsigned(__nv_cvt_{word}_to_fp8(a, {saturation}, __NV_{form}))"
                case(f"__nv_cvt_{word}_to_fp8", "u", kind, expression, rows)
        codes = [0, 1, 3, 7, 8, 9, 0x3C, 0x77, 0x7B, 0x7C, 0x7D, 0x7E, 0x7F, 0x80, 0x81, 0x8F, 0xB0, 0xFB, 0xFC, 0xFF]
        rows = [((code,), widened(code, form)) for code in codes]
        case(name, "f", "u", f"[&] {{ {name} x; x.__x = a; return float(x); }}()", rows)
        whole = f"float(__half(__nv_cvt_fp8_to_halfraw(a, __NV_{form})))"
        case("__nv_cvt_fp8_to_halfraw", "f", "u", whole, rows)
        rows = [((x,), narrowed(x, SATURATIONS[0], form)) for x in (0.3, -3.7, 1e9, 5e-4, 17.0)]
        case(name, "u", "d", f"unsigned({name}(a).__x)", rows)
        rows = [((code,), int(widened(code, form))) for code in (0x3C, 0x4D, 0xC9, 0x01)]
        case(name, "i", "u", f"[&] {{ {name} x; x.__x = a; return int(x); }}()", rows)
        rows = [((k,), narrowed(float(k), SATURATIONS[0], form)) for k in (0, 1, -3, 17, 449, -100000)]
        case(name, "u", "i", f"unsigned({name}(a).__x)", rows)
        vectors(form)


def vectors(form):
    low = form.lower()
    values = [(1.5, -2.25, 0.3, 600.0), (-0.0, 1e-3, 7e4, -17.0)]
    bytes_of = [sum(narrowed(f32(x), SATURATIONS[0], form) << 8 * k for k, x in enumerate(row)) for row in values]
    arguments = [tuple(f32(x) for x in row) for row in values]
    rows = list(zip(arguments, bytes_of))
    case(f"__nv_fp8x4_{low}", "u", "ffff", f"unsigned(__nv_fp8x4_{low}(make_float4(a, b, c, d)).__x)", rows)
    rows = [((w,), widened(w >> 16 & 255, form)) for w in bytes_of]
    back = f"[&] {{ __nv_fp8x4_{low} x; x.__x = a; return float4(x).z; }}()"
    case(f"__nv_fp8x4_{low}", "f", "u", back, rows)
    rows = [(row[:2], word & 0xFFFF) for row, word in zip(arguments, bytes_of)]
    case(f"__nv_fp8x2_{low}", "u", "ff", f"unsigned(__nv_fp8x2_{low}(make_float2(a, b)).__x)", rows)
    two = f"unsigned(__nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE, __NV_{form}))"
    case("__nv_cvt_float2_to_fp8x2", "u", "ff", two, rows)


# ---- cuComplex.h: every operation rounds once ----


def quotient(a, b, r):
    scale = r(1 / r(abs(b[0]) + abs(b[1])))
    p, q = [r(x * scale) for x in a], [r(x * scale) for x in b]
    inverse = r(1 / r(r(q[0] * q[0]) + r(q[1] * q[1])))
    re, im = r(r(p[0] * q[0]) + r(p[1] * q[1])), r(r(p[1] * q[0]) - r(p[0] * q[1]))
    return r(re * inverse), r(im * inverse)


def size(a, r):
    more, less = max(abs(a[0]), abs(a[1])), min(abs(a[0]), abs(a[1]))
    if more == 0 or math.isinf(more):
        return more + less
    ratio = r(less / more)
    return r(more * r(math.sqrt(r(1 + r(ratio * ratio)))))


def cu_complex():
    for kind, f, name, r in (("f", "f", "cuFloatComplex", f32), ("d", "", "cuDoubleComplex", float)):
        values = [tuple(r(rng.gauss(0, 10)) for _ in range(4)) for _ in range(6)] + [(3.0, -4.0, 0.5, 0.25)]
        a, b = f"make_{name}(a, b)", f"make_{name}(c, d)"
        of = {
            "cuCadd": lambda x, y: (r(x[0] + y[0]), r(x[1] + y[1])),
            "cuCsub": lambda x, y: (r(x[0] - y[0]), r(x[1] - y[1])),
            "cuCmul": lambda x, y: (
                r(r(x[0] * y[0]) - r(x[1] * y[1])),
                r(r(x[0] * y[1]) + r(x[1] * y[0])),
            ),
            "cuCdiv": lambda x, y: quotient(x, y, r),
        }
        for word, function in of.items():
            for part, number in (("cuCreal", 0), ("cuCimag", 1)):
                rows = [(v, function(v[:2], v[2:])[number]) for v in values]
                case(word + f, kind, kind * 4, f"{part}{f}({word}{f}({a}, {b}))", rows)
        large = 1e38 if f else 1e308
        pairs = [v[:2] for v in values] + [(large, -large), (0.0, -0.0), (INF, 1.0), (1e-40, 0.0)]
        pairs = [(r(x), r(y)) for x, y in pairs]
        case("cuCabs" + f, kind, kind * 2, f"cuCabs{f}({a})", [(v, size(v, r)) for v in pairs])
        case("cuConj" + f, kind, kind * 2, f"cuConj{f}({a}).y", [(v, -v[1]) for v in pairs])


def as_half(x):
    """The nearest number of 16 bits of IEEE 754, by Python's struct, which refuses what is too large."""
    try:
        return struct.unpack("e", struct.pack("e", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


def as_bfloat16(x):
    """The nearest number whose float32 ends in 16 zeros, ties to even."""
    bits = struct.unpack("I", struct.pack("f", x))[0]
    return struct.unpack("f", struct.pack("I", (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16))[0]


def between_halves():
    values = [1.0, -1.00390625, 1.01171875, -3.14159, 65504.0, 6.1e-5, 5.96e-8, -2.9e-8, 0.0, INF, -70000.0, 1e-20]
    values = [f32(x) for x in values]
    rows = [((x,), as_bfloat16(as_half(x))) for x in values]
    case("__nv_bfloat16", "f", "f", "float(static_cast<__nv_bfloat16>(static_cast<__half>(a)))", rows)
    rows = [((x,), as_half(as_bfloat16(x))) for x in values]
    case("__half", "f", "f", "float(static_cast<__half>(static_cast<__nv_bfloat16>(a)))", rows)
