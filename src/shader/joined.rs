//! The texts of two operations over the same elements, joined: names that both have are told apart.

use crate::op::Over;
use crate::op::accumulator::EACH;
use crate::op::element::{ElementKind, Number};
use crate::shader::custom::scan::{declarations, tokens};
use crate::shader::fragment::{Fragment, fragment};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr;

/// What stands before a name of the first operation, and of the second; no other name begins so.
const PREFIXES: [&str; 2] = ["of_first_", "of_second_"];

/// What stands where a single operation's file does, and that of its accumulator.
pub(crate) const PAIR: Fragment = fragment!("several/pair.wgsl");
pub(crate) const BOTH: Fragment = fragment!("accumulators/both.wgsl");

const LIFTS: Fragment = fragment!("several/lifts.wgsl");
const LIFTS_OF_DOUBLES: Fragment = fragment!("several/lifts_of_doubles.wgsl");
const TILES: Fragment = fragment!("several/tiles.wgsl");
const RESULTS: Fragment = fragment!("several/results.wgsl");
const PADDED_RESULTS: Fragment = fragment!("several/padded_results.wgsl");

/// Bytes, and the multiple of them at which such a thing begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) bytes: u64,
    pub(crate) alignment: u64,
}

impl Layout {
    /// Where `second` begins behind `self`, and both as a struct of WGSL.
    const fn before(self, second: Self) -> (u64, Self) {
        let alignment =
            if self.alignment > second.alignment { self.alignment } else { second.alignment };
        let at = self.bytes.next_multiple_of(second.alignment);
        (at, Self { bytes: (at + second.bytes).next_multiple_of(alignment), alignment })
    }
}

/// Two operations over elements of one type. There is one for each pair that a program asks for, and it stays: shaders are told apart by
/// where it lies.
pub(crate) struct Joined {
    both: [Over; 2],
    accumulator: Layout,
    result: Layout,
    /// Where the second result begins, in bytes.
    second_at: u64,
    /// Both results, and the files of both operations and of what they are accumulated in: without numbers of 64 bits, and with them.
    parts: [Vec<Fragment>; 2],
    /// The files that lift elements of each kind.
    lifts: Vec<(ElementKind, Vec<Fragment>)>,
    /// The files that go through tiles of elements of each kind.
    tiles: Vec<(ElementKind, Vec<Fragment>)>,
}

impl Joined {
    /// Results are padded to a power of two of words where they are those of a whole request.
    pub(crate) fn new(both: [Over; 2], number: Number, is_padded: bool) -> Self {
        let [first, second] = both;
        let (_, accumulator) = first.accumulator.layout().before(second.accumulator.layout());
        let (second_at, result) = first.result_layout().before(second.result_layout());
        let bytes = if is_padded { result.bytes.next_power_of_two() } else { result.bytes };
        let padding_words = (bytes - result.bytes) / 4;
        let kinds = || ElementKind::ALL.into_iter().filter(|kind| kind.number() == number);
        Self {
            both,
            accumulator,
            result: Layout { bytes, ..result },
            second_at,
            parts: [false, true].map(|native| parts(both, number, native, padding_words)),
            lifts: kinds().map(|kind| (kind, lifts(both, kind))).collect(),
            tiles: kinds().map(|kind| (kind, tiles(both, kind))).collect(),
        }
    }

    pub(crate) const fn both(&self) -> &[Over; 2] {
        &self.both
    }

    pub(crate) const fn accumulator(&self) -> Layout {
        self.accumulator
    }

    pub(crate) const fn result(&self) -> Layout {
        self.result
    }

    pub(crate) const fn second_at(&self) -> u64 {
        self.second_at
    }

    /// Both results, and the files of both operations and of what they are accumulated in.
    pub(crate) fn parts(&self, native: bool) -> Vec<Fragment> {
        let [by_words, by_numbers] = &self.parts;
        if native { by_numbers.clone() } else { by_words.clone() }
    }

    /// How both lift elements.
    pub(crate) fn lifts(&self, element: ElementKind) -> Vec<Fragment> {
        of_kind(&self.lifts, element)
    }

    /// How both go through tiles of elements.
    pub(crate) fn tiles(&self, element: ElementKind) -> Vec<Fragment> {
        of_kind(&self.tiles, element)
    }
}

fn of_kind(files: &[(ElementKind, Vec<Fragment>)], element: ElementKind) -> Vec<Fragment> {
    let found = files.iter().find(|(kind, _)| *kind == element);
    found.map(|(_, files)| files.clone()).unwrap_or_default()
}

fn parts(both: [Over; 2], number: Number, native: bool, padding_words: u64) -> Vec<Fragment> {
    let mut fragments = if padding_words == 0 {
        vec![RESULTS]
    } else {
        let text = format!("const PADDING_WORDS: u32 = {padding_words}u;\n");
        vec![PADDED_RESULTS, Fragment { path: "several/padding", text: leak(text) }]
    };
    let files = files(both, number, native);
    push_told_apart(&mut fragments, &files, &names_told_apart(&files));
    fragments
}

fn lifts(both: [Over; 2], element: ElementKind) -> Vec<Fragment> {
    let mut fragments = vec![LIFTS];
    if element.number().has_64_bits() {
        fragments.push(LIFTS_OF_DOUBLES);
    }
    let [files, lifts] = files_and_lifts(both, element);
    push_told_apart(&mut fragments, &lifts, &names_told_apart(&files));
    fragments
}

