//! Tables of tunings: what they find, and what they refuse.

use proptest::prelude::*;
use std::ops::RangeInclusive;
use wgpu_reduce::{
    AdapterKey, Caps, ElementKind, Error, OpRecord, TunedLengths, Tuning, TuningTable,
};

fn info() -> wgpu::AdapterInfo {
    let mut info = wgpu::AdapterInfo::new(wgpu::DeviceType::DiscreteGpu, wgpu::Backend::Vulkan);
    (info.name, info.driver, info.driver_info) = ("A GPU".into(), "driver".into(), "1.2".into());
    (info.vendor, info.device) = (0x10DE, 0x2335);
    info
}

fn tuned(element: ElementKind, lengths: RangeInclusive<u64>, tuning: Tuning) -> TunedLengths {
    TunedLengths { operation: OpRecord::ALL[0], element, lengths, tuning }
}

fn table(tunings: Vec<TunedLengths>) -> Result<TuningTable, Error> {
    TuningTable::new(AdapterKey::new(&info()), tunings)
}

fn default_tuning() -> Tuning {
    Tuning::for_len(&Caps::baseline(), ElementKind::F32, 1 << 20)
}

/// Why a table was refused.
fn refusal<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
    match outcome {
        Err(Error::InvalidTuningTable { what }) => what,
        outcome => panic!("{outcome:?}"),
    }
}

prop_compose! {
    fn any_tuning()(
        log_size in 0_u32..=8,
        max_workgroups in 1_u32..10_000,
        min_quads_per_invocation in 1_u32..100,
        max_partials_per_workgroup in 2_u32..100_000,
    ) -> Tuning {
        Tuning {
            workgroup_size: 1 << log_size,
            max_workgroups,
            min_quads_per_invocation,
            max_partials_per_workgroup,
            ..default_tuning()
        }
    }
}

prop_compose! {
    /// Disjoint ranges for each element, next to each other or apart, in any order.
    fn disjoint()(
        steps in prop::collection::vec(
            (
                prop::sample::select(ElementKind::ALL.to_vec()),
                prop_oneof![Just(0), 0_u64..1000],
                prop_oneof![Just(1), 1_u64..1_000_000],
                any_tuning(),
            ),
            0..40,
        ),
        start in prop_oneof![Just(0_u64), 0_u64..10, 0_u64..(u64::MAX / 2)],
    )(
        tunings in Just({
            let mut next = [start; ElementKind::ALL.len()];
            steps
                .into_iter()
                .map(|(element, gap, count, tuning)| {
                    let next = &mut next[element as usize];
                    let first = *next + gap;
                    *next = first + count;
                    tuned(element, first..=*next - 1, tuning)
                })
                .collect::<Vec<_>>()
        }).prop_shuffle(),
    ) -> Vec<TunedLengths> {
        tunings
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_length_has_the_tuning_of_its_range_and_no_other(
        tunings in disjoint(),
        others in prop::collection::vec(any::<u64>(), 20),
    ) {
        let table = table(tunings.clone()).unwrap();
        prop_assert_eq!(table.tunings().len(), tunings.len());
        let ends = tunings.iter().flat_map(|tuned| {
            let (first, last) = (*tuned.lengths.start(), *tuned.lengths.end());
            [first.saturating_sub(1), first, last, last.saturating_add(1)]
        });
        for len in ends.chain(others).chain([0, u64::MAX]) {
            for element in ElementKind::ALL {
                let found = table.for_len(OpRecord::ALL[0], element, len);
                let is_meant = |t: &&TunedLengths| t.element == element && t.lengths.contains(&len);
                let expected = tunings.iter().find(is_meant).map(|tuned| tuned.tuning);
                prop_assert_eq!(found, expected, "{} {}", len, element);
            }
        }
    }

    #[test]
    fn tables_are_sorted_and_disjoint(tunings in disjoint()) {
        let table = table(tunings).unwrap();
        for pair in table.tunings().windows(2) {
            let [one, next] = pair else { unreachable!() };
            let is_sorted = one.element < next.element
                || (one.element == next.element && one.lengths.end() < next.lengths.start());
            prop_assert!(is_sorted, "{} before {}", one, next);
        }
    }

    #[test]
    fn overlaps_are_refused(
        tunings in disjoint().prop_filter("ranges", |tunings| !tunings.is_empty()),
        which in any::<prop::sample::Index>(),
        reach in (0_u64..3, 0_u64..3),
        tuning in any_tuning(),
    ) {
        let TunedLengths { element, lengths, .. } = which.get(&tunings).clone();
        let first = lengths.start().saturating_sub(reach.0);
        let added = tuned(element, first..=lengths.start() + reach.1, tuning);
        let what = refusal(table([tunings, vec![added]].concat()));
        prop_assert!(what.starts_with("sum of ") && what.ends_with(" overlap"), "{}", what);
    }

    #[cfg(feature = "tuned")]
    #[test]
    fn json_keeps_everything(tunings in disjoint()) {
        let table = table(tunings).unwrap();
        let json = table.to_json().unwrap();
        prop_assert_eq!(TuningTable::from_json(&json).unwrap(), table);
    }

    #[cfg(feature = "tuned")]
    #[test]
    fn no_text_panics(text in ".{0,200}", cut in any::<prop::sample::Index>()) {
        let _ = refusal(TuningTable::from_json(&text));
        let json = table(vec![tuned(ElementKind::F32, 1..=2, default_tuning())]).unwrap();
        let json = json.to_json().unwrap();
        let _ = refusal(TuningTable::from_json(&json[..cut.index(json.len())]));
    }
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "it is what is refused")]
fn empty_ranges_are_refused() {
    let what = refusal(table(vec![tuned(ElementKind::I32, 9..=8, default_tuning())]));
    assert_eq!(what, "the range of sum of 9 to 8 i32 is empty");
}

