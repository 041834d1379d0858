# bindings/python/gpuopt/compiled/source.py -- the syntax tree of a Python function, and what its free names mean.
import ast
import builtins
import linecache
import textwrap

from .errors import TypingError


def _block(lines, first):
    """The lines of the statement that begins at line `first` (1 is the first), decorators included."""
    for end in range(first, len(lines) + 1):
        text = textwrap.dedent("".join(lines[first - 1 : end]))
        if end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > _indent(lines[first - 1])):
            continue
        try:
            return ast.parse(text)
        except SyntaxError:
            continue
    return ast.parse(textwrap.dedent("".join(lines[first - 1 :])))


def _indent(line):
    return len(line) - len(line.lstrip())


def _function_in(tree, function, first, indent):
    """The node of a function; None, or TypingError, where it cannot be told which one it is."""
    code = function.__code__
    found = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    found = [n for n in found if getattr(n, "name", "<lambda>") == function.__name__]
    if function.__name__ != "<lambda>":
        return min(found, key=lambda n: abs(n.lineno - 1), default=None)
    names = code.co_varnames[: code.co_argcount]
    found = [n for n in found if tuple(a.arg for a in n.args.posonlyargs + n.args.args) == names]
    if len(found) > 1 and hasattr(code, "co_positions"):
        places = [(line, column) for line, _, column, _ in code.co_positions() if column]
        found = [n for n in found if any(_stands_in(n.body, line - first + 1, c - indent) for line, c in places)]
        found = [n for n in found if not any(n is not m and n in ast.walk(m) for m in found)] or found
    if len(found) > 1 and not hasattr(code, "co_positions"):  # Python 3.10
        meant = _meaning(code)
        found = [n for n in found if _meaning(_compiled(n)) == meant] or found
    if len(found) > 1 and len({ast.dump(n) for n in found}) > 1:
        raise TypingError(f"{code.co_filename}:{code.co_firstlineno}: it cannot be told which lambda is meant")
    return found[0] if found else None


def _compiled(node):
    """The code of a lambda's node."""
    whole = compile(ast.fix_missing_locations(ast.Expression(node)), "", "eval")
    return next(value for value in whole.co_consts if hasattr(value, "co_code"))


def _meaning(code):
    """What the instructions of a function do, wherever the names are bound that it does not bind itself."""
    import dis

    loads = ("LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME")
    return [("load" if i.opname in loads else i.opname, _plain(i.argval)) for i in dis.get_instructions(code)]


def _plain(value):
    return _meaning(value) if hasattr(value, "co_code") else repr(value)


def _stands_in(node, line, column):
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return begin <= (line, column) < end


class Source:
    """A function's syntax tree, its file, and the values of the names that it does not bind itself."""

    def __init__(self, function):
        code = function.__code__
        self.owner = function
        self.function, self.filename, self.first = function, code.co_filename, code.co_firstlineno
        lines = linecache.getlines(self.filename, function.__globals__)
        if not lines:
            raise TypingError(f"{self.filename}:{self.first}: the source of {function.__name__} cannot be found")
        try:
            tree = _block(lines, self.first)
        except SyntaxError as error:
            raise TypingError(f"{self.filename}:{self.first}: the source has changed since it was loaded") from error
        self.indent = _indent(lines[self.first - 1])
        self.node = _function_in(tree, function, self.first, self.indent)
        if self.node is None:
            raise TypingError(f"{self.filename}:{self.first}: no function {function.__name__} stands there")
        self.globals = function.__globals__
        self._free = dict(zip(code.co_freevars, function.__closure__ or ()))

    @classmethod
    def of(cls, function):
        """The function's source; what is derived from another function brings its own."""
        found = getattr(function, "_gpuopt_source", None)
        if found is None or found.owner is not function:
            found = function._gpuopt_source = cls(function)
        return found

    @property
    def parameters(self):
        """The names of the parameters, in the order in which a compiled function takes them."""
        arguments = self.node.args
        rest = [arguments.vararg] if arguments.vararg else []
        return [a.arg for a in arguments.posonlyargs + arguments.args + rest + arguments.kwonlyargs]

    @property
    def positional(self):
        """How many parameters arguments without a name are for."""
        return len(self.node.args.posonlyargs + self.node.args.args)

    def place(self, node):
        """Line and column, from 1 and 0, of a node."""
        return self.first - 1 + getattr(node, "lineno", 1), self.indent + getattr(node, "col_offset", 0)

    def line(self, number):
        """The text of a line."""
        return linecache.getline(self.filename, number, self.globals).rstrip("\n")

    def lookup(self, name):
        """The value of a name that the function does not bind. KeyError if it has none."""
        if name in self._free:
            try:
                return self._free[name].cell_contents
            except ValueError:
                raise KeyError(name) from None
        space = self.function.__globals__
        return space[name] if name in space else vars(builtins)[name]

    def only_reads(self, name):
        """Whether a parameter, a list of numbers, stays as it is: it is only indexed, gone through, or measured."""
        read = set()
        for node in ast.walk(self.node):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                read.add(node.value)
            elif isinstance(node, (ast.For, ast.comprehension)):
                read.add(node.iter)
            elif isinstance(node, ast.Compare):
                read.update(node.comparators)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and self._measures(node.func.id):
                read.update(node.args)
        uses = [node for node in ast.walk(self.node) if isinstance(node, ast.Name) and node.id == name]
        return all(node in read for node in uses)

    def _measures(self, name):
        """Whether a name is that of a function of Python's that keeps no list that it is given."""
        if name not in ("len", "sum", "min", "max", "enumerate", "any", "all") or name in self.bound_names():
            return False
        return self.lookup(name) is getattr(builtins, name)

    def bound_names(self):
        """Names that the function assigns."""
        return self.names_bound(self.node)

    @staticmethod
    def names_bound(node):
        """Names that a function's body assigns, without those of functions that stand in it."""
        found, left = set(), list(node.body) if isinstance(node.body, list) else [node.body]
        while left:
            each = left.pop()
            if isinstance(each, ast.FunctionDef):
                found.add(each.name)
            elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                found.add(each.id)
            if not isinstance(each, (ast.FunctionDef, ast.Lambda)):
                left += ast.iter_child_nodes(each)
        return found
