"""Reductions of Dask's arrays, chunk by chunk on the workers' GPUs.

Exact results, integers, `min` and `max` have the same bits for any chunks and any number of workers.
Workers are threads, or processes that are spawned, as those of `dask.distributed` are: a GPU does not survive a fork.

>>> import dask.array as da
>>> import wgpu_reduce.dask as wd
>>> x = da.full(10, 0.1, chunks=3)
>>> float(wd.sum(x, exact=True).compute())
1.0
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _reductions
from ._array import Array, of_elements
from ._exact import ExactSum, check_elements, variances
from ._partials import Extremes, Moments
from ._run import check_exact, narrowed, rounded_once

try:
    import dask.array as da
except ImportError as error:
    what = "wgpu_reduce.dask needs Dask: pip install 'dask[array]'"
    raise ImportError(what) from error

__all__ = ["max", "mean", "min", "std", "sum", "var"]


class _Both:
    """The exact sums of elements and of their squares."""

    def __init__(self, x: Array, axis: Any, keepdims: bool) -> None:
        self.sums = ExactSum(x, axis, keepdims=keepdims)
        self.squares = ExactSum.of_squares(x, axis, keepdims=keepdims)

    def __add__(self, other: _Both) -> _Both:
        made = _Both.__new__(_Both)
        made.sums = self.sums + other.sums
        made.squares = self.squares + other.squares
        return made

    def __sizeof__(self) -> int:
        return self.sums.__sizeof__() + self.squares.__sizeof__()


def _sums(x: Array, axis: Any, keepdims: bool, dtype: np.dtype[Any]) -> Array:
    """Sum a chunk, whose short floats are added up in long ones."""
    if dtype.kind != "f":
        return np.asarray(_reductions.sum(x, axis, dtype, keepdims=keepdims))
    wide = np.promote_types(dtype, np.float32)
    return np.asarray(_reductions.sum(x, axis, wide, keepdims=keepdims)).astype(np.float64)


def _chunk(
    x: Array, axis: Any, keepdims: bool, make: Callable[..., Any], computing_meta: bool = False
) -> Any:
    """Reduce a chunk, unless Dask only asks what kind of array there would be."""
    return x if computing_meta else make(x, axis, keepdims=keepdims)


def _leaves(nested: Any) -> Iterator[Any]:
    if isinstance(nested, list):
        for one in nested:
            yield from _leaves(one)
    else:
        yield nested


def _merged(nested: Any, axis: Any = None, keepdims: bool = True, computing_meta: bool = False) -> Any:
    """Merge what chunks have left, in their order."""
    if computing_meta:
        return nested
    with np.errstate(all="ignore"):
        return functools.reduce(operator.add, _leaves(nested))


def _finished(
    nested: Any,
    axis: Any,
    keepdims: bool,
    finish: Callable[[Any], Any],
    dtype: Any,
    computing_meta: bool = False,
) -> Any:
    if computing_meta:
        return nested
    result = narrowed(finish(_merged(nested)), dtype)
    return result if keepdims else result.squeeze(axis)


def _reduced(
    a: Any,
    axis: Any,
    keepdims: bool,
    split_every: Any,
    make: Callable[..., Any],
    finish: Callable[[Any], Any],
    dtype: np.dtype[Any],
) -> Any:
    array = da.asanyarray(a)
    return da.reduction(
        array,
        chunk=functools.partial(_chunk, make=make),
        combine=_merged,
        aggregate=functools.partial(_finished, finish=finish, dtype=dtype),
        axis=axis,
        keepdims=keepdims,
        dtype=dtype,
        split_every=split_every,
        concatenate=False,
        meta=np.empty((0,) * array.ndim, dtype),
    )


def _rounded(a: Any, exact: bool, dtype: Any, name: str) -> np.dtype[Any]:
    """Return the type of results. Exact ones are rounded once, and those of `float16` are `float32`."""
    if exact:
        check_exact(dtype)
        check_elements(a.dtype)
    found: np.dtype[Any] = getattr(np, name)(np.ones(1, a.dtype), dtype=dtype).dtype
    return rounded_once(found) if exact else found


def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    *,
    exact: bool = False,
    split_every: Any = None,
) -> Any:
    """Sum of elements.

    Parameters
    ----------
    a : dask.array.Array
        The elements.
    axis, dtype, keepdims, split_every : optional
        As those of `dask.array.sum`.
    exact : bool, optional
        Whether the sum of floats is the real one, rounded once: the same bits for any chunks.

    Returns
    -------
    dask.array.Array
        What is computed by `compute`.

    Examples
    --------
    >>> import dask.array as da
    >>> import wgpu_reduce.dask as wd
    >>> wd.sum(da.ones((2, 4), chunks=2), axis=0).compute()
    array([2., 2., 2., 2.])
    """
    if exact and a.dtype.kind == "f":
        wanted = _rounded(a, exact, dtype, "sum")
        return _reduced(a, axis, keepdims, split_every, ExactSum, ExactSum.round, wanted)
    if exact:
        check_exact(dtype)
    wanted = _rounded(a, False, dtype, "sum")
    chunk = functools.partial(_sums, dtype=wanted)
    return _reduced(a, axis, keepdims, split_every, chunk, np.asarray, wanted)


def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    *,
    exact: bool = False,
    split_every: Any = None,
) -> Any:
    """Arithmetic mean of elements; with `exact` of floats, bool and integers of up to 32 bits.

    Takes what `sum` does.

    Examples
    --------
    >>> import dask.array as da
    >>> import wgpu_reduce.dask as wd
    >>> float(wd.mean(da.arange(5, chunks=2)).compute())
    2.0
    """
    wanted = _rounded(a, exact, dtype, "mean")
    if exact:
        return _reduced(a, axis, keepdims, split_every, ExactSum, ExactSum.mean, wanted)
    finish = operator.attrgetter("mean")
    return _reduced(a, axis, keepdims, split_every, Moments, finish, wanted)


def _deviation(
    name: str, a: Any, axis: Any, dtype: Any, ddof: float, keepdims: bool, exact: bool, split_every: Any
) -> Any:
    wanted = _rounded(a, exact, dtype, name)
    if exact:
        real = functools.partial(_variances, ddof=ddof, is_root=name == "std")
        return _reduced(a, axis, keepdims, split_every, _Both, real, wanted)
    finish = operator.methodcaller(name, ddof)
    return _reduced(a, axis, keepdims, split_every, Moments, finish, wanted)


def _variances(both: _Both, ddof: float, is_root: bool) -> Any:
    return variances(both.sums, both.squares, ddof, is_root)


def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    exact: bool = False,
    split_every: Any = None,
) -> Any:
    """Variance of elements.

    Takes what `mean` does, and `ddof`. The exact one is the real variance, rounded once.

    Examples
    --------
    >>> import dask.array as da
    >>> import wgpu_reduce.dask as wd
    >>> float(wd.var(da.arange(4, chunks=3)).compute())
    1.25
    """
    return _deviation("var", a, axis, dtype, ddof, keepdims, exact, split_every)


def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    exact: bool = False,
    split_every: Any = None,
) -> Any:
    """Standard deviation of elements.

    Takes what `var` does.

    Examples
    --------
    >>> import dask.array as da
    >>> import wgpu_reduce.dask as wd
    >>> float(wd.std(da.from_array([2.0, 4.0], chunks=1), exact=True).compute())
    1.0
    """
    return _deviation("std", a, axis, dtype, ddof, keepdims, exact, split_every)


def _extremum(name: str, a: Any, axis: Any, keepdims: bool, split_every: Any) -> Any:
    of_elements(a)
    finish = functools.partial(_found, name=name)
    return _reduced(a, axis, keepdims, split_every, Extremes, finish, a.dtype)


def _found(extremes: Extremes, name: str) -> Any:
    found = getattr(extremes, name)
    if found is None:
        raise ValueError(f"zero-size array to reduction operation {name}imum which has no identity")
    return found


def min(a: Any, axis: Any = None, keepdims: bool = False, *, split_every: Any = None) -> Any:
    """Smallest element; NaN if there is one.

    Examples
    --------
    >>> import dask.array as da
    >>> import wgpu_reduce.dask as wd
    >>> int(wd.min(da.arange(3, 9, chunks=2)).compute())
    3
    """
    return _extremum("min", a, axis, keepdims, split_every)


def max(a: Any, axis: Any = None, keepdims: bool = False, *, split_every: Any = None) -> Any:
    """Largest element; NaN if there is one.

    Examples
    --------
    >>> import dask.array as da
    >>> import wgpu_reduce.dask as wd
    >>> int(wd.max(da.arange(3, 9, chunks=2)).compute())
    8
    """
    return _extremum("max", a, axis, keepdims, split_every)
