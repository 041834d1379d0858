# tests/fuzz/programs/generate.py -- writes random programs: generate.py FIRST COUNT prints those of the seeds FIRST,
# FIRST + 1, ...
#
# Operations come from ops.def. A program keeps near one shape, its frame: operands have its extents or 1 in their
# place, so that they broadcast in front, in the middle and at the end. Extents are small and awkward above all; a few
# are longer than a tile or a chunk of the CPU backend. One program in a hundred is large: its arrays are long enough
# that a backend cuts a reduction or a scan into parts for several threads.
import io
import random
import sys
import zipfile

import numpy as np

from generate_joins import JoinSteps
from generate_kernels import KernelSteps
from generate_random import RandomSteps
from oracle_exchange import file_dtype
from program import Program, Statement, join
from tables import DTYPES, KIND, OPS, REDUCTIONS, SCANS, SIZE, loop_of, promote, promote_all, promote_weak
from tables import real_of, same_kind
from values import cast, encoded, largest

_EXTENTS = [1, 2, 3, 3, 5, 5, 6, 7, 7, 9, 11, 13, 4, 8]
_LONG = [17, 31, 33, 65, 100, 129, 257, 1025, 2047, 2048, 2049, 4099, 10007]
_COMMON = ["add", "subtract", "multiply", "multiply", "divide", "maximum", "where", "less", "sqrt", "negative", "abs",
           "square", "exp", "equal"]
STATISTICS = ["mean", "var", "std", "nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanargmin", "nanargmax"]
_MOST_ELEMENTS = 30000
_LARGE, _MOST_ELEMENTS_OF_LARGE = 0.01, 1500000


class Variable:
    """An array of the program: `shape` is None where only a run can tell it."""

    def __init__(self, name, dtype, shape, read_only=False):
        self.name = name
        self.dtype = dtype
        self.shape = None if shape is None else tuple(shape)
        self.read_only = read_only

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=np.int64))


def _broadcast_shape(*shapes):
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def number_word(kind, value):
    if kind == "c":
        return f"c:{float(value.real).hex()}:{float(value.imag).hex()}"
    return f"f:{float(value).hex()}" if kind == "f" else f"{kind}:{int(value)}"


