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
    for folder in [
        "src",
        "cli",
        "npy",
        "known",
        "hostile",
        "mpi",
        "web-demo",
        "xtask",
        "tests",
        "benches",
        "examples",
        "fuzz/fuzz_targets",
    ] {
        for (path, text) in files(folder, "rs") {
            assert_eq!(chain_of_lets(&text), None, "{path}");
        }
    }
}

#[test]
fn chains_of_lets_are_found_wherever_lines_end() {
    for chain in [
        "if let Some(x) = y && x > 1 {}",
        "while x > 1\n    && let Some(x) = y\n{\n}",
        "if let Some(x) = y\n    // Only then.\n    && x(|| { 1 })\n{\n}",
        "else if let Some(P { x, .. }) | Some(Q { x }) = y && x {}",
        "if let P { x, .. } = y && x != '\"' && z == r#\"\"{\"# {}",
        "if is('{') && let Some(x) = y.map(|y| { y }) {}",
    ] {
        assert!(chain_of_lets(chain).is_some(), "{chain}");
    }
    for other in [
        "if let Some(&&x) = y { if a && b { let c = d && e; } }",
        "if let Some(x) = y.filter(|x| a && b) {}",
        "if let Some(x) = (a && b).then(c) {}",
        "match x { y if a && b => 1, z => if let Some(x) = y {} }",
        "if x == \"&& let\" { // if let Some(x) = y && z {}\n}",
        "if let Some(x) = y { a && b }",
        "x::<'a>(if a { '&' } else { b }); if a && b { let c = d; }",
    ] {
        assert_eq!(chain_of_lets(other), None, "{other}");
    }
}

/// The first condition that joins a `let` to others.
fn chain_of_lets(text: &str) -> Option<String> {
    let bare = without_literals(text);
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let begins = |at: usize| !bare[..at].ends_with(is_of_name);
    let conditions = ["if ", "while "].into_iter().flat_map(|word| {
        bare.match_indices(word)
            .filter(|&(at, _)| begins(at))
            .map(|(at, _)| &bare[at + word.len()..])
    });
    let mut conditions = conditions.map(condition);
    conditions
        .find(|parts| parts.len() > 1 && parts.iter().any(|part| part.starts_with("let ")))
        .map(|parts| parts.join(" && "))
}

/// The parts of a condition that `&&` joins, with which the text begins.
fn condition(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, c) in text.char_indices() {
        let part = text.get(begin..at).unwrap_or_default().trim();
        // Braces are of a pattern until there is what it is compared with.
        let is_pattern = part.starts_with("let ") && !part.contains(" =");
        match c {
            '(' | '[' => depth += 1,
            '{' if depth > 0 || is_pattern => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            '{' | ')' | ']' | '}' | ';' | ',' if depth == 0 => {
                parts.push(part);
                break;
            }
            '=' if depth == 0 && text[at..].starts_with("=>") => {
                parts.push(part);
                break;
            }
            '&' if depth == 0 && !is_pattern && text[at..].starts_with("&& ") => {
                parts.push(part);
                begin = at + "&&".len();
            }
            _ => {}
        }
    }
    parts
}

/// The text without its comments, and without what is in its literals.
fn without_literals(text: &str) -> String {
    let (mut bare, mut rest) = (String::new(), text);
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => length_of_string(&bare, rest),
            '\'' if rest.starts_with("'\\") => rest[3..].find('\'').map_or(rest.len(), |at| at + 4),
            '\'' if rest.chars().nth(2) == Some('\'') => {
                rest.chars().take(3).map(char::len_utf8).sum()
            }
            _ => {
                bare.push(next);
                next.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    bare
}

/// How long the literal is with which `text` begins, and which is raw if what stands before it says so.
fn length_of_string(before: &str, text: &str) -> usize {
    let name = before.trim_end_matches('#');
    if name.ends_with('r') {
        let end = format!("\"{}", "#".repeat(before.len() - name.len()));
        return text[1..].find(&end).map_or(text.len(), |at| 1 + at + end.len());
    }
    let mut is_escaped = false;
    let end = text[1..].find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |at| at + 2)
}

/// Folders of shaders that are of one operation: a file for each, the levels of the ladder, which all sum.
const OF_ONE_OPERATION: [&str; 2] = ["shaders/ops/", "shaders/ladder/"];

/// What is no operation there, though one has this name: words of WGSL anywhere, and variables in some folders.
const OTHER_MEANINGS: [(&str, &[&str]); 6] = [
    ("shaders/", &["min", "max", "dot", "all", "any"]),
    ("shaders/accumulators/", &["sum"]),
    ("shaders/parts/", &["sum"]),
    ("shaders/tiles/", &["sum", "mean"]),
    ("shaders/histogram/", &["sum"]),
    ("shaders/exact/", &["product"]),
];

