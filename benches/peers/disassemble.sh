#!/usr/bin/env bash
# The machine code that NVIDIA's Vulkan driver made of this crate's pipelines.
#
#   benches/peers/disassemble.sh [--raw FOLDER] FILE
#
# FILE is a stored pipeline cache: one of `Options::pipeline_cache`, which the command line keeps in
# ~/.cache/wgpu-reduce, or what vkGetPipelineCacheData gives. Prints every pipeline's instructions, in
# no particular order; with --raw writes their bytes to FOLDER instead. To see one pipeline, start from
# an empty folder:
#
#   XDG_CACHE_HOME=$PWD/one wgpu-reduce sum numbers.npy
#   benches/peers/disassemble.sh one/wgpu-reduce/*.bin
#
# Needs python3 and zstd, and nvdisasm of CUDA unless --raw is given. SM is the architecture that
# nvdisasm is told, by default that of the GPU present.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
if [[ ${1:-} == --raw && $# == 3 ]]; then
    exec python3 "$here/machine_code.py" "$3" "$2"
elif [[ $# != 1 ]]; then
    echo "usage: disassemble.sh [--raw FOLDER] FILE" >&2
    exit 2
fi

if [[ -z ${SM:-} ]]; then
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader --id=0)
    SM=SM${capability/./}
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$here/machine_code.py" "$1" "$folder" >"$folder/names"
while read -r code; do
    printf '== %s, %d bytes\n' "$(basename "$code" .code)" "$(stat -c %s "$code")"
    nvdisasm -b "$SM" "$code"
done <"$folder/names"
