//! The shaders of reductions along an axis: files of `shaders/axis/` around an operation's.

use crate::op::element::ElementKind;
use crate::op::lifting::Lifting;
use crate::op::{OpRecord, Over};
use crate::shader::fragment::{Fragment, fragment, join};
use crate::shader::variant::Collective;
use std::fmt;

/// What a pass along an axis folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AxisKernel {
    /// Elements that follow each other.
    Rows,
    /// Rows of one or two elements of 32 bits, of which a load has several.
    Packed,
    /// Elements that are apart, in columns side by side.
    Columns,
    /// Pairs of elements of two inputs with the same view.
    Pairs,
    /// Elements that a mask with the same view leaves.
    Masked,
    /// Accumulators that an earlier pass left.
    Parts,
}

/// A shader of a reduction along an axis.
#[expect(clippy::struct_excessive_bools, reason = "each says whether a part of the text is there")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AxisShader {
    /// What it folds.
    pub kernel: AxisKernel,
    /// How a team of invocations becomes one value. That of subgroups is for devices whose subgroups are
    /// all of one size.
    pub collective: Collective,
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the elements.
    pub element: ElementKind,
    /// Whether it leaves results; else accumulators.
    pub finishes: bool,
    /// Whether what it leaves is of one position of several reduced axes.
    pub of_axes: bool,
    /// Whether four results, of a word each, are one store.
    pub stores_quads: bool,
    /// Whether it needs integers of 64 bits, or `f64`.
    pub native: bool,
    /// What the operation's record says of the element.
    pub(crate) over: Over,
}

impl fmt::Display for AxisShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} along an axis, ", self.operation.name(), self.element)?;
        let leaves = match (self.finishes, self.stores_quads, self.of_axes) {
            (true, true, _) => "quads of results",
            (true, false, _) => "results",
            (false, _, false) => "partials",
            (false, _, true) => "partials of several axes",
        };
        write!(f, "{:?} by {:?}, {leaves}", self.kernel, self.collective)?;
        f.write_str(if self.native { ", native" } else { "" })
    }
}

/// Kernels of one input, with how their teams combine, and what they leave.
const FORMS: [(AxisKernel, Collective, Leaves); 16] = [
    (AxisKernel::Rows, Collective::Subgroup, Leaves::Results),
    (AxisKernel::Rows, Collective::Subgroup, Leaves::Partials),
    (AxisKernel::Rows, Collective::Workgroup, Leaves::Results),
    (AxisKernel::Rows, Collective::Workgroup, Leaves::Partials),
    (AxisKernel::Columns, Collective::Workgroup, Leaves::Results),
    (AxisKernel::Columns, Collective::Workgroup, Leaves::Partials),
    (AxisKernel::Parts, Collective::Subgroup, Leaves::Results),
    (AxisKernel::Parts, Collective::Workgroup, Leaves::Results),
    (AxisKernel::Columns, Collective::Workgroup, Leaves::Quads),
    (AxisKernel::Packed, Collective::Workgroup, Leaves::Quads),
    (AxisKernel::Rows, Collective::Subgroup, Leaves::PartialsOfAxes),
    (AxisKernel::Rows, Collective::Workgroup, Leaves::PartialsOfAxes),
    (AxisKernel::Columns, Collective::Workgroup, Leaves::PartialsOfAxes),
    (AxisKernel::Masked, Collective::Workgroup, Leaves::Results),
    (AxisKernel::Masked, Collective::Workgroup, Leaves::Partials),
    (AxisKernel::Masked, Collective::Workgroup, Leaves::PartialsOfAxes),
];

/// Kernels of two inputs.
const FORMS_OF_PAIRS: [(AxisKernel, Collective, Leaves); 5] = [
    (AxisKernel::Pairs, Collective::Workgroup, Leaves::Results),
    (AxisKernel::Pairs, Collective::Workgroup, Leaves::Partials),
    (AxisKernel::Pairs, Collective::Workgroup, Leaves::PartialsOfAxes),
    (AxisKernel::Parts, Collective::Subgroup, Leaves::Results),
    (AxisKernel::Parts, Collective::Workgroup, Leaves::Results),
];

/// What a pass leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaves {
    Results,
    /// Four results at once.
    Quads,
    Partials,
    /// Partials of one position of several reduced axes.
    PartialsOfAxes,
}

impl Leaves {
    pub(crate) fn finishes(self) -> bool {
        matches!(self, Self::Results | Self::Quads)
    }
}

