//! Files of a folder as browsers are given them.

use std::fs;
use std::path::Path;

/// The kind and the bytes of the file that a request's path names; nothing above the folder.
pub(crate) fn read(folder: &Path, path: &str) -> Option<(&'static str, Vec<u8>)> {
    let path = path.split('?').next().unwrap_or("/").trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    // On Windows `\\` and `:` say where a file is, too.
    let is_name =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', ':']);
    let is_inside = path.split('/').all(is_name);
    let bytes = is_inside.then(|| fs::read(folder.join(path)).ok()).flatten()?;
    Some((kind_of(path), bytes))
}

fn kind_of(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}
