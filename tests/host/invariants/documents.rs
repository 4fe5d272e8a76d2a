//! What documents say of the tree.

use super::tree::{SOURCES, files, text};
use std::collections::BTreeSet;

#[test]
fn every_module_has_its_place_in_the_architecture() {
    let architecture = text("ARCHITECTURE.md");
    let library = text("src/lib.rs");
    let modules = library
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'));
    for module in modules {
        let named = [format!("`{module}.rs`"), format!("`{module}/")];
        assert!(named.iter().any(|name| architecture.contains(name)), "{module}");
    }
}

/// But for those of operations, each of which has one of its name.
#[test]
fn every_file_has_its_place_in_the_architecture() {
    let architecture = text("ARCHITECTURE.md");
    for (path, _) in files("src", &["rs"]) {
        let inside = path.strip_prefix("src/").expect("it is in src");
        let (folder, name) = inside.rsplit_once('/').unwrap_or_default();
        if folder.is_empty() || folder.starts_with("op") || ["mod.rs", "tests.rs"].contains(&name) {
            continue;
        }
        let last = folder.rsplit('/').next().unwrap_or(folder);
        let is_named = architecture.split("\n\n").any(|paragraph| {
            let begins = [format!("`{last}/"), format!("`{folder}/")];
            let is_beside = begins.iter().any(|begin| paragraph.contains(begin));
            is_beside && paragraph.contains(&format!("`{name}`"))
        });
        assert!(is_named || architecture.contains(&format!("{last}/{name}`")), "{path}");
    }
}

/// Of folders of shaders their own contract tells.
#[test]
fn every_folder_has_its_place_in_the_architecture() {
    let told = text("ARCHITECTURE.md") + &text("shaders/README.md");
    let files = files("", &SOURCES);
    let folders: BTreeSet<_> = files.iter().filter_map(|(path, _)| path.rsplit_once('/')).collect();
    let is_told = |folder: &str| {
        let last = folder.rsplit('/').next().unwrap_or(folder);
        let forms = [format!("`{folder}/"), format!("`{last}/"), format!("/{last}/")];
        forms.iter().any(|form| told.contains(form))
    };
    let folders = folders.into_iter().map(|(folder, _)| folder);
    let untold: BTreeSet<_> = folders.filter(|folder| !is_told(folder)).collect();
    assert_eq!(untold, BTreeSet::new());
}

/// Beside the library: what measures, and what changes it for its tests.
#[test]
fn every_script_has_its_place_in_the_architecture() {
    let architecture = text("ARCHITECTURE.md");
    for folder in ["benches/peers", "tests/device", "tests/mutants"] {
        let paragraph =
            architecture.split("\n\n").find(|text| text.contains(&format!("`{folder}/`")));
        let paragraph = paragraph.unwrap_or_else(|| panic!("nothing is said of {folder}"));
        for (path, _) in files(folder, &["awk", "cu", "cuh", "py", "sh"]) {
            let name = path.rsplit('/').next().unwrap_or(&path);
            assert!(paragraph.contains(&format!("`{name}`")), "{path}");
        }
    }
}

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
