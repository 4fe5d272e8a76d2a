//! How a level is run.

use super::Form;
use crate::error::Result;
use crate::plan::caps::{AdapterClass, Caps};
use crate::plan::limits::{check_between, check_workgroup_size};

/// How a level of the ladder is run. The default is what the write-ups do most, on any device.
///
/// ```
/// use wgpu_reduce::ladder::{Form, LoadWidth, Rounds, RunOptions};
///
/// // One round of workgroups of 512 that load 16 bytes at a time; the host adds what they leave.
/// let options = RunOptions {
///     form: Form::Width(LoadWidth::Four),
///     workgroup_size: Some(512),
///     rounds: Rounds::One,
///     ..RunOptions::default()
/// };
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RunOptions {
    /// Which of a level's shaders.
    pub form: Form,
    /// Invocations per workgroup, a power of two from 2 on; 256 unless set, or what the device
    /// allows if that is less; at most 2048, for which trees are written out. Level 00 has one invocation per row whatever is said here.
    pub workgroup_size: Option<u32>,
    /// Elements that each invocation of levels 06 to 08 adds before the tree; 16 unless set.
    pub items_per_thread: Option<u32>,
    /// Most workgroups that stride over a row in levels 09 to 16; 2048 unless set, 64 on a CPU.
    pub workgroups: Option<u32>,
    /// Who adds the partials.
    pub rounds: Rounds,
}

/// Who adds the partials that workgroups leave. [`RunOptions`] has an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Rounds {
    /// The GPU, in as many passes as it takes until one value remains.
    #[default]
    UntilOne,
    /// The host, after one pass.
    One,
}

/// How many times one submission may run a level: [`Ladder::rows_repeated`](crate::ladder::Ladder::rows_repeated).
pub const MOST_REPEATS: u32 = 4096;

/// [`RunOptions`] with every choice made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen {
    pub(super) workgroup_size: u32,
    pub(super) items_per_thread: u32,
    pub(super) workgroups: u32,
    pub(super) rounds: Rounds,
}

impl Chosen {
    pub(super) fn new(options: &RunOptions, caps: &Caps) -> Result<Self> {
        let workgroups = match caps.class {
            AdapterClass::Gpu => 2048,
            AdapterClass::Cpu => 64,
        };
        let default_size = 256.min(caps.workgroup_size());
        let chosen = Self {
            workgroup_size: options.workgroup_size.unwrap_or(default_size),
            items_per_thread: options.items_per_thread.unwrap_or(16),
            workgroups: options.workgroups.unwrap_or(workgroups),
            rounds: options.rounds,
        };
        chosen.validate(caps)?;
        Ok(chosen)
    }

    fn validate(&self, caps: &Caps) -> Result<()> {
        let Self { workgroup_size: size, items_per_thread: items, workgroups, .. } = *self;
        let most = caps.workgroup_size().min(caps.workgroup_storage_bytes / 4);
        check_workgroup_size(size, most)?;
        check_between(size, "invocations in a workgroup", 2..=most)?;
        check_between(items, "items per thread", 1..=MAX_ITEMS_PER_THREAD)?;
        check_between(workgroups, "workgroups", 1..=MAX_WORKGROUPS)
    }
}

/// Far beyond what the write-ups try (512).
const MAX_ITEMS_PER_THREAD: u32 = 4096;

/// Keeps products of workgroups and their size far inside 32 bits.
const MAX_WORKGROUPS: u32 = 1 << 20;
