// Histograms of 256 bins by CUB, to set beside this crate's.
//
//   nvcc -O3 -std=c++17 -arch=native -o histogram histogram.cu
//   ./histogram LOG2_OF_ELEMENTS REPETITIONS
//
// The cases of benches/histogram.rs, by cub::DeviceHistogram::HistogramEven.
//
// Printed as CSV, medians of microseconds: gpu_us by events around each of several calls on their way, and spread, what lies
// between their quartiles, in percent of the median. The counts of the last of them are compared with the host's.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <cub/cub.cuh>

#include "common.cuh"

constexpr int BINS = 256;

uint8_t of_picture(uint32_t index) {
    uint32_t x = index % 4096, y = index / 4096, noise = hash_of(index) >> 29;
    return uint8_t(x / 32 + y / 48 + noise);
}

// Prints a line; tells whether the counts are right. `Level` is the type of the ends.
template <class T, class Level>
bool run(const char *name, uint32_t len, int repetitions, std::function<T(uint32_t)> element, Level low, Level high,
         std::function<int(T)> bin_of) {
    std::vector<T> values(len);
    std::vector<uint32_t> expected(BINS), found(BINS);
    for (uint32_t i = 0; i < len; i++) {
        values[i] = element(i);
        expected[bin_of(values[i])]++;
    }
    T *input = on_device(values);
    uint32_t *counts = on_device(found);
    Times gpu_us = measure(repetitions, [&](void *scratch, size_t &bytes) {
        CHECK(cub::DeviceHistogram::HistogramEven(scratch, bytes, input, counts, BINS + 1, low, high, int(len)));
    });
    CHECK(cudaMemcpy(found.data(), counts, BINS * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(input));
    CHECK(cudaFree(counts));
    printf("%s,%u,%.2f,%.1f\n", name, len, gpu_us.median, gpu_us.spread);
    return found == expected;
}

int main(int argc, char **argv) {
    tell_versions(argc, argv);
    int log = argc > 1 ? atoi(argv[1]) : 26, repetitions = argc > 2 ? atoi(argv[2]) : 21;
    if (log < 1 || log > 30 || repetitions < 1) {
        fprintf(stderr, "usage: histogram LOG2_OF_ELEMENTS (1 to 30) REPETITIONS\n");
        return 2;
    }
    uint32_t len = 1u << log;
    printf("case,elements,gpu_us,spread\n");
    auto of_byte = [](uint8_t value) { return int(value); };
    auto of_float = [](float value) { return int(value * BINS); };
    bool all_right = true;
    all_right &= run<uint8_t, int>(
        "u8 uniform", len, repetitions, [](uint32_t i) { return uint8_t(hash_of(i) >> 24); }, 0, BINS, of_byte);
    all_right &= run<uint8_t, int>(
        "u8 constant", len, repetitions, [](uint32_t) { return uint8_t(77); }, 0, BINS, of_byte);
    all_right &= run<uint8_t, int>("u8 picture", len, repetitions, of_picture, 0, BINS, of_byte);
    all_right &= run<uint32_t, uint64_t>(
        "u32 uniform", len, repetitions, [](uint32_t i) { return hash_of(i); }, 0, uint64_t(1) << 32,
        [](uint32_t value) { return int(value >> 24); });
    all_right &= run<float, float>("f32 uniform", len, repetitions, uniform_of, 0.0f, 1.0f, of_float);
    all_right &= run<float, float>(
        "f32 constant", len, repetitions, [](uint32_t) { return 0.3f; }, 0.0f, 1.0f, of_float);
    if (!all_right) fprintf(stderr, "counts are wrong\n");
    return all_right ? 0 : 1;
}
