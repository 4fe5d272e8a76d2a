//! Plans of histograms of all kinds on devices of all kinds, followed on the CPU.

use crate::op::element::ElementKind;
use crate::plan::caps::{AdapterClass, Caps};
use crate::plan::cut::part::Part;
use crate::plan::cut::part::tests::parts_of;
use crate::plan::followed::LEAST_LOOP_TURNS;
use crate::plan::limits::tests::{anything, devices, low};
use crate::plan::problem::{Problem, Shape};
use crate::plan::shapes::bins::plan::counters;
use crate::plan::shapes::bins::{Bins, HistogramTuning, follow};
use proptest::prelude::*;

/// Parts of these lengths, of elements of so many bytes, the last so long that there are `len` elements.
pub(crate) fn parts(cuts: &[(u64, u64)], len: u64, size: u64) -> Vec<Part> {
    parts_of(len, cuts, 3, size)
}

/// Checks a plan: its dispatches count the input's elements in order, none twice, each in its channel.
fn check(problem: &Problem<'_>, caps: &Caps) {
    follow::check(problem, &problem.plan(caps).unwrap(), caps, caps.max_loop_turns);
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
        let workgroup_size = tuning.workgroup_size.max(32);
        let problem = Problem::in_bins(element, Shape::Bins(&bins, channels))
            .parts(vec![parts(&cuts, len, size)])
            .left(Some([24, 0, 0]), false)
            .tuned(HistogramTuning { workgroup_size, ..tuning });
        check(&problem, &caps(max_binding_bytes, u32::MAX));
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
        let problem = Problem::in_bins(element, Shape::Bins(&bins, channels))
            .parts(vec![parts(&cuts, len, element.size_bytes())])
            .tuned(HistogramTuning { workgroup_size, max_workgroups, ..tuning });
        check(&problem, &caps(max_binding_bytes, max_loop_turns));
    }
}

/// Any numbers, most of them those of tunings.
pub(crate) fn any_tuning() -> impl Strategy<Value = HistogramTuning> {
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

    /// Elements are counted once on any device with any tuning, where there is a plan.
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
        let input = parts(&cuts, len - len % u64::from(channels), element.size_bytes());
        let mut problem = Problem::in_bins(element, Shape::Bins(&bins, channels))
            .parts(vec![input])
            .left(Some([output, 0, 0]), false);
        problem.tuning = tuning.map(Into::into);
        if let Ok(plan) = problem.plan(&caps) {
            // No device is known that leaves loops earlier.
            follow::check(&problem, &plan, &caps, caps.max_loop_turns.max(LEAST_LOOP_TURNS));
        }
    }
}

/// Counters that one invocation clears take as many turns as there are of them.
#[test]
fn there_are_no_more_counters_than_a_loop_has_turns_for() {
    let bins = Bins::even(0..100, 1).unwrap();
    for (max_loop_turns, most) in [(u32::MAX, 32), (65_000, 8), (10_000, 1), (4000, 0)] {
        let caps = Caps { workgroup_storage_bytes: u32::MAX, ..caps(1 << 20, max_loop_turns) };
        let tuning = HistogramTuning {
            workgroup_size: 1,
            max_workgroups: 1,
            loads_in_flight: 1,
            copies: 32,
        };
        let problem = Problem::in_bins(ElementKind::U8, Shape::Bins(&bins, 4))
            .parts(vec![vec![Part { offset_bytes: 3, len: 4 }]])
            .tuned(tuning);
        let plan = problem.plan(&caps).unwrap();
        let constants = &plan.recording.passes[0].constants;
        let copies = constants.iter().find(|(name, _)| *name == "COPIES");
        assert_eq!(copies.map_or(0, |(_, copies)| *copies), most, "{max_loop_turns} turns");
        follow::check(&problem, &plan, &caps, max_loop_turns);
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
        let parts = [len - 5, 5].map(|len| Part { offset_bytes: 0, len });
        let bins = Bins::even(0..256, 256).unwrap();
        let problem = Problem::in_bins(ElementKind::U8, Shape::Bins(&bins, 1));
        let plan = problem.parts(vec![parts.to_vec()]).plan(&caps);
        let passes = plan.unwrap().recording.passes;
        passes[0].constants.iter().find(|(name, _)| *name == "CARRIES").map(|(_, value)| *value)
    };
    assert_eq!([(1 << 32) - 1, 1 << 32].map(carries), [Some(0), Some(1)]);
}
