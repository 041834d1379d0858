# bindings/python/gpuopt/_text.py -- tables of numbers in text files, read and written by the library.
import operator
import os

from . import _core


def _text_of(source):
    """The whole text of an open file or of lines."""
    parts = [source.read()] if hasattr(source, "read") else list(source)
    lines = [part.decode("utf-8") if isinstance(part, bytes) else part for part in parts]
    text = "".join(line if line.endswith(("\n", "\r")) or len(lines) == 1 else line + "\n" for line in lines)
    if "\0" in text:
        raise ValueError("loadtxt: there is a NUL character, so that this is no text")
    return text


def _without_comments(source, comments, quote):
    """The lines of a file without all but the first kind of comments, which end them."""
    if quote is not None:
        raise NotImplementedError("loadtxt: several kinds of comments and a quote at once are not supported")
    if isinstance(source, (str, bytes, os.PathLike)):
        with open(source, encoding="utf-8-sig") as file:
            text = file.read()
    else:
        text = _text_of(source)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for comment in comments[1:]:
        lines = [line.partition(comment)[0] for line in lines]
    return lines


def _columns(usecols):
    if usecols is None:
        return None
    try:
        return tuple(map(operator.index, usecols))
    except TypeError:
        return (operator.index(usecols),)


def loadtxt(fname, options, filling, unpack, device):
    delimiter, comments, quote, missing, usecols, skiprows, max_rows, ndmin, dtype = options
    if isinstance(comments, bytes):
        comments = comments.decode()
    if isinstance(comments, (tuple, list)):
        comments = [one.decode() if isinstance(one, bytes) else one for one in comments]
        if len(comments) > 1:
            fname, comments = _without_comments(fname, comments, quote), comments[:1]
        comments = comments[0] if comments else None
    options = (delimiter, "" if comments is None else comments, quote, missing, _columns(usecols), skiprows, max_rows)
    options += (ndmin, dtype, filling)
    if isinstance(fname, (str, bytes, os.PathLike)):
        x = _core.gpuopt_loadtxt(device, os.fsdecode(fname), options)
    else:
        text = _text_of(fname)
        x = _core.gpuopt_loadtxt_memory(device, text, len(text.encode("utf-8")), options)
    return x.T if unpack else x


def convert_text(arguments, quotechar, device):
    """What numpy.loadtxt makes of a text by functions of Python's."""
    import numpy

    from ._convert import from_numpy

    read = numpy.loadtxt(*arguments, quotechar=quotechar)
    return tuple(from_numpy(x, device) for x in read) if isinstance(read, (tuple, list)) else from_numpy(read, device)


def savetxt(fname, x, fmt, texts):
    delimiter = texts[0]
    if isinstance(fmt, (tuple, list)):
        if x.ndim and len(fmt) != (x.shape[1] if x.ndim == 2 else 1):
            raise AttributeError(f"fmt has wrong shape.  {fmt}")
        fmt = delimiter.join(fmt)
    _core.gpuopt_savetxt(x, os.fspath(fname), (fmt, *texts))
