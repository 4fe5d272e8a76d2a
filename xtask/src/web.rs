//! The library and the page for browsers: compiled to WebAssembly, put together, shown, tested.

use crate::setup;
use crate::shell::{self, Outcome, run, run_without_warnings};
use crate::wasm::{Compiler, bindgen};
use crate::workspace::target_folder;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the page is put together.
pub(crate) fn dist() -> PathBuf {
    shell::root().join("web-demo").join("dist")
}

/// The library for browsers, in which nothing may be warned of.
pub(crate) fn check_library() -> Outcome {
    let mut command = Compiler::find()?.cargo("rustc");
    command.args(["--package", "wgpu-reduce", "--lib", "--profile", "check"]);
    run(command.args(["--", "-D", "warnings"]))
}

/// Compiles the page's program and puts it beside its files. Nothing may be warned of.
pub(crate) fn build_page() -> Outcome {
    let compiler = Compiler::find()?;
    let mut command = compiler.cargo("build");
    command.args(["--package", "wgpu-reduce-web", "--lib", "--profile", "web"]);
    run_without_warnings(&mut command)?;
    let program = compiler.target.join("wasm32-unknown-unknown/web/wgpu_reduce_web.wasm");
    let package = dist().join("pkg");
    copy_files(&shell::root().join("web-demo").join("page"), &dist())?;
    let mut bind = Command::new(bindgen()?);
    bind.arg(&program).args(["--target", "web", "--no-typescript", "--out-dir"]).arg(&package);
    // Not through wasm-opt: Debian's 108 makes modules that browsers refuse, and 3 % is all that it saves.
    run(&mut bind)?;
    let bound = package.join("wgpu_reduce_web_bg.wasm");
    let bytes = fs::metadata(&bound).map_or(0, |file| file.len());
    println!("{}: {bytes} bytes of WebAssembly", dist().display());
    Ok(())
}

/// The page in a browser, used as a person uses it.
pub(crate) fn test_page() -> Outcome {
    let browser = setup::browser()?;
    setup::node()?;
    build_page()?;
    let tests = shell::root().join("web-demo").join("tests");
    install_packages(&tests)?;
    let mut command = Command::new("node");
    command.current_dir(&tests).args(["--test", "--test-reporter", "spec"]);
    command
        .args(["page.test.js", "adapters.test.js", "trouble.test.js", "looks.test.js"])
        .env("WGPU_REDUCE_BROWSER", browser);
    let pictures = target_folder().join("web-test");
    run(command.env("WGPU_REDUCE_SHOTS", &pictures))?;
    println!("{}: what the page looked like", pictures.display());
    Ok(())
}

/// What the lock file of a folder names, unless it is there.
fn install_packages(folder: &Path) -> Outcome {
    let changed =
        |name: &str| fs::metadata(folder.join(name)).and_then(|file| file.modified()).ok();
    let (wanted, present) =
        (changed("package-lock.json"), changed("node_modules/.package-lock.json"));
    if present.is_some() && present >= wanted {
        return Ok(());
    }
    // Playwright has browsers of its own; these tests take the system's.
    let flags = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    run(Command::new("npm").current_dir(folder).args(flags))
}

/// Copies the files of a folder that has no folders.
fn copy_files(from: &Path, to: &Path) -> Outcome {
    let shown = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(shown)?;
    for entry in fs::read_dir(from).map_err(shown)?.flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).map_err(shown)?;
    }
    Ok(())
}
