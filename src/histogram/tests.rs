//! Plans of histograms: every element is counted once, in its channel, within the device's limits.

use super::keys::Method;
use super::plan::counters;
use super::{Bins, HistogramPlan, HistogramRequest, HistogramTuning};
use crate::caps::{AdapterClass, Caps};
use crate::element::ElementKind;
use crate::limits::tests::{LEAST_LOOP_TURNS, anything, assert_within, devices, low};
use crate::plan::Part;
use crate::recording::{Place, RecordedDispatch, RecordedPass, binding};
use proptest::prelude::*;
use std::ops::Range;

/// Parts of these lengths, of elements of so many bytes, the last so long that there are `len` elements.
pub(super) fn parts(cuts: &[(u64, u64)], len: u64, size: u64) -> Vec<Part> {
    let mut left = len;
    let mut parts: Vec<_> = cuts
        .iter()
        .map(|&(offset, len)| {
            let len = len.min(left);
            left -= len;
            Part { offset_bytes: offset * size, len }
        })
        .collect();
    parts.push(Part { offset_bytes: 3 * size, len: left });
    parts
}

/// What is bound: of which input, and which bytes.
pub(super) fn bound(dispatch: &RecordedDispatch, number: u32) -> (usize, Range<u64>) {
    let mut bindings = dispatch.bindings.iter();
    let bound = bindings.find(|bound| bound.binding == number).unwrap();
    let Place::Input(input) = bound.place else { panic!("{bound:?}") };
    (input, bound.bytes.clone().unwrap())
}

/// Consecutive elements of a part.
type Elements = (usize, Range<u64>);

/// What a gathering dispatch counts, from the first element to the last, as the shader does.
struct Gathered<'a> {
    dispatch: &'a RecordedDispatch,
    per_quad: u32,
}

impl Gathered<'_> {
    /// Head, whole quads, and tail, as indices behind the binding.
    fn ranges(&self) -> [Range<u32>; 3] {
        let &[head, head_count, first, end, tail, tail_count, ..] = &self.dispatch.parameters[..]
        else {
            panic!("{:?}", self.dispatch)
        };
        let quads = self.per_quad * first..self.per_quad * end;
        [head..head + head_count, quads, tail..tail + tail_count]
    }

    fn quads(&self) -> u64 {
        u64::from(self.dispatch.parameters[3] - self.dispatch.parameters[2])
    }

    fn workgroups(&self) -> u32 {
        self.dispatch.parameters[6]
    }

    /// What is added to an index for its channel.
    fn phase(&self) -> u32 {
        self.dispatch.parameters[8]
    }

    /// Turns of the loops of the invocation that takes most of them, as `shaders/histogram/gather.wgsl` has them.
    fn turns(&self, plan: &HistogramPlan, pass: &RecordedPass) -> u64 {
        let constant = |name| {
            let mut constants = pass.constants.iter();
            constants.find(|(other, _)| *other == name).map_or(0, |&(_, value)| u64::from(value))
        };
        let HistogramTuning { workgroup_size, loads_in_flight, .. } = plan.tuning;
        let (size, loads) = (u64::from(workgroup_size), u64::from(loads_in_flight));
        let edges = u64::from(plan.edges.len().next_power_of_two().ilog2());
        let is_searched = constant("METHOD") == u64::from(Method::Searched.number());
        let search = if is_searched { edges } else { 0 };
        // The words of a quad of bytes are a loop.
        let words = if self.per_quad == 16 { 4 } else { 0 };
        let of_quad = words + u64::from(self.per_quad) * search;
        let of_tile = if loads == 4 { 1 + 4 * words + 4 * (1 + of_quad) } else { 1 + of_quad };
        let tiles = self.quads().div_ceil(u64::from(self.workgroups()) * size * loads);
        let ends = self.ranges()[0].len() as u64 + self.ranges()[2].len() as u64;
        let slots = u64::from(self.dispatch.parameters[10]) * u64::from(plan.channels);
        let of_counters = match u64::from(plan.copies) {
            0 => 0,
            copies => constant("COUNTERS").div_ceil(size) + slots.div_ceil(size) * (1 + copies),
        };
        tiles * of_tile + ends.div_ceil(size) * (1 + search) + of_counters
    }
}

