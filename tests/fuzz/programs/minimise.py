# tests/fuzz/programs/minimise.py -- makes a program that fails smaller, as long as it fails in the same way:
# statements, extents, values.
import copy

from oracle import name_of
from program import Program, Statement, join, split
from runs import REFERENCE, judge
from tables import SIZE

# Which words of a verb are lists of extents.
_SHAPES = {"data": [1], "zeros": [1], "ones": [1], "empty": [1], "full": [1], "reshape": [1], "broadcast": [1],
           "rs_sample": [1], "rs_uniform": [3],
           "rs_normal": [3], "rs_randint": [4], "gen_uniform": [4], "gen_normal": [4], "gen_exponential": [3],
           "gen_integers": [5]}
_PALETTE = {"data": 2, "host": 5}


class Minimiser:
    def __init__(self, failure, runner):
        self.kind, self.mode, self.runner = failure.kind, failure.mode, runner
        self.verb = self._verb(failure)
        self.program, self.failure = failure.program, failure

    @staticmethod
    def _verb(failure):
        """What a wrong value is of, and how it is wrong: all else would be another defect."""
        if failure.kind != "value":
            return None
        first = failure.message.split()[0]  # "12 of 30 elements", "fails with status 3", "dtype float16, expected"
        return name_of(failure.program.statements[failure.place]), "" if first.isdigit() else first

    def fails(self, statements):
        program = Program(self.program.name, statements)
        modes = [REFERENCE] if self.mode == REFERENCE else [REFERENCE, self.mode]
        try:
            failures = judge([program], self.runner, modes)
        except (RuntimeError, KeyError, ValueError, IndexError, TypeError):  # a statement that became nonsense
            return False
        if not failures or failures[0].kind != self.kind or self._verb(failures[0]) != self.verb:
            return False
        self.program, self.failure = program, failures[0]
        return True

    def run(self):
        before = None
        while before != str(self.program):
            before = str(self.program)
            self._fewer_statements()
            self._plain_data()
            self._smaller_extents()
            self._fewer_values()
            self._operands_instead()
        return self.failure

    def _fewer_statements(self):
        size = max(1, len(self.program.statements) // 2)
        while size:
            at = len(self.program.statements)
            while at > 0:
                at -= size
                statements = self.program.statements
                self.fails(statements[:max(at, 0)] + statements[at + size:])
            size //= 2

    def _plain_data(self):
        """Ordinary arrays instead of foreign memory with strides of its own."""
        for place, statement in enumerate(self.program.statements):
            if statement.verb == "host":
                plain = Statement(statement.result, "data", statement.words[0], statement.words[1], statement.words[5])
                self.fails(self.program.statements[:place] + [plain] + self.program.statements[place + 1:])

    def _with_word(self, place, word, text):
        statements = copy.deepcopy(self.program.statements)
        statements[place].words[word] = text
        return self.fails(statements)

    def _smaller_extents(self):
        """One extent wherever it comes, then single ones."""
        extents = {n for s in self.program.statements for word in _SHAPES.get(s.verb, []) for n in split(s.words[word])}
        for extent in sorted(extents, reverse=True):
            for smaller in [n for n in (1, 2, 3, 5, extent // 2, extent - 1) if 0 < n < extent]:
                if self.fails(self._extent_replaced(extent, smaller)):
                    break
        for place, statement in enumerate(self.program.statements):
            for word in _SHAPES.get(statement.verb, []):
                self._smaller_shape(place, word)

    def _extent_replaced(self, extent, smaller):
        statements = copy.deepcopy(self.program.statements)
        for s in statements:
            for word in _SHAPES.get(s.verb, []):
                s.words[word] = join(smaller if n == extent else n for n in split(s.words[word]))
        return statements

    def _smaller_shape(self, place, word):
        for i in range(len(split(self.program.statements[place].words[word]))):
            for smaller in (1, 2, 3):
                shape = split(self.program.statements[place].words[word])
                if shape[i] > smaller:
                    shape[i] = smaller
                    if self._with_word(place, word, join(shape)):
                        break

    def _fewer_values(self):
        for place, statement in enumerate(self.program.statements):
            if statement.verb in _PALETTE:
                self._fewer_values_of(place, _PALETTE[statement.verb], 2 * SIZE[statement.words[0]])

    def _fewer_values_of(self, place, word, digits):
        """A palette of one element, else of as few as will do."""
        text = self.program.statements[place].words[word]
        elements = sorted({text[i:i + digits] for i in range(0, len(text), digits)})
        if len(text) > digits and any(self._with_word(place, word, element) for element in elements[:8]):
            return
        size = len(text) // digits // 2
        while size:
            at = 0
            while at < len(self.program.statements[place].words[word]) // digits:
                text = self.program.statements[place].words[word]
                shorter = text[:at * digits] + text[(at + size) * digits:]
                if not shorter or not self._with_word(place, word, shorter):
                    at += size
            size //= 2

    def _operands_instead(self):
        """Uses of a result replaced by uses of what it was made from."""
        for place in reversed(range(len(self.program.statements))):
            if place >= len(self.program.statements):
                continue
            statement = self.program.statements[place]
            for word in [w for w in statement.words if w[0] == "v" and w[1:].isdigit()] if statement.result else []:
                rest = [Statement(s.result, s.verb, *(word if w == statement.result else w for w in s.words))
                        for s in self.program.statements[:place] + self.program.statements[place + 1:]]
                if self.fails(rest):
                    break


def minimised(failure, runner):
    return Minimiser(failure, runner).run()
