//! Groups that cannot be: wrong keys, other lengths, what has no groups.

use crate::groups::{Keys, members};
use crate::harness::oracle::Oracle;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use crate::masked::Placed;
use libtest_mimic::Trial;
use wgpu_reduce::{
    ArgMax, Dot, Error, GpuBuffer, HistogramTuning, Max, Mean, NanMean, NormL2, NormMax, Sum,
    SumExact, Variance,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = on_every_rig(rigs, "groups::wrong_keys", wrong_keys);
    trials.extend(on_every_rig(rigs, "groups::refusals", refusals));
    trials
}

/// The first key that is of no group is told. Its element counts nowhere, and results are right when keys are.
fn wrong_of<T: TestElement, O: Oracle<T, Output: Placed>>(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let values = T::data(Shape::Random, 3000);
    let x = reducer.upload(&values)?;
    let right = Keys::Mixed.keys(3000, 8);
    for (places, key) in [(vec![0], 8), (vec![2999, 1700], u32::MAX), (vec![5, 6, 2000], 100)] {
        let mut wrong = right.clone();
        for &place in &places {
            wrong[place] = key;
        }
        let first = places.iter().min().map_or(0, |&first| first as u64);
        // In the second of two buffers of keys, or at its end.
        let keys = [reducer.upload(&wrong[..3])?, reducer.upload(&wrong[3..])?];
        let request = reducer.reduce(O::default(), &x).groups(&keys, 8);
        let expected = Error::InvalidKey { index: first, key: Some(key.into()), groups: 8 };
        for turn in 0..2 {
            let refused = request.run();
            ensure!(
                refused.as_ref().err() == Some(&expected),
                "{turn}: {refused:?}, not {expected:?}"
            );
        }
        // Where nobody tells of it, the element is left out.
        let left = request.to_buffer()?.download(reducer)?;
        let without: Vec<_> = (0..3000).filter(|place| !places.contains(place)).collect();
        let kept: Vec<T> = without.iter().map(|&place| values[place]).collect();
        let of_kept: Vec<u32> = without.iter().map(|&place| right[place]).collect();
        let (kept, of_kept) = (reducer.upload(&kept)?, reducer.upload(&of_kept)?);
        let alone = reducer.reduce(O::default(), &kept).groups(&of_kept, 8);
        let alone = alone.to_buffer()?.download(reducer)?;
        let bytes = |raw: &[O::Raw]| bytemuck::cast_slice::<_, u8>(raw).to_vec();
        let is_placed = O::default().record().finds_indices();
        ensure!(is_placed || bytes(&left) == bytes(&alone), "what has no group counts");
        reducer.write(&keys[0], &right[..3])?;
        reducer.write(&keys[1], &right[3..])?;
        let plan = request.plan()?;
        for (group, result) in request.run()?.into_iter().enumerate() {
            let (of_group, places) = &members(&values, &right, 8)[group];
            let expected = O::expected(of_group)?.placed(places);
            ensure!(
                O::judge(result, expected, of_group, &plan.accuracy()),
                "{result:?} of group {group} is not {expected:?} after a wrong key"
            );
        }
    }
    Ok(())
}

