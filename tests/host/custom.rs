//! Custom operators as far as they need no GPU: what is refused, where and why.

use wgpu_reduce::{CustomOp, Error};

const MAP: &str = "fn map(element: f32, index: u32) -> f32 { return element; }";
const COMBINE: &str = "fn combine(left: f32, right: f32) -> f32 { return max(left, right); }";

/// Line, column and message of what is wrong with an operator over `f32`, behind a right `map` and
/// `combine` in the first two lines.
fn mistake(text: &str) -> (u32, u32, String) {
    fault(CustomOp::<f32, f32>::new([MAP, COMBINE, text].join("\n"), 0.0))
}

fn fault<I, A, R>(made: wgpu_reduce::Result<CustomOp<I, A, R>>) -> (u32, u32, String) {
    match made {
        Err(Error::CustomShader { line, column, message }) => (line, column, message),
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("nothing was wrong"),
    }
}

#[test]
fn mistakes_are_told_by_their_place() {
    let cases = [
        // What is no WGSL.
        ("fn f() -> f32 { return 1.0 + ; }", (3, 30), "expected expression"),
        ("\n\nfn f() {\n    let é = 1; let b = §;\n}", (6, 24), ""),
        ("fn f( {}", (3, 7), "expected"),
        ("/* no end", (3, 1), "unterminated"),
        // What means nothing.
        ("fn f() -> f32 { return sine(1.0); }", (3, 24), "sine"),
        ("fn f(a: f32) -> f32 { return a + 1u; }", (3, 30), ""),
        ("fn f(a: f32) -> f32 {\n    if a > 0.0 { return a; }\n}", (3, 1), ""),
        ("fn f() -> f32 { return f(); }", (3, 4), "recursive"),
        ("fn map() {}", (3, 4), "redefinition"),
        ("const a: f32 = 1.0 / 0.0;", (3, 16), ""),
        ("fn f(a: f32) -> f32 { return vec9(a); }", (3, 30), "vec9"),
        // What is valid, and not for operators.
        ("var<private> a: f32;", (3, 1), "no variables"),
        ("@group(0) @binding(0) var<storage> a: f32;", (3, 23), "no variables"),
        ("override a: f32 = 1.0;", (3, 1), "no overrides"),
        ("@compute @workgroup_size(1) fn f() {}", (3, 32), "entry point"),
        ("fn f() { workgroupBarrier(); }", (3, 10), "barriers"),
        ("fn f(a: u32) {\n    if a > 1 { loop { storageBarrier(); } }\n}", (4, 23), "barriers"),
        ("fn f(a: f32) -> f32 { return subgroupAdd(a); }", (3, 30), "subgroup operations"),
        ("fn f(a: f32) -> f32 { return dpdx(a); }", (3, 30), "derivatives"),
        ("fn f() { discard; }", (3, 10), "discard"),
        ("fn f(a: ptr<workgroup, atomic<u32>>) { atomicAdd(a, 1u); }", (3, 40), "atomics"),
        // Names.
        ("fn fold_helper() {}", (3, 4), "`fold_helper` is taken"),
        ("struct FoldTotal { a: f32 }", (3, 8), "`FoldTotal` is taken"),
        ("struct Folder { a: f32 }", (3, 8), "`Folder` is taken"),
        ("const FOLD_MINE = 1;", (3, 7), "`FOLD_MINE` is taken"),
        ("alias fOlD_mine = u32;", (3, 7), "`fOlD_mine` is taken"),
        ("fn min(a: u32, b: u32) -> u32 { return a; }", (3, 4), "`min` is taken"),
        ("alias u32 = i32;", (3, 7), "`u32` is taken"),
        ("fn workgroupBarrier() {}", (3, 4), "`workgroupBarrier` is taken"),
        ("const fold_pass = 1;", (3, 7), "`fold_pass` is taken"),
        ("const private = 1;", (3, 7), "`private` is taken"),
        ("fn read_write() {}", (3, 4), "`read_write` is taken"),
        // Functions of other types.
        ("fn finish(a: f32) -> u32 { return 1u; }", (3, 4), "must be `fn finish(f32) -> f32`"),
        ("fn finish(a: f32) {}", (3, 4), "and is `fn finish(f32)`"),
    ];
    for (text, (line, column), part) in cases {
        let (found_line, found_column, message) = mistake(text);
        assert_eq!((found_line, found_column), (line, column), "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
        assert!(!message.is_empty(), "{text}");
    }
}

/// What ends a line in WGSL and so a comment, and what is a space to it alone: nothing hides behind them.
#[test]
fn nothing_hides_behind_ends_of_lines_and_blanks() {
    for end in ["\n", "\u{b}", "\u{c}", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}"] {
        let deep = format!("fn f(a: f32) -> f32 {{ return {}a; }}", "- ".repeat(200_000));
        for (text, place, part) in [
            ("var<private> a: f32;", (4, 1), "no variables"),
            ("override a = 1.0;", (4, 1), "no overrides"),
            ("@group(0) @binding(0) var<storage, read_write> a: u32;", (4, 23), "no variables"),
            ("fn min(a: u32, b: u32) -> u32 { return a; }", (4, 4), "`min` is taken"),
            (deep.as_str(), (4, 348), "too long or too deep"),
        ] {
            let (line, column, message) = mistake(&format!("//é{end}{text}"));
            assert_eq!((line, column), place, "{end:?}: {message}");
            assert!(message.contains(part), "{end:?}: {message}");
        }
        let (line, column, _) = mistake(&format!("//{end}{end} {end} const a = ;"));
        assert_eq!((line, column), (6, 12), "{end:?}");
    }
    for blank in ["\u{200e}", "\u{200f}", "\t", " ", "\u{200e} \u{200f}"] {
        let before = u32::try_from(blank.chars().count()).expect("a few");
        for (text, column, part) in [
            ("fn*min(a: u32, b: u32) -> u32 { return a; }", 3 + before, "`min` is taken"),
            ("var*<private>*a: f32;", 1, "no variables"),
            ("*override*a = 1.0;", 1 + before, "no overrides"),
        ] {
            let (line, found, message) = mistake(&text.replace('*', blank));
            assert_eq!((line, found), (3, column), "{blank:?}: {message}");
            assert!(message.contains(part), "{blank:?}: {message}");
        }
    }
    // To other languages this is a space.
    let (line, column, _) = mistake("fn\u{a0}f() {}");
    assert_eq!((line, column), (3, 3));
}

