"""The functions that leave NaN out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ._array import Array, Out
from ._device import Device, placed
from ._reductions import (
    _averaged,
    _summed,
    accumulated,
    degrees,
    deviation,
    extreme,
    mean,
    place,
    prod,
    squared,
    std,
    var,
)
from ._run import (
    MISSING,
    Given,
    Input,
    Reduction,
    as_array,
    deliver,
    narrowed,
    nothing_as_numpy,
    reduction,
    run,
    run_where,
)


def _named(name: str, a: Given) -> str:
    """Name the operation that leaves NaN out, where there may be some."""
    return f"nan_{name}" if a.dtype.kind == "f" else name


def _numbers(of: Reduction, where: Any) -> Array:
    """Count the elements of each result that are not NaN."""
    missing, counts = run_where("count_nan", of, where, 0)
    return np.asarray(counts - missing.astype(np.intp))


@placed
@nothing_as_numpy(np.nansum)
def nansum(
    a: Input,
    axis: Any = None,
    dtype: DTypeLike | None = None,
    out: Out = None,
    keepdims: bool = False,
    initial: Any = MISSING,
    where: Any = True,
    *,
    device: Device = None,
) -> Any:
    """Sum of the elements that are not NaN.

    Takes and returns what `numpy.nansum` does.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> float(wr.nansum([1.0, np.nan, 2.0]))
    3.0
    """
    elements, dtype = _summed(as_array(a), dtype, out)
    name, of = _named("sum", elements), reduction(elements, axis)
    return accumulated(name, np.add, of, dtype, out, keepdims, initial, where)


@placed
@nothing_as_numpy(np.nanprod)
def nanprod(
    a: Input,
    axis: Any = None,
    dtype: DTypeLike | None = None,
    out: Out = None,
    keepdims: bool = False,
    initial: Any = MISSING,
    where: Any = True,
    *,
    device: Device = None,
) -> Any:
    """Product of the elements that are not NaN.

    Takes and returns what `numpy.nanprod` does. The host finds NaN, and makes a mask of them.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> float(wr.nanprod([3.0, np.nan, 2.0]))
    6.0
    """
    array = as_array(a)
    if initial is None and where is True:
        initial = MISSING
    if array.dtype.kind == "f":
        where = ~np.isnan(np.asarray(array)) & np.asarray(where, bool)
    return prod(array, axis, dtype, out, keepdims, initial, where)


@placed
@nothing_as_numpy(np.nanmean)
def nanmean(
    a: Input,
    axis: Any = None,
    dtype: DTypeLike | None = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: Any = True,
    device: Device = None,
) -> Any:
    """Mean of the elements that are not NaN.

    Takes and returns what `numpy.nanmean` does, but `dtype` is a float.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> float(wr.nanmean([1.0, np.nan, 2.0]))
    1.5
    """
    if as_array(a).dtype.kind != "f":
        return mean(a, axis, dtype, out, keepdims, where=where)
    elements, dtype = _averaged(a, dtype)
    of = reduction(elements, axis)
    result, _ = run_where("nan_mean", of, where, np.nan)
    if np.isnan(result).any() and not _numbers(of, where).all():
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=4)
    return deliver(narrowed(result, dtype), of, keepdims, out, "same_kind")


def _nandeviation(
    name: str, a: Input, axis: Any, dtype: Any, ddof: float, where: Any
) -> tuple[Array, Reduction]:
    elements, dtype = squared(a, dtype)
    of = reduction(elements, axis)
    if where is True and float(ddof).is_integer() and 0 <= ddof < of.count:
        result = run(name, of, int(ddof))
        too_few = np.isnan(result).any() and (_numbers(of, where) <= ddof).any()
    else:
        counts = _numbers(of, where)
        few = np.asarray(counts - ddof <= 0)
        # NumPy has NaN where `deviation` may have infinity.
        result = np.where(few, np.nan, deviation(name, of, ddof, where, counts))
        too_few = few.any()
    if too_few:
        warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=5)
    return narrowed(result, dtype), of


@placed
@nothing_as_numpy(np.nanvar)
def nanvar(
    a: Input,
    axis: Any = None,
    dtype: DTypeLike | None = None,
    out: Out = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    correction: Any = MISSING,
    device: Device = None,
) -> Any:
    """Variance of the elements that are not NaN.

    Takes and returns what `numpy.nanvar` does, but `dtype` is a float, and there is no `mean`.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> float(wr.nanvar([1.0, np.nan, 5.0]))
    4.0
    """
    ddof = degrees(ddof, correction)
    if as_array(a).dtype.kind != "f":
        return var(a, axis, dtype, out, ddof, keepdims, where=where)
    result, of = _nandeviation("nan_variance", a, axis, dtype, ddof, where)
    return deliver(result, of, keepdims, out, "same_kind")


@placed
@nothing_as_numpy(np.nanstd)
def nanstd(
    a: Input,
    axis: Any = None,
    dtype: DTypeLike | None = None,
    out: Out = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    correction: Any = MISSING,
    device: Device = None,
) -> Any:
    """Standard deviation of the elements that are not NaN.

    Takes and returns what `numpy.nanstd` does, but `dtype` is a float, and there is no `mean`.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> float(wr.nanstd([3.0, np.nan, 5.0]))
    1.0
    """
    ddof = degrees(ddof, correction)
    if as_array(a).dtype.kind != "f":
        return std(a, axis, dtype, out, ddof, keepdims, where=where)
    result, of = _nandeviation("nan_std", a, axis, dtype, ddof, where)
    return deliver(result, of, keepdims, out, "same_kind")


def _nanextreme(
    name: str,
    a: Input,
    axis: Any,
    out: Out,
    keepdims: bool,
    initial: Any,
    where: Any,
) -> Any:
    array = as_array(a)
    result = extreme(_named(name, array), reduction(array, axis), keepdims, out, initial, where)
    if np.isnan(result).any():
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=5)
    return result


@placed
@nothing_as_numpy(np.nanmin)
def nanmin(
    a: Input,
    axis: Any = None,
    out: Out = None,
    keepdims: bool = False,
    initial: Any = MISSING,
    where: Any = True,
    *,
    device: Device = None,
) -> Any:
    """Smallest element that is not NaN.

    Takes and returns what `numpy.nanmin` does.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> float(wr.nanmin([np.nan, 2.5, 1.5]))
    1.5
    """
    return _nanextreme("min", a, axis, out, keepdims, initial, where)


@placed
@nothing_as_numpy(np.nanmax)
def nanmax(
    a: Input,
    axis: Any = None,
    out: Out = None,
    keepdims: bool = False,
    initial: Any = MISSING,
    where: Any = True,
    *,
    device: Device = None,
) -> Any:
    """Largest element that is not NaN.

    Takes and returns what `numpy.nanmax` does.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> float(wr.nanmax([np.nan, 2.5, 1.5]))
    2.5
    """
    return _nanextreme("max", a, axis, out, keepdims, initial, where)


def _nanplace(
    name: str, a: Input, axis: Any, out: Out, keepdims: bool
) -> Any:
    array = as_array(a)
    try:
        return place(_named(name, array), array, axis, out, keepdims)
    except ValueError as error:
        if "no element that is not NaN" in str(error):
            raise ValueError("All-NaN slice encountered") from None
        raise


@placed
@nothing_as_numpy(np.nanargmin)
def nanargmin(
    a: Input,
    axis: Any = None,
    out: Out = None,
    *,
    keepdims: bool = False,
    device: Device = None,
) -> Any:
    """Index of the first smallest element that is not NaN.

    Takes and returns what `numpy.nanargmin` does.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> int(wr.nanargmin([np.nan, 2.5, 1.5]))
    2
    """
    return _nanplace("argmin", a, axis, out, keepdims)


@placed
@nothing_as_numpy(np.nanargmax)
def nanargmax(
    a: Input,
    axis: Any = None,
    out: Out = None,
    *,
    keepdims: bool = False,
    device: Device = None,
) -> Any:
    """Index of the first largest element that is not NaN.

    Takes and returns what `numpy.nanargmax` does.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> int(wr.nanargmax([np.nan, 2.5, 1.5]))
    1
    """
    return _nanplace("argmax", a, axis, out, keepdims)
