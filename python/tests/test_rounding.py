"""Results that round: within a bound that the number of additions gives, or exact."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from conftest import FLOATS, INTEGERS, LAYOUTS, answer, arrays, reductions, same
from hypothesis import given
from hypothesis import strategies as st

import wgpu_reduce as wr

#: What one rounding may be off, relatively: half a unit in the last place. `float16` is added in `float32`.
UNIT = {"f2": 2.0**-11, "f4": 2.0**-24, "f8": 2.0**-53}
TINY = {"f2": 2.0**-24, "f4": 2.0**-126, "f8": 2.0**-1022}


def code(array: np.ndarray) -> str:
    return array.dtype.str[1:]


def rows_of(array: np.ndarray, axis: Any) -> tuple[np.ndarray, tuple[int, ...]]:
    """The elements of each result, and the results' shape."""
    axes = range(array.ndim) if axis is None else np.atleast_1d(np.asarray(axis, int)) % max(array.ndim, 1)
    axes = tuple(int(one) for one in axes)
    kept = tuple(n for i, n in enumerate(array.shape) if i not in axes)
    moved = np.moveaxis(array, axes, range(array.ndim - len(axes), array.ndim))
    count = math.prod(array.shape[one] for one in axes)
    return moved.reshape(math.prod(kept), count), kept


def check(ours: Any, array: np.ndarray, axis: Any, exact: Any, bound: Any) -> None:
    """Fail unless each result is within its bound of the exact one, and rounded to its type."""
    rows, kept = rows_of(array, axis)
    unit, tiny = UNIT[code(np.asarray(ours))], TINY[code(np.asarray(ours))]
    ours = np.asarray(ours, np.float64).reshape(len(rows))
    for row, one in zip(rows.astype(np.float64), ours, strict=True):
        expected = float(exact(row))
        allowed = bound(row) + abs(expected) * unit + tiny
        assert abs(one - expected) <= allowed, (row, one, expected, allowed)


def added(array: np.ndarray) -> float:
    """The rounding of additions: those of `float16` are in `float32`."""
    return UNIT["f4" if code(array) == "f2" else code(array)]


@given(of=reductions(FLOATS, finite=True, least=1, most_dims=3))
def test_sums(of: Any) -> None:
    array, axis, keepdims, given_as = of
    ours = wr.sum(given_as, axis=axis, keepdims=keepdims)
    numpys = np.sum(array, axis=axis, keepdims=keepdims)
    assert ours.dtype == numpys.dtype and ours.shape == numpys.shape
    # Any order of n - 1 additions is within (n - 1) roundings of the sum of magnitudes, to first order.
    unit = added(array)
    check(ours, array, axis, math.fsum, lambda row: len(row) * unit * math.fsum(abs(row)))


@given(of=reductions((*FLOATS, "i4", "u1", "?"), finite=True, least=1, most_dims=3))
def test_means(of: Any) -> None:
    array, axis, keepdims, given_as = of
    ours = wr.mean(given_as, axis=axis, keepdims=keepdims)
    numpys = np.mean(array, axis=axis, keepdims=keepdims)
    assert ours.dtype == numpys.dtype and ours.shape == numpys.shape
    unit = added(array) if array.dtype.kind == "f" else UNIT["f8"]
    # A distance to the mean so far, a quotient and an addition for each element.
    bound = lambda row: 3 * len(row) * unit * math.fsum(abs(row)) / len(row)  # noqa: E731
    check(ours, array, axis, lambda row: math.fsum(row) / len(row), bound)


def squares(row: np.ndarray) -> Fraction:
    numbers = [Fraction(float(x)) for x in row]
    mean = sum(numbers) / len(numbers)
    return sum(((x - mean) ** 2 for x in numbers), Fraction(0)) / len(numbers)


def real_variance(row: np.ndarray) -> float:
    return float(squares(row))


def real_deviation(row: np.ndarray) -> float:
    most = float(abs(row).max()) or 1.0
    return most * math.sqrt(squares(row) / Fraction(most) ** 2)


