//! Where the shaders lie that the library embeds: as they are, or for browsers without comments, which a page would load for nothing.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let path = |name: &str| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let shaders = path("CARGO_MANIFEST_DIR").join("shaders");
    println!("cargo:rerun-if-changed=build.rs");
    let is_for_browsers = env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm");
    let embedded = if is_for_browsers {
        println!("cargo:rerun-if-changed={}", shaders.display());
        let bare = path("OUT_DIR").join("shaders");
        copy_bare(&shaders, &bare, false)?;
        bare
    } else {
        shaders
    };
    println!("cargo:rustc-env=EMBEDDED_SHADERS={}", embedded.display());
    Ok(())
}

/// Copies a folder without comments. Lines keep their numbers. Files that are shown to people, as those of the ladder, stay as they are.
fn copy_bare(from: &Path, to: &Path, is_shown: bool) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = path.file_name().map(|name| to.join(name)).unwrap_or_default();
        if path.is_dir() {
            copy_bare(&path, &target, is_shown || path.ends_with("shaders/ladder"))?;
        } else {
            let text = fs::read_to_string(&path)?;
            fs::write(target, if is_shown { text } else { without_comments(&text) })?;
        }
    }
    Ok(())
}

fn without_comments(text: &str) -> String {
    let code =
        |line: &str| line.split("//").next().unwrap_or_default().trim_end().to_owned() + "\n";
    text.lines().map(code).collect()
}
