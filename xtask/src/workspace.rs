//! Commands over the whole workspace, all with the same features, so that nothing is compiled twice.

use crate::shell;
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

/// Whether programs for MPI can be compiled and started.
pub(crate) fn has_mpi() -> bool {
    ["mpicc", "mpirun"].iter().all(|name| shell::find(&[name]).is_some())
}
