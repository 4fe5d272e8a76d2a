"""Every speed aim of this project beside what was measured, from tables as results.sh leaves them.

    python3 benches/peers/aims.py results.md ladder.md    # prints the table of what these files have
    python3 benches/peers/aims.py                         # writes it into benches/RESULTS.md, of the tables there and in docs/ladder.md
    python3 benches/peers/aims.py --check                 # fails if that would change RESULTS.md

Beside them stands what other GPUs had, of the sections of benches/OTHER_GPUS.md, and an aim is met only where all that have measured it reach
it. Of several tables of the same the first counts. It fails where RESULTS.md has an aim without a figure.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benches" / "RESULTS.md"
OTHERS = ROOT / "benches" / "OTHER_GPUS.md"
LADDER = ROOT / "docs" / "ladder.md"
HEADS = "| what | aim | measured | on other GPUs | |\n|---|---:|---:|---|---|"
NOT_MEASURED = "-"
# Of more figures that miss an aim none is named: the tables show them.
MOST_NAMED = 5


@dataclass
class Table:
    """A table in Markdown, and the last line of text before it."""

    label: str
    names: list[str]
    rows: list[list[str]] = field(default_factory=list)

    def cells(self, row: Callable[[list[str]], bool], column: str) -> list[float]:
        """The numbers in a column, the first of this name, of some rows."""
        return self.numbers(row, self.names.index(column))

    def numbers(self, row: Callable[[list[str]], bool], place: int) -> list[float]:
        return [float(cells[place]) for cells in self.rows if row(cells) and re.fullmatch(r"[\d.]+", cells[place])]


def tables(text: str) -> list[Table]:
    found: list[Table] = []
    label, current = "", None
    for line in text.splitlines():
        if not line.startswith("|"):
            current = None
            label = line if line.strip() else label
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        if current is None:
            current = Table(label, cells)
            found.append(current)
        elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            current.rows.append(cells)
    return found


class Run:
    """What was measured: the tables of some files."""

    def __init__(self, texts: Iterable[str]):
        self.tables = [table for text in texts for table in tables(text)]

    def of(self, label: str, *names: str) -> list[Table]:
        """Tables below a line with this text that have these columns."""
        return [table for table in self.tables if label in table.label and set(names) <= set(table.names)]

    def cells(self, label: str, column: str, *first: str, names: tuple[str, ...] = ()) -> list[float]:
        """Of the first such table the numbers in a column, of the rows that begin with these cells."""
        found = self.of(label, column, *names)
        return found[0].cells(lambda cells: tuple(cells[: len(first)]) == first, column) if found else []

    def sums(self, case: str, column: str, logs: Iterable[int]) -> list[float]:
        """Of the table of sums beside CUB's: that of the case, or of several, where the first column of each begins with its name."""
        own = self.of(case, "CUB in flight µs")
        table = own[0] if own else next((table for table in self.tables if f"{case}: ours in flight µs" in table.names), None)
        if not table:
            return []
        first = 0 if own else table.names.index(f"{case}: ours in flight µs")
        place = first if column.startswith("ours in flight") and not own else table.names.index(column, first)
        return [cell for log in logs for cell in table.numbers(lambda cells, log=log: cells[0] == f"2^{log}", place)]


Figures = Callable[[Run], list[float]]


@dataclass
class Aim:
    what: str
    aim: float
    measured: Figures
    digits: int = 1
    unit: str = " µs"
    is_least: bool = False
    # Whether those that miss it are named, with the names of these.
    parts: Callable[[Run], list[str]] | None = None

    def row(self, run: Run, others: dict[str, Run]) -> str:
        figures = self.measured(run)
        elsewhere = {name: found for name, other in others.items() if (found := self.measured(other))}
        aim = f"{'≥' if self.is_least else '≤'} {self.aim:g}{self.unit}"
        beside = "; ".join(f"{name}: {self.shown(found)}" for name, found in elsewhere.items())
        cells = [self.what, aim, self.shown(figures), beside, self.verdict(run, figures, elsewhere)]
        return f"| {' | '.join(cells)} |"

    def shown(self, figures: list[float]) -> str:
        if not figures:
            return NOT_MEASURED
        ends = [f"{figure:.{self.digits}f}" for figure in (min(figures), max(figures))]
        return " to ".join(dict.fromkeys(ends))

    def misses(self, figures: list[float]) -> list[int]:
        return [place for place, figure in enumerate(figures) if (figure < self.aim if self.is_least else figure > self.aim)]

    def verdict(self, run: Run, figures: list[float], elsewhere: dict[str, list[float]]) -> str:
        here, there = self.misses(figures), [name for name, found in elsewhere.items() if self.misses(found)]
        if not figures:
            return NOT_MEASURED
        if not here and not there:
            return "met"
        said = "**missed**"
        if here and len(figures) > 1:
            named = [self.parts(run)[place] for place in here] if self.parts and len(here) <= MOST_NAMED else []
            said += f" by {len(here)} of {len(figures)}{': ' if named else ''}{', '.join(named)}"
        return said + (f"{', and' if here else ''} on {', '.join(there)}" if there else "")


