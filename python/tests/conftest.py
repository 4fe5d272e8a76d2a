"""Arrays of every type, layout and place, and NumPy's answers for them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import wgpu_reduce as wr
from wgpu_reduce._device import is_on_host

settings.register_profile(
    "adapter",
    deadline=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("adapter")

#: Whether all is computed on the host.
ON_HOST = is_on_host()

FLOATS = ("f2", "f4", "f8")
INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
ALL = ("?", *INTEGERS, *FLOATS)

Layout = Callable[[np.ndarray], Any]

#: The same elements, lying otherwise.
LAYOUTS: dict[str, Layout] = {
    "rows": np.copy,
    "fortran": lambda a: a.copy(order="F"),
    "swapped bytes": lambda a: a.astype(a.dtype.newbyteorder()),
    "every second": lambda a: np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a,
    "backwards": lambda a: np.ascontiguousarray(a[::-1])[::-1] if a.ndim else a,
    "read only": lambda a: _read_only(a.copy()),
    "list": lambda a: a.tolist() if a.size and a.dtype in (np.bool_, np.int64, np.float64) else a,
    "on the GPU": wr.to_gpu,
    "transposed on the GPU": lambda a: wr.to_gpu(a.T).T,
    "slice on the GPU": lambda a: (
        wr.to_gpu(np.repeat(np.repeat(a, 2, axis=-1), 3, axis=0))[1::3, ..., ::-2][..., ::-1]
        if a.ndim > 1
        else wr.to_gpu(a)
    ),
}


def _read_only(a: np.ndarray) -> np.ndarray:
    a.flags.writeable = False
    return a


def arrays(dtypes: tuple[str, ...], finite: bool = False, least: int = 0, most_dims: int = 4) -> Any:
    """Arrays with whatever their types have: NaN, infinities and both zeros, but for finite ones."""
    shapes = hnp.array_shapes(min_dims=0, max_dims=most_dims, min_side=least, max_side=5)

    def of(dtype: str) -> Any:
        elements: dict[str, Any] = {}
        if dtype in FLOATS:
            width = 8 * int(dtype[1])
            elements = {"elements": st.floats(width=width)}
            if finite:
                most = 100.0
                elements = {"elements": st.floats(-most, most, width=width)}
        return hnp.arrays(np.dtype(dtype), shapes, **elements)

    return st.sampled_from(dtypes).flatmap(of)


@st.composite
def reductions(
    draw: Any, dtypes: tuple[str, ...] = ALL, one_axis: bool = False, **kinds: Any
) -> tuple[np.ndarray, Any, bool, Any]:
    """An array as NumPy has it, axes, whether they stay, and the array in some layout."""
    array = draw(arrays(dtypes, **kinds))
    if array.ndim == 0 or draw(st.booleans()):
        axis = None
    elif one_axis or draw(st.booleans()):
        axis = draw(st.integers(-array.ndim, array.ndim - 1))
    else:
        axis = draw(hnp.valid_tuple_axes(array.ndim))
    layout = LAYOUTS[draw(st.sampled_from(sorted(LAYOUTS)))]
    return array, axis, draw(st.booleans()), layout(array)


def answer(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function returns, or the type of what it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            return type(error)


def same(ours: Any, numpys: Any) -> None:
    """Fail unless both are the same to the bit, but for the sign of zero and the kind of NaN."""
    if isinstance(numpys, type):
        assert isinstance(ours, type), f"{ours!r} is no {numpys}"
        assert issubclass(ours, numpys) or issubclass(numpys, ours)
        return
    assert not isinstance(ours, type), ours
    assert np.asarray(ours).dtype == np.asarray(numpys).dtype
    assert np.shape(ours) == np.shape(numpys)
    assert isinstance(ours, np.ndarray) == isinstance(numpys, np.ndarray)
    np.testing.assert_array_equal(ours, numpys, strict=False)


@pytest.fixture(autouse=True)
def _names(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace["wr"] = wr
