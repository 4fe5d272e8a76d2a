//! What a command can fail with, and the exit status that says so.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A mistake in the command line.
    Usage(String),
    /// There are no elements of which the operation has a result.
    Empty(String),
    /// Anything else that is wrong with input, device or result.
    Failed(String),
    /// Standard output could not be written.
    Output(io::Error),
    /// A signal of this number has ended the command, as Ctrl-C does.
    Interrupted(u8),
}

impl Failure {
    /// The number of the signal that Ctrl-C sends.
    pub(crate) const INTERRUPT: u8 = 2;

    /// Something wrong with a file.
    pub(crate) fn in_file(name: &str, what: impl fmt::Display) -> Self {
        Self::Failed(format!("{name}: {what}"))
    }

    /// Names the file whose elements have no result.
    pub(crate) fn of_file(self, name: &str) -> Self {
        match self {
            Self::Empty(what) => Self::in_file(name, what),
            failure => failure,
        }
    }

    /// Prints the failure as one line and gives its exit status.
    pub(crate) fn report(&self) -> ExitCode {
        let Some((message, status)) = self.message_and_status() else { return ExitCode::SUCCESS };
        // Where nobody reads errors either, the status is all there is to say.
        let _ = writeln!(io::stderr(), "wgpu-reduce: error: {}", one_line(&message));
        ExitCode::from(status)
    }

    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        self.message_and_status().map_or(0, |(_, status)| status)
    }

    /// A reader that has seen enough and closed its end of standard output is no failure.
    fn message_and_status(&self) -> Option<(Cow<'_, str>, u8)> {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
            Self::Output(error) => Some((format!("standard output: {error}").into(), 1)),
            // The status that shells give what a signal has ended.
            Self::Interrupted(Self::INTERRUPT) => Some(("interrupted".into(), 130)),
            Self::Interrupted(signal) => {
                Some((format!("ended by signal {signal}").into(), 128 + signal))
            }
            Self::Failed(message) | Self::Empty(message) => Some((message.into(), 1)),
            Self::Usage(message) => Some((message.into(), 2)),
        }
    }
}

/// The message with its lines joined, and as it is otherwise, but for what would steer a terminal.
fn one_line(message: &str) -> String {
    let lines = message.trim_matches(LINE_BREAKS).split(LINE_BREAKS).enumerate();
    // Lines after the first are indented.
    let lines = lines.map(|(index, line)| if index == 0 { line } else { line.trim() });
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    lines.join(" ").replace(|c: char| c.is_control() && c != '\t', "?")
}

const LINE_BREAKS: [char; 2] = ['\n', '\r'];

impl From<wgpu_reduce::Error> for Failure {
    fn from(error: wgpu_reduce::Error) -> Self {
        match error {
            wgpu_reduce::Error::Empty { .. } | wgpu_reduce::Error::EmptyResult { .. } => {
                Self::Empty(error.to_string())
            }
            wgpu_reduce::Error::Timeout => Self::Failed(format!("{error}, which --deadline says")),
            wgpu_reduce::Error::InvalidView { what } => {
                Self::Failed(format!("the array cannot be reduced: {what}"))
            }
            error => Self::Failed(error.to_string()),
        }
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

#[cfg(test)]
pub(crate) mod tests {
    use super::{Failure, one_line};
    use std::io::{self, Write};

    /// A pipe that nobody reads.
    pub(crate) struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }

    #[test]
    fn messages_are_one_line_and_keep_names_as_they_are() {
        for (message, line) in [
            (" two  spaces .npy: no\tsuch file ", " two  spaces .npy: no\tsuch file "),
            ("rejected:\r\n    \n    because  of this\n", "rejected: because  of this"),
            ("two\nlines.npy: truncated", "two lines.npy: truncated"),
            ("\u{1b}[31m\u{85}", "?[31m?"),
            ("", ""),
        ] {
            assert_eq!(one_line(message), line, "{message:?}");
        }
    }

    #[test]
    fn an_array_that_cannot_be_reduced_is_no_mistake_of_the_command_line() {
        let error = wgpu_reduce::Error::InvalidView { what: "it is too long".into() };
        let Failure::Failed(what) = Failure::from(error) else { panic!("a usage error") };
        assert_eq!(what, "the array cannot be reduced: it is too long");
    }

    #[test]
    fn only_a_reader_that_has_gone_is_no_failure() {
        let status = |failure: Failure| failure.message_and_status().map(|(_, status)| status);
        assert_eq!(status(Failure::Output(io::ErrorKind::BrokenPipe.into())), None);
        assert_eq!(status(Failure::Output(io::ErrorKind::StorageFull.into())), Some(1));
        assert_eq!(status(Failure::Failed("wrong".into())), Some(1));
        assert_eq!(status(Failure::Usage("what?".into())), Some(2));
    }
}