def at_least(what: str, aim: float, measured: Figures, **more) -> Aim:
    """A ratio: how many times as fast."""
    return Aim(what, aim, measured, **{"digits": 3, "unit": "", "is_least": True} | more)


def sum_ratio(what: str, aim: float, cases: tuple[str, ...], *logs: int) -> Aim:
    """CUB's time divided by ours, both in flight, since CUB's alone contains its launch."""

    def ratios(run: Run) -> list[float]:
        return [cell for case in cases for cell in run.sums(case, "CUB ÷ ours", logs)]

    def names(_: Run) -> list[str]:
        types = [re.sub(r".* of `(.*)`", r"\1", case) for case in cases]
        return [f"2^{log}" if len(cases) == 1 else f"{name} 2^{log}" for name in types for log in logs]

    return at_least(what, aim, ratios, parts=names)


def call_less_gpu(run: Run) -> list[float]:
    """Of calls that take turns with CUB's, and runs in flight."""
    call, flight = (run.sums(F32, f"ours {column} µs", [28]) for column in ("call", "in flight"))
    return [one - other for one, other in zip(call, flight)]


def defaults(run: Run) -> list[float]:
    return [round(100 * (ratio - 1), 1) for table in run.of("", "default µs", "ratio") for ratio in table.cells(lambda _: True, "ratio")]


def shares(run: Run) -> list[float]:
    """Of a table for each type, or of one for all with several such columns."""
    found = [(table, place) for table in run.of("", "operation", "share") for place, name in enumerate(table.names) if name == "share"]
    return [share for table, place in found for share in table.numbers(lambda _: True, place)]


def share_names(run: Run) -> list[str]:
    return [f"{row[2]} of {row[0]}" for table in run.of("", "operation", "share") for row in table.rows if row[-1]]


def exact(column: str, row: str) -> Figures:
    return lambda run: run.cells("exact/gpu", column, row)


def exact_shares(*columns: str) -> Figures:
    def figures(run: Run) -> list[float]:
        pairs = [(run.cells("exact/gpu", column, "2^28 sum"), run.cells("exact/gpu", column, "2^28")) for column in columns]
        return [ordinary[0] / ours[0] for ordinary, ours in pairs if ordinary and ours]

    return figures


def axis(what: str, aim: float, *first: str) -> Aim:
    """Of these rows and columns, along this axis."""
    return Aim(what, aim, lambda run: run.cells("", "ours GPU µs", *first, names=("axis",)))


def slowest_shape(run: Run) -> list[float]:
    rates = [rate for table in run.of("", "axis", "ours GB/s") for rate in table.cells(lambda _: True, "ours GB/s")]
    return [min(rates) / max(rates)] if rates else []


def time_of(kind: str, label: str, *first: str) -> Figures:
    """Of a table whose first column is called `kind`, below a line with this text."""
    return lambda run: run.cells(label, "ours GPU µs", *first, names=(kind,))


def counted_length(run: Run) -> list[float]:
    """How much longer than a plain sum."""
    plain, counted = (run.cells("", "ours GPU µs", row, names=("segments",)) for row in ("sum", "sum of a counted length"))
    return [one - other for one, other in zip(counted, plain)]


def results(*rows: str) -> Figures:
    return lambda run: [rate for row in rows for rate in run.cells("", "GB/s", row, names=("stay ms",))]


def command(run: Run) -> list[float]:
    """The command line beside `cat` and the start of the driver together."""
    both = zip(*(run.cells("", column, names=("command", "cat", "start")) for column in ("command", "cat", "start")))
    return [ours / (cat + start) for ours, cat, start in both]


