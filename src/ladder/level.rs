//! The levels, and what there is to say about each.

use super::{Form, LoadWidth, Turns};
use std::fmt;

/// One step of the ladder; later levels build on earlier ones.
///
/// ```
/// use wgpu_reduce::ladder::Level;
///
/// for level in Level::ALL {
///     println!("{level}: {}", level.description());
///     println!("    fixes {}", level.fixes());
/// }
/// assert_eq!(Level::find("7"), Some(Level::UnrollLast));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u8)]
pub enum Level {
    /// One invocation adds everything.
    SingleThread,
    /// A tree in workgroup memory; strides grow, and a remainder says who is active.
    InterleavedModulo,
    /// The same strides, with the active invocations side by side.
    InterleavedPacked,
    /// A tree that halves from the top.
    Sequential,
    /// The same with one barrier less.
    BarrierFirst,
    /// Two elements per invocation, added while loading.
    FirstAdd,
    /// Several elements per invocation.
    Coarsened,
    /// The last steps of the tree written out.
    UnrollLast,
    /// Every step of the tree written out.
    UnrollFull,
    /// A fixed grid that strides over the input.
    GridStride,
    /// The tree in registers, by shuffles.
    SubgroupShuffle,
    /// The tree left to `subgroupAdd`.
    SubgroupAdd,
    /// Loads of 8 bytes.
    Vec2Loads,
    /// Loads of 16 bytes.
    Vec4Loads,
    /// One pass; workgroups add to the result atomically.
    WorkgroupAtomic,
    /// One pass; subgroups add to the result atomically.
    SubgroupAtomic,
    /// One pass; the last workgroup to arrive adds up the partials.
    LastWorkgroup,
}

/// A kernel of one of the CUDA write-ups that a level is the port of.
/// [`Level::sources`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SourceKernel {
    /// The write-up, `'A'` to `'E'`.
    pub write_up: char,
    /// The kernel, as it is called there.
    pub kernel: &'static str,
}

impl fmt::Display for SourceKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.write_up, self.kernel)
    }
}

/// What a level asks of a device, beyond what every device with compute shaders has.
/// [`Level::needs`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Needs {
    /// Subgroup operations, in every form of the level.
    pub subgroups: bool,
    /// Atomic operations on storage memory. Every device has those of integers; atomic addition of
    /// `f32` has a substitute where it is missing.
    pub atomics: bool,
}

macro_rules! kernels {
    ($($write_up:literal $kernel:literal),*) => {
        &[$(SourceKernel { write_up: $write_up, kernel: $kernel }),*]
    };
}

impl Level {
    /// Every level, in order.
    pub const ALL: [Self; 17] = [
        Self::SingleThread,
        Self::InterleavedModulo,
        Self::InterleavedPacked,
        Self::Sequential,
        Self::BarrierFirst,
        Self::FirstAdd,
        Self::Coarsened,
        Self::UnrollLast,
        Self::UnrollFull,
        Self::GridStride,
        Self::SubgroupShuffle,
        Self::SubgroupAdd,
        Self::Vec2Loads,
        Self::Vec4Loads,
        Self::WorkgroupAtomic,
        Self::SubgroupAtomic,
        Self::LastWorkgroup,
    ];

