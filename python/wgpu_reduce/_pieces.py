"""Results of files along axes that go through all pieces: what pieces leave is merged."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ._array import Array
from ._exact import ExactSum, sums_of
from ._run import Reduction, run


def _hypotenuse(one: Array, other: Array) -> Array:
    """Return the norm of both, which is NaN if one is, also beside an infinity."""
    return np.where(np.isnan(one) | np.isnan(other), np.nan, np.hypot(one, other))


#: Operations whose results merge as NumPy's functions do.
_UFUNCS: dict[str, Callable[[Array, Array], Any]] = {
    "sum": np.add, "nan_sum": np.add, "count_nonzero": np.add, "count_nan": np.add,
    "product": np.multiply, "any": np.logical_or, "all": np.logical_and,
    "norm_l1": np.add, "norm_l2": _hypotenuse, "norm_max": np.maximum, "log_sum_exp": np.logaddexp,
}  # fmt: skip
#: Operations that merge their own results.
_EXTREMES = ("min", "max", "nan_min", "nan_max")
#: A mean and what is derived from variances.
_MOMENTS = ("mean", "variance", "std")

#: Counts, means, and sums of squared deviations.
_Three = tuple[Any, Any, Any]


def through(name: str, of: Reduction, ddof: int) -> Array:
    """Reduce a file along axes of which the first is one."""
    if name in ("sum_exact", "mean_exact"):
        sums = ExactSum._of(sums_of(of, of_squares=False))
        return np.asarray(sums.round() if name == "sum_exact" else sums.mean())
    dtype = of.source.dtype
    if name == "mean" and dtype.kind in "biu" and dtype.itemsize < 8:
        return through("sum", of, 0) / of.count
    if name.removeprefix("nan_") in _MOMENTS:
        return _moments(name, of, ddof)
    if "arg" in name:
        return _places(name, of)
    with contextlib.closing(of.of_pieces()) as pieces:
        return functools.reduce(
            functools.partial(_merged, name), (_wide(run(name, piece)) for piece in pieces)
        )


def _merged(name: str, one: Array, other: Array) -> Array:
    if name in _EXTREMES:
        return run(name, Reduction(np.stack([one, other]), (0,)))
    if name == "min_max":
        ends = np.stack([one, other])
        return np.stack(
            [run("min", Reduction(ends[..., 0], (0,))), run("max", Reduction(ends[..., 1], (0,)))], -1
        )
    with np.errstate(all="ignore"):
        return np.asarray(_UFUNCS[name](one, other))


def _places(name: str, of: Reduction) -> Array:
    """Find places along the first axis, or of all elements; with those of pieces go the elements there."""
    plain = name.removeprefix("nan_")
    read = 0
    place: Array = np.empty(0)
    value: Array = place
    missing: Array = place
    with contextlib.closing(of.of_pieces()) as pieces:
        for piece in pieces:
            rows = piece.host
            # Where there is no number, zeros stand for what is not looked at.
            nothing: Array = np.zeros(rows.shape[1:], bool)
            if plain != name:
                nothing = np.asarray(np.isnan(rows).all(0))
            rows = np.where(nothing, 0, rows) if nothing.any() else rows
            found = run(name, Reduction(rows, (0,))).astype(np.intp)
            there = np.take_along_axis(rows, found[None], 0)[0]
            if read:
                is_better = run(plain, Reduction(np.stack([value, there]), (0,))) == 1
                is_better = np.where(missing, ~nothing, is_better & ~nothing)
                place = np.where(is_better, found + read, place)
                value, missing = np.where(is_better, there, value), missing & nothing
            else:
                place, value, missing = found, there, nothing
            read += len(rows)
    if missing.any():
        raise ValueError("there is no element that is not NaN")
    return place


def _wide(result: Array) -> Array:
    """Add up short floats in long ones."""
    return result.astype(np.float64) if result.dtype.kind == "f" else result


def _moments(name: str, of: Reduction, ddof: int) -> Array:
    plain = name.removeprefix("nan_")
    before = name.removesuffix(plain)
    moments: _Three = (0, np.zeros(of.kept), np.zeros(of.kept))
    with contextlib.closing(of.of_pieces()) as pieces:
        for piece in pieces:
            counts: Any = piece.count - run("count_nan", piece).astype(np.int64) if before else piece.count
            with np.errstate(all="ignore"):
                mean = run(f"{before}mean", piece).astype(np.float64)
                squares: Any = 0.0 if plain == "mean" else run(f"{before}variance", piece) * np.float64(counts)
            moments = joined(moments, (counts, mean, squares))
    counts, mean, squares = moments
    with np.errstate(all="ignore"):
        if plain == "mean":
            return np.where(counts == 0, np.nan, mean)
        variance = np.where(counts - ddof <= 0, np.nan, squares / (counts - np.float64(ddof)))
        return np.sqrt(variance) if plain == "std" else variance


def joined(one: _Three, other: _Three) -> _Three:
    """Return the counts, the means and the sums of squared deviations of both; without elements nothing else counts.

    This is the method of Chan, Golub and LeVeque (1979).
    """
    counts = (one[0], other[0])
    total = one[0] + other[0]
    with np.errstate(all="ignore"):
        apart = other[1] - one[1]
        weighted = one[1] * np.divide(one[0], total) + other[1] * np.divide(other[0], total)
        mean = np.where(apart == 0, one[1], weighted)
        squares = one[2] + other[2] + apart * apart * (one[0] * np.divide(other[0], total))
    return total, _unless_empty(counts, one[1], other[1], mean), _unless_empty(counts, one[2], other[2], squares)


def _unless_empty(counts: tuple[Any, Any], one: Any, other: Any, both: Any) -> Any:
    """Choose what is of one alone where the other has no elements."""
    first, second = counts
    return np.where(np.equal(first, 0), other, np.where(np.equal(second, 0), one, both))[()]
