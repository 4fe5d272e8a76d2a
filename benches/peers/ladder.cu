// The levels of the ladder in CUDA C++, to set beside the WGSL of shaders/ladder/: the kernels are in
// levels.cuh, what runs and times them is here.
//
//   nvcc -O3 -std=c++17 -arch=native -o ladder ladder.cu
//   ./ladder [log2 of the elements, 28] [f32|i32] [repetitions, 21] [whole|rows]
//
// Each level sums as its WGSL namesake does, in the form that the write-ups give it: up to 07 the
// size of a block is known at run time only, from 08 on it is a constant. Blocks of 256, 16 items per
// thread in levels 06 to 08, at most 2048 blocks in levels 09 to 16, passes until one value remains.
// Printed as CSV: level, form, passes, median and minimum of the GPU time in microseconds (events
// around all passes, of runs in flight eight at a time), GB/s of the elements read, whether the answer is
// right. Level 00 runs on 2^16 elements.
//
// With `rows`, the problem of write-up A: every block has a row of its own and leaves the row's sum, in
// one pass. Rows are as long as a block covers in its level: BLOCK elements in 01 to 04, twice that in
// 05, and BLOCK * ITEMS in all others, in 00 for one thread. `wgpu-reduce ladder --rows workgroups`
// does the same.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "common.cuh"
#include "levels.cuh"

constexpr unsigned GRID = 2048;
// There are many levels: less than for others.
constexpr double LEVEL_WARM_UP_SECONDS = 0.15;

template <class T>
struct Bench {
    using Kernel = void (*)(const T *, T *, unsigned);
    using TileKernel = void (*)(const T *, T *, Work);

    unsigned n;
    int repetitions;
    // Whether every block has a row of its own.
    bool has_rows;
    const std::vector<T> *host;
    const T *values;
    T *scratch[2];
    T *totals;
    unsigned *arrivals;

    // The level whose one thread has everything.
    void alone(const char *level, const char *form, Kernel kernel) {
        if (has_rows) {
            return each_row(level, form, BLOCK * ITEMS, scratch[0], [=](unsigned length, unsigned rows) {
                kernel<<<rows, 1>>>(values, scratch[0], length);
            });
        }
        passes(level, form, [](unsigned) { return 1u; },
               [=](const T *source, T *target, unsigned count, unsigned) {
                   kernel<<<1, 1>>>(source, target, count);
               });
    }

    // Levels whose blocks cover a tile each.
    void tiles(const char *level, const char *form, TileKernel kernel, unsigned tile) {
        if (has_rows) {
            return each_row(level, form, tile, scratch[0], [=](unsigned length, unsigned rows) {
                kernel<<<rows, BLOCK>>>(values, scratch[0], Work{0, length, 1, 0, 1});
            });
        }
        passes(level, form, [=](unsigned count) { return std::max(1u, (count + tile - 1) / tile); },
               [=](const T *source, T *target, unsigned count, unsigned blocks) {
                   kernel<<<blocks, BLOCK>>>(source, target, Work{0, count, blocks, 0, blocks});
               });
    }

