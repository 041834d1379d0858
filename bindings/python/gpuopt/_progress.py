# bindings/python/gpuopt/_progress.py -- large .npy files read and written in parts, with a line that tells how far.
"""Where a person waits, at a terminal or in a notebook, a file of a quarter of a gigabyte or more is copied in parts:
a line on stderr says how much of it is done, and Ctrl-C ends it. All other files are the library's."""

import os
import sys
import time

from . import _convert, _core

LEAST = 1 << 28  # bytes of a file
_PART = 1 << 24  # bytes copied at once


def wanted(size):
    """Whether an operation on so many bytes is to tell how far it is."""
    return size >= LEAST and (sys.stderr.isatty() or "ipykernel" in sys.modules)


class _Line:
    """The line, written at most ten times a second, and not in the first half."""

    def __init__(self, what, total):
        self.what, self.total, self.next, self.shown = what, total, time.monotonic() + 0.5, False

    def tell(self, done):
        now = time.monotonic()
        if now < self.next:
            return
        self.next, self.shown = now + 0.1, True
        share = 100 * done // self.total
        sys.stderr.write(f"\r{self.what}: {share} % of {self.total / 1e9:.1f} GB")
        sys.stderr.flush()

    def end(self):
        if self.shown:
            sys.stderr.write("\r\x1b[K")  # ECMA-48: erases the line
            sys.stderr.flush()


def _parts(what, x, step):
    """Calls step(begin, end) for parts of the elements of x, of NumPy's, one after the other."""
    line, count = _Line(what, max(x.nbytes, 1)), max(_PART // x.itemsize, 1)
    try:
        for begin in range(0, x.size, count):
            step(begin, min(begin + count, x.size))
            line.tell(begin * x.itemsize)
    finally:
        line.end()


def load(path, device):
    """The array of a .npy file; None if it is none that can be copied in parts."""
    import numpy

    source = numpy.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(source, numpy.ndarray) or not source.flags.c_contiguous or source.dtype.kind not in "biufc":
        return None
    flat, result = source.reshape(-1), _core.gpuopt_empty(device, source.dtype, 1, (source.size,))

    def step(begin, end):
        result[begin:end] = _convert.from_numpy(flat[begin:end], device)
        _core.eval(result)

    _parts(f"loading {os.path.basename(path)}", flat, step)
    return result.reshape(source.shape)


def save(path, x):
    """Writes x to a .npy file, by another name until it is whole."""
    import numpy

    hidden = f"{path}.{os.getpid()}.part"
    flat = x.reshape(-1)
    try:
        target = numpy.lib.format.open_memmap(hidden, "w+", x.dtype, x.shape)
        to = target.reshape(-1)

        def step(begin, end):
            to[begin:end] = _convert.asnumpy(flat[begin:end])

        _parts(f"saving {os.path.basename(path)}", to, step)
        target.flush()
        os.replace(hidden, path)
    finally:
        if os.path.exists(hidden):
            os.unlink(hidden)
