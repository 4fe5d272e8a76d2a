"""Changes constants of the library in small ways, which rust.py cannot choose when a test runs, with a compilation for each.

    cargo install cargo-mutants
    python3 tests/mutants/constants.py src/plan/shapes/whole/mod.rs 'src/plan/shapes/whole/**' 'src/exact/**'

Runs the unit tests, and if they notice nothing those of tests/host, in a copy of the tree, target/mutants/tree. A mutant is noticed where a test fails
that passed before, and endless where they take more than five minutes longer. docs/mutants.md says what became of those that are not noticed.
"""

from __future__ import annotations

import collections
import os
import re
import signal
import subprocess
import sys
import time

import rust

COMMAND = ["cargo", "test", "--package", "wgpu-reduce"]
TARGETS = (["--lib"], ["--test", "host"])


def failing(target: list[str], timeout: float | None) -> set[str] | None:
    """Names of tests of a target that fail; none if it does not compile. Raises subprocess.TimeoutExpired."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(rust.COPY.parent / "target")}
    cargo = subprocess.Popen(
        COMMAND + target,
        cwd=rust.COPY,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        told, _ = cargo.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        # The tests' own process, too.
        os.killpg(cargo.pid, signal.SIGKILL)
        cargo.wait()
        raise
    if "test result:" not in told:
        return None
    failed = set(re.findall(r"^test (\S+) .*FAILED$", told, re.MULTILINE))
    # A program that a signal ends does not tell which of its tests it was.
    return failed | ({"one that does not end by itself"} if cargo.returncode != 0 and not failed else set())


def outcome(mutant: dict, before: set[str], seconds: float) -> str:
    path, text = rust.COPY / mutant["file"], (rust.ROOT / mutant["file"]).read_text()
    lines = rust.line_begins(text)
    begin, end = (rust.offset(lines, mutant["span"][side]) for side in ("start", "end"))
    path.write_text(text[:begin] + mutant["replacement"] + text[end:])
    try:
        for target in TARGETS:
            failed = failing(target, seconds + 300)
            if failed is None:
                return "does not compile"
            if failed - before:
                return f"noticed by {min(failed - before)}"
        return "NOT NOTICED"
    except subprocess.TimeoutExpired:
        return "endless"
    finally:
        path.write_text(text)


def main(patterns: list[str]) -> int:
    if not patterns:
        print(__doc__, file=sys.stderr)
        return 2
    mutants = [mutant for mutant in rust.listed(patterns) if not mutant["function"]]
    rust.copy_tree(0)
    before: set[str] = set()
    seconds = 0.0
    for target in TARGETS:
        begun = time.monotonic()
        failed = failing(target, None)
        if failed is None:
            print("the library does not compile as it is", file=sys.stderr)
            return 1
        before |= failed
        seconds = max(seconds, time.monotonic() - begun)
    print(f"{len(mutants)} mutants; {len(before)} tests fail as it is, {', '.join(sorted(before))}", flush=True)
    counts: collections.Counter = collections.Counter()
    for mutant in mutants:
        told = outcome(mutant, before, seconds)
        counts[" ".join(told.split(" ")[:1]) if told[0] == "n" else told] += 1
        print(f"{mutant['name']}: {told}", flush=True)
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return int(counts["NOT NOTICED"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
