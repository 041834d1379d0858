# bindings/python/gpuopt/compiled/language/closures.py -- functions that stand in compiled functions.
import ast

from ..errors import Unsupported
from ..source import Source
from ..values import MISSING, static


class InnerSource(Source):
    """The syntax tree of a function that stands in another one; names that it takes from there are parameters."""

    def __init__(self, owner, outer, node, captured):
        self.owner = self.function = owner
        self.filename, self.first, self.before, self.node = outer.filename, outer.first, outer.before, node
        self._outer, self._captured = outer, captured
        self.globals = outer.globals

    @property
    def parameters(self):
        return super().parameters + list(self._captured)

    def lookup(self, name):
        return self._outer.lookup(name)


class Inner:
    """A function that stands in a compiled one. captured: the names of variables around it that it reads."""

    def __init__(self, source, node, captured, defaults):
        self.__name__ = getattr(node, "name", "<lambda>")
        self.captured, self.__defaults__, self.__kwdefaults__ = captured, defaults, None
        self._gpuopt_source = InnerSource(self, source, node, captured)
        self._gpuopt_function = self


class ClosureMixin:
    """Definitions of functions in a function."""

    def stmt_FunctionDef(self, node):
        if node.decorator_list:
            raise self.error(node, "decorators of inner functions are not supported", Unsupported)
        self.assign_name(node, node.name, static(self._inner(node)))

    def expr_Lambda(self, node):
        return static(self._inner(node))

    def _inner(self, node):
        if node not in self.inner:
            own = Source.names_bound(node) | {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
            read = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id not in own]
            captured = [n for n in dict.fromkeys(read) if n in self.bound]
            for name in list(captured):
                value = self.aliases.get(name)
                captured += getattr(getattr(value, "static", None), "captured", ())
            self.inner[node] = Inner(self.source, node, list(dict.fromkeys(captured)), self._defaults(node))
        return self.inner[node]

    def _defaults(self, node):
        values = [self.expr(d) for d in node.args.defaults]
        if any(v.const is MISSING for v in values):
            raise self.error(node, "defaults of inner functions are constants", Unsupported)
        return tuple(v.const for v in values)

    def captured_values(self, node, function):
        """The values, at a call, of the variables that an inner function reads."""
        found = []
        for name in getattr(function, "captured", ()):
            if name not in self.aliases and name not in self.current:
                if name not in self.bound:
                    message = f"{function.__name__} reads the variable {name!r} of the function that it stands in"
                    raise self.error(node, f"{message}, and cannot be called elsewhere", Unsupported)
                raise self.error(node, f"the variable {name!r} is used before it is bound")
            found.append(self.load_name(ast.copy_location(ast.Name(name, ast.Load()), node)))
        return found
