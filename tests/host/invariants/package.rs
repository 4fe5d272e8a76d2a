//! What the package asks for, and what it has.

use super::tree::{files, root, text};
use std::process::Command;

/// The lines below `[name]` in the manifest that say something.
fn section<'m>(manifest: &'m str, name: &str) -> Vec<&'m str> {
    let head = format!("\n[{name}]\n");
    let (_, below) = manifest.split_once(&head).unwrap_or_else(|| panic!("no [{name}]"));
    let own = below.split("\n[").next().unwrap_or_default();
    own.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

#[test]
fn the_package_asks_for_little_and_has_what_it_needs() {
    let manifest = text("Cargo.toml");
    for target in ["not(target_family = \"wasm\")", "target_family = \"wasm\""] {
        let mut asked_for = section(&manifest, "dependencies");
        asked_for.extend(section(&manifest, &format!("target.'cfg({target})'.dependencies")));
        asked_for.retain(|line| !line.contains("optional = true"));
        assert!((1..=8).contains(&asked_for.len()), "{asked_for:?}");
    }

    let own = section(&manifest, "package");
    let include = own.iter().find(|line| line.starts_with("include = ")).expect("a list");
    // A registry knows nothing of a crate for tests: whatever needs it stays here.
    let known = section(&manifest, "dev-dependencies");
    assert!(known.contains(&"wgpu-reduce-known = { path = \"known\" }"), "{known:?}");
    let others = include.replace("/build.rs", "");
    assert!(!others.contains("tests") && !others.contains(".rs"), "{include}");

    assert!(own.contains(&"rust-version.workspace = true"), "{own:?}");
    let workspace = section(&manifest, "workspace.package");
    let oldest = workspace.iter().find_map(|line| line.strip_prefix("rust-version = "));
    let oldest = oldest.expect("a version").trim_matches('"');
    for (path, said) in [
        ("README.md", format!("Rust installed ({oldest} or later)")),
        ("README.md", format!("Rust is {oldest}.")),
        ("src/lib.rs", format!("The oldest Rust is {oldest},")),
    ] {
        assert!(text(path).contains(&said), "{path}: {said}");
    }
}

/// Files that have to be there beside every source and shader.
const NEEDED: [&str; 5] =
    ["Cargo.toml", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// What is for whoever works on it, or uses something else of it.
const ELSEWHERE: [&str; 9] =
    ["cli/", "fuzz/", "hostile/", "mpi/", "npy/", "target/", "tests/", "web-demo/", "xtask/"];

/// Before they are compressed.
const MOST_BYTES: u64 = 4 << 20;

#[test]
fn a_registry_would_be_given_what_the_library_needs_and_little_else() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["package", "--package", "wgpu-reduce", "--list", "--allow-dirty"];
    let listed = Command::new(cargo).current_dir(root()).args(arguments).output().expect("it runs");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let list = String::from_utf8(listed.stdout).expect("names are text");
    let packed: Vec<&str> = list.lines().collect();

    let sources = [files("src", &["rs"]), files("shaders", &["wgsl"])].concat();
    let needed = sources.iter().map(|(path, _)| path.as_str()).chain(NEEDED);
    let missing: Vec<_> = needed.filter(|file| !packed.contains(file)).collect();
    assert!(sources.len() > 400 && missing.is_empty(), "{missing:?}");
    let is_elsewhere = |file: &&&str| ELSEWHERE.iter().any(|part| file.starts_with(part));
    let strange: Vec<_> = packed.iter().filter(is_elsewhere).collect();
    assert!(strange.is_empty(), "{strange:?}");

    // What is made for the package has no file here.
    let sizes = packed.iter().filter_map(|file| std::fs::metadata(root().join(file)).ok());
    let bytes: u64 = sizes.map(|file| file.len()).sum();
    assert!((1 << 20..=MOST_BYTES).contains(&bytes), "{bytes} bytes");
}
