//! Order statistics, against the CPU's sorted elements.

use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{
    Outcome, Rig, Shape, Special, TestElement, ensure, in_turn, on_every_rig, on_rigs,
    one_rig_of_each_adapter, quickest_rigs,
};
use crate::histogram::LIKE_GPUS;
use half::{bf16, f16};
use libtest_mimic::Trial;
use wgpu_reduce::{
    AdapterClass, ArgNth, BottomK, ElementKind, Error, Fold, GpuReducer, GpuSlice, HistogramTuning,
    Input, InterquartileRange, Located, Max, Median, Min, NanMedian, NanQuantiles, Nth, Problem,
    Quantile, QuantileMethod, Quantiles, Ranked, TopK,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let alike = [
        ("order::shapes::u8", shapes::<u8> as fn(&Rig) -> Outcome),
        ("order::shapes::i8", shapes::<i8>),
        ("order::shapes::u16", shapes::<u16>),
        ("order::shapes::i16", shapes::<i16>),
        ("order::shapes::f16", shapes::<f16>),
        ("order::shapes::bf16", shapes::<bf16>),
        ("order::shapes::u32", shapes::<u32>),
        ("order::shapes::i32", shapes::<i32>),
        ("order::shapes::f32", shapes::<f32>),
        ("order::shapes::u64", shapes::<u64>),
        ("order::shapes::i64", shapes::<i64>),
        ("order::shapes::f64", shapes::<f64>),
    ];
    let mut trials = in_turn(rigs, alike);
    for (name, test) in [
        ("order::several_buffers", several_buffers as fn(&Rig) -> Outcome),
        ("order::again", again),
        ("order::refused", refused),
    ] {
        trials.extend(on_every_rig(rigs, name, test));
    }
    let slow = [
        ("order::lengths", lengths as fn(&Rig) -> Outcome),
        ("order::tunings", tunings),
        ("order::many_ranks", many_ranks),
        ("order::numbers", numbers),
    ];
    let slow = slow.into_iter().flat_map(|(name, test)| on_every_rig(rigs, name, test));
    trials.extend(one_rig_of_each_adapter(rigs, slow.collect()));
    trials.extend(on_rigs(&quickest_rigs(rigs), "order::long", long));
    for (name, test) in [
        ("order::kept::f32", kept::<f32> as fn(&Rig) -> Outcome),
        ("order::kept::i64", kept::<i64>),
    ] {
        trials.extend(on_rigs(&quickest_rigs(rigs), name, test));
    }
    // On a GPU a sample is taken of more.
    let mut of_cpus = quickest_rigs(rigs);
    of_cpus.retain(|rig| rig.reducer.caps().class == AdapterClass::Cpu);
    trials.extend(on_rigs(&of_cpus, "order::misled", misled));
    trials
}

/// An element as its bits, by which NaN is the same as itself.
pub(crate) fn bits<T: bytemuck::Pod>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

/// Compares ranks and quantiles of an input with those of its sorted `values`.
fn check<'a, T: TestElement + Ranked<Figure: bytemuck::Pod>>(
    rig: &Rig,
    input: impl Input<'a, Item = T> + Clone,
    values: &[T],
    tuning: Option<HistogramTuning>,
    case: usize,
) -> Outcome {
    let what = format!("{} of {}, {tuning:?}", values.len(), T::KIND);
    let last = values.len() as u64 - 1;
    for rank in [0, last / 3, last] {
        let request = rig.reducer.reduce(Nth { rank }, input.clone());
        let element = match tuning {
            Some(tuning) => request.tuned(tuning).run()?,
            None => request.run()?,
        };
        let expected = Nth { rank }.on_cpu(values)?;
        ensure!(
            bits(&[element]) == bits(&[expected]),
            "{what}: {element:?} of rank {rank}, not {expected:?}"
        );
    }
    let quantiles = Quantiles::new([0.5, 0.0, 0.123, 1.0, 0.9, 0.5]);
    let request = rig.reducer.reduce(quantiles.clone(), input.clone());
    let found = match tuning {
        Some(tuning) => request.tuned(tuning).run()?,
        None => request.run()?,
    };
    let expected = quantiles.on_cpu(values)?;
    ensure!(bits(&found) == bits(&expected), "{what}: {found:?}, not {expected:?}");
    // Pipelines for another tuning take long to make; some tunings are tried below.
    if tuning == Some(LIKE_GPUS) {
        return Ok(());
    }
    check_located(rig, input, values, tuning, case)
}

