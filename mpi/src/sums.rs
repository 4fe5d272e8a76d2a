//! Exact sums of ranks, combined by an operation of MPI.

use mpi::collective::UserOperation;
use mpi::datatype::{DynBuffer, DynBufferMut};
use mpi::topology::Rank;
use mpi::traits::{CommunicatorCollectives, Equivalence, Root};
use wgpu_reduce::{ExactSum, Result};

/// What [`ExactSum::to_bytes`] has.
const SUM_BYTES: usize = 96;

/// One accumulator as an element of MPI's, which may cut messages between elements, but not within.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Equivalence)]
struct Sent {
    bytes: [u8; SUM_BYTES],
}

impl Sent {
    /// Accepted by no one.
    const NO_SUM: Self = Self { bytes: [0; SUM_BYTES] };

    fn new(sum: &ExactSum) -> Self {
        Self { bytes: sum.to_bytes().try_into().unwrap_or(Self::NO_SUM.bytes) }
    }

    fn sum(&self) -> Result<ExactSum> {
        ExactSum::from_bytes(&self.bytes)
    }

    /// Merges another into this one. What is no sum stays none: whoever has the result is told.
    fn merge(&mut self, other: &Self) {
        let merged = self.sum().and_then(|mut sum| {
            sum.merge(&other.sum()?);
            Ok(sum)
        });
        *self = merged.map_or(Self::NO_SUM, |sum| Self::new(&sum));
    }
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
    let mut total = Sent::NO_SUM;
    communicator.all_reduce_into(&Sent::new(sum), &mut total, &UserOperation::commutative(merge));
    total.sum()
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
    let process = communicator.process_at_rank(root);
    let operation = UserOperation::commutative(merge);
    if communicator.rank() != root {
        process.reduce_into(&Sent::new(sum), &operation);
        return Ok(None);
    }
    let mut total = Sent::NO_SUM;
    process.reduce_into_root(&Sent::new(sum), &mut total, &operation);
    total.sum().map(Some)
}

/// MPI's operation: it is commutative, since sums are exact.
fn merge(sent: DynBuffer, totals: DynBufferMut) {
    let (Some(sent), Some(totals)) = (sent.downcast(), totals.downcast()) else {
        // No one could be told otherwise, and the totals would lack a rank.
        eprintln!("MPI has called for elements of another type than was sent");
        std::process::abort()
    };
    merge_all(sent, totals);
}

fn merge_all(sent: &[Sent], totals: &mut [Sent]) {
    sent.iter().zip(totals).for_each(|(sent, total)| total.merge(sent));
}

#[cfg(test)]
mod tests {
    use super::{SUM_BYTES, Sent, merge_all};
    use wgpu_reduce::ExactSum;

    #[test]
    fn sums_are_merged_each_with_its_own() {
        let sums = [[1e30_f32, 0.25], [1.0, 2.0]].map(ExactSum::from_iter);
        let others = [[-1e30_f32, 1e-45], [f32::INFINITY, 0.0]].map(ExactSum::from_iter);
        let mut totals = others.each_ref().map(Sent::new);
        merge_all(&sums.each_ref().map(Sent::new), &mut totals);
        let totals = totals.map(|total| total.sum().unwrap());
        assert_eq!(totals[0], ExactSum::from_iter([1e30, 1e-45, 0.25, -1e30]));
        assert_eq!((totals[1].round(), totals[1].count()), (f32::INFINITY, 4));
    }

    #[test]
    fn what_is_no_sum_stays_none() {
        let sum = Sent::new(&ExactSum::from_iter([1.0]));
        assert!(sum.sum().is_ok());
        let odd = Sent { bytes: [7; SUM_BYTES] };
        for (mut total, sent) in [(sum, odd), (odd, sum), (Sent::NO_SUM, sum)] {
            merge_all(&[sent], std::slice::from_mut(&mut total));
            assert_eq!(total, Sent::NO_SUM);
            assert!(total.sum().is_err());
        }
    }
}
