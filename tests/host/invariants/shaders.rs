//! What shaders name, by the rules of `shaders/README.md`.

use super::source::{code, words};
use super::tree::{files, text};
use std::collections::BTreeSet;
use wgpu_reduce::{ElementKind, OpRecord};

/// Folders of shaders that are of one operation: a file for each, the levels of the ladder, which all sum.
const OF_ONE_OPERATION: [&str; 2] = ["shaders/ops/", "shaders/ladder/"];

/// WGSL's functions that are called as operations are.
const BUILT_IN: [&str; 5] = ["min", "max", "dot", "all", "any"];

/// What is no operation there, though one has this name: sums that several operations' accumulators have, and the
/// terms of an exact dot product.
const PLAIN_WORDS: [(&str, &str); 5] = [
    ("shaders/accumulators/", "sum"),
    ("shaders/parts/", "sum"),
    ("shaders/tiles/", "sum"),
    ("shaders/histogram/", "sum"),
    ("shaders/exact/", "product"),
];

/// Numbers that the pipeline sets, and WGSL's own functions for numbers of one word or two.
const PLAIN_NAMES: [&str; 5] =
    ["MIN_SUBGROUP_SIZE", "MAX_SUBGROUP_SIZE", "bits_min", "bits_max", "all_bits"];

/// `FirstName`, `FIRST_NAME` and `first_name` as `_first_name_`. Functions of WGSL as `subgroupMax` stay one word.
fn parts_of(name: &str) -> String {
    let is_type = name.starts_with(char::is_uppercase);
    let (mut parts, mut is_low) = (String::from("_"), false);
    for c in name.chars() {
        if is_type && is_low && c.is_uppercase() {
            parts.push('_');
        }
        is_low = c.is_lowercase();
        parts.extend(c.to_lowercase());
    }
    parts + "_"
}

/// Words of a text, each with what stands behind it.
fn words_before(text: &str) -> impl Iterator<Item = (&str, &str)> {
    words(text).map(|word| {
        // `word` is a part of `text`.
        let end = word.as_ptr() as usize - text.as_ptr() as usize + word.len();
        (word, &text[end..])
    })
}

/// The operation that a shader's text or path names where it must not.
fn named_in(path: &str, text: &str) -> Option<String> {
    let records = OpRecord::ALL.iter().chain(&OpRecord::PAIRS);
    let operations: Vec<_> = records.map(|record| record.name()).collect();
    let names = |word: &str| {
        let parts = parts_of(word);
        let is_plain = |operation: &str| {
            let is_there =
                |(folder, plain): &(&str, &str)| path.starts_with(folder) && *plain == operation;
            PLAIN_WORDS.iter().any(is_there)
        };
        let is_in = |operation: &&str| parts.contains(&format!("_{operation}_"));
        operations.iter().any(|operation| is_in(operation) && !is_plain(operation))
    };
    let in_path = words(path).find(|word| names(word)).map(str::to_owned);
    let mut in_text = words_before(text).filter(|(word, behind)| {
        let is_called = BUILT_IN.contains(word) && behind.starts_with('(');
        !is_called && !PLAIN_NAMES.contains(word) && names(word)
    });
    in_path.or_else(|| in_text.next().map(|(word, _)| word.to_owned()))
}

/// What kernels, collectives, layouts and sinks do is the same for all operations, and so is all else that none has alone.
#[test]
fn no_operation_is_named_where_all_are_the_same() {
    for (path, text) in files("shaders", &["wgsl"]) {
        if OF_ONE_OPERATION.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        assert_eq!(named_in(&path, &code(&text)), None, "{path}");
    }
}

#[test]
fn operations_are_found_in_parts_of_names() {
    let found = |text: &str| named_in("shaders/kernels/elements.wgsl", text);
    for (text, word) in [
        ("let sum = 1;", "sum"),
        ("let sum_of_x = 1;", "sum_of_x"),
        ("let x_sum = 1;", "x_sum"),
        ("const SUM_WORDS: u32 = 1;", "SUM_WORDS"),
        ("struct TileStats {}", "TileStats"),
        ("let min = 1;", "min"),
        ("fn nan_max_of(x: u32) {}", "nan_max_of"),
    ] {
        assert_eq!(found(text), Some(word.to_owned()), "{text}");
    }
    for text in ["let x = min(a, max(b, c));", "x(MIN_SUBGROUP_SIZE)", "summed(subgroupMax(x))"] {
        assert_eq!(found(text), None, "{text}");
    }
    assert_eq!(named_in("shaders/tiles/stats_f32.wgsl", ""), Some("stats_f32".to_owned()));
    let of_tiles = |text: &str| named_in("shaders/tiles/each.wgsl", text);
    assert_eq!(of_tiles("let sum = sum_of(x);"), None);
    assert_eq!(of_tiles("let sum_and_mean = x;"), Some("sum_and_mean".to_owned()));
}

/// Folders that know no type of elements.
const WITHOUT_TYPE: [&str; 6] = ["collectives", "kernels", "layouts", "quads", "shuffles", "sinks"];

