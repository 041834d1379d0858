# bindings/python/gpuopt/_results.py -- what functions with several results return: tuples whose elements have names.
"""Loaded by the first such function: `typing`, which makes these classes, costs more than all of gpuopt."""

from typing import NamedTuple

from ._core import ndarray


class EighResult(NamedTuple):
    """What linalg.eigh returns."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class EigResult(NamedTuple):
    """What linalg.eig returns."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class QRResult(NamedTuple):
    """What linalg.qr returns, but for the mode "r"."""

    Q: ndarray
    R: ndarray


class SlogdetResult(NamedTuple):
    """What linalg.slogdet returns."""

    sign: ndarray
    logabsdet: ndarray


class SVDResult(NamedTuple):
    """What linalg.svd returns."""

    U: ndarray
    S: ndarray
    Vh: ndarray


class UniqueAllResult(NamedTuple):
    """What unique_all returns."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """What unique_counts returns."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """What unique_inverse returns."""

    values: ndarray
    inverse_indices: ndarray
