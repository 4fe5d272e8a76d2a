//! The npm package: compiled, put together, tested in each runtime of WebGPU, and packed.

use crate::setup;
use crate::shell::{self, Outcome, run, run_without_warnings};
use crate::wasm::{Compiler, bindgen};
use crate::web::install_packages;
use crate::workspace::target_folder;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// The planner, as the package names what it is compiled to.
const PLANNER: &str = "planner";

fn folder() -> PathBuf {
    shell::root().join("npm")
}

/// Builds the package in its folder, and runs its tests. Runtimes are busy on one core for most of their time, so two run at once.
pub(crate) fn test() -> Outcome {
    let browser = setup::browser()?;
    build()?;
    let tests = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.current_dir(folder()).args(arguments).env("WGPU_REDUCE_BROWSER", &browser);
        command.envs(setup::runtime_folder());
        command
    };
    let mut node = tests("node", &["tests/node.js"]);
    let mut packed = tests("node", &["tests/package.js"]);
    packed.arg(target_folder().join("npm"));
    let arguments = ["run", "--no-config", "--allow-all", "--unstable-webgpu", "tests/deno.js"];
    let mut deno = tests(&tool_path(".bin/deno").display().to_string(), &arguments);
    deno.envs(setup::llvmpipe_alone()).env("DENO_NO_UPDATE_CHECK", "1");
    let mut lanes = [vec![tests("node", &["tests/chromium.js"])], vec![deno]];
    // Dawn takes the SwiftShader that comes with a Chromium; Mesa's rasteriser lacks what it asks for.
    match setup::swiftshader_driver() {
        Some(driver) => {
            node.env("VK_DRIVER_FILES", &driver);
            lanes[0].push(node);
            match bun() {
                Ok(bun) => {
                    let mut bun = tests(&bun, &["tests/bun.js"]);
                    bun.env("VK_DRIVER_FILES", &driver);
                    lanes[1].push(bun);
                }
                Err(why) => eprintln!("NOT COVERED: the npm package in Bun: {why}"),
            }
            packed.env("VK_DRIVER_FILES", driver);
        }
        None if setup::has_apt() => return Err("no SwiftShader beside the Chromium".into()),
        None => eprintln!("NOT COVERED: the npm package in Node and Bun, for lack of SwiftShader"),
    }
    match setup::firefox()? {
        Some(firefox) => {
            let mut command = tests("node", &["tests/firefox.js"]);
            command.arg(firefox).envs(setup::llvmpipe_alone());
            lanes[1].push(command);
        }
        None => eprintln!("NOT COVERED: the npm package in a Firefox, for lack of one"),
    }
    println!("| runtime | adapter | subgroups | passed | time |\n|---|---|---|---|---|");
    side_by_side(lanes)?;
    run(&mut packed)
}

/// Runs each lane's commands one after the other, and the lanes at once.
fn side_by_side(lanes: [Vec<Command>; 2]) -> Outcome {
    let run_all = |mut lane: Vec<Command>| lane.iter_mut().try_for_each(run);
    thread::scope(|scope| {
        let running = lanes.map(|lane| scope.spawn(move || run_all(lane)));
        let ended = running.map(|lane| lane.join().unwrap_or_else(|_| Err("a panic".into())));
        ended.into_iter().collect()
    })
}

/// The Bun that comes with the package's tools. The program of its name is made by a script that is not run.
fn bun() -> Result<String, String> {
    let builds = tool_path("@oven");
    let entries = builds.read_dir().map_err(|error| format!("{}: {error}", builds.display()))?;
    let name = format!("bin/bun{}", std::env::consts::EXE_SUFFIX);
    let mut programs = entries.flatten().map(|entry| entry.path().join(&name));
    let runs = |program: &PathBuf| shell::succeeds(Command::new(program).arg("--version"));
    let found = programs.find(runs).ok_or("no Bun for this machine")?;
    Ok(found.display().to_string())
}

