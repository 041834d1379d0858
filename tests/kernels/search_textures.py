#!/usr/bin/env python3
"""tests/kernels/search_textures.py -- compares textures with NumPy on random arrays, options and coordinates.

    GPUOPT_TEST_SEARCH_SECONDS=600 tests/kernels/search_textures.py [SEED]

Needs the Python package. It runs 10 seconds unless told otherwise, and ends with status 1 at the first difference,
which it prints.
"""

import os
import re
import sys
import time
from pathlib import Path

import gpuopt as gp
import numpy as np
from gpuopt import _core
from make_textures import DTYPES, random_places, random_texture
from texture_oracle import AXES, WORDS, sample

COUNT = 64


def kernel():
    text = (Path(__file__).parent / "textures.h").read_text()
    return gp.RawKernel(re.search(r'kSampleTexture = \{"sample", R"\((.*?)\)"\};', text, re.S)[1], "sample")


def view_of(rng, array):
    """The same elements on the device, some of them backwards in memory or with gaps."""
    for axis in range(array.ndim):
        if rng.integers(2):
            return gp.flip(gp.asarray(np.flip(array, axis)), axis=axis)
    if rng.integers(2):
        return gp.asarray(np.repeat(array, 2, 0))[::2]
    return gp.asarray(array)


def one(rng, run):
    word, dtype = str(rng.choice(WORDS)), str(rng.choice(DTYPES))
    array, options = random_texture(rng, word, dtype)
    at, layers = random_places(rng, word, array, options, COUNT)
    texture = _core.texture_create(view_of(rng, array), options.channels, int(options.layered), 0, *options.modes,
                                   int(options.linear), int(options.normalized), int(options.normalized_float))
    out = gp.zeros((COUNT, 4), "uint32")
    run((2,), (32,), (np.int32(WORDS.index(word)), np.uint64(texture[1]), gp.asarray(at),
                      gp.asarray(layers.astype(np.int32)), out, np.int32(COUNT)))
    got = out.get()
    for place, layer, registers in zip(at, layers, got):
        expected = sample(word, array, place, int(layer), options)
        both_nan = np.isnan(registers.view(np.float32)) & np.isnan(expected.view(np.float32))
        if not np.all((registers == expected) | both_nan):
            sys.exit(f"{word} {dtype} {array.shape} {options}\nat {place} layer {layer}: {registers} is not {expected}")


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else int(time.time())
    rng, run, cases = np.random.default_rng(seed), kernel(), 0
    end = time.monotonic() + float(os.environ.get("GPUOPT_TEST_SEARCH_SECONDS", "10"))
    while time.monotonic() < end:
        one(rng, run)
        cases += 1
    print(f"seed {seed}: {cases} textures of {len(AXES)} words, {cases * COUNT} places: no difference")


if __name__ == "__main__":
    main()
