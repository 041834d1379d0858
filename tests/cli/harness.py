# tests/cli/harness.py -- runs the gpuopt command, with or without a terminal; .npy files written and read by hand.
import json
import os
import pty
import re
import struct
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(os.environ["GPUOPT_SOURCE_DIR"])
COMMAND = os.environ["GPUOPT_COMMAND"]


def environment(extra):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GPUOPT_")
            and k not in ("ARRAY_MODULE", "NO_COLOR")}
    return {**kept, "GPUOPT_DISABLE": "", "GPUOPT_CPU_TIER_UP": "off", **extra}


def gpuopt(*arguments, **extra):
    """The finished process; settings as keywords."""
    return subprocess.run([COMMAND, *map(str, arguments)], env=environment(extra), capture_output=True, text=True)


def on_terminal(*arguments, stream="stdout", **extra):
    """What the command writes to one stream where that is a terminal, the other being none."""
    ours, its = pty.openpty()
    other = "stderr" if stream == "stdout" else "stdout"
    process = subprocess.Popen([COMMAND, *map(str, arguments)], env=environment({"TERM": "xterm", **extra}),
                               **{stream: its, other: subprocess.DEVNULL})
    os.close(its)
    text = b""
    while True:
        try:
            got = os.read(ours, 65536)
        except OSError:  # how Linux says that nobody has the terminal open any more
            break
        if not got:
            break
        text += got
    os.close(ours)
    process.wait()
    return text.decode()


def strict_json(text):
    """One JSON value and nothing else; NaN and Infinity, which Python would take, are none."""

    def refuse(word):
        raise ValueError(word + " is no JSON")

    return json.loads(text, parse_constant=refuse)


def npy_bytes(descr, shape, data, fortran=False, extra=""):
    """A file as NumPy writes it; `extra`: more text inside of the header's braces."""
    shape_text = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape_text}, {extra}}}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def read_npy(data):
    """(descr, shape, numbers) of a C-ordered file of real numbers."""
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10 : 10 + length].decode())  # a dict literal, of a file this test made
    assert data[:6] == b"\x93NUMPY" and not header["fortran_order"] and (10 + length) % 64 == 0
    code = {"f4": "f", "f8": "d", "i4": "i", "i8": "q", "i1": "b", "u1": "B", "b1": "?"}[header["descr"][1:]]
    body = data[10 + length :]
    return header["descr"], header["shape"], list(struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body))


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name).resolve()

    def write(self, name, data):
        path = self.scratch / name
        path.write_bytes(data)
        return path

    def doubles(self, name, numbers, shape=None):
        return self.write(name, npy_bytes("<f8", shape or (len(numbers),), struct.pack(f"<{len(numbers)}d", *numbers)))

    def archive(self, name, members):
        with zipfile.ZipFile(self.scratch / name, "w") as file:
            for member, data in members.items():
                file.writestr(member + ".npy", data)
        return self.scratch / name

    def expect(self, status, *arguments, **extra):
        """Runs, and wants this exit status; nothing on stderr unless it is a failure."""
        result = gpuopt(*arguments, **extra)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        if status < 2:
            self.assertEqual(result.stderr, "")
        else:
            self.assertRegex(result.stderr, r"^gpuopt: ")
        return result.stdout if status != 2 else result.stderr

    def expect_json(self, status, *arguments, **extra):
        return strict_json(self.expect(status, *arguments, "--json", **extra))


def documented_keys(command):
    """The words of a command's help behind "JSON keys:"."""
    text = gpuopt("help", *command.split()).stdout
    return set(re.findall(r"[a-z_]+", text[text.index("JSON keys:") :]))


def all_keys(value):
    if isinstance(value, dict):
        return set(value) | set().union(*(all_keys(v) for v in value.values())) if value else set()
    return set().union(*(all_keys(v) for v in value)) if isinstance(value, list) and value else set()
