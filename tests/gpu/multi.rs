//! One input on several adapters, all that are here together: as if it had been on one.

use crate::exact::cases::{Mix, Random};
use crate::harness::oracle::{Judged as _, Oracle};
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure};
use half::f16;
use libtest_mimic::{Failed, Trial};
use wgpu_reduce::{
    ArgMax, Error, ExactSum, GpuReducer, Mean, Min, MultiBuffer, MultiGpu, NormL2, Stats, Sum,
    SumExact, Variance,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let trial = |name, test: fn(&[GpuReducer]) -> Outcome| {
        Trial::test(name, move || {
            let reducers = reducers(rigs)?;
            if reducers.is_empty() {
                println!("NOT COVERED: several adapters, for want of one");
                return Ok(());
            }
            let mut labels: Vec<_> = reducers.iter().map(GpuReducer::adapter_label).collect();
            labels.dedup();
            println!("several adapters: {}", labels.join(", "));
            test(&reducers)
        })
    };
    vec![
        trial("multi::as_one_input", as_one_input),
        trial("multi::exact", exact),
        trial("multi::shares", shares),
        trial("multi::lost_device", lost_device),
    ]
}

/// One of each configuration, but for those through GL, which let no other thread near them.
fn reducers(rigs: &[Rig]) -> Result<Vec<GpuReducer>, Failed> {
    let rigs = rigs.iter().filter(|rig| !rig.name.contains("(Gl)"));
    Ok(rigs
        .map(|rig| pollster::block_on(GpuReducer::request(&rig.options)))
        .collect::<wgpu_reduce::Result<_>>()?)
}

pub(crate) fn check<T: TestElement, O: Oracle<T>>(reducers: &[GpuReducer], len: u64) -> Outcome {
    let multi = MultiGpu::new(reducers.to_vec())?;
    let values = T::data(Shape::Random, len);
    let buffer = multi.upload(&values)?;
    ensure!(buffer.len() == len, "{} elements instead of {len}", buffer.len());
    let of = |buffer| multi.reduce(O::default(), buffer).and_then(wgpu_reduce::Pending::wait);
    let expected = match O::expected(&values) {
        Ok(expected) => expected,
        Err(error) => {
            let outcome = of(&buffer);
            ensure!(outcome.as_ref().err() == Some(&error), "{len} elements: {outcome:?}");
            return Ok(());
        }
    };
    let plan = multi.plan(O::default(), &buffer)?;
    ensure!(plan.len == len, "a plan of {} elements instead of {len}", plan.len);
    let (result, again) = (of(&buffer)?, pollster::block_on(multi.reduce(O::default(), &buffer)?)?);
    let name = O::default().record().name();
    ensure!(
        O::judge(result, expected, &values, &plan),
        "{name}, {len} elements on {}: {result:?} is not {expected:?}\n{plan}",
        reducers.len()
    );
    ensure!(result.same_bits(again), "{name}, {len} elements: {result:?}, then {again:?}");
    Ok(())
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
        }
    }
    Ok(())
}

fn exact(reducers: &[GpuReducer]) -> Outcome {
    let multi = MultiGpu::new(reducers.to_vec())?;
    let mut random = Random::new(11);
    for mix in Mix::ALL {
        let values = mix.numbers(10_001, &mut random);
        let sum = multi.reduce_exact(&multi.upload(&values)?)?.wait()?;
        let expected: ExactSum = values.iter().collect();
        ensure!(sum.to_bytes() == expected.to_bytes(), "{mix:?}");
    }
    let nothing = multi.reduce_exact(&multi.upload(&[])?)?.wait()?;
    ensure!(nothing == ExactSum::new(), "the sum of nothing is {:e}", nothing.round());
    Ok(())
}

/// Of any length, and as many as there are adapters.
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
    let count = reducers.len() as u64;
    let mismatch = Error::LengthMismatch { left: count, right: count - 1 };
    ensure!(outcome == Err(mismatch), "{outcome:?}");
    let outcome = MultiGpu::new(Vec::new()).map(|_| ());
    ensure!(matches!(outcome, Err(Error::NoAdapter { .. })), "{outcome:?}");
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
