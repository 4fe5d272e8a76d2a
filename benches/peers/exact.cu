// CUB's sums whose bits are the same on every GPU, beside its plain ones, to set beside this crate's exact sums.
//
//   nvcc -O3 -std=c++17 -arch=native -I CCCL -o exact exact.cu
//   ./exact REPETITIONS
//
// It needs CCCL 3.2 or later, in which cub::DeviceReduce::Reduce takes an environment. `gpu_to_gpu` is CUB's binned sum, which also allocates its memory in every call.
//
// Printed as a table in Markdown, medians of microseconds of runs in flight. Element k is uniform in [0, 1), a hash of
// k. Every answer is compared with the host's sum of f64.

#include <cub/cub.cuh>
#include <cuda/execution>

#include "common.cuh"

#include <cmath>

template <class T>
T element(uint32_t index) {
    if constexpr (sizeof(T) == 4) return uniform_of(index);
    return (double(hash_of(index)) * 4294967296.0 + hash_of(~index)) / 18446744073709551616.0;
}

template <class T>
void check(const T *result, double expected, double relative, const char *what) {
    T value;
    CHECK(cudaMemcpy(&value, result, sizeof(T), cudaMemcpyDeviceToHost));
    if (!(std::abs(value - expected) <= relative * expected)) {
        fprintf(stderr, "%s: %.17g is not %.17g\n", what, double(value), expected);
        exit(1);
    }
}

template <class T>
void compare(const char *name, int most, int repetitions, double relative) {
    std::vector<T> values(size_t(1) << most);
    for (size_t i = 0; i < values.size(); i++) values[i] = element<T>(uint32_t(i));
    T *elements = on_device(values), *result = on_device(std::vector<T>(1));
    auto everywhere = cuda::execution::require(cuda::execution::determinism::gpu_to_gpu);
    for (int log : {10, 20, 24, most}) {
        size_t count = size_t(1) << log;
        double expected = 0;
        for (size_t i = 0; i < count; i++) expected += values[i];
        Times plain = measure(repetitions, [&](void *scratch, size_t &bytes) {
            CHECK(cub::DeviceReduce::Sum(scratch, bytes, elements, result, int64_t(count)));
        });
        check(result, expected, relative, "plain");
        Times same = measure(repetitions, [&](void *scratch, size_t &bytes) {
            bytes = 1;
            if (!scratch) return;
            CHECK(cub::DeviceReduce::Reduce(elements, result, int(count), cuda::std::plus<T>{}, T(0), everywhere));
        });
        check(result, expected, relative, "gpu_to_gpu");
        printf("| %s | 2^%d | %.2f | %.2f |\n", name, log, plain.median, same.median);
    }
    CHECK(cudaFree(elements));
    CHECK(cudaFree(result));
}

int main(int argc, char **argv) {
    tell_versions(argc, argv);
    int repetitions = argc > 1 ? atoi(argv[1]) : 21;
    printf("| type | elements | plain, µs | gpu_to_gpu, µs |\n|---|---|---:|---:|\n");
    compare<float>("f32", 28, repetitions, 1e-5);
    compare<double>("f64", 27, repetitions, 1e-12);
}
