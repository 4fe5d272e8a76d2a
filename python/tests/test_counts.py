"""Averages, covariances, counts of values, largest elements, and what leaves NaN out of products."""

from __future__ import annotations

import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ALL, FLOATS, INTEGERS, answer, arrays, reductions, same
from hypothesis import given
from hypothesis import strategies as st

import wgpu_reduce as wr


def close(ours: Any, numpys: Any, unit: float, size: float) -> None:
    """Compare results, their types, or the types of errors."""
    if isinstance(numpys, type) or isinstance(ours, type):
        same(ours, numpys)
        return
    assert np.asarray(ours).dtype == np.asarray(numpys).dtype
    assert np.shape(ours) == np.shape(numpys)
    np.testing.assert_allclose(np.float64(ours), np.float64(numpys), rtol=64 * unit, atol=64 * unit * size)


@given(
    of=reductions(("f4", "f8", "i4", "?"), finite=True, least=1),
    seed=st.integers(0, 9),
    kind=st.sampled_from(["i8", "f4", "f8", None]),
    returned=st.booleans(),
)
def test_averages(of: Any, seed: int, kind: str | None, returned: bool) -> None:
    array, axis, keepdims, given_as = of
    rng = np.random.default_rng(seed)
    shape = (
        array.shape
        if seed % 2 or axis is None
        else tuple(array.shape[i] for i in (axis if isinstance(axis, tuple) else (axis,)))
    )
    weights = None if kind is None else rng.integers(1, 9, shape).astype(kind)
    kwargs = {"weights": weights, "returned": returned, "keepdims": keepdims}
    ours, numpys = answer(wr.average, given_as, axis, **kwargs), answer(np.average, array, axis, **kwargs)
    unit = 2.0**-23 if array.dtype == np.float32 else 2.0**-52
    if returned and not isinstance(numpys, type):
        close(ours[1], numpys[1], unit, 0)
        ours, numpys = ours[0], numpys[0]
    close(ours, numpys, unit, 100)


def test_weights_that_do_not_go_are_refused_as_by_numpy() -> None:
    array = np.ones((2, 3))
    for axis, weights in (
        (None, [1, 2, 3]),
        (1, [1, 2]),
        (0, [1, -1]),
        (None, np.zeros((2, 3))),
        ((0, 1), np.ones((3, 2))),
        (2, [1]),
    ):

        def call(function: Any) -> Any:
            return function(array, axis=axis, weights=weights)  # noqa: B023

        with pytest.raises((TypeError, ValueError, ZeroDivisionError)) as numpys:
            call(np.average)
        with pytest.raises(numpys.type):
            call(wr.average)
    same(wr.average(array.T, axis=(1, 0), weights=array), np.average(array.T, axis=(1, 0), weights=array))


@given(array=arrays(("f4", "f8", "i2", "?"), finite=True, most_dims=3), data=st.data())
def test_covariances(array: np.ndarray, data: st.DataObject) -> None:
    kwargs = {
        "rowvar": data.draw(st.booleans()),
        "bias": data.draw(st.booleans()),
        "ddof": data.draw(st.sampled_from([None, 0, 1, 2, 0.5])),
    }
    if array.ndim and data.draw(st.booleans()):
        kwargs["y"] = array[..., ::-1]
    count = array.shape[-1 if kwargs["rowvar"] or array.ndim < 2 else 0] if array.ndim else 1
    weights = {
        "fweights": np.arange(1, count + 1),
        "aweights": np.linspace(0.5, 2, count),
        "wrong": np.ones(count + 1),
    }
    for name in data.draw(
        st.sampled_from([(), ("fweights",), ("aweights",), ("fweights", "aweights"), ("wrong",)])
    ):
        kwargs["fweights" if name == "wrong" else name] = weights[name]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            numpys = np.cov(array, **kwargs)
        except (ValueError, RuntimeError, TypeError, ZeroDivisionError) as error:
            with pytest.raises(type(error)):
                wr.cov(wr.to_gpu(array), **kwargs)
            return
        ours = wr.cov(wr.to_gpu(array), **kwargs)
        close(ours, numpys, 2.0**-52, 1e5)


