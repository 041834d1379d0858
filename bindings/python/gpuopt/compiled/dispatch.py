# bindings/python/gpuopt/compiled/dispatch.py -- jit and njit: functions that are compiled when they are called.
import functools
import logging
import os
import struct
import threading

from .. import _core
from . import types
from .source import Source
from .unit import Options, Unit

ndarray = _core.ndarray
_lock = threading.RLock()
_CONTEXT_SLOTS = 3


def disabled():
    """Whether GPUOPT_DISABLE_JIT says that functions stay Python's."""
    return os.environ.get("GPUOPT_DISABLE_JIT", "0") not in ("", "0")


def _slots(t):
    """How many slots of eight bytes a value has in a frame."""
    if isinstance(t, types.Tuple):
        return sum(map(_slots, t.items))
    if isinstance(t, types.Array):
        return 2 * t.ndim + 2
    return 0 if not isinstance(t, types.Number) else 2 if t.kind == "c" else 1


def _wide(t):
    return {"b": "int64_t", "i": "int64_t", "u": "uint64_t", "f": "double", "c": "complex<double>"}[t.kind]


def _read(t, slot):
    """The C++ text of an argument in a frame."""
    if isinstance(t, types.Array):
        return f"gp_load<{t.element.cpp}, {t.ndim}>(slots + {slot})"
    wide = _wide(t)
    text = f"*({wide} *)(slots + {slot})"
    if t.kind == "c":
        return f"{t.cpp}(({text}).real(), ({text}).imag())"
    return f"({text} != 0)" if t.kind == "b" else f"{t.cpp}({text})"


def _write(t, name, slot):
    if isinstance(t, types.Array):
        return f"gp_store(slots + {slot}, {name});\n"
    wide = _wide(t)
    text = f"complex<double>({name}.real(), {name}.imag())" if t.kind == "c" else f"{wide}({name})"
    return f"*({wide} *)(slots + {slot}) = {text};\n"


def _leaves(prefix, t):
    if isinstance(t, types.Tuple):
        return [leaf for k, item in enumerate(t.items) for leaf in _leaves(f"{prefix}_{k}", item)]
    return [] if t is types.none else [(t, prefix)]


def entry_text(function, argument_types):
    """The C++ function that takes a frame, and calls a compiled function."""
    slot, lines, arguments = _CONTEXT_SLOTS, [], ["(gp_context *)frame"]
    for k, t in enumerate(argument_types):
        for leaf, name in _leaves(f"a{k}", t):
            lines.append(f"{leaf.cpp} {name} = {_read(leaf, slot)};\n")
            slot += _slots(leaf)
            arguments.append(name)
    results = _leaves("r", function.result)
    lines += [f"{t.cpp} {name}{{}};\n" for t, name in results]
    arguments += [name for _, name in results]
    lines.append(f"const int32_t status = {function.name}({', '.join(arguments)});\nif (status) return status;\n")
    for t, name in results:
        lines.append(_write(t, name, slot))
        slot += _slots(t)
    return (
        "int32_t gp_entry(void *frame) {\nint64_t *const slots = (int64_t *)frame;\n"
        + "".join(lines)
        + "return 0;\n}\n"
    )


class Entry:
    """One compiled signature of a dispatcher."""

    def __init__(self, arguments, result, sites, text, written):
        self.arguments, self.result, self.sites, self.text, self.written = arguments, result, sites, text, written


def _parameter(t, written):
    if isinstance(t, types.Array):
        return ("a", t.element.kind, t.element.bytes, t.layout == "C", written, t.ndim)
    return (t.kind, t.kind, t.bytes, False, False, 0)


def _flat_values(value, t):
    if isinstance(t, types.Tuple):
        return [x for v, item in zip(value, t.items) for x in _flat_values(v, item)]
    return [] if t is types.none else [value]


