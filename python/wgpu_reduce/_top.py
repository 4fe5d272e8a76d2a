"""The largest and smallest elements, with their places."""

from __future__ import annotations

import operator
from typing import NamedTuple, SupportsIndex

import numpy as np

from ._array import Array
from ._device import Device, placed
from ._run import CELL_BYTES, Input, as_array, decoded, narrowed, ranked, reduction


class Top(NamedTuple):
    """Elements in order, and the index of each."""

    values: Array
    indices: Array


@placed
def topk(
    a: Input,
    k: SupportsIndex,
    axis: int | None = None,
    *,
    device: Device = None,
) -> Top:
    """Return the k largest elements, from the largest on, and their indices.

    Parameters
    ----------
    a : array_like or GpuArray
        The elements.
    k : int
        How many, as many as there are at most.
    axis : int, optional
        The axis to find them along; without it they are those of the flattened array.

    Returns
    -------
    values, indices : ndarray
        Of equal elements the first comes first. NaN comes before all numbers.

    Raises
    ------
    ValueError
        If there are fewer elements.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> values, indices = wr.topk([3, 9, 5, 9], 3)
    >>> values, indices
    (array([9, 9, 5]), array([1, 3, 2]))
    """
    return _top(a, k, axis, is_largest=True)


@placed
def bottomk(
    a: Input,
    k: SupportsIndex,
    axis: int | None = None,
    *,
    device: Device = None,
) -> Top:
    """Return the k smallest elements, from the smallest on, and their indices.

    Takes and returns what `topk` does, but NaN comes behind all numbers.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> wr.bottomk([[3, 1], [2, 5]], 1, axis=1).values
    array([[1],
           [2]])
    """
    return _top(a, k, axis, is_largest=False)


def _top(a: Input, k: SupportsIndex, axis: int | None, is_largest: bool) -> Top:
    if isinstance(axis, tuple):
        raise TypeError("'tuple' object cannot be interpreted as an integer")
    of, many = reduction(as_array(a), axis, of_number=False), operator.index(k)
    if not 0 <= many <= of.count:
        raise ValueError(f"k={many} is not from 0 to the number of elements, {of.count}")
    shape, last = (*of.kept, many), -1 if axis is None else axis
    if many == 0 or of.source.size == 0:
        values, indices = np.empty(shape, of.source.dtype), np.empty(shape, np.intp)
    else:
        found = ranked(of, "top", many, is_largest)
        values = np.concatenate([decoded(cells) for cells in found]).reshape(shape)
        half = CELL_BYTES // 2
        places = [cells[0].view("<u8")[half // 8 :: CELL_BYTES // 8] for cells in found]
        indices = np.concatenate(places).astype(np.intp).reshape(shape)
    values = narrowed(values, of.source.dtype)
    return Top(np.moveaxis(values, -1, last), np.moveaxis(indices, -1, last))
