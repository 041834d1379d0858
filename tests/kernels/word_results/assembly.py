"""tests/kernels/word_results/assembly.py -- inline PTX, and functions by their global names."""

import math
from fractions import Fraction

from .values import NAMES, NAN, case, f32, random_words, rng, rounded, signed

CONSTRAINT = {"i": "r", "u": "r", "l": "l", "k": "l", "f": "f", "d": "d", "s": "h", "t": "h"}
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def asm(opcode, result, arguments, function, values, text=None, word=None):
    """An instruction, or a text of several, whose operand 0 is the result and the others are the arguments."""
    operands = "".join(f", %{k + 1}" for k in range(len(arguments)))
    text = text or f"{opcode} %0{operands};"
    inputs = ", ".join(f'"{CONSTRAINT[k]}"({name})' for k, name in zip(arguments, "abcd"))
    expression = (
        f'[&] {{ {NAMES[result]} r_; asm volatile("{text}" : "={CONSTRAINT[result]}"(r_) : {inputs}); return r_; }}()'
    )
    case(word or opcode, result, arguments, expression, [(v, function(*v)) for v in values])


def shifted(a, by, bits):
    return a << by & ((1 << bits) - 1) if by < bits else 0


def whole_numbers():
    pairs, triples = random_words("u", 2), random_words("u", 3)
    asm("add.u32", "u", "uu", lambda a, b: (a + b) & M32, pairs)
    asm("sub.s32", "i", "ii", lambda a, b: signed(a - b, 32), random_words("i", 2))
    asm("mul.lo.u64", "k", "kk", lambda a, b: a * b & M64, random_words("k", 2))
    asm("mul.hi.s32", "i", "ii", lambda a, b: a * b >> 32, random_words("i", 2))
    asm("mul.wide.u32", "k", "uu", lambda a, b: a * b, pairs)
    asm("mul.wide.s16", "i", "ss", lambda a, b: a * b, random_words("s", 2))
    asm("mad.lo.u32", "u", "uuu", lambda a, b, c: (a * b + c) & M32, triples)
    asm("mad.hi.u32", "u", "uuu", lambda a, b, c: ((a * b >> 32) + c) & M32, triples)
    asm("mad.wide.s32", "l", "iil", lambda a, b, c: signed(a * b + c, 64), random_words("iil", 3))
    asm("min.s32", "i", "ii", min, random_words("i", 2))
    asm("max.u64", "k", "kk", max, random_words("k", 2))
    asm("abs.s32", "i", "i", abs, random_words("i", 1))
    asm("sad.u32", "u", "uuu", lambda a, b, c: (abs(a - b) + c) & M32, triples)
    clamped = lambda x: max(-(1 << 31), min((1 << 31) - 1, x))
    edges = [((1 << 31) - 5, 9), (-(1 << 31) + 5, -9), (7, -9)]
    asm("add.sat.s32", "i", "ii", lambda a, b: clamped(a + b), edges)
    asm("popc.b64", "u", "k", lambda a: bin(a).count("1"), random_words("k", 1))
    asm("clz.b32", "u", "u", lambda a: 32 - a.bit_length(), random_words("u", 1) + [(0,)])
    asm("brev.b32", "u", "u", lambda a: int(f"{a:032b}"[::-1], 2), random_words("u", 1))
    asm("not.b32", "u", "u", lambda a: ~a & M32, random_words("u", 1))
    asm("and.b32", "u", "uu", lambda a, b: a & b, pairs)
    asm("xor.b64", "k", "kk", lambda a, b: a ^ b, random_words("k", 2))
    shifts = [(a, s) for (a,), s in zip(random_words("u", 1, 6), (0, 5, 31, 32, 33, 200))]
    asm("shl.b32", "u", "uu", lambda a, s: shifted(a, s, 32), shifts)
    asm("shr.u32", "u", "uu", lambda a, s: a >> s, shifts)
    asm("shr.s32", "i", "iu", lambda a, s: a >> s, [(signed(a | 1 << 31, 32), s) for a, s in shifts])
    asm("shf.l.wrap.b32", "u", "uuu", lambda a, b, s: ((b << 32 | a) << s % 32 >> 32) & M32, triples)
    asm("shf.r.clamp.b32", "u", "uuu", lambda a, b, s: (b << 32 | a) >> min(s, 32) & M32, [(5, 9, 3), (5, 9, 40)])


