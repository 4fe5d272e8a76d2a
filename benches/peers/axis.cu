// Sums of f32 along an axis by CUDA, to set beside this crate's.
//
//   nvcc -O3 -std=c++17 -arch=native -o axis axis.cu
//   ./axis REPETITIONS ROWSxCOLUMNS:AXIS...
//
// Along axis 1: cub::DeviceSegmentedReduce::Sum with offsets that are computed, a segment for each row. Along
// axis 0, for which CUB has nothing: `columns` below, a thread for each column of a run of rows, and an
// atomic addition for each run.
//
// Printed as CSV: medians of microseconds between events around one call. Element k is a multiplicative hash
// of k in [0, 1); every answer of every run is compared with a sum in double on the host, to 1e-5 of it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t error = (call);                                                       \
        if (error != cudaSuccess) {                                                       \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));        \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

constexpr int WARM_UP_RUNS = 10;
constexpr int BLOCK = 256;
// Threads that keep a large GPU loading.
constexpr uint64_t THREADS = 1 << 18;

__host__ __device__ float element(uint32_t index) {
    return float(index * 2654435761u >> 8) / 16777216.0f;
}

__global__ void make(float *values, uint64_t count) {
    uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
    for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        values[i] = element(uint32_t(i));
    }
}

__global__ void columns_of(const float *values, float *sums, uint64_t rows, uint64_t columns,
                           uint64_t run) {
    uint64_t column = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    uint64_t begin = blockIdx.y * run, end = min(rows, begin + run);
    if (column >= columns || begin >= end) return;
    float sum = 0;
#pragma unroll 8
    for (uint64_t row = begin; row < end; row++) sum += values[row * columns + column];
    atomicAdd(&sums[column], sum);
}

struct RowStart {
    int64_t columns;
    __host__ __device__ int64_t operator()(int64_t row) const { return row * columns; }
};

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
            auto first = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                                         RowStart{int64_t(columns)});
            CHECK(cub::DeviceSegmentedReduce::Sum(scratch, scratch_bytes, values, sums,
                                                  int64_t(rows), first, first + 1));
            return;
        }
        uint64_t runs = std::min<uint64_t>({rows, 65535, std::max<uint64_t>(1, THREADS / columns)});
        uint64_t run = (rows + runs - 1) / runs;
        dim3 grid(unsigned((columns + BLOCK - 1) / BLOCK), unsigned((rows + run - 1) / run));
        CHECK(cudaMemsetAsync(sums, 0, columns * sizeof(float)));
        columns_of<<<grid, BLOCK>>>(values, sums, rows, columns, run);
        CHECK(cudaGetLastError());
    }

    // The first call of CUB says how much scratch memory it needs.
    void make_room() {
        if (axis == 0) return;
        run();
        CHECK(cudaMalloc(&scratch, std::max<size_t>(scratch_bytes, 1)));
    }
};

bool measure(const float *values, uint64_t rows, uint64_t columns, int axis, int repetitions) {
    Subject subject{values, nullptr, rows, columns, axis};
    CHECK(cudaMalloc(&subject.sums, subject.outputs() * sizeof(float)));
    subject.make_room();
    std::vector<double> expected(subject.outputs());
    for (uint64_t i = 0; i < rows * columns; i++) {
        expected[axis == 1 ? i / columns : i % columns] += element(uint32_t(i));
    }
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<double> times;
    std::vector<float> sums(subject.outputs());
    bool ok = true;
    for (int i = 0; i < WARM_UP_RUNS + repetitions; i++) {
        CHECK(cudaMemset(subject.sums, 0xFF, sums.size() * sizeof(float)));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventRecord(begin));
        subject.run();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= WARM_UP_RUNS) times.push_back(ms * 1e3);
        CHECK(cudaMemcpy(sums.data(), subject.sums, sums.size() * sizeof(float),
                         cudaMemcpyDeviceToHost));
        for (size_t k = 0; k < sums.size(); k++) {
            ok = ok && std::fabs(sums[k] - expected[k]) <= 1e-5 * expected[k];
        }
    }
    std::sort(times.begin(), times.end());
    printf("%llu,%llu,%d,%.2f,%s\n", (unsigned long long)rows, (unsigned long long)columns, axis,
           times[times.size() / 2], ok ? "true" : "false");
    fflush(stdout);
    CHECK(cudaFree(subject.scratch));
    CHECK(cudaFree(subject.sums));
    return ok;
}

int main(int argc, char **argv) {
    int repetitions = argc > 1 ? atoi(argv[1]) : 0;
    if (repetitions < 1 || argc < 3) {
        fprintf(stderr, "usage: axis REPETITIONS ROWSxCOLUMNS:AXIS...\n");
        return 2;
    }
    float *values = nullptr;
    uint64_t made = 0;
    bool ok = true;
    printf("rows,columns,axis,gpu_us,ok\n");
    for (int i = 2; i < argc; i++) {
        unsigned long long rows, columns;
        int axis;
        if (sscanf(argv[i], "%llux%llu:%d", &rows, &columns, &axis) != 3 || rows * columns == 0) {
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
