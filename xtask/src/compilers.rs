//! Compilers of shaders: Khronos' validator of SPIR-V, and Microsoft's DXC, of which there is a build for Linux in the sources of a
//! Python package.

use crate::shell::{self, Outcome, run, succeeds};
use crate::{setup, workspace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package with the library in it, by its archive alone: pip runs what it downloads.
const PACKAGE: &str = "compushady==0.17.5 \
    --hash=sha256:5052caf9e955d8e7a48e22f536e82b44b72e83af46e824a9e99157c7809de691";
const ARCHIVE: &str = "compushady-0.17.5.tar.gz";
const MEMBER: &str = "compushady-0.17.5/compushady/backends/libdxcompiler_x86_64.so.3.7";
const SHA256: &str = "fb549976da7abff1ee56bdfa4f5ab156b95e971d4270b5b4447b61682d105809";

/// Sees to it that they are there, where packages can be installed.
pub(crate) fn set_up() -> Outcome {
    if shell::find(&["spirv-val"]).is_none() && setup::has_apt() {
        setup::install(&["spirv-tools"])?;
    }
    if shell::find(&["spirv-val"]).is_none() {
        eprintln!("NOT COVERED: SPIR-V by spirv-val, which is not in the path");
    }
    if let Err(error) = dxc() {
        eprintln!("NOT COVERED: HLSL by DXC: {error}");
    }
    Ok(())
}

/// The names of those that are there, as tests have them.
pub(crate) fn present() -> Vec<&'static str> {
    let spirv_val = shell::find(&["spirv-val"]).map(|_| "spirv-val");
    let dxc = is_expected(&library()).then_some("DXC");
    spirv_val.into_iter().chain(dxc).collect()
}

/// Where tests look for it.
fn library() -> PathBuf {
    workspace::target_folder().join("compilers/libdxcompiler.so")
}

/// The library of DXC, got if need be. Whatever is not the file that is expected is taken away again.
fn dxc() -> Outcome {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("it can be had for Linux on x86-64 alone".into());
    }
    let library = library();
    let folder = workspace::target_folder().join("compilers");
    if is_expected(&library) {
        return Ok(());
    }
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let unpacked = folder.join("unpacked.so");
    let outcome = download(&folder).and_then(|()| unpack(&folder, &unpacked));
    if outcome.is_ok() && is_expected(&unpacked) {
        return std::fs::rename(unpacked, library).map_err(failed);
    }
    // Neither may be there.
    drop(std::fs::remove_file(unpacked));
    drop(std::fs::remove_file(library));
    Err(outcome.err().unwrap_or_else(|| format!("{PACKAGE} has another library than expected")))
}

fn download(folder: &Path) -> Outcome {
    let python = setup::python()?.ok_or("there is no Python 3 to download it with")?;
    if !succeeds(Command::new(&python).args(["-m", "pip", "--version"])) && setup::has_apt() {
        setup::install(&["python3-pip"])?;
    }
    let wanted = folder.join("wanted.txt");
    std::fs::write(&wanted, PACKAGE).map_err(|error| format!("{}: {error}", wanted.display()))?;
    let arguments = ["-m", "pip", "download", "--no-deps", "--no-binary", ":all:"];
    run(Command::new(python)
        .args(arguments)
        .args(["--require-hashes", "--requirement"])
        .arg(wanted)
        .arg("--dest")
        .arg(folder))
}

/// The library alone, and the archive is gone.
fn unpack(folder: &Path, library: &Path) -> Outcome {
    let archive = folder.join(ARCHIVE);
    let failed = |error: std::io::Error| format!("{}: {error}", archive.display());
    let file = std::fs::File::create(library).map_err(failed)?;
    run(Command::new("tar")
        .args(["--extract", "--gzip", "--to-stdout", "--file"])
        .arg(&archive)
        .arg(MEMBER)
        .stdout(file))?;
    std::fs::remove_file(&archive).map_err(failed)
}

fn is_expected(file: &Path) -> bool {
    let sum = shell::output(Command::new("sha256sum").arg(file));
    sum.is_some_and(|sum| sum.starts_with(SHA256))
}
