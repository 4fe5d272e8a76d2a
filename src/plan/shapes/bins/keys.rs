//! Edges as keys, integers that are ordered as elements are, and the quickest way to a bin that they allow.

use crate::op::element::{ElementKind, Number};
use crate::plan::recording::{BinsParameters, low_word};

/// What a shader compares the keys of elements with (`shaders/histogram/locate.wgsl`).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Keys {
    /// The lowest key of each bin, as far as there are such elements.
    pub(crate) lower: Vec<u64>,
    /// The range of all bins.
    pub(crate) lowest: u64,
    pub(crate) highest: u64,
    /// Words of a key.
    pub(crate) words: usize,
    /// Whether what is outside may be below, or above.
    pub(crate) outside: [bool; 2],
    pub(crate) method: Method,
}

/// How a bin is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Method {
    /// Each key has a bin.
    EveryKey,
    /// Each bin has 2^shift keys.
    Shifted { shift: u32 },
    /// The bin is the integer next to `(distance − middle) · scale`, unless that is farther than `certain` away. The
    /// distance of a float is that from zero, of an integer that from the lowest one inside. Of 64 bits it is cut off.
    Scaled { middle: f32, scale: f32, certain: f32 },
    /// By halving.
    Searched,
}

impl Method {
    /// Its number in the shader.
    pub(crate) const fn number(self) -> u32 {
        match self {
            Self::EveryKey => 0,
            Self::Shifted { .. } => 1,
            Self::Scaled { .. } => 2,
            Self::Searched => 3,
        }
    }
}

impl Keys {
    /// The keys of edges in order, of which there are at least two.
    pub(crate) fn new(edges: &[f64], element: ElementKind) -> Self {
        let number = element.number();
        let mut lower: Vec<_> = edges.iter().map_while(|&edge| key_above(edge, number)).collect();
        let is_reached = lower.len() >= edges.len();
        lower.truncate(edges.len().saturating_sub(1));
        let last = edges.last().and_then(|&edge| key_below(edge, number));
        let (lowest, highest, outside) = match (lower.first(), last) {
            (Some(&lowest), Some(highest)) => (lowest, highest, [true, true]),
            // No key is inside: all elements are above, or below.
            (Some(_), None) => (1, 0, [false, true]),
            (None, _) => (1, 0, [true, false]),
        };
        let words = if number.has_64_bits() { 2 } else { 1 };
        let mut keys = Self { lower, lowest, highest, words, outside, method: Method::Searched };
        keys.method = keys.method_for(edges, number, is_reached);
        keys
    }

    /// All values of 8 bits.
    pub(crate) fn of_bytes(element: ElementKind) -> Self {
        let lowest = if element.number() == Number::I32 { 0x7FFF_FF80 } else { 0 };
        let (highest, method) = (lowest + u64::from(VALUES - 1), Method::EveryKey);
        Self { lower: Vec::new(), lowest, highest, words: 1, outside: [true, true], method }
    }

    /// As shaders have them. What it begins with, the caller knows.
    pub(crate) fn parameters(&self, [phase, bins, slots]: [u32; 3]) -> BinsParameters {
        let (shift, [middle, scale, certain]) = match self.method {
            Method::Shifted { shift } => (shift, [0.0; 3]),
            Method::Scaled { middle, scale, certain } => (0, [middle, scale, certain]),
            Method::EveryKey | Method::Searched => (0, [0.0_f32; 3]),
        };
        let [may_be_below, may_be_above] = self.outside;
        BinsParameters {
            phase,
            bins,
            slots,
            lowest: low_word(self.lowest),
            highest: low_word(self.highest),
            shift,
            // Edges are those of bins, which are few enough.
            edges: u32::try_from(self.lower.len()).unwrap_or(u32::MAX),
            middle: middle.to_bits(),
            scale: scale.to_bits(),
            certain: certain.to_bits(),
            below: u32::from(!may_be_below),
            above: u32::from(may_be_above),
            lowest_high: low_word(self.lowest >> u32::BITS),
            highest_high: low_word(self.highest >> u32::BITS),
        }
    }

