# bindings/python/gpuopt/compiled/language/sets.py -- sets in compiled functions.
"""A set is a dictionary whose values say nothing. Its items stand in the order in which they came, where Python's have
none that is promised; pop() takes the first."""

from .. import types
from ..errors import Unsupported
from ..values import MISSING, Value

# Which items a method keeps: those of the first set alone, of both, of the second alone.
_KEPT = {
    "union": (True, True, True),
    "intersection": (False, True, False),
    "difference": (True, False, False),
    "symmetric_difference": (True, False, True),
}
_OPERATORS = {"|": "union", "&": "intersection", "-": "difference", "^": "symmetric_difference"}
_IN_PLACE = {"update": "union", **{f"{name}_update": name for name in list(_KEPT)[1:]}}


def is_set(value):
    """Whether a value is a set."""
    return isinstance(value.type, types.Set)


class SetMixin:
    """Sets of numbers, texts and tuples of them. Types are found from what is put in, as for lists."""

    # ---- Making sets -------------------------------------------------------------------------------------------

    def expr_Set(self, node):
        """{a, b, c}"""
        items = [self.textual(self.materialize(v)) for v in self.arguments_of(node.elts)]
        t = types.unknown
        for item in items:
            joined = types.unify(t, item.type)
            if joined is None:
                raise self.error(node, f"items of a set have one type: {t} and {item.type} are given")
            t = joined
        made = self._new_set(node, types.Set(t))
        for item in items:
            self._set_put(node, made, item)
        return made

    def expr_SetComp(self, node):
        return self._set_of(node, self.expr_ListComp(node))

    def call_builtins_set(self, node, values=None):
        if values is None:
            return Value(types.Set(types.unknown), "")
        return self._set_of(node, values)

    def _new_set(self, node, t):
        if not self.options.host:
            raise self.error(node, "kernels make no sets", Unsupported)
        return Value(t, "") if types.has_unknown(t) else self.new_dict(node, t)

    def _set_of(self, node, values):
        """A new set of the items of what can be iterated over."""
        values = self.call_builtins_list(node, values)
        if values.is_tuple or types.has_unknown(values.type):
            return Value(types.Set(types.unknown), "")
        made = self._new_set(node, types.Set(values.type.element))
        self._check_memory(f"!gp_set_update(cx, {made.text}, {values.text})")
        return made

    def _set_put(self, node, target, item):
        if not types.has_unknown(target.type) and item.type is not types.unknown:
            self._check_memory(f"!{target.text}->put(cx, {self.packed_text(node, item, target.type.key)}, true)")

    def _as_set(self, node, value, t):
        """What can be iterated over as a set of the type t."""
        made = value if is_set(value) else self._set_of(node, value)
        if types.has_unknown(made.type):
            return self.new_dict(node, t)
        return made if made.type == t else self._set_as(node, made, t)

    def _set_as(self, node, value, t):
        """A set with its items as another type."""
        items = self._converted(self.dict_list(value, "keys"), t.key)
        if items.type.element != t.key:
            raise self.error(node, f"a {value.type} cannot become a {t}")
        return self._set_of(node, items)

    # ---- Operations --------------------------------------------------------------------------------------------

    def _both_sets(self, node, left, right):
        """Both as sets of the type that holds the items of both; None if that is not known yet."""
        right = right if is_set(right) else self._set_of(node, right)
        t = types.unify(left.type, right.type)
        if t is None:
            raise self.error(node, f"{left.type} and {right.type} have no items in common")
        return None if types.has_unknown(t) else [self._as_set(node, v, t) for v in (left, right)]

    def set_operation(self, node, sign, left, right):
        """| & - ^ and comparisons of sets."""
        if not (is_set(left) and is_set(right)):
            raise self.error(node, f"unsupported operand types for {sign}: {left.type} and {right.type}")
        if sign in _OPERATORS:
            return self._combined(node, _OPERATORS[sign], left, right)
        both = self._both_sets(node, left, right)
        if both is None:
            return Value(types.boolean, "false")
        a, b = (v.text for v in (both if sign[0] in "<=!" else both[::-1]))
        if sign in ("==", "!="):
            return self.temp(types.boolean, f"{'!' if sign == '!=' else ''}gp_set_equal({a}, {b})")
        strictly = f" && {a}->live != {b}->live" if len(sign) == 1 else ""
        return self.temp(types.boolean, f"gp_set_within({a}, {b}){strictly}")

    def _combined(self, node, name, left, right):
        both = self._both_sets(node, left, right)
        if both is None:
            return Value(types.Set(types.unknown), "")
        kept = ", ".join(str(k).lower() for k in _KEPT[name])
        text = f"gp_set_combine(cx, {both[0].text}, {both[1].text}, {kept})"
        return self._list_made(both[0].type, text)

    # ---- Methods -----------------------------------------------------------------------------------------------

    def set_call(self, node, target, name, args):
        """target.name(*args)"""
        if name in ("add", "discard", "remove", "pop", "clear", "update") or name in _IN_PLACE:
            self.check_not_shared(node, node.func.value)
        if name in ("add", "update") and args:
            target = self._set_refined(node, target, name, args)
        handler = getattr(self, f"set_method_{name}", None)
        if name in _IN_PLACE or name in _KEPT:
            return self._set_combined_with(node, target, name, args)
        if handler is None:
            raise self.error(node, f"Unknown attribute {name!r} of type {target.type}")
        if types.has_unknown(target.type):
            nothing = name in ("add", "discard", "remove", "clear")
            return Value(types.unknown, "0", const=None if nothing else MISSING)
        return self._handled(node, name, handler, [target, *args], {})

    def _set_refined(self, node, target, name, args):
        """The target, its type being known from what is put in."""
        args[0] = self.textual(self.as_list(node, self.materialize(args[0])))
        if name == "update":
            args[0] = self._set_of(node, args[0])
        t = args[0].type if name == "update" else types.Set(args[0].type)
        if types.has_unknown(t):
            return target
        self.refine(node.func.value, t)
        return self.expr(node.func.value) if types.has_unknown(target.type) else target

    def _set_combined_with(self, node, target, name, args):
        """union() and its like of any number of arguments, and what does so in place."""
        in_place, made = name in _IN_PLACE, target
        for other in args:
            made = self._combined(node, _IN_PLACE.get(name, name), made, other)
        if not in_place:
            return self.set_method_copy(node, made) if made is target else made
        if args and not types.has_unknown(target.type) and not types.has_unknown(made.type):
            made = self._as_set(node, made, target.type)
            self.emit(f"{target.text}->take_all(*{made.text}.operator->());")
        return Value(types.none, const=None)

    def set_method_add(self, node, target, item):
        self._set_put(node, target, item)
        return Value(types.none, const=None)

    def set_method_discard(self, node, target, item):
        at = self._key_or_none(node, target, item)
        self.emit(f"if ({at} >= 0) {target.text}->take({at});")
        return Value(types.none, const=None)

    def set_method_remove(self, node, target, item):
        self.dict_delete(node, target, item)
        return Value(types.none, const=None)

    def set_method_pop(self, node, target):
        self.raise_if(f"{target.text}->live == 0", KeyError, "pop from an empty set", node)
        return self.held(f"gp_set_pop({target.text})", target.type.key)

    def set_method_clear(self, node, target):
        self.emit(f"{target.text}->clear();")
        return Value(types.none, const=None)

    def set_method_copy(self, node, target):
        return self._set_of(node, self.dict_list(target, "keys")) if target.text else target

    def set_method_issubset(self, node, target, other):
        return self.set_operation(node, "<=", target, self._set_as_is(node, other))

    def set_method_issuperset(self, node, target, other):
        return self.set_operation(node, ">=", target, self._set_as_is(node, other))

    def set_method_isdisjoint(self, node, target, other):
        common = self._combined(node, "intersection", target, other)
        return self.temp(types.boolean, f"{self.dict_length(common).text} == 0")

    def _set_as_is(self, node, value):
        return value if is_set(value) else self._set_of(node, value)
