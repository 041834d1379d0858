# bindings/python/gpuopt/compiled/source.py -- the syntax tree of a Python function, and what its free names mean.
import ast
import builtins
import collections
import functools
import linecache

from .errors import TypingError


_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try)


def children_of(node):
    """The nodes that stand in a node itself, in order: ast.iter_child_nodes() without generators, which take time."""
    found = []
    for name in node._fields:
        child = getattr(node, name, None)
        if isinstance(child, ast.AST):
            found.append(child)
        elif isinstance(child, list):
            found += [each for each in child if isinstance(each, ast.AST)]
    return found


def nodes_of(node):
    """All nodes of a tree, in the order of ast.walk()."""
    found = [node]
    for each in found:  # which grows meanwhile
        found += children_of(each)
    return found


def _stores(nodes):
    """The names that are bound, each as often as that is done."""
    return [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def _block(lines, first):
    """The syntax tree of the statement that begins at line `first` (1 is the first), decorators included, and how many
    lines stand before it. Columns are those of the file."""
    indent = _indent(lines[first - 1])
    # Indented lines stand in a block rather than being moved, which would change texts of several lines.
    head, before = ("if 1:\n", first - 2) if indent else ("", first - 1)
    for end in range(first, len(lines) + 1):
        if end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > indent):
            continue
        try:
            return ast.parse(head + "".join(lines[first - 1 : end])), before
        except SyntaxError:
            continue
    return ast.parse(head + "".join(lines[first - 1 :])), before


def _indent(line):
    return len(line) - len(line.lstrip())


def _function_in(tree, function, before):
    """The node of a function; None, or TypingError, where it cannot be told which one it is. `before`: the number of
    lines before those of the tree."""
    code = function.__code__
    outermost = tree.body[0] if tree.body else None
    if isinstance(outermost, ast.If):  # perhaps that of _block()
        outermost = outermost.body[0]
    if isinstance(outermost, ast.FunctionDef) and outermost.name == function.__name__:
        return outermost
    found = [n for n in nodes_of(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    found = [n for n in found if getattr(n, "name", "<lambda>") == function.__name__]
    if function.__name__ != "<lambda>":
        return min(found, key=lambda n: n.lineno, default=None)
    names = code.co_varnames[: code.co_argcount]
    found = [n for n in found if tuple(a.arg for a in n.args.posonlyargs + n.args.args) == names]
    if len(found) > 1 and hasattr(code, "co_positions"):
        places = [(line, column) for line, _, column, _ in code.co_positions() if column]
        around = [n for n in found if places and all(_stands_in(n.body, line - before, c) for line, c in places)]
        found = [n for n in around if not any(m is not n and m in nodes_of(n) for m in around)] or found  # innermost
    if len(found) > 1:  # Python 3.10 knows no columns, 3.12 none of lambda: 1, and -X no_debug_ranges leaves all out
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
            tree, self.before = _block(lines, self.first)
        except SyntaxError as error:
            raise TypingError(f"{self.filename}:{self.first}: the source has changed since it was loaded") from error
        self.node = _function_in(tree, function, self.before)
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
        return self.before + getattr(node, "lineno", self.node.lineno), getattr(node, "col_offset", 0)

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
        for node in self.nodes:
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                read.add(node.value)
            elif isinstance(node, (ast.For, ast.comprehension)):
                read.add(node.iter)
            elif isinstance(node, ast.Compare):
                read.update(node.comparators)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and self._measures(node.func.id):
                read.update(node.args)
        uses = [node for node in self.nodes if isinstance(node, ast.Name) and node.id == name]
        return all(node in read for node in uses)

    def _measures(self, name):
        """Whether a name is that of a function of Python's that keeps no list that it is given."""
        if name not in ("len", "sum", "min", "max", "enumerate", "any", "all") or name in self.bound_names:
            return False
        return self.lookup(name) is getattr(builtins, name)

    @functools.cached_property
    def nodes(self):
        """All nodes of the function."""
        return nodes_of(self.node)

    @functools.cached_property
    def stores(self):
        """How often each name is bound."""
        return collections.Counter(_stores(self.nodes))

    @functools.cached_property
    def names_in_blocks(self):
        """The names that are bound in branches and loops."""
        found, inside = set(), set()
        for node in self.nodes:  # blocks come before those that stand in them
            if isinstance(node, _BLOCKS) and node not in inside:
                below = nodes_of(node)
                inside.update(below)
                found.update(_stores(below))
        return found

    @functools.cached_property
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
                left += children_of(each)
        return found