    /// What shaders look up: the lowest keys, where they do.
    pub(crate) fn table(&self) -> Vec<u32> {
        match self.method {
            Method::Scaled { .. } | Method::Searched => {
                let words = |&key: &u64| [low_word(key), low_word(key >> u32::BITS)];
                self.lower.iter().flat_map(|key| words(key).into_iter().take(self.words)).collect()
            }
            Method::EveryKey | Method::Shifted { .. } => Vec::new(),
        }
    }

    /// Turns of loops to find a bin, at most.
    pub(crate) const fn turns(&self) -> u64 {
        match self.method {
            Method::Searched => 22,
            Method::EveryKey | Method::Shifted { .. } | Method::Scaled { .. } => 0,
        }
    }

    fn method_for(&self, edges: &[f64], number: Number, is_reached: bool) -> Method {
        if self.lowest > self.highest {
            return Method::Searched;
        }
        if matches!(number, Number::I32 | Number::U32) && is_reached {
            if let Some(shift) = self.shift() {
                return Method::Shifted { shift };
            }
        }
        self.scaled(edges, number).unwrap_or(Method::Searched)
    }

    /// The logarithm of the number of keys of each bin, if it is the same of all.
    fn shift(&self) -> Option<u32> {
        let Some(&[first, second]) = self.lower.get(..2) else { return Some(0) };
        let step = second - first;
        let mut steps = self.lower.windows(2);
        let is_even = steps.all(|pair| matches!(pair, [a, b] if b - a == step));
        (is_even && step.is_power_of_two()).then(|| step.ilog2())
    }

    /// Computed bins, if rounding moves edges by less than a quarter of a bin.
    ///
    /// The computed place of an element never decreases as elements grow, since each of its operations does not.
    /// So an element between two edges has a place between theirs. How far those are from whole numbers is looked
    /// at here, edge by edge; what devices may round otherwise is added. They may also do so in one of two places
    /// where they compute the same (`shaders/histogram/locate.wgsl`), which then agree for elements that are certain.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "as in shaders"
    )]
    fn scaled(&self, edges: &[f64], number: Number) -> Option<Method> {
        let (&first, &last) = (edges.first()?, edges.last()?);
        let bins = (edges.len() - 1) as f32;
        let scale = (f64::from(bins) / (last - first)) as f32;
        let half_a_bin = 0.5 * (last - first) / f64::from(bins);
        let middle = (if number.is_float() { first + half_a_bin } else { half_a_bin }) as f32;
        let distance = |key| self.distance(key, number);
        let place = |&key| f64::from((distance(key) - middle) * scale);
        let places = self.lower.iter().map(place).enumerate();
        let moved = places.map(|(bin, place)| (place - (bin as f64 - 0.5)).abs());
        // None if one is not finite.
        let most = moved.clone().all(f64::is_finite).then(|| moved.fold(0.0, f64::max))?;
        let certain = (0.5 - most - f64::from(bins) * ULPS - LEAST_MARGIN) as f32;
        let is_usable = USABLE_SCALES.contains(&scale) && certain > 0.25;
        is_usable.then_some(Method::Scaled { middle, scale, certain })
    }
}

impl Keys {
    /// How far a key's element is from zero, or if it is an integer from the lowest one, as shaders have it.
    #[expect(clippy::cast_precision_loss, reason = "as there")]
    fn distance(&self, key: u64, number: Number) -> f32 {
        match number {
            Number::F32 => f32_of_key(low_word(key)),
            Number::F64 => cut_off(f64_of_key(key)),
            Number::I32 | Number::U32 => low_word(key.wrapping_sub(self.lowest)) as f32,
            Number::I64 | Number::U64 => {
                let ahead = key.wrapping_sub(self.lowest);
                let down = u64::BITS - ahead.leading_zeros().min(u32::BITS) - u32::BITS;
                (ahead >> down) as f32 * (1_u64 << down) as f32
            }
        }
    }
}

/// An `f32` that is no farther from zero than the number, and not beyond the largest; 0 of one that is below those with all digits.
#[expect(clippy::cast_possible_truncation, reason = "what is cut off")]
fn cut_off(number: f64) -> f32 {
    let magnitude = number.abs();
    if magnitude < f64::from(f32::MIN_POSITIVE) {
        return 0.0_f32.copysign(number as f32);
    }
    let nearest = (magnitude as f32).min(f32::MAX);
    let cut = if f64::from(nearest) > magnitude { nearest.next_down() } else { nearest };
    cut.copysign(number as f32)
}

