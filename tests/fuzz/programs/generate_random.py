# tests/fuzz/programs/generate_random.py -- the steps of random programs that draw random numbers.
import numpy as np

from program import join
from tables import DTYPES, KIND


class RandomSteps:
    """Of a Generator: NumPy's RandomState ("rs"), and the library's own generator ("gen"), one of each in a program."""

    def random_numbers(self):
        kind, shape = self.pick(["rs", "gen"]), self.related_shape()
        if kind not in self.states:
            self._new_state(kind)
        getattr(self, "_" + kind)(self.states[kind], shape)

    def _new_state(self, kind):
        self.states[kind] = ("r" if kind == "rs" else "g") + "0"
        if kind == "rs" and self.chance(0.3):
            seeds = [self.random.randrange(2 ** 32) for _ in range(self.pick([1, 2, 3, 7]))]
            self.emit("random_state_array", self.states[kind], join(seeds))
        else:
            self.emit("random_state" if kind == "rs" else "generator", self.states[kind],
                      self.random.randrange(2 ** 31))

    def _probabilities(self, count):
        """Of a choice among so many elements: their array, or "-" for none, and how many are not 0."""
        if count > 100 or self.chance(0.5):
            return "-", count
        weights = [self.random.randrange(0, 5) for _ in range(count - 1)] + [1]
        p = np.asarray(weights, np.float64) / sum(weights)
        return self.make("float64", (count,), "data", "float64", join([count]), p.tobytes().hex()).name, int(
            np.count_nonzero(p)
        )

    def _choice(self, kind, state, vector):
        """Some elements of a vector; without replacement no more than there are."""
        replace, (p, most) = self.random.randrange(2), self._probabilities(vector.size)
        count = self.random.randrange(most + 1)
        self.make(vector.dtype, (count,), kind, state, vector.name, join([count]), replace, p)

    def _vector(self):
        """A new vector: a program need not have one at hand."""
        numbers = np.arange(self.random.randrange(1, 8), dtype=np.float64)
        return self.make("float64", numbers.shape, "data", "float64", join(numbers.shape), numbers.tobytes().hex())

    def _rs(self, state, shape):
        kind = self.pick(["rs_seed", "rs_sample", "rs_uniform", "rs_normal", "rs_randint", "rs_choice", "rs_shuffle",
                          "rs_permutation",
                          "rs_permuted"])
        vector = self.shaped(lambda x: len(x.shape) == 1 and x.size > 0)
        array = self.shaped(lambda x: len(x.shape) > 0 and not x.read_only)
        if kind == "rs_sample":
            self.make("float64", shape, kind, state, join(shape))
        elif kind in ("rs_uniform", "rs_normal"):
            self.make("float64", shape, kind, state, (-1.5).hex(), (2.5).hex(), join(shape))
        elif kind == "rs_randint":
            dtype = self.pick([d for d in DTYPES if KIND[d] in "iu"])
            self.make(dtype, shape, kind, state, 0, self.pick([1, 2, 100, 127]), dtype, join(shape))
        elif kind == "rs_choice":
            self._choice(kind, state, vector or self._vector())
        elif kind == "rs_seed":
            self.emit(kind, state, self.random.randrange(2 ** 32))
        elif kind == "rs_permuted" and array:
            self.make(array.dtype, array.shape, kind, state, array.name)
        elif kind == "rs_shuffle" and array:
            self.emit(kind, state, array.name)
        elif kind == "rs_permutation":
            n = self.pick([0, 1, 2, 7, 100])
            self.make("int64", (n,), kind, state, n)

    def _gen(self, state, shape):
        kind = self.pick(["gen_uniform", "gen_normal", "gen_exponential", "gen_integers", "gen_choice",
                          "gen_permutation", "gen_permuted"])
        vector = self.shaped(lambda x: len(x.shape) == 1 and 0 < x.size < 2000)
        array = self.shaped(lambda x: len(x.shape) > 0 and 0 < x.size < 2000)
        real = self.pick(["float16", "bfloat16", "float32", "float64"])
        integer = self.pick([d for d in DTYPES if KIND[d] in "iu"])
        if kind in ("gen_uniform", "gen_normal"):
            self.make(real, shape, kind, state, (-1.5).hex(), (2.5).hex(), real, join(shape))
        elif kind == "gen_exponential":
            self.make(real, shape, kind, state, (2.0).hex(), real, join(shape))
        elif kind == "gen_integers":
            self.make(integer, shape, kind, state, 0, self.pick([1, 3, 100]), self.random.randrange(2), integer,
                      join(shape))
        elif kind == "gen_choice" and vector:
            self._choice(kind, state, vector)
        elif kind == "gen_permuted" and array:
            self.make(array.dtype, array.shape, kind, state, array.name)
        elif kind == "gen_permutation":
            n = self.pick([0, 1, 2, 7, 100])
            self.make("int64", (n,), kind, state, n)
