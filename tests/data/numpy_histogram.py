"""Results of numpy.histogram, as tests/gpu/numpy_histogram.rs reads them.

    python3 numpy_histogram.py > numpy_histogram.txt

A case is a line with a type and the values, then lines of bins, each followed by the edges and the counts that
NumPy has. Floats are written as their bits, edges as those of an f64, both in hexadecimal digits, so that
nothing is rounded on the way. Of more than 300 bins the edges are written as one number that their bits make (FNV-1a, by
words of 64 bits), and the counts as bin:count where there are any. The cases are those of NumPy's own tests of
histograms, two to the letter and others in kind: values on edges, next to them and outside; edges that a float does not
hold; narrow integers; bins of no width but one; large numbers; NaN and infinities.
"""

from __future__ import annotations

import numpy as np


def bits(number: float) -> str:
    return f"{np.float64(number).view(np.uint64):016x}"


def digest(edges: np.ndarray) -> str:
    mixed = 0xCBF29CE484222325
    for word in edges.view(np.uint64):
        mixed = ((mixed ^ int(word)) * 0x100000001B3) % 2**64
    return f"{mixed:016x}"


def show_bfloats(values: np.ndarray) -> None:
    """Those of f32 that are bf16, by the upper half of their bits. NumPy rounds no edges to it: they are given."""
    print("values bf16", *(f"{word >> 16:04x}" for word in values.view(np.uint32)))


def show_values(values: np.ndarray) -> None:
    if values.dtype == np.float16:
        numbers = [f"{word:04x}" for word in values.view(np.uint16)]
    elif values.dtype == np.float64:
        numbers = [f"{word:016x}" for word in values.view(np.uint64)]
    elif values.dtype == np.float32:
        numbers = [f"{word:08x}" for word in values.view(np.uint32)]
    else:
        numbers = [str(int(value)) for value in values]
    print("values", values.dtype.kind + str(8 * values.dtype.itemsize), *numbers)


def show_result(values: np.ndarray, bins, limits=None) -> None:
    counts, edges = np.histogram(values, bins=bins, range=limits)
    edges = edges.astype(np.float64)
    # Of f16 NumPy divides in f16, which so few bins survive.
    inside = values[(values >= edges[0]) & (values <= edges[-1])].astype(np.float64)
    places = np.minimum(np.searchsorted(edges, inside, "right"), len(edges) - 1) - 1
    assert (counts == np.bincount(places, minlength=len(counts))).all()
    if len(counts) > 300:
        print("edges", digest(edges))
        print("counts", *(f"{bin}:{counts[bin]}" for bin in np.flatnonzero(counts)))
    else:
        print("edges", *(bits(edge) for edge in edges))
        print("counts", *counts)


def show_even(values: np.ndarray, low: float, high: float, bins: int) -> None:
    print("even", bits(low), bits(high), bins)
    show_result(values, bins, (low, high))


def show_edges(values: np.ndarray, edges) -> None:
    print("uneven", *(bits(edge) for edge in edges))
    show_result(values, np.array(edges, dtype=np.float64))


