//! What every plan is held to: that there can be such a device, and that nothing in a plan is more than it has.

use crate::error::{Error, Result};
use crate::plan::caps::Caps;
use crate::plan::recording::{PlannedPass, Recording};
use std::ops::{Range, RangeInclusive};

/// Invocations that a workgroup has at most, whatever a device says: more than any that is known allows. With no more,
/// products with numbers of workgroups are within 32 bits.
pub(crate) const MAX_WORKGROUP_SIZE: u32 = 2048;

/// Dispatches of a plan: one with more would be too large to run as one submission.
pub(crate) const MAX_DISPATCHES: usize = 1 << 17;

/// No buffer ends beyond, so that what is added to an end fits 64 bits.
pub(crate) const MAX_END_BYTES: u64 = 1 << 62;

/// WebGPU promises that none is larger.
const MAX_ALIGNMENT_BYTES: u64 = 256;

/// Far more than any that is known.
const MAX_SUBGROUP_SIZE: u32 = 1 << 10;

/// That a device lacks something; whoever has the adapter names it.
pub(crate) fn unsupported(what: impl Into<String>) -> Error {
    Error::Unsupported { what: what.into(), adapter: "the device".into() }
}

/// That no device, or not this one, can run a tuning.
pub(crate) fn invalid_tuning(what: impl Into<String>) -> Error {
    Error::InvalidTuning { what: what.into() }
}

/// Fails unless workgroups, of `most` invocations at most, may have so many.
pub(crate) fn check_workgroup_size(size: u32, most: u32) -> Result<()> {
    if !size.is_power_of_two() {
        return Err(invalid_tuning(format!("workgroup size {size} is not a power of two")));
    }
    if size > most {
        let what = format!("workgroup size {size} is more than the device's {most}");
        return Err(invalid_tuning(what));
    }
    Ok(())
}

/// Fails unless there are as many of something as there may be.
pub(crate) fn check_between(count: u32, what: &str, range: RangeInclusive<u32>) -> Result<()> {
    if range.contains(&count) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    Err(invalid_tuning(format!("{count} {what} are not between {least} and {most}")))
}

/// Where items of a size end that begin at an offset.
pub(crate) fn end_of(offset_bytes: u64, [len, size_bytes]: [u64; 2]) -> Result<u64> {
    let end = len.checked_mul(size_bytes).and_then(|bytes| bytes.checked_add(offset_bytes));
    end.filter(|&end| end <= MAX_END_BYTES).ok_or_else(|| Error::InvalidBuffer {
        what: format!("{len} times {size_bytes} bytes from byte {offset_bytes} on are too many"),
    })
}

impl Caps {
    /// Fails where no device has such limits, and plans that follow them would not be worth anything.
    pub(crate) fn check(&self) -> Result<()> {
        let Self { storage_alignment_bytes: alignment, subgroups, .. } = *self;
        if self.max_workgroups_per_dimension == 0 || self.max_workgroup_size == 0 {
            return Err(unsupported("a workgroup"));
        }
        if !alignment.is_power_of_two() || alignment > MAX_ALIGNMENT_BYTES {
            let what = format!("bindings at what is not a multiple of {alignment} bytes");
            return Err(unsupported(what));
        }
        let is_possible = |size: u32| (1..=MAX_SUBGROUP_SIZE).contains(&size);
        match subgroups {
            Some(sizes) if !is_possible(sizes.min) || !is_possible(sizes.max) => {
                Err(unsupported(format!("subgroups of less than {MAX_SUBGROUP_SIZE}")))
            }
            _ => Ok(()),
        }
    }

    /// Invocations of the largest workgroup that a plan may have.
    pub(crate) fn workgroup_size(&self) -> u32 {
        self.max_workgroup_size.min(MAX_WORKGROUP_SIZE)
    }

    /// Fails unless the device has such grids, and there is a workgroup in each plane of one.
    pub(crate) fn check_grid(&self, [x, y]: [u32; 2]) -> Result<()> {
        let most = self.max_workgroups_per_dimension;
        if (1..=most).contains(&x) && (1..=most).contains(&y) {
            return Ok(());
        }
        Err(unsupported(format!("grids of {x} x {y} workgroups")))
    }

    /// Fails unless a binding of the device can cover these bytes.
    pub(crate) fn check_binding(&self, bytes: &Range<u64>) -> Result<()> {
        let is_aligned = bytes.start.is_multiple_of(self.storage_alignment_bytes);
        let len = bytes.end.checked_sub(bytes.start);
        if is_aligned && len.is_some_and(|len| (1..=self.max_binding_bytes).contains(&len)) {
            return Ok(());
        }
        Err(unsupported(format!("a binding of bytes {} to {}", bytes.start, bytes.end)))
    }

    /// Fails unless the device can have a buffer of so many bytes.
    pub(crate) fn check_buffer(&self, bytes: u64) -> Result<()> {
        let max_bytes = self.max_buffer_bytes;
        if bytes <= max_bytes { Ok(()) } else { Err(Error::BufferTooLarge { bytes, max_bytes }) }
    }
}

