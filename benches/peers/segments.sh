#!/usr/bin/env bash
# This crate's sums of segments beside CUB's, on this machine's NVIDIA GPU.
#
#   benches/peers/segments.sh [log2 of the elements, 26] [repetitions, 21] [rounds, 3]
#
# Needs nvcc (cuda.sh), and cargo unless SEGMENTS_BENCH names the built program of `benches/segments.rs`. Prints a table in
# Markdown. In every round each side runs once, one after the other; figures are medians over rounds of medians over
# repetitions, in microseconds of GPU time, of runs in flight with results that stay on the GPU. Fails if an answer is wrong.
set -euo pipefail

# shellcheck source=benches/peers/rounds.sh
source "$(dirname "$0")/rounds.sh"

run_rounds segments "${SEGMENTS_BENCH:-}"
print_heading segments
print_table segments 'how many' 3
