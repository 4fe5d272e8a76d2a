"""Changes the shaders in small ways and sees whether the tests notice.

    cargo test --no-run --test gpu                     # prints where the program lies
    python3 tests/mutants/wgsl.py target/debug/deps/gpu-… [--per-file 3] [--seed 1] [--constants] [FILE.wgsl ...]

A program of tests has the shaders' text in it, byte by byte. So a mutant needs no compiler: a copy of the program is changed in
place, by something of the same length, and run on llvmpipe alone with the tests that its folder is known to matter to. What no
test notices is printed, and is either a test that is missing or a change without effect; docs/mutants.md says which. The program as it
is has to pass first, and the time that takes, four times over and a minute more, is what a mutant is given: one that is not done then
is said to take too long, which is not counted as noticed. Choices depend on seed and file alone.

Mutants: another operator, another comparison, a number that is one more, another of min and max, a barrier less; with --constants, of numbers
that have a name, another last digit.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHADERS = ROOT / "shaders"

CHANGES = [
    (" + ", " - "), (" - ", " + "), (" * ", " + "), (" << ", " >> "), (" >> ", " << "), (" & ", " | "), (" | ", " & "),
    (" ^ ", " | "), (" && ", " || "), (" || ", " && "), (" < ", "<= "), (" > ", ">= "), (" <= ", " <  "), (" >= ", " >  "),
    (" == ", " != "), (" != ", " == "), (" += ", " -= "), (" |= ", " &= "), ("0u", "1u"), ("1u", "2u"), ("min(", "max("),
    ("max(", "min("), ("workgroupBarrier();", " " * len("workgroupBarrier();")), ("true", "1>2 "),
]

# Filters of tests by folder, tried in turn until one fails.
FILTERS = {words[0]: words[1:] for words in map(str.split, (ROOT / "tests/gpu/filters.txt").read_text().splitlines())}


def sites(text: str) -> list[tuple[int, str, str]]:
    """Places in code where a change applies: offset in bytes, what stands there, what will."""
    found = []
    offset = 0
    for line in text.splitlines(keepends=True):
        code = line.split("//")[0]
        if not re.match(r"\s*(@|override|enable|var<|const )", code):
            for old, new in CHANGES:
                # A number or a name ends where it ends.
                pattern = r"(?<![\w.])" + re.escape(old) if old[0].isalnum() else re.escape(old)
                for match in re.finditer(pattern, code):
                    found.append((offset + len(code[: match.start()].encode()), old, new))
        offset += len(line.encode())
    return found


def constants(text: str) -> list[tuple[int, str, str]]:
    """Likewise, the numbers that constants of modules are: one more of the last digit, 0 after 9."""
    found = []
    for line in re.finditer(r"^const [^=\n]*=([^;\n]*)", text, re.MULTILINE):
        for number in re.finditer(r"\b(0x[0-9a-f]+|[0-9]+(?:\.[0-9]+)?)", line[1]):
            last = number[0][-1]
            digits = "0123456789abcdef" if number[0].startswith("0x") else "0123456789"
            new = number[0][:-1] + digits[(digits.index(last) + 1) % len(digits)]
            found.append((len(text[: line.start(1) + number.start()].encode()), number[0], new))
    return found


def run(program: Path, name: str, seconds: float | None) -> bool | None:
    """Whether the tests pass that the filter takes; None if they take too long."""
    environment = {
        **os.environ,
        "VK_DRIVER_FILES": next(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*")).as_posix(),
        "WGPU_BACKEND": "vulkan",
        "XDG_RUNTIME_DIR": os.environ.get("XDG_RUNTIME_DIR", tempfile.gettempdir()),
    }
    ran = subprocess.Popen(
        [program, name], env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    over = threading.Event()
    alarm = threading.Timer(seconds or 3600.0, lambda: (over.set(), ran.kill()))
    alarm.start()
    try:
        for line in ran.stdout:
            if line.startswith("running 0 tests"):
                sys.exit(f"no test is called {name}")
            # One that fails is enough.
            if line.rstrip().endswith("... FAILED"):
                return False
        status = ran.wait()
    finally:
        alarm.cancel()
        ran.kill()
        ran.wait()
    return None if over.is_set() else status == 0


class Limits:
    """How long tests may take, by what they take of the program as it is, which has to pass."""

    def __init__(self, program: Path) -> None:
        self.program = program
        self.known: dict[str, float] = {}

    def of(self, name: str) -> float:
        if name not in self.known:
            begun = time.monotonic()
            if not run(self.program, name, None):
                sys.exit(f"{name} fails of the program as it is")
            self.known[name] = 4 * (time.monotonic() - begun) + 60
        return self.known[name]


def outcome(program: Path, filters: list[str], limits: Limits) -> str:
    """What notices it, if anything does."""
    for name in filters:
        passed = run(program, name, limits.of(name))
        if passed is None:
            return f"{name} takes too long"
        if not passed:
            return f"noticed by {name}"
    return "NOT NOTICED"


def mutate(program: bytes, text: bytes, site: tuple[int, str, str]) -> bytes:
    offset, old, new = site
    assert len(old) == len(new) and text[offset : offset + len(old)] == old.encode()
    changed = text[:offset] + new.encode() + text[offset + len(old) :]
    assert text in program, "the program has another text: build it anew"
    return program.replace(text, changed)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", type=Path)
    arguments.add_argument("files", nargs="*", type=Path)
    arguments.add_argument("--per-file", type=int, default=3)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--constants", action="store_true")
    given = arguments.parse_args()
    program = given.program.read_bytes()
    files = [file.resolve() for file in given.files] or sorted(SHADERS.rglob("*.wgsl"))
    copy = Path(tempfile.mkdtemp()) / "mutant"
    shutil.copy(given.program, copy)
    limits, counts = Limits(given.program), {"noticed": 0, "too long": 0, "NOT": 0}
    for file in files:
        text = file.read_bytes()
        name = file.relative_to(SHADERS).as_posix()
        choice = random.Random(f"{given.seed} {name}")
        all_sites = (constants if given.constants else sites)(text.decode())
        for site in choice.sample(all_sites, min(given.per_file, len(all_sites))):
            copy.write_bytes(mutate(program, text, site))
            told = outcome(copy, FILTERS[name.split("/")[0]], limits)
            line = text[: site[0]].count(b"\n") + 1
            counts[next(word for word in counts if word in told)] += 1
            print(f"{name}:{line}: `{site[1].strip()}` to `{site[2].strip()}`: {told}", flush=True)
    shutil.rmtree(copy.parent)
    print(f"{counts['noticed']} noticed, {counts['too long']} take too long, {counts['NOT']} not noticed")
    sys.exit(counts["NOT"] > 0)


if __name__ == "__main__":
    main()
