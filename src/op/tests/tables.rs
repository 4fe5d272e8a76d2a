//! The tables of operations in the documentation, which are made of the records. With `WGPU_REDUCE_TABLES` set the tests
//! write them.

use super::{Row, all};
use crate::op::OpRecord;
use crate::op::accumulator::Accumulator;
use crate::op::element::{ElementKind, Number};

/// A document with the tables.
struct Document {
    path: &'static str,
    text: &'static str,
    /// What is in front of each line.
    margin: &'static str,
    /// How it names an operation, by its type and its record.
    name: fn(&'static str, &OpRecord) -> String,
}

const DOCUMENTS: [Document; 2] = [
    Document {
        path: concat!(env!("CARGO_MANIFEST_DIR"), "/src/op/operation.rs"),
        text: include_str!("../operation.rs"),
        margin: "/// ",
        name: |operation, _| format!("[`{operation}`]"),
    },
    Document {
        path: concat!(env!("CARGO_MANIFEST_DIR"), "/docs/operations.md"),
        text: include_str!("../../../docs/operations.md"),
        margin: "",
        name: |_, record| format!("`{}`", record.name()),
    },
];

/// A table: its columns, and the cells of an operation.
struct Table {
    columns: Vec<String>,
    cells: fn(&Row) -> Vec<String>,
}

impl Table {
    /// Its lines. Operations that stand one after another and have the same cells share a line.
    fn lines(&self, document: &Document) -> Vec<String> {
        let mut rows: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for row in all() {
            let (name, cells) = ((document.name)(row.operation, row.record()), (self.cells)(&row));
            match rows.last_mut() {
                Some((names, same)) if *same == cells => names.push(name),
                _ => rows.push((vec![name], cells)),
            }
        }
        let head = line(document, "operation", &self.columns);
        let rule = format!("{}|{}", document.margin, "---|".repeat(self.columns.len() + 1));
        let rows = rows.iter().map(|(names, cells)| line(document, &names.join(", "), cells));
        [head, rule].into_iter().chain(rows).collect()
    }

