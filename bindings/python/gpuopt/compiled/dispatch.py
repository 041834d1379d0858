# bindings/python/gpuopt/compiled/dispatch.py -- jit and njit: functions that are compiled when they are called.
import ast
import functools
import logging
import os
import struct
import sys
import threading

from .. import _core
from . import types
from .language.host_calls import HOST_ERROR
from .source import Source
from .transfer import boxed, leaves, read, slots, write
from .unit import Options, Unit

_lock = threading.RLock()
_CONTEXT_SLOTS = 4


def disabled():
    """Whether GPUOPT_DISABLE_JIT says that functions stay Python's."""
    return os.environ.get("GPUOPT_DISABLE_JIT", "0") not in ("", "0")


def _is_list(t):
    """Whether a value goes in as a copy, and what changes in it comes out again."""
    return isinstance(t, (types.List, types.Set))


def _changed_lists(python, argument_types):
    """Of each list or set among the arguments' leaves, its type and name: those that the function may change."""
    names, found = Source.of(python).parameters, []
    for k, t in enumerate(argument_types):
        numbers = isinstance(t, types.List) and isinstance(t.element, types.Number)
        if not (numbers and k < len(names) and Source.of(python).only_reads(names[k])):
            found += [leaf for leaf in leaves(f"a{k}", t) if _is_list(leaf[0])]
    return found


def entry_text(function, argument_types, changed):
    """The C++ function that takes a frame, and calls a compiled function; `changed` are the lists that come out."""
    slot, lines, arguments = _CONTEXT_SLOTS, [], ["(gp_context *)frame"]
    for k, t in enumerate(argument_types):
        for leaf, name in leaves(f"a{k}", t):
            lines.append(f"{leaf.cpp} {name} = {read(leaf, slot)};\n")
            slot += slots(leaf)
            arguments.append(name)
    results = leaves("r", function.result)
    lines += [f"{t.cpp} {name}{{}};\n" for t, name in results]
    arguments += [name for _, name in results]
    lines.append(f"const int32_t status = {function.name}({', '.join(arguments)});\nif (status) return status;\n")
    for t, name in results + changed:
        lines.append(write(t, name, slot))
        slot += slots(t)
    return (
        "int32_t gp_entry(void *frame) {\nint64_t *const slots = (int64_t *)frame;\n"
        + "".join(lines)
        + "return 0;\n}\n"
    )


class Entry:
    """One compiled signature of a dispatcher."""

    def __init__(self, arguments, result, sites, text, written, changed):
        self.arguments, self.result, self.sites, self.text, self.written = arguments, result, sites, text, written
        self.leaves = [leaf for k, t in enumerate(arguments) for leaf in leaves(f"a{k}", t)]
        self.changed = [at for at, leaf in enumerate(self.leaves) if leaf in changed]
        self.returned = types.Tuple([result, *(t for t, _ in changed)]) if changed else result


def _parameter(t, written):
    if _is_list(t):
        return ("l", t.element.kind, t.element.bytes, True, False, 1)
    if t is types.unicode_type:
        return ("l", "u", 4, True, False, 1)
    if isinstance(t, types.Instance):
        return ("o", "o", 8, False, False, 0, id(t.known.box))
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
        python = self._python_function(signature.args)
        function = unit.compile(python, signature.args)
        if signature.return_type is not None:
            function = unit.converted(function, signature)
        changed = _changed_lists(python, signature.args)
        text = unit.text(entry_text(function, signature.args, changed))
        code = _core.gpuopt_compile_cfunc(text, "gp_entry", "void*->int32")
        if "gp_object_new<" in text:
            _core.keep(code)  # instances, which Python may free last of all, are released by it
        names = Source.of(python).parameters
        written = {names.index(n) for n in function.written if n in names}
        parameters = [
            _parameter(leaf, k in written) for k, t in enumerate(signature.args) for leaf, _ in leaves("", t)
        ]
        entry = Entry(signature.args, function.result, unit.sites, text, written, changed)
        first = _CONTEXT_SLOTS + sum(map(slots, signature.args))
        kind = (
            entry.returned.kind
            if isinstance(entry.returned, types.Number)
            else "n"
            if entry.returned is types.none
            else "x"
        )
        self.entries.append(entry)  # first: other threads may call it as soon as it is added
        try:
            return self._add(
                tuple(parameters),
                _core.cfunc_address(code),
                code,
                first + max(slots(entry.returned), 2),
                first,
                kind,
                "cx->rt->run_chunks(" in text,  # its threads may want the lock of the interpreter
                (),
            )
        except BaseException:
            self.entries.pop()
            raise

    def _python_function(self, arguments):
        """The function to compile: py_func, or what @generated_jit's function gives for the types."""
        generator = getattr(self, "_gpuopt_generator", None)
        if generator is None:
            return self.py_func
        made = generator(*arguments)
        return getattr(made, "_gpuopt_function", made)

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
        entry = self.entries[at]
        flat = [x for a, t in zip(args, entry.arguments) for x in _flat_values(a, t)]
        result = self._run(at, tuple([_plain(x, t) for x, (t, _) in zip(flat, entry.leaves)]))
        if not entry.changed:
            return result
        for before, after in zip([flat[k] for k in entry.changed], result[1:]):
            if isinstance(before, set):
                before.intersection_update(after)
                before.update(after)
            elif before != after:
                before[:] = after
        return result[0]

    def _bound(self, args, kwargs):
        source = Source.of(self.py_func)
        if not kwargs and len(args) == source.positional == len(source.parameters):
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

    def _raise(self, at, status, first, second, noted):
        site = self.entries[at].sites[status - 1]
        message = site.message % (first, second)[: site.message.count("%d")] if "%d" in site.message else site.message
        error = site.kind(message) if message else site.kind(*site.given(noted))
        if site.message == HOST_ERROR:
            error = _core.take_host_error() or error
        _raise_at(error, site)

    def _box(self, at, data, args):
        entry = self.entries[at]
        words = struct.unpack(f"{len(data) // 8}q", data)
        return boxed(entry.returned, data, words, 0, args)[0]


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
    """An argument as C takes it: numbers as Python's own, lists and texts as arrays."""
    if _is_list(t):
        import numpy

        return numpy.array(list(value), t.dtype)
    if t is types.unicode_type:
        import numpy

        return numpy.frombuffer(value.encode(f"utf-32-{sys.byteorder[0]}e", "surrogatepass"), numpy.uint32)
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
    at = {"lineno": site.line, "end_lineno": site.line, "col_offset": site.column, "end_col_offset": site.end}
    statement = ast.Raise(ast.Name("error", ast.Load(), **at), None, **at)
    code = compile(ast.Module([statement], []), site.source.filename, "exec")
    if hasattr(code, "replace"):
        code = code.replace(co_name=site.name)
    space = {"error": error}
    try:
        exec(code, space)
    finally:
        space.clear()  # the traceback has this dictionary, and would be in a cycle with the exception


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

    >>> @gp.njit
    ... def length(x):
    ...     total = 0.0
    ...     for value in x:
    ...         total += value * value
    ...     return total**0.5
    >>> length(gp.array([3.0, 4.0]))
    5.0

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
