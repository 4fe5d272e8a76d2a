"""Changes the library's Rust in small ways and sees whether the tests notice, with one compilation for all changes.

    cargo install cargo-mutants
    python3 tests/mutants/rust.py src/plan/shapes/whole/mod.rs 'src/plan/shapes/whole/**' 'src/exact/**'
    python3 tests/mutants/rust.py --names survivors.txt src/plan/shapes/whole/mod.rs       # only those whose line is in the file
    python3 tests/mutants/rust.py --test gpu=llvmpipe src/device/pool.rs         # with tests of tests/gpu that have that in their names

cargo-mutants says which changes there are; to compile the library for each of thousands would take days. So a copy of the tree, in
target/mutants, has all of them at once: each function's body becomes one of several, its own and one for each mutant, and an environment
variable chooses one when a test runs. Those that do not compile are left out, as the compiler names them, until the rest does.

Each test is run alone first, and says which functions it reaches; a mutant is then tried with the tests that reach it, the quickest
first, until one fails or ends by a signal. A test that takes five times as long as before and ten seconds more may be slow for another
reason, so others are asked; after three of them the mutant is endless. What no test notices is printed; docs/mutants.md says what became of it. Functions that no test here reaches are counted apart.

Left out, and counted: constants, which constants.py changes, functions that return `impl Trait`, whose bodies may not be of several types, and
constant functions whose value the compiler needs.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / "target" / "mutants" / "tree"
# Tests that take too long, before a mutant is endless.
ENDLESS = 3
CHOICE = """
#[doc(hidden)]
mod mutants {
    use std::io::Write as _;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};
    static CHOSEN: OnceLock<(u32, Option<String>)> = OnceLock::new();
    static SEEN: [AtomicBool; GROUPS] = [const { AtomicBool::new(false) }; GROUPS];
    pub(crate) fn chosen(group: usize) -> u32 {
        let (chosen, reached) = CHOSEN.get_or_init(|| {
            let number = std::env::var("MUTANT").ok().and_then(|text| text.parse().ok());
            (number.unwrap_or(0), std::env::var("REACHED").ok())
        });
        if let Some(path) = reached {
            if !SEEN[group].swap(true, Ordering::Relaxed) {
                let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
                let _ = writeln!(file.unwrap(), "{group}");
            }
        }
        *chosen
    }
}
"""


@dataclasses.dataclass
class Mutant:
    """A change of text within a function."""

    number: int
    name: str
    begin: int
    end: int
    replacement: str


@dataclasses.dataclass
class Function:
    """One that has mutants: where its body's braces are, as offsets in its file."""

    group: int
    file: str
    name: str
    signature: int
    begin: int
    end: int
    mutants: list[Mutant]


def listed(patterns: list[str]) -> list[dict]:
    command = ["cargo", "mutants", "--list", "--json", "--package", "wgpu-reduce"]
    for pattern in patterns:
        command += ["--file", pattern]
    ran = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(ran.stdout)


def line_begins(text: str) -> list[int]:
    """Offsets of lines in a file, and of what would follow."""
    lines = [0]
    for line in text.split("\n"):
        lines.append(lines[-1] + len(line) + 1)
    return lines


def offset(lines: list[int], place: dict) -> int:
    return lines[place["line"] - 1] + place["column"] - 1


def body(text: str, begin: int, end: int, name: str) -> tuple[int, int] | None:
    """Where the signature and the body of a function begin that lies there, with attributes and comments before it."""
    short = re.search(r"\w+$", name)
    # What begins a line is that of the signature, though the function itself begins behind its indentation.
    line = text.rfind("\n", 0, begin) + 1
    found = re.compile(rf"^[^/\n]*\bfn\s+{short[0]}\b", re.MULTILINE).search(text, line, end) if short else None
    if not found:
        return None
    depth = 0
    for at in range(found.end(), end):
        if text[at] in "([":
            depth += 1
        elif text[at] in ")]":
            depth -= 1
        elif text[at] == "{" and depth == 0:
            return found.start(), at
    return None


def functions(mutants: list[dict]) -> tuple[list[Function], int]:
    """Functions and their mutants, and how many mutants are left out."""
    by_file, found, left_out, number = collections.defaultdict(list), [], 0, 0
    for mutant in mutants:
        by_file[mutant["file"]].append(mutant)
    for file, of_file in by_file.items():
        text = (ROOT / file).read_text()
        lines = line_begins(text)
        of_function: dict[tuple[int, int], Function] = {}
        for mutant in of_file:
            known = mutant["function"]
            if not known or "impl " in known["return_type"]:
                left_out += 1
                continue
            begin, end = (offset(lines, known["span"][side]) for side in ("start", "end"))
            # A function within a function goes with the outer one.
            key = next((key for key in of_function if key[0] <= begin and end <= key[1]), (begin, end))
            if key not in of_function:
                place = body(text, begin, end, known["function_name"])
                if not place:
                    left_out += 1
                    continue
                of_function[key] = Function(0, file, known["function_name"], *place, end, [])
            number += 1
            span = [offset(lines, mutant["span"][side]) for side in ("start", "end")]
            of_function[key].mutants.append(Mutant(number, mutant["name"], *span, mutant["replacement"]))
        found += of_function.values()
    for group, function in enumerate(found):
        function.group = group
    return found, left_out


