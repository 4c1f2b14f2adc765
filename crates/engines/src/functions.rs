//! The C functions of a library that is loaded at run time, as one table: a macro, because a name, its type and its
//! symbol must not drift apart. Which functions there are stands with each driver.

/// Makes `struct Api` and `Api::loaded`. Functions under `optional` came with later releases. Who lists a function
/// vouches for its type in every release that is loaded.
macro_rules! functions {
    (required { $($field:ident = $symbol:ident: $type:ty;)* }
     optional { $($maybe:ident = $maybe_symbol:ident: $maybe_type:ty;)* }) => {
        pub struct Api {
            $(pub $field: $type,)*
            $(pub $maybe: Option<$maybe_type>,)*
        }

        impl Api {
            /// The error is the name of the first function that is not there.
            fn loaded(library: &libloading::os::unix::Library) -> Result<Api, &'static str> {
                // SAFETY: the table says the types that the symbols have.
                unsafe {
                    Ok(Api {
                        $($field: *library
                            .get::<$type>(concat!(stringify!($symbol), "\0").as_bytes())
                            .map_err(|_| stringify!($symbol))?,)*
                        $($maybe: library
                            .get::<$maybe_type>(concat!(stringify!($maybe_symbol), "\0").as_bytes())
                            .ok()
                            .map(|symbol| *symbol),)*
                    })
                }
            }
        }
    };
    ($($field:ident = $symbol:ident: $type:ty;)*) => {
        $crate::functions::functions! {
            required { $($field = $symbol: $type;)* }
            optional {}
        }
    };
}

pub(crate) use functions;
