# bindings/python/gpuopt/compiled/lowering.py -- a Python function as C++: its statements. Types and text are found
# in one walk over the syntax tree, which is repeated until the types of variables no longer change.
import ast

from . import types
from .arrays import ArrayMixin
from .calls import CallMixin
from .errors import TypingError, Unsupported, located
from .expressions import ExpressionMixin, symbol
from .indexing import IndexingMixin
from .language.classes import ClassMixin
from .language.closures import ClosureMixin
from .language.dictionaries import DictMixin
from .language.exceptions import ExceptionMixin
from .language.lists import ListMixin
from .language.named_tuples import NamedTupleMixin
from .language.sets import SetMixin
from .language.texts import TEXT, TextMixin
from .loops import LoopMixin
from .parallel import ParallelMixin
from .selections import SelectionMixin
from .values import MISSING, Lazy, Value, cast, static, tuple_of

_MOST_WALKS = 30
_SET_METHODS = {
    ast.BitOr: "update",
    ast.BitAnd: "intersection_update",
    ast.Sub: "difference_update",
    ast.BitXor: "symmetric_difference_update",
}


class Lowering(
    ExpressionMixin,
    IndexingMixin,
    SelectionMixin,
    ArrayMixin,
    ListMixin,
    NamedTupleMixin,
    TextMixin,
    DictMixin,
    SetMixin,
    LoopMixin,
    ParallelMixin,
    ExceptionMixin,
    ClosureMixin,
    ClassMixin,
    CallMixin,
):
    """One function for some types of arguments. `fixed`: values of parameters that are known when it is compiled."""

    def __init__(self, unit, source, argument_types, compiled, fixed=()):
        self.unit, self.source, self.compiled = unit, source, compiled
        self.options, self.statement = unit.options, source.node
        self.argument_types, self.fixed = argument_types, dict(fixed)
        self._check_parameters()
        self.parameters = source.parameters
        self.bound = source.bound_names | set(self.parameters)
        self.variables = {}  # key -> type, kept from walk to walk
        self.flagged = set()  # keys whose being bound is looked at when the function runs
        self.rebound, self.stores = source.names_in_blocks, source.stores
        self.inner = {}  # node -> the function that stands there

    def _check_parameters(self):
        arguments = self.source.node.args
        if arguments.kwarg:
            raise self.error(self.source.node, "**kwargs are not supported", Unsupported)
        if len(self.source.parameters) != len(self.argument_types):
            names = ", ".join(self.source.parameters)
            raise self.error(
                self.source.node, f"{len(self.argument_types)} types are given for the arguments ({names})"
            )

    # ---- Walks -------------------------------------------------------------------------------------------------

    def run(self):
        """Walks until nothing changes, and adds the function's text to the unit."""
        for _ in range(_MOST_WALKS):
            before = (dict(self.variables), set(self.flagged), self.compiled.result)
            self._reset()
            self._walk()
            if before == (self.variables, self.flagged, self.compiled.result):
                break
        else:
            raise self.error(self.source.node, "the types of its variables cannot be found")
        if self.compiled.result is types.unknown:
            self.compiled.result = types.none
        self._check_types()
        self.unit.texts.append(self._text())

    def _check_types(self):
        for key, t in self.variables.items():
            if isinstance(t, (types.List, types.Tuple, types.Dict)) and types.has_unknown(t):
                name = key.split("_", 1)[1].rsplit("_", 1)[0]
                raise self.error(self.source.node, f"the type of the items of {name!r} cannot be found: it stays empty")

    def _reset(self):
        self.lines, self.depth, self.temporaries = [], 0, 0
        self.current, self.versions, self.aliases, self.defined = {}, {}, {}, set()
        self.assigned, self.in_parallel = set(), False
        self.tries, self.handled, self.stops = [], [], []
        self.loops, self.origins, self.statement = [], {}, self.source.node

    def _walk(self):
        node = self.source.node
        for name, t in zip(self.parameters, self.argument_types):
            self._bind_parameter(name, t)
        if isinstance(node, ast.Lambda):
            self.return_value(node, self.expr(node.body))
            return
        self.block(node.body)
        if self.defined is not None:
            self.return_value(node, Value(types.none, const=None))

    def _bind_parameter(self, name, t):
        if name in self.fixed:
            self.aliases[name] = self.fixed[name]
        elif isinstance(t, types.Static):
            self.aliases[name] = static(t.value)
        else:
            self.assign_name(None, name, self._parameter(f"p_{name}", t))

    def _parameter(self, text, t):
        if isinstance(t, types.Tuple):
            return tuple_of((self._parameter(f"{text}_{k}", item) for k, item in enumerate(t.items)), t)
        if isinstance(t, types.Array):
            self.origins[text] = {text.removeprefix("p_")}
        return Value(t, text) if t is not types.none else Value(t, const=None)

    # ---- Text --------------------------------------------------------------------------------------------------

    def _declared(self, prefix, t):
        if isinstance(t, types.Tuple):
            return [d for k, item in enumerate(t.items) for d in self._declared(f"{prefix}_{k}", item)]
        return [] if t is types.none or isinstance(t, types.Static) else [(t, prefix)]

    def _text(self):
        host = self.options.host
        parameters = ["gp_context *cx"] if host else []
        for name, t in zip(self.parameters, self.argument_types):
            if name not in self.fixed:
                by_reference = (types.Array, types.List, types.Dict, types.Instance, types.UnicodeType)
                parameters += [
                    f"const {u.cpp} &{n}" if isinstance(u, by_reference) else f"{u.cpp} {n}"
                    for u, n in self._declared(f"p_{name}", t)
                ]
        results = self._declared("r", self.compiled.result)
        parameters += [f"{t.cpp} &{n}" for t, n in results]
        head = f"static __device__ {'int32_t' if host else 'void'} {self.compiled.name}({', '.join(parameters)})"
        self.unit.prototypes.append(head + ";\n")
        lines = [head + " {\n"]
        for key in dict.fromkeys(self.variables):
            for t, name in self._declared(key, self.variables[key]):
                lines.append(f"{t.cpp} {name}{{}};\n")
        lines += [f"bool set_{key} = false;\n" for key in sorted(self.flagged)]
        return "".join(lines + self.lines) + ("return 0;\n}\n" if host else "}\n")

    def emit(self, text):
        self.lines.append(text + "\n")

    def temp(self, t, text, const=MISSING):
        """A value that is computed here."""
        name = f"t{self.temporaries}"
        self.temporaries += 1
        self.emit(f"const {t.cpp} {name} = {text};")
        return Value(t, name, const)

    def new_name(self, prefix="t"):
        self.temporaries += 1
        return f"{prefix}{self.temporaries - 1}"

    def captured(self, function):
        """What `function` returns, and the lines that it emitted."""
        outer, self.lines = self.lines, []
        try:
            result = function()
            return result, self.lines
        finally:
            self.lines = outer

    def error(self, node, message, kind=TypingError):
        return located(message, self.source, node or self.statement, kind)

    # ---- Statements --------------------------------------------------------------------------------------------

    def block(self, statements, nested=False):
        self.depth += nested
        for statement in statements:
            if self.defined is None:  # after return, break, continue
                break
            self.statement = statement
            line = self.source.place(statement)[0]
            self.emit(f'#line {line} "{_escaped(self.source.filename)}"')
            method = getattr(self, "stmt_" + type(statement).__name__, None)
            if method is None:
                raise self.error(statement, f"{type(statement).__name__} statements are not supported", Unsupported)
            method(statement)
        self.depth -= nested

    def stmt_Pass(self, node):
        pass

    def stmt_Expr(self, node):
        if not isinstance(node.value, ast.Constant):
            self.discard(self.expr(node.value))

    def discard(self, value):
        if isinstance(value, Lazy):
            self.materialize(value)

    def stmt_Return(self, node):
        value = Value(types.none, const=None) if node.value is None else self.expr(node.value)
        self.return_value(node, value)

    def return_value(self, node, value):
        if self.in_parallel:
            raise self.error(node, "a parallel loop cannot be left", Unsupported)
        value = self.textual(self.as_list(node, self.materialize(value), self.compiled.result))
        if isinstance(value.type, types.Static):
            raise self.error(node, f"a {value.type} cannot be returned")
        joined = types.unify(self.compiled.result, value.type)
        if joined is None:
            raise self.error(node, f"cannot unify {self.compiled.result} and {value.type} for the result")
        self.compiled.result = joined
        self._store("r", value, joined, node)
        self.emit(self.leave_text())
        self.defined = None

    def stmt_Assign(self, node):
        value = self.expr(node.value)
        if len(node.targets) > 1:
            value = self.materialize(value)
        for target in node.targets:
            self.assign(target, value)

    def stmt_AnnAssign(self, node):
        if node.value is not None:
            self.assign(node.target, self.expr(node.value))

    def stmt_AugAssign(self, node):
        target = node.target
        if isinstance(target, ast.Name):
            current = self.load_name(target)
            if isinstance(current.type, types.List) and isinstance(node.op, ast.Add):
                call = ast.copy_location(ast.Attribute(target, "extend", ast.Load()), node)
                call = ast.copy_location(ast.Call(call, [node.value], []), node)
                self.expr(call)
            elif isinstance(current.type, types.Set) and type(node.op) in _SET_METHODS:
                self._change_set(node, target)
            elif current.is_array:
                self.write_elements(target, current, self.binary(node, node.op, current, self.expr(node.value)))
            else:
                self.assign(target, self.binary(node, node.op, current, self.expr(node.value)))
            return
        if isinstance(target, ast.Subscript):
            place = self.place_of(target)
            value = self.binary(node, node.op, self.load_place(place), self.expr(node.value))
            self.store_place(target, place, value)
            return
        if isinstance(target, ast.Attribute):
            current = self.expr(target)
            if current.is_array:
                self.write_elements(target, current, self.binary(node, node.op, current, self.expr(node.value)))
            else:
                self.store_attribute(target, self.binary(node, node.op, current, self.expr(node.value)))
            return
        raise self.error(node, "this cannot be assigned to", Unsupported)

    def _change_set(self, node, target):
        """A set is changed itself by |= and its like."""
        other = self.expr(node.value)
        if not isinstance(other.type, types.Set):
            raise self.error(node, f"unsupported operand types for {symbol(node.op)}=: a set and {other.type}")
        call = ast.copy_location(ast.Attribute(target, _SET_METHODS[type(node.op)], ast.Load()), node)
        self.set_call(ast.copy_location(ast.Call(call, [node.value], []), node), self.expr(target), call.attr, [other])

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            self.assign_name(target, target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, self.materialize(value))
        elif isinstance(target, ast.Subscript):
            self.store_place(target, self.place_of(target), value)
        elif isinstance(target, ast.Attribute):
            self.store_attribute(target, value)
        else:
            raise self.error(target, "this cannot be assigned to", Unsupported)

    def _unpack(self, target, value):
        if value.is_array:
            count = len(target.elts)
            self.raise_if(
                f"{value.text}.shape[0] != {count}",
                ValueError,
                f"array of another length than {count} to unpack",
                target,
            )
            items = [self.load_place(self.place_at(target, value, [_index(k)])) for k in range(count)]
        elif value.is_tuple:
            items = value.items
        elif isinstance(value.type, types.List):
            count = len(target.elts)
            message = f"list of another length than {count} to unpack"
            self.raise_if(f"{value.text}.size() != {count}", ValueError, message, target)
            items = [self.held(f"{value.text}.data()[{k}]", value.type.element) for k in range(count)]
        elif value.type is types.unknown:
            items = [value] * len(target.elts)
        else:
            raise self.error(target, f"{value.type} cannot be unpacked")
        if len(items) != len(target.elts):
            raise self.error(target, f"{len(items)} values cannot be unpacked into {len(target.elts)} names")
        items = [self.temp(v.type, v.text) if v.is_number and v.const is MISSING else v for v in items]
        for element, item in zip(target.elts, items):
            self.assign(element, item)

    def assign_name(self, node, name, value):
        value = self.materialize(value)
        value = self.as_list(node, value, self.variables.get(self._next_key(name)))
        known = value
        stays = self.stays_static(name) and not (self.depth and name in self.current)
        if not (isinstance(value.static, str) and stays):
            value = self.textual(value)
        if isinstance(value.type, types.Static):
            if self.depth and name in self.current:
                raise self.error(node, f"{name} is a variable, and cannot become a {value.type}")
            self.aliases[name] = value
            self.current.pop(name, None)
            return
        key = self._next_key(name)
        if key != self.current.get(name):
            self.versions[name] = self.versions.get(name, -1) + 1
            self.current[name] = key
        self.aliases.pop(name, None)
        joined = types.unify(self.variables.get(key, types.unknown), value.type)
        if joined is None:
            raise self.error(node, f"cannot unify {self.variables[key]} and {value.type} for the variable {name!r}")
        self.variables[key] = joined
        self._store(key, value, joined, node)
        if key in self.flagged:
            self.emit(f"set_{key} = true;")
        self.defined.add(key)
        self.assigned.add(key)
        if self.depth == 0 and known.const is not MISSING and name not in self.rebound:
            self.aliases[name] = known  # a constant as long as it is not bound again

    def _next_key(self, name):
        """The C++ variable that a name gets when it is bound here: a new one, where no branch or loop is around."""
        if self.depth == 0 or name not in self.current:
            return f"v_{_plain(name)}_{self.versions.get(name, -1) + 1}"
        return self.current[name]

    def _store(self, prefix, value, t, node):
        """Writes a value, converted, to a variable, or to those of a tuple's items."""
        if isinstance(t, types.Tuple):
            for k, (item, kind) in enumerate(zip(value.items, t.items)):
                self._store(f"{prefix}_{k}", item, kind, node)
        elif isinstance(t, types.Number) and value.is_number:
            self.emit(f"{prefix} = {cast(value, t).text};")
        elif isinstance(t, (types.List, types.Dict)):
            if not types.has_unknown(t):
                self.emit(f"{prefix} = {self.packed_text(node, value, t)};")
        elif isinstance(t, (types.Pointer, types.Instance, types.UnicodeType)):
            self.emit(f"{prefix} = {value.text};")
        elif isinstance(t, types.Array):
            self.origins.setdefault(prefix, set()).update(self.origins.get(value.text, ()))
            self.emit(f"{prefix} = {value.text};")

    def stmt_If(self, node):
        test = self.condition(node.test)
        if test.const is not MISSING:
            self.block(node.body if test.const else node.orelse, self.depth > 0)
            return
        self.emit(f"if ({test.text}) {{")
        before = set(self.defined)
        aliases = dict(self.aliases)
        self.block(node.body, True)
        after_body, self.defined = self.defined, set(before)
        self.aliases = aliases
        self.emit("} else {")
        self.block(node.orelse, True)
        self.emit("}")
        self.defined = _both(after_body, self.defined)

    def stmt_Delete(self, node):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                value = self.expr(target.value)
                self.check_not_shared(target, target.value)
                if isinstance(value.type, types.List):
                    self.delete_item(target, value, self.expr(target.slice))
                elif isinstance(value.type, types.Dict):
                    if not types.has_unknown(value.type):
                        self.dict_delete(target, value, self.expr(target.slice))
                else:
                    raise self.error(target, f"items of {value.type} cannot be deleted", Unsupported)

    def stmt_Global(self, node):
        raise self.error(node, "global variables are constants of compiled functions", Unsupported)

    # ---- Names -------------------------------------------------------------------------------------------------

    def load_name(self, node):
        name = node.id
        if name in self.aliases:
            return self.aliases[name]
        key = self.current.get(name)
        if key is None:
            if name in self.bound:
                raise self.error(node, f"the variable {name!r} is used before it is bound")
            return self.load_global(node, name)
        if key not in self.defined:
            self._check_bound(node, name, key)
        return self._variable(key, self.variables[key])

    def _check_bound(self, node, name, key):
        if not self.options.host:
            raise self.error(node, f"the variable {name!r} is not bound on every way to here")
        self.flagged.add(key)
        message = f"cannot access local variable '{name}' where it is not associated with a value"
        self.raise_if(f"!set_{key}", UnboundLocalError, message, node)
        self.defined.add(key)

    def _variable(self, key, t):
        if isinstance(t, types.Tuple):
            return tuple_of((self._variable(f"{key}_{k}", item) for k, item in enumerate(t.items)), t)
        return Value(t, key) if t is not types.none else Value(t, const=None)


def _index(k):
    from .values import constant

    return constant(k)


def _both(a, b):
    return b if a is None else a if b is None else a & b


def _plain(name):
    return name if name.isascii() else "".join(c if c.isascii() else f"u{ord(c):x}" for c in name)


def _escaped(filename):
    return filename.replace("\\", "\\\\").replace('"', '\\"')
