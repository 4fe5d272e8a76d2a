#!/usr/bin/env bash
# Every operation beside `sum` of the same elements, on this machine's GPU.
#
#   benches/peers/operations.sh [log2 of the elements, 28] [repetitions, 15] [types, "f32 i32 u32"]
#
# Needs cargo unless WGPU_REDUCE names a built program; ADAPTER names the adapter, by default NVIDIA's, and
# OPERATIONS some of the operations.
# Prints a table in Markdown: GPU time, medians of runs in flight, and the share of `sum`'s speed. `sum` is
# measured before every other operation, and a share is of the `sum` just before, so that a GPU that
# gets slower or faster changes none. Fails if an answer is wrong.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
elements=2^${1:-28}
repetitions=${2:-15}
types=${3:-f32 i32 u32}
if [[ -z ${WGPU_REDUCE:-} ]]; then
    (cd "$here/../.." && cargo build --release --quiet --package wgpu-reduce-cli)
    WGPU_REDUCE="$here/../../target/release/wgpu-reduce"
fi

read -ra operations <<<"${OPERATIONS:-wrapping_sum product sum_of_squares norm_l1 norm_l2 norm_max min max min_max argmin argmax mean \
variance stats all any count_nonzero count_nan bit_and bit_or bit_xor nan_sum nan_mean nan_min nan_max \
nan_argmin nan_argmax}"

# An operation and a type: microseconds, or nothing where there is no such pair.
microseconds() {
    local status=0 csv
    csv=$("$WGPU_REDUCE" bench --csv --adapter "${ADAPTER:-NVIDIA}" --op "${1//_/-}" --dtype "$2" \
        --elements "$elements" --repetitions "$repetitions" 2>/dev/null) || status=$?
    ((status == 2)) && return
    ((status == 0)) || { echo "$1 of $2 failed" >&2; exit 1; }
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "gpu_us") column = i; next }
             { print $column }' <<<"$csv"
}

printf '`benches/peers/operations.sh %s %s "%s"`, %s:\n\n' \
    "${1:-28}" "$repetitions" "$types" "$(date -u +%F)"
for type in $types; do
    printf '| operation | %s µs | `sum` µs | of its speed |\n|---|---:|---:|---:|\n' "$type"
    for operation in "${operations[@]}"; do
        sum=$(microseconds sum "$type")
        time=$(microseconds "$operation" "$type")
        [[ -n $time ]] || continue
        awk -v op="$operation" -v time="$time" -v sum="$sum" \
            'BEGIN { printf "| `%s` | %.1f | %.1f | %.3f |\n", op, time, sum, sum / time }'
    done
    echo
done
