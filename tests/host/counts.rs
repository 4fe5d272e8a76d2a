//! How many random cases a property has: the one place that says so, for all tests with counts of their own.

use proptest::test_runner::Config;

/// The cases of a property that has no count of its own, which `PROPTEST_CASES` replaces.
const USUAL: u32 = 256;

/// So many cases, or more in proportion where `PROPTEST_CASES` asks for more than the usual 256 of a property.
pub(crate) fn cases(usual: u32) -> u32 {
    raised(usual, Config::default().cases)
}

/// A property of [`cases`].
pub(crate) fn config(usual: u32) -> Config {
    Config { cases: cases(usual), failure_persistence: None, ..Config::default() }
}

fn raised(usual: u32, asked: u32) -> u32 {
    let cases = u64::from(usual) * u64::from(asked.max(USUAL)) / u64::from(USUAL);
    u32::try_from(cases).unwrap_or(u32::MAX)
}

#[test]
fn counts_are_raised_in_proportion_and_never_lowered() {
    let asked = [0, 1, USUAL, 2 * USUAL, 10_000, u32::MAX];
    assert_eq!(asked.map(|asked| raised(24, asked)), [24, 24, 24, 48, 937, 402_653_183]);
    assert_eq!(raised(12_000, u32::MAX), u32::MAX);
}
