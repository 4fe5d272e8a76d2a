//! What is said about the levels of the ladder agrees with their shaders and files.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use wgpu_reduce::ElementKind;
use wgpu_reduce::ladder::{Form, LadderShader, Level, LoadWidth, Turns};

/// Level 00 has four entry points and one text, 06 two, 14 and 15 three, 07 two texts; atomic addition
/// of f32 is of two kinds.
const SHADERS: usize = (17 + 3 + 1 + 1 + 2 + 2) * 3 + 3 + 3;

#[test]
fn there_is_a_shader_for_every_level_form_and_element() {
    let all: HashSet<_> = LadderShader::all().collect();
    assert_eq!(all.len(), SHADERS);
    assert_eq!(LadderShader::all().count(), SHADERS, "a shader is listed twice");
    let names: HashSet<_> = all.iter().map(ToString::to_string).collect();
    assert_eq!(names.len(), SHADERS, "two shaders have the same name");
    for shader in all {
        let again = LadderShader::new(
            shader.level(),
            shader.element(),
            shader.form(),
            shader.needs_float_atomics(),
        );
        assert_eq!(again, Some(shader));
    }
}

#[test]
fn forms_are_those_of_their_levels() {
    let new = |level, form| LadderShader::new(level, ElementKind::I32, form, true);
    let forms = [Form::Plain, Form::Uncoalesced, Form::WithinSubgroup]
        .into_iter()
        .chain(Turns::ALL.map(Form::Unrolled))
        .chain(LoadWidth::ALL.map(Form::Width));
    for form in forms {
        for level in Level::ALL {
            let has = match form {
                Form::Plain => true,
                Form::Unrolled(_) => level == Level::SingleThread,
                Form::Uncoalesced => level == Level::Coarsened,
                Form::WithinSubgroup => level == Level::UnrollLast,
                Form::Width(_) => matches!(level.number(), 14 | 15),
                _ => unreachable!("a form that this test does not know"),
            };
            let shader = new(level, form);
            assert_eq!(shader.is_some(), has, "{level}, {form:?}");
            assert!(shader.is_none_or(|shader| !shader.needs_float_atomics()), "i32 needs none");
        }
    }
    let plain = new(Level::WorkgroupAtomic, Form::Plain);
    assert_eq!(plain, new(Level::WorkgroupAtomic, Form::Width(LoadWidth::Four)));
}

#[test]
fn every_shader_declares_the_constants_that_it_says() {
    for shader in LadderShader::all() {
        let module = naga::front::wgsl::parse_str(&shader.wgsl()).expect("it is WGSL");
        let declared: HashSet<_> =
            module.overrides.iter().filter_map(|(_, constant)| constant.name.as_deref()).collect();
        for name in ["WORKGROUP_SIZE", "ITEMS_PER_THREAD", "MAX_SUBGROUP_SIZE", "ROWS_IN_Y"] {
            assert_eq!(shader.declares(name), declared.contains(name), "{shader}: {name}");
        }
        assert!(declared.iter().all(|name| shader.declares(name)), "{shader}: {declared:?}");
    }
}

#[test]
fn only_those_that_say_so_use_subgroups() {
    for shader in LadderShader::all() {
        let uses = shader.wgsl().lines().any(|line| {
            let code = line.split("//").next().unwrap_or("");
            code.contains("subgroup") && !code.contains("MAX_SUBGROUP_SIZE")
        });
        assert_eq!(uses, shader.needs_subgroups(), "{shader}");
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders/ladder")
}

/// Names without extension, in order.
fn files() -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".wgsl").map(str::to_owned))
        .collect();
    names.sort();
    names
}

fn stem(level: Level) -> String {
    format!("{:02}_{}", level.number(), level.name())
}

#[test]
fn files_are_numbered_and_named_like_their_levels() {
    let mut expected: Vec<_> = Level::ALL.map(stem).into();
    expected.push("07_unroll_last_subgroup".into());
    expected.sort();
    assert_eq!(files(), expected);
    for shader in LadderShader::all() {
        let suffix = if shader.form() == Form::WithinSubgroup { "_subgroup" } else { "" };
        let path = folder().join(format!("{}{suffix}.wgsl", stem(shader.level())));
        let text = fs::read_to_string(path).unwrap();
        assert!(shader.wgsl().starts_with(&text), "{shader} does not start with its level's file");
    }
}