/// How lanes fold an accumulator: it may name what that is of.
const OF_AN_ACCUMULATOR: &str = "shaders/collectives/lanes_described.wgsl";

/// The type of elements that a text names. Words, indices and counts are `u32` for all.
fn type_in(text: &str) -> Option<&str> {
    let types: Vec<_> = ElementKind::ALL.into_iter().map(ElementKind::name).collect();
    words(text).find(|word| {
        let parts = parts_of(word);
        types.iter().any(|name| *name != "u32" && parts.contains(&format!("_{name}_")))
    })
}

#[test]
fn no_type_is_named_where_all_are_the_same() {
    assert_eq!(type_in("let x = words_of_f64(y);"), Some("words_of_f64"));
    assert_eq!(type_in("let x: vec4<u32> = f(y);"), None);
    for folder in WITHOUT_TYPE {
        for (path, text) in files(&format!("shaders/{folder}"), &["wgsl"]) {
            if path != OF_AN_ACCUMULATOR {
                assert_eq!(type_in(&path).or(type_in(&code(&text))), None, "{path}");
            }
        }
    }
}

/// Folders whose files operations know nothing of.
const UNKNOWN_TO_OPERATIONS: [&str; 3] = ["collectives", "kernels", "sinks"];

/// The names of a shader's functions, types, constants and variables.
fn declared_in(code: &str) -> impl Iterator<Item = &str> {
    // Names inside a function are indented.
    let lines = code.lines().map(without_attributes).filter(|line| !line.starts_with(' '));
    lines.filter_map(|line| {
        let (kind, rest) = line.split_once([' ', '<'])?;
        let rest = if kind == "var" { rest.split_once('>')?.1 } else { rest };
        let declares = ["fn", "struct", "const", "override", "var", "alias"].contains(&kind);
        words(rest).next().filter(|_| declares)
    })
}

/// A line behind what begins it as `@binding(2)` does.
fn without_attributes(mut line: &str) -> &str {
    while line.starts_with('@') {
        let end = line.find([' ', '(']).unwrap_or(line.len());
        let is_bracket = line[end..].starts_with('(');
        let end = line[end..].find(')').filter(|_| is_bracket).map_or(end, |at| end + at + 1);
        line = line[end..].trim_start();
    }
    line
}

#[test]
fn operations_name_no_kernel_collective_or_sink() {
    let of = "@group(0) @binding(2) var<storage, read> a: b;\nfn c() {\n    let d = 1;\n}\n\
              override E: u32 = 1;\nstruct F {\nvar<workgroup> g: u32;\n@compute fn h() {}\n";
    assert_eq!(declared_in(of).collect::<Vec<_>>(), ["a", "c", "E", "F", "g", "h"]);
    let mut unknown = BTreeSet::new();
    for folder in UNKNOWN_TO_OPERATIONS {
        for (_, text) in files(&format!("shaders/{folder}"), &["wgsl"]) {
            unknown.extend(declared_in(&code(&text)).map(str::to_owned));
        }
    }
    // What lifts say where no kernel does is for whoever asks.
    for (_, text) in files("shaders/lifts", &["wgsl"]) {
        declared_in(&code(&text)).for_each(|name| {
            unknown.remove(name);
        });
    }
    let known = ["gather", "combine_workgroup", "fold_workgroup", "WORKGROUP_SIZE", "parameters"];
    for name in known {
        assert!(unknown.contains(name), "{name} is not in {unknown:?}");
    }
    for (path, text) in files("shaders/ops", &["wgsl"]) {
        let code = code(&text);
        let is_unknown = |word: &&str| {
            let parts = parts_of(word);
            let is_of_group = ["_workgroup", "_subgroup"].iter().any(|of| parts.contains(of));
            // A variable of a function's own may have the same name.
            let declares =
                ["let ", "var "].iter().any(|kind| code.contains(&format!("{kind}{word} ")));
            is_of_group || unknown.contains(*word) && !declares
        };
        assert_eq!(words(&code).find(is_unknown), None, "{path}");
    }
}

/// The struct of a text with a builtin among its members.
fn struct_of_builtins(code: &str) -> Option<&str> {
    let structs = code.split("struct ").skip(1);
    let mut bodies = structs.filter_map(|rest| rest.split_once('}')).map(|(body, _)| body);
    bodies.find(|body| body.contains("@builtin")).and_then(|body| words(body).next())
}

/// The alias of an array in a text.
fn alias_of_array(code: &str) -> Option<&str> {
    let mut aliases = code.split("alias ").skip(1).filter_map(|rest| rest.split_once('='));
    aliases.find(|(_, of)| of.trim_start().starts_with("array<")).map(|(name, _)| name.trim())
}

/// The constant of a vector in a text, whether its type is named or is that of its value.
fn constant_of_vector(code: &str) -> Option<&str> {
    let mut constants = code.split("const ").skip(1).filter_map(|rest| rest.split_once(';'));
    let (constant, _) = constants.find(|(constant, _)| constant.contains("vec"))?;
    words(constant).next()
}

