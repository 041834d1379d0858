# bindings/python/gpuopt/compiled/language/classes.py -- jitclass: classes whose instances compiled functions work with.
"""An instance is a block of memory with the fields that the specification names; Python has a reference to it. What
Python does with an instance -- making it, reading and writing fields and properties, calling methods -- are calls of
small compiled functions, whose text is made here."""

import inspect
import itertools
import linecache

from ... import _core
from .. import types
from ..dispatch import Dispatcher, disabled
from ..errors import Unsupported
from ..values import Value

_numbers = itertools.count()


class ClassType:
    """A class as compiled functions know it: its fields with their types, and its functions."""

    def __init__(self, python, fields):
        self.python, self.fields = python, fields
        self.struct = f"gp_class_{next(_numbers)}"
        members = {}
        for base in reversed(python.__mro__[:-1]):
            members.update(vars(base))
        self.methods = {k: v for k, v in members.items() if inspect.isfunction(v)}
        self.statics = {k: v.__func__ for k, v in members.items() if isinstance(v, staticmethod)}
        self.properties = {k: v for k, v in members.items() if isinstance(v, property)}
        self.instance = types.Instance(self)
        self.__name__ = python.__name__

    def definition(self):
        """The C++ text of the fields."""
        members = "".join(f"  {t.cpp} f_{name}{{}};\n" for name, t in self.fields.items())
        return f"struct {self.struct} {{\n{members}}};\n"


def _fields(spec, cls):
    given = list(spec.items() if isinstance(spec, dict) else spec or ())
    named = {name for name, _ in given}
    hints = {k: v for k, v in vars(cls).get("__annotations__", {}).items() if k not in named}
    fields = {}
    for name, t in [*given, *hints.items()]:
        t = getattr(t, "_gpuopt_class", None).instance if hasattr(t, "_gpuopt_class") else t
        fields[name] = t if isinstance(t, types.List) else types.parse_type(t)
    return fields


def _python_function(text, space, name):
    """A function of a text, which errors can show."""
    filename = f"<{name} of a jitclass {next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), space)
    return space["_call"]


def _compiled(python, call, first="self, "):
    """A compiled function that calls something with the parameters that a Python function has."""
    parameters, passed, space = [], [], {}
    given = list(inspect.signature(python).parameters.values())[1:]
    for p in given:
        if p.kind is p.VAR_KEYWORD:
            raise Unsupported(f"{python.__name__}: **{p.name} is not supported")
        if p.kind is p.KEYWORD_ONLY and "*" not in parameters and not any(n.startswith("*") for n in parameters):
            parameters.append("*")
        star = "*" if p.kind is p.VAR_POSITIONAL else ""
        default = ""
        if p.default is not p.empty:
            space[f"_default_{p.name}"], default = p.default, f"=_default_{p.name}"
        parameters.append(f"{star}{p.name}{default}")
        passed.append(f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else f"{star}{p.name}")
    text = f"def _call({first}{', '.join(parameters)}):\n    return {call}({', '.join(passed)})\n"
    return text, space


def _dispatcher(text, space, name):
    return Dispatcher(_python_function(text, space, name))


class Instance:
    """What the instances of all jitclasses have."""

    __slots__ = ("_memory",)

    def __reduce__(self):
        raise TypeError(f"cannot pickle an instance of the jitclass {type(self).__name__}")


def boxed(t, address):
    """The Python object of an instance; the reference that the frame had is its."""
    made = object.__new__(t.known.box)
    made._memory = _core.Memory(address % 2**64, 0, address % 2**64, None)
    return made


def _field(name):
    get = _dispatcher(f"def _call(self):\n    return self.{name}\n", {}, name)
    put = _dispatcher(f"def _call(self, value):\n    self.{name} = value\n", {}, name)
    return property(lambda self: get(self), lambda self, value: put(self, value))


def _property(name, python):
    get = _dispatcher(f"def _call(self):\n    return self.{name}\n", {}, name)
    put = _dispatcher(f"def _call(self, value):\n    self.{name} = value\n", {}, name) if python.fset else None
    return property(lambda self: get(self), (lambda self, value: put(self, value)) if put else None, doc=python.__doc__)


def _method(name, python):
    made = _dispatcher(*_compiled(python, f"self.{name}"), name)

    def method(self, *args, **keywords):
        return made(self, *args, **keywords)

    method.__name__, method.__doc__, method.__qualname__ = name, python.__doc__, python.__qualname__
    return method


