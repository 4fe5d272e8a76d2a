"""Writes numpy_results.txt: what NumPy makes of edge cases, for tests/gpu/numpy.rs.

    python3 tests/data/numpy_results.py > tests/data/numpy_results.txt

A line of a type and elements' bits, separated by "|", is followed by a line for each operation on them, of
its name and the result, separated by ">", with " ddof=1" behind the name for that of a sample. The result is "error" where NumPy raises an exception, else numbers with their types, floats by their bits; any NaN is
written as the same one. Elements of bf16 are computed with as those of
f32 that they are. Results of f32 that round are computed in float64 and rounded once, those of f64
in longdouble, which has 64 bits of precision where this was run; sums of 64-bit integers are Python's, which
NumPy has no type for. Those of log_sum_exp are SciPy's logsumexp; of no elements it is an error here, of whichever SciPy.

One thing is not NumPy's: which of -0 and +0 is the smaller. NumPy takes either, depending on where they
stand; here the order of keys decides, in which -0 comes first, and the values are compared with NumPy's.
"""

import warnings

import numpy as np
from scipy.special import logsumexp

warnings.simplefilter("ignore")

NAN, INF = np.nan, np.inf
MAX = float(np.finfo(np.float32).max)
NORMAL = float(np.finfo(np.float32).tiny)
TINY = float(np.float32(1e-45))

# By NumPy's letter and bytes: the name, and the type of the bits.
TYPES = {"f2": ("f16", "u2"), "bf": ("bf16", "u4"), "f4": ("f32", "u4"), "f8": ("f64", "u8"),
         "i1": ("i8", "u1"), "i2": ("i16", "u2"), "i4": ("i32", "u4"), "i8": ("i64", "u8"),
         "u1": ("u8", "u1"), "u2": ("u16", "u2"), "u4": ("u32", "u4"), "u8": ("u64", "u8")}


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


def halves():
    """Lists of f16."""
    most, normal, tiny = 65504.0, 2.0**-14, 2.0**-24
    yield from ([], [NAN], [1, NAN, 2], [NAN, -INF, INF], [0.0, -0.0], [-0.0], [INF], [-INF],
                [INF, -INF], [-INF, 1, INF], [tiny], [tiny, -tiny, 0], [-tiny, -0.0, 0.0, tiny],
                [normal, normal - tiny, tiny], [most], [most, -most], [-most, -INF, NAN], [most] * 5,
                [3, 1, 3, 1], [2, 4, 4, 4, 5, 5, 7, 9], [0, NAN], [-0.0, NAN, 0.0],
                [1024, 1025, 1023], [2048, 2050, 2046, 2052])
    # Subnormal numbers of each sign, and normal ones after them.
    yield np.arange(0x0003, 0x0480, 0x25, dtype=np.uint16).view(np.float16)
    yield np.arange(0x8003, 0x8480, 0x25, dtype=np.uint16).view(np.float16)[::-1]
    rng = np.random.default_rng(11)
    values = rng.normal(size=100)
    yield values
    values[50] = NAN
    yield values
    # Many ties.
    yield rng.integers(-2, 3, size=100)
    yield np.where(rng.random(100) < 0.9, NAN, rng.normal(size=100))
    yield 1e3 + rng.normal(size=100)
    yield np.full(100, -0.0)


