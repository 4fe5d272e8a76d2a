#!/usr/bin/env bash
# Everything that benches/RESULTS.md has of NVIDIA GPUs, in the order of its sections, as one file in Markdown or CSV by section.
#
#   benches/peers/results.sh [FILE, results.md] [SECTION ...]
#   benches/peers/results.sh --build FOLDER
#
# Needs nvcc, about twenty minutes, and an idle GPU; two GPUs or more for the section `multi`. SECTIONS are those to be measured, by
# default all: see the list at the end. A section that fails is named at the end, and what it printed stands where it failed; the others
# are measured all the same.
#
# Where there is no cargo beside the GPU, --build leaves the programs in a folder, stripped, and PROGRAMS names that folder there. The
# scripts that compare with CUB say what else they need.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
benches=(axis exact_gpu histogram latency multi operations segments stream tunings)

# Copies each bench, and the command line, to a folder.
build() {
    local folder name program
    mkdir -p "$1" && folder=$(cd "$1" && pwd) || exit 1
    cd "$here/../.." || exit 1
    cargo build --release --quiet --package wgpu-reduce-cli || exit 1
    cp "${CARGO_TARGET_DIR:-target}/release/wgpu-reduce" "$folder" || exit 1
    for name in "${benches[@]}"; do
        program=$(cargo bench --no-run --bench "$name" 2>&1 | sed -n 's/^ *Executable .*(\(.*\))$/\1/p')
        cp "$program" "$folder/$name" || exit 1
    done
    strip "$folder"/*
}

if [[ ${1:-} == --build && $# == 2 ]]; then
    build "$2"
    exit
fi

file=${1:-results.md}
shift || true
wanted=" $* "
export WGPU_ADAPTER_NAME=${WGPU_ADAPTER_NAME:-NVIDIA}
failed=()
if [[ -n ${PROGRAMS:-} ]]; then
    PROGRAMS=$(cd "$PROGRAMS" && pwd) || exit 1
    export WGPU_REDUCE=$PROGRAMS/wgpu-reduce
    export AXIS_BENCH=$PROGRAMS/axis SEGMENTS_BENCH=$PROGRAMS/segments HISTOGRAM_BENCH=$PROGRAMS/histogram
fi

# A heading, and the command whose output stands under it.
section() {
    local name=$1 heading=$2 begin=$SECONDS
    shift 2
    [[ $wanted == "  " || $wanted == *" $name "* ]] || return 0
    echo "$heading: ${*/#$here/benches\/peers}" >&2
    {
        # shellcheck disable=SC2016 # Backquotes of Markdown.
        printf '# %s\n\n`%s`\n\n' "$heading" "${*/#$here/benches\/peers}"
        "$@"
    } >>"$file" || failed+=("$name")
    echo >>"$file"
    echo "$((SECONDS - begin)) s" >&2
}

bench() {
    if [[ -n ${PROGRAMS:-} ]]; then
        "$PROGRAMS/$1" --bench "${@:2}"
    else
        (cd "$here/../.." && cargo bench --quiet --bench "$1" -- "${@:2}")
    fi
}

cli() {
    if [[ -n ${PROGRAMS:-} ]]; then
        "$PROGRAMS/wgpu-reduce" "$@"
    else
        (cd "$here/../.." && cargo run --release --quiet --package wgpu-reduce-cli -- "$@")
    fi
}

# What the figures depend on.
setting() {
    date -u +%F
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    nvcc --version | sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p'
    cli --version
    sed -n '/^name = "wgpu"$/{n;s/version = "\(.*\)"/wgpu \1/p}' "$here/../../Cargo.lock"
}

# OP,TYPE,ELEMENTS, each with so many repetitions.
several() {
    local case op type elements
    for case in "${@:2}"; do
        IFS=, read -r op type elements <<<"$case"
        cli bench --csv --adapter "$WGPU_ADAPTER_NAME" --op "$op" --dtype "$type" --elements "$elements" --repetitions "$1"
    done
}

: >"$file"
section setting 'Setting' setting
section sum "Sums beside CUB's" "$here/sum.sh" 29 15 1 8
section latency 'Calls' bench latency
section tunings 'Default tunings, by the bench' bench tunings 21
section tune 'Default tunings, by tune' cli tune --dry-run --adapter "$WGPU_ADAPTER_NAME" --dtype f32 --dtype i32 --dtype u32 --budget 120
section operations 'Operations beside sum' bench operations 28 9
section dot 'Two inputs' several 15 dot,f32,2^28 dot,i32,2^28
section large 'Large and packed' several 5 sum,f32,2^32 sum,u8,2^33 sum,u8,2^30 sum,f16,2^30 sum,i64,2^27
section axis 'Along an axis' "$here/axis.sh" 26 11
section segments 'Segments and runs of equal keys' "$here/segments.sh" 26 9 1
section histogram 'Histograms, 2^28' "$here/histogram.sh" 28 5 1
section histogram-24 'Histograms, 2^24' "$here/histogram.sh" 24 11 3
section exact 'Exact sums, in flight' bench exact_gpu exact/gpu
section alone 'Exact sums, alone' bench exact_gpu exact/alone
section multi 'Several GPUs' bench multi
section stream 'Streams' bench stream --warm-up-time 0.5 --measurement-time 2
section ladder 'The ladder' "$here/ladder.sh"

if ((${#failed[@]} > 0)); then
    printf 'failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
