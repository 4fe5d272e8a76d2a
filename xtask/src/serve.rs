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
    for stream in listener.incoming().flatten() {
        let folder = folder.to_path_buf();
        thread::spawn(move || {
            // A browser that hangs up is no failure.
            drop(answer(stream, &folder));
        });
    }
    Ok(())
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
