"""Partial results: they pickle, merge, and are those of the whole."""

from __future__ import annotations

import math
import pickle
import sys
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import FLOATS, arrays, same
from hypothesis import given, settings
from hypothesis import strategies as st

import wgpu_reduce as wr
from wgpu_reduce._exact import nearest, variances


def sent(partial: Any) -> Any:
    return pickle.loads(pickle.dumps(partial))


@settings(max_examples=12)
@given(array=arrays(FLOATS, least=1), data=st.data())
def test_exact_sums_of_parts_are_those_of_the_whole(array: np.ndarray, data: st.DataObject) -> None:
    axis = data.draw(st.sampled_from([None, 0])) if array.ndim else None
    whole = wr.ExactSum(array, axis)
    same(whole.round(), wr.sum(array, axis, exact=True))
    if not array.ndim:
        return
    at = data.draw(st.integers(0, array.shape[0]))
    one, two = sent(wr.ExactSum(array[:at], axis)), sent(wr.ExactSum(wr.to_gpu(array[at:]), axis))
    for both in (one + two, two + one, wr.ExactSum.merge([two, one])):
        assert both == whole
        assert hash(both) == hash(whole)
    same(wr.ExactSum(array[:1], axis).mean(), wr.mean(array[:1], axis, exact=True))
    assert np.all(whole.count == (array.size if axis is None else array.shape[0]))


def test_exact_sums_have_bytes() -> None:
    for dtype, size in (("f4", 96), ("f8", 552), ("i4", 552), ("?", 552), ("f2", 96)):
        total = wr.ExactSum(np.array([1, 0, 1], dtype))
        data = total.to_bytes()
        assert len(data) == size
        assert wr.ExactSum.from_bytes(data) == total
        assert float(total) == 2
        for broken in (data[:-1], b"", b"abcd" + data[4:], data[:6] + b"\x09" + data[7:]):
            with pytest.raises(ValueError, match="exact sum|bytes"):
                wr.ExactSum.from_bytes(broken)
    rows = wr.ExactSum(np.ones((2, 3)), axis=1, keepdims=True)
    assert rows.shape == (2, 1)
    np.testing.assert_array_equal(rows.count, [[3], [3]])
    with pytest.raises(ValueError, match="pickle"):
        rows.to_bytes()
    with pytest.raises(ValueError, match="go together"):
        rows + wr.ExactSum(1.0)
    with pytest.raises(ValueError, match="no sums"):
        wr.ExactSum.merge([])
    for refused in (np.ones(2, "i8"), np.ones(2, complex)):
        with pytest.raises(TypeError):
            wr.ExactSum(refused)
    with pytest.raises(TypeError):
        rows + 1  # type: ignore[operator]


def test_exact_sums_of_either_float_merge() -> None:
    short, long = wr.ExactSum(np.float32([1e10, 0.5])), wr.ExactSum([1e300, -1e10])
    both = short + long + wr.ExactSum([-1e300])
    assert (float(both), both.count, both.round().dtype) == (0.5, 5, np.float64)
    nothing = wr.ExactSum(np.empty((0, 2)), axis=0)
    np.testing.assert_array_equal(nothing.round(), [0, 0])
    assert np.isnan(nothing.mean()).all()
    for dtype in (np.float32, np.float64):
        none = wr.ExactSum(np.empty((0, 2), dtype), axis=1)
        same((none + none).round(), np.empty(0, dtype))
        same((none + wr.ExactSum(np.empty((0, 2)), axis=1)).round(), np.empty(0))


def test_exact_sums_of_nothing(tmp_path: Path) -> None:
    for shape, axis, expected in (
        ((0,), None, 0.0), ((3, 0), 1, np.zeros(3)), ((3, 0), 0, np.empty(0)), ((0, 3), 1, np.empty(0)),
        ((0, 70000), 1, np.empty(0)), ((0, 70), 0, np.zeros(70)), ((0, 3), None, 0.0),
    ):  # fmt: skip
        array = np.empty(shape)
        np.save(tmp_path / "x.npy", array)
        for given_as in (array, wr.to_gpu(array), wr.open(tmp_path / "x.npy")):
            for total in (wr.ExactSum(given_as, axis), wr.ExactSum.of_squares(given_as, axis)):
                np.testing.assert_array_equal(total.round(), expected, strict=True)
                assert np.all(np.asarray(total.count) == 0)


