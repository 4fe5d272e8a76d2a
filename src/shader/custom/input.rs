//! Custom operators by what they take: one input, or two side by side.

use crate::error::Result;
use crate::op::element::{Element, element_rows};
use crate::op::fold::{Finisher, Folds, Left};
use crate::op::value::{CustomValue, InputType};
use crate::op::{DeviceFold, Fold, ShapedFold};
use crate::shader::custom::op::CustomOp;

pub(crate) mod sealed {
    use crate::op::value::InputType;

    pub trait Input {
        const TYPE: InputType;
    }
}

/// What a [`CustomOp`](crate::CustomOp) maps: an element, or a pair of elements of one type, which have
/// the same index in two inputs.
///
/// Every [`Element`] of 32 bits and less will do. In WGSL `u8` and `u16` are `u32`, `i8` and `i16` are `i32`, and every float is `f32`.
///
/// ```
/// fn takes<I: wgpu_reduce::CustomInput>() {}
/// takes::<f32>();
/// takes::<(u32, u32)>();
/// ```
pub trait CustomInput: sealed::Input + 'static {}

macro_rules! inputs {
    (@row $element:ty, [wide]) => {};
    (@row $element:ty, $class:tt) => {
        impl sealed::Input for $element {
            const TYPE: InputType = InputType { element: <$element>::KIND, paired: false };
        }

        impl CustomInput for $element {}

        impl sealed::Input for ($element, $element) {
            const TYPE: InputType = InputType { element: <$element>::KIND, paired: true };
        }

        impl CustomInput for ($element, $element) {}
    };
    ($($element:ty => $kind:ident $class:tt $rest:tt;)*) => { $(inputs!(@row $element, $class);)* };
}
element_rows!(inputs);

impl<I: CustomInput, A: CustomValue, R: CustomValue> CustomOp<I, A, R> {
    /// Checks the text of an operator. It costs about a millisecond and needs no device; an operator is
    /// cheap to clone, works on every reducer, and each of them compiles it once.
    ///
    /// ```
    /// use wgpu_reduce::{CustomOp, Error};
    ///
    /// let text = "fn map(element: f32, index: u32) -> f32 {\n    return sine(element);\n}";
    /// let Err(Error::CustomShader { line, column, message }) = CustomOp::<f32, f32>::new(text, 0.0)
    /// else {
    ///     panic!("there is no function `sine`");
    /// };
    /// assert_eq!((line, column), (2, 12));
    /// assert!(message.contains("sine"));
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::CustomShader`](crate::Error::CustomShader) with line and column of the first mistake. What compilers might have no
    /// stack or memory for is one, too: a text of more than 4096 words and signs, an expression that is too deep, a type or a constant of more than
    /// 65 536 values, an array whose length is neither a number nor a constant that is declared as one.
    pub fn new(text: impl Into<String>, identity: A) -> Result<Self> {
        Self::checked(text.into(), I::TYPE, identity)
    }
}

impl<I: CustomInput, A: CustomValue, R: CustomValue> Fold<I> for &CustomOp<I, A, R> {
    type Output = R;

    fn finisher(&self) -> Finisher<R> {
        Box::new(|left: Left<'_>| left.raw())
    }

    fn folds(&self) -> Folds<'_> {
        Folds::Custom(&self.operator, self.identity_words(), self.operator.permit)
    }
}

impl<I: CustomInput, A: CustomValue, R: CustomValue> ShapedFold<I> for &CustomOp<I, A, R> {}

impl<I: CustomInput, A: CustomValue, R: CustomValue> DeviceFold<I> for &CustomOp<I, A, R> {
    type Raw = R;
}