/// Values of elements with 8 bits.
pub(crate) const VALUES: u32 = 256;

/// For elements of 8 bits: the first value of each bin, counted from the least there is, and behind them the
/// end of the last one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 256")]
pub(crate) fn value_ranges(edges: &[f64], element: ElementKind) -> Vec<u32> {
    let least = if element.number() == Number::I32 { -128.0 } else { 0.0 };
    let value = |number: f64| (number - least).clamp(0.0, f64::from(VALUES)) as u32;
    let mut ranges: Vec<_> = edges.iter().map(|edge| value(edge.ceil())).collect();
    if let (Some(end), Some(last)) = (ranges.last_mut(), edges.last()) {
        *end = value(last.floor() + 1.0);
    }
    ranges
}

/// A few units in the last place of a number up to 1.
const ULPS: f64 = 4.0 / (1 << 23) as f64;

/// For places near 0.
const LEAST_MARGIN: f64 = ULPS;

/// With these, numbers so small that devices take them for 0 do not matter, nor does anything overflow.
const USABLE_SCALES: std::ops::RangeInclusive<f32> = 1e-30..=1e30;

/// The least key of an element that is not below `edge`; none if there is no such element.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the type's range")]
fn key_above(edge: f64, number: Number) -> Option<u64> {
    let whole = edge.ceil();
    match number {
        Number::F32 => {
            let nearest = edge as f32;
            Some(f32_key(if f64::from(nearest) < edge { nearest.next_up() } else { nearest }))
        }
        Number::F64 => Some(f64_key(edge)),
        Number::I32 => (whole <= f64::from(i32::MAX)).then(|| i32_key(whole as i32)),
        Number::U32 => (whole <= f64::from(u32::MAX)).then(|| (whole as u32).into()),
        Number::I64 => (whole < TWO_TO_63).then(|| i64_key(whole as i64)),
        Number::U64 => (whole < 2.0 * TWO_TO_63).then_some(whole as u64),
    }
}

/// The largest key of an element that is not above `edge`; none if there is no such element.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the type's range")]
fn key_below(edge: f64, number: Number) -> Option<u64> {
    let whole = edge.floor();
    match number {
        Number::F32 => {
            let nearest = edge as f32;
            Some(f32_key(if f64::from(nearest) > edge { nearest.next_down() } else { nearest }))
        }
        Number::F64 => Some(f64_key(edge)),
        Number::I32 => (whole >= f64::from(i32::MIN)).then(|| i32_key(whole as i32)),
        Number::U32 => (whole >= 0.0).then(|| (whole as u32).into()),
        Number::I64 => (whole >= -TWO_TO_63).then(|| i64_key(whole as i64)),
        Number::U64 => (whole >= 0.0).then_some(whole as u64),
    }
}

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

const SIGN: u32 = 1 << 31;

const SIGN_64: u64 = 1 << 63;

fn i32_key(value: i32) -> u64 {
    (value.cast_unsigned() ^ SIGN).into()
}

const fn i64_key(value: i64) -> u64 {
    value.cast_unsigned() ^ SIGN_64
}

/// As `numbers/f32.wgsl` has it, but with −0 as +0.
fn f32_key(value: f32) -> u64 {
    let bits = if value == 0.0 { 0 } else { value.to_bits() };
    (if bits < SIGN { bits | SIGN } else { !bits }).into()
}

fn f32_of_key(key: u32) -> f32 {
    f32::from_bits(if key >= SIGN { key ^ SIGN } else { !key })
}

/// As `numbers/f64.wgsl` has it, but with −0 as +0.
fn f64_key(value: f64) -> u64 {
    let bits = if value == 0.0 { 0 } else { value.to_bits() };
    if bits < SIGN_64 { bits | SIGN_64 } else { !bits }
}