impl AxisShader {
    /// Every shader of this kind that the crate can compose for an operation of its own.
    pub fn all() -> impl Iterator<Item = Self> {
        OpRecord::ALL.into_iter().chain(OpRecord::PAIRS).flat_map(Self::of)
    }

    /// Every shader of this kind that the crate can compose for an operation.
    pub fn of(operation: &'static OpRecord) -> impl Iterator<Item = Self> {
        ElementKind::ALL.into_iter().flat_map(move |element| {
            let over = operation.over(element).ok();
            over.into_iter().flat_map(move |over| {
                let native = over.accumulator.has_native_form();
                let natives = [false, true].into_iter().take(1 + usize::from(native));
                let forms = if over.lifting.inputs() == 1 { &FORMS[..] } else { &FORMS_OF_PAIRS };
                natives.flat_map(move |native| {
                    let forms = forms.iter().map(move |&form| {
                        let (kernel, collective, leaves) = form;
                        Self {
                            kernel,
                            collective,
                            operation,
                            element,
                            finishes: leaves.finishes(),
                            of_axes: leaves == Leaves::PartialsOfAxes,
                            stores_quads: leaves == Leaves::Quads,
                            native,
                            over,
                        }
                    });
                    forms.filter(Self::exists)
                })
            })
        })
    }

    /// Whether its parts go together.
    fn exists(&self) -> bool {
        match self.kernel {
            AxisKernel::Packed => packs(self.element, &self.over),
            _ => !self.stores_quads || stores_quads(self.element, &self.over),
        }
    }

    /// Whether it computes with `f64`, which WGSL does not have.
    #[must_use]
    pub fn needs_f64(&self) -> bool {
        self.native && self.over.accumulator.is_of_f64()
    }

    /// The shader's text, as wgpu takes it on native backends. The entry point is `reduce`. [`AxisShader`] has an
    /// example.
    #[must_use]
    pub fn wgsl(&self) -> String {
        join(&self.fragments())
    }

    /// The kernel, and what it does with the elements of a row or column.
    fn kernel(&self) -> Vec<Fragment> {
        let teams = if has_rows_in_flight(&self.over) {
            fragment!("axis/rows_in_flight.wgsl")
        } else {
            fragment!("axis/row_by_row.wgsl")
        };
        match self.kernel {
            AxisKernel::Rows => vec![
                fragment!("axis/rows.wgsl"),
                if appends(&self.over) {
                    fragment!("axis/appended.wgsl")
                } else {
                    fragment!("axis/tiles.wgsl")
                },
                fragment!("axis/teams.wgsl"),
                teams,
            ],
            AxisKernel::Packed => vec![fragment!("axis/packed.wgsl")],
            AxisKernel::Columns => vec![
                fragment!("axis/columns.wgsl"),
                if has_lone_columns(&self.over) {
                    fragment!("axis/one_column.wgsl")
                } else {
                    fragment!("axis/columns_of_load.wgsl")
                },
            ],
            AxisKernel::Pairs | AxisKernel::Masked => vec![
                fragment!("axis/columns.wgsl"),
                if self.over.accumulator.is_long() {
                    fragment!("axis/each_lifted.wgsl")
                } else {
                    fragment!("axis/four_lifted.wgsl")
                },
            ],
            AxisKernel::Parts => {
                vec![
                    fragment!("axis/parts.wgsl"),
                    fragment!("axis/teams.wgsl"),
                    fragment!("axis/row_by_row.wgsl"),
                ]
            }
        }
    }

    /// Whether a unit is one column.
    const fn has_lone_columns(&self) -> bool {
        match self.kernel {
            AxisKernel::Columns => has_lone_columns(&self.over),
            AxisKernel::Pairs | AxisKernel::Masked => true,
            AxisKernel::Rows | AxisKernel::Packed | AxisKernel::Parts => false,
        }
    }

