//! The committed sums.

use super::cases::{Mix, Random};
use super::oracle::Oracle;
use std::fmt::Write as _;
use wgpu_reduce::ExactSum;

const KNOWN: &str = include_str!("../../data/exact_sums.txt");

/// The bits in the file are the oracle's and the host's. A new line may have any bits at first: the
/// failure prints the right ones.
#[test]
fn the_committed_sums_are_those_of_the_oracle() {
    let mut right = String::new();
    for line in KNOWN.lines() {
        let mut fields = line.split(' ');
        let mut field = || fields.next().expect("a field is missing");
        let name = field();
        if name == "#" {
            writeln!(right, "{line}").expect("strings grow");
            continue;
        }
        let (seed, len) = (field(), field());
        let mix = Mix::ALL.into_iter().find(|mix| format!("{mix:?}") == name).expect("no such mix");
        let number = "this field is a number";
        let mut random = Random::new(seed.parse().expect(number));
        let values = mix.numbers(len.parse().expect(number), &mut random);
        let oracle = Oracle::of(&values);
        let (sum, mean) = (oracle.single(), oracle.mean());
        writeln!(right, "{name} {seed} {len} {sum:08x} {mean:08x}").expect("strings grow");
        let on_host = ExactSum::from_iter(&values);
        assert_eq!(on_host.round().to_bits(), sum, "{line}");
        assert_eq!(on_host.mean().map(f32::to_bits), Ok(mean), "{line}");
    }
    assert!(right == KNOWN, "the file should be:\n{right}");
}
