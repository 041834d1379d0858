# bindings/python/gpuopt/compiled/expressions.py -- expressions: operators, comparisons, names, attributes.
import ast

from . import types
from .errors import Unsupported
from .language import extending
from .language.sets import is_set
from .language.texts import TEXT, is_text
from .values import (
    MISSING,
    Items,
    Value,
    cast,
    constant,
    of_object,
    static,
    truth,
    tuple_of,
)

_SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not",
}  # fmt: skip
_WRAPPING = {"+": "gp_add", "-": "gp_sub", "*": "gp_mul"}
_HELPERS = {"//": "gp_floordiv", "%": "gp_mod", "**": "gp_pow"}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def symbol(operator):
    """How an operator is written."""
    return _SYMBOLS[type(operator)]


class ExpressionMixin:
    """Expressions of a function."""

    def expr(self, node):
        """The value of an expression; what it has to compute first is emitted."""
        method = getattr(self, "expr_" + type(node).__name__, None)
        if method is None:
            raise self.error(node, f"{type(node).__name__} expressions are not supported", Unsupported)
        return method(node)

    def number(self, node):
        """A number, or an unknown value; TypingError for all else."""
        value = self.expr(node)
        if not value.is_number and value.type is not types.unknown:
            raise self.error(node, f"a number is expected, not {value.type}")
        return value

    def integer(self, node):
        """An integer as int64."""
        value = self.number(node)
        if value.type is not types.unknown and value.type.kind not in "biu":
            raise self.error(node, f"an integer is expected, not {value.type}")
        return value if value.type is types.unknown else cast(value, types.int64)

    def expr_Constant(self, node):
        value = node.value
        if isinstance(value, (bool, int, float, complex)) or value is None:
            if isinstance(value, int) and not -(2**63) <= value < 2**64:
                raise self.error(node, "the integer does not fit in 64 bits")
            return constant(value)
        return static(value)

    def expr_Name(self, node):
        return self.load_name(node)

    def load_global(self, node, name):
        try:
            return self.object_value(self.source.lookup(name))
        except KeyError:
            raise self.error(node, f"name {name!r} is not defined") from None

    def object_value(self, value):
        """A Python object as a value; an array becomes a constant of the text."""
        if (
            not isinstance(value, type)
            and hasattr(value, "__array_interface__")
            and getattr(value, "ndim", 0)
            and hasattr(value, "flags")
        ):
            return self.captured_array(value)
        return of_object(value)

    def expr_Tuple(self, node):
        return tuple_of(self.materialize(self.expr(e)) for e in node.elts)

    # ---- Operators ---------------------------------------------------------------------------------------------

    def expr_BinOp(self, node):
        return self.binary(node, node.op, self.expr(node.left), self.expr(node.right))

    def binary(self, node, operator, left, right):
        """left OPERATOR right."""
        sign = symbol(operator) if isinstance(operator, ast.AST) else operator
        if sign == "@":
            return self.matrix_product(node, left, right)
        if types.unknown in (left.type, right.type):
            return Value(types.unknown, "0")
        if any(v.type is TEXT for v in (left, right)) or self._is_repeated(sign, left, right):
            return self.text_operation(node, sign, left, right)
        if any(isinstance(v, Items) for v in (left, right)) and self.options.host:
            left, right = self._as_lists(node, left, right)
        if any(isinstance(v.type, types.List) for v in (left, right)):
            return self.list_operation(node, sign, left, right)
        if left.is_number and right.is_number:
            return self._number_operation(node, sign, left, right)
        if is_set(left) or is_set(right):
            return self.set_operation(node, sign, left, right)
        if (left.is_array or right.is_array) and all(v.is_array or v.is_number for v in (left, right)):
            return self.array_operation(node, sign, left, right)
        if sign == "+" and left.is_tuple and right.is_tuple:
            return tuple_of(left.items + right.items)
        if isinstance(left.static, (str, list)) or isinstance(right.static, (str, list)):
            return self._static_operation(node, sign, left, right)
        raise self.error(node, f"unsupported operand types for {sign}: {left.type} and {right.type}")

    def _is_repeated(self, sign, left, right):
        """Whether it is a known text times a number that is not known."""
        return sign == "*" and any(isinstance(v.static, str) for v in (left, right)) and MISSING in (
            left.const, right.const
        )

    def _as_lists(self, node, left, right):
        """Both, literals of lists as lists, if no array is there that takes their items."""
        if left.is_array or right.is_array:
            return left, right
        return self.as_list(node, left, right.type), self.as_list(node, right, left.type)

    def _static_operation(self, node, sign, left, right):
        if MISSING in (left.const, right.const) or sign not in ("+", "*", "%"):
            raise self.error(node, f"unsupported operand types for {sign}: {left.type} and {right.type}")
        return of_object(eval(f"a {sign} b", {}, {"a": left.const, "b": right.const}))

    def _number_operation(self, node, sign, left, right):
        t = self.result_type(node, sign, left.type, right.type)
        folded = _folded(sign, left, right, t)
        if folded is not None:
            return folded
        if sign == "**" and left.type.kind == "f" and right.const == 2 and right.type.kind in "biu":
            x = cast(left, t)
            return self.temp(t, f"{x.text} * {x.text}")
        count = sign in ("<<", ">>")
        a, b = cast(left, t), cast(right, types.int64 if count else t)
        if self.options.python_errors and sign in ("/", "//", "%") and t.kind != "c":
            self._check_divisor(node, sign, left, b)
        return self.temp(t, operation_text(sign, t, a.text, b.text))

    def _check_divisor(self, node, sign, left, b):
        if b.const is MISSING or b.const == 0:
            message = "division by zero" if sign != "%" else "integer modulo by zero"
            if b.type.kind == "f" and sign != "/":
                message = "float floor division by zero" if sign == "//" else "float modulo by zero"
            elif sign == "//":
                message = "integer division or modulo by zero"
            self.raise_if(f"{b.text} == 0", ZeroDivisionError, message, node)

    def result_type(self, node, sign, a, b):
        """The type of an operation on two numbers."""
        kinds = a.kind + b.kind
        if sign in ("&", "|", "^", "<<", ">>"):
            if "f" in kinds or "c" in kinds:
                raise self.error(node, f"unsupported operand types for {sign}: {a} and {b}")
            if sign in ("<<", ">>"):
                return types.uint64 if a.kind == "u" else types.int64
            return types.boolean if kinds == "bb" else types.arithmetic(a, b)
        if sign in ("//", "%") and "c" in kinds:
            raise self.error(node, f"unsupported operand types for {sign}: {a} and {b}")
        if sign == "/":
            return types.division(a, b)
        if sign == "**" and a.kind == "f" and b.kind in "biu":
            return types.float32 if a.bytes <= 4 else types.float64
        return types.arithmetic(a, b)

    def expr_UnaryOp(self, node):
        sign = symbol(node.op)
        if sign == "not":
            value = self.condition(node.operand)
            if value.const is not MISSING:
                return constant(not value.const)
            return self.temp(types.boolean, f"!{value.text}")
        return self.unary(node, sign, self.expr(node.operand))

    def unary(self, node, sign, value):
        if value.type is types.unknown:
            return value
        if value.is_array:
            return self.array_unary(node, sign, value)
        if not value.is_number or (sign == "~" and value.type.kind in "fc"):
            raise self.error(node, f"unsupported operand type for unary {sign}: {value.type}")
        if value.const is not MISSING and sign in "+-" and value.type.kind != "b":
            result = -value.const if sign == "-" else value.const
            if type(result) is not int or -(2**63) <= result < 2**63:
                return constant(result)
        if sign == "~" and value.type.kind == "b":
            return self.temp(types.boolean, f"!{value.text}")
        t = types.arithmetic(value.type, value.type)
        if sign == "~" and value.type.kind == "u":  # of as many bits as the operand has
            return self.temp(t, f"{t.cpp}({value.type.cpp}(~{value.text}))")
        x = cast(value, t).text
        text = f"gp_sub({t.cpp}(0), {x})" if sign == "-" and t.kind in "iu" else f"{sign}{x}"
        return self.temp(t, text)

    # ---- Conditions --------------------------------------------------------------------------------------------

    def condition(self, node):
        """An expression as a truth value."""
        return self.truth_value(node, self.expr(node))

    def truth_value(self, node, value):
        if value.const is not MISSING:
            return constant(bool(value.const))
        if value.type is types.unknown:
            return Value(types.boolean, "false")
        if value.is_number:
            return Value(types.boolean, truth(value))
        if value.is_tuple:
            return constant(bool(value.items))
        if isinstance(value.type, types.List):
            return Value(types.boolean, f"({value.text}.size() != 0)")
        if value.type is TEXT:
            return Value(types.boolean, f"({value.text}.size() != 0)")
        if isinstance(value.type, types.Dict):
            return Value(types.boolean, f"({self.dict_length(value).text} != 0)")
        if value.is_array and value.type.ndim == 0:
            return self.truth_value(node, self.load_place(self.place_at(node, self.materialize(value), [])))
        raise self.error(node, f"the truth value of {value.type} is ambiguous: use a.any() or a.all()")

    def expr_Compare(self, node):
        left = self.expr(node.left)
        result = self._compare(node, node.ops[0], left, node.comparators[0])
        if len(node.ops) == 1:
            return result[0]
        name = self.new_name("c")
        self.emit(f"bool {name} = {truth(result[0])};")
        left = result[1]
        for operator, other in zip(node.ops[1:], node.comparators[1:]):
            self.emit(f"if ({name}) {{")
            value, left = self._compare(node, operator, left, other)
            self.emit(f"{name} = {truth(value)};")
        self.emit("}" * (len(node.ops) - 1))
        return Value(types.boolean, name)

    def _compare(self, node, operator, left, other):
        right = self.expr(other)
        if isinstance(operator, (ast.Is, ast.IsNot)):
            same = self._is(node, left, right)
            return constant(same if isinstance(operator, ast.Is) else not same), right
        if isinstance(operator, (ast.In, ast.NotIn)):
            return self._contains(node, left, right, isinstance(operator, ast.NotIn)), right
        return self.compare(node, symbol(operator), left, right), right

    def _is(self, node, left, right):
        if types.none in (left.type, right.type):
            return left.type == right.type
        if MISSING not in (left.const, right.const):
            return left.const is right.const
        raise self.error(node, "`is` is for None only: values of compiled functions have no identity")

    def _contains(self, node, left, right, negated):
        if is_text(right) and left.type is not types.unknown:
            if MISSING not in (left.const, right.const):
                return constant((left.const in right.const) != negated)
            text = self.text_contains(node, right, left)
            return self.temp(types.boolean, f"!({text})" if negated else text)
        if isinstance(right.type, types.List):
            if types.unknown in (left.type, right.type.element):
                return Value(types.boolean, "false")
            text = self.list_contains(node, right, left)
            return self.temp(types.boolean, f"!({text})" if negated else text)
        if isinstance(right.type, types.Dict):
            if types.has_unknown(right.type) or left.type is types.unknown:
                return Value(types.boolean, "false")
            text = self.dict_contains(node, right, left)
            return self.temp(types.boolean, f"!({text})" if negated else text)
        if right.is_array:
            found = self.reduction(node, "any", self.array_operation(node, "==", right, left), None)
            return self.temp(types.boolean, f"!{found.text}" if negated else found.text)
        if not right.is_tuple:
            raise self.error(node, f"`in` is for tuples, not {right.type}", Unsupported)
        tests = [truth(self.compare(node, "==", left, item)) for item in right.items]
        text = " || ".join(tests) or "false"
        return self.temp(types.boolean, f"!({text})" if negated else text)

    def compare(self, node, sign, left, right):
        """A comparison of two values."""
        if types.unknown in (left.type, right.type):
            return Value(types.boolean, "false")
        if left.is_number and right.is_number:
            return self._compare_numbers(node, sign, left, right)
        if TEXT in (left.type, right.type) and not (left.is_array or right.is_array):
            return self.text_compare(node, sign, left, right)
        if left.is_array or right.is_array:
            return self.array_operation(node, sign, left, right)
        if any(isinstance(v.type, types.List) for v in (left, right)):
            return self.list_operation(node, sign, *self._as_lists(node, left, right))
        if is_set(left) or is_set(right):
            return self.set_operation(node, sign, left, right)
        if left.is_tuple and right.is_tuple:
            equal = sign in ("==", "!=")
            return (self._compare_tuples if equal else self._order_tuples)(node, sign, left, right)
        if MISSING not in (left.const, right.const):
            return constant(bool(eval(f"a {sign} b", {}, {"a": left.const, "b": right.const})))
        raise self.error(node, f"unsupported operand types for {sign}: {left.type} and {right.type}")

    def _compare_numbers(self, node, sign, left, right):
        if MISSING not in (left.const, right.const):
            return constant(bool(eval(f"a {sign} b", {}, {"a": left.const, "b": right.const})))
        text = comparison_text(sign, left, right)
        if text is None:
            raise self.error(node, f"unsupported operand types for {sign}: {left.type} and {right.type}")
        return self.temp(types.boolean, text)

    def _compare_tuples(self, node, sign, left, right):
        if len(left.items) != len(right.items):
            return constant(sign == "!=")
        tests = [truth(self.compare(node, "==", a, b)) for a, b in zip(left.items, right.items)]
        text = " && ".join(tests) or "true"
        return self.temp(types.boolean, text if sign == "==" else f"!({text})")

    def _order_tuples(self, node, sign, left, right):
        """By the first items that differ, or by the lengths."""
        text = truth(constant(bool(eval(f"a {sign} b", {}, {"a": len(left.items), "b": len(right.items)}))))
        for a, b in list(zip(left.items, right.items))[::-1]:
            same, ordered = truth(self.compare(node, "==", a, b)), truth(self.compare(node, sign, a, b))
            text = f"({same} ? {text} : {ordered})"
        return self.temp(types.boolean, text)

    def expr_BoolOp(self, node):
        """a and b, a or b: one of the operands."""
        return self._bool_of(node, list(node.values), isinstance(node.op, ast.And))

    def _bool_of(self, node, operands, both):
        first = self.as_list(node, self.materialize(self.expr(operands[0])))
        if len(operands) == 1:
            return first
        test = self.truth_value(node, first)
        if test.const is not MISSING:
            return self._bool_of(node, operands[1:], both) if bool(test.const) == both else first
        rest, lines = self.captured(lambda: self.materialize(self._bool_of(node, operands[1:], both)))
        condition = test.text if both else f"!{test.text}"
        return self._joined(node, condition, (rest, lines), (first, []))

    def expr_IfExp(self, node):
        test = self.condition(node.test)
        if test.const is not MISSING:
            return self.expr(node.body if test.const else node.orelse)
        body = self.captured(lambda: self.as_list(node, self.materialize(self.expr(node.body))))
        other = self.captured(lambda: self.as_list(node, self.materialize(self.expr(node.orelse))))
        return self._joined(node, test.text, body, other)

    def _joined(self, node, condition, one, other):
        """The value of one of two branches."""
        if one[0].type != other[0].type:
            one, other = ((self.textual(value), lines) for value, lines in (one, other))
        t = types.unify(one[0].type, other[0].type)
        if t is None:
            raise self.error(node, f"cannot unify {one[0].type} and {other[0].type}")
        name = self.new_name("j")
        for declared, at in self._declared(name, t):
            if not types.has_unknown(declared):
                self.emit(f"{declared.cpp} {at}{{}};")
        self.emit(f"if ({condition}) {{")
        for k, (value, lines) in enumerate((one, other)):
            self.lines += lines
            self._store(name, value, t, node)
            self.emit("}" if k else "} else {")
        return self._variable(name, t)

    # ---- Attributes --------------------------------------------------------------------------------------------

    def expr_Attribute(self, node):
        value = self.expr(node.value)
        if value.type is types.unknown:
            return value
        made = extending.attribute_for(node.attr, value.type)
        if made is not None:
            return self.call_function(node, made, [value], {})
        if isinstance(value.type, types.Instance):
            return self.instance_attribute(node, value, node.attr)
        if value.is_tuple:
            return self.tuple_attribute(node, value, node.attr)
        if value.is_array:
            return self.array_attribute(node, value)
        if value.is_number:
            return self._number_attribute(node, value)
        target = value.static
        if target is MISSING:
            raise self.error(node, f"Unknown attribute {node.attr!r} of type {value.type}")
        found = self.special_attribute(node, target)
        if found is not None:
            return found
        try:
            return self.object_value(getattr(target, node.attr))
        except AttributeError as error:
            raise self.error(node, str(error)) from None

    def _number_attribute(self, node, value):
        t = value.type
        if node.attr in ("real", "imag"):
            if t.kind == "c":
                part = types.float32 if t.bytes == 8 else types.float64
                return self.temp(part, f"{value.text}.{node.attr}()")
            return value if node.attr == "real" else cast(constant(0), t)
        raise self.error(node, f"Unknown attribute {node.attr!r} of type {t}")


