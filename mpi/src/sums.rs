//! Exact sums of ranks, combined by an operation of MPI.

use crate::carried::{Carried, for_all, for_one};
use mpi::topology::Rank;
use mpi::traits::CommunicatorCollectives;
use wgpu_reduce::{ExactElement, ExactSum, Result};

fn carried<T: ExactElement>(sum: &ExactSum<T>) -> Carried {
    Carried::new(&sum.to_bytes())
}

fn sum_of<T: ExactElement>(carried: &Carried) -> Result<ExactSum<T>> {
    ExactSum::from_bytes(carried.bytes())
}

/// It is commutative, since sums are exact.
fn merge<T: ExactElement>(left: &Carried, right: &Carried) -> Option<Carried> {
    let mut sum = sum_of::<T>(left).ok()?;
    sum.merge(&sum_of(right).ok()?);
    Some(carried(&sum))
}

/// The exact sum of all ranks' elements, `f32` or `f64`, for all ranks: the same bits whatever each has, in whatever order they
/// are combined. All ranks of the communicator have to call it; one that cannot should end the program with
/// `Communicator::abort`, since the others wait for it. What fails within MPI ends the program, as is the rule there.
///
/// ```no_run
/// # use wgpu_reduce::ExactSum;
/// use mpi::traits::*;
///
/// let universe = mpi::initialize().ok_or("MPI has been initialised before")?;
/// let mine = ExactSum::from_iter([0.1, f64::from(universe.world().rank())]);
/// println!("{}", wgpu_reduce_mpi::all_reduce(&universe.world(), &mine)?.round());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`InvalidBytes`](wgpu_reduce::Error::InvalidBytes) if what came is not what was sent: ranks run other versions of
/// this program, or have other elements, say.
pub fn all_reduce<T: ExactElement>(
    communicator: &impl CommunicatorCollectives,
    sum: &ExactSum<T>,
) -> Result<ExactSum<T>> {
    sum_of(&for_all(communicator, &carried(sum), merge::<T>))
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
pub fn reduce<T: ExactElement>(
    communicator: &impl CommunicatorCollectives,
    root: Rank,
    sum: &ExactSum<T>,
) -> Result<Option<ExactSum<T>>> {
    for_one(communicator, root, &carried(sum), merge::<T>).as_ref().map(sum_of).transpose()
}

#[cfg(test)]
mod tests {
    use super::{carried, merge, sum_of};
    use crate::carried::{BYTES, Carried, merge_all};
    use std::ops::Neg;
    use wgpu_reduce::{ExactElement, ExactSum};

    /// Merges two pairs of sums, in which are a large number, the least one and infinity.
    fn check<T: ExactElement + Neg<Output = T>>(
        [large, least, infinity]: [T; 3],
        [one, quarter]: [T; 2],
    ) {
        let sums = [[large, quarter], [one, one]].map(ExactSum::from_iter);
        let others = [[-large, least], [infinity, one]].map(ExactSum::from_iter);
        let mut totals = others.each_ref().map(carried);
        merge_all(&merge::<T>, &sums.each_ref().map(carried), &mut totals);
        let totals = totals.map(|total| sum_of::<T>(&total).unwrap());
        assert_eq!(totals[0], ExactSum::from_iter([large, least, quarter, -large]));
        assert_eq!((totals[1].round(), totals[1].count()), (infinity, 4));
    }

    #[test]
    fn sums_are_merged_each_with_its_own() {
        check([1e30, f32::from_bits(1), f32::INFINITY], [1.0, 0.25]);
        check([1e300, f64::from_bits(1), f64::INFINITY], [1.0, 0.25]);
    }

    fn check_none<T: ExactElement>(sum: &ExactSum<T>, other: &Carried) {
        let sum = carried(sum);
        assert!(sum_of::<T>(&sum).is_ok());
        let odd = Carried::new(&[7; BYTES]);
        let too_long = Carried::new(&[0; BYTES + 1]);
        for none in [odd, too_long, Carried::NONE, *other] {
            for (mut total, sent) in [(sum, none), (none, sum)] {
                merge_all(&merge::<T>, &[sent], std::slice::from_mut(&mut total));
                assert_eq!(total, Carried::NONE);
                assert!(sum_of::<T>(&total).is_err());
            }
        }
    }

    /// Nor is one of other elements.
    #[test]
    fn what_is_no_sum_stays_none() {
        let (single, double) = (ExactSum::from_iter([1.0_f32]), ExactSum::from_iter([1.0_f64]));
        check_none(&single, &carried(&double));
        check_none(&double, &carried(&single));
    }
}
