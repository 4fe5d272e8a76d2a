//! The committed sums.

use super::committed::Committed;
use super::oracle::Oracle;
use wgpu_reduce::ExactSum;

/// The bits in the file are the oracle's and the host's. A new line may have any bits at first: the
/// failure prints the right ones.
#[test]
fn the_committed_sums_are_those_of_the_oracle() {
    let mut wrong = Vec::new();
    let text = include_str!("../../data/exact_sums.txt");
    for case in Committed::read(text).expect("the list can be read") {
        let (values, reversed) = (&case.values, case.reversed());
        let (of_values, of_products) = (Oracle::of(values), Oracle::of_products(values, &reversed));
        let mean = u32::try_from(of_values.mean()).expect("a single has 32 bits");
        let right = [of_values.single(), mean, of_products.single()];
        let sum = ExactSum::from_iter(values);
        let mut dot = ExactSum::new();
        dot.add_products(values, &reversed).expect("there are as many");
        let mean = sum.mean().expect("there is a number");
        assert_eq!([sum.round(), mean, dot.round()].map(f32::to_bits), right, "{}", case.line);
        if [case.sum, case.mean, case.dot] != right {
            let bits = right.map(|bits| format!("{bits:08x}")).join(" ");
            let fields: Vec<_> = case.line.split(' ').take(3).collect();
            wrong.push(format!("{} {bits}", fields.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "these lines should be:\n{}", wrong.join("\n"));
}