class Dispatcher(_core.Compiled):
    """A function that is compiled for the types that it is called with.

    py_func is Python's own; signatures are those that are compiled; inspect_cpp() has their C++ texts.
    """

    def __new__(cls, function, options=None, signatures=(), locked=False):
        self = super().__new__(cls)
        functools.update_wrapper(self, function)
        self.py_func = self._gpuopt_function = function
        self.options = options or Options()
        self.entries, self._by_types, self.locked = [], {}, False
        for given in signatures:
            self.compile(given)
        self.locked = locked
        return self

    def __repr__(self):
        return f"<gpuopt.njit {self.py_func.__qualname__}>"

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self):
        return _find, (self.py_func.__module__, self.py_func.__qualname__)

    @property
    def signatures(self):
        """The types of arguments that it is compiled for."""
        return [entry.arguments for entry in self.entries]

    @property
    def nopython_signatures(self):
        """The signatures that it is compiled for."""
        return [types.Signature(entry.result, entry.arguments) for entry in self.entries]

    def inspect_cpp(self, signature=None):
        """The C++ text of each signature, or of one."""
        texts = {entry.arguments: entry.text for entry in self.entries}
        return texts if signature is None else texts[types.parse(signature).args]

    def disable_compile(self, val=True):
        """Makes other types of arguments an error."""
        self.locked = val

    # ---- Compilation -------------------------------------------------------------------------------------------

    def compile(self, given):
        """Compiles for a signature, if that was not done yet; returns the entry's number."""
        signature = types.parse(given)
        with _lock:
            key = signature.args
            if key not in self._by_types:
                self._by_types[key] = self._compile(signature)
            return self._by_types[key]

    def _compile(self, signature):
        unit = Unit(self.options)
        function = unit.compile(self.py_func, signature.args)
        if signature.return_type is not None:
            function = unit.converted(function, signature)
        text = unit.text(entry_text(function, signature.args))
        code = _core.gpuopt_compile_cfunc(text, "gp_entry", "void*->int32")
        names = Source.of(self.py_func).parameters
        written = {names.index(n) for n in function.written if n in names}
        parameters = [
            _parameter(leaf, k in written) for k, t in enumerate(signature.args) for leaf, _ in _leaves("", t)
        ]
        entry = Entry(signature.args, function.result, unit.sites, text, written)
        first = _CONTEXT_SLOTS + sum(map(_slots, signature.args))
        kind = (
            function.result.kind
            if isinstance(function.result, types.Number)
            else "n"
            if function.result is types.none
            else "x"
        )
        self._add(
            tuple(parameters),
            _core.cfunc_address(code),
            code,
            first + max(_slots(function.result), 2),
            first,
            kind,
            0,
            (),
        )
        self.entries.append(entry)
        return len(self.entries) - 1

    # ---- Calls that C does not answer --------------------------------------------------------------------------

    def _slow(self, *args, **kwargs):
        """A call with other types than before, with keywords or defaults, or with tuples."""
        args = self._bound(args, kwargs)
        found = tuple(map(types.typeof, args))
        at = self._by_types.get(found)
        if at is None:
            at = self._fitting(found)
        if at is None:
            if self.locked:
                raise TypeError(f"No matching definition for argument type(s) {', '.join(map(str, found))}")
            at = self.compile(found)
        wanted = self.entries[at].arguments
        flat = [x for a, t in zip(args, wanted) for x in _flat_values(a, t)]
        leaves = [leaf for t in wanted for leaf, _ in _leaves("", t)]
        return self._run(at, tuple(_plain(x, t) for x, t in zip(flat, leaves)))

    def _bound(self, args, kwargs):
        if not kwargs and len(args) == len(Source.of(self.py_func).parameters):
            return args
        import inspect

        bound = inspect.signature(self.py_func).bind(*args, **kwargs)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def _fitting(self, found):
        """An entry that the arguments can be converted to, if no others may be compiled."""
        if not self.locked:
            return None
        for at, entry in enumerate(self.entries):
            if len(entry.arguments) == len(found) and all(map(_converts, found, entry.arguments)):
                return at
        return None

    def _raise(self, at, status, first, second):
        site = self.entries[at].sites[status - 1]
        message = site.message % (first, second) if "%d" in site.message else site.message
        error = site.kind(message) if message else site.kind()
        _raise_at(error, site)

    def _box(self, at, data, args):
        entry = self.entries[at]
        words = struct.unpack(f"{len(data) // 8}q", data)
        return _boxed(entry.result, data, words, 0, args)[0]


def _find(module, name):
    import importlib

    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _converts(source, wanted):
    if isinstance(source, types.Number) and isinstance(wanted, types.Number):
        return "biufc".index(source.kind) <= "biufc".index(wanted.kind) or (
            source.kind in "iuf" and wanted.kind in "iuf"
        )
    if isinstance(source, types.Array) and isinstance(wanted, types.Array):
        return (source.element, source.ndim) == (wanted.element, wanted.ndim) and wanted.layout in ("A", source.layout)
    return source == wanted


def _plain(value, t):
    """An argument as C takes it: numbers as Python's own."""
    if isinstance(t, types.Number):
        if hasattr(value, "dtype"):
            value = value.item()
        if t.kind in "iu" and not isinstance(value, int):
            value = int(value)
        if t.kind in "iu":
            value &= 2**t.bits - 1
            return value - 2**t.bits if t.kind == "i" and value >> (t.bits - 1) else value
        return bool(value) if t.kind == "b" else value
    return value


