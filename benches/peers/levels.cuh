// The kernels of the ladder's levels for ladder.cu, each as its WGSL namesake in shaders/ladder/.
//
// Levels 06 to 08 test once for a whole tile whether its elements are there, as the WGSL does; with
// -DTEST_EACH_LOAD they test every load, as A's kernels do.

#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

#ifndef BLOCK_SIZE
#define BLOCK_SIZE 256
#endif
constexpr unsigned BLOCK = BLOCK_SIZE;
constexpr unsigned ITEMS = 16;
constexpr unsigned WARP = 32;

// ---- Trees in shared memory -----------------------------------------------------------------

template <class T>
__device__ T tree_modulo(T *slots, unsigned id) {
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (id % (2 * stride) == 0) slots[id] += slots[id + stride];
        __syncthreads();
    }
    return slots[0];
}

template <class T>
__device__ T tree_packed(T *slots, unsigned id) {
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned index = 2 * stride * id;
        if (index < blockDim.x) slots[index] += slots[index + stride];
        __syncthreads();
    }
    return slots[0];
}

template <class T>
__device__ T tree_sequential(T *slots, unsigned id) {
    __syncthreads();
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

// Adds every `stride`-th vector of n values from number `place` on.
template <class T, int WIDTH>
__device__ T strided(const T *values, unsigned n, unsigned place, unsigned stride) {
    using V = typename VectorOf<T, WIDTH>::type;
    const V *vectors = reinterpret_cast<const V *>(values);
    unsigned whole = n / WIDTH;
    T sum[WIDTH] = {};
    for (unsigned i = place; i < whole; i += stride) {
        V vector = vectors[i];
        const T *parts = reinterpret_cast<const T *>(&vector);
        for (int k = 0; k < WIDTH; k++) sum[k] += parts[k];
    }
    T total = sum[0];
    for (int k = 1; k < WIDTH; k++) total += sum[k];
    if (place < n - whole * WIDTH) total += values[whole * WIDTH + place];
    return total;
}

// What a thread adds of n values that the grid shares, or of the n values of its block's row.
template <class T, int WIDTH, bool ROWS>
__device__ T grid_stride(const T *values, unsigned n) {
    if (ROWS) return strided<T, WIDTH>(values + size_t(blockIdx.x) * n, n, threadIdx.x, BLOCK);
    return strided<T, WIDTH>(values, n, blockIdx.x * BLOCK + threadIdx.x, gridDim.x * BLOCK);
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

// With ROWS a block has a row of its own, and the grid one dimension.
template <bool ROWS>
__device__ Share share_of(const Work &work) {
    unsigned row = ROWS ? blockIdx.x : blockIdx.z;
    unsigned part = ROWS ? 0 : blockIdx.x + blockIdx.y * gridDim.x;
    bool has_work = part < work.blocks_per_row;
    unsigned start = has_work ? work.first + row * work.row_length : 0;
    unsigned end = has_work ? start + work.row_length : 0;
    return {start, end, part, work.first_slot + row * work.slots_per_row + part, has_work};
}

// ---- Levels ---------------------------------------------------------------------------------

// One thread adds up n values, or the n values of each row.
template <class T>
__global__ void single_thread(const T *values, T *partials, unsigned n) {
    values += size_t(blockIdx.x) * n;
    T sum = 0;
    for (unsigned i = 0; i < n; i++) sum += values[i];
    partials[blockIdx.x] = sum;
}

// The loop written out so many times; above, nvcc decides.
template <class T, int TURNS>
__global__ void single_thread_unrolled(const T *values, T *partials, unsigned n) {
    values += size_t(blockIdx.x) * n;
    T sum = 0;
#pragma unroll TURNS
    for (unsigned i = 0; i < n; i++) sum += values[i];
    partials[blockIdx.x] = sum;
}

template <class T, bool ROWS, T (*tree)(T *, unsigned)>
__global__ void one_load(const T *values, T *partials, Work work) {
    __shared__ T slots[BLOCK];
    Share share = share_of<ROWS>(work);
    unsigned i = share.start + share.part * blockDim.x + threadIdx.x;
    slots[threadIdx.x] = i < share.end ? values[i] : T(0);
    T total = tree(slots, threadIdx.x);
    if (threadIdx.x == 0 && share.has_work) partials[share.slot] = total;
}

template <class T, bool ROWS>
__global__ void first_add(const T *values, T *partials, Work work) {
    __shared__ T slots[BLOCK];
    Share share = share_of<ROWS>(work);
    unsigned i = share.start + share.part * 2 * blockDim.x + threadIdx.x;
    T sum = i < share.end ? values[i] : T(0);
    if (i + blockDim.x < share.end) sum += values[i + blockDim.x];
    slots[threadIdx.x] = sum;
    T total = tree_barrier_first(slots, threadIdx.x);
    if (threadIdx.x == 0 && share.has_work) partials[share.slot] = total;
}

// The ITEMS values of a thread, `stride` apart, as far as they lie before `end`. In a whole tile all do,
// and no test stands between the loads.
template <class T>
__device__ T sum_of_items(const T *values, unsigned first, unsigned stride, bool is_whole, unsigned end) {
    T sum = 0;
#ifndef TEST_EACH_LOAD
    if (is_whole) {
#pragma unroll
        for (unsigned k = 0; k < ITEMS; k++) sum += values[first + k * stride];
        return sum;
    }
#endif
    for (unsigned k = 0; k < ITEMS; k++) {
        unsigned i = first + k * stride;
        if (i < end) sum += values[i];
    }
    return sum;
}

template <class T, bool ROWS, bool COALESCED, T (*tree)(T *, unsigned)>
__global__ void coarsened(const T *values, T *partials, Work work) {
    __shared__ T slots[BLOCK];
    Share share = share_of<ROWS>(work);
    unsigned tile = share.start + share.part * BLOCK * ITEMS;
    unsigned first = tile + threadIdx.x * (COALESCED ? 1 : ITEMS);
    bool is_whole = tile + BLOCK * ITEMS <= share.end;
    slots[threadIdx.x] = sum_of_items(values, first, COALESCED ? BLOCK : 1, is_whole, share.end);
    T total = tree(slots, threadIdx.x);
    if (threadIdx.x == 0 && share.has_work) partials[share.slot] = total;
}

template <class T, bool ROWS>
__global__ void grid_stride_tree(const T *values, T *partials, unsigned n) {
    __shared__ T slots[BLOCK];
    slots[threadIdx.x] = grid_stride<T, 1, ROWS>(values, n);
    T total = tree_unroll_full(slots, threadIdx.x);
    if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

template <class T, bool ROWS, int WIDTH, T (*warp_sum)(T)>
__global__ void in_registers(const T *values, T *partials, unsigned n) {
    T total = block_sum<T, warp_sum>(grid_stride<T, WIDTH, ROWS>(values, n));
    if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

template <class T, bool ROWS, int WIDTH>
__global__ void block_atomic(const T *values, T *totals, unsigned n) {
    T sum = block_sum<T, warp_reduce<T>>(grid_stride<T, WIDTH, ROWS>(values, n));
    if (threadIdx.x == 0) atomicAdd(&totals[ROWS ? blockIdx.x : 0], sum);
}

template <class T, bool ROWS, int WIDTH>
__global__ void warp_atomic(const T *values, T *totals, unsigned n) {
    T sum = warp_reduce(grid_stride<T, WIDTH, ROWS>(values, n));
    if (threadIdx.x % WARP == 0) atomicAdd(&totals[ROWS ? blockIdx.x : 0], sum);
}

template <class T, bool ROWS>
__global__ void last_block(const T *values, T *partials, unsigned *arrivals, T *totals, unsigned n) {
    __shared__ bool is_last;
    // The blocks that share a row leave their partials side by side.
    unsigned row = ROWS ? blockIdx.x : 0, blocks = ROWS ? 1 : gridDim.x;
    T sum = block_sum<T, warp_reduce<T>>(grid_stride<T, 4, ROWS>(values, n));
    if (threadIdx.x == 0) {
        __stcg(&partials[blockIdx.x], sum);
        __threadfence();
        is_last = atomicAdd(&arrivals[row], 1u) == blocks - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    T of_all = 0;
    for (unsigned i = threadIdx.x; i < blocks; i += BLOCK) of_all += __ldcg(&partials[row + i]);
    of_all = block_sum<T, warp_reduce<T>>(of_all);
    if (threadIdx.x == 0) {
        totals[row] = of_all;
        arrivals[row] = 0;
    }
}
