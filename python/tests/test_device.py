"""Where functions compute, and where their results stay."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ALL, ON_HOST, answer, reductions, same
from hypothesis import given, settings
from hypothesis import strategies as st

import wgpu_reduce as wr
from wgpu_reduce import _native

#: Functions whose results do not depend on where they are computed.
EXACT = (
    "min", "max", "argmin", "argmax", "ptp", "any", "all", "count_nonzero", "nanmin", "nanmax", "median", "nanmedian",
)  # fmt: skip
#: Functions whose results can stay as the device leaves them.
STAYING = ("sum", "prod", "min", "max", "mean", "nansum", "nanmean", "nanmin", "nanmax")


def on_the_host(function: Any, *args: Any, **kwargs: Any) -> Any:
    return answer(function, *args, device="cpu", **kwargs)


@settings(max_examples=150)
@given(of=reductions(), name=st.sampled_from(EXACT))
def test_the_host_has_the_same_results(of: Any, name: str) -> None:
    array, axis, keepdims, x = of
    if name.startswith("arg") and isinstance(axis, tuple):
        axis = None
    function = getattr(wr, name)
    same(on_the_host(function, x, axis, keepdims=keepdims), answer(function, array, axis, keepdims=keepdims))


@given(of=reductions(("f2", "f4", "f8")))
def test_the_host_has_the_same_exact_results(of: Any) -> None:
    _, axis, keepdims, x = of
    for function in (wr.sum, wr.mean):
        ours = on_the_host(function, x, axis, keepdims=keepdims, exact=True)
        same(ours, answer(function, x, axis, keepdims=keepdims, exact=True))


def test_the_host_takes_all_functions() -> None:
    array = np.random.default_rng(1).integers(0, 50, (6, 40)).astype("f4")
    weights = np.arange(240, dtype="f8").reshape(6, 40)
    for name, arguments in (
        ("dot", (array[0], array[1])), ("vdot", (array, array)), ("vecdot", (array, array)), ("norm", (array,)),
        ("cov", (array,)), ("corrcoef", (array,)), ("average", (array, 1, weights)), ("bincount", (array[0].astype(int),)),
        ("unique_counts", (array.astype(int),)), ("histogram", (array, 7)), ("topk", (array, 3, 1)), ("bottomk", (array, 2)),
        ("quantile", (array, [0.1, 0.7], 0)), ("percentile", (array, 30)), ("logsumexp", (array, 1)), ("nanprod", (array, 1)),
        ("var", (array, 0)), ("nanstd", (array, 1)), ("nanargmax", (array, 1)), ("prod", (array, 1)),
    ):  # fmt: skip
        function = getattr(wr, name)
        ours, device = function(*arguments, device="cpu"), function(*arguments)
        for mine, its in zip(*((one if isinstance(one, tuple) else (one,)) for one in (ours, device)), strict=True):
            assert type(mine) is type(its)
            np.testing.assert_allclose(mine, its, rtol=1e-5, strict=True)
    counts, edges = wr.histogram(array, 7, weights=weights, device="cpu")
    np.testing.assert_allclose(counts, np.histogram(array, 7, weights=weights)[0])
    assert edges.shape == (8,)
    assert wr.dot([1e16, 1.0], [1.0, 1.0], exact=True, device="cpu") == 1e16
    x = wr.to_gpu(array)
    np.testing.assert_array_equal(wr.max(x[::2], axis=0, device="cpu"), array[::2].max(axis=0))
    file = wr.open(array, 1024)
    for axis in (None, 0, 1):
        np.testing.assert_allclose(wr.std(file, axis, device="cpu"), array.std(axis, dtype="f8"), rtol=1e-6)
    same(wr.histogram(file, 7, device="cpu")[0], np.histogram(array, 7)[0])
    same(wr.sum(file, exact=True, device="cpu"), wr.sum(array, exact=True))


def test_bins_of_the_host_are_not_rounded() -> None:
    many = np.array([2**53, 2**53 + 1, 2**53 + 2, -(2**63), 2**63 - 1], "i8")
    for array, edges in (
        (many, [-(2.0**63), 2.0**53, 2.0**53 + 2, 2.0**63]),
        (np.array([0.5, 1, np.nan, np.inf, -np.inf, 2]), [0, 1, 1, 2]),
        (np.array([1, 2, 3], "u1"), [0.5, 1.5, 2.5]),
        (np.array([1, 2, 3], "u1"), [1, 3]),
    ):
        same(wr.histogram(array, edges, device="cpu")[0], wr.histogram(array, edges)[0])


@settings(max_examples=60)
@given(of=reductions(ALL), name=st.sampled_from((*STAYING, "var", "argmax", "all", "count_nonzero", "median")))
def test_results_stay(of: Any, name: str) -> None:
    _, axis, keepdims, x = of
    if name == "argmax" and isinstance(axis, tuple):
        axis = None
    function = getattr(wr, name)
    expected = answer(function, x, axis, keepdims=keepdims)
    found = answer(function, x, axis, keepdims=keepdims, device=True)
    if isinstance(expected, type):
        assert found is expected
        return
    assert isinstance(found, wr.GpuArray)
    assert (found.shape, found.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.skipif(ON_HOST, reason="there is no device")
def test_results_that_stay_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    for dtype in ("f4", "f8", "i4", "u4", "i8", "u8"):
        array = rng.integers(1, 9, (5, 6, 7)).astype(dtype)
        x = wr.to_gpu(array)
        with monkeypatch.context() as patched:
            # Results that the host finishes are uploaded once more.
            patched.setattr(_native, "upload", None)
            sums = wr.sum(x, axis=(0, 2), device=True)
            largest = wr.max(wr.sum(x[::2, :, ::-1], axis=1, keepdims=True, device=True), axis=0, device=True)
            means = wr.mean(x, axis=0, device=True) if dtype[0] == "f" else sums
        same(np.asarray(sums), np.sum(array, axis=(0, 2)))
        same(np.asarray(largest), np.max(np.sum(array[::2], axis=1, keepdims=True), axis=0)[:, ::-1])
        if dtype[0] == "f":
            np.testing.assert_allclose(np.asarray(means), array.mean(axis=0), rtol=1e-6)
        same(wr.sum(sums), np.sum(array))


def test_several_results_stay() -> None:
    x = wr.to_gpu(np.array([3.0, 1.0, 2.0, 1.0]))
    values, indices = wr.topk(x, 2, device=True)
    np.testing.assert_array_equal([np.asarray(values), np.asarray(indices)], [[3, 2], [0, 2]])
    assert isinstance(wr.topk(x, 2, device=True).values, wr.GpuArray)
    counts, edges = wr.histogram(x, 2, device=True)
    np.testing.assert_array_equal(np.asarray(counts), [2, 2])
    np.testing.assert_array_equal(np.asarray(edges), [1, 2, 3])
    for name in ("average", "cov", "norm", "logsumexp", "corrcoef"):
        found = getattr(wr, name)(x, device=True)
        assert isinstance(found, wr.GpuArray)
        np.testing.assert_array_equal(np.asarray(found), getattr(wr, name)(x))
    assert isinstance(x.sum(device=True), wr.GpuArray)


def test_places_that_there_are_not_are_refused() -> None:
    for device in ("gpu", False, 1, "CPU"):
        with pytest.raises(ValueError, match="device="):
            wr.sum([1.0], device=device)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not both"):
        wr.sum([[1.0]], axis=0, out=np.zeros(1), device=True)
    # A call that failed leaves nothing to the next.
    assert wr.sum([1.0]) == 1


def child(code: str, **environment: str) -> str:
    environ = {**os.environ, "VK_DRIVER_FILES": "/nowhere", "WGPU_BACKEND": "vulkan", **environment}
    told = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=900, check=False
    )
    return told.stdout + told.stderr


def test_without_an_adapter_the_host_computes_if_it_is_asked_to() -> None:
    code = """
