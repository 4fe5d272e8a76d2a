//! What ARCHITECTURE.md says must stay true of the tree itself.

use std::collections::BTreeSet;
use std::path::Path;
use wgpu_reduce::OpRecord;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a folder and of those in it, with this ending; paths count from the root.
fn files(folder: &str, ending: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let entries =
            folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                found.push((shown(&path), std::fs::read_to_string(&path).expect("it is text")));
            }
        }
    }
    assert!(!found.is_empty(), "no files in {folder}");
    found
}

fn shown(path: &Path) -> String {
    let inside = path.strip_prefix(root()).expect("it is in the tree");
    inside.to_string_lossy().replace('\\', "/")
}

/// Lines that are code: neither comments nor what `#[cfg(test)] mod tests` holds.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let own = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    own.lines().map(|line| line.split("//").next().unwrap_or_default())
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn unsafe_code_is_in_one_file() {
    for folder in [
        "src",
        "cli/src",
        "npy/src",
        "known/src",
        "hostile/src",
        "mpi/src",
        "web-demo/src",
        "xtask/src",
    ] {
        for (path, text) in files(folder, "rs") {
            let has_some = code(&text).any(|line| words(line).any(|word| word == "unsafe"));
            assert_eq!(has_some, path == "src/trusted.rs", "{path}");
        }
    }
}

/// The oldest Rust that the manifest promises has none, and clippy does not know.
#[test]
fn no_let_is_in_a_chain() {
    for folder in ["src", "cli/src", "npy/src", "known/src"] {
        for (path, text) in files(folder, "rs") {
            let is_chain = |line: &&str| {
                let has_let = ["if let ", "while let "].iter().any(|start| line.contains(start));
                line.contains("&& let ") || (has_let && line.contains(" && "))
            };
            assert_eq!(code(&text).find(is_chain), None, "{path}");
        }
    }
}

/// What kernels, collectives, layouts and sinks do is the same for all operations.
#[test]
fn no_operation_is_named_where_all_are_the_same() {
    let operations = OpRecord::ALL.iter().chain(&OpRecord::PAIRS).map(|record| record.name());
    let operations: Vec<_> = operations.collect();
    // They are WGSL's own, or words of the language.
    let of_wgsl = ["min", "max", "dot", "all", "any"];
    for folder in ["kernels", "collectives", "layouts", "sinks", "elements", "quads"] {
        for (path, text) in files(&format!("shaders/{folder}"), "wgsl") {
            for line in code(&text) {
                let mut named = words(line).filter(|word| operations.contains(word));
                let other = named.find(|word| !of_wgsl.contains(word));
                assert_eq!(other, None, "{path}: {line}");
            }
        }
    }
}

/// Modules of the layers without a device. Of the folders among them, some files have calls.
const WITHOUT_DEVICE: [&str; 27] = [
    "accumulator",
    "axis",
    "by_key",
    "caps",
    "custom",
    "deep_stack",
    "element",
    "error",
    "exact",
    "exact_gpu",
    "followed",
    "fragment",
    "histogram",
    "ladder",
    "lifting",
    "limits",
    "many_plan",
    "op",
    "pair",
    "plan",
    "recording",
    "segments",
    "shader",
    "source",
    "tuning",
    "variant",
    "window",
];

/// Files of such modules that call the device, as ARCHITECTURE.md lists them.
const CALLS: [&str; 12] = [
    "run.rs",
    "calls.rs",
    "custom.rs",
    "paired.rs",
    "counted.rs",
    "judge.rs",
    "output.rs",
    "runs.rs",
    "input.rs",
    "carry.rs",
    "mod.rs",
    "tests.rs",
];

#[test]
fn what_decides_knows_no_device() {
    for (path, text) in files("src", "rs") {
        let inside = path.strip_prefix("src/").expect("it is in src");
        let (module, file) = inside.split_once('/').unwrap_or((inside, inside));
        let is_folder = module != file;
        let name = file.rsplit('/').next().unwrap_or(file);
        let module = module.trim_end_matches(".rs");
        if !WITHOUT_DEVICE.contains(&module) || is_folder && CALLS.contains(&name) {
            continue;
        }
        for line in code(&text) {
            let mut used = modules_of(line);
            let unknown = used.find(|used| !WITHOUT_DEVICE.contains(used));
            assert_eq!(unknown, None, "{path}: {line}");
            let names_wgpu = line.contains("wgpu::");
            assert!(!names_wgpu || module == "caps", "{path}: {line}");
        }
    }
}

