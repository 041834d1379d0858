# bindings/python/tests/search_compiled.py -- a search for programs that gpuopt.njit, Python and Numba do not agree on.
"""usage: search_compiled.py [MINUTES [SEED]]

Makes random small functions of integers, floats, arrays, lists, sets, dictionaries, texts, tuples with and without
names, random numbers and instances, with loops, branches, exceptions and functions inside, and calls each with several
arguments: compiled by gpuopt, and as Python's own; where these differ, also compiled by Numba, if it is installed:
where integers leave 64 bits, Python counts on.
What differs from both is printed; the exit status says whether anything did.
"""

import collections
import linecache
import math
import random
import re
import sys
import time

import gpuopt
import numpy as np

try:
    import numba
except ImportError:
    numba = None

INTS, FLOATS = ("i0", "i1", "i2", "n", "k"), ("f0", "f1", "x")


class Writer:
    """A random function's text."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.loops = [], 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def integer(self, depth):
        """An integer expression."""
        if depth <= 0 or self.random.random() < 0.2:
            return self.pick(
                *INTS, str(self.random.randint(-9, 9)), "len(a)", "int(b[i0 % len(b)])", "a.shape[0]", "len(xs)",
                "t0[1]", "o.n", "len(s)", "len(w)", "pt.x", "pt[0]",
            )  # fmt: skip
        one, two = self.integer(depth - 1), self.integer(depth - 1)
        return self.pick(
            f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"({one} // {two})", f"({one} % {two})",
            f"({one} & {two})", f"({one} | {two})", f"({one} ^ {two})", f"({one} << ({two} & 7))", f"(-{one})",
            f"({one} >> ({two} & 15))", f"(~{one})", f"abs({one})", f"min({one}, {two})", f"max({one}, {two})",
            f"({one} if {self.condition(depth - 1)} else {two})", f"(({one} % 1000) ** 2)",
            f"int(fin({self.real(depth - 1)} % 100.0))", f"math.floor(fin({self.real(depth - 1)} % 64.0))",
            f"round(fin({self.real(depth - 1)} % 8.0))", f"(int(u[{one} % len(u)]) + 0)", self.of_list(depth - 1),
            f"d[{self.integer(0)}]", f"d.get({one}, {two})", "len(d)", f"(7 if {one} in d else {two})", "d.pop(3)",
            f"g({one}, {two})", f"g({one})", "np.random.randint(-3, 9)", f"o.step({one})", f"[{one}, {two}][i0 % 2]",
            f"(7 if {one} in s else {two})", "sum(s)", self.of_text(depth - 1),
            f"len(s {self.pick(*'|&-^')} {{{one}, 3}})",
            "max(s)", f"P({one} % 99, 1.5).x", "(1 if s <= {1, 2, 3, 4} else 0)", "e[w[:2]]",
            f"e.get(str({one} % 9), 5)",
            "np.random.poisson(3.5)", "np.random.binomial(20, 0.4)",
        )  # fmt: skip

    def items(self, depth):
        """A list's expression."""
        inner = self.integer(depth - 1)
        return self.pick(
            "xs", "sorted(xs)", "xs[::-1]", "xs[1:]", "xs[:i1 % 4]", "list(range(4))", f"[{inner}, {self.integer(0)}]",
            f"[e * 2 for e in xs if e > {self.integer(0)}]", f"[{inner} + q for q in range(3)]", "xs + [1, 2]",
            "[p * q for p in range(3) for q in range(p)]", "[int(e) for e in b]", "sorted(xs, reverse=True)", "xs * 2",
        )  # fmt: skip

    def text_of(self, depth):
        """A text."""
        inner = self.integer(depth - 1)
        return self.pick(
            "w", "w[::-1]", "w[1:]", "w[:i1 % 4]", f"str({inner} % 1000)", f"(w + str({self.integer(0)} % 77))",
            "('ab' * 2)",
            "','.join([str(q) for q in xs[:4]])", f"f'{{{inner} % 999:04d}}-{{w[:3]!r}}'",
            "w.replace('1', 'ab')", "'ba'",
            f"('a' if {self.condition(0)} else w)", "w.strip()", "chr(97 + i0 % 20)", "w.split('a')[0]", "str(pt)[:9]",
        )  # fmt: skip

    def of_text(self, depth):
        """An integer of a text."""
        text = self.text_of(depth)
        return self.pick(
            f"len({text})", f"{text}.find('b')", f"{text}.count('a')", f"ord({text}[{self.integer(0)}])",
            f"(1 if 'a' in {text} else 0)", f"(1 if {text} < w else 0)", f"(1 if {text} == 'ab' else 2)",
            f"len({text}.split())", f"(3 if {text}.startswith('a') else 4)",
        )  # fmt: skip

    def of_list(self, depth):
        """An integer of a list."""
        return self.pick(
            f"sum({self.items(depth)})", f"len({self.items(depth)})", f"min({self.items(depth)})", "xs[-1]",
            f"max({self.items(depth)})", f"xs[{self.integer(0)}]", f"xs.count({self.integer(0)})", "xs.pop()",
            f"xs.index({self.integer(0)})", f"(1 if {self.integer(0)} in xs else 0)",
        )  # fmt: skip

    def real(self, depth):
        """A float expression."""
        if depth <= 0 or self.random.random() < 0.2:
            return self.pick(
                *FLOATS,
                f"{self.random.uniform(-4, 4):.3f}",
                "float(a[i1 % len(a)])",
                "1.5",
                "(float(h1[n % len(h1)]) + 0.0)",
            )
        one, two = self.real(depth - 1), self.real(depth - 1)
        return self.pick(
            f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"({one} / {two})", f"({one} // {two})",
            f"({one} % {two})", f"(-{one})", f"abs({one})", f"math.sqrt(abs({one}))", f"(({one} % 1000) ** 2)",
            f"({one} + {self.integer(depth - 1)})", f"float({self.integer(depth - 1)})", f"math.fabs({one})",
            f"({self.integer(depth - 1)} / {self.integer(depth - 1)})", f"max({one}, {two})",
            f"({one} if {self.condition(depth - 1)} else {two})", "t0[0]", "np.random.random()", "o.x", "o.half",
            "pt.y", f"P(1, {one}).y", "np.random.gamma(2.5)", "np.random.exponential(0.5)",
            f"h(a, {one})", f"wt({one}, 2.0, 1)", f"np.random.uniform(fin({one}) % 9.0, 2.0)",
        )  # fmt: skip

    def condition(self, depth):
        """A truth value."""
        sign = self.pick("<", "<=", ">", ">=", "==", "!=")
        kind = self.integer if self.random.random() < 0.6 else self.real
        test = f"{kind(depth - 1)} {sign} {kind(depth - 1)}"
        if depth > 0 and self.random.random() < 0.3:
            return f"({test} {self.pick('and', 'or')} {self.condition(depth - 1)})"
        if self.random.random() < 0.1:
            return f"({self.integer(0)} < {self.integer(1)} <= {self.integer(0)})"
        return f"(not {test})" if self.random.random() < 0.1 else f"({test})"

    def block(self, indent, depth, count):
        for _ in range(count):
            self.statement(indent, depth)

    def statement(self, indent, depth):
        pad = "    " * indent
        kind = self.random.random()
        if self.random.random() < 0.25:
            self.statement_of_list(pad)
        elif self.random.random() < 0.1 and depth > 0:
            self.guarded(pad, indent, depth)
        elif kind < 0.25 or depth <= 0:
            self.lines.append(
                f"{pad}{self.pick('i0', 'i1', 'i2')} {self.pick('=', '+=', '-=', '^=')} {self.integer(3)}"
            )
        elif kind < 0.45:
            self.lines.append(f"{pad}{self.pick('f0', 'f1')} {self.pick('=', '+=', '*=', '-=')} {self.real(3)}")
        elif kind < 0.55:
            self.lines.append(f"{pad}a[{self.integer(1)} % len(a)] {self.pick('=', '+=')} {self.real(2)}")
        elif kind < 0.62:
            self.lines.append(f"{pad}b[{self.integer(1)} % len(b)] {self.pick('=', '+=')} {self.integer(2)}")
        elif kind < 0.8:
            self.lines.append(f"{pad}if {self.condition(2)}:")
            self.block(indent + 1, depth - 1, self.random.randint(1, 2))
            if self.random.random() < 0.5:
                self.lines.append(f"{pad}else:")
                self.block(indent + 1, depth - 1, 1)
        elif kind < 0.92:
            self.loop(pad, indent, depth)
        else:
            self.lines.append(f"{pad}i0, i1 = i1, {self.integer(2)}")

    def statement_of_list(self, pad):
        inner = self.integer(1)
        self.lines.append(pad + self.pick(
            f"xs.append({inner} % 1000)", f"xs.insert({self.integer(0)}, 7)", f"xs = {self.items(1)}", "xs.reverse()",
            f"xs.extend([{self.integer(0)}, 4])", "xs.sort()", f"t0 = ({self.real(1)}, {inner})", "xs = xs[:20]",
            f"xs[{self.integer(0)}] = {self.integer(0)}", "f0, i0 = t0", f"o.x {self.pick('=', '+=')} {self.real(1)}",
            f"o.values[{self.integer(0)} % 3] += 1.5", "xs.remove(3)", f"np.random.seed({self.integer(0)} % 100)",
            f"o.add({inner} % 100)", "i2 = xs.pop(0)", "del xs[0]", f"d[{inner} % 10] = {self.integer(1)} % 1000",
            f"d[{self.integer(0)}] += 1",
            f"del d[{self.integer(0)}]", "xs = list(d.keys())", "ps = [(k1, 0.5 * v1) for k1, v1 in d.items()]",
            "ps = [(e, 0.5 * e) for e in xs[:5]]",
            "i1 += sum([k0 * 2 for k0, v0 in ps])", "f1 += sum([v0 for k0, v0 in ps])",
            f"s.add({inner} % 50)", f"s.discard({self.integer(0)})", f"s.remove({self.integer(0)})",
            "s ^= {1, 2, n % 5}",
            f"s |= {{{inner} % 40, 2}}", f"s = s - {{{self.integer(0)}, 4}}", "s &= set(xs)",
            "s = {q % 10 for q in xs}",
            f"w = {self.text_of(1)}", f"w = (w + {self.text_of(1)})[:40]", f"e[{self.text_of(1)}] = {inner} % 100",
            f"pt = P({inner} % 100, {self.real(1)})", f"pt = pt._replace(x={self.integer(0)} % 100)", "e[w[:2]] += 1",
            f"del e[{self.text_of(0)}]", "i0, f1 = pt", "pts.append(pt)",
            f"raise KeyError({self.integer(0)} % 10, w[:3])",
            "i1 = sum([ord(c) for c in w])", "pts = [P(q, 0.5) for q in xs[:3]]", "xs = sorted(s)",
        ))  # fmt: skip

    def guarded(self, pad, indent, depth):
        """A try statement."""
        self.lines.append(f"{pad}try:")
        self.block(indent + 1, depth - 1, 2)
        if self.random.random() < 0.3:
            self.lines.append(f"{pad}    raise ValueError('no')")
        final = self.random.random() < 0.3
        if not final or self.random.random() < 0.7:
            self.lines.append(f"{pad}except{self.pick('', ' Exception')}:")
            self.block(indent + 1, depth - 1, 1)
            if self.random.random() < 0.3:
                self.lines.append(f"{pad}else:")
                self.block(indent + 1, depth - 1, 1)
        if final:
            self.lines.append(f"{pad}finally:")
            self.block(indent + 1, 0, 1)

    def loop(self, pad, indent, depth):
        name = self.pick("k", "j", "z")
        over = self.pick(
            "range(5)", "range(2, 9, 3)", "range(6, -3, -2)", f"range({self.integer(0)} % 7)", "range(len(a))"
        )
        if name == "z":
            over = self.pick("zip(xs, a)", "enumerate(xs)", "enumerate(xs[:3], 2)", "ps", "zip(range(4), reversed(xs))")
            self.lines.append(f"{pad}for p, q in {over}:")
            self.lines.append(f"{pad}    f0 += p + 0.5 * q")
        elif name == "j":
            self.lines.append(f"{pad}for j, v in enumerate(a):")
            self.lines.append(f"{pad}    f1 += float(v) * j")
        else:
            self.lines.append(f"{pad}for k in {over}:")
        self.block(indent + 1, depth - 1, self.random.randint(1, 2))
        if self.random.random() < 0.3:
            self.lines.append(f"{pad}    if {self.condition(1)}: {self.pick('break', 'continue')}")

    def text(self):
        self.lines = [
            "def f(n, x, a, b, u, h1):",
            "    i0 = n; i1 = 3; i2 = -2; f0 = x; f1 = 0.25; k = 1",
            "    np.random.seed(5); xs = [3, n, 1]; t0 = (x, n); ps = [(1, 2.5)]; d = {3: 1}; o = Counter(n, 1.5)",
            "    s = {1, 2, n}; w = 'a1b' + str(n); e = {'ab': 1, 'a1': 2}; pt = P(n, x); pts = [pt]",
            "    scale = 3",
            "    def g(p, q=2): return p + q * scale if p < 50 else q",
            "    h = lambda v, y: float(v[0]) * y + k",
        ]
        self.block(1, 3, self.random.randint(3, 7))
        self.lines.append(
            "    return (i0, i1, i2, f0, f1, k, a.sum() == a.sum(), xs, t0, o.x, o.n, o.total(), ps, sorted(d), s, w,"
            " e, pt, pts)"
        )
        return "\n".join(self.lines) + "\n"


