"""Writes numpy_dot.txt: what NumPy makes of dot products, for tests/gpu/numpy_dot.rs.

    python3 tests/data/numpy_dot.py > tests/data/numpy_dot.txt

A line is a type, the elements' bits of either input and the result, separated by "|": an integer, or
the bits of a float, or "nan". Elements of bf16 are those of f32 without the lower half of their bits. Products and
sums of f32, f16 and bf16 are computed in float64 and rounded once to
f32, those of f64 in longdouble, which has 64 bits of precision where this was run; those of integers as
Python's, which are exact.
"""

import warnings

import numpy as np

warnings.simplefilter("ignore")

NAN, INF = np.nan, np.inf

# The name, the type, that of the bits, and for floats in which the result is computed and what it is.
FLOATS = (("f32", np.float32, "u4", np.float64, np.float32), ("f16", np.float16, "u2", np.float64, np.float32),
          ("f64", np.float64, "u8", np.longdouble, np.float64), ("bf16", np.float32, "u4", np.float64, np.float32))
INTEGERS = (("i32", np.int32, "u4"), ("u32", np.uint32, "u4"), ("u8", np.uint8, "u1"), ("i8", np.int8, "u1"),
            ("u16", np.uint16, "u2"), ("i16", np.int16, "u2"))


def floats(kind):
    """Pairs of lists of floats."""
    largest, least = float(np.finfo(kind).max), float(np.finfo(kind).smallest_subnormal)
    big, small = {np.float16: (1e4, 1e-4), np.float32: (1e30, 1e-30), np.float64: (1e300, 1e-300)}[kind]
    yield from (([], []), ([0.0], [INF]), ([INF], [-0.0]), ([NAN], [0.0]), ([1, NAN], [2, 3]),
                ([INF, 1], [2, 3]), ([INF, 1], [-2, 3]), ([INF, INF], [1, -1]), ([-INF], [-INF]),
                ([INF, 0], [0, INF]), ([1, 2, 3], [4, 5, 6]), ([big, 1, -big], [1, 1, 1]),
                ([largest], [0.5]), ([largest], [2]), ([largest, 1], [-2, 1]), ([least], [0.5]), ([least], [1]),
                ([least, 1], [least, least]), ([small], [small]), ([0.1] * 10, [0.1] * 10))
    rng = np.random.default_rng(11)
    for length in (4, 31, 32, 33, 300):
        a, b = rng.normal(size=(2, length))
        yield a, b
        yield a, np.ones(length)
        spread = 3 if kind is np.float16 else 8
        yield a * 10.0 ** rng.integers(-spread, spread, size=length), b
        a[length // 2] = INF
        yield a, b
        b[length // 3] = NAN
        yield a, b


def integers(kind):
    """Pairs of lists of integers."""
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    yield from (([], []), ([0], [most]), ([most], [most]), ([least], [least]), ([least], [most]),
                ([most, most], [most, most]), ([least, most], [most, least]), ([1, 2, 3], [4, 5, 6]))
    if least < 0:
        yield from (([-1], [-1]), ([-1], [1]), ([least], [-1]), ([least] * 5, [most] * 5))
    if np.iinfo(kind).bits < 32:
        # More than sums of their own type, or of 16 or 24 bits, hold.
        yield from (([most] * 300, [most] * 300), ([least] * 300, [most] * 300))
    rng = np.random.default_rng(13)
    for length in (4, 31, 32, 33, 300):
        yield rng.integers(least, most, size=(2, length), endpoint=True)


def words(x, bits):
    return " ".join(f"{word:x}" for word in x.view(bits))


def bfloats():
    """Pairs of lists of bf16: those of f32, cut off, and the least and the largest number."""
    least, largest = 2.0**-133, 2.0**128 - 2.0**120
    yield from (pair for pair in floats(np.float32))
    yield from (([largest], [0.5]), ([largest], [2]), ([largest, 1], [-2, 1]), ([least], [0.5]), ([least], [1]))


def elements(values, name, kind):
    x = np.array(values, kind)
    return (x.view("u4") & np.uint32(0xFFFF0000)).view(kind) if name == "bf16" else x


def lines():
    for name, kind, bits, wide, result in FLOATS:
        for pair in bfloats() if name == "bf16" else floats(kind):
            a, b = (elements(values, name, kind) for values in pair)
            dot = result(np.dot(a.astype(wide), b.astype(wide)))
            digits = "nan" if dot != dot else f"{dot.view('u8' if result is np.float64 else 'u4'):x}"
            if name == "bf16":
                a, b = (x.view("u2")[1::2] for x in (a, b))
                bits = "u2"
            yield f"{name}|{words(a, bits)}|{words(b, bits)}|{digits}"
    for name, kind, bits in INTEGERS:
        for pair in integers(kind):
            a, b = (np.array(values, kind) for values in pair)
            dot = np.dot(a.astype(object), b.astype(object)) or 0
            yield f"{name}|{words(a, bits)}|{words(b, bits)}|{dot}"


print(f"# NumPy {np.__version__}, written by numpy_dot.py")
print("\n".join(lines()))
