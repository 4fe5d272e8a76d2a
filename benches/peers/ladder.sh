#!/usr/bin/env bash
# The ladder in WGSL beside the same levels in CUDA C++, on this machine's NVIDIA GPU.
#
#   benches/peers/ladder.sh [log2 of the elements, 28] [f32|i32] [repetitions, 21]
#
# Needs nvcc unless CUDA_LADDER names a built ladder.cu, and cargo unless WGPU_REDUCE names a built
# program. CUDA_ARCH is nvcc's -arch, by
# default that of the GPU present; NVCC_FLAGS are more options of it, as -DTEST_EACH_LOAD.
# WORKGROUP_SIZE is for both sides, by default 256. Prints two tables in Markdown: the sum of all
# elements, and write-up A's batched sum, where every workgroup has a row of its own; SHAPES="whole" or
# SHAPES="rows" for one of them. GPU time of both sides, and WGSL's GB/s divided by CUDA's. Fails if an
# answer is wrong.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
log_elements=${1:-28}
dtype=${2:-f32}
repetitions=${3:-21}
size=${WORKGROUP_SIZE:-256}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [[ -z ${CUDA_LADDER:-} ]]; then
    CUDA_LADDER=$folder/ladder
    # shellcheck disable=SC2086 # several options
    nvcc -O3 -std=c++17 -arch="${CUDA_ARCH:-native}" -DBLOCK_SIZE="$size" ${NVCC_FLAGS:-} \
        -o "$CUDA_LADDER" "$here/ladder.cu"
fi
if [[ -z ${WGPU_REDUCE:-} ]]; then
    (cd "$here/../.." && cargo build --release --quiet --package wgpu-reduce-cli)
    WGPU_REDUCE="$here/../../target/release/wgpu-reduce"
fi

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
printf '2^%s %s, workgroups of %s, %s\n' "$log_elements" "$dtype" "$size" "$(date -u +%F)"
if command -v nvcc >"$folder/nvcc"; then
    nvcc --version | sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p'
fi

# Runs both sides on elements of this shape, and prints their table.
compare() {
    local rows=1
    if [[ $1 == rows ]]; then
        rows=workgroups
        printf '\nA row for each workgroup:\n'
    fi
    "$WGPU_REDUCE" ladder --forms --csv --adapter NVIDIA --elements "2^$log_elements" \
        --rows "$rows" --dtype "$dtype" --workgroup-size "$size" --repetitions "$repetitions" \
        >"$folder/wgsl.csv"
    "$CUDA_LADDER" "$log_elements" "$dtype" "$repetitions" "$1" >"$folder/cuda.csv"
    awk -F, "$table" "$folder/wgsl.csv" "$folder/cuda.csv"
}

table='
    FNR == 1 { delete column; for (i = 1; i <= NF; i++) column[$i] = i; file++ }
    FNR == 1 && file == 2 {
        print "\n| level | form | WGSL us | CUDA us | WGSL GB/s | CUDA GB/s | WGSL / CUDA |"
        print "|---|---|---:|---:|---:|---:|---:|"
    }
    FNR == 1 { next }
    { key = $column["level"] "," $column["form"] }
    file == 1 {
        name[key] = $column["name"]; us[key] = $column["gpu_us"]; rate[key] = $column["gb_per_s"]
        if ($column["ok"] != "true") { wrong = 1; print "WGSL: " key " is wrong" }
    }
    file == 2 {
        if ($column["answer"] != "ok") { wrong = 1; print "CUDA: " key " is wrong" }
        if (!(key in us)) { wrong = 1; print "WGSL lacks " key; next }
        printf "| %s %s | %s | %.1f | %.1f | %.1f | %.1f | %.3f |\n", $column["level"], name[key], \
            $column["form"], us[key], $column["gpu_us"], rate[key], $column["gb_per_s"], \
            rate[key] / $column["gb_per_s"]
    }
    END { exit wrong }
'
for shape in ${SHAPES:-whole rows}; do
    compare "$shape"
done
