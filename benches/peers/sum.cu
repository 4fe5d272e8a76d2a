// Sums by CUB, to set beside this crate's.
//
//   nvcc -O3 -std=c++17 -arch=native -o sum sum.cu
//   ./sum OP DTYPE REPETITIONS LOG2_OF_ELEMENTS...
//
// OP and DTYPE as `wgpu-reduce bench` has them:
//
//   sum f32            cub::DeviceReduce::Sum, f32 to f32
//   sum i32, u32       cub::DeviceReduce::Reduce with cuda::std::plus and an initial value of 64 bits,
//                      which is what CUB accumulates in then
//   wrapping_sum i32, u32   cub::DeviceReduce::Sum in the elements' own 32 bits
//
// Printed as CSV, medians of microseconds:
//
//   gpu_us     events around one call; between them the host also launches the kernels
//   queued_us  the same, but launched while another kernel keeps the GPU busy: without the launches
//   call_us    wall-clock time of one call with the copy of the result to the host
//
// Element k is a multiplicative hash of k: f32 in [0, 1), i32 and u32 over their whole range. Every
// answer of every run is compared with a sum on the host: integers exactly, f32 to 1e-5 of it.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include <cub/cub.cuh>
#include <cuda/std/functional>

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t error = (call);                                                       \
        if (error != cudaSuccess) {                                                       \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));        \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

constexpr int WARM_UP_RUNS = 2;
// Of the GPU's clock: longer than any host takes to launch a sum.
constexpr long long BUSY_TICKS = 200000;

template <class T>
__host__ __device__ T element(uint32_t index) {
    uint32_t hash = index * 2654435761u;
    if constexpr (std::is_same_v<T, float>) return float(hash >> 8) / 16777216.0f;
    else return T(hash);
}

template <class T>
__global__ void make(T *values, uint32_t count) {
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        values[i] = element<T>(i);
    }
}

__global__ void keep_busy(long long ticks) {
    for (long long start = clock64(); clock64() - start < ticks;) {}
}

double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// T: elements; R: what they are summed in; E: the host's sum, of which R has the last bits.
template <class T, class R, class E>
struct Subject {
    const T *values;
    R *result;
    void *scratch = nullptr;
    size_t scratch_bytes = 0;
    cudaEvent_t begin, end;

    void sum(int count) {
        if constexpr (std::is_same_v<T, R>) {
            CHECK(cub::DeviceReduce::Sum(scratch, scratch_bytes, values, result, count));
        } else {
            CHECK(cub::DeviceReduce::Reduce(scratch, scratch_bytes, values, result, count,
                                            cuda::std::plus<>{}, R{0}));
        }
    }

    // The first call of CUB says how much scratch memory it needs.
    void make_room(int count) {
        CHECK(cudaFree(scratch));
        scratch = nullptr;
        sum(count);
        CHECK(cudaMalloc(&scratch, scratch_bytes));
    }

    R read() {
        R value;
        CHECK(cudaMemcpy(&value, result, sizeof(R), cudaMemcpyDeviceToHost));
        return value;
    }

    double gpu_us(int count, bool queued) {
        if (queued) keep_busy<<<1, 1>>>(BUSY_TICKS);
        CHECK(cudaEventRecord(begin));
        sum(count);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        return ms * 1e3;
    }

    double call_us(int count, R &value) {
        auto start = std::chrono::steady_clock::now();
        sum(count);
        value = read();
        auto passed = std::chrono::steady_clock::now() - start;
        return std::chrono::duration<double, std::micro>(passed).count();
    }

    // The medians of what `run` gives, which leaves its answer in `value`.
    template <class Run>
    double measure(int repetitions, E expected, bool &ok, Run run) {
        std::vector<double> times;
        for (int i = 0; i < repetitions + WARM_UP_RUNS; i++) {
            CHECK(cudaMemset(result, 0xFF, sizeof(R)));
            CHECK(cudaDeviceSynchronize());
            R value;
            double time = run(value);
            if (i >= WARM_UP_RUNS) times.push_back(time);
            if constexpr (std::is_same_v<R, float>) {
                ok = ok && std::fabs(value - expected) <= 1e-5 * expected;
            } else {
                ok = ok && value == R(expected);
            }
        }
        return median(times);
    }
};

template <class T, class R, class E>
bool run(const char *op, const char *dtype, int repetitions, std::vector<int> logs) {
    std::sort(logs.begin(), logs.end());
    uint32_t most = 1u << logs.back();
    T *values;
    Subject<T, R, E> subject;
    CHECK(cudaMalloc(&values, size_t(most) * sizeof(T)));
    CHECK(cudaMalloc(&subject.result, sizeof(R)));
    CHECK(cudaEventCreate(&subject.begin));
    CHECK(cudaEventCreate(&subject.end));
    make<<<4096, 256>>>(values, most);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    subject.values = values;

    printf("op,dtype,elements,gpu_us,queued_us,call_us,ok\n");
    E expected = 0;
    uint32_t added = 0;
    bool all_ok = true;
    for (int log : logs) {
        int count = 1 << log;
        for (; added < uint32_t(count); added++) expected += E(element<T>(added));
        subject.make_room(count);
        bool ok = true;
        auto gpu_us = [&](bool queued) {
            return subject.measure(repetitions, expected, ok, [&](R &value) {
                double time = subject.gpu_us(count, queued);
                value = subject.read();
                return time;
            });
        };
        double plain = gpu_us(false), queued = gpu_us(true);
        double call = subject.measure(repetitions, expected, ok,
                                      [&](R &value) { return subject.call_us(count, value); });
        printf("%s,%s,%d,%.3f,%.3f,%.3f,%s\n", op, dtype, count, plain, queued, call,
               ok ? "true" : "false");
        fflush(stdout);
        all_ok = all_ok && ok;
    }
    return all_ok;
}

int main(int argc, char **argv) {
    const char *op = argc > 1 ? argv[1] : "", *dtype = argc > 2 ? argv[2] : "";
    int repetitions = argc > 3 ? atoi(argv[3]) : 0;
    std::vector<int> logs;
    for (int i = 4; i < argc; i++) logs.push_back(atoi(argv[i]));
    bool usable = !logs.empty() && repetitions > 0;
    for (int log : logs) usable = usable && log >= 1 && log <= 30;
    auto is = [&](const char *an_op, const char *a_dtype) {
        return usable && !strcmp(op, an_op) && !strcmp(dtype, a_dtype);
    };
    bool ok;
    if (is("sum", "f32")) ok = run<float, float, double>(op, dtype, repetitions, logs);
    else if (is("sum", "i32")) ok = run<int32_t, int64_t, int64_t>(op, dtype, repetitions, logs);
    else if (is("sum", "u32")) ok = run<uint32_t, uint64_t, uint64_t>(op, dtype, repetitions, logs);
    else if (is("wrapping_sum", "i32"))
        ok = run<int32_t, int32_t, int64_t>(op, dtype, repetitions, logs);
    else if (is("wrapping_sum", "u32"))
        ok = run<uint32_t, uint32_t, uint64_t>(op, dtype, repetitions, logs);
    else {
        fprintf(stderr, "usage: sum sum|wrapping_sum f32|i32|u32 REPETITIONS LOG2 (1 to 30)...\n");
        return 2;
    }
    if (!ok) fprintf(stderr, "%s of %s: an answer is wrong\n", op, dtype);
    return ok ? 0 : 1;
}