def operation_text(sign, t, a, b):
    """The C++ text of an operation on two numbers of the type t (a shift's count: int64)."""
    if t.kind in "iu" and sign in _WRAPPING:
        return f"{_WRAPPING[sign]}({a}, {b})"
    if sign in _HELPERS:
        return f"{_HELPERS[sign]}({a}, {b})"
    if sign in ("<<", ">>"):
        return f"gp_{'shl' if sign == '<<' else 'shr'}({a}, {b})"
    if t.kind == "b":
        sign = {"+": "||", "*": "&&"}.get(sign, sign)
    return f"{a} {sign} {b}"


def comparison_text(sign, left, right):
    """The C++ text of a comparison of two numbers; None for what has no order."""
    kinds = {left.type.kind, right.type.kind}
    if "c" in kinds:
        if sign not in ("==", "!="):
            return None
        t = types.arithmetic(left.type, right.type)
        return f"{cast(left, t).text} {sign} {cast(right, t).text}"
    if kinds == {"i", "u"}:
        a = f"uint64_t({left.text})" if left.type.kind == "u" else f"int64_t({left.text})"
        b = f"uint64_t({right.text})" if right.type.kind == "u" else f"int64_t({right.text})"
        return f"gp_order({a}, {b}) {sign} 0"
    return f"{left.text} {sign} {right.text}"


def _folded(sign, left, right, t):
    """The constant of an operation on constants, if it is exact."""
    a, b = left.const, right.const
    if MISSING in (a, b) or t.kind not in "iuf" or sign in ("<<", ">>", "**"):
        return None
    if sign in ("/", "//", "%") and b == 0:
        return None
    try:
        result = eval(f"a {sign} b", {}, {"a": a, "b": b})
    except (ArithmeticError, ValueError, TypeError):
        return None
    if t.kind == "f":
        return constant(float(result)) if t is types.float64 else None
    return constant(result) if t is types.int64 and -(2**63) <= result < 2**63 else None
