//! What is zero, on the host.

/// A number that may be zero.
pub(super) trait Zero {
    /// -0 is.
    fn is_zero(&self) -> bool;
}

macro_rules! zero {
    ($($number:ty as $value:ident => $is_zero:expr;)*) => {$(
        impl Zero for $number {
            fn is_zero(&self) -> bool {
                let $value = *self;
                $is_zero
            }
        }
    )*};
}
zero! {
    f32 as value => value.abs().to_bits() == 0;
    f64 as value => value.abs().to_bits() == 0;
    i32 as value => value == 0;
    u32 as value => value == 0;
    i64 as value => value == 0;
    u64 as value => value == 0;
}
