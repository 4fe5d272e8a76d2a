"""Exact sums that are not rounded yet: they pickle, and merge to the same bits in any order."""

from __future__ import annotations

import contextlib
import functools
import math
import operator
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from . import _native
from ._array import Array, _element
from ._device import is_on_host
from ._files import FileArray
from ._run import Given, Input, Reduction, as_array, cast, decoded, in_rows, narrowed, reduction

#: Rows from this length on are summed on the GPU, one after the other; shorter ones on the host.
_LONG_ROW = 1 << 16
#: Bytes of a sum of elements.
_BYTES = {"f32": 96, "f64": 552}
#: The classes of sums whose digits count.
_FINITE = (1, 2)


class ExactSum:
    """The real sum of floats, or one for each position of the axes that are kept.

    However elements are shared out and in whatever order sums are added, the result has the same bits.

    Parameters
    ----------
    a : array_like, GpuArray or FileArray
        Floats, bool, or integers of up to 32 bits, which become `float64`. `float16` becomes `float32`.
    axis : None, int or tuple of ints, optional
        The axes to sum along; all of them by default.
    keepdims : bool, optional
        Whether the axes stay, with length one.

    Raises
    ------
    TypeError
        If there are no exact sums of such elements.

    Examples
    --------
    >>> import pickle
    >>> import wgpu_reduce as wr
    >>> parts = [wr.ExactSum([1e100, 1.0]), wr.ExactSum([-1e100])]
    >>> sent = [pickle.loads(pickle.dumps(part)) for part in parts]
    >>> float(sent[0] + sent[1]), (sent[1] + sent[0]).count
    (1.0, 3)
    """

    __slots__ = ("_sums",)

    #: The bytes of each sum, along the last axis.
    _sums: Array

    def __init__(self, a: Input, axis: Any = None, *, keepdims: bool = False) -> None:
        self._sums = _summed(a, axis, keepdims, of_squares=False)

    @classmethod
    def of_squares(cls, a: Input, axis: Any = None, *, keepdims: bool = False) -> ExactSum:
        """Return the sum of the squares of elements. It overflows as little as one of elements.

        Examples
        --------
        >>> import wgpu_reduce as wr
        >>> float(wr.ExactSum.of_squares([3.0, 4.0]))
        25.0
        """
        return cls._of(_summed(a, axis, keepdims, of_squares=True))

    @classmethod
    def from_bytes(cls, data: bytes) -> ExactSum:
        """Return the sum that `to_bytes` wrote.

        Raises
        ------
        ValueError
            If the bytes are no such sum.
        """
        return _read((), len(data), data)

    @classmethod
    def merge(cls, sums: Iterable[ExactSum]) -> ExactSum:
        """Return the sum of sums, of which there is one at least.

        Examples
        --------
        >>> import wgpu_reduce as wr
        >>> float(wr.ExactSum.merge(wr.ExactSum([0.1]) for _ in range(10)))
        1.0
        """
        given = list(sums)
        if not given:
            raise ValueError("there are no sums to merge")
        return functools.reduce(operator.add, given)

    @classmethod
    def _of(cls, sums: Array) -> ExactSum:
        made = cls.__new__(cls)
        made._sums = sums
        return made

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the results; `()` if there is one."""
        return self._sums.shape[:-1]

    @property
    def count(self) -> Any:
        """Number of elements of each sum."""
        counts = np.ascontiguousarray(self._sums[..., 8:16]).view("<u8")[..., 0]
        return int(counts) if counts.ndim == 0 else counts

    def round(self) -> Any:
        """Return the sums, rounded once to the type of the elements."""
        return self._rounded(is_mean=False)

    def mean(self) -> Any:
        """Return the means of the elements, rounded once; of no elements NaN."""
        return self._rounded(is_mean=True)

    def to_bytes(self) -> bytes:
        """Return one sum as bytes, the same for equal sums on every machine."""
        if self.shape:
            raise ValueError(
                f"there are sums of the shape {self.shape}, and bytes are of one: pickle has them"
            )
        return self._sums.tobytes()

    def _rounded(self, is_mean: bool) -> Any:
        if not self._sums.size:
            return np.empty(self.shape, np.float32 if self._sums.shape[-1] == _BYTES["f32"] else np.float64)
        rounded = decoded(_native.exact_round(self._rows(), is_mean)).reshape(self.shape)
        return rounded if rounded.ndim else rounded[()]

    def _rows(self) -> Array:
        return self._sums.reshape(math.prod(self.shape), self._sums.shape[-1])

    def __add__(self, other: ExactSum) -> ExactSum:
        if not isinstance(other, ExactSum):
            return NotImplemented
        if self.shape != other.shape:
            raise ValueError(f"sums of the shapes {self.shape} and {other.shape} do not go together")
        merged = _native.exact_merge(self._rows(), other._rows())
        longer = max(self._sums.shape[-1], other._sums.shape[-1])
        return self._of(merged.reshape(*self.shape, longer))

    def __reduce__(self) -> tuple[Any, ...]:
        return _read, (self.shape, self._sums.shape[-1], self._sums.tobytes())

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self._sums.nbytes

    def __float__(self) -> float:
        return float(self.round())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactSum) and np.array_equal(self._sums, other._sums)

    def __hash__(self) -> int:
        return hash((self.shape, self._sums.tobytes()))

    def __repr__(self) -> str:
        return f"ExactSum({self.round()!r}, count={self.count!r})"


def _read(shape: tuple[int, ...], size: int, data: bytes) -> ExactSum:
    """Return the sums that bytes are, each of such a size."""
    if size not in _BYTES.values() or len(data) != math.prod(shape) * size:
        raise ValueError(f"{len(data)} bytes are no exact sums of the shape {shape}")
    made = ExactSum._of(np.frombuffer(bytes(data), np.uint8).reshape(*shape, size))
    _native.exact_round(made._rows(), False)
    return made


def check_elements(dtype: np.dtype[Any]) -> None:
    """Refuse elements that have no exact sums."""
    _element(dtype)
    if dtype.kind in "iu" and dtype.itemsize == 8:
        raise TypeError(f"there are no exact sums of {dtype}, whose elements are not all float64")


def _elements(a: Input) -> Given:
    """Return elements that have exact sums."""
    array = as_array(a)
    check_elements(array.dtype)
    return array if array.dtype.kind == "f" else cast(array, np.float64)


def _summed(a: Input, axis: Any, keepdims: bool, of_squares: bool) -> Array:
    of = reduction(_elements(a), axis)
    sums = sums_of(of, of_squares)
    return sums.reshape(*of.kept_as_ones, sums.shape[-1]) if keepdims else sums


def sums_of(of: Reduction, of_squares: bool) -> Array:
    """Return the bytes of the sum of each result's elements."""
    if of.source.dtype == np.float16:
        of = Reduction(cast(of.source, np.float32), of.axes)
    source, element = of.source, _element(of.source.dtype)
    if not source.size:
        nothing = np.empty(0, np.uint8)
        sums = _native.exact_rows(nothing, element, math.prod(of.kept), of_squares)
    elif isinstance(source, FileArray):
        return _of_file(source, of, of_squares)
    elif of.count < _LONG_ROW:
        rows = in_rows(of).host
        data = np.ascontiguousarray(rows).reshape(-1).view(np.uint8)
        sums = _native.exact_rows(data, element, rows.shape[0], of_squares)
    else:
        x = in_rows(of).x
        sums = np.concatenate([x._elements.exact(span, of_squares) for span in x._spans()])
    return sums.reshape(*of.kept, _BYTES[element])


