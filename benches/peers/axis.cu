// Sums of f32 along an axis by CUDA, to set beside this crate's.
//
//   nvcc -O3 -std=c++17 -arch=native -o axis axis.cu
//   ./axis REPETITIONS ROWSxCOLUMNS:AXIS...
//
// Along axis 1: cub::DeviceSegmentedReduce::Sum, with segments of one size from CCCL 3.2 on, before that
// with computed offsets; a line says which. Along axis 0, for which
// CUB has nothing: `columns_of` below, a block for a run of rows of up to 256 columns, and an atomic addition
// of each block to each of its columns.
//
// Printed as CSV: medians of microseconds between events around a run, and what lies between their quartiles, in percent, with several runs on their way before
// the first of them is waited for, after others that raise the GPU's clock. Element k is a multiplicative hash
// of k in [0, 1); the answers of the last run are compared with sums in double on the host, to 1e-5 of them,
// or to a rounding for each addition that an element of axis 0 passes through, where that is more.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "common.cuh"

constexpr int BLOCK = 256;
// Threads that keep a large GPU loading.
constexpr uint64_t THREADS = 1 << 18;

__global__ void make(float *values, uint64_t count) {
    uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
    for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        values[i] = uniform_of(uint32_t(i));
    }
}

// A block is `width` threads side by side, a power of two, times as many rows as there are threads left.
__global__ void columns_of(const float *values, float *sums, uint64_t rows, uint64_t columns,
                           uint64_t run, unsigned width) {
    __shared__ float shared[BLOCK];
    unsigned x = threadIdx.x % width, y = threadIdx.x / width, height = BLOCK / width;
    uint64_t column = uint64_t(blockIdx.x) * width + x;
    uint64_t begin = blockIdx.y * run, end = min(rows, begin + run);
    float sum = 0;
    if (column < columns) {
#pragma unroll 8
        for (uint64_t row = begin + y; row < end; row += height) sum += values[row * columns + column];
    }
    shared[threadIdx.x] = sum;
    for (unsigned distance = height / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (y < distance) shared[threadIdx.x] += shared[threadIdx.x + distance * width];
    }
    if (y == 0 && column < columns) atomicAdd(&sums[column], shared[threadIdx.x]);
}

struct RowStart {
    int64_t columns;
    __host__ __device__ int64_t operator()(int64_t row) const { return row * columns; }
};

cudaError_t sum_rows(void *scratch, size_t &scratch_bytes, const float *values, float *sums,
                     int64_t rows, int columns) {
#if HAS_SEGMENTS_OF_ONE_SIZE
    return cub::DeviceSegmentedReduce::Sum(scratch, scratch_bytes, values, sums, rows, columns);
#else
    auto first = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), RowStart{columns});
    return cub::DeviceSegmentedReduce::Sum(scratch, scratch_bytes, values, sums, rows, first, first + 1);
#endif
}

struct Subject {
    const float *values;
    float *sums;
    uint64_t rows, columns;
    int axis;
    void *scratch = nullptr;
    size_t scratch_bytes = 0;

    uint64_t outputs() const { return axis == 1 ? rows : columns; }

    void run() {
        if (axis == 1) {
            CHECK(sum_rows(scratch, scratch_bytes, values, sums, int64_t(rows), int(columns)));
            return;
        }
        dim3 grid(unsigned((columns + width() - 1) / width()), unsigned((rows + run_rows() - 1) / run_rows()));
        CHECK(cudaMemsetAsync(sums, 0, columns * sizeof(float)));
        columns_of<<<grid, BLOCK>>>(values, sums, rows, columns, run_rows(), width());
        CHECK(cudaGetLastError());
    }

    unsigned width() const {
        unsigned width = 1;
        while (width < columns && width < BLOCK) width *= 2;
        return width;
    }

    // Rows of a block: so many that there are about as many threads as keep the GPU loading.
    uint64_t run_rows() const {
        uint64_t height = BLOCK / width(), blocks = (columns + width() - 1) / width();
        uint64_t runs = std::max<uint64_t>(1, std::min(rows / height, THREADS / BLOCK / blocks));
        return (rows + runs - 1) / runs;
    }

    // The tolerance for what is added to an element's column on its way: its own thread's, the block's, other blocks'.
    double tolerance() const {
        if (axis == 1) return 1e-5;
        uint64_t height = BLOCK / width(), runs = (rows + run_rows() - 1) / run_rows();
        double additions = double((run_rows() + height - 1) / height) + 8 + double(runs);
        return std::max(1e-5, additions * std::ldexp(1.0, -24));
    }

