//! The numbers that make an exact sum fast.

use crate::error::Result;
use crate::exact::{ExactTerms, MAX_WORKGROUPS};
use crate::op::element::ElementKind;
use crate::plan::caps::Caps;
use crate::plan::geometry;
use crate::plan::limits::{check_between, check_workgroup_size, invalid_tuning};
use std::fmt;
use std::ops::RangeInclusive;

/// How an exact sum is spread over the device. The result has the same bits with any of them.
///
/// ```
/// use wgpu_reduce::{Caps, ExactTuning};
///
/// let tuning = ExactTuning::for_len(&Caps::baseline(), 1 << 20);
/// assert!(tuning.workgroup_size.is_power_of_two());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExactTuning {
    /// Invocations per workgroup; a power of two, at least 32, that the device allows.
    pub workgroup_size: u32,
    /// Most workgroups that share one binding window, as much of the input as one binding covers; at most 1000.
    pub max_workgroups: u32,
    /// Quads of 16 bytes that an invocation loads before it uses the first of them. It adds them before it looks whether they fit
    /// its exponent window. From 1 to 16; of `f64`, and of each of two inputs, to 8.
    pub loads_in_flight: u32,
    /// Quads that an invocation should get before there is another workgroup; from 1 on. It gets at
    /// least those in flight.
    pub min_quads_per_invocation: u32,
    /// By how many powers of two an exponent window reaches above the largest element that it was made for. A window is the bits
    /// that an invocation adds to. It covers 25 powers of two, of `f64` 23: from 0 to 24, and to 22.
    pub margin: u32,
}

impl ExactTuning {
    /// The default for so many elements of `f32` on a device: a function of the length, the device's limits and
    /// its class, and of nothing else.
    #[must_use]
    pub fn for_len(caps: &Caps, len: u64) -> Self {
        Self::of(caps, geometry::exact(caps.class, len))
    }

    fn of(caps: &Caps, shape: geometry::Shape) -> Self {
        let [size, count, loads_in_flight, min_quads_per_invocation] = shape;
        let [workgroup_size, max_workgroups] = geometry::allowed(caps, size, count);
        Self {
            workgroup_size,
            max_workgroups: max_workgroups.min(MAX_WORKGROUPS),
            loads_in_flight,
            min_quads_per_invocation,
            margin: geometry::EXACT_MARGIN,
        }
    }

    /// The default for the products of so many pairs of `f32`.
    #[must_use]
    pub fn for_pairs(caps: &Caps, len: u64) -> Self {
        let of_one = Self::for_len(caps, len);
        let [size, loads] = geometry::EXACT_PAIRS;
        let workgroup_size = of_one.workgroup_size.min(size);
        let max_workgroups = of_one.max_workgroups * (of_one.workgroup_size / workgroup_size);
        Self {
            workgroup_size,
            max_workgroups: max_workgroups.min(MAX_WORKGROUPS),
            loads_in_flight: of_one.loads_in_flight.min(loads),
            ..of_one
        }
    }

    /// The default for so many elements of `f64`.
    #[must_use]
    pub fn for_doubles(caps: &Caps, len: u64) -> Self {
        Self::of(caps, geometry::exact_doubles(caps.class, len)).with_loads(MAX_DOUBLE_LOADS)
    }

    /// The default for the products of so many pairs of `f64`.
    #[must_use]
    pub fn for_double_pairs(caps: &Caps, len: u64) -> Self {
        Self::for_pairs(caps, len.saturating_mul(2)).with_loads(MAX_DOUBLE_LOADS)
    }

    fn with_loads(self, most: u32) -> Self {
        Self { loads_in_flight: self.loads_in_flight.min(most), ..self }
    }

    /// Quads of a workgroup's least share: a whole tile.
    pub(crate) fn share_quads(&self) -> u64 {
        let quads = self.min_quads_per_invocation.max(self.loads_in_flight);
        u64::from(self.workgroup_size) * u64::from(quads)
    }

    /// Quads that the invocations of a workgroup load at once.
    pub(crate) fn tile_quads(&self) -> u64 {
        u64::from(self.workgroup_size) * u64::from(self.loads_in_flight)
    }