#[test]
fn directives_are_refused() {
    for text in ["enable f16;", "diagnostic(off, derivative_uniformity);"] {
        let made = CustomOp::<f32, f32>::new(format!("// first\n {text}\n{MAP}{COMBINE}"), 0.0);
        let (line, column, message) = fault(made);
        assert_eq!((line, column), (2, 2), "{message}");
        assert!(message.contains("no directives"), "{message}");
    }
}

#[test]
fn functions_must_be_there_and_have_their_types() {
    let names = "const fold = 1; fn folded() {} struct folds { a: u32 } alias FOLDS = u32;";
    assert!(CustomOp::<f32, f32>::new([MAP, COMBINE, names].concat(), 0.0).is_ok());
    let made = CustomOp::<f32, f32>::new(MAP, 0.0);
    assert_eq!(fault(made), (0, 0, "there is no `fn combine(f32, f32) -> f32`".into()));
    let made = CustomOp::<f32, f32>::new("", 0.0);
    assert_eq!(fault(made), (0, 0, "there is no `fn map(f32, u32) -> f32`".into()));
    let made = CustomOp::<f32, f32, u32>::new([MAP, COMBINE].concat(), 0.0);
    assert_eq!(fault(made), (0, 0, "there is no `fn finish(f32) -> u32`".into()));
    let message = Error::CustomShader { line: 0, column: 0, message: "this".into() }.to_string();
    assert_eq!(message, "the custom operator cannot be used: this");
    let message = Error::CustomShader { line: 3, column: 4, message: "this".into() }.to_string();
    assert_eq!(message, "the custom operator is wrong at 3:4: this");

    let (line, column, message) = fault(CustomOp::<u8, f32>::new([MAP, COMBINE].concat(), 0.0));
    assert_eq!((line, column), (1, 4));
    let expected = "`map` must be `fn map(u32, u32) -> f32`, and is `fn map(f32, u32) -> f32`";
    assert_eq!(message, expected);
    let made = CustomOp::<(f32, f32), f32>::new(["\n ", MAP, COMBINE].concat(), 0.0);
    let (line, column, message) = fault(made);
    assert_eq!((line, column), (2, 5));
    assert!(message.contains("must be `fn map(f32, f32, u32) -> f32`"), "{message}");
    for (returned, shown) in [
        ("mat2x2<f32>", "a matrix"),
        ("array<f32, 2>", "an array"),
        ("vec3<bool>", "vec3<bool>"),
        ("Own", "Own"),
    ] {
        let text = format!(
            "struct Own {{ a: f32 }}
            fn map(element: f32, index: u32) -> {returned} {{ return {returned}(); }}"
        );
        let (_, _, message) = fault(CustomOp::<f32, f32>::new([&text, COMBINE].concat(), 0.0));
        assert!(message.ends_with(&format!("-> {shown}`")), "{message}");
    }
}

/// Texts that would have compilers, which are recursive, run out of stack.
#[test]
fn monsters_are_refused_by_their_place() {
    for count in [200, 5000, 100_000] {
        for (before, repeated, after) in [
            ("return a", " + a", ";"),
            ("return ", "- ", "a;"),
            ("return a", ".x", ";"),
            ("return 1u", ".x", ";"),
            ("return 1.", ".x", ";"),
            ("return ", "abs(", ""),
            ("", "{", ""),
            ("", "if a > 0.0 {} else ", "{}"),
            ("", "a = a + 1.0 * a;", ""),
        ] {
            let repeated = repeated.repeat(count);
            let (line, column, message) = match CustomOp::<f32, f32>::new(
                [MAP, COMBINE, "\nfn f(a: f32) -> f32 {", before, &repeated, after, "}"].concat(),
                0.0,
            ) {
                Err(Error::CustomShader { line, column, message }) => (line, column, message),
                other => panic!("{other:?}"),
            };
            assert!(count < 400 || (line == 2 && column > 22), "{line}:{column}: {message}");
        }
    }
    let consts = (1..10_000).map(|k| format!("const c{k} = c{};", k - 1));
    let deep = consts.chain(["const c0 = 1;".to_owned()]).collect::<Vec<_>>().concat();
    let (_, _, message) = mistake(&deep);
    assert!(message.contains("too long"), "{message}");
}