    /// Compares it with that of a document, or writes it there.
    fn check(&self, document: &Document, text: &str) -> String {
        let lines = self.lines(document);
        let mut rest = text.lines().peekable();
        let mut written = Vec::new();
        while let Some(before) = rest.next_if(|before| *before != lines[0]) {
            written.push(before.to_owned());
        }
        let bar = format!("{}|", document.margin);
        let found: Vec<_> =
            std::iter::from_fn(|| rest.next_if(|row| row.starts_with(&bar))).collect();
        assert!(!found.is_empty(), "{} has no such table: {}", document.path, lines[0]);
        if std::env::var_os("WGPU_REDUCE_TABLES").is_none() {
            assert_eq!(found, lines, "{}", document.path);
        }
        written.extend(lines);
        written.extend(rest.map(str::to_owned));
        written.join("\n") + "\n"
    }
}

fn line(document: &Document, name: &str, cells: &[String]) -> String {
    let cells =
        cells.iter().map(|cell| if cell.is_empty() { String::new() } else { format!("{cell} ") });
    format!("{}| {name} | {}|", document.margin, cells.collect::<Vec<_>>().join("| "))
}

/// The types of each column of results.
const COLUMNS: [&[&str]; 6] = [
    &["f32", "f16", "bf16"],
    &["f64"],
    &["i8", "i16", "i32"],
    &["i64"],
    &["u8", "u16", "u32"],
    &["u64"],
];

/// What comes out. Where that differs in a column, it is the elements' own type `T`, or the unsigned one of its size.
fn outputs(row: &Row) -> Vec<String> {
    let output = |name: &str| {
        let (_, found) = row.of.iter().find(|(kind, _)| kind.name() == name).unwrap();
        found.as_ref().map(|found| found.output.clone()).unwrap_or_default()
    };
    let cell = |names: &&[&str]| {
        let first = output(names[0]);
        if names.iter().all(|name| output(name) == first) {
            return if first.is_empty() { first } else { format!("`{first}`") };
        }
        if names.iter().all(|name| output(name) == *name) {
            return "`T`".to_owned();
        }
        let is_unsigned = |name: &&str| output(name) == name.replace('i', "u");
        assert!(names.iter().all(is_unsigned), "{}: {names:?}", row.operation);
        "unsigned `T`".to_owned()
    };
    COLUMNS.iter().map(cell).collect()
}

/// What elements are accumulated in, the same for those of a column.
fn accumulators(row: &Row) -> Vec<String> {
    let in_column = |column: usize| {
        let kinds = ElementKind::ALL.into_iter().filter(|kind| column_of(*kind) == column);
        let cells =
            kinds.map(|kind| row.record().over(kind).map_or("", |over| called(over.accumulator)));
        let cells: Vec<_> = cells.collect();
        assert!(cells.iter().all(|cell| *cell == cells[0]), "{}: {cells:?}", row.operation);
        cells[0].to_owned()
    };
    (0..4).map(in_column).collect()
}

const fn column_of(kind: ElementKind) -> usize {
    match kind.number() {
        Number::F32 => 0,
        Number::F64 => 1,
        Number::I32 | Number::U32 => 2,
        Number::I64 | Number::U64 => 3,
    }
}

/// What the tables call an accumulator.
const fn called(accumulator: Accumulator) -> &'static str {
    match accumulator {
        Accumulator::F32 => "`f32`",
        Accumulator::F64 => "`f64`",
        Accumulator::Significand => "a significand `f32`, an exponent",
        Accumulator::SignificandF64 => "a significand `f64`, an exponent",
        Accumulator::Word => "a word",
        Accumulator::Pair => "two words",
        Accumulator::Quad => "four words",
        Accumulator::I64 | Accumulator::Count | Accumulator::Product => "64 bits",
        Accumulator::U128 | Accumulator::I128 => "128 bits",
        Accumulator::Located | Accumulator::Located64 => "a key, an index",
        Accumulator::Shifted | Accumulator::ShiftedF64 => "a count, distances",
        Accumulator::Moments | Accumulator::MomentsF64 => "moments",
        Accumulator::ScaledMoments | Accumulator::ScaledMomentsF64 => "scaled moments",
        Accumulator::Spread => "64 and 128 bits",
        Accumulator::Exponentials => "a key, an `f32`",
        Accumulator::Scaled => "a scaled `f32`",
        Accumulator::ScaledF64 => "a scaled `f64`",
        Accumulator::Exact | Accumulator::ExactF64 => "digits",
        Accumulator::DescribedF32 | Accumulator::DescribedF64 => "extremes, moments",
        Accumulator::DescribedInteger => "extremes, 64 and 128 bits",
        Accumulator::Several(..) => "what each takes",
    }
}

#[test]
fn tables_tell_what_comes_out_and_what_elements_are_accumulated_in() {
    let columns = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let tables = [
        Table {
            columns: COLUMNS.iter().map(|names| format!("`{}`", names.join("`, `"))).collect(),
            cells: outputs,
        },
        Table {
            columns: columns(&["floats up to 32 bits", "`f64`", "`i8` to `u32`", "`i64`, `u64`"]),
            cells: accumulators,
        },
    ];
    // The interface's documentation has the first alone.
    for (document, tables) in DOCUMENTS.iter().zip([&tables[..1], &tables]) {
        let text = tables
            .iter()
            .fold(document.text.to_owned(), |text, table| table.check(document, &text));
        if std::env::var_os("WGPU_REDUCE_TABLES").is_some() {
            std::fs::write(document.path, text).unwrap();
        }
    }
}

/// What is made of elements is made of those of the operation's type.
#[test]
fn parameters_are_elements() {
    for Row { operation, of } in all() {
        for (kind, found) in of {
            if let Some([element, ..]) = found.as_ref().map(|found| &found.parameters[..]) {
                assert_eq!(element, kind.name(), "{operation} of {kind}");
            }
        }
    }
}
