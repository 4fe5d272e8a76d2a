//! The program with one rank, two and four on this machine: the same bits, and clear ends where something is wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use wgpu_reduce::ExactSum;

const RANKS: [u32; 3] = [1, 2, 4];

fn npy(descr: &str, len: usize, data: &[u8]) -> Vec<u8> {
    npy_of(descr, "False", &format!("({len},)"), data)
}

fn npy_of(descr: &str, is_fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text =
        format!("{{'descr': '{descr}', 'fortran_order': {is_fortran}, 'shape': {shape}, }}\n");
    let text_bytes = u16::try_from(text.len()).expect("it is short").to_le_bytes();
    [&b"\x93NUMPY\x01\x00"[..], &text_bytes, text.as_bytes(), data].concat()
}

fn file_of(folder: &TempDir, elements: &[f32]) -> PathBuf {
    let data: Vec<u8> = elements.iter().flat_map(|element| element.to_le_bytes()).collect();
    let path = folder.path().join("numbers.npy");
    std::fs::write(&path, npy("<f4", elements.len(), &data)).expect("it is written");
    path
}

fn file_of_doubles(folder: &TempDir, elements: &[f64]) -> PathBuf {
    let data: Vec<u8> = elements.iter().flat_map(|element| element.to_le_bytes()).collect();
    let path = folder.path().join("doubles.npy");
    std::fs::write(&path, npy("<f8", elements.len(), &data)).expect("it is written");
    path
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_wgpu-reduce-mpi");

/// Runs the program with so many ranks, however few cores there are.
fn run(ranks: u32, arguments: &[&str], file: &Path) -> Output {
    mpirun(|command| command.args(["-n", &ranks.to_string(), PROGRAM]).args(arguments).arg(file))
}

/// Ends after two minutes, if the ranks wait for each other in vain.
fn mpirun(arguments: impl FnOnce(&mut Command) -> &mut Command) -> Output {
    let mut command = Command::new("mpirun");
    arguments(&mut command)
        .env("MPIEXEC_TIMEOUT", "120")
        // Of Open MPI 4 and 5; others start as many as they are asked to.
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
        // Containers have no other user.
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .output()
        .expect("mpirun is in the path")
}

/// The only line of standard output, if the program succeeds.
fn bits(ranks: u32, file: &Path) -> String {
    let output = run(ranks, &["--bits"], file);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{ranks} ranks: {errors}");
    String::from_utf8(output.stdout).expect("it is text").trim_end().to_owned()
}

/// Random bits, the same in every run.
fn random() -> impl FnMut() -> u64 {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut half = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 32
    };
    move || half() << 32 | half()
}

/// Numbers of all magnitudes, most of which cancel each other.
fn cancelling(len: usize) -> Vec<f32> {
    let mut random = random();
    let finite = |bits: u32| if bits >> 23 & 255 == 255 { bits & !(1 << 23) } else { bits };
    let mut random = || finite(u32::try_from(random() >> 32).expect("32 bits are left"));
    let half: Vec<f32> = (0..len / 2).map(|_| f32::from_bits(random())).collect();
    let negated = half.iter().rev().map(|element| -element);
    half.iter().copied().chain(negated).chain([1.5e-42, 3.0, 2.0_f32.powi(-40)]).collect()
}

fn cancelling_doubles(len: usize) -> Vec<f64> {
    let mut random = random();
    let finite = |bits: u64| if bits >> 52 & 2047 == 2047 { bits & !(1 << 52) } else { bits };
    let half: Vec<_> = (0..len / 2).map(|_| f64::from_bits(finite(random()))).collect();
    let negated = half.iter().rev().map(|element| -element);
    half.iter().copied().chain(negated).chain([1.5e-320, 3.0, 2.0_f64.powi(-70)]).collect()
}

#[test]
fn any_number_of_ranks_has_the_bits_of_one_sum() {
    let folder = TempDir::new().expect("there is room");
    let hard = cancelling(100_000);
    let one_rank_has_nan = [[1.0; 1000].as_slice(), &[f32::INFINITY, f32::NEG_INFINITY]].concat();
    let only_negative_zeros = vec![-0.0; 7];
    for elements in [hard, one_rank_has_nan, only_negative_zeros, vec![0.1; 3], vec![]] {
        let file = file_of(&folder, &elements);
        let sum: ExactSum = elements.iter().copied().collect();
        let expected = sum.round().to_bits();
        for ranks in RANKS {
            assert_eq!(
                bits(ranks, &file),
                format!("{expected:08x}"),
                "{ranks} of {}",
                elements.len()
            );
        }
    }
}

