// The levels of the ladder in CUDA C++, to set beside the WGSL of shaders/ladder/.
//
//   nvcc -O3 -std=c++17 -arch=native -o ladder ladder.cu
//   ./ladder [log2 of the elements, 28] [f32|i32] [repetitions, 21]
//
// Each level sums as its WGSL namesake does, in the form that the write-ups give it: up to 07 the
// size of a block is known at run time only, from 08 on it is a constant. Blocks of 256, 16 items per
// thread in levels 06 to 08, at most 2048 blocks in levels 09 to 16, passes until one value remains.
// Printed as CSV: level, form, passes, median and minimum of the GPU time in microseconds (events
// around all passes), GB/s of the elements read, whether the answer is right. Level 00 runs on 2^16
// elements.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t error = (call);                                                       \
        if (error != cudaSuccess) {                                                       \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));        \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

#ifndef BLOCK_SIZE
#define BLOCK_SIZE 256
#endif
constexpr unsigned BLOCK = BLOCK_SIZE;
constexpr unsigned ITEMS = 16;
constexpr unsigned GRID = 2048;
constexpr unsigned WARP = 32;

// ---- Trees in shared memory -----------------------------------------------------------------

template <class T>
__device__ T tree_modulo(T *slots, unsigned id) {
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (id % (2 * stride) == 0) slots[id] += slots[id + stride];
        __syncthreads();
    }
    return slots[0];
}

template <class T>
__device__ T tree_packed(T *slots, unsigned id) {
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned index = 2 * stride * id;
        if (index < blockDim.x) slots[index] += slots[index + stride];
        __syncthreads();
    }
    return slots[0];
}

template <class T>
__device__ T tree_sequential(T *slots, unsigned id) {
    for (unsigned distance = blockDim.x / 2; distance > 0; distance /= 2) {
        if (id < distance) slots[id] += slots[id + distance];
        __syncthreads();
    }
    return slots[0];
}

template <class T>
__device__ T tree_barrier_first(T *slots, unsigned id) {
    for (unsigned distance = blockDim.x / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (id < distance) slots[id] += slots[id + distance];
    }
    return slots[0];  // Of thread 0, which wrote it.
}

template <class T>
__device__ void step(T *slots, unsigned id, unsigned distance) {
    __syncthreads();
    if (id < distance) slots[id] += slots[id + distance];
}

template <class T>
__device__ T tree_unroll_last(T *slots, unsigned id) {
    for (unsigned distance = blockDim.x / 2; distance >= 64; distance /= 2) step(slots, id, distance);
    step(slots, id, 32);
    step(slots, id, 16);
    step(slots, id, 8);
    step(slots, id, 4);
    step(slots, id, 2);
    step(slots, id, 1);
    return slots[0];
}

// Within one warp: by shuffles, since threads of a warp no longer run in lockstep.
template <class T>
__device__ T tree_unroll_last_warp(T *slots, unsigned id) {
    for (unsigned distance = blockDim.x / 2; distance >= WARP; distance /= 2) step(slots, id, distance);
    __syncthreads();
    T sum = slots[id % WARP];
    sum += __shfl_down_sync(~0u, sum, 16);
    sum += __shfl_down_sync(~0u, sum, 8);
    sum += __shfl_down_sync(~0u, sum, 4);
    sum += __shfl_down_sync(~0u, sum, 2);
    sum += __shfl_down_sync(~0u, sum, 1);
    return sum;
}

template <class T>
__device__ T tree_unroll_full(T *slots, unsigned id) {
    if (BLOCK >= 1024) step(slots, id, 512);
    if (BLOCK >= 512) step(slots, id, 256);
    if (BLOCK >= 256) step(slots, id, 128);
    if (BLOCK >= 128) step(slots, id, 64);
    if (BLOCK >= 64) step(slots, id, 32);
    step(slots, id, 16);
    step(slots, id, 8);
    step(slots, id, 4);
    step(slots, id, 2);
    step(slots, id, 1);
    return slots[0];
}

// ---- Sums of a block in registers -----------------------------------------------------------

