// Sums and places of maxima by CUB, to set beside this crate's.
//
//   nvcc -O3 -std=c++17 -arch=native -o sum sum.cu
//   ./sum OP DTYPE REPETITIONS IN_FLIGHT LOG2_OF_ELEMENTS...
//
// OP and DTYPE as `wgpu-reduce bench` has them:
//
//   sum f32            cub::DeviceReduce::Sum, f32 to f32
//   sum i32, u32       cub::DeviceReduce::Reduce with cuda::std::plus and an initial value of 64
//                      bits, which is what CUB accumulates in then
//   sum u8             the same
//   wrapping_sum i32, u32   cub::DeviceReduce::Sum in the elements' own 32 bits
//   argmax f32         cub::DeviceReduce::ArgMax
//
// Printed as CSV, medians of microseconds:
//
//   gpu_us     events around one call on an idle GPU; between them the host also launches the kernels
//   flight_us  the same with IN_FLIGHT runs launched before the first of them begins: launches
//              are hidden, and the GPU's clock does not sink between runs
//   call_us    wall-clock time of one call with the copy of the result to the host
//
// Before each length the GPU sums for a while, so that its clock has risen.
//
// Element k is a multiplicative hash of k: f32 in [0, 1), integers over their whole range. Every
// answer of every run is compared with the host's: integers and places exactly, sums of f32 to 1e-5.

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

#include "common.cuh"

constexpr int WARM_UP_RUNS = 2;

template <class T>
__host__ __device__ T element(uint32_t index) {
    if constexpr (std::is_same_v<T, float>) return uniform_of(index);
    else return T(hash_of(index) >> (32 - 8 * sizeof(T)));
}

template <class T>
__global__ void make(T *values, uint32_t count) {
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        values[i] = element<T>(i);
    }
}

// A run on its way: when it began and ended, and where its answer goes.
template <class R>
struct Run {
    cudaEvent_t begin, end;
    R *result;
    R *on_host;

    Run() {
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        CHECK(cudaMalloc(&result, sizeof(R)));
        CHECK(cudaMallocHost(&on_host, sizeof(R)));
    }
};

// T: elements; R: what they are summed in; E: the host's sum, of which R has the last bits.
template <class T, class R, class E>
struct Sum {
    using Element = T;
    using Result = R;

    E expected = 0;

    static cudaError_t call(void *scratch, size_t &bytes, const T *values, R *result, int count) {
        if constexpr (std::is_same_v<T, R>) {
            return cub::DeviceReduce::Sum(scratch, bytes, values, result, count);
        } else {
            cuda::std::plus<> plus;
            return cub::DeviceReduce::Reduce(scratch, bytes, values, result, count, plus, R{0});
        }
    }

    void add(T value, uint32_t) { expected += E(value); }

    bool is(R value) const {
        if constexpr (std::is_same_v<R, float>) {
            return std::fabs(value - expected) <= 1e-5 * expected;
        } else {
            return value == R(expected);
        }
    }
};

struct Place {
    float value;
    int64_t index;
};

struct ArgMax {
    using Element = float;
    using Result = Place;

    Place largest = {-1, 0};

    static cudaError_t call(void *scratch, size_t &bytes, const float *values, Place *result, int count) {
        return cub::DeviceReduce::ArgMax(scratch, bytes, values, &result->value, &result->index, count);
    }

    void add(float value, uint32_t index) {
        if (value > largest.value) largest = {value, index};
    }

    bool is(Place place) const {
        return place.value == largest.value && place.index == largest.index;
    }
};

template <class Operation>
struct Subject {
    using T = typename Operation::Element;
    using R = typename Operation::Result;

    const T *values;
    int count = 0;
    Operation operation;
    bool ok = true;
    void *scratch = nullptr;
    size_t scratch_bytes = 0;
    std::vector<Run<R>> runs;

    void reduce(R *result) {
        CHECK(Operation::call(scratch, scratch_bytes, values, result, count));
    }

    // The first call of CUB says how much scratch memory it needs.
    void make_room() {
        CHECK(cudaFree(scratch));
        scratch = nullptr;
        reduce(runs[0].result);
        CHECK(cudaMalloc(&scratch, scratch_bytes));
    }

    void check(R value) { ok = ok && operation.is(value); }

    void warm_up(double seconds) {
        auto start = std::chrono::steady_clock::now();
        while (seconds_since(start) < seconds) {
            for (Run<R> &run : runs) reduce(run.result);
            CHECK(cudaDeviceSynchronize());
        }
    }

