"""What all functions share: axes, masks, empty arrays, and results in NumPy's shape."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.typing import ArrayLike, DTypeLike

from . import _native
from ._array import Array, GpuArray, of_elements, to_gpu, unmasked

P = ParamSpec("P")
R = TypeVar("R")

#: Stands for an argument that is not given.
MISSING: Any = np._NoValue

CELL_BYTES = 16
MOST_DIMENSIONS = 6
#: Quantiles of longer rows are found one row at a time: that takes any length, and less time.
LONGEST_RANKED_ROW = 1 << 16
#: Quantiles of one request; each takes two ranks.
RANKED_AT_ONCE = 48


class Reduction:
    """An array and the axes that it is reduced along."""

    def __init__(self, source: Array | GpuArray, axes: tuple[int, ...]) -> None:
        of_elements(source)
        self.source = source
        self.axes = axes

    @functools.cached_property
    def x(self) -> GpuArray:
        """The array on the GPU, copied there when it is needed."""
        return to_gpu(self.source)

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
        return result.reshape(self.kept_as_ones)


def as_array(a: ArrayLike | GpuArray) -> Array | GpuArray:
    """Return what is on the GPU as it is, all else as NumPy sees it, in the machine's order of bytes."""
    if isinstance(a, GpuArray):
        return a
    array = unmasked(a)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def cast(a: Array | GpuArray, dtype: DTypeLike | None) -> Array | GpuArray:
    """Return elements of a type. Those on the GPU come to the host if theirs is another."""
    if dtype is None or a.dtype == dtype:
        return a
    return np.asarray(a).astype(dtype)


def reduction(a: Array | GpuArray, axis: Any, of_number: bool = True) -> Reduction:
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
            return function(np.asarray(array, dtype), **given)  # type: ignore[no-any-return]

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
    dimensions: list[tuple[int, int, bool]] = []
    for axis, (extent, stride) in enumerate(zip(of.x.shape, of.x._strides, strict=True)):
        reduced = axis in of.axes
        if extent == 1:
            continue
        if dimensions and dimensions[-1][2] == reduced and dimensions[-1][1] == extent * stride:
            dimensions[-1] = (dimensions[-1][0] * extent, stride, reduced)
        else:
            dimensions.append((extent, stride, reduced))
    dimensions = dimensions or [(1, 1, False)]
    shape = [extent for extent, _, _ in dimensions]
    strides = [stride for _, stride, _ in dimensions]
    axes = [i for i, (_, _, reduced) in enumerate(dimensions) if reduced]
    return (shape, strides, of.x._offset), axes


def in_rows(of: Reduction) -> Reduction:
    """Copy the elements so that those of each result are neighbours."""
    return Reduction(of.in_rows(of.host).reshape(math.prod(of.kept), of.count), (1,))


def run(name: str, of: Reduction, ddof: int = 0) -> Array:
    """Reduce all elements: a result for each position of the axes that are kept."""
    both = name == "min_max"
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


def run_where(name: str, of: Reduction, where: Any, none: Any) -> tuple[Array, Any]:
    """Reduce the elements that a mask leaves; where it leaves none, the result is `none`.

    Returns the results and the number of elements of each.
    """
    if where is True:
        return run(name, of), of.count
    mask = np.broadcast_to(np.asarray(where, bool), of.shape)
    rows = of.in_rows(mask).reshape(math.prod(of.kept), of.count)
    counts = np.count_nonzero(rows, axis=1)
    filled = np.flatnonzero(counts)
    if not filled.size:
        return np.full(of.kept, none), counts.reshape(of.kept)
    span = of.x._span() if isinstance(of.source, GpuArray) else None
    if span and of.is_whole and not name.endswith("_exact"):
        chosen = to_gpu(np.ascontiguousarray(mask))._elements
        found = decoded(of.x._elements.reduce_masked(name, span, chosen))
    else:
        found = _in_segments(name, of, rows, counts[filled])
    results = np.full(counts.size, none, np.result_type(found, none))
    results[filled] = found
    return results.reshape(of.kept), counts.reshape(of.kept)


def _in_segments(name: str, of: Reduction, mask: Array, counts: Array) -> Array:
    """Reduce what a mask leaves of each row, side by side."""
    chosen = to_gpu(of.in_rows(of.host).reshape(mask.shape)[mask])
    if counts.size == 1:
        return decoded(chosen._elements.reduce(name, (0, chosen.size), 0))
    ends = np.cumsum(counts)
    if ends[-1] >= 2**32 - 1:
        raise ValueError("where= along axes is for fewer than 2^32 - 1 elements")
    offsets = to_gpu(np.concatenate([[0], ends]).astype(np.uint32))
    return decoded(chosen._elements.reduce_segments(name, offsets._elements))


def run_ranked(of: Reduction, shares: list[float], method: str, without_nan: bool) -> Array:
    """Find quantiles: the last axis of the result is that of the shares."""
    if len(shares) > RANKED_AT_ONCE:
        head = run_ranked(of, shares[:RANKED_AT_ONCE], method, without_nan)
        rest = run_ranked(of, shares[RANKED_AT_ONCE:], method, without_nan)
        return np.concatenate([head, rest], axis=-1)
    shape, asked = (*of.kept, len(shares)), (shares, method, without_nan)
    if of.count == math.prod(of.shape) and (span := of.x._span()):
        return decoded(of.x._elements.quantiles(span, *asked)).reshape(shape)
    if of.count <= LONGEST_RANKED_ROW:
        strided, axes = merged(of)
        if len(strided[0]) <= MOST_DIMENSIONS:
            found = of.x._elements.quantiles_along(strided, axes, *asked)
            return decoded(found).reshape(shape)
    rows, count = in_rows(of).x, of.count
    spans = [(row * count, (row + 1) * count) for row in range(rows.shape[0])]
    of_rows = [decoded(rows._elements.quantiles(span, *asked)) for span in spans]
    return np.concatenate(of_rows).reshape(shape)


def deliver(
    result: Array, of: Reduction, keepdims: bool, out: Array | None, casting: Any = "unsafe"
) -> Any:
    """Return a scalar or an array, or fill the one that is given."""
    if keepdims:
        result = of.with_ones(result)
    return into(result, out, casting)


def into(result: Array, out: Array | None, casting: Any = "unsafe") -> Any:
    """Fill an array that is given, or return the result as NumPy does.

    The casting of "out" is NumPy's where elements or indices are taken: what is there could be one.
    """
    if out is None:
        return result if result.ndim else result[()]
    if not isinstance(out, np.ndarray):
        raise TypeError("out= must be a NumPy array")
    if out.shape != result.shape:
        raise ValueError(f"out= has the shape {out.shape}, and the results {result.shape}")
    if casting == "out":
        if not np.can_cast(out.dtype, result.dtype):
            raise TypeError(f"out= has elements of {out.dtype}, and the results are {result.dtype}")
        casting = "unsafe"
    with np.errstate(all="ignore"):
        np.copyto(out, result, casting=casting)
    return out


def narrowed(result: Array, dtype: DTypeLike) -> Array:
    """Round or wrap results to their type, as NumPy does without saying so."""
    with np.errstate(all="ignore"):
        return np.asarray(result).astype(dtype, copy=False)