fn run<'a, T, F: Fold<T>>(
    reducer: &GpuReducer,
    (fold, input): (F, impl Input<'a, Item = T>),
    tuning: Option<HistogramTuning>,
) -> Result<F::Output, Error> {
    let request = reducer.reduce(fold, input);
    match tuning {
        Some(tuning) => request.tuned(tuning).run(),
        None => request.run(),
    }
}

/// Indices and elements.
pub(crate) fn located_bits<T: bytemuck::Pod>(all: &[Located<T>]) -> Vec<(u64, Vec<u8>)> {
    all.iter().map(|located| (located.index, bits(&[located.value]))).collect()
}

/// Compares elements at an end, or one of a rank, with those of a stable sort. There are five cases.
fn check_located<'a, T: TestElement + Ranked>(
    rig: &Rig,
    input: impl Input<'a, Item = T>,
    values: &[T],
    tuning: Option<HistogramTuning>,
    case: usize,
) -> Outcome {
    let (reducer, len) = (&rig.reducer, values.len() as u64);
    let (found, expected) = match case % 5 {
        0 | 1 => {
            let top = TopK { k: if case.is_multiple_of(5) { (len / 3).min(4000) } else { 1 } };
            (run(reducer, (top, input), tuning)?, top.on_cpu(values)?)
        }
        2 | 3 => {
            let bottom = BottomK { k: len.min(if case % 5 == 2 { 10 } else { 4000 }) };
            (run(reducer, (bottom, input), tuning)?, bottom.on_cpu(values)?)
        }
        _ => {
            let nth = ArgNth { rank: len / 2 };
            (vec![run(reducer, (nth, input), tuning)?], vec![nth.on_cpu(values)?])
        }
    };
    let (found, expected) = (located_bits(&found), located_bits(&expected));
    let differing = found.iter().zip(&expected).find(|(found, expected)| found != expected);
    ensure!(
        found.len() == expected.len() && differing.is_none(),
        "{len} of {}, {tuning:?}, case {case}: {} come, {differing:?}",
        T::KIND,
        found.len()
    );
    Ok(())
}

/// `values` behind so many elements that spoil what they get into, and before as many.
pub(crate) fn check_within<T: TestElement + Ranked<Figure: bytemuck::Pod>>(
    rig: &Rig,
    values: &[T],
    before: usize,
    tuning: Option<HistogramTuning>,
) -> Outcome {
    let poison = vec![T::poison(); before];
    let buffer = rig.reducer.upload(&[&poison, values, &poison].concat())?;
    let slice = buffer.slice(before as u64..(before + values.len()) as u64)?;
    check(rig, slice, values, tuning, before)
}

fn shapes<T: TestElement + Ranked<Figure: bytemuck::Pod>>(rig: &Rig) -> Outcome
where
    Min: Fold<T, Output = T>,
    Max: Fold<T, Output = T>,
{
    let ordinary = Shape::ALL.map(|shape| T::data(shape, 3001));
    let special = Special::ALL.iter().filter_map(|special| special.data(1003));
    for (number, values) in ordinary.into_iter().chain(special).enumerate() {
        check_within(rig, &values, number % 5, (number % 2 == 0).then_some(LIKE_GPUS))?;
    }
    // Another kernel's extremes.
    let values = T::data(Shape::Random, 1003);
    let input = rig.reducer.upload(&values)?;
    let [least, most] = [0, 1002].map(|rank| rig.reducer.reduce(Nth { rank }, &input));
    let found = [least.run()?, most.run()?];
    let ends = [rig.reducer.reduce(Min, &input).run()?, rig.reducer.reduce(Max, &input).run()?];
    ensure!(bits(&found) == bits(&ends), "{found:?}, not {ends:?}");
    for every in [1, 3, 1003] {
        check_numbers(rig, &with_nan(&values, every), QuantileMethod::Linear, every)?;
    }
    for values in Special::ALL.iter().filter_map(|special| special.data(303)) {
        check_numbers::<T>(rig, &values, QuantileMethod::Linear, 1)?;
    }
    Ok(())
}

/// A NaN in place of every so many elements, if there is one.
pub(crate) fn with_nan<T: Ranked>(values: &[T], every: usize) -> Vec<T> {
    let replaced = |(index, &value): (usize, &T)| match T::NAN {
        Some(nan) if index % every == every / 2 => nan,
        _ => value,
    };
    values.iter().enumerate().map(replaced).collect()
}

fn without_nan<T: Ranked>(values: &[T]) -> Vec<T> {
    let is_nan = |value: &&T| T::NAN.is_some_and(|nan| value.order(&nan).is_eq());
    values.iter().filter(|value| !is_nan(value)).copied().collect()
}

