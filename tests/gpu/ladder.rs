//! Every level of the ladder, in every form, for every element type on every rig.

use crate::harness::data::ExactElement;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure};
use libtest_mimic::Trial;
use wgpu_reduce::ladder::{Form, LadderElement, LadderShader, Level, Rounds, RunOptions};
use wgpu_reduce::{Error, GpuBuffer, GpuSlice};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp_element::<f32>(rigs);
    trials.extend(stamp_element::<i32>(rigs));
    trials.extend(stamp_element::<u32>(rigs));
    trials
}

/// What is tested: a level in one of its forms.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Subject {
    level: Level,
    form: Form,
}

impl Subject {
    fn options(self) -> RunOptions {
        RunOptions { form: self.form, ..RunOptions::default() }
    }

    /// Whether the last bits may depend on the order of arrival.
    fn may_vary<T: TestElement>(self) -> bool {
        matches!(self.level, Level::WorkgroupAtomic | Level::SubgroupAtomic)
            && T::KIND == wgpu_reduce::ElementKind::F32
    }
}

type Property<T> = (&'static str, fn(&Rig, Subject) -> Outcome, std::marker::PhantomData<T>);

fn stamp_element<T: Ladder>(rigs: &'static [Rig]) -> Vec<Trial> {
    let property = |name, test| -> Property<T> { (name, test, std::marker::PhantomData) };
    let properties = [
        property("edge_lengths", edge_lengths::<T>),
        property("rows", rows_of_a_matrix::<T>),
        property("one_round", one_round::<T>),
        property("sizes", sizes::<T>),
        property("long_loops", long_loops::<T>),
    ];
    let mut subjects: Vec<Subject> = Vec::new();
    for shader in LadderShader::all().filter(|shader| shader.element() == T::KIND) {
        let subject = Subject { level: shader.level(), form: shader.form() };
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    let mut trials = Vec::new();
    for rig in rigs {
        for &subject in &subjects {
            for (property, test, _) in properties {
                // Loops of levels 01 to 08 are as long as an option says.
                let tiled = (Level::InterleavedModulo..=Level::UnrollFull).contains(&subject.level);
                if tiled && property == "long_loops" {
                    continue;
                }
                let Subject { level, form } = subject;
                let name =
                    format!("ladder::{property}::{} {level} {form:?} [{}]", T::KIND, rig.name);
                trials.push(Trial::test(name, move || check_or_refused(rig, subject, test)));
            }
        }
    }
    trials
}

/// Runs the test where the device has what the level needs; elsewhere the call must say so.
fn check_or_refused(rig: &Rig, subject: Subject, test: fn(&Rig, Subject) -> Outcome) -> Outcome {
    if !subject.needs_subgroups() || rig.reducer.caps().subgroups.is_some() {
        return test(rig, subject);
    }
    let buffer = rig.reducer.upload(&[1_u32])?;
    let refused = rig.reducer.sum_with(subject.level, &subject.options(), &buffer);
    let says_so =
        matches!(&refused, Err(Error::Unsupported { what, .. }) if what.contains("subgroup"));
    ensure!(says_so, "{refused:?} without subgroups");
    Ok(())
}

impl Subject {
    fn needs_subgroups(self) -> bool {
        self.level.needs().subgroups || self.form == Form::WithinSubgroup
    }
}

/// An element type of the ladder.
trait Ladder: TestElement + ExactElement + LadderElement {}
impl<T: TestElement + ExactElement + LadderElement> Ladder for T {}

/// The right sum, by definition.
fn oracle<T: Ladder>(values: &[T]) -> T {
    values.iter().fold(T::zeroed(), |sum, &value| sum.plus(value))
}

/// How far a sum of these values may be from any other order's; 0 for integers.
#[expect(clippy::cast_precision_loss, reason = "a bound")]
fn bound<T: TestElement>(values: &[T]) -> f64 {
    let magnitudes: f64 = values.iter().map(|value| value.magnitude()).sum();
    let roundings = values.len() as f64 * f64::from(f32::EPSILON);
    2.0 * roundings * magnitudes + 2.0 * values.len() as f64 * f64::from(f32::MIN_POSITIVE)
}

/// Data whose sum is the same in any order, and how a result must compare.
#[derive(Debug, Clone, Copy)]
enum Data {
    /// Small whole numbers: the sum is exact.
    Exact,
    /// Of this shape: within the bound of any order.
    Shaped(Shape),
}

impl Data {
    const ALL: [Self; 3] =
        [Self::Exact, Self::Shaped(Shape::Random), Self::Shaped(Shape::Cancelling)];

    fn values<T: Ladder>(self, len: u64) -> Vec<T> {
        match self {
            Self::Exact => (0..len).map(T::exact).collect(),
            Self::Shaped(shape) => T::data(shape, len),
        }
    }

    fn check<T: Ladder>(self, sum: T, values: &[T], what: &str) -> Outcome {
        let expected = oracle(values);
        let right = match self {
            Self::Exact => sum == expected,
            Self::Shaped(_) => sum.distance(expected) <= bound(values),
        };
        ensure!(right, "{what}, {} of {self:?}: {sum:?} is not {expected:?}", values.len());
        Ok(())
    }
}

/// `values` between poisoned neighbours.
fn upload<T: Ladder>(rig: &Rig, values: &[T], before: usize) -> Result<GpuBuffer<T>, Error> {
    let mut padded = vec![T::poison(); before];
    padded.extend_from_slice(values);
    padded.resize(padded.len() + 5, T::poison());
    rig.reducer.upload(&padded)
}

/// Whether the grid that a level takes for `slice` is more than this rig's dispatch may have; the
/// call must then say so.
fn is_refused<T: Ladder>(
    rig: &Rig,
    subject: Subject,
    options: &RunOptions,
    slice: GpuSlice<'_, T>,
    rows: u32,
) -> Result<bool, Error> {
    let side = u64::from(rig.reducer.caps().max_workgroups_per_dimension);
    match rig.reducer.plan_with(subject.level, options, slice, rows) {
        Ok(_) => Ok(false),
        Err(Error::InvalidTuning { what }) if side < 100 && what.contains("workgroups") => Ok(true),
        Err(error) => Err(error),
    }
}

fn check<T: Ladder>(
    rig: &Rig,
    subject: Subject,
    options: &RunOptions,
    data: Data,
    len: u64,
    before: usize,
) -> Outcome {
    let values: Vec<T> = data.values(len);
    let buffer = upload(rig, &values, before)?;
    let slice = buffer.slice(before as u64..before as u64 + len)?;
    if is_refused(rig, subject, options, slice, 1)? {
        return Ok(());
    }
    let sum = rig.reducer.sum_with(subject.level, options, slice)?;
    data.check(sum, &values, &format!("{options:?} from element {before}"))?;
    if !subject.may_vary::<T>() {
        let again = rig.reducer.sum_with(subject.level, options, slice)?;
        ensure!(sum == again, "{len} elements: {again:?} after {sum:?}");
    }
    Ok(())
}

/// Lengths at which something in the plan changes, and their neighbours.
fn edge_lengths<T: Ladder>(rig: &Rig, subject: Subject) -> Outcome {
    let options = RunOptions { workgroups: Some(5), ..subject.options() };
    let mut lengths = vec![0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 7919];
    let workgroup = 256;
    for edge in [64, workgroup, 2 * workgroup, 16 * workgroup, 5 * 4 * workgroup, 16_384, 50_000] {
        lengths.extend([edge - 1, edge, edge + 1]);
    }
    for len in lengths {
        for (data, before) in Data::ALL.into_iter().zip([3, 0, 1 + (len % 4) as usize]) {
            check::<T>(rig, subject, &options, data, len, before)?;
        }
    }
    Ok(())
}

/// A matrix's row sums, at shapes that start rows at every element of a vector.
fn rows_of_a_matrix<T: Ladder>(rig: &Rig, subject: Subject) -> Outcome {
    let shapes = [(0, 0), (1, 0), (7, 0), (5, 1), (4, 2), (9, 3), (33, 65), (3, 5001), (2, 20_000)];
    for (rows, row_length) in shapes {
        let values: Vec<T> = Data::Exact.values(u64::from(rows) * row_length);
        let buffer = upload(rig, &values, 1)?;
        let slice = buffer.slice(1..=values.len() as u64)?;
        let options = subject.options();
        if is_refused(rig, subject, &options, slice, rows)? {
            continue;
        }
        let sums = rig.reducer.sum_rows_with(subject.level, &options, slice, rows)?.wait()?.value;
        ensure!(sums.len() == rows as usize, "{rows} rows: {} sums", sums.len());
        for (index, sum) in sums.into_iter().enumerate() {
            let length = usize::try_from(row_length)?;
            let row = &values[index * length..(index + 1) * length];
            Data::Exact.check(sum, row, &format!("row {index} of {rows} x {row_length}"))?;
        }
    }
    let uneven = rig.reducer.upload(&[T::zeroed(); 7])?;
    let refused = rig.reducer.sum_rows_with(subject.level, &subject.options(), &uneven, 3);
    ensure!(matches!(refused, Err(Error::InvalidBuffer { .. })), "7 elements in 3 rows");
    Ok(())
}

/// One pass, and the host adds what it leaves.
fn one_round<T: Ladder>(rig: &Rig, subject: Subject) -> Outcome {
    let options = RunOptions { rounds: Rounds::One, ..subject.options() };
    for len in [0, 1, 255, 257, 20_000] {
        for data in Data::ALL {
            check::<T>(rig, subject, &options, data, len, 2)?;
        }
        let buffer = rig.reducer.upload(&Data::Exact.values::<T>(len))?;
        if !is_refused(rig, subject, &options, GpuSlice::from(&buffer), 1)? {
            let plan = rig.reducer.plan_with(subject.level, &options, &buffer, 1)?;
            ensure!(plan.passes.len() == 1, "{plan}");
        }
    }
    Ok(())
}

/// Every workgroup size that the device allows from 64 on, and the items per thread of write-up A.
fn sizes<T: Ladder>(rig: &Rig, subject: Subject) -> Outcome {
    let most = rig.reducer.caps().max_workgroup_size;
    for workgroup_size in (6..=10).map(|log| 1 << log).filter(|&size| size <= most) {
        let options = RunOptions {
            workgroup_size: Some(workgroup_size),
            workgroups: Some(3),
            ..subject.options()
        };
        for len in [1, 63, 1025, 9000] {
            check::<T>(rig, subject, &options, Data::Exact, len, 1)?;
        }
    }
    for items in [1, 2, 4, 8, 32, 64, 128, 256, 512] {
        let options = RunOptions { items_per_thread: Some(items), ..subject.options() };
        check::<T>(rig, subject, &options, Data::Exact, 5000, 0)?;
    }
    Ok(())
}

/// Few invocations with more elements than the turns that some devices let a loop take.
fn long_loops<T: Ladder>(rig: &Rig, subject: Subject) -> Outcome {
    let options = RunOptions { workgroup_size: Some(2), workgroups: Some(1), ..subject.options() };
    check::<T>(rig, subject, &options, Data::Exact, 300_001, 1)
}
