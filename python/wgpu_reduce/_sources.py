"""Elements piece by piece: of files, of members of archives, and of arrays that are sliced."""

from __future__ import annotations

import contextlib
import math
import os
import zipfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

import numpy as np

from ._array import Array, _element, unmasked

#: Read a header of each version of the format. The third differs from the second in names of fields.
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
    (3, 0): np.lib.format.read_array_header_2_0,
}
_ZIPPED = (b"PK\x03\x04", b"PK\x05\x06")
_PARQUET = b"PAR1"


class Raw(NamedTuple):
    """Where the elements of a file without a header are."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...] | None
    offset: int


class Source(Protocol):
    """Elements that are read piece by piece, in row-major order."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    def pieces(self, most: int) -> Generator[Array, None, None]:
        """Yield the elements, so many at a time at most: whole rows, if there is room for one."""
        ...


class ArraySource:
    """An array that gives its elements by slices: in memory, mapped there, or of a package such as Zarr's."""

    def __init__(self, array: Any, name: str = "the array") -> None:
        self.name = name
        self.array = array
        self.dtype = checked(np.dtype(array.dtype), name)
        self.shape = tuple(array.shape)

    def pieces(self, most: int) -> Generator[Array, None, None]:
        """Yield the elements in row-major order."""
        yield from _sliced(self.array, self.shape, most)


def _sliced(
    array: Any, shape: tuple[int, ...], most: int, index: tuple[int, ...] = ()
) -> Generator[Array, None, None]:
    """Yield elements in row-major order: as many rows as there is room for, or each row in turn."""
    axis = len(index)
    if axis == len(shape):
        yield np.asarray(array[index]).reshape(1)
        return
    row = math.prod(shape[axis + 1 :])
    if row > most:
        for i in range(shape[axis]):
            yield from _sliced(array, shape, most, (*index, i))
        return
    step = _of_chunks(array, axis, most // max(row, 1))
    for start in range(0, shape[axis] if row else 0, step):
        yield np.ascontiguousarray(array[(*index, slice(start, start + step))]).reshape(-1)


def _of_chunks(array: Any, axis: int, step: int) -> int:
    """Return how many rows to read at a time: of those that are stored in chunks whole chunks, if they fit."""
    chunks = getattr(array, "chunks", None) or ()
    chunk = chunks[axis] if axis < len(chunks) else 1
    return step - step % chunk if isinstance(chunk, int) and 0 < chunk <= step else step


class FileSource:
    """The elements of a file, or of a member of a zip archive, behind a header or an offset."""

    def __init__(
        self,
        path: Path,
        member: str | None,
        offset: int | None,
        dtype: np.dtype[Any],
        shape: tuple[int, ...],
        is_fortran: bool = False,
    ) -> None:
        self.name = str(path) if member is None else f"{path}:{member}"
        self.path = path
        self.member = member
        self.offset = offset
        self.dtype = dtype
        self.shape = shape
        self.is_fortran = is_fortran
        self.stamp = stamp_of(path.stat())

    @contextlib.contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        with contextlib.ExitStack() as opened:
            file: IO[bytes] = opened.enter_context(self.path.open("rb"))
            if stamp_of(os.fstat(file.fileno())) != self.stamp:
                raise changed(self.path)
            if self.member is not None:
                archive = opened.enter_context(zipfile.ZipFile(file))
                file = opened.enter_context(archive.open(self.member))
            if self.offset is not None:
                file.seek(self.offset)
            elif _header(file, self.name) != (self.dtype, self.shape, self.is_fortran):
                raise changed(self.path)
            yield file

    def pieces(self, most: int) -> Generator[Array, None, None]:
        """Yield the elements in one array that is filled again and again. Columns are mapped into memory."""
        count = math.prod(self.shape)
        with self._opened() as file:
            if self.is_fortran:
                mapped = np.memmap(self.path, self.dtype, "r", file.tell(), self.shape, "F")
                yield from _sliced(mapped, self.shape, most)
                return
            buffer = np.empty(min(most, count), self.dtype)
            for start in range(0, count, most):
                piece = buffer[: count - start]
                filled = _fill(file, piece.view(np.uint8).data)
                if filled < piece.nbytes:
                    raise self.truncated(start * self.dtype.itemsize + filled)
                yield piece
            if self.member is not None:
                # At its end the archive compares checksums.
                file.read(1)

    def truncated(self, present: int) -> ValueError:
        """Say how many bytes of elements are there of those that there should be."""
        promised = f"{math.prod(self.shape) * self.dtype.itemsize} bytes of elements are promised"
        return ValueError(f"{self.name} is truncated: {promised}, and {present} are there")


def changed(path: Path) -> ValueError:
    """Say that a file is another one."""
    return ValueError(f"{path} has changed since it was opened")


def stamp_of(found: os.stat_result) -> tuple[int, int]:
    """Return what changes with a file."""
    return found.st_size, found.st_mtime_ns


def _fill(file: IO[bytes], room: memoryview) -> int:
    """Read until there is no room, or nothing more to read."""
    filled = 0
    while filled < len(room):
        read: int = file.readinto(room[filled:])  # type: ignore[attr-defined]
        if not read:
            break
        filled += read
    return filled


def _header(file: IO[bytes], name: str) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
    """Read the elements' type and shape, and whether columns come first, up to where the elements begin."""
    try:
        version = np.lib.format.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"version {version} of the format is not known")
        shape, is_fortran, dtype = _HEADERS[version](file)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return checked(dtype, name), shape, is_fortran and len(shape) > 1 and math.prod(shape) > 0


