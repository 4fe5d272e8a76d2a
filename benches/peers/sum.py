"""Sums by PyTorch on CUDA, to set beside this crate's.

    python3 sum.py OP DTYPE REPETITIONS IN_FLIGHT LOG2_OF_ELEMENTS...

OP and DTYPE as `wgpu-reduce bench` has them: `torch.sum` of float32, of int32 to int64 (sum) or to int32
(wrapping_sum). Of uint32 it has none; then there are no lines.

Printed as CSV, medians of microseconds: gpu_us by events around one call, call_us on the host's clock,
from the call to the value on the host. Before each length the GPU sums for a while. flight_us is
with IN_FLIGHT runs at a time on their way before the first of them is waited for. Data as in sum.cu; every answer of every
run is compared, integers exactly, f32 to 1e-5 of it.
"""

from __future__ import annotations

import sys
import time

import torch

WARM_UP_RUNS = 2
WARM_UP_SECONDS = 0.4
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


def check(value: float | int, expected: float | int) -> None:
    if not is_right(value, expected):
        sys.exit(f"torch: {value} is not {expected}")


def median(times: list[float]) -> float:
    return sorted(times[WARM_UP_RUNS:])[(len(times) - WARM_UP_RUNS) // 2]


def warm_up(add, in_flight: int) -> None:
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_UP_SECONDS:
        for _ in range(in_flight):
            add()
        torch.cuda.synchronize()


def on_gpu(add, expected: float | int, repetitions: int, in_flight: int) -> float:
    """Microseconds between events around one call."""
    event = lambda: torch.cuda.Event(enable_timing=True)  # noqa: E731
    times: list[float] = []
    while len(times) < WARM_UP_RUNS + repetitions:
        runs = []
        for _ in range(min(in_flight, WARM_UP_RUNS + repetitions - len(times))):
            begin, end = event(), event()
            begin.record()
            total = add()
            end.record()
            runs.append((begin, end, total))
        torch.cuda.synchronize()
        for begin, end, total in runs:
            times.append(begin.elapsed_time(end) * 1e3)
            check(total.item(), expected)
    return median(times)


def as_call(add, expected: float | int, repetitions: int) -> float:
    """Microseconds from the call to the value on the host."""
    times = []
    for _ in range(WARM_UP_RUNS + repetitions):
        torch.cuda.synchronize()
        start = time.perf_counter_ns()
        value = add().item()
        times.append((time.perf_counter_ns() - start) / 1e3)
        check(value, expected)
    return median(times)


def main() -> None:
    op, dtype_name = sys.argv[1], sys.argv[2]
    repetitions, in_flight, *logs = map(int, sys.argv[3:])
    print("op,dtype,elements,gpu_us,flight_us,call_us")
    if (op, dtype_name) not in CASES:
        return
    dtype, result = CASES[op, dtype_name]
    every = make(1 << max(logs), dtype)
    for log in sorted(logs):
        values = every[: 1 << log]

        def add() -> torch.Tensor:
            return torch.sum(values, dtype=result)

        expected = expected_sum(values, result)
        warm_up(add, in_flight)
        flight_us = on_gpu(add, expected, repetitions, in_flight)
        gpu_us = on_gpu(add, expected, repetitions, 1)
        call_us = as_call(add, expected, repetitions)
        times = f"{gpu_us:.3f},{flight_us:.3f},{call_us:.3f}"
        print(f"{op},{dtype_name},{1 << log},{times}", flush=True)


if __name__ == "__main__":
    main()
