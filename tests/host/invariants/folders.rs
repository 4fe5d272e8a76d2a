//! Which folders of the library know which. `cargo check --no-default-features` holds the first rule, too.

use super::source::code;
use super::tree::files;

/// Folders, and what they do not know.
const DO_NOT_KNOW: [(&str, &[&str]); 6] = [
    ("src/op/", &["crate::api", "crate::device", "crate::ladder", "wgpu::"]),
    ("src/exact/", &["crate::api", "crate::device", "crate::ladder", "crate::shader", "wgpu::"]),
    ("src/plan/", &["crate::api", "crate::device", "wgpu::"]),
    ("src/shader/", &["crate::api", "crate::device", "wgpu::"]),
    ("src/device/", &["crate::api"]),
    ("src/api/", &["crate::ladder"]),
];

#[test]
fn folders_know_what_lies_below_them() {
    let files = files("src", &["rs"]);
    for (folder, unknown) in DO_NOT_KNOW {
        let inside: Vec<_> = files.iter().filter(|(path, _)| path.starts_with(folder)).collect();
        assert!(!inside.is_empty(), "{folder}");
        for (path, text) in inside {
            let code = code(text);
            let known = unknown.iter().find(|name| code.contains(*name));
            assert_eq!(known, None, "{path}");
        }
    }
}

#[test]
fn the_root_of_the_library_has_few_files() {
    let files = files("src", &["rs"]).into_iter();
    let in_root = files.filter(|(path, _)| path.matches('/').count() == 1);
    assert!(in_root.count() <= 4);
}
