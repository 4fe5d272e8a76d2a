//! `generate`.

use crate::harness::{Run, has_adapter, run, text};
use serde_json::json;
use std::fs;
use std::path::Path;
use wgpu_reduce::ElementKind;

fn generate(file: &Path, options: &[&str]) -> Run {
    run(["generate", text(file)].iter().chain(options))
}

/// The data behind the header, which must be one that NumPy reads.
fn words(file: &Path, descr: &str, elements: usize) -> Vec<u32> {
    let bytes = fs::read(file).unwrap();
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
    let data_start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(data_start % 64, 0);
    let header = std::str::from_utf8(&bytes[10..data_start]).unwrap();
    assert!(header.contains(&format!("'descr': '{descr}'")), "{header}");
    assert!(header.contains(&format!("'shape': ({elements}, )")), "{header}");
    let data = &bytes[data_start..];
    assert_eq!(data.len(), elements * 4);
    data.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn floats(file: &Path, elements: usize) -> Vec<f64> {
    let words = words(file, "<f4", elements);
    words.into_iter().map(|word| f64::from(f32::from_bits(word))).collect()
}

/// The expected words are `ChaCha8`'s, from an implementation of its own.
#[test]
fn numbers_depend_on_nothing_but_the_seed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("numbers.npy");
    for (seed, expected) in [
        ("0", [2_811_902_828, 3_045_455_719, 3_134_767_159, 2_001_118_559]),
        ("7", [601_310_139, 677_729_076, 781_920_570, 721_508_819_u32]),
    ] {
        generate(&file, &["--elements", "4", "--dtype", "u32", "--seed", seed]).text();
        assert_eq!(words(&file, "<u4", 4), expected);
        generate(&file, &["--elements", "4", "--dtype", "i32", "--seed", seed]).text();
        assert_eq!(words(&file, "<i4", 4), expected);
        generate(&file, &["--elements", "4", "--seed", seed]).text();
        let expected = expected.map(|word| f64::from(word >> 8) / 16_777_216.0);
        assert_eq!(floats(&file, 4), expected);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// What the header and the length of a file of each type say, and that it is read as that type, which a file of
/// `bf16` does not say.
#[test]
fn every_type_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("numbers.npy");
    for kind in ElementKind::ALL {
        generate(&file, &["--elements", "1001", "--dtype", kind.name()]).text();
        let bytes = fs::read(&file).unwrap();
        let size_bytes = usize::try_from(kind.size_bytes()).unwrap();
        assert_eq!(bytes.len(), 128 + 1001 * size_bytes, "{kind}");
        let order = if size_bytes == 1 { '|' } else { '<' };
        let is_void = kind == ElementKind::Bf16;
        let letter = if is_void { "V" } else { &kind.name()[..1] };
        let descr = format!("'descr': '{order}{letter}{size_bytes}'");
        assert!(String::from_utf8_lossy(&bytes[..128]).contains(&descr), "{kind} has no {descr}");
        if has_adapter() {
            let dtype: &[_] = if is_void { &["--dtype", kind.name()] } else { &[] };
            let arguments = [&["min-max", text(&file), "--json", "--check"], dtype].concat();
            let report = run(arguments).json();
            assert_eq!(
                (&report["dtype"], &report["elements"]),
                (&json!(kind.name()), &json!(1001))
            );
            assert_eq!(report["check"]["ok"], true, "{report}");
        }
    }
}

#[test]
fn small_floats_are_uniform_or_normal() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("numbers.npy");
    let distributions = [("uniform", 0.5, 1.0 / 12.0), ("normal", 0.0, 1.0)];
    let of_types = distributions.into_iter().flat_map(|of| [("f16", of), ("bf16", of)]);
    for (dtype, (distribution, mean, variance)) in of_types {
        let options = ["--elements", "100_000", "--dtype", dtype, "--distribution", distribution];
        generate(&file, &options).text();
        let options = ["--dtype", dtype, "--json", "--check"];
        let value = &run(["stats", text(&file)].into_iter().chain(options)).json()["value"];
        let number = |name: &str| value[name].as_f64().unwrap();
        assert!((number("mean") - mean).abs() < 0.02, "{value}");
        assert!((number("variance") - variance).abs() < 0.03, "{value}");
        assert!(distribution == "normal" || number("min") >= 0.0 && number("max") < 1.0, "{value}");
    }
}

