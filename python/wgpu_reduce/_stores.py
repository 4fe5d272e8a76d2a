"""What optional packages store: arrays of Zarr, and columns of Parquet."""

from __future__ import annotations

import importlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np

from ._array import Array
from ._sources import changed, checked, stamp_of

#: Files that a folder of Zarr begins with, of its third version and of its second.
_OF_ZARR = ("zarr.json", ".zarray", ".zgroup")


def _package(name: str, what: str) -> Any:
    """Import what is not always there."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.split(".")[0]
        raise ImportError(f"{what} needs the package {package}: pip install {package}") from error


def is_zarr(path: Path) -> bool:
    """Tell whether a folder is an array or a group of Zarr's."""
    return any((path / name).is_file() for name in _OF_ZARR)


def zarr_array(path: Path, member: str | None) -> tuple[Any, str]:
    """Open an array of Zarr, or the member of a group that has one; with its name."""
    zarr = _package("zarr", f"{path}, a folder of Zarr,")
    found = zarr.open(str(path), mode="r")
    if isinstance(found, zarr.Array):
        if member is not None:
            raise ValueError(f"{path} is one array, and has no member {member!r}")
        return found, str(path)
    names = sorted(name for name, _ in found.arrays())
    if member is None:
        if len(names) != 1:
            raise ValueError(f"{path} has {len(names)} arrays: member= is one of {names}")
        member = names[0]
    chosen = found.get(member)
    if not isinstance(chosen, zarr.Array):
        raise KeyError(f"{member} is not an array in {path}, which has {names}")
    return chosen, f"{path}:{member}"


class ParquetSource:
    """A column of numbers of a Parquet file. What is missing is NaN of floats, and refused of others."""

    def __init__(self, path: Path, column: str | None) -> None:
        self.path = path
        self.stamp = stamp_of(path.stat())
        with self._opened() as file:
            names = file.schema_arrow.names
            if column is None:
                if len(names) != 1:
                    raise ValueError(f"{path} has {len(names)} columns: member= is one of {names}")
                column = names[0]
            if names.count(column) != 1:
                raise KeyError(f"{column} is not a column in {path}, which has {names}")
            self.name = f"{path}:{column}"
            self.column = column
            kind = file.schema_arrow.field(column).type
            self.shape: tuple[int, ...] = (file.metadata.num_rows,)
        types = _package("pyarrow.types", str(path))
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise TypeError(f"{self.name}: {kind} elements are not supported, but numbers and bool are")
        self.dtype = checked(np.dtype(kind.to_pandas_dtype()), self.name)

    def _opened(self) -> Any:
        if stamp_of(self.path.stat()) != self.stamp:
            raise changed(self.path)
        parquet = _package("pyarrow.parquet", f"{self.path}, a Parquet file,")
        # Compressed bytes are read a little at a time, and not a row group at once.
        return parquet.ParquetFile(self.path, buffer_size=1 << 20)

    def pieces(self, most: int) -> Generator[Array, None, None]:
        """Yield the elements batch by batch."""
        with self._opened() as file:
            for batch in file.iter_batches(batch_size=most, columns=[self.column]):
                (column,) = batch.columns
                if column.null_count and self.dtype.kind != "f":
                    what = f"{self.dtype} elements have no value for what is missing"
                    raise ValueError(f"{self.name} has {column.null_count} nulls in a batch, and {what}")
                yield column.to_numpy(zero_copy_only=False)
