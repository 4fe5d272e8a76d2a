//! Every level of the ladder, in every form, for every element type on every rig.

use crate::exact::cases::Random;
use crate::harness::data::ExactElement;
use crate::harness::rig::{DEADLINE, TIGHT_BINDING_BYTES, TIGHT_WORKGROUPS, open};
use crate::harness::{Outcome, Rig, Shape, TestElement, counts, ensure};
use libtest_mimic::{Failed, Trial};
use proptest::prelude::{Just, prop_oneof};
use proptest::test_runner::{TestCaseError, TestRunner};
use wgpu_reduce::ladder::{
    Form, Ladder, LadderElement, LadderShader, Level, MOST_REPEATS, Rounds, RunOptions,
};
use wgpu_reduce::{ElementKind, Error, GpuBuffer, GpuReducer, GpuSlice};
use wgpu_reduce_known::agrees;

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = stamp_element::<f32>(rigs);
    trials.extend(stamp_element::<i32>(rigs));
    trials.extend(stamp_element::<u32>(rigs));
    let has_subgroups =
        |rig: &&Rig| rig.reducer.caps().subgroups.is_some() && !has_tight_limits(rig);
    trials.extend(rigs.iter().filter(has_subgroups).map(|rig| {
        let name = format!("ladder::without_float_atomics [{}]", rig.name);
        Trial::test(name, || without_float_atomics(rig))
    }));
    // Under tight limits a grid is so small that levels with a workgroup for every few elements take no row
    // of several bindings.
    trials.extend(rigs.iter().filter(|rig| has_tight_limits(rig)).map(|rig| {
        let name = format!("ladder::several_bindings [{}]", rig.name);
        Trial::test(name, || several_bindings(rig))
    }));
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
            && T::KIND == ElementKind::F32
    }
}