def _box(known):
    """The Python class of the instances."""
    cls = known.python
    space = {"__doc__": cls.__doc__, "__module__": cls.__module__, "__qualname__": cls.__qualname__, "__slots__": ()}
    space.update({name: _field(name) for name in known.fields})
    space.update({name: _property(name, p) for name, p in known.properties.items()})
    space.update({name: _method(name, f) for name, f in known.methods.items() if name != "__init__"})
    space.update({name: staticmethod(f) for name, f in known.statics.items()})
    init = known.methods.get("__init__", lambda self: None)
    if "__init__" in known.methods:
        text, names = _compiled(init, "_class", "")
    else:
        text, names = "def _call():\n    return _class()\n", {}
    maker = _dispatcher(text, names, cls.__name__)
    space["__new__"] = lambda cls, *args, **keywords: maker(*args, **keywords)
    box = type(cls.__name__, (Instance,), space)
    box._gpuopt_class, known.box = known, box
    box.class_type = known
    names["_class"] = box
    return box


def jitclass(cls_or_spec=None, spec=None):
    """numba.experimental.jitclass: a class whose instances have the fields that a specification names.

        @jitclass([("x", float64), ("values", float64[:])])
        class Bag:
            def __init__(self, n):
                self.x = 0.0
                self.values = np.zeros(n)

    >>> @gp.jitclass([("balance", gp.types.float64)])
    ... class Account:
    ...     def __init__(self, balance):
    ...         self.balance = balance
    ...     def add(self, amount):
    ...         self.balance += amount
    ...         return self.balance
    >>> Account(5.0).add(2.0)
    7.0

    spec: pairs of a name and a type, or a dict of them; annotations of the class add to it. A type is what signatures
    have, a list (types.List(float64)), or another jitclass. Methods, properties and static methods are compiled.
    Fields that __init__ does not set are zero. With GPUOPT_DISABLE_JIT=1 the class stays as it is.
    """
    if isinstance(cls_or_spec, type):
        return cls_or_spec if disabled() else _box(ClassType(cls_or_spec, _fields(spec, cls_or_spec)))
    spec = cls_or_spec if cls_or_spec is not None else spec
    return lambda cls: jitclass(cls, spec)


class ClassMixin:
    """Instances in a function."""

    def new_instance(self, node, known, args, keywords):
        """known(*args)"""
        t = known.instance
        self.unit.classes[known] = None
        name = self.new_name("o")
        self.emit(f"const {t.cpp} {name} = gp_object_new<{known.struct}>(cx);")
        self.raise_if(f"!{name}.block", MemoryError, "instance is too large", node)
        made = Value(t, name)
        init = known.methods.get("__init__")
        if init is not None:
            self.call_function(node, init, [made, *args], keywords)
        elif args or keywords:
            raise self.error(node, f"{known.__name__}() takes no arguments")
        return made

    def instance_attribute(self, node, value, name):
        """value.name of an instance."""
        known = value.type.known
        if name in known.fields:
            return self.held(f"{value.text}->f_{name}", known.fields[name])
        if name in known.properties:
            return self.call_function(node, known.properties[name].fget, [value], {})
        raise self.error(node, f"Unknown attribute {name!r} of type {value.type}")

    def instance_call(self, node, value, name, args, keywords):
        """value.name(...) of an instance."""
        known = value.type.known
        if name in known.statics:
            return self.call_function(node, known.statics[name], args, keywords)
        if name not in known.methods:
            raise self.error(node, f"Unknown attribute {name!r} of type {value.type}")
        return self.call_function(node, known.methods[name], [value, *args], keywords)

    def store_attribute(self, target, value):
        """target.attr = value"""
        instance = self.expr(target.value)
        if (
            instance.type is types.unknown
            or types.has_unknown(value.type)
            and not value.is_tuple
            and not isinstance(value.type, types.List)
        ):
            return
        if not isinstance(instance.type, types.Instance):
            raise self.error(target, f"attributes of {instance.type} cannot be assigned to")
        known = instance.type.known
        if target.attr in known.fields:
            value = self.materialize(value)
            text = self.packed_text(target, value, known.fields[target.attr])
            self.emit(f"{instance.text}->f_{target.attr} = {text};")
            return
        setter = known.properties.get(target.attr)
        if setter is None or setter.fset is None:
            raise self.error(target, f"Unknown attribute {target.attr!r} of type {instance.type}")
        self.call_function(target, setter.fset, [instance, value], {})
