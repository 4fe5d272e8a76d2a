#!/usr/bin/env bash
# This crate's sums beside CUB's, and PyTorch's where it is installed, on this machine's NVIDIA GPU.
#
#   benches/peers/sum.sh [log2 of the most elements, 29] [repetitions, 21] [rounds, 3] [in flight, 8]
#
# Needs nvcc (cuda.sh), and cargo unless WGPU_REDUCE names a built program. CUDA_SUM names the built sum.cu; where there is no
# such file, it is built there, for others to use. CASES says what is measured, by default
# "sum,f32 sum,i32 sum,u32 wrapping_sum,i32 wrapping_sum,u32"; argmax,f32 and sum,u8 are there, too. Prints a table
# in Markdown for each case; benches/RESULTS.md joins those of integers in one. In every round each side runs once, one after the
# other, so that a clock that drifts favours none; figures are medians over rounds of medians over repetitions.
# CUB's time alone contains its launch, so "CUB ÷ ours" is of runs in flight. The spread is how far their rounds differ: the most
# less the least, in percent of the median; with one round there is none.
# Each side warms up before each length. "Alone" is a run on an idle GPU; "in flight" are runs that follow each
# other without a pause, since a GPU that is waited for after each run may lower its clock. Fails if an answer
# is wrong.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
most=${1:-29}
repetitions=${2:-21}
rounds=${3:-3}
in_flight=${4:-8}
cases=${CASES:-sum,f32 sum,i32 sum,u32 wrapping_sum,i32 wrapping_sum,u32}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck source=benches/peers/statistics.sh
source "$here/statistics.sh"
# shellcheck source=benches/peers/cuda.sh
source "$here/cuda.sh"

logs=()
for log in 10 12 14 16 18 20 22 24 26 28 29 30; do
    ((log > most)) || logs+=("$log")
done
elements=$(printf ',2^%s' "${logs[@]}")

CUDA_SUM=${CUDA_SUM:-$folder/sum}
[[ -x $CUDA_SUM ]] || compile "$CUDA_SUM" sum
if [[ -z ${WGPU_REDUCE:-} ]]; then
    (cd "$here/../.." && cargo build --release --quiet --package wgpu-reduce-cli)
    WGPU_REDUCE="$here/../../target/release/wgpu-reduce"
fi
torch=$(torch_version)

# An operation, a type and a number of runs in flight.
ours() {
    "$WGPU_REDUCE" bench --csv --adapter NVIDIA --in-flight "$3" --op "$1" --dtype "$2" \
        --elements "${elements#,}" --repetitions "$repetitions"
}

# ours, cub or torch, an operation and a type: CSV with a header.
measure() {
    case $1 in
    ours)
        ours "$2" "$3" "$in_flight" | sed '1s/gpu_us/flight_us/'
        ours "$2" "$3" 1
        ;;
    cub) "$CUDA_SUM" "$2" "$3" "$repetitions" "$in_flight" "${logs[@]}" ;;
    torch) python3 "$here/sum.py" "$2" "$3" "$repetitions" "$in_flight" "${logs[@]}" ;;
    esac
}

# The three sides' CSV as a table.
table() {
    awk -F, -v torch="$torch" "$statistics"'
        function us(side, column, digits) {
            if (!((side, size, column) in all)) return "-"
            return sprintf("%." digits "f", median(all[side, size, column]))
        }
        function flight(    ours, cub, ratio) {
            ours = us("ours", "flight_us", 3); cub = us("cub", "flight_us", 3)
            ratio = ours == "-" || cub == "-" ? "-" : sprintf("%.3f", cub / ours)
            return sprintf(" %.2f | %.2f | %s |", ours, cub, ratio)
        }
        $1 == "op" { for (i = 1; i <= NF; i++) column[i] = $i; next }
        {
            for (i = 1; i <= NF; i++) if (column[i] == "elements") size = $i
            if (!(size in seen)) { seen[size] = 1; sizes[++count] = size }
            for (i = 1; i <= NF; i++) {
                if (column[i] ~ /_us$/ && $i != "") {
                    all[side, size, column[i]] = all[side, size, column[i]] " " $i
                }
            }
        }
        END {
            has_torch = torch != "not installed"
            head = "| elements | ours alone µs | CUB alone µs | ours in flight µs | CUB in flight µs | CUB ÷ ours |"
            head = head " ours spread % | CUB spread % | ours call µs | CUB call µs |"
            print head (has_torch ? " torch in flight µs | torch call µs |" : "")
            print "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|" (has_torch ? "---:|---:|" : "")
            for (place = 1; place <= count; place++) {
                size = sizes[place]
                printf "| 2^%d | %s | %s |", log(size) / log(2) + 0.5, us("ours", "gpu_us", 2), us("cub", "gpu_us", 2)
                printf "%s %s |", flight(), spread(all["ours", size, "flight_us"])
                printf " %s | %s |", spread(all["cub", size, "flight_us"]), us("ours", "call_us", 1)
                printf " %s |", us("cub", "call_us", 1)
                if (has_torch) {
                    printf " %s | %s |", us("torch", "flight_us", 2), us("torch", "call_us", 1)
                }
                print ""
            }
        }
    ' side=ours "$1/ours" side=cub "$1/cub" side=torch "$1/torch"
}

print_setting "$CUDA_SUM"
# shellcheck disable=SC2016 # Backquotes of Markdown.
printf '`benches/peers/sum.sh %s %s %s %s`, ' "$most" "$repetitions" "$rounds" "$in_flight"
printf 'medians of %s rounds of %s runs. torch: %s\n' "$rounds" "$repetitions" "$torch"
# A GPU that has been idle takes seconds to raise its clock, and what comes first would be slower for it.
ours sum f32 1 >/dev/null
for case in $cases; do
    op=${case%,*} dtype=${case#*,} results="$folder/$case"
    mkdir "$results"
    : >"$results/torch"
    for ((round = 0; round < rounds; round++)); do
        for side in ours cub torch; do
            [[ $side == torch && $torch == 'not installed' ]] && continue
            measure "$side" "$op" "$dtype" >>"$results/$side"
        done
    done
    # shellcheck disable=SC2016 # Backquotes of Markdown.
    printf '\n`%s` of `%s`:\n\n' "$op" "$dtype"
    table "$results"
done
