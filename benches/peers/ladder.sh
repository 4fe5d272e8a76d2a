#!/usr/bin/env bash
# The ladder in WGSL beside the same levels in CUDA C++, on this machine's NVIDIA GPU.
#
#   benches/peers/ladder.sh [log2 of the elements, 28] [f32|i32] [repetitions, 21] [rounds, 3]
#
# Needs nvcc (cuda.sh) unless CUDA_LADDER names a built ladder.cu, and cargo unless WGPU_REDUCE names a
# built program. NVCC_FLAGS are more options of nvcc, as -DTEST_EACH_LOAD.
# WORKGROUP_SIZE is for both sides, by default 256. Prints two tables in Markdown: the sum of all
# elements, and write-up A's batched sum, where every workgroup has a row of its own; SHAPES="whole" or
# SHAPES="rows" for one of them. In every round each side runs once, one after the other; medians over
# rounds of medians of GPU time, how far rounds differ (the most less the least, in percent of the median), and WGSL's
# GB/s divided by CUDA's. Fails if an answer is wrong.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
log_elements=${1:-28}
dtype=${2:-f32}
repetitions=${3:-21}
rounds=${4:-3}
size=${WORKGROUP_SIZE:-256}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck source=benches/peers/statistics.sh
source "$here/statistics.sh"
# shellcheck source=benches/peers/cuda.sh
source "$here/cuda.sh"

if [[ -z ${CUDA_LADDER:-} ]]; then
    CUDA_LADDER=$folder/ladder
    # shellcheck disable=SC2086 # several options
    compile "$CUDA_LADDER" ladder -DBLOCK_SIZE="$size" ${NVCC_FLAGS:-}
fi
if [[ -z ${WGPU_REDUCE:-} ]]; then
    (cd "$here/../.." && cargo build --release --quiet --package wgpu-reduce-cli)
    WGPU_REDUCE="$here/../../target/release/wgpu-reduce"
fi

print_setting "$CUDA_LADDER"
printf '2^%s %s, workgroups of %s, medians of %s rounds of %s runs\n' "$log_elements" "$dtype" "$size" "$rounds" "$repetitions"

# Runs both sides on elements of this shape, and prints their table.
compare() {
    local rows=1
    if [[ $1 == rows ]]; then
        rows=workgroups
        printf '\nA row for each workgroup:\n'
    fi
    : >"$folder/wgsl.csv"
    : >"$folder/cuda.csv"
    for ((round = 0; round < rounds; round++)); do
        "$WGPU_REDUCE" ladder --forms --csv --adapter NVIDIA --elements "2^$log_elements" \
            --rows "$rows" --dtype "$dtype" --workgroup-size "$size" --repetitions "$repetitions" \
            >>"$folder/wgsl.csv"
        "$CUDA_LADDER" "$log_elements" "$dtype" "$repetitions" "$1" >>"$folder/cuda.csv"
    done
    awk -F, "$statistics$table" side=wgsl "$folder/wgsl.csv" side=cuda "$folder/cuda.csv"
}

# shellcheck disable=SC2016 # awk's own
table='
    $1 == "level" { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
    { key = $column["level"] "," $column["form"] }
    side == "wgsl" {
        name[key] = $column["name"]
        if ($column["ok"] != "true") { wrong = 1; print "WGSL: " key " is wrong" }
    }
    side == "cuda" {
        if ($column["answer"] != "ok") { wrong = 1; print "CUDA: " key " is wrong" }
        if (!(key in name)) { wrong = 1; print "WGSL lacks " key; next }
        if (!(key in seen)) { seen[key] = 1; keys[++count] = key }
    }
    {
        us[side, key] = us[side, key] " " $column["gpu_us"]
        rate[side, key] = rate[side, key] " " $column["gb_per_s"]
    }
    END {
        print "\n| level | form | WGSL us | spread % | CUDA us | spread % | WGSL GB/s | CUDA GB/s | WGSL / CUDA |"
        print "|---|---|---:|---:|---:|---:|---:|---:|---:|"
        for (i = 1; i <= count; i++) {
            key = keys[i]; split(key, of, ",")
            wgsl = us["wgsl", key]; cuda = us["cuda", key]
            printf "| %s %s | %s | %.1f | %s |", of[1], name[key], of[2], median(wgsl), spread(wgsl)
            printf " %.1f | %s |", median(cuda), spread(cuda)
            wgsl = median(rate["wgsl", key]); cuda = median(rate["cuda", key])
            printf " %.1f | %.1f | %.3f |\n", wgsl, cuda, wgsl / cuda
        }
        exit wrong
    }
'
for shape in ${SHAPES:-whole rows}; do
    compare "$shape"
done
