//! The measured numbers: what defaults are on each class of adapter.
//!
//! The numbers of GPUs were measured on an NVIDIA H200, which has 132 processors, and tried on no other vendor's. The numbers of CPUs were
//! measured on Mesa's llvmpipe with two cores. `benches/RESULTS.md` has what they come to, and `wgpu-reduce tune` finds others for an
//! adapter. No result is wrong with any of them.

use crate::op::accumulator::Accumulator;
use crate::plan::caps::{
    AdapterClass::{self, Cpu, Gpu},
    Caps, SubgroupSizes,
};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Size and number of workgroups, loads in flight, and the least quads of an invocation.
pub(crate) type Shape = [u32; 4];

/// Up to so many bytes or elements.
type Step = (u64, Shape);

/// What a workgroup on a CPU costs is worth so many quads of each of its invocations.
const CPU_QUADS: u32 = 64;

/// Shapes for whole inputs of floats, by what a sum of `f32` takes. One workgroup takes short inputs, since a second would have to be
/// waited for. Up to 256 fold medium ones, as many as each of their invocations has one partial of to fold.
const FLOATS: [Step; 7] = [
    (16 * KIB, [256, 1, 4, 4]),
    (128 * KIB, [512, 1, 4, 4]),
    (256 * KIB, [256, 256, 2, 2]),
    (3 * MIB, [256, 256, 4, 4]),
    (8 * MIB, [256, 256, 8, 8]),
    (MEDIUM_BYTES, [256, 256, 4, 4]),
    (u64::MAX, LONG),
];

/// Shapes for whole inputs of integers, whose sums of 64 bits need more code, where code is what takes time.
const INTEGERS: [Step; 11] = [
    (2 * KIB, [256, 1, 1, 4]),
    (8 * KIB, [512, 1, 1, 4]),
    (16 * KIB, [512, 1, 2, 4]),
    (32 * KIB, [1024, 1, 2, 4]),
    (64 * KIB, [512, 1, 8, 8]),
    (128 * KIB, [128, 256, 2, 2]),
    (2 * MIB, [256, 256, 2, 2]),
    (8 * MIB, [256, 256, 2, 4]),
    (MEDIUM_BYTES, [512, 256, 2, 4]),
    (2 * MEDIUM_BYTES, [1024, 264, 2, 6]),
    (u64::MAX, LONG),
];

/// Keeps a large GPU loading.
const LONG: Shape = [1024, 264, 8, 8];

/// Up to here the way of the partials weighs more than the elements.
const MEDIUM_BYTES: u64 = 32 * MIB;

/// Shapes for exact sums, by elements. As long as the start of workgroups weighs more than the elements, short code matters more than
/// loads in flight.
const EXACT: [Step; 7] = [
    (1 << 12, [512, 256, 1, 2]),
    (1 << 16, [256, 256, 1, 1]),
    (1 << 18, [512, 128, 1, 1]),
    (1 << 20, [512, 256, 1, 1]),
    (1 << 22, [512, 256, 2, 2]),
    (1 << 23, [512, 264, 4, 4]),
    (u64::MAX, [1024, 264, 4, 4]),
];

fn step(steps: &[Step], size: u64) -> Shape {
    let step = steps.iter().find(|(most, _)| size <= *most);
    step.map_or(LONG, |(_, shape)| *shape)
}

/// The shape for whole inputs of so many bytes.
pub(crate) fn whole(class: AdapterClass, bytes: u64, is_float: bool) -> Shape {
    match class {
        Cpu => [64, 16, 4, CPU_QUADS],
        Gpu => step(if is_float { &FLOATS } else { &INTEGERS }, bytes),
    }
}

