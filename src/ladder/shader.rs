//! The shaders of the levels.

use super::Level;
use crate::op::element::ElementKind;
use crate::shader::fragment::{Fragment, fragment, join};
use std::fmt;

/// Which of a level's shaders. Most levels have only the plain one.
/// [`LadderShader`] has an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// The level's own: with barriers in level 07, and with loads of four elements in 14 and 15.
    #[default]
    Plain,
    /// Level 00 with its loop written out, for the comparison.
    Unrolled(Turns),
    /// Level 06 with a contiguous run of elements for each invocation, for the comparison.
    Uncoalesced,
    /// Level 07 with its last steps inside one subgroup, without barriers.
    WithinSubgroup,
    /// Level 14 or 15 with loads of this width.
    Width(LoadWidth),
}

/// How many turns of a loop are written out as one. [`Turns::count`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Turns {
    /// Four.
    Four,
    /// Eight.
    Eight,
    /// Sixteen.
    Sixteen,
}

impl Turns {
    /// Every number of turns.
    pub const ALL: [Self; 3] = [Self::Four, Self::Eight, Self::Sixteen];

    /// The number.
    ///
    /// ```
    /// use wgpu_reduce::ladder::Turns;
    ///
    /// assert_eq!(Turns::ALL.map(Turns::count), [4, 8, 16]);
    /// ```
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }
}

/// How many elements one load brings in. [`RunOptions`](super::RunOptions) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LoadWidth {
    /// One element: 4 bytes.
    One,
    /// Two: 8 bytes.
    Two,
    /// Four: 16 bytes.
    Four,
}

impl LoadWidth {
    /// Every width.
    pub const ALL: [Self; 3] = [Self::One, Self::Two, Self::Four];

    /// Elements in one load.
    ///
    /// ```
    /// use wgpu_reduce::ladder::LoadWidth;
    ///
    /// assert_eq!(LoadWidth::ALL.map(LoadWidth::elements), [1, 2, 4]);
    /// ```
    #[must_use]
    pub const fn elements(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
        }
    }
}

/// One shader of the ladder that exists.
///
/// ```
/// use wgpu_reduce::ElementKind;
/// use wgpu_reduce::ladder::{Form, LadderShader, Level};
///
/// let shader = LadderShader::new(Level::UnrollFull, ElementKind::F32, Form::Plain, false);
/// assert!(shader.is_some_and(|shader| shader.wgsl().contains("alias T = f32;")));
/// // Only level 06 has an uncoalesced form.
/// let none = LadderShader::new(Level::UnrollFull, ElementKind::F32, Form::Uncoalesced, false);
/// assert_eq!(none, None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LadderShader {
    pub(super) level: Level,
    element: ElementKind,
    /// One of [`Level::forms`].
    form: Form,
    /// Only true for a shader that adds `f32` atomically.
    native_float_atomics: bool,
}

impl LadderShader {
    /// The shader of a level in a form, if the level has that form.
    ///
    /// Where the shader adds `f32` atomically, `native_float_atomics` says by what: the device's own
    /// operation, or a loop of compare-exchange. Elsewhere it makes no difference.
    #[must_use]
    pub fn new(
        level: Level,
        element: ElementKind,
        form: Form,
        native_float_atomics: bool,
    ) -> Option<Self> {
        let forms = level.forms();
        let form = if form == Form::Plain { *forms.first()? } else { form };
        let native_float_atomics =
            native_float_atomics && element == ElementKind::F32 && adds_atomically(level);
        let exists = forms.contains(&form) && type_fragments(element).is_some();
        exists.then_some(Self { level, element, form, native_float_atomics })
    }

    /// Every shader of the ladder: levels, forms, element types, and for `f32` both ways to add
    /// atomically.
    ///
    /// ```
    /// use wgpu_reduce::ladder::LadderShader;
    ///
    /// for shader in LadderShader::all() {
    ///     assert!(shader.wgsl().contains("@compute"), "{shader}");
    /// }
    /// ```
    pub fn all() -> impl Iterator<Item = Self> {
        let parts = Level::ALL.into_iter().flat_map(|level| {
            let forms = level.forms().iter();
            forms.flat_map(move |&form| ElementKind::ALL.map(|element| (level, form, element)))
        });
        parts.flat_map(|(level, form, element)| {
            [false, true].into_iter().filter_map(move |native| {
                Self::new(level, element, form, native)
                    .filter(|shader| shader.native_float_atomics == native)
            })
        })
    }

    /// The level.
    #[must_use]
    pub const fn level(self) -> Level {
        self.level
    }

    /// The type of the elements, and of their sum.
    #[must_use]
    pub const fn element(self) -> ElementKind {
        self.element
    }

    /// Which of the level's shaders it is.
    #[must_use]
    pub const fn form(self) -> Form {
        self.form
    }

