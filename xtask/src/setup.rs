//! Installing what is missing: drivers on Debian and its kin, words of advice elsewhere.

use crate::shell::{self, Outcome, cargo, run, succeeds};
use crate::{compilers, workspace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is built beside the command line's program, which is little optimised: reading and checking numbers is quick so, and it is there
/// in a fraction of the time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Program {
    Alone,
    WithTests,
}

impl Program {
    fn build(self) -> Outcome {
        match self {
            Self::Alone => run(cargo().args(["build", "--package", "wgpu-reduce-cli"])),
            // The tests are compiled in any case: alone, its dependencies would be compiled for it once more.
            Self::WithTests => run(workspace::cargo("test").arg("--no-run")),
        }
    }

    pub(crate) fn command() -> Command {
        let name = format!("wgpu-reduce{}", std::env::consts::EXE_SUFFIX);
        Command::new(workspace::target_folder().join("debug").join(name))
    }

    fn devices() -> Command {
        let mut command = Self::command();
        command.args(["devices", "--json"]);
        command
    }
}

/// Sees to it that there is at least one adapter, and the program that looks for it.
pub(crate) fn adapter(program: Program) -> Outcome {
    program.build()?;
    if succeeds(&mut Program::devices()) {
        return Ok(());
    }
    if !has_apt() {
        // It says what was looked for and how to get one here.
        return run(Program::command().arg("devices"));
    }
    eprintln!("no adapter found; installing a software Vulkan driver");
    install(&["mesa-vulkan-drivers"])?;
    if succeeds(&mut Program::devices()) {
        Ok(())
    } else {
        Err("still no adapter after installing one".into())
    }
}

/// Whether an adapter is more than software.
fn has_hardware() -> bool {
    let devices = shell::output(&mut Program::devices());
    devices.is_some_and(|json| json.contains("\"class\":\"Gpu\""))
}

/// Sees to it that tests have two Vulkan devices with subgroups of different sizes, and one through
/// GL: Mesa's llvmpipe twice, and the SwiftShader that comes with Chromium.
///
/// Only where packages can be installed; elsewhere tests run on what is there.
pub(crate) fn test_adapters() -> Outcome {
    if !has_apt() {
        eprintln!("no apt-get: tests run on the adapters that are present");
        return compilers::set_up();
    }
    if mesa_driver().is_none() {
        install(&["mesa-vulkan-drivers"])?;
    }
    if !Path::new("/usr/share/glvnd/egl_vendor.d/50_mesa.json").exists() {
        install(&["libegl1", "libegl-mesa0", "libgl1-mesa-dri"])?;
    }
    if swiftshader_driver().is_none() && installable("chromium") {
        install(&["chromium"])?;
    }
    // Debug builds of wgpu use them where they are; the tests fail if they complain.
    if !Path::new("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json").exists()
        && installable("vulkan-validationlayers")
    {
        install(&["vulkan-validationlayers"])?;
    }
    if allocator().is_none() && installable("libjemalloc2") {
        install(&["libjemalloc2"])?;
    }
    compilers::set_up()?;
    if swiftshader_driver().is_none() {
        eprintln!("NOT COVERED: SwiftShader, which comes with a Chromium that cannot be had here");
    }
    Ok(())
}

/// The Chromium that shows the page to tests, installed if need be.
pub(crate) fn browser() -> Result<PathBuf, String> {
    let find = || {
        let given = std::env::var_os("WGPU_REDUCE_BROWSER").map(PathBuf::from);
        given.or_else(|| shell::find(&["chromium", "chromium-browser", "google-chrome"]))
    };
    if find().is_none() && has_apt() {
        install(&["chromium"])?;
    }
    find().ok_or_else(|| "no Chromium in the path, and none can be installed".into())
}

/// A Firefox, installed if need be where packages can be installed.
pub(crate) fn firefox() -> Result<Option<PathBuf>, String> {
    let find = || shell::find(&["firefox-esr", "firefox"]);
    if find().is_none() && has_apt() && installable("firefox-esr") {
        install(&["firefox-esr"])?;
    }
    Ok(find())
}

/// Sees to it that there is what the page's tests are written for.
pub(crate) fn node() -> Outcome {
    let is_there = || shell::find(&["node"]).is_some() && shell::find(&["npm"]).is_some();
    if !is_there() && has_apt() {
        install(&["nodejs", "npm"])?;
    }
    if is_there() { Ok(()) } else { Err("no Node in the path; 18 or later is needed".into()) }
}

/// Python 3, installed if need be where packages can be installed.
pub(crate) fn python() -> Result<Option<PathBuf>, String> {
    let find = || shell::find(&["python3"]);
    if find().is_none() && has_apt() {
        install(&["python3"])?;
    }
    Ok(find())
}

/// Sees to it that the member for MPI can be built, where packages can be installed; there it fails without.
pub(crate) fn mpi() -> Outcome {
    let packages = ["libopenmpi-dev", "openmpi-bin", "libclang-dev"];
    let missing = "ranks of MPI, for want of mpicc, mpirun or libclang";
    let is_installed = || succeeds(Command::new("dpkg").arg("--status").args(packages));
    if has_apt() && !(is_installed() && workspace::has_mpi()) {
        install(&packages)?;
    }
    if workspace::has_mpi() {
        return Ok(());
    }
    if has_apt() {
        return Err(format!("nothing tests {missing}, after installing them"));
    }
    eprintln!("NOT COVERED: {missing}");
    Ok(())
}

