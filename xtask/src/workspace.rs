//! Commands over the whole workspace, all with the same features, so that nothing is compiled twice.

use crate::shell;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command of cargo's for all members; the one for MPI is whole where there is an MPI.
pub(crate) fn cargo(command: &str) -> Command {
    let mut cargo = shell::cargo();
    cargo.args([command, "--workspace"]);
    if has_mpi() {
        cargo.args(["--features", "wgpu-reduce-mpi/mpi"]);
    }
    cargo
}

/// Where everything goes that is made.
pub(crate) fn target_folder() -> PathBuf {
    let given = std::env::var_os("CARGO_TARGET_DIR");
    shell::root().join(given.map_or_else(|| "target".into(), PathBuf::from))
}

/// Whether programs for MPI can be compiled and started.
pub(crate) fn has_mpi() -> bool {
    has_libclang() && ["mpicc", "mpirun"].iter().all(|name| shell::find(&[name]).is_some())
}

/// Whether there is what reads the header of an MPI library, where such things lie.
fn has_libclang() -> bool {
    let is_there = |folder: &Path| {
        let files = folder.read_dir().into_iter().flatten().flatten();
        files.into_iter().any(|file| file.file_name().to_string_lossy().starts_with("libclang"))
    };
    let llvm = Path::new("/usr/lib").read_dir().into_iter().flatten().flatten();
    let of_llvm = llvm.map(|folder| folder.path().join("lib"));
    let given = std::env::var_os("LIBCLANG_PATH").map(PathBuf::from);
    let usual = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/opt/llvm/lib"];
    of_llvm.chain(given).chain(usual.map(PathBuf::from)).any(|folder| is_there(&folder))
}
