#!/usr/bin/env python3
"""Line coverage of the library by its unit tests, those of tests/host and those of tests/gpu, as a table by folder.

    rustup component add llvm-tools
    python3 tests/mutants/coverage.py [TARGET_FOLDER, target/coverage] [FILTER_OF_GPU_TESTS]

What it compiles lies in TARGET_FOLDER. The environment says which adapters there are, as for the tests themselves. Files of tests do not
count; what a `mod tests` within a file has of lines does. Fails where a test fails.
"""

import json
import os
import pathlib
import stat
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["--lib", "--test", "host", "--test", "gpu"]
# Files of the planner that have a row of the table together.
TOGETHER = "`plan.rs`, `source.rs`, `limits.rs`, `pair.rs`, `window.rs`"


def tool(name):
    """A program of the compiler's own LLVM, which alone reads what its programs leave."""
    rustc = [line.split(": ")[1] for line in output("rustc", "-vV").splitlines() if line.startswith("host: ")]
    path = pathlib.Path(output("rustc", "--print", "sysroot").strip(), "lib/rustlib", rustc[0], "bin", name)
    if not path.exists():
        sys.exit(f"{path} is missing: rustup component add llvm-tools")
    return str(path)


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT, **options).stdout


def build(target):
    """Programs of tests that count what they run; packages of others do not."""
    target.mkdir(parents=True, exist_ok=True)
    wrapper = target / "counted.sh"
    wrapper.write_text('#!/bin/sh\nexec "$@" -C instrument-coverage\n')
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    environment = dict(os.environ, RUSTC_WORKSPACE_WRAPPER=str(wrapper), CARGO_TARGET_DIR=str(target))
    command = ["cargo", "test", "--package", "wgpu-reduce", *PROGRAMS, "--no-run", "--message-format", "json"]
    lines = map(json.loads, output(*command, env=environment).splitlines())
    return [line["executable"] for line in lines if line.get("executable")]


def run(programs, raw, gpu_filter):
    raw.mkdir(exist_ok=True)
    for old in raw.iterdir():
        old.unlink()
    for program in programs:
        name = pathlib.Path(program).name.split("-")[0]
        environment = dict(os.environ, LLVM_PROFILE_FILE=f"{raw}/{name}-%p-%m.profraw")
        arguments = gpu_filter if name == "gpu" else []
        subprocess.run([program, *arguments], check=True, env=environment, cwd=ROOT)


def folder(path):
    """The row that a file of src/ is in."""
    if path.name in ("run.rs", "calls.rs"):
        return "`run.rs` and `calls.rs` of every folder"
    if len(path.parts) > 1:
        return f"`{path.parts[0]}/`"
    return TOGETHER if f"`{path.name}`" in TOGETHER else "other files of `src/`"


def is_of_tests(path):
    return path.name in ("tests.rs", "checks.rs", "faults.rs") or bool({"tests", "faults"} & set(path.parts))


def table(files):
    """Files as llvm-cov exports them."""
    rows = {}
    for file in files:
        path = pathlib.Path(file["filename"])
        if ROOT / "src" not in path.parents or is_of_tests(path.relative_to(ROOT / "src")):
            continue
        path = path.relative_to(ROOT / "src")
        lines = file["summary"]["lines"]
        row = rows.setdefault(folder(path), [0, 0, []])
        row[0] += lines["count"]
        row[1] += lines["covered"]
        row[2].append((lines["covered"] / max(lines["count"], 1), str(path)))
    print("| files | lines | covered % |\n|---|---:|---:|")
    for name, (count, covered, _) in sorted(rows.items()):
        print(f"| {name} | {count} | {100 * covered / max(count, 1):.0f} |")
    count, covered = (sum(row[place] for row in rows.values()) for place in (0, 1))
    print(f"| all | {count} | {100 * covered / max(count, 1):.1f} |\n")
    least = sorted(entry for row in rows.values() for entry in row[2])[:6]
    print("Least covered: " + ", ".join(f"`{path}` {100 * share:.0f} %" for share, path in least))


def main():
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/coverage").resolve()
    programs = build(target)
    raw, merged = target / "raw", target / "merged.profdata"
    run(programs, raw, sys.argv[2:])
    output(tool("llvm-profdata"), "merge", "-sparse", *map(str, raw.iterdir()), "-o", str(merged))
    objects = [word for program in programs for word in ("-object", program)][1:]
    report = output(tool("llvm-cov"), "export", "-summary-only", f"-instr-profile={merged}", *objects)
    table(json.loads(report)["data"][0]["files"])


if __name__ == "__main__":
    main()
