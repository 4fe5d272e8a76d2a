"""Histograms."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._array import Array, GpuArray, to_gpu
from ._device import Device, is_on_host, placed
from ._files import FileArray, needs_all
from ._linear import _contiguous
from ._run import Given, Input, as_array, cast, decoded, narrowed, reduction, run

#: Sums of integers below this are floats.
_WHOLE = 2**53


@placed
def histogram(
    a: Input,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
    *,
    device: Device = None,
) -> tuple[Array, Array]:
    """Histogram of elements.

    Takes and returns what `numpy.histogram` does. Weights are floats, or integers that add up to less than
    2^53; sums of them are exact and rounded once. Integers are not rounded before they are counted. Edges
    are finite, two or more, and the same as `float64`.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> counts, edges = wr.histogram([1, 2, 1, 4], bins=[0, 2, 3, 5])
    >>> counts, edges
    (array([2, 1, 1]), array([0, 2, 3, 5]))
    """
    array = as_array(a)
    if array.dtype.kind == "b":
        array = cast(array, np.uint8)
    if array.size == 0:
        return np.histogram(np.empty(array.shape, array.dtype), bins, range, density, weights)
    if isinstance(array, FileArray) and weights is not None:
        raise TypeError(needs_all(array, "weights="))
    edges = _edges(array, bins, range, weights)
    counts = counted(array, [float(edge) for edge in edges], weights)
    if density:
        counts = counts / np.diff(edges) / counts.sum()
    return counts, edges


def counted(array: Given, edges: list[float], weights: ArrayLike | None) -> Array:
    """Count the elements between edges, or sum their weights."""
    if isinstance(array, FileArray):
        if not is_on_host():
            return decoded(array._binned(edges)).astype(np.intp)
        with contextlib.closing(array.pieces()) as pieces:
            return functools.reduce(np.add, (counted(piece, edges, None) for piece in pieces))
    x, span = _contiguous(to_gpu(array))
    if weights is None:
        return x._elements.histogram(span, edges).astype(np.intp)
    return _weighted(x, span, edges, np.asarray(weights))


def _edges(array: Given, bins: Any, range: Any, weights: Any) -> Array:
    """Return NumPy's own edges, for which it mostly needs no more than the ends of the data."""
    sample = np.zeros(1, array.dtype)
    given = bins if np.ndim(bins) else range
    if given is None:
        given = sample = run("min_max", reduction(array, None)).astype(array.dtype)
    for edge in given:
        if isinstance(edge, (int, np.integer)) and float(edge) != int(edge):
            raise ValueError(f"an edge must not change as float64, as {edge} would")
    if isinstance(bins, str):
        return np.histogram_bin_edges(np.asarray(array), bins, range, weights)
    return np.histogram_bin_edges(sample, bins, range)


def _weighted(x: GpuArray, span: tuple[int, int], edges: list[float], weights: Array) -> Array:
    if weights.shape != x.shape:
        raise ValueError("weights should have the same shape as a.")
    dtype = weights.dtype
    if dtype.kind in "biu":
        if int(np.abs(weights.astype(np.float64)).max()) * weights.size >= _WHOLE:
            raise ValueError("weights that are integers must add up to less than 2^53")
        weights = weights.astype(np.float64)
    elif dtype == np.float16:
        weights = weights.astype(np.float32)
    cells = x._elements.histogram_weighted(span, edges, to_gpu(weights)._elements)
    return narrowed(decoded(cells), dtype)
