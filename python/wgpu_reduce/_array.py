"""Arrays that stay on the GPU."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from types import EllipsisType, ModuleType
from typing import Any, Protocol, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _native
from ._device import is_on_host

Array: TypeAlias = NDArray[Any]
Index: TypeAlias = SupportsIndex | slice | EllipsisType | None

_ELEMENTS = {
    "?": "u8",
    "f2": "f16", "f4": "f32", "f8": "f64",
    "i1": "i8", "i2": "i16", "i4": "i32", "i8": "i64",
    "u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64",
}  # fmt: skip


def _element(dtype: np.dtype[Any]) -> str:
    """Return the library's name for elements of a type."""
    name = "?" if dtype.kind == "b" else f"{dtype.kind}{dtype.itemsize}"
    try:
        return _ELEMENTS[name]
    except KeyError:
        what = "float16 to float64, integers and bool"
        raise TypeError(f"{dtype} elements are not supported, but {what} are") from None

#: How others hand arrays to NumPy.
_NUMPYS = ("__array__", "__array_interface__", "__array_struct__")


class _Typed(Protocol):
    @property
    def dtype(self) -> np.dtype[Any]: ...


def of_elements(array: _Typed) -> np.dtype[Any]:
    """Return the type of elements that there are on the GPU, in the machine's order of bytes."""
    _element(array.dtype)
    return array.dtype.newbyteorder("=")


