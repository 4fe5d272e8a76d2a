"""A table of what Criterion has measured, in Markdown.

    python3 criterion.py FOLDER

FOLDER is what Criterion writes to, `target/criterion` or what CRITERION_HOME names. A table for each group: a row for each
parameter, a column for each function, medians; where functions are called `A of B`, a row for A and a column for B. The spread
is what lies between the quartiles of the samples, in percent of their median, the largest of the row. Where a
group has one column, GiB/s stand behind it.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path


def measured(folder: Path):
    """What a benchmark is called, and its samples in nanoseconds."""
    for file in sorted(folder.glob("**/new/benchmark.json"), key=lambda file: file.stat().st_mtime_ns):
        benchmark = json.loads(file.read_text(encoding="utf-8"))
        sample = json.loads((file.parent / "sample.json").read_text(encoding="utf-8"))
        times = [time / count for time, count in zip(sample["times"], sample["iters"])]
        yield benchmark, times


def spread(times: list[float]) -> float:
    if len(times) < 2:
        return 0.0
    lower, _, upper = statistics.quantiles(times, n=4, method="inclusive")
    return 100 * (upper - lower) / statistics.median(times)


def place(benchmark: dict) -> tuple[str, str, str]:
    """Its group, row and column."""
    function, parameter = benchmark["function_id"] or "", benchmark["value_str"] or ""
    what, _, kind = function.rpartition(" of ")
    if not parameter:
        return benchmark["group_id"], function, ""
    return benchmark["group_id"], f"{parameter} {what}".strip(), kind


def table(group: str, cells: dict[tuple[str, str], tuple[dict, list[float]]]) -> None:
    rows, columns = (list(dict.fromkeys(key[side] for key in cells)) for side in (0, 1))
    columns.sort(key=lambda name: not name)
    if len(columns) > 1 and "" in columns:
        columns.remove("")
    unit, scale = ("ms", 1e6) if max(statistics.median(times) for _, times in cells.values()) >= 1e7 else ("µs", 1e3)
    has_rate = len(columns) == 1
    heads = [name or unit for name in columns] + ["spread %"] + ["GiB/s"] * has_rate
    print(f"`{group}`, medians in {unit}:\n")
    print(f"| | {' | '.join(heads)} |")
    print("|---|" + "---:|" * len(heads))
    for row in rows:
        # A benchmark without a parameter stands alone in its row.
        found = [cells.get((row, column)) or (cells.get((row, "")) if has_rate else None) for column in columns]
        shown = [f"{statistics.median(times) / scale:.2f}" if times else "" for _, times in (one or ({}, []) for one in found)]
        differ = max((spread(one[1]) for one in found if one), default=0.0)
        shown.append(f"{differ:.1f}")
        if has_rate and found[0]:
            size = (found[0][0].get("throughput") or {}).get("Bytes", 0)
            shown.append(f"{size / 2**30 / (statistics.median(found[0][1]) / 1e9):.1f}")
        print(f"| {row} | {' | '.join(shown)} |")
    print()


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: criterion.py FOLDER", file=sys.stderr)
        return 2
    groups: dict[str, dict] = {}
    for benchmark, times in measured(Path(sys.argv[1])):
        group, row, column = place(benchmark)
        groups.setdefault(group, {})[row, column] = (benchmark, times)
    if not groups:
        print(f"{sys.argv[1]}: nothing of Criterion in it", file=sys.stderr)
        return 1
    for group, cells in groups.items():
        table(group, cells)
    return 0


if __name__ == "__main__":
    sys.exit(main())
