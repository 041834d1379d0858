# bindings/python/gpuopt/_log.py -- the library's log records as records of Python's logging.
_LEVELS = {1: "ERROR", 2: "WARNING", 3: "INFO", 4: "DEBUG"}


def record(level, event, line):
    """Hands one record on; `event` is its stable name, as "backend.fallback"."""
    import logging

    logging.getLogger("gpuopt").log(getattr(logging, _LEVELS.get(level, "INFO")), "%s", line, extra={"event": event})
