#!/usr/bin/env bash
# This crate's sums along an axis beside CUDA's, and PyTorch's where it is installed, on this machine's NVIDIA GPU.
#
#   benches/peers/axis.sh [log2 of the elements, 26] [repetitions, 21]
#
# Needs nvcc (cuda.sh), and cargo unless AXIS_BENCH names the built bench (target/release/deps/axis-...). SHAPES says what is
# measured, as in "4096x16384:1 16384x4096:0", by default every power of two by a power of two along both axes. Prints
# Markdown: a line for each shape, medians of GPU time, how far runs differ (what lies between the quartiles, in percent of
# the median), and what the slowest shape reaches of the fastest, by bytes read and written. Fails if an answer is wrong.
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
torch=$(torch_version)
: >"$folder/torch"
# shellcheck disable=SC2086
[[ $torch == 'not installed' ]] || python3 "$here/axis.py" sum "$repetitions" $shapes >"$folder/torch"

print_setting "$folder/axis"
# shellcheck disable=SC2016 # Backquotes of Markdown.
printf '`benches/peers/axis.sh %s %s`, medians of %s runs. torch: %s\n\n' "$log" "$repetitions" "$repetitions" "$torch"
awk -F, -v torch="$torch" '
    BEGIN {
        has_torch = torch != "not installed"
        head = "| rows | columns | axis | ours GPU µs | spread % | CUDA GPU µs | spread % | CUDA ÷ ours |"
        print head (has_torch ? " torch GPU µs | spread % | torch ÷ ours |" : "") " ours GB/s |"
        print "|---:|---:|---:|---:|---:|---:|---:|---:|" (has_torch ? "---:|---:|---:|" : "") "---:|"
    }
    function beside(side) { return sprintf(" %s | %s | %.3f |", us[side, key], differ[side, key], us[side, key] / $4) }
    side == "torch" { us[side, $2, $3, $4] = $5; differ[side, $2, $3, $4] = $6; next }
    !/^[0-9]/ { next }
    side == "cuda" { us[side, $1, $2, $3] = $4; differ[side, $1, $2, $3] = $5; next }
    {
        key = $1 SUBSEP $2 SUBSEP $3
        printf "| %s | %s | %s | %s | %s |", $1, $2, $3, $4, $8
        printf "%s%s %.0f |\n", beside("cuda"), has_torch ? beside("torch") : "", $6
    }
' side=cuda "$folder/cuda" side=torch "$folder/torch" side=ours "$folder/ours"
printf '\nOurs: %s. ' "$(sed -n 's/^# \(the slowest.*\)/\1/p' "$folder/ours")"
sed -n 's/^# //p' "$folder/cuda"
