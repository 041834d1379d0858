# bindings/python/gpuopt/compiled/language/extending.py -- numba.extending: what functions that are not compiled become
# in compiled ones.
from .. import types

# What is called -> functions that make an implementation for types of arguments, the newest last.
_FUNCTIONS, _METHODS, _ATTRIBUTES = {}, {}, {}
_made = {}


def overload(func, jit_options=None, strict=True, inline="never", prefer_literal=False, **kwargs):
    """numba.extending.overload: tells what func becomes in compiled functions.

        @overload(len_of_pair)
        def _(pair):
            if isinstance(pair, types.Tuple):
                return lambda pair: 2

    >>> def middle(a, b):
    ...     return (a + b) / 2
    >>> @gp.overload(middle)
    ... def _(a, b):
    ...     return lambda a, b: (a + b) / 2
    >>> gp.njit(lambda a: middle(a, 4.0))(2.0)
    3.0

    The decorated function gets the types of the arguments, and gives a Python function for them, or None where it has
    none; that one is compiled with the caller. Options are accepted: errors are those of @njit.
    """

    def decorate(factory):
        _FUNCTIONS.setdefault(func, []).append(factory)
        return factory

    return decorate


def overload_method(typ, attr, **kwargs):
    """numba.extending.overload_method: the same for value.attr(...) of values of a type, as types.Array.

    >>> @gp.overload_method(gp.types.Array, "first")
    ... def _(x):
    ...     return lambda x: x[0]
    >>> gp.njit(lambda x: x.first())(gp.array([5.0, 6.0]))
    5.0
    """

    def decorate(factory):
        _METHODS.setdefault(attr, []).append((typ, factory))
        return factory

    return decorate


def overload_attribute(typ, attr, **kwargs):
    """numba.extending.overload_attribute: the same for value.attr.

    >>> @gp.overload_attribute(gp.types.Array, "last")
    ... def _(x):
    ...     return lambda x: x[-1]
    >>> gp.njit(lambda x: x.last)(gp.array([5.0, 6.0]))
    6.0
    """

    def decorate(factory):
        _ATTRIBUTES.setdefault(attr, []).append((typ, factory))
        return factory

    return decorate


def register_jitable(*args, **kwargs):
    """numba.extending.register_jitable: a function that stays Python's, and that compiled functions can call.

    >>> @gp.register_jitable
    ... def double(x):
    ...     return 2 * x
    >>> gp.njit(lambda x: double(x) + 1)(3)
    7
    """
    if args and callable(args[0]):
        args[0]._gpuopt_jitable = True
        return args[0]
    return register_jitable


def is_jitable(target):
    """Whether compiled functions can call a Python function that is not compiled."""
    return getattr(target, "_gpuopt_jitable", False)


def _implementation(factory, args, keywords):
    key = (factory, tuple(args), tuple(keywords.items()))
    if key not in _made:
        made = factory(*args, **keywords)
        _made[key] = getattr(made, "_gpuopt_function", made)
    return _made[key]


def function_for(target, args, keywords):
    """The Python function that a call becomes, or None."""
    try:
        factories = _FUNCTIONS.get(target, ())
    except TypeError:
        return None
    found = (_implementation(f, args, keywords) for f in reversed(factories))
    return next((f for f in found if f is not None), None)


def _for_value(table, attr, t, args, keywords):
    for kind, factory in reversed(table.get(attr, ())):
        if kind is t or isinstance(kind, type) and isinstance(t, kind):
            found = _implementation(factory, (t, *args), keywords)
            if found is not None:
                return found
    return None


def method_for(attr, t, args, keywords):
    """The Python function that value.attr(...) becomes, or None."""
    return _for_value(_METHODS, attr, t, args, keywords)


def attribute_for(attr, t):
    """The Python function that value.attr becomes, or None."""
    return _for_value(_ATTRIBUTES, attr, t, (), {})


def generated_jit(function=None, **options):
    """numba.generated_jit: function gets the types of the arguments, and gives the Python function to compile.

    >>> @gp.generated_jit
    ... def count(x):
    ...     return (lambda x: x.shape[0]) if isinstance(x, gp.types.Array) else (lambda x: 1)
    >>> count(gp.zeros(3)), count(2.0)
    (3, 1)
    """
    from ..dispatch import Dispatcher, _options_of, disabled

    def decorate(function):
        if disabled():
            return lambda *args, **keywords: function(*map(types.typeof, args))(*args, **keywords)
        made = Dispatcher(function, _options_of(options))
        made._gpuopt_generator = function
        return made

    return decorate if function is None else decorate(function)


__all__ = ["generated_jit", "overload", "overload_attribute", "overload_method", "register_jitable"]
