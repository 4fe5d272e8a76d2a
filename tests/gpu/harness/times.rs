//! Where the time of a whole run goes: by rig, and the families and tests that take most of it on all rigs together.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// So many of the longest are shown.
const SHOWN: usize = 12;

/// How many, and how long together.
#[derive(Default)]
struct Took {
    count: usize,
    time: Duration,
}

/// By rig, by family and by test.
#[derive(Default)]
struct Book {
    rigs: BTreeMap<String, Took>,
    families: BTreeMap<String, Took>,
    tests: BTreeMap<String, Took>,
}

static BOOK: Mutex<Option<Book>> = Mutex::new(None);

/// Notes what a test took on a rig, beside others that ran at the same time.
pub(crate) fn note(test: &str, rig: &str, time: Duration) {
    let mut book = BOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let book = book.get_or_insert_default();
    let family = test.split("::").next().unwrap_or(test);
    for took in [
        book.rigs.entry(rig.to_owned()).or_default(),
        book.families.entry(family.to_owned()).or_default(),
        book.tests.entry(test.to_owned()).or_default(),
    ] {
        took.count += 1;
        took.time += time;
    }
}

/// Prints what has been noted, if it is of more tests than somebody asks for by name.
pub(crate) fn print() {
    let book = BOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(book) = book.as_ref().filter(|book| book.tests.len() > SHOWN) else { return };
    println!("Seconds of tests, of which several run at a time:");
    let books = [&book.rigs, &book.families, &book.tests];
    for (name, Took { count, time }) in books.into_iter().flat_map(longest) {
        println!("{:8.1} {name}: {count}", time.as_secs_f64());
    }
    println!();
}

/// Those that took longest, in order.
fn longest(all: &BTreeMap<String, Took>) -> impl Iterator<Item = (&String, &Took)> {
    let mut all: Vec<_> = all.iter().collect();
    all.sort_by_key(|(_, took)| std::cmp::Reverse(took.time));
    all.into_iter().take(SHOWN)
}
