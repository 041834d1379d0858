# tests/fuzz/programs/oracle_joins.py -- NumPy's answers for the statements that join, split and rearrange arrays.
import numpy as np

from elementwise import Weak, as_dtype, promoted_dtype
from expected import Exact, Fails, Unknown
from oracle_arrays import View, cast_operand, strong
from program import split

_MODES = ["constant", "edge", "reflect", "symmetric", "wrap"]


def _axis(word):
    return None if word == "-" else int(word)


def _answer(function, *args, **keywords):
    try:
        return function(*args, **keywords)
    except IndexError:  # np.exceptions.AxisError is one, too
        raise Fails("INDEX") from None
    except ValueError:
        raise Fails() from None


def _joined(function, first):
    """function(arrays, axis) of the operands from word number `first` on, in the dtype they promote to."""
    def make(model, s):
        operands = [model.arrays[word] for word in s.words[first:]]
        if any(isinstance(x, Weak) for x in operands):
            raise Unknown
        dtype = promoted_dtype(operands)
        return Exact(dtype, _answer(function, [as_dtype(x, dtype) for x in operands], _axis(s.words[0])))
    return make


def _append(model, s):
    operands = [model.arrays[word] for word in s.words[:2]]
    dtype = promoted_dtype(operands)
    x, values = (as_dtype(operand, dtype) for operand in operands)
    return Exact(dtype, _answer(np.append, x, values, _axis(s.words[2])))


def _new(function):
    """A new array; function(elements, words)."""
    def make(model, s):
        dtype, elements = strong(model, s.words[0])
        return Exact(dtype, _answer(function, elements, s.words[1:]))
    return make


def _view(function, read_only=False):
    def make(model, s):
        dtype, elements = strong(model, s.words[0])
        return View(dtype, _answer(function, elements, s.words[1:]), read_only or s.words[0] in model.read_only)
    return make


def _unstack(x, w):
    return np.moveaxis(x, int(w[0]), 0)[int(w[2]), ...]


def _one_part(function, sections):
    return _view(lambda x, w: function(x, sections(w[0]), int(w[1]))[int(w[2])])


def _broadcast_arrays(model, s):
    arrays = [strong(model, word) for word in s.words[1:]]
    which = int(s.words[0])
    return View(arrays[which][0], _answer(np.broadcast_arrays, *(x for _, x in arrays))[which], True)


def _meshgrid(model, s):
    arrays = [strong(model, word) for word in s.words[2:]]
    which, indexing = int(s.words[0]), "ij" if s.words[1] == "1" else "xy"
    return Exact(arrays[which][0], np.meshgrid(*(x for _, x in arrays), indexing=indexing)[which])


def _roll(x, w):
    return np.roll(x, split(w[0]), tuple(split(w[1])) if w[1] != "-" else None)


def _indexed(function):
    def make(model, s):
        dtype, elements = strong(model, s.words[0])
        return Exact(dtype, _answer(function, elements, strong(model, s.words[1])[1], _axis(s.words[2])))
    return make


def _insert(model, s):
    dtype, elements = strong(model, s.words[0])
    values = cast_operand(model.arrays[s.words[2]], dtype)
    return Exact(dtype, _answer(np.insert, elements, strong(model, s.words[1])[1], values, _axis(s.words[3])))


def _pad(model, s):
    dtype, elements = strong(model, s.words[0])
    widths, mode = split(s.words[1]), int(s.words[2])
    more = {"constant_values": Weak.parse(s.words[3]).array(dtype)} if mode == 0 else {}
    pairs = list(zip(widths[::2], widths[1::2]))
    return Exact(dtype, _answer(np.pad, elements, pairs, _MODES[mode], **more) if pairs else elements.copy())


def _ravel(model, s):
    dtype, elements = strong(model, s.words[0])
    if elements.flags.c_contiguous:
        return View(dtype, elements.reshape(-1), s.words[0] in model.read_only)
    return Exact(dtype, elements.ravel().copy())


def _diag(model, s):
    """A new matrix of a vector; of a matrix a view."""
    dtype, elements = strong(model, s.words[0])
    result = np.diag(elements, int(s.words[1]))
    return Exact(dtype, result) if elements.ndim == 1 else View(dtype, result, True)


def _at_least(x, w):
    return [np.atleast_1d, np.atleast_2d, np.atleast_3d][int(w[0]) - 1](x)


VERBS = {
    "concat": _joined(np.concatenate, 1), "stack": _joined(np.stack, 1), "append": _append,
    "broadcast_arrays": _broadcast_arrays, "meshgrid": _meshgrid, "unstack": _view(_unstack),
    "split": _one_part(np.split, int), "array_split": _one_part(np.array_split, int),
    "split_at": _one_part(np.split, split),
    "roll": _new(_roll), "repeat": _new(lambda x, w: np.repeat(x, int(w[0]), _axis(w[1]))),
    "repeat_each": _indexed(np.repeat), "delete": _indexed(np.delete), "insert": _insert,
    "tile": _new(lambda x, w: np.tile(x, split(w[0]))), "pad": _pad,
    "moveaxis": _view(lambda x, w: np.moveaxis(x, split(w[0]), split(w[1]))),
    "swapaxes": _view(lambda x, w: np.swapaxes(x, int(w[0]), int(w[1]))),
    "rot90": _view(lambda x, w: np.rot90(x, int(w[0]), split(w[1]))),
    "diagonal": _view(lambda x, w: np.diagonal(x, *map(int, w)), True),
    "diag": _diag,
    "ravel": _ravel, "atleast": _view(_at_least),
    "expand_n": _view(lambda x, w: np.expand_dims(x, tuple(split(w[0])))),
}