/// Compiles planner, executor and tests.
pub(crate) fn build() -> Outcome {
    setup::node()?;
    let dist = folder().join("dist");
    remove(&dist)?;
    let compiler = Compiler::find()?;
    let mut command = compiler.cargo("build");
    command.args(["--package", "wgpu-reduce-planner", "--lib", "--profile", "web"]);
    run_without_warnings(&mut command)?;
    let program = compiler.target.join("wasm32-unknown-unknown/web/wgpu_reduce_planner.wasm");
    let mut bind = Command::new(bindgen()?);
    bind.arg(&program).args(["--target", "web", "--out-name", PLANNER, "--out-dir"]).arg(&dist);
    run(bind.args(["--remove-name-section", "--remove-producers-section"]))?;
    install_tools()?;
    shrink(&dist.join(format!("{PLANNER}_bg.wasm")))?;
    // There are two compilers of this name.
    tool("typescript/bin/tsc", &["--project", "."])?;
    tool("typescript/bin/tsc", &["--project", "tests"])?;
    // One module is smaller, compressed, than its parts.
    let bundle = ["--bundle", "--format=esm", "--target=es2022", "--minify", "--external:node:*"];
    let paths = ["dist/index.js", "--outfile=dist/bundle.js", "--log-level=warning"];
    tool(".bin/esbuild", &[&paths[..], &bundle].concat())?;
    remove_modules(&dist)?;
    rename(&dist.join("bundle.js"), &dist.join("index.js"))?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let copied = fs::copy(shell::root().join(licence), dist.join(licence));
        copied.map_err(|error| format!("{licence}: {error}"))?;
    }
    // Nobody imports the module by itself.
    let types = dist.join(format!("{PLANNER}_bg.wasm.d.ts"));
    fs::remove_file(&types).map_err(|error| format!("{}: {error}", types.display()))
}

/// Makes a module of WebAssembly smaller, with the features that Rust's compiler uses by default. Compressed it is smaller when no
/// function is put into another.
fn shrink(module: &Path) -> Outcome {
    let features =
        ["bulk-memory", "multivalue", "nontrapping-float-to-int", "reference-types", "sign-ext"];
    let mut command = Command::new("node");
    command.arg(tool_path("binaryen/bin/wasm-opt")).arg("-Oz").arg(module).arg("-o").arg(module);
    command.args(["--always-inline-max-function-size=0", "--flexible-inline-max-function-size=0"]);
    command.arg("--one-caller-inline-max-function-size=1");
    run(command.args(features.map(|feature| format!("--enable-{feature}"))))
}

/// The pages of the package's interface, in `npm/built/api`.
pub(crate) fn document() -> Outcome {
    build()?;
    tool(".bin/typedoc", &[])
}

/// Installs the package's tools.
pub(crate) fn install_tools() -> Outcome {
    install_packages(&folder())
}

/// A program of the package's tools.
pub(crate) fn tool_path(path: &str) -> PathBuf {
    folder().join("node_modules").join(path)
}

/// Runs a program of the package's tools.
fn tool(path: &str, arguments: &[&str]) -> Outcome {
    run(Command::new(tool_path(path)).current_dir(folder()).args(arguments))
}

/// Empties a folder that is made anew.
pub(crate) fn remove(made: &Path) -> Outcome {
    if made.exists() {
        fs::remove_dir_all(made).map_err(|error| format!("{}: {error}", made.display()))?;
    }
    Ok(())
}

/// Removes what has been put into one module.
fn remove_modules(dist: &Path) -> Outcome {
    let told = |error| format!("{}: {error}", dist.display());
    for entry in dist.read_dir().map_err(told)? {
        let path = entry.map_err(told)?.path();
        let is_module = path.extension().is_some_and(|kind| kind == "js");
        if is_module && !path.ends_with("bundle.js") {
            fs::remove_file(&path).map_err(told)?;
        }
    }
    Ok(())
}

fn rename(from: &Path, to: &Path) -> Outcome {
    fs::rename(from, to).map_err(|error| format!("{}: {error}", from.display()))
}