/// Checks what is bound, who counts, and how long that takes.
fn check_dispatch(
    gathered: &Gathered<'_>,
    plan: &HistogramPlan,
    pass: &RecordedPass,
    (caps, most_turns): (&Caps, u32),
) -> Result<(), TestCaseError> {
    let (part, bytes) = bound(gathered.dispatch, binding::SOURCE);
    prop_assert!(bytes.start.is_multiple_of(caps.storage_alignment_bytes) && bytes.end % 4 == 0);
    prop_assert!(bytes.end - bytes.start <= caps.max_binding_bytes);
    let [_, quads, _] = gathered.ranges();
    if !quads.is_empty() {
        let (of_quads, vectors) = bound(gathered.dispatch, binding::VECTORS);
        prop_assert_eq!((of_quads, vectors.start), (part, bytes.start));
        prop_assert_eq!(vectors.end - vectors.start, u64::from(quads.end / gathered.per_quad) * 16);
        prop_assert!(vectors.end <= bytes.end);
    }
    let [x, y, z] = gathered.dispatch.grid;
    let most = plan.tuning.max_workgroups;
    prop_assert!((1..=most).contains(&gathered.workgroups()) && z == 1);
    prop_assert!(x.max(y) <= caps.max_workgroups_per_dimension);
    prop_assert!(u64::from(x) * u64::from(y) >= u64::from(gathered.workgroups()));
    let turns = gathered.turns(plan, pass);
    prop_assert!(turns <= u64::from(most_turns), "{} turns of {}", turns, plan);
    Ok(())
}

/// Checks a plan: its dispatches count the input's elements in order, none twice, each in its channel.
fn check(request: &HistogramRequest) -> Result<(), TestCaseError> {
    check_plan(request, &HistogramPlan::new(request).unwrap(), request.caps.max_loop_turns)
}

fn check_plan(
    request: &HistogramRequest,
    plan: &HistogramPlan,
    most_turns: u32,
) -> Result<(), TestCaseError> {
    assert_within(&plan.recording, &request.caps);
    let HistogramRequest { element, caps, .. } = request;
    let per_quad = u32::try_from(element.per_quad()).unwrap();
    let mut counted: Vec<Elements> = Vec::new();
    let mut before = 0;
    let (_, gathering) = plan.recording.passes.split_last().unwrap();
    for pass in gathering {
        for dispatch in &pass.dispatches {
            let gathered = Gathered { dispatch, per_quad };
            check_dispatch(&gathered, plan, pass, (caps, most_turns))?;
            let (part, bytes) = bound(dispatch, binding::SOURCE);
            let first = bytes.start / element.size_bytes();
            for range in gathered.ranges().into_iter().filter(|range| !range.is_empty()) {
                let channel = (range.start + gathered.phase()) % plan.channels;
                prop_assert_eq!(u64::from(channel), before % u64::from(plan.channels));
                before += range.len() as u64;
                let [start, end] = [range.start, range.end].map(|index| first + u64::from(index));
                prop_assert!(end * element.size_bytes() <= bytes.end);
                match counted.last_mut() {
                    Some((last, of_last)) if *last == part && of_last.end == start => {
                        of_last.end = end;
                    }
                    _ => counted.push((part, start..end)),
                }
            }
        }
    }
    let expected = request.input.iter().enumerate().filter(|(_, part)| part.len > 0);
    let expected: Vec<Elements> = expected
        .map(|(number, part)| {
            let first = part.offset_bytes / element.size_bytes();
            (number, first..first + part.len)
        })
        .collect();
    prop_assert_eq!(counted, expected, "{}", plan);
    Ok(())
}

/// A device with these limits.
fn caps(max_binding_bytes: u64, max_loop_turns: u32) -> Caps {
    let mut caps = Caps::baseline();
    caps.class = AdapterClass::Gpu;
    caps.max_binding_bytes = max_binding_bytes;
    caps.max_loop_turns = max_loop_turns;
    caps.max_buffer_bytes = 1 << 40;
    caps
}

/// Counted by value, by shifts, by products, and by halving.
fn bins() -> impl Strategy<Value = Bins> {
    let even = (1_u32..1500).prop_map(|count| Bins::even(-100.0..4000.0, count).unwrap());
    let whole = (0_u32..10).prop_map(|power| Bins::even(0..1 << 10, 1 << power).unwrap());
    let uneven = (1_u32..1500).prop_map(|count| {
        let edges: Vec<_> = (0..=count).map(|edge| f64::from(edge).powi(2)).collect();
        Bins::edges(&edges).unwrap()
    });
    prop_oneof![even, whole, uneven]
}

fn tunings() -> impl Strategy<Value = HistogramTuning> {
    let sizes = prop::sample::select(vec![1_u32, 32, 64, 256]);
    let workgroups = prop::sample::select(vec![1_u32, 5, 264, 1 << 16]);
    let loads = prop::sample::select(vec![1_u32, 4]);
    let copies = prop::sample::select(vec![0_u32, 1, 8, 32]);
    (sizes, workgroups, loads, copies).prop_map(
        |(workgroup_size, max_workgroups, loads_in_flight, copies)| HistogramTuning {
            workgroup_size,
            max_workgroups,
            loads_in_flight,
            copies,
        },
    )
}