def write(all_functions: list[Function], dropped: set[int], constant: set[int]) -> dict[str, list[tuple[int, int, int]]]:
    """Writes files with all mutants but those dropped; returns the lines of each, by file."""
    places: dict[str, list[tuple[int, int, int]]] = {}
    by_file = collections.defaultdict(list)
    for function in all_functions:
        by_file[function.file].append(function)
    for file, of_file in by_file.items():
        text, done, out, line = (ROOT / file).read_text(), 0, [], 1
        lines = places.setdefault(file, [])

        def put(piece: str) -> None:
            nonlocal line
            out.append(piece)
            line += piece.count("\n")

        for function in sorted(of_file, key=lambda function: function.begin):
            alive = [mutant for mutant in function.mutants if mutant.number not in dropped]
            if function.group in constant or not alive:
                continue
            put(text[done : function.signature])
            put(re.sub(r"\bconst (?=(?:unsafe )?fn\b)", "", text[function.signature : function.begin]))
            put(f"{{ match crate::mutants::chosen({function.group}) {{\n")
            for mutant in alive:
                changed = text[function.begin : mutant.begin] + mutant.replacement + text[mutant.end : function.end]
                begun = line
                put(f"{mutant.number} => {changed}\n")
                lines.append((begun, line, mutant.number))
            put(f"_ => {text[function.begin : function.end]}\n}} }}")
            done = function.end
        put(text[done:])
        if file == "src/lib.rs":
            sys.exit("src/lib.rs has no functions to change")
        target = COPY / file
        new = "".join(out)
        if target.read_text() != new:
            target.write_text(new)
    return places


def copy_tree(groups: int) -> None:
    shutil.rmtree(COPY, ignore_errors=True)
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    for file in files.stdout.splitlines():
        if (ROOT / file).is_file():
            (COPY / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, COPY / file)
    with (COPY / "src/lib.rs").open("a") as library:
        library.write(CHOICE.replace("GROUPS", str(groups)))
    with (COPY / ".cargo/config.toml").open("a") as config:
        config.write('\n[build]\nrustflags = ["--cap-lints", "allow"]\n')
    # Bodies by the dozen take long to optimise, and here nothing is timed.
    manifest = (COPY / "Cargo.toml").read_text()
    (COPY / "Cargo.toml").write_text(manifest + "\n[profile.dev.package.wgpu-reduce]\ncodegen-units = 64\n")


def cargo(arguments: list[str]) -> list[dict]:
    environment = {**os.environ, "CARGO_TARGET_DIR": str(COPY.parent / "target")}
    ran = subprocess.run(
        ["cargo", *arguments, "--message-format", "json"], cwd=COPY, env=environment, stdout=subprocess.PIPE, text=True
    )
    return [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]


def errors(messages: list[dict]) -> list[dict]:
    of_compiler = [message["message"] for message in messages if message.get("reason") == "compiler-message"]
    return [message for message in of_compiler if message["level"] == "error" and message["spans"]]


def compiles(all_functions: list[Function]) -> tuple[set[int], set[int]]:
    """Writes what compiles; returns mutants that do not, and functions that have to be constant."""
    dropped: set[int] = set()
    constant: set[int] = set()
    while True:
        places = write(all_functions, dropped, constant)
        bad = errors(cargo(["check", "--package", "wgpu-reduce", "--lib"]))
        if not bad:
            return dropped, constant
        before = (len(dropped), len(constant))
        for error in bad:
            code = (error.get("code") or {}).get("code")
            if code == "E0015":
                name = re.search(r"`(?:.*::)?(\w+)`", error["message"])
                constant.update(f.group for f in all_functions if name and f.name.endswith(name[1]))
                continue
            for span in error["spans"]:
                for begin, end, number in places.get(span["file_name"], []):
                    if begin <= span["line_start"] <= end:
                        dropped.add(number)
        if before == (len(dropped), len(constant)):
            sys.exit("\n".join(error["rendered"] for error in bad))
        print(f"{len(dropped)} do not compile so far", flush=True)


@dataclasses.dataclass
class Test:
    program: str
    name: str
    seconds: float = 0.0
    reached: frozenset[int] = frozenset()


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))