#[test]
fn any_number_of_ranks_has_the_bits_of_one_sum_of_doubles() {
    let folder = TempDir::new().expect("there is room");
    let hard = cancelling_doubles(50_000);
    let reversed = hard.iter().rev().copied().collect();
    let one_rank_has_infinity = [[1.0; 1000].as_slice(), &[f64::NEG_INFINITY]].concat();
    let one_rank_has_nan = [[f64::INFINITY, -f64::NAN].as_slice(), &[1.0; 9]].concat();
    let (beyond, only_negative_zeros) = (vec![f64::MAX; 2], vec![-0.0; 7]);
    let lists = [hard, reversed, one_rank_has_infinity, one_rank_has_nan, beyond];
    for elements in lists.into_iter().chain([only_negative_zeros, vec![0.1; 3], vec![]]) {
        let file = file_of_doubles(&folder, &elements);
        let expected = ExactSum::from_iter(&elements).round().to_bits();
        for ranks in RANKS {
            let bits = bits(ranks, &file);
            assert_eq!(bits, format!("{expected:016x}"), "{ranks} of {}", elements.len());
        }
    }
}

#[test]
fn doubles_are_told_as_singles_are() {
    let folder = TempDir::new().expect("there is room");
    let file = file_of_doubles(&folder, &[1e300, 0.5, 1.0, -1e300]);
    assert_eq!(told(2, &[], &file), ["1.5", "3ff8000000000000", "0.375", "4", "2"]);
    assert_eq!(told(4, &["--argmin"], &file), ["3", &format!("{}", -1e300), "4", "4"]);
    let output = run(2, &["--all", "--bits"], &file);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "3ff8000000000000\n".repeat(2));
}

#[test]
fn all_is_told_by_one_rank() {
    let folder = TempDir::new().expect("there is room");
    let output = run(2, &[], &file_of(&folder, &[0.5; 10]));
    let text = String::from_utf8(output.stdout).expect("it is text");
    let lines: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let expected = [
        ["sum_exact", "5"],
        ["bits", "40a00000"],
        ["mean", "0.5"],
        ["elements", "10"],
        ["ranks", "2"],
    ];
    assert_eq!(lines, expected);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("rank 0: elements 0..5 on "), "{errors}");
    assert!(errors.contains("rank 1: elements 5..10 on "), "{errors}");
}

#[test]
fn with_all_every_rank_has_the_sum() {
    let folder = TempDir::new().expect("there is room");
    let file = file_of(&folder, &[0.25; 1000]);
    let output = run(4, &["--all", "--bits"], &file);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "437a0000\n".repeat(4));
}

/// A file of integers.
fn file_of_integers(folder: &TempDir, elements: &[i32]) -> PathBuf {
    let data: Vec<u8> = elements.iter().flat_map(|element| element.to_le_bytes()).collect();
    let path = folder.path().join("integers.npy");
    std::fs::write(&path, npy("<i4", elements.len(), &data)).expect("it is written");
    path
}

/// The second words of all lines, if the program succeeds.
fn told(ranks: u32, arguments: &[&str], file: &Path) -> Vec<String> {
    let output = run(ranks, arguments, file);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{ranks} ranks: {errors}");
    let text = String::from_utf8(output.stdout).expect("it is text");
    text.lines().filter_map(|line| line.split_whitespace().nth(1)).map(Into::into).collect()
}

#[test]
fn sums_of_integers_are_the_same_of_any_number_of_ranks() {
    let folder = TempDir::new().expect("there is room");
    let mixed: Vec<_> = cancelling(50_000).iter().map(|one| one.to_bits().cast_signed()).collect();
    // Beyond 32 bits on every rank.
    for elements in [mixed, vec![i32::MIN; 30_000], vec![-5], vec![]] {
        let file = file_of_integers(&folder, &elements);
        let sum: i64 = elements.iter().map(|&element| i64::from(element)).sum();
        for ranks in RANKS {
            let expected = [sum.to_string(), elements.len().to_string(), ranks.to_string()];
            assert_eq!(told(ranks, &[], &file), expected);
        }
    }
    let output = run(2, &["--bits"], &file_of_integers(&folder, &[1]));
    assert!(String::from_utf8_lossy(&output.stderr).contains("only exact sums have bits"));
}