/// What kernels, collectives, layouts and sinks do is the same for all operations, and so is all else that none has alone.
#[test]
fn no_operation_is_named_where_all_are_the_same() {
    let operations = OpRecord::ALL.iter().chain(&OpRecord::PAIRS).map(|record| record.name());
    let operations: Vec<_> = operations.collect();
    for (path, text) in files("shaders", "wgsl") {
        if OF_ONE_OPERATION.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        let others = OTHER_MEANINGS.iter().filter(|(folder, _)| path.starts_with(folder));
        let others: Vec<_> = others.flat_map(|(_, words)| *words).collect();
        for line in code(&text) {
            let mut named = words(line).filter(|word| operations.contains(word));
            assert_eq!(named.find(|word| !others.contains(&word)), None, "{path}: {line}");
        }
    }
}

/// Modules of the layers without a device. Of the folders among them, some files have calls.
const WITHOUT_DEVICE: [&str; 31] = [
    "accumulator",
    "axis",
    "by_key",
    "caps",
    "custom",
    "decode",
    "deep_stack",
    "element",
    "error",
    "exact",
    "exact_gpu",
    "folding",
    "followed",
    "fragment",
    "histogram",
    "ladder",
    "lifting",
    "limits",
    "many_plan",
    "op",
    "pair",
    "part",
    "plan",
    "recording",
    "segments",
    "shader",
    "source",
    "tuning",
    "tuning_table",
    "variant",
    "window",
];

/// Files of such modules that call the device, as ARCHITECTURE.md lists them.
const CALLS: [&str; 22] = [
    "axis/calls.rs",
    "axis/custom.rs",
    "axis/output.rs",
    "axis/run.rs",
    "by_key/custom.rs",
    "by_key/run.rs",
    "by_key/runs.rs",
    "custom/input.rs",
    "custom/run.rs",
    "exact_gpu/paired.rs",
    "exact_gpu/run.rs",
    "histogram/carry.rs",
    "histogram/run.rs",
    "histogram/weights/run.rs",
    "ladder/histogram/run.rs",
    "ladder/run.rs",
    "segments/counted.rs",
    "segments/custom.rs",
    "segments/judge.rs",
    "segments/output.rs",
    "segments/run.rs",
    "tuning_table/store.rs",
];

/// Files without a device of a module that has calls.
const PLANS: [&str; 3] = ["stream/levels.rs", "stream/options.rs", "stream/plan.rs"];

/// Modules that know wgpu's plain data.
const PLAIN_DATA: [&str; 2] = ["caps", "tuning_table"];

#[test]
fn what_decides_knows_no_device() {
    let mut left_out = Vec::new();
    for (path, text) in files("src", "rs") {
        let inside = path.strip_prefix("src/").expect("it is in src");
        let module = inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs");
        let is_plan = PLANS.contains(&inside);
        if !WITHOUT_DEVICE.contains(&module) && !is_plan {
            continue;
        }
        let mut named = code(&text).filter_map(|line| Some((device_in(line, module)?, line)));
        if CALLS.contains(&inside) {
            // What calls nothing has no place in the list.
            assert!(named.next().is_some(), "{path}");
            left_out.push(inside.to_owned());
            continue;
        }
        assert_eq!(named.next(), None, "{path}");
        if is_plan {
            let folder = inside.split_once('/').map_or("", |(folder, _)| folder);
            let is_other = |name: &&str| !PLANS.contains(&&*format!("{folder}/{name}.rs"));
            assert_eq!(
                code(&text).flat_map(|line| named_in(line, "super::")).find(is_other),
                None,
                "{path}"
            );
        }
    }
    left_out.sort_unstable();
    assert_eq!(left_out, CALLS);
}

/// What a line of a module names that only those with a device may.
fn device_in<'l>(line: &'l str, module: &str) -> Option<&'l str> {
    let unknown = modules_of(line).find(|used| !WITHOUT_DEVICE.contains(used));
    let wgpu = (line.contains("wgpu::") && !PLAIN_DATA.contains(&module)).then_some("wgpu");
    unknown.or(wgpu)
}

/// The modules of this crate that a line names.
fn modules_of(line: &str) -> impl Iterator<Item = &str> {
    named_in(line, "crate::")
}