def histogram(log: int, data: str) -> Figures:
    return time_of("data", f"histogram.sh {log} ", data)


def histogram_share(run: Run) -> list[float]:
    of_data = [histogram(28, f"u8 {data}")(run) for data in ("constant", "uniform")]
    return [of_data[0][0] / of_data[1][0]] if all(of_data) else []


def ladder(number: int) -> tuple[Figures, Callable[[Run], list[str]]]:
    """The ratios of a column beside CUDA's, counted over all tables of the ladder, and what its rows are called."""

    def column(run: Run) -> tuple[Table, int] | None:
        columns = [(table, place) for table in run.of("", "level", "form") for place, name in enumerate(table.names) if name.startswith("WGSL / CUDA")]
        return columns[number] if number < len(columns) else None

    def ratios(run: Run) -> list[float]:
        found = column(run)
        return found[0].numbers(lambda _: True, found[1]) if found else []

    def names(run: Run) -> list[str]:
        found = column(run)
        rows = found[0].rows if found else []
        return [f"{row[0][:2]}{'' if row[1] == 'plain' else ' ' + row[1]} {row[found[1]]}" for row in rows]

    return ratios, names


def ladder_aim(what: str, number: int) -> Aim:
    measured, parts = ladder(number)
    return at_least(what, 0.97, measured, parts=parts)


F32 = "`sum` of `f32`"
SHORT, MIDDLE, ALL = (10, 12, 14), (16, 18, 20, 22), (10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 29)
AIMS = [
    sum_ratio("[`sum` of f32](#sums-beside-cubs) in flight, 2^10 to 2^14: CUB ÷ ours", 1.0, (F32,), *SHORT),
    sum_ratio("2^16 to 2^22", 1.25, (F32,), *MIDDLE),
    *(sum_ratio(f"2^{log}", aim, (F32,), log) for log, aim in ((24, 1.1), (26, 1.03), (28, 1.01), (29, 1.01))),
    sum_ratio("`sum` of i32 and u32, 2^10 to 2^29", 1.0, ("`sum` of `i32`", "`sum` of `u32`"), *ALL),
    sum_ratio("`wrapping_sum` of both, 2^10 to 2^26", 1.0, ("`wrapping_sum` of `i32`", "`wrapping_sum` of `u32`"), *ALL[:-2]),
    sum_ratio("`wrapping_sum` of both, 2^28 and 2^29", 1.0, ("`wrapping_sum` of `i32`", "`wrapping_sum` of `u32`"), 28, 29),
    Aim("[call](#calls) of `sum` by itself, f32, 2^20", 30, lambda run: run.cells("", "call µs", "2^20", names=("call − GPU µs",))),
    Aim("the same in turns with CUB's", 30, lambda run: run.sums(F32, "ours call µs", [20])),
    Aim("call by itself less GPU time, 2^28", 12, lambda run: run.cells("", "call − GPU µs", "2^28")),
    Aim("the same in turns with CUB's", 12, call_less_gpu),
    Aim("prepared request at 2^10, in turns with plain wgpu, H100", 30, lambda run: run.cells("", "prepared µs")),
    Aim("`sum` at 2^10 there", 33, lambda run: run.cells("", "`sum` µs", names=("prepared µs",))),
    at_least("[results](#many-results) of f32 on their way, H100", 20, results("download of f32", "rows; sum", "segments; sum"), digits=1, unit=" GB/s"),
    at_least("results that the host finishes", 10, results("rows; argmax"), digits=1, unit=" GB/s"),
    at_least(
        "1000 sums of 2^10 together, times as fast as one by one",
        10,
        lambda run: run.cells("", "times as fast", "`batch`", names=("way",)),
        digits=1,
    ),
    Aim("[defaults](#default-tunings), slower than the best tuning found", 3, defaults, unit=" %"),
    at_least("[operations](#operations-beside-sum) of words, 2^28, share of `sum`'s speed", 0.97, shares, parts=share_names),
    Aim("`argmax`, f32, 2^28", 248, lambda run: run.sums("`argmax` of `f32`", "ours in flight µs", [28])),
    Aim("`sum` of u8, 2^30", 253, lambda run: run.sums("`sum` of `u8`", "ours in flight µs", [30])),
    at_least("[`sum_exact`](#exact-sums), 2^28, share of `sum`'s speed: uniform, normal", 0.9, exact_shares("uniform", "normal")),
    at_least("spread over 2^±20, bit patterns", 0.55, exact_shares("spread", "bits")),
    Aim(
        "2^20, uniform and normal, in flight",
        8,
        lambda run: [us for column in ("uniform", "normal") for us in exact(column, "2^20")(run)],
        digits=2,
    ),
    axis("[rows](#along-an-axis) of 4096 × 16384", 66, "4096", "16384", "1"),
    axis("of 65536 × 1024", 66, "65536", "1024", "1"),
    axis("of 2^20 × 64", 75, "1048576", "64", "1"),
    axis("of 64 × 2^20", 72, "64", "1048576", "1"),
    axis("of 1 × 2^26", 72, "1", "67108864", "1"),
    axis("of 2^26 × 1", 150, "67108864", "1", "1"),
    axis("columns of 16384 × 4096", 70, "16384", "4096", "0"),
    at_least("slowest shape of 2^26, share of the fastest one's speed", 0.6, slowest_shape, digits=2),
    Aim("[segments](#segments-and-runs-of-equal-keys), ragged", 113, time_of("segments", "", "ragged")),
    Aim("1024 of 2^16", 66, time_of("segments", "", "of 2^16")),
    Aim("one", 75, time_of("segments", "", "one")),
    Aim("runs of equal keys, about 16 long", 205, time_of("segments", "", "by key")),
    Aim("`sum` of a length on the GPU, more than a plain one", 5, counted_length),
    Aim("[histogram](#histograms) of u8, 2^28", 119, histogram(28, "u8 uniform")),
    Aim("constant beside uniform data", 1.5, histogram_share, digits=2, unit=""),
    Aim("u8, 2^24", 17, histogram(24, "u8 uniform")),
    Aim("f32, 2^28", 275, histogram(28, "f32 uniform")),
    Aim("f32, 2^24", 30, histogram(24, "f32 uniform")),
    Aim("u32, 2^28", 351, histogram(28, "u32 uniform")),
    at_least("[stream](#files-larger-than-memory) from memory", 37.3, lambda run: run.cells("", "2^27", "H200, ced77a7"), digits=1, unit=" GiB/s"),
    Aim("command line on a warm file of 1 GiB, beside `cat` and the start together, H100", 1.3, command, digits=2, unit=""),
    ladder_aim("[ladder](../docs/ladder.md#beside-cuda), 2^28, each level's share of the speed of the same in CUDA", 0),
    ladder_aim("a row for each workgroup of 256, 2^28", 1),
    ladder_aim("a row for each workgroup of 128, 2^29", 2),
]