    // The first call of CUB says how much scratch memory it needs.
    void make_room() {
        if (axis == 0) return;
        run();
        CHECK(cudaMalloc(&scratch, std::max<size_t>(scratch_bytes, 1)));
    }
};

Times gpu_us(Subject &subject, int repetitions) {
    cudaEvent_t begin[IN_FLIGHT], end[IN_FLIGHT];
    for (int i = 0; i < IN_FLIGHT; i++) {
        CHECK(cudaEventCreate(&begin[i]));
        CHECK(cudaEventCreate(&end[i]));
    }
    auto start = std::chrono::steady_clock::now();
    while (seconds_since(start) < WARM_UP_SECONDS) {
        for (int i = 0; i < IN_FLIGHT; i++) subject.run();
        CHECK(cudaDeviceSynchronize());
    }
    std::vector<double> times;
    int done = 0;
    for (int i = 0; i < repetitions + IN_FLIGHT; i++) {
        if (i >= IN_FLIGHT) {
            float ms;
            CHECK(cudaEventSynchronize(end[done % IN_FLIGHT]));
            CHECK(cudaEventElapsedTime(&ms, begin[done % IN_FLIGHT], end[done % IN_FLIGHT]));
            times.push_back(ms * 1e3);
            done++;
        }
        CHECK(cudaEventRecord(begin[i % IN_FLIGHT]));
        subject.run();
        CHECK(cudaEventRecord(end[i % IN_FLIGHT]));
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < IN_FLIGHT; i++) {
        CHECK(cudaEventDestroy(begin[i]));
        CHECK(cudaEventDestroy(end[i]));
    }
    return times_of(times);
}

bool measure(const float *values, uint64_t rows, uint64_t columns, int axis, int repetitions) {
    Subject subject{values, nullptr, rows, columns, axis};
    CHECK(cudaMalloc(&subject.sums, subject.outputs() * sizeof(float)));
    subject.make_room();
    std::vector<double> expected(subject.outputs());
    for (uint64_t row = 0, i = 0; row < rows; row++) {
        for (uint64_t column = 0; column < columns; column++, i++) {
            expected[axis == 1 ? row : column] += uniform_of(uint32_t(i));
        }
    }
    CHECK(cudaMemset(subject.sums, 0xFF, expected.size() * sizeof(float)));
    Times us = gpu_us(subject, repetitions);
    std::vector<float> sums(subject.outputs());
    CHECK(cudaMemcpy(sums.data(), subject.sums, sums.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (size_t k = 0; k < sums.size(); k++) {
        bool near = std::fabs(sums[k] - expected[k]) <= subject.tolerance() * expected[k];
        if (ok && !near) {
            fprintf(stderr, "%llux%llu:%d: %g at %zu is not %g\n", (unsigned long long)rows,
                    (unsigned long long)columns, axis, sums[k], k, expected[k]);
        }
        ok = ok && near;
    }
    printf("%llu,%llu,%d,%.2f,%.1f,%s\n", (unsigned long long)rows, (unsigned long long)columns, axis, us.median,
           us.spread, ok ? "true" : "false");
    fflush(stdout);
    CHECK(cudaFree(subject.scratch));
    CHECK(cudaFree(subject.sums));
    return ok;
}

int main(int argc, char **argv) {
    tell_versions(argc, argv);
    int repetitions = argc > 1 ? atoi(argv[1]) : 0;
    if (repetitions < 1 || argc < 3) {
        fprintf(stderr, "usage: axis REPETITIONS ROWSxCOLUMNS:AXIS...\n");
        return 2;
    }
    float *values = nullptr;
    uint64_t made = 0;
    bool ok = true;
    printf("# Rows are CUB's segments %s.\n", HAS_SEGMENTS_OF_ONE_SIZE ? "of one size" : "with computed offsets");
    printf("rows,columns,axis,gpu_us,spread,ok\n");
    for (int i = 2; i < argc; i++) {
        unsigned long long rows, columns;
        int axis;
        if (sscanf(argv[i], "%llux%llu:%d", &rows, &columns, &axis) != 3 || rows * columns == 0 ||
            columns > INT32_MAX) {
            fprintf(stderr, "%s is no ROWSxCOLUMNS:AXIS\n", argv[i]);
            return 2;
        }
        if (rows * columns > made) {
            CHECK(cudaFree(values));
            made = rows * columns;
            CHECK(cudaMalloc(&values, made * sizeof(float)));
            make<<<4096, BLOCK>>>(values, made);
            CHECK(cudaGetLastError());
        }
        ok = measure(values, rows, columns, axis, repetitions) && ok;
    }
    if (!ok) fprintf(stderr, "an answer is wrong\n");
    return ok ? 0 : 1;
}