def test_correlations() -> None:
    rng = np.random.default_rng(7)
    array = rng.standard_normal((5, 400)) + rng.standard_normal(400)
    for args in ((array,), (array, array[:2] ** 2), (array[0],), (array.astype("f4"),)):
        close(wr.corrcoef(*args), np.corrcoef(*args), 2.0**-52, 1)
    close(wr.corrcoef(array[:, :40], rowvar=False), np.corrcoef(array[:, :40], rowvar=False), 2.0**-40, 1)
    assert wr.corrcoef(array, dtype=np.float32).dtype == np.float32
    for refused in (np.ones((2, 2, 2)), np.ones(3, complex)):
        with pytest.raises((ValueError, TypeError)):
            wr.cov(refused)
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        wr.cov([1.0])


def test_covariances_of_two_arrays_and_of_short_floats() -> None:
    rng = np.random.default_rng(9)
    for shape, other in (
        ((3, 5), (2, 5)), ((5, 3), (5, 2)), ((5, 3), (1, 5)), ((1, 5), (1, 5)), ((1, 5), (1, 1)), ((5,), (1, 5)), ((5,), (5, 2)),
        ((0, 5), (2, 5)), ((5, 0), (5, 2)), ((2, 5), (0, 5)), ((5, 2), (5, 0)), ((2, 5), (2, 4)),
    ):  # fmt: skip
        m, y = rng.standard_normal(shape), rng.standard_normal(other)
        for rowvar in (True, False):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours, numpys = answer(wr.cov, m, y, rowvar), answer(np.cov, m, y, rowvar)
            close(ours, numpys, 2.0**-52, 1)
    m = rng.standard_normal((2, 5)).astype("f4")
    for kwargs in ({}, {"fweights": [1, 2, 3, 1, 2]}, {"aweights": [0.5, 2, 1, 1, 3]}):
        for dtype in (np.float32, np.float64, None):
            close(wr.cov(m, dtype=dtype, **kwargs), np.cov(m, dtype=dtype, **kwargs), 2.0**-23, 1)
    for refused in ({"dtype": "i4"}, {"ddof": 0.5}):
        numpys = answer(np.cov, m.astype("i4"), **refused)
        assert isinstance(numpys, type)
        same(answer(wr.cov, m.astype("i4"), **refused), numpys)


def test_covariances_leave_the_filters_of_warnings_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(RuntimeWarning) as told, monkeypatch.context() as patched:
        # Filters are those of all threads.
        patched.setattr(warnings, "catch_warnings", None)
        found = wr.cov([1.0, 3.0], ddof=5)
    assert (found, len(told)) == (np.inf, 1)


@given(
    array=arrays(("?", *INTEGERS, "f8"), most_dims=1),
    minlength=st.sampled_from([0, 3, 300, -1]),
    kind=st.sampled_from([None, "f8", "i4", "c16", "short"]),
)
def test_counts_of_integers(array: np.ndarray, minlength: int, kind: str | None) -> None:
    if minlength < 0:
        kind = None
    if array.dtype.itemsize > 1 and array.dtype.kind != "f":
        array = array % 1000
    by = None if kind is None else np.linspace(0.5, 2, array.size).astype("f8" if kind == "short" else kind)
    if kind == "short" and by.ndim:
        by = by[1:]
    elif by is not None:
        by = by.reshape(array.shape)
    ours = answer(wr.bincount, wr.to_gpu(array), by, minlength)
    numpys = answer(np.bincount, array, by, minlength)
    if kind is None or isinstance(numpys, type):
        same(ours, numpys)
    else:
        close(ours, numpys, 2.0**-52, 0)


def test_counts_that_the_host_does_and_those_of_files(tmp_path: Path) -> None:
    for array in (np.array([5, 1 << 21]), np.array([1, 0, 1], np.uint64)):
        same(answer(wr.bincount, array), answer(np.bincount, array))
    assert wr.bincount([]).size == 0
    np.save(tmp_path / "x.npy", np.arange(900, dtype=np.uint16) % 7)
    file = wr.open(tmp_path / "x.npy", 4096)
    same(wr.bincount(file), np.bincount(np.arange(900) % 7))
    same(wr.unique_counts(file).counts, np.unique_counts(np.arange(900) % 7).counts)
    with pytest.raises(TypeError, match="in memory"):
        wr.bincount(file, np.ones(900))
    square = wr.open(np.zeros((1000, 1000), np.uint8), 4096)
    tracemalloc.start()
    assert answer(wr.bincount, square) is answer(np.bincount, np.zeros((2, 2), np.uint8)) is ValueError
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000
    for weights in (3.0, np.ones((2, 1)), [1.0]):
        assert answer(wr.bincount, [1, 2], weights) is answer(np.bincount, [1, 2], weights) is ValueError


