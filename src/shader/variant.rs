//! The shaders of a reduction: one choice of each part.

use crate::op::element::ElementKind;
use crate::op::{OpRecord, Over};
use crate::plan::caps::Caps;
use crate::plan::recording::Constants;
use crate::shader::fragment::{Fragment, fragment, join};
use std::fmt;

/// What a pass folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Elements of the input.
    Elements,
    /// Elements of two inputs, in pairs.
    Pairs,
    /// Elements of several small inputs, a workgroup for each.
    Inputs,
    /// Accumulators that an earlier pass left.
    Partials,
    /// Elements that count, as the bytes of a mask say.
    Masked,
}

/// How the invocations of a workgroup become one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Collective {
    /// Subgroup shuffles, then one slot of workgroup memory per subgroup.
    Subgroup,
    /// A tree in workgroup memory.
    Workgroup,
}

/// Where a pass leaves what it folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sink {
    /// Accumulators in scratch memory, for the next pass.
    Partials,
    /// The finished result, by a pass of one workgroup.
    Result,
    /// The finished result, by one workgroup of many.
    Last,
}

impl Kernel {
    const ALL: [Self; 5] =
        [Self::Elements, Self::Pairs, Self::Inputs, Self::Partials, Self::Masked];

    /// Where what it folds may go.
    const fn sinks(self) -> &'static [Sink] {
        match self {
            Self::Elements | Self::Pairs => &[Sink::Partials, Sink::Result, Sink::Last],
            Self::Inputs => &[Sink::Result],
            Self::Partials => &[Sink::Partials, Sink::Result],
            Self::Masked => &[Sink::Partials, Sink::Last],
        }
    }

    /// Whether it folds what an operation lifts.
    pub(crate) const fn serves(self, over: &Over) -> bool {
        let inputs = over.lifting.inputs();
        match self {
            Self::Elements | Self::Inputs => inputs == 1,
            Self::Pairs => inputs == 2,
            Self::Partials => true,
            // Digits take elements by fours, and are too long to be combined one by one.
            Self::Masked => inputs == 1 && !over.accumulator.is_exact(),
        }
    }

    /// Whether it goes through windows with heads and tails.
    pub(crate) const fn has_windows(self) -> bool {
        matches!(self, Self::Elements | Self::Pairs | Self::Masked)
    }

    const fn fragment(self) -> Fragment {
        match self {
            Self::Elements => fragment!("kernels/elements.wgsl"),
            Self::Pairs => fragment!("kernels/pairs.wgsl"),
            Self::Inputs => fragment!("kernels/inputs.wgsl"),
            Self::Partials => fragment!("kernels/partials.wgsl"),
            Self::Masked => fragment!("kernels/masked.wgsl"),
        }
    }
}

/// What of a window is no whole quad, with kernels that have heads and tails.
pub(crate) const ENDS: Fragment = fragment!("kernels/ends.wgsl");

impl Collective {
    const ALL: [Self; 2] = [Self::Subgroup, Self::Workgroup];

    /// The best one for a device.
    #[must_use]
    pub const fn for_caps(caps: &Caps) -> Self {
        match caps.subgroups {
            Some(_) => Self::Subgroup,
            None => Self::Workgroup,
        }
    }

    /// What the pipeline tells it of the device.
    pub(crate) fn constants(self, caps: &Caps) -> Constants {
        match (self, caps.subgroups) {
            (Self::Subgroup, Some(sizes)) => {
                vec![("MIN_SUBGROUP_SIZE", sizes.min), ("MAX_SUBGROUP_SIZE", sizes.max)]
            }
            _ => Vec::new(),
        }
    }

    /// The entry point, which hands on what an invocation is told of itself.
    pub(crate) const fn entry(self) -> Fragment {
        match self {
            Self::Subgroup => fragment!("entries/subgroup.wgsl"),
            Self::Workgroup => fragment!("entries/workgroup.wgsl"),
        }
    }

    pub(crate) const fn fragment(self) -> Fragment {
        match self {
            Self::Subgroup => fragment!("collectives/subgroup.wgsl"),
            Self::Workgroup => fragment!("collectives/workgroup.wgsl"),
        }
    }
}

impl Sink {
    const fn fragment(self) -> Fragment {
        match self {
            Self::Partials => fragment!("sinks/partials.wgsl"),
            Self::Result => fragment!("sinks/result.wgsl"),
            Self::Last => fragment!("sinks/last.wgsl"),
        }
    }
}

