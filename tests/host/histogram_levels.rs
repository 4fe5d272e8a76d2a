//! What is said about the levels of the ladder's histogram agrees with the files.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use wgpu_reduce::ladder::HistogramLevel;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders/ladder/histogram")
}

#[test]
fn files_are_those_of_the_levels() {
    let names = fs::read_dir(folder()).unwrap();
    let names: HashSet<_> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let stem = |level: HistogramLevel| format!("{}_{}.wgsl", level.number(), level.name());
    assert_eq!(names, HistogramLevel::ALL.map(stem).into());
    for level in HistogramLevel::ALL {
        assert_eq!(fs::read_to_string(folder().join(stem(level))).unwrap(), level.wgsl());
    }
}

#[test]
fn every_file_has_its_header() {
    for level in HistogramLevel::ALL {
        let text = level.wgsl();
        let header: Vec<_> = text.lines().take_while(|line| line.starts_with("//")).collect();
        let title = format!("// Histogram level {}, {}: ", level.number(), level.name());
        assert!(header.first().is_some_and(|line| line.starts_with(&title)), "{header:?}");
        for part in ["// How the code differs", "// Still wasted: ", "// Data: ", "// Write-ups: C"]
        {
            let found = header.iter().any(|line| line.starts_with(part));
            assert!(found, "{level}: no \"{part}\"");
        }
        assert!(header.iter().any(|line| line.contains("<-")), "{level}: no pseudocode");
        assert!(text.ends_with("}\n") && !text.ends_with("\n\n"), "{level}: end of file");
        assert!(text.lines().all(|line| line.len() <= 100), "{level}: a line is too long");
    }
}

#[test]
fn only_those_that_say_so_use_subgroups() {
    for level in HistogramLevel::ALL {
        let uses = level.wgsl().lines().any(|line| {
            line.split("//").next().is_some_and(|code| code.contains("@builtin(subgroup"))
        });
        assert_eq!(uses, level.needs_subgroups(), "{level}");
    }
}

#[test]
fn every_level_says_what_it_does_and_fixes() {
    let descriptions: HashSet<_> = HistogramLevel::ALL.map(HistogramLevel::description).into();
    let fixes: HashSet<_> = HistogramLevel::ALL.map(HistogramLevel::fixes).into();
    assert_eq!((descriptions.len(), fixes.len()), (3, 3));
    assert!(descriptions.iter().all(|text| text.ends_with('.')), "{descriptions:?}");
    assert!(HistogramLevel::ALL.is_sorted());
}
