// What the CUDA programs of this folder share: errors, made-up numbers, times.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

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
constexpr int IN_FLIGHT = 8;

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

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