/// Compares quantiles of numbers with those of what is left without NaN.
pub(crate) fn check_numbers<T: TestElement + Ranked<Figure: bytemuck::Pod>>(
    rig: &Rig,
    values: &[T],
    method: QuantileMethod,
    before: usize,
) -> Outcome {
    let poison = vec![T::poison(); before];
    let buffer = rig.reducer.upload(&[&poison, values, &poison].concat())?;
    let input = buffer.slice(before as u64..(before + values.len()) as u64)?;
    let shares = [0.9, 0.0, 0.25, 0.5, 1.0, 0.123];
    let of_numbers = NanQuantiles::new(shares).method(method);
    let found = rig.reducer.reduce(of_numbers.clone(), input).run()?;
    let numbers = without_nan(values);
    let what = format!("{} numbers of {} {}, {method:?}", numbers.len(), values.len(), T::KIND);
    let of_all = Quantiles::new(shares).method(method);
    let expected = of_all.on_cpu(if numbers.is_empty() { values } else { &numbers })?;
    ensure!(bits(&found) == bits(&expected), "{what}: {found:?}, not {expected:?}");
    ensure!(bits(&of_numbers.on_cpu(values)?) == bits(&expected), "{what}: on the CPU");
    Ok(())
}

/// Every method, where the place of a quantile is whole and where it is not.
fn numbers(rig: &Rig) -> Outcome {
    for method in QuantileMethod::ALL {
        for (len, every) in [(1, 2), (2, 2), (3, 2), (9, 4), (11, 11), (41, 40), (1001, 3)] {
            let values = f32::data(Shape::Random, len);
            check_numbers(rig, &with_nan(&values, every), method, 1)?;
        }
    }
    let shares: Vec<_> = (0..=250_u32).rev().map(|number| f64::from(number) / 250.0).collect();
    let values = with_nan(&f64::data(Shape::Random, 1503), 2);
    let input = rig.reducer.upload(&values)?;
    let of_numbers = NanQuantiles::new(shares).method(QuantileMethod::Weibull);
    let found = rig.reducer.reduce(of_numbers.clone(), &input).run()?;
    ensure!(bits(&found) == bits(&of_numbers.on_cpu(&values)?), "many");
    let none = rig.reducer.reduce(NanMedian, input.slice(..0)?).run();
    ensure!(none == Err(Error::Empty { operation: "nan_median" }), "{none:?}");
    let buffers = [rig.reducer.upload(&values[..700])?, rig.reducer.upload(&values[700..])?];
    let slices = buffers.each_ref().map(GpuSlice::from);
    let median = rig.reducer.reduce(NanMedian, &slices).run()?;
    let expected = NanMedian.on_cpu(&values)?;
    ensure!(median.to_bits() == expected.to_bits(), "{median}, not {expected}");
    let of_integers = rig.reducer.upload(&[3_u8, 1, 9])?;
    let median = rig.reducer.reduce(NanMedian, &of_integers).run()?;
    ensure!(median.to_bits() == 3.0_f64.to_bits(), "{median}");
    Ok(())
}

fn lengths(rig: &Rig) -> Outcome {
    for len in [1, 2, 3, 5, 15, 16, 17, 31, 63, 64, 255, 1023, 1025, 4099] {
        for before in [0, 1, 7] {
            check_within(rig, &u8::data(Shape::Random, len), before, None)?;
        }
    }
    for len in [1, 2, 3, 4, 5, 7, 255, 4099] {
        for before in 0..5 {
            check_within(rig, &f32::data(Shape::Random, len), before, None)?;
        }
        check_within(rig, &i64::data(Shape::Random, len), 1, Some(LIKE_GPUS))?;
    }
    Ok(())
}

fn tunings(rig: &Rig) -> Outcome {
    let values = f32::data(Shape::Random, 30_007);
    for (workgroup_size, max_workgroups, loads_in_flight, copies) in
        [(1, 5, 4, 1), (32, 7, 4, 4), (64, 1000, 1, 0), (128, 2, 4, 8)]
    {
        let tuning = HistogramTuning { workgroup_size, max_workgroups, loads_in_flight, copies };
        check_within(rig, &values, 3, Some(tuning))?;
    }
    Ok(())
}