    void launch(Run<R> &run, bool alone) {
        CHECK(cudaMemsetAsync(run.result, 0xFF, sizeof(R)));
        if (alone) CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventRecord(run.begin));
        reduce(run.result);
        CHECK(cudaEventRecord(run.end));
        CHECK(cudaMemcpyAsync(run.on_host, run.result, sizeof(R), cudaMemcpyDeviceToHost));
    }

    // So many runs at a time on their way before the first of them is waited for.
    double gpu_us(int repetitions, int in_flight) {
        std::vector<double> times;
        for (int left = repetitions + WARM_UP_RUNS; left > 0; left -= in_flight) {
            int together = std::min(left, in_flight);
            if (in_flight > 1) hold_for(together);
            for (int i = 0; i < together; i++) {
                launch(runs[i], in_flight == 1);
            }
            CHECK(cudaDeviceSynchronize());
            for (int i = 0; i < together; i++) {
                float ms;
                CHECK(cudaEventElapsedTime(&ms, runs[i].begin, runs[i].end));
                times.push_back(ms * 1e3);
                check(*runs[i].on_host);
            }
        }
        times.erase(times.begin(), times.begin() + WARM_UP_RUNS);
        return median(times);
    }

    double call_us(int repetitions) {
        std::vector<double> times;
        R *result = runs[0].result;
        for (int i = 0; i < repetitions + WARM_UP_RUNS; i++) {
            CHECK(cudaMemset(result, 0xFF, sizeof(R)));
            CHECK(cudaDeviceSynchronize());
            auto start = std::chrono::steady_clock::now();
            reduce(result);
            R value;
            CHECK(cudaMemcpy(&value, result, sizeof(R), cudaMemcpyDeviceToHost));
            if (i >= WARM_UP_RUNS) times.push_back(seconds_since(start) * 1e6);
            check(value);
        }
        return median(times);
    }
};

template <class Operation>
bool run(const char *op, const char *dtype, int repetitions, int in_flight, std::vector<int> logs) {
    std::sort(logs.begin(), logs.end());
    uint32_t most = 1u << logs.back();
    using T = typename Operation::Element;
    T *values;
    Subject<Operation> subject;
    CHECK(cudaMalloc(&values, size_t(most) * sizeof(T)));
    subject.runs = std::vector<Run<typename Operation::Result>>(in_flight);
    make<<<4096, 256>>>(values, most);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    subject.values = values;

    // From rest to the highest clock, which takes more work than the shortest lengths are.
    subject.count = most;
    subject.make_room();
    subject.warm_up(RISE_SECONDS);
    printf("op,dtype,elements,gpu_us,flight_us,call_us,ok\n");
    uint32_t added = 0;
    bool all_ok = true;
    for (int log : logs) {
        subject.count = 1 << log;
        for (; added < 1u << log; added++) subject.operation.add(element<T>(added), added);
        subject.make_room();
        subject.ok = true;
        subject.warm_up(WARM_UP_SECONDS);
        double flight = subject.gpu_us(repetitions, in_flight);
        double alone = subject.gpu_us(repetitions, 1);
        double call = subject.call_us(repetitions);
        printf("%s,%s,%d,%.3f,%.3f,%.3f,%s\n", op, dtype, subject.count, alone, flight, call,
               subject.ok ? "true" : "false");
        fflush(stdout);
        all_ok = all_ok && subject.ok;
    }
    return all_ok;
}

struct Case {
    const char *op, *dtype;
    bool (*run)(const char *op, const char *dtype, int repetitions, int in_flight,
                std::vector<int> logs);
};

const Case CASES[] = {
    {"sum", "f32", run<Sum<float, float, double>>},
    {"sum", "i32", run<Sum<int32_t, int64_t, int64_t>>},
    {"sum", "u32", run<Sum<uint32_t, uint64_t, uint64_t>>},
    {"sum", "u8", run<Sum<uint8_t, uint64_t, uint64_t>>},
    {"wrapping_sum", "i32", run<Sum<int32_t, int32_t, int64_t>>},
    {"wrapping_sum", "u32", run<Sum<uint32_t, uint32_t, uint64_t>>},
    {"argmax", "f32", run<ArgMax>},
};

int main(int argc, char **argv) {
    tell_versions(argc, argv);
    const char *op = argc > 1 ? argv[1] : "", *dtype = argc > 2 ? argv[2] : "";
    int repetitions = argc > 3 ? atoi(argv[3]) : 0;
    int in_flight = argc > 4 ? atoi(argv[4]) : 0;
    std::vector<int> logs;
    for (int i = 5; i < argc; i++) logs.push_back(atoi(argv[i]));
    bool usable = !logs.empty() && repetitions > 0 && in_flight > 0;
    for (int log : logs) usable = usable && log >= 1 && log <= 30;
    for (const Case &a_case : CASES) {
        if (!usable || strcmp(op, a_case.op) || strcmp(dtype, a_case.dtype)) continue;
        bool ok = a_case.run(op, dtype, repetitions, in_flight, logs);
        if (!ok) fprintf(stderr, "%s of %s: an answer is wrong\n", op, dtype);
        return ok ? 0 : 1;
    }
    fprintf(stderr, "usage: sum sum|wrapping_sum|argmax f32|i32|u32|u8 REPETITIONS IN_FLIGHT "
                    "LOG2 (1 to 30)...\n");
    return 2;
}
