//! What dispatches are told: structs that their shaders have, too, with the same names.

/// A struct of words that a shader reads from a uniform buffer.
pub(crate) trait Parameters: Sized {
    /// All of it, as a buffer has it: up to a multiple of 16 bytes.
    fn words(&self) -> Vec<u32>;

    /// Makes the struct of a buffer's words.
    #[cfg(any(test, feature = "followed"))]
    fn of(words: &[u32]) -> Self;
}

/// A field.
pub(crate) trait Field: Copy {
    /// Words whose multiples it begins at.
    const ALIGNMENT: usize;

    fn push(self, words: &mut Vec<u32>);

    /// The field at a word, and the word behind it. What is not there is zero.
    #[cfg(any(test, feature = "followed"))]
    fn take(words: &[u32], at: &mut usize) -> Self;

    /// The shader's names of what it is, and the bytes they begin at.
    #[cfg(test)]
    fn names(name: &'static str, at: u32) -> Vec<(&'static str, u32)> {
        vec![(name, at)]
    }
}

impl Field for u32 {
    const ALIGNMENT: usize = 1;

    fn push(self, words: &mut Vec<u32>) {
        words.push(self);
    }

    #[cfg(any(test, feature = "followed"))]
    fn take(words: &[u32], at: &mut usize) -> Self {
        let word = words.get(*at).copied().unwrap_or(0);
        *at += 1;
        word
    }
}

/// Vectors of four words, and arrays of those.
impl<T: Field, const N: usize> Field for [T; N] {
    const ALIGNMENT: usize = 4;

    fn push(self, words: &mut Vec<u32>) {
        for field in self {
            field.push(words);
        }
    }

    #[cfg(any(test, feature = "followed"))]
    fn take(words: &[u32], at: &mut usize) -> Self {
        std::array::from_fn(|_| T::take(words, at))
    }
}

/// Fills up with zeros to a multiple of so many words.
pub(crate) fn align(words: &mut Vec<u32>, alignment: usize) {
    words.resize(words.len().next_multiple_of(alignment), 0);
}

/// `Name aligned 4 { field, other: [u32; 4] }`: a field without a type is a `u32`. What is aligned to 1 is no struct in shaders, which have
/// its fields among their own.
macro_rules! fields {
    ($(#[$doc:meta])* $name:ident aligned $alignment:literal {
        $($field:ident $(: $type:ty)?),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub(crate) struct $name {
            $(pub(crate) $field: $crate::plan::recording::parameters::field_type!($($type)?)),+
        }

        impl $crate::plan::recording::parameters::Field for $name {
            const ALIGNMENT: usize = $alignment;

            fn push(self, words: &mut Vec<u32>) {
                use $crate::plan::recording::parameters::{Field, align};
                $(
                    align(words, <$crate::plan::recording::parameters::field_type!($($type)?)>::ALIGNMENT);
                    Field::push(self.$field, words);
                )+
                align(words, Self::ALIGNMENT);
            }

            #[cfg(any(test, feature = "followed"))]
            fn take(words: &[u32], at: &mut usize) -> Self {
                use $crate::plan::recording::parameters::Field;
                $(
                    let alignment = <$crate::plan::recording::parameters::field_type!($($type)?)>::ALIGNMENT;
                    *at = at.next_multiple_of(alignment);
                    let $field = Field::take(words, at);
                )+
                *at = at.next_multiple_of(Self::ALIGNMENT);
                Self { $($field),+ }
            }

            #[cfg(test)]
            fn names(name: &'static str, at: u32) -> Vec<(&'static str, u32)> {
                if Self::ALIGNMENT > 1 {
                    return vec![(name, at)];
                }
                Self::fields().into_iter().map(|(name, before)| (name, at + before)).collect()
            }
        }

        #[cfg(test)]
        impl $name {
            /// Names of fields, and where they begin, in bytes.
            fn fields() -> Vec<(&'static str, u32)> {
                use $crate::plan::recording::parameters::{Field, align};
                let (all, mut words, mut fields) = (Self::default(), Vec::new(), Vec::new());
                $(
                    align(&mut words, <$crate::plan::recording::parameters::field_type!($($type)?)>::ALIGNMENT);
                    let at = 4 * u32::try_from(words.len()).unwrap();
                    fields.extend(
                        <$crate::plan::recording::parameters::field_type!($($type)?)>::names(stringify!($field), at),
                    );
                    Field::push(all.$field, &mut words);
                )+
                fields
            }
        }
    };
}

/// `Name of "file" "another" as "NameThere" { ... }`, with fields as above: the files have the shader's struct and those in it. `ALL` is all
/// of them, for tests.
macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident of $($file:literal)+ as $there:literal { $($fields:tt)+ })+) => {
        $(
            $crate::plan::recording::parameters::fields! { $(#[$doc])* $name aligned 4 { $($fields)+ } }

            impl $crate::plan::recording::Parameters for $name {
                fn words(&self) -> Vec<u32> {
                    let mut words = Vec::new();
                    $crate::plan::recording::parameters::Field::push(*self, &mut words);
                    words
                }

                #[cfg(any(test, feature = "followed"))]
                fn of(words: &[u32]) -> Self {
                    $crate::plan::recording::parameters::Field::take(words, &mut 0)
                }
            }
        )+

        #[cfg(test)]
        const ALL: &[Struct] = &[$(Struct {
            files: &[$($file),+],
            name: $there,
            fields: $name::fields,
            bytes: || 4 * $crate::plan::recording::Parameters::words(&$name::default()).len(),
        }),+];
    };
}

macro_rules! field_type {
    () => {
        u32
    };
    ($type:ty) => {
        $type
    };
}

pub(crate) use {field_type, fields, parameters};
