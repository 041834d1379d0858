# bindings/python/gpuopt/compiled/language/exceptions.py -- raise, try, except and finally of compiled functions.
"""A function returns the number of the place that raised. The body of a try statement is a C++ lambda, which returns
that number, or one of these for what leaves the body in another way."""

import ast

from .. import types
from ..errors import Unsupported
from ..values import MISSING

_RETURN, _BREAK, _CONTINUE = -1, -2, -3
# What numbers are noted as.
_WIDE = {"b": "bool", "i": "int64_t", "u": "uint64_t", "f": "double", "c": "complex<double>"}


class ExceptionMixin:
    """Statements that raise and catch."""

    def leave_text(self):
        """The C++ statement that ends the function, its result being stored."""
        if not self.options.host:
            return "return;"
        if not self.tries:
            return "return 0;"
        self.tries[-1]["ways"].add(_RETURN)
        return f"return {_RETURN};"

    def jump_text(self, word):
        """break or continue: out of a try statement, if the loop is around it."""
        if not self.tries or self.tries[-1]["loops"] < len(self.loops):
            return f"{word};"
        way = _BREAK if word == "break" else _CONTINUE
        self.tries[-1]["ways"].add(way)
        return f"return {way};"

    def stmt_Raise(self, node):
        call = node.exc
        if call is None:
            if not self.handled:
                raise self.error(node, "no exception is handled here that could be raised again")
            self.emit(f"if ({self.handled[-1]}) return {self.handled[-1]};")
            self.defined = None
            return
        name = call.func if isinstance(call, ast.Call) else call
        kind = self.expr(name).static if name is not None else MISSING
        if not (isinstance(kind, type) and issubclass(kind, Exception)):
            raise self.error(node, "an exception's class is expected", Unsupported)
        if isinstance(call, ast.Call) and call.keywords:
            raise self.error(node, "an exception takes no keywords in compiled functions", Unsupported)
        if self.options.host:
            self.raise_with(node, "true", kind, call.args if isinstance(call, ast.Call) else [])
        else:
            self.emit("return;")
        self.defined = None

    def stmt_Try(self, node):
        if not self.options.host:
            raise self.error(node, "kernels catch no exceptions", Unsupported)
        if not node.finalbody:
            self._try_except(node)
            return
        before = set(self.defined)
        status, ways = self._guarded(lambda: self._try_except(node) if node.handlers else self.block(node.body, True))
        after = self.defined
        self.defined = before if after is None else before & after
        self.block(node.finalbody, True)
        left = self.defined
        if left is not None:
            self._leave(status, ways)
            self.emit(f"if ({status} > 0) return {status};")
        self.defined = None if after is None or left is None else after | left

    def _guarded(self, walk):
        """Emits what `walk` emits as a lambda; the name of its status, and the ways in which it is left."""
        status = self.new_name("status")
        self.tries.append({"loops": len(self.loops), "ways": set()})
        _, lines = self.captured(walk)
        ways = self.tries.pop()["ways"]
        self.emit(f"const int32_t {status} = [&]() -> int32_t {{")
        self.lines += lines
        self.emit("return 0; }();")
        return status, ways

    def _leave(self, status, ways):
        """Goes on with a return, break or continue out of a lambda."""
        if _RETURN in ways:
            self.emit(f"if ({status} == {_RETURN}) {self.leave_text()}")
        for way, word in ((_BREAK, "break"), (_CONTINUE, "continue")):
            if way in ways:
                self.emit(f"if ({status} == {way}) {self.jump_text(word)}")

    def _try_except(self, node):
        before = set(self.defined)
        status, ways = self._guarded(lambda: self.block(node.body, True))
        after_body = self.defined
        self._leave(status, ways)
        self.emit(f"if ({status} > 0) {{")
        ends, everything = [], False
        for handler in node.handlers:
            condition, everything = self._caught(handler, status)
            self.emit(f"if ({condition}) {{")
            self.defined = set(before)
            self.handled.append(status)
            self.block(handler.body, True)
            self.handled.pop()
            ends.append(self.defined)
            self.emit("} else")
        self.emit("{}" if everything else f"return {status};")
        self.emit("} else {")
        self.defined = after_body
        if self.defined is not None:
            self.block(node.orelse, True)
        ends.append(self.defined)
        self.emit("}")
        reached = [end for end in ends if end is not None]
        self.defined = set.intersection(*reached) if reached else None

    def _caught(self, handler, status):
        """The C++ condition of a handler, and whether it catches everything."""
        if handler.name:
            raise self.error(handler, "`except ... as name` is not supported: exceptions are no values", Unsupported)
        if handler.type is None:
            return "true", True
        value = self.expr(handler.type)
        kinds = [v.static for v in value.items] if value.is_tuple else [value.static]
        if not all(isinstance(k, type) and issubclass(k, BaseException) for k in kinds):
            raise self.error(handler, "classes of exceptions are expected")
        if any(k in (Exception, BaseException) for k in kinds):
            return "true", True
        return f"{self.unit.catcher(tuple(kinds))}({status})", False

    def stmt_Assert(self, node):
        test = self.condition(node.test)
        if self.options.host:
            self.raise_with(node, f"!({test.text})", AssertionError, [] if node.msg is None else [node.msg])

    def raise_with(self, node, condition, kind, expressions):
        """Ends the function with kind(*expressions), where a condition holds; they are computed only then."""
        self.emit(f"if (__builtin_expect({condition}, 0)) {{")
        before = set(self.defined)
        self.raise_values(node, kind, [self.materialize(self.expr(e)) for e in expressions])
        self.defined = before
        self.emit("}")

    def raise_values(self, node, kind, values):
        """Ends the function with kind(*values)."""
        arguments = []
        for value in values:
            if value.const is MISSING:
                value = self.textual(value)
                self.note_value(node, value)
            arguments.append(value.type if value.const is MISSING else value.const)
        site = self.unit.site(kind, "", self.source, node or self.statement, tuple(arguments))
        if any(value.const is MISSING for value in values):
            self.emit(f"gp_note_end(cx, {site});")
        self.emit(f"return {site};")

    def note_value(self, node, value):
        """Emits what notes a value for the exception that is raised next."""
        if value.is_tuple:
            for item in value.items:
                self.note_value(node, item)
        elif value.type is types.none:
            self.emit("gp_note_none(cx);")
        elif value.is_number:
            wide = _WIDE[value.type.kind]
            text = f"{value.text}.real(), {value.text}.imag()" if value.type.kind == "c" else value.text
            self.emit(f"gp_note(cx, {wide}({text}));")
        elif value.type is types.unicode_type:
            self.emit(f"gp_note_any(cx, 't', {value.text}.size(), 0, 0, {value.text}.data());")
        elif value.type is not types.unknown:
            raise self.error(node, f"an argument of an exception cannot be {value.type}", Unsupported)

    def raise_if(self, condition, kind, message, node):
        """Ends the function with an exception, where a condition holds; kernels raise nothing."""
        if not self.options.host:
            return
        site = self.unit.site(kind, message, self.source, node or self.statement)
        self.emit(f"if (__builtin_expect({condition}, 0)) return {site};")
