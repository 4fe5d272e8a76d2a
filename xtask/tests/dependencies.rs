//! What the workspace depends on: licences that `deny.toml` allows, and nothing from anywhere but the registry.

use cargo_metadata::{CargoOpt, Dependency, DependencyKind, Metadata, MetadataCommand, Source};
use spdx::{Expression, LicenseReq};
use std::path::Path;
use toml::Table;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is around it")
}

fn metadata() -> Metadata {
    let mut command = MetadataCommand::new();
    command.features(CargoOpt::AllFeatures);
    command.manifest_path(root().join("Cargo.toml")).exec().expect("cargo knows the workspace")
}

/// The licences that are allowed.
fn allowed() -> Vec<LicenseReq> {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("it is there");
    let table: Table = text.parse().expect("it is TOML");
    let names = table["licenses"]["allow"].as_array().expect("it is a list");
    let licence = |name: &str| {
        let expression = Expression::parse(name).expect("licences have SPDX names");
        expression.requirements().next().expect("it is one").req.clone()
    };
    names.iter().map(|name| licence(name.as_str().expect("it is a name"))).collect()
}

#[test]
fn licences_are_allowed() {
    let allowed = allowed();
    for package in &metadata().packages {
        let name = &package.name;
        let text = package.license.as_deref().unwrap_or_else(|| panic!("{name} has no licence"));
        let mode = spdx::ParseMode { allow_slash_as_or_operator: true, ..spdx::ParseMode::STRICT };
        let expression = Expression::parse_mode(text, mode).expect("licences are expressions");
        assert!(expression.evaluate(|asked| allowed.contains(asked)), "{name}: {text}");
    }
    assert!(!allowed.is_empty());
}

#[test]
fn packages_come_from_the_registry_or_are_ours() {
    let metadata = metadata();
    for package in &metadata.packages {
        let is_ours = metadata.workspace_members.contains(&package.id);
        let is_from_registry = package.source.as_ref().is_some_and(Source::is_crates_io);
        assert!(is_ours != is_from_registry, "{} comes from {:?}", package.name, package.source);
    }
}

/// Users of the library alone get few packages with it.
#[test]
fn the_library_has_few_direct_dependencies() {
    let metadata = metadata();
    let library = metadata.packages.iter().find(|package| package.name.as_str() == "wgpu-reduce");
    let library = library.expect("it is a member");
    let is_for_browsers = |dependency: &&Dependency| {
        let target = dependency.target.as_ref().map(ToString::to_string);
        target.is_some_and(|target| target.contains("wasm") && !target.contains("not("))
    };
    let always = library.dependencies.iter().filter(|dependency| {
        dependency.kind == DependencyKind::Normal
            && !dependency.optional
            && !is_for_browsers(dependency)
    });
    let names: Vec<_> = always.map(|dependency| dependency.name.as_str()).collect();
    assert!(names.len() <= 8, "{names:?}");
    assert!(names.contains(&"wgpu"), "{names:?}");
}
