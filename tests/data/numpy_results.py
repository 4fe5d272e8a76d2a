"""Writes numpy_results.txt: what NumPy makes of edge cases, for tests/gpu/numpy.rs.

    python3 tests/data/numpy_results.py > tests/data/numpy_results.txt

A line is an operation, a type, the elements' bits and the result, separated by "|". The result is
"error" where NumPy raises an exception, else numbers with their types, floats by their bits; any NaN is
written as the same one. Results of f32 that round are computed in float64 and rounded once.

One thing is not NumPy's: which of -0 and +0 is the smaller. NumPy takes either, depending on where they
stand; here the order of keys decides, in which -0 comes first, and the values are compared with NumPy's.
"""

import warnings

import numpy as np

warnings.simplefilter("ignore")

NAN, INF = np.nan, np.inf
MAX = float(np.finfo(np.float32).max)
NORMAL = float(np.finfo(np.float32).tiny)
TINY = float(np.float32(1e-45))


def floats():
    """Lists of f32."""
    yield from ([], [NAN], [NAN, NAN], [1, NAN, 2], [1, 2, NAN], [NAN, -INF, INF], [0.0, -0.0],
                [-0.0, 0.0], [-0.0], [0.0], [-0.0, -0.0], [INF], [-INF], [INF, INF], [INF, -INF],
                [-INF, 1, INF], [INF, NAN], [5, INF, 5], [-5, -INF], [TINY, -TINY, 0],
                [NORMAL, NORMAL - TINY, TINY], [-TINY, -0.0, 0.0, TINY], [MAX, -MAX], [MAX],
                [-MAX, -INF, NAN], [3, 1, 3, 1], [1, 3, 1, 3], [-1, -1, -1], [7, 7], [1.5],
                [2, 4, 4, 4, 5, 5, 7, 9], [0, 0, 3, 0], [0, NAN], [-0.0, NAN, 0.0], [1e30, 1e-30],
                [3e30, 4e30], [3e-30, 4e-30], [1e6, 1e6 + 0.0625, 1e6 - 0.0625, 1e6 + 0.125])
    rng = np.random.default_rng(5)
    for length in (31, 32, 33, 300):
        values = rng.normal(size=length)
        yield values
        values[length // 2] = NAN
        yield values
        values[length // 3] = NAN
        values[length // 5] = INF
        yield values
        # Many ties.
        yield rng.integers(-2, 3, size=length)
        yield np.where(rng.random(length) < 0.9, NAN, rng.normal(size=length))
        yield 1e6 + rng.normal(size=length)
        yield np.full(length, -0.0)


def odd_nans():
    """Elements that are NaN by other bits than the usual ones."""
    for bits in ([0xFFC00000, 0x3F800000], [0x3F800000, 0x7FC00001], [0xFFC12345, 0x7FFFFFFF],
                 [0xFF800000, 0xFFFFFFFF, 0x7F800000]):
        yield np.array(bits, np.uint32).view(np.float32)


def integers(kind):
    """Lists of integers."""
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    yield from ([], [0], [1], [most], [least], [least, most], [most, least], [most, most], [0, 0, 0],
                [3, 1, 3, 1], [1, 3, 1, 3], [most, 2], [most, most, most, most, most], [0, 5, 0],
                [2**31 - 1, 2**31 - 1, 3], [6, 5], [least, least, least])
    if kind == np.int32:
        yield from ([-1], [-1, 1], [-3, 4, -5], [least, -1], [-1, -1, -1])
    rng = np.random.default_rng(7)
    for length in (31, 32, 33, 300):
        yield rng.integers(least, most, size=length, endpoint=True)
        yield rng.integers(0, 3, size=length)


def text(value, kind):
    value = np.dtype(kind).type(value)
    if kind in ("f4", "f8"):
        value = value if value == value else np.dtype(kind).type(NAN)
        name, bits = {"f4": ("f32", "u4"), "f8": ("f64", "u8")}[kind]
        if value != value:
            return f"{name}:nan"
        return f"{name}:{value.view(bits):x}"
    return {"i4": "i32", "u4": "u32", "i8": "i64", "u8": "u64"}[kind] + f":{value}"


def keys(x):
    """Integers in the order of the elements, -0 before +0."""
    if x.dtype != np.float32:
        return x
    bits = x.view(np.int32)
    return np.where(bits < 0, bits ^ 0x7FFFFFFF, bits)


def extreme(x, find, find_arg):
    """Index and value; find and find_arg are NumPy's."""
    arg = int(find_arg(x))
    if x.dtype == np.float32 and not np.isnan(x[arg]):
        number = np.array([False] * len(x)) | ~np.isnan(x)
        lowest = find_arg in (np.argmin, np.nanargmin)
        worst = np.int64(2**40) if lowest else np.int64(-2**40)
        ordered = np.where(number, keys(x).astype(np.int64), worst)
        arg = int(np.argmin(ordered) if lowest else np.argmax(ordered))
    value = find(x)
    assert value == x[arg] or (np.isnan(value) and np.isnan(x[arg]))
    return arg, x[arg]


def results(x):
    """Operations with functions to their results as text, for elements of one type."""
    kind = x.dtype.str[1:]
    is_float = kind == "f4"
    wide = {"f4": "f4", "i4": "i8", "u4": "u8"}[kind]
    double = "f4" if is_float else "f8"
    y = x.astype(np.float64)
    exact = [int(v) for v in x] if not is_float else None
    value = lambda found: text(found[1], kind)
    both = lambda found: f"u64:{found[0]} {text(found[1], kind)}"
    total = lambda function: (text(function(y), "f4") if is_float
                              else text(function(x, dtype=wide), wide))
    yield "sum", lambda: total(np.sum)
    yield "product", lambda: total(np.prod)
    yield "min", lambda: value(extreme(x, np.min, np.argmin))
    yield "max", lambda: value(extreme(x, np.max, np.argmax))
    yield "min_max", lambda: (value(extreme(x, np.min, np.argmin)) + " "
                              + value(extreme(x, np.max, np.argmax)))
    yield "argmin", lambda: both(extreme(x, np.min, np.argmin))
    yield "argmax", lambda: both(extreme(x, np.max, np.argmax))
    yield "mean", lambda: text(np.mean(y), double)
    yield "variance", lambda: text(np.var(y), double)
    yield "norm_l2", lambda: text(np.linalg.norm(y), double)
    yield "all", lambda: f"bool:{int(np.all(x))}"
    yield "any", lambda: f"bool:{int(np.any(x))}"
    yield "count_nonzero", lambda: f"u64:{np.count_nonzero(x)}"
    if is_float:
        yield "sum_of_squares", lambda: text(np.sum(y * y), "f4")
        yield "norm_l1", lambda: text(np.linalg.norm(y, 1), "f4")
        yield "norm_max", lambda: text(np.linalg.norm(x, INF), "f4")
        yield "count_nan", lambda: f"u64:{np.count_nonzero(np.isnan(x))}"
        yield "nan_sum", lambda: text(np.nansum(y), "f4")
        yield "nan_mean", lambda: text(np.nanmean(y), "f4")
        one = lambda found: text(found[1], "f4")
        full = lambda: len(x) and np.isnan(x).all()
        low = lambda: extreme(x, np.nanmin, np.nanargmin)
        high = lambda: extreme(x, np.nanmax, np.nanargmax)
        yield "nan_min", lambda: text(np.nanmin(x), "f4") if full() else one(low())
        yield "nan_max", lambda: text(np.nanmax(x), "f4") if full() else one(high())
        yield "nan_argmin", lambda: both(low())
        yield "nan_argmax", lambda: both(high())
    else:
        yield "wrapping_sum", lambda: text(np.add.reduce(x, dtype=kind), kind)
        yield "sum_of_squares", lambda: f"u128:{sum(v * v for v in exact)}"
        yield "norm_l1", lambda: f"u64:{sum(abs(v) for v in exact)}"
        yield "norm_max", lambda: f"u32:{int(np.linalg.norm(y, INF))}"
        yield "bit_and", lambda: text(np.bitwise_and.reduce(x), kind)
        yield "bit_or", lambda: text(np.bitwise_or.reduce(x), kind)
        yield "bit_xor", lambda: text(np.bitwise_xor.reduce(x), kind)


def lines():
    cases = [np.array(values, np.float32) for values in floats()] + list(odd_nans())
    for kind in (np.int32, np.uint32):
        cases += [np.array(values, kind) for values in integers(kind)]
    for x in cases:
        name = {"f4": "f32", "i4": "i32", "u4": "u32"}[x.dtype.str[1:]]
        words = " ".join(f"{word:x}" for word in x.view(np.uint32))
        for operation, result in results(x):
            try:
                yield f"{operation}|{name}|{words}|{result()}"
            except ValueError:
                yield f"{operation}|{name}|{words}|error"


print(f"# NumPy {np.__version__}, written by numpy_results.py")
print("\n".join(lines()))
