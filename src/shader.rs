//! Shaders as text: plain WGSL files, joined in order.

use crate::caps::SubgroupSizes;
use crate::element::ElementKind;
use crate::op::OpRecord;
use std::fmt;

/// One file of `shaders/`, embedded.
#[derive(Clone, Copy)]
pub(crate) struct Fragment {
    /// Path below `shaders/`.
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
}

impl fmt::Debug for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path)
    }
}

macro_rules! fragment {
    ($path:literal) => {
        $crate::shader::Fragment {
            path: $path,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $path)),
        }
    };
}
pub(crate) use fragment;

/// What a pass folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Elements of the input.
    Elements,
    /// Accumulators that an earlier pass left.
    Partials,
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
    /// The finished result.
    Result,
}

impl Kernel {
    const ALL: [Self; 2] = [Self::Elements, Self::Partials];

    const fn fragment(self) -> Fragment {
        match self {
            Self::Elements => fragment!("kernels/elements.wgsl"),
            Self::Partials => fragment!("kernels/partials.wgsl"),
        }
    }
}

impl Collective {
    const ALL: [Self; 2] = [Self::Subgroup, Self::Workgroup];

    /// The best one for a device.
    pub(crate) const fn for_subgroups(subgroups: Option<SubgroupSizes>) -> Self {
        match subgroups {
            Some(_) => Self::Subgroup,
            None => Self::Workgroup,
        }
    }

    const fn fragment(self) -> Fragment {
        match self {
            Self::Subgroup => fragment!("collectives/subgroup.wgsl"),
            Self::Workgroup => fragment!("collectives/workgroup.wgsl"),
        }
    }
}

impl Sink {
    const ALL: [Self; 2] = [Self::Partials, Self::Result];

    const fn fragment(self) -> Fragment {
        match self {
            Self::Partials => fragment!("sinks/partials.wgsl"),
            Self::Result => fragment!("sinks/result.wgsl"),
        }
    }
}

/// A shader that can be composed: one choice of each part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

impl std::hash::Hash for Variant {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.kernel, self.collective, self.operation.name, self.element, self.sink).hash(state);
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:?}", self.operation.name, self.element, self.kernel)?;
        write!(f, " {:?} {:?}", self.collective, self.sink)
    }
}

impl Variant {
    /// Every shader that this crate can compose.
    ///
    /// ```
    /// use wgpu_reduce::Variant;
    ///
    /// for variant in Variant::all() {
    ///     assert!(variant.wgsl().contains("@compute"));
    /// }
    /// ```
    pub fn all() -> impl Iterator<Item = Self> {
        let parts = Kernel::ALL.into_iter().flat_map(|kernel| {
            Collective::ALL
                .into_iter()
                .flat_map(move |collective| Sink::ALL.map(|sink| (kernel, collective, sink)))
        });
        parts.flat_map(|(kernel, collective, sink)| {
            OpRecord::ALL.into_iter().flat_map(move |operation| {
                ElementKind::ALL.map(|element| Self {
                    kernel,
                    collective,
                    operation,
                    element,
                    sink,
                })
            })
        })
    }

    /// The shader's text, as wgpu takes it on native backends.
    #[must_use]
    pub fn wgsl(&self) -> String {
        self.fragments().iter().map(|fragment| fragment.text).collect::<Vec<_>>().join("\n")
    }

    /// The parts in the order they are joined. The kernel is first, so that its lines keep their
    /// numbers.
    fn fragments(&self) -> [Fragment; 6] {
        [
            self.kernel.fragment(),
            self.collective.fragment(),
            self.operation.fragment,
            (self.operation.accumulator)(self.element).fragment(),
            self.element.fragment(),
            self.sink.fragment(),
        ]
    }

    /// The file, below `shaders/`, and the line in it that `line` of [`Variant::wgsl`] came from.
    #[must_use]
    pub fn locate(&self, line: u32) -> (&'static str, u32) {
        let mut first = 1;
        let mut place = ("", 0);
        for fragment in self.fragments() {
            if line < first {
                break;
            }
            place = (fragment.path, line - first + 1);
            // Parts are joined by one more line feed than each ends with.
            first += u32::try_from(fragment.text.matches('\n').count()).unwrap_or(u32::MAX) + 1;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locate_names_file_and_line_of_every_line() {
        for variant in Variant::all() {
            let text = variant.wgsl();
            for (index, line) in text.lines().enumerate() {
                let (path, number) = variant.locate(u32::try_from(index + 1).unwrap());
                let fragment = variant.fragments().into_iter().find(|f| f.path == path).unwrap();
                let original = fragment.text.lines().nth(number as usize - 1).unwrap_or("");
                assert_eq!(original, line, "line {} of {variant}", index + 1);
            }
        }
    }
}