#[test]
fn every_file_has_its_header() {
    for name in files() {
        let text = fs::read_to_string(folder().join(format!("{name}.wgsl"))).unwrap();
        let header: Vec<_> = text.lines().take_while(|line| line.starts_with("//")).collect();
        let (number, rest) = name.split_once('_').unwrap();
        let title = format!("// Level {number}, {}", rest.trim_end_matches("_subgroup"));
        assert!(header.first().is_some_and(|line| line.starts_with(&title)), "{name}: {header:?}");
        // What else there is to a shader is appended, and the header says what that gives.
        for part in ["// Data: ", "// `T`, the type of elements", "// Write-ups: "] {
            let found = header.iter().any(|line| line.starts_with(part));
            assert!(found, "{name}: no \"{part}\"");
        }
        let whole = header.join("\n");
        assert_eq!(whole.contains("a file of atomics/"), text.contains("add_to_total("), "{name}");
        for elsewhere in ["as in level", "see level"] {
            assert!(!whole.contains(elsewhere), "{name}: not whole without another file");
        }
        assert!(header.iter().any(|line| line.contains("<-")), "{name}: no pseudocode");
        assert!(text.ends_with("}\n") && !text.ends_with("\n\n"), "{name}: end of file");
        assert!(text.lines().all(|line| line.len() <= 100), "{name}: a line is too long");
    }
}

#[test]
fn levels_are_in_order_and_found_by_number_and_name() {
    let names: HashSet<_> = Level::ALL.map(Level::name).into();
    assert_eq!(names.len(), Level::ALL.len());
    assert!(Level::ALL.is_sorted());
    for (number, level) in (0..).zip(Level::ALL) {
        assert_eq!(level.number(), number);
        assert_eq!(level.to_string(), format!("{number:02} {}", level.name()));
        let texts =
            [number.to_string(), format!("{number:02}"), level.name().into(), level.to_string()];
        for text in texts.into_iter().chain([stem(level), stem(level).to_uppercase()]) {
            assert_eq!(Level::find(&text), Some(level), "{text}");
        }
    }
    for text in ["", "17", "-1", "+7", "007", "unroll", "07_unroll_full", "07_"] {
        assert_eq!(Level::find(text), None, "{text:?}");
    }
}

#[test]
fn every_level_says_what_it_does_and_fixes() {
    let descriptions: HashSet<_> = Level::ALL.map(Level::description).into();
    let fixes: HashSet<_> = Level::ALL.map(Level::fixes).into();
    assert_eq!((descriptions.len(), fixes.len()), (Level::ALL.len(), Level::ALL.len()));
    assert!(descriptions.iter().all(|text| text.ends_with('.')), "{descriptions:?}");
    for level in Level::ALL {
        let needs = level.needs();
        assert_eq!(needs.subgroups, level.number() >= 10, "{level}");
        assert_eq!(needs.atomics, level.number() >= 14, "{level}");
    }
}

/// The kernels of each write-up, in the order of the levels that they are found at.
const WRITE_UPS: [(char, &[(u8, &str)]); 5] = [
    (
        'A',
        &[
            (1, "K0"),
            (2, "K1"),
            (3, "K2"),
            (4, "K3"),
            (6, "K4"),
            (7, "K5a"),
            (8, "K5b"),
            (10, "K6"),
            (13, "K7"),
        ],
    ),
    (
        'B',
        &[(10, "warp stage"), (12, "int2"), (13, "int4"), (14, "BlockAtomic"), (15, "WarpAtomic")],
    ),
    (
        'C',
        &[
            (0, "V0"),
            (1, "V1"),
            (3, "V2"),
            (5, "V3"),
            (9, "V5"),
            (10, "V4"),
            (10, "V5"),
            (13, "vectorised"),
            (14, "atomic"),
        ],
    ),
    ('D', &[(1, "mod"), (2, "idx"), (3, "seq"), (7, "unroll"), (7, "warp")]),
    ('E', &[(1, "0"), (2, "1"), (3, "2"), (5, "3"), (7, "4"), (8, "5"), (9, "6")]),
];

#[test]
fn every_kernel_of_the_write_ups_has_its_level() {
    for (write_up, expected) in WRITE_UPS {
        let found: Vec<_> = Level::ALL
            .into_iter()
            .flat_map(|level| level.sources().iter().map(move |source| (level, source)))
            .filter(|(_, source)| source.write_up == write_up)
            .map(|(level, source)| (level.number(), source.kernel))
            .collect();
        assert_eq!(found, expected, "write-up {write_up}");
    }
    let sources: usize = Level::ALL.map(|level| level.sources().len()).iter().sum();
    assert_eq!(sources, WRITE_UPS.map(|(_, kernels)| kernels.len()).iter().sum::<usize>());
}
