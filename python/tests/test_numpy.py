"""The functions beside NumPy's, where both have the same bits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from conftest import ALL, FLOATS, INTEGERS, LAYOUTS, answer, reductions, same
from hypothesis import given
from hypothesis import strategies as st

import wgpu_reduce as wr


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "min", "max"])
@given(of=reductions(("?", *INTEGERS)))
def test_integers_have_the_same_bits(name: str, of: Any) -> None:
    array, axis, keepdims, given_as = of
    ours = answer(getattr(wr, name), given_as, axis=axis, keepdims=keepdims)
    same(ours, answer(getattr(np, name), array, axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("name", ["any", "all", "min", "max"])
@given(of=reductions(FLOATS))
def test_floats_that_do_not_round_have_the_same_bits(name: str, of: Any) -> None:
    array, axis, keepdims, given_as = of
    ours = answer(getattr(wr, name), given_as, axis=axis, keepdims=keepdims)
    same(ours, answer(getattr(np, name), array, axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("name", ["count_nonzero", "ptp"])
@given(of=reductions())
def test_counts_and_ranges(name: str, of: Any) -> None:
    array, axis, keepdims, given_as = of
    ours = answer(getattr(wr, name), given_as, axis=axis, keepdims=keepdims)
    numpys = answer(getattr(np, name), array, axis=axis, keepdims=keepdims)
    if isinstance(ours, np.generic) and isinstance(numpys, int):
        numpys = np.intp(numpys)
    same(ours, numpys)


@pytest.mark.parametrize("name", ["argmin", "argmax", "nanargmin", "nanargmax"])
@given(of=reductions(one_axis=True))
def test_places_are_the_first_ones(name: str, of: Any) -> None:
    array, axis, keepdims, given_as = of
    # NumPy's first of two zeros may have either sign.
    if isinstance(axis, tuple) or (array.dtype.kind == "f" and (array == 0).any()):
        return
    ours = answer(getattr(wr, name), given_as, axis=axis, keepdims=keepdims)
    numpys = answer(getattr(np, name), array, axis=axis, keepdims=keepdims)
    same(ours, numpys)


@pytest.mark.parametrize("name", ["nanmin", "nanmax"])
@given(of=reductions())
def test_extremes_but_nan(name: str, of: Any) -> None:
    array, axis, keepdims, given_as = of
    ours = answer(getattr(wr, name), given_as, axis=axis, keepdims=keepdims)
    same(ours, answer(getattr(np, name), array, axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all"])
@given(of=reductions(("?", *INTEGERS)), seed=st.integers(0, 9), density=st.sampled_from([0, 0.5, 1]))
def test_masks(name: str, of: Any, seed: int, density: float) -> None:
    array, axis, keepdims, given_as = of
    where = np.random.default_rng(seed).random(array.shape) < density
    ours = answer(getattr(wr, name), given_as, axis=axis, keepdims=keepdims, where=where)
    numpys = answer(getattr(np, name), array, axis=axis, keepdims=keepdims, where=where)
    same(ours, numpys)


@pytest.mark.parametrize("name", ["min", "max"])
@given(of=reductions(INTEGERS, least=1), seed=st.integers(0, 9), initial=st.integers(0, 100))
def test_masked_extremes_begin_somewhere(name: str, of: Any, seed: int, initial: int) -> None:
    array, axis, keepdims, given_as = of
    where = np.random.default_rng(seed).random(array.shape) < 0.4
    kwargs = {"axis": axis, "keepdims": keepdims, "where": where, "initial": initial}
    same(answer(getattr(wr, name), given_as, **kwargs), answer(getattr(np, name), array, **kwargs))
    del kwargs["initial"]
    same(answer(getattr(wr, name), given_as, **kwargs), answer(getattr(np, name), array, **kwargs))


@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "?"])
@given(of=reductions(INTEGERS))
def test_integers_wrap_in_the_type_that_is_asked_for(name: str, dtype: str, of: Any) -> None:
    array, axis, keepdims, given_as = of
    ours = answer(getattr(wr, name), given_as, axis=axis, dtype=dtype, keepdims=keepdims)
    same(ours, answer(getattr(np, name), array, axis=axis, dtype=dtype, keepdims=keepdims))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("shape", [(), (1,), (7,), (257,), (0,), (3, 0), (2, 3, 4, 1, 2, 2, 2)])
def test_shapes_of_every_type(dtype: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    array = np.asarray(rng.integers(0, 3, shape)).astype(dtype)
    for layout in ("fortran", "swapped bytes", "on the GPU", "transposed on the GPU"):
        given_as = LAYOUTS[layout](array)
        for axis in [None, 0, -1, (0, -1), (1, 3, 5)]:
            ours = answer(wr.max, given_as, axis=axis)
            same(ours, answer(np.max, array, axis=axis))


@pytest.mark.parametrize("name", ["sum", "mean", "var", "min", "argmax", "any", "median", "nanmax"])
def test_errors_are_numpys(name: str) -> None:
    ours, numpys = getattr(wr, name), getattr(np, name)
    array = np.ones((2, 3))
    for axis in (2, -3):
        with pytest.raises(np.exceptions.AxisError) as raised:
            ours(array, axis=axis)
        with pytest.raises(np.exceptions.AxisError, match=str(raised.value)[:40]):
            numpys(array, axis=axis)
    with pytest.raises((ValueError, TypeError)):
        ours(array, axis=(0, 0))
    with pytest.raises(ValueError, match="shape"):
        ours(array, axis=0, out=np.empty(2, np.int64 if name == "argmax" else float))
    for refused in (np.ones(2, complex), np.array(["a"]), np.array([object()]), np.ones(2, "M8[s]")):
        with pytest.raises(TypeError, match="not supported"):
            ours(refused)


def test_nothing_is_what_numpy_says() -> None:
    empty = np.empty((0, 3), np.float32)
    for name in ("min", "max", "argmin", "argmax", "nanmin"):
        for axis in (None, 0, 1):
            ours = answer(getattr(wr, name), wr.to_gpu(empty), axis=axis)
            same(ours, answer(getattr(np, name), empty, axis=axis))
    with pytest.raises(ValueError, match="zero-size array to reduction operation"):
        wr.min(empty)
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"), np.errstate(all="ignore"):
        assert np.isnan(wr.mean(empty))
    assert wr.sum(empty, exact=True) == 0.0
    assert wr.prod(np.empty(0, np.uint8)).dtype == np.uint64
    with pytest.raises(TypeError, match="not supported"):
        wr.sum(np.empty(0, complex))


def test_warnings_are_numpys() -> None:
    nan = np.array([[np.nan, np.nan], [1.0, np.nan]])
    for name, kwargs in [
        ("nanmean", {}), ("nanvar", {}), ("nanmin", {}), ("nanmax", {}), ("nanmedian", {}),
        ("var", {"ddof": 2}), ("std", {"ddof": 3}),
    ]:  # fmt: skip
        numpys, ours = getattr(np, name), getattr(wr, name)
        with warnings.catch_warnings(record=True) as expected, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            numpys(nan, axis=1, **kwargs)
        with pytest.warns(RuntimeWarning) as told:
            ours(nan, axis=1, **kwargs)
        # Versions of NumPy differ in the dot.
        texts = {str(one.message).rstrip(".") for one in expected}
        assert str(told[0].message).rstrip(".") in texts
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wr.nanmean(nan[1:], axis=1)
        wr.nanmean([np.inf, -np.inf, np.nan])


def test_what_would_be_another_array_is_refused() -> None:
    masked = np.ma.masked_array([1, 2, 3], [False, True, False])
    for refused in (wr.sum, wr.to_gpu, wr.median, wr.histogram):
        with pytest.raises(TypeError, match="mask"):
            refused(masked)
    assert wr.sum(masked.data, where=~masked.mask) == masked.sum()


def test_results_go_where_they_are_wanted() -> None:
    array = np.arange(6.0).reshape(2, 3)
    out = np.empty(3, np.float32)
    assert wr.sum(array, axis=0, out=out) is out
    np.testing.assert_array_equal(out, [3, 5, 7])
    kept = np.empty((2, 1))
    assert wr.mean(array, axis=1, keepdims=True, out=kept) is kept
    np.testing.assert_array_equal(kept, [[1], [4]])
    with pytest.raises(TypeError, match="Cannot cast"):
        wr.sum(array, axis=0, out=np.empty(3, np.int64))
    with pytest.raises(TypeError, match="NumPy array"):
        wr.sum(array, axis=0, out=[0, 0, 0])