template <class T>
__device__ T warp_shuffle(T sum) {
    for (unsigned distance = WARP / 2; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(~0u, sum, distance);
    }
    return sum;
}

template <class T>
__device__ T warp_reduce(T sum) {
    return cg::reduce(cg::tiled_partition<WARP>(cg::this_thread_block()), sum, cg::plus<T>());
}

template <class T, T (*warp_sum)(T)>
__device__ T block_sum(T sum) {
    __shared__ T totals[BLOCK / WARP];
    unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    sum = warp_sum(sum);
    if (lane == 0) totals[warp] = sum;
    __syncthreads();
    T total = lane < BLOCK / WARP ? totals[lane] : T(0);
    return warp_sum(total);
}

// ---- Loads ----------------------------------------------------------------------------------

template <class T, int WIDTH> struct VectorOf;
template <class T> struct VectorOf<T, 1> { using type = T; };
template <> struct VectorOf<float, 2> { using type = float2; };
template <> struct VectorOf<float, 4> { using type = float4; };
template <> struct VectorOf<int, 2> { using type = int2; };
template <> struct VectorOf<int, 4> { using type = int4; };

template <class T, int WIDTH>
__device__ T grid_stride(const T *values, unsigned n) {
    using V = typename VectorOf<T, WIDTH>::type;
    const V *vectors = reinterpret_cast<const V *>(values);
    unsigned whole = n / WIDTH, stride = gridDim.x * BLOCK;
    T sum[WIDTH] = {};
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < whole; i += stride) {
        V vector = vectors[i];
        const T *parts = reinterpret_cast<const T *>(&vector);
        for (int k = 0; k < WIDTH; k++) sum[k] += parts[k];
    }
    T total = sum[0];
    for (int k = 1; k < WIDTH; k++) total += sum[k];
    if (blockIdx.x == 0 && threadIdx.x < n - whole * WIDTH) {
        total += values[whole * WIDTH + threadIdx.x];
    }
    return total;
}

// ---- Work, as the WGSL levels get it: rows of any length from any element --------------------

struct Work {
    unsigned first, row_length, blocks_per_row, first_slot, slots_per_row;
};

// The elements [start, end) of a block's row, its place among the blocks of the row, and where its
// value goes.
struct Share {
    unsigned start, end, part, slot;
    bool has_work;
};

__device__ Share share_of(const Work &work) {
    unsigned row = blockIdx.z, part = blockIdx.x + blockIdx.y * gridDim.x;
    bool has_work = part < work.blocks_per_row;
    unsigned start = has_work ? work.first + row * work.row_length : 0;
    unsigned end = has_work ? start + work.row_length : 0;
    return {start, end, part, work.first_slot + row * work.slots_per_row + part, has_work};
}

// ---- Levels ---------------------------------------------------------------------------------

template <class T>
__global__ void single_thread(const T *values, T *partials, unsigned n) {
    T sum = 0;
    for (unsigned i = 0; i < n; i++) sum += values[i];
    partials[0] = sum;
}

// The loop written out so many times; above, nvcc decides.
template <class T, int TURNS>
__global__ void single_thread_unrolled(const T *values, T *partials, unsigned n) {
    T sum = 0;
#pragma unroll TURNS
    for (unsigned i = 0; i < n; i++) sum += values[i];
    partials[0] = sum;
}

template <class T, T (*tree)(T *, unsigned)>
__global__ void one_load(const T *values, T *partials, Work work) {
    __shared__ T slots[BLOCK];
    Share share = share_of(work);
    unsigned i = share.start + share.part * blockDim.x + threadIdx.x;
    slots[threadIdx.x] = i < share.end ? values[i] : T(0);
    __syncthreads();
    T total = tree(slots, threadIdx.x);
    if (threadIdx.x == 0 && share.has_work) partials[share.slot] = total;
}

