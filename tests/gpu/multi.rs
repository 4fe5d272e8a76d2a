//! One input on several adapters, all that are here together: as if it had been on one.

use crate::exact::cases::{Float, Mix, Random};
use crate::harness::oracle::{Judged as _, Oracle};
use crate::harness::rig::{SKEWED, open};
use crate::harness::{
    Outcome, Rig, Shape, Special, TestElement, ensure, one_rig_of_each_adapter, stamp_all,
};
use half::{bf16, f16};
use libtest_mimic::{Failed, Trial};
use wgpu_reduce::{
    ArgMax, CountNan, Error, ExactSum, GpuReducer, Mean, MeanExact, Min, MultiBuffer, MultiGpu,
    NormL2, Stats, Sum, SumExact, Variance,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let Some(first) = rigs.first() else { return Vec::new() };
    let adapters = if first.name.ends_with(SKEWED) { SKEWED } else { "all" };
    let trial = |name, test: fn(&[GpuReducer]) -> Outcome| {
        Trial::test(format!("{name} [{adapters}]"), move || {
            let reducers = reducers(rigs)?;
            if reducers.is_empty() {
                println!("NOT COVERED: several adapters, where there are none but through GL");
                return Ok(());
            }
            let mut labels: Vec<_> = reducers.iter().map(GpuReducer::adapter_label).collect();
            labels.dedup();
            println!("several adapters: {}", labels.join(", "));
            test(&reducers)
        })
    };
    let mut trials = vec![
        trial("multi::as_one_input", as_one_input),
        trial("multi::exact", exact),
        trial("multi::shares", shares),
        trial("multi::plans", plans),
        trial("multi::lost_device", lost_device),
    ];
    trials.extend(of_any_shares(rigs));
    trials
}

/// One of each configuration, but for those through GL, which let no other thread near them.
fn reducers(rigs: &[Rig]) -> Result<Vec<GpuReducer>, Failed> {
    let rigs = rigs.iter().filter(|rig| !rig.is_gl());
    Ok(rigs.map(|rig| open(&rig.options)).collect::<wgpu_reduce::Result<_>>()?)
}

pub(crate) fn check<T: TestElement, O: Oracle<T>>(reducers: &[GpuReducer], len: u64) -> Outcome {
    let multi = MultiGpu::new(reducers.to_vec())?;
    let values = T::data(Shape::Random, len);
    let buffer = multi.upload(&values)?;
    ensure!(buffer.len() == len, "{} elements instead of {len}", buffer.len());
    check_buffer::<T, O>(&multi, &buffer, &values, "equal shares")
}

/// Reduces what holds `values`, and asks the oracle.
pub(crate) fn check_buffer<T: TestElement, O: Oracle<T>>(
    multi: &MultiGpu,
    buffer: &MultiBuffer<T>,
    values: &[T],
    what: &str,
) -> Outcome {
    let len = values.len() as u64;
    let name = O::default().record().name();
    let of = |buffer| multi.reduce(O::default(), buffer).and_then(wgpu_reduce::Pending::wait);
    let expected = match O::expected(values) {
        Ok(expected) => expected,
        Err(error) => {
            let outcome = of(buffer);
            let is_right = outcome.as_ref().err() == Some(&error);
            ensure!(is_right, "{name}, {what}, {len} elements: {outcome:?}");
            return Ok(());
        }
    };
    let plan = multi.plan(O::default(), buffer)?;
    ensure!(plan.len == len, "a plan of {} elements instead of {len}", plan.len);
    let (result, again) = (of(buffer)?, pollster::block_on(multi.reduce(O::default(), buffer)?)?);
    ensure!(
        O::judge(result, expected, values, &plan.accuracy()),
        "{name}, {what}, {len} elements on {}: {result:?} is not {expected:?} within {:e}\n{plan}",
        multi.reducers().len(),
        O::default().tolerance(values, &plan.accuracy())
    );
    ensure!(result.same_bits(again), "{name}, {len} elements: {result:?}, then {again:?}");
    Ok(())
}

/// Whatever shares have of the data, also where it is nothing, one element or nothing but NaN. What is combined comes
/// from the device.
fn any_shares<T: TestElement, O: Oracle<T>>(rig: &Rig) -> Outcome {
    let mut random = Random::new(5);
    for (count, len) in [(1, 41), (2, 6), (2, 3000), (3, 1), (3, 41), (6, 41), (6, 3000)] {
        let multi = MultiGpu::new(vec![rig.reducer.clone(); count])?;
        let ordinary = Shape::ALL.map(|shape| (format!("{shape:?}"), T::data(shape, len)));
        let specials = Special::ALL
            .into_iter()
            .filter_map(|special| special.data(len).map(|values| (format!("{special:?}"), values)));
        for (what, values) in ordinary.into_iter().chain(specials) {
            let shares = cut(&values, count, &mut random);
            let buffers = shares.iter().map(|share| rig.reducer.upload(share));
            let buffer = MultiBuffer::new(buffers.collect::<wgpu_reduce::Result<_>>()?);
            let lengths: Vec<_> = shares.iter().map(|share| share.len()).collect();
            check_buffer::<T, O>(&multi, &buffer, &values, &format!("{what} as {lengths:?}"))?;
        }
    }
    Ok(())
}

/// So many pieces of any length.
fn cut<'a, T>(values: &'a [T], count: usize, random: &mut Random) -> Vec<&'a [T]> {
    let mut cuts: Vec<_> = (1..count).map(|_| random.below(values.len() + 1)).collect();
    cuts.sort_unstable();
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([values.len()]);
    starts.zip(ends).map(|(start, end)| &values[start..end]).collect()
}