/// So many that digits are short, and equal ones that share counters.
fn many_ranks(rig: &Rig) -> Outcome {
    let shares: Vec<_> = (0..=500_u32).map(|number| f64::from(number) / 500.0).collect();
    for values in [f32::data(Shape::Random, 5000), vec![2.5; 100], f32::data(Shape::Tiny, 64)] {
        let input = rig.reducer.upload(&values)?;
        let quantiles = Quantiles::new(shares.clone()).method(QuantileMethod::Hazen);
        let found = rig.reducer.reduce(quantiles.clone(), &input).run()?;
        ensure!(bits(&found) == bits(&quantiles.on_cpu(&values)?), "of {}", values.len());
    }
    Ok(())
}

fn several_buffers(rig: &Rig) -> Outcome {
    let values = u16::data(Shape::Random, 3 * (TIGHT_BINDING_BYTES / 2 + 77));
    let (first, second) = values.split_at(1001);
    let buffers = [rig.reducer.upload(first)?, rig.reducer.upload(second)?];
    let slices = buffers.each_ref().map(GpuSlice::from);
    check(rig, &slices, &values, None, 2)?;
    check_located(rig, &slices, &values, None, 4)
}

/// Prepared requests, many at once and with the GPU's time.
fn again(rig: &Rig) -> Outcome {
    let values = i32::data(Shape::Random, 4001);
    let input = rig.reducer.upload(&values)?;
    let median = rig.reducer.reduce(Median, &input).prepare()?;
    let expected = Median.on_cpu(&values)?;
    for _ in 0..3 {
        ensure!(median.run()?.to_bits() == expected.to_bits(), "{expected}");
    }
    rig.reducer.write(&input, &[7; 4001])?;
    ensure!(median.run()?.to_bits() == 7.0_f64.to_bits(), "{:?}", median.run());
    rig.reducer.write(&input, &values)?;
    let range = rig.reducer.reduce(InterquartileRange, &input).run()?;
    let of_host = InterquartileRange.on_cpu(&values)?;
    ensure!(range.to_bits() == of_host.to_bits(), "{range}, not {of_host}");
    let batch = [0, 1000, 4000].map(|rank| rig.reducer.reduce(Nth { rank }, &input));
    let found = rig.reducer.batch(batch).run()?;
    for (found, rank) in found.iter().zip([0, 1000, 4000]) {
        ensure!(*found == Nth { rank }.on_cpu(&values)?, "{found} of rank {rank}");
    }
    let timed = rig.reducer.reduce(Median, &input).timed().run()?;
    ensure!(timed.value.to_bits() == expected.to_bits(), "{timed:?}");
    Ok(())
}

fn refused(rig: &Rig) -> Outcome {
    let input = rig.reducer.upload(&[1.0_f32, 2.0, 3.0])?;
    let none = rig.reducer.reduce(Median, input.slice(..0)?).run();
    ensure!(none == Err(Error::Empty { operation: "median" }), "{none:?}");
    let beyond = rig.reducer.reduce(Nth { rank: 3 }, &input).run();
    let what = "3 elements have no rank 3, counted from 0".to_owned();
    ensure!(beyond == Err(Error::InvalidRank { what }), "{beyond:?}");
    for q in [-0.1, 1.000_1, f64::NAN, f64::INFINITY] {
        let quantile = Quantile { q, method: QuantileMethod::Linear };
        let found = rig.reducer.reduce(quantile, &input).run();
        ensure!(matches!(found, Err(Error::InvalidRank { .. })), "{q}: {found:?}");
    }
    let nothing = rig.reducer.reduce(Quantiles::new([]), &input).run()?;
    ensure!(nothing.is_empty(), "{nothing:?}");
    let more = rig.reducer.reduce(TopK { k: 4 }, &input).run();
    ensure!(matches!(more, Err(Error::InvalidRank { .. })), "{more:?}");
    let none = rig.reducer.reduce(BottomK { k: 0 }, &input).run()?;
    ensure!(none.is_empty(), "{none:?}");
    let shares: Vec<_> =
        (0..1 << 14).map(|number| f64::from(number) / f64::from(1 << 14)).collect();
    let long = rig.reducer.upload(&i16::data(Shape::Random, 1 << 14))?;
    let many = rig.reducer.reduce(Quantiles::new(shares), &long).run();
    ensure!(matches!(many, Err(Error::Unsupported { .. })), "{:?}", many.map(|many| many.len()));
    Ok(())
}

