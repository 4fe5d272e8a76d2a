"""Files of any length, reduced in pieces."""

from __future__ import annotations

import contextlib
import operator
import os
from collections.abc import Generator, Sequence
from typing import Any, Protocol, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from . import _native
from ._array import Array, Shaped, _element
from ._sources import Raw, Source, sources_of

#: Paths, arrays, and what is sliced like one.
Paths: TypeAlias = "str | os.PathLike[str] | Array | _Sliced | Sequence[Paths]"


class _Sliced(Protocol):
    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> Any: ...

    def __getitem__(self, index: Any, /) -> Any: ...



#: Bytes of all buffers that elements pass through, where nothing else is asked for.
MEMORY = 256 << 20


class FileArray(Shaped):
    """An array in files, made by `open`: its elements are read when it is reduced, piece by piece.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/x.npy", np.arange(6.0).reshape(2, 3))
    ...     x = wr.open(f"{folder}/x.npy")
    ...     x.shape, x.dtype, float(x.sum())
    ((2, 3), dtype('float64'), 15.0)
    """

    __slots__ = ("_progress", "_sources", "dtype", "memory", "shape")

    memory: int

    def __init__(
        self,
        sources: list[Source],
        dtype: np.dtype[Any],
        shape: tuple[int, ...],
        memory: int,
        progress: bool,
    ) -> None:
        self._sources = sources
        self._progress = progress
        self.dtype = dtype
        self.memory = memory
        self.shape = shape

    def __repr__(self) -> str:
        return f"FileArray(shape={self.shape}, dtype={self.dtype}, memory={self.memory})"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        raise TypeError(needs_all(self, "this"))

    def _as(self, dtype: DTypeLike) -> FileArray:
        """Return the same elements, to be converted piece by piece."""
        return FileArray(self._sources, np.dtype(dtype), self.shape, self.memory, self._progress)

    def pieces(self, unit: int = 1) -> Generator[Array, None, None]:
        """Yield the elements in row-major order, in flat arrays of a multiple of so many.

        An array is of use until the next one comes.
        """
        stored = [source.dtype for source in self._sources]
        is_converted = any(dtype != self.dtype for dtype in stored)
        cost = stored[0].itemsize + (self.dtype.itemsize if is_converted else 0)
        most = self.memory // 4 // (cost * unit) * unit
        if most == 0:
            what = f"{unit} elements take {cost * unit} bytes, and a quarter of memory={self.memory}"
            raise ValueError(f"{what} is less: it must be 4 times as much at least")
        with contextlib.ExitStack() as opened:
            shown = _shown(self.nbytes) if self._progress else None
            if shown is not None:
                opened.callback(shown.close)
            for source in self._sources:
                for piece in opened.enter_context(contextlib.closing(source.pieces(most))):
                    yield piece.astype(self.dtype, copy=False)
                    if shown is not None:
                        shown.update(piece.size * self.dtype.itemsize)

    def _streamed(self, stream: _native.Stream) -> _native._Cells:
        while True:
            with contextlib.closing(self.pieces()) as pieces:
                for piece in pieces:
                    stream.push(np.ascontiguousarray(piece).view(np.uint8))
            if (cells := stream.finish()) is not None:
                return cells

    def _reduced(self, name: str, ddof: int) -> _native._Cells:
        element = _element(self.dtype)
        return self._streamed(_native.Stream.reduction(name, element, ddof, self.memory // 2))

    def _binned(self, edges: list[float]) -> _native._Cells:
        element = _element(self.dtype)
        return self._streamed(_native.Stream.histogram(element, edges, self.memory // 2))

    def _ranked(self, shares: list[float], method: str, without_nan: bool) -> _native._Cells:
        # The stream takes more for its counts.
        element, memory = _element(self.dtype), self.memory // 3
        return self._streamed(_native.Stream.quantiles(element, shares, method, without_nan, memory))


def needs_all(file: FileArray, what: str) -> str:
    """Say that elements have to be in memory at once, and how they get there."""
    where = f"all elements in memory at once, {file.nbytes} bytes: np.load and np.fromfile read them"
    return f"{what} needs {where}"


def _shown(size_bytes: int) -> Any:
    """Return a bar of tqdm, if it is installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=size_bytes, unit="B", unit_scale=True)


def open(
    path: Paths,
    memory: int | None = None,
    *,
    dtype: DTypeLike | None = None,
    shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
    offset: int = 0,
    member: str | None = None,
    progress: bool = False,
) -> FileArray:
    """Open files whose elements are reduced in pieces, and need not fit in memory.

    Parameters
    ----------
    path : path, array, or list of these
        A `.npy`, `.npz`, Parquet or raw file, a folder of Zarr, or an array that is sliced: `numpy.memmap`,
        `zarr.Array`, `h5py.Dataset`. A list, or a folder, whose files come in the order of their names, is
        one array along the first axis.
    memory : int, optional
        Bytes of all buffers that elements pass through, on the host and the GPU; 256 MiB by default.
        Results, and those of pieces, come on top; so do the chunks that Zarr and Parquet decode.
    dtype, shape, offset : optional
        Elements of raw files, as those of `numpy.memmap`. Without a shape there is one dimension.
    member : str, optional
        The array in a `.npz` file or a group of Zarr, or the column of Parquet; not needed if there is one.
        What a column of floats lacks is NaN.
    progress : bool, optional
        Whether to show progress by tqdm, if that is installed.

    Returns
    -------
    FileArray
        Functions along axes take it, but `nanprod`, `vecdot`, and `logsumexp` of `float64`. Quantiles keep the
        first axis, or are of the whole. `histogram`, `bincount` and `unique_counts` are of the whole.

    Raises
    ------
    ValueError
        If a file is none of these, is truncated, has Python objects, or does not go with the others.
    TypeError
        If there are no such elements on the GPU.
    KeyError
        If there is no such member.
    ImportError
        If a file needs the package zarr or pyarrow, and it is not installed.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.full(5, 0.1).tofile(f"{folder}/1.bin")
    ...     np.full(5, 0.1).tofile(f"{folder}/2.bin")
    ...     float(wr.sum(wr.open(folder, dtype="f8"), exact=True))
    1.0
    """
    memory = MEMORY if memory is None else operator.index(memory)
    if memory <= 0:
        raise ValueError(f"memory= must be more than 0 bytes, and is {memory}")
    if dtype is None and (shape is not None or offset):
        raise ValueError("shape= and offset= are for raw files, which need dtype=")
    if dtype is not None and member is not None:
        raise ValueError("member= is for archives, Zarr and Parquet, and dtype= for raw files")
    if isinstance(path, np.ndarray) and (dtype is not None or member is not None):
        raise ValueError("dtype= and member= are for files")
    raw = None if dtype is None else Raw(np.dtype(dtype), _extents(shape), operator.index(offset))
    sources = sources_of(path, raw, member)
    if not sources:
        raise ValueError(f"there are no files in {path}")
    stored, whole = sources[0].dtype, _joined(sources)
    own = stored.newbyteorder("=")
    return FileArray(sources, own, whole, memory, progress)


def _extents(shape: SupportsIndex | Sequence[SupportsIndex] | None) -> tuple[int, ...] | None:
    """Return a shape as NumPy takes it: a number is that of one dimension."""
    if shape is None:
        return None
    return tuple(map(operator.index, shape if isinstance(shape, Sequence) else (shape,)))


def _joined(sources: list[Source]) -> tuple[int, ...]:
    """Return the shape of all arrays as one, along the first axis."""
    first = sources[0]
    if len(sources) == 1:
        return first.shape
    if not first.shape:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    for source in sources:
        for what, mine, others in (
            ("elements of", source.dtype.newbyteorder("="), first.dtype.newbyteorder("=")),
            ("rows of shape", source.shape[1:], first.shape[1:]),
            ("dimensions:", len(source.shape), len(first.shape)),
        ):
            if mine != others:
                raise ValueError(f"{source.name} has {what} {mine}, and {first.name} {others}")
    return (sum(source.shape[0] for source in sources), *first.shape[1:])
