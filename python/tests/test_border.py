"""Whatever is handed to the native module and to functions: exceptions come back, and no panic does, which is none."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from conftest import ON_HOST
from hypothesis import given, settings
from hypothesis import strategies as st

import wgpu_reduce as wr
from wgpu_reduce import _native

NAMES = st.sampled_from(
    [
        "sum", "product", "min_max", "argmin", "nan_argmax", "mean", "variance", "std", "stats", "all", "count_nan",
        "bit_xor", "norm_l2", "log_sum_exp", "sum_exact", "mean_exact", "wrapping_sum", "nan_std", "none", "",
    ]
)  # fmt: skip
TYPES = st.sampled_from(["f16", "f32", "f64", "bf16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f8", ""])
INTEGERS = st.integers(-3, 40) | st.sampled_from([2**31, 2**32, 2**62, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**64)])
FLOATS = st.floats() | st.sampled_from([0.0, 0.5, 1.0])
SPANS = st.tuples(INTEGERS, INTEGERS) | st.tuples(st.just(0), st.integers(0, 8))
AXES = st.lists(st.integers(-1, 6), max_size=3)
VIEWS = st.tuples(st.lists(INTEGERS, max_size=7), st.lists(INTEGERS, max_size=7), INTEGERS) | st.tuples(
    st.tuples(st.integers(0, 3), st.integers(0, 3)), st.tuples(st.integers(-4, 4), st.integers(-4, 4)), st.integers(0, 9)
)
BYTES = st.binary(max_size=64).map(lambda data: np.frombuffer(data, np.uint8))
METHODS = st.sampled_from(["linear", "lower", "hazen", "none"])


def tried(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function. A panic comes as pyo3's own exception, which is no `Exception` and fails the test."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs)
        except Exception as error:
            assert "panic" not in str(error)
            return None


@settings(max_examples=200)
@given(data=st.data(), first=BYTES, second=BYTES, kind=TYPES, other_kind=TYPES)
def test_elements_on_the_host_take_anything(data: Any, **drawn: Any) -> None:
    take_anything(_native.keep, data, **drawn)


@pytest.mark.skipif(ON_HOST, reason="there is no adapter")
@given(data=st.data(), first=BYTES, second=BYTES, kind=TYPES, other_kind=TYPES)
def test_elements_take_anything(data: Any, **drawn: Any) -> None:
    take_anything(_native.upload, data, **drawn)


def take_anything(
    put: Any, data: Any, first: np.ndarray, second: np.ndarray, kind: str, other_kind: str
) -> None:
    x, other = tried(put, first, kind), tried(put, second, other_kind)
    if x is None:
        return
    if not isinstance(x, _native.HostElements):
        tried(x.write, data.draw(SPANS), second)
    other = x if other is None else other
    draw = data.draw
    edges, shares = st.lists(FLOATS, max_size=4), st.lists(FLOATS, max_size=3)
    for call, arguments in (
        (x.download, (SPANS,)),
        (x.reduce, (NAMES, SPANS, INTEGERS)),
        (x.reduce_masked, (NAMES, SPANS, st.just(other))),
        (x.reduce_along, (NAMES, VIEWS, AXES, INTEGERS)),
        (x.reduce_masked_along, (NAMES, SPANS, VIEWS, AXES, st.just(other))),
        (x.dot, (SPANS, st.just(other), SPANS)),
        (x.dot_along, (SPANS, st.just(other), SPANS, VIEWS, AXES)),
        (x.dot_exact, (SPANS, st.just(other), SPANS)),
        (x.quantiles, (SPANS, shares, METHODS, st.booleans())),
        (x.quantiles_along, (VIEWS, AXES, shares, METHODS, st.booleans())),
        (x.top, (SPANS, INTEGERS, st.booleans())),
        (x.top_along, (VIEWS, AXES, INTEGERS, st.booleans())),
        (x.histogram, (SPANS, edges)),
        (x.histogram_weighted, (SPANS, edges, st.just(other))),
        (x.exact, (SPANS, st.booleans())),
        (getattr(x, "kept", None), (NAMES, SPANS, st.none() | st.tuples(VIEWS, AXES))),
    ):
        if call is not None:
            tried(call, *(draw(one) for one in arguments))


@given(data=st.data(), first=BYTES, second=BYTES, rows=st.integers(0, 3))
def test_exact_sums_take_anything(data: Any, first: np.ndarray, second: np.ndarray, rows: int) -> None:
    size = data.draw(st.sampled_from([0, 7, 96, 552]))
    one, other = (np.resize(part, (rows, size)) if part.size else np.zeros((rows, size), np.uint8) for part in (first, second))
    tried(_native.exact_merge, one, other)
    tried(_native.exact_round, one, data.draw(st.booleans()))
    tried(_native.exact_rows, first, data.draw(TYPES), data.draw(st.integers(-1, 70)), data.draw(st.booleans()))
    tried(wr.ExactSum.from_bytes, bytes(first))


@pytest.mark.skipif(ON_HOST, reason="there is no adapter")
@given(data=st.data(), kind=TYPES, memory=st.integers(-1, 1 << 16))
def test_streams_take_anything(data: Any, kind: str, memory: int) -> None:
    draw = data.draw
    stream = draw(
        st.sampled_from(
            [
                lambda: _native.Stream.reduction(draw(NAMES), kind, draw(INTEGERS), memory),
                lambda: _native.Stream.histogram(kind, draw(st.lists(FLOATS, max_size=4)), memory),
                lambda: _native.Stream.exact(kind, memory),
                lambda: _native.Stream.quantiles(kind, draw(st.lists(FLOATS, max_size=3)), draw(METHODS), True, memory),
            ]
        )
    )
    made = tried(stream)
    for _ in range(3 if made is not None else 0):
        tried(made.push, draw(BYTES))
        if draw(st.booleans()):
            tried(made.finish)


#: Arguments that are no arrays, or strange ones.
THINGS = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 50), FLOATS, st.text(max_size=3), st.just(object()), st.just(2**70),
    st.complex_numbers(), st.lists(st.integers(-3, 9) | FLOATS, max_size=5), st.dictionaries(st.text(max_size=1), FLOATS, max_size=2),
    st.sampled_from([
        np.zeros((2, 0, 3)), np.array([["a"]]), np.array([None, 1]), np.zeros(3, "M8[s]"), np.broadcast_to(np.int8(3), (4, 5)),
        np.zeros(2, [("a", "f4")]), np.array([1e300, -1e300, np.nan]), np.arange(24).reshape(2, 3, 4), np.zeros((1,) * 12, "f4"),
        np.array([2**63 - 1, -(2**63)]), np.array([2**64 - 1], "u8"), np.array(b"x"), np.array([[True, False]]),
    ]),
)  # fmt: skip
FUNCTIONS = [
    name for name in wr.__all__ if name not in ("Error", "FileArray", "GpuArray", "adapter", "close", "open")
]


@settings(max_examples=300)
@given(data=st.data(), name=st.sampled_from(FUNCTIONS))
def test_functions_take_anything(data: Any, name: str) -> None:
    keywords = st.sampled_from(["axis", "keepdims", "where", "initial", "ddof", "bins", "weights", "method", "exact", "dtype"])
    args = data.draw(st.lists(THINGS, min_size=1, max_size=3))
    kwargs = data.draw(st.dictionaries(keywords, THINGS, max_size=2))
    if name not in ("ExactSum", "Extremes", "Moments", "to_gpu"):
        # Most of them on the host, where they take less time.
        kwargs["device"] = data.draw(st.sampled_from(["cpu", "cpu", "cpu", "cpu", "cpu", None, True, "none"]))
    tried(getattr(wr, name), *args, **kwargs)
