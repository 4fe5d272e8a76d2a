//! Exact sums of ranks, combined by an operation of MPI.

use crate::carried::{Carried, for_all, for_one};
use mpi::topology::Rank;
use mpi::traits::CommunicatorCollectives;
use wgpu_reduce::{ExactSum, Result};

fn carried(sum: &ExactSum) -> Carried {
    Carried::new(&sum.to_bytes())
}

fn sum_of(carried: &Carried) -> Result<ExactSum> {
    ExactSum::from_bytes(&carried.bytes)
}

/// It is commutative, since sums are exact.
fn merge(left: &Carried, right: &Carried) -> Option<Carried> {
    let mut sum = sum_of(left).ok()?;
    sum.merge(&sum_of(right).ok()?);
    Some(carried(&sum))
}

/// The exact sum of all ranks' elements, for all ranks: the same bits whatever each has, in whatever order they are
/// combined. All ranks of the communicator have to call it; one that cannot should end the program with
/// `Communicator::abort`, since the others wait for it. What fails within MPI ends the program, as is the rule there.
///
/// ```no_run
/// # use wgpu_reduce::ExactSum;
/// use mpi::traits::*;
///
/// let universe = mpi::initialize().ok_or("MPI has been initialised before")?;
/// let mine = ExactSum::from_iter([0.1, universe.world().rank() as f32]);
/// println!("{}", wgpu_reduce_mpi::all_reduce(&universe.world(), &mine)?.round());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`InvalidBytes`](wgpu_reduce::Error::InvalidBytes) if what came is not what was sent: ranks run other versions of
/// this program, say.
pub fn all_reduce(communicator: &impl CommunicatorCollectives, sum: &ExactSum) -> Result<ExactSum> {
    sum_of(&for_all(communicator, &carried(sum), merge))
}

/// The exact sum of all ranks' elements, for the rank `root` alone; `None` for the others. Otherwise as
/// [`all_reduce`].
///
/// ```no_run
/// # use wgpu_reduce::ExactSum;
/// use mpi::traits::*;
///
/// let universe = mpi::initialize().ok_or("MPI has been initialised before")?;
/// let mine = ExactSum::from_iter([0.1, universe.world().rank() as f32]);
/// if let Some(sum) = wgpu_reduce_mpi::reduce(&universe.world(), 0, &mine)? {
///     println!("{}", sum.round());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`all_reduce`]. A root that is no rank of the communicator is an error of MPI's.
pub fn reduce(
    communicator: &impl CommunicatorCollectives,
    root: Rank,
    sum: &ExactSum,
) -> Result<Option<ExactSum>> {
    for_one(communicator, root, &carried(sum), merge).as_ref().map(sum_of).transpose()
}

#[cfg(test)]
mod tests {
    use super::{carried, merge, sum_of};
    use crate::carried::{BYTES, Carried, merge_all};
    use wgpu_reduce::ExactSum;

    #[test]
    fn sums_are_merged_each_with_its_own() {
        let sums = [[1e30_f32, 0.25], [1.0, 2.0]].map(ExactSum::from_iter);
        let others = [[-1e30_f32, 1e-45], [f32::INFINITY, 0.0]].map(ExactSum::from_iter);
        let mut totals = others.each_ref().map(carried);
        merge_all(&merge, &sums.each_ref().map(carried), &mut totals);
        let totals = totals.map(|total| sum_of(&total).unwrap());
        assert_eq!(totals[0], ExactSum::from_iter([1e30, 1e-45, 0.25, -1e30]));
        assert_eq!((totals[1].round(), totals[1].count()), (f32::INFINITY, 4));
    }

    #[test]
    fn what_is_no_sum_stays_none() {
        let sum = carried(&ExactSum::from_iter([1.0]));
        assert!(sum_of(&sum).is_ok());
        let odd = Carried { bytes: [7; BYTES] };
        for (mut total, sent) in [(sum, odd), (odd, sum), (Carried::NONE, sum)] {
            merge_all(&merge, &[sent], std::slice::from_mut(&mut total));
            assert_eq!(total, Carried::NONE);
            assert!(sum_of(&total).is_err());
        }
    }
}
