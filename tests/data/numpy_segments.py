"""Results of NumPy for segments and for runs of equal keys, as tests/gpu/numpy_segments.rs reads them.

    python3 numpy_segments.py > numpy_segments.txt

A case is a line with the type and the values, one with the offsets, and one for each ufunc by `reduceat`, which
takes no empty segments: those are left out there, and in `sum` they are 0, in `any` false and in `all` true. Then keys, and the runs of them.
Values are small whole numbers, so that every sum is exact.
"""

from __future__ import annotations

import numpy as np


def line(name: str, numbers) -> None:
    print(name, *(int(number) for number in numbers))


def show_segments(values: np.ndarray, offsets: np.ndarray, has_more: bool) -> None:
    starts, ends = offsets[:-1], offsets[1:]
    full = starts < ends
    # What reduceat takes: each segment ends where the next begins, the last one at the end.
    inside = values[: offsets[-1]]
    sums = np.zeros(len(starts), dtype=np.int64)
    if full.any():
        sums[full] = np.add.reduceat(inside.astype(np.int64), starts[full])
    line("offsets", offsets)
    line("sum", sums)
    if full.any():
        line("min", np.minimum.reduceat(inside, starts[full]))
        line("max", np.maximum.reduceat(inside, starts[full]))
    pieces = [values[a:b] for a, b in zip(starts, ends)]
    line("argmin", [np.argmin(piece) for piece in pieces if len(piece)])
    if not has_more:
        return
    line("argmax", [np.argmax(piece) for piece in pieces if len(piece)])
    line("any", [np.any(piece) for piece in pieces])
    line("all", [np.all(piece) for piece in pieces])


def show_runs(values: np.ndarray, keys: np.ndarray) -> None:
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    line("keys", keys)
    line("run_keys", keys[starts])
    line("run_sums", np.add.reduceat(values.astype(np.int64), starts))


def main() -> None:
    random = np.random.default_rng(7)
    print("# NumPy", np.__version__)
    for dtype, low, high in (
        ("f32", -99, 100), ("i32", -(10**6), 10**6), ("u8", 0, 256), ("f16", -9, 10), ("i16", -(2**15), 2**15),
        ("i64", -(10**12), 10**12), ("bf16", -9, 10),
    ):
        has_more = dtype in ("f16", "i16", "i64", "bf16")
        for length in (1, 40, 300) if has_more else (1, 7, 40, 300, 1500):
            values = random.integers(low, high, length)
            print("values", dtype, *values)
            cuts = random.integers(0, length + 1, max(2, length // 5))
            show_segments(values, np.sort(np.append(cuts, cuts[: len(cuts) // 3])), has_more)
            show_segments(values, np.array([0, length]), has_more)
            show_segments(values, np.arange(length + 1), has_more)
            show_runs(values, np.repeat(random.integers(0, 4, length), 3)[:length])


if __name__ == "__main__":
    main()