/// A shader that can be composed: one choice of each part, the operation being one that takes the
/// elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variant {
    /// What is folded.
    pub kernel: Kernel,
    /// How a workgroup becomes one value.
    pub collective: Collective,
    /// The operation.
    pub operation: &'static OpRecord,
    /// The type of the input's elements.
    pub element: ElementKind,
    /// Where the value goes.
    pub sink: Sink,
    /// Whether it needs integers of 64 bits, or `f64`. Only some accumulators have a form with them.
    pub native: bool,
    /// What the operation's record says of the element.
    pub(crate) over: Over,
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:?}", self.operation.name, self.element, self.kernel)?;
        write!(f, " {:?} {:?}", self.collective, self.sink)?;
        f.write_str(if self.native { " native" } else { "" })
    }
}

impl Variant {
    /// Every shader that this crate can compose for an operation of its own.
    pub fn all() -> impl Iterator<Item = Self> {
        OpRecord::ALL.into_iter().chain(OpRecord::PAIRS).flat_map(Self::of)
    }

    /// Every shader that this crate can compose for an operation.
    pub fn of(operation: &'static OpRecord) -> impl Iterator<Item = Self> {
        let parts = Kernel::ALL.into_iter().flat_map(|kernel| {
            Collective::ALL.into_iter().flat_map(move |collective| {
                kernel.sinks().iter().map(move |&sink| (kernel, collective, sink))
            })
        });
        parts.flat_map(move |(kernel, collective, sink)| {
            ElementKind::ALL.into_iter().flat_map(move |element| {
                let over = operation.over(element).ok();
                let takes = |over: &Over| {
                    let can_end = sink != Sink::Last || over.accumulator.can_be_marked();
                    kernel.serves(over) && can_end
                };
                let over = over.filter(takes);
                let forms = over.into_iter().flat_map(|over| {
                    let forms = [false, true].into_iter();
                    let forms = forms.take(1 + usize::from(over.accumulator.has_native_form()));
                    forms.map(move |native| (over, native))
                });
                forms.map(move |(over, native)| Self {
                    kernel,
                    collective,
                    operation,
                    element,
                    sink,
                    native,
                    over,
                })
            })
        })
    }

    /// Whether it computes with the device's `f64`, which WGSL does not have: the text is then for devices with
    /// [`Caps::f64`] alone, and for no browser.
    #[must_use]
    pub fn needs_f64(&self) -> bool {
        self.native && self.over.accumulator.is_of_f64()
    }

    /// The shader's text, as wgpu takes it on native backends.
    #[must_use]
    pub fn wgsl(&self) -> String {
        join(&self.fragments())
    }

    /// Returns the text as browsers' compilers take it: with the directives that they demand and naga refuses. These stand in
    /// front of the first line, so that lines are counted alike.
    #[must_use]
    pub fn browser_wgsl(&self) -> String {
        let directives = match self.collective {
            Collective::Workgroup => "",
            Collective::Subgroup if self.over.accumulator.folds_by_halves() => {
                "enable subgroups; diagnostic(off, subgroup_uniformity); "
            }
            Collective::Subgroup => "enable subgroups; ",
        };
        format!("{directives}{}", self.wgsl())
    }

    /// The parts in the order they are joined. The kernel is first, so that its lines keep their
    /// numbers.
    pub(crate) fn fragments(&self) -> Vec<Fragment> {
        let Over { fragment, accumulator, lifting, .. } = self.over;
        let mut fragments = vec![self.kernel.fragment()];
        if self.kernel.has_windows() {
            fragments.push(ENDS);
        }
        fragments.extend([self.collective.entry(), self.collective.fragment()]);
        match self.collective {
            Collective::Subgroup => {
                fragments.push(accumulator.shuffle());
                fragments.extend(accumulator.fold());
            }
            Collective::Workgroup => fragments.push(fragment!("collectives/in_order.wgsl")),
        }
        if self.kernel == Kernel::Elements {
            fragments.extend(accumulator.tiles(self.element, lifting));
        }
        match self.kernel {
            Kernel::Partials => {}
            Kernel::Pairs => fragments.push(self.element.layout()),
            Kernel::Elements | Kernel::Inputs => {
                fragments.extend([self.element.layout(), self.element.quads()]);
            }
            Kernel::Masked => {
                fragments.extend([self.element.layout(), self.element.one_of_quad()]);
            }
        }
        match self.kernel {
            Kernel::Partials => fragments.extend(lifting.fragments_of_partials()),
            Kernel::Elements => fragments.extend(lifting.fragments_beside_ends(self.element)),
            Kernel::Pairs | Kernel::Inputs | Kernel::Masked => {
                fragments.extend(lifting.fragments(self.element));
            }
        }
        fragments.push(fragment);
        fragments.extend(accumulator.fragments(self.native));
        fragments.extend(accumulator.fragments_of(self.element));
        fragments.push(self.sink.fragment());
        fragments
    }
}
