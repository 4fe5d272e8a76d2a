//! The shaders of a custom operator: files of this crate, and the user's text behind them.

use super::input::InputType;
use super::value::ValueType;
use crate::fragment::{Fragment, fragment, join, locate};
use crate::shader::Origin;
use std::fmt;
use std::sync::Arc;

/// An operator apart from its identity: all that its shaders depend on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Operator {
    pub(super) text: String,
    pub(super) input: InputType,
    pub(super) accumulator: ValueType,
    pub(super) result: ValueType,
    /// Whether the text has a `finish`.
    pub(super) finishes: bool,
}

/// A shader of a custom operator.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CustomShader {
    pub(super) operator: Arc<Operator>,
    pub(super) reads: Reads,
    pub(super) leaves: Leaves,
}

/// What a pass reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Reads {
    /// The input, or both.
    Elements,
    /// What the pass before has left.
    Partials,
}

/// What a pass leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Leaves {
    /// A total for each workgroup.
    Partials,
    Result,
}

impl CustomShader {
    /// All shaders that an operator may need.
    pub(super) fn all(operator: &Arc<Operator>) -> impl Iterator<Item = Self> {
        let reads = [Reads::Elements, Reads::Partials];
        let each = |reads| [Leaves::Partials, Leaves::Result].map(|leaves| (reads, leaves));
        let operator = Arc::clone(operator);
        reads.into_iter().flat_map(each).map(move |(reads, leaves)| Self {
            operator: Arc::clone(&operator),
            reads,
            leaves,
        })
    }

    /// The whole text, as wgpu takes it on native backends. The entry point is `fold_pass`.
    #[must_use]
    pub fn wgsl(&self) -> String {
        self.library_wgsl() + &self.operator.text
    }

    pub(crate) const ENTRY_POINT: &'static str = "fold_pass";

    /// What stands before the user's text; it ends with a line feed.
    pub(super) fn library_wgsl(&self) -> String {
        let Operator { input, accumulator, result, .. } = &*self.operator;
        let files = join(&self.fragments());
        format!(
            "{files}\nconst FOLD_PER_WORD = {}u;\nalias Element = {};\n\
             alias FoldAcc = {accumulator};\nalias FoldResult = {result};\n",
            input.element.per_quad() / 4,
            input.element.number().name(),
        )
    }

    fn fragments(&self) -> Vec<Fragment> {
        let operator = &*self.operator;
        let mut fragments = vec![
            fragment!("custom/fold.wgsl"),
            match (self.reads, operator.input.paired) {
                (Reads::Elements, false) => fragment!("custom/elements.wgsl"),
                (Reads::Elements, true) => fragment!("custom/pairs.wgsl"),
                (Reads::Partials, _) => fragment!("custom/partials.wgsl"),
            },
            match operator.accumulator.components {
                1 => fragment!("custom/accumulators/scalar.wgsl"),
                2 => fragment!("custom/accumulators/vec2.wgsl"),
                3 => fragment!("custom/accumulators/vec3.wgsl"),
                _ => fragment!("custom/accumulators/vec4.wgsl"),
            },
        ];
        if self.reads == Reads::Elements {
            fragments.push(operator.input.element.decoding());
        }
        match (self.leaves, operator.result.components) {
            (Leaves::Partials, _) => fragments.push(fragment!("custom/totals.wgsl")),
            (Leaves::Result, components) => fragments.push(match components {
                1 => fragment!("custom/results/scalar.wgsl"),
                2 => fragment!("custom/results/vec2.wgsl"),
                3 => fragment!("custom/results/vec3.wgsl"),
                _ => fragment!("custom/results/vec4.wgsl"),
            }),
        }
        if self.leaves == Leaves::Result && !operator.finishes {
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
        write!(f, "reads {:?}, leaves {:?}", self.reads, self.leaves)
    }
}
