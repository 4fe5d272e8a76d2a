"""Draws docs/sums.svg: sums of f32 beside CUB's and PyTorch's, of the newest run in benches/RESULTS.md.

    python3 -m pip install matplotlib
    python3 benches/peers/plot.py
"""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
# The same bytes for the same figures.
matplotlib.rcParams["svg.hashsalt"] = "sums"
matplotlib.rcParams["svg.fonttype"] = "none"

import matplotlib.pyplot as plt  # noqa: E402

from aims import tables  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SERIES = [
    ("ours in flight µs", "wgpu-reduce", "o-", "#0b6e4f"),
    ("CUB in flight µs", "CUB", "s-", "#b23a48"),
    ("torch in flight µs", "torch.sum", "^--", "#6c757d"),
]


def main() -> None:
    text = (ROOT / "benches" / "RESULTS.md").read_text(encoding="utf-8")
    run = re.search(r"^### (.*)$", text, re.MULTILINE)
    newest = next(table for table in tables(text) if table.label.startswith("`sum` of `f32`"))
    logs = [int(row[0].removeprefix("2^")) for row in newest.rows]
    figure, axes = plt.subplots(figsize=(7.2, 4.0), layout="constrained")
    for column, label, style, colour in SERIES:
        axes.plot(logs, newest.cells(lambda _: True, column), style, color=colour, label=label, markersize=4)
    # 4.8 TB/s is what the memory of an H200 is made for.
    axes.plot(logs, [4 * 2**log / 4.8e6 for log in logs], ":", color="#999999", label="4.8 TB/s")
    axes.set_yscale("log")
    axes.set_ylim(bottom=3)
    axes.set_xticks(logs, [f"$2^{{{log}}}$" for log in logs])
    axes.set_xlabel("f32 elements")
    axes.set_ylabel("GPU time in flight, µs")
    axes.set_title(f"sum, {run.group(1) if run else ''}", fontsize=10)
    axes.grid(visible=True, which="both", linewidth=0.3)
    axes.legend(frameon=False)
    figure.savefig(ROOT / "docs" / "sums.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
