#!/usr/bin/env bash
# What the driver's own bounds checks cost the ladder: with robustBufferAccess and without it.
#
#   benches/peers/robustness.sh [log2 of the elements, 28] [f32|i32] [repetitions, 21] [rounds, 3]
#   benches/peers/robustness.sh --build FILE
#
# wgpu enables robustBufferAccess, and robustBufferAccess2 of VK_EXT_robustness2, on every Vulkan
# device that has them, and has no option that leaves them out. So this builds the command line with a
# copy of wgpu-hal that leaves them out when NO_ROBUSTNESS is set; nothing else differs. With --build
# that is all, and FILE is the program. Otherwise it runs the ladder both ways in turn and prints a
# table in Markdown: medians of the rounds' GPU times, how far rounds differ, and what remains without.
#
# WGPU_REDUCE names a program built so before. ADAPTER is part of the adapter's name, by default
# NVIDIA. Needs cargo, unless WGPU_REDUCE is set.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
workspace=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck source=benches/peers/statistics.sh
source "$here/statistics.sh"

build() {
    cp -r "$workspace"/{Cargo.toml,Cargo.lock,src,shaders,benches,tests,examples,cli,hostile,known,mpi,npy,web-demo,xtask} "$folder"
    cp -r "$workspace"/{README.md,docs} "$folder"
    local manifest hal=$folder/wgpu-hal adapter=$folder/wgpu-hal/src/vulkan/adapter.rs
    manifest=$(cd "$workspace" && cargo metadata --format-version 1 --locked |
        sed 's/"manifest_path"/\n&/g' | sed -n 's/^"manifest_path":"\([^"]*wgpu-hal-[^"]*\)".*/\1/p')
    cp -r "$(dirname "$manifest")" "$hal"
    for feature in robust_buffer_access robust_buffer_access2; do
        local call=".$feature(private_caps.$feature"
        grep -qF "$call)" "$adapter" || { echo "wgpu-hal has changed: no $call)" >&2; exit 1; }
        sed -i "s/$call)/$call \&\& std::env::var_os(\"NO_ROBUSTNESS\").is_none())/" "$adapter"
    done
    printf '\n[patch.crates-io]\nwgpu-hal = { path = "wgpu-hal" }\n' >>"$folder/Cargo.toml"
    sed -i 's/^exclude = \[/&"wgpu-hal", /' "$folder/Cargo.toml"
    # The times are the GPU's, so the host's part need not be optimised.
    (cd "$folder" && CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$workspace/target} \
        CARGO_PROFILE_DEV_STRIP=symbols cargo build --quiet --package wgpu-reduce-cli)
    cp "${CARGO_TARGET_DIR:-$workspace/target}/debug/wgpu-reduce" "$1"
}

if [[ ${1:-} == --build && $# == 2 ]]; then
    build "$2"
    exit
fi

log_elements=${1:-28}
dtype=${2:-f32}
repetitions=${3:-21}
rounds=${4:-3}
if [[ -z ${WGPU_REDUCE:-} ]]; then
    WGPU_REDUCE=$folder/wgpu-reduce
    build "$WGPU_REDUCE"
fi

# Compiled pipelines are kept apart, since the stored ones do not say how they were compiled. What
# wgpu adds to shaders in a build for debugging is left out.
ladder() {
    WGPU_VALIDATION=0 WGPU_DEBUG=0 XDG_CACHE_HOME="$folder/$1" "$WGPU_REDUCE" ladder --csv --adapter "${ADAPTER:-NVIDIA}" \
        --elements "2^$log_elements" --dtype "$dtype" --repetitions "$repetitions"
}
for round in $(seq "$rounds"); do
    ladder with >"$folder/with_$round.csv"
    NO_ROBUSTNESS=1 ladder without >"$folder/without_$round.csv"
done

printf '2^%s %s, %s, %s rounds of %s runs\n\n' \
    "$log_elements" "$dtype" "$(date -u +%F)" "$rounds" "$repetitions"
echo "| level | with, us | spread % | without, us | spread % | without / with |"
echo "|---|---:|---:|---:|---:|---:|"
awk -F, "$statistics"'
    FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; way = FILENAME ~ /without_/; next }
    $column["gpu_us"] == "" { next }
    {
        level = $column["level"] " " $column["name"]
        if (!(level in number)) { number[level] = ++levels; name[levels] = level }
        us[way, level] = us[way, level] " " $column["gpu_us"]
        if ($column["ok"] != "true") { wrong = 1; print level " is wrong" }
    }
    END {
        for (n = 1; n <= levels; n++) {
            with = us[0, name[n]]; without = us[1, name[n]]
            printf "| %s | %.1f | %s | %.1f |", name[n], median(with), spread(with), median(without)
            printf " %s | %.3f |\n", spread(without), median(without) / median(with)
        }
        exit wrong
    }
' "$folder"/with_*.csv "$folder"/without_*.csv