def floats(random: np.random.Generator) -> None:
    tenths = np.linspace(0, 1, 11).astype(np.float32)
    near = np.concatenate([tenths, np.nextafter(tenths, np.float32(9)), np.nextafter(tenths, np.float32(-9))])
    show_values(near)
    for bins in (1, 2, 3, 7, 10, 30, 100, 256):
        show_even(near, 0.0, 1.0, bins)
        show_even(near, 0.1, 0.7, bins)
    show_edges(near, [0.0, 0.1, 0.3, 0.30000000000000004, 0.7, 1.0])
    show_edges(near, [-5.0, 0.25])

    # Values that a product with a rounded scale puts into the wrong bin.
    known = np.array([1000.0 + k / 16 for k in range(64)] + [99.99999, 15.499878], dtype=np.float32)
    show_values(known)
    show_even(known, 0.0, 100.0, 100)
    show_even(known, 1000.0, 1004.0, 64)
    show_even(known, 1000.0, 1003.9375, 63)
    show_even(known, 7.0, 7.0, 4)

    normal = random.standard_normal(1000).astype(np.float32)
    show_values(normal)
    for low, high, bins in ((-3.0, 3.0, 50), (-1e-3, 1e-3, 9), (-1e30, 1e30, 33), (0.0, 1e-40, 4)):
        show_even(normal, low, high, bins)
    for bins in (257, 1000, 4000):
        show_even(normal, -3.0, 3.0, bins)
    show_edges(normal, np.sort(random.standard_normal(77)))

    tiny = np.array([0.0, -0.0, 1e-45, -1e-45, 3e-45, 1e-38, 1e38, -1e38], dtype=np.float32)
    show_values(tiny)
    show_even(tiny, 0.0, 1.0, 2)
    show_even(tiny, -1.0, 0.0, 2)
    show_edges(tiny, [-1e300, -1e-45, 0.0, 2e-45, 1e300])




def halves(random: np.random.Generator) -> None:
    tenths = np.linspace(0, 1, 11).astype(np.float16)
    near = np.concatenate([tenths, np.nextafter(tenths, np.float16(9)), np.nextafter(tenths, np.float16(-9))])
    show_values(near)
    for bins in (1, 3, 10, 30, 100):
        show_even(near, 0.0, 1.0, bins)
        show_even(near, 0.1, 0.7, bins)
    show_edges(near, [0.0, 0.1, 0.3, 0.30000000000000004, 0.7, 1.0])
    # To f32 first, and from there to f16, 1 + 2^-11 + 2^-40 would be 1.
    ones = np.array([0.5, 1.0, 1.0 + 2.0**-10, 1.0 + 2.0**-9, 1.5, 2.0], dtype=np.float16)
    show_values(ones)
    show_even(ones, 1 + 2.0**-11 + 2.0**-40, 2.0, 1)
    show_even(ones, 0.5, 1 + 3 * 2.0**-11 - 2.0**-40, 2)
    show_even(ones, 1.0, 1.0, 4)
    normal = random.standard_normal(300).astype(np.float16)
    show_values(normal)
    for low, high, bins in ((-3.0, 3.0, 50), (-1e-3, 1e-3, 9), (-60000.0, 65504.0, 33), (0.0, 1e-6, 3)):
        show_even(normal, low, high, bins)
    show_edges(normal, np.sort(random.standard_normal(40)))


def cut(values) -> np.ndarray:
    return (np.array(values, dtype=np.float32).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


def bfloats(random: np.random.Generator) -> None:
    tiny = cut([0.0, -0.0, 2.0**-133, -(2.0**-133), 3 * 2.0**-133, 2.0**-126, 3e38, -3e38])
    show_bfloats(tiny)
    show_edges(tiny, [-1e300, -(2.0**-133), 0.0, 2.0**-132, 1e300])
    near = np.concatenate([cut(np.linspace(0, 1, 11)), [1.0, 0.99609375, 1.0078125]]).astype(np.float32)
    show_bfloats(near)
    show_edges(near, [0.0, 0.1, 0.3, 0.30000000000000004, 0.7, 1.0])
    normal = cut(random.standard_normal(300))
    show_bfloats(normal)
    show_edges(normal, np.sort(random.standard_normal(40)))
    odd = cut([np.nan, np.inf, -np.inf, -np.nan, 0.0, 0.25, 0.5, 1.0, np.inf, np.nan])
    show_bfloats(odd)
    show_edges(odd, [-1e300, 0.25, 0.5, 1e300])


def known_cases() -> None:
    """test_bin_edge_cases and test_last_bin_inclusive_range."""
    for dtype in (np.int32, np.uint32, np.uint16, np.float32):
        values = np.array([337, 404, 739, 806, 1007, 1811, 2012], dtype=dtype)
        show_values(values)
        show_even(values, 2.0, 2280.0, 8296)
    for dtype in (np.float32, np.float16):
        values = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 4.0, 5.0], dtype=dtype)
        show_values(values)
        show_even(values, -0.5, 5.0, 30)