@pytest.mark.parametrize("ddof", [0, 1, 0.5])
@given(of=reductions((*FLOATS, "i2", "i8", "u4"), finite=True, least=2, most_dims=3))
def test_variances(ddof: float, of: Any) -> None:
    array, axis, keepdims, given_as = of
    if array.dtype == np.int64:
        array = array >> 40
        given_as = array
    ours = answer(wr.var, given_as, axis=axis, keepdims=keepdims, ddof=ddof)
    numpys = answer(np.var, array, axis=axis, keepdims=keepdims, ddof=ddof)
    assert ours.dtype == numpys.dtype and ours.shape == numpys.shape
    rows, _ = rows_of(array, axis)
    if rows.shape[1] <= ddof:
        np.testing.assert_array_equal(np.isfinite(ours), np.isfinite(numpys))
        return
    unit = added(array) if array.dtype.kind == "f" else UNIT["f8"]

    def bound(row: np.ndarray) -> float:
        # Chan, Golub and LeVeque: n times the condition number, the root of 1 + mean² / variance.
        variance = real_variance(row)
        square = variance + (math.fsum(row) / len(row)) ** 2
        return 4 * len(row) * unit * math.sqrt(variance * square) * len(row) / (len(row) - ddof) + 1e-12 * variance

    check(ours, array, axis, lambda row: real_variance(row) * len(row) / (len(row) - ddof), bound)
    def bound_of_root(row: np.ndarray) -> float:
        # The root of v + e is within either of these of the root of v. Squares of tiny numbers would be 0.
        most = float(abs(row).max()) or 1.0
        error, root = bound(row / most), real_deviation(row) / most
        return most * (min(math.sqrt(error), error / root) if root else math.sqrt(error))

    deviation = wr.std(given_as, axis=axis, keepdims=keepdims)
    check(deviation, array, axis, real_deviation, bound_of_root)


@given(of=reductions(FLOATS, most_dims=3))
def test_exact_sums_are_rounded_once(of: Any) -> None:
    array, axis, keepdims, given_as = of
    if not np.isfinite(array).all() or not array.size:
        return
    ours = wr.sum(given_as, axis=axis, keepdims=keepdims, exact=True)
    rows, _ = rows_of(array, axis)
    real = [sum((Fraction(float(x)) for x in row), Fraction(0)) for row in rows]
    if code(array) == "f8":
        expected = [_fsum(row) for row in rows]
    else:
        assert ours.dtype == np.float32
        expected = [_nearest_f32(one) for one in real]
    np.testing.assert_array_equal(np.asarray(ours, np.float64).reshape(-1), expected)


def _fsum(row: np.ndarray) -> float:
    real = sum((Fraction(float(x)) for x in row), Fraction(0))
    try:
        return float(real)
    except OverflowError:
        return math.copysign(math.inf, real)


def _nearest_f32(real: Fraction) -> float:
    """The nearest `float32`, of two as near the even one."""
    if real == 0:
        return 0.0
    exponent = max(math.frexp(float(real))[1] - 24, -149)
    scaled = real / Fraction(2) ** exponent
    nearest = round(scaled)
    result = nearest * Fraction(2) ** exponent
    limit = Fraction(2) ** 128
    return math.copysign(math.inf, real) if abs(result) >= limit else float(result)


@given(of=reductions(FLOATS, finite=True, most_dims=3))
def test_products(of: Any) -> None:
    array, axis, keepdims, given_as = of
    ours = answer(wr.prod, given_as, axis=axis, keepdims=keepdims)
    numpys = answer(np.prod, array, axis=axis, keepdims=keepdims)
    assert ours.dtype == numpys.dtype and ours.shape == numpys.shape
    rows, _ = rows_of(array, axis)
    unit, wide = max(added(array), UNIT[code(ours)]), np.finfo(ours.dtype)
    for row, one in zip(rows, np.asarray(ours, np.float64).reshape(-1), strict=True):
        real = math.prod((Fraction(float(x)) for x in row), start=Fraction(1))
        if abs(real) > Fraction(float(wide.max)) * 2:
            assert np.isinf(one)
        elif abs(real) <= Fraction(float(wide.max)):
            # One rounding for each element, and none on the way that underflows or overflows.
            error = abs(Fraction(float(one)) - real) if np.isfinite(one) else None
            limit = abs(real) * Fraction((len(row) + 1) * unit) + Fraction(float(wide.smallest_normal))
            assert error is not None and error <= limit or np.isinf(one) and abs(real) * 1.01 > float(wide.max)


