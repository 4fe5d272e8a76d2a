//! The shaders of order statistics.

use crate::op::element::ElementKind;
use crate::shader::fragment::{Fragment, fragment, join};
use crate::shader::variant::ENDS;
use std::fmt;

/// What ranks count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ranking {
    /// All elements.
    Elements,
    /// Those that are not NaN.
    Numbers,
}

/// How keys of ranks are found in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Search {
    /// By digits, which are counted in workgroup memory.
    Digits,
    /// By pivots, among keys that the registers of a subgroup hold. Keys have one word.
    Pivots,
}

/// Where elements are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// In the input.
    Input,
    /// Among those that were kept, or in the input if that is not enough.
    Kept,
}

/// The shader of a pass of order statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderShader {
    /// Counts the next digit of keys of elements.
    Gather(ElementKind, Origin),
    /// Finds it in the keys of ranks.
    Choose(ElementKind, Ranking),
    /// Counts the next digit of the indices of elements with the key of a rank.
    Places(ElementKind, Origin),
    /// Leaves elements with their indices.
    Chosen(ElementKind, Origin),
    /// Takes keys of a sample.
    Sample(ElementKind),
    /// Keeps elements between bounds.
    Sifted(ElementKind),
    /// Tells whether these are enough.
    Settle(ElementKind),
    /// Finds elements of ranks in rows of a view.
    Rows(ElementKind, Ranking, Search),
    /// Finds them in what several axes of a view have for each result.
    RowsOfAxes(ElementKind, Ranking, Search),
}

impl OrderShader {
    /// All there are.
    pub fn all() -> impl Iterator<Item = Self> {
        let rows = |element, ranking, search| {
            [Self::Rows(element, ranking, search), Self::RowsOfAxes(element, ranking, search)]
        };
        let ranked = move |element: ElementKind, ranking| {
            let by_pivots = has_short_keys(element).then(|| rows(element, ranking, Search::Pivots));
            let by_digits = rows(element, ranking, Search::Digits);
            let all = by_digits.into_iter().chain(by_pivots.into_iter().flatten());
            all.chain([Self::Choose(element, ranking)])
        };
        let of = move |element: ElementKind| {
            let numbers = element.is_float().then(|| ranked(element, Ranking::Numbers));
            let kept = is_sifted(element).then_some(Origin::Kept);
            let others = [Origin::Input].into_iter().chain(kept).flat_map(move |from| {
                [Self::Gather, Self::Places, Self::Chosen].map(|shader| shader(element, from))
            });
            let sifting = [Self::Sample, Self::Sifted, Self::Settle].map(|shader| shader(element));
            let sifting = sifting.into_iter().filter(move |_| is_sifted(element));
            let all = ranked(element, Ranking::Elements).chain(numbers.into_iter().flatten());
            all.chain(others).chain(sifting)
        };
        ElementKind::ALL.into_iter().flat_map(of)
    }

    /// The shader's text, as wgpu takes it on native backends. The entry point is `reduce`.
    #[must_use]
    pub fn wgsl(&self) -> String {
        join(&self.fragments())
    }

    pub(crate) fn fragments(self) -> Vec<Fragment> {
        match self {
            Self::Gather(element, from) => {
                let take = [fragment!("order/take/keys.wgsl"), fragment!("order/search.wgsl")];
                let from = from.fragments(&[INPUT], fragment!("order/from/kept_keys.wgsl"));
                gathering(element, [&take[..], &[QUADS], &from, &COUNTED].concat())
            }
            Self::Places(element, from) => {
                let take = [fragment!("order/take/places.wgsl"), QUADS];
                let from = from.fragments(&[INPUT], fragment!("order/from/kept_places.wgsl"));
                gathering(element, [&take[..], &from, &KNOWN, &COUNTED].concat())
            }
            Self::Chosen(element, from) => {
                let take = [fragment!("order/take/chosen.wgsl"), QUADS];
                let of_input = [INPUT, fragment!("order/from/chosen.wgsl")];
                let from = from.fragments(&of_input, fragment!("order/from/kept_chosen.wgsl"));
                let mut fragments = [&take[..], &from, &KNOWN].concat();
                fragments.push(fragment!("histogram/totals.wgsl"));
                gathering(element, fragments)
            }
            Self::Sample(element) => {
                let mut fragments = vec![fragment!("order/sample.wgsl")];
                fragments.extend(keys(element));
                fragments.push(element.layout());
                fragments.extend(element.fragments());
                fragments
            }
            Self::Sifted(element) => {
                let take = [fragment!("order/take/sifted.wgsl"), fragment!("order/bounds.wgsl")];
                gathering(element, [&take[..], &[fragment!("histogram/totals.wgsl")]].concat())
            }
            Self::Settle(element) => {
                let [_, number, bits] = element.fragments();
                let mut fragments =
                    vec![fragment!("order/settle.wgsl"), fragment!("order/bounds.wgsl")];
                fragments.extend(keys(element));
                fragments.extend([number, bits]);
                fragments
            }
            Self::Rows(element, ranking, search) | Self::RowsOfAxes(element, ranking, search) => {
                let mut fragments = vec![
                    fragment!("order/rows.wgsl"),
                    if matches!(self, Self::Rows(..)) {
                        fragment!("order/one_axis.wgsl")
                    } else {
                        fragment!("order/several_axes.wgsl")
                    },
                    fragment!("axis/view.wgsl"),
                ];
                fragments.extend(search.fragments(element));
                fragments.extend(wanted(ranking));
                fragments.extend(keys(element));
                fragments.push(element.layout());
                fragments.extend(element.fragments());
                fragments
            }
            Self::Choose(element, ranking) => {
                let [_, number, bits] = element.fragments();
                let mut fragments =
                    vec![fragment!("order/choose.wgsl"), fragment!("order/state.wgsl")];
                fragments.extend(wanted(ranking));
                fragments.extend(keys(element));
                fragments.extend([number, bits]);
                fragments
            }
        }
    }
}