def unmasked(array: ArrayLike) -> Array:
    """Return what NumPy makes of it, but for a masked array: without its mask it is another."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError("a masked array is not supported; give a.data, and where=~a.mask")
    if hasattr(array, "__dlpack__") and not any(hasattr(array, name) for name in _NUMPYS):
        return np.from_dlpack(array)  # type: ignore[arg-type]
    return np.asarray(array)


def _method(name: str) -> Callable[..., Any]:
    """Make a method of a function of the package."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        from . import _reductions

        return getattr(_reductions, name)(self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"Return `wgpu_reduce.{name}` of this array."
    return method


class Shaped:
    """What arrays are that are not NumPy's."""

    __slots__ = ()

    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    sum = _method("sum")
    prod = _method("prod")
    mean = _method("mean")
    var = _method("var")
    std = _method("std")
    min = _method("min")
    max = _method("max")
    argmin = _method("argmin")
    argmax = _method("argmax")
    any = _method("any")
    all = _method("all")


class GpuArray(Shaped):
    """An array on the GPU, made by `to_gpu`.

    Slices of it are views: nothing is copied. As `out` of a function it is written over, a view too.

    Examples
    --------
    >>> import numpy as np
    >>> import wgpu_reduce as wr
    >>> x = wr.to_gpu(np.arange(6.0).reshape(2, 3))
    >>> x.shape, x.dtype, float(x[:, ::2].sum())
    ((2, 3), dtype('float64'), 10.0)
    >>> np.asarray(x[1])
    array([3., 4., 5.])
    """

    __slots__ = ("_elements", "_offset", "_strides", "dtype", "shape")

    def __init__(
        self,
        elements: _native.Elements,
        dtype: np.dtype[Any],
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        offset: int,
    ) -> None:
        self._elements = elements
        self.dtype = dtype
        self.shape = shape
        self._strides = strides
        self._offset = offset

    @property
    def T(self) -> GpuArray:
        """A view with the axes in the opposite order."""
        return self._viewed(self.shape[::-1], self._strides[::-1], self._offset)

    def __bool__(self) -> bool:
        if self.size > 1:
            what = "The truth value of an array with more than one element is ambiguous."
            raise ValueError(f"{what} Use x.any() or x.all()")
        return bool(np.asarray(self))

    def __contains__(self, value: Any) -> bool:
        return value in np.asarray(self)

    def __iter__(self) -> Iterator[GpuArray]:
        return (self[i] for i in range(len(self)))

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        """Return the package: of the array API its reductions, without the rest, so in no version of it."""
        if api_version is not None:
            raise ValueError(f"api_version={api_version!r}: there are the reductions of the array API alone")
        return sys.modules[__name__.rpartition(".")[0]]

    def __repr__(self) -> str:
        return f"GpuArray(shape={self.shape}, dtype={self.dtype})"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("elements on the GPU cannot be had without a copy")
        array = self._downloaded()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __getitem__(self, index: Index | tuple[Index, ...]) -> GpuArray:
        """Return a view: of integers, slices, `...` and `None`."""
        shape: list[int] = []
        strides: list[int] = []
        offset, axis = self._offset, 0
        for one in self._expanded(index if isinstance(index, tuple) else (index,)):
            if one is None:
                shape.append(1)
                strides.append(0)
                continue
            extent, stride = self.shape[axis], self._strides[axis]
            if isinstance(one, slice):
                picked = range(extent)[one]
                offset += picked.start * stride if len(picked) else 0
                shape.append(len(picked))
                strides.append(picked.step * stride if len(picked) > 1 else 0)
            else:
                offset += _position(one, extent, axis) * stride
            axis += 1
        return self._viewed(tuple(shape), tuple(strides), offset)

    def _expanded(self, index: tuple[Index, ...]) -> list[slice | SupportsIndex | None]:
        """Replace `...`, and what is missing at the end, by whole axes."""
        for one in index:
            is_number = hasattr(one, "__index__") and not isinstance(one, (bool, np.bool_))
            is_array = isinstance(one, np.ndarray) and one.ndim > 0
            if not (one is None or one is ... or isinstance(one, slice) or is_number) or is_array:
                kinds = "integers, slices, ... and None are"
                raise IndexError(f"only {kinds} indices of a GpuArray; np.asarray(x) has the others")
        named = sum(one is not None and one is not ... for one in index)
        if named > self.ndim:
            raise IndexError(f"too many indices: the array has {self.ndim} dimensions")
        if sum(one is ... for one in index) > 1:
            raise IndexError("an index can have only one ...")
        at = next((i for i, one in enumerate(index) if one is ...), len(index))
        whole = [slice(None)] * (self.ndim - named)
        return [*index[:at], *whole, *index[at + 1 :]]  # type: ignore[list-item]

    def _viewed(self, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> GpuArray:
        return GpuArray(self._elements, self.dtype, shape, strides, offset)

    def _span(self) -> tuple[int, int] | None:
        """Return the range of the elements if they are neighbours in order, else None."""
        expected = 1
        for extent, stride in zip(reversed(self.shape), reversed(self._strides), strict=True):
            if extent > 1 and stride != expected:
                return None
            expected *= extent
        return self._offset, self._offset + self.size

    def _spans(self) -> list[tuple[int, int]]:
        """Return the range of each row of two dimensions, in which elements are neighbours in order."""
        rows, count = self.shape
        starts = (self._offset + row * count for row in range(rows))
        return [(start, start + count) for start in starts]

    def _around(self) -> tuple[tuple[int, int], Array]:
        """Return the least range that has all elements, and on the host a view of them, if there are any."""
        reach = [(n - 1) * s for n, s in zip(self.shape, self._strides, strict=True)]
        first = self._offset + sum(r for r in reach if r < 0)
        last = self._offset + sum(r for r in reach if r > 0)
        items = self._elements.download((first, last + 1)).view(self.dtype)
        strides = tuple(s * self.dtype.itemsize for s in self._strides)
        start = (self._offset - first) * self.dtype.itemsize
        return (first, last + 1), np.ndarray(self.shape, self.dtype, items, start, strides)

    def _downloaded(self) -> Array:
        if self.size == 0:
            return np.empty(self.shape, self.dtype)
        _, view = self._around()
        return view if self._span() else view.copy()

    def _fill(self, results: Array, casting: Any) -> None:
        """Write results over the elements; those between them stay as they are."""
        if isinstance(self._elements, _native.HostElements):
            raise TypeError("out= is kept on the host, where it does not change; give a NumPy array")
        if not np.can_cast(results.dtype, self.dtype, casting):
            raise TypeError(f"Cannot cast results from {results.dtype} to {self.dtype} by the rule {casting!r}")
        if self.size == 0:
            return
        span = self._span()
        items = np.empty(self.shape, self.dtype)
        base: Any = items
        if span is None:
            span, items = self._around()
            base = items.base
        with np.errstate(all="ignore"):
            np.copyto(items, results, casting=casting)
        self._elements.write(span, base.reshape(-1).view(np.uint8))


#: What takes results: elements of either are written over.
OUT = (np.ndarray, GpuArray)
Out: TypeAlias = Array | GpuArray | None


def _position(index: SupportsIndex, extent: int, axis: int) -> int:
    at = index.__index__()
    if not -extent <= at < extent:
        raise IndexError(f"index {at} is out of bounds for axis {axis} with size {extent}")
    return at % extent


def to_gpu(array: ArrayLike | GpuArray) -> GpuArray:
    """Copy an array to the GPU, where it stays.

    Parameters
    ----------
    array : array_like
        Floats of 16 to 64 bits, integers or bool, in any order and of any strides. A `GpuArray` is
        returned as it is.

    Returns
    -------
    GpuArray
        The elements in row-major order and in the machine's order of bytes.

    Raises
    ------
    TypeError
        If there are no such elements.
    MemoryError
        If the GPU has no room for them.
    Error
        If there is no adapter; the message says how to get one.

    Examples
    --------
    >>> import wgpu_reduce as wr
    >>> x = wr.to_gpu([3.0, 1.0, 2.0])
    >>> float(wr.max(x)), int(wr.argmin(x))
    (3.0, 1)
    """
    if isinstance(array, GpuArray) and isinstance(array._elements, _native.HostElements) == is_on_host():
        return array
    host = np.asarray(array) if isinstance(array, GpuArray) else unmasked(array)
    element = _element(host.dtype)
    host = np.asarray(host, host.dtype.newbyteorder("="), order="C")
    strides = [1] * host.ndim
    for axis in range(host.ndim - 1, 0, -1):
        strides[axis - 1] = strides[axis] * max(host.shape[axis], 1)
    # Elements on the host have the same methods.
    put: Any = _native.keep if is_on_host() else _native.upload
    elements: _native.Elements = put(host.reshape(-1).view(np.uint8), element)
    return GpuArray(elements, host.dtype, host.shape, tuple(strides), 0)
