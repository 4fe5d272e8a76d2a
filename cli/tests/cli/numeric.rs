//! Numbers on the command line, in every spelling.

use crate::harness::{data, has_adapter, run, run_with_stdin, text};
use serde_json::json;

/// What numbers are written like, and some words that begin as they do.
const SPELLINGS: [&str; 16] = [
    "-1",
    "-0",
    "-0.5",
    "-.5",
    "-1.",
    "-1e-3",
    "-1E+5",
    "-.5e1",
    "-inf",
    "-infinity",
    "-NaN",
    "-1_000",
    "-2^4",
    "-1Ki",
    "+1",
    "-x",
];

/// Commands that get no farther than their arguments, and their options that take one number.
const OPTIONS: [(&[&str], &[&str]); 10] = [
    (&["sum", "no such file"], &["--axis", "--memory", "--deadline", "--repetitions"]),
    (&["stats", "no such file"], &["--ddof"]),
    (&["quantile", "no such file"], &["--at", "--axis", "--deadline"]),
    (&["top-k", "no such file"], &["--k"]),
    (
        &["histogram", "no such file"],
        &["--bins", "--edges", "--channels", "--memory", "--deadline"],
    ),
    (
        &["explain", "--adapter", "no such adapter"],
        &["--elements", "--offset", "--inputs", "--segments"],
    ),
    (&["explain", "--adapter", "no such adapter", "--shape=2,3"], &["--axis"]),
    (&["generate", "no such folder/file"], &["--elements", "--shape", "--seed"]),
    (
        &["bench", "--adapter", "no such adapter"],
        &["--elements", "--in-flight", "--deadline", "--repetitions"],
    ),
    (&["tune", "--adapter", "no such adapter"], &["--min", "--max", "--budget", "--deadline"]),
];

#[test]
fn a_number_beside_its_option_is_what_it_is_behind_an_equals_sign() {
    for (command, options) in OPTIONS {
        for option in options {
            for spelling in SPELLINGS {
                let apart = run(command.iter().copied().chain([*option, spelling]));
                let joined = format!("{option}={spelling}");
                let joined = run(command.iter().copied().chain([joined.as_str()]));
                let what = format!("{command:?} {option} {spelling}: {}", apart.stderr);
                assert_ne!(apart.status, Some(0), "{what}");
                assert_eq!(
                    (apart.status, &apart.stderr),
                    (joined.status, &joined.stderr),
                    "{what}"
                );
                assert!(!apart.stderr.contains("unexpected argument"), "{what}");
            }
        }
    }
}

#[test]
fn ladders_and_studies_say_which_numbers_they_want() {
    for command in [&["ladder"][..], &["study", "strategy"]] {
        for option in ["--elements", "--rows", "--repetitions", "--deadline"] {
            let refused = run(command.iter().copied().chain([option, "-1e-3"]));
            assert_eq!(refused.status, Some(2), "{command:?} {option}");
            assert!(refused.stderr.contains("invalid value '-1e-3' for '"), "{}", refused.stderr);
        }
    }
    assert!(run(["ladder", "--workgroup-size", "-.5"]).stderr.contains("invalid value '-.5'"));
}

#[test]
fn ends_of_a_range_may_be_any_numbers() {
    let input = data("f4.npy");
    let command = ["histogram", text(&input), "--bins", "2", "--json"];
    for (low, high) in [("-inf", "1"), ("0", "inf"), ("-nan", "1"), ("-Infinity", "-.5")] {
        let error = run(command.into_iter().chain(["--range", low, high]));
        assert_eq!(error.status, Some(2), "{low} {high}");
        assert!(!error.stderr.contains("unexpected argument"), "{}", error.stderr);
    }
    if !has_adapter() {
        return;
    }
    for (low, high, ends) in [
        ("-1e-3", "1", [-1e-3, 1.0]),
        ("-.5", "+1.", [-0.5, 1.0]),
        ("-2E0", "-1e-1", [-2.0, -0.1]),
        ("-0", "5", [-0.0, 5.0]),
    ] {
        let before = ["histogram", "--range", low, high, text(&input), "--bins", "1", "--json"];
        let report = run(before).json();
        assert_eq!(report["edges"], json!(ends), "{low} {high}");
    }
    let edges =
        run(["histogram", text(&input), "--edges", "-.5,-1e-3,1", "--json"]).json()["edges"]
            .clone();
    assert_eq!(edges, json!([-0.5, -1e-3, 1.0]));
    let along = run(["sum", text(&input), "--axis", "-1", "--json"]).json();
    assert_eq!(
        along["results"],
        run(["sum", text(&input), "--axis=-1", "--json"]).json()["results"]
    );
    // An option is never taken for a file.
    assert_eq!(run_with_stdin(&["sum", "-.5"], &[]).status, Some(2));
}