# Of one type: drivers in software take seconds for each of these shaders.
@given(of=reductions(("f4",), finite=True, least=1, most_dims=3), seed=st.integers(0, 9))
def test_exact_sums_of_what_a_mask_leaves(of: Any, seed: int) -> None:
    array, axis, keepdims, given_as = of
    where = np.random.default_rng(seed).random(array.shape) < 0.6
    ours = wr.sum(given_as, axis=axis, where=where, exact=True, keepdims=keepdims)
    rows, _ = rows_of(array, axis)
    masks, _ = rows_of(where, axis)
    for row, mask, one in zip(rows, masks, np.asarray(ours, np.float64).reshape(-1), strict=True):
        assert one == _nearest_f32(sum((Fraction(float(x)) for x in row[mask]), Fraction(0)))
    assert wr.mean([1.0, 2.0, 4.0], where=[True, False, True], exact=True) == 2.5


@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanvar", "nanstd", "nanmin", "nanmax"])
@given(of=reductions(("f8",), finite=True, least=1), seed=st.integers(0, 9))
def test_masks_and_nan(name: str, of: Any, seed: int) -> None:
    array, axis, keepdims, _ = of
    rng = np.random.default_rng(seed)
    array = np.where(rng.random(array.shape) < 0.3, np.nan, array)
    kwargs: dict[str, Any] = {"axis": axis, "keepdims": keepdims, "where": rng.random(array.shape) < 0.7}
    if name in ("nanvar", "nanstd"):
        kwargs["ddof"] = 1.5 if seed % 2 else 1
    if name in ("nanmin", "nanmax"):
        kwargs["initial"] = 3.0
    ours = answer(getattr(wr, name), wr.to_gpu(array), **kwargs)
    numpys = answer(getattr(np, name), array, **kwargs)
    assert ours.dtype == numpys.dtype and ours.shape == numpys.shape
    # Both are within some thousand roundings.
    np.testing.assert_allclose(ours, numpys, rtol=1e-12, atol=1e-9 if name == "nanvar" else 1e-6 * (name == "nanstd") + 1e-11)


@given(row=arrays(("f4", "f8"), finite=True, most_dims=1), seed=st.integers(0, 9))
def test_exact_results_do_not_depend_on_order(row: np.ndarray, seed: int) -> None:
    row = np.atleast_1d(row) * np.asarray(2.0, row.dtype) ** np.random.default_rng(seed).integers(-60, 60, row.size or 1)[: row.size].astype(row.dtype)
    other = np.random.default_rng(seed).permutation(row)
    assert wr.sum(row, exact=True) == wr.sum(other, exact=True)
    if row.size:
        assert wr.mean(row, exact=True) == wr.mean(other, exact=True)
        real = sum(Fraction(float(x)) for x in row) / row.size
        expected = float(real) if row.dtype == np.float64 else _nearest_f32(Fraction(real))
        assert float(wr.mean(row, exact=True)) == expected
    real = sum((Fraction(float(x)) ** 2 for x in row), Fraction(0))
    expected = float(real) if row.dtype == np.float64 else _nearest_f32(real)
    assert float(wr.dot(row, row, exact=True)) == expected


