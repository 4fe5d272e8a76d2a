//! What documents say of the tree.

use super::tree::{files, text};
use std::collections::BTreeSet;

/// Documents with Rust in them are included where `cargo test --doc` finds them, and packed, as what is included must be.
#[test]
fn the_code_of_documents_is_compiled() {
    let library = text("src/lib.rs");
    let manifest = text("Cargo.toml");
    let documents = files("", &["md"]).into_iter();
    let with_code = documents.filter(|(_, text)| text.contains("\n```rust"));
    let with_code: Vec<_> = with_code.map(|(path, _)| path).collect();
    assert!(with_code.contains(&"docs/exact.md".into()), "{with_code:?}");
    for path in with_code {
        assert!(library.contains(&format!("include_str!(\"../{path}\")")), "{path}");
        let folder = path.split('/').next().unwrap_or_default();
        let is_packed = |part: &str| manifest.contains(&format!("\"/{part}\""));
        assert!(is_packed(&path) || is_packed(folder), "{path}");
    }
}

/// Each variable of the environment that the code asks for is in the table of CONTRIBUTING.md, or in the line below it.
#[test]
fn variables_of_the_environment_are_listed() {
    let prefix = concat!("WGPU_", "REDUCE_");
    let names = |text: &str| -> BTreeSet<String> {
        let is_of_name = |c: char| c.is_ascii_uppercase() || c == '_';
        let ends = text.split(prefix).skip(1);
        let ends = ends.map(|rest| rest.split(|c| !is_of_name(c)).next().unwrap_or_default());
        ends.map(|end| format!("{prefix}{end}")).collect()
    };
    let code = files("", &["rs", "js"]).into_iter().map(|(_, text)| text);
    let asked_for: BTreeSet<_> = code.flat_map(|text| names(&text)).collect();
    assert_eq!(asked_for, names(&text("CONTRIBUTING.md")));
}
