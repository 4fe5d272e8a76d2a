"""What all functions share: axes, masks, empty arrays, and results in NumPy's shape."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from collections.abc import Callable, Generator, Sequence
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.typing import ArrayLike, DTypeLike

from . import _native
from ._array import OUT, Array, GpuArray, Out, of_elements, to_gpu, unmasked
from ._device import does_stay, is_on_host
from ._files import FileArray, needs_all

P = ParamSpec("P")
R = TypeVar("R")

#: What functions take.
Input: TypeAlias = ArrayLike | GpuArray | FileArray
#: What they reduce.
Given: TypeAlias = Array | GpuArray | FileArray

#: Stands for an argument that is not given.
MISSING: Any = np._NoValue

CELL_BYTES = 16
MOST_DIMENSIONS = 6
#: Quantiles of longer rows are found one row at a time: that takes any length, and less time.
LONGEST_RANKED_ROW = 1 << 16
#: Quantiles of one request; each takes two ranks.
RANKED_AT_ONCE = 48
#: Quantiles of one stream, which reads a file as often for many.
MOST_OF_STREAM = 500


class Reduction:
    """An array and the axes that it is reduced along."""

    def __init__(self, source: Given, axes: tuple[int, ...]) -> None:
        of_elements(source)
        self.source = source
        self.axes = axes

    @functools.cached_property
    def x(self) -> GpuArray:
        """The array on the GPU, copied there when it is needed."""
        return to_gpu(self.host) if isinstance(self.source, FileArray) else to_gpu(self.source)

    @functools.cached_property
    def host(self) -> Array:
        """The array on the host."""
        return np.asarray(self.source)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.source.shape

    @property
    def is_whole(self) -> bool:
        """Whether there is one result, of all axes."""
        return 0 < len(self.axes) == len(self.shape)

    @property
    def kept(self) -> tuple[int, ...]:
        """The shape of the results."""
        return tuple(n for i, n in enumerate(self.shape) if i not in self.axes)

    @property
    def count(self) -> int:
        """The number of elements of each result."""
        return math.prod(self.shape[axis] for axis in self.axes)

    def of_pieces(self) -> Generator[Reduction, None, None]:
        """Yield the reductions of pieces of a file: of some of its first axis, or flat where there is one result."""
        assert isinstance(self.source, FileArray)
        if self.is_whole:
            with contextlib.closing(self.source.pieces()) as pieces:
                for piece in pieces:
                    yield Reduction(piece, (0,))
            return
        row = self.shape[1:]
        with contextlib.closing(self.source.pieces(math.prod(row))) as pieces:
            for piece in pieces:
                yield Reduction(piece.reshape(-1, *row) if self.shape else piece[0], self.axes)

    def in_rows(self, array: Array) -> Array:
        """Move the axes that are reduced behind the others."""
        first = array.ndim - len(self.axes)
        return np.moveaxis(array, self.axes, range(first, array.ndim))

    @property
    def kept_as_ones(self) -> tuple[int, ...]:
        """The shape of the results with an axis of length one where each reduced axis was."""
        return tuple(1 if i in self.axes else n for i, n in enumerate(self.shape))

    def with_ones(self, result: Array) -> Array:
        """Put an axis of length one where each reduced axis was."""
        return result[tuple(None if i in self.axes else slice(None) for i in range(len(self.shape)))]


def as_array(a: Input) -> Given:
    """Return what is on the GPU or in files as it is, all else as NumPy has it, in the machine's order of bytes."""
    if isinstance(a, GpuArray):
        return to_gpu(a)
    if isinstance(a, FileArray):
        return a
    array = unmasked(a)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def cast(a: Given, dtype: DTypeLike | None) -> Given:
    """Return elements of a type. Those on the GPU come to the host if theirs is another."""
    if dtype is None or a.dtype == dtype:
        return a
    if isinstance(a, FileArray):
        return a._as(dtype)
    return np.asarray(a).astype(dtype)


def reduction(a: Given, axis: Any, of_number: bool = True) -> Reduction:
    """Check the axes and the type of the elements. For some functions of NumPy a number has an axis."""
    if axis is None:
        axes = tuple(range(a.ndim))
    elif of_number and a.ndim == 0 and axis in (0, -1):
        axes = ()
    else:
        axes = normalize_axis_tuple(axis, a.ndim)
    return Reduction(a, axes)


