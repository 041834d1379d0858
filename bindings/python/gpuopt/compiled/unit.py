# bindings/python/gpuopt/compiled/unit.py -- one C++ text: a function for some types of arguments, and what it calls.
from . import prelude, types
from .errors import TypingError
from .source import Source


class Options:
    """How a function is compiled. host: for the CPU's callers, where exceptions are raised; else a kernel. runtime:
    whether there is Python, which C's callers do without."""

    def __init__(self, host=True, boundscheck=True, python_errors=True, parallel=False, runtime=True):
        self.host, self.boundscheck, self.python_errors, self.parallel = host, boundscheck, python_errors, parallel
        self.runtime = runtime


class Site:
    """A place that raises an exception: its class and text, and where it stands. Without a text it has arguments:
    constants, or types of what is noted when it raises."""

    def __init__(self, kind, message, source, node, arguments=()):
        self.kind, self.message, self.source, self.arguments = kind, message, source, arguments
        self.line, self.column = source.place(node)
        end = getattr(node, "end_lineno", None) == getattr(node, "lineno", 0)
        self.end = self.column + node.end_col_offset - node.col_offset if end else self.column
        self.name = source.function.__name__


    def given(self, noted):
        """The arguments of the exception, of which `noted` has the numbers and texts in a row."""
        if not noted and any(isinstance(a, types.Type) for a in self.arguments):
            return []  # the note is another exception's
        left = iter(noted)
        return [_noted(a, left) if isinstance(a, types.Type) else a for a in self.arguments]


def _noted(t, left):
    if isinstance(t, types.Tuple):
        return t.box([_noted(item, left) for item in t.items])
    return next(left)


class Compiled:
    """A function of the text: its C++ name, the type of its result, the parameters whose elements it writes."""

    def __init__(self, name):
        self.name, self.result, self.written = name, types.unknown, set()


class Unit:
    """Functions that are compiled together."""

    def __init__(self, options):
        self.options = options
        self.functions, self.sites, self.declarations = {}, [], {}
        self.prototypes, self.texts, self.wrappers = [], [], {}
        self._constants, self._catchers = {}, {}
        self.classes = {}  # the jitclasses that the text names

    def site(self, kind, message, source, node, arguments=()):
        """The number of a place that raises."""
        self.sites.append(Site(kind, message, source, node, arguments))
        return len(self.sites)

    def catcher(self, kinds):
        """The name of a C++ function that says whether the place that raised raises one of these classes."""
        if kinds not in self._catchers:
            self._catchers[kinds] = f"gp_catches_{len(self._catchers)}"
            self.prototypes.append(f"static bool {self._catchers[kinds]}(int32_t);\n")
        return self._catchers[kinds]

    def _catcher_texts(self):
        for kinds, name in self._catchers.items():
            numbers = [n for n, site in enumerate(self.sites, 1) if issubclass(site.kind, kinds)]
            tests = " || ".join(f"status == {n}" for n in numbers) or "false"
            yield f"static bool {name}(int32_t status) {{ return {tests}; }}\n"

    def function(self, function, argument_types, fixed=None):
        """The Compiled of a Python function for these types; compiles it if that was not done yet."""
        from .lowering import Lowering

        key = (function, tuple(argument_types), fixed)
        found = self.functions.get(key)
        self.classes.update((known, None) for t in argument_types for known in types.classes_in(t))
        if found is None:
            name = f"{_identifier(function.__name__)}_{len(self.functions)}"
            found = self.functions[key] = Compiled(name)
            Lowering(self, Source.of(function), argument_types, found, fixed or ()).run()
        return found

    def compile(self, function, argument_types):
        """The Compiled of the function that the text is for; an error's traceback ends here."""
        try:
            return self.function(function, argument_types)
        except TypingError as error:
            raise error.with_traceback(None) from None

    def converted(self, function, signature):
        """A function that gives the result of another one as the type that a signature says."""
        wanted = signature.return_type
        found = function.result
        if wanted == found or wanted is types.none:
            return function
        if isinstance(wanted, types.Array) and isinstance(found, types.Array) and types.unify(wanted, found) == wanted:
            return function
        if not (isinstance(wanted, types.Number) and isinstance(function.result, types.Number)):
            raise TypeError(f"the result is {function.result}, not {wanted}")
        from .values import Value, cast

        result = Compiled(function.name + "_as")
        result.result, result.written = wanted, function.written
        parameters, names = ["gp_context *cx"], ["cx"]
        for k, t in enumerate(signature.args):
            parameters.append(f"const {t.cpp} &a{k}")
            names.append(f"a{k}")
        self.texts.append(
            f"static __device__ int32_t {result.name}({', '.join(parameters)}, {wanted.cpp} &r) {{\n"
            f"{function.result.cpp} x{{}};\nconst int32_t status = {function.name}({', '.join(names)}, x);\n"
            f"if (!status) r = {cast(Value(function.result, 'x'), wanted).text};\nreturn status;\n}}\n"
        )
        return result

    def constant_array(self, array):
        """The name of a constant array in the text, for an array that a function captures."""
        import numpy

        data = numpy.ascontiguousarray(array)
        key = (data.dtype.str, data.shape, data.tobytes())
        if key not in self._constants:
            name = f"captured_{len(self._constants)}"
            element = types.of_dtype(data.dtype)
            words = ", ".join(map(str, numpy.frombuffer(data.tobytes() or b"\0", numpy.uint8)))
            self.declarations[name] = (
                f"alignas(16) static __device__ const unsigned char {name}[] = {{{words}}};  // {element}\n"
            )
            self._constants[key] = name
        return self._constants[key]

    def text_constant(self, value):
        """The name of a constant with the code points of a text."""
        key = ("text", value)
        if key not in self._constants:
            name = self._constants[key] = f"text_{len(self._constants)}"
            points = ", ".join(map(str, map(ord, value))) or "0"
            self.declarations[name] = f"static const uint32_t {name}[] = {{{points}}};\n"
        return self._constants[key]

    def _class_texts(self):
        """The fields of the jitclasses that the text names, those first that others have as fields."""
        order = {}

        def visit(known):
            if known.struct not in order:
                order[known.struct] = None
                for t in known.fields.values():
                    for other in types.classes_in(t):
                        visit(other)
                order[known.struct] = order.pop(known.struct) or known.definition()

        for known in self.classes:
            visit(known)
        return "".join(f"struct {name};\n" for name in order) + "".join(order.values())

    def text(self, entry):
        """The whole C++ text, with `entry` behind all functions."""
        parts = [*self.declarations.values(), *self.prototypes, *self.wrappers.values(), *self.texts]
        body = self._class_texts() + "".join([*parts, *self._catcher_texts(), entry])
        return prelude.in_front_of(body, self.options.host) + body


def _identifier(name):
    return "f_" + "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