fn of_any_shares(rigs: &'static [Rig]) -> Vec<Trial> {
    let trials = stamp_all!(rigs, [any_shares], "multi::", every);
    one_rig_of_each_adapter(rigs, trials)
}

fn as_one_input(reducers: &[GpuReducer]) -> Outcome {
    for reducers in [reducers, &reducers[..1]] {
        for len in [0, 1, 5, 4 * reducers.len() as u64 + 1, 1001, 200_003] {
            check::<f32, Sum>(reducers, len)?;
            check::<u8, Sum>(reducers, len)?;
            check::<i64, Sum>(reducers, len)?;
            check::<f16, Min>(reducers, len)?;
            check::<i32, ArgMax>(reducers, len)?;
            check::<f32, Mean>(reducers, len)?;
            check::<i32, Variance>(reducers, len)?;
            check::<f32, Stats>(reducers, len)?;
            check::<f32, NormL2>(reducers, len)?;
            check::<f32, SumExact>(reducers, len)?;
            check::<f32, MeanExact>(reducers, len)?;
        }
    }
    Ok(())
}

fn exact(reducers: &[GpuReducer]) -> Outcome {
    let multi = MultiGpu::new(reducers.to_vec())?;
    let mut random = Random::new(11);
    for mix in Mix::ALL {
        check_exact::<f32>(&multi, &mix.numbers(10_001, &mut random), &format!("{mix:?}"))?;
        check_exact::<f64>(&multi, &mix.numbers(5_001, &mut random), &format!("{mix:?}"))?;
    }
    let nothing = multi.reduce_exact(&multi.upload::<f32>(&[])?)?.wait()?;
    ensure!(nothing == ExactSum::new(), "the sum of nothing is {:e}", nothing.round());
    Ok(())
}

/// An exact sum of equal shares.
pub(crate) fn check_exact<T: Float>(multi: &MultiGpu, values: &[T], what: &str) -> Outcome {
    let sum = multi.reduce_exact(&multi.upload(values)?)?.wait()?;
    let expected: ExactSum<T> = values.iter().collect();
    ensure!(
        sum.to_bytes() == expected.to_bytes(),
        "{what}, {} elements of {}",
        values.len(),
        T::KIND
    );
    Ok(())
}

/// Shares may be of any length, and there are as many as adapters.
fn shares(reducers: &[GpuReducer]) -> Outcome {
    let multi = MultiGpu::new(reducers.to_vec())?;
    let mut all = Vec::new();
    let mut shares = Vec::new();
    for (number, reducer) in (0_u64..).zip(reducers) {
        // Every second one has nothing.
        let share = i32::data(Shape::Random, number % 2 * 977 * number);
        shares.push(reducer.upload(&share)?);
        all.extend(share);
    }
    let found = multi.reduce(Stats::default(), &MultiBuffer::new(shares.clone()));
    let expected = <Stats as Oracle<i32>>::expected(&all);
    let found = found.and_then(wgpu_reduce::Pending::wait);
    ensure!(found == expected, "{found:?} is not {expected:?}");
    shares.pop();
    let outcome = multi.reduce(Sum, &MultiBuffer::new(shares)).map(|_| ());
    let count = reducers.len();
    let what = format!("it has {} shares for {count} adapters", count - 1);
    ensure!(outcome == Err(Error::InvalidBuffer { what }), "{outcome:?}");
    let outcome = MultiGpu::new(Vec::new()).map(|_| ());
    ensure!(matches!(outcome, Err(Error::NoAdapter { .. })), "{outcome:?}");
    Ok(())
}

/// They have the passes of one share, and a rounding for each accumulator that the host adds to another.
fn plans(reducers: &[GpuReducer]) -> Outcome {
    const SHARE: u64 = 100_000;
    let reducer = &reducers[0];
    let on = |count: usize| MultiGpu::new(vec![reducer.clone(); count]);
    let buffer = |shares: &[u64]| {
        let shares = shares.iter().map(|&len| reducer.upload(&f32::data(Shape::Random, len)));
        shares.collect::<wgpu_reduce::Result<_>>().map(MultiBuffer::new)
    };
    let of_one = on(1)?.plan(Sum, &buffer(&[SHARE])?)?;
    let plan = on(4)?.plan(Sum, &buffer(&[SHARE, 7, 0, 99])?)?;
    ensure!(of_one.roundings > 0 && plan.passes() == of_one.passes(), "{plan}\n{of_one}");
    ensure!(plan.roundings == of_one.roundings + 2, "{plan}\n{of_one}");
    let exact = on(2)?.plan(CountNan, &buffer(&[SHARE, SHARE])?)?;
    ensure!(exact.roundings == 0, "{exact}");
    Ok(())
}

/// Whichever goes, before or after it has begun.
fn lost_device(reducers: &[GpuReducer]) -> Outcome {
    let multi = MultiGpu::new(reducers.to_vec())?;
    let values = vec![1_u32; 100_000];
    let buffer = multi.upload(&values)?;
    let pending = multi.reduce(Sum, &buffer)?;
    if let Some(last) = reducers.last() {
        last.device().destroy();
    }
    let outcome = pending.wait();
    let fine = matches!(outcome, Ok(100_000) | Err(Error::DeviceLost { .. }));
    ensure!(fine, "in flight: {outcome:?}");
    let outcome = multi.reduce(Sum, &buffer).and_then(wgpu_reduce::Pending::wait);
    ensure!(matches!(outcome, Err(Error::DeviceLost { .. })), "after: {outcome:?}");
    let outcome = multi.upload(&values).map(|_| ());
    ensure!(matches!(outcome, Err(Error::DeviceLost { .. })), "upload: {outcome:?}");
    Ok(())
}
