//! The layers of the library, as the table in ARCHITECTURE.md has them.

use super::imports::Library;
use super::source::words;
use super::tree::text;
use std::collections::BTreeSet;

/// A file or a folder of `src/`, the latter without files of some names.
#[derive(Debug, PartialEq)]
struct Part {
    name: String,
    but_for: Vec<String>,
}

impl Part {
    fn has(&self, file: &str) -> bool {
        self.covers(file) && !self.leaves_out(file)
    }

    fn covers(&self, file: &str) -> bool {
        file == self.name || self.name.ends_with('/') && file.starts_with(&self.name)
    }

    fn leaves_out(&self, file: &str) -> bool {
        let name = file.rsplit('/').next().unwrap_or(file);
        self.covers(file) && self.but_for.iter().any(|other| other == name)
    }
}

/// The layer of this name: the second cell of its line.
fn layer(architecture: &str, name: &str) -> Vec<Part> {
    let begin = format!("| {name} | ");
    let line = architecture.lines().find_map(|line| line.strip_prefix(&begin));
    let line = line.unwrap_or_else(|| panic!("no layer {name}"));
    let cell = line.split(" | ").next().unwrap_or_default();
    let mut parts: Vec<Part> = Vec::new();
    let mut is_left_out = false;
    for (number, piece) in cell.split('`').enumerate() {
        if number % 2 == 0 {
            // Between names: what is in brackets is left out, if it says so.
            is_left_out = !piece.starts_with(')') && (is_left_out || piece.contains("(but for "));
        } else if is_left_out {
            parts.last_mut().expect("a folder").but_for.push(piece.to_owned());
        } else {
            parts.push(Part { name: piece.to_owned(), but_for: Vec::new() });
        }
    }
    assert!(!parts.is_empty(), "{line}");
    parts
}

/// The layers that have no device.
const WITHOUT_DEVICE: [&str; 5] = ["errors", "meaning", "decision", "text", "commands"];

fn without_device() -> Vec<Part> {
    let architecture = text("ARCHITECTURE.md");
    WITHOUT_DEVICE.iter().flat_map(|name| layer(&architecture, name)).collect()
}

fn is_in(parts: &[Part], file: &str) -> bool {
    parts.iter().any(|part| part.has(file))
}

#[test]
fn layers_are_read_as_they_are_written() {
    let table =
        "| a | `b/`, `c.rs` (room), `d/` (but for `e.rs` and `f.rs`), `g.rs` | x `h.rs` |\n";
    let part = |name: &str, but_for: &[&str]| Part {
        name: name.to_owned(),
        but_for: but_for.iter().map(|&name| name.to_owned()).collect(),
    };
    let parts = layer(table, "a");
    let expected =
        [part("b/", &[]), part("c.rs", &[]), part("d/", &["e.rs", "f.rs"]), part("g.rs", &[])];
    assert_eq!(parts, expected);
    let is_in = |file| is_in(&parts, file);
    assert!(["b/x.rs", "c.rs", "d/x.rs", "d/x/y.rs", "g.rs"].into_iter().all(is_in));
    assert!(!["x.rs", "d/e.rs", "d/x/f.rs", "b.rs", "h.rs"].into_iter().any(is_in));
}

/// Nor is there a folder, or a file that is left out, of which there is none.
#[test]
fn layers_have_what_there_is() {
    let library = Library::new();
    let architecture = text("ARCHITECTURE.md");
    for name in WITHOUT_DEVICE.into_iter().chain(["device"]) {
        // Those of shaders are no Rust.
        for part in layer(&architecture, name).iter().filter(|part| part.name != "shaders/") {
            assert!(library.files().any(|file| part.has(file)), "{part:?}");
            for other in &part.but_for {
                let is_other = |file: &str| part.leaves_out(file) && file.ends_with(other);
                assert!(library.files().any(is_other), "{part:?}");
            }
        }
    }
}

/// Files that know wgpu's plain data.
const PLAIN_DATA: [&str; 2] = ["caps.rs", "tuning_table/"];

/// Why a file of a layer without a device belongs elsewhere: it names wgpu, or a file that is in none of them.
fn device_in<'l>(library: &'l Library, parts: &[Part], file: &'l str) -> Option<&'l str> {
    let knows_data = PLAIN_DATA.iter().any(|known| file.starts_with(known));
    let names_wgpu = words(library.code(file)).any(|word| word == "wgpu");
    let mut others = library.leans_on(file).into_iter();
    let other = others.find(|other| !is_in(parts, other));
    other.or((names_wgpu && !knows_data).then_some("wgpu"))
}