def test_exact_sums_that_are_sent_are_checked() -> None:
    for array, axis in ((np.ones((2, 3), "f4"), 1), (np.ones((0, 3)), 1), (np.float64(2.5), None)):
        total = wr.ExactSum(array, axis)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            back = pickle.loads(pickle.dumps(total, protocol))
            assert back == total
            assert back.round().dtype == array.dtype
    make, (shape, size, data) = wr.ExactSum(np.ones((2, 3)), 1).__reduce__()
    for broken in (
        ((2,), size, data[:-1]), ((3,), size, data), ((2,), size - 1, data[:-2]), ((2,), size, data[:552] + bytes(552)),
        ((0,), 7, b""), ((-2,), -size, data),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="bytes"):
            make(*broken)
    data = bytearray(wr.ExactSum([2.5]).to_bytes())
    total = wr.ExactSum.from_bytes(data)
    data[:] = bytes(len(data))
    assert float(total) == 2.5


def test_exact_sums_tell_their_size() -> None:
    one, many = wr.ExactSum(np.ones((1, 2)), 1), wr.ExactSum(np.ones((1001, 2)), 1)
    assert sys.getsizeof(many) - sys.getsizeof(one) == 552_000


def test_long_rows_are_summed_on_the_gpu() -> None:
    rng = np.random.default_rng(4)
    array = rng.standard_normal((2, 70000)) * 1e9
    for given_as in (array, wr.to_gpu(array), wr.to_gpu(array.T).T):
        expected = [math.fsum(row) for row in array]
        np.testing.assert_array_equal(wr.ExactSum(given_as, 1).round(), expected)
        squares = wr.ExactSum.of_squares(given_as, -1)
        exact = [float(sum(Fraction(x) ** 2 for x in row.tolist())) for row in array[:, :70000]]
        np.testing.assert_array_equal(squares.round(), exact)
    assert float(wr.ExactSum(array)) == math.fsum(array.reshape(-1))


