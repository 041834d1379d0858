# tests/kernels/texture_oracle.py -- what a texture gives, by NumPy: the definitions of the CUDA C++ Programming Guide,
# "Texture Fetching", in float32, with weights of 8 bits after the point, to nearest, ties to even.
from dataclasses import dataclass

import numpy as np

WRAP, CLAMP, MIRROR, BORDER = range(4)
WORDS = ["tex1Dfetch", "tex1D", "tex2D", "tex3D", "tex1DLayered", "tex2DLayered", "tex1DLod", "tex2DLod", "tex3DLod",
         "tex2Dgather"]
AXES = dict(zip(WORDS, (1, 1, 2, 3, 1, 2, 1, 2, 3, 2)))
F = np.float32


@dataclass
class Options:
    channels: int = 1
    layered: bool = False
    modes: tuple = (CLAMP, CLAMP, CLAMP)
    linear: bool = False
    normalized: bool = False
    normalized_float: bool = False


def registers(texels, options):
    """The channels as 32-bit registers: those of floats, or of integers with their signs."""
    if texels.dtype.kind == "f":
        return texels.astype(F).view(np.uint32)
    if options.normalized_float:
        x = texels.astype(F) / F(np.iinfo(texels.dtype).max)
        return np.maximum(x, F(-1)).view(np.uint32)
    return texels.astype(np.int64).astype(np.uint32)


def in_texels(x, extent, mode, options):
    """A coordinate of texels, in float32, each operation rounded."""
    x = F(x)
    if options.normalized:
        if mode == WRAP:
            x = F(x - np.floor(x))
        if mode == MIRROR:
            whole = np.floor(x)
            x = F(x - whole)
            if np.isfinite(whole) and int(whole) % 2:
                x = F(F(1) - x)
        x = F(x * F(extent))
    if np.isnan(x):
        return 0.0
    return float(np.clip(x, -(2.0**40), 2.0**40))


def place(index, extent, mode, options):
    """The index of a texel; None outside of a border."""
    if 0 <= index < extent:
        return index
    if mode == BORDER:
        return None
    if options.normalized and mode == WRAP:
        return index % extent
    if options.normalized and mode == MIRROR:
        return list(range(extent))[::-1][index % extent] if (index // extent) % 2 else index % extent
    return min(max(index, 0), extent - 1)


def neighbours(x, extent, mode, options):
    """The two indices that a coordinate is between, and the weight of the second in 256ths."""
    middle = F(F(in_texels(x, extent, mode, options)) - F(0.5))
    below = int(np.floor(middle))
    part = int(np.rint(float(F(middle - F(below))) * 256))
    return (place(below, extent, mode, options), place(below + 1, extent, mode, options)), part


def texel(data, indices):
    """The four registers at these indices, along x first."""
    out = np.zeros(4, np.uint32)
    if None not in indices:
        channels = data[tuple(reversed(indices))]
        out[: len(channels)] = channels
    return out


def linear(data, at, extents, options):
    sides = [neighbours(x, n, m, options) for x, n, m in zip(at, extents, options.modes)]
    total = None
    for corner in range(2 ** len(sides)):
        indices, weight = [], 1.0
        for axis, (pair, part) in enumerate(sides):
            second = corner >> axis & 1
            indices.append(pair[second])
            weight *= (part if second else 256 - part) / 256
        term = F(weight) * texel(data, indices).view(F)
        total = term if total is None else (total + term).astype(F)
    return total.view(np.uint32)


def gather(data, at, extents, options, channel=0):
    (left, right), _ = neighbours(at[0], extents[0], options.modes[0], options)
    (low, high), _ = neighbours(at[1], extents[1], options.modes[1], options)
    corners = [(left, high), (right, high), (right, low), (left, low)]
    return np.array([texel(data, list(corner))[channel] for corner in corners], np.uint32)


def sample(word, array, at, layer, options):
    """The four registers that a word gives at one place."""
    with np.errstate(all="ignore"):
        texels = array if options.channels > 1 else array[..., None]
        if options.layered:
            texels = texels[min(max(layer, 0), len(texels) - 1)]
        data = registers(texels, options)
        axes = AXES[word]
        data = data.reshape((1,) * (axes - data.ndim + 1) + data.shape)
        extents = data.shape[:-1][::-1][:axes]
        at = list(at)[:axes]
        if word == "tex1Dfetch":
            x = int(at[0])
            return texel(data, [x if 0 <= x < extents[0] else None])
        if word == "tex2Dgather":
            return gather(data, at, extents, options)
        if options.linear:
            return linear(data, at, extents, options)
        nearest = [int(np.floor(in_texels(x, n, m, options))) for x, n, m in zip(at, extents, options.modes)]
        return texel(data, [place(i, n, m, options) for i, n, m in zip(nearest, extents, options.modes)])