def other_gpus() -> dict[str, Run]:
    """By what they are called in a word."""
    sections = re.split(r"^# (.*NVIDIA.*)$", OTHERS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    names = [re.sub(r".*NVIDIA H200s? of |.*NVIDIA ", "", heading) for heading in sections[::2]]
    return dict(zip(names, (Run([text]) for text in sections[1::2])))


def printed(run: Run, others: dict[str, Run]) -> str:
    return "\n".join([HEADS, *(aim.row(run, others) for aim in AIMS)])


def main(arguments: list[str]) -> int:
    if arguments and arguments != ["--check"]:
        print(printed(Run(Path(name).read_text(encoding="utf-8") for name in arguments), {}))
        return 0
    text = RESULTS.read_text(encoding="utf-8")
    old = re.search(r"(?<=\n\n)\| what \| aim .*?(?=\n\n)", text, re.DOTALL)
    if not old:
        print(f"{RESULTS}: there is no table of aims", file=sys.stderr)
        return 1
    run = Run([text, LADDER.read_text(encoding="utf-8")])
    unmeasured = [aim.what for aim in AIMS if not aim.measured(run)]
    if unmeasured:
        print(f"{RESULTS}: no table has {'; '.join(unmeasured)}", file=sys.stderr)
        return 1
    new = printed(run, other_gpus())
    if not arguments:
        RESULTS.write_text(text.replace(old[0], new), encoding="utf-8")
    elif new != old[0]:
        print(f"{RESULTS}: the table of aims is not of the tables below it; python3 benches/peers/aims.py writes it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