/// Tests of a folder may do what calls do.
fn is_of_tests(file: &str) -> bool {
    file.ends_with("/tests.rs") || file.contains("/tests/")
}

#[test]
fn what_decides_knows_no_device_and_leans_on_no_calls() {
    let library = Library::new();
    let parts = without_device();
    for file in library.files().filter(|file| is_in(&parts, file) && !is_of_tests(file)) {
        assert_eq!(device_in(&library, &parts, file), None, "{file}");
    }
}

/// What is in no layer without a device has one: what is left out of a folder, and all calls.
#[test]
fn what_calls_has_a_device() {
    let library = Library::new();
    let (parts, calls) = (without_device(), layer(&text("ARCHITECTURE.md"), "calls"));
    for file in library.files().filter(|file| !is_in(&parts, file) && !is_facade(file)) {
        let is_left_out = parts.iter().any(|part| part.leaves_out(file));
        if is_left_out || is_in(&calls, file) {
            assert_ne!(device_in(&library, &parts, file), None, "{file}");
        }
    }
}

/// It has the modules of its folder.
fn is_facade(file: &str) -> bool {
    file.ends_with("/mod.rs")
}

/// What is of the library's own tests.
const OF_TESTS: [&str; 4] = ["faults/", "faults.rs", "goldens/", "overreads.rs"];

#[test]
fn every_file_has_a_layer() {
    let library = Library::new();
    let architecture = text("ARCHITECTURE.md");
    let names = WITHOUT_DEVICE.into_iter().chain(["device", "calls"]);
    let parts: Vec<_> = names.flat_map(|name| layer(&architecture, name)).collect();
    let of_tests = |file: &str| OF_TESTS.iter().any(|of| file.starts_with(of));
    for file in library.files().filter(|file| !["lib.rs", "trusted.rs"].contains(file)) {
        let is_told = is_in(&parts, file) || parts.iter().any(|part| part.leaves_out(file));
        assert!(is_told || of_tests(file), "{file}");
    }
}

#[test]
fn what_knows_the_device_leans_on_no_calls() {
    let library = Library::new();
    let device = layer(&text("ARCHITECTURE.md"), "device");
    let lower = without_device();
    let is_lower = |file: &&str| {
        let is_of_tests = OF_TESTS.iter().any(|of| file.starts_with(of));
        // The first is two files' alone.
        *file == "trusted.rs" || is_of_tests || is_in(&device, file) || is_in(&lower, file)
    };
    for file in library.files().filter(|file| is_in(&device, file)) {
        let others = library.leans_on(file);
        assert_eq!(others.iter().find(|other| !is_lower(other)), None, "{file}");
    }
    let trusting = library.files().filter(|file| library.leans_on(file).contains("trusted.rs"));
    assert_eq!(trusting.collect::<Vec<_>>(), ["pipeline.rs", "pipeline_store.rs"]);
}

/// What the device's buffers are kept in, which its context has.
const KNOW_EACH_OTHER: [&str; 4] = ["context.rs", "mapping.rs", "parameters.rs", "pool.rs"];

#[test]
fn files_of_the_device_lean_one_way() {
    let library = Library::new();
    let device = layer(&text("ARCHITECTURE.md"), "device");
    let known = BTreeSet::from(KNOW_EACH_OTHER);
    for file in library.files().filter(|file| is_in(&device, file)) {
        let expected = if known.contains(file) { known.clone() } else { BTreeSet::new() };
        assert_eq!(library.circle(file, |other| is_in(&device, other)), expected, "{file}");
    }
}

#[test]
fn what_everybody_leans_on_is_in_no_circle() {
    let library = Library::new();
    assert_eq!(library.leans_on("error.rs"), BTreeSet::new());
    for file in ["element.rs", "accumulator.rs", "fragment.rs"] {
        assert_eq!(library.circle(file, |_| true), BTreeSet::new(), "{file}");
    }
    for file in library.files().filter(|file| file.starts_with("exact/")) {
        let mut others = library.leans_on(file).into_iter();
        let is_other = |other: &&str| *other != "error.rs" && !other.starts_with("exact/");
        assert_eq!(others.find(is_other), None, "{file}");
    }
}
