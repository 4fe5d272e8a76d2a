#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "bits are the lowest of a word, edges are whole and not negative, and lengths are small"
)]

use super::{Bits, Hit, Next, Search};
use crate::error::Error;
use crate::op::element::ElementKind;
use proptest::prelude::*;
use std::cmp::Ordering;

/// What a device counts of bits, by definition.
fn counts(edges: &[f64], words: &[u64]) -> Vec<u64> {
    let edges: Vec<u128> = edges.iter().map(|&edge| edge as u128).collect();
    let mut counts = vec![0; edges.len() - 1];
    for &word in words {
        let behind = edges.partition_point(|&edge| edge <= word.into());
        if behind > 0 && behind < edges.len() {
            counts[behind - 1] += 1;
        }
    }
    counts
}

fn bytes(element: ElementKind, words: &[u64]) -> Vec<u8> {
    let size = element.size_bytes() as usize;
    words.iter().flat_map(|word| word.to_le_bytes()[..size].to_vec()).collect()
}

/// The elements of these ranks, and how often all were read.
fn searched(
    (mut search, element): (Search, ElementKind),
    words: &[u64],
    ranks: &[u64],
) -> (Vec<Hit>, usize) {
    let bytes = bytes(element, words);
    for reading in 0.. {
        let next = search.next();
        // In two pieces.
        let (first, second) = bytes.split_at(bytes.len() / 2 / 8 * 8);
        match &next {
            Next::Nothing => {
                return (ranks.iter().map(|&rank| search.found(rank).unwrap()).collect(), reading);
            }
            _ => [first, second].into_iter().for_each(|piece| search.see(piece)),
        }
        assert_eq!(search.read(), words.len() as u64);
        match next {
            Next::Bins(edges) if search.is_first() => {
                search.begin(&counts(&edges, words), ranks).unwrap();
            }
            Next::Bins(edges) => search.narrow(&counts(&edges, words)).unwrap(),
            _ => search.settle().unwrap(),
        }
    }
    unreachable!()
}

/// The value, in an order that has NaN last, and nothing else equal.
fn order(element: ElementKind, a: u64, b: u64) -> Ordering {
    let float = |word: u64| match element {
        ElementKind::F16 => f64::from(half::f16::from_bits(word as u16)),
        ElementKind::Bf16 => f64::from(half::bf16::from_bits(word as u16)),
        ElementKind::F32 => f64::from(f32::from_bits(word as u32)),
        _ => f64::from_bits(word),
    };
    let integer = |word: u64| match element {
        ElementKind::I8 => i128::from(word as i8),
        ElementKind::I16 => i128::from(word as i16),
        ElementKind::I32 => i128::from(word as i32),
        ElementKind::I64 => i128::from(word as i64),
        _ => i128::from(word),
    };
    if !element.is_float() {
        return integer(a).cmp(&integer(b));
    }
    let (a, b) = (float(a), float(b));
    match (a.is_nan(), b.is_nan()) {
        (false, false) => a.total_cmp(&b),
        (a, b) => a.cmp(&b),
    }
}

fn is_nan(element: ElementKind, word: u64) -> bool {
    let nan = u64::MAX >> (64 - 8 * element.size_bytes());
    element.is_float() && order(element, word, nan).is_eq()
}

fn check(element: ElementKind, words: &[u64], ranks: &[u64], most: (u64, u64)) -> usize {
    let mut sorted = words.to_vec();
    sorted.sort_by(|&a, &b| order(element, a, b));
    let search = Search::new(element, most.0, most.1);
    let (found, readings) = searched((search, element), words, ranks);
    for (&rank, found) in ranks.iter().zip(found) {
        let word = sorted[rank as usize];
        let expected = if is_nan(element, word) { Hit::Nan } else { Hit::Number(word) };
        assert_eq!(found, expected, "rank {rank} of {} {element}, {most:?}", words.len());
    }
    readings
}

/// Numbers of a type, as bits: any, some of few, and neighbours.
fn words(element: ElementKind) -> impl Strategy<Value = Vec<u64>> {
    let mask = u64::MAX >> (64 - 8 * element.size_bytes());
    let word = prop_oneof![
        any::<u64>(),
        (0..20_u64),
        (0..3_u64).prop_map(|number| u64::MAX - number),
        (0..40_000_u64).prop_map(|number| 0x3FF0_0000_3F80_3C00 + number),
        prop::sample::select(vec![
            0x7C00,
            0x7F80,
            0x7F80_0000,
            0x7FF0_0000_0000_0000,
            0xFC00,
            0xFF80_0000,
            0xFFF0_0000_0000_0000,
            0x7F80_0001,
            0x8000,
            0x8000_0000,
            1 << 63,
        ]),
    ];
    prop::collection::vec(word.prop_map(move |word| word & mask), 1..400)
}

