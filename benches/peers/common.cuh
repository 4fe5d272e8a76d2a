// What the CUDA programs of this folder share: errors, versions, made-up numbers, times.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include <cuda/version>

// Whether cub::DeviceSegmentedReduce::Sum takes one size for all segments.
#define HAS_SEGMENTS_OF_ONE_SIZE (CCCL_VERSION >= 3002000)
// Whether cub::DeviceReduce::Sum takes a length that lies on the GPU.
#define HAS_COUNTED_LENGTHS (CCCL_VERSION >= 3005000)

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t error = (call);                                                       \
        if (error != cudaSuccess) {                                                       \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));        \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

// A GPU that has little to do lowers its clock: so long one runs before it is timed, and so many runs are
// on their way while it is.
constexpr double WARM_UP_SECONDS = 0.4;
// From rest to the highest clock.
constexpr double RISE_SECONDS = 1;
constexpr int IN_FLIGHT = 8;
// As many runs as take so long stand between two events, at most so many.
constexpr double SECONDS_BETWEEN = 4e-3;
constexpr int MOST_BETWEEN = 16;
// The host launches a run in less.
constexpr uint64_t LAUNCH_NS = 50'000;

// Prints the versions of CUDA and of CCCL, to which CUB belongs, and ends, if `--versions` is the only argument.
inline void tell_versions(int argc, char **argv) {
    if (argc != 2 || strcmp(argv[1], "--versions")) return;
    printf("CUDA %d.%d, CCCL %d.%d.%d\n", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, CCCL_MAJOR_VERSION,
           CCCL_MINOR_VERSION, CCCL_PATCH_VERSION);
    exit(0);
}

// As in the package wgpu-reduce-known.
__host__ __device__ inline uint32_t hash_of(uint32_t index) {
    return index * 2654435761u;
}

// In [0, 1).
__host__ __device__ inline float uniform_of(uint32_t index) {
    return float(hash_of(index) >> 8) / 16777216.0f;
}

template <class T>
T median(std::vector<T> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// The median of times, and how far they differ: what lies between the quartiles, in percent of the median.
struct Times {
    double median, spread;
};

inline Times times_of(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    size_t count = times.size();
    double middle = times[count / 2];
    return {middle, 100 * (times[count * 3 / 4] - times[count / 4]) / middle};
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class T>
T *on_device(const std::vector<T> &values) {
    T *memory;
    CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

struct Events {
    cudaEvent_t begin, end;

    Events() {
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
    }

    ~Events() {
        CHECK(cudaEventDestroy(begin));
        CHECK(cudaEventDestroy(end));
    }
};

__global__ void wait_for(uint64_t ns) {
    uint64_t start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    } while (now - start < ns);
}

// Keeps the GPU waiting until the host has launched so many runs: else events around short runs would contain launches.
inline void hold_for(int runs) {
    wait_for<<<1, 1>>>(runs * LAUNCH_NS);
    CHECK(cudaGetLastError());
}

// Times of `run`, each the mean of several, which is given scratch memory, and first asked how much it needs.
inline Times measure(int repetitions, std::function<void(void *, size_t &)> run) {
    void *scratch = nullptr;
    size_t bytes = 0;
    run(nullptr, bytes);
    CHECK(cudaMalloc(&scratch, bytes));
    auto start = std::chrono::steady_clock::now();
    int runs = 0;
    for (; seconds_since(start) < WARM_UP_SECONDS; runs += IN_FLIGHT) {
        for (int i = 0; i < IN_FLIGHT; i++) run(scratch, bytes);
        CHECK(cudaDeviceSynchronize());
    }
    double of_one = seconds_since(start) / runs;
    int together = std::max(1, int(std::min(SECONDS_BETWEEN / of_one, double(MOST_BETWEEN))));
    std::vector<Events> events(repetitions);
    for (int i = 0; i < IN_FLIGHT; i++) run(scratch, bytes);
    for (Events &of_run : events) {
        hold_for(together);
        CHECK(cudaEventRecord(of_run.begin));
        for (int i = 0; i < together; i++) run(scratch, bytes);
        CHECK(cudaEventRecord(of_run.end));
    }
    CHECK(cudaDeviceSynchronize());
    std::vector<double> times;
    for (Events &of_run : events) {
        float ms;
        CHECK(cudaEventElapsedTime(&ms, of_run.begin, of_run.end));
        times.push_back(ms * 1e3 / together);
    }
    CHECK(cudaFree(scratch));
    return times_of(times);
}
