//! Many products at once: bins by the sum of the two exponents.

use super::ExactSum;
use super::class::Class;
use super::parts::Parts;
use super::sums::LANES;
use std::iter::zip;

/// Pairs that are looked over for infinities and NaNs at a time.
const BLOCK: usize = 1024;

/// As many products as may be added to a bin: each is below 2^48 in magnitude.
const CAPACITY: usize = 1 << 15;

struct Bins {
    /// The place is the bit of the sum where the product belongs: 0 to 506.
    lanes: [[i64; 512]; LANES],
    /// Products in the bins.
    count: u64,
    /// At most so many are in any one.
    most: usize,
}

/// Adds the products of two slices of the same length.
pub(super) fn add_slices(left: &[f32], right: &[f32], sum: &mut ExactSum) {
    // The bins do not know of −0. After the first product that is something else, nor need they.
    let pairs = zip(left, right);
    let zeros =
        pairs.take_while(|&(&a, &b)| Class::of_product(a, b) == Class::NegativeZeros).count();
    if zeros > 0 {
        sum.take(zeros as u64, Class::NegativeZeros, 0, 0);
    }
    let [left, right] = [left, right].map(|values| values.get(zeros..).unwrap_or_default());

    let mut bins = Bins { lanes: [[0; 512]; LANES], count: 0, most: 0 };
    for (left, right) in zip(left.chunks(BLOCK), right.chunks(BLOCK)) {
        if all_finite(left) && all_finite(right) {
            if bins.most + BLOCK.div_ceil(LANES) > CAPACITY {
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
fn all_finite(values: &[f32]) -> bool {
    values.iter().fold(true, |all, value| all & value.is_finite())
}

impl Bins {
    /// Adds a block of finite pairs.
    fn add(&mut self, left: &[f32], right: &[f32]) {
        self.count += left.len() as u64;
        self.most += left.len().div_ceil(LANES);
        let (lefts, rights) = (left.chunks_exact(LANES), right.chunks_exact(LANES));
        let (last_left, last_right) = (lefts.remainder(), rights.remainder());
        for (left, right) in zip(lefts, rights) {
            self.add_group(left, right);
        }
        self.add_group(last_left, last_right);
    }

    fn add_group(&mut self, left: &[f32], right: &[f32]) {
        for (lane, (&a, &b)) in zip(&mut self.lanes, zip(left, right)) {
            let (product, bit) = Parts::of(a).times(Parts::of(b));
            if let Some(bin) = lane.get_mut(bit as usize) {
                *bin += product;
            }
        }
    }

    /// Moves everything into `sum`, as products that are not all −0.
    fn gather(&mut self, sum: &mut ExactSum) {
        if self.count == 0 {
            return;
        }
        sum.take(self.count, Class::Finite, 0, 0);
        for bit in 0_u16..512 {
            let bins = self.lanes.iter_mut().filter_map(|lane| lane.get_mut(usize::from(bit)));
            let total: i128 = bins.map(|bin| i128::from(std::mem::take(bin))).sum();
            if total != 0 {
                sum.take(0, Class::Finite, total, bit.into());
            }
        }
        (self.count, self.most) = (0, 0);
    }
}
