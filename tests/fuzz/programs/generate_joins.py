# tests/fuzz/programs/generate_joins.py -- the steps of generate.py that join, split and rearrange arrays.
import numpy as np

from program import join
from tables import KIND, SIZE, promote_all


class JoinSteps:
    """Of a Generator."""

    def rearrange(self):
        x = self.shaped()
        if x:
            kinds = ["concat", "concat", "concat", "stack", "stack", "append", "parts", "parts", "together", "roll",
                     "repeat", "tile", "pad", "pad", "axes", "axes", "diagonal", "edit"]
            getattr(self, "_make_" + self.pick(kinds))(x)

    def _any_axis(self, x):
        """One in range, of either sign; of an array without dimensions one that is not."""
        return self.random.randrange(-len(x.shape), len(x.shape)) if x.shape else 0

    def _with_extent(self, x, axis, extent):
        shape = list(x.shape)
        shape[axis] = extent
        return tuple(shape)

    def _expression(self, x):
        """What is recorded and has not run, half of the time."""
        if self.chance(0.5) or KIND[x.dtype] not in "iufc":
            return x
        return self.make(x.dtype, x.shape, "op", self.pick(["negative", "square"]), x.name)

    def _make_concat(self, x):
        axis = self._any_axis(x)
        pieces = [x]
        while len(pieces) < self.pick([1, 2, 2, 3, 4]):
            fits = lambda y: len(y.shape) == len(x.shape) and all(
                a == b for i, (a, b) in enumerate(zip(x.shape, y.shape)) if i != axis % len(x.shape))
            y = x.shape and self.shaped(fits)
            if not y or self.chance(0.3):
                y = self.data(shape=self._with_extent(x, axis, self.pick([0, 1, 2, 5])) if x.shape else ())
            pieces.append(self._expression(y))
        self.random.shuffle(pieces)
        if not x.shape or self.chance(0.2):
            shape = (sum(y.size for y in pieces),)
            axis = "-"
        else:
            shape = self._with_extent(x, axis, sum(y.shape[axis] for y in pieces))
        if self.fits(shape):
            self.make(promote_all([y.dtype for y in pieces]), shape, "concat", axis, *(y.name for y in pieces))

    def _make_stack(self, x):
        pieces = [self._expression(x)]
        while len(pieces) < self.pick([1, 2, 3]):
            y = self.shaped(lambda y: y.shape == x.shape)
            pieces.append(self._expression(y if y and self.chance(0.7) else self.data(shape=x.shape)))
        axis = self.random.randrange(len(x.shape) + 1)
        shape = x.shape[:axis] + (len(pieces),) + x.shape[axis:]
        if self.fits(shape):
            self.make(promote_all([y.dtype for y in pieces]), shape, "stack", axis - self.pick([0, len(shape)]),
                      *(y.name for y in pieces))

    def _make_append(self, x):
        y = self.shaped()
        if y and self.fits((x.size + y.size,)):
            self.make(promote_all([x.dtype, y.dtype]), (x.size + y.size,), "append", x.name, y.name, "-")

    def _make_parts(self, x):
        if not x.shape:
            return
        axis = self._any_axis(x)
        n = x.shape[axis]
        kind = self.pick(["unstack", "split", "array_split", "split_at"])
        if kind == "unstack" and 0 < n <= 20:
            shape = x.shape[:axis % len(x.shape)] + x.shape[axis % len(x.shape) + 1:]
            self.make(x.dtype, shape, kind, x.name, axis, n, self.random.randrange(n), read_only=x.read_only)
        elif kind == "split_at":
            positions = [self.random.randrange(-n - 1, n + 2) for _ in range(self.pick([1, 2, 3]))]
            which = self.random.randrange(len(positions) + 1)
            part = np.split(np.empty(n), positions)[which]
            self.make(x.dtype, self._with_extent(x, axis, len(part)), kind, x.name, join(positions), axis, which,
                      read_only=x.read_only)
        elif kind in ("split", "array_split"):
            count = self.pick([1, 2, 3])
            which = self.random.randrange(count)
            part = len(np.array_split(np.empty(n), count)[which])
            if kind == "array_split" or n % count == 0:
                self.make(x.dtype, self._with_extent(x, axis, part), kind, x.name, count, axis, which,
                          read_only=x.read_only)

    def _make_together(self, x):
        if self.chance(0.5):
            y = self.shaped(lambda y: y.shape[len(y.shape) - len(x.shape):] == x.shape and len(y.shape) >= len(x.shape))
            if y:
                which = self.random.randrange(2)
                self.make([x, y][which].dtype, y.shape, "broadcast_arrays", which, x.name, y.name, read_only=True)
            return
        y = self.shaped(lambda y: self.fits((x.size, y.size)))
        ij, which = self.random.randrange(2), self.random.randrange(2)
        if y:
            self.make([x, y][which].dtype, (x.size, y.size) if ij else (y.size, x.size), "meshgrid", which, ij, x.name,
                      y.name)

    def _make_roll(self, x):
        count = self.pick([1, 1, 2, 3])
        shifts = [self.random.randrange(-9, 10) for _ in range(count)]
        axes = [self._any_axis(x) for _ in range(count)] if x.shape and self.chance(0.7) else []
        self.make(x.dtype, x.shape, "roll", x.name, join(shifts), join(axes))

    def _make_repeat(self, x):
        axis = self._any_axis(x) if x.shape and self.chance(0.8) else "-"
        n = x.size if axis == "-" else x.shape[axis]
        shaped = lambda n: (n,) if axis == "-" else self._with_extent(x, axis, n)
        if self.chance(0.5) or n > 40:
            count = self.pick([0, 1, 2, 3, 7])
            if self.fits(shaped(n * count)):
                self.make(x.dtype, shaped(n * count), "repeat", x.name, count, axis)
        else:
            counts = [self.pick([0, 1, 1, 2, 3]) for _ in range(n)]
            if self.fits(shaped(sum(counts))):
                self.make(x.dtype, shaped(sum(counts)), "repeat_each", x.name, self._integers(counts).name, axis)

    def _integers(self, values, dtype=None):
        dtype = dtype or self.pick(["int64", "int64", "int32", "int8"])
        bits = np.asarray(values, dtype).tobytes().hex() or "00" * SIZE[dtype]
        shape = join([len(values)]) if isinstance(values, list) else "-"
        return self.make(dtype, (len(values),) if isinstance(values, list) else (), "data", dtype, shape, bits)

    def _make_tile(self, x):
        reps = [self.pick([0, 1, 1, 2, 2, 3]) for _ in range(self.random.randrange(len(x.shape) + 2))]
        ndim = max(len(reps), len(x.shape))
        full = [1] * (ndim - len(reps)) + reps
        shape = [a * b for a, b in zip([1] * (ndim - len(x.shape)) + list(x.shape), full)]
        if self.fits(shape):
            self.make(x.dtype, shape, "tile", x.name, join(reps))

    def _make_pad(self, x):
        """Pads of less than the array, whose meaning has not changed from one NumPy to the other."""
        mode = self.random.randrange(5)
        most = lambda n: 4 if mode < 2 else min(n - 1, 9) if mode == 2 else min(n, 9)
        widths = [self.random.randrange(most(n) + 1) if n else 0 for n in x.shape for _ in range(2)]
        shape = [n + widths[2 * i] + widths[2 * i + 1] for i, n in enumerate(x.shape)]
        if x.shape and self.fits(shape):
            self.make(x.dtype, shape, "pad", x.name, join(widths), mode, self.number(x.dtype))

    def _make_axes(self, x):
        kind = self.pick(["moveaxis", "swapaxes", "rot90", "ravel", "atleast", "expand_n"])
        n, after = len(x.shape), None
        if kind == "moveaxis":
            count = self.random.randrange(n + 1)
            source, to = self.random.sample(range(n), count), self.random.sample(range(n), count)
            words, after = [join(source), join(to)], lambda e: np.moveaxis(e, source, to)
        elif kind == "swapaxes" and n:
            a, b = self._any_axis(x), self._any_axis(x)
            words, after = [a, b], lambda e: np.swapaxes(e, a, b)
        elif kind == "rot90" and n >= 2:
            k, axes = self.random.randrange(-5, 6), self.random.sample(range(n), 2)
            words, after = [k, join(axes)], lambda e: np.rot90(e, k, axes)
        elif kind == "atleast":
            least = self.pick([1, 2, 3])
            words, after = [least], lambda e: [np.atleast_1d, np.atleast_2d, np.atleast_3d][least - 1](e)
        elif kind == "expand_n":
            axes = self.random.sample(range(n + 2), 2)
            words, after = [join(axes)], lambda e: np.expand_dims(e, tuple(axes))
        elif kind == "ravel":
            # Whether it is a view is not known here: it is not written to.
            self.make(x.dtype, (x.size,), kind, x.name, read_only=True)
        if after:
            shape = after(np.broadcast_to(np.int8(0), x.shape)).shape
            self.make(x.dtype, shape, kind, x.name, *words, read_only=x.read_only)

    def _make_diagonal(self, x):
        k = self.random.randrange(-4, 5)
        if len(x.shape) == 1 and self.fits((x.size + abs(k),) * 2):
            self.make(x.dtype, (x.size + abs(k),) * 2, "diag", x.name, k)
        elif len(x.shape) >= 2:
            a, b = self.random.sample(range(len(x.shape)), 2)
            shape = np.diagonal(np.broadcast_to(np.int8(0), x.shape), k, a, b).shape
            self.make(x.dtype, shape, "diagonal", x.name, k, a, b, read_only=True)

    def _make_edit(self, x):
        if not x.shape:
            return
        axis = self._any_axis(x)
        n = x.shape[axis]
        if self.chance(0.5) and n:
            indices = [self.random.randrange(-n, n) for _ in range(self.pick([0, 1, 2, 4]))]
            where = self._integers(indices, "int64")
            left = n - len({i % n for i in indices})
            self.make(x.dtype, self._with_extent(x, axis, left), "delete", x.name, where.name, axis)
            return
        indices = [self.random.randrange(-n, n + 1) for _ in range(self.pick([1, 2, 3]))]
        where, values = self._integers(indices, "int64"), self.data(shape=self._with_extent(x, axis, len(indices)))
        shape = self._with_extent(x, axis, n + len(indices))
        if self.fits(shape):
            self.make(x.dtype, shape, "insert", x.name, where.name, values.name, axis)