def cut(values):
    """Of f32 those that are bf16: without the lower half of their bits."""
    return (np.array(values, np.float32).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


def bfloats():
    """Lists of bf16."""
    most, tiny = 2.0**128 - 2.0**120, 2.0**-133
    yield from ([], [NAN], [1, NAN, 2], [NAN, -INF, INF], [0.0, -0.0], [-0.0], [INF], [-INF],
                [INF, -INF], [-INF, 1, INF], [tiny], [tiny, -tiny, 0], [-tiny, -0.0, 0.0, tiny],
                [NORMAL, NORMAL - tiny, tiny], [most], [most, -most], [-most, -INF, NAN],
                [3, 1, 3, 1], [2, 4, 4, 4, 5, 5, 7, 9], [0, NAN], [-0.0, NAN, 0.0],
                [128, 129, 127], [256, 258, 254, 260], [1e30, 1e-30], [3e30, 4e30])
    # Subnormal numbers of each sign, and normal ones after them.
    patterns = np.arange(0x0003, 0x0090, 0x05, dtype=np.uint32)
    yield (patterns << 16).view(np.float32)
    yield ((patterns | 0x8000) << 16).view(np.float32)[::-1]
    rng = np.random.default_rng(17)
    values = rng.normal(size=100)
    yield values
    values[50] = NAN
    yield values
    # Many ties.
    yield rng.integers(-2, 3, size=100)
    yield np.where(rng.random(100) < 0.9, NAN, rng.normal(size=100))
    yield 100 + rng.normal(size=100)
    yield np.full(100, -0.0)


def odd_bfloat_nans():
    """The same of bf16. NumPy's nanmin takes signalling ones of f32 for numbers, too."""
    for bits in ([0xFFC0, 0x3F80], [0x3F80, 0x7FC1], [0xFFC5, 0x7FFF], [0xFF80, 0xFFFF, 0x7F80]):
        yield (np.array(bits, np.uint32) << 16).view(np.float32)


def doubles():
    """Lists of f64: those of f32, and what only f64 has."""
    most, normal, tiny = np.finfo(np.float64).max, np.finfo(np.float64).tiny, 5e-324
    yield from (values for values in floats() if len(values) not in (31, 32, 300))
    yield from ([tiny, -tiny, 0], [normal, normal - tiny, tiny], [-tiny, -0.0, 0.0, tiny], [most, -most],
                [most], [-most, -INF, NAN], [1e300, 1e-300], [1 + 2.0**-52, 1, 1 + 2.0**-51],
                # Numbers that differ in the lower word alone, or in the upper one.
                [2.0**52 + 3, 2.0**52 + 1, 2.0**52 + 2], [-(2.0**52) - 1, -(2.0**52) - 3], [2, 4, 1, 8])


def odd_double_nans():
    """The same of f64. NumPy's nanmin takes signalling ones for numbers, so there are none."""
    for bits in ([0xFFF8000000000000, 0x3FF0000000000000], [0x3FF0000000000000, 0x7FF8000000000001],
                 [0xFFF8000000000001, 0x7FFFFFFFFFFFFFFF], [0x7FF8000100000000, 0x4000000000000000],
                 [0xFFF0000000000000, 0xFFFFFFFFFFFFFFFF, 0x7FF0000000000000]):
        yield np.array(bits, np.uint64).view(np.float64)


def odd_nans():
    """Elements that are NaN by other bits than the usual ones."""
    for bits in ([0xFFC00000, 0x3F800000], [0x3F800000, 0x7FC00001], [0xFFC12345, 0x7FFFFFFF],
                 [0xFF800000, 0xFFFFFFFF, 0x7F800000]):
        yield np.array(bits, np.uint32).view(np.float32)


def odd_half_nans():
    """The same of f16."""
    for bits in ([0xFE00, 0x3C00], [0x3C00, 0x7C01], [0xFE45, 0x7FFF], [0xFC00, 0xFFFF, 0x7C00]):
        yield np.array(bits, np.uint16).view(np.float16)


def narrow_integers(kind):
    """Lists of integers of fewer than 32 bits."""
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    yield from ([], [0], [most], [least], [least, most], [most, most], [3, 1, 3, 1], [most] * 5,
                [0, 5, 0])
    if least < 0:
        yield from ([-1, 1], [-3, 4, -5], [least, -1])
    # More of the largest than sums of their own type, or of 16 or 24 bits, hold.
    yield [most] * 300
    yield [least] * 300
    rng = np.random.default_rng(13)
    yield rng.integers(least, most, size=100, endpoint=True)
    yield rng.integers(0, 3, size=100)


def integers(kind):
    """Lists of integers."""
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    yield from ([], [0], [1], [most], [least], [least, most], [most, least], [most, most], [0, 0, 0],
                [3, 1, 3, 1], [1, 3, 1, 3], [most, 2], [most, most, most, most, most], [0, 5, 0],
                [2**31 - 1, 2**31 - 1, 3], [6, 5], [least, least, least])
    if np.iinfo(kind).bits == 64:
        # That differ in the lower word alone, or in the upper one.
        yield from ([2**32 + 3, 2**32 + 1, 2**32 + 2], [2**40, 2**33, 2**41], [2**32 - 1, 2**32], [2**32])
    if least < 0:
        yield from ([-1], [-1, 1], [-3, 4, -5], [least, -1], [-1, -1, -1])
    rng = np.random.default_rng(7)
    is_long = np.iinfo(kind).bits == 64
    drawn = kind if is_long else np.int64
    for length in (33, 100) if is_long else (31, 32, 33, 300):
        yield rng.integers(least, most, size=length, endpoint=True, dtype=drawn)
        yield rng.integers(0, 3, size=length)


def bits_of(x, kind):
    """Of bf16 the upper half of those of f32."""
    bits = x.view(TYPES[kind][1])
    return bits >> 16 if kind == "bf" else bits


def text(value, kind):
    value = np.dtype("f4" if kind == "bf" else kind).type(value)
    name, _ = TYPES[kind]
    if kind[0] not in "bf":
        return f"{name}:{value}"
    return f"{name}:nan" if value != value else f"{name}:{bits_of(value, kind):x}"


def keys(x):
    """Integers in the order of the elements, -0 before +0."""
    if x.dtype.kind != "f":
        return x
    bits = x.view({2: np.int16, 4: np.int32, 8: np.int64}[x.itemsize])
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


def extreme(x, find, find_arg):
    """Index and value; find and find_arg are NumPy's."""
    arg = int(find_arg(x))
    if x.dtype.kind == "f" and not np.isnan(x[arg]):
        number = np.array([False] * len(x)) | ~np.isnan(x)
        lowest = find_arg in (np.argmin, np.nanargmin)
        worst = np.iinfo(np.int64).max if lowest else np.iinfo(np.int64).min
        ordered = np.where(number, keys(x).astype(np.int64), worst)
        arg = int(np.argmin(ordered) if lowest else np.argmax(ordered))
    value = find(x)
    assert value == x[arg] or (np.isnan(value) and np.isnan(x[arg]))
    return arg, x[arg]


def results(x, kind):
    """Operations with functions to their results as text, for elements of one type."""
    is_float = kind[0] in "bf"
    is_long = x.itemsize == 8
    # Of results, and what they are computed in.
    rounded = "f8" if kind == "f8" else "f4"
    wide = {"b": rounded, "f": rounded, "i": "i8", "u": "u8"}[kind[0]]
    double = rounded if is_float else "f8"
    y = x.astype(np.longdouble if is_long else np.float64)
    exact = [int(v) for v in x] if not is_float else None
    value = lambda found: text(found[1], kind)
    both = lambda found: f"u64:{found[0]} {text(found[1], kind)}"
    total = lambda function: (text(function(y), rounded) if is_float
                              else text(function(x, dtype=wide), wide))
    if is_long and not is_float:
        yield "sum", lambda: f"{kind[0]}128:{sum(exact)}"
    else:
        yield "sum", lambda: total(np.sum)
    yield "product", lambda: total(np.prod)
    yield "min", lambda: value(extreme(x, np.min, np.argmin))
    yield "max", lambda: value(extreme(x, np.max, np.argmax))
    yield "min_max", lambda: (value(extreme(x, np.min, np.argmin)) + " "
                              + value(extreme(x, np.max, np.argmax)))
    yield "argmin", lambda: both(extreme(x, np.min, np.argmin))
    yield "argmax", lambda: both(extreme(x, np.max, np.argmax))
    yield "mean", lambda: text(np.mean(y), double)
    if not is_long or is_float:
        yield "variance", lambda: text(np.var(y), double)
        yield "variance ddof=1", lambda: text(np.var(y, ddof=1), double)
        yield "std", lambda: text(np.std(y), double)
        yield "std ddof=1", lambda: text(np.std(y, ddof=1), double)
        yield "stats", lambda: " ".join(
            (f"u64:{len(x)}", both(extreme(x, np.min, np.argmin)), both(extreme(x, np.max, np.argmax)),
             total(np.sum), text(np.mean(y), double), text(np.var(y), double)))
        yield "norm_l2", lambda: text(np.linalg.norm(y), double)
    yield "all", lambda: f"bool:{int(np.all(x))}"
    yield "any", lambda: f"bool:{int(np.any(x))}"
    yield "count_nonzero", lambda: f"u64:{np.count_nonzero(x)}"
    if is_float:
        yield "sum_of_squares", lambda: text(np.sum(y * y), rounded)
        yield "norm_l1", lambda: text(np.sum(np.abs(y)), rounded)
        yield "norm_max", lambda: text(np.linalg.norm(x.astype(rounded), INF), kind)
        if rounded == "f4":
            yield "log_sum_exp", lambda: text(logsumexp(y), rounded) if len(x) else "error"
        yield "count_nan", lambda: f"u64:{np.count_nonzero(np.isnan(x))}"
        yield "nan_sum", lambda: text(np.nansum(y), rounded)
        yield "nan_mean", lambda: text(np.nanmean(y), rounded)
        yield "nan_variance", lambda: text(np.nanvar(y), rounded)
        yield "nan_variance ddof=1", lambda: text(np.nanvar(y, ddof=1), rounded)
        yield "nan_std", lambda: text(np.nanstd(y), rounded)
        yield "nan_std ddof=1", lambda: text(np.nanstd(y, ddof=1), rounded)
        full = lambda: len(x) and np.isnan(x).all()
        low = lambda: extreme(x, np.nanmin, np.nanargmin)
        high = lambda: extreme(x, np.nanmax, np.nanargmax)
        yield "nan_min", lambda: text(np.nanmin(x), kind) if full() else value(low())
        yield "nan_max", lambda: text(np.nanmax(x), kind) if full() else value(high())
        yield "nan_argmin", lambda: both(low())
        yield "nan_argmax", lambda: both(high())
    else:
        yield "wrapping_sum", lambda: text(np.add.reduce(x, dtype=kind), kind)
        if not is_long:
            yield "sum_of_squares", lambda: f"u128:{sum(v * v for v in exact)}"
        yield "norm_l1", lambda: f"u{128 if is_long else 64}:{sum(abs(v) for v in exact)}"
        yield "norm_max", lambda: text(int(np.linalg.norm(y, INF)), TYPES[kind][1])
        yield "bit_and", lambda: text(np.bitwise_and.reduce(x), kind)
        yield "bit_or", lambda: text(np.bitwise_or.reduce(x), kind)
        yield "bit_xor", lambda: text(np.bitwise_xor.reduce(x), kind)


def lines():
    cases = [np.array(values, np.float32) for values in floats()] + list(odd_nans())
    for kind in (np.int32, np.uint32):
        cases += [np.array(values, kind) for values in integers(kind)]
    for kind in (np.uint8, np.int8, np.uint16, np.int16):
        cases += [np.array(values, kind) for values in narrow_integers(kind)]
    cases += [np.array(values, np.float16) for values in halves()] + list(odd_half_nans())
    for kind in (np.int64, np.uint64):
        cases += [np.array(values, kind) for values in integers(kind)]
    cases += [np.array(values, np.float64) for values in doubles()] + list(odd_double_nans())
    cases = [(x, x.dtype.str[1:]) for x in cases]
    cases += [(cut(values), "bf") for values in bfloats()] + [(x, "bf") for x in odd_bfloat_nans()]
    for x, kind in cases:
        words = " ".join(f"{word:x}" for word in bits_of(x, kind))
        yield f"{TYPES[kind][0]}|{words}"
        for operation, result in results(x, kind):
            try:
                yield f"{operation}>{result()}"
            except ValueError:
                yield f"{operation}>error"


print(f"# NumPy {np.__version__}, written by numpy_results.py")
print("\n".join(lines()))
