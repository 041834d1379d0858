# tests/fuzz/programs/program.py -- programs of the fuzzer as text, and the records that fuzz_runner writes of them.
import struct

import numpy as np

from tables import DTYPES, stored


class Statement:
    """One line: `v3 = op add v1 v2`. `result` is None where the verb makes no array."""

    def __init__(self, result, verb, *words):
        self.result, self.verb, self.words = result, verb, [str(word) for word in words]

    def __str__(self):
        return " ".join(([self.result, "="] if self.result else []) + [self.verb] + self.words)

    @staticmethod
    def parse(line):
        words = line.split()
        if len(words) > 1 and words[1] == "=":
            return Statement(words[0], words[2], *words[3:])
        return Statement(None, words[0], *words[1:])


class Program:
    def __init__(self, name, statements):
        self.name, self.statements = name, statements

    def __str__(self):
        return "\n".join([f"program {self.name}"] + [str(statement) for statement in self.statements]) + "\n"


def parse(text):
    programs = []
    for line in text.splitlines():
        if line.startswith("program "):
            programs.append(Program(line[8:], []))
        elif line and not line.startswith("#"):
            programs[-1].statements.append(Statement.parse(line))
    return programs


def join(numbers):
    """A list of integers as one word."""
    return ",".join(str(int(n)) for n in numbers) or "-"


def split(word):
    return [] if word == "-" else [int(n) for n in word.split(",")]


class Record:
    """What one statement gave: a status, and the elements or other bytes that went with it."""

    def __init__(self, status, dtype, shape, payload):
        self.status, self.dtype, self.shape, self.payload = status, dtype, shape, payload

    def array(self):
        """The elements, in their stored dtype; None where no array was shown."""
        if self.dtype is None:
            return None
        return np.frombuffer(self.payload, stored(self.dtype)).reshape(self.shape)

    def key(self):
        return (self.status, self.dtype, self.shape, self.payload)


class Run:
    """What one program did in one mode. `end` is "ended", "crashed" or "too long"; then `place` is the statement, if it
    is known."""

    def __init__(self):
        self.records, self.end, self.place, self.said = {}, "crashed", None, ""


_HEADER = struct.Struct("<IIiiiiqq")


def read_results(path):
    """The runs by number of program, and the number of the last that was begun. A last record that was cut short is
    left out."""
    runs, last, at = {}, None, 0
    data = path.read_bytes()
    while at + _HEADER.size <= len(data):
        kind, program, place, status, dtype, ndim, shape_bytes, payload_bytes = _HEADER.unpack_from(data, at)
        at += _HEADER.size
        if at + shape_bytes + payload_bytes > len(data):
            break
        shape = struct.unpack_from(f"<{shape_bytes // 8}q", data, at)
        payload = data[at + shape_bytes:at + shape_bytes + payload_bytes]
        at += shape_bytes + payload_bytes
        if kind == ord("B"):
            runs[program], last = Run(), program
        elif kind == ord("S"):
            runs[program].records[place] = Record(status, DTYPES[dtype - 1] if dtype else None, shape, payload)
        else:
            runs[program].end = "ended" if kind == ord("E") else "too long"
            runs[program].place = place
    return runs, last
