"""Medians, quantiles and percentiles."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._array import Array, Out, of_elements
from ._device import Device, placed
from ._files import FileArray, needs_all
from ._run import (
    Given,
    Input,
    Reduction,
    as_array,
    cast,
    into,
    narrowed,
    nothing_as_numpy,
    reduction,
    run_ranked,
)

#: Methods that return an element and do not interpolate.
_DISCRETE = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
#: Integers from here on are not all floats.
_WHOLE = 2.0**53


def _ranked(
    array: Given,
    shares: Array,
    axis: Any,
    out: Out,
    method: str,
    keepdims: bool,
    without_nan: bool,
    dtype: np.dtype[Any],
    casting: str = "unsafe",
) -> Any:
    of = reduction(array, axis, of_number=False)
    found = run_ranked(of, [float(q) for q in shares.reshape(-1)], method, without_nan)
    if dtype.kind in "iu" and (np.abs(found) >= _WHOLE).any():
        raise ValueError(f"method '{method}' of integers is for results below 2^53 in magnitude")
    if without_nan and np.isnan(found).any():
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=5)
    result = narrowed(_shaped(found, of, shares.shape, keepdims), dtype)
    # NumPy's axes that stay are those of an array, also where there are none.
    return result if keepdims and out is None else into(result, out, casting)


def _shaped(found: Array, of: Reduction, shape: tuple[int, ...], keepdims: bool) -> Array:
    """Put the axes of the shares first, as NumPy does."""
    kept = of.kept_as_ones if keepdims else of.kept
    return np.moveaxis(found, -1, 0).reshape(shape + kept)


def _median(
    a: Input, axis: Any, out: Out, keepdims: bool, without_nan: bool
) -> Any:
    array = as_array(a)
    dtype = array.dtype if array.dtype.kind == "f" else np.dtype(np.float64)
    half = np.asarray(0.5)
    return _ranked(array, half, axis, out, "linear", keepdims, without_nan, dtype)


@placed
@nothing_as_numpy(np.median)
def median(
    a: Input,
    axis: Any = None,
    out: Out = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
    *,
    device: Device = None,
) -> Any:
    """Median of elements; NaN if there is one.

    Takes and returns what `numpy.median` does. Nothing is overwritten.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> float(wr.median([10, 1, 2, 3]))
    2.5
    """
    return _median(a, axis, out, keepdims, without_nan=False)


@placed
@nothing_as_numpy(np.nanmedian)
def nanmedian(
    a: Input,
    axis: Any = None,
    out: Out = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
    *,
    device: Device = None,
) -> Any:
    """Median of the elements that are not NaN.

    Takes and returns what `numpy.nanmedian` does. Nothing is overwritten.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> float(wr.nanmedian([np.nan, 1.0, 4.0]))
    2.5
    """
    return _median(a, axis, out, keepdims, without_nan=True)


def _quantile(
    a: Input,
    q: Any,
    axis: Any,
    out: Out,
    method: str,
    keepdims: bool,
    without_nan: bool,
    most: int,
) -> Any:
    array = as_array(a)
    of_elements(array)
    given = np.asarray(q) if most == 1 else np.asarray(np.true_divide(q, most))
    if method == "linear" and given.dtype.kind in "biu":
        # 0 and 1 are the places of elements: NumPy does not interpolate.
        method = "lower"
    if array.dtype.kind == "b" and method not in _DISCRETE:
        raise TypeError("quantiles between elements of bool are not defined")
    shares = np.asarray(q, np.float64) / most
    if not ((shares >= 0) & (shares <= 1)).all():
        what = "Quantiles must be in the range [0, 1]" if most == 1 else None
        raise ValueError(what or "Percentiles must be in the range [0, 100]")
    dtype, casting = array.dtype, "out"
    if method not in _DISCRETE:
        casting = "same_kind"
        # As NumPy: a Python number has no type of its own.
        if not (type(q) in (int, float) and dtype.kind == "f"):
            dtype = np.result_type(dtype, given if given.dtype.kind == "f" else np.float64)
        array = cast(array, dtype) if array.dtype.kind == "f" else array
    if without_nan:
        casting = "unsafe"
    return _ranked(array, shares, axis, out, method, keepdims, without_nan, dtype, casting)


def _weighted(
    function: Any, a: Input, q: Any, axis: Any, out: Out, method: str, keepdims: bool, weights: Any
) -> Any:
    """Let a function of NumPy weigh elements that there are on the GPU, too."""
    array = as_array(a)
    if isinstance(array, FileArray):
        raise TypeError(needs_all(array, "weights="))
    of_elements(array)
    found = function(np.asarray(array), q, axis, method=method, keepdims=keepdims, weights=np.asarray(weights))
    return found if out is None else into(np.asarray(found), out)


@placed
@nothing_as_numpy(np.quantile)
def quantile(
    a: Input,
    q: Any,
    axis: Any = None,
    out: Out = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
    device: Device = None,
) -> Any:
    """Quantiles of elements; NaN if an element is.

    Takes and returns what `numpy.quantile` does. Nothing is overwritten. Places
    between elements are found in `float64`, whatever the elements are. With `weights` NumPy computes.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> wr.quantile([1.0, 2.0, 3.0, 10.0], [0.5, 0.9])
    array([2.5, 7.9])
    """
    if weights is not None:
        return _weighted(np.quantile, a, q, axis, out, method, keepdims, weights)
    return _quantile(a, q, axis, out, method, keepdims, False, 1)


@placed
@nothing_as_numpy(np.percentile)
def percentile(
    a: Input,
    q: Any,
    axis: Any = None,
    out: Out = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
    device: Device = None,
) -> Any:
    """Percentiles of elements: quantiles with shares of 100.

    Takes and returns what `numpy.percentile` does.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> float(wr.percentile([1.0, 2.0, 3.0], 75))
    2.5
    """
    if weights is not None:
        return _weighted(np.percentile, a, q, axis, out, method, keepdims, weights)
    return _quantile(a, q, axis, out, method, keepdims, False, 100)


@placed
@nothing_as_numpy(np.nanquantile)
def nanquantile(
    a: Input,
    q: Any,
    axis: Any = None,
    out: Out = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
    device: Device = None,
) -> Any:
    """Quantiles of the elements that are not NaN.

    Takes and returns what `numpy.nanquantile` does.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> float(wr.nanquantile([np.nan, 2.0, 4.0], 0.25))
    2.5
    """
    if weights is not None:
        return _weighted(np.nanquantile, a, q, axis, out, method, keepdims, weights)
    return _quantile(a, q, axis, out, method, keepdims, True, 1)


@placed
@nothing_as_numpy(np.nanpercentile)
def nanpercentile(
    a: Input,
    q: Any,
    axis: Any = None,
    out: Out = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
    device: Device = None,
) -> Any:
    """Percentiles of the elements that are not NaN.

    Takes and returns what `numpy.nanpercentile` does.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> float(wr.nanpercentile([np.nan, 2.0, 4.0], 25))
    2.5
    """
    if weights is not None:
        return _weighted(np.nanpercentile, a, q, axis, out, method, keepdims, weights)
    return _quantile(a, q, axis, out, method, keepdims, True, 100)
