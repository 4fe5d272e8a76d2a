//! Plans of histograms, without a GPU.

use wgpu_reduce::planners::{Counters, Shape, constant, result_bytes};
use wgpu_reduce::{
    Bins, Caps, ElementKind, Error, HistogramTuning, Part, Plan, Problem, WeightKind,
};

fn bins(count: u32) -> Bins {
    Bins::even(0..1 << 20, count).expect("they are bins")
}

/// Counts of so many elements.
fn counts(element: ElementKind, len: u64, (bins, channels): (&Bins, u32)) -> Problem<'_> {
    let problem = Problem::in_bins(element, Shape::Bins(bins, channels));
    problem.parts(vec![vec![Part { offset_bytes: 8, len }]])
}

#[test]
fn counters_have_as_many_copies_as_fit() {
    let caps = Caps::baseline();
    let copies = |element, count| {
        let plan = counts(element, 1 << 20, (&bins(count), 1)).plan(&caps).expect("it has a plan");
        constant(&plan.passes()[0], "COPIES").unwrap_or(0)
    };
    // 16 KiB, of which 256 counters take one. Of words one more than slots is needed.
    assert_eq!(copies(ElementKind::U8, 5000), 16);
    assert_eq!(copies(ElementKind::F32, 10), 32);
    assert_eq!(copies(ElementKind::F32, 4092), 1);
    assert_eq!(copies(ElementKind::F32, 4093), 0);
    // Rounded up, to share pipelines.
    assert_eq!(copies(ElementKind::F32, 100), 16);
    let tuning = HistogramTuning { copies: 0, ..HistogramTuning::for_caps(&caps) };
    let two = bins(2);
    let plan = counts(ElementKind::U8, 100, (&two, 1)).tuned(tuning).plan(&caps);
    let plan = plan.expect("it has a plan");
    assert_eq!(
        (constant(&plan.passes()[0], "COPIES"), plan.results, result_bytes(&plan)),
        (None, 5, 8)
    );
    assert!(plan.to_string().starts_with("histogram of 100 u8 elements, 2 bins"), "{plan}");
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let (caps, ten) = (Caps::baseline(), bins(10));
    let refused = |problem: &Problem<'_>| problem.plan(&caps).err();
    assert_eq!(refused(&counts(ElementKind::F64, 10, (&ten, 1))), None);
    for channels in [0, 3, 17] {
        let refused = refused(&counts(ElementKind::U8, 10, (&ten, channels)));
        assert!(matches!(refused, Some(Error::InvalidView { .. })), "{channels}");
    }
    let narrow = Bins::even(1.0..1.000_001, 1000).expect("they are bins");
    let narrow = refused(&counts(ElementKind::F32, 10, (&narrow, 1)));
    assert!(matches!(narrow, Some(Error::InvalidBins { .. })));
    let most = bins(Bins::MOST);
    let many = counts(ElementKind::U32, 10, (&most, 1));
    assert_eq!(refused(&many), None);
    let mut small = caps;
    small.max_binding_bytes = 1 << 20;
    assert!(matches!(many.plan(&small), Err(Error::Unsupported { .. })));
    let default = HistogramTuning::for_caps(&caps);
    for tuning in [
        HistogramTuning { workgroup_size: 48, ..default },
        HistogramTuning { workgroup_size: 512, ..default },
        HistogramTuning { max_workgroups: 0, ..default },
        HistogramTuning { loads_in_flight: 2, ..default },
        HistogramTuning { copies: 3, ..default },
    ] {
        let refused = refused(&counts(ElementKind::U8, 10, (&ten, 1)).tuned(tuning));
        assert!(matches!(refused, Some(Error::InvalidTuning { .. })), "{tuning}");
    }
}

/// One weight, and all others.
fn weights(len: u64) -> [Part; 2] {
    [Part { offset_bytes: 8, len: 1 }, Part { offset_bytes: 0, len: len - 1 }]
}

/// Sums of weights of so many elements.
fn weighted<'a>(
    element: ElementKind,
    len: u64,
    (bins, channels): (&'a Bins, u32),
    (weight, weights): (WeightKind, &'a [Part]),
) -> Problem<'a> {
    counts(element, len, (bins, channels)).shaped(Shape::Weights(bins, channels, weight, weights))
}