/// Of many elements: spread, in order, equal, with equal beginnings.
fn long(rig: &Rig) -> Outcome {
    const LEN: u32 = 1 << 20;
    let of = |make: fn(u32) -> f32| (0..LEN).map(make).collect::<Vec<_>>();
    #[expect(clippy::cast_precision_loss, reason = "test data")]
    let all = [
        f32::data(Shape::Random, LEN.into()),
        of(|index| index as f32),
        of(|_| -1.5),
        of(|index| f32::from_bits(0x3f80_0000 | (index.wrapping_mul(0x9e37_79b1) >> 20))),
    ];
    for (number, values) in all.into_iter().enumerate() {
        check_within(rig, &values, 2 * number % 5, None)?;
    }
    Ok(())
}

/// Of so many elements that those between bounds are kept, in buffers of which one is tiny.
fn kept<T: TestElement + Ranked<Figure: bytemuck::Pod>>(rig: &Rig) -> Outcome {
    let len = match rig.reducer.caps().class {
        AdapterClass::Cpu => (1 << 20) + 5,
        _ => (1 << 22) + 5,
    };
    let plan = Problem::new::<T, _>(&Median, T::KIND, len);
    let plan = plan.plan(&rig.reducer.caps())?.to_string();
    ensure!(plan.contains("sampled keys"), "{plan}");
    let values = T::data(Shape::Random, len);
    let parts = [&values[..3], &values[3..300_000], &values[300_000..]];
    let buffers = parts.map(|part| rig.reducer.upload(part));
    let [first, second, third] = buffers;
    let buffers = [first?, second?, third?];
    let slices = buffers.each_ref().map(GpuSlice::from);
    check(rig, &slices, &values, None, 4)?;
    check_located(rig, &slices, &values, None, 0)
}

/// Of as many elements a sample is taken, which has this one, as `shaders/order/sample.wgsl` chooses it.
const fn is_sampled(index: u32) -> bool {
    const STEP: u32 = 4;
    let (quad, number) = (index / 4, index / 4 / STEP);
    let bits = number.wrapping_mul(0x9e37_79b1);
    let bits = (bits ^ (bits >> 15)).wrapping_mul(0x85eb_ca77);
    let bits = bits ^ (bits >> 13);
    quad == number * STEP + bits % STEP && index % 4 == (bits >> 28) % 4
}

/// Of many elements whose sample is another than they are: no rank is within its bounds, or all elements are between them, or only equal
/// ones are.
fn misled(rig: &Rig) -> Outcome {
    const LEN: u32 = 1 << 20;
    let of = |sampled: fn(u32) -> u32, others: fn(u32) -> u32| {
        let element = |index| if is_sampled(index) { sampled(index) } else { others(index) };
        (0..LEN).map(element).collect::<Vec<_>>()
    };
    let spread = |index: u32| index.wrapping_mul(0x9e37_79b1);
    let between = |index: u32| (1 << 31) + index % 1009;
    let ends = |index: u32| if index < LEN / 2 { 0 } else { u32::MAX };
    let plan = Problem::new::<u32, _>(&Nth { rank: 0 }, ElementKind::U32, LEN.into());
    let plan = plan.plan(&rig.reducer.caps())?.to_string();
    ensure!(plan.contains("sampled keys"), "{plan}");
    for values in [of(|_| 0, spread), of(spread, between), of(ends, ends)] {
        let mut keys: Vec<_> = (0..).zip(&values).map(|(index, value)| (*value, index)).collect();
        keys.sort_unstable();
        let located = |(value, index): (u32, u32)| Located { index: index.into(), value };
        let input = rig.reducer.upload(&values)?;
        for rank in [0, LEN / 2 - 1, LEN / 2, LEN - 1] {
            let expected = located(keys[rank as usize]);
            let found = rig.reducer.reduce(ArgNth { rank: rank.into() }, &input).run()?;
            ensure!(found == expected, "{found:?}, not {expected:?}");
        }
        let quantiles = Quantiles::new([0.1, 0.3, 0.9]).method(QuantileMethod::Nearest);
        let found = rig.reducer.reduce(quantiles, &input).run()?;
        let expected = [104_858, 314_572, 943_718].map(|rank: usize| f64::from(keys[rank].0));
        ensure!(found == expected, "{found:?}, not {expected:?}");
        let bottom = rig.reducer.reduce(BottomK { k: 1000 }, &input).run()?;
        ensure!(bottom.iter().zip(&keys).all(|(found, key)| *found == located(*key)), "bottom");
        keys.sort_unstable_by_key(|(value, index)| (u32::MAX - value, *index));
        let top = rig.reducer.reduce(TopK { k: 1000 }, &input).run()?;
        ensure!(top.iter().zip(&keys).all(|(found, key)| *found == located(*key)), "top");
    }
    Ok(())
}
