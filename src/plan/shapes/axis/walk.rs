//! Which of several reduced dimensions a kernel walks, and in what order the others leave partials.

use crate::plan::shapes::axis::view::{Dimension, joined, number, sort};

/// What the choice depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk {
    pub(crate) order: Order,
    /// Bytes of an element, and of an accumulator.
    pub(crate) element_bytes: u64,
    pub(crate) accumulator_bytes: u64,
}

/// In what order elements may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// In any.
    Any,
    /// In any, but the index of each counts: it is row-major in the view's order.
    Indexed,
    /// Row-major in the view's order, for operations that need not be commutative.
    OfView,
}

/// Where partials take no more than this part of the bytes of the elements, neighbouring elements are walked.
const ELEMENTS_PER_PARTIAL: u64 = 64;

impl Walk {
    /// The dimension that is walked, of reduced ones in the view's order; and the others, with `slots` and `places`
    /// as partials are left. Where there are no elements none is left.
    pub(crate) fn walked(&self, mut reduced: Vec<Dimension>) -> (Dimension, Vec<Dimension>) {
        let nothing = reduced.iter().find(|dimension| dimension.extent == 0).copied();
        if let Some(nothing) = nothing {
            return (nothing, Vec::new());
        }
        if self.order == Order::Any {
            sort(&mut reduced);
            number(&mut reduced);
            for dimension in &mut reduced {
                dimension.places = 0;
            }
        }
        let mut outer = joined(reduced);
        let walked = match self.order {
            Order::Any => self.choice(&outer),
            // Indices along it are then those along all, from an element of the others on.
            Order::Indexed | Order::OfView => outer.len() - 1,
        };
        // There is one at least.
        let axis = outer.remove(walked);
        number(&mut outer);
        (axis, outer)
    }

    /// Neighbours, if there are enough of them; else the longest, which leaves the fewest partials.
    fn choice(&self, reduced: &[Dimension]) -> usize {
        let most = self.accumulator_bytes.saturating_mul(ELEMENTS_PER_PARTIAL);
        let are_enough = |dimension: &Dimension| {
            dimension.stride == 1 && dimension.extent.saturating_mul(self.element_bytes) >= most
        };
        let longest = reduced.iter().enumerate().max_by_key(|(_, dimension)| dimension.extent);
        let neighbours = reduced.iter().position(are_enough);
        neighbours.or(longest.map(|(number, _)| number)).unwrap_or(0)
    }
}
