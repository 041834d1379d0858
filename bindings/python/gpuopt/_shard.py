# bindings/python/gpuopt/_shard.py -- arrays that are cut along axis 0 over the ranks of a group.
import operator
import os

from . import _core, comm
from ._creation import as_shape
from ._distributions import STANDARD_NORMAL, Distributions, operands
from ._manipulation import _array

_REDUCTIONS = {"sum": 0, "prod": 1, "min": 2, "max": 3, "nanmin": 4, "nanmax": 5, "any": 6, "all": 7, "argmin": 8,
               "argmax": 9, "count_nonzero": 10}  # the numbers of gpuopt_reduction


class _Drawing(Distributions):
    """The distributions of a generator, as shards."""

    def __init__(self, group, generator):
        self._group, self._generator = group, generator

    def _draw(self, distribution, parameters, size, dtype=None):
        shape = as_shape(size)
        return Shard._of(_core.gpuopt_shard_draw(self._group._comm, self._generator._generator, distribution,
                                                 len(parameters), operands(parameters), dtype, len(shape), shape))

    def standard_normal(self, size):
        """Of the standard normal distribution."""
        return self._draw(STANDARD_NORMAL, (), size)


class Shard:
    """An array of which each rank of a group has some rows, its part.

    Shards never change. What is computed for each row by itself is computed on the parts: ``x.like(2 * x.part)``.
    Methods are collective, unless they say otherwise: every rank calls the same ones in the same order. No result
    depends on the number of ranks, or on where the array is cut.
    """

    def __init__(self, group, part, axis=0):
        """The ranks' arrays, one behind the other along an axis."""
        self._shard = _core.gpuopt_shard_from_parts_along(group._comm, _array(part), operator.index(axis))

    @classmethod
    def _of(cls, shard):
        made = cls.__new__(cls)
        made._shard = shard
        return made

    @classmethod
    def from_array(cls, group, x=None, root=0):
        """The root's array, cut; the others may give None."""
        x = None if x is None else _array(x)
        return cls._of(_core.gpuopt_shard_from_array(group._comm, x, operator.index(root)))

    @classmethod
    def from_whole(cls, group, x):
        """An array that every rank has as a whole, cut: parts are views."""
        return cls._of(_core.gpuopt_shard_from_whole(group._comm, _array(x)))

    @classmethod
    def draw(cls, group, generator):
        """The distributions of a Generator(Philox(seed)), the same on all ranks: each rank draws its part of the one
        stream, as in ``Shard.draw(group, generator).normal(0, 1, (1000, 3))``. The numbers are those that the
        generator's own methods draw where parameters are arrays. Not collective."""
        return _Drawing(group, generator)

    @classmethod
    def load(cls, group, path, device=None):
        """The array of a .npy file, of which each rank reads its own rows; None is the group's device."""
        return cls._of(_core.gpuopt_shard_load_npy(group._comm, device, os.fspath(path)))

    def save(self, path):
        """Writes a .npy file, of which each rank writes its own rows. If one of them fails, what was there stays. The
        bytes do not depend on the axis along which the array is cut."""
        _core.gpuopt_shard_save_npy(self._shard, os.fspath(path))

    def like(self, part):
        """A shard that is cut as this one, with another array for its part. Not collective."""
        return self._of(_core.gpuopt_shard_with(self._shard, _array(part)))

    @property
    def part(self):
        """This rank's rows. Not collective."""
        return _core.gpuopt_shard_part(self._shard)

    @property
    def group(self):
        """The ranks. Not collective."""
        return comm.Comm._of(_core.gpuopt_shard_comm(self._shard))

    @property
    def bounds(self):
        """Where the array is cut: rank r has the rows from bounds[r] to bounds[r + 1]. Not collective."""
        return _core.shard_bounds(self._shard)

    @property
    def shape(self):
        """The shape of the whole array. Not collective."""
        whole = list(self.part.shape)
        whole[self.axis] = self.bounds[-1]
        return tuple(whole)

    @property
    def axis(self):
        """The axis along which the array is cut. Not collective."""
        return _core.shard_axis(self._shard)

    @property
    def dtype(self):
        """The dtype. Not collective."""
        return self.part.dtype

    def __len__(self):
        return self.shape[0]

    def along(self, axis):
        """The same array, cut along another axis: each rank sends each other one a block."""
        return self._of(_core.gpuopt_shard_along(self._shard, operator.index(axis)))

    def __repr__(self):
        return f"<gpuopt.comm.Shard: {self.dtype} of shape {self.shape}, cut at {self.bounds}>"

    def reduce(self, reduction, axis=None, keepdims=False):
        """The whole array reduced over axes, axis 0 among them, on every rank, with the bits of the array's function:
        "sum", "prod", "min", "max", "nanmin", "nanmax", "any", "all", "count_nonzero", "argmin" or "argmax"."""
        if reduction not in _REDUCTIONS:
            raise ValueError(f"reduction must be one of {', '.join(_REDUCTIONS)}, not {reduction!r}")
        axes = axis if axis is None or isinstance(axis, tuple) else (operator.index(axis),)
        return _core.gpuopt_shard_reduce(self._shard, _REDUCTIONS[reduction], (axes, bool(keepdims)))

    def sum(self, axis=None, keepdims=False):
        """The sum; see reduce()."""
        return self.reduce("sum", axis, keepdims)

    def min(self, axis=None, keepdims=False):
        """The least element; see reduce()."""
        return self.reduce("min", axis, keepdims)

    def max(self, axis=None, keepdims=False):
        """The greatest element; see reduce()."""
        return self.reduce("max", axis, keepdims)

    def any(self, axis=None, keepdims=False):
        """Whether any element is nonzero; see reduce()."""
        return self.reduce("any", axis, keepdims)

    def all(self, axis=None, keepdims=False):
        """Whether all elements are nonzero; see reduce()."""
        return self.reduce("all", axis, keepdims)

    def __matmul__(self, b):
        """The rows times a matrix or vector that every rank has. Not collective, unless the array is cut along axis 1:
        then it is cut along axis 0 first, as the result is."""
        return self._of(_core.gpuopt_shard_matmul(self._shard, _array(b)))

    def crossprod(self, other):
        """This matrix, transposed, times another shard that is cut as this one, or along the other axis, on every
        rank."""
        return _core.gpuopt_shard_crossprod(self._shard, other._shard)

    def sort(self, return_positions=False):
        """Sorted in ascending order, stable; with where each element was, if that is asked for."""
        values, positions = _core.gpuopt_shard_sort(self._shard)
        return (self._of(values), self._of(positions)) if return_positions else self._of(values)

    def gather(self, root=0):
        """The whole array on one rank (None on the others), or, for a root of None, on every rank."""
        return _core.gpuopt_shard_gather(self._shard, -1 if root is None else operator.index(root))

    def halo(self, before, after, periodic=False):
        """This rank's rows between the `before` rows before them and the `after` rows behind them."""
        before, after = operator.index(before), operator.index(after)
        return _core.gpuopt_shard_halo(self._shard, before, after, int(bool(periodic)))

    def recut(self, bounds=None):
        """The same array, cut at other places: size + 1 numbers, or where the library cuts."""
        if bounds is not None and len(bounds) != len(self.bounds):
            raise ValueError("there is not one boundary more than ranks")
        return self._of(_core.gpuopt_shard_recut(self._shard, bounds))