def bits():
    def look_up(table):
        return lambda a, b, c: sum(
            (table >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1) << k for k in range(32)
        )

    for table in (0x96, 0xE8, 0xCA):
        text = f"lop3.b32 %0, %1, %2, %3, 0x{table:x};"
        asm("lop3.b32", "u", "uuu", look_up(table), random_words("u", 3), text)

    def extract(size, is_signed):
        def of(a, at, count):
            at, count = at & 255, count & 255
            raw = a & ((1 << size) - 1)
            fill = 0
            if is_signed and count:
                fill = raw >> min(at + count - 1, size - 1) & 1
            out = sum(
                (raw >> (at + k) & 1 if k < count and at + k < size else fill) << k for k in range(size)
            )
            return signed(out, size) if is_signed else out

        return of

    fields = [(0, 32), (3, 9), (24, 16), (31, 1), (7, 0), (40, 5), (0, 200), (256 + 4, 4)]
    rows = [(a | 1 << 31, at, count) for (a,), (at, count) in zip(random_words("u", 1, 8), fields)]
    asm("bfe.u32", "u", "uuu", extract(32, False), rows)
    asm("bfe.s32", "i", "iuu", extract(32, True), [(signed(a, 32), at, count) for a, at, count in rows])
    asm("bfe.s64", "l", "luu", extract(64, True), [(signed(a << 30, 64), at, count) for a, at, count in rows])

    def insert(a, b, at, count):
        at, count = at & 255, count & 255
        for k in range(count):
            if at + k < 32:
                b = b & ~(1 << (at + k)) | (a >> k & 1) << (at + k) if k < 32 else b & ~(1 << (at + k))
        return b

    rows = [(a, b, at, count) for (a, b), (at, count) in zip(random_words("u", 2, 8), fields)]
    asm("bfi.b32", "u", "uuuu", insert, rows)
    asm("bfind.u32", "u", "u", lambda a: a.bit_length() - 1 if a else M32, random_words("u", 1) + [(0,)])
    highest = lambda a: (a if a >= 0 else ~a).bit_length() - 1 & M32
    asm("bfind.s32", "u", "i", highest, random_words("i", 1) + [(-1,), (0,)])

    def permuted(a, b, select):
        eight, out = (b << 32 | a).to_bytes(8, "little"), []
        for k in range(4):
            nibble = select >> 4 * k & 15
            out.append((255 if eight[nibble & 7] > 127 else 0) if nibble & 8 else eight[nibble & 7])
        return int.from_bytes(bytes(out), "little")

    asm("prmt.b32", "u", "uuu", permuted, [(0x33A21100, 0x77E65544, s) for s in (0x3210, 0x7654, 0xA167, 0xE140)])
    parts = lambda a, n: [a >> n * k & ((1 << n) - 1) for k in range(32 // n)]
    sums = lambda a, b, c: (sum(abs(x - y) for x, y in zip(parts(a, 8), parts(b, 8))) + c) & M32
    asm("vabsdiff4.u32.u32.u32.add", "u", "uuu", sums, random_words("u", 3))
    dot = lambda a, b, c: (sum(x * y for x, y in zip(parts(a, 8), parts(b, 8))) + c) & M32
    asm("dp4a.u32.u32", "u", "uuu", dot, random_words("u", 3))


def floating():
    pairs = [(f32(rng.uniform(-9, 9)), f32(rng.uniform(1, 9))) for _ in range(4)]
    for name, function in (("add", lambda a, b: a + b), ("mul", lambda a, b: a * b), ("div", lambda a, b: a / b)):
        for ending, mode in (("rn", "n"), ("rz", "z"), ("rp", "u"), ("rm", "d")):
            answer = lambda a, b: rounded(function(Fraction(a), Fraction(b)), "f", mode)
            asm(f"{name}.{ending}.f32", "f", "ff", answer, pairs)
    triples = [tuple(rng.uniform(-9, 9) for _ in range(3)) for _ in range(4)]
    fused = lambda a, b, c: rounded(Fraction(a) * Fraction(b) + Fraction(c), "d")
    asm("fma.rn.f64", "d", "ddd", fused, triples)
    asm("sqrt.rn.f64", "d", "d", math.sqrt, [(b,) for _, b in pairs])
    number = lambda a, b, f: b if a != a else a if b != b else f(a, b)
    asm("min.f32", "f", "ff", lambda a, b: number(a, b, min), pairs + [(NAN, 2.0), (-3.0, NAN)])
    asm("max.f64", "d", "dd", lambda a, b: number(a, b, max), pairs + [(NAN, 2.0), (NAN, NAN)])
    asm("copysign.f32", "f", "ff", lambda a, b: math.copysign(b, a), pairs)
    clamped = lambda a, low, high: 0 if a != a else max(low, min(high, math.trunc(a)))
    rows = [(2.75,), (-2.75,), (3e9,), (-5e9,), (f32(1e10),), (NAN,)]
    asm("cvt.rzi.s32.f32", "i", "f", lambda a: clamped(a, -(1 << 31), (1 << 31) - 1), rows)
    asm("cvt.rzi.u32.f64", "u", "d", lambda a: clamped(a, 0, M32), rows[:5])
    asm("cvt.rni.f32.f32", "f", "f", lambda a: float(round(a)), [(2.5,), (3.5,), (-0.75,), (-2.25,)])
    asm("cvt.rn.f32.s64", "f", "l", lambda a: rounded(Fraction(a), "f"), random_words("l", 1))
    asm("cvt.f64.f32", "d", "f", lambda a: a, [(a,) for a, _ in pairs])
    asm("cvt.rm.f32.f64", "f", "d", lambda a: rounded(Fraction(a), "f", "d"), [(a,) for a, _, _ in triples])
    asm("cvt.s64.s32", "l", "i", lambda a: a, random_words("i", 1))
    asm("cvt.u16.u32", "t", "u", lambda a: a & 0xFFFF, random_words("u", 1))


def several():
    """Texts of several instructions, with registers of their own, carries, predicates and parts of words."""
    largest = "{ .reg .pred p; setp.gt.s32 p, %1, %2; selp.b32 %0, %1, %2, p; }"
    asm("", "i", "ii", max, random_words("i", 2), largest, "setp.gt.s32")
    unlike = "{ .reg .pred p; setp.ne.f32 p, %1, %2; selp.s32 %0, 1, 0, p; }"
    rows = [(1.0, 2.0), (2.0, 2.0), (NAN, 2.0), (NAN, NAN)]
    asm("", "i", "ff", lambda a, b: int(a == a and b == b and a != b), rows, unlike, "setp.ne.f32")
    guarded = "{ .reg .pred q; setp.lt.u32 q, %1, 1000; mov.u32 %0, %1; @q add.u32 %0, %1, %2; @!q mov.u32 %0, -1; }"
    answer = lambda a, b: (a + b) & M32 if a < 1000 else M32
    asm("", "u", "uu", answer, [(5, 7), (999, M32), (1000, 7), (M32, 1)], guarded, "@p")
    swapped = "{ .reg .b32 lo, hi; mov.b64 {lo, hi}, %1; mov.b64 %0, {hi, lo}; }"
    asm("", "k", "k", lambda a: (a << 32 | a >> 32) & M64, random_words("k", 1), swapped, "mov.b64")
    sum_128 = "{ .reg .u64 t; add.cc.u64 t, %1, %2; addc.u64 %0, %3, 0; }"
    answer = lambda a, b, c: (c + (a + b >> 64)) & M64
    asm("", "k", "kkk", answer, random_words("k", 3) + [(M64, 1, M64), (M64, 0, 4)], sum_128, "addc.u64")
    difference = "{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, 1; }"
    answer = lambda a, b, c: (c - 1 - (a < b)) & M32
    asm("", "u", "uuu", answer, random_words("u", 3) + [(3, 5, 0), (5, 5, 1)], difference, "subc.u32")
    product = "{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, 0; }"
    asm("", "u", "uuu", lambda a, b, c: a * b + c >> 32 & M32, random_words("u", 3), product, "madc.hi.u32")
    scaled = (
        "{ // a comment\\n\\t.reg .f32 x<2>;\\n\\tmov.f32 x0, 0f40200000;\\n"
        "\\tmul.rn.f32 x1, %1, x0; /* 2.5 */ mov.f32 %0, x1; }"
    )
    asm("", "f", "f", lambda a: a * 2.5, [(3.0,), (-1.5,)], scaled, ".reg")


def global_names():
    case("::fmax", "f", "ff", "::fmaxf(a, b)", [((1.0, 2.0), 2.0), ((-3.0, NAN), -3.0)])
    case("::min", "i", "ii", "::min(a, b)", [((5, -7), -7)])
    case("::floor", "d", "d", "::floor(a)", [((-1.5,), -2.0)])
    case("::nan", "b", "", '::nan("") != 0', [((), 1)])


def assembly():
    whole_numbers()
    bits()
    floating()
    several()
    global_names()
