//! What a device can do, as plain data: all that the planner knows of it.

/// The limits and abilities of a device that a plan depends on.
///
/// ```
/// use wgpu_reduce::{AdapterClass, Caps};
///
/// let caps = Caps::baseline();
/// assert_eq!(caps.max_binding_bytes, 128 << 20);
/// assert_eq!(caps.subgroups, None);
/// assert_eq!(caps.class, AdapterClass::Gpu);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "abilities that do not depend on each other")]
pub struct Caps {
    /// Bytes that one storage binding may cover.
    pub max_binding_bytes: u64,
    /// Bytes of the largest buffer.
    pub max_buffer_bytes: u64,
    /// Storage bindings that one shader may have: WebGPU promises 8, and devices of GLES 3.1 have 4.
    pub max_storage_buffers: u32,
    /// What the offset of a storage binding must be a multiple of.
    pub storage_alignment_bytes: u64,
    /// What the offset of a uniform binding must be a multiple of.
    pub uniform_alignment_bytes: u64,
    /// Workgroups in one dimension of a dispatch.
    pub max_workgroups_per_dimension: u32,
    /// Invocations in one workgroup.
    pub max_workgroup_size: u32,
    /// Bytes of workgroup memory.
    pub workgroup_storage_bytes: u32,
    /// Smallest and largest subgroup, where the device has subgroup operations.
    pub subgroups: Option<SubgroupSizes>,
    /// Turns that the loops of one invocation may take together. Mesa's software rasteriser leaves
    /// them after 65 535, without a word.
    pub max_loop_turns: u32,
    /// Whether shaders can add to an `f32` atomically, without a compare-exchange loop.
    pub float_atomics: bool,
    /// Whether shaders have integers of 64 bits.
    pub native_u64: bool,
    /// Whether a workgroup may wait for others: they run meanwhile, and what they store is seen. WGSL
    /// promises neither; NVIDIA's own Vulkan driver is known to do it.
    pub waits_for_others: bool,
    /// Whether a subgroup's vote may decide where a workgroup goes. Some compilers see only then that its invocations
    /// stay together; that of browsers takes the vote for a reason that they might not.
    pub uniform_votes: bool,
    /// Whether shaders can compute with `f64`: wgpu's `SHADER_F64`, and `SHADER_INT64`, which leads from
    /// its bits to the number and back.
    pub f64: bool,
    /// Whether the host can read what shaders write without a copy in between.
    pub mappable_results: bool,
    /// Whether a GPU or a CPU does the work.
    pub class: AdapterClass,
}

/// Smallest and largest number of invocations in a subgroup. [`Caps`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SubgroupSizes {
    /// Smallest.
    pub min: u32,
    /// Largest.
    pub max: u32,
}

/// What kind of machine stands behind an adapter, as far as tuning cares. [`Caps`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AdapterClass {
    /// A GPU, or one that does not say that it is none.
    Gpu,
    /// A software implementation on the CPU.
    Cpu,
}

impl Caps {
    /// What every WebGPU implementation promises, without subgroups.
    #[must_use]
    pub fn baseline() -> Self {
        let info =
            wgpu_types::AdapterInfo::new(wgpu_types::DeviceType::Other, wgpu_types::Backend::Noop);
        Self::new(&wgpu_types::Limits::defaults(), wgpu_types::Features::empty(), &info)
    }

