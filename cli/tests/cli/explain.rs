//! `explain`.

use crate::harness::{Run, has_adapter, program, run};
use std::process::Stdio;

#[test]
fn baseline_needs_no_adapter() {
    let absent = if cfg!(target_vendor = "apple") { "dx12" } else { "metal" };
    let mut command = program();
    command.args(["explain", "--baseline", "--elements", "50Mi"]).env("WGPU_BACKEND", absent);
    let plan = Run::new(command.output().unwrap()).text();
    assert!(plan.contains("sum of 52428800 f32 elements\n"), "{plan}");
    assert!(plan.contains("reads 209715200 bytes"), "{plan}");
    // Two windows of about the same size, none above 128 MiB, in one pass.
    assert_eq!(plan.matches("over bytes").count(), 2, "{plan}");
    assert!(plan.contains("over bytes 0..104857600 of Input(0)\n"), "{plan}");
    assert!(!plan.contains("pass 2"), "{plan}");
}

#[test]
fn what_one_buffer_does_not_hold_is_in_several() {
    // 600 MiB in buffers of 256, of which the first has 1 MiB of something else before.
    let elements = ["--elements", "150Mi", "--offset", "256Ki"];
    let plan = run(["explain", "--baseline"].iter().chain(&elements)).text();
    assert!(plan.contains("sum of 157286400 f32 elements\n"), "{plan}");
    for (input, end) in [(0, 256), (1, 256), (2, 89)] {
        assert!(plan.contains(&format!("..{} of Input({input})\n", end << 20)), "{plan}");
    }
    assert!(!plan.contains("Input(3)"), "{plan}");
}

/// Every word of a plan that is not plain is in the help.
#[test]
fn terms_of_plans_are_explained() {
    let help = run(["explain", "--help"]).text();
    let (_, terms) = help.split_once("Terms of a plan:\n").unwrap();
    for options in
        [&["--elements", "150Mi"][..], &["--shape", "9,1Mi", "--axis", "1"], &["--exact"]]
    {
        let plan = run(["explain", "--baseline"].iter().chain(options)).text();
        for term in [
            "pass ",
            "Elements",
            "Workgroup",
            "Rows",
            "LOADS_IN_FLIGHT",
            "LANES",
            "Output",
            "quads",
            "margin",
        ] {
            assert!(!plan.contains(term) || terms.contains(term), "{term} of {plan}");
        }
    }
    assert!(terms.contains("partials") && terms.contains("roundings"), "{terms}");
}

#[test]
fn options_shape_the_plan() {
    let explain = |options: &[&str]| run(["explain", "--baseline"].iter().chain(options)).text();
    let same = ["16Mi", "2^24", "16777216", "16_777_216", "16384Ki"];
    for elements in same {
        assert_eq!(explain(&["--elements", elements]), explain(&[]), "{elements}");
    }
    let shifted = explain(&["--elements", "10", "--offset", "3", "--dtype", "i32", "--op", "sum"]);
    assert!(shifted.contains("sum of 10 i32 elements\n"), "{shifted}");
    assert!(shifted.contains("over bytes 0..52 of Input(0)\n"), "{shifted}");
    // Two bytes for each element, from byte 6 on.
    let packed = explain(&["--elements", "10", "--offset", "3", "--dtype", "f16", "--op", "max"]);
    assert!(packed.contains("max of 10 f16 elements\n"), "{packed}");
    assert!(packed.contains("over bytes 0..28 of Input(0)\n"), "{packed}");
    for name in ["wrapping-sum", "wrapping_sum"] {
        let wrapping = explain(&["--op", name, "--dtype", "u32"]);
        assert!(wrapping.contains("wrapping_sum of 16777216 u32 elements\n"), "{wrapping}");
    }
}

#[test]
fn several_results_have_forms() {
    let explain = |options: &[&str]| run(["explain", "--baseline"].iter().chain(options)).text();
    let plan = explain(&["--shape", "64Ki,1Ki", "--axis", "1"]);
    assert!(
        plan.contains(
            "sum of 65536 x 1024 f32 elements\n  reads 268435456 bytes of elements; 256 × 8448 for"
        ),
        "{plan}"
    );
    assert!(plan.contains("Rows by Workgroup, results -> Output\n"), "{plan}");
    assert!(plan.contains(" workgroups over bytes ") && plan.contains("LANES = "), "{plan}");
    let plan = explain(&["--shape", "64,30,2", "--axis", "1", "--op", "max", "--wgsl"]);
    assert!(plan.contains("max of 128 x 30 f32 elements\n"), "{plan}");
    assert!(plan.contains("Columns by Workgroup"), "{plan}");
    assert_eq!(plan.matches("@compute").count(), 1, "{plan}");
    let plan = explain(&["--segments", "1000", "--elements", "1Mi", "--exact"]);
    assert!(plan.contains("sum_exact of 1000 segments of 1048576 f32 elements"), "{plan}");
    assert!(plan.contains("pass 2: fold of segments"), "{plan}");
    for [axis, same] in [["-1", "2"], ["-3", "0"]] {
        let along = |axis| explain(&["--shape", "64,30,2", "--axis", axis]);
        assert_eq!(along(axis), along(same));
    }
    for axis in ["2", "-3"] {
        let refused = run(["explain", "--baseline", "--shape", "3,4", "--axis", axis]).error(2);
        assert_eq!(refused, format!("there is no axis {axis}: the array has axes 0 to 1"));
    }
    for dtype in ["f16", "bf16"] {
        let plan = explain(&["--elements", "1Mi", "--exact", "--dtype", dtype]);
        assert!(plan.contains(&format!("sum_exact of 1048576 {dtype} elements")), "{plan}");
    }
}

