//! What is in one place, and nowhere else.

use super::source::code;
use super::tree::files;

/// What plain wgpu allocates is counted here beside the library's.
const COUNTED: &str = "src/tests/allocations.rs";

/// What the library does in one place, and in which files.
const IN_ONE_PLACE: [(&str, &[&str]); 7] = [
    // All that is allocated counts, but for what tests refuse.
    ("device.create_buffer(", &["src/device/context.rs", "src/tests/faults/mod.rs"]),
    (".create_compute_pipeline(", &["src/device/pipeline.rs"]),
    (".create_shader_module", &["src/trusted.rs"]),
    ("queue.submit(", &["src/device/context.rs", COUNTED]),
    (".map_async(", &["src/device/mapping.rs", COUNTED]),
    ("device.poll(", &["src/device/waiter.rs", COUNTED]),
    (".enumerate_adapters(", &["src/device/adapter.rs"]),
];

/// What the command line does in one place, and in which files; it writes files in one way.
const OF_THE_COMMAND_LINE: [(&str, &[&str]); 7] = [
    ("OpenOptions::new(", &["cli/src/output/draft.rs", "cli/src/output/mod.rs"]),
    (".persist(", &["cli/src/output/draft.rs"]),
    ("tempfile_in(", &["cli/src/output/draft.rs"]),
    ("File::create", &[]),
    ("fs::write(", &[]),
    ("fs::rename(", &[]),
    ("fs::copy(", &[]),
];

#[test]
fn what_is_done_in_one_place_is_done_nowhere_else() {
    check("src", &IN_ONE_PLACE);
    check("cli/src", &OF_THE_COMMAND_LINE);
}

fn check(folder: &str, places_of: &[(&str, &[&str])]) {
    let files = files(folder, &["rs"]);
    for &(what, places) in places_of {
        let does = |text: &str| code(text).contains(what);
        let mut found: Vec<_> =
            files.iter().filter(|(_, text)| does(text)).map(|(path, _)| &path[..]).collect();
        found.sort_unstable();
        assert_eq!(found, places, "{what}");
    }
}

/// `PROPTEST_CASES` raises every property: none but `counts.rs` says how many cases there are.
#[test]
fn no_property_has_a_count_that_cannot_be_raised() {
    let fixed = |line: &str| {
        let number = |after: &str| after.trim_start().starts_with(|c: char| c.is_ascii_digit());
        line.contains(concat!("with", "_cases")) || line.split("cases: ").skip(1).any(number)
    };
    assert!(fixed(concat!("Config { cases", ": 12, ..default }")));
    let has_some = |(_, text): &(String, String)| text.contains("proptest");
    for (path, text) in files("", &["rs"]).into_iter().filter(has_some) {
        assert!(!text.lines().any(fixed), "{path}");
    }
}
