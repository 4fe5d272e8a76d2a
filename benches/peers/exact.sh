#!/usr/bin/env bash
# CUB's sums with each of its guarantees of the same bits, to set beside the exact sums of `cargo bench --bench exact_gpu -- exact/`.
#
#   benches/peers/exact.sh [repetitions, 21]
#
# Needs nvcc, and CCCL 3.2 or later (cuda.sh). Prints a table in Markdown. Fails if an answer is wrong.
set -euo pipefail

# shellcheck source=benches/peers/cuda.sh
source "$(dirname "$0")/cuda.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [[ -z ${CCCL:-} ]]; then
    echo 'not measured: CCCL names no folder of headers'
    exit
fi
compile "$folder/exact" exact
print_setting "$folder/exact"
"$folder/exact" "${1:-21}"