/// The modules that a line names below this one.
fn named_in<'l>(line: &'l str, parent: &'l str) -> impl Iterator<Item = &'l str> {
    let named = line.split(parent).skip(1).filter_map(|rest| words(rest).next());
    // What has a capital is of the parent itself.
    named.filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// What decides knows no file that calls, either, nor what such a file has by a shorter name.
#[test]
fn what_decides_leans_on_no_calls() {
    let called: Vec<_> = CALLS.into_iter().flat_map(names_of).collect();
    for (path, text) in files("src", "rs") {
        let inside = path.strip_prefix("src/").expect("it is in src");
        let module = inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs");
        if !WITHOUT_DEVICE.contains(&module) || CALLS.contains(&inside) {
            continue;
        }
        let named = paths_in(inside, &text);
        let leans = |named: &&String| called.iter().any(|called| is_below(named, called));
        assert_eq!(named.iter().find(leans), None, "{path}");
    }
}

/// The path of a module, and those of what the module around it passes on.
fn names_of(file: &str) -> Vec<String> {
    let (folder, name) = file.rsplit_once('/').expect("it is in a folder");
    let name = name.trim_end_matches(".rs");
    let around = std::fs::read_to_string(root().join(format!("src/{folder}/mod.rs")));
    let around = around.expect("it is there");
    let begin = format!("use {name}::");
    let passed_on = around.split(&begin).skip(1).filter_map(|rest| rest.split(';').next());
    let passed_on = passed_on.flat_map(words).filter(|word| !word.is_empty());
    let folder = folder.replace('/', "::");
    passed_on.chain([name]).map(|name| format!("{folder}::{name}")).collect()
}

/// Whether a path leads to what another does, or into it.
fn is_below(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The paths in this crate that a file's code names from `crate` or `super` on, each of those in braces by itself.
fn paths_in(inside: &str, text: &str) -> Vec<String> {
    let code: Vec<_> = code(text).collect();
    let code = code.join("\n");
    let mut own: Vec<_> = inside.trim_end_matches(".rs").split('/').collect();
    own.pop_if(|last| *last == "mod");
    let mut found = Vec::new();
    for (at, first) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        if code[..at].ends_with("::") {
            continue;
        }
        let (mut base, mut rest) = (own.clone(), &code[at..]);
        if first == "crate::" {
            (base, rest) = (Vec::new(), &rest[first.len()..]);
        }
        while let Some(behind) = rest.strip_prefix("super::") {
            base.pop();
            rest = behind;
        }
        let is_of_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let (path, behind) = rest.split_at(rest.find(|c| !is_of_path(c)).unwrap_or(rest.len()));
        let is_list = behind.starts_with('{');
        let list = behind.split(';').next().filter(|_| is_list).unwrap_or_default();
        let names = list.split([',', '{', '}']).filter_map(|name| name.split_whitespace().next());
        let base = base.join("::");
        let base = if base.is_empty() { path.to_owned() } else { format!("{base}::{path}") };
        found.extend(names.map(|name| format!("{base}{name}")));
        found.extend((!is_list).then_some(base));
    }
    found
}

#[test]
fn paths_are_found_from_the_crate_on() {
    let paths = |text| paths_in("custom/shader.rs", text);
    assert_eq!(paths("use super::input::InputType;"), ["custom::input::InputType"]);
    assert_eq!(paths("use super::{CustomInput,\n  A as B};"), ["custom::CustomInput", "custom::A"]);
    assert_eq!(paths("pub(super) fn f(x: crate::axis::View)"), ["axis::View"]);
    assert_eq!(paths_in("axis/tests/roundings.rs", "super::super::run::x()"), ["axis::run::x"]);
    assert_eq!(paths_in("ladder/mod.rs", "super::plan"), ["plan"]);
    assert!(paths("// use super::input").is_empty());
    assert!(is_below("custom::input::InputType", "custom::input"));
    assert!(!is_below("custom::inputs", "custom::input"));
    assert!(names_of("custom/input.rs").contains(&"custom::CustomInput".to_owned()));
}

/// Beside those in the table: one of two files' alone, and what is of the library's own tests.
const ALSO_OF_DEVICES: [&str; 3] = ["trusted", "faults", "overreads"];

#[test]
fn what_knows_the_device_leans_on_no_calls() {
    let architecture =
        std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it is there");
    let row =
        architecture.lines().find(|line| line.starts_with("| device |")).expect("it is there");
    let device: Vec<_> = row.split('`').filter_map(|name| name.strip_suffix(".rs")).collect();
    assert!(!device.is_empty(), "{row}");
    for module in &device {
        let path = root().join(format!("src/{module}.rs"));
        let text = std::fs::read_to_string(&path).expect("it is there");
        let lower = [&device[..], &WITHOUT_DEVICE, &ALSO_OF_DEVICES].concat();
        let is_of_calls = |module: &&str| !lower.contains(module);
        assert_eq!(code(&text).flat_map(modules_of).find(is_of_calls), None, "{module}");
        let names_calls = code(&text).flat_map(words).any(|word| word == "GpuReducer");
        assert!(!names_calls, "{module}");
    }
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

/// But for those of operations, each of which has one of its name.
#[test]
fn every_file_has_its_place_in_the_architecture() {
    let architecture =
        std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it is there");
    for (path, _) in files("src", "rs") {
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