fn elements() -> impl Strategy<Value = ElementKind> {
    prop::sample::select(vec![
        ElementKind::U8,
        ElementKind::I8,
        ElementKind::I16,
        ElementKind::F16,
        ElementKind::U32,
        ElementKind::F32,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_element_is_counted_once_in_its_channel(
        pixels in prop_oneof![0_u64..20, 0_u64..3000, 0_u64..200_000],
        channels in 1_u32..5,
        cuts in prop::collection::vec((0_u64..200, 0_u64..3000), 0..4),
        (element, bins, tuning) in (elements(), bins(), tunings()),
        max_binding_bytes in prop::sample::select(vec![65_536_u64, 1 << 27]),
    ) {
        let (len, size) = (pixels * u64::from(channels), element.size_bytes());
        check(&HistogramRequest {
            element,
            input: parts(&cuts, len, size),
            channels,
            bins,
            output_offset_bytes: 24,
            tuning: HistogramTuning { workgroup_size: tuning.workgroup_size.max(32), ..tuning },
            caps: caps(max_binding_bytes, u32::MAX),
        })?;
    }

    /// Also where loops must be short.
    #[test]
    fn so_is_every_one_of_billions(
        near in prop::sample::select(vec![1_u64 << 24, 1 << 31, 1 << 32, 5 << 30]),
        more in -70_i64..70,
        channels in 1_u32..5,
        cuts in prop::collection::vec((0_u64..200, prop_oneof![0_u64..3000, 0_u64..1 << 32]), 0..3),
        (element, bins, tuning) in (elements(), bins(), tunings()),
        max_binding_bytes in prop::sample::select(vec![1_u64 << 27, 1 << 31, (1 << 32) - 4]),
        max_loop_turns in prop::sample::select(vec![65_000_u32, u32::MAX]),
    ) {
        let len = near.saturating_add_signed(more) / u64::from(channels) * u64::from(channels);
        // Fewer invocations than these take too many windows.
        let max_workgroups = tuning.max_workgroups.max(64);
        let workgroup_size = tuning.workgroup_size.max(64);
        check(&HistogramRequest {
            element,
            input: parts(&cuts, len, element.size_bytes()),
            channels,
            bins,
            output_offset_bytes: 0,
            tuning: HistogramTuning { workgroup_size, max_workgroups, ..tuning },
            caps: caps(max_binding_bytes, max_loop_turns),
        })?;
    }
}

/// Any numbers, most of them those of tunings.
pub(super) fn any_tuning() -> impl Strategy<Value = HistogramTuning> {
    let workgroups = (anything(&[32, 64, 256]), anything(&[1, 264]));
    (workgroups, anything(&[1, 4]), anything(&[0, 1, 8, 32])).prop_map(|(of, loads, copies)| {
        HistogramTuning {
            workgroup_size: low(of.0),
            max_workgroups: low(of.1),
            loads_in_flight: low(loads),
            copies: low(copies),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// The same of any device with any tuning, where there is a plan.
    #[test]
    fn elements_are_counted_once_on_any_device(
        caps in devices(),
        len in prop_oneof![0_u64..3000, anything(&[1 << 20, 1 << 31])],
        channels in 1_u32..5,
        cuts in prop::collection::vec((anything(&[0, 7, 200]), anything(&[0, 1, 3000])), 0..4),
        (element, bins, tuning) in (elements(), bins(), prop::option::of(any_tuning())),
        output in anything(&[0, 8, 24]),
    ) {
        let cuts: Vec<_> = cuts.into_iter().map(|(offset, len)| (offset >> 8, len)).collect();
        let request = HistogramRequest {
            element,
            input: parts(&cuts, len - len % u64::from(channels), element.size_bytes()),
            channels,
            bins,
            output_offset_bytes: output,
            tuning: tuning.unwrap_or_else(|| HistogramTuning::for_caps(&caps)),
            caps,
        };
        if let Ok(plan) = HistogramPlan::new(&request) {
            // No device is known that leaves loops earlier.
            check_plan(&request, &plan, caps.max_loop_turns.max(LEAST_LOOP_TURNS))?;
        }
    }
}

#[test]
fn pipelines_are_shared_by_similar_numbers_of_counters() {
    for slots in 1..5000 {
        let rounded = counters(slots);
        assert!(rounded >= u64::from(slots) && counters(slots + 1) >= rounded);
        assert!(slots < 256 || rounded <= u64::from(slots) + u64::from(slots) / 8 + 1, "{slots}");
    }
}

#[test]
fn counts_carry_where_a_word_may_be_too_little() {
    let caps = caps(1 << 32, u32::MAX);
    let carries = |len: u64| {
        let plan = HistogramPlan::new(&HistogramRequest {
            element: ElementKind::U8,
            input: vec![Part { offset_bytes: 0, len: len - 5 }, Part { offset_bytes: 0, len: 5 }],
            channels: 1,
            bins: Bins::even(0..256, 256).unwrap(),
            output_offset_bytes: 0,
            tuning: HistogramTuning::for_caps(&caps),
            caps,
        });
        let passes = plan.unwrap().recording.passes;
        passes[0].constants.iter().find(|(name, _)| *name == "CARRIES").map(|(_, value)| *value)
    };
    assert_eq!([(1 << 32) - 1, 1 << 32].map(carries), [Some(0), Some(1)]);
}
