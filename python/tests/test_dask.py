"""Dask's arrays in any chunks, on threads and on processes of which one is killed."""

from __future__ import annotations

import builtins
import importlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import distributed
import numpy as np
import pytest
from conftest import answer, same
from dask.sizeof import sizeof

import wgpu_reduce as wr
import wgpu_reduce.dask as wd

#: How each axis of 40 by 30 is cut.
CHUNKS = [(40, 30), (7, 30), (13, 11), ((1, 39), (29, 1))]


def wild(dtype: str) -> np.ndarray:
    """Elements whose sum depends on the order of additions."""
    rng = np.random.default_rng(6)
    return (rng.standard_normal((40, 30)) * 10.0 ** rng.integers(-9, 9, (40, 30))).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_exact_results_have_the_same_bits_in_any_chunks(dtype: str) -> None:
    array = wild(dtype)
    for axis, keepdims in ((None, False), (0, False), (1, True), ((0, 1), True)):
        for name in ("sum", "mean", "var", "std"):
            results = []
            for chunks in CHUNKS:
                lazy = getattr(wd, name)(
                    da.from_array(array, chunks), axis, keepdims=keepdims, exact=True, split_every=2
                )
                result = lazy.compute(scheduler="threads")
                assert (lazy.dtype, lazy.shape) == (result.dtype, result.shape)
                results.append(result.tobytes())
            assert len(set(results)) == 1, name
            shape = getattr(array, name)(axis=axis, keepdims=keepdims).shape
            assert result.shape == shape
            if name in ("sum", "mean"):
                assert (
                    result.tobytes()
                    == np.asarray(getattr(wr, name)(array, axis, keepdims=keepdims, exact=True)).tobytes()
                )


def test_other_results_are_numpys() -> None:
    for dtype in ("i4", "?", "f4"):
        array = np.abs(wild("f8") % 9).astype(dtype)
        for axis in (None, 1):
            for name in ("sum", "mean", "var", "std", "min", "max"):
                lazy = getattr(wd, name)(da.from_array(array, (13, 11)), axis)
                numpys = getattr(np, name)(array, axis)
                assert lazy.dtype == numpys.dtype
                result = lazy.compute(scheduler="sync")
                if name in ("min", "max") or (name == "sum" and dtype[0] != "f"):
                    np.testing.assert_array_equal(result, numpys)
                else:
                    np.testing.assert_allclose(
                        result.astype("f8"), numpys.astype("f8"), rtol=1e-5 if dtype == "f4" else 1e-12
                    )
    chunked = da.from_array(np.arange(6, dtype="i4"), 4)
    assert wd.var(chunked, ddof=1).compute() == 3.5
    assert wd.mean(chunked, exact=True).compute() == 2.5
    assert wd.sum(chunked, dtype="f4").compute().dtype == np.float32


def test_empty_chunks_and_refusals() -> None:
    x = da.from_array(np.arange(8.0), 2)
    few = x[x > 5]
    assert [
        wd.min(few).compute(),
        wd.max(few).compute(),
        wd.sum(few, exact=True).compute(),
        wd.mean(few).compute(),
    ] == [6, 7, 13, 6.5]
    assert (wd.var(few, exact=True).compute(), wd.std(few).compute()) == (0.25, 0.5)
    with pytest.raises(ValueError, match="zero-size array to reduction operation minimum"):
        wd.min(x[x > 9]).compute()
    with pytest.raises(TypeError, match="exact sums of int64"):
        wd.mean(x.astype("i8"), exact=True)
    assert wd.sum(x.astype("i8"), exact=True).compute() == 28
    for refused in (wd.sum, wd.mean, wd.min):
        with pytest.raises(TypeError, match="not supported"):
            refused(x.astype(complex)).compute()
    with pytest.raises(TypeError, match="round once more"):
        wd.sum(x, dtype="f4", exact=True)