def test_long_rows_that_are_there_stay_there(monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.random.default_rng(4).standard_normal((3, 2, 35000))
    x = wr.to_gpu(array)
    monkeypatch.setattr(wr.GpuArray, "_downloaded", None)
    for rows in (slice(0, 3), slice(1, 3)):
        for axis in ((1, 2), (-1, 1), None):
            sums = wr.ExactSum(x[rows], axis)
            assert sums == wr.ExactSum(array[rows], axis)
    expected = -np.sort(-array[1:].reshape(2, 70000), axis=1)[:, :3]
    same(wr.topk(wr.to_gpu(array.reshape(3, 70000))[1:], 3, axis=1).values, expected)


def test_partials_of_files(tmp_path: Path) -> None:
    array = np.random.default_rng(5).standard_normal((300, 4)).astype(np.float32)
    np.save(tmp_path / "x.npy", array)
    file = wr.open(tmp_path / "x.npy", 4096)
    for axis in (None, 0, 1):
        assert wr.ExactSum(file, axis) == wr.ExactSum(array, axis)
        assert wr.ExactSum.of_squares(file, axis) == wr.ExactSum.of_squares(array, axis)
        same(wr.Extremes(file, axis).max, array.max(axis))
        np.testing.assert_allclose(
            wr.Moments(file, axis).var(1), array.astype("f8").var(axis, ddof=1), rtol=1e-5
        )


@settings(max_examples=12)
@given(array=arrays(("f4", "f8", "i2"), least=2, finite=True), ddof=st.sampled_from([0, 1]))
def test_moments_of_parts(array: np.ndarray, ddof: int) -> None:
    if not array.ndim:
        return
    for axis in (None, 0):
        parts = [sent(wr.Moments(part, axis)) for part in (array[:1], array[1:], array[:0])]
        both = parts[0] + parts[1] + parts[2]
        whole = array.astype(np.float64)
        # Each part is rounded to its type.
        unit = 2.0**-23 if array.dtype == np.float32 else 2.0**-52
        size = 1 + abs(whole).max()
        assert both.count == whole.size // (whole[0].size if axis == 0 else 1)
        np.testing.assert_allclose(both.mean, whole.mean(axis), rtol=8 * unit, atol=8 * unit * size)
        np.testing.assert_allclose(
            both.var(ddof), whole.var(axis, ddof=ddof), rtol=99 * unit, atol=99 * unit * size**2
        )
        np.testing.assert_allclose(both.std(ddof) ** 2, both.var(ddof), rtol=1e-14)


def test_moments_of_what_is_not_finite_and_of_nothing() -> None:
    for parts in (([np.inf], [np.inf]), ([1.0], [np.inf]), ([1.0, np.nan], [2.0])):
        with np.errstate(all="ignore"):
            both = wr.Moments(parts[0]) + wr.Moments(parts[1])
            np.testing.assert_array_equal(both.mean, np.mean(np.concatenate(parts)))
            assert np.isnan(both.var())
    for array in ([1.0, 2.0], [1.0, 1.0], [[1.0, 5.0], [2.0, 5.0]]):
        for ddof in (2, 3, 1.5):
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                for name in ("var", "std"):
                    numpys = getattr(np, name)(array, axis=0, ddof=ddof)
                    np.testing.assert_array_equal(getattr(wr.Moments(array, 0), name)(ddof), numpys)
    short = np.array([300, 301, 700], "f2")
    np.testing.assert_allclose(wr.Moments(short).mean, short.astype("f8").mean(), rtol=1e-6)
    np.testing.assert_allclose(wr.Moments(short).m2, short.astype("f8").var() * 3, rtol=1e-6)
    nothing = wr.Moments([])
    assert np.isnan(nothing.var())
    assert nothing.count == 0
    assert np.isnan(wr.Moments([1.0]).var(ddof=1))
    with pytest.raises(ValueError, match="go together"):
        nothing + wr.Moments(np.ones((2, 2)), axis=0)


@settings(max_examples=12)
@given(array=arrays(("f4", "i8"), least=2))
def test_extremes_of_parts(array: np.ndarray) -> None:
    if not array.ndim:
        return
    for axis in (None, 0):
        both = sent(wr.Extremes(array[:1], axis)) + sent(wr.Extremes(array[1:], axis))
        same(both.min, wr.min(array, axis))
        same(both.max, wr.max(array, axis))
    zeros = wr.Extremes([0.0]) + wr.Extremes([-0.0])
    assert (math.copysign(1, zeros.min), math.copysign(1, zeros.max)) == (-1, 1)
    nothing = sent(wr.Extremes([]))
    assert (nothing.min, nothing.max, (nothing + nothing).min) == (None, None, None)
    assert ((zeros + nothing).max, (nothing + zeros).max) == (0, 0)
    none = wr.Extremes(np.empty((0, 3), "f4"), 1)
    same((none + none).min, np.empty(0, "f4"))
    same(wr.Extremes(np.empty((0, 3), "f4"), 1, keepdims=True).max, np.empty((0, 1), "f4"))
    for dtype in ("?", "f2"):
        found = wr.Extremes(np.array([[1, 0], [1, 1]], dtype), 1, keepdims=True)
        same(found.min, np.array([[0], [1]], dtype))
    with pytest.raises(ValueError, match="go together"):
        zeros + wr.Extremes(np.ones((2, 2)), axis=0)


@given(array=arrays(("f4", "f8"), least=1, finite=True), ddof=st.sampled_from([0, 1, 0.5]))
def test_exact_variances_are_the_real_ones(array: np.ndarray, ddof: float) -> None:
    elements = [Fraction(x) for x in array.reshape(-1).tolist()]
    count = len(elements)
    if count <= ddof:
        return
    mean = sum(elements) / count
    real = sum((x - mean) ** 2 for x in elements) / (count - Fraction(ddof))
    found = variances(wr.ExactSum(array), wr.ExactSum.of_squares(array), ddof, False)
    assert found.dtype == array.dtype
    # Its neighbours are no nearer.
    apart = abs(Fraction(float(found)) - real)
    for toward in (-np.inf, np.inf):
        neighbour = np.nextafter(found, array.dtype.type(toward))
        assert neighbour < 0 or apart <= abs(Fraction(float(neighbour)) - real)


def test_quotients_are_rounded_once() -> None:
    # Half-way between two float32 but for 2^-60: rounded to float64 first, it would go to the even one.
    near = (2**24 + 1 << 60) + 1
    assert np.float32(nearest(near, 1 << 60, np.dtype("f4"), False)) == 2**24 + 2
    for dtype in ("f4", "f8"):
        assert nearest(2**80, 2**60, np.dtype(dtype), True) == 1024
        assert nearest(1, 3, np.dtype(dtype), False) == pytest.approx(1 / 3, rel=1e-15)
        assert nearest(0, 5, np.dtype(dtype), True) == 0
    assert nearest(2, 1, np.dtype("f8"), True) == math.sqrt(2)
    assert nearest(1 << 1024, 1, np.dtype("f8"), False) == math.inf
    assert nearest(3, 1 << 1075, np.dtype("f8"), False) == 2**-1073
