//! Enums whose variants have names in text.

/// An enum with the name of each variant: `NAMED` and `ALL` have all in order, `name` and `named` go to and fro.
#[macro_export]
macro_rules! named_enum {
    ($(#[$meta:meta])* $vis:vis enum $Enum:ident {
        $($(#[$of:meta])* $Variant:ident = $name:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $Enum { $($(#[$of])* $Variant),+ }

        #[allow(dead_code)]
        impl $Enum {
            /// All of them, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$Variant),+];
            /// All of them, each behind its name.
            pub const NAMED: [(&'static str, Self); Self::ALL.len()] = [$(($name, Self::$Variant)),+];

            /// What it is called.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name),+ }
            }

            /// The one that is called so.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }
    };
}

/// The same, called so in plans and in JSON.
macro_rules! json_enum {
    ($(#[$meta:meta])* $vis:vis enum $Enum:ident {
        $($(#[$of:meta])* $Variant:ident = $name:literal),+ $(,)?
    }) => {
        $crate::named_enum! {
            $(#[$meta])*
            #[derive(serde::Serialize, serde::Deserialize)]
            $vis enum $Enum { $($(#[$of])* #[serde(rename = $name)] $Variant = $name),+ }
        }
    };
}