@given(array=arrays(ALL))
def test_values_that_occur(array: np.ndarray) -> None:
    ours, numpys = wr.unique_counts(wr.to_gpu(array)), np.unique_counts(array)
    assert type(ours) is type(numpys)
    for mine, its in zip(ours, numpys, strict=True):
        same(mine, its)
    far = np.array([2**62, -(2**62), 2**62])
    same(wr.unique_counts(far).counts, np.array([1, 2]))


def test_a_few_integers_far_apart_have_no_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgpu_reduce._counts.counted", None)
    same(wr.unique_counts([0, 1 << 18, 0]).counts, np.array([2, 1]))
    with pytest.raises(TypeError):
        wr.unique_counts([0, 1000])


@given(of=reductions(ALL, one_axis=True, least=1), k=st.integers(-1, 6))
def test_largest_and_smallest_elements(of: Any, k: int) -> None:
    array, axis, _, given_as = of
    if isinstance(axis, tuple) or (array.dtype.kind == "f" and (array == 0).any()):
        # NumPy's two zeros are equal.
        return
    rows = array.reshape(-1) if axis is None else np.moveaxis(array, axis, -1)
    if not 0 <= k <= rows.shape[-1]:
        for function in (wr.topk, wr.bottomk):
            with pytest.raises(ValueError, match=f"k={k}"):
                function(given_as, k, axis)
        return
    order = np.argsort(rows, axis=-1, stable=True)
    reverse = np.flip(rows, axis=-1)
    back = rows.shape[-1] - 1 - np.flip(np.argsort(reverse, axis=-1, stable=True), axis=-1)
    for function, places in ((wr.bottomk, order), (wr.topk, back)):
        found = function(given_as, k, axis)
        places = places[..., :k]
        values = np.take_along_axis(rows, places, -1)
        last = -1 if axis is None else axis
        same(found.values, np.moveaxis(values, -1, last))
        same(found.indices, np.moveaxis(places, -1, last))


def test_ranks_of_long_rows_and_of_none() -> None:
    rng = np.random.default_rng(8)
    array = rng.permutation(2 * 70000).reshape(2, 70000).astype("f4")
    same(wr.topk(array, 3, axis=1).values, -np.sort(-array, axis=1)[:, :3])
    same(wr.bottomk(wr.to_gpu(array).T, 2, axis=0).indices, np.argsort(array.T, axis=0)[:2])
    assert wr.topk(np.empty((0, 3)), 0, axis=0).values.shape == (0, 3)
    assert wr.topk(np.empty((2, 0)), 1, axis=0).indices.shape == (1, 0)
    for k in (1.5, "a"):
        with pytest.raises(TypeError):
            wr.topk([1, 2], k)  # type: ignore[arg-type]
    with pytest.raises(np.exceptions.AxisError):
        wr.topk([1, 2], 1, axis=1)
    with pytest.raises(TypeError):
        wr.topk([1, 2], 1, axis=(0,))  # type: ignore[arg-type]


@given(of=reductions((*FLOATS, "i2", "?")), seed=st.integers(0, 3))
def test_products_but_nan(of: Any, seed: int) -> None:
    array, axis, keepdims, given_as = of
    if array.dtype.kind == "f":
        # Products of these do not round.
        array = np.array([1, 2, -0.5, np.nan], array.dtype)[np.arange(array.size) % 4].reshape(array.shape)
        given_as = wr.to_gpu(array)
    kwargs = {"keepdims": keepdims, "initial": 2}
    if seed:
        kwargs["where"] = np.random.default_rng(seed).random(array.shape) < 0.5
    same(answer(wr.nanprod, given_as, axis, **kwargs), answer(np.nanprod, array, axis, **kwargs))


def test_products_but_nan_of_masks_and_none() -> None:
    array = np.array([3.0, np.nan, 5.0])
    assert wr.nanprod(array, where=[2, 1, 0]) == np.nanprod(array, where=[2, 1, 0]) == 3
    assert wr.nanprod(array, initial=None) == np.nanprod(array, initial=None) == 15
    for nanprod in (wr.nanprod, np.nanprod):
        with pytest.raises(ValueError, match="initial"):
            nanprod(array, initial=None, where=[True, False, True])
