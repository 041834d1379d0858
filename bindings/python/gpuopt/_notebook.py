# bindings/python/gpuopt/_notebook.py -- what notebooks show: an array as a table of facts and a small picture, and the
# magic %%gpuopt.
"""`%load_ext gpuopt` in IPython adds `%%gpuopt`, which runs a cell and then tells what the library did for it."""

import html

_SIDE = 16  # squares of the picture along each side, at most
_MOST = 1 << 20  # elements of an array of which a picture is made: more would be copied from a GPU's memory


def _samples(x):
    """At most 16 times 16 numbers of the last two axes of `x`, spread evenly, as rows; None where there are none."""
    import numpy

    if x.ndim == 0 or x.size == 0 or x.size > _MOST:
        return None
    values = numpy.asarray(x if x.device.host_memory else x.to_device("cpu"))
    while values.ndim > 2:
        values = values[0]
    values = values.reshape(-1, values.shape[-1])
    rows, columns = (numpy.linspace(0, n - 1, min(n, _SIDE)).astype(int) for n in values.shape)
    values = values[numpy.ix_(rows, columns)]
    values = abs(values) if values.dtype.kind == "c" else values
    return values.astype(float)


def _picture(x):
    """An SVG with a grey square for each sample: the least one light, the greatest dark, NaN and infinities red."""
    import numpy

    values = _samples(x)
    if values is None:
        return ""
    finite = values[numpy.isfinite(values)]
    least, most = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    # Halves, because the difference of two large numbers is not always finite.
    span = most / 2 - least / 2
    squares = []
    for (row, column), value in numpy.ndenumerate(values):
        grey = int(240 - 200 * ((value / 2 - least / 2) / span if span else 0.0)) if numpy.isfinite(value) else None
        colour = "#c33" if grey is None else f"rgb({grey},{grey},{grey})"
        squares.append(f'<rect x="{column * 6}" y="{row * 6}" width="6" height="6" fill="{colour}"/>')
    height, width = (6 * n for n in values.shape)
    return f'<svg width="{width}" height="{height}" role="img">{"".join(squares)}</svg>'


def html_of(x):
    """The shape, dtype, device and values of `x` as HTML, with a small picture of them."""
    facts = f"shape {x.shape} &middot; {html.escape(str(x.dtype))} &middot; {html.escape(str(x.device))}"
    return f"<div>{_picture(x)}<div><small>{facts}</small></div><pre>{html.escape(repr(x))}</pre></div>"


def _cell(shell, line, cell):
    """%%gpuopt: runs the cell as IPython would, and prints what the default device computed and how long it took."""
    import time

    from . import _core

    before, start = _core.engine_stats(None), time.perf_counter()
    result = shell.run_cell(cell)
    seconds, after = time.perf_counter() - start, _core.engine_stats(None)
    ran = {name: after[name] - before[name] for name in ("operations", "programs")}
    print(
        f"gpuopt: {ran['operations']} operations recorded, {ran['programs']} programs run, {after['pending']} "
        f"operations pending; {1000 * seconds:.1f} ms"
    )
    result.raise_error()
    return result.result


def load(shell):
    """Adds the magic to IPython's shell."""
    shell.register_magic_function(lambda line, cell: _cell(shell, line, cell), magic_kind="cell", magic_name="gpuopt")
