"""A plugin of pytest: NumPy's own tests get this package's functions instead of NumPy's."""

from __future__ import annotations

import contextlib
import importlib
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
    "TestHistogram::test_density": "edges are finite",
    "TestHistogram::test_bool_conversion": "bool is counted without a warning",
    "TestHistogram::test_datetime": "there are no dates on a GPU",
    "TestHistogram::test_signed_overflow_bounds": "edges are exact as float64, or refused",
    "TestHistogram::test_precision": "edges of longdouble become float64",
}

#: The classes of tests of reductions; of those of types and of quantiles, which take minutes, there are others beside them.
_CLASSES = (
    "TestNanFunctions_MinMax", "TestNanFunctions_ArgminArgmax", "TestNanFunctions_SumProd", "TestHistogram", "TestAny",
    "TestAll", "TestAverage", "TestAmax", "TestAmin", "TestPtp", "TestProd", "TestCov", "TestCorrCoef", "TestBincount",
    "TestNonarrayArgs", "TestStdVar",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if getattr(item.parent, "name", "") in _CLASSES]
    for item in items:
        name = f"{getattr(item.parent, 'name', '')}::{getattr(item, 'originalname', '')}"
        if name in _DIFFERENT:
            item.add_marker(pytest.mark.xfail(reason=_DIFFERENT[name], strict=True))


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
