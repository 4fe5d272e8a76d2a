//! What a command can fail with, and the exit status that says so.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A mistake in the command line.
    Usage(String),
    /// Anything else that is wrong with input, device or result.
    Failed(String),
    /// Standard output could not be written.
    Output(io::Error),
}

impl Failure {
    /// Something wrong with a file.
    pub(crate) fn in_file(name: &str, what: impl fmt::Display) -> Self {
        Self::Failed(format!("{name}: {what}"))
    }

    /// Prints the failure as one line and gives its exit status. A reader that has seen enough and
    /// closed its end of standard output is no failure.
    pub(crate) fn report(&self) -> ExitCode {
        let (message, status) = match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Self::Output(error) => (format!("standard output: {error}"), 1),
            Self::Failed(message) => (message.clone(), 1),
            Self::Usage(message) => (message.clone(), 2),
        };
        let line: Vec<_> = message.split_whitespace().collect();
        let line = line.join(" ").replace(char::is_control, "?");
        eprintln!("wgpu-reduce: error: {line}");
        ExitCode::from(status)
    }
}

impl From<wgpu_reduce::Error> for Failure {
    fn from(error: wgpu_reduce::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Files are never read or written by a bare `?`, so this is standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}
