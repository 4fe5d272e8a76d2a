//! The library and the page for browsers: compiled to WebAssembly, put together, shown, tested.

use crate::shell::{self, Outcome, run};
use crate::wasm::{Compiler, bindgen};
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

/// Compiles the page's program and puts it beside its files.
pub(crate) fn build_page() -> Outcome {
    let compiler = Compiler::find()?;
    let mut command = compiler.cargo("build");
    run(command.args(["--package", "wgpu-reduce-web", "--lib", "--profile", "web"]))?;
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

/// The page in a browser, against the library outside of it.
pub(crate) fn test_page() -> Outcome {
    build_page()?;
    let mut command = shell::cargo();
    command.args(["test", "--package", "wgpu-reduce-web", "--features", "page-test"]);
    run(command.args(["--test", "page"]))
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