class Generator(JoinSteps, KernelSteps, RandomSteps):
    def __init__(self, seed, kernels=False):
        self.random = random.Random(seed)
        self.numpy = np.random.RandomState(seed % 2 ** 32)
        self.kernels = kernels
        self.name, self.count = str(seed), 0
        self.statements, self.live, self.states = [], [], {}
        self.shares = False  # two arrays have one memory, which the library does not know
        self.style = self.random.choice(["small", "small", "unit", "special", "wide"])
        self.large = self.chance(_LARGE)
        self.most_elements = _MOST_ELEMENTS_OF_LARGE if self.large else _MOST_ELEMENTS
        self.frame = self._large_frame() if self.large else self._frame()
        self.dtypes = self.random.sample(DTYPES, self.random.choice([1, 2, 2, 3, 5]))

    # ---- drawing

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, items):
        return self.random.choice(list(items))

    def fits(self, shape):
        """Whether an array of this shape is not too large; nor would be one with 1 in place of 0, as of sums of
        nothing."""
        return np.prod([max(n, 1) for n in shape], dtype=np.float64) <= self.most_elements

    def _frame(self):
        if self.chance(0.04):
            return ()
        ndim = self.pick([1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5])
        shape = [self.pick(_EXTENTS) for _ in range(ndim)]
        if self.chance(0.12):
            shape[self.random.randrange(ndim)] = 0
        if self.chance(0.25):
            shape[self.random.randrange(ndim)] = self.pick(_LONG)
        while not self.fits(shape):
            shape[shape.index(max(shape))] = self.pick(_EXTENTS)
        return tuple(shape)

    def _large_frame(self):
        """One long axis and up to two short ones, in any order."""
        short = [self.random.randrange(1, 10) for _ in range(self.pick([0, 1, 1, 1, 2]))]
        long = self.random.randrange(200000, 1000000) // int(np.prod(short, dtype=np.int64))
        return tuple(self.random.sample(short + [long], len(short) + 1))

    def related_shape(self):
        """The frame with some extents 1, and perhaps without its first ones."""
        shape = [1 if self.chance(0.25) else n for n in self.frame]
        if self.chance(0.3):
            shape = shape[self.random.randrange(len(shape) + 1):]
        return tuple(shape)

    def dtype(self):
        return self.pick(self.dtypes) if self.chance(0.8) else self.pick(DTYPES)

    def of(self, condition=lambda x: True):
        """A live array that fits, or None."""
        fitting = [x for x in self.live if condition(x)]
        if fitting and self.chance(0.4):  # long expressions grow from the newest
            return fitting[-1]
        return self.pick(fitting) if fitting else None

    def shaped(self, condition=lambda x: True):
        return self.of(lambda x: x.shape is not None and condition(x))

    # ---- writing statements

    def emit(self, verb, *words):
        self.statements.append(Statement(None, verb, *words))

    def make(self, dtype, shape, verb, *words, read_only=False):
        name = f"v{self.count}"
        self.count += 1
        self.statements.append(Statement(name, verb, *words))
        made = Variable(name, dtype, shape, read_only)
        self.live.append(made)
        return made

    def weak(self, kind, value):
        name = f"v{self.count}"
        self.count += 1
        self.statements.append(Statement(name, "weak", number_word(kind, value)))
        return name

    # ---- values

    def _reals(self, count):
        if self.style == "unit":
            return self.numpy.standard_normal(count)
        if self.style == "wide":
            return self.numpy.standard_normal(count) * 10.0 ** self.numpy.randint(-12, 13, count)
        values = self.numpy.randint(-9, 10, count) * self.numpy.choice([1, 1, 0.5, 0.125], count)
        return values.astype(np.float64)

    def _with_specials(self, values, dtype):
        top = largest(dtype)
        specials = [np.nan, np.inf, -np.inf, 0.0, -0.0, top, -top, top / 2, top * np.longdouble(0.95), 1 / top,
                    -1 / top,
                    np.longdouble(2.0) ** -24, 1, -1, 0.5, -2]
        for i in range(len(values)):
            if self.chance(0.4 if self.style == "special" else 0.01):
                values[i] = self.pick(specials)
        return values

    def elements(self, dtype, count):
        """Elements of a dtype, as bytes."""
        with np.errstate(all="ignore"):
            if KIND[dtype] in "?iu":
                values = cast(self._reals(count), "float64", "int64")
                if self.style in ("special", "wide") and KIND[dtype] in "iu":
                    limits = np.iinfo(dtype)
                    extremes = [limits.min, limits.max, limits.max // 2, limits.min // 2, limits.max - 1]
                    wide = [self.pick(extremes) if self.chance(0.3) else int(v) for v in values]
                    return np.array([(v - limits.min) % (limits.max - limits.min + 1) + limits.min for v in wide],
                                    dtype)
                return cast(values, "int64", dtype)
            real = lambda: self._with_specials(self._reals(count).astype(np.longdouble), dtype)
            if KIND[dtype] == "c":
                parts = np.empty(count, dtype)
                parts.real, parts.imag = real().astype(parts.real.dtype), real().astype(parts.real.dtype)
                return parts
            return encoded(real(), dtype)

    def palette(self, dtype, size):
        return self.elements(dtype, max(1, min(size, self.pick([7, 13, 31, 61])))).tobytes().hex()

    def number(self, dtype):
        """A number that fits a dtype, as a word."""
        kind = KIND[dtype]
        value = self.pick([0, 1, 2, 3, 7])
        if kind == "c":
            return number_word("c", complex(value, -1))
        return number_word(kind, bool(value) if kind == "?" else value if kind in "iu" else value * 0.5 - 1)

    # ---- making arrays

    def data(self, dtype=None, shape=None):
        dtype = dtype or self.dtype()
        shape = self.related_shape() if shape is None else shape
        return self.make(dtype, shape, "data", dtype, join(shape), self.palette(dtype, int(np.prod(shape))))

    def host(self):
        """Memory of the program's own: padded, permuted and backward."""
        dtype, shape = self.dtype(), self.related_shape()
        order = self.random.sample(range(len(shape)), len(shape))
        strides, step = [0] * len(shape), SIZE[dtype]
        for axis in order:
            strides[axis] = step
            step *= max(shape[axis], 1) + self.pick([0, 0, 1])
        offset = 0
        for axis in range(len(shape)):
            if self.chance(0.3):
                offset += strides[axis] * max(shape[axis] - 1, 0)
                strides[axis] = -strides[axis]
        size = max(step, SIZE[dtype])
        self.make(dtype, shape, "host", dtype, join(shape), join(strides), offset, size,
                  self.palette(dtype, size // SIZE[dtype]))

    def create(self):
        dtype, shape, like = self.dtype(), self.related_shape(), self.shaped()
        kind = self.pick(["zeros", "ones", "empty", "full", "arange", "linspace", "eye", "tri", "zeros_like",
                          "ones_like", "empty_like", "full_like"])
        if kind in ("zeros", "ones"):
            self.make(dtype, shape, kind, dtype, join(shape))
        elif kind in ("empty", "full"):
            self.make(dtype, shape, kind, dtype, join(shape), self.number(dtype))
        elif kind == "arange" and KIND[dtype] in "iuf":
            count = self.frame[-1] if self.frame else 5
            weak = "f" if KIND[dtype] == "f" else "i"
            step = 0.5 if weak == "f" else 1
            if SIZE[dtype] > 1 and count < 250:
                self.make(dtype, (count,), kind, dtype, number_word(weak, 2), number_word(weak, 2 + step * count),
                          number_word(weak, step))
        elif kind == "linspace" and KIND[dtype] == "f":
            count, ends = self.pick([0, 1, 2, 5, 7, 13]), [-1.5, 4.0, 2.0, 0.0, -0.0, 1e-3, 65000.0, 5e-324, 2e-323]
            self.make(dtype, (count,), kind, dtype, self.pick(ends).hex(), self.pick(ends).hex(), count,
                      self.random.randrange(2))
        elif kind in ("eye", "tri"):
            rows, columns = self.pick(_EXTENTS), self.pick(_EXTENTS)
            self.make(dtype, (rows, columns), kind, dtype, rows, columns, self.random.randrange(-3, 4))
        elif like and kind in ("empty_like", "full_like"):
            self.make(dtype, like.shape, kind, like.name, dtype, self.number(dtype))
        elif like and kind in ("zeros_like", "ones_like"):
            self.make(dtype, like.shape, kind, like.name, dtype)

    def astype(self):
        x, dtype = self.of(), self.pick(DTYPES)
        if x:
            copy = self.pick([0, 0, 1])
            self.make(dtype, x.shape, "astype", x.name, dtype, copy, read_only=x.read_only and dtype == x.dtype
                      and copy == 0)

    # ---- views

    def view(self):
        x = self.shaped()
        if x:
            getattr(self, "_view_" + self.pick(["slice", "slice", "slice", "permute", "reshape", "broadcast",
                                                "broadcast", "expand", "squeeze",
                                                "flip", "transpose", "triangle", "copy", "device"]))(x)

    def _view_slice(self, x):
        words, shape = [], []
        for n in x.shape:
            kind = self.random.random()
            if kind < 0.12 and n:
                words.append(self.random.randrange(-n, n))
            elif kind < 0.5:
                words.append("::")
                shape.append(n)
            else:
                start = self.random.randrange(-1, n + 1)
                stop = self.random.randrange(0, n + 2)
                step = self.pick([1, 1, 2, 3, -1, -2])
                bounds = [self.pick([start, ""]), self.pick([stop, "", ""]), step]
                shape.append(len(range(n)[slice(*(b if b != "" else None for b in bounds))]))
                words.append(":".join(str(b) for b in bounds))
            if self.chance(0.06):
                words.append("n")
                shape.append(1)
        self.make(x.dtype, shape, "slice", x.name, *words, read_only=x.read_only)

    def _view_permute(self, x):
        axes = self.random.sample(range(len(x.shape)), len(x.shape))
        self.make(x.dtype, [x.shape[i] for i in axes], "permute", x.name, join(axes), read_only=x.read_only)

    def _view_transpose(self, x):
        if len(x.shape) >= 2:
            self.make(x.dtype, x.shape[:-2] + (x.shape[-1], x.shape[-2]), "transpose", x.name, read_only=x.read_only)

    def _view_reshape(self, x):
        shapes = [(x.size,), (1,) + x.shape, x.shape + (1,)]
        for i in range(len(x.shape) - 1):
            shapes.append(x.shape[:i] + (x.shape[i] * x.shape[i + 1],) + x.shape[i + 2:])
        for i, n in enumerate(x.shape):
            shapes += [x.shape[:i] + (k, n // k) + x.shape[i + 1:] for k in (2, 3, 5) if n and n % k == 0]
        shape = self.pick(shapes)
        # Whether it is a view decides what a write to it changes: what is not written needs no answer.
        copy = self.pick([0, 0, 1])
        unsure = copy == 0 and self._strides_are_the_devices()
        self.make(x.dtype, shape, "reshape", x.name, join(shape), copy, read_only=x.read_only or unsure)

    def _strides_are_the_devices(self):
        """The program's own memory, which one device uses in place, with its strides, and another one copies."""
        return any(s.verb == "host" for s in self.statements)

    def _view_broadcast(self, x):
        shape = [self.pick(_EXTENTS) if n == 1 else n for n in x.shape]
        if self.chance(0.5):
            shape = [self.pick(_EXTENTS)] + shape
        frame = _broadcast_shape(x.shape, self.frame)
        if frame is not None and self.chance(0.6):
            shape = frame
        if self.fits(shape):
            self.make(x.dtype, shape, "broadcast", x.name, join(shape), read_only=True)

    def _view_expand(self, x):
        axis = self.random.randrange(len(x.shape) + 1)
        self.make(x.dtype, x.shape[:axis] + (1,) + x.shape[axis:], "expand", x.name, axis, read_only=x.read_only)

    def _view_squeeze(self, x):
        self.make(x.dtype, [n for n in x.shape if n != 1], "squeeze", x.name, "-", read_only=x.read_only)

    def _view_flip(self, x):
        axes = [i for i in range(len(x.shape)) if self.chance(0.5)]
        self.make(x.dtype, x.shape, "flip", x.name, join(axes), read_only=x.read_only)

    def _view_triangle(self, x):
        if len(x.shape) >= 2:
            self.make(x.dtype, x.shape, self.pick(["tril", "triu"]), x.name, self.random.randrange(-2, 3))

    def _view_device(self, x):
        copy = self.pick([0, 1, 2])
        self.make(x.dtype, x.shape, "to_device", x.name, copy, read_only=x.read_only and copy != 1)

    def _view_copy(self, x):
        if self.shares or self.chance(0.8):
            self.make(x.dtype, x.shape, "copy", x.name)
        else:
            self.make(x.dtype, x.shape, "stream", x.name, self.pick(["s0", "s1"]), read_only=x.read_only)

    # ---- operations

    def _operands(self, row):
        """Arrays, or words of numbers, that broadcast and have a loop; with the shape and the dtype of the loop."""
        first = self.of()
        if not first or first.shape is None:
            return self._operands_of_unknown_shape(row, first)
        chosen = [first]
        while len(chosen) < row.inputs:
            shape = _broadcast_shape(*(x.shape for x in chosen))
            fits = lambda x: (both := _broadcast_shape(x.shape, shape)) is not None and self.fits(both)
            partner = self.shaped(fits)
            if not partner or self.chance(0.25):
                partner = self.data(shape=self._spread_shape(shape))
            chosen.append(partner)
        self.random.shuffle(chosen)
        return [x.name for x in chosen], _broadcast_shape(*(x.shape for x in chosen)), [x.dtype for x in chosen]

    def _spread_shape(self, shape):
        """A shape that broadcasts with this one: extents of 1 on either side, in other places."""
        spread = [self.pick(_EXTENTS) if n == 1 and self.chance(0.4) else 1 if self.chance(0.4) else n for n in shape]
        return tuple(spread) if self.fits(_broadcast_shape(spread, shape)) else shape

    def _operands_of_unknown_shape(self, row, x):
        return ([x.name] * row.inputs, None, [x.dtype] * row.inputs) if x else None

    def _weak_operand(self, words, dtypes):
        """One operand replaced by a number."""
        place = self.random.randrange(len(words))
        rest = [d for i, d in enumerate(dtypes) if i != place]
        kind = self.pick("?iufc")
        value = {"?": True, "i": self.pick([0, 1, 2, 3, 100, -1]), "u": 5, "f": self.pick([0.5, -1.5, 3.0, 1e10]),
                 "c": 1.5 - 2j}[kind]
        words = list(words)
        words[place] = self.weak(kind, value)
        return words, rest, kind

    def operation(self):
        row = OPS[self.pick(_COMMON if self.chance(0.45) else OPS)]
        operands = self._operands(row)
        if not operands:
            return self.data()
        words, shape, dtypes = operands
        kind = None
        if row.inputs > 1 and shape is not None and self.chance(0.2):
            known = {x.name: x.shape for x in self.live}
            words, dtypes, kind = self._weak_operand(words, dtypes)
            shape = _broadcast_shape(*(known[word] for word in words if word in known))
        dtype = self._result(row, dtypes, kind)
        if dtype is None and not self.chance(0.05):
            return None
        return self.make(dtype or "float64", shape, "op", row.name, *words)

    def _result(self, row, dtypes, kind=None):
        """The dtype of the result; None where the types do not fit, or only for the oracle to tell."""
        if row.result == "SELECT":
            dtypes = dtypes[1:] if kind is None else dtypes
        if not dtypes:
            return None
        dtype = promote_all(dtypes)
        dtype = promote_weak(dtype, kind) if kind else dtype
        if row.result in ("BOOL", "LOGICAL"):
            return "bool" if row.result == "LOGICAL" or loop_of(row, dtype) else None
        loop = loop_of(row, dtype)
        return real_of(loop) if loop and row.result == "REAL" else loop

    def operation_into(self):
        row = OPS[self.pick(_COMMON if self.chance(0.5) else OPS)]
        operands = self._operands(row)
        if not operands or operands[1] is None:
            return
        words, shape, dtypes = operands
        dtype = self._result(row, dtypes)
        target = self.shaped(lambda x: x.shape == tuple(shape) and not x.read_only and dtype
                             and same_kind(dtype, x.dtype))
        if target:
            self.emit("op_into", row.name, *words, target.name)

    def chain(self):
        """A long expression: more operands than one program of a backend can have, most of them along some of the axes
        only."""
        y = self.shaped(lambda x: 0 < x.size <= 500 and KIND[x.dtype] in "iufc" and SIZE[x.dtype] >= 4)
        if not y:
            return
        operands = []
        for _ in range(self.pick([4, 9, 12, 13, 16])):
            shape = [1 if self.chance(0.3) else n for n in y.shape]
            operands.append(self.data(dtype=y.dtype, shape=shape[self.random.randrange(len(shape) + 1):]))
            y = self.make(y.dtype, y.shape, "op", self.pick(["add", "subtract", "maximum"]), y.name, operands[-1].name)
            if self.chance(0.7):
                name = self.pick(["square", "negative", "abs"] if KIND[y.dtype] != "c" else ["square", "negative"])
                x = self.make(y.dtype, operands[-1].shape, "op", name, operands[-1].name)
                y = self.make(y.dtype, y.shape, "op", "add", y.name, x.name)
        kept = set(self.random.sample(self.live, min(len(self.live), 4))) | {y}
        for x in [x for x in self.live if x not in kept and (x in operands or self.chance(0.8))]:
            self.live.remove(x)
            self.emit("drop", x.name)

    def nested(self):
        """Values of which each has an axis more than the one before; some of them stay."""
        dtype = self.pick(["float32", "float64", "int32"])
        y = self.data(dtype=dtype, shape=self.frame[len(self.frame):])
        for first in range(len(self.frame), -1, -1):
            x = self.data(dtype=dtype, shape=self.frame[first:])
            y = self.make(dtype, self.frame[first:], "op", self.pick(["add", "multiply", "subtract"]), y.name, x.name)
            if self.chance(0.5):
                y = self.make(dtype, y.shape, "op", self.pick(["negative", "square", "abs"]), y.name)

    def overlapping(self):
        """x[a:] = f(x[:-a], ...): the output overlaps its operand."""
        x = self.shaped(lambda x: not x.read_only and x.shape and max(x.shape) > 2)
        if not x:
            return
        axis = x.shape.index(max(x.shape))
        n, shift = x.shape[axis], self.random.randrange(1, max(2, x.shape[axis] // 2))
        shape = x.shape[:axis] + (n - shift,) + x.shape[axis + 1:]
        part = lambda word: ["::"] * axis + [word]
        target = self.make(x.dtype, shape, "slice", x.name, *part(f"{shift}::"))
        source = self.make(x.dtype, shape, "slice", x.name, *part(f":{n - shift}:"))
        row = OPS[self.pick(["add", "multiply", "maximum", "subtract"])]
        if self._result(row, [x.dtype, x.dtype]) == x.dtype and self.chance(0.7):
            self.emit("op_into", row.name, source.name, self.pick([source.name, target.name]), target.name)
        else:
            self.emit("assign", target.name, source.name)

    def closeness(self):
        x = self.shaped()
        y = x and self.shaped(lambda y: (both := _broadcast_shape(x.shape, y.shape)) is not None and self.fits(both))
        if y and self.chance(0.5):
            self.make("bool", _broadcast_shape(x.shape, y.shape), "isclose", x.name, y.name, (1e-2).hex(), (1e-3).hex(),
                      self.random.randrange(2))
        elif x:
            self.make(x.dtype, x.shape, "nan_to_num", x.name, (0.5).hex(), self.pick(["-", (3.0).hex()]),
                      self.pick(["-", (-3.0).hex()]))

    # ---- reductions and scans

    @staticmethod
    def _long_axis(shape):
        return shape.index(max(shape))

    def _axes(self, shape):
        ndim = len(shape)
        if ndim == 0 or self.chance(0.2):
            return None
        if self.large and self.chance(0.7):
            return [self._long_axis(shape)]
        count = self.pick([1, 1, 1, 2, 2, 3])
        axes = self.random.sample(range(ndim), min(count, ndim))
        return [axis - ndim if self.chance(0.2) else axis for axis in axes]

    def reduction(self):
        x = self.of()
        if not x:
            return
        name = self.pick(REDUCTIONS if self.chance(0.7) else STATISTICS)
        if self.chance(0.3):
            name = "sum"
        axes = self._axes(x.shape) if x.shape is not None else None
        keepdims = int(self.chance(0.35))
        dtype = "-"
        if name in ("sum", "prod", "mean") and self.chance(0.1):
            dtype = self.pick([d for d in DTYPES if KIND[d] in ("fc" if KIND[x.dtype] in "?iuf" else "c")
                               or KIND[x.dtype] in "?iu" and
                               KIND[d] in "iu" and name != "mean"])
        result = self._reduced_dtype(name, x.dtype, dtype)
        if result is None and not self.chance(0.05):
            return
        shape = self._reduced_shape(x.shape, axes, keepdims)
        if shape is not None and not self.fits(shape):
            return
        correction = (1.0).hex() if name.endswith(("var", "std")) and self.chance(0.3) else (0.0).hex()
        self.make(result or "float64", shape, "reduce", name, x.name, "*" if axes is None else join(axes), keepdims,
                  dtype, correction)

    @staticmethod
    def _reduced_shape(shape, axes, keepdims):
        if shape is None:
            return None if keepdims else ()
        gone = set(range(len(shape))) if axes is None else {axis % len(shape) for axis in axes}
        return [1 if i in gone else n for i, n in enumerate(shape) if keepdims or i not in gone]

    @staticmethod
    def _reduced_dtype(name, dtype, given):
        if given != "-":
            return given
        row = REDUCTIONS.get(name)
        if row and row.result not in ("BOOL", "INDEX") and KIND[dtype] not in row.kinds:
            return None
        if name.endswith(("argmin", "argmax")):
            return "int64" if KIND[dtype] != "c" else None
        if name in ("any", "all"):
            return "bool"
        if name == "count_nonzero":
            return "int64"
        if name.endswith(("sum", "prod")):
            return {"?": "int64", "i": "int64", "u": "uint64"}.get(KIND[dtype], dtype)
        if name.endswith(("min", "max")):
            return dtype
        wide = "float64" if KIND[dtype] in "?iu" else dtype
        return wide if name.endswith("mean") else real_of(wide)

    def scan(self):
        x = self.shaped(lambda x: len(x.shape) > 0)
        if not x:
            return
        axis, initial = self.random.randrange(-len(x.shape), len(x.shape)), int(self.chance(0.2))
        if self.large and self.chance(0.5):
            axis = self._long_axis(x.shape)
        shape = list(x.shape)
        shape[axis] += initial
        dtype = {"?": "int64", "i": "int64", "u": "uint64"}.get(KIND[x.dtype], x.dtype)
        self.make(dtype, shape, "scan", self.pick(SCANS), x.name, axis, "-", initial)

    # ---- writing and selecting

    def write(self):
        x = self.shaped(lambda x: not x.read_only)
        if not x:
            return
        kind = self.pick(["assign", "assign", "fill", "mask_assign", "set_item"])
        if kind == "assign":
            value = self.shaped(lambda y: _broadcast_shape(x.shape, y.shape) == x.shape
                                and len(y.shape) <= len(x.shape))
            if value:
                self.emit("assign", x.name, value.name)
        elif kind == "fill":
            self.emit("fill", x.name, self.number(x.dtype))
        elif kind == "set_item" and x.size:
            self.emit("set_item", x.name, join(self.random.randrange(n) for n in x.shape), self.number(x.dtype))
        elif kind == "mask_assign":
            mask = self._mask(x)
            value = (
                self.data(dtype=x.dtype, shape=()).name if self.chance(0.6) else self.weak("i", self.pick([0, 1, 3]))
            )
            self.emit("mask_assign", x.name, mask.name, value)

    def _mask(self, x):
        found = self.shaped(lambda m: m.dtype == "bool" and m.shape == x.shape[:len(m.shape)])
        return (
            found
            if found and self.chance(0.8)
            else self.data(dtype="bool", shape=x.shape[: self.random.randrange(len(x.shape) + 1)])
        )

    def select(self):
        x = self.shaped(lambda x: len(x.shape) > 0)
        if not x:
            return
        kind = self.pick(["mask_select", "take", "take", "put", "argwhere"])
        if kind == "mask_select":
            self.make(x.dtype, None, kind, x.name, self._mask(x).name)
        elif kind == "argwhere":
            self.make("int64", None, kind, x.name)
        else:
            self._take_or_put(x, kind)

    def _take_or_put(self, x, kind):
        axis = self.random.randrange(len(x.shape))
        n, places = x.shape[axis], self.pick([(), (3,), (5,), (2, 3), (0,)])
        if n == 0 and 0 not in places:
            return
        dtype = self.pick(["int64", "int64", "int32", "uint8", "int8"])
        high = min(n, 127)
        low = -high if KIND[dtype] == "i" else 0
        indices = np.asarray([self.random.randrange(low, high) for _ in range(int(np.prod(places)))], dtype)
        where = self.make(dtype, places, "data", dtype, join(places), indices.tobytes().hex() or "00" * SIZE[dtype])
        shape = x.shape[:axis] + places + x.shape[axis + 1:]
        if kind == "take":
            self.make(x.dtype, shape, "take", x.name, where.name, axis)
        elif not x.read_only and self.fits(shape):
            values = self.data(dtype=self.pick([x.dtype, self.dtype()]),
                               shape=tuple(1 if self.chance(0.3) else k for k in shape))
            self.emit("put", x.name, where.name, axis, values.name)

    # ---- products, norms

    def product(self):
        x = self.shaped(lambda x: 1 <= len(x.shape) <= 3 and 0 < x.size < 3000)
        if not x:
            return
        kind = self.pick(["matmul", "matmul", "dot", "outer", "vecdot", "tensordot"])
        n, m = x.shape[-1], self.pick([1, 2, 3, 5, 7])
        if kind in ("matmul", "dot"):
            matrix = (n, m) if self.chance(0.7) else (n,)
            batch = (
                tuple(1 if self.chance(0.4) else k for k in x.shape[:-2])
                if kind == "matmul" and len(matrix) == 2
                else ()
            )
            y = self.data(dtype=self.pick([x.dtype, self.dtype()]), shape=batch + matrix)
            shape = x.shape[:-1] + matrix[1:]
        elif kind == "outer":
            y = self.data(shape=(m,))
            shape = (x.size, m)
        elif kind == "vecdot":
            y = self.data(shape=x.shape)
            shape = x.shape[:-1]
        else:
            y = self.data(shape=(n, m))
            shape = x.shape[:-1] + (m,)
        words = {"vecdot": [-1], "tensordot": [1]}.get(kind, [])
        self.make(promote(x.dtype, y.dtype), shape, kind, x.name, y.name, *words)

    def norm(self):
        x = self.shaped(lambda x: x.size > 0)
        if not x:
            return
        dtype = real_of("float64" if KIND[x.dtype] in "?iu" else x.dtype)
        kind = self.pick(["vector_norm", "matrix_norm", "norm"])
        if kind == "vector_norm":
            axes, keepdims = self._axes(x.shape), int(self.chance(0.3))
            order = self.pick(["inf", "-inf", "0", "1", "2", "2", "3", "0.5"])
            self.make(dtype, self._reduced_shape(x.shape, axes, keepdims), kind, x.name, order,
                      "*" if axes is None else join(axes), keepdims)
        elif kind == "matrix_norm" and len(x.shape) >= 2:
            self.make(dtype, x.shape[:-2], kind, x.name, self.pick(["0", "1", "-1", "inf", "-inf"]), 0)
        elif kind == "norm":
            self.make(dtype, (), kind, x.name)

    # ---- leaving, and coming back

    def exchange(self):
        x = self.shaped()
        if not x:
            return
        kind = self.pick(["npy", "npz", "npz_names", "save_npy", "load_npy", "load_npz", "dlpack", "dlpack", "dlpack"])
        if kind == "save_npy" and self._strides_are_the_devices():  # a file in Fortran's order says so
            return
        if kind == "npy":
            self.make(x.dtype, x.shape, kind, x.name)
        elif kind in ("npz", "npz_names"):
            members = self.random.sample(self.live, min(len(self.live), self.pick([1, 2, 3])))
            names = [x.name] + [member.name for member in members if member is not x]
            if kind == "npz":
                self.make(x.dtype, x.shape, kind, self.random.randrange(2), 0, *names)
            else:
                self.emit(kind, self.random.randrange(2), *names)
        elif kind == "save_npy":
            self.emit(kind, x.name)
        elif kind == "dlpack":
            self._dlpack(x)
        else:
            self._load(kind)

    def _dlpack(self, x):
        """With a copy or without; two arrays of one memory are not used on several streams, whose order nobody
        knows."""
        copy_out, copy_in = self.pick([0, 0, 1, 2]), self.pick([0, 0, 1, 2])
        shares = copy_out != 1 and copy_in != 1
        if shares and any(s.verb == "stream" for s in self.statements):
            return
        versioned = 1 if x.read_only and copy_out != 1 and self.chance(0.9) else self.random.randrange(2)
        self.shares |= shares
        self.make(x.dtype, x.shape, "dlpack", x.name, copy_out, copy_in, versioned, read_only=x.read_only
                  and copy_out != 1 and copy_in != 1)

    def _load(self, kind):
        """A file as NumPy writes it: of either byte and memory order, of three versions."""
        dtype, shape = self.dtype(), tuple(self.pick([0, 1, 2, 3, 5]) for _ in range(self.random.randrange(4)))
        elements = np.frombuffer(self.elements(dtype, int(np.prod(shape))).tobytes(), file_dtype(dtype)).reshape(shape)
        if shape and self.chance(0.4):  # NumPy would give an array without axes one
            elements = np.asfortranarray(elements)
        if dtype != "bfloat16" and self.chance(0.4):
            elements = elements.astype(elements.dtype.newbyteorder(">"))
        file = io.BytesIO()
        np.lib.format.write_array(file, elements, self.pick([(1, 0), (2, 0), (3, 0)]))
        if kind == "load_npy":
            self.make(dtype, shape, kind, file.getvalue().hex())
            return
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", self.pick([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as members:
            # ZipInfo's own time, so that a seed gives the same bytes always
            for name in self.random.sample(["a", "b", "c"], 3):
                members.writestr(zipfile.ZipInfo(f"{name}.npy"), file.getvalue(), members.compression)
        self.make(dtype, shape, kind, "b", archive.getvalue().hex())

    # ---- looking, and letting go

    def look(self):
        x = self.of()
        if not x:
            return
        kind = self.pick(["read", "read", "item", "print", "eval", "synchronize", "describe", "types",
                          "broadcast_shapes"])
        if kind == "describe" and self._strides_are_the_devices():
            kind = "read"
        if kind == "item" and x.shape is not None and x.size:
            self.emit("item", x.name, join(self.random.randrange(n) for n in x.shape))
        elif kind == "synchronize":
            self.emit(kind)
        elif kind == "print":
            self.emit("print", x.name)
        elif kind in ("read", "eval", "describe"):
            self.emit(kind, x.name)
        elif kind == "types":
            self._types(x)
        elif kind == "broadcast_shapes":
            self.emit(kind, *(join(self.related_shape()) for _ in range(self.pick([1, 2, 3]))),
                      join(self._spread_shape(self.related_shape())))

    def _types(self, x):
        kind = self.pick(["result_type", "promote_types", "can_cast"])
        if kind == "result_type":
            others = [self.pick(self.live).name for _ in range(self.pick([0, 1, 2]))]
            if self.chance(0.5):
                others.append(self.weak(self.pick("?if"), 1))
            self.emit(kind, x.name, *others)
        elif kind == "promote_types":
            self.emit(kind, self.pick(DTYPES), self.pick(DTYPES))
        else:
            self.emit(kind, self.pick(DTYPES), self.pick(DTYPES), self.random.randrange(2))

    def drop(self):
        if len(self.live) > 2:
            x = self.pick(self.live)
            self.live.remove(x)
            self.emit("drop", x.name)

    def _steps_of_large(self):
        """What a backend splits among threads, and little else: each value is large for NumPy, too."""
        return [(self.reduction, 8), (self.operation, 3), (self.scan, 3), (self.view, 2), (self.operation_into, 0.5),
                (self.select, 0.5),
                (self.random_numbers, 0.5), (self.look, 0.3), (self.write, 0.3), (self.rearrange, 0.5)]

    def _steps(self):
        return [(self.operation, 6), (self.reduction, 3), (self.view, 3), (self.operation_into, 1.2),
                (self.overlapping, 0.4), (self.scan, 0.8), (self.rearrange, 2),
                 (self.write, 1), (self.select, 0.8), (self.astype, 0.8), (self.data, 0.5), (self.host, 0.3),
                (self.create, 0.5),
                 (self.closeness, 0.3), (self.product, 0.35), (self.norm, 0.3), (self.random_numbers, 0.25),
                (self.look, 0.6), (self.drop, 0.6),
                 (self.exchange, 0.4), (self.chain, 0.15), (self.nested, 0.15), (self.kernel, 5 if self.kernels else 0)]

    def program(self):
        for _ in range(self.pick([1, 2, 2, 3])):
            self.pick([self.data, self.data, self.data, self.host, self.create])()
        steps = self._steps_of_large() if self.large else self._steps()
        for _ in range(self.random.randrange(2, 6 if self.large else 12)):
            self.random.choices([step for step, _ in steps], [weight for _, weight in steps])[0]()
        for x in self.random.sample(self.live, len(self.live)):
            self.emit("read", x.name)
        return Program(self.name, self.statements)


def programs(first, count, kernels=False):
    return [Generator(seed, kernels).program() for seed in range(first, first + count)]


if __name__ == "__main__":
    print("".join(str(program) for program in programs(int(sys.argv[1]), int(sys.argv[2]), "--kernels" in sys.argv)),
          end="")