/// Wrong keys of every kind, no groups at all, and no elements.
fn wrong_keys(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    wrong_of::<i32, Max>(rig)?;
    wrong_of::<f32, SumExact>(rig)?;
    wrong_of::<f64, ArgMax>(rig)?;
    let large = reducer.upload(&[0_u64, 1 << 32])?;
    let two = reducer.upload(&[1_u32, 2])?;
    let refused = reducer.reduce(Sum, &two).groups(&large, 1).run();
    let expected = Error::InvalidKey { index: 1, key: Some(1 << 32), groups: 1 };
    ensure!(refused.as_ref() == Err(&expected), "{refused:?} is not {expected:?}");
    let bytes = reducer.upload(&[0_u8, 0, 0, 255])?;
    let refused = reducer.reduce(Sum, &two).groups(bytes.slice(2..)?, 7).run();
    let expected = Error::InvalidKey { index: 1, key: Some(255), groups: 7 };
    ensure!(refused.as_ref() == Err(&expected), "{refused:?} is not {expected:?}");
    // A buffer that cannot be copied from keeps its key.
    let own = reducer.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 8,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    reducer.queue().write_buffer(&own, 0, bytemuck::cast_slice(&[9_u32, 0]));
    let keys = GpuBuffer::<u32>::from_wgpu(own, 0, 2)?;
    let refused = reducer.reduce(Sum, &two).groups(&keys, 2).run();
    let expected = Error::InvalidKey { index: 0, key: None, groups: 2 };
    ensure!(refused.as_ref() == Err(&expected), "{refused:?} is not {expected:?}");
    let negative = reducer.upload(&[0_i64, -3])?;
    let refused = reducer.reduce(Sum, &two).groups(&negative, 1).run();
    let expected = Error::InvalidKey { index: 1, key: Some(-3), groups: 1 };
    ensure!(refused.as_ref() == Err(&expected), "{refused:?} is not {expected:?}");
    // No groups at all, and no elements.
    let none = reducer.upload::<u32>(&[])?;
    let found = reducer.reduce(Sum, &none).groups(&none, 0).run()?;
    ensure!(found.is_empty(), "{found:?}");
    let found = reducer.reduce(Sum, &none).groups(&none, 3).run()?;
    ensure!(found == [0; 3], "{found:?}");
    let refused = reducer.reduce(Max, &none).groups(&none, 3).run();
    let expected = Error::EmptyGroup { operation: "max", group: 0 };
    ensure!(refused.as_ref() == Err(&expected), "{refused:?} is not {expected:?}");
    let refused = reducer.reduce(Sum, &two).groups(&reducer.upload(&[0_u32, 0])?, 0).run();
    let expected = Error::InvalidKey { index: 0, key: Some(0), groups: 0 };
    ensure!(refused.as_ref() == Err(&expected), "{refused:?} is not {expected:?}");
    Ok(())
}

/// Other lengths, too many groups, and what depends on the order.
fn refusals(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let x = reducer.upload(&[1.0_f32, 2.0, 3.0])?;
    let keys = reducer.upload(&[0_u32, 0, 1])?;
    let short = reducer.reduce(Sum, &x).groups(keys.slice(..2)?, 2).run();
    ensure!(short == Err(Error::LengthMismatch { left: 3, right: 2 }), "{short:?}");
    let refused = |text: wgpu_reduce::Result<Vec<f32>>, what: &str| -> Outcome {
        match text {
            Err(error @ Error::Unsupported { .. }) => {
                ensure!(error.to_string().contains(what), "{error} does not say {what}");
                Ok(())
            }
            other => Err(format!("{other:?} says nothing of {what}").into()),
        }
    };
    refused(reducer.reduce(Sum, &x).groups(&keys, (1 << 24) + 1).run(), "16777217 groups")?;
    refused(reducer.reduce(Mean, &x).groups(&keys, 2).run(), "but `mean_exact`")?;
    let skipping = reducer.reduce(NanMean, &x).groups(&keys, 2).run();
    let says = matches!(&skipping, Err(error) if !error.to_string().contains("mean_exact"));
    ensure!(says, "{skipping:?}");
    refused(reducer.reduce(Variance::SAMPLE, &x).groups(&keys, 2).run(), "variance of f32")?;
    refused(reducer.reduce(NormL2, &x).groups(&keys, 2).run(), "norm_l2 of f32")?;
    let tuning =
        HistogramTuning { workgroup_size: 3, ..HistogramTuning::for_weights(&reducer.caps()) };
    let wrong = reducer.reduce(Sum, &x).groups(&keys, 2).tuned(tuning).run();
    ensure!(matches!(wrong, Err(Error::InvalidTuning { .. })), "{wrong:?}");
    let output = reducer.alloc::<f32>(1)?;
    let small = reducer.reduce(Sum, &x).groups(&keys, 2).output(&output).run();
    ensure!(small == Err(Error::InvalidRange { start: 0, end: 2, len: 1 }), "{small:?}");
    let over = reducer.reduce(Sum, &x).groups(&keys, 2).output(&x).run();
    ensure!(matches!(over, Err(Error::InvalidBuffer { .. })), "{over:?}");
    let words = reducer.upload(&[1_u32, 2, 3])?;
    let over_keys = reducer.reduce(NormMax, &words).groups(&keys, 2).output(&keys).run();
    ensure!(matches!(over_keys, Err(Error::InvalidBuffer { .. })), "{over_keys:?}");
    let pairs = reducer.reduce(Dot, (&x, &x)).groups(&keys, 2).run();
    ensure!(matches!(pairs, Err(Error::Unsupported { .. })), "{pairs:?}");
    Ok(())
}