@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanvar", "nanstd"])
@given(of=reductions((*FLOATS, "i2", "?"), finite=True), seed=st.integers(0, 9))
def test_nan_is_left_out(name: str, of: Any, seed: int) -> None:
    array, axis, keepdims, _ = of
    if array.dtype.kind == "f":
        array = np.where(np.random.default_rng(seed).random(array.shape) < 0.3, np.nan, array).astype(array.dtype)
    ours = answer(getattr(wr, name), wr.to_gpu(array), axis=axis, keepdims=keepdims)
    wide = array.astype(np.float64) if array.dtype.kind == "f" else array
    numpys = np.asarray(answer(getattr(np, name), wide, axis=axis, keepdims=keepdims))
    own = np.asarray(answer(getattr(np, name), array, axis=axis, keepdims=keepdims))
    assert ours.dtype == own.dtype and np.shape(ours) == own.shape
    # Up to 625 elements of at most 100: 1875 roundings, of squares where there are such.
    unit = UNIT[code(np.asarray(ours))] if array.dtype.kind == "f" else 0
    most = np.nan_to_num(np.abs(wide)).max(initial=0) if array.dtype.kind == "f" else 0
    scale = {"nansum": 625 * most, "nanvar": most**2}.get(name, most)
    unit = max(unit, 1875 * added(array)) if unit else 2.0**-50
    np.testing.assert_allclose(ours, numpys, rtol=8 * unit, atol=8 * unit * scale)


@pytest.mark.parametrize("name", ["sum", "mean", "var"])
@given(of=reductions(("f8",), finite=True, least=1, most_dims=3), seed=st.integers(0, 9))
def test_masks_of_floats(name: str, of: Any, seed: int) -> None:
    array, axis, keepdims, given_as = of
    where = np.random.default_rng(seed).random(array.shape) < 0.6
    ours = answer(getattr(wr, name), given_as, axis=axis, keepdims=keepdims, where=where)
    numpys = answer(getattr(np, name), array, axis=axis, keepdims=keepdims, where=where)
    # Both are within some thousand roundings.
    np.testing.assert_allclose(ours, numpys, rtol=1e-12, atol=1e-11 if name != "var" else 1e-9)


@given(of=reductions((*FLOATS, *INTEGERS, "?"), least=1), method=st.sampled_from(["linear", "lower", "nearest", "midpoint", "hazen", "inverted_cdf"]))
def test_quantiles(of: Any, method: str) -> None:
    array, axis, keepdims, given_as = of
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        array = array >> array.dtype.type(12)
        given_as = array
    shares = np.array([[0.0, 0.25], [0.6, 1.0]])
    for q in (0.5, shares):
        ours = answer(wr.quantile, given_as, q, axis=axis, method=method, keepdims=keepdims)
        numpys = answer(np.quantile, array, q, axis=axis, method=method, keepdims=keepdims)
        if isinstance(numpys, type):
            same(ours, numpys)
            continue
        assert ours.dtype == numpys.dtype and ours.shape == numpys.shape
        # NumPy's differences of integers wrap in their type, and its places of `float16` are in that.
        wide = array.astype(np.float64)
        numpys = np.asarray(answer(np.quantile, wide, q, axis=axis, method=method, keepdims=keepdims), np.float64)
        # Both interpolate in float64, and ours is rounded to its type.
        finite = np.isfinite(numpys) & (np.abs(numpys) < np.finfo(ours.dtype).max if ours.dtype.kind == "f" else True)
        most = np.abs(wide, dtype=np.float64)[np.isfinite(wide)].max(initial=0)
        unit = UNIT[code(ours)] if ours.dtype.kind == "f" else 0
        np.testing.assert_allclose(
            np.asarray(ours, np.float64)[finite], numpys[finite], rtol=2 * unit, atol=4 * 2.0**-53 * most + TINY.get(code(ours), 0)
        )