def nothing_as_numpy(function: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function of NumPy answer for arrays without elements: its results, warnings and errors."""

    def decorate(own: Callable[..., R]) -> Callable[P, R]:
        signature = inspect.signature(own)
        name = next(iter(signature.parameters))

        @functools.wraps(own)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
            if not args and name not in kwargs:
                return own(*args, **kwargs)
            array = as_array(args[0] if args else kwargs.pop(name))  # type: ignore[arg-type]
            if array.size:
                return own(array, *args[1:], **kwargs)
            given = signature.bind(array, *args[1:], **kwargs).arguments
            dtype = of_elements(given.pop(name))
            if given.pop("exact", False):
                check_exact(given.get("dtype"), given.get("initial", MISSING))
                dtype = rounded_once(dtype)
            nothing = np.empty(array.shape, dtype)
            if not isinstance(given.get("out"), GpuArray):
                return function(nothing, **given)  # type: ignore[no-any-return]
            out = given.pop("out")
            into(np.asarray(function(nothing, **given)), out)
            return out  # type: ignore[no-any-return]

        return wrapped

    return decorate


def check_exact(dtype: Any, initial: Any = MISSING) -> None:
    """Refuse what would round a second time."""
    if dtype is not None or initial is not MISSING:
        raise TypeError("exact=True takes no dtype and no initial, which would round once more")


def rounded_once(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of exact results."""
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def decoded(cells: _native._Cells, both: bool = False) -> Array:
    """Read results; of extremes both."""
    raw, dtype = cells
    count = raw.size // CELL_BYTES
    if both:
        half = CELL_BYTES // 2
        return np.ndarray((count, 2), dtype, raw, strides=(CELL_BYTES, half)).copy()
    return np.ndarray((count,), dtype, raw, strides=(CELL_BYTES,)).copy()


def merged(of: Reduction) -> tuple[_native._Strided, list[int]]:
    """Describe the elements in as few dimensions as there can be."""
    return _merged(of, of.x._strides, of.x._offset)


def merged_of_span(of: Reduction) -> tuple[_native._Strided, list[int]]:
    """Describe elements without gaps, from the first on, the same."""
    strides = [math.prod(of.shape[axis + 1 :]) for axis in range(len(of.shape))]
    return _merged(of, strides, 0)


def _merged(of: Reduction, strides: Sequence[int], offset: int) -> tuple[_native._Strided, list[int]]:
    dimensions: list[tuple[int, int, bool]] = []
    for axis, (extent, stride) in enumerate(zip(of.shape, strides, strict=True)):
        reduced = axis in of.axes
        if extent == 1:
            continue
        if dimensions and dimensions[-1][2] == reduced and dimensions[-1][1] == extent * stride:
            dimensions[-1] = (dimensions[-1][0] * extent, stride, reduced)
        else:
            dimensions.append((extent, stride, reduced))
    dimensions = dimensions or [(1, 1, False)]
    axes = [i for i, (_, _, reduced) in enumerate(dimensions) if reduced]
    return ([n for n, _, _ in dimensions], [stride for _, stride, _ in dimensions], offset), axes


def in_rows(of: Reduction) -> Reduction:
    """Return the elements of each result as neighbours: a copy, but for those that lie so on the GPU."""
    shape, first = (math.prod(of.kept), of.count), len(of.shape) - len(of.axes)
    if isinstance(of.source, GpuArray) and min(of.axes, default=first) == first:
        if span := of.source._span():
            return Reduction(of.source._viewed(shape, (of.count, 1), span[0]), (1,))
    return Reduction(of.in_rows(of.host).reshape(shape), (1,))


def run(name: str, of: Reduction, ddof: int = 0) -> Array:
    """Reduce all elements: a result for each position of the axes that are kept."""
    both = name == "min_max"
    if isinstance(of.source, FileArray):
        return _of_file(name, of, ddof)
    span = of.x._span()
    if span and of.is_whole:
        results = decoded(of.x._elements.reduce(name, span, ddof), both)
    else:
        strided, axes = merged(of)
        if len(strided[0]) > MOST_DIMENSIONS:
            results = run(name, in_rows(of), ddof)
        else:
            results = decoded(of.x._elements.reduce_along(name, strided, axes, ddof), both)
    return results.reshape(of.kept + ((2,) if both else ()))


def _of_file(name: str, of: Reduction, ddof: int) -> Array:
    """Reduce a file whole, or rows of it that are kept."""
    assert isinstance(of.source, FileArray)
    if of.is_whole and not is_on_host():
        both = name == "min_max"
        return decoded(of.source._reduced(name, ddof), both).reshape((2,) if both else ())
    if 0 in of.axes:
        from ._pieces import through

        return through(name, of, ddof)
    with contextlib.closing(of.of_pieces()) as pieces:
        found = [run(name, piece, ddof) for piece in pieces]
    return np.concatenate(found) if of.shape else found[0]


def stayed(name: str, of: Reduction) -> Any:
    """Leave results on the GPU as a `GpuArray`, unless the host has to finish them."""
    if isinstance(of.source, FileArray) or is_on_host():
        return run(name, of)
    span = of.x._span()
    along = None if span and of.is_whole else merged(of)
    if along and len(along[0][0]) > MOST_DIMENSIONS:
        return run(name, of)
    found = of.x._elements.kept(name, span or (0, 0), along)
    if found is None:
        return run(name, of)
    elements, dtype, step = found
    strides = [step * math.prod(of.kept[axis + 1 :]) for axis in range(len(of.kept))]
    return GpuArray(elements, np.dtype(dtype), of.kept, tuple(strides), 0)


def run_where(name: str, of: Reduction, where: Any, none: Any) -> tuple[Array, Any]:
    """Reduce the elements that a mask leaves; where it leaves none, the result is `none`.

    Returns the results and the number of elements of each.
    """
    if where is True:
        return stayed(name, of) if does_stay() else run(name, of), of.count
    if isinstance(of.source, FileArray):
        raise TypeError(needs_all(of.source, "where="))
    mask = np.broadcast_to(np.asarray(where, bool), of.shape)
    counts = np.asarray(np.count_nonzero(mask, axis=of.axes))
    empty = counts == 0
    if empty.all():
        return np.full(of.kept, none), counts
    if empty.any():
        # One element stands for none, and its result is not looked at.
        mask = mask.copy()
        mask[tuple(slice(1) if axis in of.axes else slice(None) for axis in range(mask.ndim))] |= (
            of.with_ones(empty)
        )
    found = _masked(name, of, mask).reshape(of.kept)
    results = np.where(empty, none, found).astype(np.result_type(found, none), copy=False)
    return results, counts


def _masked(name: str, of: Reduction, mask: Array) -> Array:
    """Reduce what a mask leaves of each row, which is something."""
    span = of.x._span()
    if span is None:
        return _masked(name, Reduction(of.host, of.axes), mask)
    strided, axes = merged_of_span(of)
    if len(strided[0]) > MOST_DIMENSIONS:
        rows = of.in_rows(mask).reshape(math.prod(of.kept), of.count)
        return _masked(name, in_rows(of), rows)
    chosen = to_gpu(np.ascontiguousarray(mask))._elements
    if of.is_whole:
        return decoded(of.x._elements.reduce_masked(name, span, chosen))
    return decoded(of.x._elements.reduce_masked_along(name, span, strided, axes, chosen))


def run_ranked(of: Reduction, shares: list[float], method: str, without_nan: bool) -> Array:
    """Find quantiles: the last axis of the result is that of the shares."""
    most = MOST_OF_STREAM if isinstance(of.source, FileArray) else RANKED_AT_ONCE
    if len(shares) > most:
        head = run_ranked(of, shares[:most], method, without_nan)
        rest = run_ranked(of, shares[most:], method, without_nan)
        return np.concatenate([head, rest], axis=-1)
    if isinstance(of.source, FileArray):
        if of.is_whole and shares and not is_on_host():
            return decoded(of.source._ranked(shares, method, without_nan))
        if 0 in of.axes or not of.shape:
            raise TypeError(needs_all(of.source, "an order statistic"))
        with contextlib.closing(of.of_pieces()) as pieces:
            return np.concatenate([run_ranked(piece, shares, method, without_nan) for piece in pieces])
    found = ranked(of, "quantiles", shares, method, without_nan)
    return np.concatenate([decoded(cells) for cells in found]).reshape(*of.kept, len(shares))


def ranked(of: Reduction, name: str, *asked: Any) -> list[_native._Cells]:
    """Find elements by rank: by a method for ranges, and one that is called as that and has axes."""
    if of.count == math.prod(of.shape) and (span := of.x._span()):
        return [getattr(of.x._elements, name)(span, *asked)]
    if of.count <= LONGEST_RANKED_ROW:
        strided, axes = merged(of)
        if len(strided[0]) <= MOST_DIMENSIONS:
            return [getattr(of.x._elements, f"{name}_along")(strided, axes, *asked)]
    rows = in_rows(of).x
    find = getattr(rows._elements, name)
    return [find(span, *asked) for span in rows._spans()]


def deliver(
    result: Array, of: Reduction, keepdims: bool, out: Out, casting: Any = "unsafe"
) -> Any:
    """Return a scalar or an array, or fill the one that is given."""
    if keepdims:
        result = of.with_ones(result)
    return into(result, out, casting)


def into(result: Array, out: Out, casting: Any = "unsafe") -> Any:
    """Fill an array that is given, or return the result as NumPy does.

    The casting of "out" is NumPy's where elements or indices are taken: what is there could be one.
    """
    if out is None:
        return result if result.ndim else result[()]
    if does_stay():
        raise TypeError("results go to out= or stay by device=True, and not both")
    if not isinstance(out, OUT):
        raise TypeError("out= must be a NumPy array or a GpuArray")
    if out.shape != result.shape:
        raise ValueError(f"out= has the shape {out.shape}, and the results {result.shape}")
    if casting == "out":
        if not np.can_cast(out.dtype, result.dtype):
            raise TypeError(f"out= has elements of {out.dtype}, and the results are {result.dtype}")
        casting = "unsafe"
    if isinstance(out, GpuArray):
        out._fill(result, casting)
        return out
    with np.errstate(all="ignore"):
        np.copyto(out, result, casting=casting)
    return out


def narrowed(result: Array, dtype: DTypeLike) -> Array:
    """Round or wrap results to their type, as NumPy does without saying so. What stays and has it stays."""
    if isinstance(result, GpuArray) and result.dtype == dtype:
        return result
    with np.errstate(all="ignore"):
        return np.asarray(result).astype(dtype, copy=False)
