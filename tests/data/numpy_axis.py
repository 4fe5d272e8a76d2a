"""Writes numpy_axis.txt: what NumPy makes of views along an axis, for tests/gpu/numpy_axis.rs.

    python3 tests/data/numpy_axis.py > tests/data/numpy_axis.txt

A line is an operation, a view's shape, its strides and its offset, counted in elements, an axis, and the
results, separated by "|": sums, least elements or indices of the largest. Element k of the 4096 is
k * 2654435761 modulo 2^32, the upper half below zero, divided by 2^20 and rounded down, so that some are
equal.
"""

import numpy as np

CASES = [
    ((1, 1), (1, 1), 0), ((1, 97), (97, 1), 0), ((97, 1), (1, 1), 5), ((7, 13), (13, 1), 0),
    ((16, 64), (64, 1), 0), ((64, 16), (1, 64), 3), ((5, 4), (-5, -1), 40), ((0, 3), (3, 1), 0),
    ((3, 0), (1, 1), 0), ((11, 5), (7, 2), 1), ((4, 3), (0, 1), 9), ((3, 4), (1, 0), 9),
    ((6, 7, 8), (56, 8, 1), 0), ((6, 7, 8), (1, 6, 42), 17), ((8, 3, 31), (93, 31, 1), 2),
    ((2, 3, 4, 5), (60, 20, 5, 1), 1), ((3, 2, 2, 3, 2, 4), (96, 48, 24, 8, 4, 1), 0),
    ((2, 3, 2, 2, 5, 3), (1, -90, 180, 360, 6, 2), 300),
]


def main():
    hashes = np.arange(4096, dtype=np.uint32) * np.uint32(2654435761)
    values = hashes.view(np.int32) >> 20
    print(f"# NumPy {np.__version__}, written by numpy_axis.py")
    for shape, strides, offset in CASES:
        view = np.lib.stride_tricks.as_strided(values[offset:], shape, [4 * s for s in strides])
        for axis, extent in enumerate(shape):
            for name, operation in (("sum", np.sum), ("min", np.min), ("argmax", np.argmax)):
                if extent == 0 and name != "sum":
                    continue
                results = operation(view, axis=axis)
                numbers = [" ".join(map(str, list_)) for list_ in (shape, strides)]
                print("|".join([name, *numbers, str(offset), str(axis),
                                " ".join(map(str, results.ravel()))]))


main()
