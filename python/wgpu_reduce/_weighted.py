"""Weighted averages, covariances and correlations."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.typing import ArrayLike, DTypeLike

from ._array import Array, to_gpu, unmasked
from ._device import Device, placed
from ._linear import dots
from ._reductions import mean, sum
from ._run import (
    Given,
    Input,
    Reduction,
    as_array,
    cast,
    decoded,
    deliver,
    in_rows,
    narrowed,
    nothing_as_numpy,
)

#: Variables whose products are found on the GPU, one by one; those of more are a matrix product of the host.
_MOST_VARIABLES = 16


@placed
@nothing_as_numpy(np.average)
def average(
    a: Input,
    axis: Any = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
    device: Device = None,
) -> Any:
    """Weighted average of elements.

    Takes and returns what `numpy.average` does: with `returned` also the sum of the weights.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> float(wr.average([1.0, 2.0, 6.0], weights=[1, 1, 2]))
    3.75
    """
    array = as_array(a)
    if weights is None:
        result = mean(array, axis, keepdims=keepdims)
        total = result.dtype.type(array.size / np.size(result))
    else:
        result, total = _averaged(array, axis, unmasked(weights), keepdims)
    if not returned:
        return result
    return result, np.broadcast_to(total, np.shape(result)).copy()[()]


def _averaged(array: Given, axis: Any, weights: Array, keepdims: bool) -> tuple[Any, Any]:
    axes = tuple(range(array.ndim)) if axis is None else normalize_axis_tuple(axis, array.ndim)
    spread = _spread(array, axes, axis is None, weights)
    float_at_least = np.float64 if array.dtype.kind in "biu" else array.dtype
    dtype = np.result_type(array.dtype, weights.dtype, float_at_least)
    of = Reduction(cast(array, dtype), axes)
    by = Reduction(spread.astype(dtype), axes)
    total = sum(by.host, axes, keepdims=keepdims)
    if np.any(total == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    products = narrowed(dots(in_rows(of), in_rows(by)), dtype).reshape(of.kept)
    with np.errstate(all="ignore"):
        return deliver(products, of, keepdims, None) / total, total


def _spread(array: Given, axes: tuple[int, ...], is_whole: bool, weights: Array) -> Array:
    """Return a weight for each element."""
    if weights.shape == array.shape:
        return weights
    if is_whole:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if weights.shape != tuple(array.shape[axis] for axis in axes):
        what = "Shape of weights must be consistent with shape of a along specified axis."
        raise ValueError(what)
    order = np.argsort(axes)
    shape = [n if i in axes else 1 for i, n in enumerate(array.shape)]
    return np.broadcast_to(weights.transpose(order).reshape(shape), array.shape)


@placed
def cov(
    m: Input,
    y: Input | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: DTypeLike | None = None,
    device: Device = None,
) -> Any:
    """Covariances of variables, of which each is a row.

    Takes and returns what `numpy.cov` does. Up to 16 variables have their dot products on the GPU.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> wr.cov([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    numpys: Any = np.cov
    given = [as_array(m)] if y is None else [as_array(m), as_array(y)]
    for array in given:
        if array.ndim > 2:
            raise ValueError(f"there are variables of {array.ndim} dimensions, and 2 are the most")
    dtype = (
        np.result_type(*(array.dtype for array in given), np.float64) if dtype is None else np.dtype(dtype)
    )
    if dtype.kind in "biu":
        raise TypeError(f"dtype={dtype}: a covariance is a float")
    variables = [_variables(array, rowvar, dtype, is_y=i > 0) for i, array in enumerate(given)]
    if not len(variables[0]):
        return np.empty((0, 0))
    rows = np.concatenate(variables)
    if rows.size == 0:
        hosts = [*map(np.asarray, given), None]
        return numpys(hosts[0], hosts[1], rowvar, bias, ddof, fweights, aweights)
    with np.errstate(all="ignore"):
        # NumPy's errors for weights; there is no warning without degrees of freedom.
        numpys(rows[0], None, True, bias, 0, fweights, aweights)
    freedom = (0 if bias else 1) if ddof is None else int(ddof)
    weights = _weights(fweights, aweights)
    divisor = _divisor(rows.shape[1], freedom, weights, aweights)
    if divisor <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=3)
        divisor = 0.0
    with np.errstate(all="ignore"):
        centred = (rows - average(rows, 1, weights, keepdims=True)).astype(dtype, copy=False)
        weighted = centred if weights is None else centred * weights
        centred = centred.astype(weighted.dtype, copy=False)
        return np.squeeze(_products(centred, weighted) / np.asarray(divisor, weighted.dtype))


def _variables(array: Given, rowvar: bool, dtype: np.dtype[Any], is_y: bool) -> Array:
    """Return variables as rows: one dimension, and one row of the second array, is one whatever `rowvar` says."""
    rows = np.atleast_2d(np.asarray(cast(array, dtype)))
    is_one = len(rows) == 1 if is_y else array.ndim < 2
    return rows if rowvar or is_one else rows.T


def _weights(fweights: Any, aweights: Any) -> Array | None:
    given = [np.asarray(one, np.float64) for one in (fweights, aweights) if one is not None]
    return None if not given else given[0] if len(given) == 1 else given[0] * given[1]


def _divisor(count: int, freedom: int, weights: Array | None, aweights: Any) -> float:
    if weights is None:
        return count - freedom
    total = float(sum(weights))
    if aweights is None:
        return total - freedom
    return total - freedom * float(sum(weights * np.asarray(aweights))) / total


def _products(rows: Array, others: Array) -> Array:
    """Multiply each row with each: one half of them is the other."""
    if len(rows) > _MOST_VARIABLES:
        return rows @ others.T
    x = to_gpu(rows)
    y = x if others is rows else to_gpu(others)
    variables, count = rows.shape
    result = np.empty((variables, variables), rows.dtype)
    for i in range(variables):
        for j in range(i + 1):
            spans = [(k * count, (k + 1) * count) for k in (i, j)]
            found = decoded(x._elements.dot(spans[0], y._elements, spans[1]))
            result[i, j] = result[j, i] = found[0]
    return result


@placed
def corrcoef(
    x: Input,
    y: Input | None = None,
    rowvar: bool = True,
    *,
    dtype: DTypeLike | None = None,
    device: Device = None,
) -> Any:
    """Correlations of variables, of which each is a row.

    Takes and returns what `numpy.corrcoef` does.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> wr.corrcoef([[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    found = np.asarray(cov(x, y, rowvar, dtype=dtype))
    with np.errstate(all="ignore"):
        if found.ndim == 0:
            return (found / found)[()]
        deviations = np.sqrt(np.diag(found))
        return np.clip(found / deviations[:, None] / deviations, -1, 1)
