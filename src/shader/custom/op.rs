//! An operator of the caller's own.

use crate::error::Result;
use crate::op::operator::{Operator, Permit};
use crate::op::value::{CustomValue, InputType, words_of};
use crate::shader::custom::check::check;
use crate::shader::custom::shader::CustomShader;
use std::marker::PhantomData;
use std::sync::Arc;

/// An associative operator of your own, written in WGSL: what `map` makes of each element and its index
/// is combined by `combine`, and what comes of that is handed to `finish`.
///
/// `I` is the type of the elements, or a pair of it for two inputs; `A` is what is accumulated in, `R` the
/// result, by default the same. The text defines these functions, with the types that `I`, `A` and `R`
/// say (`[f32; 2]` is `vec2<f32>`), and as many functions, constants and types of its own as it likes:
///
/// ```wgsl
/// fn map(element: I, index: u32) -> A          // with two inputs: fn map(a: T, b: T, index: u32) -> A
/// fn combine(left: A, right: A) -> A
/// fn finish(total: A) -> R                     // only needed if R is not A
/// ```
///
/// The logarithm of the sum of exponentials, which would overflow if it were computed as it is written:
/// each accumulator is the largest element so far, and the sum of exponentials divided by that element's, which
/// is 0 where there is nothing but −∞.
///
/// ```
/// use wgpu_reduce::{CustomOp, GpuReducer};
///
/// const LOG_SUM_EXP: &str = "
///     fn map(element: f32, index: u32) -> vec2<f32> {
///         // Of -inf the exponential is 0; its bits tell, as compilers may assume that there is none.
///         return vec2<f32>(element, select(1.0, 0.0, bitcast<u32>(element) == 0xff800000u));
///     }
///
///     fn combine(left: vec2<f32>, right: vec2<f32>) -> vec2<f32> {
///         if left.y == 0.0 { return right; }
///         if right.y == 0.0 { return left; }
///         let largest = max(left.x, right.x);
///         let sum = left.y * exp(left.x - largest) + right.y * exp(right.x - largest);
///         return vec2<f32>(largest, sum);
///     }
///
///     fn finish(total: vec2<f32>) -> f32 {
///         if total.y == 0.0 { return total.x; }
///         return total.x + log(total.y);
///     }";
///
/// let reducer = GpuReducer::new()?;
/// let op = CustomOp::<f32, [f32; 2], f32>::new(LOG_SUM_EXP, [f32::NEG_INFINITY, 0.0])?;
/// let input = reducer.upload(&[1000.0_f32, 1000.0])?;
/// let result = reducer.reduce(&op, &input).run()?;
/// assert!((result - 1000.693_1).abs() < 1e-3);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// The largest absolute difference of two buffers. Bits without the sign are in the order of magnitudes, and those of
/// NaN are the largest, so that one shows, where WGSL's `max` of floats may leave it out:
///
/// ```
/// use wgpu_reduce::{CustomOp, GpuReducer};
///
/// const MAX_ABS_DIFFERENCE: &str = "
///     fn map(a: f32, b: f32, index: u32) -> u32 { return bitcast<u32>(a - b) & 0x7fffffffu; }
///     fn combine(left: u32, right: u32) -> u32 { return max(left, right); }
///     fn finish(total: u32) -> f32 { return bitcast<f32>(total); }";
///
/// let reducer = GpuReducer::new()?;
/// let op = CustomOp::<(f32, f32), u32, f32>::new(MAX_ABS_DIFFERENCE, 0)?;
/// let (a, b) = (reducer.upload(&[1.0_f32, 5.0])?, reducer.upload(&[2.0_f32, 2.5])?);
/// assert_eq!(reducer.reduce(&op, (&a, &b)).run()?, 2.5);
/// # Ok::<(), wgpu_reduce::Error>(())
/// ```
///
/// # What you promise
///
/// - `combine` is associative. How its arguments are bracketed depends on the length, where in its
///   buffers the input lies, the device and the tuning, so another `combine` has another result with each
///   of them. If it is associative only up to rounding, so is the result.
/// - `identity` changes nothing when it is combined with something.
///
/// Nothing else. `combine` need **not** be commutative: its left argument is always of elements right
/// before those of its right one, so that products of matrices, compositions of functions or "the first
/// that" work.
///
/// # What you get
///
/// - Empty input: `finish(identity)`. Otherwise the identity is used only where workgroups are left without elements, as of a counted
///   input.
/// - Determinism: the same bits on every run on one adapter with one tuning; no result depends on which
///   workgroup comes first. Between adapters results of floating-point operators may differ, as far as
///   WGSL lets devices round, and compilers reassociate and assume that neither NaN nor infinity occurs.
/// - Indices count from 0 at the first element of the input, over all its buffers. An input of more than
///   2^32 elements is refused. Along an axis
///   ([`along`](crate::Request::along)) they count along it.
/// - Each element is mapped; at the end of a workgroup's share some are mapped more than once, and what
///   comes of it is thrown away.
/// - Loops are yours to end: a text that never ends keeps the device, until its driver loses it. Mesa's
///   llvmpipe leaves loops after 65 000 turns that an invocation has taken together; the library sees to
///   it that there are at least 50 for each element.
/// - Speed: the memory's, as long as `combine` is cheap. There are at least two passes, since order is
///   kept, for inputs beyond 64 KiB.
///
/// # What is checked
///
/// The text is checked when the operator is made, without a device: it must be valid WGSL that every
/// device takes, and must not declare variables or overrides, entry points or directives, nor use
/// barriers, atomics, subgroup operations or derivatives. Names beginning with `fold_`, in letters of
/// either case, or with `Fold`, and those of the built-in functions and types that the library's part
/// uses, are taken. Its shaders always run with wgpu's run-time checks, whatever [`Options::guarded_shaders`](crate::Options::guarded_shaders)
/// says, so that a mistake reaches no memory that is not its own. In GL wgpu has no checks of indices: an
/// index beyond an array of the text's own is left to the driver there.
///
/// Operators of one input also work along axes, over segments
/// ([`segments`](crate::Request::segments)) and over runs of equal keys
/// ([`runs`](crate::Request::runs)), always in the order of the elements.
///
/// The method is parallel reduction as everywhere in this crate, with contiguous shares for the order's
/// sake, as Blelloch described it (*Prefix Sums and Their Applications*, 1990).
#[derive(Debug)]
pub struct CustomOp<I, A, R = A> {
    pub(crate) operator: Arc<Operator>,
    pub(crate) identity: A,
    types: PhantomData<fn(I) -> R>,
}

