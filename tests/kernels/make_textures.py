#!/usr/bin/env python3
"""tests/kernels/make_textures.py -- writes textures.txt: textures, and what kernels read from them.

    tests/kernels/make_textures.py            writes textures.txt; needs NumPy
    tests/kernels/make_textures.py --check    only says whether it is up to date

A line is `word dtype dimensions sizes... channels layered mode_x mode_y mode_z linear normalized normalized_float |
elements in hexadecimal | x y z layer r0 r1 r2 r3; ...`: the bits of three coordinates, the layer, and the four
registers that the word gives there. The numbers are texture_oracle.py's.
"""

import sys
from pathlib import Path

import numpy as np
from texture_oracle import AXES, BORDER, CLAMP, MIRROR, WRAP, Options, sample

OUT = Path(__file__).with_name("textures.txt")
DTYPES = "int8 uint8 int16 uint16 int32 uint32 float16 float32".split()
SPECIAL = [0.0, -0.0, 0.5, 1.0, -1.0, 1.5, 2.0, -0.25, 1e-9, -1e-9, 1e30, -1e30, np.inf, -np.inf, np.nan]


def elements(rng, dtype, shape):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return rng.normal(0, 3, shape).astype(dtype)
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    x.flat[0], x.flat[-1] = info.min, info.max
    return x


def random_options(rng, dtype, layered):
    floats, small = np.dtype(dtype).kind == "f", np.dtype(dtype).itemsize <= 2
    normalized_float = bool(not floats and small and rng.integers(2))
    modes = tuple(int(m) for m in rng.choice([WRAP, CLAMP, MIRROR, BORDER], 3))
    return Options(int(rng.choice([1, 2, 4])), layered, modes, bool((floats or normalized_float) and rng.integers(4)),
                   bool(rng.integers(2)), normalized_float)


def random_texture(rng, word, dtype):
    """An array and its options, such as the word reads."""
    layered = "Layered" in word
    options = random_options(rng, dtype, layered)
    shape = [int(n) for n in rng.integers(1, 6, AXES[word])]
    shape = [int(rng.integers(1, 4))] * layered + shape + [options.channels] * (options.channels > 1)
    return elements(rng, dtype, shape), options


def random_places(rng, word, array, options, count):
    """Coordinates inside, just outside, on the boundaries of texels, and special ones; and layers."""
    widest = max(array.shape)
    at = rng.uniform(-1.5, 2.5, (count, 3)) if options.normalized else rng.uniform(-3, widest + 3, (count, 3))
    on_boundary = rng.random((count, 3)) < 0.3
    at = np.where(on_boundary, np.rint(at * 2) / 2, at)
    special = rng.random((count, 3)) < 0.15
    at = np.where(special, rng.choice(SPECIAL, (count, 3)), at).astype(np.float32)
    if word == "tex1Dfetch":
        at = np.rint(rng.uniform(-3, widest + 3, (count, 3))).astype(np.float32)
    return at, rng.integers(-2, 5, count)


def line_of(rng, word, dtype):
    array, options = random_texture(rng, word, dtype)
    at, layers = random_places(rng, word, array, options, 12)
    head = [word, dtype, array.ndim, *array.shape, options.channels, int(options.layered), *options.modes,
            int(options.linear), int(options.normalized), int(options.normalized_float)]
    bits = array.view(f"u{array.itemsize}").ravel()
    rows = []
    for place, layer in zip(at, layers):
        result = sample(word, array, place, int(layer), options)
        rows.append(" ".join([f"{b:x}" for b in place.view(np.uint32)] + [str(layer)] + [f"{b:x}" for b in result]))
    return " | ".join([" ".join(map(str, head)), " ".join(f"{b:x}" for b in bits), "; ".join(rows)])


def main():
    rng = np.random.default_rng(20260311)
    lines = [line_of(rng, word, dtype) for word in AXES for dtype in DTYPES for _ in range(2)]
    text = "# Written by make_textures.py, which says what the columns are; do not edit.\n" + "\n".join(lines) + "\n"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if OUT.read_text() == text else "tests/kernels/textures.txt is not what make_textures.py writes")
    OUT.write_text(text)
    print(f"{len(lines)} textures")


if __name__ == "__main__":
    main()