impl Search {
    fn fragments(self, element: ElementKind) -> [Fragment; 2] {
        match self {
            Self::Digits => [fragment!("order/by_digits.wgsl"), fragment!("order/search.wgsl")],
            Self::Pivots if element.is_float() => {
                [fragment!("order/by_pivots.wgsl"), fragment!("order/pivots_of_floats.wgsl")]
            }
            Self::Pivots => {
                [fragment!("order/by_pivots.wgsl"), fragment!("order/pivots_of_integers.wgsl")]
            }
        }
    }
}

/// Where passes read the input.
const INPUT: Fragment = fragment!("order/from/input.wgsl");

/// Where a tile's quads are taken one after another.
const QUADS: Fragment = fragment!("order/take/quads.wgsl");

/// Whether elements of this type may be kept: they have whole keys, of which there are more digits than two.
pub(crate) const fn is_sifted(element: ElementKind) -> bool {
    element.size_bytes() >= 4
}

impl Origin {
    fn fragments(self, of_input: &[Fragment], of_kept: Fragment) -> Vec<Fragment> {
        match self {
            Self::Input => of_input.to_vec(),
            Self::Kept => vec![of_kept, fragment!("order/from/kept.wgsl")],
        }
    }
}

/// What counts in a workgroup, and adds that to the totals.
const COUNTED: [Fragment; 2] =
    [fragment!("order/counters.wgsl"), fragment!("histogram/totals.wgsl")];

/// What is known of one rank.
const KNOWN: [Fragment; 2] = [fragment!("order/take/known.wgsl"), fragment!("order/state.wgsl")];

/// Which ranks are wanted.
fn wanted(ranking: Ranking) -> Vec<Fragment> {
    match ranking {
        Ranking::Elements => vec![fragment!("order/given.wgsl")],
        Ranking::Numbers => vec![
            fragment!("order/quantiles.wgsl"),
            fragment!("parts/multiply32.wgsl"),
            fragment!("parts/f64.wgsl"),
        ],
    }
}

/// A pass over elements that does something with each.
fn gathering(element: ElementKind, take: Vec<Fragment>) -> Vec<Fragment> {
    let mut fragments =
        vec![fragment!("order/gather.wgsl"), fragment!("histogram/entry.wgsl"), ENDS];
    fragments.extend(take);
    fragments.extend(keys(element));
    fragments.extend([element.layout(), element.quads()]);
    fragments.extend(element.fragments());
    fragments
}

/// Keys of elements, and their digits.
fn keys(element: ElementKind) -> [Fragment; 4] {
    let of_elements = match (unused_bits(element), element.is_float()) {
        (0, _) => fragment!("order/keys/numbers.wgsl"),
        (_, false) => fragment!("order/keys/packed.wgsl"),
        (_, true) => fragment!("order/keys/halves.wgsl"),
    };
    let digits = if element.number().has_64_bits() {
        fragment!("order/digits/pairs.wgsl")
    } else {
        fragment!("order/digits/words.wgsl")
    };
    [of_elements, digits, fragment!("parts/add64.wgsl"), fragment!("parts/order64.wgsl")]
}

/// Whether keys have one word.
pub(crate) fn has_short_keys(element: ElementKind) -> bool {
    !element.number().has_64_bits()
}

/// Bits of a key that tell no elements apart: of packed ones, which have 32 bits by then.
pub(crate) const fn unused_bits(element: ElementKind) -> u32 {
    match element {
        ElementKind::I8 | ElementKind::U8 => 24,
        ElementKind::Bf16 | ElementKind::I16 | ElementKind::U16 => 16,
        // An `f32` with as many digits has 3 bits more in its exponent.
        ElementKind::F16 => 13,
        _ => 0,
    }
}

impl fmt::Display for OrderShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gather(element, from) => write!(f, "order of {element}, digits counted{from}"),
            Self::Choose(element, ranking) => write!(f, "order of {element}, digits of {ranking}"),
            Self::Places(element, from) => {
                write!(f, "order of {element}, digits of indices counted{from}")
            }
            Self::Chosen(element, from) => {
                write!(f, "order of {element}, elements with indices{from}")
            }
            Self::Sample(element) => write!(f, "order of {element}, sampled keys"),
            Self::Sifted(element) => write!(f, "order of {element}, elements between bounds kept"),
            Self::Settle(element) => write!(f, "order of {element}, ranks among those kept"),
            Self::Rows(element, ranking, search) => {
                write!(f, "order of {element} in rows, {ranking} {search}")
            }
            Self::RowsOfAxes(element, ranking, search) => {
                write!(f, "order of {element} along several axes, {ranking} {search}")
            }
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Input => "",
            Self::Kept => " of those kept",
        })
    }
}

impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Elements => "ranks",
            Self::Numbers => "quantiles of numbers",
        })
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Digits => "by digits",
            Self::Pivots => "by pivots",
        })
    }
}
