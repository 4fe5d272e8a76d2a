//! The numbers that the house holds itself to, counted in the tree and in its documentation.

use crate::shell::{self, Outcome, cargo, run};
use crate::workspace::target_folder;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints each count beside its limit.
pub(crate) fn print() -> Outcome {
    run(cargo().args(["doc", "--package", "wgpu-reduce", "--no-deps"]))?;
    let docs = target_folder().join("doc/wgpu_reduce");
    let root = shell::root();
    let sources = files(&root.join("src"), "rs")?;
    let in_root = sources.iter().filter(|file| file.parent() == Some(&root.join("src"))).count();
    let lines = lines(&sources)?;
    let tests: Vec<_> = sources.into_iter().filter(|file| is_of_tests(file, &root)).collect();
    let documents = tracked(&root, "*.md")?;
    let bytes = documents.iter().map(|file| size(file)).sum::<Result<u64, String>>()?;
    let rows = [
        ("methods of GpuReducer", methods(&docs)?, 70),
        ("exported types", types(&docs)?, 80),
        ("files in the root of src", in_root as u64, 4),
        ("lines of src", lines, 33_000),
        ("bytes of README.md", size(&root.join("README.md"))?, 10 << 10),
        ("bytes of ARCHITECTURE.md", size(&root.join("ARCHITECTURE.md"))?, 8 << 10),
        ("bytes of docs/adding.md", size(&root.join("docs/adding.md"))?, 6 << 10),
        ("KiB of documents", bytes >> 10, 150),
    ];
    println!("lines of src in files of tests: {}", self::lines(&tests)?);
    for (what, count, most) in rows {
        let over = if count > most { "over" } else { "" };
        println!("{what:28} {count:8} of {most:8} {over}");
    }
    println!("Files that an operation and an element type take: docs/adding.md");
    Ok(())
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

fn size(file: &Path) -> Result<u64, String> {
    let metadata = fs::metadata(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(metadata.len())
}

/// Methods of its own, as its page has them.
fn methods(docs: &Path) -> Result<u64, String> {
    let page = read(&docs.join("struct.GpuReducer.html"))?;
    let own = page.split("id=\"trait-implementations\"").next().unwrap_or_default();
    Ok(own.matches("<section id=\"method.").count() as u64)
}

/// Structs, enums, traits and names for types, as the list of all items has them.
fn types(docs: &Path) -> Result<u64, String> {
    let page = read(&docs.join("all.html"))?;
    let of = |kind: &str| page.matches(&format!("href=\"{kind}.")).count() as u64;
    Ok(["struct", "enum", "trait", "type"].into_iter().map(of).sum())
}

fn lines(files: &[PathBuf]) -> Result<u64, String> {
    let of = |file: &PathBuf| Ok(read(file)?.lines().count() as u64);
    files.iter().map(of).sum()
}

/// Whether a file is of tests alone.
fn is_of_tests(file: &Path, root: &Path) -> bool {
    let path = file.strip_prefix(root).unwrap_or(file);
    let named = |part: &std::path::Component<'_>| {
        let part = part.as_os_str().to_string_lossy();
        part == "tests" || part.starts_with("tests.") || part.starts_with("follow")
    };
    path.components().any(|part| named(&part))
}

/// Files that git tracks, by a pattern of its own.
fn tracked(root: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let names = shell::output(Command::new("git").args(["ls-files", pattern]).current_dir(root));
    let names = names.ok_or("git does not say which files it tracks")?;
    Ok(names.lines().map(|name| root.join(name)).collect())
}

/// Files of a folder, and of all below it, that end so.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let failed = |error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            found.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|other| other == extension) {
            found.push(path);
        }
    }
    Ok(found)
}
