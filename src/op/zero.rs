//! What is zero, on the host.

/// A number that may be zero.
pub(super) trait Zero {
    /// -0 is.
    fn is_zero(&self) -> bool;
}

impl Zero for f32 {
    fn is_zero(&self) -> bool {
        self.abs().to_bits() == 0
    }
}

impl Zero for i32 {
    fn is_zero(&self) -> bool {
        *self == 0
    }
}

impl Zero for u32 {
    fn is_zero(&self) -> bool {
        *self == 0
    }
}