#[test]
fn many_inputs_have_steps() {
    let explain = |options: &[&str]| run(["explain", "--baseline"].iter().chain(options)).text();
    let plan = explain(&["--elements", "1000", "--inputs", "9", "--wgsl"]);
    assert!(plan.contains("sum of each of 9 inputs of f32 elements\n"), "{plan}");
    assert!(plan.contains(" over Input(0) to Input(6)\n"), "{plan}");
    assert!(plan.contains(" over Input(7) to Input(8)\n"), "{plan}");
    assert_eq!(plan.matches("@compute").count(), 1, "{plan}");
    assert!(plan.contains("\n// shader: sum f32 Inputs Workgroup Result\n"), "{plan}");
    let plan = explain(&["--elements", "1Mi", "--inputs", "2"]);
    assert!(plan.contains("over bytes 0..4194304 of Input(1)\n"), "{plan}");
}

#[test]
fn shaders_are_printed_once_each() {
    let text = run(["explain", "--baseline", "--wgsl"]).text();
    assert_eq!(text.matches("\n// pass ").count(), 1, "{text}");
    assert_eq!(text.matches("@compute").count(), 1, "{text}");
    assert!(text.contains("\n// pass 1: sum f32 Elements Workgroup Last"), "{text}");
    assert!(!run(["explain", "--baseline"]).text().contains("@compute"));
    let packed = run(["explain", "--baseline", "--wgsl", "--dtype", "u8"]).text();
    assert!(packed.contains("\n// u8: the lowest byte"), "{packed}");
}

#[test]
fn plans_for_an_adapter_name_it() {
    if !has_adapter() {
        return;
    }
    let devices = run(["devices", "--json"]).json();
    for device in devices.as_array().unwrap() {
        let index = device["index"].to_string();
        let plan = run(["explain", "--elements", "1Mi", "--adapter", &index]).text();
        assert!(plan.starts_with(&format!("on {}:\n", device["label"].as_str().unwrap())));
        let by = if device["subgroup_sizes"].is_null() { "Workgroup" } else { "Subgroup" };
        assert!(plan.contains(&format!("pass 1: sum f32 Elements {by} ")), "{plan}");
    }
}

#[test]
fn mistakes_are_told_apart_from_what_cannot_be_planned() {
    for (options, part) in [
        (&["--op", "total"][..], "[possible values: sum, wrapping-sum, product,"),
        (&["--dtype", "f128"], "[possible values: f32, i32, u32, "),
        (&["--elements", "16M"], "expected a whole number from"),
        (&["--elements", "2^64"], "expected a whole number from 0 to 18446744073709551615"),
        (&["--offset", "2^62"], "the offset lies beyond 2^64 bytes"),
        (&["--adapter", "0"], "cannot be used with"),
        (
            &["--shape", "2^32,2^32", "--axis", "0"],
            "error: an array of 4294967296 x 4294967296 has too many elements",
        ),
    ] {
        let run = run(["explain", "--baseline"].iter().chain(options));
        assert_eq!(run.status, Some(2), "{options:?}");
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    let error = run(["explain", "--baseline", "--op", "wrapping-sum", "--dtype", "f32"]).error(1);
    assert_eq!(error, "wrapping_sum is not defined for f32 elements");
    for elements in ["2^40", "2^61", "2^63", "18446744073709551615"] {
        let error = run(["explain", "--baseline", "--elements", elements]).error(1);
        assert!(error.contains("bytes"), "{error}");
        // No count of bytes that is not so.
        assert!(!error.contains("18446744073709551615 more bytes"), "{error}");
    }
}

#[test]
fn a_closed_standard_output_is_no_failure() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = program();
    command.args(["explain", "--baseline", "--wgsl"]).stdout(writer).stderr(Stdio::piped());
    let run = Run::new(command.spawn().unwrap().wait_with_output().unwrap());
    assert_eq!((run.status, &run.stderr[..]), (Some(0), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_a_failure() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = program();
    command.args(["explain", "--baseline"]).stdout(full).stderr(Stdio::piped());
    let error = Run::new(command.spawn().unwrap().wait_with_output().unwrap()).error(1);
    assert!(error.starts_with("standard output: "), "{error}");
}

/// Its kernel has a tuning of its own.
#[test]
fn the_exact_sum_is_explained_by_either_name() {
    let explain = |options: &[&str]| run(["explain", "--baseline"].iter().chain(options)).text();
    let exact = explain(&["--op", "sum-exact"]);
    assert!(exact.contains("exact"), "{exact}");
    assert_eq!(exact, explain(&["--op", "sum", "--exact"]));
    // Of f64 on a device without f64.
    let exact = explain(&["--op", "sum-exact", "--dtype", "f64", "--elements", "1Mi", "--wgsl"]);
    assert!(exact.contains("sum_exact of 1048576 f64 elements\n"), "{exact}");
    assert!(exact.matches("@compute").count() == 1 && !exact.contains("f64;"), "{exact}");
    let named = ["--exact", "--dtype", "f64", "--elements", "1Mi", "--wgsl"];
    assert_eq!(exact, explain(&named));
    for by in [&["--op", "sum-exact"][..], &["--exact"]] {
        for several in [&["--shape", "9,9", "--axis", "0"][..], &["--segments", "3"]] {
            let options = [by, several, &["--dtype", "f64"]].concat();
            let exact = explain(&options);
            assert!(exact.contains("sum_exact f64"), "{exact}");
        }
    }
}