template <class T>
__global__ void first_add(const T *values, T *partials, Work work) {
    __shared__ T slots[BLOCK];
    Share share = share_of(work);
    unsigned i = share.start + share.part * 2 * blockDim.x + threadIdx.x;
    T sum = i < share.end ? values[i] : T(0);
    if (i + blockDim.x < share.end) sum += values[i + blockDim.x];
    slots[threadIdx.x] = sum;
    T total = tree_barrier_first(slots, threadIdx.x);
    if (threadIdx.x == 0 && share.has_work) partials[share.slot] = total;
}

template <class T, bool COALESCED, T (*tree)(T *, unsigned)>
__global__ void coarsened(const T *values, T *partials, Work work) {
    __shared__ T slots[BLOCK];
    Share share = share_of(work);
    unsigned tile = share.start + share.part * BLOCK * ITEMS;
    T sum = 0;
    for (unsigned k = 0; k < ITEMS; k++) {
        unsigned i = tile + (COALESCED ? k * BLOCK + threadIdx.x : threadIdx.x * ITEMS + k);
        if (i < share.end) sum += values[i];
    }
    slots[threadIdx.x] = sum;
    T total = tree(slots, threadIdx.x);
    if (threadIdx.x == 0 && share.has_work) partials[share.slot] = total;
}

