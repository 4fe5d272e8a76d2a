//! Order statistics on the CPU against NumPy's, and their plans.

use wgpu_reduce::planners::constant;
use wgpu_reduce::{
    AdapterClass, ArgNth, BottomK, Caps, ElementKind, Error, InterquartileRange, Located, Matrix,
    Median, NanMedian, NanQuantile, NanQuantiles, Nth, Problem, Quantile, QuantileMethod,
    Quantiles, Ranked, TopK, View,
};

fn words(text: &str) -> impl Iterator<Item = u64> {
    text.split_whitespace().map(|word| u64::from_str_radix(word, 16).unwrap())
}

/// Compares with one line, within two units in the last place of the largest element.
fn check<T: Ranked<Figure: Into<f64>>>(
    shares: &[f64],
    line: &str,
    element: fn(u64) -> T,
    size: fn(T) -> f64,
    unit: f64,
) {
    let fields: Vec<_> = line.split('|').collect();
    let &[_, method, elements, results] = &fields[..] else { panic!("{line}") };
    let elements: Vec<_> = words(elements).map(element).collect();
    let method = QuantileMethod::ALL.into_iter().find(|other| other.name() == method).unwrap();
    let quantiles = Quantiles::new(shares).method(method);
    let found = quantiles.on_cpu(&elements).unwrap();
    let nan = T::NAN.filter(|nan| elements.iter().all(|element| element.order(nan).is_ne()));
    if let Some(nan) = nan {
        // As `numpy.nanquantile`, which leaves NaN out and then does the same.
        let with_nan: Vec<_> = elements.iter().flat_map(|&element| [nan, element]).collect();
        let of_numbers = NanQuantiles::new(shares).method(method).on_cpu(&with_nan).unwrap();
        let bits = |figures: &[T::Figure]| -> Vec<_> {
            figures.iter().map(|&figure| figure.into().to_bits()).collect()
        };
        assert_eq!(bits(&of_numbers), bits(&found), "{line}");
    }
    let largest = elements.iter().map(|&element| size(element).abs()).fold(0.0, f64::max);
    for (found, expected) in found.into_iter().zip(results.split_whitespace()) {
        let found: f64 = found.into();
        if expected == "nan" {
            assert!(found.is_nan(), "{found} of {line}");
            continue;
        }
        let expected = f64::from_bits(words(expected).next().unwrap());
        assert!(
            (found - expected).abs() <= 2.0 * unit * largest,
            "{found}, not {expected}: {line}"
        );
    }
}

#[test]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "as many bits as there are"
)]
fn quantiles_are_those_of_numpy() {
    let (single, double) = (f64::from(f32::EPSILON), f64::EPSILON);
    let mut checked = 0;
    let mut lines = include_str!("../data/numpy_quantiles.txt").lines().skip(1);
    let shares: Vec<_> = words(lines.next().unwrap()).map(f64::from_bits).collect();
    for line in lines {
        checked += 1;
        match line.split('|').next() {
            Some("f64") => check(&shares, line, f64::from_bits, |x| x, double),
            Some("f32") => {
                check(&shares, line, |bits| f32::from_bits(bits as u32), f64::from, single);
            }
            Some("f16") => {
                check(&shares, line, |bits| half::f16::from_bits(bits as u16), f64::from, single);
            }
            Some("i32") => {
                check(&shares, line, |bits| (bits as u32).cast_signed(), f64::from, double);
            }
            Some("u8") => check(&shares, line, |bits| bits as u8, f64::from, double),
            Some("i64") => check(&shares, line, u64::cast_signed, |x| x as f64, double),
            _ => panic!("{line}"),
        }
    }
    assert!(checked > 250, "{checked}");
}

