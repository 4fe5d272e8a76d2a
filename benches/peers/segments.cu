// Sums of segments and of runs of equal keys by CUB, to set beside this crate's.
//
//   nvcc -O3 -std=c++17 -arch=native -o segments segments.cu
//   ./segments LOG2_OF_ELEMENTS REPETITIONS
//
// Segments as benches/segments.rs has them, by cub::DeviceSegmentedReduce::Sum of f32 with offsets; runs of keys by
// cub::DeviceReduce::ReduceByKey of u32 keys and f32 values, of 1 to 31 elements; all elements by cub::DeviceReduce::Sum.
//
// Printed as CSV, medians of microseconds: gpu_us by events around each of several calls on their way, and spread, what lies
// between their quartiles, in percent of the median. From CCCL 3.2 on, size_us is of segments of one size, where CUB is given
// that size instead of offsets. From 3.5 on there is a sum of a length that lies on the GPU.
// Every answer of the last call is compared with a sum on the host, to 1e-5 of it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <cub/cub.cuh>
#include <cuda/std/functional>

#include "common.cuh"

#if HAS_COUNTED_LENGTHS
#include <cuda/argument>
#endif

using Offsets = std::vector<uint32_t>;

Offsets offsets_of(uint32_t len, std::function<uint32_t(uint32_t)> length) {
    Offsets offsets{0};
    for (uint32_t end = 0; end < len;) {
        end += std::min(length(uint32_t(offsets.size() - 1)), len - end);
        offsets.push_back(end);
    }
    return offsets;
}

// As in benches/segments.rs: the last step of MurmurHash3.
uint32_t mixed(uint32_t number) {
    number = (number ^ (number >> 16)) * 0x85ebca6bu;
    number = (number ^ (number >> 13)) * 0xc2b2ae35u;
    return number ^ (number >> 16);
}

uint32_t ragged(uint32_t number) {
    double uniform = ((mixed((10u << 24) + number + 1) >> 8) + 0.5) / double(1 << 24);
    return uint32_t(std::min(4.0 / uniform, double(1 << 22)));
}