/// The modules of this crate that a line names.
fn modules_of(line: &str) -> impl Iterator<Item = &str> {
    let named = line.split("crate::").skip(1).filter_map(|rest| words(rest).next());
    // What has a capital is of the crate itself.
    named.filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// What is done in one place, and in which files.
const IN_ONE_PLACE: [(&str, &[&str]); 7] = [
    (".create_compute_pipeline(", &["src/pipeline.rs"]),
    (".create_shader_module", &["src/trusted.rs"]),
    ("queue.submit(", &["src/context.rs"]),
    (".map_async(", &["src/mapping.rs"]),
    ("device.poll(", &["src/waiter.rs"]),
    (".enumerate_adapters(", &["src/adapter.rs"]),
    ("use crate::trusted", &["src/pipeline.rs", "src/pipeline_store.rs"]),
];

#[test]
fn what_is_done_in_one_place_is_done_nowhere_else() {
    let files = files("src", "rs");
    for (what, places) in IN_ONE_PLACE {
        let does = |text: &str| code(text).any(|line| line.contains(what));
        let mut found: Vec<_> =
            files.iter().filter(|(_, text)| does(text)).map(|(path, _)| &path[..]).collect();
        found.sort_unstable();
        assert_eq!(found, places, "{what}");
    }
}

#[test]
fn exact_sums_of_the_host_lean_on_errors_alone() {
    for (path, text) in files("src/exact", "rs") {
        let other = code(&text).flat_map(modules_of).find(|&module| module != "error");
        assert_eq!(other, None, "{path}");
    }
}

#[test]
fn every_module_has_its_place_in_the_architecture() {
    let architecture =
        std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it is there");
    let library = std::fs::read_to_string(root().join("src/lib.rs")).expect("it is there");
    let modules = library
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'));
    for module in modules {
        let named = [format!("`{module}.rs`"), format!("`{module}/")];
        assert!(named.iter().any(|name| architecture.contains(name)), "{module}");
    }
}

/// The lines below `[name]` in the manifest that say something.
fn section<'m>(manifest: &'m str, name: &str) -> Vec<&'m str> {
    let head = format!("\n[{name}]\n");
    let (_, below) = manifest.split_once(&head).unwrap_or_else(|| panic!("no [{name}]"));
    let own = below.split("\n[").next().unwrap_or_default();
    own.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

#[test]
fn the_package_asks_for_little_and_has_what_it_needs() {
    let text = |name: &str| std::fs::read_to_string(root().join(name)).expect(name);
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

/// Documents with Rust in them are included where `cargo test --doc` finds them, and packed, as what is included must be.
#[test]
fn the_code_of_documents_is_compiled() {
    let library = std::fs::read_to_string(root().join("src/lib.rs")).expect("it is there");
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("it is there");
    let own = root().read_dir().expect("it is a folder").flatten().map(|entry| entry.path());
    let own = own.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let own = own.map(|path| (shown(&path), std::fs::read_to_string(&path).expect("it is text")));
    let folders = ["docs", "benches", "shaders"].into_iter().flat_map(|folder| files(folder, "md"));
    let with_code: Vec<_> = own
        .chain(folders)
        .filter(|(_, text)| text.contains("\n```rust"))
        .map(|(path, _)| path)
        .collect();
    assert!(with_code.contains(&"docs/exact.md".into()), "{with_code:?}");
    for path in with_code {
        assert!(library.contains(&format!("include_str!(\"../{path}\")")), "{path}");
        assert!(manifest.contains(&format!("\"/{path}\"")), "{path}");
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
    let folders =
        ["src", "tests", "cli", "benches", "xtask/src", "mpi", "hostile", "web-demo/tests"];
    let text = |name: &str| std::fs::read_to_string(root().join(name)).expect(name);
    let code = folders.into_iter().flat_map(|folder| files(folder, "rs")).map(|(_, text)| text);
    // Alone of the scripts, among which npm installs others.
    let code = code.chain([text("web-demo/tests/browser.js")]);
    let asked_for: BTreeSet<_> = code.flat_map(|text| names(&text)).collect();
    assert_eq!(asked_for, names(&text("CONTRIBUTING.md")));
}

/// `PROPTEST_CASES` raises every property: none but `counts.rs` says how many cases there are.
#[test]
fn no_property_has_a_count_that_cannot_be_raised() {
    let fixed = |line: &str| {
        let number = |after: &str| after.trim_start().starts_with(|c: char| c.is_ascii_digit());
        line.contains(concat!("with", "_cases")) || line.split("cases: ").skip(1).any(number)
    };
    assert!(fixed(concat!("Config { cases", ": 12, ..default }")));
    for folder in ["src", "tests", "cli/src", "cli/tests", "npy/src", "hostile/tests", "mpi"] {
        for (path, text) in files(folder, "rs").iter().filter(|(_, text)| text.contains("proptest"))
        {
            assert!(!text.lines().any(fixed), "{path}");
        }
    }
}
