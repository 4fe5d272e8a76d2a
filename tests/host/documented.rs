//! What `docs/operations.md` says of operations, by its tables.

use std::collections::HashMap;
use std::sync::LazyLock;
use wgpu_reduce::ElementKind;

pub(crate) type Table = HashMap<&'static str, Vec<&'static str>>;

/// The table whose columns begin so: the cells of each operation.
pub(crate) fn table(head: &str) -> Table {
    let lines = include_str!("../../docs/operations.md").lines();
    let rows = lines.skip_while(|line| !line.starts_with(head)).skip(2);
    let mut table = HashMap::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        let names = cells.next().expect("a name").split('`').skip(1).step_by(2);
        let cells: Vec<_> = cells.collect();
        for name in names {
            assert!(table.insert(name, cells.clone()).is_none(), "{name} is there twice");
        }
    }
    assert!(!table.is_empty(), "no table begins with {head}");
    table
}

/// Words that an operation keeps of elements of a type, however many these are.
pub(crate) fn accumulator_words(operation: &str, element: ElementKind) -> u64 {
    static ACCUMULATORS: LazyLock<Table> =
        LazyLock::new(|| table("| operation | floats up to 32 bits | `f64` |"));
    let column = match element {
        ElementKind::F64 => 1,
        float if float.is_float() => 0,
        ElementKind::I64 | ElementKind::U64 => 3,
        _ => 2,
    };
    let of_element = element.size_bytes().div_ceil(4);
    match ACCUMULATORS[operation][column] {
        "`f32`" | "a word" => 1,
        "`f64`" | "two words" | "64 bits" | "a scaled `f32`" | "a key, an `f32`" => 2,
        "a key, an index" => of_element + 2,
        "a significand `f32`, an exponent" => 3,
        "four words" | "128 bits" | "a scaled `f64`" | "a significand `f64`, an exponent" => 4,
        "a count, distances" => 2 + 2 * of_element,
        "moments" => 2 + 3 * of_element,
        "scaled moments" => 2 + 4 * of_element,
        "64 and 128 bits" => 6,
        "extremes, moments" => 6 + 5 * of_element,
        "extremes, 64 and 128 bits" => 12,
        "digits" if element == ElementKind::F64 => 84,
        "digits" => 16,
        other => panic!("how many words are {other}?"),
    }
}
