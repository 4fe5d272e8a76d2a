//! What ladders are made of: a table of levels, and what there is to say about each.

/// An enum of levels. A row is a level, its name, its file in `shaders/`, what it does, and what it removes from the row above.
macro_rules! levels {
    (
        $(#[$attribute:meta])*
        $levels:ident of $folder:literal:
        $($level:ident $name:literal in $file:literal, does $does:literal, fixes $fixes:literal;)*
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum $levels {
            $(
                #[doc = $does]
                ///
                #[doc = concat!("It removes ", $fixes, ".")]
                $level,
            )*
        }

        impl $levels {
            /// Every level, in order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$level),*];

            /// Its place, from 0.
            #[must_use]
            pub const fn number(self) -> u8 {
                self as u8
            }

            #[doc = concat!("Its name, without the number: that of its file in `", $folder, "`.")]
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$level => $name,)*
                }
            }

            /// What it does, in one sentence.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$level => $does,)*
                }
            }

            /// What it removes from the level before, as the object of a sentence.
            #[must_use]
            pub const fn fixes(self) -> &'static str {
                match self {
                    $(Self::$level => $fixes,)*
                }
            }

            pub(super) const fn fragment(self) -> $crate::shader::fragment::Fragment {
                match self {
                    $(Self::$level => $crate::shader::fragment::fragment!($file),)*
                }
            }
        }
    };
}
pub(super) use levels;
