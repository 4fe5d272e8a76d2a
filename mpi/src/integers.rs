//! Sums of integers, combined by an operation of MPI.

use crate::carried::{Carried, for_all, invalid};
use mpi::traits::CommunicatorCollectives;
use wgpu_reduce::Result;

/// The first byte of what is a sum.
const IS_SUM: u8 = b'i';

/// A sum of sums: with a word more than any of them, so that what is in between fits, whichever ranks come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wide {
    /// The sum modulo 2^128.
    low: u128,
    /// What is left of it, in units of 2^128. Of fewer than 2^63 ranks it fits.
    high: i64,
}

impl Wide {
    const fn new(sum: i128) -> Self {
        Self { low: sum.cast_unsigned(), high: if sum < 0 { -1 } else { 0 } }
    }

    fn plus(self, other: Self) -> Self {
        let (low, carries) = self.low.overflowing_add(other.low);
        Self { low, high: self.high.wrapping_add(other.high).wrapping_add(carries.into()) }
    }

    /// The sum, if it fits.
    fn narrow(self) -> Option<i128> {
        let sum = self.low.cast_signed();
        (Self::new(sum) == self).then_some(sum)
    }
}

fn carried(sum: Wide) -> Carried {
    let Wide { low, high } = sum;
    Carried::new(&[&[IS_SUM][..], &low.to_le_bytes(), &high.to_le_bytes()].concat())
}

fn sum_of(carried: &Carried) -> Option<Wide> {
    let (&IS_SUM, rest) = carried.bytes().split_first()? else { return None };
    let (low, rest) = rest.split_first_chunk()?;
    let high = i64::from_le_bytes(*rest.first_chunk()?);
    Some(Wide { low: u128::from_le_bytes(*low), high })
}

fn merge(left: &Carried, right: &Carried) -> Option<Carried> {
    Some(carried(sum_of(left)?.plus(sum_of(right)?)))
}

/// The sum of the sums of all ranks, for all ranks: what [`Sum`](wgpu_reduce::Sum) gives of each rank's integers fits, and the
/// result is the same however the elements are shared, whichever ranks are combined first. All ranks of the communicator have to call it, as
/// [`all_reduce`](crate::all_reduce).
///
/// ```no_run
/// use mpi::traits::*;
///
/// let universe = mpi::initialize().ok_or("MPI has been initialised before")?;
/// let world = universe.world();
/// // Each rank's would be of its GPU.
/// println!("{}", wgpu_reduce_mpi::all_reduce_integer(&world, world.rank().into())?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`InvalidBytes`](wgpu_reduce::Error::InvalidBytes) if the sum of all does not fit, or what came is not what was sent: ranks run
/// other versions of this program, say.
pub fn all_reduce_integer(communicator: &impl CommunicatorCollectives, sum: i128) -> Result<i128> {
    let total = for_all(communicator, &carried(Wide::new(sum)), merge);
    total_of(&total)
}

/// What all ranks are told.
fn total_of(total: &Carried) -> Result<i128> {
    let total = sum_of(total).ok_or_else(|| invalid("no sum of integers"))?;
    total.narrow().ok_or_else(|| invalid("a sum of more than 128 bits"))
}

#[cfg(test)]
mod tests {
    use super::{Wide, carried, merge, sum_of, total_of};
    use crate::carried::{Carried, merge_all};

    fn of(sum: i128) -> Carried {
        carried(Wide::new(sum))
    }

    #[test]
    fn sums_are_added_each_to_its_own() {
        let mut totals = [5, i128::MAX, -7].map(of);
        merge_all(&merge, &[i128::MIN, 0, -8].map(of), &mut totals);
        assert_eq!(totals.map(|total| total_of(&total)), [i128::MIN + 5, i128::MAX, -15].map(Ok));
    }

    /// Whether a total fits is for the total to say, and not for what is on the way to it.
    #[test]
    fn totals_are_the_same_whichever_ranks_come_first() {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        for (sums, total) in [
            ([i128::MAX, 1, -1], Some(i128::MAX)),
            ([i128::MIN, -1, 1], Some(i128::MIN)),
            ([i128::MIN, i128::MAX, 0], Some(-1)),
            ([i128::MIN, i128::MIN, i128::MAX], None),
            ([i128::MAX, 1, 0], None),
            ([i128::MIN, 0, -1], None),
            // Modulo 2^128 they would be 0 and -2.
            ([i128::MIN, i128::MIN, 0], None),
            ([i128::MAX, i128::MAX, 0], None),
        ] {
            for order in orders {
                let [a, b, c] = order.map(|rank| of(sums[rank]));
                let left = merge(&merge(&a, &b).unwrap(), &c).unwrap();
                let right = merge(&a, &merge(&b, &c).unwrap()).unwrap();
                assert_eq!(left, right, "{sums:?}");
                assert_eq!(total_of(&left).ok(), total, "{sums:?} as {order:?}");
            }
        }
    }

    #[test]
    fn what_is_no_sum_stays_none() {
        let mut total = [Carried::NONE];
        merge_all(&merge, &[of(1)], &mut total);
        assert_eq!(total, [Carried::NONE]);
        assert!(sum_of(&total[0]).is_none() && total_of(&total[0]).is_err());
    }
}