import numpy as np, wgpu_reduce as wr
x = wr.to_gpu(np.arange(6.0).reshape(2, 3))
print(wr.adapter(), wr.sum(x[:, ::2]), wr.median(x), wr.sum(x, axis=0, device=True), wr.sum(wr.open(np.ones(5))))
"""
    told = child(code, WGPU_REDUCE_CPU="1")
    assert told == "CPU (the library's definitions) 10.0 2.5 GpuArray(shape=(3,), dtype=float64) 5.0\n"
    code = "import wgpu_reduce as wr\nprint(wr.max([1, 3], device='cpu'))\nwr.max([1, 3])"
    told = child(code, WGPU_REDUCE_CPU="0")
    assert told.startswith("3\n")
    assert "device='cpu'" in told.splitlines()[-1]


@pytest.mark.skipif(ON_HOST, reason="they do")
def test_tests_of_numpys_answers_pass_on_the_host(tmp_path: Path) -> None:
    here = Path(__file__).parent
    files = [str(here / name) for name in ("test_linear.py", "test_counts.py")]
    arguments = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(tmp_path), *files]
    code = f"import sys, pytest; sys.exit(pytest.main({arguments!r}))"
    told = child(code, WGPU_REDUCE_CPU="1")
    assert re.match(r"\d+ passed", told.splitlines()[-1]), told[-5000:]
