#!/usr/bin/env bash
# How long the command line takes from start to result, beside `cat` and the start of the driver.
#
#   benches/peers/command.sh [log2 of the file's bytes, 30] [rounds, 9]
#
# Needs python3, and cargo unless WGPU_REDUCE names a built program. WGPU_BACKEND and WGPU_ADAPTER_NAME choose the adapter. The file's
# bytes are known, and so is their sum, which is checked. It is read once before, so that the page cache holds it. The start of the driver
# is the same command on a file of 4 KiB. Prints a table in Markdown: medians over rounds in milliseconds, what the command takes of both
# others together, and the split that it tells itself.
set -euo pipefail

# shellcheck source=benches/peers/statistics.sh
source "$(dirname "$0")/statistics.sh"

here=$(cd "$(dirname "$0")" && pwd)
log=${1:-30}
rounds=${2:-9}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [[ -z ${WGPU_REDUCE:-} ]]; then
    (cd "$here/../.." && cargo build --release --quiet --package wgpu-reduce-cli)
    WGPU_REDUCE="$here/../../target/release/wgpu-reduce"
fi

python3 - "$folder" "$((1 << log))" "$rounds" "$WGPU_REDUCE" >"$folder/times" <<'EOF'
import json, subprocess, sys, time

folder, size, rounds, program = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
small, large = f"{folder}/small", f"{folder}/large"
# Small u32, whose sums are exact.
piece = b"\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00"
for path, bytes_of_it in [(small, 4096), (large, size)]:
    with open(path, "wb") as file:
        block = piece * (min(bytes_of_it, 1 << 20) // len(piece))
        for _ in range(bytes_of_it // len(block)):
            file.write(block)

def timed(command):
    start = time.perf_counter()
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return (time.perf_counter() - start) * 1e3, out

def summed(path, bytes_of_it):
    ms, out = timed([program, "sum", path, "--dtype", "u32", "--json"])
    report = json.loads(out)
    assert report["value"] == bytes_of_it // 16 * 10, report
    return ms, report

timed(["sh", "-c", f"cat {large} > /dev/null"])
summed(large, size)
for _ in range(rounds):
    print("cat", timed(["sh", "-c", f"cat {large} > /dev/null"])[0])
    print("start", summed(small, 4096)[0])
    ms, report = summed(large, size)
    print("command", ms)
    for key, seconds in report["spent"].items():
        print(key, seconds * 1e3)
print("adapter", report["adapter"], file=sys.stderr)
EOF

printf '%s, 2^%s bytes, medians of %s rounds\n\n' "$(date -u +%F)" "$log" "$rounds"
printf '| what | ms | spread %% |\n|---|---:|---:|\n'
awk "$statistics"'
    { if (!($1 in all)) names[++count] = $1; all[$1] = all[$1] " " $2 }
    END {
        for (i = 1; i <= count; i++) printf "| %s | %.1f | %s |\n", names[i], median(all[names[i]]), spread(all[names[i]])
        printf "\ncommand / (cat + start): %.2f\n", median(all["command"]) / (median(all["cat"]) + median(all["start"]))
    }
' "$folder/times"