@given(of=reductions(("f8", "i4"), finite=True, least=1), seed=st.integers(0, 9), q=st.floats(0, 1))
def test_percentiles_and_those_of_numbers(of: Any, seed: int, q: float) -> None:
    array, axis, keepdims, given_as = of
    same_as = wr.percentile(given_as, 100 * q, axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(same_as, wr.quantile(given_as, 100 * q / 100, axis=axis, keepdims=keepdims))
    if array.dtype.kind == "f":
        array = np.where(np.random.default_rng(seed).random(array.shape) < 0.3, np.nan, array)
    for name, share in (("nanquantile", q), ("nanpercentile", [100 * q, 50])):
        ours = answer(getattr(wr, name), array, share, axis=axis, keepdims=keepdims)
        numpys = answer(getattr(np, name), array, share, axis=axis, keepdims=keepdims)
        assert ours.dtype == numpys.dtype and ours.shape == numpys.shape
        # A place among at most 625 elements is off by few roundings, and so is what lies between them.
        most = np.nan_to_num(np.abs(array.astype(np.float64))).max()
        finite = np.isfinite(numpys) if array.dtype.kind == "f" else np.full(np.shape(numpys), most < 2**30)
        np.testing.assert_allclose(ours[finite], numpys[finite], rtol=0, atol=625 * 8 * 2.0**-53 * most)
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(numpys))


@pytest.mark.parametrize("name", ["median", "nanmedian"])
@given(of=reductions(("f4", "f8", "i4", "u1", "?"), finite=True), seed=st.integers(0, 9))
def test_medians(name: str, of: Any, seed: int) -> None:
    array, axis, keepdims, given_as = of
    if array.dtype.kind == "f":
        array = np.where(np.random.default_rng(seed).random(array.shape) < 0.2, np.nan, array).astype(array.dtype)
        given_as = array
    ours = answer(getattr(wr, name), given_as, axis=axis, keepdims=keepdims)
    numpys = answer(getattr(np, name), array, axis=axis, keepdims=keepdims)
    same(ours, numpys)


def test_quantiles_beside_infinities() -> None:
    for dtype in FLOATS:
        array = np.array([-np.inf, 1, 2, np.inf], dtype)
        np.testing.assert_array_equal(wr.quantile(array, [0.0, 0.1, 0.5, 0.9]), [-np.inf, -np.inf, 1.5, np.inf])
        assert np.isnan(wr.quantile(array[::3], 0.5))


def test_a_mean_and_a_norm_do_not_overflow() -> None:
    large = np.full(1000, 3e38, np.float32)
    assert wr.mean(large) == np.float32(3e38)
    assert wr.var(large) == 0
    assert wr.norm(np.float32([3e38, 0])) == np.float32(3e38)
    with np.errstate(over="ignore"):
        assert np.isinf(np.mean(large))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_long_arrays(dtype: str) -> None:
    array = np.random.default_rng(2).standard_normal((1 << 10, 513)).astype(dtype)
    x = wr.to_gpu(array)
    assert float(wr.sum(x, exact=True)) == float(np.asarray(math.fsum(array.reshape(-1).tolist()), dtype))
    assert wr.argmax(x) == np.argmax(array)
    np.testing.assert_array_equal(wr.argmin(x, axis=0), np.argmin(array, axis=0))
    np.testing.assert_array_equal(wr.median(x, axis=1), np.median(array, axis=1))
    turned = LAYOUTS["fortran"](array)
    np.testing.assert_array_equal(wr.max(turned, axis=0), np.max(array, axis=0))
    where = array > 0
    unit, total = UNIT[dtype], array.astype(np.float64)
    sums = np.sum(total, axis=1, where=where)
    assert (np.abs(wr.sum(x, axis=1, where=where) - sums) <= 513 * unit * sums).all()
    assert abs(float(wr.sum(x, where=where)) - total[where].sum()) <= array.size * unit * total[where].sum()


def test_long_rows_and_many_shares() -> None:
    rows = np.random.default_rng(3).standard_normal((3, 70_001)).astype("f4")
    x = wr.to_gpu(rows)
    np.testing.assert_array_equal(wr.median(x, axis=1), np.median(rows, axis=1))
    np.testing.assert_array_equal(wr.median(x.T, axis=0, keepdims=True), np.median(rows.T, axis=0, keepdims=True))
    shares = np.linspace(0, 1, 131)
    wide = rows.astype("f8")
    for axis in (None, 0, 1):
        ours = wr.quantile(rows, shares, axis=axis)
        # Between two elements there are few roundings of numbers below 6.
        np.testing.assert_allclose(ours, np.quantile(wide, shares, axis=axis), rtol=0, atol=2.0**-48)