/// Size and number of workgroups, and loads in flight, of long whole inputs whose accumulators need more registers than a sum's.
pub(crate) fn long(class: AdapterClass, bytes: u64, accumulator: Accumulator) -> Option<[u32; 3]> {
    if class == Cpu || bytes <= MEDIUM_BYTES {
        return None;
    }
    Some(match accumulator {
        // Each number is the least of both, since registers are shared.
        Accumulator::Several(joined, _) => {
            return match joined.both().map(|over| long(class, bytes, over.accumulator)) {
                [Some([size, workgroups, loads]), Some(other)] => Some([
                    size.min(other[0]),
                    workgroups.min(other[1]),
                    loads.min(other[2]).min(LOADS_OF_SEVERAL),
                ]),
                [first, second] => first.or(second),
            };
        }
        Accumulator::Located
        | Accumulator::Shifted
        | Accumulator::Moments
        | Accumulator::ScaledMoments => [512, 264, 8],
        // Those of 64 bits were measured on an H100.
        Accumulator::DescribedF32
        | Accumulator::Quad
        | Accumulator::Located64
        | Accumulator::ShiftedF64 => [512, 264, 6],
        Accumulator::MomentsF64 => [256, 396, 4],
        Accumulator::ScaledMomentsF64 => [256, 396, 6],
        Accumulator::ScaledF64 => [1024, 264, 3],
        Accumulator::DescribedF64 => [512, 132, 8],
        Accumulator::Scaled => [256, 1056, 3],
        Accumulator::Spread => [1024, 132, 6],
        Accumulator::DescribedInteger => [256, 396, 5],
        _ => return None,
    })
}

/// Most loads in flight of two operations that need more registers than a sum. With 8, the row of mean, variance and extremes of
/// `cargo bench --bench several` takes almost twice the time on an H200.
const LOADS_OF_SEVERAL: u32 = 6;

/// Most partials that one workgroup folds alone.
pub(crate) const PARTIALS_PER_WORKGROUP: u32 = 16_384;

/// Whether code of its own for whole tiles of long accumulators saves more time than its compilation takes.
pub(crate) fn has_whole_tiles(class: AdapterClass) -> bool {
    class == Gpu
}

/// Inputs of a batch of no more than so many bytes have a workgroup each. A larger one is better off with several.
pub(crate) const SHARED_BYTES: u64 = 32 * KIB;

/// The shape for whole inputs of so many bytes that keep their order. Workgroups load although each waits at many barriers. On a CPU,
/// where barriers cost more than anything, turns are few and long. Up to 64 KiB a second pass would take longer than it saves.
pub(crate) fn ordered(class: AdapterClass, bytes: u64) -> Shape {
    match class {
        Cpu => [32, 16, 16, 128],
        Gpu if bytes <= 64 * KIB => [256, 1, 4, 4],
        Gpu => [256, 1056, 4, 4],
    }
}

/// The shape for exact sums of so many elements of `f64`: that of as many bytes, but for long ones, whose additions weigh more.
pub(crate) fn exact_doubles(class: AdapterClass, len: u64) -> Shape {
    let of_long = if len < EXACT_LONG_DOUBLES { len.saturating_mul(2) } else { u64::MAX };
    exact(class, of_long)
}

/// Measured on an H100 at 2^20 and 2^27 elements.
const EXACT_LONG_DOUBLES: u64 = 1 << 20;

/// The shape for exact sums of so many elements.
pub(crate) fn exact(class: AdapterClass, len: u64) -> Shape {
    match class {
        Cpu => [64, 16, 4, CPU_QUADS],
        Gpu => step(&EXACT, len),
    }
}

/// Most invocations of a workgroup, and most loads, of exact sums of products. Each load is of two quads, and a product takes more registers
/// than an element.
pub(crate) const EXACT_PAIRS: [u32; 2] = [512, 2];

/// By how many powers of two windows of exact sums reach above what they were made for.
pub(crate) const EXACT_MARGIN: u32 = 2;

/// Numbers for axes: size of workgroups, invocations that keep the device loading, most workgroups, loads and rows in flight.
/// 2^18 invocations are about what the GPU holds.
pub(crate) fn axis(class: AdapterClass) -> [u32; 5] {
    match class {
        Cpu => [64, 1 << 10, 64, 4, 1],
        Gpu => [256, 1 << 18, 8448, 8, 4],
    }
}

/// Numbers for axes everywhere: [`short_team`](crate::AxisTuning::short_team), [`min_unaligned`](crate::AxisTuning::min_unaligned),
/// [`shortest_team`](crate::AxisTuning::shortest_team), [`widest_block`](crate::AxisTuning::widest_block).
pub(crate) const AXIS_TEAMS: [u32; 4] = [32, 256, 8, 32];

/// Accumulators of so many bytes take longer to combine than lines of the cache to load that several lanes share, so that each short row
/// has an invocation of its own. Exact sums of 2^20 rows of 64 `f32` took 569 µs on an H100 with teams, and take 163 without. `stats` of
/// `f64` have as many bytes.
pub(crate) const AXIS_LONG_BYTES: u64 = 64;