def _raise_at(error, site):
    """Raises an error whose traceback ends in the line of the Python source."""
    lines = "\n" * (site.line - 1) + "raise error"
    code = compile(lines, site.source.filename, "exec")
    if hasattr(code, "replace"):
        code = code.replace(co_name=site.name)
    exec(code, {"error": error})


def _boxed(t, data, words, at, args):
    """The Python value of a result, and the slot behind it."""
    if isinstance(t, types.Tuple):
        items = []
        for item in t.items:
            value, at = _boxed(item, data, words, at, args)
            items.append(value)
        return tuple(items), at
    if t is types.none:
        return None, at
    if isinstance(t, types.Array):
        return _boxed_array(t, words[at : at + _slots(t)], args), at + _slots(t)
    if t.kind in "fc":
        parts = struct.unpack_from("dd" if t.kind == "c" else "d", data, 8 * at)
        return (complex(*parts) if t.kind == "c" else parts[0]), at + len(parts)
    value = words[at]
    return (bool(value) if t.kind == "b" else value + 2**64 if t.kind == "u" and value < 0 else value), at + 1


def _boxed_array(t, words, args):
    """An array that was returned: one of the arguments itself, a window on it, or a new one."""
    import numpy

    n = t.ndim
    address, shape, strides, owner = words[0], words[1 : 1 + n], words[1 + n : 1 + 2 * n], words[1 + 2 * n]
    ours = any(isinstance(a, ndarray) for a in args)
    base = None
    if not owner:
        base = next((a for a in args if _covers(a, address, shape)), None)
        if base is not None and _is_same(base, t, address, shape, strides):
            return base
    low = sum((s - 1) * k for s, k in zip(shape, strides) if k < 0 and s)
    high = sum((s - 1) * k for s, k in zip(shape, strides) if k > 0 and s) + t.element.bytes
    if 0 in shape:
        low, high = 0, 0
    memory = _core.Memory((address + low) % 2**64, high - low, owner % 2**64, args if base is not None else None)
    made = numpy.ndarray(shape, t.dtype, memory, -low, strides)
    if base is None and not owner:
        made = made.copy()  # a constant of the text
    if not ours:
        return made
    from .._convert import asarray

    return asarray(made)


def _covers(value, address, shape):
    if not hasattr(value, "__array_interface__") or not getattr(value, "ndim", 0):
        return False
    begin = value.__array_interface__["data"][0]
    steps = [(s - 1) * k for s, k in zip(value.shape, value.strides)]
    return begin + sum(s for s in steps if s < 0) <= address <= begin + sum(s for s in steps if s > 0) + value.itemsize


def _is_same(value, t, address, shape, strides):
    return (
        value.__array_interface__["data"][0] == address
        and tuple(value.shape) == tuple(shape)
        and tuple(value.strides) == tuple(strides)
        and value.dtype == t.dtype
    )


# ---- Decorators ----------------------------------------------------------------------------------------------------

_KNOWN = {
    "nopython", "nogil", "cache", "parallel", "fastmath", "boundscheck", "error_model", "forceobj", "looplift",
    "inline", "debug", "locals", "pipeline_class", "target", "no_cpython_wrapper", "no_cfunc_wrapper", "writable_args",
    "_nrt", "forceinline",
}  # fmt: skip


def _options_of(given):
    for name in set(given) - _KNOWN:
        logging.getLogger("gpuopt").warning("jit: the option %s is not known, and is left out", name)
    if given.get("forceobj"):
        raise NotImplementedError("jit: there is no object mode")
    return Options(
        boundscheck=given.get("boundscheck") is not False,
        python_errors=given.get("error_model", "python") == "python",
        parallel=bool(given.get("parallel")),
    )


def _signatures_of(given):
    if given is None:
        return []
    return list(given) if isinstance(given, list) else [given]


def jit(signature_or_function=None, **options):
    """numba.jit: a Python function, compiled for the types that it is called with, or for those given.

        @jit
        def f(x): ...

        @jit('float64(float64)'), @jit(int32(int32, int32)), @jit([...])

    Options: parallel (prange runs on all processors), boundscheck (True: an index out of range is an IndexError),
    error_model ("python": division by zero raises; "numpy"). Others of Numba's are accepted: code is always cached,
    arithmetic is never reordered. GPUOPT_DISABLE_JIT=1 leaves functions as they are.
    """
    if callable(signature_or_function) and not isinstance(signature_or_function, types.Type):
        return signature_or_function if disabled() else Dispatcher(signature_or_function, _options_of(options))
    signatures = _signatures_of(signature_or_function)

    def decorate(function):
        if disabled():
            return function
        return Dispatcher(function, _options_of(options), signatures, bool(signatures))

    return decorate


njit = jit

__all__ = ["Dispatcher", "disabled", "jit", "njit"]
