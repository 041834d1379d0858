# bindings/python/gpuopt/compiled/language/printing.py -- print(), str() and formatted texts in compiled functions.
"""A text is known when the function is compiled, or it is an argument of print(): Python writes it."""

import ast

from .. import types
from ..errors import Unsupported
from ..values import MISSING, Value, static


class PrintMixin:
    """print(), and what is for it only."""

    def expr_JoinedStr(self, node):
        """A formatted text of constants; others are for print() only."""
        parts = []
        for part in node.values:
            value = self.expr(part.value) if isinstance(part, ast.FormattedValue) else self.expr(part)
            if value.const is MISSING:
                raise self.error(node, "formatted texts are for print(), or of constants", Unsupported)
            spec = self._spec(part) if isinstance(part, ast.FormattedValue) else ""
            parts.append(format(value.const, spec))
        return static("".join(parts))

    def call_builtins_str(self, node, value):
        if value.const is MISSING:
            raise self.error(node, "str() of what is no constant is for print() only", Unsupported)
        return static(str(value.const))

    def _spec(self, part):
        spec = part.format_spec
        if part.conversion not in (-1, 115, 114):
            raise self.error(part, "!a is not supported", Unsupported)
        if spec is None:
            return ""
        if not all(isinstance(v, ast.Constant) for v in spec.values):
            raise self.error(part, "a format is a constant", Unsupported)
        return "".join(v.value for v in spec.values)

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
                    spec = self._spec(part)
                    found += ["%", static(spec)] if spec else []
                    found += self._written(part.value, self.materialize(self.expr(part.value)))
                else:
                    found.append(self.expr(part))
            return [*found, ")"]
        is_str = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str"
        if is_str and len(node.args) == 1 and self.expr(node.func).static is str:
            return ["(", *self._written(node.args[0], self.materialize(self.expr(node.args[0]))), ")"]
        value = self.materialize(self.expr(node))
        if value.is_tuple:
            return ["(", *self._written(node, value), ")"]
        return value

    def _written(self, node, value):
        """The parts of a value's text; a tuple as Python writes it."""
        if not value.is_tuple:
            return [value]
        cls = value.type.python
        names = [""] * len(value.items) if cls is tuple else [f"{name}=" for name in cls._fields]
        found = [static("(" if cls is tuple else f"{cls.__name__}(")]
        for k, (name, item) in enumerate(zip(names, value.items)):
            found.append(static((", " if k else "") + name))
            found += self._written(node, item)
        return [*found, static(",)" if len(value.items) == 1 and cls is tuple else ")")]

    def _print_value(self, node, value):
        if isinstance(value, str):
            self.emit(f"cx->rt->print_number('{value}', 0, 0, 0);")
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