/// Accumulators of so many bytes leave room for few invocations, and few have little to combine: size of workgroups, and invocations that
/// keep the device loading. Exact sums of one row of 2^24 `f64` took 491 µs on an H100 with 2^18 invocations, and take 351.
pub(crate) const AXIS_LONGEST: (u64, [u32; 2]) = (256, [64, 1 << 14]);

/// Most bytes of partials of axes between two passes.
pub(crate) const AXIS_PARTIAL_BYTES: u64 = 256 * MIB;

/// Numbers for segments, by bytes of an element: size of workgroups, quads of an invocation, most workgroups. These are more than run
/// at the same time, since shares of long segments take less time than shares of short ones.
pub(crate) fn segments(caps: &Caps, element_bytes: u64) -> [u32; 3] {
    match (caps.class, element_bytes) {
        (Cpu, 1) => [32, 2, 16],
        (Cpu, 2) => [32, 4, 16],
        (Cpu, _) => [32, 8, 16],
        (Gpu, 1) => [128, 1, 2112],
        (Gpu, 2) => [128, 3, 2112],
        (Gpu, _) if caps.waits_for_others => [64, 5, 6336],
        (Gpu, _) => [64, 5, 5120],
    }
}

/// Invocations of the workgroup that finds out where tiles of segments begin.
pub(crate) const SPLIT_SIZE: u32 = 64;

/// Most invocations of what is one workgroup: on a GPU as many as `largest`, where thousands of shares wait for it; on a CPU as
/// many as the `others` have.
pub(crate) fn alone(class: AdapterClass, largest: u32, others: u32) -> u32 {
    match class {
        Cpu => others,
        Gpu => largest,
    }
}

/// Size of workgroups and number of shares that look for heads of runs.
pub(crate) fn heads(class: AdapterClass) -> [u32; 2] {
    match class {
        Cpu => [32, 64],
        Gpu => [256, 4096],
    }
}

/// As [`heads`], where values are folded at once. One subgroup, where a workgroup is one, has nobody to wait for.
pub(crate) fn heads_with_values(class: AdapterClass, subgroups: Option<SubgroupSizes>) -> [u32; 2] {
    match class {
        Cpu => [32, 64],
        Gpu => [subgroups.map_or(64, |sizes| sizes.max.clamp(32, 64)), 2112],
    }
}

/// Most invocations of the workgroup that adds up shares of runs, of those that gather them, and of those that leave runs.
pub(crate) const PLACES_SIZE: u32 = 1024;
pub(crate) const GATHER_SIZE: u32 = 256;
pub(crate) const LIST_SIZE: u32 = 64;

/// Numbers for histograms: size and number of workgroups, loads, copies of counters. As many copies as most memories have banks keep lanes
/// from waiting for each other. With more workgroups than processors counting is no faster, and adding up takes longer.
pub(crate) fn bins(class: AdapterClass) -> [u32; 4] {
    match class {
        Cpu => [64, 16, 1, 1],
        Gpu => [1024, 132, 4, 32],
    }
}

/// Most invocations of the workgroup that finds a digit of one rank.
pub(crate) const CHOOSE_SIZE: u32 = 256;

/// Elements from which on order statistics keep what lies between bounds of a sample: with fewer, their passes take longer than what
/// they save.
pub(crate) fn sifted(class: AdapterClass) -> u64 {
    match class {
        Cpu => 1 << 20,
        Gpu => 1 << 22,
    }
}

/// So many times the workgroups where weights are added, which takes several steps: more keep more under way.
pub(crate) fn weights(class: AdapterClass) -> u32 {
    match class {
        Cpu => 1,
        Gpu => 2,
    }
}

/// A workgroup of at most so many invocations that the device has, and as many more of them as there are then.
pub(crate) fn allowed(caps: &Caps, size: u32, count: u32) -> [u32; 2] {
    let allowed = largest_power_of_two(caps.workgroup_size()).min(size);
    [allowed, count * (size / allowed)]
}

pub(crate) fn largest_power_of_two(at_most: u32) -> u32 {
    at_most.checked_ilog2().map_or(1, |log| 1 << log)
}
