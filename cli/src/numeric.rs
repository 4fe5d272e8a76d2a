//! Options that take numbers, which may begin with a minus sign.

use crate::rows::Rows;
use crate::stream::Memory;
use clap::{Arg, Command};
use std::any::TypeId;
use std::time::Duration;

/// Lets every option that takes numbers take those that begin with `-`, in every spelling. The parser of each then says
/// which it wants. Clap by itself takes `-1` and `-0.5` for numbers, and `-.5`, `-1e-3` and `-inf` for options.
pub(crate) fn with_signs(command: Command) -> Command {
    let with_sign = |arg: Arg| if is_numeric(&arg) { arg.allow_hyphen_values(true) } else { arg };
    command.mut_args(with_sign).mut_subcommands(with_signs)
}

/// Whether the values of an option are numbers.
fn is_numeric(arg: &Arg) -> bool {
    let numbers = [
        TypeId::of::<f64>(),
        TypeId::of::<i64>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<Duration>(),
        TypeId::of::<Memory>(),
        TypeId::of::<Rows>(),
    ];
    let kind = arg.get_value_parser().type_id();
    numbers.into_iter().any(|number| kind == number)
}

#[cfg(test)]
mod tests {
    use super::{is_numeric, with_signs};
    use crate::args::Arguments;
    use clap::{Arg, Command, CommandFactory as _};
    use std::iter;

    /// Every option of every command that takes a value, with the command's name.
    fn options(command: &Command, all: &mut Vec<(String, Arg)>) {
        let takes_value = |arg: &&Arg| !arg.is_positional() && arg.get_action().takes_values();
        let name = command.get_name();
        all.extend(
            command.get_arguments().filter(takes_value).map(|arg| (name.into(), arg.clone())),
        );
        command.get_subcommands().for_each(|command| options(command, all));
    }

    #[test]
    fn an_option_that_takes_numbers_says_which() {
        let mut all = Vec::new();
        options(&Arguments::command(), &mut all);
        for (command, option) in all.iter().filter(|(_, option)| is_numeric(option)) {
            let name = format!("--{}", option.get_long().unwrap());
            for value in ["", "one", "0x10", "1,,2", "1e999"] {
                let values = option.get_num_args().map_or(1, |count| count.min_values());
                let words = ["wgpu-reduce", command, &name].into_iter();
                let words: Vec<_> = words.chain(iter::repeat_n(value, values)).collect();
                let refused = with_signs(Arguments::command()).try_get_matches_from(&words);
                let Err(error) = refused else { panic!("{words:?}") };
                let told = error.to_string();
                assert!(told.contains("': expected "), "{words:?}: {told}");
            }
        }
    }

    #[test]
    fn an_option_takes_numbers_or_is_known_to_take_none() {
        let mut all = Vec::new();
        options(&with_signs(Arguments::command()), &mut all);
        assert!(all.len() > 100, "{}", all.len());
        for (command, option) in all {
            let name = option.get_id().as_str();
            let takes_none = [
                "dtype",
                "format",
                "op",
                "distribution",
                "method",
                "adapter",
                "levels",
                "offsets",
                "keys",
                "mask",
                "output",
                "output_keys",
                "output_indices",
                "svg",
                "tuned",
            ];
            assert_ne!(is_numeric(&option), takes_none.contains(&name), "{command} --{name}");
            assert_eq!(
                option.is_allow_hyphen_values_set(),
                is_numeric(&option),
                "{command} --{name}"
            );
        }
    }
}
