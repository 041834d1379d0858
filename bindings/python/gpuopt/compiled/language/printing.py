# bindings/python/gpuopt/compiled/language/printing.py -- print() in compiled functions.
"""What is printed goes to Python part by part, and Python writes it."""

import ast

from .. import types
from ..errors import Unsupported
from ..values import Value, static
from .texts import TEXT, is_text


class Quoted:
    """A text as repr() writes it."""

    def __init__(self, value):
        self.value = value


class PrintMixin:
    """print(), and what is for it only."""

    def _print(self, node):
        if not self.options.host:
            raise self.error(node, "print() is not supported in kernels", Unsupported)
        if node.keywords:
            raise self.error(node, "print() takes no keywords in compiled functions", Unsupported)
        parts = [(a, self._printed(a)) for a in node.args]
        for a, value in parts:
            for each in value if isinstance(value, list) else [value]:
                self._print_value(a, each)
        self.emit("cx->rt->print_line();")
        return Value(types.none, const=None)

    def _printed(self, node):
        """What print() is given for an argument: a value, or a list of values and markers."""
        if isinstance(node, ast.JoinedStr):
            found = ["("]
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    spec = self.spec_of(part)
                    found += ["%", static(spec)] if spec else []
                    found += self._parts(part.value, self.materialize(self.expr(part.value)), part.conversion == 114)
                else:
                    found.append(self.expr(part))
            return [*found, ")"]
        is_str = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str"
        if is_str and len(node.args) == 1 and self.expr(node.func).static is str:
            return ["(", *self._parts(node.args[0], self.materialize(self.expr(node.args[0]))), ")"]
        value = self.materialize(self.expr(node))
        if value.is_tuple:
            return ["(", *self._parts(node, value), ")"]
        return value

    def _parts(self, node, value, quoted=False):
        """The parts of a value's text; a tuple as Python writes it."""
        if is_text(value) and quoted:
            return [Quoted(value)]
        if not value.is_tuple:
            return [value]
        cls = value.type.python
        names = [""] * len(value.items) if cls is tuple else [f"{name}=" for name in cls._fields]
        found = [static("(" if cls is tuple else f"{cls.__name__}(")]
        for k, (name, item) in enumerate(zip(names, value.items)):
            found.append(static((", " if k else "") + name))
            found += self._parts(node, item, True)
        return [*found, static(",)" if len(value.items) == 1 and cls is tuple else ")")]

    def _print_value(self, node, value):
        if isinstance(value, str):
            self.emit(f"cx->rt->print_number('{value}', 0, 0, 0);")
        elif isinstance(value, Quoted) or value.type is TEXT:
            text = self.textual(value.value if isinstance(value, Quoted) else value).text
            self.emit(f"cx->rt->print_letters({text}.data(), {text}.size(), {str(isinstance(value, Quoted)).lower()});")
        elif isinstance(value.static, str):
            data = value.static.encode()
            text = "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in data)
            self.emit(f'cx->rt->print_text("{text}");')
        elif value.is_number:
            kind = value.type.kind
            integer = f"int64_t({value.text})" if kind in "biu" else "0"
            real = (
                f"double({value.text}.real()), double({value.text}.imag())"
                if kind == "c"
                else f"double({value.text}), 0"
            )
            self.emit(f"cx->rt->print_number('{kind}', {integer}, {real if kind in 'fc' else '0, 0'});")
        elif value.type is types.none:
            self.emit("cx->rt->print_number('n', 0, 0, 0);")
        elif value.type is not types.unknown:
            raise self.error(node, f"print() of {value.type} is not supported", Unsupported)
