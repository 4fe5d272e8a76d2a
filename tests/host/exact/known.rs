//! The committed sums.

use super::cases::Float;
use super::committed::Committed;
use super::oracle::Oracle;
use wgpu_reduce::ExactSum;

/// The bits in the files are the oracle's and the host's. A new line may have any bits at first: the
/// failure prints the right ones.
#[test]
fn the_committed_sums_are_those_of_the_oracle() {
    check::<f32>(include_str!("../../data/exact_sums.txt"));
    check::<f64>(include_str!("../../data/exact_sums_f64.txt"));
}

fn check<T: Float>(text: &str) {
    let mut wrong = Vec::new();
    for case in Committed::<T>::read(text).expect("the list can be read") {
        let (values, reversed) = (&case.values, case.reversed());
        let (of_values, of_products) = (Oracle::of(values), Oracle::of_products(values, &reversed));
        let right = [of_values.rounded(), of_values.mean(), of_products.rounded()];
        let sum = ExactSum::from_iter(values);
        let mut dot = ExactSum::new();
        dot.add_products(values, &reversed).expect("there are as many");
        let mean = sum.mean().expect("there is a number");
        assert_eq!([sum.round(), mean, dot.round()].map(T::word), right, "{}", case.line);
        if [case.sum, case.mean, case.dot].map(T::word) != right {
            let digits = 2 * size_of::<T>();
            let bits = right.map(|bits| format!("{bits:0digits$x}")).join(" ");
            let fields: Vec<_> = case.line.split(' ').take(3).collect();
            wrong.push(format!("{} {bits}", fields.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "these lines should be:\n{}", wrong.join("\n"));
}
