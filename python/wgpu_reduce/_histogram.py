"""Histograms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._array import Array, GpuArray, to_gpu
from ._linear import _contiguous
from ._run import as_array, cast, decoded, narrowed, reduction, run

#: Sums of integers below this are floats.
_WHOLE = 2**53


def histogram(
    a: ArrayLike | GpuArray,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
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
        return np.histogram(np.asarray(array), bins, range, density, weights)
    edges = _edges(array, bins, range, weights)
    x, span = _contiguous(to_gpu(array))
    places = [float(edge) for edge in edges]
    if weights is None:
        counts: Array = x._elements.histogram(span, places).astype(np.intp)
    else:
        counts = _weighted(x, span, places, np.asarray(weights))
    if density:
        counts = counts / np.diff(edges) / counts.sum()
    return counts, edges


def _edges(array: Array | GpuArray, bins: Any, range: Any, weights: Any) -> Array:
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
