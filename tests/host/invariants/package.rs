//! What the package asks for, and what it has.

use super::tree::text;

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
    for part in
        ["\"/src\"", "\"/shaders\"", "\"/LICENSE-*\"", "\"/README.md\"", "\"/CHANGELOG.md\""]
    {
        assert!(include.contains(part), "{part} is not in {include}");
    }
    // A registry knows nothing of a crate for tests: whatever needs it stays here.
    let known = section(&manifest, "dev-dependencies");
    assert!(known.contains(&"wgpu-reduce-known = { path = \"known\" }"), "{known:?}");
    assert!(!include.contains("tests") && !include.contains(".rs"), "{include}");

    assert!(own.contains(&"rust-version.workspace = true"), "{own:?}");
    let workspace = section(&manifest, "workspace.package");
    let oldest = workspace.iter().find_map(|line| line.strip_prefix("rust-version = "));
    let oldest = oldest.expect("a version").trim_matches('"');
    for (path, said) in [
        ("README.md", format!("Rust installed ({oldest} or later)")),
        ("README.md", format!("Rust is {oldest},")),
        ("src/lib.rs", format!("The oldest Rust is {oldest},")),
    ] {
        assert!(text(path).contains(&said), "{path}: {said}");
    }
}
