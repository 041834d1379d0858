# bindings/python/gpuopt/compiled/ufuncs.py -- functions of numbers, which work on arrays element by element: those of
# math and of NumPy's ufuncs.
from . import types
from .expressions import operation_text


class Ufunc:
    """How a function of numbers is computed. rule: the type that operands are converted to, and the result's."""

    __slots__ = ("count", "result", "rule", "text")

    def __init__(self, text, count=1, rule="float", result=None):
        self.text, self.count, self.rule, self.result = text, count, rule, result


def _call(name):
    return lambda t, *operands: f"{name}({', '.join(operands)})"


def _float_or_same(t, text, x):
    return text if t.kind in "fc" else x


_FLOAT = {
    "sqrt": "sqrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10",
    "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "cbrt": "cbrt", "asin": "asin", "acos": "acos", "atan": "atan", "asinh": "asinh", "acosh": "acosh",
    "atanh": "atanh", "erf": "erf", "erfc": "erfc", "gamma": "tgamma", "lgamma": "lgamma",
}  # fmt: skip
_FLOAT2 = {
    "arctan2": "atan2", "atan2": "atan2", "hypot": "hypot", "copysign": "copysign", "nextafter": "nextafter",
}  # fmt: skip


def _table():
    table = {name: Ufunc(_call(cpp)) for name, cpp in _FLOAT.items()}
    table |= {name: Ufunc(_call(cpp), 2) for name, cpp in _FLOAT2.items()}
    for names, sign in (
        (("add",), "+"), (("subtract",), "-"), (("multiply",), "*"), (("floor_divide",), "//"),
        (("remainder", "mod"), "%"), (("power", "pow"), "**"), (("bitwise_and",), "&"), (("bitwise_or",), "|"),
        (("bitwise_xor",), "^"),
    ):  # fmt: skip
        for name in names:
            table[name] = Ufunc(lambda t, a, b, sign=sign: operation_text(sign, t, a, b), 2, "arithmetic")
    for name in ("divide", "true_divide"):
        table[name] = Ufunc(lambda t, a, b: f"{a} / {b}", 2, "float")
    for name, sign in zip(
        ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), ("==", "!=", "<", "<=", ">", ">=")
    ):
        table[name] = Ufunc(lambda t, a, b, sign=sign: f"{a} {sign} {b}", 2, "arithmetic", "bool")
    for name, sign in (("floor", "floor"), ("ceil", "ceil"), ("trunc", "trunc"), ("rint", "rint")):
        table[name] = Ufunc(lambda t, x, f=sign: _float_or_same(t, f"{f}({x})", x), 1, "same")
    table["absolute"] = table["abs"] = Ufunc(absolute_text, 1, "same", "real")
    table["fabs"] = Ufunc(_call("fabs"))
    table["negative"] = Ufunc(lambda t, x: f"gp_sub({t.cpp}(0), {x})" if t.kind in "iu" else f"-{x}", 1, "same")
    table["positive"] = table["conjugate_real"] = Ufunc(lambda t, x: x, 1, "same")
    table["conjugate"] = table["conj"] = Ufunc(lambda t, x: f"conj({x})" if t.kind == "c" else x, 1, "same")
    table["square"] = Ufunc(lambda t, x: operation_text("*", t, x, x), 1, "same")
    table["reciprocal"] = Ufunc(lambda t, x: f"{t.cpp}(1) / {x}", 1, "float")
    table["sign"] = Ufunc(lambda t, x: f"({x} != {x} ? {x} : {t.cpp}(({x} > 0) - ({x} < 0)))", 1, "same")
    table["isnan"] = Ufunc(lambda t, x: f"{x} != {x}", 1, "same", "bool")
    table["isinf"] = Ufunc(lambda t, x: f"({x} == {x} && {x} - {x} != {x} - {x})", 1, "float", "bool")
    table["isfinite"] = Ufunc(lambda t, x: f"{x} - {x} == {x} - {x}", 1, "float", "bool")
    table["signbit"] = Ufunc(lambda t, x: f"copysign(1.0, double({x})) < 0", 1, "float", "bool")
    table["maximum"] = Ufunc(lambda t, a, b: f"({a} >= {b} || {a} != {a} ? {a} : {b})", 2, "arithmetic")
    table["minimum"] = Ufunc(lambda t, a, b: f"({a} <= {b} || {a} != {a} ? {a} : {b})", 2, "arithmetic")
    table["fmax"] = Ufunc(lambda t, a, b: f"({a} >= {b} || {b} != {b} ? {a} : {b})", 2, "arithmetic")
    table["fmin"] = Ufunc(lambda t, a, b: f"({a} <= {b} || {b} != {b} ? {a} : {b})", 2, "arithmetic")
    table["fmod"] = Ufunc(_call("fmod"), 2)
    table["logical_and"] = Ufunc(lambda t, a, b: f"({a} != {t.cpp}(0) && {b} != {t.cpp}(0))", 2, "arithmetic", "bool")
    table["logical_or"] = Ufunc(lambda t, a, b: f"({a} != {t.cpp}(0) || {b} != {t.cpp}(0))", 2, "arithmetic", "bool")
    table["logical_xor"] = Ufunc(
        lambda t, a, b: f"(({a} != {t.cpp}(0)) != ({b} != {t.cpp}(0)))", 2, "arithmetic", "bool"
    )
    table["logical_not"] = Ufunc(lambda t, x: f"{x} == {t.cpp}(0)", 1, "same", "bool")
    table["invert"] = table["bitwise_not"] = Ufunc(lambda t, x: f"!{x}" if t.kind == "b" else f"~{x}", 1, "same")
    degrees = 180.0 / 3.141592653589793
    table["degrees"] = table["rad2deg"] = Ufunc(lambda t, x: f"{x} * {t.cpp}({degrees.hex()})")
    table["radians"] = table["deg2rad"] = Ufunc(lambda t, x: f"{x} * {t.cpp}({(1 / degrees).hex()})")
    return table


def absolute_text(t, x):
    """abs of a number of the type t."""
    if t.kind in "ub":
        return x
    if t.kind == "i":
        return f"({x} < 0 ? gp_sub({t.cpp}(0), {x}) : {x})"
    return f"abs({x})" if t.kind == "c" else f"fabs({x})"


UFUNCS = _table()
_SMALL = (types.NUMBERS["float16"], types.NUMBERS["bfloat16"])


def computing(t):
    """The type that elements of a type are computed with: float for floats of 16 bits."""
    return types.float32 if t in _SMALL else t


def operand_type(ufunc, t):
    """The type that operands become, of one that they all fit in."""
    if ufunc.rule == "float" and t.kind in "biu":
        return types.float64
    return t


def result_type(ufunc, t):
    """The type of the result, for operands of the type t."""
    if ufunc.result == "bool":
        return types.boolean
    if ufunc.result == "real" and t.kind == "c":
        return types.float32 if t.bytes == 8 else types.float64
    return t
