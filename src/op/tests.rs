use super::*;

/// The record says of a pair what its types say.
fn check<T: Element, O: Operation<T>>(operation: O) -> usize {
    let record = operation.record();
    let over = record.over(T::KIND).unwrap();
    assert_eq!(over.output_bytes, size_of::<O::Raw>() as u64, "{record:?} {}", T::KIND);
    assert!(OpRecord::ALL.contains(&record), "{record:?}");
    let of_none = operation.on_cpu(&[]);
    let expected = Error::Empty { operation: record.name() };
    assert_eq!(of_none.err(), (!record.takes_none()).then_some(expected), "{record:?}");
    1
}

macro_rules! check_all {
    ($($operation:ident: $($element:ty),*;)*) => {
        [$($(check::<$element, _>($operation::default()),)*)*].len()
    };
}

#[test]
fn records_agree_with_types() {
    let checked = check_all! {
        Sum: f32, i32, u32;
        WrappingSum: i32, u32;
        Product: f32, i32, u32;
        SumOfSquares: f32, i32, u32;
        NormL1: f32, i32, u32;
        NormL2: f32, i32, u32;
        NormMax: f32, i32, u32;
        Min: f32, i32, u32;
        Max: f32, i32, u32;
        MinMax: f32, i32, u32;
        ArgMin: f32, i32, u32;
        ArgMax: f32, i32, u32;
        Mean: f32, i32, u32;
        Variance: f32, i32, u32;
        Stats: f32, i32, u32;
        All: f32, i32, u32;
        Any: f32, i32, u32;
        CountNonZero: f32, i32, u32;
        CountNan: f32;
        BitAnd: i32, u32;
        BitOr: i32, u32;
        BitXor: i32, u32;
        NanSum: f32;
        NanMean: f32;
        NanMin: f32;
        NanMax: f32;
        NanArgMin: f32;
        NanArgMax: f32;
    };
    let pairs: usize = OpRecord::ALL
        .iter()
        .map(|record| ElementKind::ALL.iter().filter(|kind| record.takes(**kind)).count())
        .sum();
    assert_eq!(pairs, checked, "a pair is not checked here");
}