/// Texts that compilers are likely to stumble over.
const STUMBLING_BLOCKS: [&str; 52] = [
    "",
    " ",
    "\0",
    "{",
    "}",
    "(",
    ")",
    "/*",
    "*/",
    "//",
    "é",
    "\u{FEFF}",
    "fn",
    "fn map",
    "@",
    "@@",
    "alias",
    "alias a = a;",
    "struct map {}",
    "const map = 1;",
    "alias map = f32;",
    "var<",
    "enable",
    "fn map(",
    "const_assert false;",
    "fn f() { let x = 1 / 0; }",
    "fn f() { const x = array<u32, 0>(); }",
    "struct a { b: a }",
    "const a = b; const b = a;",
    "fn f() -> texture_2d<f32> {}",
    "fn f() { switch 1 { case 1: {} case 1: {} default: {} } }",
    "fn f(a: ptr<private, u32>) {}",
    "fn f() { var a = array<u32, 99999999999>(); }",
    "const a = -array<u32, 4294967295>();",
    "fn f() { var a: array<u32, 500000000>; a[0] = 1u; }",
    "alias A = array<u32, 30000>; alias B = array<A, 30000>; const a = -B();",
    "fn f() { for (;;) {} }",
    "fn f() { loop {} }",
    "fn f() { loop { continuing { break if true; } } }",
    "fn f() { return 1; }",
    "requires x;",
    "const a = vec2(1, 2)[7];",
    "const a = 1u << 77;",
    "const a = -1u;",
    "const a = 0x1p1000f;",
    "fn f(a: f64) -> i64 { return i64(a); }",
    "fn f(a: f16) {}",
    "const a = 1lf;",
    "const a = 1li;",
    "fn f(a: binding_array<u32>) {}",
    "fn f(a: ray_query) {}",
    "fn f(a: atomic<u32>) {}",
];

#[test]
fn no_text_makes_it_panic() {
    for text in STUMBLING_BLOCKS {
        for text in [text.to_owned(), [MAP, COMBINE, text].concat(), [text, MAP, COMBINE].concat()]
        {
            match CustomOp::<f32, f32>::new(text, 0.0) {
                Ok(_) | Err(Error::CustomShader { .. }) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
    }
    // Every beginning of a text, and the text without any one of its bytes.
    let whole = [MAP, COMBINE, "/* é */ const a = 1.5f;"].concat();
    for (at, _) in whole.char_indices() {
        assert!(
            CustomOp::<f32, f32>::new(&whole[..at.min(MAP.len() + COMBINE.len() - 1)], 0.0)
                .is_err()
        );
        let mut without = whole.clone();
        without.remove(at);
        let _ = CustomOp::<f32, f32>::new(without, 0.0);
    }
}

#[test]
fn operators_tell_what_they_were_made_of() {
    let text = [MAP, COMBINE].join("\n");
    let op = CustomOp::<f32, f32>::new(text.as_str(), f32::NEG_INFINITY).unwrap();
    assert_eq!((op.text(), op.clone().identity().to_bits()), (text.as_str(), 0xFF80_0000));
}

/// A text of the documentation, without what stands before its lines.
fn shown<'a>(file: &'a str, name: &str) -> Vec<&'a str> {
    let behind = file.split_once(&format!("const {name}: &str = \"\n"));
    let text = behind.and_then(|(_, behind)| behind.split_once("\";"));
    let (text, _) = text.unwrap_or_else(|| panic!("{name} is not there"));
    let lines = text.lines().map(|line| line.trim().trim_start_matches("///").trim());
    lines.filter(|line| !line.is_empty()).collect()
}

/// The tests on devices take it from the example.
#[test]
fn the_documentation_shows_what_is_tested() {
    let example = include_str!("../../examples/custom_operator.rs");
    let reference = include_str!("../../src/shader/custom/op.rs");
    for (name, lines) in [("LOG_SUM_EXP", 15), ("MAX_ABS_DIFFERENCE", 3)] {
        let tested = shown(example, name);
        assert_eq!(tested.len(), lines, "{tested:?}");
        assert_eq!(shown(reference, name), tested, "src/shader/custom/op.rs");
    }
    CustomOp::<f32, [f32; 2], f32>::new(shown(example, "LOG_SUM_EXP").join("\n"), [0.0; 2])
        .expect("an operator");
    CustomOp::<(f32, f32), u32, f32>::new(shown(example, "MAX_ABS_DIFFERENCE").join("\n"), 0)
        .expect("an operator");
}
