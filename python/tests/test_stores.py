"""Arrays of Zarr, columns of Parquet and arrays in Fortran's order, in pieces, beside NumPy's answers for the whole."""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ALL, ON_HOST, answer, arrays, same
from hypothesis import given, settings
from hypothesis import strategies as st

import wgpu_reduce as wr

# Older versions know neither this interface nor the third format.
zarr = pytest.importorskip("zarr", minversion="3")

LITTLE = 4096


def in_zarr(array: np.ndarray, path: Path, version: int, chunks: tuple[int, ...] | None = None) -> Any:
    made = zarr.create_array(
        str(path), shape=array.shape, dtype=array.dtype, chunks=chunks or "auto", zarr_format=version
    )
    made[...] = array
    return made


def in_parquet(path: Path, row_group_size: int = 100, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), path, row_group_size=row_group_size)
    return path


def check(file: Any, array: np.ndarray) -> None:
    """Compare results that do not round."""
    assert (file.shape, file.dtype) == (array.shape, array.dtype)
    for name in ("min", "max", "argmin", "argmax", "count_nonzero"):
        same(getattr(wr, name)(file), getattr(np, name)(array))
    same(wr.max(file, axis=0), np.max(array, axis=0))
    whole = array if array.dtype.kind == "f" else array.astype("f8")
    exact = wr.sum(file, exact=True) if array.dtype.kind == "f" else wr.sum(file)
    same(exact, wr.sum(array, exact=True) if array.dtype.kind == "f" else np.sum(array))
    np.testing.assert_allclose(wr.mean(file), whole.mean(dtype="f8"), rtol=1e-2)
    if array.dtype.kind != "b" and not ON_HOST:
        same(wr.median(file), np.median(array))


