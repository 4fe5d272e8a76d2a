#!/usr/bin/env bash
# Everything that benches/RESULTS.md has of one NVIDIA GPU, in the order of its sections, as one file in Markdown or CSV by section.
#
#   benches/peers/results.sh [file, results.md]
#
# Needs cargo and nvcc, about half an hour, and an idle GPU; scripts that compare with CUB say what they need. A section that
# fails is named at the end, and what it printed stands where it failed; the others are measured all the same. Two GPUs or more
# are needed for the section of several GPUs.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
file=${1:-results.md}
export WGPU_ADAPTER_NAME=${WGPU_ADAPTER_NAME:-NVIDIA}
failed=()

# A heading, and the command whose output stands under it.
section() {
    local heading=$1
    shift
    echo "$heading: $*" >&2
    {
        # shellcheck disable=SC2016 # Backquotes of Markdown.
        printf '# %s\n\n`%s`\n\n' "$heading" "$*"
        "$@"
    } >>"$file" || failed+=("$heading")
    echo >>"$file"
}

bench() {
    (cd "$here/../.." && cargo bench --quiet --bench "$1" -- "${@:2}")
}

cli() {
    (cd "$here/../.." && cargo run --release --quiet --package wgpu-reduce-cli -- "$@")
}

large() {
    local case
    for case in sum,f32,2^32 sum,u8,2^33 sum,u8,2^30 sum,f16,2^30 sum,i64,2^27; do
        IFS=, read -r op type elements <<<"$case"
        cli bench --csv --adapter "$WGPU_ADAPTER_NAME" --op "$op" --dtype "$type" --elements "$elements" --repetitions 5
    done
}

: >"$file"
section "Sums beside CUB's" "$here/sum.sh" 29 15 1 8
section 'Calls' bench latency
section 'Default tunings, by the bench' bench tunings 21
section 'Default tunings, by tune' cli tune --dry-run --adapter "$WGPU_ADAPTER_NAME" --dtype f32 --dtype i32 --dtype u32 --budget 120
section 'Operations beside sum' bench operations 28 15
section 'Large and packed' large
section 'Along an axis' "$here/axis.sh" 26 11
section 'Segments and runs of equal keys' "$here/segments.sh" 26 9 1
section 'Histograms, 2^28' "$here/histogram.sh" 28 11 1
section 'Histograms, 2^24' "$here/histogram.sh" 24 11 3
section 'Exact sums' bench exact_gpu exact/
section 'Several GPUs' bench multi
section 'Streams' bench stream --warm-up-time 0.5 --measurement-time 2
section 'The ladder' "$here/ladder.sh"

if ((${#failed[@]} > 0)); then
    printf 'failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