impl Recording {
    /// The same, if the device can run it.
    pub(crate) fn within(self, caps: &Caps) -> Result<Self> {
        self.scratch.iter().try_for_each(|scratch| caps.check_buffer(scratch.bytes))?;
        let dispatches: usize = self.passes.iter().map(|pass| pass.dispatches.len()).sum();
        check_dispatches(dispatches)?;
        self.passes.iter().try_for_each(|pass| pass.check(caps))?;
        Ok(self)
    }
}

/// Fails where there are more dispatches than a plan may have.
pub(crate) fn check_dispatches(dispatches: usize) -> Result<()> {
    if dispatches <= MAX_DISPATCHES {
        return Ok(());
    }
    Err(unsupported(format!("more than {MAX_DISPATCHES} dispatches at once")))
}

impl PlannedPass {
    fn check(&self, caps: &Caps) -> Result<()> {
        for dispatch in &self.dispatches {
            // A dispatch of no rows at all has no planes.
            let [x, y, planes] = dispatch.grid;
            caps.check_grid([x, y])?;
            caps.check_grid([planes.max(1), 1])?;
            let bound = dispatch.bindings.iter().filter_map(|bound| bound.bytes.as_ref());
            bound.clone().try_for_each(|bytes| caps.check_binding(bytes))?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::plan::caps::{AdapterClass, SubgroupSizes};
    use proptest::prelude::*;
    use proptest::strategy::Union;

    /// Mostly one of these, and now and then any number.
    pub(crate) fn anything(usual: &[u64]) -> impl Strategy<Value = u64> + use<> {
        let usual = prop::sample::select(usual.to_vec()).boxed();
        let scaled = (any::<u64>(), 0_u32..64).prop_map(|(number, shift)| number >> shift);
        let ends = prop::sample::select(vec![0, 1, u64::from(u32::MAX), u64::MAX - 1, u64::MAX]);
        Union::new_weighted(vec![(8, usual), (1, scaled.boxed()), (1, ends.boxed())])
    }

    /// Returns the number in 32 bits, or the largest that they hold.
    pub(crate) fn low(number: u64) -> u32 {
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// Devices with any limits, most of them like those that there are.
    pub(crate) fn devices() -> impl Strategy<Value = Caps> {
        let bytes = (anything(&[4096, 1 << 20, 128 << 20, 4 << 30]), anything(&[1 << 30, 1 << 40]));
        let binding = (bytes, anything(&[16, 64, 256]));
        let grid =
            (anything(&[3, 65_535]), anything(&[64, 256, 1024]), anything(&[16_384, 49_152]));
        let subgroups = prop::option::of((anything(&[4, 32]), anything(&[32, 128])));
        let other = (anything(&[65_000, u64::from(u32::MAX)]), subgroups, any::<bool>());
        (binding, grid, other).prop_map(|(binding, grid, (turns, subgroups, is_cpu))| {
            let ((max_binding_bytes, max_buffer_bytes), storage_alignment_bytes) = binding;
            let size = |(min, max)| SubgroupSizes { min: low(min), max: low(max) };
            Caps {
                max_binding_bytes,
                max_buffer_bytes,
                storage_alignment_bytes,
                max_workgroups_per_dimension: low(grid.0),
                max_workgroup_size: low(grid.1),
                workgroup_storage_bytes: low(grid.2),
                max_loop_turns: low(turns),
                subgroups: subgroups.map(size),
                class: if is_cpu { AdapterClass::Cpu } else { AdapterClass::Gpu },
                f64: true,
                ..Caps::baseline()
            }
        })
    }

    #[test]
    fn devices_that_there_cannot_be_are_refused() {
        let caps = Caps::baseline();
        assert_eq!(caps.check(), Ok(()));
        let sizes = |min, max| Caps { subgroups: Some(SubgroupSizes { min, max }), ..caps };
        for impossible in [
            Caps { max_workgroups_per_dimension: 0, ..caps },
            Caps { max_workgroup_size: 0, ..caps },
            Caps { storage_alignment_bytes: 0, ..caps },
            Caps { storage_alignment_bytes: 48, ..caps },
            Caps { storage_alignment_bytes: 1 << 63, ..caps },
            sizes(0, 32),
            sizes(4, u32::MAX),
        ] {
            let refused = impossible.check();
            assert!(matches!(refused, Err(Error::Unsupported { .. })), "{impossible:?}");
        }
    }

    #[test]
    fn ends_that_no_buffer_has_are_refused() {
        assert_eq!(end_of(12, [3, 4]), Ok(24));
        assert_eq!(end_of(MAX_END_BYTES - 4, [1, 4]), Ok(MAX_END_BYTES));
        for (offset, items) in
            [(MAX_END_BYTES, [1, 1]), (u64::MAX, [1, 8]), (0, [u64::MAX, 4]), (8, [1 << 62, 1])]
        {
            let refused = end_of(offset, items);
            assert!(matches!(refused, Err(Error::InvalidBuffer { .. })), "{refused:?}");
        }
    }
}