template <class T>
__global__ void grid_stride_tree(const T *values, T *partials, unsigned n) {
    __shared__ T slots[BLOCK];
    slots[threadIdx.x] = grid_stride<T, 1>(values, n);
    T total = tree_unroll_full(slots, threadIdx.x);
    if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

template <class T, int WIDTH, T (*warp_sum)(T)>
__global__ void in_registers(const T *values, T *partials, unsigned n) {
    T total = block_sum<T, warp_sum>(grid_stride<T, WIDTH>(values, n));
    if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

template <class T, int WIDTH>
__global__ void block_atomic(const T *values, T *total, unsigned n) {
    T sum = block_sum<T, warp_reduce<T>>(grid_stride<T, WIDTH>(values, n));
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

template <class T, int WIDTH>
__global__ void warp_atomic(const T *values, T *total, unsigned n) {
    T sum = warp_reduce(grid_stride<T, WIDTH>(values, n));
    if (threadIdx.x % WARP == 0) atomicAdd(total, sum);
}

template <class T>
__global__ void last_block(const T *values, T *partials, unsigned *arrivals, T *total, unsigned n) {
    __shared__ bool is_last;
    T sum = block_sum<T, warp_reduce<T>>(grid_stride<T, 4>(values, n));
    if (threadIdx.x == 0) {
        __stcg(&partials[blockIdx.x], sum);
        __threadfence();
        is_last = atomicAdd(arrivals, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    T of_all = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK) of_all += __ldcg(&partials[i]);
    of_all = block_sum<T, warp_reduce<T>>(of_all);
    if (threadIdx.x == 0) {
        *total = of_all;
        *arrivals = 0;
    }
}

// ---- Running and measuring ------------------------------------------------------------------

template <class T>
struct Bench {
    using Kernel = void (*)(const T *, T *, unsigned);
    using TileKernel = void (*)(const T *, T *, Work);

    unsigned n;
    int repetitions;
    const T *values;
    T *scratch[2];
    T *total;
    unsigned *arrivals;
    double expected;
    double tolerance;

    // The level whose one thread has everything.
    void alone(const char *level, const char *form, Kernel kernel) {
        passes(level, form, [](unsigned) { return 1u; },
               [=](const T *source, T *target, unsigned count, unsigned) {
                   kernel<<<1, 1>>>(source, target, count);
               });
    }

    // Levels whose blocks cover a tile each.
    void tiles(const char *level, const char *form, TileKernel kernel, unsigned tile) {
        passes(level, form, [=](unsigned count) { return std::max(1u, (count + tile - 1) / tile); },
               [=](const T *source, T *target, unsigned count, unsigned blocks) {
                   kernel<<<blocks, BLOCK>>>(source, target, Work{0, count, blocks, 0, blocks});
               });
    }

    // Levels whose blocks stride over the input.
    void strides(const char *level, const char *form, Kernel kernel, unsigned width) {
        passes(level, form,
               [=](unsigned count) {
                   unsigned wanted = (count + BLOCK * width - 1) / (BLOCK * width);
                   return count == n ? std::max(1u, std::min(wanted, GRID)) : 1u;
               },
               [=](const T *source, T *target, unsigned count, unsigned blocks) {
                   kernel<<<blocks, BLOCK>>>(source, target, count);
               });
    }

    void passes(const char *level, const char *form, std::function<unsigned(unsigned)> blocks_for,
                std::function<void(const T *, T *, unsigned, unsigned)> launch) {
        int count_of_passes = 0;
        const T *result = nullptr;
        measure(level, form, count_of_passes, result, [&] {
            const T *source = values;
            unsigned count = n;
            int pass = 0;
            do {
                unsigned blocks = blocks_for(count);
                T *target = scratch[pass % 2];
                launch(source, target, count, blocks);
                source = target;
                count = blocks;
                pass++;
            } while (count > 1);
            count_of_passes = pass;
            result = source;
        });
    }

    // One pass with atomics into a total that starts at zero; the zeroing is not timed.
    void atomics(const char *level, const char *form, Kernel kernel, unsigned width) {
        unsigned wanted = (n + BLOCK * width - 1) / (BLOCK * width);
        unsigned blocks = std::max(1u, std::min(wanted, GRID));
        int one = 1;
        const T *result = total;
        measure(level, form, one, result, [&] { kernel<<<blocks, BLOCK>>>(values, total, n); });
    }

    void last(const char *level) {
        unsigned blocks = std::max(1u, std::min((n + BLOCK * 4 - 1) / (BLOCK * 4), GRID));
        int one = 1;
        const T *result = total;
        measure(level, "plain", one, result, [&] {
            last_block<<<blocks, BLOCK>>>(values, scratch[0], arrivals, total, n);
        });
    }

    template <class Run>
    void measure(const char *level, const char *form, int &count_of_passes, const T *&result, Run run) {
        cudaEvent_t begin, end;
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        std::vector<float> us;
        bool ok = true;
        for (int i = 0; i < repetitions + 3; i++) {
            CHECK(cudaMemset(total, 0, sizeof(T)));
            CHECK(cudaEventRecord(begin));
            run();
            CHECK(cudaEventRecord(end));
            CHECK(cudaEventSynchronize(end));
            float ms;
            CHECK(cudaEventElapsedTime(&ms, begin, end));
            if (i >= 3) us.push_back(ms * 1e3f);
            T value;
            CHECK(cudaMemcpy(&value, result, sizeof(T), cudaMemcpyDeviceToHost));
            ok = ok && std::fabs(double(value) - expected) <= tolerance;
        }
        CHECK(cudaGetLastError());
        std::sort(us.begin(), us.end());
        double median = us[us.size() / 2], bytes = double(n) * sizeof(T);
        printf("%s,%s,%d,%.3f,%.3f,%.2f,%s\n", level, form, count_of_passes, median, us[0],
               bytes / median / 1e3, ok ? "ok" : "WRONG");
        fflush(stdout);
        CHECK(cudaEventDestroy(begin));
        CHECK(cudaEventDestroy(end));
    }
};

template <class T>
void all_levels(Bench<T> bench, Bench<T> small) {
    small.alone("00", "plain", single_thread<T>);
    small.alone("00", "unrolled_4", single_thread_unrolled<T, 4>);
    small.alone("00", "unrolled_8", single_thread_unrolled<T, 8>);
    small.alone("00", "unrolled_16", single_thread_unrolled<T, 16>);
    bench.tiles("01", "plain", one_load<T, tree_modulo<T>>, BLOCK);
    bench.tiles("02", "plain", one_load<T, tree_packed<T>>, BLOCK);
    bench.tiles("03", "plain", one_load<T, tree_sequential<T>>, BLOCK);
    bench.tiles("04", "plain", one_load<T, tree_barrier_first<T>>, BLOCK);
    bench.tiles("05", "plain", first_add<T>, 2 * BLOCK);
    bench.tiles("06", "plain", coarsened<T, true, tree_barrier_first<T>>, BLOCK * ITEMS);
    bench.tiles("06", "uncoalesced", coarsened<T, false, tree_barrier_first<T>>, BLOCK * ITEMS);
    bench.tiles("07", "plain", coarsened<T, true, tree_unroll_last<T>>, BLOCK * ITEMS);
    bench.tiles("07", "within_subgroup", coarsened<T, true, tree_unroll_last_warp<T>>, BLOCK * ITEMS);
    bench.tiles("08", "plain", coarsened<T, true, tree_unroll_full<T>>, BLOCK * ITEMS);
    bench.strides("09", "plain", grid_stride_tree<T>, 1);
    bench.strides("10", "plain", in_registers<T, 1, warp_shuffle<T>>, 1);
    bench.strides("11", "plain", in_registers<T, 1, warp_reduce<T>>, 1);
    bench.strides("12", "plain", in_registers<T, 2, warp_reduce<T>>, 2);
    bench.strides("13", "plain", in_registers<T, 4, warp_reduce<T>>, 4);
    bench.atomics("14", "width_1", block_atomic<T, 1>, 1);
    bench.atomics("14", "width_2", block_atomic<T, 2>, 2);
    bench.atomics("14", "width_4", block_atomic<T, 4>, 4);
    bench.atomics("15", "width_1", warp_atomic<T, 1>, 1);
    bench.atomics("15", "width_2", warp_atomic<T, 2>, 2);
    bench.atomics("15", "width_4", warp_atomic<T, 4>, 4);
    bench.last("16");
}

// The k-th element: a hash, as f32 in [0, 1) or as i32 0 or 1.
template <class T> T element(unsigned index);
template <> float element<float>(unsigned index) {
    return float((index * 2654435761u) >> 8) / 16777216.0f;
}
template <> int element<int>(unsigned index) { return int((index * 2654435761u) >> 31); }

template <class T>
Bench<T> prepare(unsigned log_n, int repetitions) {
    unsigned n = 1u << log_n;
    std::vector<T> host(n);
    double sum = 0;
    for (unsigned i = 0; i < n; i++) {
        host[i] = element<T>(i);
        sum += host[i];
    }
    T *values;
    CHECK(cudaMalloc(&values, size_t(n) * sizeof(T)));
    CHECK(cudaMemcpy(values, host.data(), size_t(n) * sizeof(T), cudaMemcpyHostToDevice));
    Bench<T> bench{n, repetitions, values};
    for (T *&scratch : bench.scratch) CHECK(cudaMalloc(&scratch, (size_t(n) / BLOCK + 1) * sizeof(T)));
    CHECK(cudaMalloc(&bench.total, sizeof(T)));
    CHECK(cudaMalloc(&bench.arrivals, sizeof(unsigned)));
    CHECK(cudaMemset(bench.arrivals, 0, sizeof(unsigned)));
    bench.expected = sum;
    // All terms are positive; single_thread rounds once per element, the others far less often.
    bench.tolerance = std::is_same<T, float>::value ? sum * 1e-3 : 0;
    return bench;
}

template <class T>
void run(unsigned log_n, int repetitions) {
    printf("level,form,passes,gpu_us,min_us,gb_per_s,answer\n");
    all_levels(prepare<T>(log_n, repetitions), prepare<T>(std::min(log_n, 16u), repetitions));
}

int main(int argc, char **argv) {
    unsigned log_n = argc > 1 ? unsigned(atoi(argv[1])) : 28;
    const char *dtype = argc > 2 ? argv[2] : "f32";
    int repetitions = argc > 3 ? atoi(argv[3]) : 21;
    if (log_n < 1 || log_n > 30 || repetitions < 1) {
        fprintf(stderr, "usage: ladder [log2 of the elements, 1 to 30] [f32|i32] [repetitions]\n");
        return 2;
    }
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    fprintf(stderr, "%s, 2^%u %s\n", properties.name, log_n, dtype);
    if (!strcmp(dtype, "f32")) run<float>(log_n, repetitions);
    else if (!strcmp(dtype, "i32")) run<int>(log_n, repetitions);
    else return fprintf(stderr, "dtype %s is neither f32 nor i32\n", dtype), 2;
}
