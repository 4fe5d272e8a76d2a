#!/usr/bin/env bash
# Everything that benches/RESULTS.md has of NVIDIA GPUs, in the order of its sections, as one file in Markdown, and at its end each
# speed that was aimed at beside what was reached.
#
#   benches/peers/results.sh [FILE, results.md] [SECTION ...]
#   benches/peers/results.sh --build FOLDER
#   benches/peers/results.sh --build-peers FOLDER
#   benches/peers/results.sh --list
#
# Needs nvcc, python3, about forty minutes, and an idle GPU; two GPUs or more for the section `multi`, and a software adapter,
# llvmpipe, for `memory`. SECTIONS are those to be measured, by default all: --list prints them. What stands before the first hyphen
# of a name is all sections of it, as `sum`. None should take more than five minutes, so that all can be measured in several runs;
# how long each took is told. With APPEND set FILE goes on where it ends. A section that fails is named at the end, and what it
# printed stands where it failed; the others are measured all the same.
#
# Where there is no cargo beside the GPU, --build leaves the programs in a folder, stripped, and PROGRAMS names that folder there;
# --build-peers does the same with that of other Rust crates. Where PROGRAMS lacks it, the sections `peers` say so and are no
# failure. CCCL names a folder of CUB's headers (cuda.sh). Without it CUB is that of nvcc's CUDA, and `exact-cub` is not measured.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=benches/peers/programs.sh
source "$here/programs.sh"
benches=(axis cold exact_gpu histogram latency multi operations segments stream tunings)

# Copies each bench, and the command line, to a folder.
build() {
    local folder name
    mkdir -p "$1" && folder=$(cd "$1" && pwd) || exit 1
    cd "$here/../.." || exit 1
    cargo build --release --quiet --package wgpu-reduce-cli || exit 1
    cp "${CARGO_TARGET_DIR:-target}/release/wgpu-reduce" "$folder" || exit 1
    for name in "${benches[@]}"; do
        program "$folder/$name" bench --bench "$name" || exit 1
    done
    strip "$folder/wgpu-reduce"
    rustc --version >"$folder/rustc"
}

# The same of the other Rust crates' program.
build_peers() {
    mkdir -p "$1" || exit 1
    (cd "$here/rust" && cargo build --release --locked --quiet --features burn,cubek) || exit 1
    cp "${CARGO_TARGET_DIR:-$here/rust/target}/release/wgpu-reduce-peers" "$1/peers"
}