def arguments(seed):
    """Arguments of a call: arrays are new each time."""
    r = random.Random(seed)
    n, x = (
        r.choice([0, 1, -1, 7, -13, 100, 41]),
        r.choice([0.0, 1.0, -2.5, 1e10, 0.1, float("inf")]),
    )
    a = np.array([r.uniform(-3, 3) for _ in range(r.randint(1, 6))])
    b = np.array([r.randint(-50, 50) for _ in range(r.randint(1, 6))])
    return n, x, a, b, np.array([1, 250, 7], np.uint8), np.array([0.5, -1.25], np.float32)


def plainly(value):
    """A result with Python's own numbers."""
    if isinstance(value, (list, tuple)):
        return [*([type(value).__name__] if hasattr(value, "_fields") else []), *(plainly(v) for v in value)]
    if isinstance(value, set):
        return ["set", *sorted(value)]
    if isinstance(value, dict):
        return [[plainly(k), plainly(v)] for k, v in value.items()]
    if isinstance(value, str):
        return value
    return float(value) if isinstance(value, (float, np.floating)) else int(value)


def outcome(function, seed):
    """What a call gives: values with what it has written, or the class of the exception."""
    given = arguments(seed)
    try:
        with np.errstate(all="ignore"):
            result = function(*given)
    except Exception as error:
        return f"{type(error).__name__}{error.args if isinstance(error, KeyError) else ''}"
    return (
        [plainly(v) for v in result],
        given[2].tolist(),
        given[3].tolist(),
    )


