"""Reductions of f32 along an axis by PyTorch on CUDA, to set beside this crate's.

    python3 axis.py OPERATION,... REPETITIONS ROWSxCOLUMNS:AXIS...

An operation is sum, var (divided by the number of elements) or argmax. Printed as CSV: medians of microseconds between
events around a call, and what lies between their quartiles, in percent. Eight runs that do not count come first, and all
runs follow each other without a pause. Before each shape the GPU works for a while. Data as in axis.cu. The answers of the last run are
compared with PyTorch's in float64: sums to 1e-5, variances to 1e-5 and 1e-6, places by the value that is there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import torch

from sum import make, warm_up

IN_FLIGHT = 8


def var(values: torch.Tensor, axis: int) -> torch.Tensor:
    return torch.var(values, axis, correction=0)


OPERATIONS: dict[str, Callable[[torch.Tensor, int], torch.Tensor]] = {"sum": torch.sum, "var": var, "argmax": torch.argmax}


def is_right(operation: str, values: torch.Tensor, axis: int, found: torch.Tensor) -> bool:
    if operation == "argmax":
        return torch.equal(values.gather(axis, found.unsqueeze(axis)).squeeze(axis), values.amax(axis))
    expected = OPERATIONS[operation](values.double(), axis)
    bound = 1e-5 * expected + (1e-6 if operation == "var" else 0)
    return bool(((found - expected).abs() <= bound).all())


def gpu_us(run: Callable[[], torch.Tensor], repetitions: int) -> tuple[list[float], torch.Tensor]:
    """Microseconds of each run, the least first, and the last run's answer."""
    warm_up(run, IN_FLIGHT)
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(IN_FLIGHT + repetitions)]
    for begin, end in events:
        begin.record()
        found = run()
        end.record()
    torch.cuda.synchronize()
    return sorted(begin.elapsed_time(end) * 1e3 for begin, end in events[IN_FLIGHT:]), found


def shape_of(text: str) -> tuple[int, int, int]:
    parts = re.fullmatch(r"(\d+)x(\d+):([01])", text)
    if not parts:
        sys.exit(f"{text} is no ROWSxCOLUMNS:AXIS")
    return tuple(map(int, parts.groups()))


def main() -> None:
    operations, repetitions, shapes = sys.argv[1].split(","), int(sys.argv[2]), [shape_of(text) for text in sys.argv[3:]]
    every = make(max(rows * columns for rows, columns, _ in shapes), torch.float32)
    print("operation,rows,columns,axis,gpu_us,spread")
    for operation in operations:
        for rows, columns, axis in shapes:
            values = every[: rows * columns].view(rows, columns)
            times, found = gpu_us(lambda: OPERATIONS[operation](values, axis), repetitions)
            if not is_right(operation, values, axis, found):
                sys.exit(f"torch: {operation} of {rows}x{columns}:{axis} is wrong")
            middle = times[len(times) // 2]
            spread = 100 * (times[len(times) * 3 // 4] - times[len(times) // 4]) / middle
            print(f"{operation},{rows},{columns},{axis},{middle:.2f},{spread:.1f}", flush=True)


if __name__ == "__main__":
    main()