proptest! {
    #[test]
    fn ranks_are_those_of_sorted_elements(
        (element, words) in prop::sample::select(ElementKind::ALL.to_vec())
            .prop_flat_map(|element| (Just(element), words(element))),
        shares in prop::collection::btree_set(0..1000_u64, 1..9),
        most_bins in prop::sample::select(vec![0, 5000, 1 << 16, 1 << 18]),
        most_keys in prop::sample::select(vec![0, 1, 30, 1000]),
    ) {
        let mut ranks: Vec<_> =
            shares.into_iter().map(|share| share * words.len() as u64 / 1000).collect();
        ranks.dedup();
        check(element, &words, &ranks, (most_bins, most_keys));
    }
}

#[test]
fn readings_are_as_few_as_said() {
    let all = |element: ElementKind, step: u64| -> Vec<u64> {
        let mask = u64::MAX >> (64 - 8 * element.size_bytes());
        (0..1000_u64).map(|number| number.wrapping_mul(step) & mask).collect()
    };
    let (bins, keys) = (1 << 18, 100);
    for element in ElementKind::ALL {
        let words = all(element, 0x9E37_79B9_7F4A_7C15);
        let same = vec![words[1]; 1000];
        let [spread, same] =
            [words, same].map(|words| check(element, &words, &[0, 500, 999], (bins, keys)));
        let (most_spread, most_same) = match element.size_bytes() {
            1 | 2 => (1, 1),
            4 => (2, 2),
            _ => (2, 4),
        };
        assert!(spread <= most_spread && same <= most_same, "{element}: {spread}, {same}");
    }
}

#[test]
fn a_few_values_that_come_often_take_no_more_readings() {
    for element in [ElementKind::F64, ElementKind::I64, ElementKind::F32] {
        for values in [2_u32, 4] {
            let word = |number: usize| {
                let value = f64::from(1 + number as u32 % values);
                match element {
                    ElementKind::F64 => value.to_bits(),
                    ElementKind::F32 => (value as f32).to_bits().into(),
                    _ => ((value as u64) << 40) + 12_345,
                }
            };
            let words: Vec<_> = (0..600_000).map(word).collect();
            let ranks: Vec<_> =
                (0..values).map(|rank| u64::from(600_000 / values * rank)).collect();
            let readings = check(element, &words, &ranks, (1 << 18, 1 << 19));
            assert!(readings <= 4, "{values} values of {element}: {readings}");
        }
    }
}

#[test]
fn what_changes_between_readings_is_refused() {
    let element = ElementKind::U32;
    let mut search = Search::new(element, 1 << 16, 0);
    let words = [1, 5, 1 << 20, 3];
    search.see(&bytes(element, &words));
    let Next::Bins(edges) = search.next() else { panic!("no bins") };
    search.begin(&counts(&edges, &words), &[2]).unwrap();
    for others in [&[1, 5, 1 << 20][..], &[1 << 20, 5, 1 << 20, 3]] {
        let mut search = search.clone();
        search.see(&bytes(element, others));
        let Next::Bins(edges) = search.next() else { panic!("no bins") };
        let refused = search.narrow(&counts(&edges, others));
        assert!(matches!(refused, Err(Error::InvalidBytes { .. })), "{others:?}");
    }
}

#[test]
fn keys_are_in_the_order_of_elements_and_back() {
    for element in ElementKind::ALL {
        let bits = Bits::new(element);
        let mask = u64::MAX >> (64 - 8 * element.size_bytes());
        let mut words: Vec<_> = (0..64).flat_map(|shift| [1_u64 << shift, !(1 << shift)]).collect();
        for word in &mut words {
            *word &= mask;
        }
        words.retain(|&word| !is_nan(element, word));
        words.sort_by(|&a, &b| order(element, a, b));
        words.dedup();
        let keys: Vec<_> = words.iter().map(|&word| bits.key(word)).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{element}");
        assert!(keys.iter().zip(&words).all(|(&key, &word)| bits.of_key(key) == word), "{element}");
    }
}
