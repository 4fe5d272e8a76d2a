//! The shaders of exact sums.

use crate::exact::ExactTerms;
use crate::op::element::ElementKind;
use crate::shader::fragment::{Fragment, fragment, join};
use crate::shader::variant::{Collective, ENDS};
use std::fmt;

/// The shader of an exact sum, with subgroup operations or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExactShader {
    /// What is added.
    pub terms: ExactTerms,
    /// Of which type: `f32` or `f64`.
    pub element: ElementKind,
    /// How the invocations of a workgroup share what they share.
    pub collective: Collective,
}

impl ExactShader {
    /// All there are.
    pub const ALL: [Self; 8] = [
        Self::new(ExactTerms::Elements, ElementKind::F32, Collective::Subgroup),
        Self::new(ExactTerms::Elements, ElementKind::F32, Collective::Workgroup),
        Self::new(ExactTerms::Products, ElementKind::F32, Collective::Subgroup),
        Self::new(ExactTerms::Products, ElementKind::F32, Collective::Workgroup),
        Self::new(ExactTerms::Elements, ElementKind::F64, Collective::Subgroup),
        Self::new(ExactTerms::Elements, ElementKind::F64, Collective::Workgroup),
        Self::new(ExactTerms::Products, ElementKind::F64, Collective::Subgroup),
        Self::new(ExactTerms::Products, ElementKind::F64, Collective::Workgroup),
    ];

    const fn new(terms: ExactTerms, element: ElementKind, collective: Collective) -> Self {
        Self { terms, element, collective }
    }

    /// The shader's text, as wgpu takes it on native backends. The entry point is `reduce`.
    #[must_use]
    pub fn wgsl(&self) -> String {
        join(&self.fragments())
    }

    pub(crate) fn fragments(self) -> Vec<Fragment> {
        let is_wide = self.element == ElementKind::F64;
        let mut fragments = vec![
            fragment!("exact/gather.wgsl"),
            ENDS,
            match (self.terms, is_wide) {
                (ExactTerms::Elements, false) => fragment!("exact/elements.wgsl"),
                (ExactTerms::Elements, true) => fragment!("exact/doubles.wgsl"),
                (ExactTerms::Products, false) => fragment!("exact/pairs.wgsl"),
                (ExactTerms::Products, true) => fragment!("exact/double_pairs.wgsl"),
            },
        ];
        fragments.push(match self.terms {
            ExactTerms::Elements => fragment!("exact/one_window.wgsl"),
            ExactTerms::Products => fragment!("exact/two_windows.wgsl"),
        });
        let (windows, of_lanes) = if is_wide {
            let mut window = vec![fragment!("parts/wide_window.wgsl")];
            if self.terms == ExactTerms::Elements {
                window.push(fragment!("parts/terms_f64.wgsl"));
            }
            window.push(fragment!("exact/wide_pieces.wgsl"));
            (window, fragment!("exact/wide_pieces_subgroup.wgsl"))
        } else {
            let window = vec![fragment!("parts/window.wgsl"), fragment!("exact/pieces.wgsl")];
            (window, fragment!("exact/pieces_subgroup.wgsl"))
        };
        fragments.extend(windows);
        fragments.extend([fragment!("parts/kinds.wgsl"), fragment!("exact/bins.wgsl")]);
        fragments.push(self.collective.entry());
        match self.collective {
            Collective::Subgroup => {
                fragments.extend([of_lanes, fragment!("exact/subgroup.wgsl")]);
            }
            Collective::Workgroup => fragments.push(fragment!("exact/workgroup.wgsl")),
        }
        fragments.push(fragment!("exact/columns.wgsl"));
        fragments
    }
}

impl fmt::Display for ExactShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.element {
            ElementKind::F64 => {
                write!(f, "exact sum of f64 {} by {:?}", self.terms, self.collective)
            }
            _ => write!(f, "exact sum of {} by {:?}", self.terms, self.collective),
        }
    }
}