@pytest.mark.parametrize("version", [2, 3])
def test_zarr_of_every_type(version: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(version)
    for dtype in ALL:
        array = np.asarray(rng.integers(0, 100, (37, 8, 3))).astype(dtype)
        path = tmp_path / dtype.replace("?", "bool")
        made = in_zarr(array, path, version, (19, 5, 3))
        check(wr.open(path, LITTLE), array)
        check(wr.open(made, LITTLE), array)
    swapped = in_zarr(array.astype(">f8"), tmp_path / "swapped", version)
    check(wr.open(swapped, LITTLE), array)


@pytest.mark.parametrize("version", [2, 3])
@settings(max_examples=8)
@given(data=st.data(), array=arrays(("i4", "f4"), least=1))
def test_zarr_in_any_chunks(tmp_path_factory: Any, version: int, data: Any, array: np.ndarray) -> None:
    array = array.reshape(array.shape or (1,))
    chunks = tuple(data.draw(st.integers(1, n)) for n in array.shape)
    path = tmp_path_factory.mktemp("zarr") / "x"
    in_zarr(array, path, version, chunks)
    axis = data.draw(st.sampled_from([None, *range(array.ndim)]))
    for name in ("max", "argmin", "nanmin", "count_nonzero"):
        same(
            answer(getattr(wr, name), wr.open(path, 16 * array[0].nbytes), axis),
            answer(getattr(wr, name), array, axis),
        )


def test_rows_that_are_longer_than_memory(tmp_path: Path) -> None:
    array = np.arange(3 * 5000.0).reshape(3, 5000)
    made = in_zarr(array, tmp_path / "x", 3, (2, 700))
    for given_as in (made, np.asfortranarray(array), tmp_path / "x"):
        assert wr.sum(wr.open(given_as, LITTLE), exact=True) == array.sum()
        assert wr.argmax(wr.open(given_as, LITTLE)) == 14999
    with pytest.raises(ValueError, match="4 times as much"):
        wr.sum(wr.open(made, LITTLE), axis=1)


def test_groups_have_members(tmp_path: Path) -> None:
    for version in (2, 3):
        path = tmp_path / str(version)
        group = zarr.open_group(str(path), mode="w", zarr_format=version)
        group.create_array("t", data=np.arange(10.0))
        assert wr.sum(wr.open(path)) == 45
        group.create_group("deep").create_array("u", data=np.arange(4))
        group.create_array("other", data=np.zeros(3))
        assert wr.sum(wr.open(path, member="deep/u")) == 6
        with pytest.raises(ValueError, match=r"2 arrays: member= is one of \['other', 't'\]"):
            wr.open(path)
        for member in ("missing", "deep"):
            with pytest.raises(KeyError, match="is not an array"):
                wr.open(path, member=member)
        with pytest.raises(ValueError, match="one array"):
            wr.open(path / "t", member="x")
        with pytest.raises(ValueError, match="dtype= is for raw files"):
            wr.open(path / "t", dtype="f8")
    zarr.create_array(str(tmp_path / "text"), shape=(2,), dtype="U3", zarr_format=2)
    with pytest.raises(TypeError, match="not supported"):
        wr.open(tmp_path / "text")


def test_parquet_of_every_type(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for dtype in ALL:
        array = np.asarray(rng.integers(0, 100, 937)).astype(dtype)
        path = in_parquet(tmp_path / "x", x=array, y=np.zeros(937))
        check(wr.open(path, LITTLE, member="x"), array)
    one = in_parquet(tmp_path / "one", x=array)
    check(wr.open([one, array, one], LITTLE), np.concatenate([array, array, array]))


def test_what_a_column_lacks(tmp_path: Path) -> None:
    path = in_parquet(
        tmp_path / "x", f=pa.array([1.5, None, 2.0]), g=pa.array([1.5, None, 2.0], pa.float32()), i=pa.array([1, None, 3])
    )
    for member in ("f", "g"):
        file = wr.open(path, member=member)
        assert np.isnan(wr.sum(file))
        assert (wr.nansum(file), wr.count_nonzero(file)) == (3.5, 3)
    with pytest.raises(ValueError, match="1 nulls in a batch, and int64 elements have no value"):
        wr.sum(wr.open(path, member="i"))


def test_columns_that_are_refused(tmp_path: Path) -> None:
    path = in_parquet(tmp_path / "x", text=["a", "b"], when=np.array([0, 1], "M8[ms]"), n=[1, 2])
    for member in ("text", "when"):
        with pytest.raises(TypeError, match="elements are not supported, but numbers and bool are"):
            wr.open(path, member=member)
    with pytest.raises(ValueError, match="3 columns: member= is one of"):
        wr.open(path)
    with pytest.raises(KeyError, match="no is not a column"):
        wr.open(path, member="no")
    with pytest.raises(ValueError, match="says itself"):
        wr.open(path, dtype="f8")
    (tmp_path / "broken").write_bytes(path.read_bytes()[:50])
    with pytest.raises(ValueError):
        wr.open(tmp_path / "broken")
    file = wr.open(path, member="n")
    in_parquet(path, n=[1, 2, 3, 4])
    with pytest.raises(ValueError, match="has changed"):
        wr.sum(file)


def test_empty_stores_are_numpys(tmp_path: Path) -> None:
    nothing = np.empty(0, "f4")
    stores = (
        wr.open(in_parquet(tmp_path / "x", x=nothing)),
        wr.open(in_zarr(nothing.reshape(0, 3), tmp_path / "z", 3)),
        wr.open(np.asfortranarray(nothing.reshape(3, 0))),
    )
    for file in stores:
        assert wr.sum(file) == 0
        with pytest.raises(ValueError, match="zero-size"):
            wr.max(file)
    assert wr.sum(wr.open([tmp_path / "x", np.ones(2, "f4")])) == 2


def test_packages_that_are_missing_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = in_parquet(tmp_path / "x", x=[1])
    in_zarr(np.ones(2), tmp_path / "z", 3)
    for name, given_as in (("pyarrow.parquet", path), ("zarr", tmp_path / "z")):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=f"pip install {name.split('.')[0]}"):
            wr.open(given_as)


def test_columns_come_first(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    for dtype in (*ALL, ">f8"):
        array = np.asarray(rng.integers(0, 100, (37, 8, 3))).astype(dtype)
        np.save(tmp_path / "x.npy", np.asfortranarray(array))
        check(wr.open(tmp_path / "x.npy", LITTLE), array.astype(array.dtype.newbyteorder("=")))
    np.save(tmp_path / "y.npy", array)
    both = wr.open([tmp_path / "x.npy", tmp_path / "y.npy"], LITTLE)
    same(wr.max(both, axis=(0, 2)), np.max(array, axis=(0, 2)).astype("f8"))
    file = wr.open(tmp_path / "x.npy")
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(ValueError, match="has changed"):
        wr.sum(file)
    np.save(tmp_path / "x.npy", np.asfortranarray(array))
    (tmp_path / "x.npy").write_bytes((tmp_path / "x.npy").read_bytes()[:-8])
    with pytest.raises(ValueError, match="truncated"):
        wr.open(tmp_path / "x.npy")
    np.savez(tmp_path / "x.npz", np.asfortranarray(array))
    with pytest.raises(ValueError, match="in Fortran order"):
        wr.open(tmp_path / "x.npz")


def test_stores_are_never_whole_in_memory(tmp_path: Path) -> None:
    array = np.arange(1 << 21, dtype=np.float64)
    in_zarr(array, tmp_path / "z", 3, (1 << 14,))
    in_parquet(tmp_path / "x", 1 << 14, x=array)
    np.save(tmp_path / "f.npy", np.asfortranarray(array.reshape(-1, 4)))
    for name in ("z", "x", "f.npy"):
        file = wr.open(tmp_path / name, 1 << 19)
        wr.sum(file)
        pa.default_memory_pool().release_unused()
        before = pa.total_allocated_bytes()
        tracemalloc.start()
        assert wr.sum(file) == array.sum()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < array.nbytes // 4, name
        assert pa.total_allocated_bytes() - before < array.nbytes // 4
