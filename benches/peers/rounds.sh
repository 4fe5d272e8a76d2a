# shellcheck shell=bash
# What scripts have in common that run a bench of this crate and a CUDA program in turns; they source it, with their
# arguments, and have `set -euo pipefail`.
#
# After it there are `log`, `repetitions` and `rounds`, by default 26, 21 and 3, and an empty `folder`, which goes with
# the script.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
log=${1:-26}
repetitions=${2:-21}
rounds=${3:-3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck source=benches/peers/statistics.sh
source "$here/statistics.sh"
# shellcheck source=benches/peers/cuda.sh
source "$here/cuda.sh"

# Runs the bench of this name, or the built program of it, and NAME.cu, once each in every round. What they print is
# in `$folder/ours` and `$folder/cub`.
run_rounds() {
    local name=$1 program=$2
    compile "$folder/$name" "$name"
    for ((round = 0; round < rounds; round++)); do
        if [[ -n $program ]]; then
            WGPU_ADAPTER_NAME=NVIDIA "$program" --bench "$log" "$repetitions"
        else
            (cd "$here/../.." && WGPU_ADAPTER_NAME=NVIDIA \
                cargo bench --quiet --bench "$name" -- "$log" "$repetitions")
        fi >>"$folder/ours"
        "$folder/$name" "$log" "$repetitions" >>"$folder/cub"
    done
}

# Prints what was run on what, as headings in Markdown.
print_heading() {
    print_setting "$folder/$1"
    # shellcheck disable=SC2016 # Backquotes of Markdown.
    printf '`benches/peers/%s.sh %s %s %s`\n\n' "$1" "$log" "$repetitions" "$rounds"
}

# Prints medians over rounds as a table in Markdown. Both sides print lines of CSV with a column `case`, the first, one
# `gpu_us` and one `spread`, how far runs differ; ours one `bytes`, the least that must be moved. CUB's may have one `size_us`,
# the time where it is given the size of the segments. The table has how far rounds differ, or with one round runs. $1 is the
# head of the first column; with $2 a column of this head, $3 in the CSV, stands behind it.
print_table() {
    awk -F, -v first="$1" -v second="${2:-}" -v number="${3:-0}" "$statistics"'
        function shown(figures) { return figures == "" ? "-" : sprintf("%.1f", median(figures)) }
        function ratio(cub, ours) { return ours == "-" || cub == "-" ? "-" : sprintf("%.2f", cub / ours) }
        function differ(side, name,    of_rounds) {
            of_rounds = spread(all[side, name])
            return of_rounds == "-" ? shown(of_runs[side, name]) : of_rounds
        }
        /^#/ { next }
        $1 == "case" {
            sized = 0
            for (i = 1; i <= NF; i++) {
                if ($i == "gpu_us") time = i
                if ($i == "size_us") sized = has_sizes = i
                if ($i == "spread") runs = i
                if ($i == "bytes") size = i
            }
            next
        }
        {
            if (!($1 in seen)) names[++count] = $1
            if (!($1 in seen) || side == "ours") seen[$1] = $number
            if (side == "ours") bytes[$1] = $size
            if ($time != "") all[side, $1] = all[side, $1] " " $time
            if ($runs != "") of_runs[side, $1] = of_runs[side, $1] " " $runs
            if (sized && $sized != "") of_size[$1] = of_size[$1] " " $sized
        }
        END {
            head = "| " first (second ? " | " second : "") " | ours GPU µs | spread % | GB/s | CUB GPU µs | spread % | CUB ÷ ours |"
            print head (has_sizes ? " CUB with one size µs | CUB with one size ÷ ours |" : "")
            print "|---|" (second ? "---:|" : "") "---:|---:|---:|---:|---:|---:|" (has_sizes ? "---:|---:|" : "")
            for (i = 1; i <= count; i++) {
                name = names[i]
                ours = shown(all["ours", name]); cub = shown(all["cub", name])
                speed = ours == "-" ? "-" : sprintf("%.0f", bytes[name] / median(all["ours", name]) / 1000)
                printf "| %s | %s | %s | %s |", name (second ? " | " seen[name] : ""), ours, differ("ours", name), speed
                printf " %s | %s | %s |", cub, differ("cub", name), ratio(cub, ours)
                sized = shown(of_size[name])
                print has_sizes ? " " sized " | " ratio(sized, ours) " |" : ""
            }
        }
    ' side=ours "$folder/ours" side=cub "$folder/cub"
}
