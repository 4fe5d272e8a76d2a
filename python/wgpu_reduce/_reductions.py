"""Sums, means, extremes and counts: NumPy's names, signatures and types."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ._array import OUT, Array, Out
from ._device import Device, placed
from ._run import (
    MISSING,
    Given,
    Input,
    Reduction,
    as_array,
    cast,
    check_exact,
    deliver,
    narrowed,
    nothing_as_numpy,
    reduction,
    rounded_once,
    run,
    run_where,
)


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which NumPy adds up and multiplies: integers have 64 bits."""
    if dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if dtype.kind == "u" else dtype


def _common(dtype: np.dtype[Any], out: Any) -> np.dtype[Any]:
    """Return the type in which NumPy computes what goes to an array: the one for both."""
    return np.result_type(dtype, out.dtype) if isinstance(out, OUT) else dtype


def begun(ufunc: str, initial: Any, dtype: np.dtype[Any], where: Any) -> Any:
    """Return what results begin with, which NumPy turns into their type; `MISSING` for None."""
    if initial is None:
        initial = MISSING
        if where is not True:
            raise ValueError(
                f"reduction operation '{ufunc}' does not have an identity, so to use a where mask "
                "one has to specify 'initial'"
            )
    if initial is MISSING:
        return initial
    start = np.empty((), dtype)
    start[()] = initial
    return start


def _summed(
    a: Given, dtype: DTypeLike | None, out: Any
) -> tuple[Given, np.dtype[Any]]:
    """Return the elements to add up or multiply, and the result's type."""
    if dtype is None and not isinstance(out, OUT):
        return a, _wide(a.dtype)
    wanted = _common(a.dtype, out) if dtype is None else np.dtype(dtype)
    wraps = a.dtype.kind in "biu" and wanted.kind in "iu"
    return (a if wraps else cast(a, wanted)), wanted


def _exact(a: Given, exact: bool, dtype: np.dtype[Any]) -> tuple[str, np.dtype[Any]]:
    """Return what comes before the operation's name, and the type of its result."""
    if not exact or a.dtype.kind != "f":
        return "", dtype
    return "_exact", rounded_once(dtype)


@placed
@nothing_as_numpy(np.sum)
def sum(
    a: Input,
    axis: Any = None,
    dtype: DTypeLike | None = None,
    out: Out = None,
    keepdims: bool = False,
    initial: Any = MISSING,
    where: Any = True,
    *,
    exact: bool = False,
    device: Device = None,
) -> Any:
    """Sum of elements.

    Parameters
    ----------
    a : array_like or GpuArray
        The elements.
    axis : None, int or tuple of ints, optional
        The axes to sum along; all of them by default.
    dtype, out, keepdims, initial, where : optional
        As those of `numpy.sum`.
    exact : bool, optional
        Whether the sum of floats is the real one, rounded once: the same bits on every GPU and in
        any order. That of `float16` is a `float32`. There is no `dtype` and no `initial` with it.

    Returns
    -------
    scalar or ndarray
        Integers are added in 64 bits and wrap as NumPy's.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> int(wr.sum([[1, 2], [3, 4]]))
    10
    >>> wr.sum([[1, 2], [3, 4]], axis=0)
    array([4, 6])
    >>> float(wr.sum([1e100, 1.0, -1e100], exact=True))
    1.0
    """
    if exact:
        check_exact(dtype, initial)
    elements, dtype = _summed(as_array(a), dtype, None if exact else out)
    suffix, dtype = _exact(elements, exact, dtype)
    return accumulated(f"sum{suffix}", np.add, reduction(elements, axis), dtype, out, keepdims, initial, where)


def accumulated(
    name: str,
    ufunc: np.ufunc,
    of: Reduction,
    dtype: np.dtype[Any],
    out: Out,
    keepdims: bool,
    initial: Any,
    where: Any,
) -> Any:
    """Sums or products, with what they begin with."""
    initial = begun(ufunc.__name__, initial, dtype, where)
    result = narrowed(run_where(name, of, where, ufunc.identity)[0], dtype)
    if initial is not MISSING:
        with np.errstate(all="ignore"):
            result = np.asarray(ufunc(result, initial))
    return deliver(result, of, keepdims, out)


