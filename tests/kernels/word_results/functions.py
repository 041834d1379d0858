"""tests/kernels/word_results/functions.py -- functions, against mpmath."""

import math
from fractions import Fraction

import mpmath as mp

from .values import INF, NAMES, NAN, case, exactly, f32, near, np_next, numbers, of, rounded


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