def run(test: Test, variables: dict[str, str], seconds: float) -> str:
    environment = {"XDG_RUNTIME_DIR": tempfile.gettempdir(), **os.environ, **variables, "CARGO_MANIFEST_DIR": str(COPY)}
    command = [test.program, "--exact", test.name, "--test-threads", "1"]
    try:
        ran = subprocess.run(
            command, env=environment, cwd=COPY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds,
            preexec_fn=limit_memory,
        )
    except subprocess.TimeoutExpired:
        return "endless"
    return "passed" if ran.returncode == 0 else "failed"


def programs(wanted: list[str]) -> list[tuple[str, str]]:
    """Programs of tests, and what their tests' names must have."""
    found = []
    for given in ["lib", "host", *wanted]:
        name, _, words = given.partition("=")
        target = ["--lib"] if name == "lib" else ["--test", name]
        package = "wgpu-reduce-gpu" if name == "gpu" else "wgpu-reduce"
        messages = cargo(["test", "--no-run", "--package", package, *target])
        made = [message["executable"] for message in messages if message.get("executable")]
        if not made:
            sys.exit("\n".join(error["rendered"] for error in errors(messages)) or f"no program of {name}")
        found.append((made[-1], words))
    return found


def tests(wanted: list[str], jobs: int) -> list[Test]:
    """All tests, what they reach and how long they take. What fails as it is, as what reads the tree does, is left out."""
    found = []
    for program, words in programs(wanted):
        told = subprocess.run([program, "--list"], cwd=COPY, stdout=subprocess.PIPE, text=True, check=True)
        names = [line.removesuffix(": test") for line in told.stdout.splitlines() if line.endswith(": test")]
        found += [Test(program, name) for name in names if words in name]

    def measure(test: Test) -> bool:
        with tempfile.NamedTemporaryFile() as reached:
            begun = time.monotonic()
            passed = run(test, {"REACHED": reached.name}, 600.0) == "passed"
            test.seconds = time.monotonic() - begun
            test.reached = frozenset(int(line) for line in Path(reached.name).read_text().split())
        return passed

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        passed = list(pool.map(measure, found))
    for test, good in zip(found, passed):
        if not good:
            print(f"left out, it fails as it is: {test.name}", flush=True)
    return [test for test, good in zip(found, passed) if good and test.reached]


class Trials:
    """Mutants, tried one by one; what noticed its neighbours is asked first."""

    def __init__(self, all_tests: list[Test]) -> None:
        self.tests = sorted(all_tests, key=lambda test: test.seconds)
        self.noticed: dict[int, collections.Counter] = collections.defaultdict(collections.Counter)
        self.lock = threading.Lock()

    def outcome(self, function: Function, mutant: Mutant) -> str:
        with self.lock:
            before = dict(self.noticed[function.group])
        reaching = [test for test in self.tests if function.group in test.reached]
        if not reaching:
            return "not reached"
        endless = []
        for test in sorted(reaching, key=lambda test: -before.get(test.name, 0)):
            told = run(test, {"MUTANT": str(mutant.number)}, 5 * test.seconds + 10)
            if told == "failed":
                with self.lock:
                    self.noticed[function.group][test.name] += 1
                return f"noticed by {test.name}"
            if told == "endless":
                endless.append(test.name)
            if len(endless) == ENDLESS:
                break
        return f"endless in {', '.join(endless)}" if endless else "NOT NOTICED"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("patterns", nargs="+")
    arguments.add_argument("--names", type=Path, help="only mutants whose name is a line, or within one, of this file")
    arguments.add_argument("--test", action="append", default=[], help="another program of tests: gpu=WORDS")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = arguments.parse_args()
    all_mutants = listed(given.patterns)
    if given.names:
        lines = given.names.read_text().splitlines()
        all_mutants = [mutant for mutant in all_mutants if any(mutant["name"] in line for line in lines)]
    found, left_out = functions(all_mutants)
    print(f"{len(all_mutants)} mutants, {left_out} left out, {len(found)} functions", flush=True)
    copy_tree(len(found))
    dropped, constant = compiles(found)
    all_tests = tests(given.test, given.jobs)
    print(f"{len(dropped)} do not compile; {len(all_tests)} tests", flush=True)
    trials, counts = Trials(all_tests), collections.Counter(left_out=left_out, do_not_compile=len(dropped))
    todo = []
    for function in found:
        alive = [mutant for mutant in function.mutants if mutant.number not in dropped]
        if function.group in constant:
            counts["left_out"] += len(alive)
        else:
            todo += [(function, mutant) for mutant in alive]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        outcomes = pool.map(lambda pair: trials.outcome(*pair), todo)
        for (_, mutant), told in zip(todo, outcomes):
            counts[" ".join(told.split(" ")[:2]) if told[0] in "nN" else "endless"] += 1
            print(f"{mutant.name}: {told}", flush=True)
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    sys.exit(counts["NOT NOTICED"] > 0)


if __name__ == "__main__":
    main()