def alike(a, b):
    """Whether two outcomes are the same; NaN is NaN."""
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, float) and isinstance(b, (float, int)):
        return a == b or (a != a and b != b) or abs(a - b) <= 1e-13 * abs(a)  # x ** 2 is x * x
    return a == b


def large(outcome):
    """Whether an outcome of Python's has integers that 64 bits cannot hold."""
    if isinstance(outcome, (list, tuple)):
        return any(map(large, outcome))
    if isinstance(outcome, str):
        return re.search(r"\d{15}", outcome) is not None
    return isinstance(outcome, int) and abs(outcome) > 2**50


def made(text, number, names):
    """The function of a text, whose lines errors can show."""
    name = f"<program {number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"math": math, "np": np, **names}
    exec(compile(text, name, "exec"), space)
    return space["f"]


class Counter:
    """A class that is compiled, too."""

    def __init__(self, n, x):
        self.n = n % 100
        self.x = x
        self.values = np.zeros(3)
        self.log = [1]

    def step(self, k):
        self.n += 1
        if self.n > 1000:
            self.n = 0
        return k % 7 + self.n

    def add(self, k):
        self.log.append(k)
        self.values[k % 3] += k
        return len(self.log)

    def total(self):
        return self.values.sum() + sum(self.log)

    @property
    def half(self):
        return self.x * 0.5


