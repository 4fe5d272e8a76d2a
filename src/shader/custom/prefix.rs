//! Files of kernels beside a text of the user's: their names are kept apart from his.

use crate::shader::custom::scan::declarations;
use crate::shader::joined::with_prefix;
use std::collections::HashSet;

/// What stands before the names of kernels that operations have, too. No user's name begins so.
const PREFIX: &str = "fold_lib_";

/// The text of a kernel, with the prefix before every name that it declares, and before those that `own`, files for
/// custom operators, declares with it. Lines stay lines.
pub(crate) fn prefixed(kernel: &str, own: &str) -> String {
    let of_own = declarations(own);
    let of_own = of_own.iter().filter_map(|found| found.name.text.strip_prefix(PREFIX));
    let of_kernel = declarations(kernel);
    let names: HashSet<_> = of_kernel.iter().map(|found| found.name.text).chain(of_own).collect();
    with_prefix(kernel, &names, PREFIX)
}

#[cfg(test)]
mod tests {
    use super::prefixed;

    #[test]
    fn names_of_the_kernel_and_those_it_is_given_have_the_prefix() {
        let kernel = "override SIZE: u32 = 4u; // SIZE of it\nfn fold(x: Acc) -> Acc {\n    \
                      return combine(x, min(x, identity(SIZE)));\n}";
        let own = "struct fold_lib_Acc { a: u32 }\nfn fold_lib_combine() {}\nfn combine() {}";
        assert_eq!(
            prefixed(kernel, own),
            "override fold_lib_SIZE: u32 = 4u; // SIZE of it\nfn fold_lib_fold(x: fold_lib_Acc) -> \
             fold_lib_Acc {\n    return fold_lib_combine(x, min(x, identity(fold_lib_SIZE)));\n}"
        );
    }
}