bool is_right(const float *device_sums, const std::vector<float> &values, const Offsets &offsets) {
    std::vector<float> sums(offsets.size() - 1);
    CHECK(cudaMemcpy(sums.data(), device_sums, sums.size() * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < sums.size(); i++) {
        double expected = 0;
        for (uint32_t k = offsets[i]; k < offsets[i + 1]; k++) expected += values[k];
        if (!(std::fabs(sums[i] - expected) <= 1e-5 * expected)) return false;
    }
    return true;
}

// The size of segments that have the same, or 0.
int size_of(const Offsets &offsets) {
    for (size_t i = 1; i < offsets.size(); i++) {
        if (offsets[i] - offsets[i - 1] != offsets[1]) return 0;
    }
    return int(offsets[1]);
}

// The time of segments of one size, with a comma before it; nothing if they differ or CUB takes no size.
std::string with_size(const float *values, float *sums, const Offsets &offsets, int repetitions) {
#if HAS_SEGMENTS_OF_ONE_SIZE
    if (int size = size_of(offsets)) {
        int64_t count = int64_t(offsets.size()) - 1;
        Times us = measure(repetitions, [&](void *scratch, size_t &bytes) {
            CHECK(cub::DeviceSegmentedReduce::Sum(scratch, bytes, values, sums, count, size));
        });
        char text[32];
        snprintf(text, sizeof(text), ",%.2f", us.median);
        return text;
    }
#endif
    return "";
}

int main(int argc, char **argv) {
    tell_versions(argc, argv);
    int log = argc > 1 ? atoi(argv[1]) : 26, repetitions = argc > 2 ? atoi(argv[2]) : 21;
    if (log < 1 || log > 30 || repetitions < 1) {
        fprintf(stderr, "usage: segments LOG2_OF_ELEMENTS (1 to 30) REPETITIONS\n");
        return 2;
    }
    uint32_t len = 1u << log;
    std::vector<float> values(len);
    for (uint32_t i = 0; i < len; i++) values[i] = uniform_of(i);
    float *device_values = on_device(values);

    Offsets with_empty((1 << 20) + 2, len / 2);
    with_empty.front() = 0;
    with_empty.back() = len;
    struct Case { const char *name; Offsets offsets; };
    Case cases[] = {
        {"ragged", offsets_of(len, ragged)},
        {"one", {0, len}},
        {"of 16", offsets_of(len, [](uint32_t) { return 16u; })},
        {"of 1 to 4", offsets_of(len, [](uint32_t number) { return 1 + (hash_of(number) >> 16) % 4; })},
        {"of 2^16", offsets_of(len, [](uint32_t) { return 1u << 16; })},
        {"2^20 empty in one", with_empty},
    };
    bool all_right = true;
    printf("case,elements,segments,gpu_us,spread,size_us\n");
    for (auto &[name, offsets] : cases) {
        uint32_t *device_offsets = on_device(offsets);
        int count = int(offsets.size()) - 1;
        float *sums;
        CHECK(cudaMalloc(&sums, size_t(count) * sizeof(float)));
        Times gpu_us = measure(repetitions, [&](void *scratch, size_t &bytes) {
            CHECK(cub::DeviceSegmentedReduce::Sum(scratch, bytes, device_values, sums, count,
                                                  device_offsets, device_offsets + 1));
        });
        all_right = all_right && is_right(sums, values, offsets);
        CHECK(cudaMemset(sums, 0xFF, size_t(count) * sizeof(float)));
        std::string size_us = with_size(device_values, sums, offsets, repetitions);
        all_right = all_right && (size_us.empty() || is_right(sums, values, offsets));
        printf("%s,%u,%d,%.2f,%.1f%s\n", name, len, count, gpu_us.median, gpu_us.spread, size_us.c_str());
        CHECK(cudaFree(sums));
        CHECK(cudaFree(device_offsets));
    }

    Offsets runs = offsets_of(len, [](uint32_t number) { return 1 + (hash_of(number) >> 16) % 31; });
    std::vector<uint32_t> keys(len);
    for (size_t i = 0; i + 1 < runs.size(); i++) {
        std::fill(keys.begin() + runs[i], keys.begin() + runs[i + 1], uint32_t(i));
    }
    uint32_t *device_keys = on_device(keys), *unique, *count;
    float *sums;
    CHECK(cudaMalloc(&unique, size_t(len) * 4));
    CHECK(cudaMalloc(&sums, size_t(len) * 4));
    CHECK(cudaMalloc(&count, 4));
    Times gpu_us = measure(repetitions, [&](void *scratch, size_t &bytes) {
        CHECK(cub::DeviceReduce::ReduceByKey(scratch, bytes, device_keys, unique, device_values, sums,
                                             count, cuda::std::plus<>{}, int(len)));
    });
    uint32_t found;
    CHECK(cudaMemcpy(&found, count, 4, cudaMemcpyDeviceToHost));
    all_right = all_right && found == runs.size() - 1 && is_right(sums, values, runs);
    printf("by key,%u,%u,%.2f,%.1f\n", len, found, gpu_us.median, gpu_us.spread);

    gpu_us = measure(repetitions, [&](void *scratch, size_t &bytes) {
        CHECK(cub::DeviceReduce::Sum(scratch, bytes, device_values, sums, int(len)));
    });
    all_right = all_right && is_right(sums, values, {0, len});
    printf("sum,%u,1,%.2f,%.1f\n", len, gpu_us.median, gpu_us.spread);

#if HAS_COUNTED_LENGTHS
    uint32_t *device_len = on_device(Offsets{len});
    CHECK(cudaMemset(sums, 0xFF, sizeof(float)));
    gpu_us = measure(repetitions, [&](void *scratch, size_t &bytes) {
        CHECK(cub::DeviceReduce::Sum(scratch, bytes, device_values, sums, cuda::args::deferred{device_len}));
    });
    all_right = all_right && is_right(sums, values, {0, len});
    printf("sum of a counted length,%u,1,%.2f,%.1f\n", len, gpu_us.median, gpu_us.spread);
#endif
    if (!all_right) fprintf(stderr, "an answer is wrong\n");
    return all_right ? 0 : 1;
}