#[test]
fn normal_numbers_are_repeatable_and_normal() {
    let folder = tempfile::tempdir().unwrap();
    let [file, again] = ["one.npy", "two.npy"].map(|name| folder.path().join(name));
    let options = ["--elements", "100_000", "--distribution", "normal", "--seed", "5"];
    generate(&file, &options).text();
    generate(&again, &options).text();
    assert_eq!(fs::read(&file).unwrap(), fs::read(&again).unwrap());
    let numbers = floats(&file, 100_000);
    let count = f64::from(100_000);
    let mean = numbers.iter().sum::<f64>() / count;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count;
    let within = numbers.iter().filter(|number| number.abs() < 1.0).count();
    assert!(mean.abs() < 0.02, "mean {mean}");
    assert!((variance - 1.0).abs() < 0.03, "variance {variance}");
    assert!((67_500..69_000).contains(&within), "{within} within one standard deviation");
}

#[test]
fn uniform_numbers_fill_their_range() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("uniform.npy");
    generate(&file, &["--elements", "10000"]).text();
    let numbers = floats(&file, 10_000);
    for decile in 0..10 {
        let range = f64::from(decile) / 10.0..f64::from(decile + 1) / 10.0;
        let inside = numbers.iter().filter(|number| range.contains(number)).count();
        assert!((850..1150).contains(&inside), "{inside} in {range:?}");
    }
}

/// An array has the elements that it has without a shape, and `--axis` reads them by it.
#[test]
fn arrays_have_the_shape_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let [matrix, flat] = ["matrix.npy", "flat.npy"].map(|name| folder.path().join(name));
    let said = generate(&matrix, &["--shape", "3,1Ki", "--dtype", "u32"]).text();
    assert_eq!(said, format!("{}: 3 x 1024 u32 elements\n", text(&matrix)));
    generate(&flat, &["--elements", "3072", "--dtype", "u32"]).text();
    let bytes = fs::read(&matrix).unwrap();
    assert!(String::from_utf8_lossy(&bytes[..128]).contains("'shape': (3, 1024, )"), "{bytes:?}");
    let words = words(&flat, "<u4", 3072);
    assert_eq!(bytes[128..], fs::read(&flat).unwrap()[128..]);
    if has_adapter() {
        let report = run(["sum", text(&matrix), "--axis", "1", "--json"]).json();
        let sums = words.chunks(1024).map(|row| row.iter().copied().map(u64::from).sum());
        assert_eq!(report["results"], json!(sums.collect::<Vec<u64>>()));
        assert_eq!(report["shape"], json!([3]));
    }
    for (shape, expected) in [
        ("1,1,1,1,1,1,1", "--shape has 7 dimensions; an array has 1 to 6"),
        ("2^32,2^33", "an array of 4294967296 x 8589934592 has too many elements"),
    ] {
        assert_eq!(generate(&matrix, &["--shape", shape]).error(2), expected);
    }
    let explained = ["explain", "--baseline", "--shape", "2^32,2^33", "--axis", "0"];
    let expected = "an array of 4294967296 x 8589934592 has too many elements";
    assert_eq!(run(explained).error(2), expected);
    assert_eq!(generate(&matrix, &["--shape", "3,4", "--elements", "12"]).status, Some(2));
}

#[test]
fn sum_reads_what_was_generated() {
    if !has_adapter() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("numbers");
    for (options, dtype) in [
        (&["--dtype", "u32"][..], "u32"),
        (&["--dtype", "i32"], "i32"),
        (&["--distribution", "normal"], "f32"),
    ] {
        generate(&file, &[&["--elements", "5Mi"], options].concat()).text();
        let sum = run(["sum", text(&file), "--json", "--check"]).json();
        assert_eq!(sum["elements"], 5 << 20);
        assert_eq!(sum["dtype"], dtype);
        assert_eq!(sum["check"]["ok"], true);
        if dtype == "u32" {
            let exact: u64 = words(&file, "<u4", 5 << 20).into_iter().map(u64::from).sum();
            assert_eq!(sum["value"], exact);
        }
    }
}

#[test]
fn what_cannot_be_written_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("numbers.npy");
    let options = ["--elements", "4", "--dtype", "i32", "--distribution", "normal"];
    let error = generate(&file, &options).error(2);
    assert_eq!(error, "i32 has no normal distribution");
    let error = generate(&folder.path().join("none/numbers.npy"), &["--elements", "4"]).error(1);
    assert!(error.contains("numbers.npy: "), "{error}");
    let error = generate(folder.path(), &["--elements", "4"]).error(1);
    assert!(error.ends_with("it is a directory"), "{error}");
    assert_eq!(generate(&file, &[]).status, Some(2));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn links_stay_links() {
    let folder = tempfile::tempdir().unwrap();
    let [file, link] = ["file.npy", "link.npy"].map(|name| folder.path().join(name));
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    generate(&link, &["--elements", "2", "--dtype", "u32"]).text();
    assert!(link.is_symlink());
    assert_eq!(words(&file, "<u4", 2), [2_811_902_828, 3_045_455_719]);
}
