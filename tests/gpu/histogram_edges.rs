//! Histograms of elements on edges and next to them, of random bins, and of as many bins as there may be.

use crate::harness::data::mix;
use crate::harness::{Outcome, Rig, Shape, ensure, in_turn, on_every_rig};
use crate::histogram::{
    LIKE_GPUS, Numeric, check_with, compare, counts_in_totals, expected, tunings_of,
};
use half::{bf16, f16};
use libtest_mimic::Trial;
use wgpu_reduce::{Bins, ElementKind, Error, Result};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let alike = [
        ("histogram_edges::next_to::u16", next_to::<u16> as fn(&Rig) -> Outcome),
        ("histogram_edges::next_to::i16", next_to::<i16>),
        ("histogram_edges::next_to::u32", next_to::<u32>),
        ("histogram_edges::next_to::i32", next_to::<i32>),
        ("histogram_edges::next_to::f16", next_to::<f16>),
        ("histogram_edges::next_to::bf16", next_to::<bf16>),
        ("histogram_edges::next_to::f32", next_to::<f32>),
        ("histogram_edges::next_to::f64", next_to::<f64>),
        ("histogram_edges::next_to::i64", next_to::<i64>),
        ("histogram_edges::next_to::u64", next_to::<u64>),
        ("histogram_edges::random_bins::u16", random_bins::<u16>),
        ("histogram_edges::random_bins::i32", random_bins::<i32>),
        ("histogram_edges::random_bins::f32", random_bins::<f32>),
        ("histogram_edges::random_bins::f64", random_bins::<f64>),
        ("histogram_edges::random_bins::i64", random_bins::<i64>),
        ("histogram_edges::random_bins::u64", random_bins::<u64>),
    ];
    let mut trials = in_turn(rigs, alike);
    for (name, test) in [
        ("histogram_edges::floats", floats as fn(&Rig) -> Outcome),
        ("histogram_edges::hardly_certain", hardly_certain),
        ("histogram_edges::most_bins", most_bins),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    trials
}

/// An element type whose neighbours are known.
trait Neighbours: Numeric {
    /// How many bins it has room for in a small part of the range.
    const NARROW: u32 = 99;

    /// The elements at a number and next to it on both sides, as far as there are any.
    fn around(number: f64) -> Vec<Self>;

    /// The range that bins of it are taken from.
    fn range() -> [f64; 2];
}

macro_rules! neighbours_of_integers {
    ($($element:ident),*) => {$(
        impl Neighbours for $element {
            #[expect(clippy::cast_possible_truncation, reason = "far ones have no neighbours")]
            fn around(number: f64) -> Vec<Self> {
                let below = (number.floor() as i128).saturating_sub(1);
                (below..below.saturating_add(4)).filter_map(|near| near.try_into().ok()).collect()
            }

            fn range() -> [f64; 2] {
                [$element::MIN.number(), $element::MAX.number()]
            }
        }
    )*};
}
neighbours_of_integers!(u16, i16, u32, i32, u64, i64);

impl Neighbours for f64 {
    fn around(number: f64) -> Vec<Self> {
        vec![number.next_down(), number, number.next_up()]
    }

    fn range() -> [f64; 2] {
        [-0.5, 0.5]
    }
}

impl Neighbours for f32 {
    #[expect(clippy::cast_possible_truncation, reason = "the nearest")]
    fn around(number: f64) -> Vec<Self> {
        let nearest = number as Self;
        vec![nearest.next_down(), nearest, nearest.next_up()]
    }

    fn range() -> [f64; 2] {
        [-0.5, 0.5]
    }
}

macro_rules! neighbours_of_halves {
    ($($half:ty: $narrow:literal),*) => {$(
        impl Neighbours for $half {
            const NARROW: u32 = $narrow;

            fn around(number: f64) -> Vec<Self> {
                // One neighbour of 0 is NaN.
                let nearest = Self::from_f64(number).to_bits();
                [nearest.wrapping_sub(1), nearest, nearest.wrapping_add(1)].map(Self::from_bits).to_vec()
            }

            fn range() -> [f64; 2] {
                [-0.5, 0.5]
            }
        }
    )*};
}
neighbours_of_halves!(f16: 99, bf16: 12);

/// Every edge, and its neighbours on both sides, of bins as narrow and as wide as `f32` has them.
fn floats(rig: &Rig) -> Outcome {
    for bins in [
        Bins::even(0.0..1.0, 256)?,
        Bins::even(-1.0..1.0, 1000)?,
        Bins::even(0.1..0.7, 3000)?,
        Bins::even(1000.0..1000.1, 77)?,
        Bins::even(-1e-40..1e-40, 9)?,
        Bins::even(1e-5..1e30, 100)?,
    ] {
        let edges = bins.edges_for(ElementKind::F32)?;
        let mut values: Vec<_> = edges.iter().flat_map(|&edge| f32::around(edge)).collect();
        values.extend([f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, -f32::NAN, 1e-45, -1e-45]);
        for tuning in tunings_of(rig) {
            check_with(rig, &tuning, &values, 3, &bins)?;
        }
    }
    Ok(())
}

