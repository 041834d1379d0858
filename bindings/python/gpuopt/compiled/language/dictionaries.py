# bindings/python/gpuopt/compiled/language/dictionaries.py -- dictionaries in compiled functions.
import ast

from .. import types
from ..errors import Unsupported
from ..values import MISSING, Value, cast, constant, truth


class DictMixin:
    """Dictionaries, whose keys are numbers or tuples of them. Types are found from what is put in, as for lists."""

    def expr_Dict(self, node):
        """{key: value, ...}"""
        if not self.options.host or any(k is None for k in node.keys):
            raise self.error(node, "this dictionary is not supported", Unsupported)
        pairs = [(self.textual(self.expr(k)), self.textual(self.expr(v))) for k, v in zip(node.keys, node.values)]
        t = types.Dict(types.unknown, types.unknown)
        for k, v in pairs:
            joined = types.unify(t, types.Dict(k.type, self.as_list(node, v).type))
            if joined is None:
                raise self.error(node, f"keys and values have one type each: {t}, {k.type} and {v.type} are given")
            t = joined
        if types.has_unknown(t):
            return Value(t, "")
        made = self.new_dict(node, t)
        for k, v in pairs:
            self.dict_put(node, made, k, v)
        return made

    def expr_DictComp(self, node):
        """{key: value for ... in ...}"""
        pairs = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
        made = ast.copy_location(ast.ListComp(pairs, node.generators), node)
        return self.call_builtins_dict(node, self.expr_ListComp(made))

    def call_builtins_dict(self, node, pairs=None):
        if pairs is None:
            return Value(types.Dict(types.unknown, types.unknown), "")
        pairs = self.call_builtins_list(node, pairs)
        if pairs.is_tuple or types.has_unknown(pairs.type):
            return Value(types.Dict(types.unknown, types.unknown), "")
        element = pairs.type.element
        if not (isinstance(element, types.Tuple) and len(element.items) == 2):
            raise self.error(node, f"dict() of {pairs.type}: pairs are expected")
        made, i = self.new_dict(node, types.Dict(*element.items)), self.new_name("i")
        self.emit(f"for (int64_t {i} = 0; {i} < {pairs.text}.size(); {i}++) {{")
        item = f"{pairs.text}.data()[{i}]"
        self._check_memory(f"!{made.text}->put(cx, {item}.first, {item}.rest.first)")
        self.emit("}")
        return made

    def new_dict(self, node, t):
        """A new dictionary without entries."""
        self._check_key(node, t.key)
        name = self.new_name("d")
        self.emit(f"{t.cpp} {name} = gp_object_new<{t.content}>(cx);")
        self._check_memory(f"!{name}.block")
        return Value(t, name)

    def _check_key(self, node, t):
        if isinstance(t, types.Tuple):
            for item in t.items:
                self._check_key(node, item)
        elif t is not types.unicode_type and (not isinstance(t, types.Number) or t.kind == "c"):
            message = f"a key of a dictionary is a number, a text or a tuple of them, not {t}"
            raise self.error(node, message, Unsupported)

    def dict_put(self, node, target, key, value):
        """Emits target[key] = value."""
        t = target.type
        key, value = self.packed_text(node, key, t.key), self.packed_text(node, value, t.value)
        self._check_memory(f"!{target.text}->put(cx, {key}, {value})")

    def _key(self, node, target, key):
        """The C++ name of the place of a key, -1 if it is not there."""
        key, t = self.textual(key), target.type.key
        if isinstance(target.type, types.Set):
            return self._key_or_none(node, target, key)
        if types.unify(t, key.type) != t:
            raise self.error(node, f"{key.type} is no key of {target.type}")
        return self._found_key(node, target, key)

    def _found_key(self, node, target, key):
        t = target.type.key
        text = key.text if t is types.unicode_type else self.packed_text(node, key, t)
        return self.temp(types.int64, f"{target.text}->find({text})").text

    def _key_or_none(self, node, target, key):
        """The same of a key that may have another type of numbers: 2.5 is in no set of integers."""
        key, t = self.textual(key), target.type.key
        joined = types.unify(t, key.type)
        if joined is None:
            raise self.error(node, f"{key.type} is no item of {target.type}")
        if joined == t:
            return self._found_key(node, target, key)
        name = self.new_name("k")
        same = truth(self.compare(node, "==", cast(key, t), key)) if key.is_number and t.kind != "b" else "false"
        self.emit(f"int64_t {name} = -1;")
        self.emit(f"if ({same}) {name} = {target.text}->find({self.packed_text(node, key, t)});")
        return name

    def dict_item(self, node, target, key):
        """target[key]"""
        at = self._present_key(node, target, key)
        return self.held(f"{target.text}->values.data()[{at}]", target.type.value)

    def _present_key(self, node, target, key):
        """The same of a key that has to be there."""
        at = self._key(node, target, key)
        self.emit(f"if (__builtin_expect({at} < 0, 0)) {{")
        self.raise_values(node, KeyError, [key])
        self.emit("}")
        return at

    def dict_delete(self, node, target, key):
        """del target[key]"""
        at = self._present_key(node, target, key)
        self.emit(f"{target.text}->take({at});")

    def dict_contains(self, node, target, key):
        """The C++ condition of `key in target`."""
        return f"{self._key(node, target, key)} >= 0"

    def dict_list(self, target, what):
        """keys, values or items as a list."""
        t = target.type
        element = {"keys": t.key, "values": t.value, "items": types.Tuple([t.key, t.value])}[what]
        return self._list_made(types.List(element), f"gp_dict_{what}(cx, {target.text})")

    def dict_call(self, node, target, name, args):
        """target.name(*args)"""
        if name in ("clear", "pop", "setdefault"):
            self.check_not_shared(node, node.func.value)
        if types.has_unknown(target.type):
            if name in ("get", "pop", "setdefault") and len(args) == 2:
                return self.textual(self.as_list(node, self.materialize(args[1])))  # its type is a first guess
            return Value(types.unknown, "0", const=None if name == "clear" else MISSING)
        if name in ("keys", "values", "items") and not args:
            return self.dict_list(target, name)
        if name == "clear" and not args:
            self.emit(f"{target.text}->clear();")
            return Value(types.none, const=None)
        if name == "pop" and len(args) == 1:
            at = self._present_key(node, target, args[0])
            return self.held(f"{target.text}->take({at})", target.type.value)
        if name in ("get", "pop", "setdefault") and len(args) == 2:
            return self._dict_or(node, target, name, *args)
        if name == "get":
            raise self.error(node, "get() takes a key and a default here", Unsupported)
        raise self.error(node, f"Unknown attribute {name!r} of type {target.type}")

    def _dict_or(self, node, target, name, key, default):
        at, t = self._key(node, target, key), target.type.value
        default = self.textual(self.as_list(node, self.materialize(default), t))
        result = self.new_name("j")
        joined = t if name == "setdefault" else types.unify(t, default.type)
        if joined is None or joined != t and not isinstance(t, types.Number):
            raise self.error(node, f"the default has the type {default.type}, and no value of {target.type} has")
        self.emit(f"{joined.cpp} {result} = {self.packed_text(node, default, joined)};")
        found = f"{target.text}->take({at})" if name == "pop" else f"{target.text}->values.data()[{at}]"
        found = found if joined == t else cast(Value(t, found), joined).text
        self.emit(f"if ({at} >= 0) {result} = {found};")
        if name == "setdefault":
            text = self.packed_text(node, key, target.type.key)
            self._check_memory(f"{at} < 0 && !{target.text}->put(cx, {text}, {result})")
        return self.unpacked(result, joined)

    def dict_length(self, target):
        return constant(0) if types.has_unknown(target.type) else self.temp(types.int64, f"{target.text}->live")
