//! Sums of integers, combined by an operation of MPI.

use crate::carried::{Carried, for_all, invalid};
use mpi::traits::CommunicatorCollectives;
use wgpu_reduce::Result;

/// The first byte of what is a sum.
const IS_SUM: u8 = b'i';

fn carried(sum: i128) -> Carried {
    Carried::new(&[&[IS_SUM][..], &sum.to_le_bytes()].concat())
}

fn sum_of(carried: &Carried) -> Option<i128> {
    match carried.bytes.split_first() {
        Some((&IS_SUM, rest)) => rest.first_chunk().map(|sum| i128::from_le_bytes(*sum)),
        _ => None,
    }
}

fn merge(left: &Carried, right: &Carried) -> Option<Carried> {
    sum_of(left)?.checked_add(sum_of(right)?).map(carried)
}

/// The sum of the sums of all ranks, for all ranks: what [`Sum`](wgpu_reduce::Sum) gives of each rank's integers fits, and the
/// result is the same however the elements are shared. All ranks of the communicator have to call it, as
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
/// [`InvalidBytes`](wgpu_reduce::Error::InvalidBytes) if the sum does not fit, or what came is not what was sent: ranks run
/// other versions of this program, say.
pub fn all_reduce_integer(communicator: &impl CommunicatorCollectives, sum: i128) -> Result<i128> {
    let total = for_all(communicator, &carried(sum), merge);
    sum_of(&total).ok_or_else(|| invalid("no sum of 128 bits"))
}

#[cfg(test)]
mod tests {
    use super::{carried, merge, sum_of};
    use crate::carried::{Carried, merge_all};

    #[test]
    fn sums_are_added_each_to_its_own() {
        let mut totals = [5, i128::MAX, -7].map(carried);
        merge_all(&merge, &[i128::MIN, 0, -8].map(carried), &mut totals);
        assert_eq!(totals.map(|total| sum_of(&total)), [i128::MIN + 5, i128::MAX, -15].map(Some));
    }

    #[test]
    fn what_does_not_fit_is_no_sum_and_stays_none() {
        let mut total = [carried(i128::MAX)];
        merge_all(&merge, &[carried(1)], &mut total);
        assert_eq!(total, [Carried::NONE]);
        merge_all(&merge, &[carried(-1)], &mut total);
        assert_eq!(sum_of(&total[0]), None);
    }
}
