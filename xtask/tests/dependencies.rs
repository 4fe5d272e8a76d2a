//! What the workspace depends on: licences that `deny.toml` allows, and nothing from anywhere but the registry.

use cargo_metadata::{CargoOpt, Dependency, DependencyKind, Metadata, MetadataCommand, Source};
use spdx::{Expression, LicenseReq};
use std::path::Path;
use toml::{Table, Value};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is around it")
}

/// Of a workspace, by the folder of its manifest.
fn metadata(folder: &str) -> Metadata {
    let mut command = MetadataCommand::new();
    command.features(CargoOpt::AllFeatures);
    let manifest = root().join(folder).join("Cargo.toml");
    command.manifest_path(manifest).exec().expect("cargo knows the workspace")
}

/// The fuzz targets are a workspace of their own.
const WORKSPACES: [&str; 2] = ["", "fuzz"];

/// What `deny.toml` says of licences.
fn licences() -> Table {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("it is there");
    let table: Table = text.parse().expect("it is TOML");
    table["licenses"].as_table().expect("it is a table").clone()
}

/// The licences that a list allows.
fn allowed(list: &Value) -> Vec<LicenseReq> {
    let licence = |name: &Value| {
        let name = name.as_str().expect("it is a name");
        let expression = Expression::parse(name).expect("licences have SPDX names");
        expression.requirements().next().expect("it is one").req.clone()
    };
    list.as_array().expect("it is a list").iter().map(licence).collect()
}

/// Those that it allows one package more than the others.
fn exceptions(licences: &Table, package: &str) -> Vec<LicenseReq> {
    let all = licences["exceptions"].as_array().expect("it is a list");
    let of_package = all.iter().filter(|one| one["crate"].as_str() == Some(package));
    of_package.flat_map(|one| allowed(&one["allow"])).collect()
}

/// One of wgpu's assertions fails where all is well, and its text alone tells it from others: what it asserts is as it was when
/// `src/device/waiter.rs` was written, in the version that is used.
#[test]
fn the_assertion_that_is_no_loss_has_the_words_that_it_is_known_by() {
    let waiter = std::fs::read_to_string(root().join("src/device/waiter.rs")).expect("it is there");
    let words = waiter.split_once("const EMPTY_TOO_SOON: &str = \"").expect("it has them").1;
    let words = words.split_once("\";").expect("they end").0;
    let packages = metadata("").packages;
    let wgpu: Vec<_> =
        packages.iter().filter(|package| package.name.as_str() == "wgpu-core").collect();
    assert!(!wgpu.is_empty(), "there is no wgpu-core");
    for package in wgpu {
        let folder = package.manifest_path.parent().expect("it is in a folder");
        let path = folder.join("src/device/resource.rs");
        let source = std::fs::read_to_string(&path).unwrap_or_else(|error| {
            panic!(
                "{path}: {error}; see where wgpu says that a queue is empty, and mend src/device/waiter.rs"
            )
        });
        let told = source.split_once(&format!("\"{words}")).unwrap_or_else(|| {
            panic!(
                "wgpu-core {} asserts something else; mend src/device/waiter.rs",
                package.version
            )
        });
        // What is asserted is that the queue has come as far as is waited for.
        let before: String = told.0.chars().rev().take(400).collect();
        let before: String = before.chars().rev().collect();
        assert!(
            before.contains("assert!(") && before.contains("wait_submission_index"),
            "{before}"
        );
    }
}

#[test]
fn licences_are_allowed() {
    let licences = licences();
    let of_all = allowed(&licences["allow"]);
    assert!(!of_all.is_empty());
    for package in WORKSPACES.iter().flat_map(|folder| metadata(folder).packages) {
        let name = &package.name;
        let text = package.license.as_deref().unwrap_or_else(|| panic!("{name} has no licence"));
        let rules = spdx::ParseMode { allow_slash_as_or_operator: true, ..spdx::ParseMode::STRICT };
        let expression = Expression::parse_mode(text, rules).expect("licences are expressions");
        let others = exceptions(&licences, name);
        let is_allowed = |asked: &LicenseReq| of_all.contains(asked) || others.contains(asked);
        assert!(expression.evaluate(is_allowed), "{name}: {text}");
    }
}

/// An exception that nothing needs would let through what nobody has looked at.
#[test]
fn exceptions_are_needed() {
    let licences = licences();
    let of_all = allowed(&licences["allow"]);
    let packages: Vec<_> = WORKSPACES.iter().flat_map(|folder| metadata(folder).packages).collect();
    for one in licences["exceptions"].as_array().expect("it is a list") {
        let name = one["crate"].as_str().expect("it is a name");
        let package = packages.iter().find(|package| package.name.as_str() == name);
        let text = package.and_then(|package| package.license.as_deref());
        let text = text.unwrap_or_else(|| panic!("{name} is no dependency"));
        let expression = Expression::parse(text).expect("licences are expressions");
        assert!(!expression.evaluate(|asked| of_all.contains(asked)), "{name}: {text}");
    }
}

#[test]
fn packages_come_from_the_registry_or_are_ours() {
    for metadata in WORKSPACES.map(metadata) {
        for package in &metadata.packages {
            let is_ours = package.source.is_none() && package.manifest_path.starts_with(root());
            let is_from_registry = package.source.as_ref().is_some_and(Source::is_crates_io);
            assert!(
                is_ours != is_from_registry,
                "{} comes from {:?}",
                package.name,
                package.source
            );
        }
    }
}

/// Users of the library alone get few packages with it.
#[test]
fn the_library_has_few_direct_dependencies() {
    let metadata = metadata("");
    let library = metadata.packages.iter().find(|package| package.name.as_str() == "wgpu-reduce");
    let library = library.expect("it is a member");
    let is_for_browsers = |dependency: &&Dependency| {
        let target = dependency.target.as_ref().map(ToString::to_string);
        target.is_some_and(|target| target.contains("wasm") && !target.contains("not("))
    };
    let by_default = library.features["default"].iter().flat_map(|name| &library.features[name]);
    let by_default: Vec<_> = by_default.filter_map(|name| name.strip_prefix("dep:")).collect();
    let got = library.dependencies.iter().filter(|dependency| {
        dependency.kind == DependencyKind::Normal
            && (!dependency.optional || by_default.contains(&dependency.name.as_str()))
            && !is_for_browsers(dependency)
    });
    let names: Vec<_> = got.map(|dependency| dependency.name.as_str()).collect();
    assert!(names.len() <= 9, "{names:?}");
    assert!(names.contains(&"wgpu"), "{names:?}");
}
