// CUB's sums with each of its guarantees of the same bits, to set beside this crate's exact sums.
//
//   nvcc -O3 -std=c++17 -arch=native -I CCCL -o exact exact.cu
//   ./exact REPETITIONS
//
// It needs CCCL 3.2 or later, in which cub::DeviceReduce::Reduce takes an environment.
//
//   plain            cub::DeviceReduce::Sum, which is CUB's run_to_run sum; its memory is allocated beforehand
//   not_guaranteed   as the next two, it allocates its memory in every call; it adds with atomics
//   run_to_run       the same bits in every run on one GPU
//   gpu_to_gpu       the same bits on every GPU, by a binned sum
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
    namespace determinism = cuda::execution::determinism;
    std::vector<T> values(size_t(1) << most);
    for (size_t i = 0; i < values.size(); i++) values[i] = element<T>(uint32_t(i));
    T *elements = on_device(values), *result = on_device(std::vector<T>(1));
    double expected = 0;
    size_t added = 0;
    for (int log : {10, 20, 24, most}) {
        size_t count = size_t(1) << log;
        for (; added < count; added++) expected += values[added];
        auto print = [&](const char *what, std::function<void(void *, size_t &)> sum) {
            CHECK(cudaMemset(result, 0xFF, sizeof(T)));
            Times us = measure(repetitions, sum);
            check(result, expected, relative, what);
            printf(" %.2f |", us.median);
        };
        auto print_with = [&](const char *what, auto guarantee) {
            print(what, [&](void *scratch, size_t &bytes) {
                bytes = 1;
                if (!scratch) return;
                auto environment = cuda::execution::require(guarantee);
                CHECK(cub::DeviceReduce::Reduce(elements, result, int(count), cuda::std::plus<T>{}, T(0), environment));
            });
        };
        printf("| %s | 2^%d |", name, log);
        print("plain", [&](void *scratch, size_t &bytes) {
            CHECK(cub::DeviceReduce::Sum(scratch, bytes, elements, result, int(count)));
        });
        print_with("not_guaranteed", determinism::not_guaranteed);
        print_with("run_to_run", determinism::run_to_run);
        print_with("gpu_to_gpu", determinism::gpu_to_gpu);
        printf("\n");
        fflush(stdout);
    }
    CHECK(cudaFree(elements));
    CHECK(cudaFree(result));
}

int main(int argc, char **argv) {
    tell_versions(argc, argv);
    int repetitions = argc > 1 ? atoi(argv[1]) : 21;
    printf("| type | elements | plain µs | not_guaranteed µs | run_to_run µs | gpu_to_gpu µs |\n|---|---|---:|---:|---:|---:|\n");
    compare<float>("f32", 28, repetitions, 1e-5);
    compare<double>("f64", 27, repetitions, 1e-12);
}
