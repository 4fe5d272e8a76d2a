//! Order statistics of elements that are read several times, against the CPU's sorted elements.

use crate::harness::{Outcome, Rig, Shape, Special, TestElement, ensure, in_turn, on_every_rig};
use crate::order::{bits, with_nan};
use half::{bf16, f16};
use libtest_mimic::Trial;
use std::ops::ControlFlow;
use std::pin::pin;
use std::task::{Context, Waker};
use wgpu_reduce::{
    Error, InterquartileRange, Median, NanMedian, NanQuantiles, Nth, OrderStatistic, Quantiles,
    RankStream, Ranked, StreamOptions,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let read_again = [
        ("order::read_again::u8", read_again::<u8> as fn(&Rig) -> Outcome),
        ("order::read_again::i8", read_again::<i8>),
        ("order::read_again::u16", read_again::<u16>),
        ("order::read_again::i16", read_again::<i16>),
        ("order::read_again::f16", read_again::<f16>),
        ("order::read_again::bf16", read_again::<bf16>),
        ("order::read_again::u32", read_again::<u32>),
        ("order::read_again::i32", read_again::<i32>),
        ("order::read_again::f32", read_again::<f32>),
        ("order::read_again::u64", read_again::<u64>),
        ("order::read_again::i64", read_again::<i64>),
        ("order::read_again::f64", read_again::<f64>),
    ];
    let mut trials = in_turn(rigs, read_again);
    trials.extend(on_every_rig(rigs, "order::read_again_refused", refused));
    trials
}

const SMALL: StreamOptions = StreamOptions::new(4096);

/// Elements that come several times in pieces, ones with few that the host counts and ones with many alike.
fn read_again<T: TestElement + Ranked<Figure: bytemuck::Pod>>(rig: &Rig) -> Outcome {
    let ordinary = Shape::ALL.map(|shape| T::data(shape, 3001));
    let special = Special::ALL.iter().filter_map(|special| special.data(303));
    let few = [1, 2, 700].map(|len| with_nan(&T::data(Shape::Random, len), 2));
    let options = [SMALL, StreamOptions::default()];
    for (number, values) in ordinary.into_iter().chain(special).chain(few).enumerate() {
        let of = Reread { rig, values: &values, options: options[number % 2] };
        let rank = values.len() as u64 / 3;
        of.check(Nth { rank }, |found| bits(&[found]), &bits(&[Nth { rank }.on_cpu(&values)?]))?;
        of.check(NanMedian, |found| bits(&[found]), &bits(&[NanMedian.on_cpu(&values)?]))?;
        let range = InterquartileRange.on_cpu(&values)?;
        of.check(InterquartileRange, |found| bits(&[found]), &bits(&[range]))?;
        let quantiles = NanQuantiles::new([0.25, 1.0, 0.0]);
        let expected = bits(&quantiles.on_cpu(&values)?);
        of.check(quantiles, |found| bits(&found), &expected)?;
        let quantiles = Quantiles::new([0.5, 0.0, 0.123, 1.0, 0.9, 0.5]);
        let expected = bits(&quantiles.on_cpu(&values)?);
        of.check(quantiles, |found| bits(&found), &expected)?;
    }
    one_reading_tells_of_nan::<T>(rig)?;
    let none = RankStream::<T, _>::new(&rig.reducer, Median, &SMALL)?.end();
    ensure!(none.err() == Some(Error::Empty { operation: "median" }), "of no elements");
    Ok(())
}

struct Reread<'a, T> {
    rig: &'a Rig,
    values: &'a [T],
    options: StreamOptions,
}

impl<T: TestElement + Ranked> Reread<'_, T> {
    fn check<S: OrderStatistic<T, Output: std::fmt::Debug + Clone>>(
        &self,
        statistic: S,
        bits: impl Fn(S::Output) -> Vec<u8>,
        expected: &[u8],
    ) -> Outcome {
        let stream = RankStream::new(&self.rig.reducer, statistic, &self.options)?;
        let mut readings = 0;
        let found = stream.run(|| {
            readings += 1;
            Ok(self.values.chunks(700))
        })?;
        let what = format!("{} of {}, {readings} readings", self.values.len(), T::KIND);
        ensure!(bits(found.clone()) == expected, "{what}: {found:?}");
        let is_small = self.options != StreamOptions::default() || self.rig.is_tight;
        ensure!(readings <= if is_small { 7 } else { 4 }, "{what}");
        Ok(())
    }
}

fn one_reading_tells_of_nan<T: TestElement + Ranked<Figure: bytemuck::Pod>>(rig: &Rig) -> Outcome {
    let Some(nan) = T::NAN else { return Ok(()) };
    let mut stream = RankStream::new(&rig.reducer, Median, &SMALL)?;
    stream.push(&T::data(Shape::Random, 300))?;
    stream.push(&[nan])?;
    let ControlFlow::Break(median) = stream.end()? else {
        return Err("a NaN is read again".into());
    };
    ensure!(bits(&[median]) == bits(&[Median.on_cpu(&[nan])?]), "{median:?}");
    Ok(())
}

fn refused(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let invalid = RankStream::<f32, _>::new(reducer, Quantiles::new([1.5]), &SMALL).err();
    ensure!(matches!(invalid, Some(Error::InvalidRank { .. })), "{invalid:?}");
    let many = RankStream::<f32, _>::new(reducer, Quantiles::new([0.5; 501]), &SMALL).err();
    ensure!(matches!(many, Some(Error::Unsupported { .. })), "{many:?}");
    let mut stream = RankStream::new(reducer, Nth { rank: 300 }, &SMALL)?;
    stream.push(&[1_u32; 300])?;
    let beyond = stream.end().err();
    ensure!(matches!(beyond, Some(Error::InvalidRank { .. })), "{beyond:?}");
    let values = u32::data(Shape::Random, 300);
    for others in [&values[..299], &[0; 300]] {
        let mut stream = RankStream::new(reducer, Nth { rank: 299 }, &SMALL)?;
        stream.push(&values)?;
        let ControlFlow::Continue(mut again) = stream.end()? else {
            return Err("one reading".into());
        };
        again.push(others)?;
        let changed = again.end().err();
        ensure!(matches!(changed, Some(Error::InvalidBytes { .. })), "{changed:?}");
    }
    given_up(rig)
}

/// A push whose future is dropped while it waits for room.
fn given_up(rig: &Rig) -> Outcome {
    let values = u32::data(Shape::Random, 100_000);
    let mut stream = RankStream::new(&rig.reducer, Median, &SMALL)?;
    let is_pending = {
        let mut push = pin!(stream.push_async(&values));
        push.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending()
    };
    let ended = stream.end();
    // An adapter that works there and then has room at once.
    let is_right = match &ended {
        Err(Error::InvalidBytes { .. }) => is_pending,
        Ok(_) => !is_pending,
        Err(_) => false,
    };
    ensure!(is_right, "{is_pending}: {:?}", ended.err());
    Ok(())
}
