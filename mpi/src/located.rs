//! Least and largest elements and their indices, combined by an operation of MPI.

use crate::carried::{Carried, for_all, invalid};
use mpi::traits::CommunicatorCollectives;
use wgpu_reduce::{Element, Located, Operation, Result};

/// The first byte of a rank that has an element, and of one that has none.
const IS_THERE: u8 = b'p';
const IS_NONE: u8 = b'n';

fn carried<T: Element>(found: Option<Located<T>>) -> Carried {
    let Some(Located { index, value }) = found else { return Carried::new(&[IS_NONE]) };
    let (index, value) = (index.to_le_bytes(), bytemuck::bytes_of(&value));
    Carried::new(&[&[IS_THERE][..], &index, value].concat())
}

fn located_of<T: Element>(carried: &Carried) -> Result<Option<Located<T>>> {
    match carried.bytes().split_first() {
        Some((&IS_NONE, _)) => Ok(None),
        Some((&IS_THERE, rest)) => read(rest).map(Some),
        _ => Err(invalid(WHAT)),
    }
}

fn read<T: Element>(bytes: &[u8]) -> Result<Located<T>> {
    let (index, rest) = bytes.split_first_chunk().ok_or_else(|| invalid(WHAT))?;
    let value = rest.get(..size_of::<T>()).ok_or_else(|| invalid(WHAT))?;
    Ok(Located { index: u64::from_le_bytes(*index), value: bytemuck::pod_read_unaligned(value) })
}

const WHAT: &str = "no element and its index";

/// As the operation's own definition has it of the two elements, in the order of their indices.
fn merge<T: Element, O: Operation<T, Output = Located<T>>>(
    operation: O,
    left: &Carried,
    right: &Carried,
) -> Option<Carried> {
    let [first, second] = match (located_of::<T>(left).ok()?, located_of::<T>(right).ok()?) {
        (None, _) => return Some(*right),
        (_, None) => return Some(*left),
        (Some(left), Some(right)) if left.index <= right.index => [left, right],
        (Some(left), Some(right)) => [right, left],
    };
    let found = operation.on_cpu(&[first.value, second.value]).ok()?;
    Some(carried(Some(if found.index == 0 { first } else { second })))
}

/// The least element of all ranks by [`ArgMin`](wgpu_reduce::ArgMin), or the largest by [`ArgMax`](wgpu_reduce::ArgMax),
/// with its index, for all ranks; `None` if no rank has any. Each rank gives what it found of its own elements, if it has
/// some, with an index that counts from the first element of the first rank: so of equal ones the first is told, and of
/// NaNs the first, as if one GPU had all elements. All ranks of the communicator have to call it, as
/// [`all_reduce`](crate::all_reduce).
///
/// ```no_run
/// use mpi::traits::*;
/// use wgpu_reduce::{ArgMin, Located};
///
/// let universe = mpi::initialize().ok_or("MPI has been initialised before")?;
/// let world = universe.world();
/// // Each rank's would be of its GPU, behind the elements of the ranks before it.
/// let mine = Located { index: u64::from(world.rank().unsigned_abs()), value: 0.5_f32 };
/// let least = wgpu_reduce_mpi::all_reduce_located(&world, ArgMin, Some(mine))?;
/// assert_eq!(least.map(|least| least.index), Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`InvalidBytes`](wgpu_reduce::Error::InvalidBytes) if what came is not what was sent: ranks run other versions of this
/// program, say.
pub fn all_reduce_located<T: Element, O: Operation<T, Output = Located<T>> + Sync>(
    communicator: &impl CommunicatorCollectives,
    operation: O,
    mine: Option<Located<T>>,
) -> Result<Option<Located<T>>> {
    let merge = |left: &Carried, right: &Carried| merge(operation, left, right);
    located_of(&for_all(communicator, &carried(mine), merge))
}

#[cfg(test)]
mod tests {
    use super::{carried, located_of, merge};
    use crate::carried::Carried;
    use wgpu_reduce::{ArgMax, ArgMin, Located};

    fn at(index: u64, value: f32) -> Carried {
        carried(Some(Located { index, value }))
    }

    #[test]
    fn the_first_of_the_least_is_found_in_any_order() {
        for (left, right, least, largest) in [
            (at(0, 1.0), at(9, 2.0), 0, 9),
            (at(7, 3.0), at(5, 3.0), 5, 5),
            (at(7, f32::NAN), at(5, 3.0), 7, 7),
            (at(7, f32::NAN), at(5, f32::NAN), 5, 5),
            (at(7, -1.0), carried::<f32>(None), 7, 7),
        ] {
            for [left, right] in [[left, right], [right, left]] {
                let [of_min, of_max] = [
                    merge::<f32, _>(ArgMin, &left, &right).unwrap(),
                    merge::<f32, _>(ArgMax, &left, &right).unwrap(),
                ];
                let index = |found: &Carried| located_of::<f32>(found).unwrap().unwrap().index;
                assert_eq!((index(&of_min), index(&of_max)), (least, largest));
            }
        }
    }

    #[test]
    fn ranks_without_elements_have_none_and_what_is_no_element_stays_none() {
        let none = carried::<i64>(None);
        let both = merge::<i64, _>(ArgMin, &none, &none).unwrap();
        assert_eq!(located_of::<i64>(&both), Ok(None));
        assert!(merge::<i64, _>(ArgMin, &none, &Carried::NONE).is_none());
        assert!(located_of::<i64>(&Carried::NONE).is_err());
    }
}
