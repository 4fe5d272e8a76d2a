//! What a stream runs, decided before anything touches a device.

use crate::error::Result;
use crate::op::{ElementKind, OpRecord};
use crate::plan::caps::Caps;
use crate::plan::cut::few::Few;
use crate::plan::cut::part::Part;
use crate::plan::planned::Plan;
use crate::plan::problem::Problem;
use crate::plan::shapes::chunks::levels::{Fold, LEVEL_SLOTS, Levels};
use crate::plan::shapes::whole::{Ending, append, build, lower};
use crate::plan::tuning::Tuning;

/// What all chunks of a stream have in common.
#[derive(Debug, Clone)]
pub(crate) struct StreamPlan {
    operation: &'static OpRecord,
    /// The problem of a chunk, but for its inputs.
    problem: Problem<'static>,
    caps: Caps,
    /// 1, or 2 whose elements are paired.
    inputs: usize,
    /// Elements of a full chunk, of each input.
    pub(crate) chunk_len: u64,
    /// Whether the result knows where elements stand.
    finds_indices: bool,
    accumulator_bytes: u64,
    /// The size of what the device leaves.
    output_bytes: u64,
}

impl StreamPlan {
    /// Plans chunks of so many elements of each of one input or two.
    pub(crate) fn new(
        (operation, element): (&'static OpRecord, ElementKind),
        (inputs, chunk_len): (usize, u64),
        tuning: Tuning,
        caps: &Caps,
    ) -> Result<Self> {
        let over = operation.over(element)?;
        let plan = Self {
            finds_indices: over.lifting.finds_indices(),
            accumulator_bytes: over.accumulator.size_bytes(),
            output_bytes: over.output_bytes,
            operation,
            problem: Problem::by(operation, element, 0).tuned(tuning),
            caps: *caps,
            inputs,
            chunk_len,
        };
        // What cannot be planned is told before anything comes.
        plan.chunk(plan.chunk_len, 0, 0)?;
        Ok(plan)
    }

    pub(crate) const fn output_bytes(&self) -> u64 {
        self.output_bytes
    }

    pub(crate) const fn inputs(&self) -> usize {
        self.inputs
    }

    /// Bytes from one input to the next in a chunk's buffer.
    pub(crate) const fn chunk_bytes(&self) -> u64 {
        self.chunk_len * self.problem.element.size_bytes()
    }

    /// Bytes of a level's partials.
    pub(crate) const fn level_bytes(&self) -> u64 {
        LEVEL_SLOTS as u64 * self.accumulator_bytes
    }

    /// Folds `len` elements of each input, those from `first_index` on, to a partial of the lowest level.
    pub(crate) fn chunk(&self, len: u64, first_index: u64, slot: u32) -> Result<Plan> {
        let part = |offset_bytes| Part { offset_bytes, len };
        let inputs = [0, self.chunk_bytes()].into_iter().take(self.inputs);
        let inputs = inputs.map(|offset_bytes| Few::One(part(offset_bytes))).collect();
        let problem = Problem { inputs, ..self.problem.clone() };
        // Parameters that are the same find their buffer again.
        let first_index = if self.finds_indices { first_index } else { 0 };
        let ending = Ending::Partial { first_index, slot, slots: LEVEL_SLOTS };
        lower(&problem, self.operation, ending, &self.caps)
    }

    /// Folds a level, of a stream of `len` elements.
    pub(crate) fn fold(&self, len: u64, fold: Fold) -> Result<Plan> {
        let ending = fold.slot.map_or(Ending::Result, |slot| Ending::Partial {
            first_index: 0,
            slot,
            slots: LEVEL_SLOTS,
        });
        build(&self.problem, self.operation, (len, Some(fold.count)), ending, &self.caps)
    }

    /// The passes of a chunk, and behind them those that fold what chunks leave, with the roundings of all together.
    pub(crate) fn whole(&self, len: u64) -> Result<Plan> {
        let chunks = len.div_ceil(self.chunk_len);
        let count = u32::try_from(chunks).unwrap_or(LEVEL_SLOTS).min(LEVEL_SLOTS);
        let result = self.fold(len, Fold { level: 0, count, slot: None })?;
        if chunks == 0 {
            return Ok(self.of_len(result, len));
        }
        let mut whole = self.chunk(self.chunk_len.min(len), 0, 0)?;
        let rest = len % self.chunk_len;
        if rest > 0 {
            whole.roundings = self.chunk(rest, 0, 0)?.roundings.max(whole.roundings);
        }
        whole.roundings += Levels::depth(chunks) * result.roundings;
        if Levels::depth(chunks) > 1 {
            append(&mut whole, self.fold(len, Fold { level: 0, count, slot: Some(0) })?);
        }
        append(&mut whole, result);
        Ok(self.of_len(whole, len))
    }

    /// A plan that stands for that of so many elements.
    fn of_len(&self, plan: Plan, len: u64) -> Plan {
        let input_bytes = plan.element.size_bytes().saturating_mul(self.inputs as u64);
        Plan { len, input_bytes: input_bytes.saturating_mul(len), ..plan }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fold, LEVEL_SLOTS, Levels, StreamPlan};
    use crate::error::Error;
    use crate::op::element::ElementKind;
    use crate::op::{ArgMin, OpRecord, Operation, Stats, Sum, SumExact};
    use crate::plan::caps::{Caps, SubgroupSizes};
    use crate::plan::followed::assert_within;
    use crate::plan::limits::tests::{anything, devices};
    use crate::plan::planned::Plan;
    use crate::plan::planners::{WholePass, constant};
    use crate::plan::recording::{ElementsParameters, Parameters as _, Place};
    use crate::plan::shapes::chunks::options::StreamOptions;
    use crate::plan::tuning::Tuning;
    use crate::shader::variant::Sink;
    use proptest::prelude::*;

    const CHUNK_LEN: u64 = 1 << 20;

    fn plan(operation: &'static OpRecord, inputs: usize) -> Result<StreamPlan, Error> {
        let caps = Caps::baseline();
        let tuning = Tuning::for_len(&caps, ElementKind::F32, CHUNK_LEN);
        StreamPlan::new((operation, ElementKind::F32), (inputs, CHUNK_LEN), tuning, &caps)
    }

    /// What an index behind a binding is added to.
    fn base(plan: &Plan) -> u64 {
        let told = ElementsParameters::of(&plan.passes()[0].dispatches[0].parameters);
        u64::from(told.base_high) << 32 | u64::from(told.base_low)
    }

    #[test]
    fn indices_count_from_the_first_element_of_all() {
        let argmin = plan(Operation::<f32>::record(&ArgMin), 1).unwrap();
        let first_index = (7 << 32) + 5 * CHUNK_LEN;
        assert_eq!(base(&argmin.chunk(100, first_index, 3).unwrap()), first_index);
        // Chunks of other operations all have the same parameters, but for the slot.
        let sum = plan(Operation::<f32>::record(&Sum), 1).unwrap();
        assert_eq!(base(&sum.chunk(100, first_index, 3).unwrap()), 0);
    }

    fn goes_far(plan: &Plan) -> bool {
        let told: Vec<_> = plan.passes().iter().filter_map(|pass| constant(pass, "FAR")).collect();
        assert!(!told.is_empty() && told.iter().all(|far| *far == told[0]), "{plan}");
        told[0] == 1
    }

    #[test]
    fn what_may_have_an_index_of_two_words_goes_far() {
        let mut stats = plan(Operation::<f32>::record(&Stats::default()), 1).unwrap();
        stats.caps.subgroups = Some(SubgroupSizes { min: 32, max: 32 });
        let words = u64::from(u32::MAX);
        for (first_index, is_far) in
            [(0, false), (words - 100, false), (words - 99, true), (1 << 32, true), (7 << 32, true)]
        {
            assert_eq!(
                goes_far(&stats.chunk(100, first_index, 3).unwrap()),
                is_far,
                "{first_index}"
            );
        }
        // Nothing is known of the indices in partials.
        let fold = Fold { level: 0, count: 200, slot: None };
        assert!(goes_far(&stats.fold(1 << 40, fold).unwrap()));
    }

    #[test]
    fn a_chunk_ends_in_one_partial() {
        let sum = plan(Operation::<f32>::record(&Sum), 1).unwrap();
        for len in [1, 1000, CHUNK_LEN] {
            let passes = WholePass::all(&sum.chunk(len, 0, 100).unwrap());
            let last = passes.last().unwrap();
            assert_eq!((last.target, last.variant.sink), (Place::Output, Sink::Partials));
            assert_eq!(last.dispatches.len(), 1);
            assert_eq!((last.dispatches[0].workgroups, &last.target_bytes), (1, &(0..512)));
            assert!(last.dispatches[0].parameters.contains(&100));
        }
    }

    #[test]
    fn roundings_grow_with_the_levels_alone() {
        let sum = plan(Operation::<f32>::record(&Sum), 1).unwrap();
        let of_chunks = |chunks: u64| sum.whole(chunks * CHUNK_LEN).unwrap();
        let roundings = [1, 127, 128, 16_383, 16_384].map(|chunks| of_chunks(chunks).roundings);
        let [one, most, two_levels, still, three_levels] = roundings;
        assert!(one <= most && most < two_levels && still == two_levels && still < three_levels);
        assert!(three_levels < 100, "{three_levels}");
        assert_eq!(of_chunks(16_384).len, 16_384 * CHUNK_LEN);
        assert!(sum.whole(CHUNK_LEN + 3).unwrap().roundings >= one);
        let empty = sum.whole(0).unwrap();
        assert_eq!((empty.len, empty.passes().len()), (0, 1));
        let argmin = plan(Operation::<f32>::record(&ArgMin), 1).unwrap();
        assert_eq!(argmin.whole(0).unwrap_err(), Error::Empty { operation: "argmin" });
    }

    /// A chunk that ends within a quad has more than a longer one that does not.
    #[test]
    fn a_whole_plan_has_the_roundings_of_its_worst_chunk_and_of_each_level() {
        let sum = plan(Operation::<f32>::record(&Sum), 1).unwrap();
        let of_chunk = |len| sum.chunk(len, 0, 0).unwrap().roundings;
        assert!(of_chunk(CHUNK_LEN - 1) > of_chunk(CHUNK_LEN));
        for (len, worst) in [
            (CHUNK_LEN, CHUNK_LEN),
            (2 * CHUNK_LEN - 1, CHUNK_LEN - 1),
            (2 * CHUNK_LEN, CHUNK_LEN),
            (CHUNK_LEN + 1, CHUNK_LEN),
            (128 * CHUNK_LEN - 1, CHUNK_LEN - 1),
            (128 * CHUNK_LEN, CHUNK_LEN),
        ] {
            let chunks = len.div_ceil(CHUNK_LEN);
            let slots = u32::try_from(chunks).unwrap().min(LEVEL_SLOTS);
            let fold = |slot| sum.fold(len, Fold { level: 0, count: slots, slot }).unwrap();
            let (depth, result) = (Levels::depth(chunks), fold(None));
            let whole = sum.whole(len).unwrap();
            assert_eq!(whole.roundings, of_chunk(worst) + depth * result.roundings, "{len}");
            let between = if depth > 1 { fold(Some(0)).passes().len() } else { 0 };
            let of_chunk = sum.chunk(CHUNK_LEN.min(len), 0, 0).unwrap().passes().len();
            assert_eq!(whole.passes().len(), of_chunk + between + result.passes().len(), "{len}");
        }
        assert_eq!([127, 128].map(Levels::depth), [1, 2]);
    }

    /// The digits of more elements would overflow, and nobody would know.
    #[test]
    fn an_exact_sum_is_of_as_many_elements_as_it_has_room_for() {
        let exact = plan(Operation::<f32>::record(&SumExact), 1).unwrap();
        assert_eq!(exact.whole(1 << 42).map(|plan| plan.len), Ok(1 << 42));
        let last = Fold { level: 2, count: 64, slot: None };
        let more = (1 << 42) + 1;
        for refused in [exact.whole(more), exact.whole(u64::MAX), exact.fold(more, last)] {
            assert!(matches!(refused, Err(Error::InvalidBuffer { .. })), "{refused:?}");
        }
        let sum = plan(Operation::<f32>::record(&Sum), 1).unwrap();
        let endless = sum.whole(u64::MAX).map(|plan| (plan.len, plan.input_bytes()));
        assert_eq!(endless, Ok((u64::MAX, u64::MAX)));
    }

    /// Whatever an accumulator has, on a device whose bindings hold 64 KiB.
    #[test]
    fn small_bindings_hold_a_level() {
        let caps = Caps { max_binding_bytes: 64 << 10, ..Caps::baseline() };
        for operation in OpRecord::ALL {
            for element in ElementKind::ALL.into_iter().filter(|&kind| operation.takes(kind)) {
                let len = StreamOptions::default().chunk_len(element, 1, &caps);
                let tuning = Tuning::for_operation(&caps, operation, element, len);
                let plan = StreamPlan::new((operation, element), (1, len), tuning, &caps);
                let whole = plan.and_then(|plan| plan.whole(1000 * len));
                assert_eq!(whole.map(|plan| plan.len), Ok(1000 * len), "{operation:?} {element}");
            }
        }
    }

    #[test]
    fn operations_of_one_input_take_no_pairs() {
        assert!(matches!(
            plan(Operation::<f32>::record(&Sum), 2),
            Err(Error::WrongInputs { inputs: 2, .. })
        ));
        assert!(plan(OpRecord::PAIRS[0], 2).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// Whatever is asked for, of whatever device, the answer is a plan or an error.
        #[test]
        fn no_request_panics(
            caps in devices(),
            operation in prop::sample::select([&OpRecord::ALL[..], &OpRecord::PAIRS[..]].concat()),
            element in prop::sample::select(ElementKind::ALL.to_vec()),
            inputs in 1_usize..=2,
            bytes_in_flight in anything(&[0, 4096, 128 << 20]),
            len in anything(&[0, 1, 1 << 20, 1 << 40]),
        ) {
            let options = StreamOptions::new(bytes_in_flight);
            let chunk_len = options.chunk_len(element, inputs as u64, &caps);
            prop_assert!(chunk_len > 0);
            let tuning = Tuning::for_operation(&caps, operation, element, chunk_len);
            let plan = StreamPlan::new((operation, element), (inputs, chunk_len), tuning, &caps);
            if let Ok(plan) = plan.and_then(|plan| plan.whole(len)) {
                prop_assert_eq!(plan.len, len);
                let bytes = u128::from(len) * inputs as u128 * u128::from(element.size_bytes());
                prop_assert_eq!(u128::from(plan.input_bytes()), bytes.min(u64::MAX.into()));
                let said = format!("reads {} bytes", plan.input_bytes());
                prop_assert!(plan.to_string().contains(&said), "{}", plan);
                prop_assert!(plan.accuracy().error_bound(1.0) >= 0.0);
                assert_within(&plan.recording, &caps);
            }
        }
    }
}