def no_numbers() -> None:
    for dtype in (np.float32, np.float16):
        values = np.array([np.nan, np.inf, -np.inf, -np.nan, 0.0, 0.25, 0.5, 1.0, np.inf, np.nan], dtype=dtype)
        show_values(values)
        show_even(values, 0.0, 1.0, 4)
        show_edges(values, [-1e300, 0.25, 0.5, 1e300])


def integers(random: np.random.Generator) -> None:
    for dtype in (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32):
        limits = np.iinfo(dtype)
        low, high = int(limits.min), int(limits.max)
        values = random.integers(low, high, 400, endpoint=True).astype(dtype)
        values[:4] = low, high, 0, 1
        show_values(values)
        # To compile shaders takes long, so there is less of those that differ in the size of elements alone.
        for bins in (100, 255) if values.itemsize == 2 else (1, 2, 10, 250, 255, 256):
            show_even(values, float(low), float(high), bins)
        show_even(values, float(low), float(high) + 1, 256)
        show_even(values, -10.5, 99.25, 37)
        show_even(values, 1.0, 1.0, 5)
        show_edges(values, sorted({low - 1.5, low + 0.5, 0.0, 0.5 + low / 2, 1.0, high / 3, high - 0.5}))


def doubles(random: np.random.Generator) -> None:
    tenths = np.linspace(0, 1, 11)
    near = np.concatenate([tenths, np.nextafter(tenths, 9), np.nextafter(tenths, -9)])
    show_values(near)
    for bins in (1, 7, 10, 30, 100):
        show_even(near, 0.0, 1.0, bins)
        show_even(near, 0.1, 0.7, bins)
    show_edges(near, [0.0, 0.1, 0.3, 0.30000000000000004, 0.7, 1.0])
    # Closer to each other than f32 can tell, beyond its range, and below it.
    narrow = 1e6 + random.standard_normal(300) * 1e-6
    show_values(narrow)
    show_even(narrow, 1e6 - 3e-6, 1e6 + 3e-6, 50)
    for scale in (1e300, 1e-300, 5e-324):
        values = random.standard_normal(300) * (3 if scale < 1e-320 else 1) * scale
        show_values(values)
        show_even(values, -4 * scale, 4 * scale, 8)
    odd = np.array([np.nan, np.inf, -np.inf, -np.nan, 0.0, -0.0, 0.25, 1.0, 5e-324, 1.7e308])
    show_values(odd)
    show_even(odd, 0.0, 1.0, 4)
    show_edges(odd, [-1e300, 0.0, 5e-324, 0.5, 1.7e308])


def long_integers(random: np.random.Generator) -> None:
    for dtype in (np.int64, np.uint64):
        limits = np.iinfo(dtype)
        values = random.integers(limits.min, limits.max, 400, dtype=dtype, endpoint=True)
        values[:4] = limits.min, limits.max, 0, 1
        show_values(values)
        show_even(values, -1e19, 2e19, 100)
        show_even(values, -10.5, 99.25, 37)
        show_edges(values, [-9.3e18, -1e9, 0.5, 1.0, 3e18, 1.7e19])
        small = random.integers(0, 1000, 300, dtype=dtype)
        show_values(small)
        for bins in (10, 256, 999):
            show_even(small, 0.0, 999.0, bins)
        show_even(small, 0.0, 2.0**52, 1000)


def main() -> None:
    random = np.random.default_rng(11)
    print("# NumPy", np.__version__)
    floats(random)
    integers(random)
    halves(random)
    known_cases()
    no_numbers()
    bfloats(random)
    doubles(random)
    long_integers(random)


if __name__ == "__main__":
    main()