def weighted(first, *rest):
    total = first
    for k, r in enumerate(rest):
        total += k * r
    return total


def finite(x):
    return x if x - x == 0.0 else 0.5


P = collections.namedtuple("P", "x y")


def names_of(module):
    """What programs find as globals, for gpuopt or Numba; for Python if module is None."""
    if module is None:
        return {"Counter": Counter, "wt": weighted, "P": P, "fin": finite}
    t = module.types
    listed = t.List(t.int64) if module is gpuopt else t.ListType(t.int64)
    if module is not gpuopt:
        listed = t.List(t.int64, reflected=True)
    spec = [("n", t.int64), ("x", t.float64), ("values", t.float64[:]), ("log", listed)]
    make = module.jitclass if module is gpuopt else module.experimental.jitclass
    return {
        "Counter": make(spec)(type("Counter", (), dict(vars(Counter)))),
        "P": P,
        "wt": module.njit(weighted),
        "fin": module.njit(finite),
    }


def compare(number, base):
    """Whether all agree on one program; prints what they do not agree on."""
    text = Writer(base + number).text()
    python = made(text, number, PYTHON)
    ours = gpuopt.njit(made(text, number, OURS))
    theirs = None
    for call in range(6):
        seed = base + 31 * number + call
        plain = outcome(python, seed)
        if plain in ("OverflowError", "MemoryError") or large(plain):
            continue  # int(inf), or integers beyond 64 bits
        got = outcome(ours, seed)
        if alike(got, plain):
            continue
        if plain == "ValueError" and "int(" in text or "round(" in text:
            continue  # int(nan)
        if numba and theirs is None:
            theirs = numba.njit(made(text, number, THEIRS))
        want = outcome(theirs, seed) if theirs else plain
        if alike(got, want):
            continue
        print(f"---- program {number} of seed {base}, call {call}\n{text}")
        print(f"gpuopt: {got}\nnumba:  {want}\npython: {plain}", flush=True)
        return False
    return True


PYTHON, OURS = names_of(None), names_of(gpuopt)
THEIRS = names_of(numba) if numba else None


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 1
    base = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    end, number, failed = time.monotonic() + 60 * minutes, 0, 0
    while time.monotonic() < end and failed < 10:
        failed += not compare(number, base)
        number += 1
    print(f"{number} programs, {failed} of them with differences" + ("" if numba else "; Numba is not installed"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
