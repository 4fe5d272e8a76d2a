# shellcheck shell=bash
# What scripts share that run peers in CUDA or PyTorch; they source it, and have `set -euo pipefail`.
#
# CUDA_ARCH is nvcc's -arch, by default that of the GPU present. CCCL names a folder of headers of CCCL, to which CUB belongs;
# the default is the CCCL of nvcc's CUDA. The package nvidia-cuda-cccl of PyPI has newer ones, in `nvidia/cu13/include/cccl`.

if [[ -n ${CCCL:-} && ! -f $CCCL/cub/cub.cuh ]]; then
    echo "CCCL: $CCCL has no cub/cub.cuh" >&2
    exit 2
fi

# Compiles NAME.cu of this folder to a program: PROGRAM NAME [options of nvcc].
compile() {
    local folder
    folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
    nvcc -O3 -std=c++17 -arch="${CUDA_ARCH:-native}" ${CCCL:+-I "$CCCL"} "${@:3}" -o "$1" "$folder/$2.cu"
}

# Prints the version of PyTorch.
torch_version() {
    python3 -c 'import torch; print(torch.__version__)' 2>/dev/null || echo 'not installed'
}

# Prints the date, the GPU, and the versions that PROGRAM was compiled with, as a heading in Markdown.
print_setting() {
    local gpu versions
    gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader --id=0)
    versions=$("$1" --versions)
    printf '### %s, %s, driver %s, %s\n\n' "$(date -u +%F)" "${gpu%, *}" "${gpu##*, }" "$versions"
}
