//! The shaders of a custom operator: files of this crate, and the user's text behind them.

use crate::op::operator::{Operator, Permit};
use crate::op::value::InputType;
use crate::plan::recording::Constants;
use crate::shader::Origin;
use crate::shader::custom::prefix::prefixed;
use crate::shader::fragment::{Fragment, fragment, join, locate};
use crate::shader::variant::Collective;
use std::fmt;
use std::sync::Arc;

/// A shader of a custom operator.
///
/// ```
/// use wgpu_reduce::CustomOp;
///
/// let text = "
///     fn map(element: f32, index: u32) -> f32 { return element; }
///     fn combine(left: f32, right: f32) -> f32 { return left + right; }";
/// let op = CustomOp::<f32, f32>::new(text, 0.0)?;
/// for shader in op.shaders() {
///     assert!(shader.wgsl().contains(&format!("fn {}", shader.entry_point())));
///     println!("// {shader}\n{}", shader.wgsl());
/// }
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CustomShader {
    pub(crate) operator: Arc<Operator>,
    pub(crate) kernel: Kernel,
    pub(crate) permit: Permit,
}

/// Around what kernel a shader of a custom operator is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    /// The kernel of one result of everything.
    Whole(Reads, Leaves),
    /// The kernel of rows and columns.
    Along(Reads, Leaves),
    /// The kernel of segments.
    Fold,
    /// The one behind it.
    Close,
}

/// What a pass reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Reads {
    /// The input, or both.
    Elements,
    /// What the pass before has left.
    Partials,
}

/// What a pass leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Leaves {
    /// A total for each workgroup, or for each part of a row.
    Partials,
    /// A total for each part of a row at one position of several reduced axes.
    PartialsOfAxes,
    Result,
}

impl Kernel {
    const WHOLE: [Self; 4] = [
        Self::Whole(Reads::Elements, Leaves::Partials),
        Self::Whole(Reads::Elements, Leaves::Result),
        Self::Whole(Reads::Partials, Leaves::Partials),
        Self::Whole(Reads::Partials, Leaves::Result),
    ];
    const ALONG: [Self; 4] = [
        Self::Along(Reads::Elements, Leaves::Partials),
        Self::Along(Reads::Elements, Leaves::PartialsOfAxes),
        Self::Along(Reads::Elements, Leaves::Result),
        Self::Along(Reads::Partials, Leaves::Result),
    ];
    /// Kernels of one input.
    const OF_SEGMENTS: [Self; 2] = [Self::Fold, Self::Close];
}

impl CustomShader {
    pub(crate) fn new(operator: Arc<Operator>, kernel: Kernel) -> Self {
        Self { permit: operator.permit, operator, kernel }
    }

    /// All shaders that an operator may need.
    pub(crate) fn all(operator: &Arc<Operator>) -> impl Iterator<Item = Self> {
        let of_segments = if operator.input.paired { &[][..] } else { &Kernel::OF_SEGMENTS };
        let kernels = Kernel::WHOLE.into_iter().chain(Kernel::ALONG);
        let kernels = kernels.chain(of_segments.iter().copied());
        let operator = Arc::clone(operator);
        kernels.map(move |kernel| Self::new(Arc::clone(&operator), kernel))
    }

    /// The shader of rows or columns.
    pub(crate) fn along(
        operator: &Arc<Operator>,
        reads_partials: bool,
        (finishes, of_axes): (bool, bool),
    ) -> Self {
        let reads = if reads_partials { Reads::Partials } else { Reads::Elements };
        let leaves = match (finishes, of_axes) {
            (true, _) => Leaves::Result,
            (false, false) => Leaves::Partials,
            (false, true) => Leaves::PartialsOfAxes,
        };
        Self::new(Arc::clone(operator), Kernel::Along(reads, leaves))
    }

    /// The shader of segments, or the one behind it.
    pub(crate) fn of_segments(operator: &Arc<Operator>, closes: bool) -> Self {
        let kernel = if closes { Kernel::Close } else { Kernel::Fold };
        Self::new(Arc::clone(operator), kernel)
    }

    /// Whether the user's text stands between files of a kernel that operations have, too.
    pub(crate) const fn shares_its_kernel(&self) -> bool {
        !matches!(self.kernel, Kernel::Whole(..))
    }

