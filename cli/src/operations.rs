//! The commands that reduce a file, one for each operation.

use crate::along;
use crate::args::{self, Deviate, Reduce};
use crate::chosen::Chosen;
use crate::exact;
use crate::failure::Failure;
use crate::masked;
use crate::reduce::{open, reduced};
use crate::results::Files;
use crate::sample::with_sample;
use clap::Subcommand;
use std::io::Write;
use wgpu_reduce::OpRecord;
#[allow(clippy::wildcard_imports, reason = "each is a command")]
use wgpu_reduce::operations::*;

/// Calls a macro with every operation: what it does, its type, its command and that one's arguments, the
/// class of elements that it takes (see [`with_elements`](crate::sample::with_elements)), and the macro of
/// `check.rs` that says how it is checked. The library has the list.
macro_rules! with_operations {
    ($callback:ident) => {
        wgpu_reduce::for_each_operation! { crate::operations::commands, ($callback []) }
    };
}
pub(crate) use with_operations;

/// Makes commands of the library's operations, one by one.
macro_rules! commands {
    (($callback:ident [$($done:tt)*])) => { $callback! { $($done)* } };
    ($given:tt sum Sum() of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt; $($rest:tt)*) => {
        $crate::operations::commands! { @next $given Sum $command (args::Sum) $class summed; $($rest)* }
    };
    ($given:tt wrapping_sum WrappingSum() of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt; $($rest:tt)*) => {
        $crate::operations::commands! { @next $given WrappingSum $command (Reduce) $class summed; $($rest)* }
    };
    ($given:tt nan_sum NanSum() of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt; $($rest:tt)*) => {
        $crate::operations::commands! { @next $given NanSum $command (Reduce) $class but_nan; $($rest)* }
    };
    ($given:tt stats Stats(ddof) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt; $($rest:tt)*) => {
        $crate::operations::commands! { @next $given Stats $command (Deviate) $class figured; $($rest)* }
    };
    ($given:tt $name:ident $operation:ident(ddof) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt; $($rest:tt)*) => {
        $crate::operations::commands! { @next $given $operation $command (Deviate) $class defined; $($rest)* }
    };
    ($given:tt $name:ident $operation:ident() of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt; $($rest:tt)*) => {
        $crate::operations::commands! { @next $given $operation $command (Reduce) $class defined; $($rest)* }
    };
    (
        @next ($callback:ident [$($done:tt)*]) $operation:ident ($command:literal, $what:literal) ($arguments:ty)
        $class:ident $checked:ident; $($rest:tt)*
    ) => {
        $crate::operations::commands! {
            ($callback [
                $($done)*
                #[doc = $what]
                $operation $command ($arguments) of $class, $checked;
            ])
            $($rest)*
        }
    };
}
pub(crate) use commands;

/// The record of an operation that takes elements of a class.
macro_rules! record_of {
    ($operation:expr, $class:ident) => {
        $crate::sample::with_elements!($class, [$crate::operations::record_of] { of $operation })
    };
    ([$first:ty $(, $element:ty)*] of $operation:expr) => {
        wgpu_reduce::Operation::<$first>::record(&$operation)
    };
}
pub(crate) use record_of;

/// What the library calls the operation of a command, where that is another name.
fn alias(command: &str, operation: &OpRecord) -> Option<&'static str> {
    let name = operation.name();
    (name != command).then_some(name)
}

/// Arguments that an operation is made of.
trait Asking<O> {
    fn operation(&self) -> O;

    fn reduce(&self) -> &Reduce;
}

impl<O: Default> Asking<O> for Reduce {
    fn operation(&self) -> O {
        O::default()
    }

    fn reduce(&self) -> &Reduce {
        self
    }
}

impl Asking<Sum> for args::Sum {
    fn operation(&self) -> Sum {
        Sum
    }

    fn reduce(&self) -> &Reduce {
        &self.reduce
    }
}

macro_rules! deviating {
    ($($name:ident $operation:ident($($field:ident)?) of $class:ident: $module:ident, $result:ident, $command:tt, $call:tt;)*) => {$($(
        impl Asking<$operation> for Deviate {
            fn operation(&self) -> $operation {
                $operation { $field: self.$field }
            }

            fn reduce(&self) -> &Reduce {
                &self.reduce
            }
        }
    )?)*};
}
wgpu_reduce::for_each_operation!(deviating);

macro_rules! operations {
    ($(
        #[doc = $what:literal]
        $operation:ident $name:literal ($arguments:ty) of $elements:ident, $checked:ident;
    )*) => {
        /// An operation and its file.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Operation {
            $(
                #[doc = $what]
                #[command(
                    name = $name,
                    aliases = alias(
                        $name,
                        record_of!(wgpu_reduce::$operation::default(), $elements)
                    ),
                )]
                $operation($arguments),
            )*
        }

        impl Operation {
            /// Reduces the file.
            pub(crate) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
                match self {
                    Self::Sum(arguments) if arguments.exact => {
                        match arguments.reduce.along.option() {
                            None => exact::sum(arguments, out),
                            Some(_) => exact::sums(arguments, out),
                        }
                    }
                    $(Self::$operation(arguments) => {
                        let operation: wgpu_reduce::$operation = arguments.operation();
                        let reduced = Asking::<wgpu_reduce::$operation>::reduce(arguments);
                        reduce(&operation.into(), reduced, out)
                    })*
                }
            }
        }
    };
}

with_operations!(operations);

/// Reduces a file by an operation.
fn reduce(operation: &Chosen, arguments: &Reduce, out: &mut impl Write) -> Result<(), Failure> {
    let input = open(&arguments.common, operation.record())?;
    if arguments.along.option().is_some() {
        let files = Files::of_reduction(arguments)?;
        return with_sample!(input.element(), T in all => {
            along::reduce::<T>(operation, input, files, arguments, out)
        });
    }
    let report = with_sample!(input.element(), T in all => {
        match &arguments.mask {
            Some(mask) => masked::reduce::<T>(operation, input, arguments, mask),
            None => reduced::<T>(operation, input, &arguments.common),
        }
    });
    report?.print(arguments.common.source.json, out)
}
