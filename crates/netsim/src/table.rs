//! Tables by column.

/// The numbers of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Column<'a> {
    Int32(&'a [i32]),
    Int64(&'a [i64]),
    Whole32(&'a [u32]),
    Double(&'a [f64]),
}

macro_rules! column_of {
    ($($number:ty => $Column:ident),+) => {
        $(impl<'a> From<&'a [$number]> for Column<'a> {
            fn from(numbers: &'a [$number]) -> Self {
                Self::$Column(numbers)
            }
        })+
    };
}
column_of!(i32 => Int32, i64 => Int64, u32 => Whole32, f64 => Double);

/// Columns of the same length.
pub trait Table {
    /// Each with its name.
    fn columns(&self) -> Vec<(&'static str, Column<'_>)>;
}

/// A struct of columns whose fields are of the numbers in them.
#[macro_export]
macro_rules! table {
    ($(#[$meta:meta])* $vis:vis struct $Name:ident {
        $($(#[$of:meta])* $field:ident: $number:ty),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq)]
        $vis struct $Name { $($(#[$of])* pub $field: Vec<$number>),+ }

        impl $crate::table::Table for $Name {
            fn columns(&self) -> Vec<(&'static str, $crate::table::Column<'_>)> {
                vec![$((stringify!($field), self.$field.as_slice().into())),+]
            }
        }

        #[allow(dead_code)]
        impl $Name {
            /// Adds the rows of a later one.
            pub fn append(&mut self, later: Self) {
                $(self.$field.extend(later.$field);)+
            }

            /// The rows at these positions.
            pub fn in_order(&self, kept: &[usize]) -> Self {
                Self { $($field: kept.iter().map(|row| self.$field[*row]).collect()),+ }
            }
        }
    };
}