/// Numbers in order, about as far from each other as random ones are; each eighth is there twice, and the last.
fn uneven(low: f64, high: f64, seed: u64) -> Result<Bins> {
    let count = 60 + u64::from(mix(seed)) % 150;
    let mut edges: Vec<_> = (0..=count)
        .map(|number| low + (high - low) * f64::from(mix(!seed ^ (number << 20))) / 4_294_967_296.0)
        .collect();
    edges.sort_by(f64::total_cmp);
    edges.dedup();
    if edges.len() < 2 {
        edges.push(high + 1.0);
    }
    let twice = edges.iter().enumerate().filter(|&(at, _)| at % 8 == 0 || at + 1 == edges.len());
    edges.extend(twice.map(|(_, &edge)| edge).collect::<Vec<_>>());
    edges.sort_by(f64::total_cmp);
    Bins::edges(&edges)
}

/// What is on the edges and next to them, in the type's whole range and in a small part of it; `f32` does not hold what
/// is in between of integers beyond 2^24.
fn next_to<T: Neighbours>(rig: &Rig) -> Outcome {
    let [low, high] = T::range();
    let third = low + (high - low) / 3.0;
    for bins in [
        Bins::even(low..high, 200)?,
        Bins::even(low..high + 1.0, 128)?,
        Bins::even(third..third + (high - low) / 64.0, T::NARROW)?,
        Bins::even(low - 10.25..high / 3.0, 67)?,
        uneven(low, high, 5)?,
        uneven(third, third + (high - low) / 64.0, 6)?,
    ] {
        let edges = bins.edges_for(T::KIND)?;
        let mut values: Vec<T> = edges.iter().flat_map(|&edge| T::around(edge)).collect();
        // Far from edges, so that whole tiles are certain.
        let middles = edges.windows(2).map(|pair| f64::midpoint(pair[0], pair[1]));
        values.extend(middles.cycle().take(4000).filter_map(|middle| T::around(middle).pop()));
        values.push(T::poison());
        check_with(rig, &LIKE_GPUS, &values, 1, &bins)?;
    }
    Ok(())
}

/// Whole tiles of elements that are as far off the middle of their bins as rounding allows, and a little farther.
fn hardly_certain(rig: &Rig) -> Outcome {
    for (low, high, count) in [(0.0, 1.0, 256_u32), (-3.0, 4.0, 250), (0.1, 0.7, 3000)] {
        let bins = Bins::even(low..high, count)?;
        let width = (high - low) / f64::from(count);
        let mut values = Vec::new();
        // The margin of 256 bins is 2^-13 of a bin, of 3000 it is 2^-9.5, and rounded edges take something.
        for power in 5..18 {
            let off = 0.5 - 2.0_f64.powi(-power);
            for side in [-off, off] {
                let middle = |index: u32| low + (f64::from(index % count) + 0.5 + side) * width;
                #[expect(clippy::cast_possible_truncation, reason = "the nearest")]
                values.extend((0..512).map(|index| middle(mix(index) >> 8) as f32));
            }
        }
        check_with(rig, &LIKE_GPUS, &values, 0, &bins)?;
    }
    Ok(())
}

/// Bins anywhere in the range and at its ends, even and uneven, of elements that are anywhere and next to edges.
fn random_bins<T: Neighbours>(rig: &Rig) -> Outcome {
    let [low, high] = T::range();
    for seed in 0..24 {
        let part = |salt: u64| f64::from(mix(seed ^ (salt << 32))) / 4_294_967_296.0;
        // Around the whole range, and around ever less of it.
        let scale = (high - low) * 0.5_f64.powi((seed % 12).try_into()?);
        let first = low + (high - low) * part(1) - scale * part(2);
        let last = first + scale * (part(3) + 0.1);
        // So many share a pipeline.
        let count = 40 + mix(seed ^ (4 << 32)) % 200;
        let bins = if seed % 3 == 2 {
            uneven(first, last, seed)?
        } else {
            Bins::even(first..last, count)?
        };
        let len = u64::from(mix(!seed) % 9000);
        let mut values = T::data(Shape::Random, len);
        let edges = bins.edges_for(T::KIND)?;
        let near: Vec<T> = edges.iter().flat_map(|&edge| T::around(edge)).collect();
        // A tile of those, and one of others.
        for (index, value) in values.iter_mut().enumerate().filter(|(index, _)| index & 512 > 0) {
            *value = near[index * 7 % near.len()];
        }
        check_with(rig, &LIKE_GPUS, &values, (seed % 9).try_into()?, &bins)?;
    }
    Ok(())
}

fn count_in_most<T: Neighbours>(rig: &Rig, bins: &Bins) -> Outcome {
    let mut values = T::data(Shape::Random, 100_000);
    let edges = bins.edges_for(T::KIND)?;
    for (value, &edge) in values.iter_mut().zip(edges.iter().step_by(97)).step_by(3) {
        *value = T::around(edge).pop().unwrap_or(*value);
    }
    let input = rig.reducer.upload(&values)?;
    let found = rig.reducer.histogram(&input, bins);
    if rig.is_tight {
        ensure!(matches!(found, Err(Error::Unsupported { .. })), "2^20 bins are too many there");
        return Ok(());
    }
    let plan = rig.reducer.bin(&input, bins).channels(1).plan()?;
    ensure!(counts_in_totals(&plan), "{plan}");
    compare(&found?, &expected(values.into_iter(), bins)?, &format!("2^20 bins of {}", T::KIND))
}

/// By a shift, and by halving.
fn most_bins(rig: &Rig) -> Outcome {
    count_in_most::<u32>(rig, &Bins::even(0.0..4_294_967_296.0, Bins::MOST)?)?;
    count_in_most::<f32>(rig, &Bins::even(-0.25..0.25, Bins::MOST)?)
}