if [[ ${1:-} == --build && $# == 2 ]]; then
    build "$2"
    exit
elif [[ ${1:-} == --build-peers && $# == 2 ]]; then
    build_peers "$2"
    exit
fi

is_listed=
if [[ ${1:-} == --list ]]; then
    is_listed=1
    file=/dev/null
else
    file=${1:-results.md}
fi
shift || true
wanted=" $* "
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck source=benches/peers/statistics.sh
source "$here/statistics.sh"
# shellcheck source=benches/peers/cuda.sh
source "$here/cuda.sh"
# Several sections share it.
export CUDA_SUM=${CUDA_SUM:-$folder/sum}
export WGPU_ADAPTER_NAME=${WGPU_ADAPTER_NAME:-NVIDIA}
failed=()
if [[ -n ${PROGRAMS:-} ]]; then
    PROGRAMS=$(cd "$PROGRAMS" && pwd) || exit 1
    export WGPU_REDUCE=$PROGRAMS/wgpu-reduce
    export AXIS_BENCH=$PROGRAMS/axis SEGMENTS_BENCH=$PROGRAMS/segments HISTOGRAM_BENCH=$PROGRAMS/histogram
    export TUNINGS_BENCH=$PROGRAMS/tunings
fi

# A heading, and the command whose output stands under it.
section() {
    local name=$1 heading=$2 begin=$SECONDS
    shift 2
    if [[ -n $is_listed ]]; then
        echo "$name: $heading"
        return
    fi
    [[ $wanted == "  " || $wanted == *" $name "* || $wanted == *" ${name%%-*} "* ]] || return 0
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

# A bench of Criterion, as a table.
criterion() {
    local home
    home=$(mktemp -d -p "$folder") || return
    CRITERION_HOME=$home bench "$@" >"$home/log" || { cat "$home/log"; return 1; }
    python3 "$here/criterion.py" "$home"
}

# Another Rust crate's reductions, as a table.
peer() {
    if [[ -n ${PROGRAMS:-} && ! -x $PROGRAMS/peers ]]; then
        echo 'Not measured: there is no program of it.'
        return
    fi
    if [[ -n ${PROGRAMS:-} ]]; then
        "$PROGRAMS/peers" "$@"
    else
        (cd "$here/rust" && cargo run --release --locked --quiet --features burn,cubek -- "$@")
    fi >"$folder/peer" || { cat "$folder/peer"; return 1; }
    as_table "$folder/peer"
}

# A bench that prints CSV, as a table.
csv() {
    bench "$@" >"$folder/csv" || { cat "$folder/csv"; return 1; }
    as_table "$folder/csv"
}

# The reductions of PyTorch along an axis, as a table.
torch_axis() {
    if [[ $(torch_version) == 'not installed' ]]; then
        echo 'Not measured: there is no PyTorch.'
        return
    fi
    python3 "$here/axis.py" "$@" >"$folder/csv" || { cat "$folder/csv"; return 1; }
    as_table "$folder/csv"
}

# A file of CSV without quotes, as a table. Columns of names stand to the left.
as_table() {
    awk -F, '
        /^#/ { sub(/^# */, ""); print $0 "\n"; next }
        !count {
            count = NF
            for (i = 1; i <= NF; i++) {
                gsub("_", " ", $i)
                sub(/ us$/, " µs", $i); sub(/^((call|flight|sum) )?spread$/, "spread %", $i); sub(/^gb per s$/, "GB/s", $i)
                sub(/^flight/, "in flight", $i)
                heads = heads " " $i " |"
                lines = lines ($i ~ /^(peer|operation|dtype|sum)$/ ? "---|" : "---:|")
            }
            print "|" heads "\n|" lines
            next
        }
        { gsub(",", " | "); print "| " $0 " |" }
    ' "$1"
}

# docs/ladder.svg beside FILE, and its figures.
ladder_plot() {
    cli ladder --elements 2^28 --forms --adapter "$WGPU_ADAPTER_NAME" --svg "$(dirname "$file")/ladder.svg"
}

# What the figures depend on.
setting() {
    date -u +%F
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    nvcc --version | sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p'
    cli --version
    if [[ -n ${PROGRAMS:-} ]]; then cat "$PROGRAMS/rustc"; else rustc --version; fi
    sed -n '/^name = "wgpu"$/{n;s/version = "\(.*\)"/wgpu \1/p}' "$here/../../Cargo.lock"
    echo "Other Rust crates:"
    sed -n '/^name = "\(burn\|cubecl\|cubek-reduce\|lampshade\|wgpu\)"$/{s/name = "\(.*\)"/\1/;N;s/\nversion = "\(.*\)"/ \1/p}' \
        "$here/rust/Cargo.lock"
}

# OP,TYPE,ELEMENTS, each with so many repetitions, in three rounds.
several() {
    local case op type elements
    for _ in 1 2 3; do
        for case in "${@:2}"; do
            IFS=, read -r op type elements <<<"$case"
            cli bench --csv --adapter "$WGPU_ADAPTER_NAME" --op "$op" --dtype "$type" --elements "$elements" --repetitions "$1" || return
        done
    done >"$folder/several"
    # shellcheck disable=SC2016 # Backquotes of Markdown.
    printf '`wgpu-reduce bench --op OPERATION --dtype TYPE --elements ELEMENTS --repetitions %s`, medians of 3 rounds\n\n' "$1"
    awk -F, "$statistics"'
        $1 == "op" { for (i = 1; i <= NF; i++) column[$i] = i; next }
        {
            row = $1 " | " $2 " | " $column["elements"]
            if (!(row in us)) names[++count] = row
            us[row] = us[row] " " $column["gpu_us"]
            rate[row] = rate[row] " " $column["gb_per_s"]
        }
        END {
            print "| operation | type | elements | GPU µs | spread % | GB/s |\n|---|---|---:|---:|---:|---:|"
            for (i = 1; i <= count; i++) {
                row = names[i]
                printf "| %s | %.1f | %s | %.0f |\n", row, median(us[row]), spread(us[row]), median(rate[row])
            }
        }
    ' "$folder/several"
}

[[ -n ${APPEND:-} ]] || : >"$file"
section setting 'Setting' setting
for case in sum,f32 sum,i32 sum,u32 wrapping_sum,i32 wrapping_sum,u32; do
    name=${case/,/-}
    section "${name/wrapping_sum/wrapping}" "Sums beside CUB's, $case" env "CASES=$case" "$here/sum.sh" 29 15 3 8
done
section sum-u8 "Sums of bytes beside CUB's" env CASES=sum,u8 "$here/sum.sh" 30 15 3 8
section argmax "argmax beside CUB's" env CASES=argmax,f32 "$here/sum.sh" 28 15 3 8
section peers-lampshade 'Sums by lampshade' peer lampshade 28 15
section peers-cubek 'Sums by cubek' peer cubek 28 15
section peers-burn 'Sums and argmax by burn' peer burn 28 15
section latency 'Calls' bench latency
section cold "A process's first sum" bench cold
section tunings-short 'Default tunings, by the bench' "$here/tunings.sh" 5 21
section tunings-long 'Default tunings of long sums, by the bench' "$here/tunings.sh" 3 9 25 29
section tune 'Default tunings, by tune' cli tune --dry-run --adapter "$WGPU_ADAPTER_NAME" --dtype f32 --dtype i32 --dtype u32 --budget 120
section operations-f32 'Operations beside sum, f32' csv operations 28 9 f32
section operations-i32 'Operations beside sum, i32' csv operations 28 9 i32
section operations-u32 'Operations beside sum, u32' csv operations 28 9 u32
section operations-f64 'Operations beside sum, f64' csv operations 27 9 f64
section dot 'Two inputs' several 15 dot,f32,2^28 dot,i32,2^28 dot,u32,2^28
section packed 'Packed and wide, and one binding' several 5 sum,u8,2^30 sum,f16,2^30 sum,i64,2^27 sum,f32,536866816
section large 'Larger than a buffer' several 5 sum,f32,2^32 sum,u8,2^33
section axis 'Along an axis' "$here/axis.sh" 26 11
section axis-torch 'var and argmax along an axis by PyTorch' torch_axis var,argmax 11 \
    67108864x1:1 1048576x64:1 65536x1024:1 4096x16384:1 64x1048576:1 1x67108864:1 16384x4096:0
section segments 'Segments, runs of equal keys, and a counted length' "$here/segments.sh" 26 9 3
section histogram-28 'Histograms, 2^28' "$here/histogram.sh" 28 5 1
section histogram-24 'Histograms, 2^24' "$here/histogram.sh" 24 11 3
# At once, since most of the time goes to the host's sums of the same data.
section exact 'Exact sums: in flight, alone, of rows and columns' criterion exact_gpu 'exact/(gpu|alone|rows)'
section exact-f64 'Exact sums of f64' criterion exact_gpu 'exact/f64'
section exact-cub "CUB's sums with each of its guarantees of the same bits" "$here/exact.sh"
section multi 'Several GPUs' csv multi
section memory 'Files larger than memory' "$here/memory.sh"
section command 'The command line' "$here/command.sh"
section stream 'Streams' criterion stream --warm-up-time 0.5 --measurement-time 2
section ladder-whole 'The ladder' env SHAPES=whole "$here/ladder.sh" 28 f32 9 3
section ladder-rows 'The ladder, a row for each workgroup' env SHAPES=rows "$here/ladder.sh" 28 f32 9 3
section ladder-rows-128 'The ladder, a row for each workgroup of 128' env WORKGROUP_SIZE=128 SHAPES=rows "$here/ladder.sh" 29 f32 9 3
section plots 'The plot of the ladder' ladder_plot
section aims 'Aims' python3 "$here/aims.py" "$file"

if ((${#failed[@]} > 0)); then
    printf 'failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