#[test]
fn tables_are_for_one_adapter_and_driver() {
    let table = table(vec![]).unwrap();
    let caps = Caps::baseline();
    table.check(&info(), &caps).unwrap();
    let other = |change: fn(&mut wgpu::AdapterInfo)| {
        let mut info = info();
        change(&mut info);
        refusal(table.check(&info, &caps))
    };
    assert_eq!(
        other(|info| info.driver_info = "1.3".into()),
        "it is of another driver: of A GPU (Vulkan, 0x10de:0x2335) with driver 1.2, and this is \
         A GPU (Vulkan, 0x10de:0x2335) with driver 1.3"
    );
    assert!(other(|info| info.driver = "nouveau".into()).starts_with("it is of another driver: "));
    for what in [
        other(|info| info.name = "B GPU".into()),
        other(|info| info.vendor = 1),
        other(|info| info.device = 1),
        other(|info| info.backend = wgpu::Backend::Gl),
    ] {
        assert!(what.starts_with("it is of another adapter: of A GPU (Vulkan, "), "{what}");
    }
    // What says nothing of speed, or is not the adapter's own, makes no difference.
    let mut same = info();
    same.device_pci_bus_id = "0000:01:00.0".into();
    same.name = " A GPU ".into();
    table.check(&same, &caps).unwrap();
}

#[test]
fn every_tuning_must_fit_the_device() {
    let mut caps = Caps::baseline();
    let good = default_tuning();
    for (bad, part) in [
        (Tuning { workgroup_size: 100, ..good }, "100 is not a power of two"),
        (Tuning { workgroup_size: 512, ..good }, "512 is more than the device's 256"),
        (Tuning { max_workgroups: 0, ..good }, "at least 1 workgroup"),
        (Tuning { min_quads_per_invocation: 0, ..good }, "0 quads"),
    ] {
        let both = vec![tuned(ElementKind::F32, 0..=8, good), tuned(ElementKind::F32, 9..=9, bad)];
        let what = refusal(table(both).unwrap().check(&info(), &caps));
        assert!(what.starts_with("sum of 9 to 9 f32: ") && what.contains(part), "{what}");
    }
    // Accumulators of integers take twice the workgroup memory.
    caps.workgroup_storage_bytes = 4 * good.workgroup_size;
    let of = |element| table(vec![tuned(element, 0..=8, good)]).unwrap();
    of(ElementKind::F32).check(&info(), &caps).unwrap();
    let what = refusal(of(ElementKind::U32).check(&info(), &caps));
    assert!(what.contains("more workgroup memory than there is"), "{what}");
}

#[cfg(feature = "tuned")]
#[test]
fn what_is_no_table_is_refused() {
    let good = table(vec![tuned(ElementKind::F32, 5..=9, default_tuning())]).unwrap();
    let json = good.to_json().unwrap();
    assert_eq!(TuningTable::from_json(&json).unwrap(), good);
    for (from, to, part) in [
        ("\"format\": 1", "\"format\": 2", "it has format 2, and this program knows 1"),
        ("\"format\": 1,", "", "missing field `format`"),
        ("\"sum\"", "\"som\"", "there is no operation \"som\""),
        ("\"f32\"", "\"f31\"", "there is no element \"f31\""),
        ("\"last_len\": 9", "\"last_len\": 4", "the range of sum of 5 to 4 f32 is empty"),
        ("\"first_len\": 5", "\"first_len\": -5", "invalid value"),
        ("\"first_len\"", "\"start\"", "unknown field `start`"),
        ("\"workgroup_size\"", "\"size\"", "unknown field `size`"),
        ("\"vendor\"", "\"seller\"", "unknown field `seller`"),
    ] {
        assert!(json.contains(from), "{json}");
        let what = refusal(TuningTable::from_json(&json.replacen(from, to, 1)));
        assert!(what.contains(part), "{what}");
    }
    let missing = std::path::Path::new("no/such/table.json");
    assert!(refusal(TuningTable::read(missing)).starts_with("no/such/table.json: "));
}