/// Of equal ones, and of NaNs, the first: whichever rank has it.
#[test]
fn the_least_element_stands_where_one_gpu_would_find_it() {
    let folder = TempDir::new().expect("there is room");
    let mut tied: Vec<f32> = (0..10_001_u16).map(|index| f32::from(index % 100)).collect();
    let check = |file: &Path, value: &str, index: usize, len: usize| {
        for ranks in RANKS {
            let expected = [index.to_string(), value.into(), len.to_string(), ranks.to_string()];
            assert_eq!(told(ranks, &["--argmin"], file), expected);
        }
    };
    check(&file_of(&folder, &tied), "0", 0, tied.len());
    (tied[9000], tied[6001]) = (-1.5, -1.5);
    check(&file_of(&folder, &tied), "-1.5", 6001, tied.len());
    (tied[9900], tied[8000]) = (f32::NAN, f32::NAN);
    check(&file_of(&folder, &tied), "NaN", 8000, tied.len());
    // More ranks than elements.
    check(&file_of(&folder, &[3.0, 2.0]), "2", 1, 2);
    check(&file_of_integers(&folder, &[7, i32::MIN, 9, i32::MIN]), "-2147483648", 1, 4);
    let output = run(2, &["--argmin", "--all"], &file_of_integers(&folder, &[7, 5]));
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("index      1").count(), 2);
    let output = run(2, &["--argmin"], &file_of(&folder, &[]));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("there are no elements"), "{errors}");
}

/// The fourth element of the file is the fifth of the array, by rows.
#[test]
fn indices_of_a_file_in_fortran_order_are_refused() {
    let folder = TempDir::new().expect("there is room");
    let path = folder.path().join("matrix.npy");
    let data: Vec<u8> = [4_i32, 3, 2, 1, 6, 5].iter().flat_map(|one| one.to_le_bytes()).collect();
    let write = |is_fortran: &str, shape: &str| {
        std::fs::write(&path, npy_of("<i4", is_fortran, shape, &data)).expect("it is written");
    };
    write("True", "(2, 3)");
    let output = run(2, &["--argmin"], &path);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty(), "{errors}");
    assert!(errors.contains("matrix.npy: elements lie in Fortran order"), "{errors}");
    // Sums need no order, and of one dimension there is but one.
    assert_eq!(told(2, &[], &path), ["21", "6", "2"]);
    write("True", "(6,)");
    assert_eq!(told(2, &["--argmin"], &path), ["3", "1", "6", "2"]);
    write("False", "(2, 3)");
    assert_eq!(told(2, &["--argmin"], &path), ["3", "1", "6", "2"]);
}

/// The others do not wait for it.
#[test]
fn one_rank_that_fails_ends_the_program() {
    let folder = TempDir::new().expect("there is room");
    let file = file_of(&folder, &[0.25; 1000]);
    let missing = folder.path().join("missing.npy");
    let output = mpirun(|command| {
        command.args(["-n", "1", PROGRAM, "--bits"]).arg(&file).args([":", "-n", "1"]);
        command.args([PROGRAM, "--bits"]).arg(&missing)
    });
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty(), "{errors}");
    assert!(errors.contains("rank 1: ") && errors.contains("missing.npy"), "{errors}");
}

#[test]
fn what_no_rank_can_read_ends_the_program() {
    let folder = TempDir::new().expect("there is room");
    let path = folder.path().join("odd.npy");
    let truncated = npy("<f4", 100, &[0; 399]);
    let halves = npy("<f2", 1, &[0; 2]);
    for (bytes, expected) in
        [(&truncated[..], "truncated"), (&halves, "f16"), (b"no numbers", "byte 0")]
    {
        std::fs::write(&path, bytes).expect("it is written");
        let output = run(2, &["--bits"], &path);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{expected}: {errors}");
        assert!(errors.contains(expected), "{errors}");
    }
}

/// By one rank, whichever was called wrongly.
#[test]
fn usage_is_told_once() {
    let folder = TempDir::new().expect("there is room");
    let file = file_of(&folder, &[0.25; 10]);
    let other = |option: &str| {
        mpirun(|command| {
            command.args(["-n", "1", PROGRAM, "--bits"]).arg(&file).args([":", "-n", "1"]);
            command.args([PROGRAM, option]).arg(&file)
        })
    };
    for output in [run(2, &["--speed"], &file), run(2, &["--bits", "--argmin"], &file), other("-x")]
    {
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &[][..]), "{errors}");
        assert_eq!(errors.matches("usage: ").count(), 1, "{errors}");
        assert!(!errors.contains("MPI_ABORT"), "{errors}");
    }
    for output in [run(4, &["--help"], &file), other("-h")] {
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!((output.status.code(), text.lines().count()), (Some(0), 1), "{text}");
        assert!(text.starts_with("usage: "), "{text}");
    }
}