/// naga writes HLSL and SPIR-V of builtins in structs and of aliases that compilers refuse, or that do something else. It refuses
/// constants of vectors behind an array whose length is an override.
#[test]
fn no_struct_has_builtins_no_alias_is_an_array_and_no_constant_a_vector() {
    let of_members =
        "struct A {\n    x: u32,\n}\nstruct B {\n    @builtin(workgroup_id) id: vec3<u32>,\n}";
    assert_eq!(struct_of_builtins(of_members), Some("B"));
    let of_arguments = "struct A {\n    x: u32,\n}\nfn b(@builtin(workgroup_id) id: vec3<u32>) {}";
    assert_eq!(struct_of_builtins(of_arguments), None);
    assert_eq!(alias_of_array("alias A = u32;\nalias B = array<u32, 3>;"), Some("B"));
    assert_eq!(alias_of_array("alias A = vec2<u32>;\nvar a: array<u32, 3>;"), None);
    assert_eq!(constant_of_vector("const A = 1u;\nconst B = vec2<u32>(1u);"), Some("B"));
    assert_eq!(constant_of_vector("const A: u32 = 1u;\nfn b() -> vec2<u32> {}"), None);
    for (path, text) in files("shaders", &["wgsl"]) {
        let code = code(&text);
        assert_eq!(struct_of_builtins(&code), None, "{path}");
        assert_eq!(alias_of_array(&code), None, "{path}");
        assert_eq!(constant_of_vector(&code), None, "{path}");
    }
}

/// What a text uses of WGSL that came after its first version, but for `subgroup_id`, which the library asks browsers for.
fn later_feature(code: &str) -> Option<&str> {
    const LATER: [&str; 11] = [
        "requires",
        "dot4U8Packed",
        "dot4I8Packed",
        "pack4xI8",
        "pack4xU8",
        "pack4xI8Clamp",
        "pack4xU8Clamp",
        "unpack4xI8",
        "unpack4xU8",
        "global_invocation_index",
        "workgroup_index",
    ];
    let pointers = code.split("ptr<").skip(1).filter_map(|rest| rest.split(',').next());
    let elsewhere = pointers.map(str::trim).find(|space| !["function", "private"].contains(space));
    // A pointer's members and elements are those of what it points to, and once had to be written so.
    let entered = code.split("fn ").skip(1).find_map(|function| {
        let (arguments, body) = function.split_once('{')?;
        let mut names: Vec<_> =
            arguments.split(": ptr<").filter_map(|text| words(text).last()).collect();
        // What follows the last pointer's declaration is no name.
        names.pop();
        let is_address =
            |rest: &&str| rest.split_once("= ").is_some_and(|(_, to)| to.starts_with('&'));
        let bound = body.split("let ").skip(1).filter(is_address);
        names.extend(bound.filter_map(|rest| words(rest).next()));
        let is_entered = |name: &&str| {
            let of_another = |letter: char| letter.is_alphanumeric() || "_.*".contains(letter);
            body.match_indices(*name).any(|(at, _)| {
                let (before, after) = (&body[..at], &body[at + name.len()..]);
                !before.ends_with(of_another) && after.starts_with(['.', '['])
            })
        };
        names.into_iter().find(is_entered)
    });
    words(code).find(|word| LATER.contains(word)).or(elsewhere).or(entered)
}

/// Browsers may lack each feature of the language that is not of its first version.
#[test]
fn shaders_use_the_first_version_of_wgsl() {
    assert_eq!(later_feature("fn f(p: ptr<function, u32>) { let a = (*p)[0]; }"), None);
    assert_eq!(later_feature("fn f(p: ptr<function, A>) { let a = p[0]; }"), Some("p"));
    assert_eq!(later_feature("fn f(p: ptr<function, A>) { let a = p.x; }"), Some("p"));
    assert_eq!(later_feature("fn f(p: ptr<workgroup, A>) {}"), Some("workgroup"));
    assert_eq!(later_feature("fn f() { let p = &a; let b = (*p).x; }"), None);
    assert_eq!(later_feature("fn f() { let p = &a; let b = p.x; }"), Some("p"));
    assert_eq!(later_feature("let a = dot4U8Packed(b, c);"), Some("dot4U8Packed"));
    for (path, text) in files("shaders", &["wgsl"]) {
        assert_eq!(later_feature(&code(&text)), None, "{path}");
    }
}

/// `cargo xtask quick` and mutants choose tests by the folder of a shader.
#[test]
fn tests_of_every_folder_are_known() {
    let known = text("tests/gpu/filters.txt");
    let known: BTreeSet<_> = known.lines().filter_map(|line| line.split(' ').next()).collect();
    let shaders = files("shaders", &["wgsl"]);
    let folders: BTreeSet<_> =
        shaders.iter().filter_map(|(path, _)| path.split('/').nth(1)).collect();
    assert_eq!(known, folders, "tests/gpu/filters.txt");
}
