"""Writes numpy_axis.txt: what NumPy makes of views along an axis, for tests/gpu/numpy_axis.rs.

    python3 tests/data/numpy_axis.py > tests/data/numpy_axis.txt

A line is a type, an operation, a view's shape, its strides and its offset, counted in elements, an axis or several, and the
results, separated by "|": of argmin and argmax indices, which of several axes are those of these flattened. "error" is said where an axis without elements has
results of an operation that has none of nothing: there NumPy raises an exception, or for means warns. What rounds is
computed in longdouble and rounded once. Number k of the 4096 is k * 2654435761 modulo 2^32, the upper half below zero,
divided by 2^20 and rounded down, so that some are equal; TYPES says what elements are made of them.
"""

import warnings

import numpy as np

warnings.simplefilter("ignore")

CASES = [
    ((1, 1), (1, 1), 0), ((1, 97), (97, 1), 0), ((97, 1), (1, 1), 5), ((7, 13), (13, 1), 0),
    ((16, 64), (64, 1), 0), ((64, 16), (1, 64), 3), ((5, 4), (-5, -1), 40), ((0, 3), (3, 1), 0),
    ((3, 0), (1, 1), 0), ((11, 5), (7, 2), 1), ((4, 3), (0, 1), 9), ((3, 4), (1, 0), 9),
    ((6, 7, 8), (56, 8, 1), 0), ((6, 7, 8), (1, 6, 42), 17), ((8, 3, 31), (93, 31, 1), 2),
    ((2, 3, 4, 5), (60, 20, 5, 1), 1), ((3, 2, 2, 3, 2, 4), (96, 48, 24, 8, 4, 1), 0),
    ((2, 3, 2, 2, 5, 3), (1, -90, 180, 360, 6, 2), 300),
]


# Of one dimension to four, and without elements. Each case takes programs of its own to compile on the GPU, so there are
# few, and types have a part of the operations each.
TYPED_CASES = [
    ((97,), (1,), 5), ((0,), (1,), 0), ((0, 3), (3, 1), 0), ((3, 0), (1, 1), 0), ((2, 0, 4), (0, 4, 1), 0),
    ((4, 5, 6), (1, 4, 20), 30), ((2, 3, 4, 5), (-60, 20, 5, 1), 61),
]
OF_TYPES = {
    "f32": ("sum", "argmin", "mean", "variance", "min", "max", "argmax", "any", "all"),
    "f64": ("variance", "argmin", "sum", "mean"), "f16": ("sum", "argmax", "min", "mean"),
    "u8": ("sum", "max", "mean", "any"), "i16": ("variance", "min", "argmin", "all"),
    "i64": ("sum", "argmax", "max", "mean"), "bf16": ("sum", "argmax", "min", "mean"),
}


def tenths(numbers, dtype):
    """With a NaN and infinities among them, zeros, and what no binary fraction is."""
    values = (numbers * (0.1 if dtype is not np.float16 else 0.125)).astype(dtype)
    values[numbers % 7 == 0] = 0
    values[[60, 70, 75]] = np.nan, np.inf, -np.inf
    return values


