//! Many products at once: bins by the sum of the two exponents.

use super::ExactSum;
use super::class::Class;
use super::format::{Binary, ExactElement};
use super::parts::Parts;
use super::sums::LANES;
use std::iter::zip;

/// Pairs that are looked over for infinities and NaNs at a time.
const BLOCK: usize = 1024;

struct Bins<T: Binary> {
    /// The place is the bit of the sum where the product belongs.
    lanes: [Vec<T::Product>; LANES],
    /// Products in the bins.
    count: u64,
    /// At most so many are in any one.
    most: usize,
}

/// Adds the products of two slices of the same length.
pub(super) fn add_slices<T: ExactElement>(left: &[T], right: &[T], sum: &mut ExactSum<T>) {
    // The bins do not know of −0. After the first product that is something else, nor need they.
    let pairs = zip(left, right);
    let zeros =
        pairs.take_while(|&(&a, &b)| Class::of_product(a, b) == Class::NegativeZeros).count();
    if zeros > 0 {
        sum.take(zeros as u64, Class::NegativeZeros, 0, 0);
    }
    let [left, right] = [left, right].map(|values| values.get(zeros..).unwrap_or_default());

    let bins = 2 << T::FORMAT.exponent_bits;
    let lanes = std::array::from_fn(|_| vec![T::Product::default(); bins]);
    let mut bins = Bins::<T> { lanes, count: 0, most: 0 };
    for (left, right) in zip(left.chunks(BLOCK), right.chunks(BLOCK)) {
        if all_finite(left) && all_finite(right) {
            if bins.most + BLOCK.div_ceil(LANES) > T::PRODUCTS {
                bins.gather(sum);
            }
            bins.add(left, right);
        } else {
            zip(left, right).for_each(|(&a, &b)| sum.add_product(a, b));
        }
    }
    bins.gather(sum);
}

/// Without an early end, so that several are looked at together.
fn all_finite<T: Binary>(values: &[T]) -> bool {
    let infinity = T::FORMAT.infinity();
    values.iter().fold(true, |all, value| all & (value.into_word() & infinity != infinity))
}

impl<T: ExactElement> Bins<T> {
    /// Adds a block of finite pairs.
    fn add(&mut self, left: &[T], right: &[T]) {
        self.count += left.len() as u64;
        self.most += left.len().div_ceil(LANES);
        let (lefts, rights) = (left.chunks_exact(LANES), right.chunks_exact(LANES));
        let (last_left, last_right) = (lefts.remainder(), rights.remainder());
        for (left, right) in zip(lefts, rights) {
            self.add_group(left, right);
        }
        self.add_group(last_left, last_right);
    }

    fn add_group(&mut self, left: &[T], right: &[T]) {
        for (lane, (&a, &b)) in zip(&mut self.lanes, zip(left, right)) {
            let (product, bit) = Parts::of(a).times::<T>(Parts::of(b));
            if let Some(bin) = lane.get_mut(bit as usize) {
                *bin += product;
            }
        }
    }

    /// Moves everything into `sum`, as products that are not all −0.
    fn gather(&mut self, sum: &mut ExactSum<T>) {
        if self.count == 0 {
            return;
        }
        sum.take(self.count, Class::Finite, 0, 0);
        for bit in 0..2 << T::FORMAT.exponent_bits {
            let bins = self.lanes.iter_mut().filter_map(|lane| lane.get_mut(bit as usize));
            let total: i128 = bins.map(|bin| std::mem::take(bin).into()).sum();
            if total != 0 {
                sum.take(0, Class::Finite, total, bit);
            }
        }
        (self.count, self.most) = (0, 0);
    }
}
