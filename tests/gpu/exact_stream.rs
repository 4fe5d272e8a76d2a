//! Exact sums and dot products of pieces that come one after another.

use crate::exact::cases::{Float, Mix, Random};
use crate::harness::{Outcome, Rig, ensure, on_every_rig};
use crate::stream::{SMALL, chunk_len, cut};
use libtest_mimic::Trial;
use wgpu_reduce::{ExactPairStream, ExactStream, ExactSum, StreamOptions};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let trials = [
        on_every_rig(rigs, "stream::exact", exact),
        on_every_rig(rigs, "stream::exact_f64", exact_f64),
        on_every_rig(rigs, "stream::exact_pairs", exact_pairs),
    ];
    trials.into_iter().flatten().collect()
}

fn exact(rig: &Rig) -> Outcome {
    exact_of::<f32>(rig)
}

fn exact_f64(rig: &Rig) -> Outcome {
    exact_of::<f64>(rig)
}

fn exact_of<T: Float>(rig: &Rig) -> Outcome {
    let mut random = Random::new(7);
    let chunk = usize::try_from(chunk_len::<T>(rig))?;
    for mix in Mix::ALL {
        for len in [0, 1, chunk, 7 * chunk + 3] {
            let mut values: Vec<T> = mix.numbers(len, &mut random);
            values.truncate(len);
            check_exact(rig, &values, &format!("{mix:?}"))?;
        }
    }
    let values: Vec<T> = Mix::Spread.numbers(10_000, &mut random);
    let mut stream = ExactStream::new(&rig.reducer, &StreamOptions::default())?;
    values.chunks(999).try_for_each(|piece| stream.push(piece))?;
    let sum = stream.finish()?.wait()?;
    ensure!(sum == values.iter().collect::<ExactSum<T>>(), "of an iterator");
    Ok(())
}

/// An exact sum of pieces.
pub(crate) fn check_exact<T: Float>(rig: &Rig, values: &[T], what: &str) -> Outcome {
    let len = values.len() as u64;
    let mut stream = ExactStream::new(&rig.reducer, &SMALL)?;
    for piece in cut(values, Random::new(len)) {
        stream.push(piece)?;
    }
    ensure!(stream.len() == len, "{} elements, not {len}", stream.len());
    let sum = stream.finish()?.wait()?;
    let expected: ExactSum<T> = values.iter().collect();
    ensure!(sum.to_bytes() == expected.to_bytes(), "{what}, {len} elements");
    Ok(())
}

fn exact_pairs(rig: &Rig) -> Outcome {
    exact_pairs_of::<f32>(rig)?;
    exact_pairs_of::<f64>(rig)
}

fn exact_pairs_of<T: Float>(rig: &Rig) -> Outcome {
    let mut random = Random::new(8);
    let chunk = usize::try_from(chunk_len::<T>(rig))?;
    for len in [0, 1, chunk, 9 * chunk + 5] {
        let [mut left, mut right] =
            [Mix::Finite, Mix::Spread].map(|mix| mix.numbers::<T>(len, &mut random));
        left.truncate(len);
        right.truncate(len);
        check_exact_pairs(rig, [&left, &right])?;
    }
    Ok(())
}

/// An exact dot product of pieces.
pub(crate) fn check_exact_pairs<T: Float>(rig: &Rig, [left, right]: [&[T]; 2]) -> Outcome {
    let mut stream = ExactPairStream::new(&rig.reducer, &SMALL)?;
    for (a, b) in left.chunks(33).zip(right.chunks(33)) {
        stream.push(a, b)?;
    }
    let dot = stream.finish()?.wait()?;
    let mut expected = ExactSum::new();
    expected.add_products(left, right)?;
    ensure!(dot.to_bytes() == expected.to_bytes(), "{} pairs of {}", left.len(), T::KIND);
    Ok(())
}