/// Whether the page can be tested: there is what it takes, or it can be installed.
pub(crate) fn can_test_page() -> bool {
    has_apt() || (browser().is_ok() && node().is_ok())
}

/// Formatter and linter, which a minimal Rust installation lacks.
pub(crate) fn components() -> Outcome {
    for component in ["rustfmt", "clippy"] {
        let program = if component == "rustfmt" { "fmt" } else { "clippy" };
        if !succeeds(cargo().args([program, "--version"])) {
            run(Command::new("rustup").args(["component", "add", component]))?;
        }
    }
    Ok(())
}

/// What tests should be given: SwiftShader beside the system's drivers, and the adapters and the browser
/// that must be there because they were installed.
pub(crate) fn test_environment() -> Vec<(&'static str, String)> {
    let mut environment = Vec::new();
    let mut compilers = compilers::present();
    let mut required = Vec::new();
    if let Some(driver) = swiftshader_driver() {
        let given = std::env::var("VK_ADD_DRIVER_FILES").unwrap_or_default();
        let files = [driver.display().to_string(), given];
        let files: Vec<_> = files.into_iter().filter(|file| !file.is_empty()).collect();
        environment.push(("VK_ADD_DRIVER_FILES", files.join(":")));
        required.push("SwiftShader");
        compilers.push("Tint");
    }
    if has_apt() {
        required.push("llvmpipe Vulkan");
        if has_hardware() {
            eprintln!("NOT COVERED: llvmpipe through GL, where a GPU takes its place");
        } else {
            required.push("llvmpipe Gl");
        }
    }
    environment.push(("WGPU_REDUCE_REQUIRE_ADAPTERS", required.join(",")));
    environment.push(("WGPU_REDUCE_REQUIRE_COMPILERS", compilers.join(",")));
    environment.extend(for_speed());
    environment
}

/// What makes tests quicker. Where `RUST_BACKTRACE` is set, wgpu takes one for each of its locks, a fifth of the time of all tests;
/// panics keep theirs.
pub(crate) fn for_speed() -> Vec<(&'static str, String)> {
    let mut environment = vec![("RUST_LIB_BACKTRACE", "0".into())];
    environment
        .extend(allocator().map(|path| ("WGPU_REDUCE_ALLOCATOR", path.display().to_string())));
    environment.extend(runtime_folder());
    environment
}

/// The quickest software adapter by itself.
pub(crate) fn llvmpipe_alone() -> Vec<(&'static str, String)> {
    let mut environment = for_speed();
    let is_given = std::env::var_os("VK_DRIVER_FILES").is_some();
    if let Some(driver) = mesa_driver().filter(|_| !is_given) {
        environment.push(("VK_DRIVER_FILES", driver.display().to_string()));
        environment.push(("WGPU_BACKEND", "vulkan".into()));
    }
    environment
}

/// Where it is missing, window-system libraries complain at every start.
pub(crate) fn runtime_folder() -> Option<(&'static str, String)> {
    let is_missing = std::env::var_os("XDG_RUNTIME_DIR").is_none();
    is_missing.then(|| ("XDG_RUNTIME_DIR", std::env::temp_dir().display().to_string()))
}

/// The description of Mesa's software driver, where it is installed.
pub(crate) fn mesa_driver() -> Option<PathBuf> {
    let folder = Path::new("/usr/share/vulkan/icd.d").read_dir().ok()?;
    let mut files = folder.flatten().map(|entry| entry.path());
    files.find(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("lvp_icd")))
}

/// What allocates in the GPU tests, where it is installed.
fn allocator() -> Option<PathBuf> {
    let found = cfg!(target_os = "linux").then(|| Path::new("/usr/lib").read_dir().ok()).flatten();
    let mut files = found?.flatten().map(|folder| folder.path().join("libjemalloc.so.2"));
    files.find(|path| path.exists())
}

pub(crate) fn swiftshader_driver() -> Option<PathBuf> {
    ["/usr/lib/chromium", "/usr/lib/chromium-browser", "/opt/google/chrome"]
        .into_iter()
        .map(|folder| Path::new(folder).join("vk_swiftshader_icd.json"))
        .find(|path| path.exists())
}

pub(crate) fn has_apt() -> bool {
    cfg!(target_os = "linux") && succeeds(Command::new("apt-get").arg("--version"))
}

/// Whether there is a package of that name.
fn installable(package: &str) -> bool {
    let update = succeeds(root_command("apt-get").arg("update"));
    let policy = shell::output(Command::new("apt-cache").args(["policy", package]));
    let has_candidate =
        |text: String| text.contains("Candidate:") && !text.contains("Candidate: (none)");
    update && policy.is_some_and(has_candidate)
}

/// Installs packages, also where an installation before was cut off: apt then refuses
/// everything until dpkg has ended it.
pub(crate) fn install(packages: &[&str]) -> Outcome {
    run(root_command("dpkg").args(["--configure", "-a"]))?;
    run(root_command("apt-get").arg("update"))?;
    let flags = ["install", "--yes", "--no-install-recommends"];
    run(root_command("apt-get").args(flags).args(packages))
}

/// The command as the superuser, through sudo if need be.
fn root_command(program: &str) -> Command {
    let is_root = shell::output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0");
    let mut command = if is_root {
        Command::new(program)
    } else {
        let mut sudo = Command::new("sudo");
        sudo.arg(program);
        sudo
    };
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}
