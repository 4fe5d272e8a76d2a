//! Several operations over the same elements, in one read.

use super::fold::{Finisher, Folds, Left, ShapedFold};
use super::{Element, Fold, OpRecord, Operation, Over, decode};
use crate::error::{Error, Result};
use crate::op::accumulator::Accumulator;
use crate::op::element::{ElementKind, Number};
use crate::op::lifting::Lifting;
use crate::op::operator::Permit;
use crate::plan::limits::unsupported;
use crate::shader::joined::{Joined, PAIR};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Most words of the accumulators together: as many as the longest of a single operation has that every shape takes. Gaps between them
/// make workgroups smaller, as longer accumulators do.
const MOST_WORDS: u32 = 16;

/// What a record of several operations is made of.
#[derive(Debug)]
pub(crate) struct Several {
    operations: Vec<&'static OpRecord>,
    /// [`Several::join`], named where such a record is made alone, so that programs without tuples have none of it.
    pub(crate) over: fn(&Self, &'static str, ElementKind) -> Result<Over>,
}

/// What is known of numbers of a type, by the names of records.
struct Known(Vec<(&'static str, Number, Over)>);

static KNOWN: Mutex<Known> = Mutex::new(Known(Vec::new()));

impl Known {
    fn find(&self, name: &str, number: Number) -> Option<Over> {
        let found = self.0.iter().find(|known| (known.0, known.1) == (name, number));
        found.map(|(.., over)| *over)
    }
}

impl Several {
    /// What they do with elements of a type.
    ///
    /// # Errors
    ///
    /// [`Error::NotDefined`] where one of them does not take such elements; [`Error::Unsupported`] for exact sums, whose digits take
    /// elements in their own way, and where accumulators are too long.
    fn join(&self, name: &'static str, element: ElementKind) -> Result<Over> {
        let number = element.number();
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().find(name, number);
        if let Some(over) = found {
            return Ok(over);
        }
        let each: Vec<_> =
            self.operations.iter().map(|record| record.over(element)).collect::<Result<_>>()?;
        let both = || self.operations.iter().zip(&each);
        let is_joined = |over: &Over| {
            let is_several = matches!(over.accumulator, Accumulator::Several(..));
            !over.accumulator.is_exact() && !is_several && over.lifting.inputs() == 1
        };
        if let Some((record, _)) = both().find(|(_, over)| !is_joined(over)) {
            return Err(unsupported(format!("{} among several operations", record.name)));
        }
        let words: u32 = each.iter().map(|over| over.accumulator.words()).sum();
        if words > MOST_WORDS {
            let each = both()
                .map(|(record, over)| format!("{} {}", record.name, over.accumulator.words()));
            let each = each.collect::<Vec<_>>().join(", ");
            let what = format!(
                "several operations that accumulate in {words} words, more than {MOST_WORDS}"
            );
            return Err(unsupported(format!("{what}: {each}")));
        }
        let (first, others) = each.split_first().ok_or_else(|| unsupported("no operation"))?;
        let permit = Permit::ask("several operations")?;
        // Another thread may have made it meanwhile.
        let mut known = known();
        let found = known.find(name, number);
        let over = found.unwrap_or_else(|| join(*first, others, (number, permit), true));
        if found.is_none() {
            known.0.push((name, number, over));
        }
        Ok(over)
    }

    /// Where the results lie in what a device leaves, in bytes.
    fn places(over: Over) -> Vec<u64> {
        let mut places = vec![0];
        let (mut rest, mut at) = (over, 0);
        while let Accumulator::Several(joined, _) = rest.accumulator {
            at += joined.second_at();
            places.push(at);
            [_, rest] = *joined.both();
        }
        places
    }
}

/// The first, and what the others are together.
fn join(first: Over, others: &[Over], (number, permit): (Number, Permit), is_padded: bool) -> Over {
    let [next, behind @ ..] = others else { return first };
    let second = join(*next, behind, (number, permit), false);
    let joined = Joined::new([first, second], number, is_padded);
    let joined: &'static Joined = Box::leak(Box::new(joined));
    let over = Over::unfinished(PAIR, Accumulator::Several(joined, permit));
    Over { lifting: Lifting::Several(joined, permit), output_bytes: joined.result().bytes, ..over }
}

/// The record of several operations: there is one for each list that a program asks for, and it stays.
#[must_use]
pub fn record_of(operations: &[&'static OpRecord]) -> &'static OpRecord {
    static RECORDS: Mutex<Vec<&'static OpRecord>> = Mutex::new(Vec::new());
    let mut known = RECORDS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |record: &&&OpRecord| {
        record.several.is_some_and(|several| several.operations == operations)
    };
    if let Some(record) = known.iter().find(is_it) {
        return record;
    }
    let names: Vec<_> = operations.iter().map(|record| record.name).collect();
    let several = Several { operations: operations.to_vec(), over: Several::join };
    let record = Box::leak(Box::new(OpRecord {
        name: Box::leak(format!("({})", names.join(", ")).into_boxed_str()),
        several: Some(Box::leak(Box::new(several))),
        of_none: operations.iter().all(|record| record.of_none),
        over: |_| None,
        on_host: |_| None,
    }));
    known.push(record);
    record
}

/// What a device has left of the operation whose result lies there.
fn at<'a>(left: Left<'a>, place: Option<&u64>) -> Result<Left<'a>> {
    let message = "several results came back as fewer".into();
    let place = *place.ok_or(Error::Internal { message })?;
    Ok(Left { bytes: decode::from(left.bytes, place), ..left })
}

/// Makes tuples of operations folds.
macro_rules! tuples {
    ($($operation:ident $number:tt),+) => {
        impl<T: Element, $($operation: Operation<T>),+> Fold<T> for ($($operation,)+) {
            type Output = ($($operation::Output,)+);

            fn finisher(&self) -> Finisher<Self::Output> {
                let record = record_of(&[$(self.$number.record()),+]);
                let each = ($(Fold::<T>::finisher(&self.$number),)+);
                // Asked for once, though there may be many results.
                let places = OnceLock::new();
                Box::new(move |left: Left<'_>| {
                    let places = match places.get() {
                        Some(places) => places,
                        None => {
                            let found = Several::places(record.over(left.element)?);
                            places.get_or_init(|| found)
                        }
                    };
                    Ok(($(each.$number.finish(at(left, places.get($number))?)?,)+))
                })
            }

            fn folds(&self) -> Folds<'_> {
                Folds::Operation(record_of(&[$(self.$number.record()),+]))
            }
        }

        impl<T: Element, $($operation: Operation<T>),+> ShapedFold<T> for ($($operation,)+) {}
    };
}
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

#[cfg(test)]
mod tests;
