"""A plugin of pytest: NumPy's own tests get this package's functions instead of NumPy's.

Those of NumPy's test_ufunc have methods of ufuncs, such as `np.add.reduce`, which the package has not.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pytest

import wgpu_reduce as wr

MODULES = (
    "numpy.lib.tests.test_nanfunctions",
    "numpy.lib.tests.test_histograms",
    "numpy.lib.tests.test_function_base",
    "numpy._core.tests.test_numeric",
)

#: What NumPy has by the same name.
OURS = {name: getattr(wr, name) for name in wr.__all__ if hasattr(np, name) and name != "vecdot"}


class Substituted(ModuleType):
    """NumPy, but for the functions of this package."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


@contextlib.contextmanager
def substituted() -> Iterator[None]:
    """Let modules that are imported find the functions in NumPy."""
    with contextlib.ExitStack() as stack:
        for name, function in OURS.items():
            stack.enter_context(mock.patch.object(np, name, function))
        yield


def pytest_configure() -> None:
    ours = Substituted("numpy")
    for name, function in OURS.items():
        setattr(ours, name, function)
    with substituted():
        modules = [importlib.import_module(name) for name in MODULES]
    for module in modules:
        module.np = ours  # type: ignore[attr-defined]


#: What this package does not have, by its own words.
_ABSENT = {
    "elements are not supported": "there are no such elements on a GPU",
    "masked array is not supported": "a masked array is refused",
}

#: Tests of what differs, and why.
_DIFFERENT = {
    "TestNanFunctions_MinMax::test_subclass": "results are of NumPy's own types",
    "TestNanFunctions_ArgminArgmax::test_subclass": "results are of NumPy's own types",
    "TestNanFunctions_SumProd::test_subclass": "results are of NumPy's own types",
    "TestAverage::test_subclasses": "results are of NumPy's own types",
    "TestNanFunctions_MeanVarStd::test_subclass": "results are of NumPy's own types",
    "TestNanFunctions_MeanVarStd::test_out_dtype_error": "results are cast to out's type at the end",
    "TestNanFunctions_MeanVarStd::test_nanstd_with_mean_keyword": "there is no mean=",
    **{
        f"TestNanFunctions_Median::test_allnans[{dtype}-{axis}]": "one warning tells of all results"
        for dtype in "efd"
        for axis in (0, 1)
    },
    "TestPercentile::test_api": "out= has the shape of the results",
    "TestPercentile::test_scalar_q": "out= has the shape of the results",
    "TestQuantile::test_quantile_gh_29003_Fraction": "shares are floats",
    "TestMedian::test_subclass": "results are of NumPy's own types",
    "TestMedian::test_subclass2": "results are of NumPy's own types",
    "TestHistogram::test_density": "edges are finite",
    "TestHistogram::test_bool_conversion": "bool is counted without a warning",
    "TestHistogram::test_datetime": "there are no dates on a GPU",
    "TestHistogram::test_signed_overflow_bounds": "edges are exact as float64, or refused",
    "TestHistogram::test_precision": "edges of longdouble become float64",
}

#: The classes of tests of reductions.
_CLASSES = (
    "TestNanFunctions_MinMax", "TestNanFunctions_ArgminArgmax", "TestNanFunctions_SumProd", "TestHistogram", "TestAny",
    "TestAll", "TestAverage", "TestAmax", "TestAmin", "TestPtp", "TestProd", "TestCov", "TestCorrCoef", "TestBincount",
    "TestNonarrayArgs", "TestStdVar",
    "TestNanFunctions_MeanVarStd", "TestNanFunctions_NumberTypes", "TestNanFunctions_Median",
    "TestNanFunctions_Percentile", "TestNanFunctions_Quantile", "TestMedian", "TestPercentile", "TestQuantile",
)  # fmt: skip


#: Of a test with more cases so many are run, at even distances, unless `WGPU_REDUCE_ALL_TESTS` is set.
_CASES = 8


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if getattr(item.parent, "name", "") in _CLASSES:
            name = f"{getattr(item.parent, 'name', '')}::{getattr(item, 'originalname', '')}"
            cases.setdefault(name, []).append(item)
    for name, of in cases.items():
        for item in of:
            why = _DIFFERENT.get(name) or _DIFFERENT.get(name.partition("::")[0] + "::" + item.name)
            if why:
                item.add_marker(pytest.mark.xfail(reason=why, strict=True))
        if "WGPU_REDUCE_ALL_TESTS" not in os.environ:
            of[:] = of[:: -(-len(of) // _CASES)]
    items[:] = [item for of in cases.values() for item in of]


def _absent(error: BaseException | None) -> str | None:
    """Say why an error, or one that led to it, is that of something absent."""
    while error is not None:
        for words, why in _ABSENT.items():
            if words in str(error):
                return why
        error = error.__context__
    return None


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Any:
    try:
        return (yield)
    except (Exception, pytest.fail.Exception) as error:
        why = _absent(error)
        if why is None:
            raise
        pytest.xfail(why)