def checked(dtype: np.dtype[Any], name: str) -> np.dtype[Any]:
    """Refuse elements that there are not, as NumPy refuses objects in files."""
    if dtype.hasobject:
        raise ValueError(f"{name} has Python objects, which are not loaded")
    try:
        _element(dtype)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    return dtype


def _raw(path: Path, raw: Raw) -> FileSource:
    item, size = checked(raw.dtype, str(path)).itemsize, path.stat().st_size
    room = size - raw.offset
    if raw.offset < 0 or room < 0:
        raise ValueError(f"{path} has {size} bytes, and offset= is {raw.offset}")
    shape = raw.shape
    if shape is None:
        if room % item:
            raise ValueError(f"{path}: {room} bytes are not whole elements of {raw.dtype}")
        shape = (room // item,)
    elif min(shape, default=0) < 0 or math.prod(shape) * item > room:
        raise ValueError(f"{path}: {room} bytes are fewer than {shape} elements of {raw.dtype}")
    return FileSource(path, None, raw.offset, raw.dtype, shape)


def _zipped(path: Path, member: str | None) -> FileSource:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if member is None:
            if len(names) != 1:
                raise ValueError(f"{path} has {len(names)} arrays: member= is one of {names}")
            member = names[0]
        elif member not in names:
            if f"{member}.npy" not in names:
                raise KeyError(f"{member} is not a file in {path}, which has {names}")
            member = f"{member}.npy"
        with archive.open(member) as file:
            source = FileSource(path, member, None, *_header(file, f"{path}:{member}"))
            if source.is_fortran:
                how = "np.load reads it whole, and wr.open takes what that returns"
                raise ValueError(f"{source.name} is in Fortran order, and an archive is read from the front: {how}")
            return source


def _of_path(path: Path, raw: Raw | None, member: str | None) -> Source:
    """Tell by its first bytes what a file is."""
    with path.open("rb") as file:
        start = file.read(6)
        if raw is not None:
            if start == np.lib.format.MAGIC_PREFIX or start[:4] in (*_ZIPPED, _PARQUET):
                raise ValueError(f"{path} says itself what it has: dtype= is for raw files")
        elif start[:4] in _ZIPPED:
            return _zipped(path, member)
        elif start[:4] == _PARQUET:
            parquet: Source = _stores().ParquetSource(path, member)
            return parquet
        elif member is not None:
            raise ValueError(f"{path} is neither .npz nor Parquet, and has no member {member!r}")
        elif not start:
            raise EOFError(f"{path} is empty")
        elif start != np.lib.format.MAGIC_PREFIX:
            raise ValueError(f"{path} is neither .npy, .npz nor Parquet: a raw file needs dtype=")
        else:
            file.seek(0)
            source = FileSource(path, None, None, *_header(file, str(path)))
            present = source.stamp[0] - file.tell()
            if present < math.prod(source.shape) * source.dtype.itemsize:
                raise source.truncated(present)
            return source
    return _raw(path, raw)


def _stores() -> Any:
    """Return what reads the files of other packages; it knows this module."""
    from . import _stores

    return _stores


def sources_of(given: Any, raw: Raw | None, member: str | None) -> list[Source]:
    """Find what there is to read: of a folder the files in the order of their names."""
    if isinstance(given, np.ndarray):
        return [ArraySource(unmasked(given))]
    if isinstance(given, (list, tuple)):
        return [source for one in given for source in sources_of(one, raw, member)]
    if all(hasattr(given, name) for name in ("shape", "dtype", "__getitem__")):
        return [ArraySource(given, getattr(given, "name", None) or "the array")]
    path = Path(given)
    if _stores().is_zarr(path):
        if raw is not None:
            raise ValueError(f"{path} says itself what it has: dtype= is for raw files")
        return [ArraySource(*_stores().zarr_array(path, member))]
    if not path.is_dir():
        return [_of_path(path, raw, member)]
    names = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
    return [_of_path(one, raw, member) for one in names]
