# bindings/python/gpuopt/compiled/parallel.py -- prange: loops whose iterations run on all processors.
import ast

from . import types
from .errors import Unsupported
from .loops import prange

# A loop is cut into so many parts at most, by its length alone: sums have the same bits with any number of threads.
_PARTS = 64
_REDUCTIONS = {ast.Add: "+", ast.Sub: "+", ast.Mult: "*"}


class ParallelMixin:
    """Parallel loops of a function."""

    def is_parallel(self, node):
        """Whether a for loop is one over prange that runs in parallel."""
        if not (self.options.parallel and self.options.host) or self.in_parallel:
            return False
        call = node.iter
        return isinstance(call, ast.Call) and self._is_prange(call.func)

    def _is_prange(self, node):
        try:
            return self.expr(node).static is prange
        except Exception:
            return False

    def parallel_for(self, node):
        """The loop as chunks that the caller's runtime runs."""
        if node.orelse:
            raise self.error(node, "else of a parallel loop is not supported", Unsupported)
        reductions = self._reductions(node)
        args = [self.integer(a) for a in node.iter.args]
        iteration = self.range_iteration(args, node)
        n, chunks, i, k = (self.new_name(p) for p in ("n", "chunks", "i", "k"))
        body, assigned = self._parallel_body(node, iteration, i)
        self.emit(f"{{ const int64_t {n} = {iteration.count}, {chunks} = {n} < {_PARTS} ? {n} : {_PARTS};")
        keys = {self.current[name]: sign for name, sign in reductions.items() if name in self.current}
        for key in keys:
            cpp = self.variables[key].cpp
            self.emit(f"{cpp} parts_{key}[{_PARTS}]; const {cpp} outer_{key} = {key};")
        chunk = self.new_name("chunk")
        self.emit(f"auto {chunk} = [&](int64_t {k}) -> int32_t {{")
        self._private(keys, assigned)
        begin = f"{n} / {chunks} * {{0}} + ({{0}} < {n} % {chunks} ? {{0}} : {n} % {chunks})"
        self.emit(f"const int64_t end = {begin.format(f'({k} + 1)')};")
        self.emit(f"for (int64_t {i} = {begin.format(k)}; {i} < end; {i}++) {{")
        self.lines += body
        self.emit("}")
        for key in keys:
            self.emit(f"parts_{key}[{k}] = {key};")
        self.emit("return 0; };")
        self._run_chunks(chunk, chunks)
        for key, sign in keys.items():
            self._combine(key, sign, chunks)
        self.emit("}")

    def _parallel_body(self, node, iteration, i):
        outer, self.assigned = self.assigned, set()
        before = set(self.defined)
        self.in_parallel = True
        self.loops.append({"broke": None, "left": False, "parallel": True})

        def walk():
            self.depth += 1
            self.assign(node.target, iteration.item(i))
            self.block(node.body)
            self.depth -= 1

        _, lines = self.captured(walk)
        self.loops.pop()
        self.in_parallel = False
        assigned, self.assigned = self.assigned, outer | self.assigned
        self.defined = before
        return lines, assigned

    def _private(self, reductions, assigned):
        """Declares what each chunk has for itself."""
        for key in sorted(assigned):
            for t, name in self._declared(key, self.variables[key]):
                if key not in reductions:
                    self.emit(f"{t.cpp} {name}{{}};")
            if key in self.flagged:
                self.emit(f"bool set_{key} = false;")
        for key, sign in reductions.items():
            t = self.variables[key]
            start = {"+": f"{t.cpp}(0)", "*": f"{t.cpp}(1)"}.get(sign, f"outer_{key}")
            self.emit(f"{t.cpp} {key} = {start};")

    def _run_chunks(self, chunk, chunks):
        call = f"[](void *f, int64_t k) -> int32_t {{ return (*(decltype({chunk}) *)f)(k); }}"
        self.emit(f"if (const int32_t status = cx->rt->run_chunks({call}, &{chunk}, {chunks})) return status;")

    def _combine(self, key, sign, chunks):
        t = self.variables[key]
        part, k = f"parts_{key}[k]", "k"
        if sign in ("min", "max"):
            text = f"{part} {'<' if sign == 'min' else '>'} {key} ? {part} : {key}"
        elif t.kind in "iu":
            text = f"gp_{'add' if sign == '+' else 'mul'}({key}, {part})"
        else:
            text = f"{key} {sign} {part}"
        self.emit(f"for (int64_t {k} = 0; {k} < {chunks}; {k}++) {key} = {text};")

    # ---- Which variables are reduced ---------------------------------------------------------------------------

    def _reductions(self, node):
        """Names that the loop only adds to, multiplies, or takes the least or greatest of, by what it does."""
        found, uses = {}, {}
        for statement in (s for b in node.body for s in ast.walk(b)):
            if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
                sign = _REDUCTIONS.get(type(statement.op))
                self._note(found, uses, statement.target.id, sign, 1)
            elif isinstance(statement, ast.Assign):
                name, sign = _extreme(statement)
                if name:
                    self._note(found, uses, name, sign, 2)
        names = [n.id for b in node.body for n in ast.walk(b) if isinstance(n, ast.Name)]
        for name, sign in list(found.items()):
            outside = name in self.current and self.current[name] in (self.defined or ())
            if not outside or sign is None or names.count(name) != uses[name]:
                del found[name]
                if outside and (sign is None or names.count(name) != uses[name]):
                    raise self.error(
                        node, f"the parallel loop uses the variable {name!r}, which it also adds to", Unsupported
                    )
        for name in found:
            t = self.variables[self.current[name]]
            if not isinstance(t, types.Number):
                raise self.error(
                    node, f"a parallel loop adds to numbers only, not to {name!r} of type {t}", Unsupported
                )
        return found

    def _note(self, found, uses, name, sign, count):
        found[name] = sign if found.get(name, sign) == sign else None
        uses[name] = uses.get(name, 0) + count


def _extreme(statement):
    """The name and "min" or "max" of a statement x = max(x, y)."""
    call, target = statement.value, statement.targets[0]
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and isinstance(target, ast.Name)):
        return None, None
    names = [a.id for a in call.args if isinstance(a, ast.Name)]
    if call.func.id in ("min", "max") and len(call.args) == 2 and target.id in names:
        return target.id, call.func.id
    return None, None