    /// The parts in the order they are joined, the kernel first.
    pub(crate) fn fragments(&self) -> Vec<Fragment> {
        let Over { fragment, accumulator, lifting, .. } = self.over;
        let mut fragments = self.kernel();
        fragments.extend([fragment!("axis/view.wgsl"), self.collective.entry()]);
        match self.collective {
            Collective::Subgroup => {
                fragments.extend([fragment!("axis/subgroup.wgsl"), accumulator.shuffle()]);
            }
            Collective::Workgroup => fragments.push(fragment!("axis/workgroup.wgsl")),
        }
        match self.kernel {
            AxisKernel::Rows => {
                let input = fragment!("axis/input.wgsl");
                fragments.extend([input, self.element.layout(), self.element.quads()]);
            }
            AxisKernel::Columns => {
                let input = fragment!("axis/input.wgsl");
                fragments.extend([input, self.element.layout(), columns(self.element)]);
                fragments.push(match lifting {
                    _ if lifting.finds_indices() => fragment!("axis/each_row.wgsl"),
                    _ => fragment!("axis/four_rows.wgsl"),
                });
            }
            AxisKernel::Pairs => {
                fragments.extend([fragment!("axis/pairs.wgsl"), self.element.layout()]);
            }
            AxisKernel::Masked => {
                fragments.extend([fragment!("axis/masked.wgsl"), self.element.layout()]);
            }
            AxisKernel::Packed | AxisKernel::Parts => {}
        }
        if self.has_lone_columns() {
            fragments.push(fragment!("axis/lone_column.wgsl"));
        }
        if self.kernel == AxisKernel::Parts {
            fragments.extend(lifting.fragments_of_partials());
        } else {
            fragments.extend(lifting.fragments(self.element));
            let has_places = lifting.inputs() == 1;
            fragments.extend((!has_places).then_some(fragment!("lifts/unplaced.wgsl")));
        }
        fragments.push(fragment);
        fragments.extend(accumulator.fragments(self.native));
        fragments.extend(accumulator.fragments_of(self.element));
        match (self.finishes, self.stores_quads) {
            (true, true) => fragments.push(fragment!("axis/four_results.wgsl")),
            (true, false) => fragments.push(fragment!("axis/results.wgsl")),
            (false, _) if self.of_axes => {
                fragments.push(fragment!("axis/partials_of_axes.wgsl"));
                push_places(&mut fragments, lifting);
            }
            (false, _) => fragments.push(fragment!("axis/partials.wgsl")),
        }
        let may_leave_four = self.kernel == AxisKernel::Columns && !has_lone_columns(&self.over);
        if may_leave_four && !self.stores_quads {
            fragments.push(fragment!("axis/one_by_one.wgsl"));
        }
        fragments
    }
}

/// Where rows begin among the elements of their results, if indices count.
fn push_places(fragments: &mut Vec<Fragment>, lifting: Lifting) {
    if !lifting.finds_indices() {
        fragments.push(fragment!("axis/no_places.wgsl"));
        return;
    }
    // Some accumulators have it.
    let multiply = fragment!("parts/multiply32.wgsl");
    if !fragments.iter().any(|fragment| fragment.path.ends_with("multiply32.wgsl")) {
        fragments.push(multiply);
    }
    fragments.push(fragment!("axis/places.wgsl"));
}

/// Whether a unit of columns is one column, though a load has several.
pub(crate) const fn has_lone_columns(over: &Over) -> bool {
    over.accumulator.is_long()
}

/// How columns lie in words and quads.
const fn columns(element: ElementKind) -> Fragment {
    match element.size_bytes() {
        1 => fragment!("axis/columns/bytes.wgsl"),
        2 => fragment!("axis/columns/halves.wgsl"),
        8 => fragment!("axis/columns/doubles.wgsl"),
        _ => fragment!("axis/columns/words.wgsl"),
    }
}

/// Columns that one load has, where they begin at multiples of it: as in `shaders/axis/columns/`.
pub(crate) const fn columns_per_load(element: ElementKind) -> u64 {
    match element.size_bytes() {
        1 | 4 => 4,
        _ => 2,
    }
}

/// Whether columns of these elements can leave four results of a word each at once.
pub(crate) const fn stores_quads(element: ElementKind, over: &Over) -> bool {
    over.output_bytes == 4 && columns_per_load(element) == 4 && !has_lone_columns(over)
}

/// Whether units of a row are appended to one accumulator, without tiles.
pub(crate) fn appends(over: &Over) -> bool {
    over.accumulator.is_long() && !over.accumulator.rounds()
}

/// Whether a team may have several rows under way: accumulators are so small that those stay in registers.
pub(crate) const fn has_rows_in_flight(over: &Over) -> bool {
    over.accumulator.words() <= 2
}

/// Whether rows of one or two of these elements can be folded as quads of them.
pub(crate) const fn packs(element: ElementKind, over: &Over) -> bool {
    over.output_bytes == 4 && element.size_bytes() == 4 && !over.accumulator.is_long()
}
