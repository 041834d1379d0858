# bindings/python/tests/search_compiled.py -- a search for programs that gpuopt.njit, Python and Numba do not agree on.
"""usage: search_compiled.py [MINUTES [SEED]]

Makes random small functions of integers, floats and arrays with loops, branches and exceptions, and calls each with
several arguments: compiled by gpuopt, by Numba where it is installed, and as Python's own. What differs is printed; the
exit status says whether anything did. Where integers leave 64 bits, Python counts on and is not asked.
"""

import linecache
import math
import random
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
            return self.pick(*INTS, str(self.random.randint(-9, 9)), "len(a)", "int(b[i0 % len(b)])", "a.shape[0]")
        one, two = self.integer(depth - 1), self.integer(depth - 1)
        return self.pick(
            f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"({one} // {two})", f"({one} % {two})",
            f"({one} & {two})", f"({one} | {two})", f"({one} ^ {two})", f"({one} << ({two} & 7))", f"(-{one})",
            f"({one} >> ({two} & 15))", f"(~{one})", f"abs({one})", f"min({one}, {two})", f"max({one}, {two})",
            f"({one} if {self.condition(depth - 1)} else {two})", f"(({one} % 1000) ** 2)",
            f"int({self.real(depth - 1)} % 100.0)", f"math.floor({self.real(depth - 1)} % 64.0)",
            f"round({self.real(depth - 1)} % 8.0)", f"(int(u[{one} % len(u)]) + 0)",
        )  # fmt: skip

    def real(self, depth):
        """A float expression."""
        if depth <= 0 or self.random.random() < 0.2:
            return self.pick(
                *FLOATS,
                f"{self.random.uniform(-4, 4):.3f}",
                "float(a[i1 % len(a)])",
                "1.5",
                "(float(h[n % len(h)]) + 0.0)",
            )
        one, two = self.real(depth - 1), self.real(depth - 1)
        return self.pick(
            f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"({one} / {two})", f"({one} // {two})",
            f"({one} % {two})", f"(-{one})", f"abs({one})", f"math.sqrt(abs({one}))", f"(({one} % 1000) ** 2)",
            f"({one} + {self.integer(depth - 1)})", f"float({self.integer(depth - 1)})", f"math.fabs({one})",
            f"({self.integer(depth - 1)} / {self.integer(depth - 1)})", f"max({one}, {two})",
            f"({one} if {self.condition(depth - 1)} else {two})",
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
        if kind < 0.25 or depth <= 0:
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

    def loop(self, pad, indent, depth):
        name = self.pick("k", "j")
        over = self.pick(
            "range(5)", "range(2, 9, 3)", "range(6, -3, -2)", f"range({self.integer(0)} % 7)", "range(len(a))"
        )
        if name == "j":
            self.lines.append(f"{pad}for j, e in enumerate(a):")
            self.lines.append(f"{pad}    f1 += float(e) * j")
        else:
            self.lines.append(f"{pad}for k in {over}:")
        self.block(indent + 1, depth - 1, self.random.randint(1, 2))
        if self.random.random() < 0.3:
            self.lines.append(f"{pad}    if {self.condition(1)}: {self.pick('break', 'continue')}")

    def text(self):
        self.lines = ["def f(n, x, a, b, u, h):", "    i0 = n; i1 = 3; i2 = -2; f0 = x; f1 = 0.25; k = 1"]
        self.block(1, 3, self.random.randint(3, 7))
        self.lines.append("    return i0, i1, i2, f0, f1, k, a.sum() == a.sum()")
        return "\n".join(self.lines) + "\n"


def arguments(seed):
    """Arguments of a call: arrays are new each time."""
    r = random.Random(seed)
    n, x = (
        r.choice([0, 1, -1, 7, -13, 100, 2**40 if numba else 41]),
        r.choice([0.0, 1.0, -2.5, 1e10, 0.1, float("inf")]),
    )
    a = np.array([r.uniform(-3, 3) for _ in range(r.randint(1, 6))])
    b = np.array([r.randint(-50, 50) for _ in range(r.randint(1, 6))])
    return n, x, a, b, np.array([1, 250, 7], np.uint8), np.array([0.5, -1.25], np.float32)


def outcome(function, seed):
    """What a call gives: values with what it has written, or the class of the exception."""
    given = arguments(seed)
    try:
        with np.errstate(all="ignore"):
            result = function(*given)
    except Exception as error:
        return type(error).__name__
    return (
        [float(v) if isinstance(v, (float, np.floating)) else int(v) for v in result],
        given[2].tolist(),
        given[3].tolist(),
    )


def alike(a, b):
    """Whether two outcomes are the same; NaN is NaN."""
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, float) and isinstance(b, (float, int)):
        return a == b or (a != a and b != b)
    return a == b


def large(outcome):
    """Whether an outcome of Python's has integers that 64 bits cannot hold."""
    if isinstance(outcome, (list, tuple)):
        return any(map(large, outcome))
    return isinstance(outcome, int) and abs(outcome) > 2**50


def made(text, number):
    """The function of a text, whose lines errors can show."""
    name = f"<program {number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"math": math}
    exec(compile(text, name, "exec"), space)
    return space["f"]


def compare(number, base):
    """Whether all agree on one program; prints what they do not agree on."""
    text = Writer(base + number).text()
    python = made(text, number)
    ours = gpuopt.njit(made(text, number))
    theirs = numba.njit(made(text, number)) if numba else None
    for call in range(6):
        seed = base + 31 * number + call
        plain = outcome(python, seed)
        if plain in ("ValueError", "OverflowError") or large(plain):
            continue  # int(nan), or integers beyond 64 bits
        got = outcome(ours, seed)
        want = outcome(theirs, seed) if theirs else plain
        if alike(got, want) or alike(got, plain):
            continue
        print(f"---- program {number} of seed {base}, call {call}\n{text}")
        print(f"gpuopt: {got}\nnumba:  {want}\npython: {plain}", flush=True)
        return False
    return True


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
