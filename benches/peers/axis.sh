#!/usr/bin/env bash
# This crate's sums along an axis beside CUDA's, on this machine's NVIDIA GPU.
#
#   benches/peers/axis.sh [log2 of the elements, 26] [repetitions, 21]
#
# Needs nvcc (cuda.sh), and cargo unless AXIS_BENCH names the built bench (target/release/deps/axis-...). SHAPES says what is
# measured, as in
# "4096x16384:1 16384x4096:0", by default every power of two by a power of two along both axes. Prints
# Markdown: a line for each shape, medians of GPU time, how far runs differ (what lies between the quartiles, in percent of the
# median), and what the slowest shape reaches of the fastest, by bytes read and written. Fails if an answer is wrong.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=benches/peers/cuda.sh
source "$here/cuda.sh"
log=${1:-26}
repetitions=${2:-21}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

shapes=${SHAPES:-}
if [[ -z $shapes ]]; then
    for axis in 1 0; do
        for ((columns = 0; columns <= log; columns++)); do
            shapes+=" $((1 << (log - columns)))x$((1 << columns)):$axis"
        done
    done
fi

compile "$folder/axis" axis
export WGPU_ADAPTER_NAME=${WGPU_ADAPTER_NAME:-NVIDIA} WGPU_BACKEND=${WGPU_BACKEND:-vulkan}
# shellcheck disable=SC2086 # shapes are words
if [[ -n ${AXIS_BENCH:-} ]]; then
    "$AXIS_BENCH" --bench "$log" "$repetitions" $shapes >"$folder/ours"
else
    (cd "$here/../.." && cargo bench --quiet --bench axis -- "$log" "$repetitions" $shapes) >"$folder/ours"
fi
# shellcheck disable=SC2086
"$folder/axis" "$repetitions" $shapes >"$folder/cuda"

print_setting "$folder/axis"
# shellcheck disable=SC2016 # Backquotes of Markdown.
printf '`benches/peers/axis.sh %s %s`, medians of %s runs\n\n' "$log" "$repetitions" "$repetitions"
echo '| rows | columns | axis | ours GPU µs | spread % | CUDA GPU µs | spread % | CUDA ÷ ours | ours GB/s |'
echo '|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
awk -F, '
    /^[0-9]/ && FNR == NR { cuda[$1, $2, $3] = $4; differ[$1, $2, $3] = $5; next }
    /^[0-9]/ {
        time = cuda[$1, $2, $3]
        printf "| %s | %s | %s | %s | %s |", $1, $2, $3, $4, $8
        printf " %s | %s | %.3f | %.0f |\n", time, differ[$1, $2, $3], time / $4, $6
    }
' "$folder/cuda" "$folder/ours"
printf '\nOurs: %s\n' "$(sed -n 's/^# \(the slowest.*\)/\1/p' "$folder/ours")"
sed -n 's/^# //p' "$folder/cuda"