    /// The abilities of a device with these limits and features on this adapter.
    ///
    /// ```
    /// use wgpu_reduce::Caps;
    ///
    /// let info = wgpu::AdapterInfo::new(wgpu::DeviceType::Other, wgpu::Backend::Noop);
    /// let caps = Caps::new(&wgpu::Limits::defaults(), wgpu::Features::SUBGROUP, &info);
    /// assert!(caps.subgroups.is_some());
    /// assert_eq!(caps.without_subgroups().subgroups, None);
    /// ```
    #[must_use]
    pub fn new(
        limits: &wgpu_types::Limits,
        features: wgpu_types::Features,
        info: &wgpu_types::AdapterInfo,
    ) -> Self {
        let subgroups =
            features.contains(wgpu_types::Features::SUBGROUP).then_some(SubgroupSizes {
                min: info.subgroup_min_size.max(1),
                max: largest_subgroup(info),
            });
        let class = match info.device_type {
            wgpu_types::DeviceType::Cpu => AdapterClass::Cpu,
            _ => AdapterClass::Gpu,
        };
        Self {
            max_binding_bytes: limits.max_storage_buffer_binding_size,
            max_buffer_bytes: limits.max_buffer_size,
            max_storage_buffers: limits.max_storage_buffers_per_shader_stage,
            storage_alignment_bytes: limits.min_storage_buffer_offset_alignment.into(),
            uniform_alignment_bytes: limits.min_uniform_buffer_offset_alignment.into(),
            max_workgroups_per_dimension: limits.max_compute_workgroups_per_dimension,
            max_workgroup_size: limits
                .max_compute_workgroup_size_x
                .min(limits.max_compute_invocations_per_workgroup),
            workgroup_storage_bytes: limits.max_compute_workgroup_storage_size,
            subgroups,
            float_atomics: features.contains(wgpu_types::Features::SHADER_FLOAT32_ATOMIC),
            native_u64: features.contains(wgpu_types::Features::SHADER_INT64),
            waits_for_others: info.backend == wgpu_types::Backend::Vulkan
                && info.vendor == NVIDIA
                // Not Mesa's driver for the same GPUs.
                && info.driver.starts_with("NVIDIA")
                && class == AdapterClass::Gpu,
            uniform_votes: info.backend != wgpu_types::Backend::BrowserWebGpu
                && subgroups.is_some(),
            f64: features.contains(DOUBLES),
            mappable_results: features.contains(wgpu_types::Features::MAPPABLE_PRIMARY_BUFFERS),
            max_loop_turns: if class == AdapterClass::Cpu { 65_000 } else { u32::MAX },
            class,
        }
    }

    /// A grid of at least `workgroups` workgroups in x and y, with as few too many as can be.
    pub(crate) fn grid(&self, workgroups: u32) -> [u32; 2] {
        let side = self.max_workgroups_per_dimension.max(1);
        let y = workgroups.div_ceil(side).max(1);
        [workgroups.div_ceil(y).max(1), y]
    }

    /// Workgroups that such a grid holds at most.
    pub(crate) fn max_grid(&self) -> u32 {
        let side = self.max_workgroups_per_dimension.max(1);
        side.saturating_mul(side).min(MAX_WORKGROUPS)
    }

    /// Returns the capabilities with subgroup operations left alone.
    #[must_use]
    pub const fn without_subgroups(mut self) -> Self {
        self.subgroups = None;
        self
    }
}

/// What shaders that compute with `f64` need.
pub(crate) const DOUBLES: wgpu_types::Features =
    wgpu_types::Features::SHADER_F64.union(wgpu_types::Features::SHADER_INT64);

/// More than bindings give work to; with no more, a grid's sides multiply to what 32 bits hold.
const MAX_WORKGROUPS: u32 = 1 << 30;

/// As PCI numbers vendors.
const NVIDIA: u32 = 0x10DE;

/// WebGPU's largest subgroup.
const MAX_SUBGROUP_SIZE: u32 = 128;

/// What the adapter reports, where that can be relied on: too small a number would make shaders leave
/// lanes out, too large a one costs them a step. DirectX counts lanes for the whole device, not for
/// a pipeline.
fn largest_subgroup(info: &wgpu_types::AdapterInfo) -> u32 {
    match (info.backend, info.subgroup_max_size) {
        (wgpu_types::Backend::Dx12, _) | (_, 0) => MAX_SUBGROUP_SIZE,
        (_, size) => size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_largest_subgroup_that_is_not_known_is_the_largest_there_can_be() {
        let mut info = wgpu_types::AdapterInfo::new(
            wgpu_types::DeviceType::Other,
            wgpu_types::Backend::Vulkan,
        );
        info.subgroup_max_size = 32;
        assert_eq!(largest_subgroup(&info), 32);
        info.subgroup_max_size = 0;
        assert_eq!(largest_subgroup(&info), 128);
        info.subgroup_max_size = 32;
        info.backend = wgpu_types::Backend::Dx12;
        assert_eq!(largest_subgroup(&info), 128);
    }

    #[test]
    fn grids_hold_what_they_must_and_little_more() {
        let mut caps = Caps::baseline();
        for (workgroups, grid) in
            [(1, [1, 1]), (65_535, [65_535, 1]), (65_536, [32_768, 2]), (1 << 20, [61_681, 17])]
        {
            assert_eq!(caps.grid(workgroups), grid);
        }
        caps.max_workgroups_per_dimension = 3;
        assert_eq!((caps.grid(9), caps.max_grid()), ([3, 3], 9));
    }
}
