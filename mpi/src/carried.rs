//! Accumulators as MPI carries them, and how it combines those of all ranks.

use mpi::collective::UserOperation;
use mpi::datatype::{DynBuffer, DynBufferMut};
use mpi::topology::Rank;
use mpi::traits::{CommunicatorCollectives, Equivalence, Root};
use wgpu_reduce::Error;

/// As many as an exact sum of `f64` has, which is the largest of them.
pub(crate) const BYTES: usize = 552;

/// One accumulator as an element of MPI's, which may cut messages between elements, but not within. It is the same of all
/// kinds, so that ranks which have other kinds are told, and lies anywhere: MPI promises no alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Equivalence)]
pub(crate) struct Carried {
    /// How many of the bytes are the accumulator's.
    len: [u8; 2],
    bytes: [u8; BYTES],
}

impl Carried {
    /// Accepted by no one: whoever has the result is told.
    pub(crate) const NONE: Self = Self { len: [0; 2], bytes: [0; BYTES] };

    /// These bytes; nothing, if they are too many.
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let mut carried = Self::NONE;
        if let (Some(place), Ok(len)) =
            (carried.bytes.get_mut(..bytes.len()), bytes.len().try_into())
        {
            place.copy_from_slice(bytes);
            carried.len = u16::to_le_bytes(len);
        }
        carried
    }

    /// Those that it was made of; none, if there are not so many.
    pub(crate) fn bytes(&self) -> &[u8] {
        let len = u16::from_le_bytes(self.len);
        self.bytes.get(..len.into()).unwrap_or_default()
    }
}

/// What came is not what was sent.
pub(crate) fn invalid(what: &str) -> Error {
    Error::InvalidBytes { what: what.into() }
}

/// Puts an accumulator and another together: `None` where one of them is none.
pub(crate) trait Merge: Fn(&Carried, &Carried) -> Option<Carried> + Sync {}

impl<F: Fn(&Carried, &Carried) -> Option<Carried> + Sync> Merge for F {}

/// MPI's operation.
fn operation<'a>(merge: impl Merge + 'a) -> UserOperation<'a> {
    UserOperation::commutative(move |sent: DynBuffer, totals: DynBufferMut| {
        let (Some(sent), Some(totals)) = (sent.downcast(), totals.downcast()) else {
            // No one could be told otherwise, and the totals would lack a rank.
            eprintln!("MPI has called for elements of another type than was sent");
            std::process::abort()
        };
        merge_all(&merge, sent, totals);
    })
}

pub(crate) fn merge_all(merge: &impl Merge, sent: &[Carried], totals: &mut [Carried]) {
    for (sent, total) in sent.iter().zip(totals) {
        *total = merge(sent, total).unwrap_or(Carried::NONE);
    }
}

/// What all ranks have, for all of them.
pub(crate) fn for_all(
    communicator: &impl CommunicatorCollectives,
    mine: &Carried,
    merge: impl Merge,
) -> Carried {
    let mut total = Carried::NONE;
    communicator.all_reduce_into(mine, &mut total, &operation(merge));
    total
}

/// The same for the rank `root` alone.
pub(crate) fn for_one(
    communicator: &impl CommunicatorCollectives,
    root: Rank,
    mine: &Carried,
    merge: impl Merge,
) -> Option<Carried> {
    let (process, operation) = (communicator.process_at_rank(root), operation(merge));
    if communicator.rank() != root {
        process.reduce_into(mine, &operation);
        return None;
    }
    let mut total = Carried::NONE;
    process.reduce_into_root(mine, &mut total, &operation);
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::{BYTES, Carried};

    #[test]
    fn bytes_come_out_as_they_went_in() {
        for len in [0, 1, 96, BYTES] {
            let bytes: Vec<u8> = (0..=250).cycle().take(len).collect();
            assert_eq!(Carried::new(&bytes).bytes(), bytes);
        }
        assert_eq!(Carried::new(&[1; BYTES + 1]), Carried::NONE);
        let longer = Carried { len: [0xFF; 2], ..Carried::new(&[1; 9]) };
        assert!(longer.bytes().is_empty());
    }
}
