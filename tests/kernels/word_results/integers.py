"""tests/kernels/word_results/integers.py -- intrinsics of integers, and SIMD in a word."""

from .values import BITS, of, random_words, rng, signed


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
        # halves go away from zero
        lanes("__vavgs", True, lambda x, y: (x + y + 1) // 2 if x + y >= 0 else -((1 - x - y) // 2))
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
