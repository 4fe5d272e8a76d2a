//! Plans of histograms, without a GPU.

use wgpu_reduce::planners::{
    Counters, HistogramRequest, WeightedHistogramRequest, constant, result_bytes,
};
use wgpu_reduce::{Bins, Caps, ElementKind, Error, HistogramTuning, Part, WeightKind};

fn request(element: ElementKind, len: u64, bins: u32) -> HistogramRequest {
    let caps = Caps::baseline();
    HistogramRequest {
        element,
        input: vec![Part { offset_bytes: 8, len }],
        channels: 1,
        bins: Bins::even(0..1 << 20, bins).expect("they are bins"),
        output_offset_bytes: 0,
        tuning: HistogramTuning::for_caps(&caps),
        caps,
    }
}

#[test]
fn counters_have_as_many_copies_as_fit() {
    let copies = |element, bins| {
        let plan = request(element, 1 << 20, bins).plan().expect("it has a plan");
        constant(&plan.passes()[0], "COPIES").unwrap_or(0)
    };
    // 16 KiB, of which 256 counters take one. Of words one more than slots is needed.
    assert_eq!(copies(ElementKind::U8, 5000), 16);
    assert_eq!(copies(ElementKind::F32, 10), 32);
    assert_eq!(copies(ElementKind::F32, 4092), 1);
    assert_eq!(copies(ElementKind::F32, 4093), 0);
    // Rounded up, to share pipelines.
    assert_eq!(copies(ElementKind::F32, 100), 16);
    let tuning = HistogramTuning { copies: 0, ..HistogramTuning::for_caps(&Caps::baseline()) };
    let request = HistogramRequest { tuning, ..request(ElementKind::U8, 100, 2) };
    let plan = request.plan().expect("it has a plan");
    assert_eq!(
        (constant(&plan.passes()[0], "COPIES"), plan.results, result_bytes(&plan)),
        (None, 5, 8)
    );
    assert!(plan.to_string().starts_with("histogram of 100 u8 elements, 2 bins"), "{plan}");
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let refused = |request: &HistogramRequest| request.plan().err();
    let of_f64 = refused(&request(ElementKind::F64, 10, 10));
    assert_eq!(of_f64, Some(Error::NotDefined { operation: "histogram", element: "f64" }));
    for channels in [0, 3, 17] {
        let request = HistogramRequest { channels, ..request(ElementKind::U8, 10, 10) };
        assert!(matches!(refused(&request), Some(Error::InvalidView { .. })), "{channels}");
    }
    let mut narrow = request(ElementKind::F32, 10, 10);
    narrow.bins = Bins::even(1.0..1.000_001, 1000).expect("they are bins");
    assert!(matches!(refused(&narrow), Some(Error::InvalidBins { .. })));
    let mut small = request(ElementKind::U32, 10, Bins::MOST);
    assert_eq!(refused(&small), None);
    small.caps.max_binding_bytes = 1 << 20;
    assert!(matches!(refused(&small), Some(Error::Unsupported { .. })));
    let default = HistogramTuning::for_caps(&Caps::baseline());
    for tuning in [
        HistogramTuning { workgroup_size: 48, ..default },
        HistogramTuning { workgroup_size: 512, ..default },
        HistogramTuning { max_workgroups: 0, ..default },
        HistogramTuning { loads_in_flight: 2, ..default },
        HistogramTuning { copies: 3, ..default },
    ] {
        let request = HistogramRequest { tuning, ..request(ElementKind::U8, 10, 10) };
        assert!(matches!(refused(&request), Some(Error::InvalidTuning { .. })), "{tuning}");
    }
}

fn weighted(
    element: ElementKind,
    weight: WeightKind,
    len: u64,
    bins: u32,
) -> WeightedHistogramRequest {
    let HistogramRequest { input, channels, bins, tuning, caps, .. } = request(element, len, bins);
    let weights = vec![Part { offset_bytes: 4, len: 1 }, Part { offset_bytes: 0, len: len - 1 }];
    let output_offset_bytes = 0;
    WeightedHistogramRequest {
        element,
        weight,
        input,
        weights,
        channels,
        bins,
        output_offset_bytes,
        tuning,
        caps,
    }
}

#[test]
fn workgroups_have_sums_of_their_own_where_they_fit() {
    let counters = |weight, bins| {
        let request = weighted(ElementKind::U16, weight, 1 << 20, bins);
        let plan = request.plan().expect("it has a plan");
        let pass = plan.passes()[0].to_string();
        let all = [Counters::Workgroup, Counters::Totals];
        all.into_iter().find(|counters| pass.ends_with(&format!("by {counters}"))).expect("one")
    };
    // 16 KiB, of sums of 80 bytes and of 8.
    assert_eq!(counters(WeightKind::F32, 30), Counters::Workgroup);
    assert_eq!(counters(WeightKind::F32, 300), Counters::Totals);
    assert_eq!(counters(WeightKind::U32, 1000), Counters::Workgroup);
    assert_eq!(counters(WeightKind::U32, 3000), Counters::Totals);
    let request = weighted(ElementKind::U16, WeightKind::F32, 1 << 20, 30);
    let plan = request.plan().expect("it has a plan");
    // One element, and all others.
    assert_eq!((plan.passes()[0].grids().len(), plan.results, result_bytes(&plan)), (2, 33, 4));
    assert_eq!(plan.input_bytes(), 6 << 20);
    let text = plan.to_string();
    assert!(text.contains("pass 1: histogram of u16 with f32 weights by workgroups"), "{text}");
}

#[test]
fn weights_that_cannot_be_planned_are_refused() {
    let refused = |request: &WeightedHistogramRequest| request.plan().err();
    let many = |weight, len| {
        let mut request = weighted(ElementKind::U8, weight, len, 10);
        request.caps.max_buffer_bytes = 1 << 40;
        refused(&request)
    };
    // So many that their sums are what there is room for, and one more.
    for (weight, most) in [(WeightKind::F32, (1 << 31) - 1), (WeightKind::U32, 1 << 32)] {
        assert_eq!(many(weight, most), None);
        assert!(matches!(many(weight, most + 1), Some(Error::Unsupported { .. })), "{weight:?}");
    }
    let of_f64 = refused(&weighted(ElementKind::F64, WeightKind::U32, 10, 10));
    assert_eq!(of_f64, Some(Error::NotDefined { operation: "histogram_weighted", element: "f64" }));
    let mut request = weighted(ElementKind::U8, WeightKind::U32, 10, 10);
    request.weights.pop();
    assert_eq!(refused(&request), Some(Error::LengthMismatch { left: 10, right: 1 }));
    let mut request = weighted(ElementKind::U8, WeightKind::U32, 10, 10);
    request.weights[0].offset_bytes = 2;
    assert!(matches!(refused(&request), Some(Error::InvalidBuffer { .. })));
    let mut request = weighted(ElementKind::U8, WeightKind::U32, 10, 10);
    request.output_offset_bytes = 4;
    assert!(matches!(refused(&request), Some(Error::InvalidBuffer { .. })));
    let mut request = weighted(ElementKind::F32, WeightKind::F32, 10, Bins::MOST);
    assert_eq!(refused(&request), None);
    request.caps.max_binding_bytes = 80 << 20;
    assert!(matches!(refused(&request), Some(Error::Unsupported { .. })));
    for channels in [0, 3, 17] {
        let request = WeightedHistogramRequest {
            channels,
            ..weighted(ElementKind::U8, WeightKind::F32, 10, 9)
        };
        assert!(matches!(refused(&request), Some(Error::InvalidView { .. })), "{channels}");
    }
}