#[test]
fn representable_results_are_not_lost() {
    let median = |values: &[f64]| Median.on_cpu(values).unwrap();
    let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-15;
    assert!(near(median(&[1.7e308, 1.6e308]), 1.65e308));
    assert_eq!(median(&[-1.7e308, 1.7e308]).to_bits(), 0.0_f64.to_bits());
    assert!(near(
        Quantile { q: 0.25, method: QuantileMethod::Linear }.on_cpu(&[-1.7e308, 1.7e308]).unwrap(),
        -0.85e308
    ));
    let infinity = f64::INFINITY;
    assert_eq!(median(&[infinity, infinity]).to_bits(), infinity.to_bits());
    assert_eq!(median(&[1.0, infinity]).to_bits(), infinity.to_bits());
    assert_eq!(median(&[-infinity, infinity]).to_bits(), f64::NAN.to_bits());
    assert_eq!(median(&[5e-324, 5e-324]).to_bits(), 1);
    assert_eq!(
        Median.on_cpu(&[i64::MAX, i64::MAX - 2]).map(f64::to_bits),
        Ok((2.0_f64.powi(63)).to_bits())
    );
    assert_eq!(Median.on_cpu(&[u64::MAX, 0]).map(f64::to_bits), Ok((2.0_f64.powi(63)).to_bits()));
}

/// NaN is last, whatever its sign, and zeros have an order.
#[test]
fn ranks_are_those_of_sorted_elements() {
    let values = [f32::NAN, 0.0, -f32::NAN, -0.0, f32::INFINITY, f32::NEG_INFINITY];
    let sorted = (0..6).map(|rank| Nth { rank }.on_cpu(&values).unwrap().to_bits());
    let expected =
        [f32::NEG_INFINITY, -0.0, 0.0, f32::INFINITY, f32::NAN, f32::NAN].map(f32::to_bits);
    assert_eq!(sorted.collect::<Vec<_>>(), expected);
    assert!(matches!(Nth { rank: 6 }.on_cpu(&values), Err(Error::InvalidRank { .. })));
    assert_eq!(Median.on_cpu::<u8>(&[]), Err(Error::Empty { operation: "median" }));
    assert!(Median.on_cpu(&values).unwrap().is_nan());
}

/// Equal elements in the order of their indices, from either end.
#[test]
fn elements_at_an_end_have_their_indices() {
    let values = [1.5_f32, f32::NAN, -0.0, 0.0, 1.5, -2.0];
    let indices = |found: &[Located<f32>]| found.iter().map(|of| of.index).collect::<Vec<_>>();
    let top = |k| TopK { k }.on_cpu(&values).map(|found| indices(&found));
    let bottom = |k| BottomK { k }.on_cpu(&values).map(|found| indices(&found));
    assert_eq!(top(6), Ok(vec![1, 0, 4, 3, 2, 5]));
    assert_eq!(bottom(6), Ok(vec![5, 2, 3, 0, 4, 1]));
    assert_eq!((top(2), bottom(4)), (Ok(vec![1, 0]), Ok(vec![5, 2, 3, 0])));
    assert_eq!((top(0), bottom(0)), (Ok(Vec::new()), Ok(Vec::new())));
    let more = "6 elements are less than 7".to_owned();
    assert_eq!(top(7), Err(Error::InvalidRank { what: more }));
    assert!(matches!(bottom(u64::MAX), Err(Error::InvalidRank { .. })));
    assert_eq!(TopK { k: 0 }.on_cpu::<u8>(&[]), Err(Error::Empty { operation: "top_k" }));
    for (rank, index) in [(3, 0), (4, 4)] {
        assert_eq!(ArgNth { rank }.on_cpu(&values).unwrap().index, index);
    }
    assert!(matches!(ArgNth { rank: 6 }.on_cpu(&values), Err(Error::InvalidRank { .. })));
}

/// As `scipy.stats.iqr` has it.
#[test]
fn ranges_lie_between_quartiles() {
    let range = |values: &[f64]| InterquartileRange.on_cpu(values).map(f64::to_bits);
    assert_eq!(range(&[7.0, 1.0, 2.0, 4.0]), Ok(3.0_f64.to_bits()));
    assert_eq!(range(&[1e308, -1e308, f64::NAN]), Ok(f64::NAN.to_bits()));
    assert_eq!(range(&[f64::INFINITY; 3]), Ok(f64::NAN.to_bits()));
    assert_eq!(range(&[-2.5]), Ok(0));
    assert_eq!(range(&[]), Err(Error::Empty { operation: "interquartile_range" }));
    assert_eq!(
        InterquartileRange.on_cpu(&[1_u8, 2, 3, 4, 90]).map(f64::to_bits),
        Ok(2.0_f64.to_bits())
    );
}

