#!/usr/bin/env bash
# How much memory the command line takes for files larger than its `--memory`.
#
#   benches/peers/memory.sh [log2 of the large file's bytes, 32] [log2 of the small one's, 22] [rounds, 3]
#
# Needs python3, and cargo unless WGPU_REDUCE names a built program. ADAPTER is part of the adapter's name, by default llvmpipe, whose
# buffers are memory of the process, so that all that is in flight counts; where there is no such adapter this fails. Prints a table in
# Markdown: the peak of the process's memory for a small file, which passes at once, and for a large one, medians over rounds, how far
# rounds of the large one differ, and the difference of the two. Both files are of zeros, and take no disk.
set -euo pipefail

# shellcheck source=benches/peers/statistics.sh
source "$(dirname "$0")/statistics.sh"

here=$(cd "$(dirname "$0")" && pwd)
large=${1:-32}
small=${2:-22}
rounds=${3:-3}
adapter=${ADAPTER:-llvmpipe}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [[ -z ${WGPU_REDUCE:-} ]]; then
    (cd "$here/../.." && cargo build --release --quiet --package wgpu-reduce-cli)
    WGPU_REDUCE="$here/../../target/release/wgpu-reduce"
fi
truncate -s "$((1 << large))" "$folder/large"
truncate -s "$((1 << small))" "$folder/small"

# The peak of a command's memory in KiB.
peak() {
    python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
' "$@"
}

# The first run finds what is cached empty.
peak "$WGPU_REDUCE" sum "$folder/small" --dtype f32 --adapter "$adapter" >"$folder/first"
for memory in 16 64 256; do
    for ((round = 0; round < rounds; round++)); do
        for file in small large; do
            kib=$(peak "$WGPU_REDUCE" sum "$folder/$file" --dtype f32 --adapter "$adapter" --memory "${memory}Mi")
            echo "$memory,$file,$kib"
        done
    done
done >"$folder/peaks"

printf '%s, %s, medians of %s rounds\n\n' "$(date -u +%F)" "$adapter" "$rounds"
# shellcheck disable=SC2016 # Backquotes of Markdown.
printf '| `--memory`, MiB | 2^%s bytes, MiB | 2^%s bytes, MiB | spread %% | more, MiB |\n' "$small" "$large"
echo '|---:|---:|---:|---:|---:|'
awk -F, "$statistics"'
    { if (!($1 in seen)) { seen[$1] = 1; budgets[++count] = $1 }; all[$1, $2] = all[$1, $2] " " $3 / 1024 }
    END {
        for (i = 1; i <= count; i++) {
            budget = budgets[i]; few = median(all[budget, "small"]); many = median(all[budget, "large"])
            printf "| %s | %.1f | %.1f | %s | %.1f |\n", budget, few, many, spread(all[budget, "large"]), many - few
        }
    }
' "$folder/peaks"
