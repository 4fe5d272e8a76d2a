"""Dot products, norms, log-sum-exp and histograms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import ALL, FLOATS, INTEGERS, LAYOUTS, answer, arrays, reductions, same
from hypothesis import given
from hypothesis import strategies as st

import wgpu_reduce as wr


@given(array=arrays(("?", *INTEGERS), least=1), layout=st.sampled_from(sorted(LAYOUTS)))
def test_dot_products_of_integers(array: np.ndarray, layout: str) -> None:
    other = np.roll(array, 1)
    given_as = LAYOUTS[layout](array)
    same(wr.vdot(given_as, other), np.vdot(array, other))
    same(wr.vdot(other, given_as), np.vdot(other, array))


@given(array=arrays(("?", *INTEGERS), least=1), layout=st.sampled_from(sorted(LAYOUTS)), axis=st.integers(-3, 2))
def test_dot_products_along_axes(array: np.ndarray, layout: str, axis: int) -> None:
    other = np.flip(array)
    given_as = LAYOUTS[layout](array)
    try:
        numpys = np.vecdot(array, other, axis=axis)
    except ValueError:
        with pytest.raises(ValueError):
            wr.vecdot(given_as, other, axis=axis)
        return
    same(wr.vecdot(given_as, other, axis=axis), numpys)


def test_vectors_broadcast() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(-9, 9, (7, 1, 40)).astype("i4"), rng.integers(-9, 9, (3, 40)).astype("i2")
    same(wr.vecdot(a, b), np.vecdot(a, b))
    x, y = rng.standard_normal((2, 33, 500))
    real = np.vecdot(x.astype(np.longdouble), y.astype(np.longdouble))
    assert (abs(wr.vecdot(wr.to_gpu(x), y) - real) <= 501 * 2.0**-53 * np.vecdot(abs(x), abs(y))).all()
    assert wr.vecdot(x, y, axis=0).shape == (500,)
    assert wr.vecdot(np.zeros((3, 0)), np.zeros((3, 0))).tolist() == [0.0, 0.0, 0.0]
    for pair in ((1.0, [2.0]), ([1.0], [1.0, 2.0])):
        with pytest.raises(ValueError, match="vectors"):
            wr.vecdot(*pair)


def test_dot_products_of_floats() -> None:
    rng = np.random.default_rng(3)
    for dtype, unit in (("f2", 2.0**-11), ("f4", 2.0**-24), ("f8", 2.0**-53)):
        a, b = rng.standard_normal((2, 300)).astype(dtype)
        real = float(np.dot(a.astype(np.longdouble), b.astype(np.longdouble)))
        magnitudes = float(np.dot(abs(a.astype("f8")), abs(b.astype("f8"))))
        ours = wr.dot(wr.to_gpu(a), b)
        assert ours.dtype == dtype
        assert abs(float(ours) - real) <= 301 * unit * magnitudes
        mixed = wr.dot(a, np.ones(300, np.int32))
        assert mixed.dtype == np.result_type(dtype, np.int32)
    assert wr.dot([1e200, 1.0, 1e200], [1e200, 3.0, -1e200], exact=True) == 3
    assert wr.dot(np.float16([2.0]), np.float16([0.5]), exact=True).dtype == np.float32
    assert wr.dot([], []) == 0
    for a, b in (([1.0], [1.0, 2.0]), ([[1.0]], [[1.0]]), (1.0, 2.0)):
        with pytest.raises(ValueError, match="vectors"):
            wr.dot(a, b)


@given(of=reductions((*FLOATS, "i4"), finite=True, least=1), ord=st.sampled_from([None, 1, 2, np.inf, 0, "fro", "nuc", 3]))
def test_norms(of: Any, ord: Any) -> None:
    array, axis, keepdims, given_as = of
    numpys = answer(np.linalg.norm, array, ord, axis, keepdims)
    ours = answer(wr.norm, given_as, ord, axis, keepdims)
    dims = array.ndim if axis is None else len(axis) if isinstance(axis, tuple) else 1
    if (dims == 1 and ord == 3) or (dims == 2 and ord not in (None, "fro")):
        # The orders that there are not.
        assert ours is ValueError
        return
    if isinstance(numpys, type):
        same(ours, numpys)
        return
    assert ours.dtype == numpys.dtype or ord == 0
    assert ours.shape == numpys.shape
    wide = answer(np.linalg.norm, array.astype("f8"), ord, axis, keepdims)
    # Up to 625 squares and additions, in float32 where elements have no more bits.
    unit = {"f2": 2.0**-10, "f4": 700 * 2.0**-24}.get(ours.dtype.str[1:], 700 * 2.0**-53)
    np.testing.assert_allclose(ours, wide, rtol=unit, atol=2.0**-24 if ours.dtype == "f2" else 1e-300)


def test_errors_of_norms_are_numpys() -> None:
    array = np.ones((2, 3, 4))
    for axis in (None, (), (0,), (0, 1), (0, 1, 2), (0, 0), 3, "a"):
        for ord in (None, "fro", "a"):
            ours = answer(wr.norm, array, ord, axis)
            same(ours, answer(np.linalg.norm, array, ord, axis))
    for ord in ([1], np.array([1]), (1,)):
        with pytest.raises(ValueError, match="norm order"):
            wr.norm([1.0, 2.0], ord)


@given(of=reductions((*FLOATS, "i1"), finite=True, least=1))
def test_logarithms_of_sums_of_exponentials(of: Any) -> None:
    array, axis, keepdims, given_as = of
    wide = array.astype(np.float64)
    most = np.max(wide, axis=axis, keepdims=True)
    expected = np.log(np.sum(np.exp(wide - most), axis=axis, keepdims=True)) + most
    ours = wr.logsumexp(given_as, axis, keepdims=True)
    assert ours.dtype == (array.dtype if array.dtype.kind == "f" else np.float64)
    # The device's exp and log are within some units of the largest, at most 107.
    unit = {"f2": 2.0**-11, "f4": 64 * 2.0**-24}.get(ours.dtype.str[1:], 2.0**-48)
    np.testing.assert_allclose(ours, expected, rtol=2 * unit, atol=107 * unit)
    assert wr.logsumexp(given_as, axis).shape == np.max(wide, axis=axis).shape


def test_logarithms_of_nothing_and_of_infinities() -> None:
    for dtype in ("f4", "f8"):
        assert wr.logsumexp(np.empty(0, dtype)) == -np.inf
        assert wr.logsumexp(np.array([-np.inf, -np.inf], dtype)) == -np.inf
        assert wr.logsumexp(np.array([np.inf, 1], dtype)) == np.inf
        assert np.isnan(wr.logsumexp(np.array([np.nan, 1], dtype)))


@given(
    array=arrays(ALL, finite=True),
    bins=st.sampled_from([1, 7, [-5, 0, 1, 90], [0.5, 1.5, 2.5], [0, 2, 2, 2], "sqrt"]),
    limits=st.sampled_from([None, (-10, 10), (0.0, 1.0)]),
    density=st.booleans(),
)
def test_histograms(array: np.ndarray, bins: Any, limits: Any, density: bool) -> None:
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        array = array >> array.dtype.type(12)
    if array.dtype == "?":
        array = array.view("u1")
    for given_as in (array, wr.to_gpu(array.T).T):
        ours = answer(wr.histogram, given_as, bins, limits, density)
        numpys = answer(np.histogram, array, bins, limits, density)
        assert isinstance(ours, type) == isinstance(numpys, type)
        if isinstance(numpys, tuple):
            same(ours[1], numpys[1])
            same(ours[0], numpys[0])


def test_edges_that_would_be_rounded_are_refused() -> None:
    small, large = 2**53, 2**64 - 2
    for array, edges in (
        (np.array([small + 3]), [small, small + 3, small + 5]),
        (np.array([large + 1, large, 5], np.uint64), [0, large, large + 1]),
    ):
        with pytest.raises(ValueError, match="float64"):
            wr.histogram(array, edges)
        with pytest.raises(ValueError, match="float64"):
            wr.histogram(array, np.array(edges, array.dtype))
    for given_as in ({}, {"range": (0, small + 1)}, {"bins": "sqrt"}):
        with pytest.raises(ValueError, match="float64"):
            wr.histogram(np.array([0, small + 1]), **given_as)
    counts, _ = wr.histogram(np.array([small + 1, small + 2, small + 3]), [small, small + 2, small + 4])
    np.testing.assert_array_equal(counts, [1, 2])
    for edges in ([0, np.inf], [np.nan, 3], [3], []):
        with pytest.raises(ValueError, match="edge"):
            wr.histogram([1.0, 2.0], edges)


def test_weights() -> None:
    rng = np.random.default_rng(4)
    array = rng.random((20, 50)).astype("f4")
    for weights in (rng.integers(0, 9, array.shape), rng.random(array.shape), rng.random(array.shape).astype("f2")):
        ours, edges = wr.histogram(array, 9, weights=weights)
        expected, _ = np.histogram(array, 9, weights=weights.astype("f8"))
        assert ours.dtype == weights.dtype
        np.testing.assert_array_equal(edges, np.histogram_bin_edges(array, 9))
        # Ours are rounded once; NumPy's are within a rounding of float64 for each element.
        unit = 2.0**-11 if ours.dtype == "f2" else 2.0**-43
        np.testing.assert_allclose(ours.astype("f8"), expected, rtol=unit)
    with pytest.raises(ValueError, match="same shape"):
        wr.histogram(array, weights=[1.0])
    with pytest.raises(ValueError, match="2\\^53"):
        wr.histogram([1, 2], weights=[1 << 60, 1])
    with pytest.raises(ValueError):
        wr.histogram([1.0, 2.0], [0, 2, 1])
