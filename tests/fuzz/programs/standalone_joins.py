# tests/fuzz/programs/standalone_joins.py -- in C++, the statements that join, split and rearrange arrays.
from program import split


def _numbers(word):
    values = split(word)
    return "std::vector<int64_t>{" + ", ".join(map(str, values)) + "}.data()" if values else "nullptr"


def _counted(word):
    return f"{len(split(word))}, {_numbers(word)}"


def _axis(word):
    return "nullptr" if word == "-" else f"std::vector<int64_t>{{{word}}}.data()"


def _call(function, arguments):
    return lambda w, out: f"CALL({function}({', '.join(arguments(w))}, {out}, &error));"


def _of_list(function, first, arguments):
    """A call on a list of arrays, the words from number `first` on."""
    def write(w, out):
        rest = w[first:]
        listed = f"const gpuopt_array list[] = {{{', '.join(rest)}}};\n"
        return listed + f"CALL({function}({', '.join([str(len(rest)), 'list'] + arguments(w))}, {out}, &error));"
    return write


def _kept(count, which, write):
    """Of several results one: the call that `write` gives writes to `results`."""
    def make(w, out):
        return (f"gpuopt_array results[{count(w)} + 1] = {{}};\n{write(w, 'results')}\n"
                f"for (int i = 0; i < {count(w)}; ++i) i == {w[which]} ? void(*{out} = results[i]) : "
                "gpuopt_array_release(results[i]);")
    return make


def _split(function):
    return _kept(lambda w: w[1], 3, _call(function, lambda w: [w[0], w[1], w[2]]))


VERBS = {
    "concat": _of_list("gpuopt_concat", 1, lambda w: [_axis(w[0])]),
    "stack": _of_list("gpuopt_stack", 1, lambda w: [w[0]]),
    "append": _call("gpuopt_append", lambda w: [w[0], w[1], _axis(w[2])]),
    "broadcast_arrays": _kept(lambda w: len(w) - 1, 0, _of_list("gpuopt_broadcast_arrays", 1, lambda w: [])),
    "meshgrid": _kept(lambda w: len(w) - 2, 0, _of_list("gpuopt_meshgrid", 2, lambda w: [w[1]])),
    "unstack": _kept(lambda w: w[2], 3, _call("gpuopt_unstack", lambda w: [w[0], w[1], w[2]])),
    "split": _split("gpuopt_split"), "array_split": _split("gpuopt_array_split"),
    "split_at": _kept(lambda w: len(split(w[1])) + 1, 3,
                      _call("gpuopt_split_at", lambda w: [w[0], _counted(w[1]), w[2]])),
    "roll": _call("gpuopt_roll", lambda w: [w[0], _counted(w[1]), _numbers(w[2])]),
    "repeat": _call("gpuopt_repeat", lambda w: [w[0], w[1], _axis(w[2])]),
    "repeat_each": _call("gpuopt_repeat_each", lambda w: [w[0], w[1], _axis(w[2])]),
    "delete": _call("gpuopt_delete", lambda w: [w[0], w[1], _axis(w[2])]),
    "insert": _call("gpuopt_insert", lambda w: [w[0], w[1], w[2], _axis(w[3])]),
    "tile": _call("gpuopt_tile", lambda w: [w[0], _counted(w[1])]),
    "moveaxis": _call("gpuopt_moveaxis", lambda w: [w[0], _counted(w[1]), _numbers(w[2])]),
    "swapaxes": _call("gpuopt_swapaxes", lambda w: w),
    "rot90": _call("gpuopt_rot90", lambda w: [w[0], w[1], _numbers(w[2])]),
    "diagonal": _call("gpuopt_diagonal", lambda w: w), "diag": _call("gpuopt_diag", lambda w: w),
    "ravel": _call("gpuopt_ravel", lambda w: w), "atleast": _call("gpuopt_atleast_nd", lambda w: w),
    "expand_n": _call("gpuopt_expand_dims_n", lambda w: [w[0], _counted(w[1])]),
}
