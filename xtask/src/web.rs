//! The library and the page for browsers: compiled to WebAssembly, put together, shown, tested.

use crate::npm;
use crate::setup;
use crate::shell::{self, Outcome, run, run_without_warnings};
use crate::wasm::{Compiler, bindgen};
use crate::workspace::target_folder;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

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
    npm::remove(&dist())?;
    let package = dist().join("pkg");
    build_program(&[], &package)?;
    let page = shell::root().join("web-demo").join("page");
    let bundler = npm::tool_path(".bin/esbuild");
    if shell::succeeds(Command::new(&bundler).arg("--version")) {
        bundle(&bundler, &page)?;
    } else {
        copy_files(&page, &dist())?;
        eprintln!(
            "the page's scripts are left as they are; `cargo xtask npm` installs what makes them small"
        );
    }
    let bytes =
        fs::metadata(package.join(format!("{PROGRAM}_bg.wasm"))).map_or(0, |file| file.len());
    println!("{}: {bytes} bytes of WebAssembly", dist().display());
    Ok(())
}

/// What the page's program is called.
const PROGRAM: &str = "wgpu_reduce_web";

/// Compiles the program, and puts it and its module into a folder.
fn build_program(features: &[&str], package: &Path) -> Outcome {
    let compiler = Compiler::find()?;
    let mut command = compiler.cargo("build");
    command.args(["--package", "wgpu-reduce-web", "--lib", "--profile", "web"]).args(features);
    run_without_warnings(&mut command)?;
    let program =
        compiler.target.join("wasm32-unknown-unknown/web").join(format!("{PROGRAM}.wasm"));
    let mut bind = Command::new(bindgen()?);
    bind.arg(&program).args(["--target", "web", "--no-typescript", "--out-dir"]).arg(package);
    bind.args(["--remove-name-section", "--remove-producers-section"]);
    // Not through wasm-opt: Debian's 108 makes modules that browsers refuse, and 3 % is all that it saves.
    run(&mut bind)
}

/// Puts the page's files into `dist`, its scripts as one, and makes them small. The program's module stays one of its own.
fn bundle(bundler: &Path, page: &Path) -> Outcome {
    let esbuild = || {
        let mut command = Command::new(bundler);
        command.current_dir(page).args(["--minify", "--format=esm", "--log-level=warning"]);
        command
    };
    let to = |name: &str| format!("--outfile={}", dist().join(name).display());
    let apart = "--external:./pkg/*";
    run(esbuild().args(["main.js", "--bundle", apart]).arg(to("main.js")))?;
    run(esbuild().arg("style.css").arg(to("style.css")))?;
    let module = format!("pkg/{PROGRAM}.js");
    run(esbuild().arg(dist().join(&module)).arg(to(&module)).arg("--allow-overwrite"))?;
    let name = "index.html";
    let text = fs::read_to_string(page.join(name)).map_err(|error| format!("{name}: {error}"))?;
    fs::write(dist().join(name), shortened(&text)).map_err(|error| format!("{name}: {error}"))
}

/// HTML without indentation and without comments that have lines of their own. Nothing in the page shows its indentation.
fn shortened(html: &str) -> String {
    let lines = html.lines().map(str::trim);
    let is_comment = |line: &&str| line.starts_with("<!--") && line.ends_with("-->");
    lines.filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n")
}

/// The page in a browser, used as a person uses it.
pub(crate) fn test_page() -> Outcome {
    let browser = setup::browser()?;
    setup::node()?;
    npm::install_tools()?;
    let proof = target_folder().join("proof");
    build_program(&["--features", "proof"], &proof)?;
    build_page()?;
    let tests = shell::root().join("web-demo").join("tests");
    install_packages(&tests)?;
    let pictures = target_folder().join("web-test");
    // What takes time is alone; of the others two run at once.
    for (at_once, files) in [("2", OTHER_TESTS), ("1", &["looks.test.js"])] {
        let mut command = Command::new("node");
        command.current_dir(&tests).args(["--test", "--test-reporter", "spec"]);
        command.args(["--test-concurrency", at_once]).args(files);
        command.env("WGPU_REDUCE_BROWSER", &browser).env("WGPU_REDUCE_PROOF", &proof);
        run(command.env("WGPU_REDUCE_SHOTS", &pictures))?;
    }
    println!("{}: what the page looked like", pictures.display());
    Ok(())
}

/// The page's tests, but for those of how long something takes.
const OTHER_TESTS: &[&str] = &[
    "picture.test.js",
    "page.test.js",
    "data.test.js",
    "learner.test.js",
    "adapters.test.js",
    "trouble.test.js",
];

/// What the lock file of a folder names, unless it is there.
pub(crate) fn install_packages(folder: &Path) -> Outcome {
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

/// Copies the files of a folder, and those of folders in it.
fn copy_files(from: &Path, to: &Path) -> Outcome {
    let shown = |error: io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(shown)?;
    for entry in fs::read_dir(from).map_err(shown)?.flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_files(&entry.path(), &target)?;
        } else {
            copy(&entry.path(), &target)?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Outcome {
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{}: {error}", from.display()))
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn html_keeps_its_words_and_loses_its_indentation() {
        let html = "<p>\n  <!-- Here. -->\n  one\n    two\n</p>\n";
        assert_eq!(shortened(html), "<p>\none\ntwo\n</p>");
    }
}
