//! How many submissions there have been.

/// The number of a submission of nothing, which counts up by one. wgpu tells it to people only.
pub(crate) fn submission(queue: &wgpu::Queue) -> u64 {
    let text = format!("{:?}", queue.submit([]));
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect("it is told")
}

/// wgpu takes a number when it maps a buffer, in case that it has something to submit first.
const MAPPING: u64 = 1;

/// Numbers that a call takes which submits once and maps what comes back.
pub(crate) const OF_A_CALL: u64 = 1 + MAPPING;
