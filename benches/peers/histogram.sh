#!/usr/bin/env bash
# This crate's histograms beside CUB's, on this machine's NVIDIA GPU.
#
#   benches/peers/histogram.sh [log2 of the elements, 26] [repetitions, 21] [rounds, 3]
#
# Needs nvcc, and cargo unless HISTOGRAM_BENCH names the built program of `benches/histogram.rs`. CUDA_ARCH is
# nvcc's -arch, by default that of the GPU present. Prints a table in Markdown. In every round each side runs once,
# one after the other; figures are medians over rounds of medians over repetitions, in microseconds of GPU time, of
# runs in flight with counts that stay on the GPU. Fails if counts are wrong.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
log=${1:-26}
repetitions=${2:-21}
rounds=${3:-3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

nvcc -O3 -std=c++17 -arch="${CUDA_ARCH:-native}" -o "$folder/histogram" "$here/histogram.cu"
ours() {
    if [[ -n ${HISTOGRAM_BENCH:-} ]]; then
        "$HISTOGRAM_BENCH" --bench "$log" "$repetitions"
    else
        (cd "$here/../.." && cargo bench --quiet --bench histogram -- "$log" "$repetitions")
    fi
}
for ((round = 0; round < rounds; round++)); do
    WGPU_ADAPTER_NAME=NVIDIA ours >>"$folder/ours"
    "$folder/histogram" "$log" "$repetitions" >>"$folder/cub"
done

cuda=$(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader --id=0)
printf '### %s, %s, driver %s, CUDA %s\n\n' "$(date -u +%F)" "${gpu%, *}" "${gpu##*, }" "$cuda"
printf '`benches/peers/histogram.sh %s %s %s`\n\n' "$log" "$repetitions" "$rounds"
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
    /^#/ { next }
    $1 == "case" { for (i = 1; i <= NF; i++) if ($i == "gpu_us") column = i; next }
    {
        if (!($1 in seen)) names[++count] = $1
        seen[$1] = 1
        all[side, $1] = all[side, $1] " " $column
    }
    END {
        print "| data | ours GPU µs | CUB GPU µs | CUB ÷ ours |"
        print "|---|---:|---:|---:|"
        for (i = 1; i <= count; i++) {
            name = names[i]
            ours = middle(all["ours", name]); cub = middle(all["cub", name])
            ratio = ours == "-" || cub == "-" ? "-" : sprintf("%.2f", cub / ours)
            printf "| %s | %s | %s | %s |\n", name, ours, cub, ratio
        }
    }
' side=ours "$folder/ours" side=cub "$folder/cub"
