//! The Python package: built as a wheel, installed into an environment of its own, tested there.

use crate::setup;
use crate::shell::{self, Outcome, run, succeeds};
use crate::workspace::target_folder;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the wheel, installs and tests it, where Python 3.10 or later and an index of packages can be had.
pub(crate) fn test() -> Outcome {
    let Some(environment) = environment()? else { return Ok(()) };
    let folder = shell::root().join("python");
    let wheel = wheel(&environment, &folder)?;
    check_platform(&environment, &wheel)?;
    let install = ["install", "--quiet", "--force-reinstall", "--no-deps", "--no-index"];
    run(environment.python().args(["-m", "pip"]).args(install).arg(wheel))?;
    let config = folder.join("pyproject.toml");
    let mypy = || {
        let mut mypy = environment.python();
        mypy.current_dir(&folder).env("MYPY_CACHE_DIR", environment.0.join("mypy"));
        mypy
    };
    run(mypy().args(["-m", "mypy", "wgpu_reduce"]))?;
    if shell::find(&["node"]).is_some() {
        // It is a program of Node's, which its package for Python downloads.
        let mut pyright = mypy();
        pyright.env("PYRIGHT_PYTHON_CACHE_DIR", environment.0.join("pyright"));
        run(pyright.args(["-m", "pyright", "--pythonpath"]).arg(environment.program()))?;
    } else {
        eprintln!("NOT COVERED: the Python package's types by pyright, for want of Node");
    }
    // From a folder where `wgpu_reduce` is what was installed, and not its source.
    let tests = folder.join("tests");
    run(mypy().current_dir(&tests).args(["-m", "mypy.stubtest", "wgpu_reduce._native"]))?;
    let mut pytest = environment.python();
    pytest
        .current_dir(&tests)
        .args(["-m", "pytest", "-n", "2", "-p", "no:cacheprovider", "-c"])
        .arg(config);
    pytest.args(["--doctest-modules", "--doctest-glob=*.md", "--pyargs", "wgpu_reduce"]);
    pytest.args(["../README.md", "."]);
    run(pytest.envs(setup::llvmpipe_alone()).env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Makes the wheel for this machine and returns its path.
fn wheel(environment: &Environment, folder: &Path) -> Result<PathBuf, String> {
    let wheels = environment.0.join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    }
    let mut build = environment.python();
    build.current_dir(folder).args(["-m", "maturin", "build", "--quiet", "--locked"]);
    run(build.args(["--profile", "dev", "--out"]).arg(&wheels))?;
    let made = wheels.read_dir().ok().and_then(|mut files| files.next()?.ok());
    made.map(|file| file.path()).ok_or_else(|| format!("{}: no wheel was made", wheels.display()))
}

/// Fails unless the wheel is for the platforms that its name says: it needs no library that these lack.
fn check_platform(environment: &Environment, wheel: &Path) -> Outcome {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let mut show = environment.python();
    let shown = show.args(["-m", "auditwheel", "show"]).arg(wheel).output();
    let shown = shown.map_err(|error| format!("auditwheel cannot be run: {error}"))?;
    let said = String::from_utf8_lossy(&shown.stdout).replace('\n', " ");
    let name = wheel.file_stem().unwrap_or_default().to_string_lossy();
    let is_named = name.rsplit('-').next().is_some_and(|tags| {
        tags.split('.').any(|tag| tag.contains("linux_") && said.contains(&format!("\"{tag}\"")))
    });
    if is_named && name.contains("abi3-manylinux") {
        return Ok(());
    }
    Err(format!("{} is not what its name says: {said}", wheel.display()))
}

/// A virtual environment.
struct Environment(PathBuf);

impl Environment {
    fn program(&self) -> PathBuf {
        let (folder, name) =
            if cfg!(windows) { ("Scripts", "python.exe") } else { ("bin", "python") };
        self.0.join(folder).join(name)
    }

    /// Its Python, which finds no other packages and compiles to the folder that all else does.
    fn python(&self) -> Command {
        let mut python = Command::new(self.program());
        python.env("VIRTUAL_ENV", &self.0).env_remove("PYTHONPATH").env_remove("PYTHONHOME");
        python.env("CARGO_TARGET_DIR", target_folder());
        python
    }
}

/// Makes the environment with what tests need, or says what is missing.
fn environment() -> Result<Option<Environment>, String> {
    let lacks = |what: &str| {
        eprintln!("NOT COVERED: the Python package, for want of {what}");
        Ok(None)
    };
    let Some(python) = setup::python()?.filter(|path| is_recent(path)) else {
        return lacks("Python 3.10 or later");
    };
    let environment = Environment(target_folder().join("python"));
    if !succeeds(environment.python().args(["-m", "pip", "--version"])) {
        let make =
            || Command::new(&python).args(["-m", "venv", "--clear"]).arg(&environment.0).status();
        let is_made = || make().is_ok_and(|status| status.success());
        if !is_made() && setup::has_apt() {
            setup::install(&["python3-venv"])?;
        }
        if !succeeds(environment.python().args(["-m", "pip", "--version"])) && !is_made() {
            return lacks("Python's module venv");
        }
    }
    let requirements = shell::root().join("python/requirements-test.txt");
    let pip = |arguments: &[&str]| {
        let mut pip = environment.python();
        pip.args(["-m", "pip"]).args(arguments);
        pip
    };
    let install = |more: &[&str]| {
        let mut install = pip(&["install", "--quiet", "--disable-pip-version-check"]);
        install.args(more).arg("--requirement").arg(&requirements);
        install
    };
    if !succeeds(&mut install(&["--no-index"])) {
        if let Err(error) = run(&mut install(&[])) {
            if succeeds(&mut pip(&["index", "versions", "maturin"])) {
                return Err(error);
            }
            return lacks("an index of packages");
        }
    }
    Ok(Some(environment))
}

fn is_recent(python: &Path) -> bool {
    let code = "import sys; sys.exit(sys.version_info < (3, 10))";
    succeeds(Command::new(python).args(["-c", code]))
}