fn f64_of_key(key: u64) -> f64 {
    f64::from_bits(if key >= SIGN_64 { key ^ SIGN_64 } else { !key })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::shapes::bins::Bins;
    use half::{bf16, f16};
    use proptest::prelude::*;

    fn keys(bins: &Bins, element: ElementKind) -> Keys {
        Keys::new(&bins.edges_for(element).unwrap(), element)
    }

    #[test]
    fn the_quickest_way_is_taken() {
        let method = |bins: &Bins, element| keys(bins, element).method;
        let even = Bins::even(0..1 << 16, 256).unwrap();
        assert_eq!(method(&even, ElementKind::U16), Method::Shifted { shift: 8 });
        assert!(
            matches!(method(&even, ElementKind::F32), Method::Scaled { certain, .. } if certain > 0.49)
        );
        let odd = Bins::even(-1000..1000, 300).unwrap();
        assert!(matches!(method(&odd, ElementKind::I32), Method::Scaled { .. }));
        let uneven = Bins::edges(&[0.0, 1.0, 10.0, 100.0]).unwrap();
        assert_eq!(method(&uneven, ElementKind::F32), Method::Searched);
        // Bins without an element.
        for edges in [[1.0; 4], [0.0, 1.0, 1.0, 2.0], [0.0, 0.0, 1.0, 2.0]] {
            let equal = Bins::edges(&edges).unwrap();
            for element in [ElementKind::F32, ElementKind::F64, ElementKind::I32, ElementKind::U64]
            {
                assert_eq!(method(&equal, element), Method::Searched, "{edges:?} of {element}");
            }
        }
        // Edges a few units in the last place from each other.
        let narrow = Bins::even(1.0..1.000_01, 40).unwrap();
        assert_eq!(method(&narrow, ElementKind::F32), Method::Searched);
        assert_eq!(method(&Bins::even(0.0..1e-40, 3).unwrap(), ElementKind::F32), Method::Searched);
    }

    #[test]
    fn edges_that_no_element_reaches_have_no_keys() {
        let reached = |low: f64, high: f64, element| {
            let Keys { lower, lowest, highest, outside, .. } =
                keys(&Bins::even(low..high, 4).unwrap(), element);
            (lower.len(), lowest <= highest, outside)
        };
        let (all, half) = ([true, true], f64::from(u32::MAX) + 0.5);
        assert_eq!(reached(0.0, 1e12, ElementKind::U32), (1, true, all));
        assert_eq!(reached(half, 1e12, ElementKind::U32), (0, false, [true, false]));
        assert_eq!(reached(-9.0, -1.0, ElementKind::U32), (4, false, [false, true]));
        assert_eq!(reached(-3e38, 3e38, ElementKind::F32), (4, true, all));
        // No integer is inside.
        assert_eq!(reached(0.2, 0.7, ElementKind::I32), (4, false, all));
    }

    #[test]
    fn values_of_bytes_are_in_one_range_each() {
        let ranges = |edges: &[f64], element| value_ranges(edges, element);
        assert_eq!(ranges(&[0.0, 16.0, 255.0], ElementKind::U8), [0, 16, 256]);
        assert_eq!(ranges(&[-1.0, 0.5, 1.0, 7.5], ElementKind::I8), [127, 129, 129, 136]);
        assert_eq!(ranges(&[-9.0, -1.0], ElementKind::U8), [0, 0]);
        assert_eq!(ranges(&[0.2, 0.7], ElementKind::U8), [1, 1]);
        assert_eq!(ranges(&[1.0, 5.0, 5.0], ElementKind::U8), [1, 5, 6]);
        assert_eq!(ranges(&[5.0, 5.0, 9.0], ElementKind::U8), [5, 5, 10]);
        assert_eq!(ranges(&[300.0, 400.0, 500.0], ElementKind::U8), [256; 3]);
    }

    #[test]
    fn keys_of_floats_are_ordered_as_they_are() {
        let values = [f32::NEG_INFINITY, f32::MIN, -1.0, -1e-45, 0.0, 1e-45, 1.0, f32::INFINITY];
        let keys = values.map(f32_key);
        assert!(keys.is_sorted_by(|a, b| a < b));
        assert_eq!(f32_key(-0.0), f32_key(0.0));
        assert_eq!(keys.map(low_word).map(f32_of_key).map(f32::to_bits), values.map(f32::to_bits));
        assert_eq!(key_above(0.1, Number::F32), Some(f32_key(0.1)));
        assert_eq!(key_below(0.1, Number::F32), Some(f32_key(0.1_f32.next_down())));
    }

    /// What `quick_bin_of` of `shaders/histogram/locate.wgsl` makes of a distance: the bin, whether it is certain, and the
    /// bin of a compiler that rounds the product and the sum together.
    fn quick_bins(keys: &Keys, bins: u32, distance: f32) -> Option<(u32, bool, u32)> {
        const ROUNDING: f32 = 12_582_912.0;
        let Method::Scaled { middle, scale, certain } = keys.method else { return None };
        let of_middle = distance - middle;
        let place = of_middle * scale;
        let bin_of = |sum: f32| sum.to_bits().wrapping_sub(ROUNDING.to_bits());
        let bin = bin_of(place + ROUNDING);
        #[expect(clippy::cast_precision_loss, reason = "as in the shader")]
        let off = (place - bin.cast_signed() as f32).abs();
        let is_certain = off <= certain && bin < bins;
        Some((bin, is_certain, bin_of(of_middle.mul_add(scale, ROUNDING))))
    }

    /// A twin of `bin_beside` there.
    fn bin_beside(keys: &Keys, computed: u32, key: u64) -> u32 {
        let last = u32::try_from(keys.lower.len()).unwrap() - 1;
        let bin = u32::try_from(computed.cast_signed().max(0)).unwrap().min(last);
        let next = (bin + 1).min(last);
        if keys.lower[next as usize] <= key {
            next
        } else if keys.lower[bin as usize] > key {
            bin - 1
        } else {
            bin
        }
    }

    /// A twin of `slot_of` there, of an element that is a number.
    fn slot_of(keys: &Keys, value: f64, bins: u32, number: Number) -> u32 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "elements")]
        let key = match number {
            Number::F32 => f32_key(value as f32),
            Number::F64 => f64_key(value),
            Number::I32 => i32_key(value as i32),
            Number::I64 => i64_key(value as i64),
            Number::U32 | Number::U64 => value as u64,
        };
        let &Keys { lowest, highest, outside: [may_be_below, may_be_above], .. } = keys;
        if key < lowest {
            return bins + u32::from(!may_be_below);
        }
        if key > highest {
            return bins + u32::from(may_be_above);
        }
        if let Method::Shifted { shift } = keys.method {
            return low_word((key - lowest) >> shift).min(bins - 1);
        }
        let found = keys.lower.partition_point(|&lower| lower <= key) - 1;
        let found = u32::try_from(found).unwrap();
        let distance = keys.distance(key, number);
        if let Some((bin, is_certain, otherwise_rounded)) = quick_bins(keys, bins, distance) {
            let computed = [bin, otherwise_rounded];
            assert!(!is_certain || computed == [found; 2], "{value} by {:?}", keys.method);
            assert_eq!(computed.map(|bin| bin_beside(keys, bin, key)), [found; 2], "{value}");
        }
        found
    }

    /// The definition.
    fn expected(edges: &[f64], value: f64, bins: u32) -> u32 {
        let found = u32::try_from(edges.partition_point(|&edge| edge <= value)).unwrap();
        match found {
            0 => bins,
            _ if edges.last().is_some_and(|&last| value > last) => bins + 1,
            _ => found.min(bins) - 1,
        }
    }

    fn near_bits(bits: u16, number: impl Fn(u16) -> f64) -> Vec<f64> {
        let all = [bits.wrapping_sub(1), bits, bits.wrapping_add(1)].map(number).into_iter();
        all.filter(|value| !value.is_nan()).collect()
    }

    /// The elements at a number and next to it.
    #[expect(clippy::cast_possible_truncation, reason = "the nearest")]
    fn near(number: f64, element: ElementKind) -> Vec<f64> {
        let whole = |low: f64, high: f64| {
            let offsets = [-1.0, 0.0, 1.0, 2.0].into_iter();
            offsets.map(|offset| (number.floor() + offset).clamp(low, high)).collect()
        };
        match element {
            ElementKind::I16 => whole(i16::MIN.into(), i16::MAX.into()),
            ElementKind::U16 => whole(0.0, u16::MAX.into()),
            ElementKind::I32 => whole(i32::MIN.into(), i32::MAX.into()),
            ElementKind::U32 => whole(0.0, u32::MAX.into()),
            // The largest that an f64 holds.
            ElementKind::I64 => whole(-TWO_TO_63, TWO_TO_63.next_down()),
            ElementKind::U64 => whole(0.0, (2.0 * TWO_TO_63).next_down()),
            ElementKind::F64 => vec![number.next_down(), number, number.next_up()],
            ElementKind::F16 => {
                near_bits(f16::from_f64(number).to_bits(), |bits| f16::from_bits(bits).to_f64())
            }
            ElementKind::Bf16 => {
                near_bits(bf16::from_f64(number).to_bits(), |bits| bf16::from_bits(bits).to_f64())
            }
            _ => {
                let nearest = number as f32;
                [nearest.next_down(), nearest, nearest.next_up()].map(f64::from).to_vec()
            }
        }
    }

    /// Even ones and others, of numbers that differ much or hardly.
    fn bins() -> impl Strategy<Value = Bins> {
        let end = || {
            (-1.0..1.0, prop::sample::select(vec![1e-3, 1.0, 300.0, 4e4, 5e9, 1e13, 1e18, 1e30]))
        };
        let ends = (end(), end()).prop_map(|((a, scale), (b, other))| {
            let (a, b): (f64, f64) = (a * scale, b * other);
            a.min(b)..a.max(b)
        });
        let even = (ends, 1_u32..3000).prop_map(|(range, count)| Bins::even(range, count));
        let numbers = prop::collection::vec(end().prop_map(|(a, scale)| a * scale), 2..300);
        let uneven = numbers.prop_map(|mut edges: Vec<f64>| {
            edges.sort_by(f64::total_cmp);
            edges.dedup();
            Bins::edges(&edges)
        });
        prop_oneof![3 => even, 1 => uneven].prop_filter_map("none", Result::ok)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn keys_find_the_bins_that_edges_say(
            bins in bins(),
            element in prop::sample::select(vec![
                ElementKind::F32,
                ElementKind::F16,
                ElementKind::Bf16,
                ElementKind::I32,
                ElementKind::U32,
                ElementKind::I16,
                ElementKind::U16,
                ElementKind::F64,
                ElementKind::I64,
                ElementKind::U64,
            ]),
            parts in prop::collection::vec(0.0..1.0, 200),
        ) {
            // A type may have two edges of some bins that are the same, and refuses these.
            let Ok(edges) = bins.edges_for(element) else { return Ok(()) };
            let (keys, count) = (Keys::new(&edges, element), bins.count());
            let (first, last) = (edges[0], edges[edges.len() - 1]);
            let anywhere = parts.iter().map(|part: &f64| first + (last - first) * (1.4 * part - 0.2));
            let far = [0.0, -0.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE];
            let numbers = edges.iter().copied().chain(anywhere).chain(far);
            for value in numbers.flat_map(|number| near(number, element)) {
                let slot = slot_of(&keys, value, count, element.number());
                prop_assert_eq!(slot, expected(&edges, value, count), "{} of {:?}", value, keys);
            }
        }
    }

    /// The margin is there for this: rounded once, a place just within half a bin would be in the next one.
    #[test]
    fn without_a_margin_two_roundings_would_differ() {
        let keys = keys(&Bins::even(0.1..0.7, 3000).unwrap(), ElementKind::F32);
        let Method::Scaled { middle, scale, certain } = keys.method else { panic!("{keys:?}") };
        let careless =
            Keys { method: Method::Scaled { middle, scale, certain: 0.5 }, ..keys.clone() };
        assert!(certain < 0.5 - 3000.0 / 2_097_152.0);
        let differing = |keys: &Keys| {
            let distances = keys
                .lower
                .iter()
                .flat_map(|&key| (key - 3..key + 3).map(|key| f32_of_key(low_word(key))));
            let all = distances.filter_map(|distance| quick_bins(keys, 3000, distance));
            all.filter(|(bin, is_certain, counted)| *is_certain && bin != counted).count()
        };
        assert_eq!(differing(&keys), 0);
        assert!(differing(&careless) > 0);
    }
}
