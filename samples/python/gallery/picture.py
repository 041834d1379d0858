# samples/python/gallery/picture.py -- the command line that the scripts share: --plot writes a picture.
"""Each script computes, checks its result against NumPy or what is known of it, and prints one line. With --plot it
also writes NAME.png into the current directory, if matplotlib is installed."""

import argparse
import pathlib
import sys


def wanted(description):
    """True if the command line says --plot."""
    parser = argparse.ArgumentParser(description=description.strip().splitlines()[0])
    parser.add_argument("--plot", action="store_true", help="write a picture (needs matplotlib)")
    return parser.parse_args().plot


def save(draw, title):
    """Lets `draw(axes)` draw, and writes what it drew beside the caller, named as the script is."""
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not installed (pip install matplotlib)", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    draw(axes)
    axes.set_title(title)
    name = pathlib.Path(sys.argv[0]).stem + ".png"
    figure.tight_layout()
    figure.savefig(name, dpi=100)
    print("wrote", name)
