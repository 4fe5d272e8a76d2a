//! Which pairs of operation and type exist, and what comes out of them.

mod ranges;
mod tables;

use super::*;
use crate::error::{Error, WITHOUT_RESULT_OF_NAN};
use crate::op::element::{Element, ElementKind, element_rows};
use std::any::type_name;
use std::collections::HashMap;
use std::marker::PhantomData;

/// What a pair that exists is.
#[derive(Debug, Clone)]
struct Found {
    record: &'static OpRecord,
    /// The type of what comes out, and what it is a type of.
    output: String,
    parameters: Vec<String>,
}

impl Found {
    fn new<Output>(record: &'static OpRecord) -> Self {
        // The last part of a path names.
        let name = |path: &str| path.rsplit("::").next().unwrap_or(path).to_owned();
        let (output, parameters) =
            type_name::<Output>().trim_end_matches('>').split_once('<').map_or_else(
                || (type_name::<Output>(), Vec::new()),
                |(output, parameters)| (output, parameters.split(", ").map(name).collect()),
            );
        Self { record, output: name(output), parameters }
    }
}

/// The record says of a pair what its types say.
fn found<T: Element, O: Operation<T> + Default>() -> Found {
    let operation = O::default();
    let record = operation.record();
    let over = record.over(T::KIND).unwrap();
    assert_eq!(over.output_bytes, size_of::<O::Raw>() as u64, "{record:?} {}", T::KIND);
    assert!(OpRecord::ALL.contains(&record), "{record:?}");
    let of_none = operation.on_cpu(&[]);
    let expected = Error::Empty { operation: record.name() };
    assert_eq!(of_none.err(), (!record.takes_none()).then_some(&expected).cloned(), "{record:?}");
    // NaN, where there is one, and else a number like any other.
    let nan: T = bytemuck::pod_read_unaligned(&[u8::MAX; 8][..size_of::<T>()]);
    let is_refused = T::KIND.number().is_float() && WITHOUT_RESULT_OF_NAN.contains(&record.name());
    let of_nan = operation.on_cpu(&[nan]);
    assert_eq!(of_nan.err(), is_refused.then_some(expected), "{record:?} {}", T::KIND);
    Found::new::<O::Output>(record)
}

/// The record of an operation of two inputs says of a pair what its types say.
fn found_of_two<T: Element, O: PairOperation<T> + Default>() -> Found {
    let operation = O::default();
    let record = operation.record();
    let over = record.over(T::KIND).unwrap();
    assert_eq!(over.output_bytes, size_of::<O::Raw>() as u64, "{record:?} {}", T::KIND);
    assert!(OpRecord::PAIRS.contains(&record) && record.takes_none(), "{record:?}");
    assert!(operation.on_cpu(&[], &[]).is_ok(), "{record:?}");
    Found::new::<O::Output>(record)
}

type Find = Option<fn() -> Found>;

/// A pair that may exist: where it does, the constant is that of the type itself, which goes before that of a
/// trait that every type has.
struct OfOne<O, T>(PhantomData<(O, T)>);
struct OfTwo<O, T>(PhantomData<(O, T)>);

trait Absent {
    const FIND: Find = None;
}
impl<O, T> Absent for OfOne<O, T> {}
impl<O, T> Absent for OfTwo<O, T> {}

impl<T: Element, O: Operation<T> + Default> OfOne<O, T> {
    const FIND: Find = Some(found::<T, O>);
}
impl<T: Element, O: PairOperation<T> + Default> OfTwo<O, T> {
    const FIND: Find = Some(found_of_two::<T, O>);
}

/// An operation with every type of elements.
struct Row {
    operation: &'static str,
    of: Vec<(ElementKind, Option<Found>)>,
}

impl Row {
    fn record(&self) -> &'static OpRecord {
        self.of.iter().find_map(|(_, found)| found.as_ref()).unwrap().record
    }
}

macro_rules! rows {
    ($inputs:ident: $($operation:ident)*) => {
        [$(element_rows!(rows @row $inputs $operation:)),*]
    };
    (@row $inputs:ident $operation:ident: $($element:ty => $kind:ident $class:tt $rest:tt;)*) => {
        Row {
            operation: stringify!($operation),
            of: vec![$((
                <$element as Element>::KIND,
                $inputs::<$operation, $element>::FIND.map(|find| find()),
            )),*],
        }
    };
}

macro_rules! rows_of_one {
    ($($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {
        rows!(OfOne: $($operation)*)
    };
}

fn of_one() -> Vec<Row> {
    crate::for_each_operation!(rows_of_one).into()
}

fn of_two() -> Vec<Row> {
    rows!(OfTwo: Dot).into()
}

fn all() -> Vec<Row> {
    of_one().into_iter().chain(of_two()).collect()
}

/// What compiles is what records take, and nothing else.
#[test]
fn pairs_exist_where_records_take_them() {
    let check = |rows: Vec<Row>, records: &[&'static OpRecord]| {
        let mut seen = Vec::new();
        for row in rows {
            let record = row.record();
            let Row { operation, of } = row;
            let kinds: Vec<_> = of.iter().map(|(kind, _)| *kind).collect();
            assert_eq!(kinds, ElementKind::ALL, "a type is missing");
            for (kind, found) in of {
                assert_eq!(found.is_some(), record.takes(kind), "{operation} of {kind}");
                assert!(found.is_none_or(|found| found.record == record), "{operation} of {kind}");
            }
            assert!(!seen.contains(&record.name()), "{operation} has the name of another");
            seen.push(record.name());
        }
        assert_eq!(seen.len(), records.len(), "an operation is not checked here");
    };
    check(of_one(), &OpRecord::ALL);
    check(of_two(), &OpRecord::PAIRS);
    for Row { operation, of } in
        rows!(OfTwo: Sum Max ArgMin Stats).into_iter().chain(rows!(OfOne: Dot))
    {
        let exists = of.into_iter().any(|(_, found)| found.is_some());
        assert!(!exists, "{operation} takes another number of inputs");
    }
}

/// Sum and mean of a [`Statistics`] have the types of [`Sum`] and [`Mean`].
#[test]
fn statistics_are_made_of_sums_and_means() {
    let rows: HashMap<_, _> = of_one().into_iter().map(|row| (row.operation, row.of)).collect();
    for (index, (kind, stats)) in rows["Stats"].iter().enumerate() {
        if let Some(stats) = stats {
            let figures = ["Sum", "Mean"].map(|name| rows[name][index].1.as_ref().unwrap());
            assert_eq!(stats.parameters[1..], figures.map(|found| found.output.clone()), "{kind}");
        }
    }
}
