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
                runs.make_room(chunk.len()).map_err(|error| Failure::in_file(&name, error))?;
                read = runs.follow(chunk, read, &mut before).ok_or_else(too_many)?;
                Ok(())
            })?;
            runs.offsets.push(read);
            Ok(runs)
        })
    }

    /// Makes room for as many runs more.
    fn make_room(&mut self, more: usize) -> Result<(), Error> {
        memory::reserve(&mut self.keys, more)?;
        // The last end comes on top.
        memory::reserve(&mut self.offsets, more + 1)
    }

    /// Takes keys that follow `read` others, and returns how many are read then. Floats are equal as numbers are, so that each
    /// NaN is a run of its own.
    fn follow<T>(&mut self, keys: &[T], read: u32, before: &mut Option<T>) -> Option<u32>
    where
        T: Copy + PartialEq + Into<Number>,
    {
        let end = u32::try_from(keys.len()).ok().and_then(|len| read.checked_add(len))?;
        for (&key, index) in keys.iter().zip(read..) {
            if *before != Some(key) {
                self.keys.push(key.into());
                self.offsets.push(index);
                *before = Some(key);
            }
        }
        Some(end)
    }
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
            let (mut read, mut before) = (0, None);
            for keys in [&keys[..border], &keys[border..]] {
                read = runs.follow(keys, read, &mut before).unwrap();
            }
            assert_eq!(read as usize, keys.len());
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
    fn more_keys_than_offsets_can_count_are_refused() {
        let mut runs = Runs::default();
        assert_eq!(runs.follow(&[1_u8; 3], u32::MAX - 2, &mut None), None);
        assert_eq!(runs.follow(&[1_u8; 2], u32::MAX - 2, &mut None), Some(u32::MAX));
        assert_eq!(runs.offsets, [u32::MAX - 2]);
    }
}
