"""Times of calls beside NumPy's, medians, with their answers compared: `python bench.py`, with the package installed."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import wgpu_reduce as wr


def median(call: Callable[[], Any], times: int) -> float:
    """Return the median time of a call, in microseconds; the first two are not counted."""
    taken = []
    for _ in range(times + 2):
        begun = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken[2:]) * 1e6


def row(what: str, ours: Callable[[], Any], numpys: Callable[[], Any], times: int) -> None:
    """Print the times of two calls that answer alike."""
    np.testing.assert_allclose(ours(), numpys(), rtol=1e-3)
    print(f"| {what} | {median(ours, times):.1f} | {median(numpys, min(times, 5)):.1f} |")


print(f"{wr.adapter()}, NumPy {np.__version__}; float32, µs\n\n| call | ours | NumPy |\n|---|---:|---:|")
for log in (10, 20, 28):
    x = np.random.default_rng(log).random(1 << log, np.float32)
    g, times = wr.to_gpu(x), 301 if log < 28 else 31
    row(f"`sum` of a `GpuArray`, 2^{log}", lambda: wr.sum(g), lambda: np.sum(x), times)
    row(f"`sum`, `exact=True`, 2^{log}", lambda: wr.sum(g, exact=True), lambda: np.sum(x), times)
row("`sum` of an array of NumPy's, 1 GiB", lambda: wr.sum(x), lambda: np.sum(x), 5)
row("`median`, 2^28", lambda: wr.median(g), lambda: np.median(x), 2)
m = x[: 1 << 26].reshape(-1, 1024)
h = wr.to_gpu(m)
row("`mean` of rows, [65536, 1024]", lambda: wr.mean(h, axis=1), lambda: m.mean(axis=1), 51)
