#!/usr/bin/env bash
# CUB's sums with the same bits on every GPU, for the exact sums of `cargo bench --bench exact_gpu -- exact/` to be set beside.
#
#   benches/peers/exact.sh [repetitions, 21]
#
# Needs nvcc, and CCCL, the folder of headers of CCCL 3.2 or later (the package nvidia-cuda-cccl of PyPI has them). CUDA_ARCH is
# nvcc's -arch, by default that of the GPU present. Prints a table in Markdown. Fails if an answer is wrong.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [[ ! -d ${CCCL:-} ]]; then
    echo 'not measured: CCCL names no folder of headers'
    exit
fi
nvcc -O3 -std=c++17 -arch="${CUDA_ARCH:-native}" -I "$CCCL" -o "$folder/exact" "$here/exact.cu"
"$folder/exact" "${1:-21}"
