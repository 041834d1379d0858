# bindings/python/gpuopt/compiled/errors.py -- what does not compile, told with the place in the Python source.
from .._errors import CompileError


class TypingError(CompileError, TypeError):
    """A Python function that cannot be compiled: the message has file and line, the line itself with a caret under
    what is meant, and the types of the operands."""


class Unsupported(TypingError):
    """Python that compiled functions do not have."""


def located(message, source, node, kind=TypingError):
    """An error at a node of a function's syntax tree."""
    line, column = source.place(node)
    text = source.line(line)
    caret = (
        f"\n    {text.strip()}\n    {' ' * max(column - (len(text) - len(text.lstrip())), 0)}^" if text.strip() else ""
    )
    error = kind(f"{source.filename}:{line}:{column + 1}: {message}{caret}")
    error.filename, error.lineno, error.offset = source.filename, line, column + 1
    return error
