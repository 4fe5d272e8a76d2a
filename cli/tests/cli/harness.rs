//! Runs of the program, and the files they read.

use serde_json::Value;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Output, Stdio};
use std::sync::OnceLock;
use wgpu_reduce_known::npy;

/// What a run printed, and its exit status.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn new(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Standard output of a run that succeeded.
    pub(crate) fn text(self) -> String {
        assert_eq!(self.status, Some(0), "{}", self.stderr);
        self.stdout
    }

    /// The one JSON value that a run printed that succeeded.
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.text()).unwrap()
    }

    /// The one line of error of a run that failed with `status`. Drivers may have said something
    /// before.
    pub(crate) fn error(self, status: i32) -> String {
        assert_eq!(self.status, Some(status), "{}", self.stderr);
        assert_eq!(self.stdout, "");
        let (_, message) = self.stderr.split_once("wgpu-reduce: error: ").unwrap();
        assert_eq!(message.find('\n'), Some(message.len() - 1), "{}", self.stderr);
        message.trim_end().to_owned()
    }
}

pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wgpu-reduce"));
    command.env_remove("RUST_LOG");
    // Not the cache of whoever runs the tests.
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

pub(crate) fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Run {
    Run::new(program().args(arguments).stdin(Stdio::null()).output().unwrap())
}

/// As [`run`], where a shell allows no more than so many KiB of addresses, by `-v`, or of data, by `-d`.
#[cfg(target_os = "linux")]
pub(crate) fn run_limited(limit: &str, kib: u64, arguments: &[&str]) -> Run {
    let (script, program) = (format!("ulimit {limit} {kib}; exec \"$0\" \"$@\""), program());
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).arg(program.get_program()).args(arguments);
    Run::new(shell.output().unwrap())
}

/// Runs it with `bytes` on standard input.
pub(crate) fn run_with_stdin(arguments: &[&str], bytes: &[u8]) -> Run {
    // The program may well stop reading before the end.
    run_fed(arguments, |mut stdin| drop(stdin.write_all(bytes)))
}

/// Runs it with `bytes` on standard input and zeros after them, as long as it reads.
pub(crate) fn run_with_endless_stdin(arguments: &[&str], bytes: &[u8]) -> Run {
    run_fed(arguments, |mut stdin| {
        let zeros = vec![0; 1 << 16];
        let mut written = stdin.write_all(bytes);
        while written.is_ok() {
            written = stdin.write_all(&zeros);
        }
    })
}

fn run_fed(arguments: &[&str], feed: impl FnOnce(ChildStdin)) -> Run {
    let mut command = program();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    feed(child.stdin.take().unwrap());
    Run::new(child.wait_with_output().unwrap())
}

/// A file in `tests/data`.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("data").join(name)
}

/// A file with these bytes in a folder of its own, which goes when the first value is dropped.
pub(crate) fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// What a `.npy` file has before the elements.
pub(crate) fn npy_header(dtype: &str, is_fortran: bool, extents: &[usize]) -> Vec<u8> {
    let order = if is_fortran { "True" } else { "False" };
    let shape: Vec<String> = extents.iter().map(ToString::to_string).collect();
    // A tuple of one has a comma, too.
    let shape = shape.join(", ") + if shape.is_empty() { "" } else { "," };
    let header = format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': ({shape}), }}");
    npy::start(1, &format!("{header:<117}\n"))
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Whether there is an adapter to run on. Fails without one, unless `WGPU_REDUCE_ALLOW_NO_ADAPTER`
/// is set.
pub(crate) fn has_adapter() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let found = *FOUND.get_or_init(|| run(["devices", "--json"]).status == Some(0));
    assert!(
        found || std::env::var_os("WGPU_REDUCE_ALLOW_NO_ADAPTER").is_some(),
        "no adapter: nothing was tested; install a Vulkan driver (Mesa's lavapipe will do) or set \
         WGPU_REDUCE_ALLOW_NO_ADAPTER=1"
    );
    found
}
