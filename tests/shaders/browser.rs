//! A browser without a window, and the page that it is shown.

use crate::tint::Fault;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

/// Stops when it goes.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have stopped by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// How long a page may take. All texts take five minutes on two idle cores.
const PATIENCE: Duration = Duration::from_secs(900);

/// How long a connection may say nothing while others wait.
const SILENCE: Duration = Duration::from_secs(1);

/// A Chromium: the program that `WGPU_REDUCE_BROWSER` names, or one in the path.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(program) = env::var_os("WGPU_REDUCE_BROWSER") {
        return Some(program.into());
    }
    let folders: Vec<_> = env::split_paths(&env::var_os("PATH")?).collect();
    ["chromium", "chromium-browser", "google-chrome"]
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// The kind and the bytes of what is at a path, if something is.
pub(crate) type Pages<'a> = &'a dyn Fn(&str) -> Option<(&'static str, Vec<u8>)>;

/// What the page at `/` sends to `/outcome`.
pub(crate) fn show(program: &Path, pages: Pages<'_>) -> Result<String, Fault> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let profile = tempfile::tempdir()?;
    let mut command = Command::new(program);
    command
        .args(["--headless", "--no-sandbox", "--no-first-run", "--disable-background-networking"])
        .args(["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("http://{}/", listener.local_addr()?))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let _browser = Running(command.spawn()?);
    serve(&listener, pages)
}

fn serve(listener: &TcpListener, pages: Pages<'_>) -> Result<String, Fault> {
    listener.set_nonblocking(true)?;
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                stream.set_read_timeout(Some(SILENCE))?;
                // Browsers open connections that they do not use, and hang up.
                if let Ok(Some(outcome)) = answer(stream, pages) {
                    return Ok(outcome);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                thread::sleep(Duration::from_millis(20));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(format!("no outcome after {} s", PATIENCE.as_secs()).into())
}

/// Answers one request. The outcome, if that is what it brings.
fn answer(stream: TcpStream, pages: Pages<'_>) -> Result<Option<String>, Fault> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut body_bytes = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let header = line.to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            body_bytes = value.trim().parse()?;
        }
    }
    let mut body = vec![0; body_bytes];
    reader.read_exact(&mut body)?;
    let (status, (kind, bytes)) = match request.split_whitespace().nth(1) {
        Some("/outcome") => ("200 OK", ("text/plain", Vec::new())),
        Some(path) => match pages(path) {
            Some(page) => ("200 OK", page),
            None => ("404 Not Found", ("text/plain", Vec::new())),
        },
        None => ("400 Bad Request", ("text/plain", Vec::new())),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        bytes.len()
    );
    let mut stream = stream;
    stream.write_all(head.as_bytes())?;
    stream.write_all(&bytes)?;
    let is_outcome = request.starts_with("POST /outcome");
    Ok(is_outcome.then(|| String::from_utf8(body)).transpose()?)
}
