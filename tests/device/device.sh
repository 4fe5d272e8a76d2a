#!/usr/bin/env bash
# Everything that is tested on a device, on a machine that has one and no Rust, and a table of what came of it, in Markdown.
#
#   tests/device/device.sh --build FOLDER [PART ...]
#   tests/device/device.sh --run FOLDER LOGS [PART ...]
#
# --build leaves the programs in a folder, --run runs those of a folder and leaves what they print in another. PARTS are
#
#   suite     the tests on GPUs, but for those of the next two parts
#   soaks     random work, several times at once and beside the suite, each with a seed of its own
#   alone     tests of deadlines, faults, leaks and full memory, with nothing beside them
#   library   the library's own tests, many of which need no device, that of stored tunings, and the page's exact sums
#   benches   each bench once, which checks its answers, with the command line's list of adapters
#
# and by default all but benches. The environment says how: SOAKS (10) of SOAK_SECONDS (300) each, SEEDS for the first of them, THREADS
# (12) of the suite, and LIMIT (570), seconds after which whatever still runs is ended, and counts as a failure.
# WGPU_REDUCE_REQUIRE_ADAPTERS should name the device, as in "NVIDIA Vulkan": without it any adapter will do. What fails stops nothing
# else; the exit status tells of it.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
# shellcheck source=benches/peers/programs.sh
source "$root/benches/peers/programs.sh"

usage() {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" >&2
    exit 2
}

[[ ${1:-} == --build && $# -ge 2 || ${1:-} == --run && $# -ge 3 ]] || usage
verb=$1
mkdir -p "$2" && programs=$(cd "$2" && pwd) || exit 1
shift 2
if [[ $verb == --run ]]; then
    mkdir -p "$1" && logs=$(cd "$1" && pwd) || exit 1
    shift
fi
parts=" ${*:-suite soaks alone library} "
is_asked() { [[ $parts == *" $1 "* ]]; }

build() {
    cd "$root" || exit 1
    program "$programs/gpu" test --test gpu || exit 1
    if is_asked library; then
        program "$programs/library" test --package wgpu-reduce --lib || exit 1
        program "$programs/stored_tunings" test --test stored_tunings || exit 1
        program "$programs/exact_bits" test --package wgpu-reduce-web --test exact_bits || exit 1
    fi
    if is_asked benches; then
        benches/peers/results.sh --build "$programs/benches" || exit 1
    fi
}

if [[ $verb == --build ]]; then
    build
    exit
fi

limit=${LIMIT:-570}
read -ra seeds <<<"${SEEDS:-}"
# Some GPU tests start the program again.
export RUST_BACKTRACE=${RUST_BACKTRACE:-0}

# NAME, and a program, which is ended when the time is up. What it prints goes to NAME.out, how it ended to NAME.status.
timed() {
    local name=$1 begin=$SECONDS left=$((limit - SECONDS)) status
    shift
    if ((left > 0)); then
        timeout --kill-after=5 "$left" "$@" >>"$logs/$name.out" 2>&1
        status=$?
    else
        status=124
    fi
    ((status == 124 || status == 137)) && status="ended after the time allowed"
    echo "$status $((SECONDS - begin))" >>"$logs/$name.status"
}

# NAME, and arguments of the GPU tests, whose outcomes go to NAME.log.
gpu() {
    timed "$1" "$programs/gpu" --logfile "$logs/$1.log" "${@:2}"
}

alone=(faults:: leaks:: stream::given_up)
# Each of these tests opens devices, and a driver makes only so many at once.
crowded=(pipelines:: multi::)

suite() {
    local skipped=(--skip coverage --skip soak:: --skip full_memory::) name
    for name in "${alone[@]}" "${crowded[@]}"; do skipped+=(--skip "$name"); done
    gpu suite --test-threads "${THREADS:-12}" "${skipped[@]}"
    for name in "${crowded[@]}"; do gpu "suite-${name%::}" "$name" --test-threads 4; done
}

# With Vulkan alone unless the environment says otherwise: where EGL opened no device, a driver was seen to stop all threads at once.
library() {
    local name
    for name in library stored_tunings exact_bits; do
        # Some tests read the shaders.
        (cd "$root" && WGPU_BACKEND=${WGPU_BACKEND:-vulkan} timed "$name" "$programs/$name" --test-threads "${THREADS:-12}")
    done
}

# It gives way to the suite.
soak() {
    renice -n 10 "$BASHPID" >/dev/null
    local seed=${seeds[$1]:-$(od -An -N8 -tu8 /dev/urandom | tr -d ' ')}
    echo "$seed" >"$logs/soak-$1.seed"
    WGPU_REDUCE_SOAK_SECONDS=${SOAK_SECONDS:-300} WGPU_REDUCE_SOAK_SEED=$seed gpu "soak-$1" soak::
}

one_by_one() {
    local name
    for name in "${alone[@]}"; do
        name=${name%::}
        gpu "alone-${name//::/-}" "$name"
    done
    # A GPU's memory is filled.
    WGPU_REDUCE_FULL_MEMORY=1 gpu alone-memory full_memory:: --test-threads 1
}

# The command line's list of adapters, and each bench, which without `--bench` only checks its answers.
benches() {
    local bench
    for bench in "$programs"/benches/*; do
        case ${bench##*/} in
            rustc) ;;
            wgpu-reduce) timed bench-devices "$bench" devices ;;
            *) timed "bench-${bench##*/}" "$bench" ;;
        esac
    done
}

rm -f "$logs"/*.{log,out,status,seed}
# Which adapters there are.
gpu adapters coverage
if is_asked soaks; then
    for ((number = 0; number < ${SOAKS:-10}; number++)); do
        soak "$number" &
    done
fi
is_asked suite && suite
is_asked library && library
wait
is_asked alone && one_by_one
is_asked benches && benches
shopt -s nullglob
cd "$logs" || exit 1
{
    date -u +%F
    awk -f "$here/table.awk" ./*.log ./*.out ./*.seed ./*.status
} | tee table.md
exit "${PIPESTATUS[0]}"