#[test]
fn numbers_alone_have_ranks() {
    let median = |values: &[f32]| NanMedian.on_cpu(values).map(f32::to_bits);
    assert_eq!(median(&[f32::NAN, 2.0, -f32::NAN, 1.0]), Ok(1.5_f32.to_bits()));
    assert_eq!(median(&[-f32::NAN; 3]), Ok(f32::NAN.to_bits()));
    assert_eq!(median(&[]), Err(Error::Empty { operation: "nan_median" }));
    let quantile = |q| NanQuantile { q, method: QuantileMethod::Linear }.on_cpu(&[f32::NAN, 1.0]);
    assert!(matches!(quantile(1.5), Err(Error::InvalidRank { .. })));
    assert_eq!(quantile(1.0).map(f32::to_bits), Ok(1.0_f32.to_bits()));
    assert_eq!(NanMedian.on_cpu(&[1_u8, 4]).map(f64::to_bits), Ok(2.5_f64.to_bits()));
    // They are counted with the first digit: no pass is added.
    let caps = Caps::baseline();
    let of_all = Problem::new::<f32, _>(&Median, ElementKind::F32, 1 << 20).plan(&caps).unwrap();
    let of_numbers = Problem::new::<f32, _>(&NanMedian, ElementKind::F32, 1 << 20).plan(&caps);
    let of_numbers = of_numbers.unwrap();
    assert_eq!(of_numbers.passes().len(), of_all.passes().len());
    assert!(of_numbers.to_string().starts_with("nan_median of 2 ranks of"), "{of_numbers}");
}

/// Digits of an index follow those of a key, and a pass leaves the elements.
#[test]
fn indices_take_more_passes() {
    let mut caps = Caps::baseline();
    caps.workgroup_storage_bytes = 32 << 10;
    // With so few nothing is kept.
    caps.max_storage_buffers = 6;
    for (len, places) in [(1, 0), (2, 1), (1 << 20, 2), (1 << 23, 3)] {
        let top = TopK { k: 1 };
        let plan = Problem::new::<f32, _>(&top, ElementKind::F32, len).plan(&caps).unwrap();
        assert_eq!((plan.passes().len(), plan.results), (2 * (3 + places) + 1, 1), "{plan}");
    }
}

#[test]
fn a_plan_has_two_passes_for_each_digit() {
    let mut caps = Caps::baseline();
    caps.workgroup_storage_bytes = 32 << 10;
    for (element, digits) in
        [(ElementKind::F32, 3), (ElementKind::F64, 6), (ElementKind::U8, 1), (ElementKind::F16, 2)]
    {
        let plan = Problem::new::<f32, _>(&Median, element, 1 << 20).plan(&caps).unwrap();
        assert_eq!((plan.passes().len(), plan.roundings), (2 * digits, 0), "{plan}");
        assert!(
            plan.to_string().contains(&format!("ranks of 1048576 {element} elements")),
            "{plan}"
        );
        let scratch: u64 = plan.scratch().iter().map(|scratch| scratch.bytes).sum();
        assert!(scratch <= (element.size_bytes() << 20) / 8, "{scratch} bytes of {element}");
        assert!(constant(&plan.passes()[0], "COUNTERS").is_some_and(|counters| counters > 1));
    }
}

#[test]
fn other_shapes_are_refused() {
    let median = Problem::new::<f32, _>(&Median, ElementKind::F32, 100);
    let caps = Caps::baseline();
    for problem in [median.clone().segments(3), median.clone().runs::<u32>()] {
        let plan = problem.plan(&caps);
        assert!(matches!(plan, Err(Error::Unsupported { .. })), "{plan:?}");
    }
    assert!(median.plan(&caps).is_ok());
    // Their indices and the size of a workgroup would not fit a word together.
    let view = View::strided(&[65_535, 65_537], &[0, 1], 0).unwrap();
    let long = Problem::new::<f32, _>(&Median, ElementKind::F32, 65_537).along(view, [0, 1]);
    let mut gpu = Caps::baseline();
    (gpu.class, gpu.max_loop_turns) = (AdapterClass::Gpu, u32::MAX);
    assert!(matches!(long.plan(&gpu), Err(Error::Unsupported { .. })), "{:?}", long.plan(&gpu));
    let rows = median.along(Matrix { rows: 10, columns: 10 }, 1).plan(&caps).unwrap();
    assert_eq!((rows.results, rows.len, rows.passes().len()), (10, 10, 1), "{rows}");
}
