"""Sums by PyTorch on CUDA, to set beside this crate's.

    python3 sum.py OP DTYPE REPETITIONS LOG2_OF_ELEMENTS...

OP and DTYPE as `wgpu-reduce bench` has them: `torch.sum` of float32, of int32 to int64 (sum) or to int32
(wrapping_sum). Of uint32 it has none; then there are no lines.

Printed as CSV, medians of microseconds: gpu_us by events around one call, call_us on the host's clock,
from the call to the value on the host. Data as in sum.cu; every answer of every run is compared, integers
exactly, f32 to 1e-5 of it.
"""

from __future__ import annotations

import sys
import time

import torch

WARM_UP_RUNS = 2
CHUNK = 1 << 24
CASES = {
    ("sum", "f32"): (torch.float32, None),
    ("sum", "i32"): (torch.int32, None),
    ("wrapping_sum", "i32"): (torch.int32, torch.int32),
}


def elements(start: int, end: int, dtype: torch.dtype) -> torch.Tensor:
    hashes = torch.arange(start, end, dtype=torch.int64, device="cuda") * 2654435761 & 0xFFFFFFFF
    if dtype == torch.float32:
        return (hashes >> 8).to(dtype) / 16777216.0
    return ((hashes ^ 0x80000000) - 0x80000000).to(dtype)


def make(count: int, dtype: torch.dtype) -> torch.Tensor:
    values = torch.empty(count, dtype=dtype, device="cuda")
    for start in range(0, count, CHUNK):
        end = min(count, start + CHUNK)
        values[start:end] = elements(start, end, dtype)
    return values


def expected_sum(values: torch.Tensor, result: torch.dtype | None) -> float | int:
    wide = torch.float64 if values.dtype == torch.float32 else torch.int64
    total = sum(chunk.to(wide).sum().item() for chunk in values.split(CHUNK))
    return (total + 2**31) % 2**32 - 2**31 if result == torch.int32 else total


def is_right(value: float | int, expected: float | int) -> bool:
    if isinstance(expected, float):
        return abs(value - expected) <= 1e-5 * expected
    return value == expected


def measure(run, expected, repetitions: int) -> float:
    """The median of what `run` gives, a time and a value."""
    times = []
    for _ in range(WARM_UP_RUNS + repetitions):
        torch.cuda.synchronize()
        microseconds, value = run()
        if not is_right(value, expected):
            sys.exit(f"torch: {value} is not {expected}")
        times.append(microseconds)
    return sorted(times[WARM_UP_RUNS:])[repetitions // 2]


def main() -> None:
    op, dtype_name, repetitions = sys.argv[1], sys.argv[2], int(sys.argv[3])
    logs = sorted(map(int, sys.argv[4:]))
    print("op,dtype,elements,gpu_us,call_us")
    if (op, dtype_name) not in CASES:
        return
    dtype, result = CASES[op, dtype_name]
    every = make(1 << logs[-1], dtype)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    for log in logs:
        values = every[: 1 << log]

        def on_gpu():
            begin.record()
            total = torch.sum(values, dtype=result)
            end.record()
            end.synchronize()
            return begin.elapsed_time(end) * 1e3, total.item()

        def as_call():
            start = time.perf_counter_ns()
            value = torch.sum(values, dtype=result).item()
            return (time.perf_counter_ns() - start) / 1e3, value

        expected = expected_sum(values, result)
        gpu_us, call_us = (measure(run, expected, repetitions) for run in (on_gpu, as_call))
        print(f"{op},{dtype_name},{1 << log},{gpu_us:.3f},{call_us:.3f}", flush=True)


if __name__ == "__main__":
    main()
