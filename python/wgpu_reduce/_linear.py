"""Dot products, norms and log-sum-exp."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ._array import Array, GpuArray, to_gpu
from ._device import Device, placed
from ._run import (
    Given,
    Input,
    Reduction,
    as_array,
    cast,
    decoded,
    deliver,
    merged_of_span,
    narrowed,
    nothing_as_numpy,
    reduction,
    rounded_once,
    run,
)


def _contiguous(x: GpuArray) -> tuple[GpuArray, tuple[int, int]]:
    span = x._span()
    if span is None:
        x = to_gpu(np.asarray(x))
        span = (0, x.size)
    return x, span


@placed
def dot(
    a: Input,
    b: Input,
    *,
    exact: bool = False,
    device: Device = None,
) -> Any:
    """Dot product of two vectors.

    Parameters
    ----------
    a, b : array_like or GpuArray
        Vectors of the same length. Their elements become `numpy.result_type(a, b)`.
    exact : bool, optional
        Whether the result of floats is the real one, rounded once: no product is rounded, and none
        overflows. That of `float16` is a `float32`.

    Returns
    -------
    scalar
        Of the elements' type, in which integers wrap; of bool whether any pair is true.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> float(wr.dot([1.0, 2.0], [0.5, 4.0]))
    8.5
    >>> float(wr.dot([1e200, 1.0], [1e200, 2.0])), float(wr.dot([1e16, 1.0], [1.0, 1.0], exact=True))
    (inf, 1e+16)
    """
    one, two = as_array(a), as_array(b)
    if one.ndim != 1 or one.shape != two.shape:
        raise ValueError(f"shapes {one.shape} and {two.shape} are not those of two vectors alike")
    dtype = np.result_type(one.dtype, two.dtype)
    if dtype.kind in "iu" and dtype.itemsize == 8:
        # Products of 64 bits wrap on the host: the library's have 128, and it has none of these.
        products = np.multiply(np.asarray(one), np.asarray(two), dtype=dtype)
        return narrowed(run("sum", reduction(products, None)), dtype)[()] if one.size else dtype.type(0)
    if exact:
        dtype = rounded_once(dtype)
    x, span = _contiguous(to_gpu(cast(one, dtype)))
    y, other = _contiguous(to_gpu(cast(two, dtype)))
    if exact and dtype.kind == "f":
        cells = x._elements.dot_exact(span, y._elements, other)
    else:
        cells = x._elements.dot(span, y._elements, other)
    return narrowed(decoded(cells)[0], dtype)[()]


@placed
def vdot(
    a: Input,
    b: Input,
    *,
    exact: bool = False,
    device: Device = None,
) -> Any:
    """Dot product of two arrays as vectors, in row-major order.

    Takes and returns what `numpy.vdot` does; `exact` is that of `dot`.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> int(wr.vdot([[1, 2], [3, 4]], [[1, 0], [0, 1]]))
    5
    """
    return dot(_flat(as_array(a)), _flat(as_array(b)), exact=exact)


@placed
def vecdot(
    a: Input,
    b: Input,
    *,
    axis: int = -1,
    device: Device = None,
) -> Any:
    """Dot products of vectors along an axis.

    Takes and returns what `numpy.vecdot` does with these arguments: arrays that broadcast to one shape.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> wr.vecdot([[1, 2], [3, 4]], [[1, 1], [2, 0]])
    array([3, 6])
    """
    one, two = as_array(a), as_array(b)
    dtype = np.result_type(one.dtype, two.dtype)
    lengths = [x.shape[normalize_axis_index(axis, x.ndim)] for x in (one, two) if x.ndim]
    if len(lengths) < 2 or lengths[0] != lengths[1]:
        raise ValueError(f"shapes {one.shape} and {two.shape} have no vectors alike along axis {axis}")
    if one.shape != two.shape:
        last = (np.moveaxis(np.asarray(one), axis, -1), np.moveaxis(np.asarray(two), axis, -1))
        one, two = np.broadcast_arrays(*last)
        axis = -1
    of_one, of_two = (reduction(cast(x, dtype), axis, of_number=False) for x in (one, two))
    if dtype.kind in "iu" and dtype.itemsize == 8 or not one.size:
        # Products of 64 bits wrap on the host: the library's have 128, and it has none of these.
        rows = (of.in_rows(of.host) for of in (of_one, of_two))
        return np.asarray(np.vecdot(*rows))[()]
    return deliver(narrowed(dots(of_one, of_two), dtype).reshape(of_one.kept), of_one, False, None)


def dots(of_one: Reduction, of_two: Reduction) -> Array:
    """Multiply the elements of each result of two arrays that are alike, and add them up."""
    x, span = _contiguous(of_one.x)
    y, other = _contiguous(of_two.x)
    strided, axes = merged_of_span(of_one)
    return decoded(x._elements.dot_along(span, y._elements, other, strided, axes))


def _flat(a: Given) -> Array | GpuArray:
    if isinstance(a, GpuArray) and (span := a._span()):
        return a._viewed((a.size,), (1,), span[0])
    return np.asarray(a).reshape(-1)


#: Orders of norms, and the operations that they are.
_NORMS = {None: "norm_l2", "fro": "norm_l2", 2: "norm_l2", 1: "norm_l1", np.inf: "norm_max", 0: "count_nonzero"}


@placed
@nothing_as_numpy(np.linalg.norm)
def norm(
    x: Input,
    ord: Any = None,
    axis: Any = None,
    keepdims: bool = False,
    *,
    device: Device = None,
) -> Any:
    """Norm of vectors; safe from overflow and underflow.

    Parameters
    ----------
    x : array_like or GpuArray
        The elements; integers become `float64`.
    ord : {None, 2, 1, inf, 0, 'fro'}, optional
        As that of `numpy.linalg.norm`, for vectors. Of a matrix there are None and 'fro' alone.
    axis : None, int or tuple of two ints, optional
        The axis of the vectors, or the axes of the matrices.
    keepdims : bool, optional
        Whether the axes stay, with length one.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> float(wr.norm([3e200, 0.0]))
    3e+200
    """
    array = as_array(x)
    if array.dtype.kind != "f":
        array = cast(array, np.float64)
    of = reduction(array, axis, of_number=False)
    if axis is not None and len(of.axes) not in (1, 2):
        raise ValueError("Improper number of dimensions to norm.")
    is_matrix = len(of.axes) == 2
    known = isinstance(ord, Hashable) and ord in _NORMS
    if not known or (ord == "fro" and not is_matrix):
        raise ValueError(f"Invalid norm order {ord!r} for vectors.")
    if ord is not None and len(of.axes) != 1 and not (ord == "fro" and is_matrix):
        raise ValueError(f"norms of order {ord!r} are for vectors: name one axis")
    return deliver(narrowed(run(_NORMS[ord], of), array.dtype), of, keepdims, None)


@placed
def logsumexp(
    a: Input,
    axis: Any = None,
    *,
    keepdims: bool = False,
    device: Device = None,
) -> Any:
    """Logarithm of the sum of exponentials, safe from overflow.

    Takes and returns what `scipy.special.logsumexp` does with these arguments. The exponentials of
    `float64` and of integers are computed on the host.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> wr.logsumexp(np.float32([1000.0, -np.inf]))
    np.float32(1000.0)
    """
    array = as_array(a)
    if array.dtype.kind == "f" and array.dtype.itemsize < 8:
        of = reduction(array, axis)
        if of.count == 0:
            return deliver(np.full(of.kept, -np.inf, array.dtype), of, keepdims, None)
        return deliver(narrowed(run("log_sum_exp", of), array.dtype), of, keepdims, None)
    host = np.asarray(cast(array, np.float64))
    of = reduction(host, axis)
    if of.count == 0:
        return deliver(np.full(of.kept, -np.inf), of, keepdims, None)
    most = of.with_ones(run("max", of))
    with np.errstate(all="ignore"):
        shifted = np.exp(host - np.where(np.isfinite(most), most, 0))
        result = np.log(of.with_ones(run("sum", reduction(shifted, of.axes)))) + np.where(
            np.isfinite(most), most, 0
        )
    return deliver(result.reshape(of.kept), of, keepdims, None)
