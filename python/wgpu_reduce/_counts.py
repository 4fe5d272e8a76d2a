"""How often values occur."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._array import Array
from ._device import Device, placed
from ._files import FileArray, needs_all
from ._histogram import counted
from ._run import Given, Input, as_array, cast, reduction, run

#: Bins that are counted on the GPU.
_MOST = 1 << 20
#: Integers that are floats.
_WHOLE = 1 << 53

_UniqueCounts: Any = type(np.unique_counts(np.zeros(0)))


@placed
def bincount(
    x: Input,
    /,
    weights: ArrayLike | None = None,
    minlength: int = 0,
    *,
    device: Device = None,
) -> Array:
    """Count how often each integer from 0 on occurs, or sum weights of each.

    Takes and returns what `numpy.bincount` does. Sums of weights are exact, and rounded once.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> wr.bincount([0, 2, 2, 5])
    array([1, 0, 2, 0, 0, 1])
    """
    array = as_array(x)
    if isinstance(array, FileArray) and weights is not None:
        raise TypeError(needs_all(array, "weights="))
    if array.ndim != 1 or array.size == 0:
        nothing = np.empty((0,) * array.ndim, array.dtype if array.size else np.intp)
        return np.bincount(nothing, weights, minlength)
    # NumPy's error for types: versions of it differ in which they take.
    np.bincount(np.zeros(1, array.dtype))
    least, most = _ends(array)
    length = max(most + 1, operator.index(minlength))
    by = None if weights is None else np.asarray(weights).astype(np.float64, casting="safe")
    if least < 0 or minlength < 0 or (by is not None and by.shape != array.shape):
        # NumPy's error for one element that is as wrong.
        return np.bincount([least], by[:0] if by is not None and by.ndim else by, minlength)
    if length > _MOST:
        return np.bincount(np.asarray(array), by, minlength)
    counts = counted(_whole(array), [float(edge) for edge in range(length + 1)], by)
    return counts if by is None else counts.astype(np.float64)


@placed
def unique_counts(
    x: Input,
    *,
    device: Device = None,
) -> Any:
    """Find the values that occur, in order, and how often each does.

    Takes and returns what `numpy.unique_counts` does. The GPU counts integers that span less than 2^20, and
    less than 4 times their number and 1024.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> found = wr.unique_counts([7, 3, 7, 7])
    >>> found.values, found.counts
    (array([3, 7]), array([1, 3]))
    """
    array = as_array(x)
    if array.dtype.kind in "biu" and array.size:
        least, most = _ends(array)
        if most - least < min(_MOST, 1024 + 4 * array.size) and max(-least, most + 1) < _WHOLE:
            edges = [float(edge) for edge in range(least, most + 2)]
            counts = counted(_whole(array), edges, None)
            occur = np.flatnonzero(counts)
            return _UniqueCounts((occur + least).astype(array.dtype), counts[occur])
    return np.unique_counts(np.asarray(array))


def _ends(array: Given) -> tuple[int, int]:
    least, most = run("min_max", reduction(array, None))
    return int(least), int(most)


def _whole(array: Given) -> Given:
    return cast(array, np.uint8) if array.dtype.kind == "b" else array