def _of_file(file: FileArray, of: Reduction, of_squares: bool) -> Array:
    if of.is_whole and not of_squares and not is_on_host():
        stream = _native.Stream.exact(_element(file.dtype), file.memory // 2)
        return file._streamed(stream)[0]
    with contextlib.closing(of.of_pieces()) as pieces:
        sums = (sums_of(piece, of_squares) for piece in pieces)
        if of.shape and 0 not in of.axes:
            return np.concatenate(list(sums))
        return functools.reduce(operator.add, map(ExactSum._of, sums))._sums


def variances(sums: ExactSum, squares: ExactSum, ddof: float, is_root: bool) -> Any:
    """Return variances, or deviations, of elements with such sums, rounded once."""
    dtype = sums.round().dtype
    pairs = zip(sums._rows(), squares._rows(), strict=True)
    found = [_variance(one.tobytes(), other.tobytes(), ddof, dtype, is_root) for one, other in pairs]
    result = narrowed(np.array(found, np.float64), dtype).reshape(sums.shape)
    return result if result.ndim else result[()]


def _variance(total: bytes, squares: bytes, ddof: float, dtype: np.dtype[Any], is_root: bool) -> float:
    count = int.from_bytes(total[8:16], "little")
    freedom = Fraction(count) - Fraction(ddof)
    if total[6] not in _FINITE or squares[6] not in _FINITE:
        return math.nan
    # Digits are in units of 2^-unit: those of a square, or of a pair of elements.
    unit = 298 if dtype == np.float32 else 2148
    digits, of_squares = (int.from_bytes(one[16:], "little", signed=True) for one in (total, squares))
    scaled = (count * of_squares << unit) - digits * digits
    if freedom <= 0:
        return math.inf if scaled else math.nan
    scale = freedom * count
    return nearest(scaled * scale.denominator, scale.numerator << 2 * unit, dtype, is_root)


#: Bits of a quotient, of which the last is 1 if it is not exact: rounding them once more loses nothing.
_QUOTIENT_BITS = 160


def nearest(numerator: int, denominator: int, dtype: np.dtype[Any], is_root: bool) -> float:
    """Return the float of a type that is nearest to a quotient, or to its root."""
    if numerator == 0:
        return 0.0
    shift = _QUOTIENT_BITS + denominator.bit_length() - numerator.bit_length()
    shift += shift % 2
    quotient, rest = divmod(numerator << max(shift, 0), denominator << max(-shift, 0))
    if is_root:
        whole = math.isqrt(quotient)
        rest, quotient, shift = rest or quotient - whole * whole, whole, shift // 2
    # As many bits as a `float64` has, which become a `float32` without a second rounding.
    excess = quotient.bit_length() - 53 if dtype == np.float32 else 0
    is_inexact = rest or quotient & ((1 << excess) - 1)
    head = quotient >> excess | bool(is_inexact)
    try:
        return float(Fraction(head) * Fraction(2) ** (excess - shift))
    except OverflowError:
        return math.inf