@placed
@nothing_as_numpy(np.prod)
def prod(
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
    """Product of elements.

    Takes and returns what `numpy.prod` does: products of integers wrap at 64 bits.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> int(wr.prod([2, 3, 7]))
    42
    """
    elements, dtype = _summed(as_array(a), dtype, out)
    return accumulated("product", np.multiply, reduction(elements, axis), dtype, out, keepdims, initial, where)


def _averaged(
    a: Input, dtype: DTypeLike | None
) -> tuple[Given, np.dtype[Any]]:
    """Return the elements to average, and the result's type: a float."""
    array = as_array(a)
    if dtype is None:
        return array, array.dtype if array.dtype.kind == "f" else np.dtype(np.float64)
    wanted = np.dtype(dtype)
    if wanted.kind != "f":
        raise TypeError(f"dtype={wanted}: a mean or variance is a float")
    return cast(array, wanted), wanted


@placed
@nothing_as_numpy(np.mean)
def mean(
    a: Input,
    axis: Any = None,
    dtype: DTypeLike | None = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: Any = True,
    exact: bool = False,
    device: Device = None,
) -> Any:
    """Arithmetic mean of elements.

    Takes and returns what `numpy.mean` does, but `dtype` is a float. It does not overflow on the way.

    Parameters
    ----------
    a, axis, dtype, out, keepdims, where
        As those of `numpy.mean`.
    exact : bool, optional
        Whether the mean of floats is the real one, rounded once. That of `float16` is a `float32`.
        There is no `dtype` with it.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> wr.mean([[1, 2], [3, 5]], axis=1)
    array([1.5, 4. ])
    >>> wr.mean(np.full(3, 3e38, np.float32))
    np.float32(3e+38)
    """
    if exact:
        check_exact(dtype)
    elements, dtype = _averaged(a, dtype)
    suffix, dtype = _exact(elements, exact, dtype)
    of = reduction(elements, axis, of_number=False)
    result, counts = run_where(f"mean{suffix}", of, where, np.nan)
    if not np.all(counts):
        warnings.warn("Mean of empty slice.", RuntimeWarning, stacklevel=4)
    return deliver(narrowed(result, dtype), of, keepdims, out)


def deviation(
    name: str, of: Reduction, ddof: float, where: Any, counts_of_numbers: Any = None
) -> Array:
    """Variances or deviations; with any number of degrees of freedom, as NumPy has them.

    The counts are those of elements that are not NaN, where others are left out.
    """
    is_whole = float(ddof).is_integer() and 0 <= ddof < 2**31
    if is_whole and where is True and of.count > ddof and counts_of_numbers is None:
        return run(name, of, int(ddof))
    result, counts = run_where(name, of, where, np.nan)
    if counts_of_numbers is not None:
        counts = counts_of_numbers
    counts = np.asarray(counts)
    freedom = np.maximum(counts - ddof, 0)
    if np.any(freedom == 0) and counts_of_numbers is None:
        what = "Degrees of freedom <= 0 for slice"
        warnings.warn(what, RuntimeWarning, stacklevel=5)
    with np.errstate(all="ignore"):
        scale = np.asarray(counts / freedom, np.float64)
        scale = np.sqrt(scale) if name.endswith("std") else scale
        # Where the scale is 1 the result keeps its bits.
        return np.asarray(np.where(counts == 0, np.nan, result.astype(np.float64) * scale))


def degrees(ddof: float, correction: Any) -> float:
    """Return the degrees of freedom by either of the names that NumPy has for them."""
    if correction is MISSING or correction is None:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return float(correction)


def squared(
    a: Input, dtype: DTypeLike | None
) -> tuple[Given, np.dtype[Any]]:
    """Return the elements whose squares are added: NumPy makes floats of integers of 64 bits, too."""
    elements, dtype = _averaged(a, dtype)
    if elements.dtype.kind in "iu" and elements.dtype.itemsize == 8:
        elements = cast(elements, np.float64)
    return elements, dtype


@placed
@nothing_as_numpy(np.var)
def var(
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
    """Variance of elements.

    Takes and returns what `numpy.var` does, but `dtype` is a float, and there is no `mean`.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> float(wr.var([1, 2, 3, 4])), float(wr.var([1, 2, 3], correction=1))
    (1.25, 1.0)
    """
    elements, dtype = squared(a, dtype)
    of = reduction(elements, axis, of_number=False)
    result = deviation("variance", of, degrees(ddof, correction), where)
    return deliver(narrowed(result, dtype), of, keepdims, out)


@placed
@nothing_as_numpy(np.std)
def std(
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
    """Standard deviation of elements.

    Takes and returns what `numpy.std` does, but `dtype` is a float, and there is no `mean`.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> float(wr.std([2, 4, 4, 4, 5, 5, 7, 9]))
    2.0
    """
    elements, dtype = squared(a, dtype)
    of = reduction(elements, axis, of_number=False)
    result = deviation("std", of, degrees(ddof, correction), where)
    return deliver(narrowed(result, dtype), of, keepdims, out, "same_kind")


def extreme(
    name: str, of: Reduction, keepdims: bool, out: Out, initial: Any, where: Any
) -> Any:
    """Smallest or largest elements."""
    without_nan = name.startswith("nan_")
    ends = (np.fmin, np.fmax) if without_nan else (np.minimum, np.maximum)
    end = ends[0 if name.endswith("min") else 1]
    dtype = _common(of.source.dtype, out)
    # There is nothing that the smallest or largest of none would be.
    initial = begun(end.__name__, None if initial is MISSING else initial, dtype, where)
    none = 0 if initial is MISSING else initial
    result = narrowed(run_where(name, of, where, none)[0], dtype)
    if initial is not MISSING:
        result = np.asarray(end(result, initial))
    return deliver(result, of, keepdims, out)


@placed
@nothing_as_numpy(np.min)
def min(
    a: Input,
    axis: Any = None,
    out: Out = None,
    keepdims: bool = False,
    initial: Any = MISSING,
    where: Any = True,
    *,
    device: Device = None,
) -> Any:
    """Smallest element; NaN if there is one.

    Takes and returns what `numpy.min` does. -0.0 is smaller than 0.0.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> wr.min([[3, 1], [2, 5]], axis=1, keepdims=True)
    array([[1],
           [2]])
    """
    return extreme("min", reduction(as_array(a), axis), keepdims, out, initial, where)


@placed
@nothing_as_numpy(np.max)
def max(
    a: Input,
    axis: Any = None,
    out: Out = None,
    keepdims: bool = False,
    initial: Any = MISSING,
    where: Any = True,
    *,
    device: Device = None,
) -> Any:
    """Largest element; NaN if there is one.

    Takes and returns what `numpy.max` does. -0.0 is smaller than 0.0.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> float(wr.max([2.5, -1.0]))
    2.5
    """
    return extreme("max", reduction(as_array(a), axis), keepdims, out, initial, where)


@placed
@nothing_as_numpy(np.ptp)
def ptp(
    a: Input,
    axis: Any = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    device: Device = None,
) -> Any:
    """Range of elements, the largest less the smallest.

    Takes and returns what `numpy.ptp` does: the range of integers wraps in their type.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> int(wr.ptp([4, 9, 2]))
    7
    """
    of = reduction(as_array(a), axis)
    ends = run("min_max", of).astype(of.source.dtype)
    most = ends[..., 1]
    if isinstance(out, OUT):
        most = narrowed(most, out.dtype)
    with np.errstate(all="ignore"):
        return deliver(np.asarray(most - ends[..., 0]), of, keepdims, out, "same_kind")


def place(name: str, a: Input, axis: Any, out: Out, keepdims: bool) -> Any:
    """Indices along one axis, or in the flattened array."""
    if isinstance(axis, tuple):
        raise TypeError("'tuple' object cannot be interpreted as an integer")
    of = reduction(as_array(a), axis)
    return deliver(run(name, of).astype(np.intp), of, keepdims, out, "out")


@placed
@nothing_as_numpy(np.argmin)
def argmin(
    a: Input,
    axis: Any = None,
    out: Out = None,
    *,
    keepdims: bool = False,
    device: Device = None,
) -> Any:
    """Index of the first smallest element, or of the first NaN.

    Takes and returns what `numpy.argmin` does.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> int(wr.argmin([3, 1, 1]))
    1
    """
    return place("argmin", a, axis, out, keepdims)


@placed
@nothing_as_numpy(np.argmax)
def argmax(
    a: Input,
    axis: Any = None,
    out: Out = None,
    *,
    keepdims: bool = False,
    device: Device = None,
) -> Any:
    """Index of the first largest element, or of the first NaN.

    Takes and returns what `numpy.argmax` does.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> wr.argmax([[1, 7], [8, 2]], axis=1)
    array([1, 0])
    """
    return place("argmax", a, axis, out, keepdims)


@placed
@nothing_as_numpy(np.any)
def any(
    a: Input,
    axis: Any = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: Any = True,
    device: Device = None,
) -> Any:
    """Tell whether any element is not zero.

    Takes and returns what `numpy.any` does.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> bool(wr.any([0, 0, 2]))
    True
    """
    of = reduction(as_array(a), axis)
    return deliver(run_where("any", of, where, False)[0], of, keepdims, out)


@placed
@nothing_as_numpy(np.all)
def all(
    a: Input,
    axis: Any = None,
    out: Out = None,
    keepdims: bool = False,
    *,
    where: Any = True,
    device: Device = None,
) -> Any:
    """Tell whether no element is zero.

    Takes and returns what `numpy.all` does.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> wr.all([[1, 0], [1, 1]], axis=1)
    array([False,  True])
    """
    of = reduction(as_array(a), axis)
    return deliver(run_where("all", of, where, True)[0], of, keepdims, out)


@placed
@nothing_as_numpy(np.count_nonzero)
def count_nonzero(
    a: Input,
    axis: Any = None,
    *,
    keepdims: bool = False,
    device: Device = None,
) -> Any:
    """Count the elements that are not zero.

    Takes and returns what `numpy.count_nonzero` does: NaN is not zero.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> int(wr.count_nonzero([1, 0, 3]))
    2
    """
    of = reduction(as_array(a), axis)
    return deliver(run("count_nonzero", of).astype(np.intp), of, keepdims, None)
