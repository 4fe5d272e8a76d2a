//! NumPy's dot products of edge cases: `tests/data/numpy_dot.txt`, whose writer lies beside it.

use crate::harness::oracle::{Judged, is_near_dot};
use crate::harness::{Outcome, Rig, TestElement, ensure, on_every_rig};
use half::{bf16, f16};
use libtest_mimic::{Failed, Trial};
use std::collections::HashSet;
use wgpu_reduce::{Dot, Element, ElementKind, Fold, PairOperation, Pending};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    on_every_rig(rigs, "numpy_dot::every_case", every_case)
}

/// A line of the table.
struct Row {
    element: &'static str,
    /// The bits of each element, of either input.
    bits: [Vec<u64>; 2],
    result: &'static str,
}

fn rows() -> Result<Vec<Row>, Failed> {
    let words = |text: &str| {
        text.split_whitespace().map(|word| u64::from_str_radix(word, 16)).collect::<Result<_, _>>()
    };
    let row = |line: &'static str| {
        let parts: Vec<_> = line.split('|').collect();
        let [element, a, b, result] = parts[..] else {
            return Err(format!("a line of {} parts", parts.len()).into());
        };
        Ok(Row { element, bits: [words(a)?, words(b)?], result })
    };
    include_str!("../data/numpy_dot.txt").lines().skip(1).map(row).collect()
}

fn elements<T: Element>(bits: &[u64]) -> Vec<T> {
    let bytes = bits.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(size_of::<T>()));
    bytemuck::pod_collect_to_vec(&bytes.collect::<Vec<_>>())
}

/// A result as the table has it.
trait Figure: Judged + PartialEq {
    fn parse(text: &str) -> Result<Self, Failed>;
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl Figure for $integer {
            fn parse(text: &str) -> Result<Self, Failed> {
                Ok(text.parse()?)
            }
        }
    )*};
}
integers!(i128, u128);

macro_rules! floats {
    ($($float:ident: $bits:ident),*) => {$(
        impl Figure for $float {
            fn parse(text: &str) -> Result<Self, Failed> {
                let bits = || $bits::from_str_radix(text, 16);
                Ok(if text == "nan" { Self::NAN } else { Self::from_bits(bits()?) })
            }
        }
    )*};
}
floats!(f32: u32, f64: u64);

/// Compares the device's result and that of the definition with NumPy's, if the row is of this type. The
/// definition has NumPy's bits but for f64, which NumPy sums in a wider type.
fn check<T: TestElement>(rig: &Rig, row: &Row) -> Result<bool, Failed>
where
    Dot: PairOperation<T, Output: Figure>,
{
    if row.element != T::KIND.name() {
        return Ok(false);
    }
    let [a, b] = row.bits.each_ref().map(|bits| elements::<T>(bits));
    let expected = <Dot as Fold<(T, T)>>::Output::parse(row.result)?;
    let (left, right) = (rig.reducer.upload(&a)?, rig.reducer.upload(&b)?);
    let outcome = rig.reducer.reduce(Dot, (&left, &right)).start().and_then(Pending::wait);
    let defined = Dot.on_cpu(&a, &b)?;
    let accuracy = rig.reducer.reduce(Dot, (&left, &right)).plan()?.accuracy();
    let tolerance = Dot.tolerance(&a, &b, &accuracy);
    let computed = outcome?;
    let is_right = is_near_dot(computed, expected, [&a, &b], (tolerance, &accuracy));
    ensure!(is_right, "{a:?} with {b:?}: {computed:?}, but NumPy has {expected:?}");
    let of_definition = if T::KIND == ElementKind::F64 { tolerance } else { 0.0 };
    // The sign of a zero result is nobody's.
    let is_right =
        is_near_dot(defined, expected, [&a, &b], (of_definition, &accuracy)) || defined == expected;
    ensure!(is_right, "{a:?} with {b:?}: defined as {defined:?}, but NumPy has {expected:?}");
    Ok(true)
}

fn every_case(rig: &Rig) -> Outcome {
    let checks = [
        check::<f32>,
        check::<i32>,
        check::<u32>,
        check::<u8>,
        check::<i8>,
        check::<u16>,
        check::<i16>,
        check::<f16>,
        check::<bf16>,
        check::<f64>,
    ];
    let mut seen = HashSet::new();
    let rows = rows()?;
    for row in &rows {
        let mut by = 0;
        for check in &checks {
            by += usize::from(check(rig, row)?);
        }
        ensure!(by == 1, "a row of {} is checked {by} times", row.element);
        seen.insert(row.element);
    }
    let of_all = seen.len() == checks.len() && rows.len() > 20 * checks.len();
    ensure!(of_all, "only {} cases of {} types", rows.len(), seen.len());
    Ok(())
}