#[test]
fn workgroups_have_sums_of_their_own_where_they_fit() {
    let plan = |weight, count| -> Plan {
        let (bins, weights) = (bins(count), weights(1 << 20));
        let problem = weighted(ElementKind::U16, 1 << 20, (&bins, 1), (weight, &weights));
        problem.plan(&Caps::baseline()).expect("it has a plan")
    };
    let counters = |weight, count| {
        let pass = plan(weight, count).passes()[0].to_string();
        let all = [Counters::Workgroup, Counters::Totals];
        all.into_iter().find(|counters| pass.ends_with(&format!("by {counters}"))).expect("one")
    };
    // 16 KiB, of sums of 536 bytes, of 80 and of 8.
    assert_eq!(counters(WeightKind::F64, 21), Counters::Workgroup);
    assert_eq!(counters(WeightKind::F64, 40), Counters::Totals);
    assert_eq!(counters(WeightKind::F32, 30), Counters::Workgroup);
    assert_eq!(counters(WeightKind::F32, 300), Counters::Totals);
    assert_eq!(counters(WeightKind::U32, 1000), Counters::Workgroup);
    assert_eq!(counters(WeightKind::U32, 3000), Counters::Totals);
    let plan = plan(WeightKind::F32, 30);
    // One element, and all others.
    assert_eq!((plan.passes()[0].grids().len(), plan.results, result_bytes(&plan)), (2, 33, 4));
    assert_eq!(plan.input_bytes(), 6 << 20);
    let text = plan.to_string();
    assert!(text.contains("pass 1: histogram of u16 with f32 weights by workgroups"), "{text}");
}

#[test]
fn weights_that_cannot_be_planned_are_refused() {
    let (caps, ten, of_ten) = (Caps::baseline(), bins(10), weights(10));
    let refused = |problem: &Problem<'_>| problem.plan(&caps).err();
    let many = |weight, len| {
        let mut large = caps;
        large.max_buffer_bytes = 1 << 40;
        weighted(ElementKind::U8, len, (&ten, 1), (weight, &weights(len))).plan(&large).err()
    };
    // So many that their sums are what there is room for, and one more.
    for (weight, most) in [
        (WeightKind::F32, (1 << 31) - 1),
        (WeightKind::F64, (1 << 31) - 1),
        (WeightKind::U32, 1 << 32),
    ] {
        assert_eq!(many(weight, most), None);
        assert!(matches!(many(weight, most + 1), Some(Error::Unsupported { .. })), "{weight:?}");
    }
    let words = |element, weights| weighted(element, 10, (&ten, 1), (WeightKind::U32, weights));
    assert_eq!(refused(&words(ElementKind::F64, &of_ten)), None);
    let short = refused(&words(ElementKind::U8, &of_ten[..1]));
    assert_eq!(short, Some(Error::LengthMismatch { left: 10, right: 1 }));
    let mut odd = of_ten;
    odd[0].offset_bytes = 2;
    let odd = refused(&words(ElementKind::U8, &odd));
    assert!(matches!(odd, Some(Error::InvalidBuffer { .. })));
    let odd = refused(&words(ElementKind::U8, &of_ten).left(Some([4, 0, 0]), false));
    assert!(matches!(odd, Some(Error::InvalidBuffer { .. })));
    let most = bins(Bins::MOST);
    let many = weighted(ElementKind::F32, 10, (&most, 1), (WeightKind::F32, &of_ten));
    assert_eq!(refused(&many), None);
    let mut small = caps;
    small.max_binding_bytes = 80 << 20;
    assert!(matches!(many.plan(&small), Err(Error::Unsupported { .. })));
    for channels in [0, 3, 17] {
        let of_f32 = (WeightKind::F32, &of_ten[..]);
        let refused = refused(&weighted(ElementKind::U8, 10, (&ten, channels), of_f32));
        assert!(matches!(refused, Some(Error::InvalidView { .. })), "{channels}");
    }
}
