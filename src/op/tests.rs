use super::*;
use half::f16;

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
        Sum: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        WrappingSum: i32, u32, u8, i8, u16, i16, i64, u64;
        Product: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        SumOfSquares: f32, i32, u32, u8, i8, u16, i16, f16, f64;
        NormL1: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        NormL2: f32, i32, u32, u8, i8, u16, i16, f16;
        NormMax: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        Min: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        Max: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        MinMax: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        ArgMin: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        ArgMax: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        Mean: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        Variance: f32, i32, u32, u8, i8, u16, i16, f16;
        Stats: f32, i32, u32, u8, i8, u16, i16, f16;
        All: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        Any: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        CountNonZero: f32, i32, u32, u8, i8, u16, i16, f16, i64, u64, f64;
        CountNan: f32, f16, f64;
        BitAnd: i32, u32, u8, i8, u16, i16, i64, u64;
        BitOr: i32, u32, u8, i8, u16, i16, i64, u64;
        BitXor: i32, u32, u8, i8, u16, i16, i64, u64;
        SumExact: f32, f16;
        NanSum: f32, f16, f64;
        NanMean: f32, f16;
        NanMin: f32, f16, f64;
        NanMax: f32, f16, f64;
        NanArgMin: f32, f16, f64;
        NanArgMax: f32, f16, f64;
    };
    let pairs: usize = OpRecord::ALL
        .iter()
        .map(|record| ElementKind::ALL.iter().filter(|kind| record.takes(**kind)).count())
        .sum();
    assert_eq!(pairs, checked, "a pair is not checked here");
}
