"""Order statistics, `logsumexp` and sums over several axes of uniform f32 by PyTorch on CUDA, to set beside `cargo bench --bench order`.

    python3 order.py [LOGS2_OF_ELEMENTS, 20,26,28] [REPETITIONS, 9]

Printed as CSV: the statistic, elements, and the median of microseconds between events around a call. Rows have 1024 elements. PyTorch's
median is the lower of two. Answers are checked by counting, or against PyTorch's in float64.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import torch

from axis import gpu_us
from sum import make


def stands_at(values: torch.Tensor, found: torch.Tensor, rank: int) -> bool:
    """Whether each is the element of a rank, from 0, of its row."""
    rows, found = values.reshape(found.numel(), -1), found.reshape(-1, 1)
    below, up_to = (rows < found).sum(1), (rows <= found).sum(1)
    return bool(((below <= rank) & (up_to > rank)).all())


def measure(name: str, run: Callable[[], torch.Tensor], is_right: Callable[[torch.Tensor], bool], repetitions: int, elements: int) -> None:
    us, found = gpu_us(run, repetitions)
    if not is_right(found):
        sys.exit(f"{name} of {elements}: {found}")
    print(f"{name},{elements},{us[len(us) // 2]:.2f}", flush=True)


def is_near(found: torch.Tensor, expected: torch.Tensor) -> bool:
    return bool(((found.double() - expected).abs() <= 1e-5 * expected.abs()).all())


def measure_all(values: torch.Tensor, repetitions: int) -> None:
    n = values.numel()
    tenth, columns = n // 10, min(n, 1024)
    rows = values.view(-1, columns)

    def line(name: str, run: Callable[[], torch.Tensor], is_right: Callable[[torch.Tensor], bool]) -> None:
        measure(name, run, is_right, repetitions, n)

    line("median", values.median, lambda found: stands_at(values, found, (n - 1) // 2))
    line("nth", lambda: values.kthvalue(tenth + 1).values, lambda found: stands_at(values, found, tenth))
    line("top 1000", lambda: values.topk(1000).values, lambda found: stands_at(values, found[-1], n - 1000))
    line("median of rows", lambda: rows.median(1).values, lambda found: stands_at(rows, found, (columns - 1) // 2))
    line("top 10 of rows", lambda: rows.topk(10, 1).values, lambda found: stands_at(rows, found[:, -1], columns - 10))
    line("logsumexp", lambda: values.logsumexp(0), lambda found: is_near(found, values.double().logsumexp(0)))
    if n == 1 << 26:
        cube = values.view(256, 256, 1024)
        for axes in [(0, 2), (1,)]:
            line(f"sum over {axes}", lambda: cube.sum(axes), lambda found: is_near(found, cube.double().sum(axes)))


def main() -> None:
    arguments = [*sys.argv[1:], *["20,26,28", "9"][len(sys.argv) - 1 :]]
    print(f"# {torch.cuda.get_device_name()}, torch {torch.__version__}")
    print("statistic,elements,gpu_us")
    for log in map(int, arguments[0].split(",")):
        measure_all(make(1 << log, torch.float32), int(arguments[1]))


if __name__ == "__main__":
    main()