    /// Its place on the ladder, from 0.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Its name, without the number: that of its file in `shaders/ladder/`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SingleThread => "single_thread",
            Self::InterleavedModulo => "interleaved_modulo",
            Self::InterleavedPacked => "interleaved_packed",
            Self::Sequential => "sequential",
            Self::BarrierFirst => "barrier_first",
            Self::FirstAdd => "first_add",
            Self::Coarsened => "coarsened",
            Self::UnrollLast => "unroll_last",
            Self::UnrollFull => "unroll_full",
            Self::GridStride => "grid_stride",
            Self::SubgroupShuffle => "subgroup_shuffle",
            Self::SubgroupAdd => "subgroup_add",
            Self::Vec2Loads => "vec2_loads",
            Self::Vec4Loads => "vec4_loads",
            Self::WorkgroupAtomic => "workgroup_atomic",
            Self::SubgroupAtomic => "subgroup_atomic",
            Self::LastWorkgroup => "last_workgroup",
        }
    }

    /// What it does, in one sentence.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::SingleThread => "One invocation adds everything.",
            Self::InterleavedModulo => {
                "One element per invocation; a tree in workgroup memory with strides 1, 2, 4 …, \
                 active where the index is a multiple of twice the stride."
            }
            Self::InterleavedPacked => {
                "The same strides, with the active invocations side by side."
            }
            Self::Sequential => "The stride halves, and neighbours use neighbouring slots.",
            Self::BarrierFirst => "Each step of the tree begins with its barrier.",
            Self::FirstAdd => "Each invocation loads two elements and adds them.",
            Self::Coarsened => "Each invocation adds several elements before the tree begins.",
            Self::UnrollLast => "The last steps of the tree are written out.",
            Self::UnrollFull => {
                "Every step of the tree is written out and chosen when the pipeline is made."
            }
            Self::GridStride => "A fixed grid whose invocations stride over the whole input.",
            Self::SubgroupShuffle => {
                "A shuffle tree in registers, one slot of workgroup memory per subgroup, and the \
                 same tree again."
            }
            Self::SubgroupAdd => "One subgroup operation takes the place of the shuffle tree.",
            Self::Vec2Loads => "Loads of 8 bytes, with a scalar head and tail.",
            Self::Vec4Loads => "Loads of 16 bytes, with a scalar head and tail.",
            Self::WorkgroupAtomic => {
                "One pass in which each workgroup adds to the result atomically."
            }
            Self::SubgroupAtomic => {
                "One pass in which each subgroup adds to the result atomically."
            }
            Self::LastWorkgroup => {
                "One pass in which the last workgroup to arrive adds up the partials in fixed order."
            }
        }
    }

    /// What it fixes over the level before, as the object of a sentence.
    #[must_use]
    pub const fn fixes(self) -> &'static str {
        match self {
            Self::SingleThread => "nothing: it is the baseline",
            Self::InterleavedModulo => "that all invocations but one are idle",
            Self::InterleavedPacked => "divergence inside a subgroup, and the slow remainder",
            Self::Sequential => "bank conflicts in workgroup memory",
            Self::BarrierFirst => "a barrier that nobody needs",
            Self::FirstAdd => "that half of the invocations are idle in the first step",
            Self::Coarsened => "launches, tree steps and waiting that only two elements pay for",
            Self::UnrollLast => "loop overhead, and barriers for subgroups that are idle",
            Self::UnrollFull => "what is left of the loop's overhead",
            Self::GridStride => "a grid, and partials, that grow with the input",
            Self::SubgroupShuffle => "workgroup memory and barriers for most of the tree",
            Self::SubgroupAdd => "the hand-written shuffle tree",
            Self::Vec2Loads => "one load instruction for every element",
            Self::Vec4Loads => "loads of half the bytes that one instruction can bring",
            Self::WorkgroupAtomic => "the second pass",
            Self::SubgroupAtomic => "the barrier",
            Self::LastWorkgroup => "sums of f32 that depend on the order of arrival",
        }
    }

    /// The kernels of the write-ups that it is the port of; none where it is this project's own.
    ///
    /// ```
    /// use wgpu_reduce::ladder::Level;
    ///
    /// let names: Vec<_> = Level::Coarsened.sources().iter().map(ToString::to_string).collect();
    /// assert_eq!(names, ["A K4"]);
    /// assert!(Level::LastWorkgroup.sources().is_empty());
    /// ```
    #[must_use]
    pub const fn sources(self) -> &'static [SourceKernel] {
        match self {
            Self::SingleThread => kernels!['C' "V0"],
            Self::InterleavedModulo => kernels!['A' "K0", 'C' "V1", 'D' "mod", 'E' "0"],
            Self::InterleavedPacked => kernels!['A' "K1", 'D' "idx", 'E' "1"],
            Self::Sequential => kernels!['A' "K2", 'C' "V2", 'D' "seq", 'E' "2"],
            Self::BarrierFirst => kernels!['A' "K3"],
            Self::FirstAdd => kernels!['C' "V3", 'E' "3"],
            Self::Coarsened => kernels!['A' "K4"],
            Self::UnrollLast => kernels!['A' "K5a", 'D' "unroll", 'D' "warp", 'E' "4"],
            Self::UnrollFull => kernels!['A' "K5b", 'E' "5"],
            Self::GridStride => kernels!['C' "V5", 'E' "6"],
            Self::SubgroupShuffle => kernels!['A' "K6", 'B' "warp stage", 'C' "V4", 'C' "V5"],
            Self::Vec2Loads => kernels!['B' "int2"],
            Self::Vec4Loads => kernels!['A' "K7", 'B' "int4", 'C' "vectorised"],
            Self::WorkgroupAtomic => kernels!['B' "BlockAtomic", 'C' "atomic"],
            Self::SubgroupAtomic => kernels!['B' "WarpAtomic"],
            Self::SubgroupAdd | Self::LastWorkgroup => &[],
        }
    }

    /// What it asks of a device. A form may ask for more:
    /// [`LadderShader::needs_subgroups`](super::LadderShader::needs_subgroups).
    ///
    /// ```
    /// use wgpu_reduce::ladder::Level;
    ///
    /// let anywhere = Level::ALL.into_iter().filter(|level| !level.needs().subgroups);
    /// assert_eq!(anywhere.last(), Some(Level::GridStride));
    /// assert!(Level::WorkgroupAtomic.needs().atomics);
    /// ```
    #[must_use]
    pub const fn needs(self) -> Needs {
        Needs {
            subgroups: self.number() >= Self::SubgroupShuffle.number(),
            atomics: self.number() >= Self::WorkgroupAtomic.number(),
        }
    }

    /// The forms that it comes in; the default one is first.
    #[must_use]
    pub const fn forms(self) -> &'static [Form] {
        match self {
            Self::SingleThread => &[
                Form::Plain,
                Form::Unrolled(Turns::Four),
                Form::Unrolled(Turns::Eight),
                Form::Unrolled(Turns::Sixteen),
            ],
            Self::Coarsened => &[Form::Plain, Form::Uncoalesced],
            Self::UnrollLast => &[Form::Plain, Form::WithinSubgroup],
            Self::WorkgroupAtomic | Self::SubgroupAtomic => &[
                Form::Width(LoadWidth::Four),
                Form::Width(LoadWidth::Two),
                Form::Width(LoadWidth::One),
            ],
            _ => &[Form::Plain],
        }
    }

    /// The level that `text` means: its number, its name or both, in letters of either case.
    ///
    /// ```
    /// use wgpu_reduce::ladder::Level;
    ///
    /// for text in ["7", "07", "unroll_last", "07_unroll_last", "07 Unroll_Last"] {
    ///     assert_eq!(Level::find(text), Some(Level::UnrollLast));
    /// }
    /// assert_eq!(Level::find("17"), None);
    /// ```
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        Self::ALL.into_iter().find(|level| {
            let (number, name) = (level.number(), level.name());
            text == name
                || text == number.to_string()
                || text == format!("{number:02}")
                || text == format!("{number:02}_{name}")
                || text == level.to_string()
        })
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Through `pad`, so that a width applies.
        f.pad(&format!("{:02} {}", self.number(), self.name()))
    }
}
