//! A folder over http, for browsers on this machine.

use crate::content;
use crate::shell::Outcome;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::{io, thread};

/// Shows `folder` until the program is stopped.
pub(crate) fn serve(folder: &Path) -> Outcome {
    let shown = |error: io::Error| format!("no server: {error}");
    // The usual port, or any.
    let listener =
        TcpListener::bind("127.0.0.1:8080").or_else(|_| TcpListener::bind("127.0.0.1:0"));
    let listener = listener.map_err(shown)?;
    println!("http://{}/ (ends with Ctrl-C)", listener.local_addr().map_err(shown)?);
    answer_all(&listener, folder);
    Ok(())
}

fn answer_all(listener: &TcpListener, folder: &Path) {
    for stream in listener.incoming().flatten() {
        let folder = folder.to_path_buf();
        thread::spawn(move || {
            // A browser that hangs up is no failure.
            drop(answer(stream, &folder));
        });
    }
}

fn answer(mut stream: TcpStream, folder: &Path) -> io::Result<()> {
    let mut request = String::new();
    let mut reader = BufReader::new(stream.try_clone()?);
    reader.read_line(&mut request)?;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
    }
    let path = request.split_whitespace().nth(1).unwrap_or("/");
    let (status, (kind, body)) = match content::read(folder, path) {
        Some(file) => ("200 OK", file),
        None => ("404 Not Found", ("text/plain; charset=utf-8", b"not found".to_vec())),
    };
    let bytes = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {bytes}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(&body)
}

#[cfg(test)]
mod tests {
    use super::answer_all;
    use crate::shell::root;
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener, TcpStream};
    use std::{fs, thread};

    /// What comes back for a path: the head, and the body.
    fn ask(address: SocketAddr, path: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(address).expect("it listens");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
        (String::from_utf8_lossy(&answer[..end]).into_owned(), answer[end + 4..].to_vec())
    }

    #[test]
    fn files_of_the_page_are_shown_and_none_above() {
        let page = root().join("web-demo/page");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let folder = page.clone();
        thread::spawn(move || answer_all(&listener, &folder));
        for (path, file, kind) in [
            ("/", "index.html", "text/html; charset=utf-8"),
            ("/?subgroups=no", "index.html", "text/html; charset=utf-8"),
            ("/main.js", "main.js", "text/javascript; charset=utf-8"),
            ("/style.css", "style.css", "text/css; charset=utf-8"),
        ] {
            let (head, body) = ask(address, path);
            assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{path}: {head}");
            assert!(head.contains(&format!("\r\nContent-Type: {kind}\r\n")), "{path}: {head}");
            assert!(
                head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())),
                "{path}: {head}"
            );
            assert_eq!(body, fs::read(page.join(file)).expect("it is there"), "{path}");
        }
        for path in
            ["/../Cargo.toml", "//etc/hostname", "/./main.js", "/nothing.js", "/..", "/pkg/"]
        {
            let (head, _) = ask(address, path);
            assert!(head.starts_with("HTTP/1.1 404 "), "{path}: {head}");
        }
    }
}