    /// The whole text, as wgpu takes it on native backends. [`entry_point`](Self::entry_point) names where it
    /// begins; [`CustomShader`] has an example.
    #[must_use]
    pub fn wgsl(&self) -> String {
        self.library_wgsl() + &self.operator.text
    }

    /// The name of the entry point. [`CustomShader`] has an example.
    #[must_use]
    pub const fn entry_point(&self) -> &'static str {
        match self.kernel {
            Kernel::Whole(..) => "fold_pass",
            _ => "fold_lib_reduce",
        }
    }

    /// The constants of a kernel that operations have, too, by the names they have here.
    pub(crate) fn constants(constants: Constants) -> Constants {
        let name = |name: &'static str| match name {
            "WORKGROUP_SIZE" => "fold_lib_WORKGROUP_SIZE",
            "LANES" => "fold_lib_LANES",
            "DIMENSIONS" => "fold_lib_DIMENSIONS",
            "SHARED" => "fold_lib_SHARED",
            "SPREAD" => "fold_lib_SPREAD",
            "QUADS" => "fold_lib_QUADS",
            "IN_ORDER" => "fold_lib_IN_ORDER",
            name => name,
        };
        constants.into_iter().map(|(own, value)| (name(own), value)).collect()
    }

    /// What stands before the user's text; it ends with a line feed.
    pub(crate) fn library_wgsl(&self) -> String {
        let Operator { input, accumulator, result, .. } = &*self.operator;
        let own = join(&self.own_fragments());
        let files = match &self.kernel_fragments()[..] {
            [] => own,
            kernel => prefixed(&join(kernel), &own) + "\n" + &own,
        };
        format!(
            "{files}\nconst FOLD_PER_WORD = {}u;\nalias Element = {};\n\
             alias FoldAcc = {accumulator};\nalias FoldResult = {result};\n",
            input.element.per_quad() / 4,
            input.element.number().name(),
        )
    }

    fn fragments(&self) -> Vec<Fragment> {
        [self.kernel_fragments(), self.own_fragments()].concat()
    }

    /// Files of a kernel that operations have, too.
    fn kernel_fragments(&self) -> Vec<Fragment> {
        let element = self.operator.input.element;
        match self.kernel {
            Kernel::Whole(..) => Vec::new(),
            Kernel::Along(reads, leaves) => {
                let mut fragments =
                    vec![fragment!("axis/columns.wgsl"), fragment!("axis/in_order.wgsl")];
                match reads {
                    Reads::Elements => fragments.extend([if leaves == Leaves::PartialsOfAxes {
                        fragment!("axis/in_order_elements_of_axes.wgsl")
                    } else {
                        fragment!("axis/in_order_elements.wgsl")
                    }]),
                    Reads::Partials => fragments.push(fragment!("axis/in_order_partials.wgsl")),
                }
                match (reads, self.operator.input.paired) {
                    (Reads::Elements, true) => {
                        fragments.extend([fragment!("axis/pairs.wgsl"), element.layout()]);
                    }
                    (Reads::Elements, false) => fragments.extend([
                        fragment!("axis/elements.wgsl"),
                        fragment!("axis/input.wgsl"),
                        element.layout(),
                    ]),
                    (Reads::Partials, _) => {}
                }
                fragments.extend([
                    fragment!("axis/view.wgsl"),
                    Collective::Workgroup.entry(),
                    fragment!("axis/workgroup.wgsl"),
                ]);
                match leaves {
                    Leaves::Partials => fragments.push(fragment!("axis/partials.wgsl")),
                    Leaves::PartialsOfAxes => fragments.extend([
                        fragment!("axis/partials_of_axes.wgsl"),
                        fragment!("parts/multiply32.wgsl"),
                        fragment!("axis/places.wgsl"),
                    ]),
                    Leaves::Result => fragments.push(fragment!("axis/results.wgsl")),
                }
                fragments
            }
            Kernel::Fold | Kernel::Close => {
                let mut fragments = vec![
                    fragment!("segments/parts.wgsl"),
                    fragment!("segments/stretch.wgsl"),
                    Collective::Workgroup.entry(),
                    Collective::Workgroup.fragment(),
                    fragment!("segments/scan_workgroup.wgsl"),
                ];
                if self.kernel == Kernel::Fold {
                    fragments.insert(0, fragment!("segments/fold.wgsl"));
                    fragments.push(fragment!("segments/closed_by_runs.wgsl"));
                    fragments.push(fragment!("segments/closed_by_pass.wgsl"));
                    fragments.push(fragment!("segments/agreed.wgsl"));
                    fragments.extend([element.layout(), element.quads()]);
                } else {
                    fragments.insert(0, fragment!("segments/close.wgsl"));
                }
                fragments
            }
        }
    }

    /// Files that are for custom operators alone.
    fn own_fragments(&self) -> Vec<Fragment> {
        let operator = &*self.operator;
        let mut fragments = match (self.kernel, operator.input.paired) {
            (Kernel::Whole(Reads::Elements, _), false) => {
                vec![fragment!("custom/fold.wgsl"), fragment!("custom/elements.wgsl")]
            }
            (Kernel::Whole(Reads::Elements, _), true) => {
                vec![fragment!("custom/fold.wgsl"), fragment!("custom/pairs.wgsl")]
            }
            (Kernel::Whole(Reads::Partials, _), _) => {
                vec![fragment!("custom/fold.wgsl"), fragment!("custom/partials.wgsl")]
            }
            (Kernel::Fold, _) => vec![
                fragment!("custom/operation.wgsl"),
                fragment!("custom/indices/behind_binding.wgsl"),
            ],
            _ => vec![fragment!("custom/operation.wgsl"), fragment!("custom/indices/given.wgsl")],
        };
        if matches!(self.kernel, Kernel::Along(Reads::Elements, _) | Kernel::Fold) {
            fragments.push(if operator.input.paired {
                fragment!("custom/lifts/pairs.wgsl")
            } else {
                fragment!("custom/lifts/elements.wgsl")
            });
        }
        fragments.push(match operator.accumulator.components {
            1 => fragment!("custom/accumulators/scalar.wgsl"),
            2 => fragment!("custom/accumulators/vec2.wgsl"),
            3 => fragment!("custom/accumulators/vec3.wgsl"),
            _ => fragment!("custom/accumulators/vec4.wgsl"),
        });
        if !matches!(self.kernel, Kernel::Whole(Reads::Partials, _)) {
            fragments.push(operator.input.element.decoding());
        }
        match self.kernel {
            Kernel::Whole(_, Leaves::Partials | Leaves::PartialsOfAxes) => {
                fragments.push(fragment!("custom/totals.wgsl"));
                return fragments;
            }
            Kernel::Whole(_, Leaves::Result) => fragments.push(fragment!("custom/result.wgsl")),
            _ => {}
        }
        fragments.push(match operator.result.components {
            1 => fragment!("custom/results/scalar.wgsl"),
            2 => fragment!("custom/results/vec2.wgsl"),
            3 => fragment!("custom/results/vec3.wgsl"),
            _ => fragment!("custom/results/vec4.wgsl"),
        });
        if !operator.finishes {
            fragments.push(fragment!("custom/unfinished.wgsl"));
        }
        fragments
    }

    /// Where `line` of the whole text came from.
    pub(crate) fn origin(&self, line: u32) -> Origin {
        let before = self.library_wgsl().matches('\n').count();
        let before = u32::try_from(before).unwrap_or(u32::MAX);
        if let Some(line @ 1..) = line.checked_sub(before) {
            return Origin::User(line);
        }
        let (file, line) = locate(&self.fragments(), line);
        Origin::File(file, line)
    }
}

impl fmt::Display for CustomShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Operator { input, accumulator, result, .. } = &*self.operator;
        let InputType { element, paired } = input;
        let pairs = if *paired { "pairs of " } else { "" };
        write!(f, "custom operator over {pairs}{element}, {accumulator}, {result}: ")?;
        match self.kernel {
            Kernel::Whole(reads, leaves) => write!(f, "reads {reads:?}, leaves {leaves:?}"),
            Kernel::Along(reads, leaves) => {
                write!(f, "along an axis, reads {reads:?}, leaves {leaves:?}")
            }
            Kernel::Fold => f.write_str("fold of segments"),
            Kernel::Close => f.write_str("close of segments"),
        }
    }
}
