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
    same(wr.sum(empty, exact=True), np.float32(0))
    same(wr.sum(empty.astype(np.float16), axis=0, exact=True), np.zeros(3, np.float32))
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
        wr.std(array, axis=0, out=np.empty(3, np.int64))
    with pytest.raises(TypeError, match="NumPy array"):
        wr.sum(array, axis=0, out=[0, 0, 0])


NAMES = (
    "sum", "prod", "min", "max", "ptp", "mean", "var", "std", "any", "all", "argmin", "argmax", "median",
    "nansum", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "nanargmin", "nanargmax", "nanmedian",
)  # fmt: skip


@pytest.mark.parametrize("name", [*NAMES, "quantile", "nanquantile"])
def test_results_are_cast_as_numpys(name: str) -> None:
    for dtype in ("?", "u1", "i8", "f4"):
        array = np.array([1.0, 3.5]).astype(dtype) if dtype != "?" else np.array([False, True])
        for kept in ("?", "u1", "i4", "u8", "f2", "f8"):
            for args in [(0.5,), (1,)] if "quantile" in name else [()]:
                ours, numpys = np.zeros((), kept), np.zeros((), kept)
                returned = answer(getattr(wr, name), array, *args, out=ours)
                expected = answer(getattr(np, name), array, *args, out=numpys)
                same(returned, expected)
                if expected is numpys:
                    assert returned is ours


def test_results_are_computed_in_the_type_that_they_go_to() -> None:
    wide = np.zeros(())
    assert wr.sum(np.array([2**63, 2**63], np.uint64), out=wide) == 2.0**64
    assert wr.sum(wr.to_gpu(np.float32([3e38, 3e38])), out=wide) == 2 * float(np.float32(3e38))
    assert wr.sum(np.array([200, 100], np.uint8), out=np.zeros((), np.uint8)) == 44
    assert wr.max([1, 2], initial=2.5, out=wide) == 2.5
    masks = {"axis": 1, "where": [[False, False], [True, True]], "initial": 2.5}
    same(wr.max([[1, 2], [3, 4]], out=np.zeros(2), **masks), np.array([2.5, 4.0]))
    # What is exact stays so.
    assert wr.sum([0.1] * 10, exact=True, out=np.zeros((), np.float32)) == 1


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "nansum", "nanmin", "nanmax"])
def test_what_results_begin_with_is_cast_as_numpys(name: str) -> None:
    ours, numpys = getattr(wr, name), getattr(np, name)
    scalars = (2.5, 2, -1, 300, 2**40, 2**70, True, 1e300, "a", 1j, [1, 2])
    scalars = (*scalars, None, np.nan, np.inf, np.float64(2.5), np.array(2.5))
    for dtype in ("i4", "u1", "f4"):
        array = np.array([1, 2, 3], dtype)
        for initial in scalars:
            same(answer(ours, array, initial=initial), answer(numpys, array, initial=initial))
        where = [True, False, True]
        same(answer(ours, array, initial=2.5, where=where), answer(numpys, array, initial=2.5, where=where))
        same(answer(ours, array, initial=None, where=where), answer(numpys, array, initial=None, where=where))


@pytest.mark.parametrize("name", [*NAMES, "count_nonzero", "quantile", "nanquantile", "norm"])
def test_numbers_have_no_axes_but_where_numpys_do(name: str) -> None:
    numpys = np.linalg.norm if name == "norm" else getattr(np, name)
    of_numpy = (lambda *a, **k: np.intp(numpys(*a, **k))) if name == "count_nonzero" else numpys
    args = (0.5,) if "quantile" in name else ()
    for array in (np.array(5.0), np.array(5)):
        for axis in (None, 0, -1, 1, ()):
            for keepdims in (False, True):
                kwargs = {"axis": axis, "keepdims": keepdims}
                ours = answer(getattr(wr, name), wr.to_gpu(array), *args, **kwargs)
                same(ours, answer(of_numpy, array, *args, **kwargs))


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
def test_types_of_quantiles_are_numpys(name: str) -> None:
    most = 100 if name.endswith("percentile") else 1
    halves = [np.array(most / 2, dtype) for dtype in ("f2", "f4", "f8")]
    shares: list[Any] = [0, most, most / 2, [0, most], [most / 2], [], np.array([0, most], "i4")]
    shares += [*halves, *(half[()] for half in halves), *(half[None] for half in halves)]
    # NumPy's arithmetic of bool and of short integers fails for other methods.
    of_elements = [True, [True], np.array([0, 1], "u1")] if most == 1 else []
    between = [q for q in shares if most == 100 or np.asarray(q).dtype.kind == "f"]
    for dtype in ("?", "u1", "i4", "f2", "f4", "f8"):
        array = np.array([0, 1, 1]).astype(dtype)
        for method, asked in (("linear", shares + of_elements), ("lower", shares), ("weibull", between)):
            for q in asked:
                ours = answer(getattr(wr, name), array, q, method=method)
                same(ours, answer(getattr(np, name), array, q, method=method))


def test_no_quantiles_have_a_shape() -> None:
    array = np.ones((3, 2))
    for axis in (None, 0, 1):
        for keepdims in (False, True):
            kwargs = {"axis": axis, "keepdims": keepdims}
            same(wr.quantile(array, [], **kwargs), np.quantile(array, [], **kwargs))


def test_ranges_go_where_they_are_wanted() -> None:
    for array in (np.array([True, False]), np.array([100, 3], np.uint8)):
        for dtype in ("?", "i1", "i4", "f2", "f8"):
            ours, numpys = np.zeros((), dtype), np.zeros((), dtype)
            same(answer(wr.ptp, array, out=ours), answer(np.ptp, array, out=numpys))


def test_exact_results_take_nothing_that_rounds() -> None:
    for array in ([1.0, 2.0], []):
        for kwargs in ({"initial": 0.5}, {"dtype": np.float32}):
            with pytest.raises(TypeError, match="exact"):
                wr.sum(array, exact=True, **kwargs)
        with pytest.raises(TypeError, match="exact"):
            wr.mean(array, dtype=np.float32, exact=True)


def test_variances_of_integers_with_few_degrees_are_numpys() -> None:
    for array in (np.array([1, 2, 3]), np.array([True, False]), np.zeros(2, np.uint8), np.array([1.0, 2.0])):
        for ddof in (1, 2, 3, 4):
            for name in ("nanvar", "nanstd"):
                same(answer(getattr(wr, name), array, ddof=ddof), answer(getattr(np, name), array, ddof=ddof))


def test_what_is_given_is_converted_once() -> None:
    class Given:
        conversions = 0

        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            self.conversions += 1
            return np.ones(3)

    given_as = Given()
    assert wr.sum(given_as) == 3
    assert wr.median(a=given_as) == 1
    assert given_as.conversions == 2


def test_arrays_of_others_are_taken() -> None:
    array = np.arange(12.0).reshape(3, 4)[:, ::2]

    class Interface:
        __array_interface__ = array.__array_interface__

    class Exchanged:
        is_readable = True

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

        def __dlpack__(self, **kwargs: Any) -> Any:
            if not self.is_readable:
                raise BufferError("elsewhere")
            return array.__dlpack__(**kwargs)

    for given_as in (Interface(), Exchanged(), memoryview(array)):
        same(wr.sum(given_as, axis=0), array.sum(axis=0))
        assert wr.to_gpu(given_as).shape == (3, 2)
    elsewhere = Exchanged()
    elsewhere.is_readable = False
    with pytest.raises(BufferError, match="elsewhere"):
        wr.sum(elsewhere)