    /// Checks that a device with `caps` can run this, and that the bounds of the shaders hold.
    pub(crate) fn validate(
        &self,
        terms: ExactTerms,
        element: ElementKind,
        caps: &Caps,
    ) -> Result<()> {
        let size = self.workgroup_size;
        let (max_loads, max_margin, workgroup_bytes) = match (terms, element) {
            (ExactTerms::Elements, ElementKind::F64) => {
                (MAX_DOUBLE_LOADS, MAX_DOUBLE_MARGIN, DOUBLES_WORKGROUP_BYTES)
            }
            (ExactTerms::Products, ElementKind::F64) => {
                (MAX_DOUBLE_LOADS, MAX_DOUBLE_MARGIN, DOUBLE_PAIRS_WORKGROUP_BYTES)
            }
            (ExactTerms::Elements, _) => (MAX_LOADS, MAX_MARGIN, ELEMENTS_WORKGROUP_BYTES),
            (ExactTerms::Products, _) => (MAX_PAIR_LOADS, MAX_MARGIN, PRODUCTS_WORKGROUP_BYTES),
        };
        if !size.is_power_of_two() || !WORKGROUP_SIZES.contains(&size) {
            let what = format!("workgroup size {size} is not a power of two from 32 to 1024");
            return Err(invalid_tuning(what));
        }
        check_workgroup_size(size, caps.workgroup_size())?;
        if caps.max_loop_turns < MIN_TURNS {
            return Err(invalid_tuning(format!("an exact sum needs loops of {MIN_TURNS} turns")));
        }
        if caps.workgroup_storage_bytes < workgroup_bytes {
            let what = format!("an exact sum needs {workgroup_bytes} bytes of workgroup memory");
            return Err(invalid_tuning(what));
        }
        check_between(self.max_workgroups, "workgroups", 1..=MAX_WORKGROUPS)?;
        check_between(self.loads_in_flight, "loads in flight", 1..=max_loads)?;
        check_between(self.min_quads_per_invocation, "quads per invocation", 1..=MAX_QUADS)?;
        check_between(self.margin, "digits of margin", 0..=max_margin)
    }
}

/// As `256 × 264, 4 loads, 4 quads, margin 2`.
impl fmt::Display for ExactTuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workgroup_size, max_workgroups, loads_in_flight, margin, .. } = self;
        let quads = self.min_quads_per_invocation;
        write!(f, "{workgroup_size} × {max_workgroups}, {loads_in_flight} loads, ")?;
        write!(f, "{quads} quads, margin {margin}")
    }
}

/// Smaller workgroups may not fill a subgroup, and there Mesa's llvmpipe ends loops early that have
/// loops in them. The bins of a workgroup have room for the elements of no more invocations.
const WORKGROUP_SIZES: RangeInclusive<u32> = 32..=1024;

/// 64 elements, of which a tile may have 127.
const MAX_LOADS: u32 = 16;

/// 32 products, whose lower halves have 25 bits, of which a tile may have 63.
const MAX_PAIR_LOADS: u32 = 8;

/// 16 elements of `f64` or products of them, of which a tile may have 31.
const MAX_DOUBLE_LOADS: u32 = 8;

/// With room for a tile of as many loads as there may be, beside the turns of other loops.
const MIN_TURNS: u32 = 300;

/// Far beyond what keeps a GPU busy.
const MAX_QUADS: u32 = 1 << 10;

/// The window still has the largest element in it.
const MAX_MARGIN: u32 = 24;
const MAX_DOUBLE_MARGIN: u32 = 22;

/// Bins, their carries, digits and flags.
const ELEMENTS_WORKGROUP_BYTES: u32 = 4 * (2 * 512 + 32 + 1);
const PRODUCTS_WORKGROUP_BYTES: u32 = 4 * (2 * 531 + 64 + 1);
const DOUBLES_WORKGROUP_BYTES: u32 = 4 * (2 * 524 + 192 + 1);
const DOUBLE_PAIRS_WORKGROUP_BYTES: u32 = 4 * (2 * 1044 + 384 + 1);