    /// The entry point in the shader's text.
    #[must_use]
    pub const fn entry_point(self) -> &'static str {
        match self.form {
            Form::Plain | Form::WithinSubgroup => "reduce",
            Form::Unrolled(Turns::Four) => "reduce_unrolled_4",
            Form::Unrolled(Turns::Eight) => "reduce_unrolled_8",
            Form::Unrolled(Turns::Sixteen) => "reduce_unrolled_16",
            Form::Uncoalesced => "reduce_uncoalesced",
            Form::Width(LoadWidth::One) => "reduce_1",
            Form::Width(LoadWidth::Two) => "reduce_2",
            Form::Width(LoadWidth::Four) => "reduce_4",
        }
    }

    /// Elements in one load.
    #[must_use]
    pub const fn load_width(self) -> LoadWidth {
        match (self.level, self.form) {
            (_, Form::Width(width)) => width,
            (Level::Vec2Loads, _) => LoadWidth::Two,
            (Level::Vec4Loads | Level::LastWorkgroup, _) => LoadWidth::Four,
            _ => LoadWidth::One,
        }
    }

    /// The width of the vectors that it reads its input as; none if it only reads elements.
    #[must_use]
    pub const fn uses_vectors(self) -> Option<LoadWidth> {
        match self.load_width() {
            LoadWidth::One => None,
            width => Some(width),
        }
    }

    /// Whether it needs subgroup operations.
    #[must_use]
    pub const fn needs_subgroups(self) -> bool {
        self.level.needs().subgroups || matches!(self.form, Form::WithinSubgroup)
    }

    /// Whether it needs the device's own atomic addition of `f32`.
    #[must_use]
    pub const fn needs_float_atomics(self) -> bool {
        self.native_float_atomics
    }

    /// Whether it has a pipeline-overridable constant of this name. A pipeline must not be given
    /// others.
    #[must_use]
    pub fn declares(self, constant: &str) -> bool {
        match constant {
            "ROWS_IN_Y" => true,
            "ALONE_IN_ROW" => self.level >= Level::GridStride,
            "WORKGROUP_SIZE" => self.level != Level::SingleThread,
            "ITEMS_PER_THREAD" => {
                matches!(self.level, Level::Coarsened | Level::UnrollLast | Level::UnrollFull)
            }
            "MAX_SUBGROUP_SIZE" => {
                self.level == Level::SubgroupShuffle || self.form == Form::WithinSubgroup
            }
            _ => false,
        }
    }

    /// The shader's text, as wgpu takes it on native backends: the level's file, the type, and the
    /// atomic addition where there is one.
    #[must_use]
    pub fn wgsl(self) -> String {
        join(&self.fragments())
    }

    /// The level's own file is first, so that its lines keep their numbers.
    pub(crate) fn fragments(self) -> Vec<Fragment> {
        let mut fragments = vec![self.own_fragment()];
        if let Some([of_type, exchanging, adding]) = type_fragments(self.element) {
            fragments.push(of_type);
            if adds_atomically(self.level) {
                fragments.push(if self.native_float_atomics { adding } else { exchanging });
            }
        }
        fragments
    }

    const fn own_fragment(self) -> Fragment {
        match self.form {
            Form::WithinSubgroup => fragment!("ladder/07_unroll_last_subgroup.wgsl"),
            _ => self.level.fragment(),
        }
    }
}

const fn adds_atomically(level: Level) -> bool {
    matches!(level, Level::WorkgroupAtomic | Level::SubgroupAtomic)
}

impl fmt::Display for LadderShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.level, self.element)?;
        match self.form {
            Form::Plain => {}
            Form::Unrolled(turns) => write!(f, ", {} turns written out", turns.count())?,
            Form::Uncoalesced => f.write_str(", uncoalesced")?,
            Form::WithinSubgroup => f.write_str(", within a subgroup")?,
            Form::Width(width) => write!(f, ", loads of {} bytes", width.elements() * 4)?,
        }
        f.write_str(if self.native_float_atomics { ", native f32 atomics" } else { "" })
    }
}

/// The files of a type: itself, and the ways to add atomically, without and with an instruction for
/// floats. `None` of types that the ladder does not go over.
const fn type_fragments(element: ElementKind) -> Option<[Fragment; 3]> {
    Some(match element {
        ElementKind::F32 => [
            fragment!("ladder/types/f32.wgsl"),
            fragment!("ladder/atomics/f32_exchange.wgsl"),
            fragment!("ladder/atomics/f32.wgsl"),
        ],
        ElementKind::I32 => {
            let atomics = fragment!("ladder/atomics/i32.wgsl");
            [fragment!("ladder/types/i32.wgsl"), atomics, atomics]
        }
        ElementKind::U32 => {
            let atomics = fragment!("ladder/atomics/u32.wgsl");
            [fragment!("ladder/types/u32.wgsl"), atomics, atomics]
        }
        _ => return None,
    })
}
