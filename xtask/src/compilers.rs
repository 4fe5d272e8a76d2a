//! Compilers of shaders: Khronos' validator of SPIR-V; Microsoft's DXC, of which there is a build for Linux in the sources of a
//! Python package; and FXC, which an npm package has for Windows.

use crate::shell::{self, Outcome, run, succeeds};
use crate::{setup, workspace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A library in a package.
struct Library {
    /// The file's name, where tests look for it.
    name: &'static str,
    archive: &'static str,
    member: &'static str,
    sha256: &'static str,
    /// Puts the archive into the folder.
    download: fn(&Path) -> Outcome,
}

const DXC: Library = Library {
    name: "libdxcompiler.so",
    archive: "compushady-0.17.5.tar.gz",
    member: "compushady-0.17.5/compushady/backends/libdxcompiler_x86_64.so.3.7",
    sha256: "fb549976da7abff1ee56bdfa4f5ab156b95e971d4270b5b4447b61682d105809",
    download: download_by_pip,
};

const FXC: Library = Library {
    name: "d3dcompiler_47.dll",
    archive: "webgpu-0.6.2.tgz",
    member: "package/dist/win32-x64/d3dcompiler_47.dll",
    sha256: "289767b49dc8525bce262ea06fee4ef9fced2e131a55b25654ce871c1f0498b2",
    download: download_by_npm,
};

/// The package of DXC, by its archive alone: pip runs what it downloads.
const PYTHON_PACKAGE: &str = "compushady==0.17.5 \
    --hash=sha256:5052caf9e955d8e7a48e22f536e82b44b72e83af46e824a9e99157c7809de691";

/// The package of FXC. npm compares the archive with the registry's checksum, and runs nothing of it.
const NPM_PACKAGE: &str = "webgpu@0.6.2";

/// Sees to it that spirv-val and DXC are there, where packages can be installed.
pub(crate) fn set_up() -> Outcome {
    if shell::find(&["spirv-val"]).is_none() && setup::has_apt() {
        setup::install(&["spirv-tools"])?;
    }
    if shell::find(&["spirv-val"]).is_none() {
        eprintln!("NOT COVERED: SPIR-V by spirv-val, which is not in the path");
    }
    if let Err(error) = DXC.get() {
        eprintln!("NOT COVERED: HLSL by DXC: {error}");
    }
    Ok(())
}

/// Sees to it that FXC is there, where packages can be installed. It takes long, so only runs of all tests ask for it.
pub(crate) fn set_up_fxc() {
    if let Err(error) = fxc() {
        eprintln!("NOT COVERED: HLSL by FXC: {error}");
    }
}

/// The names of those that are there, as tests have them.
pub(crate) fn present() -> Vec<&'static str> {
    let spirv_val = shell::find(&["spirv-val"]).map(|_| "spirv-val");
    let dxc = DXC.is_there().then_some("DXC");
    let has_fxc = FXC.is_there() && folder().join(PROGRAM).exists();
    let fxc = shell::find(&["wine"]).filter(|_| has_fxc).map(|_| "FXC");
    spirv_val.into_iter().chain(dxc).chain(fxc).collect()
}

/// Where tests look for them.
fn folder() -> PathBuf {
    workspace::target_folder().join("compilers")
}

impl Library {
    fn is_there(&self) -> bool {
        self.is(&folder().join(self.name))
    }

    /// Whether the file is the one that is expected.
    fn is(&self, file: &Path) -> bool {
        let sum = shell::output(Command::new("sha256sum").arg(file));
        sum.is_some_and(|sum| sum.starts_with(self.sha256))
    }

    /// Gets it if need be. Whatever is not the file that is expected is taken away again.
    fn get(&self) -> Outcome {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Err("it can be had for Linux on x86-64 alone".into());
        }
        if self.is_there() {
            return Ok(());
        }
        let folder = folder();
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let unpacked = folder.join("unpacked");
        let outcome = (self.download)(&folder).and_then(|()| self.unpack(&folder, &unpacked));
        let library = folder.join(self.name);
        if outcome.is_ok() && self.is(&unpacked) {
            return std::fs::rename(unpacked, library).map_err(failed);
        }
        // Neither may be there.
        drop(std::fs::remove_file(unpacked));
        drop(std::fs::remove_file(library));
        Err(outcome.err().unwrap_or_else(|| format!("{} has another library", self.archive)))
    }

    /// Leaves the library alone: the archive is removed.
    fn unpack(&self, folder: &Path, library: &Path) -> Outcome {
        let archive = folder.join(self.archive);
        let failed = |error: std::io::Error| format!("{}: {error}", archive.display());
        let file = std::fs::File::create(library).map_err(failed)?;
        run(Command::new("tar")
            .args(["--extract", "--gzip", "--to-stdout", "--file"])
            .arg(&archive)
            .arg(self.member)
            .stdout(file))?;
        std::fs::remove_file(&archive).map_err(failed)
    }
}

fn download_by_pip(folder: &Path) -> Outcome {
    let python = setup::python()?.ok_or("there is no Python 3 to download it with")?;
    if !succeeds(Command::new(&python).args(["-m", "pip", "--version"])) && setup::has_apt() {
        setup::install(&["python3-pip"])?;
    }
    let wanted = folder.join("wanted.txt");
    let failed = |error: std::io::Error| format!("{}: {error}", wanted.display());
    std::fs::write(&wanted, PYTHON_PACKAGE).map_err(failed)?;
    let arguments = ["-m", "pip", "download", "--no-deps", "--no-binary", ":all:"];
    run(Command::new(python)
        .args(arguments)
        .args(["--require-hashes", "--requirement"])
        .arg(&wanted)
        .arg("--dest")
        .arg(folder))
}

fn download_by_npm(folder: &Path) -> Outcome {
    setup::node()?;
    let arguments = ["pack", NPM_PACKAGE, "--ignore-scripts", "--silent", "--pack-destination"];
    run(Command::new("npm").args(arguments).arg(folder))
}

/// The program that has FXC compile texts.
const PROGRAM: &str = "fxc.exe";

const CROSS_COMPILER: &str = "x86_64-w64-mingw32-gcc";

/// FXC, Wine to run it, and the program that calls it, which is compiled each time.
fn fxc() -> Outcome {
    FXC.get()?;
    if shell::find(&["wine"]).is_none() && setup::has_apt() {
        setup::install(&["wine", "wine64"])?;
    }
    if shell::find(&[CROSS_COMPILER]).is_none() && setup::has_apt() {
        setup::install(&["gcc-mingw-w64-x86-64-win32"])?;
    }
    shell::find(&["wine"]).ok_or("there is no Wine to run it")?;
    run(Command::new(CROSS_COMPILER)
        .args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(folder().join(PROGRAM))
        .arg(shell::root().join("tests/shaders/fxc.c")))
}