/// Every level in every form that it has for elements of a type.
fn subjects(element: ElementKind) -> Vec<Subject> {
    let mut subjects: Vec<Subject> = Vec::new();
    for shader in LadderShader::all().filter(|shader| shader.element() == element) {
        let subject = Subject { level: shader.level(), form: shader.form() };
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    subjects
}

type Property<T> = (&'static str, fn(&Rig, Subject) -> Outcome, std::marker::PhantomData<T>);

fn stamp_element<T: Term>(rigs: &'static [Rig]) -> Vec<Trial> {
    let property = |name, test| -> Property<T> { (name, test, std::marker::PhantomData) };
    let properties = [
        property("edge_lengths", edge_lengths::<T>),
        property("offsets", offsets::<T>),
        property("random_cases", random_cases::<T>),
        property("rows", rows_of_a_matrix::<T>),
        property("one_round", one_round::<T>),
        property("sizes", sizes::<T>),
        property("long_loops", long_loops::<T>),
    ];
    let subjects = subjects(T::KIND);
    let mut trials = Vec::new();
    for rig in rigs {
        for &subject in &subjects {
            let Subject { level, form } = subject;
            let mut add = |property: &str, test: fn(&Rig, Subject) -> Outcome| {
                let name =
                    format!("ladder::{property}::{} {level} {form:?} [{}]", T::KIND, rig.name);
                let run = move || rig.judged("ladder", || test(rig, subject));
                trials.push(Trial::test(name, run));
            };
            if subject.needs_subgroups() && rig.reducer.caps().subgroups.is_none() {
                add("refused", is_refused_without_subgroups::<T>);
                continue;
            }
            for (property, test, _) in properties {
                if subject.differs(property, rig) {
                    add(property, test);
                }
            }
        }
    }
    trials
}

/// What the device lacks must be said.
fn is_refused_without_subgroups<T: Term>(rig: &Rig, subject: Subject) -> Outcome {
    let buffer = rig.reducer.upload(&[T::exact(1)])?;
    let refused = Ladder::new(&rig.reducer).sum(subject.level, &subject.options(), &buffer);
    let Err(Error::Unsupported { what, adapter }) = &refused else {
        return Err(format!("{refused:?} without subgroups").into());
    };
    let says_so = what.contains("subgroup") && *adapter == rig.reducer.adapter_label();
    ensure!(says_so, "{refused:?} without subgroups");
    Ok(())
}

impl Subject {
    fn needs_subgroups(self) -> bool {
        self.level.needs().subgroups || self.form == Form::WithinSubgroup
    }

    /// Whether a property can show something of this subject on this rig that others do not.
    fn differs(self, property: &str, rig: &Rig) -> bool {
        let is_tiled = (Level::InterleavedModulo..=Level::UnrollFull).contains(&self.level);
        match property {
            // Loops of levels 01 to 08 are as long as an option says.
            "long_loops" => !is_tiled,
            // Each size is a pipeline more; tight limits change none of them.
            "sizes" => self.level != Level::SingleThread && !has_tight_limits(rig),
            _ => true,
        }
    }
}

fn has_tight_limits(rig: &Rig) -> bool {
    rig.reducer.caps().max_workgroups_per_dimension == TIGHT_WORKGROUPS
}

/// An element type of the ladder.
pub(crate) trait Term: TestElement + ExactElement + LadderElement {}
impl<T: TestElement + ExactElement + LadderElement> Term for T {}

/// The right sum, by definition.
fn oracle<T: Term>(values: &[T]) -> T {
    values.iter().fold(T::zeroed(), |sum, &value| sum.plus(value))
}

/// How far a sum of these values may be from any other order's; 0 for integers.
#[expect(clippy::cast_precision_loss, reason = "a bound")]
fn bound<T: TestElement>(values: &[T]) -> f64 {
    let magnitudes: f64 = values.iter().map(|value| value.float().abs()).sum();
    let roundings = values.len() as f64 * f64::from(f32::EPSILON);
    2.0 * roundings * magnitudes + 2.0 * values.len() as f64 * f64::from(f32::MIN_POSITIVE)
}

/// What is summed, and how a result must compare.
#[derive(Debug, Clone, Copy)]
enum Data {
    /// Small whole numbers: the sum is exact in any order.
    Exact,
    /// Data of this shape: within the bound of any order.
    Shaped(Shape),
}

impl Data {
    const ALL: [Self; 6] = [
        Self::Exact,
        Self::Shaped(Shape::Constant),
        Self::Shaped(Shape::Random),
        Self::Shaped(Shape::Extreme),
        Self::Shaped(Shape::Cancelling),
        Self::Shaped(Shape::Tiny),
    ];

    fn values<T: Term>(self, len: u64) -> Vec<T> {
        match self {
            Self::Exact => (0..len).map(T::exact).collect(),
            Self::Shaped(shape) => T::data(shape, len),
        }
    }

    fn check<T: Term>(self, sum: T, values: &[T], what: &str) -> Outcome {
        let expected = oracle(values);
        let right = match self {
            Self::Exact => sum == expected,
            Self::Shaped(_) => agrees(sum.distance(expected), 0.0, bound(values)),
        };
        ensure!(right, "{what}, {} of {self:?}: {sum:?} is not {expected:?}", values.len());
        Ok(())
    }
}

/// `values` between poisoned neighbours.
fn upload<T: Term>(rig: &Rig, values: &[T], before: usize) -> Result<GpuBuffer<T>, Error> {
    let mut padded = vec![T::poison(); before];
    padded.extend_from_slice(values);
    padded.resize(padded.len() + 5, T::poison());
    rig.reducer.upload(&padded)
}

/// Whether the grid that a level takes for `slice` is more than this rig's dispatch may have; the
/// call must then say so.
fn is_refused<T: Term>(
    rig: &Rig,
    subject: Subject,
    options: &RunOptions,
    slice: GpuSlice<'_, T>,
    rows: u32,
) -> Result<bool, Error> {
    match Ladder::new(&rig.reducer).plan(subject.level, options, slice, rows) {
        Ok(_) => Ok(false),
        Err(Error::InvalidTuning { what })
            if has_tight_limits(rig) && what.contains("workgroups") =>
        {
            Ok(true)
        }
        Err(error) => Err(error),
    }
}

/// What is summed: elements in rows, the first of them so far from the start of its buffer.
#[derive(Debug, Clone, Copy)]
struct Case {
    data: Data,
    rows: u32,
    row_length: u64,
    before: usize,
}

impl Case {
    fn of_one(data: Data, row_length: u64, before: usize) -> Self {
        Self { data, rows: 1, row_length, before }
    }
}

/// Sums every row.
fn check<T: Term>(rig: &Rig, subject: Subject, options: &RunOptions, case: Case) -> Outcome {
    check_times::<T>(1, rig, subject, options, case)
}

/// Any level in any form, on anything.
pub(crate) fn check_some<T: Term>(rig: &Rig, random: &mut Random, length: u64) -> Outcome {
    let subjects = subjects(T::KIND);
    let subject = subjects[random.below(subjects.len())];
    if subject.needs_subgroups() && rig.reducer.caps().subgroups.is_none() {
        return is_refused_without_subgroups::<T>(rig, subject);
    }
    let data = Data::ALL[random.below(Data::ALL.len())];
    let rows = [1, 1, 2, 5][random.below(4)];
    let case = Case { data, rows, row_length: length, before: random.below(40) };
    check_times::<T>(2, rig, subject, &subject.options(), case)
        .map_err(|failed| format!("{subject:?}: {}", failed.message().unwrap_or("")).into())
}

/// Sums every row so many times, by itself and repeated, always to the same unless the order of arrival counts.
fn check_times<T: Term>(
    times: u32,
    rig: &Rig,
    subject: Subject,
    options: &RunOptions,
    case: Case,
) -> Outcome {
    let Case { data, rows, row_length, before } = case;
    let values: Vec<T> = data.values(u64::from(rows) * row_length);
    let buffer = upload(rig, &values, before)?;
    let slice = buffer.slice(before as u64..(before + values.len()) as u64)?;
    if is_refused(rig, subject, options, slice, rows)? {
        return Ok(());
    }
    let run = || Ladder::new(&rig.reducer).rows(subject.level, options, slice, rows)?.wait();
    let sums = run()?.value;
    ensure!(sums.len() == rows as usize, "{} sums of {case:?}", sums.len());
    let length = usize::try_from(row_length)?;
    for (index, &sum) in sums.iter().enumerate() {
        let row = &values[index * length..(index + 1) * length];
        data.check(sum, row, &format!("row {index} of {case:?}, {options:?}"))?;
    }
    let rows_again =
        |times| Ladder::new(&rig.reducer).rows_repeated(subject.level, options, slice, rows, times);
    let too_many = rows_again(MOST_REPEATS + 1).map(|_| ());
    ensure!(matches!(too_many, Err(Error::InvalidTuning { .. })), "{too_many:?}");
    for times in 1..times {
        let again = rows_again(times)?.wait()?.value;
        ensure!(subject.may_vary::<T>() || sums == again, "{case:?}: {again:?} after {sums:?}");
    }
    Ok(())
}

/// Lengths at which something in the plan changes, and their neighbours; every shape of data.
fn edge_lengths<T: Term>(rig: &Rig, subject: Subject) -> Outcome {
    let options = RunOptions { workgroups: Some(5), ..subject.options() };
    let mut lengths = vec![0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 7919];
    let workgroup = 256;
    for edge in [64, workgroup, 2 * workgroup, 16 * workgroup, 5 * 4 * workgroup, 16_384, 50_000] {
        lengths.extend([edge - 1, edge, edge + 1]);
    }
    for (len, data) in lengths.into_iter().zip(Data::ALL.into_iter().cycle()) {
        check::<T>(rig, subject, &options, Case::of_one(data, len, (len % 5) as usize))?;
    }
    for data in Data::ALL {
        check_times::<T>(3, rig, subject, &options, Case::of_one(data, 6007, 3))?;
    }
    Ok(())
}

/// Slices from every element of a vector to every other, and past a binding's alignment.
fn offsets<T: Term>(rig: &Rig, subject: Subject) -> Outcome {
    for before in (0..5).chain([7, 63, 65, 16_383]) {
        for len in [1, 3, 4, 6, 9, 1001 + before as u64] {
            let case = Case::of_one(Data::Exact, len, before);
            check::<T>(rig, subject, &subject.options(), case)?;
        }
    }
    Ok(())
}

/// Random rows, offsets and shapes, shrunk to the smallest that fails.
fn random_cases<T: Term>(rig: &Rig, subject: Subject) -> Outcome {
    let data = proptest::sample::select(&Data::ALL[..]);
    let rows = prop_oneof![Just(1_u32), 0_u32..8];
    let strategy = (data, rows, 0_u64..9000, 0_usize..40);
    let mut runner = TestRunner::new(counts::config(12));
    let options = RunOptions { workgroups: Some(7), ..subject.options() };
    runner
        .run(&strategy, |(data, rows, row_length, before)| {
            check::<T>(rig, subject, &options, Case { data, rows, row_length, before })
                .map_err(|failed| TestCaseError::fail(failed.message().unwrap_or("").to_owned()))
        })
        .map_err(|error| Failed::from(error.to_string()))
}

/// A matrix's row sums, at shapes that start rows at every element of a vector. Where limits are
/// tight, most of them have more rows than one side of a grid.
fn rows_of_a_matrix<T: Term>(rig: &Rig, subject: Subject) -> Outcome {
    let shapes = [(0, 0), (1, 0), (7, 0), (5, 1), (4, 2), (9, 3), (33, 65), (3, 5001), (2, 20_000)];
    for (rows, row_length) in shapes {
        let case = Case { data: Data::Exact, rows, row_length, before: 1 };
        check::<T>(rig, subject, &subject.options(), case)?;
    }
    let uneven = rig.reducer.upload(&[T::zeroed(); 7])?;
    let refused = Ladder::new(&rig.reducer).rows(subject.level, &subject.options(), &uneven, 3);
    ensure!(matches!(refused, Err(Error::InvalidBuffer { .. })), "7 elements in 3 rows");
    Ok(())
}

/// One pass, and the host adds what it leaves.
fn one_round<T: Term>(rig: &Rig, subject: Subject) -> Outcome {
    let options = RunOptions { rounds: Rounds::One, ..subject.options() };
    for (len, data) in [0, 1, 255, 257, 5000, 20_000].into_iter().zip(Data::ALL) {
        check::<T>(rig, subject, &options, Case::of_one(data, len, 2))?;
        let buffer = rig.reducer.upload(&data.values::<T>(len))?;
        if !is_refused(rig, subject, &options, GpuSlice::from(&buffer), 1)? {
            let plan = Ladder::new(&rig.reducer).plan(subject.level, &options, &buffer, 1)?;
            ensure!(plan.passes.len() == 1, "{plan}");
        }
    }
    Ok(())
}

/// Every workgroup size that the device allows, those below 64 with one input, the first that it does not, and items
/// per thread as in write-up A where the level has them.
fn sizes<T: Term>(rig: &Rig, subject: Subject) -> Outcome {
    let caps = rig.reducer.caps();
    let most = caps.max_workgroup_size.min(caps.workgroup_storage_bytes / 4).min(2048);
    let with_size =
        |size| RunOptions { workgroup_size: Some(size), workgroups: Some(3), ..subject.options() };
    for size in (1..6.min(most.ilog2())).map(|log| 1 << log) {
        check::<T>(rig, subject, &with_size(size), Case::of_one(Data::Exact, 1025, 1))?;
    }
    for size in (6..=most.ilog2()).map(|log| 1 << log) {
        for (len, data) in [(1, Data::Exact), (9000, Data::Exact), (1025, Data::ALL[2])] {
            check::<T>(rig, subject, &with_size(size), Case::of_one(data, len, 1))?;
        }
    }
    let one = rig.reducer.upload(&[T::exact(1)])?;
    let refused = Ladder::new(&rig.reducer).sum(subject.level, &with_size(2 << most.ilog2()), &one);
    ensure!(matches!(refused, Err(Error::InvalidTuning { .. })), "{refused:?} above {most}");
    if (Level::Coarsened..=Level::UnrollFull).contains(&subject.level) {
        for items in [1, 3, 32, 512] {
            let options = RunOptions { items_per_thread: Some(items), ..subject.options() };
            check::<T>(rig, subject, &options, Case::of_one(Data::Exact, 5000, 0))?;
        }
    }
    Ok(())
}

/// Few invocations with more elements than the turns that some devices let a loop take.
fn long_loops<T: Term>(rig: &Rig, subject: Subject) -> Outcome {
    let options = RunOptions { workgroup_size: Some(2), workgroups: Some(1), ..subject.options() };
    check::<T>(rig, subject, &options, Case::of_one(Data::Exact, 300_001, 1))
}

/// A row that several bindings cover, from any element on, with grids that hold it.
fn several_bindings(rig: &Rig) -> Outcome {
    let limits =
        wgpu::Limits { max_compute_workgroups_per_dimension: 32, ..rig.reducer.device().limits() };
    let options = rig.options.clone().limits(limits);
    let reducer = open(&options)?;
    let rig = rig.with(options, reducer);
    for shader in LadderShader::all().filter(|shader| shader.element() == ElementKind::I32) {
        let subject = Subject { level: shader.level(), form: shader.form() };
        let has_none = rig.reducer.caps().subgroups.is_none();
        if subject.needs_subgroups() && has_none || shader.needs_float_atomics() {
            continue;
        }
        let case = Case::of_one(Data::Exact, 3 * TIGHT_BINDING_BYTES / 4 + 7, 3);
        let buffer = upload(&rig, &case.data.values::<i32>(case.row_length), case.before)?;
        let slice = buffer.slice(3..3 + case.row_length)?;
        let plan = Ladder::new(&rig.reducer).plan(subject.level, &subject.options(), slice, 1)?;
        let first = plan.passes.first().map_or(0, |pass| pass.dispatches);
        ensure!(first > 2, "{} has {first} dispatches in its first pass", subject.level);
        check::<i32>(&rig, subject, &subject.options(), case)?;
    }
    Ok(())
}

/// Levels 14 and 15 add `f32` by compare-exchange where the device has no atomic addition. Devices
/// that have it are opened without, so that the substitute runs on each of them.
fn without_float_atomics(rig: &Rig) -> Outcome {
    let rig = if rig.reducer.caps().float_atomics { &less_float_atomics(rig)? } else { rig };
    ensure!(!rig.reducer.caps().float_atomics, "the device has float atomics");
    for level in [Level::WorkgroupAtomic, Level::SubgroupAtomic] {
        for &form in level.forms() {
            let subject = Subject { level, form };
            let (options, one) = (subject.options(), rig.reducer.upload(&[1.0_f32])?);
            let shader = Ladder::new(&rig.reducer).plan(level, &options, &one, 1)?.shader;
            let exchanges = shader.wgsl().contains("atomicCompareExchangeWeak");
            ensure!(exchanges && !shader.needs_float_atomics(), "{shader} adds otherwise");
            edge_lengths::<f32>(rig, subject)?;
            rows_of_a_matrix::<f32>(rig, subject)?;
        }
    }
    Ok(())
}

/// Opens the adapter again without that feature. There is no option for it, so it is the
/// caller's device.
fn less_float_atomics(rig: &Rig) -> Result<Rig, Failed> {
    let of_rig = rig.reducer.adapter_info();
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = of_rig.backend.into();
    let adapters = wgpu::Instance::new(descriptor).enumerate_adapters(of_rig.backend.into());
    let is_meant = |adapter: &wgpu::Adapter| adapter.get_info() == *of_rig;
    let adapter = pollster::block_on(adapters).into_iter().find(is_meant);
    let adapter = adapter.ok_or("the adapter is gone")?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: wgpu::Features::SUBGROUP,
        required_limits: adapter.limits(),
        ..Default::default()
    }))?;
    let reducer = GpuReducer::from_wgpu(device, queue)?.with_deadline(DEADLINE);
    Ok(rig.with(rig.options.clone(), reducer))
}
