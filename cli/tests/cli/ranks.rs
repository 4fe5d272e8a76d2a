//! `--axis` of files of more dimensions than a view of the library has.

use crate::harness::{file, has_adapter, npy_header, run, text};
use serde_json::{Value, json};

/// An array, whose elements tell their places: 1, 2, ... in the order of the file, with every third negative.
struct Array {
    extents: Vec<usize>,
    is_fortran: bool,
}

impl Array {
    fn len(&self) -> usize {
        self.extents.iter().product()
    }

    fn elements(&self) -> impl Iterator<Item = i32> + use<> {
        (1..).zip(0..self.len()).map(|(number, _)| if number % 3 == 0 { -number } else { number })
    }

    /// Elements from one to the next in each dimension.
    fn strides(&self) -> Vec<usize> {
        let count = self.extents.len();
        let before = |n: usize| if self.is_fortran { 0..n } else { n + 1..count };
        (0..count).map(|n| self.extents[before(n)].iter().product()).collect()
    }

    /// The elements along an axis, for each position of the others, row by row.
    fn rows(&self, axis: usize) -> Vec<Vec<i32>> {
        let (elements, strides) = (self.elements().collect::<Vec<_>>(), self.strides());
        let mut firsts = vec![0];
        for n in (0..self.extents.len()).filter(|&n| n != axis) {
            let next = |first: usize| (0..self.extents[n]).map(move |i| (first, i));
            let all = firsts.into_iter().flat_map(next);
            firsts = all.map(|(first, i)| first + i * strides[n]).collect();
        }
        let (extent, stride) = (self.extents[axis], strides[axis]);
        let row = |first: usize| (0..extent).map(|i| elements[first + i * stride]).collect();
        firsts.into_iter().map(row).collect()
    }

    fn bytes(&self) -> Vec<u8> {
        let header = npy_header("<i4", self.is_fortran, &self.extents);
        let elements: Vec<_> = self.elements().flat_map(i32::to_le_bytes).collect();
        [header, elements].concat()
    }

    /// The shape of the results.
    fn without(&self, axis: usize) -> Vec<usize> {
        let mut extents = self.extents.clone();
        extents.remove(axis);
        extents
    }
}

/// Sums and places along these axes, in either order of the file, are those of the definition.
fn check(extents: &[usize], axes: &[usize]) {
    for is_fortran in [false, true] {
        let array = Array { extents: extents.to_vec(), is_fortran };
        let (_folder, path) = file("array.npy", &array.bytes());
        for &axis in axes {
            let rows = array.rows(axis);
            let number = axis.to_string();
            let report = run(["sum", text(&path), "--axis", &number, "--json"]).json();
            let sums: Vec<i32> = rows.iter().map(|row| row.iter().sum()).collect();
            let what = format!("{extents:?} along {axis}, Fortran's order: {is_fortran}");
            assert_eq!(report["results"], json!(sums), "{what}");
            assert_eq!(report["shape"], json!(array.without(axis)), "{what}");
        }
        if array.len() == 0 {
            continue;
        }
        let one = axes[0];
        // As it counts from the last.
        let from_last = format!("-{}", extents.len() - one);
        let report = run(["argmax", text(&path), "--axis", &from_last, "--json"]).json();
        let place = |row: &Vec<i32>| row.iter().position(|value| Some(value) == row.iter().max());
        let places: Vec<_> = array.rows(one).iter().map(place).collect();
        let found: Vec<&Value> =
            report["results"].as_array().unwrap().iter().map(|value| &value["index"]).collect();
        assert_eq!(json!(found), json!(places), "{extents:?} along {one}");
    }
}

/// With dimensions of one among them, as the one that is folded, too.
fn of_rank(rank: usize) -> Vec<usize> {
    let mut extents = vec![1; rank];
    for (place, extent) in [(0, 2), (rank / 3, 3), (rank / 2, 5), (rank - 2, 4), (rank - 1, 3)] {
        extents[place] = extent;
    }
    extents
}

#[test]
fn files_of_seven_dimensions() {
    if has_adapter() {
        check(&[2, 3, 1, 4, 2, 3, 2], &[3, 0, 2, 6]);
        check(&[2, 3, 1, 4, 2, 0, 2], &[5]);
    }
}

/// As many as arrays of NumPy 1 may have, and of NumPy 2.
#[test]
fn files_of_very_many_dimensions() {
    if has_adapter() {
        check(&of_rank(32), &[16, 31, 3]);
        check(&of_rank(64), &[21, 0]);
    }
}

#[test]
fn results_of_many_dimensions_go_to_a_file_that_is_reduced_again() {
    if !has_adapter() {
        return;
    }
    let array = Array { extents: of_rank(12), is_fortran: true };
    let (folder, path) = file("array.npy", &array.bytes());
    let target = folder.path().join("sums.npy");
    let written = run(["sum", text(&path), "--axis", "6", "--output", text(&target)]).text();
    assert_eq!(written, "");
    // Its shape, and the order of its numbers.
    let left = Array { extents: array.without(6), is_fortran: false };
    let sum = |row: &Vec<i32>| -> i64 { row.iter().copied().map(i64::from).sum() };
    let sums: Vec<i64> = array.rows(6).iter().map(sum).collect();
    let report = run(["sum", text(&target), "--axis", "10", "--json"]).json();
    let of_last: Vec<i64> = sums.chunks(3).map(|chunk| chunk.iter().sum()).collect();
    assert_eq!(report["results"], json!(of_last));
    assert_eq!(report["shape"], json!(left.without(10)));
}

#[test]
fn plans_of_many_dimensions_are_explained() {
    let shape = "2,2,2,2,2,2,2,2";
    let explained = |axis: &str| run(["explain", "--baseline", "--shape", shape, "--axis", axis]);
    assert!(explained("5").text().contains("sum of 128 x 2 f32 elements"), "axis 5");
    let refused = explained("8").error(2);
    assert!(refused.contains("there is no axis 8: the array has axes 0 to 7"), "{refused}");
}
