//! What a file of the library names of the others.

use super::source::{code, words};
use super::tree::files;
use std::collections::{BTreeMap, BTreeSet};

/// The code of the library's files, by their paths below `src/`.
pub(super) struct Library(BTreeMap<String, String>);

impl Library {
    pub(super) fn new() -> Self {
        let files = files("src", &["rs"]).into_iter();
        let inside = |path: &str| path.strip_prefix("src/").expect("it is in src").to_owned();
        Self(files.map(|(path, text)| (inside(&path), code(&text))).collect())
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(super) fn code(&self, file: &str) -> &str {
        self.0.get(file).unwrap_or_else(|| panic!("there is no src/{file}"))
    }

    /// The files that one names something of, but for what it only passes on.
    pub(super) fn leans_on(&self, file: &str) -> BTreeSet<&str> {
        let mut paths = paths_in(file, self.code(file));
        paths.extend(self.paths_below(file));
        let others = paths.iter().map(|path| self.leads_to(path));
        others.filter(|other| *other != file).collect()
    }

    /// The file that has what a path from the crate on names.
    fn leads_to(&self, path: &str) -> &str {
        let (mut file, mut module) = ("lib.rs", Vec::new());
        for part in path.split("::") {
            module.push(part);
            if let Some(next) = self.file_of(&module) {
                file = next;
                continue;
            }
            module.pop();
            // What a file has under this name it has itself, or passes on.
            let onward = self.passed_on(file, part).filter(|onward| *onward != path);
            return onward.map_or(file, |onward| self.leads_to(&onward));
        }
        file
    }

    fn file_of(&self, module: &[&str]) -> Option<&str> {
        let path = module.join("/");
        let forms = [format!("{path}.rs"), format!("{path}/mod.rs")];
        forms.iter().find_map(|form| self.0.get_key_value(form)).map(|(file, _)| file.as_str())
    }

    /// The path of what a file imports under a name.
    fn passed_on(&self, file: &str, name: &str) -> Option<String> {
        let code = self.code(file);
        // Not of a module in it.
        let own_begins = begins_of_uses(code).filter(|&at| modules_around(code, at).is_empty());
        let mut found = own_begins.flat_map(|at| {
            let mut paths = Vec::new();
            leaves(&code[at..], "", &mut paths);
            paths
        });
        let Leaf { path, .. } = found.find(|leaf| leaf.name == name)?;
        let mut base = module_of(file);
        let mut parts: Vec<_> = path.split("::").collect();
        match parts[0] {
            "crate" => base.clear(),
            "super" | "self" => {}
            first => {
                base.push(first);
                // Of another crate, or of the file itself.
                self.file_of(&base)?;
                base.pop();
            }
        }
        while ["crate", "super", "self"].contains(parts.first()?) {
            if parts.remove(0) == "super" {
                base.pop();
            }
        }
        Some([base, parts].concat().join("::"))
    }

    /// Paths from the crate on of what a file names of its own modules, but for what it only passes on.
    fn paths_below(&self, file: &str) -> Vec<String> {
        let (own, code) = (module_of(file), self.code(file));
        let is_below = |other: &&[&str]| other.len() == own.len() + 1 && other.starts_with(&own);
        let modules: Vec<_> = self.files().map(module_of).collect();
        let below = modules.iter().map(Vec::as_slice).filter(is_below);
        let mut found = Vec::new();
        for name in below.filter_map(|module| module.last()) {
            for (at, _) in code.match_indices(&format!("{name}::")) {
                let before = &code[..at];
                let statement = before.rsplit([';', '}']).next().unwrap_or_default();
                let mut words = statement.split_whitespace();
                let is_passed_on =
                    words.any(|word| word.starts_with("pub")) && words.any(|word| word == "use");
                if begins_path(before) && !is_passed_on {
                    leaves(&code[at..], &own.join("::"), &mut found);
                }
            }
        }
        found.into_iter().map(|leaf| leaf.path).collect()
    }

    /// The files with which one is in a circle of imports, among some files alone.
    pub(super) fn circle(&self, file: &str, is_among: impl Fn(&str) -> bool) -> BTreeSet<&str> {
        let from = self.reached_from(file, &is_among);
        let leads_back = |other: &&str| self.reached_from(other, &is_among).contains(file);
        from.into_iter().filter(leads_back).collect()
    }

    fn reached_from(&self, file: &str, is_among: &impl Fn(&str) -> bool) -> BTreeSet<&str> {
        let mut reached = BTreeSet::new();
        let mut next = vec![file];
        while let Some(file) = next.pop() {
            let others = self.leans_on(file).into_iter().filter(|other| is_among(other));
            let others: Vec<_> = others.filter(|other| reached.insert(*other)).collect();
            next.extend(others);
        }
        reached
    }
}

/// The modules that lead to a file.
fn module_of(file: &str) -> Vec<&str> {
    let mut own: Vec<_> = file.trim_end_matches(".rs").split('/').collect();
    own.pop_if(|last| ["mod", "lib"].contains(last));
    own
}

/// The paths from the crate on that a file names from `crate`, `super` or `self` on, each of those in braces by itself.
fn paths_in(file: &str, code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let begins = ["crate::", "super::", "self::"];
    for (at, first) in begins.into_iter().flat_map(|first| code.match_indices(first)) {
        if !begins_path(&code[..at]) {
            continue;
        }
        let mut base = module_of(file);
        base.extend(modules_around(code, at));
        let mut rest = &code[at..];
        if first == "crate::" {
            base.clear();
        }
        rest = rest.strip_prefix("crate::").or(rest.strip_prefix("self::")).unwrap_or(rest);
        while let Some(behind) = rest.strip_prefix("super::") {
            base.pop();
            rest = behind;
        }
        leaves(rest, &base.join("::"), &mut found);
    }
    found.into_iter().map(|leaf| leaf.path).collect()
}

/// Whether what stands before allows a path to begin.
fn begins_path(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
}

/// The modules in a file that are around a place of it.
fn modules_around(code: &str, at: usize) -> Vec<&str> {
    let (mut around, mut begin) = (Vec::new(), 0);
    for line in code.split_inclusive('\n') {
        let indented = line.len() - line.trim_start().len();
        let named = line.trim_end().strip_suffix(" {").and_then(|line| line.split_once("mod "));
        if let Some((before, name)) = named {
            let end = code[begin..].find(&format!("\n{}}}", &line[..indented]));
            let end = end.map_or(code.len(), |end| begin + end);
            let is_module = before.trim().is_empty() || before.trim().starts_with("pub");
            around.extend((is_module && (begin..end).contains(&at)).then_some(name));
        }
        begin += line.len();
    }
    around
}

/// Where each `use` of a file says what it imports.
fn begins_of_uses(code: &str) -> impl Iterator<Item = usize> {
    let found = code.match_indices("use ").filter(|(at, _)| begins_path(&code[..*at]));
    found.map(|(at, word)| at + word.len())
}

/// A path, and under which name it is imported.
struct Leaf {
    path: String,
    name: String,
}

/// The paths that a text begins with, one for each name in its braces, behind `base`. Returns how long that is.
fn leaves(text: &str, base: &str, found: &mut Vec<Leaf>) -> usize {
    let mut path = base.to_owned();
    let mut at = text.len() - text.trim_start().len();
    loop {
        let rest = &text[at..];
        if rest.starts_with('{') {
            at += 1;
            loop {
                let is_between = |c: char| c == ',' || c.is_whitespace();
                at += text[at..].len() - text[at..].trim_start_matches(is_between).len();
                if text[at..].is_empty() || text[at..].starts_with('}') {
                    return (at + 1).min(text.len());
                }
                at += leaves(&text[at..], &path, found);
                // Behind it may be another name.
                at += text[at..].find([',', '}']).unwrap_or(text[at..].len());
            }
        }
        let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
        let name = if rest.starts_with('*') {
            "*"
        } else {
            &rest[..rest.find(|c| !is_of_name(c)).unwrap_or(rest.len())]
        };
        if !name.is_empty() && name != "self" {
            let joint = if path.is_empty() { "" } else { "::" };
            path = format!("{path}{joint}{name}");
        } else if name == "self" && path.is_empty() {
            path.push_str(name);
        }
        at += name.len();
        let goes_on = text[at..]
            .strip_prefix("::")
            .filter(|behind| behind.starts_with(|c: char| is_of_name(c) || c == '{' || c == '*'));
        if name.is_empty() || goes_on.is_none() {
            let renamed = text[at..].trim_start().strip_prefix("as ");
            let shown = renamed.or(path.rsplit("::").next()).unwrap_or_default();
            let name = words(shown).next().unwrap_or_default().to_owned();
            found.push(Leaf { path, name });
            return at;
        }
        at += "::".len();
    }
}

#[test]
fn paths_are_found_from_the_crate_on() {
    let paths = |text| paths_in("custom/shader.rs", text);
    assert_eq!(paths("use super::input::InputType;"), ["custom::input::InputType"]);
    assert_eq!(paths("use super::{CustomInput,\n  A as B};"), ["custom::CustomInput", "custom::A"]);
    assert_eq!(paths("pub(super) fn f(x: crate::axis::View)"), ["axis::View"]);
    assert_eq!(paths("let x = crate::axis::cut::<T>(y);"), ["axis::cut"]);
    assert_eq!(paths("use self::a::B;"), ["custom::shader::a::B"]);
    assert_eq!(paths_in("axis/tests/roundings.rs", "super::super::run::x()"), ["axis::run::x"]);
    assert_eq!(paths_in("ladder/mod.rs", "super::plan"), ["plan"]);
    assert_eq!(paths_in("a.rs", "mod b {\n    use super::C;\n}\nuse super::D;"), ["a::C", "D"]);
}

/// Neither braces nor names of the crate's own hide what is named.
#[test]
fn grouped_and_capitalised_imports_are_seen() {
    let paths = |text| paths_in("axis/form.rs", text);
    let grouped = "use crate::{context::{self, Context}, buffer::GpuBuffer,\n};";
    assert_eq!(paths(grouped), ["context", "context::Context", "buffer::GpuBuffer"]);
    assert_eq!(paths("use crate::GpuReducer;"), ["GpuReducer"]);
    assert_eq!(paths("use crate::*;"), ["*"]);
    let library = Library::new();
    for (path, file) in [
        ("context", "context.rs"),
        ("buffer::GpuBuffer", "buffer.rs"),
        ("GpuReducer", "reducer.rs"),
        ("ArgMax", "op/argmax.rs"),
        ("custom::CustomInput", "custom/input.rs"),
        ("axis::run", "axis/run.rs"),
        ("exact_gpu::ExactPlan::new", "exact_gpu/plan.rs"),
        ("fragment::fragment", "fragment.rs"),
        ("*", "lib.rs"),
        ("Unknown", "lib.rs"),
    ] {
        assert_eq!(library.leads_to(path), file, "{path}");
    }
}

#[test]
fn what_a_module_passes_on_it_does_not_lean_on() {
    let files = [
        ("lib.rs", "mod a;\nmod b;\n"),
        (
            "a/mod.rs",
            "mod c;\nmod d;\nmod e;\n#[cfg(x)]\npub use c::{C as B, D};\nuse d::E;\nfn f() { e::f() }\n",
        ),
        ("a/c.rs", "use super::E;\nuse crate::a::f;\n"),
        ("a/d.rs", "use super::B;\n"),
        ("a/e.rs", "use std::fmt;\npub use f::g;\nmod f {\n    use super::h;\n}\n"),
        ("b.rs", "use crate::a::B;\nuse a::x;\n"),
    ];
    let library =
        Library(files.into_iter().map(|(file, text)| (file.into(), text.into())).collect());
    let leans = |file| library.leans_on(file).into_iter().collect::<Vec<_>>();
    assert_eq!(leans("a/mod.rs"), ["a/d.rs", "a/e.rs"]);
    assert_eq!(leans("a/c.rs"), ["a/d.rs", "a/mod.rs"]);
    assert_eq!((leans("b.rs"), leans("a/e.rs")), (vec!["a/c.rs"], vec![]));
    assert_eq!(
        library.circle("a/c.rs", |_| true).into_iter().collect::<Vec<_>>(),
        ["a/c.rs", "a/d.rs", "a/mod.rs"]
    );
    let without_mod = |file: &str| file != "a/mod.rs";
    assert_eq!(library.circle("a/mod.rs", without_mod), BTreeSet::new());
    assert_eq!(library.circle("b.rs", |_| true), BTreeSet::new());
}
