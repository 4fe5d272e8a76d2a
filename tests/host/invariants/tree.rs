//! The files of the tree.

use std::path::{Path, PathBuf};

pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file, whose path counts from the root.
pub(super) fn text(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files below a folder with one of these endings, and their texts. Paths count from the root, which is the folder "".
pub(super) fn files(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    let begin = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let has_ending = |path: &Path| {
        path.extension().is_some_and(|extension| endings.iter().any(|ending| extension == *ending))
    };
    let found = paths().into_iter().filter(|path| has_ending(path));
    let found = found.map(|path| shown(&path)).filter(|path| path.starts_with(&begin));
    let found: Vec<_> = found.map(|path| (path.clone(), text(&path))).collect();
    assert!(!found.is_empty(), "no files in {folder}");
    found
}

fn shown(path: &Path) -> String {
    let inside = path.strip_prefix(root()).expect("it is in the tree");
    inside.to_string_lossy().replace('\\', "/")
}

/// All files but those that git ignores, or whose folders are hidden; in the same order every time.
fn paths() -> Vec<PathBuf> {
    let (mut found, mut ignored) = (Vec::new(), Vec::new());
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        // Each line names what is in the same folder, and the folders below come later.
        let lines = std::fs::read_to_string(folder.join(".gitignore")).unwrap_or_default();
        ignored.extend(lines.lines().filter_map(|line| Some(folder.join(line.strip_prefix('/')?))));
        let entries =
            folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.flatten().map(|entry| entry.path()) {
            let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
            if ignored.contains(&path) || is_hidden {
                continue;
            }
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn files_of_a_folder_are_found_but_for_what_is_ignored() {
    let scripts: Vec<_> =
        files("benches/peers", &["sh", "py"]).into_iter().map(|of| of.0).collect();
    for name in ["benches/peers/ladder.sh", "benches/peers/plot.py"] {
        assert!(scripts.contains(&name.to_owned()), "{scripts:?}");
    }
    let all = paths();
    assert!(all.contains(&root().join("src/lib.rs")));
    assert!(!all.iter().any(|path| path.starts_with(root().join("target"))));
}

/// Endings of what is written by hand and run.
pub(super) const SOURCES: [&str; 8] = ["rs", "wgsl", "c", "cu", "cuh", "py", "sh", "js"];

/// A file has one subject.
#[test]
fn no_file_is_too_long_to_be_read() {
    for (path, text) in files("", &SOURCES) {
        let lines = text.lines().count();
        assert!(lines <= 600, "{path} has {lines} lines");
    }
}
