//! Which pairs of operation and type exist, what comes out of them, and that the tables say so.

use super::*;
use crate::error::{Error, WITHOUT_RESULT_OF_NAN};
use crate::op::accumulator::Accumulator;
use crate::op::element::{Element, ElementKind, Number};
use half::f16;
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
        // Of paths the last names.
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

/// The same of operations of two inputs.
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

macro_rules! rows {
    ($inputs:ident: $($operation:ident)*) => {
        [$(rows!(@row $inputs $operation: f32 i32 u32 u8 i8 u16 i16 f16 i64 u64 f64)),*]
    };
    (@row $inputs:ident $operation:ident: $($element:ty)*) => {
        Row {
            operation: stringify!($operation),
            of: vec![$((
                <$element as Element>::KIND,
                $inputs::<$operation, $element>::FIND.map(|find| find()),
            )),*],
        }
    };
}

fn of_one() -> Vec<Row> {
    rows!(
        OfOne: Sum SumExact WrappingSum Product SumOfSquares NormL1 NormL2 NormMax Min Max MinMax ArgMin ArgMax
        Mean Variance Stats All Any CountNonZero CountNan BitAnd BitOr BitXor NanSum NanMean NanMin NanMax
        NanArgMin NanArgMax
    )
    .into()
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
        for Row { operation, of } in rows {
            let kinds: Vec<_> = of.iter().map(|(kind, _)| *kind).collect();
            assert_eq!(kinds, ElementKind::ALL, "a type is missing");
            let record = of.iter().find_map(|(_, found)| found.as_ref()).unwrap().record;
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

/// Rows of the table that begins with such a column and columns, by what is in backticks in their first cell.
fn table<'a>(text: &'a str, head: &str) -> HashMap<&'a str, Vec<&'a str>> {
    let lines = || text.lines().map(|line| line.trim_start_matches("/// "));
    let rows = lines().skip_while(|line| !line.starts_with(head)).skip(2);
    let mut table = HashMap::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        let names = cells.next().unwrap().split('`').skip(1).step_by(2);
        let cells: Vec<_> = cells.collect();
        for name in names {
            assert!(table.insert(name, cells.clone()).is_none(), "{name} is there twice");
        }
    }
    table
}

/// Its table in the documentation and that of `docs/operations.md`, with the name that an operation has there.
fn tables(head: &str) -> [(HashMap<&'static str, Vec<&'static str>>, bool); 2] {
    [
        (table(include_str!("operation.rs"), head), false),
        (table(include_str!("../../docs/operations.md"), head), true),
    ]
}

#[test]
fn tables_tell_what_comes_out() {
    let order = ["f32", "f16", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    let head = format!("| operation | `{}` |", order.join("` | `"));
    for (table, has_calls) in tables(&head) {
        let rows = all();
        assert_eq!(table.len(), rows.len(), "{:?}", table.keys());
        for Row { operation, of } in rows {
            let record = of.iter().find_map(|(_, found)| found.as_ref()).unwrap().record;
            let cells = &table[if has_calls { record.name() } else { operation }];
            assert_eq!(cells.len(), order.len(), "{operation}");
            for (kind, found) in &of {
                let place = order.iter().position(|name| *name == kind.name()).unwrap();
                let star = if record.needs_f64(*kind) { " *" } else { "" };
                let expected = found.as_ref().map(|found| format!("`{}`{star}", found.output));
                assert_eq!(cells[place], expected.unwrap_or_default(), "{operation} of {kind}");
                if let Some([element, ..]) = found.as_ref().map(|found| &found.parameters[..]) {
                    assert_eq!(element, kind.name(), "{operation} of {kind}");
                }
            }
        }
    }
}

/// How the tables call an accumulator.
const fn called(accumulator: Accumulator) -> &'static str {
    match accumulator {
        Accumulator::F32 => "`f32`",
        Accumulator::F64 => "`f64`",
        Accumulator::Word => "a word",
        Accumulator::Pair => "two words",
        Accumulator::Quad => "four words",
        Accumulator::I64 | Accumulator::Count | Accumulator::Product => "64 bits",
        Accumulator::U128 | Accumulator::I128 => "128 bits",
        Accumulator::Located | Accumulator::Located64 => "a key, an index",
        Accumulator::Shifted => "a count, distances",
        Accumulator::Counted => "a count, `f64`",
        Accumulator::Moments | Accumulator::MomentsF64 => "a count, a mean, squares",
        Accumulator::Spread => "64 and 128 bits",
        Accumulator::Scaled => "a scaled `f32`",
        Accumulator::ScaledF64 => "a scaled `f64`",
        Accumulator::Exact => "digits",
        Accumulator::DescribedF32 | Accumulator::DescribedF64 => {
            "two keys, two indices, a count, a mean, squares"
        }
        Accumulator::DescribedInteger => "two keys, two indices, 64 and 128 bits",
    }
}

#[test]
fn tables_tell_what_elements_are_accumulated_in() {
    let head = "| operation | `f32`, `f16` | `f64` | `i8` to `u32` | `i64`, `u64` |";
    for (table, has_calls) in tables(head) {
        let rows = all();
        assert_eq!(table.len(), rows.len(), "{:?}", table.keys());
        for Row { operation, of } in rows {
            let record = of.iter().find_map(|(_, found)| found.as_ref()).unwrap().record;
            let cells = &table[if has_calls { record.name() } else { operation }];
            for (kind, _) in of {
                let column = match kind.number() {
                    Number::F32 => 0,
                    Number::F64 => 1,
                    Number::I32 | Number::U32 => 2,
                    Number::I64 | Number::U64 => 3,
                };
                let expected = record.over(kind).map_or("", |over| called(over.accumulator));
                assert_eq!(cells[column], expected, "{operation} of {kind}");
            }
        }
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
