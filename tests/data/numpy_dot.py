"""Writes numpy_dot.txt: what NumPy makes of dot products, for tests/gpu/numpy_dot.rs.

    python3 tests/data/numpy_dot.py > tests/data/numpy_dot.txt

A line is a type, the elements' bits of either input and the result, separated by "|": an integer, or
the bits of an f32, or "nan". Products and sums of f32 are computed in float64 and rounded once; those of
integers as Python's, which are exact.
"""

import warnings

import numpy as np

warnings.simplefilter("ignore")

NAN, INF = np.nan, np.inf
MAX = float(np.finfo(np.float32).max)
TINY = float(np.float32(1e-45))


def floats():
    """Pairs of lists of f32."""
    yield from (([], []), ([0.0], [INF]), ([INF], [-0.0]), ([NAN], [0.0]), ([1, NAN], [2, 3]),
                ([INF, 1], [2, 3]), ([INF, 1], [-2, 3]), ([INF, INF], [1, -1]), ([-INF], [-INF]),
                ([INF, 0], [0, INF]), ([1, 2, 3], [4, 5, 6]), ([1e30, 1, -1e30], [1, 1, 1]),
                ([MAX], [0.5]), ([MAX], [2]), ([MAX, 1], [-2, 1]), ([TINY], [0.5]), ([TINY], [1]),
                ([TINY, 1], [TINY, TINY]), ([1e-30], [1e-30]), ([0.1] * 10, [0.1] * 10))
    rng = np.random.default_rng(11)
    for length in (4, 31, 32, 33, 300):
        a, b = rng.normal(size=(2, length))
        yield a, b
        yield a, np.ones(length)
        yield a * 10.0 ** rng.integers(-8, 8, size=length), b
        a[length // 2] = INF
        yield a, b
        b[length // 3] = NAN
        yield a, b


def integers(kind):
    """Pairs of lists of integers."""
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    yield from (([], []), ([0], [most]), ([most], [most]), ([least], [least]), ([least], [most]),
                ([most, most], [most, most]), ([least, most], [most, least]), ([1, 2, 3], [4, 5, 6]))
    if kind == np.int32:
        yield from (([-1], [-1]), ([-1], [1]), ([least], [-1]), ([least] * 5, [most] * 5))
    rng = np.random.default_rng(13)
    for length in (4, 31, 32, 33, 300):
        yield rng.integers(least, most, size=(2, length), endpoint=True)


def words(x):
    return " ".join(f"{word:x}" for word in x.view(np.uint32))


def lines():
    for pair in floats():
        a, b = (np.array(values, np.float32) for values in pair)
        dot = np.float32(np.dot(a.astype(np.float64), b.astype(np.float64)))
        yield f"f32|{words(a)}|{words(b)}|" + ("nan" if dot != dot else f"{dot.view('u4'):x}")
    for kind, name in ((np.int32, "i32"), (np.uint32, "u32")):
        for pair in integers(kind):
            a, b = (np.array(values, kind) for values in pair)
            yield f"{name}|{words(a)}|{words(b)}|{np.dot(a.astype(object), b.astype(object)) or 0}"


print(f"# NumPy {np.__version__}, written by numpy_dot.py")
print("\n".join(lines()))
