//! The levels, and what there is to say about each.

use super::levels::levels;
use super::{Form, LoadWidth, Turns};
use std::fmt;

levels! {
    /// One step of the ladder; later levels build on earlier ones.
    ///
    /// ```
    /// use wgpu_reduce::ladder::Level;
    ///
    /// for level in Level::ALL {
    ///     println!("{level}: {}", level.description());
    ///     println!("    removes {}", level.fixes());
    /// }
    /// assert_eq!(Level::find("7"), Some(Level::UnrollLast));
    /// ```
    Level of "shaders/ladder/":
    SingleThread "single_thread" in "ladder/00_single_thread.wgsl",
        does "One invocation adds everything.",
        fixes "nothing: it is the baseline";
    InterleavedModulo "interleaved_modulo" in "ladder/01_interleaved_modulo.wgsl",
        does "One element per invocation; a tree in workgroup memory with strides 1, 2, 4 …, active where the \
            index is a multiple of twice the stride.",
        fixes "the idleness of all invocations but one";
    InterleavedPacked "interleaved_packed" in "ladder/02_interleaved_packed.wgsl",
        does "The same strides, with the active invocations side by side.",
        fixes "divergence inside a subgroup, and the slow remainder";
    Sequential "sequential" in "ladder/03_sequential.wgsl",
        does "The stride halves, and neighbours use neighbouring slots.",
        fixes "bank conflicts in workgroup memory";
    BarrierFirst "barrier_first" in "ladder/04_barrier_first.wgsl",
        does "Each step of the tree begins with its barrier.",
        fixes "a barrier that nobody needs";
    FirstAdd "first_add" in "ladder/05_first_add.wgsl",
        does "Each invocation loads two elements and adds them.",
        fixes "the idle half of the invocations in the first step";
    Coarsened "coarsened" in "ladder/06_coarsened.wgsl",
        does "Each invocation adds several elements before the tree begins.",
        fixes "most launches, tree steps and waits";
    UnrollLast "unroll_last" in "ladder/07_unroll_last.wgsl",
        does "The last steps of the tree are written out.",
        fixes "loop overhead, and barriers for subgroups that are idle";
    UnrollFull "unroll_full" in "ladder/08_unroll_full.wgsl",
        does "Every step of the tree is written out and chosen when the pipeline is made.",
        fixes "what is left of the loop's overhead";
    GridStride "grid_stride" in "ladder/09_grid_stride.wgsl",
        does "A fixed grid whose invocations stride over the whole input.",
        fixes "a grid, and partials, that grow with the input";
    SubgroupShuffle "subgroup_shuffle" in "ladder/10_subgroup_shuffle.wgsl",
        does "A shuffle tree in registers, one slot of workgroup memory per subgroup, and the same tree again.",
        fixes "workgroup memory and barriers for most of the tree";
    SubgroupAdd "subgroup_add" in "ladder/11_subgroup_add.wgsl",
        does "One subgroup operation takes the place of the shuffle tree.",
        fixes "the hand-written shuffle tree";
    Vec2Loads "vec2_loads" in "ladder/12_vec2_loads.wgsl",
        does "Loads of 8 bytes, with a scalar head and tail.",
        fixes "half of the load instructions";
    Vec4Loads "vec4_loads" in "ladder/13_vec4_loads.wgsl",
        does "Loads of 16 bytes, with a scalar head and tail.",
        fixes "another half of the load instructions";
    WorkgroupAtomic "workgroup_atomic" in "ladder/14_workgroup_atomic.wgsl",
        does "One pass in which each workgroup adds to the result atomically.",
        fixes "the second pass";
    SubgroupAtomic "subgroup_atomic" in "ladder/15_subgroup_atomic.wgsl",
        does "One pass in which each subgroup adds to the result atomically.",
        fixes "the barrier";
    LastWorkgroup "last_workgroup" in "ladder/16_last_workgroup.wgsl",
        does "One pass in which the last workgroup to arrive adds up the partials in fixed order.",
        fixes "sums of f32 that depend on the order of arrival";
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
    /// The kernels of the write-ups that it is the port of; none where no write-up has it.
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