def cut(values):
    """Without the lower half of their bits they are bf16."""
    return (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


TYPES = {
    "f32": lambda numbers: tenths(numbers, np.float32), "f64": lambda numbers: tenths(numbers, np.float64),
    "f16": lambda numbers: tenths(numbers, np.float16), "u8": lambda numbers: (numbers % 256).astype(np.uint8),
    "i16": lambda numbers: (numbers * 16).astype(np.int16), "i64": lambda numbers: numbers.astype(np.int64) << 30,
    "bf16": lambda numbers: cut(tenths(numbers, np.float32)),
}

# Several axes at once, of integers and of floats.
AXES = [
    ((6, 7, 8), (56, 8, 1), 0, (0, 2)), ((6, 7, 8), (1, 6, 42), 17, (0, 2)), ((6, 7, 8), (56, 8, 1), 2, (0, 1)),
    ((8, 3, 16), (48, 16, 1), 0, (0, 2)), ((6, 7, 8), (56, 8, 1), 0, ()), ((6, 7, 8), (1, 6, 42), 17, (0, 1, 2)),
    ((2, 3, 4, 5), (60, 20, 5, 1), 1, (1, 3)), ((2, 3, 4, 5), (-60, 20, 5, 1), 61, (0, 2)), ((4, 5, 6), (0, 6, 1), 3, (0, 2)),
    ((3, 2, 2, 3, 2, 4), (96, 48, 24, 8, 4, 1), 0, (0, 2, 5)), ((2, 3, 2, 2, 5, 3), (1, -90, 180, 360, 6, 2), 300, (1, 4)),
    ((2, 0, 4), (0, 4, 1), 0, (0, 1)), ((2, 0, 4), (0, 4, 1), 0, (0, 2)),
]

# What a mean of halves is, is a float; sums of integers have 64 bits.
WIDER = {"bf16": np.float32, "f16": np.float32, "f32": np.float32, "f64": np.float64}


def of_longdouble(operation):
    return lambda view, axis, wider: operation(view.astype(np.longdouble), axis=axis).astype(wider)


def of_sums(view, axis, wider):
    if wider is np.float64 and view.dtype.kind in "iu":
        return np.sum(view, axis=axis)
    return of_longdouble(np.sum)(view, axis, wider)


def of_places(operation):
    """Which NumPy has of one axis, or of all."""

    def found(view, axis, _):
        if not isinstance(axis, tuple):
            return operation(view, axis=axis)
        others = [number for number in range(view.ndim) if number not in axis]
        shape = [view.shape[number] for number in others] + [int(np.prod([view.shape[number] for number in axis]))]
        return operation(np.transpose(view, others + list(axis)).reshape(shape), axis=-1)

    return found


OPERATIONS = {
    "sum": of_sums, "mean": of_longdouble(np.mean), "variance": of_longdouble(np.var),
    **{name: (lambda operation: lambda view, axis, _: operation(view, axis=axis))(getattr(np, name))
       for name in ("min", "max", "any", "all")},
    "argmin": of_places(np.argmin), "argmax": of_places(np.argmax),
}
HAVE_RESULTS_OF_NONE = ("sum", "any", "all")


def lines_of(kind, values, cases, operations):
    for shape, strides, offset in cases:
        for axis in range(len(shape)):
            lines_along(kind, values, (shape, strides, offset, axis), operations)


def lines_along(kind, values, case, operations):
    shape, strides, offset, axis = case
    view = np.lib.stride_tricks.as_strided(values[offset:], shape, [values.itemsize * s for s in strides])
    axes = axis if isinstance(axis, tuple) else (axis,)
    extent = np.prod([shape[axis] for axis in axes])
    outputs = np.prod([extent for axis, extent in enumerate(shape) if axis not in axes])
    for name in operations:
        numbers = [" ".join(map(str, list_)) for list_ in (shape, strides)]
        results = "error"
        if extent > 0 or outputs == 0 or name in HAVE_RESULTS_OF_NONE:
            results = OPERATIONS[name](view, axis, WIDER.get(kind, np.float64))
            results = " ".join(str(result).lower() for result in np.ravel(results))
        elif kind == "i32":
            continue
        print("|".join([kind, name, *numbers, str(offset), " ".join(map(str, axes)), results]))


def main():
    hashes = np.arange(4096, dtype=np.uint32) * np.uint32(2654435761)
    numbers = hashes.view(np.int32) >> 20
    print(f"# NumPy {np.__version__}, written by numpy_axis.py")
    lines_of("i32", numbers, CASES, ("sum", "min", "argmax"))
    for case in AXES:
        lines_along("i32", numbers, case, ("sum", "min", "argmax"))
    for kind, make in TYPES.items():
        for case in TYPED_CASES:
            operations = OF_TYPES[kind][:2] if len(case[0]) == 4 else OF_TYPES[kind]
            lines_of(kind, make(numbers[:600]), [case], operations)
    for case in AXES[:8]:
        lines_along("f32", TYPES["f32"](numbers[:600]), case, ("sum", "argmin", "mean", "max"))



main()
