#!/usr/bin/env bash
# This crate's histograms beside CUB's, on this machine's NVIDIA GPU.
#
#   benches/peers/histogram.sh [log2 of the elements, 26] [repetitions, 21] [rounds, 3]
#
# Needs nvcc (cuda.sh), and cargo unless HISTOGRAM_BENCH names the built program of `benches/histogram.rs`. Prints a table in
# Markdown. In every round each side runs once, one after the other; figures are medians over rounds of medians over
# repetitions, in microseconds of GPU time, of runs in flight with counts that stay on the GPU. Fails if counts are wrong.
set -euo pipefail

# shellcheck source=benches/peers/rounds.sh
source "$(dirname "$0")/rounds.sh"

run_rounds histogram "${HISTOGRAM_BENCH:-}"
print_heading histogram
print_table data