impl<I, A: CustomValue, R: CustomValue> CustomOp<I, A, R> {
    /// One whose text has been checked.
    pub(crate) fn checked(text: String, input: InputType, identity: A) -> Result<Self> {
        let (accumulator, result, permit) = (A::TYPE, R::TYPE, Permit::ask("custom operators")?);
        let mut operator = Operator { text, input, accumulator, result, finishes: false, permit };
        operator.finishes = check(&operator)?;
        Ok(Self { operator: Arc::new(operator), identity, types: PhantomData })
    }

    /// The text it was made of.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.operator.text
    }

    /// The accumulator of no elements.
    #[must_use]
    pub fn identity(&self) -> A {
        self.identity
    }

    /// Every shader that it may run. [`Request::plan`](crate::Request::plan) tells
    /// which it does.
    #[must_use]
    pub fn shaders(&self) -> Vec<CustomShader> {
        CustomShader::all(&self.operator).collect()
    }

    pub(crate) fn identity_words(&self) -> [u32; 4] {
        words_of(self.identity)
    }
}

impl<I, A: Clone, R> Clone for CustomOp<I, A, R> {
    fn clone(&self) -> Self {
        Self {
            operator: Arc::clone(&self.operator),
            identity: self.identity.clone(),
            types: PhantomData,
        }
    }
}
