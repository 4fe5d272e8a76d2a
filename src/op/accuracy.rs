//! What bounds of errors are made of.

use super::precision::Precision;
use crate::op::element::ElementKind;

/// How often elements are rounded on their way to a result, and how many there are: what [`Operation::tolerance`] and
/// [`error_bound`](Self::error_bound) make bounds of. Plans tell it.
///
/// ```
/// # let reducer = wgpu_reduce::GpuReducer::new()?;
/// use wgpu_reduce::{Operation, Sum};
///
/// let values = [0.5_f32; 4096];
/// let accuracy = reducer.reduce(Sum, &reducer.upload(&values)?).plan()?.accuracy();
/// assert_eq!(accuracy.len, 4096);
/// // The sum of the magnitudes is 2048.
/// assert!(accuracy.error_bound(2048.0) < 0.1);
/// assert!(Sum.tolerance(&values, &accuracy) < 0.1);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// [`Operation::tolerance`]: crate::Operation::tolerance
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accuracy {
    /// The type of the elements.
    pub element: ElementKind,
    /// How many elements the result is of.
    pub len: u64,
    /// Roundings behind any element, at most; 0 where nothing is rounded.
    pub roundings: u64,
    /// Roundings in a tile of squares of distances, which [`Stats`](crate::Stats) of `f32` and `f64`, and of `f64`
    /// [`Variance`](crate::Variance), [`Std`](crate::Std), [`NanVariance`](crate::NanVariance) and [`NanStd`](crate::NanStd) add up before
    /// there is a mean.
    pub roundings_in_tile: u64,
}

impl Accuracy {
    pub(crate) fn new(
        element: ElementKind,
        len: u64,
        roundings: u64,
        loads_in_flight: u32,
    ) -> Self {
        Self { element, len, roundings, roundings_in_tile: roundings_in_tile(loads_in_flight) }
    }

    /// Bound of the difference between the result and the real sum, given the sum of the elements'
    /// magnitudes; 0 where the result is exact. Only for finite elements and partial sums, and for
    /// operations that do nothing but add up: others have [`Operation::tolerance`](crate::Operation::tolerance).
    ///
    /// With n roundings on the way of any element and u = 2^-24, or 2^-53 of `f64`, it is n·u / (1 − n·u) times the sum
    /// of magnitudes (Higham, *Accuracy and Stability of Numerical Algorithms*, §4.2), and twice the
    /// smallest normal number per element for devices that flush subnormal numbers to zero. It is
    /// infinite where n·u reaches 1.
    ///
    /// It holds on devices that round additions to nearest and add in the order that the shader says,
    /// as those known do. WGSL would let them round the other way and reassociate.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a bound; counts are far below 2^53")]
    pub fn error_bound(&self, sum_of_magnitudes: f64) -> f64 {
        if self.roundings == 0 {
            return 0.0;
        }
        let precision = Precision::of(self.element);
        let gamma = precision.gamma(self.roundings);
        if gamma.is_infinite() {
            return f64::INFINITY;
        }
        gamma * sum_of_magnitudes + 2.0 * self.len as f64 * precision.tiny
    }
}

/// Roundings of squares of distances that an invocation adds up in a tile without NaN, as `shaders/tiles/figures.wgsl` does, in terms of
/// the sum of squared deviations. There are up to four to a quad; each distance is rounded before it is squared; and what is taken
/// from their sum, the square of the sum of distances by their number, has two for each quad.
///
/// Squares of distances from the first quad's mean add up to that sum times 1 more than the tile has quads. For where that mean
/// is off by d, each of the tile's elements has d² more, and the quad's part of the sum is at least d² for each of its elements.
/// Those from the mean of all before add up to three times the sum. That such a mean is rounded is of no weight: where elements
/// differ by a few units in their last place only, distances and their squares are exact.
fn roundings_in_tile(loads_in_flight: u32) -> u64 {
    let loads = u64::from(loads_in_flight);
    (6 * loads + 12).saturating_mul(loads + 3)
}