    // Levels whose blocks stride over the input.
    void strides(const char *level, const char *form, Kernel kernel, unsigned width) {
        if (has_rows) {
            return each_row(level, form, BLOCK * ITEMS, scratch[0], [=](unsigned length, unsigned rows) {
                kernel<<<rows, BLOCK>>>(values, scratch[0], length);
            });
        }
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
        measure(level, form, count_of_passes, result, n, [&] {
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

    // One pass with atomics into totals that start at zero; the zeroing is not timed.
    void atomics(const char *level, const char *form, Kernel kernel, unsigned width) {
        if (has_rows) {
            return each_row(level, form, BLOCK * ITEMS, totals, [=](unsigned length, unsigned rows) {
                kernel<<<rows, BLOCK>>>(values, totals, length);
            });
        }
        unsigned wanted = (n + BLOCK * width - 1) / (BLOCK * width);
        unsigned blocks = std::max(1u, std::min(wanted, GRID));
        int one = 1;
        const T *result = totals;
        measure(level, form, one, result, n, [&] { kernel<<<blocks, BLOCK>>>(values, totals, n); });
    }

    using LastKernel = void (*)(const T *, T *, unsigned *, T *, unsigned);

    void last(const char *level, LastKernel kernel) {
        if (has_rows) {
            return each_row(level, "plain", BLOCK * ITEMS, totals, [=](unsigned length, unsigned rows) {
                kernel<<<rows, BLOCK>>>(values, scratch[0], arrivals, totals, length);
            });
        }
        unsigned blocks = std::max(1u, std::min((n + BLOCK * 4 - 1) / (BLOCK * 4), GRID));
        int one = 1;
        const T *result = totals;
        measure(level, "plain", one, result, n, [&] {
            kernel<<<blocks, BLOCK>>>(values, scratch[0], arrivals, totals, n);
        });
    }

    // One pass that leaves the sum of every row of `length` values.
    void each_row(const char *level, const char *form, unsigned length, const T *result,
                  std::function<void(unsigned, unsigned)> launch) {
        unsigned row_length = std::min(length, n);
        int one = 1;
        measure(level, form, one, result, row_length, [&] { launch(row_length, n / row_length); });
    }

    // `run` leaves the sums of rows of so many values at `result`.
    template <class Run>
    void measure(const char *level, const char *form, int &count_of_passes, const T *&result,
                 unsigned row_length, Run run) {
        std::vector<double> expected = sums(row_length);
        std::vector<Landing> landings(IN_FLIGHT);
        for (Landing &landing : landings) landing.open(expected.size());
        std::vector<float> us;
        bool ok = true, is_first = true;
        auto start = std::chrono::steady_clock::now();
        // Rounds that begin before the clock has risen do not count.
        while (us.size() < size_t(repetitions)) {
            bool counts = seconds_since(start) > LEVEL_WARM_UP_SECONDS;
            bool is_last = counts && us.size() + IN_FLIGHT >= size_t(repetitions);
            for (Landing &landing : landings) {
                CHECK(cudaMemsetAsync(totals, 0, expected.size() * sizeof(T)));
                CHECK(cudaEventRecord(landing.begin));
                run();
                CHECK(cudaEventRecord(landing.end));
                CHECK(cudaMemcpyAsync(landing.found, result, expected.size() * sizeof(T),
                                      cudaMemcpyDeviceToHost));
            }
            CHECK(cudaDeviceSynchronize());
            for (Landing &landing : landings) {
                float ms;
                CHECK(cudaEventElapsedTime(&ms, landing.begin, landing.end));
                if (counts) us.push_back(ms * 1e3f);
                // Between them the GPU would wait for the host, and lower its clock.
                if (is_first || is_last) ok = ok && are_right(landing.found, expected);
            }
            is_first = false;
        }
        for (Landing &landing : landings) landing.close();
        std::sort(us.begin(), us.end());
        double median = us[us.size() / 2], bytes = double(expected.size()) * row_length * sizeof(T);
        printf("%s,%s,%d,%.3f,%.3f,%.4f,%s\n", level, form, count_of_passes, median, us[0],
               bytes / median / 1e3, ok ? "ok" : "WRONG");
        fflush(stdout);
    }

    // A run on its way: when it began and ended, and where its sums go.
    struct Landing {
        cudaEvent_t begin, end;
        T *found;

        void open(size_t count) {
            CHECK(cudaEventCreate(&begin));
            CHECK(cudaEventCreate(&end));
            CHECK(cudaMallocHost(&found, count * sizeof(T)));
        }

        void close() {
            CHECK(cudaEventDestroy(begin));
            CHECK(cudaEventDestroy(end));
            CHECK(cudaFreeHost(found));
        }
    };

    std::vector<double> sums(unsigned row_length) const {
        std::vector<double> sums(n / row_length);
        for (size_t row = 0; row < sums.size(); row++) {
            const T *first = host->data() + row * row_length;
            sums[row] = std::accumulate(first, first + row_length, 0.0);
        }
        return sums;
    }

    // All terms are positive; single_thread rounds once per element, the others far less often.
    static bool are_right(const T *found, const std::vector<double> &expected) {
        double relative = std::is_same<T, float>::value ? 1e-3 : 0;
        for (size_t i = 0; i < expected.size(); i++) {
            if (!(std::fabs(double(found[i]) - expected[i]) <= relative * expected[i])) return false;
        }
        return true;
    }
};

template <class T, bool ROWS>
void all_levels(Bench<T> bench, Bench<T> small) {
    constexpr unsigned TILE = BLOCK * ITEMS;
    small.alone("00", "plain", single_thread<T>);
    small.alone("00", "unrolled_4", single_thread_unrolled<T, 4>);
    small.alone("00", "unrolled_8", single_thread_unrolled<T, 8>);
    small.alone("00", "unrolled_16", single_thread_unrolled<T, 16>);
    bench.tiles("01", "plain", one_load<T, ROWS, tree_modulo<T>>, BLOCK);
    bench.tiles("02", "plain", one_load<T, ROWS, tree_packed<T>>, BLOCK);
    bench.tiles("03", "plain", one_load<T, ROWS, tree_sequential<T>>, BLOCK);
    bench.tiles("04", "plain", one_load<T, ROWS, tree_barrier_first<T>>, BLOCK);
    bench.tiles("05", "plain", first_add<T, ROWS>, 2 * BLOCK);
    bench.tiles("06", "plain", coarsened<T, ROWS, true, tree_barrier_first<T>>, TILE);
    bench.tiles("06", "uncoalesced", coarsened<T, ROWS, false, tree_barrier_first<T>>, TILE);
    bench.tiles("07", "plain", coarsened<T, ROWS, true, tree_unroll_last<T>>, TILE);
    bench.tiles("07", "within_subgroup", coarsened<T, ROWS, true, tree_unroll_last_warp<T>>, TILE);
    bench.tiles("08", "plain", coarsened<T, ROWS, true, tree_unroll_full<T>>, TILE);
    bench.strides("09", "plain", grid_stride_tree<T, ROWS>, 1);
    bench.strides("10", "plain", in_registers<T, ROWS, 1, warp_shuffle<T>>, 1);
    bench.strides("11", "plain", in_registers<T, ROWS, 1, warp_reduce<T>>, 1);
    bench.strides("12", "plain", in_registers<T, ROWS, 2, warp_reduce<T>>, 2);
    bench.strides("13", "plain", in_registers<T, ROWS, 4, warp_reduce<T>>, 4);
    bench.atomics("14", "width_1", block_atomic<T, ROWS, 1>, 1);
    bench.atomics("14", "width_2", block_atomic<T, ROWS, 2>, 2);
    bench.atomics("14", "width_4", block_atomic<T, ROWS, 4>, 4);
    bench.atomics("15", "width_1", warp_atomic<T, ROWS, 1>, 1);
    bench.atomics("15", "width_2", warp_atomic<T, ROWS, 2>, 2);
    bench.atomics("15", "width_4", warp_atomic<T, ROWS, 4>, 4);
    bench.last("16", last_block<T, ROWS>);
}

// The k-th element: a hash, as f32 in [0, 1) or as i32 0 or 1.
template <class T> T element(unsigned index);
template <> float element<float>(unsigned index) {
    return uniform_of(index);
}
template <> int element<int>(unsigned index) { return int(hash_of(index) >> 31); }

template <class T>
Bench<T> prepare(const std::vector<T> &host, int repetitions, bool has_rows) {
    Bench<T> bench{unsigned(host.size()), repetitions, has_rows, &host};
    T *values;
    CHECK(cudaMalloc(&values, host.size() * sizeof(T)));
    CHECK(cudaMemcpy(values, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    bench.values = values;
    // At most one value, or one row, for each BLOCK elements.
    size_t most = host.size() / BLOCK + 1;
    for (T *&scratch : bench.scratch) CHECK(cudaMalloc(&scratch, most * sizeof(T)));
    CHECK(cudaMalloc(&bench.totals, most * sizeof(T)));
    CHECK(cudaMalloc(&bench.arrivals, most * sizeof(unsigned)));
    CHECK(cudaMemset(bench.arrivals, 0, most * sizeof(unsigned)));
    return bench;
}

template <class T>
void run(unsigned log_n, int repetitions, bool has_rows) {
    std::vector<T> host(size_t(1) << log_n);
    for (size_t i = 0; i < host.size(); i++) host[i] = element<T>(unsigned(i));
    std::vector<T> first(host.begin(), host.begin() + std::min<size_t>(host.size(), 1 << 16));
    printf("level,form,passes,gpu_us,min_us,gb_per_s,answer\n");
    Bench<T> bench = prepare(host, repetitions, has_rows);
    if (has_rows) all_levels<T, true>(bench, bench);
    else all_levels<T, false>(bench, prepare(first, repetitions, false));
}

int main(int argc, char **argv) {
    tell_versions(argc, argv);
    unsigned log_n = argc > 1 ? unsigned(atoi(argv[1])) : 28;
    const char *dtype = argc > 2 ? argv[2] : "f32";
    int repetitions = argc > 3 ? atoi(argv[3]) : 21;
    const char *shape = argc > 4 ? argv[4] : "whole";
    bool has_rows = !strcmp(shape, "rows");
    if (log_n < 1 || log_n > 30 || repetitions < 1 || (!has_rows && strcmp(shape, "whole"))) {
        fprintf(stderr, "usage: ladder [log2 of the elements, 1 to 30] [f32|i32] [repetitions] "
                        "[whole|rows]\n");
        return 2;
    }
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    fprintf(stderr, "%s, 2^%u %s, %s\n", properties.name, log_n, dtype, shape);
    if (!strcmp(dtype, "f32")) run<float>(log_n, repetitions, has_rows);
    else if (!strcmp(dtype, "i32")) run<int>(log_n, repetitions, has_rows);
    else return fprintf(stderr, "dtype %s is neither f32 nor i32\n", dtype), 2;
}
