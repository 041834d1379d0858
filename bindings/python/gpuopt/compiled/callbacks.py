# bindings/python/gpuopt/compiled/callbacks.py -- cfunc: Python functions that C calls.
import functools

from .. import _core
from . import types
from .unit import Options, Unit
from .values import Value, cast

_NO_RUNTIME = """
static void *gp_no_memory(int64_t) { return nullptr; }
static int32_t gp_in_order(int32_t (*chunk)(void *, int64_t), void *state, int64_t chunks) {
  for (int64_t k = 0; k < chunks; k++) if (const int32_t status = chunk(state, k)) return status;
  return 0;
}
static void gp_no_number(char, int64_t, double, double) {}
static void gp_no_text(const char *) {}
static void gp_no_line() {}
static void gp_no_letters(const uint32_t *, int64_t, bool) {}
static const gp_runtime gp_without = {gp_no_memory, gp_in_order, gp_no_number, gp_no_text, gp_no_line, nullptr, nullptr,
                                      nullptr, nullptr, nullptr, nullptr, gp_no_letters};
"""


def _c_name(t):
    if isinstance(t, types.Pointer):
        return f"{t.element.name}*" if isinstance(t.element, types.Number) else "void*"
    return "void" if t is types.none else t.name


class CFunc:
    """A Python function as a function of C. address is where it begins; it stays in place as long as this object lives.

    An exception in it ends it, and gives 0. Called from Python it is Python's own function.
    """

    def __init__(self, function, given):
        functools.update_wrapper(self, function)
        self._signature = signature = types.parse(given)
        self.py_func = self._gpuopt_function = function
        unit = Unit(Options(python_errors=True, runtime=False))
        compiled = unit.compile(function, signature.args)
        result = compiled.result if signature.return_type is None else signature.return_type
        self.native_name = f"gp_{''.join(c if c.isalnum() else '_' for c in function.__name__)}"
        self._text = unit.text(self._entry(compiled, signature.args, result))
        text = f"{','.join(map(_c_name, signature.args))}->{_c_name(result)}"
        self._code = _core.gpuopt_compile_cfunc(self._text, self.native_name, text)
        self.address = _core.cfunc_address(self._code)
        self._result = result

    def _entry(self, compiled, args, result):
        parameters = ", ".join(f"{t.cpp} a{k}" for k, t in enumerate(args))
        names = ["&context", *(f"a{k}" for k in range(len(args)))]
        lines = "gp_context context = {&gp_without, {0, 0}};\n"
        if compiled.result is not types.none:
            lines += f"{compiled.result.cpp} r{{}};\n"
            names.append("r")
        lines += f"{compiled.name}({', '.join(names)});\n"
        if result is not types.none:
            lines += f"return {cast(Value(compiled.result, 'r'), result).text};\n"
        return f"{_NO_RUNTIME}{result.cpp} {self.native_name}({parameters}) {{\n{lines}}}\n"

    def __call__(self, *args, **kwargs):
        return self.py_func(*args, **kwargs)

    def inspect_cpp(self):
        """The C++ text."""
        return self._text

    @property
    def ctypes(self):
        """The function as ctypes calls it."""
        import ctypes

        arguments = [_ctype(t) for t in self._signature.args]
        made = ctypes.CFUNCTYPE(_ctype(self._result), *arguments)(self.address)
        made._gpuopt = self
        return made


def _ctype(t):
    import ctypes

    if t is types.none:
        return None
    if isinstance(t, types.Pointer):
        return ctypes.c_void_p if not isinstance(t.element, types.Number) else ctypes.POINTER(_ctype(t.element))
    if t.kind == "b":
        return ctypes.c_bool
    if t.kind == "f":
        return ctypes.c_float if t.bytes == 4 else ctypes.c_double
    if t.kind == "c":
        raise TypeError("ctypes has no complex numbers")
    return getattr(ctypes, f"c_{t.name}")


def cfunc(signature, **options):
    """numba.cfunc: a Python function that C can call, for one signature.

    @cfunc('float64(float64, float64)')
    def add(x, y): ...

    add.address, add.ctypes(4.0, 5.0)

    >>> @gp.cfunc("float64(float64, float64)")
    ... def add(x, y):
    ...     return x + y
    >>> add.ctypes(4.0, 5.0)
    9.0
    """
    return lambda function: CFunc(function, signature)


def carray(ptr, shape, dtype=None):
    """In compiled functions: the array of a shape at an address."""
    raise TypeError("carray() is for compiled functions")