/// The files of each operation with those that lift elements, and the latter alone.
fn files_and_lifts(both: [Over; 2], element: ElementKind) -> [[Vec<Fragment>; 2]; 2] {
    let lifts = both.map(|over| over.lifting.fragments_beside_ends(element));
    [with(files(both, element.number(), false), &lifts), lifts]
}

fn with(mut files: [Vec<Fragment>; 2], others: &[Vec<Fragment>; 2]) -> [Vec<Fragment>; 2] {
    for (files, others) in files.iter_mut().zip(others) {
        files.extend(others);
    }
    files
}

/// Where an operation has its own way through tiles, each goes its way; else tiles are accumulators of both.
fn tiles(both: [Over; 2], element: ElementKind) -> Vec<Fragment> {
    let tiles = both.map(|over| over.accumulator.tiles(element, over.lifting));
    if tiles.iter().all(|tiles| *tiles == [EACH]) {
        return vec![EACH];
    }
    // One that has no way of its own appends quads.
    let tiles =
        tiles.map(|tiles| if tiles == [EACH] { vec![element.quads(), EACH] } else { tiles });
    let [files, _] = files_and_lifts(both, element);
    let mut fragments = vec![TILES];
    push_told_apart(&mut fragments, &tiles, &names_told_apart(&with(files, &tiles)));
    fragments
}

/// The files of each operation and of what it is accumulated in. Where one computes with numbers of 64 bits, all do: but of `f64` those
/// alone have such a form that are of floats.
fn files(both: [Over; 2], number: Number, native: bool) -> [Vec<Fragment>; 2] {
    both.map(|over| {
        let native = native && (number != Number::F64 || over.accumulator.is_of_f64());
        [vec![over.fragment], over.accumulator.fragments(native)].concat()
    })
}

impl PartialEq for Joined {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self, other)
    }
}

impl Eq for Joined {}

impl Hash for Joined {
    fn hash<H: Hasher>(&self, state: &mut H) {
        ptr::hash(self, state);
    }
}

impl fmt::Debug for Joined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.both.map(|over| over.fragment)).finish()
    }
}

/// A file, read: what it declares, and all of its words.
struct Read {
    path: &'static str,
    declared: Vec<&'static str>,
    words: HashSet<&'static str>,
}

impl Read {
    fn new(file: &Fragment) -> Self {
        let declared = declarations(file.text).into_iter().map(|found| found.name.text).collect();
        Self {
            path: file.path,
            declared,
            words: tokens(file.text).map(|token| token.text).collect(),
        }
    }

    fn uses(&self, names: &HashSet<&str>) -> bool {
        names.iter().any(|name| self.words.contains(name))
    }
}

/// The names of each operation's files that have a prefix there: what both declare in files of their own, what the pair declares or
/// has a prefix for, and all that files with such a name declare.
fn names_told_apart(files: &[Vec<Fragment>; 2]) -> [HashSet<&'static str>; 2] {
    let read = |files: &[Fragment]| files.iter().map(Read::new).collect::<Vec<_>>();
    let files = files.each_ref().map(|files| read(files));
    let of_pair = read(&[PAIR, BOTH, RESULTS, PADDED_RESULTS, LIFTS, LIFTS_OF_DOUBLES, TILES]);
    let of_pair: HashSet<_> = of_pair.iter().flat_map(|file| &file.declared).collect();
    let mut declaring: HashMap<&str, HashSet<&str>> = HashMap::new();
    for file in files.iter().flatten() {
        for name in &file.declared {
            declaring.entry(name).or_default().insert(file.path);
        }
    }
    let is_shared = |name: &&'static str| {
        of_pair.contains(name)
            || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            || declaring.get(name).is_some_and(|files| files.len() > 1)
    };
    files.map(|files| {
        let all = files.iter().flat_map(|file| &file.declared).copied();
        let mut own: HashSet<_> = all.filter(is_shared).collect();
        // A file that uses such a name is another one in each operation, and so is what it declares.
        loop {
            let before = own.len();
            for file in &files {
                if file.uses(&own) {
                    own.extend(&file.declared);
                }
            }
            if own.len() == before {
                return own;
            }
        }
    })
}

/// Adds the files of both operations: those with names that are told apart with prefixes, and the others once.
fn push_told_apart(
    fragments: &mut Vec<Fragment>,
    files: &[Vec<Fragment>; 2],
    own: &[HashSet<&str>; 2],
) {
    for ((files, own), prefix) in files.iter().zip(own).zip(PREFIXES) {
        for file in files {
            let next = if Read::new(file).uses(own) {
                let path = format!("{} with {prefix}", file.path);
                let text = with_prefix(file.text, own, prefix);
                Fragment { path: leak(path), text: leak(text) }
            } else {
                *file
            };
            if !fragments.contains(&next) {
                fragments.push(next);
            }
        }
    }
}

/// The text with a prefix before these names. Lines stay lines.
pub(crate) fn with_prefix(source: &str, names: &HashSet<&str>, prefix: &str) -> String {
    let mut text = String::with_capacity(source.len() * 2);
    let mut done = 0;
    for token in tokens(source).filter(|token| names.contains(token.text)) {
        text.push_str(source.get(done..token.at).unwrap_or_default());
        text.push_str(prefix);
        done = token.at;
    }
    text.push_str(source.get(done..).unwrap_or_default());
    text
}

/// A text that stays, as those of files do.
fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
