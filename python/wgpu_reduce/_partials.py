"""Results of a part of the elements that pickle and merge: moments and extremes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._pieces import joined
from ._reductions import max, mean, min, var
from ._run import Input, as_array, cast, reduction, run


def _check_alike(what: str, one: Any, other: Any) -> None:
    if np.shape(one) != np.shape(other):
        shapes = f"{np.shape(one)} and {np.shape(other)}"
        raise ValueError(f"{what} of the shapes {shapes} do not go together")


class Moments:
    """Count, mean and sum of squared deviations, of each result that has axes of its own.

    Parameters
    ----------
    a : array_like, GpuArray or FileArray
        The elements.
    axis : None, int or tuple of ints, optional
        The axes to reduce along; all of them by default.
    keepdims : bool, optional
        Whether the axes stay, with length one.

    Attributes
    ----------
    count : int
        Number of elements of each result.
    mean, m2 : float64 or ndarray
        Their mean, and the sum of the squares of their deviations from it.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> both = wr.Moments([1, 2]) + wr.Moments([3, 4])
    >>> both.count, float(both.mean), float(both.var()), float(both.var(ddof=2))
    (4, 2.5, 1.25, 2.5)
    """

    __slots__ = ("count", "m2", "mean")

    count: int
    mean: Any
    m2: Any

    def __init__(self, a: Input, axis: Any = None, *, keepdims: bool = False) -> None:
        array = as_array(a)
        if array.dtype == np.float16:
            array = cast(array, np.float32)
        of = reduction(array, axis)
        shape = of.kept_as_ones if keepdims else of.kept
        self.count = of.count
        self.mean, self.m2 = np.zeros((2, *shape))
        if self.count and array.size:
            self.mean = mean(array, of.axes, keepdims=keepdims).astype(np.float64)
            variance = var(array, of.axes, keepdims=keepdims).astype(np.float64)
            with np.errstate(all="ignore"):
                self.m2 = variance * self.count

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        _check_alike("moments", self.mean, other.mean)
        made = Moments.__new__(Moments)
        made.count, made.mean, made.m2 = joined(
            (self.count, self.mean, self.m2), (other.count, other.mean, other.m2)
        )
        return made

    def var(self, ddof: float = 0) -> Any:
        """Return the variance; without degrees of freedom it is infinite, and NaN of elements alike."""
        with np.errstate(all="ignore"):
            return np.divide(self.m2, 0.0 if ddof >= self.count else self.count - ddof)

    def std(self, ddof: float = 0) -> Any:
        """Return the standard deviation."""
        return np.sqrt(self.var(ddof))


class Extremes:
    """The smallest and the largest element, of each result that has axes of its own.

    Takes what `Moments` does. NaN is both if there is one.

    Attributes
    ----------
    min, max : scalar, ndarray or None
        The elements; None if results have none.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> both = wr.Extremes([1, 2]) + wr.Extremes([-3, 0])
    >>> int(both.min), int(both.max)
    (-3, 2)
    """

    __slots__ = ("max", "min")

    min: Any
    max: Any

    def __init__(self, a: Input, axis: Any = None, *, keepdims: bool = False) -> None:
        of = reduction(as_array(a), axis)
        shape = of.kept_as_ones if keepdims else of.kept
        self.min = self.max = None
        if of.source.size:
            ends = run("min_max", of).astype(of.source.dtype)
            self.min, self.max = (ends[..., i].reshape(shape)[()] for i in (0, 1))
        elif of.count:
            self.min = self.max = np.empty(shape, of.source.dtype)

    def __add__(self, other: Extremes) -> Extremes:
        if not isinstance(other, Extremes):
            return NotImplemented
        if self.min is None or other.min is None:
            return self if other.min is None else other
        _check_alike("extremes", self.min, other.min)
        made = Extremes.__new__(Extremes)
        made.min = min(np.stack([self.min, other.min]), 0)
        made.max = max(np.stack([self.max, other.max]), 0)
        return made
