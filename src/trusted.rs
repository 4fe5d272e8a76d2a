//! What cannot be checked, and is trusted: the one file with `unsafe`.
//!
//! Shader modules without run-time checks: wgpu guards every index, loop and division of a shader, because it may have come from anywhere.
//! This crate's come from `shaders/`, and the guards cost time in the loops that matter.
//!
//! Pipelines from another process: drivers take compiled code as it is.
//!
//! Vectors that several threads fill.

#![expect(unsafe_code, reason = "neither wgpu nor the compiler can check what is done here")]

use crate::op::shares::{in_shares, threads_for};
#[cfg(feature = "wgpu")]
pub(crate) use of_wgpu::{compilation_options, create_module, create_pipeline_cache};
use std::mem::MaybeUninit;

/// What `each` makes of the numbers below `len`, in order, by several threads where they are many; or the
/// first number of which it fails, and why; values that were made by then are not dropped.
pub(crate) fn collect<R: Send, E: Send>(
    len: usize,
    each: impl Fn(usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, (usize, E)> {
    let mut values = Vec::with_capacity(len);
    let threads = threads_for(len.saturating_mul(size_of::<R>()));
    let places = values.spare_capacity_mut().get_mut(..len).unwrap_or_default();
    let filled = places.len();
    in_shares(threads, places, |first, places| fill(places, first, &each))?;
    // SAFETY: `fill` has written a value to each of the first `filled` places, or returned an error above.
    unsafe { values.set_len(filled) };
    Ok(values)
}

fn fill<R, E>(
    places: &mut [MaybeUninit<R>],
    first: usize,
    each: &impl Fn(usize) -> Result<R, E>,
) -> Result<(), (usize, E)> {
    for (number, place) in (first..).zip(places) {
        place.write(each(number).map_err(|error| (number, error))?);
    }
    Ok(())
}

#[cfg(feature = "wgpu")]
mod of_wgpu {
    use crate::device::cache_file::Stored;

    /// Makes a module of one of this crate's shaders. `guarded` keeps wgpu's run-time checks; it must be set
    /// for shaders with a text that is not this crate's, as `Shader::is_trusted` tells.
    pub(crate) fn create_module(
        device: &wgpu::Device,
        descriptor: wgpu::ShaderModuleDescriptor<'_>,
        guarded: bool,
    ) -> wgpu::ShaderModule {
        if guarded {
            return device.create_shader_module(descriptor);
        }
        // SAFETY: what the guards would catch does not occur in the shaders of this crate.
        //
        // - Indices into bindings come from the dispatch's parameters, and the planners keep these
        //   within what they bind (`tests/host/plan.rs`, `promises.rs`, `exact_gpu.rs`, `histogram.rs`, the tests of `axis/`
        //   and `histogram/`, `ladder/pieces.rs`; `overreads.rs` runs kernels with bindings that go on over poison); wgpu
        //   still checks that what is bound lies within its buffer. Where a pass tells the next (`kernels/counted.wgsl`), it
        //   makes a window no longer. Indices into workgroup memory are below
        //   the length of the array, which is `WORKGROUP_SIZE` or said beside it; so are those of quads in registers
        //   (`kernels/elements.wgsl`), of which tunings have no more (`Tuning::validate`).
        // - Some indices come from data. What `segments/` derives from offsets, which nobody has looked at before, is
        //   clamped to what is bound, or compared with it, before it is an index. In `by_key/` they are counts of heads, of
        //   which there are no more than keys, and results and keys of runs have room for as many; lists compare theirs
        //   with their room. `histogram/` takes the smaller of a bin and the last, and copies of counters by lane.
        //   Sums of weights are shorter than their words (`histogram/round.wgsl`). `order/` masks digits, looks for known keys among
        //   as many as there are, and has a counter and a total for each of these and each digit.
        //   `exact/` has bins for every exponent of eight bits, and `ladder/histogram/` counters for every byte.
        // - Every loop adds a stride that is not zero to an index that is compared with a bound, and
        //   bound plus stride stay below 2^32, or halves or doubles a distance between two bounds,
        //   or narrows a range by its middle, or clears a bit of a word. The
        //   loop of compare-exchange ends when this invocation wins, as one of those that try does. The
        //   loop that takes partials (`sinks/last.wgsl`) ends when the other workgroups have left theirs:
        //   all have been counted in before, or the device is known to run them meanwhile. Those that look ahead
        //   (`segments/closed_ahead.wgsl`) wait for workgroups with lower numbers alone, on such a device, and each of these
        //   leaves what is waited for before it waits itself. The segment that is closed by what they leave is one that a share
        //   has had an end of, so an index within offsets and results.
        // - Divisors are counts of lanes, workgroups and elements that are at least 1.
        unsafe {
            device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
        }
    }

    /// How a pipeline is compiled. Workgroup memory is zeroed where that is asked for. Otherwise not: shaders of this
    /// crate write theirs before they read it, and texts of users cannot have any, since they may not declare
    /// variables (`custom/check.rs`). Through GL it would be an initialiser as long as the memory, which takes minutes
    /// to compile.
    pub(crate) fn compilation_options<'a>(
        constants: &'a [(&'a str, f64)],
        guarded: bool,
    ) -> wgpu::PipelineCompilationOptions<'a> {
        wgpu::PipelineCompilationOptions { constants, zero_initialize_workgroup_memory: guarded }
    }

    /// Makes a pipeline cache of what an earlier one held, or an empty one.
    pub(crate) fn create_pipeline_cache(
        device: &wgpu::Device,
        stored: Option<&Stored>,
    ) -> wgpu::PipelineCache {
        let descriptor = wgpu::PipelineCacheDescriptor {
            label: Some("wgpu-reduce"),
            data: stored.map(Stored::bytes),
            fallback: true,
        };
        // SAFETY: the data must be what `PipelineCache::get_data` returned, and are used on adapters with
        // the same `pipeline_cache_key` only.
        //
        // - A `Stored` is made of nothing but a file that `CacheFile::store` wrote, which
        //   `pipeline_store.rs` gives what `get_data` returned. The file says so itself (magic), is whole
        //   (length), undamaged (checksum over everything behind it) and of the same adapter, driver and
        //   version of this crate (key); `cache_file.rs` tests that any cut and any changed byte is
        //   noticed.
        // - wgpu compares adapter, driver version and pointer size with the header it wrote, the driver
        //   compares its own; either ignores the rest if they differ (`fallback`).
        // - That nobody forged a file on purpose cannot be checked. The folder is one that the user named,
        //   and made so that only the user can write there; whoever can do that could as well replace the
        //   user's programs, or the drivers' own caches. `Options::pipeline_cache` says so.
        unsafe { device.create_pipeline_cache(&descriptor) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_order_and_the_first_error_counts() {
        for len in [0, 1, 7, 1000, (9 << 20) / 8] {
            let all = collect(len, |number| Ok::<_, ()>(number as u64 * 3)).unwrap();
            assert!(all.len() == len && all.iter().enumerate().all(|(at, &v)| v == at as u64 * 3));
            for wrong in [0, len / 2, len.saturating_sub(1)] {
                let outcome =
                    collect(len, |number| if number >= wrong { Err(number) } else { Ok(7_u64) });
                assert_eq!(outcome.err(), (wrong < len).then_some((wrong, wrong)), "{len}");
            }
        }
    }
}
