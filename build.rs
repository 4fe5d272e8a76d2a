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
        // Executors elsewhere show no shader.
        let is_shown = env::var_os("CARGO_FEATURE_RECORDED").is_none();
        copy_bare(&shaders, &bare, if is_shown { Text::Code } else { Text::Least })?;
        bare
    } else {
        shaders
    };
    println!("cargo:rustc-env=EMBEDDED_SHADERS={}", embedded.display());
    Ok(())
}

/// What is left of a text.
#[derive(Clone, Copy)]
enum Text {
    All,
    /// Without comments. Lines keep their numbers.
    Code,
    /// Without comments, and without space that separates no words.
    Least,
    Nothing,
}

/// Copies a folder. Files that are shown to people, as those of the ladder, stay as they are.
fn copy_bare(from: &Path, to: &Path, text: Text) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = path.file_name().map(|name| to.join(name)).unwrap_or_default();
        if path.is_dir() {
            let is = |name| path.ends_with(Path::new("shaders").join(name));
            let of_folder = match text {
                Text::Code if is("ladder") => Text::All,
                // Their requests name none of these.
                Text::Least if ["ladder", "custom"].into_iter().any(is) => Text::Nothing,
                text => text,
            };
            copy_bare(&path, &target, of_folder)?;
        } else {
            fs::write(target, text.of(&fs::read_to_string(&path)?))?;
        }
    }
    Ok(())
}

impl Text {
    fn of(self, text: &str) -> String {
        let lines = text.lines();
        let code = lines.map(|line| line.split("//").next().unwrap_or_default().trim_end());
        match self {
            Self::All => text.to_owned(),
            Self::Code => code.map(|line| line.to_owned() + "\n").collect(),
            Self::Least => tight(&code.collect::<Vec<_>>().join("\n")),
            Self::Nothing => String::new(),
        }
    }
}

/// Leaves out space, unless it is between two words or two operators: these would be others, as one.
fn tight(code: &str) -> String {
    let mut tight = String::new();
    for word in code.split_whitespace() {
        let ends = tight.chars().next_back().zip(word.chars().next());
        if ends.is_some_and(|(left, right)| is_one_token(left, right)) {
            tight.push(' ');
        }
        tight.push_str(word);
    }
    tight
}

/// Whether two characters side by side may be of one token.
fn is_one_token(left: char, right: char) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_operator = |letter: char| "+-*/%&|^!=<>".contains(letter);
    is_word(left) && is_word(right) || is_operator(left) && is_operator(right)
}
