# tests/fuzz/programs/generate_kernels.py -- the steps of random programs that call the user kernels of kernels.def.
import numpy as np

from oracle_kernels import DTYPES
from tables import KIND, promote_weak

# Statements whose results are new arrays in C order.
_FRESH = ("data", "zeros", "ones", "full", "copy", "op", "scan", "kernel", "ufunc", "gufunc", "stencil")


class KernelSteps:
    """Of a Generator: one method for each kind of kernel."""

    def kernel(self):
        self.pick(
            [
                self._elementwise,
                self._elementwise,
                self._elementwise_into,
                self._reduction,
                self._reduction,
                self._raw,
                self._raw,
                self._module,
                self._cfunc,
                self._ufunc,
                self._ufunc_method,
                self._ufunc_method,
                self._gufunc,
                self._stencil,
                self._stencil,
            ]
        )()

    def _generic(self, condition=lambda x: True):
        """An array that a generic parameter takes, and small enough for what the oracle does step by step."""
        return self.shaped(lambda x: x.dtype in DTYPES and 0 < x.size <= 4000 and condition(x))

    def _partner(self, x):
        """An array that broadcasts to the shape of x; now and then one that a kernel must refuse."""
        if self.chance(0.04):
            return self.data(dtype=self.pick([dtype for dtype in DTYPES if dtype != x.dtype]), shape=x.shape)
        if self.chance(0.04) and x.shape:
            return self.data(dtype=x.dtype, shape=x.shape[:-1] + (x.shape[-1] + 2,))
        y = self.shaped(lambda y: y.dtype == x.dtype and y.size and len(y.shape) <= len(x.shape) and
                        all(n in (1, m) for n, m in zip(y.shape[::-1], x.shape[::-1])))
        return y if y and self.chance(0.5) else self.data(dtype=x.dtype,
                                                          shape=tuple(1 if self.chance(0.3) else n for n in x.shape))

    def _elementwise(self):
        x = self._generic()
        if not x:
            return
        name = self.pick(["squared_difference", "larger_plus_index", "halved_below_zero", "from_the_end"])
        if name == "halved_below_zero":
            self.make("float64", x.shape, "kernel", name, x.name)
        elif name == "from_the_end":
            self.make(x.dtype, x.shape, "kernel", name, x.name, self.data(dtype=x.dtype, shape=(x.size,)).name)
        else:
            self.make(x.dtype, x.shape, "kernel", name, x.name, self._partner(x).name)

    def _elementwise_into(self):
        x = self._generic()
        if x:
            y = self._partner(x)
            target = self.shaped(lambda z: z.dtype == x.dtype and z.shape == x.shape and not z.read_only)
            name = self.pick(["squared_difference", "larger_plus_index"])
            if target:
                self.emit("kernel_into", name, x.name, y.name, target.name)

    def _reduction(self):
        x = self._generic()
        if not x:
            return
        name = self.pick(["sum_of_squares", "greatest_of_both", "last_nonzero", "any_above"])
        axes, keepdims = self._axes(x.shape), int(self.chance(0.3))
        words = [x.name]
        if name == "greatest_of_both":
            words.append(self._partner(x).name)
        if name == "any_above":
            words.append(self.weak("i", self.pick([0, 1, 3])))
        dtype = {"last_nonzero": "int64", "any_above": "bool"}.get(name, x.dtype)
        self.make(dtype, self._reduced_shape(x.shape, axes, keepdims), "reduction_kernel", name,
                  "*" if axes is None else
                  ",".join(map(str, axes)), keepdims, *words)

    # ---- raw kernels: their arrays are in C order, and a kernel knows nothing of shapes

    def _in_order(self, x):
        """x, or a copy of it in C order."""
        fresh = {s.result for s in self.statements if s.verb in _FRESH}
        return x if x.name in fresh else self.make(x.dtype, x.shape, "copy", x.name)

    def _target(self, dtype, size):
        fresh = {s.result for s in self.statements if s.verb in _FRESH}
        found = self.shaped(lambda z: z.dtype == dtype and z.size >= size and z.name in fresh and not z.read_only)
        return found if found and self.chance(0.7) else self.data(dtype=dtype, shape=(size + self.random.randrange(3),))

    def _raw(self):
        name = self.pick(["scaled", "reversed_blocks", "row_sums", "warp_sums", "occurrences"])
        dtypes = ["int32"] if name == "occurrences" else DTYPES
        x = self._generic(lambda x: x.dtype in dtypes)
        x = self._in_order(x if x else self.data(dtype=self.pick(dtypes)))
        if not x.size:
            return
        rows, columns = (x.shape[0], x.size // x.shape[0]) if x.shape else (1, 1)
        if name == "occurrences":
            rows, columns = x.size, self.pick([1, 3, 7])
        block = self.pick([32, 64, 256])
        count = x.size if name == "occurrences" else rows * columns
        grid = self.pick([1, 2, 5]) if name in ("scaled", "row_sums") else -(-count // block)
        dtype = self.pick(DTYPES) if self.chance(0.04) else x.dtype  # the compiler knows the types of the parameters
        target = self._target(dtype, {"row_sums": rows, "occurrences": columns}.get(name, rows * columns))
        if target is x and name != "scaled":
            target = self.data(dtype=x.dtype, shape=(x.size,))
        self.emit("raw", name, rows, columns, block, grid, x.name, target.name)

    def _module(self):
        """Its variables are set on the default stream, and launches on another one would not wait for that."""
        x = self._generic(lambda x: x.dtype == "int32" and not x.read_only)
        if any(s.verb == "stream" for s in self.statements):
            return
        x = self._in_order(x if x else self.data(dtype="int32"))
        if x.size:
            self.emit("module", "in_two_steps", self.random.randrange(-3, 4), self.random.randrange(-9, 10), x.name)

    def _cfunc(self):
        self.emit("cfunc", "rational", *(self.pick([0.0, -0.5, 3.0, 1e-3, 1e10, 1.7e300]).hex() for _ in range(2)))

    # ---- ufuncs

    def _ufunc(self):
        name = self.pick(["affine", "plus"])
        x = self.shaped(lambda x: KIND[x.dtype] in "?iuf" and x.size <= 4000)
        if not x:
            return
        dtypes = ("int32", "float32", "float64") if name == "affine" else ("int64", "float64")
        if self.chance(0.3):
            kind = self.pick("if")
            word = self.weak(kind, {"i": 2, "f": 2.5}[kind])
            fits = [d for d in dtypes if self._safe(x.dtype, d) and promote_weak(d, kind) == d]
            self.make(fits[0], x.shape, "ufunc", name, *self.random.sample([x.name, word], 2))
            return
        y = self._other(x)
        fits = [d for d in dtypes if self._safe(x.dtype, d) and self._safe(y.dtype, d)]
        self.make(fits[0], x.shape, "ufunc", name, x.name, y.name)

    @staticmethod
    def _safe(dtype, target):
        return np.can_cast("float32" if dtype == "bfloat16" else dtype, target) and not (
            dtype == "bfloat16" and KIND[target] != "f"
        )

    def _other(self, x):
        """Of another dtype, perhaps, and broadcast to the shape of x."""
        dtype = self.pick([x.dtype, self.pick(["int8", "uint8", "int16", "int32", "int64", "uint64", "float16",
                                               "bfloat16", "float32", "float64"])])
        return self.data(dtype=dtype, shape=tuple(1 if self.chance(0.3) else n for n in x.shape))

    def _ufunc_method(self):
        getattr(self, "_" + self.pick(["ufunc_reduce", "ufunc_accumulate", "ufunc_outer", "ufunc_at"]))()

    def _ufunc_reduce(self):
        x = self._generic(lambda x: x.shape)
        if not x:
            return
        name, keepdims = self.pick(["affine", "plus"]), int(self.chance(0.3))
        axes = [self.random.randrange(-len(x.shape), len(x.shape))] if name == "affine" else self._axes(x.shape)
        self.make(self._loop(name, x.dtype), self._reduced_shape(x.shape, axes, keepdims), "ufunc_reduce", name, x.name,
                  "*" if axes is None else ",".join(map(str, axes)), keepdims)

    @staticmethod
    def _loop(name, dtype):
        wider = {"int32": "int64", "float32": "float64"} if name in ("plus", "inner_product") else {"int64": "float64"}
        return wider.get(dtype, dtype)

    def _ufunc_accumulate(self):
        x = self._generic(lambda x: x.shape)
        if x:
            name = self.pick(["affine", "plus"])
            self.make(self._loop(name, x.dtype), x.shape, "ufunc_accumulate", name, x.name,
                      self.random.randrange(-len(x.shape), len(x.shape)))

    def _ufunc_outer(self):
        x = self._generic(lambda x: x.size <= 300)
        if x:
            name = self.pick(["affine", "plus"])
            y = self.data(dtype=x.dtype, shape=self.pick([(), (3,), (2, 5), (1, 7)]))
            self.make(self._loop(name, x.dtype), x.shape + y.shape, "ufunc_outer", name, x.name, y.name)

    def _ufunc_at(self):
        name = self.pick(["affine", "plus"])
        dtypes = ("int32", "float32", "float64") if name == "affine" else ("int64", "float64")
        x = self._generic(lambda x: x.shape and x.dtype in dtypes and not x.read_only)
        if not x:
            return
        dtype, n = self.pick(["int64", "int32", "int8", "uint8"]), min(x.shape[0], 100)
        places = self.pick([(), (3,), (5,), (2, 3)])
        low, n = -n if KIND[dtype] == "i" else 0, n + self.chance(0.1)  # out of range: nothing is written
        indices = np.asarray([self.random.randrange(low, n) for _ in range(int(np.prod(places)))], dtype)
        where = self.make(dtype, places, "data", dtype, ",".join(map(str, places)) or "-", indices.tobytes().hex())
        values = self.data(dtype=x.dtype, shape=tuple(1 if self.chance(0.3) else k for k in places + x.shape[1:]))
        self.emit("ufunc_at", name, x.name, where.name, values.name)

    def _gufunc(self):
        if self.chance(0.5):
            x = self._generic(lambda x: x.shape)
            if x:
                self.make(self._loop("running_maximum", x.dtype), x.shape, "gufunc", "running_maximum", x.name)
            return
        x = self._generic(lambda x: len(x.shape) >= 2)
        if x:
            loop = tuple(1 if self.chance(0.3) else n for n in x.shape[:-2])
            y = self.data(dtype=x.dtype, shape=loop + (x.shape[-1] + self.chance(0.05), self.pick([1, 2, 3, 5])))
            self.make(self._loop("inner_product", x.dtype), x.shape[:-1] + y.shape[-1:], "gufunc", "inner_product",
                      x.name, y.name)

    # ---- stencils

    def _stencil(self):
        name = self.pick(["smoothed", "laplacian", "weighted"])
        ndim = 1 if name == "smoothed" else 2
        x = self._generic(lambda x: len(x.shape) == ndim)
        if not x:
            y = self._generic()
            if not y:
                return
            shape = (y.size,) if ndim == 1 else (y.shape[0] if y.shape else 1, y.size // (y.shape[0] if y.shape else 1))
            x = self.make(y.dtype, shape, "reshape", y.name, ",".join(map(str, shape)), 0, read_only=y.read_only)
        rest = [self.data(dtype=x.dtype, shape=(2,)).name] if name == "weighted" else []
        mode = self.pick([0, 0, 1, 2, 3])
        self.make(x.dtype, x.shape, "stencil", name, mode, f"i:{self.pick([0, 1, 5])}", x.name, *rest)
