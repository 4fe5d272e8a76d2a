#!/usr/bin/env bash
# This crate's sums of segments beside CUB's, on this machine's NVIDIA GPU.
#
#   benches/peers/segments.sh [log2 of the elements, 26] [repetitions, 21] [rounds, 3]
#
# Needs nvcc, and cargo unless SEGMENTS_BENCH names the built program of `benches/segments.rs`. CUDA_ARCH is
# nvcc's -arch, by default that of the GPU present. Prints a table in Markdown. In every round each side runs
# once, one after the other; figures are medians over rounds of medians over repetitions, in microseconds of
# GPU time, of runs in flight with results that stay on the GPU. Fails if an answer is wrong.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
log=${1:-26}
repetitions=${2:-21}
rounds=${3:-3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

nvcc -O3 -std=c++17 -arch="${CUDA_ARCH:-native}" -o "$folder/segments" "$here/segments.cu"
ours() {
    if [[ -n ${SEGMENTS_BENCH:-} ]]; then
        "$SEGMENTS_BENCH" "$log" "$repetitions"
    else
        (cd "$here/../.." && cargo bench --quiet --bench segments -- "$log" "$repetitions")
    fi
}
for ((round = 0; round < rounds; round++)); do
    WGPU_ADAPTER_NAME=NVIDIA ours >>"$folder/ours"
    "$folder/segments" "$log" "$repetitions" >>"$folder/cub"
done

cuda=$(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader --id=0)
printf '### %s, %s, driver %s, CUDA %s\n\n' "$(date -u +%F)" "${gpu%, *}" "${gpu##*, }" "$cuda"
printf '`benches/peers/segments.sh %s %s %s`\n\n' "$log" "$repetitions" "$rounds"
awk -F, '
    function middle(text,    times, count, i, j, time) {
        count = split(text, times, " ")
        for (i = 2; i <= count; i++) {
            time = times[i] + 0
            for (j = i; j > 1 && times[j - 1] + 0 > time; j--) times[j] = times[j - 1]
            times[j] = time
        }
        return count ? sprintf("%.1f", times[int(count / 2) + 1]) : "-"
    }
    $1 == "case" { for (i = 1; i <= NF; i++) if ($i == "gpu_us") column = i; next }
    {
        if (!($1 in segments)) names[++count] = $1
        segments[$1] = $3
        all[side, $1] = all[side, $1] " " $column
    }
    END {
        print "| segments | how many | ours GPU µs | CUB GPU µs | CUB ÷ ours |"
        print "|---|---:|---:|---:|---:|"
        for (i = 1; i <= count; i++) {
            name = names[i]
            ours = middle(all["ours", name]); cub = middle(all["cub", name])
            ratio = ours == "-" || cub == "-" ? "-" : sprintf("%.2f", cub / ours)
            printf "| %s | %s | %s | %s | %s |\n", name, segments[name], ours, cub, ratio
        }
    }
' side=ours "$folder/ours" side=cub "$folder/cub"
