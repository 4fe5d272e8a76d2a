//! Operators whose texts give their own things the names that the library's part of a shader has.

use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use wgpu_reduce::CustomOp;
use wgpu_reduce_hostile::operator;

const SUM: &str = "
    fn map(element: f32, index: u32) -> f32 { return element; }
    fn combine(a: f32, b: f32) -> f32 { return a + b; }
";

/// All words of all shaders of an operator, built-in functions and types among them, and what looks like them.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let op = CustomOp::<f32, f32>::new(SUM, 0.0).expect("an operator");
    let mut words = BTreeSet::new();
    for shader in op.shaders() {
        let text = shader.wgsl();
        let parts = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let of_shader =
            parts.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        words.extend(of_shader.map(str::to_owned));
    }
    // As they are before the library sets them apart.
    let bare: Vec<_> = words.iter().filter_map(|word| word.strip_prefix("fold_lib_")).collect();
    words.extend(bare.into_iter().map(str::to_owned).collect::<Vec<_>>());
    words.extend(["x", "Élan", "sqrt", "textureLoad", "mat2x2f", "atomic"].map(str::to_owned));
    words.into_iter().collect()
});

fn word() -> impl Strategy<Value = &'static str> {
    any::<prop::sample::Index>().prop_map(|index| index.get(&WORDS).as_str())
}

/// A text that declares things of these names, on its own level and within functions.
fn text([function, other, local, argument]: [&str; 4], kind: u8) -> String {
    let declared = match kind % 5 {
        0 => format!("fn {function}(a: f32) -> f32 {{ return a + 1.0; }}"),
        1 => format!("const {function} = 2.0;"),
        2 => format!("struct {function} {{ {other}: f32 }}"),
        3 => format!("alias {function} = vec2<f32>;"),
        _ => format!("fn {function}({other}: f32) -> f32 {{ let b = {other}; return b; }}"),
    };
    let used = match kind % 5 {
        0 | 4 => format!("{function}({argument})"),
        1 => format!("{function} * {argument}"),
        2 => format!("{function}({argument}).{other}"),
        _ => format!("{function}({argument}, 1.0).x"),
    };
    format!(
        "{declared}
        fn map({argument}: f32, index: u32) -> f32 {{ var {local} = {used}; return {local}; }}
        fn combine({argument}: f32, {other}: f32) -> f32 {{ return {argument} + {other}; }}"
    )
}

/// Some names are taken and some are not: none makes a shader invalid that the check has let through.
#[test]
fn every_word_of_the_library_is_refused_or_does_no_harm() {
    let mut accepted = 0;
    for (word, kind) in WORDS.iter().zip((0..5).cycle()) {
        let text = text([word, "b", "local", "a"], kind);
        accepted += usize::from(operator(&text));
    }
    assert!(WORDS.len() > 300 && accepted > 50 && accepted < WORDS.len() - 100, "{accepted}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_anywhere_are_refused_or_do_no_harm(
        words in prop::array::uniform4(word()),
        kind in any::<u8>(),
    ) {
        let _ = operator(&text(words, kind));
    }
}