def test_results_of_short_floats_are_rounded_once() -> None:
    ones = da.from_array(np.full(5000, 1, "f2"), 1000)
    assert wd.sum(da.concatenate([da.from_array(np.full(1, 2049, "f4")), ones]).astype("f2")).compute() == 7048
    wide = da.from_array(np.array([1 << 24, 0, 1, 0, 1, 0], "f4"), 2)
    assert wd.sum(wide).compute() == (1 << 24) + 2
    large = np.array([60000, 60000, -60000], "f2")
    assert wd.sum(da.from_array(large, 2)).compute() == 60000
    np.testing.assert_allclose(wd.var(da.from_array(large[:2] / 300, 1)).compute(), 0)


def test_variances_that_overflow_are_infinite_and_do_not_warn() -> None:
    x = da.from_array(np.array([-3e38, 3e38], "f4"), 1)
    for exact in (False, True):
        found = wd.var(x, exact=exact).compute(scheduler="sync")
        assert (found, found.dtype) == (np.inf, np.float32)


def test_what_workers_keep_has_its_size() -> None:
    assert sizeof(wd._Both(np.ones((9, 2), "f4"), 1, True)) >= 2 * 9 * 96


def test_axes_of_no_elements_are_numpys() -> None:
    for shape in ((0, 3), (0, 0), (2, 3)):
        array = np.ones(shape)
        for name in ("min", "max", "sum"):

            def found(name: str, array: np.ndarray = array) -> Any:
                return getattr(wd, name)(da.from_array(array), 1).compute(scheduler="sync")

            same(answer(found, name), answer(getattr(np, name), array, 1))


def test_without_dask_an_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name.startswith("dask"):
            raise ImportError(name)
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, "wgpu_reduce.dask")
    with pytest.raises(ImportError, match=r"pip install 'dask\[array\]'"):
        importlib.import_module("wgpu_reduce.dask")


def _chunk(block_id: tuple[int, ...], folder: str) -> np.ndarray:
    """Make a chunk, tell that it is being made, and from the sixth on wait until a worker is killed."""
    Path(folder, f"{block_id[0]} {os.getpid()}").touch()
    while len([*Path(folder).glob("* *")]) >= 6 and not Path(folder, "killed").exists():
        time.sleep(0.02)
    return wide(block_id[0])


def wide(seed: int) -> np.ndarray:
    """Elements far apart in size."""
    return np.random.default_rng(seed).standard_normal(1000) * 10.0**seed


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed otherwise there")
@pytest.mark.filterwarnings("default")
def test_a_worker_that_is_killed_changes_no_bit(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    x = da.map_blocks(
        _chunk, chunks=((1000,) * 16,), dtype="f8", folder=str(folder), meta=np.empty(0)
    )
    whole = np.concatenate([wide(i) for i in range(16)])
    # Each worker is a process that a nanny spawns, and spawns again.
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "120s"}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            memory_limit=0,
            local_directory=str(tmp_path),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert len(client.nthreads()) == 2
        futures = client.compute(
            [wd.sum(x, exact=True, split_every=3), wd.max(x), wd.var(x, exact=True, split_every=5)]
        )
        deadline = time.monotonic() + 120
        while len(made := sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)) < 6:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        # The one that made the last marker waits in its task.
        victim = int(made[-1].name.split()[1])
        assert victim != os.getpid()
        os.kill(victim, signal.SIGKILL)
        (folder / "killed").touch()
        total, most, variance = (future.result(timeout=240) for future in futures)
        client.wait_for_workers(2, timeout=120)
    markers = [path.name for path in folder.glob("* *")]
    # What the victim was at was made once more.
    assert len(markers) > 16
    assert len({name.split()[1] for name in markers}) > 1
    assert total == wr.sum(whole, exact=True)
    assert most == whole.max()
    assert variance == wd.var(da.from_array(whole, 777), exact=True).compute(scheduler="sync")
