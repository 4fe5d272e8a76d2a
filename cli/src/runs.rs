//! Where the runs of equal keys begin in a file of keys.

use crate::failure::Failure;
use crate::input::{Input, Room};
use crate::memory;
use crate::number::Number;
use crate::sample::with_sample;
use wgpu_reduce::Error;

/// Runs of keys that are equal and follow each other.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Runs {
    /// The first key of each.
    pub(crate) keys: Vec<Number>,
    /// Where each begins, and where the last ends.
    pub(crate) offsets: Vec<u32>,
}

impl Runs {
    /// Keys are compared as they are read, and none is kept but the first of each run: so they can be of any type, and take no
    /// room on the device.
    pub(crate) fn read(keys: Input) -> Result<Self, Failure> {
        let name = keys.name().to_owned();
        let too_many = || Failure::in_file(&name, format!("it has more than {MOST_KEYS} keys"));
        if keys.elements() > Some(MOST_KEYS) {
            return Err(too_many());
        }
        with_sample!(keys.element(), T in all => {
            let mut runs = Self::default();
            let (mut read, mut before) = (0, None);
            keys.for_each_chunk(&Room::unlimited(), |chunk: &[T]| {
                let end = end_of(read, chunk.len()).ok_or_else(too_many)?;
                let followed = runs.follow(chunk, read, &mut before);
                followed.map_err(|error| Failure::in_file(&name, error))?;
                read = end;
                Ok(())
            })?;
            memory::keep(&mut runs.offsets, &[read]).map_err(|error| Failure::in_file(&name, error))?;
            Ok(runs)
        })
    }

    /// Takes keys that follow `read` others. Memory is asked for as runs come, so that a few runs of many keys take little. Floats
    /// are equal as numbers are, so that each NaN is a run of its own.
    fn follow<T>(&mut self, keys: &[T], read: u32, before: &mut Option<T>) -> Result<(), Error>
    where
        T: Copy + PartialEq + Into<Number>,
    {
        for (&key, index) in keys.iter().zip(read..) {
            if *before != Some(key) {
                memory::keep(&mut self.keys, &[key.into()])?;
                memory::keep(&mut self.offsets, &[index])?;
                *before = Some(key);
            }
        }
        Ok(())
    }
}

/// Returns how many keys are read after `more` others, if offsets can count them.
fn end_of(read: u32, more: usize) -> Option<u32> {
    read.checked_add(u32::try_from(more).ok()?)
}

/// Offsets on the device are of 32 bits.
const MOST_KEYS: u64 = u32::MAX as u64;

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole, and with a border anywhere.
    fn check<T: Copy + PartialEq + Into<Number>>(keys: &[T], offsets: &[u32]) {
        for border in 0..=keys.len() {
            let mut runs = Runs::default();
            let mut before = None;
            let (first, second) = keys.split_at(border);
            runs.follow(first, 0, &mut before).unwrap();
            runs.follow(second, end_of(0, border).unwrap(), &mut before).unwrap();
            assert_eq!(runs.offsets, offsets, "border at {border}");
            let expected = offsets.iter().map(|&offset| keys[offset as usize].into());
            let same = |(one, other): (&Number, Number)| one.same_bits(other);
            assert!(runs.keys.iter().zip(expected).all(same), "border at {border}");
        }
    }

    #[test]
    fn a_run_begins_where_a_key_differs_from_the_one_before() {
        check::<u8>(&[], &[]);
        check(&[7_i64], &[0]);
        check(&[1_u8, 1, 1], &[0]);
        check(&[1_u64 << 40, 1 << 40, 1 << 41, 1 << 40, 0, 0], &[0, 2, 3, 4]);
        check(&[0.0_f64, -0.0, f64::NAN, f64::NAN, 1.0, 1.0], &[0, 2, 3, 4]);
    }

    #[test]
    fn few_runs_of_many_keys_take_little_memory() {
        let mut runs = Runs::default();
        let keys: Vec<u32> = (0..1 << 20).map(|index| index >> 18).collect();
        runs.follow(&keys, 0, &mut None).unwrap();
        assert_eq!(runs.offsets, [0, 1 << 18, 2 << 18, 3 << 18]);
        assert!(runs.keys.capacity() <= 8 && runs.offsets.capacity() <= 8);
    }

    #[test]
    fn more_keys_than_offsets_can_count_are_refused() {
        assert_eq!(end_of(u32::MAX - 2, 3), None);
        assert_eq!(end_of(u32::MAX - 2, 2), Some(u32::MAX));
        assert_eq!(end_of(0, usize::MAX), None);
    }
}
