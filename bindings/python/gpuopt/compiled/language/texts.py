# bindings/python/gpuopt/compiled/language/texts.py -- texts in compiled functions.
"""A text that is written in the function is known when it is compiled, and stays so as long as it can: it may be a
dtype's name. Where it meets what is not known, or a variable that is bound again, it becomes a value of the type
unicode_type. What Python writes of floats, and formats, Python writes."""

import ast

from .. import types
from ..errors import Unsupported
from ..indexing import Slice
from ..loops import Iteration
from ..values import MISSING, Value, cast, constant, of_object, static
from .host_calls import HOST_ERROR

TEXT = types.unicode_type
_SIGNS = ("==", "!=", "<", "<=", ">", ">=")


def is_text(value):
    """Whether a value is a text, known or not."""
    return value.type is TEXT or isinstance(value.static, str)


class TextMixin:
    """Texts of a function."""

    # ---- Known texts as values ---------------------------------------------------------------------------------

    def textual(self, value):
        """A value with known texts in it as values of unicode_type; kernels have none."""
        if not self.options.host:
            return value
        if isinstance(value.static, str):
            name, n = self.unit.text_constant(value.static), len(value.static)
            return Value(TEXT, f"gp_str_const({name}, {n})")
        if value.is_tuple:
            items = [self.textual(v) for v in value.items]
            if any(a is not b for a, b in zip(items, value.items)):
                made = Value(value.type.of(v.type for v in items), items=items)
                return made if type(value) is Value else type(value)(made.type, items=items)
        return value

    def stays_static(self, name):
        """Whether a known text that gets a name can stay known."""
        once = self.stores[name] == 1 and name not in self.parameters
        return once or not self.options.host or (self.depth == 0 and name not in self.rebound)

    def text_held(self, text):
        """A text that is computed here."""
        made = self.temp(TEXT, text)
        self._check_memory(f"{made.text}.size() < 0")
        return made

    # ---- Operations --------------------------------------------------------------------------------------------

    def text_operation(self, node, sign, left, right):
        """+ and * of texts."""
        if sign == "+" and is_text(left) and is_text(right):
            return self.text_sum([left, right])
        one, count = (right, left) if left.is_number else (left, right)
        if sign == "*" and count.is_number and count.type.kind in "biu":
            return self.text_held(f"gp_str_times(cx, {self.textual(one).text}, {cast(count, types.int64).text})")
        raise self.error(node, f"unsupported operand types for {sign}: {left.type} and {right.type}")

    def text_sum(self, parts):
        """Texts, one behind the other."""
        texts = [self.textual(p).text for p in parts]
        if len(texts) < 2:
            return Value(TEXT, texts[0]) if texts else static("")
        name = self.new_name("s")
        self.emit(f"const gp_str {name}[] = {{{', '.join(texts)}}};")
        return self.text_held(f"gp_str_all(cx, {name}, {len(texts)})")

    def text_compare(self, node, sign, left, right):
        """A comparison of a text."""
        if not (is_text(left) and is_text(right)):
            if sign in ("==", "!="):
                return constant(sign == "!=")
            raise self.error(node, f"unsupported operand types for {sign}: {left.type} and {right.type}")
        a, b = self.textual(left).text, self.textual(right).text
        if sign in ("==", "!="):
            return self.temp(types.boolean, f"{'!' if sign == '!=' else ''}gp_equal({a}, {b})")
        return self.temp(types.boolean, f"gp_str_order({a}, {b}) {sign} 0")

    def text_contains(self, node, whole, part):
        """The C++ condition of `part in whole`."""
        if not is_text(part):
            raise self.error(node, f"'in <string>' requires string as left operand, not {part.type}")
        return f"gp_str_find({self.textual(whole).text}, {self.textual(part).text}, 0) >= 0"

    def text_item(self, node, value, index):
        """value[index]"""
        value = self.textual(value)
        if isinstance(index.static, Slice):
            start, n, step = self.slice_parts(node, f"{value.text}.size()", index.static)
            return self.text_held(f"gp_str_steps(cx, {value.text}, {start}, {n}, {step})")
        if not index.is_number or index.type.kind not in "biu":
            raise self.error(node, f"string indices must be integers, not {index.type}")
        at = self.position(node, f"{value.text}.size()", index, "string index out of range")
        return self.temp(TEXT, f"gp_str_part({value.text}, {at}, 1)")

    def text_iteration(self, value):
        """Over the letters of a text."""
        held = self.temp(TEXT, self.textual(value).text)
        return Iteration(f"{held.text}.size()", lambda i: self.temp(TEXT, f"gp_str_part({held.text}, {i}, 1)"))

    # ---- What is written of values -----------------------------------------------------------------------------

    def written(self, node, value, spec=None, quoted=False):
        """The parts of the text that Python writes of a value: str(), with quoted repr(), with a spec format()."""
        value = self.materialize(value)
        if value.const is not MISSING and not isinstance(value.const, type):
            return [static(format(value.const, spec) if spec else repr(value.const) if quoted else str(value.const))]
        if spec:
            return [self._formatted(node, value, spec)]
        if value.is_tuple:
            cls, n = value.type.python, len(value.items)
            names = [""] * n if cls is tuple else [f"{name}=" for name in cls._fields]
            parts = [static("(" if cls is tuple else f"{cls.__name__}(")]
            for k, (name, item) in enumerate(zip(names, value.items)):
                parts += [static((", " if k else "") + name), *self.written(node, item, quoted=True)]
            return [*parts, static(",)" if n == 1 and cls is tuple else ")")]
        if value.type is TEXT and not quoted:
            return [value]
        if value.is_number and value.type.kind in "iu":
            wide = types.int64 if value.type.kind == "i" else types.uint64
            return [self.text_held(f"gp_str_decimal(cx, {cast(value, wide).text})")]
        if value.is_number and value.type.kind == "b":
            yes, no = self.textual(static("True")).text, self.textual(static("False")).text
            return [self.temp(TEXT, f"{value.text} ? {yes} : {no}")]
        return [self._formatted(node, value, "r" if quoted else "")]

    def _formatted(self, node, value, spec):
        """The text that Python's format() gives; of a text with the spec "r" the one that repr() gives."""
        if not self.options.runtime:
            raise self.error(node, "this text is not for functions that C calls", Unsupported)
        if value.type is TEXT:
            kind = "q" if spec == "r" else "t"
            numbers, data = f"{value.text}.size(), 0, 0", f"{value.text}.data()"
        elif value.is_number:
            kind, data = value.type.kind, "nullptr"
            numbers = {
                "c": f"0, double({value.text}.real()), double({value.text}.imag())",
                "f": f"0, double({value.text}), 0",
            }.get(kind, f"int64_t({value.text}), 0, 0")
            spec = "" if spec == "r" else spec
        else:
            raise self.error(node, f"the text of {value.type} is not supported", Unsupported)
        asked = self.textual(static(spec)).text
        made = self.temp(TEXT, f"gp_str_format(cx, '{kind}', {numbers}, {data}, {asked})")
        self.raise_if(f"{made.text}.size() < 0", ValueError, HOST_ERROR, node)
        return made

    def text_of(self, node, value, spec=None, quoted=False):
        """The same as one text."""
        parts = self.written(node, value, spec, quoted)
        if all(isinstance(p.static, str) for p in parts):
            return static("".join(p.static for p in parts))
        return self.text_sum(parts)

    def expr_JoinedStr(self, node):
        """A formatted text."""
        parts = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self.expr(part.value)
                if value.type is types.unknown:
                    return Value(types.unknown, "0")
                spec, quoted = self.spec_of(part), part.conversion == 114
                if spec and part.conversion != -1:
                    value, quoted = self.text_of(part, value, quoted=quoted), False
                parts += self.written(part, value, spec, quoted)
            else:
                parts.append(self.expr(part))
        if all(isinstance(p.static, str) for p in parts):
            return static("".join(p.static for p in parts))
        if not self.options.host:
            raise self.error(node, "kernels make no texts", Unsupported)
        return self.text_sum(parts)

    def spec_of(self, part):
        """The format of a part of a formatted text."""
        spec = part.format_spec
        if part.conversion not in (-1, 115, 114):
            raise self.error(part, "!a is not supported", Unsupported)
        if spec is None:
            return ""
        if not all(isinstance(v, ast.Constant) for v in spec.values):
            raise self.error(part, "a format is a constant", Unsupported)
        return "".join(v.value for v in spec.values)

    # ---- Python's functions ------------------------------------------------------------------------------------

    def call_builtins_str(self, node, value=None):
        return static("") if value is None else self._whole_text(node, value, False)

    def call_builtins_repr(self, node, value):
        return self._whole_text(node, value, True)

    def _whole_text(self, node, value, quoted):
        made = self.text_of(node, value, quoted=quoted)
        if made.type is TEXT and not self.options.host:
            raise self.error(node, "kernels make no texts", Unsupported)
        return made

    def call_builtins_ord(self, node, value):
        if not is_text(value):
            raise self.error(node, f"ord() expected string of length 1, but {value.type} found")
        value = self.textual(value)
        message = "ord() expected a character, but string of length %d found"
        self.emit(f"cx->detail[0] = {value.text}.size();")
        self.raise_if(f"{value.text}.size() != 1", TypeError, message, node)
        return self.temp(types.int64, f"int64_t({value.text}.data()[0])")

    def call_builtins_chr(self, node, value):
        if not value.is_number or value.type.kind not in "biu":
            raise self.error(node, f"an integer is expected, not {value.type}")
        code = self.temp(types.int64, cast(value, types.int64).text).text
        self.raise_if(f"uint64_t({code}) >= 0x110000", ValueError, "chr() arg not in range(0x110000)", node)
        return self.text_held(f"gp_str_char(cx, {code})")

    # ---- Methods -----------------------------------------------------------------------------------------------

    def text_call(self, node, target, name, args, keywords):
        """target.name(...) of a text."""
        if MISSING not in (target.const, *(v.const for v in args)) and not keywords:
            try:
                found = getattr(target.const, name)(*(v.const for v in args))
            except (AttributeError, TypeError, ValueError) as error:
                raise self.error(node, str(error)) from None
            if isinstance(found, (str, bool, int)):
                return of_object(found)
        handler = getattr(self, f"text_method_{name}", None)
        if handler is None:
            raise self.error(node, f"Unknown attribute {name!r} of type {TEXT}")
        texts = [self.textual(v) for v in (target, *args)]
        if name != "join" and any(v.type is not TEXT for v in texts):
            raise self.error(node, f"{name}() takes texts, not {', '.join(str(v.type) for v in args)}", Unsupported)
        return self._handled(node, name, handler, texts, keywords)

    def _text_test(self, text):
        return self.temp(types.boolean, text)

    def text_method_startswith(self, node, target, part):
        return self._text_test(f"gp_str_begins({target.text}, {part.text})")

    def text_method_endswith(self, node, target, part):
        return self._text_test(f"gp_str_ends({target.text}, {part.text})")

    def text_method_find(self, node, target, part):
        return self.temp(types.int64, f"gp_str_find({target.text}, {part.text}, 0)")

    def text_method_rfind(self, node, target, part):
        return self.temp(types.int64, f"gp_str_rfind({target.text}, {part.text})")

    def text_method_index(self, node, target, part):
        at = self.text_method_find(node, target, part)
        self.raise_if(f"{at.text} < 0", ValueError, "substring not found", node)
        return at

    def text_method_count(self, node, target, part):
        return self.temp(types.int64, f"gp_str_count({target.text}, {part.text})")

    def text_method_strip(self, node, target):
        return self.temp(TEXT, f"gp_words_strip({target.text}, true, true)")

    def text_method_lstrip(self, node, target):
        return self.temp(TEXT, f"gp_words_strip({target.text}, true, false)")

    def text_method_rstrip(self, node, target):
        return self.temp(TEXT, f"gp_words_strip({target.text}, false, true)")

    def text_method_replace(self, node, target, before, after):
        return self.text_held(f"gp_words_replace(cx, {target.text}, {before.text}, {after.text})")

    def text_method_split(self, node, target, by=None):
        if by is None:
            return self._list_made(types.List(TEXT), f"gp_words_split(cx, {target.text})")
        self.raise_if(f"{by.text}.size() == 0", ValueError, "empty separator", node)
        return self._list_made(types.List(TEXT), f"gp_words_split(cx, {target.text}, {by.text})")

    def text_method_join(self, node, target, words):
        made = self.call_builtins_list(node, words)
        made = self.as_list(node, made, types.List(TEXT))
        if made.type is types.unknown or types.has_unknown(made.type):
            return Value(TEXT, self.textual(static("")).text)
        if made.type != types.List(TEXT):
            raise self.error(node, f"join() takes texts, not {words.type}")
        return self.text_held(f"gp_words_join(cx, {target.text}, {made.text})")
