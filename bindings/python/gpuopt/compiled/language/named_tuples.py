# bindings/python/gpuopt/compiled/language/named_tuples.py -- named tuples in compiled functions.
"""A named tuple is a tuple that knows its Python class: collections.namedtuple's or typing.NamedTuple's. Its items have
names, and what else the class has (properties, methods, constants) is compiled with the function that uses it."""

import inspect
import types as python_types

from .. import types
from ..errors import Unsupported
from ..values import tuple_of


class NamedTupleMixin:
    """Making named tuples, their attributes and methods."""

    def new_named(self, node, cls, args, keywords):
        """cls(*args, **keywords)"""
        given = dict(zip(cls._fields, args))
        if len(args) > len(cls._fields):
            message = f"takes {len(cls._fields)} items, not {len(args)}"
            raise self.error(node, f"{cls.__name__}() {message}")
        for name, value in keywords.items():
            if name not in cls._fields or name in given:
                what = "multiple values for" if name in given else "an unexpected"
                raise self.error(node, f"{cls.__name__}() got {what} argument {name!r}")
            given[name] = value
        for name in cls._fields:
            if name not in given and name not in cls._field_defaults:
                raise self.error(node, f"{cls.__name__}() missing the argument {name!r}")
        items = [given[n] if n in given else self.object_value(cls._field_defaults[n]) for n in cls._fields]
        return self._named(node, cls, items)

    def _named(self, node, cls, items):
        items = [self.as_list(node, self.materialize(v)) for v in items]
        return tuple_of(items, types.NamedTuple([v.type for v in items], cls))

    def is_static_method(self, cls, name):
        """Whether a class has a static method of this name."""
        return isinstance(inspect.getattr_static(cls, name, None), staticmethod)

    def tuple_attribute(self, node, value, name):
        """value.name of a tuple."""
        cls = value.type.python
        if cls is not tuple and name in cls._fields:
            return value.items[cls._fields.index(name)]
        found = inspect.getattr_static(cls, name, None) if cls is not tuple else None
        if isinstance(found, property):
            return self.call_function(node, found.fget, [value], {})
        if found is None or callable(found) or hasattr(found, "__get__"):
            raise self.error(node, f"Unknown attribute {name!r} of type {value.type}")
        return self.object_value(found)

    def named_call(self, node, value, name, args, keywords):
        """value.name(...) of a named tuple; None if its class has no such method of its own."""
        cls = value.type.python
        if name == "_replace" and not args:
            unknown = [repr(k) for k in keywords if k not in cls._fields]
            if unknown:
                raise self.error(node, f"Got unexpected field names: [{', '.join(unknown)}]")
            return self._named(node, cls, [keywords.get(n, v) for n, v in zip(cls._fields, value.items)])
        found = inspect.getattr_static(cls, name, None)
        if self.is_static_method(cls, name):
            return self.call_function(node, found.__func__, args, keywords)
        if isinstance(found, python_types.FunctionType) and not name.startswith("_"):
            return self.call_function(node, found, [value, *args], keywords)
        if isinstance(found, classmethod) or name.startswith("_") and found is not None:
            raise self.error(node, f"{cls.__name__}.{name} is not supported in compiled functions", Unsupported)
        return None
